/* SPDX-License-Identifier: MIT
 * path_machine: executes a plan while blocks are visited, and counts paths. Several activations (calls) may be active
 * at once; each is given its blocks one by one.
 *
 * r is kept as the plan says: in 64 bits where it never overflows, by shifts in 64 or 128 bits (what is shifted out
 * does not matter), as a state of the automaton of the interesting paths, or, for paths of any length of which nothing
 * is known before, in pieces. */
#ifndef PATH_PATH_MACHINE_H
#define PATH_PATH_MACHINE_H

#include "path/path_plan.h"

struct path_machine;
struct path_activation;			/* a call that is under way */

enum path_step { PATH_ON, PATH_ENDED, PATH_NO_EDGE };

struct path_totals {
	uint64_t activations, finished, unfinished, broken;
	uint64_t counted, ended;	/* that ended with a path's id; that were found not to be an interesting path */
	uint64_t probes, blocks, skipped;	/* done; seen; seen after a probe had ended it */
	uint64_t wrong;			/* verify: counted as another than they were */
	bool distrusted;		/* counts were added that are inexact themselves */
};

/* verify: the automaton runs in addition to the way r is kept. The plan is borrowed. -1 (STK_EUSAGE): it cannot be kept
 * in this way; inexact ways must be asked for. */
int path_machine_open(struct path_machine **out, const struct path_plan *plan, enum path_keeping keeping, bool verify,
		      struct stk_error *err) STK_MUST_CHECK;
void path_machine_close(struct path_machine *machine);

struct path_activation *path_machine_begin(struct path_machine *machine);
/* PATH_NO_EDGE: the block cannot follow; the activation no longer counts. */
enum path_step path_machine_step(struct path_machine *machine, struct path_activation *activation, uint32_t block);
/* Ends it, at the exit or before, and frees it. */
void path_machine_finish(struct path_machine *machine, struct path_activation *activation);

const struct path_totals *path_machine_totals(const struct path_machine *machine);
/* Call this when all activations are finished, before reading counts. */
void path_machine_settle(struct path_machine *machine);
/* How often one of the plan's paths was counted, and, with verify, how often it was walked. */
uint64_t path_machine_count(const struct path_machine *machine, size_t path);
uint64_t path_machine_walked(const struct path_machine *machine, size_t path);

/* Adds what was counted elsewhere, by a program that carried the plan. False: it is not one of the plan's paths. */
bool path_machine_add(struct path_machine *machine, const struct flow_path *path, uint64_t count);
/* What was added, or will be, is inexact. */
void path_machine_distrust(struct path_machine *machine);

/* Paths that no plan names, of epp and of pap without paths of interest: most frequent first. */
typedef int path_found_function(void *context, const struct flow_path *path, uint64_t count, struct stk_error *err);
int path_machine_each(const struct path_machine *machine, path_found_function *found, void *context,
		      struct stk_error *err) STK_MUST_CHECK;

#endif
