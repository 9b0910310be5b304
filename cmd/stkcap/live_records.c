/* SPDX-License-Identifier: MIT
 * live_records: the text of a dump is read like any text (lib/ingest), as if it were a file with one dump. */
#include "live_records.h"
#include "carried_rows.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/vm_conditions.h"
#include "ingest/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COUNTED_EVERY_NS INT64_C(10000000000)
#define PIECE_BYTES      (256u << 10)

struct live_records {
	struct capture_files *files;
	struct stk_writer *writer;	/* of the present stream */
	struct collect *collect;
	struct findings findings;
	struct carried_rows carried;
	uint64_t plain_names;
	char host[256];
};

void
live_records_open(struct live_records **out, struct capture_files *files, uint64_t plain_names)
{
	struct live_records *records = *out = mem_new(1, sizeof *records);

	records->files = files;
	records->plain_names = plain_names;
	if (gethostname(records->host, sizeof records->host - 1) < 0)
		records->host[0] = '\0';
	carried_rows_open(&records->carried);
}

static void
end_collect(struct live_records *records)
{
	collect_close(records->collect);
	records->collect = NULL;
}

void
live_records_close(struct live_records *records)
{
	if (records == NULL)
		return;
	end_collect(records);
	findings_release(&records->findings);
	carried_rows_close(&records->carried);
	free(records);
}

/* Makes sure that there is a stream for rows of this time. */
static int
begin(struct live_records *records, int64_t time_ns, struct stk_error *err)
{
	struct collect_options options = { .zone_name = "", .plain_names = records->plain_names };
	bool fresh;

	if (capture_files_writer(records->files, time_ns, &records->writer, &fresh, err) < 0)
		return -1;
	if (!fresh && records->collect != NULL)
		return 0;
	end_collect(records);
	carried_rows_turn(&records->carried);
	options.writer = records->writer;
	return collect_open(&records->collect, &options);
}

static int
begin_subject(struct live_records *records, struct subject *subject, const struct text_format *format,
	      const struct collect_moment *moment, struct stk_error *err)
{
	if (subject->process != NULL &&
	    carried_rows_write(&records->carried, subject->process, &subject->looked, records->writer, err) < 0)
		return -1;
	collect_begin_file(records->collect, subject->name, subject->name, format, moment->time_ns);
	collect_moment(records->collect, moment);
	return 0;
}

static const struct text_format *
format_of(const struct subject *subject)
{
	return subject->format != NULL ? subject->format : &thread_dump_format;
}

/* --- the rows beside a dump --- */

int
live_records_metric(struct live_records *records, int64_t time_ns, const char *name, double value,
		    struct stk_error *err)
{
	struct stk_metric row = {
		.time = time_ns, .source = collect_source(records->collect), .name = text_from(name), .value = value
	};

	return stk_writer_add(records->writer, STK_METRIC, &row, err);
}

int
live_records_counter(struct live_records *records, bool of_subject, int64_t time_ns, int cpu, const char *state,
		     uint64_t count, struct stk_error *err)
{
	struct stk_counter row = { .time = time_ns,
				   .source = of_subject ? collect_source(records->collect) : 0,
				   .cpu = cpu,
				   .state = text_from(state),
				   .count = count };

	return stk_writer_add(records->writer, STK_COUNTER, &row, err);
}

static int
add_counts(struct live_records *records, int64_t time_ns, const struct watch_counts *counts, struct stk_error *err)
{
	const struct {
		const char *state;
		uint64_t count;
	} rows[] = { { "expected", counts->expected }, { "seen", counts->seen }, { "partial", counts->partial },
		     { "refused", counts->refused },   { "late", counts->late }, { "owed", counts->owed },
		     { "skipped", counts->skipped } };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (live_records_counter(records, true, time_ns, -1, rows[i].state, rows[i].count, err) < 0)
			return -1;
	if (counts->unmet > 0 && live_records_counter(records, true, time_ns, -1, "unmet", counts->unmet, err) < 0)
		return -1;
	return counts->spared == 0 ? 0
				   : live_records_counter(records, true, time_ns, -1, "spared", counts->spared, err);
}

/* Of a VM that has collected since its last dump. */
static int
add_heap(struct live_records *records, struct subject *subject, int64_t time_ns, struct perf_memory *memory,
	 struct stk_error *err)
{
	int64_t young = 0, full = 0;
	struct heap_use heap;
	double seconds;
	bool known, is_full;

	if (memory == NULL || !perf_memory_refresh(memory) ||
	    !perf_memory_number(memory, perf_memory_find(memory, "sun.gc.collector.0.invocations"), &young))
		return 0;
	full = perf_memory_number_of(memory, "sun.gc.collector.1.invocations");
	known = subject->collections >= 0;
	is_full = full != subject->full_collections;
	if (known && young == subject->collections && !is_full)
		return 0;
	subject->collections = young;
	subject->full_collections = full;
	if (!known)
		return 0;
	heap_use_read(memory, &heap);
	seconds = (double)(perf_memory_number_of(memory, "sun.gc.collector.0.time") +
			   perf_memory_number_of(memory, "sun.gc.collector.1.time")) /
		  1e9;
	return live_records_metric(records, time_ns, "heap.used", heap.used, err) < 0 ||
			       live_records_metric(records, time_ns, is_full ? "heap.used.full" : "heap.used.young",
						   heap.used, err) < 0 ||
			       live_records_metric(records, time_ns, "heap.total", heap.total, err) < 0 ||
			       live_records_metric(records, time_ns, "gc.count", (double)(young + full), err) < 0 ||
			       live_records_metric(records, time_ns, "gc.time", seconds, err) < 0
		       ? -1
		       : 0;
}

/* --- dumps --- */

/* What a dump says about the VM, kept for rows that are not of a dump. */
static void
keep_banner(struct live_records *records, struct subject *subject)
{
	for (size_t i = 0; i < records->findings.list.count; i++) {
		const struct finding *finding = &records->findings.list.at[i];

		if (finding->kind == FOUND_DUMP && finding->is.dump.vm.size > 0 && subject->vm[0] == '\0')
			snprintf(subject->vm, sizeof subject->vm, "%.*s",
				 (int)(finding->is.dump.vm.size < sizeof subject->vm ? finding->is.dump.vm.size
										     : sizeof subject->vm - 1),
				 finding->is.dump.vm.data);
	}
}

/* Findings in a text take several times its memory, so it is scanned in pieces, as files are. Removes the next piece
 * from the text; false at its end. */
static bool
scan_next(struct live_records *records, const struct text_format *format, struct stk_text *text)
{
	size_t taken = text->size;

	if (text->size == 0)
		return false;
	for (size_t size = PIECE_BYTES; size < text->size && size <= INGEST_SECTION_MAX && taken == text->size;
	     size *= 2) {
		size_t whole = format->cut(text_of(text->data, size));

		taken = whole > 0 ? whole : text->size;
	}
	records->findings.list.count = 0;
	records->findings.lines = 0;
	format->scan(&records->findings, text_of(text->data, taken));
	*text = text_of(text->data + taken, text->size - taken);
	return true;
}

/* There is no writer: count the rows of the dump as lost. */
static void
lose_dump(struct live_records *records, const struct text_format *format, struct stk_text text)
{
	struct capture_rows lost = { 0 };

	while (scan_next(records, format, &text))
		for (size_t i = 0; i < records->findings.list.count; i++) {
			lost.dumps += records->findings.list.at[i].kind == FOUND_DUMP;
			lost.samples += records->findings.list.at[i].kind == FOUND_SAMPLE;
		}
	if (lost.dumps == 0 && lost.samples > 0)
		lost.dumps = 1;		/* of a format whose dumps have no head */
	capture_files_unwritten(records->files, &lost);
}

/* A VM in a container calls its threads by the numbers that they have there. */
static uint64_t
tid_in_dumps(const struct subject *subject, uint64_t tid)
{
	return format_of(subject)->runtime == STK_RUNTIME_JVM && subject->threads.list.count > 0
		       ? (uint64_t)process_inner_tid(subject->process, (pid_t)tid)
		       : tid;
}

/* Native stacks that were taken because the VM did not answer have its own names for their threads, too. */
static void
name_threads(struct live_records *records, struct subject *subject, bool fallback)
{
	for (size_t i = 0; i < records->findings.list.count; i++) {
		struct found_sample *sample = &records->findings.list.at[i].is.sample;

		if (records->findings.list.at[i].kind != FOUND_SAMPLE)
			continue;
		if (fallback)
			known_threads_complete(&subject->threads, tid_in_dumps(subject, sample->tid), sample);
		else
			known_threads_add(&subject->threads, sample);
	}
}

static int
add_dump(struct live_records *records, struct subject *subject, const struct text_format *format, struct stk_text text,
	 bool fallback, struct stk_error *err)
{
	const struct finding *prefix;

	if (!fallback)
		known_threads_begin(&subject->threads);
	while (scan_next(records, format, &text)) {
		name_threads(records, subject, fallback);
		if (collect_findings(records->collect, &records->findings, 1, &prefix, err) < 0)
			return -1;
		keep_banner(records, subject);
	}
	if (!fallback)
		known_threads_end(&subject->threads);
	return 0;
}

static struct collect_moment
moment_of(const struct live_records *records, const struct subject *subject, int64_t time_ns)
{
	return (struct collect_moment){ .time_ns = time_ns,
					.pid = subject->process != NULL ? (uint64_t)subject->process->pid : 0,
					.host = records->host,
					.process = subject->process != NULL ? process_title(subject->process) : "",
					.vm = subject->vm,
					.runtime = format_of(subject)->runtime };
}

static bool
is_due(struct subject *subject, int64_t time_ns)
{
	bool due = subject->counted_ns == 0 || time_ns - subject->counted_ns >= COUNTED_EVERY_NS;

	if (due)
		subject->counted_ns = time_ns;
	return due;
}

/* The moment of a dump is that of the request: when the VM acts on it cannot be seen from outside. */
static struct collect_moment
moment_of_dump(const struct live_records *records, const struct subject *subject, const struct taken *taken)
{
	struct collect_moment moment = moment_of(records, subject, taken->reply.asked_ns + wall_minus_monotonic_ns());

	moment.event = taken->event;
	moment.skew_ns = taken->reply.asked_ns - taken->moment_ns;
	moment.took_ns = taken->reply.end_ns - taken->reply.asked_ns;
	moment.cut = taken->result == ATTACH_CUT;
	return moment;
}

static int
add_all(struct live_records *records, struct subject *subject, const struct taken *taken,
	const struct text_format *format, struct perf_memory *memory, const struct watch_counts *counts,
	const struct collect_moment *moment, struct stk_error *err)
{
	if (add_dump(records, subject, format, text_of(taken->reply.text, taken->reply.size), taken->fallback, err) <
	    0)
		return -1;
	if (taken->pause_ns >= 0 &&
	    live_records_metric(records, moment->time_ns, "capture.pause", (double)taken->pause_ns / 1e9, err) < 0)
		return -1;
	if (add_heap(records, subject, moment->time_ns, memory, err) < 0 ||
	    (is_due(subject, moment->time_ns) && add_counts(records, moment->time_ns, counts, err) < 0))
		return -1;
	return collect_end_file(records->collect, err);
}

int
live_records_take(struct live_records *records, struct subject *subject, const struct taken *taken,
		  const char *format_name, struct perf_memory *memory, const struct watch_counts *counts, bool *cut,
		  struct stk_error *err)
{
	struct stk_text text = text_of(taken->reply.text, taken->reply.size);
	const struct text_format *format =
		format_name != NULL ? text_format_named(format_name) : text_format_recognised(text);
	struct collect_counts before, after;
	struct collect_moment moment;

	*cut = taken->result == ATTACH_CUT;
	if (format == NULL)
		return stk_fail(err, STK_EDATA, "unknown format of the answer");
	if (subject->dumps == 0 && !taken->fallback)
		subject->format = format;
	moment = moment_of_dump(records, subject, taken);
	if (begin(records, moment.time_ns, err) < 0) {
		lose_dump(records, format, text);
		return -1;
	}
	collect_counts(records->collect, &before);
	if (begin_subject(records, subject, format, &moment, err) < 0 ||
	    add_all(records, subject, taken, format, memory, counts, &moment, err) < 0 ||
	    capture_files_commit(records->files, err) < 0)
		return -1;
	collect_counts(records->collect, &after);
	*cut |= after.broken > before.broken;
	if (after.dumps > before.dumps)
		subject->dumps++;
	return 0;
}

int
live_records_count(struct live_records *records, struct subject *subject, const struct watch_counts *counts,
		   struct stk_error *err)
{
	int64_t now = monotonic_ns() + wall_minus_monotonic_ns();
	struct collect_moment moment = moment_of(records, subject, now);

	if (begin(records, now, err) < 0)
		return -1;
	if (begin_subject(records, subject, format_of(subject), &moment, err) < 0)
		return -1;
	subject->counted_ns = now;
	if (add_counts(records, now, counts, err) < 0 || collect_end_file(records->collect, err) < 0)
		return -1;
	return capture_files_commit(records->files, err);
}

/* --- ticks --- */

int
live_records_begin_rows(struct live_records *records, struct subject *subject, const struct text_format *format,
			int64_t time_ns, struct stk_error *err)
{
	struct collect_moment moment;

	if (begin(records, time_ns, err) < 0)
		return -1;
	if (subject == NULL)
		return 0;
	moment = moment_of(records, subject, time_ns);
	return begin_subject(records, subject, format != NULL ? format : format_of(subject), &moment, err);
}

int
live_records_add(struct live_records *records, const struct finding *finding, struct stk_error *err)
{
	struct findings one = { 0 };
	const struct finding *prefix;
	struct finding copy = *finding;

	one.list.at = &copy;
	one.list.count = 1;
	return collect_findings(records->collect, &one, 1, &prefix, err);
}

int
live_records_sample(struct live_records *records, const struct subject *subject, struct finding *finding,
		    struct stk_error *err)
{
	struct found_sample *sample = &finding->is.sample;

	if (subject != NULL)
		known_threads_complete(&subject->threads, tid_in_dumps(subject, sample->tid), sample);
	return live_records_add(records, finding, err);
}

int
live_records_end_rows(struct live_records *records, struct stk_error *err)
{
	return capture_files_commit(records->files, err);
}

void
live_records_samples_lost(struct live_records *records, uint64_t samples)
{
	capture_files_unwritten(records->files, &(struct capture_rows){ .samples = samples });
}
