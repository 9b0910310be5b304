/* SPDX-License-Identifier: MIT
 * open_recordings: the messages of a recording name its file, and its times as its clock has them. */
#include "program/open_recordings.h"

#include "base/memory.h"
#include "choose/moments.h"
#include "program/lost_ids.h"
#include "program/program.h"
#include "program/sample_choice.h"

#include <stdio.h>
#include <stdlib.h>

/* --- several as one --- */

struct recordings_facts
facts_of_recordings(struct recording *const *recordings, int count)
{
	struct recordings_facts facts = { .times = TIME_RANGE_NONE, .event = "" };
	bool wall = false;

	for (int i = 0; i < count; i++) {
		const struct recording_facts *one = recording_facts(recordings[i]);

		time_range_join(&facts.times, &one->times);
		facts.seconds |= one->monotonic;
		wall |= one->wall;
		if (*facts.event == '\0')
			facts.event = one->event;
	}
	facts.mixed = facts.seconds && wall;
	facts.seconds = !wall && (facts.seconds || !time_range_is_known(&facts.times));
	return facts;
}

struct time_range
range_of_recordings(struct recording *const *recordings, int count)
{
	struct time_range range = TIME_RANGE_NONE;

	for (int i = 0; i < count; i++)
		time_range_join(&range, &recording_facts(recordings[i])->times);
	return range;
}

/* --- messages --- */

/* Of an open recording: what its messages need. */
struct told {
	const char *path;
	struct recording *const *recording;
	struct told *next;
};

static struct told *all_told;
static bool hushed;		/* what is read again was reported before */
static uint64_t damaged;

static char *
print_moment(char to[TIME_TEXT_MAX], const struct told *told, int64_t ns)
{
	return moment_print(to, ns, NULL, facts_of_recordings(told->recording, 1).seconds);
}

static void
tell_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	const struct told *told = context;

	(void)bytes;
	if (hushed)
		return;
	damaged++;
	program_warn("%s:%lld: %s", told->path, (long long)offset, what);
}

static void
tell_lost(void *context, int64_t from, int64_t to, const char *why)
{
	const struct told *told = context;
	char first[TIME_TEXT_MAX], last[TIME_TEXT_MAX];

	if (hushed)
		return;
	damaged++;
	print_moment(first, told, from);
	print_moment(last, told, to);
	if (from == STK_TIME_UNKNOWN && to == STK_TIME_UNKNOWN)
		program_warn("%s: samples without a time are lost", told->path);
	else if (to == INT64_MAX)
		program_warn("%s: the recording is %s: nothing after %s is known", told->path, why,
			from == STK_TIME_UNKNOWN ? "its beginning" : first);
	else
		program_warn("%s: the recording is %s: samples from %s to %s are lost", told->path, why,
			from == STK_TIME_UNKNOWN ? "its beginning" : first, last);
}

static void
tell_growing(void *context)
{
	const struct told *told = context;

	if (!hushed)
		program_say("%s: still being written; read as far as it is now", told->path);
}

static void
tell_visit(void *context, const struct stk_tree_node *node, bool samples)
{
	const struct told *told = context;
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];

	if (hushed)
		return;
	print_moment(from, told, node->time);
	print_moment(to, told, (int64_t)((uint64_t)node->time + (uint64_t)node->length));
	if (samples)
		program_say("%s: node %llu, %s to %s: its samples, %llu row%s", told->path,
			    (unsigned long long)node->id, from, to, (unsigned long long)node->rows,
			    node->rows == 1 ? "" : "s");
	else
		program_say("%s: node %llu, %s to %s: its counts, of %llu sample%s", told->path,
			    (unsigned long long)node->id, from, to, (unsigned long long)node->samples,
			    node->samples == 1 ? "" : "s");
}

/* Those of the first recording; the others are asked for the same. */
static char counted_event[TREE_TEXT_MAX], counted_by[TREE_TEXT_MAX];
static bool by_is_known;

/* usual: what precedes the frames was not asked for. */
static void
note_first(const struct recording_facts *facts, bool usual)
{
	if (*counted_event == '\0')
		(void)snprintf(counted_event, sizeof counted_event, "%s", facts->event);
	if (usual && !by_is_known)
		(void)snprintf(counted_by, sizeof counted_by, "%s", facts->by);
	by_is_known |= usual;
}

int
open_recording(struct recording **out, const char *path, const struct recording_options *asked, bool verbose,
	       struct stk_error *err)
{
	struct recording_options options = *asked;
	struct told *told = mem_new(1, sizeof *told);
	struct recording_listener listener = {
		.damage = tell_damage, .lost = tell_lost, .growing = tell_growing,
		.visit = verbose ? tell_visit : NULL,
		.context = told
	};
	struct stk_error why;

	*told = (struct told){ .path = path, .recording = out, .next = all_told };
	all_told = told;
	options.selection.first_event = *counted_event == '\0' ? NULL : counted_event;
	if (options.by == NULL && by_is_known)
		options.by = counted_by;
	options.file = sample_choice_take_file(path);
	if (recording_open(out, path, &options, &listener, err) == 0) {
		note_first(recording_facts(*out), asked->by == NULL);
		return 0;
	}
	why = *err;
	if (why.code == STK_EUSAGE)
		return -1;
	stk_error_clear(err);
	return stk_fail(err, why.code, "%s: %s", path, why.text);
}

static void
say_lost_ids(const struct recording *recording)
{
	size_t streams = recording == NULL ? 0 : recording_streams(recording);

	for (size_t s = 0; s < streams; s++)
		report_lost_ids(recording_model(recording, s));
}

uint64_t
recordings_damaged(void)
{
	return damaged;
}

void
hush_recordings(struct recording *const *recordings, int count)
{
	for (int i = 0; i < count; i++)
		say_lost_ids(recordings[i]);
	hushed = true;
}

void
close_recording(struct recording *recording)
{
	if (!hushed)
		say_lost_ids(recording);
	recording_close(recording);
	for (struct told **at = &all_told; *at != NULL; at = &(*at)->next) {
		struct told *told = *at;

		if (*told->recording == recording) {
			*at = told->next;
			free(told);
			return;
		}
	}
}

void
say_other_events_of(struct recording *const *recordings, int count)
{
	const char *event = facts_of_recordings(recordings, count).event;
	uint64_t others = 0;

	for (int i = 0; i < count; i++)
		others += recording_other_events(recordings[i]);
	if (others > 0 && strcmp(event, EVENT_NONE) == 0)
		program_say("counted samples without an event only, as those of dumps; samples of events are left out (see --event)");
	else if (others > 0)
		program_say("counted samples of event %s only; those of other events are left out (see --event)",
			    event);
}

static bool
is_bounded(struct tree_interval window)
{
	return window.from != INT64_MIN || window.to != INT64_MAX;
}

/* Those that hold nothing, as they are before the recording or after it. */
static void
say_windows_outside(const struct recording_facts *facts, const char *path, const struct time_zone *zone,
		    const struct tree_interval *windows, size_t count)
{
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];
	size_t outside = 0;

	for (size_t w = 0; w < count; w++)
		outside += windows[w].from > facts->times.to_ns || windows[w].to <= facts->times.from_ns;
	if (outside == 0)
		return;
	moment_print(from, facts->times.from_ns, zone, facts->monotonic && !facts->wall);
	moment_print(to, facts->times.to_ns, zone, facts->monotonic && !facts->wall);
	if (count == 1)
		program_warn("%s: the window is outside the recording, which is from %s to %s%s", path, from, to,
			     sample_choice_hint());
	else
		program_warn("%s: %zu of the %zu windows are outside the recording, which is from %s to %s%s", path,
			     outside, count, from, to, sample_choice_hint());
}

void
say_windows(const struct recording *recording, const char *path, const struct time_zone *zone,
	    const struct tree_interval *windows, size_t count)
{
	const struct recording_facts *facts = recording_facts(recording);
	bool bounded = false;

	for (size_t w = 0; w < count; w++)
		bounded |= is_bounded(windows[w]);
	if (!bounded)
		return;
	if (facts->monotonic && facts->wall)
		program_warn(
			"%s: its sources have clocks of two kinds, wall and monotonic, whose times cannot be compared (--process separates them)",
			path);
	if (facts->untimed > 0)
		program_say("%s: samples without a time are in no window", path);
	if (facts->times.from_ns == STK_TIME_UNKNOWN)
		program_warn("%s: no sample has a time, so every window is empty", path);
	else
		say_windows_outside(facts, path, zone, windows, count);
}
