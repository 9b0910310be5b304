/* SPDX-License-Identifier: MIT
 * options: the tables become what getopt_long wants; what it finds goes where the rows say. A row without help is hidden. */
#include "program/options.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/quantities.h"
#include "base/time_text.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HELP_WIDTH  100
#define HELP_COLUMN 32		/* where the explanations begin, at most */

/* getopt_long's val for a row: beyond every letter, so that both spellings can be told apart. */
#define LONG_VALUE 256

/* --- values --- */

/* A moment on the command line is meant as the clock on the wall shows it. */
static int
moment_parse(const char *text, int64_t *ns, struct stk_error *err)
{
	struct time_zone *zone;
	struct timespec now;
	int result;

	if (time_zone_open(&zone, "local", err) < 0)
		return -1;
	clock_gettime(CLOCK_REALTIME, &now);
	result = time_parse(text, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec, zone, ns, err);
	time_zone_close(zone);
	return result;
}

static int
value_store(const struct option_row *row, const char *text, struct stk_error *err)
{
	switch (row->type) {
	case OPTION_FLAG:
		*(bool *)row->value = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)row->value = text;
		return 0;
	case OPTION_NUMBER:
		return number_parse(text, row->value, err);
	case OPTION_SIZE:
		return size_parse(text, row->value, err);
	case OPTION_DURATION:
		return duration_parse(text, row->value, err);
	case OPTION_TIME:
		return moment_parse(text, row->value, err);
	case OPTION_TAKE:
		return row->take(text, err);
	case OPTION_HEADING:
	case OPTION_END:
		break;
	}
	return 0;
}

/* --- the tables in getopt_long's form --- */

struct forms {
	const struct option_row **rows;		/* of both tables, headings left out */
	struct option *longs;
	char *letters;
	int count;
};

static bool
takes_value(const struct option_row *row)
{
	return row->type != OPTION_FLAG;
}

static size_t
table_count(const struct option_row *table)
{
	size_t count = 0;

	while (table != NULL && table[count].type != OPTION_END)
		count++;
	return count;
}

static void
forms_add(struct forms *forms, const struct option_row *row)
{
	int index = forms->count++;

	forms->rows[index] = row;
	forms->longs[index] = (struct option){ row->name, takes_value(row) ? required_argument : no_argument, NULL, LONG_VALUE + index };
	if (row->letter != '\0') {
		char *letters = forms->letters + strlen(forms->letters);	/* zeros behind */

		letters[0] = row->letter;
		letters[1] = takes_value(row) ? ':' : '\0';
	}
}

static void
forms_init(struct forms *forms, const struct option_row *own, const struct option_row *common)
{
	const struct option_row *tables[] = { own, common };
	size_t room = table_count(own) + table_count(common) + 1;

	*forms = (struct forms){ mem_new(room, sizeof *forms->rows), mem_new(room, sizeof *forms->longs), mem_new(room * 2 + 2, 1), 0 };
	forms->letters[0] = ':';	/* a missing value is reported as ':' and not as '?' */
	for (size_t t = 0; t < 2; t++)
		for (size_t i = 0; i < table_count(tables[t]); i++)
			if (tables[t][i].type != OPTION_HEADING)
				forms_add(forms, &tables[t][i]);
}

static void
forms_release(struct forms *forms)
{
	free(forms->rows);
	free(forms->longs);
	free(forms->letters);
}

static const struct option_row *
forms_row(const struct forms *forms, int found)
{
	if (found >= LONG_VALUE)
		return forms->rows[found - LONG_VALUE];
	for (int i = 0; i < forms->count; i++)
		if (forms->rows[i]->letter == found)
			return forms->rows[i];
	return NULL;
}

/* --- parsing --- */

static int
fail_long(const struct forms *forms, const char *argument, struct stk_error *err)
{
	int length = (int)strcspn(argument, "="), alike = 0;

	for (int i = 0; i < forms->count; i++)
		alike += length > 2 && strncmp(forms->rows[i]->name, argument + 2, (size_t)length - 2) == 0;
	return stk_fail(err, STK_EUSAGE, alike > 1 ? "ambiguous option %.*s" : "unknown option %.*s", length, argument);
}

/* getopt_long says little about what it refuses: optopt is the letter, or the val of a long option, or 0 for a long one it does not know. */
static int
fail_option(const struct forms *forms, int found, char **argv, struct stk_error *err)
{
	const struct option_row *row = optopt != 0 ? forms_row(forms, optopt) : NULL;

	if (optopt == 0)
		return fail_long(forms, argv[optind - 1], err);
	if (row == NULL)
		return stk_fail(err, STK_EUSAGE, "unknown option -%c", optopt);
	if (found == ':')
		return stk_fail(err, STK_EUSAGE, "--%s: expected a value, --%s %s", row->name, row->name, row->argument);
	return stk_fail(err, STK_EUSAGE, "--%s takes no value", row->name);
}

static int
take_option(const struct forms *forms, int found, char **argv, struct stk_error *err)
{
	const struct option_row *row;
	struct stk_error why = { 0 };

	if (found == '?' || found == ':')
		return fail_option(forms, found, argv, err);
	row = forms_row(forms, found);
	if (value_store(row, optarg, &why) == 0)
		return 0;
	return stk_fail(err, STK_EUSAGE, "--%s: %s", row->name, why.text);
}

int
options_parse(const struct option_row *own, const struct option_row *common, int argc, char **argv, struct stk_error *err)
{
	struct forms forms;
	int found, result = 0;

	forms_init(&forms, own, common);
	optind = 0;		/* glibc and musl: begin anew, whatever was parsed before */
	opterr = 0;
	while (result == 0 && (found = getopt_long(argc, argv, forms.letters, forms.longs, NULL)) != -1)
		result = take_option(&forms, found, argv, err);
	forms_release(&forms);
	return result < 0 ? -1 : optind;
}

/* --- help and completion --- */

/* The left column of a row: "  -o, --output FILE". How wide it is. */
static int
row_left(const struct option_row *row, char *to, size_t size)
{
	char letter[5] = "    ";

	if (row->letter != '\0')
		snprintf(letter, sizeof letter, "-%c, ", row->letter);
	return snprintf(to, size, "  %s--%s%s%s", letter, row->name, takes_value(row) ? " " : "", takes_value(row) ? row->argument : "");
}

static bool
row_hidden(const struct option_row *row)
{
	return row->help == NULL;
}

static int
table_width(const struct option_row *table)
{
	char left[200];
	int widest = 0;

	for (size_t i = 0; i < table_count(table); i++) {
		int width = table[i].type == OPTION_HEADING || row_hidden(&table[i]) ? 0 : row_left(&table[i], left, sizeof left) + 2;

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

static void
row_help(const struct option_row *row, int column)
{
	char left[200];
	int width;

	if (row->type == OPTION_HEADING) {
		printf("%s%s\n", row->help, *row->help != '\0' ? ":" : "");
		return;
	}
	width = row_left(row, left, sizeof left);
	if (width + 2 > column)
		printf("%s\n%*s", left, column, "");
	else
		printf("%-*s", column, left);
	print_wrapped(row->help, column, column);
}

void
options_help(const struct option_row *own, const struct option_row *common)
{
	int own_width = table_width(own), common_width = table_width(common), column = own_width > common_width ? own_width : common_width;

	for (size_t i = 0; i < table_count(own); i++)
		if (!row_hidden(&own[i]))
			row_help(&own[i], column);
	for (size_t i = 0; i < table_count(common); i++)
		if (!row_hidden(&common[i]))
			row_help(&common[i], column);
}

static void
table_list(const struct option_row *table)
{
	for (size_t i = 0; i < table_count(table); i++) {
		if (table[i].type == OPTION_HEADING || row_hidden(&table[i]))
			continue;
		if (table[i].letter != '\0')
			printf("-%c\n", table[i].letter);
		printf("--%s%s\n", table[i].name, takes_value(&table[i]) ? "=" : "");
	}
}

void
options_list(const struct option_row *own, const struct option_row *common)
{
	table_list(own);
	table_list(common);
}
