/* SPDX-License-Identifier: MIT
 * live_shares: how much of each key (a VM, a pool, a function) runs, now and over the last minutes, in bounded memory:
 * time is divided into cells, of which the latest are kept. No clock: the caller says what time it is.
 *
 * In dumps a value is the mean number of threads: the threads of a source divided by its dumps in that time. Elsewhere
 * it is what was added, a second. */
#ifndef PLOT_LIVE_SHARES_H
#define PLOT_LIVE_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIVE_CELLS     300	/* that are shown */
#define LIVE_NOW       10	/* cells of "now" */
#define LIVE_RECENT    60	/* cells of the time between */
#define LIVE_KEYS_MOST 20000	/* of keys in sources; more are counted as left out */

struct live_shares;

void live_shares_open(struct live_shares **out, int64_t cell_ns);
void live_shares_close(struct live_shares *shares);
/* Forgets the keys; dumps of sources stay. */
void live_shares_clear_keys(struct live_shares *shares);

/* A source took a dump. */
void live_shares_dump(struct live_shares *shares, uint32_t source, int64_t time_ns);
/* What ran, and what there was in all, running or not. What is older than the cells is ignored. */
void live_shares_add(struct live_shares *shares, uint32_t key, uint32_t source, int64_t time_ns, double running,
		     double all);

struct live_row {
	uint32_t key;
	double now, recent, whole;	/* running, over LIVE_NOW, LIVE_RECENT and LIVE_CELLS cells */
	double all_now;			/* running or not */
	float cells[LIVE_CELLS];	/* running, the latest last; below 0: not looked at */
};

/* The rows of keys that were met in the cells up to this time, and the sum of them in *total (key 0); valid until the
 * next call. */
const struct live_row *live_shares_rows(struct live_shares *shares, int64_t now_ns, size_t *count,
					struct live_row *total);
/* Keys for which there was no room. */
uint64_t live_shares_left_out(const struct live_shares *shares);

#endif
