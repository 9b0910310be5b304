/* SPDX-License-Identifier: MIT
 * unwrap: cuts what goes in into records (a line, a JSON object, an entry of journald), and hands their text on. */
#include "ingest/unwrap.h"

#include "base/memory.h"
#include "base/text_table.h"
#include "ingest/log_answer.h"
#include "ingest/log_fields.h"
#include "ingest/text_lines.h"
#include "ingest/unwrap_html.h"

#include <stdlib.h>

#define RECORD_MAX  (64u << 20)		/* a longer line passes as it is, a longer object is lost */
#define SORTED_MAX  (256u << 20)	/* of text, of a log that has the newest record first, and of an answer */
#define PIECES_ASKED 64			/* of a docker log, in which no line ends */
#define LINES_ASKED 200			/* of a beginning */

#define PREFIX_MAX 200			/* bytes before an object of JSON */

#define STREAMS 2			/* standard output and error */

#define JSON_LINES_ASKED 50		/* of lines that begin like an object, for one of a log */

struct pod { struct text_buffer text; };	/* held until the end, so that dumps of pods do not mix */

struct kept_record { size_t from, size; bool is_error; };

struct unwrapper {
	enum wrapping wrapping;
	struct text_buffer in;		/* a record that is not complete */
	size_t seen;			/* bytes of it that were looked at, for its end */
	struct text_buffer out;
	bool taken;			/* dropped at the next add */
	uint64_t lost;

	struct log_record record;
	enum { ENDS_UNKNOWN, ENDS_WRITTEN, ENDS_MEANT } ends;	/* docker: where lines end in the text, what does not
								 * end goes on in the next record */
	struct text_buffer begun[STREAMS];	/* of lines that came in pieces */

	/* pods: the lines of the first come out at once */
	struct text_table pod_names;
	ARRAY(struct pod) pods;
	size_t pods_bytes;

	/* JSON arrays */
	unsigned depth;
	bool in_string, escaped, stray;

	struct log_table table;
	struct text_buffer half;	/* unescaped once */

	/* the newest first */
	enum { ORDER_UNKNOWN, ORDER_OLDEST, ORDER_NEWEST } order;
	char last_time[LOG_TIME_MAX];
	struct text_buffer kept;
	ARRAY(struct kept_record) records;
};

/* --- lines --- */

/* The line of a container, or the text in it when its program writes its log as JSON. */
static struct stk_text
within_line(struct unwrapper *u, struct stk_text line)
{
	if (line.size > 2 && *line.data == '{' && log_record_read(&u->record, line) == LOG_TEXT)
		return text_in(&u->record.text, 0);
	return line;
}

/* A whole text of a record: as lines. */
static void
put(struct unwrapper *u, struct stk_text text)
{
	if (u->wrapping == WRAP_CRI)
		text = within_line(u, text);
	add_text(&u->out, text);
	if (text.size == 0 || text.data[text.size - 1] != '\n')
		add_char(&u->out, '\n');
}

/* A part of a line: the rest comes with a later record of this stream. */
static void
put_piece(struct unwrapper *u, unsigned stream, struct stk_text text, bool ends)
{
	struct text_buffer *begun = &u->begun[stream];

	if (begun->count == 0 && ends) {
		put(u, text);
		return;
	}
	add_text(begun, text);
	if (!ends && begun->count < RECORD_MAX)
		return;
	put(u, text_in(begun, 0));
	begun->count = 0;
}

static void
end_pieces(struct unwrapper *u)
{
	for (unsigned s = 0; s < STREAMS; s++)
		if (u->begun[s].count > 0)
			put_piece(u, s, text_of("", 0), true);
}

/* --- the newest first --- */

static struct stk_text
kept_text(const struct unwrapper *u, const struct kept_record *record)
{
	return text_of(text_in(&u->kept, 0).data + record->from, record->size);
}

static void
put_kept(struct unwrapper *u)
{
	size_t count = u->records.count;

	for (size_t i = 0; i < count; i++) {
		put(u, kept_text(u, &u->records.at[u->order == ORDER_NEWEST ? count - 1 - i : i]));
	}
	u->records.count = u->kept.count = 0;
}

/* Keeps a record until more are known. */
static void
keep(struct unwrapper *u, const struct log_record *record)
{
	struct kept_record *kept;

	if (u->kept.count + record->text.count > SORTED_MAX) {
		u->lost++;
		return;
	}
	kept = array_push(&u->records);
	kept->from = u->kept.count;
	kept->size = record->text.count;
	kept->is_error = record->is_error;
	add_text(&u->kept, text_in(&record->text, 0));
}

/* Until two times differ it is not known which record is to be first. */
static void
put_ordered(struct unwrapper *u, const struct log_record *record)
{
	int order = log_times_compare(u->last_time, record->time);

	memcpy(u->last_time, record->time, sizeof u->last_time);
	if (u->order == ORDER_UNKNOWN && order != 0) {
		u->order = order > 0 ? ORDER_NEWEST : ORDER_OLDEST;
		if (u->order == ORDER_OLDEST)
			put_kept(u);
	}
	if (u->order == ORDER_OLDEST)
		put(u, text_in(&record->text, 0));
	else
		keep(u, record);
}

/* --- JSON --- */

static bool
ends_line(struct stk_text text)
{
	return text.size > 0 && text.data[text.size - 1] == '\n';
}

static void
put_docker(struct unwrapper *u, bool is_error, struct stk_text text)
{
	put_piece(u, is_error, text, ends_line(text) || u->ends == ENDS_MEANT);
}

/* What was kept while it was not known how lines end. */
static void
decide_ends(struct unwrapper *u, bool written)
{
	u->ends = written ? ENDS_WRITTEN : ENDS_MEANT;
	for (size_t i = 0; i < u->records.count; i++) {
		const struct kept_record *kept = &u->records.at[i];

		put_docker(u, kept->is_error, kept_text(u, kept));
	}
	u->records.count = u->kept.count = 0;
}

/* docker ends lines with a newline, but not a piece of one; fluentd takes the newlines off. */
static void
take_docker(struct unwrapper *u, const struct log_record *record)
{
	struct stk_text text = text_in(&record->text, 0);

	if (u->ends == ENDS_UNKNOWN && (ends_line(text) || u->records.count >= PIECES_ASKED))
		decide_ends(u, ends_line(text));
	if (u->ends == ENDS_UNKNOWN)
		keep(u, record);
	else
		put_docker(u, record->is_error, text);
}

static void
take_record(struct unwrapper *u, const struct log_record *record)
{
	if (record->is_piece)
		take_docker(u, record);
	else if (record->may_be_reversed || u->wrapping == WRAP_JSON_ARRAY)
		put_ordered(u, record);
	else
		put(u, text_in(&record->text, 0));
}

/* A line, or an object of an array. What is not of a log passes as it is. */
static void
take_json(struct unwrapper *u, struct stk_text text)
{
	enum log_record_kind kind;
	struct stk_text json = unindented(text);

	if (json.size == 0 || *json.data != '{') {
		put(u, text);
		return;
	}
	kind = log_record_read(&u->record, json);
	u->lost += kind == LOG_LOST || (kind == LOG_BAD && u->record.any);
	if (kind == LOG_TEXT)
		take_record(u, &u->record);
	else if (kind != LOG_LOST)
		put(u, text);
}

/* Moves over a byte of an array. True at the end of an object that is directly in it. */
static bool
pass_byte(struct unwrapper *u, char c)
{
	if (u->in_string) {
		u->in_string = u->escaped || c != '"';
		u->escaped = !u->escaped && c == '\\';
		return false;
	}
	u->in_string = c == '"';
	u->depth += c == '{';
	if (c != '}' || u->depth == 0)
		return false;
	return --u->depth == 0;
}

/* The brackets and commas between objects are dropped; other text there is lost. */
static void
take_array(struct unwrapper *u, bool at_end)
{
	size_t from = 0;

	for (size_t i = u->seen; i < u->in.count; i++) {
		if (u->depth == 0 && u->in.at[i] != '{') {
			u->lost += !u->stray && strchr("[], \t\r\n", u->in.at[i]) == NULL;
			u->stray = strchr("[], \t\r\n", u->in.at[i]) == NULL;
			from = i + 1;
			continue;
		}
		if (pass_byte(u, u->in.at[i])) {
			take_json(u, text_of(u->in.at + from, i + 1 - from));
			from = i + 1;
		}
	}
	u->lost += (at_end && u->depth > 0) || u->in.count - from > RECORD_MAX;
	if (at_end || u->in.count - from > RECORD_MAX) {
		from = u->in.count;
		u->depth = u->in_string = u->escaped = 0;
	}
	u->in.count -= from;
	memmove(u->in.at, u->in.at + from, u->in.count);
	u->seen = u->in.count;
}

/* --- CRI: "2026-01-02T03:04:05.123456789Z stdout F text" --- */

struct cri_line { struct stk_text text; bool is_error, ends; };

static bool
cri_read(struct cri_line *out, struct stk_text line)
{
	const char *end = line.data + line.size;
	const char *blank = line.size > 20 ? memchr(line.data, ' ', 40 < line.size ? 40 : line.size) : NULL;
	struct stk_text rest = blank != NULL ? between(blank, end) : text_of("", 0);

	if (rest.size < 10 || line.data[4] != '-' || line.data[10] != 'T' || line.data[13] != ':')
		return false;
	out->is_error = memcmp(rest.data, " stderr ", 8) == 0;
	if (!out->is_error && memcmp(rest.data, " stdout ", 8) != 0)
		return false;
	rest = between(rest.data + 8, end);
	if (*rest.data != 'F' && *rest.data != 'P')
		return false;
	out->ends = *rest.data == 'F';
	blank = memchr(rest.data, ' ', rest.size);
	if (rest.data[1] != ' ' && rest.data[1] != ':')
		return false;
	out->text = blank != NULL ? between(blank + 1, end) : text_of("", 0);
	return true;
}

static void
take_cri(struct unwrapper *u, struct stk_text line)
{
	struct cri_line read;

	if (cri_read(&read, line))
		put_piece(u, read.is_error, read.text, read.ends);
	else
		put(u, line);
}

/* --- kubectl logs --prefix: "[pod/shop-7d9f/app] text" --- */

/* The prefix, without the blank after it; empty without one. */
static struct stk_text
pod_of(struct stk_text line)
{
	const char *close = text_starts(line, "[pod/") ? memchr(line.data, ']', line.size) : NULL;
	struct stk_text prefix = close != NULL ? between(line.data, close + 1) : text_of("", 0);

	if (close == NULL || memchr(prefix.data, ' ', prefix.size) != NULL ||
	    memchr(prefix.data + 5, '/', prefix.size - 5) == NULL)
		return text_of("", 0);
	return prefix;
}

static void
hold_pod(struct unwrapper *u, uint32_t number, struct stk_text text)
{
	while (u->pods.count < number)
		*array_push(&u->pods) = (struct pod){ { 0 } };
	u->pods_bytes += text.size + 1;
	if (u->pods_bytes > SORTED_MAX) {
		u->lost++;
		return;
	}
	add_text(&u->pods.at[number - 1].text, text);
	add_char(&u->pods.at[number - 1].text, '\n');
}

/* The text of a pod's line: that of the first pod at once, of another when all are known. */
static void
put_of_pod(struct unwrapper *u, struct stk_text pod, struct stk_text text)
{
	uint32_t number = text_table_number(&u->pod_names, pod);

	if (number == 1)
		put(u, text);
	else
		hold_pod(u, number, text);
}

static void
take_pod(struct unwrapper *u, struct stk_text line)
{
	struct stk_text pod = pod_of(line), text;

	if (pod.size == 0) {
		put(u, line);
		return;
	}
	text = between(pod.data + pod.size, line.data + line.size);
	if (text.size > 0 && *text.data == ' ')
		text = text_of(text.data + 1, text.size - 1);
	put_of_pod(u, pod, within_line(u, text));
}

static void
end_pods(struct unwrapper *u)
{
	for (size_t p = 0; p < u->pods.count; p++) {
		add_text(&u->out, text_in(&u->pods.at[p].text, 0));
		array_release(&u->pods.at[p].text);
	}
	u->pods.count = 0;
}

/* --- JSON after a prefix: "web-1  | {"message":"text"}" --- */

/* The object that the line ends with, after a blank; empty without one. */
static struct stk_text
json_of(struct stk_text line)
{
	struct stk_text start = text_of(line.data, line.size < PREFIX_MAX ? line.size : PREFIX_MAX);
	const char *at = text_find(start, " {\"");

	line = trimmed(line);
	if (at == NULL || line.size == 0 || line.data[line.size - 1] != '}')
		return text_of("", 0);
	return between(at + 1, line.data + line.size);
}

/* A prefix that ends with '|' names a service, whose dumps are kept apart; others have a time. */
static void
take_prefixed_json(struct unwrapper *u, struct stk_text line)
{
	struct stk_text json = json_of(line), prefix, text;
	enum log_record_kind kind = json.size > 0 ? log_record_read(&u->record, json) : LOG_NOT;

	u->lost += kind == LOG_LOST || (kind == LOG_BAD && u->record.any);
	if (kind != LOG_TEXT) {
		if (kind != LOG_LOST)
			put(u, line);
		return;
	}
	text = text_in(&u->record.text, 0);
	prefix = trimmed(between(line.data, json.data));
	if (text_ends(prefix, "|"))
		put_of_pod(u, prefix, ends_line(text) ? text_of(text.data, text.size - 1) : text);
	else
		put(u, text);
}

/* --- the answer of a server: one value --- */

static bool
put_answered(void *context, const struct log_record *record)
{
	struct unwrapper *u = context;
	struct stk_text text = text_in(&record->text, 0);

	if (text.size < 3 || *text.data != '{' || log_record_read(&u->record, text) != LOG_TEXT) {
		u->record.text.count = 0;
		add_text(&u->record.text, text);
	}
	memcpy(u->record.time, record->time, sizeof record->time);
	put_ordered(u, &u->record);
	return true;
}

static void
take_answer(struct unwrapper *u, bool at_end)
{
	if (!at_end && u->in.count <= SORTED_MAX)
		return;
	u->lost += !log_answer_read(text_in(&u->in, 0), put_answered, u) || !at_end;
	u->in.count = 0;
}

/* --- tables: a row may have many lines --- */

static void
take_row(struct unwrapper *u, struct stk_text row)
{
	if (u->table.columns == 0)
		(void)log_table_head(&u->table, row);
	else if (log_table_row(&u->table, &u->record, row))
		put_ordered(u, &u->record);
	else
		u->lost += trimmed(row).size > 0;
}

/* What is before `from` was taken; the rest waits for more, unless it is too long for a record. */
static void
keep_rest(struct unwrapper *u, size_t from)
{
	u->in.count -= from;
	memmove(u->in.at, u->in.at + from, u->in.count);
	u->seen = u->in.count;
	if (u->in.count > RECORD_MAX) {
		u->lost++;
		u->in.count = u->seen = 0;
	}
}

static void
take_rows(struct unwrapper *u, bool at_end)
{
	size_t from = 0;

	for (size_t i = u->seen; i < u->in.count; i++) {
		if (!log_table_ends_row(&u->table, u->in.at[i]))
			continue;
		take_row(u, text_of(u->in.at + from, i - from));
		from = i + 1;
	}
	if (at_end && u->in.count > from) {
		u->lost += u->table.at == ROW_QUOTED;
		take_row(u, text_of(u->in.at + from, u->in.count - from));
		from = u->in.count;
	}
	keep_rest(u, from);
}

/* --- lines of fields --- */

static void
take_logfmt(struct unwrapper *u, struct stk_text line)
{
	put(u, logfmt_text(&u->record.text, line) ? text_in(&u->record.text, 0) : line);
}

static void
take_aws_text(struct unwrapper *u, struct stk_text line)
{
	struct stk_text text;

	put(u, aws_text(&text, line) ? text : line);
}

/* A line without a time belongs to the record before it, which may be kept. */
static void
take_logcli(struct unwrapper *u, struct stk_text line)
{
	if (logcli_read(&u->record, line)) {
		put_ordered(u, &u->record);
	} else if (u->records.count > 0) {
		u->records.at[u->records.count - 1].size += 1 + line.size;
		add_char(&u->kept, '\n');
		add_text(&u->kept, line);
	} else {
		put(u, line);
	}
}

/* --- HTML --- */

static void
take_html(struct unwrapper *u, struct stk_text line)
{
	if (u->wrapping == WRAP_HTML_TWICE) {
		u->half.count = 0;
		html_unwrap_line(&u->half, line);
		line = text_in(&u->half, 0);
	}
	html_unwrap_line(&u->out, line);
	add_char(&u->out, '\n');
}

/* --- rsyslog: "#011at a.B.c(B.java:1)#012" --- */

static void
take_syslog(struct unwrapper *u, struct stk_text line)
{
	const char *at = line.data, *end = line.data + line.size, *mark;

	while (at < end && (mark = memmem(at, (size_t)(end - at), "#01", 3)) != NULL) {
		char c = end - mark < 4 ? 0 : mark[3] == '1' ? '\t' : mark[3] == '2' ? '\n' : 0;

		add_bytes(&u->out, at, (size_t)(mark - at) + (c == 0 ? 3 : 0));
		if (c != 0)
			add_char(&u->out, c);
		at = mark + (c == 0 ? 3 : 4);
	}
	put(u, between(at, end));
}

/* --- journald: "FIELD=text\n", or "FIELD\n", 8 bytes of size, bytes, "\n"; an empty line ends an entry --- */

enum field_got { FIELD_TEXT, FIELD_CUT, FIELD_BAD };

/* Reads the field at the beginning of `in`; *size is what it takes. */
static enum field_got
read_field(struct stk_text in, struct stk_text *name, struct stk_text *text, size_t *size)
{
	const char *end = in.data + in.size, *newline = memchr(in.data, '\n', in.size), *equals;
	uint64_t bytes;

	if (newline == NULL)
		return in.size > RECORD_MAX ? FIELD_BAD : FIELD_CUT;
	equals = memchr(in.data, '=', (size_t)(newline - in.data));
	*name = between(in.data, equals != NULL ? equals : newline);
	*size = (size_t)(newline + 1 - in.data);
	*text = equals != NULL ? between(equals + 1, newline) : text_of("", 0);
	if (equals != NULL || name->size == 0)
		return FIELD_TEXT;
	if (end - newline < 9)
		return FIELD_CUT;
	bytes = load64(newline + 1);
	if (bytes > RECORD_MAX)
		return FIELD_BAD;
	if ((uint64_t)(end - newline) < 9 + bytes + 1)
		return FIELD_CUT;
	*text = text_of(newline + 9, (size_t)bytes);
	*size += 8 + (size_t)bytes + 1;
	return newline[9 + bytes] == '\n' ? FIELD_TEXT : FIELD_BAD;
}

static void
take_journal(struct unwrapper *u, bool at_end)
{
	size_t from = 0;

	while (from < u->in.count) {
		struct stk_text name, text, in = text_in(&u->in, from);
		size_t size = in.size;
		enum field_got got = read_field(in, &name, &text, &size);

		if (got == FIELD_CUT && !at_end)
			break;
		u->lost += got != FIELD_TEXT;
		if (got == FIELD_TEXT && text_is(name, "MESSAGE"))
			put(u, text);
		from += got == FIELD_CUT ? in.size : size;
	}
	u->in.count -= from;
	memmove(u->in.at, u->in.at + from, u->in.count);
}

/* --- recognition --- */

static bool
is_json_log(struct stk_text text)
{
	struct log_record record = { .text = { 0 } };
	const char *end = text.data + text.size;
	bool found = false;
	unsigned lines = 0;

	for (struct stk_text line = line_at(text.data, end); !found && lines < LINES_ASKED;
	     line = line_after(line, end), lines++) {
		struct stk_text json = unindented(line);

		if (json.size > 2 && json.data[0] == '{' && (json.data[1] == '"' || json.data[1] == ' ')) {
			found = log_record_read(&record, json) != LOG_NOT && record.any;
			break;
		}
		if (line.data + line.size >= end)
			break;
	}
	array_release(&record.text);
	return found;
}

/* '[' and an object with a log's keys: what is complete of it, or its beginning. */
static bool
is_json_array(struct stk_text text)
{
	struct log_record record = { .text = { 0 } };
	struct unwrapper u = { .wrapping = WRAP_JSON_ARRAY };
	const char *open = text.size > 1 && *text.data == '[' ? memchr(text.data, '{', text.size) : NULL;
	const char *end = text.data + text.size, *at = open;
	bool found = false;

	if (open != NULL && trimmed(between(text.data + 1, open)).size == 0) {
		while (at < end && !pass_byte(&u, *at))
			at++;
		found = log_record_read(&record, between(open, at < end ? at + 1 : end)) != LOG_NOT && record.any;
	}
	array_release(&record.text);
	return found;
}

static bool
is_journal(struct stk_text text)
{
	return text.size > 9 && memcmp(text.data, "__CURSOR=", 9) == 0;
}

const char *
unwrap_find(struct stk_text text)
{
	struct log_record record = { .text = { 0 } };
	const char *end = text.data + text.size, *found = NULL;
	unsigned asked = 0;

	for (const char *at = text.data; found == NULL && asked < JSON_LINES_ASKED && at < end &&
	     (at = memchr(at, '{', (size_t)(end - at))) != NULL; at++) {
		struct stk_text line = line_at(at, end);

		if ((at > text.data && at[-1] != '\n') || line.size < 3 || (at[1] != '"' && at[1] != ' '))
			continue;
		asked++;
		if (log_record_read(&record, line) == LOG_TEXT && record.any)
			found = at;
	}
	array_release(&record.text);
	return found;
}

#define FIRST_ASKED 20	/* lines, of which half are to be such records */

static bool
has_prefixed_json(struct log_record *record, struct stk_text line)
{
	struct stk_text json = json_of(line);

	return json.size > 0 && log_record_read(record, json) == LOG_TEXT && record->any;
}

static bool
has_logfmt(struct log_record *record, struct stk_text line)
{
	return logfmt_text(&record->text, line);
}

static bool
half_have(struct stk_text text, bool (*has)(struct log_record *record, struct stk_text line))
{
	struct log_record record = { .text = { 0 } };
	const char *end = text.data + text.size;
	unsigned lines = 0, records = 0;

	for (struct stk_text line = line_at(text.data, end); line.data < end && lines < FIRST_ASKED;
	     line = line_after(line, end)) {
		lines += line.size > 0;
		records += has(&record, line);
	}
	array_release(&record.text);
	return records > 0 && 2 * records >= lines;
}

static bool
is_aws_text(struct stk_text text)
{
	struct stk_text unused;

	return text_starts(text, "EVENTS\t") && aws_text(&unused, line_at(text.data, text.data + text.size));
}

#define LINE_ENDS_MIN 3

static bool
is_syslog(struct stk_text text)
{
	static const char *const words[] = { "#011at ", "#012#011", "#011- ", "#0110x" };
	const char *end = text.data + text.size;
	unsigned ends = 0;

	if (find_any(text, '#', words, sizeof words / sizeof *words) || text_find(text, "]: #011") != NULL)
		return true;
	/* many lines in one */
	for (const char *at = text.data; ends < LINE_ENDS_MIN && at < end; at++, ends++) {
		const char *last = at;

		at = memmem(at, (size_t)(end - at), "#012", 4);
		if (at == NULL)
			return false;
		if (memchr(last, '\n', (size_t)(at - last)) != NULL)
			ends = 0;
	}
	return ends == LINE_ENDS_MIN;
}

enum wrapping
unwrap_kind(struct stk_text text)
{
	struct cri_line unused;

	while (text.size > 0 && (unsigned char)*text.data <= ' ')
		text = text_of(text.data + 1, text.size - 1);
	if (text.size == 0)
		return WRAP_NONE;
	if (is_journal(text))
		return WRAP_JOURNAL;
	if (pod_of(line_at(text.data, text.data + text.size)).size > 0)
		return WRAP_PODS;
	if (cri_read(&unused, line_at(text.data, text.data + text.size)))
		return WRAP_CRI;
	if (is_json_array(text))
		return WRAP_JSON_ARRAY;
	if (is_json_log(text))
		return WRAP_JSON_LINES;
	if (log_answer_is(text))
		return WRAP_ANSWER;
	if (half_have(text, has_prefixed_json))
		return WRAP_PREFIXED_JSON;
	if (half_have(text, has_logfmt))
		return WRAP_LOGFMT;
	if (half_have(text, logcli_read))
		return WRAP_LOGCLI;
	if (is_aws_text(text))
		return WRAP_AWS_TEXT;
	if (log_table_is(text))
		return WRAP_TABLE;
	if (html_recognise(text))
		return html_recognise_twice(text) ? WRAP_HTML_TWICE : WRAP_HTML;
	if (html_recognise_twice(text))
		return WRAP_HTML_TWICE;
	return is_syslog(text) ? WRAP_SYSLOG : WRAP_NONE;
}

/* --- the interface --- */

void
unwrap_open(struct unwrapper **out, enum wrapping wrapping)
{
	*out = mem_new(1, sizeof **out);
	(*out)->wrapping = wrapping;
}

void
unwrap_close(struct unwrapper *u)
{
	if (u == NULL)
		return;
	array_release(&u->in);
	array_release(&u->record.text);
	for (unsigned s = 0; s < STREAMS; s++)
		array_release(&u->begun[s]);
	array_release(&u->half);
	array_release(&u->kept);
	array_release(&u->records);
	end_pods(u);
	array_release(&u->pods);
	text_table_release(&u->pod_names);
	array_release(&u->out);
	free(u);
}

static void
take_line(struct unwrapper *u, struct stk_text line)
{
	switch (u->wrapping) {
	case WRAP_JSON_LINES: take_json(u, line); break;
	case WRAP_CRI:        take_cri(u, line); break;
	case WRAP_SYSLOG:     take_syslog(u, line); break;
	case WRAP_PODS:       take_pod(u, line); break;
	case WRAP_PREFIXED_JSON: take_prefixed_json(u, line); break;
	case WRAP_LOGFMT:     take_logfmt(u, line); break;
	case WRAP_LOGCLI:     take_logcli(u, line); break;
	case WRAP_AWS_TEXT:   take_aws_text(u, line); break;
	default:              take_html(u, line);
	}
}

/* The lines that are complete. */
static void
take_lines(struct unwrapper *u)
{
	size_t from = 0;
	const char *newline;

	while (u->seen < u->in.count &&
	       (newline = memchr(u->in.at + u->seen, '\n', u->in.count - u->seen)) != NULL) {
		take_line(u, between(u->in.at + from, newline));
		from = u->seen = (size_t)(newline + 1 - u->in.at);
	}
	keep_rest(u, from);
}

/* What is complete of what came in; at the end all of it. */
static void
take_in(struct unwrapper *u, bool at_end)
{
	switch (u->wrapping) {
	case WRAP_JSON_ARRAY: take_array(u, at_end); break;
	case WRAP_JOURNAL:    take_journal(u, at_end); break;
	case WRAP_ANSWER:     take_answer(u, at_end); break;
	case WRAP_TABLE:      take_rows(u, at_end); break;
	default:
		if (at_end)
			take_line(u, text_in(&u->in, 0));
		else
			take_lines(u);
	}
}

void
unwrap_add(struct unwrapper *u, struct stk_text bytes)
{
	if (u->taken)
		u->out.count = 0;
	u->taken = false;
	if (bytes.size == 0)
		return;
	add_text(&u->in, bytes);
	take_in(u, false);
}

void
unwrap_end(struct unwrapper *u)
{
	unwrap_add(u, text_of("", 0));
	if (u->in.count > 0)
		take_in(u, true);
	u->in.count = u->seen = 0;
	if (u->records.count > 0 && u->ends == ENDS_UNKNOWN && u->record.is_piece)
		decide_ends(u, false);
	end_pieces(u);
	put_kept(u);
	end_pods(u);
}

struct stk_text
unwrap_take(struct unwrapper *u)
{
	u->taken = true;
	return text_in(&u->out, 0);
}

uint64_t
unwrap_lost(const struct unwrapper *u)
{
	return u->lost;
}

void
unwrap_add_texts(struct text_buffer *to, struct stk_text text)
{
	const char *end = text.data + text.size;
	struct unwrapper *u;

	unwrap_open(&u, WRAP_JSON_LINES);
	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end))
		if (line.size > 2 && *line.data == '{')
			take_line(u, line);
	unwrap_end(u);
	add_text(to, unwrap_take(u));
	unwrap_close(u);
}
