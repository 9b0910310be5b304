/* SPDX-License-Identifier: MIT
 * thread_page: only texts and stacks that the page refers to are in it, in the order in which it does. */
#include "plot/thread_page.h"

#include "plot/heat_names.h"
#include "plot/page_text.h"
#include "plot/thread_looks.h"

#define NS_PER_MS 1000000
#define EVIDENCE_MOST 64
#define FINDINGS_MOST 300 /* lines of them */
#define TIMES_MOST 2000 /* of findings that share a line with a worse one */

extern const struct page_source threads_page_source; /* written by scripts/embed-page */

/* --- what the page numbers anew --- */

struct page_numbers {
	const struct thread_history *history;
	ARRAY(uint32_t) text_of, stack_of; /* by number of the diagnosis: number in the page + 1 */
	ARRAY(uint32_t) texts, stacks; /* the other way round */
};

static uint32_t
page_text_number(struct page_numbers *n, uint32_t text)
{
	if (n->texts.count == 0)
		*array_push(&n->texts) = 0;
	if (text == 0)
		return 0;
	array_lengthen(&n->text_of, (size_t)text + 1);
	if (n->text_of.at[text] == 0) {
		*array_push(&n->texts) = text;
		n->text_of.at[text] = (uint32_t)n->texts.count;
	}
	return n->text_of.at[text] - 1;
}

/* 0: none. */
static uint32_t
page_stack_number(struct page_numbers *n, uint32_t stack)
{
	if (stack == 0)
		return 0;
	array_lengthen(&n->stack_of, (size_t)stack + 1);
	if (n->stack_of.at[stack] == 0) {
		*array_push(&n->stacks) = stack;
		n->stack_of.at[stack] = (uint32_t)n->stacks.count;
	}
	return n->stack_of.at[stack];
}

/* --- parts of the block --- */

static void
add_stacks(struct text_buffer *to, struct page_numbers *n)
{
	const struct stack_facts *facts = diagnosis_stacks(n->history->diagnosis);

	for (size_t i = 0; i < n->stacks.count; i++) {
		uint32_t depth = stack_fact(facts, n->stacks.at[i])->depth;

		heat_add_varint(to, depth);
		for (uint32_t f = 0; f < depth; f++)
			heat_add_varint(to, page_text_number(n, stack_fact_function(facts, n->stacks.at[i], f)));
	}
}

static uint64_t
ms_between(int64_t from_ns, int64_t to_ns)
{
	int64_t from = from_ns / NS_PER_MS, to = to_ns / NS_PER_MS;

	return to > from ? (uint64_t)(to - from) : 0;
}

static void
add_processes(struct text_buffer *to, struct page_numbers *n)
{
	const struct thread_history *h = n->history;

	for (size_t p = 0; p < h->processes.count; p++) {
		const struct history_process *process = &h->processes.at[p];
		const struct dump_intake *intake = diagnosis_intake(h->diagnosis);
		int64_t before = h->times.from_ns;

		heat_add_varint(to, page_text_number(n, dump_intake_process(intake, process->process)->name));
		heat_add_varint(to, process->dumps.count);
		for (size_t i = 0; i < process->dumps.count; i++) {
			const struct history_dump *dump = &process->dumps.at[i];

			heat_add_varint(to, ms_between(before, dump->from_ns));
			heat_add_varint(to, ms_between(dump->from_ns, dump->to_ns));
			heat_add_varint(to, ms_between(dump->from_ns, dump->time_ns));
			heat_add_varint(to, dump->dumps);
			heat_add_varint(to, dump->threads);
			before = dump->to_ns;
		}
	}
}

static void
add_runs(struct text_buffer *to, struct page_numbers *n, const struct history_row *row)
{
	uint32_t next = 0;

	heat_add_varint(to, row->runs.count);
	for (size_t i = 0; i < row->runs.count; i++) {
		const struct history_run *run = &row->runs.at[i];

		heat_add_varint(to, run->first - next);
		heat_add_varint(to, run->last - run->first);
		heat_add_varint(to, run->look);
		heat_add_varint(to, page_stack_number(n, run->stack));
		heat_add_varint(to, run->lock);
		heat_add_varint(to, run->holder);
		next = run->last + 1;
	}
}

static void
add_rows(struct text_buffer *to, struct page_numbers *n)
{
	for (size_t r = 0; r < n->history->rows.count; r++) {
		const struct history_row *row = &n->history->rows.at[r];
		unsigned looks = 0;

		heat_add_varint(to, page_text_number(n, row->name));
		heat_add_varint(to, row->process);
		heat_add_varint(to, (row->chosen ? 1 : 0) + (row->vm ? 2 : 0));
		for (unsigned look = 0; look < LOOKS; look++)
			looks += row->samples[look] > 0;
		heat_add_varint(to, looks);
		for (unsigned look = 0; look < LOOKS; look++)
			if (row->samples[look] > 0) {
				heat_add_varint(to, look);
				heat_add_varint(to, row->samples[look]);
			}
		add_runs(to, n, row);
	}
}

static void
add_pools(struct text_buffer *to, struct page_numbers *n)
{
	for (size_t p = 0; p < n->history->pools.count; p++) {
		const struct history_pool *pool = &n->history->pools.at[p];

		heat_add_varint(to, pool->process);
		heat_add_varint(to, page_text_number(n, pool->pool));
		heat_add_varint(to, pool->vm);
		heat_add_varint(to, pool->finding);
		heat_add_varint(to, pool->rows.count);
		for (size_t i = 0; i < pool->rows.count; i++)
			heat_add_varint(to, pool->rows.at[i] - 1);
	}
}

static void
add_locks(struct text_buffer *to, struct page_numbers *n)
{
	for (size_t l = 0; l < n->history->locks.count; l++) {
		const struct history_lock *lock = &n->history->locks.at[l];
		uint32_t next = 0;

		heat_add_varint(to, lock->process);
		heat_add_varint(to, page_text_number(n, lock->class));
		heat_add_varint(to, lock->number);
		heat_add_varint(to, page_text_number(n, lock->wanted_at));
		heat_add_varint(to, lock->samples);
		heat_add_varint(to, lock->dumps);
		heat_add_varint(to, lock->most);
		heat_add_varint(to, lock->lost_ns > 0 ? (uint64_t)lock->lost_ns / NS_PER_MS : 0);
		heat_add_varint(to, (lock->chosen ? 1 : 0) + (lock->ring ? 2 : 0));
		heat_add_varint(to, lock->waits.count);
		for (size_t i = 0; i < lock->waits.count; i++) {
			const struct history_wait *wait = &lock->waits.at[i];

			heat_add_varint(to, wait->first - next);
			heat_add_varint(to, wait->last - wait->first);
			heat_add_varint(to, wait->waiters);
			heat_add_varint(to, wait->holder);
			heat_add_varint(to, page_text_number(n, wait->held_at));
			heat_add_varint(to, wait->ring);
			next = wait->last + 1;
		}
	}
}

/* Stacks are numbered by what follows them, and texts by all: these parts are made first. */
static void
add_data(struct text_buffer *to, struct page_numbers *n)
{
	const struct thread_history *h = n->history;
	struct text_buffer rows = { 0 }, rest = { 0 }, stacks = { 0 }, plain = { 0 };

	(void)page_text_number(n, 0);
	add_rows(&rows, n);
	add_pools(&rest, n);
	add_locks(&rest, n);
	add_stacks(&stacks, n);
	add_processes(&stacks, n);
	heat_add_varint(&plain, n->texts.count);
	heat_add_varint(&plain, n->stacks.count);
	heat_add_varint(&plain, h->processes.count);
	heat_add_varint(&plain, h->rows.count);
	heat_add_varint(&plain, h->pools.count);
	heat_add_varint(&plain, h->locks.count);
	add_text(&plain, text_in(&stacks, 0));
	add_text(&plain, text_in(&rows, 0));
	add_text(&plain, text_in(&rest, 0));
	for (size_t i = 0; i < n->texts.count; i++)
		heat_add_varint(&plain, diagnosis_text(h->diagnosis, n->texts.at[i]).size);
	for (size_t i = 0; i < n->texts.count; i++)
		add_text(&plain, diagnosis_text(h->diagnosis, n->texts.at[i]));
	heat_add_deflated(to, HEAT_NAMES, &plain);
	array_release(&rows);
	array_release(&rest);
	array_release(&stacks);
	array_release(&plain);
}

/* --- facts --- */

/* The rows of its evidence, of any thread of that name. */
static void
add_finding_rows(struct text_buffer *to, const struct thread_history *h, const struct finding *finding, size_t most)
{
	uint32_t process = thread_history_process(h, finding->process);
	size_t told = 0;

	add_string(to, ",\"rows\":[");
	for (uint32_t r = 0; r < h->rows.count && told < most; r++)
		if (h->rows.at[r].process == process && h->rows.at[r].chosen &&
		    finding_has(finding, h->rows.at[r].name))
			add_format(to, "%s%u", told++ > 0 ? "," : "", r);
	add_string(to, "]");
}

static void
add_finding_times(struct text_buffer *to, const struct thread_picture *picture, const struct finding *finding)
{
	struct time_range span = span_of_finding(picture, finding);

	add_format(to, "\"times\":[%lld,%lld],\"span\":[%lld,%lld]", (long long)(finding->times.from_ns / NS_PER_MS),
		   (long long)(finding->times.to_ns / NS_PER_MS), (long long)(span.from_ns / NS_PER_MS),
		   (long long)(span.to_ns / NS_PER_MS));
}

static void
add_finding_facts(struct text_buffer *to, const struct thread_picture *picture, const struct thread_history *h,
		  const struct finding_line *line, size_t *room)
{
	const struct finding *finding = &picture->findings->list.at[line->first];

	add_format(to, "{\"rule\":\"%s\",\"severity\":\"%s\",\"subject\":", diag_rule_facts(finding->rule)->name,
		   severity_name(finding->severity));
	page_add_json(to, finding->subject);
	add_string(to, ",\"summary\":");
	page_add_json(to, finding->summary);
	add_format(to,
		   ",\"threads\":%llu,\"samples\":%llu,\"dumps\":%llu,\"lost\":%.3f,\"count\":%u,\"all\":[%lld,%lld],",
		   (unsigned long long)finding->threads, (unsigned long long)finding->samples,
		   (unsigned long long)finding->dumps, (double)finding->lost_ns / 1e9, line->count,
		   (long long)(line->times.from_ns / NS_PER_MS), (long long)(line->times.to_ns / NS_PER_MS));
	add_finding_times(to, picture, finding);
	add_finding_rows(to, h, finding, EVIDENCE_MOST);
	add_string(to, ",\"more\":[");
	for (uint32_t f = picture->found->next.at[line->first]; f != 0 && *room > 0;
	     f = picture->found->next.at[f], --*room) {
		add_string(to, f == picture->found->next.at[line->first] ? "{" : ",{");
		add_finding_times(to, picture, &picture->findings->list.at[f]);
		add_finding_rows(to, h, &picture->findings->list.at[f], 1);
		add_char(to, '}');
	}
	add_string(to, "]}");
}

static void
add_findings(struct text_buffer *to, const struct thread_picture *picture, const struct thread_history *h)
{
	const struct finding_lines *found = picture->found;
	size_t shown = 0, room = TIMES_MOST;

	add_string(to, ",\"findings\":[");
	for (size_t l = 0; l < found->list.count && shown < FINDINGS_MOST; l++) {
		const struct finding *finding = &picture->findings->list.at[found->list.at[l].first];

		if (!time_range_is_known(&finding->times) && finding->rule != RULE_HEALTHY)
			continue;
		add_string(to, shown++ > 0 ? "," : "");
		add_finding_facts(to, picture, h, &found->list.at[l], &room);
	}
	add_format(to, "],\"unsaid\":%u", found->drawn > FINDINGS_MOST ? found->drawn - FINDINGS_MOST : 0);
}

static void
add_look_facts(struct text_buffer *to, enum palette palette)
{
	add_string(to, ",\"looks\":[");
	for (unsigned look = 0; look < LOOKS; look++)
		add_format(to, "%s[\"%c\",\"#%06X\",\"%s\"]", look > 0 ? "," : "", thread_look(look)->letter,
			   (unsigned)thread_look_fill(palette, look)->rgb, thread_look(look)->name);
	add_string(to, "],\"urgent\":[");
	for (unsigned place = 0; place < LOOKS; place++)
		add_format(to, "%s%u", place > 0 ? "," : "", urgent_look(place));
	add_format(to, "],\"alarms\":[\"#%06X\",\"#%06X\"]", (unsigned)palette_alarm(palette, false)->rgb,
		   (unsigned)palette_alarm(palette, true)->rgb);
}

static void
add_facts(struct text_buffer *to, const struct thread_picture *picture, const struct thread_history *h,
	  const struct thread_page_options *options)
{
	int64_t t0 = time_range_is_known(&h->times) ? h->times.from_ns : 0;

	page_begin_facts(to);
	add_format(
		to, ",\"t0\":\"%lld\",\"length\":%llu,\"dumps\":%llu,\"samples\":%llu,\"together\":%u", (long long)t0,
		(unsigned long long)(time_range_is_known(&h->times) ? ms_between(h->times.from_ns, h->times.to_ns) : 0),
		(unsigned long long)h->dumps, (unsigned long long)h->samples, h->together);
	add_format(to, ",\"untimed\":%llu,\"left\":%llu,\"monotonic\":false,\"locks\":%s",
		   (unsigned long long)h->untimed, (unsigned long long)h->left_out, options->locks ? "true" : "false");
	page_add_field(to, "title", picture->title);
	page_add_field(to, "zone", options->zone);
	page_add_field(to, "command", options->command);
	page_add_field(to, "shown", options->dumps);
	add_look_facts(to, picture->palette);
	add_findings(to, picture, h);
	page_end_facts(to);
}

static void
add_page(struct text_buffer *to, const struct thread_picture *picture, const struct thread_history *h,
	 const struct thread_page_options *options)
{
	struct page_numbers numbers = { .history = h };
	struct text_buffer block = { 0 };

	page_add_head(to, &threads_page_source, picture->title);
	add_facts(to, picture, h, options);
	page_add_probe(to, options->plain);
	add_data(&block, &numbers);
	page_add_block(to, "n", text_in(&block, 0), options->plain);
	page_add_script(to, &threads_page_source, options->plain);
	array_release(&block);
	array_release(&numbers.text_of);
	array_release(&numbers.stack_of);
	array_release(&numbers.texts);
	array_release(&numbers.stacks);
}

int
thread_page_add(struct text_buffer *to, const struct thread_picture *picture, struct thread_history *h,
		const struct thread_page_options *options, struct stk_error *err)
{
	size_t begin = to->count, smallest = page_bytes_without_data(&threads_page_source, options->plain) + 4096;

	if (options->max_bytes < smallest)
		return stk_fail(err, STK_EUSAGE,
				"--max-size: expected at least %zu kB: so much a page without data has",
				smallest / 1024 + 1);
	for (;;) {
		size_t moments = 0;

		add_page(to, picture, h, options);
		for (size_t p = 0; p < h->processes.count; p++)
			moments = h->processes.at[p].dumps.count > moments ? h->processes.at[p].dumps.count : moments;
		if (to->count - begin <= options->max_bytes || moments < 2)
			return 0;
		to->count = begin;
		thread_history_coarsen(h, 2);
	}
}
