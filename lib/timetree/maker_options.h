/* SPDX-License-Identifier: MIT
 * maker_options: what a tree is to be like. */
#ifndef TIMETREE_MAKER_OPTIONS_H
#define TIMETREE_MAKER_OPTIONS_H

#include "base/output.h"
#include "base/workers.h"
#include "timetree/key_sets.h"
#include "timetree/retention.h"
#include "timetree/tree_shape.h"

struct maker_options {
	struct tree_shape shape;
	const char *rule, *zone;	/* their names */
	struct key_sets keys;		/* what precedes the frames */
	const char *event;		/* NULL: the first that is met; "all" */
	int level;			/* of compression */
	struct stk_workers *workers;	/* NULL: none */
	bool again;			/* to a tree: add what it has already, too */
	struct output *output;		/* of a new tree: written in its place, where that is a file; NULL: taken
					 * later */
	struct retention retention;	/* what is older is thinned to counts */
};

#endif
