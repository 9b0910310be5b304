/* SPDX-License-Identifier: MIT
 * collect: makes records of what scanners find, in the order of the text. */
#include "ingest/collect_inside.h"

#include "base/memory.h"
#include "base/time_text.h"
#include "ingest/java_symbol.h"
#include "ingest/trace_point.h"
#include "ingest/whole_input.h"
#include "model/recorder.h"
#include "stream/writer.h"

#include <stdlib.h>

#define METRIC_NAME_MAX 200
#define WALL_NS (INT64_C(1000000000) * 1000000000)	/* 2001 */
#define CLOCKS_DIFFER_NS INT64_C(60000000000)	/* at most: of who wrote a text, and of where it was stored */

/* --- what is wrong --- */

void
collect_tell_skipped(struct collect *collect, const struct finding *finding)
{
	collect->counts.skipped += finding->is.skipped.lines;
	collect->counts.rejected += collect->is_text ? finding->is.skipped.lines : 0;
	if (finding->is.skipped.reason != SKIP_NOISE)
		collect->counts.broken++;
	if (finding->is.skipped.reason == SKIP_CUT)
		collect->dump_row.cut = 1;
	if (collect->options.skipped != NULL)
		collect->options.skipped(collect->options.context, collect->file, collect->line + finding->line,
					 finding);
}

void
collect_tell_doubt(struct collect *collect, const struct finding *of, const char *why)
{
	struct finding doubt = { .kind = FOUND_SKIPPED,
				 .line = of->line,
				 .is.skipped = { .text = text_of("", 0), .reason = SKIP_BROKEN, .why = why } };

	collect_tell_skipped(collect, &doubt);
}

/* The dump's end is missing. */
static void
tell_cut(struct collect *collect)
{
	struct finding cut = { .kind = FOUND_SKIPPED,
			       .is.skipped = { .text = text_of("", 0), .reason = SKIP_CUT,
					       .why = "a dump whose end is missing" } };

	collect_tell_skipped(collect, &cut);
}

int64_t
collect_believed_time(struct collect *collect, const struct finding *of, int64_t time_ns)
{
	if (time_ns == STK_TIME_UNKNOWN || stk_time_is_believed(time_ns))
		return time_ns;
	collect_tell_doubt(collect, of, "a time outside 1823 to 2116 counts as unknown");
	return STK_TIME_UNKNOWN;
}

/* --- sources, dumps, samples --- */

void
collect_set_format(struct collect *collect, const struct text_format *format)
{
	collect->format = format;
	collect->salt = scan_hash(text_from(format->name)).low;
}

static int64_t
civil_to_utc(const struct collect *collect, int64_t civil_ns)
{
	int64_t seconds = civil_ns / 1000000000, guess;

	if (collect->options.zone == NULL)
		return civil_ns;
	/* we look for the offset at the moment: take the offset near it, and repeat once from there */
	guess = seconds - time_zone_offset(collect->options.zone, seconds);
	return civil_ns - INT64_C(1000000000) * time_zone_offset(collect->options.zone, guess);
}

static uint32_t
present_source(struct collect *collect)
{
	if (collect->source == 0)
		collect->source = recorder_source(collect->recorder, &collect->source_row);
	return collect->source;
}

/* 0: it is not a number. */
static uint64_t
pid_of(struct stk_text process)
{
	uint64_t pid = 0;

	for (size_t i = 0; i < process.size; i++) {
		if (process.size > 10 || process.data[i] < '0' || process.data[i] > '9')
			return 0;
		pid = pid * 10 + (uint64_t)(process.data[i] - '0');
	}
	return pid;
}

/* Of a process by its number or its name. */
static uint32_t
source_of_process(struct collect *collect, struct stk_text process)
{
	uint32_t number = text_table_number(&collect->processes, process);
	struct stk_source row = collect->source_row;

	array_lengthen(&collect->process_sources, number);
	if (collect->process_sources.at[number - 1] == 0) {
		row.pid = pid_of(process);
		row.process = row.pid != 0 ? 0 : recorder_string(collect->recorder, process);
		collect->process_sources.at[number - 1] = recorder_source(collect->recorder, &row);
	}
	return collect->process_sources.at[number - 1];
}

/* Of a format that writes times of any clock alike: no machine runs for that long, so such a time is one of 1970. */
static void
choose_clock(struct collect *collect, int64_t time_ns)
{
	if (collect->format->is_of_any_clock && time_ns != STK_TIME_UNKNOWN)
		recording_clock(collect, time_ns >= WALL_NS ? STK_CLOCK_WALL : STK_CLOCK_MONOTONIC);
}

uint32_t
collect_source_of_pid(struct collect *collect, uint64_t pid, struct stk_text command)
{
	uint64_t hash = pid * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = hash_map_start(&collect->pid_map, hash), id;
	struct stk_source row = collect->source_row;

	if (pid == 0)
		return present_source(collect);
	while ((id = hash_map_next(&collect->pid_map, hash, &at)) != 0)
		if (collect->pids.at[id - 1].pid == pid && collect->pids.at[id - 1].clock == row.clock)
			return collect->pids.at[id - 1].source;
	row.pid = pid;
	if (!collect->format->names_threads)
		row.process = recorder_string(collect->recorder, command);
	array_reserve(&collect->pids, 1);
	collect->pids.at[collect->pids.count].pid = pid;
	collect->pids.at[collect->pids.count].clock = row.clock;
	collect->pids.at[collect->pids.count].source = recorder_source(collect->recorder, &row);
	hash_map_put(&collect->pid_map, hash, (uint32_t)++collect->pids.count);
	return collect->pids.at[collect->pids.count - 1].source;
}

/* The dump's row is in the stream from its first thread on, so that samples can refer to it; what is known only at its
 * end is filled in then. */
void
collect_end_dump(struct collect *collect)
{
	if (collect->dump == 0)
		return;
	if (collect->dump_format->ends_dumps && !collect->dump_ended)
		tell_cut(collect);
	(void)stk_writer_amend(collect->options.writer, STK_DUMP, collect->dump, &collect->dump_row);
	stk_writer_hold(collect->options.writer, false);
	collect->dump = 0;
}

/* Readers that wait get a dump when the next one begins: only then it is whole. */
static int
flush_dump(struct collect *collect, struct stk_error *err)
{
	if (!collect->quiet && !collect->flush_next)
		return 0;
	collect->flush_next = false;
	return stk_writer_flush(collect->options.writer, err);
}

int
collect_begin_dump(struct collect *collect, int64_t civil_ns, bool zoned, struct stk_text vm, struct stk_error *err)
{
	const struct collect_moment *moment = collect->moment;
	int64_t time = civil_ns == STK_TIME_UNKNOWN ? collect->fallback_ns
		       : zoned                      ? civil_ns
						    : civil_to_utc(collect, civil_ns);

	collect_end_dump(collect);
	if (flush_dump(collect, err) < 0)
		return -1;
	if (moment != NULL)
		time = moment->time_ns;		/* our clock is finer, and the VM may be in another zone */
	if (!collect->within) {
		if (moment == NULL || *moment->vm == '\0')
			collect->source_row.vm = recorder_string(collect->recorder, vm);
		collect->source_row.clock = time == STK_TIME_UNKNOWN ? STK_CLOCK_UNKNOWN : STK_CLOCK_WALL;
		collect->source_row.zone = time == STK_TIME_UNKNOWN || moment != NULL
			? 0 : recorder_string(collect->recorder, text_from(collect->options.zone_name));
		collect->source = 0;
	}
	collect->dump_row = (struct stk_dump){ .time = time, .source = present_source(collect) };
	if (moment != NULL) {
		collect->dump_row.event = moment->event;
		collect->dump_row.skew = moment->skew_ns;
		collect->dump_row.took = moment->took_ns;
		collect->dump_row.cut = moment->cut;
	}
	collect->dump = stk_writer_next_id(collect->options.writer, STK_DUMP);
	collect->dump_format = collect->format;
	collect->dump_ended = false;
	collect->counts.dumps++;
	if (stk_writer_add(collect->options.writer, STK_DUMP, &collect->dump_row, err) < 0)
		return -1;
	stk_writer_hold(collect->options.writer, true);
	return 0;
}

/* What a dump says of its process, unless whoever took it knows that. */
static void
name_process(struct collect *collect, const struct finding *dump)
{
	if (collect->within || collect->moment != NULL)
		return;
	collect->source_row.pid = dump->is.dump.pid;
	collect->source_row.process = recorder_string(collect->recorder, dump->is.dump.process);
}

static uint32_t
thread_of(struct collect *collect, const struct found_sample *sample)
{
	struct stk_thread row = { .number = sample->number,
				  .tid = sample->tid,
				  .handle = sample->handle,
				  .priority = sample->priority,
				  .os_priority = sample->os_priority,
				  .role = sample->role };
	uint32_t last = collect->last_thread, id;

	row.source = collect_source_of_pid(collect, sample->pid, sample->name);
	if (last < collect->followers.count &&
	    recorder_thread_is(collect->recorder, collect->followers.at[last], &row, sample->name))
		return collect->last_thread = collect->followers.at[last];
	row.name = recorder_string(collect->recorder, sample->name);
	id = recorder_thread(collect->recorder, &row);
	while (collect->followers.count <= last)
		*array_push(&collect->followers) = 0;
	collect->followers.at[last] = id;
	return collect->last_thread = id;
}

static uint32_t
thread_of_event(struct collect *collect, const struct found_sample *of, struct stk_text process)
{
	struct stk_thread row = { .tid = of->tid };

	if (process.size == 0)
		return thread_of(collect, of);
	row.source = source_of_process(collect, process);
	row.name = recorder_string(collect->recorder, of->name);
	return recorder_thread(collect->recorder, &row);
}

/* The thread that a tid is of. Switches name the next thread without its process: it has the one that it had last. */
static uint32_t
thread_of_tid(struct collect *collect, const struct finding *finding, const struct found_sample *of)
{
	const uint32_t *known = finding->is.event.of_tid ? id_table_find(&collect->threads_of_tids, of->tid) : NULL;
	uint32_t thread = known != NULL ? *known : thread_of_event(collect, of, finding->is.event.process);

	if (of->pid != 0)
		*(uint32_t *)id_table_at(&collect->threads_of_tids, of->tid) = thread;
	return thread;
}

/* The id of a string of which there are few. */
static uint32_t
name_of(struct collect *collect, struct stk_text name)
{
	uint32_t *recent = &collect->recent_names[name.size % 16];

	if (name.size == 0)
		return 0;
	if (*recent == 0 || !recorder_string_is(collect->recorder, *recent, name))
		*recent = recorder_string(collect->recorder, name);
	return *recent;
}

/* Threads without a dump's head before them: a dump whose beginning is missing. Stacks at ticks have an event. */
static bool
dump_is_missing(const struct collect *collect, const struct found_sample *sample)
{
	return collect->format->is_dump && collect->dump == 0 && sample->event.size == 0;
}

static int
add_sample(struct collect *collect, const struct finding *finding, struct stk_error *err)
{
	const struct found_sample *sample = &finding->is.sample;
	const struct recent_stack *stack;
	struct stk_sample row = { .weight = sample->weight, .processor = sample->processor };

	if (collect->dump_format != collect->format)
		collect_end_dump(collect);
	choose_clock(collect, sample->time_ns);
	if (dump_is_missing(collect, sample) &&
	    collect_begin_dump(collect, STK_TIME_UNKNOWN, false, text_of("", 0), err) < 0)
		return -1;
	if (sample->time_ns != STK_TIME_UNKNOWN && collect->source == 0 &&
	    collect->source_row.clock == STK_CLOCK_UNKNOWN)
		collect->source_row.clock = STK_CLOCK_WALL;	/* of a format that seldom has times */
	collect->reading.from = sample->stack.data;
	collect->reading.line = finding->line + collect->format->stack_after;
	stack = collect_find_stack(collect, sample);
	row.stack = stack->stack;
	row.locks = stack->locks;
	row.objects = stack->objects;
	row.state = stack->state != STK_STATE_UNKNOWN ? stack->state : sample->state;
	row.thread = thread_of(collect, sample);
	row.dump = collect->dump;
	row.time = collect->dump != 0 ? collect->dump_row.time
				      : collect_believed_time(collect, finding, sample->time_ns);
	row.event = name_of(collect, sample->event);
	row.condition = name_of(collect, sample->condition);
	row.note = recorder_string(collect->recorder, sample->note);
	row.age = sample->age_ns;
	if (collect->dump != 0 && sample->time_ns != STK_TIME_UNKNOWN && row.time != STK_TIME_UNKNOWN &&
	    sample->time_ns > row.time)
		row.age = sample->time_ns - row.time;
	if (!collect->options.only_stacks) {
		row.cpu = sample->cpu_ns;
		row.elapsed = sample->elapsed_ns;
		row.allocated = sample->allocated;
		row.classes = sample->classes;
	}
	if (collect->options.choice.as_off_cpu && row.time != STK_TIME_UNKNOWN)
		collect->counts.unreturned += !off_cpu_works(&collect->off_cpu, off_cpu_who(sample->tid, row.thread),
							     row.time);
	collect->counts.samples++;
	collect->dump_row.threads++;
	return stk_writer_add(collect->options.writer, STK_SAMPLE, &row, err);
}

static int64_t
time_of_metric(struct collect *collect, const struct finding *finding)
{
	int64_t time = collect_believed_time(collect, finding, finding->is.metric.time_ns);

	if (!finding->is.metric.timed)
		return collect->dump != 0 ? collect->dump_row.time : collect->fallback_ns;
	return finding->is.metric.zoned || collect->source_row.clock == STK_CLOCK_MONOTONIC || time == STK_TIME_UNKNOWN
		       ? time
		       : civil_to_utc(collect, time);
}

/* The name, and what follows it. */
static struct stk_text
metric_name(char *room, struct stk_text name, struct stk_text more, bool quoted)
{
	if (more.size == 0)
		return name;
	if (quoted) {
		size_t size = 0;

		for (size_t i = 0; i < more.size && size < METRIC_NAME_MAX; i++) {
			room[size++] = more.data[i];
			i += more.data[i] == '"' && i + 1 < more.size && more.data[i + 1] == '"';
		}
		return text_of(room, size);
	}
	name.size = name.size < METRIC_NAME_MAX ? name.size : METRIC_NAME_MAX;
	more.size = more.size < METRIC_NAME_MAX - name.size ? more.size : METRIC_NAME_MAX - name.size;
	memcpy(room, name.data, name.size);
	memcpy(room + name.size, more.data, more.size);
	return text_of(room, name.size + more.size);
}

int
collect_add_metric(struct collect *collect, const struct finding *finding, struct stk_error *err)
{
	struct stk_metric row = { .time = time_of_metric(collect, finding),
				  .source = present_source(collect),
				  .value = finding->is.metric.value };
	char room[METRIC_NAME_MAX];

	if (!stk_measure_is_believed(row.value)) {
		collect_tell_doubt(collect, finding, "a metric whose value is not finite, or beyond 1e100");
		return 0;
	}
	row.name = metric_name(room, finding->is.metric.name, finding->is.metric.more, finding->is.metric.quoted);
	collect->counts.metrics++;
	return stk_writer_add(collect->options.writer, STK_METRIC, &row, err);
}

/* What ends without a name has that of the last that began, of those that may; activities are known by their numbers
 * instead. A call of the kernel within which a program says that something of its own ends is none of these. */
struct stk_text
collect_name_of_event(struct collect *collect, const struct stk_event *row, bool is_named, struct stk_text name)
{
	if (is_named)
		return name;
	if (row->activity == 0 && row->happening == STK_HAPPENING_START)
		open_names_begin(&collect->open_names, (uint32_t)row->thread, name);
	return row->activity == 0 && row->happening == STK_HAPPENING_STOP
		       ? open_names_end(&collect->open_names, (uint32_t)row->thread, name)
		       : name;
}

static struct stk_text
values_of_event(struct collect *collect, const struct finding *finding)
{
	if (collect->format->read_values == NULL || finding->is.event.values.size == 0)
		return finding->is.event.values;
	collect->values.count = 0;
	collect->format->read_values(&collect->values, finding->is.event.name, finding->is.event.values);
	return text_in(&collect->values, 0);
}

/* A time of day, of the last day on which it is not after the file was written. Without that the day is not known, and
 * times count from midnight. */
static int64_t
time_on_day(struct collect *collect, int64_t time_ns)
{
	int64_t day_ns = INT64_C(86400000000000), days = collect->fallback_ns / day_ns + 1, time;

	if (collect->fallback_ns == STK_TIME_UNKNOWN) {
		collect->source_row.clock = STK_CLOCK_MONOTONIC;
		return time_ns;
	}
	do
		time = civil_to_utc(collect, days * day_ns + time_ns);
	while (time > collect->fallback_ns + CLOCKS_DIFFER_NS && days-- > 0);
	return time;
}

static int64_t
time_of_event(struct collect *collect, const struct finding *finding)
{
	int64_t time = collect_believed_time(collect, finding, finding->is.event.time_ns);

	if (finding->is.event.of_day)
		return time_on_day(collect, finding->is.event.time_ns);
	return finding->is.event.zoned || time == STK_TIME_UNKNOWN ? time : civil_to_utc(collect, time);
}

int
collect_write_event(struct collect *collect, struct stk_event *row, struct stk_error *err)
{
	collect->counts.events++;
	collect->counts.late_events += row->time != STK_TIME_UNKNOWN && row->time < collect->latest_event_ns;
	if (row->time > collect->latest_event_ns)
		collect->latest_event_ns = row->time;
	return stk_writer_add(collect->options.writer, STK_EVENT, row, err);
}

static int
write_off_cpu(struct collect *collect, const struct stk_sample *away, struct stk_error *err)
{
	struct stk_sample row = *away;

	row.event = name_of(collect, text_from("off-cpu"));
	collect->counts.samples++;
	return stk_writer_add(collect->options.writer, STK_SAMPLE, &row, err);
}

/* A switch, as a sample of the time away when it is over. */
static int
add_switch(struct collect *collect, const struct finding *finding, const struct stk_event *row, struct stk_error *err)
{
	uint64_t who = off_cpu_who(finding->is.event.tid, row->thread);
	struct stk_sample away;

	if (row->time > collect->latest_event_ns)
		collect->latest_event_ns = row->time;
	if (row->happening == STK_HAPPENING_SWITCH_OUT)
		collect->counts.unreturned += !off_cpu_leave(&collect->off_cpu, who, row,
							     trace_left_state(finding->is.event.values));
	else if (off_cpu_return(&collect->off_cpu, who, row->time, &away))
		return write_off_cpu(collect, &away, err);
	return 0;
}

int
collect_add_event(struct collect *collect, const struct finding *finding, struct stk_error *err)
{
	struct found_sample of = { .name = finding->is.event.thread,
				   .pid = finding->is.event.pid,
				   .tid = finding->is.event.tid,
				   .stack = finding->is.event.stack,
				   .hash = scan_hash(finding->is.event.stack) };
	struct stk_event row = { .time = time_of_event(collect, finding),
				 .happening = finding->is.event.happening,
				 .value = finding->is.event.value,
				 .values = values_of_event(collect, finding),
				 .processor = finding->is.event.processor,
				 .activity = finding->is.event.activity };

	choose_clock(collect, finding->is.event.time_ns);
	collect->reading.from = of.stack.data;
	collect->reading.line = finding->line;
	row.stack = collect_find_stack(collect, &of)->stack;
	row.thread = thread_of_tid(collect, finding, &of);
	if (collect->options.choice.as_off_cpu &&
	    (row.happening == STK_HAPPENING_SWITCH_OUT || row.happening == STK_HAPPENING_SWITCH_IN))
		return add_switch(collect, finding, &row, err);
	row.name = collect_name_of_event(collect, &row, finding->is.event.is_named, finding->is.event.name);
	return collect_write_event(collect, &row, err);
}

static int
add_deadlock(struct collect *collect, const struct finding *finding, struct stk_error *err)
{
	struct stk_deadlock row = { .dump = collect->dump,
				    .ring = finding->is.deadlock.ring,
				    .relation = finding->is.deadlock.relation,
				    .object = collect->options.only_stacks ? 0 : finding->is.deadlock.object };
	char room[JAVA_SYMBOL_MAX];

	row.thread = recorder_string(collect->recorder, finding->is.deadlock.thread);
	row.class = recorder_string(collect->recorder, finding->is.deadlock.is_slashed
							       ? java_dotted_name(finding->is.deadlock.class, room)
							       : finding->is.deadlock.class);
	row.owner = recorder_string(collect->recorder, finding->is.deadlock.owner);
	return stk_writer_add(collect->options.writer, STK_DEADLOCK, &row, err);
}

static void
add_facts(struct collect *collect, const struct finding *finding)
{
	collect->dump_row.listed += finding->is.facts.listed;
	collect->dump_row.exiting += finding->is.facts.exiting;
	collect->dump_row.jni_refs += finding->is.facts.jni_refs;
	collect->dump_row.weak_refs += finding->is.facts.weak_refs;
}

static void
add_capture(struct collect *collect, const struct finding *finding)
{
	if (finding->is.capture.host.size > 0)
		collect->source_row.host = recorder_string(collect->recorder, finding->is.capture.host);
	if (finding->is.capture.process.size > 0)
		collect->source_row.process = recorder_string(collect->recorder, finding->is.capture.process);
}

/* Another format's findings follow: it has a clock, and so a source, of its own. */
static void
change_format(struct collect *collect, const struct text_format *format)
{
	struct section_source *kept, *next = NULL;

	if (format == collect->format)
		return;
	kept = NULL;
	for (size_t i = 0; i < collect->sections.count; i++) {
		if (collect->sections.at[i].format == collect->format)
			kept = &collect->sections.at[i];
		if (collect->sections.at[i].format == format)
			next = &collect->sections.at[i];
	}
	if (kept == NULL) {
		size_t of_next = next == NULL ? 0 : (size_t)(next - collect->sections.at);

		kept = array_push(&collect->sections);
		next = next == NULL ? NULL : &collect->sections.at[of_next];
	}
	*kept = (struct section_source){ collect->format, collect->source_row, collect->source };
	collect_set_format(collect, format);
	if (next != NULL) {
		collect->source_row = next->row;
		collect->source = next->source;
	} else {
		collect->source_row.runtime = format->runtime;
		collect->source_row.clock = format->clock;
		collect->source_row.zone = 0;
		collect->source = 0;
	}
}

int
collect_finding(struct collect *collect, const struct finding *finding, struct stk_error *err)
{
	switch (finding->kind) {
	case FOUND_SAMPLE:
		return add_sample(collect, finding, err);
	case FOUND_DUMP:
		name_process(collect, finding);
		return collect_begin_dump(collect, collect_believed_time(collect, finding, finding->is.dump.civil_ns),
				  finding->is.dump.zoned, finding->is.dump.vm, err);
	case FOUND_DUMP_END:
		collect->dump_ended = true;
		collect_end_dump(collect);
		return 0;
	case FOUND_DUMP_FACTS:
		add_facts(collect, finding);
		return 0;
	case FOUND_METRIC:
		return collect_add_metric(collect, finding, err);
	case FOUND_EVENT:
		return collect_add_event(collect, finding, err);
	case FOUND_DEADLOCK:
		return add_deadlock(collect, finding, err);
	case FOUND_CAPTURE:
		add_capture(collect, finding);
		return 0;
	case FOUND_SKIPPED:
		collect_tell_skipped(collect, finding);
		return 0;
	case FOUND_SECTION:
	case FOUND_FORMAT:
		change_format(collect, finding->is.section.format);
		return 0;
	case FOUND_PREFIX:
	case FOUND_WRAPPED:
		return 0;
	}
	return 0;
}

int
collect_findings(struct collect *collect, const struct findings *findings, uint64_t first_line,
		 const struct finding **stop, struct stk_error *err)
{
	*stop = NULL;
	collect->line = first_line;
	collect->counts.blank += findings->blank;
	for (size_t i = 0; i < findings->list.count; i++) {
		const struct finding *finding = &findings->list.at[i];

		if (collect_finding(collect, finding, err) < 0)
			return -1;
		if (finding->kind == FOUND_PREFIX || finding->kind == FOUND_FORMAT || finding->kind == FOUND_WRAPPED) {
			*stop = finding;
			collect->counts.lines += finding->line;
			return recorder_error(collect->recorder, err);
		}
	}
	collect->counts.lines += findings->lines;
	return recorder_error(collect->recorder, err);
}

/* --- files --- */

void
collect_begin_file(struct collect *collect, const char *file, const char *source, const struct text_format *format,
		   int64_t fallback_ns)
{
	collect->file = file;
	collect_set_format(collect, format);
	collect->is_text = format->read == NULL;
	collect->line = 0;
	collect->sections.count = 0;
	collect->fallback_ns = fallback_ns;
	collect->latest_event_ns = INT64_MIN;
	collect->source = collect->dump = 0;
	collect->moment = NULL;
	collect->source_row = (struct stk_source){ .name = recorder_string(collect->recorder, text_from(source)),
						   .runtime = format->runtime,
						   .clock = format->clock };
	collect->pids.count = 0;
	hash_map_clear(&collect->pid_map);
	text_table_clear(&collect->processes);
	collect->process_sources.count = 0;
	open_names_clear(&collect->open_names);
	id_table_clear(&collect->threads_of_tids);
	collect->threads_of_tids.size = sizeof(uint32_t);
}

void
collect_moment(struct collect *collect, const struct collect_moment *moment)
{
	collect->moment = moment;
	collect->source_row.pid = moment->pid;
	collect->source_row.host = recorder_string(collect->recorder, text_from(moment->host));
	collect->source_row.process = recorder_string(collect->recorder, text_from(moment->process));
	collect->source_row.vm = recorder_string(collect->recorder, text_from(moment->vm));
	collect->source_row.runtime = moment->runtime;
	collect->source_row.clock = STK_CLOCK_WALL;
}

uint32_t
collect_source(struct collect *collect)
{
	return present_source(collect);
}

void
collect_lines(struct collect *collect, uint64_t lines, uint64_t blank)
{
	collect->counts.lines += lines;
	collect->counts.blank += blank;
}

int
collect_end_file(struct collect *collect, struct stk_error *err)
{
	struct stk_sample away;
	size_t at = 0;

	collect_end_dump(collect);
	while (off_cpu_next(&collect->off_cpu, &at, collect->latest_event_ns, &away))
		if (write_off_cpu(collect, &away, err) < 0)
			return -1;
	off_cpu_clear(&collect->off_cpu);
	return recorder_error(collect->recorder, err);
}

int
collect_open(struct collect **out, const struct collect_options *options)
{
	struct collect *collect = *out = mem_new(1, sizeof *collect);

	collect->options = *options;
	collect->reading.collect = collect;
	collect->recent = mem_new(RECENT_STACKS, sizeof *collect->recent);
	collect->lines = mem_new(RECENT_LINES, sizeof *collect->lines);
	return recorder_open(&collect->recorder, options->writer);
}

void
collect_close(struct collect *collect)
{
	if (collect == NULL)
		return;
	recorder_close(collect->recorder);
	array_release(&collect->shapes);
	array_release(&collect->reading.frames);
	array_release(&collect->reading.locks);
	array_release(&collect->pids);
	text_table_release(&collect->processes);
	array_release(&collect->process_sources);
	open_names_release(&collect->open_names);
	off_cpu_release(&collect->off_cpu);
	id_table_clear(&collect->threads_of_tids);
	array_release(&collect->values);
	array_release(&collect->plain);
	array_release(&collect->sections);
	array_release(&collect->seen);
	array_release(&collect->followers);
	hash_map_release(&collect->shape_map);
	hash_map_release(&collect->pid_map);
	free(collect->recent);
	free(collect->lines);
	free(collect->masked);
	free(collect);
}

int
collect_flush(struct collect *collect, struct stk_error *err)
{
	collect->quiet = false;
	collect->flush_next = collect->dump != 0;
	return collect->flush_next ? 0 : stk_writer_flush(collect->options.writer, err);
}

void
collect_quiet(struct collect *collect)
{
	collect->quiet = true;
}

void
collect_counts(const struct collect *collect, struct collect_counts *counts)
{
	*counts = collect->counts;
	counts->bytes = recorder_bytes(collect->recorder) + collect->shapes.room * sizeof *collect->shapes.at +
			hash_map_bytes(&collect->shape_map);
}
