/* SPDX-License-Identifier: MIT
 * source_names: the names of the sources of a capture: what people call a process, the second one of a machine
 * NAME#2. A process keeps its name while it runs, also in the next capture; one that begins gets the name of the
 * process with the same command line that has ended, and else the first name that no running process has. */
#ifndef CAPTURE_SOURCE_NAMES_H
#define CAPTURE_SOURCE_NAMES_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process;

#define SOURCE_NAME_MAX 300

/* command: a hash of the command line; 0: not known. */
struct named_process { pid_t pid; uint64_t start_ticks, command; };

struct source_name {
	char name[SOURCE_NAME_MAX];
	struct named_process of;	/* pid 0: of no process, or one that is not known any more */
	bool given;			/* in this capture, and not ended */
};

struct source_names {			/* a zeroed struct has none; free list.at by array_release */
	ARRAY(struct source_name) list;
	/* whether a process still runs; a test may have its own */
	bool (*runs)(const struct named_process *process);
};

struct named_process source_names_process(const struct process *process);

/* The names that running processes have in the streams of a file of this host, as an earlier capture left it. What
 * cannot be read has none. */
void source_names_read(struct source_names *names, const char *path);

/* process: NULL: none, as for a command. */
void source_names_give(struct source_names *names, const char *title, const struct named_process *process,
		       char name[SOURCE_NAME_MAX]);
/* It is not captured any more. */
void source_names_end(struct source_names *names, const char *name);

#endif
