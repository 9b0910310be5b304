/* SPDX-License-Identifier: MIT
 * clean: byte order marks, UTF-16, carriage returns and log prefixes taken off, in four steps: bytes to UTF-8, text out
 * of its wrapping, CR LF to LF, prefix off. */
#include "ingest/clean.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/terminal_text.h"
#include "ingest/text_lines.h"
#include "ingest/unwrap.h"

#include <stdint.h>
#include <strings.h>

#define HELD_MAX (CLEAN_PREFIX_MAX * 8)	/* of a line that may yet turn out to have the prefix */

#define MARK_MAX 4
#define ZEROS_IN 64		/* bytes of a beginning without a mark that tell the encoding */

#define BARE_NAME_MAX   100	/* bytes, and words, of a thread's name that is not in brackets */
#define BARE_NAME_WORDS 4

enum encoding { UNDECIDED, UTF8, UTF16LE, UTF16BE, UTF32LE, UTF32BE };

typedef ARRAY(char) char_array;

struct cleaner {
	char_array text;		/* what is clean */
	char_array held;		/* the start of a line, until it is known whether it has the prefix */
	char prefix[CLEAN_PREFIX_MAX];
	size_t prefix_size;		/* 0: none */
	bool taken;			/* text was returned: dropped at the next add */
	bool after_start;		/* of a line: its start has been judged */
	bool carriage_return;		/* one was seen, but not yet what follows it */
	enum encoding encoding;
	bool only_cr;			/* lines end with CR alone */
	unsigned char odd[MARK_MAX];	/* of a mark, or the first bytes of a unit */
	unsigned odd_size;
	uint32_t high;			/* the first half of a surrogate pair, or 0 */
	uint32_t latest;		/* unit of UTF-16, or code of UTF-32; 0: none yet */
	uint32_t scripts;		/* bits of the first 32 blocks of 256 characters that were met */
	uint32_t bytes;			/* units in a row that may be two letters of a text in bytes each */
	uint32_t wrong;			/* codes that UTF-32 does not have */
	struct unwrapper *unwrapper;	/* NULL: lines are as they were written */
};

static void
append(char_array *array, const char *from, size_t size)
{
	if (size == 0)
		return;
	array_reserve(array, size);
	memcpy(array->at + array->count, from, size);
	array->count += size;
}

/* --- the shape of a prefix --- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *
run_end(const char *at, const char *end, bool (*is)(char))
{
	while (at < end && is(*at))
		at++;
	return at;
}

/* Words that vary from line to line of a log. */
static bool
is_varying_word(const char *word, size_t size)
{
	static const char words[][10] = {
		"jan",       "feb",      "mar",    "apr",       "may",     "jun",      "jul",      "aug",
		"sep",       "oct",      "nov",    "dec",       "january", "february", "march",    "april",
		"june",      "july",     "august", "september", "october", "november", "december", "mon",
		"tue",       "wed",      "thu",    "fri",       "sat",     "sun",      "monday",   "tuesday",
		"wednesday", "thursday", "friday", "saturday",  "sunday",  "am",       "pm",       "trace",
		"debug",     "info",     "notice", "warn",      "warning", "error",    "err",      "fatal",
		"severe",    "config",   "fine",   "finer",     "finest",  "status",   "stdout",   "stderr"
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == size && strncasecmp(words[i], word, size) == 0)
			return true;
	return false;
}

/* Matches a run of the prefix at *shape with the line at *at; both move past it. */
static bool
match_run(const char **shape, const char *shape_end, const char **at, const char *end)
{
	bool (*is)(char) = is_digit(**shape)    ? is_digit
			   : is_letter(**shape) ? is_letter
			   : is_blank(**shape)  ? is_blank
						: NULL;
	const char *stop = is != NULL ? run_end(*shape, shape_end, is) : *shape + 1;
	size_t size = (size_t)(stop - *shape);
	bool varies = is == is_digit || (is == is_letter && is_varying_word(*shape, size)) ||
		      (is == is_blank && stop < shape_end);
	const char *from = *at;

	if (varies)
		*at = run_end(from, end, is);
	else if ((size_t)(end - from) >= size && memcmp(from, *shape, size) == 0)
		*at = from + size;
	if (*at == from)
		return false;
	*shape = stop;
	return true;
}

bool
clean_has_clock(struct stk_text prefix)
{
	for (size_t i = 1; i + 2 < prefix.size; i++)
		if (prefix.data[i] == ':' && is_digit(prefix.data[i - 1]) && is_digit(prefix.data[i + 1]) &&
		    is_digit(prefix.data[i + 2]))
			return true;
	return false;
}

/* "1043 [main] INFO shop.Till - ": a logger's level after the name of a thread. */
static bool
has_level(struct stk_text prefix)
{
	static const char *const levels[] = { "] INFO ", "] WARN ", "] ERROR ", "] DEBUG ", "] TRACE ", "] FATAL " };

	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (scan_find(prefix, levels[i], strlen(levels[i])) != NULL)
			return true;
	return false;
}

/* After the bracket that closes the one at `at`; if brackets do not pair, after the first that closes. NULL: none. */
static const char *
bracket_end(const char *at, const char *end)
{
	char opens = *at, closes = opens == '[' ? ']' : ')';
	const char *first = NULL;
	int depth = 0;

	for (; at < end; at++) {
		depth += (*at == opens) - (*at == closes);
		if (*at == closes && first == NULL)
			first = at + 1;
		if (*at == closes && depth == 0)
			return at + 1;
	}
	return first;
}

/* Matches a name in brackets with any other: the name of a thread differs from line to line, in words and in length.
 * What begins with a digit is a time or a number, and keeps its shape. */
static bool
match_name(const char **shape, const char *shape_end, const char **at, const char *end)
{
	const char *stop, *line_stop;

	if ((**shape != '[' && **shape != '(') || **at != **shape)
		return false;
	stop = bracket_end(*shape, shape_end);
	line_stop = bracket_end(*at, end);
	if (stop == NULL || line_stop == NULL || is_digit(*run_end(*shape + 1, stop, is_blank)))
		return false;
	*shape = stop;
	*at = line_stop;
	return true;
}

/* The place where the shape and the line differ. *left is the part of the shape that was not matched. */
static const char *match_shape(struct stk_text prefix, struct stk_text line, bool names, struct stk_text *left);

static bool
is_name(char c)
{
	return is_digit(c) || is_letter(c) || (c != '\0' && strchr("_.:#$/@-", c) != NULL) || (unsigned char)c >= 0x80;
}

static bool
all_blank(const char *from, const char *end)
{
	return run_end(from, end, is_blank) == end;
}

/* Whether all of the shape is matched; blanks at its end need not be in the line when that ends there. */
static bool
is_whole(struct stk_text left, const char *at, const char *end)
{
	return left.size == 0 || (all_blank(left.data, left.data + left.size) && all_blank(at, end));
}

/* The end of the first match of the shape in [at, end) that begins at a blank; NULL without one. */
static const char *
find_shape(struct stk_text shape, const char *at, const char *end)
{
	bool only_blanks = all_blank(shape.data, shape.data + shape.size);

	for (const char *stop = at + 1; stop < end && stop - at < BARE_NAME_MAX; stop++) {
		struct stk_text left;
		const char *got;

		if (!is_blank(*stop))
			continue;
		got = match_shape(shape, between(stop, end), false, &left);
		if (is_whole(left, got, end))
			return got;
		if (only_blanks)	/* nothing says where a name of several words ends */
			break;
	}
	return NULL;
}

static const char *
word_start(const char *start, const char *at)
{
	while (at > start && !is_blank(at[-1]))
		at--;
	return at;
}

/* At a difference: matches a name that is not in brackets, of one word or several, with any other, if what comes after
 * it in the shape comes after it in the line. The end of the whole match, or NULL. */
static const char *
match_bare_name(struct stk_text prefix, const char *shape, struct stk_text line, const char *at)
{
	const char *shape_end = prefix.data + prefix.size, *end = line.data + line.size, *got = NULL;
	const char *rest = word_start(prefix.data, shape);

	at = word_start(line.data, at);
	if (rest == prefix.data || !is_name(*rest) || at == end || !is_name(*at))
		return NULL;
	for (unsigned words = 0; got == NULL && words < BARE_NAME_WORDS && rest < shape_end; words++) {
		rest = run_end(run_end(rest, shape_end, is_blank), shape_end, is_name);
		if (rest == shape_end || !is_blank(*rest))
			break;
		got = find_shape(between(rest, shape_end), at, end);
	}
	return got;
}

static const char *
match_shape(struct stk_text prefix, struct stk_text line, bool names, struct stk_text *left)
{
	const char *shape = prefix.data, *shape_end = prefix.data + prefix.size;
	const char *at = line.data, *end = line.data + line.size, *whole;

	while (shape < shape_end && at < end) {
		if ((names && match_name(&shape, shape_end, &at, end)) || match_run(&shape, shape_end, &at, end))
			continue;
		whole = names ? match_bare_name(prefix, shape, line, at) : NULL;
		if (whole == NULL)
			break;
		at = whole;
		shape = shape_end;
	}
	*left = text_of(shape, (size_t)(shape_end - shape));
	return at;
}

bool
clean_prefix_matches(struct stk_text prefix, struct stk_text line, size_t *size)
{
	struct stk_text left;
	bool names = clean_has_clock(prefix) || has_level(prefix);
	const char *at = prefix.size > 0 ? match_shape(prefix, line, names, &left) : NULL;

	if (at == NULL || !is_whole(left, at, line.data + line.size))
		return false;
	*size = left.size > 0 ? line.size : (size_t)(at - line.data);
	return true;
}

/* --- the fourth step: lines --- */

/* The held start of a line, which is complete, is passed on without its prefix. */
static void
judge_held(struct cleaner *c)
{
	size_t size = 0;

	if (c->held.count == 0)
		return;
	clean_prefix_matches(text_of(c->prefix, c->prefix_size), text_of(c->held.at, c->held.count), &size);
	append(&c->text, c->held.at + size, c->held.count - size);
	c->held.count = 0;
}

/* As much of a line, without its newline, as has arrived. A whole line, or enough of one, is examined in place. */
static void
add_line_part(struct cleaner *c, const char *from, size_t size, bool whole)
{
	size_t prefix = 0;

	if (c->prefix_size == 0 || c->after_start) {
		append(&c->text, from, size);
	} else if (c->held.count == 0 && (whole || size >= HELD_MAX)) {
		clean_prefix_matches(text_of(c->prefix, c->prefix_size),
				     text_of(from, size < HELD_MAX ? size : HELD_MAX), &prefix);
		append(&c->text, from + prefix, size - prefix);
		c->after_start = true;
	} else {
		append(&c->held, from, size);
		if (!whole && c->held.count < HELD_MAX)
			return;
		judge_held(c);
		c->after_start = true;
	}
}

static void
add_lines(struct cleaner *c, const char *from, size_t size)
{
	const char *end, *newline;

	if (c->prefix_size == 0 || size == 0) {
		append(&c->text, from, size);
		return;
	}
	end = from + size;
	while (from < end && (newline = memchr(from, '\n', (size_t)(end - from))) != NULL) {
		add_line_part(c, from, (size_t)(newline - from), true);
		append(&c->text, "\n", 1);
		c->after_start = false;
		from = newline + 1;
	}
	if (from < end)
		add_line_part(c, from, (size_t)(end - from), false);
}

/* --- the third step: CR LF --- */

/* CR alone ends a line; after one, LF is of the same end. */
static void
add_with_cr(struct cleaner *c, const char *from, const char *end)
{
	const char *cr;

	if (c->carriage_return && *from == '\n')
		from++;
	c->carriage_return = false;
	while (from < end && (cr = memchr(from, '\r', (size_t)(end - from))) != NULL) {
		add_lines(c, from, (size_t)(cr - from));
		add_lines(c, "\n", 1);
		c->carriage_return = cr + 1 == end;
		from = cr + 1 + (cr + 1 < end && cr[1] == '\n');
	}
	add_lines(c, from, (size_t)(end - from));
}

static void
add_unwrapped(struct cleaner *c, const char *from, size_t size)
{
	const char *end = from + size, *cr;

	if (size == 0)
		return;
	if (c->only_cr) {
		add_with_cr(c, from, end);
		return;
	}
	if (c->carriage_return && *from != '\n')
		add_lines(c, "\r", 1);
	c->carriage_return = false;
	while (from < end && (cr = memchr(from, '\r', (size_t)(end - from))) != NULL) {
		bool dropped = cr + 1 == end || cr[1] == '\n';

		c->carriage_return = cr + 1 == end;
		add_lines(c, from, (size_t)(cr + !dropped - from));
		from = cr + 1;
	}
	add_lines(c, from, (size_t)(end - from));
}

/* --- the second step: out of the wrapping --- */

static void
add_utf8(struct cleaner *c, const char *from, size_t size)
{
	struct stk_text text = text_of(from, size);

	if (c->unwrapper != NULL) {
		unwrap_add(c->unwrapper, text);
		text = unwrap_take(c->unwrapper);
	}
	add_unwrapped(c, text.data, text.size);
}

static void
end_unwrapping(struct cleaner *c)
{
	struct stk_text text;

	if (c->unwrapper == NULL)
		return;
	unwrap_end(c->unwrapper);
	text = unwrap_take(c->unwrapper);
	add_unwrapped(c, text.data, text.size);
}

/* --- the first step: UTF-8 --- */

#define REPLACEMENT   0xfffd	/* for half a surrogate pair, which UTF-8 cannot express */
#define MARK          0xfeff	/* at the beginning of each file */
#define BYTES_MOST    24u	/* units in a row: of Chinese, one in four may be two letters */
#define SCRIPTS_MOST  8u	/* of the first 32 blocks, which are alphabets: more in one text are binary data */
#define WRONG_MOST    8u

static bool
is_byte_of_text(uint32_t byte)
{
	return (byte >= ' ' && byte < 127) || byte == '\t' || byte == '\n' || byte == '\r';
}

/* What tells a text in another encoding, or binary data, below one in UTF-16. */
static void
note_unit(struct cleaner *c, uint32_t unit)
{
	if (unit > 0xff && unit < 0x2000)
		c->scripts |= UINT32_C(1) << (unit >> 8);
	if (c->bytes < BYTES_MOST)
		c->bytes = is_byte_of_text(unit >> 8) && is_byte_of_text(unit & 0xff) ? c->bytes + 1 : 0;
}

/* The mark of a file that was appended to another one. */
static bool
is_mark_of_next(struct cleaner *c, uint32_t code)
{
	bool begins = c->latest == 0 || c->latest == '\n' || c->latest == '\r';

	c->latest = code;
	return code == MARK && begins;
}

/* One unit of UTF-16: at most two characters, as the first half of a pair may turn out to be alone. */
static size_t
put_unit(struct cleaner *c, char *to, uint32_t unit)
{
	uint32_t high = c->high;
	size_t size = 0;

	c->high = 0;
	note_unit(c, unit);
	if (is_mark_of_next(c, unit))
		return 0;
	if (high != 0 && unit >= 0xdc00 && unit < 0xe000)
		return utf8_write(to, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
	if (high != 0)
		size = utf8_write(to, REPLACEMENT);
	if (unit >= 0xd800 && unit < 0xdc00) {
		c->high = unit;
		return size;
	}
	return size + utf8_write(to + size, unit);
}

static void
add_utf16(struct cleaner *c, const char *from, size_t size)
{
	char piece[4096];
	size_t filled = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)from[i], first = c->odd[0];

		if (c->odd_size == 0) {
			c->odd[0] = byte;
			c->odd_size = 1;
			continue;
		}
		c->odd_size = 0;
		filled += put_unit(c, piece + filled,
				   c->encoding == UTF16LE ? first | (uint32_t)byte << 8 : (uint32_t)first << 8 | byte);
		if (filled > sizeof piece - 8) {
			add_utf8(c, piece, filled);
			filled = 0;
		}
	}
	add_utf8(c, piece, filled);
}

static void
add_utf32(struct cleaner *c, const char *from, size_t size)
{
	char piece[4096];
	size_t filled = 0;

	for (size_t i = 0; i < size; i++) {
		const unsigned char *b = c->odd;
		uint32_t code;

		c->odd[c->odd_size++] = (unsigned char)from[i];
		if (c->odd_size < 4)
			continue;
		c->odd_size = 0;
		code = c->encoding == UTF32LE ? b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24
					      : b[3] | (uint32_t)b[2] << 8 | (uint32_t)b[1] << 16 |
							(uint32_t)b[0] << 24;
		if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
			c->wrong += c->wrong < WRONG_MOST;
			code = REPLACEMENT;
		}
		if (is_mark_of_next(c, code))
			continue;
		filled += utf8_write(piece + filled, code);
		if (filled > sizeof piece - 8) {
			add_utf8(c, piece, filled);
			filled = 0;
		}
	}
	add_utf8(c, piece, filled);
}

static void
add_encoded(struct cleaner *c, const char *from, size_t size)
{
	if (c->encoding == UTF8)
		add_utf8(c, from, size);
	else if (c->encoding == UTF32LE || c->encoding == UTF32BE)
		add_utf32(c, from, size);
	else
		add_utf16(c, from, size);
}

/* The mark at the start of a file; how many bytes of it are to be dropped. */
static size_t
read_mark(const unsigned char *at, size_t size, enum encoding *encoding)
{
	if (size >= 4 && at[0] == 0xff && at[1] == 0xfe && at[2] == 0 && at[3] == 0) {
		*encoding = UTF32LE;
		return 4;
	}
	if (size >= 4 && at[0] == 0 && at[1] == 0 && at[2] == 0xfe && at[3] == 0xff) {
		*encoding = UTF32BE;
		return 4;
	}
	if (size >= 2 && at[0] == 0xff && at[1] == 0xfe) {
		*encoding = UTF16LE;
		return 2;
	}
	if (size >= 2 && at[0] == 0xfe && at[1] == 0xff) {
		*encoding = UTF16BE;
		return 2;
	}
	*encoding = UTF8;
	return size >= 3 && at[0] == 0xef && at[1] == 0xbb && at[2] == 0xbf ? 3 : 0;
}

/* Holds the first bytes back, as they may be a mark. */
static void
decide(struct cleaner *c)
{
	unsigned char mark[MARK_MAX];
	unsigned size = c->odd_size;
	size_t dropped;

	memcpy(mark, c->odd, sizeof mark);
	c->odd_size = 0;
	dropped = read_mark(mark, size, &c->encoding);
	add_encoded(c, (const char *)mark + dropped, size - dropped);
}

/* The encoding of a text without a mark, by where its zero bytes are: most of it is ASCII. */
static enum encoding
encoding_of(struct stk_text beginning)
{
	size_t size = (beginning.size < ZEROS_IN ? beginning.size : ZEROS_IN) / 4 * 4;
	size_t zeros[4] = { 0 }, units = size / 4;

	for (size_t i = 0; i < size; i++)
		zeros[i % 4] += beginning.data[i] == '\0';
	if (units < 4)
		return UTF8;
	if (zeros[0] == 0 && zeros[1] == units && zeros[2] == units && zeros[3] == units)
		return UTF32LE;
	if (zeros[3] == 0 && zeros[0] == units && zeros[1] == units && zeros[2] == units)
		return UTF32BE;
	if (zeros[0] + zeros[2] == 0 && zeros[1] + zeros[3] >= 2 * units - 2)
		return UTF16LE;
	if (zeros[1] + zeros[3] == 0 && zeros[0] + zeros[2] >= 2 * units - 2)
		return UTF16BE;
	return UTF8;
}

/* --- the interface --- */

void
cleaner_expect(struct cleaner *c, struct stk_text beginning)
{
	enum encoding marked;

	if (beginning.size == 0)
		return;
	c->only_cr = memchr(beginning.data, '\r', beginning.size) != NULL &&
		     memchr(beginning.data, '\n', beginning.size) == NULL;
	if (read_mark((const unsigned char *)beginning.data, beginning.size, &marked) == 0)
		c->encoding = encoding_of(beginning);
}

bool
clean_needed(struct stk_text beginning)
{
	enum encoding encoding;

	if (beginning.size == 0)
		return false;
	return read_mark((const unsigned char *)beginning.data, beginning.size, &encoding) > 0 ||
	       encoding_of(beginning) != UTF8 ||
	       memchr(beginning.data, '\r', beginning.size) != NULL;
}

void
cleaner_open(struct cleaner **out)
{
	*out = mem_new(1, sizeof **out);
}

void
cleaner_close(struct cleaner *c)
{
	if (c == NULL)
		return;
	array_release(&c->text);
	array_release(&c->held);
	unwrap_close(c->unwrapper);
	free(c);
}

void
cleaner_unwrap(struct cleaner *c, enum wrapping wrapping)
{
	unwrap_open(&c->unwrapper, wrapping);
}

uint64_t
cleaner_lost(const struct cleaner *c)
{
	return c->unwrapper != NULL ? unwrap_lost(c->unwrapper) : 0;
}

bool
cleaner_met_other(const struct cleaner *c)
{
	return c->bytes == BYTES_MOST || c->wrong == WRONG_MOST ||
	       (unsigned)__builtin_popcount(c->scripts) >= SCRIPTS_MOST;
}

void
cleaner_unwrap_again(struct cleaner *c, enum wrapping wrapping, struct stk_text text)
{
	cleaner_unwrap(c, wrapping);
	c->text.count = 0;
	c->taken = false;
	add_utf8(c, text.data, text.size);
}

void
cleaner_set_prefix(struct cleaner *c, struct stk_text prefix)
{
	c->prefix_size = prefix.size <= CLEAN_PREFIX_MAX ? prefix.size : 0;
	if (c->prefix_size > 0)
		memcpy(c->prefix, prefix.data, c->prefix_size);
}

void
cleaner_add(struct cleaner *c, const char *from, size_t size)
{
	if (c->taken)
		c->text.count = 0;
	c->taken = false;
	while (c->encoding == UNDECIDED && size > 0) {
		c->odd[c->odd_size++] = (unsigned char)*from++;
		size--;
		if (c->odd_size == sizeof c->odd)
			decide(c);
	}
	if (size > 0)
		add_encoded(c, from, size);
}

/* The start of a line that is held came in after the text. */
void
cleaner_add_again(struct cleaner *c, struct stk_text text)
{
	char_array held = c->held;

	c->held = (char_array){ 0 };
	c->text.count = 0;
	c->taken = c->after_start = false;
	add_lines(c, text.data, text.size);
	add_lines(c, held.at, held.count);
	array_release(&held);
}

void
cleaner_end(struct cleaner *c)
{
	char last[4];

	cleaner_add(c, NULL, 0);
	if (c->encoding == UNDECIDED)
		decide(c);
	if (c->encoding != UTF8 && (c->high != 0 || c->odd_size > 0))
		add_utf8(c, last, utf8_write(last, REPLACEMENT));
	end_unwrapping(c);
	if (c->carriage_return && !c->only_cr)
		add_lines(c, "\r", 1);
	c->high = 0;
	c->odd_size = 0;
	c->carriage_return = false;
	judge_held(c);
}

struct stk_text
cleaner_take(struct cleaner *c)
{
	c->taken = true;
	return text_of(c->text.at, c->text.count);
}
