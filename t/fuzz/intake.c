/* SPDX-License-Identifier: MIT
 * fuzz/intake: any bytes as a file whose format is not known, with prefixes of logs, wrappings and other text: each
 * line is accounted for once, those that are skipped lie within memory, and small reads give what large ones do. */
#include "base/input.h"
#include "ingest/intake.h"
#include "ingest/scan_text.h"
#include "../lib/memory_input.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define MUST(condition) ((condition) ? (void)0 : abort())

struct seen { uint64_t lines, sum; };

static void
see_skipped(void *context, const char *file, uint64_t line, const struct finding *finding)
{
	struct seen *seen = context;
	struct stk_text text = finding->is.skipped.text;

	(void)file, (void)line;
	MUST(finding->is.skipped.why != NULL);
	seen->lines += finding->is.skipped.lines;
	for (size_t i = 0; i < text.size; i++)
		seen->sum += (unsigned char)text.data[i];
}

static struct collect_counts
take(const uint8_t *bytes, size_t size, size_t step, struct scan_choice choice)
{
	const struct stk_writer_options to = { .write = write_nothing, .level = 1 };
	const struct input_limits limits = { .expanded_bytes = 1 << 20, .window_log = 20 };
	struct memory_input from = { bytes, size, step };
	const struct input_origin origin = { memory_input_read, &from, STK_TIME_UNKNOWN };
	struct seen seen = { 0, 0 };
	struct collect_options options = { .zone_name = "UTC", .choice = choice, .skipped = see_skipped,
					   .context = &seen };
	struct collect_counts counts;
	struct collect *collect;
	struct intake *intake;
	struct input *input;
	struct stk_error err = { 0 };

	if (stk_writer_open(&options.writer, &to, &err) < 0 || collect_open(&collect, &options) < 0)
		abort();
	intake_open(&intake, collect, NULL, NULL, &choice);
	input_open_from(&input, &origin, &limits);
	MUST(intake_file(intake, input, "fuzz", "fuzz", STK_TIME_UNKNOWN, &err) >= 0);
	collect_counts(collect, &counts);
	input_close(input);
	intake_close(intake);
	collect_close(collect);
	MUST(stk_writer_close(options.writer, true, &err) == 0);
	if (choice.count_blank)
		MUST(counts.blank + counts.rejected <= counts.lines);
	return counts;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct scan_choice choice = { size % 2 != 0, size % 3 == 0, size % 5 != 0 };
	struct collect_counts whole = take(bytes, size, SIZE_MAX, choice), parts;

	if (size > 4096)
		return 0;
	parts = take(bytes, size, size % 7 + 1, choice);
	MUST(whole.dumps == parts.dumps && whole.samples == parts.samples && whole.metrics == parts.metrics);
	MUST(whole.events == parts.events && whole.broken == parts.broken && whole.stacks == parts.stacks);
	MUST(whole.lines == parts.lines && whole.blank == parts.blank && whole.rejected == parts.rejected);
	return 0;
}
