/* SPDX-License-Identifier: MIT
 * collect_inside: what a collect consists of: only collect.c, collect_stacks.c and collect_recording.c know. */
#ifndef INGEST_COLLECT_INSIDE_H
#define INGEST_COLLECT_INSIDE_H

#include "base/array.h"
#include "base/hash_map.h"
#include "base/id_table.h"
#include "base/text_table.h"
#include "ingest/collect.h"
#include "ingest/off_cpu.h"
#include "ingest/open_names.h"
#include "ingest/scan_text.h"

#define RECENT_STACKS 65536	/* entries, found by hash alone: the memory is bounded, and dropped entries are looked
				 * up again */
#define RECENT_LINES  65536

struct shape {			/* what a stack's text means, without what varies */
	struct text_hash hash;
	uint32_t stack, locks, state;
	bool broken;		/* has lines that were not understood: they are reported each time it is met */
};

struct recent_stack {
	struct text_hash hash;
	uint32_t stack, locks, objects, state;
	bool broken;
};

struct recent_line {
	struct text_hash hash;
	uint32_t frame;
};

struct stack_reading {		/* a stack whose text is being read */
	struct collect *collect;
	ARRAY(uint32_t) frames;	/* in the order they were reported */
	uint32_t said;		/* more than INGEST_DEPTH_MAX are not kept */
	bool root_first;
	bool broken;
	const char *from;	/* where the stack of the sample begins in the text, and in which line */
	uint32_t line;
	ARRAY(struct stk_locks) locks;	/* likewise, without parents yet */
	enum stk_state state;
};

struct section_source {		/* what is kept of a format while the file has sections of another */
	const struct text_format *format;
	struct stk_source row;
	uint32_t source;
};

struct collect {
	struct collect_options options;
	struct recorder *recorder;
	struct stk_error error;
	struct recent_stack *recent;
	struct recent_line *lines;
	ARRAY(struct shape) shapes;
	struct hash_map shape_map;
	struct stack_reading reading;
	char *masked;			/* a stack's text without addresses */
	size_t masked_room;

	const char *file;
	const struct text_format *format;
	bool is_text;			/* the file is */
	uint64_t salt;			/* the same text means something else in another format */
	ARRAY(struct section_source) sections;	/* of the formats met in the file, but the present one */
	int64_t fallback_ns;
	int64_t latest_event_ns;		/* of the file */
	struct stk_source source_row;	/* of the file, or of the dump */
	uint32_t source;		/* 0: not defined yet */
	struct hash_map pid_map;	/* of recordings of several processes: sources by pid */
	ARRAY(struct { uint64_t pid; enum stk_clock clock; uint32_t source; }) pids;
	struct text_table processes;	/* of events, as these name them */
	ARRAY(uint32_t) process_sources;
	struct open_names open_names;		/* of the file */
	struct off_cpu off_cpu;			/* likewise */
	struct id_table threads_of_tids;	/* of events that tell the process */
	struct text_buffer values;		/* of an event */
	struct text_buffer plain;		/* the name of a function */
	struct stk_dump dump_row;
	const struct collect_moment *moment;	/* of a dump that was taken live; NULL */
	bool within;			/* the dump is within a recording, whose source is its own */
	uint32_t dump;			/* 0: none is open */
	const struct text_format *dump_format;	/* that found it */
	bool dump_ended;			/* and its end too */
	bool quiet, flush_next;			/* readers wait for each dump; for the one that is open */
	uint64_t line;			/* the first of the present piece */
	ARRAY(unsigned char) seen;	/* a bit a stack id: it was some sample's */
	ARRAY(uint32_t) followers;	/* by thread: which came next the last time. Dumps mostly have their threads in
					 * the same order */
	uint32_t last_thread;
	uint32_t recent_names[16];	/* ids of strings of which there are few, by their size */

	struct collect_counts counts;
};

/* --- collect_stacks.c --- */

/* What is known of a sample's stack, which is read if it is new. Valid until the next one is looked for. */
const struct recent_stack *collect_find_stack(struct collect *collect, const struct found_sample *sample);
/* Counts a sample's stack when it is a new one. Inner nodes of the tree of stacks need not belong to a sample. */
void collect_count_stack(struct collect *collect, uint32_t stack);

/* --- collect.c --- */

void collect_tell_skipped(struct collect *collect, const struct finding *finding);
/* A finding with an impossible part; no line is skipped. */
void collect_tell_doubt(struct collect *collect, const struct finding *of, const char *why);
/* A time that readers would not accept is unknown. */
int64_t collect_believed_time(struct collect *collect, const struct finding *of, int64_t time_ns);

void collect_set_format(struct collect *collect, const struct text_format *format);
/* Recordings name the process of each sample: each is a source of its own, and one of each clock. */
uint32_t collect_source_of_pid(struct collect *collect, uint64_t pid, struct stk_text command);
int  collect_begin_dump(struct collect *collect, int64_t civil_ns, bool zoned, struct stk_text vm,
			struct stk_error *err);
/* Does nothing when no dump is open. */
void collect_end_dump(struct collect *collect);

int  collect_finding(struct collect *collect, const struct finding *finding, struct stk_error *err);
int  collect_add_metric(struct collect *collect, const struct finding *finding, struct stk_error *err);
int  collect_add_event(struct collect *collect, const struct finding *finding, struct stk_error *err);
/* What ends without a name has that of the last that began, unless it has one of its own (is_named); activities are
 * known by their numbers instead. */
struct stk_text collect_name_of_event(struct collect *collect, const struct stk_event *row, bool is_named,
				      struct stk_text name);
int  collect_write_event(struct collect *collect, struct stk_event *row, struct stk_error *err);

#endif
