/* SPDX-License-Identifier: MIT
 * folded_text: "frame;frame;frame COUNT", root first, sorted by bytes. Samples are counted by ids while a stream is read; texts are made at its
 * end, once for
 * each distinct (key, stack). Memory: 24 bytes for each of these, and the distinct lines. */
#include "report/id_table.h"
#include "report/pair_sums.h"
#include "report/report.h"
#include "report/tally.h"

#include <stdlib.h>

#define KEYS_MAX   16
#define STATES_MAX 16		/* further ones, from the future, are one */

enum key {
	KEY_SOURCE, KEY_PROCESS, KEY_THREAD, KEY_POOL, KEY_STATE, KEY_PID, KEY_TID, KEY_COMMAND, KEY_COMMAND_PID, KEY_COMMAND_TID, KEY_NONE, KEY_COUNT
};

static const char *const key_names[KEY_COUNT] = {
	"source", "process", "thread", "pool", "state", "pid", "tid", "command", "command-pid", "command-tid", "none"
};

/* A prefix is the elements before the frames, and whether these are named as those of a Java process: 2 * number in prefix_texts + java. 0: not
 * yet known. */

struct folded {
	struct report report;
	enum key keys[KEYS_MAX];
	unsigned key_count;			/* 0: the usual first element */
	bool by_state;
	struct id_table prefix_of;		/* by thread: one for each state, those of samples in dumps behind the others */
	struct text_table prefix_texts;
	struct pair_sums sums;			/* by prefix and stack */
	struct text_buffer scratch;
	struct tally lines;
};

/* --- opening --- */

static int
read_keys(struct folded *f, const char *list, struct stk_error *err)
{
	for (const char *at = list; at != NULL && *at != '\0'; ) {
		size_t size = strcspn(at, ",");
		unsigned k = 0;

		while (k < KEY_COUNT && !text_is(text_of(at, size), key_names[k]))
			k++;
		if (k == KEY_COUNT)
			return stk_fail(err, STK_EUSAGE, "--by: '%.*s' is not one of source, process, thread, pool, state, pid, tid, command, "
					"command-pid, command-tid, none", (int)size, at);
		if (f->key_count == KEYS_MAX)
			return stk_fail(err, STK_EUSAGE, "--by: more than %d keys", KEYS_MAX);
		f->by_state |= k == KEY_STATE;
		f->keys[f->key_count++] = (enum key)k;
		at += size + (at[size] == ',');
	}
	return 0;
}

static void folded_close(void *context);

static void *
folded_open(const struct report *report, struct stk_error *err)
{
	struct folded *f = mem_new(1, sizeof *f);

	f->report = *report;
	f->prefix_of.size = 2 * STATES_MAX * sizeof(uint32_t);
	if (read_keys(f, report->by, err) < 0)
		return folded_close(f), NULL;
	return f;
}

/* --- the elements before the frames --- */

/* A ';' would begin another element, a newline another line. perf's commands are written with '_' for blanks. */
static void
add_element(struct text_buffer *to, struct stk_text text, bool command)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];

		add_char(to, c == ';' ? ':' : c == '\n' || c == '\r' ? ' ' : c == ' ' && command ? '_' : c);
	}
}

static void
add_number_or_unknown(struct text_buffer *to, uint64_t number)
{
	if (number == 0)
		add_char(to, '?');
	else
		add_unsigned(to, number);
}

/* 0 is a thread id of recordings: the idle task's. */
static void
add_tid(struct text_buffer *to, const struct stk_thread *thread, bool in_dump)
{
	if (in_dump)
		add_number_or_unknown(to, thread->tid);
	else
		add_unsigned(to, thread->tid);
}

static void
add_process(struct text_buffer *to, const struct model *model, const struct stk_source *source)
{
	struct stk_text name = model_string(model, source->process);

	if (name.size > 0)
		add_element(to, name, false);
	else
		add_number_or_unknown(to, source->pid);
}

static void
add_key(struct folded *f, enum key key, const struct stk_thread *thread, const struct stk_source *source, bool in_dump, uint64_t state)
{
	const char *const *states = stk_schema()->kind[STK_SAMPLE].column[STK_COLUMN(sample, state)].names;
	const struct model *model = f->report.model;
	struct text_buffer *to = &f->scratch;
	struct stk_text name = model_string(model, thread->name);

	switch (key) {
	case KEY_SOURCE:  add_element(to, model_string(model, source->name), false); break;
	case KEY_PROCESS: add_process(to, model, source); break;
	case KEY_THREAD:  add_element(to, name, false); break;
	case KEY_POOL:    add_element(to, naming_pool(name), false); break;
	case KEY_STATE:   add_string(to, state <= STK_STATE_SLEEPING ? states[state] : "?"); break;
	case KEY_PID:     add_number_or_unknown(to, source->pid); break;
	case KEY_TID:     add_tid(to, thread, in_dump); break;
	case KEY_COMMAND: case KEY_COMMAND_PID: case KEY_COMMAND_TID:
		add_element(to, name, true);
		if (key != KEY_COMMAND)
			add_char(to, '-'), add_number_or_unknown(to, source->pid);
		if (key == KEY_COMMAND_TID)
			add_char(to, '/'), add_tid(to, thread, in_dump);
		break;
	default:
		break;
	}
}

static void
add_keys(struct folded *f, uint64_t thread_id, uint64_t dump, uint64_t state)
{
	const struct model *model = f->report.model;
	struct stk_thread thread = model_thread(model, thread_id);
	struct stk_source source = model_source(model, thread_id != 0 ? thread.source : dump != 0 ? model_dump(model, dump).source : 0);

	bool known = model_knows(model, STK_THREAD, thread_id);
	enum key usual = dump != 0 ? KEY_POOL : KEY_COMMAND;

	f->scratch.count = 0;
	for (unsigned k = 0; k < f->key_count || k == 0; k++) {
		enum key key = f->key_count == 0 ? usual : f->keys[k];

		if (k > 0)
			add_char(&f->scratch, ';');
		if (known || key == KEY_STATE || key == KEY_NONE)
			add_key(f, key, &thread, &source, dump != 0, state);
		else
			add_char(&f->scratch, '?');
	}
}

static uint32_t
make_prefix(struct folded *f, uint64_t thread, uint64_t dump, uint64_t state)
{
	struct stk_text name = model_string(f->report.model, model_thread(f->report.model, thread).name);

	add_keys(f, thread, dump, state);
	return 2 * text_table_number(&f->prefix_texts, text_in(&f->scratch, 0)) + (dump == 0 && text_starts(name, "java"));
}

/* What is rare is not kept: a sample of a dump without a thread, which takes the dump's source, and one whose thread's definition was lost. */
static uint32_t
prefix_of(struct folded *f, uint64_t thread, uint64_t dump, uint64_t state)
{
	uint32_t *prefix;

	if (!model_knows(f->report.model, STK_THREAD, thread) || (thread == 0 && dump != 0))
		return make_prefix(f, thread, dump, state);
	prefix = id_table_at(&f->prefix_of, (uint32_t)thread);
	prefix += (dump != 0 ? STATES_MAX : 0) + (!f->by_state ? 0 : state < STATES_MAX ? state : STATES_MAX - 1);
	if (*prefix == 0)
		*prefix = make_prefix(f, thread, dump, state);
	return *prefix;
}

/* --- counting --- */

static int
folded_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct folded *f = context;
	const uint64_t *thread, *dump, *stack, *weight, *state;
	const uint32_t *rows;
	uint32_t count;

	if (block->kind != STK_SAMPLE)
		return 0;
	if (selection_rows(f->report.selection, reader, block, &rows, &count, err) < 0 ||
	    stk_reader_column(reader, STK_COLUMN(sample, thread), &thread, err) < 0 || stk_reader_column(reader, STK_COLUMN(sample, dump), &dump, err) < 0 ||
	    stk_reader_column(reader, STK_COLUMN(sample, stack), &stack, err) < 0 ||
	    stk_reader_column(reader, STK_COLUMN(sample, weight), &weight, err) < 0 ||
	    stk_reader_column(reader, STK_COLUMN(sample, state), &state, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = selected_row(rows, i);

		uint32_t prefix = prefix_of(f, thread[row], dump[row], state[row]);

		pair_sums_at(&f->sums, prefix, stack[row] < UINT32_MAX ? (uint32_t)stack[row] : UINT32_MAX)->weight += weight[row];
	}
	return 0;
}

/* --- lines --- */

static void
add_sum_to_lines(struct folded *f, const struct pair_sum *sum)
{
	struct text_buffer *line = &f->scratch;

	line->count = 0;
	add_text(line, text_table_text(&f->prefix_texts, sum->a / 2));
	if (sum->b != 0) {
		if (line->count > 0)
			add_char(line, ';');
		naming_add_stack(f->report.naming, sum->b, sum->a % 2 != 0, line);
	}
	if (line->count == 0)		/* a sample of which nothing is known still counts */
		add_char(line, '?');
	tally_add(&f->lines, text_in(line, 0), sum->weight);
}

static int
folded_turn(void *context, struct stk_error *err)
{
	struct folded *f = context;

	(void)err;
	for (size_t i = 0; i < f->sums.sums.count; i++)
		add_sum_to_lines(f, &f->sums.sums.at[i]);
	pair_sums_clear(&f->sums);
	id_table_clear(&f->prefix_of);
	text_table_clear(&f->prefix_texts);
	return 0;
}

struct line { struct stk_text text; uint64_t count; };

static int
compare_lines(const void *a, const void *b)
{
	const struct stk_text *x = &((const struct line *)a)->text, *y = &((const struct line *)b)->text;
	int order = memcmp(x->data, y->data, x->size < y->size ? x->size : y->size);

	return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

static int
folded_finish(void *context, struct stk_error *err)
{
	struct folded *f = context;
	struct text_buffer *to = &f->report.printer->text;
	size_t count = f->lines.counts.count;
	struct line *lines = mem_new(count + 1, sizeof *lines);
	int result = 0;

	for (size_t i = 0; i < count; i++)
		lines[i] = (struct line){ f->lines.texts.texts.at[i], f->lines.counts.at[i] };
	qsort(lines, count, sizeof *lines, compare_lines);
	for (size_t i = 0; i < count && result == 0; i++) {
		add_text(to, lines[i].text);
		add_char(to, ' '), add_unsigned(to, lines[i].count), add_char(to, '\n');
		result = printer_settle(f->report.printer, false, err);
	}
	free(lines);
	return result;
}

static void
folded_close(void *context)
{
	struct folded *f = context;

	id_table_clear(&f->prefix_of);
	pair_sums_release(&f->sums);
	array_release(&f->scratch);
	text_table_release(&f->prefix_texts);
	tally_release(&f->lines);
	free(f);
}

const struct report_form folded_form = {
	.name = "folded", .kinds = KIND_BIT(STK_SAMPLE),
	.open = folded_open, .turn = folded_turn, .take = folded_take, .finish = folded_finish, .close = folded_close
};
