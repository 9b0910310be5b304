/* SPDX-License-Identifier: MIT
 * misplaced_options: options that would be ignored silently, because only files or only live captures have them. */
#ifndef STKCAP_MISPLACED_OPTIONS_H
#define STKCAP_MISPLACED_OPTIONS_H

/* Both end the program with a message when there is one. */
void refuse_file_options(void);
void refuse_live_options(void);

#endif
