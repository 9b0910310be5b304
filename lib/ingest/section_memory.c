/* SPDX-License-Identifier: MIT
 * section_memory: recognises what a thread's section of a dump has in common with that of the dump before. */
#include "ingest/section_memory.h"

#include "base/memory.h"
#include "ingest/scan_text.h"

#define SECTIONS  512		/* more threads than this share places, and are read again and again */
#define KEY_BYTES 40		/* of a header identify its thread: name and number */
#define HEAD_MAX  120		/* up to "cpu=" */
#define TAIL_MAX  120		/* from the elapsed time to the condition */
#define GAP_MAX   3		/* newlines between two sections */

static const char elapsed_key[] = " elapsed=";

struct known_section {
	uint32_t head_size, tail_size;	/* head_size 0: no header is known */
	uint32_t stack_size, gap, lines;	/* gap 0: the stack is not known */
	struct text_hash hash;
	struct thread_header header;
	char head[HEAD_MAX], tail[TAIL_MAX];
};

struct section_memory { struct known_section sections[SECTIONS]; };

struct section_memory *
section_memory_new(void)
{
	return mem_new(1, sizeof(struct section_memory));
}

struct known_section *
section_memory_find(struct section_memory *memory, const char *from, const char *end)
{
	uint64_t hash = 0;

	if (end - from < KEY_BYTES)
		return NULL;
	for (size_t at = 0; at < KEY_BYTES; at += 8) {
		uint64_t word;

		memcpy(&word, from + at, sizeof word);
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return &memory->sections[hash % SECTIONS];
}

static bool
takes(const char **at, const char *end, const char *text, size_t size)
{
	if ((size_t)(end - *at) < size || memcmp(*at, text, size) != 0)
		return false;
	*at += size;
	return true;
}

/* Whether this is a condition, and not another word of a header. */
static bool
is_condition(struct stk_text text)
{
	return text.size > 0 && *text.data != '#' && *text.data != '[' && !text_starts(text, "daemon") &&
	       memchr(text.data, '=', text.size) == NULL;
}

bool
known_header(const struct known_section *known, struct thread_header *header, const char *from, const char *end)
{
	const char *at = from;
	uint64_t cpu_ns, elapsed_ns;

	if (known->head_size == 0 || !takes(&at, end, known->head, known->head_size) ||
	    !thread_span_read(&at, end, &cpu_ns) || !takes(&at, end, elapsed_key, sizeof elapsed_key - 1) ||
	    !thread_span_read(&at, end, &elapsed_ns) || !takes(&at, end, known->tail, known->tail_size))
		return false;
	*header = known->header;
	header->cpu_ns = cpu_ns;
	header->elapsed_ns = elapsed_ns;
	header->name.data = from + 1;
	header->has_stack_area = false;
	header->end = scan_line_end(at, end);
	thread_condition_read(header, at, header->end);
	return header->end < end && is_condition(header->condition);
}

bool
known_stack(const struct known_section *known, const struct thread_header *header, const char *end,
	    struct stk_text *stack, struct text_hash *hash, const char **next, uint32_t *lines)
{
	const char *from = header->end + (known->stack_size > 0), *gap = from + known->stack_size;

	if (known->gap == 0 || (size_t)(end - header->end) <= known->stack_size + known->gap + 1)
		return false;
	for (uint32_t i = 0; i < known->gap; i++)
		if (gap[i] != '\n')
			return false;
	if (gap[known->gap] != '"')
		return false;
	*stack = text_of(from, known->stack_size);
	*hash = known->hash;
	if (known->stack_size > 0) {
		struct text_hash present = scan_hash(*stack);

		if (present.low != known->hash.low || present.high != known->hash.high)
			return false;
	}
	*next = gap + known->gap;
	*lines = known->lines;
	return true;
}

/* The places in the header's line that known_header compares. False when it does not have the usual form. */
static bool
learn_header(struct known_section *known, const char *from, const struct thread_header *header)
{
	const char *end = header->end, *cpu, *elapsed;
	uint64_t ns;

	if (header->note.size > 0 || header->state != STK_STATE_UNKNOWN || header->lines > 0 ||
	    header->name.data != from + 1 || !is_condition(header->condition))
		return false;
	for (cpu = header->name.data + header->name.size;
	     cpu + 5 <= header->condition.data && memcmp(cpu, " cpu=", 5) != 0; cpu++)
		;
	cpu += 5;
	elapsed = cpu;
	if (cpu > header->condition.data || !thread_span_read(&elapsed, end, &ns) ||
	    !takes(&elapsed, end, elapsed_key, sizeof elapsed_key - 1) || !thread_span_read(&elapsed, end, &ns) ||
	    cpu - from > HEAD_MAX || header->condition.data < elapsed || header->condition.data - elapsed > TAIL_MAX)
		return false;
	known->head_size = (uint32_t)(cpu - from);
	known->tail_size = (uint32_t)(header->condition.data - elapsed);
	memcpy(known->head, from, known->head_size);
	memcpy(known->tail, elapsed, known->tail_size);
	known->header = *header;
	return true;
}

void
known_learn_header(struct known_section *known, const char *from, const struct thread_header *header)
{
	known->gap = 0;
	if (!learn_header(known, from, header))
		known->head_size = 0;
}

void
known_learn_stack(struct known_section *known, const struct thread_header *header, const struct found_sample *sample,
		  const char *next, uint32_t lines)
{
	const char *stack_end = sample->stack.size > 0 ? sample->stack.data + sample->stack.size : header->end;

	known->gap = 0;
	if (sample->note.size > 0 || (sample->stack.size > 0 && sample->stack.data != header->end + 1) ||
	    next - stack_end < 1 || next - stack_end > GAP_MAX)
		return;
	known->stack_size = (uint32_t)sample->stack.size;
	known->gap = (uint32_t)(next - stack_end);
	known->lines = lines;
	known->hash = sample->hash;
}
