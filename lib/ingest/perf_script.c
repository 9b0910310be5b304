/* SPDX-License-Identifier: MIT
 * perf_script: the text that `perf script` prints: a header line a sample, under it its stack, leaf first, and a blank
 * line.
 *
 *	java 6929/6938 [011] 184694.023342:   12909224 cycles:P:
 *		    7f35a9854ff8 Interpreter+0x1ae (/tmp/perf-339.map)
 *
 * Which fields a header has depends on -F and on the version of perf; their order never changes: command, pid/tid,
 * [cpu], time, period, event. The command may hold blanks and numbers, so a header is found by its numbers: the first
 * place where ids are followed by a cpu or a time. Recordings without either have weak headers, which are accepted only
 * where a sample can begin. Without -g the only frame is in the header line. */
#include "ingest/ingest.h"
#include "ingest/log_line.h"
#include "ingest/java_symbol.h"
#include "ingest/scan_text.h"
#include "ingest/text_lines.h"
#include "ingest/trace_point.h"
#include "model/perf_words.h"

#define NEAR         1024	/* bytes, of which most lines have fewer */
#define COMMAND_MAX  64		/* the kernel's are 15 bytes; other writers of this text are more generous */
#define SHORT_COMMAND_MAX 15	/* where nothing else indicates a header */
#define LEAF_KEY_MAX 1024	/* a longer leaf is hashed as it is */

#define PERF_SWITCH "PERF_RECORD_SWITCH"

enum { DIGIT = 1, HEX = 2, BLANK = 4 };

/* A table lookup gives the class of a byte: needed for most bytes outside stacks. Addresses are in small letters. */
static const unsigned char kinds[256] = {
	['0'] = DIGIT | HEX, ['1'] = DIGIT | HEX, ['2'] = DIGIT | HEX, ['3'] = DIGIT | HEX, ['4'] = DIGIT | HEX,
	['5'] = DIGIT | HEX, ['6'] = DIGIT | HEX, ['7'] = DIGIT | HEX, ['8'] = DIGIT | HEX, ['9'] = DIGIT | HEX,
	['a'] = HEX, ['b'] = HEX, ['c'] = HEX, ['d'] = HEX, ['e'] = HEX, ['f'] = HEX, [' '] = BLANK, ['\t'] = BLANK
};

static inline bool
is_kind(char c, unsigned kind)
{
	return (kinds[(unsigned char)c] & kind) != 0;
}

static inline bool
is_digit(char c)
{
	return is_kind(c, DIGIT);
}

static inline bool
is_hex(char c)
{
	return is_kind(c, HEX);
}

static inline bool
is_blank(char c)
{
	return is_kind(c, BLANK);
}

static inline const char *
skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

static inline const char *
skip_word(const char *at, const char *end)
{
	while (at < end && !is_blank(*at))
		at++;
	return at;
}

static const char *
trim_right(const char *from, const char *end)
{
	while (end > from && is_blank(end[-1]))
		end--;
	return end;
}

/* --- frames: "7f35a9854ff8 function+0x1ae (module)" --- */

/* The hexadecimal address that a frame begins with: where it ends, or NULL. */
static const char *
address_end(const char *from, const char *end)
{
	const char *at = from;

	while (at < end && is_hex(*at))
		at++;
	return at > from && at - from <= 16 && (at == end || is_blank(*at)) ? at : NULL;
}

/* Enough to distinguish a frame from a header when neither is indented. */
static bool
is_frame(const char *from, const char *end)
{
	end = trim_right(from, end);
	from = skip_blanks(from, end);
	return end - from > 4 && end[-1] == ')' && address_end(from, end) != NULL;
}

static bool
has_digit(const char *from, const char *end)
{
	while (from < end && !is_digit(*from))
		from++;
	return from < end;
}

/* "5164943205054 0x17698 [0x30]: PERF_RECORD_FORK(4075:4109):(4075:4075)", of perf script -D */
static bool
is_record(const char *from, const char *end)
{
	end = trim_right(from, end);
	return end - from > 8 && end[-1] == ')' && scan_find(between(from, end), ": PERF_RECORD_", 14) != NULL;
}

/* Stricter: "a thing (of words)" is not a frame, unless it is where perf puts addresses. */
static bool
is_sure_frame(const char *from, const char *end)
{
	const char *word = skip_blanks(from, end);
	const char *address = address_end(word, end);

	if (address == NULL)
		return false;
	return (*from == '\t' && address - from == 17) ||
	       (has_digit(word, address) && is_frame(word, end) && !is_record(word, end));
}

/* The '(' that belongs to the ')' before end, or NULL. A module's path may hold parentheses: "(/memfd:jit
 * (deleted))". */
static const char *
opening(const char *from, const char *end)
{
	const char *at = memrchr(from, '(', (size_t)(end - from));
	size_t depth = 0;

	if (at == NULL || memchr(at, ')', (size_t)(end - 1 - at)) == NULL)
		return at;
	for (at = end; at-- > from; ) {
		if (*at == ')')
			depth++;
		else if (*at == '(' && --depth == 0)
			return at;
	}
	return NULL;
}

/* A frame's text in pieces: all that two frames must share to be the same, and what varies. */
struct frame_pieces {
	struct stk_text address, function, offset, module;
	struct stk_text source;	/* what follows the frame's own line */
	enum stk_form form;
};

/* Takes "+0x1ae" from the end of the function. Only as perf writes it: what is put together again must be the same. */
static void
split_offset(struct frame_pieces *pieces)
{
	const char *from = pieces->function.data;
	const char *end = from + pieces->function.size;
	const char *digits = end;

	while (digits > from && end - digits < 16 && is_hex(digits[-1]))
		digits--;
	if (digits == end || digits - from < 4 || memcmp(digits - 3, "+0x", 3) != 0 ||
	    (*digits == '0' && end - digits > 1))
		return;
	pieces->function = between(from, digits - 3);
	pieces->offset = between(digits, end);
}

/* What follows the address. */
static void
split_function(struct frame_pieces *pieces, const char *from, const char *end)
{
	const char *open = end[-1] == ')' ? opening(from, end) : NULL;

	pieces->function = between(from, end);
	if (open == from) {	/* a module alone, after the blanks around a symbol that is missing; without these it is
				 * a text of its own */
		if (from[-2] != ' ')
			return;
		pieces->form = STK_FORM_NATIVE;
		pieces->function = text_of("", 0);
		pieces->module = between(open + 1, end - 1);
		return;
	}
	pieces->form = STK_FORM_NATIVE;
	if (open != NULL && open - from > 1 && open[-1] == ' ' && end - open > 2) {
		pieces->function = between(from, open - 1);
		pieces->module = between(open + 1, end - 1);
	}
	if (text_is(pieces->module, "inlined")) {
		pieces->form = STK_FORM_INLINED;
		pieces->module = text_of("", 0);
	}
	split_offset(pieces);
}

/* The line of a frame, with the source lines under it when there are any. Without a function the address replaces
 * it. */
static bool
split_frame(struct frame_pieces *pieces, struct stk_text text)
{
	const char *end = text.data + text.size;
	const char *line_end = scan_line_end(text.data, end);
	const char *from = skip_blanks(text.data, line_end);
	const char *address = address_end(from, line_end);

	*pieces = (struct frame_pieces){ .form = STK_FORM_PLAIN };
	if (address == NULL)
		return false;
	pieces->address = pieces->function = between(from, address);
	pieces->source = between(line_end, end);
	from = skip_blanks(address, line_end);
	if (from < line_end)
		split_function(pieces, from, line_end);
	return true;
}

/* "  file.c:123", of -F +srcline. For what has no source, perf writes "  libc.so[27b25]" or nothing. */
static void
read_source(struct frame_parts *parts, struct stk_text source)
{
	static const char inlined[] = " (inlined)";
	const size_t inlined_size = sizeof inlined - 1;
	const char *end = source.data + source.size;
	const char *from = source.data;
	const char *digits;
	uint64_t line;

	while (from < end && (is_blank(*from) || *from == '\n'))
		from++;
	end = scan_line_end(from, end);
	if ((size_t)(end - from) > inlined_size && memcmp(end - inlined_size, inlined, inlined_size) == 0) {
		end -= inlined_size;
		if (parts->module.size == 0)
			parts->form = STK_FORM_INLINED;
	}
	for (digits = end; digits > from && is_digit(digits[-1]); )
		digits--;
	if (digits - from < 2 || digits[-1] != ':')
		return;
	parts->file = between(from, digits - 1);
	if (text_is(parts->file, "??"))			/* not known */
		parts->file = text_of("", 0);
	if (scan_decimal(&digits, end, &line) && line <= INT32_MAX)
		parts->line = (int64_t)line;
	else
		parts->file = text_of("", 0);
}

static bool
read_frame(struct frame_parts *parts, struct stk_text text)
{
	struct frame_pieces pieces;
	const char *address, *offset;

	if (!split_frame(&pieces, text))
		return false;
	*parts = (struct frame_parts){ .function = pieces.function, .module = pieces.module, .form = pieces.form,
				       .is_symbol = is_java_symbol(pieces.function) };
	address = pieces.address.data;
	offset = pieces.offset.data;
	(void)scan_hex(&address, address + pieces.address.size, &parts->address);
	if (pieces.offset.size > 0)
		(void)scan_hex(&offset, offset + pieces.offset.size, &parts->offset);
	if (pieces.source.size > 0)
		read_source(parts, pieces.source);
	return true;
}

/* --- a stack's text --- */

/* "  file.c:123" under a frame. */
static bool
is_source_line(const char *from, const char *end)
{
	return end - from > 2 && from[0] == ' ' && from[1] == ' ' && !is_blank(from[2]) &&
	       address_end(from + 2, end) == NULL;
}

/* Where the text of the frame that begins at from ends: with its line, or with the source lines under it. */
static const char *
frame_end(const char *from, const char *end)
{
	const char *line_end = scan_line_end(from, end);

	while (end - line_end > 3 && line_end[1] == ' ') {
		const char *next_end = scan_line_end(line_end + 1, end);

		if (!is_source_line(line_end + 1, next_end))
			break;
		line_end = next_end;
	}
	return line_end;
}

static void
read_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size;
	const char *next;

	for (const char *at = stack.data; at < end; at = next + (next < end)) {
		const char *word = skip_blanks(at, end);

		next = scan_line_end(at, end);
		if (word >= next)
			continue;
		if (next - at > INGEST_LINE_MAX) {
			stack_broken(reading, between(at, next), "a line of more than 1 MiB");
		} else if (address_end(word, next) != NULL) {
			next = frame_end(at, end);
			stack_frame(reading, between(at, next));
		/* 0x: a branch stack */
		} else if (!is_source_line(at, next) && !(next - word > 2 && memcmp(word, "0x", 2) == 0) &&
			   !log_line_is(between(at, next))) {
			stack_broken(reading, between(at, next), "a line that is not a frame");
		}
	}
}

/* --- header lines --- */

struct header {
	struct stk_text name, event, rest;
	uint64_t pid, tid, period;
	int64_t time_ns;
	int32_t processor;
	bool sure;	/* has a cpu or a time */
};

static const struct header no_header = { .name = { "", 0 },
					 .event = { "", 0 },
					 .rest = { "", 0 },
					 .period = 1,
					 .time_ns = STK_TIME_UNKNOWN,
					 .processor = PROCESSOR_UNKNOWN };

/* A word's end: a blank, or the end of the line. */
static inline bool
at_word_end(const char *at, const char *end)
{
	return at == end || is_blank(*at);
}

/* "-1" is an idle or unknown thread, for us 0. */
static bool
take_id(const char **at, const char *end, uint64_t *id)
{
	bool negative = *at < end && **at == '-';
	const char *p = *at + negative;

	if (!scan_decimal(&p, end, id))
		return false;
	if (negative)
		*id = 0;
	*at = p;
	return true;
}

/* "6938" is the thread; "6929/6938" process and thread. */
static bool
take_ids(const char **at, const char *end, struct header *header)
{
	const char *p = *at;

	header->pid = 0;
	if (!take_id(&p, end, &header->tid))
		return false;
	if (p < end && *p == '/') {
		p++;
		header->pid = header->tid;
		if (!take_id(&p, end, &header->tid))
			return false;
	}
	if (!at_word_end(p, end))
		return false;
	*at = p;
	return true;
}

/* "[011]" */
static bool
take_processor(const char **at, const char *end, struct header *header)
{
	const char *p = *at;
	uint64_t processor;

	if (p == end || *p++ != '[' || !scan_decimal(&p, end, &processor) || p == end || *p++ != ']' ||
	    !at_word_end(p, end) || processor > INT32_MAX)
		return false;
	header->processor = (int32_t)processor;
	*at = p;
	return true;
}

/* "184694.023342:", seconds with 6 digits of a fraction, with 9 by --ns, or with any other number of them: other
 * writers of this text have their own. What is below a nanosecond is cut. */
static bool
take_time(const char **at, const char *end, struct header *header)
{
	const char *p = *at;
	uint64_t seconds, part = 0, unit = 100000000;

	if (!scan_decimal(&p, end, &seconds) || end - p < 3 || *p != '.' || !is_digit(p[1]) ||
	    seconds > INT64_MAX / 1000000000 - 1)
		return false;
	for (p++; p < end && is_digit(*p); p++, unit /= 10)
		part += (uint64_t)(*p - '0') * unit;
	if (p == end || *p != ':')
		return false;
	header->time_ns = (int64_t)(seconds * 1000000000 + part);
	*at = p + 1;
	return true;
}

/* What is between ids and event: cpu, the letters of -F +misc, time. */
static bool
take_moment(const char **at, const char *end, struct header *header)
{
	const char *p = skip_blanks(*at, end);
	const char *word;

	header->processor = PROCESSOR_UNKNOWN;
	header->time_ns = STK_TIME_UNKNOWN;
	if (take_processor(&p, end, header))
		p = skip_blanks(p, end);
	for (word = p; word < end && word - p < 6 && (unsigned char)(*word - 'A') < 26; )
		word++;
	if (word > p && at_word_end(word, end))
		p = skip_blanks(word, end);
	if (!take_time(&p, end, header) && header->processor == PROCESSOR_UNKNOWN)
		return false;
	*at = p;
	return true;
}

/* "12909224 cycles:P: " and what follows */
static void
take_event(const char *at, const char *end, struct header *header)
{
	const char *p = skip_blanks(at, end);
	const char *word = p;
	uint64_t period = 1;

	if (scan_decimal(&p, end, &period) && at_word_end(p, end)) {
		p = skip_blanks(p, end);
		word = skip_word(p, end);
		if (word == p || word[-1] == ':')
			header->period = period;
		else
			word = p = skip_blanks(at, end);	/* not a period, but the address of a frame */
	} else {
		p = word;
	}
	if (word == p)
		word = skip_word(p, end);
	if (word - p > 1 && word[-1] == ':') {
		header->event = between(p, word - 1);
		p = skip_blanks(word, end);
	}
	header->rest = between(p, end);
}

/* The frame in the rest of a header line, of a recording without -g. Without a module the address must look like one:
 * digits in it, and length. */
static bool
rest_is_frame(struct stk_text rest)
{
	const char *end = rest.data + rest.size;
	const char *address = address_end(rest.data, end);

	return address != NULL && has_digit(rest.data, address) &&
	       (address - rest.data > 4 || is_frame(rest.data, end));
}

/* Without cpu and time only the event indicates a header, and what follows it must be valid. */
static bool
is_believable(const struct header *header)
{
	if (header->rest.size == 0)
		return true;
	return header->event.size > 0 &&
	       (rest_is_frame(header->rest) || memchr(header->event.data, ':', header->event.size) != NULL);
}

/* Reads the line [at, end). A header that is not sure may not be a header at all. Each word that the command could end
 * at is tried, up to COMMAND_MAX. */
static bool
read_header(struct header *header, const char *at, const char *end)
{
	const char *ids = NULL;	/* of a header that is not sure */
	const char *next;

	end = trim_right(at, end);
	at = skip_blanks(without_mark(between(at, end)).data, end);
	*header = no_header;
	for (const char *name_end = at; name_end < end && name_end - at <= COMMAND_MAX;
	     name_end = next == end ? end : skip_word(next, end)) {
		const char *p = next = skip_blanks(name_end, end);

		if (name_end == at || !take_ids(&p, end, header))
			continue;
		if (take_moment(&p, end, header)) {
			header->name = between(at, name_end);
			header->sure = true;
			take_event(p, end, header);
			return true;
		}
		if (ids == NULL) {
			ids = next;
			header->name = between(at, name_end);
		}
	}
	if (ids == NULL)
		return false;
	(void)take_ids(&ids, end, header);
	take_event(ids, end, header);
	return is_believable(header);
}

/* "java cycles:", of a recording with neither ids nor anything else. Accepted only above a frame. */
static bool
read_short_header(struct header *header, const char *at, const char *end)
{
	const char *name_end;

	*header = no_header;
	end = trim_right(at, end);
	at = skip_blanks(at, end);
	if (end > at && end[-1] == ':') {
		for (name_end = end; name_end > at && !is_blank(name_end[-1]); )
			name_end--;
		header->event = between(name_end, end - 1);
		end = trim_right(at, name_end);
	}
	header->name = between(at, end);
	return end - at <= SHORT_COMMAND_MAX && (end > at || header->event.size > 0);
}

/* A line that can only be the beginning of a sample, wherever it is. */
static bool
begins_sample(const char *from, const char *end)
{
	struct header header;

	if (from == end || *from == '\t' || !read_header(&header, from, end))
		return false;
	if (header.sure)
		return true;
	if (header.event.size == 0)
		return false;
	return header.rest.size > 0 ? rest_is_frame(header.rest) : *from != ' ' && !is_frame(from, end);
}

/* --- the scan --- */

enum header_kind { HEADER_NONE, HEADER_SURE, HEADER_WEAK };

struct scan {
	struct findings *findings;
	enum header_kind last;	/* of the sample before */
	const char *at, *end;
	uint32_t line;
	const char *noise;	/* lines not understood so far, reported together */
	uint32_t noise_line;
};

static void
say_noise(struct scan *scan)
{
	if (scan->noise == NULL)
		return;
	found_skipped(scan->findings, scan->noise_line, between(scan->noise, scan->at), scan->line - scan->noise_line,
		      SKIP_NOISE, "a line that is not a sample");
	scan->noise = NULL;
}

static void
pass_line(struct scan *scan, const char *line_end)
{
	scan->at = line_end + (line_end < scan->end);
	scan->line += line_end < scan->end;
}

static void
pass_noise(struct scan *scan, const char *line_end)
{
	if (scan->noise == NULL) {
		scan->noise = scan->at;
		scan->noise_line = scan->line;
	}
	pass_line(scan, line_end);
}

/* Only the host is used: every sample has its process. */
/* "# cmdline : ..." and "#", but not "#0  0x00007f9c in read ()" of gdb. */
static bool
is_comment(const char *at, const char *end)
{
	return at < end && *at == '#' && (at + 1 == end || at[1] == ' ' || at[1] == '\n' || at[1] == '\r');
}

static void
pass_comment(struct scan *scan, const char *line_end)
{
	static const char host[] = "# hostname : ", head[] = "# ======";
	struct stk_text line = between(scan->at, trim_right(scan->at, line_end));

	if (scan->noise != NULL && !text_starts(line, head)) {
		pass_noise(scan, line_end);	/* "# labels: {...}" of Go, below a record */
		return;
	}
	say_noise(scan);
	if (line.size > sizeof host - 1 && text_starts(line, host))
		found(scan->findings, FOUND_CAPTURE, scan->line)->is.capture.host =
			between(line.data + sizeof host - 1, line.data + line.size);
	pass_line(scan, line_end);
}

/* Whether frames begin at scan->at. */
static bool
is_stack(const struct scan *scan)
{
	const char *line_end;

	if (scan->at == scan->end || *scan->at == '\n' || *scan->at == '#')
		return false;
	if (*scan->at == '\t')
		return true;
	line_end = scan_line_end(scan->at, scan->end);
	return (*scan->at == ' ' || is_frame(scan->at, line_end)) && !begins_sample(scan->at, line_end);
}

/* Skips the lines of a stack, including lines among them that are not frames: those of a log are noise, others are
 * reported by read_stack. A stack ends at a blank line; at the header of the next sample when the text lost the blank
 * line, as at the seam of two files; at a frame of SystemTap; or at a comment. */
static struct stk_text
pass_stack(struct scan *scan)
{
	const char *from = scan->at;

	while (scan->at < scan->end && *scan->at != '\n' && *scan->at != '#') {
		const char *line_end;

		if (*scan->at == '\t') {
			line_end = scan_newline_then_not(scan->at, scan->end, '\t', &scan->line);
		} else {
			line_end = scan_line_end(scan->at, scan->end);
			if (begins_sample(scan->at, line_end) || is_systemtap_frame(between(scan->at, line_end)))
				break;
			if (scan->findings != NULL && !is_blank(*scan->at) && log_line_is(between(scan->at, line_end)))
				found_skipped(scan->findings, scan->line, between(scan->at, line_end), 1, SKIP_NOISE,
					      "a line of a log");
		}
		pass_line(scan, line_end);
	}
	return between(from, scan->at);
}

static char *
append(char *to, struct stk_text text)
{
	if (text.size > 0)
		memcpy(to, text.data, text.size);
	return to + text.size;
}

/* Callers repeat, leaves have many addresses: unless addresses are kept, that of the leaf is left out of the hash, or
 * nearly every sample would look new. The key holds all that read_frame makes of the leaf but the address and the
 * offset. */
static struct text_hash
stack_hash(const struct findings *findings, struct stk_text stack, size_t leaf_size)
{
	struct { struct text_hash callers; uint32_t function_size, module_size, form; char texts[LEAF_KEY_MAX]; } key;
	struct frame_pieces leaf;

	if (findings->choice.keep_addresses || leaf_size > sizeof key.texts ||
	    !split_frame(&leaf, text_of(stack.data, leaf_size)))
		return scan_hash(stack);
	key.callers = scan_hash(between(stack.data + leaf_size, stack.data + stack.size));
	key.function_size = (uint32_t)leaf.function.size;
	key.module_size = (uint32_t)leaf.module.size;
	key.form = leaf.form;
	return scan_hash(between((const char *)&key,
				 append(append(append(key.texts, leaf.function), leaf.module), leaf.source)));
}

/* A stack over the bound loses what is nearest to the root. */
static struct stk_text
bounded(struct scan *scan, struct stk_text stack)
{
	const char *end = stack.data + INGEST_SECTION_MAX;
	struct stk_text rest;
	uint32_t lines;

	if (stack.size <= INGEST_SECTION_MAX)
		return stack;
	while (end > stack.data && end[-1] != '\n')
		end--;
	rest = between(end, stack.data + stack.size);
	lines = scan_count_lines(rest.data, rest.data + rest.size);
	found_skipped(scan->findings, scan->line - lines, rest, lines, SKIP_TOO_LONG, "a stack of more than 4 MiB");
	return between(stack.data, end);
}

/* A text that ends within a frame: that frame is left out. One that ends in a bracket is whole, and so may be one that
 * has no module anywhere. */
static struct stk_text
without_cut_frame(struct scan *scan, struct stk_text stack)
{
	const char *end = stack.data + stack.size;
	const char *last;

	if (stack.size == 0 || end != scan->end || end[-1] == '\n' || end[-1] == ')')
		return stack;
	last = memrchr(stack.data, '\n', stack.size);
	if (last == NULL || last == stack.data || last[-1] != ')' || is_source_line(last + 1, end))
		return stack;
	found_skipped(scan->findings, scan->line, between(last + 1, end), 1, SKIP_CUT, "the text ends within a frame");
	return between(stack.data, last + 1);
}

static void
say_sample(struct scan *scan, uint32_t line, const struct header *header, struct stk_text stack)
{
	struct found_sample *sample = &found(scan->findings, FOUND_SAMPLE, line)->is.sample;

	sample->name = text_is(header->name, PERF_UNNAMED) ? text_of("", 0) : header->name;
	sample->event = header->sure || !text_is(header->event, PERF_NO_EVENT) ? header->event : text_of("", 0);
	sample->pid = header->pid;
	sample->tid = header->tid;
	sample->time_ns = header->time_ns;
	sample->processor = header->processor;
	sample->weight = header->period;
	sample->cpu_ns = sample->elapsed_ns = SPAN_UNKNOWN;
	if (stack.size == 0)
		return;
	sample->stack = stack;
	sample->leaf_size = (size_t)(frame_end(stack.data, stack.data + stack.size) - stack.data);
	sample->leaf_size += sample->leaf_size < stack.size;
	sample->hash = stack_hash(scan->findings, stack, sample->leaf_size);
}

/* "kmem:kmalloc", not "cycles:ppp". */
static bool
is_tracepoint(const struct header *header)
{
	struct stk_text name = header->event;
	const char *colon = name.size > 0 ? memrchr(name.data, ':', name.size) : NULL;

	if (colon == NULL || (header->rest.size > 0 && rest_is_frame(header->rest)))
		return false;
	for (const char *at = colon + 1; at < name.data + name.size; at++)
		if (strchr("ukhGHIpPSDWeb", *at) == NULL)
			return true;
	return false;
}

static struct finding *
say_event(struct scan *scan, uint32_t line, const struct header *header, struct trace_point point)
{
	struct finding *finding = found(scan->findings, FOUND_EVENT, line);

	finding->is.event.thread = header->name;
	finding->is.event.pid = header->pid;
	finding->is.event.tid = header->tid;
	finding->is.event.name = point.name;
	finding->is.event.happening = point.happening;
	finding->is.event.time_ns = header->time_ns;
	finding->is.event.zoned = true;
	finding->is.event.processor = header->processor;
	return finding;
}

/* --as-events. Of a switch one thread goes and another comes; one that is idle does neither. */
static void
say_tracepoint(struct scan *scan, uint32_t line, const struct header *header, struct stk_text stack)
{
	struct trace_point point = trace_point_of(header->event);
	struct header next = *header;
	struct finding *finding;

	if (text_is(header->event, "sched:sched_switch"))
		point.happening = STK_HAPPENING_SWITCH_OUT;
	if (point.happening != STK_HAPPENING_SWITCH_OUT || header->tid != 0) {
		finding = say_event(scan, line, header, point);
		finding->is.event.values = header->rest;
		finding->is.event.stack = stack;
	}
	if (point.happening != STK_HAPPENING_SWITCH_OUT || !trace_next_thread(header->rest, &next.name, &next.tid) ||
	    next.tid == 0)
		return;
	next.pid = 0;
	point.happening = STK_HAPPENING_SWITCH_IN;
	say_event(scan, line, &next, point)->is.event.of_tid = true;
}

/* --as-events, of perf record --switch-events: "PERF_RECORD_SWITCH OUT preempt", or with _CPU_WIDE, where the other
 * thread of the switch has a line of its own. Kernels that do not know who was preempted have no blanks in place of
 * "preempt". */
static void
say_switch(struct scan *scan, uint32_t line, const struct header *header, const char *line_end)
{
	struct stk_text way = trace_part(between(header->rest.data, line_end), " ", "\n");
	bool leaves = text_starts(way, "OUT");
	struct trace_point point = { text_from(PERF_SWITCH),
				     leaves ? STK_HAPPENING_SWITCH_OUT : STK_HAPPENING_SWITCH_IN };
	struct finding *finding;

	if (header->tid == 0 || (!leaves && !text_starts(way, "IN")))
		return;
	finding = say_event(scan, line, header, point);
	if (text_starts(way, "OUT preempt"))
		finding->is.event.values = text_from("prev_state: R");
	else if (text_starts(way, "OUT        "))
		finding->is.event.values = text_from("prev_state: S");
}

/* "cycles: 100" is a period after the event, "block:block_rq_issue: 8,0 W" is not. */
static void
take_late_period(struct header *header)
{
	const char *at = header->rest.data;
	const char *end = at + header->rest.size;
	uint64_t period;

	if (header->rest.size > 0 && scan_decimal(&at, end, &period) && at == end)
		header->period = period;
}

/* Whether frames come after lines of something else, before the sample's end: a log line was written into it. They are
 * its stack all the same, in which read_stack reports these lines. */
static bool
is_stack_after_others(const struct scan *scan)
{
	struct scan below = *scan;

	while (below.at < below.end && *below.at != '\n' && *below.at != '#') {
		const char *line_end = scan_line_end(below.at, below.end);

		if (is_stack(&below))
			return is_sure_frame(below.at, line_end);
		if (begins_sample(below.at, line_end))
			return false;
		pass_line(&below, line_end);
	}
	return false;
}

static bool
has_stack(const struct scan *scan, const struct header *header)
{
	return is_stack(scan) || (header->sure && header->rest.size == 0 && is_stack_after_others(scan));
}

/* A sample whose header was read; scan->at is after the header's line. */
static void
pass_sample(struct scan *scan, uint32_t line, struct header *header)
{
	struct stk_text stack = text_of("", 0);

	scan->last = header->sure ? HEADER_SURE : HEADER_WEAK;
	if (has_stack(scan, header)) {
		stack = without_cut_frame(scan, bounded(scan, pass_stack(scan)));
		take_late_period(header);
	} else if (header->rest.size > 0 && rest_is_frame(header->rest)) {
		stack = header->rest;
	}
	if (scan->at < scan->end && *scan->at == '\n')	/* the blank line is the sample's: a second one is a header
							 * without fields */
		pass_line(scan, scan->at);
	if (scan->findings->choice.as_events && is_tracepoint(header))
		say_tracepoint(scan, line, header, stack);
	else
		say_sample(scan, line, header, stack);
}

/* Whether frames follow the line at scan->at. */
static bool
has_frames_below(const struct scan *scan, const char *line_end)
{
	struct scan below = *scan;
	const char *end;

	pass_line(&below, line_end);
	if (!is_stack(&below))
		return false;
	end = scan_line_end(below.at, below.end);
	return is_sure_frame(below.at, end);
}

/* Reads the line at scan->at. One without cpu and time is a header only if frames follow. */
static bool
is_header(const struct scan *scan, struct header *header, const char *line_end)
{
	bool ends = scan->end - line_end < 2 || line_end[1] == '\n';	/* a sample without a stack */

	if (*scan->at == '\t')
		return false;
	if (read_header(header, scan->at, line_end))
		return header->sure || (header->event.size > 0 && (header->rest.size > 0 || ends)) ||
		       has_frames_below(scan, line_end);
	return *scan->at != ' ' && !is_frame(scan->at, line_end) && read_short_header(header, scan->at, line_end) &&
	       has_frames_below(scan, line_end);
}

static enum header_kind
next_header(const struct scan *scan, const char *line_end)
{
	struct scan below = *scan;
	struct header header;

	below.findings = NULL;		/* what is among the frames is said when they are read */
	pass_line(&below, line_end);
	(void)pass_stack(&below);
	while (below.at < below.end && *below.at == '\n')
		pass_line(&below, below.at);
	if (below.at == below.end)
		return HEADER_NONE;
	return read_header(&header, below.at, scan_line_end(below.at, below.end)) && header.sure ? HEADER_SURE
												 : HEADER_WEAK;
}

/* A line of words without cpu and time, where the samples before and after it have them: not the head of the frames
 * below it, but a line of another program in its place. Another recording may begin here, whose samples have none. */
static bool
is_foreign(const struct scan *scan, const struct header *header, const char *line_end)
{
	return !header->sure && scan->last == HEADER_SURE && next_header(scan, line_end) != HEADER_WEAK;
}

/* Frames without a header, with the line above them when that one could not be read. */
static void
pass_broken(struct scan *scan, const char *why)
{
	struct findings *findings = scan->findings;
	const char *from = scan->at;
	uint32_t line = scan->line;

	scan->findings = NULL;		/* lines among the frames are skipped with them */
	if (!is_stack(scan))
		pass_line(scan, scan_line_end(scan->at, scan->end));
	(void)pass_stack(scan);
	scan->findings = findings;
	found_skipped(scan->findings, line, between(from, scan->at), scan->line - line + (scan->at[-1] != '\n'),
		      SKIP_BROKEN, why);
}

/* What --show-mmap-events and its like print between the samples. */
static bool
is_side_band(const struct header *header)
{
	return text_starts(header->event, "PERF_RECORD_") || text_starts(header->rest, "PERF_RECORD_");
}

/* A line that is not empty, outside any stack. */
static void
pass_section(struct scan *scan, const char *line_end)
{
	struct header header;
	uint32_t line = scan->line;

	if (is_header(scan, &header, line_end) && !is_foreign(scan, &header, line_end)) {
		say_noise(scan);
		pass_line(scan, line_end);
		if (!is_side_band(&header))
			pass_sample(scan, line, &header);
		else if (scan->findings->choice.as_events && text_starts(header.rest, PERF_SWITCH))
			say_switch(scan, line, &header, line_end);
	} else if (is_stack(scan) && is_frame(scan->at, line_end) && !is_record(scan->at, line_end)) {
		say_noise(scan);
		pass_broken(scan, "a stack without a header line");
	} else if (has_frames_below(scan, line_end)) {
		say_noise(scan);
		pass_broken(scan, "a header line that cannot be read");
	} else if (line_end == scan->end) {
		say_noise(scan);
		found_skipped(scan->findings, line, between(scan->at, line_end), 1, SKIP_CUT,
			      "the text ends within a line");
		pass_line(scan, line_end);
	} else {
		pass_noise(scan, line_end);
	}
}

/* An empty line: nothing, or the header of a recording of which only frames were asked for (-F ip,sym,dso). */
static void
pass_empty(struct scan *scan, const char *line_end)
{
	struct header header = no_header;
	bool is_empty_header = has_frames_below(scan, line_end);
	uint32_t line = scan->line;

	say_noise(scan);
	pass_line(scan, line_end);
	if (is_empty_header)
		pass_sample(scan, line, &header);
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	struct scan scan = { .findings = findings, .at = piece.data, .end = piece.data + piece.size };

	while (scan.at < scan.end) {
		const char *line_end = scan_line_end(scan.at, scan.end);

		if (is_comment(scan.at, scan.end))
			pass_comment(&scan, line_end);
		else if (skip_blanks(scan.at, line_end) == line_end)
			pass_empty(&scan, line_end);
		else
			pass_section(&scan, line_end);
	}
	say_noise(&scan);
	findings->lines = scan.line;
}

/* --- the beginning and the end of a file --- */

static enum header_kind
kind_of_line(const char *line, const char *end)
{
	struct header header;

	return read_header(&header, line, end) && header.sure ? HEADER_SURE : HEADER_WEAK;
}

/* The newline before a place, or NULL. It is looked for in parts, because a sanitizer examines all that memrchr may
 * read: of a long text that would take a time by its square. */
static const char *
newline_before(const char *begin, const char *at)
{
	const char *found = NULL;

	while (found == NULL && at > begin) {
		size_t size = at - begin < NEAR ? (size_t)(at - begin) : NEAR;

		at -= size;
		found = memrchr(at, '\n', size);
	}
	return found;
}

/* The header of the sample that ends at *at, which moves to it: a line after a blank one, or one that can be nothing
 * else. */
static enum header_kind
header_before(struct stk_text text, const char **at)
{
	const char *end = *at, *line;

	while (end > text.data && end[-1] == '\n')
		end--;
	if (end == text.data)
		return HEADER_NONE;
	for (;; end = line - 1) {
		const char *newline = newline_before(text.data, end);

		line = newline != NULL ? newline + 1 : text.data;
		if (line == text.data || line - text.data < 2 || line[-2] == '\n' || begins_sample(line, end))
			break;
	}
	*at = line;
	return kind_of_line(line, end);
}

/* Whether is_foreign decides the same when the text is cut here: it looks at the samples on both sides of one whose
 * header has no cpu and no time. */
static bool
may_cut(struct stk_text text, const char *at)
{
	const char *end = text.data + text.size, *after = at, *newline;

	while (after < end && *after == '\n')
		after++;
	newline = after < end ? memchr(after, '\n', (size_t)(end - after)) : NULL;
	if (newline != NULL && kind_of_line(after, newline) == HEADER_SURE)
		return true;
	/* the last sample, and the one before it */
	return header_before(text, &at) != HEADER_SURE && header_before(text, &at) != HEADER_SURE;
}

/* A piece may end after a blank line, of several after the first; or before a header, which recordings without -g have
 * in every line. */
static size_t
cut(struct stk_text text)
{
	const char *end = memrchr(text.data, '\n', text.size);

	while (end != NULL && end > text.data) {	/* end: the newline after the line that is examined */
		const char *before, *line;

		if (end[-1] == '\n') {
			while (end > text.data && end[-1] == '\n')
				end--;
			if (may_cut(text, end + 2))
				return (size_t)(end + 2 - text.data);
			continue;
		}
		before = newline_before(text.data, end);
		if (before == NULL)
			return 0;
		line = before + 1;
		if (*line != '\t' && begins_sample(line, end) && may_cut(text, line))
			return (size_t)(line - text.data);
		end = before;
	}
	return 0;
}

static const char captured_words[] = "# ========\n# captured on";

/* What the beginning of a file is made of. */
struct tally { uint32_t lines, understood, stacks, times; };

static void
tally_section(struct tally *tally, struct scan *scan, const char *line_end)
{
	struct header header = no_header;
	uint32_t line = scan->line;
	bool sample = *scan->at == '\n' || is_header(scan, &header, line_end);

	pass_line(scan, line_end);
	if (sample && has_stack(scan, &header)) {
		(void)pass_stack(scan);
		tally->stacks++;
	} else if (sample) {
		tally->stacks += rest_is_frame(header.rest);
	}
	tally->lines += scan->line - line;
	tally->understood += sample ? scan->line - line : 0;
	tally->times += sample && header.time_ns != STK_TIME_UNKNOWN;
}

/* Half of the lines must belong to samples, so that a mail about a recording is not one. The last line may be cut and
 * does not count. */
static int
recognise(struct stk_text text)
{
	const char *newline = memrchr(text.data, '\n', text.size);
	struct scan scan = { .at = text.data, .end = newline != NULL ? newline + 1 : text.data };
	struct tally tally = { 0 };

	if (text_starts(text, captured_words))	/* --header: may be longer than the text we get */
		return 95;
	while (scan.at < scan.end) {
		const char *line_end = scan_line_end(scan.at, scan.end);

		if (is_comment(scan.at, scan.end) || (*scan.at == '\n' && !has_frames_below(&scan, line_end)))
			pass_line(&scan, line_end);
		else
			tally_section(&tally, &scan, line_end);
	}
	if (tally.understood == 0 || tally.understood * 2 < tally.lines)
		return 0;
	if (tally.stacks > 0)
		return tally.times > 0 ? 95 : 75;
	return tally.times > 0 ? 40 : 0;
}

/* Frames are found first, as few other texts have lines like these; then the line above them is read. */
static const char *
find(struct stk_text text)
{
	const char *end = text.data + text.size, *at = text.data;

	if (text_starts(text, captured_words))
		return at;
	while (at < end) {
		uint32_t unused = 0;
		const char *newline = scan_newline_then(at, end, '\t', &unused);
		const char *before;
		struct header header;

		if (newline == end)
			break;
		at = newline + 1;
		if (!is_sure_frame(at, scan_line_end(at, end)))		/* its module may be missing */
			continue;
		before = newline_before(text.data, newline);
		before = before != NULL ? before + 1 : text.data;
		if (read_header(&header, before, newline) && header.sure)
			return before;
	}
	return NULL;
}

const struct text_format perf_script_format = {
	.name = "perf-script",
	.about = "what perf script prints, with any usual fields (-F)",
	.shown_by = "lines of command, ids and time, with frames below",
	.written_as = "dumps",
	.stack_after = 1,
	.keeps_between = true,
	.clock = STK_CLOCK_MONOTONIC,
	.is_of_any_clock = true,	/* perf record --clockid CLOCK_REALTIME */
	.runtime = STK_RUNTIME_NATIVE,
	.ends_at_section = true,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan_piece,
	.read_stack = read_stack,
	.read_frame = read_frame,
	.read_values = trace_values
};
