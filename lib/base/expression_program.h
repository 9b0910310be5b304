/* SPDX-License-Identifier: MIT
 * expression_program: a regular expression as elements with ways between them, which expression.c walks. The language
 * is that of POSIX extended expressions in the C locale, as the C library of GNU understands it, with its \w \W \s \S
 * \b \B \< \> \` \' and without back references. */
#ifndef BASE_EXPRESSION_PROGRAM_H
#define BASE_EXPRESSION_PROGRAM_H

#include "base/array.h"
#include "stkpipe/error.h"
#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stdint.h>

enum element_kind {
	ELEMENT_BYTE,			/* takes one byte */
	ELEMENT_SET,			/* takes a byte of a set */
	ELEMENT_EITHER,			/* takes nothing; two ways lead on */
	ELEMENT_ANCHOR,			/* takes nothing; passes at some places only */
	ELEMENT_MATCH			/* the end of an expression */
};

enum anchor { ANCHOR_BEGIN, ANCHOR_END, ANCHOR_WORD_BEGIN, ANCHOR_WORD_END, ANCHOR_WORD_EDGE, ANCHOR_NO_WORD_EDGE };

struct element {
	unsigned char kind;
	unsigned char what;		/* the byte; enum anchor */
	uint32_t next;
	uint32_t other;			/* the second way; the number of the set, or of the expression */
};

struct byte_set { uint64_t bits[4]; };

struct expression_program {
	ARRAY(struct element) elements;	/* from 1 on: 0 is none */
	ARRAY(struct byte_set) sets;
	bool asks_words;		/* an anchor depends on the bytes beside it */
};

/* Adds an expression with this number. Returns its first element, or 0 with *err (STK_EUSAGE, "at character N: ...");
 * then nothing was added. Adds to *copies what repetitions add when they are written out. */
uint32_t program_add(struct expression_program *to, struct stk_text pattern, uint32_t number, uint32_t *copies,
		     struct stk_error *err) STK_MUST_CHECK;
void program_release(struct expression_program *program);

bool is_word_byte(unsigned char byte);

static inline bool
byte_set_has(const struct byte_set *set, unsigned char byte)
{
	return (set->bits[byte / 64] >> byte % 64 & 1) != 0;
}

#endif
