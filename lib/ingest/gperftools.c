/* SPDX-License-Identifier: MIT
 * gperftools: profiles of gperftools and jemalloc: addresses that weigh something, and after them the libraries that
 * the process had mapped. Names are in those that pprof --raw has made of them.
 *
 *	heap profile: 3: 30 [5: 50] @ heap_v2/524288	heap_v2/524288		--- symbol
 *	3: 30 [5: 50] @ 0x4a1b2c 0x4a1aaa		@ 0x4a1b2c 0x4a1aaa	binary=/opt/shop
 *							  t*: 3: 30 [5: 50]	0x00000000004a1b2c sell
 *	MAPPED_LIBRARIES:				  t0: 3: 30 [5: 50]	---
 *	4a1000-4b0000 r-xp ...							--- profile
 *
 * Heaps of Java have "format = java" and "resolution = bytes" below the head, and the names of their numbers after the
 * records: " 0x12 com.acme.Shop.sell (Shop.java:9)".
 *
 * CPU profiles are words of 4 or 8 bytes in either order: 0, 3, 0, the period in microseconds, 0; records of a count,
 * how many addresses, and these, leaf first; 0, 1, 0 at the end. Those of Java have 1 as the third word, and numbers in
 * place of addresses. */
#include "ingest/address_map.h"
#include "ingest/profile_tables.h"
#include "ingest/text_lines.h"
#include "ingest/weighed_record.h"
#include "model/recorder.h"

#define JEMALLOC     "heap_v2/"
#define SYMBOLS      "--- symbol"
#define HEAD_WORDS   5u
#define WORDS_MOST   16u	/* of a head */
#define PERIOD_MOST  100000000u	/* microseconds */
#define CPU          "cpu/nanoseconds"
#define SAMPLES      "samples"
#define ASKED_LINES  200u	/* of a beginning */

struct record { uint64_t values[HEAP_VALUES]; size_t first, count; };	/* addresses */

struct word_form { unsigned size; bool swapped; };

struct profile {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	struct address_map map;
	ARRAY(struct record) records;
	ARRAY(uint64_t) addresses;
	struct heap_scale scale;
	bool cpu, numbered;	/* numbered: in place of addresses, of Java */
	bool named;		/* made by pprof --raw, which writes what it weighs as samples of a microsecond, and no
				 * end */
	uint64_t unread, cut;
	struct text_buffer lines;
};

/* --- words --- */

static uint64_t
word_at(const char *at, struct word_form form)
{
	uint64_t word = form.size == 8 ? load64(at) : load32(at);

	if (!form.swapped)
		return word;
	return form.size == 8 ? __builtin_bswap64(word) : __builtin_bswap32((uint32_t)word);
}

/* Whether these are the words of a CPU profile; *head: bytes of it. */
static bool
is_cpu(struct stk_text text, struct word_form *form, size_t *head)
{
	static const struct word_form forms[] = { { 8, false }, { 8, true }, { 4, false }, { 4, true } };

	for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
		uint64_t word[HEAD_WORDS];

		if (text.size < HEAD_WORDS * forms[f].size)
			continue;
		for (unsigned w = 0; w < HEAD_WORDS; w++)
			word[w] = word_at(text.data + w * forms[f].size, forms[f]);
		if (word[0] != 0 || word[1] < 3 || word[1] > WORDS_MOST || word[2] > 1 || word[3] == 0 ||
		    word[3] > PERIOD_MOST || word[4] != 0)
			continue;
		*form = forms[f];
		*head = (size_t)(2 + word[1]) * forms[f].size;
		return true;
	}
	return false;
}

/* The records; returns where the text after them begins. */
static const char *
read_cpu(struct profile *p, struct stk_text text, struct word_form form, size_t head)
{
	const char *at = text.data + head, *end = text.data + text.size;
	uint64_t period = word_at(text.data + 3 * form.size, form);

	p->cpu = true;
	p->numbered = word_at(text.data + 2 * form.size, form) == 1;
	while ((size_t)(end - at) >= (size_t)3 * form.size) {
		uint64_t count = word_at(at, form), depth = word_at(at + form.size, form);
		struct record record = { { count <= PROFILE_WEIGHT_MOST ? count : PROFILE_WEIGHT_MOST, 0, 0, 0 },
					 p->addresses.count, (size_t)depth };

		at += 2 * (size_t)form.size;
		if (depth > (uint64_t)(end - at) / form.size)
			break;
		if (count == 0 && depth == 1 && word_at(at, form) == 0)
			return at + form.size;
		if (count == 0)
			break;		/* the head of another profile */
		if (__builtin_mul_overflow(count, p->named ? 0 : period * 1000, &record.values[1]) ||
		    record.values[1] > PROFILE_WEIGHT_MOST)
			record.values[1] = PROFILE_WEIGHT_MOST;
		for (uint64_t i = 0; i < depth; i++, at += form.size)
			*array_push(&p->addresses) = word_at(at, form);
		*array_push(&p->records) = record;
	}
	p->cut += !p->named || at != end;
	return end;
}

/* --- lines --- */

/* "@ 0x4a1b2c 0x4a1aaa" */
static void
read_addresses(struct profile *p, struct stk_text text, struct record *record)
{
	const char *at = text.data + 1, *end = text.data + text.size;
	uint64_t address;

	record->first = p->addresses.count;
	for (at = unindented(between(at, end)).data; at < end; at = unindented(between(at, end)).data) {
		if (!scan_hex(&at, end, &address)) {
			p->unread++;
			break;
		}
		*array_push(&p->addresses) = address;
	}
	record->count = p->addresses.count - record->first;
}

static void
add_record(struct profile *p, const struct heap_record *read)
{
	struct heap_record scaled = *read;
	struct record record = { 0 };

	heap_record_scale(&p->scale, &scaled);
	memcpy(record.values, scaled.values, sizeof record.values);
	read_addresses(p, read->stack, &record);
	*array_push(&p->records) = record;
}

/* "  t*: 3: 30 [5: 50]", below the addresses; lines of single threads are its parts. */
static bool
take_jemalloc(struct profile *p, struct stk_text line, struct stk_text *stack)
{
	struct heap_record record = { .stack = *stack };
	struct text_buffer *text = &p->lines;
	const char *at, *end;

	if (text_starts(line, "@ ") || text_is(line, "@")) {
		*stack = line;
		return true;
	}
	if (line.size < 4 || *line.data != 't')
		return false;
	if (!text_starts(line, "t*: ") || stack->size == 0)
		return true;
	text->count = 0;
	add_text(text, text_of(line.data + 4, line.size - 4));
	add_char(text, ' ');		/* as other forms have it before the @ */
	at = text->at;
	end = text->at + text->count;
	if (!heap_values_take(&at, end, record.values) || at != end)
		return false;
	add_record(p, &record);
	*stack = text_of("", 0);
	return true;
}

/* "0x4a1b2c sell", and of Java "0x12 com.acme.Shop.sell (Shop.java:9)". google-pprof adds where the function begins:
 * "sell<00000000004a1000>". */
static bool
take_name(struct profile *p, struct stk_text line)
{
	const char *at = line.data, *end = line.data + line.size, *tail;
	uint64_t address;

	if (!text_starts(line, "0x") || !scan_hex(&at, end, &address) || at == end || *at != ' ')
		return false;
	line = trimmed(unindented(between(at, end)));
	tail = line.size > 18 && line.data[line.size - 1] == '>' ? line.data + line.size - 18 : NULL;
	if (tail != NULL && *tail == '<')
		line.size -= 18;
	tail = p->numbered ? text_find(line, " (") : NULL;
	if (tail != NULL)
		line = between(line.data, tail);
	address_map_name(&p->map, address, 0, line);
	return true;
}

static bool
begins_map(struct stk_text line)
{
	return text_is(line, "MAPPED_LIBRARIES:") || text_starts(line, "--- Memory map: ---");
}

/* What follows the words of a CPU profile. */
static void
read_tail(struct profile *p, const char *at, const char *end)
{
	for (uint32_t unused = 0; at < end;) {
		struct stk_text line = unindented(take_next_line(&at, end, &unused));

		if (line.size > 0 && !begins_map(line) && !address_map_line(&p->map, line) && !take_name(p, line) &&
		    !text_starts(line, "build="))
			p->unread++;
	}
}

/* The heaps of Java: their numbers are named below. */
static bool
is_java_setting(struct profile *p, struct stk_text line)
{
	p->numbered |= text_is(line, "format = java");
	return text_is(line, "format = java") || text_is(line, "resolution = bytes");
}

static void
read_text(struct profile *p, const char *at, const char *end)
{
	struct stk_text stack = text_of("", 0);
	struct heap_record record;
	bool jemalloc = false;

	for (uint32_t unused = 0; at < end;) {
		struct stk_text line = unindented(take_next_line(&at, end, &unused));
		const char *rate = line.data + sizeof JEMALLOC - 1;
		uint64_t number;

		if (begins_map(line)) {
			read_tail(p, at, end);
			return;
		}
		if (line.size == 0 || is_heap_scale_head(line, &p->scale) || is_heap_setting(line, &p->scale) ||
		    is_java_setting(p, line) || (p->numbered && take_name(p, line)))
			continue;
		if (text_starts(line, JEMALLOC) && scan_decimal(&rate, line.data + line.size, &number)) {
			p->scale = (struct heap_scale){ .rate = (double)number };
			jemalloc = true;
		} else if (!jemalloc && is_heap_record(line, &p->scale, &record)) {
			add_record(p, &record);
		} else if (!jemalloc || !take_jemalloc(p, line, &stack)) {
			p->unread++;
		}
	}
}

/* What pprof --raw has made: names first. Returns where the profile begins. */
static const char *
read_names(struct profile *p, struct stk_text text)
{
	const char *at = text.data, *end = text.data + text.size;

	for (uint32_t unused = 0; at < end;) {
		struct stk_text line = take_next_line(&at, end, &unused);

		if (text_is(line, "--- profile") || text_is(line, "--- heap") || text_is(line, "--- growth") ||
		    text_is(line, "--- contention"))
			return at;
		if (!text_starts(line, SYMBOLS) && !text_starts(line, "binary=") && !text_is(line, "---") &&
		    !take_name(p, unindented(line)))
			p->unread++;
	}
	return end;
}

static void
read_all(struct profile *p, struct stk_text text)
{
	const char *end = text.data + text.size, *at = text.data;
	struct word_form form;
	size_t head;

	p->named = text_starts(text, SYMBOLS);
	if (p->named)
		at = read_names(p, text);
	text = between(at, end);
	if (p->named && text.size == 0)
		p->cut++;
	if (is_cpu(text, &form, &head) && head <= text.size)
		read_tail(p, read_cpu(p, text, form, head), end);
	else
		read_text(p, at, end);
}

/* --- samples --- */

/* The handler of the signal that takes samples, where it was not left out. */
static bool
is_trampoline(struct profile *p, uint64_t address)
{
	for (uint64_t at = address; at + 1 >= address && at > 0; at--) {
		struct stk_text name = address_map_named(&p->map, at);

		if (text_is(name, "__restore_rt") || text_is(name, "__kernel_rt_sigreturn"))
			return true;
	}
	return false;
}

static uint32_t
stack_of(struct profile *p, const struct record *record)
{
	const uint64_t *address = record->count > 0 ? p->addresses.at + record->first : NULL;
	size_t from = record->count;
	uint32_t stack = 0;

	if (from > INGEST_DEPTH_MAX) {
		recording_broken(p->collect, "a stack of more than 65536 frames; those nearer to the root are left out");
		from = INGEST_DEPTH_MAX;
	}
	for (size_t i = from; i > 0; i--) {
		/* the leaf may be there twice, and under the handler of the signal */
		if (p->cpu && i == 2 && (address[1] == address[0] || is_trampoline(p, address[1])))
			continue;
		stack = recorder_stack(p->recorder, stack,
				       address_map_frame(&p->map, p->collect, address[i - 1], i > 1 && !p->numbered));
	}
	return stack;
}

/* One value of all records that have it. */
static int
take_value(struct profile *p, unsigned value, const char *event)
{
	struct stk_thread thread = { .source = recording_source(p->collect) };
	struct stk_sample row = { .time = STK_TIME_UNKNOWN, .processor = PROCESSOR_UNKNOWN };

	row.event = recorder_string(p->recorder, text_from(event));
	row.thread = recorder_thread(p->recorder, &thread);
	for (size_t i = 0; i < p->records.count; i++) {
		row.weight = p->records.at[i].values[value];
		if (row.weight == 0)
			continue;
		row.stack = stack_of(p, &p->records.at[i]);
		if (recording_sample(p->collect, &row, p->err) < 0)
			return -1;
	}
	return 0;
}

static int
take_all(struct profile *p)
{
	enum heap_value leading = heap_leading(&p->scale);

	if (p->cpu)
		return take_value(p, 1, CPU) < 0 ? -1 : take_value(p, 0, SAMPLES);
	if (take_value(p, leading, heap_event(&p->scale, leading)) < 0)
		return -1;
	for (enum heap_value v = 0; v < HEAP_VALUES; v++)
		if (v != leading && take_value(p, v, heap_event(&p->scale, v)) < 0)
			return -1;
	return 0;
}

static int
read_profile(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct profile p = { .collect = to, .recorder = recording_definitions(to), .err = err };
	struct text_buffer all = { 0 };
	int result;

	if (!profile_hold(&all, from))
		recording_broken(to, "a profile of more than 2 GB; what follows is left out");
	read_all(&p, text_in(&all, 0));
	result = take_all(&p);
	if (p.cut > 0)
		recording_broken(to, "a profile that is cut off or damaged; what precedes that was read");
	if (p.unread > 0)
		recording_broken(to, "lines of a profile that cannot be read");
	array_release(&p.records);
	array_release(&p.addresses);
	array_release(&p.lines);
	address_map_release(&p.map);
	array_release(&all);
	return result < 0 ? -1 : recorder_error(p.recorder, err);
}

/* --- recognising --- */

/* Text that has a head and then records without names of functions, which profiles of Go have. */
static int
recognise_text(struct stk_text text)
{
	const char *end = text.data + text.size, *rate = text.data + sizeof JEMALLOC - 1;
	struct stk_text line = trimmed(line_at(text.data, end));
	struct heap_scale scale;
	uint64_t number;

	if (text_starts(line, JEMALLOC) && scan_decimal(&rate, line.data + line.size, &number) &&
	    rate == line.data + line.size)
		return 95;
	if (!is_heap_scale_head(line, &scale) || text_find(line, "@ heap/") != NULL)
		return 0;
	for (unsigned n = 0; n < ASKED_LINES && line.data < end; n++, line = line_after(line, end)) {
		struct heap_record record;

		if (text_starts(line, "#\t"))
			return 0;
		if (n > 0 && is_heap_record(trimmed(line), &scale, &record) &&
		    !text_starts(line_after(line, end), "#\t"))
			return 95;
	}
	return 0;
}

static int
recognise(struct stk_text text)
{
	struct word_form form;
	size_t head;

	if (text_starts(text, SYMBOLS "\n") && text_find(text, "\n---") != NULL)
		return 95;
	return is_cpu(text, &form, &head) ? 95 : recognise_text(text);
}

const struct text_format gperftools_format = {
	.name = "gperftools",
	.about = "profiles of gperftools and jemalloc: CPU, heap, contention, with the libraries that they name",
	.shown_by = "\"heap profile: ... @ heapprofile\", \"heap_v2/RATE\", \"--- symbol\"; the words of a CPU profile",
	.clock = STK_CLOCK_UNKNOWN,
	.runtime = STK_RUNTIME_NATIVE,
	.recognise = recognise,
	.read = read_profile
};
