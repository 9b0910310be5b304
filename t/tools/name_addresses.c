/* SPDX-License-Identifier: MIT
 * name_addresses: what native_names says of addresses of a process: `name_addresses PID <ADDRESSES`, which are
 * hexadecimal, one a line. For each a line, of SYMBOL, SOURCE:LINE of what was inlined there, innermost first, and then
 * of the function itself, with tabs between. */
#include "capture/native_names.h"

#include <stdio.h>
#include <stdlib.h>

static void
print_place(const char *symbol, const char *source, unsigned line, char after)
{
	printf("%s\t%s:%u%c", symbol != NULL ? symbol : "?", source != NULL ? source : "?", line, after);
}

int
main(int argc, char **argv)
{
	struct native_names *names;
	struct stk_error err = { 0 };
	struct process process;
	char line[64];

	if (argc != 2 || process_read(&process, (pid_t)atol(argv[1]), &err) < 0) {
		fprintf(stderr, "name_addresses: expected the number of a process\n");
		return 2;
	}
	native_names_open(&names, &process);
	if (native_names_refresh(names, &err) < 0) {
		fprintf(stderr, "name_addresses: %s\n", err.text);
		return 1;
	}
	while (fgets(line, sizeof line, stdin) != NULL) {
		const struct native_name *name = native_names_of(names, strtoull(line, NULL, 16));

		for (size_t i = 0; i < name->inlined_count; i++)
			print_place(name->inlined[i].symbol, name->inlined[i].source, name->inlined[i].line, '\t');
		print_place(name->symbol, name->source, name->line, '\n');
	}
	native_names_close(names);
	return 0;
}
