/* SPDX-License-Identifier: MIT
 * perf_script: headers and frames of every layout of perf script, and what becomes of text that is none. */
#include "../lib/tap.h"
#include "../lib/format_test.h"

static const struct text_format *const perf = &perf_script_format;

#define FRAMES "\t    7f35a9854ff8 read+0x10 (/usr/lib/libc.so.6)\n\t          40113a main+0x1a (/tmp/a.out)\n"
#define SHOWN  " read (/usr/lib/libc.so.6);main (/tmp/a.out)\n"

/* Each header stands above two frames and a blank line. */
static const struct { const char *header, *shown;
} headers[] = {
	/* fields */
	{ "java 6929/6938 [011] 184694.023342:   12909224 cycles:P: ",
	  "java 6929/6938 cpu 11 at 184694023342000 12909224 cycles:P:" },
	{ "java 6938 [011] 184694.023342:   12909224 cycles:P: ",
	  "java 0/6938 cpu 11 at 184694023342000 12909224 cycles:P:" },
	{ "java 6929/6938 184694.023342:   12909224 cycles:P: ",
	  "java 6929/6938 cpu -1 at 184694023342000 12909224 cycles:P:" },
	{ "java 6938 184694.023342: cycles: ", "java 0/6938 cpu -1 at 184694023342000 1 cycles:" },
	{ "java 6938 [000] 184694.023342: ", "java 0/6938 cpu 0 at 184694023342000 1 :" },
	{ "java 6938 [002] cycles: ", "java 0/6938 cpu 2 1 cycles:" },
	{ "java 6938 [002] 77 cycles: ", "java 0/6938 cpu 2 77 cycles:" },
	{ "java 6938 [002] ", "java 0/6938 cpu 2 1 :" },
	{ "java 6938 cycles:", "java 0/6938 cpu -1 1 cycles:" },
	{ "java 6929/6938 1000 cycles: ", "java 6929/6938 cpu -1 1000 cycles:" },
	{ "java 6938 1000 cycles: ", "java 0/6938 cpu -1 1000 cycles:" },
	{ "java 6938 ", "java 0/6938 cpu -1 1 :" },
	{ "java cycles: ", "java 0/0 cpu -1 1 cycles:" },
	{ "java ", "java 0/0 cpu -1 1 :" },
	{ "cycles: ", " 0/0 cpu -1 1 cycles:" },
	{ "java  6938 12.000001: 5 ", "java 0/6938 cpu -1 at 12000001000 5 :" },
	/* times */
	{ "java 1 0.000000: cycles: ", "java 0/1 cpu -1 at 0 1 cycles:" },
	{ "java 1     1.000000001: cycles: ", "java 0/1 cpu -1 at 1000000001 1 cycles:" },
	{ "java 1 9223372035.999999: cycles: ", "java 0/1 cpu -1 at 9223372035999999000 1 cycles:" },
	/* ids */
	{ "swapper     0 [003] 1.000000: cycles: ", "swapper 0/0 cpu 3 at 1000000000 1 cycles:" },
	{ ":-1    -1/-1 [003] 1.000000: cycles: ", ":-1 0/0 cpu 3 at 1000000000 1 cycles:" },
	{ ":4242  4242/4243  1.000000: cycles: ", ":4242 4242/4243 cpu -1 at 1000000000 1 cycles:" },
	/* commands */
	{ "V8 WorkerThread 24636/25607 [000] 94564.109216: 100 cycles: ",
	  "V8 WorkerThread 24636/25607 cpu 0 at 94564109216000 100 cycles:" },
	{ "Thread 12 345 [001] 1.000000: 5 cycles: ", "Thread 12 0/345 cpu 1 at 1000000000 5 cycles:" },
	/* a command that looks like a header is believed */
	{ "a 1/2 [3] b 7/8 [009] 1.000000: 5 cycles: ", "a 1/2 cpu 3 1 :" },
	{ "C2 CompilerThre 99 1.500000: cycles: ", "C2 CompilerThre 0/99 cpu -1 at 1500000000 1 cycles:" },
	{ "x 5 1.500000: cycles: ", "x 0/5 cpu -1 at 1500000000 1 cycles:" },
	{ "kworker/0:1-events 5 1.500000: cycles: ", "kworker/0:1-events 0/5 cpu -1 at 1500000000 1 cycles:" },
	{ "            bash  5 1.500000: cycles: ", "bash 0/5 cpu -1 at 1500000000 1 cycles:" },
	{ "caf\303\251 \377 5 1.500000: cycles: ", "caf\303\251 \377 0/5 cpu -1 at 1500000000 1 cycles:" },
	/* events and what follows them */
	{ "dd 1 [000] 2.000000:     250000 cpu-clock:pppH: ", "dd 0/1 cpu 0 at 2000000000 250000 cpu-clock:pppH:" },
	{ "dd 1 [000] 2.000000: cpu/event=0x3c,umask=0x0/u: ",
	  "dd 0/1 cpu 0 at 2000000000 1 cpu/event=0x3c,umask=0x0/u:" },
	{ "dd 1 [000] 2.000000: cycles: 1010", "dd 0/1 cpu 0 at 2000000000 1010 cycles:" },
	{ "dd 1 [000] 2.000000: sched:sched_switch: prev_comm=dd prev_pid=1 ==> next_comm=cat 12",
	  "dd 0/1 cpu 0 at 2000000000 1 sched:sched_switch:" },
	{ "dd 1 [000] 2.000000: 1 sched:sched_switch: prev_comm=dd",
	  "dd 0/1 cpu 0 at 2000000000 1 sched:sched_switch:" },
	{ "dd 1 [000] 2.000000: block:block_rq_issue: 8,0 W 4096 ()",
	  "dd 0/1 cpu 0 at 2000000000 1 block:block_rq_issue:" },
	{ "dd 1 [000] K      2.000000: 3 cycles: ", "dd 0/1 cpu 0 at 2000000000 3 cycles:" },
	{ "dd 1 [000]  2.000000: 3 branches:   call                     ", "dd 0/1 cpu 0 at 2000000000 3 branches:" }
};

static void
test_headers(void)
{
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
		char text[1000], wanted[1000];

		snprintf(text, sizeof text, "%s\n" FRAMES "\n", headers[i].header);
		snprintf(wanted, sizeof wanted, "0 %s" SHOWN, headers[i].shown);
		is_text(show(perf, text), wanted, "header '%s'", headers[i].header);
	}
}

/* A command may have 64 bytes before a header that is sure of itself, and not one more. */
static void
test_longest_command(void)
{
	for (int size = 63; size <= 65; size++) {
		char name[80] = "", text[1000], wanted[1000];

		memset(name, 'x', (size_t)size);
		snprintf(text, sizeof text, "%s 5 1.500000: cycles: \n" FRAMES "\n", name);
		snprintf(wanted, sizeof wanted, "0 %s 0/5 cpu -1 at 1500000000 1 cycles:" SHOWN, name);
		if (size <= 64)
			is_text(show(perf, text), wanted, "a command of %d bytes", size);
		else
			ok(strstr(show(perf, text), " 0/5 ") == NULL, "%d bytes are no command", size);
	}
}

/* The line of a frame, and what is made of it. */
static const struct {
	const char *line;
	enum stk_form form;
	const char *function, *module;
	uint64_t address, offset;
	const char *file;
	int64_t number;
} frames[] = {
	{ "\t    7f35a9854ff8 main+0x1ae (/tmp/a.out)", STK_FORM_NATIVE, "main", "/tmp/a.out", 0x7f35a9854ff8, 0x1ae },
	{ "7f35a9854ff8 main (/tmp/a.out)", STK_FORM_NATIVE, "main", "/tmp/a.out", 0x7f35a9854ff8 },
	{ "\tffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])", STK_FORM_NATIVE, "native_write_msr_safe",
	  "[kernel.kallsyms]", UINT64_C(0xffffffff8103d0ca) },
	{ "\t    7f [unknown] ([unknown])", STK_FORM_NATIVE, "[unknown]", "[unknown]", 0x7f },
	{ "\t    7f _start+0xffff018fd5dce000 (/usr/lib/ld-2.24.so)", STK_FORM_NATIVE, "_start", "/usr/lib/ld-2.24.so",
	  0x7f, UINT64_C(0xffff018fd5dce000) },
	{ "\t    7f f+0xfffff018fd5dce000 (x)", STK_FORM_NATIVE, "f+0xfffff018fd5dce000", "x", 0x7f },
	{ "\t    7f f+0x01 (x)", STK_FORM_NATIVE, "f+0x01", "x", 0x7f },
	{ "\t    7f f+0xAB (x)", STK_FORM_NATIVE, "f+0xAB", "x", 0x7f },
	{ "\t    7f +0x1 (x)", STK_FORM_NATIVE, "+0x1", "x", 0x7f },
	{ "\t    7f f+0x (x)", STK_FORM_NATIVE, "f+0x", "x", 0x7f },
	{ "\t    7f operator+0x10+0x20 (x)", STK_FORM_NATIVE, "operator+0x10", "x", 0x7f, 0x20 },
	{ "\t    7f main+0x1ae", STK_FORM_NATIVE, "main", "", 0x7f, 0x1ae },
	{ "\t    7f main", STK_FORM_NATIVE, "main", "", 0x7f },
	{ "\t    7f35", STK_FORM_PLAIN, "7f35", "", 0x7f35 },
	{ "\t    7f (/tmp/a.out)", STK_FORM_PLAIN, "(/tmp/a.out)", "", 0x7f },
	{ "\t    7f (/tmp/a (x).out)", STK_FORM_PLAIN, "(/tmp/a (x).out)", "", 0x7f },
	/* inlined */
	{ "\t    7f std::move<int&> (inlined)", STK_FORM_INLINED, "std::move<int&>", "", 0x7f },
	{ "\t    7f main+0x4 (inlined)", STK_FORM_INLINED, "main", "", 0x7f, 4 },
	/* names with brackets, blanks, colons */
	{ "\t    7f v8::Function::Call(v8::Handle<v8::Value>, int) (/tmp/node)", STK_FORM_NATIVE,
	  "v8::Function::Call(v8::Handle<v8::Value>, int)", "/tmp/node", 0x7f },
	{ "\t    7f foo(int) const+0x8 (/tmp/a.out)", STK_FORM_NATIVE, "foo(int) const", "/tmp/a.out", 0x7f, 8 },
	{ "\t    7f foo(int)", STK_FORM_NATIVE, "foo(int)", "", 0x7f },
	{ "\t    7f operator() (x)", STK_FORM_NATIVE, "operator()", "x", 0x7f },
	{ "\t    7f StubRoutines (1)+0xc9 (/tmp/perf-1.map)", STK_FORM_NATIVE, "StubRoutines (1)", "/tmp/perf-1.map",
	  0x7f, 0xc9 },
	{ "\t    7f void (anonymous namespace)::f<int>() (x)", STK_FORM_NATIVE, "void (anonymous namespace)::f<int>()",
	  "x", 0x7f },
	{ "\t    7f LazyCompile:~body_0 evalmachine.<anonymous>:1 (/tmp/perf-7.map)", STK_FORM_NATIVE,
	  "LazyCompile:~body_0 evalmachine.<anonymous>:1", "/tmp/perf-7.map", 0x7f },
	{ "\t    7f RegExp:\\bFoo ?Bar(?:/[\\d.]+|[ \\w.]*) (/tmp/perf-7.map)", STK_FORM_NATIVE,
	  "RegExp:\\bFoo ?Bar(?:/[\\d.]+|[ \\w.]*)", "/tmp/perf-7.map", 0x7f },
	{ "\t    7f Lcom/a/B;.get(Ljava/lang/String;II)Lcom/a/Scri+0x1fc (/tmp/perf-7.map)", STK_FORM_NATIVE,
	  "Lcom/a/B;.get(Ljava/lang/String;II)Lcom/a/Scri", "/tmp/perf-7.map", 0x7f, 0x1fc },
	{ "\t    7f long a.B.mix(long)+0x189 (/tmp/perf-7.map)", STK_FORM_NATIVE, "long a.B.mix(long)",
	  "/tmp/perf-7.map", 0x7f, 0x189 },
	{ "\t    7f  two blanks  (x)", STK_FORM_NATIVE, "two blanks ", "x", 0x7f },
	/* modules with blanks and brackets */
	{ "\t    7f f (/tmp/x y (deleted))", STK_FORM_NATIVE, "f", "/tmp/x y (deleted)", 0x7f },
	{ "\t    7f f(int)+0x1 (/memfd:jit (deleted))", STK_FORM_NATIVE, "f(int)", "/memfd:jit (deleted)", 0x7f, 1 },
	{ "\t    7f f (/tmp/a)b)", STK_FORM_NATIVE, "f (/tmp/a)b)", "", 0x7f },
	{ "\t    7f f ()", STK_FORM_NATIVE, "f ()", "", 0x7f },
	{ "\t    7f f (x) ", STK_FORM_NATIVE, "f (x) ", "", 0x7f },
	/* source lines */
	{ "\t    7f main+0x4 (a.out)\n  main.c:137", STK_FORM_NATIVE, "main", "a.out", 0x7f, 4, "main.c", 137 },
	{ "\t    7f main+0x4 (a.out)\n  a.out[27b25]", STK_FORM_NATIVE, "main", "a.out", 0x7f, 4 },
	{ "\t    7f main+0x4\n  main.c:12 (inlined)", STK_FORM_INLINED, "main", "", 0x7f, 4, "main.c", 12 },
	{ "\t    7f main\n  :12", STK_FORM_NATIVE, "main", "", 0x7f },
	{ "\t    7f main\n  a.c:99999999999999999999", STK_FORM_NATIVE, "main", "", 0x7f },
	{ "\t    7f main\n  12", STK_FORM_NATIVE, "main", "", 0x7f }
};

/* The frame's own text again, of parts: that which stood behind the address. */
static void
check_inverse(size_t i, const struct frame_parts *parts)
{
	struct frame_names names = { parts->function, parts->module,  parts->file,  parts->line,
				     parts->form,     parts->address, parts->offset };
	const char *line = frames[i].line + strspn(frames[i].line, "\t ");
	char text[300] = "", wanted[300];
	size_t size = strcspn(line, "\n");

	frame_text(&names, text, sizeof text - 1);
	if (memchr(line, ' ', size) != NULL)
		line += strcspn(line, " "), line += strspn(line, " ");
	snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(line, "\n"), line);
	if (parts->form == STK_FORM_NATIVE || parts->form == STK_FORM_PLAIN)
		is_text(text, wanted, "and can be put together again");
}

static void
test_frames(void)
{
	for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
		size_t size = strlen(frames[i].line);
		struct frame_parts parts;

		if (!ok(perf->read_frame(&parts, text_of(at_edge(frames[i].line, size), size)), "'%.*s' is a frame",
			(int)strcspn(frames[i].line, "\n"), frames[i].line))
			continue;
		is_u64(parts.form, frames[i].form, "with its form");
		ok(text_is(parts.function, frames[i].function), "with its function, and not '%.*s'",
		   (int)parts.function.size, parts.function.data);
		ok(text_is(parts.module, frames[i].module), "with its module, and not '%.*s'", (int)parts.module.size,
		   parts.module.data);
		ok(parts.address == frames[i].address && parts.offset == frames[i].offset, "with its numbers");
		ok(text_is(parts.file, frames[i].file != NULL ? frames[i].file : "") && parts.line == frames[i].number,
		   "with its source line");
		check_inverse(i, &parts);
	}
}

static void
test_no_frames(void)
{
	static const char *const lines[] = { "",
					     " ",
					     "\t",
					     "main (a.out)",
					     "\t7f35x main",
					     "\t7f35a9854ff8000000 main (x)",
					     "\tat java.lang.Thread.run",
					     "0x7f main (x)" };
	struct frame_parts parts;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		ok(!perf->read_frame(&parts, text_of(at_edge(lines[i], strlen(lines[i])), strlen(lines[i]))),
		   "'%s' is no frame", lines[i]);
}

#define HEADER "java 1 2.000000: cycles: \n"
#define JAVA   " java 0/1 cpu -1 at 2000000000 1 cycles:"

static const struct { const char *fact, *text, *shown;
} sections[] = {
	{ "two samples, each with its event", HEADER FRAMES "\njava 1 2.000000: instructions: \n" FRAMES "\n",
	  "0" JAVA SHOWN "4 java 0/1 cpu -1 at 2000000000 1 instructions:" SHOWN },
	{ "a sample without a stack", HEADER "\n" HEADER FRAMES "\n", "0" JAVA "\n2" JAVA SHOWN },
	{ "the last sample without a blank line", HEADER FRAMES, "0" JAVA SHOWN },
	{ "the last sample without even a newline", HEADER "\t7f f (x)", "0" JAVA " f (x)\n" },
	{ "a text that ends within a frame", HEADER "\t7f f (x)\n\t8f g (y",
	  "2 cut 1: the text ends within a frame\n0" JAVA " f (x)\n" },
	{ "a text that ends within a header", HEADER "\t7f f (x)\n\njava 12 3.0",
	  "0" JAVA " f (x)\n3 cut 1: the text ends within a line\n" },
	{ "a header without a newline", "java 1 2.000000: cycles:", "0" JAVA "\n" },
	{ "two files one behind the other, the first without its last blank line",
	  HEADER "\t7f f (x)\n" HEADER FRAMES "\n", "0" JAVA " f (x)\n2" JAVA SHOWN },
	{ "and the second with a head of comments", HEADER "\t7f f (x)\n# hostname : a\n" HEADER FRAMES "\n",
	  "0" JAVA " f (x)\n2 host a\n3" JAVA SHOWN },
	{ "frames without indentation", HEADER "7f35a f (x)\n8f g (y)\n\n", "0" JAVA " f (x);g (y)\n" },
	{ "frames indented by blanks", HEADER "     7f35a f (x)\n     8f g (y)\n\n", "0" JAVA " f (x);g (y)\n" },
	{ "a line that is no frame among frames", HEADER "\t7f f (x)\noops\n\t8f g (y)\n\n",
	  "0" JAVA " f (x) BROKEN[oops: a line that is not a frame];g (y)\n" },
	{ "source lines under frames", HEADER "\t7f f (x)\n  f.c:1\n\t8f g (y)\n  y[8f]\n\n",
	  "0" JAVA " f (x)@f.c:1;g (y)\n" },
	{ "a branch stack under frames", HEADER "\t7f f (x)\n 0x1/0x2/P/-/-/0\n\n", "0" JAVA " f (x)\n" },
	{ "a line of blanks among frames", HEADER "\t7f f (x)\n  \n\t8f g (y)\n\n", "0" JAVA " f (x);g (y)\n" },
	{ "comments, and the host in them",
	  "# ========\n# hostname : bench01\n# cmdline : perf record\n#\n" HEADER FRAMES "\n",
	  "1 host bench01\n4" JAVA SHOWN },
	{ "lines that are nothing, said together", "[ perf record: Woken up ]\nhello\n\n" HEADER "\n",
	  "0 noise 2: a line that is not a sample\n3" JAVA "\n" },
	{ "frames without a header", FRAMES "\n" HEADER "\n",
	  "0 broken 2: a stack without a header line\n3" JAVA "\n" },
	{ "a header that is damaged", "java 1/x y z and what follows it: \n" FRAMES "\n" HEADER "\n",
	  "0 broken 3: a header line that cannot be read\n4" JAVA "\n" },
	{ "only frames were asked for", "\n" FRAMES "\n\n\t7f f (x)\n\n",
	  "0  0/0 cpu -1 1 :" SHOWN "4  0/0 cpu -1 1 : f (x)\n" },
	{ "the frame in the header line",
	  "            java     1 2.000000:   9 cycles:      7f35a9854ff8 f+0x1 (x)\n       java     1 2.000000: 8 cycles:  7f g (/a b)\n",
	  "0 java 0/1 cpu -1 at 2000000000 9 cycles: f (x)\n1 java 0/1 cpu -1 at 2000000000 8 cycles: g (/a b)\n" },
	{ "the frame in the header line, without time",
	  "            java     1 cycles:      7f35a9854ff8 f (x)\n            java     1 cycles:      8f35a9854ff8 g (x)\n",
	  "0 java 0/1 cpu -1 1 cycles: f (x)\n1 java 0/1 cpu -1 1 cycles: g (x)\n" },
	{ "the frame in the header line, without a module", "java 1 2.000000: cycles:  7f35a f\n",
	  "0 java 0/1 cpu -1 at 2000000000 1 cycles: f\n" },
	{ "what a tracepoint says is no frame",
	  "dd 1 [000] 2.000000: a:b: add to list\ndd 1 [000] 2.000000: a:b: x=1\n",
	  "0 dd 0/1 cpu 0 at 2000000000 1 a:b:\n1 dd 0/1 cpu 0 at 2000000000 1 a:b:\n" },
	{ "samples with and without frames below", "dd 1 [000] 2.000000: a:b: x\n" HEADER FRAMES "\n",
	  "0 dd 0/1 cpu 0 at 2000000000 1 a:b:\n1" JAVA SHOWN },
	{ "what perf tells of mappings and tasks is passed over",
	  "x 1 0.000000: PERF_RECORD_MMAP2 1/1: [0x4(0x1)]: r-xp /x\nx 1 0.000000: PERF_RECORD_COMM: x:1/1\n" HEADER
	  "\n",
	  "2" JAVA "\n" },
	{ "prose with numbers is no sample", "took 12 ms\nstep 3 done: all\nINFO 2024 main: started\n",
	  "0 noise 3: a line that is not a sample\n" },
	{ "NUL bytes and broken UTF-8 stay in names", HEADER "\t7f f\377\303 (x)\n\n", "0" JAVA " f\377\303 (x)\n" },
	{ "a line of something else between header and frames", HEADER "hello world\n" FRAMES "\n",
	  "0" JAVA " BROKEN[hello world: a line that is not a frame] read (/usr/lib/libc.so.6);main (/tmp/a.out)\n" },
	{ "words in place of a header, where the others have times", HEADER FRAMES "\nretry 5\n" FRAMES "\n" HEADER "\n",
	  "0" JAVA SHOWN "4 broken 3: a header line that cannot be read\n8" JAVA "\n" },
	{ "... and as the last one", HEADER FRAMES "\nhello world\n" FRAMES "\n",
	  "0" JAVA SHOWN "4 broken 3: a header line that cannot be read\n" },
	{ "another recording, without times", HEADER FRAMES "\nx 5\n" FRAMES "\nx 6\n" FRAMES "\n",
	  "0" JAVA SHOWN "4 x 0/5 cpu -1 1 :" SHOWN "8 x 0/6 cpu -1 1 :" SHOWN },
	{ "nothing", "", "" },
	{ "newlines", "\n\n\n", "" }
};

static void
test_sections(void)
{
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		is_text(show(perf, sections[i].text), sections[i].shown, "%s", sections[i].fact);
}

/* --- pieces --- */

static const char long_text[] =
	"# hostname : h\n#\n" HEADER FRAMES "\n" HEADER "\t7f f (x)\n" HEADER "\nnoise\n" HEADER
	"\t7f f (x)\n  f.c:1\n\n"
	"   java  1 2.000000: 9 cycles:  7f35a9854ff8 f+0x1 (x)\n   java  1 2.000000: 9 cycles:  7f35a9854ff8 f+0x1 (x)\n"
	"java 1 cycles: \n" FRAMES "\njava 1 cycles: \n" FRAMES "\n\n" FRAMES "\n\n" FRAMES "\n" HEADER FRAMES
	"\noops 1\n" FRAMES "\n" HEADER "\n" HEADER "oops\n" FRAMES;

static void
test_pieces(void)
{
	static char whole[SHOWN_MAX];

	snprintf(whole, sizeof whole, "%s", show(perf, long_text));
	for (size_t step = 1; step < sizeof long_text; step += step < 100 ? 1 : 41)
		is_text(show_in_pieces(perf, long_text, step), whole, "read %zu bytes at a time the same is found",
			step);
}

static void
test_cut(void)
{
	static const struct { const char *text; size_t size;
	} cuts[] = { { "", 0 },
		     { "a", 0 },
		     { HEADER, 0 },
		     { HEADER FRAMES, 0 },
		     { "a\n\nb\n", 3 },
		     { "a\n\n\n\nb", 3 },
		     { "a\n\n", 3 },
		     { "\n", 0 },
		     { "\t7f f (x)\n" HEADER, 10 },
		     { "x\n" HEADER FRAMES, 2 },
		     { "\t7f f (x)\n\njava 1 2.0", 11 },
		     { HEADER "\tf f (x)\n\njava 1", 0 },
		     { "\t7f f (x)\n\njava 1 2.0: c:\n", 11 } };

	for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
		is_u64(perf->cut(text_of(at_edge(cuts[i].text, strlen(cuts[i].text)), strlen(cuts[i].text))),
		       cuts[i].size, "cut %zu", i);
}

/* --- what it is sure of --- */

static int
sure(const char *text)
{
	return perf->recognise(text_of(at_edge(text, strlen(text)), strlen(text)));
}

static void
test_recognise(void)
{
	static const char *const others[] = {
		"",
		"\n",
		"java;main;read 12\njava;main 3\n",
		"\"main\" #1 prio=5 os_prio=0 tid=0x1 nid=0x2 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:1)\n\n",
		"int\nmain(void)\n{\n\tadd (1, 2);\n\tface (b);\n\treturn 0;\n}\n",
		"From: a\nSubject: b\n\n> " HEADER "> \t7f f (x)\n\nThat is what it says.\n",
		"[    0.000000] Linux version 6\n[    0.000001] Command line: x\n",
		"Title\n    a thing (of beauty)\n    is a joy\n\n",
		"total 12\nadd 13\n",
		"    bash-1234  [000] d... 1234.567890: sched_switch: prev\n",
		"2024-01-01 12:00:00.123456 [main] INFO started\n",
		"#0  0x00007f in poll () from /lib/libc.so\n#1  0x00008f in main (x=1) at a.c:3\n",
		"app 1234 [012] main: hello\n"
	};

	ok(sure(HEADER FRAMES "\n") > 90, "a sample with its time is sure");
	ok(sure("# ========\n# captured on    : today\n") > 90, "so is the head of a recording");
	ok(sure("java 1 cycles: \n" FRAMES "\n") > 50, "a sample without time is less sure");
	ok(sure("\n" FRAMES "\n") > 50, "frames alone too");
	ok(sure("   java  1 2.000000: 9 cycles:  7f35a9854ff8 f+0x1 (x)\n") > 90, "a frame in the header line is sure");
	ok(sure("dd 1 [000] 2.000000: a:b: x=1\n") > 0, "tracepoints without stacks are possible");
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		is_u64((uint64_t)sure(others[i]), 0, "other text %zu is none", i);
}

/* --- hashes --- */

static struct text_hash
hash_of(const char *stack, bool keep_addresses, size_t *leaf_size)
{
	struct findings findings = { .choice.keep_addresses = keep_addresses };
	struct text_hash hash;
	char text[1000];

	snprintf(text, sizeof text, HEADER "%s\n", stack);
	perf->scan(&findings, text_of(text, strlen(text)));
	hash = findings.list.at[0].is.sample.hash;
	*leaf_size = findings.list.at[0].is.sample.leaf_size;
	findings_release(&findings);
	return hash;
}

static bool
same_hash(const char *a, const char *b, bool keep_addresses)
{
	size_t leaf;
	struct text_hash one = hash_of(a, keep_addresses, &leaf), two = hash_of(b, keep_addresses, &leaf);

	return one.low == two.low && one.high == two.high;
}

static void
test_hashes(void)
{
	size_t leaf;

	ok(same_hash("\t7f f+0x1 (x)\n\t8f g+0x2 (y)\n", "\t7e f+0x9 (x)\n\t8f g+0x2 (y)\n", false),
	   "the leaf's address does not count");
	ok(!same_hash("\t7f f+0x1 (x)\n\t8f g+0x2 (y)\n", "\t7e f+0x9 (x)\n\t8f g+0x2 (y)\n", true),
	   "but where addresses are kept it does");
	ok(!same_hash("\t7f f+0x1 (x)\n\t8f g+0x2 (y)\n", "\t7f f+0x1 (x)\n\t8e g+0x3 (y)\n", false),
	   "a caller's address does");
	ok(!same_hash("\t7f f+0x1 (x)\n\t8f g (y)\n", "\t7f f+0x1 (z)\n\t8f g (y)\n", false), "the leaf's module does");
	ok(!same_hash("\t7f f+0x1 (x)\n\t8f g (y)\n", "\t7f e+0x1 (x)\n\t8f g (y)\n", false),
	   "the leaf's function does");
	ok(!same_hash("\t7f f (inlined)\n\t8f g (y)\n", "\t7f f\n\t8f g (y)\n", false), "that it was inlined does");
	ok(!same_hash("\t7f ab (c)\n", "\t7f a (bc)\n", false), "where function and module part does");
	ok(!same_hash("\t7f f (x)\n  f.c:1\n\t8f g (y)\n", "\t7f f (x)\n  f.c:2\n\t8f g (y)\n", false),
	   "its source line does");
	ok(!same_hash("\t7f f (x)\n", "\t7f f (x)\n\t7f f (x)\n", false), "how often it stands there does");
	(void)hash_of("\t7f f (x)\n\t8f g (y)\n", false, &leaf);
	is_u64(leaf, 10, "the leaf's size is that of its line");
	(void)hash_of("\t7f f (x)\n  f.c:1\n\t8f g (y)\n", false, &leaf);
	is_u64(leaf, 18, "with its source line");
}

/* --- hostile text --- */

static uint64_t
samples_of(const char *text, size_t size)
{
	struct findings findings = { .lines = 0 };
	struct stk_text piece = text_of(at_edge(text, size), size);
	uint64_t samples = 0;

	(void)perf->recognise(text_of(piece.data, size < 65536 ? size : 65536));
	(void)perf->cut(piece);
	perf->scan(&findings, piece);
	for (size_t i = 0; i < findings.list.count; i++)
		samples += findings.list.at[i].kind == FOUND_SAMPLE;
	findings_release(&findings);
	return samples;
}

static void
test_prefixes(void)
{
	char damaged[sizeof long_text];
	unsigned seed = 3;
	uint64_t sum = 0;

	for (size_t size = 0; size < sizeof long_text; size++)
		sum += samples_of(long_text, size);
	ok(sum > 0, "every prefix is scanned within its bounds");
	for (unsigned round = 0; round < 3000; round++) {
		memcpy(damaged, long_text, sizeof damaged);
		for (unsigned n = 0; n < 1 + round % 4; n++) {
			seed = seed * 1103515245 + 12345;
			damaged[(seed >> 8) % (sizeof damaged - 1)] = "\n\t :(0[a)\0\377"[(seed >> 4) % 11];
		}
		sum += samples_of(damaged, sizeof damaged - 1);
	}
	ok(sum > 0, "so are 3000 damaged texts");
}

/* A header, then `unit` over and over, then an end: must take a time that grows with the text. The limit is the
 * test. */
static void
test_repeated(const char *fact, const char *head, const char *unit, const char *tail, uint64_t wanted)
{
	const size_t room = 4 << 20;
	char *text = malloc(room + 200);
	size_t size = strlen(head), step = strlen(unit);

	memcpy(text, head, size);
	for (; size < room; size += step)
		memcpy(text + size, unit, step);
	memcpy(text + size, tail, strlen(tail));
	limit_seconds(60);
	is_u64(samples_of(text, size + strlen(tail)), wanted, "4 MB %s", fact);
	limit_seconds(0);
	free(text);
}

static void
test_too_long(void)
{
	static const char frame[] = "\t7f f (x)\n";
	const size_t step = sizeof frame - 1, count = (INGEST_SECTION_MAX + 1000) / step, head = strlen(HEADER);
	struct findings findings = { .lines = 0 };
	char *text = malloc(head + count * step);

	memcpy(text, HEADER, head);
	for (size_t i = 0; i < count; i++)
		memcpy(text + head + i * step, frame, step);
	perf->scan(&findings, text_of(at_edge(text, head + count * step), head + count * step));
	is_u64(findings.list.count, 2, "a stack of more than 4 MiB is cut, and that is said");
	is_u64(findings.list.at[0].is.skipped.reason, SKIP_TOO_LONG, "as too long");
	is_u64(findings.list.at[0].line, 1 + INGEST_SECTION_MAX / step, "from the line on that is over");
	is_u64(findings.list.at[0].line + findings.list.at[0].is.skipped.lines, findings.lines, "to its end");
	is_u64(findings.list.at[1].is.sample.stack.size, INGEST_SECTION_MAX / step * step,
	       "what is left ends at a line's end");
	findings_release(&findings);
	free(text);
}

static void
test_hostile(void)
{
	test_repeated("of frames in one stack", HEADER, "\t7f f (x)\n", "\n", 1);
	test_repeated("of name", "", "x", " 1 2.000000: cycles:\n\n", 0);
	test_repeated("of blanks in a header", "java", " ", "1 2.000000: cycles:\n\n", 1);
	test_repeated("of digits", "java ", "1", " 2.000000: cycles:\n\n", 0);
	test_repeated("of ids", "", "1 ", "2.000000: cycles:\n\n", 0);
	test_repeated("of opening brackets in the leaf", HEADER "\t7f ", "(", ")\n\n", 1);
	test_repeated("of closing brackets in the leaf", HEADER "\t7f (", ")", "\n\n", 1);
	test_repeated("of newlines", "", "\n", "", 0);
	test_repeated("of tabs", HEADER, "\t", "\n\n", 1);
	test_repeated("of source lines", HEADER "\t7f f (x)\n", "  f.c:1\n", "\n", 1);
	test_repeated("of lines without indentation", HEADER "\t7f f (x)\n", "a\n", "\n", 1);
	test_repeated("of indented lines that are no frames", "", "   1 1\n", "\n", 0);
	test_repeated("of blank headers", "", "\n\n", FRAMES "\n", 1);

}

int
main(void)
{
	test_headers();
	test_longest_command();
	test_frames();
	test_no_frames();
	test_sections();
	test_pieces();
	test_cut();
	test_recognise();
	test_hashes();
	test_prefixes();
	test_too_long();
	test_hostile();
	return tap_end();
}
