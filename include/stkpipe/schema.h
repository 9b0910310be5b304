/* SPDX-License-Identifier: MIT
 * schema: what kinds and columns a stream has. The library's own schema is built from schema_table.h; a stream carries
 * its writer's as text in its head, so that kinds and columns of newer versions can be printed and passed on. */
#ifndef STKPIPE_SCHEMA_H
#define STKPIPE_SCHEMA_H

#include "stkpipe/error.h"
#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

STK_DECLARATIONS_BEGIN

enum stk_type {			/* the columns' types, as far as they affect the encoding */
	STK_TYPE_TEXT,
	STK_TYPE_COUNT,
	STK_TYPE_NUMBER,
	STK_TYPE_REAL,
	STK_TYPE_TIME,
	STK_TYPE_SPAN,
	STK_TYPE_ENUM,		/* a value is a position in names */
	STK_TYPE_ID		/* a value is an id of the kind `refers` */
};

/* See schema_table.h. PAIR is SAME in a stream. */
enum stk_prediction { STK_PLAIN, STK_STEP, STK_BY, STK_BYSTEP, STK_SAME, STK_BACK, STK_PAIR };

#define STK_KIND_MAX   1024	/* kind numbers are below */
#define STK_COLUMN_MAX 64	/* columns of a kind */

struct stk_column_schema {
	const char *name;
	enum stk_type type;
	unsigned refers;		/* STK_TYPE_ID: a kind's number */
	const char *const *names;	/* STK_TYPE_ENUM: NULL-terminated */
	enum stk_prediction prediction;
	unsigned key;			/* the number of a column */
	/* in the row struct; (size_t)-1 when this program's struct does not have it */
	size_t offset;
	const char *about;		/* "" in a schema that was read */
};

struct stk_kind_schema {
	const char *name;		/* NULL: no such kind */
	unsigned number;
	bool definition;		/* rows have ids */
	/* rows describe what others are about: written before those (of this program's own kinds) */
	bool naming;
	unsigned columns;
	const struct stk_column_schema *column;
	int time;			/* the first column of type TIME, or -1 */
	size_t row_size;		/* of this program's struct; 0 for a kind it does not know */
	const char *about;
};

struct stk_schema {
	unsigned kinds;			/* numbers are below this */
	const struct stk_kind_schema *kind;	/* by number; those without a name are unused */
};

/* The library's own: all kinds and columns of schema_table.h. A constant, never NULL, not to be freed. */
const struct stk_schema *stk_schema(void);

/* The kind of this name ("sample"), or NULL. Looks at each kind. */
const struct stk_kind_schema *stk_schema_find(const struct stk_schema *schema, struct stk_text name);

/* A schema as text, as a stream has it in its head: *size bytes, which the caller frees with free(3). Lines: "kind
 * NUMBER NAME row|definition", each followed by "column NAME TYPE" lines; TYPE is text count number real time span,
 * "id:KIND", or "enum:NAME|NAME|..." Never NULL. */
char *stk_schema_text(const struct stk_schema *schema, size_t *size);

/* The same for a schema that was read, plus what only the library's own has; NULL, and nothing to free, when there is
 * nothing to add. */
char *stk_schema_text_with_own(const struct stk_schema *read, size_t *size);

/* Reads such a text, which is copied. Kinds and columns that the library knows by the same number and name get their
 * place in the row structs; others have none and are read by number. 0 and *out, to be freed with stk_schema_free; -1
 * with *err (STK_EDATA) and *out NULL: a line is not as above, a number is beyond STK_KIND_MAX or STK_COLUMN_MAX, a
 * kind whose number is known has another name, or a column that is known another type. */
int stk_schema_parse(struct stk_schema **out, struct stk_text text, struct stk_error *err) STK_MUST_CHECK;

/* Frees a schema that stk_schema_parse returned, and no other. NULL does nothing. */
void stk_schema_free(struct stk_schema *schema);

STK_DECLARATIONS_END

#endif
