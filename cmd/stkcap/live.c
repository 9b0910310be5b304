/* SPDX-License-Identifier: MIT
 * live: finds the processes, has each watched by a thread of its own, and records what these hand over. Whatever happens to one of them, the others go on. */
#include "live.h"
#include "live_records.h"

#include "base/array.h"
#include "capture/watch_list.h"
#include "capture/watcher.h"
#include "ingest/ingest.h"
#include "program/program.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SCAN_NS       INT64_C(2000000000)	/* between two looks for new processes, */
#define SCAN_SOON_NS  INT64_C(200000000)	/* and while one that was named is not there */
#define ONCE_NS       INT64_C(3600000000000)	/* a capture that takes one dump has its second moment then, which it does not wait for */
#define PATIENCE_MAX  (INT64_C(100) * 365 * 86400 * 1000000000)	/* so that no deadline is beyond the end of time */
#define OWN_NS        INT64_C(10000000000)	/* between two looks at our own cost */
#define LEAD_NS       INT64_C(2000000)		/* so that all watchers are ready at the first moment */
#define WATCHED_MAX   256			/* processes at once: each has a thread, files, and its part of the replies */
#define OF_USER_MAX   128			/* of them of one user and not named by number: anybody may start as many as he likes */

struct watched {
	struct process process;
	struct wish *wish;
	struct dump_source *source, *fallback;	/* until a watcher has them */
	struct perf_memory *memory;
	struct watcher *watcher;
	struct subject subject;
	char name[300], label[330];
	struct pace pace;
	int64_t paced_ns;
	int ticks;				/* its number there; -1 */
	const char *command;			/* NULL: it is no command's */
	enum attach_result said;		/* the last result that was told */
};

struct live {
	const struct live_settings *settings;
	struct capture_files *files;
	struct live_records *records;
	struct watch_list *list;
	struct watch_plan plan;
	struct reply_pool replies;
	ARRAY(struct watched *) watched;
	int64_t scanned_ns;
	struct tick_capture *ticks;	/* NULL: not asked for */
	size_t left_out, most_left_out;	/* processes for which there was no room, in the last look for new ones, and in any */
	bool begun;			/* the first moment is set */
	bool failing;			/* the last dump could not be written, which was told */
	uint64_t unwritten;
	double own;			/* the share of a processor that we use */
	int64_t own_ns, own_cpu_ns;	/* when that was looked at, and what it was then */
};

static volatile sig_atomic_t reopen_asked;

static void
ask_reopen(int number)
{
	(void)number;
	reopen_asked = 1;
}

/* --- names --- */

static bool
name_is_taken(const struct live *live, const char *name)
{
	for (size_t i = 0; i < live->watched.count; i++)
		if (strcmp(live->watched.at[i]->name, name) == 0)
			return true;
	return false;
}

/* Sources are told apart by name, over restarts: the second Main of a machine is Main#2 whatever its number. */
static void
give_name(const struct live *live, struct watched *w)
{
	const char *title = live->settings->source != NULL ? live->settings->source : w->subject.process != NULL ? process_title(&w->process) : w->command;
	char name[sizeof w->name];

	snprintf(name, sizeof name, "%.200s", title);
	for (unsigned n = 2; name_is_taken(live, name); n++)
		snprintf(name, sizeof name, "%.200s#%u", title, n);
	memcpy(w->name, name, sizeof name);
}

/* --- finding processes --- */

static int
start_watcher(struct live *live, struct watched *w, struct stk_error *err)
{
	struct dump_source *source = w->source, *fallback = w->fallback;
	struct perf_memory *memory = w->memory;

	if (live->settings->only_ticks && w->wish != NULL && w->wish->way == WATCH_JVM)
		return 0;
	w->source = w->fallback = NULL;
	w->memory = NULL;
	return watcher_open(&w->watcher, &live->plan, source, fallback, memory, err);
}

static void
release(struct watched *w)
{
	watcher_close(w->watcher);
	dump_source_close(w->source);
	dump_source_close(w->fallback);
	perf_memory_close(w->memory);
	free(w);
}

/* A VM that does not answer can still be looked at from outside. */
static int
open_jvm(const struct live *live, struct watched *w, struct stk_error *err)
{
	struct stk_error unused = { 0 }, unused_too = { 0 };

	if ((live->settings->agent ? agent_dumps_open : jvm_dumps_open)(&w->source, &w->process, live->settings->locks, err) < 0)
		return -1;
	if (perf_memory_open(&w->memory, &w->process, &unused) < 0)
		w->memory = NULL;
	if (native_dumps_open(&w->fallback, &w->process, &unused_too) < 0)
		w->fallback = NULL;
	return 0;
}

/* Makes it one of those that are watched. */
static bool
add_watched(struct live *live, struct watched *w)
{
	struct stk_error err = { 0 };

	give_name(live, w);
	*array_push(&live->watched) = w;
	if (live->ticks != NULL && w->wish != NULL && w->wish->way == WATCH_JVM && (w->ticks = tick_capture_add(live->ticks, &w->process, &w->subject)) < 0)
		program_warn("%s (%ld): its ticks are not counted: too many VMs at once", w->name, (long)w->process.pid);
	if (!live->begun || start_watcher(live, w, &err) == 0)
		return true;
	program_report(w->name, &err);
	live->watched.count--;
	release(w);
	return false;
}

static struct watched *
new_watched(struct wish *wish, const struct process *process)
{
	struct watched *w = mem_new(1, sizeof *w);

	*w = (struct watched){ .wish = wish, .said = ATTACH_ANSWERED, .ticks = -1 };
	if (process != NULL)
		w->process = *process;
	w->subject = (struct subject){ .name = w->name, .process = process != NULL ? &w->process : NULL, .collections = -1 };
	return w;
}

/* Each command for a process, or once when they are of none. */
static bool
add_commands(struct live *live, struct wish *wish, const struct process *process)
{
	bool all = true;

	for (unsigned c = 0; c < live->settings->commands_count; c++) {
		struct watched *w = new_watched(wish, process);
		struct stk_error err = { 0 };

		w->command = live->settings->commands[c];
		if (command_dumps_open(&w->source, w->command, process, &err) == 0 && add_watched(live, w))
			continue;
		program_report("--exec", &err);
		all = false;
	}
	return all;
}

/* Whether one more of this user would be too many. */
static bool
is_full(const struct live *live, const struct wish *wish, uid_t user)
{
	size_t of_user = 0;

	for (size_t i = 0; i < live->watched.count; i++)
		of_user += live->watched.at[i]->subject.process != NULL && live->watched.at[i]->process.uid == user;
	return live->watched.count >= WATCHED_MAX || (wish->pid == 0 && of_user >= OF_USER_MAX);
}

static bool
may_be_watched(const struct wish *wish, const struct process *process)
{
	return wish->way != WATCH_JVM || process_vm_kind(process) != VM_NONE;
}

/* A process that was asked for. One that was named and cannot be had is told when it is given up; one that "all" stands for, once, unless it is no VM at all. */
static enum watch_answer
see(void *of, struct wish *wish, const struct process *process)
{
	struct live *live = of;
	struct stk_error err = { 0 };
	struct watched *w;

	if (is_full(live, wish, process->uid) && may_be_watched(wish, process)) {
		live->left_out++;
		return WATCH_LATER;
	}
	if (wish->way == WATCH_COMMAND)
		return add_commands(live, wish, process) ? WATCH_ACCEPTED : WATCH_UNWANTED;
	w = new_watched(wish, process);
	if ((wish->way == WATCH_NATIVE ? native_dumps_open(&w->source, process, &err) : open_jvm(live, w, &err)) == 0)
		return add_watched(live, w) ? WATCH_ACCEPTED : WATCH_UNWANTED;
	snprintf(wish->why, sizeof wish->why, "%s (%ld): %s", process_title(process), (long)process->pid, err.text);
	release(w);
	return WATCH_UNWANTED;
}

static bool
is_somebody_missing(const struct live *live)
{
	for (size_t i = 0; i < watch_list_count(live->list); i++)
		if (watch_list_at(live->list, i)->met == 0)
			return true;
	return false;
}

/* Told when it begins and when it gets worse by half, and counted in the stream as things that are missing. */
static void
tell_left_out(struct live *live)
{
	if (live->left_out <= live->most_left_out + live->most_left_out / 2)
		return;
	capture_files_lost(live->files, live->left_out - live->most_left_out);
	live->most_left_out = live->left_out;
	program_warn("%zu processes are not asked: at most %d are at once, %d of one user", live->left_out, WATCHED_MAX, OF_USER_MAX);
}

static void
scan(struct live *live)
{
	int64_t pause = is_somebody_missing(live) ? SCAN_SOON_NS : SCAN_NS;

	if (live->begun && (live->scanned_ns + pause > monotonic_ns() || (!is_somebody_missing(live) && !watch_list_is_open(live->list))))
		return;
	live->left_out = 0;
	watch_list_scan(live->list, see, live);
	live->scanned_ns = monotonic_ns();
	tell_left_out(live);
}

/* The first moment is that of all who are there. */
static int
begin(struct live *live, struct stk_error *err)
{
	scan(live);
	if (live->settings->of == NULL && !add_commands(live, NULL, NULL))
		return stk_fail(err, STK_EUSAGE, "a command cannot be run");
	live->plan.base_ns = monotonic_ns() + LEAD_NS;
	live->begun = true;
	for (size_t i = 0; i < live->watched.count; i++)
		if (start_watcher(live, live->watched.at[i], err) < 0)
			return -1;
	return 0;
}

/* --- recording --- */

/* "Main (812)"; a command has no number. */
static const char *
label(struct watched *w)
{
	if (w->subject.process == NULL)
		return w->name;
	snprintf(w->label, sizeof w->label, "%s (%ld)", w->name, (long)w->process.pid);
	return w->label;
}

/* Each trouble is told when it begins, and that it is over. */
static void
tell(struct watched *w, const struct taken *taken)
{
	enum attach_result before = w->said;

	w->said = taken->result;
	if (taken->result == before)
		return;
	switch (taken->result) {
	case ATTACH_ANSWERED: program_say("%s: it answers again", label(w)); break;
	case ATTACH_CUT:      program_warn("%s: %s; what came of it is kept, and marked as cut", label(w), taken->why.text); break;
	case ATTACH_REFUSED:  program_warn("%s: %s", label(w), taken->why.text); break;
	case ATTACH_LATE:     program_warn("%s: %s%s", label(w), taken->why.text, taken->fallback ? "; its native stacks were taken instead" : ""); break;
	case ATTACH_GONE:     program_say("%s: has ended", label(w)); break;
	}
}

/* What cannot be written is counted, and the capture goes on: there may be room again. */
static int
note_unwritten(struct live *live, struct stk_error *err)
{
	if (program_stopping())
		return 0;
	live->unwritten++;
	capture_files_lost(live->files, 1);
	if (!live->failing)
		program_warn("%s; dumps are lost until that is mended", err->text);
	live->failing = true;
	return strcmp(capture_files_name(live->files), "standard output") == 0 ? -1 : 0;	/* nobody reads any more */
}

/* Our own use of a processor since the capture began to look at it. */
static double
own_share(struct live *live)
{
	struct rusage use;
	int64_t now = monotonic_ns(), cpu;

	if (getrusage(RUSAGE_SELF, &use) < 0)
		return 0;
	cpu = (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * INT64_C(1000000000) + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000;
	if (now - live->own_ns >= OWN_NS) {
		live->own = (double)(cpu - live->own_cpu_ns) / (double)(now - live->own_ns);
		live->own_ns = now;
		live->own_cpu_ns = cpu;
	}
	return live->own;
}

/* What the capture costs, as metrics beside the dumps. */
static int
record_cost(struct live *live, struct watched *w, struct stk_error *err)
{
	int64_t now = monotonic_ns();
	double stretch = w->pace.stretch > 1 ? (double)w->pace.stretch : 1;
	struct timespec wall;
	int64_t time_ns;

	if (w->paced_ns != 0 && now - w->paced_ns < OWN_NS)
		return 0;
	w->paced_ns = now;
	clock_gettime(CLOCK_REALTIME, &wall);
	time_ns = wall.tv_sec * INT64_C(1000000000) + wall.tv_nsec;
	return live_records_begin_rows(live->records, &w->subject, &thread_dump_format, time_ns, err) < 0 ||
		live_records_metric(live->records, time_ns, "capture.share", w->pace.pause_ns / (stretch * (double)live->plan.every_ns), err) < 0 ||
		live_records_metric(live->records, time_ns, "capture.cpu", live->own, err) < 0 ||
		live_records_metric(live->records, time_ns, "capture.interval", stretch * (double)live->plan.every_ns / 1e9, err) < 0 ? -1 : live_records_end_rows(live->records, err);
}

/* Asks it less often when it costs more than it may, and again oftener when it does not. */
static void
keep_pace(struct live *live, struct watched *w, const struct taken *taken)
{
	const char *why;
	uint64_t stretch;

	pace_note(&w->pace, taken);
	stretch = pace_stretch(&w->pace, &live->settings->pace, own_share(live), &why);
	if (stretch == (w->pace.stretch > 1 ? w->pace.stretch : 1))
		return;
	w->pace.stretch = stretch;
	watcher_stretch(w->watcher, stretch);
	if (stretch > 1)
		program_say("%s: asked every %llu moments: %s", label(w), (unsigned long long)stretch, why);
	else
		program_say("%s: asked at every moment again", label(w));
}

static int
record(struct live *live, struct watched *w, struct taken *taken, struct stk_error *err)
{
	const struct dump_source_kind *kind = watcher_kind(w->watcher, taken->fallback);
	struct stk_error why = { 0 };
	struct watch_counts counts;
	bool cut = false;

	tell(w, taken);
	if (live->settings->every_ns > 0)
		keep_pace(live, w, taken);
	if (!taken->fallback && taken->result != ATTACH_ANSWERED && !(taken->result == ATTACH_CUT && taken->reply.size > 0))
		return 0;
	watcher_counts(w->watcher, &counts);
	if (live_records_take(live->records, &w->subject, taken, kind->format, watcher_memory(w->watcher), &counts, &cut, &why) < 0 ||
			(live->settings->every_ns > 0 && record_cost(live, w, &why) < 0)) {
		if (why.code == STK_EDATA) {
			program_warn("%s: %s", label(w), why.text);
			return 0;
		}
		if (note_unwritten(live, &why) < 0) {
			*err = why;
			return -1;
		}
		return 0;
	}
	if (live->failing)
		program_say("%s can be written again; %llu dumps were lost", capture_files_name(live->files), (unsigned long long)live->unwritten);
	live->failing = false;
	live->unwritten = 0;
	return 0;
}

/* A watcher's last word: its counters. */
static void
end_watched(struct live *live, struct watched *w)
{
	struct watch_counts counts = { 0 };
	struct stk_error err = { 0 };

	if (w->ticks >= 0 && tick_capture_remove(live->ticks, w->ticks, live->records, &err) < 0)
		(void)note_unwritten(live, &err);
	stk_error_clear(&err);
	if (w->watcher != NULL)
		watcher_counts(w->watcher, &counts);
	if (w->ticks >= 0 && live->settings->only_ticks)
		w->wish->gave++;
	if (counts.expected > 0 && live_records_count(live->records, &w->subject, &counts, &err) < 0)
		(void)note_unwritten(live, &err);
	if (w->subject.process != NULL && !process_is_alive(&w->process))
		watch_list_forget(live->list, &w->process);
	if (w->wish != NULL)
		w->wish->gave += w->subject.dumps;
	else if (w->subject.dumps == 0)
		program_warn("%s: gave no dump", w->name);
	release(w);
}

static int
record_all(struct live *live, struct stk_error *err)
{
	for (size_t i = 0; i < live->watched.count;) {
		struct watched *w = live->watched.at[i];
		struct taken *taken = w->watcher != NULL ? watcher_taken(w->watcher) : NULL;

		if (taken != NULL) {
			int result = record(live, w, taken, err);

			watcher_release(w->watcher);
			if (result < 0)
				return -1;
		}
		if (w->watcher != NULL ? !watcher_is_over(w->watcher) : process_is_alive(&w->process)) {
			i++;
			continue;
		}
		end_watched(live, w);
		live->watched.at[i] = live->watched.at[--live->watched.count];
	}
	return 0;
}

/* --- the whole --- */

static int64_t
end_ns(const struct live *live)
{
	return live->plan.count == 0 ? INT64_MAX : watch_moment(&live->plan, live->plan.count - 1);
}

/* Nobody is watched, and nobody can come. Somebody who was named may be starting: he has as long as an answer may take. */
static bool
is_over(const struct live *live)
{
	int64_t now = monotonic_ns();

	if (live->settings->only_ticks && live->plan.count > 0)
		return now >= watch_moment(&live->plan, live->plan.count);
	if (live->watched.count > 0)
		return false;
	if (now > end_ns(live))
		return !is_somebody_missing(live) || now > end_ns(live) + live->plan.patience_ns;
	return !watch_list_is_open(live->list) && (!is_somebody_missing(live) || now > live->plan.base_ns + live->plan.patience_ns);
}

static void
wait_for_news(const struct live *live)
{
	struct pollfd wait = { .fd = live->plan.wake_fd, .events = POLLIN };
	uint64_t news;

	if (poll(&wait, 1, (int)(SCAN_SOON_NS / 1000000)) > 0 && read(live->plan.wake_fd, &news, sizeof news) < 0 && errno != EAGAIN)
		program_status_raise(PROGRAM_FAILED);
}

static int
go_on(struct live *live, struct stk_error *err)
{
	struct stk_error why = { 0 };

	while (!program_stopping() && !is_over(live)) {
		wait_for_news(live);
		if (record_all(live, err) < 0)
			return -1;
		if (live->ticks != NULL && tick_capture_record(live->ticks, live->records, false, &why) < 0 && note_unwritten(live, &why) < 0) {
			*err = why;
			return -1;
		}
		stk_error_clear(&why);
		if (reopen_asked) {
			reopen_asked = 0;
			if (capture_files_reopen(live->files, err) < 0)
				return -1;
		}
		scan(live);
	}
	return 0;
}

/* Why somebody who was named gave nothing. */
static void
tell_missing(struct live *live)
{
	for (size_t i = 0; i < watch_list_count(live->list); i++) {
		const struct wish *wish = watch_list_at(live->list, i);
		struct stk_error err = { 0 };
		struct process process;
		struct dump_source *source;

		if (wish->gave > 0)
			continue;
		if (wish->all)
			program_warn("no Java VM was found, or none gave a dump");
		else if (wish->pid == 0 && wish->met == 0 && wish->why[0] != '\0')
			program_warn("%s", wish->why);
		else if (wish->pid == 0)
			program_warn("%s: no process of that name gave a dump", wish->text);
		else if (process_read(&process, wish->pid, &err) < 0 || (wish->way == WATCH_NATIVE ? native_dumps_open(&source, &process, &err) :
				(live->settings->agent ? agent_dumps_open : jvm_dumps_open)(&source, &process, false, &err)) < 0)
			program_warn("%s: %s", wish->text, err.text);
		else
			program_warn("%s: gave no dump", wish->text), dump_source_close(source);
	}
}

/* Nobody is waited for any more. */
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

/* Dumps that were had when the capture was told to stop. */
static void
record_last(struct live *live, struct stk_error *err)
{
	for (size_t i = 0; i < live->watched.count && err->code == STK_EOK; i++) {
		struct watched *w = live->watched.at[i];
		struct taken *taken = w->watcher != NULL ? watcher_taken(w->watcher) : NULL;

		if (taken != NULL && record(live, w, taken, err) == 0)
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
		end_watched(live, live->watched.at[--live->watched.count]);
	if (live->begun)
		tell_missing(live);
	live_records_close(live->records);
	if (capture_files_close(live->files, &totals, &late) < 0 && err->code == STK_EOK)
		*err = late;
	watch_list_close(live->list);
	array_release(&live->watched);
	tick_capture_close(live->ticks);
	if (live->plan.wake_fd >= 0)
		close(live->plan.wake_fd);
	if (live->plan.stop_fd >= 0)
		close(live->plan.stop_fd);
	if (totals.lost.dumps > 0 || totals.lost.samples > 0)
		program_say("%llu dumps, %llu samples; lost: %llu dumps, %llu samples", (unsigned long long)totals.kept.dumps, (unsigned long long)totals.kept.samples,
			(unsigned long long)totals.lost.dumps, (unsigned long long)totals.lost.samples);
	else
		program_say("%llu dumps, %llu samples", (unsigned long long)totals.kept.dumps, (unsigned long long)totals.kept.samples);
}

static int
open_live(struct live *live, struct stk_error *err)
{
	const struct live_settings *s = live->settings;
	struct sigaction reopen = { .sa_handler = ask_reopen };
	struct stk_writer *writer;
	bool fresh;

	live->plan = (struct watch_plan){ .every_ns = s->every_ns > 0 ? s->every_ns : ONCE_NS, .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .patience_ns = s->patience_ns < PATIENCE_MAX ? s->patience_ns : PATIENCE_MAX };
	reply_pool_init(&live->replies);
	live->plan.replies = &live->replies;
	live->plan.count = s->count > 0 ? (uint64_t)s->count : s->every_ns > 0 ? 0 : 1;
	live->own_ns = monotonic_ns();
	watch_list_open(&live->list);
	capture_files_open(&live->files, &s->files);
	live_records_open(&live->records, live->files);
	if (live->plan.wake_fd < 0 || live->plan.stop_fd < 0)
		return stk_fail_errno(err, "cannot make an eventfd");
	if (s->has_ticks && tick_capture_open(&live->ticks, &s->ticks, &live->replies, err) < 0)
		return -1;
	if ((s->jvm != NULL && watch_list_add(live->list, WATCH_JVM, s->jvm, err) < 0) || (s->native != NULL && watch_list_add(live->list, WATCH_NATIVE, s->native, err) < 0) ||
			(s->of != NULL && watch_list_add(live->list, WATCH_COMMAND, s->of, err) < 0))
		return -1;
	if (s->files.name != NULL)
		sigaction(SIGHUP, &reopen, NULL);
	/* a file that cannot be written is better told before anything is asked */
	return capture_files_writer(live->files, INT64_C(1000000000) * (int64_t)time(NULL), &writer, &fresh, err);
}

int
live_run(const struct live_settings *settings, struct stk_error *err)
{
	struct live live = { .settings = settings };

	if (open_live(&live, err) == 0 && begin(&live, err) == 0)
		(void)go_on(&live, err);
	close_live(&live, err);
	return err->code == STK_EOK ? 0 : -1;
}
