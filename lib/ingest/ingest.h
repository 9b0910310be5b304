/* SPDX-License-Identifier: MIT
 * ingest: the interface between a text format and the record stream.
 *
 * A format is one file with one struct text_format, named in the table of formats.c. Its functions are pure: they read
 * text and report what they found; the pieces of a file are scanned in several threads at once, and collect.c makes
 * records of the findings in the order of the text.
 *
 * The speed comes from reading each text only once. A scanner finds where a stack's text begins and ends and hashes it;
 * only when the hash is new is the text read (read_stack), line by line, and only a line that is new is taken apart
 * (read_frame). */
#ifndef INGEST_INGEST_H
#define INGEST_INGEST_H

#include "base/array.h"
#include "base/bytes.h"
#include "base/text_buffer.h"
#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INGEST_LINE_MAX    (1u << 20)	/* a longer line is skipped and reported */
#define INGEST_SECTION_MAX (4u << 20)	/* a longer section (a stack with its header) is cut there and reported */
#define INGEST_DEPTH_MAX   65536	/* frames of a stack: those nearer to the root are left out and reported */

/* A 128-bit hash of a stack's text: two texts with the same hash are taken for the same. */
struct text_hash { uint64_t low, high; };

/* --- what a scanner finds, in the order of the text. Texts point into the piece that was scanned. --- */

enum finding_kind {
	FOUND_DUMP,		/* a thread dump begins */
	FOUND_DUMP_FACTS,	/* what is written once per dump, in its head or tail */
	FOUND_DUMP_END,		/* the dump is over; what follows is not part of it */
	FOUND_SAMPLE,		/* a thread with its stack */
	FOUND_METRIC,
	FOUND_EVENT,
	FOUND_DEADLOCK,		/* one thread of a ring */
	FOUND_CAPTURE,		/* the metadata of a recording: host, time, command line */
	FOUND_SKIPPED,		/* lines that mean nothing, or are not understood */
	FOUND_PREFIX,		/* lines of this format have a prefix; stop, remove it, and scan again from here */
	FOUND_WRAPPED,		/* lines are wrapped by a log system; stop, take the text out, and scan again from here
				 */
	FOUND_SECTION,		/* what follows was found by another format, up to the next one of these */
	FOUND_FORMAT		/* another format's section begins here and may continue after the piece; stop, and
				 * scan again from here with that format */
};

enum skip_reason {
	SKIP_NOISE,		/* text around and between what we read: log lines, banners. Counted, shown by
				 * --rejects */
	SKIP_BROKEN,		/* looks like this format but is not valid: a broken header, a frame that cannot be
				 * read. Counted, shown, and exit status 1 */
	SKIP_TOO_LONG,		/* a line or section over the bounds above. Status 1 */
	SKIP_CUT		/* the text ends in the middle of a section. Status 1 */
};

#define PROCESSOR_UNKNOWN (-1)
#define SPAN_UNKNOWN 0

struct found_sample {
	struct text_hash hash;		/* of stack */
	struct stk_text stack;		/* the text that read_stack gets; empty when the thread has none */
	size_t leaf_size;		/* bytes of stack that are the leaf frame's line, when callers repeat more often
					 * than leaves do; else 0 */
	struct stk_text name;		/* of the thread, or the command */
	struct stk_text event;		/* "cycles"; empty for a dump */
	struct stk_text condition;	/* "waiting on condition"; empty */
	struct stk_text note;		/* "Compiling: ..."; empty */
	int64_t time_ns;		/* STK_TIME_UNKNOWN in a dump, which has the time */
	int64_t cpu_ns, elapsed_ns;
	int64_t age_ns;			/* how long after time_ns the stack was taken */
	uint64_t allocated, classes;
	uint64_t weight;
	uint64_t pid, tid, handle, number;	/* 0 unknown; pid: of a recording of several processes */
	int32_t priority, os_priority;
	int32_t processor;
	enum stk_role role;
	enum stk_state state;		/* when the text of the stack does not say it */
};

struct finding {
	enum finding_kind kind;
	uint32_t line;			/* where, counted from 0 in the piece */
	union {
		struct found_sample sample;
		/* date and time as if they were UTC, and when zoned they are; STK_TIME_UNKNOWN without; the VM's
		 * banner; what the text says of the process, empty and 0 without */
		struct { int64_t civil_ns; bool zoned; struct stk_text vm, process; uint64_t pid; } dump;
		/* added to what was found before */
		struct { uint64_t listed, exiting, jni_refs, weak_refs; } facts;
		struct {
			struct stk_text name, more;	/* more: the name continues; may point into the text */
			double value;
			bool timed, zoned;		/* it has a time of its own */
			bool quoted;			/* "" in more is " */
			int64_t time_ns;		/* civil unless zoned, or since the start, depending on the
							 * format's clock */
		} metric;
		struct {
			struct stk_text thread, name, stack, values;
			struct stk_text process;	/* its number or its name; empty: not known */
			uint64_t happening, activity, pid, tid;
			bool of_tid;			/* of the process that this tid was of last */
			int32_t processor;
			double value;
			bool zoned;			/* else the time is civil */
			bool of_day;			/* and of a day that is not told */
			bool is_named;			/* where it ends, too: it is not what ends without a name */
			int64_t time_ns;
		} event;
		struct {
			uint64_t ring, object;
			struct stk_text thread, class, owner;
			enum stk_relation relation;
			bool is_slashed;		/* class is "com/acme/Shop" */
		} deadlock;
		struct { struct stk_text host, process; } capture;	/* empty texts: unknown */
		struct {
			struct stk_text text;
			uint32_t lines;
			enum skip_reason reason;
			const char *why;
		} skipped; /* why: static, e.g. "a frame without a symbol" */
		/* the prefix of the line where it was seen first */
		struct { struct stk_text prefix; } prefix;
		struct { const struct text_format *format; const char *from; } section;	/* from: where; of
											 * FOUND_FORMAT and,
											 * without a format,
											 * of FOUND_WRAPPED */
	} is;
};

/* What users choose of a text that may be read in two ways. */
struct scan_choice {
	bool keep_addresses;		/* --addresses: scanners may then put the leaf's address into what is hashed */
	bool as_events;			/* --as-events: tracepoints, spans and slices are events, not samples */
	bool as_off_cpu;		/* --as-off-cpu: with as_events; switches are samples of times away */
	bool count_blank;		/* --rejects: lines are accounted for */
};

struct findings {
	ARRAY(struct finding) list;
	uint32_t lines;			/* of the piece, newlines counted */
	uint32_t blank;			/* of these, when asked for: nothing in them, and within nothing skipped */
	void *memory;			/* the scanner's own cache of what it met lately; NULL at first; one block of
					 * memory. It never changes what is found */
	struct scan_choice choice;
	bool unwrapped;			/* the text was wrapped: no more is looked for */
	bool brief;			/* the text is short: no cache is worth its memory */
};

/* A new finding at the end of the list; all of it zero but kind and line. */
struct finding *found(struct findings *findings, enum finding_kind kind, uint32_t line);
void found_skipped(struct findings *findings, uint32_t line, struct stk_text text, uint32_t lines,
		   enum skip_reason reason, const char *why);

struct event_line;
/* The event of a line, whose texts it borrows. */
void found_event(struct finding *finding, const struct event_line *line);

/* Counts the blank lines of the first `lines` of the piece that are not within what was skipped. */
uint32_t findings_blank_lines(const struct findings *findings, struct stk_text piece);

/* Frees the list and the scanner's cache. */
void findings_release(struct findings *findings);

/* --- a stack's text, read when it is new --- */

struct frame_parts {		/* texts point into the line, or are static */
	struct stk_text function, module, file;
	int64_t line;
	enum stk_form form;
	uint64_t address, offset;	/* collect drops them unless --addresses */
	bool is_symbol;			/* function is a symbol of a Java VM: collect makes the usual name of it,
					 * java_symbol.h */
	bool is_slashed;		/* or "com/acme/Shop.sell" */
};

struct collect;
struct recording_bytes;
struct stack_reading;		/* collect_stacks.c's own: receives what read_stack reports */

/* The line (or other piece of text) of a frame. Frames are reported leaf first, unless stack_is_root_first was
 * called. */
void stack_frame(struct stack_reading *reading, struct stk_text line);
void stack_is_root_first(struct stack_reading *reading);
/* A lock line after the frames reported so far. Their order is that of their addresses in the text. */
void stack_lock(struct stack_reading *reading, enum stk_relation relation, struct stk_text class, uint64_t address);
void stack_state(struct stack_reading *reading, enum stk_state state);
/* A line of the stack that was not understood. */
void stack_broken(struct stack_reading *reading, struct stk_text line, const char *why);

struct text_format {
	const char *name;		/* what --format takes */
	const char *about;		/* one line for the manual page */
	const char *shown_by;		/* what a text is recognised by, for --list-formats */
	const char *written_as;		/* the form of stkcat that is such a text; NULL: none */
	bool is_dump;			/* threads without a dump's head before them begin a dump */
	bool names_threads;		/* a sample's name is not that of its process, too */
	bool ends_dumps;		/* a dump says where it ends (FOUND_DUMP_END): one that does not is cut */
	/* Stacks contain addresses of locks: copies a stack without them, and without other things that are not of
	 * the stack, to `to` (stack.size bytes of room), and returns what was written. The first `room` addresses go
	 * to `addresses`, one for each lock that read_stack reports, in that order; *count is how many there are.
	 * NULL: there are none. */
	size_t (*mask)(struct stk_text stack, char *to, uint64_t *addresses, size_t room, size_t *count);
	uint32_t stack_after;		/* lines from where a sample is found to the first of its stack */
	enum stk_clock clock;		/* of its times, when it has any */
	bool is_of_any_clock;		/* a time from 2001 on is one of a clock on the wall, whatever `clock` says */
	enum stk_runtime runtime;

	bool is_between;		/* its lines are found within stacks of dumps, which are not within it */
	bool keeps_between;		/* such lines may be within its stacks, too, although these are not of dumps */
	bool is_of_lines;		/* each line is a section of its own: lines of a log may be between any two */
	bool is_like_folded;		/* its lines can be taken for folded stacks */
	bool ends_at_dump;		/* where a dump begins it ends, although it may take some of the lines there */
	bool ends_at_section;		/* and where any other section begins that is more than a line */
	bool is_text;			/* although it has a function read: its lines are accounted for, as JSON's
					 * are */

	/* Of a format that is read as a whole: takes the whole input in; the functions below but recognise are NULL
	 * then. 0, or -1 when the output failed. */
	int (*read)(struct collect *to, const struct recording_bytes *from, struct stk_error *err);

	/* How sure the beginning of a file (up to 64 KiB) is of this format: 0 not at all, 100 certain. */
	int (*recognise)(struct stk_text text);

	/* The start of the first line that surely begins a section of this format, wherever it is in the text; NULL
	 * without one. The member is NULL when only a whole file can be of this format. Strict: the text may be any
	 * log. */
	const char *(*find)(struct stk_text text);

	/* The size of the longest beginning of text that holds only whole sections, so that the rest can be scanned
	 * with what follows it; 0 when there is none. Fast: looks from the end backwards. */
	size_t (*cut)(struct stk_text text);
	/* The same when only the last bytes of a text are available, from any byte on; 0 also when these do not
	 * decide. NULL: they never do. */
	size_t (*cut_tail)(struct stk_text tail);

	/* Finds what is in a piece. The piece ends where cut decided, or at the end of the input. */
	void (*scan)(struct findings *findings, struct stk_text piece);

	void (*read_stack)(struct stack_reading *reading, struct stk_text stack);
	bool (*read_frame)(struct frame_parts *parts, struct stk_text line);	/* false: not a frame */
	/* Adds the values of an event as event_values.h has them. NULL: they are written so. */
	void (*read_values)(struct text_buffer *to, struct stk_text name, struct stk_text values);
};

/* A text of no known format, in which sections of any may be: all lines are noise. Not in the table. */
extern const struct text_format plain_text_format;
/* Stacks of a live capture. Not in the table either. */
extern const struct text_format walked_stack_format;

/* One per file of that name. */
extern const struct text_format thread_dump_format, perf_script_format, process_dump_format, folded_format,
	folded_dumps_format, gc_log_format, gc_log_uptime_format, jstat_format, metric_table_format,
	event_table_format, event_json_format, ftrace_format,
	strace_format, babeltrace_format, jfr_format,
	pprof_format, otlp_format, go_profile_format, go_heap_format, javacore_format;
extern const struct text_format speedscope_format, firefox_format, chrome_format, cpuprofile_format,
	threads_json_format, threads_text_format, bpftrace_format, dtrace_format, verbose_gc_format,
	openmetrics_text_format, simpleperf_format, perfetto_format, gperftools_format, callgrind_format,
	nettrace_format, austin_format, sjk_format, macos_sample_format, instruments_format,
	instruments_text_format, vtune_format, pyspy_json_format,
	rbspy_format, folded_arrows_format, coroutines_format;

extern const struct text_format *const text_formats[];	/* NULL-terminated; formats.c */
const struct text_format *text_format_named(const char *name);	/* or NULL */
/* Adds all names to a text, for messages: "a, b or c". */
void text_format_names(struct text_buffer *to);
/* The format whose recognise returns most, or NULL when all return 0. */
const struct text_format *text_format_recognised(struct stk_text beginning);

#endif
