/* SPDX-License-Identifier: MIT
 * dump_sample: what changes while the stack does not (what a compiler compiles) is kept out of the stack. */
#include "ingest/dump_sample.h"

#include "ingest/java_stack.h"
#include "ingest/log_line.h"
#include "ingest/mask.h"
#include "ingest/text_lines.h"

#define NOTE_WITHIN 1024	/* compiler threads have no frames: a longer stack is not searched for what it
				 * compiles */

/* " Compiling: ..." is below the state of a compiler's thread. It changes while the stack does not, so the stack ends
 * above it if nothing follows. */
static void
take_compile_note(struct found_sample *sample)
{
	struct stk_text text = sample->stack, note, rest;
	const char *end = text.data + text.size;
	const char *newline = text.size < NOTE_WITHIN ? memchr(text.data, '\n', text.size) : NULL, *at;

	if (newline == NULL || end - newline < 5)
		return;
	at = newline[1] > ' ' ? first_unlogged(line_at(newline + 1, end), end).data : newline + 1;
	if (end - at < 4 || (at[3] != 'C' && at[3] != 'N'))
		return;
	note = line_at(at, end);
	rest = unindented(trimmed(between(note.data + note.size + 1, end)));
	note = unindented(trimmed(note));
	if (!text_starts(note, "Compiling: ") && !text_is(note, "No compile task"))
		return;
	if (*note.data == 'C')
		sample->note = note;
	while (rest.size > 0 && *rest.data == '\n')
		rest = unindented(text_of(rest.data + 1, rest.size - 1));
	if (rest.size == 0 || (text_starts(rest, java_owned_words) && text_ends(rest, "\n\t- None") &&
			       rest.size < strlen(java_owned_words) + 11))
		sample->stack = trimmed(between(text.data, newline));
}

/* "   Note: 3 minutes" below the state, or without one, as stkcat -f dumps writes what a JVM has no words for. */
static void
take_written_note(struct found_sample *sample)
{
	static const char words[] = "   Note: ";
	struct stk_text text = sample->stack, line;
	const char *end = text.data + text.size, *newline;

	if (text.size < sizeof words)
		return;
	newline = text.data[3] == 'N' ? NULL
				      : memchr(text.data, '\n', text.size < NOTE_WITHIN ? text.size : NOTE_WITHIN);
	if (text.data[3] != 'N' && (newline == NULL || (size_t)(end - newline) < sizeof words || newline[4] != 'N'))
		return;
	line = line_at(newline != NULL ? newline + 1 : text.data, end);
	if (text_starts(line, words))
		sample->note = trimmed(between(line.data + strlen(words), line.data + line.size));
}

/* `owned by "main" Id=1` of IntelliJ, which nothing else in the dump says. */
static void
take_owner_note(struct found_sample *sample)
{
	struct stk_text line = wait_line_of(sample->stack);
	const char *owner = text_find(line, "owned by ");

	if (owner != NULL)
		sample->note = trimmed(between(owner, line.data + line.size));
}

/* `   Mounted virtual thread #22` (some JDKs: `"name" #22`), and its frames, below those of its carrier: a thread of
 * its own. */
static void
take_mounted(struct dump_scan *s, uint32_t line, struct stk_text text)
{
	const char *end = text.data + text.size;
	struct stk_text head = trimmed(line_at(text.data, end));
	struct found_sample *sample = &found(s->findings, FOUND_SAMPLE, line)->is.sample;
	const char *open = memchr(head.data, '"', head.size), *close = memrchr(head.data, '"', head.size),
		   *number = memrchr(head.data, '#', head.size);

	sample->time_ns = STK_TIME_UNKNOWN;
	sample->weight = 1;
	sample->processor = PROCESSOR_UNKNOWN;
	sample->role = STK_ROLE_VIRTUAL;
	if (open != close)
		sample->name = between(open + 1, close);
	if (number != NULL && number++ < head.data + head.size)
		scan_decimal(&number, head.data + head.size, &sample->number);
	sample->stack = between(scan_line_end(text.data, end) + 1, end);
	sample->hash = scan_hash(sample->stack);
}

/* `   Carrying virtual thread #22` in place of the state. Cuts the carrier's own stack out; the rest, if any, is what
 * it carries. */
static struct stk_text
take_carrier(struct found_sample *sample)
{
	const char *end = sample->stack.data + sample->stack.size;
	struct stk_text head = line_at(sample->stack.data, end);
	const char *mounted = text_find(sample->stack, "\n   Mounted virtual thread ");
	struct stk_text carried = mounted != NULL ? between(mounted + 1, end) : text_of(end, 0);

	sample->note = unindented(trimmed(head));
	sample->role = STK_ROLE_CARRIER;
	sample->stack = trimmed(between(head.data + head.size + 1, mounted != NULL ? mounted : end));
	return carried;
}

enum stk_role
dump_sample_role(const struct thread_header *header, bool has_body)
{
	bool java = header->number != 0 || header->has_priority || header->has_stack_area;

	if (!java || (header->number == 0 && !has_body && !header->has_stack_area && !header->daemon))
		return STK_ROLE_VM;
	if (header->virtual)
		return STK_ROLE_VIRTUAL;
	return header->daemon ? STK_ROLE_DAEMON : STK_ROLE_JAVA;
}

void
dump_sample_fill(struct found_sample *sample, const struct thread_header *header)
{
	sample->name = header->name;
	sample->condition = header->condition;
	sample->time_ns = STK_TIME_UNKNOWN;
	sample->cpu_ns = (int64_t)header->cpu_ns;
	sample->elapsed_ns = (int64_t)header->elapsed_ns;
	sample->allocated = header->allocated;
	sample->classes = header->classes;
	sample->weight = 1;
	sample->tid = header->tid;
	sample->handle = header->handle;
	sample->number = header->number;
	sample->note = header->note;
	sample->state = header->state;
	sample->priority = header->priority;
	sample->os_priority = header->os_priority;
	sample->processor = PROCESSOR_UNKNOWN;
}

void
dump_sample_fill_stack(struct dump_scan *s, size_t finding, const struct thread_header *header, struct stk_text text)
{
	struct found_sample *sample = &s->findings->list.at[finding].is.sample;
	struct stk_text carried = { NULL, 0 };

	sample->stack = text;
	sample->role = dump_sample_role(header, text.size > 0);
	if (text_starts(text, "   Carrying virtual thread "))
		carried = take_carrier(sample);
	else
		take_compile_note(sample);
	take_owner_note(sample);
	take_written_note(sample);
	if (sample->stack.size > 0)
		sample->hash = scan_hash(sample->stack);
	if (carried.size > 0)
		take_mounted(s, s->line + scan_count_lines(s->at, carried.data), carried);
}
