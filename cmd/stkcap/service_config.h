/* SPDX-License-Identifier: MIT
 * service_config: the file of --config: the options of a live capture by their names, as YAML. */
#ifndef STKCAP_SERVICE_CONFIG_H
#define STKCAP_SERVICE_CONFIG_H

#include "live.h"

struct service_config;

/* Reads a file into *settings, which point into *out and must stay where they are. -1: *err (STK_EUSAGE) has the place
 * of the mistake; nothing is opened. */
int service_config_open(struct service_config **out, const char *path, struct live_settings *settings,
			struct stk_error *err) STK_MUST_CHECK;
void service_config_close(struct service_config *config);

#endif
