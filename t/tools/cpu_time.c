/* SPDX-License-Identifier: MIT
 * cpu_time: `cpu_time PID`: the milliseconds of processor time that all threads of a process have used, of the clock
 * that ticks are compared with. /proc/PID/stat counts in hundredths of a second. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int
main(int argc, char **argv)
{
	struct timespec used;
	clockid_t clock;

	if (argc != 2 || clock_getcpuclockid((pid_t)atol(argv[1]), &clock) != 0 || clock_gettime(clock, &used) != 0) {
		fprintf(stderr, "cpu_time: expected the number of a process\n");
		return 2;
	}
	printf("%" PRId64 "\n", (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000);
	return 0;
}
