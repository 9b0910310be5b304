/* SPDX-License-Identifier: MIT
 * perf_map: lines "START SIZE NAME" in hexadecimal digits, in any order; where two overlap the later one is used,
 * because memory is reused. What programs write of themselves is limited for all together: anybody may write
 * it. */
#include "capture/perf_map.h"

#include "base/array.h"
#include "capture/attach.h"
#include "capture/process_files.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP_MAX ((size_t)64 << 20)	/* bytes of a map that are read */
#define OWN_MAX ((size_t)16 << 20)	/* of one that a program writes of itself */
#define ALL_OWN_MAX ((size_t)256 << 20)	/* that all of these take */
#define OWN_LINE    ((size_t)32)	/* bytes of its lines, on average at least; beyond that they are not read */
#define READ_SHARE  100			/* a map is read for one part in so many of the time */
#define SECOND_NS   INT64_C(1000000000)

struct region { uint64_t from, to; size_t line; char *name; };	/* the name points into the text */

struct piece { uint64_t from, to; const char *name; };		/* that no other line covers */

/* What a line of a map of its own takes. */
#define OWN_ROOM (OWN_LINE + sizeof(struct region) + 2 * sizeof(struct piece) + sizeof(struct region *))

/* Regions that begin at or before an address; the one of the last line is the first. */
struct open_regions { const struct region **at; size_t count, room; };

struct perf_map {
	struct attach *attach;		/* NULL: of a text, or of a file that the program writes itself: */
	int file;			/* -1: there was none so far */
	off_t size;			/* of what was read, */
	struct timespec changed;	/* as it was then */
	int64_t next_ns;		/* not read before */
	size_t room;			/* its part of all_own */
	bool java;			/* names are declarations of methods */
	struct process process;
	char name[32];			/* in its /tmp */
	char *text;
	ARRAY(struct region) regions;
	ARRAY(struct piece) pieces;	/* sorted; none overlaps another */
};

static _Atomic size_t all_own;		/* bytes that maps of programs' own have reserved */

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

/* --- of lines that overlap the last --- */

static void
swap(struct open_regions *open, size_t a, size_t b)
{
	const struct region *kept = open->at[a];

	open->at[a] = open->at[b];
	open->at[b] = kept;
}

static void
open_region(struct open_regions *open, const struct region *region)
{
	size_t at = open->count;

	*array_push(open) = region;
	for (; at > 0 && open->at[(at - 1) / 2]->line < open->at[at]->line; at = (at - 1) / 2)
		swap(open, at, (at - 1) / 2);
}

static void
close_first(struct open_regions *open)
{
	size_t at = 0, next;

	open->at[0] = open->at[--open->count];
	while ((next = 2 * at + 1) < open->count) {
		next += next + 1 < open->count && open->at[next + 1]->line > open->at[next]->line;
		if (open->at[at]->line >= open->at[next]->line)
			break;
		swap(open, at, next);
		at = next;
	}
}

static void
add_piece(struct perf_map *map, uint64_t from, uint64_t to, const char *name)
{
	struct piece *last = map->pieces.count > 0 ? &map->pieces.at[map->pieces.count - 1] : NULL;

	if (last != NULL && last->to == from && last->name == name)
		last->to = to;
	else
		*array_push(&map->pieces) = (struct piece){ from, to, name };
}

/* Regions are sorted by where they begin. */
static void
cut_into_pieces(struct perf_map *map)
{
	const struct region *next = map->regions.at, *end = next + map->regions.count;
	struct open_regions open = { 0 };
	uint64_t from = 0;

	while (next < end || open.count > 0) {
		uint64_t to;

		if (open.count == 0)
			from = next->from;
		while (next < end && next->from <= from)
			open_region(&open, next++);
		while (open.count > 0 && open.at[0]->to <= from)
			close_first(&open);
		if (open.count == 0)
			continue;
		to = next < end && next->from < open.at[0]->to ? next->from : open.at[0]->to;
		add_piece(map, from, to, open.at[0]->name);
		from = to;
	}
	array_release(&open);
}

/* Takes ownership of the text; a line that is not one of a map is skipped. */
static void
take_text(struct perf_map *map, char *text, size_t most)
{
	char *next, *end;
	size_t lines = 0;

	free(map->text);
	map->text = text;
	map->regions.count = map->pieces.count = 0;
	for (char *line = text; *line != '\0' && map->regions.count < most; line = next) {
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
		*array_push(&map->regions) = (struct region){ from, from + size, lines,
								      map->java ? method_of(end + 1) : end + 1 };
	}
	if (map->regions.count > 0) {
		qsort(map->regions.at, map->regions.count, sizeof *map->regions.at, compare_regions);
		cut_into_pieces(map);
	}
}

/* The beginning of a file. */
static char *
read_file(int fd, size_t size)
{
	char *text = mem_new(size + 1, 1);
	size_t got = 0;
	long n = 1;

	while (n > 0 && got < size) {
		n = pread(fd, text + got, size - got, (off_t)got);
		got += n > 0 ? (size_t)n : 0;
	}
	text[got] = '\0';
	return text;
}

static char *
read_text(int tmp, const struct perf_map *map, struct stk_error *err)
{
	int fd = file_open_in(tmp, map->name, map->process.uid);
	struct stat at;
	char *text;

	if (fd < 0 || fstat(fd, &at) < 0) {
		(void)stk_fail_errno(err, "its map of compiled code cannot be read");
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	text = read_file(fd, at.st_size < (off_t)MAP_MAX ? (size_t)at.st_size : MAP_MAX);
	close(fd);
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
	take_text(map, text, SIZE_MAX);
	return 0;
}

const char *
perf_map_name(const struct perf_map *map, uint64_t address)
{
	size_t low = 0, high = map->pieces.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->pieces.at[middle].from <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < map->pieces.at[low - 1].to ? map->pieces.at[low - 1].name : NULL;
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
	(*out)->file = -1;
	(*out)->java = true;
	(*out)->process = *process;
	snprintf((*out)->name, sizeof (*out)->name, "perf-%ld.map", (long)process->inner_pid);
	return 0;
}

/* --- what a program writes of itself --- */

void
perf_map_own(struct perf_map **out, const struct process *process)
{
	*out = mem_new(1, sizeof **out);
	(*out)->file = -1;
	(*out)->process = *process;
	snprintf((*out)->name, sizeof (*out)->name, "perf-%ld.map", (long)process->inner_pid);
}

/* One that is older than the process is of an earlier process with its number. The clock of files is a little late. */
static bool
is_its_own(const struct perf_map *map, const struct stat *is)
{
	return is->st_nlink > 0 && is->st_uid == map->process.uid &&
	       is->st_mtim.tv_sec * SECOND_NS + is->st_mtim.tv_nsec + SECOND_NS >= map->process.start_ns;
}

/* It is held open: when the process has ended, its /tmp cannot be reached any more. */
static bool
find_own(struct perf_map *map, struct stat *is)
{
	struct stk_error unused = { 0 };
	int tmp;

	if (map->file >= 0 && fstat(map->file, is) == 0 && is_its_own(map, is))
		return true;
	if (map->file >= 0)
		close(map->file);
	map->file = -1;
	process_read_user(&map->process);
	tmp = process_is_alive(&map->process) ? process_open_tmp(&map->process, &unused) : -1;
	stk_error_clear(&unused);
	if (tmp < 0)
		return false;
	map->file = file_open_in(tmp, map->name, map->process.uid);
	close(tmp);
	return map->file >= 0 && fstat(map->file, is) == 0 && is_its_own(map, is);
}

static size_t
own_lines(size_t size)
{
	return size / OWN_LINE + 1;
}

/* Room for the text, and for as many regions as it can have. What does not fit is not read. */
static size_t
reserve(struct perf_map *map, off_t size)
{
	size_t text = size < (off_t)OWN_MAX ? (size_t)size : OWN_MAX;
	size_t wanted = own_lines(text) * OWN_ROOM;

	atomic_fetch_sub(&all_own, map->room);
	map->room = 0;
	if (atomic_fetch_add(&all_own, wanted) + wanted > ALL_OWN_MAX) {
		atomic_fetch_sub(&all_own, wanted);
		return 0;
	}
	map->room = wanted;
	return text;
}

void
perf_map_follow(struct perf_map *map)
{
	int64_t from = monotonic_ns();
	struct stat is;
	size_t size;

	if (from < map->next_ns || !find_own(map, &is))
		return;
	if (is.st_size == map->size && is.st_mtim.tv_sec == map->changed.tv_sec &&
	    is.st_mtim.tv_nsec == map->changed.tv_nsec)
		return;
	map->size = is.st_size;
	map->changed = is.st_mtim;
	size = reserve(map, is.st_size);
	take_text(map, read_file(map->file, size), own_lines(size));
	map->next_ns = monotonic_ns() + READ_SHARE * (monotonic_ns() - from);
}

/* --- of a text --- */

void
perf_map_of(struct perf_map **out, const char *text, size_t size)
{
	char *copy = mem_new(size + 1, 1);

	memcpy(copy, text, size);
	copy[size] = '\0';
	*out = mem_new(1, sizeof **out);
	(*out)->file = -1;
	(*out)->java = true;
	take_text(*out, copy, SIZE_MAX);
}

void
perf_map_close(struct perf_map *map)
{
	if (map == NULL)
		return;
	attach_close(map->attach);
	if (map->file >= 0)
		close(map->file);
	atomic_fetch_sub(&all_own, map->room);
	free(map->text);
	array_release(&map->regions);
	array_release(&map->pieces);
	free(map);
}
