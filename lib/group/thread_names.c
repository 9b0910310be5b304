/* SPDX-License-Identifier: MIT
 * thread_names: threads by a text of all that they must have in common. */
#include "group/thread_names.h"

enum met { MET_EVENTS = 1, MET_SAMPLES = 2 };

static struct stk_text
text_of_source(struct thread_names *n, const struct model *model, const struct stk_source *source)
{
	struct text_buffer *text = &n->scratch;

	text->count = 0;
	add_text(text, model_string(model, source->name));
	add_char(text, '\0');
	add_text(text, model_string(model, source->host));
	return text_in(text, 0);
}

static struct stk_text
text_of_thread(struct thread_names *n, const struct model *model, uint64_t id, bool with_process)
{
	struct stk_thread thread = model_thread(model, id);
	struct stk_source source = model_source(model, thread.source);
	struct text_buffer *text = &n->scratch;

	(void)text_of_source(n, model, &source);
	add_char(text, '\0');
	add_text(text, model_string(model, thread.name));
	add_char(text, '\0');
	if (with_process) {
		add_unsigned(text, source.pid);
		if (source.pid == 0)
			add_text(text, model_string(model, source.process));
	}
	return text_in(text, 0);
}

static void
meet(struct thread_names *n, struct stk_text text, uint64_t thread, bool of_sample)
{
	uint32_t number = text_table_number(&n->texts, text);
	struct named_threads *named;

	array_lengthen(&n->named, number + 1u);
	named = &n->named.at[number];
	if (of_sample) {
		named->many_samples |= named->samples != 0 && named->samples != thread;
		named->samples = thread;
	} else {
		named->many_events |= named->events != 0 && named->events != thread;
		named->events = thread;
	}
}

void
thread_names_meet(struct thread_names *n, const struct model *model, uint64_t thread, bool of_sample)
{
	unsigned char *met, as = of_sample ? MET_SAMPLES : MET_EVENTS;
	struct stk_source source;

	n->met.size = 1;
	met = id_table_at(&n->met, thread);
	if (thread == 0 || (*met & as) != 0)
		return;
	*met |= as;
	source = model_source(model, model_thread(model, thread).source);
	meet(n, text_of_thread(n, model, thread, true), thread, of_sample);
	if (of_sample || (source.pid == 0 && source.process == 0))
		meet(n, text_of_thread(n, model, thread, false), thread, of_sample);
	if (!of_sample)
		meet(n, text_of_source(n, model, &source), thread, false);
}

static const struct named_threads *
threads_of(const struct thread_names *n, struct stk_text text)
{
	static const struct named_threads none;
	uint32_t number = text_table_find(&n->texts, text);

	return number == 0 ? &none : &n->named.at[number];
}

uint64_t
thread_names_find(struct thread_names *n, const struct model *model, uint64_t thread, bool *other)
{
	const unsigned char *met = id_table_find(&n->met, thread);
	struct stk_thread row = model_thread(model, thread);
	struct stk_source source = model_source(model, row.source);

	*other = false;
	if (thread == 0 || (met != NULL && (*met & MET_EVENTS) != 0))
		return thread;
	for (int with_process = 1; with_process >= 0; with_process--) {
		const struct named_threads *named = threads_of(n, text_of_thread(n, model, thread, with_process));

		if (named->events != 0 && !named->many_events && !named->many_samples)
			return named->events;
		if (named->events != 0)
			return 0;
	}
	*other = model_string(model, row.name).size > 0 &&
		threads_of(n, text_of_source(n, model, &source))->events != 0;
	return 0;
}

void
thread_names_clear(struct thread_names *n)
{
	text_table_clear(&n->texts);
	n->named.count = 0;
	id_table_clear(&n->met);
}

void
thread_names_release(struct thread_names *n)
{
	text_table_release(&n->texts);
	array_release(&n->named);
	id_table_clear(&n->met);
	array_release(&n->scratch);
}
