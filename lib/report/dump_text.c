/* SPDX-License-Identifier: MIT
 * dump_text: samples as the text that they came from: thread dumps as a HotSpot VM prints them, others as perf script
 * does. Frames of these are byte for byte what they were; headers hold what the records hold (not the stack's own
 * address, the VM's list of threads, the hashes of monitors). */
#include "base/arena.h"
#include "base/id_table.h"
#include "model/lock_lines.h"
#include "model/perf_words.h"
#include "report/dump_frames.h"
#include "report/report.h"

#include <stdio.h>

#define NS 1000000000

/* A row of a deadlock that waits for the end of its dump, and the next one of that dump. */
struct waiting_row { struct stk_deadlock row; size_t next; bool written; };
struct waiting_rows { size_t first, last; };	/* places in the list, plus one; 0: none */

struct dumps {
	struct report report;
	uint64_t dump;			/* whose samples are being written; 0 none */
	uint64_t thread;		/* of it that was written last */
	uint64_t several;		/* threads that stand for more or less than one, which have no place for that */
	uint64_t seconds;		/* samples of events, of that thread, which are left out */
	bool blank_events;		/* whose names have blanks */
	bool decimal;			/* the VM writes system thread ids in decimal, and behind its own number too */
	ARRAY(struct waiting_row) deadlocks;	/* of the present stream, in their order */
	struct id_table deadlocks_of;		/* struct waiting_rows, by dump */
	ARRAY(uint32_t) frames;
	struct id_table texts, recorded_texts;	/* struct stk_text, by frame of the present stream: in a dump, in a
						 * sample of a recording */
	struct arena arena;		/* of these */
	struct text_buffer scratch;
	struct lock_lines locks;
};

static struct text_buffer *
out(struct dumps *d)
{
	return &d->report.printer->text;
}

/* --- the dump around its threads --- */

/* "2026-11-20 22:14:44", as the clock of the machine showed it. */
static void
add_civil(struct dumps *d, uint64_t source, int64_t ns)
{
	const struct time_zone *zone = moments_zone(d->report.moments, source);
	char text[TIME_TEXT_MAX];

	if (ns == STK_TIME_UNKNOWN)
		return;
	time_print(text, ns, zone);
	if (strlen(text) < 19)
		return;
	text[10] = ' ';
	add_bytes(out(d), text, 19);
	add_char(out(d), '\n');
}

/* "OpenJDK 64-Bit Server VM (25+36 mixed mode)": VMs from 21 on write thread ids in decimal. */
static bool
writes_decimal(struct stk_text vm)
{
	const char *at = vm.size == 0 ? NULL : memchr(vm.data, '(', vm.size), *end = vm.data + vm.size;
	unsigned major = 0;

	if (at == NULL)
		return false;
	for (at++; at < end && *at >= '0' && *at <= '9' && major < 1000; at++)
		major = major * 10 + (unsigned)(*at - '0');
	return major >= 21;
}

/* How long the VM's lists of its threads are; what was in them is not known. */
static void
add_list_sizes(struct dumps *d, const struct stk_dump *dump)
{
	static const char lists[2][20] = { "_java_thread_list", "_to_delete_list" };
	const uint64_t sizes[2] = { dump->listed, dump->exiting };

	add_string(out(d), "Threads class SMR info:\n");
	for (unsigned i = 0; i < 2; i++)
		if (sizes[i] != 0)
			add_format(out(d), "%s=0x%016x, length=%llu, elements={\n}\n", lists[i], 0,
				   (unsigned long long)sizes[i]);
	add_char(out(d), '\n');
}

static void
begin_dump(struct dumps *d, uint64_t id)
{
	struct stk_dump dump = model_dump(d->report.model, id);
	bool known =
		model_knows(d->report.model, STK_DUMP, id) && model_knows(d->report.model, STK_SOURCE, dump.source);
	struct stk_text vm =
		known ? model_string(d->report.model, model_source(d->report.model, dump.source).vm) : text_from("?");

	d->decimal = writes_decimal(vm);
	if (model_knows(d->report.model, STK_DUMP, id))
		add_civil(d, dump.source, dump.time);
	add_string(out(d), "Full thread dump");
	if (vm.size > 0) {
		add_char(out(d), ' ');
		add_line_text(out(d), vm);
	}
	add_string(out(d), ":\n\n");
	if (dump.listed != 0 || dump.exiting != 0)
		add_list_sizes(d, &dump);
}

/* One thread of a ring, which may be the first. */
static void
add_deadlock(struct dumps *d, const struct stk_deadlock *row, bool begins)
{
	const struct model *model = d->report.model;
	struct text_buffer *to = out(d);

	if (begins)
		add_string(to, "\nFound one Java-level deadlock:\n=============================\n");
	add_char(to, '"');
	add_line_text(to, model_string(model, row->thread));
	add_string(to, "\":\n");
	if (row->relation == STK_RELATION_PARKING) {
		add_string(to, "  waiting for ownable synchronizer 0x");
		add_hex(to, row->object, 16);
		add_string(to, ", (a ");
	} else {
		add_string(to, "  waiting to lock monitor 0x0000000000000000 (object 0x");
		add_hex(to, row->object, 16);
		add_string(to, ", a ");
	}
	add_line_text(to, model_string(model, row->class));
	add_string(to, "),\n  which is held by \"");
	add_line_text(to, model_string(model, row->owner));
	add_string(to, "\"\n\n");
}

/* The deadlocks of a dump, from a place in the list on. */
static void
add_deadlocks(struct dumps *d, size_t place)
{
	const struct waiting_row *before = NULL;

	while (place != 0) {
		struct waiting_row *at = &d->deadlocks.at[place - 1];

		add_deadlock(d, &at->row, before == NULL || at->row.ring != before->row.ring);
		at->written = true;
		before = at;
		place = at->next;
	}
}

static void
end_dump(struct dumps *d)
{
	struct stk_dump dump = model_dump(d->report.model, d->dump);
	struct waiting_rows *rows = id_table_find(&d->deadlocks_of, d->dump);

	if (d->dump != 0 && (dump.jni_refs != 0 || dump.weak_refs != 0)) {
		add_string(out(d), "JNI global refs: ");
		add_unsigned(out(d), dump.jni_refs);
		add_string(out(d), ", weak refs: ");
		add_unsigned(out(d), dump.weak_refs);
		add_string(out(d), "\n\n");
	}
	if (rows != NULL) {
		add_deadlocks(d, rows->first);
		*rows = (struct waiting_rows){ 0 };
	}
	d->dump = 0;
}

static void
turn_to_dump(struct dumps *d, uint64_t id)
{
	end_dump(d);
	if (id != 0)
		begin_dump(d, id);
	d->dump = id;
	d->thread = 0;
}

/* --- a thread of a dump --- */

static void
add_allocated(struct text_buffer *to, uint64_t bytes)
{
	static const char letters[] = "GMK";

	for (unsigned shift = 30, i = 0; i < 3; shift -= 10, i++) {
		if (bytes >= UINT64_C(100) << shift) {
			add_unsigned(to, bytes >> shift);
			add_char(to, letters[i]);
			return;
		}
	}
	add_unsigned(to, bytes);
	add_char(to, 'B');
}

static void
add_times(struct text_buffer *to, const struct stk_sample *sample)
{
	if (sample->cpu != 0 || sample->elapsed != 0) {
		add_format(to, "cpu=%.2fms ", (double)sample->cpu / 1e6);
		add_format(to, "elapsed=%.2fs ", (double)sample->elapsed / NS);
	}
	if (sample->allocated != 0 || sample->classes != 0) {
		add_string(to, "allocated=");
		add_allocated(to, sample->allocated);
		add_string(to, " defined_classes=");
		add_unsigned(to, sample->classes);
		add_char(to, ' ');
	}
}

static void
add_header(struct dumps *d, const struct stk_thread *thread, const struct stk_sample *sample)
{
	const struct model *model = d->report.model;
	struct stk_text condition = model_string(model, sample->condition);
	struct text_buffer *to = out(d);

	add_char(to, '"');
	add_line_text(to, model_thread_name(model, sample->thread));
	add_string(to, "\" ");
	if (thread->number != 0) {
		add_char(to, '#');
		add_unsigned(to, thread->number);
		add_char(to, ' ');
	}
	if (thread->number != 0 && thread->tid != 0 && d->decimal) {
		add_char(to, '[');
		add_unsigned(to, thread->tid);
		add_string(to, "] ");
	}
	if (thread->role == STK_ROLE_DAEMON)
		add_string(to, "daemon ");
	else if (thread->role == STK_ROLE_VIRTUAL)
		add_string(to, "virtual ");
	if (thread->priority != 0) {
		add_string(to, "prio=");
		add_signed(to, thread->priority);
		add_char(to, ' ');
	}
	if (thread->role != STK_ROLE_VIRTUAL) {
		add_string(to, "os_prio=");
		add_signed(to, thread->os_priority);
		add_char(to, ' ');
	}
	add_times(to, sample);
	if (thread->handle != 0 || (thread->tid == 0 && thread->priority == 0)) {	/* else it would be no header */
		add_string(to, "tid=0x");
		add_hex(to, thread->handle, 16);
		add_char(to, ' ');
	}
	if (thread->tid != 0 && d->decimal) {
		add_string(to, "nid=");
		add_unsigned(to, thread->tid);
		add_char(to, ' ');
	} else if (thread->tid != 0) {
		add_string(to, "nid=0x");
		add_hex(to, thread->tid, 1);
		add_char(to, ' ');
	}
	add_line_text(to, condition);
	add_string(to, "  \n");
}

/* What Java says in parentheses behind a state follows from how the thread came to wait. */
static const char *
state_manner(struct dumps *d, const struct stk_sample *sample, struct stk_text leaf)
{
	struct stk_text condition = model_string(d->report.model, sample->condition);

	if (sample->state == STK_STATE_BLOCKED)
		return " (on object monitor)";
	if (sample->state != STK_STATE_WAITING && sample->state != STK_STATE_TIMED_WAITING)
		return "";
	if (text_is(condition, "in Object.wait()") || text_is(leaf, "java.lang.Object.wait") ||
	    text_is(leaf, "java.lang.Object.wait0"))
		return " (on object monitor)";
	if (text_is(leaf, "java.lang.Thread.sleep") || text_is(leaf, "java.lang.Thread.sleep0") ||
	    text_is(leaf, "java.lang.Thread.sleepNanos0"))
		return " (sleeping)";
	return " (parking)";
}

static const char *
state_name(uint64_t state)
{
	static const char *const names[] = { NULL,         "NEW", "RUNNABLE", "BLOCKED", "WAITING", "TIMED_WAITING",
					     "TERMINATED", "RUNNING", "SLEEPING" };

	return state <= STK_STATE_SLEEPING ? names[state] : NULL;
}

static void
add_lock(struct dumps *d, const struct lock_line *line)
{
	static const char *const words[] = { "locked ",
					     "waiting to lock ",
					     "waiting to re-lock in wait() ",
					     "waiting on ",
					     "parking to wait for  ",
					     "eliminated ",
					     "" };
	struct stk_text class = model_string(d->report.model, line->class);
	struct text_buffer *to = out(d);

	add_string(to, "\t- ");
	add_string(to, line->relation <= STK_RELATION_OWNS ? words[line->relation] : "? ");
	if (!line->has_address)
		add_string(to, d->locks.lost_addresses ? "<?>" : "<address not kept>");
	else if (line->address != 0) {
		add_string(to, "<0x");
		add_hex(to, line->address, 16);
		add_char(to, '>');
	} else {
		add_string(to, line->relation == STK_RELATION_ELIMINATED ? "<owner is scalar replaced>"
									 : "<no object reference available>");
	}
	if (class.size > 0) {
		add_string(to, " (a ");
		add_line_text(to, class);
		add_char(to, ')');
	}
	add_char(to, '\n');
}

/* The lock lines that stand under `depth` frames. */
static void
add_locks_at(struct dumps *d, uint64_t depth)
{
	for (size_t i = 0; i < d->locks.count; i++)
		if (d->locks.at[i].depth == depth && d->locks.at[i].relation != STK_RELATION_OWNS)
			add_lock(d, &d->locks.at[i]);
}

/* The text of a frame, made once. */
static void
add_frame(struct dumps *d, struct id_table *texts,
	  void (*make)(struct text_buffer *to, const struct model *model, uint32_t frame), uint32_t frame)
{
	size_t from = out(d)->count;
	struct stk_text *known;

	if (!model_knows(d->report.model, STK_FRAME, frame)) {
		add_char(out(d), '?');
		return;
	}
	known = id_table_at(texts, frame);
	if (known->data != NULL) {
		add_text(out(d), *known);
		return;
	}
	make(out(d), d->report.model, frame);
	*known = text_of(arena_copy(&d->arena, out(d)->at + from, out(d)->count - from), out(d)->count - from);
}

static uint32_t
load_frames(struct dumps *d, uint64_t stack)
{
	uint32_t depth = model_stack_frames(d->report.model, stack, d->frames.at, (uint32_t)d->frames.room);

	if (depth > d->frames.room) {
		array_reserve(&d->frames, depth);
		depth = model_stack_frames(d->report.model, stack, d->frames.at, depth);
	}
	return depth;
}

static void
add_owned(struct dumps *d)
{
	bool any = false;

	for (size_t i = 0; i < d->locks.count; i++) {
		if (d->locks.at[i].relation != STK_RELATION_OWNS)
			continue;
		add_string(out(d), any ? "" : "\n   Locked ownable synchronizers:\n");
		add_lock(d, &d->locks.at[i]);
		any = true;
	}
}

/* What a VM has no words for is a note by name, so that it is none of the stack's lines. */
static void
add_note(struct dumps *d, struct stk_text note)
{
	struct text_buffer *to = out(d);

	if (note.size == 0)
		return;
	add_string(to, "   ");
	if (!text_starts(note, "Compiling: ") && !text_starts(note, "Carrying virtual thread "))
		add_string(to, "Note: ");
	add_line_text(to, note);
	add_char(to, '\n');
}

static void
add_thread(struct dumps *d, const struct stk_sample *sample)
{
	const struct model *model = d->report.model;
	struct stk_thread thread = model_thread(model, sample->thread);
	struct text_buffer *to = out(d);
	uint32_t depth = load_frames(d, sample->stack);
	struct stk_text leaf =
		depth == 0 ? text_of("", 0) : model_string(model, model_frame(model, d->frames.at[depth - 1]).function);

	d->thread = sample->thread;
	d->several += sample->weight != 1;
	lock_lines_load(&d->locks, model, sample->locks, sample->objects);
	add_header(d, &thread, sample);
	if (state_name(sample->state) != NULL)
		add_format(to, "   java.lang.Thread.State: %s%s\n", state_name(sample->state),
			   state_manner(d, sample, leaf));
	add_note(d, model_string(model, sample->note));
	add_locks_at(d, 0);
	for (uint32_t above = 1; above <= depth; above++) {
		add_string(to, "\tat ");
		add_frame(d, &d->texts, add_dump_frame, d->frames.at[depth - above]);
		add_char(to, '\n');
		add_locks_at(d, above);
	}
	if (d->locks.lost_lines)
		add_string(to, "\t- ?\n");
	add_owned(d);
	add_char(to, '\n');
}

/* --- a sample of a recording --- */

/* Microseconds as perf script writes them; nanoseconds where there are some. */
static void
add_recorded_time(struct text_buffer *to, int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	bool exact = size % 1000 != 0;

	add_format(to, " %s%llu.%0*llu:", ns < 0 ? "-" : "", (unsigned long long)(size / NS), exact ? 9 : 6,
		   (unsigned long long)(size % NS / (exact ? 1 : 1000)));
}

/* Blanks would end it. */
static void
add_event(struct dumps *d, struct stk_text event)
{
	bool blank = false;

	for (size_t i = 0; i < event.size; i++) {
		bool here = (unsigned char)event.data[i] <= ' ';

		add_char(out(d), here ? '_' : event.data[i]);
		blank |= here;
	}
	d->blank_events |= blank;
}

/* A header without time and processor is known by its command, its event and the numbers between: what has no name gets
 * one that stkcap takes for none. */
static void
add_sample_header(struct dumps *d, const struct stk_sample *sample)
{
	const struct model *model = d->report.model;
	struct stk_thread thread = model_thread(model, sample->thread);
	struct stk_source source = model_source(model, thread.source);
	struct stk_text name = model_thread_name(model, sample->thread), event = model_string(model, sample->event);
	bool weak = sample->processor < 0 && sample->time == STK_TIME_UNKNOWN;
	struct text_buffer *to = out(d);

	add_line_text(to, name.size == 0 ? text_from(PERF_UNNAMED) : name);
	if (!model_knows(model, STK_THREAD, sample->thread)) {
		add_string(to, " ?");
	} else if (sample->thread != 0) {
		add_char(to, ' ');
		if (source.pid != 0) {
			add_unsigned(to, source.pid);
			add_char(to, '/');
		} else if (!model_knows(model, STK_SOURCE, thread.source)) {
			add_string(to, "?/");
		}
		add_unsigned(to, thread.tid != 0 ? thread.tid : thread.number);
	} else if (weak) {
		add_string(to, " 0");
	}
	if (sample->processor >= 0)
		add_format(to, " [%03lld]", (long long)sample->processor);
	if (sample->time != STK_TIME_UNKNOWN)
		add_recorded_time(to, sample->time);
	add_char(to, ' ');
	add_unsigned(to, sample->weight);
	add_char(to, ' ');
	add_event(d, weak && event.size == 0 ? text_from(PERF_NO_EVENT) : event);
	add_string(to, ":\n");
}

/* As wide as perf script writes it. */
static void
add_address(struct text_buffer *to, uint64_t address)
{
	static const char blanks[] = "\t               ";
	int digits = 1;

	while (digits < 16 && address >> 4 * digits != 0)
		digits++;
	add_bytes(to, blanks, (size_t)(17 - digits));
	add_hex(to, address, 1);
	add_char(to, ' ');
}

static void
add_recorded(struct dumps *d, const struct stk_sample *sample)
{
	uint32_t depth = load_frames(d, sample->stack);
	struct text_buffer *to = out(d);

	add_sample_header(d, sample);
	while (depth-- > 0) {
		struct stk_frame frame = model_frame(d->report.model, d->frames.at[depth]);

		add_address(to, frame.address);
		add_frame(d, &d->recorded_texts, add_recorded_frame, d->frames.at[depth]);
		add_char(to, '\n');
	}
	add_char(to, '\n');
}

/* --- blocks --- */

static int
take_samples(struct dumps *d, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	const uint32_t *rows;
	uint32_t count;

	if (selection_rows(d->report.selection, reader, block, &rows, &count, err) < 0 ||
	    stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		struct stk_sample sample;

		stk_reader_row(reader, selected_row(rows, i), &sample);
		if (sample.dump != d->dump)
			turn_to_dump(d, sample.dump);
		if (sample.dump != 0 && sample.event != 0 && sample.thread == d->thread)
			d->seconds++;
		else if (sample.dump != 0)
			add_thread(d, &sample);
		else
			add_recorded(d, &sample);
		if (printer_settle(d->report.printer, false, err) < 0)
			return -1;
	}
	return 0;
}

/* A dump's deadlocks are written after its threads. Streams have them before these, so that they are known by then:
 * except what older versions wrote, or what is of a dump without chosen threads. */
static void
keep_deadlock(struct dumps *d, const struct stk_deadlock *row)
{
	struct waiting_rows *rows = id_table_at(&d->deadlocks_of, row->dump);

	*array_push(&d->deadlocks) = (struct waiting_row){ .row = *row };
	if (rows->first == 0)
		rows->first = d->deadlocks.count;
	else
		d->deadlocks.at[rows->last - 1].next = d->deadlocks.count;
	rows->last = d->deadlocks.count;
}

static int
take_deadlocks(struct dumps *d, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	const uint32_t *rows;
	uint32_t count;

	if (selection_rows(d->report.selection, reader, block, &rows, &count, err) < 0 ||
	    stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		struct stk_deadlock deadlock;

		stk_reader_row(reader, selected_row(rows, i), &deadlock);
		keep_deadlock(d, &deadlock);
	}
	return 0;
}

/* Those whose dump's threads were written before they came: the header of the dump is repeated. */
static void
add_late_deadlocks(struct dumps *d)
{
	end_dump(d);
	for (size_t i = 0; i < d->deadlocks.count; i++) {
		if (d->deadlocks.at[i].written)
			continue;
		turn_to_dump(d, d->deadlocks.at[i].row.dump);
		end_dump(d);
	}
	d->deadlocks.count = 0;
	id_table_clear(&d->deadlocks_of);
}

static void *
dumps_open(const struct report *report, struct stk_error *err)
{
	struct dumps *d = mem_new(1, sizeof *d);

	(void)err;
	d->report = *report;
	d->texts.size = d->recorded_texts.size = sizeof(struct stk_text);
	d->deadlocks_of.size = sizeof(struct waiting_rows);
	return d;
}

static int
dumps_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	switch (block->kind) {
	case STK_SAMPLE:   return take_samples(context, reader, block, err);
	case STK_DEADLOCK: return take_deadlocks(context, reader, block, err);
	default:           return 0;
	}
}

static void
say_seconds(struct dumps *d)
{
	if (d->seconds > 0)
		d->report.remark("left out the native stacks of threads that have another stack in their dump; "
				 "--event native writes them");
	d->seconds = 0;
}

static int
dumps_finish(void *context, struct stk_error *err)
{
	struct dumps *d = context;
	char text[120];

	(void)err;
	snprintf(text, sizeof text, "weights of %llu thread%s of dumps left out: each is written once",
		 (unsigned long long)d->several, d->several == 1 ? "" : "s");
	if (d->several > 0)
		d->report.remark(text);
	if (d->blank_events)
		d->report.remark("names of events have _ in place of blanks, which would end them");
	return 0;
}

static int
dumps_turn(void *context, struct stk_error *err)
{
	struct dumps *d = context;

	(void)err;
	say_seconds(d);
	add_late_deadlocks(d);
	id_table_clear(&d->texts);
	id_table_clear(&d->recorded_texts);
	arena_reset(&d->arena);
	return 0;
}

static void
dumps_close(void *context)
{
	struct dumps *d = context;

	array_release(&d->frames);
	array_release(&d->deadlocks);
	id_table_clear(&d->deadlocks_of);
	id_table_clear(&d->texts);
	id_table_clear(&d->recorded_texts);
	arena_release(&d->arena);
	array_release(&d->scratch);
	lock_lines_release(&d->locks);
	free(d);
}

const struct report_form dumps_form = {
	.name = "dumps", .kinds = KIND_BIT(STK_SAMPLE) | KIND_BIT(STK_DEADLOCK),
	.counts = KIND_BIT(STK_EVENT) | KIND_BIT(STK_METRIC), .has = "samples and deadlocks",
	.open = dumps_open, .turn = dumps_turn, .take = dumps_take, .finish = dumps_finish,
	.close = dumps_close
};
