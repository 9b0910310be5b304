/* SPDX-License-Identifier: MIT
 * probe_ops: each operation on words in a few lines of LLVM's assembly language. */
#include "probe/probe_ops.h"

#include "base/bytes.h"
#include "probe/probe_kind.h"

#include <inttypes.h>
#include <stdio.h>

bool
probe_may_end(const struct word_ops *ops)
{
	bool may = false;

	for (size_t i = 0; i < ops->list.count; i++) {
		const struct word_op *op = &ops->list.at[i];

		may |= op->kind == WORD_END || op->kind == WORD_CHK || op->kind == WORD_REFUSE ||
			op->kind == WORD_LCHK || (op->kind == WORD_TABLE && op->ends);
	}
	return may;
}

bool
probe_always_ends(const struct word_ops *ops)
{
	for (size_t i = 0; i < ops->list.count; i++)
		if (ops->list.at[i].kind == WORD_END)
			return true;
	return false;
}

bool
probe_splits(const struct word_ops *ops)
{
	for (size_t i = 0; i < ops->list.count; i++)
		if (ops->list.at[i].kind == WORD_SPILL)
			return true;
	return probe_may_end(ops);
}

static unsigned
load_r(struct probe_writer *w)
{
	ir_put(w->text, "  %%stk.%u = load %s, %s %%stk.r\n", w->names, probe_word(w), probe_word_pointer(w));
	return w->names++;
}

static unsigned
load_l(struct probe_writer *w)
{
	ir_put(w->text, "  %%stk.%u = load i64, %s %%stk.l\n", w->names, PROBE_POINTER(w, "i64"));
	return w->names++;
}

static void
store_r(struct probe_writer *w, unsigned name)
{
	ir_put(w->text, "  store %s %%stk.%u, %s %%stk.r\n", probe_word(w), name, probe_word_pointer(w));
}

static void
set_r(struct probe_writer *w, path_word value)
{
	ir_put(w->text, "  store %s ", probe_word(w));
	probe_put_word(w->text, value);
	ir_put(w->text, ", %s %%stk.r\n", probe_word_pointer(w));
}

/* %stk.N = WHAT type %stk.A, value */
static unsigned
apply(struct probe_writer *w, const char *what, unsigned name, path_word value)
{
	ir_put(w->text, "  %%stk.%u = %s %s %%stk.%u, ", w->names, what, probe_word(w), name);
	probe_put_word(w->text, value);
	ir_put(w->text, "\n");
	return w->names++;
}

/* --- counts --- */

static void
add_one(struct probe_writer *w, unsigned pointer)
{
	if (w->options->atomic) {
		ir_put(w->text, "  %%stk.%u = atomicrmw add %s %%stk.%u, i64 1 monotonic\n", w->names++,
		       PROBE_POINTER(w, "i64"), pointer);
		return;
	}
	ir_put(w->text, "  %%stk.%u = load i64, %s %%stk.%u, !alias.scope !%u\n", w->names, PROBE_POINTER(w, "i64"),
	       pointer, w->scope);
	ir_put(w->text, "  %%stk.%u = add i64 %%stk.%u, 1\n", w->names + 1, w->names);
	ir_put(w->text, "  store i64 %%stk.%u, %s %%stk.%u, !alias.scope !%u\n", w->names + 1, PROBE_POINTER(w, "i64"),
	       pointer, w->scope);
	w->names += 2;
}

static unsigned
count_at(struct probe_writer *w, const char *place)
{
	ir_put(w->text, "  %%stk.%u = getelementptr inbounds i64, %s %%stk.counts, i64 %s\n", w->names,
	       PROBE_POINTER(w, "i64"), place);
	return w->names++;
}

void
probe_write_increment(struct probe_writer *w, uint64_t place)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, place);
	add_one(w, count_at(w, text));
}

/* At the place r plus a constant. */
static void
increment_at_r(struct probe_writer *w, uint64_t more)
{
	char place[24];

	snprintf(place, sizeof place, "%%stk.%u", apply(w, "add", load_r(w), more));
	add_one(w, count_at(w, place));
}

void
probe_write_count(struct probe_writer *w)
{
	const struct word_plan *words = w->probed->words;
	unsigned r;

	switch (probed_kind_of(w->probed)) {
	case PROBED_LISTED:
		if (words->keeping == KEEP_TABLE) {
			increment_at_r(w, PROBED_MARKS - 1);
		} else {
			char place[24];

			r = load_r(w);
			ir_put(w->text, "  %%stk.%u = call i64 @stk.f%u.find(%s %%stk.%u)\n", w->names, w->number,
			       probe_word(w), r);
			snprintf(place, sizeof place, "%%stk.%u", w->names++);
			add_one(w, count_at(w, place));
		}
		break;
	case PROBED_SUMS:
		if (probe_counts_in_place(w->probed)) {
			increment_at_r(w, PROBED_MARKS);
			break;
		}
		ir_put(w->text, "  call void @stkpath_count(%s %%stk.counts, i64 %%stk.%u, i64 0)\n",
		       PROBE_POINTER(w, "i64"), load_r(w));
		break;
	case PROBED_DIGITS:
		r = load_r(w);
		ir_put(w->text, "  %%stk.%u = load i64, %s %%stk.piece\n", w->names, PROBE_POINTER(w, "i64"));
		ir_put(w->text, "  call void @stkpath_count(%s %%stk.counts, i64 %%stk.%u, i64 %%stk.%u)\n",
		       PROBE_POINTER(w, "i64"), r, w->names++);
		break;
	case PROBED_SUB_PATHS:
	case PROBED_STEPS:
		break;
	}
}

/* --- operations --- */

/* r is stored when it is large, and starts again. */
static void
write_spill(struct probe_writer *w, const struct word_op *op)
{
	unsigned r = load_r(w), label = w->names++;

	ir_put(w->text, "  %%stk.%u = icmp uge i64 %%stk.%u, %" PRIu64 "\n", w->names, r, spill_limit(op->a));
	ir_put(w->text, "  br i1 %%stk.%u, label %%stk.a%u, label %%stk.k%u\nstk.a%u:\n", w->names++, label, label,
	       label);
	ir_put(w->text, "  %%stk.%u = load i64, %s %%stk.piece\n", w->names, PROBE_POINTER(w, "i64"));
	ir_put(w->text, "  %%stk.%u = call i64 @stkpath_put_away(%s %%stk.counts, i64 %%stk.%u, i64 %%stk.%u)\n",
	       w->names + 1, PROBE_POINTER(w, "i64"), w->names, r);
	ir_put(w->text, "  store i64 %%stk.%u, %s %%stk.piece\n", w->names + 1, PROBE_POINTER(w, "i64"));
	w->names += 2;
	set_r(w, 1);
	ir_put(w->text, "  br label %%stk.k%u\nstk.k%u:\n", label, label);
	store_r(w, apply(w, "add", apply(w, "mul", load_r(w), op->a), op->b));
}

static void
write_shift(struct probe_writer *w, const struct word_op *op)
{
	unsigned bits = w->probed->words->keeping == KEEP_SHIFT128 ? 128 : 64, r = 0, l;
	bool all_out = op->shift >= bits;

	if (all_out && op->kind == WORD_SHIFT) {
		set_r(w, op->digits);
		return;
	}
	if (!all_out)
		r = apply(w, "shl", load_r(w), op->shift);
	if (op->kind == WORD_SHIFT) {
		store_r(w, apply(w, "or", r, op->digits));
		return;
	}
	l = load_l(w);
	if (bits == 128) {
		ir_put(w->text, "  %%stk.%u = zext i64 %%stk.%u to i128\n", w->names, l);
		l = w->names++;
	}
	if (!all_out) {
		ir_put(w->text, "  %%stk.%u = or %s %%stk.%u, %%stk.%u\n", w->names, probe_word(w), r, l);
		l = w->names++;
	}
	store_r(w, l);
}

static void
write_join(struct probe_writer *w, const struct word_op *op)
{
	unsigned r = apply(w, "mul", load_r(w), op->a), l = load_l(w);

	ir_put(w->text, "  %%stk.%u = add i64 %%stk.%u, %%stk.%u\n", w->names, r, l);
	store_r(w, w->names++);
}

static void
write_check(struct probe_writer *w, const struct word_op *op, const char *end_label)
{
	unsigned value = op->kind == WORD_LCHK ? load_l(w) : load_r(w);
	const char *type = op->kind == WORD_LCHK ? "i64" : probe_word(w);
	char go_on[24];

	snprintf(go_on, sizeof go_on, "stk.k%u", w->names++);
	ir_put(w->text, "  switch %s %%stk.%u, label %%%s [", type, value, op->kind == WORD_REFUSE ? go_on : end_label);
	for (size_t i = 0; i < op->set.list.count; i++) {
		ir_put(w->text, "\n    %s ", type);
		probe_put_word(w->text, op->set.list.at[i]);
		ir_put(w->text, ", label %%%s", op->kind == WORD_REFUSE ? end_label : go_on);
	}
	ir_put(w->text, " ]\n%s:\n", go_on);
}

static const char *
table_type(const struct word_op *op)
{
	uint32_t most = 0;

	for (size_t i = 0; i < op->table_count; i++)
		most = op->table[i] > most ? op->table[i] : most;
	return most < 256 ? "i8" : most < 65536 ? "i16" : "i32";
}

/* The longest run of numbers that all change by the same amount: r in loops, round after round. */
struct run { size_t from, to; uint64_t more; };

static struct run
longest_run(const struct word_op *op)
{
	struct run best = { 0 }, run = { 0 };

	for (size_t i = 1; i < op->table_count; i++) {
		uint64_t more = (uint64_t)op->table[i] - i;

		if (op->table[i] == 0 || run.to != i || more != run.more)
			run = (struct run){ i, i, more };
		if (op->table[i] != 0)
			run.to = i + 1;
		if (run.to - run.from > best.to - best.from)
			best = run;
	}
	return best;
}

/* What is in the run needs no table. */
static void
write_run(struct probe_writer *w, const struct run *run, unsigned label)
{
	unsigned r = load_r(w), off = apply(w, "sub", r, run->from);

	ir_put(w->text, "  %%stk.%u = icmp ult i64 %%stk.%u, %zu\n", w->names, off, run->to - run->from);
	ir_put(w->text, "  br i1 %%stk.%u, label %%stk.r%u, label %%stk.t%u\nstk.r%u:\n", w->names++, label, label,
	       label);
	if (run->more != 0)
		store_r(w, apply(w, "add", r, run->more));
	ir_put(w->text, "  br label %%stk.k%u\nstk.t%u:\n", label, label);
}

static void
write_table(struct probe_writer *w, const struct word_op *op, const char *end_label)
{
	const char *type = table_type(op);
	struct run run = longest_run(op);
	/* mostly no lookup is needed: a load takes longer than everything else here */
	bool runs = op->ends && run.to - run.from > op->table_count / 4 * 3;
	unsigned table = w->tables++, r, label = 0;

	if (runs) {
		label = w->names++;
		write_run(w, &run, label);
	}
	r = load_r(w);
	ir_put(w->globals, "@stk.f%u.t%u = private unnamed_addr constant [%zu x %s] [", w->number, table,
	       op->table_count, type);
	for (size_t i = 0; i < op->table_count; i++)
		ir_put(w->globals, "%s%s %" PRIu32, i > 0 ? ", " : "", type, op->table[i]);
	ir_put(w->globals, "]\n");
	if (w->module->opaque)
		ir_put(w->text,
		       "  %%stk.%u = getelementptr inbounds [%zu x %s], ptr @stk.f%u.t%u, i64 0, i64 %%stk.%u\n",
			w->names, op->table_count, type, w->number, table, r);
	else
		ir_put(w->text,
		       "  %%stk.%u = getelementptr inbounds [%zu x %s], [%zu x %s]* @stk.f%u.t%u, i64 0, i64 "
		       "%%stk.%u\n", w->names, op->table_count, type, op->table_count, type, w->number,
			table, r);
	ir_put(w->text, "  %%stk.%u = load %s, %s%s %%stk.%u\n", w->names + 1, type, w->module->opaque ? "ptr" : type,
	       w->module->opaque ? "" : "*", w->names);
	ir_put(w->text, "  %%stk.%u = zext %s %%stk.%u to i64\n", w->names + 2, type, w->names + 1);
	r = w->names + 2;
	w->names += 3;
	store_r(w, r);
	if (!op->ends)
		return;
	if (!runs)
		label = w->names++;
	ir_put(w->text, "  %%stk.%u = icmp eq i64 %%stk.%u, 0\n", w->names, r);
	ir_put(w->text, "  br i1 %%stk.%u, label %%%s, label %%stk.k%u\nstk.k%u:\n", w->names++, end_label, label,
	       label);
}

/* False: it always ends. */
static bool
write_op(struct probe_writer *w, const struct word_op *op, const char *end_label)
{
	switch (op->kind) {
	case WORD_SET:    set_r(w, op->a); break;
	case WORD_ADD:    store_r(w, apply(w, "add", load_r(w), op->a)); break;
	case WORD_MUL:    store_r(w, apply(w, "add", apply(w, "mul", load_r(w), op->a), op->b)); break;
	case WORD_SHIFT:
	case WORD_LSHIFT: write_shift(w, op); break;
	case WORD_SPILL:  write_spill(w, op); break;
	case WORD_LSET:   ir_put(w->text, "  store i64 %" PRIu64 ", %s %%stk.l\n", op->a,
				 PROBE_POINTER(w, "i64")); break;
	case WORD_LADD: {
		unsigned l = load_l(w);

		ir_put(w->text, "  %%stk.%u = add i64 %%stk.%u, %" PRIu64 "\n", w->names, l, op->a);
		ir_put(w->text, "  store i64 %%stk.%u, %s %%stk.l\n", w->names++, PROBE_POINTER(w, "i64"));
		break;
	}
	case WORD_LJOIN:  write_join(w, op); break;
	case WORD_CHK:
	case WORD_REFUSE:
	case WORD_LCHK:   write_check(w, op, end_label); break;
	case WORD_TABLE:  write_table(w, op, end_label); break;
	case WORD_END:
		ir_put(w->text, "  br label %%%s\n", end_label);
		return false;
	case WORD_COUNT:  probe_write_count(w); break;
	case WORD_VISIT:  increment_at_r(w, PROBED_MARKS + op->a); break;
	}
	return true;
}

bool
probe_write_ops(struct probe_writer *w, const struct word_ops *ops, const char *end_label)
{
	bool goes_on = true;

	for (size_t i = 0; i < ops->list.count && goes_on; i++)
		goes_on = write_op(w, &ops->list.at[i], end_label);
	return goes_on;
}
