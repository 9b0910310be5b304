/* SPDX-License-Identifier: MIT
 * recording_fuzz: what a format that reads whole inputs must bear: any bytes, in pieces of several sizes, in memory of
 * exactly their size; rows that a writer takes. */
#ifndef T_FUZZ_RECORDING_FUZZ_H
#define T_FUZZ_RECORDING_FUZZ_H

#include "ingest/whole_input.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct fuzz_bytes { const uint8_t *at; size_t left, piece; };

static size_t
fuzz_read(void *context, void *to, size_t size)
{
	struct fuzz_bytes *from = context;

	size = size < from->piece ? size : from->piece;
	size = size < from->left ? size : from->left;
	if (size > 0)
		memcpy(to, from->at, size);
	from->at += size;
	from->left -= size;
	return size;
}

static int
fuzz_write(void *context, const void *from, size_t size, struct stk_error *err)
{
	(void)context, (void)from, (void)size, (void)err;
	return 0;
}

/* Reads all of what was skipped. */
static void
fuzz_skipped(void *context, const char *file, uint64_t line, const struct finding *finding)
{
	uint64_t *sum = context;

	(void)file, (void)line;
	if (finding->is.skipped.why == NULL)
		abort();
	for (size_t i = 0; i < finding->is.skipped.text.size; i++)
		*sum += (unsigned char)finding->is.skipped.text.data[i];
}

static inline int
recording_fuzz(const struct text_format *format, const uint8_t *bytes, size_t size)
{
	struct fuzz_bytes from = { bytes, size, size % 3 == 0 ? 100 : 1u << 20 };
	struct recording_bytes reader = { fuzz_read, &from };
	uint64_t sum = 0;
	struct collect_options options = { .zone_name = "UTC",
					   .choice = { size % 2 != 0, size % 3 == 0, size % 5 == 0 },
					   .skipped = fuzz_skipped,
					   .context = &sum };
	const struct stk_writer_options to = { .write = fuzz_write, .level = 1 };
	struct stk_error err = { 0 };
	struct collect *collect;

	if (stk_writer_open(&options.writer, &to, &err) < 0 || collect_open(&collect, &options) < 0)
		abort();
	collect_begin_file(collect, "fuzz", "fuzz", format, STK_TIME_UNKNOWN);
	if (format->read(collect, &reader, &err) < 0 || collect_end_file(collect, &err) < 0)
		abort();
	collect_close(collect);
	if (stk_writer_close(options.writer, true, &err) < 0)
		abort();
	return 0;
}

#endif
