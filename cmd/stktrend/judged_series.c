/* SPDX-License-Identifier: MIT */
#include "trend_views.h"

#include "program/program.h"

#include <stdarg.h>
#include <stdio.h>

/* A plain series is judged as a whole, others once their last seasons have begun and enough measures came since. */
static bool
is_judged(const struct trends *t, uint32_t number)
{
	const struct series *s = series_set_at(t->set, number);

	if (s->model != NULL)
		return s->filter.count >= LEVEL_CHANGES_LEAST;
	if (watched_counts_tell(t->set, number))
		return true;
	return s->stage + 1 == t->set->stages && s->watch.count > t->set->options->watch.learn;
}

static bool
is_table(const struct trends *t)
{
	return t->settings->view == TREND_ANOMALIES && t->settings->form == ROWS_TEXT;
}

/* Beside the table for people; on standard error where a table is for programs, or there is none. */
static void
remark(const struct trends *t, const char *format, ...)
{
	char text[400];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	if (is_table(t))
		printer_remark(t->printer, "%s", text);
	else
		program_say("%s: %s", t->settings->view == TREND_ALERT ? "--alert" : "--anomalies", text);
}

void
say_what_was_judged(const struct trends *t, size_t found)
{
	const struct series_set *set = t->set;
	size_t shown = 0, judged = 0, unseasoned = 0;
	uint64_t measures = 0;

	for (uint32_t n = 1; n <= series_set_count(set); n++) {
		const struct series *s = series_set_at(set, n);

		if (!series_is_shown(s) || s->split)
			continue;
		shown++;
		judged += is_judged(t, n);
		if (is_judged(t, n))
			continue;
		unseasoned += s->model == NULL && s->stage + 1 < set->stages;
		measures = s->filter.count > measures ? s->filter.count : measures;
	}
	if (found == 0 && judged > 0 && is_table(t))
		remark(t, "no anomalies in %zu series", judged);
	if (unseasoned > 0)
		remark(t,
		       "%zu series cannot be judged yet: it takes %u days to learn their season, %.3g so far, and then %u measures "
		       "(--changes finds what became another; --periods none: without seasons)",
		       unseasoned, series_set_days_needed(set, set->stages - 1), series_set_days_seen(set),
		       set->options->watch.learn);
	if (shown - judged > unseasoned)
		remark(t, "%zu series cannot be judged yet: it takes %u measures, %llu so far", shown - judged - unseasoned,
		       t->plain != NULL ? LEVEL_CHANGES_LEAST : set->options->watch.learn,
		       (unsigned long long)measures);
}
