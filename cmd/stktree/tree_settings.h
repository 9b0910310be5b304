/* SPDX-License-Identifier: MIT
 * tree_settings: the options of stktree. */
#ifndef STKTREE_TREE_SETTINGS_H
#define STKTREE_TREE_SETTINGS_H

#include "base/time_text.h"
#include "program/sample_choice.h"
#include "timetree/recording.h"
#include "timetree/tree_maker.h"

#include <stdbool.h>
#include <stdint.h>

enum job { JOB_REPORT, JOB_BUILD, JOB_APPEND, JOB_MERGE, JOB_THIN, JOB_FOLLOW };
enum view { VIEW_TREE, VIEW_FLAT, VIEW_CALLERS, VIEW_PATHS, VIEW_FOLDED, VIEW_RECORDS, VIEW_DIFFERENCE };
enum form { FORM_TEXT, FORM_TSV, FORM_NDJSON };

struct settings {
	enum job job;
	enum view view, compared;		/* compared: what --diff shows of each side */
	enum form form;
	struct recording_options recording;
	struct maker_options maker;
	const char *target;			/* of --append */
	struct sample_choice choice;
	struct option_lists others;		/* of --diff: files and windows, as they were typed */
	int64_t step_ns, every_ns;
	const char *function, *rules;
	int64_t depth, top;
	double least;				/* percent of the total: the smallest share of a row */
	double confidence, discovery;		/* of differences: of the limits; and the share of false findings */
	bool stats, verbose, share, when;
	struct time_zone *zone;			/* of choice */
};

/* Reads options; usage errors end the program. Returns the first operand. */
int  settings_read(struct settings *s, int argc, char **argv);
/* Without options the task depends on the output. */
void settings_choose(struct settings *s, bool to_terminal);
/* Refuses options without effect on the task, which is known by now. */
void settings_refuse_idle(const struct settings *s);
void settings_release(struct settings *s);

#endif
