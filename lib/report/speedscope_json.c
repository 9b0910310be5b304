/* SPDX-License-Identifier: MIT
 * speedscope_json: a profile for speedscope, one of its sampled profiles for each track. Samples are kept until the
 * end, 16 bytes each: a profile has those of one track. */
#include "report/viewer_samples.h"
#include "stkpipe/version.h"

struct kept { uint64_t weight; uint32_t stack, next; };	/* next of its track, plus one */

struct chain { uint32_t first, last; };		/* of a track, plus one; 0: none */

struct speedscope {
	struct viewer_samples samples;	/* first */
	ARRAY(struct kept) kept;
	ARRAY(struct chain) chains;
	ARRAY(uint32_t) path;
};

static int
keep(void *context, uint32_t track, const struct viewer_sample *sample, struct stk_error *err)
{
	struct speedscope *s = context;
	struct chain *chain;

	if (s->kept.count >= UINT32_MAX - 1)
		return stk_fail(err, STK_ESYSTEM, "-f speedscope: more than 4,294,967,294 samples");
	*array_push(&s->kept) = (struct kept){ sample->weight, sample->stack, 0 };
	array_lengthen(&s->chains, (size_t)track + 1);
	chain = &s->chains.at[track];
	if (chain->first == 0)
		chain->first = (uint32_t)s->kept.count;
	else
		s->kept.at[chain->last - 1].next = (uint32_t)s->kept.count;
	chain->last = (uint32_t)s->kept.count;
	return 0;
}

static void *
speedscope_open(const struct report *report, struct stk_error *err)
{
	struct speedscope *s = mem_new(1, sizeof *s);

	(void)err;
	viewer_samples_open(&s->samples, report, false, keep, s);
	return s;
}

/* --- writing --- */

static int
add_frames(struct speedscope *s, struct printer *printer, struct stk_error *err)
{
	struct text_buffer *to = &printer->text;

	for (size_t f = 0; f < s->samples.frames.count; f++) {
		const struct viewer_frame *frame = &s->samples.frames.at[f];
		uint32_t file = frame->file != 0 ? frame->file : frame->module;

		add_string(to, f > 0 ? ",\n{\"name\":" : "\n{\"name\":");
		add_json_text(to, viewer_text(&s->samples, frame->name));
		if (file != 0) {
			add_string(to, ",\"file\":");
			add_json_text(to, viewer_text(&s->samples, file));
		}
		add_char(to, '}');
		if (printer_settle(printer, false, err) < 0)
			return -1;
	}
	return 0;
}

static void
add_stack(struct speedscope *s, struct text_buffer *to, uint32_t stack)
{
	s->path.count = 0;
	for (; stack != 0; stack = s->samples.stacks.at[stack - 1].parent)
		*array_push(&s->path) = s->samples.stacks.at[stack - 1].frame - 1;
	add_char(to, '[');
	for (size_t i = s->path.count; i > 0; i--) {
		add_unsigned(to, s->path.at[i - 1]);
		add_string(to, i > 1 ? "," : "");
	}
	add_char(to, ']');
}

static const char *
unit_of(enum event_weighs weighs)
{
	return weighs == EVENT_BYTES ? "bytes" : weighs == EVENT_NANOSECONDS ? "nanoseconds" : "none";
}

static int
add_profile(struct speedscope *s, struct printer *printer, uint32_t track, bool with_source, struct stk_error *err)
{
	struct text_buffer *to = &printer->text;
	struct stk_text event = viewer_text(&s->samples, s->samples.tracks.at[track].event);
	uint64_t sum = 0;
	const char *before = "";

	for (uint32_t at = s->chains.at[track].first; at != 0; at = s->kept.at[at - 1].next)
		sum += s->kept.at[at - 1].weight;
	add_string(to, "{\"type\":\"sampled\",\"name\":");
	add_json_text(to, viewer_track_name(&s->samples, track, with_source, true));
	add_format(to, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%llu,\n\"samples\":[", unit_of(event_weighs(event)),
		   (unsigned long long)sum);
	for (uint32_t at = s->chains.at[track].first; at != 0; at = s->kept.at[at - 1].next) {
		add_string(to, before);
		add_stack(s, to, s->kept.at[at - 1].stack);
		before = ",";
		if (printer_settle(printer, false, err) < 0)
			return -1;
	}
	add_string(to, "],\n\"weights\":[");
	before = "";
	for (uint32_t at = s->chains.at[track].first; at != 0; at = s->kept.at[at - 1].next) {
		add_string(to, before);
		add_unsigned(to, s->kept.at[at - 1].weight);
		before = ",";
		if (printer_settle(printer, false, err) < 0)
			return -1;
	}
	add_string(to, "]}");
	return 0;
}

static int
speedscope_finish(void *context, struct stk_error *err)
{
	struct speedscope *s = context;
	struct printer *printer = s->samples.report.printer;
	struct text_buffer *to = &printer->text;
	bool several = viewer_several_sources(&s->samples);

	viewer_need_track(&s->samples);
	array_lengthen(&s->chains, s->samples.tracks.count);
	add_string(to, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":");
	add_string(to, "\"stkpipe ");
	add_string(to, stk_version());
	add_string(to, "\",\n\"shared\":{\"frames\":[");
	if (add_frames(s, printer, err) < 0)
		return -1;
	add_string(to, "]},\n\"profiles\":[");
	for (uint32_t t = 0; t < s->samples.tracks.count; t++) {
		add_string(to, t > 0 ? ",\n" : "\n");
		if (add_profile(s, printer, t, several, err) < 0)
			return -1;
	}
	add_string(to, "]}\n");
	viewer_say_lost(&s->samples, "speedscope", "tsl");
	return 0;
}

static void
speedscope_close(void *context)
{
	struct speedscope *s = context;

	viewer_samples_release(&s->samples);
	array_release(&s->kept);
	array_release(&s->chains);
	array_release(&s->path);
	free(s);
}

const struct report_form speedscope_form = {
	.name = "speedscope", .kinds = KIND_BIT(STK_SAMPLE), .counts = COUNT_ALL_BUT_SAMPLES, .has = "samples",
	.open = speedscope_open, .turn = viewer_form_turn, .take = viewer_form_take, .finish = speedscope_finish,
	.close = speedscope_close
};
