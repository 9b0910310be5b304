/* SPDX-License-Identifier: MIT
 * thread_dump: HotSpot thread dumps, as jstack, jcmd Thread.print, SIGQUIT and the attach socket print them, JDK 8 to
 * 25, alone or within logs.
 *
 * A thread's section is found by its header, which begins with a quote, and ends before the first line that is not
 * indented: its lines are passed over and hashed, not read. All other lines are classified one by one. A piece is
 * scanned without the others, which is why cut() lets pieces begin only at headers: the lists before a dump's first
 * thread and the deadlocks and heap after its last one are then in one piece with a thread. */
#include "ingest/calm_lines.h"
#include "ingest/civil_moment.h"
#include "ingest/clean.h"
#include "ingest/ingest.h"
#include "ingest/java_stack.h"
#include "ingest/log_line.h"
#include "ingest/mask.h"
#include "ingest/section_memory.h"
#include "ingest/text_lines.h"
#include "ingest/thread_header.h"

#define CUT_KEEPS        32	/* lines at the end of a log that stay with what follows: they may be the head of a
				 * dump */
#define OVER_LINES       8	/* foreign lines after a dump's last thread after which its deadlocks and heap are no
				 * longer looked for */
#define SHAPE_LINES      3	/* lines after a dump's head that are checked for its prefix */
#define NOTE_WITHIN      1024	/* compiler threads have no frames: a longer stack is not searched for what it
				 * compiles */

static const char head_words[] = "Full thread dump";	/* a blank and the VM's name follow, or a colon */
static const char jrockit_words[] = "===== FULL THREAD DUMP ====";
static const char jrockit_end[] = "===== END OF THREAD DUMP ====";
static const char forced_words[] = "Deadlock Detection:";	/* jstack -F */
static const char jcmd_words[] = "Thread dump from jcmd ";

enum place {			/* what the lines between two threads may be */
	AMONG_THREADS,
	IN_LIST,		/* addresses of the VM's thread list */
	IN_RING,		/* a deadlock: which thread waits for which */
	IN_RING_STACKS,		/* and the stacks of those, which were seen before */
	IN_HEAP
};

struct scan {
	struct findings *findings;
	const char *at, *end;	/* at: the start of a line */
	uint32_t line;		/* its number */
	enum place place;
	bool over;		/* what ends a dump was seen (the count of JNI references); only deadlocks and the heap
				 * may follow, */
	unsigned since_over;	/* and foreign lines, as many as this */
	bool prefixed;		/* a dump with log prefixes was found: stop */
	bool in_dump;		/* a head or a thread was seen: a header at the end of the text is one */
	int64_t date;		/* of the dump whose head comes next */
	uint32_t date_line;
	uint64_t rings;		/* deadlocks of this dump */
	/* of the ring's current thread */
	struct { uint32_t line; struct stk_text thread, class; uint64_t object; enum stk_relation relation; } waits;
	struct { uint32_t line; double total, used, metaspace; bool has_heap, has_metaspace; } heap;
	struct { const char *from, *to; uint32_t first, last; } noise;	/* a run of foreign lines; from NULL: none */
};

/* --- lines --- */

/* Moves past the newline at `stop`, or to the end. */
static void
pass(struct scan *s, const char *stop)
{
	s->line += scan_count_lines(s->at, stop) + (stop < s->end);
	s->at = stop < s->end ? stop + 1 : s->end;
}

/* The same when it is the line's own. */
static void
pass_line(struct scan *s, struct stk_text line)
{
	const char *stop = line.data + line.size;

	s->line += stop < s->end;
	s->at = stop < s->end ? stop + 1 : s->end;
}

/* --- what a line between two threads is --- */

enum line_kind {
	LINE_FOREIGN, LINE_OF_STACK,
	LINE_REPLY, LINE_DATE, LINE_HEAD, LINE_LIST, LINE_LIST_SIZE,			/* before a dump's threads */
	LINE_END, LINE_JNI, LINE_RING, LINE_RING_STACKS, LINE_RING_COUNT, LINE_HEAP		/* after them */
};

static bool
may_be_header(const char *at)
{
	/* a name, "os_prio=" where there is none, or "Thread 12: (state = BLOCKED)" */
	return *at == '"' || *at == 'o' || *at == 'T';
}

static bool
is_head(struct stk_text line)
{
	return text_starts(line, head_words) || text_starts(line, jcmd_words) || text_starts(line, jrockit_words);
}

/* Called for every line of a log that begins with a date, so the next line's first byte is checked before its end is
 * searched. */
static bool
is_date_of_head(struct stk_text line, const char *end)
{
	const char *stop = line.data + line.size;
	int64_t ns;

	if (end - stop > 1 && (stop[1] == *head_words || stop[1] == *jcmd_words))
		return is_head(line_after(line, end)) && civil_moment_read(line, &ns);
	/* a log's lines came between */
	return trimmed(line).size == CIVIL_MOMENT_SIZE && civil_moment_read(line, &ns) &&
	       is_head(first_unlogged(line_after(line, end), end));
}

/* The date of a dump's head at the end of a line: two files were joined, and the first had no newline at its end. */
static bool
ends_in_date_of_head(struct stk_text line, const char *end, int64_t *date)
{
	const char *stop = line.data + line.size;

	return line.size > CIVIL_MOMENT_SIZE && end - stop > 1 && (stop[1] == *head_words || stop[1] == *jcmd_words) &&
	       is_head(line_after(line, end)) &&
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
	if (text_starts(line, head_words))
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

/* A line of a stack that lost its indentation. */
static bool
is_unindented(struct stk_text line)
{
	struct lock_line lock;

	line = trimmed(line);
	return (text_starts(line, "at ") && text_ends(line, ")")) || text_starts(line, java_state_words) ||
	       text_is(line, java_owned_words) || text_is(line, "- None") || lock_line_read(&lock, line);
}

static enum line_kind
kind_of(struct stk_text line, const char *end)
{
	switch (line.size > 0 ? *line.data : '\0') {
	case 'F':
		return kind_of_F(line);
	case 'J':
		return kind_of_J(line);
	case 'T':
		if (text_starts(line, jcmd_words))
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
		return text_starts(line, jrockit_words) ? LINE_HEAD
		       : text_starts(line, jrockit_end) ? LINE_END
							: LINE_FOREIGN;
	case 'C':
		return text_is(trimmed(line), "Connected to remote JVM") ? LINE_REPLY : LINE_FOREIGN;
	case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
		return is_date_of_head(line, end) ? LINE_DATE : is_reply(line, end) ? LINE_REPLY : LINE_FOREIGN;
	default:
		return is_unindented(line) ? LINE_OF_STACK : LINE_FOREIGN;
	}
}

/* --- foreign lines, reported as runs --- */

static void
flush_noise(struct scan *s)
{
	if (s->noise.from != NULL)
		found_skipped(s->findings, s->noise.first, between(s->noise.from, s->noise.to),
			      s->noise.last - s->noise.first + 1, SKIP_NOISE, "not a thread dump");
	s->noise.from = NULL;
}

static void
say_over(struct scan *s)
{
	if (s->over)
		found(s->findings, FOUND_DUMP_END, s->line);
	s->over = false;
}

static void
add_noise(struct scan *s, struct stk_text line)
{
	if (s->over && ++s->since_over > OVER_LINES)
		say_over(s);	/* before the run, which stays one: a section of another format may be in it */
	if (s->noise.from == NULL) {
		s->noise.from = line.data;
		s->noise.first = s->line;
	}
	s->noise.to = line.data + line.size;
	s->noise.last = s->line;
}

/* --- the heap of a dump that SIGQUIT asked for --- */

static void
say_metric(struct scan *s, const char *name, double value)
{
	struct finding *f = found(s->findings, FOUND_METRIC, s->heap.line);

	f->is.metric.name = text_from(name);
	f->is.metric.value = value;
}

static void
leave_place(struct scan *s)
{
	if (s->place == IN_HEAP && s->heap.has_heap) {
		say_metric(s, "heap.total", s->heap.total);
		say_metric(s, "heap.used", s->heap.used);
	}
	if (s->place == IN_HEAP && s->heap.has_metaspace)
		say_metric(s, "metaspace.used", s->heap.metaspace);
	s->place = AMONG_THREADS;
}

/* "61126K" at `at`, in bytes. */
static bool
read_amount(const char *at, const char *end, double *bytes)
{
	uint64_t number;

	if (!scan_decimal(&at, end, &number))
		return false;
	*bytes = (double)number;
	switch (at < end ? *at : ' ') {
	case 'G': *bytes *= 1024;	/* fall through */
	case 'M': *bytes *= 1024;	/* fall through */
	case 'K': *bytes *= 1024;
	}
	return true;
}

/* "used 12M" or, as Shenandoah has it, "12M used". */
static bool
find_amount(struct stk_text line, const char *word, double *bytes)
{
	const char *end = line.data + line.size;
	const char *at = text_find(line, word);
	const char *from;

	if (at == NULL)
		return false;
	if (at + strlen(word) < end && read_amount(at + strlen(word) + 1, end, bytes))
		return true;
	for (from = at - (at > line.data); from > line.data && from[-1] != ' '; from--)
		;
	return read_amount(from, at, bytes);
}

/* A generation, or the whole heap, is indented by one blank; its parts by two. */
static bool
take_heap_line(struct scan *s, struct stk_text line)
{
	double total, used;

	if (line.size < 2 || *line.data != ' ')
		return text_is(trimmed(line), "Shenandoah Heap") || text_starts(line, "Status: ") ||
		       text_starts(line, "Reserved region:") || text_starts(line, "Collection set:");
	if (text_starts(line, " Metaspace")) {
		s->heap.has_metaspace = find_amount(line, " used", &s->heap.metaspace);
	} else if (line.data[1] != ' ' && text_find(line, "erm ") == NULL && text_find(line, "PermGen") == NULL &&
		   find_amount(line, " used", &used) &&
		   (find_amount(line, " committed", &total) || find_amount(line, " total", &total) ||
		    find_amount(line, " capacity", &total))) {
		s->heap.total += total;
		s->heap.used += used;
		s->heap.has_heap = true;
	}
	return true;
}

/* --- deadlocks --- */

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
read_wait(struct scan *s, struct stk_text line)
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
read_owner(struct scan *s, struct stk_text line)
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

/* The end of the line or lines taken; NULL: not of a deadlock. */
static const char *
take_ring_line(struct scan *s, struct stk_text line)
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

static const char *
take_ring_stack_line(struct scan *s, struct stk_text line)
{
	if (*line.data == '"')
		return name_end(line.data, s->end, "\":");
	return *line.data == '\t' || *line.data == ' ' || text_starts(line, "====") || is_unindented(line)
		       ? line.data + line.size
		       : NULL;
}

/* --- the head and tail of a dump --- */

/* What JRockit has below its head: "Thu Mar  5 09:01:53 2026", "Oracle JRockit(R) R28.2.5-20-152429-1.6.0_37-...". A
 * line that is neither of them does not belong to the head. */
struct jrockit_head { struct stk_text date, vm; };

static struct jrockit_head
jrockit_head_below(struct stk_text line, const char *end)
{
	struct jrockit_head head = { text_of("", 0), text_of("", 0) };
	struct stk_text below = line_after(line, end);
	int64_t unused;

	if (civil_ctime_read(below, &unused)) {
		head.date = below;
		below = line_after(below, end);
	}
	if (below.size > 0 && *below.data != '"' && text_find(below, "JRockit") != NULL)
		head.vm = below;
	return head;
}

static void
take_head(struct scan *s, struct stk_text line)
{
	bool below_date = s->date != STK_TIME_UNKNOWN && s->date_line + 1 >= s->line;
	struct finding *f = found(s->findings, FOUND_DUMP, below_date ? s->date_line : s->line);

	if (text_starts(line, jrockit_words)) {
		struct jrockit_head head = jrockit_head_below(line, s->end);

		if (head.date.size > 0)
			(void)civil_ctime_read(head.date, &s->date);
		f->is.dump.vm = trimmed(head.vm);
	}
	f->is.dump.civil_ns = s->date;
	if (text_starts(line, head_words)) {
		f->is.dump.vm = unindented(trimmed(between(line.data + sizeof head_words - 1, line.data + line.size)));
		if (text_ends(f->is.dump.vm, ":"))
			f->is.dump.vm.size--;
	}
	s->date = STK_TIME_UNKNOWN;
	s->rings = 0;
	s->in_dump = true;
}

/* The number after `word`, or 0. */
static uint64_t
number_after(struct stk_text line, const char *word)
{
	const char *at = text_find(line, word);
	uint64_t number = 0;

	if (at != NULL) {
		at += strlen(word);
		scan_decimal(&at, line.data + line.size, &number);
	}
	return number;
}

static void
take_list_size(struct scan *s, struct stk_text line)
{
	struct finding *f = found(s->findings, FOUND_DUMP_FACTS, s->line);

	if (line.data[1] == 'j')
		f->is.facts.listed = number_after(line, "length=");
	else
		f->is.facts.exiting = number_after(line, "length=");
}

static void
take_jni(struct scan *s, struct stk_text line)
{
	struct finding *f = found(s->findings, FOUND_DUMP_FACTS, s->line);

	f->is.facts.jni_refs = number_after(line, text_find(line, "references: ") != NULL ? "references: " : "refs: ");
	f->is.facts.weak_refs = number_after(line, "weak refs: ");
	s->over = true;
	s->since_over = 0;
}

/* A line that is not blank and begins, or continues, what is between threads. */
static bool
take_known_line(struct scan *s, struct stk_text line)
{
	enum line_kind kind = kind_of(line, s->end);

	if (kind == LINE_FOREIGN || kind == LINE_OF_STACK || (kind == LINE_HEAP && !s->over))
		return false;
	flush_noise(s);
	leave_place(s);
	if (kind == LINE_REPLY || kind == LINE_DATE || kind == LINE_HEAD)
		say_over(s);
	switch (kind) {
	case LINE_DATE:
		civil_moment_read(line, &s->date);
		s->date_line = s->line;
		break;
	case LINE_HEAD:        take_head(s, line); break;
	case LINE_LIST:        s->place = IN_LIST; break;
	case LINE_LIST_SIZE:   s->place = IN_LIST; take_list_size(s, line); break;
	case LINE_END:         found(s->findings, FOUND_DUMP_END, s->line); break;
	case LINE_JNI:         take_jni(s, line); break;
	case LINE_RING:        s->place = IN_RING; s->rings++; break;
	case LINE_RING_STACKS: s->place = IN_RING_STACKS; break;
	case LINE_HEAP:        s->place = IN_HEAP; memset(&s->heap, 0, sizeof s->heap); s->heap.line = s->line; break;
	default:               break;
	}
	pass_line(s, line);
	if (kind == LINE_HEAD && text_starts(line, jrockit_words)) {
		struct jrockit_head head = jrockit_head_below(line, s->end);

		if (head.date.size > 0)
			pass_line(s, head.date);
		if (head.vm.size > 0)
			pass_line(s, head.vm);
	}
	return true;
}

/* A line whose meaning depends on its place. */
static bool
take_placed_line(struct scan *s, struct stk_text line)
{
	const char *stop = NULL;

	switch (s->place) {
	case AMONG_THREADS:
		return false;
	case IN_LIST:
		stop = text_starts(line, "0x") || *line.data == '}' || *line.data == '_' ? line.data + line.size : NULL;
		if (text_starts(line, "_java_thread_list=") || text_starts(line, "_to_delete_list="))
			stop = NULL;	/* has a number for us */
		break;
	case IN_RING:
		stop = take_ring_line(s, line);
		break;
	case IN_RING_STACKS:
		stop = take_ring_stack_line(s, line);
		break;
	case IN_HEAP:
		stop = take_heap_line(s, line) ? line.data + line.size : NULL;
		break;
	}
	if (stop == NULL)
		return false;
	flush_noise(s);
	pass(s, stop);
	return true;
}

/* What was open is over. */
static void
settle(struct scan *s)
{
	flush_noise(s);
	leave_place(s);
	say_over(s);
}

/* --- dumps whose lines have a prefix --- */

static bool
has_prefix(struct stk_text prefix, struct stk_text line)
{
	size_t size;

	return clean_prefix_matches(prefix, line, &size);
}

/* Whether the lines after the head have the prefix as well. */
static bool
is_prefix(struct stk_text prefix, struct stk_text line, const char *end)
{
	int asked = 0, have = 0;

	if (prefix.size > CLEAN_PREFIX_MAX)
		return false;
	while (asked < SHAPE_LINES && line.data + line.size < end) {
		line = line_after(line, end);
		have += has_prefix(prefix, line);
		asked++;
	}
	return asked > 0 && have * 2 > asked;
}

/* The date above the head has the prefix too, and was taken for noise: the dump begins there. */
static void
take_back_date(struct scan *s, struct stk_text *prefix)
{
	const char *start, *stop = s->at - 1;
	struct stk_text line;
	size_t size;
	int64_t ns;

	if (s->noise.from == NULL || s->noise.to != stop || s->noise.last + 1 != s->line)
		return;
	start = memrchr(s->noise.from, '\n', (size_t)(stop - s->noise.from));
	line = between(start != NULL ? start + 1 : s->noise.from, stop);
	if (!clean_prefix_matches(*prefix, line, &size) ||
	    !civil_moment_read(text_of(line.data + size, line.size - size), &ns))
		return;
	*prefix = text_of(line.data, size);
	s->at = line.data;
	s->line--;
	s->noise.last--;
	s->noise.to = line.data - 1;
	if (start == NULL)
		s->noise.from = NULL;
}

/* Where the head of a dump is in a line, of HotSpot or of JRockit; NULL. */
static const char *
head_within(struct stk_text whole)
{
	if (text_ends(whole, "):") || text_ends(whole, "dump:"))
		return text_find(whole, head_words);
	return text_ends(whole, "====") ? text_find(whole, jrockit_words) : NULL;
}

/* A dump's head that does not begin its line: after a log's prefix, or after a line that was cut there. */
static bool
take_hidden_head(struct scan *s, struct stk_text line)
{
	const char *head = head_within(trimmed(line));
	struct stk_text prefix;

	if (head == NULL || head == line.data)
		return false;
	prefix = between(line.data, head);
	if (is_prefix(prefix, line, s->end)) {
		take_back_date(s, &prefix);
		settle(s);
		found(s->findings, FOUND_PREFIX, s->line)->is.prefix.prefix = prefix;
		return s->prefixed = true;
	}
	if (trimmed(line_after(line, s->end)).size > 0)
		return false;
	settle(s);
	found_skipped(s->findings, s->line, prefix, 1, SKIP_CUT, "a dump begins in the middle of a line");
	take_head(s, between(head, line.data + line.size));
	pass_line(s, line);
	return true;
}

/* --- lines that are not understood --- */

/* Whether a line that begins with a quote was to be a thread's header: its number is there, or a thread's state or
 * frame below it. */
static bool
is_broken_header(struct stk_text line, const char *end)
{
	struct stk_text next = line_after(line, end);
	const char *quote = memrchr(line.data + 1, '"', line.size - 1);

	if (quote != NULL && line.data + line.size - quote > 3 && quote[1] == ' ' && quote[2] == '#' &&
	    (unsigned char)(quote[3] - '0') < 10)
		return true;
	return text_starts(next, "\tat ") || text_starts(unindented(next), java_state_words);
}

static void
take_broken_header(struct scan *s, struct stk_text line)
{
	uint32_t lines = 0;
	const char *stop = calm_lines_end(line.data + line.size, s->end, &lines);
	struct stk_text section = trimmed(between(s->at, stop));

	flush_noise(s);
	leave_place(s);
	found_skipped(s->findings, s->line, section, scan_count_lines(section.data, section.data + section.size) + 1,
		      SKIP_BROKEN, "a thread's header that cannot be read");
	pass(s, stop);
}

static void
take_long_line(struct scan *s, struct stk_text line)
{
	flush_noise(s);
	found_skipped(s->findings, s->line, line, 1, SKIP_TOO_LONG, "a line over 1 MiB");
	pass_line(s, line);
}

/* A header cut by the end of the text, when the text has other threads. */
static bool
is_header_cut(const struct scan *s, struct stk_text line)
{
	struct thread_header header;

	return s->in_dump && line.data + line.size == s->end &&
	       (memchr(line.data + 1, '"', line.size - 1) == NULL || is_broken_header(line, s->end) ||
		thread_header_read(&header, line.data, s->end));
}

/* Whether a part of a thread is in the line, but does not begin it: after a log's prefix that is not known. A frame
 * counts only where a thread's text just broke off, as logs have frames of exceptions too. */
static bool
hides_thread(const struct scan *s, struct stk_text line)
{
	const char *quote = memchr(line.data, '"', line.size), *frame = text_find(line, "\tat ");

	if (quote != NULL && quote > line.data && text_find(line, " tid=0x") > quote && text_find(line, " nid=") > quote)
		return true;
	if (text_find(line, java_state_words) > line.data)
		return true;
	return frame > line.data && s->in_dump && s->noise.from == NULL && text_ends(trimmed(line), ")");
}

static void
take_unknown_line(struct scan *s, struct stk_text line)
{
	if (take_hidden_head(s, line))
		return;
	if (*line.data == '"' && is_header_cut(s, line)) {
		flush_noise(s);
		found_skipped(s->findings, s->line, line, 1, SKIP_CUT, "the text ends in a thread's header");
	} else if (*line.data == '"' && is_broken_header(line, s->end)) {
		take_broken_header(s, line);
		return;
	} else if (hides_thread(s, line)) {
		flush_noise(s);
		found_skipped(s->findings, s->line, line, 1, SKIP_BROKEN,
			      "a part of a thread after other text, such as a log's prefix that is not known");
	} else {
		add_noise(s, line);
	}
	pass_line(s, line);
}

/* The threads of a deadlock are separate since JDK 9, and so is the metaspace under Shenandoah. */
static bool
goes_on_behind_blank(const struct scan *s, struct stk_text line)
{
	return s->place == IN_RING || (s->place == IN_HEAP && text_starts(line_after(line, s->end), " Metaspace"));
}

static bool take_thread(struct scan *s);
static void take_line(struct scan *s);

/* The line is taken as if the text ended where the date begins. */
static void
take_joined_line(struct scan *s, struct stk_text line, int64_t date)
{
	const char *end = s->end;

	s->end = line.data + line.size - CIVIL_MOMENT_SIZE;
	if (!may_be_header(s->at) || !take_thread(s))
		take_line(s);
	s->end = end;
	settle(s);
	s->date = date;
	s->date_line = s->line;
	pass_line(s, line);
}

static void
take_line(struct scan *s)
{
	struct stk_text line = line_at(s->at, s->end);
	int64_t date;

	if (line.size > INGEST_LINE_MAX) {
		take_long_line(s, line);
	} else if (trimmed(line).size == 0) {
		if (!goes_on_behind_blank(s, line))
			leave_place(s);
		pass_line(s, line);
	} else if (ends_in_date_of_head(line, s->end, &date)) {
		take_joined_line(s, line, date);
	} else if (!take_placed_line(s, line) && !take_known_line(s, line)) {
		take_unknown_line(s, line);
	}
}

/* --- a thread's section --- */

/* A body with foreign lines in it: where it ends, and where the section ends. */
struct body {
	const char *end;	/* of what is the thread's */
	const char *stop;	/* the newline before what follows the section, or the end of the text */
	uint32_t lines;		/* newlines from the header's start to stop */
};

/* Whether the line that is not indented belongs to what follows a section. */
static bool
ends_section(struct stk_text line, const char *end)
{
	struct thread_header header;
	enum line_kind kind;

	if (may_be_header(line.data) && thread_header_read(&header, line.data, end))
		return true;
	if (*line.data == '"')
		return text_ends(trimmed(line), "\":");
	kind = kind_of(line, end);
	return kind != LINE_FOREIGN && kind != LINE_OF_STACK;
}

static bool
is_foreign(struct stk_text line, const char *end)
{
	return line.size > 0 && (unsigned char)*line.data > ' ' && !ends_section(line, end) &&
	       kind_of(line, end) != LINE_OF_STACK;
}

/* The last of the foreign lines that follow each other from `line` on. */
static struct stk_text
last_foreign(struct stk_text line, const char *end, uint32_t *lines)
{
	struct stk_text next;

	for (*lines = 1; is_foreign(next = line_after(line, end), end); line = next)
		++*lines;
	return line;
}

/* Whether what follows foreign lines continues the section they are in. A frame after an empty line does not: it
 * belongs to an exception. */
static bool
goes_on(struct stk_text next, const char *end, bool behind_blank)
{
	if (!behind_blank && next.size == 0)
		next = line_after(next, end);
	else if (!behind_blank)
		return *next.data == '\t' || *next.data == ' ' || kind_of(next, end) == LINE_OF_STACK;
	return text_starts(unindented(next), java_owned_words);
}

static bool
names_exception(struct stk_text text)
{
	return text_find(text, "Exception") != NULL || text_find(text, "Error") != NULL ||
	       text_find(text, "Throwable") != NULL;
}

/* An exception was printed in the middle of the stack: the frames of the two cannot be separated, so all up to the next
 * line that is not indented are dropped. */
static void
drop_frames(struct scan *s, struct body *body, struct stk_text first, struct stk_text last)
{
	uint32_t before = body->lines + 1;

	body->lines = before + scan_count_lines(first.data, last.data + last.size);
	body->stop = calm_lines_end(last.data + last.size, s->end, &body->lines);
	found_skipped(s->findings, s->line + before, trimmed(between(first.data, body->stop)),
		      1 + scan_count_lines(first.data, first.data + trimmed(between(first.data, body->stop)).size),
		      SKIP_BROKEN, "an exception in the middle of a thread's stack");
}

/* One run of lines that are not indented, at body->stop. True when the section continues after it. */
static bool
pass_odd_lines(struct scan *s, struct body *body)
{
	struct stk_text first = line_at(body->stop + 1, s->end), last;
	bool behind_blank = body->stop[-1] == '\n';
	uint32_t lines;

	if (ends_section(first, s->end))
		return false;
	if (kind_of(first, s->end) == LINE_OF_STACK) {
		body->lines++;
		body->stop = calm_lines_end(first.data + first.size, s->end, &body->lines);
		return true;
	}
	last = last_foreign(first, s->end, &lines);
	if (last.data + last.size == s->end || !goes_on(line_after(last, s->end), s->end, behind_blank))
		return false;
	if (!behind_blank && names_exception(between(first.data, last.data + last.size))) {
		if (body->end == NULL)
			body->end = body->stop;
		drop_frames(s, body, first, last);
		return true;
	}
	found_skipped(s->findings, s->line + body->lines + 1, between(first.data, last.data + last.size), lines,
		      SKIP_NOISE, "within a thread's stack");
	body->lines += lines;
	body->stop = calm_lines_end(last.data + last.size, s->end, &body->lines);
	return true;
}

/* Whether a line without a newline at the end of the text is all there. */
static bool
is_whole(struct stk_text line)
{
	struct stk_text words = unindented(trimmed(line));

	if (words.size == 0)
		return true;
	if (strchr(")>:]", words.data[words.size - 1]) != NULL && words.data[words.size - 1] != '\0')
		return true;
	return text_is(words, "- None") || text_is(words, "No compile task") ||
	       text_is(words, "java.lang.Thread.State: RUNNABLE") || text_is(words, "java.lang.Thread.State: NEW") ||
	       text_is(words, "java.lang.Thread.State: TERMINATED");
}

/* The start of the last line of [from, end). */
static const char *
last_line(const char *from, const char *end)
{
	const char *newline = memrchr(from, '\n', (size_t)(end - from));

	return newline != NULL ? newline + 1 : from;
}

/* Removes a last line that was cut by the end of the text, or by the date of the next dump. */
static struct stk_text
without_cut_line(struct scan *s, struct stk_text text, const struct body *body)
{
	const char *end = text.data + text.size;
	const char *line = text.size > 0 ? last_line(text.data, end) : end;
	bool may_be_cut = body->stop == s->end && body->end == s->end && end == s->end;

	if (ends_in_date_of_head(between(line, end), s->end, &s->date)) {
		s->date_line = s->line + body->lines;
		end -= CIVIL_MOMENT_SIZE;
		may_be_cut = true;
	}
	if (!may_be_cut || is_whole(between(line, end)))
		return between(text.data, end);
	found_skipped(s->findings, s->line + body->lines, between(line, end), 1, SKIP_CUT,
		      "a thread's stack that was cut");
	return trimmed(between(text.data, line));
}

static struct stk_text
without_long_end(struct scan *s, struct stk_text text, const struct thread_header *header)
{
	const char *end;

	if (text.size <= INGEST_SECTION_MAX)
		return text;
	end = last_line(text.data, text.data + INGEST_SECTION_MAX);
	found_skipped(s->findings, s->line + header->lines + 1 + scan_count_lines(text.data, end),
		      between(end, text.data + text.size), scan_count_lines(end, text.data + text.size) + 1,
		      SKIP_TOO_LONG, "a thread's stack that is too long");
	return trimmed(between(text.data, end));
}

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
take_mounted(struct scan *s, uint32_t line, struct stk_text text)
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

static enum stk_role
role_of(const struct thread_header *header, bool has_body)
{
	bool java = header->number != 0 || header->has_priority || header->has_stack_area;

	if (!java || (header->number == 0 && !has_body && !header->has_stack_area && !header->daemon))
		return STK_ROLE_VM;
	if (header->virtual)
		return STK_ROLE_VIRTUAL;
	return header->daemon ? STK_ROLE_DAEMON : STK_ROLE_JAVA;
}

static void
fill_sample(struct found_sample *sample, const struct thread_header *header)
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

/* Everything of the sample that is in its stack's text. The finding is named by number, as foreign lines within the
 * stack were found meanwhile. */
static void
fill_stack(struct scan *s, size_t finding, const struct thread_header *header, struct stk_text text)
{
	struct found_sample *sample = &s->findings->list.at[finding].is.sample;
	struct stk_text carried = { NULL, 0 };

	sample->stack = text;
	sample->role = role_of(header, text.size > 0);
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

/* Whether the text ends in the header. It may be complete: only its last characters can tell. */
static bool
is_cut_header(const struct thread_header *header, const char *end)
{
	return header->end == end && header->state == STK_STATE_UNKNOWN && end[-1] != ']' && end[-1] != ' ' && !text_is(header->condition, "runnable") &&
	       !text_is(header->condition, "waiting on condition");
}

/* The stack of a thread that had the same one in the dump before. */
static bool
take_known_stack(struct scan *s, const struct known_section *known, const struct thread_header *header,
		 struct found_sample *sample)
{
	const char *next;
	uint32_t lines;

	if (!known_stack(known, header, s->end, &sample->stack, &sample->hash, &next, &lines))
		return false;
	sample->role = role_of(header, sample->stack.size > 0);
	s->line += lines;
	s->at = next;
	return true;
}

static bool
take_thread(struct scan *s)
{
	struct known_section *known =
		s->findings->memory != NULL ? section_memory_find(s->findings->memory, s->at, s->end) : NULL;
	struct thread_header header;
	struct body body = { 0 };
	struct stk_text text;
	size_t finding;
	int64_t date;

	if (known == NULL || !known_header(known, &header, s->at, s->end)) {
		if (!thread_header_read(&header, s->at, s->end) || header.name.size > INGEST_LINE_MAX ||
		    is_cut_header(&header, s->end))
			return false;
		if (known != NULL)
			known_learn_header(known, s->at, &header);
	}
	if (ends_in_date_of_head(between(s->at, header.end), s->end, &date))
		return false;
	if (s->noise.from != NULL || s->place != AMONG_THREADS || s->over)
		settle(s);
	finding = s->findings->list.count;
	fill_sample(&found(s->findings, FOUND_SAMPLE, s->line)->is.sample, &header);
	if (known != NULL && take_known_stack(s, known, &header, &s->findings->list.at[finding].is.sample))
		return s->in_dump = true;
	body.lines = header.lines;
	body.stop = calm_lines_end(header.end, s->end, &body.lines);
	while (body.stop < s->end && !(body.stop[1] == '"' && body.stop[-1] == '\n') && pass_odd_lines(s, &body))
		;
	if (body.end == NULL)
		body.end = body.stop;
	text = trimmed(between(header.end + 1, body.end));
	if (body.stop == s->end || body.stop[1] == 'F' || body.stop[1] == 'T')
		text = without_cut_line(s, text, &body);
	fill_stack(s, finding, &header, without_long_end(s, text, &header));
	s->line += body.lines + (body.stop < s->end);
	s->at = body.stop < s->end ? body.stop + 1 : s->end;
	if (known != NULL && s->findings->list.count == finding + 1 && s->at < s->end && *s->at == '"')
		known_learn_stack(known, &header, &s->findings->list.at[finding].is.sample, s->at, body.lines + 1);
	return s->in_dump = true;
}

/* --- a piece --- */

static void
scan_piece(struct scan *s, struct findings *findings, struct stk_text piece)
{
	*s = (struct scan){
		.findings = findings, .at = piece.data, .end = piece.data + piece.size, .date = STK_TIME_UNKNOWN
	};
	while (s->at < s->end && !s->prefixed)
		if (!may_be_header(s->at) || !take_thread(s))
			take_line(s);
}

static void
thread_dump_scan(struct findings *findings, struct stk_text piece)
{
	struct scan s;

	if (findings->memory == NULL && !findings->brief)
		findings->memory = section_memory_new();
	scan_piece(&s, findings, piece);
	settle(&s);
	findings->lines = s.line;
}

/* --- where a text may be cut --- */

/* The start of the last lines of [from, end), which a log keeps for what follows it; 0 when there are no others. */
static size_t
cut_before_last_lines(struct stk_text text, const char *from)
{
	const char *at = text.data + text.size;

	for (int lines = 0; lines <= CUT_KEEPS && at != NULL; lines++)
		at = memrchr(from, '\n', (size_t)(at - from));
	return at != NULL ? (size_t)(at + 1 - text.data) : 0;
}

/* A text without a thread's header, but for one that it may begin with: a log, or one large section. The scanner finds
 * where a dump is in it. */
static size_t
cut_log(struct stk_text text)
{
	struct findings findings = { 0 };
	struct thread_header header;
	const char *end = text.data + text.size;
	struct scan s;

	if (text.size == 0)
		return 0;
	if (!(may_be_header(text.data) && thread_header_read(&header, text.data, end)) &&
	    text_find(text, head_words) == NULL && text_find(text, jcmd_words) == NULL)
		return cut_before_last_lines(text, text.data);
	scan_piece(&s, &findings, text);
	array_release(&findings.list);
	if (s.prefixed)
		return (size_t)(last_line(text.data, end) - text.data);
	return s.noise.from != NULL && s.place == AMONG_THREADS ? cut_before_last_lines(text, s.noise.from) : 0;
}

/* Before the last thread's header; 0 without one. */
static size_t
cut_before_thread(struct stk_text text)
{
	const char *end = text.data + text.size;
	const char *quote = end;
	struct thread_header header;

	while ((quote = text.size > 0 ? memrchr(text.data, '"', (size_t)(quote - text.data)) : NULL) != NULL &&
	       quote > text.data)
		if (quote[-1] == '\n' && thread_header_read(&header, quote, end) && header.end < end)
			return (size_t)(quote - text.data);
	return 0;
}

/* Before the last "Thread 12: (state = BLOCKED)"; 0 without one. */
static size_t
cut_before_forced(struct stk_text text)
{
	const char *end = text.data + text.size, *newline = end;
	struct thread_header header;

	while ((newline = text.size > 0 ? memrchr(text.data, '\n', (size_t)(newline - text.data)) : NULL) != NULL)
		if (end - newline > 1 && newline[1] == 'T' && thread_header_read(&header, newline + 1, end) &&
		    header.end < end)
			return (size_t)(newline + 1 - text.data);
	return 0;
}

static size_t
cut_before_section(struct stk_text text)
{
	size_t size = cut_before_thread(text);

	return size > 0 ? size : cut_before_forced(text);
}

static size_t
thread_dump_cut(struct stk_text text)
{
	size_t size = cut_before_section(text);

	return size > 0 ? size : cut_log(text);
}

/* --- is it one? --- */

static bool
is_stack_below(struct stk_text line, const char *end)
{
	struct stk_text below = first_unlogged(line_after(line, end), end), words = unindented(below);

	return words.data > below.data && (text_starts(words, java_state_words) || text_starts(words, "at ") ||
					   java_frame_is(trimmed(words)));
}

struct evidence { unsigned headers, weak_headers, states, stacks; bool head; };

static void
weigh_line(struct evidence *e, struct stk_text line, const char *end)
{
	struct thread_header header;

	if (may_be_header(line.data) && *line.data != 'o' && thread_header_read(&header, line.data, end)) {
		e->headers += header.has_ids;
		e->weak_headers += !header.has_ids;
		e->stacks += is_stack_below(line_at(header.end, end), end);
	}
	e->states += text_starts(unindented(line), java_state_words);
	e->head |= text_starts(line, head_words) || text_starts(line, jrockit_words);
}

static int
thread_dump_recognise(struct stk_text text)
{
	struct evidence e = { 0 };
	const char *end = text.data + text.size;

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end))
		if (line.size > 0)
			weigh_line(&e, line, end);
	if (e.head || (e.headers > 1 && e.states > 0))
		return 100;
	if (text_find(text, head_words) != NULL)
		return 90;
	if (e.headers > 0)
		return e.states > 0 || e.headers > 1 ? 90 : 60;
	if (e.states > 0 && e.weak_headers > 0)
		return 50;
	return e.stacks > 1 ? 50 : e.stacks > 0 ? 20 : 0;
}

/* The start of the line that `at` is in. */
static const char *
line_start(const char *from, const char *at)
{
	const char *newline = at > from ? memrchr(from, '\n', (size_t)(at - from)) : NULL;

	return newline != NULL ? newline + 1 : from;
}

/* Back over the lines that come before a dump's head: its date, jcmd's number of the process. A log's lines may be
 * between. */
static const char *
with_lines_above(const char *from, const char *head, const char *end)
{
	const char *at = head;
	int lines = 0;

	for (const char *above = head; lines < LOG_LINES_BETWEEN && above > from; lines++) {
		struct stk_text line = line_at(above = line_start(from, above - 1), end);
		enum line_kind kind = kind_of(line, end);

		if (kind == LINE_DATE || kind == LINE_REPLY)
			at = above;
		else if (!log_line_is(line))
			break;
	}
	return at;
}

/* A thread's header that is certain: ids, and a stack or another thread below. */
static const char *
find_thread(struct stk_text text)
{
	const char *end = text.data + text.size, *at = text.data;

	while (at < end) {
		struct thread_header header, next;
		struct stk_text line;
		uint32_t unused = 0;

		if (*at == '"' && thread_header_read(&header, at, end)) {
			line = line_at(header.end, end);
			if (is_stack_below(line, end))
				return at;
			line = line_after(line, end);
			if (line.size == 0)
				line = line_after(line, end);
			if (header.has_ids && line.size > 0 && *line.data == '"' &&
			    thread_header_read(&next, line.data, end) && next.has_ids)
				return at;
		}
		at = scan_newline_then(at, end, '"', &unused);
		at += at < end;
	}
	return NULL;
}

/* "Thread 12: (state = BLOCKED)" of jstack -F, which needs no stack below. */
static const char *
find_forced(struct stk_text text)
{
	static const char words[] = ": (state = ";
	const char *end = text.data + text.size, *at = text.data;

	while ((at = text_find(between(at, end), words)) != NULL) {
		const char *line = line_start(text.data, at);
		struct thread_header header;

		if (*line == 'T' && thread_header_read(&header, line, end) && header.state != STK_STATE_UNKNOWN)
			return line;
		at += sizeof words - 1;
	}
	return NULL;
}

static const char *
thread_dump_find(struct stk_text text)
{
	const char *end = text.data + text.size;
	const char *head = text_find(text, head_words);
	const char *thread, *forced, *jcmd;

	if (head != NULL)
		text.size = (size_t)(head - text.data);
	jcmd = text_find(text, jcmd_words);
	head = jcmd != NULL ? jcmd : head;
	if (head != NULL) {
		text.size = (size_t)(head - text.data);
		head = with_lines_above(text.data, line_start(text.data, head), end);
	}
	head = head != NULL ? head : end;
	thread = find_thread(between(text.data, head));
	head = thread != NULL ? thread : head;
	forced = find_forced(between(text.data, head));
	head = forced != NULL ? forced : head;
	return head < end ? head : NULL;
}

const struct text_format thread_dump_format = {
	.name = "thread-dump",
	.about = "HotSpot thread dumps: jstack, jcmd Thread.print, SIGQUIT, JDK 8 to 25",
	.shown_by = "a head \"Full thread dump\", or headers of threads with stacks",
	.written_as = "dumps",
	.stack_after = 1,
	.is_dump = true,
	.mask = thread_dump_mask,
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_JVM,
	.recognise = thread_dump_recognise,
	.find = thread_dump_find,
	.cut = thread_dump_cut,
	.cut_tail = cut_before_section,
	.scan = thread_dump_scan,
	.read_stack = java_stack_read,
	.read_frame = java_frame_read
};
