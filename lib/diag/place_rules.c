/* SPDX-License-Identifier: MIT
 * place_rules: livelock, lost-wakeup, pinned, futex, goroutines, gil, herd: what threads do in one place, whatever pool
 * they are of. Of each dump, threads are piled up by place and by what they do there. */
#include "diag/diag_view.h"

#include "base/bytes.h"
#include "base/quantities.h"

#define NS_PER_S  1e9
#define STAY_PART 0.8		/* of an incident's dumps, in which a thread is that never leaves */
#define GROWTH    1.5		/* of goroutines that receive, from the first dump to the last */

enum pile_kind { PILE_NONE, PILE_TRY, PILE_NOTIFY, PILE_MUTEX, PILE_SEND, PILE_RECEIVE, PILE_PINNED, PILE_HERD };

struct pile {
	enum pile_kind kind;
	uint32_t place;			/* a function: a text */
	uint32_t count, first;		/* its threads in place_rules.members */
	bool chosen;			/* any of them is */
};

/* How many threads are usual in a place of a process: a running median, which goes a step up or down at each dump. */
struct usual { uint32_t process, place, median; uint64_t dump; };

struct place_rules {
	ARRAY(struct pile) piles;
	struct hash_map by_place;	/* places in piles, from 1 */
	ARRAY(uint32_t) pile_of;	/* by thread: a place in piles, from 1; 0: none */
	ARRAY(uint32_t) members;
	ARRAY(struct usual) usual;
	struct hash_map usual_map;	/* places in usual, from 1 */
	ARRAY(uint32_t) class_of;	/* by function: the text of its class */
	ARRAY(uint64_t) busy_in;	/* by text of a class: the latest sight of a thread that does something in it */
	uint64_t sight;
	bool marked;			/* busy_in is of this dump */
};

void
place_rules_open(struct place_rules **out)
{
	*out = mem_new(1, sizeof **out);
}

void
place_rules_close(struct place_rules *rules)
{
	if (rules == NULL)
		return;
	array_release(&rules->piles);
	hash_map_release(&rules->by_place);
	array_release(&rules->pile_of);
	array_release(&rules->members);
	array_release(&rules->usual);
	hash_map_release(&rules->usual_map);
	array_release(&rules->class_of);
	array_release(&rules->busy_in);
	free(rules);
}

/* --- piles --- */

/* The virtual thread that a carrier runs: dumps have it below the carrier. NULL: they do not show it. */
static const struct dump_thread *
carried_by(const struct diag_dump *dump, size_t carrier)
{
	const struct dump_thread *next = carrier + 1 < dump->threads.count ? &dump->threads.at[carrier + 1] : NULL;

	return next != NULL && next->role == STK_ROLE_VIRTUAL ? next : NULL;
}

/* A virtual thread that waits leaves its carrier, unless it cannot. */
static bool
is_pinned(const struct diag_view *view, size_t carrier)
{
	const struct dump_thread *virtual = carried_by(view->dump, carrier);
	const struct stack_fact *fact;

	if (view->dump->threads.at[carrier].says == SAYS_WAITS)
		return true;
	if (virtual == NULL)
		return false;
	fact = stack_fact(view->facts, virtual->stack);
	return fact->waits != WAIT_NONE && fact->waits != WAIT_TRY && fact->waits != WAIT_LOGGING;
}

static enum pile_kind
pile_by_state(const struct diag_view *view, size_t t)
{
	const struct dump_thread *thread = &view->dump->threads.at[t];
	bool rests = (view->habits.at[t] & (HABIT_MEASURED | HABIT_WORKED)) == HABIT_MEASURED;

	switch (stack_fact(view->facts, thread->stack)->waits) {
	case WAIT_TRY:    return thread->state == STK_STATE_RUNNABLE && !rests ? PILE_TRY : PILE_NONE;
	case WAIT_MUTEX:  return PILE_MUTEX;
	case WAIT_NOTIFY: return thread->state == STK_STATE_WAITING ? PILE_NOTIFY : PILE_NONE;
	default:          return PILE_NONE;
	}
}

/* Whether another rule tells what a thread does. */
static bool
is_told_elsewhere(const struct diag_view *view, size_t t)
{
	const struct dump_thread *thread = &view->dump->threads.at[t];
	const struct dump_pool *pool = dump_pools_find(view->pools, thread->pool);
	enum wait_kind waits = stack_fact(view->facts, thread->stack)->waits;

	return (pool != NULL && pool->exhausted) || (waits >= WAIT_CONNECTION && waits <= WAIT_FULL) ||
		(view->habits.at[t] & HABIT_TOLD) != 0;
}

static enum pile_kind
pile_kind_of(const struct diag_view *view, size_t t)
{
	const struct dump_thread *thread = &view->dump->threads.at[t];
	enum pile_kind kind;

	if (thread->role == STK_ROLE_CARRIER)
		return is_pinned(view, t) ? PILE_PINNED : PILE_NONE;
	if (thread->idle || thread->stack == 0 || thread->role == STK_ROLE_VM || thread->role == STK_ROLE_VIRTUAL ||
	    view->graph->nodes.at[t].wants != NOBODY)
		return PILE_NONE;
	if (thread->says == SAYS_SEND || thread->says == SAYS_SYNC)
		return PILE_SEND;
	if (thread->says == SAYS_RECEIVE || thread->says == SAYS_SELECT)
		return PILE_RECEIVE;
	kind = pile_by_state(view, t);
	return kind != PILE_NONE || is_told_elsewhere(view, t) ? kind : PILE_HERD;
}

static uint32_t
place_in_pile(const struct diag_view *view, size_t t, enum pile_kind kind)
{
	const struct dump_thread *virtual = kind == PILE_PINNED ? carried_by(view->dump, t) : NULL;

	return stack_fact(view->facts, virtual != NULL ? virtual->stack : view->dump->threads.at[t].stack)->own;
}

static uint32_t
pile_number(struct place_rules *rules, enum pile_kind kind, uint32_t place)
{
	uint64_t hash = hash_pair(place, kind);
	uint32_t at = hash_map_start(&rules->by_place, hash), number;

	while ((number = hash_map_next(&rules->by_place, hash, &at)) != 0)
		if (rules->piles.at[number - 1].kind == kind && rules->piles.at[number - 1].place == place)
			return number;
	*array_push(&rules->piles) = (struct pile){ .kind = kind, .place = place };
	hash_map_put(&rules->by_place, hash, (uint32_t)rules->piles.count);
	return (uint32_t)rules->piles.count;
}

static void
pile_up(struct place_rules *rules, const struct diag_view *view)
{
	const struct diag_dump *dump = view->dump;
	uint32_t first = 0;

	rules->piles.count = rules->pile_of.count = rules->members.count = 0;
	hash_map_clear(&rules->by_place);
	for (size_t t = 0; t < dump->threads.count; t++) {
		enum pile_kind kind = pile_kind_of(view, t);
		uint32_t number = kind == PILE_NONE ? 0 : pile_number(rules, kind, place_in_pile(view, t, kind));

		*array_push(&rules->pile_of) = number;
		if (number == 0)
			continue;
		rules->piles.at[number - 1].count++;
		rules->piles.at[number - 1].chosen |= dump->threads.at[t].chosen;
	}
	for (size_t p = 0; p < rules->piles.count; p++) {
		rules->piles.at[p].first = first;
		first += rules->piles.at[p].count;
		rules->piles.at[p].count = 0;
	}
	array_lengthen(&rules->members, first);
	for (size_t t = 0; t < dump->threads.count; t++) {
		struct pile *pile = rules->pile_of.at[t] == 0 ? NULL : &rules->piles.at[rules->pile_of.at[t] - 1];

		if (pile != NULL)
			rules->members.at[pile->first + pile->count++] = (uint32_t)t;
	}
}

/* --- who could notify --- */

/* The class of a function, without what is nested in it: "shop.Box" of "shop.Box$Slot.take". */
static uint32_t
class_of_function(struct place_rules *rules, const struct diag_view *view, uint32_t function)
{
	struct stk_text name = diag_text(view, function);
	const char *dot = memrchr(name.data, '.', name.size), *dollar;

	array_lengthen(&rules->class_of, function + 1);
	if (rules->class_of.at[function] == 0) {
		if (dot != NULL && dot > name.data)
			name = text_of(name.data, (size_t)(dot - name.data));
		dollar = memchr(name.data, '$', name.size);
		if (dollar != NULL && dollar > name.data)
			name = text_of(name.data, (size_t)(dollar - name.data));
		rules->class_of.at[function] = text_table_number(view->texts, name);
	}
	return rules->class_of.at[function];
}

static void
mark_busy(struct place_rules *rules, uint32_t class)
{
	array_lengthen(&rules->busy_in, class + 1);
	rules->busy_in.at[class] = rules->sight;
}

/* The classes in which threads do something: in whose functions they are, and whose monitors they hold or want. */
static void
mark_busy_classes(struct place_rules *rules, const struct diag_view *view)
{
	rules->marked = true;
	rules->sight++;
	for (size_t t = 0; t < view->dump->threads.count; t++) {
		const struct dump_thread *thread = &view->dump->threads.at[t];
		const struct dump_line *lines = dump_lines(view->dump, thread);
		uint32_t pile = rules->pile_of.at[t];

		if (thread->idle || (pile != 0 && rules->piles.at[pile - 1].kind == PILE_NOTIFY))
			continue;
		for (uint32_t f = 0; f < stack_fact(view->facts, thread->stack)->depth; f++)
			mark_busy(rules, class_of_function(rules, view,
							   stack_fact_function(view->facts, thread->stack, f)));
		for (uint32_t i = 0; i < thread->lines; i++)
			if (lines[i].class != 0)
				mark_busy(rules, lines[i].class);
	}
}

static bool
is_busy_in(struct place_rules *rules, const struct diag_view *view, const struct pile *pile)
{
	const struct dump_thread *first = &view->dump->threads.at[rules->members.at[pile->first]];
	const struct dump_line *lines = dump_lines(view->dump, first);
	uint32_t class;

	if (!rules->marked)
		mark_busy_classes(rules, view);
	class = class_of_function(rules, view, pile->place);
	if (class < rules->busy_in.count && rules->busy_in.at[class] == rules->sight)
		return true;
	for (uint32_t i = 0; i < first->lines; i++)
		if (lines[i].relation == STK_RELATION_WAITING_ON && lines[i].class < rules->busy_in.count &&
		    lines[i].class != 0 && rules->busy_in.at[lines[i].class] == rules->sight)
			return true;
	return false;
}

/* --- looking --- */

static void
add_member(struct incident *incident, const struct diag_view *view, uint32_t t, enum pile_kind kind)
{
	const struct dump_thread *virtual = kind == PILE_PINNED ? carried_by(view->dump, t) : NULL;
	struct dump_thread thread = view->dump->threads.at[t];

	if (virtual != NULL)
		thread.stack = virtual->stack;
	incident_add_waiter(incident, view->dump, &thread, 0, 0);
}

static struct incident *
note_pile(struct place_rules *rules, struct diag_view *view, enum diag_rule rule, const struct pile *pile)
{
	const uint32_t *members = rules->members.at + pile->first;
	struct incident *incident = incidents_see(view->incidents, rule, pile->place, view->dump);

	incident->at = pile->place;
	for (uint32_t i = 0; i < pile->count; i++) {
		add_member(incident, view, members[i], pile->kind);
		view->habits.at[members[i]] |= HABIT_TOLD;
	}
	note_pools(incident, view, members, pile->count);
	incident_settle(incident, view->dump, pile->count, view->torn);
	return incident;
}

static void
look_at_waits_for_notice(struct place_rules *rules, struct diag_view *view, const struct pile *pile)
{
	struct incident *incident = note_pile(rules, view, RULE_LOST, pile);

	incident->marks[0] += is_busy_in(rules, view, pile);
	for (uint32_t i = 0; i < pile->count; i++)
		incident->marks[1] += (view->habits.at[rules->members.at[pile->first + i]] & HABIT_MOVED) != 0;
}

static struct usual *
usual_of(struct place_rules *rules, uint32_t process, uint32_t place)
{
	uint64_t hash = hash_pair(place, process);
	uint32_t at = hash_map_start(&rules->usual_map, hash), number;

	while ((number = hash_map_next(&rules->usual_map, hash, &at)) != 0)
		if (rules->usual.at[number - 1].process == process && rules->usual.at[number - 1].place == place)
			return &rules->usual.at[number - 1];
	*array_push(&rules->usual) = (struct usual){ .process = process, .place = place };
	hash_map_put(&rules->usual_map, hash, (uint32_t)rules->usual.count);
	return &rules->usual.at[rules->usual.count - 1];
}

static void
note_herd(struct place_rules *rules, struct diag_view *view, const struct pile *pile, uint32_t usually)
{
	struct incident *incident = note_pile(rules, view, RULE_HERD, pile);

	if (incident->dumps == 1)
		incident->marks[0] = usually;
}

static void
look_at_herd(struct place_rules *rules, struct diag_view *view, const struct pile *pile)
{
	struct usual *usual = usual_of(rules, view->dump->process, pile->place);
	uint64_t missed = view->dump->number - usual->dump - 1;

	usual->median -= missed < usual->median ? (uint32_t)missed : usual->median;
	usual->dump = view->dump->number;
	if (pile->chosen && (double)view->dump->number > diag_limit(view, LIMIT_HERD_DUMPS) &&
	    pile->count >= usual->median + diag_limit(view, LIMIT_HERD_THREADS) &&
	    pile->count >= usual->median * diag_limit(view, LIMIT_HERD_TIMES))
		note_herd(rules, view, pile, usual->median);
	usual->median += pile->count > usual->median ? 1 : pile->count < usual->median ? -1u : 0;
}

static void
look_at_goroutines(struct place_rules *rules, struct diag_view *view, const struct pile *pile)
{
	struct incident *incident = note_pile(rules, view, RULE_GOROUTINES, pile);

	incident->marks[0] += pile->kind == PILE_SEND;
	for (uint32_t i = 0; i < pile->count; i++) {
		uint32_t minutes = view->dump->threads.at[rules->members.at[pile->first + i]].minutes;

		if (minutes > incident->longest)
			incident->longest = minutes;
	}
}

static void
look_at_pile(struct place_rules *rules, struct diag_view *view, const struct pile *pile)
{
	if (pile->kind == PILE_HERD)
		look_at_herd(rules, view, pile);
	if (!pile->chosen)
		return;
	if (pile->kind == PILE_TRY && pile->count >= diag_limit(view, LIMIT_LIVELOCK_THREADS))
		(void)note_pile(rules, view, RULE_LIVELOCK, pile);
	else if (pile->kind == PILE_NOTIFY && pile->count >= diag_limit(view, LIMIT_LOST_THREADS))
		look_at_waits_for_notice(rules, view, pile);
	else if (pile->kind == PILE_MUTEX && pile->count >= diag_limit(view, LIMIT_FUTEX_THREADS))
		(void)note_pile(rules, view, RULE_FUTEX, pile);
	else if (pile->kind == PILE_PINNED && pile->count >= diag_limit(view, LIMIT_PINNED_THREADS))
		(void)note_pile(rules, view, RULE_PINNED, pile);
	else if ((pile->kind == PILE_SEND || pile->kind == PILE_RECEIVE) &&
		 pile->count >= diag_limit(view, LIMIT_GO_THREADS))
		look_at_goroutines(rules, view, pile);
}

/* --- Python --- */

static bool
could_run(const struct diag_view *view, const struct dump_thread *thread)
{
	return (thread->says == SAYS_ACTIVE || thread->says == SAYS_IDLE) && thread->stack != 0 && !thread->idle &&
		stack_fact(view->facts, thread->stack)->waits == WAIT_NONE;
}

static void
note_interpreter(struct diag_view *view, uint32_t holder)
{
	const struct diag_dump *dump = view->dump;
	struct incident *incident = incidents_see(view->incidents, RULE_GIL,
						  text_table_number(view->texts, text_from("GIL")), dump);
	uint32_t waiting = 0;

	for (uint32_t t = 0; t < dump->threads.count; t++) {
		if (!could_run(view, &dump->threads.at[t]))
			continue;
		incident_add_waiter(incident, dump, &dump->threads.at[t], 0, 0);
		note_pools(incident, view, &t, 1);
		view->habits.at[t] |= HABIT_TOLD;
		waiting++;
	}
	incident->at = stack_fact(view->facts, dump->threads.at[holder].stack)->own;
	incident_add_holder(incident, dump, &dump->threads.at[holder], 0, 0);
	incident_settle(incident, dump, waiting, view->torn);
}

static void
look_at_interpreter(struct diag_view *view)
{
	const struct diag_dump *dump = view->dump;
	uint32_t holder = NOBODY, waiting = 0;
	bool chosen = false;

	for (uint32_t t = 0; t < dump->threads.count; t++) {
		bool waits = could_run(view, &dump->threads.at[t]);

		if (dump->threads.at[t].says == SAYS_GIL)
			holder = t;
		waiting += waits;
		chosen |= (waits || holder == t) && dump->threads.at[t].chosen;
	}
	if (holder != NOBODY && chosen && waiting >= diag_limit(view, LIMIT_GIL_THREADS))
		note_interpreter(view, holder);
}

void
place_rules_look(struct place_rules *rules, struct diag_view *view)
{
	rules->marked = false;
	pile_up(rules, view);
	for (size_t p = 0; p < rules->piles.count; p++)
		look_at_pile(rules, view, &rules->piles.at[p]);
	look_at_interpreter(view);
}

/* --- judging --- */

static void
add_place(struct text_buffer *to, const struct diag_view *view, const struct incident *incident)
{
	add_text(to, diag_text(view, incident->at));
}

/* Threads that were there in nearly all its dumps. */
static uint32_t
that_stayed(const struct incident *incident)
{
	uint32_t stayed = 0;

	for (size_t i = 0; i < incident->waiters.list.count; i++)
		stayed += (double)incident->waiters.list.at[i].dumps >= STAY_PART * (double)incident->dumps;
	return stayed;
}

static bool
judge_livelock(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	if (incident->dumps < diag_limit(view, LIMIT_LIVELOCK_DUMPS) ||
	    that_stayed(incident) < diag_limit(view, LIMIT_LIVELOCK_THREADS))
		return false;
	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, " tried again and again in ");
	add_place(to, view, incident);
	add_string(to, ", and none got on");
	add_lost(to, incident);
	(void)finding_of(incident, RULE_LIVELOCK, STK_SEVERITY_WARNING, view, findings);
	return true;
}

/* Whether one that waited got on: then somebody notifies. */
static bool
any_woke(const struct incident *incident)
{
	for (size_t i = 0; i < incident->waiters.list.count; i++) {
		const struct incident_person *person = &incident->waiters.list.at[i];

		if (person->moved || person->times.to_ns != incident->times.to_ns)
			return true;
	}
	return incident->waiters.more > 0;
}

static bool
judge_lost_wakeup(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	if (incident->dumps < diag_limit(view, LIMIT_LOST_DUMPS) ||
	    (double)incident->length_ns < diag_limit(view, LIMIT_LOST_SECONDS) * NS_PER_S || incident->marks[0] > 0 ||
	    incident->marks[1] == 0 || any_woke(incident))
		return false;
	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, incident->most == 1 ? " worked before, and waits to be notified in "
					   : " worked before, and wait to be notified in ");
	add_place(to, view, incident);
	add_string(to, "; no dump shows a thread that could notify");
	add_lost(to, incident);
	(void)finding_of(incident, RULE_LOST, STK_SEVERITY_WARNING, view, findings);
	return true;
}

static bool
judge_pinned(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	const struct incident_pool *pool = hardest_hit(incident);
	bool all = pool != NULL && pool->most_of > 1 && pool->affected == pool->threads;
	struct text_buffer *to = &findings->text;

	if (incident->dumps < diag_limit(view, LIMIT_PINNED_DUMPS) ||
	    incident_median(incident) < diag_limit(view, LIMIT_PINNED_THREADS))
		return false;
	to->count = 0;
	add_string(to, "virtual threads kept ");
	add_affected(to, view, incident);
	add_string(to, " while they waited in ");
	add_place(to, view, incident);
	add_string(to, all ? ": no carrier was left for others" : "");
	add_lost(to, incident);
	(void)finding_of(incident, RULE_PINNED, all ? STK_SEVERITY_CRITICAL : STK_SEVERITY_WARNING, view, findings);
	return true;
}

static bool
judge_futex(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	if (incident->dumps < diag_limit(view, LIMIT_FUTEX_DUMPS))
		return false;
	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, " waited for a lock in ");
	add_place(to, view, incident);
	add_string(to, "; stacks from outside do not show who holds it");
	add_lost(to, incident);
	(void)finding_of(incident, RULE_FUTEX, STK_SEVERITY_WARNING, view, findings);
	return true;
}

/* Goroutines that receive may be workers without work: it takes more of them, or that they become more. */
static bool
judge_goroutines(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	uint32_t first = incident->counts.at[0], last = incident->counts.at[incident->counts.count - 1];
	bool sends = incident->marks[0] > 0, grows = incident->counts.count > 2 && last >= GROWTH * first;
	struct text_buffer *to = &findings->text;

	if (!sends && !grows && incident->most < diag_limit(view, LIMIT_GO_MANY))
		return false;
	to->count = 0;
	add_format(to, "up to %u goroutines %s in ", incident->most,
		   sends ? "wait to send or for a lock" : "wait to receive or select");
	add_place(to, view, incident);
	if (grows)
		add_format(to, ", %u at first and %u at last", first, last);
	if (incident->longest > 0)
		add_format(to, ", for up to %llu %s", (unsigned long long)incident->longest,
			   plural(incident->longest, "minute", "minutes"));
	add_lost(to, incident);
	(void)finding_of(incident, RULE_GOROUTINES, sends || grows ? STK_SEVERITY_WARNING : STK_SEVERITY_INFO, view,
			 findings);
	return true;
}

static bool
judge_interpreter(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	if (incident->dumps < diag_limit(view, LIMIT_GIL_DUMPS))
		return false;
	to->count = 0;
	add_format(to, "up to %u threads could run and waited for the interpreter's lock, which ", incident->most);
	if (incident->holders.list.count == 1)
		add_text(to, diag_text(view, incident->holders.list.at[0].name));
	else
		add_format(to, "%zu threads in turn", incident->holders.list.count);
	add_string(to, " had, last in ");
	add_place(to, view, incident);
	add_lost(to, incident);
	(void)finding_of(incident, RULE_GIL, STK_SEVERITY_WARNING, view, findings);
	return true;
}

static bool
judge_herd(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	struct text_buffer *to = &findings->text;

	to->count = 0;
	add_affected(to, view, incident);
	add_string(to, " came to ");
	add_place(to, view, incident);
	add_format(to, ", where there are usually %llu", (unsigned long long)incident->marks[0]);
	(void)finding_of(incident, RULE_HERD, STK_SEVERITY_INFO, view, findings);
	return true;
}

bool
place_rules_judge(struct incident *incident, const struct diag_view *view, struct diag_findings *findings)
{
	switch (incident->rule) {
	case RULE_LIVELOCK:   return judge_livelock(incident, view, findings);
	case RULE_LOST:       return judge_lost_wakeup(incident, view, findings);
	case RULE_PINNED:     return judge_pinned(incident, view, findings);
	case RULE_FUTEX:      return judge_futex(incident, view, findings);
	case RULE_GOROUTINES: return judge_goroutines(incident, view, findings);
	case RULE_GIL:        return judge_interpreter(incident, view, findings);
	default:              return judge_herd(incident, view, findings);
	}
}
