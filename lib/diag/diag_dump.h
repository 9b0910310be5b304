/* SPDX-License-Identifier: MIT
 * diag_dump: a thread dump as the rules see it. Texts are numbers of one text_table, and stacks numbers of stack_facts:
 * both are the same in all streams, so that what was seen in one file is recognised in the next. */
#ifndef DIAG_DIAG_DUMP_H
#define DIAG_DIAG_DUMP_H

#include "base/array.h"
#include "stkpipe/rows.h"

#include <stdbool.h>

#define NOBODY UINT32_MAX		/* in place of a thread or lock of a dump */

/* What a dump says of a thread besides its state: the words of HotSpot's header, of py-spy and of Go. */
enum dump_says {
	SAYS_NOTHING,
	SAYS_WAITS,			/* the system's thread waits, whatever runs on it */
	SAYS_GIL,			/* it has the interpreter's lock */
	SAYS_ACTIVE, SAYS_IDLE,
	SAYS_SEND, SAYS_RECEIVE, SAYS_SELECT, SAYS_SYNC, SAYS_IO	/* a goroutine that waits */
};

struct dump_line {			/* a lock line of a thread */
	enum stk_relation relation;
	uint32_t class;			/* 0: the dump has none */
	uint32_t depth;			/* frames above it, from the leaf */
	uint64_t address;		/* 0: not known */
};

struct dump_thread {
	uint64_t key;			/* the same thread in other dumps of its process */
	uint32_t name, pool;		/* pool: 0 when its name is not known, so that it is not taken for another */
	uint32_t stack;			/* 0: it has none */
	enum stk_state state;
	enum stk_role role;
	bool chosen;			/* by the user's conditions: findings are about such threads */
	enum dump_says says;
	bool idle;			/* waits for work */
	uint32_t minutes;		/* for so long it waits already, by what the dump says; 0: it does not say */
	int64_t cpu_ns;			/* since it began; 0: not known */
	uint64_t allocated;
	uint32_t first_line, lines;	/* of the dump's */
};

struct told_wait {			/* of a deadlock that the VM found itself */
	uint32_t thread, owner;		/* names */
	uint32_t class;
	uint64_t address;
	enum stk_relation relation;
};

struct diag_dump {
	uint32_t process;		/* whose: a number of dump_intake */
	int64_t time_ns;		/* STK_TIME_UNKNOWN: not known */
	int64_t took_ns;
	int64_t weight_ns;		/* how much time it stands for: half of the distance to its neighbours */
	uint64_t number;		/* of its process's dumps, from 1 */
	bool cut;			/* it ends in the middle */
	bool chosen;			/* any of its threads is */
	ARRAY(struct dump_thread) threads;
	ARRAY(struct dump_line) lines;
	ARRAY(struct told_wait) told;
};

static inline const struct dump_line *
dump_lines(const struct diag_dump *dump, const struct dump_thread *thread)
{
	return thread->lines == 0 ? NULL : dump->lines.at + thread->first_line;	/* at may be NULL */
}

/* Whether a thread is one of the program, and known by name: not one of the virtual machine's own. */
static inline bool
is_of_program(const struct dump_thread *thread)
{
	return thread->role != STK_ROLE_VM && thread->pool != 0;
}

#endif
