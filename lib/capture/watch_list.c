/* SPDX-License-Identifier: MIT
 * watch_list: a process that is not a VM yet may become one, as a shell that starts java does: it is checked again
 * while it is young. */
#include "capture/watch_list.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define YOUNG_NS INT64_C(10000000000)

struct known { pid_t pid; uint64_t start_ticks, scan; };	/* the last scan that found it */

#define NO_WISH SIZE_MAX

struct asked { struct process process; size_t wish, also; };	/* also: another that this one fulfils; or none */

struct watch_list {
	ARRAY(struct wish) wishes;
	ARRAY(struct asked *) asked;		/* of the present scan */
	/* processes that need not be checked again; those that have ended are dropped */
	ARRAY(struct known) known;
	uint64_t scan;
	watch_see_function *see;
	void *context;
};

void
watch_list_open(struct watch_list **out)
{
	*out = mem_new(1, sizeof **out);
}

void
watch_list_close(struct watch_list *list)
{
	if (list == NULL)
		return;
	for (size_t i = 0; i < list->wishes.count; i++)
		free(list->wishes.at[i].text);
	array_release(&list->wishes);
	array_release(&list->known);
	array_release(&list->asked);
	free(list);
}

int
watch_list_add(struct watch_list *list, enum watch_way way, const char *items, const void *owner,
	       struct stk_error *err)
{
	for (const char *at = items; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
		size_t size = strcspn(at, ",");
		struct wish wish = { .way = way, .owner = owner };
		char *end;

		if (size == 0)
			return stk_fail(err, STK_EUSAGE, "expected a PID or a name, not ''");
		wish.text = memcpy(mem_new(size + 1, 1), at, size);
		wish.pid = (pid_t)strtol(wish.text, &end, 10);
		if (*end != '\0' || wish.pid <= 0)
			wish.pid = 0;
		wish.all = strcmp(wish.text, "all") == 0;
		wish.cgroup = strncmp(wish.text, "cgroup=", 7) == 0 ? wish.text + 7 : NULL;
		*array_push(&list->wishes) = wish;
		if (way != WATCH_JVM && way != WATCH_NATIVE && wish.all)
			return stk_fail(err, STK_EUSAGE, "every process of the machine is too many: name some");
		if (wish.cgroup != NULL && *wish.cgroup != '/')
			return stk_fail(err, STK_EUSAGE, "cgroup=: expected a path such as /system.slice/shop.service");
	}
	return 0;
}

size_t
watch_list_count(const struct watch_list *list)
{
	return list->wishes.count;
}

struct wish *
watch_list_at(const struct watch_list *list, size_t i)
{
	return &list->wishes.at[i];
}

bool
watch_list_has_all(const struct watch_list *list, enum watch_way way)
{
	for (size_t i = 0; i < list->wishes.count; i++)
		if (list->wishes.at[i].way == way && list->wishes.at[i].all)
			return true;
	return false;
}

bool
watch_list_is_open(const struct watch_list *list)
{
	for (size_t i = 0; i < list->wishes.count; i++)
		if (list->wishes.at[i].pid == 0)
			return true;
	return false;
}

static int64_t
wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static struct known *
known_of(struct watch_list *list, pid_t pid)
{
	for (size_t i = 0; i < list->known.count; i++)
		if (list->known.at[i].pid == pid)
			return &list->known.at[i];
	return NULL;
}

/* How well it says which process: a number better than a name, and so on. */
static int
precision(const struct wish *wish)
{
	return wish->all ? 1 : wish->cgroup != NULL ? 2 : wish->pid == 0 ? 3 : 4;
}

/* Of a group, or of all, those are meant that can be watched in this way. */
static bool
suits(const struct wish *wish, const struct process *process)
{
	return wish->way == WATCH_JVM      ? process_vm_kind(process) != VM_NONE
	       : wish->way == WATCH_PYTHON ? process_is_python(process)
					   : true;
}

static bool
is_meant(const struct wish *wish, const struct process *process)
{
	if (wish->pid != 0)
		return wish->pid == process->pid;
	if (wish->all)
		return suits(wish, process);
	if (wish->cgroup != NULL)
		return process_is_in_cgroup(process->pid, wish->cgroup) && suits(wish, process);
	return process_is_called(process, wish->text);
}

/* Of a Python program that is to have native stacks, too: its own stacks in dumps, and native ones at ticks. */
static size_t
wish_for(const struct watch_list *list, const struct process *process, size_t *also)
{
	size_t found = NO_WISH, of_way[] = { NO_WISH, NO_WISH, NO_WISH, NO_WISH };
	size_t *native = &of_way[WATCH_NATIVE], *python = &of_way[WATCH_PYTHON];

	for (size_t i = 0; i < list->wishes.count; i++) {
		const struct wish *wishes = list->wishes.at;
		size_t *best = &of_way[wishes[i].way];
		int precise = precision(&wishes[i]);

		if ((*best != NO_WISH && precise <= precision(&wishes[*best])) || !is_meant(&wishes[i], process))
			continue;
		*best = i;
		if (found == NO_WISH || precise > precision(&wishes[found]))
			found = i;
	}
	*also = NO_WISH;
	if (*native == NO_WISH || *python == NO_WISH || (found != *native && found != *python) ||
	    !process_is_python(process))
		return found;
	*also = *native;
	return *python;
}

/* Whether it is to be looked at again. */
static void
settle(struct watch_list *list, struct wish *wish, const struct process *process, enum watch_answer answer)
{
	if (answer == WATCH_ACCEPTED)
		wish->met++;
	if (answer == WATCH_ACCEPTED || (answer == WATCH_UNWANTED && wall_ns() - process->start_ns > YOUNG_NS &&
					 (wish == NULL || wish->pid == 0)))
		*array_push(&list->known) = (struct known){ process->pid, process->start_ticks, list->scan };
}

static void
look_at(void *of, pid_t pid)
{
	struct watch_list *list = of;
	struct known *known = known_of(list, pid);
	struct stk_error unused = { 0 };
	struct process process;
	size_t wish, also;

	if (known != NULL && process_is_alive(&(struct process){ .pid = pid, .start_ticks = known->start_ticks })) {
		known->scan = list->scan;
		return;
	}
	if (known != NULL)
		*known = list->known.at[--list->known.count];
	if (pid == getpid() || process_read(&process, pid, &unused) < 0)
		return;
	wish = wish_for(list, &process, &also);
	if (wish == NO_WISH) {
		settle(list, NULL, &process, WATCH_UNWANTED);
	} else {
		struct asked *asked = mem_new(1, sizeof *asked);

		asked->process = process;
		asked->wish = wish;
		asked->also = also;
		*array_push(&list->asked) = asked;
	}
}

static int
compare_asked(const void *a, const void *b)
{
	const struct process *x = &(*(struct asked *const *)a)->process, *y = &(*(struct asked *const *)b)->process;
	size_t size = x->command_size < y->command_size ? x->command_size : y->command_size;
	int order = memcmp(x->command, y->command, size);

	if (order == 0 && x->command_size != y->command_size)
		order = x->command_size < y->command_size ? -1 : 1;
	if (order == 0 && x->start_ticks != y->start_ticks)
		order = x->start_ticks < y->start_ticks ? -1 : 1;
	return order != 0 ? order : (x->pid > y->pid) - (x->pid < y->pid);
}

/* What cannot be taken in the way that fulfils both wishes is taken in the other. */
static void
see_one(struct watch_list *list, const struct asked *asked)
{
	struct wish *wish = &list->wishes.at[asked->wish];
	struct wish *also = asked->also != NO_WISH ? &list->wishes.at[asked->also] : NULL;
	enum watch_answer answer = list->see(list->context, wish, &asked->process);

	if (also != NULL && answer == WATCH_UNWANTED) {
		wish = also;
		answer = list->see(list->context, wish, &asked->process);
	} else if (also != NULL && answer == WATCH_ACCEPTED) {
		also->met++;
		also->joined++;
	}
	settle(list, wish, &asked->process, answer);
}

/* In the order of their command lines: after a restart of the machine it is the same, whatever their numbers are. */
static void
see_asked(struct watch_list *list)
{
	if (list->asked.count > 1)
		qsort(list->asked.at, list->asked.count, sizeof *list->asked.at, compare_asked);
	for (size_t i = 0; i < list->asked.count; i++) {
		see_one(list, list->asked.at[i]);
		free(list->asked.at[i]);
	}
	list->asked.count = 0;
}

/* Otherwise every short-lived process of the machine would be kept. */
static void
drop_gone(struct watch_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->known.count; i++)
		if (list->known.at[i].scan == list->scan)
			list->known.at[kept++] = list->known.at[i];
	list->known.count = kept;
}

void
watch_list_scan(struct watch_list *list, watch_see_function *see, void *context)
{
	list->see = see;
	list->context = context;
	list->scan++;
	if (watch_list_is_open(list)) {
		process_each(look_at, list);
		see_asked(list);
		drop_gone(list);
		return;
	}
	for (size_t i = 0; i < list->wishes.count; i++)
		look_at(list, list->wishes.at[i].pid);
	see_asked(list);
}

void
watch_list_forget(struct watch_list *list, const struct process *process)
{
	struct known *known = known_of(list, process->pid);

	if (known != NULL)
		*known = list->known.at[--list->known.count];
}
