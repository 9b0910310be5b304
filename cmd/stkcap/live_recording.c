/* SPDX-License-Identifier: MIT
 * live_recording: dumps, what they cost, and the pace that follows from that. */
#include "live_recording.h"
#include "live_conditions.h"
#include "live_finding.h"

#include "program/program.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define OWN_NS INT64_C(10000000000)	/* between two measurements of our own cost */

/* "Main (812)"; a command has no number. */
static const char *
watched_label(struct watched *w)
{
	if (w->subject.process == NULL)
		return w->name;
	snprintf(w->label, sizeof w->label, "%s (%ld)", w->name, (long)w->process.pid);
	return w->label;
}

/* Each trouble is reported when it begins and when it is over. */
static void
report_result(struct watched *w, const struct taken *taken)
{
	enum attach_result before = w->said;

	w->said = taken->result;
	if (taken->result == before)
		return;
	switch (taken->result) {
	case ATTACH_ANSWERED: program_say("%s: answers again", watched_label(w)); break;
	case ATTACH_CUT:      program_warn("%s: %s; the part received is kept, and marked as cut", watched_label(w),
					   taken->why.text); break;
	case ATTACH_REFUSED:  program_warn("%s: %s", watched_label(w), taken->why.text); break;
	case ATTACH_LATE:     program_warn("%s: %s%s", watched_label(w), taken->why.text,
					   taken->fallback ? "; took its native stacks instead" : ""); break;
	case ATTACH_GONE:     program_say("%s: ended", watched_label(w)); break;
	}
}

/* Dumps that cannot be written are counted, and the capture continues: there may be room again. */
int
live_note_unwritten(struct live *live, struct stk_error *err)
{
	if (program_stopping())
		return 0;
	live->unwritten++;
	capture_files_lost(live->files, 1);
	if (!live->failing)
		program_warn("%s; dumps are lost until this is fixed", err->text);
	live->failing = true;
	/* the reader is gone */
	return strcmp(capture_files_name(live->files), "standard output") == 0 ? -1 : 0;
}

/* Our own use of a processor since the capture began to look at it. */
static double
own_share(struct live *live)
{
	struct rusage use;
	int64_t now = monotonic_ns(), cpu;

	if (getrusage(RUSAGE_SELF, &use) < 0)
		return 0;
	cpu = (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * INT64_C(1000000000)
		+ (use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000;
	if (now - live->own_ns >= OWN_NS) {
		live->own = (double)(cpu - live->own_cpu_ns) / (double)(now - live->own_ns);
		live->own_ns = now;
		live->own_cpu_ns = cpu;
	}
	return live->own;
}

/* The cost of the capture, as metrics beside the dumps. */
static int
record_cost(struct live *live, struct watched *w, struct stk_error *err)
{
	int64_t now = monotonic_ns();
	double interval_ns = (double)pace_interval(&w->pace, &w->rules);
	struct timespec wall;
	int64_t time_ns;

	if (w->paced_ns != 0 && now - w->paced_ns < OWN_NS)
		return 0;
	w->paced_ns = now;
	clock_gettime(CLOCK_REALTIME, &wall);
	time_ns = wall.tv_sec * INT64_C(1000000000) + wall.tv_nsec;
	return live_records_begin_rows(live->records, &w->subject, NULL, time_ns, err) < 0 ||
		live_records_metric(live->records, time_ns, "capture.share",
				    w->pace.pause_ns / interval_ns, err) < 0 ||
		live_records_metric(live->records, time_ns, "capture.cpu", live->own, err) < 0 ||
		live_records_metric(live->records, time_ns, "capture.interval",
				    interval_ns / 1e9, err) < 0 ? -1
					: live_records_end_rows(live->records, err);
}

/* Asks it less often when it costs more than the budget, and more often again when it does not. */
static void
keep_pace(struct live *live, struct watched *w, const struct taken *taken)
{
	const char *why;
	uint64_t stretch;

	pace_note(&w->pace, taken);
	if (taken->result == ATTACH_ANSWERED && pace_cannot_adapt(&w->pace, &w->rules))
		program_warn("%s: --adaptive has no effect on it: its dumps do not show which threads run",
			     watched_label(w));
	stretch = pace_stretch(&w->pace, &w->rules, own_share(live), &why);
	if (stretch == (w->pace.stretch > 1 ? w->pace.stretch : 1))
		return;
	w->pace.stretch = stretch;
	watcher_stretch(w->watcher, stretch);
	if (!pace_is_news(&w->pace))
		return;
	w->pace.told = stretch;
	if (stretch > 1)
		program_say("%s: asked every %llu moments: %s", watched_label(w), (unsigned long long)stretch, why);
	else
		program_say("%s: asked at every moment again", watched_label(w));
}

int
live_record(struct live *live, struct watched *w, struct taken *taken, struct stk_error *err)
{
	const struct dump_source_kind *kind = watcher_kind(w->watcher, taken->fallback);
	struct stk_error why = { 0 };
	struct watch_counts counts;
	bool cut = false;

	report_result(w, taken);
	if (live->settings->every_ns > 0)
		keep_pace(live, w, taken);
	if (!taken->fallback && taken->result != ATTACH_ANSWERED &&
	    !(taken->result == ATTACH_CUT && taken->reply.size > 0))
		return 0;
	watcher_counts(w->watcher, &counts);
	if (live_records_take(live->records, &w->subject, taken, kind->format, watcher_memory(w->watcher), &counts,
			      &cut, &why) < 0 ||
			(live->settings->every_ns > 0 && record_cost(live, w, &why) < 0)) {
		if (why.code == STK_EDATA) {
			program_warn("%s: %s", watched_label(w), why.text);
			return 0;
		}
		if (live_note_unwritten(live, &why) < 0) {
			*err = why;
			return -1;
		}
		return 0;
	}
	if (live->failing)
		program_say("%s can be written again; %llu dumps were lost", capture_files_name(live->files),
			    (unsigned long long)live->unwritten);
	live->failing = false;
	live->unwritten = 0;
	return 0;
}

/* Of a process whose ticks alone are taken, unless it is one of those that come and go on a machine. */
static void
say_ended(struct watched *w)
{
	const struct wish *wish = w->wish;

	if (w->watcher == NULL && w->ticks >= 0 && wish != NULL && wish->cgroup == NULL &&
	    !(wish->all && wish->way == WATCH_NATIVE) && !process_is_alive(&w->process))
		program_say("%s: ended", watched_label(w));
}

/* The final counters of a watcher. */
void
live_end_watched(struct live *live, struct watched *w)
{
	struct watch_counts counts = { 0 };
	struct stk_error err = { 0 };

	say_ended(w);
	if (w->ticks >= 0 && tick_capture_remove(live->ticks, w->ticks, live->records, &err) < 0)
		(void)live_note_unwritten(live, &err);
	stk_error_clear(&err);
	if (w->away >= 0 && tick_capture_remove(live->away, w->away, live->records, &err) < 0)
		(void)live_note_unwritten(live, &err);
	stk_error_clear(&err);
	if (w->watcher != NULL)
		watcher_counts(w->watcher, &counts);
	if (counts.spared > 0)
		program_say("%s: asked at %llu of %llu moments, and spared at the others; %.2f %% of its time stopped for it",
			    watched_label(w), (unsigned long long)counts.expected,
			    (unsigned long long)(counts.expected + counts.spared),
			    100 * w->pace.pause_ns / ((double)w->rules.every_ns *
						      (double)(w->pace.stretch > 1 ? w->pace.stretch : 1)));
	if (w->ticks >= 0 && live->settings->only_ticks)
		w->wish->gave++;
	if (counts.expected > 0 && live_records_count(live->records, &w->subject, &counts, &err) < 0)
		(void)live_note_unwritten(live, &err);
	if (w->subject.process != NULL && !process_is_alive(&w->process))
		watch_list_forget(live->list, &w->process);
	if (w->wish != NULL)
		w->wish->gave += w->subject.dumps;
	else if (w->subject.dumps == 0)
		program_warn("%s: gave no dump%s", w->name, live_unmet_text(live, 0));
	source_names_end(&live->names, w->name);
	watched_release(w);
}

int
live_record_all(struct live *live, struct stk_error *err)
{
	for (size_t i = 0; i < live->watched.count;) {
		struct watched *w = live->watched.at[i];
		struct taken *taken = w->watcher != NULL ? watcher_taken(w->watcher) : NULL;

		if (taken != NULL) {
			int result = live_record(live, w, taken, err);

			watcher_release(w->watcher);
			if (result < 0)
				return -1;
		}
		if (w->watcher != NULL ? !watcher_is_over(w->watcher) : process_is_alive(&w->process)) {
			i++;
			continue;
		}
		live_end_watched(live, w);
		live->watched.at[i] = live->watched.at[--live->watched.count];
	}
	return 0;
}
