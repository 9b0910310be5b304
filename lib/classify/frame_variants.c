/* SPDX-License-Identifier: MIT
 * frame_variants: the forms of each frame. Most have one. */
#include "classify/frame_variants.h"

#include "base/array.h"

#include <stdlib.h>

struct forms { struct variant *at; size_t count, room; };

struct frame_variants {
	ARRAY(struct forms) frames;	/* by frame */
};

void
frame_variants_open(struct frame_variants **out)
{
	*out = mem_new(1, sizeof **out);
}

void
frame_variants_close(struct frame_variants *v)
{
	if (v == NULL)
		return;
	for (size_t i = 0; i < v->frames.count; i++)
		array_release(&v->frames.at[i]);
	array_release(&v->frames);
	free(v);
}

void
frame_variants_add(struct frame_variants *v, uint32_t frame, int64_t line, uint64_t form, uint64_t count)
{
	struct forms *forms;

	array_lengthen(&v->frames, frame + 1u);
	forms = &v->frames.at[frame];
	for (size_t i = 0; i < forms->count; i++)
		if (forms->at[i].line == line && forms->at[i].form == form) {
			forms->at[i].count += count;
			return;
		}
	*array_push(forms) = (struct variant){ line, form, count };
}

static int
by_count(const void *a, const void *b)
{
	const struct variant *x = a, *y = b;

	if (x->count != y->count)
		return (x->count < y->count) - (x->count > y->count);
	return x->line != y->line ? (x->line > y->line) - (x->line < y->line)
				  : (x->form > y->form) - (x->form < y->form);
}

size_t
frame_variants_of(struct frame_variants *v, uint32_t frame, const struct variant **list)
{
	struct forms *forms;

	*list = NULL;
	if (frame >= v->frames.count || v->frames.at[frame].count == 0)
		return 0;
	forms = &v->frames.at[frame];
	qsort(forms->at, forms->count, sizeof *forms->at, by_count);
	*list = forms->at;
	return forms->count;
}

uint32_t
frame_variants_last(const struct frame_variants *v)
{
	return v->frames.count == 0 ? 0 : (uint32_t)v->frames.count - 1;
}

bool
frame_is_mixed(struct frame_variants *v, uint32_t frame)
{
	const struct variant *list;
	size_t count = frame_variants_of(v, frame, &list);
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += list[i].count;
	return count > 1 && (double)list[1].count >= VARIANT_SHARE_LEAST * (double)sum;
}
