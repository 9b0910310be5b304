/* SPDX-License-Identifier: MIT
 * mask: the lock lines of a Java stack, and a stack's text without its addresses. */
#include "ingest/mask.h"

#include "base/bytes.h"
#include "ingest/scan_text.h"

static const struct { const char *words; enum stk_relation relation;
} relations[] = {
	{ "locked ", STK_RELATION_LOCKED },
	{ "waiting to lock ", STK_RELATION_WAITING_TO_LOCK },
	{ "waiting on ", STK_RELATION_WAITING_ON },
	{ "waiting to re-lock in wait() ", STK_RELATION_WAITING_TO_RELOCK },
	{ "parking to wait for ", STK_RELATION_PARKING },
	{ "eliminated ", STK_RELATION_ELIMINATED },
	{ "blocked on ", STK_RELATION_WAITING_TO_LOCK },	/* of ThreadInfo */
	{ "",
	  STK_RELATION_OWNS } /* "- <0x...> (a Foo)" under "Locked ownable synchronizers:"; last, as it begins every line */
};

#define RELATIONS (sizeof relations / sizeof *relations)

/* What HotSpot prints between < and > when it has no address to show. */
static bool
is_no_address(struct stk_text inside)
{
	return text_is(inside, "no object reference available") || text_is(inside, "owner is scalar replaced");
}

/* "<0x...>" at `at`; the end of it, or NULL. */
static const char *
read_gap(struct lock_line *out, const char *at, const char *end)
{
	const char *close = memchr(at, '>', (size_t)(end - at));
	const char *digits = at + 1;

	if (close == NULL)
		return NULL;
	if (!(scan_hex(&digits, close, &out->address) && digits == close)) {
		if (!is_no_address(text_of(at + 1, (size_t)(close - at - 1))))
			return NULL;
		out->address = 0;
	}
	out->gap = text_of(at, (size_t)(close + 1 - at));
	return close + 1;
}

/* "java.lang.Object@6c9fa15f" of ThreadInfo, to the end of the line: an identity hash in place of an address. arthas says
 * after it " <---- but blocks 1 other threads!". */
static bool
read_identity(struct lock_line *out, const char *at, const char *end)
{
	const char *sign, *digits, *blocks = memmem(at, (size_t)(end - at), " <---- ", 7);

	end = blocks != NULL ? blocks : end;

	while (end > at && (unsigned char)end[-1] <= ' ')
		end--;
	sign = end > at ? memrchr(at, '@', (size_t)(end - at)) : NULL;
	digits = sign != NULL ? sign + 1 : end;
	if (sign == NULL || sign == at || memchr(at, ' ', (size_t)(end - at)) != NULL || end - digits > 8 ||
	    !scan_hex(&digits, end, &out->address) || digits != end)
		return false;
	out->class = text_of(at, (size_t)(sign - at));
	out->gap = text_of(sign, (size_t)(end - sign));
	return true;
}

/* " (a com.Foo)" to the end of the line; anything else has no class. */
static struct stk_text
class_after(const char *at, const char *end)
{
	const char *close;

	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (end - at > 5 && memcmp(at, " (a ", 4) == 0 && end[-1] == ')')
		return text_of(at + 4, (size_t)(end - 1 - (at + 4)));
	/* ` owned by "main" t@3` */
	if (end - at > 5 && memcmp(at, " (a ", 4) == 0 && (close = memchr(at, ')', (size_t)(end - at))) != NULL)
		return text_of(at + 4, (size_t)(close - (at + 4)));
	return text_of(NULL, 0);
}

/* "Holding lock: com/acme/Till@0xeb0a1b2c[fat lock]" of JRockit, after its "^-- " or "-- ". */
static __attribute__((noinline)) bool
read_jrockit_lock(struct lock_line *out, struct stk_text words)
{
	static const struct { const char *words; enum stk_relation relation; } locks[] = {
		{ "Holding lock: ", STK_RELATION_LOCKED },
		{ "Blocked trying to get lock: ", STK_RELATION_WAITING_TO_LOCK },
		{ "Waiting for notification on: ", STK_RELATION_WAITING_ON },
		{ "Parking to wait for: ", STK_RELATION_PARKING },
	};
	const char *end = words.data + words.size;

	for (size_t l = 0; l < sizeof locks / sizeof *locks; l++) {
		const char *class = words.data + strlen(locks[l].words), *sign, *digits;

		if (!text_starts(words, locks[l].words))
			continue;
		sign = memchr(class, '@', (size_t)(end - class));
		digits = sign != NULL ? sign + 1 : end;
		if (sign == NULL || sign == class || !scan_hex(&digits, end, &out->address))
			return false;
		out->relation = locks[l].relation;
		out->class = text_of(class, (size_t)(sign - class));
		out->gap = text_of(sign, (size_t)(digits - sign));
		return true;
	}
	return false;
}

bool
lock_line_read(struct lock_line *out, struct stk_text line)
{
	const char *at = line.data, *end = line.data + line.size, *dash, *close;
	size_t i = 0;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	dash = at < end && *at == '^' ? at + 1 : at;
	if (end - dash > 3 && memcmp(dash, "-- ", 3) == 0)
		return read_jrockit_lock(out, text_of(dash + 3, (size_t)(end - dash - 3)));
	if (end - at < 3 || at[0] != '-' || at[1] != ' ')
		return false;
	for (at += 2; at < end && *at == ' '; at++)
		;
	while (!text_starts(text_of(at, (size_t)(end - at)), relations[i].words))
		i++;
	*out = (struct lock_line){ .relation = relations[i].relation, .gap = { end, 0 } };
	for (at += strlen(relations[i].words); at < end && *at == ' '; at++)
		;
	/* "<java.lang.Object@6c9fa15f>" of Thread.dump_to_file */
	if (at < end && *at == '<' && (close = memchr(at, '>', (size_t)(end - at))) != NULL &&
	    read_identity(out, at + 1, close))
		return true;
	if (at < end && *at == '<') {
		at = read_gap(out, at, end);
		out->class = at != NULL ? class_after(at, end) : (struct stk_text){ NULL, 0 };
		return at != NULL;
	}
	if (at < end && read_identity(out, at, end))
		return true;
	if (out->relation == STK_RELATION_WAITING_ON &&
	    text_starts(text_of(at, (size_t)(end - at)), "the Class initialization monitor for ")) {
		out->class = text_of(at + 4, (size_t)(end - at - 4));
		return true;
	}
	return false;
}

struct stk_text
wait_line_of(struct stk_text stack)
{
	const char *end = stack.data + stack.size, *newline;

	if (!text_starts(stack, "     java.lang.Thread.State: "))
		return text_of(end, 0);
	newline = scan_line_end(stack.data, end);
	if (!text_starts(text_of(newline, (size_t)(end - newline)), "\n on "))
		return text_of(end, 0);
	return text_of(newline + 1, (size_t)(scan_line_end(newline + 1, end) - newline - 1));
}

bool
wait_line_read(struct lock_line *out, struct stk_text line)
{
	const char *end = line.data + line.size, *class = line.data + 4;
	const char *stop = line.size > 4 ? memchr(class, ' ', line.size - 4) : NULL;

	*out = (struct lock_line){ .relation = STK_RELATION_WAITING_ON };
	return line.size > 4 && read_identity(out, class, stop != NULL ? stop : end);
}

/* A '-' is looked for, as frames seldom have one; then whether it begins its line. */
static bool
begins_line(const char *dash, const char *start)
{
	dash -= dash > start && dash[-1] == '^' && dash[1] == '-';	/* of JRockit */
	while (dash > start && (dash[-1] == ' ' || dash[-1] == '\t'))
		dash--;
	return dash == start || dash[-1] == '\n';
}

_Static_assert(RELATIONS == 8, "the empty word must stay last");

size_t
thread_dump_mask(struct stk_text stack, char *to, uint64_t *addresses, size_t room, size_t *count)
{
	const char *end = stack.data + stack.size, *copied = stack.data, *at = stack.data;
	char *into = to;
	struct lock_line lock;

	*count = 0;
	if (stack.size > 4 && stack.data[3] == ' ' && wait_line_read(&lock, wait_line_of(stack))) {
		if (*count < room)
			addresses[*count] = lock.address;
		++*count;
		memcpy(into, copied, (size_t)(lock.gap.data - copied));
		into += lock.gap.data - copied;
		copied = at = lock.gap.data + lock.gap.size;
	}
	while (end - at > 1 && (at = memchr(at, '-', (size_t)(end - at - 1))) != NULL) {
		const char *line = at++;
		const char *line_end;

		if ((*at != ' ' && *at != '-') || !begins_line(line, copied))
			continue;
		line_end = scan_line_end(at, end);
		at = line_end;
		if (!lock_line_read(&lock, text_of(line, (size_t)(line_end - line))))
			continue;
		if (*count < room)
			addresses[*count] = lock.address;
		++*count;
		memcpy(into, copied, (size_t)(lock.gap.data - copied));
		into += lock.gap.data - copied;
		copied = lock.gap.data + lock.gap.size;
	}
	memcpy(into, copied, (size_t)(end - copied));
	return (size_t)(into - to) + (size_t)(end - copied);
}
