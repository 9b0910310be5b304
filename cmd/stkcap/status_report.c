/* SPDX-License-Identifier: MIT
 * status_report: a table of the processes and a line about the capture for people, or metrics for Prometheus. */
#include "status_report.h"

#include "base/output.h"
#include "base/quantities.h"
#include "capture/status_socket.h"
#include "capture/status_text.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/exposition.h"
#include "report/row_printer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status_format { IN_TEXT, IN_TSV, IN_NDJSON, IN_OPENMETRICS };

static enum status_format
format_of(const char *name)
{
	static const char *const names[] = { "text", "tsv", "ndjson", "openmetrics" };

	for (unsigned i = 0; i < 4; i++)
		if (name == NULL || strcmp(name, names[i]) == 0)
			return (enum status_format)i;
	program_usage("--status: -f: expected text, tsv, ndjson or openmetrics, not '%s'", name);
}

/* --- for people, and as rows --- */

/* The capture's own figures, which are not those of a process. */
static void
print_capture(struct printer *printer, const struct status_capture *c)
{
	char line[400];

	snprintf(line, sizeof line,
		 "stkcap %llu, for %.0f s: %llu %s (%llu lost), %llu %s (%llu lost); %.2f %% of a processor",
		 (unsigned long long)c->pid, c->uptime_seconds, (unsigned long long)c->dumps,
		 plural(c->dumps, "dump", "dumps"), (unsigned long long)c->lost_dumps,
		 (unsigned long long)c->samples, plural(c->samples, "sample", "samples"),
		 (unsigned long long)c->lost_samples, 100 * c->cpu_share);
	printer_prose(printer, 0, text_from(line));
	add_string(&printer->text, "file: ");
	add_text(&printer->text, c->file);
	snprintf(line, sizeof line, " (%llu bytes)\n", (unsigned long long)c->file_bytes);
	add_string(&printer->text, line);
	if (c->memory_bytes > 0)
		printer_remark(printer, "--when does not hold: the last %.0f s are in memory (%llu bytes)",
			       c->memory_seconds, (unsigned long long)c->memory_bytes);
	if (c->ticks_expected > 0)
		printer_remark(printer, "ticks: %llu expected, %llu seen, %llu lost",
			       (unsigned long long)c->ticks_expected, (unsigned long long)c->ticks_seen,
			       (unsigned long long)c->ticks_lost);
	if (c->uploads_waiting > 0 || c->upload_failures > 0)
		printer_remark(printer, "%llu finished %s to be uploaded; %llu %s of the program failed",
			       (unsigned long long)c->uploads_waiting, plural(c->uploads_waiting, "file", "files"),
			       (unsigned long long)c->upload_failures, plural(c->upload_failures, "run", "runs"));
	if (c->processes_left_out > 0)
		printer_remark(printer, "%llu %s not captured: too many at once",
			       (unsigned long long)c->processes_left_out,
			       plural(c->processes_left_out, "process is", "processes are"));
	add_char(&printer->text, '\n');
}

/* For people a share is a percentage. */
static void
print_processes(struct row_printer *rows, const struct status *status)
{
	for (size_t i = 0; i < status->processes.count; i++)
		for (const struct status_field *field = status_process_fields; field->name != NULL; field++) {
			const void *process = &status->processes.at[i];
			bool share = strstr(field->name, "_share") != NULL && rows->form == ROWS_TEXT;

			if (field->form == STATUS_TEXT)
				row_text(rows, status_words(process, field));
			else if (field->form == STATUS_COUNT)
				row_count(rows, status_count(process, field));
			else
				row_real(rows, (share ? 100 : 1) * status_real(process, field), share ? 2 : 3);
		}
}

static int
print_rows(struct printer *printer, const struct status *status, enum status_format format, struct stk_error *err)
{
	static const char *const people[] = { "process*", "way",      "pid#",       "every s#",  "now s#",
					      "moments#", "seen#",    "partial#",   "refused#",  "late#",
					      "owed#",    "unmet#", "skipped#", "stopped %#", "budget %#", "spared#", NULL },
				 *const programs[] = { "process",          "way",          "pid",  "every_seconds",
						       "interval_seconds", "expected",     "seen", "partial",
						       "refused",          "late",         "owed", "unmet", "skipped",
						       "pause_share",      "budget_share", "spared", NULL };
	struct row_printer rows;

	if (format == IN_TEXT)
		print_capture(printer, &status->capture);
	row_printer_begin(&rows, (enum row_form)format, printer, format == IN_TEXT ? people : programs);
	print_processes(&rows, status);
	return row_printer_end(&rows, err);
}

/* --- for Prometheus --- */

static void
print_value(struct text_buffer *to, const void *of, const struct status_field *field)
{
	char number[64];

	if (field->form == STATUS_COUNT)
		snprintf(number, sizeof number, " %llu\n", (unsigned long long)status_count(of, field));
	else
		snprintf(number, sizeof number, " %.9g\n", status_real(of, field));
	add_string(to, number);
}

static void
print_family(struct text_buffer *to, const struct status_field *field)
{
	const char *unit = strrchr(field->metric, '_');
	bool has_unit = strcmp(unit, "_seconds") == 0 || strcmp(unit, "_bytes") == 0 || strcmp(unit, "_ratio") == 0;

	add_string(to, "# TYPE ");
	add_string(to, field->metric);
	add_string(to, field->grows ? " counter\n" : " gauge\n");
	if (has_unit) {
		add_string(to, "# UNIT ");
		add_string(to, field->metric);
		add_char(to, ' ');
		add_string(to, unit + 1);
		add_char(to, '\n');
	}
	add_string(to, "# HELP ");
	add_string(to, field->metric);
	add_char(to, ' ');
	add_string(to, field->help);
	add_char(to, '\n');
}

static void
print_metrics(struct text_buffer *to, const struct status *status)
{
	for (const struct status_field *field = status_capture_fields; field->name != NULL; field++) {
		if (field->metric == NULL)
			continue;
		print_family(to, field);
		add_string(to, field->metric);
		add_string(to, field->grows ? "_total" : "");
		print_value(to, &status->capture, field);
	}
	for (const struct status_field *field = status_process_fields; field->name != NULL; field++) {
		if (field->metric == NULL)
			continue;
		print_family(to, field);
		for (size_t i = 0; i < status->processes.count; i++) {
			add_string(to, field->metric);
			add_string(to, field->grows ? "_total{" : "{");
			exposition_label(to, "process", status->processes.at[i].name);
			add_char(to, '}');
			print_value(to, &status->processes.at[i], field);
		}
	}
	add_string(to, "# EOF\n");
}

/* --- both --- */

static int
print_status(const struct status *status, enum status_format format, struct stk_error *err)
{
	struct output *output = NULL;
	struct printer printer = { 0 };
	struct stk_error late = { 0 };
	bool well;

	if (output_open(&output, program_common.output, err) < 0)
		return -1;
	printer = printer_to(output);
	if (format == IN_OPENMETRICS)
		print_metrics(&printer.text, status);
	well = (format == IN_OPENMETRICS || print_rows(&printer, status, format, err) == 0) &&
	       printer_settle(&printer, true, err) == 0;
	printer_release(&printer);
	if (output_close(output, well, &late) < 0 && well)
		*err = late;
	return well && late.code == STK_EOK ? 0 : -1;
}

int
show_status(const char *socket_path, const char *format, int64_t patience_ns)
{
	enum status_format form = format_of(format);
	struct status status = { 0 };
	struct stk_error err = { 0 };
	char *text = NULL;
	size_t size = 0;

	if (status_socket_ask(socket_path, patience_ns, &text, &size, &err) < 0) {
		program_report(NULL, &err);
	} else if (status_read(&status, text_of(text, size), &err) < 0) {
		program_report(socket_path, &err);
	} else {
		if (!status.whole)
			program_warn("%s: the answer is cut", socket_path);
		if (print_status(&status, form, &err) < 0)
			program_report(NULL, &err);
	}
	status_release(&status);
	free(text);
	return program_end();
}
