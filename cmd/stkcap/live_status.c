/* SPDX-License-Identifier: MIT
 * live_status: the figures are those of the watchers, files and ticks at this moment. */
#include "live_status.h"
#include "service_notify.h"

#include "base/bytes.h"
#include "capture/file_hook.h"
#include "capture/look_back.h"
#include "capture/status_socket.h"
#include "capture/status_text.h"

#include <stdio.h>
#include <unistd.h>

static const char *
way_of(const struct watched *w)
{
	static const char *const words[] = { [WATCH_JVM] = "jvm", [WATCH_NATIVE] = "native", [WATCH_PYTHON] = "python",
					     [WATCH_COMMAND] = "exec" };

	return words[w->command != NULL ? WATCH_COMMAND : w->wish != NULL ? w->wish->way : WATCH_JVM];
}

static void
add_process(struct status *status, struct watched *w)
{
	double every_ns = (double)w->rules.every_ns;
	double interval_ns = (double)pace_interval(&w->pace, &w->rules);
	struct watch_counts counts = { 0 };

	if (w->watcher != NULL)
		watcher_counts(w->watcher, &counts);
	*array_push(&status->processes) =
		(struct status_process){ .name = text_from(w->name),
					 .way = text_from(way_of(w)),
					 .pid = w->subject.process != NULL ? (uint64_t)w->process.pid : 0,
					 .every_seconds = every_ns / 1e9,
					 .interval_seconds = interval_ns / 1e9,
					 .expected = counts.expected,
					 .seen = counts.seen,
					 .partial = counts.partial,
					 .refused = counts.refused,
					 .late = counts.late,
					 .owed = counts.owed,
					 .unmet = counts.unmet,
					 .skipped = counts.skipped,
					 .spared = counts.spared,
					 .pause_share = every_ns > 0 ? w->pace.pause_ns / interval_ns : 0,
					 .budget_share = w->rules.budget };
}

static void
fill_capture(struct live *live, struct status_capture *capture)
{
	int64_t bytes;
	const struct capture_totals *totals = capture_files_totals(live->files, &bytes);
	struct tick_totals ticks = { 0 };

	if (live->ticks != NULL)
		tick_capture_totals(live->ticks, &ticks);
	*capture = (struct status_capture){ .pid = (uint64_t)getpid(),
					    .uptime_seconds = (double)(monotonic_ns() - live->begun_ns) / 1e9,
					    .file = text_from(capture_files_name(live->files)),
					    .file_bytes = (uint64_t)bytes,
					    .dumps = totals->kept.dumps,
					    .samples = totals->kept.samples,
					    .lost_dumps = totals->lost.dumps,
					    .lost_samples = totals->lost.samples,
					    .cpu_share = live->own,
					    .processes_left_out = live->left_out,
					    .ticks_expected = ticks.expected,
					    .ticks_seen = ticks.seen,
					    .ticks_lost = ticks.lost };
	if (capture_files_held(live->files) != NULL) {
		struct look_back_state state;

		look_back_state(capture_files_held(live->files), &state);
		capture->memory_bytes = state.bytes;
		if (state.from_ns > 0)
			capture->memory_seconds = (double)(monotonic_ns() - state.from_ns) / 1e9;
	}
	if (live->settings->hook != NULL) {
		capture->uploads_waiting = file_hook_waiting(live->settings->hook);
		capture->upload_failures = file_hook_failures(live->settings->hook);
	}
}

static struct stk_text
make_text(void *of)
{
	struct live *live = of;
	struct status status = { 0 };

	fill_capture(live, &status.capture);
	for (size_t i = 0; i < live->watched.count; i++)
		add_process(&status, live->watched.at[i]);
	live->status_text.count = 0;
	status_write(&live->status_text, &status);
	status_release(&status);
	return text_in(&live->status_text, 0);
}

void
live_status_answer(struct live *live)
{
	if (live->status != NULL)
		status_socket_answer(live->status, make_text, live);
}

void
live_status_notify(struct live *live)
{
	struct status_capture capture;
	char line[200];

	if (!service_notify_is_due())
		return;
	fill_capture(live, &capture);
	snprintf(line, sizeof line,
		 "WATCHDOG=1\nSTATUS=%zu processes, %llu dumps, %llu samples; lost: %llu dumps, %llu samples",
		 live->watched.count, (unsigned long long)capture.dumps, (unsigned long long)capture.samples,
		 (unsigned long long)capture.lost_dumps, (unsigned long long)capture.lost_samples);
	service_notify(line);
}
