/* SPDX-License-Identifier: MIT
 * text_table: interned texts. */
#include "base/text_table.h"

#include "base/bytes.h"

static uint64_t
hash_text(struct stk_text text)
{
	uint64_t hash = text.size;
	char rest[8] = { 0 };
	size_t i;

	for (i = 0; i + 8 <= text.size; i += 8)
		hash = hash_pair(hash, load64(text.data + i));
	if (i < text.size)
		memcpy(rest, text.data + i, text.size - i);
	return hash_pair(hash, load64(rest));
}

static uint32_t
find(const struct text_table *table, uint64_t hash, struct stk_text text)
{
	uint32_t at = hash_map_start(&table->map, hash), number;

	while ((number = hash_map_next(&table->map, hash, &at)) != 0)
		if (text_equal(text_table_text(table, number), text))
			return number;
	return 0;
}

uint32_t
text_table_find(const struct text_table *table, struct stk_text text)
{
	return find(table, hash_text(text), text);
}

uint32_t
text_table_number(struct text_table *table, struct stk_text text)
{
	uint64_t hash = hash_text(text);
	uint32_t number = find(table, hash, text);

	if (number != 0)
		return number;
	*array_push(&table->texts) =
		text_of(arena_copy(&table->arena, text.size == 0 ? "" : text.data, text.size), text.size);
	hash_map_put(&table->map, hash, (uint32_t)table->texts.count);
	return (uint32_t)table->texts.count;
}

void
text_table_clear(struct text_table *table)
{
	arena_reset(&table->arena);
	hash_map_clear(&table->map);
	table->texts.count = 0;
}

void
text_table_release(struct text_table *table)
{
	arena_release(&table->arena);
	hash_map_release(&table->map);
	array_release(&table->texts);
}
