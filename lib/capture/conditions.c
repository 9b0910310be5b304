/* SPDX-License-Identifier: MIT
 * conditions: all of them must hold, and a condition of VMs holds when one VM meets it. */
#include "capture/conditions.h"

#include "base/quantities.h"
#include "base/time_text.h"
#include "capture/process.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <utmpx.h>

#define DAY_MINUTES 1440

/* "HH:MM" */
static bool
read_minute(const char **at, unsigned *minute)
{
	const char *t = *at;
	unsigned hours, minutes;

	for (unsigned i = 0; i < 5; i++)
		if (i == 2 ? t[i] != ':' : t[i] < '0' || t[i] > '9')
			return false;
	hours = (unsigned)(t[0] - '0') * 10 + (unsigned)(t[1] - '0');
	minutes = (unsigned)(t[3] - '0') * 10 + (unsigned)(t[4] - '0');
	*minute = hours * 60 + minutes;
	*at += 5;
	return minutes < 60 && (hours < 24 || *minute == DAY_MINUTES);
}

static bool
read_times(const char *at, struct condition *condition)
{
	if (!read_minute(&at, &condition->from_minute) || *at++ != '-' || !read_minute(&at, &condition->to_minute))
		return false;
	return *at == '\0' && condition->from_minute != condition->to_minute;
}

static bool
read_user(const char *name, struct condition *condition)
{
	const struct passwd *user = getpwnam(name);

	if (user != NULL)
		condition->user = user->pw_uid;
	return user != NULL;
}

/* "80%" of the most that a heap may take, or "2G" */
static bool
read_heap(const char *text, struct condition *condition)
{
	size_t size = strlen(text);
	struct stk_error unused = { 0 };
	char number[32];
	int64_t bytes;

	condition->is_share = size > 0 && text[size - 1] == '%';
	if (!condition->is_share) {
		if (size_parse(text, &bytes, &unused) < 0)
			return false;
		condition->limit = (double)bytes;
		return bytes > 0;
	}
	if (size >= sizeof number)
		return false;
	memcpy(number, text, size - 1);
	number[size - 1] = '\0';
	if (!real_parse(number, false, &condition->limit))
		return false;
	condition->limit /= 100;
	return condition->limit > 0 && condition->limit < 1;
}

static bool
read_pause(const char *text, struct condition *condition)
{
	struct stk_error unused = { 0 };
	int64_t ns;

	if (duration_parse(text, &ns, &unused) < 0)
		return false;
	condition->limit = (double)ns;
	return ns > 0;
}

/* "java.threads.live>500", "sun.cls.loadedClasses>10/s" */
static bool
read_counter(const char *text, struct condition *condition)
{
	size_t name = strcspn(text, "<>"), size = strlen(text);
	char number[64];

	if (name == 0 || name >= sizeof condition->name || name + 1 >= size || size - name - 1 >= sizeof number)
		return false;
	memcpy(condition->name, text, name);
	condition->below = text[name] == '<';
	memcpy(number, text + name + 1, size - name);
	size -= name + 1;
	condition->per_second = size > 2 && strcmp(number + size - 2, "/s") == 0;
	if (condition->per_second)
		number[size - 2] = '\0';
	return amount_parse(number, &condition->limit);
}

static bool
read_value(struct condition *condition)
{
	switch (condition->kind) {
	case WHEN_USER:       return read_user(condition->text, condition);
	case WHEN_CGROUP:     return condition->text[0] == '/';
	case WHEN_LOAD_ABOVE:
	case WHEN_LOAD_BELOW: return real_parse(condition->text, false, &condition->load) && condition->load > 0;
	case WHEN_TIME:       return read_times(condition->text, condition);
	case WHEN_HEAP:       return read_heap(condition->text, condition);
	case WHEN_PAUSE:      return read_pause(condition->text, condition);
	case WHEN_COUNTER:    return read_counter(condition->text, condition);
	default:              return condition->text[0] != '\0';
	}
}

int
conditions_add(struct conditions *conditions, const char *text, struct stk_error *err)
{
	static const struct { const char *name; enum condition_kind kind; } names[] = {
		{ "user=", WHEN_USER },        { "process=", WHEN_PROCESS },   { "cgroup=", WHEN_CGROUP },
		{ "file=", WHEN_FILE },        { "load>", WHEN_LOAD_ABOVE },   { "load<", WHEN_LOAD_BELOW },
		{ "login=", WHEN_LOGIN },      { "running=", WHEN_RUNNING },   { "time=", WHEN_TIME },
		{ "heap>", WHEN_HEAP },        { "pause>", WHEN_PAUSE },       { "counter=", WHEN_COUNTER },
	};
	struct condition condition = { .text = text };

	if (conditions->count == CONDITIONS_MOST)
		return stk_fail(err, STK_EUSAGE, "at most %d conditions", CONDITIONS_MOST);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t size = strlen(names[i].name);

		if (strncmp(text, names[i].name, size) != 0)
			continue;
		condition.kind = names[i].kind;
		condition.text = text + size;
		if (!read_value(&condition))
			break;
		conditions->at[conditions->count++] = condition;
		return 0;
	}
	return stk_fail(err, STK_EUSAGE,
			"expected user=NAME, process=NAME, cgroup=/PATH, file=PATH, load>N, load<N, login=NAME, running=NAME, "
			"time=HH:MM-HH:MM, heap>N%%, heap>SIZE, pause>TIME, counter=NAME>N or counter=NAME>N/s, not '%s'",
			text);
}

/* --- of the machine --- */

bool
condition_time_met(const struct condition *condition, unsigned minute)
{
	if (condition->from_minute < condition->to_minute)
		return minute >= condition->from_minute && minute < condition->to_minute;
	return minute >= condition->from_minute || minute < condition->to_minute;
}

static bool
is_time(const struct condition *condition, const struct time_zone *zone)
{
	int64_t now = (int64_t)time(NULL), local = now + time_zone_offset(zone, now);

	return condition_time_met(condition, (unsigned)(local / 60 % DAY_MINUTES));
}

static bool
is_logged_in(const char *name)
{
	const struct utmpx *entry;
	bool found = false;

	setutxent();
	while (!found && (entry = getutxent()) != NULL)
		found = entry->ut_type == USER_PROCESS && strncmp(entry->ut_user, name, sizeof entry->ut_user) == 0;
	endutxent();
	return found;
}

struct search { const char *name; bool found; };

static void
look_at(void *of, pid_t pid)
{
	struct search *search = of;
	struct stk_error unused = { 0 };
	struct process process;

	if (!search->found && pid != getpid() && process_read(&process, pid, &unused) == 0)
		search->found = process_is_called(&process, search->name);
}

static bool
is_running(const char *name)
{
	struct search search = { .name = name };

	process_each(look_at, &search);
	return search.found;
}

static bool
is_met(const struct condition *condition, const struct time_zone *zone)
{
	double load;

	switch (condition->kind) {
	case WHEN_FILE:       return access(condition->text, F_OK) == 0;
	case WHEN_LOAD_ABOVE: return getloadavg(&load, 1) == 1 && load >= condition->load;
	case WHEN_LOAD_BELOW: return getloadavg(&load, 1) == 1 && load < condition->load;
	case WHEN_LOGIN:      return is_logged_in(condition->text);
	case WHEN_RUNNING:    return is_running(condition->text);
	case WHEN_TIME:       return is_time(condition, zone);
	default:              return true;
	}
}

static bool
is_of_vm(const struct condition *condition)
{
	return condition->kind >= WHEN_HEAP;
}

bool
condition_is_of_growth(const struct condition *condition)
{
	return condition->kind == WHEN_PAUSE || condition->per_second;
}

bool
conditions_are_of_growth(const struct conditions *conditions)
{
	for (unsigned i = 0; i < conditions->count; i++)
		if (condition_is_of_growth(&conditions->at[i]))
			return true;
	return false;
}

bool
conditions_met(const struct conditions *conditions, const struct time_zone *zone, uint32_t vm_met)
{
	for (unsigned i = 0; i < conditions->count; i++) {
		const struct condition *condition = &conditions->at[i];

		if (is_of_vm(condition) ? (vm_met >> i & 1) == 0 : !is_met(condition, zone))
			return false;
	}
	return true;
}

bool
conditions_are_of_machine(const struct conditions *conditions)
{
	for (unsigned i = 0; i < conditions->count; i++)
		if (conditions->at[i].kind > WHEN_CGROUP)
			return true;
	return false;
}

bool
conditions_are_of_vm(const struct conditions *conditions)
{
	for (unsigned i = 0; i < conditions->count; i++)
		if (is_of_vm(&conditions->at[i]))
			return true;
	return false;
}

/* --- of a process --- */

bool
conditions_are_of_process(const struct conditions *conditions)
{
	for (unsigned i = 0; i < conditions->count; i++)
		if (conditions->at[i].kind <= WHEN_CGROUP)
			return true;
	return false;
}

bool
conditions_process_met(const struct conditions *conditions, pid_t pid)
{
	struct stk_error unused = { 0 };
	struct process process;

	if (process_read(&process, pid, &unused) < 0)
		return false;
	for (unsigned i = 0; i < conditions->count; i++) {
		const struct condition *condition = &conditions->at[i];

		if ((condition->kind == WHEN_USER && process.uid != condition->user) ||
		    (condition->kind == WHEN_PROCESS && !process_is_called(&process, condition->text)) ||
		    (condition->kind == WHEN_CGROUP && !process_is_in_cgroup(pid, condition->text)))
			return false;
	}
	return true;
}
