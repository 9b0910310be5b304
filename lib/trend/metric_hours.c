/* SPDX-License-Identifier: MIT
 * metric_hours: a measure goes into the last hour, or begins one. */
#include "trend/metric_hours.h"

#include "base/array.h"
#include "base/time_math.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define HOUR INT64_C(3600000000000)

static bool
contains(struct stk_text name, const char *word)
{
	size_t size = strlen(word);

	for (size_t i = 0; i + size <= name.size; i++)
		if (strncasecmp(name.data + i, word, size) == 0)
			return true;
	return false;
}

bool
metric_hours_are_least(struct stk_text name)
{
	return contains(name, "heap") || contains(name, "memory");
}

void
metric_hours_take(struct metric_hours *h, int64_t time_ns, double value)
{
	int64_t hour = time_units(time_ns, HOUR);
	struct metric_hour *last = h->count == 0 ? NULL : &h->at[h->count - 1];

	if (last != NULL && last->hour == hour) {
		last->sum = h->least ? fmin(last->sum, value) : last->sum + value;
		last->count++;
		return;
	}
	if (h->count >= METRIC_HOURS_MOST) {
		memmove(h->at, h->at + METRIC_HOURS_MOST / 2, METRIC_HOURS_MOST / 2 * sizeof *h->at);
		h->count = METRIC_HOURS_MOST / 2;
	}
	*array_push(h) = (struct metric_hour){ hour, value, 1 };
}

double
metric_hours_value(const struct metric_hours *h, size_t i)
{
	return h->least ? h->at[i].sum : h->at[i].sum / (double)h->at[i].count;
}

void
metric_hours_release(struct metric_hours *h)
{
	array_release(h);
}
