/* SPDX-License-Identifier: MIT
 * Any bytes as a thread dump: nothing is read outside of a piece, every finding lies within it, locks agree with their
 * masked addresses, and frames are written back as they were. */
/* A second copy of the format, which tells what it reads to the functions below instead of those of
 * collect_stacks.c. */
#define thread_dump_format  fuzzed_format
#define stack_frame         fuzzed_frame
#define stack_is_root_first fuzzed_root_first
#define stack_lock          fuzzed_lock
#define stack_state         fuzzed_state
#define stack_broken        fuzzed_broken
#define java_stack_read     fuzzed_stack_read
#define java_frame_is       fuzzed_frame_is
#define java_frame_read     fuzzed_frame_read
#define java_state_words    fuzzed_state_words
#define java_owned_words    fuzzed_owned_words
#include "ingest/java_stack.c"
#include "ingest/thread_dump.c"

#include "model/frame_text.h"

#define FORMAT (&fuzzed_format)
#define MUST(condition) ((condition) ? (void)0 : abort())

struct stack_reading { struct stk_text stack; const uint64_t *addresses; size_t count, said; };

static bool
is_within(struct stk_text inner, struct stk_text outer)
{
	return inner.size == 0 || (inner.data >= outer.data && inner.data + inner.size <= outer.data + outer.size);
}

void
stack_frame(struct stack_reading *reading, struct stk_text line)
{
	struct frame_parts parts;
	struct frame_names names;
	char *text = malloc(line.size + 1);

	MUST(is_within(line, reading->stack));
	if (FORMAT->read_frame(&parts, line) &&
	    (parts.is_symbol || parts.function.data != line.data || text_find(line, ") @bci=") != NULL || text_find(line, ")[") != NULL ||
	     text_find(line, ")@") != NULL)) {
		MUST(is_within(parts.function, line) && is_within(parts.module, line) && is_within(parts.file, line));
	} else if (FORMAT->read_frame(&parts, line)) {
		names = (struct frame_names){ parts.function, parts.module, parts.file, parts.line, parts.form, 0, 0 };
		MUST(frame_text(&names, text, line.size) == line.size && memcmp(text, line.data, line.size) == 0);
	} else {
		MUST(line.size == 0);
	}
	free(text);
}

void
stack_is_root_first(struct stack_reading *reading)
{
	(void)reading;
	abort();
}

void
stack_lock(struct stack_reading *reading, enum stk_relation relation, struct stk_text class, uint64_t address)
{
	(void)relation;
	MUST(is_within(class, reading->stack));
	MUST(reading->said < reading->count && reading->addresses[reading->said] == address);
	reading->said++;
}

void
stack_state(struct stack_reading *reading, enum stk_state state)
{
	(void)reading, (void)state;
}

void
stack_broken(struct stack_reading *reading, struct stk_text line, const char *why)
{
	MUST(is_within(line, reading->stack) && why != NULL);
}

static void
check_stack(struct stk_text stack)
{
	char *masked = malloc(stack.size + 1);
	uint64_t *addresses = malloc((stack.size / 3 + 1) * sizeof *addresses);
	struct stack_reading reading = { stack, addresses, 0, 0 };
	size_t size = thread_dump_mask(stack, masked, addresses, stack.size / 3 + 1, &reading.count);

	MUST(size <= stack.size && reading.count <= stack.size / 3 + 1);
	FORMAT->read_stack(&reading, stack);
	MUST(reading.said == reading.count);
	free(addresses);
	free(masked);
}

static void
check(const struct finding *f, struct stk_text piece, uint32_t lines)
{
	MUST(f->line <= lines);
	if (f->kind == FOUND_SAMPLE) {
		const struct found_sample *s = &f->is.sample;

		MUST(is_within(s->stack, piece) && is_within(s->name, piece) && is_within(s->condition, piece) &&
		     is_within(s->note, piece));
		check_stack(s->stack);
	} else if (f->kind == FOUND_SKIPPED) {
		struct stk_text text = f->is.skipped.text;

		MUST(is_within(text, piece) && f->is.skipped.why != NULL && f->line + f->is.skipped.lines <= lines + 1);
		MUST(scan_count_lines(text.data, text.data + text.size) + 1 == f->is.skipped.lines);
	} else if (f->kind == FOUND_DEADLOCK) {
		MUST(is_within(f->is.deadlock.thread, piece) && is_within(f->is.deadlock.owner, piece) &&
		     is_within(f->is.deadlock.class, piece));
	} else if (f->kind == FOUND_PREFIX) {
		MUST(is_within(f->is.prefix.prefix, piece) && f->is.prefix.prefix.size > 0);
	} else if (f->kind == FOUND_DUMP) {
		MUST(is_within(f->is.dump.vm, piece));
	}
}

static void
scan(struct stk_text text)
{
	char *copy = malloc(text.size);		/* exactly as large: what is read behind it is seen */
	struct stk_text piece = text_of(copy, text.size);
	struct findings findings = { 0 };
	uint32_t lines = scan_count_lines(text.data, text.data + text.size);
	bool prefixed;

	if (text.size > 0)
		memcpy(copy, text.data, text.size);
	FORMAT->scan(&findings, piece);
	prefixed = findings.list.count > 0 && findings.list.at[findings.list.count - 1].kind == FOUND_PREFIX;
	MUST(prefixed ? findings.lines <= lines : findings.lines == lines);
	for (size_t i = 0; i < findings.list.count; i++)
		check(&findings.list.at[i], piece, lines);
	MUST(FORMAT->recognise(piece) >= 0);
	findings_release(&findings);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stk_text text = text_of((const char *)data, size);
	size_t cut = FORMAT->cut(text);

	MUST(cut <= size && (cut == 0 || data[cut - 1] == '\n'));
	scan(text);
	if (cut > 0) {
		scan(text_of(text.data, cut));
		scan(text_of(text.data + cut, size - cut));
	}
	return 0;
}
