/* SPDX-License-Identifier: MIT
 * class_paths: which classes go through a segment: none, one and several, through halves of halves, and when it is not
 * known of all. */
#include "../lib/tap.h"

#include "trend/class_paths.h"

static struct series_set *
open_set(const struct trend_options *options)
{
	struct series_set *set;
	struct stk_error err = { 0 };

	if (series_set_open(&set, options, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(99);
	}
	return set;
}

static uint32_t
series_of(struct series_set *set, enum stk_series kind, const char *name)
{
	uint32_t number = series_set_find(set, kind, text_from(name), text_of("", 0));

	series_set_edit(set, number)->begun = true;
	return number;
}

/* The names of the classes that go through a segment, one after another; "?" where they are not known. */
static const char *
passing(const struct series_set *set, uint32_t segment)
{
	static char names[64];
	size_t count, at = 0;
	const uint32_t *classes = class_paths_of(set, segment, &count);

	names[at++] = '?';
	for (size_t i = 0; i < count; i++)
		names[i == 0 ? (at = 0, at++) : at++] = series_set_at(set, classes[i])->name.data[0];
	names[at] = '\0';
	return classes == NULL ? "?" : names;
}

int
main(void)
{
	struct trend_options options = { .periods = "none", .step_ns = INT64_C(60000000000), .smooth = SPAR_NONE,
					 .constants = trend_constants_usual };
	struct segment_halves halves[16] = { { 0, 0 } };
	struct series_set *set;
	uint32_t root, left, right, leaf, a, b;

	for (unsigned k = 0; k < sizeof options.kinds / sizeof *options.kinds; k++)
		options.kinds[k] = true;
	set = open_set(&options);
	class_paths_index(set);
	is_text(passing(set, 1), "?", "a set without series has no paths");
	b = series_of(set, STK_SERIES_CLASS, "b");
	root = series_of(set, STK_SERIES_SEGMENT, "root");
	left = series_of(set, STK_SERIES_SEGMENT, "left");
	right = series_of(set, STK_SERIES_SEGMENT, "right");
	leaf = series_of(set, STK_SERIES_SEGMENT, "leaf");
	a = series_of(set, STK_SERIES_CLASS, "a");
	class_paths_add(set, b, root);
	class_paths_index(set);
	is_text(passing(set, root), "?", "where one class has no path, nothing can be added up");
	class_paths_add(set, a, leaf);
	class_paths_add(set, a, root);
	class_paths_add(set, a, root);
	class_paths_index(set);
	is_text(passing(set, root), "ab", "classes are once in a segment, by name");
	is_text(passing(set, leaf), "a", "... and only in theirs");
	is_text(passing(set, left), "?", "through a segment that no class is known to go through goes none");
	halves[root - 1] = (struct segment_halves){ left, right };
	halves[right - 1] = (struct segment_halves){ leaf, 0 };
	class_paths_split(set, halves, set->series.count);
	class_paths_index(set);
	is_text(passing(set, left), "ab", "what goes through a segment goes through its halves");
	is_text(passing(set, leaf), "ab", "... and through halves of these");
	is_text(passing(set, root), "ab", "... and through itself as before");
	series_set_edit(set, series_of(set, STK_SERIES_CLASS, "c"))->stage = NOT_FOLLOWED;
	class_paths_index(set);
	is_text(passing(set, root), "?", "where a class is not followed, nothing can be added up");
	series_set_close(set);
	return tap_end();
}
