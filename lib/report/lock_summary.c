/* SPDX-License-Identifier: MIT
 * lock_summary: the locks of a dump are gathered while its samples pass, and summed by their holders when it is over.
 */
#include "report/lock_summary.h"

#include "base/memory.h"
#include "base/time_math.h"

#include <stdlib.h>

void
lock_summary_open(struct lock_summary *summary)
{
	*summary = (struct lock_summary){ .dumps_of.size = sizeof(uint64_t), .class_of.size = sizeof(uint32_t) };
}

void
lock_summary_release(struct lock_summary *summary)
{
	text_table_release(&summary->texts);
	hash_map_release(&summary->by_lock);
	hash_map_release(&summary->by_hold);
	array_release(&summary->locks);
	array_release(&summary->holds);
	array_release(&summary->touched);
	array_release(&summary->fresh);
	id_table_clear(&summary->dumps_of);
	id_table_clear(&summary->class_of);
	lock_lines_release(&summary->lines);
}

static uint32_t
class_of(struct lock_summary *s, const struct model *model, uint64_t class)
{
	uint32_t *number = id_table_at(&s->class_of, class);

	if (*number == 0)
		*number = text_table_number(&s->texts, model_string(model, class));
	return *number;
}

static struct lock_seen *
lock_of(struct lock_summary *s, const struct model *model, const struct lock_line *line)
{
	uint32_t class = class_of(s, model, line->class), at, number;
	uint64_t address = line->has_address ? line->address : LOCK_NO_ADDRESS;
	uint64_t hash = hash_pair((uint64_t)s->source << 32 | class, address);
	struct lock_seen *lock = NULL;

	at = hash_map_start(&s->by_lock, hash);
	while ((number = hash_map_next(&s->by_lock, hash, &at)) != 0) {
		lock = &s->locks.at[number - 1];
		if (lock->source == s->source && lock->class == class && lock->address == address)
			break;
	}
	if (number == 0) {
		*array_push(&s->locks) = (struct lock_seen){ .source = s->source, .class = class, .address = address };
		number = (uint32_t)s->locks.count;
		hash_map_put(&s->by_lock, hash, number);
	}
	lock = &s->locks.at[number - 1];
	lock->lost |= !line->has_address && s->lines.lost_addresses;
	if (lock->round != s->round) {
		lock->round = s->round;
		lock->held = false;
		lock->holder = lock->stack = lock->wanting = lock->parked = lock->waiting = 0;
		*array_push(&s->touched) = number;
	}
	return lock;
}

static struct lock_hold *
hold_of(struct lock_summary *s, uint32_t lock, uint32_t holder)
{
	uint64_t hash = hash_pair(lock, holder);
	uint32_t at = hash_map_start(&s->by_hold, hash), number;

	while ((number = hash_map_next(&s->by_hold, hash, &at)) != 0)
		if (s->holds.at[number - 1].lock == lock && s->holds.at[number - 1].holder == holder)
			return &s->holds.at[number - 1];
	*array_push(&s->holds) = (struct lock_hold){ .lock = lock, .holder = holder };
	hash_map_put(&s->by_hold, hash, (uint32_t)s->holds.count);
	return &s->holds.at[s->holds.count - 1];
}

/* One dump more in which a thread holds a lock. */
static void
add_held(struct lock_summary *s, const struct model *model, struct lock_hold *hold, uint64_t stack)
{
	int64_t time = model_dump(model, s->dump).time, length;

	hold->held++;
	if (hold->stack == 0 && stack != 0)
		*array_push(&s->fresh) = (uint32_t)(hold - s->holds.at) + 1;
	hold->stack = stack != 0 ? stack : hold->stack;
	if (hold->last_dump == 0 || hold->last_dump + 1 != s->dump_number || hold->since_ns == STK_TIME_UNKNOWN)
		hold->since_ns = time;
	hold->last_dump = s->dump_number;
	if (time == STK_TIME_UNKNOWN || hold->since_ns == STK_TIME_UNKNOWN)
		return;
	length = time_difference(hold->since_ns, time);
	hold->longest_ns = length > hold->longest_ns ? length : hold->longest_ns;
}

static uint32_t
name_of_thread(struct lock_summary *s, const struct model *model, uint64_t thread)
{
	return text_table_number(&s->texts, model_thread_name(model, thread));
}

/* Nobody can be said to hold what has no address: several locks may be one here. */
static void
take_holder(struct lock_summary *s, const struct model *model, struct lock_seen *lock, const struct stk_sample *sample)
{
	uint32_t number = (uint32_t)(lock - s->locks.at) + 1;

	if (lock->address == LOCK_NO_ADDRESS) {
		hold_of(s, number, 0)->held++;
	} else if (!lock->held) {
		lock->held = true;
		lock->holder = sample->thread;
		lock->stack = sample->stack;
	} else if (lock->holder != sample->thread) {		/* shared, or the dump took a while */
		add_held(s, model, hold_of(s, number, name_of_thread(s, model, sample->thread)), sample->stack);
	}
}

/* What a thread says of a lock counts once, however often it says so: it may have entered it several times. */
static bool
is_repeated(struct lock_summary *s, struct lock_seen *lock, unsigned relation)
{
	bool repeated;

	if (lock->sample != s->sample)
		lock->relations = 0;
	lock->sample = s->sample;
	repeated = lock->address != LOCK_NO_ADDRESS && (lock->relations >> relation & 1) != 0;
	lock->relations |= 1u << relation;
	return repeated;
}

/* A thread that waits in Object.wait() for a monitor is listed as having locked it, but gave it back for the time. */
static void
take_given_back(struct lock_summary *s, const struct model *model)
{
	for (size_t i = 0; i < s->lines.count; i++)
		if (s->lines.at[i].relation == STK_RELATION_WAITING_ON ||
		    s->lines.at[i].relation == STK_RELATION_WAITING_TO_RELOCK)
			lock_of(s, model, &s->lines.at[i])->given_back = s->sample;
}

static void
take_line(struct lock_summary *s, const struct model *model, const struct lock_line *line,
	  const struct stk_sample *sample)
{
	struct lock_seen *lock = lock_of(s, model, line);

	if (line->relation > STK_RELATION_OWNS || is_repeated(s, lock, (unsigned)line->relation))
		return;
	switch (line->relation) {
	case STK_RELATION_LOCKED: case STK_RELATION_OWNS:
		if (lock->given_back != s->sample)
			take_holder(s, model, lock, sample);
		break;
	case STK_RELATION_WAITING_TO_LOCK: case STK_RELATION_WAITING_TO_RELOCK:
		lock->wanting++;
		break;
	case STK_RELATION_PARKING:
		lock->parked++;
		break;
	case STK_RELATION_WAITING_ON:
		lock->waiting++;
		break;
	default:
		break;
	}
}

/* Who parks for what another thread owns wants it; else it is a condition, a queue, a semaphore. */
static void
settle_lock(struct lock_summary *s, const struct model *model, uint32_t number)
{
	struct lock_seen *lock = &s->locks.at[number - 1];
	uint64_t wanting = lock->wanting + (lock->held ? lock->parked : 0);
	uint64_t waiting = lock->waiting + (lock->held ? 0 : lock->parked);
	struct lock_hold *hold;

	lock->wanted += wanting;
	hold = hold_of(s, number, lock->held ? name_of_thread(s, model, lock->holder) : 0);
	if (lock->held)
		add_held(s, model, hold, lock->stack);
	hold->wanted += wanting;
	hold->waited += waiting;
	hold->most = wanting > hold->most ? wanting : hold->most;
}

void
lock_summary_settle(struct lock_summary *s, const struct model *model)
{
	for (size_t i = 0; i < s->touched.count; i++)
		settle_lock(s, model, s->touched.at[i]);
	s->touched.count = 0;
	s->round++;
}

static void
begin_dump(struct lock_summary *s, const struct model *model, const struct stk_sample *sample)
{
	uint64_t source = model_sample_source(model, sample->thread, sample->dump);

	lock_summary_settle(s, model);
	s->dump = sample->dump;
	s->source = text_table_number(&s->texts, model_source_name(model, source));
	s->dump_number = ++*(uint64_t *)id_table_at(&s->dumps_of, s->source);
}

void
lock_summary_take(struct lock_summary *s, const struct model *model, const struct stk_sample *sample)
{
	if (sample->dump != s->dump || s->source == 0)
		begin_dump(s, model, sample);
	if (sample->locks == 0)
		return;
	s->sample++;
	lock_lines_load(&s->lines, model, sample->locks, sample->objects);
	take_given_back(s, model);
	for (size_t i = 0; i < s->lines.count; i++)
		take_line(s, model, &s->lines.at[i], sample);
}

void
lock_summary_turn(struct lock_summary *s)
{
	s->dump = 0;
	s->source = 0;
	s->fresh.count = 0;
	id_table_clear(&s->class_of);
}

/* --- rows --- */

/* What is wanted most first, its holders together; then what is held or waited for most. */
static int
compare_rows(const void *a, const void *b)
{
	const struct lock_row *x = a, *y = b;
	uint64_t p = x->held + x->waited, q = y->held + y->waited;

	if (x->lock_wanted != y->lock_wanted)
		return x->lock_wanted < y->lock_wanted ? 1 : -1;
	if (x->lock_wanted > 0 && (x->source != y->source || x->class != y->class || x->address != y->address))
		return x->source != y->source ? (x->source > y->source) - (x->source < y->source)
		       : x->class != y->class ? (x->class > y->class) - (x->class < y->class)
					      : (x->address > y->address) - (x->address < y->address);
	if (x->wanted != y->wanted)
		return x->wanted < y->wanted ? 1 : -1;
	return p != q ? (p < q ? 1 : -1) : x->class != y->class ? (x->class > y->class) - (x->class < y->class)
								: (x->holder > y->holder) - (x->holder < y->holder);
}

static void
join_rows(struct lock_row *to, const struct lock_row *from)
{
	to->several |= to->address != from->address;
	to->lost |= from->lost;
	to->held += from->held;
	to->wanted += from->wanted;
	to->waited += from->waited;
	to->most = from->most > to->most ? from->most : to->most;
	to->longest_ns = from->longest_ns > to->longest_ns ? from->longest_ns : to->longest_ns;
}

static bool
is_same_lock(const struct lock_row *a, const struct lock_row *b)
{
	return a->lock_wanted > 0 && b->lock_wanted > 0 && a->source == b->source && a->class == b->class &&
	       a->address == b->address;
}

/* Of sorted rows, those of a lock after its first `holders` become one. */
static size_t
sum_others(struct lock_row *rows, size_t count, size_t holders)
{
	size_t kept = 0, of_lock = 0;

	for (size_t i = 0; i < count; i++) {
		struct lock_row row = rows[i];

		of_lock = i > 0 && is_same_lock(&rows[kept - 1], &row) ? of_lock + 1 : 1;
		if (of_lock <= holders) {
			rows[kept++] = row;
			continue;
		}
		if (of_lock == holders + 1) {
			rows[kept] = row;
			rows[kept++].others = 1;
		} else {
			rows[kept - 1].others++;
			join_rows(&rows[kept - 1], &row);
		}
	}
	return kept;
}

struct lock_row *
lock_summary_rows(const struct lock_summary *s, size_t holders, size_t *count)
{
	struct lock_row *rows = mem_new(s->holds.count + 1, sizeof *rows);
	struct id_table of_class = { .size = sizeof(size_t) };
	size_t made = 0;

	for (size_t i = 0; i < s->holds.count; i++) {
		const struct lock_hold *hold = &s->holds.at[i];
		const struct lock_seen *lock = &s->locks.at[hold->lock - 1];
		struct lock_row row = { lock->class, lock->source, hold->holder, hold->node, lock->address,
					false, lock->lost, 0, hold->held, hold->wanted, hold->waited, hold->most,
					hold->longest_ns, lock->wanted };
		size_t *place = lock->wanted > 0 ? NULL : id_table_at(&of_class, lock->class);

		if (hold->held + hold->wanted + hold->waited == 0)
			continue;
		if (place != NULL && *place != 0) {
			rows[*place - 1].others += rows[*place - 1].holder != row.holder;
			join_rows(&rows[*place - 1], &row);
			continue;
		}
		rows[made++] = row;
		if (place != NULL)
			*place = made;
	}
	id_table_clear(&of_class);
	if (made > 0)
		qsort(rows, made, sizeof *rows, compare_rows);
	*count = sum_others(rows, made, holders);
	return rows;
}
