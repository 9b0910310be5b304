/* SPDX-License-Identifier: MIT
 * method_choice: which psp method suits a graph, by a property of it. Measurements of many functions say how well each
 * property tells the methods apart: rules are in the order of that, and the first whose property is known decides. Or,
 * in the other reading of the source's table (Wang and Li), psp0 when any of the rules is for it. */
#ifndef PATH_METHOD_CHOICE_H
#define PATH_METHOD_CHOICE_H

#include "path/path_plan.h"

/* Milliseconds of a run; the share of blocks in loops; regions; loops; blocks of the largest region; blocks. */
enum path_property { PROPERTY_DURATION, PROPERTY_LOOPED, PROPERTY_REGIONS, PROPERTY_LOOPS, PROPERTY_REGION,
		     PROPERTY_BLOCKS, PATH_PROPERTIES };
extern const char *const path_property_names[PATH_PROPERTIES];

struct choice_rule { enum path_property property; double threshold; enum path_method below, from; };
struct method_rules { struct choice_rule list[PATH_PROPERTIES]; size_t count; };

/* Of the source: Java on hardware of 2010. */
extern const struct method_rules published_rules;

/* Rows "property, threshold, method below it, method from it on", between tabs, after a header; further columns are for
 * people. -1 with *err, which names the line: it is not such a table. */
int method_rules_read(struct method_rules *to, struct stk_text text, struct stk_error *err) STK_MUST_CHECK;

struct path_properties { bool known[PATH_PROPERTIES]; double at[PATH_PROPERTIES]; };

/* duration_ns: of one run of the function, 0 when it is not known. */
void path_properties_of(struct path_properties *to, const struct flow_graph *graph, int64_t duration_ns);

/* why: a few words. PATH_PSP2 where no property of the rules is known. */
enum path_method method_choose(const struct method_rules *rules, const struct path_properties *of, bool any, char *why,
			       size_t room);

#endif
