/* SPDX-License-Identifier: MIT
 * chrome_samples: samples of trace events (ph P), whose stacks are in stackFrames: frames with a parent each, by ids
 * that are any texts or numbers. The frames may come before the samples or after them. */
#ifndef INGEST_CHROME_SAMPLES_H
#define INGEST_CHROME_SAMPLES_H

#include "base/text_table.h"
#include "ingest/profile_json.h"

struct trace_frame {
	uint32_t frame, parent;		/* parent: the number of its id */
	uint32_t stack;			/* plus 1 */
	bool known;
};

struct trace_sample {
	uint32_t leaf, track;		/* leaf: the number of its id; 0: no stack */
	struct stk_text event;
	int64_t time_ns, weight;
};

struct chrome_samples {			/* zero: empty */
	struct text_table ids;		/* of frames */
	ARRAY(struct trace_frame) frames;
	ARRAY(struct trace_sample) list;
};

/* The value of the key stackFrames. */
void chrome_samples_frames(struct chrome_samples *s, struct profile_json *p);
/* sf: the id of the leaf; empty: none. The event's text is borrowed. */
void chrome_samples_add(struct chrome_samples *s, struct stk_text sf, const struct trace_sample *sample);
/* The id of the stack; callers that are not defined, or in a ring, are left out and reported. */
uint32_t chrome_samples_stack(struct chrome_samples *s, struct profile_json *p, uint32_t leaf);
void chrome_samples_release(struct chrome_samples *s);

#endif
