/* SPDX-License-Identifier: MIT
 * prefix_code: canonical Huffman codes. */
#include "classify/prefix_code.h"

#include "base/array.h"

#include <stdlib.h>

/* --- lengths --- */

struct leaf { uint64_t times; uint32_t symbol; };

static int
by_times(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;

	return x->times != y->times ? (x->times > y->times) - (x->times < y->times)
				    : (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

/* Two queues, of leaves and of the trees made of them, both in the order of weights: the lighter heads are joined until
 * one tree is left. Its depth. */
static unsigned
measure_depths(const struct leaf *leaves, uint32_t count, uint8_t *depths)
{
	uint32_t nodes = 2 * count - 1, leaf = 0, tree = count, made = count;
	uint64_t *weight = mem_new(nodes, sizeof *weight);
	uint32_t *parent = mem_new(nodes, sizeof *parent);
	unsigned *depth = mem_new(nodes, sizeof *depth), deepest = 0;

	for (uint32_t i = 0; i < count; i++)
		weight[i] = leaves[i].times;
	for (; made < nodes; made++)
		for (int child = 0; child < 2; child++) {
			uint32_t light =
				tree >= made || (leaf < count && weight[leaf] <= weight[tree]) ? leaf++ : tree++;

			weight[made] += weight[light];
			parent[light] = made;
		}
	for (uint32_t i = nodes - 1; i-- > 0; ) {
		depth[i] = depth[parent[i]] + 1;
		if (i < count) {
			deepest = depth[i] > deepest ? depth[i] : deepest;
			depths[i] = (uint8_t)(depth[i] < 255 ? depth[i] : 255);
		}
	}
	free(weight);
	free(parent);
	free(depth);
	return deepest;
}

void
prefix_lengths(const uint64_t *times, uint32_t count, uint8_t *lengths)
{
	ARRAY(struct leaf) leaves = { 0 };
	uint8_t *depths;

	memset(lengths, 0, count);
	for (uint32_t symbol = 0; symbol < count; symbol++)
		if (times[symbol] > 0)
			*array_push(&leaves) = (struct leaf){ times[symbol], symbol };
	if (leaves.count > 0)
		qsort(leaves.at, leaves.count, sizeof *leaves.at, by_times);
	depths = mem_new(leaves.count + 1, 1);
	if (leaves.count == 1)
		depths[0] = 1;
	/* weights that grow like Fibonacci's numbers make long codes: with the light ones made heavier they are
	 * shorter, and cost nothing that matters */
	else if (leaves.count > 1)
		while (measure_depths(leaves.at, (uint32_t)leaves.count, depths) > PREFIX_BITS_MAX)
			for (size_t i = 0; i < leaves.count; i++)
				leaves.at[i].times = leaves.at[i].times / 2 + 1;
	for (size_t i = 0; i < leaves.count; i++)
		lengths[leaves.at[i].symbol] = depths[i];
	free(depths);
	array_release(&leaves);
}

/* --- the code --- */

struct prefix_code {
	uint32_t count;
	uint8_t *lengths;
	uint32_t *codes;			/* by symbol */
	uint32_t *ordered;			/* symbols in the order of their codes */
	uint64_t first[PREFIX_BITS_MAX + 2];	/* the first code of each length */
	uint32_t from[PREFIX_BITS_MAX + 2];	/* and where its symbols begin */
};

/* Codes of each length follow those of the length before; the lengths are good when the last code is all ones, or when
 * there is but one. */
static bool
number_lengths(struct prefix_code *code)
{
	uint32_t having[PREFIX_BITS_MAX + 1] = { 0 }, used = 0;
	uint64_t next = 0;

	for (uint32_t symbol = 0; symbol < code->count; symbol++) {
		if (code->lengths[symbol] > PREFIX_BITS_MAX)
			return false;
		having[code->lengths[symbol]]++;
	}
	for (unsigned length = 1; length <= PREFIX_BITS_MAX; length++) {
		code->first[length] = next;
		code->from[length] = used;
		next = (next + having[length]) << 1;
		used += having[length];
		if (next > UINT64_C(1) << (length + 1))
			return false;
	}
	code->first[PREFIX_BITS_MAX + 1] = next;
	code->from[PREFIX_BITS_MAX + 1] = used;
	return true;
}

bool
prefix_code_open(struct prefix_code **out, const uint8_t *lengths, uint32_t count)
{
	struct prefix_code *code = *out = mem_new(1, sizeof *code);
	uint32_t at[PREFIX_BITS_MAX + 1];

	code->count = count;
	code->lengths = mem_new(count + 1u, 1);
	code->codes = mem_new(count + 1u, sizeof *code->codes);
	code->ordered = mem_new(count + 1u, sizeof *code->ordered);
	memcpy(code->lengths, lengths, count);
	if (!number_lengths(code)) {
		prefix_code_close(code);
		*out = NULL;
		return false;
	}
	memcpy(at, code->from, sizeof at);
	for (uint32_t symbol = 0; symbol < count; symbol++) {
		unsigned length = lengths[symbol];

		if (length == 0)
			continue;
		code->codes[symbol] = (uint32_t)(code->first[length] + (at[length] - code->from[length]));
		code->ordered[at[length]++] = symbol;
	}
	return true;
}

void
prefix_code_close(struct prefix_code *code)
{
	if (code == NULL)
		return;
	free(code->lengths);
	free(code->codes);
	free(code->ordered);
	free(code);
}

void
prefix_put(const struct prefix_code *code, struct bit_writer *to, uint32_t symbol)
{
	to->held = to->held << code->lengths[symbol] | code->codes[symbol];
	to->bits += code->lengths[symbol];
	while (to->bits >= 8) {
		to->bits -= 8;
		*array_push(to) = (unsigned char)(to->held >> to->bits);
	}
}

void
bits_end(struct bit_writer *to)
{
	if (to->bits > 0)
		*array_push(to) = (unsigned char)(to->held << (8 - to->bits));
	to->bits = 0;
	to->held = 0;
}

bool
prefix_take(const struct prefix_code *code, struct bit_reader *from, uint32_t *symbol)
{
	uint64_t value = 0;

	for (unsigned length = 1; length <= PREFIX_BITS_MAX; length++) {
		if (from->bits == 0) {
			if (from->at == from->end)
				return false;
			from->held = *from->at++;
			from->bits = 8;
		}
		value = value << 1 | (from->held >> --from->bits & 1);
		if (value >= code->first[length] &&
		    value - code->first[length] < code->from[length + 1] - code->from[length]) {
			*symbol = code->ordered[code->from[length] + (uint32_t)(value - code->first[length])];
			return true;
		}
	}
	return false;
}
