/* SPDX-License-Identifier: MIT
 * restored_codes: stkclass --restore. */
#include "restored_codes.h"

#include "classify/class_codes.h"
#include "program/lost_ids.h"
#include "program/program.h"

struct restoring {
	struct filter *filter;
	struct model *model;
	struct class_restorer *restorer;
};

bool
is_for_classes(unsigned kind)
{
	return kind == STK_HEAD || kind == STK_STRING || kind == STK_FRAME || kind == STK_STACK || kind == STK_SOURCE ||
	       kind == STK_THREAD || kind == STK_DUMP;
}

/* Definitions pass unchanged; codes become samples. */
static int
restore_block(struct restoring *r, const struct stk_block *block, struct stk_error *err)
{
	if (block->kind == STK_HEAD && class_restorer_turn(r->restorer, err) < 0)
		return -1;
	if (block->kind == STK_SYMBOL || block->kind == STK_CODED || block->kind == STK_COUNTED)
		return class_restorer_take(r->restorer, r->filter->reader, block, err);
	if (is_for_classes(block->kind) && model_take(r->model, r->filter->reader, block, err) < 0)
		return -1;
	return stk_writer_pass(r->filter->writer, r->filter->reader, err);
}

/* Inconsistent codes are damage that the reader cannot see. */
static int
restore(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct restoring *r = context;

	if (restore_block(r, block, err) == 0)
		return 0;
	if (err->code == STK_EDATA)
		program_warn("%s:%lld: %s", r->filter->name, (long long)block->offset, err->text);
	return -1;
}

static void
report_restored(const struct restoring *r, bool whole)
{
	uint64_t lost = class_restorer_lost(r->restorer);

	report_lost_ids(r->model);
	if (whole && class_restorer_samples(r->restorer) == 0)
		program_warn("no codes in the input: nothing to restore (stkclass --codes writes them)");
	if (lost == 0)
		return;
	program_warn(
		"the code or dump of %llu samples is not defined in the input; they have no stack or no time",
		(unsigned long long)lost);
	stk_writer_lost(r->filter->writer, lost);
}

int
restore_codes(struct filter *filter, struct model *model, struct stk_error *err)
{
	struct restoring r = { .filter = filter, .model = model };
	int result;

	class_restorer_open(&r.restorer, model, filter->writer);
	result = filter_each(filter, restore, &r, err);
	if (result == 0)
		result = class_restorer_turn(r.restorer, err);
	report_restored(&r, result == 0);
	class_restorer_close(r.restorer);
	return result;
}
