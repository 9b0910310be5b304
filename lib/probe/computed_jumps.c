/* SPDX-License-Identifier: MIT
 * computed_jumps: the number of a label is the same wherever the module has its address, so that tables of addresses,
 * and of differences of addresses, hold what the switch asks for. No label has the number 0, because an address is
 * never NULL. */
#include "probe/computed_jumps.h"

#include "base/bytes.h"
#include "base/text_buffer.h"
#include "base/text_table.h"
#include "probe/ir_text.h"

struct lowering {
	struct text_table jumping, staying;	/* functions with such jumps; those whose jumps stay */
	struct text_table labels;		/* "FUNCTION	LABEL" */
	struct text_table several;		/* "FUNCTION	BLOCK" that comes to one label by several ways */
	struct text_buffer scratch;
	struct stk_text function, block;	/* those of the present line */
	unsigned jumps;				/* so far */
};

static const char address[] = "blockaddress(", jump[] = "indirectbr ";

static struct stk_text
take_line(struct stk_text *rest)
{
	struct stk_text line = text_take(rest, '\n');

	return line.size > 0 && line.data[line.size - 1] == '\r' ? text_of(line.data, line.size - 1) : line;
}

/* The function and the block of a line. */
static void
note_place(struct lowering *l, struct stk_text line)
{
	const char *at = ir_starts(line, "define ") ? ir_find_word(line, "@") : NULL;
	struct stk_text behind, label;

	if (at != NULL)
		l->function = ir_take_name(ir_from(line, at + 1), &behind);
	if (ir_is_label(line, &label))
		l->block = label;
}

static bool
is_lowered(const struct lowering *l, struct stk_text function)
{
	return text_table_find(&l->jumping, function) != 0 && text_table_find(&l->staying, function) == 0;
}

/* The next address of a label in a text: where it begins, of which function's label, and what follows it. */
static const char *
next_address(struct stk_text text, struct stk_text *function, struct stk_text *label, struct stk_text *behind)
{
	const char *at = ir_find_word(text, address);
	struct stk_text rest;

	if (at == NULL)
		return NULL;
	rest = ir_from(text, at + sizeof address - 1);
	if (!ir_starts(rest, "@"))
		return NULL;
	*function = ir_take_name(ir_from(rest, rest.data + 1), &rest);
	if (!ir_starts(rest, ", %"))
		return NULL;
	*label = ir_take_name(ir_from(rest, rest.data + 3), &rest);
	if (!ir_starts(rest, ")"))
		return NULL;
	*behind = ir_from(rest, rest.data + 1);
	return at;
}

/* The next label of "[label %a, label %b]". */
static bool
next_label(struct stk_text *rest, struct stk_text *label)
{
	static const char before[] = "label %";
	const char *at = ir_find_word(*rest, before);

	if (at == NULL)
		return false;
	*label = ir_take_name(ir_from(*rest, at + sizeof before - 1), rest);
	return label->size > 0;
}

static uint32_t
label_number(struct lowering *l, struct stk_text function, struct stk_text label)
{
	return text_table_number(&l->labels, text_joined(&l->scratch, function, label));
}

/* --- which functions --- */

/* Whether each label is there once. */
static bool
has_labels_once(struct stk_text line)
{
	struct text_table seen = { 0 };
	struct stk_text label;
	size_t count = 0;
	bool once;

	while (next_label(&line, &label)) {
		(void)text_table_number(&seen, label);
		count++;
	}
	once = seen.texts.count == count;
	text_table_release(&seen);
	return once;
}

static bool
is_whole(struct stk_text line)
{
	struct stk_text label;

	return ir_find_word(line, "[") != NULL && ir_has_char(line, ']') && next_label(&line, &label);
}

static void
look_at(struct lowering *l, struct stk_text line)
{
	struct stk_text function, label;

	note_place(l, line);
	if (ir_starts(ir_skip_blanks(line), jump)) {
		(void)text_table_number(&l->jumping, l->function);
		if (!is_whole(line))
			(void)text_table_number(&l->staying, l->function);
		else if (!has_labels_once(line))
			(void)text_table_number(&l->several, text_joined(&l->scratch, l->function, l->block));
	}
	if (ir_find_word(line, "asm ") != NULL)
		while (next_address(line, &function, &label, &line) != NULL)
			(void)text_table_number(&l->staying, function);
}

/* A value that comes from a block by several ways is written once for each of them, and would be so for one. */
static void
look_at_values(struct lowering *l, struct stk_text line)
{
	const char *at;

	note_place(l, line);
	if (!ir_starts(ir_right_side(line), "phi "))
		return;
	while ((at = ir_find_word(line, "%")) != NULL) {
		struct stk_text name = ir_take_name(ir_from(line, at + 1), &line);

		if (name.size == 0)
			return;
		if (text_table_find(&l->several, text_joined(&l->scratch, l->function, name)) != 0)
			(void)text_table_number(&l->staying, l->function);
	}
}

/* --- their text --- */

/* The word that ends before a place: the type of what is there. */
static struct stk_text
type_before(struct stk_text line, const char *at)
{
	const char *end = at, *from;

	while (end > line.data && end[-1] == ' ')
		end--;
	for (from = end; from > line.data && strchr(" ([{<,", from[-1]) == NULL; from--)
		continue;
	return text_of(from, (size_t)(end - from));
}

static void
put_numbers(struct lowering *l, struct ir_buffer *to, struct stk_text line)
{
	struct stk_text rest = line, function, label, behind;
	const char *at;

	while ((at = next_address(rest, &function, &label, &behind)) != NULL) {
		const char *end = is_lowered(l, function) ? at : behind.data;

		ir_put_text(to, text_of(rest.data, (size_t)(end - rest.data)));
		if (end == at) {
			ir_put(to, "inttoptr (i64 %u to ", label_number(l, function, label));
			ir_put_text(to, type_before(line, at));
			ir_put(to, ")");
		}
		rest = behind;
	}
	ir_put_text(to, rest);
	ir_put(to, "\n");
}

/* "indirectbr i8* %x, [label %a, label %b], !dbg !1": the first label is where all other numbers, which cannot be,
 * would lead. */
static void
put_switch(struct lowering *l, struct ir_buffer *to, struct stk_text line)
{
	struct stk_text operand = ir_from(ir_skip_blanks(line), ir_skip_blanks(line).data + sizeof jump - 1), label,
			rest = line;
	const char *list = ir_find_word(line, "["), *end = line.data + line.size;
	struct text_table seen = { 0 };

	while (end > line.data && end[-1] != ']')
		end--;
	operand.size = (size_t)(list - operand.data);
	while (operand.size > 0 && (operand.data[operand.size - 1] == ' ' || operand.data[operand.size - 1] == ','))
		operand.size--;
	ir_put(to, "  %%stk.jump%u = ptrtoint ", l->jumps);
	ir_put_text(to, operand);
	ir_put(to, " to i64\n  switch i64 %%stk.jump%u, ", l->jumps++);
	while (next_label(&rest, &label)) {
		bool first = seen.texts.count == 0;

		if (text_table_find(&seen, label) != 0)
			continue;
		(void)text_table_number(&seen, label);
		if (!first)
			ir_put(to, "    i64 %u, ", label_number(l, l->function, label));
		ir_put(to, "label %%");
		ir_put_name(to, "", label);
		ir_put(to, first ? " [\n" : "\n");
	}
	text_table_release(&seen);
	ir_put(to, "  ]");
	ir_put_text(to, ir_from(line, end));
	ir_put(to, "\n");
}

void
computed_jumps_lower(struct ir_buffer *to, struct stk_text module)
{
	struct lowering l = { 0 };
	struct stk_text rest = module;

	while (rest.size > 0)
		look_at(&l, take_line(&rest));
	for (rest = module; rest.size > 0 && l.several.texts.count > 0; )
		look_at_values(&l, take_line(&rest));
	for (rest = module; rest.size > 0; ) {
		struct stk_text line = take_line(&rest);

		note_place(&l, line);
		if (ir_starts(ir_skip_blanks(line), jump) && is_lowered(&l, l.function))
			put_switch(&l, to, line);
		else
			put_numbers(&l, to, line);
	}
	text_table_release(&l.jumping);
	text_table_release(&l.staying);
	text_table_release(&l.labels);
	text_table_release(&l.several);
	array_release(&l.scratch);
}
