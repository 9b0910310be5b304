/* SPDX-License-Identifier: MIT
 * call_sequences: sequences of interest through several functions, as people write them, in YAML:
 *
 *	sequences:
 *	  - [request, "... without lock", fsync]		# calls of these begin, one within the other or after it
 *	  - [parse, "parse:if.then@12", ..., "parse:<", flush]	# a block; the end of a call
 *	  - {name: twice, path: [request, "(... fsync)*2"]}
 *	  - [request, "... without lock"]			# to the end of the call of the first function
 *
 * A sequence sees only what it names: beginnings and ends of the calls of functions that it names so, and all blocks
 * of a function of which it names any. Next to each other, two items follow directly, among all that it sees. */
#ifndef PATH_CALL_SEQUENCES_H
#define PATH_CALL_SEQUENCES_H

#include "base/array.h"
#include "base/text_table.h"
#include "stkpipe/error.h"

#include <stdbool.h>

#define SEQUENCES_MOST      1000u
#define SEQUENCE_ITEMS_MOST 4096u	/* of one, repetitions expanded */
#define SEQUENCE_NAMES_MOST 64u		/* different ones of one */

enum sequence_place { SEQUENCE_BEGINS, SEQUENCE_BLOCK, SEQUENCE_ENDS };

struct sequence_name {
	uint32_t function;		/* of call_sequences.functions */
	enum sequence_place place;
	struct stk_text block;		/* a name, a label, or @14 */
};

/* A name, as a bit; or, when that is 0, a gap, and the names that may not be in it. */
struct sequence_item { uint64_t name, without; };

struct call_sequence {
	struct stk_text title;
	unsigned line;			/* of the file */
	ARRAY(struct sequence_name) names;
	ARRAY(struct sequence_item) items;
	uint32_t root;			/* the function whose calls it is looked for in */
	bool to_end;			/* a gap is last, which lasts until the end of the root's call */
};

struct call_sequences {
	struct text_table functions;
	struct text_table texts;
	ARRAY(struct call_sequence) list;
};

/* -1 (STK_EUSAGE, or STK_ESYSTEM when the file cannot be read). */
int call_sequences_read_file(struct call_sequences *out, const char *path, struct stk_error *err) STK_MUST_CHECK;
/* The same from a text; name is used in messages. */
int call_sequences_read(struct call_sequences *out, const char *name, const char *text, size_t size,
			struct stk_error *err) STK_MUST_CHECK;
void call_sequences_release(struct call_sequences *sequences);

/* Which of its names an event has, as bits. False: the sequence does not see it. block: of SEQUENCE_BLOCK. */
bool call_sequence_sees(const struct call_sequence *sequence, uint32_t function, enum sequence_place place,
			struct stk_text block, uint64_t *names);
/* Whether a block may be called so: by its name, its label before the @, or its line from the @ on. */
bool sequence_block_is(struct stk_text block, struct stk_text called);

#endif
