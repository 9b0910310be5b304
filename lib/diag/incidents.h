/* SPDX-License-Identifier: MIT
 * incidents: what is seen in dumps that follow each other is one incident, from the first to the last of them; it ends
 * when two dumps of its process in a row do not show it. So an incident is told once, however long it lasts. Memory
 * grows with the incidents that are open, and a word for each dump of one; of those that were too short to be told, a
 * limited number is kept. Time per sight does not grow with how many are open. */
#ifndef DIAG_INCIDENTS_H
#define DIAG_INCIDENTS_H

#include "base/time_range.h"
#include "diag/diag_dump.h"
#include "diag/diag_rules.h"
#include "diag/resting_places.h"
#include "diag/wait_graph.h"

#define INCIDENT_PEOPLE_MOST 64		/* threads that are kept by name; more are only counted */

struct incident_person {		/* a thread in it */
	uint64_t key;
	uint32_t name, stack;		/* as it was seen last */
	uint32_t wants, holds;		/* lock classes; 0 */
	uint64_t address;		/* of the lock that it holds, or wants when it holds none */
	bool moved;			/* its stack was another one before */
	uint64_t dumps;
	struct time_range times;
};

struct incident_people { ARRAY(struct incident_person) list; uint64_t more; };	/* more: sightings of others */

struct incident_pool {			/* of the threads that are affected */
	uint32_t pool;
	uint32_t most;			/* of them at one moment, and of how many threads of the pool */
	uint32_t most_of;
	uint64_t affected, threads;	/* sums over the dumps: of them, and of all threads of the pool */
	uint64_t dump;			/* the latest in which there were any, */
	uint32_t now;			/* and how many so far */
};

struct incident {
	enum diag_rule rule;
	uint32_t process;
	uint32_t subject;		/* a text: with rule and process what tells it from others */
	uint32_t class, at, held_at;	/* texts: of the lock; where it is wanted; where it was locked. 0: none */
	struct time_range times;
	uint64_t first_dump, last_dump;	/* numbers within the process */
	uint64_t dumps;			/* in which it was seen */
	uint32_t occasions;		/* how often it came back; 1: it lasted */
	uint64_t affected;		/* threads, summed over dumps */
	uint32_t most;			/* at one moment */
	int64_t lost_ns;		/* thread time */
	int64_t length_ns;		/* the time that its dumps stand for */
	bool of_lock;			/* class and at are of a lock */
	bool known_torn;		/* all its dumps were torn */
	uint64_t address;		/* of the lock, as it was last */
	uint64_t marks[2];		/* what its rule counts in it */
	uint64_t longest;		/* and the most of something that it saw at one time */
	struct rest_counts before;	/* what was seen where it is, before it was noted */
	uint64_t run;			/* dumps in a row in which one thread stood there, at most; 0: not counted */
	uint32_t place, next_alike;	/* among those that are open */
	ARRAY(uint32_t) counts;		/* of threads, by dump */
	ARRAY(struct incident_pool) pools;
	struct incident_people waiters, holders;
};

struct incidents;

struct incident_listener {
	/* An incident ended; valid during the call. False: it was too short to be told. */
	bool (*ended)(void *context, struct incident *incident);
	void *context;
};

void incidents_open(struct incidents **out, const struct incident_listener *listener);
void incidents_close(struct incidents *incidents);

/* The incident, new when it is not open: to be filled by incident_add. */
struct incident *incidents_see(struct incidents *incidents, enum diag_rule rule, uint32_t subject,
			       const struct diag_dump *dump);
/* Whether one of this subject is open. */
bool incidents_has(struct incidents *incidents, enum diag_rule rule, uint32_t subject, const struct diag_dump *dump);
/* An open incident of the dump's process, of this rule and lock, that was not seen in the dump yet: the one whose lock
 * had this address, else one that was wanted in this function; NULL: there is none. */
struct incident *incidents_of_lock(struct incidents *incidents, enum diag_rule rule, const struct diag_dump *dump,
				   const struct wait_lock *lock, uint32_t wanted_at);
/* What is known of its lock now, by which it is found in later dumps. */
void incidents_know_lock(struct incidents *incidents, struct incident *incident, const struct wait_lock *lock,
			 uint32_t wanted_at);
/* From which number on the subjects of locks of a class are free, to be set by who takes one. */
uint32_t *incidents_numbering(struct incidents *incidents, enum diag_rule rule, uint32_t class,
			      const struct diag_dump *dump);
/* A thread of the dump that is affected, and the lock that it wants, if it is one. */
void incident_add_waiter(struct incident *incident, const struct diag_dump *dump, const struct dump_thread *thread,
			 uint32_t wants, uint64_t address);
void incident_add_holder(struct incident *incident, const struct diag_dump *dump, const struct dump_thread *thread,
			 uint32_t holds, uint64_t address);
/* Of a pool so many threads are affected, and so many it has. */
void incident_add_pool(struct incident *incident, const struct diag_dump *dump, uint32_t pool, uint32_t affected,
		       uint32_t threads);
/* The last for this dump. torn: the dump is not of one moment. */
void incident_settle(struct incident *incident, const struct diag_dump *dump, uint32_t affected, bool torn);

/* A dump was looked at: incidents of its process that ended go to the listener. */
void incidents_end_dump(struct incidents *incidents, const struct diag_dump *dump);
/* All that are open go to the listener. Those of locks, connections and the like that were too short are then given
 * once more, all of the same rule, process and subject as one: what comes back again and again is worth telling
 * although it never lasts. */
void incidents_end(struct incidents *incidents);

/* Incidents that were too short to be told, and of which no more is known: there were too many kinds of them. */
uint64_t incidents_forgotten(const struct incidents *incidents);

/* Of the numbers of threads by dump; reorders them. 0 when there are none. */
uint32_t incident_median(struct incident *incident);

#endif
