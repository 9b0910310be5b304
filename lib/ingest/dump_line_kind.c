/* SPDX-License-Identifier: MIT
 * dump_line_kind: by the first byte of the line, and those after it only where that leaves a choice. */
#include "ingest/dump_line_kind.h"

#include "ingest/civil_moment.h"
#include "ingest/java_stack.h"
#include "ingest/log_line.h"
#include "ingest/mask.h"

static const char jrockit_end[] = "===== END OF THREAD DUMP ====";
static const char forced_words[] = "Deadlock Detection:";	/* jstack -F */

static bool
is_head(struct stk_text line)
{
	return text_starts(line, DUMP_HEAD_WORDS) || text_starts(line, DUMP_JCMD_WORDS) ||
	       text_starts(line, DUMP_JROCKIT_WORDS);
}

/* Called for every line of a log that begins with a date, so the next line's first byte is checked before its end is
 * searched. */
static bool
is_date_of_head(struct stk_text line, const char *end)
{
	const char *stop = line.data + line.size;
	int64_t ns;

	if (end - stop > 1 && (stop[1] == *DUMP_HEAD_WORDS || stop[1] == *DUMP_JCMD_WORDS))
		return is_head(line_after(line, end)) && civil_moment_read(line, &ns);
	/* a log's lines came between */
	return trimmed(line).size == CIVIL_MOMENT_SIZE && civil_moment_read(line, &ns) &&
	       is_head(first_unlogged(line_after(line, end), end));
}

bool
dump_line_ends_in_date(struct stk_text line, const char *end, int64_t *date)
{
	const char *stop = line.data + line.size;

	return line.size > CIVIL_MOMENT_SIZE && end - stop > 1 &&
	       (stop[1] == *DUMP_HEAD_WORDS || stop[1] == *DUMP_JCMD_WORDS) && is_head(line_after(line, end)) &&
	       civil_moment_read(text_of(stop - CIVIL_MOMENT_SIZE, CIVIL_MOMENT_SIZE), date);
}

/* "11044:" of jcmd and "0" of the attach socket come directly before a dump. */
static bool
is_reply(struct stk_text line, const char *end)
{
	const char *at = line.data, *stop = line.data + trimmed(line).size;
	struct stk_text next;
	uint64_t number;

	if (!scan_decimal(&at, stop, &number) || !(at == stop || (*at == ':' && at + 1 == stop)))
		return false;
	next = line_after(line, end);
	return is_head(next) || is_date_of_head(next, end);
}

static enum line_kind
kind_of_F(struct stk_text line)
{
	if (text_starts(line, DUMP_HEAD_WORDS))
		return LINE_HEAD;
	if (text_starts(line, "Found one Java-level deadlock:"))
		return LINE_RING;
	if (text_starts(line, "Found ") &&
	    (text_ends(trimmed(line), " deadlock.") || text_ends(trimmed(line), " deadlocks.")))
		return LINE_RING_COUNT;
	return LINE_FOREIGN;
}

static enum line_kind
kind_of_J(struct stk_text line)
{
	if (text_starts(line, "JNI global ref"))
		return LINE_JNI;
	if (text_starts(line, "Java stack information for the threads listed above:"))
		return LINE_RING_STACKS;
	return text_is(trimmed(line), "JVM response code = 0") ? LINE_REPLY : LINE_FOREIGN;
}

bool
dump_line_is_unindented(struct stk_text line)
{
	struct lock_line lock;

	line = trimmed(line);
	return (text_starts(line, "at ") && text_ends(line, ")")) || text_starts(line, java_state_words) ||
	       text_is(line, java_owned_words) || text_is(line, "- None") || lock_line_read(&lock, line);
}

enum line_kind
dump_line_kind(struct stk_text line, const char *end)
{
	switch (line.size > 0 ? *line.data : '\0') {
	case 'F':
		return kind_of_F(line);
	case 'J':
		return kind_of_J(line);
	case 'T':
		if (text_starts(line, DUMP_JCMD_WORDS))
			return LINE_HEAD;
		return text_starts(line, "Threads class SMR info:") ? LINE_LIST : LINE_FOREIGN;
	case '_':
		return text_starts(line, "_java_thread_list=") || text_starts(line, "_to_delete_list=") ? LINE_LIST_SIZE
													: LINE_FOREIGN;
	case 'H':
		return text_is(trimmed(line), "Heap") ? LINE_HEAP : LINE_FOREIGN;
	case 'D':
		return text_starts(line, forced_words) ? LINE_HEAD : LINE_FOREIGN;
	case '=':
		return text_starts(line, DUMP_JROCKIT_WORDS) ? LINE_HEAD
		       : text_starts(line, jrockit_end) ? LINE_END
							: LINE_FOREIGN;
	case 'C':
		return text_is(trimmed(line), "Connected to remote JVM") ? LINE_REPLY : LINE_FOREIGN;
	case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
		return is_date_of_head(line, end) ? LINE_DATE : is_reply(line, end) ? LINE_REPLY : LINE_FOREIGN;
	default:
		return dump_line_is_unindented(line) ? LINE_OF_STACK : LINE_FOREIGN;
	}
}
