/* SPDX-License-Identifier: MIT
 * tally: a count for each distinct text. A zeroed struct is an empty one. */
#ifndef BASE_TALLY_H
#define BASE_TALLY_H

#include "base/text_table.h"

struct tally {
	struct text_table texts;
	ARRAY(uint64_t) counts;		/* of text n at [n - 1] */
};

struct tally_row { struct stk_text text; uint64_t count; };

void tally_add(struct tally *tally, struct stk_text text, uint64_t count);
uint64_t tally_of(const struct tally *tally, struct stk_text text);	/* 0: it was never added */
uint64_t tally_most(const struct tally *tally);
/* All of them, the largest count first, equal counts by their texts; the caller frees them. They point into the
 * tally. */
struct tally_row *tally_ranked(const struct tally *tally);
/* The order of such a list. */
int  tally_row_compare(const void *a, const void *b);
void tally_release(struct tally *tally);

#endif
