/* SPDX-License-Identifier: MIT
 * thread_page: threads and locks over time as one HTML page. Its block n is varints; times are milliseconds:
 *	texts, stacks, processes, rows, pools, locks
 *	of each stack how many functions; then these, from the leaf
 *	of each process its name, how many moments; of each: from the end of the one before to its begin, its
 *	length, from begin to the dump, dumps, threads
 *	of each row its name, process, 1 chosen + 2 of the machine itself; how many looks; of each look, samples; how
 *	many runs; of each: moments since the run before, moments - 1, look, stack + 1 (0 none), lock, holder (a
 *	row + 1)
 *	of each pool its process, name, 1 of the machine itself, finding + 1, how many rows; these
 *	of each lock its process, class, number, where it is wanted, samples, dumps, most, lost, 1 chosen + 2 a
 *	ring; how many waits; of each: moments since the one before, moments - 1, waiters, holder, where it was
 *	locked, 1 a ring
 *	of each text its length; then the bytes of all
 * Texts and stacks count from 0, 0 is the empty text. */
#ifndef PLOT_THREAD_PAGE_H
#define PLOT_THREAD_PAGE_H

#include "plot/thread_lines.h"

struct thread_page_options {
	const char *zone; /* a name of the zone database, or "" */
	const char *command; /* of stkdiag, for the same findings */
	const char *dumps; /* of stkcat, for dumps: to be completed with times */
	bool locks; /* locks are shown first */
	bool plain; /* blocks as base64 */
	uint64_t max_bytes; /* several dumps become one until the page is not larger */
};

/* -1 with *err (STK_EUSAGE): max_bytes is less than a page without data. The history becomes as coarse as the page. */
int thread_page_add(struct text_buffer *to, const struct thread_picture *picture, struct thread_history *history,
		    const struct thread_page_options *options, struct stk_error *err) STK_MUST_CHECK;

#endif
