/* SPDX-License-Identifier: MIT
 * format_test.h: what a text format says of a text, as text: a line a finding, frames behind it. It stands in for
 * collect_stacks.c, whose stack_frame and the like it defines, so that a format is tested alone.
 *
 *	show(&perf_script_format, "java 12 3.000001: 1 cycles:\n\t7f main+0x1 (a.out)\n\n")
 *		"0 java 0/12 cpu -1 at 3000001000 1 cycles: main (a.out)\n" */
#ifndef T_LIB_FORMAT_TEST_H
#define T_LIB_FORMAT_TEST_H

#include "edge.h"

#include "ingest/ingest.h"
#include "model/frame_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>

#define SHOWN_MAX (1u << 20)

struct stack_reading { const struct text_format *format; bool said; };

static const char *shown_between = ";";	/* frames */
static char shown[SHOWN_MAX];
static size_t shown_size;

static __attribute__((format(printf, 1, 2))) void
say(const char *format, ...)
{
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(shown + shown_size, SHOWN_MAX - shown_size, format, args);
	va_end(args);
	shown_size += size > 0 && shown_size + (size_t)size < SHOWN_MAX ? (size_t)size : 0;
}

/* Ends the program when it computes for longer from here on: what takes a time that grows faster than the text does. 0:
 * no limit. */
static inline __attribute__((unused)) void
limit_seconds(unsigned seconds)
{
	const struct itimerval limit = { .it_value.tv_sec = seconds };

	(void)setitimer(ITIMER_PROF, &limit, NULL);
}

/* --- in place of collect_stacks.c --- */

void
stack_frame(struct stack_reading *reading, struct stk_text line)
{
	struct frame_parts parts;
	struct frame_names names;
	char text[4096];
	size_t size;

	if (!reading->format->read_frame(&parts, line)) {
		say("NO FRAME");
		return;
	}
	names = (struct frame_names){ parts.function, parts.module, parts.file, parts.line, parts.form, 0, 0 };
	size = frame_text(&names, text, sizeof text);
	say("%s%.*s", reading->said ? shown_between : " ", (int)(size < sizeof text ? size : sizeof text), text);
	reading->said = true;
	if (parts.form != STK_FORM_JAVA && parts.file.size > 0)
		say("@%.*s:%" PRId64, (int)parts.file.size, parts.file.data, parts.line);
}

void
stack_is_root_first(struct stack_reading *reading)
{
	(void)reading;
	say(" root first");
}

void
stack_lock(struct stack_reading *reading, enum stk_relation relation, struct stk_text class, uint64_t address)
{
	(void)reading, (void)relation, (void)address;
	say(" LOCK %.*s", (int)class.size, class.data);
}

void
stack_state(struct stack_reading *reading, enum stk_state state)
{
	(void)reading;
	say(" STATE %d", (int)state);
}

void
stack_broken(struct stack_reading *reading, struct stk_text line, const char *why)
{
	(void)reading;
	say(" BROKEN[%.*s: %s]", (int)(line.size < 60 ? line.size : 60), line.data, why);
}

/* --- findings as text --- */

static void
show_sample(const struct text_format *format, const struct found_sample *sample)
{
	struct stack_reading reading = { format, false };

	say("%.*s %" PRIu64 "/%" PRIu64 " cpu %d", (int)sample->name.size, sample->name.data, sample->pid, sample->tid,
	    sample->processor);
	if (sample->time_ns != STK_TIME_UNKNOWN)
		say(" at %" PRId64, sample->time_ns);
	say(" %" PRIu64 " %.*s:", sample->weight, (int)sample->event.size, sample->event.data);
	if (sample->stack.size > 0)
		format->read_stack(&reading, sample->stack);
}

static void
show_finding(const struct text_format *format, const struct finding *finding, uint32_t first_line)
{
	static const char *const reasons[] = { "noise", "broken", "too long", "cut" };

	say("%" PRIu32 " ", first_line + finding->line);
	if (finding->kind == FOUND_SAMPLE)
		show_sample(format, &finding->is.sample);
	else if (finding->kind == FOUND_CAPTURE)
		say("host %.*s", (int)finding->is.capture.host.size, finding->is.capture.host.data);
	else if (finding->kind == FOUND_SKIPPED)
		say("%s %" PRIu32 ": %s", reasons[finding->is.skipped.reason], finding->is.skipped.lines,
		    finding->is.skipped.why);
	else
		say("kind %d", (int)finding->kind);
	say("\n");
}

/* Scans a piece; returns its lines. */
static uint32_t
show_piece(const struct text_format *format, struct stk_text piece, uint32_t first_line)
{
	struct findings findings = { .lines = 0 };

	format->scan(&findings, piece);
	for (size_t i = 0; i < findings.list.count; i++)
		show_finding(format, &findings.list.at[i], first_line);
	findings_release(&findings);
	return findings.lines;
}

/* What is found in the text as one piece, at the edge of memory. */
static const char *
show_text(const struct text_format *format, const char *text, size_t size)
{
	shown_size = 0;
	shown[0] = '\0';
	(void)show_piece(format, text_of(at_edge(text, size), size), 0);
	return shown;
}

static inline const char *
show(const struct text_format *format, const char *text)
{
	return show_text(format, text, strlen(text));
}

/* The same text in pieces: read `step` bytes at a time, and scanned as far as cut says. */
static inline const char *
show_in_pieces(const struct text_format *format, const char *text, size_t step)
{
	size_t size = strlen(text), from = 0;
	uint32_t line = 0;

	shown_size = 0;
	shown[0] = '\0';
	for (size_t read = 0; from < size; ) {
		size_t whole;

		read = read + step < size ? read + step : size;
		whole = read == size ? read - from
				     : format->cut(text_of(at_edge(text + from, read - from), read - from));
		line += show_piece(format, text_of(at_edge(text + from, whole), whole), line);
		from += whole;
	}
	return shown;
}

#endif
