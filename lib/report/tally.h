/* SPDX-License-Identifier: MIT
 * tally: a count for each distinct text. A zeroed struct is an empty one. */
#ifndef REPORT_TALLY_H
#define REPORT_TALLY_H

#include "report/text_table.h"

struct tally {
	struct text_table texts;
	ARRAY(uint64_t) counts;		/* of text n at [n - 1] */
};

static inline void
tally_add(struct tally *tally, struct stk_text text, uint64_t count)
{
	uint32_t number = text_table_number(&tally->texts, text);

	while (tally->counts.count < number)
		*array_push(&tally->counts) = 0;
	tally->counts.at[number - 1] += count;
}

static inline void
tally_release(struct tally *tally)
{
	text_table_release(&tally->texts);
	array_release(&tally->counts);
}

#endif
