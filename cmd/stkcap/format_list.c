/* SPDX-License-Identifier: MIT
 * format_list: the table of formats for people. */
#include "format_list.h"

#include "base/output.h"
#include "ingest/ingest.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/row_printer.h"

#include <string.h>

static enum row_form
row_form_named(const char *format)
{
	if (format == NULL || strcmp(format, "text") == 0)
		return ROWS_TEXT;
	if (strcmp(format, "tsv") == 0)
		return ROWS_TSV;
	if (strcmp(format, "ndjson") != 0)
		program_usage("--list-formats: -f: expected text, tsv or ndjson, not '%s'", format);
	return ROWS_NDJSON;
}

static void
show_format(struct row_printer *rows, const struct text_format *format)
{
	row_text(rows, text_from(format->name));
	row_text(rows, text_from(format->about));
	row_text(rows, text_from(format->shown_by));
}

int
format_list_show(const char *format)
{
	static const char *const names[] = { "format", "what it is", "recognised by>", NULL },
				 *const programs[] = { "format", "what", "shown_by", NULL };
	enum row_form form = row_form_named(format);
	struct output *output = NULL;
	struct stk_error err = { 0 };
	struct printer printer = { 0 };
	struct row_printer rows = { 0 };

	if (output_open(&output, program_common.output, &err) == 0) {
		printer = printer_to(output);
		row_printer_begin(&rows, form, &printer, form == ROWS_TEXT ? names : programs);
		for (size_t f = 0; text_formats[f] != NULL; f++)
			show_format(&rows, text_formats[f]);
	}
	if (err.code != STK_EOK || row_printer_end(&rows, &err) < 0 || printer_settle(&printer, true, &err) < 0)
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
