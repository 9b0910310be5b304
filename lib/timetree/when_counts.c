/* SPDX-License-Identifier: MIT
 * when_counts: one part after the other goes through the same column, as the blocks of a comparison do. */
#include "timetree/when_counts.h"

#include "base/memory.h"
#include "choose/function_sums.h"

#include <stdlib.h>

static void
add_part(struct when_counts *when, unsigned part, struct call_tree *tree, struct when_options options)
{
	size_t rows = options.names ? tree->names.texts.count + 1 : tree->nodes.count;
	uint64_t *sums = options.names ? function_sums(tree, options.column) : NULL;

	array_lengthen(&when->counts, rows * WHEN_PARTS);
	for (uint32_t row = 0; row < rows; row++) {
		uint64_t count = row == 0	 ? call_tree_self(tree, 0)[options.column]
				 : options.names ? sums[2 * (size_t)row + 1]
						 : call_tree_total(tree, row)[options.column];

		when->counts.at[(size_t)row * WHEN_PARTS + part] = (float)count;
	}
	free(sums);
	for (uint32_t n = 0; n < tree->nodes.count; n++)
		call_tree_self(tree, n)[options.column] = 0;
}

/* The part of the windows from `from` to `to`, as if they touched one another. */
static int
count_part(struct recording *const *recordings, size_t count, const struct tree_interval *windows,
	   size_t windows_count, uint64_t from, uint64_t to, struct answer *ignored, struct stk_error *err)
{
	uint64_t done = 0;

	for (size_t w = 0; w < windows_count; w++) {
		uint64_t length = (uint64_t)windows[w].to - (uint64_t)windows[w].from;
		uint64_t first = from > done ? from - done : 0, last = to > done ? to - done : 0;
		struct tree_interval part = { (int64_t)((uint64_t)windows[w].from + first),
					      (int64_t)((uint64_t)windows[w].from + (last < length ? last : length)) };

		done += length;
		if (first >= length || part.from >= part.to)
			continue;
		for (size_t i = 0; i < count; i++)
			if (recording_count(recordings[i], part, ignored, err) < 0)
				return -1;
	}
	return 0;
}

int
when_counts_make(struct when_counts *out, struct recording *const *recordings, size_t count,
		 const struct tree_interval *windows, size_t windows_count, struct call_tree *tree,
		 struct when_options options, struct stk_error *err)
{
	uint64_t whole = 0;
	struct answer ignored = { 0 };
	struct answer_bounds known;

	*out = (struct when_counts){ 0 };
	for (size_t w = 0; w < windows_count; w++)
		whole += (uint64_t)windows[w].to - (uint64_t)windows[w].from;
	if (whole == 0)
		return 0;
	out->length_ns = whole / WHEN_PARTS + (whole % WHEN_PARTS != 0);
	for (unsigned part = 0; part < WHEN_PARTS; part++) {
		uint64_t from = whole / WHEN_PARTS * part + whole % WHEN_PARTS * part / WHEN_PARTS;
		uint64_t to = whole / WHEN_PARTS * (part + 1) + whole % WHEN_PARTS * (part + 1) / WHEN_PARTS;

		if (count_part(recordings, count, windows, windows_count, from, to, &ignored, err) < 0 ||
		    recordings_grow(recordings, count, (struct growth_limits){ 0 }, tree, options.column, &ignored,
				    err) < 0 ||
		    recordings_grow_bounds(recordings, count, tree, options.column, 0, &known, err) < 0)
			return -1;
		add_part(out, part, tree, options);
	}
	return 0;
}

void
when_counts_release(struct when_counts *when)
{
	array_release(&when->counts);
}
