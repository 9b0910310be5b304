/* SPDX-License-Identifier: MIT
 * live_conditions: VMs are looked at from outside, also while nothing is taken. */
#include "live_conditions.h"

#include "base/time_text.h"
#include "capture/file_pattern.h"
#include "capture/locked_file.h"
#include "capture/look_back.h"
#include "program/program.h"

#include <string.h>
#include <time.h>

#define CHECK_NS   INT64_C(1000000000)	/* between two looks */
#define SETTLED_NS INT64_C(2000000000)	/* a VM of this age has made its counters */

static int64_t
wall_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Each counter of a condition that this VM does not have, once. */
static void
say_absent(const struct live *live, struct watched *w)
{
	const struct conditions *conditions = &live->settings->conditions;
	uint32_t news = w->look.absent & ~w->absent_said;

	if (news == 0 || wall_clock_ns() < w->process.start_ns + SETTLED_NS)
		return;
	for (unsigned i = 0; i < conditions->count; i++)
		if ((news >> i & 1) != 0)
			program_warn("%s (%ld): it has no number %s: this condition of --when does not hold for it", w->name,
				     (long)w->process.pid,
				     conditions->at[i].kind == WHEN_PAUSE ? "of pauses" : conditions->at[i].name);
	w->absent_said |= news;
}

/* What any of the VMs meets. */
static uint32_t
look_at_vms(struct live *live, int64_t now_ns)
{
	const struct conditions *conditions = &live->settings->conditions;
	uint32_t met = 0;

	if (!conditions_are_of_vm(conditions))
		return 0;
	for (size_t i = 0; i < live->watched.count; i++) {
		struct watched *w = live->watched.at[i];

		if (w->wish == NULL || w->wish->way != WATCH_JVM)
			continue;
		met |= vm_look_take(&w->look, conditions, &w->process, now_ns);
		if (w->look.memory == NULL && !w->unseen_said)
			program_warn("%s (%ld): --when cannot see its heap, pauses and counters: it has no file of them "
				     "(-XX:-UsePerfData?)", w->name, (long)w->process.pid);
		w->unseen_said |= w->look.memory == NULL;
		say_absent(live, w);
	}
	return met;
}

static const char *
look_back_text(const struct live *live, char to[TIME_TEXT_MAX])
{
	return duration_print(to, live->settings->files.look_back_ns);
}

static void
say_early(struct live *live)
{
	const struct look_back *back = capture_files_held(live->files);
	struct look_back_state state;
	char span[TIME_TEXT_MAX];

	if (back == NULL || live->early_said)
		return;
	look_back_state(back, &state);
	live->early_said = state.early;
	if (state.early)
		program_warn("--look-back: more than %lld MiB are needed for %s: the oldest is dropped earlier",
			     (long long)(LOOK_BACK_BYTES >> 20), look_back_text(live, span));
}

static void
say_released(struct live *live, const struct look_back_state *state, const struct capture_totals *before)
{
	int64_t unused;
	const struct capture_totals *now = capture_files_totals(live->files, &unused);

	program_say("--when holds: wrote the last %.0f s from memory: %llu dumps, %llu samples",
		    state->from_ns == 0 ? 0 : (double)(monotonic_ns() - state->from_ns) / 1e9,
		    (unsigned long long)(now->kept.dumps - before->kept.dumps),
		    (unsigned long long)(now->kept.samples - before->kept.samples));
}

/* Writes what is in memory. When that fails it is tried again at the next look. */
static int
release(struct live *live, struct stk_error *err)
{
	const struct look_back *back = capture_files_held(live->files);
	struct stk_error why = { 0 };
	struct look_back_state state;
	struct capture_totals before;
	int64_t unused;

	if (back == NULL)
		return 0;
	look_back_state(back, &state);
	before = *capture_files_totals(live->files, &unused);
	if (capture_files_release(live->files, wall_clock_ns(), &why) == 0) {
		say_released(live, &state, &before);
		live->kept_back = false;
		return 0;
	}
	if (strcmp(capture_files_name(live->files), "standard output") == 0) {
		*err = why;
		return -1;
	}
	if (!live->kept_back)
		program_warn("%s; what is in memory is written when this is fixed", why.text);
	live->kept_back = true;
	return 0;
}

static int
hold(struct live *live, struct stk_error *err)
{
	struct stk_error why = { 0 };
	char span[TIME_TEXT_MAX];

	if (capture_files_held(live->files) != NULL && !live->kept_back)
		return 0;
	live->kept_back = false;
	program_say("--when does not hold: keeping the last %s in memory", look_back_text(live, span));
	if (capture_files_hold(live->files, &why) < 0) {
		program_warn("%s", why.text);
		return capture_files_hold(live->files, err);
	}
	return 0;
}

static void
tell_ticks(struct live *live, bool unmet)
{
	if (live->ticks != NULL)
		tick_capture_meets(live->ticks, !unmet);
	if (live->away != NULL)
		tick_capture_meets(live->away, !unmet);
}

static void
pause_all(struct live *live, bool unmet)
{
	if (unmet != live->plan.unmet)
		program_say(unmet ? "--when does not hold: nothing is taken" : "--when holds again");
	live->plan.unmet = unmet;
	tell_ticks(live, unmet);
}

int
live_check_conditions(struct live *live, struct stk_error *err)
{
	const struct live_settings *s = live->settings;
	int64_t now = monotonic_ns();
	bool unmet;

	if (s->conditions.count == 0 || (live->checked_ns != 0 && now < live->checked_ns + CHECK_NS))
		return 0;
	live->checked_ns = now;
	unmet = !conditions_met(&s->conditions, s->files.zone, look_at_vms(live, now));
	live->held_once |= !unmet;
	if (s->files.look_back_ns > 0) {
		say_early(live);
		return unmet ? hold(live, err) : release(live, err);
	}
	pause_all(live, unmet);
	return 0;
}

const char *
live_unmet_text(const struct live *live, pid_t pid)
{
	const struct conditions *conditions = &live->settings->conditions;

	if (conditions->count > 0 && !live->held_once)
		return ": --when never held";
	if (pid > 0 && conditions_are_of_process(conditions) && !conditions_process_met(conditions, pid))
		return ": --when does not hold for it";
	return "";
}

int
live_begin_conditions(struct live *live, struct stk_error *err)
{
	const struct file_plan *plan = &live->settings->files;
	char path[PATH_MAX];

	if (conditions_are_of_vm(&live->settings->conditions) && live->settings->files.look_back_ns <= 0) {
		tell_ticks(live, true);		/* until the VMs are found and looked at: live_begin does */
		return 0;
	}
	if (live_check_conditions(live, err) < 0)
		return -1;
	if (capture_files_held(live->files) == NULL || plan->name == NULL || strcmp(plan->name, "-") == 0)
		return 0;
	file_pattern_name(plan->name, plan->zone, wall_clock_ns(), path);
	return locked_file_is_possible(path, err);
}
