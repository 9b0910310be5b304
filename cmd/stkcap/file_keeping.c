/* SPDX-License-Identifier: MIT
 * file_keeping: a number is of files, a unit of bytes or of time says what else is meant. */
#include "file_keeping.h"

#include "base/quantities.h"
#include "capture/old_files.h"
#include "program/program.h"

#include <string.h>
#include <time.h>

int
file_keeping_take(struct file_plan *plan, const char *text, struct stk_error *err)
{
	struct stk_error no_size = { 0 }, no_duration = { 0 };
	size_t size = strlen(text);

	if (size > 0 && text[size - 1] >= '0' && text[size - 1] <= '9')
		return size_parse(text, &plan->keep, err);
	if (size_parse(text, &plan->most_total, &no_size) == 0 ||
	    duration_parse(text, &plan->most_age_ns, &no_duration) == 0)
		return 0;
	return stk_fail(err, STK_EUSAGE,
			"expected a number of files, a size such as 10G or an age such as 7d, not '%s'", text);
}

bool
file_keeping_is_asked(const struct file_plan *plan)
{
	return plan->keep > 0 || plan->most_total > 0 || plan->most_age_ns > 0;
}

static void
report_removed(const char *path, int error)
{
	if (error == 0)
		program_say("%s: removed (--keep)", path);
	else
		program_warn("%s: cannot remove it (--keep): %s", path, strerror(error));
}

void
file_keeping_apply(const struct file_plan *plan, const char *present, int64_t present_bytes)
{
	struct old_files_plan old = { .pattern = plan->name,
				      .zone = plan->zone,
				      .keep = plan->keep,
				      .most_bytes = plan->most_total,
				      .written_after = plan->most_age_ns > 0
							       ? (int64_t)time(NULL) - plan->most_age_ns / 1000000000
							       : 0 };

	old_files_remove(&old, present, present_bytes, report_removed);
}
