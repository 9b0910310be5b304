/* SPDX-License-Identifier: MIT
 * diag_view: what the rules look at: a dump, who waits for whom in it, its pools, and where they note what they see. */
#ifndef DIAG_DIAG_VIEW_H
#define DIAG_DIAG_VIEW_H

#include "diag/dump_pools.h"
#include "diag/diag_findings.h"
#include "diag/incidents.h"
#include "diag/stack_facts.h"
#include "diag/wait_graph.h"

/* What is known of a thread of the dump from the dumps before. */
enum diag_habit {
	HABIT_MOVED = 1,		/* it was somewhere else before */
	HABIT_MEASURED = 2,		/* how much CPU time it used since is known, */
	HABIT_WORKED = 4,		/* ... and enough to be busy */
	HABIT_TOLD = 8			/* a rule told what it does already */
};

struct diag_view {
	const struct diag_dump *dump;
	const struct wait_graph *graph;
	struct dump_pools *pools;
	const struct stack_facts *facts;
	const struct diag_limits *limits;
	struct incidents *incidents;
	struct text_table *texts;
	ARRAY(uint8_t) habits;		/* by thread: enum diag_habit */
	struct text_buffer text;	/* for a subject at hand */
	bool torn;			/* the dump is not of one moment */
	bool owners;			/* any dump so far lists who owns locks of java.util.concurrent */
};

/* The rules, by what they look at. Each looks at a dump and notes incidents, */
void lock_rules_look(struct diag_view *view);
void pool_rules_look(struct diag_view *view);
/* and says what an incident that ended is worth: false when it was too short to be told, else it became a finding. */
bool lock_rules_judge(struct incident *incident, const struct diag_view *view, struct diag_findings *findings);
bool pool_rules_judge(struct incident *incident, const struct diag_view *view, struct diag_findings *findings);

bool place_rules_judge(struct incident *incident, const struct diag_view *view, struct diag_findings *findings);

/* Threads and pools over the dumps of all processes. Remember is first, and fills habits. */
struct thread_rules;
void thread_rules_open(struct thread_rules **out);
void thread_rules_close(struct thread_rules *rules);
void thread_rules_remember(struct thread_rules *rules, struct diag_view *view);
void thread_rules_look(struct thread_rules *rules, struct diag_view *view);
bool thread_rules_judge(struct thread_rules *rules, struct incident *incident, const struct diag_view *view,
			struct diag_findings *findings);
/* What only the end shows: which pools grew, and which used the processors. */
void thread_rules_end(struct thread_rules *rules, const struct diag_view *view, struct diag_findings *findings);

/* Threads in one place, whatever pool they are of. */
struct place_rules;
void place_rules_open(struct place_rules **out);
void place_rules_close(struct place_rules *rules);
void place_rules_look(struct place_rules *rules, struct diag_view *view);

/* What the rules share. A threshold: */
static inline double
diag_limit(const struct diag_view *view, enum diag_threshold threshold)
{
	return view->limits->at[threshold];
}

/* A text of a number, "?" for none. */
struct stk_text diag_text(const struct diag_view *view, uint32_t text);
/* "12 threads", "up to 31 of 32 http-*", of the pool that is hit hardest and how many other pools are. */
void add_affected(struct text_buffer *to, const struct diag_view *view, const struct incident *incident);
/* "; 1,234 s of threads' time lost" */
void add_lost(struct text_buffer *to, const struct incident *incident);
/* The pool of which the largest part of the time is lost, or NULL. */
const struct incident_pool *hardest_hit(const struct incident *incident);
/* A finding with what the incident knows: times, counts, threads. */
struct finding *finding_of(const struct incident *incident, enum diag_rule rule, enum stk_severity severity,
			   const struct diag_view *view, struct diag_findings *findings);
/* That its threads stand there may be a habit of their pool: the end shows whether it is. Goroutines, which are one
 * pool, have none. */
void note_habit(struct finding *finding, const struct incident *incident, const struct diag_view *view);
/* The pools of the threads that were noted since the last call, to the incident. */
void note_pools(struct incident *incident, const struct diag_view *view, const uint32_t *threads, size_t count);

#endif
