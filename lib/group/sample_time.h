/* SPDX-License-Identifier: MIT
 * sample_time: how much time a sample stands for, whatever was chosen of the samples around it. The weight of a sample
 * of a clock, or of an event that lasts, is its time. A thread of a dump stands for half of the time since the dump
 * before of its source and half of the time to the next one; a pause of the recording, over three times the usual
 * distance, is not counted in full. Dumps of a source at the same time share it.
 * Samples of another event stand for its period on that processor: the usual distance of two of them. */
#ifndef GROUP_SAMPLE_TIME_H
#define GROUP_SAMPLE_TIME_H

#include "model/model.h"
#include "model/sample_columns.h"

#include <stdbool.h>

struct sample_time;

void sample_time_open(struct sample_time **out, struct model *model);
/* NULL does nothing. */
void sample_time_close(struct sample_time *times);
/* Another stream begins: its ids are others. Sources of the same name, host and process continue. */
void sample_time_turn(struct sample_time *times);

#define SAMPLE_TIME_COLUMNS (SAMPLE_TIME | SAMPLE_THREAD | SAMPLE_DUMP | SAMPLE_EVENT | SAMPLE_PROCESSOR)

/* Looks at all samples of a block, chosen or not, and at the dumps that were defined before it. Whether the time of any
 * dump became known by it. */
bool sample_time_see(struct sample_time *times, const struct sample_columns *columns, uint32_t rows);

#define WORTH_UNKNOWN (-1)

/* What a sample stands for: ns, WORTH_UNKNOWN where it has no time or is the only one; or, with a rate above 0, what
 * sample_time_of_rate will know later. clock: of a processor. */
struct sample_worth { int64_t ns; uint32_t rate; bool clock; };

/* Of a row of the block that was seen last; weight: its own. A dump's and an event's are to be multiplied by how many
 * such samples there are. */
struct sample_worth sample_time_of(struct sample_time *times, const struct sample_columns *columns, uint32_t row,
				   uint64_t weight);
/* Whether *ns is known for good; else it is what would be said if nothing else came. */
bool sample_time_of_rate(const struct sample_time *times, uint32_t rate, int64_t *ns);

/* Whether all samples of an event are needed to know what one of them stands for. */
bool sample_time_needs_all(const struct model *model, uint64_t event);

#endif
