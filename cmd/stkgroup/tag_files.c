/* SPDX-License-Identifier: MIT
 * tag_files: the tree of tags is the tree of groups; an entry point is a member. In those files * is any run wherever it stands, which is ** here. */
#include "tag_files.h"

#include "base/input.h"
#include "base/memory.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_EXPAT
#include <expat.h>
#endif

#define DEPTH_MOST 60

/* --- writing YAML --- */

static void
add_indent(struct text_buffer *to, unsigned depth)
{
	for (unsigned d = 0; d < 4 * depth; d++)
		add_char(to, ' ');
}

/* Their wildcards, and our other signs as they are. */
static void
add_pattern(struct text_buffer *to, struct stk_text text)
{
	struct text_buffer pattern = { 0 };

	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] == '*')
			add_string(&pattern, i > 0 && text.data[i - 1] == '*' ? "" : "**");
		else if (strchr("{}\\", text.data[i]) != NULL)
			add_char(&pattern, '\\'), add_char(&pattern, text.data[i]);
		else
			add_char(&pattern, text.data[i]);
	}
	add_yaml_text(to, text_in(&pattern, 0));
	array_release(&pattern);
}

/* --- reading a file --- */

static int
read_file(const char *path, struct text_buffer *to, struct stk_error *err)
{
	struct input *input;
	struct stk_error why = { 0 };
	long got = 0;
	int result = input_open(&input, path, NULL, &why);

	while (result == 0 && to->count <= CONFIG_BYTES_MOST) {
		array_reserve(to, 65536);
		got = input_read(input, to->at + to->count, 65536, &why);
		if (got <= 0)
			break;
		to->count += (size_t)got;
	}
	input_close(input);
	if (result < 0 || got < 0)
		return stk_fail(err, why.code, "%s: %s", path, why.text);
	if (to->count > CONFIG_BYTES_MOST)
		return stk_fail(err, STK_EUSAGE, "%s: more than %u bytes", path, CONFIG_BYTES_MOST);
	return 0;
}

/* --- .stacktags --- */

#ifdef HAVE_EXPAT
struct tags {
	const char *path;
	XML_Parser parser;
	struct text_buffer *to;
	unsigned depth;			/* of tags */
	bool members[DEPTH_MOST + 1], children[DEPTH_MOST + 1];	/* of the tag of this depth: their list was begun */
	bool hint[DEPTH_MOST + 1];
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
	return (unsigned long)XML_GetCurrentLineNumber(t->parser);
}

static void
fail_tags(struct tags *t, const char *what)
{
	if (!t->failed)
		(void)stk_fail(t->err, STK_EUSAGE, "%s:%lu:%lu: %s", t->path, line_of(t), (unsigned long)XML_GetCurrentColumnNumber(t->parser) + 1, what);
	t->failed = true;
	(void)XML_StopParser(t->parser, XML_FALSE);
}

static void
add_group_name(struct tags *t, const char *name)
{
	struct text_buffer clean = { 0 };

	for (const char *c = name; *c != '\0'; c++)
		add_char(&clean, *c == '/' || *c == '\t' || *c == '\n' || (*c == '(' && c == name) ? '_' : *c);
	add_yaml_text(t->to, text_in(&clean, 0));
	array_release(&clean);
}

static void
begin_tag(struct tags *t, const char **attributes, bool hint)
{
	const char *name = attribute(attributes, "Name"), *priority = attribute(attributes, "Priority");

	if (name == NULL || *name == '\0') {		/* the root tag of a file has none: its children stand at the top */
		if (t->depth > 0)
			fail_tags(t, "a tag without a name: expected Name=");
		return;
	}
	if (t->depth == DEPTH_MOST) {
		fail_tags(t, "more than 60 tags one inside another");
		return;
	}
	if (t->depth > 0 && !t->children[t->depth]) {
		t->children[t->depth] = true;
		add_indent(t->to, t->depth);
		add_string(t->to, "children:\n");
	}
	t->depth++;
	t->members[t->depth] = t->children[t->depth] = false;
	t->hint[t->depth] = hint;
	add_indent(t->to, t->depth - 1);
	add_string(t->to, "  - name: "), add_group_name(t, name), add_char(t->to, '\n');
	if (priority != NULL && strtol(priority, NULL, 10) != 0) {
		add_indent(t->to, t->depth);
		add_format(t->to, "priority: %ld\n", strtol(priority, NULL, 10));
	}
	if (hint)
		program_say("%s:%lu: the hint '%s' becomes a group: that it is named by the module of its %s is not kept", t->path, line_of(t), name,
			    attribute(attributes, "HintOperator") == NULL ? "caller" : attribute(attributes, "HintOperator"));
}

static void
entry_point(struct tags *t, const char **attributes)
{
	const char *module = attribute(attributes, "Module"), *method = attribute(attributes, "Method");

	if (t->depth == 0) {
		fail_tags(t, "an entry point outside of a tag");
		return;
	}
	if (t->children[t->depth]) {
		program_warn("%s:%lu: an entry point behind the tags of its tag is left out: write it before them", t->path, line_of(t));
		return;
	}
	if (!t->members[t->depth]) {
		t->members[t->depth] = true;
		add_indent(t->to, t->depth);
		add_string(t->to, "members:\n");
	}
	add_indent(t->to, t->depth);
	add_string(t->to, "  - { module: "), add_pattern(t->to, text_from(module == NULL ? "*" : module));
	add_string(t->to, ", method: "), add_pattern(t->to, text_from(method == NULL ? "*" : method)), add_string(t->to, " }\n");
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
		program_warn("%s:%lu: <%s> is not known, and left out", t->path, line_of(t), name);
}

static void
end_element(void *context, const char *name)
{
	struct tags *t = context;

	if ((strcasecmp(name, "Tag") == 0 || strcasecmp(name, "HintTag") == 0) && t->depth > 0)
		t->depth--;
}

static int
import_stacktags(const char *path, struct stk_text text, struct text_buffer *to, struct stk_error *err)
{
	struct tags t = { .path = path, .parser = XML_ParserCreate(NULL), .to = to, .err = err };
	int result = 0;

	if (t.parser == NULL)
		return stk_fail(err, STK_ESYSTEM, "expat gives no parser");
	XML_SetUserData(t.parser, &t);
	XML_SetElementHandler(t.parser, begin_element, end_element);
	if (XML_Parse(t.parser, text.data, (int)text.size, 1) == XML_STATUS_ERROR && !t.failed)
		result = stk_fail(err, STK_EUSAGE, "%s:%lu:%lu: %s", path, line_of(&t), (unsigned long)XML_GetCurrentColumnNumber(t.parser) + 1, XML_ErrorString(XML_GetErrorCode(t.parser)));
	XML_ParserFree(t.parser);
	return t.failed ? -1 : result;
}
#else
static int
import_stacktags(const char *path, struct stk_text text, struct text_buffer *to, struct stk_error *err)
{
	(void)text, (void)to;
	return stk_fail(err, STK_EUSAGE, "%s: this stkgroup was built without expat, which reads XML: install libexpat1-dev and build it again", path);
}
#endif

/* --- SJK: a line a category, name=pattern, the first that matches wins; dots in names make a tree --- */

static int
import_categories(const char *path, struct stk_text text, struct text_buffer *to)
{
	const char *at = text.data, *end = at + text.size;
	unsigned number = 0;

	for (; at < end; ) {
		const char *stop = memchr(at, '\n', (size_t)(end - at)), *equals;
		struct stk_text line = text_of(at, (size_t)((stop == NULL ? end : stop) - at));

		number++;
		at = stop == NULL ? end : stop + 1;
		while (line.size > 0 && (line.data[line.size - 1] == '\r' || line.data[line.size - 1] == ' '))
			line.size--;
		if (line.size == 0 || line.data[0] == '#' || line.data[0] == '!')
			continue;
		equals = memchr(line.data, '=', line.size);
		if (equals == NULL || equals == line.data) {
			program_warn("%s:%u: no category: expected name=pattern", path, number);
			continue;
		}
		if (memchr(equals, '!', (size_t)(line.data + line.size - equals)) != NULL || memmem(equals, (size_t)(line.data + line.size - equals), "/+", 2) != NULL ||
		    memmem(equals, (size_t)(line.data + line.size - equals), "/^", 2) != NULL)
			program_warn("%s:%u: what stands around the pattern (/+, /^+, !) is not read: look at this group", path, number);
		add_string(to, "  - name: ");
		{
			struct text_buffer name = { 0 };

			for (const char *c = line.data; c < equals; c++)
				add_char(&name, *c == '/' ? '_' : *c);
			add_yaml_text(to, text_in(&name, 0));
			array_release(&name);
		}
		add_string(to, "\n    members:\n");
		for (const char *from = equals + 1; from < line.data + line.size; ) {		/* alternatives with commas between */
			const char *comma = memchr(from, ',', (size_t)(line.data + line.size - from)), *last = comma == NULL ? line.data + line.size : comma;

			add_string(to, "      - "), add_pattern(to, text_of(from, (size_t)(last - from))), add_char(to, '\n');
			from = comma == NULL ? last : comma + 1;
		}
	}
	return 0;
}

int
tag_file_import(const char *path, struct text_buffer *to, struct stk_error *err)
{
	struct text_buffer text = { 0 };
	size_t size = strlen(path);
	bool tags = size > 10 && strcasecmp(path + size - 10, ".stacktags") == 0;
	int result = read_file(path, &text, err);

	if (result == 0) {
		add_string(to, tags ? "groups:\n" : "siblings:\n");
		result = tags ? import_stacktags(path, text_in(&text, 0), to, err) : import_categories(path, text_in(&text, 0), to);
	}
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

/* Ours in their signs: false when it has what they do not: an expression, alternatives. */
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

static unsigned
tell(const struct scheme *scheme, const struct scheme_member *member, const char *form)
{
	struct stk_text file = scheme->files.at[member->file];

	program_warn("%.*s:%u: %s cannot say this member: it is left out", (int)file.size, file.data, member->line, form);
	return 1;
}

/* Every method with every module, each an entry point. */
static unsigned
export_member(const struct scheme *scheme, const struct scheme_member *member, bool xml, unsigned depth, struct text_buffer *to)
{
	const struct atom *methods = &member->parts[PART_METHOD], *modules = &member->parts[PART_MODULE];
	struct text_buffer method = { 0 }, module = { 0 };
	unsigned lost = 0;

	if (!is_plain(member) || (!xml && (methods->patterns.count == 0 || modules->patterns.count > 0)))
		return tell(scheme, member, xml ? "a .stacktags file" : "a categorisation file");
	for (size_t i = 0; i < methods->patterns.count || (i == 0 && methods->patterns.count == 0); i++) {
		for (size_t k = 0; k < modules->patterns.count || (k == 0 && modules->patterns.count == 0); k++) {
			bool said = their_pattern(methods->patterns.count == 0 ? text_from("*") : name_automaton_pattern(scheme->names[PART_METHOD], methods->patterns.at[i]), &method) &&
				their_pattern(modules->patterns.count == 0 ? text_from("*") : name_automaton_pattern(scheme->names[PART_MODULE], modules->patterns.at[k]), &module);

			if (!said) {
				lost += tell(scheme, member, xml ? "a .stacktags file" : "a categorisation file");
			} else if (xml) {
				add_indent(to, depth);
				add_string(to, "<Entrypoint Module=\""), add_xml(to, text_in(&module, 0));
				add_string(to, "\" Method=\""), add_xml(to, text_in(&method, 0)), add_string(to, "\"/>\n");
			} else {
				struct stk_text path = scheme->groups.at[member->group - 1].path;

				for (size_t c = 0; c < path.size; c++)
					add_char(to, path.data[c] == '/' ? '.' : path.data[c] == '=' ? '-' : path.data[c]);
				add_char(to, '='), add_text(to, text_in(&method, 0)), add_char(to, '\n');
			}
		}
	}
	array_release(&method);
	array_release(&module);
	return lost;
}

static unsigned
export_groups(const struct scheme *scheme, uint32_t parent, bool xml, unsigned depth, struct text_buffer *to)
{
	unsigned lost = 0;

	for (uint32_t g = 1; g <= scheme->groups.count; g++) {
		const struct scheme_group *group = &scheme->groups.at[g - 1];

		if (group->parent != parent)
			continue;
		if (xml) {
			add_indent(to, depth);
			add_string(to, "<Tag Name=\""), add_xml(to, group->name), add_char(to, '"');
			if (group->priority != 0)
				add_format(to, " Priority=\"%lld\"", (long long)group->priority);
			add_string(to, ">\n");
		}
		for (size_t m = 0; m < scheme->members.count; m++)
			if (scheme->members.at[m].group == g)
				lost += export_member(scheme, &scheme->members.at[m], xml, depth + 1, to);
		lost += export_groups(scheme, g, xml, depth + 1, to);
		if (xml) {
			add_indent(to, depth);
			add_string(to, "</Tag>\n");
		}
	}
	return lost;
}

unsigned
tag_file_export(const struct scheme *scheme, const char *form, struct text_buffer *to)
{
	bool xml = strcmp(form, "stacktags") == 0;
	unsigned lost;

	if (xml)
		add_string(to, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Tag Name=\"\">\n");
	lost = export_groups(scheme, 0, xml, 1, to);
	if (xml)
		add_string(to, "</Tag>\n");
	return lost;
}
