/* SPDX-License-Identifier: MIT
 * scheme_views: reports on schemes without a stream, and on the events of a text. Findings raise the status. */
#include "group_views.h"
#include "program/scheme_places.h"

#include "base/quantities.h"
#include "base/text_buffer.h"
#include "group/event_lines.h"
#include "group/scheme_checks.h"
#include "group/tag_files.h"
#include "ingest/java_symbol.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

#define BAD_LINES_SHOWN 10

static void
hear_remark(void *context, enum remark_weight weight, struct stk_text file, unsigned long line, const char *text)
{
	(void)context;
	if (weight == REMARK_FACT)
		program_say("%.*s:%lu: %s", (int)file.size, file.data, line, text);
	else
		program_warn("%.*s:%lu: %s", (int)file.size, file.data, line, text);
}

static const struct remarks remarks = { hear_remark, NULL };

static void
finish_findings(unsigned found)
{
	if (found > 0)
		program_status_raise(PROGRAM_BAD_INPUT);
}

static void
show_scheme_names(struct text_buffer *to)
{
	char *names = scheme_file_names(scheme_places());

	add_string(to, names);
	free(names);
}

/* The end of a frame of a stack: a ';' in "Lcom/acme/Shop;::sell" is none. */
static const char *
frame_end(const char *at)
{
	const char *end = at + strcspn(at, ";");

	if (*at == 'L' && *end == ';' && memchr(at, '/', (size_t)(end - at)) != NULL &&
	    (strncmp(end, ";::", 3) == 0 || strncmp(end, ";.", 2) == 0))
		end += 1 + strcspn(end + 1, ";");
	return end;
}

/* A stack as recordings have it, whatever profilers write for the names of Java methods. */
static void
add_usual_names(struct text_buffer *to, const char *stack)
{
	char room[JAVA_SYMBOL_MAX];

	while (*stack != '\0') {
		const char *end = frame_end(stack), *from = stack + strspn(stack, " "), *last;
		const char *module = memmem(stack, (size_t)(end - stack), " (", 2);
		struct stk_text name;

		last = module != NULL && end[-1] == ')' ? module : end;
		while (last > from && last[-1] == ' ')
			last--;
		name = text_of(from, last > from ? (size_t)(last - from) : 0);
		add_text(to, java_symbol_name(name, room));
		add_text(to, text_of(last, (size_t)(end - last)));
		stack = *end == ';' ? end + 1 : end;
		if (*end == ';')
			add_char(to, ';');
	}
	add_char(to, '\0');
}

static void
show_explanations(const struct scheme_set *set, const char *stack, struct text_buffer *to)
{
	struct text_buffer usual = { 0 };

	add_usual_names(&usual, stack);
	for (unsigned i = 0; i < set->count; i++)
		scheme_explain(set->groupings[i], usual.at, to);
	array_release(&usual);
}

static void
show_use(const struct scheme_set *set, bool with_data, struct text_buffer *to)
{
	unsigned found = 0;

	for (unsigned i = 0; i < set->count; i++)
		found += scheme_check_use(set->groupings[i], with_data, to);
	finish_findings(found);
}

static void
show_examples(const struct scheme_set *set, struct text_buffer *to)
{
	unsigned found = 0;

	for (unsigned i = 0; i < set->count; i++)
		found += scheme_check_examples(set->schemes[i], add_usual_names, to);
	finish_findings(found);
}

static void
show_export(const struct scheme_set *set, const char *form, struct text_buffer *to)
{
	enum tag_form as = strcmp(form, "stacktags") == 0 ? TAG_FORM_STACKTAGS : TAG_FORM_CATEGORIES;
	unsigned lost = 0;

	for (unsigned i = 0; i < set->count; i++)
		lost += tag_file_export(set->schemes[i], as, to, &remarks);
	finish_findings(lost);
}

int
show_schemes(const struct grouped *of, struct text_buffer *to, struct stk_error *err)
{
	const char *subject = of->settings->subject;

	switch (of->settings->view) {
	case GROUPS_IMPORT:  return tag_file_import(subject, to, &remarks, err);
	case GROUPS_EXPLAIN: show_explanations(of->set, subject, to); break;
	case GROUPS_LINT:    show_use(of->set, of->sampling->samples > 0, to); break;
	case GROUPS_TEST:    show_examples(of->set, to); break;
	case GROUPS_EXPORT:  show_export(of->set, subject, to); break;
	default:             show_scheme_names(to); break;
	}
	return 0;
}

/* --- events --- */

struct file_intake { const struct grouped *grouped; struct event_feed *feed; unsigned bad; };

/* Of its thread a text says the name, and the processor. */
static uint32_t
key_of_line(const struct grouped *of, const struct event_line *line)
{
	struct text_buffer text = { 0 };
	uint32_t key;

	for (const char *at = of->settings->by; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
		struct stk_text name = text_of(at, strcspn(at, ","));

		if (at != of->settings->by)
			add_char(&text, ';');
		if (text_is(name, "thread"))
			add_text(&text, line->thread);
		else if (text_is(name, "processor") && line->event.processor >= 0)
			add_unsigned(&text, (uint64_t)line->event.processor);
		else if (!text_is(name, "none"))
			add_char(&text, '?');
	}
	key = stack_prefix_of_text(of->prefixes, text_in(&text, 0), false);
	array_release(&text);
	return key;
}

static void
take_line(void *context, const struct event_line *line)
{
	const struct file_intake *intake = context;
	const struct grouped *of = intake->grouped;
	uint32_t key = of->prefixes == NULL ? 0 : key_of_line(of, line);

	event_feed_add(intake->feed, line->thread, key, &line->event);
}

static void
note_bad_line(void *context, const char *path, unsigned line)
{
	struct file_intake *intake = context;

	if (intake->bad++ < BAD_LINES_SHOWN)
		program_warn("%s:%u: not an event: expected time, thread, point or start or stop or switch-out "
			     "or switch-in, name, value, separated by tabs", path, line);
}

static void
tell_unchosen_events(const char *path)
{
	static const char *const conditions[] = { "state", "grep", "where", "event", "running", "thread", "process" };

	for (unsigned i = 0; i < sizeof conditions / sizeof *conditions; i++)
		if (program_given(conditions[i]))
			program_say("--%s does not choose events of --events: all of %s count; stkcap --format events "
				    "makes records of them, which it chooses", conditions[i], path);
}

int
read_event_file(struct grouped *grouped, struct event_feed *feed, struct stk_error *err)
{
	const char *path = grouped->settings->events;
	struct file_intake intake = { .grouped = grouped, .feed = feed };
	const struct event_line_listener listener = { take_line, note_bad_line, &intake };
	int result;

	if (path == NULL || grouped->read_events)
		return 0;
	grouped->read_events = true;
	result = event_lines_read(path, grouped->settings->zone, &listener, err);
	event_feed_turn(feed);
	tell_unchosen_events(path);
	if (intake.bad > BAD_LINES_SHOWN)
		program_warn("%s: %u lines are not events", path, intake.bad);
	return result;
}

static void
tell_odd_pairs(const struct event_oddities *odd)
{
	const struct { uint64_t count; const char *one, *several; } kinds[] = {
		{ odd->unstarted, "stop without a start", "stops without a start" },
		{ odd->unstopped, "start without a stop (it counts up to the last event of its thread)",
		  "starts without a stop (they count up to the last event of their thread)" },
		{ odd->overlapping, "stop of an outer pair", "stops of an outer pair" },
		{ odd->backward, "event that came more than a million events too late",
		  "events that came more than a million events too late" }
	};
	struct text_buffer text = { 0 };

	for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
		if (kinds[k].count > 0) {
			add_string(&text, text.count > 0 ? ", " : "");
			add_unsigned(&text, kinds[k].count);
			add_char(&text, ' ');
			add_string(&text, plural(kinds[k].count, kinds[k].one, kinds[k].several));
		}
	if (text.count > 0)
		program_warn("events: %.*s", (int)text.count, text.at);
	array_release(&text);
}

void
end_events(struct scheme_set *set, struct event_feed *feed)
{
	uint64_t unstarted, forgotten;

	event_feed_end(feed);
	event_feed_odd_activities(feed, &unstarted, &forgotten);
	if (unstarted + forgotten > 0)
		program_warn("events: %llu stops of activities that no thread had started, %llu starts of too many at once "
			     "on a thread", (unsigned long long)unstarted, (unsigned long long)forgotten);
	if (event_feed_moved(feed) > 0)
		program_say("events: %llu came after later ones, and were sorted",
			    (unsigned long long)event_feed_moved(feed));
	for (unsigned i = 0; i < set->count; i++) {
		struct event_oddities odd;

		odd = event_time_oddities(grouping_events(set->groupings[i]));
		tell_odd_pairs(&odd);
		if (odd.untimed > 0)
			program_warn("events: %llu have no time and are ignored",
				     (unsigned long long)odd.untimed);
		if (odd.late > 0)
			program_warn("events: %llu came after the table of their step was written, which is without them",
				     (unsigned long long)odd.late);
		if (odd.beyond > 0)
			program_warn("events: %llu are of more steps and groups than can be kept, and are left out: "
				     "choose a longer --step", (unsigned long long)odd.beyond);
	}
	if (event_feed_cut(feed))
		program_say("events: pairs were open at the end of a stream; if the next one resumes its recording, "
			    "stkcat --merge makes one stream of them, in which such pairs are whole");
}

static void
report_placing(const struct sampling *sampling, const struct event_feed *feed)
{
	struct placing placing = event_feed_placing(feed);

	if (placing.samples > placing.known)
		program_say("it is not known of %llu of %llu samples whether they are inside pairs of events: no events are "
			    "known to be of their thread (expected one source, process and thread name)",
			    (unsigned long long)(placing.samples - placing.known), (unsigned long long)placing.samples);
	if (placing.of_events > 0 && placing.within == 0)
		program_warn("none of %llu samples of threads with events is within the time of these events (do their "
			     "clocks differ?); all are taken to be outside of pairs",
			     (unsigned long long)placing.of_events);
	if (sampling->unplaced > 0 && event_feed_met(feed))
		program_warn("%llu samples came before the first event, and are taken to be outside of pairs; give the "
			     "events first", (unsigned long long)sampling->unplaced);
}

void
report_sampling(const struct sampling *sampling, const struct event_feed *feed)
{
	if (sampling->switches > 0)
		program_say("%llu samples are thread switches, and belong to no group",
			    (unsigned long long)sampling->switches);
	if (sampling->late > 0)
		program_warn("%llu samples are of a step that was over, and count to a later one",
			     (unsigned long long)sampling->late);
	report_placing(sampling, feed);
}

void
tell_several(const struct settings *settings, const struct scheme_set *set)
{
	bool has_shares = settings->view == GROUPS_TABLE && settings->report <= REPORT_HIERARCHY;

	for (unsigned i = 0; has_shares && i < set->count; i++) {
		uint64_t samples = grouping_in_several(set->groupings[i]);

		if (samples > 0)
			program_say("%.*s: samples are in several groups (%llu of them): shares add up to more than "
				    "100 %%", (int)set->schemes[i]->name.size, set->schemes[i]->name.data,
				    (unsigned long long)samples);
	}
}

void
warn_of_embedded(void *context, enum remark_weight weight, struct stk_text file, unsigned long line, const char *text)
{
	(void)weight;
	(void)file;
	(void)line;
	program_warn("%s: %s", (const char *)context, text);
}
