/* SPDX-License-Identifier: MIT
 * segment_table: the segments in a table, in the order of their making. */
#include "views.h"

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

static void
add_row_tsv(const struct view_of *of, uint32_t id, struct text_buffer *to)
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
	add_char(to, '\n');
}

static void
add_row_text(const struct view_of *of, uint32_t id, struct table *table)
{
	const struct segment is = segments_get(classifier_segments(of->classifier), id);
	uint64_t now, total = total_of(of, id, &now);
	size_t from = table->text.count;

	table_format(table, "%u", id);
	from = table->text.count;
	add_segment_name(of->names, id, &table->text);
	table_cell_from(table, from);
	if (is.first != 0)
		table_format(table, "%u %u", is.first, is.second);
	else
		table_format(table, "-");
	table_format(table, "%llu", (unsigned long long)now);
	table_format(table, "%llu", (unsigned long long)total);
	table_format(table, "%u", is.to - is.from);
	from = table->text.count;
	add_frames(of->classifier, id, ';', &table->text);
	table_cell_from(table, from);
}

void
view_segments(const struct view_of *of, struct text_buffer *to)
{
	uint32_t count = segments_count(classifier_segments(of->classifier));
	struct table table = { 0 };

	if (of->settings->tsv) {
		add_string(to, "segment\tname\tfirst\tsecond\tnow\ttotal\tframes\tparent");
		add_string(to, of->settings->samples.variants ? "\tvariants\n" : "\n");
		for (uint32_t id = 1; id <= count; id++)
			add_row_tsv(of, id, to);
		return;
	}
	table_column(&table, TABLE_RIGHT, "segment");
	table_column(&table, TABLE_LEFT, "name");
	table_column(&table, TABLE_LEFT, "halves");
	table_column(&table, TABLE_RIGHT, "now");
	table_column(&table, TABLE_RIGHT, "total");
	table_column(&table, TABLE_RIGHT, "depth");
	table_column(&table, TABLE_CUT, "frames, root first");
	for (uint32_t id = 1; id <= count && (of->settings->top == 0 || id <= of->settings->top); id++)
		add_row_text(of, id, &table);
	table_print(&table, of->printer);
	if (of->settings->top != 0 && count > of->settings->top)
		add_format(to, "... %lld segments more: see --top\n", (long long)(count - of->settings->top));
	table_release(&table);
}
