/* SPDX-License-Identifier: MIT
 * csv: the table of TSV with commas and quotes, as RFC 4180 has them: what TSV writes as \t, \n, \r and \\ is that
 * character again; other escapes stay, because a spreadsheet would lose those bytes. */
#include "report/tsv.h"

/* The character that TSV escaped here; 0 when it is none of the four. */
static char
unescaped(const char *at, const char *end)
{
	if (*at != '\\' || at + 1 == end)
		return '\0';
	return at[1] == 't' ? '\t' : at[1] == 'n' ? '\n' : at[1] == 'r' ? '\r' : at[1] == '\\' ? '\\' : '\0';
}

static bool
wants_quotes(struct stk_text field)
{
	bool wants = field.size > 0 && (field.data[0] == ' ' || field.data[field.size - 1] == ' ');

	for (size_t i = 0; i < field.size && !wants; i++) {
		char c = unescaped(field.data + i, field.data + field.size);

		wants = field.data[i] == '"' || field.data[i] == ',' || c == '\n' || c == '\r';
		i += c != '\0';
	}
	return wants;
}

static void
add_field(struct text_buffer *to, struct stk_text field)
{
	const char *end = field.data + field.size;
	bool quoted = wants_quotes(field);

	if (quoted)
		add_char(to, '"');
	for (const char *at = field.data; at < end; at++) {
		char c = unescaped(at, end);

		if (*at == '"')
			add_char(to, '"');
		add_char(to, c != '\0' ? c : *at);
		at += c != '\0';
	}
	if (quoted)
		add_char(to, '"');
}

void
csv_of_tsv(struct text_buffer *to, size_t from, struct text_buffer *scratch)
{
	struct stk_text rows = text_in(to, from);

	scratch->count = 0;
	while (rows.size > 0) {
		struct stk_text row = text_take(&rows, '\n');
		const char *end = row.data + row.size;
		bool more;

		do {
			more = memchr(row.data, '\t', (size_t)(end - row.data)) != NULL;
			add_field(scratch, text_take(&row, '\t'));
			add_string(scratch, more ? "," : "\r\n");
		} while (more);
	}
	to->count = from;
	add_text(to, text_in(scratch, 0));
}
