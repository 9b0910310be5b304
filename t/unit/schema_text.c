/* SPDX-License-Identifier: MIT
 * schema_text: which texts are a schema. On each bound a line is read, one past it is refused with a reason. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "stkpipe/schema.h"
#include "stkpipe/stream.h"

static struct stk_schema *schema;
static struct stk_error err;

static bool
is_schema(const char *text)
{
	bool good;

	stk_schema_free(schema);
	stk_error_clear(&err);
	good = stk_schema_parse(&schema, text_from(text), &err) == 0;
	if (good != (schema != NULL) || good != (err.code == STK_EOK))
		ok(false, "a schema, or a reason: '%s'", text);
	return good;
}

static void
is_refused(const char *text, const char *why)
{
	ok(!is_schema(text) && err.code == STK_EDATA && strstr(err.text, why) != NULL, "refused: %s", err.text);
}

static void
test_kinds(void)
{
	ok(is_schema("") && schema->kind[STK_HEAD].columns > 0, "an empty text has the kinds that are fixed");
	ok(is_schema("kind 1023 x row\n") && strcmp(schema->kind[1023].name, "x") == 0 && !schema->kind[1023].definition,
	   "kind 1023");
	ok(is_schema("kind 1000  x   definition  more\nwords of later versions\n") && schema->kind[1000].definition,
	   "words and lines that are not known are left out");
	ok(is_schema("kind 1000 x row") && schema->kind[1000].name != NULL, "the last line needs no end");
	is_refused("kind 1024 x row\n", "'kind NUMBER NAME row|definition'");
	is_refused("kind 99999999999999999999 x row\n", "'kind NUMBER NAME row|definition'");
	is_refused("kind -1 x row\n", "'kind NUMBER NAME row|definition'");
	is_refused("kind 1x x row\n", "'kind NUMBER NAME row|definition'");
	is_refused("kind : x row\n", "'kind NUMBER NAME row|definition'");
	is_refused("kind\n", "'kind NUMBER NAME row|definition'");
	is_refused("kind 1000 x\n", "'kind NUMBER NAME row|definition'");
	is_refused("kind 1000 x rows\n", "'kind NUMBER NAME row|definition'");
	is_refused("kind 1000 x row\nkind 1000 y row\n", "declares kind 1000 twice");
	is_refused("kind 9 samples row\n", "calls kind 9 'samples', a row, expected 'sample', a row");
	is_refused("kind 9 sample definition\n", "expected 'sample', a row");
	is_refused("kind 1 string row\n", "expected 'string', a definition");
}

static void
test_names(void)
{
	char text[200];

	ok(is_schema("kind 1000 aZ09_- row\n"), "letters, digits, _ and -");
	for (const char *c = "`{@[/:.|\x1b\t\xc3"; *c != '\0'; c++) {
		snprintf(text, sizeof text, "kind 1000 a%cb row\n", *c);
		ok(!is_schema(text), "no name has a byte 0x%02x", (unsigned)(unsigned char)*c);
	}
	snprintf(text, sizeof text, "kind 1000 %064d row\n", 1);
	ok(is_schema(text), "a name of 64 letters");
	snprintf(text, sizeof text, "kind 1000 %065d row\n", 1);
	ok(!is_schema(text), "none of 65");
}

static bool
is_column(const char *column)
{
	char text[200];

	snprintf(text, sizeof text, "kind 1000 x row\ncolumn first time\ncolumn %s\n", column);
	return is_schema(text) && schema->kind[1000].columns == 2;
}

static void
test_columns(void)
{
	static const char *const bad[] = { "a", "a word", "a id", "a id:", "a id:a:b", "a enum", "a enum:", "a enum:x|",
					   "a enum:|x", "a enum:x||y", "a enum:x.y", "a:b text", "" };
	const struct stk_kind_schema *kind;
	char text[2000] = "kind 1000 x row\n";

	ok(is_column("a text") && schema->kind[1000].column[1].type == STK_TYPE_TEXT && schema->kind[1000].time == 0,
	   "a column of text after one of times");
	ok(is_column("a enum:x|y-2") && strcmp(schema->kind[1000].column[1].names[1], "y-2") == 0 &&
		   schema->kind[1000].column[1].names[2] == NULL,
	   "an enum of two names");
	ok(is_column("a id:stack") && schema->kind[1000].column[1].type == STK_TYPE_COUNT,
	   "ids of a kind that is not there are counts");
	ok(is_schema("kind 1000 x row\ncolumn a id:y\nkind 1001 y definition\n") &&
		   schema->kind[1000].column[0].type == STK_TYPE_ID && schema->kind[1000].column[0].refers == 1001,
	   "... and of one that comes later they are ids");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(!is_column(bad[i]) && strstr(err.text, "column 1 of kind 'x' is not 'column NAME TYPE'") != NULL,
		   "'column %s' is not a column", bad[i]);
	is_refused("column a text\n", "a column before any kind");
	for (unsigned c = 0; c < STK_COLUMN_MAX; c++)
		strcat(text, "column c count\n");
	ok(is_schema(text) && schema->kind[1000].columns == STK_COLUMN_MAX, "as many columns as there may be");
	strcat(text, "column c count\n");
	is_refused(text, "a kind of too many columns");
	ok(is_schema("kind 9 sample row\ncolumn time time\n"), "a known kind of fewer columns");
	is_refused("kind 9 sample row\ncolumn when time\n", "is another one in this version");
	is_refused("kind 9 sample row\ncolumn time span\n", "is another one in this version");
	ok(is_schema("kind 0 anything row\ncolumn any text\ncolumn not a type\n"), "what is fixed is not read");
	kind = &schema->kind[STK_HEAD];
	ok(strcmp(kind->name, "head") == 0 && kind->columns == stk_schema()->kind[STK_HEAD].columns, "... and stays");
}

int
main(void)
{
	test_kinds();
	test_names();
	test_columns();
	stk_schema_free(schema);
	return tap_end();
}
