/* SPDX-License-Identifier: MIT
 * openmetrics: metrics as the text of OpenMetrics 1.0, with their times: what a Prometheus server is filled with by
 * promtool tsdb create-blocks-from. All of a family must be together and each series in the order of time, so all rows
 * are kept until the end: 24 bytes each. */
#include "base/memory.h"
#include "base/text_table.h"
#include "report/exposition.h"
#include "report/report.h"
#include "report/viewer_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct series {
	uint32_t family, name, base, source;	/* base: the name without labels */
};

struct family {
	uint32_t base; /* of its first series */
	bool several; /* names that differ only in their punctuation */
};

struct point {
	uint32_t series, order;
	int64_t time_ns;
	double value;
};

struct openmetrics {
	struct report report;
	struct text_table families, names, sources, keys; /* series n has key n */
	ARRAY(struct family) family;
	ARRAY(struct series) series;
	ARRAY(struct point) points;
	struct text_buffer key, value;
	uint64_t timeless, repeated;
};

static void *
openmetrics_open(const struct report *report, struct stk_error *err)
{
	struct openmetrics *o = mem_new(1, sizeof *o);

	(void)err;
	o->report = *report;
	return o;
}

/* --- gathering --- */

/* "gc.cause.G1 Evacuation Pause" is stk_gc_cause_G1_Evacuation_Pause. */
static struct stk_text
family_name(struct openmetrics *o, struct stk_text name)
{
	o->key.count = 0;
	add_string(&o->key, "stk_");
	for (size_t i = 0; i < name.size; i++) {
		char c = name.data[i];
		bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		add_char(&o->key, fits ? c : '_');
	}
	return text_in(&o->key, 0);
}

static uint32_t
series_of(struct openmetrics *o, struct stk_text name, struct stk_text source)
{
	struct series is = { .name = text_table_number(&o->names, name),
			     .source = text_table_number(&o->sources, source) };
	struct family *family;
	struct stk_text base;
	uint32_t number;

	(void)exposition_labels(name, &base);
	is.base = text_table_number(&o->names, base);
	is.family = text_table_number(&o->families, family_name(o, base));
	while (o->family.count < is.family)
		*array_push(&o->family) = (struct family){ 0 };
	number = text_table_number(&o->keys, text_of((const char *)&is, sizeof is));
	if (number <= o->series.count)
		return number;
	*array_push(&o->series) = is;
	family = &o->family.at[is.family - 1];
	family->several |= family->base != 0 && family->base != is.base;
	family->base = is.base;
	return number;
}

static int
openmetrics_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct openmetrics *o = context;
	const uint32_t *rows;
	uint32_t count;

	if (block->kind != STK_METRIC || !selection_kind(o->report.selection, block->schema, block->kind))
		return 0;
	if (selection_rows(o->report.selection, reader, block, &rows, &count, err) < 0 ||
	    stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		struct stk_metric row;
		struct point *point;

		stk_reader_row(reader, selected_row(rows, i), &row);
		if (row.time == STK_TIME_UNKNOWN) {
			o->timeless++;
			continue;
		}
		point = array_push(&o->points);
		*point = (struct point){ 0, (uint32_t)o->points.count, row.time, row.value };
		point->series = series_of(o, row.name,
					  model_source_name(o->report.model, row.source));
	}
	return 0;
}

/* --- writing --- */

static int
by_family(const void *a, const void *b, void *context)
{
	const struct openmetrics *o = context;
	const struct point *p = a, *q = b;
	uint32_t one = o->series.at[p->series - 1].family, two = o->series.at[q->series - 1].family;

	if (one != two)
		return one < two ? -1 : 1;
	if (p->series != q->series)
		return p->series < q->series ? -1 : 1;
	if (p->time_ns != q->time_ns)
		return p->time_ns < q->time_ns ? -1 : 1;
	return p->order < q->order ? -1 : p->order > q->order;
}

static void
add_family(struct openmetrics *o, struct text_buffer *to, const struct series *series)
{
	struct stk_text family = text_table_text(&o->families, series->family);

	add_string(to, "# TYPE ");
	add_text(to, family);
	add_string(to, " gauge\n");
}

/* " 1767323046.5" */
static void
add_seconds(struct text_buffer *to, int64_t ns)
{
	long long part = llabs(ns) % 1000000000;

	add_format(to, " %s%lld", ns < 0 ? "-" : "", llabs(ns) / 1000000000);
	if (part == 0)
		return;
	add_format(to, ".%09lld", part);
	while (to->at[to->count - 1] == '0')
		to->count--;
}

/* Those of the name. One that is called like one of ours gets the name that Prometheus gives it when it scrapes. */
static void
add_labels(struct openmetrics *o, struct text_buffer *to, const struct series *series)
{
	struct stk_text base, labels = exposition_labels(text_table_text(&o->names, series->name), &base), label, value;
	bool named = o->family.at[series->family - 1].several;

	while (exposition_next(&labels, &label, &value)) {
		char name[EXPOSITION_LABEL_MAX];
		bool ours = text_is(label, "source") || (named && text_is(label, "name"));

		o->value.count = 0;
		exposition_add_value(&o->value, value);
		snprintf(name, sizeof name, "%s%.*s", ours ? "exported_" : "", (int)label.size, label.data);
		add_char(to, ',');
		exposition_label(to, name, text_in(&o->value, 0));
	}
}

static void
add_point(struct openmetrics *o, struct text_buffer *to, const struct point *point)
{
	const struct series *series = &o->series.at[point->series - 1];

	add_text(to, text_table_text(&o->families, series->family));
	add_char(to, '{');
	exposition_label(to, "source", text_table_text(&o->sources, series->source));
	if (o->family.at[series->family - 1].several) {
		add_char(to, ',');
		exposition_label(to, "name", text_table_text(&o->names, series->base));
	}
	add_labels(o, to, series);
	add_string(to, "} ");
	add_real(to, point->value);
	add_seconds(to, point->time_ns);
	add_char(to, '\n');
}

static int
openmetrics_finish(void *context, struct stk_error *err)
{
	struct openmetrics *o = context;
	struct printer *printer = o->report.printer;
	char text[120];

	if (o->points.count > 0)
		qsort_r(o->points.at, o->points.count, sizeof *o->points.at, by_family, o);
	for (size_t i = 0; i < o->points.count; i++) {
		const struct point *point = &o->points.at[i], *before = i > 0 ? point - 1 : NULL;
		const struct series *series = &o->series.at[point->series - 1];

		if (before == NULL || o->series.at[before->series - 1].family != series->family)
			add_family(o, &printer->text, series);
		if (i + 1 < o->points.count && point[1].series == point->series && point[1].time_ns == point->time_ns)
			o->repeated++;
		else
			add_point(o, &printer->text, point);
		if (printer_settle(printer, false, err) < 0)
			return -1;
	}
	add_string(&printer->text, "# EOF\n");
	if (o->timeless > 0) {
		snprintf(text, sizeof text, "openmetrics: %" PRIu64 " metrics have no time and are left out",
			 o->timeless);
		o->report.missing(text);
	}
	if (o->repeated > 0) {
		snprintf(text, sizeof text, "openmetrics: of %" PRIu64 " metrics at the same moment the last is kept",
			 o->repeated);
		o->report.missing(text);
	}
	return 0;
}

static void
openmetrics_close(void *context)
{
	struct openmetrics *o = context;

	text_table_release(&o->families);
	text_table_release(&o->names);
	text_table_release(&o->sources);
	text_table_release(&o->keys);
	array_release(&o->family);
	array_release(&o->series);
	array_release(&o->points);
	array_release(&o->key);
	array_release(&o->value);
	free(o);
}

const struct report_form openmetrics_form = { .name = "openmetrics",
					      .kinds = KIND_BIT(STK_METRIC),
					      .counts = KIND_BIT(STK_SAMPLE) | KIND_BIT(STK_EVENT) |
							KIND_BIT(STK_DEADLOCK),
					      .has = "metrics",
					      .open = openmetrics_open,
					      .take = openmetrics_take,
					      .finish = openmetrics_finish,
					      .close = openmetrics_close };
