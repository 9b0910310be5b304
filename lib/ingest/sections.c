/* SPDX-License-Identifier: MIT
 * sections: a second look at noise. The format of the piece takes what it knows; each run of lines that it skipped is
 * searched for sections of other formats, and scanned by them. Texts of one format have little noise, so this costs
 * nothing there. */
#include "ingest/sections.h"

#include "base/text_buffer.h"
#include "ingest/log_line.h"
#include "ingest/section_search.h"
#include "ingest/text_lines.h"
#include "ingest/unwrap.h"

/* A run of noise: findings that follow each other with nothing but blank lines between them. */
struct run {
	size_t first, end;
	struct stk_text text;
	uint32_t line;
	const char *why;
	bool is_rest;		/* of its findings, the text is only what was not read as another format */
};

#define JSON_ASKS 1024u	/* of a piece: about one for each 256 bytes */

struct search {
	struct findings *to;
	const char *piece_end;
	const char *no_switch;	/* a switch here was made just now; NULL */
	bool nested;		/* within a section of another format: the outer one decides about switches */
	bool stopped;		/* the last finding says where to scan again */
	uint64_t asked;		/* bits of the formats that this text was scanned by */
	const struct text_format *lines_of;	/* the noise of the piece consists of its lines; NULL */
	unsigned json_asks;	/* how often JSON in the piece may still be asked what it is */
};

static bool
is_noise(const struct finding *finding)
{
	return finding->kind == FOUND_SKIPPED && finding->is.skipped.reason == SKIP_NOISE &&
	       finding->is.skipped.text.size > 0;
}

static bool
only_blank(const char *from, const char *end)
{
	while (from < end && (unsigned char)*from <= ' ')
		from++;
	return from >= end;
}

/* The run that begins with the noise at `first`. */
static struct run
run_at(const struct findings *findings, size_t first)
{
	const struct finding *at = &findings->list.at[first];
	struct run run = { first, first + 1, at->is.skipped.text, at->line, at->is.skipped.why, false };

	for (; run.end < findings->list.count; run.end++) {
		const struct finding *next = &findings->list.at[run.end];
		const char *from = text_end(run.text);

		if (!is_noise(next) || next->is.skipped.text.data < from ||
		    !only_blank(from, next->is.skipped.text.data))
			break;
		run.text.size = (size_t)(text_end(next->is.skipped.text) - run.text.data);
	}
	return run;
}

/* The same in a run of noise. Of a format that all noise consists of, the first line of the run is one, too. */
static const struct text_format *
find_in_run(const struct search *search, struct stk_text run, const char **from)
{
	const struct text_format *first = section_first(run, search->asked, from), *lines_of = search->lines_of;

	if (lines_of == NULL || (search->asked & format_bit(lines_of)) != 0 || (first != NULL && first != lines_of))
		return first;
	*from = run.data;
	return lines_of;
}

static void
copy_findings(struct findings *to, const struct findings *from, size_t first, size_t end, uint32_t line)
{
	for (size_t i = first; i < end; i++) {
		struct finding *finding = array_push(&to->list);

		*finding = from->list.at[i];
		finding->line += line;
	}
}

static void
say_section(struct findings *to, uint32_t line, const struct text_format *format)
{
	found(to, FOUND_SECTION, line)->is.section.format = format;
}

static void look_at_noise(struct search *search, const struct text_format *format, const struct findings *from,
			  uint32_t line);

/* [from, end) of the run is scanned by the format. */
static void
scan_section(struct search *search, const struct text_format *format, struct stk_text text, uint32_t line)
{
	struct findings inner = { .choice = search->to->choice, .brief = true };
	uint64_t asked = search->asked;
	bool nested = search->nested;

	search->nested = true;
	search->asked |= format_bit(format);
	format->scan(&inner, text);
	look_at_noise(search, format, &inner, line);
	search->asked = asked;
	search->nested = nested;
	findings_release(&inner);
}

static void
say_skipped(struct search *search, struct stk_text text, uint32_t line, enum skip_reason reason, const char *why)
{
	text = trimmed(text);
	if (text.size > 0)
		found_skipped(search->to, line, text, scan_count_lines(text.data, text_end(text)) + 1, reason, why);
}

/* Noise, of which what begins at `from` is lost; NULL: nothing is. */
static void
say_noise(struct search *search, struct stk_text text, uint32_t line, const char *why, const char *from,
	  const char *lost)
{
	say_skipped(search, between(text.data, from != NULL ? from : text_end(text)), line, SKIP_NOISE, why);
	if (from != NULL)
		say_skipped(search, between(from, text_end(text)), line + scan_count_lines(text.data, from),
			    SKIP_BROKEN, lost);
}

/* What of a run is before `at` stays noise. Returns the line of `at`. */
static uint32_t
say_before(struct search *search, const struct run *run, const char *at, uint32_t line)
{
	uint32_t before = scan_count_lines(run->text.data, at);
	struct stk_text text = between(run->text.data, at);
	const char *lost, *from;

	if (before == 0)
		return line;
	from = section_unread(text, &search->json_asks, &lost);
	say_noise(search, text, line, run->why, from, lost);
	return line + before;
}

static void
switch_format(struct search *search, uint32_t line, const struct text_format *format, const char *from)
{
	struct finding *finding = found(search->to, FOUND_FORMAT, line);

	finding->is.section.format = format;
	finding->is.section.from = from;
	search->stopped = true;
}

/* With the objects of JSON that follow the run, which may have been taken for something damaged. */
static struct stk_text
with_objects_after(struct stk_text run, const char *piece_end)
{
	struct stk_text line = line_after(line_at(text_end(run), piece_end), piece_end);

	for (; line.size > 0 && *line.data == '{'; line = line_after(line, piece_end))
		run = between(run.data, text_end(line));
	return run;
}

/* The first line before `at` that is wrapped in JSON, when there is a section in the texts of such lines, or may be
 * after the piece: programs log in JSON beside what their VM prints, and of that nothing is to be read. NULL without
 * one. */
static const char *
find_wrapped(struct stk_text run, const char *at, const char *piece_end)
{
	const char *first = unwrap_find(between(run.data, at)), *unused;
	struct text_buffer texts = { 0 };

	if (first == NULL)
		return NULL;
	run = with_objects_after(run, piece_end);
	if (only_blank(text_end(run), piece_end))
		return first;
	unwrap_add_texts(&texts, between(first, text_end(run)));
	if (section_first(text_in(&texts, 0), 0, &unused) == NULL &&
	    text_format_recognised(text_in(&texts, 0)) == NULL)
		first = NULL;
	array_release(&texts);
	return first;
}

/* Whether the run is among the lines of a sample, which is found after it: the next piece would not have the sample. */
static bool
is_within_sample(const struct findings *from, const struct run *run)
{
	for (size_t i = run->end; i < from->list.count; i++)
		if (from->list.at[i].kind == FOUND_SAMPLE)
			return true;
	return false;
}

/* A run of noise of `format`: its findings are `from`'s, whose lines count from `line`. */
static void
look_at_run(struct search *search, const struct text_format *format, const struct findings *from, const struct run *run,
	    uint32_t line)
{
	const char *at, *below, *unread, *lost, *end = text_end(run->text);
	const struct text_format *unused, *other = find_in_run(search, run->text, &at);
	const char *wrapped = search->to->unwrapped ? NULL : find_wrapped(run->text, at, search->piece_end);

	if (wrapped != NULL) {
		line = say_before(search, run, wrapped, line + run->line);
		found(search->to, FOUND_WRAPPED, line)->is.section.from = wrapped;
		search->stopped = true;
		return;
	}
	if (other == NULL) {
		unread = section_unread(run->text, &search->json_asks, &lost);
		if (unread != NULL || run->is_rest)
			say_noise(search, run->text, line + run->line, run->why, unread, lost);
		else
			copy_findings(search->to, from, run->first, run->end, line);
		return;
	}
	line = say_before(search, run, at, line + run->line);
	/* also one of the format itself, which skips some of its own lines */
	below = section_end(other, between(at, end), (search->asked & ~format_bit(format)) | format_bit(other),
			    &unused);
	below = below == at ? NULL : below;
	if (below == NULL && !search->nested && at != search->no_switch && only_blank(end, search->piece_end) &&
	    !is_within_sample(from, run)) {
		switch_format(search, line, other, at);
		return;
	}
	if (below == NULL) {
		/* with the end of its last line, of which blanks may be left out */
		end = scan_line_end(end, search->piece_end);
		end += end < search->piece_end;
	}
	say_section(search->to, line, other);
	scan_section(search, other, between(at, below != NULL ? below : end), line);
	if (!search->stopped)
		say_section(search->to, line, format);
	if (below != NULL && !search->stopped) {
		struct run rest = { run->first, run->end, between(below, end), 0, run->why, true };

		look_at_run(search, format, from, &rest, line + scan_count_lines(at, below));
	}
}

static void
look_at_noise(struct search *search, const struct text_format *format, const struct findings *from, uint32_t line)
{
	for (size_t i = 0; i < from->list.count && !search->stopped;) {
		struct run run;

		if (!is_noise(&from->list.at[i])) {
			copy_findings(search->to, from, i, i + 1, line);
			search->stopped = from->list.at[i].kind == FOUND_PREFIX;
			i++;
			continue;
		}
		run = run_at(from, i);
		look_at_run(search, format, from, &run, line);
		i = run.end;
	}
}

#define NOISE_SHOWN (64u << 10)	/* bytes of noise that show what it consists of */
#define NOISE_IS    40		/* how sure of it a format must be */

/* The noise of a piece without lines of a log, as one text. */
static void
join_noise(struct text_buffer *to, const struct findings *findings)
{
	for (size_t i = 0; i < findings->list.count; i++) {
		struct stk_text noise = findings->list.at[i].is.skipped.text;
		const char *end = text_end(noise);

		if (!is_noise(&findings->list.at[i]))
			continue;
		for (struct stk_text line = line_at(noise.data, end);
		     line.data < end && to->count < NOISE_SHOWN; line = line_after(line, end)) {
			if (log_line_is(line))
				continue;
			add_text(to, line);
			add_char(to, '\n');
		}
	}
}

/* The format that the noise of a piece consists of when its runs are read as one text: a Java VM that writes its
 * collections to the same file leaves runs of one line, too short for find. NULL: none. */
static const struct text_format *
find_lines_of(const struct findings *findings)
{
	const struct text_format *found = NULL;
	struct text_buffer noise = { 0 };

	join_noise(&noise, findings);
	for (size_t f = 0; text_formats[f] != NULL && found == NULL; f++)
		if (text_formats[f]->is_of_lines && text_formats[f]->recognise(text_in(&noise, 0)) >= NOISE_IS)
			found = text_formats[f];
	array_release(&noise);
	return found;
}

static bool
has_skipped(const struct findings *findings, enum skip_reason reason)
{
	for (size_t i = 0; i < findings->list.count; i++)
		if (findings->list.at[i].kind == FOUND_SKIPPED && findings->list.at[i].is.skipped.reason == reason)
			return true;
	return false;
}

void
sections_scan(const struct text_format *format, struct findings *findings, struct stk_text piece, bool begins)
{
	struct findings all = { .choice = findings->choice, .unwrapped = findings->unwrapped };
	struct search search = { .to = &all, .json_asks = JSON_ASKS,
				 .piece_end = text_end(piece),
				 .no_switch = begins ? piece.data : NULL,
				 .asked = format_bit(format) };
	const struct text_format *next;
	const char *below;	/* a section, whose format goes on from there */

	format->scan(findings, piece);
	if (!has_skipped(findings, SKIP_NOISE) && !(format->ends_at_section && has_skipped(findings, SKIP_BROKEN)))
		return;
	if (format->is_between)
		search.lines_of = find_lines_of(findings);
	below = section_end_near(format, findings, piece, search.asked, &next);
	if (below == search.no_switch)
		below = NULL;
	if (below != NULL) {
		findings->list.count = 0;
		format->scan(findings, between(piece.data, below));
	}
	look_at_noise(&search, format, findings, 0);
	if (below != NULL && !search.stopped)
		switch_format(&search, scan_count_lines(piece.data, below), next, below);
	/* the lists are exchanged; the scanner's cache stays */
	all.lines = search.stopped ? all.list.at[all.list.count - 1].line : findings->lines;
	all.memory = findings->memory;
	findings->memory = NULL;
	findings_release(findings);
	*findings = all;
}

/* --- where a piece ends --- */

#define HELD_BYTES (16u << 10)

/* The start of the last lines of the text that may be held. */
static const char *
held_from(struct stk_text text)
{
	const char *end = text_end(text), *from = end;

	for (int lines = 0; lines < SECTION_LINES && from > text.data; lines++) {
		const char *newline = memrchr(text.data, '\n', (size_t)(from - 1 - text.data));
		const char *line = newline != NULL ? newline + 1 : text.data;

		if (end - line > HELD_BYTES)
			break;
		from = line;
	}
	return from;
}

/* The start of the noise that the findings end with, all for the same reason and without blank lines between, which
 * would be counted with it; the end of the piece without any. */
static const char *
last_noise(const struct findings *findings, struct stk_text piece, const char **why)
{
	const char *from = text_end(piece);

	*why = NULL;
	for (size_t i = findings->list.count; i > 0; i--) {
		const struct finding *last = &findings->list.at[i - 1];
		const char *stop;

		if (!is_noise(last) || last->is.skipped.text.data >= from)
			break;
		stop = text_end(last->is.skipped.text);
		if (!only_blank(stop, from) ||
		    (*why != NULL && (last->is.skipped.why != *why || scan_count_lines(stop, from) > 1)))
			break;
		*why = last->is.skipped.why;
		from = last->is.skipped.text.data;
	}
	return from;
}

/* Takes what is from `at` on out of the noise that the findings end with. */
static void
shorten_noise(struct findings *findings, const char *at)
{
	struct finding *last;

	while (findings->list.count > 0 && is_noise(last = &findings->list.at[findings->list.count - 1]) &&
	       text_end(last->is.skipped.text) > at) {
		struct stk_text before = trimmed(between(last->is.skipped.text.data, at));

		last->is.skipped.text = before;
		last->is.skipped.lines = scan_count_lines(before.data, text_end(before)) + 1;
		if (before.size > 0)
			return;
		findings->list.count--;
	}
}

struct stk_text
sections_hold(struct findings *findings, struct stk_text piece, const char **why)
{
	const char *noise = last_noise(findings, piece, why), *from = held_from(piece);

	from = from < noise ? noise : from;
	from = from > piece.data && from[-1] != '\n' ? scan_line_end(from, text_end(piece)) + 1 : from;
	/* a whole piece was cut so before, or would be again */
	if (from >= text_end(piece) || from == piece.data)
		return text_of(text_end(piece), 0);
	shorten_noise(findings, from);
	findings->lines -= scan_count_lines(from, text_end(piece));
	return between(from, text_end(piece));
}

const char *
sections_find_across(struct stk_text held, struct stk_text next)
{
	struct text_buffer joint = { 0 };
	const char *from, *end = text_end(next), *stop = next.data;
	bool found;

	for (int lines = 0; lines < SECTION_LINES && stop < end && stop - next.data < HELD_BYTES; lines++)
		stop = line_after(line_at(stop, end), end).data;
	add_text(&joint, held);
	add_text(&joint, between(next.data, stop));
	found = section_first(text_in(&joint, 0), 0, &from) != NULL;
	from = found && from < joint.at + held.size ? held.data + (from - joint.at) : NULL;
	array_release(&joint);
	return from;
}
