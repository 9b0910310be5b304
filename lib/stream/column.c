/* SPDX-License-Identifier: MIT
 * column: words to bytes and back, as FORMAT.md section 3 says. */
#include "stream/column.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <stdlib.h>

enum { CODE_LAST, CODE_BEFORE, CODE_LISTED };	/* of SAME */

void
column_scratch_release(struct column_scratch *scratch)
{
	free(scratch->numbers);
	free(scratch->ranks);
	free(scratch->order);
	free(scratch->seen);
	free(scratch->frequency);
	free(scratch->codes);
	free(scratch->dictionary);
	free(scratch->bytes);
	*scratch = (struct column_scratch){ 0 };
}

/* `old`, or a new one, somewhat larger, when that has no room for `count` elements; the content is lost. */
static void *
with_room(void *old, size_t *room, size_t count, size_t size)
{
	if (count <= *room)
		return old;
	free(old);
	*room = count + count / 4;
	return mem_new(*room, size);
}

#define ROOM(scratch, array, count) \
	((scratch)->array = with_room((scratch)->array, &(scratch)->array##_room, (count), sizeof *(scratch)->array))

/* The key of a row: two columns are mixed so that small ids of both are far apart. */
static inline unsigned
key_of(const struct column_coding *coding, const column_keys keys, uint32_t row)
{
	uint64_t key = coding->keys > 0 ? keys[0][row] : 0;

	if (coding->keys > 1)
		key += keys[1][row] * 40503;
	return (unsigned)(key % COLUMN_KEYS);
}

/* A small block does not look at all keys there may be: most have no row, and their memory was never touched. */
static bool
has_few_rows(const struct column_scratch *scratch, uint32_t rows)
{
	return rows < scratch->keys / 64;
}

/* The memory of each key is 0 at the start of each column. Keys are mostly small ids: then there is little to clear. */
static void
forget_keys(const struct column_coding *coding, const column_keys keys, uint32_t rows, struct column_scratch *scratch)
{
	uint64_t most = 0;

	if (coding->keys == 1)
		for (uint32_t i = 0; i < rows; i++)
			most = keys[0][i] > most ? keys[0][i] : most;
	scratch->keys = coding->keys == 0                         ? 1
			: coding->keys > 1 || most >= COLUMN_KEYS ? COLUMN_KEYS
								  : (unsigned)most + 1;
	if (scratch->seen == NULL)
		scratch->seen = mem_new(COLUMN_KEYS, sizeof *scratch->seen);
	if (has_few_rows(scratch, rows))
		for (uint32_t i = 0; i < rows; i++)
			scratch->seen[key_of(coding, keys, i)] = (struct column_seen){ 0 };
	else
		memset(scratch->seen, 0, scratch->keys * sizeof *scratch->seen);
}

static int
compare_numbers(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return (first > second) - (first < second);
}

/* To scratch->ranks: the key of each row, and the row below it, in their order. */
static void
sort_few(const struct column_coding *coding, const column_keys keys, uint32_t rows, struct column_scratch *scratch)
{
	ROOM(scratch, ranks, rows);
	for (uint32_t i = 0; i < rows; i++)
		scratch->ranks[i] = (uint64_t)key_of(coding, keys, i) << 32 | i;
	qsort(scratch->ranks, rows, sizeof *scratch->ranks, compare_numbers);
}

/* Rows in the order of their keys, rows of one key in their own order: a counting sort. */
static void
order_by_key(const struct column_coding *coding, const column_keys keys, uint32_t rows, struct column_scratch *scratch)
{
	uint64_t sum = 0;

	ROOM(scratch, order, rows);
	forget_keys(coding, keys, rows, scratch);
	if (has_few_rows(scratch, rows)) {
		sort_few(coding, keys, rows, scratch);
		for (uint32_t i = 0; i < rows; i++)
			scratch->order[i] = (uint32_t)scratch->ranks[i];
		return;
	}
	for (uint32_t i = 0; i < rows; i++)
		scratch->seen[key_of(coding, keys, i)].last++;
	for (unsigned key = 0; key < scratch->keys; key++) {
		uint64_t count = scratch->seen[key].last;

		scratch->seen[key].last = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < rows; i++)
		scratch->order[scratch->seen[key_of(coding, keys, i)].last++] = i;
	memset(scratch->seen, 0, scratch->keys * sizeof *scratch->seen);
}

/* --- planes --- */

/* Compiled twice, the second time for processors with wider registers; which one runs is decided when the program
 * starts, by the C library, as musl does not. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__)
#define WIDE_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define WIDE_CLONES
#endif

static size_t
packed_size(unsigned bits, size_t count)
{
	return (count * bits + 7) / 8;
}

static size_t
planes_size(const struct column_coding *coding, size_t count)
{
	if (coding->packed == COLUMN_WHOLE)
		return count * coding->low;
	return count * coding->low + packed_size(coding->packed, count) + count * coding->high;
}

static uint32_t
numbers_of(const struct column_coding *coding, uint32_t rows)
{
	return coding->prediction == STK_SAME ? coding->listed : rows;
}

size_t
column_size(const struct column_coding *coding, uint32_t rows)
{
	size_t codes = coding->prediction == STK_SAME ? packed_size(2, rows) : 0;

	return codes + coding->dictionary_bytes + coding->dictionary + planes_size(coding, numbers_of(coding, rows));
}

unsigned
column_parts(const struct column_coding *coding, uint32_t rows, size_t parts[COLUMN_PARTS_MAX])
{
	uint32_t count = numbers_of(coding, rows);
	unsigned used = 0;

	if (coding->prediction == STK_SAME)
		parts[used++] = packed_size(2, rows);
	if (coding->dictionary > 0) {
		parts[used++] = coding->dictionary_bytes;
		parts[used++] = coding->dictionary;
	}
	if (coding->packed == COLUMN_WHOLE) {
		parts[used++] = (size_t)count * coding->low;
		return used;
	}
	for (unsigned plane = 0; plane < coding->low; plane++)
		parts[used++] = count;
	if (coding->packed != 0)
		parts[used++] = packed_size(coding->packed, count);
	for (unsigned plane = 0; plane < coding->high; plane++)
		parts[used++] = count;
	return used;
}

static inline unsigned char *
put_plane(unsigned char *to, const uint64_t *numbers, size_t count, unsigned shift)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (unsigned char)(numbers[i] >> shift);
	return to + count;
}

static unsigned char *
put_packed(unsigned char *to, const uint64_t *numbers, size_t count, unsigned shift, unsigned bits)
{
	unsigned mask = (1u << bits) - 1;
	size_t size = packed_size(bits, count);

	memset(to, 0, size);
	for (size_t i = 0; i < count; i++)
		to[i * bits / 8] |= (unsigned char)(((unsigned)(numbers[i] >> shift) & mask) << (i * bits % 8));
	return to + size;
}

static void
put_whole(unsigned char *to, const uint64_t *numbers, size_t count, unsigned bytes)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned byte = 0; byte < bytes; byte++)
			*to++ = (unsigned char)(numbers[i] >> 8 * byte);
}

WIDE_CLONES static void
put_planes(const struct column_coding *coding, unsigned char *to, const uint64_t *numbers, size_t count)
{
	unsigned above = 8 * coding->low + coding->packed;

	if (coding->packed == COLUMN_WHOLE) {
		put_whole(to, numbers, count, coding->low);
		return;
	}
	for (unsigned plane = 0; plane < coding->low; plane++)
		to = put_plane(to, numbers, count, 8 * plane);
	if (coding->packed != 0)
		to = put_packed(to, numbers, count, 8 * coding->low, coding->packed);
	for (unsigned plane = 0; plane < coding->high && above + 8 * plane < 64; plane++)
		to = put_plane(to, numbers, count, above + 8 * plane);
}

/* Rows are put together in runs that stay in the processor's first cache while plane after plane is added; a multiple
 * of 8, so that packed planes begin at a byte. */
#define RUN 1024

static inline void
take_plane(const unsigned char *from, uint64_t *numbers, size_t count, unsigned shift)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] |= (uint64_t)from[i] << shift;
}

static inline void
take_packed(const unsigned char *from, uint64_t *numbers, size_t count, unsigned shift, unsigned bits)
{
	unsigned mask = (1u << bits) - 1, each = 8 / bits;
	size_t i = 0;

	for (; i + each <= count; i += each, from++)
		for (unsigned j = 0; j < each; j++)
			numbers[i + j] |= (uint64_t)(*from >> j * bits & mask) << shift;
	for (unsigned j = 0; i < count; i++, j++)
		numbers[i] |= (uint64_t)(*from >> j * bits & mask) << shift;
}

/* The low planes of a run: what is most common in one pass. */
static inline void
take_low(const unsigned char *from, uint64_t *numbers, size_t count, size_t plane_bytes, unsigned planes)
{
	const unsigned char *second = from + plane_bytes, *third = second + plane_bytes;
	unsigned plane = planes > 3 ? 3 : planes;

	if (plane == 0)
		memset(numbers, 0, count * sizeof *numbers);
	else if (plane == 1)
		for (size_t i = 0; i < count; i++)
			numbers[i] = from[i];
	else if (plane == 2)
		for (size_t i = 0; i < count; i++)
			numbers[i] = from[i] | (uint64_t)second[i] << 8;
	else
		for (size_t i = 0; i < count; i++)
			numbers[i] = from[i] | (uint64_t)second[i] << 8 | (uint64_t)third[i] << 16;
	for (; plane < planes; plane++)
		take_plane(from + plane * plane_bytes, numbers, count, 8 * plane);
}

/* Eight bytes at a time, of which some belong to the next numbers; for the last ones there are no eight. */
static void
take_whole(const unsigned char *from, uint64_t *numbers, size_t count, unsigned bytes)
{
	size_t fast = bytes == 0 || count * bytes < 8 ? 0 : (count * bytes - 8) / bytes + 1, i = 0;
	uint64_t mask = bytes == 0 ? 0 : UINT64_MAX >> (64 - 8 * bytes);

	for (; i < fast; i++, from += bytes)
		numbers[i] = load64(from) & mask;
	for (; i < count; i++) {
		uint64_t number = 0;

		for (unsigned byte = 0; byte < bytes; byte++)
			number |= (uint64_t)*from++ << 8 * byte;
		numbers[i] = number;
	}
}

WIDE_CLONES static void
take_planes(const struct column_coding *coding, const unsigned char *from, uint64_t *numbers, size_t count)
{
	unsigned above = 8 * coding->low + coding->packed;
	const unsigned char *packed = from + coding->low * count;
	const unsigned char *high = packed + packed_size(coding->packed, count);

	if (coding->packed == COLUMN_WHOLE) {
		take_whole(from, numbers, count, coding->low);
		return;
	}
	for (size_t run = 0; run < count; run += RUN) {
		size_t rows = count - run < RUN ? count - run : RUN;

		take_low(from + run, numbers + run, rows, count, coding->low);
		if (coding->packed != 0)
			take_packed(packed + run * coding->packed / 8, numbers + run, rows, 8 * coding->low,
				    coding->packed);
		for (unsigned plane = 0; plane < coding->high && above + 8 * plane < 64; plane++)
			take_plane(high + plane * count + run, numbers + run, rows, above + 8 * plane);
	}
}

/* --- choosing the planes: the layout whose planes, each coded by itself, would take the fewest bits; judged by some of
 * the numbers --- */

#define JUDGED 1024
#define LAYOUTS_JUDGED 3	/* how many of the best are tried */

/* count * log2(count) in 1/256 bits, in integers, so that every machine makes the same choice. */
static uint32_t count_logs[JUDGED + 1];

__attribute__((constructor)) static void
count_logs_fill(void)
{
	for (uint32_t count = 1; count <= JUDGED; count++) {
		uint64_t x = (uint64_t)count << 32;
		uint32_t log = 0;

		while (x >= UINT64_C(2) << 32) {
			x >>= 1;
			log += 256;
		}
		/* squaring gives one binary digit of the logarithm after another */
		for (uint32_t bit = 128; bit != 0; bit >>= 1) {
			x = (x >> 16) * (x >> 16);
			if (x >= UINT64_C(2) << 32) {
				x >>= 1;
				log += bit;
			}
		}
		count_logs[count] = count * log;
	}
}

/* Bits, in 1/256, that `count` symbols with these frequencies take: their entropy, but a whole bit each at least where
 * they are not nearly all the same, because that is what zstd's Huffman codes take. */
static uint32_t
plane_cost(const uint16_t frequency[256], uint32_t count)
{
	uint32_t cost = count_logs[count], most = 0;

	for (unsigned symbol = 0; symbol < 256; symbol++) {
		cost -= count_logs[frequency[symbol]];
		if (frequency[symbol] > most)
			most = frequency[symbol];
	}
	if (most == count)
		return 0;
	if (most > count - count / 16)
		return cost + cost / 2;		/* sequences of matches: they cost more than their entropy, less than a
						 * bit each */
	return cost < count * 256 ? count * 256 : cost;
}

/* The cost of the plane of `bits` bits a number, 8 / bits numbers a byte, at `shift`. */
static uint32_t
judged_plane_cost(const uint64_t *numbers, uint32_t count, unsigned shift, unsigned bits)
{
	uint16_t frequency[256] = { 0 };
	unsigned mask = (1u << bits) - 1, numbers_a_byte = 8 / bits;
	uint32_t symbols = count / numbers_a_byte;

	for (uint32_t s = 0; s < symbols; s++, numbers += numbers_a_byte) {
		unsigned symbol = 0;

		for (unsigned i = 0; i < numbers_a_byte; i++)
			symbol |= ((unsigned)(numbers[i] >> shift) & mask) << i * bits;
		frequency[symbol]++;
	}
	return symbols == 0 ? 0 : plane_cost(frequency, symbols);
}

/* The same of bytes. */
static uint32_t
judged_bytes_cost(const uint64_t *numbers, uint32_t count, unsigned shift)
{
	uint16_t frequency[256] = { 0 };

	for (uint32_t i = 0; i < count; i++)
		frequency[numbers[i] >> shift & 255]++;
	return count == 0 ? 0 : plane_cost(frequency, count);
}

/* Some of the numbers, in runs of 64 so that neighbours which share a byte are neighbours here. */
static uint32_t
judged_numbers(const uint64_t *numbers, size_t count, uint64_t judged[JUDGED])
{
	size_t runs = JUDGED / 64;

	if (count <= JUDGED) {
		for (size_t i = 0; i < count; i++)
			judged[i] = numbers[i];
		return (uint32_t)count;
	}
	for (size_t run = 0; run < runs; run++)
		memcpy(judged + run * 64, numbers + (count - 64) / (runs - 1) * run, 64 * sizeof *judged);
	return JUDGED;
}

/* Inserts a layout into the best ones, best first, of which `most` are kept. */
static unsigned
keep_layout(struct column_layout *layouts, unsigned count, unsigned most, struct column_layout layout)
{
	unsigned at = count;

	while (at > 0 && layouts[at - 1].cost > layout.cost)
		at--;
	if (at == most)
		return count;
	if (count == most)
		count--;
	memmove(layouts + at + 1, layouts + at, (count - at) * sizeof *layouts);
	layouts[at] = layout;
	return count + 1;
}

static unsigned
bits_of(const uint64_t *numbers, uint32_t count)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < count; i++)
		all |= numbers[i];
	return all == 0 ? 0 : 64 - (unsigned)__builtin_clzll(all);
}

/* The same plane of bytes belongs to many layouts: its cost is judged once. */
struct byte_planes { bool known[64]; uint32_t cost[64]; };	/* by shift */

static uint32_t
byte_plane_cost(struct byte_planes *planes, const uint64_t *numbers, uint32_t count, unsigned shift)
{
	if (!planes->known[shift])
		planes->cost[shift] = judged_bytes_cost(numbers, count, shift);
	planes->known[shift] = true;
	return planes->cost[shift];
}

/* Adds the best `most` layouts for these numbers. */
static unsigned
judge_layouts(const uint64_t *numbers, uint32_t count, bool dictionary, unsigned most, struct column_layout *layouts)
{
	static const unsigned choices[] = { 0, 1, 2, 4 };
	struct byte_planes planes = { 0 };
	uint64_t judged[JUDGED];
	uint32_t judged_count = judged_numbers(numbers, count, judged), low_cost = 0;
	unsigned bits, kept = 0;

	bits = bits_of(numbers, count);
	for (unsigned low = 0; low <= (bits + 7) / 8; low++) {
		if (low > 0)
			low_cost += byte_plane_cost(&planes, judged, judged_count, 8 * (low - 1));
		for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
			struct column_layout layout = { low, choices[c], 0, dictionary, low_cost };
			unsigned above = 8 * low + layout.packed;

			layout.high = above >= bits ? 0 : (bits - above + 7) / 8;
			if (above >= bits + 8 || above > 64 || (above == 64 && layout.high > 0))
				continue;
			if (layout.packed != 0)
				layout.cost += judged_plane_cost(judged, judged_count, 8 * low, layout.packed);
			for (unsigned plane = 0; plane < layout.high; plane++)
				layout.cost += byte_plane_cost(&planes, judged, judged_count, above + 8 * plane);
			/* each plane has a header of its own: prefer fewer at equal cost */
			layout.cost += 256 * (low + (layout.packed != 0) + layout.high);
			kept = keep_layout(layouts, kept, most, layout);
		}
	}
	return kept;
}

/* --- choosing the scale --- */

static bool
all_multiples(const uint64_t *values, size_t count, uint64_t of)
{
	/* a division by a constant becomes a multiplication: hence one loop for each */
#define EACH(constant) \
	case constant: \
		for (size_t i = 0; i < count; i++) \
			if ((int64_t)values[i] % (int64_t)constant != 0) \
				return false; \
		return true;
	switch (of) {
	EACH(1000000000) EACH(100000000) EACH(10000000) EACH(1000000) EACH(100000) EACH(10000) EACH(1000)
	}
#undef EACH
	return false;
}

/* The largest power of ten from 10^3 to 10^9, else power of two, that divides all values (less the base, which PLAIN
 * may have). */
static uint64_t
choose_scale(const uint64_t *values, size_t count)
{
	uint64_t all = 0;
	unsigned zeros;

	for (size_t i = 0; i < count; i++)
		all |= values[i];
	if (all == 0)
		return 1;
	zeros = (unsigned)__builtin_ctzll(all);
	for (uint64_t ten = 1000000000; ten >= 1000; ten /= 10)		/* 10^k has k factors of two */
		if (zeros >= (unsigned)__builtin_ctzll(ten) && all_multiples(values, count, ten))
			return ten;
	return zeros >= 2 && zeros < 32 ? UINT64_C(1) << zeros : 1;
}

/* --- predictions, encoding --- */

/* Division of what is a multiple: the factors of two are shifted out, and the rest is multiplied by its inverse modulo
 * 2^64, which is many times as fast as to divide. */
struct divisor { unsigned shift; uint64_t inverse; };

static struct divisor
divisor_of(uint64_t scale)
{
	struct divisor by = { (unsigned)__builtin_ctzll(scale), 1 };
	uint64_t odd = scale >> by.shift;

	for (unsigned bits = 1; bits < 64; bits *= 2)		/* Newton: each step doubles the bits that are right */
		by.inverse *= 2 - odd * by.inverse;
	return by;
}

static inline int64_t
divided(uint64_t multiple, struct divisor by)
{
	return (int64_t)((uint64_t)((int64_t)multiple >> by.shift) * by.inverse);
}

WIDE_CLONES static void
residuals_plain(struct column_coding *coding, const uint64_t *values, uint32_t rows, uint64_t *to)
{
	int64_t least = (int64_t)values[0], most = least;
	struct divisor by;

	for (uint32_t i = 1; i < rows; i++) {
		least = (int64_t)values[i] < least ? (int64_t)values[i] : least;
		most = (int64_t)values[i] > most ? (int64_t)values[i] : most;
	}
	/* the base helps only when it saves a byte or a sign */
	coding->base = least < 0 || most - least < most / 2 ? (uint64_t)least : 0;
	if ((uint64_t)most - (uint64_t)least > INT64_MAX ||
	    (coding->base != 0 && coding->scale != 1 && least % (int64_t)coding->scale != 0))
		coding->scale = 1;
	by = divisor_of(coding->scale);
	for (uint32_t i = 0; i < rows; i++)
		to[i] = coding->scale == 1 ? values[i] - coding->base : (uint64_t)divided(values[i] - coding->base, by);
}

static void
residuals_step(struct column_coding *coding, const uint64_t *values, uint32_t rows, uint64_t *to)
{
	uint64_t previous = coding->base = values[0];
	struct divisor by = divisor_of(coding->scale);

	for (uint32_t i = 0; i < rows; i++) {		/* `to` may be `values` */
		uint64_t value = values[i];

		to[i] = zigzag(divided(value - previous, by));
		previous = value;
	}
}

/* How far before its own row's id an id is. */
static void
residuals_back(const struct column_coding *coding, const uint64_t *values, uint32_t rows, uint64_t *to)
{
	for (uint32_t i = 0; i < rows; i++)
		to[i] = coding->base + i - values[i];
}

static void
residuals_by(const struct column_coding *coding, const uint64_t *values, const column_keys keys, uint32_t rows,
	     uint64_t *to, struct column_seen *seen)
{
	struct divisor by = divisor_of(coding->scale);
	uint64_t step = 0;

	for (uint32_t i = 0; i < rows; i++) {
		uint64_t *mine = &seen[key_of(coding, keys, i)].last;
		uint64_t difference = values[i] - *mine;

		to[i] = zigzag(divided(difference - step, by));
		if (coding->prediction == STK_BYSTEP)
			step = difference;
		*mine = values[i];
	}
}

/* Codes to scratch->codes, listed values to scratch->numbers. Without branches, because codes cannot be predicted. */
static void
residuals_same(struct column_coding *coding, const uint64_t *values, const column_keys keys, uint32_t rows,
	       struct column_scratch *scratch)
{
	uint32_t listed = 0;
	unsigned codes = 0;

	if (coding->grouped)
		order_by_key(coding, keys, rows, scratch);
	else
		forget_keys(coding, keys, rows, scratch);
	ROOM(scratch, codes, packed_size(2, rows));
	for (uint32_t i = 0; i < rows; i++) {
		uint32_t row = coding->grouped ? scratch->order[i] : i;
		struct column_seen *seen = &scratch->seen[key_of(coding, keys, row)];
		uint64_t value = values[row], last = seen->last, before = seen->before;
		unsigned code = value == last ? CODE_LAST : value == before ? CODE_BEFORE : CODE_LISTED;

		scratch->numbers[listed] = value;
		listed += code == CODE_LISTED;
		seen->before = code == CODE_LAST ? before : last;
		seen->last = value;
		codes |= code << 2 * (i % 4);
		if (i % 4 == 3 || i + 1 == rows) {
			scratch->codes[i / 4] = (unsigned char)codes;
			codes = 0;
		}
	}
	coding->listed = listed;
	scratch->count = coding->listed;
}

/* Listed values that mostly grow (new ids) are smaller as differences. */
static bool
grows(const uint64_t *values, uint32_t count)
{
	uint32_t near = 0;

	for (uint32_t i = 1; i < count; i++)
		near += values[i] - values[i - 1] < 64;
	return count > 1 && near > count / 2;
}

static void
encode_listed(struct column_coding *coding, struct column_scratch *scratch)
{
	uint32_t count = coding->listed;

	coding->scale = 1;
	coding->listed_step = grows(scratch->numbers, count);
	if (count == 0)
		return;
	if (coding->listed_step)
		residuals_step(coding, scratch->numbers, count, scratch->numbers);
	else
		residuals_plain(coding, scratch->numbers, count, scratch->numbers);
}

/* Values so large that a difference of differences could leave 63 bits: then no scale, whose division has a sign. */
static bool
are_far(const uint64_t *values, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++)
		if ((int64_t)values[i] > INT64_MAX / 4 || (int64_t)values[i] < INT64_MIN / 4)
			return true;
	return false;
}

static void
encode_all(struct column_coding *coding, const uint64_t *values, const column_keys keys, uint32_t rows,
	   struct column_scratch *scratch)
{
	coding->scale = choose_scale(values, rows);
	if (coding->scale != 1 && are_far(values, rows))
		coding->scale = 1;
	scratch->count = rows;
	if (coding->prediction == STK_BACK) {
		coding->scale = 1;
		residuals_back(coding, values, rows, scratch->numbers);
	} else if (coding->prediction == STK_PLAIN) {
		residuals_plain(coding, values, rows, scratch->numbers);
	} else if (coding->prediction == STK_STEP) {
		residuals_step(coding, values, rows, scratch->numbers);
	} else {
		forget_keys(coding, keys, rows, scratch);
		residuals_by(coding, values, keys, rows, scratch->numbers, scratch->seen);
	}
}

/* --- the dictionary: the distinct numbers, and instead of each number its place. Places are given by how frequent a
 * number is, to the power of two, and then by its size: so the frequent ones have small places, and the dictionary
 * needs only small differences and a byte each --- */

#define DICTIONARY_NUMBERS (1u << 20)	/* numbers below this can be counted in an array */

static unsigned
frequency_class(uint32_t frequency)
{
	return 31 - (unsigned)__builtin_clz(frequency);
}

/* The memory is kept, because a system takes longer to give a large one anew than a dictionary takes. */
static void
forget_frequencies(struct column_scratch *scratch)
{
	for (uint32_t i = 0; i < scratch->count; i++)
		scratch->frequency[scratch->numbers[i]] = 0;
}

/* Puts the dictionary's content into the scratch and the numbers' places into ranks. False when it cannot save
 * bytes. */
static bool
make_dictionary(struct column_scratch *scratch)
{
	uint32_t *frequency, distinct = 0, largest = 0, starts[32] = { 0 }, sum = 0;
	unsigned char *at, *classes;
	uint64_t previous = 0;

	for (uint32_t i = 0; i < scratch->count; i++) {
		if (scratch->numbers[i] >= DICTIONARY_NUMBERS)
			return false;
		if (scratch->numbers[i] > largest)
			largest = (uint32_t)scratch->numbers[i];
	}
	ROOM(scratch, frequency, (size_t)largest + 1);
	frequency = scratch->frequency;
	for (uint32_t i = 0; i < scratch->count; i++)
		distinct += frequency[scratch->numbers[i]]++ == 0;
	if (distinct > scratch->count / 4 || distinct < 2) {
		forget_frequencies(scratch);
		return false;
	}
	ROOM(scratch, dictionary, (size_t)distinct * (VARINT_MAX + 1));
	for (uint32_t number = 0; number <= largest; number++)
		if (frequency[number] != 0)
			starts[frequency_class(frequency[number])]++;
	for (int class = 31; class >= 0; class--) {
		uint32_t count = starts[class];

		starts[class] = sum;
		sum += count;
	}
	at = scratch->dictionary;
	for (uint32_t number = 0; number <= largest; number++)
		if (frequency[number] != 0) {
			at = put_varint(at, number - previous);
			previous = number;
		}
	scratch->dictionary_bytes = (uint32_t)(at - scratch->dictionary);
	classes = at;
	for (uint32_t number = 0; number <= largest; number++)
		if (frequency[number] != 0) {
			unsigned class = frequency_class(frequency[number]);

			*classes++ = (unsigned char)class;
			frequency[number] = starts[class]++;	/* from here on: its place */
		}
	ROOM(scratch, ranks, scratch->count);
	for (uint32_t i = 0; i < scratch->count; i++)
		scratch->ranks[i] = frequency[scratch->numbers[i]];
	scratch->dictionary_count = distinct;
	forget_frequencies(scratch);
	return true;
}

/* Places back to numbers. -1 when a place is out of range, or the dictionary is not valid. */
static int
undo_dictionary(const struct column_coding *coding, const unsigned char *content, uint64_t *numbers, uint32_t count,
		struct column_scratch *scratch)
{
	struct cursor at = { content, content + coding->dictionary_bytes, false };
	const unsigned char *classes = content + coding->dictionary_bytes;
	uint32_t starts[32] = { 0 }, sum = 0;
	uint64_t number = 0;

	ROOM(scratch, ranks, coding->dictionary);
	for (uint32_t i = 0; i < coding->dictionary; i++) {
		if (classes[i] > 31)
			return -1;
		starts[classes[i]]++;
	}
	for (int class = 31; class >= 0; class--) {
		uint32_t of_class = starts[class];

		starts[class] = sum;
		sum += of_class;
	}
	for (uint32_t i = 0; i < coding->dictionary; i++) {
		number += take_varint(&at);
		scratch->ranks[starts[classes[i]]++] = number;
	}
	if (at.bad || at.at != at.end)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		if (numbers[i] >= coding->dictionary)
			return -1;
		numbers[i] = scratch->ranks[numbers[i]];
	}
	return 0;
}

/* --- encoding --- */

struct column_shape
column_shape_of(const struct column_coding *coding)
{
	return (struct column_shape){ true, coding->low, coding->packed, coding->dictionary > 0 };
}

/* The layout of this shape that has room for the largest number, and no plane that is empty. */
static struct column_layout
shaped_layout(const struct column_shape *shape, const uint64_t *numbers, uint32_t count)
{
	unsigned bits = bits_of(numbers, count), bytes = (bits + 7) / 8;
	struct column_layout layout = { .dictionary = shape->dictionary, .low = bytes };

	if (shape->packed == COLUMN_WHOLE || shape->low < bytes)
		layout.packed = shape->packed;
	if (layout.packed != COLUMN_WHOLE && shape->low < bytes) {
		unsigned above = 8 * shape->low + shape->packed;

		layout.low = shape->low;
		layout.high = above >= bits ? 0 : (bits - above + 7) / 8;
	}
	return layout;
}

static bool
may_have_dictionary(const struct column_coding *coding)
{
	return coding->prediction == STK_PLAIN || coding->prediction == STK_SAME;
}

/* The layouts worth trying; how many. */
static unsigned
choose_layouts(const struct column_coding *coding, bool thorough, struct column_scratch *scratch,
	       struct column_layout layouts[COLUMN_LAYOUTS_MAX])
{
	unsigned count = judge_layouts(scratch->numbers, scratch->count, false, thorough ? LAYOUTS_JUDGED : 1, layouts);

	if (thorough)		/* numbers that come in the same sequences: zstd finds these only where each number is
				 * whole. That cannot be estimated, only tried */
		layouts[count++] = (struct column_layout){ .low = (bits_of(scratch->numbers, scratch->count) + 7) / 8,
							   .packed = COLUMN_WHOLE };
	if (thorough && may_have_dictionary(coding) && make_dictionary(scratch))
		count += judge_layouts(scratch->ranks, scratch->count, true, LAYOUTS_JUDGED, layouts + count);
	return count;
}

unsigned
column_encode(struct column_coding *coding, const uint64_t *values, const column_keys keys, uint32_t rows,
	      bool thorough, const struct column_shape *shape, struct column_scratch *scratch,
	      struct column_layout layouts[COLUMN_LAYOUTS_MAX])
{
	ROOM(scratch, numbers, rows);
	if (coding->prediction != STK_BACK)
		coding->base = 0;
	coding->listed = coding->dictionary = coding->dictionary_bytes = 0;
	coding->grouped = coding->listed_step = false;
	if (coding->prediction == STK_SAME) {
		coding->grouped = thorough;
		residuals_same(coding, values, keys, rows, scratch);
		if (coding->listed > rows - rows / 8) {		/* nothing is gained */
			coding->prediction = STK_PLAIN;
			coding->grouped = false;
			coding->listed = coding->keys = 0;
		} else {
			encode_listed(coding, scratch);
		}
	}
	if (coding->prediction != STK_SAME)
		encode_all(coding, values, keys, rows, scratch);
	scratch->dictionary_count = 0;
	if (shape == NULL || !shape->known ||
	    (shape->dictionary && (!may_have_dictionary(coding) || !make_dictionary(scratch))))
		return choose_layouts(coding, thorough, scratch, layouts);
	layouts[0] = shaped_layout(shape, shape->dictionary ? scratch->ranks : scratch->numbers, scratch->count);
	return 1;
}

void
column_pack(struct column_coding *coding, const struct column_layout *layout, uint32_t rows,
	    struct column_scratch *scratch)
{
	unsigned char *at;
	size_t codes = coding->prediction == STK_SAME ? packed_size(2, rows) : 0, dictionary;

	coding->low = layout->low;
	coding->packed = layout->packed;
	coding->high = layout->high;
	coding->dictionary = layout->dictionary ? scratch->dictionary_count : 0;
	coding->dictionary_bytes = layout->dictionary ? scratch->dictionary_bytes : 0;
	dictionary = coding->dictionary + coding->dictionary_bytes;
	ROOM(scratch, bytes, column_size(coding, rows) + 1);
	at = scratch->bytes;
	if (codes > 0)
		memcpy(at, scratch->codes, codes);
	if (dictionary > 0)
		memcpy(at + codes, scratch->dictionary, dictionary);
	put_planes(coding, at + codes + dictionary, layout->dictionary ? scratch->ranks : scratch->numbers,
		   scratch->count);
}

/* --- decoding --- */

/* The listed numbers of SAME to values. */
static void
undo_listed(const struct column_coding *coding, uint64_t *numbers)
{
	uint64_t sum = coding->base;

	for (uint32_t i = 0; i < coding->listed; i++)
		numbers[i] = coding->listed_step ? (sum += (uint64_t)unzigzag(numbers[i]) * coding->scale)
						 : coding->base + numbers[i] * coding->scale;
}

/* Bits of a byte of four codes: those of CODE_LISTED, counted. */
static inline unsigned
listed_of_four(unsigned char codes)
{
	unsigned pairs = (codes >> 1 & 0x11) + (codes >> 3 & 0x11);

	return (pairs + (pairs >> 4)) & 7;
}

static inline unsigned
code_at(const unsigned char *codes, uint32_t i)
{
	return codes[i / 4] >> 2 * (i % 4) & 3;
}

/* How many of the codes from..to-1 are CODE_LISTED. */
static uint32_t
listed_between(const unsigned char *codes, uint32_t from, uint32_t to)
{
	uint32_t listed = 0;

	for (; from < to && from % 4 != 0; from++)
		listed += code_at(codes, from) == CODE_LISTED;
	for (; from + 4 <= to; from += 4)
		listed += listed_of_four(codes[from / 4]);
	for (; from < to; from++)
		listed += code_at(codes, from) == CODE_LISTED;
	return listed;
}

static bool
codes_are_right(const unsigned char *codes, uint32_t rows)
{
	for (uint32_t i = 0; i < rows / 4; i++)
		if ((codes[i] >> 1 & codes[i] & 0x55) != 0)
			return false;
	for (uint32_t i = rows / 4 * 4; i < rows; i++)
		if (code_at(codes, i) > CODE_LISTED)
			return false;
	return true;
}

/* The value of a code, and the memory after it. Without branches, because codes cannot be predicted. */
static inline uint64_t
follow(struct column_seen *seen, unsigned code, uint64_t listed)
{
	uint64_t last = seen->last, value = code == CODE_LISTED ? listed : code == CODE_BEFORE ? seen->before : last;

	seen->before = value != last ? last : seen->before;
	seen->last = value;
	return value;
}

static void
follow_rows(const struct column_coding *coding, const unsigned char *codes, const column_keys keys, uint64_t *values,
	    uint32_t rows, struct column_scratch *scratch)
{
	const uint64_t *next = scratch->numbers;

	for (uint32_t i = 0; i < rows; i++) {
		unsigned code = code_at(codes, i);

		values[i] = follow(&scratch->seen[key_of(coding, keys, i)], code, *next);
		next += code == CODE_LISTED;
	}
}

static void
find_few_groups(const struct column_coding *coding, const unsigned char *codes, const column_keys keys, uint32_t rows,
		struct column_scratch *scratch)
{
	uint64_t before = COLUMN_KEYS;
	uint32_t listed = 0;

	sort_few(coding, keys, rows, scratch);
	for (uint32_t i = 0; i < rows; i++) {
		uint64_t key = scratch->ranks[i] >> 32;

		if (key != before) {
			scratch->seen[key].code = i;
			scratch->seen[key].listed = listed;
		}
		listed += code_at(codes, i) == CODE_LISTED;
		before = key;
	}
}

/* Gives each key the places of its first code and of its first listed value. */
static void
find_groups(const struct column_coding *coding, const unsigned char *codes, const column_keys keys, uint32_t rows,
	    struct column_scratch *scratch)
{
	uint32_t code = 0, listed = 0;

	if (has_few_rows(scratch, rows)) {
		find_few_groups(coding, codes, keys, rows, scratch);
		return;
	}
	for (uint32_t i = 0; i < rows; i++)
		scratch->seen[key_of(coding, keys, i)].code++;
	for (unsigned key = 0; key < scratch->keys; key++) {
		struct column_seen *seen = &scratch->seen[key];
		uint32_t count = seen->code;

		seen->code = code;
		seen->listed = listed;
		listed += listed_between(codes, code, code + count);
		code += count;
	}
}

static void
follow_groups(const struct column_coding *coding, const unsigned char *codes, const column_keys keys, uint64_t *values,
	      uint32_t rows, struct column_scratch *scratch)
{
	find_groups(coding, codes, keys, rows, scratch);
	for (uint32_t i = 0; i < rows; i++) {
		struct column_seen *seen = &scratch->seen[key_of(coding, keys, i)];
		unsigned code = code_at(codes, seen->code++);

		values[i] = follow(seen, code, scratch->numbers[seen->listed]);
		seen->listed += code == CODE_LISTED;
	}
}

static int
decode_same(const struct column_coding *coding, const unsigned char *codes, const column_keys keys, uint64_t *values,
	    uint32_t rows, struct column_scratch *scratch)
{
	const unsigned char *dictionary = codes + packed_size(2, rows);

	if (!codes_are_right(codes, rows) || listed_between(codes, 0, rows) != coding->listed)
		return -1;
	ROOM(scratch, numbers, coding->listed + 1);		/* one more, which is read but not used */
	take_planes(coding, dictionary + coding->dictionary_bytes + coding->dictionary, scratch->numbers,
		    coding->listed);
	if (coding->dictionary > 0 &&
	    undo_dictionary(coding, dictionary, scratch->numbers, coding->listed, scratch) < 0)
		return -1;
	undo_listed(coding, scratch->numbers);
	scratch->numbers[coding->listed] = 0;
	forget_keys(coding, keys, rows, scratch);
	if (coding->grouped)
		follow_groups(coding, codes, keys, values, rows, scratch);
	else
		follow_rows(coding, codes, keys, values, rows, scratch);
	return 0;
}

static void
undo_by(const struct column_coding *coding, const column_keys keys, uint64_t *values, uint32_t rows,
	struct column_seen *seen)
{
	uint64_t step = 0;

	for (uint32_t i = 0; i < rows; i++) {
		uint64_t *mine = &seen[key_of(coding, keys, i)].last;
		uint64_t difference = (uint64_t)unzigzag(values[i]) * coding->scale + step;

		if (coding->prediction == STK_BYSTEP)
			step = difference;
		*mine += difference;
		values[i] = *mine;
	}
}

int
column_decode(const struct column_coding *coding, const unsigned char *content, const column_keys keys,
	      uint64_t *values, uint32_t rows, struct column_scratch *scratch)
{
	uint64_t sum = coding->base;

	if (coding->prediction == STK_SAME)
		return decode_same(coding, content, keys, values, rows, scratch);
	take_planes(coding, content + coding->dictionary_bytes + coding->dictionary, values, rows);
	if (coding->dictionary > 0 && undo_dictionary(coding, content, values, rows, scratch) < 0)
		return -1;
	switch (coding->prediction) {
	case STK_PLAIN:
		if (coding->base != 0 || coding->scale != 1)
			for (uint32_t i = 0; i < rows; i++)
				values[i] = coding->base + values[i] * coding->scale;
		return 0;
	case STK_BACK:
		for (uint32_t i = 0; i < rows; i++)
			values[i] = coding->base + i - values[i] * coding->scale;
		return 0;
	case STK_STEP:
		for (uint32_t i = 0; i < rows; i++)
			values[i] = sum += (uint64_t)unzigzag(values[i]) * coding->scale;
		return 0;
	default:
		forget_keys(coding, keys, rows, scratch);
		undo_by(coding, keys, values, rows, scratch->seen);
		return 0;
	}
}
