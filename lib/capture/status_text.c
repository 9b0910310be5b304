/* SPDX-License-Identifier: MIT
 * status_text: fields are described once, for writing, reading and printing. */
#include "capture/status_text.h"

#include "base/quantities.h"

#include <stdio.h>
#include <string.h>

#define FIRST_LINE "stkcap-status\t1"
#define VALUE_MAX 4096	/* bytes of a text */
#define PROCESSES_MOST 4096

#define FIELD(of, member, form, metric, grows, help) \
	{ \
#member, form, offsetof(struct of, member), metric, grows, help \
	}
#define COUNT(of, member, metric, grows, help) FIELD(of, member, STATUS_COUNT, metric, grows, help)
#define REAL(of, member, metric, help) FIELD(of, member, STATUS_REAL, metric, false, help)
#define WORDS(of, member) FIELD(of, member, STATUS_TEXT, NULL, false, NULL)

const struct status_field status_capture_fields[] = {
	COUNT(status_capture, pid, NULL, false, NULL),
	REAL(status_capture, uptime_seconds, "stkcap_uptime_seconds", "since the capture began"),
	WORDS(status_capture, file),
	COUNT(status_capture, file_bytes, "stkcap_file_bytes", false, "size of the present file"),
	COUNT(status_capture, dumps, "stkcap_dumps", true, "dumps written"),
	COUNT(status_capture, samples, "stkcap_samples", true, "samples written"),
	COUNT(status_capture, lost_dumps, "stkcap_lost_dumps", true, "dumps not written, or removed by others"),
	COUNT(status_capture, lost_samples, "stkcap_lost_samples", true, "samples not written, or removed by others"),
	REAL(status_capture, cpu_share, "stkcap_cpu_ratio", "processors that the capture uses"),
	COUNT(status_capture, processes_left_out, "stkcap_processes_left_out", false, "processes without room"),
	COUNT(status_capture, uploads_waiting, "stkcap_uploads_waiting", false, "finished files to be uploaded"),
	COUNT(status_capture, upload_failures, "stkcap_upload_failures", true, "failed runs of the upload program"),
	COUNT(status_capture, ticks_expected, "stkcap_ticks_expected", true, "ticks of all processors' clocks"),
	COUNT(status_capture, ticks_seen, "stkcap_ticks_seen", true, "ticks that were counted"),
	COUNT(status_capture, ticks_lost, "stkcap_ticks_lost", true, "ticks that the kernel had no room for"),
	REAL(status_capture, memory_seconds, "stkcap_memory_seconds", "time that --look-back has in memory"),
	COUNT(status_capture, memory_bytes, "stkcap_memory_bytes", false, "size of what --look-back has in memory"),
	{ NULL, STATUS_COUNT, 0, NULL, false, NULL }
};

const struct status_field status_process_fields[] = {
	WORDS(status_process, name),
	WORDS(status_process, way),
	COUNT(status_process, pid, NULL, false, NULL),
	REAL(status_process, every_seconds, "stkcap_process_every_seconds", "between two dumps, as asked for"),
	REAL(status_process, interval_seconds, "stkcap_process_interval_seconds", "between two dumps, as it is now"),
	COUNT(status_process, expected, "stkcap_process_expected", true, "moments at which it was to be asked"),
	COUNT(status_process, seen, "stkcap_process_seen", true, "dumps"),
	COUNT(status_process, partial, "stkcap_process_partial", true, "dumps that end in the middle"),
	COUNT(status_process, refused, "stkcap_process_refused", true, "refusals"),
	COUNT(status_process, late, "stkcap_process_late", true, "moments without an answer in time"),
	COUNT(status_process, owed, "stkcap_process_owed", true, "moments at which an answer was still missing"),
	COUNT(status_process, unmet, "stkcap_process_unmet", true, "moments at which --when did not hold"),
	COUNT(status_process, skipped, "stkcap_process_skipped", true, "moments that passed meanwhile"),
	REAL(status_process, pause_share, "stkcap_process_pause_ratio", "time that it is stopped for dumps"),
	REAL(status_process, budget_share, "stkcap_process_budget_ratio", "time that it may be stopped"),
	{ NULL, STATUS_COUNT, 0, NULL, false, NULL }
};

uint64_t
status_count(const void *of, const struct status_field *field)
{
	uint64_t value;

	memcpy(&value, (const char *)of + field->offset, sizeof value);
	return value;
}

double
status_real(const void *of, const struct status_field *field)
{
	double value;

	memcpy(&value, (const char *)of + field->offset, sizeof value);
	return value;
}

struct stk_text
status_words(const void *of, const struct status_field *field)
{
	struct stk_text value;

	memcpy(&value, (const char *)of + field->offset, sizeof value);
	return value.data == NULL ? text_of("", 0) : value;
}

/* Tabs and newlines are part of the form, so they become blanks. */
static void
add_value(struct text_buffer *to, const void *of, const struct status_field *field)
{
	struct stk_text words;
	char number[64];

	switch (field->form) {
	case STATUS_COUNT:
		snprintf(number, sizeof number, "%llu", (unsigned long long)status_count(of, field));
		add_string(to, number);
		break;
	case STATUS_REAL:
		snprintf(number, sizeof number, "%.9g", status_real(of, field));
		add_string(to, number);
		break;
	case STATUS_TEXT:
		words = status_words(of, field);
		for (size_t i = 0; i < words.size && i < VALUE_MAX; i++)
			add_char(to, words.data[i] == '\t' || words.data[i] == '\n' ? ' ' : words.data[i]);
	}
}

static void
write_line(struct text_buffer *to, const char *word, const void *of, const struct status_field *fields)
{
	add_string(to, word);
	for (const struct status_field *field = fields; field->name != NULL; field++) {
		add_char(to, '\t');
		add_string(to, field->name);
		add_char(to, '=');
		add_value(to, of, field);
	}
	add_char(to, '\n');
}

void
status_write(struct text_buffer *to, const struct status *status)
{
	add_string(to, FIRST_LINE "\n");
	write_line(to, "capture", &status->capture, status_capture_fields);
	for (size_t i = 0; i < status->processes.count; i++)
		write_line(to, "process", &status->processes.at[i], status_process_fields);
	add_string(to, "end\n");
}

/* A number that is not one remains 0. */
static void
read_value(void *to, const struct status_field *field, struct stk_text text)
{
	struct stk_error unused = { 0 };
	char number[64];
	int64_t count = 0;
	double real = 0;

	if (field->form == STATUS_TEXT) {
		memcpy((char *)to + field->offset, &text, sizeof text);
		return;
	}
	snprintf(number, sizeof number, "%.*s", (int)(text.size < sizeof number ? text.size : sizeof number - 1),
		 text.data);
	if (field->form == STATUS_COUNT && number_parse(number, &count, &unused) == 0)
		memcpy((char *)to + field->offset, &count, sizeof count);
	else if (field->form == STATUS_REAL && real_parse(number, false, &real))
		memcpy((char *)to + field->offset, &real, sizeof real);
}

static void
read_fields(void *to, const struct status_field *fields, struct stk_text rest)
{
	while (rest.size > 0) {
		struct stk_text value = text_take(&rest, '\t'), name = text_take(&value, '=');

		for (const struct status_field *field = fields; field->name != NULL; field++)
			if (text_is(name, field->name))
				read_value(to, field, value);
	}
}

int
status_read(struct status *status, struct stk_text text, struct stk_error *err)
{
	*status = (struct status){ 0 };
	if (!text_is(text_take(&text, '\n'), FIRST_LINE))
		return stk_fail(err, STK_EDATA, "not the answer of a capture");
	while (text.size > 0 && !status->whole) {
		bool has_end = memchr(text.data, '\n', text.size) != NULL;
		struct stk_text line = text_take(&text, '\n'), word = text_take(&line, '\t');

		if (!has_end)
			break;
		status->whole = text_is(word, "end");
		if (text_is(word, "capture"))
			read_fields(&status->capture, status_capture_fields, line);
		if (text_is(word, "process") && status->processes.count < PROCESSES_MOST) {
			struct status_process *process = array_push(&status->processes);

			*process = (struct status_process){ 0 };
			read_fields(process, status_process_fields, line);
		}
	}
	return 0;
}

void
status_release(struct status *status)
{
	array_release(&status->processes);
}
