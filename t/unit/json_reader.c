/* SPDX-License-Identifier: MIT
 * json_reader: what is JSON is read, in pieces of any size; what is not is refused at its place; numbers are exact. */
#include "../lib/tap.h"

#include "base/json_reader.h"

#include <errno.h>

struct pieces { const char *at; size_t left, piece; };

static size_t
give(void *context, void *to, size_t size)
{
	struct pieces *from = context;

	size = size < from->piece ? size : from->piece;
	size = size < from->left ? size : from->left;
	if (size > 0)
		memcpy(to, from->at, size);
	from->at += size;
	from->left -= size;
	return size;
}

/* What the reader gave, as a text: { } [ ] k:KEY s:TEXT n:NUMBER t f - with blanks between; "!OFFSET" when it is bad,
 * with ~ when it is cut. */
static void
walk(struct text_buffer *to, struct stk_text text, size_t piece)
{
	static const char *const words[] = { NULL, NULL, "k:", "{", "}", "[", "]", "s:", "n:", "t", "f", "-" };
	struct pieces from = { text.data, text.size, piece };
	struct json_reader json;
	enum json_kind kind;
	int64_t offset;

	json_open(&json, give, &from);
	to->count = 0;
	while ((kind = json_next(&json)) > JSON_BAD) {
		add_string(to, to->count > 0 ? " " : "");
		add_string(to, words[kind]);
		if (kind == JSON_KEY || kind == JSON_STRING || kind == JSON_NUMBER)
			add_text(to, json.text);
	}
	if (kind == JSON_BAD) {
		(void)json_wrong(&json, &offset);
		to->count = 0;
		add_format(to, "!%lld%s", (long long)offset, json_is_cut(&json) ? "~" : "");
	}
	add_char(to, '\0');
	json_close(&json);
}

static void
reads(const char *text, size_t size, const char *wanted)
{
	struct text_buffer got = { 0 };

	for (size_t piece = 1; piece < 20; piece += piece < 9 ? 1 : 5) {
		walk(&got, text_of(text, size), piece);
		if (strcmp(got.at, wanted) != 0)
			break;
	}
	is_text(got.at, wanted, "%.60s", text);
	array_release(&got);
}

#define READS(text, wanted) reads(text, sizeof text - 1, wanted)

static void
test_good(void)
{
	READS("{}", "{ }");
	READS(" [ ] ", "[ ]");
	READS("\xef\xbb\xbf[]", "[ ]");
	READS("{\"a\":1,\"b\":[true,false,null],\"\":{\"c\":\"d\"}}", "{ k:a n:1 k:b [ t f - ] k: { k:c s:d } }");
	READS("\t{\r\n\"a\" :\n1 , \"a\":2 }\n", "{ k:a n:1 k:a n:2 }");
	READS("\"lonely\"", "s:lonely");
	READS("-0", "n:-0");
	READS("0", "n:0");
	READS("[0,-0,10,1.5,-2e10,3E-2,4.0e+1,123456789012345678901234567890]",
	      "[ n:0 n:-0 n:10 n:1.5 n:-2e10 n:3E-2 n:4.0e+1 n:123456789012345678901234567890 ]");
	READS("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[ s:\"\\/\b\f\n\r\t ]");
	READS("[\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"]", "[ s:A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 ]");
	READS("[\"\\ud83d\",\"\\ude00x\",\"\\ud83d\\u0041\",\"\\ud83dx\"]",
	      "[ s:\xef\xbf\xbd s:\xef\xbf\xbdx s:\xef\xbf\xbd" "A s:\xef\xbf\xbdx ]");
	READS("[\"\x7f\xff\xc3\xa9 a longer text without any escape, of more than 8 bytes\"]",
	      "[ s:\x7f\xff\xc3\xa9 a longer text without any escape, of more than 8 bytes ]");
	READS("{\"a long key with an \\u0065scape in it\":[[[[]]]]}", "{ k:a long key with an escape in it [ [ [ [ ] ] ] ] }");
}

static void
test_bad(void)
{
	READS("", "!0~");
	READS(" ", "!1~");
	READS("[", "!1~");
	READS("[1,]", "!3");
	READS("[,1]", "!1");
	READS("[1 2]", "!3");
	READS("[1,,2]", "!3");
	READS("]", "!0");
	READS("[}", "!1");
	READS("{]", "!1");
	READS("{\"a\"}", "!4");
	READS("{\"a\":}", "!5");
	READS("{\"a\":1,}", "!7");
	READS("{a:1}", "!1");
	READS("{1:1}", "!1");
	READS("{\"a\" 1}", "!5");
	READS("{\"a\":1 \"b\":2}", "!7");
	READS("{\"a\":1]", "!6");
	READS("[1}", "!2");
	READS("[] []", "!3");
	READS("{}x", "!2");
	READS("1 2", "!2");
	READS("[01]", "!2");
	READS("[-01]", "!3");
	READS("[-]", "!2");
	READS("[+1]", "!1");
	READS("[.5]", "!1");
	READS("[1.]", "!3");
	READS("[1e]", "!3");
	READS("[1e+]", "!4");
	READS("[1.5.2]", "!4");
	READS("[0x10]", "!2");
	READS("[NaN]", "!1");
	READS("[Infinity]", "!1");
	READS("[tru]", "!4");
	READS("[truth]", "!4");
	READS("[TRUE]", "!1");
	READS("[nul]", "!4");
	READS("['a']", "!1");
	READS("[\"\\x\"]", "!3");
	READS("[\"\\u12g4\"]", "!4");
	READS("[\"\\\0\"]", "!3");
	READS("[\"a\nb\"]", "!3");
	READS("[\"a\0b\"]", "!3");
	READS("[\0]", "!1");
	READS("[1]\0", "!3");
	READS("[\"a", "!3~");
	READS("[\"a\\", "!4~");
	READS("[\"a\\u00", "!7~");
	READS("// c\n[]", "!0");
	READS("[1/*c*/]", "!2");
}

static void
test_depth(void)
{
	struct text_buffer text = { 0 }, got = { 0 };
	char wanted[40];

	for (unsigned i = 0; i < JSON_DEPTH_MAX; i++)
		add_string(&text, i % 3 == 0 ? "[" : "{\"a\":");
	walk(&got, text_in(&text, 0), 4096);
	snprintf(wanted, sizeof wanted, "!%zu~", text.count);
	is_text(got.at, wanted, "as deep as the bound: more is wanted");
	snprintf(wanted, sizeof wanted, "!%zu", text.count);
	add_char(&text, '[');
	walk(&got, text_in(&text, 0), 4096);
	is_text(got.at, wanted, "deeper is refused");
	array_release(&text);
	array_release(&got);
}

/* Every prefix of a text is cut, and is not taken for something else. */
static void
test_prefixes(void)
{
	static const char text[] = "{\"a\\u00e9\\n\":[1.5e3,-20,true,null,{\"b\":\"x\\ud83d\\ude00\"},[]],\"c\":false}";
	struct text_buffer got = { 0 };
	size_t size = sizeof text - 1, wrong = 0;
	char wanted[40];

	for (size_t n = 0; n < size; n++) {
		walk(&got, text_of(text, n), 3);
		snprintf(wanted, sizeof wanted, "!%zu~", n);
		wrong += strcmp(got.at, wanted) != 0;
	}
	is_u64(wrong, 0, "all %zu prefixes are cut at their end", size);
	array_release(&got);
}

static void
test_skip(void)
{
	static const char text[] = "{\"a\":[1,{\"x\":[\"]\"]}],\"b\":\"\\\"}\",\"c\":{},\"d\":7,\"e\":[[1,2],[3]]}";
	struct pieces from = { text, sizeof text - 1, 5 };
	struct json_reader json;
	struct text_buffer keys = { 0 };
	enum json_kind kind;

	json_open(&json, give, &from);
	(void)json_next(&json);
	while ((kind = json_next(&json)) == JSON_KEY) {
		add_text(&keys, json.text);
		if (text_is(json.text, "d")) {
			(void)json_next(&json);
			add_text(&keys, json.text);
		} else if (text_is(json.text, "e")) {
			(void)json_next(&json);
			(void)json_next(&json);
			(void)json_next(&json);		/* in [[1 */
			ok(json_leave(&json, 3), "the inner array is left");
			is_u64(json_next(&json), JSON_ARRAY, "the next inner array follows");
			ok(json_leave(&json, 2), "two are left at once");
		} else {
			ok(json_skip(&json), "skipped");
		}
	}
	add_char(&keys, '\0');
	is_text(keys.at, "abcd7e", "keys after skipped values");
	is_u64(kind, JSON_OBJECT_END, "up to the end");
	is_u64(json_next(&json), JSON_END, "of the text");
	json_close(&json);
	array_release(&keys);
}

/* Objects in a list as the keys and ends that were in them, by json_next alone or by guesses first, right ones or not.
 * At the end, whether it is bad, and where. */
static void
take_objects(struct stk_text text, size_t piece, bool guesses, struct text_buffer *to)
{
	static const char *const names[] = { "a", "bc", "bd", "", "stackIndex" };
	struct pieces from = { text.data, text.size, piece };
	struct json_reader json;
	enum json_kind kind;
	int64_t offset = -1;

	to->count = 0;
	json_open(&json, give, &from);
	do {
		enum json_kind guess = JSON_OBJECT + (enum json_kind)(rand() % 4);
		bool key = rand() % 2 == 0;

		if (guesses && key && json_next_key_is(&json, text_from(names[(size_t)rand() % 5])))
			kind = JSON_KEY;
		else if (guesses && !key && json_next_is(&json, guess))
			kind = guess;
		else
			kind = json_next(&json);
		add_format(to, "%d.%u.%lld ", (int)kind, json.depth, (long long)json_place(&json));
		if (kind == JSON_KEY)
			add_text(to, json.text);
	} while (kind > JSON_BAD);
	if (kind == JSON_BAD)
		(void)json_wrong(&json, &offset);
	add_format(to, "%d %lld", json_is_cut(&json), (long long)offset);
	add_char(to, '\0');
	json_close(&json);
}

static void
test_guesses(void)
{
	static const char *const parts[] = { "{", "}", "[", "]", ",", ":", "\"a\":", "\"bc\":", "\"\":1", "\"bd\"", "1", "{\"a\":",
					     ",\"bc\":[", "]}", "},{", "\"stackIndex\":7", " ", "\"b\\u0063\":", "\"bc", "[]",
					     "{}", "[{\"a\":1,\"bc\":[2],\"bd\":{\"stackIndex\":3}}]" };
	struct text_buffer text = { 0 }, slow = { 0 }, fast = { 0 };
	unsigned different = 0;

	srand(12);
	for (unsigned n = 0; n < 20000; n++) {
		size_t piece = 1 + (size_t)rand() % 30;

		text.count = 0;
		add_string(&text, n % 2 == 0 ? "[" : "");
		for (int i = rand() % 8; i >= 0; i--)
			add_string(&text, parts[(size_t)rand() % (sizeof parts / sizeof *parts)]);
		take_objects(text_in(&text, 0), piece, false, &slow);
		take_objects(text_in(&text, 0), piece, true, &fast);
		if (strcmp(slow.at, fast.at) != 0) {
			printf("# %.*s: %s, with guesses %s\n", (int)text.count, text.at, slow.at, fast.at);
			different++;
		}
	}
	is_u64(different, 0, "20,000 texts are the same with guesses");
	array_release(&text);
	array_release(&slow);
	array_release(&fast);
}

/* The numbers and texts in an object that has begun; alike: is told of the numbers, NULL: none is. */
static void
take_object(struct json_reader *json, struct json_alike *alike, struct text_buffer *to)
{
	unsigned depth = json->depth;
	enum json_kind kind;
	int64_t value;

	if (alike != NULL)
		json_alike_begin(alike, json);
	while (json->depth >= depth) {
		bool fast = json_next_integer(json, 0, &value) || json_next_quoted_integer(json, &value);

		kind = fast ? JSON_NUMBER : json_next(json);
		if (kind <= JSON_BAD)
			break;
		if (fast && alike != NULL)
			json_alike_number(alike, json);
		if (fast)
			add_format(to, "%lld ", (long long)value);
		else if (alike != NULL && (kind == JSON_STRING || kind == JSON_NUMBER))
			json_alike_forget(alike);
		if (!fast && (kind == JSON_STRING || kind == JSON_NUMBER))
			add_text(to, json->text);
	}
	if (alike != NULL)
		json_alike_end(alike, json);
}

/* The same of a list of objects, with their places; at the end, whether it is bad, and where. How many were alike. */
static unsigned
take_list(struct stk_text text, size_t piece, struct json_alike *alike, struct text_buffer *to)
{
	struct pieces from = { text.data, text.size, piece };
	struct json_reader json;
	int64_t offset = -1, numbers[JSON_ALIKE_NUMBERS];
	enum json_kind kind;
	unsigned count = 0;

	to->count = 0;
	json_open(&json, give, &from);
	kind = json_next(&json);
	while (kind > JSON_BAD) {
		bool same = alike != NULL && json_next_alike(&json, alike, numbers);

		count += same;
		kind = same ? JSON_OBJECT : json_next(&json);
		for (unsigned i = 0; same && i < alike->numbers; i++)
			add_format(to, "%lld ", (long long)numbers[i]);
		if (kind == JSON_OBJECT && !same)
			take_object(&json, alike, to);
		if (json.wrong == NULL)
			add_format(to, "%u.%lld ", json.depth, (long long)json_place(&json));
	}
	if (kind == JSON_BAD)
		(void)json_wrong(&json, &offset);
	add_format(to, "%d %lld", json_is_cut(&json), (long long)offset);
	add_char(to, '\0');
	json_close(&json);
	return count;
}

/* An object with numbers, of one of three forms for the most part. */
static void
add_object(struct text_buffer *to)
{
	static const char *const forms[] = { "{\"a\":#,\"b\":[\"#\",\"#\"]}", "{\"a\":#}", "{\"a\":[#,#],\"c\":null}",
					     "{\"a\":\"x\",\"b\":#}", "{\"#\":#}", "{}", "{\"a\": #}", "{\"a\":[[#],{\"7\":8}]}",
					     "{\"a\":[#,#,#,#,#,#,#,#,#,#,#,#,#,#,#,#]}",
					     "{\"a\":[#,#,#,#,#,#,#,#,#,#,#,#,#,#,#,#,#]}" };
	static const char *const odd[] = { "01", "-", "1.5", "-0", "00", "1e3", "", "99999999999999999999", "4611686018427387904", "1 " };
	const char *form = forms[rand() % 3 == 0 ? (size_t)rand() % (sizeof forms / sizeof *forms) : 0];

	for (; *form != '\0'; form++)
		if (*form != '#')
			add_char(to, *form);
		else if (rand() % 40 == 0)
			add_string(to, odd[(size_t)rand() % (sizeof odd / sizeof *odd)]);
		else
			add_format(to, "%s%lld", rand() % 5 == 0 ? "-" : "", (long long)rand() * rand() >> rand() % 62);
}

static void
test_alike(void)
{
	struct text_buffer text = { 0 }, slow = { 0 }, fast = { 0 };
	unsigned different = 0, same = 0;

	srand(13);
	for (unsigned n = 0; n < 10000; n++) {
		struct json_alike alike = { .known = false };
		size_t piece = 1 + (size_t)rand() % 300;

		text.count = 0;
		add_char(&text, '[');
		for (int i = rand() % 12; i >= 0; i--) {
			add_object(&text);
			add_string(&text, i == 0 ? "]" : rand() % 9 == 0 ? " ," : ",");
		}
		if (rand() % 4 == 0)
			text.at[(size_t)rand() % text.count] = (char)(rand() % 256);
		(void)take_list(text_in(&text, 0), piece, NULL, &slow);
		same += take_list(text_in(&text, 0), piece, &alike, &fast);
		if (strcmp(slow.at, fast.at) != 0) {
			printf("# %.*s: %s, alike %s\n", (int)text.count, text.at, slow.at, fast.at);
			different++;
		}
	}
	is_u64(different, 0, "10,000 lists of objects are the same where those that are alike are compared");
	ok(same > 2000, "%u objects were alike", same);
	array_release(&text);
	array_release(&slow);
	array_release(&fast);
}

static void
scales(const char *number, int scale, int64_t wanted)
{
	int64_t got = -77;

	ok(json_integer(text_from(number), scale, &got), "%s is in range", number);
	is_i64(got, wanted, "%s * 10^%d", number, scale);
}

static void
test_numbers(void)
{
	int64_t unused;

	scales("0", 0, 0);
	scales("-0", 6, 0);
	scales("12", 3, 12000);
	scales("1772352000000.123456", 6, INT64_C(1772352000000123456));
	scales("-1.0000005", 6, -1000001);
	scales("1.0000004999", 6, 1000000);
	scales("0.5", 0, 1);
	scales("0.49", 0, 0);
	scales("2.5e3", 0, 2500);
	scales("1234e-2", 0, 12);
	scales("1250e-2", 0, 13);
	scales("5e-1", 0, 1);
	scales("5e-2", 0, 0);
	scales("1e-400", 9, 0);
	scales("0e99999999999", 9, 0);
	scales("9223372036854775807", 0, INT64_MAX);
	scales("1.5E2", 1, 1500);
	ok(!json_integer(text_from("9223372036854775808"), 0, &unused), "beyond the range");
	ok(!json_integer(text_from("1e19"), 0, &unused), "far beyond it");
	ok(!json_integer(text_from("1e999999999999"), 0, &unused), "very far beyond it");
	ok(!json_integer(text_from("99999999999999999999999"), 0, &unused), "by its digits");
	ok(json_real(text_from("-2.5e-3")) == -0.0025, "a real number");
}

/* A number of so many digits before and after the point; the first is not 0 unless it is alone. */
static void
make_number(struct text_buffer *to, unsigned whole, unsigned fraction)
{
	if (rand() % 3 == 0)
		add_char(to, '-');
	if (whole == 0)
		add_char(to, '0');
	for (unsigned i = 0; i < whole; i++)
		add_char(to, (char)('0' + (i == 0 ? 1 + rand() % 9 : rand() % 10)));
	for (unsigned i = 0; i < fraction; i++) {
		if (i == 0)
			add_char(to, '.');
		add_char(to, (char)('0' + rand() % 10));
	}
}

/* By moving the point in the text. False: it is beyond int64_t. */
static bool
by_hand(const char *number, int scale, int64_t *out)
{
	char digits[64] = "0";
	size_t count = 1;
	bool negative = *number == '-', rounds;
	uint64_t value;

	for (number += negative; *number != '.' && *number != '\0'; number++)
		digits[count++] = *number;
	number += *number == '.';
	for (; scale > 0; scale--)
		digits[count++] = (char)(*number == '\0' ? '0' : *number++);
	digits[count] = '\0';
	rounds = *number >= '5';
	errno = 0;
	value = strtoull(digits, NULL, 10);
	if (errno != 0 || value > (uint64_t)INT64_MAX - rounds)
		return false;
	*out = negative ? -(int64_t)(value + rounds) : (int64_t)(value + rounds);
	return true;
}

static void
test_many_numbers(void)
{
	struct text_buffer number = { 0 };
	unsigned different = 0;

	srand(7);
	for (unsigned n = 0; n < 200000; n++) {
		int scale = rand() % 10;
		int64_t wanted = 0, got = 0;
		bool fits, reads;

		number.count = 0;
		make_number(&number, (unsigned)rand() % 21, (unsigned)rand() % 18);
		add_char(&number, '\0');
		fits = by_hand(number.at, scale, &wanted);
		reads = json_integer(text_from(number.at), scale, &got);
		/* next to the end of the range one of both may be stricter */
		if (reads ? !fits || got != wanted : fits && wanted < INT64_MAX - 10 && wanted > INT64_MIN + 10) {
			printf("# %s * 10^%d\n", number.at, scale);
			different++;
		}
	}
	is_u64(different, 0, "200,000 numbers are what moving the point makes of them");
	array_release(&number);
}

/* The value of a key, if it is a number, the fast way where it can be. */
static void
add_key_value(struct json_reader *json, int scale, bool fast, struct text_buffer *to)
{
	int64_t value = -2;
	enum json_kind kind;

	if (!fast || !json_next_integer(json, scale, &value)) {
		kind = json_next(json);
		if (kind != JSON_NUMBER || !json_integer(json->text, scale, &value))
			value = -2;
		json_pass(json, kind);
	}
	add_format(to, "k%lld ", (long long)value);
}

enum way { BY_JSON_NEXT, ONE_BY_ONE, AT_ONCE };		/* how numbers are taken */

/* Adds the next numbers of an array that can be taken this way. */
static void
add_numbers(struct json_reader *json, int scale, enum way way, struct text_buffer *to)
{
	int64_t values[100];
	size_t count, room = rand() % 2 == 0 ? 3 : 100;

	while (way == ONE_BY_ONE && json_next_integer(json, scale, values))
		add_format(to, "%lld ", (long long)*values);
	do {
		count = way == AT_ONCE ? json_next_integers(json, scale, values, room) : 0;
		for (size_t i = 0; i < count; i++)
			add_format(to, "%lld ", (long long)values[i]);
	} while (count == room);
}

/* The numbers of an array, with what else is in it as -1, by json_next alone or a fast way first. At the end, whether
 * it is bad, and where. */
static void
take_column(struct stk_text text, size_t piece, int scale, enum way way, struct text_buffer *to)
{
	struct pieces from = { text.data, text.size, piece };
	struct json_reader json;
	enum json_kind kind;
	int64_t value, offset = -1;

	to->count = 0;
	json_open(&json, give, &from);
	(void)json_next(&json);
	for (;;) {
		add_numbers(&json, scale, way, to);
		kind = json_next(&json);
		if (kind <= JSON_BAD || kind == JSON_ARRAY_END)
			break;
		if (kind != JSON_NUMBER || !json_integer(json.text, scale, &value))
			value = -1;
		add_format(to, "%lld ", (long long)value);
		if (kind == JSON_OBJECT) {
			while (json_next(&json) == JSON_KEY)
				add_key_value(&json, scale, way != BY_JSON_NEXT, to);
		}
		json_pass(&json, kind == JSON_OBJECT ? JSON_NULL : kind);
	}
	while (kind > JSON_BAD)
		kind = json_next(&json);
	if (kind == JSON_BAD)
		(void)json_wrong(&json, &offset);
	add_format(to, "%d %lld", json_is_cut(&json), (long long)offset);
	add_char(to, '\0');
	json_close(&json);
}

/* The same numbers as a column, as objects in a list, and with a bracket too many or the wrong one. */
static void
add_number_of(struct text_buffer *to, unsigned way, bool small)
{
	add_string(to, way == 1 ? "{\"k\":" : "");
	if (small && rand() % 4 == 0)
		make_number(to, (unsigned)rand() % 10, (unsigned)rand() % 10);
	else if (small)
		add_format(to, "%d", rand() >> rand() % 31);
	else
		make_number(to, (unsigned)rand() % 21, (unsigned)rand() % 12);
	add_string(to, way == 1 ? "}" : way == 2 && rand() % 20 == 0 ? "}" : "");
}

/* Columns of numbers with other values among them, whole, cut and damaged. */
static void
test_columns(void)
{
	static const char *const others[] = { "null", "\"7\"", "1e3", "[5,6]", "{\"a\":1}", " 8 ", "01", "-", "1.", ".5", "+1",
					      "", "1.2.3", "1..2", "12:3", "4/", "00", "-0", "12x", "{\"a\":1]", "{\"a\" :1}", "{\"a\":-01}", "{\"a\":1,2}" };
	static const char *const commas[] = { ",", ",", ", ", ",\n\t", " ," };
	struct text_buffer text = { 0 }, slow = { 0 }, fast = { 0 };
	unsigned different = 0;

	srand(11);
	for (unsigned n = 0; n < 40000; n++) {
		int scale = rand() % 10;
		bool small = rand() % 2 == 0;
		size_t piece = 1 + (size_t)rand() % (small ? 2000 : 60);

		text.count = 0;
		add_char(&text, '[');
		for (int i = rand() % (small ? 120 : 12); i >= 0; i--) {
			if (rand() % (small ? 60 : 12) == 0)
				add_string(&text, others[(size_t)rand() % (sizeof others / sizeof *others)]);
			else
				add_number_of(&text, n % 3, small);
			add_string(&text, i > 0 ? commas[n % 5] : "]");
		}
		if (rand() % 4 == 0)
			text.count = (size_t)rand() % text.count;
		else if (rand() % 4 == 0)
			text.at[(size_t)rand() % text.count] = (char)(rand() % 256);
		take_column(text_in(&text, 0), piece, scale, BY_JSON_NEXT, &slow);
		for (enum way way = ONE_BY_ONE; way <= AT_ONCE; way++) {
			take_column(text_in(&text, 0), piece, scale, way, &fast);
			if (strcmp(slow.at, fast.at) != 0) {
				printf("# %.*s: %s, fast %s\n", (int)text.count, text.at, slow.at, fast.at);
				different++;
			}
		}
	}
	is_u64(different, 0, "40,000 columns are the same one by one and at once");
	array_release(&text);
	array_release(&slow);
	array_release(&fast);
}

/* A string longer than the window, and a text that is not one. */
static void
test_long(void)
{
	struct text_buffer text = { 0 }, got = { 0 };

	add_string(&text, "[\"");
	for (unsigned i = 0; i < 100000; i++)
		add_string(&text, "0123456\\n");
	add_string(&text, "\",1]");
	walk(&got, text_in(&text, 0), 70000);
	is_u64(got.count, 2 + 2 + 800000 + 6 + 1, "a string of 800,000 bytes, then a number");
	ok(memcmp(got.at + got.count - 8, "\n n:1 ]", 7) == 0, "to its end");
	array_release(&text);
	array_release(&got);
}

int
main(void)
{
	test_good();
	test_bad();
	test_depth();
	test_prefixes();
	test_skip();
	test_guesses();
	test_alike();
	test_numbers();
	test_many_numbers();
	test_columns();
	test_long();
	return tap_end();
}
