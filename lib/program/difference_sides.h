/* SPDX-License-Identifier: MIT
 * difference_sides: what is compared with what: the files and the windows of each side, from the operands and what
 * follows --diff. */
#ifndef PROGRAM_DIFFERENCE_SIDES_H
#define PROGRAM_DIFFERENCE_SIDES_H

#include "base/array.h"
#include "base/text_buffer.h"
#include "program/sample_choice.h"
#include "timetree/comparison.h"

/* Files, or those of the first side, in windows, or in that of --from and --to. */
struct side {
	struct text_buffer name;	/* as it was asked for */
	ARRAY(struct recording *) recordings;
	ARRAY(const char *) words;	/* that name windows */
	ARRAY(struct tree_interval) windows;
};

struct difference_asked {		/* borrowed */
	const struct recording_options *recording;
	const struct sample_choice *choice;	/* whose windows are those of sides that have none */
	const struct option_lists *others;	/* files and windows of --diff, as they were typed */
	bool verbose;
};

struct difference_sides {
	struct difference_asked asked;
	struct recording **recordings;		/* of all sides, each once */
	const char **paths;			/* of these */
	int count;
	struct side at[OPTION_TEXTS_MOST + 1];
	const char *names[OPTION_TEXTS_MOST + 1];
	unsigned sides;
};

/* Opens the files. Wrong usage ends the program. -1 with *err; difference_sides_release may follow anything. */
int difference_sides_read(struct difference_sides *d, const struct difference_asked *asked, char **operands, int count,
			  struct stk_error *err);
void difference_sides_release(struct difference_sides *d);

/* Which moments the windows of a side are, and a word where they have none. */
void difference_sides_settle(struct difference_sides *d, unsigned side);
/* The first file of a side, as it was named. */
const char *difference_side_path(const struct difference_sides *d, unsigned side);
struct compared_side difference_side_compared(const struct difference_sides *d, unsigned side);

#endif
