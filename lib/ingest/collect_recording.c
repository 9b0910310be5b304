/* SPDX-License-Identifier: MIT
 * collect_recording: rows of formats that read whole inputs by themselves. */
#include "ingest/collect_inside.h"
#include "ingest/whole_input.h"

#include "ingest/text_lines.h"
#include "model/recorder.h"
#include "stream/writer.h"

#include <stdio.h>

#define REJECTED_SHOWN 4096u	/* bytes of a rejected line of an input that is read as a whole */
#define REST_BYTES     65536u	/* of such an input, at once */

struct recorder *
recording_definitions(struct collect *collect)
{
	return collect->recorder;
}

void
recording_process(struct collect *collect, uint64_t pid, uint32_t process, uint32_t vm, uint32_t host)
{
	collect->source_row.pid = pid;
	collect->source_row.process = process;
	collect->source_row.vm = vm;
	collect->source_row.host = host;
	collect->source = 0;
}

void
recording_clock(struct collect *collect, enum stk_clock clock)
{
	if (collect->source_row.clock != clock)
		collect->source = 0;
	collect->source_row.clock = clock;
}

uint32_t
recording_source(struct collect *collect)
{
	return collect_source(collect);
}

uint32_t
recording_source_of(struct collect *collect, uint64_t pid, struct stk_text process)
{
	return collect_source_of_pid(collect, pid, process);
}

void
recording_broken(struct collect *collect, const char *why)
{
	struct finding doubt = { .kind = FOUND_SKIPPED };

	collect_tell_doubt(collect, &doubt, why);
}

void
recording_rejected(struct collect *collect, uint64_t line, struct stk_text text, bool lost, const char *why)
{
	struct finding finding = { .kind = FOUND_SKIPPED,
				   .is.skipped = { .text = text, .lines = 1, .why = why,
						   .reason = lost ? SKIP_BROKEN : SKIP_NOISE } };

	if (finding.is.skipped.text.size > REJECTED_SHOWN)
		finding.is.skipped.text.size = REJECTED_SHOWN;
	collect->line = line;
	collect_tell_skipped(collect, &finding);
	collect->counts.rejected++;
	collect->line = 0;		/* what is reported of the whole is of no line */
}

void
recording_rejected_lines(struct collect *collect, uint64_t line, struct stk_text text, bool lost, const char *why)
{
	const char *end;

	if (text.size == 0)
		return;			/* its data may be NULL */
	end = text.data + text.size;
	for (struct stk_text one = line_at(text.data, end); one.data < end; one = line_after(one, end), line++)
		if (trimmed(one).size > 0)
			recording_rejected(collect, line, trimmed(one), lost, why);
}

bool
recording_lists_rejects(const struct collect *collect)
{
	return collect->options.choice.count_blank;
}

void
recording_rejected_rest(struct collect *collect, const struct recording_bytes *from, struct stk_text left,
			uint64_t line)
{
	static const char why[] = "follows what cannot be read";
	struct text_buffer text = { 0 };
	size_t got, whole;

	if (!recording_lists_rejects(collect))
		return;
	array_reserve(&text, REST_BYTES);
	add_text(&text, left);
	do {
		whole = whole_lines_size(text_in(&text, 0));
		if (whole == 0 && text.count > REST_BYTES)
			text.count = REST_BYTES;	/* of one line */
		recording_rejected_lines(collect, line, text_of(text.at, whole), false, why);
		line += scan_count_lines(text.at, text.at + whole);
		text.count -= whole;
		memmove(text.at, text.at + whole, text.count);
		array_reserve(&text, REST_BYTES);
		got = from->read(from->context, text.at + text.count, REST_BYTES);
		text.count += got;
	} while (got > 0);
	recording_rejected_lines(collect, line, text_in(&text, 0), false, why);
	array_release(&text);
}

void
recording_unplaced(struct collect *collect, uint64_t count, const char *why)
{
	char text[24];
	struct finding finding = { .kind = FOUND_SKIPPED, .is.skipped = { .reason = SKIP_NOISE, .why = why } };
	int size = snprintf(text, sizeof text, "%llu of them", (unsigned long long)count);

	finding.is.skipped.text = text_of(text, (size_t)size);
	finding.is.skipped.lines = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	if (count > 0)
		collect_tell_skipped(collect, &finding);
}

int
recording_sample(struct collect *collect, struct stk_sample *row, struct stk_error *err)
{
	static const struct finding whole_input;

	row->time = collect->dump != 0 ? collect->dump_row.time
				       : collect_believed_time(collect, &whole_input, row->time);
	row->dump = collect->dump;
	collect->dump_row.threads += collect->dump != 0;
	if (collect->options.only_stacks) {
		row->objects = row->allocated = row->classes = 0;
		row->cpu = row->elapsed = SPAN_UNKNOWN;
	}
	collect_count_stack(collect, (uint32_t)row->stack);
	collect->counts.samples++;
	return stk_writer_add(collect->options.writer, STK_SAMPLE, row, err);
}

void
sample_batch_alike(struct sample_batch *batch, uint32_t thread, uint32_t event)
{
	uint32_t from = batch->count;

	if (batch->alike_thread == thread && batch->alike_event == event && batch->alike_from <= from && thread != 0)
		return;
	batch->alike_from = from;
	batch->alike_thread = thread;
	batch->alike_event = event;
	for (uint32_t i = from; i < SAMPLE_BATCH_MAX; i++) {
		batch->thread[i] = thread;
		batch->event[i] = event;
		batch->processor[i] = (uint64_t)-1;
		batch->note[i] = 0;
	}
}

/* Whether any time may be one that believed_time does not leave as it is: without branches, by the two highest bits. */
static bool
any_is_far(const uint64_t *times, uint32_t count)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < count; i++)
		all |= times[i] - (uint64_t)STK_TIME_LEAST;
	return all > (uint64_t)STK_TIME_MOST - (uint64_t)STK_TIME_LEAST;
}

static void
count_stacks(struct collect *collect, const uint64_t *stacks, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t byte = stacks[i] / 8;

		if (byte >= collect->seen.count || (collect->seen.at[byte] >> stacks[i] % 8 & 1) == 0)
			collect_count_stack(collect, (uint32_t)stacks[i]);
	}
}

int
recording_samples(struct collect *collect, struct sample_batch *batch, struct stk_error *err)
{
	static const struct finding whole_input;
	const uint64_t *columns[STK_COLUMN_MAX] = {
		[STK_COLUMN(sample, time)] = batch->time,     [STK_COLUMN(sample, thread)] = batch->thread,
		[STK_COLUMN(sample, stack)] = batch->stack,   [STK_COLUMN(sample, event)] = batch->event,
		[STK_COLUMN(sample, weight)] = batch->weight, [STK_COLUMN(sample, state)] = batch->state,
		[STK_COLUMN(sample, processor)] = batch->processor,
		[STK_COLUMN(sample, note)] = batch->noted ? batch->note : NULL
	};
	uint32_t count = batch->count;

	batch->count = 0;
	batch->noted = false;
	if (any_is_far(batch->time, count))
		for (uint32_t i = 0; i < count; i++)
			batch->time[i] =
				(uint64_t)collect_believed_time(collect, &whole_input, (int64_t)batch->time[i]);
	count_stacks(collect, batch->stack, count);
	collect->counts.samples += count;
	return count == 0 ? 0 : writer_add_columns(collect->options.writer, STK_SAMPLE, columns, 0, count, err);
}

int
recording_metric(struct collect *collect, int64_t time_ns, const char *name, struct stk_text more, double value,
		 struct stk_error *err)
{
	struct finding finding = { .kind = FOUND_METRIC };

	finding.is.metric.name = text_from(name);
	finding.is.metric.more = more;
	finding.is.metric.value = value;
	finding.is.metric.timed = finding.is.metric.zoned = true;
	finding.is.metric.time_ns = time_ns;
	return collect_add_metric(collect, &finding, err);
}

int
recording_event(struct collect *collect, const struct event_line *line, struct stk_error *err)
{
	struct finding finding = { .kind = FOUND_EVENT };

	found_event(&finding, line);
	return collect_add_event(collect, &finding, err);
}

bool
recording_as_events(const struct collect *collect)
{
	return collect->options.choice.as_events;
}

int
recording_event_row(struct collect *collect, struct stk_event *row, struct stk_error *err)
{
	static const struct finding whole_input;

	row->time = collect_believed_time(collect, &whole_input, row->time);
	collect_count_stack(collect, (uint32_t)row->stack);
	row->name = collect_name_of_event(collect, row, false, row->name);
	return collect_write_event(collect, row, err);
}

int
recording_dump(struct collect *collect, int64_t time_ns, struct stk_text text, struct stk_error *err)
{
	const struct text_format *format = collect->format;
	const struct collect_moment taken = { .time_ns = time_ns };
	struct findings findings = { .brief = true };
	int result = 0;

	thread_dump_format.scan(&findings, text);
	collect_set_format(collect, &thread_dump_format);
	collect->moment = &taken;
	collect->within = true;
	for (size_t i = 0; i < findings.list.count && result == 0; i++)
		result = collect_finding(collect, &findings.list.at[i], err);
	collect_end_dump(collect);
	findings_release(&findings);
	collect->within = false;
	collect->moment = NULL;
	collect_set_format(collect, format);
	return result;
}

int
recording_begin_dump(struct collect *collect, int64_t time_ns, struct stk_text vm, struct stk_error *err)
{
	const struct text_format *format = collect->format;
	int result;

	collect->source_row.vm = recorder_string(collect->recorder, vm);
	collect->source_row.clock = time_ns == STK_TIME_UNKNOWN && collect->fallback_ns == STK_TIME_UNKNOWN
					    ? STK_CLOCK_UNKNOWN : STK_CLOCK_WALL;
	collect_set_format(collect, &thread_dump_format);
	collect->within = true;
	result = collect_begin_dump(collect, time_ns, true, vm, err);
	collect->within = false;
	collect_set_format(collect, format);
	return result;
}

int
recording_thread(struct collect *collect, const struct found_sample *sample, struct stk_error *err)
{
	const struct text_format *format = collect->format;
	struct finding finding = { .kind = FOUND_SAMPLE };
	int result;

	finding.is.sample = *sample;
	collect_set_format(collect, &thread_dump_format);
	result = collect_finding(collect, &finding, err);
	collect_set_format(collect, format);
	return result;
}

void
recording_end_dump(struct collect *collect)
{
	collect_end_dump(collect);
}
