/* SPDX-License-Identifier: MIT
 * vm_tables: each table is an array that ends with an entry without a name. How large an entry is and where its parts
 * are is said by other symbols of the library (gHotSpotVMStructEntryArrayStride and so on). */
#include "walk/vm_tables.h"

#include "base/array.h"
#include "base/hash_map.h"
#include "base/text_buffer.h"
#include "stkpipe/error.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#define ENTRIES_MAX 100000		/* of a table: the largest known has 3,000 */
#define ENTRY_MAX   256u		/* bytes */
#define TEXT_MAX    256u
#define SYMBOLS_MAX (1u << 20)
#define PAGE        4096u
#define PAGES_KEPT  64u			/* names lie near each other in the library: most pages are read once */

struct entry {
	uint64_t hash;
	uint32_t name, declared;
	uint64_t value;
	bool is_static;
};					/* names: in the texts */

struct vm_tables {
	struct remote_memory *memory;
	struct {
		uint64_t from;
		bool known;
		char bytes[PAGE];
	} pages[PAGES_KEPT];
	uint64_t base;			/* of the library in the process */
	uint64_t symbols, names;	/* its dynamic symbols and their names */
	size_t symbol_count;
	struct text_buffer texts;
	ARRAY(struct entry) fields, sizes, constants;
	struct hash_map field_index, size_index, constant_index;
};

/* --- reading through kept pages --- */

static const char *
page_at(struct vm_tables *tables, uint64_t address)
{
	uint64_t from = address - address % PAGE;
	size_t slot = (size_t)(from / PAGE % PAGES_KEPT);

	if (!tables->pages[slot].known || tables->pages[slot].from != from) {
		tables->pages[slot].known = remote_read(tables->memory, from, tables->pages[slot].bytes, PAGE);
		tables->pages[slot].from = from;
	}
	return tables->pages[slot].known ? tables->pages[slot].bytes : NULL;
}

static bool
read_kept(struct vm_tables *tables, uint64_t from, void *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const char *page = page_at(tables, from + done);
		size_t at = (size_t)((from + done) % PAGE), piece = PAGE - at;

		if (page == NULL)
			return false;
		piece = piece < size - done ? piece : size - done;
		memcpy((char *)to + done, page + at, piece);
		done += piece;
	}
	return true;
}

static bool
read_name(struct vm_tables *tables, uint64_t from, char name[TEXT_MAX])
{
	size_t size = 0;

	while (from != 0 && size < TEXT_MAX) {
		const char *page = page_at(tables, from + size);

		if (page == NULL)
			return false;
		name[size] = page[(from + size) % PAGE];
		if (name[size] == '\0')
			return true;
		size++;
	}
	return false;
}

/* --- the library --- */

/* "7f1000000000-7f1000001000 r--p 00000000 fe:00 77 /x/libjvm.so": where it begins, if the file does so there. */
static bool
is_library_start(const char *line, uint64_t *from)
{
	static const char name[] = "/libjvm.so";
	const char *at = strstr(line, name), *permissions = strchr(line, ' '), *offset;
	char *end;

	if (at == NULL || (at[sizeof name - 1] != '\n' && at[sizeof name - 1] != ' ') || permissions == NULL ||
	    (offset = strchr(permissions + 1, ' ')) == NULL || strtoull(offset, &end, 16) != 0 || *end != ' ')
		return false;
	*from = strtoull(line, NULL, 16);
	return true;
}

/* Where its first page is mapped; 0: nowhere. */
static uint64_t
find_library(pid_t pid)
{
	char path[64], line[4096];
	uint64_t from = 0;
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
	maps = fopen(path, "re");
	while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL)
		found = is_library_start(line, &from);
	if (maps != NULL)
		(void)fclose(maps);
	return found ? from : 0;
}

/* The loader adds the base to addresses in the dynamic section, but not every loader does. */
static uint64_t
address_in(const struct vm_tables *tables, uint64_t value)
{
	return value < tables->base ? tables->base + value : value;
}

/* A table of hashes does not say how many symbols there are: the last one is where the last chain ends. */
static size_t
count_symbols(struct vm_tables *tables, uint64_t hashes)
{
	uint32_t head[4], bucket, last = 0, link = 0;
	uint64_t buckets, chains;

	if (!read_kept(tables, hashes, head, sizeof head) || head[0] > SYMBOLS_MAX || head[2] > SYMBOLS_MAX)
		return 0;
	buckets = hashes + sizeof head + 8 * (uint64_t)head[2];
	chains = buckets + 4 * (uint64_t)head[0];
	for (uint32_t i = 0; i < head[0]; i++)
		if (read_kept(tables, buckets + 4 * (uint64_t)i, &bucket, 4) && bucket > last)
			last = bucket;
	if (last < head[1])
		return head[1];
	while (last < SYMBOLS_MAX && read_kept(tables, chains + 4 * (uint64_t)(last - head[1]), &link, 4)) {
		last++;
		if ((link & 1) != 0)
			break;
	}
	return last;
}

static bool
read_dynamic(struct vm_tables *tables, uint64_t from)
{
	Elf64_Dyn dynamic = { .d_tag = DT_NULL };
	uint32_t count[2];

	for (unsigned i = 0; i < 200 && read_kept(tables, from, &dynamic, sizeof dynamic); i++) {
		uint64_t value = address_in(tables, dynamic.d_un.d_ptr);

		if (dynamic.d_tag == DT_NULL)
			break;
		if (dynamic.d_tag == DT_SYMTAB)
			tables->symbols = value;
		else if (dynamic.d_tag == DT_STRTAB)
			tables->names = value;
		else if (dynamic.d_tag == DT_GNU_HASH && tables->symbol_count == 0)
			tables->symbol_count = count_symbols(tables, value);
		else if (dynamic.d_tag == DT_HASH && read_kept(tables, value, count, sizeof count) &&
			 count[1] < SYMBOLS_MAX)
			tables->symbol_count = count[1];
		from += sizeof dynamic;
	}
	return tables->symbols != 0 && tables->names != 0 && tables->symbol_count > 0;
}

static int
open_library(struct vm_tables *tables, struct stk_error *err)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;
	uint64_t first = 0, dynamic = 0;
	bool have_first = false;

	tables->base = find_library(tables->memory->pid);
	if (tables->base == 0)
		return stk_fail(err, STK_EDATA, "no libjvm.so is mapped in it");
	if (!read_kept(tables, tables->base, &head, sizeof head))
		return stk_fail(err, STK_EDATA,
				"its memory may not be read: that needs root, CAP_SYS_PTRACE, or its own user where "
				"/proc/sys/kernel/yama/ptrace_scope is 0");
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
		return stk_fail(err, STK_EDATA, "its libjvm.so is not a library of 64 bits");
	for (unsigned i = 0; i < head.e_phnum; i++) {
		if (!read_kept(tables, tables->base + head.e_phoff + i * sizeof part, &part, sizeof part))
			break;
		if (part.p_type == PT_LOAD && !have_first) {
			first = part.p_vaddr - part.p_offset;
			have_first = true;
		} else if (part.p_type == PT_DYNAMIC) {
			dynamic = part.p_vaddr;
		}
	}
	tables->base -= first;
	if (dynamic == 0 || !read_dynamic(tables, tables->base + dynamic))
		return stk_fail(err, STK_EDATA, "its libjvm.so has no symbols that can be read");
	return 0;
}

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

	for (size_t i = 0; i < tables->symbol_count; i++) {
		Elf64_Sym symbol;
		uint64_t value;

		if (!read_kept(tables, tables->symbols + i * sizeof symbol, &symbol, sizeof symbol))
			return;
		if (symbol.st_shndx == SHN_UNDEF || !read_name(tables, tables->names + symbol.st_name, name) ||
		    strncmp(name, "gHotSpotVM", 10) != 0 ||
		    !remote_read(tables->memory, tables->base + symbol.st_value, &value, sizeof value))
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

	if (!read_name(tables, word_in(entry, table->parts[TYPE_NAME]), type))
		return false;
	if (kind == 0) {
		if (!read_name(tables, word_in(entry, table->parts[FIELD_NAME]), field))
			return false;
		(void)read_name(tables, word_in(entry, table->parts[DECLARED]), declared);
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

		if (!read_kept(tables, table->at + i * stride, entry, (size_t)stride) ||
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

int
vm_tables_open(struct vm_tables **out, struct remote_memory *memory, struct stk_error *err)
{
	struct vm_tables *tables = *out = mem_new(1, sizeof *tables);
	struct table found[TABLES] = { 0 };

	tables->memory = memory;
	if (open_library(tables, err) == 0) {
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
