/* SPDX-License-Identifier: MIT
 * heat_page: head, style, controls, what the map needs at once, the script, and then the fine blocks, so that the first
 * picture does not wait for them. The script has no data in it: its hash, which the page's policy names, is made
 * when the program is built (scripts/embed-page).
 *
 * Of blocks beside the page, block `x` tells where they are, in varints: how many fine cells one of the middle has;
 * then of the fine blocks and of those of the middle how many there are, and of each: cells left out before it, its
 * cells, runs, sum, bytes, and their Adler-32. Of a recording beside the page it is what heat_tree writes. */
#include "plot/heat_page.h"

#include "plot/heat_names.h"
#include "plot/page_text.h"

#include <zlib.h>

/* written by scripts/embed-page */
extern const struct page_source heat_page_source, heat_beside_page_source, heat_tree_page_source;

#define FRAME_REST 4000 /* head, numbers, tags */
#define BLOCK_REST 120 /* the tags and the numbers of a fine block */

static const struct page_source *
source_of(enum heat_place place)
{
	return place == HEAT_RECORDING ? &heat_tree_page_source
	       : place == HEAT_BESIDE  ? &heat_beside_page_source
				       : &heat_page_source;
}

uint64_t
heat_page_frame_bytes(bool plain, enum heat_place place)
{
	return page_bytes_without_data(source_of(place), plain) + FRAME_REST +
	       (place != HEAT_INSIDE ? 0 : 50 * BLOCK_REST);
}

static void
add_blocks(struct text_buffer *to, const struct heat_parts *parts)
{
	add_string(to, ",\"blocks\":[");
	for (size_t i = 0; i < parts->fine.count; i++) {
		const struct heat_part *part = &parts->fine.at[i];

		add_format(to, "%s[%u,%u,%u,%llu]", i > 0 ? "," : "", part->first, part->cells, part->runs,
			   (unsigned long long)part->sum);
	}
	add_string(to, "]");
}

static void
add_places(struct text_buffer *to, const struct text_buffer *bytes, const struct heat_part_list *list)
{
	uint32_t end = 0;

	heat_add_varint(to, list->count);
	for (size_t i = 0; i < list->count; i++) {
		const struct heat_part *part = &list->at[i];
		const Bytef *from = (const Bytef *)bytes->at + part->begin;

		heat_add_varint(to, part->first - end);
		heat_add_varint(to, part->cells);
		heat_add_varint(to, part->runs);
		heat_add_varint(to, part->sum);
		heat_add_varint(to, part->end - part->begin);
		heat_add_varint(to, adler32(1, from, (uInt)(part->end - part->begin)));
		end = part->first + part->cells;
	}
}

static void
add_beside(struct text_buffer *to, const struct heat_parts *parts, bool plain_page)
{
	struct text_buffer plain = { 0 }, block = { 0 };

	heat_add_varint(&plain, parts->middle_times);
	add_places(&plain, &parts->bytes, &parts->fine);
	add_places(&plain, &parts->bytes, &parts->middle);
	heat_add_deflated(&block, HEAT_PLACES, &plain);
	page_add_block(to, "x", text_in(&block, 0), plain_page);
	array_release(&plain);
	array_release(&block);
}

/* Numbers for the script. Nanoseconds are texts: they do not fit into its numbers. */
static void
add_facts(struct text_buffer *to, const struct heat_parts *parts, const struct heat_page_options *options)
{
	page_begin_facts(to);
	add_format(to, ",\"t0\":\"%lld\",\"cell\":%lld,\"cells\":%u,\"first\":%u", (long long)parts->begin_ns,
		   (long long)parts->cell_ns, parts->cells, parts->first_used);
	add_format(to, ",\"each\":%llu,\"sum\":%llu,\"rows\":%u", (unsigned long long)parts->unit,
		   (unsigned long long)parts->sum, parts->rows);
	add_format(to, ",\"level\":[%u,%u],\"totals\":[%u,%u]", parts->level_times, parts->level_cells,
		   parts->totals_times, parts->totals);
	add_format(to, ",\"other\":[%llu,%llu],\"wanted\":%lld,\"whole\":%.0f,\"untimed\":%llu",
		   (unsigned long long)parts->other_rows, (unsigned long long)parts->other_sum,
		   (long long)parts->wanted_cell_ns, parts->whole_bytes, (unsigned long long)options->untimed);
	add_format(to, ",\"monotonic\":%s", options->monotonic ? "true" : "false");
	if (options->from_ns != INT64_MIN)
		add_format(to, ",\"from\":\"%lld\"", (long long)options->from_ns);
	if (options->to_ns != INT64_MAX)
		add_format(to, ",\"to\":\"%lld\"", (long long)options->to_ns);
	page_add_field(to, "title", options->title);
	page_add_field(to, "zone", options->zone);
	page_add_field(to, "unit", options->unit);
	page_add_field(to, "command", options->command);
	if (options->samples)
		add_string(to, ",\"samples\":true");
	if (options->scheme != NULL)
		page_add_field(to, "scheme", options->scheme);
	page_add_palette(to, options->palette);
	page_add_states(to);
	if (options->beside == NULL) {
		add_blocks(to, parts);
	} else {
		page_add_field(to, "beside", options->beside);
		add_format(to, ",\"besideFrom\":%zu,\"besideBytes\":%llu", strlen(HEAT_BESIDE_HEAD),
			   parts->place == HEAT_RECORDING
				   ? (unsigned long long)options->beside_bytes
				   : (unsigned long long)(strlen(HEAT_BESIDE_HEAD) + parts->bytes.count));
	}
	page_end_facts(to);
}

void
heat_page_add(struct text_buffer *to, const struct heat_parts *parts, const struct heat_page_options *options)
{
	const struct page_source *source = source_of(parts->place);

	page_add_head(to, source, options->title);
	add_facts(to, parts, options);
	page_add_probe(to, options->plain);
	page_add_block(to, "s", text_in(&parts->total_block, 0), options->plain);
	page_add_block(to, "n", text_in(&parts->names, 0), options->plain);
	page_add_block(to, "l", text_in(&parts->level, 0), options->plain);
	if (parts->place == HEAT_BESIDE)
		add_beside(to, parts, options->plain);
	else if (parts->place == HEAT_RECORDING)
		page_add_block(to, "x", options->places, options->plain);
	page_add_script(to, source, options->plain);
	for (size_t i = 0; i < parts->fine.count && parts->place == HEAT_INSIDE; i++) {
		const struct heat_part *part = &parts->fine.at[i];
		char id[24] = "f";
		struct text_buffer digits = { 0 };

		add_unsigned(&digits, i);
		memcpy(id + 1, digits.at, digits.count);
		id[1 + digits.count] = '\0';
		array_release(&digits);
		page_add_block(to, id, text_of(parts->bytes.at + part->begin, part->end - part->begin), options->plain);
	}
}
