/* SPDX-License-Identifier: MIT
 * rank_table: --against: which series explain another, such as the heap. */
#include "trend_views.h"

#include "program/program.h"
#include "trend/ranking.h"

int
rank_series(const struct trends *t, struct ranking *ranking, struct stk_error *err)
{
	const char *pattern = t->settings->subject;
	uint32_t subject = series_set_first(t->set, pattern);

	*ranking = (struct ranking){ 0 };
	if (subject == 0)
		return stk_fail(err, STK_EUSAGE, "--against: no series '%s' in the input", pattern);
	if (ranking_make(ranking, t->set, subject))
		return 0;
	*t->too_early = true;
	return stk_fail(err, STK_EUSAGE, "--against %s: it has no season yet: two days of it are needed", pattern);
}

static void
probability(struct row_printer *rows, double p)
{
	struct text_buffer text = { 0 };

	add_format(&text, "%.2g", p);
	row_text(rows, text_in(&text, 0));
	array_release(&text);
}

static void
row_for_people(const struct trends *t, struct row_printer *rows, const struct ranked_series *ranked)
{
	const struct series *s = series_set_at(t->set, ranked->number);
	struct text_buffer text = { 0 };
	char lag[TIME_TEXT_MAX];

	series_add_name(s, &text);
	if (s->label.size > 0) {
		add_string(&text, "  ");
		add_text(&text, s->label);
	}
	row_text(rows, text_in(&text, 0));
	array_release(&text);
	row_real(rows, ranked->correlation, 3);
	row_text(rows, text_from(duration_print(lag, ranked->lag_ns)));
	probability(rows, ranked->p);
	probability(rows, ranked->q);
	row_real(rows, ranked->together, 3);
}

static void
row_for_programs(const struct trends *t, struct row_printer *rows, const struct ranked_series *ranked)
{
	const struct series *s = series_set_at(t->set, ranked->number);
	struct text_buffer text = { 0 };

	series_add_name(s, &text);
	row_text(rows, text_in(&text, 0));
	array_release(&text);
	row_real(rows, ranked->correlation, 3);
	row_real(rows, (double)ranked->lag_ns / 1e9, 0);
	row_real(rows, ranked->p, 6);
	row_real(rows, ranked->q, 6);
	row_real(rows, ranked->together, 6);
	row_text(rows, text_from(series_kind_names[s->kind]));
	row_text(rows, s->label.data == NULL ? text_of("", 0) : s->label);
}

/* People see those that are claimed, programs all. */
int
show_ranks(const struct trends *t, struct stk_error *err)
{
	static const char *const people[] = { "series*", "correlation#", "lag#", "p#", "q#", "together#", NULL };
	static const char *const programs[] = { "series",   "correlation", "lag",   "p", "q",
						"together", "kind",        "about", NULL };
	const struct settings *s = t->settings;
	bool text = s->form == ROWS_TEXT;
	struct ranking ranking;
	struct row_printer rows;
	size_t claimed = 0;

	if (rank_series(t, &ranking, err) < 0)
		return -1;
	row_printer_begin(&rows, s->form, t->printer, text ? people : programs);
	for (size_t i = 0; i < ranking.count && (!text || i < (size_t)s->top); i++) {
		if (!text) {
			row_for_programs(t, &rows, &ranking.at[i]);
		} else if (ranking.at[i].q <= s->discovery) {
			row_for_people(t, &rows, &ranking.at[i]);
			claimed++;
		}
	}
	if (text && claimed == 0)
		program_say("none of %zu series explains %s: at most %.0f %% of what is claimed may be chance",
			    ranking.count, s->subject, s->discovery * 100);
	ranking_release(&ranking);
	return row_printer_end(&rows, err);
}
