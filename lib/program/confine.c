/* SPDX-License-Identifier: MIT
 * confine: filters that only read and write files give up everything else. */
#include "program/confine.h"

#include "base/host.h"
#include "base/sandbox.h"
#include "program/program.h"

static void
allow_written(void *sandbox, const char *path)
{
	sandbox_allow_file(sandbox, path);
}

void
confine(const struct option_row *own, const struct written_files *others)
{
	struct stk_error err = { 0 };
	struct sandbox *sandbox = sandbox_new();

	sandbox_allow_folder(sandbox, host_scratch_folder());
	if (program_common.output != NULL)
		sandbox_allow_file(sandbox, program_common.output);
	for (size_t i = 0; i < others->list.count; i++)
		sandbox_allow_file(sandbox, others->list.at[i]);
	options_each_written(own, allow_written, sandbox);
	if (sandbox_enter(sandbox, &err) < 0)
		program_say("this run is not confined: %s", err.text);
}
