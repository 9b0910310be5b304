/* SPDX-License-Identifier: MIT
 * service_notify: tells the service manager (systemd) that started us how we are, as sd_notify(3) does. Without one
 * nothing happens. */
#ifndef STKCAP_SERVICE_NOTIFY_H
#define STKCAP_SERVICE_NOTIFY_H

#include <stdbool.h>

/* "READY=1", or several such lines. */
void service_notify(const char *lines);
/* "RELOADING=1" with the time that the manager wants with it. */
void service_notify_reloading(void);
/* Whether a sign of life is due: twice in the time that the manager waits for one, and else every 10 seconds. */
bool service_notify_is_due(void);

#endif
