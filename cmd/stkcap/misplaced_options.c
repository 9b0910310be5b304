/* SPDX-License-Identifier: MIT
 * misplaced_options: by what was given on the command line. */
#include "misplaced_options.h"

#include "program/program.h"

#include <stddef.h>

void
refuse_file_options(void)
{
	static const char *const names[] = { "format",    "time-from", "rejects", "addresses", "raw-symbols",
					     "as-events", "only-stacks", "max-expand", NULL };

	for (const char *const *name = names; *name != NULL; name++)
		if (program_given(*name))
			program_usage("--%s has no effect in a live capture", *name);
}

/* Standard input would be read instead. */
void
refuse_live_options(void)
{
	static const char *const names[] = { "ticks", "on", "every", "count", "agent", NULL };

	for (const char *const *name = names; *name != NULL; name++)
		if (program_given(*name))
			program_usage("--%s needs --jvm, --native, --python or --exec", *name);
}
