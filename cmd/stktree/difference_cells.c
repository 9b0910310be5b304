/* SPDX-License-Identifier: MIT
 * difference_cells: what all reports of a comparison have in common: shares or rates, the difference with its limits,
 * overweight, and the remarks below. */
#include "difference.h"

#include "base/quantities.h"
#include "program/program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIGITS_MOST  12		/* after the point */
#define FEW_BLOCKS   4		/* with less, bursts are hardly measured */

/* --- cells --- */

/* Growth of all samples, to compare that of a row with. */
static double
growth_of_all(const struct difference_report *r, unsigned side)
{
	double seconds = comparison_seconds(r->comparison, 0), a = (double)comparison_samples(r->comparison, 0),
	       b = (double)comparison_samples(r->comparison, side);

	if (!(seconds > 0) || !(comparison_seconds(r->comparison, side) > 0) || !(a > 0))
		return 0;
	a *= comparison_seconds(r->comparison, side) / seconds;
	return fabs(b - a) < 2 * sqrt(a + b) ? 0 : (b - a) / a;
}

/* The names of the report; after delta for people, and at the end for others but tsv, whose columns are what they
 * always were, that of overweight. */
static unsigned
add_names(struct difference_report *r, unsigned n, const char *const *names)
{
	enum form form = r->settings->form;

	for (unsigned side = 1; side < r->sides; side++) {
		r->growth[side] = growth_of_all(r, side);
		r->weighed |= form == FORM_NDJSON || (form == FORM_TEXT && fabs(r->growth[side]) > 0);
	}
	for (; *names != NULL && n + 2 < DIFFERENCE_NAMES_MOST; names++) {
		r->columns[n++] = *names;
		if (r->weighed && form == FORM_TEXT && strncmp(*names, "delta", 5) == 0)
			r->columns[n++] = "overweight %#?";
		else if (r->weighed && strcmp(*names, "significant") == 0)
			r->columns[n++] = "overweight";
	}
	return n;
}

/* For people each part has its unit; where that is not a share it is a rate. */
void
difference_begin(struct difference_report *r, const char *const *for_people, const char *const *for_programs)
{
	bool people = r->settings->form == FORM_TEXT;
	const char *const *names = people ? for_people : for_programs;
	unsigned n = 0;

	if (r->sides > 2)
		r->columns[n++] = people ? "with>" : "with";
	n = add_names(r, n, names);
	r->columns[n] = NULL;
	row_printer_begin(&r->rows, (enum row_form)r->settings->form, r->printer, r->columns);
}

void
difference_row(struct difference_report *r, const struct compared_row *row)
{
	if (r->rows.form != ROWS_TEXT && !r->failed)
		r->failed = printer_settle(r->printer, false, &r->failure) < 0;
	if (r->sides > 2)
		row_text(&r->rows, text_from(r->names[row->side]));
}

/* A side without samples has no shares. */
static bool
has_parts(const struct difference_report *r, unsigned side)
{
	return !r->share || comparison_samples(r->comparison, side) > 0;
}

static double
part_of(const struct difference_report *r, unsigned side, uint64_t count)
{
	double whole = r->share ? (double)comparison_samples(r->comparison, side)
				: comparison_seconds(r->comparison, side);

	return whole > 0 ? (double)count / whole : 0;
}

/* So many that what a row is about has three that count, however small it is. */
static int
digits_of(const struct difference_report *r, const struct compared_row *row)
{
	double most = (r->share ? 100 : 1) * fmax(fmax(row->d.a, row->d.b), fabs(row->d.delta));
	int digits = most > 0 ? 2 - (int)floor(log10(most)) : 2;

	return digits < 0 ? 0 : digits > DIGITS_MOST ? DIGITS_MOST : digits;
}

void
difference_part(struct difference_report *r, const struct compared_row *row, unsigned side, uint64_t count)
{
	double part = part_of(r, side, count);

	if (!has_parts(r, side))
		row_unknown(&r->rows);
	else if (r->rows.form == ROWS_TEXT && count == 0)
		row_text(&r->rows, text_from("0"));
	else
		row_real(&r->rows, r->rows.form == ROWS_TEXT && r->share ? 100 * part : part, digits_of(r, row));
}

/* What is printed as 0 has no sign. */
static double
without_sign_of_0(double value, int digits)
{
	return fabs(value) * pow(10, digits) < 0.5 ? 0 : value;
}

/* A part of a side in samples a second. */
static double
rate_of(const struct difference_report *r, unsigned side, double part)
{
	double samples = (double)comparison_samples(r->comparison, side);

	return r->share ? part * samples / comparison_seconds(r->comparison, side) : part;
}

/* How much a row grew, in percent of what it would have, had all grown evenly. */
static void
weigh_row(struct difference_report *r, const struct compared_row *row)
{
	bool text = r->rows.form == ROWS_TEXT;
	double a = rate_of(r, 0, row->d.a), b = rate_of(r, row->side, row->d.b);
	double growth = r->growth[row->side], percent = 100 * ((b - a) / a) / growth;

	if (!r->weighed)
		return;
	if (text && (!(fabs(growth) > 0) || !(a > 0) || !(b > 0)))
		row_text(&r->rows, text_from(!(fabs(growth) > 0) ? "-" : a > 0 ? "gone" : "new"));
	else
		row_real(&r->rows,
			 !(fabs(growth) > 0) || !(a > 0) ? NAN
			 : text				 ? without_sign_of_0(percent, 0)
							 : percent,
			 0);
}

/* In place of a difference to a side without shares. */
static void
print_no_difference(struct difference_report *r)
{
	bool text = r->rows.form == ROWS_TEXT;

	for (unsigned cell = 0; cell < (text ? 2u + r->weighed : 3u); cell++)
		row_unknown(&r->rows);
	if (text)
		row_text(&r->rows, text_of("", 0));
	else
		row_count(&r->rows, 0);
	if (!text && r->weighed)
		row_unknown(&r->rows);
}

void
difference_cells(struct difference_report *r, const struct compared_row *row)
{
	double scale = r->share ? 100 : 1;
	int digits = digits_of(r, row);
	char delta[64], limits[128];

	if (!has_parts(r, 0) || !has_parts(r, row->side)) {
		print_no_difference(r);
		return;
	}
	if (r->rows.form != ROWS_TEXT) {
		row_real(&r->rows, row->d.delta, digits);
		row_real(&r->rows, row->d.low, digits);
		row_real(&r->rows, row->d.high, digits);
		row_count(&r->rows, row->significant);
		weigh_row(r, row);
		return;
	}
	(void)snprintf(delta, sizeof delta, row->d.delta > 0 || row->d.delta < 0 ? "%+.*f" : "%.*f", digits,
		       scale * row->d.delta);
	(void)snprintf(limits, sizeof limits, "%.*f to %.*f", digits, without_sign_of_0(scale * row->d.low, digits),
		       digits, without_sign_of_0(scale * row->d.high, digits));
	row_text(&r->rows, text_from(delta));
	weigh_row(r, row);
	row_text(&r->rows, text_from(limits));
	r->by_total |= row->by_total;
	row_text(&r->rows, text_from(!row->by_total ? row->significant ? "*" : "" : row->significant ? "*t" : "t"));
}

/* --- the end --- */

static void
remark_bursts(struct difference_report *r)
{
	for (unsigned side = 0; side < r->sides; side++)
		if (!has_parts(r, side))
			printer_remark(r->printer, "%s: no samples, so it has no shares to compare", r->names[side]);
		else if (comparison_blocks(r->comparison, side) < FEW_BLOCKS)
			printer_remark(r->printer, "%s: too few moments to tell bursts from changes: limits are rough",
				       r->names[side]);
		else if (comparison_blocks_are_estimates(r->comparison, side))
			printer_remark(r->printer, "%s: within intervals that have only counts no bursts are seen",
				       r->names[side]);
}

/* Limits and marks allow for these. */
static void
remark_bounded_sides(struct difference_report *r)
{
	for (unsigned side = 0; side < r->sides; side++) {
		const struct answer_bounds *known = comparison_bounds(r->comparison, side);
		double whole = (double)comparison_samples(r->comparison, side);

		if (known->value > 0 && whole > 0)
			printer_remark(r->printer, "%s: the tree leaves out the stacks of %.2f %% of the samples; "
						   "limits allow for them",
				       r->names[side], 100 * (double)known->value / whole);
		if (known->possible > 0)
			printer_remark(r->printer, "%s: %llu samples are estimated; limits allow for none or all",
				       r->names[side], (unsigned long long)known->estimated);
	}
}

static bool
compares_any(const struct difference_report *r)
{
	for (unsigned side = 1; side < r->sides; side++)
		if (has_parts(r, 0) && has_parts(r, side))
			return true;
	return false;
}

int
difference_end(struct difference_report *r, const struct compared_row *all, size_t count, size_t left, const char *one,
	       const char *many, struct stk_error *err)
{
	const struct settings *s = r->settings;
	size_t significant = 0;

	for (size_t i = 0; i < count; i++)
		significant += all[i].significant;
	if (r->failed) {
		row_printer_drop(&r->rows);
		*err = r->failure;
		return -1;
	}
	if (row_printer_end(&r->rows, err) < 0)
		return -1;
	if (s->form != FORM_TEXT)
		return 0;
	if (r->sides == 2)
		printer_remark(r->printer, "a: %s; b: %s", r->names[0], r->names[1]);
	else
		printer_remark(r->printer, "a: %s; b: what it is compared with", r->names[0]);
	printer_remark(r->printer, "%s; + is more in b; limits: of the difference, %g%% sure",
		       r->share ? "percent of the samples" : "samples a second", s->confidence);
	if (significant > 0)
		printer_remark(r->printer, "*: more than chance; of these at most %g%% are false", s->discovery);
	else if (compares_any(r))
		printer_remark(r->printer, "no difference is more than chance would make");
	if (r->by_total)
		printer_remark(r->printer, "t: the difference is that of the total, with what the function calls");
	if (r->weighed && r->sides == 2)
		printer_remark(r->printer,
			       "overweight: growth of a row in percent of that of all samples (%+.3g %% a second)",
			       100 * r->growth[1]);
	remark_bounded_sides(r);
	remark_bursts(r);
	if (left < count)
		printer_remark(r->printer, "left out: %zu %s (more with --top 0%s)", count - left,
			       count - left == 1 ? one : many, s->least > 0 ? ", --min 0" : "");
	return printer_settle(r->printer, true, err);
}
