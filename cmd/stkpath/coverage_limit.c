/* SPDX-License-Identifier: MIT
 * coverage_limit: stkpath coverage --fail-under, for scripts that run tests. */
#include "stkpath.h"

#include "program/program.h"

void
coverage_judge(const struct path_settings *settings, uint64_t taken, uint64_t all)
{
	double share = all > 0 ? 100.0 * (double)taken / (double)all : 0;

	if (settings->fail_under < 0 || (all > 0 && share >= settings->fail_under))
		return;
	if (all == 0)
		program_say("no prime paths were counted, of which %g %% should be taken", settings->fail_under);
	else
		program_say("%llu of %llu paths is less than %g %%", (unsigned long long)taken, (unsigned long long)all,
			    settings->fail_under);
	program_status_raise(PROGRAM_FOUND);
}
