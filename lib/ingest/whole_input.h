/* SPDX-License-Identifier: MIT
 * whole_input: what a format hands over that reads whole inputs by itself, because it is not text: JFR, pprof. Ids of
 * strings, frames, stacks and threads come from the recorder; rows go through here, which counts them. */
#ifndef INGEST_WHOLE_INPUT_H
#define INGEST_WHOLE_INPUT_H

#include "base/event_line.h"
#include "ingest/collect.h"

struct recorder;

/* The bytes of the input, from its first one. */
struct recording_bytes {
	size_t (*read)(void *context, void *to, size_t size);	/* up to size; 0 at the end */
	void *context;
};

struct recorder *recording_definitions(struct collect *collect);
/* The id of a frame, after what --addresses and --raw-symbols ask for. */
uint32_t recording_frame(struct collect *collect, const struct frame_parts *parts);

/* What is known of the process: before the first row of the input. Ids of strings; 0: not known. */
void recording_process(struct collect *collect, uint64_t pid, uint32_t process, uint32_t vm, uint32_t host);
/* What the times of later rows count from. */
void recording_clock(struct collect *collect, enum stk_clock clock);
/* The id of the source of rows. */
uint32_t recording_source(struct collect *collect);
/* The same for rows of one process of several, 0: not known. process: its name, which is used when it is new. */
uint32_t recording_source_of(struct collect *collect, uint64_t pid, struct stk_text process);

/* 0, or -1 when the output failed. Times that readers would not accept become unknown, and are reported. A sample
 * between the beginning and the end of a dump is of it. */
int recording_sample(struct collect *collect, struct stk_sample *row, struct stk_error *err) STK_MUST_CHECK;
/* Samples by columns, which is faster: each has a time, a thread and so on, as struct stk_sample has them. They are
 * added and taken out of the batch; none is of a dump. A zeroed struct is an empty batch. */
#define SAMPLE_BATCH_MAX 512u
struct sample_batch {
	uint32_t count;
	bool noted;			/* any has a note */
	uint32_t alike_from;		/* rows from here on are filled for samples of... */
	uint32_t alike_thread, alike_event;	/* 0: none are */
	uint64_t time[SAMPLE_BATCH_MAX], thread[SAMPLE_BATCH_MAX], stack[SAMPLE_BATCH_MAX], event[SAMPLE_BATCH_MAX],
		weight[SAMPLE_BATCH_MAX], state[SAMPLE_BATCH_MAX], processor[SAMPLE_BATCH_MAX],
		note[SAMPLE_BATCH_MAX];
};
/* Adds a sample that has nothing else; true: the batch is full. */
static inline bool
sample_batch_add(struct sample_batch *batch, const struct stk_sample *row)
{
	uint32_t at = batch->count++;

	batch->time[at] = (uint64_t)row->time;
	batch->thread[at] = row->thread;
	batch->stack[at] = row->stack;
	batch->event[at] = row->event;
	batch->weight[at] = row->weight;
	batch->state[at] = row->state;
	batch->processor[at] = (uint64_t)row->processor;
	batch->note[at] = row->note;
	batch->noted |= row->note != 0;
	batch->alike_thread = 0;
	return batch->count == SAMPLE_BATCH_MAX;
}
/* Fills in what samples of one thread and event have in common, in every row there is room for, unless it is there:
 * the caller adds their time, stack, weight and state. */
void sample_batch_alike(struct sample_batch *batch, uint32_t thread, uint32_t event);
int recording_samples(struct collect *collect, struct sample_batch *batch, struct stk_error *err) STK_MUST_CHECK;
int recording_metric(struct collect *collect, int64_t time_ns, const char *name, struct stk_text more, double value,
		     struct stk_error *err) STK_MUST_CHECK;
/* With the thread and stack that it names. */
int recording_event(struct collect *collect, const struct event_line *line, struct stk_error *err) STK_MUST_CHECK;
/* Whether what begins and ends is to be events. */
bool recording_as_events(const struct collect *collect);
/* The same for an event whose thread and stack are known; its texts are needed during the call only. */
int recording_event_row(struct collect *collect, struct stk_event *row, struct stk_error *err) STK_MUST_CHECK;
/* A thread dump of a Java VM as text, taken at a time. */
int recording_dump(struct collect *collect, int64_t time_ns, struct stk_text text, struct stk_error *err)
	STK_MUST_CHECK;

/* The same thread by thread. The stack of a sample is the text that such a dump has below a thread's header; the texts
 * are needed during the call only. */
int recording_begin_dump(struct collect *collect, int64_t time_ns, struct stk_text vm, struct stk_error *err)
	STK_MUST_CHECK;
int recording_thread(struct collect *collect, const struct found_sample *sample, struct stk_error *err) STK_MUST_CHECK;
void recording_end_dump(struct collect *collect);

/* That many things of the input have no place in a stream, which --rejects lists. why: static. */
void recording_unplaced(struct collect *collect, uint64_t count, const char *why);
/* Something of the input is lost: the exit status will be 1. why: static. */
void recording_broken(struct collect *collect, const char *why);
/* A line of an input that is text, counted from 1, is not used, which --rejects lists. lost: with it something is lost,
 * and the exit status will be 1. why: static. */
void recording_rejected(struct collect *collect, uint64_t line, struct stk_text text, bool lost, const char *why);
/* The same of the lines of a text that are not blank; it begins within or at a line. */
void recording_rejected_lines(struct collect *collect, uint64_t line, struct stk_text text, bool lost, const char *why);
/* Whether lines are to be accounted for: only then are the two above needed for lines in which nothing is lost. */
bool recording_lists_rejects(const struct collect *collect);
/* What a reader cannot go on from: the lines of `left`, which was read, and of all that follows it. line: of left. */
void recording_rejected_rest(struct collect *collect, const struct recording_bytes *from, struct stk_text left,
			     uint64_t line);

#endif
