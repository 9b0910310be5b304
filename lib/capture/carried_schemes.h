/* SPDX-License-Identifier: MIT
 * carried_schemes: schemes that processes carry: in the ELF files that they have mapped as code, and in jars that they
 * have open. Each file is read once. */
#ifndef CAPTURE_CARRIED_SCHEMES_H
#define CAPTURE_CARRIED_SCHEMES_H

#include "capture/process.h"
#include "stkpipe/rows.h"

#define CARRIED_SCHEMES_MOST 32		/* as many as stkgroup takes from a stream */

/* name: as the text says in a line that begins with "scheme:", else that of the file. */
struct carried_scheme { struct stk_text name, text, file; };

struct carried_schemes;

void carried_schemes_open(struct carried_schemes **out);
void carried_schemes_close(struct carried_schemes *schemes);

/* Looks into the files of a process. A file may be anywhere, where reading never ends: another thread reads, and what
 * it has not found within `patience_ms` is given up, with all further looking. */
void carried_schemes_look(struct carried_schemes *schemes, const struct process *process, int patience_ms);

/* Those found so far, in the order in which they were found; a number that is too large: NULL. */
const struct carried_scheme *carried_scheme(const struct carried_schemes *schemes, size_t number);

/* What was left out. */
struct carried_oddities {
	size_t same_name;		/* other schemes of a name that one has */
	size_t beyond;			/* more than CARRIED_SCHEMES_MOST */
	bool gave_up;
};
struct carried_oddities carried_schemes_oddities(const struct carried_schemes *schemes);

#endif
