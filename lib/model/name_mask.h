/* SPDX-License-Identifier: MIT
 * name_mask: replaces names in texts by tokens, word by word, and back. Separators, numbers and words of the languages
 * stay, so that packages keep their depth, classes their inner ones, and threads the numbers of their pools.
 *
 * PATTERN,...  each is [WHAT:]GLOB. In a GLOB * is any text without . / $ : and ** is any text; it matches a name or
 * the beginning of one, up to a separator; a backslash takes the next character as it is. Without WHAT it is a name of
 * functions, classes and packages, which is masked wherever it is in any text. WHAT: and nothing more is everything of
 * that sort. */
#ifndef MODEL_NAME_MASK_H
#define MODEL_NAME_MASK_H

#include "base/text_buffer.h"
#include "model/mask_key.h"

enum mask_role {		/* what a text is; those up to MASK_METRIC are words for WHAT */
	MASK_NAME,		/* of a function or class */
	MASK_THREAD,
	MASK_HOST,
	MASK_PROCESS,
	MASK_SOURCE,		/* the file or process that a recording is of */
	MASK_PATH,		/* a source file, a binary */
	MASK_METRIC,		/* a metric, counter or event */
	MASK_TEXT,		/* any other: names in it are masked */
	MASK_REMARK,		/* text for people, which may repeat texts of all sorts: masked whole when any but names
				 * are */
	MASK_BESIDE,		/* beside a masked function: its file or module, masked whole unless it is the
				 * platform's */
	MASK_ROLES
};

struct name_mask;

/* The key is borrowed. -1 with *err (STK_EUSAGE): a pattern is not one. */
int  name_mask_open(struct name_mask **out, const char *patterns, struct mask_key *key,
		    struct stk_error *err) STK_MUST_CHECK;
void name_mask_close(struct name_mask *mask);

/* Adds the text, masked. 1: anything in it was; 0: nothing; -1 with *err. */
int name_mask_text(struct name_mask *mask, enum mask_role role, struct stk_text text, struct text_buffer *to,
		   struct stk_error *err) STK_MUST_CHECK;
/* The patterns that have matched nothing so far: the next one after *at, which begins as 0. False: there is none. */
bool name_mask_unused(const struct name_mask *mask, unsigned *at, struct stk_text *pattern);
/* Of words left as they are, one that is the token of a name as well: it could not be told from it. */
bool name_mask_clash(const struct name_mask *mask, struct stk_text *word);
/* How many texts that were left as they are have a word that is masked elsewhere, such as a thread named like a masked
 * class; the first of them. Functions are not among them. */
size_t name_mask_leaks(struct name_mask *mask, struct stk_text *word, struct stk_text *text);
/* Whether a function is one of the Java platform. */
bool is_platform_name(struct stk_text name);

/* Adds the text with names in place of tokens of the key. Returns whether there was any. */
bool name_unmask_text(const struct mask_key *key, struct stk_text text, struct text_buffer *to);

#endif
