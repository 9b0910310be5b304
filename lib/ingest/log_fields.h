/* SPDX-License-Identifier: MIT
 * log_fields: the text of a log's record that is a line of fields, or a row of a table. */
#ifndef INGEST_LOG_FIELDS_H
#define INGEST_LOG_FIELDS_H

#include "ingest/log_record.h"

/* Of logfmt, level=info msg="at a.B.c(B.java:1)": the value of msg or message. False: the line has none. */
bool logfmt_text(struct text_buffer *to, struct stk_text line);

/* Of aws logs get-log-events and filter-log-events --output text: a line "EVENTS", ..., message, time with tabs between.
 * A message of several lines has what is before it in its first, and the time in its last. False: neither is there. */
bool aws_text(struct stk_text *text, struct stk_text line);

/* Of logcli, 2026-01-02T03:04:05Z {app="a", pod="b"} text: text and time. False: the line is not such. */
bool logcli_read(struct log_record *out, struct stk_text line);

/* --- tables (CSV): what Kibana, Splunk and others save --- */

struct log_table {			/* zero: its head was not read */
	size_t columns, text, time;	/* where they are, from 1; time 0: none */
	char delimiter;
	/* --- its own: where in a row the bytes are --- */
	enum { ROW_FIELD_BEGINS, ROW_PLAIN, ROW_QUOTED, ROW_QUOTE } at;
};

/* Moves over a byte. True: it is the newline that ends a row; within quotes it does not. */
bool log_table_ends_row(struct log_table *table, char c);
/* The first row. False: it names no column of texts. */
bool log_table_head(struct log_table *table, struct stk_text row);
/* False: the row has no such column. The text may be empty. */
bool log_table_row(const struct log_table *table, struct log_record *out, struct stk_text row);
/* Whether a text that begins so is such a table, with a row at least. */
bool log_table_is(struct stk_text beginning);

#endif
