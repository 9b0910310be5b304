/* SPDX-License-Identifier: MIT
 * lock_spells: waits are joined whatever the number of waiters; a dump in which nobody waits ends a spell. */
#include "plot/lock_spells.h"

#include "base/quantities.h"
#include "base/time_text.h"

static bool
goes_on(const struct lock_spell *spell, const struct history_wait *wait)
{
	return spell->last + 1 == wait->first && spell->holder == wait->holder && spell->ring == wait->ring;
}

void
lock_spells_make(struct lock_spells *out, const struct history_lock *lock)
{
	struct lock_spell *spell = NULL;

	*out = (struct lock_spells){ 0 };
	for (size_t w = 0; w < lock->waits.count; w++) {
		const struct history_wait *wait = &lock->waits.at[w];

		if (spell == NULL || !goes_on(spell, wait)) {
			spell = array_push(&out->list);
			*spell = (struct lock_spell){ .first = wait->first, .holder = wait->holder, .ring = wait->ring };
		}
		spell->last = wait->last;
		spell->held_at = spell->held_at == 0 ? wait->held_at : spell->held_at;
		spell->most = wait->waiters > spell->most ? wait->waiters : spell->most;
		spell->lost_ns += wait->lost_ns;
	}
}

void
lock_spells_release(struct lock_spells *spells)
{
	array_release(&spells->list);
}

struct stk_text
spell_holder(const struct thread_picture *picture, const struct lock_spell *spell)
{
	const struct thread_history *h = picture->history;

	if (spell->ring)
		return text_from("each other");
	return spell->holder == 0 ? text_from("?")
				  : diagnosis_text(h->diagnosis, h->rows.at[spell->holder - 1].name);
}

void
add_spell_words(struct text_buffer *to, const struct thread_picture *picture, const struct history_lock *lock,
		const struct lock_spell *spell, const char *after, bool place)
{
	const struct history_process *process = &picture->history->processes.at[lock->process];
	int64_t first = process->dumps.at[spell->first].time_ns, last = process->dumps.at[spell->last].time_ns;
	char from[TIME_TEXT_MAX], until[TIME_TEXT_MAX];

	time_print_after(until, first, picture->zone, after);
	add_string(to, until);
	if (last != first) {
		time_print_after(until, last, picture->zone, time_print(from, first, picture->zone));
		add_string(to, " to ");
		add_string(to, until);
	}
	add_format(to, ": %s%u %s, %.1f s lost", spell->first == spell->last ? "" : "up to ", spell->most,
		   plural(spell->most, "waits", "wait"), (double)spell->lost_ns / 1e9);
	if (spell->ring) {
		add_string(to, "; for each other");
	} else if (spell->holder == 0) {
		add_string(to, "; the dumps do not show who holds it");
	} else {
		add_string(to, "; held by ");
		add_text(to, spell_holder(picture, spell));
	}
	if (place && spell->held_at != 0) {
		add_string(to, ", locked in ");
		add_text(to, diagnosis_text(picture->history->diagnosis, spell->held_at));
	}
}
