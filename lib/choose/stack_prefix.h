/* SPDX-License-Identifier: MIT
 * stack_prefix: what precedes the frames of a stack: the pool of its thread in a dump, its command elsewhere, or what
 * --by asks for. Made once for each thread. */
#ifndef CHOOSE_STACK_PREFIX_H
#define CHOOSE_STACK_PREFIX_H

#include "model/model.h"

struct stack_prefixes;

/* Whether stack_prefixes_open takes these keys. */
bool stack_prefixes_known(const char *keys);

/* keys: of --by, with commas; NULL or "": the usual one. -1 with *err (STK_EUSAGE). The model is borrowed. */
int stack_prefixes_open(struct stack_prefixes **out, const struct model *model, const char *keys,
			struct stk_error *err) STK_MUST_CHECK;
/* The same for callers that ask by stack_prefix_on: "processor" is a key as well. */
int stack_prefixes_open_processors(struct stack_prefixes **out, const struct model *model, const char *keys,
				   struct stk_error *err) STK_MUST_CHECK;
void stack_prefixes_close(struct stack_prefixes *prefixes);
/* Ids of threads start anew, and so do numbers of prefixes. */
void stack_prefixes_forget(struct stack_prefixes *prefixes);

/* Ids of threads start anew; prefixes keep their numbers: for sums over several streams. */
void stack_prefixes_turn(struct stack_prefixes *prefixes);

/* From now on pools have one prefix that differ in a number only, which a restart changes: "pool-*-thread". Without
 * effect on other keys: what --by asks for is kept apart. */
void stack_prefixes_fold(struct stack_prefixes *prefixes);
/* Whether that gives the text another. */
bool stack_prefix_folds(const struct stack_prefixes *prefixes, struct stk_text text);

/* The number of the prefix of a sample, from 2 on; equal for equal ones. */
uint32_t stack_prefix(struct stack_prefixes *prefixes, uint64_t thread, uint64_t dump, uint64_t state);
/* The same where processors may be a key; -1: not known. */
uint32_t stack_prefix_on(struct stack_prefixes *prefixes, uint64_t thread, uint64_t dump, uint64_t state,
			 int64_t processor);
/* Whether it depends only on the thread and on being in a dump or not: then callers may keep it. */
bool stack_prefix_is_of_thread(const struct stack_prefixes *prefixes);
/* The number of a prefix that was stored. */
uint32_t stack_prefix_of_text(struct stack_prefixes *prefixes, struct stk_text text, bool java);

struct stk_text stack_prefix_text(const struct stack_prefixes *prefixes,
				  uint32_t prefix); /* elements with ';' between; "" for none */
/* frames are named as those of a Java process */
static inline bool stack_prefix_is_java(uint32_t prefix) { return prefix % 2 != 0; }

#endif
