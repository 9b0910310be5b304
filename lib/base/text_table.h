/* SPDX-License-Identifier: MIT
 * text_table: gives the same number to the same text (any bytes), from 1 on. A zeroed struct is an empty table. */
#ifndef BASE_TEXT_TABLE_H
#define BASE_TEXT_TABLE_H

#include "base/arena.h"
#include "base/array.h"
#include "base/hash_map.h"
#include "stkpipe/rows.h"

struct text_table {
	struct arena arena;
	struct hash_map map;
	ARRAY(struct stk_text) texts;	/* text n is texts.at[n - 1] */
};

uint32_t text_table_number(struct text_table *table, struct stk_text text);
/* 0 when it has none. */
uint32_t text_table_find(const struct text_table *table, struct stk_text text);
void text_table_clear(struct text_table *table);
void text_table_release(struct text_table *table);

static inline struct stk_text
text_table_text(const struct text_table *table, uint32_t number)
{
	return number == 0 ? (struct stk_text){ "", 0 } : table->texts.at[number - 1];
}

/* Mixes two numbers into a hash for hash_map, which needs a good upper half. */
static inline uint64_t
hash_pair(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;

	h = (h ^ h >> 29 ^ b) * 0x94d049bb133111ebu;
	return (h ^ h >> 31) * 0x9e3779b97f4a7c15u;
}

#endif
