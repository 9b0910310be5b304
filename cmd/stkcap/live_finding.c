/* SPDX-License-Identifier: MIT
 * live_finding: finds the processes to watch. Whatever happens to one of them, the others continue. */
#include "live_finding.h"
#include "live_conditions.h"

#include "base/quantities.h"
#include "capture/file_pattern.h"
#include "capture/old_files.h"
#include "ingest/ingest.h"
#include "program/program.h"
#include "walk/python_dumps.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define SCAN_NS     INT64_C(2000000000)	/* between two looks for new processes */
#define LEAD_NS     INT64_C(2000000)	/* so that all watchers are ready at the first moment */
#define WATCHED_MAX 256			/* processes at once: each has a thread, files, and its part of the replies */
/* of them of one user and not named by number: any user may start as many as they like */
#define OF_USER_MAX 128
/* the same where ticks alone are counted, which takes no thread */
#define TICKED_MAX 1024
#define TICKED_OF_USER_MAX 512
#define YOUNG_NS   INT64_C(1000000000)

/* Names distinguish sources, also after restarts, whatever the numbers of processes are. */
static void
give_name(struct live *live, struct watched *w)
{
	bool of_process = w->subject.process != NULL;
	struct named_process process = { 0 };

	if (of_process)
		process = source_names_process(&w->process);
	source_names_give(&live->names, live->settings->source != NULL ? live->settings->source
					: of_process ? process_title(&w->process) : w->command,
			  of_process ? &process : NULL, w->name);
}

/* Those of the file that was written last, which this capture continues or follows. */
void
live_read_names(struct live *live)
{
	const struct file_plan *files = &live->settings->files;
	struct stk_error unused = { 0 };
	char latest[PATH_MAX];

	if (files->name == NULL || strcmp(files->name, "-") == 0)
		return;
	if (file_pattern_check(files->name, &unused) < 0)
		stk_error_clear(&unused);
	else if (old_files_latest(files->name, files->zone, latest))
		source_names_read(&live->names, latest);
}

/* --- finding processes --- */

static int64_t
next_planned(void *plan, int64_t after_ns)
{
	return planned_rate_next(plan, after_ns);
}

/* Whether its ticks are counted. */
static bool
may_tick(const struct watched *w)
{
	return w->wish != NULL && w->wish->way != WATCH_COMMAND;
}

/* Whether they are all that is taken of it. Of a Python program they have the native stacks of its interpreter. */
static bool
only_ticks(const struct live *live, const struct watched *w)
{
	return live->settings->only_ticks && may_tick(w) && w->wish->way != WATCH_PYTHON;
}

static int
start_watcher(struct live *live, struct watched *w, struct stk_error *err)
{
	struct dump_source *source = w->source, *fallback = w->fallback;
	struct perf_memory *memory = w->memory;
	struct watch_rhythm rhythm = { .rate = w->set->rate };

	if (w->set->pace.plan != NULL) {
		rhythm.next = next_planned;
		rhythm.context = w->set->pace.plan;
	}
	if (only_ticks(live, w))
		return 0;
	w->source = w->fallback = NULL;
	w->memory = NULL;
	return watcher_open(&w->watcher, &live->plan, &rhythm, source, fallback, memory, err);
}

void
watched_release(struct watched *w)
{
	watcher_close(w->watcher);
	dump_source_close(w->source);
	dump_source_close(w->fallback);
	perf_memory_close(w->memory);
	vm_look_close(&w->look);
	known_threads_release(&w->subject.threads);
	free(w);
}

/* As its dumps say it, so that it is one source before the first of them too. */
static void
describe_vm(const struct perf_memory *memory, struct subject *subject)
{
	struct stk_text name = perf_memory_text_of(memory, "java.property.java.vm.name");
	struct stk_text version = perf_memory_text_of(memory, "java.property.java.vm.version");
	struct stk_text info = perf_memory_text_of(memory, "java.property.java.vm.info");

	if (name.size > 0 && version.size > 0 && info.size > 0)
		snprintf(subject->vm, sizeof subject->vm, "%.*s (%.*s %.*s)", (int)name.size, name.data,
			 (int)version.size, version.data, (int)info.size, info.data);
}

/* A VM that does not answer can still be unwound from outside. For ticks alone it need not answer at all. */
static int
open_jvm(const struct live *live, struct watched *w, struct stk_error *err)
{
	struct stk_error unused = { 0 }, unused_too = { 0 };

	if (live->settings->only_ticks)
		return attach_is_allowed(&w->process, err);
	if ((w->set->agent ? agent_dumps_open : jvm_dumps_open)(&w->source, &w->process, w->set->locks, err) < 0)
		return -1;
	if (perf_memory_open(&w->memory, &w->process, &unused) < 0)
		w->memory = NULL;
	describe_vm(w->memory, &w->subject);
	if (native_dumps_open(&w->fallback, &w->process, &unused_too) < 0)
		w->fallback = NULL;
	return 0;
}

static void
give_budget(struct live *live, struct watched *w)
{
	int own;

	w->rules = w->set->pace;
	w->rules.budget = budgets_of(&w->set->budgets, w->subject.process, &own) / 100;
	if (own >= 0)
		live->budgets_met[w->set - live->settings->sets] |= UINT32_C(1) << own;
}

/* Whether it is one of those of a group, or of all, whose ticks alone are counted. */
static bool
is_one_of_many(const struct live *live, const struct wish *wish)
{
	return live->settings->only_ticks && wish->way == WATCH_NATIVE && (wish->all || wish->cgroup != NULL);
}

/* A Java VM among many is one there, too. */
static unsigned
tick_kind(const struct live *live, const struct watched *w)
{
	if (!is_one_of_many(live, w->wish))
		return w->wish->way == WATCH_JVM ? TICKS_OF_VM : 0;
	return TICKS_OF_MANY | (process_vm_kind(&w->process) == VM_HOTSPOT ? TICKS_OF_VM : 0);
}

static void
add_ticks(struct live *live, struct watched *w)
{
	unsigned kind;

	if (live->ticks == NULL || !may_tick(w))
		return;
	kind = tick_kind(live, w);
	if ((kind & TICKS_OF_VM) != 0)
		w->subject.format = &thread_dump_format;
	w->ticks = tick_capture_add(live->ticks, &w->process, kind, &w->subject);
	if (w->ticks < 0)
		program_warn("%s (%ld): ticks are not counted: too many processes at once", w->name,
			     (long)w->process.pid);
	else if (live->away != NULL)
		w->away = tick_capture_add(live->away, &w->process, kind, &w->subject);
}

/* Adds it to the watched ones. */
static bool
add_watched(struct live *live, struct watched *w)
{
	struct stk_error err = { 0 };

	give_name(live, w);
	give_budget(live, w);
	*array_push(&live->watched) = w;
	add_ticks(live, w);
	if (!live->begun || start_watcher(live, w, &err) == 0)
		return true;
	program_report(w->name, &err);
	source_names_end(&live->names, w->name);
	live->watched.count--;
	watched_release(w);
	return false;
}

static struct watched *
new_watched(const struct live_set *set, struct wish *wish, const struct process *process)
{
	struct watched *w = mem_new(1, sizeof *w);

	*w = (struct watched){ .set = set, .wish = wish, .said = ATTACH_ANSWERED, .ticks = -1, .away = -1 };
	if (process != NULL)
		w->process = *process;
	w->subject = (struct subject){ .name = w->name, .process = process != NULL ? &w->process : NULL,
		.collections = -1 };
	if (wish != NULL && (wish->way == WATCH_NATIVE || wish->way == WATCH_PYTHON))
		w->subject.format = &process_dump_format;
	return w;
}

/* Each command of the set for a process, or once when commands have no process. */
static bool
add_commands(struct live *live, const struct live_set *set, struct wish *wish, const struct process *process)
{
	bool all = true;

	for (unsigned c = 0; c < set->commands_count; c++) {
		struct watched *w = new_watched(set, wish, process);
		struct stk_error err = { 0 };

		w->command = set->commands[c];
		if (command_dumps_open(&w->source, w->command, process, &err) == 0 && add_watched(live, w))
			continue;
		program_report("--exec", &err);
		all = false;
	}
	return all;
}

/* How many processes there may be at once, and of one user. */
static void
most_at_once(const struct live *live, size_t *most, size_t *of_user)
{
	*most = live->settings->only_ticks ? TICKED_MAX : WATCHED_MAX;
	*of_user = live->settings->only_ticks ? TICKED_OF_USER_MAX : OF_USER_MAX;
}

/* Whether one more of this user would be too many. */
static bool
is_full(const struct live *live, const struct wish *wish, uid_t user)
{
	size_t of_user = 0, most, most_of_user;

	most_at_once(live, &most, &most_of_user);
	for (size_t i = 0; i < live->watched.count; i++)
		of_user += live->watched.at[i]->subject.process != NULL && live->watched.at[i]->process.uid == user;
	return live->watched.count >= most || (wish->pid == 0 && of_user >= most_of_user);
}

/* Many are looked at when they tick. A young process may be about to become another program, as one of a shell. */
static enum watch_answer
see_one_of_many(struct live *live, struct wish *wish, const struct process *process)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (process_has_no_program(process->pid))
		return WATCH_UNWANTED;
	if (now.tv_sec * INT64_C(1000000000) + now.tv_nsec - process->start_ns < YOUNG_NS)
		return WATCH_LATER;
	return add_watched(live, new_watched(wish->owner, wish, process)) ? WATCH_ACCEPTED : WATCH_UNWANTED;
}

static bool
may_be_watched(const struct wish *wish, const struct process *process)
{
	return wish->way != WATCH_JVM || process_vm_kind(process) != VM_NONE;
}

/* A requested process. A named one that cannot be captured is reported when it is given up; one that "all" includes,
 * once, unless it is not a VM. */
static enum watch_answer
see(void *of, struct wish *wish, const struct process *process)
{
	struct live *live = of;
	struct stk_error err = { 0 };
	struct watched *w;

	if (is_full(live, wish, process->uid) && may_be_watched(wish, process)) {
		live->left_out++;
		return WATCH_LATER;
	}
	if (!live->settings->only_ticks && !conditions_process_met(&live->settings->conditions, process->pid)) {
		snprintf(wish->why, sizeof wish->why, "%s (%ld): --when does not hold for it", process_title(process),
			 (long)process->pid);
		return WATCH_UNWANTED;
	}
	if (is_one_of_many(live, wish))
		return see_one_of_many(live, wish, process);
	if (wish->way == WATCH_COMMAND)
		return add_commands(live, wish->owner, wish, process) ? WATCH_ACCEPTED : WATCH_UNWANTED;
	w = new_watched(wish->owner, wish, process);
	if ((wish->way == WATCH_NATIVE   ? native_dumps_open(&w->source, process, &err)
	     : wish->way == WATCH_PYTHON ? python_dumps_open(&w->source, process, &err)
					 : open_jvm(live, w, &err)) == 0)
		return add_watched(live, w) ? WATCH_ACCEPTED : WATCH_UNWANTED;
	snprintf(wish->why, sizeof wish->why, "%s (%ld): %s", process_title(process), (long)process->pid, err.text);
	watched_release(w);
	return WATCH_UNWANTED;
}

bool
live_is_somebody_missing(const struct live *live)
{
	for (size_t i = 0; i < watch_list_count(live->list); i++)
		if (watch_list_at(live->list, i)->met == 0)
			return true;
	return false;
}

/* Reported when it begins and when the number grows by half, and counted in the stream as missing. */
static void
tell_left_out(struct live *live)
{
	size_t most, of_user;

	if (live->left_out <= live->most_left_out + live->most_left_out / 2)
		return;
	capture_files_lost(live->files, live->left_out - live->most_left_out);
	live->most_left_out = live->left_out;
	most_at_once(live, &most, &of_user);
	program_warn("%zu %s not captured: at most %zu at once, %zu of one user", live->left_out,
		     plural(live->left_out, "process is", "processes are"), most, of_user);
}

void
live_scan(struct live *live)
{
	int64_t pause = live_is_somebody_missing(live) ? SCAN_SOON_NS : SCAN_NS;

	if (live->begun && (live->scanned_ns + pause > monotonic_ns() ||
			    (!live_is_somebody_missing(live) && !watch_list_is_open(live->list))))
		return;
	live->left_out = 0;
	watch_list_scan(live->list, see, live);
	live->scanned_ns = monotonic_ns();
	tell_left_out(live);
}

/* The first moment is the same for all processes found so far. */
int
live_begin(struct live *live, struct stk_error *err)
{
	live_scan(live);
	for (unsigned i = 0; i < live->settings->sets_count; i++)
		if (live->settings->sets[i].of == NULL && !add_commands(live, &live->settings->sets[i], NULL, NULL))
			return stk_fail(err, STK_EUSAGE, "cannot run a command");
	if (live_check_conditions(live, err) < 0)	/* those of the VMs that are known now */
		return -1;
	live->plan.base_ns = monotonic_ns() + LEAD_NS;
	live->begun = true;
	for (size_t i = 0; i < live->watched.count; i++)
		if (start_watcher(live, live->watched.at[i], err) < 0)
			return -1;
	return 0;
}
