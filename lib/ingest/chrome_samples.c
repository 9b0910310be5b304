/* SPDX-License-Identifier: MIT
 * chrome_samples: frames by the numbers of their ids; a stack is walked to the first frame whose stack is known. */
#include "ingest/chrome_samples.h"

#include "model/recorder.h"

static struct trace_frame *
frame_at(struct chrome_samples *s, uint32_t number)
{
	while (s->frames.count < number)
		*array_push(&s->frames) = (struct trace_frame){ .known = false };
	return &s->frames.at[number - 1];
}

static void
read_frame(struct chrome_samples *s, struct profile_json *p, uint32_t number)
{
	struct stk_text name = text_of("", 0);
	struct trace_frame made = { .known = true };

	if (!profile_expects(p, JSON_OBJECT))
		return;
	while (json_next(&p->json) == JSON_KEY) {
		if (text_is(p->json.text, "name"))
			name = profile_text(p);
		else if (text_is(p->json.text, "parent"))
			made.parent = text_table_number(&s->ids, profile_text(p));
		else
			(void)json_skip(&p->json);
	}
	made.frame = profile_frame(p, name, text_of("", 0), text_of("", 0), 0);
	*frame_at(s, number) = made;
}

void
chrome_samples_frames(struct chrome_samples *s, struct profile_json *p)
{
	if (!profile_expects(p, JSON_OBJECT))
		return;
	while (json_next(&p->json) == JSON_KEY)
		read_frame(s, p, text_table_number(&s->ids, p->json.text));
}

void
chrome_samples_add(struct chrome_samples *s, struct stk_text sf, const struct trace_sample *sample)
{
	struct trace_sample *made = array_push(&s->list);

	*made = *sample;
	made->leaf = sf.size > 0 ? text_table_number(&s->ids, sf) : 0;
}

uint32_t
chrome_samples_stack(struct chrome_samples *s, struct profile_json *p, uint32_t leaf)
{
	ARRAY(struct trace_frame *) path = { 0 };
	uint32_t stack = 0;

	if (s->ids.texts.count > 0)
		(void)frame_at(s, (uint32_t)s->ids.texts.count);
	for (uint32_t number = leaf; number != 0;) {
		struct trace_frame *frame = &s->frames.at[number - 1];

		if (frame->stack != 0) {
			stack = frame->stack - 1;
			break;
		}
		if (!frame->known) {
			profile_broken(p, "a frame that is not defined; left out");
			break;
		}
		frame->stack = 1;	/* until it is known; what meets itself ends there */
		*array_push(&path) = frame;
		number = frame->parent;
	}
	while (path.count > 0) {
		struct trace_frame *frame = path.at[--path.count];

		stack = recorder_stack(p->recorder, stack, frame->frame);
		frame->stack = stack + 1;
	}
	array_release(&path);
	return stack;
}

void
chrome_samples_release(struct chrome_samples *s)
{
	text_table_release(&s->ids);
	array_release(&s->frames);
	array_release(&s->list);
}
