/* SPDX-License-Identifier: MIT
 * holidays: dates are local days. iCalendar files are read by libical, which knows how events recur. */
#include "trend/holidays.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/input.h"
#include "base/text_buffer.h"

#include <ctype.h>
#include <stdio.h>
#ifdef HAVE_ICAL
#include <libical/ical.h>
#endif

#define FILE_MOST   (16u << 20)
#define EVENTS_MOST 100000
#define DAY_S       86400
#define DATE_SIZE   10		/* 2026-12-25 */

static int
read_whole(const char *path, struct text_buffer *to, struct stk_error *err)
{
	struct input *input = NULL;
	char chunk[65536];
	long got = input_open(&input, path, NULL, err);

	while (got >= 0 && to->count <= FILE_MOST && (got = input_read(input, chunk, sizeof chunk, err)) > 0)
		add_bytes(to, chunk, (size_t)got);
	input_close(input);
	if (got < 0)
		return -1;
	if (to->count > FILE_MOST)
		return stk_fail(err, STK_EDATA, "is larger than 16 MB: not a calendar");
	add_char(to, '\0');
	return 0;
}

/* --- lines of DATE NAME --- */

struct reading {
	const char *path;
	struct season_calendar *calendar;
	const struct trend_listener *listener;
	unsigned days;
};

static int
take_line(struct reading *r, unsigned number, const char *line, struct stk_error *err)
{
	struct stk_error unused = { 0 };
	struct stk_text name = text_of("holiday", 7);
	char date[DATE_SIZE + 1] = "";
	int64_t ns;

	while (isspace((unsigned char)*line))
		line++;
	if (*line == '\0' || *line == '#')
		return 0;
	(void)snprintf(date, sizeof date, "%s", line);
	if (strlen(date) < DATE_SIZE || date[0] < '0' || date[0] > '9' || time_parse(date, 0, NULL, &ns, &unused) < 0) {
		trend_left_out(r->listener,
			       "%s:%u: expected a date such as 2026-12-25 and a name, not '%.40s'; left out",
			       r->path, number, line);
		return 0;
	}
	line += DATE_SIZE;
	line += strspn(line, " \t,;");
	if (*line != '\0' && *line != '#')
		name = text_of(line, strcspn(line, "#"));
	while (name.size > 0 && isspace((unsigned char)name.data[name.size - 1]))
		name.size--;
	r->days++;
	return season_calendar_holiday(r->calendar, ns / 1000000000 / DAY_S, name, err);
}

static int
take_lines(struct reading *r, char *text, struct stk_error *err)
{
	unsigned number = 0;

	while (text != NULL && *text != '\0') {
		char *end = strchr(text, '\n');

		if (end != NULL)
			*end++ = '\0';
		if (take_line(r, ++number, text, err) < 0)
			return -1;
		text = end;
	}
	return 0;
}

/* --- iCalendar --- */

#ifdef HAVE_ICAL

struct taking { struct reading *r; struct stk_error *err; int result; };

/* Each day that the event touches. */
static void
take_occurrence(icalcomponent *event, struct icaltime_span *span, void *context)
{
	struct taking *taking = context;
	const char *name = icalcomponent_get_summary(event);
	int64_t from = (int64_t)span->start / DAY_S, to = ((int64_t)span->end - 1) / DAY_S;

	for (int64_t day = from; day <= (to < from ? from : to) && taking->result == 0 && taking->r->days < EVENTS_MOST;
	     day++) {
		taking->result = season_calendar_holiday(taking->r->calendar, day,
							 text_from(name == NULL || *name == '\0' ? "holiday" : name),
							 taking->err);
		taking->r->days++;
	}
}

static int
take_icalendar(struct reading *r, const char *text, struct stk_error *err)
{
	icalcomponent *root = icalparser_parse_string(text);
	struct icaltimetype from = icaltime_from_string("20000101"), to = icaltime_from_string("20500101");
	struct taking taking = { r, err, 0 };

	if (root == NULL)
		return stk_fail(err, STK_EDATA, "is a broken iCalendar file");
	for (icalcomponent *event = icalcomponent_get_first_component(root, ICAL_VEVENT_COMPONENT);
	     event != NULL && taking.result == 0; event = icalcomponent_get_next_component(root, ICAL_VEVENT_COMPONENT))
		icalcomponent_foreach_recurrence(event, from, to, take_occurrence, &taking);
	icalcomponent_free(root);
	return taking.result;
}

#else

static int
take_icalendar(struct reading *r, const char *text, struct stk_error *err)
{
	(void)r;
	(void)text;
	return stk_fail(err, STK_EUSAGE,
			"is an iCalendar file, and this build is without libical: expected lines of DATE NAME");
}

#endif

int
holidays_read(const char *path, struct season_calendar *calendar, const struct trend_listener *listener,
	      struct stk_error *err)
{
	struct reading r = { .path = path, .calendar = calendar, .listener = listener };
	struct text_buffer text = { 0 };
	int result = read_whole(path, &text, err);

	if (result == 0)
		result = strstr(text.at, "BEGIN:VCALENDAR") != NULL ? take_icalendar(&r, text.at, err)
								    : take_lines(&r, text.at, err);
	array_release(&text);
	if (result == 0 && r.days == 0)
		result = stk_fail(err, STK_EDATA, "holds no dates");
	if (result < 0) {
		struct stk_error why = *err;

		stk_error_clear(err);
		return stk_fail(err, STK_EUSAGE, "--holidays: %s: %s", path, why.text);
	}
	season_calendar_settle(calendar);
	return 0;
}
