/* SPDX-License-Identifier: MIT
 * trace_point: pairs are known by the ends of their names. */
#include "ingest/trace_point.h"

#include "ingest/text_lines.h"

#include <ctype.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct stk_text
without_system(struct stk_text event)
{
	const char *colon = event.size > 0 ? memrchr(event.data, ':', event.size) : NULL;

	return colon == NULL ? event : between(colon + 1, event.data + event.size);
}

static bool
has_edge(struct stk_text name, const char *before, const char *after, struct stk_text *inner)
{
	size_t first = strlen(before), last = strlen(after);

	if (name.size <= first + last || !text_starts(name, before) || !text_ends(name, after))
		return false;
	*inner = text_of(name.data + first, name.size - first - last);
	return true;
}

struct trace_point
trace_point_of(struct stk_text event)
{
	static const struct { const char *before, *after; enum stk_happening happening; } edges[] = {
		{ "sys_enter_", "", STK_HAPPENING_START },    { "sys_exit_", "", STK_HAPPENING_STOP },
		{ "syscall_entry_", "", STK_HAPPENING_START }, { "syscall_exit_", "", STK_HAPPENING_STOP },
		{ "", "_enter", STK_HAPPENING_START },	      { "", "_entry", STK_HAPPENING_START },
		{ "", "_exit", STK_HAPPENING_STOP },	      { "", "_begin", STK_HAPPENING_START },
		{ "", "_start", STK_HAPPENING_START },	      { "", "_end", STK_HAPPENING_STOP }
	};
	struct stk_text name = without_system(event), inner;

	for (size_t e = 0; e < COUNT(edges); e++)
		if (has_edge(name, edges[e].before, edges[e].after, &inner))
			return (struct trace_point){ inner, edges[e].happening };
	return (struct trace_point){ event, STK_HAPPENING_POINT };
}

/* Whether a number of this name tells which one, not how much: the last word of the name decides. */
static bool
is_identity(struct stk_text name)
{
	static const char *const words[] = { "pid", "tid", "tgid", "ppid", "vpid", "vtid", "cpu", "prio", "fd",
		"dev", "ino", "id", "irq", "vec", "nr", "NR", "sector", "node", "flags", "port", "addr", "ptr",
		"pfn", "state", "uid", "gid", "sig", "code", "major", "minor", "offset", "pos", "call_site" };
	const char *under = name.size > 0 ? memrchr(name.data, '_', name.size) : NULL;
	struct stk_text last = under == NULL ? name : between(under + 1, name.data + name.size);

	for (size_t w = 0; w < COUNT(words); w++)
		if (text_is(last, words[w]) || text_is(name, words[w]))
			return true;
	return false;
}

static bool
is_space(char c)
{
	return isspace((unsigned char)c) || c == '{' || c == '}';
}

/* Whether a word ends at a place; at a comma only when nothing follows it, as in "8,0". */
static bool
ends_word(const char *at, const char *end)
{
	return at == end || is_space(*at) || (*at == ',' && (at + 1 == end || is_space(at[1])));
}

static const char *
skip_space(const char *at, const char *end)
{
	while (at < end && (is_space(*at) || (*at == ',' && ends_word(at, end))))
		at++;
	return at;
}

static const char *
skip_blanks(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	return at;
}

/* The end of a word, or of a text in quotes. */
static const char *
skip_value(const char *at, const char *end)
{
	if (at < end && *at == '"') {
		for (at++; at < end && *at != '"'; at++)
			at += *at == '\\' && at + 1 < end;
		return at < end ? at + 1 : end;
	}
	while (!ends_word(at, end))
		at++;
	return at;
}

struct argument { struct stk_text name, value; };	/* name empty: a word */

/* Where the value of "name=", "name = " or "name: " begins; NULL when it is none of these. */
static const char *
value_of(const char *name_end, const char *end)
{
	const char *at = skip_blanks(name_end, end);

	if (at < end && *at == '=' && (at == name_end || (at + 1 < end && at[1] == ' ')))
		return skip_blanks(at + 1, end);
	if (at == name_end && end - at > 1 && *at == ':' && at[1] == ' ')
		return skip_blanks(at + 1, end);
	return NULL;
}

static bool
next_argument(struct stk_text *rest, struct argument *out)
{
	const char *end = rest->data + rest->size;
	const char *from = skip_space(rest->data, end), *at = from, *value;

	if (from == end)
		return false;
	while (!ends_word(at, end) && *at != '=' && !(*at == ':' && at + 1 < end && at[1] == ' '))
		at++;
	value = at > from ? value_of(at, end) : NULL;
	out->name = value != NULL ? between(from, at) : text_of("", 0);
	at = skip_value(value != NULL ? value : from, end);
	out->value = between(value != NULL ? value : from, at);
	*rest = between(at, end);
	return true;
}

/* As one word. */
static void
add_word(struct text_buffer *to, struct stk_text text)
{
	for (size_t i = 0; i < text.size; i++)
		add_char(to, isspace((unsigned char)text.data[i]) ? '_' : text.data[i]);
}

void
trace_arguments(struct text_buffer *to, struct stk_text arguments)
{
	struct argument argument;

	while (next_argument(&arguments, &argument)) {
		if (to->count > 0)
			add_char(to, ' ');
		add_word(to, argument.name);
		if (argument.name.size > 0)
			add_char(to, is_identity(argument.name) ? ':' : '=');
		add_word(to, argument.value);
	}
}

bool
trace_moves_bytes(struct stk_text call)
{
	static const char *const calls[] = { "read", "write", "pread64", "pwrite64", "readv", "writev", "preadv",
		"pwritev", "preadv2", "pwritev2", "recvfrom", "sendto", "recvmsg", "sendmsg", "recv", "send", "sendfile",
		"sendfile64", "splice", "tee", "vmsplice", "copy_file_range", "getrandom" };

	for (size_t c = 0; c < COUNT(calls); c++)
		if (text_is(call, calls[c]))
			return true;
	return false;
}

struct stk_text
trace_part(struct stk_text text, const char *before, const char *after)
{
	const char *end = text.data + text.size, *at = text_find(text, before), *to;

	if (at == NULL)
		return text_of("", 0);
	at += strlen(before);
	to = text_find(between(at, end), after);
	return between(at, to != NULL ? to : end);
}

bool
trace_next_thread(struct stk_text arguments, struct stk_text *command, uint64_t *tid)
{
	struct stk_text task = trace_part(arguments, "==> ", " [");
	const char *end = task.data + task.size, *colon, *at;

	if (text_starts(task, "next_comm=")) {
		*command = trace_part(task, "next_comm=", " next_pid=");
		at = trace_part(task, " next_pid=", " ").data;
	} else {
		colon = task.size > 0 ? memrchr(task.data, ':', task.size) : NULL;
		if (colon == NULL)
			return false;
		*command = between(task.data, colon);
		at = colon + 1;
	}
	return command->size > 0 && scan_decimal(&at, end, tid);
}

/* Bits of the kernel's: none runs, 2 is a wait that no signal ends, 16 to 128 are ends in one version or another; above
 * these is that of a thread that lost its processor. */
static char
state_of_bits(uint64_t bits)
{
	bits &= 255;
	return bits == 0 ? 'R' : (bits & (16 | 32 | 64 | 128)) != 0 ? 'X' : (bits & 2) != 0 ? 'D' : 'S';
}

char
trace_left_state(struct stk_text arguments)
{
	static const char name[] = "prev_state", number[] = "container = ";
	const char *at = text_find(arguments, name), *end = arguments.data + arguments.size;
	const char *container = at == NULL ? NULL : text_find(between(at, end), number);
	uint64_t bits;

	if (container != NULL) {
		at = container + sizeof number - 1;
	} else if (at != NULL) {
		for (at += sizeof name - 1; at < end && strchr(" :=", *at) != NULL && *at != '\0'; at++)
			continue;
	} else {
		at = text_find(arguments, " ==>");
		while (at != NULL && at > arguments.data && at[-1] != ' ')
			at--;
	}
	if (at == NULL || at >= end)
		return '\0';
	if (*at >= '0' && *at <= '9')
		return scan_decimal(&at, end, &bits) ? state_of_bits(bits) : '\0';
	return *at == '\0' || *at < 'A' || *at > 'z' ? '\0'
	       : strchr("RD", *at) != NULL	   ? *at
	       : strchr("XZx", *at) != NULL	   ? 'X'
						   : 'S';
}

void
trace_values(struct text_buffer *to, struct stk_text call, struct stk_text arguments)
{
	const char *at = arguments.data, *end;
	bool moves = trace_moves_bytes(call);
	uint64_t returned;

	if (arguments.size == 0)		/* its data may be NULL */
		return;
	end = at + arguments.size;
	if (!text_starts(arguments, "0x") || !scan_hex(&at, end, &returned) || at != end) {
		trace_arguments(to, arguments);
		return;
	}
	moves = moves && returned <= INT32_MAX;		/* else an error */
	add_string(to, moves ? "bytes=" : "returned:");
	add_unsigned(to, returned);
	if (moves)
		add_char(to, 'B');
}
