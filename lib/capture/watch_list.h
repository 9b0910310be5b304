/* SPDX-License-Identifier: MIT
 * watch_list: which processes were asked for, and which of these exist now. Processes come and go, so it is scanned
 * repeatedly. */
#ifndef CAPTURE_WATCH_LIST_H
#define CAPTURE_WATCH_LIST_H

#include "capture/process.h"

struct watch_list;

/* WATCH_COMMAND: of whom commands are asked */
enum watch_way { WATCH_JVM, WATCH_NATIVE, WATCH_PYTHON, WATCH_COMMAND };

struct wish {			/* one item of a list that the user gave */
	char *text;
	enum watch_way way;
	pid_t pid;		/* 0: by name, or all */
	bool all;
	const char *cgroup;	/* "cgroup=PATH": all in it; NULL: not so */
	uint64_t met;		/* processes that it matched so far, */
	char why[500];		/* why the last one was not accepted */
	uint64_t gave;		/* and dumps that were taken of them */
	uint64_t joined;	/* processes that are taken as another wish asks, which fulfils this one */
	const void *owner;	/* of whom the list was */
};

void watch_list_open(struct watch_list **out);
void watch_list_close(struct watch_list *list);

/* "812,Main,cgroup=/PATH,all"; NULL: none. A process has the wish that says its number, else the first that says its
 * name, else the first for its group, else the first for all; a Python program that is asked for as such and as a
 * native process has the former, if it is accepted, and that fulfils both. Wishes for a group and for all are of the
 * processes that suit their way: Java VMs, Python programs. -1 (STK_EUSAGE): an empty item, or a name where the way
 * needs another. */
int watch_list_add(struct watch_list *list, enum watch_way way, const char *items, const void *owner,
		   struct stk_error *err);
size_t watch_list_count(const struct watch_list *list);
struct wish *watch_list_at(const struct watch_list *list, size_t i);
/* Whether all processes of the machine are wanted in this way. */
bool watch_list_has_all(const struct watch_list *list, enum watch_way way);
/* Whether a process that does not exist yet may still match, because something was asked for by name. */
bool watch_list_is_open(const struct watch_list *list);

/* Calls `see` for every process that matches a wish and was not accepted before. One that is not wanted is shown again
 * while it is young, or named by its number. */
enum watch_answer { WATCH_ACCEPTED, WATCH_UNWANTED, WATCH_LATER };	/* LATER: no room for it now */
typedef enum watch_answer watch_see_function(void *context, struct wish *wish, const struct process *process);
void watch_list_scan(struct watch_list *list, watch_see_function *see, void *context);
/* The process has ended: its number may come again. */
void watch_list_forget(struct watch_list *list, const struct process *process);

#endif
