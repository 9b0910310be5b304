/* SPDX-License-Identifier: MIT
 * otlp_json: a table of names and fields for each message. A message within another is written where it belongs, after
 * room for its size. Names that are not in the tables are passed over. */
#include "ingest/otlp_json.h"

#include "base/protobuf.h"

enum shape {
	IS_TEXT, IS_NUMBER, ARE_NUMBERS, IS_FIXED, ARE_FIXED, IS_REAL, IS_HEX,
	IS_OTHER,			/* only that it is there */
	IS_OLD,				/* what versions have that are not read */
	IS_MESSAGE, IS_LARGE		/* message */
};

struct json_field {
	struct stk_text name;
	uint32_t number;
	enum shape shape;
	const struct json_field *of;	/* the fields of a message */
};

#define NAME(text) { text, sizeof text - 1 }
#define NO_FIELD   { { NULL, 0 }, 0, IS_OTHER, NULL }	/* after the last */

static const struct json_field value_fields[] = {
	{ NAME("stringValue"), 1, IS_TEXT, NULL },  { NAME("boolValue"), 2, IS_NUMBER, NULL },
	{ NAME("intValue"), 3, IS_NUMBER, NULL },   { NAME("doubleValue"), 4, IS_REAL, NULL },
	{ NAME("arrayValue"), 5, IS_OTHER, NULL },  { NAME("kvlistValue"), 6, IS_OTHER, NULL },
	{ NAME("bytesValue"), 7, IS_OTHER, NULL },  { NAME("stringValueStrindex"), 8, IS_NUMBER, NULL },
	NO_FIELD
};
static const struct json_field key_value_fields[] = {
	{ NAME("key"), 1, IS_TEXT, NULL }, { NAME("value"), 2, IS_MESSAGE, value_fields }, { NAME("keyStrindex"), 3, IS_NUMBER, NULL },
	NO_FIELD
};
static const struct json_field attribute_fields[] = {
	{ NAME("keyStrindex"), 1, IS_NUMBER, NULL }, { NAME("value"), 2, IS_MESSAGE, value_fields },
	{ NAME("unitStrindex"), 3, IS_NUMBER, NULL }, NO_FIELD
};
static const struct json_field resource_fields[] = {
	{ NAME("attributes"), 1, IS_MESSAGE, key_value_fields }, NO_FIELD
};
static const struct json_field type_fields[] = {
	{ NAME("typeStrindex"), 1, IS_NUMBER, NULL }, { NAME("unitStrindex"), 2, IS_NUMBER, NULL }, NO_FIELD
};
static const struct json_field sample_fields[] = {
	{ NAME("stackIndex"), 1, IS_NUMBER, NULL }, { NAME("attributeIndices"), 2, ARE_NUMBERS, NULL },
	{ NAME("linkIndex"), 3, IS_NUMBER, NULL },  { NAME("values"), 4, ARE_NUMBERS, NULL },
	{ NAME("timestampsUnixNano"), 5, ARE_FIXED, NULL },
	{ NAME("locationsStartIndex"), 6, IS_OLD, NULL },
	NO_FIELD
};
static const struct json_field profile_fields[] = {
	{ NAME("sampleType"), 1, IS_MESSAGE, type_fields }, { NAME("samples"), 2, IS_MESSAGE, sample_fields },
	{ NAME("sample"), 2, IS_MESSAGE, sample_fields },	/* before 1.9 */
	{ NAME("timeUnixNano"), 3, IS_FIXED, NULL }, { NAME("originalPayload"), 10, IS_OTHER, NULL }, NO_FIELD
};
static const struct json_field scope_fields[] = {
	{ NAME("profiles"), 2, IS_LARGE, profile_fields }, NO_FIELD
};
static const struct json_field resource_profiles_fields[] = {
	{ NAME("resource"), 1, IS_MESSAGE, resource_fields }, { NAME("scopeProfiles"), 2, IS_LARGE, scope_fields },
	NO_FIELD
};
static const struct json_field mapping_fields[] = {
	{ NAME("filenameStrindex"), 4, IS_NUMBER, NULL }, NO_FIELD
};
static const struct json_field line_fields[] = {
	{ NAME("functionIndex"), 1, IS_NUMBER, NULL }, { NAME("line"), 2, IS_NUMBER, NULL }, NO_FIELD
};
static const struct json_field location_fields[] = {
	{ NAME("mappingIndex"), 1, IS_NUMBER, NULL }, { NAME("address"), 2, IS_NUMBER, NULL },
	{ NAME("lines"), 3, IS_MESSAGE, line_fields }, { NAME("line"), 3, IS_MESSAGE, line_fields },
	NO_FIELD
};
static const struct json_field function_fields[] = {
	{ NAME("nameStrindex"), 1, IS_NUMBER, NULL }, { NAME("systemNameStrindex"), 2, IS_NUMBER, NULL },
	{ NAME("filenameStrindex"), 3, IS_NUMBER, NULL }, NO_FIELD
};
static const struct json_field link_fields[] = {
	{ NAME("traceId"), 1, IS_HEX, NULL }, { NAME("spanId"), 2, IS_HEX, NULL }, NO_FIELD
};
static const struct json_field stack_fields[] = {
	{ NAME("locationIndices"), 1, ARE_NUMBERS, NULL }, NO_FIELD
};
static const struct json_field dictionary_fields[] = {
	{ NAME("mappingTable"), 1, IS_MESSAGE, mapping_fields },   { NAME("locationTable"), 2, IS_MESSAGE, location_fields },
	{ NAME("functionTable"), 3, IS_MESSAGE, function_fields }, { NAME("linkTable"), 4, IS_MESSAGE, link_fields },
	{ NAME("stringTable"), 5, IS_TEXT, NULL },		     { NAME("attributeTable"), 6, IS_MESSAGE, attribute_fields },
	{ NAME("stackTable"), 7, IS_MESSAGE, stack_fields },	     NO_FIELD
};
static const struct json_field data_fields[] = {
	{ NAME("resourceProfiles"), 1, IS_LARGE, resource_profiles_fields },
	{ NAME("dictionary"), 2, IS_LARGE, dictionary_fields }, NO_FIELD
};

void
otlp_json_open(struct otlp_json *o, size_t (*read)(void *context, void *to, size_t size), void *context)
{
	*o = (struct otlp_json){ .broken = false };
	json_open(&o->json, read, context);
	o->json.several = true;
}

void
otlp_json_close(struct otlp_json *o)
{
	json_close(&o->json);
}

/* --- values --- */

static int
hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

static void
add_hex_bytes(struct otlp_json *o, struct text_buffer *to, uint32_t number)
{
	struct stk_text digits = o->json.text;
	char bytes[16];
	size_t size = digits.size / 2;

	o->broken |= digits.size % 2 != 0 || size > sizeof bytes;
	for (size_t i = 0; i < size && i < sizeof bytes; i++) {
		int high = hex_digit(digits.data[2 * i]), low = hex_digit(digits.data[2 * i + 1]);

		o->broken |= high < 0 || low < 0;
		bytes[i] = (char)((high & 15) << 4 | (low & 15));
	}
	add_proto_element(to, number, text_of(bytes, size < sizeof bytes ? size : sizeof bytes));
}

/* Integers are texts or numbers, truth is 0 or 1. */
static bool
integer_of(struct otlp_json *o, enum json_kind kind, int64_t *value)
{
	bool good = kind == JSON_TRUE || kind == JSON_FALSE;

	json_alike_forget(&o->alike);
	*value = kind == JSON_TRUE;
	if (kind == JSON_NUMBER || kind == JSON_STRING)
		good = o->json.text.size > 0 && json_integer(o->json.text, 0, value);
	o->broken |= !good;
	return good;
}

static void
add_scalar(struct otlp_json *o, struct text_buffer *to, const struct json_field *field, enum json_kind kind)
{
	int64_t value = 0;
	double real;

	json_alike_forget(&o->alike);
	if (field->shape == IS_TEXT)
		add_proto_element(to, field->number, o->json.text);
	else if (field->shape == IS_HEX)
		add_hex_bytes(o, to, field->number);
	else if (field->shape == IS_OTHER)
		add_proto_element(to, field->number, text_of("", 0));
	else if (field->shape == IS_REAL) {
		real = json_real(o->json.text);
		memcpy(&value, &real, sizeof value);
		add_proto_fixed64(to, field->number, (uint64_t)value);
	} else if (!integer_of(o, kind, &value))
		return;
	else if (field->shape == IS_FIXED)
		add_proto_fixed64(to, field->number, (uint64_t)value);
	else
		add_proto_number(to, field->number, (uint64_t)value);
}

static void
add_number(struct text_buffer *to, const struct json_field *field, int64_t value)
{
	if (field->shape == ARE_FIXED)
		add_proto_packed64(to, (uint64_t)value);
	else
		add_proto_packed(to, (uint64_t)value);
}

/* A number that json_next_integer or json_next_quoted_integer gave. */
static void
note_number(struct otlp_json *o, const struct json_field *field)
{
	if (o->alike.learns && o->alike.numbers < JSON_ALIKE_NUMBERS)
		o->alike_fields[o->alike.numbers] = field;
	json_alike_number(&o->alike, &o->json);
}

/* A sample with other numbers than the last one, of which all else is the same. */
static void
add_alike(struct otlp_json *o, struct text_buffer *to, const struct json_field *field, const int64_t *numbers)
{
	size_t begun = proto_begin(to, field->number, 1), list;

	for (unsigned i = 0; i < o->alike.numbers;) {
		const struct json_field *of = o->alike_fields[i];

		if (of->shape == IS_NUMBER) {
			add_proto_number(to, of->number, (uint64_t)numbers[i++]);
			continue;
		}
		list = proto_begin(to, of->number, 1);
		for (; i < o->alike.numbers && o->alike_fields[i] == of; i++)
			add_number(to, of, numbers[i]);
		proto_end(to, list, 1);
	}
	proto_end(to, begun, 1);
}

/* The numbers of an array that has begun, as one field. Those of 64 bits are texts. */
static void
add_numbers(struct otlp_json *o, struct text_buffer *to, const struct json_field *field)
{
	size_t begun = proto_begin(to, field->number, 1);
	enum json_kind kind;
	int64_t value;

	for (;;) {
		while (json_next_quoted_integer(&o->json, &value) || json_next_integer(&o->json, 0, &value)) {
			note_number(o, field);
			add_number(to, field, value);
		}
		kind = json_next_likely(&o->json, JSON_ARRAY_END);
		if (kind <= JSON_BAD || kind == JSON_ARRAY_END)
			break;
		json_pass(&o->json, kind);
		if (integer_of(o, kind, &value))
			add_number(to, field, value);
	}
	proto_end(to, begun, 1);
}

static const struct json_field *
field_named(const struct json_field *fields, struct stk_text name)
{
	/* most names of a message differ in their first byte or their size */
	while (fields->number != 0 &&
	       (name.size == 0 || *name.data != *fields->name.data || !text_equal(name, fields->name)))
		fields++;
	return fields->number != 0 ? fields : NULL;
}

/* Takes the next key. *field: that of its name, or NULL. Keys come in the order of the fields for the most part, so
 * those from `expected` on are tried before it is looked for. False: there is none. */
static bool
next_field(struct otlp_json *o, const struct json_field *fields, const struct json_field *expected,
	   const struct json_field **field)
{
	for (; expected->number != 0; expected++)
		if (json_next_key_is(&o->json, expected->name)) {
			*field = expected;
			return true;
		}
	if (json_next_likely(&o->json, JSON_OBJECT_END) != JSON_KEY)
		return false;
	*field = field_named(fields, o->json.text);
	return true;
}

static void add_value(struct otlp_json *o, struct text_buffer *to, const struct json_field *field, enum json_kind kind);

/* The keys of an object that has begun. */
static void
add_fields(struct otlp_json *o, struct text_buffer *to, const struct json_field *fields)
{
	const struct json_field *field, *expected = fields;

	for (; next_field(o, fields, expected, &field); expected = field != NULL ? field + 1 : expected) {
		int64_t value;

		if (field != NULL && field->shape == IS_NUMBER && json_next_integer(&o->json, 0, &value)) {
			note_number(o, field);
			add_proto_number(to, field->number, (uint64_t)value);
		} else if (field != NULL)
			add_value(o, to, field, json_next_likely(&o->json, JSON_ARRAY));
		else
			(void)json_skip(&o->json);
	}
}

/* Only those that may be large have room for any size: the others are many, and what is in them is little to move. */
static void
add_message(struct otlp_json *o, struct text_buffer *to, const struct json_field *field)
{
	unsigned room = field->shape == IS_LARGE ? PROTO_SIZE_MAX : 1;
	size_t begun = proto_begin(to, field->number, room);
	bool sample = field->of == sample_fields;

	if (sample)
		json_alike_begin(&o->alike, &o->json);
	add_fields(o, to, field->of);
	if (sample)
		json_alike_end(&o->alike, &o->json);
	proto_end(to, begun, room);
}

/* A value that is no list. */
static void
add_element(struct otlp_json *o, struct text_buffer *to, const struct json_field *field, enum json_kind kind)
{
	if ((kind == JSON_OBJECT) != (field->shape >= IS_MESSAGE) || kind == JSON_ARRAY) {
		json_pass(&o->json, kind);
		o->broken = true;
	} else if (kind == JSON_OBJECT) {
		add_message(o, to, field);
	} else {
		add_scalar(o, to, field, kind);
	}
}

/* The objects or texts of an array that has begun. */
static void
add_elements(struct otlp_json *o, struct text_buffer *to, const struct json_field *field)
{
	int64_t numbers[JSON_ALIKE_NUMBERS];
	enum json_kind kind;

	for (;;) {
		while (field->of == sample_fields && json_next_alike(&o->json, &o->alike, numbers))
			add_alike(o, to, field, numbers);
		kind = json_next_likely(&o->json, JSON_OBJECT);
		if (kind <= JSON_BAD || kind == JSON_ARRAY_END)
			break;
		add_element(o, to, field, kind);
	}
}

/* A value, or each of a list. null is what has no value. */
static void
add_value(struct otlp_json *o, struct text_buffer *to, const struct json_field *field, enum json_kind kind)
{
	bool array = kind == JSON_ARRAY, message = field->shape >= IS_MESSAGE;
	bool several = field->shape == ARE_NUMBERS || field->shape == ARE_FIXED;

	if (kind == JSON_NULL || kind <= JSON_BAD) {
		return;
	} else if (field->shape == IS_OLD) {
		json_alike_forget(&o->alike);
		json_pass(&o->json, kind);
		o->old = true;
	} else if (field->shape == IS_OTHER) {
		json_pass(&o->json, kind);
		add_scalar(o, to, field, kind);
	} else if (array && several) {
		add_numbers(o, to, field);
	} else if (array && (message || field->shape == IS_TEXT)) {
		add_elements(o, to, field);
	} else if (array || several) {
		json_pass(&o->json, kind);
		o->broken = true;
	} else {
		add_element(o, to, field, kind);
	}
}

bool
otlp_json_next(struct otlp_json *o, struct text_buffer *message)
{
	enum json_kind kind = json_next(&o->json);

	message->count = 0;
	o->old = false;
	if (kind != JSON_OBJECT) {
		o->broken |= kind > JSON_BAD;
		return false;
	}
	add_fields(o, message, data_fields);
	return true;
}
