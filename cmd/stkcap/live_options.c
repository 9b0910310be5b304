/* SPDX-License-Identifier: MIT
 * live_options: rows have fixed places for their values, so there is one place; a file that is read again is parsed
 * into it while the capture goes on with the settings that it has. */
#include "live_options.h"
#include "file_keeping.h"

#include "base/time_text.h"
#include "capture/file_pattern.h"
#include "capture/watch_list.h"
#include "program/program.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define DEADLINE_NS INT64_C(2000000000)
#define SECOND_NS INT64_C(1000000000)
#define TICK_AGE_NS INT64_C(5000000)
#define NOT_GIVEN UINT64_MAX

/* the first four as enum tick_order */
enum tick_orders { DO_STACK, DO_COUNT, DO_READ, DO_STATISTICS, DO_SPIN };

#define NOTHING_GIVEN \
	{ \
		.set.budgets.percent = 1, .live.patience_ns = DEADLINE_NS, .stack_copy = NOT_GIVEN, \
		.live.files.level = -1, .live.files.look_back_ns = -1 \
	}

struct live_options live_given = NOTHING_GIVEN;

void
live_options_reset(void)
{
	live_given = (struct live_options)NOTHING_GIVEN;
}

static int
add_command(const char *text, struct stk_error *err)
{
	struct live_set *set = &live_given.set;

	if (set->commands_count == LIVE_COMMANDS_MAX)
		return stk_fail(err, STK_EUSAGE, "at most %d", LIVE_COMMANDS_MAX);
	set->commands[set->commands_count++] = text;
	return 0;
}

static int
take_budget(const char *text, struct stk_error *err)
{
	return budgets_take(&live_given.set.budgets, text, err);
}

static int
add_condition(const char *text, struct stk_error *err)
{
	return conditions_add(&live_given.live.conditions, text, err);
}

static int
take_keep(const char *text, struct stk_error *err)
{
	return file_keeping_take(&live_given.live.files, text, err);
}

const struct option_row live_set_options[] = {
	OPT_TEXT(0, "jvm", &live_given.set.jvm, "LIST",
		 "take dumps of these Java VMs: PIDs and NAMEs (patterns), or all"),
	OPT_TEXT(0, "native", &live_given.set.native, "LIST",
		 "take native stacks of these processes, unwound while they are stopped"),
	OPT_TEXT(0, "python", &live_given.set.python, "LIST",
		 "take stacks of these Python programs, which go on running"),
	OPT_TAKE(0, "exec", add_command, "COMMAND",
		 "take the output of commands: eu-stack, gdb, py-spy, goroutines ..."),
	OPT_TEXT(0, "of", &live_given.set.of, "LIST", "run --exec for each {pid} of these processes"),
	OPT_DURATION(0, "every", &live_given.set.every_ns, "TIME",
		     "capture every TIME, all at the same moments (default: once)"),
	OPT_TAKE(0, "budget", take_budget, "PERCENT",
		 "share of time a VM may be stopped (1%), and of some: NAME=3%,..."),
	OPT_MAYBE(0, "adaptive", &live_given.set.adaptive, "FILE",
		  "only as often as the running share within 10 %, or a plan, needs"),
	OPT_FLAG(0, "agent", &live_given.set.agent, "use an agent in the VM, which stays loaded: a third of the pause"),
	OPT_FLAG(0, "locks", &live_given.set.locks, "also show owned synchronizers; the VM stops and walks its heap"),
	OPT_END
};

const struct option_row live_capture_options[] = {
	OPT_NUMBER_IN(0, "count", &live_given.live.count, 1, 9.3e18, "N",
		      "stop after N moments (default: run until interrupted)"),
	OPT_DURATION(0, "deadline", &live_given.live.patience_ns, "TIME", "how long an answer may take (2s)"),
	OPT_NUMBER_IN(0, "ticks", &live_given.ticks_hertz, 1, 10000, "HZ",
		      "count what each processor does HZ times a second, and in which VM"),
	OPT_TEXT(0, "on", &live_given.tick_event, "EVENT:N",
		 "tick every N of an event: cycles, instructions, page-faults ..."),
	OPT_CHOICE(0, "order", &live_given.tick_order, "WHAT", "stack, count, read, statistics, spin",
		   "what to do at a tick in a VM"),
	OPT_FLAG(0, "moments", &live_given.live.ticks.plan.moments,
		 "note what all processors do at the very moment of a tick"),
	OPT_TAKE(0, "when", add_condition, "WHAT",
		 "only while file= load> running= time= heap> pause> counter= ... hold"),
	OPT_DURATION(0, "look-back", &live_given.live.files.look_back_ns, "TIME",
		     "until --when holds, keep the last TIME in memory, and write it then"),
	OPT_NUMBER_IN(0, "off-cpu", &live_given.live.away_every, 1, 1000000, "N",
		      "also sample every Nth wait of a thread off the processors"),
	OPT_SIZE(0, "stack-copy", &live_given.stack_copy, "SIZE",
		 "copy at most so much of a thread's stack at a tick (64K); 0: none"),
	OPT_DURATION(0, "rotate-interest", &live_given.live.ticks.rotate_ns, "TIME",
		     "count ticks of one VM after another, for TIME each"),
	OPT_SIZE(0, "max-size", &live_given.live.files.most_bytes, "SIZE",
		 "begin another file when one reaches this size"),
	OPT_TAKE(0, "keep", take_keep, "N|SIZE|AGE",
		 "keep only the latest N files, SIZE (10G) or AGE (7d) of those of -o"),
	OPT_TEXT(0, "upload", &live_given.live.upload, "PROGRAM",
		 "run PROGRAM with the name of each file that is finished"),
	OPT_TEXT(0, "listen", &live_given.live.listen, "SOCKET", "answer --status there while the capture runs"),
	OPT_END
};

const struct option_row live_rules[] = {
	OPT_FOREIGN("duration", "count"),
	OPT_FOREIGN("for", "count"),
	OPT_FOREIGN("interval", "every"),
	OPT_FOREIGN("pid", "native"),
	OPT_NEEDS("look-back", "when"),
	OPT_NEEDS("order", "ticks on"),
	OPT_NEEDS("moments", "ticks on"),
	OPT_NEEDS("off-cpu", "ticks on"),
	OPT_NEEDS("rotate-interest", "ticks on"),
	OPT_NEEDS("stack-copy", "ticks on"),
	OPT_NEEDS("keep", "output"),
	OPT_NEEDS("max-size", "output"),
	OPT_NEEDS("upload", "output"),
	OPT_ONE_OF("ticks on"),
	OPT_END
};

const struct option_row live_set_rules[] = {
	OPT_NEEDS("of", "exec"),
	OPT_NEEDS("every", "jvm native python exec ticks on"),
	OPT_NEEDS("count", "jvm native python exec ticks on"),
	OPT_NEEDS("deadline", "jvm native python exec ticks on list status"),
	OPT_NEEDS("budget", "jvm native python exec ticks on"),
	OPT_NEEDS("adaptive", "jvm native python exec ticks on"),
	OPT_NEEDS("agent", "jvm"),
	OPT_NEEDS("locks", "jvm"),
	OPT_NEEDS("listen", "jvm native python exec"),
	OPT_NEEDS("when", "jvm native python exec"),
	OPT_NEEDS("look-back", "jvm native python exec"),
	OPT_NEEDS("keep", "jvm native python exec"),
	OPT_NEEDS("max-size", "jvm native python exec"),
	OPT_NEEDS("upload", "jvm native python exec"),
	OPT_END
};

/* Combines --ticks, --on, --order and --stack-copy. */
static int
settle_ticks(struct live_settings *to, struct stk_error *err)
{
	const char *on = live_given.tick_event, *colon = on != NULL ? strchr(on, ':') : NULL;
	bool agent = live_given.set.agent;
	char *end;

	to->has_ticks = live_given.ticks_hertz > 0 || on != NULL;
	if (!to->has_ticks)
		return 0;
	if (on != NULL &&
	    (colon == NULL || (to->ticks.plan.period = strtoull(colon + 1, &end, 10)) == 0 || *end != '\0'))
		return stk_fail(err, STK_EUSAGE, "--on: expected EVENT:N, such as cycles:100000, not '%s'", on);
	if (on != NULL) {
		snprintf(to->event, sizeof to->event, "%.*s", (int)(colon - on), on);
		to->ticks.plan.event = to->event;
	}
	to->ticks.plan.hertz = (uint64_t)live_given.ticks_hertz;
	to->ticks.plan.most_age_ns = TICK_AGE_NS;
	to->ticks.plan.spin = live_given.tick_order == DO_SPIN;
	to->ticks.order = to->ticks.plan.spin ? ORDER_STACK : (enum tick_order)live_given.tick_order;
	to->ticks.agent = agent;
	to->ticks.copy_bytes = live_given.stack_copy;
	if (live_given.stack_copy != NOT_GIVEN && (agent || to->ticks.order != ORDER_STACK))
		return stk_fail(err, STK_EUSAGE, "--stack-copy has no effect with %s",
				agent ? "--agent" : "this --order");
	return 0;
}

/* Waits of threads are sampled like ticks, when they begin. */
static void
settle_away(struct live_settings *to)
{
	to->away = (struct tick_settings){ .order = ORDER_STACK, .copy_bytes = live_given.stack_copy };
	to->away.plan.event = "context-switches";
	to->away.plan.period = (uint64_t)to->away_every;
	to->away.plan.most_age_ns = TICK_AGE_NS;
	to->away.plan.turns = to->away.plan.wakers = true;
	to->away.plan.conditions = &to->conditions;
}

/* A plan is read once a set, and says how often to ask when --every does not. */
static int
settle_plan(struct live_set *set, struct stk_error *err)
{
	bool planned = set->adaptive != NULL && *set->adaptive != '\0';

	set->pace.adaptive = set->adaptive != NULL && !planned;
	set->pace.plan = NULL;
	if (set->pace.adaptive && set->jvm == NULL && set->commands_count == 0)
		return stk_fail(err, STK_EUSAGE,
				"--adaptive needs dumps that show which threads run, of --jvm or --exec, or a plan: --adaptive=FILE");
	if (set->pace.adaptive && set->every_ns == 0)
		return stk_fail(err, STK_EUSAGE, "--adaptive needs --every TIME, or a plan: --adaptive=FILE");
	if (!planned)
		return 0;
	if (planned_rate_open(&set->pace.plan, set->adaptive, err) < 0)
		return -1;
	if (set->every_ns == 0)
		set->every_ns = planned_rate_shortest(set->pace.plan);
	return 0;
}

/* What a plan wants and the moments do not give is said before the capture begins. */
static void
check_plan(const struct live_set *set)
{
	char planned[TIME_TEXT_MAX], every[TIME_TEXT_MAX];

	if (set->pace.plan != NULL && planned_rate_shortest(set->pace.plan) < set->every_ns)
		program_warn("--adaptive %s: it has dumps %s apart, and --every %s is longer: its busiest slots get fewer",
			     set->adaptive, duration_print(planned, planned_rate_shortest(set->pace.plan)),
			     duration_print(every, set->every_ns));
}

void
live_settings_release(struct live_settings *settings)
{
	for (unsigned i = 0; i < settings->sets_count; i++) {
		planned_rate_close(settings->sets[i].pace.plan);
		settings->sets[i].pace.plan = NULL;
	}
}

/* The shortest time between two moments of a set is that between two of the capture; others are multiples of it, so
 * that what is asked less often is asked together with all. */
static int
settle_moments(struct live_settings *to, struct stk_error *err)
{
	unsigned timed = 0;

	to->every_ns = 0;
	for (unsigned i = 0; i < to->sets_count; i++)
		if (settle_plan(&to->sets[i], err) < 0)
			return -1;
	for (unsigned i = 0; i < to->sets_count; i++) {
		int64_t every_ns = to->sets[i].every_ns;

		timed += every_ns > 0;
		if (every_ns > 0 && (to->every_ns == 0 || every_ns < to->every_ns))
			to->every_ns = every_ns;
	}
	to->only_ticks = to->has_ticks && timed == 0;
	if (to->only_ticks)
		to->every_ns = SECOND_NS;
	if (timed > 0 && timed < to->sets_count)
		return stk_fail(err, STK_EUSAGE, "every: some sets have it, and others do not");
	if (to->count > 1 && to->every_ns == 0)
		return stk_fail(err, STK_EUSAGE, "--count %lld needs --every TIME", (long long)to->count);
	for (unsigned i = 0; i < to->sets_count; i++) {
		struct live_set *set = &to->sets[i];

		if (set->every_ns == 0)
			set->every_ns = to->every_ns;
		if (to->every_ns > 0 && set->every_ns % to->every_ns != 0)
			return stk_fail(err, STK_EUSAGE,
					"every: sets share their moments: expected multiples of the shortest one");
		set->rate = to->every_ns > 0 ? (uint64_t)(set->every_ns / to->every_ns) : 1;
		set->pace.every_ns = set->every_ns;
		check_plan(set);
	}
	return 0;
}

static int
check_conditions(const struct live_settings *to, struct stk_error *err)
{
	bool has_vms = false;

	for (unsigned i = 0; i < to->sets_count; i++)
		has_vms |= to->sets[i].jvm != NULL;
	if (conditions_are_of_vm(&to->conditions) && !has_vms)
		return stk_fail(err, STK_EUSAGE, "--when: heap>, pause> and counter= are of the VMs of --jvm: name some");
	if (conditions_are_of_growth(&to->conditions) && to->every_ns == 0)
		return stk_fail(err, STK_EUSAGE,
				"--when: pause> and counter= with /s compare two looks at a VM: they need --every TIME, or ticks");
	if (to->files.look_back_ns < 0)
		return 0;
	if (to->files.look_back_ns == 0)
		return stk_fail(err, STK_EUSAGE, "--look-back: expected a duration greater than 0");
	if (!conditions_are_of_machine(&to->conditions))
		return stk_fail(err, STK_EUSAGE, "--look-back needs a condition of --when that begins to hold once: "
				"user=, process= and cgroup= only choose processes");
	return to->every_ns > 0 ? 0 : stk_fail(err, STK_EUSAGE, "--look-back needs --every TIME, or ticks");
}

/* What the lists say must be right before a capture that runs is ended for one with them. */
static int
check_lists(const struct live_set *set, struct live_settings *to, struct stk_error *err)
{
	struct watch_list *list;
	int result;

	watch_list_open(&list);
	result = watch_list_add(list, WATCH_JVM, set->jvm, set, err) < 0 ||
				 watch_list_add(list, WATCH_NATIVE, set->native, set, err) < 0 ||
				 watch_list_add(list, WATCH_PYTHON, set->python, set, err) < 0 ||
				 watch_list_add(list, WATCH_COMMAND, set->of, set, err) < 0
			 ? -1
			 : 0;
	to->ticks.plan.others |= watch_list_has_all(list, WATCH_NATIVE) && to->ticks.rotate_ns == 0;
	if (result == 0 && !to->only_ticks && watch_list_has_all(list, WATCH_NATIVE))
		result = stk_fail(err, STK_EUSAGE, "--native all: every process of the machine is too many for dumps: "
				  "name some, or count their --ticks without --every");
	watch_list_close(list);
	return result;
}

int
live_options_settle(struct live_settings *to, const struct live_set *sets, unsigned count, const char *output,
		    struct stk_error *err)
{
	struct stk_error why = { 0 };

	live_settings_release(to);
	*to = live_given.live;
	memcpy(to->sets, sets, count * sizeof *sets);
	to->sets_count = count;
	to->files.name = output;
	for (unsigned i = 0; i < count; i++) {
		if (sets[i].of != NULL && sets[i].commands_count == 0)
			return stk_fail(err, STK_EUSAGE, "--of has no effect without --exec");
	}
	if (file_keeping_is_asked(&to->files) && output != NULL && file_pattern_check(output, &why) < 0)
		return stk_fail(err, STK_EUSAGE, "--keep: %s", why.text);
	to->ticks.plan.conditions = &to->conditions;
	settle_away(to);
	if (settle_ticks(to, err) < 0 || settle_moments(to, err) < 0)
		return -1;
	for (unsigned i = 0; i < count; i++)
		if (check_lists(&sets[i], to, err) < 0)
			return -1;
	return check_conditions(to, err);
}
