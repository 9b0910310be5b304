/* SPDX-License-Identifier: MIT
 * dump_sample: what a thread's section says of its thread: figures of the header, its role, notes, and the virtual
 * thread that it carries. */
#ifndef INGEST_DUMP_SAMPLE_H
#define INGEST_DUMP_SAMPLE_H

#include "ingest/dump_scan.h"
#include "ingest/thread_header.h"

/* Everything of the sample that is in the header. */
void dump_sample_fill(struct found_sample *sample, const struct thread_header *header);

/* Everything of the sample that is in its stack's text. The finding is named by number, as foreign lines within the
 * stack were found meanwhile. */
void dump_sample_fill_stack(struct dump_scan *s, size_t finding, const struct thread_header *header,
			    struct stk_text text);

enum stk_role dump_sample_role(const struct thread_header *header, bool has_body);

#endif
