/* SPDX-License-Identifier: MIT
 * profile_json: what the readers of viewers' profiles in JSON have in common: which of them a text is, columns of
 * numbers, rows, and the report of what is wrong. */
#ifndef INGEST_PROFILE_JSON_H
#define INGEST_PROFILE_JSON_H

#include "base/arena.h"
#include "base/json_reader.h"
#include "ingest/whole_input.h"

enum profile_shape {
	SHAPE_NONE, SHAPE_SPEEDSCOPE, SHAPE_FIREFOX, SHAPE_CHROME, SHAPE_CPUPROFILE, SHAPE_OTLP, SHAPE_THREADS,
	SHAPE_EVENTS, SHAPE_PYSPY
};

/* By the keys of the object, or of the first object of the array, that the beginning of a file is. */
enum profile_shape profile_shape(struct stk_text beginning);

struct profile_json {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	const struct recording_bytes *from;
	struct json_reader json;
	struct arena arena;		/* of what is kept until profile_close */
	struct sample_batch batch;	/* of samples that are not yet recorded */
	uint64_t negative, fractions;	/* weights, which are reported at the end */
	int result;			/* -1: the output failed, or what else ended it; in *err */
	bool broken;			/* what is wrong was reported */
	bool open_end;			/* the text may end where it ends */
	char complaint[200];
};

void profile_open(struct profile_json *p, struct collect *to, const struct recording_bytes *from,
		  struct stk_error *err);
/* Reports what is not JSON. -1: the output failed. */
int  profile_close(struct profile_json *p);
/* Reports that something of the profile cannot be understood, and is left out; once. */
void profile_broken(struct profile_json *p, const char *why);

/* The present text, kept. */
struct stk_text profile_kept(struct profile_json *p);
/* The value of a key that is a text or a number, kept; another value is skipped: then it is empty. */
struct stk_text profile_text(struct profile_json *p);
/* The id of a frame; texts may be empty. */
uint32_t profile_frame(struct profile_json *p, struct stk_text name, struct stk_text file, struct stk_text module,
		       int64_t line);
/* The thread of the present process; sample: with its name and event, of which ours are "web-1 (cycles)" where `ours`. */
struct profile_thread { uint32_t thread, event; };
struct profile_thread profile_thread(struct profile_json *p, struct stk_text name, uint64_t tid, bool ours,
				     struct stk_text event);
/* A weight below 0 becomes 0, and is reported. */
void profile_sample(struct profile_json *p, const struct profile_thread *of, int64_t time_ns, uint32_t stack,
		    int64_t weight, enum stk_state state);

/* Samples of a thread by columns, which is faster where they are many: the caller fills in as many rows as
 * profile_rows gives, `wanted` at most, and then adds them. What they have in common is there already. */
struct profile_rows { uint64_t *time, *stack, *weight, *state; };
uint32_t profile_rows(struct profile_json *p, const struct profile_thread *of, size_t wanted,
		      struct profile_rows *rows);
void profile_rows_add(struct profile_json *p, uint32_t count);
/* A weight below 0 is 0, and is counted. */
static inline uint64_t
profile_row_weight(struct profile_json *p, int64_t weight)
{
	p->negative += weight < 0;
	return weight > 0 ? (uint64_t)weight : 0;
}

/* --- columns --- */

struct numbers { int64_t *at; size_t count, room; };
#define NO_NUMBER INT64_MIN

/* The value of a key that is an array of numbers, each times 10^scale; null and what is no number is NO_NUMBER, and so
 * is one beyond 2^62, which is reported: sums and differences of two fit. Another value is skipped. */
void profile_numbers(struct profile_json *p, struct numbers *to, int scale);
/* Adds the next values of an array, as long as they are numbers: any may be left, and json_next gives it. */
void profile_next_numbers(struct profile_json *p, struct numbers *to, int scale);
static inline int64_t
number_at(const struct numbers *of, int64_t row)
{
	return row >= 0 && (uint64_t)row < of->count ? of->at[row] : NO_NUMBER;
}

/* Adds the numbers that are next in an array that was entered. The kind of what is after them, which json_next gave. */
enum json_kind profile_numbers_ahead(struct profile_json *p, struct numbers *to, int scale);

/* The next object of an array, whose keys are next. False: the array is over. */
bool profile_next_object(struct profile_json *p);
/* The value of a key: true when it is of a kind; else it is skipped. */
bool profile_expects(struct profile_json *p, enum json_kind kind);
/* A number, or a text of digits, times 10^scale, or `otherwise`; within 2^62. */
int64_t profile_number(struct profile_json *p, int scale, int64_t otherwise);

#endif
