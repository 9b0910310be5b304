/* SPDX-License-Identifier: MIT
 * class_table: the classes in a table, the heaviest first. */
#include "views.h"

#include "base/memory.h"
#include "classify/class_shares.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>

#define SEGMENTS_SHOWN 2

static int
by_total(const void *a, const void *b, void *context)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct class *x = classifier_get(context, i), *y = classifier_get(context, k);

	return x->total != y->total ? (x->total < y->total) - (x->total > y->total) : (i > k) - (i < k);
}

/* The frame nearest the leaf: where the class's threads are. */
static struct stk_text
leaf_frame(const struct classifier *c, uint32_t id)
{
	uint32_t parent, frame;

	classifier_stack_get(c, classifier_get(c, id)->stack, &parent, &frame);
	return classifier_frame_text(c, frame);
}

/* Month, day, hour and minute: the year is in the heading. */
static void
add_short_moment(struct text_buffer *to, int64_t time_ns, const struct time_zone *zone)
{
	char text[TIME_TEXT_MAX];

	(void)time_print(text, time_ns, zone);
	if (time_ns == STK_TIME_UNKNOWN || zone == time_zone_undated()) {
		add_string(to, text);
		return;
	}
	add_bytes(to, text + 5, 5);
	add_char(to, ' ');
	add_bytes(to, text + 11, 5);
}

/* How many segments, and the beginnings of the names of the first. */
static void
add_short_signature(const struct view_of *of, uint32_t id, struct text_buffer *to)
{
	uint32_t nodes = classifier_get(of->classifier, id)->nodes;

	add_format(to, "%u:", nodes);
	for (uint32_t i = 0; i < nodes && i < SEGMENTS_SHOWN; i++) {
		add_char(to, ' ');
		add_hex(to,
			segment_hash(classifier_segments(of->classifier),
				     classifier_signature(of->classifier, id)[i]) >>
				48,
			4);
	}
	if (nodes > SEGMENTS_SHOWN)
		add_string(to, "..");
}

static void
add_span(struct text_buffer *to, double seconds)
{
	if (seconds < 100)
		add_format(to, "%.3gs", seconds);
	else if (seconds < 6000)
		add_format(to, "%.3gm", seconds / 60);
	else if (seconds < 360000)
		add_format(to, "%.3gh", seconds / 3600);
	else
		add_format(to, "%.3gd", seconds / 86400);
}

static void
add_seconds(struct text_buffer *to, double value)
{
	if (isnan(value))
		add_char(to, '-');
	else if (isinf(value))
		add_string(to, "inf");
	else
		add_format(to, "%.6g", value);
}

static void
add_row_tsv(const struct view_of *of, uint32_t id, double share, struct text_buffer *to)
{
	const struct class *class = classifier_get(of->classifier, id);
	struct residence stay;
	bool known = class_residence(of, id, &stay);

	add_format(to, "%u\t", id);
	add_hash(to, class->name);
	add_char(to, '\t');
	add_signature(of->names, id, (struct signature_marks){ "", "", " " }, to);
	add_format(to, "\t%llu\t%llu\t%.6g\t", (unsigned long long)class_now(of->classifier, id),
		   (unsigned long long)class->total, share);
	add_moment(to, class->seen.from_ns, of->settings->zone);
	add_char(to, '\t');
	add_moment(to, class->seen.to_ns, of->settings->zone);
	add_char(to, '\t');
	add_escaped(to, classifier_part_text(of->classifier, class->part));
	add_char(to, '\t');
	add_states(to, class_states_of(sample_intake_states(of->intake), id));
	add_char(to, '\t');
	add_seconds(to, known ? stay.mean_s : NAN);
	add_char(to, '\t');
	add_seconds(to, known ? stay.rate_s : NAN);
	add_char(to, '\t');
	add_escaped(to, leaf_frame(of->classifier, id));
	add_char(to, '\n');
}

static void
add_stay(const struct view_of *of, uint32_t id, struct table *table)
{
	struct residence stay;
	size_t from = table->text.count;

	if (!class_residence(of, id, &stay) || isnan(stay.mean_s))
		add_char(&table->text, '-');
	else if (stay.mean_s <= 0)
		add_string(&table->text, "short");
	else if (isinf(stay.mean_s))
		add_string(&table->text, "no exit");
	else
		add_span(&table->text, stay.mean_s);
	table_cell_from(table, from);
}

static void
add_row_text(const struct view_of *of, uint32_t id, double share, struct stk_text where, struct table *table)
{
	const struct class *class = classifier_get(of->classifier, id);
	struct text_buffer *text = &table->text;
	size_t from;

#define CELL(add) do { from = text->count; add; table_cell_from(table, from); } while (0)
	table_format(table, "%u", id);
	CELL(add_quantity(text, (double)class_now(of->classifier, id)));
	CELL(add_quantity(text, (double)class->total));
	CELL(add_share(text, share, 1));
	add_stay(of, id, table);
	CELL(add_states(text, class_states_of(sample_intake_states(of->intake), id)));
	if (classifier_parts(of->classifier) > 0)
		table_cell(table, classifier_part_text(of->classifier, class->part));
	CELL(add_short_moment(text, class->seen.from_ns, of->settings->zone));
	CELL(add_short_moment(text, class->seen.to_ns, of->settings->zone));
	CELL(add_short_signature(of, id, text));
	CELL(add_hex(text, class->name >> 32, 8));
	table_cell(table, where);
#undef CELL
}

static void
add_count(struct text_buffer *to, unsigned long long count, const char *one, const char *many)
{
	add_format(to, "%llu %s", count, count == 1 ? one : many);
}

static void
add_heading(const struct view_of *of, uint32_t shown)
{
	const struct dump_times times = dump_sources_get(sample_intake_sources(of->intake), 0);
	const struct segments *segments = classifier_segments(of->classifier);
	struct text_buffer to = { 0 };

	add_count(&to, classifier_classes(of->classifier), "class and ", "classes and ");
	add_count(&to, segments_count(segments), "segment of ", "segments of ");
	add_count(&to, segments_frames(segments), "frame in ", "frames in ");
	add_count(&to, times.dumps, "dump", "dumps");
	if (times.range.from_ns != STK_TIME_UNKNOWN) {
		add_string(&to, ", ");
		add_moment_for_people(&to, times.range.from_ns, of->settings->zone);
		add_string(&to, " to ");
		add_moment_for_people(&to, times.range.to_ns, of->settings->zone);
	}
	if (shown == 1 && classifier_classes(of->classifier) > 1)
		add_string(&to, "; the heaviest class");
	else if (shown < classifier_classes(of->classifier))
		add_format(&to, "; the %u heaviest classes", shown);
	printer_prose(of->printer, 0, text_in(&to, 0));
	add_char(&of->printer->text, '\n');
	array_release(&to);
}

static void
columns_of(struct table *table, bool parts)
{
	table_column(table, TABLE_RIGHT, "class");
	table_column(table, TABLE_RIGHT, "now");
	table_column(table, TABLE_RIGHT, "total");
	table_column(table, TABLE_RIGHT, "share");
	table_column(table, TABLE_RIGHT | TABLE_SPARE, "stay");
	table_column(table, TABLE_LEFT | TABLE_SPARE, "states");
	if (parts)
		table_column(table, TABLE_CUT_FRONT, "part");
	table_column(table, TABLE_LEFT | TABLE_SPARE, "first seen");
	table_column(table, TABLE_LEFT | TABLE_SPARE, "last seen");
	table_column(table, TABLE_LEFT | TABLE_SPARE, "segments");
	table_column(table, TABLE_LEFT | TABLE_SPARE, "name");
	table_column(table, TABLE_CUT, "where, leaf first");
}

/* For people. */
static void
add_table(const struct view_of *of, const uint32_t *order, uint32_t count, const double *shares)
{
	struct stack_labels labels = { 0 };
	struct table table = { .fair = LABEL_FAIR };

	for (uint32_t i = 0; i < count; i++)
		stack_labels_add_class(&labels, of->classifier, order[i]);
	stack_labels_make(&labels);
	add_heading(of, count);
	columns_of(&table, classifier_parts(of->classifier) > 0);
	for (uint32_t i = 0; i < count; i++)
		add_row_text(of, order[i], shares[order[i]], labels.labels.at[i], &table);
	table_print(&table, of->printer);
	table_release(&table);
	stack_labels_release(&labels);
}

/* For programs. */
static int
add_rows(const struct view_of *of, const uint32_t *order, uint32_t count, const double *shares, struct stk_error *err)
{
	struct text_buffer *to = &of->printer->text;
	int result = 0;

	add_string(to,
		   "class\tname\tsignature\tnow\ttotal\tshare\tfirst\tlast\tpart\tstates\tstay_s\tcalls_per_s\tleaf\n");
	for (uint32_t i = 0; i < count && result == 0; i++) {
		add_row_tsv(of, order[i], shares[order[i]], to);
		result = printer_settle(of->printer, false, err);
	}
	return result;
}

int
view_classes(const struct view_of *of, struct stk_error *err)
{
	uint32_t count = classifier_classes(of->classifier), *order = mem_new(count + 1u, sizeof *order), live = 0;
	double *shares = class_shares(of->classifier);
	int64_t top = of->settings->top;
	int result = 0;

	for (uint32_t id = 1; id <= count; id++)
		if (classifier_get(of->classifier, id)->total > 0)
			order[live++] = id;
	if (of->settings->tsv) {
		result = add_rows(of, order, live, shares, err);
	} else {
		if (live > 0)
			qsort_r(order, live, sizeof *order, by_total, of->classifier);
		add_table(of, order, top == 0 || top > live ? live : (uint32_t)top, shares);
	}
	free(shares);
	free(order);
	return result;
}
