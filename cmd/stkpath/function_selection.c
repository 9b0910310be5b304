/* SPDX-License-Identifier: MIT
 * function_selection: names of files are compared by their last folders, because those who choose them do not know in
 * which folder each is compiled. */
#include "function_selection.h"

#include "base/bytes.h"
#include "base/text_table.h"
#include "base/whole_file.h"
#include "model/native_name.h"

#include <stdlib.h>

#define CHANGES_MOST ((size_t)256 << 20)

struct changed_line { uint32_t file; unsigned long line; };

struct function_selection {
	const struct option_texts *sources;
	bool by_lines;
	struct text_table files;		/* of differences */
	ARRAY(struct changed_line) lines;
};

/* --- differences --- */

/* "+++ b/x.c	2026-11-26": git puts a folder before each name. */
static uint32_t
changed_file(struct function_selection *s, struct stk_text line)
{
	struct stk_text name = text_of(line.data + 4, line.size - 4);

	name = text_take(&name, '\t');
	if (text_starts(name, "b/"))
		name = text_of(name.data + 2, name.size - 2);
	return text_is(name, "/dev/null") ? 0 : text_table_number(&s->files, name);
}

/* "@@ -5,2 +4,0 @@": the first line of what is there now. Of nothing, it is named the line before it. */
static unsigned long
first_line(struct stk_text line)
{
	const char *at = memchr(line.data, '+', line.size);
	char *end;
	unsigned long first;

	if (at == NULL)
		return 0;
	first = strtoul(at + 1, &end, 10);
	return *end == ',' && strtoul(end + 1, NULL, 10) == 0 ? first + 1 : first;
}

/* A line that is gone changed what is at its place now. */
static void
read_changes(struct function_selection *s, struct stk_text text)
{
	uint32_t file = 0;
	unsigned long line_number = 0;

	while (text.size > 0) {
		struct stk_text line = text_take(&text, '\n');
		char mark = line.size > 0 ? *line.data : ' ';

		if (text_starts(line, "+++ ") && line_number == 0) {
			file = changed_file(s, line);
		} else if (text_starts(line, "@@ ")) {
			line_number = first_line(line);
		} else if (text_starts(line, "diff ") || text_starts(line, "Index: ") || text_starts(line, "--- ")) {
			line_number = 0;
		} else if (line_number > 0 && (mark == '+' || mark == '-') && file > 0) {
			*array_push(&s->lines) = (struct changed_line){ file, line_number };
		}
		line_number += line_number > 0 && (mark == '+' || mark == ' ');
	}
}

/* --- opening and closing --- */

int
function_selection_open(struct function_selection **out, const struct option_texts *sources, const char *changed,
			struct stk_error *err)
{
	struct function_selection *s = *out = mem_new(1, sizeof *s);
	struct text_buffer text = { 0 };
	int result = 0;

	s->sources = sources;
	s->by_lines = changed != NULL;
	if (changed != NULL)
		result = whole_file_read(&text, changed, CHANGES_MOST, err);
	if (result == 0 && changed != NULL) {
		add_char(&text, '\0');		/* numbers end */
		read_changes(s, text_of(text.at, text.count - 1));
		if (s->files.texts.count == 0 && text.count > 1)
			result = stk_fail(err, STK_EUSAGE, "%s: no differences, as diff -u and git diff write them",
					  changed);
	}
	array_release(&text);
	return result;
}

void
function_selection_close(struct function_selection *s)
{
	if (s == NULL)
		return;
	text_table_release(&s->files);
	array_release(&s->lines);
	free(s);
}

/* --- files and lines --- */

/* Whether a file is called so, or is in a folder that is: both may be absolute, or only their last part. */
static bool
is_within(struct stk_text file, struct stk_text called)
{
	while (text_starts(called, "./"))
		called = text_of(called.data + 2, called.size - 2);
	while (called.size > 1 && called.data[called.size - 1] == '/')
		called.size--;
	for (size_t from = 0; called.size > 0 && from + called.size <= file.size; from++) {
		bool begins = from == 0 || file.data[from - 1] == '/',
		     ends = from + called.size == file.size || file.data[from + called.size] == '/' ||
			    text_is(called, "/");

		if (begins && ends && text_equal(text_of(file.data + from, called.size), called))
			return true;
		if (*called.data == '/')
			return false;
	}
	return false;
}

static bool
is_of_sources(const struct function_selection *s, struct stk_text file)
{
	for (unsigned i = 0; i < s->sources->count; i++)
		if (is_within(file, text_from(s->sources->at[i])))
			return true;
	return s->sources->count == 0;
}

static bool
was_changed(const struct function_selection *s, const struct ir_function *f)
{
	for (size_t i = 0; i < s->lines.count; i++)
		if (s->lines.at[i].line >= f->source_line && s->lines.at[i].line <= f->source_end &&
		    f->source_line > 0 && is_within(f->file, text_table_text(&s->files, s->lines.at[i].file)))
			return true;
	return false;
}

bool
function_selection_has(const struct function_selection *s, const struct ir_function *f)
{
	return is_of_sources(s, f->file) && (!s->by_lines || was_changed(s, f));
}

/* --- names --- */

bool
function_is_called(const struct ir_function *f, struct stk_text name)
{
	return native_name_is(f->name, name);
}

struct stk_text
take_function_name(struct stk_text *names)
{
	size_t size = 0;
	int depth = 0;
	struct stk_text name;

	for (; size < names->size && (names->data[size] != ',' || depth > 0); size++) {
		depth += names->data[size] == '(' || names->data[size] == '<';
		depth -= names->data[size] == ')' || names->data[size] == '>';
	}
	name = text_of(names->data, size);
	size += size < names->size;
	*names = text_of(names->data + size, names->size - size);
	return name;
}
