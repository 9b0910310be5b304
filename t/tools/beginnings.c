/* SPDX-License-Identifier: MIT
 * beginnings FORMAT FILE [STEP]: reads every beginning of a file, or each STEPth, as stkcap would, and prints a line
 * for each: its bytes, the status, and how many dumps, samples, metrics and events it has. FORMAT: as --format takes,
 * or "any": recognised. One process reads them all, since a process for each would take minutes. */
#include "base/input.h"
#include "ingest/intake.h"
#include "../lib/memory_input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
must(bool fact, const char *what)
{
	if (fact)
		return;
	fprintf(stderr, "beginnings: %s\n", what);
	exit(3);
}

/* Bytes of exactly this size in memory, so that a sanitizer sees what is read after them. */
static void
read_beginning(const struct text_format *format, const uint8_t *whole, size_t size)
{
	const struct stk_writer_options to = { .write = write_nothing, .level = 1 };
	uint8_t *copy = malloc(size > 0 ? size : 1);
	struct memory_input from = { copy, size, SIZE_MAX };
	const struct input_origin origin = { memory_input_read, &from, STK_TIME_UNKNOWN };
	const struct input_limits limits = { .expanded_bytes = 1 << 24, .window_log = 20 };
	const struct scan_choice choice = { .keep_addresses = false };
	struct collect_options options = { .zone_name = "UTC" };
	struct collect_counts counts;
	struct collect *collect;
	struct intake *intake;
	struct input *input;
	struct stk_error err = { 0 };
	int lost;

	memcpy(copy, whole, size);
	must(stk_writer_open(&options.writer, &to, &err) == 0 && collect_open(&collect, &options) == 0, "no memory");
	intake_open(&intake, collect, NULL, format, &choice);
	input_open_from(&input, &origin, &limits);
	lost = intake_file(intake, input, "beginning", "beginning", STK_TIME_UNKNOWN, &err);
	must(lost >= 0, err.text);
	collect_counts(collect, &counts);
	input_close(input);
	intake_close(intake);
	collect_close(collect);
	must(stk_writer_close(options.writer, true, &err) == 0, "the writer failed");
	printf("%zu %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", size,
	       lost != 0 || counts.broken + counts.unreturned > 0, counts.dumps, counts.samples, counts.metrics,
	       counts.events);
	free(copy);
}

static uint8_t *
read_file(const char *name, size_t *size)
{
	size_t room = 1u << 24;
	uint8_t *bytes = malloc(room);
	FILE *file = fopen(name, "rb");

	must(file != NULL && bytes != NULL, strerror(errno));
	*size = fread(bytes, 1, room, file);
	must(*size < room && ferror(file) == 0 && fclose(file) == 0, "cannot read it whole");
	return bytes;
}

int
main(int argc, char **argv)
{
	const struct text_format *format;
	size_t size, step;
	uint8_t *whole;

	must(argc >= 3, "expected FORMAT FILE [STEP]");
	format = strcmp(argv[1], "any") == 0 ? NULL : text_format_named(argv[1]);
	must(format != NULL || strcmp(argv[1], "any") == 0, "no such format");
	step = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	must(step > 0, "STEP: expected at least 1");
	whole = read_file(argv[2], &size);
	for (size_t n = 0; n < size; n += step)
		read_beginning(format, whole, n);
	read_beginning(format, whole, size);
	free(whole);
	return 0;
}
