/* SPDX-License-Identifier: MIT
 * kinds_text: the table of kinds and columns of this program, for people, for programs, and for FORMAT.md. */
#include "report/report.h"
#include "report/table.h"

static void
add_type(struct text_buffer *to, const struct stk_column_schema *column)
{
	static const char *const types[] = { "text", "count", "number", "real", "time", "span" };

	if (column->type < STK_TYPE_ENUM) {
		add_string(to, types[column->type]);
		return;
	}
	if (column->type == STK_TYPE_ID) {
		add_string(to, "id:"), add_string(to, stk_schema()->kind[column->refers].name);
		return;
	}
	add_string(to, "enum:");
	for (size_t n = 0; column->names[n] != NULL; n++)
		add_string(to, n > 0 ? "|" : ""), add_string(to, column->names[n]);
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
	add_string(to, kind->about), add_string(to, "\n\n| # | column | type | about |\n|---|---|---|---|\n");
	for (unsigned c = 0; c < kind->columns; c++) {
		type.count = 0;
		add_type(&type, &kind->column[c]);
		add_char(&type, '\0');
		add_format(to, "| %u | %s | ", c, kind->column[c].name);
		add_markdown(to, type.at), add_string(to, " | ");
		add_markdown(to, kind->column[c].about), add_string(to, " |\n");
	}
	array_release(&type);
}

static void
add_kind_tsv(struct text_buffer *to, const struct stk_kind_schema *kind)
{
	for (unsigned c = 0; c < kind->columns; c++) {
		add_format(to, "%u\t%s\t%s\t%u\t%s\t", kind->number, kind->name,
			   kind->definition ? "definition" : "row", c, kind->column[c].name);
		add_type(to, &kind->column[c]), add_char(to, '\t');
		add_escaped(to, text_from(kind->column[c].about)), add_char(to, '\n');
	}
}

static void
add_kind_text(struct printer *printer, const struct stk_kind_schema *kind)
{
	struct text_buffer *to = &printer->text;
	struct table table = { 0 };

	add_format(to, "%u %s (%s): ", kind->number, kind->name, kind->definition ? "definition" : "row");
	add_string(to, kind->about), add_char(to, '\n');
	table_column(&table, TABLE_RIGHT, "#");
	table_column(&table, TABLE_LEFT, "column");
	table_column(&table, TABLE_CUT, "type");
	table_column(&table, TABLE_CUT, "about");
	for (unsigned c = 0; c < kind->columns; c++) {
		size_t from;

		table_format(&table, "%u", c);
		table_cell(&table, text_from(kind->column[c].name));
		from = table.text.count;
		add_type(&table.text, &kind->column[c]);
		table_cell_from(&table, from);
		table_cell(&table, text_from(kind->column[c].about));
	}
	table_print(&table, printer);
	table_release(&table);
	add_char(to, '\n');
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
