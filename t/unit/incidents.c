/* SPDX-License-Identifier: MIT
 * incidents: what begins and ends one, to the dump; locks that move; kinds that were too brief. */
#include "../lib/tap.h"

#include "diag/incidents.h"

#define NS_PER_S INT64_C(1000000000)

struct heard { unsigned count; struct incident last; unsigned least; };

/* Tells of incidents from `least` dumps on. */
static bool
ended(void *context, struct incident *incident)
{
	struct heard *heard = context;

	if (incident->dumps < heard->least)
		return false;
	heard->count++;
	heard->last = *incident;
	heard->last.length_ns = incident->length_ns;
	return true;
}

static struct diag_dump
dump_at(uint64_t number)
{
	return (struct diag_dump){ .process = 1, .number = number, .time_ns = (int64_t)number * 10 * NS_PER_S,
				   .weight_ns = 10 * NS_PER_S };
}

/* Dumps 1 to `dumps`; bit n - 1 of `seen` says whether dump n shows the incident, with `threads` threads. */
static struct heard
play(unsigned dumps, uint64_t seen, uint32_t threads, unsigned least)
{
	struct heard heard = { .least = least };
	struct incidents *incidents;

	incidents_open(&incidents, &(struct incident_listener){ ended, &heard });
	for (unsigned n = 1; n <= dumps; n++) {
		struct diag_dump dump = dump_at(n);

		if ((seen >> (n - 1) & 1) != 0)
			incident_settle(incidents_see(incidents, RULE_CONVOY, 7, &dump), &dump, threads, false);
		incidents_end_dump(incidents, &dump);
	}
	incidents_end(incidents);
	incidents_close(incidents);
	return heard;
}

static void
numbers_of_dumps(void)
{
	struct heard heard = play(0, 0, 1, 1);

	is_u64(heard.count, 0, "no dump: no incident");
	heard = play(1, 0, 1, 1);
	is_u64(heard.count, 0, "a dump that shows nothing: no incident");
	heard = play(1, 1, 4, 1);
	is_u64(heard.count, 1, "one dump: one incident,");
	is_i64(heard.last.times.from_ns, 10 * NS_PER_S, "... from its time");
	is_i64(heard.last.times.to_ns, 10 * NS_PER_S, "... to its time,");
	is_i64(heard.last.lost_ns, 40 * NS_PER_S, "... that cost its threads times what the dump counts for");
	heard = play(2, 3, 4, 1);
	is_u64(heard.last.dumps, 2, "two dumps: one incident of two");
	heard = play(3, 7, 4, 1);
	is_u64(heard.count, 1, "three dumps: one incident");
	is_u64(heard.last.affected, 12, "... of all their threads");
	is_u64(heard.last.most, 4, "... of which there were never more than in one dump");
	is_i64(heard.last.length_ns, 30 * NS_PER_S, "... and as long as they count for");
}

static void
gaps(void)
{
	struct heard heard = play(3, 5, 1, 1);

	is_u64(heard.count, 1, "one dump without it does not end it");
	is_u64(heard.last.dumps, 2, "... and is not one of its dumps");
	is_i64(heard.last.length_ns, 20 * NS_PER_S, "... nor of its time");
	heard = play(4, 9, 1, 1);
	is_u64(heard.count, 2, "two dumps without it end it");
	is_i64(heard.last.times.from_ns, 40 * NS_PER_S, "... and what follows is another");
	heard = play(4, 3, 1, 1);
	is_u64(heard.count, 1, "it is told when two dumps did not show it");
	is_i64(heard.last.times.to_ns, 20 * NS_PER_S, "... and ended with the last that did");
}

static void
too_brief(void)
{
	struct heard heard = play(3, 3, 1, 3);

	is_u64(heard.count, 0, "one that was too short is not told");
	heard = play(3, 7, 1, 3);
	is_u64(heard.count, 1, "... but with exactly as many dumps as are wanted it is");
	heard = play(10, 0x331, 1, 4);
	is_u64(heard.count, 1, "what comes back and never lasts is one incident,");
	is_u64(heard.last.occasions, 3, "... with how often it came");
	is_u64(heard.last.dumps, 5, "... and all its dumps");
}

/* Of many kinds that are too short, each on two occasions, a limited number is remembered; the others are counted. */
static void
many_kinds(void)
{
	struct heard heard = { .least = 2 };
	struct incidents *incidents;
	enum { KINDS = 12000, KEPT = 10000 };

	incidents_open(&incidents, &(struct incident_listener){ ended, &heard });
	for (unsigned n = 1; n <= 8; n++) {
		struct diag_dump dump = dump_at(n);

		for (uint32_t kind = 1; (n == 1 || n == 5) && kind <= KINDS; kind++)
			incident_settle(incidents_see(incidents, RULE_CONVOY, kind, &dump), &dump, 1, false);
		incidents_end_dump(incidents, &dump);
	}
	incidents_end(incidents);
	is_u64(heard.count, KEPT, "of many kinds that come back, those that were kept are told");
	is_u64(incidents_forgotten(incidents), 2 * (KINDS - KEPT), "... and the sights of the others are counted");
	incidents_close(incidents);
}

/* --- locks --- */

static struct incident *
see_lock(struct incidents *incidents, const struct diag_dump *dump, uint64_t address, uint32_t at, uint32_t subject)
{
	struct wait_lock lock = { .address = address, .class = 3, .holder = NOBODY };
	struct incident *incident = incidents_of_lock(incidents, RULE_CONVOY, dump, &lock, at);

	if (incident == NULL)
		incident = incidents_see(incidents, RULE_CONVOY, subject, dump);
	incidents_know_lock(incidents, incident, &lock, at);
	incident_settle(incident, dump, 1, false);
	return incident;
}

static void
locks(void)
{
	struct heard heard = { .least = 1 };
	struct incidents *incidents;
	struct diag_dump first = dump_at(1), second = dump_at(2), third = dump_at(3);
	struct incident *a, *b;

	incidents_open(&incidents, &(struct incident_listener){ ended, &heard });
	a = see_lock(incidents, &first, 0x10, 5, 1);
	b = see_lock(incidents, &first, 0x20, 5, 2);
	ok(a != b, "two locks of a class in one dump are two incidents");
	incidents_end_dump(incidents, &first);
	ok(see_lock(incidents, &second, 0x20, 5, 3) == b, "... and found by their addresses");
	ok(see_lock(incidents, &second, 0x30, 5, 3) == a, "... one that moved by where it is wanted");
	incidents_end_dump(incidents, &second);
	ok(see_lock(incidents, &third, 0x30, 6, 3) == a, "... and by its new address, wherever it is wanted");
	ok(see_lock(incidents, &third, 0x10, 6, 3) != b, "the old address of another is not it");
	incidents_end_dump(incidents, &third);
	is_u64(*incidents_numbering(incidents, RULE_CONVOY, 3, &third), 1, "numbers begin at 1");
	incidents_end(incidents);
	is_u64(heard.count, 3, "all are told at the end");
	incidents_close(incidents);
}

/* A lock each, all of one class, all moved by the collector between any two dumps. */
static void
many_locks(void)
{
	struct heard heard = { .least = 3 };
	struct incidents *incidents;
	enum { LOCKS = 20000 };

	incidents_open(&incidents, &(struct incident_listener){ ended, &heard });
	for (unsigned n = 1; n <= 3; n++) {
		struct diag_dump dump = dump_at(n);

		for (uint32_t lock = 1; lock <= LOCKS; lock++)
			see_lock(incidents, &dump, (uint64_t)n * 0x1000000 + lock, 5, lock);
		incidents_end_dump(incidents, &dump);
	}
	incidents_end(incidents);
	is_u64(heard.count, LOCKS, "twenty thousand locks of a class that move stay as many incidents, each in all dumps");
	incidents_close(incidents);
}

static void
medians(void)
{
	struct incident incident = { 0 };
	uint32_t counts[] = { 9, 1, 5, 7 };

	is_u64(incident_median(&incident), 0, "the median of no dumps is 0");
	for (unsigned n = 1; n <= 4; n++) {
		static const uint32_t expected[] = { 9, 1, 5, 5 };

		incident.counts.at = counts;
		incident.counts.count = n;
		is_u64(incident_median(&incident), expected[n - 1], "the median of %u dumps", n);
	}
}

int
main(void)
{
	numbers_of_dumps();
	gaps();
	too_brief();
	many_kinds();
	locks();
	many_locks();
	medians();
	return tap_end();
}
