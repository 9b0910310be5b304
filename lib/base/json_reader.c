/* SPDX-License-Identifier: MIT
 * json_reader: a state machine over a window of the input. The window ends in a 0, at which every loop over bytes
 * stops; only there is looked whether the window or the text is over. */
#include "base/json_reader.h"

#include <stdlib.h>

#define WINDOW_BYTES (256u << 10)
#define AFTER_END 16u		/* bytes after the window that may be read: its 0, and more of them */

enum expects {
	EXPECTS_VALUE,
	EXPECTS_VALUE_OR_END,		/* after [ */
	EXPECTS_KEY,			/* after , in an object */
	EXPECTS_KEY_OR_END,		/* after { */
	EXPECTS_COLON,
	EXPECTS_COMMA_OR_END,
	EXPECTS_NOTHING			/* the value is complete */
};

static void
open_window(struct json_reader *json, size_t room, size_t (*read)(void *context, void *to, size_t size), void *context)
{
	*json = (struct json_reader){ .read = read, .context = context, .room = room };
	json->buffer = mem_new(json->room + AFTER_END, 1);
	json->at = json->end = json->counted = json->buffer;
}

void
json_open(struct json_reader *json, size_t (*read)(void *context, void *to, size_t size), void *context)
{
	open_window(json, WINDOW_BYTES, read, context);
}

static size_t
take_text(void *context, void *to, size_t size)
{
	struct stk_text *left = context;

	size = size < left->size ? size : left->size;
	memcpy(to, left->data, size);
	left->data += size;
	left->size -= size;
	return size;
}

void
json_open_text(struct json_reader *json, struct stk_text *left)
{
	/* one for each record of a log is opened: its window is no larger than it */
	open_window(json, left->size < WINDOW_BYTES ? left->size + 1 : WINDOW_BYTES, take_text, left);
}

void
json_close(struct json_reader *json)
{
	free(json->buffer);
	json->buffer = NULL;
	array_release(&json->plain);
}

/* --- the window --- */

static void
count_lines(struct json_reader *json, const char *to)
{
	const char *at = json->counted;

	while (at < to && (at = memchr(at, '\n', (size_t)(to - at))) != NULL) {
		json->lines++;
		at++;
	}
	json->counted = to;
}

uint64_t
json_line(struct json_reader *json)
{
	count_lines(json, json->at);
	return json->lines + 1;
}

/* Reads more, and keeps the bytes from `from` on, which moves. False: there is no more. *from and at are still the same
 * bytes. */
static bool
more(struct json_reader *json, const char **from)
{
	size_t kept = (size_t)(json->end - *from), taken = (size_t)(json->at - *from), got;

	if (json->at_end)
		return false;
	if (json->counts_lines)
		count_lines(json, *from);
	json->before += *from - json->buffer;
	memmove(json->buffer, *from, kept);
	if (kept > json->room / 2) {
		json->room *= 2;
		json->buffer = mem_resize(json->buffer, json->room + AFTER_END, 1);
	}
	got = json->read(json->context, json->buffer + kept, json->room - kept);
	json->at_end = got == 0;
	*from = json->counted = json->buffer;
	json->at = json->buffer + taken;
	json->end = json->buffer + kept + got;
	memset(json->buffer + kept + got, 0, AFTER_END);
	return got > 0;
}

static enum json_kind
bad(struct json_reader *json, const char *why)
{
	if (json->wrong == NULL) {
		json->wrong = why;
		json->wrong_at = json_place(json);
		json->cut = json->at == json->end && json->at_end;
	}
	return JSON_BAD;
}

const char *
json_wrong(const struct json_reader *json, int64_t *offset)
{
	*offset = json->wrong_at;
	return json->cut ? "the text ends within a value" : json->wrong;
}

bool
json_is_cut(const struct json_reader *json)
{
	return json->cut;
}

static inline bool
is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The next byte that is not blank; 0 at the end, and where there is a 0. */
static inline char
next_byte(struct json_reader *json)
{
	for (;;) {
		const char *from;

		while (is_blank(*json->at))
			json->at++;
		if (json->at < json->end)
			return *json->at;
		from = json->at;
		if (!more(json, &from))
			return '\0';
	}
}

/* --- strings --- */

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

#if defined(__SSE2__) && !defined(JSON_READER_PORTABLE)
#include <emmintrin.h>

/* Which of 16 bytes are '"', a backslash or a control character, a bit each. */
static inline unsigned
specials_at(const char *at)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at), last = _mm_set1_epi8(0x1f);
	__m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, last), bytes);
	__m128i marks = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
				     _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));

	return (unsigned)_mm_movemask_epi8(_mm_or_si128(marks, control));
}

/* Moves over plain bytes of a string, to one that is not, or to the end of the window, after which its 0 and some bytes
 * of no meaning may be read. */
static inline void
pass_plain(struct json_reader *json)
{
	const char *at = json->at;
	unsigned specials;

	while ((specials = specials_at(at)) == 0)
		at += 16;
	json->at = at + __builtin_ctz(specials);
}

#else

/* Whether any of 8 bytes is '"', a backslash or a control character. */
static inline bool
has_special(uint64_t word)
{
	uint64_t quote = word ^ EACH_BYTE('"'), slash = word ^ EACH_BYTE('\\');

	return (((quote - EACH_BYTE(1)) & ~quote) | ((slash - EACH_BYTE(1)) & ~slash) |
		((word - EACH_BYTE(0x20)) & ~word)) & EACH_BYTE(0x80);
}

static inline uint64_t
word_at(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return word;
}

/* Moves over plain bytes of a string, to one that is not, or to the end of the window. */
static inline void
pass_plain(struct json_reader *json)
{
	const char *at = json->at;

	while (json->end - at >= 8 && !has_special(word_at(at)))
		at += 8;
	while ((unsigned char)*at >= 0x20 && *at != '"' && *at != '\\')
		at++;
	json->at = at;
}

#endif

static int
hex_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

static bool
read_hex(const char *at, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++) {
		int digit = hex_value(at[i]);

		if (digit < 0)
			return false;
		*out = *out << 4 | (uint32_t)digit;
	}
	return true;
}

/* The text without its escapes, which were checked. */
static struct stk_text
unescaped(struct json_reader *json, const char *at, const char *end)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	struct text_buffer *to = &json->plain;

	to->count = 0;
	while (at < end) {
		const char *slash = memchr(at, '\\', (size_t)(end - at)), *letter;
		uint32_t c, low;

		add_bytes(to, at, (size_t)((slash == NULL ? end : slash) - at));
		if (slash == NULL)
			break;
		at = slash + 2;
		letter = strchr(letters, slash[1]);
		if (letter != NULL) {
			add_char(to, meant[letter - letters]);
			continue;
		}
		(void)read_hex(at, &c);
		at += 4;
		if (c >= 0xd800 && c < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u' &&
		    read_hex(at + 2, &low) && low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			at += 6;
		}
		add_character(to, c);
	}
	return text_in(to, 0);
}

/* At a backslash: over it and what it escapes. */
static bool
pass_escape(struct json_reader *json, const char **from)
{
	uint32_t unused;

	while (json->end - json->at < 6)
		if (!more(json, from))
			break;
	if (json->end - json->at < 2) {
		json->at = json->end;
		return false;
	}
	if (json->at[1] != 'u') {
		json->at++;
		if (strchr("\"\\/bfnrt", *json->at) == NULL || *json->at == '\0')
			return false;
		json->at++;
		return true;
	}
	if (json->end - json->at < 6 || !read_hex(json->at + 2, &unused)) {
		json->at = json->end - json->at < 6 ? json->end : json->at + 2;
		return false;
	}
	json->at += 6;
	return true;
}

/* After the opening quote. */
static enum json_kind
take_string(struct json_reader *json, enum json_kind kind)
{
	const char *from = json->at;
	bool escapes = false;

	for (;;) {
		pass_plain(json);
		if (*json->at == '"') {
			json->text = escapes && !json->raw ? unescaped(json, from, json->at)
							   : text_of(from, (size_t)(json->at - from));
			json->at++;
			return kind;
		}
		if (*json->at == '\\') {
			escapes = true;
			if (!pass_escape(json, &from))
				return bad(json, "an escape that is none");
		} else if (json->at < json->end) {
			return bad(json, "a control character in a string");
		} else if (json->at - from > JSON_STRING_MAX) {
			return bad(json, "a string of more than 64 MiB");
		} else if (!more(json, &from)) {
			return bad(json, "a string without an end");
		}
	}
}

/* --- numbers and words --- */

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Over digits; false when there is none. The window grows as it must. */
static bool
pass_digits(struct json_reader *json, const char **from)
{
	int64_t begun = json_place(json);

	do
		while (is_digit(*json->at))
			json->at++;
	while (json->at == json->end && json->at - *from <= JSON_STRING_MAX && more(json, from));
	return json_place(json) > begun;
}

/* The end of a number without an exponent, which is whole: something follows it. NULL: it may be none. */
static inline const char *
plain_number_end(const char *at)
{
	const char *from = at;

	while (is_digit(*at))
		at++;
	if (at == from || (*from == '0' && at - from > 1))
		return NULL;
	if (*at == '.') {
		from = ++at;
		while (is_digit(*at))
			at++;
		if (at == from)
			return NULL;
	}
	return *at == ',' || *at == ']' || *at == '}' ? at : NULL;
}

static enum json_kind
take_number(struct json_reader *json)
{
	const char *from = json->at, *at = from;
	bool negative = *at == '-', well;

	at = plain_number_end(at + negative);
	if (at != NULL) {
		json->at = at;
		json->text = text_of(from, (size_t)(at - from));
		return JSON_NUMBER;
	}
	json->at += negative;
	well = json->at < json->end || more(json, &from);
	if (well && *json->at == '0') {		/* and no digit after it */
		json->at++;
		if (json->at == json->end)
			(void)more(json, &from);
	} else {
		well = well && pass_digits(json, &from);
	}
	if (well && *json->at == '.') {
		json->at++;
		well = pass_digits(json, &from);
	}
	if (well && (*json->at == 'e' || *json->at == 'E')) {
		json->at++;
		if (json->at == json->end)
			(void)more(json, &from);
		json->at += *json->at == '+' || *json->at == '-';
		well = pass_digits(json, &from);
	}
	if (!well || is_digit(*json->at))
		return bad(json, "a number that is none");
	json->text = text_of(from, (size_t)(json->at - from));
	return JSON_NUMBER;
}

static enum json_kind
take_word(struct json_reader *json, const char *word, enum json_kind kind)
{
	size_t size = strlen(word);
	const char *from = json->at;

	while ((size_t)(json->end - json->at) < size)
		if (!more(json, &from))
			break;
	for (; *word != '\0'; word++, json->at++)
		if (*json->at != *word)
			return bad(json, "a word that is not true, false or null");
	return kind;
}

/* --- structure --- */

static inline bool
in_object(const struct json_reader *json)
{
	return json->depth > 0 && (json->objects[(json->depth - 1) / 64] >> (json->depth - 1) % 64 & 1) != 0;
}

static enum json_kind
enter(struct json_reader *json, bool object)
{
	uint64_t bit = UINT64_C(1) << json->depth % 64;

	if (json->depth == JSON_DEPTH_MAX)
		return bad(json, "more than 1,024 arrays and objects within each other");
	json->at++;
	if (object)
		json->objects[json->depth / 64] |= bit;
	else
		json->objects[json->depth / 64] &= ~bit;
	json->depth++;
	json->expects = object ? EXPECTS_KEY_OR_END : EXPECTS_VALUE_OR_END;
	return object ? JSON_OBJECT : JSON_ARRAY;
}

static inline void
after_value(struct json_reader *json)
{
	json->expects = json->depth == 0 ? EXPECTS_NOTHING : EXPECTS_COMMA_OR_END;
}

static enum json_kind
leave(struct json_reader *json, bool object)
{
	if (in_object(json) != object)
		return bad(json, object ? "a } that closes no object" : "a ] that closes no array");
	json->at++;
	json->depth--;
	after_value(json);
	return object ? JSON_OBJECT_END : JSON_ARRAY_END;
}

static enum json_kind
take_value(struct json_reader *json, char c)
{
	enum json_kind kind;

	switch (c) {
	case '{': return enter(json, true);
	case '[': return enter(json, false);
	case '"': json->at++; kind = take_string(json, JSON_STRING); break;
	case 't': kind = take_word(json, "true", JSON_TRUE); break;
	case 'f': kind = take_word(json, "false", JSON_FALSE); break;
	case 'n': kind = take_word(json, "null", JSON_NULL); break;
	default:
		if (c != '-' && !is_digit(c))
			return bad(json, "no value where one is expected");
		kind = take_number(json);
	}
	after_value(json);
	return kind;
}

static enum json_kind
take_key(struct json_reader *json, char c)
{
	enum json_kind kind;

	if (c != '"')
		return bad(json, "no key where one is expected");
	json->at++;
	kind = take_string(json, JSON_KEY);
	json->expects = EXPECTS_COLON;
	return kind;
}

/* A byte order mark may be at the beginning. The byte after it. */
static char
pass_mark(struct json_reader *json)
{
	const char *from = json->at;

	if (json->before > 0 || json->at > json->buffer)
		return *json->at;
	while (json->end - json->at < 3)
		if (!more(json, &from))
			break;
	if (memcmp(json->at, "\xef\xbb\xbf", 3) != 0)		/* a 0 ends a shorter window */
		return *json->at;
	json->at += 3;
	return next_byte(json);
}

enum json_kind
json_next(struct json_reader *json)
{
	char c;

	if (json->wrong != NULL)
		return JSON_BAD;
	c = next_byte(json);
	if (json->expects == EXPECTS_COMMA_OR_END && c == ',') {
		json->at++;
		json->expects = in_object(json) ? EXPECTS_KEY
				: json->lenient ? EXPECTS_VALUE_OR_END : EXPECTS_VALUE;
		c = next_byte(json);
	} else if (json->expects == EXPECTS_COLON) {
		if (c != ':')
			return bad(json, "no colon after a key");
		json->at++;
		json->expects = EXPECTS_VALUE;
		c = next_byte(json);
	}
	switch (json->expects) {
	case EXPECTS_VALUE_OR_END:
		return c == ']' ? leave(json, false) : take_value(json, c);
	case EXPECTS_VALUE:
		return take_value(json, c == '\xef' ? pass_mark(json) : c);
	case EXPECTS_KEY_OR_END:
		return c == '}' ? leave(json, true) : take_key(json, c);
	case EXPECTS_KEY:
		return take_key(json, c);
	case EXPECTS_COMMA_OR_END:
		return c == '}' || c == ']' ? leave(json, c == '}')
					    : bad(json, in_object(json) ? "no comma or } after a value"
									: "no comma or ] after a value");
	default:
		if (json->at >= json->end)
			return JSON_END;
		return json->several ? take_value(json, c) : bad(json, "text after the value");
	}
}

struct stk_text
json_text_ahead(const struct json_reader *json)
{
	const char *end = memchr(json->at, in_object(json) ? '}' : ']', (size_t)(json->end - json->at));

	return text_of(json->at, end == NULL ? 0 : (size_t)(end - json->at));
}

void
json_pass_ahead(struct json_reader *json, struct stk_text text)
{
	json->at += text.size;
	(void)leave(json, in_object(json));
}

bool
json_leave(struct json_reader *json, unsigned depth)
{
	json->raw = true;
	while (json->depth >= depth && json_next(json) > JSON_BAD)
		continue;
	json->raw = false;
	return json->wrong == NULL;
}

bool
json_skip(struct json_reader *json)
{
	enum json_kind kind;

	json->raw = true;
	kind = json_next(json);
	json->raw = false;
	if (kind == JSON_KEY)
		return json_skip(json);
	if (kind == JSON_OBJECT || kind == JSON_ARRAY)
		return json_leave(json, json->depth);
	return kind > JSON_BAD && kind != JSON_OBJECT_END && kind != JSON_ARRAY_END;
}

/* --- numbers of texts --- */

#define DECIMAL_DIGITS 19	/* as nanoseconds since 1970 have: they, and the carry of rounding, fit in 64 bits */
#define SCALE_MAX      9
#define NUMBER_BYTES   40u
#define NUMBER_MOST    ((UINT64_C(1) << 62) - 1)

static const uint64_t powers_of_ten[SCALE_MAX + 1] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000
};

/* The exponent after e; far beyond what matters it is only that far. */
static long
exponent_of(const char *at, const char *end)
{
	bool negative = at < end && *at == '-';
	long value = 0;

	for (at += at < end && (*at == '-' || *at == '+'); at < end; at++)
		value = value < 100000 ? value * 10 + (*at - '0') : value;
	return negative ? -value : value;
}

/* Of any text that is a number. */
static bool
scaled_integer(struct stk_text number, int scale, int64_t *out)
{
	const char *at = number.data, *end = at + number.size, *e = at;
	bool negative = at < end && *at == '-', rounds = false;
	uint64_t value = 0;
	long whole = 0, digits = 0;	/* digits that are above the point, after the scaling; digits so far */

	while (e < end && *e != 'e' && *e != 'E')
		e++;
	for (const char *c = at + negative; c < e && *c != '.'; c++)
		whole++;
	whole += scale + (e < end ? exponent_of(e + 1, end) : 0);
	for (at += negative; at < e && digits <= whole; at++) {
		if (*at == '.')
			continue;
		if (digits++ == whole) {
			rounds = *at >= '5';
			break;
		}
		if (value > (UINT64_MAX - 9) / 10)
			return false;
		value = value * 10 + (uint64_t)(*at - '0');
	}
	for (; digits < whole && value > 0; digits++) {
		if (value > UINT64_MAX / 10)
			return false;
		value *= 10;
	}
	value += rounds;
	if (value > INT64_MAX)
		return false;
	*out = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

/* 8 bytes, the first the lowest. */
static inline uint64_t
little_word_at(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* 0 when each of 8 bytes is a digit. */
static inline uint64_t
other_than_digits(uint64_t word)
{
	uint64_t above = (word + UINT64_C(0x0606060606060606)) >> 4;	/* than 9: it is 4 then */

	return ((word & UINT64_C(0xf0f0f0f0f0f0f0f0)) | (above & UINT64_C(0x0f0f0f0f0f0f0f0f))) ^
	       UINT64_C(0x3333333333333333);
}

/* The number that 8 digits are: pairs, then pairs of pairs. */
static inline uint64_t
eight_digits(uint64_t word)
{
	word = (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) * (10 * 256 + 1) >> 8;
	word = (word & UINT64_C(0x00ff00ff00ff00ff)) * (100 * 65536 + 1) >> 16;
	return (word & UINT64_C(0x0000ffff0000ffff)) * (10000 * (UINT64_C(1) << 32) + 1) >> 32;
}

/* The first of 8 bytes that is no digit, of which other_than_digits gave what it gives. */
static inline unsigned
digits_before(uint64_t other)
{
	return (unsigned)__builtin_ctzll(other) / 8;
}

/* The number that the first of 8 bytes are, fewer than 8: the others are moved out, and zeros in before them. */
static inline uint64_t
few_digits(uint64_t word, unsigned digits)
{
	return eight_digits(word << 8 * (7 - digits) << 8);
}

/* Adds the digits at *at to a number, and moves over them. Eight bytes after them are read. */
static inline uint64_t
add_digits(uint64_t value, const char **at)
{
	uint64_t word, other;
	unsigned digits;

	for (; (other = other_than_digits(word = little_word_at(*at))) == 0; *at += 8)
		value = value * 100000000 + eight_digits(word);
	digits = digits_before(other);
	*at += digits;
	return value * powers_of_ten[digits] + few_digits(word, digits);
}

/* Adds the first `places` of the digits at *at, 9 at most, or zeros in place of those that are missing, rounds by the
 * next one, and moves over all of them. */
static inline uint64_t
add_fraction(uint64_t value, int places, const char **at)
{
	uint64_t word = little_word_at(*at), other = other_than_digits(word);
	int digits = other == 0 ? 8 : (int)digits_before(other);

	if (digits <= places && digits < 8) {
		*at += digits;
		return value * powers_of_ten[places] +
		       few_digits(word, (unsigned)digits) * powers_of_ten[places - digits];
	}
	for (; places > 0 && is_digit(**at); ++*at, places--)
		value = value * 10 + (uint64_t)(**at - '0');
	value += places == 0 && **at >= '5' && **at <= '9';
	(void)add_digits(0, at);
	return value * powers_of_ten[places];
}

/* The digits at `at` times 10^scale, as json_integer has them. NULL: they are too many for that, or none; else
 * what follows them. The bytes after them can be read. */
static inline const char *
read_decimal(const char *at, int scale, uint64_t *out)
{
	const char *from = at, *point;
	uint64_t value;

	value = add_digits(0, &at);
	if (at == from || at - from > DECIMAL_DIGITS - scale)	/* then it may have run over */
		return NULL;
	if (*at == '.') {
		point = ++at;
		*out = add_fraction(value, scale, &at);
		if (at == point)
			return NULL;
	} else {
		*out = value * powers_of_ten[scale];
	}
	return *out <= NUMBER_MOST ? at : NULL;
}

bool
json_integer(struct stk_text number, int scale, int64_t *out)
{
	const char *at = number.data + (number.size > 0 && *number.data == '-');
	char text[NUMBER_BYTES + 8] = { 0 };
	uint64_t value;

	if (number.size > NUMBER_BYTES || scale < 0 || scale > SCALE_MAX)
		return scaled_integer(number, scale, out);
	memcpy(text, number.data, number.size);
	at = read_decimal(text + (at - number.data), scale, &value);
	if (at != text + number.size)
		return scaled_integer(number, scale, out);
	*out = *text == '-' ? -(int64_t)value : (int64_t)value;
	return true;
}

/* What must precede the next value; 0: nothing. False: it is not there, or no value is next. */
static inline bool
precedes(const struct json_reader *json, char *sign)
{
	*sign = json->expects == EXPECTS_COLON ? ':' : json->expects == EXPECTS_COMMA_OR_END ? ',' : '\0';
	if (*sign == '\0')
		return json->expects == EXPECTS_VALUE_OR_END;
	return *json->at == *sign && (*sign == ':' || !in_object(json));
}

/* A number at *at, which something of a list or object follows, to which *at moves. False: it may be none. */
static inline bool
read_number(const char **at, int scale, int64_t *out)
{
	bool negative = **at == '-';
	const char *from = *at + negative, *end;
	uint64_t value;

	end = read_decimal(from, scale, &value);
	if (end == NULL || (*end != ',' && *end != ']' && *end != '}') || (*from == '0' && is_digit(from[1])))
		return false;
	*at = end;
	*out = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

bool
json_next_key_is(struct json_reader *json, struct stk_text key)
{
	const char *at = json->at;

	if (json->wrong != NULL)
		return false;
	if (json->expects == EXPECTS_COMMA_OR_END && *at == ',' && in_object(json))
		at++;
	else if (json->expects != EXPECTS_KEY_OR_END)
		return false;
	if ((size_t)(json->end - at) < key.size + 2 || at[0] != '"' || at[1 + key.size] != '"' ||
	    memcmp(at + 1, key.data, key.size) != 0)
		return false;
	json->text = text_of(at + 1, key.size);
	json->at = at + key.size + 2;
	json->expects = EXPECTS_COLON;
	return true;
}

static inline bool
next_is_end(struct json_reader *json, bool object)
{
	int when_empty = object ? EXPECTS_KEY_OR_END : EXPECTS_VALUE_OR_END;

	return *json->at == (object ? '}' : ']') && in_object(json) == object &&
	       (json->expects == EXPECTS_COMMA_OR_END || json->expects == when_empty);
}

bool
json_next_is(struct json_reader *json, enum json_kind kind)
{
	bool object = kind == JSON_OBJECT || kind == JSON_OBJECT_END;
	char sign;

	if (json->wrong != NULL)
		return false;
	if (kind == JSON_OBJECT_END || kind == JSON_ARRAY_END)
		return next_is_end(json, object) && leave(json, object) == kind;
	if (!precedes(json, &sign) || json->at[sign != '\0'] != (object ? '{' : '['))
		return false;
	json->at += sign != '\0';
	return enter(json, object) == kind;
}

bool
json_next_integer(struct json_reader *json, int scale, int64_t *out)
{
	const char *at;
	char sign;

	if (json->wrong != NULL || scale < 0 || scale > SCALE_MAX || !precedes(json, &sign))
		return false;
	at = json->at + (sign != '\0');
	if (!read_number(&at, scale, out))
		return false;
	json->at = at;
	after_value(json);
	return true;
}

bool
json_next_quoted_integer(struct json_reader *json, int64_t *out)
{
	const char *at;
	uint64_t value;
	bool negative;
	char sign;

	if (json->wrong != NULL || !precedes(json, &sign))
		return false;
	at = json->at + (sign != '\0');
	if (*at++ != '"')
		return false;
	negative = *at == '-';
	at = read_decimal(at + negative, 0, &value);
	if (at == NULL || *at != '"')
		return false;
	json->at = at + 1;
	after_value(json);
	*out = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

/* --- objects that are alike --- */

void
json_alike_begin(struct json_alike *alike, const struct json_reader *json)
{
	alike->known = false;
	alike->learns = true;
	alike->numbers = 0;
	alike->size = 0;
	alike->taken = json_place(json) - 1;
}

/* The text from what is taken up to a place, which the window has to have, and to which another number may be added. */
static void
keep_alike(struct json_alike *alike, const struct json_reader *json, const char *to)
{
	const char *from = json->buffer + (alike->taken - json->before);

	if (alike->taken < json->before || (size_t)(to - from) > JSON_ALIKE_BYTES - alike->size) {
		alike->learns = false;
		return;
	}
	memcpy(alike->text + alike->size, from, (size_t)(to - from));
	alike->size += (size_t)(to - from);
	alike->ends[alike->numbers] = alike->size;
}

void
json_alike_number(struct json_alike *alike, const struct json_reader *json)
{
	const char *end = json->at - (json->at[-1] == '"'), *from = end;

	alike->learns = alike->learns && alike->numbers < JSON_ALIKE_NUMBERS;
	if (!alike->learns)
		return;
	while (from > json->buffer && (is_digit(from[-1]) || from[-1] == '.' || from[-1] == '-'))
		from--;
	keep_alike(alike, json, from);
	alike->numbers++;
	alike->taken = json->before + (end - json->buffer);
}

void
json_alike_end(struct json_alike *alike, const struct json_reader *json)
{
	if (alike->learns)
		keep_alike(alike, json, json->at);
	alike->known = alike->learns && json->wrong == NULL;
	alike->learns = false;
}

/* The text before number `index` of those that are alike, at *at, which moves over it. */
static inline bool
is_alike(const struct json_alike *alike, unsigned index, const char **at, const char *end)
{
	size_t from = index > 0 ? alike->ends[index - 1] : 0, size = alike->ends[index] - from;

	if ((size_t)(end - *at) < size || memcmp(*at, alike->text + from, size) != 0)
		return false;
	*at += size;
	return true;
}

bool
json_next_alike(struct json_reader *json, const struct json_alike *alike, int64_t *numbers)
{
	const char *at;
	char sign;

	if (!alike->known || json->wrong != NULL || !precedes(json, &sign))
		return false;
	at = json->at + (sign != '\0');
	for (unsigned i = 0; i < alike->numbers; i++) {
		bool negative;
		uint64_t value;

		if (!is_alike(alike, i, &at, json->end))
			return false;
		negative = *at == '-';
		at += negative;
		if (*at == '0' && is_digit(at[1]))
			return false;
		at = read_decimal(at, 0, &value);
		if (at == NULL)
			return false;
		numbers[i] = negative ? -(int64_t)value : (int64_t)value;
	}
	if (!is_alike(alike, alike->numbers, &at, json->end))
		return false;
	json->at = at;
	after_value(json);
	return true;
}

#define SEEN_BYTES 64u

#if defined(__SSE2__) && !defined(JSON_READER_PORTABLE)

/* Which of 64 bytes are this one, a bit each. */
static inline uint64_t
places_of(char byte, const char *at)
{
	__m128i wanted = _mm_set1_epi8(byte);
	uint64_t places = 0;

	for (unsigned i = 0; i < SEEN_BYTES; i += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + i));

		places |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)) << i;
	}
	return places;
}

/* Which of 64 bytes are digits. */
static inline uint64_t
digit_places(const char *at)
{
	__m128i zero = _mm_set1_epi8('0'), nine = _mm_set1_epi8(9);
	uint64_t places = 0;

	for (unsigned i = 0; i < SEEN_BYTES; i += 16) {
		__m128i above = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)(at + i)), zero);

		places |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(above, nine), above)) << i;
	}
	return places;
}

#else

/* A bit for each of 8 bytes whose highest bit is set; of them no other is. */
static inline uint64_t
highest_bits(uint64_t word)
{
	return (word >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* Which of 64 bytes are this one, a bit each: the highest of a byte that is, then those of 8 bytes side by side. */
static inline uint64_t
places_of(char byte, const char *at)
{
	uint64_t places = 0;

	for (unsigned i = 0; i < SEEN_BYTES; i += 8) {
		uint64_t other = little_word_at(at + i) ^ EACH_BYTE((unsigned char)byte);
		uint64_t equal = ~(((other & EACH_BYTE(0x7f)) + EACH_BYTE(0x7f)) | other) & EACH_BYTE(0x80);

		places |= highest_bits(equal) << i;
	}
	return places;
}

/* Which of 64 bytes are digits. */
static inline uint64_t
digit_places(const char *at)
{
	uint64_t places = 0;

	for (unsigned i = 0; i < SEEN_BYTES; i += 8) {
		uint64_t above = little_word_at(at + i) ^ EACH_BYTE('0');	/* 0 to 9, of no other byte */
		uint64_t others = ((above & EACH_BYTE(0x7f)) + EACH_BYTE(0x80 - 10)) | above;

		places |= highest_bits(~others & EACH_BYTE(0x80)) << i;
	}
	return places;
}

#endif

/* The number that `size` digits are, 1 to 8, which are known to be digits. */
static inline uint64_t
known_digits(const char *at, size_t size)
{
	return eight_digits(little_word_at(at) << 8 * (8 - size));
}

/* A number from `at` to `end` with a fraction after `point`, of whose bytes it is known that they are digits or points.
 * False: it is a rare one. */
static inline bool
read_fraction(const char *at, const char *point, const char *end, int scale, int64_t *out)
{
	size_t size = (size_t)(point - at), places = (size_t)(end - point) - 1;
	uint64_t value;

	if (places > (size_t)scale || places > 8 || size > 16 || size + (size_t)scale >= DECIMAL_DIGITS)
		return false;
	value = size <= 8 ? known_digits(at, size)
			  : known_digits(at, size - 8) * 100000000 + known_digits(at + size - 8, 8);
	*out = (int64_t)(value * powers_of_ten[scale] +
			 known_digits(point + 1, places) * powers_of_ten[(size_t)scale - places]);
	return true;
}

/* What 64 bytes that begin with a number are, a bit each. */
struct seen_places { uint64_t commas, points, digits; };

/* Those of its commas before which there are but numbers, as JSON has them, and no end of one that begins later. */
static inline uint64_t
commas_of_numbers(const struct seen_places *seen, uint64_t zeros)
{
	uint64_t begins = seen->commas << 1 | 1, bad = ~(seen->commas | seen->points | seen->digits);

	bad |= begins & (zeros & seen->digits >> 1);		/* 07 */
	bad |= (begins | seen->points << 1) & ~seen->digits;	/* nothing before a comma or point, or after a point */
	return bad == 0 ? seen->commas : seen->commas & ((bad & -bad) - 1);
}

/* Whether 9 digits are next to each other. */
static inline bool
has_nine(uint64_t digits)
{
	uint64_t two = digits & digits >> 1, four = two & two >> 2;

	return (four & four >> 4 & digits >> 8) != 0;
}

/* Reads the number before each of these commas. All are whole numbers of up to 8 digits. Moves *at behind the last
 * comma. */
static inline size_t
read_whole_ones(const char **at, uint64_t commas, uint64_t times, int64_t *to)
{
	const char *beginning = *at, *from = beginning;
	size_t count = 0;

	for (; commas != 0; commas &= commas - 1) {
		const char *comma = beginning + __builtin_ctzll(commas);

		to[count++] = (int64_t)(known_digits(from, (size_t)(comma - from)) * times);
		from = comma + 1;
	}
	*at = from;
	return count;
}

/* The same, up to a rare one. */
static inline size_t
read_mixed_ones(const char **at, const struct seen_places *seen, uint64_t commas, int scale, int64_t *to)
{
	const char *beginning = *at, *from = beginning;
	uint64_t points = seen->points;
	size_t count = 0;

	for (; commas != 0; commas &= commas - 1) {
		const char *comma = beginning + __builtin_ctzll(commas);
		uint64_t own = points & (commas ^ (commas - 1));	/* those up to the comma */

		points ^= own;
		if (own == 0 && comma - from <= 8)
			to[count] = (int64_t)(known_digits(from, (size_t)(comma - from)) * powers_of_ten[scale]);
		else if (own == 0 || (own & (own - 1)) != 0 ||
			 !read_fraction(from, beginning + __builtin_ctzll(own), comma, scale, &to[count]))
			break;
		count++;
		from = comma + 1;
	}
	*at = from;
	return count;
}

/* Short numbers with a comma after each, which follow the comma at *at; it moves to the last of these commas. Where
 * numbers and their fractions end, and that they are numbers, is found for many of them at once: so the processor need
 * not know where one ends to begin with the next. */
#define LONG_ONES 16u		/* numbers until they are looked for again where there was none */
static size_t
read_short_ones(const char **at, const char *end, int scale, int64_t *to, size_t room)
{
	const char *from = *at + 1, *beginning;
	uint64_t commas, wanted;
	size_t count = 0;

	do {
		struct seen_places seen;

		if (end - from < (ptrdiff_t)SEEN_BYTES || room - count < SEEN_BYTES / 2)
			break;
		beginning = from;
		seen = (struct seen_places){ places_of(',', from), places_of('.', from), digit_places(from) };
		wanted = seen.commas;
		commas = commas_of_numbers(&seen, places_of('0', from));
		count += seen.points == 0 && !has_nine(seen.digits)
				 ? read_whole_ones(&from, commas, powers_of_ten[scale], to + count)
				 : read_mixed_ones(&from, &seen, commas, scale, to + count);
	} while (from > beginning && commas == wanted);
	*at = from - 1;
	return count;
}

/* Stops before the comma of what it does not read. */
size_t
json_next_integers(struct json_reader *json, int scale, int64_t *to, size_t room)
{
	const char *at;
	size_t count = 0, again = 0, found;
	char sign;

	if (json->wrong != NULL || scale < 0 || scale > SCALE_MAX || !precedes(json, &sign) || sign == ':')
		return 0;
	at = json->at + (sign != '\0');
	while (count < room) {
		while (is_blank(*at))
			at++;
		if (!read_number(&at, scale, &to[count]))
			break;
		count++;
		if (count >= again && *at == ',') {
			found = read_short_ones(&at, json->end, scale, to + count, room - count);
			count += found;
			again = found > 0 ? 0 : count + LONG_ONES;
		}
		json->at = at;
		if (*at++ != ',')
			break;
	}
	if (count > 0)
		after_value(json);
	return count;
}

double
json_real(struct stk_text number)
{
	char text[64];
	size_t size = number.size < sizeof text - 1 ? number.size : sizeof text - 1;

	memcpy(text, number.data, size);
	text[size] = '\0';
	return strtod(text, NULL);
}
