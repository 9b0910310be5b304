/* SPDX-License-Identifier: MIT
 * classifier: stacks become classes, and dumps become intensities. Pure computation: no file, no clock, no printing.
 *
 * A class is a type of stack: all stacks of the same frames, by the caller's identity of frames, in one *part* (a
 * source, a pool of threads, a state: whatever the caller keeps apart; part 0 is everything). Its signature is the
 * tuple of segments that its stack reduced to when it was new.
 *
 * Only classes are counted. The count of a segment follows from them: the stacks whose signature contains it, or a
 * segment above it, each stack once. So a stack costs one addition, and a dump costs what is below the signatures of
 * the classes seen in it. */
#ifndef CLASSIFY_CLASSIFIER_H
#define CLASSIFY_CLASSIFIER_H

#include "base/time_range.h"
#include "classify/segment_tallies.h"
#include "classify/segments.h"
#include "classify/stack_runs.h"
#include "stkpipe/rows.h"

struct classifier;

void classifier_open(struct classifier **out);
void classifier_close(struct classifier *classifier);

/* --- what stacks are made of: the same number for the same thing, from 1 on; 0 is the empty stack --- */

uint32_t classifier_frame(struct classifier *classifier, struct stk_text text);
/* 0: there is no such */
uint32_t classifier_frame_find(const struct classifier *classifier, struct stk_text text);
uint32_t classifier_stack(struct classifier *classifier, uint32_t parent, uint32_t frame);
/* A part is known by its text. Parts of the same clock count the same dumps. Number 0 is the part of the empty text and
 * clock 0. */
uint32_t classifier_part(struct classifier *classifier, struct stk_text text, uint32_t clock);

uint32_t classifier_frames(const struct classifier *classifier);	/* the highest numbers */
uint32_t classifier_stacks(const struct classifier *classifier);
uint32_t classifier_parts(const struct classifier *classifier);
struct stk_text classifier_frame_text(const struct classifier *classifier, uint32_t frame);
void classifier_stack_get(const struct classifier *classifier, uint32_t stack, uint32_t *parent, uint32_t *frame);
const struct stack_runs *classifier_runs(const struct classifier *classifier);	/* all stacks */
uint32_t classifier_depth(const struct classifier *classifier, uint32_t stack);
/* The frames, root first; valid until the next call. */
const uint32_t *classifier_trace(struct classifier *classifier, uint32_t stack, uint32_t *depth);
struct stk_text classifier_part_text(const struct classifier *classifier, uint32_t part);
uint32_t classifier_part_clock(const struct classifier *classifier, uint32_t part);

/* --- classes and segments --- */

struct class {
	uint32_t stack, part;
	uint64_t name;			/* a hash of its frames and its part: the same everywhere */
	size_t signature;		/* where it begins in classifier_signature's list */
	uint32_t nodes;			/* of the signature */
	uint64_t now, total;		/* in the dump where it was seen last, and in all */
	uint64_t tick;			/* which dump of its clock that was, counted from 1; 0 none yet */
	struct time_range seen;		/* times of its dumps */
};

/* The class of a stack, created when it is new: then segments may be created and split. */
uint32_t classifier_class(struct classifier *classifier, uint32_t stack, uint32_t part);
uint32_t classifier_classes(const struct classifier *classifier);	/* the highest number */
const struct class *classifier_get(const struct classifier *classifier, uint32_t class);
/* nodes of them, root first */
const uint32_t *classifier_signature(const struct classifier *classifier, uint32_t class);
/* The class, of the same part, of the longest stack that this one's begins with; 0 none. */
uint32_t classifier_class_below(const struct classifier *classifier, uint32_t class);
const struct segments *classifier_segments(const struct classifier *classifier);

/* What a segment counts in a part. */
struct tally classifier_tally(const struct classifier *classifier, uint32_t segment, uint32_t part);

/* Calls visit once for each segment of a class: the nodes of its signature and those below. */
void classifier_visit(struct classifier *classifier, uint32_t class, void (*visit)(void *context, uint32_t segment),
		      void *context);

/* --- dumps --- */

/* Stacks of the current dump: their classes, 0 for none, and what each counts for. */
void classifier_count(struct classifier *classifier, const uint32_t *classes, const uint64_t *times, size_t count);

/* A hash of what was counted since the last dump ended, independent of the order; 0 for nothing. */
uint64_t classifier_pending(const struct classifier *classifier);
/* Drops these counts because the dump was known. Classes and segments that it created remain. */
void classifier_discard(struct classifier *classifier);

struct measure {
	uint32_t id;			/* of the class or segment */
	uint32_t part;
	uint32_t tally;			/* a number of this segment in this part, for callers that keep data of it; 0
					 * for classes */
	uint64_t now, total;
	uint64_t dumps;			/* since it was measured last: numOfOccur / dumps is the measure */
};

struct measures { struct measure *at; size_t count, room; };

/* A dump ends: what was counted becomes a measure of each class and segment in it, in the order of parts, then ids.
 * What was not in it is not measured, which is different from zero. Clock `clock` ticks, and those of all parts that
 * were counted. The lists are valid until the next call. segments NULL: they are not measured, and the classes are in
 * no order, which saves most of the work; classifier_recount computes their tallies from the classes' in the end. */
void classifier_end_dump(struct classifier *classifier, uint32_t clock, int64_t time_ns,
			 const struct measures **classes, const struct measures **segments);

uint64_t classifier_ticks(const struct classifier *classifier, uint32_t clock);	/* dumps ended */
/* The tally's number of a segment in a part; 0 when it was never measured there. */
uint32_t classifier_tally_number(const struct classifier *classifier, uint32_t segment, uint32_t part);
uint32_t classifier_tallies(const struct classifier *classifier);

size_t classifier_bytes(const struct classifier *classifier);

/* --- restoring: clocks, then what stacks are made of by the calls above, then segments through
 * classifier_segments_to_restore, then classes by number, then recount --- */

void classifier_restore_clock(struct classifier *classifier, uint32_t clock, uint64_t ticks);
struct segments *classifier_segments_to_restore(struct classifier *classifier);
uint64_t classifier_frame_hash(const struct classifier *classifier, uint32_t frame);
/* Its name follows from its stack. */
int classifier_restore_class(struct classifier *classifier, const struct class *class, const uint32_t *signature,
			     struct stk_error *err) STK_MUST_CHECK;
/* Tallies of segments follow from the classes. */
void classifier_recount(struct classifier *classifier);

/* --- joining: clocks advance first, then classes of another classifier are added, then recount --- */

/* Adds this many dumps: what was last seen some dumps ago keeps that distance. */
void classifier_advance(struct classifier *classifier, uint32_t clock, uint64_t ticks);
/* since: dumps since it was seen last, of its own clock. */
void classifier_add(struct classifier *classifier, uint32_t class, const struct class *more, uint64_t since);

#endif
