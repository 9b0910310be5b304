/* SPDX-License-Identifier: MIT
 * perf_memory: the layout is version 2.0 of the JVM's, in the byte order that its header says (of the machine's own
 * only: it is never another machine's file). */
#include "capture/perf_memory.h"

#include "base/array.h"
#include "base/bytes.h"
#include "capture/process_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_BYTES 32
#define ENTRY_BYTES  20
#define ENTRIES_MAX  10000	/* VMs have some 200 */
#define FOLDERS_MAX  1000	/* of users */

struct entry {
	struct stk_text name;		/* in the bytes, which never move */
	uint32_t at, size;		/* of the value */
	char type;			/* 'J' a number, 'B' text */
};

struct perf_memory {
	int fd;				/* -1: none */
	unsigned char *bytes;
	size_t size;
	ARRAY(struct entry) entries;
};

/* --- reading the layout --- */

/* The entry that begins at `at`: its length, or 0 when it is not consistent. */
static uint32_t
take_entry(struct perf_memory *memory, uint32_t at)
{
	const unsigned char *from = memory->bytes + at;
	uint32_t length = load32(from), name = load32(from + 4), vector = load32(from + 8), value = load32(from + 16);
	struct entry entry = { .type = (char)from[12] };
	const unsigned char *stop;

	if (length < ENTRY_BYTES || length > memory->size - at || name >= length || value >= length)
		return 0;
	stop = memchr(from + name, '\0', length - name);
	if (stop == NULL)
		return 0;
	entry.name = text_of((const char *)from + name, (size_t)(stop - from) - name);
	entry.at = at + value;
	entry.size = entry.type == 'J' && vector == 0 ? 8 : vector;
	if (entry.size <= length - value)
		*array_push(&memory->entries) = entry;
	return length;
}

static int
take_layout(struct perf_memory *memory, struct stk_error *err)
{
	uint32_t at, count;

	if (memory->size < HEADER_BYTES || memcmp(memory->bytes, "\xca\xfe\xc0\xc0", 4) != 0)
		return stk_fail(err, STK_EDATA, "its performance memory does not begin as it should");
	if (memory->bytes[4] != 1 || memory->bytes[5] != 2)
		return stk_fail(err, STK_EDATA,
				"its performance memory is of version %u.%u, byte order %u (expected 2.0, byte order 1)",
				memory->bytes[5], memory->bytes[6], memory->bytes[4]);
	if (memory->bytes[7] != 1)
		return stk_fail(err, STK_EDATA, "its performance memory is not ready yet");
	at = load32(memory->bytes + 24);
	count = load32(memory->bytes + 28);
	for (uint32_t i = 0; i < count && i < ENTRIES_MAX; i++) {
		uint32_t length = at <= memory->size - ENTRY_BYTES ? take_entry(memory, at) : 0;

		if (length == 0)
			break;		/* the entries before it are kept */
		at += length;
	}
	return memory->entries.count > 0 ? 0 : stk_fail(err, STK_EDATA, "its performance memory is empty");
}

int
perf_memory_of(struct perf_memory **out, const void *bytes, size_t size, struct stk_error *err)
{
	struct perf_memory *memory = mem_new(1, sizeof *memory);

	memory->fd = -1;
	memory->size = size < PERF_MEMORY_MAX ? size : PERF_MEMORY_MAX;
	memory->bytes = mem_new(memory->size + 1, 1);
	if (memory->size > 0)
		memcpy(memory->bytes, bytes, memory->size);
	*out = memory;
	if (take_layout(memory, err) == 0)
		return 0;
	perf_memory_close(memory);
	*out = NULL;
	return -1;
}

/* --- the file --- */

/* In the folder of a user whose name in the container we do not know: folder and file must belong to the process. */
static int
open_in(const struct process *process, int tmp, const char *name)
{
	int folder = folder_open_in(tmp, name), fd = -1;
	char file[24];

	snprintf(file, sizeof file, "%ld", (long)process->inner_pid);
	if (folder >= 0 && folder_belongs_to(folder, process->uid))
		fd = file_open_in(folder, file, process->uid);
	if (folder >= 0)
		close(folder);
	return fd;
}

/* Anybody may create such folders: only a limited number is tried. */
static int
open_file(const struct process *process, struct stk_error *err)
{
	int tmp = process_open_tmp(process, err), fd = -1,
	    list = tmp < 0 ? -1 : openat(tmp, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = list < 0 ? NULL : fdopendir(list);
	const struct dirent *entry;
	unsigned tried = 0;

	while (folder != NULL && fd < 0 && tried < FOLDERS_MAX && (entry = readdir(folder)) != NULL)
		if (strncmp(entry->d_name, "hsperfdata_", 11) == 0) {
			fd = open_in(process, tmp, entry->d_name);
			tried++;
		}
	if (folder != NULL)
		closedir(folder);
	else if (list >= 0)
		close(list);
	if (tmp >= 0)
		close(tmp);
	return fd;
}

int
perf_memory_open(struct perf_memory **out, const struct process *process, struct stk_error *err)
{
	unsigned char *bytes;
	struct stat is;
	long got = -1;
	int fd = open_file(process, err), result = -1;

	*out = NULL;
	if (fd < 0 || fstat(fd, &is) < 0) {
		if (fd >= 0)
			close(fd);
		return stk_fail(err, STK_EDATA, "it has no performance memory that we may read");
	}
	bytes = mem_new(PERF_MEMORY_MAX, 1);
	if (is.st_size > 0)
		got = pread(fd, bytes, is.st_size < PERF_MEMORY_MAX ? (size_t)is.st_size : PERF_MEMORY_MAX, 0);
	if (got > 0)
		result = perf_memory_of(out, bytes, (size_t)got, err);
	else
		(void)stk_fail(err, STK_EDATA, "its performance memory is empty");
	free(bytes);
	if (result < 0)
		close(fd);
	else
		(*out)->fd = fd;
	return result;
}

void
perf_memory_close(struct perf_memory *memory)
{
	if (memory == NULL)
		return;
	if (memory->fd >= 0)
		close(memory->fd);
	array_release(&memory->entries);
	free(memory->bytes);
	free(memory);
}

/* Only values are read again: the layout remains as it was checked. */
bool
perf_memory_refresh_one(struct perf_memory *memory, int entry)
{
	const struct entry *e;

	if (entry < 0 || (size_t)entry >= memory->entries.count)
		return false;
	e = &memory->entries.at[entry];
	return memory->fd < 0 || pread(memory->fd, memory->bytes + e->at, e->size, e->at) == (long)e->size;
}

bool
perf_memory_is(const struct perf_memory *memory, int entry, const char *text)
{
	char now[64];
	size_t size = strlen(text) + 1;
	const struct entry *e;

	if (entry < 0 || (size_t)entry >= memory->entries.count || size > sizeof now)
		return false;
	e = &memory->entries.at[entry];
	if (e->size < size)
		return false;
	if (memory->fd < 0)
		return memcmp(memory->bytes + e->at, text, size) == 0;
	return pread(memory->fd, now, size, e->at) == (long)size && memcmp(now, text, size) == 0;
}

int64_t
perf_memory_now(const struct perf_memory *memory, int entry)
{
	unsigned char now[8];
	int64_t value = 0;

	if (!perf_memory_number(memory, entry, &value) || memory->fd < 0)
		return value;
	if (pread(memory->fd, now, sizeof now, memory->entries.at[entry].at) != sizeof now)
		return 0;
	return (int64_t)load64(now);
}

bool
perf_memory_refresh(struct perf_memory *memory)
{
	uint32_t from, to;

	if (memory->fd < 0)
		return true;
	from = memory->entries.at[0].at;
	to = memory->entries.at[memory->entries.count - 1].at + memory->entries.at[memory->entries.count - 1].size;
	return to > from && pread(memory->fd, memory->bytes + from, to - from, from) == (long)(to - from);
}

/* --- asking --- */

int
perf_memory_find(const struct perf_memory *memory, const char *name)
{
	struct stk_text wanted = text_from(name);

	for (size_t i = 0; memory != NULL && i < memory->entries.count; i++)
		if (text_equal(memory->entries.at[i].name, wanted))
			return (int)i;
	return -1;
}

bool
perf_memory_number(const struct perf_memory *memory, int entry, int64_t *value)
{
	if (memory == NULL || entry < 0 || (size_t)entry >= memory->entries.count ||
	    memory->entries.at[entry].type != 'J' || memory->entries.at[entry].size != 8)
		return false;
	*value = (int64_t)load64(memory->bytes + memory->entries.at[entry].at);
	return true;
}

struct stk_text
perf_memory_text(const struct perf_memory *memory, int entry)
{
	const struct entry *e;
	const char *at;

	if (memory == NULL || entry < 0 || (size_t)entry >= memory->entries.count ||
	    memory->entries.at[entry].type != 'B')
		return text_of("", 0);
	e = &memory->entries.at[entry];
	at = (const char *)memory->bytes + e->at;
	return text_of(at, strnlen(at, e->size));
}

int64_t
perf_memory_number_of(const struct perf_memory *memory, const char *name)
{
	int64_t value = 0;

	(void)perf_memory_number(memory, perf_memory_find(memory, name), &value);
	return value;
}

struct stk_text
perf_memory_text_of(const struct perf_memory *memory, const char *name)
{
	return perf_memory_text(memory, perf_memory_find(memory, name));
}
