/* SPDX-License-Identifier: MIT
 * live_command: a live capture from its options to its exit status. */
#ifndef STKCAP_LIVE_COMMAND_H
#define STKCAP_LIVE_COMMAND_H

/* By the options of the command line, or (config not NULL) those of a file. */
int live_command(const char *config, const char *zone_name, const char *source, int operands);

#endif
