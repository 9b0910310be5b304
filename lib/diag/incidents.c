/* SPDX-License-Identifier: MIT
 * incidents: those that are open, by rule, process and subject. */
#include "diag/incidents.h"

#include "base/memory.h"

#define MISSED_MOST 1		/* dumps without it, within an incident */

struct incidents {
	struct incident_listener listener;
	ARRAY(struct incident *) open;
	ARRAY(struct incident *) brief;		/* that ended, and were too short to be told: one of each kind */
};

void
incidents_open(struct incidents **out, const struct incident_listener *listener)
{
	struct incidents *incidents = *out = mem_new(1, sizeof *incidents);

	incidents->listener = *listener;
}

static void
incident_free(struct incident *incident)
{
	array_release(&incident->counts);
	array_release(&incident->pools);
	array_release(&incident->waiters.list);
	array_release(&incident->holders.list);
	free(incident);
}

void
incidents_close(struct incidents *incidents)
{
	if (incidents == NULL)
		return;
	for (size_t i = 0; i < incidents->open.count; i++)
		incident_free(incidents->open.at[i]);
	for (size_t i = 0; i < incidents->brief.count; i++)
		incident_free(incidents->brief.at[i]);
	array_release(&incidents->open);
	array_release(&incidents->brief);
	free(incidents);
}

static struct incident *
find(const struct incidents *incidents, enum diag_rule rule, uint32_t subject, const struct diag_dump *dump)
{
	for (size_t i = 0; i < incidents->open.count; i++) {
		struct incident *incident = incidents->open.at[i];

		if (incident->rule == rule && incident->process == dump->process && incident->subject == subject)
			return incident;
	}
	return NULL;
}

bool
incidents_has(const struct incidents *incidents, enum diag_rule rule, uint32_t subject, const struct diag_dump *dump)
{
	return find(incidents, rule, subject, dump) != NULL;
}

struct incident *
incidents_see(struct incidents *incidents, enum diag_rule rule, uint32_t subject, const struct diag_dump *dump)
{
	struct incident *incident = find(incidents, rule, subject, dump);

	if (incident != NULL)
		return incident;
	incident = mem_new(1, sizeof *incident);
	incident->rule = rule;
	incident->process = dump->process;
	incident->subject = subject;
	incident->times = TIME_RANGE_NONE;
	incident->first_dump = dump->number;
	incident->known_torn = true;
	incident->occasions = 1;
	*array_push(&incidents->open) = incident;
	return incident;
}

struct incident *
incidents_of_lock(struct incidents *incidents, enum diag_rule rule, const struct diag_dump *dump,
		  const struct wait_lock *lock, uint32_t wanted_at)
{
	struct incident *like = NULL;

	for (size_t i = 0; i < incidents->open.count; i++) {
		struct incident *incident = incidents->open.at[i];

		if (incident->rule != rule || incident->process != dump->process || incident->class != lock->class ||
		    incident->last_dump == dump->number)
			continue;
		if (lock->address != 0 && incident->address == lock->address)
			return incident;
		if (like == NULL && incident->at == wanted_at)
			like = incident;
	}
	return like;
}

static struct incident_person *
person_of(struct incident_people *people, const struct dump_thread *thread)
{
	for (size_t i = 0; i < people->list.count; i++)
		if (people->list.at[i].key == thread->key)
			return &people->list.at[i];
	if (people->list.count == INCIDENT_PEOPLE_MOST) {
		people->more++;
		return NULL;
	}
	*array_push(&people->list) = (struct incident_person){
		.key = thread->key, .name = thread->name, .times = TIME_RANGE_NONE
	};
	return &people->list.at[people->list.count - 1];
}

static struct incident_person *
person_seen(struct incident_people *people, const struct diag_dump *dump, const struct dump_thread *thread)
{
	struct incident_person *person = person_of(people, thread);

	if (person == NULL)
		return NULL;
	person->moved |= person->dumps > 0 && person->stack != thread->stack;
	person->dumps++;
	person->stack = thread->stack;
	time_range_add(&person->times, dump->time_ns);
	return person;
}

static struct incident_pool *
pool_of(struct incident *incident, uint32_t pool)
{
	for (size_t i = 0; i < incident->pools.count; i++)
		if (incident->pools.at[i].pool == pool)
			return &incident->pools.at[i];
	*array_push(&incident->pools) = (struct incident_pool){ .pool = pool };
	return &incident->pools.at[incident->pools.count - 1];
}

void
incident_add_waiter(struct incident *incident, const struct diag_dump *dump, const struct dump_thread *thread,
		    uint32_t wants, uint64_t address)
{
	struct incident_person *person = person_seen(&incident->waiters, dump, thread);

	if (person == NULL)
		return;
	person->wants = wants;
	person->address = address;
}

void
incident_add_holder(struct incident *incident, const struct diag_dump *dump, const struct dump_thread *thread,
		    uint32_t holds, uint64_t address)
{
	struct incident_person *person = person_seen(&incident->holders, dump, thread);

	if (person == NULL)
		return;
	person->holds = holds;
	person->address = address;
}

void
incident_add_pool(struct incident *incident, const struct diag_dump *dump, uint32_t pool, uint32_t affected,
		  uint32_t threads)
{
	struct incident_pool *part = pool_of(incident, pool);

	if (part->dump != dump->number) {
		part->dump = dump->number;
		part->now = 0;
		part->threads += threads;
	}
	part->now += affected;
	part->affected += affected;
	if (part->now > part->most) {
		part->most = part->now;
		part->most_of = threads;
	}
}

void
incident_settle(struct incident *incident, const struct diag_dump *dump, uint32_t affected, bool torn)
{
	if (incident->last_dump == dump->number) {	/* two sights in one dump */
		incident->counts.at[incident->counts.count - 1] += affected;
	} else {
		*array_push(&incident->counts) = affected;
		incident->dumps++;
		incident->length_ns += dump->weight_ns;
	}
	incident->last_dump = dump->number;
	incident->affected += affected;
	incident->lost_ns += (int64_t)affected * dump->weight_ns;
	if (incident->counts.at[incident->counts.count - 1] > incident->most)
		incident->most = incident->counts.at[incident->counts.count - 1];
	incident->known_torn &= torn;
	time_range_add(&incident->times, dump->time_ns);
}

/* --- ends --- */

static void
join_people(struct incident_people *to, const struct incident_people *from)
{
	for (size_t i = 0; i < from->list.count; i++) {
		const struct incident_person *more = &from->list.at[i];
		struct incident_person *person =
			person_of(to, &(struct dump_thread){ .key = more->key, .name = more->name });

		if (person == NULL)
			continue;
		person->moved |= more->moved || (person->dumps > 0 && person->stack != more->stack);
		person->stack = more->stack;
		person->wants = more->wants;
		person->holds = more->holds;
		person->address = more->address;
		person->dumps += more->dumps;
		time_range_join(&person->times, &more->times);
	}
	to->more += from->more;
}

static void
join_pools(struct incident *to, const struct incident *from)
{
	for (size_t p = 0; p < from->pools.count; p++) {
		const struct incident_pool *more = &from->pools.at[p];
		struct incident_pool *pool = pool_of(to, more->pool);

		pool->affected += more->affected;
		pool->threads += more->threads;
		if (more->most > pool->most) {
			pool->most = more->most;
			pool->most_of = more->most_of;
		}
	}
}

/* Adds a later incident to one of the same kind. */
static void
join(struct incident *to, const struct incident *from)
{
	to->occasions += from->occasions;
	to->dumps += from->dumps;
	to->affected += from->affected;
	to->most = from->most > to->most ? from->most : to->most;
	to->lost_ns += from->lost_ns;
	to->length_ns += from->length_ns;
	to->known_torn &= from->known_torn;
	to->held_at = from->held_at != 0 ? from->held_at : to->held_at;
	time_range_join(&to->times, &from->times);
	for (size_t c = 0; c < from->counts.count; c++)
		*array_push(&to->counts) = from->counts.at[c];
	join_pools(to, from);
	join_people(&to->waiters, &from->waiters);
	join_people(&to->holders, &from->holders);
}

static void
keep_brief(struct incidents *incidents, struct incident *incident)
{
	for (size_t i = 0; i < incidents->brief.count; i++) {
		struct incident *kept = incidents->brief.at[i];

		if (kept->rule == incident->rule && kept->process == incident->process &&
		    kept->subject == incident->subject) {
			join(kept, incident);
			incident_free(incident);
			return;
		}
	}
	*array_push(&incidents->brief) = incident;
}

static void
give(struct incidents *incidents, size_t place)
{
	struct incident *incident = incidents->open.at[place];

	memmove(&incidents->open.at[place], &incidents->open.at[place + 1],
		(incidents->open.count - place - 1) * sizeof *incidents->open.at);
	incidents->open.count--;
	if (incidents->listener.ended(incidents->listener.context, incident))
		incident_free(incident);
	else
		keep_brief(incidents, incident);
}

void
incidents_end_dump(struct incidents *incidents, const struct diag_dump *dump)
{
	for (size_t i = 0; i < incidents->open.count; ) {
		const struct incident *incident = incidents->open.at[i];

		if (incident->process == dump->process && dump->number - incident->last_dump > MISSED_MOST)
			give(incidents, i);
		else
			i++;
	}
}

void
incidents_end(struct incidents *incidents)
{
	while (incidents->open.count > 0)
		give(incidents, 0);
	for (size_t i = 0; i < incidents->brief.count; i++)
		if (incidents->brief.at[i]->occasions > 1)
			(void)incidents->listener.ended(incidents->listener.context, incidents->brief.at[i]);
}

static int
compare_counts(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

uint32_t
incident_median(struct incident *incident)
{
	if (incident->counts.count == 0)
		return 0;
	qsort(incident->counts.at, incident->counts.count, sizeof *incident->counts.at, compare_counts);
	return incident->counts.at[(incident->counts.count - 1) / 2];
}
