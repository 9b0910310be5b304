/* SPDX-License-Identifier: MIT
 * nettrace_events: what events of a trace of .NET mean, and the samples that they are. Readers of the container hand
 * over metadata, stacks, threads and events as they come; names may follow what they name, so samples are made at the
 * end. */
#ifndef INGEST_NETTRACE_EVENTS_H
#define INGEST_NETTRACE_EVENTS_H

#include "base/arena.h"
#include "base/id_table.h"
#include "ingest/address_map.h"

enum nettrace_meaning {
	MEANS_OTHER,
	MEANS_SAMPLE,		/* of the runtime's sampler */
	MEANS_METHOD,		/* its name and place */
	MEANS_CPU,		/* a tick of a processor; of several processes, as the following are */
	MEANS_SWITCH,		/* a thread runs again, after some time */
	MEANS_PROCESS,		/* its name */
	MEANS_MAPPING,		/* a file in a process */
	MEANS_SYMBOL,
	MEANS_NOTHING		/* for samples */
};

struct nettrace_event {		/* each says only what differs from the one before in its block */
	uint32_t kind, stack, payload, processor;
	uint64_t thread;	/* number of the system, or of the trace, in version 6 */
	int64_t ticks;
};

struct nettrace_thread { uint64_t pid, tid; uint32_t name; };	/* name: id of a string */
struct nettrace_sample {
	struct nettrace_thread thread;
	enum nettrace_meaning meaning;
	int64_t ticks;
	uint64_t value;		/* 1 external, 2 managed; or a weight */
	size_t stack;		/* from 1; 0: none */
	uint32_t processor;
};
struct nettrace_process { uint64_t pid; struct stk_text name; struct address_map map; };
struct address_stack { size_t first, count; uint32_t id; size_t process; bool known; };

struct nettrace {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	struct arena names;
	struct id_table kinds;		/* of enum nettrace_meaning + 1, by number */
	struct id_table numbers;	/* of size_t, the places of stacks from 1, by number */
	struct id_table threads;	/* of struct nettrace_thread, by number; version 6 */
	struct id_table mappings;	/* of size_t, the places of processes from 1, by number */
	struct id_table pids;		/* likewise, by pid */
	ARRAY(struct nettrace_process) processes;	/* first the kernel, then the only one of a trace of one */
	ARRAY(struct address_stack) stacks;
	ARRAY(uint64_t) addresses;
	ARRAY(struct nettrace_sample) samples;
	struct text_buffer name;
	int64_t sync_ns, sync_ticks, frequency;
	uint32_t pointer;
	uint64_t pid, methods, others, missing, damaged;
	bool has_trace, over, has_threads, crowded;
	struct stk_text rest;		/* what follows the end */
};

void nettrace_open(struct nettrace *n);
void nettrace_release(struct nettrace *n);

uint64_t nettrace_little(struct cursor *c, unsigned size);
/* Moves over the head of a block of events, to the first of them. False: it is damaged, which is counted. */
bool nettrace_begin_events(struct nettrace *n, struct cursor *block, bool *compressed);
static inline struct cursor
cursor_of(const unsigned char *at, size_t size)
{
	return (struct cursor){ .at = at, .end = at == NULL ? at : at + size };
}

/* The moment that ticks count from, how many there are in a second, the size of an address. */
void nettrace_clock(struct nettrace *n, struct cursor *c);
/* What events of a kind mean: by their number, or their name, which may be empty. */
void nettrace_kind(struct nettrace *n, uint64_t kind, struct stk_text provider, uint64_t event, struct stk_text name);
void nettrace_stacks(struct nettrace *n, struct cursor block);
void nettrace_take(struct nettrace *n, const struct nettrace_event *event, struct cursor payload);
/* A text of UTF-16 up to its zero, as UTF-8; valid until the next one. */
struct stk_text nettrace_utf16(struct nettrace *n, struct cursor *c);

/* Makes the samples. -1 with err when the output failed. */
int nettrace_settle(struct nettrace *n) STK_MUST_CHECK;

/* nettrace_blocks: the container of version 6, after its first 20 bytes. */
void nettrace_read_blocks(struct nettrace *n, struct cursor c);

#endif
