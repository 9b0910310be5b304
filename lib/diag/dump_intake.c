/* SPDX-License-Identifier: MIT
 * dump_intake: dumps are collected by source, since samples of several may alternate, and given to the listener by
 * process. The latest dump of a process is kept back: the time that it counts for depends on when the next one is. */
#include "diag/dump_intake.h"

#include "base/id_table.h"
#include "base/text_buffer.h"
#include "base/time_math.h"
#include "model/frame_identity.h"
#include "model/lock_lines.h"
#include "model/state_name.h"

#include <xxhash.h>

#define OPEN_MOST      64	/* dumps that are collected at once: samples do not alternate between more */
#define DISTANCES_KEPT 31	/* of which the median is what is usual */
#define GAP_TIMES      3	/* a longer distance is a gap: nobody knows what was in it */
#define NAME_MAX_SIZE  512

/* Threads that every VM has from its start to its end: who they are says which VM it is. */
static const char *const lasting[] = { "VM Thread", "Reference Handler", "Finalizer", "Signal Dispatcher", "main" };
#define LASTING (sizeof lasting / sizeof *lasting)
#define EARLY_MOST 65536	/* waits that are kept until their dump has a thread */

struct open_dump {
	uint64_t source, id;
	uint64_t touched;		/* when, by count of blocks and changes of dumps */
	uint64_t fingerprint;		/* of the VM; 0: it shows none */
	unsigned fingerprint_of;	/* which of `lasting`; LASTING: none yet */
	struct diag_dump dump;
};

struct process_entry {
	struct diag_process is;
	struct diag_dump held;		/* its latest dump, until the next one is known */
	bool holds;
	int64_t before_ns;		/* the distance between the held dump and the one before it; -1: there is
					 * none */
	int64_t distances[DISTANCES_KEPT];
	uint64_t distances_seen;
};

struct thread_entry { uint32_t name, pool; uint64_t key; enum stk_role role; bool known; };

struct process_key { uint64_t hash; uint32_t process; };

struct early_wait { uint64_t dump; struct told_wait is; };	/* told before a thread of its dump */

struct dump_intake {
	struct dump_intake_options with;
	struct dump_intake_totals totals;
	ARRAY(struct process_entry) processes;	/* number n at [n - 1] */
	struct hash_map known;			/* places in keys, from 1: by fingerprint, and by what a source says */
	ARRAY(struct process_key) keys;
	ARRAY(struct open_dump) open;
	struct open_dump *current;
	ARRAY(struct early_wait) early;	/* streams name deadlocks before rows that may refer to them */
	uint64_t changes;
	struct id_table threads;	/* struct thread_entry, of the present stream */
	struct id_table process_of;	/* uint32_t, by source, of the present stream */
	struct id_table classes;	/* uint32_t texts, by string, of the present stream */
	struct id_table says;		/* uint8_t, by condition, of the present stream: enum dump_says + 1 */
	struct lock_lines lines;
	struct text_buffer text;
};

void
dump_intake_open(struct dump_intake **out, const struct dump_intake_options *options)
{
	struct dump_intake *in = *out = mem_new(1, sizeof *in);

	in->with = *options;
	in->totals.times = TIME_RANGE_NONE;
	in->threads.size = sizeof(struct thread_entry);
	in->process_of.size = sizeof(uint32_t);
	in->says.size = sizeof(uint8_t);
	in->classes.size = sizeof(uint32_t);
}

static void
dump_release(struct diag_dump *dump)
{
	array_release(&dump->threads);
	array_release(&dump->lines);
	array_release(&dump->told);
}

void
dump_intake_close(struct dump_intake *in)
{
	if (in == NULL)
		return;
	for (size_t p = 0; p < in->processes.count; p++)
		dump_release(&in->processes.at[p].held);
	for (size_t o = 0; o < in->open.count; o++)
		dump_release(&in->open.at[o].dump);
	array_release(&in->processes);
	hash_map_release(&in->known);
	array_release(&in->keys);
	array_release(&in->open);
	array_release(&in->early);
	id_table_clear(&in->threads);
	id_table_clear(&in->process_of);
	id_table_clear(&in->says);
	id_table_clear(&in->classes);
	lock_lines_release(&in->lines);
	array_release(&in->text);
	free(in);
}

/* --- processes --- */

static uint32_t
key_find(const struct dump_intake *in, uint64_t hash)
{
	uint32_t at = hash_map_start(&in->known, hash), place;

	while ((place = hash_map_next(&in->known, hash, &at)) != 0)
		if (in->keys.at[place - 1].hash == hash)
			return in->keys.at[place - 1].process;
	return 0;
}

static void
key_add(struct dump_intake *in, uint64_t hash, uint32_t process)
{
	if (hash == 0 || key_find(in, hash) != 0)
		return;
	*array_push(&in->keys) = (struct process_key){ hash, process };
	hash_map_put(&in->known, hash, (uint32_t)in->keys.count);
}

static uint32_t
text_of_model(struct dump_intake *in, uint64_t string)
{
	struct stk_text text = model_string(in->with.model, string);

	return text.size == 0 ? 0 : text_table_number(in->with.texts, text);
}

/* What a source says of itself. */
static struct stk_source
source_row(struct dump_intake *in, uint64_t source)
{
	struct stk_source row = model_source(in->with.model, source);

	row.name = text_of_model(in, row.name);
	row.host = text_of_model(in, row.host);
	row.process = text_of_model(in, row.process);
	row.vm = text_of_model(in, row.vm);
	row.zone = text_of_model(in, row.zone);
	return row;
}

static uint32_t
process_new(struct dump_intake *in, const struct stk_source *row)
{
	struct process_entry *entry = array_push(&in->processes);

	*entry = (struct process_entry){ .before_ns = -1 };
	entry->is = (struct diag_process){ .name = (uint32_t)row->name, .row = *row, .times = TIME_RANGE_NONE };
	return (uint32_t)in->processes.count;
}

/* Its name is what the names of its sources have in common. */
static void
process_join(struct dump_intake *in, uint32_t process, const struct stk_source *row)
{
	struct diag_process *is = &in->processes.at[process - 1].is;
	char name[NAME_MAX_SIZE];
	size_t size;

	is->sources++;
	is->row = *row;
	if (is->sources < 2 || is->name == row->name)
		return;
	size = thread_pool(text_table_text(in->with.texts, (uint32_t)row->name), name, sizeof name);
	is->name = text_table_number(in->with.texts, text_of(name, size < sizeof name ? size : sizeof name));
}

/* By what the source says, else by the lasting threads of its VM, else a new one. */
static uint32_t
process_find(struct dump_intake *in, uint64_t source, uint64_t fingerprint)
{
	uint32_t *known = id_table_at(&in->process_of, source);
	struct stk_source row;
	uint64_t said[4], hash;

	if (*known != 0)
		return *known;
	row = source_row(in, source);
	said[0] = row.name;
	said[1] = row.host;
	said[2] = row.pid;
	said[3] = row.process;
	hash = XXH3_64bits(said, sizeof said);
	*known = key_find(in, hash);
	if (*known == 0 && fingerprint != 0) {
		*known = key_find(in, fingerprint);
		if (*known != 0)
			process_join(in, *known, &row);
	}
	if (*known == 0) {
		*known = process_new(in, &row);
		process_join(in, *known, &row);
	}
	key_add(in, hash, *known);
	key_add(in, fingerprint, *known);
	return *known;
}

uint32_t
dump_intake_process_of(struct dump_intake *in, uint64_t source)
{
	return process_find(in, source, 0);
}

/* --- the time that a dump counts for --- */

static int
compare_distances(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int64_t
usual_distance(const struct process_entry *entry)
{
	size_t count = entry->distances_seen < DISTANCES_KEPT ? (size_t)entry->distances_seen : DISTANCES_KEPT;
	int64_t sorted[DISTANCES_KEPT];

	memcpy(sorted, entry->distances, count * sizeof *sorted);
	qsort(sorted, count, sizeof *sorted, compare_distances);
	return count == 0 ? 0 : sorted[(count - 1) / 2];
}

/* after_ns: the distance to the next dump; -1: there is none. */
static int64_t
weight_of(const struct process_entry *entry, int64_t after_ns)
{
	int64_t most = time_product(usual_distance(entry), GAP_TIMES);
	int64_t before = entry->before_ns >= 0 ? entry->before_ns : after_ns;
	int64_t after = after_ns >= 0 ? after_ns : before;

	if (after < 0)
		return 0;
	before = before < most ? before : most;
	after = after < most ? after : most;
	return before / 2 + after / 2;
}

static void
give_held(struct dump_intake *in, struct process_entry *entry, int64_t after_ns)
{
	entry->held.weight_ns = weight_of(entry, after_ns);
	in->with.listener.take(in->with.listener.context, &entry->held);
	entry->holds = false;
}

/* The distance of two dumps; -1 where it is not known, or time went back. */
static int64_t
distance(struct dump_intake *in, const struct diag_dump *from, const struct diag_dump *to)
{
	if (from->time_ns == STK_TIME_UNKNOWN || to->time_ns == STK_TIME_UNKNOWN)
		return -1;
	in->totals.backward += to->time_ns < from->time_ns;
	return to->time_ns < from->time_ns ? -1 : to->time_ns - from->time_ns;
}

static void
count_dump(struct dump_intake *in, struct process_entry *entry, const struct diag_dump *dump)
{
	in->totals.dumps++;
	in->totals.threads += dump->threads.count;
	in->totals.untimed += dump->time_ns == STK_TIME_UNKNOWN;
	in->totals.cut += dump->cut;
	time_range_add(&in->totals.times, dump->time_ns);
	entry->is.dumps++;
	entry->is.threads += dump->threads.count;
	time_range_add(&entry->is.times, dump->time_ns);
}

/* A dump is complete: the one before it of its process goes to the listener. */
static void
dump_complete(struct dump_intake *in, struct open_dump *open)
{
	uint32_t process = process_find(in, open->source, open->fingerprint);
	struct process_entry *entry = &in->processes.at[process - 1];
	struct diag_dump emptied;
	int64_t after_ns = -1;

	open->dump.process = process;
	count_dump(in, entry, &open->dump);
	open->dump.number = entry->is.dumps;
	if (entry->holds) {
		after_ns = distance(in, &entry->held, &open->dump);
		if (after_ns > 0)	/* times are often whole seconds: 0 says nothing of the usual distance */
			entry->distances[entry->distances_seen++ % DISTANCES_KEPT] = after_ns;
		give_held(in, entry, after_ns);
	}
	emptied = entry->held;
	entry->held = open->dump;
	entry->holds = true;
	entry->before_ns = after_ns;
	emptied.threads.count = emptied.lines.count = emptied.told.count = 0;
	open->dump = emptied;
	open->id = 0;
}

/* --- threads --- */

/* The name with * for the number at its end. Other numbers in it tell pools apart: pool-3-thread-*. */
static uint32_t
pool_of(struct dump_intake *in, struct stk_text name)
{
	size_t size = name.size;

	while (size > 0 && name.data[size - 1] >= '0' && name.data[size - 1] <= '9')
		size--;
	in->text.count = 0;
	add_bytes(&in->text, name.data, size);
	add_string(&in->text, size < name.size ? "*" : "");
	return text_table_number(in->with.texts, text_in(&in->text, 0));
}

static const struct thread_entry *
thread_entry(struct dump_intake *in, uint64_t thread)
{
	struct thread_entry *entry = id_table_at(&in->threads, thread);
	struct stk_thread row;
	uint64_t key[3];

	if (entry->known)
		return entry;
	row = model_thread(in->with.model, thread);
	entry->known = true;
	entry->name = text_table_number(in->with.texts, model_thread_name(in->with.model, thread));
	if (text_table_text(in->with.texts, entry->name).size > 0)
		entry->pool = pool_of(in, text_table_text(in->with.texts, entry->name));
	entry->role = (enum stk_role)row.role;
	key[0] = entry->name;
	key[1] = row.number;
	key[2] = row.tid;
	entry->key = XXH3_64bits(key, sizeof key);
	return entry;
}

static void
note_fingerprint(struct dump_intake *in, struct open_dump *open, uint64_t thread, struct stk_text name)
{
	struct stk_thread row;
	uint64_t parts[3];

	for (unsigned i = 0; i < open->fingerprint_of; i++) {
		if (!text_is(name, lasting[i]))
			continue;
		row = model_thread(in->with.model, thread);
		if (row.tid == 0 || row.handle == 0)
			return;
		parts[0] = i;
		parts[1] = row.tid;
		parts[2] = row.handle;
		open->fingerprint = XXH3_64bits(parts, sizeof parts) | 1;
		open->fingerprint_of = i;
	}
}

/* As text_of_model, for what is asked again and again. */
static uint32_t
class_text(struct dump_intake *in, uint64_t string)
{
	uint32_t *known = string == 0 ? NULL : id_table_find(&in->classes, string);

	if (known == NULL) {
		if (string == 0 || !model_knows(in->with.model, STK_STRING, string))
			return 0;
		known = id_table_at(&in->classes, string);
	}
	if (*known == 0)
		*known = text_of_model(in, string) + 1;
	return *known - 1;
}

static uint32_t
add_lines(struct dump_intake *in, struct diag_dump *dump, uint64_t locks, uint64_t objects)
{
	if (locks == 0)
		return 0;
	lock_lines_load(&in->lines, in->with.model, locks, objects);
	for (size_t i = 0; i < in->lines.count; i++)
		*array_push(&dump->lines) = (struct dump_line){ (enum stk_relation)in->lines.at[i].relation,
								 class_text(in, in->lines.at[i].class),
								 (uint32_t)in->lines.at[i].depth,
								 in->lines.at[i].address };
	return (uint32_t)in->lines.count;
}

/* --- samples --- */

static enum dump_says
says_of_text(struct stk_text text)
{
	static const struct { const char *begins; enum dump_says says; } words[] = {
		{ "waiting", SAYS_WAITS }, { "in Object.wait", SAYS_WAITS }, { "sleeping", SAYS_WAITS },
		{ "active", SAYS_ACTIVE }, { "running", SAYS_ACTIVE }, { "runnable", SAYS_ACTIVE }, { "idle", SAYS_IDLE }, { "chan send", SAYS_SEND },
		{ "chan receive", SAYS_RECEIVE }, { "select", SAYS_SELECT }, { "sync.Mutex", SAYS_SYNC },
		{ "sync.RWMutex", SAYS_SYNC }, { "semacquire", SAYS_SYNC },
		{ "IO wait", SAYS_IO }
	};

	if (text_ends(text, "+gil"))
		return SAYS_GIL;
	for (size_t w = 0; w < sizeof words / sizeof *words; w++)
		if (text_starts(text, words[w].begins))
			return words[w].says;
	return SAYS_NOTHING;
}

static enum dump_says
says_of(struct dump_intake *in, uint64_t condition)
{
	uint8_t *known;

	if (condition == 0)
		return SAYS_NOTHING;
	known = id_table_at(&in->says, condition);
	if (*known == 0)
		*known = (uint8_t)(says_of_text(model_string(in->with.model, condition)) + 1);
	return (enum dump_says)(*known - 1);
}

/* "3 minutes" of a goroutine that waits, which Go prints from one minute on. */
static uint32_t
minutes_of(const struct dump_intake *in, enum dump_says says, uint64_t note)
{
	struct stk_text text = note != 0 && says >= SAYS_SEND ? model_string(in->with.model, note) : text_of("", 0);
	uint32_t minutes = 0;
	size_t at = 0;

	for (; at < text.size && (unsigned char)(text.data[at] - '0') < 10 && minutes < UINT32_MAX / 10 - 9; at++)
		minutes = minutes * 10 + (uint32_t)(text.data[at] - '0');
	return text_starts(text_of(text.data + at, text.size - at), " minutes") ? minutes : 0;
}

/* A thread uses no negative time, and no centuries: differences of what remains fit. */
static int64_t
believable_span(int64_t ns)
{
	return ns < 0 || ns > DURATION_MOST ? 0 : ns;
}

/* The columns of a block of samples. */
struct columns {
	const uint64_t *time, *dump, *thread, *stack, *state, *condition, *note, *locks, *objects, *cpu, *allocated;
};

static int
load_columns(struct dump_intake *in, struct columns *c, struct stk_reader *reader, const struct stk_block *block,
	     struct stk_error *err)
{
	if (stk_reader_column(reader, STK_COLUMN(sample, time), &c->time, err) < 0 ||
	    model_column(in->with.model, reader, block, STK_COLUMN(sample, dump), &c->dump, err) < 0 ||
	    model_column(in->with.model, reader, block, STK_COLUMN(sample, thread), &c->thread, err) < 0 ||
	    model_column(in->with.model, reader, block, STK_COLUMN(sample, stack), &c->stack, err) < 0 ||
	    stk_reader_column(reader, STK_COLUMN(sample, state), &c->state, err) < 0 ||
	    model_column(in->with.model, reader, block, STK_COLUMN(sample, condition), &c->condition, err) < 0 ||
	    model_column(in->with.model, reader, block, STK_COLUMN(sample, note), &c->note, err) < 0 ||
	    model_column(in->with.model, reader, block, STK_COLUMN(sample, locks), &c->locks, err) < 0 ||
	    model_column(in->with.model, reader, block, STK_COLUMN(sample, objects), &c->objects, err) < 0 ||
	    stk_reader_column(reader, STK_COLUMN(sample, cpu), &c->cpu, err) < 0)
		return -1;
	return stk_reader_column(reader, STK_COLUMN(sample, allocated), &c->allocated, err);
}

/* What was told of a dump that had no thread yet. */
static void
take_early(struct dump_intake *in, struct open_dump *open)
{
	size_t kept = 0;

	for (size_t i = 0; i < in->early.count; i++) {
		if (in->early.at[i].dump == open->id)
			*array_push(&open->dump.told) = in->early.at[i].is;
		else
			in->early.at[kept++] = in->early.at[i];
	}
	in->early.count = kept;
}

static void
dump_begin(struct dump_intake *in, struct open_dump *open, uint64_t source, uint64_t id)
{
	struct stk_dump row = model_dump(in->with.model, id);

	open->source = source;
	open->id = id;
	open->fingerprint = 0;
	open->fingerprint_of = LASTING;
	open->dump.time_ns = row.time;
	open->dump.took_ns = row.took;
	open->dump.cut = row.cut != 0;
	open->dump.chosen = false;
	take_early(in, open);
}

/* The place of a new dump: a free one, or that of the dump of the same source, or of the one that had no sample for the
 * longest time, which are complete. */
static struct open_dump *
place_of_new(struct dump_intake *in, uint64_t source)
{
	struct open_dump *place = NULL;

	for (size_t o = 0; o < in->open.count; o++) {
		struct open_dump *open = &in->open.at[o];

		if (open->id != 0 && open->source == source) {
			dump_complete(in, open);
			return open;
		}
		if (place == NULL || open->id == 0 || (place->id != 0 && open->touched < place->touched))
			place = open;
	}
	if (in->open.count < OPEN_MOST && (place == NULL || place->id != 0)) {
		place = array_push(&in->open);
		*place = (struct open_dump){ 0 };
	} else if (place->id != 0) {
		dump_complete(in, place);
	}
	return place;
}

static struct open_dump *
dump_of(struct dump_intake *in, uint64_t id)
{
	uint64_t source;

	if (in->current != NULL && in->current->id == id)
		return in->current;
	in->changes++;
	for (size_t o = 0; o < in->open.count; o++)
		if (in->open.at[o].id == id) {
			in->open.at[o].touched = in->changes;
			return in->current = &in->open.at[o];
		}
	source = model_dump(in->with.model, id).source;
	in->current = place_of_new(in, source);
	dump_begin(in, in->current, source, id);
	in->current->touched = in->changes;
	return in->current;
}

static void
take_row(struct dump_intake *in, const struct columns *c, uint32_t row, bool chosen)
{
	struct open_dump *open;
	const struct thread_entry *entry;
	struct dump_thread thread;

	if (c->dump[row] == 0) {
		in->totals.outside++;
		return;
	}
	open = dump_of(in, c->dump[row]);
	entry = thread_entry(in, c->thread[row]);
	if (open->dump.time_ns == STK_TIME_UNKNOWN)
		open->dump.time_ns = (int64_t)c->time[row];
	note_fingerprint(in, open, c->thread[row], text_table_text(in->with.texts, entry->name));
	thread = (struct dump_thread){
		.key = entry->key, .name = entry->name, .pool = entry->pool,
		.stack = stack_facts_number(in->with.facts, in->with.model, c->stack[row]),
		.state = state_of_number(c->state[row]), .role = entry->role,
		.says = says_of(in, c->condition[row]), .chosen = chosen,
		.cpu_ns = believable_span((int64_t)c->cpu[row]), .allocated = c->allocated[row],
		.first_line = (uint32_t)open->dump.lines.count
	};
	thread.idle = thread.stack != 0 ? stack_fact(in->with.facts, thread.stack)->idle
		: thread.role == STK_ROLE_VM || stack_facts_idle_thread(in->with.facts, in->with.model, c->thread[row]);
	thread.minutes = minutes_of(in, thread.says, c->note[row]);
	thread.lines = add_lines(in, &open->dump, c->locks[row], c->objects[row]);
	open->dump.chosen |= chosen;
	in->totals.chosen += chosen;
	*array_push(&open->dump.threads) = thread;
}

static int
take_samples(struct dump_intake *in, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	const uint32_t *rows, *chosen;
	uint32_t count, chosen_count, next = 0;
	struct columns c;

	if (selection_rows(in->with.window, reader, block, &rows, &count, err) < 0 ||
	    selection_rows(in->with.chosen, reader, block, &chosen, &chosen_count, err) < 0 ||
	    load_columns(in, &c, reader, block, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = selected_row(rows, i);

		while (next < chosen_count && selected_row(chosen, next) < row)
			next++;
		take_row(in, &c, row, next < chosen_count && selected_row(chosen, next) == row);
	}
	return 0;
}

/* --- deadlocks that the VM found --- */

static void
take_told(struct dump_intake *in, uint64_t dump, struct told_wait is)
{
	for (size_t o = 0; o < in->open.count; o++) {
		if (in->open.at[o].id == dump) {
			*array_push(&in->open.at[o].dump.told) = is;
			return;
		}
	}
	if (in->early.count < EARLY_MOST)
		*array_push(&in->early) = (struct early_wait){ dump, is };
}

static int
take_deadlocks(struct dump_intake *in, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		struct stk_deadlock row;

		stk_reader_row(reader, i, &row);
		if (row.dump != 0)
			take_told(in, row.dump, (struct told_wait){
				text_of_model(in, row.thread), text_of_model(in, row.owner),
				text_of_model(in, row.class), row.object, (enum stk_relation)row.relation });
	}
	return 0;
}

int
dump_intake_take(struct dump_intake *in, struct stk_reader *reader, const struct stk_block *block,
		 struct stk_error *err)
{
	if (block->kind == STK_SAMPLE)
		return take_samples(in, reader, block, err);
	return block->kind == STK_DEADLOCK ? take_deadlocks(in, reader, block, err) : 0;
}

/* --- ends --- */

/* In the order in which they were begun: sources may be one process. */
void
dump_intake_turn(struct dump_intake *in)
{
	for (;;) {
		struct open_dump *first = NULL;

		for (size_t o = 0; o < in->open.count; o++)
			if (in->open.at[o].id != 0 && (first == NULL || in->open.at[o].id < first->id))
				first = &in->open.at[o];
		if (first == NULL)
			break;
		dump_complete(in, first);
	}
	in->current = NULL;
	in->early.count = 0;
	id_table_clear(&in->threads);
	id_table_clear(&in->process_of);
	id_table_clear(&in->says);
	id_table_clear(&in->classes);
	stack_facts_turn(in->with.facts);
}

void
dump_intake_end(struct dump_intake *in)
{
	dump_intake_turn(in);
	for (size_t p = 0; p < in->processes.count; p++)
		if (in->processes.at[p].holds)
			give_held(in, &in->processes.at[p], -1);
}

uint32_t
dump_intake_processes(const struct dump_intake *in)
{
	return (uint32_t)in->processes.count;
}

const struct diag_process *
dump_intake_process(const struct dump_intake *in, uint32_t process)
{
	return &in->processes.at[process - 1].is;
}

const struct dump_intake_totals *
dump_intake_totals(const struct dump_intake *in)
{
	return &in->totals;
}
