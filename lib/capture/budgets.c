/* SPDX-License-Identifier: MIT
 * budgets: a name is a pattern as in the lists of processes. */
#include "capture/budgets.h"

#include "base/quantities.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
take_one(struct budgets *budgets, const char *text, size_t size, struct stk_error *err)
{
	const char *equals = memrchr(text, '=', size);
	size_t who = equals == NULL ? 0 : (size_t)(equals - text), skip = equals == NULL ? 0 : who + 1;
	struct own_budget own = { .percent = 0 };
	char share[32];

	if (size - skip >= sizeof share || who >= sizeof own.who || (equals != NULL && who == 0))
		return stk_fail(err, STK_EUSAGE, "expected PERCENT or NAME=PERCENT, not '%.*s'", (int)size, text);
	snprintf(share, sizeof share, "%.*s", (int)(size - skip), text + skip);
	if (!real_parse(share, true, &own.percent) || own.percent < 0 || own.percent > 100)
		return stk_fail(err, STK_EUSAGE, "expected a percentage from 0 to 100, not '%s'", share);
	if (equals == NULL) {
		budgets->percent = own.percent;
		return 0;
	}
	if (budgets->own_count == OWN_BUDGETS_MAX)
		return stk_fail(err, STK_EUSAGE, "at most %d processes with a budget of their own", OWN_BUDGETS_MAX);
	memcpy(own.who, text, who);
	budgets->own[budgets->own_count++] = own;
	return 0;
}

int
budgets_take(struct budgets *budgets, const char *text, struct stk_error *err)
{
	for (;;) {
		size_t size = strcspn(text, ",");

		if (take_one(budgets, text, size, err) < 0)
			return -1;
		if (text[size] == '\0')
			return 0;
		text += size + 1;
	}
}

/* -1: it is a name. */
static long
number_of(const char *who)
{
	char *end;
	long number = strtol(who, &end, 10);

	return *end == '\0' && number > 0 ? number : -1;
}

double
budgets_of(const struct budgets *budgets, const struct process *process, int *own)
{
	*own = -1;
	for (unsigned i = 0; process != NULL && i < budgets->own_count; i++) {
		long number = number_of(budgets->own[i].who);

		if (number == process->pid ||
		    (number < 0 && *own < 0 && process_is_called(process, budgets->own[i].who)))
			*own = (int)i;
		if (number == process->pid)
			break;
	}
	return *own < 0 ? budgets->percent : budgets->own[*own].percent;
}
