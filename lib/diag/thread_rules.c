/* SPDX-License-Identifier: MIT
 * thread_rules: stuck, spin, hot, thread-leak, finalizer, torn: what single threads and pools do from dump to dump. A
 * thread is known by its name and numbers; of each process the threads of its latest dump are kept. */
#include "diag/diag_view.h"

#include "base/quantities.h"

#include <math.h>

#define NS_PER_S    1e9
#define WAKES_NS    1e6	/* of a processor, that a thread may use between dumps and have done nothing */
#define SIZES_KEPT  1024	/* of a pool, over time: then every second one goes */

struct thread_memory {
	uint64_t key;
	uint32_t stack;
	uint32_t same;			/* dumps in a row with this stack, without doing anything */
	int64_t since_ns;
	int64_t cpu_ns;			/* in the latest dump */
	uint32_t spins;			/* dumps in a row in which it used a processor since the one before */
	int64_t spins_since_ns;
};

struct pool_memory {
	uint32_t pool;
	uint32_t step, skipped;		/* every step-th size is kept */
	int64_t cpu_ns;
	ARRAY(uint32_t) sizes;
	struct time_range times;
	uint32_t most;
	uint64_t sum, dumps;
	uint32_t hottest;		/* its stack, of the thread that used most at one time */
	int64_t hottest_ns;
};

struct process_memory {
	int64_t time_ns;		/* of its latest dump */
	int64_t measured_ns;		/* the time over which CPU time was seen */
	struct time_range times;
	uint64_t dumps;
	ARRAY(struct thread_memory) threads, before;
	struct hash_map by_key;		/* places in threads, from 1 */
	ARRAY(struct pool_memory) pools;
	struct hash_map by_pool;
};

struct thread_rules { ARRAY(struct process_memory) processes; };

void
thread_rules_open(struct thread_rules **out)
{
	*out = mem_new(1, sizeof **out);
}

void
thread_rules_close(struct thread_rules *rules)
{
	if (rules == NULL)
		return;
	for (size_t p = 0; p < rules->processes.count; p++) {
		struct process_memory *process = &rules->processes.at[p];

		for (size_t i = 0; i < process->pools.count; i++)
			array_release(&process->pools.at[i].sizes);
		array_release(&process->threads);
		array_release(&process->before);
		array_release(&process->pools);
		hash_map_release(&process->by_key);
		hash_map_release(&process->by_pool);
	}
	array_release(&rules->processes);
	free(rules);
}

/* --- what is remembered --- */

static struct process_memory *
process_memory(struct thread_rules *rules, uint32_t process)
{
	while (rules->processes.count < process) {
		struct process_memory *new = array_push(&rules->processes);

		*new = (struct process_memory){ .time_ns = STK_TIME_UNKNOWN, .times = TIME_RANGE_NONE };
	}
	return &rules->processes.at[process - 1];
}

static const struct thread_memory *
thread_before(const struct process_memory *process, uint64_t key)
{
	uint64_t hash = hash_pair(key, 1);
	uint32_t at = hash_map_start(&process->by_key, hash), place;

	while ((place = hash_map_next(&process->by_key, hash, &at)) != 0)
		if (process->before.at[place - 1].key == key)
			return &process->before.at[place - 1];
	return NULL;
}

static struct pool_memory *
pool_memory(struct process_memory *process, uint32_t pool)
{
	uint64_t hash = hash_pair(pool, 2);
	uint32_t at = hash_map_start(&process->by_pool, hash), place;

	while ((place = hash_map_next(&process->by_pool, hash, &at)) != 0)
		if (process->pools.at[place - 1].pool == pool)
			return &process->pools.at[place - 1];
	*array_push(&process->pools) = (struct pool_memory){ .pool = pool, .step = 1, .times = TIME_RANGE_NONE };
	hash_map_put(&process->by_pool, hash, (uint32_t)process->pools.count);
	return &process->pools.at[process->pools.count - 1];
}

static void
note_size(struct pool_memory *memory, uint32_t threads, int64_t time_ns)
{
	memory->most = threads > memory->most ? threads : memory->most;
	memory->sum += threads;
	memory->dumps++;
	time_range_add(&memory->times, time_ns);
	if (++memory->skipped < memory->step)
		return;
	memory->skipped = 0;
	if (memory->sizes.count == SIZES_KEPT) {
		for (size_t i = 0; i < SIZES_KEPT / 2; i++)
			memory->sizes.at[i] = memory->sizes.at[2 * i];
		memory->sizes.count = SIZES_KEPT / 2;
		memory->step *= 2;
	}
	*array_push(&memory->sizes) = threads;
}

/* --- one thread --- */

/* Whether a thread did nothing since the dump before: what wakes up now and then to look at a clock did nothing. */
static bool
stood_still(const struct diag_view *view, int64_t used_ns, int64_t passed_ns)
{
	double most = diag_limit(view, LIMIT_STUCK_CPU) * (double)(passed_ns > 0 ? passed_ns : 0) + WAKES_NS;

	return used_ns >= 0 && (double)used_ns <= most;
}

static bool
spun(const struct diag_view *view, int64_t used_ns, int64_t passed_ns)
{
	return passed_ns > 0 && (double)used_ns >= diag_limit(view, LIMIT_SPIN_CPU) * (double)passed_ns;
}

/* What a thread is now, given what it was. passed_ns: since the dump before; -1: not known. */
static struct thread_memory
remember(const struct diag_view *view, const struct thread_memory *was, const struct dump_thread *thread,
	 int64_t passed_ns)
{
	struct thread_memory now = { .key = thread->key, .stack = thread->stack, .same = 1,
				     .since_ns = view->dump->time_ns, .cpu_ns = thread->cpu_ns,
				     .spins_since_ns = view->dump->time_ns };

	if (was == NULL || was->stack != thread->stack || thread->stack == 0 ||
	    (double)passed_ns > diag_limit(view, LIMIT_STUCK_APART) * NS_PER_S)
		return now;
	if (stood_still(view, thread->cpu_ns - was->cpu_ns, passed_ns)) {
		now.same = was->same + 1;
		now.since_ns = was->since_ns;
	} else if (spun(view, thread->cpu_ns - was->cpu_ns, passed_ns)) {
		now.spins = was->spins + 1;
		now.spins_since_ns = was->spins_since_ns;
	}
	return now;
}

static void
note_thread(struct diag_view *view, enum diag_rule rule, const struct dump_thread *thread, int64_t since_ns,
	    uint32_t same)
{
	uint32_t place = stack_fact_place(view->facts, thread->stack, 0);
	uint32_t index = (uint32_t)(thread - view->dump->threads.at);
	struct incident *incident;

	view->text.count = 0;
	add_text(&view->text, diag_text(view, thread->pool));
	add_string(&view->text, " in ");
	add_text(&view->text, diag_text(view, place));
	incident = incidents_see(view->incidents, rule, text_table_number(view->texts, text_in(&view->text, 0)),
				 view->dump);
	incident->at = place;
	if (incident->dumps == 0)		/* it began before it could be known */
		incident->dumps = same - 1;
	time_range_add(&incident->times, since_ns);
	incident_add_waiter(incident, view->dump, thread, 0, 0);
	note_pools(incident, view, &index, 1);
	incident_settle(incident, view->dump, 1, view->torn);
}

/* Where nothing tells how much CPU time a thread used, one that could run is not called stuck. */
static bool
is_stuck(const struct diag_view *view, const struct thread_memory *now, const struct dump_thread *thread)
{
	int64_t passed_ns = view->dump->time_ns == STK_TIME_UNKNOWN || now->since_ns == STK_TIME_UNKNOWN
		? 0 : view->dump->time_ns - now->since_ns;

	if (now->same < diag_limit(view, LIMIT_STUCK_DUMPS) ||
	    (double)passed_ns < diag_limit(view, LIMIT_STUCK_SECONDS) * NS_PER_S)
		return false;
	return thread->cpu_ns > 0 || thread->state != STK_STATE_RUNNABLE ||
		stack_fact(view->facts, thread->stack)->waits == WAIT_IO;
}

static bool
is_cleaner(const struct diag_view *view, const struct dump_thread *thread)
{
	static const char *const names[] = { "Finalizer", "Reference Handler", "Common-Cleaner" };
	struct stk_text name = diag_text(view, thread->name);

	for (size_t n = 0; n < sizeof names / sizeof *names; n++)
		if (text_is(name, names[n]))
			return true;
	return false;
}

/* Whether another rule tells what a thread does: it waits for a lock, or keeps one that others want; it waits for what
 * its pool waits for; it is a cleaner. */
static bool
is_told(const struct diag_view *view, const struct dump_thread *thread)
{
	const struct dump_pool *pool = dump_pools_find(view->pools, thread->pool);
	enum wait_kind waits = stack_fact(view->facts, thread->stack)->waits;

	const struct wait_node *node = &view->graph->nodes.at[thread - view->dump->threads.at];

	return node->wants != NOBODY || node->keeps ||
		(waits >= WAIT_CONNECTION && waits <= WAIT_FULL) || (pool != NULL && pool->exhausted) ||
		is_cleaner(view, thread);
}

static void
look_at_thread(struct diag_view *view, const struct thread_memory *now, const struct dump_thread *thread)
{
	if (thread->idle || !thread->chosen || thread->stack == 0 || !is_of_program(thread))
		return;
	if (now->spins + 1 >= diag_limit(view, LIMIT_SPIN_DUMPS) && thread->state == STK_STATE_RUNNABLE)
		note_thread(view, RULE_SPIN, thread, now->spins_since_ns, now->spins + 1);
	else if (!is_told(view, thread) && is_stuck(view, now, thread))
		note_thread(view, RULE_STUCK, thread, now->since_ns, now->same);
}

static void
note_cpu(const struct thread_memory *was, const struct dump_thread *thread, struct pool_memory *pool)
{
	int64_t used = was == NULL ? 0 : thread->cpu_ns - was->cpu_ns;

	if (used <= 0)
		return;
	pool->cpu_ns += used;
	if (used > pool->hottest_ns && thread->stack != 0) {
		pool->hottest_ns = used;
		pool->hottest = thread->stack;
	}
}

/* --- looking --- */

static void
look_at_cleaners(struct diag_view *view, const struct dump_thread *thread)
{
	if (!thread->idle && thread->chosen && thread->stack != 0 && is_cleaner(view, thread))
		note_thread(view, RULE_FINALIZER, thread, view->dump->time_ns, 1);
}

static void
look_at_dump(struct diag_view *view)
{
	struct incident *incident;

	if (!view->torn || !view->dump->chosen)
		return;
	incident = incidents_see(view->incidents, RULE_TORN,
				 text_table_number(view->texts, text_from("thread dump")), view->dump);
	incident_settle(incident, view->dump, 0, true);
}

static void
remember_dump(struct process_memory *process)
{
	hash_map_clear(&process->by_key);
	for (size_t t = 0; t < process->threads.count; t++)
		hash_map_put(&process->by_key, hash_pair(process->threads.at[t].key, 1), (uint32_t)t + 1);
}

void
thread_rules_look(struct thread_rules *rules, struct diag_view *view)
{
	const struct diag_dump *dump = view->dump;
	struct process_memory *process = process_memory(rules, dump->process);
	int64_t passed_ns = process->time_ns == STK_TIME_UNKNOWN || dump->time_ns == STK_TIME_UNKNOWN ||
			dump->time_ns <= process->time_ns ? -1 : dump->time_ns - process->time_ns;

	/* what was new becomes old, in the other's room */
	struct { struct thread_memory *at; size_t count, room; } old = { process->before.at, 0, process->before.room };

	process->before.at = process->threads.at;
	process->before.count = process->threads.count;
	process->before.room = process->threads.room;
	process->threads.at = old.at;
	process->threads.count = 0;
	process->threads.room = old.room;
	look_at_dump(view);
	for (size_t t = 0; t < dump->threads.count; t++) {
		const struct dump_thread *thread = &dump->threads.at[t];
		const struct thread_memory *was = thread_before(process, thread->key);
		struct thread_memory now = remember(view, was, thread, passed_ns);

		*array_push(&process->threads) = now;
		look_at_thread(view, &now, thread);
		look_at_cleaners(view, thread);
		if (thread->chosen && passed_ns > 0 && thread->pool != 0)
			note_cpu(was, thread, pool_memory(process, thread->pool));
	}
	for (size_t p = 0; p < view->pools->pools.count; p++) {
		const struct dump_pool *pool = &view->pools->pools.at[p];

		if (pool->chosen)
			note_size(pool_memory(process, pool->pool), pool->threads, dump->time_ns);
	}
	process->dumps++;
	time_range_add(&process->times, dump->time_ns);
	process->measured_ns += passed_ns > 0 ? passed_ns : 0;
	process->time_ns = dump->time_ns;
	remember_dump(process);
}

/* --- judging --- */

static bool
judge_stuck(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;
	uint32_t stack = incident->waiters.list.count > 0 ? incident->waiters.list.at[0].stack : 0;

	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, incident->most == 1 ? " stands in " : " stand in ");
	add_text(to, diag_text(view, incident->at));
	if (stack_fact_function(view->facts, stack, 0) != incident->at) {
		add_string(to, " (");
		add_text(to, diag_text(view, stack_fact_function(view->facts, stack, 0)));
		add_char(to, ')');
	}
	add_string(to, " without using a processor");
	(void)finding_of(incident, RULE_STUCK, STK_SEVERITY_WARNING, view, findings);
	return true;
}

static bool
judge_spin(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, incident->most == 1 ? " uses a whole processor in " : " use a whole processor each in ");
	add_text(to, diag_text(view, incident->at));
	(void)finding_of(incident, RULE_SPIN, STK_SEVERITY_WARNING, view, findings);
	return true;
}

static bool
judge_cleaner(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	if (incident->dumps < diag_limit(view, LIMIT_FINALIZER_DUMPS))
		return false;
	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, " is held up in ");
	add_text(to, diag_text(view, incident->at));
	add_string(to, "; memory that waits for it is not freed");
	(void)finding_of(incident, RULE_FINALIZER, STK_SEVERITY_WARNING, view, findings);
	return true;
}

static bool
judge_torn(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	to->count = 0;
	add_format(to, "%llu %s not of one moment: cut, slowly taken, or with threads that contradict each other",
		   (unsigned long long)incident->dumps, plural(incident->dumps, "dump is", "dumps are"));
	(void)finding_of(incident, RULE_TORN, STK_SEVERITY_INFO, view, findings);
	return true;
}

bool
thread_rules_judge(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	switch (incident->rule) {
	case RULE_STUCK: return judge_stuck(incident, view, findings);
	case RULE_SPIN:  return judge_spin(incident, view, findings);
	case RULE_TORN:  return judge_torn(incident, view, findings);
	default:         return judge_cleaner(incident, view, findings);
	}
}

/* --- the end --- */

/* The chance that sizes without a trend rise as often as these: Mann and Kendall, with ties. */
static double
chance_of_growth(const uint32_t *sizes, size_t count)
{
	double n = (double)count, rises = 0, ties = 0, variance;

	for (size_t i = 0; i < count; i++) {
		double same = 0;
		bool first = true;

		for (size_t j = 0; j < count; j++) {
			if (j > i)
				rises += (double)((sizes[j] > sizes[i]) - (sizes[j] < sizes[i]));
			same += sizes[j] == sizes[i];
			first &= j >= i || sizes[j] != sizes[i];
		}
		if (first)
			ties += same * (same - 1) * (2 * same + 5);
	}
	variance = (n * (n - 1) * (2 * n + 5) - ties) / 18;
	return variance > 0 && rises > 0 ? 0.5 * erfc((rises - 1) / sqrt(variance) / sqrt(2)) : 1;
}

static uint32_t
mean_of(const uint32_t *sizes, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += sizes[i];
	return count == 0 ? 0 : (uint32_t)((sum + count / 2) / count);
}

static void
judge_growth(const struct pool_memory *pool, uint32_t process, const struct diag_view *view,
	     struct diag_findings *findings)
{
	size_t count = pool->sizes.count, end = count >= 20 ? count / 10 : count > 0;
	uint32_t first = mean_of(pool->sizes.at, end), last = mean_of(pool->sizes.at + (count - end), end);
	struct text_buffer *to = &findings->text;
	struct finding *finding;

	if (pool->sizes.count < 2 || last < first + diag_limit(view, LIMIT_LEAK_THREADS) ||
	    last < first * (1 + diag_limit(view, LIMIT_LEAK_PART)) ||
	    chance_of_growth(pool->sizes.at, pool->sizes.count) >= diag_limit(view, LIMIT_LEAK_P))
		return;
	to->count = 0;
	add_text(to, diag_text(view, pool->pool));
	add_format(to, " grows from %u to %u threads", first, last);
	finding = diag_findings_add(findings, RULE_LEAK, STK_SEVERITY_WARNING, diag_text(view, pool->pool),
				    text_in(to, 0));
	finding->process = process;
	finding->times = pool->times;
	finding->threads = pool->most;
	finding->samples = pool->sum;
	finding->dumps = pool->dumps;
}

static void
judge_heat(const struct pool_memory *pool, const struct process_memory *process, uint32_t number,
	   const struct diag_view *view, struct diag_findings *findings)
{
	double processors = (double)pool->cpu_ns / (double)process->measured_ns;
	struct text_buffer *to = &findings->text;
	struct finding *finding;

	to->count = 0;
	add_text(to, diag_text(view, pool->pool));
	add_format(to, " used %.2f processors on average", processors);
	if (pool->hottest != 0) {
		add_string(to, ", most of it around ");
		add_text(to, diag_text(view, stack_fact_place(view->facts, pool->hottest, 0)));
	}
	finding = diag_findings_add(findings, RULE_HOT, STK_SEVERITY_INFO, diag_text(view, pool->pool), text_in(to, 0));
	finding->process = number;
	finding->times = process->times;
	finding->threads = pool->most;
	finding->samples = pool->sum;
	finding->dumps = process->dumps;
}

static int
compare_heat(const void *left, const void *right)
{
	const struct pool_memory *const *a = left, *const *b = right;

	if ((*a)->cpu_ns != (*b)->cpu_ns)
		return (*a)->cpu_ns > (*b)->cpu_ns ? -1 : 1;
	return (*a)->pool < (*b)->pool ? -1 : 1;
}

static void
judge_hottest(const struct process_memory *process, uint32_t number, const struct diag_view *view,
	      struct diag_findings *findings)
{
	ARRAY(const struct pool_memory *) hot = { 0 };

	for (size_t p = 0; p < process->pools.count && process->measured_ns > 0; p++)
		if ((double)process->pools.at[p].cpu_ns >=
		    diag_limit(view, LIMIT_HOT_CPU) * (double)process->measured_ns)
			*array_push(&hot) = &process->pools.at[p];
	if (hot.count > 0)
		qsort(hot.at, hot.count, sizeof *hot.at, compare_heat);
	for (size_t p = 0; p < hot.count && (double)p < diag_limit(view, LIMIT_HOT_MOST); p++)
		judge_heat(hot.at[p], process, number, view, findings);
	array_release(&hot);
}

void
thread_rules_end(struct thread_rules *rules, const struct diag_view *view, struct diag_findings *findings)
{
	for (uint32_t n = 1; n <= rules->processes.count; n++) {
		const struct process_memory *process = &rules->processes.at[n - 1];

		for (size_t p = 0; p < process->pools.count; p++)
			judge_growth(&process->pools.at[p], n, view, findings);
		judge_hottest(process, n, view, findings);
	}
}
