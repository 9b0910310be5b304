/* SPDX-License-Identifier: MIT
 * key_sets: what a tree counts stacks by: one set of keys, or several, each with nodes of its own. Set 0 is the one
 * that is usual for the tree. */
#ifndef TIMETREE_KEY_SETS_H
#define TIMETREE_KEY_SETS_H

#include "stkpipe/error.h"

#include <stdbool.h>
#include <stddef.h>

#define KEY_SETS_MOST 8
#define KEYS_TEXT_MAX 256

/* Keys with commas between, as stack_prefixes_open takes them; "": pool in dumps, command elsewhere. count 0: that
 * alone. The texts are borrowed. */
struct key_sets { const char *by[KEY_SETS_MOST]; unsigned count; };

unsigned    key_sets_count(const struct key_sets *sets);
const char *key_sets_by(const struct key_sets *sets, unsigned set);
bool        key_sets_equal(const struct key_sets *a, const struct key_sets *b);
/* The set with these keys; -1. */
int         key_sets_find(const struct key_sets *sets, const char *by);

/* Adds a set. -1 with *err (STK_EUSAGE): there are too many, the keys are too long, or there already. */
int         key_sets_add(struct key_sets *sets, const char *by, struct stk_error *err) STK_MUST_CHECK;

/* For people: "thread' and 'source,state", to be put between quotes. Returns `to`. */
char       *key_sets_print(char *to, size_t room, const struct key_sets *sets);

#endif
