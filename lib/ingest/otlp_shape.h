/* SPDX-License-Identifier: MIT
 * otlp_shape: what the bytes of OpenTelemetry's profiles are: whether they are such, and which numbers the fields of
 * their samples have, which nothing in them says. */
#ifndef INGEST_OTLP_SHAPE_H
#define INGEST_OTLP_SHAPE_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum { OTLP_DATA_RESOURCE = 1, OTLP_DATA_DICTIONARY = 2, OTLP_RESOURCE_SCOPE = 2, OTLP_SCOPE_PROFILE = 2 };
enum { OTLP_PROFILE_TYPE = 1, OTLP_PROFILE_SAMPLE = 2, OTLP_PROFILE_TIME = 3, OTLP_PROFILE_PAYLOAD = 10 };
enum { OTLP_SAMPLE_STACK = 1, OTLP_SAMPLE_TIMES = 5 };

struct otlp_sample_fields { uint32_t attributes, link, values; };	/* the numbers of the fields that moved */

extern const struct otlp_sample_fields otlp_fields_1_8, otlp_fields_1_10;

/* Why a message of 1.7 or older is left out. */
extern const char otlp_too_old[];
/* Chooses these numbers after a look at all samples of a message, of which the attributes are so many. NULL, or why
 * that is not possible. */
const char *otlp_choose_fields(struct stk_text message, size_t attributes, struct otlp_sample_fields *fields);

/* Whether a text, or the beginning of one, is a message of profiles; of a message after its size of four bytes, whether
 * what follows these is. */
bool otlp_is_message(struct stk_text beginning);
bool otlp_is_sized_message(struct stk_text beginning);
uint32_t otlp_size(const char *bytes);

#endif
