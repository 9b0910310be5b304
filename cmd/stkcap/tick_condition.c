/* SPDX-License-Identifier: MIT
 * tick_condition: --when. */
#include "tick_condition.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>

int
tick_condition_add(struct tick_plan *plan, const char *text, struct stk_error *err)
{
	const char *value = text + strcspn(text, "=>") + 1;
	const struct passwd *user;
	char *end;

	if (strncmp(text, "process=", 8) == 0)
		plan->process = value;
	else if (strncmp(text, "cgroup=/", 8) == 0)
		plan->cgroup = value;
	else if (strncmp(text, "file=", 5) == 0)
		plan->file = value;
	else if (strncmp(text, "load>", 5) == 0 && (plan->load = strtod(value, &end)) > 0 && *end == '\0')
		return 0;
	else if (strncmp(text, "user=", 5) == 0 && (user = getpwnam(value)) != NULL) {
		plan->user = user->pw_uid;
		plan->has_user = true;
	} else
		return stk_fail(err, STK_EUSAGE,
				"expected user=NAME, process=NAME, cgroup=/PATH, file=PATH or load>N, not '%s'", text);
	return 0;
}
