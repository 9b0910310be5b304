/* SPDX-License-Identifier: MIT
 * class_records: writes what a classifier learned into the stream that is passed on: segments, splits, classes, classes
 * of stacks, intensities. Each is written in each stream when it is first needed there, since ids of stacks are valid
 * for one stream. */
#ifndef CLASSIFY_CLASS_RECORDS_H
#define CLASSIFY_CLASS_RECORDS_H

#include "classify/classifier.h"
#include "classify/segment_ratios.h"
#include "stkpipe/stream.h"

struct model;
struct class_records;

/* All are borrowed. */
void class_records_open(struct class_records **out, struct classifier *classifier, const struct model *model,
			struct stk_writer *writer);
void class_records_close(struct class_records *records);

/* A stream begins: nothing was written in it. */
void class_records_turn(struct class_records *records);

/* The class of a stack of the current stream, just found, at a moment: writes what is new. */
int class_records_found(struct class_records *records, uint32_t stack, uint32_t class, int64_t time_ns,
			struct stk_error *err) STK_MUST_CHECK;

int class_records_measured(struct class_records *records, int64_t time_ns, uint64_t dump,
			   const struct measures *classes, const struct measures *segments,
			   struct stk_error *err) STK_MUST_CHECK;

/* Ratios of segments are not what they were. */
int class_records_shifted(struct class_records *records, int64_t time_ns, const struct shifts *shifts,
			  struct stk_error *err) STK_MUST_CHECK;

#endif
