/* SPDX-License-Identifier: MIT
 * capture_summary: what was captured, in a line. */
#ifndef STKCAP_CAPTURE_SUMMARY_H
#define STKCAP_CAPTURE_SUMMARY_H

#include "ingest/collect.h"

/* How many lines of text there were, and what became of them. */
void summary_say_lines(const struct collect_counts *counts);
/* appears_whole: the output file is there only when all was written; well: it was. */
void summary_say(const struct collect_counts *counts, bool appears_whole, bool well);

#endif
