/* SPDX-License-Identifier: MIT
 * unwrap: takes the text out of what log systems wrap it in: a JSON object for each line (docker, ECS, logstash, GCP,
 * journald, Loki), also after a prefix (docker compose, syslog), the answer of a log server that is one JSON value, a
 * table (CSV), logfmt, journald's export, the lines of CRI, HTML, the pods of kubectl logs --prefix, and the tabs that
 * rsyslog writes as #011. Bytes go in as they come, in pieces of any size;
 * text comes out, the same however it went in.
 *
 * What is not wrapped among wrapped lines passes as it is. A record may hold several lines or only a part of one, so
 * the numbers of lines are those of the text that comes out. */
#ifndef INGEST_UNWRAP_H
#define INGEST_UNWRAP_H

#include "base/text_buffer.h"

enum wrapping { WRAP_NONE, WRAP_JSON_LINES, WRAP_JSON_ARRAY, WRAP_JOURNAL, WRAP_CRI, WRAP_HTML, WRAP_HTML_TWICE,
		WRAP_SYSLOG, WRAP_PODS, WRAP_PREFIXED_JSON, WRAP_ANSWER, WRAP_TABLE, WRAP_LOGFMT, WRAP_AWS_TEXT,
		WRAP_LOGCLI };

struct unwrapper;

/* What the lines of a file that begins so are wrapped in. */
enum wrapping unwrap_kind(struct stk_text beginning);

/* The first line that is wrapped as WRAP_JSON_LINES, or NULL: few of the lines that could be are looked at. */
const char *unwrap_find(struct stk_text text);

/* Adds the texts of all such lines. */
void unwrap_add_texts(struct text_buffer *to, struct stk_text text);

void unwrap_open(struct unwrapper **out, enum wrapping wrapping);
void unwrap_close(struct unwrapper *unwrapper);

void unwrap_add(struct unwrapper *unwrapper, struct stk_text bytes);
void unwrap_end(struct unwrapper *unwrapper);

/* What came out since the last call; valid until the next add or end. */
struct stk_text unwrap_take(struct unwrapper *unwrapper);

/* Records whose text is lost: damaged, too long, or left out by the log system itself. */
uint64_t unwrap_lost(const struct unwrapper *unwrapper);

#endif
