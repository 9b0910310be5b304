/* SPDX-License-Identifier: MIT
 * otlp_shape: attributes and values of samples changed places in 1.10, and the numbers in them are alike; a link, which
 * is one number and not several, and how many there are of each tell which is which. */
#include "ingest/otlp_shape.h"

#include "base/protobuf.h"
#include "ingest/profile_tables.h"

#define SAMPLE_FIELDS 7			/* of which the last is of 1.7 and before */

const struct otlp_sample_fields otlp_fields_1_8 = { .values = 2, .attributes = 3, .link = 4 };
const struct otlp_sample_fields otlp_fields_1_10 = { .attributes = 2, .link = 3, .values = 4 };

const char otlp_too_old[] = "profiles of OTLP 1.7 or older, of which the fields mean other things: 1.8 is the first that "
			    "can be read; left out";

static const uint32_t way_to_profiles[] = { OTLP_DATA_RESOURCE, OTLP_RESOURCE_SCOPE, OTLP_SCOPE_PROFILE, 0 };

/* --- versions --- */

/* What decides which numbers the fields of samples have. */
struct signs {
	bool old;			/* 1.7 or before it */
	bool is_1_8, is_1_10;
	bool unsure;			/* it may be either */
	uint64_t most;			/* of the numbers in field 2 of samples that may be either */
};

static size_t
count_numbers(const struct proto_field *field, enum proto_wire each, uint64_t *most)
{
	struct proto_numbers numbers = proto_numbers(field, each);
	uint64_t value;
	size_t count = 0;

	for (; proto_next_number(&numbers, &value); count++)
		*most = value > *most ? value : *most;
	return count;
}

/* Values and attributes are packed, a link is one number. A sample whose second field has as many numbers as there are
 * times has values or attributes there. */
static void
look_at_sample(struct stk_text message, struct signs *signs)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	bool packed[SAMPLE_FIELDS] = { 0 }, alone[SAMPLE_FIELDS] = { 0 };
	size_t counts[SAMPLE_FIELDS] = { 0 };
	uint64_t most = 0, time = 0;

	while (proto_next(&reader, &field)) {
		if (field.number >= SAMPLE_FIELDS)
			continue;
		packed[field.number] |= field.wire == PROTO_BYTES;
		alone[field.number] |= field.wire == PROTO_NUMBER;
		if (field.number == 2)
			counts[2] += count_numbers(&field, PROTO_NUMBER, &most);
		else if (field.number == OTLP_SAMPLE_TIMES)
			counts[OTLP_SAMPLE_TIMES] += count_numbers(&field, PROTO_FIXED64, &time);
		signs->old |= field.number == 6;
	}
	signs->old |= alone[2];
	if (packed[3] || alone[4])
		signs->is_1_8 = true;
	else if (packed[4] || alone[3])
		signs->is_1_10 = true;
	else if (packed[2] && counts[OTLP_SAMPLE_TIMES] == 0)
		signs->is_1_8 = true;
	else if (packed[2] && counts[2] != counts[OTLP_SAMPLE_TIMES])
		signs->is_1_10 = true;
	else if (packed[2]) {
		signs->unsure = true;
		signs->most = most > signs->most ? most : signs->most;
	}
}

static void
look_at_profile(struct stk_text message, struct signs *signs)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	while (proto_next(&reader, &field)) {
		signs->old |= field.number == 6 && field.wire == PROTO_BYTES;
		if (field.number == OTLP_PROFILE_SAMPLE && field.wire == PROTO_BYTES)
			look_at_sample(field.bytes, signs);
	}
}

/* Follows fields of these numbers, down to profiles. */
static void
look_into(struct stk_text message, const uint32_t *numbers, struct signs *signs)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	if (*numbers == 0) {
		look_at_profile(message, signs);
		return;
	}
	while (proto_next(&reader, &field))
		if (field.number == *numbers && field.wire == PROTO_BYTES)
			look_into(field.bytes, numbers + 1, signs);
}

const char *
otlp_choose_fields(struct stk_text message, size_t attributes, struct otlp_sample_fields *fields)
{
	struct signs signs = { 0 };

	look_into(message, way_to_profiles, &signs);
	if (signs.old)
		return otlp_too_old;
	*fields = otlp_fields_1_10;
	if (signs.is_1_8 && signs.is_1_10)
		return "samples of OTLP 1.8 and of 1.10 in one message; left out";
	if (signs.unsure && !signs.is_1_8 && !signs.is_1_10 && signs.most < attributes)
		return "profiles that can be of OTLP 1.9 or 1.10, which mean different things by the same bytes; left out";
	if (signs.is_1_8 || (signs.unsure && !signs.is_1_10))
		*fields = otlp_fields_1_8;
	return NULL;
}

/* --- recognising --- */

/* The beginning of a profile with a type. */
static bool
looks_like_profile(struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	bool typed = false;

	reader.beginning = true;
	while (proto_next(&reader, &field)) {
		enum proto_wire wire = field.number == OTLP_PROFILE_TIME ? PROTO_FIXED64
				       : field.number == 4 || field.number == 6 ? PROTO_NUMBER : PROTO_BYTES;

		if (field.number > 12 || (field.wire != wire && field.number != 8 && field.number != 12))
			return false;
		typed |= field.number == OTLP_PROFILE_TYPE && is_profile_type(field.bytes);
	}
	return typed;
}

static bool
leads_to_profile(struct stk_text message, const uint32_t *numbers, unsigned most)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	bool found = false;

	if (*numbers == 0)
		return looks_like_profile(message);
	reader.beginning = true;
	while (proto_next(&reader, &field)) {
		if (field.wire != PROTO_BYTES || field.number > most)
			return false;
		if (field.number == *numbers && !found)
			found = leads_to_profile(field.bytes, numbers + 1, 3);
	}
	return found;
}

#define TABLES 7u	/* of a dictionary: mappings, locations, functions, links, strings, attributes, stacks */

/* A dictionary whose tables have nothing but the element for "none": what is written when there are no profiles. */
static bool
is_empty_dictionary(struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	unsigned table = 0;

	while (proto_next(&reader, &field))
		if (field.wire != PROTO_BYTES || field.bytes.size > 0 || field.number != ++table)
			return false;
	return table == TABLES && !reader.broken;
}

static bool
has_no_profile(struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	bool empty = proto_next(&reader, &field) && field.number == OTLP_DATA_DICTIONARY && field.wire == PROTO_BYTES &&
		     is_empty_dictionary(field.bytes);

	return empty && !proto_next(&reader, &field) && !reader.broken;
}

/* The tables of 1.6 and before are beside the resources: up to 8. */
bool
otlp_is_message(struct stk_text text)
{
	return leads_to_profile(text, way_to_profiles, 8) || has_no_profile(text);
}

uint32_t
otlp_size(const char *at)
{
	const unsigned char *bytes = (const unsigned char *)at;

	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

bool
otlp_is_sized_message(struct stk_text text)
{
	size_t size, there;

	if (text.size < 8)
		return false;
	size = otlp_size(text.data);
	there = text.size - 4;
	return otlp_is_message(text_of(text.data + 4, size < there ? size : there));
}
