/* SPDX-License-Identifier: MIT
 * method_choice: rules, top down. */
#include "path/method_choice.h"

#include "base/bytes.h"
#include "base/delimited.h"
#include "path/regions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const path_property_names[PATH_PROPERTIES] = {
	[PROPERTY_DURATION] = "duration", [PROPERTY_LOOPED] = "looped", [PROPERTY_REGIONS] = "regions",
	[PROPERTY_LOOPS] = "loops",	  [PROPERTY_REGION] = "region", [PROPERTY_BLOCKS] = "blocks",
};

static const char *const in_words[PATH_PROPERTIES] = {
	[PROPERTY_DURATION] = "milliseconds a run", [PROPERTY_LOOPED] = "of the blocks in loops",
	[PROPERTY_REGIONS] = "regions",		    [PROPERTY_LOOPS] = "loops",
	[PROPERTY_REGION] = "blocks in the largest region", [PROPERTY_BLOCKS] = "blocks",
};

const struct method_rules published_rules = {
	{ { PROPERTY_DURATION, 500, PATH_PSP2, PATH_PSP0 }, { PROPERTY_LOOPED, 0.85, PATH_PSP0, PATH_PSP2 },
	  { PROPERTY_REGIONS, 2, PATH_PSP0, PATH_PSP2 },    { PROPERTY_LOOPS, 4, PATH_PSP2, PATH_PSP0 },
	  { PROPERTY_REGION, 7, PATH_PSP0, PATH_PSP2 },	    { PROPERTY_BLOCKS, 20, PATH_PSP0, PATH_PSP1 } },
	PATH_PROPERTIES
};

/* --- reading --- */

static bool
read_threshold(struct stk_text text, double *to)
{
	return delimited_number(text, to) && isfinite(*to) && *to >= 0;
}

static bool
read_method(struct stk_text text, enum path_method *to)
{
	for (unsigned m = PATH_PSP0; m <= PATH_PSP3; m++)
		if (text_is(text, path_method_names[m])) {
			*to = (enum path_method)m;
			return true;
		}
	return false;
}

static bool
read_property(struct stk_text text, enum path_property *to)
{
	for (unsigned p = 0; p < PATH_PROPERTIES; p++)
		if (text_is(text, path_property_names[p])) {
			*to = (enum path_property)p;
			return true;
		}
	return false;
}

int
method_rules_read(struct method_rules *to, struct stk_text text, struct stk_error *err)
{
	*to = (struct method_rules){ 0 };
	(void)text_take(&text, '\n');
	for (unsigned line = 2; text.size > 0; line++) {
		struct stk_text row = text_take(&text, '\n'), property = text_take(&row, '\t'),
				threshold = text_take(&row, '\t'), below = text_take(&row, '\t'),
				from = text_take(&row, '\t');
		struct choice_rule rule;

		if (to->count == PATH_PROPERTIES || !read_property(property, &rule.property) ||
		    !read_threshold(threshold, &rule.threshold) || !read_method(below, &rule.below) ||
		    !read_method(from, &rule.from))
			return stk_fail(err, STK_EUSAGE,
					"line %u: expected a property (duration, looped, regions, loops, region or blocks), "
					"a number, and two of psp0 to psp3, with tabs between, in at most %d rows",
					line, PATH_PROPERTIES);
		to->list[to->count++] = rule;
	}
	return to->count > 0 ? 0 : stk_fail(err, STK_EUSAGE, "has no rule");
}

/* --- a graph's properties --- */

void
path_properties_of(struct path_properties *to, const struct flow_graph *g, int64_t duration_ns)
{
	bool *back = mem_new(g->edges.count + 1, sizeof *back);
	struct regions regions = { 0 };

	*to = (struct path_properties){ 0 };
	for (unsigned p = 0; p < PATH_PROPERTIES; p++)
		to->known[p] = p != PROPERTY_DURATION || duration_ns > 0;
	to->at[PROPERTY_DURATION] = (double)duration_ns / 1e6;
	to->at[PROPERTY_BLOCKS] = (double)g->blocks.count;
	flow_graph_back_edges(g, back);
	for (uint32_t e = 0; e < g->edges.count; e++)
		to->at[PROPERTY_LOOPS] += back[e];
	to->at[PROPERTY_LOOPED] = (double)flow_graph_loop_blocks(g, back) / (double)g->blocks.count;
	free(back);
	regions_find(&regions, g);
	to->at[PROPERTY_REGIONS] = (double)regions.list.count;
	for (size_t i = 0; i < regions.list.count; i++)
		to->at[PROPERTY_REGION] = fmax(to->at[PROPERTY_REGION], regions.list.at[i].size);
	regions_release(&regions);
}

/* --- choosing --- */

static enum path_method
answer(const struct choice_rule *rule, const struct path_properties *of)
{
	return of->at[rule->property] < rule->threshold ? rule->below : rule->from;
}

enum path_method
method_choose(const struct method_rules *rules, const struct path_properties *of, bool any, char *why, size_t room)
{
	const struct choice_rule *first = NULL;

	for (size_t i = 0; i < rules->count; i++) {
		const struct choice_rule *rule = &rules->list[i];

		if (!of->known[rule->property])
			continue;
		if (first == NULL)
			first = rule;
		if (any && answer(rule, of) == PATH_PSP0) {
			first = rule;
			break;
		}
	}
	if (first == NULL) {
		snprintf(why, room, "no property of the rules is known");
		return PATH_PSP2;
	}
	snprintf(why, room, "%.4g %s", of->at[first->property], in_words[first->property]);
	return answer(first, of);
}
