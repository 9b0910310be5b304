/* SPDX-License-Identifier: MIT
 * section_search: where sections begin in a text, whatever else is in it. */
#ifndef INGEST_SECTION_SEARCH_H
#define INGEST_SECTION_SEARCH_H

#include "ingest/ingest.h"

#define SECTION_LINES 32	/* of a section are enough to recognise it */

/* The bit of a format in a set of them. */
uint64_t format_bit(const struct text_format *format);

/* The format whose section begins first in the text, and where; NULL, and the end of the text. asked: the set of
 * formats that this text was scanned by. */
const struct text_format *section_first(struct stk_text text, uint64_t asked, const char **from);

/* Where the first section begins in the text that ends what the format takes, and of which format; NULL. */
const char *section_end(const struct text_format *format, struct stk_text text, uint64_t asked,
			const struct text_format **below);
/* The same in a piece in which the format found this: near what it skipped. */
const char *section_end_near(const struct text_format *format, const struct findings *findings, struct stk_text piece,
			     uint64_t asked, const struct text_format **below);

/* Whether a section begins in the text, which is below a report that is read as a whole: what to say then. */
#define SECTION_BELOW "a section of another kind below a report, which is not read there"
bool section_is_in(struct stk_text text);

/* The first line of a section that is only read when a file begins with it, and why not here; NULL. *asks counts down
 * how often JSON may still be asked what it is. */
const char *section_unread(struct stk_text text, unsigned *asks, const char **why);

#endif
