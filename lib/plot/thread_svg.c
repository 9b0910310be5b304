/* SPDX-License-Identifier: MIT
 * thread_svg: a pool is a band whose height is shared out between the states of its threads, the most urgent at the
 * bottom; a thread has one state in each part of the time. */
#include "plot/thread_svg.h"

#include "plot/flame_svg.h"
#include "plot/thread_looks.h"
#include "plot/thread_terminal.h"

#include "base/terminal_text.h"
#include "base/time_text.h"

#include <math.h>
#include <stdio.h>

#define LABEL_PIXELS 220
#define END_PIXELS 10
#define TITLE_PIXELS 46
#define TIMES_PIXELS 18
#define FINDING_PIXELS 16
#define FINDINGS_MOST 9
#define POOL_PIXELS 20
#define THREAD_PIXELS 12
#define TEXT_PIXELS 16
#define PART_PIXELS 3
#define LETTER_PIXELS 6.5
#define LEGEND_PIXELS 150

const char thread_svg_style[] =
	".u{stroke:#767676;stroke-width:.4}.g{stroke:#767676;stroke-width:.5}"
	".k{fill:#1a1a1a}.k2{fill:#595959}.t{font-size:16px;font-weight:600}.b{fill:#000}.threads{font:11px system-ui,sans-serif}";

static unsigned
map_pixels(const struct thread_picture *picture)
{
	return picture->width - LABEL_PIXELS - END_PIXELS;
}

double
svg_place(const struct thread_picture *picture, double ns)
{
	const struct time_range *times = &picture->history->times;
	double length = (double)times->to_ns - (double)times->from_ns;

	return LABEL_PIXELS + (length <= 0 ? 0 : (ns - (double)times->from_ns) / length * map_pixels(picture));
}

static void
add_pixels(struct text_buffer *to, const char *name, double pixels)
{
	add_format(to, fabs(pixels - round(pixels)) < 0.05 ? " %s=\"%.0f\"" : " %s=\"%.1f\"", name, pixels);
}

static void
add_rect(struct text_buffer *to, const struct palette_fill *fill, double x, double y, double width, double height)
{
	add_format(to, "<rect%s fill=\"#%06X\"", fill->rgb == 0xFFFFFF ? " class=\"u\"" : "", (unsigned)fill->rgb);
	add_pixels(to, "x", x);
	add_pixels(to, "y", y);
	add_pixels(to, "width", width);
	add_pixels(to, "height", height);
}

void
svg_add_label(struct text_buffer *to, struct stk_text label, unsigned top)
{
	struct text_buffer fitted = { 0 };

	add_label_fitted(&fitted, label, (size_t)(LABEL_PIXELS / LETTER_PIXELS));
	while (fitted.count > 0 && fitted.at[fitted.count - 1] == ' ')
		fitted.count--;
	add_format(to, "<text class=\"k\" xml:space=\"preserve\" x=\"4\" y=\"%u\">", top);
	xml_add_text(to, text_in(&fitted, 0));
	add_string(to, "</text>");
	array_release(&fitted);
}

void
svg_add_opening(struct text_buffer *to, const struct thread_picture *picture, unsigned high, bool inside,
		const char *about)
{
	struct text_buffer what = { 0 };

	add_what_is_drawn(&what, picture);
	add_format(
		to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"threads\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\"",
		picture->width, high, picture->width, high);
	add_format(to, " role=\"group\" aria-label=\"%s\">\n", about);
	if (!inside) {
		add_string(to, "<style>");
		add_string(to, thread_svg_style);
		add_string(
			to,
			"</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text class=\"k t\" x=\"4\" y=\"20\">");
		xml_add_text(to, text_from(picture->title));
		add_string(to, "</text>\n<text class=\"k2\" x=\"4\" y=\"38\">");
		xml_add_text(to, text_in(&what, 0));
		add_string(to, "</text>\n");
	}
	array_release(&what);
}

/* Round distances of times, in seconds. */
static const double steps[] = { 0.01,  0.1,   0.2,   0.5,   1,      2,      5,       10,      20,
				30,    60,    120,   300,   600,    1200,   1800,    3600,    7200,
				10800, 21600, 43200, 86400, 172800, 604800, 2592000, 31536000 };

unsigned
svg_add_times(struct text_buffer *to, const struct thread_picture *picture, unsigned top, unsigned high)
{
	const struct time_range *times = &picture->history->times;
	double seconds = ((double)times->to_ns - (double)times->from_ns) / 1e9, step = steps[0];
	char text[TIME_TEXT_MAX], first[TIME_TEXT_MAX] = "";
	int64_t step_ns, offset;
	unsigned n = 0;

	while (n + 1 < sizeof steps / sizeof *steps && seconds / step * 150 > map_pixels(picture))
		step = steps[++n];
	step_ns = (int64_t)(step * 1e9);
	if (seconds <= 0 || seconds / step > 100)
		return TIMES_PIXELS;
	offset = (int64_t)time_zone_offset(picture->zone, times->from_ns / 1000000000) * 1000000000;
	for (int64_t ns = times->from_ns + (step_ns - (times->from_ns + offset) % step_ns) % step_ns; ns < times->to_ns;
	     ns += step_ns) {
		double x = round(svg_place(picture, (double)ns) * 10) / 10;

		time_print_after(text, ns, picture->zone, first);
		if (*first == '\0')
			(void)snprintf(first, sizeof first, "%s", text);
		if (x > picture->width - 70)
			break;
		add_format(to, "<line class=\"g\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%u\" y2=\"%u\"/>", x, x, top + 4,
			   top + high);
		add_format(to, "<text class=\"k2\" x=\"%.1f\" y=\"%u\">%s</text>\n", x + 3, top + 13, text);
	}
	return TIMES_PIXELS;
}

size_t
svg_findings(const struct thread_picture *picture)
{
	return picture->found->drawn < FINDINGS_MOST ? picture->found->drawn : FINDINGS_MOST;
}

/* As much of it as there is room for. */
static void
add_sentence(struct text_buffer *to, struct stk_text sentence, size_t room)
{
	struct text_buffer fitted = { 0 };
	size_t size = 0;

	for (size_t letters = 0; size < sentence.size && letters + 2 < room; letters++) {
		size_t whole = utf8_size(sentence.data + size, sentence.data + sentence.size);

		size += whole == 0 ? 1 : whole;
	}
	add_masked(&fitted, text_of(sentence.data, size));
	add_string(&fitted, size < sentence.size ? ".." : "");
	xml_add_text(to, text_in(&fitted, 0));
	array_release(&fitted);
}

static void
add_finding_title(struct text_buffer *to, const struct thread_picture *picture, const struct finding *finding)
{
	struct text_buffer text = { 0 };

	add_format(&text, "%s, %s: ", severity_name(finding->severity), diag_rule_facts(finding->rule)->name);
	add_text(&text, finding->subject);
	add_string(&text, ", ");
	add_time_range(&text, picture, &finding->times);
	add_format(&text, ", %llu threads, %llu samples, %.1f s lost: ", (unsigned long long)finding->threads,
		   (unsigned long long)finding->samples, (double)finding->lost_ns / 1e9);
	add_text(&text, finding->summary);
	add_string(to, "<title>");
	xml_add_text(to, text_in(&text, 0));
	add_string(to, "</title>");
	array_release(&text);
}

/* A bar over the time that it lasts, and its words where there is room. */
static void
add_finding_bar(struct text_buffer *to, const struct thread_picture *picture, const struct finding *finding,
		double from, double end, unsigned top)
{
	add_string(to, "<g>");
	add_rect(to, palette_alarm(picture->palette, finding->severity == STK_SEVERITY_CRITICAL), from, top + 1,
		 end - from, FINDING_PIXELS - 3);
	add_string(to, "/>");
	add_finding_title(to, picture, finding);
	if (end - from > 100) {
		add_format(to, "<text class=\"b\" x=\"%.1f\" y=\"%u\">", from + 4, top + 11);
		add_sentence(to, finding->summary, (size_t)((end - from - 8) / LETTER_PIXELS));
		add_string(to, "</text>");
	}
	add_string(to, "</g>\n");
}

/* Whether any pixel between is not marked yet; they are then. */
static bool
mark_pixels(bool *marked, unsigned width, double from, double end)
{
	bool any = false;

	for (unsigned x = from < 0 ? 0 : (unsigned)from; x < width && x < end; x++) {
		any |= !marked[x];
		marked[x] = true;
	}
	return any;
}

/* A line's name, and a bar for each time, unless bars of worse ones cover it. */
static void
add_finding_line_bars(struct text_buffer *to, const struct thread_picture *picture, const struct finding_line *line,
		      unsigned top)
{
	const struct time_range *times = &picture->history->times;
	bool *marked = mem_new(picture->width, sizeof *marked);
	struct text_buffer label = { 0 };
	uint32_t f = line->first;

	add_finding_name(&label, picture, line);
	add_string(&label, ": ");
	add_text(&label, picture->findings->list.at[f].subject);
	svg_add_label(to, text_in(&label, 0), top + 11);
	do {
		const struct finding *finding = &picture->findings->list.at[f];
		struct time_range span = span_of_finding(picture, finding);
		int64_t from_ns = span.from_ns > times->from_ns ? span.from_ns : times->from_ns;
		double from = svg_place(picture, (double)from_ns);
		double end = svg_place(picture, (double)(span.to_ns < times->to_ns ? span.to_ns : times->to_ns));

		end = end - from > 2 ? end : from + 2;
		if (mark_pixels(marked, picture->width, from, end))
			add_finding_bar(to, picture, finding, from, end, top);
		f = picture->found->next.at[f];
	} while (f != 0);
	array_release(&label);
	free(marked);
}

unsigned
svg_add_findings(struct text_buffer *to, const struct thread_picture *picture, unsigned top)
{
	unsigned count = (unsigned)svg_findings(picture);

	for (size_t l = 0; l < picture->found->list.count; l++) {
		const struct finding_line *line = &picture->found->list.at[l];

		if (line->number != 0 && line->number <= count)
			add_finding_line_bars(to, picture, line, top + (line->number - 1) * FINDING_PIXELS);
	}
	return count * FINDING_PIXELS;
}

/* --- lines --- */

static void
add_part_title(struct text_buffer *to, const struct thread_picture *picture, unsigned look, size_t from, size_t until,
	       size_t count)
{
	const struct time_range *all = &picture->history->times;
	double part = ((double)all->to_ns - (double)all->from_ns) / (double)count;
	struct time_range times = { all->from_ns + (int64_t)(part * (double)from),
				    all->from_ns + (int64_t)(part * (double)until) };
	int64_t unit = part > 1e9 ? 1000000000 : 1000000;

	times.from_ns -= times.from_ns % unit;
	times.to_ns -= times.to_ns % unit;
	add_string(to, "/><title>");
	add_string(to, thread_look(look)->name);
	add_string(to, ", ");
	add_time_range(to, picture, &times);
	add_string(to, "</title></g>");
}

static void
add_thread(struct text_buffer *to, const struct thread_picture *picture, const double *parts, size_t count,
	   unsigned top)
{
	double wide = (double)map_pixels(picture) / (double)count;

	for (size_t i = 0; i < count;) {
		unsigned look = most_of_looks(parts + i * LOOKS);
		size_t from = i;

		while (i < count && most_of_looks(parts + i * LOOKS) == look)
			i++;
		if (look == LOOKS)
			continue;
		add_string(to, "<g>");
		add_rect(to, thread_look_fill(picture->palette, look), LABEL_PIXELS + (double)from * wide, top,
			 (double)(i - from) * wide, THREAD_PIXELS - 2);
		add_part_title(to, picture, look, from, i, count);
		if ((double)(i - from) * wide >= 16 && look % 2 == 0)
			add_format(to, "<text class=\"b\" x=\"%.1f\" y=\"%u\">%c</text>",
				   LABEL_PIXELS + (double)from * wide + 2, top + 9, thread_look(look)->letter);
	}
	add_char(to, '\n');
}

/* How high each look is in a part, in pixels, from the bottom up; 0 in all when nobody was seen. */
static void
share_out(const double *parts, unsigned heights[LOOKS])
{
	double all = 0, below = 0;
	unsigned used = 0;

	for (unsigned look = 0; look < LOOKS; look++)
		all += parts[look];
	for (unsigned place = 0; place < LOOKS; place++) {
		unsigned look = urgent_look(place), until;

		below += parts[look];
		until = all <= 1e-9 ? 0 : (unsigned)(below / all * (POOL_PIXELS - 2) + 0.5);
		heights[place] = until - used;
		used = until;
	}
}

static void
add_pool(struct text_buffer *to, const struct thread_picture *picture, const double *parts, size_t count, unsigned top)
{
	double wide = (double)map_pixels(picture) / (double)count;

	for (size_t i = 0; i < count;) {
		unsigned heights[LOOKS], next[LOOKS], used = 0;
		size_t from = i;

		share_out(parts + i * LOOKS, heights);
		do {
			i++;
			if (i < count)
				share_out(parts + i * LOOKS, next);
		} while (i < count && memcmp(heights, next, sizeof heights) == 0);
		for (unsigned place = 0; place < LOOKS; place++) {
			if (heights[place] == 0)
				continue;
			used += heights[place];
			add_rect(to, thread_look_fill(picture->palette, urgent_look(place)),
				 LABEL_PIXELS + (double)from * wide, top + POOL_PIXELS - 2 - used,
				 (double)(i - from) * wide, heights[place]);
			add_string(to, "/>");
		}
	}
	add_char(to, '\n');
}

static unsigned
line_pixels(const struct thread_picture *picture, const struct thread_line *line)
{
	switch (line->kind) {
	case LINE_POOL: return picture->history->pools.at[line->place].rows.count > 1 ? POOL_PIXELS : THREAD_PIXELS + 2;
	case LINE_THREAD: return THREAD_PIXELS;
	default: return TEXT_PIXELS;
	}
}

static void
add_svg_line(struct text_buffer *to, const struct thread_picture *picture, const struct thread_line *line, unsigned top)
{
	size_t count = map_pixels(picture) / PART_PIXELS;
	struct text_buffer label = { 0 };
	unsigned high = line_pixels(picture, line);
	double *parts;

	add_line_label(&label, picture, line);
	add_string(to, "<g>");
	svg_add_label(to, text_in(&label, 0), top + (high > TEXT_PIXELS ? 14 : 9));
	if (line->kind == LINE_POOL || line->kind == LINE_THREAD) {
		parts = mem_new(count * LOOKS + 1, sizeof *parts);
		thread_line_parts(picture, line, count, parts);
		add_string(to, "<title>");
		xml_add_text(to, text_in(&label, label.count >= 2 && label.at[0] == ' ' ? 2 : 0));
		add_string(to, ", ");
		add_looks(to, thread_line_samples(picture, line));
		add_string(to, "</title>");
		if (high == POOL_PIXELS)
			add_pool(to, picture, parts, count, top);
		else
			add_thread(to, picture, parts, count, top);
		free(parts);
	}
	add_string(to, "</g>\n");
	array_release(&label);
}

static unsigned
add_legend_at(struct text_buffer *to, const struct thread_picture *picture, unsigned top)
{
	unsigned x = 4;

	for (unsigned place = 0; place < LOOKS / 2; place++) {
		unsigned look = urgent_look(place);

		if (x + LEGEND_PIXELS > picture->width) {
			x = 4;
			top += TEXT_PIXELS;
		}
		add_rect(to, thread_look_fill(picture->palette, look), x, top, 14, 11);
		add_string(to, "/>");
		add_format(to, "<text class=\"b\" x=\"%u\" y=\"%u\">%c</text>", x + 3, top + 9,
			   thread_look(look)->letter);
		add_format(to, "<text class=\"k\" x=\"%u\" y=\"%u\">%s</text>\n", x + 18, top + 10,
			   thread_look(look)->name);
		x += 36 + (unsigned)(strlen(thread_look(look)->name) * LETTER_PIXELS);
	}
	top += TEXT_PIXELS;
	add_format(
		to,
		"<text class=\"k2\" x=\"4\" y=\"%u\">pale: waits for work. A pool's height is shared out between the states of its threads.",
		top + 10);
	add_how_parts_are_drawn(to, picture, map_pixels(picture) / PART_PIXELS);
	add_string(to, "</text>\n");
	return top + TEXT_PIXELS;
}

uint64_t
thread_svg_add(struct text_buffer *to, const struct thread_picture *picture, bool inside)
{
	unsigned top = inside ? 0 : TITLE_PIXELS, map = 0, high,
		 findings = (unsigned)svg_findings(picture) * FINDING_PIXELS;
	unsigned legend = picture->width < 700 ? 5 : 3;
	struct thread_lines lines;
	uint64_t left_out;

	thread_lines_make(&lines, picture);
	left_out = lines.threads;
	for (size_t i = 0; i < lines.list.count; i++)
		map += line_pixels(picture, &lines.list.at[i]);
	high = top + TIMES_PIXELS + findings + map + (legend + (left_out > 0)) * TEXT_PIXELS;
	svg_add_opening(to, picture, high, inside, "Threads over time");
	(void)svg_add_times(to, picture, top, TIMES_PIXELS + findings + map);
	top += TIMES_PIXELS;
	top += svg_add_findings(to, picture, top);
	for (size_t i = 0; i < lines.list.count; i++) {
		add_svg_line(to, picture, &lines.list.at[i], top);
		top += line_pixels(picture, &lines.list.at[i]);
	}
	if (picture->history->dumps == 0)
		add_format(to, "<text class=\"k\" x=\"4\" y=\"%u\">no thread dumps</text>\n", top + 10);
	else
		top = add_legend_at(to, picture, top + 4);
	if (left_out > 0)
		add_format(to,
			   "<text class=\"k2\" x=\"4\" y=\"%u\">%llu threads of %llu pools more are not drawn</text>\n",
			   top + 10, (unsigned long long)left_out, (unsigned long long)lines.pools);
	add_string(to, "</svg>\n");
	thread_lines_release(&lines);
	return left_out;
}
