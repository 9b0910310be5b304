/* SPDX-License-Identifier: MIT
 * where: conditions on samples in a small language, the same in all filters:
 *
 *	group under jdbc and process = web* and time in 09:00..10:00 and not (state = waiting or function = *.park)
 *
 *	FIELD = PATTERN, FIELD != PATTERN    process, thread, pool, source, state, event, function (any frame of the
 * stack); * matches any run
 *	processor = N                        "?": not known
 *	FIELD ~ REGEX                        POSIX extended, anywhere in it
 *	group = PATH, group under NAME       by path, or anywhere below a group of the name or path; "(none)": ungrouped
 *	time in FROM..TO                     either end may be left out
 *	not, and, or, ( ), "words with blanks"
 */
#ifndef CHOOSE_WHERE_H
#define CHOOSE_WHERE_H

#include "base/time_text.h"
#include "model/model.h"

struct where;

/* Times are read relative to now, in the zone. -1 with *err (STK_EUSAGE), which says at which character. */
int where_open(struct where **out, const char *text, int64_t now_ns, const struct time_zone *zone,
	       struct stk_error *err) STK_MUST_CHECK;
void where_close(struct where *where);

/* A sample; or an event, which has a name of its own and no state, and in a scheme perhaps the group of its pair. */
struct where_sample {
	int64_t time;
	uint64_t thread, dump, stack, state, event;
	uint64_t processor;		/* its number + 1; 0: not known */
	bool is_event;
	struct stk_text name;		/* of the event; its pattern is that of `event` */
	const void *scheme;		/* NULL: the group is not known */
	uint32_t group;			/* 0: none */
};

/* Decides about groups: whether a sample's group is `name`, or below it. Without it the model must keep the groups of
 * the stream's records. */
typedef bool where_group_function(void *context, const struct where_sample *sample, struct stk_text name, bool below);
/* Whether there are conditions on groups, and no such function. */
bool where_asks_records(const struct where *where);
/* Hands over each group that the conditions name; below: as what others are below of. */
typedef void where_name_function(void *context, struct stk_text name, bool below);
void where_each_group(const struct where *where, where_name_function *function, void *context);
void where_groups(struct where *where, where_group_function *function, void *context);

/* Hands over each moment that a condition on the time begins or ends to hold at. */
typedef void where_time_function(void *context, int64_t time);
void where_each_time(const struct where *where, where_time_function *function, void *context);

/* The model that ids refer to; call where_forget when its ids start anew. */
bool where_holds(struct where *where, const struct model *model, const struct where_sample *sample);
void where_forget(struct where *where);

/* False when it holds for no sample of this moment, whatever its thread, state, stack and event are. */
bool where_may_hold_at(struct where *where, const struct model *model, const struct where_sample *moment);

/* Whether some condition is about what an index says of blocks. */
bool where_asks_index(const struct where *where);
struct file_block;
/* False when the condition holds for no sample of a block, by what the index says of it. */
bool where_may_hold(struct where *where, const struct model *model, const struct file_block *block);

#endif
