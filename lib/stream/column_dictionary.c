/* SPDX-License-Identifier: MIT
 * column_dictionary: the distinct numbers, and instead of each number its place. Places are given by how frequent a
 * number is, to the power of two, and then by its size: so the frequent ones have small places, and the dictionary
 * needs only small differences and a byte each. */
#include "stream/column_dictionary.h"

#include "base/bytes.h"
#include "stream/column_work.h"

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

bool
column_make_dictionary(struct column_scratch *scratch)
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

int
column_undo_dictionary(const struct column_coding *coding, const unsigned char *content, uint64_t *numbers,
		       uint32_t count, struct column_scratch *scratch)
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
