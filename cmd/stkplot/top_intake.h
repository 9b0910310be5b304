/* SPDX-License-Identifier: MIT
 * top_intake: what the parts of top_feed share. */
#ifndef STKPLOT_TOP_INTAKE_H
#define STKPLOT_TOP_INTAKE_H

#include "top_feed.h"

#include "base/array.h"
#include "base/text_table.h"
#include "choose/naming.h"
#include "choose/stack_prefix.h"
#include "group/grouping.h"
#include "model/recorded_classes.h"
#include "program/filter.h"

#include <pthread.h>
#include <time.h>

enum key_kind { KEY_PREFIX, KEY_FUNCTION, KEY_GROUP, KEY_CLASS };

struct kept_sample {
	int64_t time_ns;
	uint32_t thread, dump, stack, key, source;
	uint8_t state;
	bool runs;
	double value;
};

struct top_feed {
	const struct plot_settings *settings;
	pthread_mutex_t lock;
	struct filter filter;
	struct model *model;
	struct selection *selection;
	struct scheme *scheme;
	struct grouping *grouping;
	struct recorded_classes *classes;
	struct naming *naming;
	struct stack_prefixes *prefixes;
	enum key_kind kind;
	struct text_table keys, sources;
	ARRAY(uint32_t) source_of;	/* by the stream's source: its number in sources, or 0 */
	struct live_shares *shares;
	struct recent_blocks *recent;
	struct kept_sample *kept;	/* a ring */
	size_t first, count;
	unsigned streams;
	uint64_t samples;
	int64_t cell_ns, latest_ns, arrived_ns;	/* arrived: the latest, on the monotonic clock */
	bool live, ended, dumps, timed;
	char trouble[sizeof ((struct stk_error *)NULL)->text];
	struct text_buffer text;
};

int64_t top_clock_ns(clockid_t clock);
/* Of a block, without the lock. As filter_take_function: context is the feed. */
int top_take_block(void *context, const struct stk_block *block, struct stk_error *err);

#endif
