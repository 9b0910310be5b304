/* SPDX-License-Identifier: MIT
 * folded: counts, what is no count, and where a frame ends. */
#include "../lib/tap.h"
#include "../lib/format_test.h"

static const struct text_format *const folded = &folded_format;

/* --- frames: a stack, and its frames with `|` between them --- */

static const struct { const char *stack, *frames;
} stacks[] = { { "a", "a" },
	       { "a;b;c", "a|b|c" },
	       { "a b;c d", "a b|c d" },
	       { "a;;b", "a||b" },
	       { ";a", "|a" },
	       { "a;", "a|" },
	       { ";", "|" },
	       { "java;read_[k];x_[j]", "java|read_[k]|x_[j]" },
	       { "a;foo(int, char);b", "a|foo(int, char)|b" },
	       { "a(;b);c", "a(|b)|c" },
	       { "a(;", "a(|" },
	       { "a\377;\303;b", "a\377|\303|b" },
	       /* JVM descriptors */
	       { "a;foo(Ljava/lang/String;I)V;b", "a|foo(Ljava/lang/String;I)V|b" },
	       { "foo([[Ljava/lang/String;[IJ[La;)V;b", "foo([[Ljava/lang/String;[IJ[La;)V|b" },
	       { "foo()V;b", "foo()V|b" },
	       { "foo()Ljava/lang/String;;b", "foo()Ljava/lang/String;|b" },
	       { "foo(I)[La/B;;b", "foo(I)[La/B;|b" },
	       { "foo(I)La/B;b", "foo(I)La/B|b" },
	       { "foo(I)La/B;", "foo(I)La/B;" },
	       { "foo(Ljava/lang/String;X)V;b", "foo(Ljava/lang/String|X)V|b" },
	       { "foo(Ljava/la;b", "foo(Ljava/la|b" },
	       { "f(L;)V", "f(L|)V" },
	       { "f(Ja;)V", "f(Ja|)V" },
	       { "f(I)L;b", "f(I)L|b" },
	       { "f(La/B$C_1-x+0x8;)V;b", "f(La/B$C_1-x+0x8;)V|b" },
	       { "f(L\303\251;)V;b", "f(L\303\251;)V|b" },
	       { "f(La;)V(La;)V;b", "f(La;)V(La;)V|b" },
	       /* a class before its method */
	       { "Ljava/lang/String;.length;b", "Ljava/lang/String;.length|b" },
	       { "Ljava/lang/String;::length;b", "Ljava/lang/String;::length|b" },
	       { "LBusy;::main;b", "LBusy;::main|b" },
	       { "Lmain;.plt;b", "Lmain|.plt|b" },
	       { "x;Lcom/a/B;.get(La/C;)V;b", "x|Lcom/a/B;.get(La/C;)V|b" },
	       { "La/b;c", "La/b|c" },
	       { "L", "L" },
	       { "L;", "L|" },
	       { "La;", "La|" },
	       { "La;:", "La|:" },
	       { "La/b;.", "La/b|." } };

static void
test_frames(void)
{
	for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
		struct stack_reading reading = { folded, false };
		size_t size = strlen(stacks[i].stack);
		char wanted[200];

		shown_size = 0;
		snprintf(wanted, sizeof wanted, " root first %s", stacks[i].frames);
		folded->read_stack(&reading, text_of(at_edge(stacks[i].stack, size), size));
		is_text(shown, wanted, "the frames of '%s'", stacks[i].stack);
	}
}

/* --- lines --- */

#define SAMPLE(line, weight, frames) line "  0/0 cpu -1 " weight " : root first " frames "\n"

static const struct { const char *fact, *text, *shown;
} texts[] = { { "a stack and its count", "a;b 12\n", SAMPLE("0", "12", "a|b") },
	      { "each line is a sample", "a;b 12\na;b 1\nc 3\n",
		SAMPLE("0", "12", "a|b") SAMPLE("1", "1", "a|b") SAMPLE("2", "3", "c") },
	      { "the last line without a newline", "a;b 12\na 4", SAMPLE("0", "12", "a|b") SAMPLE("1", "4", "a") },
	      { "a tab before the count", "a;b\t12\n", SAMPLE("0", "12", "a|b") },
	      { "several blanks before and behind it", "a;b   12  \n", SAMPLE("0", "12", "a|b") },
	      { "blanks in frames", "V8 Worker;f (x) 1;g 12\n", SAMPLE("0", "12", "V8 Worker|f (x) 1|g") },
	      { "fractions are rounded", "a;b 1.4\na;b 1.5\na;b 1.49\na;b 0.5\na;b 7.\na;b 2.50\na;b 0.00\na;b 0\na;b 0.\n",
		SAMPLE("0", "1", "a|b") SAMPLE("1", "2", "a|b") SAMPLE("2", "1", "a|b") SAMPLE("3", "1", "a|b")
			SAMPLE("4", "7", "a|b") SAMPLE("5", "3", "a|b") SAMPLE("6", "0", "a|b")
				SAMPLE("7", "0", "a|b") SAMPLE("8", "0", "a|b") },
	      { "one that would be nothing is broken", "a;b 0.3\na;b 0.0004\na;b 2e-05\n",
		"0 broken 1: a count of less than a half, which rounds to nothing\n"
		"1 broken 1: a count of less than a half, which rounds to nothing\n"
		"2 broken 1: a count of less than a half, which rounds to nothing\n" },
	      { "powers of ten", "a;b 1e3\na;b 2.5E+01\na;b 15e-1\na;b 1e400\na;fe3 1\na;e3\n",
		SAMPLE("0", "1000", "a|b") SAMPLE("1", "25", "a|b") SAMPLE("2", "2", "a|b")
			"3 broken 1: a count that is not a number, or too large\n" SAMPLE("4", "1", "a|fe3")
				"5 broken 1: a stack without a count\n" },
	      { "counts in front, as uniq -c writes them", "      3 a;b\n     14 a;c 7\n\t1\td\n  2 a;e f\nx\n",
		SAMPLE("0", "3", "a|b") SAMPLE("1", "14", "a|c 7") SAMPLE("2", "1", "d") SAMPLE("3", "2", "a|e f")
			"4 noise 1: a line that is not a stack\n" },
	      { "not among others", "a;b 1\n3 a;c\nd 4\n",
		SAMPLE("0", "1", "a|b") "1 broken 1: a stack without a count\n" SAMPLE("2", "4", "d") },
	      { "the largest count", "a;b 18446744073709551615\n", SAMPLE("0", "18446744073709551615", "a|b") },
	      { "one more is broken", "a;b 18446744073709551616\n",
		"0 broken 1: a count that is not a number, or too large\n" },
	      { "so are two points in it", "a;b 1.2.3\n", "0 broken 1: a count that is not a number, or too large\n" },
	      { "a count that is less than nothing", "a;b 1\na;b -1\n",
		SAMPLE("0", "1", "a|b") "1 broken 1: a stack without a count\n" },
	      { "a stack without a count among others", "a;b 1\na;b\nc;d 1\n",
		SAMPLE("0", "1", "a|b") "1 broken 1: a stack without a count\n" SAMPLE("2", "1", "c|d") },
	      { "a count without a stack", "a;b 1\n12\n 13\n",
		SAMPLE("0", "1", "a|b") "1 noise 1: a line that is not a stack\n2 noise 1: a line that is not a stack\n" },
	      { "a line that is something else", "a;b 1\nFiltering for events\n",
		SAMPLE("0", "1", "a|b") "1 noise 1: a line that is not a stack\n" },
	      { "a line of a log that ends in a number", "a;b 1\nWARN slow: 17\nerror 3\n12:00:00 a;b 4\n",
		SAMPLE("0", "1", "a|b") "1 noise 1: a line of a log\n" SAMPLE("2", "3", "error")
			SAMPLE("3", "4", "12:00:00 a|b") },
	      { "stacks without any count are one sample each", "a;b\na;c\nd\n",
		SAMPLE("0", "1", "a|b") SAMPLE("1", "1", "a|c") SAMPLE("2", "1", "d") },
	      { "of two counts the last one is taken", "a;b 1 2\na;c 3 0\n",
		SAMPLE("0", "2", "a|b") SAMPLE("1", "0", "a|c") },
	      { "but a number that only one frame ends in is its own", "a;b 1 2\na;c 3\nd 4\n",
		SAMPLE("0", "2", "a|b 1") SAMPLE("1", "3", "a|c") SAMPLE("2", "4", "d") },
	      { "comments and empty lines", "# made by hand\n\n# 12\n#a;b 3\n   \n", SAMPLE("3", "3", "#a|b") },
	      { "nothing", "", "" } };

static void
test_lines(void)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		is_text(show(folded, texts[i].text), texts[i].shown, "%s", texts[i].fact);
}

static void
test_pieces(void)
{
	static const char text[] = "a;b 12\n# c\n\nf(La/B;)V;c 3\nx;y\nz 4";
	static char whole[SHOWN_MAX];

	snprintf(whole, sizeof whole, "%s", show(folded, text));
	/* less, and the line without a count is all that there is to judge by */
	for (size_t step = 12; step < sizeof text; step++)
		is_text(show_in_pieces(folded, text, step), whole, "read %zu bytes at a time the same is found", step);
	is_u64(folded->cut(text_of("", 0)), 0, "nothing is cut from nothing");
	is_u64(folded->cut(text_of("a 1", 3)), 0, "nor from a line's beginning");
	is_u64(folded->cut(text_of("a 1\nb", 5)), 4, "whole lines are");
}

static void
test_too_long(void)
{
	const size_t size = INGEST_LINE_MAX + 10;
	struct findings findings = { .lines = 0 };
	char *text = malloc(size);

	memset(text, 'a', size);
	memcpy(text + size - 3, " 1\n", 3);
	folded->scan(&findings, text_of(at_edge(text, size), size));
	ok(findings.list.count == 1 && findings.list.at[0].kind == FOUND_SKIPPED,
	   "a line of more than 1 MiB is left out");
	is_u64(findings.list.at[0].is.skipped.reason, SKIP_TOO_LONG, "as too long");
	findings_release(&findings);
	free(text);
}

/* --- what it is sure of --- */

static int
sure(const char *text)
{
	return folded->recognise(text_of(at_edge(text, strlen(text)), strlen(text)));
}

static void
test_recognise(void)
{
	static const char *const others[] = {
		"",
		"\n",
		"a 1\nb 2\n",
		"a;b;12\nc;d;13\n",
		"int a;\nint b; int c;\n",
		"java 1 2.000000: cycles: \n\t7f f (x)\n\n",
		"a;b\nc;d\n",
		"\"main\" #1 prio=5\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:1)\n\n",
		"for (i = 0; i < 10\n  x = 5\n  y = 6\n}\n",
		"From: a\nSubject: b; 12\n\nText.\n",
		"# a;b 1\n",
		"1 a;\n2 b;\n",
		"1 a;b\nsecond c;d\n",
		"a 1\nb 2\nc;d 3\ne f\n"
	};

	ok(sure("java;main;read 12\njava;main 3\n") > 80, "stacks with counts are sure");
	ok(sure("java;main;read 12") > 80, "so is one line without a newline");
	ok(sure("# comment\njava;main;read 12.5\nswapper 3\n") > 80, "and fractions, comments, lone commands");
	ok(sure("a;b 1\na;c 2\nd;e\n") > 0, "with some noise it is possible");
	ok(sure("main 3\nidle 2\nmain;read 4\n") > 0, "a stack among lone frames that all have counts");
	ok(sure("      3 a;b\n      2 c\n      9 a;d\n") > 0, "counts in front");
	ok(sure("java;main;read 12\njava;ma") > 80, "a line that is cut off does not count");
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		is_u64((uint64_t)sure(others[i]), 0, "other text %zu is none", i);
}

/* --- hostile text --- */

static void
test_repeated(const char *fact, const char *head, const char *unit, const char *tail)
{
	const size_t room = 1000000;
	char *text = malloc(room + 200);
	size_t size = strlen(head), step = strlen(unit);

	memcpy(text, head, size);
	for (; size < room; size += step)
		memcpy(text + size, unit, step);
	memcpy(text + size, tail, strlen(tail));
	size += strlen(tail);
	limit_seconds(60);
	(void)folded->recognise(text_of(at_edge(text, size), size));
	(void)show_text(folded, text, size);
	limit_seconds(0);
	ok(shown_size > 0, "1 MB %s", fact);
	free(text);
}

int
main(void)
{
	shown_between = "|";
	test_frames();
	test_lines();
	test_pieces();
	test_too_long();
	test_recognise();
	test_repeated("of empty frames", "", ";", " 1\n");
	test_repeated("of opening brackets", "", "(", " 1\n");
	test_repeated("of descriptors that do not end", "", "(La", ";b 1\n");
	test_repeated("of arguments that do not end", "(", "I", ";b 1\n");
	test_repeated("of a class that does not end", "(L", "a", ";b 1\n");
	test_repeated("of array brackets", "()", "[", ";b 1\n");
	test_repeated("of classes before methods", "", "La/b;.c;", " 1\n");
	test_repeated("of digits", "a;b ", "1", "\n");
	test_repeated("of blanks", "a;b", " ", "1\n");
	test_repeated("of counts", "a;b", " 1", "\n");
	return tap_end();
}
