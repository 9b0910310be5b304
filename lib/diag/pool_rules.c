/* SPDX-License-Identifier: MIT
 * pool_rules: pool-exhausted, starved-by-own-tasks, common-pool, and threads that wait for what there is too little of:
 * connections, permits, room in a queue. */
#include "diag/diag_view.h"

#include "base/bytes.h"
#include "base/quantities.h"

#define NS_PER_S 1e9

/* --- looking --- */

/* Where a thread is: the function of the program's own nearest the leaf. */
static uint32_t
place_of(const struct diag_view *view, uint32_t thread)
{
	return stack_fact(view->facts, view->dump->threads.at[thread].stack)->own;
}

/* The place in which most of some threads stand, and how many do. It is found among those of more than half by pairs
 * that cancel out, so that a pool of a million is no trouble; there is none when no place has more than half. */
static uint32_t
usual_place(const struct diag_view *view, const uint32_t *threads, uint32_t count, uint32_t *standing)
{
	uint32_t place = 0, votes = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = place_of(view, threads[i]);

		if (votes == 0)
			place = at;
		votes += at == place ? 1 : -1u;
	}
	*standing = 0;
	for (uint32_t i = 0; i < count; i++)
		*standing += place_of(view, threads[i]) == place;
	return place;
}

static uint32_t
subject_at(struct diag_view *view, uint32_t pool, uint32_t place)
{
	view->text.count = 0;
	add_text(&view->text, diag_text(view, pool));
	add_string(&view->text, " at ");
	add_text(&view->text, diag_text(view, place));
	return text_table_number(view->texts, text_in(&view->text, 0));
}

static void
note(struct diag_view *view, enum diag_rule rule, uint32_t pool, uint32_t place, const uint32_t *threads,
     uint32_t count)
{
	struct incident *incident = incidents_see(view->incidents, rule, subject_at(view, pool, place), view->dump);

	incident->at = place;
	for (uint32_t i = 0; i < count; i++)
		incident_add_waiter(incident, view->dump, &view->dump->threads.at[threads[i]], 0, 0);
	note_pools(incident, view, threads, count);
	incident_settle(incident, view->dump, count, view->torn);
}

/* Threads that wait for a lock with a known holder are that lock's. */
static bool
is_blocked(const struct diag_view *view, uint32_t thread)
{
	return view->graph->nodes.at[thread].wants != NOBODY;
}

/* A thread that waits to be notified may have nothing to do; lost-wakeup looks at it, as livelock at one that tries
 * again and again. */
static bool
is_of_other_rules(const struct diag_view *view, uint32_t thread)
{
	const struct dump_thread *of = &view->dump->threads.at[thread];
	enum wait_kind waits = stack_fact(view->facts, of->stack)->waits;

	return waits == WAIT_TRY || (waits == WAIT_NOTIFY && of->state == STK_STATE_WAITING);
}

static void
look_at_exhaustion(struct diag_view *view, struct dump_pool *pool, const uint32_t *members)
{
	uint32_t place, standing, blocked = 0;

	if (pool->exhausted || pool->carriers > 0 || pool->idle > 0 ||
	    pool->threads < diag_limit(view, LIMIT_POOL_THREADS))
		return;
	for (uint32_t i = 0; i < pool->threads; i++)
		blocked += is_blocked(view, members[i]) || is_of_other_rules(view, members[i]);
	place = usual_place(view, members, pool->threads, &standing);
	if (place == 0 || standing < diag_limit(view, LIMIT_POOL_PART) * pool->threads ||
	    blocked >= diag_limit(view, LIMIT_POOL_PART) * pool->threads)
		return;
	pool->exhausted = true;
	note(view, RULE_POOL, pool->pool, place, members, pool->threads);
}

/* Whether a worker of the common pool computes nothing, and keeps others from computing. */
static bool
waits_for_something(const struct diag_view *view, uint32_t thread)
{
	const struct dump_thread *of = &view->dump->threads.at[thread];
	enum wait_kind waits = stack_fact(view->facts, of->stack)->waits;

	return !of->idle && of->role != STK_ROLE_CARRIER &&
		(is_blocked(view, thread) || (waits != WAIT_NONE && waits != WAIT_TRY));
}

static void
look_at_common_pool(struct diag_view *view, struct dump_pool *pool, const uint32_t *members)
{
	ARRAY(uint32_t) waiting = { 0 };
	uint32_t standing;

	if (!text_starts(diag_text(view, pool->pool), "ForkJoinPool.commonPool-worker-"))
		return;
	for (uint32_t i = 0; i < pool->threads; i++)
		if (waits_for_something(view, members[i]))
			*array_push(&waiting) = members[i];
	if (waiting.count > 0 && (double)waiting.count >= diag_limit(view, LIMIT_COMMON_PART) * pool->threads) {
		note(view, RULE_COMMON, pool->pool,
		     usual_place(view, waiting.at, (uint32_t)waiting.count, &standing), waiting.at,
		     (uint32_t)waiting.count);
		pool->exhausted = true;		/* it was reported already */
	}
	array_release(&waiting);
}

static enum diag_rule
rule_of_wait(enum wait_kind kind)
{
	switch (kind) {
	case WAIT_CONNECTION: return RULE_CONNECTION;
	case WAIT_SEMAPHORE:  return RULE_SEMAPHORE;
	case WAIT_RATE:       return RULE_RATE;
	case WAIT_FULL:       return RULE_FULL;
	default:              return DIAG_RULES_COUNT;
	}
}

/* Members of a pool that wait for the same kind of thing. */
static void
look_at_waits(struct diag_view *view, const struct dump_pool *pool, const uint32_t *members)
{
	static const enum wait_kind kinds[] = { WAIT_CONNECTION, WAIT_SEMAPHORE, WAIT_RATE, WAIT_FULL };
	ARRAY(uint32_t) waiting = { 0 };

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		uint32_t standing;

		waiting.count = 0;
		for (uint32_t i = 0; i < pool->threads; i++) {
			const struct dump_thread *thread = &view->dump->threads.at[members[i]];

			if (!thread->idle && stack_fact(view->facts, thread->stack)->waits == kinds[k])
				*array_push(&waiting) = members[i];
		}
		if (waiting.count >= diag_limit(view, LIMIT_WAIT_THREADS))
			note(view, rule_of_wait(kinds[k]), pool->pool,
			     usual_place(view, waiting.at, (uint32_t)waiting.count, &standing), waiting.at,
			     (uint32_t)waiting.count);
	}
	array_release(&waiting);
}

void
pool_rules_look(struct diag_view *view)
{
	for (size_t p = 0; p < view->pools->pools.count; p++) {
		struct dump_pool *pool = &view->pools->pools.at[p];
		const uint32_t *members = view->pools->members.at + pool->first;

		if (!pool->chosen)
			continue;
		look_at_common_pool(view, pool, members);
		look_at_exhaustion(view, pool, members);
		if (pool->idle < pool->threads)
			look_at_waits(view, pool, members);
	}
}

/* --- judging --- */

/* Whether the same threads stood there all the time, and waited for results: then nobody computes these. */
static bool
is_starved(const struct incident *incident, const struct diag_view *view)
{
	for (size_t i = 0; i < incident->waiters.list.count; i++) {
		const struct incident_person *person = &incident->waiters.list.at[i];

		if (person->moved || person->dumps < incident->dumps ||
		    stack_fact(view->facts, person->stack)->waits != WAIT_RESULT)
			return false;
	}
	return incident->waiters.more == 0 || incident->waiters.list.count == INCIDENT_PEOPLE_MOST;
}

static bool
judge_pool(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	bool starved = is_starved(incident, view);
	struct text_buffer *to = &findings->text;

	if (incident->dumps < diag_limit(view, LIMIT_POOL_DUMPS) ||
	    (double)incident->length_ns < diag_limit(view, LIMIT_POOL_SECONDS) * NS_PER_S)
		return false;
	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, starved ? " wait for results in " : " were busy, most of them in ");
	add_text(to, diag_text(view, incident->at));
	add_string(to, starved ? "; none is free to compute them, and none of them moved: tasks that wait for tasks of "
				 "their own pool"
			       : "; none was free for new work");
	if (starved)
		(void)finding_of(incident, RULE_STARVED, STK_SEVERITY_CRITICAL, view, findings);
	else
		note_habit(finding_of(incident, RULE_POOL, STK_SEVERITY_WARNING, view, findings), incident, view);
	return true;
}

static const char *
words_of_wait(enum diag_rule rule)
{
	switch (rule) {
	case RULE_CONNECTION: return " waited for a connection in ";
	case RULE_SEMAPHORE:  return " waited for a permit in ";
	case RULE_RATE:       return " waited for a rate limiter in ";
	default:              return " waited until there was room in a queue in ";
	}
}

static bool
judge_wait(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	if (incident->dumps < diag_limit(view, LIMIT_WAIT_DUMPS))
		return false;
	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, words_of_wait(incident->rule));
	add_text(to, diag_text(view, incident->at));
	add_lost(to, incident);
	(void)finding_of(incident, incident->rule, STK_SEVERITY_WARNING, view, findings);
	return true;
}

static bool
judge_common_pool(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	if (incident->dumps < diag_limit(view, LIMIT_COMMON_DUMPS))
		return false;
	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, " waited in ");
	add_text(to, diag_text(view, incident->at));
	add_string(to, "; parallel streams and CompletableFutures of the whole program need them");
	add_lost(to, incident);
	(void)finding_of(incident, RULE_COMMON, STK_SEVERITY_WARNING, view, findings);
	return true;
}

bool
pool_rules_judge(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	if (incident->rule == RULE_POOL)
		return judge_pool(incident, view, findings);
	if (incident->rule == RULE_COMMON)
		return judge_common_pool(incident, view, findings);
	return judge_wait(incident, view, findings);
}
