/* SPDX-License-Identifier: MIT
 * packed_block: names of blocks repeat again and again, so that matches with what came before do most; literals are
 * kept as they are, and the numbers of matches have the codes that zstd predefines (RFC 8878, 3.1.1.3). */
#include "packed_block.h"

#include <string.h>
#include <sys/mman.h>

#define HASHED_BYTES  4u
#define LOG_LEAST     8u
#define LOG_MOST      16u
#define SYMBOLS_MOST  53u
#define STATES_MOST   64u
#define MATCH_LEAST   5u		/* a shorter one costs what it saves */
#define MATCH_BASE    3u		/* its length is written less this */
#define OFFSET_BASE   3u		/* and its offset plus this: smaller ones repeat offsets */

struct sequence { uint32_t literals, match, offset; };

/* --- codes --- */

/* How often each symbol is among the states; -1: once, at the end. */
static const signed char literal_shares[] = { 4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2,
					      2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1 };
static const signed char match_shares[] = { 1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1,
					    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
					    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1 };
static const signed char offset_shares[] = { 1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
					     -1, -1, -1, -1, -1 };
/* Bits that follow a symbol; those before have none. */
static const unsigned char literal_bits[] = { 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
static const unsigned char match_bits[] = { 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

/* Symbols as states of a finite machine. */
struct coder {
	unsigned log, state;
	uint16_t next[STATES_MOST];
	struct { uint32_t bits; int32_t first; } symbol[SYMBOLS_MOST];
};

static unsigned
top_bit(uint32_t value)
{
	return 31u - (unsigned)__builtin_clz(value);
}

static void
spread_symbols(unsigned char *of, const signed char *shares, unsigned symbols, unsigned log)
{
	unsigned size = 1u << log, step = (size >> 1) + (size >> 3) + 3, at = 0, end = size;

	for (unsigned s = 0; s < symbols; s++)
		if (shares[s] < 0)
			of[--end] = (unsigned char)s;
	for (unsigned s = 0; s < symbols; s++)
		for (int i = 0; i < shares[s]; i++) {
			of[at] = (unsigned char)s;
			do
				at = (at + step) & (size - 1);
			while (at >= end);
		}
}

static void
coder_begin(struct coder *c, const signed char *shares, unsigned symbols, unsigned log)
{
	unsigned char of[STATES_MOST];
	unsigned begins[SYMBOLS_MOST], total = 0;

	c->log = log;
	c->state = 0;
	spread_symbols(of, shares, symbols, log);
	for (unsigned s = 0; s < symbols; s++) {
		unsigned count = shares[s] < 0 ? 1 : (unsigned)shares[s];
		unsigned bits = count == 1 ? log : log - top_bit(count - 1);

		c->symbol[s].bits = (bits << 16) - (count << bits);
		c->symbol[s].first = (int32_t)total - (int32_t)count;
		begins[s] = total;
		total += count;
	}
	for (unsigned u = 0; u < 1u << log; u++)
		c->next[begins[of[u]]++] = (uint16_t)((1u << log) + u);
}

/* --- bits --- */

struct bit_writer { struct plain_bytes *to; uint64_t bits; unsigned count; };

static void
put_bits(struct bit_writer *w, uint32_t value, unsigned count)
{
	w->bits |= (uint64_t)(value & ((UINT64_C(1) << count) - 1)) << w->count;
	w->count += count;
	if (w->count >= 32) {
		const uint32_t word = (uint32_t)w->bits;
		const unsigned char bytes[4] = { (unsigned char)word, (unsigned char)(word >> 8),
						 (unsigned char)(word >> 16), (unsigned char)(word >> 24) };

		plain_put(w->to, bytes, sizeof bytes);
		w->bits >>= 32;
		w->count -= 32;
	}
}

static void
end_bits(struct bit_writer *w)
{
	put_bits(w, 1, 1);			/* the mark by which a reader finds the end */
	for (; w->count > 0; w->count -= w->count < 8 ? w->count : 8) {
		const unsigned char byte = (unsigned char)w->bits;

		plain_put(w->to, &byte, 1);
		w->bits >>= 8;
	}
}

/* The last symbol, which is the first one that is read. */
static void
coder_start(struct coder *c, unsigned symbol)
{
	uint32_t bits = (c->symbol[symbol].bits + (1u << 15)) >> 16, value = (bits << 16) - c->symbol[symbol].bits;

	c->state = c->next[(int32_t)(value >> bits) + c->symbol[symbol].first];
}

static void
coder_put(struct coder *c, struct bit_writer *w, unsigned symbol)
{
	uint32_t bits = (c->state + c->symbol[symbol].bits) >> 16;

	put_bits(w, c->state, bits);
	c->state = c->next[(int32_t)(c->state >> bits) + c->symbol[symbol].first];
}

/* --- sequences --- */

struct code { unsigned symbol, bits; uint32_t extra; };

/* plain: how many of the first values are symbols of their own. */
static struct code
code_of(uint32_t value, uint32_t plain, const unsigned char *bits)
{
	uint32_t base = plain;
	unsigned i = 0;

	if (value < plain)
		return (struct code){ .symbol = value };
	while ((value - base) >> bits[i] != 0)
		base += UINT32_C(1) << bits[i++];
	return (struct code){ .symbol = plain + i, .bits = bits[i], .extra = value - base };
}

static struct code
offset_code(uint32_t offset)
{
	uint32_t value = offset + OFFSET_BASE;
	unsigned bits = top_bit(value);

	return (struct code){ .symbol = bits, .bits = bits, .extra = value - (UINT32_C(1) << bits) };
}

/* From the last to the first, as they are read from the end. */
static void
put_sequences(struct plain_bytes *to, const struct sequence *list, size_t count)
{
	struct bit_writer w = { .to = to };
	struct coder literals, matches, offsets;

	coder_begin(&literals, literal_shares, sizeof literal_shares, 6);
	coder_begin(&matches, match_shares, sizeof match_shares, 6);
	coder_begin(&offsets, offset_shares, sizeof offset_shares, 5);
	for (size_t i = count; i-- > 0; ) {
		struct code l = code_of(list[i].literals, 16, literal_bits),
			    m = code_of(list[i].match - MATCH_BASE, 32, match_bits), o = offset_code(list[i].offset);

		if (i + 1 == count) {
			coder_start(&matches, m.symbol);
			coder_start(&offsets, o.symbol);
			coder_start(&literals, l.symbol);
		} else {
			coder_put(&offsets, &w, o.symbol);
			coder_put(&matches, &w, m.symbol);
			coder_put(&literals, &w, l.symbol);
		}
		put_bits(&w, l.extra, l.bits);
		put_bits(&w, m.extra, m.bits);
		put_bits(&w, o.extra, o.bits);
	}
	put_bits(&w, matches.state, matches.log);
	put_bits(&w, offsets.state, offsets.log);
	put_bits(&w, literals.state, literals.log);
	end_bits(&w);
}

/* --- matches --- */

static uint32_t
hash_at(const struct packing *p, size_t at)
{
	uint32_t bytes;

	memcpy(&bytes, p->content + at, sizeof bytes);
	return bytes * 2654435761u >> (32 - p->log);
}

static size_t
same_bytes(const unsigned char *a, const unsigned char *b, const unsigned char *end)
{
	const unsigned char *from = b;

	while (b < end && *a == *b) {
		a++;
		b++;
	}
	return (size_t)(b - from);
}

/* And the literals before it. */
static void
put_match(struct packing *p, size_t begins, size_t at, size_t size, uint32_t offset)
{
	const struct sequence next = { (uint32_t)(at - begins), (uint32_t)size, offset };

	plain_put(&p->literals, p->content + begins, at - begins);
	plain_put(&p->sequences, &next, sizeof next);
}

/* Literals and matches of the bytes; those after the last match are literals, too. */
static void
find_matches(struct packing *p, size_t from, size_t end)
{
	size_t begins = from;			/* literals since the last match */

	for (size_t at = from; at + HASHED_BYTES <= end; ) {
		uint32_t *place = &p->places[hash_at(p, at)];
		size_t had = *place, size = 0;

		if (had > 0)
			size = same_bytes(p->content + had - 1, p->content + at, p->content + end);
		*place = (uint32_t)at + 1;
		if (size < MATCH_LEAST) {
			at++;
			continue;
		}
		put_match(p, begins, at, size, (uint32_t)(at + 1 - had));
		/* places within it, of which a few are enough */
		for (size_t within = at + 1; within + HASHED_BYTES <= at + size && within < at + 8; within++)
			p->places[hash_at(p, within)] = (uint32_t)within + 1;
		at += size;
		begins = at;
	}
	plain_put(&p->literals, p->content + begins, end - begins);
}

/* --- blocks --- */

void
packing_begin(struct packing *p, const unsigned char *content, size_t size)
{
	void *at;

	*p = (struct packing){ .content = content, .log = LOG_LEAST };
	while (p->log < LOG_MOST && (size_t)1 << p->log < size)
		p->log++;
	at = mmap(NULL, sizeof *p->places << p->log, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p->places = at == MAP_FAILED ? NULL : at;
}

/* Literals as they are. */
static void
put_literals(struct plain_bytes *to, const struct plain_bytes *literals)
{
	uint32_t head = 0xc | (uint32_t)literals->count << 4;
	const unsigned char bytes[3] = { (unsigned char)head, (unsigned char)(head >> 8), (unsigned char)(head >> 16) };

	plain_put(to, bytes, sizeof bytes);
	plain_put(to, literals->at, literals->count);
}

/* How many, and that their codes are predefined. */
static void
put_sequence_head(struct plain_bytes *to, size_t count)
{
	size_t more = count - 0x7f00;
	const unsigned char few[] = { (unsigned char)((count >> 8) + 128), (unsigned char)count, 0 },
			    many[] = { 255, (unsigned char)more, (unsigned char)(more >> 8), 0 };

	if (count < 0x7f00)
		plain_put(to, few, sizeof few);
	else
		plain_put(to, many, sizeof many);
}

bool
packing_put(struct packing *p, struct plain_bytes *to, size_t from, size_t size)
{
	size_t count;

	p->literals.count = p->sequences.count = p->bits.count = 0;
	if (p->places == NULL || size < HASHED_BYTES)
		return false;
	find_matches(p, from, from + size);
	count = p->sequences.count / sizeof(struct sequence);
	if (count == 0 || p->literals.failed || p->sequences.failed)
		return false;
	put_sequences(&p->bits, (const struct sequence *)(const void *)p->sequences.at, count);
	if (p->bits.failed || p->literals.count + p->bits.count + 8 >= size)
		return false;
	put_literals(to, &p->literals);
	put_sequence_head(to, count);
	plain_put(to, p->bits.at, p->bits.count);
	return true;
}

void
packing_end(struct packing *p)
{
	struct plain_bytes *all[] = { &p->literals, &p->sequences, &p->bits };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i]->at != NULL)
			(void)munmap(all[i]->at, all[i]->room);
	if (p->places != NULL)
		(void)munmap(p->places, sizeof *p->places << p->log);
}
