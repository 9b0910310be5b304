/* SPDX-License-Identifier: MIT
 * scheme_update: insertions by their place in the old text; those of one place in the order in which they were made. */
#include "group/scheme_update.h"

#include "base/memory.h"
#include "group/scheme.h"

#include <stdlib.h>
#include <string.h>

struct insertion { size_t place, number, at, size; };	/* its lines are in `lines` */

struct scheme_update {
	struct scheme *known;
	const struct config_node *root;
	struct text_buffer lines;
	ARRAY(struct insertion) insertions;
	const char *new_list;		/* one that was added at the end; NULL */
};

int
scheme_update_open(struct scheme_update **out, const char *path, const struct scheme_folders *folders,
		   struct stk_error *err)
{
	struct scheme *known;

	*out = NULL;
	if (scheme_read_file(&known, path, scheme_file_find, (void *)(uintptr_t)folders, err) < 0) {
		scheme_close(known);
		return -1;
	}
	*out = mem_new(1, sizeof **out);
	(*out)->known = known;
	(*out)->root = config_root(known->configs.at[0]);
	return 0;
}

void
scheme_update_close(struct scheme_update *u)
{
	if (u == NULL)
		return;
	scheme_close(u->known);
	array_release(&u->lines);
	array_release(&u->insertions);
	free(u);
}

/* --- what is there --- */

bool
scheme_update_has_group(const struct scheme_update *u, struct stk_text name)
{
	for (size_t i = 0; i < u->known->groups.count; i++)
		if (text_equal(u->known->groups.at[i].name, name))
			return true;
	return false;
}

static bool
has_text(const struct config_node *node, struct stk_text text)
{
	if (node->type == CONFIG_TEXT)
		return text_equal(node->text, text);
	for (const struct config_node *one = node->first; one != NULL; one = one->next)
		if (has_text(one, text))
			return true;
	return false;
}

bool
scheme_update_has_text(const struct scheme_update *u, struct stk_text text)
{
	return has_text(u->root, text);
}

static bool
is_list_of(const struct config_node *node, const struct stk_text *texts, size_t count)
{
	size_t i = 0;

	if (node->type != CONFIG_LIST || node->count != count)
		return false;
	for (const struct config_node *one = node->first; one != NULL; one = one->next, i++)
		if (one->type != CONFIG_TEXT || !text_equal(one->text, texts[i]))
			return false;
	return true;
}

static bool
has_list(const struct config_node *node, const struct stk_text *texts, size_t count)
{
	if (is_list_of(node, texts, count))
		return true;
	if (node->type == CONFIG_TEXT)
		return false;
	for (const struct config_node *one = node->first; one != NULL; one = one->next)
		if (has_list(one, texts, count))
			return true;
	return false;
}

bool
scheme_update_has_list(const struct scheme_update *u, const struct stk_text *texts, size_t count)
{
	return has_list(u->root, texts, count);
}

static bool
has_value(const struct config_node *map, const char *key, struct stk_text text)
{
	const struct config_node *value = config_member(map, key);

	return value != NULL && has_text(value, text);
}

static bool
has_file(const struct config_node *group, struct stk_text file, struct stk_text method)
{
	const struct config_node *members = config_member(group, "members");

	for (const struct config_node *one = members == NULL || members->type != CONFIG_LIST ? NULL : members->first;
	     one != NULL; one = one->next)
		if (one->type == CONFIG_MAP && has_value(one, "file", file) &&
		    (method.size == 0 || has_value(one, "method", method)))
			return true;
	return false;
}

/* The first group below a node that has the name, or without a name the file. */
static const struct config_node *
find_group(const struct config_node *node, struct stk_text name, struct stk_text file, struct stk_text method)
{
	const struct config_node *found = NULL, *called;

	if (node->type == CONFIG_TEXT)
		return NULL;
	called = node->type == CONFIG_MAP ? config_member(node, "name") : NULL;
	if (called != NULL && called->type == CONFIG_TEXT &&
	    (name.size > 0 ? text_equal(called->text, name) : has_file(node, file, method)))
		return node;
	for (const struct config_node *one = node->first; one != NULL && found == NULL; one = one->next)
		found = find_group(one, name, file, method);
	return found;
}

const struct config_node *
scheme_update_group(const struct scheme_update *u, struct stk_text name)
{
	struct stk_text none = { "", 0 };

	return name.size == 0 ? NULL : find_group(u->root, name, none, none);
}

const struct config_node *
scheme_update_group_of_file(const struct scheme_update *u, struct stk_text file, struct stk_text method)
{
	return find_group(u->root, text_of("", 0), file, method);
}

const char *
scheme_update_list(const struct scheme_update *u)
{
	bool groups = config_member(u->root, "groups") != NULL, siblings = config_member(u->root, "siblings") != NULL;

	return groups && !siblings ? "groups" : "siblings";
}

/* --- where to add --- */

/* The place of a line of a text, from 1. */
static size_t
place_of_line(struct stk_text text, unsigned line)
{
	const char *at = text.data, *end = at + text.size;

	for (; line > 1 && at < end; line--) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		at = newline == NULL ? end : newline + 1;
	}
	return (size_t)(at - text.data);
}

/* Without the lines at its end that are empty or comments. */
static size_t
without_remarks(struct stk_text text, size_t size)
{
	while (size > 0) {
		const char *from = memrchr(text.data, '\n', size - 1), *at;

		at = from = from == NULL ? text.data : from + 1;
		while (at < text.data + size && (*at == ' ' || *at == '\r' || *at == '\n'))
			at++;
		if (at < text.data + size && *at != '#')
			break;
		size = (size_t)(from - text.data);
	}
	return size;
}

static void
insert(struct scheme_update *u, size_t place, unsigned indent, struct stk_text lines)
{
	struct insertion *new = array_push(&u->insertions);

	*new = (struct insertion){ .place = place, .number = u->insertions.count, .at = u->lines.count };
	while (lines.size > 0) {
		struct stk_text line = text_take(&lines, '\n');

		for (unsigned i = 0; i < indent; i++)
			add_char(&u->lines, ' ');
		add_text(&u->lines, line);
		add_char(&u->lines, '\n');
	}
	new->size = u->lines.count - new->at;
}

/* A list that has a line, or several, for each of what it contains. */
static bool
has_lines(const struct scheme_update *u, const struct config_node *list)
{
	struct stk_text text = u->known->source;
	size_t place = list->type != CONFIG_LIST || list->count == 0
		? text.size : place_of_line(text, list->line) + list->column - 1;

	return place < text.size && text.data[place] == '-';
}

static int
fail_list(const struct scheme_update *u, const struct config_node *node, const char *what, struct stk_error *err)
{
	struct stk_text file = u->known->files.at[0];

	return stk_fail(err, STK_EUSAGE, "%.*s:%u:%u: %s", (int)file.size, file.data, node->line,
			node->column, what);
}

int
scheme_update_add_group(struct scheme_update *u, const char *list, struct stk_text lines, struct stk_error *err)
{
	const struct config_node *groups = config_member(u->root, list);
	struct stk_text text = u->known->source;

	if (groups == NULL) {
		struct text_buffer begin = { 0 };

		if (u->new_list == NULL || strcmp(u->new_list, list) != 0)
			add_format(&begin, "%s:\n", list);
		u->new_list = list;
		if (begin.count > 0)
			insert(u, text.size, 0, text_in(&begin, 0));
		insert(u, text.size, 2, lines);
		array_release(&begin);
		return 0;
	}
	if (!has_lines(u, groups))
		return fail_list(u, groups,
				 "new groups cannot be added to this list: expected a line '- name: ...' for each", err);
	insert(u, groups->next == NULL ? text.size : without_remarks(text, place_of_line(text, groups->next->key_line)),
	       groups->column - 1, lines);
	return 0;
}

int
scheme_update_add_member(struct scheme_update *u, const struct config_node *group, struct stk_text line,
			 struct stk_error *err)
{
	const struct config_node *members = config_member(group, "members");

	if (members == NULL || !has_lines(u, members) || members->line == group->line)
		return fail_list(u, members == NULL ? group : members,
				 "new members cannot be added to this group: expected a line '- ...' for each", err);
	insert(u, place_of_line(u->known->source, members->line), members->column - 1, line);
	return 0;
}

/* --- printing --- */

static int
compare_insertions(const void *a, const void *b)
{
	const struct insertion *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

void
scheme_update_print(struct scheme_update *u, struct text_buffer *to)
{
	struct stk_text text = u->known->source;
	size_t done = 0;

	if (u->insertions.count > 1)
		qsort(u->insertions.at, u->insertions.count, sizeof *u->insertions.at, compare_insertions);
	for (size_t i = 0; i < u->insertions.count; i++) {
		const struct insertion *one = &u->insertions.at[i];

		add_bytes(to, text.data + done, one->place - done);
		done = one->place;
		if (done > 0 && to->count > 0 && to->at[to->count - 1] != '\n')
			add_char(to, '\n');
		add_bytes(to, u->lines.at + one->at, one->size);
	}
	add_bytes(to, text.data + done, text.size - done);
}
