/* SPDX-License-Identifier: MIT
 * owner_generator: files of frames, each given to an owner; groups of files by owner. */
#include "group/owner_generator.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "group/code_owners.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file, as a path, and what a scheme calls its frames. */
struct source_file { struct stk_text path, file, package; };

struct owner_generator {
	struct text_table known;		/* paths */
	struct text_table texts;
	ARRAY(struct source_file) files;
};

void
owner_generator_open(struct owner_generator **out)
{
	*out = mem_new(1, sizeof **out);
}

void
owner_generator_close(struct owner_generator *g)
{
	if (g == NULL)
		return;
	text_table_release(&g->known);
	text_table_release(&g->texts);
	array_release(&g->files);
	free(g);
}

size_t
owner_generator_files(const struct owner_generator *g)
{
	return g->files.count;
}

size_t
owner_generator_absolute(const struct owner_generator *g)
{
	size_t count = 0;

	for (size_t f = 0; f < g->files.count; f++)
		count += g->files.at[f].path.data[0] == '/';
	return count;
}

static struct stk_text
keep(struct owner_generator *g, struct stk_text text)
{
	return text_table_text(&g->texts, text_table_number(&g->texts, text));
}

/* The package of a Java function: all before class and method. */
static struct stk_text
package_of(struct stk_text function)
{
	const char *dot = function.size == 0 ? NULL : memrchr(function.data, '.', function.size);
	const char *class = dot == NULL ||
		dot == function.data ? NULL : memrchr(function.data, '.', (size_t)(dot - function.data));

	return class == NULL ? text_of("", 0) : text_of(function.data, (size_t)(class - function.data));
}

void
owner_generator_add(struct owner_generator *g, const struct model *model, uint64_t stack)
{
	struct text_buffer path = { 0 };

	for (uint64_t at = stack; at != 0; ) {
		struct stk_stack row = model_stack(model, at);
		struct stk_frame frame = model_frame(model, row.frame);
		struct stk_text file = model_string(model, frame.file), package = text_of("", 0);
		uint32_t before = (uint32_t)g->known.texts.count;

		at = row.parent < at ? row.parent : 0;
		if (file.size == 0)
			continue;
		path.count = 0;
		if (frame.form == STK_FORM_JAVA) {
			package = package_of(model_string(model, frame.function));
			for (size_t i = 0; i < package.size; i++)
				add_char(&path, package.data[i] == '.' ? '/' : package.data[i]);
			if (package.size > 0)
				add_char(&path, '/');
		}
		add_text(&path, file);
		if (text_table_number(&g->known, text_in(&path, 0)) > before)
			*array_push(&g->files) = (struct source_file){
				keep(g, text_in(&path, 0)), keep(g, file), keep(g, package)
			};
	}
	array_release(&path);
}

/* --- printing --- */

/* A text as a pattern. */
static void
add_pattern(struct text_buffer *to, struct stk_text text)
{
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] == '{' || text.data[i] == '\\')
			add_char(to, '\\');
		add_char(to, text.data[i]);
	}
}

struct owned { struct stk_text owner; const struct source_file *file; };

static int
compare_texts(struct stk_text x, struct stk_text y)
{
	int order = memcmp(x.data, y.data, x.size < y.size ? x.size : y.size);

	return order != 0 ? order : (x.size > y.size) - (x.size < y.size);
}

static int
compare_owned(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;
	int order = compare_texts(x->owner, y->owner);

	return order != 0 ? order : compare_texts(x->file->path, y->file->path);
}

static void
add_owner_name(struct text_buffer *to, struct stk_text owner)
{
	for (size_t c = 0; c < owner.size; c++)
		add_char(to, owner.data[c] == '/' || (c == 0 && owner.data[c] == '(') ? '-' : owner.data[c]);
}

/* What a member says of a file; method: empty unless it is of a package. */
static void
describe_file(const struct source_file *file, struct text_buffer *pattern, struct text_buffer *method)
{
	pattern->count = method->count = 0;
	add_pattern(pattern, file->file);
	if (file->package.size > 0) {
		add_pattern(method, file->package);
		add_string(method, ".*");
	}
}

static void
add_file(struct text_buffer *to, const struct source_file *file, unsigned indent)
{
	struct text_buffer pattern = { 0 }, method = { 0 };

	describe_file(file, &pattern, &method);
	while (indent-- > 0)
		add_char(to, ' ');
	add_string(to, "- { file: ");
	add_yaml_text(to, text_in(&pattern, 0));
	if (method.count > 0) {
		add_string(to, ", method: ");
		add_yaml_text(to, text_in(&method, 0));
	}
	add_string(to, " }\n");
	array_release(&pattern);
	array_release(&method);
}

/* The files of one owner, as a group. */
static void
add_group(struct text_buffer *to, const struct owned *owned, size_t count, unsigned indent)
{
	struct text_buffer name = { 0 };

	add_owner_name(&name, owned->owner);
	add_format(to, "%*s- name: ", (int)indent, "");
	add_yaml_text(to, text_in(&name, 0));
	add_format(to, "\n%*s  members:\n", (int)indent, "");
	for (size_t i = 0; i < count; i++)
		add_file(to, owned[i].file, indent + 4);
	array_release(&name);
}

/* The group of an existing scheme that has a file. */
static const struct config_node *
group_of_file(const struct scheme_update *update, const struct source_file *file)
{
	struct text_buffer pattern = { 0 }, method = { 0 };
	const struct config_node *group;

	describe_file(file, &pattern, &method);
	group = scheme_update_group_of_file(update, text_in(&pattern, 0), text_in(&method, 0));
	array_release(&pattern);
	array_release(&method);
	return group;
}

/* The group of an existing scheme that is an owner's: by its name, or, as it may have been given another, by the first
 * of the files that any group has. */
static const struct config_node *
group_of_owner(const struct scheme_update *update, const struct owned *owned, size_t count)
{
	struct text_buffer name = { 0 };
	const struct config_node *group;

	add_owner_name(&name, owned->owner);
	group = scheme_update_group(update, text_in(&name, 0));
	for (size_t i = 0; i < count && group == NULL; i++)
		group = group_of_file(update, owned[i].file);
	array_release(&name);
	return group;
}

/* A file that some group has stays there. */
static int
update_owner(struct scheme_update *update, const struct owned *owned, size_t count, struct stk_error *err)
{
	const struct config_node *group = group_of_owner(update, owned, count);
	struct text_buffer lines = { 0 };
	int result = 0;

	if (group == NULL) {
		add_group(&lines, owned, count, 0);
		result = scheme_update_add_group(update, scheme_update_list(update), text_in(&lines, 0), err);
	}
	for (size_t i = 0; i < count && group != NULL && result == 0; i++) {
		if (group_of_file(update, owned[i].file) != NULL)
			continue;
		lines.count = 0;
		add_file(&lines, owned[i].file, 0);
		result = scheme_update_add_member(update, group, text_in(&lines, 0), err);
	}
	array_release(&lines);
	return result;
}

/* One group per owner, one member per file. */
static int
print_owned(struct owned *owned, size_t count, const char *what, struct scheme_update *update, struct text_buffer *to,
	    struct stk_error *err)
{
	size_t next;

	if (count > 0)
		qsort(owned, count, sizeof *owned, compare_owned);
	if (update == NULL)
		add_format(to, "scheme: owners\ndescription: whose code it is, %s\nsiblings:\n", what);
	for (size_t i = 0; i < count; i = next) {
		for (next = i + 1; next < count && text_equal(owned[next].owner, owned[i].owner); next++)
			;
		if (update == NULL)
			add_group(to, owned + i, next - i, 2);
		else if (update_owner(update, owned + i, next - i, err) < 0)
			return -1;
	}
	return 0;
}

/* The file's path in the repository: below the root when it is one of a package. An absolute root is the folder that
 * the repository was built in: an absolute path elsewhere is not of the repository: NULL. */
static char *
path_of(const struct source_file *file, const char *root)
{
	const char *folder = file->package.size > 0 && *root != '/' ? root : "", *below;
	size_t length = strlen(folder), size = length + file->path.size + 2;
	char *path = mem_new(size, 1);

	(void)snprintf(path, size, "%s%s%.*s", folder, length > 0 && folder[length - 1] != '/' ? "/" : "",
		       (int)file->path.size, file->path.data);
	if (*root != '/' || *path != '/')
		return path;
	below = path_below(path, root);
	if (below != NULL)
		memmove(path, below, strlen(below) + 1);
	else
		free(path);
	return below != NULL ? path : NULL;
}

/* --- CODEOWNERS --- */

int
owner_generator_print_codeowners(struct owner_generator *g, const char *path, const char *root,
				 struct scheme_update *update, struct text_buffer *to, size_t *count,
				 struct stk_error *err)
{
	struct code_owners *owners;
	ARRAY(struct owned) owned = { 0 };
	int result = code_owners_open(&owners, path, err);

	for (size_t f = 0; result == 0 && f < g->files.count; f++) {
		char *full = path_of(&g->files.at[f], root);
		struct stk_text owner = full == NULL ? text_of("", 0) : code_owners_of(owners, full);

		if (owner.size > 0)
			*array_push(&owned) = (struct owned){ owner, &g->files.at[f] };
		free(full);
	}
	if (result == 0)
		result = print_owned(owned.at, owned.count, "as CODEOWNERS says", update, to, err);
	*count = owned.count;
	code_owners_close(owners);
	array_release(&owned);
	return result;
}

/* --- history --- */

int
owner_generator_print_history(const struct owner_generator *g, const struct file_history *history, const char *root,
			      struct scheme_update *update, struct text_buffer *to, size_t *count,
			      struct stk_error *err)
{
	ARRAY(struct owned) owned = { 0 };
	int result;

	for (size_t f = 0; f < g->files.count; f++) {
		char *path = path_of(&g->files.at[f], root);
		struct stk_text team = path == NULL ? text_of("", 0) : file_history_team(history, text_from(path));

		if (team.size > 0)
			*array_push(&owned) = (struct owned){ team, &g->files.at[f] };
		free(path);
	}
	result = print_owned(owned.at, owned.count, "as the history shows", update, to, err);
	*count = owned.count;
	array_release(&owned);
	return result;
}
