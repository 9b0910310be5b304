/* SPDX-License-Identifier: MIT
 * sqlite_tables: a stream as the tables of a database. Functions, stacks, threads and sources have one row, in however
 * many streams of the input they are. Memory: the distinct names, functions, stacks and threads. */
#include "report/database.h"
#include "report/viewer_samples.h"

#include "model/lock_lines.h"
#include "report/joined.h"
#include "stkpipe/version.h"

static const char schema[] =
	"PRAGMA application_id=0x53544b31; PRAGMA user_version=1;"
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE source(id INTEGER PRIMARY KEY, name TEXT NOT NULL, host TEXT, pid INTEGER, process TEXT, vm TEXT,"
	" clock TEXT NOT NULL, zone TEXT);"
	"CREATE TABLE dump(id INTEGER PRIMARY KEY, source_id INTEGER REFERENCES source, t_ns INTEGER, took_ns INTEGER,"
	" event INTEGER, threads INTEGER, cut INTEGER NOT NULL);"
	"CREATE TABLE thread(id INTEGER PRIMARY KEY, source_id INTEGER REFERENCES source, name TEXT NOT NULL, pool TEXT NOT NULL,"
	" tid INTEGER, number INTEGER, role TEXT NOT NULL, priority INTEGER);"
	"CREATE TABLE frame(id INTEGER PRIMARY KEY, function TEXT NOT NULL, module TEXT, file TEXT, line INTEGER);"
	"CREATE TABLE stack(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES stack, frame_id INTEGER NOT NULL REFERENCES frame,"
	" depth INTEGER NOT NULL);"
	"CREATE TABLE stack_frame(stack_id INTEGER NOT NULL REFERENCES stack, depth INTEGER NOT NULL,"
	" frame_id INTEGER NOT NULL REFERENCES frame, PRIMARY KEY(stack_id, depth)) WITHOUT ROWID;"
	"CREATE TABLE sample(id INTEGER PRIMARY KEY, source_id INTEGER REFERENCES source, dump_id INTEGER REFERENCES dump,"
	" thread_id INTEGER REFERENCES thread, t_ns INTEGER, state TEXT NOT NULL, stack_id INTEGER REFERENCES stack,"
	" event TEXT NOT NULL, weight INTEGER NOT NULL, unit TEXT NOT NULL, dur_ns INTEGER, processor INTEGER, condition TEXT,"
	" cpu_ns INTEGER, elapsed_ns INTEGER, allocated INTEGER, note TEXT);"
	"CREATE TABLE lock(sample_id INTEGER NOT NULL REFERENCES sample, role TEXT, relation TEXT NOT NULL, obj TEXT, class TEXT,"
	" depth INTEGER NOT NULL);"
	"CREATE TABLE deadlock(dump_id INTEGER REFERENCES dump, ring INTEGER, thread TEXT, relation TEXT, obj TEXT, class TEXT,"
	" owner TEXT);"
	"CREATE TABLE metric(source_id INTEGER REFERENCES source, t_ns INTEGER, name TEXT NOT NULL, value REAL);"
	"CREATE TABLE event(thread_id INTEGER REFERENCES thread, t_ns INTEGER, happening TEXT NOT NULL, name TEXT NOT NULL,"
	" value REAL, activity INTEGER, stack_id INTEGER REFERENCES stack, payloads TEXT NOT NULL, processor INTEGER);";

static const char indices_and_views[] =
	"CREATE INDEX sample_time ON sample(t_ns); CREATE INDEX sample_stack ON sample(stack_id);"
	"CREATE INDEX sample_thread ON sample(thread_id, t_ns); CREATE INDEX sample_dump ON sample(dump_id);"
	"CREATE INDEX stack_frame_frame ON stack_frame(frame_id, stack_id); CREATE INDEX frame_function ON frame(function);"
	"CREATE INDEX lock_sample ON lock(sample_id); CREATE INDEX lock_obj ON lock(obj);"
	"CREATE INDEX metric_name ON metric(name, source_id, t_ns); CREATE INDEX event_time ON event(t_ns);"
	/* seconds are rounded down, also before 1970 */
	"CREATE VIEW v_sample AS SELECT s.*, CASE WHEN src.clock = 'monotonic' THEN NULL ELSE"
	" strftime('%Y-%m-%dT%H:%M:%S', (s.t_ns - (s.t_ns % 1000000000 + 1000000000) % 1000000000) / 1000000000, 'unixepoch')"
	" || '.' || substr('00000000' || (s.t_ns % 1000000000 + 1000000000) % 1000000000, -9) || 'Z' END AS t,"
	" src.name AS source, src.host, src.pid, src.process, th.name AS thread, th.pool, th.tid, th.number, f.function AS top, f.module AS top_module"
	" FROM sample s LEFT JOIN source src ON src.id = s.source_id LEFT JOIN thread th ON th.id = s.thread_id"
	" LEFT JOIN stack k ON k.id = s.stack_id LEFT JOIN frame f ON f.id = k.frame_id;"
	"CREATE VIEW v_folded AS SELECT k.id AS stack_id, (SELECT group_concat(function, ';') FROM (SELECT f.function"
	" FROM stack_frame x JOIN frame f ON f.id = x.frame_id WHERE x.stack_id = k.id ORDER BY x.depth)) AS folded"
	" FROM stack k WHERE k.id IN (SELECT stack_id FROM stack_frame);"
	/* who keeps whom waiting: a thread that waits to be notified has given its lock away */
	"CREATE VIEW v_blocked AS SELECT s.t_ns, s.dump_id, s.source_id, w.obj, w.class, s.thread_id AS waiter_id,"
	" o.thread_id AS owner_id, s.stack_id AS waiter_stack_id, o.stack_id AS owner_stack_id"
	" FROM lock w JOIN sample s ON s.id = w.sample_id AND w.role IN ('wants', 'parks')"
	" JOIN lock l ON l.obj = w.obj AND l.role = 'owns' JOIN sample o ON o.id = l.sample_id AND o.dump_id = s.dump_id"
	" AND o.thread_id IS NOT s.thread_id"
	" WHERE NOT EXISTS (SELECT 1 FROM lock n WHERE n.sample_id = o.id AND n.obj = w.obj AND n.role IN ('waits', 'wants'))"
	" GROUP BY w.sample_id, w.obj, o.id;";

struct tables {
	struct viewer_samples names;
	struct database *database;
	struct insert *source, *dump, *thread, *sample, *lock, *deadlock, *metric, *event;
	struct text_table source_keys, thread_keys;	/* their numbers are the ids of rows */
	struct id_table sources, threads, dumps;	/* uint32_t: rows by id of the present stream; 0: not yet */
	uint32_t dump_count;
	uint64_t samples;
	ARRAY(uint64_t) used;		/* a bit for each stack that is a sample's */
	struct text_buffer key, text;
	struct lock_lines locks;
	ARRAY(uint32_t) path;
};

/* A text of the stream as valid UTF-8, until the next call. */
static struct stk_text
valid(struct tables *d, struct stk_text text)
{
	d->text.count = 0;
	add_valid_text(&d->text, text);
	return text_in(&d->text, 0);
}

static void
put_name(struct tables *d, struct insert *to, uint64_t string)
{
	if (string == 0)
		put_null(to);
	else
		put_text(to, valid(d, model_string(d->names.report.model, string)));
}

/* The name of a value of an enumeration. */
static struct stk_text
named(unsigned kind, unsigned column, uint64_t value)
{
	const char *const *names = stk_schema()->kind[kind].column[column].names;
	uint64_t i = 0;

	while (names[i] != NULL && i < value)
		i++;
	return text_from(names[i] != NULL ? names[i] : "?");
}

/* --- sources, threads, dumps: defined when a row refers to them --- */

static void
add_key(struct tables *d, struct stk_text text)
{
	add_format(&d->key, "%zu ", text.size);
	add_text(&d->key, text);
}

static uint32_t
source_row(struct tables *d, uint64_t id)
{
	const struct model *model = d->names.report.model;
	struct stk_source row = model_source(model, id);
	uint32_t *known, number;

	if (id == 0 || !model_knows(model, STK_SOURCE, id))
		return 0;
	known = id_table_at(&d->sources, id);
	if (*known != 0)
		return *known;
	d->key.count = 0;
	add_key(d, model_string(model, row.name));
	add_key(d, model_string(model, row.host));
	add_key(d, model_string(model, row.process));
	add_key(d, model_string(model, row.vm));
	add_key(d, model_string(model, row.zone));
	add_format(&d->key, "%llu %llu", (unsigned long long)row.pid, (unsigned long long)row.clock);
	number = (uint32_t)d->source_keys.texts.count;
	*known = text_table_number(&d->source_keys, text_in(&d->key, 0));
	if (*known <= number)
		return *known;
	put_number(d->source, *known);
	put_text(d->source, valid(d, model_source_name(model, id)));
	put_name(d, d->source, row.host);
	put_id(d->source, row.pid);
	put_name(d, d->source, row.process);
	put_name(d, d->source, row.vm);
	put_text(d->source, named(STK_SOURCE, STK_COLUMN(source, clock), row.clock));
	put_name(d, d->source, row.zone);
	return *known;
}

static uint32_t
thread_row(struct tables *d, uint64_t id)
{
	const struct model *model = d->names.report.model;
	struct stk_thread row = model_thread(model, id);
	uint32_t *known, number, source;

	if (id == 0 || !model_knows(model, STK_THREAD, id))
		return 0;
	known = id_table_at(&d->threads, id);
	if (*known != 0)
		return *known;
	source = source_row(d, row.source);
	d->key.count = 0;
	add_key(d, model_string(model, row.name));
	add_format(&d->key, "%u %llu %llu %llu %lld", source, (unsigned long long)row.tid,
		   (unsigned long long)row.number, (unsigned long long)row.role, (long long)row.priority);
	number = (uint32_t)d->thread_keys.texts.count;
	*known = text_table_number(&d->thread_keys, text_in(&d->key, 0));
	if (*known <= number)
		return *known;
	put_number(d->thread, *known);
	put_id(d->thread, source);
	put_text(d->thread, valid(d, model_thread_name(model, id)));
	put_text(d->thread, valid(d, naming_pool(model_thread_name(model, id))));
	put_id(d->thread, row.tid);
	put_id(d->thread, row.number);
	put_text(d->thread, named(STK_THREAD, STK_COLUMN(thread, role), row.role));
	put_number(d->thread, row.priority);
	return *known;
}

static uint32_t
dump_row(struct tables *d, uint64_t id)
{
	const struct model *model = d->names.report.model;
	struct stk_dump row = model_dump(model, id);
	uint32_t *known;

	if (id == 0 || !model_knows(model, STK_DUMP, id))
		return 0;
	known = id_table_at(&d->dumps, id);
	if (*known != 0)
		return *known;
	*known = ++d->dump_count;
	put_number(d->dump, *known);
	put_id(d->dump, source_row(d, row.source));
	put_time(d->dump, row.time);
	put_number(d->dump, row.took);
	put_id(d->dump, row.event);
	put_count(d->dump, row.threads);
	put_number(d->dump, row.cut != 0);
	return *known;
}

static uint32_t
stack_used(struct tables *d, uint64_t id, bool java)
{
	uint32_t stack = viewer_stack(&d->names, id, java);

	array_lengthen(&d->used, (size_t)stack / 64 + 1);
	d->used.at[stack / 64] |= UINT64_C(1) << stack % 64;
	return stack;
}

/* --- rows --- */

static void
put_object(struct tables *d, struct insert *to, uint64_t address)
{
	if (address == 0) {
		put_null(to);
		return;
	}
	d->text.count = 0;
	add_string(&d->text, "0x");
	add_hex(&d->text, address, 1);
	put_text(to, text_in(&d->text, 0));
}

static const char *
role_of(uint64_t relation)
{
	switch (relation) {
	case STK_RELATION_LOCKED: case STK_RELATION_OWNS: return "owns";
	case STK_RELATION_WAITING_TO_LOCK: case STK_RELATION_WAITING_TO_RELOCK: return "wants";
	case STK_RELATION_WAITING_ON: return "waits";
	case STK_RELATION_PARKING: return "parks";
	default: return NULL;
	}
}

static void
add_locks(struct tables *d, const struct stk_sample *sample)
{
	lock_lines_load(&d->locks, d->names.report.model, sample->locks, sample->objects);
	for (size_t i = 0; i < d->locks.count; i++) {
		const struct lock_line *line = &d->locks.at[i];
		const char *role = role_of(line->relation);

		put_count(d->lock, d->samples);
		if (role != NULL)
			put_text(d->lock, text_from(role));
		else
			put_null(d->lock);
		put_text(d->lock, named(STK_LOCKS, STK_COLUMN(locks, relation), line->relation));
		put_object(d, d->lock, line->address);
		put_name(d, d->lock, line->class);
		put_count(d->lock, line->depth);
	}
}

static void
add_sample(struct tables *d, const struct stk_sample *sample)
{
	const struct model *model = d->names.report.model;
	uint64_t source = model_sample_source(model, sample->thread, sample->dump);
	struct stk_text event = model_string(model, sample->event);
	enum event_weighs weighs = event_weighs(event);
	bool java = sample->dump == 0 && joined_java(&d->names.report, sample->thread);
	uint32_t source_id = source_row(d, source), dump = dump_row(d, sample->dump),
		 thread = thread_row(d, sample->thread), stack = stack_used(d, sample->stack, java);

	d->samples++;
	put_count(d->sample, d->samples);
	put_id(d->sample, source_id);
	put_id(d->sample, dump);
	put_id(d->sample, thread);
	put_time(d->sample, sample->time);
	put_text(d->sample, named(STK_SAMPLE, STK_COLUMN(sample, state), sample->state));
	put_id(d->sample, stack);
	put_text(d->sample, event.size == 0 && sample->dump != 0 ? text_from("dump") : valid(d, event));
	put_count(d->sample, sample->weight);
	put_text(d->sample, text_from(weighs == EVENT_BYTES ? "bytes" : weighs == EVENT_NANOSECONDS ? "nanoseconds"
				      : event.size == 0     ? "samples" : "events"));
	if (weighs == EVENT_NANOSECONDS && !event_is_time(event))
		put_count(d->sample, sample->weight);
	else
		put_null(d->sample);
	if (sample->processor >= 0)
		put_number(d->sample, sample->processor);
	else
		put_null(d->sample);
	put_name(d, d->sample, sample->condition);
	for (unsigned i = 0; i < 3; i++) {
		if (sample->cpu == 0 && sample->elapsed == 0)		/* not known */
			put_null(d->sample);
		else
			put_count(d->sample, i == 0 ? (uint64_t)sample->cpu
					     : i == 1 ? (uint64_t)sample->elapsed : sample->allocated);
	}
	put_name(d, d->sample, sample->note);
	if (sample->locks != 0)
		add_locks(d, sample);
}

static void
add_deadlock(struct tables *d, const struct stk_deadlock *row)
{
	put_id(d->deadlock, dump_row(d, row->dump));
	put_count(d->deadlock, row->ring);
	put_name(d, d->deadlock, row->thread);
	put_text(d->deadlock, named(STK_DEADLOCK, STK_COLUMN(deadlock, relation), row->relation));
	put_object(d, d->deadlock, row->object);
	put_name(d, d->deadlock, row->class);
	put_name(d, d->deadlock, row->owner);
}

static void
add_metric(struct tables *d, const struct stk_metric *row)
{
	put_id(d->metric, source_row(d, row->source));
	put_time(d->metric, row->time);
	put_text(d->metric, valid(d, row->name));
	put_real(d->metric, row->value);
}

static void
add_event(struct tables *d, const struct stk_event *row)
{
	put_id(d->event, thread_row(d, row->thread));
	put_time(d->event, row->time);
	put_text(d->event, named(STK_EVENT, STK_COLUMN(event, happening), row->happening));
	put_text(d->event, valid(d, row->name));
	put_real(d->event, row->value);
	put_count(d->event, row->activity);
	put_id(d->event, stack_used(d, row->stack, joined_java(&d->names.report, row->thread)));
	put_text(d->event, valid(d, row->values));
	if (row->processor < 0)
		put_null(d->event);
	else
		put_count(d->event, (uint64_t)row->processor);
}

/* --- the form --- */

static void tables_close(void *context);

static void *
tables_open(const struct report *report, struct stk_error *err)
{
	struct tables *d = mem_new(1, sizeof *d);

	viewer_samples_open(&d->names, report, true, NULL, NULL);
	d->sources.size = d->threads.size = d->dumps.size = sizeof(uint32_t);
	if (output_is_terminal(report->printer->output)) {
		(void)stk_fail(err, STK_EUSAGE, "a database is not for a terminal: use -o FILE");
		tables_close(d);
		return NULL;
	}
	if (database_open(&d->database, report->output, schema, err) < 0) {
		tables_close(d);
		return NULL;
	}
	d->source = database_insert(d->database, "source", 8);
	d->dump = database_insert(d->database, "dump", 7);
	d->thread = database_insert(d->database, "thread", 8);
	d->sample = database_insert(d->database, "sample", 17);
	d->lock = database_insert(d->database, "lock", 6);
	d->deadlock = database_insert(d->database, "deadlock", 7);
	d->metric = database_insert(d->database, "metric", 4);
	d->event = database_insert(d->database, "event", 9);
	return d;
}

static int
tables_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct tables *d = context;
	union {
		struct stk_sample sample;
		struct stk_deadlock deadlock;
		struct stk_metric metric;
		struct stk_event event;
	} row;
	const uint32_t *rows;
	uint32_t count;

	if ((block->kind != STK_SAMPLE && block->kind != STK_DEADLOCK && block->kind != STK_METRIC &&
	     block->kind != STK_EVENT) ||
	    !selection_kind(d->names.report.selection, block->schema, block->kind))
		return 0;
	if (selection_rows(d->names.report.selection, reader, block, &rows, &count, err) < 0 ||
	    stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		stk_reader_row(reader, selected_row(rows, i), &row);
		switch (block->kind) {
		case STK_SAMPLE:   add_sample(d, &row.sample); break;
		case STK_DEADLOCK: add_deadlock(d, &row.deadlock); break;
		case STK_METRIC:   add_metric(d, &row.metric); break;
		default:           add_event(d, &row.event);
		}
	}
	return database_error(d->database, err);
}

static int
tables_turn(void *context, struct stk_error *err)
{
	struct tables *d = context;

	(void)err;
	viewer_samples_turn(&d->names);
	id_table_clear(&d->sources);
	id_table_clear(&d->threads);
	id_table_clear(&d->dumps);
	return 0;
}

static void
put_text_or_null(struct tables *d, struct insert *to, uint32_t text)
{
	if (text == 0)
		put_null(to);
	else
		put_text(to, viewer_text(&d->names, text));
}

static void
add_frames(struct tables *d)
{
	struct insert *to = database_insert(d->database, "frame", 5);

	for (size_t f = 0; f < d->names.frames.count; f++) {
		const struct viewer_frame *frame = &d->names.frames.at[f];

		put_count(to, f + 1);
		put_text(to, viewer_text(&d->names, frame->name));
		put_text_or_null(d, to, frame->module);
		put_text_or_null(d, to, frame->file);
		put_id(to, (uint64_t)frame->line);
	}
}

static void
add_stacks(struct tables *d)
{
	struct insert *to = database_insert(d->database, "stack", 4),
		      *frames = database_insert(d->database, "stack_frame", 3);
	ARRAY(uint32_t) depths = { 0 };

	for (uint32_t s = 1; s <= d->names.stacks.count; s++) {
		const struct viewer_stack *stack = &d->names.stacks.at[s - 1];
		uint32_t depth = stack->parent == 0 ? 0 : depths.at[stack->parent - 1] + 1;

		*array_push(&depths) = depth;
		put_count(to, s);
		put_id(to, stack->parent);
		put_count(to, stack->frame);
		put_count(to, depth);
		if (s / 64 >= d->used.count || (d->used.at[s / 64] >> s % 64 & 1) == 0)
			continue;
		d->path.count = 0;
		for (uint32_t at = s; at != 0; at = d->names.stacks.at[at - 1].parent)
			*array_push(&d->path) = d->names.stacks.at[at - 1].frame;
		for (uint32_t i = 0; i <= depth; i++) {
			put_count(frames, s);
			put_count(frames, i);
			put_count(frames, d->path.at[depth - i]);
		}
	}
	array_release(&depths);
}

static int
tables_finish(void *context, struct stk_error *err)
{
	struct tables *d = context;
	struct insert *meta = database_insert(d->database, "meta", 2);

	put_text(meta, text_from("program"));
	put_text(meta, text_from("stkpipe"));
	put_text(meta, text_from("version"));
	put_text(meta, text_from(stk_version()));
	put_text(meta, text_from("samples"));
	put_count(meta, d->samples);
	add_frames(d);
	add_stacks(d);
	return database_finish(d->database, indices_and_views, d->names.report.printer->output, err);
}

static void
tables_close(void *context)
{
	struct tables *d = context;

	database_close(d->database);
	viewer_samples_release(&d->names);
	text_table_release(&d->source_keys);
	text_table_release(&d->thread_keys);
	id_table_clear(&d->sources);
	id_table_clear(&d->threads);
	id_table_clear(&d->dumps);
	array_release(&d->used);
	array_release(&d->key);
	array_release(&d->text);
	array_release(&d->path);
	lock_lines_release(&d->locks);
	free(d);
}

const struct report_form sqlite_form = {
	.name = "sqlite",
	.kinds = KIND_BIT(STK_SAMPLE) | KIND_BIT(STK_DEADLOCK) | KIND_BIT(STK_METRIC) | KIND_BIT(STK_EVENT),
	.open = tables_open, .turn = tables_turn, .take = tables_take, .finish = tables_finish, .close = tables_close
};
