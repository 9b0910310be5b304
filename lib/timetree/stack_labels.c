/* SPDX-License-Identifier: MIT
 * stack_labels: classes by id, groups by scheme and id with the names above them; and which a stack has. Of several
 * schemes the first counts. The name of a class is a hash: people know it by a stack that is of it. */
#include "timetree/stack_labels.h"

#include "base/id_table.h"
#include "base/memory.h"
#include "base/text_buffer.h"
#include "base/text_table.h"
#include "choose/naming.h"
#include "model/state_stack.h"

#include <stdlib.h>

#define DEPTH_MOST 64
#define BY_STATE UINT64_MAX
#define BY_THREAD (UINT64_MAX - 1)
#define IS_LIST(of) ((of) < BY_THREAD)
#define BETWEEN    " < "	/* frames, leaf first */

/* One of the groups of a stack or thread, ascending. next: the place of another one + 1; 0: none. */
struct label_link { uint64_t group, next; };

struct stack_labels {
	struct text_table texts;
	struct id_table names;		/* by class or group: text */
	struct id_table parents;	/* by group */
	struct id_table paths;		/* by group: text of the whole path; by name of a class: of its frames */
	struct id_table parts, part_of;	/* texts of parts, and by class: its part */
	ARRAY(struct label_link) links;
	/* uint64_t: the class of a stack; or the place of the first of its groups in `links` + 1, or BY_STATE */
	struct id_table of_stack;
	struct id_table of_state;	/* such places by state_stack */
	struct id_table of_thread;	/* of those without a stack */
	struct id_table of_prefix;	/* the same by what precedes stacks; BY_THREAD where its threads differ */
	bool groups, has_scheme, has_threads;
	uint64_t scheme;
};

static void
add_group(struct stack_labels *labels, uint64_t *of, uint64_t group)
{
	uint64_t before = 0, at = *of;

	for (; at != 0 && labels->links.at[at - 1].group <= group; at = labels->links.at[at - 1].next) {
		if (labels->links.at[at - 1].group == group)
			return;
		before = at;
	}
	*array_push(&labels->links) = (struct label_link){ group, at };
	*(before == 0 ? of : &labels->links.at[before - 1].next) = labels->links.count;
}

static bool
same_groups(const struct stack_labels *labels, uint64_t a, uint64_t b)
{
	while (IS_LIST(a) && IS_LIST(b) && a != b && a != 0 && b != 0) {
		if (labels->links.at[a - 1].group != labels->links.at[b - 1].group)
			return false;
		a = labels->links.at[a - 1].next;
		b = labels->links.at[b - 1].next;
	}
	return a == b;
}

/* Where the samples of a stack are of other groups in another state, counts of stacks do not say of which they are. */
static void
join_states(struct stack_labels *labels)
{
	uint64_t key;

	for (bool more = id_table_next(&labels->of_state, 0, &key); more;
		more = key < UINT64_MAX && id_table_next(&labels->of_state, key + 1, &key)) {
		uint64_t groups = *(const uint64_t *)id_table_find(&labels->of_state, key);
		uint64_t *of = id_table_at(&labels->of_stack, key / STATE_STACKS);

		*of = *of == 0 || same_groups(labels, *of, groups) ? groups : BY_STATE;
	}
}

static void
take_row(struct stack_labels *labels, unsigned kind, const void *row)
{
	const struct stk_class *class = row;
	const struct stk_group *group = row;
	const struct stk_part *part = row;
	const struct stk_class_of_stack *classed = row;
	const struct stk_group_of_stack *grouped = row;
	const struct stk_group_of_thread *named = row;

	if (kind == STK_CLASS) {
		*(uint32_t *)id_table_at(&labels->names, class->id) = text_table_number(&labels->texts, class->name);
		*(uint64_t *)id_table_at(&labels->part_of, class->id) = class->part;
	} else if (kind == STK_PART) {
		*(uint32_t *)id_table_at(&labels->parts, part->id) = text_table_number(&labels->texts, part->text);
	} else if (kind == STK_CLASS_OF_STACK) {
		*(uint64_t *)id_table_at(&labels->of_stack, classed->stack) = classed->class;
	} else if (kind == STK_GROUP) {
		if (!labels->has_scheme)
			labels->scheme = group->scheme;
		labels->has_scheme = true;
		if (group->scheme != labels->scheme)
			return;
		*(uint32_t *)id_table_at(&labels->names, group->id) = text_table_number(&labels->texts, group->name);
		*(uint64_t *)id_table_at(&labels->parents, group->id) = group->parent;
	} else if (kind == STK_GROUP_OF_STACK && grouped->scheme == labels->scheme) {
		add_group(labels, id_table_at(&labels->of_state, state_stack(grouped->stack, grouped->state)),
			  grouped->group);
	} else if (kind == STK_GROUP_OF_THREAD && named->scheme == labels->scheme) {
		labels->has_threads = true;
		add_group(labels, id_table_at(&labels->of_thread, named->thread), named->group);
	}
}

static int
take_kind(struct stack_labels *labels, struct stream_file *file, unsigned stream, unsigned kind, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, stream, kind, &count);
	uint64_t row[STK_COLUMN_MAX * 2];

	for (size_t b = 0; b < count; b++) {
		struct stk_block block;
		int got = stream_file_go(file, stream, &blocks[b], &block, err);

		if (got < 0)
			return -1;
		if (got == 0 || stk_reader_rows(stream_file_reader(file), err) < 0) {
			stk_error_clear(err);		/* reported */
			continue;
		}
		for (uint32_t i = 0; i < block.rows; i++) {
			stk_reader_row(stream_file_reader(file), i, row);
			take_row(labels, kind, row);
		}
	}
	return 0;
}

/* Counts do not say of which thread they are, but what precedes its stacks. */
static void
note_prefix(struct stack_labels *labels, uint32_t prefix, uint64_t groups)
{
	uint64_t *of = id_table_at(&labels->of_prefix, prefix);

	*of = *of == 0 || same_groups(labels, *of, groups) ? groups : BY_THREAD;
}

static void
note_prefixes(struct stack_labels *labels, struct stack_prefixes *prefixes)
{
	uint64_t thread;

	for (bool more = id_table_next(&labels->of_thread, 0, &thread); more;
		more = thread < UINT64_MAX && id_table_next(&labels->of_thread, thread + 1, &thread))
		for (uint64_t dump = 0; dump <= 1; dump++)
			note_prefix(labels, stack_prefix(prefixes, thread, dump, STK_STATE_UNKNOWN),
				    *(const uint64_t *)id_table_find(&labels->of_thread, thread));
}

/* The names from the top group down. */
static void
make_path(struct stack_labels *labels, uint64_t group)
{
	uint32_t way[DEPTH_MOST], depth = 0;
	struct text_buffer path = { 0 };

	for (uint64_t at = group; depth < DEPTH_MOST; ) {
		const uint32_t *name = id_table_find(&labels->names, at);
		const uint64_t *parent = id_table_find(&labels->parents, at);

		if (at == 0 || name == NULL)
			break;
		way[depth++] = *name;
		at = parent == NULL ? 0 : *parent;
	}
	while (depth-- > 0) {
		add_text(&path, text_table_text(&labels->texts, way[depth]));
		if (depth > 0)
			add_char(&path, ';');
	}
	*(uint32_t *)id_table_at(&labels->paths, group) =
		text_table_number(&labels->texts, path.count == 0 ? text_from("(none)") : text_in(&path, 0));
	array_release(&path);
}

/* --- classes --- */

/* Inlined frames are several names in one, root first; other ';' were replaced. */
static void
add_frame(struct text_buffer *to, struct stk_text names)
{
	while (names.size > 0) {
		const char *last = memrchr(names.data, ';', names.size);
		size_t from = last == NULL ? 0 : (size_t)(last - names.data) + 1;

		add_string(to, to->count > 0 ? BETWEEN : "");
		add_text(to, text_of(names.data + from, names.size - from));
		names.size = from == 0 ? 0 : from - 1;
	}
}

static void
add_part(struct text_buffer *to, struct stk_text part)
{
	add_string(to, to->count > 0 && part.size > 0 ? BETWEEN : "");
	for (size_t i = 0; i < part.size; i++)
		add_char(to, part.data[i] == ';' ? ':' : part.data[i] == '\n' ? ' ' : part.data[i]);
}

/* The frames of a stack, leaf first, and the part of its class. */
static uint32_t
text_of_class(struct stack_labels *labels, const struct model *model, struct naming *naming, uint64_t stack,
	      uint64_t class)
{
	const uint64_t *number = id_table_find(&labels->part_of, class);
	const uint32_t *part = number == NULL || *number == 0 ? NULL : id_table_find(&labels->parts, *number);
	struct text_buffer text = { 0 };
	uint32_t result;

	for (int depth = 0; depth < DEPTH_MOST && stack != 0 && model_knows(model, STK_STACK, stack); depth++) {
		struct stk_stack row = model_stack(model, stack);

		add_frame(&text, naming_frame(naming, row.frame, false));
		stack = row.parent < stack ? row.parent : 0;
	}
	if (part != NULL)
		add_part(&text, text_table_text(&labels->texts, *part));
	result = text_table_number(&labels->texts, text.count == 0 ? text_from("(none)") : text_in(&text, 0));
	array_release(&text);
	return result;
}

/* Any stack of a class has the frames that make the class. */
static void
name_classes(struct stack_labels *labels, const struct model *model)
{
	struct naming *naming;
	uint64_t stack;

	naming_open(&naming, model, &(struct naming_options){ .fold = true });
	for (bool more = id_table_next(&labels->of_stack, 0, &stack); more;
		more = stack < UINT64_MAX && id_table_next(&labels->of_stack, stack + 1, &stack)) {
		uint64_t class = *(const uint64_t *)id_table_find(&labels->of_stack, stack);
		const uint32_t *name = id_table_find(&labels->names, class);
		uint32_t *path = name == NULL ? NULL : id_table_at(&labels->paths, *name);

		if (path != NULL && *path == 0)
			*path = text_of_class(labels, model, naming, stack, class);
	}
	naming_close(naming);
}

int
stack_labels_open(struct stack_labels **out, struct stream_file *file, unsigned stream, const struct model *model,
		  struct stack_prefixes *prefixes, struct stk_error *err)
{
	bool groups = prefixes != NULL;
	struct stack_labels *labels = *out = mem_new(1, sizeof *labels);
	uint64_t group;

	labels->groups = groups;
	labels->names.size = labels->paths.size = labels->parts.size = sizeof(uint32_t);
	labels->parents.size = labels->of_stack.size = labels->part_of.size = sizeof(uint64_t);
	labels->of_state.size = labels->of_thread.size = labels->of_prefix.size = sizeof(uint64_t);
	if (take_kind(labels, file, stream, groups ? STK_GROUP : STK_CLASS, err) < 0 ||
	    take_kind(labels, file, stream, groups ? STK_GROUP_OF_STACK : STK_CLASS_OF_STACK, err) < 0 ||
	    (groups && take_kind(labels, file, stream, STK_GROUP_OF_THREAD, err) < 0) ||
	    (!groups && take_kind(labels, file, stream, STK_PART, err) < 0))
		return -1;
	for (bool more = groups && id_table_next(&labels->names, 0, &group); more;
		more = group < UINT64_MAX && id_table_next(&labels->names, group + 1, &group))
		make_path(labels, group);
	if (groups) {
		join_states(labels);
		note_prefixes(labels, prefixes);
	} else {
		name_classes(labels, model);
	}
	return 0;
}

void
stack_labels_close(struct stack_labels *labels)
{
	if (labels == NULL)
		return;
	text_table_release(&labels->texts);
	array_release(&labels->links);
	id_table_clear(&labels->names);
	id_table_clear(&labels->parents);
	id_table_clear(&labels->paths);
	id_table_clear(&labels->parts);
	id_table_clear(&labels->part_of);
	id_table_clear(&labels->of_stack);
	id_table_clear(&labels->of_state);
	id_table_clear(&labels->of_thread);
	id_table_clear(&labels->of_prefix);
	free(labels);
}

bool
stack_labels_any(struct stack_labels *labels)
{
	uint64_t stack;

	return labels->has_threads || id_table_next(&labels->of_stack, 0, &stack);
}

struct stk_text
stack_label_class(const struct stack_labels *labels, struct stk_text name)
{
	uint32_t number = text_table_find(&labels->texts, name);
	const uint32_t *text = number == 0 || labels->groups ? NULL : id_table_find(&labels->paths, number);

	return text == NULL ? text_of("", 0) : text_table_text(&labels->texts, *text);
}

/* Of a stack, or of a thread without one; 0: none. */
static uint64_t
find_label(const struct stack_labels *labels, uint32_t prefix, uint32_t stack)
{
	bool of_thread = stack == 0 && labels->has_threads;
	const uint64_t *of = of_thread ? id_table_find(&labels->of_prefix, prefix)
				       : id_table_find(&labels->of_stack, stack);

	return of == NULL ? (of_thread ? BY_THREAD : 0) : *of;
}

static struct stk_text
text_or_none(const struct stack_labels *labels, const struct id_table *texts, uint64_t key)
{
	const uint32_t *text = id_table_find(texts, key);

	return text == NULL ? text_from("(none)") : text_table_text(&labels->texts, *text);
}

bool
stack_label_next(const struct stack_labels *labels, struct label_walk *walk, struct stk_text *label)
{
	uint64_t at = walk->begun ? walk->next : find_label(labels, walk->prefix, walk->stack);

	if (walk->begun && at == 0)
		return false;
	walk->begun = true;
	walk->next = 0;
	if (!labels->groups) {
		*label = text_or_none(labels, &labels->names, at);
	} else if (at == 0 || !IS_LIST(at)) {
		*label = text_from(at == BY_STATE ? "(by state)" : at == BY_THREAD ? "(by thread)" : "(none)");
	} else {
		*label = text_or_none(labels, &labels->paths, labels->links.at[at - 1].group);
		walk->next = labels->links.at[at - 1].next;
	}
	return true;
}
