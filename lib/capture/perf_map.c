/* SPDX-License-Identifier: MIT
 * perf_map: lines "START SIZE NAME" in hexadecimal digits, in any order, sorted; of two that overlap the later one is
 * used, because memory is reused. */
#include "capture/perf_map.h"

#include "base/array.h"
#include "capture/attach.h"
#include "capture/process_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP_MAX ((size_t)64 << 20)	/* bytes of a map that are read */

struct region { uint64_t from, to; size_t line; char *name; };	/* the name points into the text */

struct perf_map {
	struct attach *attach;		/* NULL: of a text */
	struct process process;
	char name[32];			/* in its /tmp */
	char *text;
	ARRAY(struct region) regions;
};

/* "void Duty.spin(long)" becomes "Duty.spin"; anything else is unchanged. */
static char *
method_of(char *name)
{
	char *arguments = strchr(name, '('), *blank;
	size_t size = strlen(name);

	while (size > 0 && name[size - 1] == ' ')
		name[--size] = '\0';
	if (arguments == NULL || arguments == name || arguments[-1] == ' ')
		return name;
	*arguments = '\0';
	blank = strrchr(name, ' ');
	return blank != NULL ? blank + 1 : name;
}

static int
compare_regions(const void *a, const void *b)
{
	const struct region *x = a, *y = b;

	return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->line < y->line ? -1 : x->line > y->line;
}

/* Takes ownership of the text; a line that is not one of a map is skipped. */
static void
take_text(struct perf_map *map, char *text)
{
	char *next, *end;
	size_t lines = 0;

	free(map->text);
	map->text = text;
	map->regions.count = 0;
	for (char *line = text; *line != '\0'; line = next) {
		uint64_t from, size;

		next = line + strcspn(line, "\n");
		if (*next == '\n')
			*next++ = '\0';
		lines++;
		from = strtoull(line, &end, 16);
		if (end == line || *end != ' ')
			continue;
		line = end;
		size = strtoull(line, &end, 16);
		if (end == line || *end != ' ' || size == 0 || from + size < from)
			continue;
		*array_push(&map->regions) = (struct region){ from, from + size, lines, method_of(end + 1) };
	}
	if (map->regions.count > 0)
		qsort(map->regions.at, map->regions.count, sizeof *map->regions.at, compare_regions);
}

static char *
read_text(int tmp, const struct perf_map *map, struct stk_error *err)
{
	int fd = file_open_in(tmp, map->name, map->process.uid);
	struct stat at;
	char *text;
	size_t size, got = 0;
	long n = 1;

	if (fd < 0 || fstat(fd, &at) < 0) {
		(void)stk_fail_errno(err, "its map of compiled code cannot be read");
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	size = at.st_size < (off_t)MAP_MAX ? (size_t)at.st_size : MAP_MAX;
	text = mem_new(size + 1, 1);
	while (n > 0 && got < size) {
		n = read(fd, text + got, size - got);
		got += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	text[got] = '\0';
	return text;
}

/* Only a file of the VM's user, in a folder where that user may create one; other files are left alone. */
static void
remove_map(int tmp, const struct perf_map *map)
{
	struct stat is;

	if (fstatat(tmp, map->name, &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(is.st_mode) &&
	    is.st_uid == map->process.uid && folder_takes_files_of(tmp, map->process.uid))
		(void)unlinkat(tmp, map->name, 0);
}

static char *
ask_for_text(struct perf_map *map, int tmp, int64_t deadline_ns, struct stk_error *err)
{
	static const char *const command[4] = { "jcmd", "Compiler.perfmap" };
	struct attach_reply reply = { 0 };
	bool was_there = faccessat(tmp, map->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	enum attach_result result = attach_ask(map->attach, command, deadline_ns, &reply, err);
	char *text = result == ATTACH_ANSWERED ? read_text(tmp, map, err) : NULL;

	attach_reply_release(&reply);
	if (!was_there)
		remove_map(tmp, map);
	return text;
}

int
perf_map_refresh(struct perf_map *map, int64_t deadline_ns, struct stk_error *err)
{
	char *text;
	int tmp;

	process_read_user(&map->process);
	tmp = process_open_tmp(&map->process, err);
	if (tmp < 0)
		return -1;
	text = ask_for_text(map, tmp, deadline_ns, err);
	close(tmp);
	if (text == NULL)
		return -1;
	take_text(map, text);
	return 0;
}

/* The last region that begins at or before the address; one that was there earlier may reach further. */
const char *
perf_map_name(const struct perf_map *map, uint64_t address)
{
	size_t low = 0, high = map->regions.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->regions.at[middle].from <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < map->regions.at[low - 1].to ? map->regions.at[low - 1].name : NULL;
}

int
perf_map_open(struct perf_map **out, const struct process *process, struct stk_error *err)
{
	struct attach *attach;

	*out = NULL;
	if (attach_open(&attach, process, err) < 0)
		return -1;
	*out = mem_new(1, sizeof **out);
	(*out)->attach = attach;
	(*out)->process = *process;
	snprintf((*out)->name, sizeof (*out)->name, "perf-%ld.map", (long)process->inner_pid);
	return 0;
}

void
perf_map_of(struct perf_map **out, const char *text, size_t size)
{
	char *copy = mem_new(size + 1, 1);

	memcpy(copy, text, size);
	copy[size] = '\0';
	*out = mem_new(1, sizeof **out);
	take_text(*out, copy);
}

void
perf_map_close(struct perf_map *map)
{
	if (map == NULL)
		return;
	attach_close(map->attach);
	free(map->text);
	array_release(&map->regions);
	free(map);
}
