/* SPDX-License-Identifier: MIT
 * lost_ids: reports references to what the input does not define. */
#include "program/lost_ids.h"

#include "model/recorded_groups.h"
#include "program/program.h"

/* Of conditions on groups. */
static void
report_lost_groups(const struct recorded_groups *groups)
{
	if (groups == NULL)
		return;
	if (recorded_groups_missed_threads(groups))
		program_warn("--where: the records do not say the groups of some threads without a stack, which are in none "
			     "of those: stkgroup of this version must have seen all of the stream");
	if (recorded_groups_missed_stacks(groups))
		program_warn("--where: the records do not say the group of some stacks, which are in none of those: "
			     "stkgroup must have seen all of the stream");
}

void
report_lost_ids(const struct model *model)
{
	const struct lost_ids *lost = model_lost(model);

	for (unsigned kind = STK_STRING; kind <= STK_DUMP; kind++)
		if (lost->references[kind] > 0)
			program_warn(
				"%llu references to a %s that the input does not define; each is left out, or shown as \"?\"",
				(unsigned long long)lost->references[kind], stk_schema()->kind[kind].name);
	report_lost_groups(model_groups(model));
}

void
report_lost_columns(bool lost)
{
	if (lost)
		program_say("the stream has columns that this version does not know: rewritten rows lose them");
}
