/* SPDX-License-Identifier: MIT
 * format_list: the formats, for people and as a table for programs. */
#include "format_list.h"

#include "base/output.h"
#include "ingest/ingest.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/row_printer.h"

#include <string.h>

#define INDENT 6

static const char *
written_by(const struct text_format *format)
{
	return format->written_as != NULL ? format->written_as : "";
}

static enum row_form
row_form_named(const char *format)
{
	if (format == NULL || strcmp(format, "text") == 0)
		return ROWS_TEXT;
	if (strcmp(format, "tsv") == 0)
		return ROWS_TSV;
	if (strcmp(format, "ndjson") != 0)
		program_usage("--list-formats: -f: expected text, tsv, ndjson or md, not '%s'", format);
	return ROWS_NDJSON;
}

static void
show_format(struct row_printer *rows, const struct text_format *format)
{
	row_text(rows, text_from(format->name));
	row_text(rows, text_from(format->about));
	row_text(rows, text_from(format->shown_by));
	row_text(rows, text_from(written_by(format)));
}

static int
show_rows(struct printer *printer, enum row_form form, struct stk_error *err)
{
	static const char *const names[] = { "format", "what", "shown_by", "written_as", NULL };
	struct row_printer rows = { 0 };

	row_printer_begin(&rows, form, printer, names);
	for (size_t f = 0; text_formats[f] != NULL; f++)
		show_format(&rows, text_formats[f]);
	return row_printer_end(&rows, err);
}

/* As docs/formats.md has it. */
static void
show_markdown(struct printer *printer)
{
	struct text_buffer *to = &printer->text;

	add_string(to, "| format | what | recognised by | `stkcat -f` |\n|---|---|---|---|\n");
	for (size_t f = 0; text_formats[f] != NULL; f++)
		add_format(to, "| %s | %s | %s | %s |\n", text_formats[f]->name, text_formats[f]->about,
			   text_formats[f]->shown_by, written_by(text_formats[f]));
}

/* Sentences, which a table would have to cut. */
static void
show_paragraph(struct printer *printer, const struct text_format *format)
{
	struct text_buffer sentence = { 0 };
	size_t begin = printer->text.count;

	printer_prose(printer, 0, text_from(format->name));
	printer_paint(printer, begin, PAINT_HEAD);
	printer_prose(printer, INDENT, text_from(format->about));
	add_string(&sentence, "recognised by ");
	add_string(&sentence, format->shown_by);
	if (format->written_as != NULL)
		add_format(&sentence, "; written by stkcat -f %s", format->written_as);
	printer_prose(printer, INDENT, text_in(&sentence, 0));
	array_release(&sentence);
}

int
format_list_show(const char *format)
{
	bool markdown = format != NULL && strcmp(format, "md") == 0;
	enum row_form form = markdown ? ROWS_TEXT : row_form_named(format);
	struct output *output = NULL;
	struct stk_error err = { 0 };
	struct printer printer = { 0 };
	int result = output_open(&output, program_common.output, &err);

	if (result == 0) {
		printer = printer_to(output);
		if (form != ROWS_TEXT)
			result = show_rows(&printer, form, &err);
		if (markdown)
			show_markdown(&printer);
		for (size_t f = 0; form == ROWS_TEXT && !markdown && text_formats[f] != NULL; f++)
			show_paragraph(&printer, text_formats[f]);
	}
	if (result < 0 || printer_settle(&printer, true, &err) < 0)
		program_report(NULL, &err);
	stk_error_clear(&err);
	if (output_close(output, true, &err) < 0)
		program_report(NULL, &err);
	printer_release(&printer);
	return program_end();
}

void
format_list_refuse(const char *name)
{
	struct text_buffer names = { 0 };

	text_format_names(&names);
	program_usage("--format: expected %.*s, not '%s'", (int)names.count, names.at, name);
}
