/* SPDX-License-Identifier: MIT
 * mapped_library: the part of a file that is mapped from its beginning has the ELF header, which leads to the rest. */
#include "walk/mapped_library.h"

#include "base/memory.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOLS_MAX (1u << 20)
#define PARTS_MAX 256u /* of a program's memory */
#define PAGE 4096u
#define PAGES_KEPT 64u /* names lie near each other in the library: most pages are read once */

struct mapped_library {
	struct remote_memory *memory;
	struct {
		uint64_t from;
		bool known;
		char bytes[PAGE];
	} pages[PAGES_KEPT];
	uint64_t base; /* of the library in the process */
	uint64_t symbols, names; /* its dynamic symbols and their names */
	size_t symbol_count;
	char path[4096];
};

/* --- reading through kept pages --- */

static const char *
page_at(struct mapped_library *library, uint64_t address)
{
	uint64_t from = address - address % PAGE;
	size_t slot = (size_t)(from / PAGE % PAGES_KEPT);

	if (!library->pages[slot].known || library->pages[slot].from != from) {
		library->pages[slot].known = remote_read(library->memory, from, library->pages[slot].bytes, PAGE);
		library->pages[slot].from = from;
	}
	return library->pages[slot].known ? library->pages[slot].bytes : NULL;
}

bool
mapped_read(struct mapped_library *library, uint64_t from, void *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const char *page = page_at(library, from + done);
		size_t at = (size_t)((from + done) % PAGE), piece = PAGE - at;

		if (page == NULL)
			return false;
		piece = piece < size - done ? piece : size - done;
		memcpy((char *)to + done, page + at, piece);
		done += piece;
	}
	return true;
}

bool
mapped_text(struct mapped_library *library, uint64_t from, char text[MAPPED_TEXT_MAX])
{
	size_t size = 0;

	while (from != 0 && size < MAPPED_TEXT_MAX) {
		const char *page = page_at(library, from + size);

		if (page == NULL)
			return false;
		text[size] = page[(from + size) % PAGE];
		if (text[size] == '\0')
			return true;
		size++;
	}
	return false;
}

/* --- the library --- */

/* "7f1000000000-7f1000001000 r--p 00000000 fe:00 77 /x/libjvm.so": where it begins and its path, which takes the place
 * of the line, if that is the beginning of a file. */
static bool
is_file_start(char *line, uint64_t *from)
{
	static const char deleted[] = " (deleted)";
	char *offset = strchr(line, ' '), *path = strchr(line, '/'), *end;
	size_t size;

	if (offset == NULL || path == NULL || (offset = strchr(offset + 1, ' ')) == NULL ||
	    strtoull(offset, &end, 16) != 0 || *end != ' ')
		return false;
	*from = strtoull(line, NULL, 16);
	size = strcspn(path, "\n");
	path[size] = '\0';
	if (size > strlen(deleted) && strcmp(path + size - strlen(deleted), deleted) == 0)
		path[size - strlen(deleted)] = '\0';
	memmove(line, path, strlen(path) + 1);
	return true;
}

/* Its path, and where its first page is mapped; 0: nowhere. */
static uint64_t
find_file(pid_t pid, bool (*is_it)(const char *path), char line[4096])
{
	char name[64];
	uint64_t from = 0;
	bool found = false;
	FILE *maps;

	snprintf(name, sizeof name, "/proc/%ld/maps", (long)pid);
	maps = fopen(name, "re");
	while (maps != NULL && !found && fgets(line, 4096, maps) != NULL)
		found = is_file_start(line, &from) && is_it(line);
	if (maps != NULL)
		(void)fclose(maps);
	return found ? from : 0;
}

/* The loader adds the base to addresses in the dynamic section, but not every loader does. */
static uint64_t
address_in(const struct mapped_library *library, uint64_t value)
{
	return value < library->base ? library->base + value : value;
}

/* A table of hashes does not say how many symbols there are: the last one is where the last chain ends. */
static size_t
count_symbols(struct mapped_library *library, uint64_t hashes)
{
	uint32_t head[4], bucket, last = 0, link = 0;
	uint64_t buckets, chains;

	if (!mapped_read(library, hashes, head, sizeof head) || head[0] > SYMBOLS_MAX || head[2] > SYMBOLS_MAX)
		return 0;
	buckets = hashes + sizeof head + 8 * (uint64_t)head[2];
	chains = buckets + 4 * (uint64_t)head[0];
	for (uint32_t i = 0; i < head[0]; i++)
		if (mapped_read(library, buckets + 4 * (uint64_t)i, &bucket, 4) && bucket > last)
			last = bucket;
	if (last < head[1])
		return head[1];
	while (last < SYMBOLS_MAX && mapped_read(library, chains + 4 * (uint64_t)(last - head[1]), &link, 4)) {
		last++;
		if ((link & 1) != 0)
			break;
	}
	return last;
}

static bool
read_dynamic(struct mapped_library *library, uint64_t from)
{
	Elf64_Dyn dynamic = { .d_tag = DT_NULL };
	uint32_t count[2];

	for (unsigned i = 0; i < 200 && mapped_read(library, from, &dynamic, sizeof dynamic); i++) {
		uint64_t value = address_in(library, dynamic.d_un.d_ptr);

		if (dynamic.d_tag == DT_NULL)
			break;
		if (dynamic.d_tag == DT_SYMTAB)
			library->symbols = value;
		else if (dynamic.d_tag == DT_STRTAB)
			library->names = value;
		else if (dynamic.d_tag == DT_GNU_HASH && library->symbol_count == 0)
			library->symbol_count = count_symbols(library, value);
		else if (dynamic.d_tag == DT_HASH && mapped_read(library, value, count, sizeof count) &&
			 count[1] < SYMBOLS_MAX)
			library->symbol_count = count[1];
		from += sizeof dynamic;
	}
	return library->symbols != 0 && library->names != 0 && library->symbol_count > 0;
}

/* The base is where the file's address 0 would be. */
static bool
read_parts(struct mapped_library *library, const Elf64_Ehdr *head, uint64_t *dynamic)
{
	uint64_t first = 0;
	bool have_first = false;
	Elf64_Phdr part;

	for (unsigned i = 0; i < head->e_phnum && i < PARTS_MAX; i++) {
		if (!mapped_read(library, library->base + head->e_phoff + i * sizeof part, &part, sizeof part))
			return false;
		if (part.p_type == PT_LOAD && !have_first) {
			first = part.p_vaddr - part.p_offset;
			have_first = true;
		} else if (part.p_type == PT_DYNAMIC) {
			*dynamic = part.p_vaddr;
		}
	}
	library->base -= first;
	*dynamic += library->base;
	return *dynamic != library->base;
}

static int
read_symbols(struct mapped_library *library, const char *what, struct stk_error *err)
{
	uint64_t dynamic = 0;
	Elf64_Ehdr head;

	if (!mapped_read(library, library->base, &head, sizeof head))
		return stk_fail(err, STK_EDATA,
				"its memory may not be read: that needs root, CAP_SYS_PTRACE, or its own user where "
				"/proc/sys/kernel/yama/ptrace_scope is 0");
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
		return stk_fail(err, STK_EDATA, "its %s is not a file of 64 bits", what);
	if (!read_parts(library, &head, &dynamic) || !read_dynamic(library, dynamic))
		return stk_fail(err, STK_EDATA, "its %s has no symbols that can be read", what);
	return 0;
}

/* --- the interface --- */

int
mapped_library_open(struct mapped_library **out, struct remote_memory *memory, bool (*is_it)(const char *path),
		    const char *what, struct stk_error *err)
{
	struct mapped_library *library = *out = mem_new(1, sizeof *library);

	library->memory = memory;
	library->base = find_file(memory->pid, is_it, library->path);
	if (library->base != 0 && read_symbols(library, what, err) == 0)
		return 0;
	if (library->base == 0)
		(void)stk_fail(err, STK_EDATA, "no %s is mapped in it", what);
	mapped_library_close(library);
	*out = NULL;
	return -1;
}

void
mapped_library_close(struct mapped_library *library)
{
	free(library);
}

const char *
mapped_library_path(const struct mapped_library *library)
{
	return library->path;
}

bool
mapped_symbol(struct mapped_library *library, size_t *at, char name[MAPPED_TEXT_MAX], uint64_t *address)
{
	Elf64_Sym symbol;

	while (*at < library->symbol_count &&
	       mapped_read(library, library->symbols + *at * sizeof symbol, &symbol, sizeof symbol)) {
		++*at;
		if (symbol.st_shndx != SHN_UNDEF && mapped_text(library, library->names + symbol.st_name, name)) {
			*address = library->base + symbol.st_value;
			return true;
		}
	}
	return false;
}
