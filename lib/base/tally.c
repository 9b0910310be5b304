/* SPDX-License-Identifier: MIT
 * tally: counts beside a table of texts. */
#include "base/tally.h"

#include "base/bytes.h"

#include <stdlib.h>

void
tally_add(struct tally *t, struct stk_text text, uint64_t count)
{
	uint32_t number = text_table_number(&t->texts, text);

	while (t->counts.count < number)
		*array_push(&t->counts) = 0;
	t->counts.at[number - 1] += count;
}

uint64_t
tally_of(const struct tally *t, struct stk_text text)
{
	uint32_t number = text_table_find(&t->texts, text);

	return number == 0 ? 0 : t->counts.at[number - 1];
}

uint64_t
tally_most(const struct tally *t)
{
	uint64_t most = 0;

	for (size_t i = 0; i < t->counts.count; i++)
		most = t->counts.at[i] > most ? t->counts.at[i] : most;
	return most;
}

int
tally_row_compare(const void *a, const void *b)
{
	const struct tally_row *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return text_compare(x->text, y->text);
}

struct tally_row *
tally_ranked(const struct tally *t)
{
	struct tally_row *order = mem_new(t->counts.count + 1, sizeof *order);

	for (size_t i = 0; i < t->counts.count; i++)
		order[i] = (struct tally_row){ t->texts.texts.at[i], t->counts.at[i] };
	qsort(order, t->counts.count, sizeof *order, tally_row_compare);
	return order;
}

void
tally_release(struct tally *t)
{
	text_table_release(&t->texts);
	array_release(&t->counts);
}
