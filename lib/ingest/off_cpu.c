/* SPDX-License-Identifier: MIT
 * off_cpu: the last leaving of each thread. */
#include "ingest/off_cpu.h"

void
off_cpu_release(struct off_cpu *off)
{
	id_table_clear(&off->threads);
	array_release(&off->away);
}

void
off_cpu_clear(struct off_cpu *off)
{
	id_table_clear(&off->threads);
	off->away.count = 0;
}

static struct stk_sample *
place_of(struct off_cpu *off, uint64_t who)
{
	uint32_t *place;

	off->threads.size = sizeof *place;
	place = id_table_at(&off->threads, who);
	if (*place == 0) {
		*array_push(&off->away) = (struct stk_sample){ .weight = 0 };
		*place = (uint32_t)off->away.count;
	}
	return &off->away.at[*place - 1];
}

bool
off_cpu_leave(struct off_cpu *off, uint64_t who, const struct stk_event *event, char state)
{
	struct stk_sample *place = place_of(off, who);
	bool was_away = place->weight > 0;
	bool ended = state == 'X' || state == 'Z' || event->time == STK_TIME_UNKNOWN;

	*place = (struct stk_sample){
		.time = event->time, .thread = event->thread, .stack = event->stack, .processor = event->processor,
		.state = state == 'R' ? STK_STATE_RUNNABLE : state != '\0' ? STK_STATE_SLEEPING : STK_STATE_UNKNOWN,
		.weight = !ended
	};
	return !was_away;
}

static bool
take_away(struct stk_sample *place, int64_t time, struct stk_sample *out)
{
	if (place->weight == 0)
		return false;
	*out = *place;
	out->weight = (uint64_t)time - (uint64_t)place->time;
	place->weight = 0;
	return time > out->time;
}

bool
off_cpu_return(struct off_cpu *off, uint64_t who, int64_t time, struct stk_sample *out)
{
	return time != STK_TIME_UNKNOWN && take_away(place_of(off, who), time, out);
}

bool
off_cpu_works(struct off_cpu *off, uint64_t who, int64_t time)
{
	struct stk_sample *place = place_of(off, who);

	if (place->weight == 0 || time <= place->time)
		return true;
	place->weight = 0;
	return false;
}

bool
off_cpu_next(struct off_cpu *off, size_t *at, int64_t end, struct stk_sample *out)
{
	while (*at < off->away.count)
		if (take_away(&off->away.at[(*at)++], end, out))
			return true;
	return false;
}
