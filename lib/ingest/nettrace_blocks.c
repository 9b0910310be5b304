/* SPDX-License-Identifier: MIT
 * nettrace_blocks: version 6 of the container. Blocks have four bytes of size and kind and no alignment; threads have
 * numbers of their own, with process and name; texts are UTF-8. */
#include "ingest/nettrace_events.h"
#include "model/recorder.h"

enum block_kind {
	BLOCK_END, BLOCK_TRACE, BLOCK_EVENTS, BLOCK_METADATA, BLOCK_SEQUENCE, BLOCK_STACKS, BLOCK_THREADS
};	/* and others, such as labels, which samples have no place for */

#define FORGET_THREADS 1u
#define FORGET_KINDS   2u

static struct stk_text
take_text(struct cursor *c)
{
	uint64_t size = take_varint(c);
	const unsigned char *at = size <= (uint64_t)(c->end - c->at) ? take_bytes(c, (size_t)size) : NULL;

	c->bad |= at == NULL;
	return at == NULL ? text_of("", 0) : text_of((const char *)at, (size_t)size);
}

/* What rows of a block begin with: their size. */
static struct cursor
take_row(struct cursor *block)
{
	size_t size = (size_t)nettrace_little(block, 2);

	return cursor_of(take_bytes(block, size), size);
}

/* The clock, and properties, of which one is the number of the process. */
static void
read_trace(struct nettrace *n, struct cursor c)
{
	uint64_t count;

	nettrace_clock(n, &c);
	for (count = nettrace_little(&c, 4); count > 0 && !c.bad; count--) {
		struct stk_text key = take_text(&c), value = take_text(&c);

		if (!text_is(key, "ProcessId"))
			continue;
		n->pid = 0;
		for (size_t i = 0; i < value.size && i < 10 && value.data[i] >= '0' && value.data[i] <= '9'; i++)
			n->pid = n->pid * 10 + (uint64_t)(value.data[i] - '0');
	}
	n->damaged += c.bad;
}

static void
read_metadata(struct nettrace *n, struct cursor block)
{
	(void)take_row(&block);			/* for later versions */
	while (block.at < block.end && !block.bad) {
		struct cursor row = take_row(&block);
		uint64_t number = take_varint(&row), event;
		struct stk_text provider = take_text(&row);

		event = take_varint(&row);
		nettrace_kind(n, number, provider, event, take_text(&row));
		n->damaged += row.bad;
	}
	n->damaged += block.bad;
}

/* After its number: a name, and the numbers of process and thread that the system gave, in any order. */
static void
read_thread(struct nettrace *n, struct cursor row)
{
	enum { NAME = 1, PROCESS, THREAD, PROPERTY };
	struct nettrace_thread thread = { 0 };
	uint64_t number = take_varint(&row);

	while (row.at < row.end && !row.bad) {
		switch (nettrace_little(&row, 1)) {
		case NAME:    thread.name = recorder_string(n->recorder, take_text(&row)); break;
		case PROCESS: thread.pid = take_varint(&row); break;
		case THREAD:  thread.tid = take_varint(&row); break;
		case PROPERTY:
			(void)take_text(&row);
			(void)take_text(&row);
			break;
		default: row.at = row.end; break;	/* of a later version, and of unknown size */
		}
	}
	n->damaged += row.bad;
	*(struct nettrace_thread *)id_table_at(&n->threads, number) = thread;
}

static void
read_threads(struct nettrace *n, struct cursor block)
{
	while (block.at < block.end && !block.bad)
		read_thread(n, take_row(&block));
	n->damaged += block.bad;
}

/* Stacks have other numbers from here on. */
static void
read_sequence(struct nettrace *n, struct cursor block)
{
	uint64_t flags;

	(void)nettrace_little(&block, 8);
	flags = nettrace_little(&block, 4);
	n->damaged += block.bad;
	id_table_clear(&n->numbers);
	if ((flags & FORGET_THREADS) != 0)
		id_table_clear(&n->threads);
	if ((flags & FORGET_KINDS) != 0)
		id_table_clear(&n->kinds);
}

/* An event's head where only what differs is written. */
static void
read_compressed(struct cursor *c, struct nettrace_event *event)
{
	unsigned flags = (unsigned)nettrace_little(c, 1);

	if ((flags & 1) != 0)
		event->kind = (uint32_t)take_varint(c);
	if ((flags & 2) != 0) {			/* number in the sequence, thread that wrote it */
		(void)take_varint(c);
		(void)take_varint(c);
		event->processor = (uint32_t)take_varint(c);
	}
	if ((flags & 4) != 0)
		event->thread = take_varint(c);
	if ((flags & 8) != 0)
		event->stack = (uint32_t)take_varint(c);
	event->ticks = (int64_t)((uint64_t)event->ticks + take_varint(c));
	if ((flags & 16) != 0)
		(void)take_varint(c);		/* labels */
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
	(void)nettrace_little(c, 8);		/* thread that wrote it */
	event->processor = (uint32_t)nettrace_little(c, 4);
	event->stack = (uint32_t)nettrace_little(c, 4);
	event->ticks = (int64_t)nettrace_little(c, 8);
	(void)nettrace_little(c, 4);		/* labels */
	event->payload = (uint32_t)nettrace_little(c, 4);
}

static void
read_events(struct nettrace *n, struct cursor block)
{
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
		if (payload != NULL)
			nettrace_take(n, &event, cursor_of(payload, event.payload));
	}
	n->damaged += block.bad;
}

void
nettrace_read_blocks(struct nettrace *n, struct cursor c)
{
	n->has_threads = true;
	while (c.at < c.end) {
		size_t size = (size_t)nettrace_little(&c, 3);
		uint64_t kind = nettrace_little(&c, 1);
		struct cursor block = cursor_of(take_bytes(&c, size), size);

		if (c.bad)
			return;
		switch (kind) {
		case BLOCK_END:
			n->over = true;
			n->rest = text_of((const char *)c.at, (size_t)(c.end - c.at));
			return;
		case BLOCK_TRACE:    read_trace(n, block); break;
		case BLOCK_EVENTS:   read_events(n, block); break;
		case BLOCK_METADATA: read_metadata(n, block); break;
		case BLOCK_SEQUENCE: read_sequence(n, block); break;
		case BLOCK_STACKS:   nettrace_stacks(n, block); break;
		case BLOCK_THREADS:  read_threads(n, block); break;
		default:             break;
		}
	}
}
