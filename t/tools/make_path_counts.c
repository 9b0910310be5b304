/* SPDX-License-Identifier: MIT
 * make_path_counts: writes what a program with probes writes, for a function `odd` with a loop: its graph, calls,
 * counts of paths, and steps of calls; for tests where no compiler is: `make_path_counts METHOD`, epp or ac.
 * `make_path_counts graph` prints the graph, as stkpath plan takes it. */
#include "base/bytes.h"
#include "stkpipe/stream.h"

#include <stdio.h>
#include <string.h>

static const char *const edges[][2] = { { "entry@1", "head@2" }, { "head@2", "even@3" }, { "head@2", "odd@4" },
					{ "even@3", "next@5" },  { "odd@4", "next@5" },  { "next@5", "head@2" },
					{ "next@5", "(exit)" } };
static const char *const paths[] = { "entry@1 head@2 even@3 next@5 (exit)", "entry@1 head@2 odd@4 next@5 (exit)",
				     "head@2 odd@4 next@5", "entry@1 head@2 even@3 next@5 head@2 odd@4 next@5 (exit)" };

static int
write_stdout(void *context, const void *from, size_t size, struct stk_error *err)
{
	(void)context;
	return fwrite(from, 1, size, stdout) == size ? 0 : stk_fail_errno(err, "standard output");
}

static int
add_definitions(struct stk_writer *writer, struct stk_error *err)
{
	const struct stk_string name = { text_from("odd.out") };
	const struct stk_source source = {
		.name = 1, .pid = 4711, .process = 1, .runtime = STK_RUNTIME_NATIVE, .clock = STK_CLOCK_WALL
	};

	return stk_writer_add(writer, STK_STRING, &name, err) < 0 ? -1
								  : stk_writer_add(writer, STK_SOURCE, &source, err);
}

static int
add_rows(struct stk_writer *writer, const char *method, struct stk_error *err)
{
	const struct stk_text function = text_from("odd"), file = text_from("odd.c");
	const struct stk_path_call call = { .time = INT64_C(1772323200000000000),
					    .source = 1,
					    .function = function,
					    .file = file,
					    .method = text_from(method),
					    .calls = 41,
					    .counted = 40,
					    .unfinished = 1 };
	int result = 0;

	for (uint64_t e = 0; result == 0 && e < sizeof edges / sizeof *edges; e++)
		result = stk_writer_add(
			writer, STK_CFG,
			&(struct stk_cfg){ function, file, e, text_from(edges[e][0]), text_from(edges[e][1]) }, err);
	if (result == 0)
		result = stk_writer_add(writer, STK_PATH_CALL, &call, err);
	for (uint64_t p = 0; result == 0 && p < sizeof paths / sizeof *paths; p++)
		result = stk_writer_add(
			writer, STK_PATH_COUNT,
			&(struct stk_path_count){ call.time, 1, function, file, text_from(paths[p]), 10 * p }, err);
	for (uint64_t p = 0; result == 0 && p < sizeof paths / sizeof *paths; p++)
		result = stk_writer_add(writer, STK_PATH_STEP,
					&(struct stk_path_step){ 1, 7, p + 1, function, 1, 1, text_from(paths[p]) },
					err);
	return result;
}

static void
print_graph(void)
{
	printf("function: odd\nentry: 'entry@1'\nexit: '(exit)'\nblocks:\n");
	for (size_t e = 0; e < sizeof edges / sizeof *edges; e++) {
		if (e > 0 && strcmp(edges[e][0], edges[e - 1][0]) == 0)
			printf(", '%s'", edges[e][1]);
		else
			printf("%s  - {id: '%s', succ: ['%s'", e > 0 ? "]}\n" : "", edges[e][0], edges[e][1]);
	}
	printf("]}\n  - {id: '(exit)', succ: []}\n");
}

int
main(int argc, char **argv)
{
	const struct stk_writer_options options = { .write = write_stdout, .level = 3 };
	struct stk_writer *writer;
	struct stk_error err = { 0 };

	if (argc > 1 && strcmp(argv[1], "graph") == 0) {
		print_graph();
		return fflush(stdout) == 0 ? 0 : 3;
	}
	if (stk_writer_open(&writer, &options, &err) < 0 || add_definitions(writer, &err) < 0 ||
	    add_rows(writer, argc > 1 ? argv[1] : "epp", &err) < 0 || stk_writer_close(writer, true, &err) < 0) {
		fprintf(stderr, "make_path_counts: %s\n", err.text);
		return 3;
	}
	return fflush(stdout) == 0 ? 0 : 3;
}
