/* SPDX-License-Identifier: MIT
 * lock_rules: deadlock, convoy, blocked, holder-idle, class-init, logging. Over dumps a lock is recognised by its class
 * and, when there are several of that class, by its address while it stays, else by the function that wants it. */
#include "diag/diag_view.h"

#include "base/quantities.h"

#include <stdio.h>

#define NS_PER_S 1e9

/* --- looking --- */

/* The threads whose way ends at each lock: lock n has list[first[n]] to list[first[n + 1] - 1]. */
struct waiters { uint32_t *first, *list; };

static struct waiters
waiters_by_lock(const struct wait_graph *graph)
{
	size_t locks = graph->locks.count;
	struct waiters w = { mem_new(locks + 2, sizeof *w.first), mem_new(graph->nodes.count + 1, sizeof *w.list) };

	for (size_t lock = 0; lock < locks; lock++)
		w.first[lock + 2] = w.first[lock + 1] + graph->locks.at[lock].waiters;
	for (uint32_t t = 0; t < graph->nodes.count; t++) {
		const struct wait_node *node = &graph->nodes.at[t];

		if (node->ends_at != NOBODY && !node->doomed)
			w.list[w.first[node->ends_at + 1]++] = t;
	}
	return w;
}

static void
waiters_release(struct waiters *w)
{
	free(w->first);
	free(w->list);
}

static bool
any_chosen(const struct diag_dump *dump, const uint32_t *threads, size_t count, uint32_t holder)
{
	if (holder != NOBODY && dump->threads.at[holder].chosen)
		return true;
	for (size_t i = 0; i < count; i++)
		if (dump->threads.at[threads[i]].chosen)
			return true;
	return false;
}

/* What an incident about a lock is called: its class and, from the second of that class at one time on, which. */
static uint32_t
lock_subject(struct diag_view *view, enum diag_rule rule, uint32_t class)
{
	uint32_t *n = incidents_numbering(view->incidents, rule, class, view->dump), subject;

	for (;; ++*n) {
		view->text.count = 0;
		add_text(&view->text, diag_text(view, class));
		if (*n > 1)
			add_format(&view->text, " (%u)", *n);
		subject = text_table_number(view->texts, text_in(&view->text, 0));
		if (!incidents_has(view->incidents, rule, subject, view->dump))
			return subject;
	}
}

static struct incident *
see_lock(struct diag_view *view, enum diag_rule rule, const struct wait_lock *lock, uint32_t wanted_at)
{
	struct incident *incident = incidents_of_lock(view->incidents, rule, view->dump, lock, wanted_at);

	if (incident == NULL)
		incident = incidents_see(view->incidents, rule, lock_subject(view, rule, lock->class), view->dump);
	incidents_know_lock(view->incidents, incident, lock, wanted_at);
	return incident;
}

static void
note_lock(struct diag_view *view, enum diag_rule rule, const struct wait_lock *lock, const uint32_t *threads,
	  uint32_t count)
{
	const struct diag_dump *dump = view->dump;
	struct incident *incident = see_lock(view, rule, lock, view->graph->nodes.at[threads[0]].wanted_at);

	for (uint32_t i = 0; i < count; i++)
		incident_add_waiter(incident, dump, &dump->threads.at[threads[i]], lock->class, lock->address);
	if (lock->holder != NOBODY)
		incident_add_holder(incident, dump, &dump->threads.at[lock->holder], lock->class, lock->address);
	note_pools(incident, view, threads, count);
	incident_settle(incident, dump, count, view->torn);
}

static bool
is_idle_wait(const struct diag_view *view, const struct dump_thread *holder)
{
	const struct stack_fact *fact = stack_fact(view->facts, holder->stack);

	return fact->idle || fact->waits == WAIT_SLEEP || fact->waits == WAIT_IO || fact->waits == WAIT_NOTIFY;
}

/* The rule that a lock's waiters belong to. */
static enum diag_rule
rule_of_lock(const struct diag_view *view, const struct wait_lock *lock, uint32_t waiter)
{
	uint32_t stack = view->dump->threads.at[waiter].stack;

	if (text_starts(diag_text(view, lock->class), "the Class initialization monitor") ||
	    stack_fact(view->facts, stack)->initializes || stack_fact(view->facts, stack)->loads)
		return RULE_CLASS_INIT;
	return stack_fact(view->facts, stack)->waits == WAIT_LOGGING ? RULE_LOGGING : RULE_CONVOY;
}

static void
look_at_lock(struct diag_view *view, const struct wait_lock *lock, const uint32_t *threads, uint32_t count)
{
	enum diag_rule rule;

	if (count == 0 || !any_chosen(view->dump, threads, count, lock->holder))
		return;
	rule = rule_of_lock(view, lock, threads[0]);
	if (rule == RULE_CLASS_INIT || count >= diag_limit(view, LIMIT_CONVOY_THREADS))
		note_lock(view, rule, lock, threads, count);
	if (lock->holder != NOBODY && count >= diag_limit(view, LIMIT_IDLE_THREADS) &&
	    is_idle_wait(view, &view->dump->threads.at[lock->holder]))
		note_lock(view, RULE_HOLDER_IDLE, lock, threads, count);
}

/* The members of a ring in the order in which they wait, from the one whose name comes first. */
static uint32_t
ring_start(const struct diag_view *view, uint32_t in)
{
	uint32_t start = in, at = in;

	do {
		struct stk_text name = diag_text(view, view->dump->threads.at[at].name);

		if (text_compare(name, diag_text(view, view->dump->threads.at[start].name)) < 0)
			start = at;
		at = wait_graph_holder(view->graph, at);
	} while (at != in);
	return start;
}

#define RING_NAMES 8		/* of a longer ring only so many are in its subject */

static uint32_t
ring_subject(struct diag_view *view, uint32_t start)
{
	uint32_t at = start, members = 0;

	view->text.count = 0;
	do {
		if (members < RING_NAMES) {
			add_string(&view->text, members == 0 ? "" : ", ");
			add_text(&view->text, diag_text(view, view->dump->threads.at[at].name));
		}
		members++;
		at = wait_graph_holder(view->graph, at);
	} while (at != start);
	if (members > RING_NAMES)
		add_format(&view->text, ", %u more", members - RING_NAMES);
	return text_table_number(view->texts, text_in(&view->text, 0));
}

static void
note_ring(struct diag_view *view, uint32_t in, const uint32_t *victims, uint32_t victims_count)
{
	uint32_t start = ring_start(view, in), at = start, members = 0;
	struct incident *incident;

	incident = incidents_see(view->incidents, RULE_DEADLOCK, ring_subject(view, start), view->dump);
	do {
		const struct wait_lock *lock = &view->graph->locks.at[view->graph->nodes.at[at].wants];

		incident_add_holder(incident, view->dump, &view->dump->threads.at[at], lock->class, lock->address);
		note_pools(incident, view, &at, 1);
		members++;
		at = wait_graph_holder(view->graph, at);
	} while (at != start);
	for (uint32_t i = 0; i < victims_count; i++)
		incident_add_waiter(incident, view->dump, &view->dump->threads.at[victims[i]], 0, 0);
	note_pools(incident, view, victims, victims_count);
	incident_settle(incident, view->dump, members + victims_count, view->torn);
}

/* The threads whose way leads into each ring, or that are part of it: ring n has list[first[n - 1]] to
 * list[first[n] - 1]. */
static struct waiters
threads_by_ring(const struct wait_graph *graph)
{
	struct waiters w = { mem_new(graph->cycles + 2, sizeof *w.first),
			     mem_new(graph->nodes.count + 1, sizeof *w.list) };

	for (uint32_t t = 0; t < graph->nodes.count; t++)
		if (graph->nodes.at[t].doomed)
			w.first[graph->nodes.at[graph->nodes.at[t].root].cycle + 1]++;
	for (uint32_t n = 2; n < graph->cycles + 2; n++)
		w.first[n] += w.first[n - 1];
	for (uint32_t t = 0; t < graph->nodes.count; t++)
		if (graph->nodes.at[t].doomed)
			w.list[w.first[graph->nodes.at[graph->nodes.at[t].root].cycle]++] = t;
	return w;
}

/* Takes the ring's own threads out of the list; returns how many are left, which wait for these. */
static uint32_t
victims_of(const struct wait_graph *graph, uint32_t *threads, uint32_t count, uint32_t *member)
{
	uint32_t victims = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (graph->nodes.at[threads[i]].cycle == 0)
			threads[victims++] = threads[i];
		else
			*member = threads[i];
	}
	return victims;
}

static void
look_at_rings(struct diag_view *view)
{
	struct waiters rings = threads_by_ring(view->graph);

	for (uint32_t n = 0; n < view->graph->cycles; n++) {
		uint32_t *threads = rings.list + rings.first[n], count = rings.first[n + 1] - rings.first[n];
		uint32_t member = NOBODY;

		if (!any_chosen(view->dump, threads, count, NOBODY))
			continue;
		count = victims_of(view->graph, threads, count, &member);
		note_ring(view, member, threads, count);
	}
	waiters_release(&rings);
}

void
lock_rules_look(struct diag_view *view)
{
	struct waiters waiters = waiters_by_lock(view->graph);

	for (size_t i = 0; i < view->dump->lines.count && !view->owners; i++)
		view->owners = view->dump->lines.at[i].relation == STK_RELATION_OWNS;
	for (uint32_t lock = 0; lock < view->graph->locks.count; lock++)
		look_at_lock(view, &view->graph->locks.at[lock], waiters.list + waiters.first[lock],
			     view->graph->locks.at[lock].waiters);
	look_at_rings(view);
	waiters_release(&waiters);
}

/* --- judging --- */

static bool
judge_deadlock(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	const struct incident_people *ring = &incident->holders;
	struct text_buffer *to = &findings->text;
	bool sure = incident->dumps > 1 || !incident->known_torn;
	uint64_t members = ring->list.count + ring->more / incident->dumps, others = incident->most - members;

	to->count = 0;
	for (size_t i = 0; i < ring->list.count && i < 3; i++) {
		const struct incident_person *at = &ring->list.at[i];
		const struct incident_person *next = &ring->list.at[(i + 1) % ring->list.count];

		add_string(to, i == 0 ? "" : ", ");
		add_text(to, diag_text(view, at->name));
		add_string(to, " waits for ");
		add_text(to, diag_text(view, at->holds));
		add_string(to, " that ");
		add_text(to, diag_text(view, next->name));
		add_string(to, " holds");
	}
	if (members > 3)
		add_format(to, ", and so on around a ring of %llu threads", (unsigned long long)members);
	if (others > 0)
		add_format(to, "; %llu more %s for them", (unsigned long long)others,
			   plural(others, "thread waits", "threads wait"));
	add_string(to, sure ? "; only a restart ends it"
			    : "; possible only: the one dump that shows it was not taken at one moment");
	(void)finding_of(incident, RULE_DEADLOCK, sure ? STK_SEVERITY_CRITICAL : STK_SEVERITY_WARNING, view, findings);
	return true;
}

/* Whether the waiters are over half of a pool for a minute. */
static bool
is_critical(const struct incident *incident, const struct diag_view *view)
{
	if ((double)incident->length_ns < diag_limit(view, LIMIT_CONVOY_SECONDS) * NS_PER_S)
		return false;
	for (size_t p = 0; p < incident->pools.count; p++) {
		const struct incident_pool *pool = &incident->pools.at[p];

		if (pool->most_of > 1 &&
		    (double)pool->affected > diag_limit(view, LIMIT_CONVOY_PART) * (double)pool->threads)
			return true;
	}
	return false;
}

static const struct incident_person *
main_holder(const struct incident *incident)
{
	const struct incident_person *most = NULL;

	for (size_t i = 0; i < incident->holders.list.count; i++)
		if (most == NULL || incident->holders.list.at[i].dumps > most->dumps)
			most = &incident->holders.list.at[i];
	return most;
}

/* Which of the reasons fits. */
static const char *
why_no_holder(const struct diag_view *view, const struct incident *incident)
{
	struct stk_text class = diag_text(view, incident->class);

	if (text_starts(class, "the Class initialization monitor"))
		return "dumps do not say which thread initializes the class";
	if (text_starts(class, "java.util.concurrent.locks.StampedLock"))
		return "a StampedLock does not know its owner";
	if (text_starts(class, "java.util.concurrent.")) {
		if (!view->owners)
			return "these dumps do not list the owners of such locks (jstack -l and jcmd Thread.print -l do)";
		return text_starts(class, "java.util.concurrent.locks.ReentrantReadWriteLock")
			? "it may be held for reading, which has no owner, or pass from one to the next"
			: "it passes from one to the next";
	}
	if (incident->known_torn)
		return "the dumps are cut or not of one moment";
	if (incident->waiters.list.count > 0 &&
	    stack_fact(view->facts, incident->waiters.list.at[0].stack)->waits == WAIT_MUTEX)
		return "stacks from outside never do";
	return "native code has it, or it passes from one to the next as the dump is taken";
}

static void
add_holders(struct text_buffer *to, const struct diag_view *view, const struct incident *incident)
{
	const struct incident_person *holder = main_holder(incident);
	uint64_t holders = incident->holders.list.count;

	if (holder == NULL) {
		add_string(to, "; no dump shows who holds it: ");
		add_string(to, why_no_holder(view, incident));
		return;
	}
	if (holders == 1) {
		add_string(to, ", held by ");
		add_text(to, diag_text(view, holder->name));
	} else {
		add_format(to, ", held by %s%llu threads in turn", incident->holders.more > 0 ? "more than " : "",
			   (unsigned long long)holders);
	}
	if (incident->held_at != 0) {
		add_string(to, holders == 1 ? " in " : ", last in ");
		add_text(to, diag_text(view, incident->held_at));
	}
	if (stack_fact(view->facts, holder->stack)->place != 0 &&
	    stack_fact(view->facts, holder->stack)->place != incident->held_at) {
		add_string(to, ", now in ");
		add_text(to, diag_text(view, stack_fact(view->facts, holder->stack)->place));
	}
}

static bool
judge_lock(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	bool in_turn = incident->holders.list.count > 1 ||
		(incident->holders.list.count == 0 && incident->waiters.list.count > incident->most);
	enum diag_rule rule = incident->rule != RULE_CONVOY ? incident->rule : in_turn ? RULE_CONVOY : RULE_BLOCKED;
	struct text_buffer *to = &findings->text;

	if (incident->dumps < (rule == RULE_CLASS_INIT ? diag_limit(view, LIMIT_INIT_DUMPS)
						      : diag_limit(view, LIMIT_CONVOY_DUMPS)))
		return false;
	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, " waited for ");
	add_text(to, diag_text(view, incident->class));
	if (incident->at != 0) {
		add_string(to, " in ");
		add_text(to, diag_text(view, incident->at));
	}
	add_holders(to, view, incident);
	add_lost(to, incident);
	(void)finding_of(incident, rule, is_critical(incident, view) ? STK_SEVERITY_CRITICAL : STK_SEVERITY_WARNING,
			 view, findings);
	return true;
}

static bool
judge_idle_holder(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	const struct incident_person *holder = main_holder(incident);
	struct text_buffer *to = &findings->text;

	if (incident->dumps < diag_limit(view, LIMIT_IDLE_DUMPS))
		return false;
	to->count = 0;
	add_text(to, diag_text(view, holder->name));
	add_string(to, " keeps ");
	add_text(to, diag_text(view, incident->class));
	add_string(to, " while it waits itself in ");
	add_text(to, diag_text(view, stack_fact_function(view->facts, holder->stack, 0)));
	if (stack_fact(view->facts, holder->stack)->place != 0) {
		add_string(to, " (from ");
		add_text(to, diag_text(view, stack_fact(view->facts, holder->stack)->place));
		add_char(to, ')');
	}
	add_string(to, "; ");
	add_affected(to, view, incident);
	add_string(to, " wanted it");
	(void)finding_of(incident, RULE_HOLDER_IDLE, STK_SEVERITY_WARNING, view, findings);
	return true;
}

bool
lock_rules_judge(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	if (incident->rule == RULE_DEADLOCK)
		return judge_deadlock(incident, view, findings);
	if (incident->rule == RULE_HOLDER_IDLE)
		return judge_idle_holder(incident, view, findings);
	return judge_lock(incident, view, findings);
}
