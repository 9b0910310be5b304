/* SPDX-License-Identifier: MIT
 * otlp_json: the JSON form of OpenTelemetry's profiles as messages of protocol buffers of version 1.10: names say what
 * is what, so that it is read the same whatever version it is of. */
#ifndef INGEST_OTLP_JSON_H
#define INGEST_OTLP_JSON_H

#include "base/json_reader.h"

struct json_field;

struct otlp_json {
	struct json_reader json;
	bool broken;			/* a value is not what its name asks for, and left out */
	struct json_alike alike;	/* the sample that was read last */
	const struct json_field *alike_fields[JSON_ALIKE_NUMBERS];	/* of its numbers */
	bool old;			/* the present message is of 1.7 or older, by a name in a sample */
};

/* As json_open. */
void otlp_json_open(struct otlp_json *o, size_t (*read)(void *context, void *to, size_t size), void *context);
void otlp_json_close(struct otlp_json *o);
/* The next value of the text, which may have one a line. False: there is none, or it is not JSON; the message has what
 * precedes that, or nothing. */
bool otlp_json_next(struct otlp_json *o, struct text_buffer *message);

#endif
