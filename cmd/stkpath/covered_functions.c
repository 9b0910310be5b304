/* SPDX-License-Identifier: MIT
 * covered_functions: rows of kinds cfg, path_count and path_call, by function and file. */
#include "covered_functions.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "model/native_name.h"
#include "path/path_plan.h"
#include "program/program.h"
#include "report/counting_methods.h"

#include <stdlib.h>
#include <string.h>

static struct covered *
function_of(struct covered_functions *c, struct stk_text function, struct stk_text file)
{
	uint32_t number = text_table_number(&c->names, text_joined(&c->scratch, function, file));

	if (c->list.count < number)
		*array_push(&c->list) = (struct covered){ .graph = flow_graph_new(function) };
	return &c->list.at[number - 1];
}

/* Each time that counts are written, the whole graph comes first again. */
static void
take_edge(struct covered *f, const struct stk_cfg *row)
{
	uint32_t from = flow_graph_add_block(f->graph, row->from), to = flow_graph_add_block(f->graph, row->to);

	if (row->edge == f->graph->edges.count)
		flow_graph_add_edge(f->graph, from, to);
	else if (row->edge > f->graph->edges.count || f->graph->edges.at[row->edge].from != from ||
		 f->graph->edges.at[row->edge].to != to)
		f->left_out = "its graph is not the same everywhere: the program was changed, or edges were lost";
}

static void
take_call(struct covered *f, const struct stk_path_call *row)
{
	bool prime = text_is(row->method, path_method_names[PATH_AC]);

	f->called = true;
	f->prime |= prime;
	f->other |= !prime;
	f->inexact |= method_is_inexact(row->method);
	f->calls += row->calls;
	f->others += row->others;
	f->unfinished += row->unfinished;
}

int
covered_functions_take(struct covered_functions *c, struct stk_reader *reader, const struct stk_block *block,
		       struct stk_error *err)
{
	if (block->kind != STK_CFG && block->kind != STK_PATH_COUNT && block->kind != STK_PATH_CALL &&
	    block->kind != STK_NOTE)
		return 0;
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		struct stk_path_count count;
		struct stk_path_call call;
		struct stk_cfg edge;
		struct stk_note note;

		if (block->kind == STK_CFG) {
			stk_reader_row(reader, i, &edge);
			take_edge(function_of(c, edge.function, edge.file), &edge);
		} else if (block->kind == STK_NOTE) {
			stk_reader_row(reader, i, &note);
			if (text_is(note.about, "no probes"))
				(void)text_table_number(&c->without, note.text);
		} else if (block->kind == STK_PATH_COUNT) {
			stk_reader_row(reader, i, &count);
			tally_add(&function_of(c, count.function, count.file)->counts, count.path, count.count);
		} else {
			stk_reader_row(reader, i, &call);
			take_call(function_of(c, call.function, call.file), &call);
			if (call.time > c->latest_ns)
				c->latest_ns = call.time;
		}
	}
	return 0;
}

static void
seal(struct covered *f)
{
	struct stk_error why = { 0 };
	uint32_t exit = 0, fault;

	for (uint32_t b = 0; b < f->graph->blocks.count; b++)
		if (f->graph->blocks.at[b].out.count == 0)
			exit = b;
	if (f->left_out == NULL && f->graph->blocks.count == 0)
		f->left_out = "the stream does not have its graph";
	else if (f->left_out == NULL && flow_graph_seal(f->graph, 0, exit, &fault, &why) < 0)
		f->left_out = "its graph is not whole: edges were lost";
	if (f->left_out == NULL && !f->called)
		f->left_out = "the stream does not have its calls, so its counts may be lost too";
	if (f->left_out == NULL && f->inexact)
		f->left_out = INEXACT_COUNTS;
}

void
covered_functions_seal(struct covered_functions *c)
{
	for (size_t i = 0; i < c->list.count; i++)
		seal(&c->list.at[i]);
}

/* --- functions without probes --- */

#define NAMES_SAID 8		/* of each reason; the stream's notes have all */

/* "function: reason (file)" */
static void
split_without(struct stk_text text, struct stk_text *function, struct stk_text *reason)
{
	const char *end = memmem(text.data, text.size, ": ", 2);
	size_t from = end != NULL ? (size_t)(end - text.data) + 2 : text.size, to = text.size;

	while (to > from && !(text.data[to - 1] == '(' && text.data[to - 2] == ' '))
		to--;
	*function = text_of(text.data, end != NULL ? from - 2 : text.size);
	*reason = text_of(text.data + from, to > from + 1 ? to - 2 - from : text.size - from);
}

struct stk_text
covered_functions_reason(const struct covered_functions *c, struct stk_text function)
{
	for (size_t i = 0; i < c->without.texts.count; i++) {
		struct stk_text name, reason;

		split_without(c->without.texts.at[i], &name, &reason);
		if (native_name_is(name, function))
			return reason;
	}
	return text_of("", 0);
}

struct reason { struct stk_text text; size_t functions; struct text_buffer names; };

/* The reason of a list, which it is added to. */
static struct reason *
reason_in(struct reason *list, size_t *count, struct stk_text text)
{
	size_t i = 0;

	while (i < *count && !text_equal(list[i].text, text))
		i++;
	if (i == *count)
		list[(*count)++].text = text;
	return &list[i];
}

void
covered_functions_tell_without(const struct covered_functions *c)
{
	struct reason *reasons = mem_new(c->without.texts.count + 1, sizeof *reasons);
	size_t count = 0;

	for (size_t i = 0; i < c->without.texts.count; i++) {
		struct stk_text name, text;
		struct reason *reason;

		split_without(c->without.texts.at[i], &name, &text);
		reason = reason_in(reasons, &count, text);
		if (reason->functions++ >= NAMES_SAID)
			continue;
		add_string(&reason->names, reason->functions > 1 ? ", " : "");
		if (!native_name_add(&reason->names, name))
			add_text(&reason->names, name);
	}
	for (size_t i = 0; i < count; i++) {
		struct stk_text names = text_in(&reasons[i].names, 0);

		program_say("without probes: %zu functions (%.*s%s): %.*s", reasons[i].functions, (int)names.size,
			    names.data, reasons[i].functions > NAMES_SAID ? ", and others" : "",
			    (int)reasons[i].text.size, reasons[i].text.data);
		array_release(&reasons[i].names);
	}
	free(reasons);
}

struct stk_text
covered_folder(struct stk_text file)
{
	size_t size = file.size;

	while (size > 0 && file.data[size - 1] != '/')
		size--;
	return text_of(file.data, size > 0 ? size - 1 : 0);
}

void
covered_functions_release(struct covered_functions *c)
{
	for (size_t i = 0; i < c->list.count; i++) {
		flow_graph_free(c->list.at[i].graph);
		tally_release(&c->list.at[i].counts);
	}
	array_release(&c->list);
	text_table_release(&c->names);
	text_table_release(&c->without);
	array_release(&c->scratch);
}
