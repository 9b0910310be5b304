/* SPDX-License-Identifier: MIT
 * schema: the library's own schema, from schema_table.h, and the schemas that streams carry in their heads. */
#include "stkpipe/schema.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/text_buffer.h"

#include <stdlib.h>

#define KIND_NUMBER_END STK_KIND_COUNT	/* the table's numbers are below */

/* --- the library's own --- */

#define ENUM(NAME, ...) static const char *const names_of_##NAME[] = { __VA_ARGS__, NULL };
STK_ENUMS(ENUM)
#undef ENUM

/* Per column type: stk_type, the kind an id refers to, the names of an enumeration. */
#define TYPE_OF_TEXT      STK_TYPE_TEXT, 0, NULL
#define TYPE_OF_COUNT     STK_TYPE_COUNT, 0, NULL
#define TYPE_OF_NUMBER    STK_TYPE_NUMBER, 0, NULL
#define TYPE_OF_REAL      STK_TYPE_REAL, 0, NULL
#define TYPE_OF_TIME      STK_TYPE_TIME, 0, NULL
#define TYPE_OF_SPAN      STK_TYPE_SPAN, 0, NULL
#define TYPE_OF_CLOCK     STK_TYPE_ENUM, 0, names_of_CLOCK
#define TYPE_OF_RUNTIME   STK_TYPE_ENUM, 0, names_of_RUNTIME
#define TYPE_OF_FORM      STK_TYPE_ENUM, 0, names_of_FORM
#define TYPE_OF_STATE     STK_TYPE_ENUM, 0, names_of_STATE
#define TYPE_OF_ROLE      STK_TYPE_ENUM, 0, names_of_ROLE
#define TYPE_OF_RELATION  STK_TYPE_ENUM, 0, names_of_RELATION
#define TYPE_OF_HAPPENING STK_TYPE_ENUM, 0, names_of_HAPPENING
#define TYPE_OF_NODE      STK_TYPE_ENUM, 0, names_of_NODE
#define TYPE_OF_SERIES    STK_TYPE_ENUM, 0, names_of_SERIES
#define TYPE_OF_SEVERITY  STK_TYPE_ENUM, 0, names_of_SEVERITY
#define TYPE_OF_INVOLVEMENT STK_TYPE_ENUM, 0, names_of_INVOLVEMENT
#define TYPE_OF_STRING    STK_TYPE_ID, STK_STRING, NULL
#define TYPE_OF_FRAME     STK_TYPE_ID, STK_FRAME, NULL
#define TYPE_OF_STACK     STK_TYPE_ID, STK_STACK, NULL
#define TYPE_OF_SOURCE    STK_TYPE_ID, STK_SOURCE, NULL
#define TYPE_OF_THREAD    STK_TYPE_ID, STK_THREAD, NULL
#define TYPE_OF_LOCKS     STK_TYPE_ID, STK_LOCKS, NULL
#define TYPE_OF_OBJECTS   STK_TYPE_ID, STK_OBJECTS, NULL
#define TYPE_OF_DUMP      STK_TYPE_ID, STK_DUMP, NULL

/* A column's row needs its kind's struct, which COLUMN does not name: so each kind gets a struct alias `row` and
 * `numbers` in a scope of its own. */
#define TEXT_OF(name) #name
#define COLUMN(name, type, prediction, key, about) \
	{ \
		TEXT_OF(name),       TYPE_OF_##type, STK_##prediction, (unsigned)offsetof(numbers, key), \
		offsetof(row, name), about \
	},
#define KIND(NAME, name, number, role, about) \
static const struct stk_column_schema * \
columns_of_##name(void) \
{ \
	typedef struct stk_##name row; \
	typedef struct stk_columns_of_##name numbers; \
	static const struct stk_column_schema columns[] = { STK_COLUMNS_##NAME(COLUMN) }; \
	return columns; \
}
STK_KINDS(KIND)
#undef KIND
#undef COLUMN
#undef TEXT_OF

static int
first_time(const struct stk_kind_schema *kind)
{
	for (unsigned c = 0; c < kind->columns && !kind->naming; c++)		/* names are always valid */
		if (kind->column[c].type == STK_TYPE_TIME)
			return (int)c;
	return -1;
}

#define ROLE_IS_DEFINITION true
#define ROLE_IS_ROW        false
#define ROLE_IS_NAMING     false
#define NAMES_DEFINITION   false
#define NAMES_ROW          false
#define NAMES_NAMING       true

static struct stk_kind_schema own_kinds[KIND_NUMBER_END];
static const struct stk_schema own_schema = { KIND_NUMBER_END, own_kinds };

/* Before main: the table is constant from then on, for any thread. */
__attribute__((constructor)) static void
own_schema_fill(void)
{
#define KIND(NAME, name_, number_, role, about_) \
	own_kinds[number_] = (struct stk_kind_schema){ .name = #name_, \
						       .number = number_, \
						       .definition = ROLE_IS_##role, \
						       .naming = NAMES_##role, \
						       .columns = (unsigned)sizeof(struct stk_columns_of_##name_), \
						       .column = columns_of_##name_(), \
						       .row_size = sizeof(struct stk_##name_), \
						       .about = about_ }; \
	own_kinds[number_].time = first_time(&own_kinds[number_]);
	STK_KINDS(KIND)
#undef KIND
}

const struct stk_schema *
stk_schema(void)
{
	return &own_schema;
}

const struct stk_kind_schema *
stk_schema_find(const struct stk_schema *schema, struct stk_text name)
{
	for (unsigned k = 0; k < schema->kinds; k++)
		if (schema->kind[k].name != NULL && text_is(name, schema->kind[k].name))
			return &schema->kind[k];
	return NULL;
}

/* --- to text --- */

static void
add_type(struct text_buffer *to, const struct stk_schema *schema, const struct stk_column_schema *column)
{
	static const char *const names[] = { "text", "count", "number", "real", "time", "span" };

	if (column->type == STK_TYPE_ID) {
		add_string(to, "id:");
		add_string(to, schema->kind[column->refers].name);
	} else if (column->type == STK_TYPE_ENUM) {
		for (size_t n = 0; column->names[n] != NULL; n++) {
			add_string(to, n == 0 ? "enum:" : "|");
			add_string(to, column->names[n]);
		}
	} else {
		add_string(to, names[column->type]);
	}
}

static void
add_kind(struct text_buffer *to, const struct stk_schema *schema, const struct stk_kind_schema *kind)
{
	add_format(to, "kind %u %s %s\n", kind->number, kind->name, kind->definition ? "definition" : "row");
	for (unsigned c = 0; c < kind->columns; c++) {
		add_string(to, "column ");
		add_string(to, kind->column[c].name);
		add_char(to, ' ');
		add_type(to, schema, &kind->column[c]);
		add_char(to, '\n');
	}
}

/* The kinds of `schema`, each as in `more` where that has more columns, and those that only `more` has. */
static char *
schema_text(const struct stk_schema *schema, const struct stk_schema *more, size_t *size)
{
	struct text_buffer text = { 0 };
	unsigned kinds = schema->kinds > more->kinds ? schema->kinds : more->kinds;

	for (unsigned k = 0; k < kinds; k++) {
		const struct stk_kind_schema *kind =
			k < schema->kinds && schema->kind[k].name != NULL ? &schema->kind[k] : NULL;
		const struct stk_kind_schema *other =
			k < more->kinds && more->kind[k].name != NULL ? &more->kind[k] : NULL;

		if (kind != NULL && (other == NULL || other->columns <= kind->columns))
			add_kind(&text, schema, kind);
		else if (other != NULL)
			add_kind(&text, more, other);
	}
	*size = text.count;
	add_char(&text, '\0');
	return text.at;
}

char *
stk_schema_text(const struct stk_schema *schema, size_t *size)
{
	return schema_text(schema, schema, size);
}

char *
stk_schema_text_with_own(const struct stk_schema *read, size_t *size)
{
	for (unsigned k = 0; k < own_schema.kinds; k++) {
		const struct stk_kind_schema *theirs =
			k < read->kinds && read->kind[k].name != NULL ? &read->kind[k] : NULL;

		if (own_kinds[k].name != NULL && (theirs == NULL || theirs->columns < own_kinds[k].columns))
			return schema_text(read, &own_schema, size);
	}
	return NULL;
}

/* --- from text --- */

struct read_schema {		/* what stk_schema_parse allocates, in its own arena */
	struct stk_schema schema;
	struct arena arena;
};

static struct stk_text
next_word(struct stk_text *line)
{
	const char *end = line->data + line->size;
	const char *from = line->data;
	const char *to;

	while (from < end && *from == ' ')
		from++;
	for (to = from; to < end && *to != ' '; to++)
		;
	*line = text_of(to, (size_t)(end - to));
	return text_of(from, (size_t)(to - from));
}

static struct stk_text
next_line(struct stk_text *text)
{
	const char *newline = text->size == 0 ? NULL : memchr(text->data, '\n', text->size);
	size_t size = newline == NULL ? text->size : (size_t)(newline - text->data);
	struct stk_text line = text_of(text->data, size);

	size += newline != NULL;
	text->data += size;
	text->size -= size;
	return line;
}

/* A name is printed to terminals and into JSON: letters, digits, _ and - only. */
static bool
is_name(struct stk_text name)
{
	for (size_t i = 0; i < name.size; i++) {
		char c = name.data[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_' &&
		    c != '-')
			return false;
	}
	return name.size > 0 && name.size <= 64;
}

static int
parse_number(struct stk_text word, unsigned limit, unsigned *number)
{
	unsigned value = 0;

	if (word.size == 0)
		return -1;
	for (size_t i = 0; i < word.size; i++) {
		if (word.data[i] < '0' || word.data[i] > '9' ||
		    (value = value * 10 + (unsigned)(word.data[i] - '0')) >= limit)
			return -1;
	}
	*number = value;
	return 0;
}

static int
parse_enum_names(struct read_schema *read, struct stk_column_schema *column, struct stk_text list)
{
	size_t count = 1;
	const char **names;

	for (size_t i = 0; i < list.size; i++)
		count += list.data[i] == '|';
	names = arena_alloc(&read->arena, (count + 1) * sizeof *names);
	for (size_t n = 0; n < count; n++) {
		const char *bar = memchr(list.data, '|', list.size);
		size_t size = bar == NULL ? list.size : (size_t)(bar - list.data);

		if (!is_name(text_of(list.data, size)))
			return -1;
		names[n] = arena_copy(&read->arena, list.data, size);
		size += bar != NULL;
		list.data += size;
		list.size -= size;
	}
	names[count] = NULL;
	column->type = STK_TYPE_ENUM;
	column->names = names;
	return 0;
}

/* Id types name kinds that may be declared later: the name is kept in `about` until all kinds are known. */
static int
parse_type(struct read_schema *read, struct stk_column_schema *column, struct stk_text word)
{
	static const struct { const char *name; enum stk_type type;
	} types[] = { { "text", STK_TYPE_TEXT }, { "count", STK_TYPE_COUNT }, { "number", STK_TYPE_NUMBER },
		      { "real", STK_TYPE_REAL }, { "time", STK_TYPE_TIME },   { "span", STK_TYPE_SPAN } };

	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		if (text_is(word, types[t].name)) {
			column->type = types[t].type;
			return 0;
		}
	if (text_starts(word, "enum:"))
		return parse_enum_names(read, column, text_of(word.data + 5, word.size - 5));
	if (!text_starts(word, "id:") || !is_name(text_of(word.data + 3, word.size - 3)))
		return -1;
	column->type = STK_TYPE_ID;
	column->about = arena_copy(&read->arena, word.data + 3, word.size - 3);
	return 0;
}

/* Gives a column of a kind that the library knows its place in the row struct. */
static int
match_column(const struct stk_kind_schema *own, unsigned number, struct stk_column_schema *column)
{
	const struct stk_column_schema *known = own != NULL && number < own->columns ? &own->column[number] : NULL;

	column->offset = (size_t)-1;
	if (known == NULL)
		return 0;
	if (strcmp(known->name, column->name) != 0 || known->type != column->type)
		return -1;
	column->offset = known->offset;
	column->prediction = known->prediction;
	column->key = known->key;
	return 0;
}

/* Kinds whose columns are fixed, whatever a schema says. */
static bool
is_fixed(unsigned number)
{
	return number == STK_HEAD || number == STK_INDEX || number == STK_END;
}

static int
parse_kind(struct read_schema *read, struct stk_kind_schema *kinds, struct stk_kind_schema **present,
	   struct stk_text line, struct stk_error *err)
{
	unsigned number = 0;
	struct stk_text number_word = next_word(&line), name = next_word(&line), role = next_word(&line);
	const struct stk_kind_schema *own;

	if (parse_number(number_word, STK_KIND_MAX, &number) < 0 || !is_name(name) ||
	    (!text_is(role, "row") && !text_is(role, "definition")))
		return stk_fail(err, STK_EDATA,
				"the schema's line for a kind is not 'kind NUMBER NAME row|definition'");
	if (kinds[number].name != NULL)
		return stk_fail(err, STK_EDATA, "the schema declares kind %u twice", number);
	own = number < own_schema.kinds && own_kinds[number].name != NULL ? &own_kinds[number] : NULL;
	if (is_fixed(number)) {
		kinds[number] = own_kinds[number];
		*present = &kinds[number];
		return 0;
	}
	if (own != NULL && (!text_is(name, own->name) || own->definition != text_is(role, "definition")))
		return stk_fail(err, STK_EDATA, "the schema calls kind %u '%.*s', a %.*s, expected '%s', a %s", number,
				(int)name.size, name.data, (int)role.size, role.data, own->name,
				own->definition ? "definition" : "row");
	kinds[number] = (struct stk_kind_schema){ .name = arena_copy(&read->arena, name.data, name.size),
						  .number = number,
						  .definition = text_is(role, "definition"),
						  .naming = own != NULL && own->naming,
						  .time = -1,
						  .row_size = own != NULL ? own->row_size : 0,
						  .about = "" };
	kinds[number].column = arena_alloc(&read->arena, STK_COLUMN_MAX * sizeof(struct stk_column_schema));
	*present = &kinds[number];
	return 0;
}

static int
parse_column(struct read_schema *read, struct stk_kind_schema *kind, struct stk_text line, struct stk_error *err)
{
	struct stk_text name = next_word(&line), type = next_word(&line);
	struct stk_column_schema column = { .about = "" };

	if (kind != NULL && is_fixed(kind->number))
		return 0;
	if (kind == NULL || kind->columns == STK_COLUMN_MAX)
		return stk_fail(err, STK_EDATA, "the schema has %s",
				kind == NULL ? "a column before any kind" : "a kind of too many columns");
	column.name = arena_copy(&read->arena, name.data, name.size);
	column.key = kind->columns;
	if (!is_name(name) || parse_type(read, &column, type) < 0)
		return stk_fail(err, STK_EDATA, "the schema's column %u of kind '%s' is not 'column NAME TYPE'",
				kind->columns, kind->name);
	if (match_column(kind->number < own_schema.kinds && kind->row_size > 0 ? &own_kinds[kind->number] : NULL,
			 kind->columns, &column) < 0)
		return stk_fail(err, STK_EDATA,
				"the schema's column '%s' of kind '%s' is another one in this version",
				column.name, kind->name);
	((struct stk_column_schema *)kind->column)[kind->columns++] = column;
	return 0;
}

/* Turns the names that id columns refer to into kind numbers; a name that is not a kind makes the column a count. */
static void
resolve_ids(const struct stk_schema *schema)
{
	for (unsigned k = 0; k < schema->kinds; k++)
		for (unsigned c = 0; c < schema->kind[k].columns; c++) {
			struct stk_column_schema *column = (struct stk_column_schema *)&schema->kind[k].column[c];
			const struct stk_kind_schema *refers;

			if (column->type != STK_TYPE_ID)
				continue;
			refers = stk_schema_find(schema, text_from(column->about));
			column->about = "";
			if (refers != NULL)
				column->refers = refers->number;
			else
				column->type = STK_TYPE_COUNT;
		}
}

int
stk_schema_parse(struct stk_schema **out, struct stk_text text, struct stk_error *err)
{
	struct read_schema *read = mem_new(1, sizeof *read);
	struct stk_kind_schema *kinds, *present = NULL;

	*out = NULL;
	kinds = arena_alloc(&read->arena, STK_KIND_MAX * sizeof *kinds);
	memset(kinds, 0, STK_KIND_MAX * sizeof *kinds);
	read->schema = (struct stk_schema){ STK_KIND_MAX, kinds };
	while (text.size > 0) {
		struct stk_text line = next_line(&text);
		struct stk_text word = next_word(&line);

		if ((text_is(word, "kind") && parse_kind(read, kinds, &present, line, err) < 0) ||
		    (text_is(word, "column") && parse_column(read, present, line, err) < 0)) {
			stk_schema_free(&read->schema);
			return -1;
		}
	}
	for (unsigned k = 0; k < STK_KIND_MAX; k++) {
		if (is_fixed(k))
			kinds[k] = own_kinds[k];
		kinds[k].time = first_time(&kinds[k]);
	}
	resolve_ids(&read->schema);
	*out = &read->schema;
	return 0;
}

void
stk_schema_free(struct stk_schema *schema)
{
	struct read_schema *read = (struct read_schema *)schema;	/* its first member */

	if (read == NULL)
		return;
	arena_release(&read->arena);
	free(read);
}
