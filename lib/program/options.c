/* SPDX-License-Identifier: MIT
 * options: parses a command line by the rows of a table. A row without help is hidden. */
#include "program/options.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/expression.h"
#include "base/memory.h"
#include "base/quantities.h"
#include "base/time_text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_WIDTH  100
#define HELP_COLUMN 32		/* where the explanations begin, at most */
#define WORDS_MAX   200		/* bytes of a list of words, in a message */
#define NAME_MAX_LENGTH 40	/* longer words are not compared with the names */

/* --- words of a row: "tree (calls), flat (functions)" --- */

/* The word at *at, without the part in parentheses; moves *at to the next one. False at the end. */
static bool
next_word(const char **at, struct stk_text *word)
{
	const char *from = *at + strspn(*at, ", ");
	const char *end = from + strcspn(from, ", (");

	if (*from == '\0')
		return false;
	*word = text_of(from, (size_t)(end - from));
	end += strspn(end, " ");
	if (*end == '(')
		end += strcspn(end, ")") + 1;
	*at = end;
	return true;
}

int
options_word(const char *words, const char *text, size_t size)
{
	struct stk_text word;

	for (int place = 0; next_word(&words, &word); place++)
		if (word.size == size && memcmp(word.data, text, size) == 0)
			return place;
	return -1;
}

/* "short, full" with another separator, and perhaps "or" before the last. */
static void
join_words(char *to, size_t room, const char *words, const char *between, const char *before_last)
{
	struct stk_text word, next;
	size_t used = 0;
	bool more = next_word(&words, &word);

	to[0] = '\0';
	for (bool first = true; more && used + 1 < room; first = false) {
		const char *separator;

		more = next_word(&words, &next);
		separator = first ? "" : more ? between : before_last;
		used += (size_t)snprintf(to + used, room - used, "%s%.*s", separator, (int)word.size, word.data);
		word = next;
	}
}

static int
fail_word(const char *words, const char *text, size_t size, struct stk_error *err)
{
	char expected[WORDS_MAX];

	join_words(expected, sizeof expected, words, ", ", " or ");
	return stk_fail(err, STK_EUSAGE, "expected %s, not '%.*s'", expected, (int)size, text);
}

/* --- values --- */

static int
store_word(const struct option_row *row, const char *text, struct stk_error *err)
{
	int place = options_word(row->words, text, strlen(text));

	if (place < 0)
		return fail_word(row->words, text, strlen(text), err);
	if (row->type == OPTION_WORD)
		*(const char **)row->value = text;
	else
		*(unsigned *)row->value = (unsigned)place;
	return 0;
}

static int
store_list(const struct option_row *row, const char *text, struct stk_error *err)
{
	uint64_t bits = 0;

	for (const char *at = text; ; at++) {
		size_t size = strcspn(at, ",");
		int place = options_word(row->words, at, size);

		if (place < 0)
			return fail_word(row->words, at, size, err);
		if (bits >> place & 1)
			return stk_fail(err, STK_EUSAGE, "'%.*s' is given twice", (int)size, at);
		bits |= UINT64_C(1) << place;
		at += size;
		if (*at == '\0')
			break;
	}
	*(uint64_t *)row->value = bits;
	return 0;
}

static bool
is_bounded(const struct option_row *row)
{
	return row->least != 0 || row->most != 0;
}

static int
store_number(const struct option_row *row, const char *text, struct stk_error *err)
{
	int64_t value;

	if (number_parse(text, &value, err) < 0)
		return -1;
	if (is_bounded(row) && !((double)value >= row->least && (double)value <= row->most))
		return stk_fail(err, STK_EUSAGE, "expected %.0f to %.0f, not '%s'", row->least, row->most, text);
	*(int64_t *)row->value = value;
	return 0;
}

static int
store_real(const struct option_row *row, const char *text, struct stk_error *err)
{
	bool percent = row->type == OPTION_PERCENT;
	double value;

	if (real_parse(text, percent, &value) && (!is_bounded(row) || (value >= row->least && value <= row->most))) {
		*(double *)row->value = value;
		return 0;
	}
	return stk_fail(err, STK_EUSAGE, "expected a %s from %g to %g, not '%s'", percent ? "percentage" : "number",
			row->least, row->most, text);
}

static int
store_duration(const struct option_row *row, const char *text, struct stk_error *err)
{
	int64_t ns;

	if (duration_parse(text, &ns, err) < 0)
		return -1;
	if (ns <= 0)
		return stk_fail(err, STK_EUSAGE, "expected a duration greater than 0, such as 20s, 15m or 1h30m, not '%s'",
				text);
	*(int64_t *)row->value = ns;
	return 0;
}

static int
check_pattern(const char *text, struct stk_error *err)
{
	struct expression expression;

	if (expression_open(&expression, text, err) < 0)
		return -1;
	expression_close(&expression);
	return 0;
}

/* Checks only the form: which moment it is depends on the end and the zone of the recording. */
static int
check_time(const char *text, struct stk_error *err)
{
	int64_t ns;

	return time_parse(text, 0, NULL, &ns, err);
}

static int
check_window(const char *text, struct stk_error *err)
{
	struct time_window window;

	return time_window_parse(text, 0, NULL, &window, err);
}

static int
store_next(struct option_texts *texts, const char *text, struct stk_error *err)
{
	if (texts->count == OPTION_TEXTS_MOST)
		return stk_fail(err, STK_EUSAGE, "given more than %d times", OPTION_TEXTS_MOST);
	texts->at[texts->count++] = text;
	return 0;
}

static int
store_in_list(struct option_lists *lists, const char *text, struct stk_error *err)
{
	if (lists->count == OPTION_TEXTS_MOST)
		return stk_fail(err, STK_EUSAGE, "more than %d values", OPTION_TEXTS_MOST);
	lists->use[lists->count] = lists->uses;
	lists->at[lists->count++] = text;
	return 0;
}

static int
store_text(const struct option_row *row, const char *text)
{
	*(const char **)row->value = text;
	return 0;
}

static int
store_value(const struct option_row *row, const char *text, struct stk_error *err)
{
	switch (row->type) {
	case OPTION_FLAG:
		*(bool *)row->value = true;
		return 0;
	case OPTION_TEXT:
	case OPTION_MAYBE:
		return store_text(row, text);
	case OPTION_TEXTS:
		return store_next(row->value, text, err);
	case OPTION_LISTS:
		((struct option_lists *)row->value)->uses++;
		return store_in_list(row->value, text, err);
	case OPTION_WORD:
	case OPTION_CHOICE:
		return store_word(row, text, err);
	case OPTION_LIST:
		return store_list(row, text, err);
	case OPTION_NUMBER:
		return store_number(row, text, err);
	case OPTION_REAL:
	case OPTION_PERCENT:
		return store_real(row, text, err);
	case OPTION_SIZE:
		return size_parse(text, row->value, err);
	case OPTION_DURATION:
		return store_duration(row, text, err);
	case OPTION_PATTERN:
		return check_pattern(text, err) < 0 ? -1 : store_text(row, text);
	case OPTION_TIME:
		return check_time(text, err) < 0 ? -1 : store_text(row, text);
	case OPTION_WINDOWS:
		return check_window(text, err) < 0 ? -1 : store_next(row->value, text, err);
	case OPTION_TAKE:
		return row->take(text, err);
	default:
		assert(!"a row that has no value");
		return 0;
	}
}

/* --- the rows of all tables --- */

struct rows { const struct option_row **at; size_t count, room; };

/* brief: a table that is only named in --help remains one row. */
static void
add_rows(struct rows *rows, const struct option_row *table, bool brief)
{
	for (; table != NULL && table->type != OPTION_END; table++)
		if (table->type == OPTION_TABLE && (table->help == NULL || !brief))
			add_rows(rows, table->value, brief);
		else
			*array_push(rows) = table;
}

static struct rows
all_rows(const struct option_row *own, const struct option_row *common, bool brief)
{
	struct rows rows = { 0 };

	add_rows(&rows, own, brief);
	add_rows(&rows, common, brief);
	return rows;
}

static bool
is_option(const struct option_row *row)
{
	return row->type < OPTION_TABLE;
}

static bool
is_visible(const struct option_row *row)
{
	return is_option(row) && row->help != NULL;
}

static bool
takes_value(const struct option_row *row)
{
	return row->type != OPTION_FLAG;
}

/* Its value, if it has one, is in the same word: the next one is never taken for it. */
static bool
needs_no_value(const struct option_row *row)
{
	return row->type == OPTION_FLAG || row->type == OPTION_MAYBE;
}

static bool
may_be_repeated(const struct option_row *row)
{
	return row->type == OPTION_FLAG || row->type == OPTION_TEXTS || row->type == OPTION_LISTS ||
	       row->type == OPTION_WINDOWS || row->type == OPTION_TAKE;
}

static const struct option_row *
row_named(const struct rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->count; i++)
		if ((is_option(rows->at[i]) || rows->at[i]->type == OPTION_OLD) && strcmp(rows->at[i]->name, name) == 0)
			return rows->at[i];
	return NULL;
}

/* --- mistakes in names --- */

/* How many letters one word has to gain, lose, change or swap with its neighbour to become the other. */
static unsigned
distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
	unsigned cost[NAME_MAX_LENGTH + 1][NAME_MAX_LENGTH + 1];

	for (size_t i = 0; i <= a_size; i++)
		for (size_t j = 0; j <= b_size; j++) {
			unsigned least = i == 0   ? (unsigned)j
					 : j == 0 ? (unsigned)i
						  : cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			if (i > 0 && cost[i - 1][j] + 1 < least)
				least = cost[i - 1][j] + 1;
			if (j > 0 && cost[i][j - 1] + 1 < least)
				least = cost[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    cost[i - 2][j - 2] + 1 < least)
				least = cost[i - 2][j - 2] + 1;
			cost[i][j] = least;
		}
	return cost[a_size][b_size];
}

/* The option whose name is nearest; NULL when none is near. */
static const struct option_row *
nearest_row(const struct rows *rows, const char *name, size_t size)
{
	const struct option_row *nearest = NULL;
	unsigned least = size < 4 ? 2 : size < 7 ? 3 : 4;	/* one less than this many mistakes is near */

	for (size_t i = 0; i < rows->count && size <= NAME_MAX_LENGTH; i++) {
		const struct option_row *row = rows->at[i];
		size_t length = is_visible(row) ? strlen(row->name) : NAME_MAX_LENGTH + 1;
		unsigned far = length <= NAME_MAX_LENGTH ? distance(name, size, row->name, length) : least;

		if (far < least) {
			least = far;
			nearest = row;
		}
	}
	return nearest;
}

/* What other programs call an option of this one; NULL: none that is known. */
static const char *
foreign_name(const struct rows *rows, const char *name, size_t size)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->at[i]->type == OPTION_FOREIGN && strncmp(rows->at[i]->name, name, size) == 0 &&
		    rows->at[i]->name[size] == '\0')
			return rows->at[i]->words;
	return NULL;
}

static int
fail_unknown(const struct rows *rows, const char *name, size_t size, struct stk_error *err)
{
	const struct option_row *nearest = nearest_row(rows, name, size);
	const char *meant = foreign_name(rows, name, size);

	if (meant == NULL && nearest != NULL)
		meant = nearest->name;
	if (meant != NULL)
		return stk_fail(err, STK_EUSAGE, "unknown option --%.*s: did you mean --%s?", (int)size, name, meant);
	return stk_fail(err, STK_EUSAGE, "unknown option --%.*s", (int)size, name);
}

/* "--from or --format", of the options that begin so. */
static int
fail_ambiguous(const struct rows *rows, const char *name, size_t size, struct stk_error *err)
{
	char alike[WORDS_MAX] = "";
	size_t used = 0;

	for (size_t i = 0; i < rows->count && used + 1 < sizeof alike; i++)
		if (is_visible(rows->at[i]) && strncmp(rows->at[i]->name, name, size) == 0)
			used += (size_t)snprintf(alike + used, sizeof alike - used, "%s--%s", used > 0 ? ", " : "",
						 rows->at[i]->name);
	return stk_fail(err, STK_EUSAGE, "ambiguous option --%.*s: %s", (int)size, name, alike);
}

/* --- parsing --- */

struct parse {
	struct rows rows;
	struct option_uses *uses;
	char **words;			/* the words not parsed yet */
	const struct option_row *list;	/* of the operands that follow; or NULL */
	struct { char **at; size_t count, room; } operands;
};

/* The row of a name, which may be abbreviated while it is unambiguous. NULL with *err. */
static const struct option_row *
find_long(const struct rows *rows, const char *name, size_t size, struct stk_error *err)
{
	const struct option_row *found = NULL;
	unsigned alike = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct option_row *row = rows->at[i];

		if ((!is_option(row) && row->type != OPTION_OLD) || strncmp(row->name, name, size) != 0)
			continue;
		if (row->name[size] == '\0')
			return row;
		if (!is_visible(row))
			continue;
		found = row;
		alike++;
	}
	if (alike == 1 && foreign_name(rows, name, size) == NULL)
		return found;
	if (alike > 1 && size > 0)
		(void)fail_ambiguous(rows, name, size, err);
	else
		(void)fail_unknown(rows, name, size, err);
	return NULL;
}

static int
take_value(struct parse *parse, const struct option_row *row, const char *value, struct stk_error *err)
{
	struct stk_error why = { 0 };

	if (options_given(parse->uses, row->name)) {
		if (!may_be_repeated(row))
			return stk_fail(err, STK_EUSAGE, "--%s is given twice", row->name);
	} else {
		assert(parse->uses->count < OPTION_USES_MOST);
		parse->uses->names[parse->uses->count++] = row->name;
	}
	if (store_value(row, value, &why) == 0)
		return 0;
	return stk_fail(err, STK_EUSAGE, "--%s: %s", row->name, why.text);
}

static int
fail_without_value(const struct option_row *row, struct stk_error *err)
{
	char words[100];

	if (row->argument != NULL)
		return stk_fail(err, STK_EUSAGE, "--%s: expected a value, --%s %s", row->name, row->name,
				row->argument);
	join_words(words, sizeof words, row->words, "|", "|");
	return stk_fail(err, STK_EUSAGE, "--%s: expected a value, --%s %s", row->name, row->name, words);
}

/* An option with the value that follows, in the same word or in the next. */
static int
take_option(struct parse *parse, const struct option_row *row, const char *attached, struct stk_error *err)
{
	if (row->type == OPTION_OLD) {
		if (parse->uses->renamed != NULL)
			parse->uses->renamed(row->name, row->words);
		row = row_named(&parse->rows, row->words);
		assert(row != NULL && is_option(row));
	}
	parse->list = row->type == OPTION_LISTS ? row : NULL;
	if (!takes_value(row) && attached != NULL)
		return stk_fail(err, STK_EUSAGE, "--%s takes no value", row->name);
	if (needs_no_value(row) && attached == NULL)
		return take_value(parse, row, "", err);
	if (attached == NULL && (attached = *parse->words) != NULL)
		parse->words++;
	if (attached == NULL)
		return fail_without_value(row, err);
	return *attached == '\0' ? stk_fail(err, STK_EUSAGE, "--%s: the value is empty", row->name)
				 : take_value(parse, row, attached, err);
}

static int
take_long(struct parse *parse, const char *word, struct stk_error *err)
{
	size_t size = strcspn(word, "=");
	const struct option_row *row = find_long(&parse->rows, word, size, err);

	return row == NULL ? -1 : take_option(parse, row, word[size] == '=' ? word + size + 1 : NULL, err);
}

/* "-q", "-qo FILE", "-oFILE" */
static int
take_letters(struct parse *parse, const char *letters, struct stk_error *err)
{
	int result = 0;

	while (result == 0 && *letters != '\0') {
		char letter = *letters++;
		const struct option_row *row = NULL;

		for (size_t i = 0; i < parse->rows.count; i++)
			if (is_option(parse->rows.at[i]) && parse->rows.at[i]->letter == letter)
				row = parse->rows.at[i];
		if (row == NULL)
			return stk_fail(err, STK_EUSAGE, "unknown option -%c", letter);
		if (needs_no_value(row)) {
			result = take_option(parse, row, NULL, err);
			continue;
		}
		return take_option(parse, row, *letters != '\0' ? letters : NULL, err);
	}
	return result;
}

/* An operand on its own, or one more value of the option before it. */
static int
take_operand(struct parse *parse, char *word, struct stk_error *err)
{
	struct stk_error why = { 0 };

	if (parse->list == NULL)
		*array_push(&parse->operands) = word;
	else if (store_in_list(parse->list->value, word, &why) < 0)
		return stk_fail(err, STK_EUSAGE, "--%s: %s", parse->list->name, why.text);
	return 0;
}

/* "-" is a name, and "-2h..-1h" a window. */
static bool
is_operand(const char *word)
{
	return word[0] != '-' || word[1] == '\0' || (word[1] >= '0' && word[1] <= '9');
}

static int
take_words(struct parse *parse, struct stk_error *err)
{
	while (*parse->words != NULL) {
		char *word = *parse->words++;

		if (is_operand(word)) {
			if (take_operand(parse, word, err) < 0)
				return -1;
			continue;
		}
		if (strcmp(word, "--") == 0)
			break;
		if ((word[1] == '-' ? take_long(parse, word + 2, err) : take_letters(parse, word + 1, err)) < 0)
			return -1;
	}
	while (*parse->words != NULL)
		*array_push(&parse->operands) = *parse->words++;
	return 0;
}

/* --- rules --- */

/* The option at *at, in a list with blanks between. */
static bool
next_name(const char **at, char name[NAME_MAX_LENGTH + 1])
{
	size_t size;

	*at += strspn(*at, " ");
	size = strcspn(*at, " ");
	if (size == 0)
		return false;
	assert(size <= NAME_MAX_LENGTH);
	memcpy(name, *at, size);
	name[size] = '\0';
	*at += size;
	return true;
}

static int
check_needs(const struct option_row *rule, const struct option_uses *uses, struct stk_error *err)
{
	char name[NAME_MAX_LENGTH + 1], others[200] = "";
	const char *at = rule->words;
	size_t used = 0;

	if (!options_given(uses, rule->name))
		return 0;
	while (next_name(&at, name)) {
		if (options_given(uses, name))
			return 0;
		if (used + 1 < sizeof others)
			used += (size_t)snprintf(others + used, sizeof others - used, "%s--%s", used > 0 ? " or " : "",
						 name);
	}
	return stk_fail(err, STK_EUSAGE, "--%s has no effect without %s", rule->name, others);
}

static int
check_one_of(const struct option_row *rule, const struct option_uses *uses, struct stk_error *err)
{
	char name[NAME_MAX_LENGTH + 1], first[NAME_MAX_LENGTH + 1] = "";
	const char *at = rule->words;

	while (next_name(&at, name)) {
		if (!options_given(uses, name))
			continue;
		if (first[0] != '\0')
			return stk_fail(err, STK_EUSAGE, "--%s and --%s: only one at a time", first, name);
		memcpy(first, name, sizeof first);
	}
	return 0;
}

static int
check_rules(const struct rows *rows, const struct option_uses *uses, struct stk_error *err)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct option_row *row = rows->at[i];

		if (row->type == OPTION_NEEDS && check_needs(row, uses, err) < 0)
			return -1;
		if (row->type == OPTION_ONE_OF && check_one_of(row, uses, err) < 0)
			return -1;
	}
	return 0;
}

bool
options_given(const struct option_uses *uses, const char *name)
{
	for (unsigned i = 0; i < uses->count; i++)
		if (strcmp(uses->names[i], name) == 0)
			return true;
	return false;
}

int
options_parse(const struct option_row *own, const struct option_row *common, int argc, char **argv,
	      struct option_uses *uses, struct stk_error *err)
{
	struct parse parse = { .rows = all_rows(own, common, false), .uses = uses, .words = argv + (argc > 0) };
	int result = take_words(&parse, err), first = argc - (int)parse.operands.count;

	if (result == 0)
		result = check_rules(&parse.rows, uses, err);
	for (size_t i = 0; result == 0 && i < parse.operands.count; i++)
		argv[first + (int)i] = parse.operands.at[i];
	array_release(&parse.rows);
	array_release(&parse.operands);
	return result < 0 ? -1 : first;
}

void
options_each_written(const struct option_row *table, void (*take)(void *context, const char *path), void *context)
{
	struct rows rows = all_rows(table, NULL, false);

	for (size_t i = 0; i < rows.count; i++)
		if (rows.at[i]->written && *(const char **)rows.at[i]->value != NULL)
			take(context, *(const char **)rows.at[i]->value);
	array_release(&rows);
}

/* --- help and completion --- */

/* The left column of a row: "  -o, --output FILE". How wide it is. */
static int
row_left(const struct option_row *row, char *to, size_t size)
{
	char letter[5] = "    ", words[100] = "";
	const char *argument = row->argument;

	if (row->letter != '\0')
		snprintf(letter, sizeof letter, "-%c, ", row->letter);
	if (argument == NULL && takes_value(row)) {
		join_words(words, sizeof words, row->words, "|", "|");
		argument = words;
	}
	if (row->type == OPTION_MAYBE)
		return snprintf(to, size, "  %s--%s[=%s]", letter, row->name, argument);
	return snprintf(to, size, "  %s--%s%s%s", letter, row->name, takes_value(row) ? " " : "",
			takes_value(row) ? argument : "");
}

static int
rows_width(const struct rows *rows)
{
	char left[200];
	int widest = 0;

	for (size_t i = 0; i < rows->count; i++) {
		int width = is_visible(rows->at[i]) ? row_left(rows->at[i], left, sizeof left) + 2 : 0;

		if (width > widest && width <= HELP_COLUMN)
			widest = width;
	}
	return widest;
}

/* Prints text from column `at` on in lines that begin at `column` and end before HELP_WIDTH. */
static void
print_wrapped(const char *text, int at, int column)
{
	while (*text != '\0') {
		int length = (int)strcspn(text, " ");

		if (at > column && at + 1 + length > HELP_WIDTH)
			at = printf("\n%*s", column, "") - 1;
		else if (at > column)
			at += printf(" ");
		at += printf("%.*s", length, text);
		text += length;
		text += strspn(text, " ");
	}
	printf("\n");
}

/* The help of a row, and the words that it takes where its left column does not show them. */
static void
print_meaning(const struct option_row *row, int column)
{
	char text[500];

	if (row->words == NULL || row->argument == NULL)
		(void)snprintf(text, sizeof text, "%s", row->help);
	else
		(void)snprintf(text, sizeof text, "%s%s%s", row->help, *row->help != '\0' ? ": " : "", row->words);
	print_wrapped(text, column, column);
}

/* "select samples (see stkpipe(7)): --from --to ..." */
static void
table_help(const struct option_row *table)
{
	struct rows rows = { 0 };
	char text[1000];
	size_t used = (size_t)snprintf(text, sizeof text, "%s:", table->help);

	add_rows(&rows, table->value, true);
	for (size_t i = 0; i < rows.count && used < sizeof text; i++)
		if (is_visible(rows.at[i]))
			used += (size_t)snprintf(text + used, sizeof text - used, " --%s", rows.at[i]->name);
	print_wrapped(text, 0, 0);
	array_release(&rows);
}

static void
row_help(const struct option_row *row, int column)
{
	char left[200];
	int width;

	if (row->type == OPTION_TABLE)
		table_help(row);
	if (row->type == OPTION_HEADING)
		printf("%s%s\n", row->help, *row->help != '\0' ? ":" : "");
	if (!is_visible(row))
		return;
	width = row_left(row, left, sizeof left);
	if (width + 2 > column)
		printf("%s\n%*s", left, column, "");
	else
		printf("%-*s", column, left);
	print_meaning(row, column);
}

void
options_help(const struct option_row *own, const struct option_row *common)
{
	struct rows rows = all_rows(own, common, true);
	int column = rows_width(&rows);

	for (size_t i = 0; i < rows.count; i++)
		row_help(rows.at[i], column);
	array_release(&rows);
}

void
options_list(const struct option_row *own, const struct option_row *common)
{
	struct rows rows = all_rows(own, common, false);

	for (size_t i = 0; i < rows.count; i++) {
		const struct option_row *row = rows.at[i];
		char words[500] = "";

		if (!is_visible(row))
			continue;
		if (row->letter != '\0')
			printf("-%c\n", row->letter);
		if (row->words != NULL)
			join_words(words, sizeof words, row->words, ",", ",");
		if (row->type == OPTION_MAYBE)
			printf("--%s\n", row->name);
		printf("--%s%s%s\n", row->name, takes_value(row) ? "=" : "", words);
	}
	array_release(&rows);
}
