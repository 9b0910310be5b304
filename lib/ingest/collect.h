/* SPDX-License-Identifier: MIT
 * collect: makes records of what scanners find, in the order of the text. Keeps what has been seen: a stack's text is
 * read once, a frame's line once. */
#ifndef INGEST_COLLECT_H
#define INGEST_COLLECT_H

#include "ingest/ingest.h"
#include "stkpipe/stream.h"

struct collect;
struct time_zone;

struct collect_options {
	struct stk_writer *writer;		/* borrowed */
	const struct time_zone *zone;		/* of civil times in the text; borrowed */
	const char *zone_name;
	struct scan_choice choice;
	bool raw_symbols;			/* those of Java methods stay as they are written */
	uint64_t plain_names;			/* bits of plain_name.h */
	bool only_stacks;			/* leave out cpu, elapsed, allocated and the addresses of locks */
	/* Called for every run of lines that was skipped; may be NULL. line counts from 1 in the file. */
	void (*skipped)(void *context, const char *file, uint64_t line, const struct finding *finding);
	void *context;
};

struct collect_counts {
	uint64_t dumps, samples, metrics, events, skipped;	/* skipped: lines of every reason */
	uint64_t lines, blank, rejected;		/* of text; blank ones are counted when asked for, and not in
							 * rejected, which are skipped ones */
	uint64_t late_events;				/* that came after later ones of their file */
	uint64_t unreturned;			/* times away of threads without an end: they left again, or worked */
	uint64_t broken;				/* findings that make the exit status 1 */
	uint64_t stacks;				/* distinct ones */
	size_t bytes;					/* of memory for distinct things */
};

int  collect_open(struct collect **out, const struct collect_options *options);
void collect_close(struct collect *collect);

/* A file begins. source: what its dumps are attributed to; fallback_ns: the time of dumps without one of their own, or
 * STK_TIME_UNKNOWN. The texts are borrowed until collect_end_file. */
void collect_begin_file(struct collect *collect, const char *file, const char *source, const struct text_format *format,
			int64_t fallback_ns);

/* What a caller that took the dump itself knows of it. The times are the caller's, not those of the text. */
struct collect_moment {
	int64_t time_ns;		/* since 1970 */
	uint64_t event;			/* the same for all that was taken together; 0 none */
	int64_t skew_ns, took_ns;	/* after the event's own time; and how long it lasted */
	bool cut;			/* the text is known to end too early */
	uint64_t pid;
	const char *host, *process;
	const char *vm;			/* its description, "": not known but by the dump, if that has one */
	enum stk_runtime runtime;	/* of the process, whatever the format of this text is */
};

/* After collect_begin_file: the dump that the file holds. Borrowed until collect_end_file. */
void collect_moment(struct collect *collect, const struct collect_moment *moment);
/* The id of the source of the current file's dumps, for rows that the caller writes. */
uint32_t collect_source(struct collect *collect);

/* The findings of the next piece, whose first line is `first_line` (from 1). 0, or -1 when the writer failed. *stop:
 * the finding that ended it, when lines have a prefix to remove or another format begins, else NULL. */
int collect_findings(struct collect *collect, const struct findings *findings, uint64_t first_line,
		     const struct finding **stop, struct stk_error *err);

/* Lines that findings do not count: those that are too long, have no newline at their end, or are of an input that is
 * read as a whole. */
void collect_lines(struct collect *collect, uint64_t lines, uint64_t blank);
int  collect_end_file(struct collect *collect, struct stk_error *err);
/* Lets readers of the stream see what was taken so far; a dump that is open, when the next one begins. */
int  collect_flush(struct collect *collect, struct stk_error *err) STK_MUST_CHECK;
/* The writer of the input waits: until collect_flush readers see each dump when the next one begins. */
void collect_quiet(struct collect *collect);
void collect_counts(const struct collect *collect, struct collect_counts *counts);

#endif
