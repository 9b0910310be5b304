/* SPDX-License-Identifier: MIT
 * series_text: names, amounts and moments for people. */
#include "series_text.h"

#include "base/time_math.h"
#include "report/leaf_labels.h"

#include <math.h>
#include <stdlib.h>

#define LABEL_FRAMES 2		/* shown, where that is enough to tell series apart */
#define HASH_SHOWN   8		/* digits of a hash that are enough to tell it from others */

/* --- what series are called --- */

static bool
has_stack(const struct series *s)
{
	return (s->kind == STK_SERIES_CLASS || s->kind == STK_SERIES_SEGMENT) && s->label.size > 0;
}

void
series_labels_add(struct series_labels *l, const struct series_set *set, uint32_t number)
{
	const struct series *s = series_set_at(set, number), *first;

	l->set = set;
	*array_push(&l->numbers) = number;
	*array_push(&l->labels) = has_stack(s) ? s->label : s->name;
	first = series_set_at(set, l->numbers.at[0]);
	l->threads = s->kind <= STK_SERIES_GROUP && (l->numbers.count == 1 || l->threads);
	l->counted |= s->kind <= STK_SERIES_GROUP;
	l->kinds |= s->kind != first->kind;
	l->parts |= !text_equal(s->part, first->part);
	l->hashes |= has_stack(s);
}

struct named { struct stk_text label; const struct series *series; size_t at; };

static int
compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = text_compare(x->label, y->label);

	if (order == 0 && x->series->kind != y->series->kind)
		order = x->series->kind < y->series->kind ? -1 : 1;
	if (order == 0)
		order = text_compare(x->series->part, y->series->part);
	return order != 0 ? order : text_compare(x->series->name, y->series->name);
}

/* Of the same kind and part, and called the same. */
static bool
are_confused(const struct named *a, const struct named *b)
{
	return a->series != b->series && a->series->kind == b->series->kind && text_equal(a->label, b->label) &&
	       text_equal(a->series->part, b->series->part) && !text_equal(a->series->name, b->series->name);
}

static void
add_hash_to_label(struct series_labels *l, const struct named *named, size_t *from)
{
	struct stk_text name = named->series->name;

	*from = l->more.count;
	add_text(&l->more, text_of(name.data, name.size < HASH_SHOWN ? name.size : HASH_SHOWN));
	add_string(&l->more, " ");
	add_text(&l->more, named->label);
}

/* The room moves while texts are added to it: labels are set when all are there. */
static void
number_confused(struct series_labels *l)
{
	size_t count = l->numbers.count;
	struct named *named = mem_new(count + 1, sizeof *named);
	size_t *starts = mem_new(2 * count + 1, sizeof *starts);

	for (size_t i = 0; i < count; i++)
		named[i] = (struct named){ l->labels.at[i], series_set_at(l->set, l->numbers.at[i]), i };
	if (count > 0)
		qsort(named, count, sizeof *named, compare_named);
	for (size_t i = 1; i < count; i++)
		l->alike |= named[i].series->kind == named[i - 1].series->kind &&
			    text_equal(named[i].label, named[i - 1].label) &&
			    !text_equal(named[i].series->part, named[i - 1].series->part);
	for (size_t i = 0; i < count; i++)
		if ((i > 0 && are_confused(&named[i], &named[i - 1])) ||
		    (i + 1 < count && are_confused(&named[i], &named[i + 1]))) {
			add_hash_to_label(l, &named[i], &starts[2 * i]);
			starts[2 * i + 1] = l->more.count - starts[2 * i];
		}
	for (size_t i = 0; i < count; i++)
		if (starts[2 * i + 1] > 0)
			l->labels.at[named[i].at] = text_of(l->more.at + starts[2 * i], starts[2 * i + 1]);
	free(named);
	free(starts);
}

void
series_labels_make(struct series_labels *l)
{
	ARRAY(struct stk_text) stacks = { 0 };
	size_t k = 0;

	for (size_t i = 0; i < l->numbers.count; i++)
		if (has_stack(series_set_at(l->set, l->numbers.at[i])))
			*array_push(&stacks) = l->labels.at[i];
	leaf_labels(stacks.at, stacks.count, LABEL_FRAMES, &l->room);
	for (size_t i = 0; i < l->numbers.count; i++)
		if (has_stack(series_set_at(l->set, l->numbers.at[i])))
			l->labels.at[i] = stacks.at[k++];
	array_release(&stacks);
	number_confused(l);
}

void
series_labels_release(struct series_labels *l)
{
	array_release(&l->numbers);
	array_release(&l->labels);
	array_release(&l->room);
	array_release(&l->more);
}

unsigned
series_columns(const struct series_labels *l, const char **names)
{
	unsigned count = 0;

	names[count++] = "series>";
	if (l->kinds)
		names[count++] = "kind?";
	if (l->parts)
		names[count++] = l->counted ? l->alike ? "part*" : "part*?" : l->alike ? "source*" : "source*?";
	return count;
}

void
series_cells(const struct series_labels *l, size_t i, struct row_printer *rows)
{
	const struct series *s = series_set_at(l->set, l->numbers.at[i]);

	row_text(rows, l->labels.at[i]);
	if (l->kinds)
		row_text(rows, text_from(series_kind_names[s->kind]));
	if (l->parts)
		row_text(rows, s->part);
}

void
series_hash_cell(const struct series_labels *l, size_t i, struct row_printer *rows)
{
	const struct series *s = series_set_at(l->set, l->numbers.at[i]);
	struct text_buffer text = { 0 };

	if (has_stack(s)) {
		add_text(&text, text_of(s->name.data, s->name.size < HASH_SHOWN ? s->name.size : HASH_SHOWN));
		add_char(&text, '*');
	} else {
		add_char(&text, '-');
	}
	row_text(rows, text_in(&text, 0));
	array_release(&text);
}

void
row_kind_and_about(const struct series *s, struct row_printer *rows)
{
	row_text(rows, text_from(series_kind_names[s->kind]));
	row_text(rows, s->label.data == NULL ? text_of("", 0) : s->label);
}

void
series_remark(const struct series_labels *l, struct printer *to)
{
	struct stk_text part = l->numbers.count == 0 ? text_of("", 0) : series_set_at(l->set, l->numbers.at[0])->part;

	if (!l->parts && part.size > 0)
		printer_remark(to, "all of %.*s", part.size < 300 ? (int)part.size : 300, part.data);
}

void
add_series(const struct series *s, struct text_buffer *to)
{
	struct text_buffer room = { 0 };
	struct stk_text label = s->label;

	series_add_name(s, to);
	if (label.size == 0)
		return;
	if (has_stack(s))
		leaf_labels(&label, 1, LABEL_FRAMES, &room);
	add_string(to, " (");
	add_masked(to, label);
	add_char(to, ')');
	array_release(&room);
}

int
fail_no_series(const struct series_set *set, const char *option, const char *pattern, struct stk_error *err)
{
	struct text_buffer part = { 0 };
	size_t matches = 0;

	add_format(&part, "*%s*", pattern);
	add_char(&part, '\0');
	for (uint32_t n = 1; n <= series_set_count(set); n++)
		matches += series_is_shown(series_set_at(set, n)) && series_matches(series_set_at(set, n), part.at);
	if (matches > 0)
		(void)stk_fail(err, STK_EUSAGE, "%s: no series is called '%s'; '%s' matches %zu", option, pattern,
			       part.at, matches);
	else
		(void)stk_fail(err, STK_EUSAGE, "%s: no series '%s' in the input", option, pattern);
	array_release(&part);
	return -1;
}

/* --- amounts --- */

/* What metrics are called that count bytes, and seconds: by those that stkcap makes. */
static bool
is_bytes(const struct series *s)
{
	static const char *const words[] = { "heap.", "metaspace.", "nonheap.", "memory.", "bytes", "rss" };

	for (size_t i = 0; i < sizeof words / sizeof *words && s->kind == STK_SERIES_METRIC && s->name.size > 0; i++)
		if (memmem(s->name.data, s->name.size, words[i], strlen(words[i])) != NULL)
			return true;
	return false;
}

static bool
is_seconds(const struct series *s)
{
	static const char *const words[] = { "gc.pause", "gc.cause.", "gc.time", "seconds" };

	for (size_t i = 0; i < sizeof words / sizeof *words && s->kind == STK_SERIES_METRIC && s->name.size > 0; i++)
		if (memmem(s->name.data, s->name.size, words[i], strlen(words[i])) != NULL)
			return true;
	return false;
}

static void
add_digits(double value, const char *unit, struct text_buffer *to)
{
	add_format(to, value < 9.995 ? "%.2f%s" : value < 99.95 ? "%.1f%s" : "%.0f%s", value, unit);
}

static void
add_bytes_of(double value, struct text_buffer *to)
{
	static const char *const letters[] = { "", "k", "M", "G", "T", "P" };
	unsigned i = 0;

	while (value >= 1000 && i < 5) {
		value /= 1024;
		i++;
	}
	add_format(to, i > 0 && value < 99.95 ? "%.1f%s" : "%.0f%s", value, letters[i]);
}

static void
add_seconds_of(double value, struct text_buffer *to)
{
	static const struct { double seconds; const char *unit; } units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "m" },
									     { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" } };
	size_t i = 0;

	while (i < 5 && value < units[i].seconds * (units[i].seconds > 1 ? 2 : 0.9995))
		i++;
	add_digits(value / units[i].seconds, units[i].unit, to);
}

void
add_number(double value, struct text_buffer *to)
{
	if (isnan(value)) {
		add_char(to, '-');
		return;
	}
	if (value < 0)
		add_char(to, '-');
	value = fabs(value);
	if (value > 0 && value < 0.001)
		add_string(to, "<0.001");
	else if (value < 1000)
		add_format(to, "%.3g", value);
	else
		add_quantity(to, value);
}

void
add_amount(const struct series *s, double value, struct text_buffer *to)
{
	bool bytes = is_bytes(s);

	value = bytes && fabs(value) < 0.5 ? 0 : value;
	if (!isfinite(value) || value == 0 || (!bytes && !is_seconds(s))) {
		add_number(value, to);
		add_string(to, s->kind == STK_SERIES_COUNTER && isfinite(value) ? "/s" : "");
		return;
	}
	if (value < 0)
		add_char(to, '-');
	if (bytes)
		add_bytes_of(fabs(value), to);
	else
		add_seconds_of(fabs(value), to);
}

static void
row_signed(struct row_printer *rows, const struct series *s, double value, bool sign)
{
	struct text_buffer text = { 0 };

	if (rows->form != ROWS_TEXT) {
		row_real(rows, value, 3);
		return;
	}
	add_string(&text, sign && value > 0 ? "+" : "");
	add_amount(s, value, &text);
	row_text(rows, text_in(&text, 0));
	array_release(&text);
}

void
row_amount(struct row_printer *rows, const struct series *s, double value)
{
	row_signed(rows, s, value, false);
}

void
row_change(struct row_printer *rows, const struct series *s, double value)
{
	row_signed(rows, s, value, true);
}

void
row_number(struct row_printer *rows, double value)
{
	static const struct series plain = { .kind = STK_SERIES_CLASS };

	row_signed(rows, &plain, value, false);
}

static bool
is_of(const struct found_change *found, const char *kind)
{
	return strcmp(found->kind, kind) == 0;
}

bool
is_new_level(const struct found_change *found)
{
	return is_of(found, "shift") || is_of(found, "drift") || is_of(found, "cost-shift") ||
	       is_of(found, "level-shift") || is_of(found, "new") || is_of(found, "gone");
}

void
add_finding(const struct series *s, const struct found_change *found, struct text_buffer *to)
{
	static const struct series threads = { .kind = STK_SERIES_CLASS };
	const struct change *c = &found->change;
	char time[TIME_TEXT_MAX];

	s = s == NULL ? &threads : s;
	if (is_of(found, "stuck")) {
		add_format(to, "for %s, %.0f dumps", duration_print(time, time_difference(c->time_ns, c->end_ns)),
			   c->score);
	} else if (is_new_level(found)) {
		add_string(to, "from ");
		add_amount(s, c->before, to);
		add_string(to, " to ");
		add_amount(s, c->after, to);
	} else {
		add_amount(s, c->value, to);
		add_string(to, ", expected ");
		add_amount(s, c->expected, to);
	}
}

/* --- time --- */

void
add_minute(int64_t time_ns, const struct time_zone *zone, struct text_buffer *to)
{
	char text[TIME_TEXT_MAX];

	(void)time_print(text, time_ns, zone);
	if (time_ns == STK_TIME_UNKNOWN || zone == time_zone_undated()) {
		add_string(to, text);
		return;
	}
	text[10] = ' ';
	add_bytes(to, text, 16);
}

void
row_minute(struct row_printer *rows, int64_t time_ns, const struct time_zone *zone)
{
	struct text_buffer text = { 0 };

	add_minute(time_ns, zone, &text);
	row_text(rows, text_in(&text, 0));
	array_release(&text);
}

static void
add_count_of(double count, const char *unit, struct text_buffer *to)
{
	add_format(to, "%.0f %s%s", count, unit, round(count) == 1 ? "" : "s");
}

void
add_distance(int64_t ns, struct text_buffer *to)
{
	double hours = (double)ns / 3.6e12;

	if (hours < 2)
		add_count_of(hours * 60, "minute", to);
	else if (hours < 48)
		add_count_of(hours, "hour", to);
	else if (hours < 24 * 730)
		add_count_of(hours / 24, "day", to);
	else
		add_count_of(hours / 24 / 365.25, "year", to);
}
