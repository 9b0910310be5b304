/* SPDX-License-Identifier: MIT
 * json_reader: JSON (RFC 8259) piece by piece, of any size in little memory: nothing is kept but the present string.
 *
 *	json_open(&json, read, context)
 *	while ((kind = json_next(json)) > JSON_BAD)
 *		if (kind == JSON_KEY && text_is(json->text, "wanted")) ...
 *		else json_skip(json)
 *
 * Strict: what the standard does not allow is JSON_BAD, with the place. Bytes of strings that are not UTF-8 are given
 * as they are; half a surrogate pair is U+FFFD. */
#ifndef BASE_JSON_READER_H
#define BASE_JSON_READER_H

#include "base/text_buffer.h"

#define JSON_DEPTH_MAX  1024u		/* arrays and objects within each other; more are JSON_BAD */
#define JSON_STRING_MAX (64u << 20)	/* bytes of a string or number */

enum json_kind {
	JSON_END,		/* of the value, and of the input */
	JSON_BAD,		/* see json_wrong; this is given from now on */
	JSON_KEY,		/* of an object; its value is next */
	JSON_OBJECT, JSON_OBJECT_END,
	JSON_ARRAY, JSON_ARRAY_END,
	JSON_STRING, JSON_NUMBER, JSON_TRUE, JSON_FALSE, JSON_NULL
};

struct json_reader {
	struct stk_text text;		/* of a key or string, without escapes; of a number, its digits. Until the next
					 * call */
	unsigned depth;			/* arrays and objects that are open */
	bool lenient;			/* set by the caller: a comma may precede a ] */
	bool counts_lines;		/* set by the caller, who will ask for json_line */
	bool several;			/* set by the caller: values may follow each other, as in JSON lines */
	/* --- its own --- */
	const char *at, *end;		/* what was read and not yet taken; *end is 0 */
	char *buffer;
	size_t room;
	int64_t before;			/* bytes of the input before the buffer */
	uint64_t lines;			/* that ended before `counted`, of a caller who set counts_lines */
	const char *counted;
	size_t (*read)(void *context, void *to, size_t size);
	void *context;
	const char *wrong;
	int64_t wrong_at;
	int expects;
	bool at_end, cut, raw;
	struct text_buffer plain;
	uint64_t objects[JSON_DEPTH_MAX / 64];	/* a bit for each level: it is an object */
};

/* read: up to size bytes, 0 at the end. */
void json_open(struct json_reader *json, size_t (*read)(void *context, void *to, size_t size), void *context);
/* Of a text: *left is what was not read yet. */
void json_open_text(struct json_reader *json, struct stk_text *left);
void json_close(struct json_reader *json);

enum json_kind json_next(struct json_reader *json);
/* Takes the next key of an object if it is this one, which needs no escapes, and nothing is between it and what
 * precedes it. False: it is not, or not read yet, and json_next gives whatever is next. So a caller who knows
 * what usually comes need not look for its end, and then for its name. */
bool json_next_key_is(struct json_reader *json, struct stk_text key);
/* The same of the beginning of an array or object, or of its end. */
bool json_next_is(struct json_reader *json, enum json_kind kind);
/* As json_next; faster where it is such a beginning or end. */
static inline enum json_kind
json_next_likely(struct json_reader *json, enum json_kind likely)
{
	return json_next_is(json, likely) ? likely : json_next(json);
}
/* The next value of an array, or the value of a key that json_next has just given, if it is a number of a common form
 * that is read whole already; as json_integer gives it, below 2^62. False: it is not, and json_next gives whatever is
 * next. */
bool json_next_integer(struct json_reader *json, int scale, int64_t *out);
/* The same of a text that is nothing but such a number, "7", as protocol buffers have those of 64 bits in JSON. */
bool json_next_quoted_integer(struct json_reader *json, int64_t *out);
/* The next values of an array in the same way, up to `room` of them, with blanks before them or without. How many:
 * after fewer than there was room for json_next gives whatever is next. */
size_t json_next_integers(struct json_reader *json, int scale, int64_t *to, size_t room);

/* Objects of a list that are alike but for their numbers, as samples of a profile are: what is between the numbers of
 * one that was read is kept, and what has the same between its numbers is read by comparing. A zeroed struct
 * has none. */
#define JSON_ALIKE_NUMBERS 16u
#define JSON_ALIKE_BYTES   480u
struct json_alike {
	unsigned numbers;		/* of the object, when it is known */
	bool known;
	/* --- its own --- */
	bool learns;
	int64_t taken;			/* the place up to which the text is kept */
	size_t size, ends[JSON_ALIKE_NUMBERS + 1];	/* of the text before each number, and after the last */
	char text[JSON_ALIKE_BYTES];
};
/* After json_next gave the beginning of an object; the caller then tells of each number that json_next_integer or
 * json_next_quoted_integer gave, and of the end of the object. What was not told of is text, which has to be the
 * same. */
void json_alike_begin(struct json_alike *alike, const struct json_reader *json);
void json_alike_number(struct json_alike *alike, const struct json_reader *json);
void json_alike_end(struct json_alike *alike, const struct json_reader *json);
/* Another value of it than numbers matters: it is not known. */
static inline void
json_alike_forget(struct json_alike *alike)
{
	alike->learns = false;
}
/* Takes the next object of an array if it is like this one, and gives its numbers. False: json_next gives whatever is
 * next. */
bool json_next_alike(struct json_reader *json, const struct json_alike *alike, int64_t *numbers);

/* Skips the next value, whatever it is; of a key, its value. False: it was bad, or there is none. */
bool json_skip(struct json_reader *json);
/* Skips what is left of the array or object of this depth, up to its end. */
bool json_leave(struct json_reader *json, unsigned depth);
/* Skips what is left of a value of which json_next gave the kind: of an array or object, up to its end. */
static inline void
json_pass(struct json_reader *json, enum json_kind kind)
{
	if (kind == JSON_ARRAY || kind == JSON_OBJECT)
		(void)json_leave(json, json->depth);
}

/* Of an array or object that json_next has just given: the text up to the first ] or }, as far as it is read already,
 * else empty. */
struct stk_text json_text_ahead(const struct json_reader *json);
/* Passes such a text and the end of the array or object, of a caller who knows that it is all of it: an equal one was
 * read, and json_place was behind its end then. */
void json_pass_ahead(struct json_reader *json, struct stk_text text);
/* How many bytes of the input were taken. */
static inline int64_t
json_place(const struct json_reader *json)
{
	return json->before + (json->at - json->buffer);
}

/* The line that is read now, from 1; what is asked for later may not be of an earlier place. */
uint64_t json_line(struct json_reader *json);

/* What is not JSON, after JSON_BAD, and at which byte of the input, from 0. */
const char *json_wrong(const struct json_reader *json, int64_t *offset);
/* Whether it is bad only because the input ends. */
bool json_is_cut(const struct json_reader *json);

/* A number's text times 10^scale, rounded to the nearest integer: exact, as far as the digits go. False: it is beyond
 * int64_t. */
bool json_integer(struct stk_text number, int scale, int64_t *out);
double json_real(struct stk_text number);

#endif
