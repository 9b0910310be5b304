/* SPDX-License-Identifier: MIT
 * diag_view: words and sums that the rules share. */
#include "diag/diag_view.h"

#include "base/quantities.h"

#include <math.h>

#define NS_PER_S 1e9

struct stk_text
diag_text(const struct diag_view *view, uint32_t text)
{
	struct stk_text found = text_table_text(view->texts, text);

	return found.size == 0 ? text_from("?") : found;
}

const struct incident_pool *
hardest_hit(const struct incident *incident)
{
	const struct incident_pool *worst = NULL;

	for (size_t p = 0; p < incident->pools.count; p++) {
		const struct incident_pool *pool = &incident->pools.at[p];

		if (worst == NULL || pool->affected > worst->affected ||
		    (pool->affected == worst->affected && pool->pool < worst->pool))
			worst = pool;
	}
	return worst;
}

/* Goroutines have no names, and are one pool. */
static bool
is_of_goroutines(struct stk_text pool)
{
	return text_is(pool, "goroutine");
}

static void
add_members(struct text_buffer *to, struct stk_text pool, uint32_t count)
{
	if (is_of_goroutines(pool)) {
		add_format(to, "%u goroutines", count);
		return;
	}
	add_format(to, "%u threads of ", count);
	add_text(to, pool);
}

void
add_affected(struct text_buffer *to, const struct diag_view *view, const struct incident *incident)
{
	const struct incident_pool *pool = hardest_hit(incident);

	if (pool == NULL) {
		add_format(to, "%u %s", incident->most, plural(incident->most, "thread", "threads"));
		return;
	}
	if (incident->waiters.list.count == 1 && incident->waiters.more == 0) {
		add_text(to, diag_text(view, incident->waiters.list.at[0].name));
	} else {
		add_string(to, pool->most < pool->most_of ? "up to " : "all ");
		if (pool->most < pool->most_of)
			add_format(to, "%u of ", pool->most);
		add_members(to, diag_text(view, pool->pool), pool->most_of);
	}
	if (incident->pools.count > 1)
		add_format(to, " and threads of %zu other %s", incident->pools.count - 1,
			   plural(incident->pools.count - 1, "pool", "pools"));
}

void
add_lost(struct text_buffer *to, const struct incident *incident)
{
	const struct incident_pool *pool = hardest_hit(incident);

	if (incident->occasions > 1)
		add_format(to, "; on %u occasions", incident->occasions);
	if (incident->lost_ns == 0)
		return;
	add_format(to, "; %.0f seconds of threads' time lost", round((double)incident->lost_ns / NS_PER_S));
	if (pool != NULL && pool->most_of > 1 && pool->threads > 0)
		add_format(to, ", %.0f %% of the pool's meanwhile",
			   100 * (double)pool->affected / (double)pool->threads);
}

void
note_pools(struct incident *incident, const struct diag_view *view, const uint32_t *threads, size_t count)
{
	/* the threads come pool by pool where it matters for speed: a pool is looked up once for each run */
	for (size_t i = 0; i < count; ) {
		uint32_t pool = view->dump->threads.at[threads[i]].pool;
		const struct dump_pool *of = dump_pools_find(view->pools, pool);
		size_t from = i;

		while (i < count && view->dump->threads.at[threads[i]].pool == pool)
			i++;
		incident_add_pool(incident, view->dump, pool, (uint32_t)(i - from), of == NULL ? 0 : of->threads);
	}
}

static void
add_people(struct finding *finding, const struct incident_people *people, enum stk_involvement part)
{
	for (size_t i = 0; i < people->list.count; i++) {
		const struct incident_person *person = &people->list.at[i];

		*array_push(&finding->evidence) =
			(struct evidence){ .part = part,
					   .thread = person->name,
					   .stack = person->stack,
					   .class = part == STK_INVOLVEMENT_HOLDER ? person->holds : person->wants,
					   .address = person->address,
					   .dumps = person->dumps,
					   .times = person->times };
	}
}

struct finding *
finding_of(const struct incident *incident, enum diag_rule rule, enum stk_severity severity,
	   const struct diag_view *view, struct diag_findings *findings)
{
	struct finding *finding = diag_findings_add(findings, rule, severity, diag_text(view, incident->subject),
					       text_in(&findings->text, 0));

	finding->process = incident->process;
	finding->times = incident->times;
	finding->threads = incident->most;
	finding->samples = incident->affected;
	finding->dumps = incident->dumps;
	finding->lost_ns = incident->lost_ns;
	finding->length_ns = incident->length_ns;
	add_people(finding, &incident->holders, STK_INVOLVEMENT_HOLDER);
	add_people(finding, &incident->waiters, STK_INVOLVEMENT_WAITER);
	return finding;
}

void
note_habit(struct finding *finding, const struct incident *incident, const struct diag_view *view)
{
	const struct incident_pool *pool = hardest_hit(incident);

	if (pool == NULL || is_of_goroutines(diag_text(view, pool->pool)))
		return;
	finding->pool = pool->pool;
	finding->place = incident->at;
	finding->run = incident->run;
}
