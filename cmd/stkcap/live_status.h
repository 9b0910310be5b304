/* SPDX-License-Identifier: MIT
 * live_status: tells who asks (--status) and the service manager how a live capture is doing. */
#ifndef STKCAP_LIVE_STATUS_H
#define STKCAP_LIVE_STATUS_H

#include "live_state.h"

/* To those who ask on the socket of the capture, if it has one. */
void live_status_answer(struct live *live);

/* One line about the capture, and a sign of life, now and then. */
void live_status_notify(struct live *live);

#endif
