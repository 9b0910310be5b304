/* SPDX-License-Identifier: MIT
 * tag_files: the tree of tags is the tree of groups; an entry point is a member. In those files every * is any run,
 * which is ** here. */
#include "group/tag_files.h"

#include "base/memory.h"
#include "base/text_table.h"
#include "base/whole_file.h"
#include "base/xml_place.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 60

/* Where an import stands, for what is told. */
struct import { const char *path; const struct remarks *remarks; struct text_table names; };	/* paths of groups */

/* --- writing YAML --- */

static void
add_indent(struct text_buffer *to, unsigned depth)
{
	for (unsigned d = 0; d < 4 * depth; d++)
		add_char(to, ' ');
}

/* Characters that names of groups do not have become _. */
static void
add_clean_name(struct text_buffer *to, struct stk_text name)
{
	for (size_t i = 0; i < name.size; i++) {
		char c = name.data[i];

		add_char(to, c == '/' || c == '\t' || c == '\n' || (c == '(' && i == 0) ? '_' : c);
	}
}

/* Writes the name of a group, one that no other group of its parent has: a second "B" is "B 2". What changes is told.
 * path: the parent's, becomes its own. */
static void
add_group_name(struct import *of, unsigned long line, struct text_buffer *path, struct stk_text name,
	       struct text_buffer *to)
{
	size_t from = path->count + 1, end;
	uint32_t known = (uint32_t)of->names.texts.count, number = 1;
	struct stk_text given;

	add_char(path, '/');
	add_clean_name(path, name);
	end = path->count;
	while (text_table_number(&of->names, text_in(path, 0)) <= known) {
		path->count = end;
		add_format(path, " %u", ++number);
	}
	given = text_in(path, from);
	if (!text_equal(given, name))
		remark(of->remarks, REMARK_FACT, text_from(of->path), line, "the group '%.*s' is called '%.*s' here%s",
		       (int)name.size, name.data, (int)given.size, given.data,
		       number > 1 ? ": another one has its name" : "");
	add_yaml_text(to, given);
}

/* Their wildcards; our other special characters unchanged. */
static void
add_pattern(struct text_buffer *to, struct stk_text text)
{
	struct text_buffer pattern = { 0 };

	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] == '*')
			add_string(&pattern, i > 0 && text.data[i - 1] == '*' ? "" : "**");
		if (strchr("{}\\", text.data[i]) != NULL)
			add_char(&pattern, '\\');
		if (text.data[i] != '*')
			add_char(&pattern, text.data[i]);
	}
	add_yaml_text(to, text_in(&pattern, 0));
	array_release(&pattern);
}

/* --- .stacktags --- */

#ifdef HAVE_EXPAT
struct tags {
	struct import of;
	XML_Parser parser;
	struct text_buffer *to;
	unsigned depth;			/* of tags */
	struct text_buffer group;	/* the path of the present one */
	size_t ends[DEPTH_MOST + 1];	/* of the paths above it */
	bool members[DEPTH_MOST + 1], children[DEPTH_MOST + 1];	/* of the tag of this depth: their list was begun */
	unsigned elements;
	bool failed;
	struct stk_error *err;
};

static const char *
attribute(const char **attributes, const char *name)
{
	for (; attributes[0] != NULL; attributes += 2)
		if (strcasecmp(attributes[0], name) == 0)
			return attributes[1];
	return NULL;
}

static unsigned long
line_of(const struct tags *t)
{
	return (unsigned long)xml_line(t->parser);
}

static unsigned long
column_of(const struct tags *t)
{
	return (unsigned long)xml_column(t->parser) + 1;
}

static void
fail_tags(struct tags *t, const char *what)
{
	if (!t->failed)
		(void)stk_fail(t->err, STK_EUSAGE, "%s:%lu:%lu: %s", t->of.path, line_of(t), column_of(t), what);
	t->failed = true;
	(void)XML_StopParser(t->parser, XML_FALSE);
}

/* The head of a group; its members and children follow. */
static void
add_tag(struct tags *t, const char *name, const char *priority)
{
	if (t->depth > 0 && !t->children[t->depth]) {
		t->children[t->depth] = true;
		add_indent(t->to, t->depth);
		add_string(t->to, "children:\n");
	}
	t->ends[t->depth++] = t->group.count;
	t->members[t->depth] = t->children[t->depth] = false;
	add_indent(t->to, t->depth - 1);
	add_string(t->to, "  - name: ");
	add_group_name(&t->of, line_of(t), &t->group, text_from(name), t->to);
	add_char(t->to, '\n');
	if (priority != NULL && strtol(priority, NULL, 10) != 0) {
		add_indent(t->to, t->depth);
		add_format(t->to, "priority: %ld\n", strtol(priority, NULL, 10));
	}
}

static void
begin_tag(struct tags *t, const char **attributes, bool hint)
{
	const char *name = attribute(attributes, "Name"), *caller = attribute(attributes, "HintOperator");

	/* the root tag of a file has no name: its children stand at the top */
	if (name == NULL || *name == '\0') {
		if (t->depth > 0)
			fail_tags(t, "a tag without a name: expected Name=");
		return;
	}
	if (t->depth == DEPTH_MOST) {
		fail_tags(t, "more than 60 tags one inside another");
		return;
	}
	add_tag(t, name, attribute(attributes, "Priority"));
	if (hint)
		remark(t->of.remarks, REMARK_FACT, text_from(t->of.path), line_of(t),
		       "the hint '%s' becomes a group: that it is named by the module of its %s is not kept", name,
		       caller == NULL ? "caller" : caller);
}

static void
entry_point(struct tags *t, const char **attributes)
{
	const char *module = attribute(attributes, "Module"), *method = attribute(attributes, "Method");

	if (t->depth == 0) {
		fail_tags(t, "an entry point outside a tag");
		return;
	}
	if (t->children[t->depth]) {
		remark(t->of.remarks, REMARK_FAULT, text_from(t->of.path), line_of(t),
		       "an entry point after the tags of its tag; left out (write it before them)");
		return;
	}
	if (!t->members[t->depth]) {
		t->members[t->depth] = true;
		add_indent(t->to, t->depth);
		add_string(t->to, "members:\n");
	}
	add_indent(t->to, t->depth);
	add_string(t->to, "  - { module: ");
	add_pattern(t->to, text_from(module == NULL ? "*" : module));
	add_string(t->to, ", method: ");
	add_pattern(t->to, text_from(method == NULL ? "*" : method));
	add_string(t->to, " }\n");
}

static void
begin_element(void *context, const char *name, const char **attributes)
{
	struct tags *t = context;

	t->elements++;
	if (strcasecmp(name, "Tag") == 0 || strcasecmp(name, "HintTag") == 0)
		begin_tag(t, attributes, *name == 'H' || *name == 'h');
	else if (strcasecmp(name, "Entrypoint") == 0)
		entry_point(t, attributes);
	else if (t->elements > 1)
		remark(t->of.remarks, REMARK_FAULT, text_from(t->of.path), line_of(t), "<%s> is not known; left out",
		       name);
}

static void
end_element(void *context, const char *name)
{
	struct tags *t = context;

	if ((strcasecmp(name, "Tag") == 0 || strcasecmp(name, "HintTag") == 0) && t->depth > 0)
		t->group.count = t->ends[--t->depth];
}

static int
import_stacktags(const char *path, struct stk_text text, struct text_buffer *to, const struct remarks *remarks,
		 struct stk_error *err)
{
	struct tags t = { .of = { .path = path, .remarks = remarks }, .parser = XML_ParserCreate(NULL), .to = to,
			  .err = err };
	int result = 0;

	if (t.parser == NULL)
		return stk_fail(err, STK_ESYSTEM, "expat cannot create a parser");
	XML_SetUserData(t.parser, &t);
	XML_SetElementHandler(t.parser, begin_element, end_element);
	if (XML_Parse(t.parser, text.data, (int)text.size, 1) == XML_STATUS_ERROR && !t.failed)
		result = stk_fail(err, STK_EUSAGE, "%s:%lu:%lu: %s", path, line_of(&t), column_of(&t),
				  XML_ErrorString(XML_GetErrorCode(t.parser)));
	XML_ParserFree(t.parser);
	text_table_release(&t.of.names);
	array_release(&t.group);
	return t.failed ? -1 : result;
}
#else
static int
import_stacktags(const char *path, struct stk_text text, struct text_buffer *to, const struct remarks *remarks,
		 struct stk_error *err)
{
	(void)text;
	(void)to;
	(void)remarks;
	return stk_fail(err, STK_EUSAGE, "%s: this stkgroup was built without expat, which reads XML: "
			"install libexpat1-dev and build it again", path);
}
#endif

/* --- SJK: a line a category, name=pattern, the first that matches wins; dots in names make a tree --- */

/* Whether a pattern has more than names and stars. */
static bool
has_signs(struct stk_text pattern)
{
	return memchr(pattern.data, '!', pattern.size) != NULL || memmem(pattern.data, pattern.size, "/+", 2) != NULL ||
		memmem(pattern.data, pattern.size, "/^", 2) != NULL;
}

/* A group: its name, and alternatives with commas between. */
static void
add_category(struct import *of, unsigned number, struct text_buffer *to, struct stk_text name, struct stk_text patterns)
{
	struct text_buffer path = { 0 };
	const char *end = patterns.data + patterns.size;

	add_string(to, "  - name: ");
	add_group_name(of, number, &path, name, to);
	array_release(&path);
	add_string(to, "\n    members:\n");
	for (const char *from = patterns.data; from < end; ) {
		const char *comma = memchr(from, ',', (size_t)(end - from)), *last = comma == NULL ? end : comma;

		add_string(to, "      - ");
		add_pattern(to, text_of(from, (size_t)(last - from)));
		add_char(to, '\n');
		from = comma == NULL ? last : comma + 1;
	}
}

static void
import_category(struct import *of, unsigned number, struct stk_text line, struct text_buffer *to)
{
	const char *equals;
	struct stk_text pattern;

	while (line.size > 0 && (line.data[line.size - 1] == '\r' || line.data[line.size - 1] == ' '))
		line.size--;
	if (line.size == 0 || line.data[0] == '#' || line.data[0] == '!')
		return;
	equals = memchr(line.data, '=', line.size);
	if (equals == NULL || equals == line.data) {
		remark(of->remarks, REMARK_FAULT, text_from(of->path), number, "no category: expected name=pattern");
		return;
	}
	pattern = text_of(equals + 1, (size_t)(line.data + line.size - equals - 1));
	if (has_signs(pattern))
		remark(of->remarks, REMARK_FAULT, text_from(of->path), number,
		       "the signs around the pattern (/+, /^+, !) are not supported: check this group");
	add_category(of, number, to, text_of(line.data, (size_t)(equals - line.data)), pattern);
}

static void
import_categories(const char *path, struct stk_text text, struct text_buffer *to, const struct remarks *remarks)
{
	const char *at = text.data, *end = at + text.size;
	struct import of = { .path = path, .remarks = remarks };

	for (unsigned number = 1; at < end; number++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		import_category(&of, number, text_of(at, (size_t)((stop == NULL ? end : stop) - at)), to);
		at = stop == NULL ? end : stop + 1;
	}
	text_table_release(&of.names);
}

enum tag_form
tag_form_of_path(const char *path)
{
	size_t size = strlen(path);

	return size > 10 && strcasecmp(path + size - 10, ".stacktags") == 0 ? TAG_FORM_STACKTAGS : TAG_FORM_CATEGORIES;
}

int
tag_text_import(enum tag_form form, const char *path, struct stk_text text, struct text_buffer *to,
		const struct remarks *remarks, struct stk_error *err)
{
	add_string(to, form == TAG_FORM_STACKTAGS ? "groups:\n" : "siblings:\n");
	if (form == TAG_FORM_STACKTAGS)
		return import_stacktags(path, text, to, remarks, err);
	import_categories(path, text, to, remarks);
	return 0;
}

int
tag_file_import(const char *path, struct text_buffer *to, const struct remarks *remarks, struct stk_error *err)
{
	struct text_buffer text = { 0 };
	int result = whole_file_read(&text, path, CONFIG_BYTES_MOST, err);

	if (result == 0)
		result = tag_text_import(tag_form_of_path(path), path, text_in(&text, 0), to, remarks, err);
	array_release(&text);
	return result;
}

/* --- export --- */

static void
add_xml(struct text_buffer *to, struct stk_text text)
{
	for (size_t i = 0; i < text.size; i++) {
		switch (text.data[i]) {
		case '&':  add_string(to, "&amp;"); break;
		case '<':  add_string(to, "&lt;"); break;
		case '>':  add_string(to, "&gt;"); break;
		case '"':  add_string(to, "&quot;"); break;
		default:   add_char(to, text.data[i]);
		}
	}
}

/* Ours in their syntax; false when it has what theirs has not: an expression, alternatives. */
static bool
their_pattern(struct stk_text ours, struct text_buffer *to)
{
	to->count = 0;
	if (ours.size > 0 && ours.data[0] == '/')
		return false;
	for (size_t i = 0; i < ours.size; i++) {
		if (ours.data[i] == '{' && memchr(ours.data + i, ',', ours.size - i) != NULL)
			return false;
		if (ours.data[i] == '\\' && i + 1 < ours.size)
			i++;
		else if (ours.data[i] == '*' && i + 1 < ours.size && ours.data[i + 1] == '*')
			i++;
		add_char(to, ours.data[i]);
	}
	return true;
}

static bool
is_plain(const struct scheme_member *member)
{
	bool plain = member->before.count == 0 && member->parts[PART_FILE].patterns.count == 0;

	for (unsigned c = 0; c < CONTEXTS; c++)
		plain &= member->contexts[c].patterns.count == 0;
	return plain;
}

/* What an export needs at every group. */
struct export {
	const struct scheme *scheme;
	enum tag_form form;
	struct text_buffer *to;
	const struct remarks *remarks;
};

static unsigned
leave_out(const struct export *e, const struct scheme_member *member)
{
	remark(e->remarks, REMARK_FAULT, e->scheme->files.at[member->file], member->line,
	       "%s cannot express this member; left out",
	       e->form == TAG_FORM_STACKTAGS ? "a .stacktags file" : "a categorisation file");
	return 1;
}

static void
add_entry_point(const struct export *e, unsigned depth, struct stk_text module, struct stk_text method)
{
	add_indent(e->to, depth);
	add_string(e->to, "<Entrypoint Module=\"");
	add_xml(e->to, module);
	add_string(e->to, "\" Method=\"");
	add_xml(e->to, method);
	add_string(e->to, "\"/>\n");
}

static void
add_category_line(const struct export *e, struct stk_text path, struct stk_text method)
{
	for (size_t c = 0; c < path.size; c++)
		add_char(e->to, path.data[c] == '/' ? '.' : path.data[c] == '=' ? '-' : path.data[c]);
	add_char(e->to, '=');
	add_text(e->to, method);
	add_char(e->to, '\n');
}

/* Pattern `i` of a part in their syntax; a part without patterns is any name. */
static bool
their_part(const struct export *e, const struct scheme_member *member, enum member_part part, size_t i,
	   struct text_buffer *to)
{
	const struct atom *atom = &member->parts[part];

	if (atom->patterns.count == 0)
		return their_pattern(text_from("*"), to);
	return their_pattern(name_automaton_pattern(e->scheme->names[part], atom->patterns.at[i]), to);
}

/* Every method with every module, each an entry point. */
static unsigned
export_member(const struct export *e, const struct scheme_member *member, unsigned depth)
{
	size_t methods = member->parts[PART_METHOD].patterns.count, modules = member->parts[PART_MODULE].patterns.count;
	bool xml = e->form == TAG_FORM_STACKTAGS;
	struct text_buffer method = { 0 }, module = { 0 };
	unsigned lost = 0;

	if (!is_plain(member) || (!xml && (methods == 0 || modules > 0)))
		return leave_out(e, member);
	for (size_t i = 0; i < methods || i == 0; i++)
		for (size_t k = 0; k < modules || k == 0; k++) {
			if (!their_part(e, member, PART_METHOD, i, &method) ||
			    !their_part(e, member, PART_MODULE, k, &module))
				lost += leave_out(e, member);
			else if (xml)
				add_entry_point(e, depth, text_in(&module, 0), text_in(&method, 0));
			else
				add_category_line(e, e->scheme->groups.at[member->group - 1].path, text_in(&method, 0));
		}
	array_release(&method);
	array_release(&module);
	return lost;
}

static void
begin_group(const struct export *e, const struct scheme_group *group, unsigned depth)
{
	add_indent(e->to, depth);
	add_string(e->to, "<Tag Name=\"");
	add_xml(e->to, group->name);
	add_char(e->to, '"');
	if (group->priority != 0)
		add_format(e->to, " Priority=\"%lld\"", (long long)group->priority);
	add_string(e->to, ">\n");
}

static unsigned
export_groups(const struct export *e, uint32_t parent, unsigned depth)
{
	const struct scheme *scheme = e->scheme;
	bool xml = e->form == TAG_FORM_STACKTAGS;
	unsigned lost = 0;

	for (uint32_t g = 1; g <= scheme->groups.count; g++) {
		if (scheme->groups.at[g - 1].parent != parent)
			continue;
		if (xml)
			begin_group(e, &scheme->groups.at[g - 1], depth);
		for (size_t m = 0; m < scheme->members.count; m++)
			if (scheme->members.at[m].group == g)
				lost += export_member(e, &scheme->members.at[m], depth + 1);
		lost += export_groups(e, g, depth + 1);
		if (xml) {
			add_indent(e->to, depth);
			add_string(e->to, "</Tag>\n");
		}
	}
	return lost;
}

unsigned
tag_file_export(const struct scheme *scheme, enum tag_form form, struct text_buffer *to, const struct remarks *remarks)
{
	const struct export export = { scheme, form, to, remarks };
	unsigned lost = 0;

	for (size_t m = 0; m < scheme->members.count; m++)
		if (scheme->members.at[m].group == OF_LIBRARIES)
			lost += leave_out(&export, &scheme->members.at[m]);
	if (form == TAG_FORM_STACKTAGS)
		add_string(to, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Tag Name=\"\">\n");
	lost += export_groups(&export, 0, 1);
	if (form == TAG_FORM_STACKTAGS)
		add_string(to, "</Tag>\n");
	return lost;
}
