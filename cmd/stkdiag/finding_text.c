/* SPDX-License-Identifier: MIT
 * finding_text: what a busy person can act on comes first; then each finding with the threads that show it, and the
 * command that shows more. */
#include "diag_views.h"

#include "base/quantities.h"
#include "diag/finding_lines.h"
#include "report/table.h"

#include <stdlib.h>

#define NS_PER_S       INT64_C(1000000000)
#define NAMES_MOST     3	/* in the command that shows threads */
#define SENTENCES_MOST 4	/* at the top */
#define OTHERS_MOST    3	/* times that are named of a finding that came again */

char *
time_of_process(const struct settings *settings, struct stk_text name, char to[TIME_TEXT_MAX], int64_t ns)
{
	const struct time_zone *zone = settings->choice.zone;
	struct time_zone *own = NULL;
	struct stk_error err = { 0 };
	char text[TIME_TEXT_MAX];

	if (zone == NULL && name.size > 0 && name.size < sizeof text) {
		memcpy(text, name.data, name.size);
		text[name.size] = '\0';
		if (time_zone_open(&own, text, &err) == 0)
			zone = own;
	}
	(void)time_print(to, ns, zone);
	time_zone_close(own);
	return to;
}

char *
finding_time(const struct diag_view_of *view, const struct finding *finding, char to[TIME_TEXT_MAX], int64_t ns)
{
	const struct diag_process *of;
	struct stk_text zone = text_from("");

	if (finding->process != 0) {
		of = dump_intake_process(diagnosis_intake(view->diagnosis), finding->process);
		zone = diagnosis_text(view->diagnosis, (uint32_t)of->row.zone);
	}
	return time_of_process(view->settings, zone, to, ns);
}

void
add_times(struct text_buffer *to, const struct diag_view_of *view, const struct finding *finding,
	  const struct time_range *times)
{
	char from[TIME_TEXT_MAX], until[TIME_TEXT_MAX];

	if (!time_range_is_known(times)) {
		add_string(to, "at an unknown time");
		return;
	}
	add_string(to, finding_time(view, finding, from, times->from_ns));
	if (times->to_ns == times->from_ns)
		return;
	(void)finding_time(view, finding, until, times->to_ns);
	add_string(to, " to ");
	/* the date is said once */
	add_string(to, strncmp(from, until, 11) == 0 ? until + 11 : until);
}

static enum paint
paint_of(const struct finding *finding)
{
	return finding->severity == STK_SEVERITY_CRITICAL ? PAINT_HOT
		: finding->severity == STK_SEVERITY_WARNING ? PAINT_WARM : PAINT_NONE;
}

static struct stk_text
process_name(const struct diag_view_of *view, const struct finding *finding)
{
	const struct diag_process *of;

	if (finding->process == 0)
		return text_from("");
	of = dump_intake_process(diagnosis_intake(view->diagnosis), finding->process);
	return diagnosis_text(view->diagnosis, of->name);
}

/* --- the sentences at the top --- */

/* Whether it is over; of what is judged over the whole time, this is no question. */
static void
add_end(struct text_buffer *to, const struct diag_view_of *view, const struct finding *finding)
{
	const struct diag_process *of;

	switch (finding->rule) {
	case RULE_HOT:
	case RULE_ALLOCATION:
	case RULE_LEAK:
	case RULE_GC:
	case RULE_GC_THREADS:
	case RULE_HEALTHY: return;
	default: break;
	}
	if (finding->process == 0 || !time_range_is_known(&finding->times))
		return;
	of = dump_intake_process(diagnosis_intake(view->diagnosis), finding->process);
	if (of->times.to_ns > finding->times.to_ns)
		add_string(to, " It is over.");
	else if (of->dumps > finding->dumps)
		add_string(to, " The last dump still shows it.");
	else if (of->dumps > 1)
		add_format(to, " All %llu dumps show it.", (unsigned long long)of->dumps);
}

static void
print_sentence(const struct diag_view_of *view, const struct finding_line *alike)
{
	const struct finding *finding = &view->findings->list.at[alike->first];
	struct text_buffer sentence = { 0 };
	size_t from = view->printer->text.count;

	add_times(&sentence, view, finding, &finding->times);
	add_string(&sentence, ": ");
	add_text(&sentence, finding->summary);
	add_char(&sentence, '.');
	add_end(&sentence, view, finding);
	if (alike->count > 1)
		add_format(&sentence, " It was so %s.", alike->count == 2 ? "at another time too" : "at other times too");
	printer_prose(view->printer, 0, text_in(&sentence, 0));
	printer_paint(view->printer, from, paint_of(finding));
	array_release(&sentence);
}

/* The worst finding, and the other critical ones. */
static bool
is_in_verdict(const struct diag_view_of *view, const struct finding_lines *lines, size_t l)
{
	return l < SENTENCES_MOST && (l == 0 || view->findings->list.at[lines->list.at[l].first].severity ==
						STK_SEVERITY_CRITICAL);
}

static void
print_verdict(const struct diag_view_of *view, const struct finding_lines *lines, size_t count)
{
	for (size_t l = 0; l < count; l++)
		if (is_in_verdict(view, lines, l))
			print_sentence(view, &lines->list.at[l]);
}

/* --- the findings --- */

static void
print_evidence(const struct diag_view_of *view, const struct finding *finding)
{
	struct table table = { 0 };
	size_t shown = finding->evidence.count < (size_t)view->settings->evidence ? finding->evidence.count
										    : (size_t)view->settings->evidence;

	if (shown == 0)
		return;
	table_column(&table, TABLE_LEFT, "");
	table_column(&table, TABLE_CUT, "thread");
	table_column(&table, TABLE_RIGHT | TABLE_SPARE, "dumps");
	table_column(&table, TABLE_LEFT | TABLE_SPARE, "lock");
	table_column(&table, TABLE_CUT, "function");
	for (size_t e = 0; e < shown; e++) {
		const struct evidence *evidence = &finding->evidence.at[e];
		const struct stack_facts *stacks = diagnosis_stacks(view->diagnosis);

		table_cell(&table, text_from(involvement_name(evidence->part)));
		table_cell(&table, diagnosis_text(view->diagnosis, evidence->thread));
		table_format(&table, "%llu", (unsigned long long)evidence->dumps);
		if (evidence->address != 0)
			table_format(&table, "0x%llx", (unsigned long long)evidence->address);
		else
			table_cell(&table, text_from(""));
		table_cell(&table, stack_facts_text(stacks, stack_fact(stacks, evidence->stack)->own));
	}
	table_print(&table, view->printer);
	table_release(&table);
	if (finding->evidence.count > shown)
		printer_remark(view->printer, "%zu more threads (--evidence N shows them)",
			       finding->evidence.count - shown);
}

static bool
is_plain_name(const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:+@%";

	return name[strspn(name, plain)] == '\0';
}

/* As a shell takes it. */
static void
add_quoted(struct text_buffer *to, const char *name)
{
	if (*name == '-')		/* no option */
		add_string(to, "./");
	if (is_plain_name(name)) {
		add_string(to, name);
		return;
	}
	add_char(to, '\'');
	for (; *name != '\0'; name++) {
		if (*name == '\'')
			add_string(to, "'\\'");
		add_char(to, *name);
	}
	add_char(to, '\'');
}

static bool
is_plain(struct stk_text name)
{
	for (size_t i = 0; i < name.size; i++) {
		char c = name.data[i];

		if ((unsigned char)((c | 0x20) - 'a') >= 26 && !(c >= '0' && c <= '9') &&
		    (c == '\0' || strchr("-_ :/", c) == NULL))
			return false;
	}
	return name.size > 0;
}

/* The threads of a finding as an option: few by name, names that need no quoting inside a pattern. */
static void
add_threads(struct text_buffer *to, const struct diag_view_of *view, const struct finding *finding)
{
	if (finding->evidence.count > NAMES_MOST)
		return;
	for (size_t e = 0; e < finding->evidence.count; e++)
		if (!is_plain(diagnosis_text(view->diagnosis, finding->evidence.at[e].thread)))
			return;
	add_string(to, " --thread '^(");
	for (size_t e = 0; e < finding->evidence.count; e++) {
		add_string(to, e == 0 ? "" : "|");
		add_text(to, diagnosis_text(view->diagnosis, finding->evidence.at[e].thread));
	}
	add_string(to, ")$'");
}

/* The command that shows the threads themselves: on one line, to be copied. */
static void
print_more(const struct diag_view_of *view, const struct finding *finding)
{
	char from[TIME_TEXT_MAX], until[TIME_TEXT_MAX];
	struct text_buffer threads = { 0 }, file = { 0 };
	size_t start = view->printer->text.count;

	if (!time_range_is_known(&finding->times) || finding->evidence.count == 0)
		return;
	(void)finding_time(view, finding, from, finding->times.from_ns);
	(void)finding_time(view, finding, until, finding->times.to_ns + NS_PER_S);
	add_threads(&threads, view, finding);
	add_quoted(&file, view->settings->file);
	add_format(&view->printer->text, "  stkcat -f dumps --from %s --to %s%.*s %.*s\n", from, until,
		   (int)threads.count, threads.count > 0 ? threads.at : "", (int)file.count, file.at);
	printer_paint(view->printer, start, PAINT_FAINT);
	array_release(&threads);
	array_release(&file);
}

/* What the sentences at the top said is not said again. */
static void
print_finding(const struct diag_view_of *view, const struct finding *finding, bool told)
{
	struct text_buffer line = { 0 };
	struct stk_text process = process_name(view, finding);
	size_t from;

	add_char(&view->printer->text, '\n');
	from = view->printer->text.count;
	add_string(&line, severity_name(finding->severity));
	add_string(&line, ", ");
	add_string(&line, diag_rule_facts(finding->rule)->name);
	add_string(&line, ": ");
	add_text(&line, finding->subject);
	if (process.size > 0 && dump_intake_processes(diagnosis_intake(view->diagnosis)) > 1) {
		add_string(&line, " (");
		add_text(&line, process);
		add_char(&line, ')');
	}
	printer_prose(view->printer, 0, text_in(&line, 0));
	printer_paint(view->printer, from, paint_of(finding));
	line.count = 0;
	add_times(&line, view, finding, &finding->times);
	if (finding->dumps > 0)
		add_format(&line, ", in %llu %s", (unsigned long long)finding->dumps,
			   plural(finding->dumps, "dump", "dumps"));
	if (!told) {
		add_string(&line, ": ");
		add_text(&line, finding->summary);
	}
	add_char(&line, '.');
	printer_prose(view->printer, 2, text_in(&line, 0));
	array_release(&line);
	print_change(view, finding);
	print_evidence(view, finding);
	print_more(view, finding);
}

/* When else it was so, the worst first. */
static void
print_others(const struct diag_view_of *view, const struct finding_lines *lines, const struct finding_line *alike)
{
	struct text_buffer line = { 0 };
	size_t others = alike->count - 1;
	uint32_t f = alike->first;

	if (others == 0)
		return;
	add_format(&line, "%zu %s more%s: ", others, plural(others, "time", "times"),
		   others > OTHERS_MOST ? ", the worst" : "");
	for (size_t n = 0; n < OTHERS_MOST && (f = lines->next.at[f]) != 0; n++) {
		const struct finding *finding = &view->findings->list.at[f];

		add_string(&line, n == 0 ? "" : ", ");
		add_times(&line, view, finding, &finding->times);
	}
	add_string(&line, others > OTHERS_MOST ? " (-f tsv has all)." : ".");
	printer_prose(view->printer, 2, text_in(&line, 0));
	array_release(&line);
}

static int
print_lines(const struct diag_view_of *view, const struct finding_lines *lines, struct stk_error *err)
{
	size_t count = lines->list.count, left = view->findings->list.count;

	if (view->settings->top > 0 && (size_t)view->settings->top < count)
		count = (size_t)view->settings->top;
	print_verdict(view, lines, count);
	print_comparison(view);
	for (size_t l = 0; l < count; l++) {
		const struct finding_line *alike = &lines->list.at[l];

		print_finding(view, &view->findings->list.at[alike->first], is_in_verdict(view, lines, l));
		print_others(view, lines, alike);
		left -= alike->count;
		if (printer_settle(view->printer, false, err) < 0)
			return -1;
	}
	if (left > 0)
		printer_remark(view->printer, "%zu more findings (--top N shows them)", left);
	return print_gone(view, err);
}

int
show_findings(const struct diag_view_of *view, struct stk_error *err)
{
	struct finding_lines lines;
	int result;

	finding_lines_make(&lines, view->findings);
	result = print_lines(view, &lines, err);
	finding_lines_release(&lines);
	return result;
}

/* --- what the rules are --- */

int
explain_rule(const char *name, const struct diag_limits *limits, struct printer *to, struct stk_error *err)
{
	enum diag_rule rule = diag_rule_find(text_from(name));

	if (rule == DIAG_RULES_COUNT)
		return stk_fail(err, STK_EUSAGE, "--explain: there is no rule '%s' (--list-rules shows them)", name);
	add_format(&to->text, "%s: %s\n", diag_rule_facts(rule)->name, diag_rule_facts(rule)->about);
	for (unsigned t = 0; t < DIAG_THRESHOLDS_COUNT; t++) {
		const struct diag_threshold_facts *facts = diag_threshold_facts((enum diag_threshold)t);

		if (facts->rule == rule)
			add_format(&to->text, "  %-18s %-8g %s\n", facts->name, limits->at[t], facts->about);
	}
	return 0;
}

void
list_rules(const struct diag_limits *limits, struct text_buffer *to)
{
	for (unsigned rule = 0; rule < DIAG_RULES_COUNT; rule++) {
		bool any = false;

		add_format(to, "# %s\n%s:", diag_rule_facts((enum diag_rule)rule)->about,
			   diag_rule_facts((enum diag_rule)rule)->name);
		for (unsigned t = 0; t < DIAG_THRESHOLDS_COUNT && !limits->off[rule]; t++) {
			const struct diag_threshold_facts *facts = diag_threshold_facts((enum diag_threshold)t);

			if ((unsigned)facts->rule != rule)
				continue;
			add_format(to, "%s  %s: %g\t# %s\n", any ? "" : "\n", facts->name, limits->at[t],
				   facts->about);
			any = true;
		}
		add_string(to, any ? "" : limits->off[rule] ? " off\n" : " {}\n");
	}
}
