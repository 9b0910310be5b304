/* SPDX-License-Identifier: MIT
 * views: the output about a classifier, for people and scripts. Each writes to `to`; one file per view, or two
 * that belong together. */
#ifndef STKCLASS_VIEWS_H
#define STKCLASS_VIEWS_H

#include "class_settings.h"
#include "segment_names.h"

#include "base/array.h"
#include "base/text_buffer.h"

struct view_of {			/* all borrowed */
	const struct settings *settings;
	struct classifier *classifier;
	struct sample_intake *intake;
	struct segment_names *names;
	struct printer *printer;	/* whose text `to` is */
};

int  view_classes(const struct view_of *of, struct stk_error *err) STK_MUST_CHECK;	/* class_table.c */
void view_segments(const struct view_of *of, struct text_buffer *to);		/* segment_table.c */
void view_tree(const struct view_of *of, struct text_buffer *to);		/* class_tree.c */
void view_grammar(const struct view_of *of, struct text_buffer *to);		/* grammar.c */
void view_explanation(const struct view_of *of, const char *stack, struct text_buffer *to);
/* -1 with *err (STK_EUSAGE): not found. */
/* one_class.c */
int  view_class(const struct view_of *of, const char *id, struct text_buffer *to, struct stk_error *err);
int  view_segment(const struct view_of *of, const char *id, struct text_buffer *to, struct stk_error *err);

/* --- figures.c: figures that several views show --- */

void add_hash(struct text_buffer *to, uint64_t hash);
/* root first */
void add_frames(const struct classifier *classifier, uint32_t segment, char between, struct text_buffer *to);
void add_variants(const struct view_of *of, uint32_t frame,
		  struct text_buffer *to); /* "line 12 60% line 20 inlined 40%"; nothing for a frame of one form */
void add_moment(struct text_buffer *to, int64_t time_ns, const struct time_zone *zone);
void add_moment_for_people(struct text_buffer *to, int64_t time_ns, const struct time_zone *zone);
void add_states(struct text_buffer *to, const uint64_t *states);		/* "waiting 80% runnable 20%" */
/* in the latest dump of its clock; 0 when it was not in it */
uint64_t class_now(const struct classifier *classifier, uint32_t class);
uint64_t segment_now(const struct classifier *classifier, uint32_t segment, uint32_t part);

/* How long a call of the class takes and how many begin in a second. False: not known, for want of dumps. mean 0: too
 * short to measure from dumps; INFINITY: no thread left; NAN: those that left are back too soon to tell. */
struct residence { double mean_s, rate_s; };
bool class_residence(const struct view_of *of, uint32_t class, struct residence *out);

#define LABEL_FAIR 40	/* characters that tell something of a stack */

/* What stacks are called in a table for people, leaf first: add them in the order of its rows, then make the labels. A
 * zeroed struct is empty. */
struct stack_labels {
	ARRAY(struct stk_text) labels;
	struct text_buffer stacks, room;
	ARRAY(size_t) starts;
};
void stack_labels_add_class(struct stack_labels *labels, struct classifier *classifier, uint32_t class);
void stack_labels_add_segment(struct stack_labels *labels, const struct classifier *classifier, uint32_t segment);
void stack_labels_make(struct stack_labels *labels);
void stack_labels_release(struct stack_labels *labels);

#endif
