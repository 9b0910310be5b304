/* SPDX-License-Identifier: MIT
 * tree_totals: what is said of a tree that was written: what it holds, and what it lacks. */
#include "making.h"

#include "base/quantities.h"
#include "program/program.h"

/* What came again, and what cannot be told from it. */
static void
say_known(const struct maker_totals *t)
{
	const struct known_totals *known = &t->known;

	if (known->samples > 0)
		program_say("%llu sample%s in the tree already and left out (--again adds %s)",
			(unsigned long long)known->samples, plural(known->samples, " was", "s were"),
			plural(known->samples, "it", "them"));
	if (known->rows > 0)
		program_say("%llu row%s of other kinds %s in the tree already and left out",
			(unsigned long long)known->rows, plural(known->rows, "", "s"),
			plural(known->rows, "was", "were"));
	if (known->doubtful > 0)
		program_warn(
			"%llu samples may be among those of which only counts are left; they are left out (--again adds them)",
			(unsigned long long)known->doubtful);
	if (known->untimed > 0)
		program_warn(
			"%llu samples have no time, and equal ones were in the tree already; they are added, for they may be others",
			(unsigned long long)known->untimed);
	if (t->unproven_rows > 0)
		program_warn(
			"%llu rows of kinds that this version does not know are added, and may have been in the tree already",
			(unsigned long long)t->unproven_rows);
}

/* Rows that are not in the tree, or are in it without what they refer to. */
static void
say_lost(const struct maker_totals *t)
{
	if (t->lost_blocks > 0)
		program_warn("%llu damaged blocks of definitions or samples are left out",
			(unsigned long long)t->lost_blocks);
	if (t->lost_nodes > 0)
		program_warn(
			"%llu nodes of the inputs' trees cannot be read; samples that were thinned into them are left out",
			(unsigned long long)t->lost_nodes);
	if (t->lost_rows > 0)
		program_warn("%llu rows refer to something that their stream does not define; they are kept without the reference",
			(unsigned long long)t->lost_rows);
	if (t->unknown_rows > 0)
		program_warn(
			"%llu rows of kinds that this version does not know cannot be renumbered; they are left out",
			(unsigned long long)t->unknown_rows);
	if (t->lost_stacks > 0)
		program_warn("%llu samples have stacks that the stream does not define; they are shown as \"?\"",
			(unsigned long long)t->lost_stacks);
}

void
say_totals(const struct maker_totals *t)
{
	say_lost(t);
	say_known(t);
	if (t->wall && t->monotonic)
		program_say("the sources have clocks of two kinds, wall and monotonic: a window of this tree holds times that have nothing to do with each other");
	if (t->other_events > 0)
		program_say(
			"counted samples of one event only; %llu samples of others are kept but not counted (see --event)",
			(unsigned long long)t->other_events);
	if (t->untimed > 0)
		program_say("%llu samples have no time, and are in no window", (unsigned long long)t->untimed);
	if (t->thinned > 0 || t->dropped > 0)
		program_say("--thin: %llu samples reduced to counts, %llu dropped", (unsigned long long)t->thinned,
			(unsigned long long)t->dropped);
	if (t->samples == 0)
		program_warn("no samples: the tree is empty");
	program_say("%llu sample%s; %llu node%s, %llu count%s", (unsigned long long)t->samples,
		    plural(t->samples, "", "s"), (unsigned long long)t->nodes, plural(t->nodes, "", "s"),
		    (unsigned long long)t->counts, plural(t->counts, "", "s"));
}
