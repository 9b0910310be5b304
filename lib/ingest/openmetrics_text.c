/* SPDX-License-Identifier: MIT
 * openmetrics_text: what Prometheus scrapes: its text format and OpenMetrics. Each sample is a metric, whose name has
 * its labels: http_requests_total{code="200"}.
 *
 *	# TYPE http_requests_total counter
 *	http_requests_total{code="200"} 1027 1395066363000
 *
 * The time is the sample's own, in milliseconds (Prometheus) or seconds (OpenMetrics), which differ by a thousand;
 * without one that of the line above its scrape which has nothing but a date, as `date; curl ...` in a loop writes
 * it. */
#include "ingest/metric_lines.h"

#include "base/time_math.h"
#include "ingest/civil_moment.h"
#include "ingest/text_lines.h"

#include <stdlib.h>

#define NUMBER_MAX  48u		/* bytes of a number */
#define SECONDS_MAX 1e11	/* a greater time is in milliseconds */
#define LONG_LINE   4096u	/* that is no date */

struct sample { struct stk_text name, exemplar; double value; bool timed; int64_t time_ns; };

/* --- a sample --- */

static bool
is_name_byte(char c)
{
	return (unsigned char)((c | 0x20) - 'a') < 26 || (unsigned char)(c - '0') < 10 || c == '_' || c == ':';
}

/* The end of the labels that begin at `at` with {; NULL when they have none. */
static const char *
labels_end(const char *at, const char *end)
{
	bool quoted = false;

	for (at++; at < end && (quoted || *at != '}'); at++) {
		if (quoted && *at == '\\')
			at++;
		else if (*at == '"')
			quoted = !quoted;
	}
	return at < end ? at + 1 : NULL;
}

static struct stk_text
take_word(struct stk_text *rest)
{
	struct stk_text word;

	*rest = unindented(*rest);
	for (word = text_of(rest->data, 0); word.size < rest->size && (unsigned char)word.data[word.size] > ' ';)
		word.size++;
	*rest = between(word.data + word.size, rest->data + rest->size);
	return word;
}

/* A number as Go reads it: also "+Inf", "NaN". */
static bool
is_number(struct stk_text word, double *value)
{
	char copy[NUMBER_MAX], *stop;

	if (word.size == 0 || word.size >= sizeof copy)
		return false;
	memcpy(copy, word.data, word.size);
	copy[word.size] = '\0';
	*value = strtod(copy, &stop);
	return stop == copy + word.size;
}

static bool
is_time(struct stk_text word, int64_t *ns)
{
	double number;

	if (!is_number(word, &number))
		return false;
	*ns = int64_of(number > SECONDS_MAX ? number * 1e6 : number * 1e9);
	if (number > SECONDS_MAX && number < 9e12)	/* whole milliseconds: a double would lose the last digits */
		*ns = (int64_t)number * 1000000 + int64_of((number - (double)(int64_t)number) * 1e6);
	else if (number >= 0 && number < 9e9)
		*ns = (int64_t)number * 1000000000 + int64_of((number - (double)(int64_t)number) * 1e9 + 0.5);
	return true;
}

/* The name with its labels: what is before the value. */
static bool
take_name(struct stk_text *rest, struct stk_text *name)
{
	const char *at = rest->data, *end = at + rest->size;

	if (at < end && *at >= '0' && *at <= '9')
		return false;
	while (at < end && is_name_byte(*at))
		at++;
	if (at == rest->data)
		return false;
	*name = between(rest->data, at);
	at = unindented(between(at, end)).data;
	if (at < end && *at == '{') {
		at = labels_end(at, end);
		if (at == NULL)
			return false;
		*name = between(rest->data, at);
	}
	*rest = between(at, end);
	if (text_ends(*name, "{}"))
		name->size -= 2;
	return true;
}

static bool
is_sample(struct stk_text line, struct sample *sample)
{
	struct stk_text word;

	*sample = (struct sample){ .time_ns = STK_TIME_UNKNOWN };
	if (!take_name(&line, &sample->name) || !is_number(take_word(&line), &sample->value))
		return false;
	word = take_word(&line);
	if (word.size > 0 && *word.data != '#') {
		sample->timed = is_time(word, &sample->time_ns);
		if (!sample->timed)
			return false;
		word = take_word(&line);
	}
	sample->exemplar = word.size > 0 ? between(word.data, line.data + line.size) : word;
	return word.size == 0 || text_is(word, "#");
}

/* A line with nothing but a moment. */
static bool
is_moment(struct stk_text line, struct metric_time *time)
{
	double number;

	if (line.size < 10 || line.size > LONG_LINE ||
	    ((unsigned char)(*line.data - '0') > 9 && (line.data[3] != ' ' || line.data[7] != ' ')))
		return false;
	if (is_number(line, &number)) {
		*time = (struct metric_time){ STK_TIME_UNKNOWN, true };
		return number >= 1e9 && is_time(line, &time->ns);
	}
	if (civil_ctime_read(line, &time->ns)) {
		time->zoned = text_find(line, "UTC") != NULL || text_find(line, "GMT") != NULL;
		return true;
	}
	return line.data[4] == '-' && metric_date(line, time);
}

/* --- scanning --- */

static void
say_sample(struct findings *findings, uint32_t number, const struct sample *sample, const struct metric_time *above)
{
	struct finding *f;

	if (!stk_measure_is_believed(sample->value)) {
		found_skipped(findings, number, sample->name, 1, SKIP_NOISE, "a value that is not a finite number");
		return;
	}
	f = found(findings, FOUND_METRIC, number);
	f->is.metric.name = sample->name;
	f->is.metric.value = sample->value;
	f->is.metric.timed = sample->timed || above->ns != STK_TIME_UNKNOWN;
	f->is.metric.zoned = sample->timed || above->zoned;
	f->is.metric.time_ns = sample->timed ? sample->time_ns : above->ns;
	if (sample->exemplar.size > 0)
		found_skipped(findings, number, sample->exemplar, 1, SKIP_NOISE, "an exemplar");
}

/* What is neither a sample nor a comment. */
static void
skip_line(struct findings *findings, uint32_t number, struct stk_text line)
{
	bool named = *line.data == '{', ours = named;

	for (size_t i = 0; i < line.size && !ours && (is_name_byte(line.data[i]) || line.data[i] == '{'); i++)
		ours = line.data[i] == '{';
	found_skipped(findings, number, line, 1, ours ? SKIP_BROKEN : SKIP_NOISE,
		      named  ? "a metric whose name is in quotes"
		      : ours ? "a metric that cannot be read"
			     : "not a metric");
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	const char *at = piece.data, *end = piece.data + piece.size;
	struct metric_time above = { STK_TIME_UNKNOWN, true };
	uint32_t number = 0;

	while (at < end) {
		uint32_t next = number;
		struct stk_text line = unindented(take_next_line(&at, end, &next));
		struct sample sample;

		if (line.size > 0 && *line.data != '#') {
			if (is_sample(line, &sample))
				say_sample(findings, number, &sample, &above);
			else if (!is_moment(line, &above))
				skip_line(findings, number, line);
		}
		number = next;
	}
	findings->lines = number;
}

/* --- recognising, cutting --- */

/* "# TYPE name kind" */
static bool
is_type(struct stk_text line)
{
	static const char *const kinds[] = { "counter", "gauge", "histogram", "summary", "untyped", "unknown", "info",
					     "stateset", "gaugehistogram" };
	struct stk_text word;

	if (!text_starts(line, "# TYPE "))
		return false;
	line = trimmed(text_of(line.data + 7, line.size - 7));
	word = take_word(&line);
	if (word.size == 0)
		return false;
	word = take_word(&line);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		if (text_is(word, kinds[k]))
			return line.size == 0;
	return false;
}

static enum line_sort
sort_of(struct stk_text line)
{
	struct metric_time unused;
	struct sample sample;

	line = trimmed(line);
	if (is_type(line))
		return LINE_OURS;
	if (line.size == 0 || *line.data == '#' || is_moment(line, &unused))
		return LINE_EITHER;
	if (!is_sample(line, &sample))
		return LINE_FOREIGN;
	return text_ends(sample.name, "\"}") && text_find(sample.name, "=\"") != NULL ? LINE_OURS : LINE_EITHER;
}

static int
recognise(struct stk_text text)
{
	return metric_lines_are(text, sort_of) ? 96 : 0;
}

static const char *
find(struct stk_text text)
{
	const char *end = text.data + text.size;

	for (const char *at = text_find(text, "# TYPE "); at != NULL; at = text_find(between(at + 1, end), "# TYPE "))
		if ((at == text.data || at[-1] == '\n') && is_type(line_at(at, end)))
			return at;
	return NULL;
}

/* Before the last moment of a scrape; a text without any is cut after any line. */
static size_t
cut(struct stk_text text)
{
	size_t size = metric_cut(text), from;

	for (size_t whole = size;; size = from) {
		const char *newline = size > 0 ? memrchr(text.data, '\n', size - 1) : NULL;
		struct metric_time unused;
		struct stk_text line;

		from = newline == NULL ? 0 : (size_t)(newline + 1 - text.data);
		line = trimmed(text_of(text.data + from, size - from));
		if (is_moment(unindented(line), &unused))
			return from;
		if (from == 0)
			return whole;
	}
}

const struct text_format openmetrics_text_format = {
	.name = "openmetrics",
	.about = "what Prometheus scrapes: its text format and OpenMetrics",
	.shown_by = "\"# TYPE NAME counter\" and the like above samples, or names with labels in braces",
	.written_as = "openmetrics",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_UNKNOWN,
	.ends_at_section = true,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.scan = scan_piece,
	.read_stack = metric_no_stack,
	.read_frame = metric_no_frame
};
