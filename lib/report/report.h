/* SPDX-License-Identifier: MIT
 * report: what all forms of output have in common: what they are given, and how they are driven. A form is one file and
 * one line in the table of stkcat. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "choose/moments.h"
#include "choose/naming.h"
#include "choose/selection.h"
#include "model/name_mask.h"
#include "report/printer.h"

struct report {			/* what a form works with; all borrowed */
	const struct model *model;
	struct selection *selection;
	struct naming *naming;
	struct moments *moments;
	struct printer *printer;
	struct stk_writer *writer;	/* only of forms that write records */
	const char *output;		/* the path of -o; NULL: standard output */
	const char *by;			/* --by; NULL when not given */
	int64_t top;			/* rows of a table for people */
	bool ids;			/* ids as numbers */
	struct name_mask *mask;		/* of the masked form; NULL: tokens become names again */
	struct mask_key *mask_key;
	bool sort, merge;		/* of records */
	uint64_t plain_names;		/* of records: bits of plain_name.h */
	bool tsv;			/* statistics for programs */
	/* tells a person something about the result, once */
	void (*remark)(const char *text);
	/* tells what of the inputs the result does not have */
	void (*missing)(const char *text);
	void (*finding)(int64_t offset, const char *text);		/* tells what is wrong with the present input */
};

struct report_form {
	const char *name;
	uint64_t kinds;			/* bits of the kinds besides definitions that it looks at; 0: all */
	uint64_t counts;		/* of rows that it has no place for, which are only counted for a remark */
	const char *has;		/* what it has a place for; not NULL when it counts */
	bool records;			/* it writes records, not text */
	bool ends;			/* its finish does what its turn would do at the end of the last stream */
	bool bare;			/* it wants every block, whatever was selected, and no model */
	/* NULL with *err (STK_EUSAGE) when the report asks for what this form cannot. */
	void *(*open)(const struct report *report, struct stk_error *err);
	/* A stream is over: called before the model forgets its ids. May be NULL. */
	int  (*turn)(void *form, struct stk_error *err);
	/* Takes the reader's present block in. -1: STK_EDATA when the block is damaged and nothing of it was used, else
	 * it cannot go on. */
	int  (*take)(void *form, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err);
	/* After the last stream, and, unless it `ends`, the turn at its end: says what was gathered. May be NULL. */
	int  (*finish)(void *form, struct stk_error *err);
	void (*close)(void *form);
};

#define KIND_BIT(kind) (UINT64_C(1) << (kind))
/* Of a form that has samples only. */
#define COUNT_ALL_BUT_SAMPLES (KIND_BIT(STK_EVENT) | KIND_BIT(STK_METRIC) | KIND_BIT(STK_DEADLOCK))

extern const struct report_form summary_form, tsv_form, ndjson_form, folded_form, dumps_form, records_form,
	masked_form, statistics_form, integrity_form, csv_form, speedscope_form, firefox_form, chrome_form, sqlite_form,
	pprof_form, otlp_form, openmetrics_form;

/* The table of kinds and columns of this program: format "text", "tsv" or "md" (section 6 of FORMAT.md). */
void kinds_add(struct printer *to, const char *format);

#endif
