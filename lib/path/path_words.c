/* SPDX-License-Identifier: MIT
 * path_words: at each block the repetition that covers most is taken; what is repeated may have some in it. */
#include "path/path_words.h"

#include <string.h>

#define PERIOD_MOST 64		/* blocks */

struct repetition { size_t period, times; };

/* The repetition at the beginning; 1 time where it would not be shorter than what it stands for. */
static struct repetition
repetition_at(const uint32_t *blocks, size_t count)
{
	struct repetition best = { 1, 1 };

	for (size_t period = 1; period <= PERIOD_MOST && 2 * period <= count; period++) {
		size_t times = 1;

		while ((times + 1) * period <= count &&
		       memcmp(blocks, blocks + times * period, period * sizeof *blocks) == 0)
			times++;
		if ((times - 1) * period > (best.times - 1) * best.period)
			best = (struct repetition){ period, times };
	}
	return (best.times - 1) * best.period < 2 ? (struct repetition){ 1, 1 } : best;
}

static void
add_words(struct text_buffer *to, const struct flow_graph *g, const uint32_t *blocks, size_t count)
{
	for (size_t at = 0; at < count; ) {
		struct repetition r = repetition_at(blocks + at, count - at);

		add_string(to, at > 0 ? " " : "");
		if (r.times > 1) {
			add_char(to, '(');
			add_words(to, g, blocks + at, r.period);
			add_format(to, ")*%zu", r.times);
		} else {
			add_string(to, g->blocks.at[blocks[at]].name);
		}
		at += r.period * r.times;
	}
}

void
add_path_words(struct text_buffer *to, const struct flow_graph *g, const struct flow_path *path)
{
	size_t first = flow_path_first(g, path);

	add_words(to, g, path->blocks.at + first, path->blocks.count - first);
}

void
add_path_list(struct text_buffer *to, const struct flow_graph *g, const struct flow_path *path)
{
	size_t first = flow_path_first(g, path), count = path->blocks.count;
	struct text_buffer words = { 0 };

	add_char(to, '[');
	for (size_t at = first; at < count; ) {
		struct repetition r = repetition_at(path->blocks.at + at, count - at);

		add_string(to, at > first ? ", " : "");
		words.count = 0;
		add_words(&words, g, path->blocks.at + at, r.period * r.times);
		add_yaml_text(to, text_in(&words, 0));
		at += r.period * r.times;
	}
	add_char(to, ']');
	array_release(&words);
}
