/* SPDX-License-Identifier: MIT
 * dump_section: a thread's section of a dump: its header and the stack below, which is passed over and hashed. */
#ifndef INGEST_DUMP_SECTION_H
#define INGEST_DUMP_SECTION_H

#include "ingest/dump_scan.h"

/* Takes the section that begins at s->at, where dump_line_may_be_header. False: there is none, nothing was taken. */
bool dump_section_take(struct dump_scan *s);

#endif
