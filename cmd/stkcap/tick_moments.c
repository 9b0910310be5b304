/* SPDX-License-Identifier: MIT
 * tick_moments: one row for each moment: its parts would be apart in the stream, and belong together. */
#include "tick_moments.h"

#include "base/text_buffer.h"
#include "ingest/ingest.h"

#include <stdio.h>

/* Blanks separate processors, so those of a name become something else. */
static void
add_name(struct text_buffer *to, const char *name)
{
	for (; *name != '\0'; name++)
		add_char(to, *name == ' ' || *name == '\t' || *name == '=' ? '_' : *name);
}

static void
add_processor(struct text_buffer *to, int cpu, const struct processor_state *state, const char *name)
{
	char number[32];

	snprintf(number, sizeof number, "%s%d=", to->count > 0 ? " " : "", cpu);
	add_string(to, number);
	if (state->state >= TICK_STATES || (state->process >= 0 && name == NULL)) {
		add_string(to, "unknown");
		return;
	}
	add_string(to, tick_state_names[state->state]);
	if (state->process < 0)
		return;
	add_char(to, ':');
	add_name(to, name);
}

static int
record_counts(struct processor_moments *moments, struct live_records *records, int64_t now_ns, struct stk_error *err)
{
	struct processor_moment_counts c;

	processor_moments_counts(moments, &c);
	if (live_records_counter(records, false, now_ns, -1, "moments", c.taken, err) < 0 ||
	    live_records_counter(records, false, now_ns, -1, "moments.dropped", c.dropped, err) < 0)
		return -1;
	return live_records_counter(records, false, now_ns, -1, "moments.contradicted", c.disagreed, err);
}

static int
record_moment(const struct tick_sampler *sampler, struct live_records *records, const struct processor_moment *moment,
	      int64_t wall_ns, const struct text_buffer *values, struct stk_error *err)
{
	struct finding finding = { .kind = FOUND_EVENT };

	finding.is.event.thread = text_from("moments");
	finding.is.event.name = text_from("moment");
	finding.is.event.values = text_in(values, 0);
	finding.is.event.happening = STK_HAPPENING_POINT;
	finding.is.event.activity = moment->number;
	finding.is.event.processor = tick_sampler_cpu(sampler, moment->processor);
	finding.is.event.zoned = true;
	finding.is.event.time_ns = moment->time_ns + wall_ns;
	return live_records_add(records, &finding, err);
}

int
tick_moments_record(const struct tick_sampler *sampler, struct live_records *records, int64_t now_ns, int64_t wall_ns,
		    tick_moment_name *name, void *context, struct stk_error *err)
{
	struct subject processors = { .name = "processors" };
	struct processor_moments *moments = tick_sampler_moments(sampler);
	struct processor_moment moment;
	struct text_buffer values = { 0 };
	int result;

	if (moments == NULL)
		return 0;
	result = live_records_begin_rows(records, &processors, &thread_dump_format, now_ns, err);
	while (result == 0 && processor_moments_next(moments, &moment)) {
		values.count = 0;
		for (unsigned i = 0; i < tick_sampler_cpus(sampler); i++) {
			const struct processor_state *state = &moment.states[i];
			const char *called = state->process < 0 ? NULL : name(context, state->process, state->time_ns);

			add_processor(&values, tick_sampler_cpu(sampler, i), state, called);
		}
		result = record_moment(sampler, records, &moment, wall_ns, &values, err);
	}
	array_release(&values);
	return result < 0 ? -1 : record_counts(moments, records, now_ns, err);
}
