/* SPDX-License-Identifier: MIT
 * Promises of the stream about damage: every prefix reads to its last whole block, and is told from the whole; every
 * flipped bit is noticed or changes nothing; no row that comes out is another than went in, and no id stands for what
 * it did not; bytes lost, added, exchanged: likewise. */
#include "../lib/damage.h"
#include "../lib/tap.h"

#include <sys/resource.h>

static struct original one, two;	/* a stream, and two of them */

static unsigned
whole_blocks(const struct original *original, size_t size)
{
	unsigned count = 0;

	while (count < original->count && original->blocks[count].to <= size)
		count++;
	return count;
}

/* A prefix gives its whole blocks, one damage, and no more. */
static void
test_prefixes(const struct original *original, const char *what, size_t step, size_t from)
{
	unsigned wrong_rows = 0, silent = 0, chatty = 0, misled = 0;
	size_t worst = 0;

	for (size_t size = from; size < original->bytes.size; size++) {
		unsigned char *copy = mem_new(size, 1);		/* exactly as large: what is read behind it is seen */
		struct reading reading;
		bool whole = size == original->ends[0], good;

		memcpy(copy, original->bytes.at, size);
		reading_take(&reading, original, copy, size, step);
		good = reading.count == whole_blocks(original, size) && reading.foreign == 0 &&
		       reading_is_in_order(&reading) && !reading.failed;
		wrong_rows += !good;
		silent += !whole && reading.state.damages == 0;
		chatty += reading.state.damages > (whole ? 0 : 1) || reading.exaggerated;
		misled += reading.misled;
		worst = good ? worst : size;
		free(copy);
	}
	ok(wrong_rows == 0, "%s: each of %zu prefixes gives its whole blocks, in order (worst: %zu)", what,
	   original->bytes.size - from, worst);
	is_u64(silent, 0, "%s: each is told from a whole", what);
	is_u64(chatty, 0, "%s: ... once, with no more bytes than there are", what);
	is_u64(misled, 0, "%s: no id stands for something else", what);
}

/* Flips each bit of the bytes from..to. */
static void
test_flips(const struct original *original, const char *what, size_t step, size_t from, size_t to)
{
	unsigned char *copy = mem_new(original->bytes.size, 1);
	unsigned foreign = 0, unnoticed = 0, failed = 0, misled = 0, disordered = 0, harmless = 0;
	uint64_t lost_rows = 0, most = 0;

	memcpy(copy, original->bytes.at, original->bytes.size);
	for (size_t bit = from * 8; bit < to * 8; bit++) {
		struct reading reading;

		copy[bit / 8] ^= (unsigned char)(1 << bit % 8);
		reading_take(&reading, original, copy, original->bytes.size, step);
		copy[bit / 8] ^= (unsigned char)(1 << bit % 8);
		foreign += reading.foreign;
		failed += reading.failed;
		misled += reading.misled;
		disordered += !reading_is_in_order(&reading);
		unnoticed += reading.state.damages == 0 && !reading_is_whole(&reading, original);
		harmless += reading.state.damages == 0;
		lost_rows = original->count - reading.count;
		most = lost_rows > most ? lost_rows : most;
	}
	is_u64(foreign, 0, "%s: of %zu flipped bits none makes a row that was not there", what, (to - from) * 8);
	is_u64(unnoticed, 0, "%s: each is noticed or changes nothing (%u of them)", what, harmless);
	is_u64(misled, 0, "%s: no id stands for something else", what);
	is_u64(failed, 0, "%s: the reader goes on to the end", what);
	is_u64(disordered, 0, "%s: blocks come in their order", what);
	ok(most <= 1, "%s: a flip costs one block at most (%u)", what, (unsigned)most);
	free(copy);
}

/* --- larger damage --- */

/* Damages the copy at random; what was done is in the text. Returns whether a reader must notice it. */
static bool
harm(struct some_bytes *copy, const struct original *original, unsigned manner, char text[100])
{
	size_t at = damage_chance(copy->size), size = 1 + damage_chance(manner % 2 == 0 ? 20 : 600),
	       from = damage_chance(original->bytes.size);
	bool changed = false;

	size = size < copy->size - at ? size : copy->size - at;
	switch (manner % 6) {
	case 0:		/* noise */
		for (size_t i = 0; i < size; i++)
			copy->at[at + i] = (unsigned char)damage_chance(256);
		break;
	case 1:		/* zeros, as after a power cut */
		memset(copy->at + at, 0, size);
		break;
	case 2:
	case 3:		/* a part is missing */
		memmove(copy->at + at, copy->at + at + size, copy->size - at - size);
		copy->size -= size;
		break;
	default:	/* a part comes twice, or stands where it should not */
		size = size < original->bytes.size - from ? size : original->bytes.size - from;
		copy->at = mem_resize(copy->at, copy->room = copy->size + size, 1);
		memmove(copy->at + at + size, copy->at + at, copy->size - at);
		memcpy(copy->at + at, original->bytes.at + from, size);
		copy->size += size;
		break;
	}
	snprintf(text, 100, "manner %u at %zu, %zu bytes", manner % 6, at, size);
	changed = copy->size != original->bytes.size || memcmp(copy->at, original->bytes.at, copy->size) != 0;
	return changed;
}

static void
test_harm(const struct original *original, const char *what, unsigned times)
{
	unsigned foreign = 0, misled = 0, unnoticed = 0, failed = 0;

	for (unsigned i = 0; i < times; i++) {
		struct some_bytes copy = { 0 };
		struct reading reading;
		char text[100];
		bool changed = false, small = i % 3 < 2 && i % 2 == 0;

		bytes_add(&copy, original->bytes.at, original->bytes.size);
		for (unsigned n = 1 + i % 3 / 2 * 3; n > 0; n--)
			changed |= harm(&copy, original, i, text);
		reading_take(&reading, original, copy.at, copy.size, i % 7 == 0 ? 100 : 0);
		if (reading.foreign > 0 || reading.failed ||
		    (changed && reading.state.damages == 0 && !reading_is_whole(&reading, original)))
			printf("# %s: %s: %u foreign, %u misled, %u damages\n", what, text, reading.foreign,
			       reading.misled, (unsigned)reading.state.damages);
		foreign += reading.foreign;
		misled += small || original->streams == 1 ? reading.misled : 0;
		failed += reading.failed;
		unnoticed += changed && reading.state.damages == 0 && !reading_is_whole(&reading, original);
		free(copy.at);
	}
	is_u64(foreign, 0, "%s: noise, zeros, losses and repetitions, %u times: no row that was not there", what,
	       times);
	is_u64(unnoticed, 0, "%s: each is noticed", what);
	is_u64(failed, 0, "%s: the reader goes on to the end", what);
	/* A loss that holds an end, a head and all definitions behind it joins two streams, and nothing in between can
	 * tell: see FORMAT.md. */
	is_u64(misled, 0, "%s: no id stands for something else%s", what,
	       original->streams == 1 ? "" : ", after small damage");
}

/* Blocks in another order, or twice. */
static void
test_blocks(const struct original *original)
{
	unsigned foreign = 0, misled = 0, failed = 0, twice_unnoticed = 0, gone_unnoticed = 0,
		 definitions_unnoticed = 0;

	for (unsigned a = 0; a < original->count; a++)
		for (unsigned b = a + 1; b < original->count; b++) {
			const struct seen_block *x = &original->blocks[a], *y = &original->blocks[b];
			const unsigned char *at = original->bytes.at;
			struct some_bytes swapped = { 0 }, twice = { 0 }, gone = { 0 };
			struct reading reading;

			bytes_add(&swapped, at, x->from);
			bytes_add(&swapped, at + y->from, y->to - y->from);
			bytes_add(&swapped, at + x->to, y->from - x->to);
			bytes_add(&swapped, at + x->from, x->to - x->from);
			bytes_add(&swapped, at + y->to, original->bytes.size - y->to);
			reading_take(&reading, original, swapped.at, swapped.size, 0);
			foreign += reading.foreign, misled += reading.misled, failed += reading.failed;
			definitions_unnoticed += x->kind == y->kind && x->first_id != 0 && reading.state.damages == 0;

			bytes_add(&twice, at, y->to);
			bytes_add(&twice, at + x->from, x->to - x->from);
			bytes_add(&twice, at + y->to, original->bytes.size - y->to);
			reading_take(&reading, original, twice.at, twice.size, 0);
			foreign += reading.foreign, misled += reading.misled, failed += reading.failed;
			twice_unnoticed += reading.state.damages == 0;

			bytes_add(&gone, at, x->from);
			bytes_add(&gone, at + y->to, original->bytes.size - y->to);
			reading_take(&reading, original, gone.at, gone.size, 0);
			foreign += reading.foreign, misled += reading.misled, failed += reading.failed;
			gone_unnoticed += reading.state.damages == 0;
			free(swapped.at), free(twice.at), free(gone.at);
		}
	is_u64(foreign + failed, 0, "whole blocks exchanged, repeated, removed: no row that was not there");
	is_u64(misled, 0, "... no id stands for something else");
	is_u64(definitions_unnoticed, 0, "... definitions in another order are noticed");
	is_u64(twice_unnoticed, 0, "... a block that comes twice is noticed");
	is_u64(gone_unnoticed, 0, "... blocks that are not there are noticed");
}

/* Heads, ends and indexes are not given by a reader, so they are looked for by what lies between. */
static void
test_frame_of_streams(void)
{
	size_t first = two.ends[0], head = two.blocks[0].from;
	struct some_bytes bytes = { 0 };
	struct reading reading;

	bytes_add(&bytes, two.bytes.at + head, two.bytes.size - head);
	reading_take(&reading, &two, bytes.at, bytes.size, 0);
	ok(reading.count == two.count && reading.state.damages > 0 && reading.misled == 0,
	   "without the first head: every row comes, and it is said");
	bytes.size = 0;
	bytes_add(&bytes, two.bytes.at, first);
	bytes_add(&bytes, two.bytes.at + first + head, two.bytes.size - first - head);
	reading_take(&reading, &two, bytes.at, bytes.size, 0);
	ok(reading.count == two.count && reading.state.damages > 0 && reading.misled == 0,
	   "without the second head: likewise");
	bytes.size = 0;
	bytes_add(&bytes, two.bytes.at, first - 64);
	bytes_add(&bytes, two.bytes.at + first, two.bytes.size - first);
	reading_take(&reading, &two, bytes.at, bytes.size, 0);
	ok(reading.count == two.count && reading.state.damages == 1 && reading.state.ended == 1,
	   "without the first end: likewise, once");
	bytes.size = 0;
	bytes_add(&bytes, two.bytes.at, first - 64);
	bytes_add(&bytes, two.bytes.at + first + head, two.bytes.size - first - head);
	reading_take(&reading, &two, bytes.at, bytes.size, 0);
	ok(reading.count == two.count && reading.state.damages > 0 && reading.misled == 0,
	   "without both: the ids that begin anew show it, and none stands for something else");
	reading_take(&reading, &two, two.bytes.at, 0, 0);
	ok(reading.count == 0 && reading.state.streams == 0 && !reading.failed, "no bytes are no stream");
	free(bytes.at);
}

int
main(void)
{
	struct reading reading;
	struct rusage used;

	original_make(&one, 1);
	original_make(&two, 2);
	reading_take(&reading, &one, one.bytes.at, one.bytes.size, 0);
	ok(reading_is_whole(&reading, &one) && one.count >= 13 && reading.misled == 0,
	   "undamaged: %u blocks in %zu bytes come back", one.count, one.bytes.size);
	reading_take(&reading, &two, two.bytes.at, two.bytes.size, 1);
	ok(reading_is_whole(&reading, &two) && two.streams == 2, "likewise two streams, a byte at a time");

	test_prefixes(&one, "one stream", 0, 1);
	test_prefixes(&two, "two streams through a pipe", 999, two.ends[0] - 300);
	test_flips(&one, "one stream", 0, 0, one.bytes.size);
	test_flips(&two, "where two streams meet, through a pipe", 4096, two.blocks[two.count / 2 - 1].to,
		   two.blocks[two.count / 2 + 1].to);
	test_harm(&one, "one stream", 1500);
	test_harm(&two, "two streams", 1500);
	test_blocks(&one);
	test_frame_of_streams();

	free(one.bytes.at);
	free(two.bytes.at);
	getrusage(RUSAGE_SELF, &used);
#if defined(SANITIZED)
	skip("memory is the sanitizer's", "all of this takes less than 32 MB");
#else
	ok(used.ru_maxrss < 32 << 10, "all of this takes less than 32 MB (%ld kB)", used.ru_maxrss);
#endif
	return tap_end();
}
