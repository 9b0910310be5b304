/* SPDX-License-Identifier: MIT
 * habit_findings: a habit costs nobody any time, and how often it was seen is one figure of one finding. That threads
 * only ever wait in one place for a time may also be an incident that lasts as long as the recording: that stays a
 * warning, below those which cost time. */
#include "diag/habit_findings.h"

#include "base/memory.h"
#include "base/quantities.h"
#include "base/text_table.h"
#include "base/time_math.h"

struct habit {
	size_t finding;			/* the first one, into which the others are joined */
	uint64_t times;
	double part;			/* of the time its pool is there */
	enum habit_kind kind;
};

struct habits {
	ARRAY(struct habit) list;
	struct hash_map by_subject;	/* places in list, from 1 */
};

static struct habit *
habit_of(struct habits *habits, const struct diag_findings *findings, size_t f, enum habit_kind kind)
{
	const struct finding *finding = &findings->list.at[f];
	uint64_t hash = hash_pair(hash_pair(finding->process, finding->rule), hash_pair(finding->pool, finding->place));
	uint32_t at = hash_map_start(&habits->by_subject, hash), number;
	struct habit *habit;

	while ((number = hash_map_next(&habits->by_subject, hash, &at)) != 0) {
		const struct finding *first = &findings->list.at[habits->list.at[number - 1].finding];

		if (first->process == finding->process && first->rule == finding->rule &&
		    first->pool == finding->pool && first->place == finding->place &&
		    habits->list.at[number - 1].kind == kind)
			return &habits->list.at[number - 1];
	}
	habit = array_push(&habits->list);
	*habit = (struct habit){ .finding = f, .kind = kind };
	hash_map_put(&habits->by_subject, hash, (uint32_t)habits->list.count);
	return habit;
}

/* Adds a later one; the one with the longest stay has the evidence and the words. */
static void
join(struct finding *to, struct finding *from)
{
	struct finding joined = from->run > to->run ? *from : *to;

	if (from->run > to->run)
		array_release(&to->evidence);
	else
		array_release(&from->evidence);
	joined.times = to->times;
	time_range_join(&joined.times, &from->times);
	joined.threads = from->threads > to->threads ? from->threads : to->threads;
	joined.samples = to->samples + from->samples;
	joined.dumps = to->dumps + from->dumps;
	joined.length_ns = time_sum(to->length_ns, from->length_ns);
	*to = joined;
}

static void
tell(struct diag_findings *findings, const struct habit *habit)
{
	struct finding *finding = &findings->list.at[habit->finding];
	struct text_buffer words = { 0 };

	if (habit->times > 1)
		add_format(&words, ", %llu times", (unsigned long long)habit->times);
	if (habit->times > 1 && finding->run > 0)
		add_format(&words, ", %llu dumps in a row at most", (unsigned long long)finding->run);
	add_format(&words, "; %s there %.0f %% of the time, so it may be how %s",
		   plural(finding->threads, "it is", "they are"), 100 * habit->part,
		   plural(finding->threads, "it waits", "they wait"));
	diag_findings_say(findings, finding, text_in(&words, 0));
	if (habit->kind == HABIT_OF_RETURNING)
		finding->severity = STK_SEVERITY_INFO;
	finding->lost_ns = 0;
	array_release(&words);
}

/* Notes that a finding is a habit. Whether it was joined into an earlier one, and is none of its own any more. */
static bool
is_joined(struct habits *habits, struct diag_findings *findings, size_t f, enum habit_kind kind, double part)
{
	struct habit *habit = habit_of(habits, findings, f, kind);

	habit->part = part;
	if (habit->times++ == 0)
		return false;
	join(&findings->list.at[habit->finding], &findings->list.at[f]);
	return true;
}

void
habit_findings_settle(struct diag_findings *findings, const struct resting_places *places, double chance)
{
	struct habits habits = { 0 };
	size_t kept = 0;

	for (size_t f = 0; f < findings->list.count; f++) {
		const struct finding *finding = &findings->list.at[kept];
		enum habit_kind kind = HABIT_NONE;
		double part = 0;

		findings->list.at[kept] = findings->list.at[f];
		if (finding->pool != 0)
			kind = resting_places_habit(places, finding->process, finding->pool, finding->place,
						    finding->run, finding->within, chance, &part);
		kept += kind == HABIT_NONE || !is_joined(&habits, findings, kept, kind, part);
	}
	findings->list.count = kept;
	for (size_t h = 0; h < habits.list.count; h++)
		tell(findings, &habits.list.at[h]);
	array_release(&habits.list);
	hash_map_release(&habits.by_subject);
}
