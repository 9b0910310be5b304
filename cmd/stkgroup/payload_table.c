/* SPDX-License-Identifier: MIT
 * payload_table: what events of each group measured, a row for each name and unit. */
#include "group_views.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

struct payload_sheet {
	const struct grouped *of;
	struct row_printer rows;
	const char *names[KEY_NAMES_MOST];
	char from[TIME_TEXT_MAX];
	double seconds;				/* that rates are over; 0: not known */
};

static void
list_names(struct payload_sheet *sheet)
{
	static const char *const people[] = { "scheme>", "group>", "payload>", "unit>", "count#?", "sum#?", "a second#?",
		"least#?", "median#?", "p99#?", "most#?", NULL };
	static const char *const programs[] = { "scheme", "group", "payload", "unit", "count", "sum", "rate", "min", "p50",
		"p99", "max", NULL };
	const char *const *names = sheet->of->settings->form == ROWS_TEXT ? people : programs;

	name_key_columns(sheet->of, sheet->names, names);
}

/* Digits that people need to tell values apart. */
static void
print_measure(struct row_printer *rows, double value)
{
	double size = fabs(value);

	if (isnan(value))
		row_text(rows, text_from("-"));
	else
		row_real(rows, value, size >= 100 || size < 1e-9 ? 0 : size >= 1 ? 2 : 6);
}

static void
print_payload(struct payload_sheet *sheet, uint32_t key, const struct scheme *scheme, uint32_t group,
	      const struct group_payload *payload)
{
	struct row_printer *rows = &sheet->rows;
	double rate = sheet->seconds > 0 ? payload->sum / sheet->seconds : NAN;
	const double values[] = { payload->sum, rate, payload->least, payload->median, payload->p99, payload->most };

	print_key_columns(sheet->of, rows, sheet->from, key, scheme, group);
	row_text(rows, payload->name);
	row_text(rows, payload->unit);
	row_count(rows, payload->count);
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (sheet->of->settings->form == ROWS_TEXT)
			print_measure(rows, values[i]);
		else
			row_real(rows, values[i], 6);
}

static int
compare_payloads(const void *a, const void *b)
{
	const struct group_payload *x = a, *y = b;
	int order = text_compare(x->name, y->name);

	return order != 0 ? order : text_compare(x->unit, y->unit);
}

static void
print_group(struct payload_sheet *sheet, uint32_t key, const struct grouping *grouping, uint32_t group)
{
	const struct event_time *events = grouping_events(grouping);
	int64_t part = sheet->of->settings->step_ns > 0 ? sheet->of->window.from : 0;
	uint32_t next = event_time_of(events, part, key, group)->payloads;
	ARRAY(struct group_payload) payloads = { 0 };

	while (next != 0) {
		struct group_payload *payload = array_push(&payloads);

		event_time_payload(events, next, payload);
		next = payload->next;
	}
	if (payloads.count > 1)
		qsort(payloads.at, payloads.count, sizeof *payloads.at, compare_payloads);
	for (size_t i = 0; i < payloads.count; i++)
		print_payload(sheet, key, grouping_scheme(grouping), group, &payloads.at[i]);
	array_release(&payloads);
}

/* Of a step, the windows, or from the first event to the last. */
static double
seconds_of(const struct grouped *of)
{
	const struct event_choice *choice = &of->set->events;
	double sum = 0;

	if (choice->step_ns > 0)
		return (double)choice->step_ns / 1e9;
	for (unsigned w = 0; w < choice->windows_count; w++) {
		const struct time_window *window = &choice->windows[w];

		if (window->from_ns == INT64_MIN || window->to_ns == INT64_MAX)
			return event_time_seconds(grouping_events(of->set->groupings[0]), window);
		sum += (double)(window->to_ns - window->from_ns) / 1e9;
	}
	return choice->windows_count > 0 ? sum : event_time_seconds(grouping_events(of->set->groupings[0]), NULL);
}

int
show_payloads(struct grouped *of, struct stk_error *err)
{
	struct payload_sheet sheet = { .of = of };
	size_t header = of->printer->text.count, count = 0;
	uint32_t *keys = NULL;

	if (of->set->count > 0) {
		count = list_keys(of, &keys);
		sheet.seconds = seconds_of(of);
	}
	list_names(&sheet);
	time_print(sheet.from, of->window.from, of->settings->zone);
	row_printer_begin(&sheet.rows, of->settings->form, of->printer, sheet.names);
	if (!of->first)
		of->printer->text.count = header;
	of->first = false;
	for (size_t k = 0; k < count; k++)
		for (unsigned i = 0; i < of->set->count; i++)
			for (uint32_t g = 0; g <= of->set->schemes[i]->groups.count; g++)
				print_group(&sheet, keys[k], of->set->groupings[i],
					    g < of->set->schemes[i]->groups.count ? g + 1 : 0);
	free(keys);
	return row_printer_end(&sheet.rows, err);
}
