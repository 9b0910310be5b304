/* SPDX-License-Identifier: MIT
 * ir_values: instructions are recognised by their first word, as far as the type of their result is concerned; where
 * that does not give it, an instruction that uses the result does. */
#include "probe/ir_values.h"

#include "base/bytes.h"
#include "probe/ir_text.h"

#include <xxhash.h>

/* --- instructions --- */

static bool
begins_clause(struct stk_text line)
{
	line = ir_skip_blanks(line);
	return ir_starts(line, "cleanup") || ir_starts(line, "catch ") || ir_starts(line, "filter ");
}

uint32_t
ir_instruction_end(const struct ir_module *m, const struct ir_block *block, uint32_t line)
{
	if (line == block->terminator_line)
		return block->end_line;
	for (line++; line < block->terminator_line && begins_clause(m->lines.at[line]); line++)
		continue;
	return line;
}

static bool
is_instruction(struct stk_text line, const char *word)
{
	struct stk_text rest = ir_right_side(line);

	return ir_starts(rest, word) && rest.size > strlen(word) && rest.data[strlen(word)] == ' ';
}

uint32_t
ir_first_instruction(const struct ir_module *m, const struct ir_block *block)
{
	struct stk_text name;

	return block->first_line + (block->name.size > 0 && ir_is_label(m->lines.at[block->first_line], &name));
}

uint32_t
ir_head_end(const struct ir_module *m, const struct ir_block *block)
{
	uint32_t line = ir_first_instruction(m, block);

	while (line < block->terminator_line) {
		struct stk_text text = ir_skip_blanks(m->lines.at[line]);

		if (text.size > 0 && *text.data != ';' && !is_instruction(text, "phi") &&
		    !is_instruction(text, "landingpad"))
			break;
		line = ir_instruction_end(m, block, line);
	}
	return line;
}

bool
ir_is_landing_pad(const struct ir_module *m, const struct ir_block *block)
{
	uint32_t end = ir_head_end(m, block);

	for (uint32_t line = ir_first_instruction(m, block); line < end; line = ir_instruction_end(m, block, line))
		if (is_instruction(m->lines.at[line], "landingpad"))
			return true;
	return false;
}

bool
ir_next_name(struct stk_text text, size_t *at, size_t *from, struct stk_text *name)
{
	for (size_t i = *at; i < text.size; i++) {
		char c = text.data[i];

		if (c == ';')
			break;
		if (c == '%') {
			struct stk_text behind = text_of(text.data + i + 1, text.size - i - 1);

			*name = ir_take_name(behind, &behind);
			*from = i;
			*at = (size_t)(behind.data - text.data);
			if (name->size > 0)
				return true;
			i = *at > i ? *at - 1 : i;
		} else if (c == '"') {
			const char *end = memchr(text.data + i + 1, '"', text.size - i - 1);

			if (end == NULL)
				break;
			i = (size_t)(end - text.data);
		}
	}
	*at = text.size;
	return false;
}

/* --- types --- */

/* The place after the bracket that closes the one at the beginning of the text; 0: there is none. */
static size_t
bracket_end(struct stk_text text)
{
	int depth = 0;

	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];

		if (c == '"') {
			const char *end = memchr(text.data + i + 1, '"', text.size - i - 1);

			if (end == NULL)
				return 0;
			i = (size_t)(end - text.data);
		}
		depth += c == '(' || c == '[' || c == '{' || c == '<';
		depth -= c == ')' || c == ']' || c == '}' || c == '>';
		if (depth == 0)
			return i + 1;
	}
	return 0;
}

static bool
is_type_word(struct stk_text word)
{
	static const char *const words[] = { "void", "half", "bfloat", "float", "double", "fp128", "x86_fp80",
		"ppc_fp128", "x86_mmx", "x86_amx", "ptr", "token", "metadata", NULL };

	for (size_t i = 0; words[i] != NULL; i++)
		if (text_is(word, words[i]))
			return true;
	for (size_t i = 1; i < word.size; i++)
		if (word.data[i] < '0' || word.data[i] > '9')
			return false;
	return word.size > 1 && *word.data == 'i';
}

/* How many bytes of the text are a type; 0: it does not begin with one. */
static size_t
type_size(struct stk_text text)
{
	struct stk_text behind = text;
	size_t size, more;

	if (text.size == 0)
		return 0;
	if (*text.data == '{' || *text.data == '[' || *text.data == '<') {
		size = bracket_end(text);
	} else if (*text.data == '%') {
		size = ir_take_name(text_of(text.data + 1, text.size - 1), &behind).size > 0
			? (size_t)(behind.data - text.data) : 0;
	} else {
		size = ir_take_name(text, &behind).size;
		if (!is_type_word(text_of(text.data, size)))
			return 0;
	}
	for (; size > 0; size += more) {		/* pointers to it, functions that return it */
		struct stk_text rest = text_of(text.data + size, text.size - size), inner = ir_skip_blanks(rest);

		more = 0;
		if (ir_starts(rest, "*"))
			more = 1;
		else if (ir_starts(inner, "addrspace("))
			more = (size_t)(inner.data - rest.data) + 9
				+ bracket_end(text_of(inner.data + 9, inner.size - 9));
		else if (ir_starts(inner, "(") && (more = bracket_end(inner)) > 0)
			more = more < inner.size && inner.data[more] == '*' ? (size_t)(inner.data - rest.data) + more
				+ 1 : 0;
		if (more == 0)
			break;
	}
	return size;
}

/* The first type in the text, words before it (flags, attributes, conventions) left out. */
static struct stk_text
first_type(struct stk_text text)
{
	for (;;) {
		struct stk_text behind;
		size_t size;

		text = ir_skip_blanks(text);
		size = type_size(text);
		if (size > 0 || text.size == 0)
			return text_of(text.data, size);
		behind = text;
		if (ir_take_name(text, &behind).size == 0)
			return text_of(text.data, 0);
		if (ir_starts(behind, "(")) {
			size = bracket_end(behind);
			if (size == 0)
				return text_of(text.data, 0);
			behind = text_of(behind.data + size, behind.size - size);
		}
		text = behind;
	}
}

static struct stk_text
behind_comma(struct stk_text text)
{
	int depth = 0;

	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];

		depth += c == '(' || c == '[' || c == '{' || c == '<';
		depth -= c == ')' || c == ']' || c == '}' || c == '>';
		if (c == ',' && depth == 0)
			return text_of(text.data + i + 1, text.size - i - 1);
	}
	return text_of(text.data, 0);
}

enum typing { TYPE_FIRST, TYPE_SECOND, TYPE_TO, TYPE_TRUTH, TYPE_POINTER_TO, TYPE_BY_USE, TYPE_EXCHANGE };

static const struct { const char *word; enum typing how; } typings[] = {
	{ "add", TYPE_FIRST }, { "fadd", TYPE_FIRST }, { "sub", TYPE_FIRST }, { "fsub", TYPE_FIRST },
		{ "mul", TYPE_FIRST }, { "fmul", TYPE_FIRST }, { "udiv", TYPE_FIRST },
	{ "sdiv", TYPE_FIRST }, { "fdiv", TYPE_FIRST }, { "urem", TYPE_FIRST }, { "srem", TYPE_FIRST },
		{ "frem", TYPE_FIRST }, { "shl", TYPE_FIRST }, { "lshr", TYPE_FIRST },
	{ "ashr", TYPE_FIRST }, { "and", TYPE_FIRST }, { "or", TYPE_FIRST }, { "xor", TYPE_FIRST },
		{ "fneg", TYPE_FIRST }, { "freeze", TYPE_FIRST }, { "phi", TYPE_FIRST },
	{ "load", TYPE_FIRST }, { "call", TYPE_FIRST }, { "tail", TYPE_FIRST }, { "notail", TYPE_FIRST },
		{ "invoke", TYPE_FIRST }, { "landingpad", TYPE_FIRST },
	{ "insertvalue", TYPE_FIRST }, { "insertelement", TYPE_FIRST }, { "select", TYPE_SECOND },
		{ "atomicrmw", TYPE_SECOND }, { "va_arg", TYPE_SECOND },
	{ "trunc", TYPE_TO }, { "zext", TYPE_TO }, { "sext", TYPE_TO }, { "fptrunc", TYPE_TO }, { "fpext", TYPE_TO },
		{ "fptoui", TYPE_TO }, { "fptosi", TYPE_TO }, { "uitofp", TYPE_TO },
	{ "sitofp", TYPE_TO }, { "ptrtoint", TYPE_TO }, { "inttoptr", TYPE_TO }, { "bitcast", TYPE_TO },
		{ "addrspacecast", TYPE_TO },
	{ "icmp", TYPE_TRUTH }, { "fcmp", TYPE_TRUTH }, { "alloca", TYPE_POINTER_TO }, { "cmpxchg", TYPE_EXCHANGE },
};

static struct stk_text
owned(const char *before, struct stk_text text, const char *behind)
{
	size_t first = strlen(before), last = strlen(behind);
	char *all = mem_new(first + text.size + last + 1, 1);

	memcpy(all, before, first);
	memcpy(all + first, text.data, text.size);
	memcpy(all + first + text.size, behind, last);
	return text_of(all, first + text.size + last);
}

/* The type in the instruction itself; empty: it has none. */
static struct stk_text
type_by_making(struct stk_text line, bool opaque)
{
	struct stk_text rest = ir_right_side(line), behind = rest, none = { "", 0 }, word = ir_take_name(rest, &behind),
		type = first_type(behind);
	enum typing how = TYPE_BY_USE;
	const char *at;

	for (size_t i = 0; i < sizeof typings / sizeof *typings; i++)
		if (text_is(word, typings[i].word))
			how = typings[i].how;
	if (how == TYPE_SECOND || how == TYPE_EXCHANGE || text_is(word, "getelementptr"))
		type = first_type(behind_comma(behind));
	if (opaque && text_is(word, "getelementptr") && text_is(type, "ptr"))	/* one of vectors is known by its use */
		return owned("", type, "");
	if (how == TYPE_TO && (at = ir_find_word(behind, "to ")) != NULL)
		type = first_type(ir_from(behind, at + 3));
	if (type.size == 0 || how == TYPE_BY_USE)
		return none;
	if (how == TYPE_TRUTH) {
		at = *type.data == '<' ? memchr(type.data, 'x', type.size) : NULL;
		return at != NULL ? owned("", text_of(type.data, (size_t)(at - type.data)), "x i1>")
			: owned("i1", none, "");
	}
	if (how == TYPE_POINTER_TO)
		return opaque ? owned("ptr", none, "") : owned("", type, "*");
	return how == TYPE_EXCHANGE ? owned("{ ", type, ", i1 }") : owned("", type, "");
}

/* The type in an instruction that uses the value: the last type that ends before it, with only attributes between. */
static struct stk_text
type_before(struct stk_text line, size_t end)
{
	struct stk_text none = { "", 0 };

	for (size_t from = end; from-- > 0; ) {
		struct stk_text rest = text_of(line.data + from, end - from);
		char c = line.data[from];
		size_t size;

		if (c == ',' || c == '=' || c == '@')
			break;
		if (from > 0 && (ir_name_char(line.data[from - 1]) || line.data[from - 1] == '%' ||
				 line.data[from - 1] == '"'))
			continue;
		size = type_size(rest);
		if (size > 0 && size < rest.size && rest.data[size] == ' ') {
			struct stk_text attributes = text_of(rest.data + size, rest.size - size);

			if (from > 0 && line.data[from - 1] != ' ' && line.data[from - 1] != '(' &&
			    line.data[from - 1] != '[')
				continue;
			if (!ir_has_char(attributes, '*') && !ir_has_char(attributes, '%'))
				return owned("", text_of(rest.data, size), "");
		}
	}
	return none;
}

static struct stk_text
type_by_use(const struct ir_module *m, const struct ir_function *f, const struct ir_value *value)
{
	struct stk_text none = { "", 0 };

	for (size_t b = 0; b < f->blocks.count; b++)
		for (uint32_t line = f->blocks.at[b].first_line; line < f->blocks.at[b].end_line; line++) {
			struct stk_text name, text = m->lines.at[line], type;
			size_t at = 0, from;

			while (ir_next_name(text, &at, &from, &name)) {
				if (!text_equal(name, value->name) || line == value->line)
					continue;
				type = type_before(text, from);
				if (type.size > 0)
					return type;
			}
		}
	return none;
}

/* --- phis --- */

bool
ir_phi(struct stk_text line, struct ir_phi *phi)
{
	struct stk_text rest, type;

	phi->ways.count = 0;
	if (!is_instruction(line, "phi"))
		return false;
	rest = ir_right_side(line);
	type = first_type(text_of(rest.data + 3, rest.size - 3));
	phi->type = type;
	phi->before = text_of(line.data, (size_t)(type.data + type.size - line.data));
	rest = ir_from(line, type.data + type.size);
	for (;;) {
		struct stk_text open = ir_skip_blanks(rest), value, block, behind;
		size_t size = ir_starts(open, "[") ? bracket_end(open) : 0, at = 0, from = 0, last = 0;

		if (size == 0)
			break;
		value = text_of(open.data + 1, size - 2);
		block = text_of("", 0);
		while (ir_next_name(value, &at, &from, &behind)) {
			last = from;
			block = behind;
		}
		value = ir_skip_blanks(text_of(value.data, last));
		while (value.size > 0 && (value.data[value.size - 1] == ' ' || value.data[value.size - 1] == ','))
			value.size--;
		*array_push(&phi->ways) = (struct ir_phi_way){ value, block };
		rest = text_of(open.data + size, open.size - size);
		open = ir_skip_blanks(ir_starts(rest, ",") ? text_of(rest.data + 1, rest.size - 1) : rest);
		if (!ir_starts(open, "["))
			break;
		rest = open;
	}
	phi->behind = rest;
	return phi->ways.count > 0;
}

/* --- finding --- */

static struct ir_value *
find_value(const struct ir_values *v, struct stk_text name)
{
	uint64_t hash = XXH3_64bits(name.data, name.size);
	uint32_t at = hash_map_start(&v->by_name, hash), id;

	while ((id = hash_map_next(&v->by_name, hash, &at)) != 0)
		if (text_equal(v->list.at[id - 1].name, name))
			return &v->list.at[id - 1];
	return NULL;
}

const struct ir_value *
ir_values_get(const struct ir_values *v, struct stk_text name)
{
	return find_value(v, name);
}

static void
note_values(struct ir_values *v, const struct ir_module *m, const struct ir_function *f)
{
	for (uint32_t b = 1; b < f->blocks.count; b++) {
		const struct ir_block *block = &f->blocks.at[b];
		uint32_t head = ir_head_end(m, block);

		for (uint32_t line = ir_first_instruction(m, block); line < block->end_line;
		     line = ir_instruction_end(m, block, line)) {
			struct stk_text name;

			if (!ir_result(m->lines.at[line], &name))
				continue;
			*array_push(&v->list) = (struct ir_value){
				.name = name, .block = b, .line = line, .head = line < head
			};
			hash_map_put(&v->by_name, XXH3_64bits(name.data, name.size), (uint32_t)v->list.count);
		}
	}
}

/* A phi's value must be known at the end of the block that it comes from. */
static void
note_phi_uses(struct ir_values *v, const struct ir_function *f, const bool *alone, const struct ir_phi *phi)
{
	for (size_t i = 0; i < phi->ways.count; i++) {
		struct stk_text name;
		size_t at = 0, from;

		while (ir_next_name(phi->ways.at[i].value, &at, &from, &name)) {
			struct ir_value *value = find_value(v, name);

			if (value != NULL)
				value->crosses |= !text_equal(f->blocks.at[value->block].name, phi->ways.at[i].block) ||
					(alone[value->block] && value->head);
		}
	}
}

static void
note_uses(struct ir_values *v, const struct ir_module *m, const struct ir_function *f, const bool *alone)
{
	struct ir_phi phi = { 0 };

	for (uint32_t b = 0; b < f->blocks.count; b++) {
		const struct ir_block *block = &f->blocks.at[b];
		uint32_t head = ir_head_end(m, block);

		for (uint32_t line = ir_first_instruction(m, block); line < block->end_line; line++) {
			struct stk_text text = m->lines.at[line], name;
			size_t at = 0, from;

			if (ir_is_debug(text))
				continue;
			if (ir_phi(text, &phi)) {
				note_phi_uses(v, f, alone, &phi);
				continue;
			}
			while (ir_next_name(text, &at, &from, &name)) {
				struct ir_value *value = find_value(v, name);

				if (value != NULL && (value->block != b || (alone[b] && value->head && line >= head)))
					value->crosses = true;
			}
		}
	}
	array_release(&phi.ways);
}

int
ir_values_find(struct ir_values *v, const struct ir_module *m, const struct ir_function *f, const bool *alone,
	       struct stk_error *err)
{
	*v = (struct ir_values){ 0 };
	note_values(v, m, f);
	note_uses(v, m, f, alone);
	for (size_t i = 0; i < v->list.count; i++) {
		struct ir_value *value = &v->list.at[i];

		if (!value->crosses)
			continue;
		value->type = type_by_making(m->lines.at[value->line], m->opaque);
		if (value->type.size == 0)
			value->type = type_by_use(m, f, value);
		if (value->type.size == 0)
			return stk_fail(err, STK_EUSAGE, "%.*s: the type of %%%.*s cannot be found (line %u)",
					(int)f->name.size, f->name.data, (int)value->name.size, value->name.data,
				value->line + 1);
	}
	return 0;
}

void
ir_values_release(struct ir_values *v)
{
	for (size_t i = 0; i < v->list.count; i++)
		if (v->list.at[i].type.size > 0)
			free((char *)(uintptr_t)v->list.at[i].type.data);
	array_release(&v->list);
	hash_map_release(&v->by_name);
}
