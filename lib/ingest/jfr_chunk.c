/* SPDX-License-Identifier: MIT
 * jfr_chunk: metadata first, which says what everything else consists of; then the checkpoints, which hold the pools;
 * events last, by whoever asks. Of a chunk that is cut or was not finished, what is there is walked through. */
#include "ingest/jfr_chunk.h"

#include "base/bytes.h"
#include "base/text_buffer.h"

#include <math.h>
#include <stdlib.h>

#define DEPTH_MAX  8u			/* of elements of the metadata, and of objects within objects */
#define WORK_MOST  8u			/* fields stepped over, per byte of the chunk */
#define FOLLOW_MAX 4u			/* objects between a value and its text */

static const char *const names[JFR_NAME_COUNT] = {
	"",
#define NAME(name) #name,
	JFR_NAMES(NAME)
#undef NAME
};

/* --- numbers --- */

static uint64_t
big_endian(const unsigned char *from, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value = value << 8 | from[i];
	return value;
}

/* Seven bits a byte, the lowest first; the ninth byte has eight. */
uint64_t
jfr_number(struct jfr_cursor *from)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift <= 56; shift += 7) {
		unsigned byte;

		if (from->at >= from->end) {
			from->bad = true;
			return 0;
		}
		byte = *from->at++;
		if (shift == 56)
			return value | (uint64_t)byte << 56;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	return value;
}

static const unsigned char *
step_over(struct jfr_cursor *from, uint64_t size)
{
	const unsigned char *at = from->at;

	if (from->bad || size > (uint64_t)(from->end - from->at)) {
		from->bad = true;
		return NULL;
	}
	from->at += size;
	return at;
}

bool
jfr_header_read(struct jfr_header *header, const unsigned char *bytes)
{
	if (memcmp(bytes, "FLR", 4) != 0)
		return false;
	*header = (struct jfr_header){ .major = (unsigned)big_endian(bytes + 4, 2),
				       .minor = (unsigned)big_endian(bytes + 6, 2),
				       .size = (int64_t)big_endian(bytes + 8, 8),
				       .checkpoint = (int64_t)big_endian(bytes + 16, 8),
				       .metadata = (int64_t)big_endian(bytes + 24, 8),
				       .start_ns = (int64_t)big_endian(bytes + 32, 8),
				       .duration_ns = (int64_t)big_endian(bytes + 40, 8),
				       .start_ticks = (int64_t)big_endian(bytes + 48, 8),
				       .ticks_per_second = (int64_t)big_endian(bytes + 56, 8),
				       .finished = bytes[64] == 0,
				       .compressed = (bytes[67] & 1) != 0 };
	return header->major < 64 && header->size >= 0;
}

/* --- texts --- */

static struct stk_text
keep_text(struct jfr_chunk *chunk, const struct text_buffer *made)
{
	return text_of(arena_copy(&chunk->texts, made->at, made->count), made->count);
}

/* A unit of UTF-16 after `*high`, the first half of a pair, or 0. */
static void
add_unit(struct text_buffer *to, uint32_t *high, uint32_t unit)
{
	bool second = unit >= 0xdc00 && unit < 0xe000;

	if (*high != 0 && second) {
		add_character(to, 0x10000 + ((*high - 0xd800) << 10) + (unit - 0xdc00));
		*high = 0;
		return;
	}
	if (*high != 0)
		add_character(to, *high);
	*high = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
	if (*high == 0)
		add_character(to, unit);
}

/* Java's own UTF-8: a character above U+FFFF is two surrogates of three bytes each, and NUL is two bytes. */
static struct stk_text
read_java_utf8(struct jfr_chunk *chunk, struct stk_text text)
{
	struct text_buffer made = { 0 };
	uint32_t high = 0;
	struct stk_text kept;

	if (memchr(text.data, 0xed, text.size) == NULL && memchr(text.data, 0xc0, text.size) == NULL)
		return text;
	for (size_t i = 0; i < text.size; i++) {
		const unsigned char *at = (const unsigned char *)text.data + i;

		if (*at == 0xed && i + 2 < text.size && at[1] >= 0xa0 && at[1] < 0xc0) {
			add_unit(&made, &high, 0xd000u | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu));
			i += 2;
			continue;
		}
		if (high != 0)
			add_character(&made, high);
		high = 0;
		if (*at == 0xc0 && i + 1 < text.size && at[1] == 0x80) {
			add_char(&made, '\0');
			i++;
		} else {
			add_char(&made, (char)*at);
		}
	}
	if (high != 0)
		add_character(&made, high);
	kept = keep_text(chunk, &made);
	array_release(&made);
	return kept;
}

static struct stk_text
read_units(struct jfr_chunk *chunk, struct jfr_cursor *from, uint64_t count)
{
	struct text_buffer made = { 0 };
	uint32_t high = 0;
	struct stk_text kept;

	for (uint64_t i = 0; i < count && !from->bad; i++)
		add_unit(&made, &high, (uint32_t)jfr_number(from) & 0xffff);
	if (high != 0)
		add_character(&made, high);
	kept = keep_text(chunk, &made);
	array_release(&made);
	return kept;
}

static struct stk_text
read_latin1(struct jfr_chunk *chunk, struct stk_text text)
{
	struct text_buffer made = { 0 };
	struct stk_text kept;

	for (size_t i = 0; i < text.size; i++)
		add_character(&made, (unsigned char)text.data[i]);
	kept = keep_text(chunk, &made);
	array_release(&made);
	return kept;
}

enum encoding { ENCODED_NULL, ENCODED_EMPTY, ENCODED_KEY, ENCODED_UTF8, ENCODED_UNITS, ENCODED_LATIN1 };

static struct stk_text string_of_key(struct jfr_chunk *chunk, uint64_t key);

static struct stk_text
read_string(struct jfr_chunk *chunk, struct jfr_cursor *from, bool may_be_key)
{
	const unsigned char *at = step_over(from, 1);
	uint64_t count;

	if (at == NULL || *at == ENCODED_NULL || *at == ENCODED_EMPTY)
		return text_of("", 0);
	if (*at > ENCODED_LATIN1) {
		from->bad = true;
		return text_of("", 0);
	}
	count = jfr_number(from);
	if (*at == ENCODED_KEY)
		return may_be_key ? string_of_key(chunk, count) : text_of("", 0);
	if (count > (uint64_t)(from->end - from->at))
		from->bad = true;
	if (from->bad || count == 0)
		return text_of("", 0);
	if (*at == ENCODED_UNITS)
		return read_units(chunk, from, count);
	return (*at == ENCODED_UTF8 ? read_java_utf8
				    : read_latin1)(chunk, text_of((const char *)step_over(from, count), count));
}

static void
skip_string(struct jfr_cursor *from)
{
	const unsigned char *at = step_over(from, 1);
	uint64_t count;

	if (at == NULL || *at == ENCODED_NULL || *at == ENCODED_EMPTY)
		return;
	count = jfr_number(from);
	if (*at == ENCODED_UTF8 || *at == ENCODED_LATIN1)
		(void)step_over(from, count);
	else if (*at == ENCODED_UNITS)
		for (uint64_t i = 0; i < count && !from->bad; i++)
			(void)jfr_number(from);
	else if (*at != ENCODED_KEY)
		from->bad = true;
}

/* --- metadata --- */

struct annotation { uint32_t field; uint64_t type; struct stk_text value; };

struct metadata {
	struct jfr_chunk *chunk;
	struct jfr_cursor from;
	ARRAY(struct stk_text) strings;
	ARRAY(struct annotation) annotations;
	ARRAY(uint64_t) field_types;		/* numbers, by field */
	uint32_t type;				/* that is being read; UINT32_MAX none */
	bool in_field;
};

struct attributes { struct stk_text name, number, super, simple, class, pooled, many, value; };

static uint64_t
number_of(struct stk_text text)
{
	bool negative = text.size > 0 && *text.data == '-';
	uint64_t value = 0;

	for (size_t i = negative; i < text.size && text.data[i] >= '0' && text.data[i] <= '9'; i++)
		value = value * 10 + (uint64_t)(text.data[i] - '0');
	return negative ? 0 - value : value;
}

static struct stk_text
metadata_string(struct metadata *m)
{
	uint64_t index = jfr_number(&m->from);

	if (index < m->strings.count)
		return m->strings.at[index];
	m->from.bad = true;
	return text_of("", 0);
}

static void
read_attributes(struct metadata *m, struct attributes *a)
{
	static const struct { const char *key; size_t at; } known[] = {
		{ "name", offsetof(struct attributes, name) },
		{ "id", offsetof(struct attributes, number) },
		{ "superType", offsetof(struct attributes, super) },
		{ "simpleType", offsetof(struct attributes, simple) },
		{ "class", offsetof(struct attributes, class) },
		{ "constantPool", offsetof(struct attributes, pooled) },
		{ "dimension", offsetof(struct attributes, many) },
		{ "value", offsetof(struct attributes, value) },
		{ "value-0", offsetof(struct attributes, value) },
	};

	for (uint64_t left = jfr_number(&m->from); left > 0 && !m->from.bad; left--) {
		struct stk_text key = metadata_string(m), value = metadata_string(m);

		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			if (text_is(key, known[k].key))
				*(struct stk_text *)((char *)a + known[k].at) = value;
	}
}

static enum jfr_shape
shape_named(struct stk_text name)
{
	static const struct { const char *name; enum jfr_shape shape; } shapes[] = {
		{ "long", JFR_INTEGER },  { "int", JFR_INTEGER }, { "short", JFR_INTEGER }, { "char", JFR_INTEGER },
		{ "byte", JFR_BYTE },     { "boolean", JFR_BYTE }, { "float", JFR_FLOAT },  { "double", JFR_DOUBLE },
		{ "java.lang.String", JFR_STRING },
	};

	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
		if (text_is(name, shapes[s].name))
			return shapes[s].shape;
	return JFR_FIELDS;
}

static enum jfr_name
name_known(struct stk_text name)
{
	for (unsigned n = 1; n < JFR_NAME_COUNT; n++)
		if (text_is(name, names[n]))
			return (enum jfr_name)n;
	return JFR_OTHER;
}

static void
begin_type(struct metadata *m, const struct attributes *a)
{
	struct jfr_type *type = array_push(&m->chunk->types);

	memset(type, 0, sizeof *type);
	type->number = number_of(a->number);
	type->name = a->name;
	type->shape = shape_named(a->name);
	type->is_event = text_is(a->super, "jdk.jfr.Event");
	type->first = (uint32_t)m->chunk->fields.count;
	m->type = (uint32_t)m->chunk->types.count - 1;
}

static void
begin_field(struct metadata *m, const struct attributes *a)
{
	struct jfr_type *type = &m->chunk->types.at[m->type];

	*array_push(&m->chunk->fields) = (struct jfr_field){ .name = name_known(a->name),
							     .pooled = text_is(a->pooled, "true"),
							     .many = a->many.size > 0 && !text_is(a->many, "0") };
	*array_push(&m->field_types) = number_of(a->class);
	type->has_stack |= text_is(a->name, "stackTrace");
	type->count++;
}

static void
read_element(struct metadata *m, unsigned depth)
{
	struct stk_text kind = metadata_string(m);
	struct attributes a = { 0 };
	bool is_type = text_is(kind, "class") && m->type == UINT32_MAX;
	bool is_field = text_is(kind, "field") && m->type != UINT32_MAX && !m->in_field;

	read_attributes(m, &a);
	if (m->from.bad)
		return;
	if (is_type)
		begin_type(m, &a);
	else if (is_field)
		begin_field(m, &a);
	else if (m->in_field && text_is(kind, "annotation"))
		*array_push(&m->annotations) =
			(struct annotation){ (uint32_t)m->chunk->fields.count - 1, number_of(a.class), a.value };
	m->in_field |= is_field;
	for (uint64_t left = jfr_number(&m->from); left > 0 && !m->from.bad; left--) {
		if (depth == DEPTH_MAX)
			m->from.bad = true;
		else
			read_element(m, depth + 1);
	}
	if (is_field)
		m->in_field = false;
	if (is_type)
		m->type = UINT32_MAX;
}

static uint64_t
spread(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15);
}

static struct jfr_type *
type_numbered(struct jfr_chunk *chunk, uint64_t number)
{
	uint64_t hash = spread(number);
	uint32_t at = hash_map_start(&chunk->numbers, hash), id;

	while ((id = hash_map_next(&chunk->numbers, hash, &at)) != 0)
		if (chunk->types.at[id - 1].number == number)
			return &chunk->types.at[id - 1];
	return NULL;
}

static void
apply_annotation(struct jfr_chunk *chunk, const struct annotation *annotation)
{
	static const struct { const char *word; enum jfr_unit unit; } units[] = {
		{ "TICKS", JFR_TICKS },               { "NANOSECONDS", JFR_NANOSECONDS },
		{ "MICROSECONDS", JFR_MICROSECONDS }, { "MILLISECONDS", JFR_MILLISECONDS },
		{ "SECONDS", JFR_SECONDS },           { "MILLISECONDS_SINCE_EPOCH", JFR_MILLISECONDS },
		{ "NANOSECONDS_SINCE_EPOCH", JFR_NANOSECONDS },
	};
	const struct jfr_type *type = type_numbered(chunk, annotation->type);
	struct jfr_field *field = &chunk->fields.at[annotation->field];

	if (type == NULL || (!text_is(type->name, "jdk.jfr.Timestamp") && !text_is(type->name, "jdk.jfr.Timespan")))
		return;
	field->stamp = text_is(type->name, "jdk.jfr.Timestamp");
	for (size_t u = 0; u < sizeof units / sizeof *units; u++)
		if (text_is(annotation->value, units[u].word))
			field->unit = units[u].unit;
}

/* Binds numbers of types to types. False: a field is of a type that is missing. */
static bool
bind_types(struct metadata *m)
{
	struct jfr_chunk *chunk = m->chunk;

	for (size_t t = 0; t < chunk->types.count; t++)
		if (type_numbered(chunk, chunk->types.at[t].number) == NULL)
			hash_map_put(&chunk->numbers, spread(chunk->types.at[t].number), (uint32_t)t + 1);
	for (size_t f = 0; f < chunk->fields.count; f++) {
		const struct jfr_type *type = type_numbered(chunk, m->field_types.at[f]);

		if (type == NULL)
			return false;
		chunk->fields.at[f].type = (uint32_t)(type - chunk->types.at);
	}
	for (size_t i = 0; i < m->annotations.count; i++)
		apply_annotation(chunk, &m->annotations.at[i]);
	return true;
}

/* The size of the event at an offset that ends in the chunk; 0: there is none. */
static size_t
event_size(const struct jfr_chunk *chunk, size_t at, struct jfr_cursor *after_size)
{
	struct jfr_cursor cursor;
	uint64_t size;

	if (at < JFR_HEADER_SIZE || at >= chunk->size)
		return 0;
	cursor = (struct jfr_cursor){ chunk->bytes + at, chunk->bytes + chunk->size, false };
	size = jfr_number(&cursor);
	if (cursor.bad || size > chunk->size - at || size <= (size_t)(cursor.at - (chunk->bytes + at)))
		return 0;
	cursor.end = chunk->bytes + at + size;
	*after_size = cursor;
	return size;
}

static bool
read_metadata(struct jfr_chunk *chunk, size_t at)
{
	struct metadata m = { .chunk = chunk, .type = UINT32_MAX };
	uint64_t count;
	bool well;

	if (event_size(chunk, at, &m.from) == 0 || jfr_number(&m.from) != 0)
		return false;
	(void)jfr_number(&m.from);	/* start */
	(void)jfr_number(&m.from);	/* duration */
	(void)jfr_number(&m.from);	/* its own number */
	count = jfr_number(&m.from);
	for (uint64_t i = 0; i < count && !m.from.bad; i++) {
		struct stk_text text = read_string(chunk, &m.from, false);

		*array_push(&m.strings) = text;
	}
	if (!m.from.bad)
		read_element(&m, 1);
	well = !m.from.bad && chunk->types.count > 0 && bind_types(&m);
	array_release(&m.strings);
	array_release(&m.annotations);
	array_release(&m.field_types);
	return well;
}

/* --- values --- */

static void skip_object(struct jfr_chunk *chunk, const struct jfr_type *type, struct jfr_cursor *from, unsigned depth);

static void
skip_one(struct jfr_chunk *chunk, const struct jfr_field *field, struct jfr_cursor *from, unsigned depth)
{
	if (field->pooled)
		(void)jfr_number(from);
	else
		skip_object(chunk, &chunk->types.at[field->type], from, depth);
}

static void
skip_field(struct jfr_chunk *chunk, const struct jfr_field *field, struct jfr_cursor *from, unsigned depth)
{
	uint64_t count;

	if (++chunk->work > WORK_MOST * (uint64_t)chunk->size + 1000000)
		from->bad = true;
	if (!field->many) {
		skip_one(chunk, field, from, depth);
		return;
	}
	count = jfr_number(from);
	if (count > (uint64_t)(from->end - from->at))
		from->bad = true;
	for (uint64_t i = 0; i < count && !from->bad; i++)
		skip_one(chunk, field, from, depth);
}

static void
skip_object(struct jfr_chunk *chunk, const struct jfr_type *type, struct jfr_cursor *from, unsigned depth)
{
	if (from->bad)
		return;
	switch (type->shape) {
	case JFR_INTEGER: (void)jfr_number(from); return;
	case JFR_BYTE:    (void)step_over(from, 1); return;
	case JFR_FLOAT:   (void)step_over(from, 4); return;
	case JFR_DOUBLE:  (void)step_over(from, 8); return;
	case JFR_STRING:  skip_string(from); return;
	case JFR_FIELDS:  break;
	}
	if (depth == DEPTH_MAX)
		from->bad = true;
	for (uint32_t f = 0; f < type->count && !from->bad; f++)
		skip_field(chunk, &chunk->fields.at[type->first + f], from, depth + 1);
}

static double
real_of(const unsigned char *at, unsigned size)
{
	uint64_t bits = big_endian(at, size);
	uint32_t half = (uint32_t)bits;
	double value;
	float small;

	if (size == 4) {
		memcpy(&small, &half, sizeof small);
		return (double)small;
	}
	memcpy(&value, &bits, sizeof value);
	return value;
}

static void
read_field(struct jfr_chunk *chunk, const struct jfr_field *field, struct jfr_cursor *from, struct jfr_value *value)
{
	const struct jfr_type *type = &chunk->types.at[field->type];

	*value = (struct jfr_value){ .field = field, .at = from->at };
	if (field->many) {
		struct jfr_cursor first = *from;

		value->number = jfr_number(&first);
		value->at = first.at;
		skip_field(chunk, field, from, 1);
	} else if (field->pooled || type->shape == JFR_INTEGER) {
		value->number = jfr_number(from);
	} else if (type->shape == JFR_BYTE) {
		value->at = step_over(from, 1);
		value->number = value->at != NULL ? *value->at : 0;
	} else if (type->shape == JFR_FLOAT || type->shape == JFR_DOUBLE) {
		unsigned size = type->shape == JFR_FLOAT ? 4 : 8;

		value->at = step_over(from, size);
		value->real = value->at != NULL ? real_of(value->at, size) : 0;
	} else {
		skip_one(chunk, field, from, 1);
	}
}

bool
jfr_read(struct jfr_chunk *chunk, const struct jfr_type *type, struct jfr_cursor *from, struct jfr_values *values)
{
	values->has = 0;
	for (uint32_t f = 0; f < type->count && !from->bad; f++) {
		const struct jfr_field *field = &chunk->fields.at[type->first + f];

		if (field->name == JFR_OTHER) {
			skip_field(chunk, field, from, 1);
			continue;
		}
		read_field(chunk, field, from, &values->of[field->name]);
		values->has |= UINT64_C(1) << field->name;
	}
	return !from->bad;
}

/* --- pools --- */

static struct jfr_entry *
find_entry(struct jfr_type *type, uint64_t key)
{
	uint64_t hash = spread(key);
	uint32_t at = hash_map_start(&type->keys, hash), id;

	while ((id = hash_map_next(&type->keys, hash, &at)) != 0)
		if (type->pool.at[id - 1].key == key)
			return &type->pool.at[id - 1];
	return NULL;
}

/* One pool of a checkpoint. The newest checkpoint is read first: the first entry of a key stays. */
static void
read_pool(struct jfr_chunk *chunk, struct jfr_cursor *from)
{
	struct jfr_type *type = type_numbered(chunk, jfr_number(from));
	uint64_t count = jfr_number(from);

	if (type == NULL || count > (uint64_t)(from->end - from->at))
		from->bad = true;
	for (uint64_t i = 0; i < count && !from->bad; i++) {
		uint64_t key = jfr_number(from);
		uint32_t at = (uint32_t)(from->at - chunk->bytes);

		skip_object(chunk, type, from, 0);
		if (from->bad || find_entry(type, key) != NULL)
			continue;
		*array_push(&type->pool) = (struct jfr_entry){ key, at, 0 };
		hash_map_put(&type->keys, spread(key), (uint32_t)type->pool.count);
	}
}

/* False: not a checkpoint, or one with damage. *delta: to the one before. */
static bool
read_checkpoint(struct jfr_chunk *chunk, size_t at, int64_t *delta)
{
	struct jfr_cursor from = { 0 };
	uint64_t pools;

	if (event_size(chunk, at, &from) == 0 || jfr_number(&from) != 1)
		return false;
	(void)jfr_number(&from);	/* start */
	(void)jfr_number(&from);	/* duration */
	*delta = (int64_t)jfr_number(&from);
	(void)step_over(&from, 1);
	pools = jfr_number(&from);
	for (uint64_t p = 0; p < pools && !from.bad; p++)
		read_pool(chunk, &from);
	return !from.bad;
}

/* From the last one back, as the header says. False: the chain is broken. */
static bool
follow_checkpoints(struct jfr_chunk *chunk)
{
	int64_t at = chunk->header.checkpoint, delta;

	do {
		if (at < (int64_t)JFR_HEADER_SIZE || at >= (int64_t)chunk->size ||
		    !read_checkpoint(chunk, (size_t)at, &delta))
			return false;
		if (delta > 0 || delta < -at)
			return false;
		at += delta;
	} while (delta != 0);
	return true;
}

/* All that are there, when the header does not say where. */
static void
walk_checkpoints(struct jfr_chunk *chunk)
{
	ARRAY(size_t) found = { 0 };
	struct jfr_cursor from = { 0 };
	size_t at = JFR_HEADER_SIZE, size;
	int64_t delta;

	for (; (size = event_size(chunk, at, &from)) > 0; at += size)
		if (jfr_number(&from) == 1)
			*array_push(&found) = at;
	while (found.count > 0)
		if (!read_checkpoint(chunk, found.at[--found.count], &delta))
			chunk->damaged = true;
	array_release(&found);
}

static void
forget_metadata(struct jfr_chunk *chunk)
{
	chunk->types.count = chunk->fields.count = 0;
	hash_map_clear(&chunk->numbers);
}

/* Where the header says, or else the last of the chunk. */
static bool
find_metadata(struct jfr_chunk *chunk)
{
	size_t at = JFR_HEADER_SIZE, size, last = 0;
	struct jfr_cursor from = { 0 };

	if (chunk->header.metadata >= (int64_t)JFR_HEADER_SIZE && chunk->header.metadata < (int64_t)chunk->size &&
	    read_metadata(chunk, (size_t)chunk->header.metadata))
		return true;
	forget_metadata(chunk);
	for (; (size = event_size(chunk, at, &from)) > 0; at += size)
		if (jfr_number(&from) == 0)
			last = at;
	return last > 0 && read_metadata(chunk, last);
}

const char *
jfr_chunk_open(struct jfr_chunk *chunk, const unsigned char *bytes, size_t size)
{
	*chunk = (struct jfr_chunk){ .bytes = bytes, .size = size };
	if (size < JFR_HEADER_SIZE || !jfr_header_read(&chunk->header, bytes))
		return "a chunk that ends within its header";
	if (chunk->header.major < 2)
		return "a recording of JDK 8 or older, in a format that only Java Mission Control reads";
	if (chunk->header.major > 2)
		return "a recording of a later version than 2";
	if (!chunk->header.compressed)
		return "a recording whose integers are not compressed, which this program does not read";
	if (chunk->header.ticks_per_second <= 0 || chunk->header.ticks_per_second > INT64_C(10000000000))
		return "a chunk whose clock has an impossible rate";
	if (!find_metadata(chunk))
		return "a chunk without the description of its events, which has been cut off: nothing in it can be read";
	if (chunk->header.size == 0 || chunk->header.size > (int64_t)size || !follow_checkpoints(chunk))
		walk_checkpoints(chunk);
	return NULL;
}

void
jfr_chunk_close(struct jfr_chunk *chunk)
{
	/* the places of types that were forgotten have no pools */
	for (size_t t = 0; t < chunk->types.count; t++) {
		array_release(&chunk->types.at[t].pool);
		hash_map_release(&chunk->types.at[t].keys);
	}
	array_release(&chunk->types);
	array_release(&chunk->fields);
	hash_map_release(&chunk->numbers);
	arena_release(&chunk->texts);
}

/* --- for users --- */

bool
jfr_event_next(struct jfr_chunk *chunk, size_t *at, struct jfr_type **type, struct jfr_cursor *fields)
{
	size_t from = *at == 0 ? JFR_HEADER_SIZE : *at, size;

	while ((size = event_size(chunk, from, fields)) > 0) {
		uint64_t number = jfr_number(fields);

		from += size;
		*at = from;
		if (number <= 1 || fields->bad || (*type = type_numbered(chunk, number)) == NULL)
			continue;
		return true;
	}
	chunk->damaged |= from != chunk->size;
	*at = from;
	return false;
}

struct jfr_entry *
jfr_entry_of(struct jfr_chunk *chunk, const struct jfr_value *value)
{
	return value->field->pooled ? find_entry(&chunk->types.at[value->field->type], value->number) : NULL;
}

struct jfr_cursor
jfr_entry_cursor(const struct jfr_chunk *chunk, const struct jfr_entry *entry)
{
	return (struct jfr_cursor){ chunk->bytes + entry->at, chunk->bytes + chunk->size, false };
}

static bool
find_object(struct jfr_chunk *chunk, const struct jfr_value *value, struct jfr_cursor *out)
{
	const struct jfr_entry *entry;

	*out = (struct jfr_cursor){ value->at, chunk->bytes + chunk->size, false };
	if (!value->field->pooled)
		return value->at != NULL && !value->field->many;
	entry = jfr_entry_of(chunk, value);
	if (entry != NULL)
		*out = jfr_entry_cursor(chunk, entry);
	return entry != NULL;
}

bool
jfr_follow(struct jfr_chunk *chunk, const struct jfr_value *value, struct jfr_values *values)
{
	const struct jfr_type *type = &chunk->types.at[value->field->type];
	struct jfr_cursor from;

	values->has = 0;
	return type->shape == JFR_FIELDS && find_object(chunk, value, &from) && jfr_read(chunk, type, &from, values);
}

static struct stk_text
string_of_key(struct jfr_chunk *chunk, uint64_t key)
{
	for (size_t t = 0; t < chunk->types.count; t++) {
		struct jfr_type *type = &chunk->types.at[t];
		const struct jfr_entry *entry = type->shape == JFR_STRING ? find_entry(type, key) : NULL;
		struct jfr_cursor from;

		if (entry == NULL)
			continue;
		from = jfr_entry_cursor(chunk, entry);
		return read_string(chunk, &from, false);
	}
	return text_of("", 0);
}

struct stk_text
jfr_text(struct jfr_chunk *chunk, const struct jfr_value *value)
{
	/* of an object: the field that says what it is */
	static const enum jfr_name speaking[] = { JFR_name, JFR_string, JFR_description, JFR_cause, JFR_when };
	struct jfr_value at = *value;

	for (unsigned depth = 0; depth <= FOLLOW_MAX; depth++) {
		const struct jfr_type *type = &chunk->types.at[at.field->type];
		struct jfr_values values;
		struct jfr_cursor from;
		size_t s = 0;

		if (!find_object(chunk, &at, &from))
			break;
		if (type->shape == JFR_STRING)
			return read_string(chunk, &from, true);
		if (type->shape != JFR_FIELDS || !jfr_read(chunk, type, &from, &values))
			break;
		while (s < sizeof speaking / sizeof *speaking && (values.has >> speaking[s] & 1) == 0)
			s++;
		if (s == sizeof speaking / sizeof *speaking)
			break;
		at = values.of[speaking[s]];
	}
	return text_of("", 0);
}

/* --- times --- */

/* Ticks as ns; both signs. */
static int64_t
ticks_ns(const struct jfr_chunk *chunk, int64_t ticks)
{
	int64_t rate = chunk->header.ticks_per_second, whole = ticks / rate, rest = ticks % rate;
	bool negative = rest < 0;
	uint64_t part = (negative ? 0 - (uint64_t)rest : (uint64_t)rest) * 1000000000u / (uint64_t)rate;

	if (whole > 4000000000 || whole < -4000000000)
		return whole > 0 ? INT64_MAX : INT64_MIN;
	return whole * 1000000000 + (negative ? -(int64_t)part : (int64_t)part);
}

static int64_t
unit_ns(const struct jfr_chunk *chunk, int64_t number, enum jfr_unit unit)
{
	static const int64_t factors[] = { 1, 1, 1, 1000, 1000000, 1000000000 };
	int64_t result;

	if (unit == JFR_TICKS)
		return ticks_ns(chunk, number);
	return __builtin_mul_overflow(number, factors[unit], &result) ? (number > 0 ? INT64_MAX : INT64_MIN) : result;
}

int64_t
jfr_time_ns(const struct jfr_chunk *chunk, const struct jfr_value *value)
{
	int64_t number = (int64_t)value->number, ns;
	bool is_ticks = value->field->unit == JFR_TICKS || !value->field->stamp;

	if (is_ticks && __builtin_sub_overflow(number, chunk->header.start_ticks, &number))
		return STK_TIME_UNKNOWN;
	ns = unit_ns(chunk, number, is_ticks ? JFR_TICKS : value->field->unit);
	if (is_ticks && __builtin_add_overflow(ns, chunk->header.start_ns, &ns))
		return STK_TIME_UNKNOWN;
	return ns;
}

int64_t
jfr_span_ns(const struct jfr_chunk *chunk, const struct jfr_value *value)
{
	return unit_ns(chunk, (int64_t)value->number, value->field->unit);
}
