/* SPDX-License-Identifier: MIT
 * naming_order: what describes other rows is written before them, whatever the order in which rows were added: at a
 * flush, at the end, and when a block is full. */
#include "../lib/damage.h"
#include "../lib/tap.h"

enum which { ALL, OTHERS };

/* Rows of all kinds but the stream's own, or of those that describe nothing, with the highest number first. */
static void
add_kinds(struct stk_writer *writer, enum which which, unsigned rows)
{
	struct stk_error err = { 0 };

	for (unsigned kind = STK_KIND_COUNT; kind-- > 0;) {
		const struct stk_kind_schema *is = &stk_schema()->kind[kind];
		uint64_t row[64] = { 0 };

		if (kind == STK_HEAD || kind == STK_INDEX || kind == STK_END || is->name == NULL ||
		    (which == OTHERS && (is->definition || is->naming)))
			continue;
		for (unsigned r = 0; r < rows; r++)
			if (stk_writer_add(writer, (enum stk_kind)kind, row, &err) < 0)
				abort();
	}
}

struct order { unsigned naming, rows, late, definitions_late; };

static struct order
order_of(struct some_bytes bytes, unsigned parts)
{
	struct stk_reader_options options = { .read = bytes_read, .context = &bytes };
	struct order order = { 0 };
	struct stk_reader *reader;
	struct stk_block block;
	struct stk_error err = { 0 };
	unsigned seen[STK_KIND_COUNT] = { 0 };

	if (stk_reader_open(&reader, &options, &err) < 0)
		abort();
	while (stk_reader_next(reader, &block, &err) > 0) {
		const struct stk_kind_schema *kind = &stk_schema()->kind[block.kind];
		unsigned part = seen[block.kind]++;

		if (block.kind == STK_HEAD)
			continue;
		if (part >= parts)
			abort();
		for (unsigned k = 0; k < STK_KIND_COUNT; k++) {
			const struct stk_kind_schema *other = &stk_schema()->kind[k];
			bool before = k != STK_HEAD && !other->definition && seen[k] > part;

			order.late += kind->naming && before && !other->naming;
			order.definitions_late += kind->definition && before;
		}
		order.naming += kind->naming;
		order.rows += !kind->naming && !kind->definition;
	}
	stk_reader_close(reader);
	return order;
}

enum how { AT_END, AT_FLUSH, WHEN_FULL };

static void
test_order(enum how how, const char *when)
{
	struct some_bytes bytes = { 0 };
	struct stk_writer_options options = {
		.write = bytes_write, .context = &bytes, .level = 1, .block_rows = how == WHEN_FULL ? 4 : 0
	};
	struct stk_writer *writer;
	struct stk_error err = { 0 };
	struct order order;
	unsigned parts = how == AT_FLUSH ? 2 : 1;

	if (stk_writer_open(&writer, &options, &err) < 0 || stk_writer_head(writer, NULL, &err) < 0)
		abort();
	add_kinds(writer, ALL, 3);
	if (how == AT_FLUSH) {
		if (stk_writer_flush(writer, &err) < 0)
			abort();
		add_kinds(writer, ALL, 3);
	} else if (how == WHEN_FULL)
		add_kinds(writer, OTHERS, 1);
	if (stk_writer_close(writer, true, &err) < 0)
		abort();
	order = order_of(bytes, parts);
	ok(order.naming >= 8 * parts && order.rows > order.naming, "%s: %u blocks that describe, %u of other rows", when,
	   order.naming, order.rows);
	is_u64(order.late, 0, "%s: none that describes comes after what it may describe", when);
	is_u64(order.definitions_late, 0, "%s: definitions come before both", when);
	free(bytes.at);
}

int
main(void)
{
	test_order(AT_END, "at the end");
	test_order(AT_FLUSH, "at a flush");
	test_order(WHEN_FULL, "when blocks are full");
	return tap_end();
}
