/* SPDX-License-Identifier: MIT
 * thread_header: reads the line above a thread's stack. Keys may come in any order and unknown ones are passed over, as
 * each JDK adds some. */
#include "ingest/thread_header.h"

#include "base/bytes.h"
#include "ingest/scan_text.h"

#define QUOTES_TRIED   8	/* from the right: what follows the name has no quotes, but a log line may have been
				 * written after it */
#define NAME_LINES_MAX 16	/* a name with more newlines, or more bytes after the first of them, is not joined */
#define NAME_TAIL_MAX  4096

/* Headers are half of the scanner's time. All code that reads one is inlined into one function, so that the position
 * stays in a register. */
#define INTO_ONE static inline __attribute__((always_inline))

/* Copies, so that the addresses of `at` and `number` are not taken. */
INTO_ONE bool
take_long_decimal(const char **at, const char *end, uint64_t *number)
{
	const char *p = *at;
	uint64_t value = 0;
	bool good = scan_decimal(&p, end, &value);

	*at = p;
	*number = value;
	return good;
}

/* Numbers are of varying length, which loops over digits pay for with mispredicted branches: up to 7 digits are read as
 * a word. */
INTO_ONE bool
take_decimal(const char **at, const char *end, uint64_t *number)
{
	uint64_t digits, others;
	int bits;

	if (end - *at < 8)
		return take_long_decimal(at, end, number);
	digits = load64(*at) ^ UINT64_C(0x3030303030303030);
	/* the lowest bit is right, others need not be */
	others = (digits | (digits + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080);
	if (others == 0)
		return take_long_decimal(at, end, number);
	bits = __builtin_ctzll(others) & ~7;
	if (bits == 0)
		return false;
	digits <<= 64 - bits;	/* leading zeros */
	digits = (digits * 10 + (digits >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	digits = (digits * 100 + (digits >> 16)) & UINT64_C(0x0000ffff0000ffff);
	*number = (digits * 10000 + (digits >> 32)) & UINT64_C(0xffffffff);
	*at += bits / 8;
	return true;
}

static const unsigned char hex_digits
	[256] = { /* the value and 1; 0: not a digit */
		  ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
		  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
		  ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16
	};

/* "0x00007f9fac017ef0" or "11144" */
INTO_ONE bool
take_number(const char **at, const char *end, uint64_t *number)
{
	const char *p = *at + 2;
	uint64_t value = 0;

	if (end - *at < 3 || (*at)[0] != '0' || (*at)[1] != 'x')
		return take_decimal(at, end, number);
	for (unsigned digit; p < end && (digit = hex_digits[(unsigned char)*p]) != 0; p++)
		value = value << 4 | (digit - 1);
	if (p - *at < 3 || p - *at > 18)
		return false;
	*at = p;
	*number = value;
	return true;
}

INTO_ONE bool
take_signed(const char **at, const char *end, int32_t *number)
{
	bool negative = *at < end && **at == '-';
	const char *digits = *at + negative;
	uint64_t value;

	if (!take_decimal(&digits, end, &value) || value > INT32_MAX)
		return false;
	*number = negative ? -(int32_t)value : (int32_t)value;
	*at = digits;
	return true;
}

/* "26.71ms" or "1.23s", in nanoseconds. HotSpot prints 2 digits after the point; at most 9 are kept. */
INTO_ONE bool
take_span(const char **at, const char *end, uint64_t *ns)
{
	static const uint32_t powers[] = { 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1 };
	uint64_t whole, fraction = 0;
	const char *p = *at, *point;

	if (!take_decimal(&p, end, &whole))
		return false;
	point = p;
	if (p < end && *p == '.') {
		p++;
		if (!take_decimal(&p, end, &fraction) || p - point > 10)
			return false;
	}
	fraction *= point < p ? powers[p - point - 1] : 0;	/* now of 10^-9 */
	if (end - p >= 2 && p[0] == 'm' && p[1] == 's') {
		fraction = whole % 1000 * 1000000 + fraction / 1000;
		whole /= 1000;
		p += 2;
	} else if (p == end || *p++ != 's')
		return false;
	*at = p;
	*ns = whole < INT64_MAX / 1000000000 ? whole * 1000000000 + fraction : 0;
	return true;
}

/* "0.50 [reset 0.50] ms" */
static bool
take_sap_span(const char **at, const char *end, uint64_t *ns)
{
	const char *p = *at, *close;
	uint64_t micros;

	if (!scan_fixed(&p, end, 3, &micros) || end - p < 3 || p[0] != ' ' || p[1] != '[' ||
	    (close = memchr(p, ']', (size_t)(end - p))) == NULL || end - close < 4 || memcmp(close, "] ms", 4) != 0 ||
	    micros > UINT64_MAX / 1000)
		return false;
	*ns = micros * 1000;
	*at = close + 4;
	return true;
}

/* "658K" */
INTO_ONE bool
take_bytes_count(const char **at, const char *end, uint64_t *bytes)
{
	uint64_t unit = 1, number;

	if (!take_decimal(at, end, &number))
		return false;
	if (*at < end) {
		switch (**at) {
		case 'B': break;
		case ' ':
			if (end - *at < 2 || (*at)[1] != 'B')
				return false;
			++*at;
			break;
		case 'K': unit = UINT64_C(1) << 10; break;
		case 'M': unit = UINT64_C(1) << 20; break;
		case 'G': unit = UINT64_C(1) << 30; break;
		case 'T': unit = UINT64_C(1) << 40; break;
		default:  return false;
		}
		++*at;
	}
	if (__builtin_mul_overflow(number, unit, &number))
		return false;
	*bytes = number;
	return true;
}

INTO_ONE bool
key_is(const char **at, const char *end, const char *key, size_t size)
{
	if ((size_t)(end - *at) < size || memcmp(*at, key, size) != 0)
		return false;
	*at += size;
	return true;
}

#define KEY(key) key_is(at, end, key, sizeof key - 1)

/* "#12" or "[11144]" */
INTO_ONE bool
take_sign(struct thread_header *h, const char **at, const char *end)
{
	const char *p = *at + 1;
	uint64_t number;

	if (!take_decimal(&p, end, &number))
		return false;
	if (**at == '#') {
		h->number = number;
	} else {
		if (p == end || *p++ != ']')
			return false;
		h->tid = number;
	}
	*at = p;
	return true;
}

/* One word of those HotSpot prints; false, with *at undefined, when it is not one of them or its value is not valid. */
INTO_ONE bool
take_known(struct thread_header *h, const char **at, const char *end)
{
	switch (**at) {
	case '#':
	case '[':
		return take_sign(h, at, end);
	case 'd':
		if (KEY("daemon"))
			return h->daemon = true;
		return KEY("defined_classes=") && take_decimal(at, end, &h->classes);
	case 'p':
		return KEY("prio=") && take_signed(at, end, &h->priority) && (h->has_priority = true);
	case 'o':
		return KEY("os_prio=") && take_signed(at, end, &h->os_priority);
	case 'c':
		return KEY("cpu=") && (take_span(at, end, &h->cpu_ns) || take_sap_span(at, end, &h->cpu_ns));
	case 'e':
		return KEY("elapsed=") && take_span(at, end, &h->elapsed_ns);
	case 'a':
		return KEY("allocated=") && take_bytes_count(at, end, &h->allocated);
	case 'v':
		return KEY("virtual") && (h->virtual = true);
	case 'i':	/* JRockit's number */
		return KEY("id=") && take_decimal(at, end, &h->number) && (h->is_jrockit = true);
	case 't':
		return KEY("tid=") && take_number(at, end, &h->handle) && (h->has_ids = true);
	case 'n':
		return KEY("nid=") && take_number(at, end, &h->tid) && (h->has_ids = true);
	default:
		return false;
	}
}

/* A word with '=' after a name is a key of some later JDK; nothing else is skipped. */
static const char *
unknown_key_end(const char *at, const char *end)
{
	const char *p = at;

	while (p < end && ((*p >= 'a' && *p <= 'z') || *p == '_' || (*p >= '0' && *p <= '9')))
		p++;
	if (p == at || p == end || *p != '=')
		return NULL;
	while (p < end && *p != ' ')
		p++;
	return p;
}

enum stk_state
java_state_named(struct stk_text word)
{
	static const struct { const char *word; enum stk_state state;
	} states[] = { { "RUNNABLE", STK_STATE_RUNNABLE },
		       { "WAITING", STK_STATE_WAITING },
		       { "TIMED_WAITING", STK_STATE_TIMED_WAITING },
		       { "BLOCKED", STK_STATE_BLOCKED },
		       { "NEW", STK_STATE_NEW },
		       { "TERMINATED", STK_STATE_TERMINATED },
		       { "RUNNING", STK_STATE_RUNNING },	/* of other systems, as stkcat -f dumps writes them */
		       { "SLEEPING", STK_STATE_SLEEPING } };

	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		if (text_is(word, states[i].word))
			return states[i].state;
	return STK_STATE_UNKNOWN;
}

static const char *
end_of_word(const char *at, const char *end)
{
	while (at < end && *at != ' ')
		at++;
	return at;
}

/* The word of a state, which others may precede: "cpuUsage=98.1% deltaTime=204ms time=204ms RUNNABLE". `at` without one. */
static const char *
find_state(const char *at, const char *end)
{
	const char *word = at;

	while (word < end) {
		const char *stop = end_of_word(word, end);

		if (java_state_named(text_of(word, (size_t)(stop - word))) != STK_STATE_UNKNOWN)
			return word;
		word = stop + (stop < end);
	}
	return at;
}

/* "Id=12 BLOCKED on java.lang.Object@1b2 owned by "main" Id=1 (in native)" of ThreadInfo, as OpenJ9 and many a program
 * print it: the state alone is the same from dump to dump, and the rest is a note. */
static bool
take_thread_info(struct thread_header *h, const char *at, const char *end)
{
	const char *words, *stop;

	if (end - at < 4 || memcmp(at, "Id=", 3) != 0)
		return false;
	at += 3;
	if (!scan_decimal(&at, end, &h->number) || at == end || *at != ' ')
		return false;
	words = ++at;
	while (end > at && (unsigned char)end[-1] <= ' ')
		end--;
	at = find_state(words, end);
	stop = end_of_word(at, end);
	h->condition = text_of(at, (size_t)(stop - at));
	h->state = java_state_named(h->condition);
	if (at > words)		/* of arthas: what of its thread differs from dump to dump, and what it waits for */
		h->note = text_of(words, (size_t)((stop < end ? end : at - 1) - words));
	else if (stop < end)
		h->note = text_of(stop + 1, (size_t)(end - stop - 1));
	return true;
}

/* "[Internal] cpuUsage=1.63% deltaTime=3ms time=1170ms" of arthas: a thread of the VM */
static bool
take_internal(struct thread_header *h, const char *at, const char *end)
{
	static const char words[] = "[Internal] cpuUsage=";

	while (end > at && (unsigned char)end[-1] <= ' ')
		end--;
	if (!text_starts(text_of(at, (size_t)(end - at)), words))
		return false;
	h->note = text_of(at, (size_t)(end - at));
	return true;
}

/* "- Thread t@12" of VisualVM */
static bool
take_visualvm(struct thread_header *h, const char *at, const char *end)
{
	static const char words[] = "- Thread t@";

	if ((size_t)(end - at) < sizeof words || memcmp(at, words, sizeof words - 1) != 0)
		return false;
	at += sizeof words - 1;
	return scan_decimal(&at, end, &h->number) && (at == end || (unsigned char)*at <= ' ');
}

/* What is left after the keys: "waiting on condition [0x00007f...]" */
static void
take_condition(struct thread_header *h, const char *at, const char *end)
{
	const char *open;

	if (take_thread_info(h, at, end))
		return;
	while (end > at && (unsigned char)end[-1] <= ' ')
		end--;
	if (end > at && end[-1] == ']' && (open = memrchr(at, '[', (size_t)(end - at))) != NULL && end - open > 3 &&
	    ((open[1] == '0' && open[2] == 'x') || memmem(open, (size_t)(end - open), "..", 2) != NULL)) {
		h->has_stack_area = true;
		end = open;
	}
	while (end > at && (unsigned char)end[-1] <= ' ')
		end--;
	h->condition = text_of(at, (size_t)(end - at));
}

/* Whether ids or a priority follow: then the words before them are not the condition. */
static __attribute__((noinline)) bool
key_follows(const char *at, const char *end)
{
	static const char *const keys[] = { " tid=", " nid=", " prio=", " os_prio=" };
	size_t size = (size_t)(end - at);

	if (memchr(at, '=', size) == NULL)	/* the usual case, a condition */
		return false;
	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
		if (memmem(at, size, keys[k], strlen(keys[k])) != NULL)
			return true;
	return false;
}

/* Past a word: a blank ends it, but not within brackets or quotes. */
static const char *
unknown_word_end(const char *at, const char *end)
{
	for (char until = '\0'; at < end && (until != '\0' || *at != ' '); at++) {
		if (until != '\0')
			until = *at == until ? '\0' : until;
		else
			until = *at == '[' ? ']' : *at == '(' ? ')' : *at == '"' ? '"' : '\0';
	}
	return at;
}

static void
add_to_note(struct thread_header *h, const char *from, const char *end)
{
	if (h->note.size == 0)
		h->note.data = from;
	h->note.size = (size_t)(end - h->note.data);
}

/* "alive, in native, waiting, daemon": the state is among the words, and tid= is the system's number. */
static __attribute__((noinline)) void
settle_jrockit(struct thread_header *h)
{
	static const struct { const char *word; enum stk_state state;
	} states[] = { { "blocked", STK_STATE_BLOCKED }, { "sleeping", STK_STATE_TIMED_WAITING },
		       { "waiting", STK_STATE_WAITING }, { "parked", STK_STATE_WAITING },
		       { "alive", STK_STATE_RUNNABLE } };
	const struct stk_text *words = &h->condition;
	size_t i = 0;

	h->tid = h->handle;
	h->handle = 0;
	if (words->size == 0)
		return;
	h->daemon |= memmem(words->data, words->size, "daemon", 6) != NULL;
	while (i < sizeof states / sizeof *states &&
	       memmem(words->data, words->size, states[i].word, strlen(states[i].word)) == NULL)
		i++;
	h->state = i < sizeof states / sizeof *states ? states[i].state : STK_STATE_UNKNOWN;
}

/* What follows the name and its blank. lenient: even the first word may be unknown. */
INTO_ONE bool
take_tail(struct thread_header *h, const char *at, const char *end, bool lenient)
{
	bool any = lenient;

	*h = (struct thread_header){ .end = end };
	for (;;) {
		const char *word = at;

		while (at < end && *at == ' ')
			at++;
		if (at == end)
			break;
		word = at;
		if (take_known(h, &at, end) && (at == end || *at == ' ')) {
			any = true;
			continue;
		}
		at = unknown_key_end(word, end);
		if (at != NULL) {
			any = true;
			continue;
		}
		if (!any || !key_follows(word, end)) {
			take_condition(h, word, end);
			break;
		}
		at = unknown_word_end(word, end);
		add_to_note(h, word, at);
	}
	if (h->is_jrockit)
		settle_jrockit(h);
	return h->has_ids || h->has_priority;
}

/* "(alive) TIMED_WAITING", as IntelliJ prints the threads of a test that lasts too long */
static bool
take_alive(struct thread_header *h, const char *at, const char *end)
{
	static const char *const words[] = { "(alive) ", "(dead) " };

	while (end > at && (unsigned char)end[-1] <= ' ')
		end--;
	for (size_t w = 0; w < sizeof words / sizeof *words; w++)
		if (text_starts(text_of(at, (size_t)(end - at)), words[w])) {
			at += strlen(words[w]);
			h->condition = text_of(at, (size_t)(end - at));
			h->state = java_state_named(h->condition);
		}
	return h->state != STK_STATE_UNKNOWN;
}

/* "RUNNABLE native" or "waiting for lock a.B@1f2 TIMED_WAITING", as WebLogic prints threads: all but the state is a
 * note. */
static bool
take_weblogic(struct thread_header *h, const char *at, const char *end)
{
	static const char words[] = "waiting for lock ";
	const char *from = at;
	struct stk_text left, state;

	while (end > at && (unsigned char)end[-1] <= ' ')
		end--;
	left = text_of(at, (size_t)(end - at));
	if (text_starts(left, words)) {
		left = text_of(at + sizeof words - 1, (size_t)(end - at) - (sizeof words - 1));
		(void)text_take(&left, ' ');
	}
	at = left.data;
	state = text_take(&left, ' ');
	if (java_state_named(state) == STK_STATE_UNKNOWN ||
	    (left.size > 0 && !text_is(left, "native") && !text_is(left, "suspended") && !text_is(left, "native suspended")))
		return false;
	h->condition = state;
	h->state = java_state_named(state);
	if (at > from)
		h->note = text_of(from, (size_t)((left.size > 0 ? end : at - 1) - from));
	else
		h->note = left;
	return true;
}

/* A header without ids and priority. */
static bool
take_other_tail(struct thread_header *h, const char *at, const char *end)
{
	*h = (struct thread_header){ .end = end };
	if (take_internal(h, at, end))
		return true;
	if (!take_visualvm(h, at, end) && !(take_thread_info(h, at, end) && h->state != STK_STATE_UNKNOWN) &&
	    !take_alive(h, at, end) && !take_weblogic(h, at, end))
		return false;
	return h->has_priority = true;		/* it is a Java thread */
}

/* Where the first word after the name is unknown, too. */
static __attribute__((noinline)) bool
take_odd_line(struct thread_header *h, const char *name, const char *from, const char *end)
{
	const char *quote = end;

	if (!key_follows(from, end))
		return false;
	for (int tries = 0; tries < QUOTES_TRIED && (quote = memrchr(from, '"', (size_t)(quote - from))) != NULL;
	     tries++) {
		if (end - quote > 2 && quote[1] == ' ' && take_tail(h, quote + 2, end, true)) {
			h->name = text_of(name, (size_t)(quote - name));
			return true;
		}
	}
	return false;
}

/* Looks in [from, end), the line where the name may end, for the quote that ends it. */
static bool
take_line(struct thread_header *h, const char *name, const char *from, const char *end)
{
	const char *quote = end;

	for (int tries = 0; tries < QUOTES_TRIED && (quote = memrchr(from, '"', (size_t)(quote - from))) != NULL;
	     tries++) {
		if (end - quote > 2 && quote[1] == ' ' &&
		    (take_tail(h, quote + 2, end, false) || take_other_tail(h, quote + 2, end))) {
			h->name = text_of(name, (size_t)(quote - name));
			return true;
		}
	}
	return take_odd_line(h, name, from, end);
}

/* "Thread 123: (state = BLOCKED)" */
static bool
take_forced(struct thread_header *h, const char *from, const char *end)
{
	static const char words[] = ": (state = ";
	const char *at = from + 7, *close = end;

	*h = (struct thread_header){ .end = end, .name = text_of(from, 0) };
	while (close > from && (unsigned char)close[-1] <= ' ')
		close--;
	if (close - from < 20 || memcmp(from, "Thread ", 7) != 0 || !scan_decimal(&at, close, &h->tid) ||
	    (size_t)(close - at) < sizeof words || memcmp(at, words, sizeof words - 1) != 0 || close[-1] != ')')
		return false;
	at += sizeof words - 1;
	h->condition = text_of(at, (size_t)(close - 1 - at));
	h->state = java_state_named(h->condition);
	if (text_is(h->condition, "IN_NATIVE") || text_is(h->condition, "IN_JAVA") || text_is(h->condition, "IN_VM"))
		h->state = STK_STATE_RUNNABLE;
	return h->has_priority = h->has_ids = true;
}

/* A name above a state, and nothing else that is known. Where its number follows it, the header was cut. */
static bool
take_bare(struct thread_header *h, const char *from, const char *line_end, const char *end)
{
	static const char state[] = "   java.lang.Thread.State: ";
	size_t size = (size_t)(line_end - from);
	const char *stop, *quote;

	if ((size_t)(end - line_end) < sizeof state || memcmp(line_end + 1, state, sizeof state - 1) != 0)
		return false;
	while (size > 0 && (unsigned char)from[size - 1] <= ' ')
		size--;
	stop = from + size;
	quote = memrchr(from, '"', size);
	if (quote < from + 2 || (quote + 1 < stop && (quote[1] != ' ' || quote[2] == '#')))
		return false;
	*h = (struct thread_header){ .name = text_of(from + 1, (size_t)(quote - 1 - from)),
				     .end = line_end,
				     .has_priority = true };
	if (quote + 2 < stop)
		h->note = text_of(quote + 2, (size_t)(stop - quote - 2));
	return true;
}

/* Lines that cannot continue a name: then its header is broken, and what follows is to be kept. */
static bool
ends_search(const char *line, const char *end)
{
	struct stk_text text = text_of(line, (size_t)(end - line));

	return *line == '"' || *line == '\t' || text_starts(text, "   java.lang.Thread.State") ||
	       text_starts(text, "Full thread dump");
}

static bool
take_more_lines(struct thread_header *h, const char *name, const char *line_end, const char *end)
{
	const char *first = line_end;

	for (uint32_t lines = 1; lines <= NAME_LINES_MAX && end - line_end > 1 && line_end - first < NAME_TAIL_MAX;
	     lines++) {
		const char *line = line_end + 1;

		if (ends_search(line, end))
			return false;
		line_end = scan_line_end(line, end);
		if (take_line(h, name, line, line_end)) {
			h->lines = lines;
			return true;
		}
	}
	return false;
}

bool
thread_header_read(struct thread_header *h, const char *from, const char *end)
{
	const char *line_end = scan_line_end(from, end);

	if (*from == 'T')
		return take_forced(h, from, line_end);
	if (*from != '"') {
		h->name = text_of(from, 0);
		return take_tail(h, from, line_end, false) && h->has_ids;
	}
	if (take_line(h, from + 1, from + 1, line_end) || take_bare(h, from, line_end, end))
		return true;
	if (line_end - from > 2 && line_end[-1] == ':' && line_end[-2] == '"')	/* a thread of a deadlock */
		return false;
	return take_more_lines(h, from + 1, line_end, end);
}

bool
thread_span_read(const char **at, const char *end, uint64_t *ns)
{
	return take_span(at, end, ns);
}

void
thread_condition_read(struct thread_header *header, const char *from, const char *end)
{
	take_condition(header, from, end);
}
