/* SPDX-License-Identifier: MIT
 * llvm_ir: a reader of lines. A function goes from "define" to "}", a block from a label to an instruction that ends
 * it, which may span several lines. */
#include "probe/llvm_ir.h"

#include "base/bytes.h"
#include "probe/computed_jumps.h"
#include "probe/ir_text.h"
#include "probe/source_file_name.h"

#include <stdio.h>
#include <xxhash.h>

#define EXIT_NAME "(exit)"

struct source_place { uint32_t number, line; };		/* !number is a place in this line */

struct ir_reader {
	const char *name;
	struct ir_module *module;
	uint32_t line;				/* the current one */
	uint32_t *lines_of_places;		/* of metadata by number: the line of the source; 0 */
	uint32_t *files_of;			/* of metadata by number: line of the text + 1 that has its file */
	uint32_t places;
	struct stk_error *err;
};

static int
fail(const struct ir_reader *r, const char *what, struct stk_text text)
{
	if (text.size > 80)
		text.size = 80;
	return stk_fail(r->err, STK_EUSAGE, "%s:%u: %s%s%.*s%s", r->name, r->line + 1, what, text.size > 0 ? " '" : "",
			(int)text.size, text.data != NULL ? text.data : "", text.size > 0 ? "'" : "");
}

/* --- numbers --- */

static uint32_t
number_behind(struct stk_text text, const char *word)
{
	const char *at = ir_find_word(text, word);
	uint64_t number = 0;

	if (at == NULL)
		return 0;
	text = ir_from(text, at + strlen(word));
	for (size_t i = 0; i < text.size && text.data[i] >= '0' && text.data[i] <= '9' && number < UINT32_MAX / 10; i++)
		number = number * 10 + (uint64_t)(text.data[i] - '0');
	return (uint32_t)number;
}

/* --- places in the source --- */

/* "!12 = !DILocation(line: 7, ...": lines of places, and what file a function or scope is of. There are no more numbers
 * than lines. */
static void
note_place(struct ir_reader *r, struct stk_text line, uint32_t at)
{
	uint32_t number = number_behind(line, "!");

	if (!ir_starts(line, "!") || line.size < 2 || line.data[1] < '0' || line.data[1] > '9' || number >= r->places)
		return;
	if (ir_find_word(line, "DILocation(") != NULL)
		r->lines_of_places[number] = number_behind(line, "line: ");
	r->files_of[number] = at + 1;
}

static uint32_t
place_of(const struct ir_reader *r, struct stk_text line)
{
	uint32_t number = number_behind(line, "!dbg !");

	return number > 0 && number < r->places ? r->lines_of_places[number] : 0;
}

/* filename: "x.c": what is in quotes; empty. */
static struct stk_text
quoted(struct stk_text line, const char *key)
{
	const char *at = ir_find_word(line, key);
	struct stk_text none = { "", 0 }, behind;

	return at != NULL ? ir_take_name(ir_from(line, at + strlen(key)), &behind) : none;
}

static struct stk_text
kept(struct ir_reader *r, struct text_buffer *text)
{
	struct stk_text copy = text_of(arena_copy(&r->module->names, text->at, text->count), text->count);

	array_release(text);
	return copy;
}

static struct stk_text
meant(struct ir_reader *r, struct stk_text name)
{
	struct text_buffer plain = { 0 };

	if (name.size == 0 || memchr(name.data, '\\', name.size) == NULL)
		return name;
	ir_add_meant(&plain, name);
	return kept(r, &plain);
}

/* !DIFile(filename: "x.c", directory: "/home/me/find") */
static struct stk_text
file_of(struct ir_reader *r, uint32_t program)
{
	struct text_buffer name = { 0 };
	struct stk_text none = { "", 0 }, line;
	uint32_t file;

	if (program == 0 || program >= r->places || r->files_of[program] == 0)
		return none;
	file = number_behind(r->module->lines.at[r->files_of[program] - 1], "file: !");
	if (file == 0 || file >= r->places || r->files_of[file] == 0)
		return none;
	line = r->module->lines.at[r->files_of[file] - 1];
	add_source_file_name(&name, meant(r, quoted(line, "directory: ")), meant(r, quoted(line, "filename: ")));
	return kept(r, &name);
}

/* --- blocks --- */

/* Whether the next line still belongs to the instruction: a switch up to its ], an invoke or callbr up to its
 * labels. */
static bool
goes_on(const char *word, struct stk_text so_far, struct stk_text next)
{
	struct stk_text rest = ir_skip_blanks(next);

	if (strcmp(word, "switch") == 0 || strcmp(word, "indirectbr") == 0 || strcmp(word, "catchswitch") == 0)
		return ir_has_char(so_far, '[') && !ir_has_char(so_far, ']');
	return (strcmp(word, "invoke") == 0 || strcmp(word, "callbr") == 0) &&
		(ir_starts(rest, "to label") || ir_starts(rest, "unwind label") || ir_starts(rest, "["));
}

/* "%x" of every "label %x" in the lines of the terminator; names are put into the successors later. */
static void
take_labels(struct stk_text line, struct stk_text *names, size_t *count, size_t room)
{
	const char *at;

	while ((at = ir_find_word(line, "label %")) != NULL) {
		struct stk_text behind;

		behind = line = ir_from(line, at + 7);
		if (*count < room)
			names[(*count)++] = ir_take_name(line, &behind);
		line = behind;
	}
}

struct label_names { ARRAY(struct stk_text) list; };

uint32_t
ir_block_named(const struct ir_function *f, struct stk_text name)
{
	uint64_t hash = XXH3_64bits(name.data, name.size);
	uint32_t at = hash_map_start(&f->by_name, hash), id;

	while ((id = hash_map_next(&f->by_name, hash, &at)) != 0)
		if (text_equal(f->blocks.at[id - 1].name, name))
			return id - 1;
	return NO_BLOCK;
}

/* What was named, as numbers of blocks; all blocks of the function are known by now. */
static int
find_successors(struct ir_reader *r, const struct ir_function *f, const struct label_names *names,
		struct ir_block *block)
{
	for (size_t i = 0; i < names->list.count; i++) {
		uint32_t found = ir_block_named(f, names->list.at[i]);
		bool known = false;

		if (found == NO_BLOCK) {
			r->line = block->terminator_line;
			return fail(r, "there is no block", names->list.at[i]);
		}
		for (size_t k = 0; k < block->successors.count; k++)
			known |= block->successors.at[k] == found;
		if (!known)
			*array_push(&block->successors) = found;
	}
	return 0;
}

static void
collect_labels(const struct ir_module *module, const struct ir_block *block, struct label_names *names)
{
	names->list.count = 0;
	for (uint32_t line = block->terminator_line; line < block->end_line; line++) {
		size_t count = 0;

		array_reserve(&names->list, module->lines.at[line].size / 7 + 1);
		take_labels(module->lines.at[line], names->list.at + names->list.count, &count,
			    names->list.room - names->list.count);
		names->list.count += count;
	}
}

/* From the current line up to the end of its terminator. */
static int
read_block(struct ir_reader *r, struct ir_function *f, struct stk_text name)
{
	struct ir_block *block = array_push(&f->blocks);
	const char *word = NULL;

	*block = (struct ir_block){ .name = name, .first_line = r->line };
	for (; r->line < r->module->lines.count; r->line++) {
		struct stk_text line = r->module->lines.at[r->line], other;

		if (ir_starts(line, "}") || (ir_is_label(line, &other) && r->line > block->first_line))
			return fail(r, "a block without an end before this", name);
		if (block->source_line == 0)
			block->source_line = place_of(r, line);
		if (r->line == block->first_line && name.size > 0)
			continue;	/* the label, which may be called as an instruction is */
		word = ir_terminator(line);
		if (word != NULL)
			break;
	}
	if (word == NULL)
		return fail(r, "the text ends in the middle of a function", f->name);
	block->terminator_line = r->line;
	if (strcmp(word, "indirectbr") == 0)
		f->refused = "it jumps to addresses (indirectbr)";
	for (r->line++; r->line < r->module->lines.count; r->line++) {
		struct stk_text from = r->module->lines.at[block->terminator_line],
			last = r->module->lines.at[r->line - 1];

		if (!goes_on(word, text_of(from.data, (size_t)(last.data + last.size - from.data)),
			     r->module->lines.at[r->line]))
			break;
	}
	block->end_line = r->line;
	if (block->source_line == 0)
		block->source_line = place_of(r, r->module->lines.at[r->line - 1]);
	return 0;
}

/* --- functions --- */

static int
read_blocks(struct ir_reader *r, struct ir_function *f)
{
	struct stk_text name = { "", 0 };

	for (r->line++; r->line < r->module->lines.count; ) {
		struct stk_text line = ir_skip_blanks(r->module->lines.at[r->line]);

		if (ir_starts(line, "}"))
			return 0;
		if (line.size == 0 || *line.data == ';') {
			r->line++;
			continue;
		}
		if (f->blocks.count >= GRAPH_BLOCKS_MOST)
			return fail(r, "more than 100000 blocks in", f->name);
		if (!ir_is_label(r->module->lines.at[r->line], &name)) {
			if (f->blocks.count > 0)
				return fail(r, "an instruction after the end of a block:", line);
			name = text_of("", 0);
		}
		if (read_block(r, f, name) < 0)
			return -1;
	}
	return fail(r, "the text ends in the middle of a function", f->name);
}

static int
connect(struct ir_reader *r, struct ir_function *f)
{
	struct label_names names = { 0 };
	int result = 0;

	for (size_t b = 0; b < f->blocks.count; b++)
		hash_map_put(&f->by_name, XXH3_64bits(f->blocks.at[b].name.data, f->blocks.at[b].name.size),
			     (uint32_t)b + 1);
	for (size_t b = 0; b < f->blocks.count && result == 0; b++) {
		collect_labels(r->module, &f->blocks.at[b], &names);
		result = find_successors(r, f, &names, &f->blocks.at[b]);
	}
	array_release(&names.list);
	return result;
}

static int
read_function(struct ir_reader *r)
{
	struct stk_text line = r->module->lines.at[r->line], behind = line;
	const char *at = ir_find_word(line, "@");
	struct ir_function *f;
	uint32_t program = number_behind(line, "!dbg !");

	if (at == NULL)
		return fail(r, "a function without a name", line);
	f = array_push(&r->module->functions);
	*f = (struct ir_function){ .first_line = r->line };
	f->name = meant(r, ir_take_name(ir_from(line, at + 1), &behind));
	f->file = file_of(r, program);
	if (program > 0 && program < r->places && r->files_of[program] > 0)
		f->source_line = number_behind(r->module->lines.at[r->files_of[program] - 1], "line: ");
	if (read_blocks(r, f) < 0)
		return -1;
	f->end_line = r->line;
	f->source_end = f->source_line;
	for (uint32_t i = f->first_line; i < f->end_line; i++) {
		uint32_t place = place_of(r, r->module->lines.at[i]);

		f->source_end = place > f->source_end ? place : f->source_end;
	}
	if (f->blocks.count == 0)
		return fail(r, "a function without blocks:", f->name);
	return connect(r, f);
}

/* By the first pointer in a declaration or an instruction; without one, by the compiler that wrote it. */
static bool
has_opaque_pointers(const struct ir_module *m)
{
	uint32_t version = 0;

	for (size_t i = 0; i < m->lines.count; i++) {
		struct stk_text line = m->lines.at[i];
		const char *at = NULL;

		if (ir_starts(line, "!llvm.ident") || ir_starts(line, "source_filename") || ir_starts(line, "!") ||
		    ir_starts(line, ";")) {
			for (size_t k = 0; k + 14 < line.size && version == 0; k++)
				if (memcmp(line.data + k, "clang version ", 14) == 0)
					version = number_behind(text_of(line.data + k, line.size - k), "version ");
			continue;
		}
		for (struct stk_text rest = line; (at = ir_find_word(rest, "ptr")) != NULL;
		     rest = ir_from(rest, at + 3))
			if (!(at + 3 < line.data + line.size && ir_name_char(at[3])) && at > line.data &&
			    at[-1] != '%' && at[-1] != '@')
				return true;
		if (ir_has_char(line, '*'))
			return false;
	}
	return version >= 15;
}

static void
find_twice(struct ir_module *m)
{
	for (size_t i = 0; i < m->lines.count; i++) {
		struct stk_text line = m->lines.at[i], behind = line;

		if (ir_starts(line, "attributes #") && ir_find_word(line, "returns_twice") != NULL)
			*array_push(&m->twice) = ir_take_name(text_of(line.data + 12, line.size - 12), &behind);
	}
}

/* A module may have only data: then it is recognised by its beginning. */
static bool
has_module_head(const struct ir_module *m)
{
	for (size_t i = 0; i < m->lines.count; i++)
		if (ir_starts(m->lines.at[i], "source_filename = ") || ir_starts(m->lines.at[i], "target triple = "))
			return true;
	return false;
}

int
ir_module_read(struct ir_module **out, const char *name, const char *text, size_t size, struct stk_error *err)
{
	struct ir_module *m = *out = mem_new(1, sizeof *m);
	struct ir_reader r = { .name = name, .module = m, .err = err };
	struct ir_buffer lowered = { 0 };
	const char *end;
	int result = 0;

	if (memmem(text, size, "indirectbr ", strlen("indirectbr ")) != NULL) {
		computed_jumps_lower(&lowered, text_of(text, size));
		m->text = lowered.at;
		size = lowered.count;
	} else {
		m->text = mem_new(size + 1, 1);
		memcpy(m->text, text, size);
	}
	end = m->text + size;
	for (const char *from = m->text; from < end; ) {
		const char *newline = memchr(from, '\n', (size_t)(end - from));
		size_t length = newline != NULL ? (size_t)(newline - from) : (size_t)(end - from);

		*array_push(&m->lines) = text_of(from, length > 0 && from[length - 1] == '\r' ? length - 1 : length);
		from += length + 1;
	}
	r.places = (uint32_t)m->lines.count + 1;
	r.lines_of_places = mem_new(r.places, sizeof *r.lines_of_places);
	r.files_of = mem_new(r.places, sizeof *r.files_of);
	for (uint32_t i = 0; i < m->lines.count; i++)
		note_place(&r, m->lines.at[i], i);
	m->opaque = has_opaque_pointers(m);
	find_twice(m);
	for (r.line = 0; r.line < m->lines.count && result == 0; r.line++)
		if (ir_starts(m->lines.at[r.line], "define "))
			result = read_function(&r);
	free(r.lines_of_places);
	free(r.files_of);
	if (result == 0 && m->functions.count == 0 && !has_module_head(m)) {
		r.line = 0;
		result = fail(&r, "it has no function in LLVM's assembly language", text_of("", 0));
	}
	if (result < 0) {
		ir_module_free(m);
		*out = NULL;
	}
	return result;
}

void
ir_module_free(struct ir_module *m)
{
	if (m == NULL)
		return;
	for (size_t f = 0; f < m->functions.count; f++) {
		for (size_t b = 0; b < m->functions.at[f].blocks.count; b++)
			array_release(&m->functions.at[f].blocks.at[b].successors);
		array_release(&m->functions.at[f].blocks);
		hash_map_release(&m->functions.at[f].by_name);
	}
	array_release(&m->functions);
	array_release(&m->twice);
	array_release(&m->lines);
	arena_release(&m->names);
	free(m->text);
	free(m);
}

bool
ir_block_calls(const struct ir_module *m, const struct ir_block *block)
{
	bool calls = false;

	for (uint32_t line = block->first_line; line < block->end_line; line++) {
		struct stk_text text = m->lines.at[line];
		const char *at = ir_find_word(text, "@");

		calls |= ir_find_word(text, "call ") != NULL && (at == NULL || !ir_starts(ir_from(text, at), "@llvm."));
	}
	return calls;
}

static void
note_call(struct flow_graph *g, uint32_t number, struct stk_text name)
{
	struct text_buffer plain = { 0 };

	ir_add_meant(&plain, name);
	flow_graph_add_call(g, number, text_in(&plain, 0));
	array_release(&plain);
}

void
ir_block_note_calls(const struct ir_module *m, const struct ir_block *block, struct flow_graph *g, uint32_t number)
{
	for (uint32_t line = block->first_line; line < block->end_line; line++) {
		struct stk_text name;

		if (ir_called_name(m->lines.at[line], &name))
			note_call(g, number, name);
	}
}

const struct ir_function *
ir_module_find(const struct ir_module *m, struct stk_text name)
{
	for (size_t f = 0; f < m->functions.count; f++)
		if (text_equal(m->functions.at[f].name, name))
			return &m->functions.at[f];
	return NULL;
}

/* --- graphs --- */

/* "while.body@14"; blanks and '>' of quoted names become _. */
static uint32_t
add_block(struct flow_graph *g, const struct ir_block *block)
{
	char name[320], line[16] = "";
	struct stk_text label = block->name.size > 0 ? block->name : text_from("entry");
	bool number = label.data[0] >= '0' && label.data[0] <= '9';

	if (block->source_line > 0)
		snprintf(line, sizeof line, "@%u", block->source_line);
	snprintf(name, sizeof name, "%s%.*s%s", number ? "%" : "", label.size < 280 ? (int)label.size : 280, label.data,
		 line);
	for (char *c = name; *c != '\0'; c++)
		if ((unsigned char)*c <= ' ' || *c == '>' || *c == 127)
			*c = '_';
	while (flow_graph_find(g, text_from(name)) != NO_BLOCK && strlen(name) + 2 < sizeof name)
		memcpy(name + strlen(name), "'", 2);
	return flow_graph_add_block(g, text_from(name));
}

/* Blocks from which the exit is not reached, in a loop without an end: the last one gets a way there, until all have
 * one. */
static void
open_endless(struct flow_graph *g, uint32_t exit)
{
	for (;;) {
		bool *leads = mem_new(g->blocks.count, sizeof *leads);
		uint32_t last = NO_BLOCK;

		flow_graph_reach(g, exit, false, leads);
		for (uint32_t b = 0; b < g->blocks.count; b++)
			if (!leads[b])
				last = b;
		free(leads);
		if (last == NO_BLOCK)
			return;
		flow_graph_add_edge(g, last, exit);
	}
}

int
ir_function_graph(const struct ir_function *f, struct flow_graph **out, uint32_t *numbers, struct stk_error *err)
{
	uint32_t *number = mem_new(f->blocks.count, sizeof *number), *todo = mem_new(f->blocks.count, sizeof *todo),
		exit, fault;
	bool *reached = mem_new(f->blocks.count, sizeof *reached);
	struct flow_graph *g = *out = flow_graph_new(f->name);
	size_t count = 0;
	int result;

	reached[0] = true;
	todo[count++] = 0;
	while (count > 0) {
		const struct ir_block *block = &f->blocks.at[todo[--count]];

		for (size_t k = 0; k < block->successors.count; k++)
			if (!reached[block->successors.at[k]]) {
				reached[block->successors.at[k]] = true;
				todo[count++] = block->successors.at[k];
			}
	}
	for (uint32_t b = 0; b < f->blocks.count; b++)
		if (reached[b])
			number[b] = add_block(g, &f->blocks.at[b]);
	exit = flow_graph_add_block(g, text_from(EXIT_NAME));
	for (uint32_t b = 0; b < f->blocks.count; b++)
		if (reached[b]) {
			for (size_t k = 0; k < f->blocks.at[b].successors.count; k++)
				flow_graph_add_edge(g, number[b], number[f->blocks.at[b].successors.at[k]]);
			if (f->blocks.at[b].successors.count == 0)
				flow_graph_add_edge(g, number[b], exit);
		}
	for (uint32_t b = 0; b < f->blocks.count && numbers != NULL; b++)
		numbers[b] = reached[b] ? number[b] : NO_BLOCK;
	open_endless(g, exit);
	result = f->refused != NULL ? stk_fail(err, STK_EUSAGE, "%.*s: %s", (int)f->name.size, f->name.data, f->refused)
		: flow_graph_seal(g, number[0], exit, &fault, err);
	free(number);
	free(todo);
	free(reached);
	if (result < 0) {
		flow_graph_free(g);
		*out = NULL;
	}
	return result;
}
