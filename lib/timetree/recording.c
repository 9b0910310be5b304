/* SPDX-License-Identifier: MIT
 * recording: one part for each stream of the file, with ids of its own; what they count meets in a call tree, by name.
 * */
#include "timetree/recording_parts.h"

#include "base/memory.h"
#include "timetree/sample_event.h"

#include <stdio.h>
#include <stdlib.h>

/* --- opening --- */

static const unsigned definitions[] = { STK_STRING, STK_FRAME, STK_SOURCE, STK_THREAD };

/* Dumps are many, and only what a sample without a thread belongs to is asked of them. */
static bool
needs_dumps(const struct recording_options *o)
{
	return o->selection.process != NULL ||
	       (o->by != NULL && (strstr(o->by, "source") != NULL || strstr(o->by, "process") != NULL ||
					 strstr(o->by, "pid") != NULL));
}

static bool
needs_groups(const struct recording_options *o)
{
	return o->selection.where != NULL && where_asks_records(o->selection.where);
}

/* Definitions of a kind into the model. */
static int
define(struct recording *r, struct part *part, unsigned kind, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(r->file, part->stream, kind, &count);

	for (size_t b = 0; b < count; b++) {
		struct stk_block block;
		int got = stream_file_go(r->file, part->stream, &blocks[b], &block, err);

		if (got > 0 && model_take(part->model, stream_file_reader(r->file), &block, err) < 0)
			got = err->code == STK_EDATA ? 0 : -1;
		if (got < 0)
			return -1;
		stk_error_clear(err);		/* damage was reported */
	}
	return 0;
}

static int
define_groups(struct recording *r, struct part *part, struct stk_error *err)
{
	model_keep_groups(part->model);
	return define(r, part, STK_GROUP, err) < 0 || define(r, part, STK_GROUP_OF_STACK, err) < 0
		       ? -1 : define(r, part, STK_GROUP_OF_THREAD, err);
}

/* Stacks are many: they are read as they are asked for, unless the conditions on rows may ask for any. */
static int
define_stacks(struct recording *r, struct part *part, struct stk_error *err)
{
	const struct selection_options *o = &r->options.selection;
	bool any = o->grep != NULL || o->where != NULL || o->activity != ACTIVITY_ANY;
	int got = any ? 0 : stack_lender_open(&part->lender, r->file, part->stream, part->model, err);

	if (got != 0)
		return got < 0 ? -1 : 0;
	stack_lender_close(part->lender);
	part->lender = NULL;
	return define(r, part, STK_STACK, err);
}

/* The usual keys have no name where they are alone. */
static const char *
named_keys(const char *by)
{
	return *by == '\0' ? "default" : by;
}

static const char *
event_of_tree(const struct tree_facts *facts)
{
	return *facts->event == '\0' ? "all" : facts->event;
}

static void
note_event(struct recording *r, const char *event)
{
	if (event != NULL)
		(void)snprintf(r->facts.event, sizeof r->facts.event, "%s", event);
}

/* The place of a key in a list of keys; -1. */
static int
place_of_key(const char *keys, const char *key, size_t size)
{
	int place = 0;

	for (const char *at = keys; *at != '\0'; place++) {
		size_t length = strcspn(at, ",");

		if (length == size && memcmp(at, key, size) == 0)
			return place;
		at += length + (at[length] == ',');
	}
	return -1;
}

/* Whether each of the keys that are asked for is one of the tree's: an element of its prefixes. */
static bool
choose_keys(struct part *part, const char *asked, const char *of_tree)
{
	part->key_count = 0;
	for (const char *at = asked; *at != '\0'; ) {
		size_t size = strcspn(at, ",");
		int place = place_of_key(of_tree, at, size);

		if (place < 0 || part->key_count == KEYS_MOST)
			return false;
		part->keys[part->key_count++] = (unsigned)place;
		at += size + (at[size] == ',');
	}
	return true;
}

/* Whether counts by a set of keys have what is to precede the frames. */
static bool
counts_have_keys(const struct recording *r, struct part *part, const char *of_set)
{
	const char *by = r->options.by;

	part->key_count = 0;
	return part->bare || strcmp(by, of_set) == 0 || choose_keys(part, named_keys(by), named_keys(of_set));
}

/* Whether pools that differ in a number become one. */
static bool
folds_keys(const struct recording *r)
{
	const char *by = named_keys(r->options.by);

	return r->options.naming.fold && (strcmp(by, "pool") == 0 || strcmp(by, "default") == 0);
}

/* Whether counts by a set of keys know what is asked for: what precedes the frames, and no condition but on stacks and
 * on these keys; part->choice is that. -1. */
static int
counts_know(struct recording *r, struct part *part, const char *of_set, struct stk_error *err)
{
	const struct selection_options *o = &r->options.selection;
	bool needed = key_choice_needed(o);

	if (o->where != NULL || o->activity != ACTIVITY_ANY || !counts_have_keys(r, part, of_set))
		return 0;
	return needed ? key_choice_open(&part->choice, part->model, o, of_set, err) : 1;
}

static unsigned
keys_in(const char *by)
{
	unsigned keys = 1;

	for (; *by != '\0'; by++)
		keys += *by == ',';
	return keys;
}

/* The set that answers with the fewest keys is chosen, as it has the fewest counts: 1; 0: none answers; -1. */
static int
choose_set(struct recording *r, struct part *part, struct stk_error *err)
{
	struct key_sets sets;
	unsigned best = 0, fewest = UINT32_MAX;

	tree_reader_sets(part->tree, &sets);
	for (unsigned i = 0; i < sets.count; i++) {
		int knows = keys_in(sets.by[i]) < fewest ? counts_know(r, part, sets.by[i], err) : 0;

		key_choice_close(part->choice);
		part->choice = NULL;
		if (knows < 0)
			return -1;
		best = knows > 0 ? i : best;
		fewest = knows > 0 ? keys_in(sets.by[i]) : fewest;
	}
	tree_reader_choose(part->tree, best);
	return fewest == UINT32_MAX ? 0 : counts_know(r, part, sets.by[best], err);
}

/* Counts that leave stacks out do not tell how many samples of these a condition takes: then the samples are read. */
static int
use_tree(struct recording *r, struct part *part, struct stk_error *err)
{
	const struct tree_facts *facts = tree_reader_facts(part->tree);
	const struct selection_options *o = &r->options.selection;
	int got = *r->facts.event != '\0' && strcmp(r->facts.event, event_of_tree(facts)) != 0
			  ? 0
			  : choose_set(r, part, err);

	part->counts_chosen = o->grep != NULL || key_choice_needed(o);
	part->other_keys = part->key_count > 0 || (part->bare && part->choice != NULL);
	part->use = got <= 0 ? USE_NONE : part->counts_chosen && facts->row.keep < 100 ? USE_THINNED : USE_ALL;
	return got < 0 ? -1 : 0;
}

/* What precedes the frames is known from the first stream on. */
static void
note_keys(struct recording *r, struct part *part, const char *usual)
{
	if (r->options.by == NULL)
		(void)snprintf(r->facts.by, sizeof r->facts.by, "%s", usual);
	else if (r->options.by != r->facts.by)
		(void)snprintf(r->facts.by, sizeof r->facts.by, "%s", r->options.by);
	r->options.by = r->facts.by;
	part->bare = strcmp(r->options.by, "none") == 0;
}

/* The samples answer in place of a tree that cannot be read, but for those of which only counts were left. */
static int
note_lost_tree(struct recording *r, struct part *part, struct stk_error *err)
{
	int got = tree_reader_thinned(r->file, part->stream, &part->lost, err);

	part->has_lost = got > 0;
	return got < 0 ? -1 : 0;
}

/* Where all events count, and no sample is missing, nothing was thinned: nodes need not be read for this. Where they
 * cannot be, the number of samples tells it. */
static int
note_thinned(struct recording *r, struct part *part, struct stk_error *err)
{
	const struct tree_facts *facts = tree_reader_facts(part->tree);
	struct tree_interval times;
	int got = 0;

	if (*facts->event != '\0' || facts->row.samples != facts->row.rows)
		got = tree_reader_thinned(r->file, part->stream, &times, err);
	part->thinned = got > 0;
	if (got > 0 && times.from == INT64_MIN)
		part->thinned = facts->row.samples != facts->row.rows;
	return got < 0 ? -1 : 0;
}

static void
note_tree_event(struct recording *r, const struct tree_facts *facts)
{
	if (*r->facts.event == '\0' && facts->row.rows > 0)
		note_event(r, event_of_tree(facts));
}

static int
open_tree(struct recording *r, struct part *part, struct stk_error *err)
{
	const struct tree_facts *facts;
	int got = tree_reader_open(&part->tree, r->file, part->stream, err);

	note_keys(r, part, got > 0 ? tree_reader_facts(part->tree)->by : "");
	if (got == 0)
		return note_lost_tree(r, part, err);
	if (got < 0 || note_thinned(r, part, err) < 0)
		return -1;
	facts = tree_reader_facts(part->tree);
	note_tree_event(r, facts);
	if (use_tree(r, part, err) < 0)
		return -1;
	if (part->use != USE_ALL && !part->thinned) {
		tree_reader_close(part->tree);
		part->tree = NULL;
		return 0;
	}
	r->facts.bounded |= part->use != USE_NONE && (part->thinned || facts->row.keep < 100);
	if (part->use == USE_ALL) {
		part->covered = facts->row.rows;
		r->facts.untimed += facts->row.untimed;
	}
	return 0;
}

/* The prefixes and the event of samples must be those of the tree beside which they are counted. */
static int
open_selection(struct recording *r, struct part *part, struct stk_error *err)
{
	struct selection_options selection = r->options.selection;

	selection.from_ns = INT64_MIN;
	selection.to_ns = INT64_MAX;
	selection.one_event = true;
	if (*r->facts.event == '\0' &&
	    sample_event_first(r->file, part->stream, part->model, r->facts.event, err) < 0)
		return -1;
	/* the others are counted when none was asked for */
	if (selection.event == NULL && strcmp(r->facts.event, "all") == 0)
		selection.event = r->facts.event;
	else if (selection.event == NULL && *r->facts.event != '\0')
		selection.first_event = r->facts.event;
	if (stack_prefixes_open(&part->prefixes, part->model, r->options.by, err) < 0 ||
		selection_open(&part->selection, part->model, &selection, err) < 0)
		return -1;
	if (r->options.naming.fold)
		stack_prefixes_fold(part->prefixes);
	if (part->choice != NULL && folds_keys(r)) {	/* names of pools that became one are not those of threads */
		part->other_keys = true;
		if (stack_prefixes_open(&part->of_tree, part->model, r->options.by, err) < 0)
			return -1;
	}
	selection_head(part->selection, stream_file_reader(r->file), 0);
	naming_open(&part->naming, part->model, &r->options.naming);
	part->types.prefixes = part->prefixes;
	return 0;
}

/* The times of a block whose header has no range: some of its samples have none. */
static int
note_rows(struct recording *r, const struct part *part, const struct file_block *at, struct stk_error *err)
{
	struct sample_columns c;
	struct stk_block block;
	int got = stream_file_go(r->file, part->stream, at, &block, err);

	if (got > 0 && sample_columns_load(&c, SAMPLE_TIME, NULL, stream_file_reader(r->file), &block, err) < 0)
		got = err->code == STK_EDATA ? 0 : -1;
	if (got <= 0) {
		if (got == 0)
			stk_error_clear(err);		/* damage was reported */
		return got;
	}
	for (uint32_t row = 0; row < block.rows; row++) {
		r->facts.untimed += sample_time(&c, row) == STK_TIME_UNKNOWN;
		time_range_add(&r->facts.times, sample_time(&c, row));
	}
	return 0;
}

/* The times of samples, from headers where these tell them, and of the tree. */
static int
note_times(struct recording *r, const struct part *part, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(r->file, part->stream, STK_SAMPLE, &count);
	const struct tree_facts *tree = part->tree == NULL ? NULL : tree_reader_facts(part->tree);

	if (tree != NULL && tree->row.from != STK_TIME_UNKNOWN)
		time_range_join(&r->facts.times, &(struct time_range){ tree->row.from, tree->row.to });
	for (size_t b = 0; b < count; b++) {
		if (blocks[b].has_time)
			time_range_join(&r->facts.times, &(struct time_range){ blocks[b].from_ns, blocks[b].to_ns });
		else if ((tree == NULL || part->use != USE_ALL) && note_rows(r, part, &blocks[b], err) < 0)
			return -1;
	}
	return 0;
}

static void
note_clocks(struct recording *r, const struct part *part)
{
	for (uint32_t id = model_next(part->model, STK_SOURCE, 0); id != 0;
		id = model_next(part->model, STK_SOURCE, id)) {
		uint64_t clock = model_source(part->model, id).clock;

		r->facts.monotonic |= clock == STK_CLOCK_MONOTONIC;
		r->facts.wall |= clock == STK_CLOCK_WALL;
	}
}

static void
tell_hole(struct recording *r, struct part *part, int64_t from, int64_t to, const char *why)
{
	if (!part->has_hole || from < part->hole.from)
		part->hole.from = from;
	if (!part->has_hole || to > part->hole.to)
		part->hole.to = to;
	part->has_hole = true;
	r->listener.lost(r->listener.context, from, to, why);
}

/* Bytes that no block takes were lost, and with them what was between the samples around them. */
static void
tell_holes(struct recording *r, struct part *part)
{
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(r->file, part->stream, &count);
	int64_t before = STK_TIME_UNKNOWN, lost_from = 0;
	bool lost = false;

	for (size_t b = 0; b < count; b++) {
		if (b > 0 && blocks[b].offset != blocks[b - 1].offset + (int64_t)blocks[b - 1].bytes && !lost) {
			lost = true;
			lost_from = before;
		}
		if (blocks[b].kind != STK_SAMPLE || !blocks[b].has_time)
			continue;
		if (lost)
			tell_hole(r, part, lost_from, blocks[b].from_ns, "damaged");
		lost = false;
		before = blocks[b].to_ns;
	}
	if (!lost && stream_file_is_growing(r->file) && part->stream + 1 == stream_file_streams(r->file)) {
		if (r->listener.growing != NULL)
			r->listener.growing(r->listener.context);
	} else if (lost || !stream_file_is_whole(r->file, part->stream))
		tell_hole(r, part, lost ? lost_from : before, INT64_MAX, lost ? "damaged" : "cut");
}

/* Where blocks are missing, rows have other numbers than the tree says. */
static bool
has_holes(const struct recording *r, unsigned stream)
{
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(r->file, stream, &count);

	for (size_t b = 1; b < count; b++)
		if (blocks[b].offset != blocks[b - 1].offset + (int64_t)blocks[b - 1].bytes)
			return true;
	return false;
}

/* A tree that does not answer still says what usually precedes the frames, and what it counts. */
static int
pass_over_tree(struct recording *r, struct part *part, struct stk_error *err)
{
	int got = tree_reader_open(&part->tree, r->file, part->stream, err);

	note_keys(r, part, got > 0 ? tree_reader_facts(part->tree)->by : "");
	if (got > 0)
		note_tree_event(r, tree_reader_facts(part->tree));
	tree_reader_close(part->tree);
	part->tree = NULL;
	return got < 0 ? -1 : note_lost_tree(r, part, err);
}

static int
open_part(struct recording *r, unsigned stream, struct stk_error *err)
{
	struct part *part = mem_new(1, sizeof *part);
	struct stk_block head;
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(r->file, stream, &count);

	*array_push(&r->parts) = part;
	part->stream = stream;
	part->names[0].size = part->names[1].size = sizeof(uint32_t);
	if (model_open(&part->model) < 0)
		return stk_fail(err, STK_ESYSTEM, "cannot begin");
	if (count > 0 && blocks[0].kind == STK_HEAD && blocks[0].bytes > 0 &&
		stream_file_go(r->file, stream, &blocks[0], &head, err) < 0)
		return -1;
	for (size_t k = 0; k < sizeof definitions / sizeof *definitions; k++)
		if (define(r, part, definitions[k], err) < 0)
			return -1;
	if (needs_groups(&r->options) && define_groups(r, part, err) < 0)
		return -1;
	if (needs_dumps(&r->options) && define(r, part, STK_DUMP, err) < 0)
		return -1;
	if ((has_holes(r, stream) ? pass_over_tree(r, part, err) : open_tree(r, part, err)) < 0)
		return -1;
	if (define_stacks(r, part, err) < 0)
		return -1;
	if (open_selection(r, part, err) < 0)
		return -1;
	if ((r->options.as == AS_CLASSES || r->options.as == AS_GROUPS) &&
		stack_labels_open(&part->labels, r->file, stream, part->model,
				  r->options.as == AS_GROUPS ? part->prefixes : NULL, err) < 0)
		return -1;
	r->facts.labels |= part->labels != NULL && stack_labels_any(part->labels);
	if (note_times(r, part, err) < 0)
		return -1;
	note_clocks(r, part);
	tell_holes(r, part);
	r->facts.tree &= part->tree != NULL && part->use == USE_ALL;
	return 0;
}

/* Only conditions ask which ids are in a block. */
bool
recording_asks_ids(bool filtered, const char *event)
{
	return filtered || event != NULL;
}

static int
open_file(struct recording *r, const char *path, struct stk_error *err)
{
	bool asks_ids = recording_asks_ids(r->options.filtered, r->options.selection.event);
	const struct recording_listener *to = &r->listener;

	r->file = r->options.file;
	r->options.file = NULL;
	if (r->file != NULL && stream_file_has_ids(r->file) == asks_ids) {
		stream_file_listen(r->file, to->damage, to->context);
		return 0;
	}
	stream_file_close(r->file);
	return asks_ids ? stream_file_open(&r->file, path, to->damage, to->context, err)
			: stream_file_open_without_ids(&r->file, path, to->damage, to->context, err);
}

int
recording_open(struct recording **out, const char *path, const struct recording_options *options,
	const struct recording_listener *listener, struct stk_error *err)
{
	struct recording *r = *out = mem_new(1, sizeof *r);

	r->options = *options;
	r->listener = *listener;
	r->facts.times = TIME_RANGE_NONE;
	note_event(r, options->selection.event != NULL ? options->selection.event : options->selection.first_event);
	r->facts.tree = true;
	if (open_file(r, path, err) < 0)
		return -1;
	for (unsigned s = 0; s < stream_file_streams(r->file); s++)
		if (open_part(r, s, err) < 0)
			return -1;
	return 0;
}

static void
close_part(struct part *part)
{
	tree_reader_close(part->tree);
	key_choice_close(part->choice);
	array_release(&part->takes);
	stack_labels_close(part->labels);
	naming_close(part->naming);
	stack_prefixes_close(part->prefixes);
	stack_prefixes_close(part->of_tree);
	selection_close(part->selection);
	model_close(part->model);
	stack_lender_close(part->lender);
	pair_sums_release(&part->sums);
	pair_sums_release(&part->guessed);
	array_release(&part->prefix_of_keys);
	pair_sums_release(&part->possible);
	sample_types_release(&part->types);
	id_table_clear(&part->names[0]);
	id_table_clear(&part->names[1]);
	free(part);
}

void
recording_close(struct recording *r)
{
	if (r == NULL)
		return;
	for (size_t p = 0; p < r->parts.count; p++)
		close_part(r->parts.at[p]);
	array_release(&r->parts);
	stream_file_close(r->file);
	free(r);
}

const struct recording_facts *
recording_facts(const struct recording *r)
{
	return &r->facts;
}

uint64_t
recording_other_events(const struct recording *r)
{
	uint64_t others = 0;

	for (size_t p = 0; p < r->parts.count; p++) {
		const struct part *part = r->parts.at[p];
		const struct stk_tree *tree = part->tree == NULL ? NULL : &tree_reader_facts(part->tree)->row;
		struct stk_text kept;

		others += selection_other_events(part->selection, &kept);
		if (tree != NULL && r->options.selection.event == NULL && tree->rows > tree->samples)
			others += tree->rows - tree->samples;
	}
	return others;
}

unsigned
recording_events_met(const struct recording *r, struct stk_text *first)
{
	unsigned met = 0;

	*first = text_of("", 0);
	for (size_t p = 0; p < r->parts.count && strcmp(r->facts.event, "all") == 0; p++) {
		struct stk_text one;
		unsigned here = selection_events_met(r->parts.at[p]->selection, &one);

		if (met > 0 && here > 0 && !text_equal(one, *first))
			here = 2;
		if (met == 0)
			*first = one;
		met = here > met ? here : met;
	}
	return met > 2 ? 2 : met;
}

size_t
recording_streams(const struct recording *r)
{
	return r->parts.count;
}

const struct model *
recording_model(const struct recording *r, size_t stream)
{
	return r->parts.at[stream]->model;
}

bool
recording_weights_are_counts(const struct recording *r)
{
	return *r->facts.event == '\0' || strcmp(r->facts.event, EVENT_NONE) == 0;
}

void
recording_give_samples(struct recording *r, bool samples)
{
	r->options.samples = samples;
}

static bool
folds_frames(const struct recording *r, struct model *model)
{
	struct naming_options exact = r->options.naming;
	struct naming *folding, *naming;
	bool other = false;

	exact.fold = false;
	naming_open(&folding, model, &r->options.naming);
	naming_open(&naming, model, &exact);
	for (uint32_t frame = 0; !other && (frame = model_next(model, STK_FRAME, frame)) != 0;)
		for (unsigned java = 0; java < 2; java++)
			other |= !text_equal(naming_frame(folding, frame, java), naming_frame(naming, frame, java));
	naming_close(folding);
	naming_close(naming);
	return other;
}

static bool
folds_prefixes(const struct part *part)
{
	size_t keys = part->tree == NULL ? 0 : tree_reader_keys(part->tree);

	for (size_t i = 0; i < keys; i++)
		if (stack_prefix_folds(part->prefixes, tree_reader_key(part->tree, i)))
			return true;
	return false;
}

bool
recording_folds_names(const struct recording *r)
{
	for (size_t p = 0; p < r->parts.count && r->options.naming.fold; p++)
		if (folds_frames(r, r->parts.at[p]->model) || (!r->parts.at[p]->bare && folds_prefixes(r->parts.at[p])))
			return true;
	return false;
}

struct stk_text
recording_class(const struct recording *r, struct stk_text name)
{
	struct stk_text frames = text_of("", 0);

	for (size_t p = 0; p < r->parts.count && frames.size == 0; p++)
		if (r->parts.at[p]->labels != NULL)
			frames = stack_label_class(r->parts.at[p]->labels, name);
	return frames;
}

uint64_t
recording_bytes(const struct recording *r)
{
	return stream_file_size(r->file);
}

uint64_t
recording_bytes_read(const struct recording *r)
{
	return stream_file_bytes_read(r->file);
}
