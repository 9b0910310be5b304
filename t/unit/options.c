/* SPDX-License-Identifier: MIT
 * options: what a command line means, and what is said about mistakes. */
#include "../lib/tap.h"

#include "program/options.h"
#include "base/quantities.h"
#include "stkpipe/error.h"

static bool flag, quiet;
static const char *text, *output;
static int64_t number, size, duration, moment;
static char taken[100];

static int
take(const char *value, struct stk_error *err)
{
	if (strcmp(value, "bad") == 0)
		return stk_fail(err, STK_EUSAGE, "expected something good");
	strcat(strcat(taken, value), ";");
	return 0;
}

static const struct option_row own[] = {
	OPT_HEADING("what to do"),
	OPT_FLAG('x', "flag", &flag, "a flag"),
	OPT_TEXT('t', "text", &text, "TEXT", "a text"),
	OPT_NUMBER('n', "number", &number, "N", "a number"),
	OPT_SIZE(0, "size", &size, "SIZE", "a size"),
	OPT_DURATION('i', "interval", &duration, "TIME", "a duration"),
	OPT_TIME(0, "from", &moment, "TIME", "a moment"),
	OPT_TAKE('T', "take", take, "THING", "a thing"),
	OPT_FLAG(0, "secret", &flag, NULL),
	OPT_END
};

static const struct option_row common[] = {
	OPT_TEXT('o', "output", &output, "FILE", "where to"),
	OPT_FLAG('q', "quiet", &quiet, "say less"),
	OPT_END
};

static struct stk_error err;
static char *argv[20];
static int argc;

/* Parses the words of a line, which blanks part. */
static int
parse(const char *line)
{
	static char words[400];
	char *word, *rest = NULL;

	snprintf(words, sizeof words, "try %s", line);
	argc = 0;
	for (word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	argv[argc] = NULL;
	flag = quiet = false, text = output = NULL, number = size = duration = moment = -1, taken[0] = '\0';
	stk_error_clear(&err);
	return options_parse(own, common, argc, argv, &err);
}

static void
refused(const char *line, const char *wanted)
{
	ok(parse(line) == -1 && err.code == STK_EUSAGE, "%s is refused", line);
	is_text(err.text, wanted, "%s is refused with a reason", line);
}

static void
test_forms(void)
{
	is_i64(parse("-x -t abc -n 12 one two"), 6, "letters: the operands follow");
	ok(flag && number == 12 && strcmp(text, "abc") == 0, "letters: the values are there");
	is_i64(parse("--flag --text=abc --number 12"), 5, "names: there are no operands");
	ok(flag && number == 12 && strcmp(text, "abc") == 0, "names: the values are there");
	is_i64(parse("-xqtabc -n7"), 3, "letters may stand together, and values at them");
	ok(flag && quiet && number == 7 && strcmp(text, "abc") == 0, "together: the values are there");
	is_i64(parse("one -x two"), 2, "options may follow operands");
	is_text(argv[2], "one", "operands keep their order");
	is_i64(parse("-x -- -q"), 3, "-- ends the options");
	ok(!quiet, "what follows -- is an operand");
	is_i64(parse("-x - -q"), 3, "- is an operand");
	is_i64(parse("-n 1 -n 2"), 5, "an option may be given twice");
	is_i64(number, 2, "the last one holds");
	is_i64(parse("--inter 5s"), 3, "a name may be shortened while it stays clear");
	is_i64(duration, INT64_C(5000000000), "the shortened one has its value");
	is_i64(parse("-T a --take=b -Tc"), 5, "a function takes each use");
	is_text(taken, "a;b;c;", "in their order");
	is_i64(parse("--from @5 -o -"), 5, "times and names are values too");
	is_i64(moment, INT64_C(5000000000), "the time is there");
	is_text(output, "-", "- is a value");
	is_i64(parse("--from -2h"), 3, "a value may begin with a dash");
	is_i64(options_parse(NULL, NULL, 2, (char *[]){ (char *)"try", (char *)"x", NULL }, &err), 1, "tables may be missing");
}

static void
test_mistakes(void)
{
	refused("--sorce", "unknown option --sorce");
	refused("--sorce=7", "unknown option --sorce");
	refused("-z", "unknown option -z");
	refused("-xz", "unknown option -z");
	refused("--t", "ambiguous option --t");
	refused("--flag=7", "--flag takes no value");
	refused("--text", "--text: expected a value, --text TEXT");
	refused("-t", "--text: expected a value, --text TEXT");
	refused("--number x", "--number: expected a number, not 'x'");
	refused("--number -1", "--number: expected a number, not '-1'");
	refused("-n 99999999999999999999", "--number: expected a number, not '99999999999999999999'");
	refused("--size 5x", "--size: expected a size such as 4096, 64k or 1G, not '5x'");
	refused("-i 5", "--interval: expected a duration such as 20s, 15m or 1h30m, not '5'");
	refused("-T bad", "--take: expected something good");
}

struct value { const char *text; int64_t wanted; };	/* -1: refused */

static void
test_sizes(void)
{
	static const struct value cases[] = {
		{ "0", 0 }, { "4096", 4096 }, { "64k", 65536 }, { "64K", 65536 }, { "1M", 1048576 }, { "1.5G", INT64_C(1610612736) }, { "2T", INT64_C(2199023255552) },
		{ "9223372036854775807", INT64_MAX }, { "9223372036854775808", -1 }, { "8388608T", -1 }, { "", -1 }, { "k", -1 }, { "1kk", -1 }, { "1 k", -1 },
		{ "-1", -1 }, { "1.", -1 }, { ".5k", -1 }, { "1m", -1 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t got = -1;
		struct stk_error why = { 0 };

		if (size_parse(cases[i].text, &got, &why) < 0)
			got = -1;
		is_i64(got, cases[i].wanted, "size '%s'", cases[i].text);
	}
}

static void
test_durations(void)
{
	static const struct value cases[] = {
		{ "0", 0 }, { "20s", INT64_C(20000000000) }, { "15m", INT64_C(900000000000) }, { "15min", INT64_C(900000000000) }, { "7d", INT64_C(604800000000000) },
		{ "1w", INT64_C(604800000000000) }, { "1.5h", INT64_C(5400000000000) }, { "200ms", 200000000 }, { "1h30m", INT64_C(5400000000000) }, { "3us", 3000 },
		{ "1.25us", 1250 }, { "7ns", 7 }, { "0.1s", 100000000 }, { "1.000000001s", 1000000001 }, { "0.0000000019s", 1 }, { "20", -1 }, { "", -1 }, { "s", -1 },
		{ "1h 30m", -1 }, { "-2h", -1 }, { "15252w", -1 }, { "53375d", INT64_C(4611600000000000000) }, { "53376d", -1 }, { "1y", -1 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t got = -1;
		struct stk_error why = { 0 };

		if (duration_parse(cases[i].text, &got, &why) < 0)
			got = -1;
		is_i64(got, cases[i].wanted, "duration '%s'", cases[i].text);
	}
}

/* stdout goes to a file while fn prints the tables; what it printed. */
static const char *
printed(void (*fn)(const struct option_row *, const struct option_row *))
{
	static char got[4000];
	int old;
	FILE *file;

	fflush(stdout);
	old = dup(1);
	file = fopen("printed", "w+");
	if (old < 0 || file == NULL || dup2(fileno(file), 1) < 0)
		return NULL;
	fn(own, common);
	fflush(stdout);
	dup2(old, 1);
	close(old);
	rewind(file);
	got[fread(got, 1, sizeof got - 1, file)] = '\0';
	fclose(file);
	return got;
}

static void
test_help(void)
{
	is_text(printed(options_list), "-x\n--flag\n-t\n--text=\n-n\n--number=\n--size=\n-i\n--interval=\n--from=\n-T\n--take=\n-o\n--output=\n-q\n--quiet\n",
		"the list for completion has all but hidden ones");
	is_text(printed(options_help),
		"what to do:\n"
		"  -x, --flag           a flag\n"
		"  -t, --text TEXT      a text\n"
		"  -n, --number N       a number\n"
		"      --size SIZE      a size\n"
		"  -i, --interval TIME  a duration\n"
		"      --from TIME      a moment\n"
		"  -T, --take THING     a thing\n"
		"  -o, --output FILE    where to\n"
		"  -q, --quiet          say less\n",
		"help has two columns");
}

int
main(void)
{
	scratch();
	test_forms();
	test_mistakes();
	test_sizes();
	test_durations();
	test_help();
	return tap_end();
}
