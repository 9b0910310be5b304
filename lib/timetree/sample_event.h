/* SPDX-License-Identifier: MIT
 * sample_event: which event the samples of a stream begin with, where it has no tree that says so. */
#ifndef TIMETREE_SAMPLE_EVENT_H
#define TIMETREE_SAMPLE_EVENT_H

#include "model/model.h"
#include "stream/stream_file.h"
#include "timetree/tree_reader.h"	/* TREE_TEXT_MAX */

/* The name of the event of the first sample that can be read, EVENT_NONE when it names none; "" when there is no sample.
 * The model has the texts of the stream. -1 with *err: the file cannot be read. */
int sample_event_first(struct stream_file *file, unsigned stream, const struct model *model,
		       char event[TREE_TEXT_MAX], struct stk_error *err) STK_MUST_CHECK;

#endif
