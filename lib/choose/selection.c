/* SPDX-License-Identifier: MIT
 * selection: decides rows by columns that hold ids, and each id once. */
#include "choose/selection.h"

#include "base/expression.h"
#include "base/id_table.h"
#include "choose/naming.h"
#include "choose/where.h"
#include "model/recorded_groups.h"
#include "model/sample_columns.h"
#include "stream/block_columns.h"
#include "stream/block_ids.h"
#include "stream/reader.h"

#include <stdio.h>
#include <string.h>

/* What is known of a stack, thread or event. */
enum verdict { DECIDED = 1, MATCHES = 2, IDLE = 4, IDLE_JSTACK = 8 };

struct selection {
	bool groups_found;		/* those of conditions, in the records of this stream */
	const struct model *model;
	struct selection_options options;
	uint64_t states;			/* bits */
	struct expression grep, thread, process;	/* compiled where the option is set */
	struct id_table stacks, threads, events;	/* verdicts, a byte an id; events by STRING id */
	ARRAY(uint32_t) chain;			/* of stacks not yet decided */
	ARRAY(uint32_t) rows;
	struct text_buffer scratch, event;
	bool wanted[STK_KIND_MAX];		/* read by the reader */
	bool event_met;
	unsigned events_met;
	uint64_t other_events;
	uint64_t passing_event;		/* the last that passed, + 1: the next row is likely to have it */
	uint64_t met;				/* bits: names of --only that a stream declared, by their place */
	bool headed;				/* a stream was met */
};

/* --- opening --- */

static int
compile(struct expression *to, const char *pattern, const char *option, struct stk_error *err)
{
	struct stk_error why = { 0 };

	if (pattern == NULL || expression_open(to, pattern, &why) == 0)
		return 0;
	return stk_fail(err, STK_EUSAGE, "--%s: '%.100s' is not a regular expression: %s", option, pattern, why.text);
}

/* "TIMED_WAITING", as Java writes it, is timed-waiting. */
static bool
same_state(const char *name, const char *wanted, size_t size)
{
	size_t i;

	for (i = 0; i < size && name[i] != '\0'; i++) {
		char c = wanted[i] == '_'                       ? '-'
			 : wanted[i] >= 'A' && wanted[i] <= 'Z' ? (char)(wanted[i] + 32)
								: wanted[i];

		if (c != name[i])
			return false;
	}
	return i == size && name[i] == '\0';
}

static int
read_states(uint64_t *states, const char *list, struct stk_error *err)
{
	const char *const *names = stk_schema()->kind[STK_SAMPLE].column[STK_COLUMN(sample, state)].names;

	for (const char *at = list; at != NULL && *at != '\0'; ) {
		size_t size = strcspn(at, ","), n = 0;

		while (names[n] != NULL && !same_state(names[n], at, size))
			n++;
		if (names[n] == NULL)
			return stk_fail(
				err, STK_EUSAGE,
				"--state: '%.*s' is not a state of samples; they are unknown, new, runnable, blocked, waiting, timed-waiting, "
				"terminated, running, sleeping",
				(int)size, at);
		*states |= UINT64_C(1) << n;
		at += size + (at[size] == ',');
	}
	return 0;
}

/* Whether conditions ask for the groups that the stream has in its records. */
static bool
asks_records(const struct selection *s)
{
	return s->options.where != NULL && where_asks_records(s->options.where);
}

int
selection_open(struct selection **out, struct model *model, const struct selection_options *options,
	       struct stk_error *err)
{
	struct selection *s = mem_new(1, sizeof *s);

	*out = NULL;
	s->model = model;
	s->stacks.size = s->threads.size = s->events.size = 1;
	if (read_states(&s->states, options->states, err) < 0 || compile(&s->grep, options->grep, "grep", err) < 0) {
		free(s);
		return -1;
	}
	s->options.grep = options->grep;	/* only what is compiled is set, for _close */
	if (compile(&s->thread, options->thread, "thread", err) < 0) {
		selection_close(s);
		return -1;
	}
	s->options.thread = options->thread;
	if (compile(&s->process, options->process, "process", err) < 0) {
		selection_close(s);
		return -1;
	}
	s->options = *options;
	if (asks_records(s))
		model_keep_groups(model);
	if (options->first_event != NULL) {
		s->event_met = true;
		add_string(&s->event, strcmp(options->first_event, EVENT_NONE) == 0 ? "" : options->first_event);
	}
	*out = s;
	return 0;
}

void
selection_close(struct selection *s)
{
	if (s == NULL)
		return;
	if (s->options.grep != NULL)
		expression_close(&s->grep);
	if (s->options.thread != NULL)
		expression_close(&s->thread);
	if (s->options.process != NULL)
		expression_close(&s->process);
	id_table_clear(&s->stacks);
	id_table_clear(&s->threads);
	id_table_clear(&s->events);
	array_release(&s->chain);
	array_release(&s->rows);
	array_release(&s->scratch);
	array_release(&s->event);
	free(s);
}

/* --- kinds --- */

/* The next name of a list; false at its end. */
static bool
next_name(const char **list, struct stk_text *name)
{
	if (*list == NULL || **list == '\0')
		return false;
	*name = text_of(*list, strcspn(*list, ","));
	*list += name->size + ((*list)[name->size] == ',');
	return true;
}

bool
selection_kind(const struct selection *s, const struct stk_kind_schema *kind, unsigned number)
{
	const char *list = s->options.only;
	struct stk_text name;
	char text[16];

	if (list == NULL)
		return true;
	snprintf(text, sizeof text, "#%u", number);
	while (next_name(&list, &name))
		if (text_is(name, text) || (kind != NULL && kind->name != NULL && text_is(name, kind->name)))
			return true;
	return false;
}

unsigned
selection_kinds(const struct selection *s, struct stk_text *first)
{
	const char *list = s->options.only;
	struct stk_text name;
	unsigned count = 0;

	while (next_name(&list, &name))
		if (count++ == 0)
			*first = name;
	return count;
}

/* Notes which names of --only this stream declares; a number is a kind that it need not declare. */
static void
meet_names(struct selection *s, const struct stk_schema *schema)
{
	const char *list = s->options.only;
	struct stk_text name;

	s->headed = true;
	for (unsigned place = 0; place < 64 && next_name(&list, &name); place++)
		if (*name.data == '#' || (schema != NULL && stk_schema_find(schema, name) != NULL))
			s->met |= UINT64_C(1) << place;
}

bool
selection_unmet(const struct selection *s, struct stk_text *name)
{
	const char *list = s->options.only;

	for (unsigned place = 0; place < 64 && s->headed && next_name(&list, name); place++)
		if ((s->met >> place & 1) == 0)
			return true;
	return false;
}

static bool
has_window(const struct selection *s)
{
	const struct selection_options *o = &s->options;

	return o->from_ns != INT64_MIN || o->to_ns != INT64_MAX || o->windows_count > 1;
}

/* Whether the event that is counted is that of a sample which is still to come: the first, chosen or not. */
static bool
seeks_event(const struct selection *s)
{
	return s->options.one_event && s->options.event == NULL && !s->event_met;
}

static bool
asks_activity(const struct selection *s)
{
	return s->options.activity != ACTIVITY_ANY;
}

void
selection_head(struct selection *s, struct stk_reader *reader, uint64_t kinds)
{
	const struct stk_schema *schema = stk_reader_schema(reader);

	meet_names(s, schema);
	id_table_clear(&s->stacks);
	id_table_clear(&s->threads);
	id_table_clear(&s->events);
	s->passing_event = 0;
	if (s->options.where != NULL)
		where_forget(s->options.where);
	for (unsigned k = 0; k < STK_KIND_MAX; k++) {
		const struct stk_kind_schema *kind =
			schema != NULL && k < schema->kinds && schema->kind[k].name != NULL ? &schema->kind[k] : NULL;

		s->wanted[k] = k == STK_HEAD || (kind != NULL && kind->definition) ||
			    (selection_kind(s, kind, k) && (kinds == 0 || (k < 64 && (kinds >> k & 1) != 0)));
	}
	if (asks_records(s))
		s->wanted[STK_GROUP] = s->wanted[STK_GROUP_OF_STACK] = s->wanted[STK_GROUP_OF_THREAD] = true;
	s->groups_found = false;
	stk_reader_want(reader, s->wanted, STK_KIND_MAX);
	if (has_window(s) && !seeks_event(s))
		stk_reader_window(reader, s->options.from_ns, s->options.to_ns);
}

bool
selection_wants(const struct selection *s, unsigned kind)
{
	return s->wanted[kind];
}

bool
selection_rows_matter(const struct selection *s)
{
	const struct selection_options *o = &s->options;

	return has_window(s) || o->grep != NULL || o->thread != NULL || o->process != NULL || o->states != NULL ||
	       o->activity != ACTIVITY_ANY || o->where != NULL || (o->event != NULL && strcmp(o->event, "all") != 0) ||
	       o->one_event;		/* where all are counted, whether there are several is still to be known */
}

/* --- verdicts on stacks, threads, events --- */

static bool
ends(struct stk_text text, const char *end)
{
	size_t size = strlen(end);

	return text.size >= size && memcmp(text.data + text.size - size, end, size) == 0;
}

static bool
holds(struct stk_text text, const char *part)
{
	return text.size > 0 && memmem(text.data, text.size, part, strlen(part)) != NULL;
}

/* The frames by which stackcollapse-jstack.pl recognises that a thread waits. */
static bool
idle_for_jstack(struct stk_text function)
{
	return holds(function, "epollWait") || holds(function, "EPoll.wait") || ends(function, "socketAccept") ||
	       (ends(function, "accept0") && holds(function, "Socket")) || ends(function, "socketRead0");
}

/* Leaves that wait in the system, and which a JVM calls runnable: sockets, selectors, child processes. */
static bool
idle_leaf(struct stk_text function)
{
	static const char *const leaves[] = { "sun.nio.ch.Net.accept",
					      "sun.nio.ch.Net.poll",
					      "sun.nio.ch.SocketDispatcher.read0",
					      "sun.nio.ch.DatagramDispatcher.read0",
					      "sun.nio.ch.KQueue.poll",
					      "sun.nio.ch.KQueueArrayWrapper.kevent0",
					      "sun.nio.ch.PollArrayWrapper.poll0",
					      "sun.nio.ch.WEPoll.wait",
					      "sun.nio.ch.UnixDomainSockets.accept0",
					      "sun.nio.ch.WindowsSelectorImpl$SubSelector.poll0",
					      "sun.nio.ch.Iocp.getQueuedCompletionStatus",
					      "sun.nio.fs.LinuxWatchService.poll",
					      "sun.nio.ch.DatagramChannelImpl.receive0",
					      "java.lang.ProcessHandleImpl.waitForProcessExit0",
					      "java.lang.UNIXProcess.waitForProcessExit",
					      "java.lang.ref.Reference.waitForReferencePendingList",
					      "java.lang.VirtualThread.takeVirtualThreadListToUnblock",
					      "java.lang.Object.wait",
					      "java.lang.Object.wait0",
					      "java.lang.Thread.sleep",
					      "java.lang.Thread.sleep0",
					      "jdk.internal.misc.Unsafe.park",
					      "sun.misc.Unsafe.park",
					      "io.netty.channel.epoll.Native.epollWait0",
					      "io.netty.channel.kqueue.Native.keventWait",
					      NULL };

	for (size_t i = 0; leaves[i] != NULL; i++)
		if (text_is(function, leaves[i]))
			return true;
	return false;
}

static bool
frame_matches(struct selection *s, uint64_t frame)
{
	size_t size = model_frame_text(s->model, frame, NULL, 0);

	s->scratch.count = 0;
	array_reserve(&s->scratch, size + 1);
	model_frame_text(s->model, frame, s->scratch.at, size);
	return expression_fits(&s->grep, text_of(s->scratch.at, size));
}

/* The verdict on a stack from that on its parent. Idleness by a leaf is not inherited, so it is kept apart: IDLE comes
 * from this frame or from IDLE_JSTACK. */
static unsigned char
judge(struct selection *s, const struct stk_stack *stack, unsigned above)
{
	struct stk_text function = model_string(s->model, model_frame(s->model, stack->frame).function);
	unsigned verdict = DECIDED | (above & (MATCHES | IDLE_JSTACK));

	if (idle_for_jstack(function))
		verdict |= IDLE_JSTACK;
	if (s->options.grep != NULL && (verdict & MATCHES) == 0 && frame_matches(s, stack->frame))
		verdict |= MATCHES;
	if ((verdict & IDLE_JSTACK) != 0 || idle_leaf(function))
		verdict |= IDLE;
	return (unsigned char)verdict;
}

/* Walks to the nearest ancestor that is decided, and back. A parent that is not below its child, or was lost, ends the
 * walk. */
static unsigned
stack_verdict(struct selection *s, uint64_t id)
{
	unsigned verdict = DECIDED;

	s->chain.count = 0;
	for (uint64_t at = id, parent; model_knows(s->model, STK_STACK, at) && at != 0; at = parent < at ? parent : 0) {
		const unsigned char *known = id_table_find(&s->stacks, (uint32_t)at);

		if (known != NULL && *known != 0) {
			verdict = *known;
			break;
		}
		*array_push(&s->chain) = (uint32_t)at;
		parent = model_stack(s->model, at).parent;
	}
	while (s->chain.count > 0) {
		uint32_t at = s->chain.at[--s->chain.count];
		struct stk_stack stack = model_stack(s->model, at);

		verdict = judge(s, &stack, verdict);
		*(unsigned char *)id_table_at(&s->stacks, at) = (unsigned char)verdict;
	}
	return verdict;
}

bool
selection_idle(struct selection *s, uint64_t stack)
{
	return (stack_verdict(s, stack) & IDLE) != 0;
}

bool
selection_takes_stack(struct selection *s, uint64_t stack)
{
	return s->options.grep == NULL || ((stack_verdict(s, stack) & MATCHES) != 0) != s->options.invert;
}

/* A process is found by its name, its number, or the name of its input. */
static bool
process_matches(struct selection *s, uint64_t id)
{
	struct stk_source source = model_source(s->model, id);
	char pid[24];

	snprintf(pid, sizeof pid, "%llu", (unsigned long long)source.pid);
	return (source.process != 0 && expression_fits(&s->process, model_string(s->model, source.process))) ||
	       (source.pid != 0 && expression_fits(&s->process, text_from(pid))) ||
	       (source.process == 0 && expression_fits(&s->process, model_string(s->model, source.name)));
}

static bool
is_background(struct stk_text name)
{
	const char *compiler = name.size == 0 ? NULL : memmem(name.data, name.size, " CompilerThread", 15);

	return (compiler != NULL && compiler - name.data >= 2 && compiler[-2] == 'C') ||
	       holds(name, "Signal Dispatcher") || holds(name, "Service Thread") || holds(name, "Attach Listener");
}

static bool
judge_thread(struct selection *s, uint64_t id)
{
	struct stk_thread thread = model_thread(s->model, id);
	struct stk_text name = model_string(s->model, thread.name);

	return (s->options.thread == NULL || expression_fits(&s->thread, name)) &&
	       (s->options.process == NULL || process_matches(s, thread.source)) &&
	       (s->options.activity != ACTIVITY_JSTACK || !is_background(name));
}

bool
selection_takes_thread(struct selection *s, uint64_t id)
{
	unsigned char *verdict;

	if (!model_knows(s->model, STK_THREAD, id))
		id = 0;
	verdict = id_table_at(&s->threads, (uint32_t)id);
	if (*verdict == 0)
		*verdict = judge_thread(s, id) ? DECIDED | MATCHES : DECIDED;
	return (*verdict & MATCHES) != 0;
}

bool
selection_takes_thread_in(struct selection *s, uint64_t thread, uint64_t dump)
{
	if (dump == 0 || s->options.process == NULL || (thread != 0 && model_knows(s->model, STK_THREAD, thread)))
		return selection_takes_thread(s, thread);
	return (s->options.thread == NULL || expression_fits(&s->thread, text_of("", 0))) &&
	       process_matches(s, model_dump(s->model, dump).source);
}

static void
meet_event(struct selection *s, struct stk_text name)
{
	s->event_met = true;
	add_text(&s->event, name);
}

/* The first event met is kept, unless one was named. */
static bool
judge_event(struct selection *s, uint64_t id)
{
	struct stk_text name = model_string(s->model, id);
	const char *asked = s->options.event;

	s->events_met++;
	if (asked != NULL && strcmp(asked, "all") != 0 &&
	    (name.size == 0 ? strcmp(asked, EVENT_NONE) != 0 : !text_is(name, asked)))
		return false;
	if (!s->event_met)
		meet_event(s, name);
	return asked != NULL || text_equal(name, text_in(&s->event, 0));
}

static bool
event_passes(struct selection *s, uint64_t id)
{
	uint64_t asked = id;
	unsigned char *verdict;

	if (s->passing_event != 0 && id == s->passing_event - 1)
		return true;
	if (!model_knows(s->model, STK_STRING, id))
		id = 0;
	verdict = id_table_at(&s->events, (uint32_t)id);
	if (*verdict == 0)
		*verdict = judge_event(s, id) ? DECIDED | MATCHES : DECIDED;
	if ((*verdict & MATCHES) == 0 && s->options.event == NULL)
		s->other_events++;
	else if ((*verdict & MATCHES) != 0)
		s->passing_event = asked + 1;
	return (*verdict & MATCHES) != 0;
}

unsigned
selection_events_met(const struct selection *s, struct stk_text *first)
{
	*first = text_in(&s->event, 0);
	return s->events_met;
}

uint64_t
selection_other_events(const struct selection *s, struct stk_text *kept)
{
	*kept = text_in(&s->event, 0);
	return s->other_events;
}

/* --- rows --- */

struct conditions {			/* the columns that conditions need */
	const uint64_t *time, *stack, *thread, *source;	/* NULL: no such condition, or no such column */
	const uint64_t *dump;		/* of rows whose time and source are those of their dump, such as deadlocks */
	bool samples, events;			/* the rows are these, of which more is checked */
	struct sample_columns sample;
};

/* Loads a column when it is there and asked for. */
static int
load(const uint64_t **values, struct stk_reader *reader, int column, bool asked, struct stk_error *err)
{
	*values = NULL;
	return column < 0 || !asked ? 0 : stk_reader_column(reader, (unsigned)column, values, err);
}

static bool
asks_event(const struct selection *s)
{
	return s->options.event != NULL || s->options.one_event;
}

/* Of samples, beside what all kinds have: enum sample_want. */
static unsigned
wanted_of_samples(const struct selection *s)
{
	if (s->options.where != NULL)
		return SAMPLE_TIME | SAMPLE_THREAD | SAMPLE_DUMP | SAMPLE_STACK | SAMPLE_STATE | SAMPLE_EVENT |
		       SAMPLE_PROCESSOR;
	return (s->options.process != NULL ? SAMPLE_DUMP : 0) | (s->options.states != NULL ? SAMPLE_STATE : 0) |
	       (asks_event(s) ? SAMPLE_EVENT : 0) |
	       (asks_activity(s) ? SAMPLE_STATE | SAMPLE_DUMP | SAMPLE_STACK : 0);
}

static int
load_conditions(struct selection *s, struct conditions *c, struct stk_reader *reader, const struct stk_block *block,
		struct stk_error *err)
{
	const struct stk_kind_schema *kind = block->schema;
	const struct selection_options *o = &s->options;
	bool about_threads = o->thread != NULL || o->process != NULL ||
			     (block->kind == STK_SAMPLE && o->activity == ACTIVITY_JSTACK);
	int thread = schema_column_of(kind, STK_THREAD), source = schema_column_of(kind, STK_SOURCE);
	int dump = kind->time < 0 && thread < 0 && source < 0 ? schema_column_of(kind, STK_DUMP) : -1;

	if (load(&c->time, reader, kind->time, has_window(s), err) < 0 ||
	    load(&c->stack, reader, schema_column_of(kind, STK_STACK), o->grep != NULL, err) < 0 ||
	    load(&c->thread, reader, thread, about_threads, err) < 0 ||
	    load(&c->source, reader, thread >= 0 ? -1 : source, o->process != NULL, err) < 0 ||
	    load(&c->dump, reader, dump, has_window(s) || o->process != NULL, err) < 0)
		return -1;
	c->samples = block->kind == STK_SAMPLE;
	return c->samples ? sample_columns_load(&c->sample, wanted_of_samples(s), NULL, reader, block, err) : 0;
}

static bool
is_active(struct selection *s, const struct sample_columns *c, uint32_t row)
{
	uint64_t state = sample_value(&c->state, row), stack = sample_value(&c->stack, row);

	if (s->options.activity == ACTIVITY_JSTACK)
		return state == STK_STATE_RUNNABLE && (stack_verdict(s, stack) & IDLE_JSTACK) == 0;
	if (sample_value(&c->dump, row) == 0)		/* a thread that a recorder interrupted was running, unless it
							 * says otherwise */
		return state == STK_STATE_RUNNABLE || state == STK_STATE_RUNNING || state == STK_STATE_UNKNOWN;
	return (state == STK_STATE_RUNNABLE || state == STK_STATE_RUNNING) && stack != 0 &&
	       (stack_verdict(s, stack) & IDLE) == 0;
}

static bool
state_passes(const struct selection *s, uint64_t state)
{
	return state < 64 && (s->states >> state & 1) != 0;
}

bool
selection_takes_state(const struct selection *s, uint64_t state)
{
	return s->options.states == NULL || state_passes(s, state);
}

/* --where */
static bool
conditions_hold(struct selection *s, const struct sample_columns *c, uint32_t row)
{
	const struct where_sample sample = {
		.time = sample_time(c, row),
		.thread = sample_value(&c->thread, row),
		.dump = sample_value(&c->dump, row),
		.stack = sample_value(&c->stack, row),
		.state = sample_value(&c->state, row),
		.event = sample_value(&c->event, row),
		.processor = sample_value(&c->processor, row) + 1	/* -1: not known */
	};

	return where_holds(s->options.where, s->model, &sample);
}

static bool
sample_passes(struct selection *s, const struct sample_columns *c, uint32_t row)
{
	const struct selection_options *o = &s->options;

	return (o->states == NULL || state_passes(s, sample_value(&c->state, row))) &&
	       (!asks_activity(s) || is_active(s, c, row)) && (o->where == NULL || conditions_hold(s, c, row)) &&
	       (!asks_event(s) || event_passes(s, sample_value(&c->event, row)));
}

static bool
time_passes(const struct selection_options *o, int64_t time)
{
	if (time == STK_TIME_UNKNOWN || time < o->from_ns || time >= o->to_ns)
		return false;
	for (unsigned w = 0; w < o->windows_count; w++)
		if (time >= o->windows[w].from_ns && time < o->windows[w].to_ns)
			return true;
	return o->windows_count == 0;
}

/* A row is of the moment and the process of its dump. */
static bool
dump_passes(struct selection *s, uint64_t id)
{
	struct stk_dump dump = model_dump(s->model, id);

	if (has_window(s) &&
	    !time_passes(&s->options, model_knows(s->model, STK_DUMP, id) ? dump.time : STK_TIME_UNKNOWN))
		return false;
	return s->options.process == NULL || process_matches(s, dump.source);
}

bool
selection_takes_moment(struct selection *s, const struct where_sample *sample)
{
	const struct selection_options *o = &s->options;

	if (sample->dump != 0 ? !dump_passes(s, sample->dump) : has_window(s) && !time_passes(o, sample->time))
		return false;
	if (sample->dump == 0 && o->process != NULL &&
	    !process_matches(s, model_thread(s->model, sample->thread).source))
		return false;
	return (o->event == NULL || event_passes(s, sample->event)) &&
	       (o->where == NULL || where_may_hold_at(o->where, s->model, sample));
}

static bool
names_event(const struct selection_options *o)
{
	return o->event != NULL && strcmp(o->event, "all") != 0;
}

/* Beside its thread and the frames that --grep asks for. */
static bool
event_holds(struct selection *s, const struct where_sample *event)
{
	const struct selection_options *o = &s->options;

	return (o->states == NULL || state_passes(s, STK_STATE_UNKNOWN)) && o->activity != ACTIVITY_JSTACK &&
	       (!names_event(o) || text_is(event->name, o->event)) &&
	       (o->where == NULL || where_holds(o->where, s->model, event));
}

bool
selection_takes_event(struct selection *s, const struct where_sample *event)
{
	return selection_takes_thread(s, event->thread) && selection_takes_stack(s, event->stack) &&
	       event_holds(s, event);
}

bool
selection_chooses_events(const struct selection *s, where_time_function *cut, void *context)
{
	const struct selection_options *o = &s->options;

	if (o->where != NULL)
		where_each_time(o->where, cut, context);
	return o->grep != NULL || o->states != NULL || o->where != NULL || names_event(o) ||
	       o->activity == ACTIVITY_JSTACK;
}

static void
skip_cut(void *context, int64_t time)
{
	(void)context;
	(void)time;
}

static bool
event_row_passes(struct selection *s, struct stk_reader *reader, uint32_t row)
{
	struct stk_event event;
	struct where_sample as = { .is_event = true };

	stk_reader_row(reader, row, &event);
	as.time = event.time;
	as.thread = event.thread;
	as.stack = event.stack;
	as.name = event.name;
	as.processor = (uint64_t)event.processor + 1;
	return event_holds(s, &as);
}

static bool
row_passes(struct selection *s, const struct conditions *c, uint32_t row)
{
	const struct selection_options *o = &s->options;

	if (c->time != NULL && !time_passes(o, (int64_t)c->time[row]))
		return false;
	if (c->thread != NULL &&
	    !selection_takes_thread_in(s, c->thread[row], c->samples ? sample_value(&c->sample.dump, row) : 0))
		return false;
	if (c->source != NULL && !process_matches(s, c->source[row]))
		return false;
	if (c->dump != NULL && !dump_passes(s, c->dump[row]))
		return false;
	if (c->stack != NULL && !selection_takes_stack(s, c->stack[row]))
		return false;
	return !c->samples || sample_passes(s, &c->sample, row);
}

/* Whether rows differ in their times at most, of one window, in what is asked. */
static bool
asks_only_times(const struct selection *s, const struct conditions *c)
{
	const struct selection_options *o = &s->options;

	if (o->windows_count > 1 || c->thread != NULL || c->source != NULL || c->dump != NULL || c->stack != NULL ||
		c->events)
		return false;
	return !c->samples || (o->states == NULL && !asks_activity(s) && o->where == NULL &&
			       (!asks_event(s) || c->sample.event.mask == 0));
}

/* Whether an event that all rows have is known to pass: if not, each is still to be counted. */
static bool
same_event_passes(const struct selection *s, const struct conditions *c)
{
	return !c->samples || !asks_event(s) ||
		(s->passing_event != 0 && c->sample.event.values[0] == s->passing_event - 1);
}

/* All of them, which is how many there are. */
static uint32_t
take_times(struct selection *s, const uint64_t *times, uint32_t rows)
{
	int64_t from = s->options.from_ns, to = s->options.to_ns;
	size_t count = 0;

	for (uint32_t row = 0; row < rows; row++) {
		int64_t time = (int64_t)times[row];

		s->rows.at[count] = row;
		count += (time != STK_TIME_UNKNOWN) & (time >= from) & (time < to);
	}
	s->rows.count = count;
	return rows;
}

/* The event of the first sample, from whatever block can be read. Those outside the window are not needed from then
 * on. */
static void
find_event(struct selection *s, struct stk_reader *reader, const struct stk_block *block)
{
	struct stk_error damage = { 0 };
	struct sample_columns c;

	if (block->rows == 0 || sample_columns_load(&c, SAMPLE_EVENT, NULL, reader, block, &damage) < 0)
		return;		/* damage was reported */
	meet_event(s, model_string(s->model, sample_value(&c.event, 0)));
	if (has_window(s))
		stk_reader_window(reader, s->options.from_ns, s->options.to_ns);
}

/* A group that the stream does not have would choose nothing, without a word. */
struct group_search { const struct recorded_groups *groups; struct stk_error *err; bool failed; };

static void
find_group(void *context, struct stk_text name, bool below)
{
	struct group_search *search = context;
	const struct stk_text *path;

	if (search->failed || recorded_groups_find(search->groups, name, below) != NULL || text_is(name, "(none)"))
		return;
	search->failed = true;
	path = recorded_groups_find(search->groups, name, true);
	if (path != NULL)
		(void)stk_fail(search->err, STK_EUSAGE,
			       "--where: no group has the path '%.*s': expected '%.*s', or group under",
			       (int)name.size, name.data, (int)path->size, path->data);
	else
		(void)stk_fail(search->err, STK_EUSAGE, "--where: the records have no group '%.*s'", (int)name.size,
			       name.data);
}

static int
find_groups(struct selection *s, struct stk_error *err)
{
	struct group_search search = { model_groups(s->model), err, false };

	if (s->groups_found || !asks_records(s))
		return 0;
	if (!recorded_groups_any(search.groups))
		return stk_fail(err, STK_EUSAGE, "--where: the input has no groups: pass it through stkgroup -s SCHEME "
						 "first");
	where_each_group(s->options.where, find_group, &search);
	s->groups_found = !search.failed;
	return search.failed ? -1 : 0;
}

int
selection_rows(struct selection *s, struct stk_reader *reader, const struct stk_block *block, const uint32_t **rows,
	       uint32_t *count, struct stk_error *err)
{
	struct conditions c;
	uint32_t row = 0;
	bool only_times;

	*rows = NULL;
	*count = block->rows;
	if (block->schema == NULL || (block->schema->definition && block->kind != STK_DUMP) ||
	    !selection_rows_matter(s))
		return 0;
	if (block->kind == STK_SAMPLE && seeks_event(s))
		find_event(s, reader, block);
	if (block->kind == STK_SAMPLE && find_groups(s, err) < 0)
		return -1;
	if (load_conditions(s, &c, reader, block, err) < 0)
		return -1;
	c.events = block->kind == STK_EVENT && selection_chooses_events(s, skip_cut, NULL);
	if (c.events && stk_reader_rows(reader, err) < 0)
		return -1;
	s->rows.count = 0;
	array_reserve(&s->rows, block->rows);
	only_times = asks_only_times(s, &c);
	if (only_times && c.time == NULL && block->rows > 0 && row_passes(s, &c, row++))
		return 0;
	if (only_times && c.time != NULL && same_event_passes(s, &c))
		row = take_times(s, c.time, block->rows);
	for (; row < block->rows; row++)
		if (row_passes(s, &c, row) && (!c.events || event_row_passes(s, reader, row)))
			s->rows.at[s->rows.count++] = row;
	*count = (uint32_t)s->rows.count;
	if (*count < block->rows)
		*rows = s->rows.at;
	return 0;
}

/* --- blocks --- */

bool
selection_asks_index(const struct selection *s)
{
	const struct selection_options *o = &s->options;

	return has_window(s) || asks_activity(s) || o->grep != NULL || o->thread != NULL || o->process != NULL ||
	       o->states != NULL ||
	       (o->event != NULL && strcmp(o->event, "all") != 0) ||
	       (o->where != NULL && where_asks_index(o->where));
}

#define IDS_EXAMINED 65536	/* of a block: more are not worth it */

static bool
state_can_pass(struct selection *s, uint64_t state)
{
	bool runs = state == STK_STATE_RUNNABLE || state == STK_STATE_RUNNING || state == STK_STATE_UNKNOWN;

	return (s->options.states == NULL || state_passes(s, state)) &&
	       (s->options.activity == ACTIVITY_ANY || runs);
}

/* Samples without a thread may be of a dump of such a process. */
static bool
thread_can_pass(struct selection *s, uint64_t thread)
{
	return (thread == 0 && s->options.process != NULL) || selection_takes_thread(s, thread);
}

/* Whether any id that a block holds in a column passes. True when that is not known. */
static bool
any_passes(struct selection *s, struct stk_text holds, int column, unsigned refers,
	   bool (*passes)(struct selection *, uint64_t))
{
	struct id_ranges ranges;
	uint64_t first, last, examined = 0;

	if (column < 0 || !id_ranges_find(&ranges, holds, (unsigned)column))
		return true;
	while (id_ranges_next(&ranges, &first, &last)) {
		if (last - first >= IDS_EXAMINED || (examined += last - first) >= IDS_EXAMINED)
			return true;
		for (uint64_t id = first; id <= last; id++)
			if ((id != 0 && refers != STK_HEAD && !model_knows(s->model, refers, id)) || passes(s, id))
				return true;
	}
	return false;
}

/* Samples without an event are of dumps, which say themselves when they were. */
static bool
is_needed_whole(struct selection *s, uint64_t event)
{
	return event != 0 && s->options.needs_all(s->model, event);
}

bool
selection_may_pass(struct selection *s, const struct stk_kind_schema *kind, const struct file_block *block)
{
	const struct selection_options *o = &s->options;
	struct stk_text holds = block->holds;
	int thread, source;

	if (kind->definition || reader_kind_lasts(kind->number) || (kind->number == STK_SAMPLE && seeks_event(s)))
		return true;
	if (block->has_time && (block->to_ns < o->from_ns || block->from_ns >= o->to_ns))
		return false;
	if (holds.size == 0)
		return true;
	if (kind->number == STK_SAMPLE && o->needs_all != NULL &&
	    any_passes(s, holds, STK_COLUMN(sample, event), STK_STRING, is_needed_whole))
		return true;
	thread = schema_column_of(kind, STK_THREAD);
	source = thread >= 0 ? -1 : schema_column_of(kind, STK_SOURCE);
	if ((o->thread != NULL || o->process != NULL) &&
	    !any_passes(s, holds, thread, STK_THREAD, thread_can_pass))
		return false;
	if (o->process != NULL && !any_passes(s, holds, source, STK_SOURCE, process_matches))
		return false;
	if (kind->number != STK_SAMPLE)
		return true;
	if ((o->states != NULL || asks_activity(s)) &&
	    !any_passes(s, holds, STK_COLUMN(sample, state), STK_HEAD, state_can_pass))
		return false;
	if (o->grep != NULL && !any_passes(s, holds, STK_COLUMN(sample, stack), STK_STACK, selection_takes_stack))
		return false;
	if (o->where != NULL && !where_may_hold(o->where, s->model, block))
		return false;
	return o->event == NULL || any_passes(s, holds, STK_COLUMN(sample, event), STK_STRING, event_passes);
}
