/* SPDX-License-Identifier: MIT
 * code_sizes: the sizes of codes, and of other forms of the same stacks. */
#include "code_sizes.h"

#include "base/host.h"
#include "base/memory.h"
#include "base/text_buffer.h"
#include "program/program.h"
#include "views.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define SINK_BYTES (1u << 16)
#define ZSTD_LEVEL 19
#define ZSTD_WINDOW 27		/* bits: 128 MiB */

struct code_sizes {
	struct text_buffer text;	/* of the dump at hand */
	uint64_t text_bytes, gzip_bytes, zstd_bytes;
	z_stream gzip;
	ZSTD_CCtx *zstd;
	unsigned char sink[SINK_BYTES];
};

void
code_sizes_open(struct code_sizes **out)
{
	struct code_sizes *s = *out = mem_new(1, sizeof *s);

	if (deflateInit2(&s->gzip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
	    (s->zstd = ZSTD_createCCtx()) == NULL)
		host_out_of_memory(1, sizeof *s);
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_windowLog, ZSTD_WINDOW);
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_enableLongDistanceMatching, 1);
}

void
code_sizes_close(struct code_sizes *s)
{
	if (s == NULL)
		return;
	(void)deflateEnd(&s->gzip);
	ZSTD_freeCCtx(s->zstd);
	array_release(&s->text);
	free(s);
}

static void
compress_text(struct code_sizes *s, bool last)
{
	ZSTD_inBuffer in = { s->text.at, s->text.count, 0 };
	size_t left;

	s->gzip.next_in = (unsigned char *)s->text.at;
	s->gzip.avail_in = (unsigned)s->text.count;
	do {
		s->gzip.next_out = s->sink;
		s->gzip.avail_out = SINK_BYTES;
		(void)deflate(&s->gzip, last ? Z_FINISH : Z_NO_FLUSH);
		s->gzip_bytes += SINK_BYTES - s->gzip.avail_out;
	} while (s->gzip.avail_out == 0);
	do {
		ZSTD_outBuffer out = { s->sink, SINK_BYTES, 0 };

		left = ZSTD_compressStream2(s->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
		s->zstd_bytes += out.pos;
		if (ZSTD_isError(left))		/* the only error that it can have here; a size would be too small */
			host_out_of_memory(1, (size_t)1 << ZSTD_WINDOW);
	} while (in.pos < in.size || (last && left > 0));
	s->text_bytes += s->text.count;
	s->text.count = 0;
}

void
code_sizes_add(struct code_sizes *s, struct classifier *classifier, int64_t time_ns, const uint32_t *classes,
	       const uint64_t *times, size_t count)
{
	add_char(&s->text, '@');
	add_moment(&s->text, time_ns, NULL);
	add_char(&s->text, '\n');
	for (size_t i = 0; i < count; i++) {
		uint32_t depth = 0;
		const uint32_t *trace =
			classes[i] == 0
				? NULL
				: classifier_trace(classifier, classifier_get(classifier, classes[i])->stack, &depth);

		for (uint32_t k = 0; k < depth; k++) {
			if (k > 0)
				add_char(&s->text, ';');
			add_text(&s->text, classifier_frame_text(classifier, trace[k]));
		}
		add_format(&s->text, " %llu\n", (unsigned long long)times[i]);
	}
	compress_text(s, false);
}

static void
tell(const char *what, uint64_t bytes, const struct class_code_totals *totals)
{
	program_say("%-30s %12llu bytes %10.3f a thread", what, (unsigned long long)bytes,
		    totals->threads == 0 ? 0 : (double)bytes / (double)totals->threads);
}

void
code_sizes_tell(struct code_sizes *s, const struct class_code_totals *totals, uint64_t stream, uint64_t codes)
{
	compress_text(s, true);
	tell("text, folded", s->text_bytes, totals);
	tell("text, gzip -6", s->gzip_bytes, totals);
	tell("text, zstd -19 --long=27", s->zstd_bytes, totals);
	tell("the stream read", stream, totals);
	tell("codes and dictionary", codes, totals);
	tell("codes alone, not compressed", totals->bytes, totals);
}
