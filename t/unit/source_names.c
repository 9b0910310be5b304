/* SPDX-License-Identifier: MIT
 * Names of sources: a process keeps its name while it runs, whether it is captured or not; who begins gets that of the
 * same command line, and else the first that no running process has. */
#include "../lib/tap.h"

#include "capture/source_names.h"

#include <stdio.h>
#include <string.h>

static pid_t ended[8];
static unsigned ended_count;

static bool
runs(const struct named_process *process)
{
	for (unsigned i = 0; i < ended_count; i++)
		if (ended[i] == process->pid)
			return false;
	return true;
}

static const char *
name_of(struct source_names *names, const char *title, pid_t pid, uint64_t command)
{
	static char name[SOURCE_NAME_MAX];
	struct named_process process = { pid, 10 * (uint64_t)pid, command };

	source_names_give(names, title, pid == 0 ? NULL : &process, name);
	return name;
}

static void
end(struct source_names *names, const char *name, pid_t pid)
{
	source_names_end(names, name);
	ended[ended_count++] = pid;
}

static void
test_in_one_capture(void)
{
	struct source_names names = { .runs = runs };

	ended_count = 0;
	is_text(name_of(&names, "Shop", 1, 11), "Shop", "the first has the title");
	is_text(name_of(&names, "Shop", 2, 22), "Shop#2", "the second a number");
	is_text(name_of(&names, "Cart", 3, 33), "Cart", "another title has its own");
	end(&names, "Shop", 1);
	end(&names, "Shop#2", 2);
	is_text(name_of(&names, "Shop", 4, 22), "Shop#2", "both began anew: the second one's command line comes first");
	is_text(name_of(&names, "Shop", 5, 11), "Shop", "... and the first one's after it");
	is_text(name_of(&names, "Shop", 6, 22), "Shop#3", "one more of that command line");
	end(&names, "Shop", 5);
	is_text(name_of(&names, "Shop", 7, 77), "Shop", "with another command line: the first name that nobody has");
	array_release(&names.list);
}

static void
test_not_captured(void)
{
	struct source_names names = { .runs = runs };

	ended_count = 0;
	(void)name_of(&names, "Shop", 1, 11);
	(void)name_of(&names, "Shop", 2, 11);
	source_names_end(&names, "Shop");
	is_text(name_of(&names, "Shop", 3, 11), "Shop#3", "a process that runs and is not captured keeps its name");
	is_text(name_of(&names, "Shop", 1, 11), "Shop", "... and has it when it is captured again");
	is_text(name_of(&names, "Shop", 1, 11), "Shop#4", "captured twice it has two");
	array_release(&names.list);
}

static void
test_commands(void)
{
	struct source_names names = { .runs = runs };

	ended_count = 0;
	is_text(name_of(&names, "date", 0, 0), "date", "a command has its own text");
	is_text(name_of(&names, "date", 0, 0), "date#2", "... and again");
	source_names_end(&names, "date");
	is_text(name_of(&names, "date", 0, 0), "date", "... and when it ended");
	source_names_read(&names, "/nothing/there");
	is_u64(names.list.count, 2, "a file that is not there has no names");
	array_release(&names.list);
}

/* Whoever starts processes of ever new names fills no memory. */
static void
test_many(void)
{
	struct source_names names = { .runs = runs };

	ended_count = 0;
	ended[ended_count++] = 9;
	(void)name_of(&names, "Shop", 1, 11);
	for (unsigned i = 0; i < 3000; i++) {
		char title[20];

		snprintf(title, sizeof title, "t%u", i);
		source_names_end(&names, name_of(&names, title, 9, i + 1));
	}
	ok(names.list.count < 1100, "names of processes that ended are forgotten in the end");
	is_text(names.list.at[0].name, "Shop", "... those in use are not");
	array_release(&names.list);
}

int
main(void)
{
	test_in_one_capture();
	test_not_captured();
	test_commands();
	test_many();
	return tap_end();
}
