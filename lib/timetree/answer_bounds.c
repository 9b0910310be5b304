/* SPDX-License-Identifier: MIT
 * answer_bounds: what is estimated or left out is counted beside the sums, and grows as they do. */
#include "timetree/recording_parts.h"

static uint64_t
amount(const struct left_out *left, bool samples)
{
	return samples ? left->samples : left->weight;
}

/* What a part leaves out, of the questions since it was last given away; it is forgotten. */
static void
take_left(struct part *part, bool samples, struct answer_bounds *to)
{
	uint64_t value = amount(&part->left, samples), least = value - amount(&part->left_guessed, samples),
		 most = least + amount(&part->left_possible, samples);
	struct left_out all = part->left;
	uint64_t stack;

	left_out_add(&all, &part->left_possible);
	stack = samples ? all.alike_bound : all.weight_bound;
	left_out_add(&to->left, &part->left);
	to->value += value;
	to->least += least;
	to->most += most;
	to->stack += stack < most ? stack : most;
	to->unknown |= all.weight_unknown && !samples;
	part->left = part->left_guessed = part->left_possible = (struct left_out){ 0 };
}

static uint64_t
sum_of(const struct pair_sums *sums, bool samples)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sums->sums.count; i++)
		sum += samples ? sums->sums.at[i].count : sums->sums.at[i].weight;
	return sum;
}

static void
note_estimated(struct part *part, bool samples, struct answer_bounds *to)
{
	to->estimated += sum_of(&part->guessed, samples);
	to->possible += sum_of(&part->possible, samples);
}

static void
swap(struct pair_sums *a, struct pair_sums *b)
{
	struct pair_sums keep = *a;

	*a = *b;
	*b = keep;
}

/* Where the sums of all parts are others for the time being. */
static int
grow_in_place(struct recording *const *recordings, size_t count, bool possible, struct call_tree *to, unsigned column,
	      struct stk_error *err)
{
	struct answer ignored = { 0 };
	int result;

	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < recordings[i]->parts.count; p++) {
			struct part *part = recordings[i]->parts.at[p];

			swap(&part->sums, possible ? &part->possible : &part->guessed);
		}
	result = recordings_grow(recordings, count, (struct growth_limits){ 0 }, to, column, &ignored, err);
	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < recordings[i]->parts.count; p++) {
			struct part *part = recordings[i]->parts.at[p];

			swap(&part->sums, possible ? &part->possible : &part->guessed);
		}
	return result;
}

static void
add_left(struct call_tree *to, uint32_t node, unsigned column, uint64_t value)
{
	call_tree_self(to, node)[column] += value;
	call_tree_total(to, node)[column] += value;
	call_tree_total(to, 0)[column] += value;
}

int
recordings_grow_bounds(struct recording *const *recordings, size_t count, struct call_tree *to, unsigned column,
	unsigned bounds, struct answer_bounds *bounds_known, struct stk_error *err)
{
	struct answer_bounds known = { 0 };
	uint32_t node;

	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < recordings[i]->parts.count; p++) {
			note_estimated(recordings[i]->parts.at[p], recordings[i]->options.samples, &known);
			take_left(recordings[i]->parts.at[p], recordings[i]->options.samples, &known);
		}
	*bounds_known = known;
	if (bounds > 0 && (grow_in_place(recordings, count, false, to, bounds, err) < 0 ||
			   grow_in_place(recordings, count, true, to, bounds + 1, err) < 0))
		return -1;
	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < recordings[i]->parts.count; p++) {
			pair_sums_clear(&recordings[i]->parts.at[p]->guessed);
			pair_sums_clear(&recordings[i]->parts.at[p]->possible);
		}
	if (known.most == 0)
		return 0;
	node = call_tree_child(to, 0, text_from(LEFT_OUT));
	array_lengthen(&to->total, to->self.count);
	add_left(to, node, column, known.value);
	if (bounds > 0) {
		add_left(to, node, bounds, known.value - known.least);
		add_left(to, node, bounds + 1, known.most - known.least);
	}
	return 0;
}

struct answer_bounds
recording_left_out(struct recording *r)
{
	struct answer_bounds known = { 0 };

	for (size_t p = 0; p < r->parts.count; p++) {
		struct part *part = r->parts.at[p];

		note_estimated(part, r->options.samples, &known);
		take_left(part, r->options.samples, &known);
		pair_sums_clear(&part->guessed);
		pair_sums_clear(&part->possible);
	}
	return known;
}
