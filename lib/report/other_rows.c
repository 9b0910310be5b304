/* SPDX-License-Identifier: MIT */
#include "report/other_rows.h"

static uint64_t *
count_of(struct other_rows *others, unsigned kind)
{
	switch (kind) {
	case STK_SAMPLE:   return &others->samples;
	case STK_EVENT:    return &others->events;
	case STK_METRIC:   return &others->metrics;
	case STK_DEADLOCK: return &others->deadlocks;
	default:           return NULL;
	}
}

int
other_rows_take(struct other_rows *others, struct selection *selection, struct stk_reader *reader,
		const struct stk_block *block, struct stk_error *err)
{
	uint64_t *of = count_of(others, block->kind);
	const uint32_t *rows;
	uint32_t count;

	if (of == NULL)
		return 0;
	if (selection_rows(selection, reader, block, &rows, &count, err) < 0)
		return -1;
	*of += count;
	return 0;
}

void
other_rows_say(const struct other_rows *others, const struct report *report, const struct report_form *form)
{
	const struct { uint64_t rows; const char *name; } kinds[] = {
		{ others->samples, "sample" },
		{ others->events, "event" },
		{ others->metrics, "metric" },
		{ others->deadlocks, "deadlocked thread" },
	};
	struct text_buffer text = { 0 };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].rows > 0)
			add_format(&text, "%s%llu %s%s", text.count > 0 ? ", " : "", (unsigned long long)kinds[i].rows,
				   kinds[i].name, kinds[i].rows == 1 ? "" : "s");
	if (text.count > 0) {
		add_format(&text, " left out: -f %s has %s only%c", form->name, form->has, '\0');
		report->remark(text.at);
	}
	array_release(&text);
}
