/* SPDX-License-Identifier: MIT
 * options: what a command line means, and what is said about mistakes. */
#include "../lib/tap.h"

#include "base/quantities.h"
#include "program/options.h"
#include "stkpipe/error.h"

enum colour { RED, GREEN, BLUE };

static bool flag, quiet;
static const char *text, *maybe, *output, *moment, *pattern, *form;
static int64_t number, size, duration;
static double real, percent;
static enum colour colour;
static uint64_t kinds;
static struct option_texts files, windows;
static struct option_lists lists;
static char taken[100], renamed[100];
static struct option_uses uses;

static int
take(const char *value, struct stk_error *err)
{
	if (strcmp(value, "bad") == 0)
		return stk_fail(err, STK_EUSAGE, "expected something good");
	strcat(strcat(taken, value), ";");
	return 0;
}

static const struct option_row shared[] = {
	OPT_TIME(0, "from", &moment, "TIME", "a moment"),
	OPT_WINDOWS(0, "window", &windows, "FROM..TO", "windows"),
	OPT_END
};

static bool hasty, lazy;

static const struct option_row named[] = {
	OPT_FLAG(0, "hasty", &hasty, "at once"),
	OPT_FLAG(0, "lazy", &lazy, "later"),
	OPT_END
};

static const struct option_row own[] = {
	OPT_HEADING("what to do"),
	OPT_FLAG('x', "flag", &flag, "a flag"),
	OPT_TEXT('t', "text", &text, "TEXT", "a text"),
	OPT_MAYBE('m', "maybe", &maybe, "TEXT", "a text or none"),
	OPT_NUMBER('n', "number", &number, "N", "a number"),
	OPT_SIZE(0, "size", &size, "SIZE", "a size"),
	OPT_DURATION('i', "interval", &duration, "TIME", "a duration"),
	OPT_TABLE(shared),
	OPT_TAKE('T', "take", take, "THING", "a thing"),
	OPT_TEXTS('F', "file", &files, "FILE", "files"),
	OPT_FOREIGN("every", "interval"),
	OPT_FOREIGN("fla", "text"),
	OPT_LISTS(0, "versus", &lists, "FILE...", "lists of files"),
	OPT_REAL(0, "real", &real, -1, 2, "X", "a number with a fraction"),
	OPT_PERCENT(0, "min", &percent, 0, 100, "PERCENT", "a part"),
	OPT_CHOICE(0, "colour", &colour, NULL, "red, green, blue", "a colour"),
	OPT_LIST(0, "kinds", &kinds, "KIND,...", "class (of stacks), group, metric", "of these kinds"),
	OPT_PATTERN(0, "grep", &pattern, "REGEX", "a pattern"),
	OPT_TABLE_NAMED(named, "manners"),
	OPT_FLAG(0, "secret", &flag, NULL),
	OPT_OLD("tz", "text"),
	OPT_NEEDS("size", "number text"),
	OPT_ONE_OF("real min"),
	OPT_END
};

static const struct option_row common[] = {
	OPT_WORD('f', "format", &form, "FORMAT", "text, tsv", "output"),
	OPT_TEXT('o', "output", &output, "FILE", "where to"),
	OPT_FLAG('q', "quiet", &quiet, "say less"),
	OPT_END
};

static struct stk_error err;
static char *argv[20];
static int argc;

static void
note_renamed(const char *old, const char *new)
{
	snprintf(renamed, sizeof renamed, "%s %s", old, new);
}

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
	flag = quiet = false;
	text = maybe = output = moment = pattern = form = NULL;
	number = size = duration = -1;
	real = percent = -7;
	colour = RED;
	kinds = 0;
	files.count = windows.count = lists.count = lists.uses = 0;
	taken[0] = renamed[0] = '\0';
	uses = (struct option_uses){ .renamed = note_renamed };
	stk_error_clear(&err);
	return options_parse(own, common, argc, argv, &uses, &err);
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
	is_i64(parse("-x -x -q -q"), 5, "a flag may be given twice");
	is_i64(parse("--maybe abc -x"), 3, "a value that may follow is only in the same word");
	is_text(maybe, "", "without one it is empty");
	is_i64(parse("-xm --maybe"), -1, "and it is given once");
	is_i64(parse("-xm abc"), 2, "as a letter, it has no value");
	is_i64(parse("--maybe=abc"), 2, "with one");
	is_text(maybe, "abc", "it is there");
	refused("--maybe=", "--maybe: the value is empty");
	is_i64(parse("-F a --file b -Fc"), 6, "what may be repeated is taken each time");
	ok(files.count == 3 && strcmp(files.at[0], "a") == 0 && strcmp(files.at[2], "c") == 0, "in order");
	is_i64(parse("one --versus a b -2h.. -x two --versus=c d -- three"), 9, "a list ends where an option begins");
	ok(lists.count == 5 && strcmp(lists.at[2], "-2h..") == 0 && strcmp(lists.at[4], "d") == 0,
	   "what follows a use is of it, in order");
	ok(lists.use[0] == lists.use[2] && lists.use[3] == lists.use[4] && lists.use[2] != lists.use[3],
	   "each use is a list of its own");
	is_text(argv[9], "one", "what is before a list is an operand");
	is_text(argv[11], "three", "and so is what follows --");
	is_i64(parse("--inter 5s"), 3, "a name may be shortened while it stays clear");
	is_i64(duration, INT64_C(5000000000), "the shortened one has its value");
	is_i64(parse("-T a --take=b -Tc"), 5, "a function takes each use");
	is_text(taken, "a;b;c;", "in their order");
	is_i64(parse("--from @5 -o -"), 5, "times and names are values too");
	is_text(moment, "@5", "the time is there, as it was typed");
	is_text(output, "-", "- is a value");
	is_i64(parse("--from -2h"), 3, "a value may begin with a dash");
	is_text(moment, "-2h", "the dash is of the value");
	is_i64(parse("-x -2h..-1h -1h.. -q"), 3, "what begins with a dash and a digit is an operand");
	is_text(argv[3], "-2h..-1h", "the first of them");
	is_text(argv[4], "-1h..", "the second");
	is_i64(options_parse(NULL, NULL, 2, (char *[]){ (char *)"try", (char *)"x", NULL }, &uses, &err), 1,
	       "tables may be missing");
	is_i64(options_parse(NULL, NULL, 1, (char *[]){ (char *)"try", NULL }, &uses, &err), 1,
	       "there may be no words");
}

static void
test_types(void)
{
	is_i64(parse("--colour blue --kinds metric,class -f tsv"), 7, "words");
	ok(colour == BLUE && kinds == 5 && strcmp(form, "tsv") == 0,
	   "a choice is its place, a list is bits, a word is itself");
	is_i64(parse("--colour red --kinds group"), 5, "the first word, and a list of one");
	ok(colour == RED && kinds == 2, "are what they say");
	is_i64(parse("--real -0.5"), 3, "a number may be negative where the row allows it");
	ok(real == -0.5, "and has a fraction");
	is_i64(parse("--real 2"), 3, "the greatest allowed");
	is_i64(parse("--min 0"), 3, "the least allowed");
	is_i64(parse("--min 12.5%"), 3, "a percentage may say so");
	ok(percent == 12.5, "and is in percent");
	is_i64(parse("--window ..now --window -2h..-1h --window 09:00.."), 7, "windows, open at an end");
	is_i64(windows.count, 3, "each is there");
	is_i64(parse("--grep a.*b"), 3, "a pattern that compiles");
	is_i64(parse("--tz abc"), 3, "a name of before");
	ok(strcmp(text, "abc") == 0 && strcmp(renamed, "tz text") == 0, "means the new one, which is said");
	is_i64(parse("--text a --size 1k"), 5, "an option with what it needs");
	ok(options_given(&uses, "size") && !options_given(&uses, "number"), "what was used is known");
}

static void
test_mistakes(void)
{
	refused("--sorce", "unknown option --sorce");
	refused("--sorce=7", "unknown option --sorce");
	refused("--nubmer 7", "unknown option --nubmer: did you mean --number?");
	refused("--fromat tsv", "unknown option --fromat: did you mean --format?");
	refused("--colours red", "unknown option --colours: did you mean --colour?");
	refused("--every 5s", "unknown option --every: did you mean --interval?");
	refused("--fla", "unknown option --fla: did you mean --text?");
	refused("--secre", "unknown option --secre");
	refused("-z", "unknown option -z");
	refused("-xz", "unknown option -z");
	refused("--t", "ambiguous option --t: --text, --take");
	refused("--flag=7", "--flag takes no value");
	refused("--text", "--text: expected a value, --text TEXT");
	refused("-t", "--text: expected a value, --text TEXT");
	refused("--colour", "--colour: expected a value, --colour red|green|blue");
	refused("--text=", "--text: the value is empty");
	refused("--number x", "--number: expected a number, not 'x'");
	refused("--number -1", "--number: expected a number, not '-1'");
	refused("-n 99999999999999999999", "--number: expected a number, not '99999999999999999999'");
	refused("-n 1 -n 1", "--number is given twice");
	refused("-t a --tz b", "--text is given twice");
	refused("--size 5x", "--size: expected a size such as 4096, 64k or 1G, not '5x'");
	refused("-i 5", "--interval: expected a duration such as 20s, 15m or 1h30m, not '5'");
	refused("-i 0s", "--interval: expected a duration greater than 0, such as 20s, 15m or 1h30m, not '0s'");
	refused("-T bad", "--take: expected something good");
	refused("--min nan", "--min: expected a percentage from 0 to 100, not 'nan'");
	refused("--min -5", "--min: expected a percentage from 0 to 100, not '-5'");
	refused("--min 100.1", "--min: expected a percentage from 0 to 100, not '100.1'");
	refused("--real 5%", "--real: expected a number from -1 to 2, not '5%'");
	refused("--real inf", "--real: expected a number from -1 to 2, not 'inf'");
	refused("--real 0x1", "--real: expected a number from -1 to 2, not '0x1'");
	refused("--colour pink", "--colour: expected red, green or blue, not 'pink'");
	refused("--colour re", "--colour: expected red, green or blue, not 're'");
	refused("--kinds class,pink", "--kinds: expected class, group or metric, not 'pink'");
	refused("--kinds class,", "--kinds: expected class, group or metric, not ''");
	refused("--kinds class,class", "--kinds: 'class' is given twice");
	refused("--from yesterday",
		"--from: expected a time such as 2026-11-19T09:00:00Z, 09:00, -2h, @1700000000 or now, not 'yesterday'");
	refused("--window 09:00",
		"--window: expected a window FROM..TO such as 09:00..10:00, -2h.. or ..now, not '09:00'");
	refused("--grep (", "--grep: at character 1: Unmatched ( (expected a ) later)");
	refused("--size 1k", "--size has no effect without --number or --text");
	refused("--real 1 --min 5", "--real and --min: only one at a time");
}

struct value { const char *text; int64_t wanted; };	/* -1: refused */

static void
test_sizes(void)
{
	static const struct value cases[] = {
		{ "0", 0 },
		{ "4096", 4096 },
		{ "64k", 65536 },
		{ "64K", 65536 },
		{ "1M", 1048576 },
		{ "1.5G", INT64_C(1610612736) },
		{ "2T", INT64_C(2199023255552) },
		{ "9223372036854775807", INT64_MAX },
		{ "9223372036854775808", -1 },
		{ "8388608T", -1 },
		{ "", -1 },
		{ "k", -1 },
		{ "1kk", -1 },
		{ "1 k", -1 },
		{ "-1", -1 },
		{ "1.", -1 },
		{ ".5k", -1 },
		{ "1m", -1 },
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
		{ "0", 0 },
		{ "20s", INT64_C(20000000000) },
		{ "15m", INT64_C(900000000000) },
		{ "15min", INT64_C(900000000000) },
		{ "7d", INT64_C(604800000000000) },
		{ "1w", INT64_C(604800000000000) },
		{ "1.5h", INT64_C(5400000000000) },
		{ "200ms", 200000000 },
		{ "1h30m", INT64_C(5400000000000) },
		{ "3us", 3000 },
		{ "1.25us", 1250 },
		{ "7ns", 7 },
		{ "0.1s", 100000000 },
		{ "1.000000001s", 1000000001 },
		{ "0.0000000019s", 1 },
		{ "20", -1 },
		{ "", -1 },
		{ "s", -1 },
		{ "1h 30m", -1 },
		{ "-2h", -1 },
		{ "15252w", -1 },
		{ "53375d", INT64_C(4611600000000000000) },
		{ "53376d", -1 },
		{ "1y", -1 },
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
	is_text(printed(options_list),
		"-x\n--flag\n-t\n--text=\n-m\n--maybe\n--maybe=\n-n\n--number=\n--size=\n-i\n--interval=\n--from=\n--window=\n-T\n--take=\n-F\n--file=\n--versus=\n--real=\n--min=\n"
		"--colour=red,green,blue\n--kinds=class,group,metric\n--grep=\n--hasty\n--lazy\n-f\n--format=text,tsv\n-o\n--output=\n-q\n--quiet\n",
		"the list for completion has all but hidden ones");
	is_text(printed(options_help),
		"what to do:\n"
		"  -x, --flag                   a flag\n"
		"  -t, --text TEXT              a text\n"
		"  -m, --maybe[=TEXT]           a text or none\n"
		"  -n, --number N               a number\n"
		"      --size SIZE              a size\n"
		"  -i, --interval TIME          a duration\n"
		"      --from TIME              a moment\n"
		"      --window FROM..TO        windows\n"
		"  -T, --take THING             a thing\n"
		"  -F, --file FILE              files\n"
		"      --versus FILE...         lists of files\n"
		"      --real X                 a number with a fraction\n"
		"      --min PERCENT            a part\n"
		"      --colour red|green|blue  a colour\n"
		"      --kinds KIND,...         of these kinds: class (of stacks), group, metric\n"
		"      --grep REGEX             a pattern\n"
		"manners: --hasty --lazy\n"
		"  -f, --format FORMAT          output: text, tsv\n"
		"  -o, --output FILE            where to\n"
		"  -q, --quiet                  say less\n",
		"help has two columns");
}

int
main(void)
{
	scratch();
	test_forms();
	test_types();
	test_mistakes();
	test_sizes();
	test_durations();
	test_help();
	return tap_end();
}
