/* SPDX-License-Identifier: MIT
 * log_prefix: what a log wrote before each line of a profile: of perf script, of stacks. Dumps of threads are
 * recognised with their prefix, by their heads; these have none. */
#ifndef INGEST_LOG_PREFIX_H
#define INGEST_LOG_PREFIX_H

#include "stkpipe/rows.h"

/* The prefix of the lines of a text that begins so, as it is in one of them; empty when there is none, or when what
 * follows is no profile of text. */
struct stk_text log_prefix_learn(struct stk_text beginning);

#endif
