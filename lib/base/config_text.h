/* SPDX-License-Identifier: MIT
 * config_text: YAML that people write: texts, lists and maps, each with its line and column, so that errors can be
 * reported with their place. Bounded: 16 MB, 64 levels, a million nodes; no aliases, no keys twice. */
#ifndef BASE_CONFIG_TEXT_H
#define BASE_CONFIG_TEXT_H

#include "stkpipe/error.h"
#include "stkpipe/rows.h"

#include <stddef.h>

#define CONFIG_BYTES_MOST (16u << 20)

enum config_type { CONFIG_TEXT, CONFIG_LIST, CONFIG_MAP };

struct config_node {
	enum config_type type;
	unsigned line, column;		/* from 1 */
	struct stk_text key;		/* of a map's member */
	unsigned key_line, key_column;
	struct stk_text text;		/* of a text; NUL-terminated */
	struct config_node *first;	/* members of a list or map */
	struct config_node *next;	/* the next in its list or map */
	size_t count;			/* of members */
};

struct config;

/* -1 with *err: "LINE:COLUMN: what is wrong". An empty text is an empty map. */
int  config_read(struct config **out, const char *text, size_t size, struct stk_error *err) STK_MUST_CHECK;
/* The same of a file; *err names it as well: "FILE:LINE:COLUMN: ...". */
int  config_read_file(struct config **out, const char *path, struct stk_error *err) STK_MUST_CHECK;
void config_close(struct config *config);
const struct config_node *config_root(const struct config *config);
/* The text that was read, for embedding it. */
struct stk_text config_source(const struct config *config);

/* A member of a map, or NULL. */
const struct config_node *config_member(const struct config_node *map, const char *key);

/* A mistake at a node, "FILE:12:3: WHAT 'TEXT': expected EXPECTED", of which text and expected may be empty. -1. */
int config_fail(struct stk_error *err, const char *file, const struct config_node *node, const char *what,
		struct stk_text text, const char *expected);

#endif
