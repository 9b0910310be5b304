/* SPDX-License-Identifier: MIT
 * flame_difference: the flame graph of a comparison: what the call paths have in both sides, and which differ by more
 * than chance, as stktree --diff marks them. */
#ifndef PLOT_FLAME_DIFFERENCE_H
#define PLOT_FLAME_DIFFERENCE_H

#include "plot/flame_counts.h"
#include "timetree/comparison.h"

/* Marks of a node of flame_tree.marks, and of a name of flame_tree.name_marks: by samples a second, and by shares the
 * same MARK_SHARES bits higher. */
enum {
	MARK_CHANGED = 1,	/* more than chance */
	MARK_BY_TOTAL = 2	/* of names: with what the function calls; otherwise its own */
};
#define MARK_SHARES 2		/* bits */

struct flame_difference {
	struct flame_tree tree;		/* two cells, the sides */
	ARRAY(uint64_t) totals[2];	/* of each side, by node */
	double seconds[2];		/* how long the sides are; 0: not known */
	bool shares;			/* still pictures: in shares, not in samples a second */
};

/* The call paths of a comparison whose two sides were counted. */
void flame_difference_open(struct flame_difference *out, struct comparison *comparison);
void flame_difference_release(struct flame_difference *difference);
/* Marks what changed, in samples a second or in shares: after comparison_measure of MEASURE_CALLS, MEASURE_FUNCTIONS
 * and MEASURE_TOTALS. */
void flame_difference_mark(struct flame_difference *difference, struct comparison *comparison, bool shares);

/* The modules of the functions, for colours and search, as a model of one of the sides has them; names without what is
 * generated, as in the comparison. */
void flame_difference_add_modules(struct flame_difference *difference, struct model *model);

/* Sets the counts of tree.calls to the widths of a still picture: what a path has in the second side or, where it is
 * there no more, what it had in the first, at the scale of the second. */
void flame_difference_widen(struct flame_difference *difference);

/* Of a node: by how many points of all it changed; whether that is no more than chance; whether it vanished. */
double flame_difference_points(const struct flame_difference *difference, uint32_t node);
bool flame_difference_is_chance(const struct flame_difference *difference, uint32_t node);
bool flame_difference_is_gone(const struct flame_difference *difference, uint32_t node);
/* From 0, no change, to 5, and down to -5; as pages colour it. */
int flame_difference_step(const struct flame_difference *difference, uint32_t node);
/* " +3.1", " ~" for chance, " (gone)": what a frame says beside its name. `chance`: the sign for that. */
void flame_difference_add_word(struct text_buffer *to, const struct flame_difference *difference, uint32_t node,
			       const char *chance);

#endif
