/* SPDX-License-Identifier: MIT
 * Budgets of captured processes: one for all, and those of some by number or name. */
#include "../lib/tap.h"

#include "capture/budgets.h"

static struct process
process_called(pid_t pid, const char *name)
{
	struct process process = { .pid = pid };

	snprintf(process.name, sizeof process.name, "%s", name);
	return process;
}

static int
percent_of(const struct budgets *budgets, pid_t pid, const char *name)
{
	struct process process = process_called(pid, name);
	int own;

	return (int)budgets_of(budgets, &process, &own);
}

static bool
takes(const char *text)
{
	struct budgets budgets = { .percent = 1 };
	struct stk_error err = { 0 };
	bool well = budgets_take(&budgets, text, &err) == 0;

	stk_error_clear(&err);
	return well;
}

int
main(void)
{
	struct budgets budgets = { .percent = 1 };
	struct stk_error err = { 0 };
	int own;

	is_u64(percent_of(&budgets, 7, "Shop"), 1, "what was not given is the default");
	ok(budgets_take(&budgets, "2%,Shop*=30%,Shop2=40%,7=5,a=b=6%", &err) == 0, "one for all, and several of some");
	is_u64(percent_of(&budgets, 8, "Cart"), 2, "that of all others");
	is_u64(percent_of(&budgets, 8, "Shop2"), 30, "the first of the names that it has");
	is_u64(percent_of(&budgets, 7, "Shop2"), 5, "its number comes before names");
	is_u64(percent_of(&budgets, 77, "7"), 2, "a number is not a name's beginning");
	is_u64(percent_of(&budgets, 8, "a=b"), 6, "a name with an equals sign");
	is_u64((unsigned)budgets_of(&budgets, NULL, &own), 2, "what is no process has that of all others");
	ok(own == -1, "... and none of its own");
	ok(budgets_take(&budgets, "3", &err) == 0 && percent_of(&budgets, 8, "Cart") == 3 &&
	   percent_of(&budgets, 7, "Cart") == 5, "given again it adds to what was given");
	ok(!takes("") && !takes("lots") && !takes("101%") && !takes("-1%") && !takes("=3%") && !takes("a=") &&
	   !takes("1%,") && !takes("nan%"), "others are refused");
	return tap_end();
}
