/* SPDX-License-Identifier: MIT
 * section_search: asks each format for the first section of its own; the first of all wins. */
#include "ingest/section_search.h"

#include "ingest/binary_in_text.h"
#include "ingest/profile_json.h"
#include "ingest/text_lines.h"

#define REST_ASKS 1024u	/* how often JSON below a report may be asked what it is */

uint64_t
format_bit(const struct text_format *format)
{
	for (unsigned f = 0; text_formats[f] != NULL; f++)
		if (text_formats[f] == format)
			return UINT64_C(1) << f;
	return 0;
}

/* Where a section of the format with this index begins; NULL, also when the text was scanned by it. */
static const char *
find_section(size_t format, struct stk_text text, uint64_t asked)
{
	if (text_formats[format]->find == NULL || (asked >> format & 1) != 0 || text.size == 0)
		return NULL;
	return text_formats[format]->find(text);
}

const struct text_format *
section_first(struct stk_text text, uint64_t asked, const char **from)
{
	const struct text_format *first = NULL;

	*from = text_end(text);
	for (size_t f = 0; text_formats[f] != NULL; f++) {
		const char *at = find_section(f, text, asked);

		if (at == NULL || (first != NULL && at >= *from))
			continue;
		first = text_formats[f];
		*from = at;
		text.size = (size_t)(at - text.data);	/* another must begin before it */
	}
	return first;
}

bool
section_is_in(struct stk_text text)
{
	unsigned asks = REST_ASKS;
	const char *unused;

	return section_first(text, 0, &unused) != NULL || section_unread(text, &asks, &unused) != NULL;
}

/* Whether what this format takes ends where a section of the other one begins. */
static bool
ends_at(const struct text_format *format, const struct text_format *other)
{
	if (other->is_dump)
		return format->ends_at_dump || format->ends_at_section;
	return format->ends_at_section && !other->is_between && !(other->is_of_lines && format->is_like_folded);
}

const char *
section_end(const struct text_format *format, struct stk_text text, uint64_t asked,
	    const struct text_format **below)
{
	const char *first = NULL;

	for (size_t f = 0; text_formats[f] != NULL; f++) {
		const char *at = ends_at(format, text_formats[f]) ? find_section(f, text, asked) : NULL;

		if (at == NULL || (first != NULL && at >= first))
			continue;
		first = at;
		*below = text_formats[f];
		text.size = (size_t)(at - text.data);
	}
	return first;
}

static const char *
later(const char *one, const char *other)
{
	return one > other ? one : other;
}

/* The text with as many lines before and after it as decide whether a section begins there. */
static struct stk_text
with_lines_around(struct stk_text text, struct stk_text piece)
{
	const char *from = line_start(piece.data, text.data), *end = scan_line_end(text_end(text), text_end(piece));

	for (int lines = 0; lines < SECTION_LINES && from > piece.data; lines++)
		from = line_start(piece.data, from - 1);
	for (int lines = 0; lines < SECTION_LINES && end < text_end(piece); lines++)
		end = scan_line_end(end + 1, text_end(piece));
	return between(from, end);
}

/* A section of which the format takes some lines has others that it skips: only near these one is looked for, so that
 * lines of a log cost little. */
const char *
section_end_near(const struct text_format *format, const struct findings *findings, struct stk_text piece,
		 uint64_t asked, const struct text_format **below)
{
	struct stk_text near = between(piece.data, piece.data);
	const char *first = NULL;
	uint32_t last = 0;		/* line of near */

	for (size_t i = 0; i < findings->list.count && first == NULL; i++) {
		const struct finding *finding = &findings->list.at[i];
		struct stk_text skipped;

		if (finding->kind != FOUND_SKIPPED || (skipped = finding->is.skipped.text).size == 0)
			continue;
		if (near.size > 0 && finding->line > last + 2 * SECTION_LINES) {
			first = section_end(format, with_lines_around(near, piece), asked, below);
			near.size = 0;
		}
		near = near.size == 0 ? skipped : between(near.data, later(text_end(near), text_end(skipped)));
		last = finding->line + finding->is.skipped.lines;
	}
	if (first == NULL && near.size > 0)
		first = section_end(format, with_lines_around(near, piece), asked, below);
	return first;
}

/* What is not read within another text, by a line near its beginning. */
struct unread { const char *head, *within, *why; };
#define ONLY_FIRST "a report that is only read whole, from the beginning of a file"
static const struct unread unread_sections[] = {
	{ "Analysis of sampling ", " (pid ", ONLY_FIRST },
	{ "# callgrind format", "", ONLY_FIRST },
	{ "creator: callgrind", "", ONLY_FIRST },
	{ "creator: xdebug ", "", ONLY_FIRST },
	{ "Found one Java-level deadlock:", "", "a deadlock without a dump of threads that it is in" },
	{ "--- symbol", "", ONLY_FIRST },
	{ "MAPPED_LIBRARIES:", "", "libraries of a heap profile, whose frames have them only from the beginning of a file" },
	{ "TRACEDUMP_", " ", ONLY_FIRST },
	{ "EVENTDUMP_", " ", ONLY_FIRST },
	{ "<trace-query-result", ">", ONLY_FIRST },
	{ "rbspy0", "", ONLY_FIRST },
	{ "Weight\t", "\tSymbol Name", ONLY_FIRST },
	{ "Running Time\t", "\tSymbol Name", ONLY_FIRST },
	{ "Bytes Used\t", "\tSymbol Name", ONLY_FIRST },
	{ "Function Stack,", ":", ONLY_FIRST },
	{ "Function Stack;", ":", ONLY_FIRST },
	{ "Function Stack\t", ":", ONLY_FIRST },
	{ "\"Function Stack\"", ":", ONLY_FIRST },
	{ "{", "\"happening\":", "events in JSON, which are only read when a file begins with them" },
};

#define JSON_SHOWN (64u << 10)	/* bytes of JSON that show what it is */

/* The first key of a profile in JSON; the end of the text if there is none. */
static const char *
first_profile_key(struct stk_text text)
{
	static const char *const keys[] = { "\"ph\"",	"\"threadName\"", "\"frames\"",	     "\"threadDump\"",
					    "\"threads\"", "\"$schema\"",	  "\"meta\"",	     "\"resourceProfiles\"",
					    "\"nodes\"",	"\"head\"",	  "\"stringTable\"", "\"traceEvents\"" };
	const char *first = text_end(text);

	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
		const char *at = text_find(between(text.data, first), keys[k]);

		first = at != NULL ? at : first;
	}
	return first;
}

static bool
is_profile_in_json(struct stk_text text)
{
	enum profile_shape shape;

	text.size = text.size < JSON_SHOWN ? text.size : JSON_SHOWN;
	shape = profile_shape(text);
	/* a record of a log may have a time and a kind, too */
	return shape != SHAPE_NONE && shape != SHAPE_EVENTS;
}

/* Why what begins with this line is not read, of what its first line shows; NULL when it is nothing of the kind. */
static const char *
why_unread(struct stk_text line)
{
	for (size_t s = 0; s < sizeof unread_sections / sizeof *unread_sections; s++) {
		const struct unread *unread = &unread_sections[s];

		if (*line.data == *unread->head && text_starts(line, unread->head) &&
		    text_find(line, unread->within) != NULL)
			return unread->why;
	}
	return NULL;
}

/* The same of lines that are text. */
static const char *
text_unread(struct stk_text text, unsigned *asks, const char **why)
{
	const char *end = text_end(text), *key = NULL;

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end)) {
		if (line.size > 0 && (*why = why_unread(line)) != NULL)
			return line.data;
		if (line.size == 0 || (*line.data != '{' && *line.data != '[') || *asks == 0)
			continue;
		/* a reader of JSON costs too much to ask it of each record of a log, and so do many searches */
		if (key == NULL || key < line.data) {
			*asks -= key != NULL;
			key = first_profile_key(between(line.data, end));
		}
		if (key == end || key - line.data >= (ptrdiff_t)JSON_SHOWN || *asks == 0)
			continue;
		--*asks;
		if (is_profile_in_json(between(line.data, end))) {
			*why = ONLY_FIRST;
			return line.data;
		}
	}
	return NULL;
}

const char *
section_unread(struct stk_text text, unsigned *asks, const char **why)
{
	const char *binary = binary_in_text(text);
	const char *unread = text_unread(between(text.data, binary != NULL ? binary : text_end(text)), asks, why);

	if (unread == NULL && binary != NULL) {
		*why = "bytes that are no text, which are only read from the beginning of a file";
		return binary;
	}
	return unread;
}
