/* SPDX-License-Identifier: MIT
 * clean: makes text what the scanners want: UTF-8 without a byte order mark (from UTF-16 and UTF-32 too, with or
 * without one), lines that end in LF alone (from CR LF, or CR alone), and no log
 * prefixes before lines. Bytes go in as they are read, in pieces of any size, and come out line by line the same: as
 * many lines as went in, so that line numbers stay right.
 *
 *	cleaner_open(&cleaner);
 *	cleaner_set_prefix(cleaner, prefix);		when one was found; learnt from it is its shape
 *	while ((got = input_read(...)) > 0) {
 *		cleaner_add(cleaner, bytes, got);
 *		text = cleaner_take(cleaner);		valid until the next add or end
 *	}
 *	cleaner_end(cleaner);				what was held back, as it might have gone on
 *	text = cleaner_take(cleaner);
 *	cleaner_close(cleaner); */
#ifndef INGEST_CLEAN_H
#define INGEST_CLEAN_H

#include "ingest/unwrap.h"
#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stddef.h>

#define CLEAN_PREFIX_MAX 512	/* a longer one is not taken for a prefix; nor is one that has grown to 8 times this by
				 * its digits */

struct cleaner;

/* Whether a file that begins so has carriage returns, a byte order mark, or another encoding. Without,
 * and without a prefix, the bytes
 * need no cleaner. */
bool clean_needed(struct stk_text beginning);

void cleaner_open(struct cleaner **out);
void cleaner_close(struct cleaner *cleaner);

/* Before the first add, with the beginning of the file, which is added afterwards all the same: decides the encoding
 * and the line ends. Without it the first bytes decide the encoding, and CR alone ends no line. */
void cleaner_expect(struct cleaner *cleaner, struct stk_text beginning);

/* Before the first add: the text is wrapped by a log system. As many lines come out as were wrapped. */
void cleaner_unwrap(struct cleaner *cleaner, enum wrapping wrapping);
/* The same when that is seen only in what came out first: this goes in again. */
void cleaner_unwrap_again(struct cleaner *cleaner, enum wrapping wrapping, struct stk_text text);
/* Records whose text is lost. */
uint64_t cleaner_lost(const struct cleaner *cleaner);
/* Whether what was added has another encoding than its beginning, UTF-16 or UTF-32, or is no text. */
bool cleaner_met_other(const struct cleaner *cleaner);

/* Call this at the start of a line: before the first add, or when what was added so far ended with a newline. Lines
 * that do not begin with a prefix of this shape pass unchanged. A prefix over CLEAN_PREFIX_MAX, or an empty one, is
 * ignored. */
void cleaner_set_prefix(struct cleaner *cleaner, struct stk_text prefix);

void cleaner_add(struct cleaner *cleaner, const char *from, size_t size);
/* After cleaner_set_prefix: text that cleaner_take gave goes in again, from the line on from which its prefix was
 * learnt, all that came out since. Nothing is decoded twice. */
void cleaner_add_again(struct cleaner *cleaner, struct stk_text text);
void cleaner_end(struct cleaner *cleaner);

/* What came out since the last call. */
struct stk_text cleaner_take(struct cleaner *cleaner);

/* Whether the line begins with a prefix of the same shape; *size is what it takes of the line then. The shape: a run
 * of digits matches one of any length; a month, weekday or level matches any word of letters; blanks match blanks,
 * but the same number at the end; in a prefix with a time of day, what is in square or round brackets and does not
 * begin with a digit matches anything in such brackets, and a name without brackets matches another if what follows
 * is the same; anything else matches itself. A line that ends where only
 * blanks of the prefix are left matches too: loggers drop them from lines that are otherwise empty. */
bool clean_prefix_matches(struct stk_text prefix, struct stk_text line, size_t *size);

/* Whether the prefix has a time of day: then it is a log's, which may name the thread that wrote the line. */
bool clean_has_clock(struct stk_text prefix);

#endif
