/* SPDX-License-Identifier: MIT
 * segment_table: the segments in a table, in the order of their making. */
#include "views.h"

#include "base/quantities.h"
#include "classify/segment_neighbours.h"
#include "report/table.h"

static uint64_t
total_of(const struct view_of *of, uint32_t id, uint64_t *now)
{
	uint64_t total = 0;

	*now = 0;
	for (uint32_t part = 0; part <= classifier_parts(of->classifier); part++) {
		total += classifier_tally(of->classifier, id, part).total;
		*now += segment_now(of->classifier, id, part);
	}
	return total;
}

/* The frames of a leaf that stand in several forms. */
static void
add_marks(const struct view_of *of, const struct segment *is, struct text_buffer *to)
{
	const struct segments *segments = classifier_segments(of->classifier);
	size_t from;

	add_char(to, '\t');
	from = to->count;
	for (uint32_t place = is->from; place < is->to && is->first == 0; place++) {
		uint32_t frame = segments_frame_at(segments, place);

		if (!frame_is_mixed(sample_intake_variants(of->intake), frame))
			continue;
		if (to->count > from)
			add_string(to, "; ");
		add_escaped(to, classifier_frame_text(of->classifier, frame));
		add_string(to, ": ");
		add_variants(of, frame, to);
	}
}

/* "4:12 0:3": the segments that stand there, and how often; 0 is the end of a stack. */
static void
add_neighbours(const struct segment_neighbours *neighbours, uint32_t id, enum segment_side side, struct text_buffer *to)
{
	size_t count;
	const struct segment_neighbour *at = segment_neighbours_of(neighbours, id, side, &count);

	add_char(to, '\t');
	for (size_t i = 0; i < count; i++)
		add_format(to, "%s%u:%llu", i > 0 ? " " : "", at[i].other, (unsigned long long)at[i].count);
}

static void
add_row_tsv(const struct view_of *of, uint32_t id, const struct segment_neighbours *neighbours, struct text_buffer *to)
{
	const struct segment is = segments_get(classifier_segments(of->classifier), id);
	uint64_t now, total = total_of(of, id, &now);

	add_format(to, "%u\t", id);
	add_segment_name(of->names, id, to);
	add_format(to, "\t%u\t%u\t%llu\t%llu\t", is.first, is.second, (unsigned long long)now,
		   (unsigned long long)total);
	add_frames(of->classifier, id, ';', to);
	add_format(to, "\t%u", is.parent);
	if (of->settings->samples.variants)
		add_marks(of, &is, to);
	add_neighbours(neighbours, id, SIDE_BEFORE, to);
	add_neighbours(neighbours, id, SIDE_AFTER, to);
	add_char(to, '\n');
}

static void
add_row_text(const struct view_of *of, uint32_t id, struct stk_text where, struct table *table)
{
	const struct segment is = segments_get(classifier_segments(of->classifier), id);
	uint64_t now, total = total_of(of, id, &now);
	size_t from;

	table_format(table, "%u", id);
	from = table->text.count;
	add_quantity(&table->text, (double)now);
	table_cell_from(table, from);
	from = table->text.count;
	add_quantity(&table->text, (double)total);
	table_cell_from(table, from);
	table_format(table, "%u", is.to - is.from);
	if (is.first != 0)
		table_format(table, "%u %u", is.first, is.second);
	else
		table_format(table, "-");
	from = table->text.count;
	add_segment_name(of->names, id, &table->text);
	table_cell_from(table, from);
	table_cell(table, where);
}

/* For people. */
static void
add_table(const struct view_of *of, uint32_t count, uint32_t shown)
{
	struct stack_labels labels = { 0 };
	struct table table = { .fair = LABEL_FAIR };

	for (uint32_t id = 1; id <= shown; id++)
		stack_labels_add_segment(&labels, of->classifier, id);
	stack_labels_make(&labels);
	table_column(&table, TABLE_RIGHT, "segment");
	table_column(&table, TABLE_RIGHT, "now");
	table_column(&table, TABLE_RIGHT, "total");
	table_column(&table, TABLE_RIGHT | TABLE_SPARE, "frames");
	table_column(&table, TABLE_LEFT | TABLE_SPARE, "halves");
	if (of->settings->names != NULL)
		table_column(&table, TABLE_CUT, "name");
	else
		table_column(&table, TABLE_LEFT | TABLE_SPARE, "name");
	table_column(&table, TABLE_CUT, "where, leaf first");
	for (uint32_t id = 1; id <= shown; id++)
		add_row_text(of, id, labels.labels.at[id - 1], &table);
	table_print(&table, of->printer);
	if (count > shown)
		printer_remark(of->printer, "%u more segment%s: --top", count - shown, plural(count - shown, "", "s"));
	table_release(&table);
	stack_labels_release(&labels);
}

void
view_segments(const struct view_of *of, struct text_buffer *to)
{
	uint32_t count = segments_count(classifier_segments(of->classifier));
	int64_t top = of->settings->top;
	struct segment_neighbours neighbours;

	if (!of->settings->tsv) {
		add_table(of, count, top == 0 || top > count ? count : (uint32_t)top);
		return;
	}
	add_string(to, "segment\tname\tfirst\tsecond\tnow\ttotal\tframes\tparent");
	add_string(to, of->settings->samples.variants ? "\tvariants" : "");
	add_string(to, "\tbefore\tafter\n");
	segment_neighbours_find(&neighbours, of->classifier);
	for (uint32_t id = 1; id <= count; id++)
		add_row_tsv(of, id, &neighbours, to);
	segment_neighbours_release(&neighbours);
}
