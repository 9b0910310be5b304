/* SPDX-License-Identifier: MIT
 * off_times: how long threads are away from the processors: from when one leaves to when it comes back, on whichever
 * processor. Each processor's turns are added by a thread of its own, in the order of time; one more asks. */
#ifndef CAPTURE_OFF_TIMES_H
#define CAPTURE_OFF_TIMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct off_times;

enum off_turn { TURN_COMES, TURN_LEAVES, TURN_IS_PUT_OFF };	/* the last: it could go on, and another one may */

void off_times_open(struct off_times **out, unsigned processors);
void off_times_close(struct off_times *o);

/* By the thread of a processor. */
void off_times_turn(struct off_times *o, pid_t tid, int64_t time_ns, enum off_turn turn);
/* All its turns up to this time were added. */
void off_times_seen(struct off_times *o, unsigned processor, int64_t time_ns);

/* By who asks: takes what was added since, up to the time that all processors have seen, which it returns. Nobody can
 * ask about turns that were taken before. */
int64_t off_times_take(struct off_times *o);
/* When a thread that left at this time came back: false if it had not by then. *put_off is set if the turns that were
 * taken say how it left. */
bool off_times_find(const struct off_times *o, pid_t tid, int64_t left_ns, int64_t *back_ns, bool *put_off);

/* Who let a thread go on: the thread that ran there, or an interrupt, such as that of a timer. */
struct off_waker { pid_t pid, tid; bool interrupt; };
/* By the thread of a processor: this thread was woken. */
void off_times_woken(struct off_times *o, pid_t tid, int64_t time_ns, const struct off_waker *by);
/* Who woke a thread last, while it was away: false when nobody is known to have. */
bool off_times_waker(const struct off_times *o, pid_t tid, int64_t left_ns, int64_t back_ns, struct off_waker *by);

/* Turns that were dropped, because nobody took them in time. */
uint64_t off_times_dropped(const struct off_times *o);

#endif
