/* SPDX-License-Identifier: MIT
 * mask_key: the secret of a mask, and the names that were masked with it: a file that its owner keeps. The token of a
 * name is a keyed hash of it (HMAC-SHA-256), so that the same name has the same token wherever the key is used, and
 * nobody without the key can find a name by trying. The way back is a table in the file. */
#ifndef MODEL_MASK_KEY_H
#define MODEL_MASK_KEY_H

#include "stkpipe/error.h"
#include "stkpipe/rows.h"

#include <stdbool.h>

#define MASK_TOKEN_SIZE 12

struct mask_key;

/* A new random key, with no names. */
int  mask_key_random(struct mask_key **out, struct stk_error *err) STK_MUST_CHECK;
/* The file of an earlier run. Refused are files that others can read or that are damaged. -1 with *err; *missing: there
 * is none. */
int  mask_key_read(struct mask_key **out, const char *path, bool *missing, struct stk_error *err) STK_MUST_CHECK;
void mask_key_close(struct mask_key *key);

/* Writes the file (mode 0600), with the names that other runs put there meanwhile. A key without new names is written
 * only where there is no file. */
int  mask_key_save(struct mask_key *key, const char *path, struct stk_error *err) STK_MUST_CHECK;

/* The token of a name: 12 letters, x first, or X for a name that begins with a capital. -1 with *err: another name has
 * it. */
int  mask_key_token(struct mask_key *key, struct stk_text name, char token[MASK_TOKEN_SIZE],
		    struct stk_error *err) STK_MUST_CHECK;
/* The name that a token is of; false: none that was masked with this key. */
bool mask_key_name(const struct mask_key *key, struct stk_text token, struct stk_text *name);
/* Whether a word has the form of a token. */
bool mask_is_token(struct stk_text word);

/* Says which key it is, and nothing about it: 16 hexadecimal digits. */
struct stk_text mask_key_id(const struct mask_key *key);
/* How many names it knows; and the one with a number, from 1 on. */
uint32_t mask_key_names(const struct mask_key *key);
struct stk_text mask_key_name_of(const struct mask_key *key, uint32_t number);

#endif
