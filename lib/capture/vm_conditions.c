/* SPDX-License-Identifier: MIT
 * vm_conditions: counters that a VM does not have meet nothing. */
#include "capture/vm_conditions.h"

#include "base/bytes.h"
#include "capture/perf_memory.h"

#include <stdio.h>
#include <string.h>

#define GENERATIONS_MAX 4
#define SPACES_MAX      8

static double
number_of(const struct perf_memory *memory, unsigned generation, const char *what)
{
	char name[120];

	snprintf(name, sizeof name, "sun.gc.generation.%u.%s", generation, what);
	return (double)perf_memory_number_of(memory, name);
}

static double
used_in(const struct perf_memory *memory, unsigned generation)
{
	double used = 0;
	char name[80];

	for (unsigned s = 0; s < SPACES_MAX; s++) {
		snprintf(name, sizeof name, "sun.gc.generation.%u.space.%u.name", generation, s);
		if (text_equal(perf_memory_text_of(memory, name), text_from("eden")))
			continue;
		snprintf(name, sizeof name, "space.%u.used", s);
		used += number_of(memory, generation, name);
	}
	return used;
}

/* Serial, Parallel and CMS ("Copy:MSC") divide the heap between generations; with others each may take all of it. */
void
heap_use_read(const struct perf_memory *memory, struct heap_use *use)
{
	struct stk_text policy = perf_memory_text_of(memory, "sun.gc.policy.name");
	bool divided = policy.size > 0 && memchr(policy.data, ':', policy.size) != NULL;

	*use = (struct heap_use){ 0 };
	for (unsigned g = 0; g < GENERATIONS_MAX; g++) {
		double most = number_of(memory, g, "maxCapacity");

		use->used += used_in(memory, g);
		use->total += number_of(memory, g, "capacity");
		use->most = divided ? use->most + most : most > use->most ? most : use->most;
	}
}

static bool
meets_heap(const struct condition *condition, const struct perf_memory *memory)
{
	struct heap_use use;

	heap_use_read(memory, &use);
	if (use.used <= 0)		/* nothing was collected yet, or the VM does not tell */
		return false;
	return condition->is_share ? use.most > 0 && use.used / use.most > condition->limit
				   : use.used > condition->limit;
}

/* What the condition compares: false when the VM does not have it. */
static bool
counter_of(const struct condition *condition, const struct perf_memory *memory, int64_t *value)
{
	char name[sizeof condition->name];
	int64_t sync;

	memcpy(name, condition->name, sizeof name);
	if (condition->kind == WHEN_COUNTER)
		return perf_memory_number(memory, perf_memory_find(memory, name), value);
	if (!perf_memory_number(memory, perf_memory_find(memory, "sun.rt.safepointTime"), value))
		return false;
	sync = perf_memory_number_of(memory, "sun.rt.safepointSyncTime");
	return !__builtin_add_overflow(*value, sync, value);
}

static bool
compare(const struct condition *condition, double value)
{
	return condition->below ? value < condition->limit : value > condition->limit;
}

/* before: of the last look, unless this is the first. */
static bool
meets_counter(const struct condition *condition, int64_t value, int64_t *before, bool first, double seconds)
{
	int64_t last = *before;
	double growth;

	*before = value;
	if (!condition_is_of_growth(condition))
		return compare(condition, (double)value);
	growth = (double)value - (double)last;
	return !first && compare(condition, condition->kind == WHEN_PAUSE ? growth : growth / seconds);
}

uint32_t
vm_look_at(struct vm_look *look, const struct conditions *conditions, const struct perf_memory *memory, int64_t now_ns)
{
	bool first = look->looked_ns == 0 || now_ns <= look->looked_ns;
	double seconds = first ? 1 : (double)(now_ns - look->looked_ns) / 1e9;
	uint32_t met = 0;

	look->absent = 0;
	for (unsigned i = 0; i < conditions->count; i++) {
		const struct condition *condition = &conditions->at[i];
		bool holds = false;
		int64_t value;

		if (condition->kind == WHEN_HEAP)
			holds = meets_heap(condition, memory);
		else if (condition->kind < WHEN_HEAP)
			continue;
		else if (counter_of(condition, memory, &value))
			holds = meets_counter(condition, value, &look->before[i], first, seconds);
		else
			look->absent |= UINT32_C(1) << i;
		met |= (uint32_t)holds << i;
	}
	look->looked_ns = now_ns;
	return met;
}

uint32_t
vm_look_take(struct vm_look *look, const struct conditions *conditions, const struct process *process, int64_t now_ns)
{
	struct stk_error unused = { 0 };

	if (!look->tried && perf_memory_open(&look->memory, process, &unused) < 0)
		look->memory = NULL;
	look->tried = true;
	if (look->memory == NULL || !perf_memory_refresh(look->memory))
		return 0;
	return vm_look_at(look, conditions, look->memory, now_ns);
}

void
vm_look_close(struct vm_look *look)
{
	perf_memory_close(look->memory);
	look->memory = NULL;
}
