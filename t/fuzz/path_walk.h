/* SPDX-License-Identifier: MIT
 * path_walk: a plan's machine is told some blocks, right or wrong. */
#ifndef FUZZ_PATH_WALK_H
#define FUZZ_PATH_WALK_H

#include "path/path_machine.h"

static void
walk_plan(const struct path_plan *plan)
{
	struct path_activation *activation;
	struct path_machine *machine;
	struct stk_error err = { 0 };

	if (path_machine_open(&machine, plan, plan->keeping, true, &err) < 0)
		return;
	activation = path_machine_begin(machine);
	for (uint32_t b = 0; b < 20; b++)
		(void)path_machine_step(machine, activation, b % (uint32_t)plan->graph->blocks.count);
	path_machine_finish(machine, activation);
	path_machine_settle(machine);
	path_machine_close(machine);
}

#endif
