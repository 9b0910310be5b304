/* SPDX-License-Identifier: MIT
 * group_records: rows of the kinds scheme, group, group_of_stack, group_of_thread and group_figure. */
#include "group/group_records.h"

#include "base/bytes.h"

static int
write_group(struct stk_writer *writer, unsigned number, uint32_t group, const struct scheme_group *of,
	    struct stk_error *err)
{
	struct stk_group row = {
		.scheme = number + 1, .id = group, .parent = of->parent, .name = of->name, .colour = of->colour
	};

	if (row.colour.data == NULL)
		row.colour = text_of("", 0);
	return stk_writer_add(writer, STK_GROUP, &row, err);
}

void
group_records_release(struct group_records *records)
{
	id_table_clear(&records->told);
	id_table_clear(&records->told_threads);
	array_release(&records->text);
}

int
group_records_name(struct group_records *records, const struct scheme_set *set, struct stk_error *err)
{
	if (!records->named) {
		id_table_clear(&records->told);
		id_table_clear(&records->told_threads);
	}
	for (unsigned i = 0; i < set->count && !records->named; i++) {
		const struct scheme *scheme = set->schemes[i];
		struct stk_scheme row = { .id = i + 1, .name = scheme->name };

		records->text.count = 0;
		if (records->embed && scheme_whole_text(scheme, &records->text, err) < 0)
			return -1;
		row.text = records->carried && !records->embed ? scheme->source : text_in(&records->text, 0);
		if (stk_writer_add(records->writer, STK_SCHEME, &row, err) < 0)
			return -1;
		for (uint32_t g = 1; g <= scheme->groups.count; g++)
			if (write_group(records->writer, i, g, &scheme->groups.at[g - 1], err) < 0)
				return -1;
	}
	records->named = true;
	return 0;
}

/* Of threads without a stack the name decides, in schemes that ask for it. */
static int
write_thread(struct group_records *records, struct scheme_set *set, const struct model *model, uint64_t thread,
	     struct stk_error *err)
{
	bool *told;

	if (!model_knows(model, STK_THREAD, thread))
		thread = 0;
	records->told_threads.size = sizeof *told;
	told = id_table_at(&records->told_threads, thread);
	if (*told)
		return 0;
	*told = true;
	for (unsigned i = 0; i < set->count; i++) {
		const uint32_t *groups;
		uint32_t count;

		if (!set->schemes[i]->asks_threads)
			continue;
		count = grouping_of_thread(set->groupings[i], model, thread, &groups);
		for (uint32_t g = 0; g < count || g == 0; g++) {
			struct stk_group_of_thread row = {
				.scheme = i + 1, .thread = thread, .group = count == 0 ? 0 : groups[g]
			};

			if (stk_writer_add(records->writer, STK_GROUP_OF_THREAD, &row, err) < 0)
				return -1;
		}
	}
	return 0;
}

static int
write_stack(struct group_records *records, struct scheme_set *set, const struct model *model, uint64_t stack,
	    uint64_t state, struct stk_error *err)
{
	bool first;
	uint16_t *told;

	_Static_assert(STK_STATE_SLEEPING < 16, "told has a bit for each state");
	if (state > STK_STATE_SLEEPING)
		state = STK_STATE_UNKNOWN;
	records->told.size = sizeof *told;
	told = id_table_at(&records->told, (uint32_t)stack);
	if ((*told >> state & 1) != 0)
		return 0;
	first = *told == 0;
	*told |= (uint16_t)(1u << state);
	for (unsigned i = 0; i < set->count; i++) {
		bool asks = set->schemes[i]->asks_states;
		const uint32_t *groups;
		uint32_t count;

		if ((!asks && !first) || (stack == 0 && set->schemes[i]->asks_threads))
			continue;
		count = grouping_of_sample(set->groupings[i], model, stack, state, &groups);
		for (uint32_t g = 0; g < count || g == 0; g++) {
			struct stk_group_of_stack row = {
				.scheme = i + 1, .stack = stack, .group = count == 0 ? 0 : groups[g],
				.state = asks ? (enum stk_state)state : STK_STATE_UNKNOWN
			};

			if (stk_writer_add(records->writer, STK_GROUP_OF_STACK, &row, err) < 0)
				return -1;
		}
	}
	return 0;
}

int
group_records_sample(struct group_records *records, struct scheme_set *set, const struct model *model,
		     const struct grouped_sample *sample, struct stk_error *err)
{
	bool known = model_knows(model, STK_STACK, sample->stack);

	if (sample->stack == 0 && write_thread(records, set, model, sample->thread, err) < 0)
		return -1;
	return write_stack(records, set, model, known ? sample->stack : 0, sample->state, err);
}

int
group_records_figures(struct group_records *records, const struct scheme_set *set, int64_t time, int64_t length,
		      struct stk_error *err)
{
	for (unsigned i = 0; i < set->count; i++) {
		size_t count;
		const struct group_sum *sums = grouping_sums(set->groupings[i], &count);

		for (size_t k = 0; k < count; k++) {
			struct stk_group_figure row = {
				.time = time, .length = length, .scheme = i + 1, .group = sums[k].group,
					.samples = sums[k].count,
				.weight = sums[k].weight, .duration = (uint64_t)sums[k].ns,
				.payload_name = text_of("", 0), .payload_unit = text_of("", 0)
			};

			if (sums[k].shared)
				continue;
			if (stk_writer_add(records->writer, STK_GROUP_FIGURE, &row, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* A row for each payload, of which the first has the rest too. */
static int
write_figures(struct group_records *records, const struct event_time *events, const struct group_events *has,
	      struct stk_group_figure *row, struct stk_error *err)
{
	uint32_t next = has->payloads;

	row->paired = (uint64_t)has->ns;
	row->pairs = has->pairs;
	row->points = has->points;
	do {
		struct group_payload payload = { .next = 0 };

		row->payload_name = row->payload_unit = text_of("", 0);
		if (next != 0) {
			event_time_payload(events, next, &payload);
			row->payload_name = payload.name;
			row->payload_unit = payload.unit;
		}
		row->payload = payload.sum;
		if (stk_writer_add(records->writer, STK_GROUP_FIGURE, row, err) < 0)
			return -1;
		row->paired = row->pairs = row->points = 0;
		next = payload.next;
	} while (next != 0);
	return 0;
}

static int
write_events(struct group_records *records, unsigned number, const struct grouping *grouping, uint32_t key,
	     int64_t part, int64_t length, struct stk_error *err)
{
	for (uint32_t g = 0; g <= grouping_scheme(grouping)->groups.count; g++) {
		const struct group_events *has = event_time_of(grouping_events(grouping), part, key, g);
		struct stk_group_figure row = { .time = part, .length = length, .scheme = number + 1, .group = g };

		if (has->ns == 0 && has->pairs + has->points == 0 && has->payloads == 0)
			continue;
		if (write_figures(records, grouping_events(grouping), has, &row, err) < 0)
			return -1;
	}
	return 0;
}

int
group_records_events(struct group_records *records, const struct scheme_set *set, int64_t part, int64_t length,
		     struct stk_error *err)
{
	for (unsigned i = 0; i < set->count; i++) {
		size_t count;
		const uint32_t *keys = event_time_keys(grouping_events(set->groupings[i]), &count);

		for (size_t k = 0; k < count; k++)
			if (write_events(records, i, set->groupings[i], keys[k], part, length, err) < 0)
				return -1;
	}
	return 0;
}
