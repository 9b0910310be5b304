/* SPDX-License-Identifier: MIT
 * log_answer: a walk through the lists that such answers have. A record is an object of a list with a text, or a pair
 * of a time and a text. */
#include "ingest/log_answer.h"

#include "base/json_reader.h"
#include "ingest/text_lines.h"

#define DEEPEST 8u	/* lists and objects above a record */

/* What records are in. */
static const char *const lists[] = { "events", "data", "result", "results", "values", "streams", "entries", "hits",
				     "_source", "fields" };
/* What their texts are called. */
static const char *const texts[] = { "message", "line", "log", "_raw", "@message", "textPayload", "msg" };
static const char *const times[] = { "timestamp", "@timestamp", "ts", "time", "_time" };

struct answer {
	struct json_reader json;
	struct stk_text left;
	struct log_record record;
	log_answer_take *take;
	void *context;
	bool enough;
};

static bool
is_one_of(struct stk_text word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (text_is(word, words[i]))
			return true;
	return false;
}

#define IS_ONE_OF(word, words) is_one_of(word, words, sizeof(words) / sizeof *(words))

static void
note_time(struct answer *a)
{
	size_t size = a->json.text.size < LOG_TIME_MAX ? a->json.text.size : 0;

	memcpy(a->record.time, a->json.text.data, size);
	a->record.time[size] = '\0';
}

static void
note_text(struct answer *a)
{
	a->record.text.count = 0;
	add_text(&a->record.text, a->json.text);
	a->record.any = true;
}

static void
begin_record(struct answer *a)
{
	a->record.any = false;
	*a->record.time = '\0';
}

static void
end_record(struct answer *a)
{
	if (a->record.any && !a->enough)
		a->enough = !a->take(a->context, &a->record);
	a->record.any = false;
}

/* [time, text], and perhaps more. */
static void
read_pair(struct answer *a)
{
	enum json_kind kind;

	begin_record(a);
	for (unsigned place = 0; (kind = json_next(&a->json)) > JSON_BAD && kind != JSON_ARRAY_END; place++) {
		if (kind == JSON_STRING && place == 0)
			note_time(a);
		else if (kind == JSON_STRING && place == 1)
			note_text(a);
		json_pass(&a->json, kind);
	}
	end_record(a);
}

static void read_object(struct answer *a);
static void read_list(struct answer *a, bool has_pairs);

/* The value of a key of an object. */
static void
read_value(struct answer *a)
{
	bool is_text = IS_ONE_OF(a->json.text, texts), is_time = IS_ONE_OF(a->json.text, times);
	bool is_list = IS_ONE_OF(a->json.text, lists), has_pairs = text_is(a->json.text, "values");
	enum json_kind kind = json_next(&a->json);

	if (kind == JSON_STRING && is_text && !a->record.any)
		note_text(a);
	else if ((kind == JSON_STRING || kind == JSON_NUMBER) && is_time && *a->record.time == '\0')
		note_time(a);
	else if (kind == JSON_OBJECT && is_list && a->json.depth < DEEPEST)
		read_object(a);
	else if (kind == JSON_ARRAY && is_list && a->json.depth < DEEPEST)
		read_list(a, has_pairs);
	else
		json_pass(&a->json, kind);
}

static void
read_object(struct answer *a)
{
	while (!a->enough && json_next(&a->json) == JSON_KEY)
		read_value(a);
}

static void
read_list(struct answer *a, bool has_pairs)
{
	enum json_kind kind;

	while (!a->enough && (kind = json_next(&a->json)) > JSON_BAD && kind != JSON_ARRAY_END) {
		begin_record(a);
		if (kind == JSON_OBJECT) {
			read_object(a);
		} else if (kind == JSON_ARRAY && has_pairs) {
			read_pair(a);
		} else if (kind == JSON_STRING && a->json.depth == 1) {
			note_text(a);
		} else {
			json_pass(&a->json, kind);
		}
		end_record(a);
	}
}

bool
log_answer_read(struct stk_text answer, log_answer_take *take, void *context)
{
	struct answer a = { .left = answer, .take = take, .context = context };
	enum json_kind kind;
	bool whole;

	json_open_text(&a.json, &a.left);
	kind = json_next(&a.json);
	if (kind == JSON_OBJECT)
		read_object(&a);
	else if (kind == JSON_ARRAY)
		read_list(&a, false);
	a.record.any = false;
	whole = a.enough || json_next(&a.json) == JSON_END;
	json_close(&a.json);
	array_release(&a.record.text);
	return whole;
}

static bool
find_one(void *context, const struct log_record *record)
{
	(void)record;
	*(bool *)context = true;
	return false;
}

bool
log_answer_is(struct stk_text beginning)
{
	bool found = false;

	if (beginning.size > 1 && (*beginning.data == '{' || *beginning.data == '['))
		(void)log_answer_read(beginning, find_one, &found);
	return found;
}
