/* SPDX-License-Identifier: MIT
 * live_state: the state of a live capture, and of the processes that it watches. */
#ifndef STKCAP_LIVE_STATE_H
#define STKCAP_LIVE_STATE_H

#include "live.h"
#include "live_records.h"

#include "base/array.h"
#include "base/text_buffer.h"
#include "capture/source_names.h"
#include "capture/vm_conditions.h"
#include "capture/watch_list.h"
#include "capture/watcher.h"

struct watched {
	struct process process;
	struct wish *wish;
	const struct live_set *set;
	struct dump_source *source, *fallback;	/* until a watcher has them */
	struct perf_memory *memory;
	struct watcher *watcher;
	struct subject subject;
	char name[SOURCE_NAME_MAX], label[330];
	struct pace pace;
	struct pace_settings rules;	/* of its set, with its budget */
	int64_t paced_ns;
	struct vm_look look;		/* for --when */
	bool unseen_said;		/* that it cannot be looked at */
	uint32_t absent_said;		/* bits of conditions: that it has no such counter */
	int ticks, away;			/* its numbers there; -1 */
	const char *command;			/* NULL: not a command */
	enum attach_result said;		/* the last result that was reported */
};

struct live {
	const struct live_settings *settings;
	struct capture_files *files;
	struct live_records *records;
	struct source_names names;
	struct watch_list *list;
	struct watch_plan plan;
	struct reply_pool replies;
	ARRAY(struct watched *) watched;
	uint32_t budgets_met[LIVE_SETS_MAX];	/* by set: a bit for each budget that a process had */
	int64_t scanned_ns, checked_ns;	/* checked: the conditions */
	struct tick_capture *ticks, *away;	/* NULL: not asked for */
	/* processes for which there was no room: in the last search, and the most in any */
	size_t left_out, most_left_out;
	bool begun;			/* the first moment is set */
	bool early_said, kept_back;	/* what was reported of --look-back */
	bool held_once;			/* --when held at some look */
	bool failing;			/* the last dump could not be written, which was reported */
	uint64_t unwritten;
	double own;			/* the share of a processor that we use */
	int64_t own_ns, own_cpu_ns;	/* when that was measured, and what it was then */
	int64_t begun_ns;
	struct status_socket *status;	/* NULL: nobody can ask */
	struct text_buffer status_text;	/* the last answer */
};

#endif
