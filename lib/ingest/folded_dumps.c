/* SPDX-License-Identifier: MIT
 * folded_dumps: folded stacks with times: a line "@2026-03-01T09:00:00Z" or "@1772355600.5" begins a dump, and
 * "frame;frame COUNT" lines are its threads. For tests, and for sources that have only counts over time. */
#include "ingest/folded.h"

#include "base/time_text.h"
#include "ingest/scan_text.h"

#define MOMENT_MAX 64

/* A moment with its zone: an epoch, or RFC 3339 with Z or an offset after the time. */
static bool
is_zoned(struct stk_text moment)
{
	const char *colon = memchr(moment.data, ':', moment.size), *end = moment.data + moment.size;

	if (colon == NULL)
		return memchr(moment.data, '-', moment.size) == NULL;
	for (; colon < end; colon++)
		if (*colon == 'Z' || *colon == '+' || *colon == '-')
			return true;
	return false;
}

static bool
read_moment(struct stk_text line, int64_t *ns, bool *zoned)
{
	struct stk_error unused = { 0 };
	char text[MOMENT_MAX];
	struct stk_text moment;
	bool read;

	while (line.size > 0 && (line.data[line.size - 1] == '\r' || line.data[line.size - 1] == ' '))
		line.size--;
	if (line.size < 2 || line.size >= sizeof text || line.data[0] != '@' || line.data[1] < '0' ||
	    line.data[1] > '9')
		return false;
	memcpy(text, line.data, line.size);
	text[line.size] = '\0';
	moment = text_of(text + 1, line.size - 1);
	*zoned = is_zoned(moment);
	read = time_parse(memchr(moment.data, '-', moment.size) == NULL ? text : text + 1, 0, NULL, ns, &unused) == 0;
	stk_error_clear(&unused);
	return read;
}

static bool
take_moment(struct findings *findings, uint32_t line, struct stk_text text)
{
	struct finding *dump;
	int64_t ns;
	bool zoned;

	if (text.size == 0 || text.data[0] != '@' || memchr(text.data, ';', text.size) != NULL)
		return false;
	if (!read_moment(text, &ns, &zoned)) {
		found_skipped(findings, line, text, 1, SKIP_BROKEN, "a line with @ that is not a time");
		return true;
	}
	dump = found(findings, FOUND_DUMP, line);
	dump->is.dump.civil_ns = ns;
	dump->is.dump.zoned = zoned;
	return true;
}

static void
scan(struct findings *findings, struct stk_text piece)
{
	folded_scan(findings, piece, take_moment, false);
}

static void
read_stack(struct stack_reading *reading, struct stk_text stack)
{
	folded_format.read_stack(reading, stack);
}

static bool
read_frame(struct frame_parts *parts, struct stk_text line)
{
	return folded_format.read_frame(parts, line);
}

static size_t
cut(struct stk_text text)
{
	return folded_format.cut(text);
}

/* It begins with a time; lines that do not fit are rejected later. */
static int
recognise(struct stk_text text)
{
	const char *end = scan_line_end(text.data, text.data + text.size);
	int64_t ns;
	bool zoned;

	return text.size > 0 && read_moment(text_of(text.data, (size_t)(end - text.data)), &ns, &zoned) ? 95 : 0;
}

/* A time with folded stacks below it. */
static const char *
find(struct stk_text text)
{
	const char *end = text.data + text.size, *next;

	for (const char *at = text.data; at < end; at = next + (next < end)) {
		int64_t ns;
		bool zoned;

		next = scan_line_end(at, end);
		if (*at == '@' && next < end && read_moment(text_of(at, (size_t)(next - at)), &ns, &zoned) &&
		    folded_format.recognise(text_of(next + 1, (size_t)(scan_line_end(next + 1, end) - next - 1))) > 0)
			return at;
	}
	return NULL;
}

const struct text_format folded_dumps_format = {
	.name = "folded-dumps",
	.about = "folded stacks after lines of @TIME",
	.shown_by = "a line @TIME above folded stacks",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_UNKNOWN,
	.is_like_folded = true,
	.ends_at_section = true,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan,
	.read_stack = read_stack,
	.read_frame = read_frame
};
