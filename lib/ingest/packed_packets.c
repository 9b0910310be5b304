/* SPDX-License-Identifier: MIT
 * packed_packets: zlib and zstd in memory. */
#include "ingest/packed_packets.h"

#include "base/host.h"
#include "ingest/whole_input.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define GROWTH_MOST  100u		/* times the trace */
#define SMALL_MOST   (64u << 20)	/* bytes, of any trace */
#define STEP_BYTES   (256u << 10)

/* Adds what zlib has packed; false when it is damaged or too much. */
static bool
inflate_all(struct text_buffer *to, struct stk_text from, size_t most)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)from.data, .avail_in = (unsigned)from.size };
	int result = Z_OK;

	if (from.size > UINT32_MAX)
		return false;
	if (inflateInit(&z) != Z_OK)
		host_out_of_memory(1, STEP_BYTES);
	while (result == Z_OK && to->count <= most) {
		array_reserve(to, STEP_BYTES);
		z.next_out = (unsigned char *)to->at + to->count;
		z.avail_out = STEP_BYTES;
		result = inflate(&z, Z_NO_FLUSH);
		to->count += STEP_BYTES - z.avail_out;
	}
	if (result == Z_MEM_ERROR)
		host_out_of_memory(1, STEP_BYTES);
	inflateEnd(&z);
	return result == Z_STREAM_END && to->count <= most;
}

static bool
unzstd_all(struct text_buffer *to, struct stk_text from, size_t most)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = { from.data, from.size, 0 };
	size_t result = stream != NULL ? 1 : 0;
	bool full = true;

	while (result != 0 && !ZSTD_isError(result) && to->count <= most && (full || in.pos < in.size)) {
		ZSTD_outBuffer out;

		array_reserve(to, STEP_BYTES);
		out = (ZSTD_outBuffer){ to->at + to->count, STEP_BYTES, 0 };
		result = ZSTD_decompressStream(stream, &out, &in);
		to->count += ZSTD_isError(result) ? 0 : out.pos;
		full = out.pos == STEP_BYTES;
	}
	if (stream == NULL || ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
		host_out_of_memory(1, STEP_BYTES);
	ZSTD_freeDStream(stream);
	return result == 0 && to->count <= most;
}

/* The packed packets of a packet, when it has any. */
static bool
is_packed(struct stk_text packet, struct proto_field *packed)
{
	struct proto_reader reader = proto_read(packet);

	while (proto_next(&reader, packed))
		if (packed->wire == PROTO_BYTES &&
		    (packed->number == PACKET_COMPRESSED || packed->number == PACKET_COMPRESSED_ZSTD))
			return true;
	return false;
}

/* What was packed, in memory of its own. */
static struct stk_text
expand_packets(struct packets *p, const struct proto_field *packed)
{
	size_t most = p->most - p->bytes;
	struct text_buffer *kept = array_push(&p->expanded);

	p->room.count = 0;
	p->broken |= !(packed->number == PACKET_COMPRESSED ? inflate_all(&p->room, packed->bytes, most)
							   : unzstd_all(&p->room, packed->bytes, most));
	p->bytes += p->room.count < most ? p->room.count : most;
	*kept = (struct text_buffer){ 0 };
	array_reserve(kept, p->room.count);
	add_text(kept, text_in(&p->room, 0));
	return text_in(kept, 0);
}

static void
list_packets(struct packets *p, struct stk_text trace, bool expand)
{
	struct proto_reader reader = proto_read(trace);
	struct proto_field field, packed;

	while (proto_next(&reader, &field)) {
		if (field.number != 1 || field.wire != PROTO_BYTES)
			continue;
		if (!expand || !is_packed(field.bytes, &packed)) {
			*array_push(&p->list) = field.bytes;
			continue;
		}
		list_packets(p, expand_packets(p, &packed), false);
	}
	p->broken |= reader.broken;
}

void
packets_find(struct packets *p, struct stk_text trace, struct collect *collect)
{
	p->most = trace.size * GROWTH_MOST > SMALL_MOST ? trace.size * GROWTH_MOST : SMALL_MOST;
	list_packets(p, trace, true);
	if (p->broken)
		recording_broken(collect, "a trace that is cut off or damaged, or expands without end; what precedes that "
					  "was read");
}

void
packets_release(struct packets *p)
{
	for (size_t i = 0; i < p->expanded.count; i++)
		array_release(&p->expanded.at[i]);
	array_release(&p->expanded);
	array_release(&p->list);
	array_release(&p->room);
}
