/* SPDX-License-Identifier: MIT
 * chrome: trace events, and the profiles of V8: .cpuprofile, whose nodes are a list or, in older ones and in
 * .heapprofile, a tree under "head"; those within traces, whose nodes and samples come in chunks; samples whose stacks are in stackFrames. Slices (B and E, X) are samples that weigh their own time, without
 * that of slices within them; their stack is the chain of open ones. */
#include "ingest/chrome_events.h"
#include "ingest/chrome_samples.h"
#include "ingest/profile_json.h"
#include "ingest/scan_text.h"

#include "base/hash_map.h"
#include "base/id_table.h"
#include "base/text_table.h"
#include "model/recorder.h"

#define WALL_NS (INT64_C(1000000000) * 1000000000)	/* a time from 2001 on is one of a clock on the wall */

struct node { int64_t parent; uint32_t frame, stack; bool known, plain; };	/* plain: (root) and the like */

struct told_node {			/* what a chunk says of a node: who it is, or only who calls it */
	int64_t id, parent;		/* its number plus one, as a node has it; 0: nothing is said */
	uint32_t frame;
	bool known, plain;
};

struct v8 {				/* a profile of V8 */
	uint32_t id;			/* with its pid; 0: of a file, not of a trace */
	int64_t pid, tid;
	int64_t own_tid;		/* of stkcat's thread with several events; else 0 */
	int64_t start_ns, time_ns;
	struct stk_text event;
	struct id_table nodes;		/* struct node, by id */
	bool is_chunk;			/* its nodes are only told, in their order */
	ARRAY(struct told_node) told;
	/* as they are in the file; once settled, deltas are times, and weights are there if any is not 1 */
	struct numbers samples, deltas, moments, weights;	/* moments: of old profiles */
	struct numbers hits;		/* pairs of node and hitCount or selfSize, for a profile without samples */
	bool is_tree, is_heap;		/* its nodes are within each other; they weigh bytes */
	int64_t unnumbered;		/* nodes, which get numbers of their own */
};

struct slice { int64_t begin_ns, end_ns; uint32_t track, frame, order; };

struct track {				/* a thread; tid NO_NUMBER: a process */
	int64_t pid, tid;
	struct stk_text name;
	ARRAY(uint32_t) open;		/* slices without an end yet */
};

#define LOW_NODES     (1 << 20)	/* numbers of nodes, as nearly all are: their stacks are in an array */
#define RECENT_FRAMES 8192u

/* What the text of a callFrame became: the same function is in many nodes. */
struct recent_frame { struct text_hash hash; uint32_t frame; bool known, plain; };

#define NODE_KEYS 8u		/* of which the order is kept */
struct chrome {
	struct profile_json p;
	struct recent_frame *recent;	/* by hash; NULL: none yet */
	struct stk_text usual_keys[NODE_KEYS];	/* of a node, by their order; empty: not yet known */
	ARRAY(uint32_t) stacks;		/* of the present profile's nodes below LOW_NODES, plus one; 0: not yet */
	struct v8 *spare;		/* an empty one, whose columns have room; NULL: none */
	ARRAY(struct v8 *) profiles;
	ARRAY(struct slice) slices;
	ARRAY(struct track) tracks;
	struct hash_map track_map, profile_map;
	struct text_table ids;		/* of profiles, and of processes and threads that have no number */
	int64_t last_ns;		/* the end of any slice */
	bool as_events;
	struct chrome_samples samples;
	struct chrome_events events;	/* these, and in place of slices */
	struct text_buffer arguments;	/* of the present event, as event_values.h has them */
	uint64_t left_out, clipped, instants;	/* events; slices */
};

#define OWN_NUMBERS (INT64_C(1) << 53)	/* of nodes without one: no number of JavaScript's is as high */
#define MADE_UP INT64_C(1000000000)	/* numbers from here on are no process's and no thread's: ours, and stkcat's */

struct event {				/* what is known of a trace event when all of it was read */
	struct stk_text name, id, names, own_event, leaf;
	char phase;
	int64_t pid, tid, ts_ns, dur_ns, start_ns, weight;
	struct v8 *chunk;		/* nodes, samples and deltas of its arguments */
};

/* A pid or tid: a number, or a text of digits; other texts get a number of their own. */
static int64_t
read_id(struct chrome *c)
{
	enum json_kind kind = json_next(&c->p.json);
	int64_t id = 0;

	json_pass(&c->p.json, kind);
	if (kind != JSON_NUMBER && kind != JSON_STRING)
		return 0;
	for (size_t i = 0; i < c->p.json.text.size; i++) {
		char digit = c->p.json.text.data[i];

		if (digit < '0' || digit > '9' || id > INT64_MAX / 100)
			return MADE_UP + text_table_number(&c->ids, c->p.json.text);
		id = id * 10 + (digit - '0');
	}
	return id;
}

/* --- profiles of V8 --- */

static void
release_v8(struct v8 *v)
{
	if (v == NULL)
		return;
	id_table_clear(&v->nodes);
	array_release(&v->told);
	array_release(&v->samples);
	array_release(&v->deltas);
	array_release(&v->moments);
	array_release(&v->weights);
	array_release(&v->hits);
	free(v);
}

static struct v8 *
new_v8(void)
{
	struct v8 *v = mem_new(1, sizeof *v);

	v->nodes.size = sizeof(struct node);
	v->event = text_of("", 0);
	v->start_ns = NO_NUMBER;
	return v;
}

/* What an event has of a profile. There are many, and each would ask the system for room anew. */
static struct v8 *
take_chunk(struct chrome *c)
{
	struct v8 *chunk = c->spare != NULL ? c->spare : new_v8();

	chunk->is_chunk = true;
	c->spare = NULL;
	return chunk;
}

/* Gives it back, NULL or one. */
static void
give_chunk(struct chrome *c, struct v8 *chunk)
{
	struct v8 *empty;

	if (chunk == NULL)
		return;
	empty = new_v8();
	empty->samples = chunk->samples;
	empty->deltas = chunk->deltas;
	empty->weights = chunk->weights;
	empty->samples.count = empty->deltas.count = empty->weights.count = 0;
	chunk->samples = chunk->deltas = chunk->weights = (struct numbers){ .count = 0 };
	empty->told.at = chunk->told.at;
	empty->told.room = chunk->told.room;
	chunk->told.at = NULL;
	release_v8(chunk);
	release_v8(c->spare);
	c->spare = empty;
}

static bool
is_plain(struct stk_text name)
{
	return text_is(name, "(root)") || text_is(name, "(program)") || text_is(name, "(idle)");
}

struct call_frame {
	struct stk_text name, file;
	int64_t line;
	struct recent_frame made;	/* of the same text before, in place of these; else, with a hash, to be kept */
};

static void
read_new_call_frame(struct chrome *c, struct call_frame *frame)
{
	struct json_reader *json = &c->p.json;

	while (json_next(json) == JSON_KEY) {
		if (text_is(json->text, "functionName"))
			frame->name = profile_text(&c->p);
		else if (text_is(json->text, "url"))
			frame->file = profile_text(&c->p);
		else if (text_is(json->text, "lineNumber"))
			frame->line = profile_number(&c->p, 0, -1) + 1;	/* from 0 on */
		else
			(void)json_skip(json);
	}
}

static struct recent_frame *
recent_frame(struct chrome *c, struct text_hash hash)
{
	if (c->recent == NULL)
		c->recent = mem_new(RECENT_FRAMES, sizeof *c->recent);
	return &c->recent[hash.low % RECENT_FRAMES];
}

/* Most have the text of one before: it is known by its hash. A } in a name ends the text early: then it is none of the
 * texts that are kept, which were seen to be all of their object. */
static void
read_call_frame(struct chrome *c, struct call_frame *frame)
{
	struct json_reader *json = &c->p.json;
	struct stk_text ahead = json_text_ahead(json);
	struct text_hash hash = scan_hash(ahead);
	const struct recent_frame *recent = recent_frame(c, hash);
	int64_t end = json_place(json) + (int64_t)ahead.size + 1;

	if (ahead.size > 0 && recent->known && recent->hash.low == hash.low && recent->hash.high == hash.high) {
		frame->made = *recent;
		json_pass_ahead(json, ahead);
		return;
	}
	read_new_call_frame(c, frame);
	if (ahead.size > 0 && json_place(json) == end)
		frame->made.hash = hash;
}

/* The frame, once all of it was read. */
static struct recent_frame
made_frame(struct chrome *c, const struct call_frame *frame)
{
	struct recent_frame made = frame->made;

	if (made.known)
		return made;
	made.known = true;
	made.plain = is_plain(frame->name);
	if (!made.plain)
		made.frame = profile_frame(&c->p, frame->name, frame->file, text_of("", 0), frame->line);
	if (made.hash.low != 0)
		*recent_frame(c, made.hash) = made;
	return made;
}

/* Takes the next key of a node, which is the one that was at its place in the node before for the most part. `place`:
 * how many were before it. False: there is none. */
static bool
next_node_key(struct chrome *c, unsigned place)
{
	static const struct stk_text names[] = { { "id", 2 }, { "callFrame", 9 }, { "parent", 6 }, { "hitCount", 8 },
						 { "children", 8 } };
	struct json_reader *json = &c->p.json;
	struct stk_text *usual = &c->usual_keys[place < NODE_KEYS ? place : NODE_KEYS - 1];

	if (usual->size > 0 && json_next_key_is(json, *usual))
		return true;
	if (json_next_likely(json, JSON_OBJECT_END) != JSON_KEY)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text_equal(json->text, names[i]))
			*usual = names[i];
	return true;
}

static int64_t read_node(struct chrome *c, struct v8 *v);

/* Numbers of nodes, or nodes. How deep these are is bounded by JSON_DEPTH_MAX. */
static void
read_children(struct chrome *c, struct v8 *v, struct numbers *to)
{
	struct json_reader *json = &c->p.json;
	enum json_kind kind;
	int64_t id;

	if (!profile_expects(&c->p, JSON_ARRAY))
		return;
	for (;;) {
		profile_next_numbers(&c->p, to, 0);
		kind = json_next(json);
		if (kind <= JSON_BAD || kind == JSON_ARRAY_END)
			return;
		if (kind == JSON_OBJECT) {
			id = read_node(c, v);
			*array_push(to) = id;
		} else if (kind == JSON_NUMBER && json_integer(json->text, 0, &id)) {
			*array_push(to) = id;
		} else {
			json_pass(json, kind);
			profile_broken(&c->p, "a child of a node that is no node; left out");
		}
	}
}

struct node_keys {			/* what is known of a node when all of it was read */
	struct call_frame frame;
	struct numbers children;
	int64_t id, parent, weight;
};

static void
read_node_key(struct chrome *c, struct v8 *v, struct node_keys *n)
{
	struct json_reader *json = &c->p.json;

	if (text_is(json->text, "id"))
		n->id = profile_number(&c->p, 0, NO_NUMBER);
	else if (text_is(json->text, "parent"))
		n->parent = profile_number(&c->p, 0, NO_NUMBER);
	else if (text_is(json->text, "hitCount"))
		n->weight = profile_number(&c->p, 0, 0);
	else if (text_is(json->text, "children"))
		read_children(c, v, &n->children);
	else if (text_is(json->text, "callFrame")) {
		if (!profile_expects(&c->p, JSON_OBJECT))
			return;
		if (v->is_tree)		/* whose nodes may have names of their own as well */
			read_new_call_frame(c, &n->frame);
		else
			read_call_frame(c, &n->frame);
	} else if (v->is_tree && text_is(json->text, "selfSize")) {
		n->weight = profile_number(&c->p, 0, 0);
		v->is_heap = true;
	} else if (v->is_tree && text_is(json->text, "functionName"))
		n->frame.name = profile_text(&c->p);
	else if (v->is_tree && text_is(json->text, "url"))
		n->frame.file = profile_text(&c->p);
	else if (v->is_tree && text_is(json->text, "lineNumber"))
		n->frame.line = profile_number(&c->p, 0, 0);	/* from 1 on */
	else
		(void)json_skip(json);
}

/* Later words of a node's caller count, and of who it is. */
static void
note_node(struct v8 *v, const struct told_node *told)
{
	struct node *node = id_table_at(&v->nodes, (uint64_t)told->id);

	if (told->parent != 0)
		node->parent = told->parent;
	if (!told->known)
		return;
	node->known = true;
	node->plain = told->plain;
	node->frame = told->frame;
}

static void
tell_node(struct v8 *v, struct told_node told)
{
	if (v->is_chunk)
		*array_push(&v->told) = told;
	else
		note_node(v, &told);
}

static void
add_node(struct chrome *c, struct v8 *v, const struct node_keys *n)
{
	struct recent_frame made = made_frame(c, &n->frame);

	tell_node(v, (struct told_node){ n->id, n->parent == NO_NUMBER ? 0 : n->parent + 1, made.frame, true,
					 made.plain });
	if (n->weight > 0) {
		*array_push(&v->hits) = n->id;
		*array_push(&v->hits) = n->weight;
	}
	for (size_t i = 0; i < n->children.count; i++)
		if (n->children.at[i] >= 0)
			tell_node(v, (struct told_node){ .id = n->children.at[i], .parent = n->id + 1 });
}

/* The number of the node, below 0 without one. */
static int64_t
read_node(struct chrome *c, struct v8 *v)
{
	struct node_keys n = { .frame = { .name = text_of("", 0), .file = text_of("", 0) },
			       .id = NO_NUMBER, .parent = NO_NUMBER };

	for (unsigned place = 0; next_node_key(c, place); place++)
		read_node_key(c, v, &n);
	if (n.id == NO_NUMBER && v->is_tree)
		n.id = OWN_NUMBERS + v->unnumbered++;
	if (n.id < 0)
		profile_broken(&c->p, "a node without a number; left out");
	else
		add_node(c, v, &n);
	array_release(&n.children);
	return n.id;
}

/* A key of a profile. False: it is none, and not read. */
static bool
read_profile_key(struct chrome *c, struct v8 *v, struct stk_text key)
{
	if (text_is(key, "nodes")) {
		if (profile_expects(&c->p, JSON_ARRAY))
			while (profile_next_object(&c->p))
				read_node(c, v);
	} else if (text_is(key, "head")) {
		v->is_tree = true;
		if (profile_expects(&c->p, JSON_OBJECT))
			(void)read_node(c, v);
	} else if (text_is(key, "samples")) {
		profile_numbers(&c->p, &v->samples, 0);
	} else if (text_is(key, "timestamps")) {
		profile_numbers(&c->p, &v->moments, 3);
	} else if (text_is(key, "timeDeltas")) {
		profile_numbers(&c->p, &v->deltas, 3);
	} else if (text_is(key, "weights")) {
		profile_numbers(&c->p, &v->weights, 0);
	} else if (text_is(key, "startTime")) {
		v->start_ns = profile_number(&c->p, 3, NO_NUMBER);
	} else if (text_is(key, "event")) {
		v->event = profile_text(&c->p);
	} else if (text_is(key, "tid")) {
		v->own_tid = profile_number(&c->p, 0, 0);
	} else {
		return false;
	}
	return true;
}

static void
lengthen_numbers(struct numbers *of, size_t wanted, int64_t number)
{
	if (of->count >= wanted)
		return;
	array_reserve(of, wanted - of->count);
	while (of->count < wanted)
		of->at[of->count++] = number;
}

/* Deltas become times. */
static void
settle_times(struct v8 *to, struct v8 *chunk)
{
	int64_t time_ns = to->time_ns, *deltas;

	lengthen_numbers(&chunk->deltas, chunk->samples.count, NO_NUMBER);
	deltas = chunk->deltas.at;
	for (size_t i = 0; i < chunk->samples.count; i++) {
		if (deltas[i] != NO_NUMBER && __builtin_add_overflow(time_ns, deltas[i], &time_ns))
			time_ns = 0;
		deltas[i] = time_ns;
	}
	to->time_ns = time_ns;
}

/* Old profiles have times. */
static void
settle_moments(struct v8 *chunk)
{
	lengthen_numbers(&chunk->deltas, chunk->samples.count, NO_NUMBER);
	for (size_t i = 0; i < chunk->samples.count; i++) {
		int64_t moment = number_at(&chunk->moments, (int64_t)i);

		chunk->deltas.at[i] = moment == NO_NUMBER ? STK_TIME_UNKNOWN : moment;
	}
}

/* One that weighs nothing only ends the one before it. */
static void
drop_weightless(struct v8 *chunk)
{
	size_t kept = 0;
	int64_t others = 0;		/* not 0: than 1 */

	lengthen_numbers(&chunk->weights, chunk->samples.count, NO_NUMBER);
	for (size_t i = 0; i < chunk->samples.count; i++) {
		int64_t weight = chunk->weights.at[i];

		chunk->samples.at[kept] = chunk->samples.at[i];
		chunk->deltas.at[kept] = chunk->deltas.at[i];
		weight = weight == NO_NUMBER ? 1 : weight;
		chunk->weights.at[kept] = weight;
		kept += weight != 0;
		others |= weight == 0 ? 0 : weight ^ 1;
	}
	chunk->samples.count = kept;
	chunk->weights.count = others != 0 ? kept : 0;
}

static void
append_numbers(struct numbers *to, const struct numbers *from, size_t count)
{
	array_reserve(to, count);
	if (count > 0)
		memcpy(to->at + to->count, from->at, count * sizeof *to->at);
	to->count += count;
}

/* The first chunk is moved as it is. */
static void
append_chunk(struct v8 *to, struct v8 *chunk)
{
	struct v8 first = *to;

	if (to->samples.count == 0) {
		to->samples = chunk->samples;
		to->deltas = chunk->deltas;
		to->weights = chunk->weights;
		chunk->samples = first.samples;
		chunk->deltas = first.deltas;
		chunk->weights = first.weights;
		return;
	}
	if (to->weights.count > 0 || chunk->weights.count > 0) {
		lengthen_numbers(&to->weights, to->samples.count, 1);
		lengthen_numbers(&chunk->weights, chunk->samples.count, 1);
		append_numbers(&to->weights, &chunk->weights, chunk->samples.count);
	}
	append_numbers(&to->samples, &chunk->samples, chunk->samples.count);
	append_numbers(&to->deltas, &chunk->deltas, chunk->samples.count);
}

/* The samples of a chunk get their times, and those that weigh something go to the profile, which may be the chunk. */
static void
settle_chunk(struct chrome *c, struct v8 *to, struct v8 *chunk)
{
	size_t times = chunk->is_tree ? chunk->moments.count : chunk->deltas.count;
	bool ended = chunk->is_tree && times == chunk->samples.count + 1;	/* with the end of the last one */

	if (times > 0 && times != chunk->samples.count && !ended)
		profile_broken(&c->p, "a chunk with more samples than times, or fewer");
	if (chunk->is_tree)
		settle_moments(chunk);
	else
		settle_times(to, chunk);
	if (chunk->weights.count > 0)
		drop_weightless(chunk);
	chunk->deltas.count = chunk->samples.count;
	if (chunk != to)
		append_chunk(to, chunk);
}

/* The callers first; a ring of callers ends where it was met. */
static uint32_t
stack_of(struct chrome *c, struct v8 *v, int64_t id)
{
	ARRAY(struct node *) path = { 0 };
	uint32_t stack = 0;

	while (id >= 0) {
		struct node *node = id_table_find(&v->nodes, (uint64_t)id);

		if (node == NULL || !node->known) {
			profile_broken(&c->p, "a node that is not defined; left out");
			break;
		}
		if (node->stack != 0) {
			stack = node->stack - 1;
			break;
		}
		node->stack = 1;		/* until it is known */
		*array_push(&path) = node;
		id = node->parent - 1;
	}
	while (path.count > 0) {
		struct node *node = path.at[--path.count];

		if (!node->plain)
			stack = recorder_stack(c->p.recorder, stack, node->frame);
		node->stack = stack + 1;
	}
	array_release(&path);
	return stack;
}

static uint32_t
new_stack(struct chrome *c, struct v8 *v, int64_t id)
{
	uint32_t stack = stack_of(c, v, id);

	if (id >= 0 && id < LOW_NODES) {
		array_lengthen(&c->stacks, (size_t)id + 1);
		c->stacks.at[id] = stack + 1;
	}
	return stack;
}

static inline uint32_t
stack_numbered(struct chrome *c, struct v8 *v, int64_t id)
{
	return (uint64_t)id < c->stacks.count && c->stacks.at[id] != 0 ? c->stacks.at[id] - 1 : new_stack(c, v, id);
}

static uint32_t
track_of(struct chrome *c, int64_t pid, int64_t tid)
{
	uint64_t hash = hash_pair((uint64_t)pid, (uint64_t)tid);
	uint32_t at = hash_map_start(&c->track_map, hash), number;
	struct track *track;

	while ((number = hash_map_next(&c->track_map, hash, &at)) != 0)
		if (c->tracks.at[number - 1].pid == pid && c->tracks.at[number - 1].tid == tid)
			return number - 1;
	track = array_push(&c->tracks);
	memset(track, 0, sizeof *track);
	track->pid = pid;
	track->tid = tid;
	track->name = text_of("", 0);
	hash_map_put(&c->track_map, hash, (uint32_t)c->tracks.count);
	return (uint32_t)c->tracks.count - 1;
}

static struct stk_text
name_of(struct chrome *c, int64_t pid, int64_t tid)
{
	uint32_t track = track_of(c, pid, tid);

	return c->tracks.at[track].name;
}

static uint64_t
known_number(int64_t number)
{
	return number >= MADE_UP ? 0 : (uint64_t)number;
}

static struct profile_thread
begin_numbered_thread(struct chrome *c, int64_t pid, int64_t tid, uint64_t own_tid, struct stk_text event,
		      int64_t first_ns)
{
	struct stk_text name = name_of(c, pid, tid), process = name_of(c, pid, NO_NUMBER);
	size_t size = event.size;

	/* "web (cycles)" where the event is known to be cycles */
	if (size > 0 && name.size > size + 3 && memcmp(name.data + name.size - size - 1, event.data, size) == 0)
		name.size -= size + 3;
	recording_clock(c->p.collect, first_ns >= WALL_NS ? STK_CLOCK_WALL : STK_CLOCK_MONOTONIC);
	recording_process(c->p.collect, known_number(pid), recorder_string(c->p.recorder, process), 0, 0);
	return profile_thread(&c->p, name, own_tid, false, event);
}

static struct profile_thread
begin_thread(struct chrome *c, int64_t pid, int64_t tid, struct stk_text event, int64_t first_ns)
{
	return begin_numbered_thread(c, pid, tid, known_number(tid), event, first_ns);
}

static void
add_v8_samples(struct chrome *c, struct v8 *v, const struct profile_thread *thread)
{
	struct profile_rows rows;
	uint32_t count;

	for (size_t i = 0; i < v->samples.count && c->p.result == 0; i += count) {
		count = profile_rows(&c->p, thread, v->samples.count - i, &rows);
		memcpy(rows.time, v->deltas.at + i, count * sizeof *rows.time);
		memset(rows.state, 0, count * sizeof *rows.state);
		for (uint32_t r = 0; r < count; r++) {
			rows.stack[r] = stack_numbered(c, v, v->samples.at[i + r]);
			rows.weight[r] = v->weights.count > 0 ? profile_row_weight(&c->p, v->weights.at[i + r]) : 1;
		}
		profile_rows_add(&c->p, count);
	}
}

static void
add_v8(struct chrome *c, struct v8 *v)
{
	struct profile_thread thread;

	c->stacks.count = 0;
	if (v->samples.count == 0 && v->hits.count == 0)
		return;
	thread = begin_numbered_thread(c, v->pid, v->tid, known_number(v->own_tid > 0 ? v->own_tid : v->tid), v->event,
				       v->samples.count > 0 ? v->deltas.at[0] : 0);
	add_v8_samples(c, v, &thread);
	for (size_t i = 0; v->samples.count == 0 && i < v->hits.count && c->p.result == 0; i += 2)
		profile_sample(&c->p, &thread, STK_TIME_UNKNOWN, stack_numbered(c, v, v->hits.at[i]),
			       v->hits.at[i + 1], STK_STATE_UNKNOWN);
}

/* --- slices --- */

static int
compare_slices(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

struct open_slice { int64_t end_ns, own_ns, begin_ns; uint32_t stack; };

static void
close_slice(struct chrome *c, const struct profile_thread *thread, const struct open_slice *slice)
{
	if (slice->own_ns > 0)
		profile_sample(&c->p, thread, slice->begin_ns, slice->stack, slice->own_ns, STK_STATE_UNKNOWN);
}

/* Slices of a thread that overlap without one holding the other end where the outer one ends. */
static void
add_slices(struct chrome *c)
{
	ARRAY(struct open_slice) open = { 0 };
	struct profile_thread thread = { 0, 0 };

	if (c->slices.count > 0)
		qsort(c->slices.at, c->slices.count, sizeof *c->slices.at, compare_slices);
	for (size_t i = 0; i <= c->slices.count && c->p.result == 0; i++) {
		const struct slice *s = i < c->slices.count ? &c->slices.at[i] : NULL;
		bool other = s == NULL || i == 0 || s->track != s[-1].track;
		uint32_t stack;
		int64_t end;

		while (open.count > 0 && (other || open.at[open.count - 1].end_ns <= s->begin_ns))
			close_slice(c, &thread, &open.at[--open.count]);
		if (s == NULL)
			break;
		if (other)
			thread = begin_thread(c, c->tracks.at[s->track].pid, c->tracks.at[s->track].tid,
					      text_from("slice"), s->begin_ns);
		end = open.count > 0 && open.at[open.count - 1].end_ns < s->end_ns ? open.at[open.count - 1].end_ns
										     : s->end_ns;
		c->clipped += end != s->end_ns;
		if (open.count > 0)
			open.at[open.count - 1].own_ns -= end - s->begin_ns;
		stack = recorder_stack(c->p.recorder, open.count > 0 ? open.at[open.count - 1].stack : 0, s->frame);
		*array_push(&open) = (struct open_slice){ end, end - s->begin_ns, s->begin_ns, stack };
	}
	array_release(&open);
}

static void
add_slice(struct chrome *c, const struct event *e, int64_t end_ns)
{
	uint32_t track = track_of(c, e->pid, e->tid);

	if (c->slices.count == UINT32_MAX - 1)
		return;
	*array_push(&c->slices) = (struct slice){ e->ts_ns, end_ns, track,
						  profile_frame(&c->p, e->name, text_of("", 0), text_of("", 0), 0),
						  (uint32_t)c->slices.count };
	c->last_ns = end_ns > c->last_ns ? end_ns : c->last_ns;
	if (e->phase == 'B')
		*array_push(&c->tracks.at[track].open) = (uint32_t)c->slices.count - 1;
}

/* E closes the newest open slice of its thread. */
static void
end_slice(struct chrome *c, const struct event *e)
{
	uint32_t number = track_of(c, e->pid, e->tid);
	struct track *track = &c->tracks.at[number];
	struct slice *slice;

	if (track->open.count == 0) {
		profile_broken(&c->p, "an end of a slice that did not begin; left out");
		return;
	}
	slice = &c->slices.at[track->open.at[--track->open.count]];
	slice->end_ns = e->ts_ns > slice->begin_ns ? e->ts_ns : slice->begin_ns;
	c->last_ns = slice->end_ns > c->last_ns ? slice->end_ns : c->last_ns;
}

/* Slices that never ended last as long as the trace. */
static void
end_open_slices(struct chrome *c)
{
	for (size_t t = 0; t < c->tracks.count; t++) {
		struct track *track = &c->tracks.at[t];

		if (track->open.count > 0)
			profile_broken(&c->p, "slices without an end; taken to last until the end of the trace");
		while (track->open.count > 0)
			c->slices.at[track->open.at[--track->open.count]].end_ns = c->last_ns;
	}
}

/* --- events --- */

static void
read_data(struct chrome *c, struct event *e)
{
	struct json_reader *json = &c->p.json;

	if (!profile_expects(&c->p, JSON_OBJECT))
		return;
	if (e->chunk == NULL)
		e->chunk = take_chunk(c);
	while (json_next(json) == JSON_KEY) {
		if (text_is(json->text, "cpuProfile")) {
			if (!profile_expects(&c->p, JSON_OBJECT))
				continue;
			while (json_next(json) == JSON_KEY)
				if (!read_profile_key(c, e->chunk, json->text))
					(void)json_skip(json);
		} else if (!read_profile_key(c, e->chunk, json->text)) {
			(void)json_skip(json);
		}
	}
}

static void
add_word(struct text_buffer *to, struct stk_text text)
{
	for (size_t i = 0; i < text.size; i++)
		add_char(to, (unsigned char)text.data[i] <= ' ' || text.data[i] == '=' ? '_' : text.data[i]);
}

/* A number or text is a value of the event; other arguments are left out. */
static void
read_argument(struct chrome *c)
{
	struct text_buffer *to = &c->arguments;
	size_t before = to->count;
	enum json_kind kind;

	if (to->count > 0)
		add_char(to, ' ');
	add_word(to, c->p.json.text);
	add_char(to, '=');
	kind = json_next(&c->p.json);
	if (kind == JSON_NUMBER || kind == JSON_STRING)
		add_word(to, c->p.json.text);
	else
		to->count = before;
	json_pass(&c->p.json, kind);
}

static void
read_arguments(struct chrome *c, struct event *e)
{
	struct json_reader *json = &c->p.json;

	if (!profile_expects(&c->p, JSON_OBJECT))
		return;
	while (json_next(json) == JSON_KEY) {
		if (text_is(json->text, "name"))
			e->names = profile_text(&c->p);
		else if (text_is(json->text, "data"))
			read_data(c, e);
		else if (c->as_events)
			read_argument(c);
		else
			(void)json_skip(json);
	}
}

static struct v8 *
profile_of(struct chrome *c, const struct event *e)
{
	uint32_t id = text_table_number(&c->ids, e->id), at, number;
	uint64_t hash = hash_pair((uint64_t)e->pid, id);
	struct v8 *v;

	at = hash_map_start(&c->profile_map, hash);
	while ((number = hash_map_next(&c->profile_map, hash, &at)) != 0) {
		v = c->profiles.at[number - 1];
		if (v->pid == e->pid && v->id == id)
			return v;
	}
	v = *array_push(&c->profiles) = new_v8();
	v->id = id;
	v->pid = e->pid;
	v->tid = e->tid;
	hash_map_put(&c->profile_map, hash, (uint32_t)c->profiles.count);
	return v;
}

static void
take_profile_event(struct chrome *c, struct event *e)
{
	struct v8 *v = profile_of(c, e);

	if (e->chunk == NULL)
		return;
	if (text_is(e->name, "Profile") || text_is(e->name, "CpuProfile")) {
		v->tid = e->tid;
		v->start_ns = v->time_ns = e->chunk->start_ns != NO_NUMBER ? e->chunk->start_ns : e->ts_ns;
		v->event = e->chunk->event;
		v->own_tid = e->chunk->own_tid;
	}
	for (size_t i = 0; i < e->chunk->told.count; i++)
		note_node(v, &e->chunk->told.at[i]);
	settle_chunk(c, v, e->chunk);
}

static bool
keep_event(struct chrome *c, const struct event *e)
{
	struct chrome_event event = { .name = e->name, .id = e->id, .values = text_in(&c->arguments, 0),
				      .phase = e->phase, .time_ns = e->ts_ns,
				      .duration_ns = e->dur_ns > 0 ? e->dur_ns : 0 };

	if (e->phase == 'M')
		return false;
	event.track = track_of(c, e->pid, e->tid);
	return chrome_events_take(&c->events, &event);
}

static void
add_events(struct chrome *c)
{
	struct profile_thread thread = { 0, 0 };

	chrome_events_sort(&c->events);
	for (size_t i = 0; i < c->events.list.count && c->p.result == 0; i++) {
		const struct kept_chrome_event *e = &c->events.list.at[i];
		const struct track *track = &c->tracks.at[e->track];
		struct stk_event row = { .time = e->time_ns, .happening = e->happening, .activity = e->activity,
					 .processor = -1, .name = chrome_events_name(&c->events, e),
					 .values = chrome_events_values(&c->events, e) };

		if (i == 0 || e->track != e[-1].track)
			thread = begin_thread(c, track->pid, track->tid, text_of("", 0), e->time_ns);
		row.thread = thread.thread;
		if (recording_event_row(c->p.collect, &row, c->p.err) < 0)
			c->p.result = -1;
	}
}

static void
take_sample(struct chrome *c, const struct event *e)
{
	struct trace_sample sample = { .track = track_of(c, e->pid, e->tid), .event = e->name, .time_ns = e->ts_ns,
				       .weight = e->weight };

	chrome_samples_add(&c->samples, e->leaf, &sample);
}

static void
add_samples(struct chrome *c)
{
	for (size_t i = 0; i < c->samples.list.count && c->p.result == 0; i++) {
		const struct trace_sample *sample = &c->samples.list.at[i];
		const struct track *track = &c->tracks.at[sample->track];
		struct profile_thread thread = begin_thread(c, track->pid, track->tid, sample->event, sample->time_ns);

		profile_sample(&c->p, &thread, sample->time_ns, chrome_samples_stack(&c->samples, &c->p, sample->leaf),
			       sample->weight, STK_STATE_UNKNOWN);
	}
}

static void
take_event(struct chrome *c, struct event *e)
{
	if (text_is(e->name, "Profile") || text_is(e->name, "ProfileChunk") || text_is(e->name, "CpuProfile")) {
		take_profile_event(c, e);
		return;
	}
	if (c->as_events && keep_event(c, e))
		return;
	switch (e->phase) {
	case 'M':
		if (text_is(e->name, "thread_name") || text_is(e->name, "process_name")) {
			uint32_t track = track_of(c, e->pid, text_is(e->name, "thread_name") ? e->tid : NO_NUMBER);

			c->tracks.at[track].name = e->names;
		}
		break;
	case 'X':
		if (e->dur_ns > 0)
			add_slice(c, e, e->ts_ns < STK_TIME_MOST - e->dur_ns ? e->ts_ns + e->dur_ns : STK_TIME_MOST);
		else
			c->instants++;
		break;
	case 'B':
		add_slice(c, e, e->ts_ns);
		break;
	case 'E':
		end_slice(c, e);
		break;
	case 'P':
		take_sample(c, e);
		break;
	default:
		c->left_out++;
	}
}

/* phase: unless the event has one of its own. */
static void
read_event(struct chrome *c, char phase)
{
	struct event e = { .name = text_of("", 0), .id = text_of("", 0), .names = text_of("", 0),
			   .leaf = text_of("", 0), .phase = phase, .weight = 1 };
	struct json_reader *json = &c->p.json;
	int64_t processor_ns = 0;	/* is the duration where no other is */

	c->arguments.count = 0;
	while (json_next(json) == JSON_KEY) {
		if (text_is(json->text, "ph"))
			e.phase = profile_expects(&c->p, JSON_STRING) && json->text.size > 0 ? *json->text.data : '\0';
		else if (text_is(json->text, "name"))
			e.name = profile_text(&c->p);
		else if (text_is(json->text, "id"))
			e.id = profile_text(&c->p);
		else if (text_is(json->text, "pid"))
			e.pid = read_id(c);
		else if (text_is(json->text, "tid"))
			e.tid = read_id(c);
		else if (text_is(json->text, "ts"))
			e.ts_ns = profile_number(&c->p, 3, 0);
		else if (text_is(json->text, "dur"))
			e.dur_ns = profile_number(&c->p, 3, 0);
		else if (text_is(json->text, "tdur"))
			processor_ns = profile_number(&c->p, 3, 0);
		else if (text_is(json->text, "sf"))
			e.leaf = profile_text(&c->p);
		else if (text_is(json->text, "weight"))
			e.weight = profile_number(&c->p, 0, 1);
		else if (text_is(json->text, "args"))
			read_arguments(c, &e);
		else
			(void)json_skip(json);
	}
	e.dur_ns = e.dur_ns != 0 ? e.dur_ns : processor_ns;
	if (json->depth > 0 && !json_is_cut(json))
		take_event(c, &e);
	give_chunk(c, e.chunk);
}

static void
read_events(struct chrome *c)
{
	c->p.json.lenient = true;
	while (profile_next_object(&c->p))
		read_event(c, '\0');
	c->p.json.lenient = false;
}

/* Of a .cpuprofile, the numbers of nodes; beside stackFrames, objects like events. */
static void
read_samples(struct chrome *c, struct v8 *v)
{
	enum json_kind kind;

	if (!profile_expects(&c->p, JSON_ARRAY))
		return;
	while ((kind = profile_numbers_ahead(&c->p, &v->samples, 0)) > JSON_BAD && kind != JSON_ARRAY_END) {
		if (kind == JSON_OBJECT) {
			read_event(c, 'P');
			continue;
		}
		json_pass(&c->p.json, kind);
		*array_push(&v->samples) = NO_NUMBER;
	}
}

static void
read_object(struct chrome *c)
{
	struct json_reader *json = &c->p.json;
	struct v8 *v = new_v8();

	*array_push(&c->profiles) = v;
	while (json_next(json) == JSON_KEY) {
		if (text_is(json->text, "traceEvents")) {
			if (profile_expects(&c->p, JSON_ARRAY))
				read_events(c);
		} else if (text_is(json->text, "samples")) {
			read_samples(c, v);
		} else if (text_is(json->text, "stackFrames")) {
			chrome_samples_frames(&c->samples, &c->p);
		} else if (!read_profile_key(c, v, json->text)) {
			(void)json_skip(json);
		}
	}
	(void)json_next(json);
	v->time_ns = v->start_ns != NO_NUMBER ? v->start_ns : 0;
	if (v->is_heap) {
		v->samples.count = c->samples.list.count = 0;	/* its blocks one by one, whose sizes the nodes have */
		v->event = text_from("inuse_space/bytes");
	}
	settle_chunk(c, v, v);
}

static int
read_chrome(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct chrome c = { .left_out = 0 };
	bool array = false;
	int result;

	profile_open(&c.p, to, from, err);
	c.as_events = recording_as_events(to);
	switch (json_next(&c.p.json)) {
	case JSON_ARRAY:
		array = true;
		read_events(&c);
		(void)json_next(&c.p.json);
		break;
	case JSON_OBJECT:
		read_object(&c);
		break;
	default:
		profile_broken(&c.p, "no object or array where trace events are expected");
	}
	end_open_slices(&c);
	for (size_t i = 0; i < c.profiles.count; i++)
		add_v8(&c, c.profiles.at[i]);
	add_samples(&c);
	add_slices(&c);
	add_events(&c);
	recording_unplaced(to, c.clipped, "slices that end after the one that they begin in, and are cut off there");
	recording_unplaced(to, c.instants, "slices that took no time, which are left out");
	recording_unplaced(to, c.left_out, "trace events that are neither slices nor samples, which are left out");
	/* the ] of an array of events may be missing */
	c.p.open_end = array && c.p.json.depth == 1 && json_is_cut(&c.p.json);
	result = profile_close(&c.p);
	for (size_t i = 0; i < c.profiles.count; i++)
		release_v8(c.profiles.at[i]);
	array_release(&c.profiles);
	release_v8(c.spare);
	free(c.recent);
	array_release(&c.stacks);
	array_release(&c.slices);
	chrome_samples_release(&c.samples);
	chrome_events_release(&c.events);
	array_release(&c.arguments);
	for (size_t i = 0; i < c.tracks.count; i++)
		array_release(&c.tracks.at[i].open);
	array_release(&c.tracks);
	hash_map_release(&c.track_map);
	hash_map_release(&c.profile_map);
	text_table_release(&c.ids);
	return result;
}

static int
recognise_trace(struct stk_text text)
{
	return profile_shape(text) == SHAPE_CHROME ? 100 : 0;
}

static int
recognise_cpuprofile(struct stk_text text)
{
	return profile_shape(text) == SHAPE_CPUPROFILE ? 100 : 0;
}

const struct text_format chrome_format = {
	.name = "chrome",
	.about = "trace events of Chrome's DevTools and others: profiles of V8, samples P, slices B, E and X",
	.shown_by = "JSON with traceEvents, or an array of objects with ph",
	.written_as = "chrome",
	.clock = STK_CLOCK_MONOTONIC,
	.runtime = STK_RUNTIME_SCRIPT,
	.recognise = recognise_trace,
	.read = read_chrome
};

const struct text_format cpuprofile_format = {
	.name = "cpuprofile",
	.about = "a .cpuprofile of V8, as node and Chrome save it, also old ones; a .heapprofile",
	.shown_by = "JSON with nodes that have a callFrame, or a tree of nodes under head",
	.clock = STK_CLOCK_MONOTONIC,
	.runtime = STK_RUNTIME_SCRIPT,
	.recognise = recognise_cpuprofile,
	.read = read_chrome
};
