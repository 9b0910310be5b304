/* SPDX-License-Identifier: MIT
 * lost_ids: reports references to what the input does not define. */
#include "program/lost_ids.h"

#include "program/program.h"

void
report_lost_ids(const struct model *model)
{
	const struct lost_ids *lost = model_lost(model);

	for (unsigned kind = STK_STRING; kind <= STK_DUMP; kind++)
		if (lost->references[kind] > 0)
			program_warn(
				"%llu references to a %s that the input does not define; each is left out, or shown as \"?\"",
				(unsigned long long)lost->references[kind], stk_schema()->kind[kind].name);
}

void
report_lost_columns(bool lost)
{
	if (lost)
		program_say("the stream has columns that this version does not know: rewritten rows lose them");
}
