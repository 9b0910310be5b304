/* SPDX-License-Identifier: MIT
 * firefox_profile: a profile for the Firefox Profiler, in version 66 of its processed format, which later readers
 * upgrade: a thread for each track, its samples in the order of their times. A state is the category of a sample's
 * leaf. Samples are kept until the end, 24 bytes each. */
#include "report/viewer_samples.h"
#include "stkpipe/version.h"

#define FORMAT_VERSION 66
#define GECKO_VERSION  36	/* the version of the browser's own format that this one goes with */

struct kept { int64_t time_ns; uint64_t weight; uint32_t stack, place; };	/* of rows; as they came */

struct thread { ARRAY(struct kept) kept; };

/* A row of frameTable: a function at a line, in a state where it is a sample's leaf. */
struct frame_row { uint32_t function, state; int64_t line; };
/* A row of stackTable; prefix plus one. */
struct stack_row { uint32_t prefix, frame; };

struct firefox {
	struct viewer_samples samples;	/* first */
	ARRAY(struct thread) threads;
	ARRAY(struct frame_row) frames;
	ARRAY(struct stack_row) stacks;
	ARRAY(uint32_t) leaves;		/* of viewer's stacks, by state: rows of stackTable plus one */
	ARRAY(uint32_t) functions;	/* of viewer's frames: rows of funcTable plus one */
	ARRAY(uint32_t) names;		/* of rows of funcTable: a viewer's frame */
	struct hash_map frame_map, function_map;
	ARRAY(uint32_t) path;
	int64_t base_ns[STK_CLOCK_MONOTONIC + 1];	/* the first moment of each clock */
};

#define STATES (STK_STATE_SLEEPING + 1)

/* --- gathering --- */

static uint32_t
function_row(struct firefox *f, uint32_t frame)
{
	const struct viewer_frame *all = f->samples.frames.at, *it = &all[frame - 1];
	uint64_t hash = hash_pair(it->name, hash_pair(it->file, it->module));
	uint32_t at, row;

	array_lengthen(&f->functions, frame);
	if (f->functions.at[frame - 1] != 0)
		return f->functions.at[frame - 1] - 1;
	at = hash_map_start(&f->function_map, hash);
	while ((row = hash_map_next(&f->function_map, hash, &at)) != 0) {
		const struct viewer_frame *other = &all[f->names.at[row - 1] - 1];

		if (other->name == it->name && other->file == it->file && other->module == it->module)
			break;
	}
	if (row == 0) {
		*array_push(&f->names) = frame;
		row = (uint32_t)f->names.count;
		hash_map_put(&f->function_map, hash, row);
	}
	f->functions.at[frame - 1] = row;
	return row - 1;
}

static uint32_t
frame_row(struct firefox *f, uint32_t frame, enum stk_state state)
{
	struct frame_row row = { function_row(f, frame), state, f->samples.frames.at[frame - 1].line };
	uint64_t hash = hash_pair(hash_pair(row.function, row.state), (uint64_t)row.line);
	uint32_t at = hash_map_start(&f->frame_map, hash), number;

	while ((number = hash_map_next(&f->frame_map, hash, &at)) != 0) {
		const struct frame_row *it = &f->frames.at[number - 1];

		if (it->function == row.function && it->state == row.state && it->line == row.line)
			return number - 1;
	}
	*array_push(&f->frames) = row;
	hash_map_put(&f->frame_map, hash, (uint32_t)f->frames.count);
	return (uint32_t)f->frames.count - 1;
}

/* The row of a stack whose leaf is in a state, plus one; 0 for the empty stack. Callers are in no state. */
static uint32_t
stack_row(struct firefox *f, uint32_t stack, enum stk_state state)
{
	uint32_t row = 0;

	f->path.count = 0;
	array_lengthen(&f->leaves, f->samples.stacks.count * STATES);
	if (stack != 0 && f->leaves.at[(size_t)(stack - 1) * STATES + state] != 0)
		return f->leaves.at[(size_t)(stack - 1) * STATES + state];
	for (; stack != 0; stack = f->samples.stacks.at[stack - 1].parent)
		*array_push(&f->path) = stack;
	while (f->path.count > 0) {
		uint32_t at = f->path.at[--f->path.count];
		enum stk_state in = f->path.count == 0 ? state : STK_STATE_UNKNOWN;
		uint32_t *known = &f->leaves.at[(size_t)(at - 1) * STATES + in];

		if (*known == 0) {
			uint32_t frame = frame_row(f, f->samples.stacks.at[at - 1].frame, in);

			*array_push(&f->stacks) = (struct stack_row){ row, frame };
			*known = (uint32_t)f->stacks.count;
		}
		row = *known;
	}
	return row;
}

static int
keep(void *context, uint32_t track, const struct viewer_sample *sample, struct stk_error *err)
{
	struct firefox *f = context;
	struct thread *thread;
	struct kept kept;

	(void)err;
	array_lengthen(&f->threads, (size_t)track + 1);
	thread = &f->threads.at[track];
	kept = (struct kept){ sample->time_ns, sample->weight, stack_row(f, sample->stack, sample->state),
			      (uint32_t)thread->kept.count };
	*array_push(&thread->kept) = kept;
	return 0;
}

/* --- times --- */

static int
compare_times(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return x->time_ns != y->time_ns ? (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns)
					: (x->place > y->place) - (x->place < y->place);
}

/* Samples that are not in order are brought into it; those at one moment keep theirs. */
static void
sort_thread(struct thread *thread)
{
	for (size_t i = 1; i < thread->kept.count; i++)
		if (thread->kept.at[i].time_ns < thread->kept.at[i - 1].time_ns) {
			qsort(thread->kept.at, thread->kept.count, sizeof *thread->kept.at, compare_times);
			return;
		}
}

/* A sample without a time is a millisecond after the one before it. */
static void
settle_times(struct firefox *f)
{
	int64_t *base = f->base_ns;

	for (unsigned c = 0; c <= STK_CLOCK_MONOTONIC; c++)
		base[c] = INT64_MAX;
	for (size_t t = 0; t < f->threads.count; t++) {
		struct thread *thread = &f->threads.at[t];
		enum stk_clock clock = f->samples.tracks.at[t].clock;
		int64_t before = 0;

		for (size_t i = 0; i < thread->kept.count; i++) {
			if (thread->kept.at[i].time_ns == STK_TIME_UNKNOWN)
				thread->kept.at[i].time_ns = i == 0 ? 0 : before + 1000000;
			before = thread->kept.at[i].time_ns;
		}
		sort_thread(thread);
		if (thread->kept.count > 0 && clock <= STK_CLOCK_MONOTONIC && thread->kept.at[0].time_ns < base[clock])
			base[clock] = thread->kept.at[0].time_ns;
	}
	for (unsigned c = 0; c <= STK_CLOCK_MONOTONIC; c++)
		base[c] = base[c] == INT64_MAX ? 0 : base[c] - (base[c] % 1000000 + 1000000) % 1000000;
}

/* The moment that times are written relative to: of wall clocks, if any. */
static int64_t
start_ns(const struct firefox *f)
{
	return f->base_ns[STK_CLOCK_WALL] != 0 ? f->base_ns[STK_CLOCK_WALL]
	       : f->base_ns[STK_CLOCK_MONOTONIC] != 0 ? f->base_ns[STK_CLOCK_MONOTONIC] : f->base_ns[STK_CLOCK_UNKNOWN];
}

/* Milliseconds, to the nanosecond. */
static void
add_milliseconds(struct text_buffer *to, int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, rest = size % 1000000;

	add_string(to, ns < 0 ? "-" : "");
	add_unsigned(to, size / 1000000);
	if (rest != 0)
		add_format(to, ".%06llu", (unsigned long long)rest);
}

/* --- writing --- */

static struct text_buffer *
out(struct firefox *f)
{
	return &f->samples.report.printer->text;
}

static int
settle(struct firefox *f, struct stk_error *err)
{
	return printer_settle(f->samples.report.printer, false, err);
}

/* "NAME":[value,value...], with the value of each of `count` rows. */
static int
add_column(struct firefox *f, const char *name, size_t count, void (*add)(struct firefox *f, size_t row),
	   struct stk_error *err)
{
	add_format(out(f), ",\n\"%s\":[", name);
	for (size_t row = 0; row < count; row++) {
		add_string(out(f), row > 0 ? "," : "");
		add(f, row);
		if (settle(f, err) < 0)
			return -1;
	}
	add_char(out(f), ']');
	return 0;
}

static void add_null(struct firefox *f, size_t row) { (void)row; add_string(out(f), "null"); }
static void add_zero(struct firefox *f, size_t row) { (void)row; add_char(out(f), '0'); }
static void add_minus(struct firefox *f, size_t row) { (void)row; add_string(out(f), "-1"); }
static void add_false(struct firefox *f, size_t row) { (void)row; add_string(out(f), "false"); }

static void
add_frame_of_stack(struct firefox *f, size_t row)
{
	add_unsigned(out(f), f->stacks.at[row].frame);
}

static void
add_prefix_offset(struct firefox *f, size_t row)
{
	add_unsigned(out(f), f->stacks.at[row].prefix == 0 ? 0 : row + 1 - f->stacks.at[row].prefix);
}

static void add_category(struct firefox *f, size_t row) { add_unsigned(out(f), f->frames.at[row].state); }
static void add_function(struct firefox *f, size_t row) { add_unsigned(out(f), f->frames.at[row].function); }

static void
add_line(struct firefox *f, size_t row)
{
	if (f->frames.at[row].line > 0)
		add_signed(out(f), f->frames.at[row].line);
	else
		add_string(out(f), "null");
}

static const struct viewer_frame *
frame_of_function(const struct firefox *f, size_t row)
{
	return &f->samples.frames.at[f->names.at[row] - 1];
}

/* Texts have the numbers of the table, 0 the empty one. */
static void add_name(struct firefox *f, size_t row) { add_unsigned(out(f), frame_of_function(f, row)->name); }

static void
add_source(struct firefox *f, size_t row)
{
	const struct viewer_frame *frame = frame_of_function(f, row);

	if (frame->file != 0)
		add_unsigned(out(f), frame->file);
	else
		add_string(out(f), "null");
}

static void
add_resource(struct firefox *f, size_t row)
{
	const struct viewer_frame *frame = frame_of_function(f, row);

	if (frame->module != 0)
		add_unsigned(out(f), frame->module);
	else
		add_string(out(f), "-1");
}

static void add_text_number(struct firefox *f, size_t row) { add_unsigned(out(f), row); }

static int
add_texts(struct firefox *f, size_t count, struct stk_error *err)
{
	add_string(out(f), "\"stringArray\":[\"\"");
	for (uint32_t text = 1; text < count; text++) {
		add_string(out(f), ",\n");
		add_json_text(out(f), viewer_text(&f->samples, text));
		if (settle(f, err) < 0)
			return -1;
	}
	add_char(out(f), ']');
	return 0;
}

struct column { const char *name; void (*add)(struct firefox *f, size_t row); };

/* "NAME":{"length":N,columns} */
static int
add_table(struct firefox *f, const char *name, size_t count, const struct column *columns, struct stk_error *err)
{
	add_format(out(f), ",\n\"%s\":{\"length\":%zu", name, count);
	for (; columns->name != NULL; columns++)
		if (add_column(f, columns->name, count, columns->add, err) < 0)
			return -1;
	add_char(out(f), '}');
	return 0;
}

/* Sources and resources have a row for each text, so that their numbers are those of texts: unused rows cost nothing
 * that a viewer shows. */
static int
add_shared(struct firefox *f, struct stk_error *err)
{
	static const struct column stacks[] = { { "frame", add_frame_of_stack }, { "prefixOffset", add_prefix_offset },
						{ NULL, NULL } },
				   frames[] = { { "address", add_minus }, { "inlineDepth", add_zero },
						{ "category", add_category }, { "subcategory", add_zero },
						{ "func", add_function }, { "nativeSymbol", add_null },
						{ "innerWindowID", add_zero }, { "line", add_line },
						{ "column", add_null }, { "originalLocation", add_null },
						{ NULL, NULL } },
				   functions[] = { { "name", add_name }, { "isJS", add_false },
						   { "relevantForJS", add_false }, { "resource", add_resource },
						   { "source", add_source }, { "lineNumber", add_null },
						   { "columnNumber", add_null }, { "originalLocation", add_null },
						   { NULL, NULL } },
				   resources[] = { { "lib", add_null }, { "name", add_text_number },
						   { "host", add_null }, { "type", add_zero }, { NULL, NULL } },
				   symbols[] = { { "libIndex", add_null }, { "address", add_null }, { "name", add_null },
						 { "functionSize", add_null }, { NULL, NULL } },
				   sources[] = { { "id", add_null }, { "filename", add_text_number },
						 { "startLine", add_zero }, { "startColumn", add_zero },
						 { "sourceMapURL", add_null }, { "content", add_null }, { NULL, NULL } },
				   locations[] = { { "source", add_null }, { "line", add_null }, { "column", add_null },
						   { NULL, NULL } };
	size_t texts = f->samples.texts.texts.count + 1;

	add_string(out(f), ",\n\"shared\":{");
	if (add_texts(f, texts, err) < 0 || add_table(f, "stackTable", f->stacks.count, stacks, err) < 0 ||
	    add_table(f, "frameTable", f->frames.count, frames, err) < 0 ||
	    add_table(f, "funcTable", f->names.count, functions, err) < 0 ||
	    add_table(f, "resourceTable", texts, resources, err) < 0 ||
	    add_table(f, "nativeSymbols", 0, symbols, err) < 0 ||
	    add_table(f, "sources", texts, sources, err) < 0 ||
	    add_table(f, "sourceLocationTable", 0, locations, err) < 0)
		return -1;
	add_char(out(f), '}');
	return 0;
}

/* The mean time between samples of the thread that has most of them. */
static int64_t
interval_ns(const struct firefox *f)
{
	const struct thread *longest = NULL;
	int64_t span;

	for (size_t t = 0; t < f->threads.count; t++)
		if (longest == NULL || f->threads.at[t].kept.count > longest->kept.count)
			longest = &f->threads.at[t];
	if (longest == NULL || longest->kept.count < 2)
		return 1000000;
	span = longest->kept.at[longest->kept.count - 1].time_ns - longest->kept.at[0].time_ns;
	span /= (int64_t)longest->kept.count - 1;
	return span > 0 ? span : 1000000;
}

static void
add_meta(struct firefox *f)
{
	static const char *const colors[STATES] = { "grey", "lightblue", "green", "red", "orange", "yellow", "grey",
						    "green", "lightblue" };
	const char *const *states = stk_schema()->kind[STK_SAMPLE].column[STK_COLUMN(sample, state)].names;

	add_string(out(f), "{\"meta\":{\"interval\":");
	add_milliseconds(out(f), interval_ns(f));
	add_string(out(f), ",\"startTime\":");
	add_milliseconds(out(f), start_ns(f));
	if (f->samples.samples == 0)		/* else it takes its range from samples */
		add_string(out(f), ",\"profilingStartTime\":0,\"profilingEndTime\":1");
	add_format(out(f), ",\"processType\":0,\"product\":\"stkpipe\",\"importedFrom\":\"stkpipe\",\"stackwalk\":1,\"version\":%d",
		   GECKO_VERSION);
	add_format(out(f), ",\"preprocessedProfileVersion\":%d,\"symbolicated\":true,\"symbolicationNotSupported\":true",
		   FORMAT_VERSION);
	add_string(out(f), ",\"keepProfileThreadOrder\":true,\"debug\":false,\"markerSchema\":[],\"extensions\":"
			   "{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]},\n\"categories\":[");
	for (unsigned s = 0; s < STATES; s++)
		add_format(out(f), "%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}", s > 0 ? "," : "",
			   s == STK_STATE_UNKNOWN ? "Other" : states[s], colors[s]);
	add_string(out(f), "],\n\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}},\n\"libs\":[]");
}

/* --- threads --- */

static int
add_weights(struct firefox *f, const struct thread *thread, enum event_weighs weighs, struct stk_error *err)
{
	bool plain = weighs == EVENT_COUNTS;

	for (size_t i = 0; i < thread->kept.count && plain; i++)
		plain = thread->kept.at[i].weight == 1;
	add_format(out(f), ",\n\"weightType\":\"%s\",\"weight\":%s",
		   weighs == EVENT_BYTES ? "bytes" : weighs == EVENT_NANOSECONDS ? "tracing-ms" : "samples",
		   plain ? "null" : "[");
	for (size_t i = 0; i < thread->kept.count && !plain; i++) {
		uint64_t weight = thread->kept.at[i].weight;

		add_string(out(f), i > 0 ? "," : "");
		if (weighs == EVENT_NANOSECONDS)
			add_milliseconds(out(f), weight <= INT64_MAX ? (int64_t)weight : INT64_MAX);
		else
			add_unsigned(out(f), weight);
		if (settle(f, err) < 0)
			return -1;
	}
	add_string(out(f), plain ? "" : "]");
	return 0;
}

static int
add_samples(struct firefox *f, uint32_t track, struct stk_error *err)
{
	const struct thread *thread = &f->threads.at[track];
	const struct viewer_track *of = &f->samples.tracks.at[track];
	int64_t base = of->clock == STK_CLOCK_WALL || f->base_ns[STK_CLOCK_WALL] == 0
			       ? start_ns(f) : f->base_ns[of->clock <= STK_CLOCK_MONOTONIC ? of->clock : 0];

	add_format(out(f), ",\n\"samples\":{\"length\":%zu", thread->kept.count);
	if (add_weights(f, thread, event_weighs(viewer_text(&f->samples, of->event)), err) < 0)
		return -1;
	add_string(out(f), ",\n\"stack\":[");
	for (size_t i = 0; i < thread->kept.count; i++) {
		add_string(out(f), i > 0 ? "," : "");
		if (thread->kept.at[i].stack == 0)
			add_string(out(f), "null");
		else
			add_unsigned(out(f), thread->kept.at[i].stack - 1);
		if (settle(f, err) < 0)
			return -1;
	}
	add_string(out(f), "],\n\"time\":[");
	for (size_t i = 0; i < thread->kept.count; i++) {
		add_string(out(f), i > 0 ? "," : "");
		add_milliseconds(out(f), thread->kept.at[i].time_ns - base);
		if (settle(f, err) < 0)
			return -1;
	}
	add_string(out(f), "]}");
	return 0;
}

static int
add_thread(struct firefox *f, uint32_t track, struct stk_error *err)
{
	const struct viewer_track *of = &f->samples.tracks.at[track];

	add_string(out(f), track > 0 ? ",\n{\"name\":" : "\n{\"name\":");
	add_json_text(out(f), viewer_track_name(&f->samples, track, false, true));
	add_string(out(f), ",\"processName\":");
	add_json_text(out(f), viewer_text(&f->samples, of->process != 0 ? of->process : of->source));
	add_format(out(f), ",\"pid\":\"%llu\",\"tid\":", (unsigned long long)of->pid);
	if (of->tid_known || of->own_tid == 0)
		add_unsigned(out(f), of->tid);
	else		/* of a thread of several events, as samply writes a number that is used again */
		add_format(out(f), "\"%llu.%u\"", (unsigned long long)of->own_tid, track);
	add_format(out(f), ",\"isMainThread\":%s,\"processType\":\"default\",\"processStartupTime\":0",
		   of->pid_known && of->pid == of->tid ? "true" : "false");
	add_string(out(f), ",\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[]");
	add_string(out(f), ",\n\"markers\":{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[]}");
	if (add_samples(f, track, err) < 0)
		return -1;
	add_char(out(f), '}');
	return 0;
}

/* --- the form --- */

static void *
firefox_open(const struct report *report, struct stk_error *err)
{
	struct firefox *f = mem_new(1, sizeof *f);

	(void)err;
	viewer_samples_open(&f->samples, report, true, keep, f);
	return f;
}

static int
firefox_finish(void *context, struct stk_error *err)
{
	struct firefox *f = context;

	viewer_need_track(&f->samples);
	array_lengthen(&f->threads, f->samples.tracks.count);
	settle_times(f);
	add_meta(f);
	if (add_shared(f, err) < 0)
		return -1;
	add_string(out(f), ",\n\"threads\":[");
	for (uint32_t t = 0; t < f->threads.count; t++)
		if (add_thread(f, t, err) < 0)
			return -1;
	add_string(out(f), "]}\n");
	if (f->samples.untimed > 0)
		viewer_say_untimed(&f->samples, "a millisecond after the one before");
	viewer_say_lost(&f->samples, "firefox", "l");
	return 0;
}

static void
firefox_close(void *context)
{
	struct firefox *f = context;

	for (size_t t = 0; t < f->threads.count; t++)
		array_release(&f->threads.at[t].kept);
	array_release(&f->threads);
	array_release(&f->frames);
	array_release(&f->stacks);
	array_release(&f->leaves);
	array_release(&f->functions);
	array_release(&f->names);
	array_release(&f->path);
	hash_map_release(&f->frame_map);
	hash_map_release(&f->function_map);
	viewer_samples_release(&f->samples);
	free(f);
}

const struct report_form firefox_form = {
	.name = "firefox", .kinds = KIND_BIT(STK_SAMPLE), .counts = COUNT_ALL_BUT_SAMPLES, .has = "samples",
	.open = firefox_open, .turn = viewer_form_turn, .take = viewer_form_take, .finish = firefox_finish,
	.close = firefox_close
};
