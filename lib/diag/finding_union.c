/* SPDX-License-Identifier: MIT
 * finding_union: ids of streams become texts, so that findings of any stream can be compared. */
#include "diag/finding_union.h"

#include "base/id_table.h"
#include "base/memory.h"
#include "base/text_buffer.h"
#include "base/text_table.h"
#include "diag/diag_rules.h"
#include "model/model.h"
#include "model/recorder.h"

#include <stdlib.h>

/* Ids in it are numbers of texts; a stack is the text of its functions, root first, each with a newline. */
struct joined_evidence { struct stk_evidence row; struct stk_thread thread; uint32_t stack, class; };

struct joined {
	struct joined_finding is;
	struct stk_source source;		/* likewise */
	ARRAY(struct joined_evidence) evidence;
	struct stk_text key;			/* all that it is: findings with the same are one */
};

struct finding_union {
	struct model *model;
	struct text_table texts;
	ARRAY(struct joined) list;
	struct id_table numbers;	/* size_t: place in the list plus 1, or SEVERAL; by the number in the stream */
	struct text_buffer room;
};

void
finding_union_open(struct finding_union **out, struct model *model)
{
	*out = mem_new(1, sizeof **out);
	**out = (struct finding_union){ .model = model, .numbers = { .size = sizeof(size_t) } };
}

void
finding_union_close(struct finding_union *u)
{
	if (u == NULL)
		return;
	for (size_t f = 0; f < u->list.count; f++)
		array_release(&u->list.at[f].evidence);
	array_release(&u->list);
	array_release(&u->room);
	id_table_clear(&u->numbers);
	text_table_release(&u->texts);
	free(u);
}

void
finding_union_turn(struct finding_union *u)
{
	id_table_clear(&u->numbers);
}

/* --- taking --- */

static uint32_t
text_number(struct finding_union *u, struct stk_text text)
{
	return text.size == 0 ? 0 : text_table_number(&u->texts, text);
}

static uint32_t
string_number(struct finding_union *u, uint64_t string)
{
	return text_number(u, model_string(u->model, model_id(u->model, STK_STRING, string)));
}

static struct stk_text
kept(struct finding_union *u, struct stk_text text)
{
	return text_table_text(&u->texts, text_number(u, text));
}

static struct stk_source
source_of(struct finding_union *u, uint64_t id)
{
	struct stk_source row = model_source(u->model, model_id(u->model, STK_SOURCE, id));

	row.name = string_number(u, row.name);
	row.host = string_number(u, row.host);
	row.process = string_number(u, row.process);
	row.vm = string_number(u, row.vm);
	row.zone = string_number(u, row.zone);
	return row;
}

#define SEVERAL SIZE_MAX

static void
take_finding(struct finding_union *u, const struct stk_finding *row)
{
	struct joined *to = array_push(&u->list);
	size_t *place = id_table_at(&u->numbers, row->number);

	*to = (struct joined){ .is.row = *row };
	to->is.row.rule = kept(u, row->rule);
	to->is.row.subject = kept(u, row->subject);
	to->is.row.summary = kept(u, row->summary);
	to->is.row.change = kept(u, row->change);
	to->is.row.number = 0;
	if (row->source != 0)
		to->source = source_of(u, row->source);
	to->is.row.source = row->source != 0;
	to->is.process = text_table_text(&u->texts, (uint32_t)to->source.name);
	to->is.zone = text_table_text(&u->texts, (uint32_t)to->source.zone);
	*place = *place == 0 ? u->list.count : SEVERAL;
}

static uint32_t
stack_number(struct finding_union *u, uint64_t id)
{
	uint32_t frames[1024], count;

	u->room.count = 0;
	count = model_stack_frames(u->model, model_id(u->model, STK_STACK, id), frames, 1024);
	for (uint32_t f = 0; f < count && f < 1024; f++) {
		add_text(&u->room, model_string(u->model, model_frame(u->model, frames[f]).function));
		add_char(&u->room, '\n');
	}
	return text_number(u, text_in(&u->room, 0));
}

/* It follows its finding; what has none is damaged, and of no use. */
static int
take_evidence(struct finding_union *u, const struct stk_evidence *row, struct stk_error *err)
{
	const size_t *place = id_table_find(&u->numbers, row->finding);
	struct joined_evidence evidence = { .row = *row };

	if (place == NULL || *place == 0 || *place == SEVERAL)
		return stk_fail(err, STK_EDATA, "evidence of finding %llu, which %s", (unsigned long long)row->finding,
				place == NULL || *place == 0 ? "is not there" :
				"is there twice (expected streams as stkdiag writes them, each by itself)");
	evidence.thread = model_thread(u->model, model_id(u->model, STK_THREAD, row->thread));
	evidence.thread.name = string_number(u, evidence.thread.name);
	evidence.thread.source = 0;
	evidence.stack = stack_number(u, row->stack);
	evidence.class = string_number(u, row->class);
	*array_push(&u->list.at[*place - 1].evidence) = evidence;
	return 0;
}

int
finding_union_take(struct finding_union *u, struct stk_reader *reader, const struct stk_block *block,
		   struct stk_error *err)
{
	union { struct stk_finding finding; struct stk_evidence evidence; } row;

	if (block->kind != STK_FINDING && block->kind != STK_EVIDENCE)
		return 0;
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		stk_reader_row(reader, i, &row);
		if (block->kind == STK_FINDING)
			take_finding(u, &row.finding);
		else if (take_evidence(u, &row.evidence, err) < 0)
			return -1;
	}
	return 0;
}

/* --- the end --- */

static void
add_numbers(struct text_buffer *to, const int64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_format(to, "%lld ", (long long)numbers[i]);
}

static void
add_key_text(struct text_buffer *to, struct stk_text text)
{
	add_text(to, text);
	add_char(to, '\0');
}

/* By all that can be seen of it. */
static void
set_key(struct finding_union *u, struct joined *f)
{
	const struct stk_finding *row = &f->is.row;
	const struct stk_source *s = &f->source;
	const uint64_t texts[] = { s->name, s->host, s->process, s->vm, s->zone };
	const int64_t numbers[] = { row->time, row->until, (int64_t)row->threads, (int64_t)row->samples,
		(int64_t)row->dumps, row->lost, row->other_time, row->other_until, (int64_t)s->pid, (int64_t)s->runtime,
		(int64_t)s->clock };
	struct text_buffer *to = &u->room;

	to->count = 0;
	for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
		add_key_text(to, text_table_text(&u->texts, (uint32_t)texts[t]));
	add_key_text(to, row->summary);
	add_key_text(to, row->change);
	add_numbers(to, numbers, sizeof numbers / sizeof *numbers);
	for (size_t e = 0; e < f->evidence.count; e++) {
		const struct joined_evidence *at = &f->evidence.at[e];
		const int64_t more[] = { (int64_t)at->row.part, (int64_t)at->row.address, (int64_t)at->row.dumps,
			at->row.time, at->row.until, (int64_t)at->thread.number, (int64_t)at->thread.tid };

		add_key_text(to, text_table_text(&u->texts, (uint32_t)at->thread.name));
		add_key_text(to, text_table_text(&u->texts, at->stack));
		add_key_text(to, text_table_text(&u->texts, at->class));
		add_numbers(to, more, sizeof more / sizeof *more);
	}
	f->key = kept(u, text_in(to, 0));
}

static bool
is_healthy(const struct joined *f)
{
	return text_is(f->is.row.rule, diag_rule_facts(RULE_HEALTHY)->name);
}

/* The order of a run (diag_findings_sort), and then one that is always the same. */
static int
compare(const void *left, const void *right)
{
	const struct joined *x = left, *y = right;
	const struct stk_finding *a = &x->is.row, *b = &y->is.row;
	enum diag_rule first, second;
	int order;

	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (is_healthy(x) != is_healthy(y))
		return is_healthy(x) ? -1 : 1;
	if (a->lost != b->lost)
		return a->lost > b->lost ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	first = diag_rule_find(a->rule);
	second = diag_rule_find(b->rule);
	if (first != second)
		return first < second ? -1 : 1;
	order = text_compare(a->rule, b->rule);
	order = order != 0 ? order : text_compare(a->subject, b->subject);
	return order != 0 ? order : text_compare(x->key, y->key);
}

void
finding_union_end(struct finding_union *u)
{
	bool warned = false;
	size_t left = 0;

	for (size_t f = 0; f < u->list.count; f++) {
		set_key(u, &u->list.at[f]);
		warned |= u->list.at[f].is.row.severity > STK_SEVERITY_INFO;
	}
	if (u->list.count > 0)
		qsort(u->list.at, u->list.count, sizeof *u->list.at, compare);
	for (size_t f = 0; f < u->list.count; f++) {
		struct joined *at = &u->list.at[f];

		if ((warned && is_healthy(at)) || (left > 0 && compare(at, &u->list.at[left - 1]) == 0))
			array_release(&at->evidence);
		else
			u->list.at[left++] = *at;
	}
	u->list.count = left;
}

size_t
finding_union_count(const struct finding_union *u)
{
	return u->list.count;
}

const struct joined_finding *
finding_union_at(const struct finding_union *u, size_t place)
{
	return &u->list.at[place].is;
}

/* --- records --- */

static uint64_t
written_text(const struct finding_union *u, struct recorder *to, uint64_t number)
{
	return recorder_string(to, text_table_text(&u->texts, (uint32_t)number));
}

static uint64_t
written_source(const struct finding_union *u, struct recorder *to, const struct joined *f)
{
	struct stk_source row = f->source;

	if (f->is.row.source == 0)
		return 0;
	row.name = written_text(u, to, row.name);
	row.host = written_text(u, to, row.host);
	row.process = written_text(u, to, row.process);
	row.vm = written_text(u, to, row.vm);
	row.zone = written_text(u, to, row.zone);
	return recorder_source(to, &row);
}

static uint64_t
written_stack(const struct finding_union *u, struct recorder *to, uint32_t number)
{
	struct stk_text functions = text_table_text(&u->texts, number);
	uint32_t stack = 0;

	while (functions.size > 0) {
		const char *end = memchr(functions.data, '\n', functions.size);
		size_t size = end == NULL ? functions.size : (size_t)(end - functions.data);
		struct stk_frame frame = { .function = recorder_string(to, text_of(functions.data, size)) };

		stack = recorder_stack(to, stack, recorder_frame(to, &frame));
		size += end != NULL;
		functions = text_of(functions.data + size, functions.size - size);
	}
	return stack;
}

static int
write_one(const struct finding_union *u, const struct joined *f, uint64_t number, struct recorder *to,
	  struct stk_writer *writer, struct stk_error *err)
{
	struct stk_finding row = f->is.row;

	row.number = number;
	row.source = written_source(u, to, f);
	if (stk_writer_add(writer, STK_FINDING, &row, err) < 0)
		return -1;
	for (size_t e = 0; e < f->evidence.count; e++) {
		const struct joined_evidence *at = &f->evidence.at[e];
		struct stk_thread thread = at->thread;
		struct stk_evidence evidence = at->row;

		thread.source = row.source;
		thread.name = written_text(u, to, thread.name);
		evidence.finding = number;
		evidence.thread = recorder_thread(to, &thread);
		evidence.stack = written_stack(u, to, at->stack);
		evidence.class = written_text(u, to, at->class);
		if (stk_writer_add(writer, STK_EVIDENCE, &evidence, err) < 0)
			return -1;
	}
	return 0;
}

int
finding_union_write(const struct finding_union *u, struct stk_writer *writer, struct stk_error *err)
{
	struct recorder *to;
	int result = 0;

	if (recorder_open(&to, writer) < 0)
		return stk_fail(err, STK_ESYSTEM, "out of memory");
	for (size_t f = 0; result == 0 && f < u->list.count; f++)
		result = write_one(u, &u->list.at[f], f + 1, to, writer, err);
	if (result == 0)
		result = recorder_error(to, err);
	recorder_close(to);
	return result;
}
