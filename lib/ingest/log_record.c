/* SPDX-License-Identifier: MIT
 * log_record: which keys hold a log's text. Of several the first in the table is taken, as some shippers keep the
 * original beside their own. */
#include "ingest/log_record.h"

#include "base/json_reader.h"
#include "base/memory.h"
#include "ingest/text_lines.h"

#define NESTED_MAX 4	/* records within a record's text */
#define PATH_MAX_BYTES 64

/* By rank. */
static const char *const text_keys[] = { "MESSAGE", "message", "textPayload", "jsonPayload.message", "log", "line",
					 "msg", "short_message", "event.original", "attributes.message", "result._raw",
					 "_source.message", "body.stringValue", "Body", "Message", "@m", "LogMessage",
					 "LogEntry", "event" };
static const char *const time_keys[] = { "timestamp", "@timestamp", "time" };
static const char *const trace_keys[] = { "stack_trace", "error.stack_trace" };

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NO_RANK COUNT(text_keys)
#define RANK_EVENT (NO_RANK - 1)	/* of structlog; only with a level, as other texts have events, too */

struct reading {
	struct json_reader json;
	struct log_record *out;
	struct stk_text left;		/* of the object's own text */
	struct text_buffer trace;
	size_t rank;			/* of the key that out->text is from */
	bool lost, has_level;
};

static size_t
rank_of(const char *key, const char *const *keys, size_t count)
{
	size_t rank = 0;

	while (rank < count && strcmp(keys[rank], key) != 0)
		rank++;
	return rank;
}

static void
add_line(struct text_buffer *to, struct stk_text text)
{
	if (to->count > 0 && to->at[to->count - 1] != '\n')
		add_char(to, '\n');
	add_text(to, text);
}

/* journald: the bytes of a text that is not UTF-8, or the texts of a field that repeats. */
static enum json_kind
read_array(struct reading *r)
{
	unsigned depth = r->json.depth;
	enum json_kind kind;

	while ((kind = json_next(&r->json)) > JSON_BAD && (kind != JSON_ARRAY_END || r->json.depth >= depth)) {
		int64_t byte;

		if (kind == JSON_NUMBER && json_integer(r->json.text, 0, &byte) && byte >= 0 && byte < 256)
			add_char(&r->out->text, (char)byte);
		else if (kind == JSON_STRING)
			add_line(&r->out->text, r->json.text);
	}
	return kind;
}

/* The value of a key that holds the text. */
static enum json_kind
read_message(struct reading *r, size_t rank)
{
	enum json_kind kind = json_next(&r->json);

	if (kind == JSON_OBJECT)
		return kind;		/* ECS: "log" may be one */
	r->out->any |= rank != RANK_EVENT;
	if (rank > r->rank || kind <= JSON_BAD)
		return kind;
	if (kind == JSON_STRING || kind == JSON_ARRAY || kind == JSON_NULL) {
		r->rank = rank;
		r->out->text.count = 0;
		r->out->is_piece = strcmp(text_keys[rank], "log") == 0;
		r->out->may_be_reversed = strcmp(text_keys[rank], "line") == 0 || strstr(text_keys[rank], "Payload") != NULL;
		r->lost = kind == JSON_NULL;
	}
	if (kind == JSON_STRING)
		add_text(&r->out->text, r->json.text);
	else if (kind == JSON_ARRAY)
		kind = read_array(r);
	return kind;
}

static void
note_time(struct reading *r)
{
	size_t size = r->json.text.size;

	if (*r->out->time != '\0' || size >= LOG_TIME_MAX)
		return;
	memcpy(r->out->time, r->json.text.data, size);
	r->out->time[size] = '\0';
}

/* The value of the key with this path. */
static enum json_kind
read_value(struct reading *r, const char *path)
{
	size_t rank = rank_of(path, text_keys, NO_RANK);
	enum json_kind kind;

	if (rank < NO_RANK)
		return read_message(r, rank);
	kind = json_next(&r->json);
	if (kind == JSON_STRING && rank_of(path, time_keys, COUNT(time_keys)) < COUNT(time_keys))
		note_time(r);
	else if (kind == JSON_STRING && rank_of(path, trace_keys, COUNT(trace_keys)) < COUNT(trace_keys))
		add_line(&r->trace, r->json.text);
	else if (kind == JSON_STRING && strcmp(path, "level") == 0)
		r->has_level = true;
	else if (kind == JSON_STRING && strcmp(path, "stream") == 0)
		r->out->is_error = text_is(r->json.text, "stderr");
	return kind;
}

/* The keys of the object that was just entered; `path` has its own, with a dot, in its first `size` bytes. */
static enum json_kind
read_object(struct reading *r, char *path, size_t size)
{
	enum json_kind kind;

	while ((kind = json_next(&r->json)) == JSON_KEY) {
		struct stk_text key = r->json.text;
		bool fits = size + key.size + 2 <= PATH_MAX_BYTES;

		if (fits)
			memcpy(path + size, key.data, key.size);
		path[size + (fits ? key.size : 0)] = '\0';
		kind = read_value(r, path);
		if (kind == JSON_OBJECT && fits && size == 0) {
			path[key.size] = '.';
			kind = read_object(r, path, key.size + 1);
		} else if (kind == JSON_OBJECT || kind == JSON_ARRAY) {
			json_pass(&r->json, kind);
		}
		if (kind <= JSON_BAD)
			return kind;
	}
	return kind;
}

static enum log_record_kind
read_once(struct log_record *out, struct stk_text json)
{
	struct reading r = { .out = out, .left = json, .rank = NO_RANK };
	char path[PATH_MAX_BYTES];
	enum json_kind kind;

	out->text.count = 0;
	out->any = out->is_piece = out->may_be_reversed = false;
	json_open_text(&r.json, &r.left);
	kind = json_next(&r.json);
	if (kind == JSON_OBJECT)
		kind = read_object(&r, path, 0);
	if (kind == JSON_OBJECT_END)
		kind = json_next(&r.json);
	if (r.rank == RANK_EVENT && !r.has_level) {
		r.rank = NO_RANK;
		r.lost = false;
		out->text.count = 0;
	}
	out->any |= r.rank == RANK_EVENT;
	if (r.trace.count > 0)
		add_line(&out->text, text_in(&r.trace, 0));
	array_release(&r.trace);
	json_close(&r.json);
	if (kind != JSON_END)
		return LOG_BAD;
	return r.lost ? LOG_LOST : r.rank < NO_RANK || out->text.count > 0 ? LOG_TEXT : LOG_NOT;
}

enum log_record_kind
log_record_read(struct log_record *out, struct stk_text json)
{
	enum log_record_kind kind;

	*out->time = '\0';
	out->is_error = false;
	kind = read_once(out, json);
	for (int nested = 0; kind == LOG_TEXT && nested < NESTED_MAX; nested++) {
		struct log_record inner = { .text = { 0 } };
		struct stk_text text = trimmed(text_in(&out->text, 0));

		if (text.size < 2 || text.data[0] != '{' || text.data[text.size - 1] != '}' ||
		    read_once(&inner, text) != LOG_TEXT) {
			array_release(&inner.text);
			break;
		}
		out->text.count = 0;
		add_text(&out->text, text_in(&inner.text, 0));
		if (out->text.count == 0 || out->text.at[out->text.count - 1] != '\n')
			add_char(&out->text, '\n');	/* an empty line is one, too */
		array_release(&inner.text);
	}
	return kind;
}

/* --- times --- */

#define SECONDS_SIZE 19	/* "2026-01-02T03:04:05" */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int
log_times_compare(const char *a, const char *b)
{
	int order;

	if (strlen(a) < SECONDS_SIZE || strlen(b) < SECONDS_SIZE || !is_digit(*a) || !is_digit(*b))
		return 0;
	order = memcmp(a, b, SECONDS_SIZE);
	a += SECONDS_SIZE;
	b += SECONDS_SIZE;
	a += *a == '.';
	b += *b == '.';
	while (order == 0 && (is_digit(*a) || is_digit(*b))) {
		order = (is_digit(*a) ? *a : '0') - (is_digit(*b) ? *b : '0');
		a += is_digit(*a);
		b += is_digit(*b);
	}
	return order;
}
