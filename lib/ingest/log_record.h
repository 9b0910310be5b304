/* SPDX-License-Identifier: MIT
 * log_record: the text in a JSON object that a log system made of a line, or of several. */
#ifndef INGEST_LOG_RECORD_H
#define INGEST_LOG_RECORD_H

#include "base/text_buffer.h"

#define LOG_TIME_MAX 40

enum log_record_kind {
	LOG_NOT,	/* a valid value without the text of a log */
	LOG_BAD,	/* damaged; text has what was read before the damage */
	LOG_LOST,	/* the log system left the text out */
	LOG_TEXT
};

struct log_record {
	struct text_buffer text;	/* reused from record to record; array_release when done */
	char time[LOG_TIME_MAX];	/* of the record, as it is written; "" */
	bool is_piece;			/* docker's form, in which a line may come in several records */
	bool is_error;			/* of stderr: pieces are of one of two streams */
	bool may_be_reversed;		/* of a system that gives the newest first, unless asked not to */
	bool any;			/* has a key that holds a log's text, whatever its value is */
};

/* Reads the object. Objects within its text are taken apart as well. */
enum log_record_kind log_record_read(struct log_record *out, struct stk_text json);

/* Of two times of RFC 3339 with the same offset: below 0, 0, above 0. A text that is no time is equal to all. */
int log_times_compare(const char *a, const char *b);

#endif
