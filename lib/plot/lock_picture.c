/* SPDX-License-Identifier: MIT
 * lock_picture: a part of the time shows the most threads that waited at one moment of it. */
#include "plot/lock_picture.h"

#include "plot/flame_svg.h"
#include "plot/lock_spells.h"
#include "plot/thread_looks.h"
#include "plot/thread_svg.h"
#include "plot/thread_terminal.h"

#include "base/quantities.h"
#include "base/text_table.h"
#include "base/time_text.h"

#include <math.h>
#include <stdio.h>

#define TITLE_PIXELS 46
#define LOCK_PIXELS 48
#define HOLDER_PIXELS 14 /* of these, at the bottom */
#define LETTER_PIXELS 6.5
#define TEXT_PIXELS 16
#define PART_PIXELS 3
#define TREES_MOST 3 /* locks of which it is shown who waits */
#define WAITERS_MOST 8
#define SPELLS_MOST 8
#define LABEL_PIXELS 220
#define END_PIXELS 10

struct lock_order {
	uint32_t place;
	const struct history_lock *lock;
};
struct lock_list {
	ARRAY(struct lock_order) list;
};

static int
compare_locks(const void *a, const void *b)
{
	const struct lock_order *x = a, *y = b;

	if (x->lock->lost_ns != y->lock->lost_ns)
		return x->lock->lost_ns > y->lock->lost_ns ? -1 : 1;
	if (x->lock->samples != y->lock->samples)
		return x->lock->samples > y->lock->samples ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static struct lock_list
locks_by_loss(const struct thread_history *h)
{
	struct lock_list locks = { 0 };

	for (uint32_t l = 0; l < h->locks.count; l++)
		if (h->locks.at[l].chosen && h->locks.at[l].samples > 0)
			*array_push(&locks.list) = (struct lock_order){ l, &h->locks.at[l] };
	if (locks.list.count > 0)
		qsort(locks.list.at, locks.list.count, sizeof *locks.list.at, compare_locks);
	return locks;
}

static void
add_lock_name(struct text_buffer *to, const struct thread_history *h, const struct history_lock *lock)
{
	struct stk_text class = diagnosis_text(h->diagnosis, lock->class);

	add_text(to, class.size == 0 ? text_from("a lock") : class);
	if (lock->number > 1)
		add_format(to, " (%u)", lock->number);
}

/* The most waiters at one moment of each part. */
static void
waiters_by_part(const struct thread_history *h, const struct history_lock *lock, size_t count, uint32_t *parts)
{
	const struct history_process *process = &h->processes.at[lock->process];
	double part_ns = ((double)h->times.to_ns - (double)h->times.from_ns) / (double)count;

	memset(parts, 0, count * sizeof *parts);
	for (size_t w = 0; w < lock->waits.count; w++)
		for (uint32_t d = lock->waits.at[w].first; d <= lock->waits.at[w].last; d++) {
			double from = ((double)process->dumps.at[d].from_ns - (double)h->times.from_ns) / part_ns;
			double to = ((double)process->dumps.at[d].to_ns - (double)h->times.from_ns) / part_ns;

			for (size_t i = (size_t)from; i < count && (double)i < to; i++)
				if (lock->waits.at[w].waiters > parts[i])
					parts[i] = lock->waits.at[w].waiters;
		}
}

/* --- who waits for whom --- */

static const struct history_wait *
worst_wait(const struct history_lock *lock)
{
	const struct history_wait *worst = &lock->waits.at[0];

	for (size_t w = 1; w < lock->waits.count; w++)
		if (lock->waits.at[w].waiters > worst->waiters)
			worst = &lock->waits.at[w];
	return worst;
}

static const struct history_run *
run_of(const struct history_row *row, uint32_t dump)
{
	for (size_t r = 0; r < row->runs.count && row->runs.at[r].first <= dump; r++)
		if (row->runs.at[r].last >= dump)
			return &row->runs.at[r];
	return NULL;
}

static void
add_row_line(struct text_buffer *to, const struct thread_history *h, const char *before, uint32_t number, uint32_t dump,
	     size_t width)
{
	const struct history_row *row = &h->rows.at[number - 1];
	const struct history_run *run = run_of(row, dump);
	struct text_buffer line = { 0 };
	uint32_t function = run == NULL ? 0 : stack_fact(diagnosis_stacks(h->diagnosis), run->stack)->own;

	add_string(&line, before);
	add_text(&line, diagnosis_text(h->diagnosis, row->name));
	if (function != 0) {
		add_string(&line, " in ");
		add_text(&line, diagnosis_text(h->diagnosis, function));
	}
	add_label_fitted(to, text_in(&line, 0), width);
	while (to->count > 0 && to->at[to->count - 1] == ' ')
		to->count--;
	add_char(to, '\n');
	array_release(&line);
}

/* Those that want the lock, and below the holder's line. */
static void
add_tree(struct text_buffer *to, const struct thread_picture *picture, const struct lock_order *order)
{
	const struct thread_history *h = picture->history;
	const struct history_wait *wait = worst_wait(order->lock);
	char time[TIME_TEXT_MAX];
	struct text_buffer line = { 0 };
	uint32_t waiters = 0;

	add_lock_name(&line, h, order->lock);
	add_format(&line, ", %s: %u %s",
		   time_print(time, h->processes.at[order->lock->process].dumps.at[wait->first].time_ns, picture->zone),
		   wait->waiters, plural(wait->waiters, "thread waits", "threads wait"));
	add_string(&line, wait->ring          ? " for each other"
			  : wait->holder == 0 ? ", the dump does not show for whom"
					      : "");
	add_label_fitted(to, text_in(&line, 0), picture->width);
	array_release(&line);
	while (to->count > 0 && to->at[to->count - 1] == ' ')
		to->count--;
	add_char(to, '\n');
	if (wait->holder != 0)
		add_row_line(to, h, "  holder ", wait->holder, wait->first, picture->width);
	for (uint32_t r = 1; r <= h->rows.count; r++) {
		const struct history_row *row = &h->rows.at[r - 1];
		const struct history_run *run = row->process != order->lock->process ? NULL : run_of(row, wait->first);

		if (run == NULL || run->lock != order->place + 1)
			continue;
		if (waiters++ < WAITERS_MOST)
			add_row_line(to, h, "    waiter ", r, wait->first, picture->width);
	}
	if (waiters > WAITERS_MOST)
		add_format(to, "    %u more\n", waiters - WAITERS_MOST);
}

static int
compare_spells(const void *a, const void *b)
{
	const struct lock_spell *x = a, *y = b;

	if (x->lost_ns != y->lost_ns)
		return x->lost_ns > y->lost_ns ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int
compare_spell_times(const void *a, const void *b)
{
	const struct lock_spell *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* After the moment of its tree; where it was locked only where there is room. */
static void
add_spell_line(struct text_buffer *line, const struct thread_picture *picture, const struct history_lock *lock,
	       const struct lock_spell *spell)
{
	const struct history_process *process = &picture->history->processes.at[lock->process];
	char after[TIME_TEXT_MAX];
	bool place = true;

	time_print(after, process->dumps.at[worst_wait(lock)->first].time_ns, picture->zone);
	do {
		line->count = 0;
		add_string(line, "  ");
		add_spell_words(line, picture, lock, spell, after, place);
		place = !place;
	} while (!place && text_characters(text_in(line, 0)) > picture->width);
}

/* Who held it over time; of many, those that cost most. */
static void
add_spells(struct text_buffer *to, const struct thread_picture *picture, const struct history_lock *lock)
{
	struct lock_spells spells;
	size_t shown;
	struct text_buffer line = { 0 };

	lock_spells_make(&spells, lock);
	shown = spells.list.count < SPELLS_MOST ? spells.list.count : SPELLS_MOST;
	if (shown < spells.list.count) {
		qsort(spells.list.at, spells.list.count, sizeof *spells.list.at, compare_spells);
		qsort(spells.list.at, shown, sizeof *spells.list.at, compare_spell_times);
	}
	for (size_t i = 0; i < shown; i++) {
		add_spell_line(&line, picture, lock, &spells.list.at[i]);
		add_label_fitted(to, text_in(&line, 0), picture->width);
		while (to->count > 0 && to->at[to->count - 1] == ' ')
			to->count--;
		add_char(to, '\n');
	}
	if (shown < spells.list.count)
		add_format(to, "  %zu more, which cost less\n", spells.list.count - shown);
	array_release(&line);
	lock_spells_release(&spells);
}

/* --- a terminal --- */

static const struct palette_fill *
wait_fill(const struct thread_picture *picture, bool ring)
{
	return ring ? palette_alarm(picture->palette, true)
		    : thread_look_fill(picture->palette, look_of(STK_STATE_BLOCKED, false));
}

static void
add_lock_line(struct text_buffer *to, const struct thread_picture *picture, const struct history_lock *lock,
	      size_t margin, size_t width, enum flame_colours colours)
{
	uint32_t *parts = mem_new(width + 1, sizeof *parts);
	struct text_buffer label = { 0 };

	add_lock_name(&label, picture->history, lock);
	add_label_fitted(to, text_in(&label, 0), margin > 12 ? margin - 11 : 1);
	array_release(&label);
	add_format(to, "%8.1f s ", (double)lock->lost_ns / 1e9);
	waiters_by_part(picture->history, lock, width, parts);
	for (size_t i = 0; i < width; i++) {
		if (parts[i] > 0)
			add_fill_colour(to, colours, wait_fill(picture, lock->ring));
		add_char(to, parts[i] == 0 ? ' ' : parts[i] > 9 ? '+' : (char)('0' + parts[i]));
		if (parts[i] > 0 && colours != FLAME_PLAIN)
			add_string(to, "\033[0m");
	}
	while (to->count > 0 && to->at[to->count - 1] == ' ')
		to->count--;
	add_char(to, '\n');
	free(parts);
}

uint64_t
lock_terminal_add(struct text_buffer *to, const struct thread_picture *picture, enum flame_colours colours)
{
	size_t width = thread_terminal_columns(picture), margin = picture->width > width ? picture->width - width : 12;
	struct lock_list locks = locks_by_loss(picture->history);
	uint64_t left_out = locks.list.count > picture->lines_most ? locks.list.count - picture->lines_most : 0;

	add_time_line(to, picture, margin, width);
	for (size_t l = 0; l < locks.list.count - left_out; l++)
		add_lock_line(to, picture, locks.list.at[l].lock, margin, width, colours);
	add_string(to, locks.list.count == 0 ? "no thread waited for a lock\n"
					     : "digits: threads that wait (+: 10 or more); s: thread time lost\n");
	for (size_t l = 0; l < locks.list.count && l < TREES_MOST; l++) {
		add_char(to, '\n');
		add_tree(to, picture, &locks.list.at[l]);
		add_spells(to, picture, locks.list.at[l].lock);
	}
	array_release(&locks.list);
	return left_out;
}

/* --- a picture --- */

static void
add_lock_bars(struct text_buffer *to, const struct thread_picture *picture, const struct history_lock *lock,
	      unsigned top)
{
	size_t count = (picture->width - LABEL_PIXELS - END_PIXELS) / PART_PIXELS;
	uint32_t *parts = mem_new(count + 1, sizeof *parts);

	waiters_by_part(picture->history, lock, count, parts);
	for (size_t i = 0; i < count;) {
		size_t from = i;
		double high = (double)parts[i] / lock->most * (LOCK_PIXELS - HOLDER_PIXELS - 4);

		while (i < count && parts[i] == parts[from])
			i++;
		if (parts[from] == 0)
			continue;
		high = high < 2 ? 2 : high;
		add_format(to, "<g><rect fill=\"#%06X\" x=\"%zu\" y=\"%.1f\" width=\"%zu\" height=\"%.1f\"/>",
			   (unsigned)wait_fill(picture, lock->ring)->rgb, LABEL_PIXELS + from * PART_PIXELS,
			   top + LOCK_PIXELS - HOLDER_PIXELS - 2 - high,
			   (i - from) * PART_PIXELS, high);
		add_format(to, "<title>%u %s</title>", parts[from],
			   plural(parts[from], "thread waits", "threads wait"));
		if ((i - from) * PART_PIXELS >= 24)
			add_format(to, "<text class=\"b\" x=\"%zu\" y=\"%u\">%u</text>",
				   LABEL_PIXELS + from * PART_PIXELS + 3, top + LOCK_PIXELS - HOLDER_PIXELS - 6,
				   parts[from]);
		add_string(to, "</g>");
	}
	free(parts);
}

/* The number of a holder, in the order in which they come; kept by row. */
static unsigned
holder_colour(struct text_table *holders, uint32_t holder)
{
	char name[12];

	(void)snprintf(name, sizeof name, "%u", holder);
	return text_table_number(holders, text_from(name)) - 1;
}

/* Below the bars: who held it, a colour for each; what is too narrow for a name has it in its title. */
static void
add_holders(struct text_buffer *to, const struct thread_picture *picture, const struct history_lock *lock, unsigned top)
{
	const struct history_process *process = &picture->history->processes.at[lock->process];
	struct lock_spells spells;
	struct text_table holders = { 0 };
	struct text_buffer text = { 0 };

	lock_spells_make(&spells, lock);
	for (size_t i = 0; i < spells.list.count; i++) {
		const struct lock_spell *spell = &spells.list.at[i];
		double from = svg_place(picture, (double)process->dumps.at[spell->first].from_ns);
		double wide = fmax(svg_place(picture, (double)process->dumps.at[spell->last].to_ns) - from, 1);
		unsigned colour = holder_colour(&holders, spell->holder);
		size_t room = (size_t)(wide / LETTER_PIXELS);

		add_format(to, "<g><rect fill=\"#%06X\" x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%u\"/><title>",
			   (unsigned)palette_group(picture->palette, colour)->rgb, from, top,
			   wide, HOLDER_PIXELS - 2);
		text.count = 0;
		add_spell_words(&text, picture, lock, spell, "", true);
		xml_add_text(to, text_in(&text, 0));
		add_string(to, "</title>");
		text.count = 0;
		if (room >= 4)
			add_label_fitted(&text, spell_holder(picture, spell), room - 1);
		while (text.count > 0 && text.at[text.count - 1] == ' ')
			text.count--;
		if (text.count > 0) {
			add_format(to, "<text class=\"b\" xml:space=\"preserve\" x=\"%.1f\" y=\"%u\">", from + 2, top + 10);
			xml_add_text(to, text_in(&text, 0));
			add_string(to, "</text>");
		}
		add_string(to, "</g>");
	}
	array_release(&text);
	text_table_release(&holders);
	lock_spells_release(&spells);
}

static void
add_svg_lock(struct text_buffer *to, const struct thread_picture *picture, const struct history_lock *lock,
	     unsigned top)
{
	const struct history_wait *wait = worst_wait(lock);
	struct text_buffer name = { 0 };

	add_lock_name(&name, picture->history, lock);
	add_string(to, "<g>");
	svg_add_label(to, text_in(&name, 0), top + 13);
	add_format(to, "<text class=\"k2\" x=\"4\" y=\"%u\">%.1f s lost</text><title>", top + 27,
		   (double)lock->lost_ns / 1e9);
	xml_add_text(to, text_in(&name, 0));
	add_format(to, ": %.1f s lost, %llu samples in %llu dumps, at most %u threads at once",
		   (double)lock->lost_ns / 1e9, (unsigned long long)lock->samples, (unsigned long long)lock->dumps,
		   lock->most);
	if (wait->holder != 0) {
		add_string(to, "; held by ");
		xml_add_text(to, diagnosis_text(picture->history->diagnosis,
						picture->history->rows.at[wait->holder - 1].name));
	}
	add_string(to, "</title>");
	add_lock_bars(to, picture, lock, top);
	add_holders(to, picture, lock, top + LOCK_PIXELS - HOLDER_PIXELS);
	add_string(to, "</g>\n");
	array_release(&name);
}

uint64_t
lock_svg_add(struct text_buffer *to, const struct thread_picture *picture)
{
	struct lock_list locks = locks_by_loss(picture->history);
	size_t shown = locks.list.count > picture->lines_most ? picture->lines_most : locks.list.count;
	unsigned findings = (unsigned)svg_findings(picture) * TEXT_PIXELS, top = TITLE_PIXELS;
	unsigned map = findings + (unsigned)shown * LOCK_PIXELS + TEXT_PIXELS + 2;
	uint64_t left_out = locks.list.count - shown;

	svg_add_opening(to, picture, top + map + 2 * TEXT_PIXELS, false, "Locks over time");
	top += svg_add_times(to, picture, top, map);
	top += svg_add_findings(to, picture, top);
	for (size_t l = 0; l < shown; l++, top += LOCK_PIXELS)
		add_svg_lock(to, picture, locks.list.at[l].lock, top);
	add_format(to, "<text class=\"k2\" x=\"4\" y=\"%u\">", top + TEXT_PIXELS);
	if (picture->history->dumps == 0)
		add_string(to, "no thread dumps");
	else if (shown == 0)
		add_string(to, "no thread waited for a lock");
	else
		add_format(to, "Threads that wait, at most, in each part of the time; %s: for each other. Below, who held the lock.",
			   picture->palette == PALETTE_GREY ? "darker" : "red");
	if (left_out > 0)
		add_format(to, " %llu more locks are not drawn.", (unsigned long long)left_out);
	add_string(to, "</text>\n</svg>\n");
	array_release(&locks.list);
	return left_out;
}
