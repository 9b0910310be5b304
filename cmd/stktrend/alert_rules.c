/* SPDX-License-Identifier: MIT
 * alert_rules: --alert: findings for cron's mail, a line each.
 *
 *	KIND,... [of PATTERN] [beyond SCORE]	any, or spike, burst, shift, drift, variance, saturation,
 *						stuck, cost-shift, new, gone
 *	PATTERN > VALUE, PATTERN < VALUE	the level now
 *	PATTERN reaches VALUE within TIME	by the line through its measures
 *	hoards [of PATTERN] > VALUE		bytes of the heap that a class holds */
#include "alert_text.h"
#include "series_text.h"
#include "trend_views.h"

#include "base/quantities.h"
#include "base/time_math.h"
#include "program/program.h"
#include "trend/hour_counts.h"
#include "trend/outlook.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HEAP "heap.used"

struct rule {
	enum { RULE_CHANGES, RULE_ABOVE, RULE_BELOW, RULE_REACHES, RULE_HOARDS } kind;
	char kinds[120], pattern[200];
	double value;
	int64_t within_ns;
};

static int
wrong(const char *text, struct stk_error *err)
{
	return stk_fail(
		err, STK_EUSAGE,
		"--alert: expected 'shift,drift of jdbc* beyond 8', 'heap.used > 4G', 'heap.used reaches 4G within 7d' or 'hoards > 500M', not '%s'",
		text);
}

static bool
are_kinds(const char *kinds)
{
	static const char *const known[] = { "any",        "spike", "burst",      "shift", "drift", "variance",
					     "saturation", "stuck", "cost-shift", "new",   "gone" };

	while (*kinds != '\0') {
		size_t size = strcspn(kinds, ","), k = 0;

		while (k < sizeof known / sizeof *known &&
		       (strlen(known[k]) != size || memcmp(known[k], kinds, size) != 0))
			k++;
		if (k == sizeof known / sizeof *known)
			return false;
		kinds += size + (kinds[size] == ',');
	}
	return true;
}

#define WORDS_MOST 6
#define WORD_SIZE  200

/* The words of a rule; one more than WORDS_MOST when it has too many, or one is too long. */
static int
split_words(const char *text, char words[WORDS_MOST][WORD_SIZE])
{
	int count = 0;

	for (text += strspn(text, " \t"); *text != '\0'; text += strspn(text, " \t")) {
		size_t size = strcspn(text, " \t");

		if (count == WORDS_MOST || size >= WORD_SIZE)
			return WORDS_MOST + 1;
		memcpy(words[count], text, size);
		words[count++][size] = '\0';
		text += size;
	}
	return count;
}

/* "hoards > 500M", "hoards of jdbc* > 500M" */
static int
parse_hoards(struct rule *rule, char words[WORDS_MOST][WORD_SIZE], int count, const char *text, struct stk_error *err)
{
	int at = count == 5 && strcmp(words[1], "of") == 0 ? 3 : 1;

	rule->kind = RULE_HOARDS;
	if (at == 3)
		(void)snprintf(rule->pattern, sizeof rule->pattern, "%.199s", words[2]);
	return count == at + 2 && strcmp(words[at], ">") == 0 && amount_parse(words[at + 1], &rule->value)
		       ? 0
		       : wrong(text, err);
}

static int
parse_rule(struct rule *rule, const char *text, struct stk_error *err)
{
	char words[WORDS_MOST][WORD_SIZE], *end;
	int count = split_words(text, words), at = 1;

	*rule = (struct rule){ .pattern = "*" };
	if (count >= 1 && strcmp(words[0], "hoards") == 0)
		return parse_hoards(rule, words, count, text, err);
	if (count == 3 && (strcmp(words[1], ">") == 0 || strcmp(words[1], "<") == 0)) {
		rule->kind = words[1][0] == '>' ? RULE_ABOVE : RULE_BELOW;
		(void)snprintf(rule->pattern, sizeof rule->pattern, "%.199s", words[0]);
		return amount_parse(words[2], &rule->value) ? 0 : wrong(text, err);
	}
	if (count == 5 && strcmp(words[1], "reaches") == 0 && strcmp(words[3], "within") == 0) {
		rule->kind = RULE_REACHES;
		(void)snprintf(rule->pattern, sizeof rule->pattern, "%.199s", words[0]);
		return amount_parse(words[2], &rule->value) ? duration_parse(words[4], &rule->within_ns, err)
							     : wrong(text, err);
	}
	if (count < 1 || strlen(words[0]) >= sizeof rule->kinds || !are_kinds(words[0]))
		return wrong(text, err);
	(void)snprintf(rule->kinds, sizeof rule->kinds, "%.119s", words[0]);
	if (at + 1 < count && strcmp(words[at], "of") == 0) {
		(void)snprintf(rule->pattern, sizeof rule->pattern, "%.199s", words[at + 1]);
		at += 2;
	}
	if (at + 1 < count && strcmp(words[at], "beyond") == 0) {
		rule->value = strtod(words[at + 1], &end);
		if (*end != '\0')
			return wrong(text, err);
		at += 2;
	}
	return at == count ? 0 : wrong(text, err);
}

/* --- findings --- */

static bool
is_of_kind(const struct rule *rule, const char *kind)
{
	const char *at = rule->kinds;

	if (strcmp(at, "any") == 0)
		return true;
	while (*at != '\0') {
		size_t size = strcspn(at, ",");

		if (strlen(kind) == size && memcmp(kind, at, size) == 0)
			return true;
		at += size + (at[size] == ',');
	}
	return false;
}

static bool
is_asked_by_name(const struct rule *rule, const char *kind)
{
	return strcmp(rule->kinds, "any") != 0 && is_of_kind(rule, kind);
}

static bool
is_for_rule(const struct trends *t, const struct rule *rule, const struct found_change *one)
{
	struct series named = { .name = one->subject };
	const struct series *series = one->series > 0 ? series_set_at(t->set, one->series) : &named;

	return rule->kind == RULE_CHANGES && !one->old && !series_set_is_of_halves(t->set, one) && !series->hidden &&
	       is_of_kind(rule, one->kind) &&
	       (!one->dropped || t->settings->all_changes ||
		(!one->settled && is_asked_by_name(rule, one->kind))) &&
	       one->change.score >= rule->value && series_matches(series, rule->pattern);
}

bool
is_told_alert(const struct trends *t, const struct found_change *found)
{
	struct stk_error err = { 0 };
	struct rule rule;

	for (unsigned a = 0; a < t->settings->alerts_count; a++)
		if (parse_rule(&rule, t->settings->alerts[a], &err) == 0 && is_for_rule(t, &rule, found))
			return true;
	return false;
}

/* A line: a change, and those after it that began together with it. told: by change, whether a rule before this one
 * told it. */
static void
alert_finding(const struct trends *t, const struct rule *rule, size_t first, bool *told, struct text_buffer *to)
{
	const struct found_change *changes = t->set->changes.at,
				  **list = mem_new(t->set->changes.count, sizeof *list);
	int64_t began = changes[first].finding_ns;
	char time[TIME_TEXT_MAX];
	size_t count = 0;

	for (size_t i = first; i < t->set->changes.count; i++) {
		bool together = began != STK_TIME_UNKNOWN && changes[i].finding_ns == began;

		if (told[i] || (i > first && !together) || !is_for_rule(t, rule, &changes[i]))
			continue;
		told[i] = true;
		list[count++] = &changes[i];
	}
	add_string(to, time_print(time, count > 1 ? began : changes[first].change.time_ns, t->settings->zone));
	add_char(to, ' ');
	add_changes(t, list, count, to);
	add_char(to, '\n');
	free(list);
}

static unsigned
alert_changes(const struct trends *t, const struct rule *rule, bool *told, struct text_buffer *to)
{
	unsigned found = 0;

	for (size_t i = 0; i < t->set->changes.count; i++)
		if (!told[i] && is_for_rule(t, rule, &t->set->changes.at[i])) {
			alert_finding(t, rule, i, told, to);
			found++;
		}
	return found;
}

static unsigned
alert_levels(const struct trends *t, const struct rule *rule, struct text_buffer *to)
{
	uint32_t *order = series_set_by_name(t->set);
	unsigned found = 0;

	for (uint32_t i = 0; i < series_set_count(t->set); i++) {
		const struct series *s = series_set_at(t->set, order[i]);
		char time[TIME_TEXT_MAX];

		if (!series_is_shown(s) || !series_matches(s, rule->pattern) ||
		    (rule->kind == RULE_ABOVE ? series_level(s) <= rule->value : series_level(s) >= rule->value))
			continue;
		found++;
		add_string(to, time_print(time, s->last_ns, t->settings->zone));
		add_char(to, ' ');
		add_series(s, to);
		add_string(to, ": level ");
		add_amount(s, series_level(s), to);
		add_string(to, rule->kind == RULE_ABOVE ? ", above " : ", below ");
		add_amount(s, rule->value, to);
		add_char(to, '\n');
	}
	free(order);
	return found;
}

/* " (95 %: 2026-08-02T14:00:00Z to 2026-08-09T10:00:00Z)" */
static void
add_limits_of(const struct outlook *o, const struct settings *s, struct text_buffer *to)
{
	char from[TIME_TEXT_MAX], until[TIME_TEXT_MAX];

	time_print(from, o->earliest_ns / 1000000000 * 1000000000, s->zone);
	time_print(until, o->latest_ns / 1000000000 * 1000000000, s->zone);
	add_format(to, " (%g %%: %s to %s)", 100 * s->confidence, from, o->latest_ns == INT64_MAX ? "never" : until);
}

static unsigned
alert_limits(const struct trends *t, const struct rule *rule, struct text_buffer *to)
{
	uint32_t *order = series_set_by_name(t->set);
	unsigned found = 0;

	for (uint32_t i = 0; i < series_set_count(t->set); i++) {
		const struct series *s = series_set_at(t->set, order[i]);
		struct outlook o;
		char time[TIME_TEXT_MAX], when[TIME_TEXT_MAX];

		if (!series_is_shown(s) || !series_matches(s, rule->pattern))
			continue;
		o = outlook_of_limit(t->set, order[i], plain_points_of(t, order[i]), rule->value);
		if (!o.known || o.never || o.when_ns > time_sum(s->last_ns, rule->within_ns))
			continue;
		found++;
		add_string(to, time_print(time, s->last_ns, t->settings->zone));
		add_char(to, ' ');
		add_series(s, to);
		add_string(to, ": reaches ");
		add_amount(s, rule->value, to);
		add_format(to, " at %s", time_print(when, o.when_ns / 1000000000 * 1000000000, t->settings->zone));
		add_limits_of(&o, t->settings, to);
		add_string(to, ", growing by ");
		add_amount(s, o.rate, to);
		add_string(to, o.restarts > 0 ? " a day, if not restarted\n" : " a day\n");
	}
	free(order);
	return found;
}

/* "2026-03-04T00:00:00Z 5c9a...: holds 612M of heap.used, 45.2M a thread" */
static void
add_hoarder(const struct trends *t, const struct heap_holders *h, const struct heap_holder *holder,
	    struct text_buffer *to)
{
	const struct series *of = series_set_at(t->set, h->subject);
	char time[TIME_TEXT_MAX];

	add_string(to, time_print(time, of->last_ns, t->settings->zone));
	add_char(to, ' ');
	add_series(series_set_at(t->set, h->classes[holder->class]), to);
	add_string(to, ": holds ");
	add_amount(of, holder->latest, to);
	add_string(to, " of ");
	series_add_name(of, to);
	add_string(to, ", ");
	add_amount(of, holder->per_thread, to);
	add_string(to, holder->grows ? " more for each hour of a thread\n" : " a thread\n");
}

static unsigned
hoarders_of(const struct trends *t, const struct rule *rule, uint32_t subject, struct text_buffer *to)
{
	struct heap_holders h;
	struct text_buffer name = { 0 };
	unsigned found = 0;

	if (t->settings->state != NULL)
		hour_counts_forget(t->set->hours);
	heap_holders_find(&h, t->set, subject);
	series_add_name(series_set_at(t->set, subject), &name);
	if (!h.fit.known)
		program_say("--alert hoards: %.*s: %zu hours of dumps and measures, %d needed", (int)name.count, name.at,
			    h.slots * h.hours, HEAP_SLOTS_LEAST);
	array_release(&name);
	for (size_t k = 0; k < h.fit.count; k++) {
		uint32_t number = h.classes[h.fit.holders[k].class];

		if (number == 0 || !(h.fit.holders[k].latest > rule->value) ||
		    !series_matches(series_set_at(t->set, number), rule->pattern))
			continue;
		found++;
		add_hoarder(t, &h, &h.fit.holders[k], to);
	}
	heap_holders_release(&h);
	return found;
}

static unsigned
alert_hoards(const struct trends *t, const struct rule *rule, struct text_buffer *to)
{
	uint32_t *order = series_set_by_name(t->set);
	unsigned found = 0;
	bool any = false;

	for (uint32_t i = 0; i < series_set_count(t->set); i++) {
		const struct series *s = series_set_at(t->set, order[i]);

		if (s->kind != STK_SERIES_METRIC || !text_is(s->name, HEAP) || !series_is_shown(s))
			continue;
		any = true;
		found += hoarders_of(t, rule, order[i], to);
	}
	if (!any)
		program_warn("--alert hoards: no series '%s' in the input", HEAP);
	free(order);
	return found;
}

bool
alert_rules_want_holders(const struct settings *settings)
{
	struct stk_error err = { 0 };
	struct rule rule;

	for (unsigned a = 0; a < settings->alerts_count; a++)
		if (parse_rule(&rule, settings->alerts[a], &err) == 0 && rule.kind == RULE_HOARDS)
			return true;
	return false;
}

int
alert_rules_check(const struct settings *settings, struct stk_error *err)
{
	struct rule rule;

	for (unsigned a = 0; a < settings->alerts_count; a++)
		if (parse_rule(&rule, settings->alerts[a], err) < 0)
			return -1;
	return 0;
}

static bool
is_of_a_series(const struct trends *t, const struct rule *rule)
{
	for (uint32_t n = 1; n <= series_set_count(t->set); n++) {
		const struct series *s = series_set_at(t->set, n);

		if (series_is_shown(s) && series_matches(s, rule->pattern))
			return true;
	}
	return false;
}

/* A name that nothing has may be a typo, and then nothing is ever told. What is new may have no series yet; threads
 * that are stuck never have one. */
static void
say_if_of_nothing(const struct trends *t, const struct rule *rule, const char *text)
{
	if (is_of_kind(rule, "stuck") || strcmp(rule->pattern, "*") == 0 || is_of_a_series(t, rule))
		return;
	if ((rule->kind == RULE_ABOVE || rule->kind == RULE_BELOW || rule->kind == RULE_REACHES) &&
	    strchr(rule->pattern, '*') == NULL)
		program_warn("--alert '%s': no series '%s' in the input", text, rule->pattern);
	else
		program_say("--alert '%s': no series '%s' in the input so far", text, rule->pattern);
}

int
show_alerts(const struct trends *t, unsigned *found, struct stk_error *err)
{
	bool *told = mem_new(t->set->changes.count + 1, sizeof *told);
	struct text_buffer *to = &t->printer->text;
	bool of_changes = false;
	int result = 0;

	*found = 0;
	for (unsigned a = 0; a < t->settings->alerts_count && result == 0; a++) {
		struct rule rule;

		result = parse_rule(&rule, t->settings->alerts[a], err);
		if (result == 0)
			say_if_of_nothing(t, &rule, t->settings->alerts[a]);
		of_changes |= result == 0 && rule.kind == RULE_CHANGES && strcmp(rule.kinds, "stuck") != 0;
		if (result == 0)
			*found += rule.kind == RULE_CHANGES ? alert_changes(t, &rule, told, to) :
				  rule.kind == RULE_REACHES ? alert_limits(t, &rule, to) :
				  rule.kind == RULE_HOARDS  ? alert_hoards(t, &rule, to) : alert_levels(t, &rule, to);
	}
	if (of_changes)
		say_what_was_judged(t, *found);
	free(told);
	return result < 0 ? -1 : printer_settle(t->printer, true, err);
}
