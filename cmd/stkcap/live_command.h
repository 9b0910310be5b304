/* SPDX-License-Identifier: MIT
 * live_command: a live capture from its options to its exit status. */
#ifndef STKCAP_LIVE_COMMAND_H
#define STKCAP_LIVE_COMMAND_H

#include <stdint.h>

/* By the options of the command line, or (config not NULL) those of a file. plain_names: bits of plain_name.h. */
int live_command(const char *config, const char *zone_name, const char *source, uint64_t plain_names, int operands);

#endif
