/* SPDX-License-Identifier: MIT
 * stream_series: the series in a stream: counts of classes, segments and groups in dumps, metrics, counters; and
 * threads that do not move. */
#ifndef TREND_STREAM_SERIES_H
#define TREND_STREAM_SERIES_H

#include "choose/selection.h"
#include "model/model.h"
#include "trend/series_set.h"

struct stream_series;

/* Takes the rows that the selection chooses. All are borrowed. */
void stream_series_open(struct stream_series **out, struct series_set *set, struct model *model,
			struct selection *selection);
void stream_series_close(struct stream_series *stream);

/* Ids start anew: another stream begins, which the model has as well. */
void stream_series_turn(struct stream_series *stream, struct stk_reader *reader);
/* A stream is over, or there was none: which series are in which is known now, and where threads are. The model must
 * still have the stream. */
void stream_series_link(struct stream_series *stream);
/* Takes the reader's present block. -1: STK_EDATA when it is damaged. */
int stream_series_take(struct stream_series *stream, struct stk_reader *reader, const struct stk_block *block,
		       struct stk_error *err) STK_MUST_CHECK;

/* Dumps between others of which groups have no samples, though the stream tells of them: these were chosen before. */
uint64_t stream_series_bare_dumps(const struct stream_series *stream);

/* Kinds that are of use, by number. */
bool stream_series_wants(unsigned kind);

#endif
