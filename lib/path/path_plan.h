/* SPDX-License-Identifier: MIT
 * path_plan: where a program must count to distinguish interesting paths from all others: operations on edges and
 * blocks, and the id that each path ends with.
 *
 * The variable r is the path's id so far, l the same within a region. Plans are written over whole numbers of any size;
 * how a machine keeps them is described in path_machine.h, and is exact only in the ways that the plan names. */
#ifndef PATH_PATH_PLAN_H
#define PATH_PATH_PLAN_H

#include "graph/flow_graph.h"
#include "path/path_keeping.h"

#include <gmp.h>

enum path_method {
	PATH_EPP,
	PATH_SPP,
	PATH_ESPP,
	PATH_PREPP,
	PATH_POISON,
	PATH_PAP,
	PATH_PAP_EPP,
	PATH_PSP0,
	PATH_PSP1,
	PATH_PSP2,
	PATH_PSP3,
	PATH_TRIE,
	PATH_AC,
	PATH_METHODS
};

extern const char *const path_method_names[PATH_METHODS];

enum probe_kind {
	PROBE_SET,		/* r = a */
	PROBE_ADD,		/* r += a */
	PROBE_MUL,		/* r = r * a + b */
	PROBE_LSET,		/* l = a */
	PROBE_LADD,		/* l += a */
	PROBE_LJOIN,		/* r = r * a + l */
	PROBE_CHK,		/* unless r is in the set: end */
	PROBE_LCHK,		/* unless l is in the set: end */
	PROBE_END,		/* it is no longer an interesting path */
	PROBE_COUNT,		/* count r */
	PROBE_KINDS
};

extern const char *const probe_names[PROBE_KINDS];

/* One digit of a mul: r * base + digit. A mul that absorbed others has several, the first one first. */
struct probe_digit { uint32_t base, digit; };

struct probe {
	enum probe_kind kind;
	mpz_t a, b;
	ARRAY(struct probe_digit) digits;	/* of PROBE_MUL */
	mpz_t *set;				/* ascending */
	size_t set_count;
};

struct probes { ARRAY(struct probe) list; };

struct path_plan {
	const struct flow_graph *graph;		/* borrowed */
	enum path_method method;
	struct probes entry;			/* at the entry */
	struct probes *of_edge, *of_block;	/* of a block: when it is entered, after those of the edge */
	ARRAY(struct flow_path) paths;		/* of interest; owned */
	mpz_t *ids;				/* of each of the paths */
	bool exact;				/* no other path ends with an id of these */
	enum path_keeping keeping;		/* the cheapest that is exact */
	uint64_t all_paths;			/* of epp: the number of paths; the others 0 */
};

/* Takes ownership of the paths; those of PATH_AC are parts of walks, the others whole ones. -1 (STK_EUSAGE): the method
 * is not for this graph. */
int path_plan_make(struct path_plan **out, const struct flow_graph *graph, enum path_method method,
		   struct flow_path *paths, size_t count, struct stk_error *err) STK_MUST_CHECK;
void path_plan_free(struct path_plan *plan);

struct plan_cost { uint64_t probes, checks, set_members; };
void path_plan_cost(const struct path_plan *plan, struct plan_cost *cost);

/* For readers of plans: an empty plan; adds a probe at the end of a list. */
struct path_plan *path_plan_new(const struct flow_graph *graph, enum path_method method);
struct probe *probes_add(struct probes *probes, enum probe_kind kind);
/* Computes the ids of the paths. -1: the plan ends one of them. */
int  path_plan_compute_ids(struct path_plan *plan, struct stk_error *err) STK_MUST_CHECK;

#endif
