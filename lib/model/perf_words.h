/* SPDX-License-Identifier: MIT
 * perf_words: what stands for nothing in the text of perf script, as it is written and read here. */
#ifndef MODEL_PERF_WORDS_H
#define MODEL_PERF_WORDS_H

#define PERF_UNNAMED  "[unknown]"	/* in place of a command */
#define PERF_NO_EVENT "none"

#endif
