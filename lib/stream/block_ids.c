/* SPDX-License-Identifier: MIT
 * block_ids: values are gathered in places, each for one value or for neighbours, and the gaps between ranges are
 * closed, the smallest first, until they fit. */
#include "stream/block_ids.h"

#define PLACES      65536u
#define BYTES_SHARE 128		/* of a block: such an index makes a file less than one percent larger. Texts of */
#define BYTES_LEAST 12		/* small blocks may be longer, because neighbours have the same, which zstd finds */
#define HEAD_BYTES  4		/* at most, before a column's ranges: its number and their size */
#define RANGE_BYTES (2 * VARINT_MAX)

static bool
is_stack(const struct stk_kind_schema *kind, unsigned column)
{
	return kind->number == STK_SAMPLE && column == STK_COLUMN(sample, stack);
}

static bool
has_few_values(const struct stk_kind_schema *kind, unsigned column)
{
	const struct stk_column_schema *schema = &kind->column[column];

	return (schema->type == STK_TYPE_ID && (schema->refers == STK_THREAD || schema->refers == STK_SOURCE)) ||
	       (kind->number == STK_SAMPLE &&
		(column == STK_COLUMN(sample, event) || column == STK_COLUMN(sample, state)));
}

unsigned
block_ids_columns(const struct stk_kind_schema *kind, unsigned columns[STK_COLUMN_MAX])
{
	unsigned count = 0;

	if (kind->definition || kind->number == STK_INDEX || kind->number == STK_END)
		return 0;
	for (unsigned c = kind->columns; c-- > 0; )
		if (has_few_values(kind, c))
			columns[count++] = c;
	if (kind->number == STK_SAMPLE && STK_COLUMN(sample, stack) < kind->columns)
		columns[count++] = STK_COLUMN(sample, stack);
	return count;
}

/* Stacks have a share of their own: where threads are many there would be nothing left of one for both. */
size_t
block_ids_room(const struct stk_kind_schema *kind, unsigned column, size_t block_bytes)
{
	return (is_stack(kind, column) ? 2 : 1) * (block_bytes / BYTES_SHARE) + BYTES_LEAST;
}

/* --- gathering --- */

struct places {
	uint64_t least, most;		/* of the values */
	unsigned shift;			/* a place is for 1 << shift values */
	unsigned char taken[PLACES];	/* 0 or 1; bytes, because bits of a word would wait for one another */
};

static void
gather(struct places *p, const uint64_t *values, uint32_t rows)
{
	p->least = UINT64_MAX;
	p->most = p->shift = 0;
	for (uint32_t i = 0; i < rows; i++) {
		p->least = values[i] < p->least ? values[i] : p->least;
		p->most = values[i] > p->most ? values[i] : p->most;
	}
	while ((p->most - p->least) >> p->shift >= PLACES)
		p->shift++;
	memset(p->taken, 0, (size_t)((p->most - p->least) >> p->shift) + 1);
	for (uint32_t i = 0; i < rows; i++)
		p->taken[(values[i] - p->least) >> p->shift] = 1;
}

/* The first place from `at` on that is taken (or is not); `end` when there is none. */
static uint32_t
find_place(const struct places *p, uint32_t at, uint32_t end, bool taken)
{
	const unsigned char *found = at < end ? memchr(p->taken + at, taken, end - at) : NULL;

	return found == NULL ? end : (uint32_t)(found - p->taken);
}

/* Writes the ranges between which there are more than `gap` places. The bytes, or 0 when these are more than `room`,
 * beyond which there is room for one range more. */
static size_t
put_ranges(const struct places *p, uint32_t gap, unsigned char *to, size_t room)
{
	uint32_t end = (uint32_t)((p->most - p->least) >> p->shift) + 1, from = 0;
	unsigned char *at = to;
	uint64_t next = 0;

	while (from < end) {
		uint32_t last = find_place(p, from, end, false), following = find_place(p, last, end, true);
		uint64_t first = p->least + ((uint64_t)from << p->shift), length;

		while (following < end && following - last <= gap) {
			last = find_place(p, following, end, false);
			following = find_place(p, last, end, true);
		}
		length = ((uint64_t)(last - from) << p->shift) - 1;
		if (length > p->most - first)
			length = p->most - first;
		at = put_varint(at, first - next);
		at = put_varint(at, length);
		if ((size_t)(at - to) > room)
			return 0;
		next = first + length + 1;
		from = following;
	}
	return (size_t)(at - to);
}

void
block_ids_add(id_text *to, size_t room, unsigned column, const uint64_t *values, uint32_t rows)
{
	size_t left = room > to->count + HEAD_BYTES ? room - to->count - HEAD_BYTES : 0, size = 0;
	unsigned char *at, *ranges;
	struct places places;

	gather(&places, values, rows);
	if (places.most == UINT64_MAX)		/* no id */
		return;
	array_reserve(to, HEAD_BYTES + left + RANGE_BYTES);
	at = to->at + to->count;
	ranges = at + HEAD_BYTES;
	for (uint32_t gap = 0; size == 0 && gap <= PLACES; gap = 2 * gap + 1)
		size = put_ranges(&places, gap, ranges, left);
	if (size == 0)
		return;
	at = put_varint(put_varint(at, column), size);
	memmove(at, ranges, size);
	to->count = (size_t)(at - to->at) + size;
}

/* --- asking --- */

bool
id_ranges_next(struct id_ranges *ranges, uint64_t *first, uint64_t *last)
{
	uint64_t gap, length;

	if (ranges->at.bad || ranges->at.at == ranges->at.end)
		return false;
	gap = take_varint(&ranges->at);
	length = take_varint(&ranges->at);
	*first = ranges->next + gap;
	*last = *first + length;
	ranges->at.bad |= *first < gap || *last < *first || *last == UINT64_MAX;
	ranges->next = *last + 1;
	return !ranges->at.bad;
}

static bool
are_valid(struct id_ranges ranges)
{
	uint64_t first, last;
	bool any = false;

	while (id_ranges_next(&ranges, &first, &last))
		any = true;
	return any && !ranges.at.bad;
}

bool
id_ranges_find(struct id_ranges *ranges, struct stk_text text, unsigned column)
{
	struct cursor at = { (const unsigned char *)text.data, (const unsigned char *)text.data + text.size, false };
	bool found = false;

	while (!at.bad && at.at < at.end) {
		uint64_t number = take_varint(&at), size = take_varint(&at);
		const unsigned char *from = take_bytes(&at, (size_t)size);

		if (from == NULL || number != column)
			continue;
		*ranges = (struct id_ranges){ .at = { from, from + size, false } };
		found = true;
	}
	return found && !at.bad && are_valid(*ranges);
}

struct id_range { uint64_t first, last; };

/* The range that a value is in, or would be in front of: of `count` ascending ones. */
static size_t
find_range(const struct id_range *ranges, size_t count, uint64_t value)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].last < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
block_ids_cover(struct stk_text text, unsigned column, const uint64_t *values, uint32_t rows)
{
	ARRAY(struct id_range) ranges = { 0 };
	struct id_ranges walk;
	struct id_range range;
	bool covered = true;

	if (!id_ranges_find(&walk, text, column))
		return true;
	while (id_ranges_next(&walk, &range.first, &range.last))
		*array_push(&ranges) = range;
	for (uint32_t i = 0; i < rows && covered; i++) {
		size_t at = find_range(ranges.at, ranges.count, values[i]);

		covered = at < ranges.count && ranges.at[at].first <= values[i];
	}
	array_release(&ranges);
	return covered;
}
