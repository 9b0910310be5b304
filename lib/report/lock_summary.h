/* SPDX-License-Identifier: MIT
 * lock_summary: who holds which lock, and how many wait for it: dump by dump, summed over all streams by names. An
 * object's address is its name within a process, until a collector moves it: then it is another lock here.
 * Memory: what is distinct (locks, and threads that held them). */
#ifndef REPORT_LOCK_SUMMARY_H
#define REPORT_LOCK_SUMMARY_H

#include "base/id_table.h"
#include "base/pair_sums.h"
#include "base/text_table.h"
#include "model/lock_lines.h"

#define LOCK_NO_ADDRESS 0	/* not kept, or the dump has none */

struct lock_seen {
	uint32_t source, class;		/* numbers of texts */
	uint64_t address;
	bool lost;			/* its address was */
	uint64_t wanted;		/* samples, over all who held it */
	uint64_t sample, given_back;	/* the latest sample that has it, and that gave it back for the time */
	unsigned relations;		/* of that sample, a bit each */

	/* in the present dump */
	uint64_t round;
	uint64_t holder, stack;		/* THREAD and STACK ids; holder 0: nobody seen so far */
	bool held;
	uint64_t wanting, parked, waiting;
};

/* A lock and a thread that held it; or nobody that was seen. */
struct lock_hold {
	uint32_t lock, holder;		/* number of the lock; of the thread's name, 0 nobody */
	uint64_t held, wanted, waited;	/* samples: that hold it, want it meanwhile, wait until it notifies */
	uint64_t most;			/* that wanted it at one moment */
	uint64_t stack;			/* of the present stream, where the holder was last; 0: see node */
	uint32_t node;			/* the caller's number for that stack */
	int64_t longest_ns;		/* from the first to the last of dumps one after another that show it */
	uint64_t last_dump;		/* of its source, counted from 1 */
	int64_t since_ns;
};

struct lock_summary {
	struct text_table texts;	/* of classes, sources, threads */
	struct hash_map by_lock, by_hold;
	ARRAY(struct lock_seen) locks;	/* lock n at n - 1 */
	ARRAY(struct lock_hold) holds;
	ARRAY(uint32_t) touched;	/* locks of the present dump */
	uint64_t round, dump;
	ARRAY(uint32_t) fresh;		/* holds whose stack is an id of the present stream */
	struct id_table dumps_of;	/* how many dumps a source has had, by the number of its name */
	struct id_table class_of;	/* numbers of texts, by STRING id of the present stream */
	uint64_t dump_number, sample;
	struct lock_lines lines;
	uint32_t source;		/* of the present dump; 0: none began */
};

/* A line of a table. Of a lock that somebody wants, for each thread that held it; locks that nobody wants are one for
 * each class. */
struct lock_row {
	uint32_t class, source, holder, node;	/* holder 0: nobody that was seen */
	uint64_t address;
	bool several, lost;		/* addresses */
	uint64_t others;		/* so many further holders are summed here; 0: it is of one */
	uint64_t held, wanted, waited, most;
	int64_t longest_ns;
	uint64_t lock_wanted;		/* over all who held it */
};

/* The rows, in order, with at most `holders` for a lock before the others are summed; the caller frees them. */
struct lock_row *lock_summary_rows(const struct lock_summary *summary, size_t holders, size_t *count);

/* A zeroed struct is an empty one, after this. */
void lock_summary_open(struct lock_summary *summary);
/* Each sample of a dump, also those without locks: which dumps there are decides whether a lock was kept. */
void lock_summary_take(struct lock_summary *summary, const struct model *model, const struct stk_sample *sample);
/* The last dump of a stream is over: before the model forgets its ids. */
void lock_summary_settle(struct lock_summary *summary, const struct model *model);
/* Ids start anew. */
void lock_summary_turn(struct lock_summary *summary);
void lock_summary_release(struct lock_summary *summary);

#endif
