/* SPDX-License-Identifier: MIT
 * class_settings: the options of stkclass. */
#ifndef STKCLASS_CLASS_SETTINGS_H
#define STKCLASS_CLASS_SETTINGS_H

#include "classify/class_codes.h"
#include "program/sample_choice.h"

enum view { /* the requested output */
	    VIEW_RECORDS,
	    VIEW_CLASSES,
	    VIEW_SEGMENTS,
	    VIEW_TREE,
	    VIEW_CLASS,
	    VIEW_SEGMENT,
	    VIEW_EXPLAIN,
	    VIEW_GRAMMAR,
	    VIEW_CODES,
	    VIEW_RESTORED,
	    VIEW_NONE
};

struct settings {
	enum view view;
	bool tsv;
	bool canonical;			/* --offline: classes in the order of frequency */
	bool merge;			/* the inputs are states */
	const char *subject;		/* of --class, --segment, --explain */
	const char *names;		/* a file, or NULL */
	const char *state;		/* a file, or NULL */
	enum code_order code_order;	/* of --codes */
	bool sizes;			/* --stats: the sizes of codes and other forms */
	struct sample_options samples;
	struct sample_choice choice;
	char identity[600];		/* the options that a state must share, as text */
	int64_t top;
	const struct time_zone *zone;	/* of choice; at last that of filter_zone */
};

/* Reads the options; the index of the first operand. */
int  settings_read(struct settings *settings, int argc, char **argv);
void settings_release(struct settings *settings);

#endif
