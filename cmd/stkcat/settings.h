/* SPDX-License-Identifier: MIT
 * settings: the options of stkcat, checked and combined. */
#ifndef STKCAT_SETTINGS_H
#define STKCAT_SETTINGS_H

#include "program/sample_choice.h"
#include "report/report.h"

enum names { NAMES_SHORT, NAMES_FULL };

struct settings {
	struct sample_choice choice;
	struct naming_options naming;
	const struct report_form *form;	/* of the output */
	bool check, contents, kinds, follow, sort, merge, ids;
	const char *only, *by;
	const char *mask, *mask_key;
	bool unmask;
	uint64_t plain_names;		/* bits of plain_name.h */
	enum names names;
	int64_t top;
};

/* Reads the command line into *settings; mistakes end the program. The index of the first operand. */
int  settings_read(struct settings *settings, int argc, char **argv);
void settings_release(struct settings *settings);

#endif
