/* SPDX-License-Identifier: MIT
 * confine: filters that only read and write files give up everything else, so that a stream made to harm them can do
 * little: see sandbox.h and docs/threats.md. */
#ifndef PROGRAM_CONFINE_H
#define PROGRAM_CONFINE_H

#include "base/array.h"
#include "program/options.h"

struct written_files { ARRAY(const char *) list; };

/* From here on only these can be written: the files that -o, the OPT_WRITTEN options of a program's table and the list
 * name, with their neighbours, and temporary files. When all options have their values, before the first thread. */
void confine(const struct option_row *own, const struct written_files *others);

#endif
