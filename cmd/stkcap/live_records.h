/* SPDX-License-Identifier: MIT
 * live_records: makes records of what watchers took: dumps with their cost, the VM's figures about its heap, and how
 * many moments were seen and missed. */
#ifndef STKCAP_LIVE_RECORDS_H
#define STKCAP_LIVE_RECORDS_H

#include "capture_files.h"
#include "known_threads.h"

#include "capture/watcher.h"

struct live_records;
struct text_format;

struct subject {			/* what a watcher watches, as records refer to it */
	const char *name;		/* of the source */
	const struct process *process;	/* NULL: a command */
	char vm[256];			/* name and version, by its own memory or its first dump; "": not known yet */
	const struct text_format *format;	/* of its first dump, or before it as expected: its rows without a dump
					 * are of the same source. NULL: that of Java VMs */
	int64_t collections, full_collections;	/* when its last dump was recorded; -1: not known yet */
	int64_t counted_ns;		/* when its counters were written last */
	uint64_t dumps;			/* that were recorded */
	struct known_threads threads;	/* of the last of them */
	uint64_t looked;		/* the stream in which its files were looked into for schemes; 0: none */
};

/* files is borrowed. plain_names: bits of plain_name.h. */
void live_records_open(struct live_records **out, struct capture_files *files, uint64_t plain_names);
void live_records_close(struct live_records *records);

/* Records one dump, and lets readers see it. *cut: it is incomplete. */
int live_records_take(struct live_records *records, struct subject *subject, const struct taken *taken,
		      const char *format, struct perf_memory *memory, const struct watch_counts *counts, bool *cut,
		      struct stk_error *err) STK_MUST_CHECK;

/* Writes a subject's counters: at its end, and when a file ends. */
int live_records_count(struct live_records *records, struct subject *subject, const struct watch_counts *counts,
		       struct stk_error *err) STK_MUST_CHECK;

/* --- ticks --- */

struct finding;

/* Rows without a dump: begins, takes what watchers of ticks found of a subject, or rows without one (subject NULL),
 * and lets readers see it. Stacks are text of that format; NULL: there are none. */
int live_records_begin_rows(struct live_records *records, struct subject *subject,
			    const struct text_format *format, int64_t time_ns, struct stk_error *err) STK_MUST_CHECK;
int live_records_counter(struct live_records *records, bool of_subject, int64_t time_ns, int cpu, const char *state,
			 uint64_t count, struct stk_error *err) STK_MUST_CHECK;
int live_records_metric(struct live_records *records, int64_t time_ns, const char *name, double value,
			struct stk_error *err) STK_MUST_CHECK;
/* A sample or an event, as scanners find them. */
int live_records_add(struct live_records *records, const struct finding *finding, struct stk_error *err) STK_MUST_CHECK;
/* A sample of a thread that may be one of the subject's last dump (subject NULL: of an unknown process): it has the
 * system's number and name for it. */
int live_records_sample(struct live_records *records, const struct subject *subject, struct finding *finding,
			struct stk_error *err) STK_MUST_CHECK;
int live_records_end_rows(struct live_records *records, struct stk_error *err) STK_MUST_CHECK;

/* Counts samples as lost that were not added because something failed before. */
void live_records_samples_lost(struct live_records *records, uint64_t samples);

#endif
