/* SPDX-License-Identifier: MIT
 * tick_counts: counters of the whole machine, of each processor. */
#include "tick_counts.h"

int
tick_counts_record(const struct tick_sampler *sampler, enum tick_order order, struct live_records *records,
		   int64_t time_ns, struct stk_error *err)
{
	if (live_records_begin_rows(records, NULL, NULL, time_ns, err) < 0)
		return -1;
	for (unsigned cpu = 0; cpu < tick_sampler_cpus(sampler); cpu++) {
		struct tick_totals t;
		const struct {
			const char *name;
			uint64_t *value;
		} rows[] = { { "expected", &t.expected },
			     { "seen", &t.seen },
			     { "lost", &t.lost },
			     { "stacks", &t.stacks },
			     { "stale", &t.stale } };
		uint64_t missed;

		tick_sampler_totals(sampler, cpu, &t);
		missed = t.expected - t.seen - t.lost;
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
			if (live_records_counter(records, false, time_ns, (int)cpu, rows[i].name, *rows[i].value, err) <
			    0)
				return -1;
		if (live_records_counter(records, false, time_ns, (int)cpu, "missed", missed, err) < 0)
			return -1;
		for (unsigned s = TICK_OUTSIDE; s < TICK_STATES; s++)
			if (live_records_counter(records, false, time_ns, (int)cpu, tick_state_names[s],
						 tick_sampler_count(sampler, cpu, -1, (enum tick_state)s),
						 err) < 0)
				return -1;
		if (order == ORDER_READ &&
		    live_records_counter(records, false, time_ns, (int)cpu, tick_sampler_event(sampler),
					 tick_sampler_read(sampler, cpu), err) < 0)
			return -1;
	}
	return 0;
}
