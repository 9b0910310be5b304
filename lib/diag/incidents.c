/* SPDX-License-Identifier: MIT
 * incidents: those that are open, by process, and there by rule and subject, and by what is known of their lock. The
 * maps cannot forget, so they are made anew when incidents ended. */
#include "diag/incidents.h"

#include "base/memory.h"
#include "base/text_table.h"
#include "base/time_math.h"

#define MISSED_MOST 1		/* dumps without it, within an incident */
#define BRIEF_MOST  10000	/* kinds of incidents that were too short to be told, which are kept */

/* Incidents of locks of one class that are wanted in one function. */
struct alike {
	enum diag_rule rule;
	uint32_t class, at;
	uint32_t first, last;		/* places in open, from 1 */
	uint64_t dump;			/* of which the ones before `next` were seen */
	uint32_t next;
};

/* How the locks of a class are numbered. */
struct numbering { enum diag_rule rule; uint32_t class, first; };

struct process_incidents {
	ARRAY(struct incident *) open;
	ARRAY(struct alike) alike;
	ARRAY(struct numbering) numberings;
	struct hash_map by_subject, by_address;		/* places in open, from 1 */
	struct hash_map by_place, by_class;		/* places in alike and numberings, from 1 */
};

struct incidents {
	struct incident_listener listener;
	ARRAY(struct process_incidents) processes;	/* number n at [n - 1] */
	ARRAY(struct incident *) brief;		/* that ended, and were too short to be told: one of each kind */
	struct hash_map brief_by_kind;
	uint64_t forgotten;
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
	for (size_t p = 0; p < incidents->processes.count; p++) {
		struct process_incidents *of = &incidents->processes.at[p];

		for (size_t i = 0; i < of->open.count; i++)
			incident_free(of->open.at[i]);
		array_release(&of->open);
		array_release(&of->alike);
		array_release(&of->numberings);
		hash_map_release(&of->by_subject);
		hash_map_release(&of->by_address);
		hash_map_release(&of->by_place);
		hash_map_release(&of->by_class);
	}
	for (size_t i = 0; i < incidents->brief.count; i++)
		incident_free(incidents->brief.at[i]);
	array_release(&incidents->processes);
	array_release(&incidents->brief);
	hash_map_release(&incidents->brief_by_kind);
	free(incidents);
}

/* --- finding --- */

static struct process_incidents *
of_process(struct incidents *incidents, uint32_t process)
{
	array_lengthen(&incidents->processes, process);
	return &incidents->processes.at[process - 1];
}

static uint64_t
hash_three(enum diag_rule rule, uint64_t a, uint64_t b)
{
	return hash_pair(hash_pair(a, rule), b);
}

static struct incident *
find(struct process_incidents *of, enum diag_rule rule, uint32_t subject)
{
	uint64_t hash = hash_three(rule, subject, 0);
	uint32_t at = hash_map_start(&of->by_subject, hash), place;

	while ((place = hash_map_next(&of->by_subject, hash, &at)) != 0)
		if (of->open.at[place - 1]->rule == rule && of->open.at[place - 1]->subject == subject)
			return of->open.at[place - 1];
	return NULL;
}

bool
incidents_has(struct incidents *incidents, enum diag_rule rule, uint32_t subject, const struct diag_dump *dump)
{
	return find(of_process(incidents, dump->process), rule, subject) != NULL;
}

struct incident *
incidents_see(struct incidents *incidents, enum diag_rule rule, uint32_t subject, const struct diag_dump *dump)
{
	struct process_incidents *of = of_process(incidents, dump->process);
	struct incident *incident = find(of, rule, subject);

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
	*array_push(&of->open) = incident;
	incident->place = (uint32_t)of->open.count;
	hash_map_put(&of->by_subject, hash_three(rule, subject, 0), incident->place);
	return incident;
}

/* --- locks --- */

static struct alike *
alike_find(struct process_incidents *of, enum diag_rule rule, uint32_t class, uint32_t wanted_at)
{
	uint64_t hash = hash_three(rule, class, wanted_at);
	uint32_t at = hash_map_start(&of->by_place, hash), place;

	while ((place = hash_map_next(&of->by_place, hash, &at)) != 0) {
		struct alike *alike = &of->alike.at[place - 1];

		if (alike->rule == rule && alike->class == class && alike->at == wanted_at)
			return alike;
	}
	return NULL;
}

/* Appends an incident to those that are like it. */
static void
file_alike(struct process_incidents *of, struct incident *incident)
{
	struct alike *alike = alike_find(of, incident->rule, incident->class, incident->at);

	incident->next_alike = 0;
	if (alike == NULL) {
		*array_push(&of->alike) = (struct alike){ .rule = incident->rule, .class = incident->class,
							  .at = incident->at, .first = incident->place,
							  .last = incident->place };
		hash_map_put(&of->by_place, hash_three(incident->rule, incident->class, incident->at),
			     (uint32_t)of->alike.count);
		return;
	}
	of->open.at[alike->last - 1]->next_alike = incident->place;
	alike->last = incident->place;
	if (alike->next == 0)		/* all before it were seen */
		alike->next = incident->place;
}

static void
file_address(struct process_incidents *of, const struct incident *incident)
{
	if (incident->address != 0)
		hash_map_put(&of->by_address, hash_three(incident->rule, incident->class, incident->address),
			     incident->place);
}

static void
make_address_map(struct process_incidents *of)
{
	hash_map_clear(&of->by_address);
	for (size_t i = 0; i < of->open.count; i++)
		file_address(of, of->open.at[i]);
}

/* The maps of what is open now. */
static void
make_maps(struct process_incidents *of)
{
	hash_map_clear(&of->by_subject);
	hash_map_clear(&of->by_place);
	hash_map_clear(&of->by_class);
	of->alike.count = of->numberings.count = 0;
	for (size_t i = 0; i < of->open.count; i++) {
		struct incident *incident = of->open.at[i];

		incident->place = (uint32_t)i + 1;
		hash_map_put(&of->by_subject, hash_three(incident->rule, incident->subject, 0), incident->place);
		if (incident->of_lock)
			file_alike(of, incident);
	}
	make_address_map(of);
}

void
incidents_know_lock(struct incidents *incidents, struct incident *incident, const struct wait_lock *lock,
		    uint32_t wanted_at)
{
	struct process_incidents *of = of_process(incidents, incident->process);

	if (!incident->of_lock) {
		incident->of_lock = true;
		incident->class = lock->class;
		incident->at = wanted_at;
		file_alike(of, incident);
	}
	if (lock->held_at != 0)
		incident->held_at = lock->held_at;
	if (incident->address == lock->address)
		return;
	incident->address = lock->address;
	file_address(of, incident);
	if (of->by_address.count > 4 * of->open.count + 64)	/* most are addresses of the past */
		make_address_map(of);
}

struct incident *
incidents_of_lock(struct incidents *incidents, enum diag_rule rule, const struct diag_dump *dump,
		  const struct wait_lock *lock, uint32_t wanted_at)
{
	struct process_incidents *of = of_process(incidents, dump->process);
	uint64_t hash = hash_three(rule, lock->class, lock->address);
	uint32_t at = hash_map_start(&of->by_address, hash), place;
	struct alike *alike;

	while (lock->address != 0 && (place = hash_map_next(&of->by_address, hash, &at)) != 0) {
		struct incident *incident = of->open.at[place - 1];

		if (incident->rule == rule && incident->class == lock->class && incident->address == lock->address &&
		    incident->last_dump != dump->number)
			return incident;
	}
	alike = alike_find(of, rule, lock->class, wanted_at);
	if (alike == NULL)
		return NULL;
	if (alike->dump != dump->number) {
		alike->dump = dump->number;
		alike->next = alike->first;
	}
	while (alike->next != 0 && of->open.at[alike->next - 1]->last_dump == dump->number)
		alike->next = of->open.at[alike->next - 1]->next_alike;
	return alike->next == 0 ? NULL : of->open.at[alike->next - 1];
}

uint32_t *
incidents_numbering(struct incidents *incidents, enum diag_rule rule, uint32_t class, const struct diag_dump *dump)
{
	struct process_incidents *of = of_process(incidents, dump->process);
	uint64_t hash = hash_three(rule, class, 1);
	uint32_t at = hash_map_start(&of->by_class, hash), place;

	while ((place = hash_map_next(&of->by_class, hash, &at)) != 0)
		if (of->numberings.at[place - 1].rule == rule && of->numberings.at[place - 1].class == class)
			return &of->numberings.at[place - 1].first;
	*array_push(&of->numberings) = (struct numbering){ rule, class, 1 };
	hash_map_put(&of->by_class, hash, (uint32_t)of->numberings.count);
	return &of->numberings.at[of->numberings.count - 1].first;
}

/* --- what they gather --- */

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
		incident->length_ns = time_sum(incident->length_ns, dump->weight_ns);
	}
	incident->last_dump = dump->number;
	incident->affected += affected;
	incident->lost_ns = time_sum(incident->lost_ns, time_product(dump->weight_ns, affected));
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
	to->marks[0] += from->marks[0];
	to->marks[1] += from->marks[1];
	to->longest = from->longest > to->longest ? from->longest : to->longest;
	to->run = from->run > to->run ? from->run : to->run;
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

static uint64_t
hash_of_kind(const struct incident *incident)
{
	return hash_three(incident->rule, incident->process, incident->subject);
}

static struct incident *
brief_alike(const struct incidents *incidents, const struct incident *incident)
{
	uint64_t hash = hash_of_kind(incident);
	uint32_t at = hash_map_start(&incidents->brief_by_kind, hash), place;

	while ((place = hash_map_next(&incidents->brief_by_kind, hash, &at)) != 0) {
		struct incident *kept = incidents->brief.at[place - 1];

		if (kept->rule == incident->rule && kept->process == incident->process &&
		    kept->subject == incident->subject)
			return kept;
	}
	return NULL;
}

/* Of locks and of what there is too little of, short waits that come back are worth telling. Of the others, which look
 * at what lasts, they are not. */
static bool
may_come_back(enum diag_rule rule)
{
	switch (rule) {
	case RULE_CONVOY:
	case RULE_HOLDER_IDLE:
	case RULE_LOGGING:
	case RULE_CLASS_INIT:
	case RULE_CONNECTION:
	case RULE_SEMAPHORE:
	case RULE_RATE:
	case RULE_FULL:
	case RULE_FUTEX:
	case RULE_GIL: return true;
	default: return false;
	}
}

static void
keep_brief(struct incidents *incidents, struct incident *incident)
{
	struct incident *kept = brief_alike(incidents, incident);

	if (!may_come_back(incident->rule)) {
		incident_free(incident);
		return;
	}
	if (kept == NULL && incidents->brief.count < BRIEF_MOST) {
		*array_push(&incidents->brief) = incident;
		hash_map_put(&incidents->brief_by_kind, hash_of_kind(incident), (uint32_t)incidents->brief.count);
		return;
	}
	if (kept != NULL)
		join(kept, incident);
	else
		incidents->forgotten++;
	incident_free(incident);
}

static void
give(struct incidents *incidents, struct incident *incident)
{
	if (incidents->listener.ended(incidents->listener.context, incident))
		incident_free(incident);
	else
		keep_brief(incidents, incident);
}

void
incidents_end_dump(struct incidents *incidents, const struct diag_dump *dump)
{
	struct process_incidents *of = of_process(incidents, dump->process);
	size_t kept = 0;

	for (size_t i = 0; i < of->open.count; i++) {
		struct incident *incident = of->open.at[i];

		if (dump->number - incident->last_dump > MISSED_MOST)
			give(incidents, incident);
		else
			of->open.at[kept++] = incident;
	}
	if (kept == of->open.count)
		return;
	of->open.count = kept;
	make_maps(of);
}

void
incidents_end(struct incidents *incidents)
{
	for (size_t p = 0; p < incidents->processes.count; p++) {
		struct process_incidents *of = &incidents->processes.at[p];

		for (size_t i = 0; i < of->open.count; i++)
			give(incidents, of->open.at[i]);
		of->open.count = 0;
		make_maps(of);
	}
	for (size_t i = 0; i < incidents->brief.count; i++)
		if (incidents->brief.at[i]->occasions > 1)
			(void)incidents->listener.ended(incidents->listener.context, incidents->brief.at[i]);
}

uint64_t
incidents_forgotten(const struct incidents *incidents)
{
	return incidents->forgotten;
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
