/* SPDX-License-Identifier: MIT
 * nettrace: traces of .NET's EventPipe (dotnet-trace, .NET Core 3.0 and later) and of collectors of whole machines in
 * the same format. Here is the container of versions 4 and 5: a stream of objects, of which blocks of events, of
 * metadata, which says what events are, and of stacks matter, whose numbers are valid up to the next point of the
 * sequence. */
#include "ingest/nettrace_events.h"
#include "ingest/profile_tables.h"

#define MAGIC         "Nettrace"
#define SERIALIZATION "!FastSerialization.1"
#define HEAD_BYTES    (8 + 4 + 20)
#define SIX_BYTES     (8 + 4 + 4 + 4)
#define TRACE_BYTES   48
#define NAME_MOST     256	/* of an object */
#define GUID_BYTES    16

enum tag { TAG_NULL = 1, TAG_BEGIN = 5, TAG_END = 6 };

struct objects { struct nettrace *trace; struct cursor at; const char *start; };

/* --- blocks --- */

static void
take_metadata(struct nettrace *n, struct cursor payload)
{
	uint64_t id = nettrace_little(&payload, 4);
	struct stk_text provider = nettrace_utf16(n, &payload);
	uint64_t event = nettrace_little(&payload, 4);

	n->damaged += payload.bad;
	nettrace_kind(n, id, provider, event, text_of("", 0));
}

/* An event's head where only what differs is written. */
static void
read_compressed(struct cursor *c, struct nettrace_event *event)
{
	unsigned flags = (unsigned)nettrace_little(c, 1);

	if ((flags & 1) != 0)
		event->kind = (uint32_t)take_varint(c);
	if ((flags & 2) != 0) {			/* number in the sequence, thread that wrote it, processor */
		(void)take_varint(c);
		(void)take_varint(c);
		(void)take_varint(c);
	}
	if ((flags & 4) != 0)
		event->thread = take_varint(c);
	if ((flags & 8) != 0)
		event->stack = (uint32_t)take_varint(c);
	event->ticks = (int64_t)((uint64_t)event->ticks + take_varint(c));
	if ((flags & 16) != 0)
		(void)take_bytes(c, GUID_BYTES);
	if ((flags & 32) != 0)
		(void)take_bytes(c, GUID_BYTES);
	if ((flags & 128) != 0)
		event->payload = (uint32_t)take_varint(c);
}

static void
read_plain(struct cursor *c, struct nettrace_event *event)
{
	(void)nettrace_little(c, 4);		/* size */
	event->kind = (uint32_t)nettrace_little(c, 4) & INT32_MAX;
	(void)nettrace_little(c, 4);		/* number in the sequence */
	event->thread = nettrace_little(c, 8);
	(void)take_bytes(c, 12);		/* thread that wrote it, processor */
	event->stack = (uint32_t)nettrace_little(c, 4);
	event->ticks = (int64_t)nettrace_little(c, 8);
	(void)take_bytes(c, 2 * (size_t)GUID_BYTES);
	event->payload = (uint32_t)nettrace_little(c, 4);
}

static void
read_events(struct objects *o, struct cursor block, bool metadata)
{
	struct nettrace *n = o->trace;
	struct nettrace_event event = { 0 };
	bool compressed;

	if (!nettrace_begin_events(n, &block, &compressed))
		return;
	while (block.at < block.end && !block.bad) {
		const unsigned char *payload;

		if (compressed)
			read_compressed(&block, &event);
		else
			read_plain(&block, &event);
		payload = take_bytes(&block, event.payload);
		if (payload == NULL)
			break;
		if (metadata)
			take_metadata(n, cursor_of(payload, event.payload));
		else
			nettrace_take(n, &event, cursor_of(payload, event.payload));
		while (!compressed && block.at < block.end && ((const char *)block.at - o->start) % 4 != 0)
			block.at++;
	}
	n->damaged += block.bad;
}

/* --- objects --- */

/* The name of the type of an object. */
static bool
take_type(struct cursor *c, struct stk_text *name)
{
	static const unsigned char begins[] = { TAG_BEGIN, TAG_BEGIN, TAG_NULL };
	const unsigned char *tags = take_bytes(c, sizeof begins);
	uint64_t size;

	if (tags == NULL || memcmp(tags, begins, sizeof begins) != 0)
		return false;
	(void)take_bytes(c, 8);			/* its version, and the least that a reader must know */
	size = nettrace_little(c, 4);
	if (size > NAME_MOST)
		return false;
	*name = text_of((const char *)take_bytes(c, size), size);
	return nettrace_little(c, 1) == TAG_END && !c->bad;
}

/* A block has its size, and begins where four divides its place in the file. */
static bool
take_block(struct objects *o, struct cursor *block)
{
	uint64_t size = nettrace_little(&o->at, 4);
	const unsigned char *at;

	while (o->at.at < o->at.end && ((const char *)o->at.at - o->start) % 4 != 0)
		o->at.at++;
	at = take_bytes(&o->at, size);
	*block = cursor_of(at, size);
	return at != NULL;
}

/* The clock, the size of an address, the process. */
static void
read_trace(struct nettrace *n, struct cursor c)
{
	nettrace_clock(n, &c);
	n->pid = nettrace_little(&c, 4);
}

static bool
read_object(struct objects *o)
{
	struct nettrace *n = o->trace;
	struct cursor block;
	struct stk_text name;

	if (!take_type(&o->at, &name))
		return false;
	if (text_is(name, "Trace"))
		read_trace(n, cursor_of(take_bytes(&o->at, TRACE_BYTES), TRACE_BYTES));
	else if (!take_block(o, &block))
		return false;
	else if (text_is(name, "EventBlock") || text_is(name, "MetadataBlock"))
		read_events(o, block, text_is(name, "MetadataBlock"));
	else if (text_is(name, "StackBlock"))
		nettrace_stacks(n, block);
	else if (text_is(name, "SPBlock"))
		id_table_clear(&n->numbers);
	return nettrace_little(&o->at, 1) == TAG_END && !o->at.bad;
}

static void
read_objects(struct nettrace *n, struct stk_text all)
{
	const unsigned char *from = (const unsigned char *)all.data + HEAD_BYTES;
	struct objects o = { n, cursor_of(from, all.size - HEAD_BYTES), all.data };

	while (o.at.at < o.at.end && *o.at.at != TAG_NULL)
		if (!read_object(&o))
			return;
	n->over = o.at.at < o.at.end;
	if (n->over)
		n->rest = text_of((const char *)o.at.at + 1, (size_t)(o.at.end - o.at.at) - 1);
}

/* --- the format --- */

static bool
is_objects(struct stk_text all)
{
	return all.size >= HEAD_BYTES && text_starts(all, MAGIC) && load32(all.data + 8) == 20 &&
	       memcmp(all.data + 12, SERIALIZATION, 20) == 0;
}

/* Whatever its minor version. */
static bool
is_six(struct stk_text all)
{
	return all.size >= SIX_BYTES && text_starts(all, MAGIC) && load32(all.data + 8) == 0 &&
	       load32(all.data + 12) == 6;
}

static int
read_file(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct nettrace n = { .collect = to, .recorder = recording_definitions(to), .err = err };
	struct text_buffer held = { 0 };
	struct stk_text all;
	int result = 0;

	nettrace_open(&n);
	if (!profile_hold(&held, from))
		recording_broken(to, "a trace of more than 2 GB; what follows is left out");
	all = text_in(&held, 0);
	if (is_objects(all))
		read_objects(&n, all);
	else if (is_six(all))
		nettrace_read_blocks(&n, cursor_of((const unsigned char *)all.data + SIX_BYTES, all.size - SIX_BYTES));
	if (is_objects(all) || is_six(all))
		result = nettrace_settle(&n);
	else
		recording_broken(to, "a trace of another version than 4, 5 and 6, which .NET Core 3.0 and later write");
	array_release(&held);
	nettrace_release(&n);
	return result;
}

static int
recognise(struct stk_text text)
{
	return text.size > 8 && text_starts(text, MAGIC) && (text.data[8] == 20 || text.data[8] == 0) ? 100 : 0;
}

const struct text_format nettrace_format = {
	.name = "nettrace",
	.about = "traces of .NET's EventPipe (dotnet-trace): samples of managed threads, with names of methods",
	.shown_by = "its first bytes: " MAGIC,
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_UNKNOWN,
	.recognise = recognise,
	.read = read_file
};
