/* SPDX-License-Identifier: MIT
 * scheme_generator: a group for each package or module that samples are in; packages are below the packages that they
 * begin with. */
#include "group/scheme_generator.h"

#include "base/config_text.h"
#include "base/memory.h"
#include "base/tally.h"
#include "group/scheme.h"
#include "group/scheme_files.h"
#include "model/name_mask.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 24

struct scheme_generator { bool modules, skip_platform; struct tally names; };

void
scheme_generator_open(struct scheme_generator **out, enum generated_groups of)
{
	*out = mem_new(1, sizeof **out);
	(*out)->modules = of == GENERATE_MODULES;
}

void
scheme_generator_skip_platform(struct scheme_generator *g)
{
	g->skip_platform = true;
}

void
scheme_generator_close(struct scheme_generator *g)
{
	if (g == NULL)
		return;
	tally_release(&g->names);
	free(g);
}

/* "com.acme.web" of "com.acme.web.Page.show": the elements that begin with a small letter, before one that does not;
 * empty for what has none. */
static struct stk_text
package_of(struct stk_text function)
{
	size_t end = 0;

	for (size_t from = 0; from < function.size; ) {
		const char *dot = memchr(function.data + from, '.', function.size - from);
		char first = function.data[from];

		if (dot == NULL || !((first >= 'a' && first <= 'z') || first == '_') ||
		    memchr(function.data + from, '(', (size_t)(dot - function.data) - from) != NULL)
			break;
		end = (size_t)(dot - function.data);
		from = end + 1;
	}
	return text_of(function.data, end);
}

static struct stk_text
base_name(struct stk_text path)
{
	const char *slash = path.size == 0 ? NULL : memrchr(path.data, '/', path.size);

	return slash == NULL ? path : text_of(slash + 1, (size_t)(path.data + path.size - slash - 1));
}

void
scheme_generator_add(struct scheme_generator *g, const struct model *model, uint64_t stack, uint64_t weight)
{
	uint32_t count = model_stack_frames(model, stack, NULL, 0), *frames = mem_new(count + 1, sizeof *frames);

	(void)model_stack_frames(model, stack, frames, count);
	for (uint32_t i = 0; i < count; i++) {
		struct stk_frame frame = model_frame(model, frames[i]);
		struct stk_text name = g->modules ? base_name(model_string(model, frame.module))
			: package_of(model_string(model, frame.function));

		if (g->skip_platform && is_platform_name(model_string(model, frame.function)))
			continue;
		if (name.size > 0 && name.data[0] != '[' && memchr(name.data, '/', name.size) == NULL)
			tally_add(&g->names, name, weight);
	}
	free(frames);
}

/* --- printing --- */

static int
compare_names(const void *a, const void *b)
{
	const struct stk_text *x = a, *y = b;
	int order = memcmp(x->data, y->data, x->size < y->size ? x->size : y->size);

	return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

static bool
is_package_below(struct stk_text name, struct stk_text above)
{
	return name.size > above.size && memcmp(name.data, above.data, above.size) == 0 && name.data[above.size] == '.';
}

/* What its generated member says. */
static void
add_member_pattern(struct text_buffer *to, const struct scheme_generator *g, struct stk_text name)
{
	add_string(to, g->modules ? "**" : "");
	add_text(to, name);
	add_string(to, g->modules ? "" : ".*");
}

static void
add_blanks(struct text_buffer *to, unsigned count)
{
	while (count-- > 0)
		add_char(to, ' ');
}

static void
add_group(struct text_buffer *to, const struct scheme_generator *g, struct stk_text name, unsigned indent)
{
	struct text_buffer member = { 0 };

	add_blanks(to, indent);
	add_string(to, "- name: ");
	add_yaml_text(to, name);
	add_char(to, '\n');
	add_blanks(to, indent);
	add_string(to, g->modules ? "  members: [{ module: " : "  members: [");
	add_member_pattern(&member, g, name);
	add_yaml_text(to, text_in(&member, 0));
	add_string(to, g->modules ? " }]\n" : "]\n");
	array_release(&member);
}

/* A group, and those below it. Returns the next one that is not below it. */
static size_t
add_tree(struct text_buffer *to, const struct scheme_generator *g, const struct stk_text *names, size_t count,
	 size_t at, unsigned depth)
{
	size_t next = at + 1;

	add_group(to, g, names[at], 2 + 4 * depth);
	if (g->modules || depth == DEPTH_MOST || next == count || !is_package_below(names[next], names[at]))
		return next;
	add_blanks(to, 4 * depth);
	add_string(to, "    children:\n");
	while (next < count && is_package_below(names[next], names[at]))
		next = add_tree(to, g, names, count, next, depth + 1);
	return next;
}

/* Whether a text is somewhere in the scheme. */
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

/* Whether the existing scheme has a group of this name anywhere, or its pattern in a group of another name: then that
 * one is kept. */
static bool
is_known(const struct scheme *known, const struct scheme_generator *g, struct stk_text name)
{
	struct text_buffer pattern = { 0 };
	bool found = false;

	for (size_t i = 0; i < known->groups.count && !found; i++)
		found = text_equal(known->groups.at[i].name, name);
	add_member_pattern(&pattern, g, name);
	found = found || has_text(config_root(known->configs.at[0]), text_in(&pattern, 0));
	array_release(&pattern);
	return found;
}

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

/* Where groups can be added to a scheme: at the end of its list of groups, indented as this one is; at the end of the
 * text without one. */
static int
find_end_of_groups(const struct scheme *known, size_t *place, unsigned *indent, struct stk_error *err)
{
	const struct config_node *groups = config_member(config_root(known->configs.at[0]), "groups");
	struct stk_text text = known->source;

	*place = text.size;
	*indent = 2;
	if (groups == NULL)
		return 0;
	if (groups->type != CONFIG_LIST || text.data[place_of_line(text, groups->line) + groups->column - 1] != '-')
		return stk_fail(err, STK_EUSAGE,
				"%.*s:%u:%u: new groups cannot be added to this list: expected a line '- name: ...' for each",
				(int)known->files.at[0].size, known->files.at[0].data, groups->line, groups->column);
	*indent = groups->column - 1;
	if (groups->next != NULL)
		*place = without_remarks(text, place_of_line(text, groups->next->key_line));
	return 0;
}

/* The new groups, as siblings of the old ones at the top. */
static int
print_update(struct scheme_generator *g, const char *path, const struct scheme_folders *folders,
	     const struct stk_text *names, size_t count, struct text_buffer *to, struct stk_error *err)
{
	struct scheme *known;
	struct stk_text text;
	size_t place;
	unsigned indent;
	int result = scheme_read_file(&known, path, scheme_file_find, (void *)(uintptr_t)folders, err);

	if (result == 0)
		result = find_end_of_groups(known, &place, &indent, err);
	if (result == 0) {
		text = known->source;
		add_bytes(to, text.data, place);
		if (place > 0 && text.data[place - 1] != '\n')
			add_char(to, '\n');
		if (config_member(config_root(known->configs.at[0]), "groups") == NULL)
			add_string(to, "groups:\n");
		for (size_t i = 0; i < count; i++)
			if (!is_known(known, g, names[i]))
				add_group(to, g, names[i], indent);
		add_bytes(to, text.data + place, text.size - place);
	}
	scheme_close(known);
	return result;
}

int
scheme_generator_print(struct scheme_generator *g, const char *update, const struct scheme_folders *folders,
		       struct text_buffer *to, struct stk_error *err)
{
	size_t count = g->names.texts.texts.count;
	struct stk_text *names = mem_new(count + 1, sizeof *names);
	int result = 0;

	if (count > 0)
		memcpy(names, g->names.texts.texts.at, count * sizeof *names);
	qsort(names, count, sizeof *names, compare_names);
	if (update != NULL) {
		result = print_update(g, update, folders, names, count, to, err);
	} else {
		add_format(to, "scheme: %ss\ndescription: a group for each %s of a recording\ngroups:\n",
			   g->modules ? "module" : "package", g->modules ? "module" : "package");
		for (size_t i = 0; i < count; )
			i = add_tree(to, g, names, count, i, 0);
	}
	free(names);
	return result;
}
