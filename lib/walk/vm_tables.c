/* SPDX-License-Identifier: MIT
 * vm_tables: each table is an array that ends with an entry without a name. How large an entry is and where its parts
 * are is said by other symbols of the library (gHotSpotVMStructEntryArrayStride and so on). */
#include "walk/vm_tables.h"

#include "base/array.h"
#include "base/hash_map.h"
#include "base/text_buffer.h"
#include "stkpipe/error.h"
#include "walk/mapped_library.h"

#include <string.h>

#define ENTRIES_MAX 100000		/* of a table: the largest known has 3,000 */
#define ENTRY_MAX   256u		/* bytes */
#define TEXT_MAX    MAPPED_TEXT_MAX

struct entry {
	uint64_t hash;
	uint32_t name, declared;
	uint64_t value;
	bool is_static;
};					/* names: in the texts */

struct vm_tables {
	struct remote_memory *memory;
	struct mapped_library *library;
	struct text_buffer texts;
	ARRAY(struct entry) fields, sizes, constants;
	struct hash_map field_index, size_index, constant_index;
};

/* --- symbols --- */

/* The tables are found by these, NULL at the end of a table's own. */
enum { STRIDE, TYPE_NAME, FIELD_NAME, DECLARED, IS_STATIC, OFFSET, ADDRESS, SIZE, VALUE, PARTS };

struct table_kind {
	const char *name, *parts[PARTS];
};

static const struct table_kind table_kinds[] = {
	{ "gHotSpotVMStructs",
	  { "gHotSpotVMStructEntryArrayStride", "gHotSpotVMStructEntryTypeNameOffset",
	    "gHotSpotVMStructEntryFieldNameOffset", "gHotSpotVMStructEntryTypeStringOffset",
	    "gHotSpotVMStructEntryIsStaticOffset", "gHotSpotVMStructEntryOffsetOffset",
	    "gHotSpotVMStructEntryAddressOffset", NULL, NULL } },
	{ "gHotSpotVMTypes",
	  { "gHotSpotVMTypeEntryArrayStride", "gHotSpotVMTypeEntryTypeNameOffset", NULL, NULL, NULL, NULL, NULL,
	    "gHotSpotVMTypeEntrySizeOffset", NULL } },
	{ "gHotSpotVMIntConstants",
	  { "gHotSpotVMIntConstantEntryArrayStride", "gHotSpotVMIntConstantEntryNameOffset", NULL, NULL, NULL, NULL,
	    NULL, NULL, "gHotSpotVMIntConstantEntryValueOffset" } },
	{ "gHotSpotVMLongConstants",
	  { "gHotSpotVMLongConstantEntryArrayStride", "gHotSpotVMLongConstantEntryNameOffset", NULL, NULL, NULL, NULL,
	    NULL, NULL, "gHotSpotVMLongConstantEntryValueOffset" } },
};

#define TABLES (sizeof table_kinds / sizeof *table_kinds)

struct table {
	uint64_t at, parts[PARTS];
};

/* The values of the variables of these names, in one pass over all symbols. */
static void
find_tables(struct vm_tables *tables, struct table found[TABLES])
{
	char name[TEXT_MAX];
	uint64_t address, value;
	size_t at = 0;

	while (mapped_symbol(tables->library, &at, name, &address)) {
		if (strncmp(name, "gHotSpotVM", 10) != 0 ||
		    !remote_read(tables->memory, address, &value, sizeof value))
			continue;
		for (size_t t = 0; t < TABLES; t++) {
			if (strcmp(name, table_kinds[t].name) == 0)
				found[t].at = value;
			for (size_t p = 0; p < PARTS; p++)
				if (table_kinds[t].parts[p] != NULL && strcmp(name, table_kinds[t].parts[p]) == 0)
					found[t].parts[p] = value;
		}
	}
}

/* --- entries --- */

static uint64_t
hash_of(const char *type, const char *field)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (const char *c = type; *c != '\0'; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
	hash = (hash ^ '.') * UINT64_C(1099511628211);
	for (const char *c = field; *c != '\0'; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
	return hash ^ hash >> 29;
}

static uint32_t
keep_text(struct vm_tables *tables, const char *text)
{
	size_t at = tables->texts.count;

	add_bytes(&tables->texts, text, strlen(text) + 1);
	return (uint32_t)at;
}

static uint64_t
word_in(const unsigned char entry[ENTRY_MAX], uint64_t at)
{
	uint64_t word = 0;

	if (at <= ENTRY_MAX - sizeof word)
		memcpy(&word, entry + at, sizeof word);
	return word;
}

/* One entry, in the list of its table. */
static bool
take_entry(struct vm_tables *tables, size_t kind, const struct table *table, const unsigned char entry[ENTRY_MAX])
{
	char type[TEXT_MAX], field[TEXT_MAX] = "", declared[TEXT_MAX] = "";
	struct entry *to;

	if (!mapped_text(tables->library, word_in(entry, table->parts[TYPE_NAME]), type))
		return false;
	if (kind == 0) {
		if (!mapped_text(tables->library, word_in(entry, table->parts[FIELD_NAME]), field))
			return false;
		(void)mapped_text(tables->library, word_in(entry, table->parts[DECLARED]), declared);
	}
	to = kind == 0   ? array_push(&tables->fields)
	     : kind == 1 ? array_push(&tables->sizes)
			 : array_push(&tables->constants);
	*to = (struct entry){ .hash = hash_of(type, field) };
	to->name = keep_text(tables, type);
	(void)keep_text(tables, field);	/* follows the type's */
	to->declared = keep_text(tables, declared);
	if (kind == 0) {
		to->is_static = (uint32_t)word_in(entry, table->parts[IS_STATIC]) != 0;
		to->value = word_in(entry, table->parts[to->is_static ? ADDRESS : OFFSET]);
	} else {
		to->value = word_in(entry, table->parts[kind == 1 ? SIZE : VALUE]);
		if (kind == 2)
			to->value = (uint64_t)(int64_t)(int32_t)to->value;
	}
	return true;
}

static void
read_table(struct vm_tables *tables, size_t kind, const struct table *table)
{
	uint64_t stride = table->parts[STRIDE];

	for (size_t i = 0; i < ENTRIES_MAX && table->at != 0 && stride > 0 && stride <= ENTRY_MAX; i++) {
		unsigned char entry[ENTRY_MAX] = { 0 };

		if (!mapped_read(tables->library, table->at + i * stride, entry, (size_t)stride) ||
		    word_in(entry, table->parts[TYPE_NAME]) == 0 || !take_entry(tables, kind, table, entry))
			return;
	}
}

static void
index_entries(struct hash_map *map, const struct entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash_map_put(map, entries[i].hash, (uint32_t)i + 1);
}

static const struct entry *
find_entry(const struct vm_tables *tables, const struct hash_map *map, const struct entry *entries, const char *type,
	   const char *field)
{
	uint64_t hash = hash_of(type, field);
	uint32_t at = hash_map_start(map, hash), id;

	while ((id = hash_map_next(map, hash, &at)) != 0) {
		const char *name = tables->texts.at + entries[id - 1].name;

		if (entries[id - 1].hash == hash && strcmp(name, type) == 0 &&
		    strcmp(name + strlen(name) + 1, field) == 0)
			return &entries[id - 1];
	}
	return NULL;
}

/* --- the interface --- */

static bool
is_libjvm(const char *path)
{
	const char *name = strrchr(path, '/');

	return name != NULL && strcmp(name, "/libjvm.so") == 0;
}

int
vm_tables_open(struct vm_tables **out, struct remote_memory *memory, struct stk_error *err)
{
	struct vm_tables *tables = *out = mem_new(1, sizeof *tables);
	struct table found[TABLES] = { 0 };

	tables->memory = memory;
	if (mapped_library_open(&tables->library, memory, is_libjvm, "libjvm.so", err) == 0) {
		find_tables(tables, found);
		for (size_t t = 0; t < TABLES; t++)
			read_table(tables, t, &found[t]);
		index_entries(&tables->field_index, tables->fields.at, tables->fields.count);
		index_entries(&tables->size_index, tables->sizes.at, tables->sizes.count);
		index_entries(&tables->constant_index, tables->constants.at, tables->constants.count);
		if (tables->fields.count > 0 && tables->sizes.count > 0)
			return 0;
		(void)stk_fail(err, STK_EDATA, "its libjvm.so does not describe its data (no gHotSpotVMStructs)");
	}
	vm_tables_close(tables);
	*out = NULL;
	return -1;
}

void
vm_tables_close(struct vm_tables *tables)
{
	if (tables == NULL)
		return;
	mapped_library_close(tables->library);
	array_release(&tables->texts);
	array_release(&tables->fields);
	array_release(&tables->sizes);
	array_release(&tables->constants);
	hash_map_release(&tables->field_index);
	hash_map_release(&tables->size_index);
	hash_map_release(&tables->constant_index);
	free(tables);
}

static const struct entry *
field_of(const struct vm_tables *tables, const char *type, const char *field)
{
	return find_entry(tables, &tables->field_index, tables->fields.at, type, field);
}

int
vm_field(const struct vm_tables *tables, const char *type, const char *field)
{
	const struct entry *entry = field_of(tables, type, field);

	return entry != NULL && !entry->is_static && entry->value <= INT32_MAX ? (int)entry->value : VM_NONE_SUCH;
}

bool
vm_field_is(const struct vm_tables *tables, const char *type, const char *field, const char *declared)
{
	const struct entry *entry = field_of(tables, type, field);

	return entry != NULL && strcmp(tables->texts.at + entry->declared, declared) == 0;
}

uint64_t
vm_static(const struct vm_tables *tables, const char *type, const char *field)
{
	const struct entry *entry = field_of(tables, type, field);

	return entry != NULL && entry->is_static ? entry->value : 0;
}

int
vm_size(const struct vm_tables *tables, const char *type)
{
	const struct entry *entry = find_entry(tables, &tables->size_index, tables->sizes.at, type, "");

	return entry != NULL && entry->value <= INT32_MAX ? (int)entry->value : VM_NONE_SUCH;
}

int64_t
vm_constant(const struct vm_tables *tables, const char *name, int64_t otherwise)
{
	const struct entry *entry = find_entry(tables, &tables->constant_index, tables->constants.at, name, "");

	return entry != NULL ? (int64_t)entry->value : otherwise;
}
