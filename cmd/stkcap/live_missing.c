/* SPDX-License-Identifier: MIT
 * live_missing: reported when the capture ends, with the reason where there is one. */
#include "live_missing.h"
#include "live_conditions.h"

#include "base/quantities.h"
#include "program/program.h"
#include "walk/python_dumps.h"

#include <string.h>

/* Opens it once more, to find out why it cannot be captured. */
static int
open_again(const struct live *live, const struct wish *wish, struct process *process, struct dump_source **source,
	   struct stk_error *err)
{
	const struct live_set *set = wish->owner;

	*source = NULL;
	if (process_read(process, wish->pid, err) < 0)
		return -1;
	if (wish->way == WATCH_COMMAND)
		return 0;
	if (wish->way == WATCH_NATIVE)
		return native_dumps_open(source, process, err);
	if (wish->way == WATCH_PYTHON)
		return python_dumps_open(source, process, err);
	if (live->settings->only_ticks && attach_is_allowed(process, err) < 0)
		return -1;
	return (set->agent ? agent_dumps_open : jvm_dumps_open)(source, process, false, err);
}

/* Why a process named by number gave no dump. */
static void
report_silent(const struct live *live, const struct wish *wish)
{
	struct stk_error err = { 0 };
	struct process process;
	struct dump_source *source;

	if (open_again(live, wish, &process, &source, &err) < 0) {
		program_warn("%s: %s", wish->text, err.text);
		return;
	}
	program_warn("%s: gave no dump%s", wish->text, live_unmet_text(live, wish->pid));
	dump_source_close(source);
}

/* In any set: all sets have the budgets of the whole file. Whether the first of them is this one. */
static bool
is_unmet_budget(const struct live *live, unsigned set, unsigned budget)
{
	const char *who = live->settings->sets[set].budgets.own[budget].who;

	for (unsigned s = 0; s < live->settings->sets_count; s++)
		for (unsigned b = 0; b < live->settings->sets[s].budgets.own_count; b++) {
			bool same = strcmp(live->settings->sets[s].budgets.own[b].who, who) == 0;

			if (same && ((live->budgets_met[s] >> b & 1) != 0 || s < set || (s == set && b < budget)))
				return false;
		}
	return true;
}

static void
report_unmet_budgets(const struct live *live)
{
	for (unsigned s = 0; s < live->settings->sets_count; s++)
		for (unsigned b = 0; b < live->settings->sets[s].budgets.own_count; b++)
			if (is_unmet_budget(live, s, b))
				program_warn("--budget %s: no process of that name was captured",
					     live->settings->sets[s].budgets.own[b].who);
}

/* With ticks these have the native stacks that were asked for. */
static void
say_joined(const struct live *live, const struct wish *wish)
{
	if (wish->joined > 0 && live->ticks == NULL)
		program_warn("%s: of %llu %s there are Python stacks, as --python asks, and no native ones", wish->text,
			     (unsigned long long)wish->joined, plural(wish->joined, "process", "processes"));
}

void
live_report_missing(struct live *live)
{
	report_unmet_budgets(live);
	for (size_t i = 0; i < watch_list_count(live->list); i++) {
		const struct wish *wish = watch_list_at(live->list, i);
		const char *unmet;

		if (wish->gave > 0 || wish->joined > 0) {
			say_joined(live, wish);
			continue;
		}
		unmet = wish->met > 0 ? live_unmet_text(live, 0) : "";
		if (wish->all && wish->way == WATCH_JVM)
			program_warn("no Java VM was found, or none gave a dump%s", unmet);
		else if (wish->cgroup != NULL)
			program_warn("%s: no process of that group gave anything", wish->text);
		else if (wish->pid == 0 && wish->met == 0 && wish->why[0] != '\0')
			program_warn("%s", wish->why);
		else if (wish->pid == 0)
			program_warn("%s: no process of that name gave a dump%s", wish->text, unmet);
		else
			report_silent(live, wish);
	}
}
