/* SPDX-License-Identifier: MIT
 * dump_deadlock: a finding for each thread of the ring, when its owner's name ends what is said of it. */
#include "ingest/dump_deadlock.h"

#include "ingest/dump_line_kind.h"
#include "ingest/text_lines.h"

/* The quote that is followed by `behind` at the end of a line: names hold newlines at times. NULL when it is not within
 * a few lines. */
static const char *
name_end(const char *from, const char *end, const char *behind)
{
	const char *stop = from;

	for (int lines = 0; lines < 8; lines++) {
		stop = scan_line_end(stop, end);
		if (text_ends(trimmed(between(from, stop)), behind))
			return stop;
		if (stop == end)
			break;
		stop++;
	}
	return NULL;
}

/* "waiting to lock monitor 0x... (object 0x..., a Foo)," or "waiting for ownable synchronizer 0x..., (a Foo)," */
static void
read_wait(struct dump_scan *s, struct stk_text line)
{
	const char *end = line.data + line.size;
	const char *object = text_find(line, "(object 0x");
	const char *number = object != NULL ? object + 8 : text_find(line, " 0x");
	const char *class = text_find(line, object != NULL ? ", a " : "(a ");
	const char *close = memrchr(line.data, ')', line.size);

	s->waits.relation =
		text_find(line, "ownable synchronizer") != NULL ? STK_RELATION_PARKING : STK_RELATION_WAITING_TO_LOCK;
	s->waits.object = 0;
	s->waits.class = text_of(NULL, 0);
	if (number != NULL && number < end) {
		number += object == NULL;
		scan_hex(&number, end, &s->waits.object);
	}
	if (class != NULL && close != NULL)
		s->waits.class = between(class + (object != NULL ? 4 : 3), close);
}

/* `which is held by "transfer-1"`, when the ring's thread is known. Returns the end of the line. */
static const char *
read_owner(struct dump_scan *s, struct stk_text line)
{
	const char *open = memchr(line.data, '"', line.size);
	const char *stop = open != NULL ? name_end(open + 1, s->end, "\"") : NULL;
	struct finding *f = found(s->findings, FOUND_DEADLOCK, s->waits.line);

	f->is.deadlock.ring = s->rings;
	f->is.deadlock.object = s->waits.object;
	f->is.deadlock.thread = s->waits.thread;
	f->is.deadlock.class = s->waits.class;
	f->is.deadlock.relation = s->waits.relation;
	if (stop != NULL)
		f->is.deadlock.owner = between(open + 1, open + 1 + trimmed(between(open + 1, stop)).size - 1);
	return stop != NULL ? stop : line.data + line.size;
}

const char *
dump_deadlock_take(struct dump_scan *s, struct stk_text line)
{
	const char *stop = line.data + line.size;
	struct stk_text words = unindented(line);

	if (*line.data == '"') {
		stop = name_end(line.data, s->end, "\":");
		if (stop != NULL) {
			s->waits.line = s->line;
			s->waits.thread =
				between(line.data + 1, line.data + trimmed(between(line.data, stop)).size - 2);
		}
		return stop;
	}
	if (text_starts(words, "waiting to lock ") || text_starts(words, "waiting for ownable ")) {
		read_wait(s, words);
		return stop;
	}
	if (text_starts(words, "which is held by ") || text_starts(words, "in JNI, which is held by "))
		return read_owner(s, line);
	return text_starts(line, "====") ? stop : NULL;
}

const char *
dump_deadlock_take_stack(const struct dump_scan *s, struct stk_text line)
{
	if (*line.data == '"')
		return name_end(line.data, s->end, "\":");
	return *line.data == '\t' || *line.data == ' ' || text_starts(line, "====") || dump_line_is_unindented(line)
		       ? line.data + line.size
		       : NULL;
}
