/* SPDX-License-Identifier: MIT
 * kinds_text: the table of kinds and columns of this program, for people, for programs, and for FORMAT.md. */
#include "report/report.h"
#include "report/table.h"

#define BESIDE      10		/* a number of two digits, and blanks */
#define TYPE_LEAST  18		/* characters of a line of a type, and of what is about it */
#define ABOUT_LEAST 12

static void
add_type(struct text_buffer *to, const struct stk_column_schema *column)
{
	static const char *const types[] = { "text", "count", "number", "real", "time", "span" };

	if (column->type < STK_TYPE_ENUM) {
		add_string(to, types[column->type]);
		return;
	}
	if (column->type == STK_TYPE_ID) {
		add_string(to, "id:");
		add_string(to, stk_schema()->kind[column->refers].name);
		return;
	}
	add_string(to, "enum:");
	for (size_t n = 0; column->names[n] != NULL; n++) {
		add_string(to, n > 0 ? "|" : "");
		add_string(to, column->names[n]);
	}
}

/* A '|' would end a cell of a Markdown table. */
static void
add_markdown(struct text_buffer *to, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '|')
			add_char(to, '\\');
		add_char(to, *text);
	}
}

static void
add_kind_md(struct text_buffer *to, const struct stk_kind_schema *kind)
{
	struct text_buffer type = { 0 };

	add_format(to, "\n### %u %s (%s)\n\n", kind->number, kind->name, kind->definition ? "definition" : "row");
	add_string(to, kind->about);
	add_string(to, "\n\n| # | column | type | about |\n|---|---|---|---|\n");
	for (unsigned c = 0; c < kind->columns; c++) {
		type.count = 0;
		add_type(&type, &kind->column[c]);
		add_char(&type, '\0');
		add_format(to, "| %u | %s | ", c, kind->column[c].name);
		add_markdown(to, type.at);
		add_string(to, " | ");
		add_markdown(to, kind->column[c].about);
		add_string(to, " |\n");
	}
	array_release(&type);
}

static void
add_kind_tsv(struct text_buffer *to, const struct stk_kind_schema *kind)
{
	for (unsigned c = 0; c < kind->columns; c++) {
		add_format(to, "%u\t%s\t%s\t%u\t%s\t", kind->number, kind->name,
			   kind->definition ? "definition" : "row", c, kind->column[c].name);
		add_type(to, &kind->column[c]);
		add_char(to, '\t');
		add_escaped(to, text_from(kind->column[c].about));
		add_char(to, '\n');
	}
}

/* What of a text goes on a line of `room` characters is taken from it: up to the last `divider`, or the first where
 * that is too far. */
static struct stk_text
take_line(struct stk_text *rest, char divider, size_t room)
{
	size_t end = rest->size;
	struct stk_text line;

	if (rest->size > room) {
		const char *at = memrchr(rest->data, divider, room);

		at = at != NULL ? at : memchr(rest->data, divider, rest->size);
		end = at != NULL ? (size_t)(at - rest->data) + 1 : rest->size;
	}
	line = text_of(rest->data, end > 0 && rest->data[end - 1] == ' ' ? end - 1 : end);
	*rest = text_of(rest->data + end, rest->size - end);
	return line;
}

/* A column in as many lines as its type and what is about it need: they are texts to be read, and none is cut. */
static void
add_column_lines(struct table *table, unsigned number, const struct stk_column_schema *column, struct stk_text type,
		 size_t type_room, size_t about_room)
{
	struct stk_text about = text_from(column->about);

	for (unsigned line = 0; line == 0 || type.size > 0 || about.size > 0; line++) {
		if (line == 0)
			table_format(table, "%u", number);
		else
			table_cell(table, text_of("", 0));
		table_cell(table, text_from(line == 0 ? column->name : ""));
		table_cell(table, take_line(&type, '|', type_room));
		table_cell(table, take_line(&about, ' ', about_room));
	}
}

static size_t
longest_line(struct stk_text text, char divider, size_t room)
{
	size_t most = 0;

	while (text.size > 0) {
		size_t size = take_line(&text, divider, room).size;

		most = size > most ? size : most;
	}
	return most;
}

static void
add_title(struct printer *printer, const struct stk_kind_schema *kind, struct text_buffer *text)
{
	size_t from = printer->text.count;

	text->count = 0;
	add_format(text, "%u %s (%s): ", kind->number, kind->name, kind->definition ? "definition" : "row");
	add_string(text, kind->about);
	printer_prose(printer, 0, text_in(text, 0));
	printer_paint(printer, from, PAINT_HEAD);
}

static void
add_kind_text(struct printer *printer, const struct stk_kind_schema *kind)
{
	size_t width = printer->screen.width > 0 ? printer->screen.width : SCREEN_WIDTH_USUAL, names = 0, types = 0;
	size_t type_room = width / 4 > TYPE_LEAST ? width / 4 : TYPE_LEAST, about_room;
	struct text_buffer text = { 0 };
	struct table table = { 0 };

	add_title(printer, kind, &text);
	for (unsigned c = 0; c < kind->columns; c++) {
		size_t name = strlen(kind->column[c].name), type;

		text.count = 0;
		add_type(&text, &kind->column[c]);
		type = longest_line(text_in(&text, 0), '|', type_room);
		names = name > names ? name : names;
		types = type > types ? type : types;
	}
	about_room = names + types + BESIDE + ABOUT_LEAST < width ? width - names - types - BESIDE : ABOUT_LEAST;
	table_column(&table, TABLE_RIGHT, "#");
	table_column(&table, TABLE_LEFT, "column");
	table_column(&table, TABLE_LEFT, "type");
	table_column(&table, TABLE_LEFT, "about");
	for (unsigned c = 0; c < kind->columns; c++) {
		text.count = 0;
		add_type(&text, &kind->column[c]);
		add_column_lines(&table, c, &kind->column[c], text_in(&text, 0), type_room, about_room);
	}
	table_print(&table, printer);
	table_release(&table);
	array_release(&text);
	add_char(&printer->text, '\n');
}

void
kinds_add(struct printer *printer, const char *format)
{
	struct text_buffer *to = &printer->text;
	const struct stk_schema *schema = stk_schema();

	if (strcmp(format, "tsv") == 0)
		add_string(to, "number\tkind\trole\tplace\tcolumn\ttype\tabout\n");
	for (unsigned k = 0; k < schema->kinds; k++) {
		if (schema->kind[k].name == NULL)
			continue;
		if (strcmp(format, "md") == 0)
			add_kind_md(to, &schema->kind[k]);
		else if (strcmp(format, "tsv") == 0)
			add_kind_tsv(to, &schema->kind[k]);
		else
			add_kind_text(printer, &schema->kind[k]);
	}
}
