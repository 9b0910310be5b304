/* SPDX-License-Identifier: MIT
 * gc_rules: what the metrics of collections say: how much of a minute was left for the program, long pauses, a heap
 * that full collections do not empty. */
#include "diag/gc_rules.h"

#include "base/bytes.h"
#include "base/quantities.h"

#include <math.h>
#include <stddef.h>

#define NS_PER_S   INT64_C(1000000000)
#define MINUTE     (60 * NS_PER_S)
#define CAUSE      "gc.cause."
#define HUMONGOUS  "humongous objects"
#define MINUTES_MOST 100000		/* of a run of bad minutes that are kept apart; later ones join the last */

/* Minutes in a row in which the program got too little. */
struct bad_minutes { int64_t from, to; double paused, worst; };

/* Something that was counted, and when. */
struct gc_count { uint64_t times; double most; struct time_range range; };

struct gc_process {
	int64_t minute;			/* the number of the minute at hand */
	double paused;			/* seconds in it */
	bool any;
	ARRAY(struct bad_minutes) bad;
	struct gc_count pauses, full, filled, close, explicit, metaspace;	/* see judge */
	struct gc_count often, stalls, failures, humongous;
	int64_t last_full, last_young;
	uint32_t close_young;		/* in the minute at hand, shortly after the one before */
	struct time_range young_range;	/* of these */
	double total;			/* of the heap, as it was last said */
	double filled_part;
};

struct gc_rules { ARRAY(struct gc_process) processes; };

void
gc_rules_open(struct gc_rules **out)
{
	*out = mem_new(1, sizeof **out);
}

void
gc_rules_close(struct gc_rules *rules)
{
	if (rules == NULL)
		return;
	for (size_t p = 0; p < rules->processes.count; p++)
		array_release(&rules->processes.at[p].bad);
	array_release(&rules->processes);
	free(rules);
}

/* --- looking --- */

static struct gc_process *
process_at(struct gc_rules *rules, uint32_t process)
{
	while (rules->processes.count < process) {
		struct gc_count none = { .range = TIME_RANGE_NONE };
		struct gc_process *new = array_push(&rules->processes);

		*new = (struct gc_process){ .pauses = none, .full = none, .filled = none, .close = none,
					    .explicit = none, .metaspace = none, .often = none, .stalls = none,
					    .failures = none, .humongous = none, .young_range = TIME_RANGE_NONE,
					    .last_full = STK_TIME_UNKNOWN, .last_young = STK_TIME_UNKNOWN };
	}
	return &rules->processes.at[process - 1];
}

static void
count(struct gc_count *to, double value, int64_t time)
{
	to->times++;
	to->most = value > to->most ? value : to->most;
	time_range_add(&to->range, time);
}

/* A few young collections in a row are a burst of work; many in a minute are a heap that is too small for it. */
static void
end_young_minute(struct gc_process *process, const struct diag_limits *limits)
{
	if (process->close_young >= limits->at[LIMIT_GC_OFTEN_COUNT]) {
		process->often.times += process->close_young;
		time_range_join(&process->often.range, &process->young_range);
	}
	process->close_young = 0;
	process->young_range = TIME_RANGE_NONE;
}

/* The minute at hand is over. */
static void
end_minute(struct gc_process *process, const struct diag_limits *limits)
{
	int64_t from = process->minute * MINUTE;
	struct bad_minutes *last = process->bad.count > 0 ? &process->bad.at[process->bad.count - 1] : NULL;

	end_young_minute(process, limits);
	if (!process->any || process->paused <= (1 - limits->at[LIMIT_GC_THROUGHPUT]) * 60)
		return;
	if (last == NULL || (from - last->to > MINUTE && process->bad.count < MINUTES_MOST)) {
		*array_push(&process->bad) = (struct bad_minutes){ from, from + MINUTE, process->paused,
								   process->paused };
		return;
	}
	last->to = from + MINUTE;
	last->paused += process->paused;
	last->worst = process->paused > last->worst ? process->paused : last->worst;
}

static void
take_pause(struct gc_process *process, const struct diag_limits *limits, int64_t time, double seconds)
{
	int64_t minute = time / MINUTE - (time % MINUTE < 0);

	if (!process->any || minute != process->minute) {
		end_minute(process, limits);
		process->minute = minute;
		process->paused = 0;
		process->any = true;
	}
	process->paused += seconds;
	if (seconds > limits->at[LIMIT_GC_PAUSE])
		count(&process->pauses, seconds, time);
}

static void
take_full(struct gc_process *process, const struct diag_limits *limits, int64_t time, double seconds)
{
	count(&process->full, seconds, time);
	if (process->last_full != STK_TIME_UNKNOWN && time >= process->last_full &&
	    (double)(time - process->last_full) < limits->at[LIMIT_GC_APART] * (double)NS_PER_S)
		count(&process->close, seconds, time);
	process->last_full = time;
}

static void
take_young(struct gc_process *process, const struct diag_limits *limits, int64_t time)
{
	if (process->last_young != STK_TIME_UNKNOWN && time >= process->last_young &&
	    (double)(time - process->last_young) < limits->at[LIMIT_GC_OFTEN] * (double)NS_PER_S) {
		process->close_young++;
		time_range_add(&process->young_range, time);
	}
	process->last_young = time;
}

static void
take_cause(struct gc_process *process, int64_t time, struct stk_text cause, double value)
{
	static const struct { const char *begins; size_t at; } causes[] = {
		{ "System.gc", offsetof(struct gc_process, explicit) },
		{ "System_gc", offsetof(struct gc_process, explicit) },
		{ "Metadata", offsetof(struct gc_process, metaspace) },
		{ "Metaspace", offsetof(struct gc_process, metaspace) },
		{ "Allocation Stall", offsetof(struct gc_process, stalls) },
		{ "Evacuation Failure", offsetof(struct gc_process, failures) },
		{ "to-space exhausted", offsetof(struct gc_process, failures) },
		{ "promotion failed", offsetof(struct gc_process, failures) },
		{ "concurrent mode failure", offsetof(struct gc_process, failures) },
		{ "G1 Humongous Allocation", offsetof(struct gc_process, humongous) }
	};

	for (size_t c = 0; c < sizeof causes / sizeof *causes; c++)
		if (text_starts(cause, causes[c].begins)) {
			count((struct gc_count *)((char *)process + causes[c].at), value, time);
			return;
		}
}

void
gc_rules_take(struct gc_rules *rules, const struct diag_limits *limits, uint32_t process_number, int64_t time,
	      struct stk_text name, double value)
{
	struct gc_process *process = process_at(rules, process_number);

	if (time == STK_TIME_UNKNOWN || !(value >= 0))
		return;
	if (text_is(name, "heap.total")) {
		process->total = value;
	} else if (text_is(name, "heap.used.full")) {
		process->filled_part = value;		/* the total follows */
	} else if (text_is(name, "gc.pause") || text_is(name, "gc.pause.full")) {
		take_pause(process, limits, time, value);
		if (text_is(name, "gc.pause.full"))
			take_full(process, limits, time, value);
		else
			take_young(process, limits, time);
		if (process->filled_part > limits->at[LIMIT_GC_FILLED] * process->total && process->total > 0)
			count(&process->filled, process->filled_part / process->total, time);
		process->filled_part = 0;
	} else if (text_starts(name, CAUSE)) {
		take_cause(process, time, text_of(name.data + strlen(CAUSE), name.size - strlen(CAUSE)), value);
	}
}

/* --- judging --- */

struct judging { const struct diag_limits *limits; struct diag_findings *findings; uint32_t process; };

static struct finding *
tell(const struct judging *j, const char *subject, enum stk_severity severity, const struct time_range *range)
{
	struct finding *finding = diag_findings_add(j->findings, RULE_GC, severity, text_from(subject),
						    text_in(&j->findings->text, 0));

	finding->process = j->process;
	finding->times = *range;
	return finding;
}

static void
judge_throughput(const struct judging *j, const struct bad_minutes *bad)
{
	struct text_buffer *to = &j->findings->text;
	double left = 1 - bad->paused / ((double)(bad->to - bad->from) / (double)NS_PER_S);
	struct time_range range = { bad->from, bad->to };

	to->count = 0;
	add_format(to, "collections left the program %.0f %% of the time, in the worst minute %.0f %%", 100 * left,
		   100 * (1 - bad->worst / 60));
	tell(j, "throughput", left < j->limits->at[LIMIT_GC_CRITICAL] ? STK_SEVERITY_CRITICAL : STK_SEVERITY_WARNING,
	     &range)->lost_ns = (int64_t)(bad->paused * (double)NS_PER_S);
}

static void
judge_count(const struct judging *j, const struct gc_count *of, const char *subject, const char *what, bool seconds)
{
	/* large objects are a way to work, which costs more than others */
	enum stk_severity severity = strcmp(subject, HUMONGOUS) == 0 ? STK_SEVERITY_INFO : STK_SEVERITY_WARNING;
	struct text_buffer *to = &j->findings->text;

	if (of->times == 0)
		return;
	to->count = 0;
	add_format(to, "%s: %llu", what, (unsigned long long)of->times);
	if (seconds)
		add_format(to, ", the longest %.2f seconds", of->most);
	else
		add_format(to, ", at most %.0f %%", 100 * of->most);
	(void)tell(j, subject, severity, &of->range);
}

static void
judge_often(const struct judging *j, const struct gc_count *of)
{
	struct text_buffer *to = &j->findings->text;

	if (of->times == 0)
		return;
	to->count = 0;
	add_format(to, "collections within %g s of the one before: %llu", j->limits->at[LIMIT_GC_OFTEN],
		   (unsigned long long)of->times);
	(void)tell(j, "young collections", STK_SEVERITY_WARNING, &of->range);
}

void
gc_rules_end(struct gc_rules *rules, const struct diag_limits *limits, struct diag_findings *findings)
{
	for (uint32_t n = 1; n <= rules->processes.count; n++) {
		struct gc_process *process = &rules->processes.at[n - 1];
		struct judging j = { limits, findings, n };

		end_minute(process, limits);
		for (size_t b = 0; b < process->bad.count; b++)
			judge_throughput(&j, &process->bad.at[b]);
		judge_count(&j, &process->pauses, "pauses", "pauses that are too long", true);
		judge_count(&j, &process->filled, "old generation",
			    "full collections that left the heap nearly full", false);
		judge_count(&j, &process->close, "full collections",
			    "full collections shortly after the one before", true);
		judge_count(&j, &process->explicit, "System.gc()", "collections that the program asked for", true);
		judge_count(&j, &process->metaspace, "metaspace", "collections for want of metaspace", true);
		judge_count(&j, &process->stalls, "allocation stalls", "threads that waited for memory", true);
		judge_count(&j, &process->failures, "evacuation failures",
			    "collections that found no room for what they moved", true);
		judge_count(&j, &process->humongous, HUMONGOUS,
			    "collections for objects larger than half a region", true);
		judge_often(&j, &process->often);
	}
}
