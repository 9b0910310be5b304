/* SPDX-License-Identifier: MIT
 * column: words to bytes and back, as FORMAT.md section 3 says: a prediction, a scale, and the rest in planes. No
 * compression here. */
#ifndef STREAM_COLUMN_H
#define STREAM_COLUMN_H

#include "stkpipe/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COLUMN_KEYS 65536	/* a keyed prediction remembers by key mod this */

#define COLUMN_WHOLE 8

struct column_coding {
	enum stk_prediction prediction;
	unsigned keys;			/* of BY, BYSTEP and SAME: how many columns are the key, 0 to 2, and which */
	unsigned key[2];
	bool grouped;			/* SAME: codes and listed numbers are in the order of their keys, not of the
					 * rows */
	bool listed_step;		/* SAME: a listed number is the difference from the one before */
	uint32_t listed;		/* SAME: how many */
	uint64_t scale, base;		/* BACK: base is the id of the first row, which the caller sets */
	unsigned low, packed, high;	/* planes below, bits a number in the packed plane, planes above; packed
					 * COLUMN_WHOLE: no planes, `low` bytes a number */
	uint32_t dictionary;		/* entries; 0: numbers are not looked up */
	uint32_t dictionary_bytes;	/* that their values take */
};

static inline bool
column_is_keyed(enum stk_prediction prediction)
{
	return prediction == STK_BY || prediction == STK_BYSTEP || prediction == STK_SAME;
}

/* What a keyed prediction remembers of a key; and, where codes are grouped, its next code and listed value. */
struct column_seen { uint64_t last, before; uint32_t code, listed; };

/* What encoding and decoding need besides the column; one per thread, zeroed at first, freed with
 * column_scratch_release. */
struct column_scratch {
	uint64_t *numbers, *ranks;	/* residuals or listed values, and their places in the dictionary */
	size_t numbers_room, ranks_room;
	uint32_t count;			/* of numbers */
	uint32_t *order;		/* rows in the order of their keys */
	size_t order_room;
	struct column_seen *seen;	/* by key: COLUMN_KEYS */
	unsigned keys;			/* number of those in use */
	uint32_t *frequency;		/* by number, while a dictionary is made; all 0 between */
	size_t frequency_room;
	unsigned char *codes;		/* of SAME */
	size_t codes_room;
	unsigned char *dictionary;	/* its content */
	size_t dictionary_room;
	uint32_t dictionary_count, dictionary_bytes;
	unsigned char *bytes;		/* the content */
	size_t bytes_room;
};

void column_scratch_release(struct column_scratch *scratch);

/* Bytes of the content of `rows` rows. */
size_t column_size(const struct column_coding *coding, uint32_t rows);

/* The content's parts, whose sizes add up to column_size: codes, dictionary, planes. A writer ends a zstd block at
 * each. How many. */
#define COLUMN_PARTS_MAX 24
unsigned column_parts(const struct column_coding *coding, uint32_t rows, size_t parts[COLUMN_PARTS_MAX]);

/* The values of the key columns, by position in coding->key. */
typedef const uint64_t *column_keys[2];

/* How the numbers could be laid out. */
struct column_layout { unsigned low, packed, high; bool dictionary; uint32_t cost; };
#define COLUMN_LAYOUTS_MAX 7

/* What layouts of other numbers have in common: how many planes there are above depends on the largest number. */
struct column_shape { bool known; unsigned low, packed; bool dictionary; };

struct column_shape column_shape_of(const struct column_coding *coding);

/* Prepares the coding of the values, for the prediction and keys given in *coding: fills in the rest of it, and the
 * layouts worth trying, best guess first; returns their number. thorough: take more time to make it smaller. shape:
 * only this, if the values can have it; NULL or not known: any.
 * column_pack then puts the content of one of them into scratch->bytes. */
unsigned column_encode(struct column_coding *coding, const uint64_t *values, const column_keys keys, uint32_t rows,
		       bool thorough, const struct column_shape *shape, struct column_scratch *scratch,
		       struct column_layout layouts[COLUMN_LAYOUTS_MAX]);
void column_pack(struct column_coding *coding, const struct column_layout *layout, uint32_t rows,
		 struct column_scratch *scratch);

/* The content, of column_size bytes, to values. -1 when it is not valid. */
int column_decode(const struct column_coding *coding, const unsigned char *content, const column_keys keys,
		  uint64_t *values, uint32_t rows, struct column_scratch *scratch);

#endif
