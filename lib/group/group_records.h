/* SPDX-License-Identifier: MIT
 * group_records: the records of groups in a stream: the schemes, the groups of each stack, and what groups had in an
 * interval. */
#ifndef GROUP_GROUP_RECORDS_H
#define GROUP_GROUP_RECORDS_H

#include "base/id_table.h"
#include "group/sample_groups.h"
#include "group/scheme_set.h"

struct group_records {
	struct stk_writer *writer;
	bool embed;		/* schemes carry their texts, with those that they include */
	bool carried;		/* they are from a stream, and go on with the texts they came with */
	struct text_buffer text;
	bool named;		/* the present stream has the groups; false makes the next call write them again, */
	struct id_table told;	/* and those of stacks: uint16_t by stack, in which states it has them, */
	struct id_table told_threads;	/* and of threads without a stack: true */
};

void group_records_release(struct group_records *records);

/* These write rows. -1 with *err: the writer failed. */

/* The schemes and groups, once per stream. */
int group_records_name(struct group_records *records, const struct scheme_set *set,
		       struct stk_error *err) STK_MUST_CHECK;
/* The groups of a sample: of its stack in a state, or without one of its thread; at the first call for them in a
 * stream. */
int group_records_sample(struct group_records *records, struct scheme_set *set, const struct model *model,
			 const struct grouped_sample *sample, struct stk_error *err) STK_MUST_CHECK;
/* The sums of all groups, which are of `length` from `time` on. */
int group_records_figures(struct group_records *records, const struct scheme_set *set, int64_t time, int64_t length,
			  struct stk_error *err) STK_MUST_CHECK;
/* What events gave all groups in that part. */
int group_records_events(struct group_records *records, const struct scheme_set *set, int64_t part, int64_t length,
			 struct stk_error *err) STK_MUST_CHECK;

#endif
