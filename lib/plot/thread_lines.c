/* SPDX-License-Identifier: MIT
 * thread_lines: pools as thread_history sorts them, by process. */
#include "plot/thread_lines.h"

#include "plot/thread_looks.h"

#include "base/quantities.h"
#include "base/time_text.h"

#define OPENED_MOST 12 /* threads of a pool that are shown one by one */

static void
push_line(struct thread_lines *lines, enum thread_line_kind kind, uint32_t place)
{
	*array_push(&lines->list) = (struct thread_line){ kind, place };
}

static void
add_pool_lines(struct thread_lines *lines, const struct thread_picture *picture, uint32_t place)
{
	const struct history_pool *pool = &picture->history->pools.at[place];
	size_t shown = pool->rows.count > OPENED_MOST ? OPENED_MOST : pool->rows.count;

	if (lines->list.count >= picture->lines_most) {
		lines->pools++;
		lines->threads += pool->rows.count;
		return;
	}
	push_line(lines, LINE_POOL, place);
	if (pool->finding == 0 || pool->rows.count == 1)
		return;
	for (size_t i = 0; i < shown; i++)
		push_line(lines, LINE_THREAD, pool->rows.at[i]);
	if (shown < pool->rows.count)
		push_line(lines, LINE_MORE, (uint32_t)(pool->rows.count - shown));
}

static bool
only_waits_for_work(const struct history_pool *pool)
{
	for (unsigned look = 0; look < LOOKS; look += 2)
		if (pool->samples[look] > 0)
			return false;
	return pool->finding == 0;
}

/* What a process has. */
static void
add_process_lines(struct thread_lines *lines, const struct thread_picture *picture, uint32_t process, size_t from)
{
	const struct thread_history *h = picture->history;
	uint64_t idle = 0;

	if (h->processes.count > 1 && lines->list.count < picture->lines_most)
		push_line(lines, LINE_PROCESS, process);
	for (uint32_t k = (uint32_t)from; k < h->pools.count; k++) {
		if (h->pools.at[k].process != process)
			continue;
		if (only_waits_for_work(&h->pools.at[k]))
			idle += h->pools.at[k].rows.count;
		else
			add_pool_lines(lines, picture, k);
	}
	if (idle > 0)
		push_line(lines, LINE_IDLE, (uint32_t)idle);
}

void
thread_lines_make(struct thread_lines *out, const struct thread_picture *picture)
{
	const struct thread_history *h = picture->history;
	bool *done = mem_new(h->processes.count + 1, sizeof *done);

	*out = (struct thread_lines){ 0 };
	for (size_t p = 0; p < h->pools.count; p++) {
		uint32_t process = h->pools.at[p].process;

		if (done[process])
			continue;
		done[process] = true;
		add_process_lines(out, picture, process, p);
	}
	free(done);
}

void
thread_lines_release(struct thread_lines *lines)
{
	array_release(&lines->list);
}

/* --- what lines say --- */

void
add_line_label(struct text_buffer *to, const struct thread_picture *picture, const struct thread_line *line)
{
	const struct thread_history *h = picture->history;
	const struct history_pool *pool;
	struct stk_text name;

	switch (line->kind) {
	case LINE_PROCESS:
		add_text(to, diagnosis_text(h->diagnosis, dump_intake_process(diagnosis_intake(h->diagnosis),
									      h->processes.at[line->place].process)
								  ->name));
		return;
	case LINE_MORE: add_format(to, "  %u more", line->place); return;
	case LINE_IDLE:
		add_format(to, "%u %s only waited for work", line->place, plural(line->place, "thread", "threads"));
		return;
	case LINE_THREAD:
		add_string(to, "  ");
		add_text(to, diagnosis_text(h->diagnosis, h->rows.at[line->place - 1].name));
		return;
	case LINE_POOL: break;
	}
	pool = &h->pools.at[line->place];
	name = diagnosis_text(h->diagnosis, pool->rows.count == 1 ? h->rows.at[pool->rows.at[0] - 1].name : pool->pool);
	if (pool->vm)
		add_string(to, "(virtual machine)");
	else if (name.size == 0)
		add_string(to, "(without a name)");
	else
		add_text(to, name);
	if (pool->rows.count > 1)
		add_format(to, " (%zu)", pool->rows.count);
}

void
thread_line_parts(const struct thread_picture *picture, const struct thread_line *line, size_t count, double *parts)
{
	const struct thread_history *h = picture->history;

	memset(parts, 0, count * LOOKS * sizeof *parts);
	if (line->kind == LINE_THREAD)
		thread_history_parts(h, line->place, h->times, count, parts);
	for (size_t i = 0; line->kind == LINE_POOL && i < h->pools.at[line->place].rows.count; i++)
		thread_history_parts(h, h->pools.at[line->place].rows.at[i], h->times, count, parts);
}

const uint64_t *
thread_line_samples(const struct thread_picture *picture, const struct thread_line *line)
{
	return line->kind == LINE_THREAD ? picture->history->rows.at[line->place - 1].samples
					 : picture->history->pools.at[line->place].samples;
}

/* --- findings --- */

void
add_finding_words(struct text_buffer *to, const struct thread_picture *picture, const struct finding_line *line)
{
	const struct finding *finding = &picture->findings->list.at[line->first];

	if (finding->rule != RULE_HEALTHY)
		add_format(to, "%s, %s, ", severity_name(finding->severity), diag_rule_facts(finding->rule)->name);
	if (time_range_is_known(&finding->times)) {
		add_time_range(to, picture, &finding->times);
		add_string(to, ": ");
	}
	add_text(to, finding->summary);
	if (line->count > 1)
		add_format(to, "; %u in all", line->count);
	if (line->count > 1 && time_range_is_known(&line->times)) {
		add_string(to, ", ");
		add_time_range(to, picture, &line->times);
	}
}

void
add_finding_name(struct text_buffer *to, const struct thread_picture *picture, const struct finding_line *line)
{
	add_format(to, "%u ", line->number);
	if (line->count > 1)
		add_format(to, "x%u ", line->count);
	add_string(to, diag_rule_facts(picture->findings->list.at[line->first].rule)->name);
}

struct time_range
span_of_finding(const struct thread_picture *picture, const struct finding *finding)
{
	const struct thread_history *h = picture->history;
	uint32_t place = thread_history_process(h, finding->process);
	struct time_range span = finding->times;

	if (place == h->processes.count)
		return span;
	for (size_t i = 0; i < h->processes.at[place].dumps.count; i++) {
		const struct history_dump *dump = &h->processes.at[place].dumps.at[i];

		if (dump->from_ns < span.from_ns && finding->times.from_ns < dump->to_ns)
			span.from_ns = dump->from_ns;
		if (dump->from_ns <= finding->times.to_ns && span.to_ns < dump->to_ns)
			span.to_ns = dump->to_ns;
	}
	return span;
}

void
add_time_range(struct text_buffer *to, const struct thread_picture *picture, const struct time_range *times)
{
	char from[TIME_TEXT_MAX], until[TIME_TEXT_MAX];

	add_string(to, time_print(from, times->from_ns, picture->zone));
	if (times->to_ns == times->from_ns)
		return;
	add_string(to, " to ");
	add_string(to, time_print_after(until, times->to_ns, picture->zone, from));
}

void
add_what_is_drawn(struct text_buffer *to, const struct thread_picture *picture)
{
	const struct thread_history *h = picture->history;
	struct time_range times = TIME_RANGE_NONE;
	uint64_t threads = 0;

	for (size_t p = 0; p < h->pools.count; p++)
		threads += h->pools.at[p].rows.count;
	for (size_t p = 0; p < h->processes.count; p++)
		for (size_t i = 0; i < h->processes.at[p].dumps.count; i++)
			time_range_add(&times, h->processes.at[p].dumps.at[i].time_ns);
	add_format(to, "%llu %s, %llu %s", (unsigned long long)h->dumps, plural(h->dumps, "dump", "dumps"),
		   (unsigned long long)threads, plural(threads, "thread", "threads"));
	if (h->processes.count > 1)
		add_format(to, " of %zu processes", h->processes.count);
	if (!time_range_is_known(&times))
		return;
	add_string(to, ", ");
	add_time_range(to, picture, &times);
}

void
add_how_parts_are_drawn(struct text_buffer *to, const struct thread_picture *picture, size_t parts)
{
	const struct thread_history *h = picture->history;
	char length[TIME_TEXT_MAX];
	size_t dumps = 0;

	for (size_t p = 0; p < h->processes.count; p++)
		if (h->processes.at[p].dumps.count > dumps)
			dumps = h->processes.at[p].dumps.count;
	if (dumps <= parts)
		return;
	add_format(
		to,
		" What a thread did for most of %s is shown, blocked counted thrice and waiting for work a fifth: "
		"--window FROM..TO shows less time and more of it.",
		duration_print(length, (h->times.to_ns - h->times.from_ns) / (int64_t)parts / 1000000000 * 1000000000));
}
