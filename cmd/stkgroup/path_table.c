/* SPDX-License-Identifier: MIT
 * path_table: --report critical-path: what decided how long each activity took, in the order of time. */
#include "group_views.h"

#include "base/time_math.h"
#include "program/program.h"

#include <stdlib.h>

struct path_sheet {
	const struct grouped *of;
	const struct activity_paths *paths;
	struct row_printer rows;
	bool people;
};

static const char *
state_of(const struct path_part *part)
{
	return part->nobody ? "between" : part->out ? "switched out" : "at work";
}

static int64_t
length_of(const struct activity_path *path)
{
	return time_difference(path->from, path->to);
}

static void
print_seconds(struct path_sheet *sheet, int64_t ns)
{
	char text[TIME_TEXT_MAX];

	if (!sheet->people) {
		row_real(&sheet->rows, (double)ns / 1e9, 9);
		return;
	}
	duration_print(text, ns);
	row_text(&sheet->rows, text_from(text));
}

static void
print_part(struct path_sheet *sheet, const struct activity_path *path, const struct path_part *part)
{
	const struct scheme *scheme = sheet->of->set->schemes[part->scheme];
	struct row_printer *rows = &sheet->rows;
	char start[TIME_TEXT_MAX];

	row_count(rows, path->activity);
	time_print(start, path->from, sheet->of->settings->zone);
	row_time(rows, start);
	print_seconds(sheet, time_difference(path->from, part->from));
	print_seconds(sheet, time_difference(part->from, part->to));
	row_real(rows, 100 * (double)time_difference(part->from, part->to) / (double)length_of(path),
		 sheet->people ? 1 : 6);
	row_text(rows, part->nobody ? text_from("(no thread)")
				    : stack_prefix_text(sheet->of->prefixes, part->key));
	row_text(rows, scheme->name);
	row_text(rows, part->group == 0 ? text_from("(none)") : scheme->groups.at[part->group - 1].path);
	row_text(rows, text_from(state_of(part)));
}

static int
compare_starts(const void *a, const void *b)
{
	const struct activity_path *x = *(const struct activity_path *const *)a,
				   *y = *(const struct activity_path *const *)b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int
compare_lengths(const void *a, const void *b)
{
	const struct activity_path *x = *(const struct activity_path *const *)a,
				   *y = *(const struct activity_path *const *)b;

	if (length_of(x) != length_of(y))
		return length_of(x) > length_of(y) ? -1 : 1;
	return compare_starts(a, b);
}

/* For people the longest ones; else, unless --top is given, all. In the order of their starts. */
static size_t
choose_paths(const struct path_sheet *sheet, const struct activity_path ***out)
{
	size_t count = sheet->paths->list.count, most = (size_t)sheet->of->settings->top;
	const struct activity_path **chosen = mem_new(count + 1, sizeof *chosen);

	for (size_t i = 0; i < count; i++)
		chosen[i] = &sheet->paths->list.at[i];
	if (count > most && (sheet->people || program_given("top"))) {
		qsort(chosen, count, sizeof *chosen, compare_lengths);
		program_say("%zu of %zu activities are shown, the longest (--top)", most, count);
		count = most;
	}
	if (count > 1)
		qsort(chosen, count, sizeof *chosen, compare_starts);
	*out = chosen;
	return count;
}

static void
tell_odd(const struct activity_paths *paths)
{
	if (paths->list.count == 0)
		program_warn("no activity has a beginning and an end: there are no paths");
	if (paths->unended > 0)
		program_say("%llu activities have no end on a thread: they count up to its last event",
			    (unsigned long long)paths->unended);
	if (paths->instant > 0)
		program_say("%llu activities took no time, and have no path", (unsigned long long)paths->instant);
}

int
show_paths(struct grouped *of, struct stk_error *err)
{
	static const char *const people[] = { "activity#?", "start", "at#", "takes#", "%#", "thread>", "scheme?>",
		"group>", "state", NULL };
	static const char *const programs[] = { "activity", "start", "at", "seconds", "share", "key", "scheme", "group",
		"state", NULL };
	struct path_sheet sheet = { .of = of, .paths = event_feed_paths(of->feed),
				    .people = of->settings->form == ROWS_TEXT };
	const struct activity_path **chosen;
	size_t count = choose_paths(&sheet, &chosen);

	tell_odd(sheet.paths);
	row_printer_begin(&sheet.rows, of->settings->form, of->printer, sheet.people ? people : programs);
	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < chosen[i]->count; p++)
			print_part(&sheet, chosen[i], &sheet.paths->parts.at[chosen[i]->first + p]);
	free(chosen);
	return row_printer_end(&sheet.rows, err);
}
