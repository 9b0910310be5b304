/* SPDX-License-Identifier: MIT
 * scheme_generator: a group for each package or module that samples are in; packages are below the packages that they
 * begin with. */
#include "group/scheme_generator.h"

#include "base/memory.h"
#include "base/tally.h"
#include "model/frame_identity.h"
#include "model/name_mask.h"

#include <ctype.h>
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

/* "net::http::" of "net::http::Server<T>::serve": up to the last "::", or before the first element that is not
 * simply a name; empty for what has none. A class of C++ cannot be told from a namespace. */
static struct stk_text
namespace_of(struct stk_text function)
{
	size_t end = 0;

	for (size_t at = 0; at + 2 < function.size; at++) {
		unsigned char c = (unsigned char)function.data[at];

		if (c == ':' && function.data[at + 1] == ':') {
			end = ++at + 1;
			continue;
		}
		if (!isalnum(c) && c != '_' && c < 128)
			break;
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
			: package_of(clone_origin(model_string(model, frame.function)));

		if (!g->modules && name.size == 0)
			name = namespace_of(model_string(model, frame.function));

		if (g->skip_platform && is_platform_name(model_string(model, frame.function)))
			continue;
		if (name.size > 0 && name.data[0] != '[' && (!g->modules || memchr(name.data, '/', name.size) == NULL))
			tally_add(&g->names, name, weight);
	}
	free(frames);
}

size_t
scheme_generator_names(const struct scheme_generator *g)
{
	return g->names.texts.texts.count;
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
is_namespace(struct stk_text name)
{
	return name.size > 2 && name.data[name.size - 1] == ':';
}

/* Java has dots, Go slashes between packages. */
static bool
is_package_below(struct stk_text name, struct stk_text above)
{
	return name.size > above.size && memcmp(name.data, above.data, above.size) == 0 &&
		(is_namespace(above) || name.data[above.size] == '.' || name.data[above.size] == '/');
}

/* What its group is called: without slashes, which separate groups; not as the group of another package is. */
static struct text_buffer
name_of_group(const struct scheme_generator *g, struct stk_text name)
{
	struct text_buffer called = { 0 };

	for (size_t i = 0; i < name.size - (is_namespace(name) ? 2 : 0); i++)
		add_char(&called, name.data[i] == '/' ? '.' : name.data[i]);
	if (!text_equal(text_in(&called, 0), name) && text_table_find(&g->names.texts, text_in(&called, 0)) != 0)
		add_string(&called, is_namespace(name) ? " (::)" : " (path)");
	return called;
}

/* What its generated member says. */
static void
add_member_pattern(struct text_buffer *to, const struct scheme_generator *g, struct stk_text name)
{
	add_string(to, g->modules ? "**" : "");
	add_text(to, name);
	add_string(to, g->modules ? "" : is_namespace(name) ? "*" : ".*");
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
	struct text_buffer member = { 0 }, called = name_of_group(g, name);

	add_blanks(to, indent);
	add_string(to, "- name: ");
	add_yaml_text(to, text_in(&called, 0));
	add_char(to, '\n');
	add_blanks(to, indent);
	add_string(to, g->modules ? "  members: [{ module: " : "  members: [");
	add_member_pattern(&member, g, name);
	add_yaml_text(to, text_in(&member, 0));
	add_string(to, g->modules ? " }]\n" : "]\n");
	array_release(&member);
	array_release(&called);
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

/* Whether the existing scheme has a group of this name anywhere, or its pattern in a group of another name: then that
 * one is kept. */
static bool
is_known(const struct scheme_update *known, const struct scheme_generator *g, struct stk_text name)
{
	struct text_buffer pattern = { 0 }, called = name_of_group(g, name);
	bool found;

	add_member_pattern(&pattern, g, name);
	found = scheme_update_has_group(known, text_in(&called, 0)) ||
		scheme_update_has_text(known, text_in(&pattern, 0));
	array_release(&pattern);
	array_release(&called);
	return found;
}

/* The new groups, as siblings of the old ones at the top. */
static int
update_groups(const struct scheme_generator *g, struct scheme_update *update, const struct stk_text *names,
	      size_t count, struct stk_error *err)
{
	struct text_buffer lines = { 0 };
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++) {
		if (is_known(update, g, names[i]))
			continue;
		lines.count = 0;
		add_group(&lines, g, names[i], 0);
		result = scheme_update_add_group(update, "groups", text_in(&lines, 0), err);
	}
	array_release(&lines);
	return result;
}

int
scheme_generator_print(struct scheme_generator *g, struct scheme_update *update, struct text_buffer *to,
		       struct stk_error *err)
{
	size_t count = g->names.texts.texts.count;
	struct stk_text *names = mem_new(count + 1, sizeof *names);
	int result = 0;

	if (count > 0)
		memcpy(names, g->names.texts.texts.at, count * sizeof *names);
	qsort(names, count, sizeof *names, compare_names);
	if (update != NULL) {
		result = update_groups(g, update, names, count, err);
	} else {
		add_format(to, "scheme: %ss\ndescription: a group for each %s of a recording\ngroups:\n",
			   g->modules ? "module" : "package", g->modules ? "module" : "package");
		for (size_t i = 0; i < count; )
			i = add_tree(to, g, names, count, i, 0);
	}
	free(names);
	return result;
}
