/* SPDX-License-Identifier: MIT
 * viewer_samples: the samples of all streams of an input as the formats of viewers have them: functions and stacks by
 * name, and a track for each event of each thread. Texts are valid UTF-8: bytes that are not become U+FFFD.
 * Memory: the distinct names, functions and stacks, and what the caller keeps of samples. */
#ifndef REPORT_VIEWER_SAMPLES_H
#define REPORT_VIEWER_SAMPLES_H

#include "base/id_table.h"
#include "base/text_table.h"
#include "report/event_unit.h"
#include "report/report.h"

struct viewer_frame {
	uint32_t name, file, module;	/* texts; 0: not known */
	int64_t line;			/* 0: not known, or not asked for */
};

struct viewer_stack { uint32_t parent, frame; };	/* from 1; a stack comes after its parent, 0 the empty one */

struct viewer_track {
	uint32_t source, process, host, thread, event;	/* texts */
	uint64_t pid, tid;		/* no two tracks have the same pair; 0 is never one of them */
	bool pid_known, tid_known;	/* false: made up */
	uint64_t own_tid, own_number;	/* as the stream has them; 0: not known */
	enum stk_clock clock;
	uint64_t samples;
};

struct viewer_sample {
	int64_t time_ns;		/* STK_TIME_UNKNOWN */
	uint64_t weight;
	uint32_t stack;
	enum stk_state state;
};

struct viewer_ids { uint64_t thread, event, source; uint32_t track; };

/* A sample of a track, by its number from 0. -1 with *err: the output failed. */
typedef int viewer_take(void *context, uint32_t track, const struct viewer_sample *sample, struct stk_error *err);

struct viewer_samples {
	struct report report;
	viewer_take *take;
	void *context;
	bool lines;			/* frames differ by line */
	struct text_table texts;	/* number n is text n - 1 */
	ARRAY(struct viewer_frame) frames;
	ARRAY(struct viewer_stack) stacks;
	ARRAY(struct viewer_track) tracks;
	uint64_t samples, untimed;
	bool times, states, locks;	/* that samples had, of which a format may have no place */
	/* --- its own --- */
	struct hash_map frame_map, stack_map, id_map, pair_map;
	struct text_table track_keys;	/* the number of a key is that of its track plus one */
	ARRAY(struct viewer_ids) ids;	/* of the present stream */
	struct id_table known;		/* by stack of the present stream: two numbers plus one, the second in a
					 * process of Java */
	ARRAY(uint32_t) path;
	struct text_buffer scratch, key;
};

void viewer_samples_open(struct viewer_samples *v, const struct report *report, bool lines, viewer_take *take,
			 void *context);
void viewer_samples_release(struct viewer_samples *v);
/* Hands over the chosen samples of the reader's present block, when it is one of samples. -1: as a form's take. */
int  viewer_samples_take(struct viewer_samples *v, struct stk_reader *reader, const struct stk_block *block,
			 struct stk_error *err) STK_MUST_CHECK;
/* Viewers refuse a file without a track: when there is none, one without samples is made. */
void viewer_need_track(struct viewer_samples *v);
/* Ids of the stream start anew. */
void viewer_samples_turn(struct viewer_samples *v);

/* What these two are as a form's take and turn, whose context begins with struct viewer_samples. */
int viewer_form_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err);
int viewer_form_turn(void *context, struct stk_error *err);

/* The number of a stack of the present stream; 0: the empty one. java: frames are named as those of Java. */
uint32_t viewer_stack(struct viewer_samples *v, uint64_t id, bool java);
struct stk_text viewer_text(const struct viewer_samples *v, uint32_t text);
/* What a track is called: "web-1 (cycles)", with the source before it when there are several. is_read: stkcap will take
 * the event off, so a name that ends like one gets an empty one. Valid until the next call. */
struct stk_text viewer_track_name(struct viewer_samples *v, uint32_t track, bool with_source, bool is_read);
bool viewer_several_sources(const struct viewer_samples *v);
/* Type and unit of an event: "alloc_space/bytes" says both, "cpu-clock" weighs nanoseconds; what is no word after the /,
 * as in "cpu/cycles/", is no unit. The type is never empty. */
void viewer_event_type(struct stk_text event, struct stk_text *type, struct stk_text *unit);
/* Tells what of the samples the format lost: `lacks` has a letter for each thing that it has no place for: t times, s
 * states, l locks. */
void viewer_say_untimed(const struct viewer_samples *v, const char *placed);
void viewer_say_lost(const struct viewer_samples *v, const char *format, const char *lacks);
/* Adds a text with U+FFFD for each byte that is not UTF-8. */
void add_valid_text(struct text_buffer *to, struct stk_text text);

#endif
