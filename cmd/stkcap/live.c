/* SPDX-License-Identifier: MIT
 * live: looks for processes and records what their watchers hand over, until the capture ends. */
#include "live_conditions.h"
#include "live_finding.h"
#include "live_missing.h"
#include "live_recording.h"
#include "live_status.h"
#include "service_notify.h"

#include "capture/file_hook.h"
#include "capture/status_socket.h"
#include "program/program.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* a capture that takes one dump has its second moment then, which it does not wait for */
#define ONCE_NS       INT64_C(3600000000000)
#define PATIENCE_MAX  (INT64_C(100) * 365 * 86400 * 1000000000)	/* so that no deadline overflows */

static volatile sig_atomic_t reopen_asked;

static void
ask_reopen(int number)
{
	(void)number;
	reopen_asked = 1;
}

static int64_t
end_ns(const struct live *live)
{
	return live->plan.count == 0 ? INT64_MAX : watch_moment(&live->plan, live->plan.count - 1);
}

/* Nothing is watched, and nothing can come. A named process may be starting: it has as long as an answer may take. */
static bool
is_over(const struct live *live)
{
	int64_t now = monotonic_ns();

	if (live->settings->only_ticks && live->plan.count > 0)
		return now >= watch_moment(&live->plan, live->plan.count);
	if (live->watched.count > 0)
		return false;
	if (now > end_ns(live))
		return !live_is_somebody_missing(live) || now > end_ns(live) + live->plan.patience_ns;
	return !watch_list_is_open(live->list) &&
		(!live_is_somebody_missing(live) || now > live->plan.base_ns + live->plan.patience_ns);
}

static void
wait_for_news(const struct live *live)
{
	int status_fd = live->status != NULL ? status_socket_fd(live->status) : -1;
	struct pollfd wait[] = { { .fd = live->plan.wake_fd, .events = POLLIN },
				 { .fd = status_fd, .events = POLLIN } };
	uint64_t news;

	if (poll(wait, 2, (int)(SCAN_SOON_NS / 1000000)) > 0 && wait[0].revents != 0 &&
	    read(live->plan.wake_fd, &news, sizeof news) < 0 && errno != EAGAIN)
		program_status_raise(PROGRAM_FAILED);
}

/* What cannot be written is counted. -1: the output has no reader any more. */
static int
record_ticks(struct live *live, struct tick_capture *ticks, struct stk_error *err)
{
	struct stk_error why = { 0 };

	if (ticks == NULL || tick_capture_record(ticks, live->records, &why) == 0 ||
	    live_note_unwritten(live, &why) == 0)
		return 0;
	*err = why;
	return -1;
}

static int
go_on(struct live *live, struct stk_error *err)
{
	while (!program_stopping() && !is_over(live)) {
		wait_for_news(live);
		if (live_check_conditions(live, err) < 0 || live_record_all(live, err) < 0)
			return -1;
		if (record_ticks(live, live->ticks, err) < 0 || record_ticks(live, live->away, err) < 0)
			return -1;
		if (reopen_asked) {
			reopen_asked = 0;
			if (live->settings->reload != NULL && live->settings->reload())
				return 0;
			if (capture_files_reopen(live->files, err) < 0)
				return -1;
		}
		live_scan(live);
		live_status_answer(live);
		live_status_notify(live);
		if (live->settings->hook != NULL)
			file_hook_step(live->settings->hook);
	}
	return 0;
}

/* Nothing is waited for any more. */
static void
stop_all(struct live *live)
{
	static const uint64_t one = 1;

	if (live->plan.stop_fd >= 0 && write(live->plan.stop_fd, &one, sizeof one) < 0)
		program_status_raise(PROGRAM_FAILED);
	for (size_t i = 0; i < live->watched.count; i++)
		if (live->watched.at[i]->watcher != NULL)
			watcher_stop(live->watched.at[i]->watcher);
	for (size_t i = 0; i < live->watched.count; i++)
		if (live->watched.at[i]->watcher != NULL)
			watcher_join(live->watched.at[i]->watcher);
}

/* Dumps that had arrived when the capture was stopped. */
static void
record_last(struct live *live, struct stk_error *err)
{
	for (size_t i = 0; i < live->watched.count && err->code == STK_EOK; i++) {
		struct watched *w = live->watched.at[i];
		struct taken *taken = w->watcher != NULL ? watcher_taken(w->watcher) : NULL;

		if (taken != NULL && live_record(live, w, taken, err) == 0)
			watcher_release(w->watcher);
	}
}

static void
close_live(struct live *live, struct stk_error *err)
{
	struct capture_totals totals = { 0 };
	struct stk_error late = { 0 };

	stop_all(live);
	record_last(live, err);
	while (live->watched.count > 0)
		live_end_watched(live, live->watched.at[--live->watched.count]);
	if (live->begun)
		live_report_missing(live);
	live_records_close(live->records);
	if (capture_files_close(live->files, &totals, &late) < 0 && err->code == STK_EOK)
		*err = late;
	watch_list_close(live->list);
	array_release(&live->watched);
	array_release(&live->names.list);
	tick_capture_close(live->ticks);
	tick_capture_close(live->away);
	status_socket_close(live->status);
	array_release(&live->status_text);
	if (live->plan.wake_fd >= 0)
		close(live->plan.wake_fd);
	if (live->plan.stop_fd >= 0)
		close(live->plan.stop_fd);
	if (totals.unneeded.dumps > 0 || totals.unneeded.samples > 0)
		program_say("%llu dumps, %llu samples in memory are dropped: --when did not hold",
			    (unsigned long long)totals.unneeded.dumps, (unsigned long long)totals.unneeded.samples);
	if (totals.lost.dumps > 0 || totals.lost.samples > 0)
		program_say("%llu dumps, %llu samples; lost: %llu dumps, %llu samples",
			    (unsigned long long)totals.kept.dumps, (unsigned long long)totals.kept.samples,
			(unsigned long long)totals.lost.dumps, (unsigned long long)totals.lost.samples);
	else
		program_say("%llu dumps, %llu samples", (unsigned long long)totals.kept.dumps,
			    (unsigned long long)totals.kept.samples);
}

static int
open_live(struct live *live, struct stk_error *err)
{
	const struct live_settings *s = live->settings;
	struct sigaction reopen = { .sa_handler = ask_reopen };
	struct stk_writer *writer;
	bool fresh;

	live->plan.every_ns = s->every_ns > 0 ? s->every_ns : ONCE_NS;
	live->plan.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	live->plan.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	live->plan.patience_ns = s->patience_ns < PATIENCE_MAX ? s->patience_ns : PATIENCE_MAX;
	reply_pool_init(&live->replies);
	live->plan.replies = &live->replies;
	live->plan.count = s->count > 0 ? (uint64_t)s->count : s->every_ns > 0 ? 0 : 1;
	live->begun_ns = live->own_ns = monotonic_ns();
	watch_list_open(&live->list);
	capture_files_open(&live->files, &s->files);
	live_records_open(&live->records, live->files, live->settings->plain_names);
	if (live->plan.wake_fd < 0 || live->plan.stop_fd < 0)
		return stk_fail_errno(err, "cannot make an eventfd");
	if ((s->has_ticks && tick_capture_open(&live->ticks, &s->ticks, &live->replies, err) < 0) ||
	    (s->away_every > 0 && tick_capture_open(&live->away, &s->away, &live->replies, err) < 0))
		return -1;
	for (unsigned i = 0; i < s->sets_count; i++)
		if (watch_list_add(live->list, WATCH_JVM, s->sets[i].jvm, &s->sets[i], err) < 0 ||
		    watch_list_add(live->list, WATCH_NATIVE, s->sets[i].native, &s->sets[i], err) < 0 ||
		    watch_list_add(live->list, WATCH_PYTHON, s->sets[i].python, &s->sets[i], err) < 0 ||
		    watch_list_add(live->list, WATCH_COMMAND, s->sets[i].of, &s->sets[i], err) < 0)
			return -1;
	if (s->listen != NULL && status_socket_open(&live->status, s->listen, err) < 0)
		return -1;
	if (s->files.name != NULL || s->reload != NULL)
		sigaction(SIGHUP, &reopen, NULL);
	if (live_begin_conditions(live, err) < 0)
		return -1;
	live_read_names(live);
	/* report a file that cannot be written before any process is asked */
	return capture_files_writer(live->files, INT64_C(1000000000) * (int64_t)time(NULL), &writer, &fresh, err);
}

int
live_run(const struct live_settings *settings, bool *begun, struct stk_error *err)
{
	struct live live = { .settings = settings };

	*begun = open_live(&live, err) == 0 && live_begin(&live, err) == 0;
	if (*begun) {
		service_notify("READY=1");
		(void)go_on(&live, err);
	}
	close_live(&live, err);
	return err->code == STK_EOK ? 0 : -1;
}
