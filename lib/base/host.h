/* SPDX-License-Identifier: MIT
 * host: what the library asks of the program around it. Without a host the library assumes that it was not asked to
 * stop and that nothing failed. */
#ifndef BASE_HOST_H
#define BASE_HOST_H

#include "stkpipe/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Any of them may be NULL. They are called from any thread. */
struct host {
	bool (*stopping)(void);			/* true: an interrupted read or write is not tried again */
	bool (*failed)(void);			/* true: this run did not read or write everything, and must not replace
						 * what was there before */
	/* there was no room for count times size bytes; must not return */
	void (*out_of_memory)(size_t count, size_t size);
	const char *scratch_folder;		/* for temporary files; NULL: /var/tmp */
	const char *local_zone;			/* the value of TZ; NULL: use /etc/localtime */
	const char *zone_folder;		/* the zone database; NULL: /usr/share/zoneinfo */
};

/* Copies it. Call it before the first thread begins. */
void host_set(const struct host *host);

bool host_stopping(void);
const char *host_scratch_folder(void);
const char *host_local_zone(void);
const char *host_zone_folder(void);

/* Call this before a file of the user is replaced or appended to: -1 with *err, which names the path, once the run has
 * failed. */
int host_check_finished(const char *path, struct stk_error *err) STK_MUST_CHECK;

/* Ends the process: by the host's out_of_memory or that of stk_on_out_of_memory, whichever was set last, or else
 * by a signal, SIGABRT. */
void host_out_of_memory(size_t count, size_t size) __attribute__((noreturn));

#endif
