/* SPDX-License-Identifier: MIT
 * report_sheet: what the reports have in common. */
#include "report_sheet.h"
#include "base/quantities.h"
#include "choose/moments.h"

#include <math.h>

/* As stkcat writes times: plain seconds by a clock without a date. */
static void
print_bound(char to[TIME_TEXT_MAX], const struct window_report *r, int64_t ns)
{
	if (r->seconds)
		(void)seconds_print(to, ns);
	else
		(void)time_print(to, ns, r->settings->zone);
}

/* A name with the unit of what is counted in it. */
static const char *
name_with_unit(struct sheet *sheet, const struct window_report *r, const char *name)
{
	const char *place = strstr(name, UNIT);

	if (place == NULL)
		return name;
	add_text(&sheet->header, text_of(name, (size_t)(place - name)));
	add_unit(&sheet->header, &r->counted);
	add_string(&sheet->header, place + strlen(UNIT));
	add_char(&sheet->header, '\0');
	return sheet->header.at;
}

void
sheet_begin(struct sheet *sheet, const struct window_report *r, const char *const *for_people,
	    const char *const *for_programs)
{
	bool people = r->settings->form == FORM_TEXT;
	const char *const *names = people ? for_people : for_programs;
	unsigned n = 0;
	size_t header;

	sheet->windows = r->window != NULL && !people;
	if (sheet->windows) {
		sheet->names[n++] = "from";
		sheet->names[n++] = "to";
		print_bound(sheet->from, r, r->window->from);
		print_bound(sheet->to, r, r->window->to);
	}
	sheet->time = people && counts_time(&r->counted);
	while (*names != NULL) {
		if (r->when != NULL && names[1] == NULL)
			sheet->names[n++] = "when";		/* before what is named */
		sheet->names[n++] = r->when != NULL && strcmp(*names, "self %#") == 0 ? "self %#?" /* gives way */
										   : name_with_unit(sheet, r, *names);
		names++;
	}
	if (r->bounds->bounds > 0)
		sheet->names[n++] = "coverage";
	sheet->names[n] = NULL;
	header = r->printer->text.count;
	row_printer_begin(&sheet->rows, (enum row_form)r->settings->form, r->printer, sheet->names);
	if (!r->first)		/* one header for all */
		r->printer->text.count = header;
}

void
sheet_row(struct sheet *sheet)
{
	if (sheet->rows.form != ROWS_TEXT && !sheet->failed)
		sheet->failed = printer_settle(sheet->rows.printer, false, &sheet->failure) < 0;
	if (!sheet->windows)
		return;
	row_time(&sheet->rows, sheet->from);
	row_time(&sheet->rows, sheet->to);
}

void
sheet_amount(struct sheet *sheet, uint64_t amount)
{
	char time[TIME_TEXT_MAX];

	if (sheet->time && amount < INT64_MAX)
		row_text(&sheet->rows, text_from(duration_print(time, (int64_t)amount)));
	else
		row_count(&sheet->rows, amount);
}

int
sheet_end(struct sheet *sheet, struct stk_error *err)
{
	int result = row_printer_end(&sheet->rows, sheet->failed ? &(struct stk_error){ 0 } : err);

	array_release(&sheet->header);
	if (sheet->failed)
		*err = sheet->failure;
	return sheet->failed ? -1 : result;
}

void
sheet_share(struct sheet *sheet, uint64_t part, uint64_t whole)
{
	double share = whole == 0 ? 0 : (double)part / (double)whole;

	if (sheet->rows.form != ROWS_TEXT)
		row_real(&sheet->rows, share, 6);
	else if (part > 0 && share < 0.0005)
		row_text(&sheet->rows, text_from("<0.1"));
	else
		row_real(&sheet->rows, 100 * share, 1);
}

void
sheet_node_bounds(struct sheet *sheet, const struct window_report *r, uint32_t node)
{
	const struct column_bounds *b = r->bounds;
	const uint64_t *self = call_tree_self(r->tree, node);
	struct bounded_count own, total = bounded_total(r->tree, node, b);

	if (b->bounds == 0)
		return;
	own = bounded_sum(self[b->column], self[b->bounds], self[b->bounds + 1], b);
	if (is_left_out(r->tree, node))
		own = total = bounds_left_out(r, self[b->column], false);
	sheet_bounds(sheet, r, own);
	sheet_bounds(sheet, r, total);
	sheet_coverage(sheet, r);
}

size_t
rows_shown(const struct settings *s, size_t count)
{
	return s->top > 0 && (uint64_t)s->top < count ? (size_t)s->top : count;
}

bool
is_small(const struct settings *s, uint64_t part, uint64_t whole)
{
	return part == 0 || (double)part * 100 < s->least * (double)whole;
}

bool
is_small_within(const struct window_report *r, uint64_t part, uint64_t possible, uint64_t whole)
{
	return is_small(r->settings, part, whole) &&
	       (r->bounds->bounds == 0 || possible == 0 || r->settings->least > 0);
}

void
sheet_bounds(struct sheet *sheet, const struct window_report *r, struct bounded_count count)
{
	if (r->bounds->bounds == 0)
		return;
	row_count(&sheet->rows, count.least);
	row_count(&sheet->rows, count.most);
}

void
sheet_coverage(struct sheet *sheet, const struct window_report *r)
{
	if (r->bounds->bounds == 0)
		return;
	if (isnan(r->counted.covered) && sheet->rows.form == ROWS_TSV)
		row_text(&sheet->rows, text_of("", 0));
	else
		row_real(&sheet->rows, r->counted.covered, 6);
}

struct bounded_count
bounds_left_out(const struct window_report *r, uint64_t count, bool of_stack)
{
	const struct answer_bounds *known = &r->bounds->known;

	return (struct bounded_count){ count, 0, of_stack && !r->bounds->labels ? known->stack : known->most };
}

int
remark_left_out(const struct window_report *r, struct left_out_rows rows, struct stk_error *err)
{
	bool top = rows.shown < rows.large, least = rows.large < rows.all;
	size_t count = rows.all - rows.shown;

	if (r->settings->form == FORM_TEXT && count > 0)
		printer_remark(r->printer, "left out: %zu %s (more with %s%s%s)", count,
			       plural(count, rows.one, rows.many), top ? "--top 0" : "", top && least ? ", " : "",
			       least ? "--min 0" : "");
	return printer_settle(r->printer, true, err);
}
