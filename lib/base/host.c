/* SPDX-License-Identifier: MIT
 * host: what the library asks of the program around it. */
#include "base/host.h"

#include "stkpipe/resources.h"

#include <stdlib.h>

static struct host host;

void
host_set(const struct host *with)
{
	host = *with;
}

void
stk_on_out_of_memory(void (*handler)(size_t count, size_t size))
{
	host.out_of_memory = handler;
}

bool
host_stopping(void)
{
	return host.stopping != NULL && host.stopping();
}

const char *
host_scratch_folder(void)
{
	return host.scratch_folder != NULL ? host.scratch_folder : "/var/tmp";
}

const char *
host_local_zone(void)
{
	return host.local_zone;
}

const char *
host_zone_folder(void)
{
	return host.zone_folder != NULL ? host.zone_folder : "/usr/share/zoneinfo";
}

int
host_check_finished(const char *path, struct stk_error *err)
{
	return host.failed == NULL || !host.failed()
		       ? 0
		       : stk_fail(err, STK_ESYSTEM, "%s is left unchanged: this run could not finish", path);
}

void
host_out_of_memory(size_t count, size_t size)
{
	if (host.out_of_memory != NULL)
		host.out_of_memory(count, size);
	abort();
}
