/* SPDX-License-Identifier: MIT
 * coroutines: Kotlin's coroutines, as kotlinx.coroutines (DebugProbes.dumpCoroutines) and IntelliJ print them.
 *
 *	Coroutines dump 2026/03/04 05:06:07
 *
 *	Coroutine "coroutine#1":BlockingCoroutine{Active}@7f, state: SUSPENDED
 *		at shop.TillKt.open(Till.kt:12)
 *		(Coroutine creation stacktrace)
 *		at shop.MainKt.main(Main.kt:9)
 *
 *	---------- Coroutine dump ----------
 *
 *	- BlockingCoroutine{Active}@1f [no parent and no name]
 *		-[x2 of] "till":StandaloneCoroutine{Active}, state: SUSPENDED [Dispatchers.Default]
 *			at shop.TillKt.open(Till.kt:12)
 *
 * Each coroutine is a sample; of equal trees IntelliJ prints one and how many there are, which is its weight. Where it
 * was created is not where it is: those frames are no part of its stack. Nodes of IntelliJ's tree without a state are
 * jobs, which run nothing. */
#include "ingest/civil_moment.h"
#include "ingest/ingest.h"
#include "ingest/java_stack.h"
#include "ingest/log_line.h"
#include "ingest/text_lines.h"

#define TIMES_MOST (UINT64_C(1) << 32)	/* equal trees */
#define ABOVE_MAX  64	/* lines between a dump's head and its first coroutine, at most, for what is searched */

static const char probes_head[] = "Coroutines dump ";
static const char idea_head[] = "---------- Coroutine dump ----------";
static const char stripped_head[] = "---------- Coroutine dump (stripped) ----------";	/* of frames without use */
static const char failed_words[] = "Coroutine dump has failed";
static const char times_words[] = "-[x";
static const char creation_words[] = "(Coroutine creation stacktrace)";
static const char creation_frame[] = "at _COROUTINE._CREATION._(";

enum line_kind { LINE_OTHER, LINE_BLANK, LINE_HEAD, LINE_COROUTINE, LINE_JOB, LINE_FRAME };

/* --- lines --- */

/* "2026/03/04 05:06:07", by the clock of the program */
static bool
read_date(struct stk_text text, int64_t *civil_ns)
{
	char copy[CIVIL_MOMENT_SIZE];

	if (text.size != sizeof copy || text.data[4] != '/' || text.data[7] != '/')
		return false;
	memcpy(copy, text.data, sizeof copy);
	copy[4] = copy[7] = '-';
	return civil_moment_read(text_of(copy, sizeof copy), civil_ns);
}

/* After "-[x2 of] ": how many equal trees there are. 0: it does not begin so. */
static uint64_t
times_of(struct stk_text words, const char **after)
{
	const char *at = words.data + strlen(times_words), *end = words.data + words.size;
	uint64_t times;

	if (!text_starts(words, times_words) || !scan_decimal(&at, end, &times) ||
	    !text_starts(between(at, end), " of] "))
		return 0;
	*after = at + strlen(" of] ");
	return times;
}

/* The line of a coroutine after its indentation and first word, "Coroutine ", "- " or "-[x2 of] ". */
static struct stk_text
words_of(struct stk_text line)
{
	struct stk_text words = unindented(line);
	const char *after;

	if (times_of(words, &after) > 0)
		return between(after, words.data + words.size);
	if (text_starts(line, "Coroutine "))
		return between(line.data + strlen("Coroutine "), line.data + line.size);
	return text_starts(words, "- ") ? between(words.data + 2, words.data + words.size) : text_of(line.data, 0);
}

/* "{Active}" or "{Cancelling}": the state of a job, which follows its class. */
static bool
has_job(struct stk_text words)
{
	const char *open = words.size > 0 ? memchr(words.data, '{', words.size) : NULL;
	const char *close = open != NULL ? memchr(open, '}', (size_t)(words.data + words.size - open)) : NULL;

	return close != NULL && open > words.data && close > open + 1;
}

static enum line_kind
kind_of(struct stk_text line)
{
	struct stk_text words;

	if (line.size == 0)
		return LINE_BLANK;
	if (text_starts(line, probes_head) || text_is(line, idea_head) || text_is(line, stripped_head))
		return LINE_HEAD;
	words = words_of(line);
	if (words.size > 0 && text_find(words, ", state: ") != NULL)
		return LINE_COROUTINE;
	if (words.size > 0 && *unindented(line).data == '-')
		return has_job(words) ? LINE_JOB : LINE_OTHER;
	words = unindented(line);
	return words.data > line.data && (text_starts(words, "at ") || text_is(words, creation_words)) ? LINE_FRAME
												       : LINE_OTHER;
}

static enum stk_state
state_of(struct stk_text word)
{
	return text_is(word, "SUSPENDED") ? STK_STATE_WAITING
	       : text_is(word, "RUNNING") ? STK_STATE_RUNNABLE
	       : text_is(word, "CREATED") ? STK_STATE_NEW
					  : STK_STATE_UNKNOWN;
}

/* `"coroutine#1":BlockingCoroutine{Active}@7f, state: SUSPENDED [Dispatchers.Default]`. Without a name of its own it has
 * the name of its class. */
static void
read_coroutine(struct stk_text words, struct found_sample *sample)
{
	const char *end = words.data + words.size, *state = text_find(words, ", state: ");
	const char *quote = memchr(words.data, '"', words.size), *close = text_find(words, "\":"), *at;
	struct stk_text job = between(words.data, state);

	*sample = (struct found_sample){ .processor = PROCESSOR_UNKNOWN, .time_ns = STK_TIME_UNKNOWN, .weight = 1,
					 .role = STK_ROLE_VIRTUAL };
	if (quote == words.data && close != NULL && close < state) {
		sample->name = between(quote + 1, close);
		job = between(close + 2, state);
	}
	at = job.size > 0 ? memchr(job.data, '{', job.size) : NULL;
	if (sample->name.size == 0)
		sample->name = at != NULL ? between(job.data, at) : job;
	at = job.size > 0 ? memrchr(job.data, '@', job.size) : NULL;
	if (at != NULL && at++ < state)
		(void)scan_hex(&at, state, &sample->handle);
	state += strlen(", state: ");
	at = state;
	while (at < end && *at != ' ' && *at != '[')
		at++;
	sample->condition = between(state, at);
	sample->state = state_of(sample->condition);
	sample->note = unindented(between(at, end));
}

/* --- scanning --- */

struct open_tree { size_t indent; uint64_t times; };	/* times: of all that it is within, too */

struct scan {
	struct findings *findings;
	const char *at, *end;
	uint32_t line;
	ARRAY(struct open_tree) open;	/* that the present line is within */
};

static struct stk_text
next_line(struct scan *s)
{
	return take_next_line(&s->at, s->end, &s->line);
}

static bool
is_creation(struct stk_text line)
{
	struct stk_text words = unindented(line);

	return text_is(words, creation_words) || text_starts(words, creation_frame);
}

/* Passes lines of a log, if a frame follows them. */
static bool
pass_log(struct scan *s)
{
	struct stk_text first = line_at(s->at, s->end), frame = first_unlogged(first, s->end);
	uint32_t lines = scan_count_lines(first.data, frame.data);

	if (lines == 0 || kind_of(trimmed(frame)) != LINE_FRAME)
		return false;
	found_skipped(s->findings, s->line, trimmed(between(first.data, frame.data)), lines, SKIP_NOISE,
		      "within a coroutine's stack");
	s->line += lines;
	s->at = frame.data;
	return true;
}

/* The lines of frames from here on, up to those of its creation, which are passed over, and lines of a log among
 * them. */
static struct stk_text
take_stack(struct scan *s)
{
	const char *from = NULL, *to = s->at;
	bool created = false;

	while (s->at < s->end) {
		struct scan before = *s;
		struct stk_text line = next_line(s);

		if (kind_of(line) != LINE_FRAME) {
			*s = before;
			if (!pass_log(s))
				break;
			continue;
		}
		created |= is_creation(line);
		from = from == NULL ? line.data : from;
		if (!created)
			to = line.data + line.size;
	}
	return between(from != NULL ? from : to, to);
}

static void
take_head(struct scan *s, struct stk_text line, uint32_t number)
{
	struct finding *dump = found(s->findings, FOUND_DUMP, number);
	size_t size = strlen(probes_head);

	dump->is.dump.civil_ns = STK_TIME_UNKNOWN;
	if (text_starts(line, probes_head))
		(void)read_date(text_of(line.data + size, line.size - size), &dump->is.dump.civil_ns);
}

/* How many the coroutine or job of a line is: of those, also, that it is within. */
static uint64_t
begin_tree(struct scan *s, struct stk_text line)
{
	struct stk_text words = unindented(line);
	struct open_tree tree = { .indent = (size_t)(words.data - line.data) };
	const char *unused;
	uint64_t times = times_of(words, &unused);

	while (s->open.count > 0 && s->open.at[s->open.count - 1].indent >= tree.indent)
		s->open.count--;
	tree.times = s->open.count > 0 ? s->open.at[s->open.count - 1].times : 1;
	if (times > 0 && __builtin_mul_overflow(tree.times, times, &tree.times))
		tree.times = TIMES_MOST;
	tree.times = tree.times < TIMES_MOST ? tree.times : TIMES_MOST;
	*array_push(&s->open) = tree;
	return tree.times;
}

static void
take_coroutine(struct scan *s, struct stk_text line, uint32_t number)
{
	struct found_sample sample;

	size_t at = s->findings->list.count;

	read_coroutine(words_of(line), &sample);
	(void)found(s->findings, FOUND_SAMPLE, number);
	sample.weight = begin_tree(s, line);
	sample.stack = take_stack(s);
	if (sample.stack.size > 0)
		sample.hash = scan_hash(sample.stack);
	s->findings->list.at[at].is.sample = sample;
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	struct scan s = { .findings = findings, .at = piece.data, .end = piece.data + piece.size };

	while (s.at < s.end) {
		uint32_t number = s.line;
		struct stk_text line = next_line(&s);

		switch (kind_of(line)) {
		case LINE_BLANK:
			break;
		case LINE_HEAD:
			s.open.count = 0;
			take_head(&s, line, number);
			break;
		case LINE_COROUTINE:
			take_coroutine(&s, line, number);
			break;
		case LINE_JOB:
			(void)begin_tree(&s, line);
			found_skipped(findings, number, line, 1, SKIP_NOISE, "a job, which is no coroutine");
			break;
		case LINE_FRAME:
			found_skipped(findings, number, line, 1, SKIP_BROKEN, "a frame without its coroutine");
			break;
		default:
			if (text_starts(line, failed_words))
				found_skipped(findings, number, line, 1, SKIP_BROKEN, "a dump of coroutines that failed");
			else
				found_skipped(findings, number, line, 1, SKIP_NOISE, "not a coroutine");
			break;
		}
	}
	findings->lines = s.line;
	array_release(&s.open);
}

/* --- where a text is cut, and whether it is one --- */

/* Before the last head or coroutine that is within no other. */
static size_t
cut(struct stk_text text)
{
	const char *newline = text.size > 0 ? memrchr(text.data, '\n', text.size) : NULL;

	while (newline != NULL && newline > text.data) {
		const char *before = memrchr(text.data, '\n', (size_t)(newline - text.data));
		enum line_kind kind;

		if (before == NULL)
			return 0;
		kind = kind_of(trimmed(between(before + 1, newline)));
		if (before[1] != ' ' && before[1] != '\t' &&
		    (kind == LINE_COROUTINE || kind == LINE_JOB || kind == LINE_HEAD))
			return (size_t)(before + 1 - text.data);
		newline = before;
	}
	return 0;
}

/* A coroutine among the lines below a head; the next coroutine's when there is no head. */
static bool
is_coroutine_below(struct stk_text line, const char *end)
{
	for (unsigned lines = 0; lines < ABOVE_MAX && line.data < end; lines++) {
		enum line_kind kind;

		line = line_after(line, end);
		kind = kind_of(trimmed(line));
		if (kind == LINE_COROUTINE || kind == LINE_JOB || text_starts(line, failed_words))
			return true;
		if (kind != LINE_BLANK)
			return false;
	}
	return false;
}

static const char *
find(struct stk_text text)
{
	const char *end = text.data + text.size;

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end)) {
		if (line.size < 12 || (*line.data != 'C' && *line.data != '-'))
			continue;
		if (kind_of(trimmed(line)) == LINE_HEAD && is_coroutine_below(line, end))
			return line.data;
		if (text_starts(line, "Coroutine ") && kind_of(trimmed(line)) == LINE_COROUTINE && has_job(line))
			return line.data;
	}
	return NULL;
}

static int
recognise(struct stk_text text)
{
	return find(text) == text.data && text.size > 0 ? 95 : find(text) != NULL ? 30 : 0;
}

const struct text_format coroutines_format = {
	.name = "coroutines",
	.about = "Kotlin's coroutines: DebugProbes.dumpCoroutines, dumps of IntelliJ",
	.shown_by = "a line \"Coroutines dump DATE\" or \"---------- Coroutine dump ----------\"",
	.stack_after = 1,
	.is_dump = true,
	.names_threads = true,
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_JVM,
	.ends_at_dump = true,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan_piece,
	.read_stack = java_stack_read,
	.read_frame = java_frame_read
};
