/* SPDX-License-Identifier: MIT
 * scheme: from YAML nodes to groups and members. Every unknown word is an error, reported with its place. */
#include "group/scheme.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define GROUPS_MOST   100000
#define INCLUDES_MOST 32		/* one inside another */

struct reading {
	struct scheme *scheme;
	scheme_find_function *find;
	void *context;
	const char *paths[INCLUDES_MOST];	/* being read */
	unsigned depth;
	uint32_t file;				/* the current one, in scheme->files */
	const struct config_node *included;	/* texts of included schemes that the first file carries, or NULL */
	struct stk_error *err;
};

/* --- messages --- */

static int
fail_at(const struct reading *r, unsigned line, unsigned column, const char *what, struct stk_text text,
	const char *expected)
{
	struct stk_text file = r->scheme->files.at[r->file];

	if (text.size > 60)
		text.size = 60;
	return stk_fail(r->err, STK_EUSAGE, "%.*s:%u:%u: %s%s%.*s%s%s%s", (int)file.size, file.data, line, column, what,
			text.size > 0 ? " '" : "", (int)text.size, text.data,
			text.size > 0 ? "'" : "", *expected == '\0' ? "" : ": expected ", expected);
}

static int
fail_node(const struct reading *r, const struct config_node *node, const char *what, const char *expected)
{
	return fail_at(r, node->line, node->column, what, node->type == CONFIG_TEXT ? node->text : text_of("", 0),
		       expected);
}

static int
fail_key(const struct reading *r, const struct config_node *node, const char *expected)
{
	return fail_at(r, node->key_line, node->key_column, "unknown key", node->key, expected);
}

/* A member that must be a text. */
static int
read_text(const struct reading *r, const struct config_node *node, struct stk_text *to, const char *expected)
{
	if (node->type != CONFIG_TEXT || node->text.size == 0)
		return fail_node(r, node, node->type == CONFIG_TEXT ? "nothing" : "a list or a map", expected);
	*to = node->text;
	return 0;
}

/* --- patterns --- */

static int
add_pattern(const struct reading *r, const struct config_node *node, struct atom *to, const char *expected)
{
	struct stk_error why = { 0 };
	struct stk_text text;
	int64_t number;

	if (read_text(r, node, &text, expected) < 0)
		return -1;
	number = name_automaton_add(r->scheme->names[to->part], text, &why);
	if (number < 0) {
		int result = fail_at(r, node->line, node->column, why.text, text_of("", 0), "");

		stk_error_clear(&why);
		return result;
	}
	*array_push(&to->patterns) = (uint32_t)number;
	return 0;
}

/* A pattern, or a list of which any may match. */
static int
read_atom(const struct reading *r, const struct config_node *node, struct atom *to, const char *expected)
{
	if (node->type == CONFIG_TEXT)
		return add_pattern(r, node, to, expected);
	if (node->type != CONFIG_LIST || node->count == 0)
		return fail_node(r, node, node->type == CONFIG_MAP ? "a map" : "an empty list", expected);
	for (const struct config_node *one = node->first; one != NULL; one = one->next)
		if (add_pattern(r, one, to, expected) < 0)
			return -1;
	return 0;
}

/* From the root to the leaf, "..." for any frames between; the last is the member's own frame. */
static int
read_sequence(const struct reading *r, const struct config_node *node, struct scheme_member *member)
{
	static const char expected[] = "a list of methods, root first, with '...' for any frames between";

	if (node->type != CONFIG_LIST || node->count == 0)
		return fail_node(r, node, "not a list", expected);
	for (const struct config_node *one = node->first; one != NULL; one = one->next) {
		struct atom *atom = &member->parts[PART_METHOD];

		if (one->type == CONFIG_TEXT && text_is(one->text, "...")) {
			if (member->before.count == 0 || one->next == NULL)
				return fail_node(r, one, "a gap (...) at an end", "frames on both sides of '...'");
			member->gap.at[member->gap.count - 1] = true;
			continue;
		}
		if (one->next != NULL) {
			atom = array_push(&member->before);
			*atom = (struct atom){ .part = PART_METHOD };
			*array_push(&member->gap) = false;
		}
		if (read_atom(r, one, atom, expected) < 0)
			return -1;
	}
	return 0;
}

/* --- members --- */

static struct scheme_member *
new_member(struct reading *r, uint32_t group, unsigned line)
{
	struct scheme_member *member = array_push(&r->scheme->members);

	*member = (struct scheme_member){ .group = group, .file = r->file, .line = line };
	for (unsigned p = 0; p < MEMBER_PARTS; p++)
		member->parts[p].part = (enum member_part)p;
	if (group != OF_LIBRARIES)
		r->scheme->groups.at[group - 1].members++;
	return member;
}

static int
read_member_key(struct reading *r, const struct config_node *node, struct scheme_member *member)
{
	static const char *const parts[MEMBER_PARTS] = { "method", "module", "file" },
		*const contexts[CONTEXTS] = { "caller", "callee", "under", "over" };

	for (unsigned p = 0; p < MEMBER_PARTS; p++)
		if (text_is(node->key, parts[p]))
			return read_atom(r, node, &member->parts[p], "a pattern, or a list of them");
	if (member->group == OF_LIBRARIES)	/* whatever is around the frame */
		return fail_key(r, node, "method, module or file");
	for (unsigned c = 0; c < CONTEXTS; c++)
		if (text_is(node->key, contexts[c]))
			return read_atom(r, node, &member->contexts[c], "a pattern of methods, or a list of them");
	if (text_is(node->key, "stack"))
		return read_sequence(r, node, member);
	if (text_is(node->key, "thread")) {
		struct stk_text module = text_from(MODULE_OF_THREADS);
		int64_t number = name_automaton_add(r->scheme->names[PART_MODULE], module, r->err);

		*array_push(&member->parts[PART_MODULE].patterns) = (uint32_t)number;
		r->scheme->asks_threads = true;
		return read_atom(r, node, &member->parts[PART_METHOD],
				 "a pattern of threads without a stack, or a list of them");
	}
	if (text_is(node->key, "state")) {
		struct stk_text module = text_from(MODULE_OF_STATES);
		int64_t number = name_automaton_add(r->scheme->names[PART_MODULE], module, r->err);

		*array_push(&member->parts[PART_MODULE].patterns) = (uint32_t)number;
		r->scheme->asks_states = true;
		return read_atom(r, node, &member->parts[PART_METHOD], "a state such as blocked, or a list of them");
	}
	return fail_key(r, node, "method, module, file, thread, state, caller, callee, under, over or stack");
}

static int
read_member(struct reading *r, const struct config_node *node, uint32_t group)
{
	struct scheme_member *member = new_member(r, group, node->line);

	if (node->type == CONFIG_TEXT || (node->type == CONFIG_LIST && node->count > 0))
		return read_atom(r, node, &member->parts[PART_METHOD], "a pattern of methods, or a list of them");
	if (node->type != CONFIG_MAP || node->count == 0)
		return fail_node(r, node, "not a member",
				 "a pattern of methods, or a map with method, module, file and so on");
	for (const struct config_node *one = node->first; one != NULL; one = one->next)
		if (read_member_key(r, one, member) < 0)
			return -1;
	if (member->parts[0].patterns.count + member->parts[1].patterns.count + member->parts[2].patterns.count == 0)
		return fail_node(r, node, "a member that names no frame",
				 "method, module or file beside its conditions");
	return 0;
}

static int
read_members(struct reading *r, const struct config_node *node, uint32_t group)
{
	if (node->type != CONFIG_LIST)
		return node->type == CONFIG_TEXT &&
			node->text.size == 0 ? fail_node(r, node, "nothing", "a list of members")
				: read_member(r, node, group);
	for (const struct config_node *one = node->first; one != NULL; one = one->next)
		if (read_member(r, one, group) < 0)
			return -1;
	return 0;
}

/* --- groups --- */

static int read_groups(struct reading *r, const struct config_node *node, uint32_t parent, bool exclusive);

static int
read_number(const struct reading *r, const struct config_node *node, int64_t *to)
{
	char *end;

	if (node->type == CONFIG_TEXT && node->text.size > 0) {
		*to = strtoll(node->text.data, &end, 10);
		if (*end == '\0' && *to >= -1000000 && *to <= 1000000)
			return 0;
	}
	return fail_node(r, node, "not a number", "a whole number, such as 10 or -1");
}

static int
read_yes(const struct reading *r, const struct config_node *node, bool *to)
{
	bool yes = node->type == CONFIG_TEXT && (text_is(node->text, "yes") || text_is(node->text, "true"));

	if (!yes && !(node->type == CONFIG_TEXT && (text_is(node->text, "no") || text_is(node->text, "false"))))
		return fail_node(r, node, "neither yes nor no", "yes or no");
	*to = yes;
	return 0;
}

static int
read_colour(const struct reading *r, const struct config_node *node, struct stk_text *to)
{
	if (read_text(r, node, to, "a colour such as #4e79a7") < 0)
		return -1;
	if (to->size == 7 && to->data[0] == '#' && strspn(to->data + 1, "0123456789abcdefABCDEF") == 6)
		return 0;
	return fail_node(r, node, "not a colour", "# and six hexadecimal digits");
}

static int
read_events(const struct reading *r, const struct config_node *node, struct scheme_group *group)
{
	if (node->type != CONFIG_MAP || node->count == 0)
		return fail_node(r, node, "not a pair of events or a point", "a map with start and stop, or point");
	for (const struct config_node *one = node->first; one != NULL; one = one->next) {
		struct stk_text *to = NULL;

		if (text_is(one->key, "start"))
			to = &group->start;
		else if (text_is(one->key, "stop"))
			to = &group->stop;
		else if (text_is(one->key, "point"))
			to = &group->point;
		if (to == NULL)
			return fail_key(r, one, "start, stop or point");
		if (read_text(r, one, to, "the name of an event") < 0)
			return -1;
	}
	if ((group->start.size == 0) != (group->stop.size == 0))
		return fail_node(r, node, "only one of start and stop", "start and stop, both");
	return 0;
}

static int
read_group_key(struct reading *r, const struct config_node *node, uint32_t number)
{
	struct scheme_group *group = &r->scheme->groups.at[number - 1];

	if (text_is(node->key, "name"))
		return 0;		/* read before */
	if (text_is(node->key, "members"))
		return read_members(r, node, number);
	if (text_is(node->key, "priority"))
		return read_number(r, node, &group->priority);
	if (text_is(node->key, "colour") || text_is(node->key, "color"))
		return read_colour(r, node, &group->colour);
	if (text_is(node->key, "description"))
		return read_text(r, node, &group->description, "a text");
	if (text_is(node->key, "owner"))
		return read_text(r, node, &group->owner, "a text");
	if (text_is(node->key, "events"))
		return read_events(r, node, group);
	if (text_is(node->key, "exclusive"))
		return read_yes(r, node, &group->exclusive);
	if (text_is(node->key, "children"))
		return read_groups(r, node, number, false);
	if (text_is(node->key, "siblings"))
		return read_groups(r, node, number, true);
	return fail_key(r, node,
			"name, members, children, siblings, priority, events, exclusive, colour, description or owner");
}

static uint64_t
hash_name(uint32_t parent, struct stk_text name)
{
	return XXH3_64bits_withSeed(name.data, name.size, parent);
}

/* 0 when there is none. */
static uint32_t
group_named(const struct scheme *scheme, uint32_t parent, struct stk_text name)
{
	uint64_t hash = hash_name(parent, name);
	uint32_t at = hash_map_start(&scheme->by_name, hash), group;

	while ((group = hash_map_next(&scheme->by_name, hash, &at)) != 0)
		if (scheme->groups.at[group - 1].parent == parent &&
		    text_equal(scheme->groups.at[group - 1].name, name))
			return group;
	return 0;
}

static int
read_name(const struct reading *r, const struct config_node *node, uint32_t parent, struct stk_text *name)
{
	const struct config_node *member = config_member(node, "name");

	if (node->type != CONFIG_MAP)
		return fail_node(r, node, "not a group", "a map with name and members");
	if (member == NULL)
		return fail_node(r, node, "a group without a name", "name: and what it is called");
	if (read_text(r, member, name, "what the group is called") < 0)
		return -1;
	if (memchr(name->data, '/', name->size) != NULL || memchr(name->data, '\t', name->size) != NULL ||
	    memchr(name->data, '\n', name->size) != NULL || name->data[0] == '(')
		return fail_node(r, member, "a name with a slash, a tab, a line end, or a parenthesis at its beginning",
				 "one name; the groups below it go below children:");
	if (group_named(r->scheme, parent, *name) != 0)
		return fail_at(r, member->line, member->column, "a second group", *name,
			       "another name: groups of one parent differ");
	return 0;
}

static int
read_group(struct reading *r, const struct config_node *node, uint32_t parent, bool exclusive)
{
	struct scheme *scheme = r->scheme;
	struct scheme_group group = { .name = { "", 0 }, .parent = parent, .file = r->file, .line = node->line,
		.column = node->column, .exclusive = exclusive };
	uint32_t number = (uint32_t)scheme->groups.count + 1;

	if (read_name(r, node, parent, &group.name) < 0)
		return -1;
	if (number > GROUPS_MOST)
		return fail_node(r, node, "more than 100000 groups", "fewer");
	group.path = group.name;
	if (parent != 0) {
		struct stk_text above = scheme->groups.at[parent - 1].path;
		char *path = arena_alloc(scheme->texts, above.size + 1 + group.name.size + 1);

		memcpy(path, above.data, above.size);
		path[above.size] = '/';
		memcpy(path + above.size + 1, group.name.data, group.name.size);
		group.path = text_of(path, above.size + 1 + group.name.size);
	}
	*array_push(&scheme->groups) = group;
	hash_map_put(&scheme->by_name, hash_name(parent, group.name), number);
	for (const struct config_node *one = node->first; one != NULL; one = one->next)
		if (read_group_key(r, one, number) < 0)
			return -1;
	return 0;
}

static int
read_groups(struct reading *r, const struct config_node *node, uint32_t parent, bool exclusive)
{
	if (node->type != CONFIG_LIST)
		return fail_node(r, node, "not a list", "a list of groups");
	for (const struct config_node *one = node->first; one != NULL; one = one->next)
		if (read_group(r, one, parent, exclusive) < 0)
			return -1;
	return 0;
}

/* --- examples, includes, the whole --- */

static int
read_examples(struct reading *r, const struct config_node *node)
{
	if (node->type != CONFIG_LIST)
		return fail_node(r, node, "not a list", "a list of examples: stack and group");
	for (const struct config_node *one = node->first; one != NULL; one = one->next) {
		const struct config_node *stack = config_member(one, "stack"), *group = config_member(one, "group");
		struct scheme_example example = { .file = r->file, .line = one->line };

		if (stack == NULL || group == NULL)
			return fail_node(r, one, "not an example", "a map with stack and group");
		for (const struct config_node *member = one->first; member != NULL; member = member->next)
			if (member != stack && member != group)
				return fail_key(r, member, "stack or group");
		if (read_text(r, stack, &example.stack, "frames from the root on, with ';' between") < 0 ||
		    read_text(r, group, &example.group, "the path of a group, or (none)") < 0)
			return -1;
		*array_push(&r->scheme->examples) = example;
	}
	return 0;
}

static int read_one_file(struct reading *r, const char *path, struct stk_text *source);
static int read_carried(struct reading *r, const struct config_node *text);

/* Reads an included scheme, from the text that the first file carries or else from a file; -2: it is being read. */
static int
read_included(struct reading *r, const struct config_node *one, struct stk_text name)
{
	const struct config_node *carried = r->included != NULL ? config_member(r->included, name.data) : NULL;
	struct stk_text source = { "", 0 };
	char *path;
	int result;

	if (carried != NULL && carried->type == CONFIG_TEXT)
		return read_carried(r, carried);
	path = r->find == NULL ? NULL : r->find(r->context, name.data, r->depth == 0 ? NULL : r->paths[r->depth - 1]);
	if (path == NULL)
		return fail_node(r, one, "there is no scheme", "a file beside this one, or a scheme by name");
	result = read_one_file(r, arena_copy(r->scheme->texts, path, strlen(path)), &source);
	free(path);
	if (result == 0 && source.size > 0)
		*array_push(&r->scheme->includes) = (struct scheme_include){ name, source };
	return result;
}

static int
read_includes(struct reading *r, const struct config_node *node)
{
	for (const struct config_node *one = node->type == CONFIG_LIST ? node->first : node; one != NULL;
	     one = node->type == CONFIG_LIST ? one->next : NULL) {
		struct stk_text name = { "", 0 };
		uint32_t file = r->file;
		int result;

		if (read_text(r, one, &name, "the name of a scheme, or a file beside this one") < 0)
			return -1;
		result = read_included(r, one, name);
		if (result == -2) {
			r->file = file;
			return fail_node(r, one, "a file that includes itself, directly or through others", "a scheme without such a cycle");
		}
		if (result < 0)
			return -1;
		r->file = file;
	}
	return 0;
}

static int
read_root_key(struct reading *r, const struct config_node *node)
{
	struct scheme *scheme = r->scheme;
	bool own = r->file == 0;
	struct stk_text unused;

	if (text_is(node->key, "scheme"))
		return read_text(r, node, own ? &scheme->name : &unused, "what the scheme is called");
	if (text_is(node->key, "description"))
		return read_text(r, node, own ? &scheme->description : &unused, "a text");
	if (text_is(node->key, "owner"))
		return read_text(r, node, own ? &scheme->owner : &unused, "a text");
	if (text_is(node->key, "include"))
		return read_includes(r, node);
	if (text_is(node->key, "groups"))
		return read_groups(r, node, 0, false);
	if (text_is(node->key, "siblings"))
		return read_groups(r, node, 0, true);
	if (text_is(node->key, "libraries"))
		return read_members(r, node, OF_LIBRARIES);
	if (text_is(node->key, "examples"))
		return read_examples(r, node);
	if (text_is(node->key, "included") && own && node->type == CONFIG_MAP)
		return 0;		/* see read_config */
	return fail_key(r, node, "scheme, description, owner, include, libraries, groups, siblings or examples");
}

static int
read_config(struct reading *r, struct config *config)
{
	const struct config_node *root = config_root(config);

	*array_push(&r->scheme->configs) = config;
	if (root->type != CONFIG_MAP)
		return fail_node(r, root, "not a scheme", "a map with groups:");
	if (r->file == 0)
		r->included = config_member(root, "included");
	for (const struct config_node *one = root->first; one != NULL; one = one->next)
		if (read_root_key(r, one) < 0)
			return -1;
	if (r->file == 0 && r->scheme->groups.count == 0)
		return fail_at(r, 1, 1, "a scheme without groups", text_of("", 0), "groups: or include:");
	return 0;
}

/* -2: it is being read already. 1: it was read before. */
static int
enter(struct reading *r, const char *path)
{
	for (unsigned d = 0; d < r->depth; d++)
		if (strcmp(r->paths[d], path) == 0)
			return -2;
	for (size_t f = 0; f < r->scheme->files.count; f++)
		if (text_is(r->scheme->files.at[f], path))
			return 1;		/* by another way: once is enough */
	if (r->depth == INCLUDES_MOST)
		return -2;
	return 0;
}

/* Reads what was taken from a file, or from the text of one. */
static int
read_taken(struct reading *r, const char *path, struct config *config)
{
	int result;

	*array_push(&r->scheme->files) = text_from(path);
	r->file = (uint32_t)r->scheme->files.count - 1;
	if (r->file == 0)
		r->scheme->source = config_source(config);
	r->paths[r->depth++] = path;
	result = read_config(r, config);
	r->depth--;
	return result;
}

/* -2: it is being read already. */
static int
read_one_file(struct reading *r, const char *path, struct stk_text *source)
{
	struct config *config;
	struct stk_error why = { 0 };
	int result = enter(r, path);

	if (result != 0)
		return result == 1 ? 0 : result;
	if (config_read_file(&config, path, &why) < 0) {
		result = stk_fail(r->err, why.code == STK_EDATA ? STK_EUSAGE : why.code, "%s", why.text);
		stk_error_clear(&why);
		return result;
	}
	*source = config_source(config);
	return read_taken(r, path, config);
}

/* The same of a text under the key included. */
static int
read_carried(struct reading *r, const struct config_node *text)
{
	char path[200];
	const char *kept;
	struct config *config;
	struct stk_error why = { 0 };
	int result;

	(void)snprintf(path, sizeof path, "(embedded)/%.*s", (int)(text->key.size < 150 ? text->key.size : 150),
		       text->key.data);
	result = enter(r, path);
	if (result != 0)
		return result == 1 ? 0 : result;
	if (config_read(&config, text->text.data, text->text.size, &why) < 0) {
		result = stk_fail(r->err, STK_EUSAGE, "%s:%s", path, why.text);
		stk_error_clear(&why);
		return result;
	}
	kept = arena_copy(r->scheme->texts, path, strlen(path));
	return read_taken(r, kept, config);
}

static struct scheme *
new_scheme(const char *path)
{
	struct scheme *scheme = mem_new(1, sizeof *scheme);
	const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1, *dot = strrchr(name, '.');

	scheme->texts = mem_new(1, sizeof *scheme->texts);
	for (unsigned p = 0; p < MEMBER_PARTS; p++)
		name_automaton_open(&scheme->names[p]);
	name_automaton_open(&scheme->events);
	scheme->name = text_of(arena_copy(scheme->texts, name, dot == NULL ? strlen(name) : (size_t)(dot - name)),
			       dot == NULL ? strlen(name) : (size_t)(dot - name));
	return scheme;
}

static int
end_reading(struct scheme **out, struct scheme *scheme, int result)
{
	if (result < 0) {
		scheme_close(scheme);
		scheme = NULL;
	}
	*out = scheme;
	return result < 0 ? -1 : 0;
}

int
scheme_read_file(struct scheme **out, const char *path, scheme_find_function *find, void *context,
		 struct stk_error *err)
{
	struct scheme *scheme = new_scheme(path);
	struct reading r = { .scheme = scheme, .find = find, .context = context, .err = err };
	struct stk_text source;

	return end_reading(out, scheme, read_one_file(&r, arena_copy(scheme->texts, path, strlen(path)), &source));
}

int
scheme_read_text(struct scheme **out, const char *name, struct stk_text text, scheme_find_function *find, void *context,
		 struct stk_error *err)
{
	struct scheme *scheme = new_scheme(name);
	struct reading r = { .scheme = scheme, .find = find, .context = context, .err = err };
	struct config *config;
	struct stk_error why = { 0 };
	int result;

	*array_push(&scheme->files) = text_from(arena_copy(scheme->texts, name, strlen(name)));
	if (config_read(&config, text.data, text.size, &why) < 0) {
		result = stk_fail(err, STK_EUSAGE, "%s:%s", name, why.text);
		stk_error_clear(&why);
	} else {
		scheme->source = config_source(config);
		result = read_config(&r, config);
	}
	return end_reading(out, scheme, result);
}

static void
release_member(struct scheme_member *member)
{
	for (unsigned p = 0; p < MEMBER_PARTS; p++)
		array_release(&member->parts[p].patterns);
	for (unsigned c = 0; c < CONTEXTS; c++)
		array_release(&member->contexts[c].patterns);
	for (size_t b = 0; b < member->before.count; b++)
		array_release(&member->before.at[b].patterns);
	array_release(&member->before);
	array_release(&member->gap);
}

void
scheme_close(struct scheme *scheme)
{
	if (scheme == NULL)
		return;
	for (size_t m = 0; m < scheme->members.count; m++)
		release_member(&scheme->members.at[m]);
	for (size_t c = 0; c < scheme->configs.count; c++)
		config_close(scheme->configs.at[c]);
	for (unsigned p = 0; p < MEMBER_PARTS; p++)
		name_automaton_close(scheme->names[p]);
	name_automaton_close(scheme->events);
	array_release(&scheme->groups);
	array_release(&scheme->members);
	array_release(&scheme->examples);
	array_release(&scheme->files);
	array_release(&scheme->includes);
	array_release(&scheme->configs);
	hash_map_release(&scheme->by_name);
	arena_release(scheme->texts);
	free(scheme->texts);
	free(scheme);
}

uint32_t
scheme_group_of_path(const struct scheme *scheme, struct stk_text path)
{
	for (size_t g = 0; g < scheme->groups.count; g++)
		if (text_equal(scheme->groups.at[g].path, path))
			return (uint32_t)g + 1;
	return 0;
}

bool
scheme_is_below(const struct scheme *scheme, uint32_t group, uint32_t above)
{
	for (; group != 0; group = scheme->groups.at[group - 1].parent)
		if (group == above)
			return true;
	return false;
}
