/* SPDX-License-Identifier: MIT
 * chart_page: head, style, controls, data, script. Numbers are as long as a screen shows them; what must be exact is in
 * sentences. */
#include "plot/chart_page.h"

#include "plot/flame_page.h"
#include "plot/heat_names.h"
#include "plot/page_text.h"

#include <math.h>

extern const struct page_source chart_page_source; /* written by scripts/embed-page */

#define LEAST_DATA (32u << 10) /* of a page: a few panels */
#define PATHS_MOST 60000u

/* --- panels --- */

static void
add_number_json(struct text_buffer *to, double value)
{
	if (isfinite(value))
		add_format(to, "%.6g", value);
	else
		add_string(to, "null");
}

static void
add_numbers_json(struct text_buffer *to, const double *at, unsigned count)
{
	add_char(to, '[');
	for (unsigned i = 0; i < count; i++) {
		if (i > 0)
			add_char(to, ',');
		if (!isnan(at[i]))
			add_format(to, "%.6g", at[i]);
		else
			add_string(to, "null");
	}
	add_char(to, ']');
}

static void
add_text_field(struct text_buffer *to, const char *name, struct stk_text text)
{
	add_format(to, "\"%s\":", name);
	page_add_json(to, text);
	add_char(to, ',');
}

/* Milliseconds since the axis begins. */
static void
add_moment_json(struct text_buffer *to, const struct chart *chart, int64_t ns)
{
	if (ns == STK_TIME_UNKNOWN)
		add_string(to, "null");
	else
		add_format(to, "%.3f", ((double)ns - (double)chart->begin_ns) / 1e6);
}

static void
add_lines(struct text_buffer *to, const struct chart *chart, const struct chart_panel *panel)
{
	static const char *const roles[] = { "area", "measured", "expected", "level" };

	add_string(to, "\"lines\":[");
	for (size_t i = 0; i < panel->lines.count; i++) {
		const struct chart_line *line = &panel->lines.at[i];

		add_format(to, "%s{\"role\":\"%s\",\"colour\":%u,", i > 0 ? "," : "", roles[line->role], line->colour);
		add_text_field(to, "name", line->name);
		add_text_field(to, "say", line->say);
		add_string(to, "\"at\":");
		add_numbers_json(to, line->at, chart->columns);
		add_char(to, '}');
	}
	add_string(to, "],");
	if (panel->low == NULL)
		return;
	add_string(to, "\"low\":");
	add_numbers_json(to, panel->low, chart->columns);
	add_string(to, ",\"high\":");
	add_numbers_json(to, panel->high, chart->columns);
	add_char(to, ',');
}

static void
add_happened(struct text_buffer *to, const struct chart *chart, const struct chart_panel *panel)
{
	add_string(to, "\"marks\":[");
	for (size_t i = 0; i < panel->marks.count; i++) {
		const struct chart_mark *mark = &panel->marks.at[i];

		add_string(to, i > 0 ? ",{" : "{");
		add_text_field(to, "what", mark->what);
		add_text_field(to, "say", mark->say);
		add_string(to, "\"from\":");
		add_moment_json(to, chart, mark->from_ns);
		add_string(to, ",\"until\":");
		add_moment_json(to, chart, mark->until_ns);
		add_char(to, '}');
	}
	add_string(to, "],\"lanes\":[");
	for (size_t i = 0; i < panel->lanes.count; i++) {
		add_string(to, i > 0 ? "," : "");
		page_add_json(to, panel->lanes.at[i]);
	}
	add_string(to, "],\"spans\":[");
	for (size_t i = 0; i < panel->spans.count; i++) {
		const struct chart_span *span = &panel->spans.at[i];

		add_string(to, i > 0 ? ",{" : "{");
		add_text_field(to, "say", span->say);
		add_format(to, "\"lane\":%u,\"from\":", span->lane);
		add_moment_json(to, chart, span->from_ns);
		add_string(to, ",\"to\":");
		add_moment_json(to, chart, span->to_ns);
		add_char(to, '}');
	}
	add_string(to, "],");
}

static void
add_tree_rows(struct text_buffer *to, const struct chart *chart, const struct chart_panel *panel)
{
	add_string(to, "\"rows\":[");
	for (size_t i = 0; i < panel->rows.count; i++) {
		const struct chart_row *row = &panel->rows.at[i];

		add_string(to, i > 0 ? ",{" : "{");
		add_text_field(to, "name", row->name);
		add_text_field(to, "frames", row->frames);
		add_format(to, "\"depth\":%u,\"total\":%llu,\"now\":%llu,\"own\":%llu,\"since\":", row->depth,
			   (unsigned long long)row->total, (unsigned long long)row->now, (unsigned long long)row->own);
		add_moment_json(to, chart, row->since_ns);
		add_string(to, ",\"at\":");
		add_numbers_json(to, row->at, chart->columns);
		add_char(to, '}');
	}
	add_string(to, "]");
}

static void
add_panels_json(struct text_buffer *to, const struct chart *chart, size_t panels)
{
	add_char(to, '[');
	for (size_t i = 0; i < panels; i++) {
		const struct chart_panel *panel = &chart->panels.at[i];

		add_string(to, i > 0 ? ",\n{" : "{");
		add_text_field(to, "name", panel->name);
		add_text_field(to, "say", panel->say);
		add_text_field(to, "unit", text_from(panel->unit));
		add_string(to, panel->part ? "\"part\":true,\"now\":" : "\"part\":false,\"now\":");
		add_number_json(to, panel->now);
		add_string(to, ",\"limit\":");
		add_number_json(to, panel->limit);
		add_char(to, ',');
		add_text_field(to, "limitSay", panel->limit_say);
		add_string(to, "\"reached\":[");
		add_moment_json(to, chart, panel->reached_ns);
		add_char(to, ',');
		add_moment_json(to, chart, panel->earliest_ns);
		add_char(to, ',');
		add_moment_json(to, chart, panel->latest_ns);
		add_string(to, "],");
		add_lines(to, chart, panel);
		add_happened(to, chart, panel);
		add_tree_rows(to, chart, panel);
		add_char(to, '}');
	}
	add_char(to, ']');
}

/* --- facts --- */

static void
add_texts_json(struct text_buffer *to, const char *name, const struct chart *chart, size_t panels)
{
	add_format(to, ",\"%s\":[", name);
	for (size_t i = 0; i < chart->notes.count; i++) {
		add_string(to, i > 0 ? "," : "");
		page_add_json(to, chart->notes.at[i]);
	}
	if (panels < chart->panels.count) {
		struct text_buffer text = { 0 };

		add_format(&text, "%zu panels are left out, so that the page is not larger than --max-size",
			   chart->panels.count - panels);
		add_string(to, chart->notes.count > 0 ? "," : "");
		page_add_json(to, text_in(&text, 0));
		array_release(&text);
	}
	add_char(to, ']');
}

/* What a style of the page says of lines otherwise; grey ones are as dark as its text. */
static void
add_lines_css(struct text_buffer *to, enum palette palette)
{
	const struct palette_lines *of = palette_lines(palette);

	if (palette == PALETTE_GREY)
		add_string(to, ",\"curves\":[\"var(--text)\",\"var(--second)\",\"var(--text)\"]");
	else
		add_format(to, ",\"curves\":[\"#%s\",\"#%s\",\"#%s\"]", of->measured, of->expected, of->found);
}

/* Nanoseconds are texts: they do not fit into the script's numbers. */
static void
add_facts(struct text_buffer *to, const struct chart *chart, const struct flame_tree *flame, uint64_t least,
	  size_t panels)
{
	page_begin_facts(to);
	add_format(to, ",\"t0\":\"%lld\",\"cell\":%lld,\"cells\":%u,\"each\":1,\"sum\":%llu",
		   (long long)(flame != NULL ? flame->begin_ns : chart->begin_ns),
		   (long long)(flame != NULL ? flame->cell_ns : chart->column_ns),
		   flame != NULL ? flame->cells : chart->columns,
		   (unsigned long long)(flame != NULL ? flame->calls.total.at[0] : 0));
	add_format(to, ",\"rest\":[%llu,%llu,%llu]", (unsigned long long)(flame != NULL ? flame->rest_nodes : 0),
		   (unsigned long long)(flame != NULL ? flame->rest_sum : 0), (unsigned long long)least);
	add_format(to, ",\"axis\":[\"%lld\",%lld,%u,%u,%u]", (long long)chart->begin_ns, (long long)chart->column_ns,
		   chart->columns, chart->seen, chart->foreseen);
	add_format(to, ",\"monotonic\":%s,\"flame\":%s", chart->monotonic ? "true" : "false",
		   flame != NULL ? "true" : "false");
	page_add_field(to, "kind", chart->kind);
	add_string(to, ",\"title\":");
	page_add_json(to, chart->title);
	add_string(to, ",\"answer\":");
	page_add_json(to, chart->answer);
	page_add_field(to, "zone", chart->zone_name);
	page_add_field(to, "unit", "samples");
	page_add_field(to, "command", chart->command);
	add_texts_json(to, "notes", chart, panels);
	page_add_palette(to, chart->palette);
	if (chart->palette != PALETTE_SAFE)
		add_lines_css(to, chart->palette);
	page_add_states(to);
	add_string(to, ",\"groups\":[]");
	page_end_facts(to);
}

/* --- the page --- */

static void
add_chart_page(struct text_buffer *to, const struct chart *chart, const struct chart_page_options *options,
	       const struct flame_tree *flame, uint64_t least, size_t panels)
{
	struct text_buffer plain = { 0 }, block = { 0 }, title = { 0 };

	add_text(&title, chart->title);
	add_char(&title, '\0');
	page_add_head(to, &chart_page_source, title.at);
	add_facts(to, chart, flame, least, panels);
	page_add_probe(to, options->plain);
	add_panels_json(&plain, chart, panels);
	heat_add_deflated(&block, HEAT_NAMES, &plain);
	page_add_block(to, "c", text_in(&block, 0), options->plain);
	if (flame != NULL)
		flame_page_add_blocks(to, flame, options->plain);
	page_add_script(to, &chart_page_source, options->plain);
	array_release(&plain);
	array_release(&block);
	array_release(&title);
}

static size_t
paths_with(const struct flame_tree *tree, uint64_t least)
{
	size_t count = 0;

	for (size_t n = 1; n < tree->calls.nodes.count; n++)
		count += tree->calls.total.at[n] >= least;
	return count;
}

int
chart_page_add(struct text_buffer *to, const struct chart *chart, const struct chart_page_options *options,
	       struct stk_error *err)
{
	const struct flame_tree *flame = options->flame;
	size_t begin = to->count, panels = chart->panels.count,
	       smallest = page_bytes_without_data(&chart_page_source, options->plain) + 4096;
	uint64_t least = 1;

	if (options->max_bytes < smallest + LEAST_DATA)
		return stk_fail(err, STK_EUSAGE, "--max-size: expected at least %zu kB: a page without data has %zu",
				(smallest + LEAST_DATA) / 1024 + 1, smallest / 1024);
	while (flame != NULL && paths_with(flame, least) > PATHS_MOST)
		least *= 2;
	for (;;) {
		struct flame_tree thin;

		if (flame != NULL) {
			flame_tree_thin(&thin, flame, least);
			add_chart_page(to, chart, options, &thin, least, panels);
			flame_tree_release(&thin);
		} else {
			add_chart_page(to, chart, options, NULL, least, panels);
		}
		if (to->count - begin <= options->max_bytes ||
		    (panels <= 1 && (flame == NULL || least > flame->calls.total.at[0])))
			return 0;
		to->count = begin;
		if (flame != NULL && least <= flame->calls.total.at[0])
			least *= 2;
		else
			panels = (panels + 1) / 2;
	}
}
