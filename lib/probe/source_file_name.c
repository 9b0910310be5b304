/* SPDX-License-Identifier: MIT
 * source_file_name: util.c of two folders are two files, and b/c/../x.h is b/x.h: else functions of the one were
 * counted as those of the other, or not as what they are. */
#include "probe/source_file_name.h"

/* Takes the last part away, if there is one that can be: not "..", and not of "". */
static bool
go_up(struct text_buffer *to, size_t from)
{
	size_t at = to->count;

	while (at > from && to->at[at - 1] != '/')
		at--;
	if (at == to->count || text_is(text_in(to, at), ".."))
		return false;
	to->count = at > from ? at - 1 : at;
	return true;
}

/* Each part after the others, with a slash between; the root is a part that is empty. */
static void
add_part(struct text_buffer *to, size_t from, bool rooted, struct stk_text part)
{
	if (part.size == 0 || text_is(part, "."))
		return;
	if (text_is(part, "..") && (go_up(to, from) || rooted))
		return;
	if (to->count > from || rooted)
		add_char(to, '/');
	add_text(to, part);
}

static void
add_parts(struct text_buffer *to, size_t from, bool rooted, struct stk_text name)
{
	while (name.size > 0)
		add_part(to, from, rooted, text_take(&name, '/'));
}

static bool
is_rooted(struct stk_text name)
{
	return name.size > 0 && *name.data == '/';
}

/* "-", "<stdin>", "<built-in>": not in a folder. */
static bool
is_no_file(struct stk_text name)
{
	return name.size == 0 || *name.data == '<' || text_is(name, "-");
}

void
add_source_file_name(struct text_buffer *to, struct stk_text folder, struct stk_text file)
{
	size_t from = to->count;
	bool rooted = is_rooted(file) || is_rooted(folder);

	if (is_no_file(file)) {
		add_text(to, file);
		return;
	}
	if (!is_rooted(file))
		add_parts(to, from, rooted, folder);
	add_parts(to, from, rooted, file);
}
