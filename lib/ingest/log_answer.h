/* SPDX-License-Identifier: MIT
 * log_answer: what a log server answers, one JSON value that has many records: CloudWatch ("events" of aws logs
 * get-log-events and filter-log-events, or a list of texts by its --query), Loki (query_range), Elasticsearch
 * (_search). */
#ifndef INGEST_LOG_ANSWER_H
#define INGEST_LOG_ANSWER_H

#include "ingest/log_record.h"

/* A record, in the order of the answer, valid during the call. False: no more is wanted. */
typedef bool log_answer_take(void *context, const struct log_record *record);

/* False: the answer is damaged, or cut; what is before the damage was handed over. */
bool log_answer_read(struct stk_text answer, log_answer_take *take, void *context);

/* Whether a text that begins so is such an answer. */
bool log_answer_is(struct stk_text beginning);

#endif
