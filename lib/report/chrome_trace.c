/* SPDX-License-Identifier: MIT
 * chrome_trace: trace events for Chrome's DevTools, Perfetto, speedscope and others: for each track a sampling profile
 * as V8 writes it into traces, in chunks, so that samples are not kept. What a viewer makes of a sample is the time
 * until the next one. Weights that are not 1 are in "weights", which is ours. */
#include "report/viewer_samples.h"

#define CHUNK_SAMPLES 4096u
#define ROOT 1u				/* the node above all stacks; that of a stack is its number + ROOT */

struct profile {			/* of a track */
	ARRAY(uint64_t) declared;	/* a bit for each stack */
	struct text_buffer nodes, samples, deltas, weights;
	uint32_t count;			/* of the chunk */
	bool begun, weighted;
	int64_t last_us, first_us;	/* of the chunk */
	int64_t step_us;		/* between the last two */
};

struct chrome {
	struct viewer_samples samples;	/* first */
	ARRAY(struct profile) profiles;
	ARRAY(uint32_t) path;
	bool any;			/* an event was written */
};

static struct text_buffer *
out(struct chrome *c)
{
	return &c->samples.report.printer->text;
}

static void
begin_event(struct chrome *c, char phase, const char *name, uint32_t track)
{
	add_string(out(c), c->any ? ",\n" : "\n");
	c->any = true;
	add_format(out(c), "{\"ph\":\"%c\",\"name\":\"%s\",\"pid\":%llu,\"tid\":%llu", phase, name,
		   (unsigned long long)c->samples.tracks.at[track].pid,
		   (unsigned long long)c->samples.tracks.at[track].tid);
}

static void
add_name(struct chrome *c, const char *kind, uint32_t track, struct stk_text name)
{
	begin_event(c, 'M', kind, track);
	add_string(out(c), ",\"cat\":\"__metadata\",\"ts\":0,\"args\":{\"name\":");	/* speedscope wants both */
	add_json_text(out(c), name);
	add_string(out(c), "}}");
}

static void
add_profile(struct chrome *c, uint32_t track, int64_t us)
{
	const struct viewer_track *of = &c->samples.tracks.at[track];

	add_name(c, "process_name", track, viewer_text(&c->samples, of->process != 0 ? of->process : of->source));
	add_name(c, "thread_name", track, viewer_track_name(&c->samples, track, false, false));
	begin_event(c, 'P', "Profile", track);
	add_format(out(c), ",\"cat\":\"disabled-by-default-v8.cpu_profiler\",\"id\":\"0x%x\",\"ts\":%lld", track + 1,
		   (long long)us);
	add_format(out(c), ",\"args\":{\"data\":{\"startTime\":%lld", (long long)us);
	if (of->event != 0) {
		add_string(out(c), ",\"event\":");
		add_json_text(out(c), viewer_text(&c->samples, of->event));
	}
	if (!of->tid_known && of->own_tid != 0)		/* of a thread of several events: each has a tid */
		add_format(out(c), ",\"tid\":%llu", (unsigned long long)of->own_tid);
	add_string(out(c), "}}}");
}

static void
end_chunk(struct chrome *c, uint32_t track, bool last)
{
	struct profile *p = &c->profiles.at[track];

	begin_event(c, 'P', "ProfileChunk", track);
	add_format(out(c), ",\"cat\":\"disabled-by-default-v8.cpu_profiler\",\"id\":\"0x%x\",\"ts\":%lld", track + 1,
		   (long long)p->first_us);
	add_string(out(c), ",\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[");
	add_text(out(c), text_in(&p->nodes, 0));
	add_string(out(c), "],\"samples\":[");
	add_text(out(c), text_in(&p->samples, 0));
	add_string(out(c), "]},\"timeDeltas\":[");
	add_text(out(c), text_in(&p->deltas, 0));
	add_char(out(c), ']');
	if (p->weighted) {
		add_string(out(c), ",\"weights\":[");
		add_text(out(c), text_in(&p->weights, 0));
		add_char(out(c), ']');
	}
	if (last)
		add_format(out(c), ",\"endTime\":%lld", (long long)p->last_us);
	add_string(out(c), "}}}");
	p->nodes.count = p->samples.count = p->deltas.count = p->weights.count = p->count = 0;
	p->weighted = false;
}

/* --- nodes --- */

static void
add_node(struct chrome *c, struct profile *p, uint32_t stack)
{
	const struct viewer_samples *v = &c->samples;
	const struct viewer_frame *frame = stack == 0 ? NULL : &v->frames.at[v->stacks.at[stack - 1].frame - 1];
	uint32_t file = frame == NULL ? 0 : frame->file != 0 ? frame->file : frame->module;

	add_format(&p->nodes, "%s{\"id\":%llu", p->nodes.count > 0 ? "," : "", (unsigned long long)stack + ROOT);
	if (stack != 0)
		add_format(&p->nodes, ",\"parent\":%llu", (unsigned long long)v->stacks.at[stack - 1].parent + ROOT);
	add_string(&p->nodes, ",\"callFrame\":{\"functionName\":");
	add_json_text(&p->nodes, frame == NULL ? text_from("(root)") : viewer_text(v, frame->name));
	add_string(&p->nodes, ",\"scriptId\":0,\"url\":");
	add_json_text(&p->nodes, viewer_text(v, file));
	add_string(&p->nodes, ",\"lineNumber\":-1,\"columnNumber\":-1}}");
}

static bool
declare(struct profile *p, uint32_t stack)
{
	uint64_t bit = UINT64_C(1) << stack % 64;
	bool was;

	array_lengthen(&p->declared, (size_t)stack / 64 + 1);
	was = (p->declared.at[stack / 64] & bit) != 0;
	p->declared.at[stack / 64] |= bit;
	return !was;
}

/* Callers come before what they call. */
static void
add_nodes(struct chrome *c, struct profile *p, uint32_t stack)
{
	c->path.count = 0;
	for (; declare(p, stack); stack = c->samples.stacks.at[stack - 1].parent) {
		*array_push(&c->path) = stack;
		if (stack == 0)
			break;
	}
	while (c->path.count > 0)
		add_node(c, p, c->path.at[--c->path.count]);
}

/* --- samples --- */

static int64_t
microseconds(int64_t ns)
{
	return ns / 1000 - (ns % 1000 < 0);
}

static void
put_sample(struct profile *p, uint32_t stack, int64_t us, uint64_t weight)
{
	if (p->count == 0)
		p->first_us = us;
	add_format(&p->samples, p->count > 0 ? ",%llu" : "%llu", (unsigned long long)stack + ROOT);
	add_format(&p->deltas, p->count > 0 ? ",%lld" : "%lld", (long long)(us - p->last_us));
	add_format(&p->weights, p->count > 0 ? ",%llu" : "%llu", (unsigned long long)weight);
	p->weighted |= weight != 1;
	p->last_us = us;
	p->count++;
}

/* The last sample lasts as long as the one before it, or a millisecond: what ends it is one that weighs nothing. */
static void
end_profile(struct chrome *c, uint32_t track)
{
	struct profile *p = &c->profiles.at[track];

	put_sample(p, 0, p->last_us + (p->step_us > 0 ? p->step_us : 1000), 0);
	end_chunk(c, track, true);
}

static void
begin_profile(struct chrome *c, uint32_t track, int64_t us)
{
	struct profile *p = &c->profiles.at[track];

	add_profile(c, track, us);
	add_nodes(c, p, 0);
	p->begun = true;
	p->last_us = us;
}

static int
add_sample(void *context, uint32_t track, const struct viewer_sample *sample, struct stk_error *err)
{
	struct chrome *c = context;
	struct profile *p;
	int64_t us;

	array_lengthen(&c->profiles, (size_t)track + 1);
	p = &c->profiles.at[track];
	/* without a time it comes after the one before, and lasts what it weighs */
	us = sample->time_ns != STK_TIME_UNKNOWN ? microseconds(sample->time_ns) : p->last_us + p->step_us;
	if (!p->begun)
		begin_profile(c, track, us);
	p->step_us = sample->time_ns != STK_TIME_UNKNOWN ? us - p->last_us
		     : sample->weight < (uint64_t)INT32_MAX ? (int64_t)sample->weight : INT32_MAX;
	add_nodes(c, p, sample->stack);
	put_sample(p, sample->stack, us, sample->weight);
	if (p->count == CHUNK_SAMPLES)
		end_chunk(c, track, false);
	return printer_settle(c->samples.report.printer, false, err);
}

/* --- the form --- */

static void *
chrome_open(const struct report *report, struct stk_error *err)
{
	struct chrome *c = mem_new(1, sizeof *c);

	(void)err;
	viewer_samples_open(&c->samples, report, false, add_sample, c);
	add_string(out(c), "{\"traceEvents\":[");
	return c;
}

static int
chrome_finish(void *context, struct stk_error *err)
{
	struct chrome *c = context;

	if (c->samples.tracks.count == 0) {
		viewer_need_track(&c->samples);
		array_lengthen(&c->profiles, 1);
		begin_profile(c, 0, 0);
	}
	for (uint32_t t = 0; t < c->profiles.count; t++) {
		end_profile(c, t);
		if (printer_settle(c->samples.report.printer, false, err) < 0)
			return -1;
	}
	add_string(out(c), "]}\n");
	if (c->samples.untimed > 0)
		viewer_say_untimed(&c->samples, "one after another, as many microseconds as they weigh");
	viewer_say_lost(&c->samples, "chrome", "sl");
	return 0;
}

static void
chrome_close(void *context)
{
	struct chrome *c = context;

	for (size_t i = 0; i < c->profiles.count; i++) {
		array_release(&c->profiles.at[i].declared);
		array_release(&c->profiles.at[i].nodes);
		array_release(&c->profiles.at[i].samples);
		array_release(&c->profiles.at[i].deltas);
		array_release(&c->profiles.at[i].weights);
	}
	array_release(&c->profiles);
	array_release(&c->path);
	viewer_samples_release(&c->samples);
	free(c);
}

const struct report_form chrome_form = {
	.name = "chrome", .kinds = KIND_BIT(STK_SAMPLE), .counts = COUNT_ALL_BUT_SAMPLES, .has = "samples",
	.open = chrome_open, .turn = viewer_form_turn, .take = viewer_form_take,
	.finish = chrome_finish, .close = chrome_close
};
