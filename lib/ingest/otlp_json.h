/* SPDX-License-Identifier: MIT
 * otlp_json: the JSON form of OpenTelemetry's profiles as messages of protocol buffers of version 1.10: names say what
 * is what, so that it is read the same whatever version it is of. */
#ifndef INGEST_OTLP_JSON_H
#define INGEST_OTLP_JSON_H

#include "base/json_reader.h"

#define OTLP_JSON_LEVELS 8		/* messages within each other */

struct otlp_json {
	struct json_reader json;
	struct stk_text left;		/* what was not yet read */
	struct text_buffer levels[OTLP_JSON_LEVELS];
	bool broken;			/* a value is not what its name asks for, and left out */
};

void otlp_json_open(struct otlp_json *o, struct stk_text text);
void otlp_json_close(struct otlp_json *o);
/* The next value of the text, which may have one a line. False: there is none, or it is not JSON; the message has what
 * precedes that, or nothing. */
bool otlp_json_next(struct otlp_json *o, struct text_buffer *message);

#endif
