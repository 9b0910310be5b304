/* SPDX-License-Identifier: MIT
 * members: walks through archives within archives. Each level is an input; it is unpacked into the level above it, or,
 * when it is the last, given to the caller. Nothing is unpacked into files, except that a zip or 7z file which cannot
 * be read at a place goes to a temporary file first, because its list of members is at its end. */
#include "ingest/members.h"

#include "base/memory.h"
#include "base/scratch.h"
#include "base/text_buffer.h"
#include "base/unpack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 << 10)
#define REOPENED_MOST 100	/* times that one archive is begun anew behind a damaged member */

struct level {
	struct members *members;
	struct input *input;
	struct scratch *scratch;	/* a copy of the input */
	enum packing packing;	/* of an archive, else PACK_NONE */
	struct unpacker *unpacker;
	struct unpack_source source;
	unsigned char *block;
	uint64_t index;	/* of members asked for so far */
	unsigned reopened;
	bool examined;
	bool damaged;	/* the last call reported damage: more of the same is not reported again */
	size_t name_size;	/* of the level's name within members->name */
	int64_t modified_ns;
	int64_t declared, given;	/* bytes of the member that the level above is */
};

struct members {
	const char *path;
	struct input_limits limits;
	struct level levels[MEMBERS_DEPTH + 1];
	unsigned depth;	/* levels in use */
	bool given;	/* the last level was given to the caller */
	struct text_buffer name;
	int64_t left_bytes, all_bytes;
	uint64_t count;
	bool over;	/* a limit was passed */
};

static struct level *
last_level(struct members *members)
{
	return &members->levels[members->depth - 1];
}

/* --- names --- */

static void
set_level_name(struct members *members, const struct level *level)
{
	if (level == members->levels) {
		members->name.count = 0;
		add_string(&members->name, members->path);
	} else {
		members->name.count = level->name_size;
	}
}

/* Puts the member's name after that of the archive. */
static void
set_member_name(struct members *members, const struct level *level, const char *name)
{
	set_level_name(members, level);
	if (level == members->levels && strcmp(members->path, "-") == 0)
		members->name.count = 0;
	else
		add_char(&members->name, '/');
	while (*name == '/' || (name[0] == '.' && name[1] == '/'))
		name++;
	add_string(&members->name, name);
}

static const char *
present_name(struct members *members)
{
	add_char(&members->name, '\0');
	members->name.count--;
	return members->name.at;
}

/* --- limits --- */

static int
fail_over(struct members *members, const char *verb, long long most, const char *unit, struct stk_error *err)
{
	members->over = true;
	return stk_fail(err, STK_EDATA, "the archive %s more than %lld %s, the limit; the rest of it is not read", verb,
			most, unit);
}

static int
charge(struct members *members, int64_t bytes, struct stk_error *err)
{
	int64_t raw = input_raw_size(members->levels[0].input);

	if (raw < 0)
		raw = input_raw_bytes(members->levels[0].input);
	if (bytes > members->left_bytes)
		return fail_over(members, "expands to", members->limits.expanded_bytes, "bytes", err);
	members->left_bytes -= bytes;
	members->all_bytes += bytes;
	if (members->all_bytes > MEMBERS_RATIO_FROM && members->all_bytes / MEMBERS_RATIO > raw)
		return fail_over(members, "expands to", MEMBERS_RATIO, "times its size", err);
	return 0;
}

/* --- reading of one level by the next --- */

/* Of an archive's member. */
static long
read_member(void *context, void *to, size_t size, struct stk_error *err)
{
	struct level *level = context;
	long got = unpack_read(level->unpacker, to, size, err);

	if (got > 0 && charge(level->members, got, err) < 0)
		return -1;
	level->given += got > 0 ? got : 0;
	return got;
}

/* Bytes of an input are charged where it makes them. What the operand itself expands to has a limit of its own. */
static bool
is_charged(const struct level *level)
{
	return level != level->members->levels && input_compressed(level->input);
}

static long
read_level(void *context, void *to, size_t size, struct stk_error *err)
{
	struct level *level = context;
	long got = input_read(level->input, to, size, err);

	return got > 0 && is_charged(level) && charge(level->members, got, err) < 0 ? -1 : got;
}

static long
give_next(void *context, const void **block, struct stk_error *err)
{
	struct level *level = context;

	*block = level->block;
	return read_level(level, level->block, BLOCK_BYTES, err);
}

static long
give_at(void *context, void *to, size_t size, int64_t offset, struct stk_error *err)
{
	struct level *level = context;
	long got;

	if (level->scratch != NULL)
		return scratch_read_at(level->scratch, to, size, offset, err);
	got = input_read_at(level->input, to, size, offset);
	return got < 0 ? stk_fail_errno(err, "cannot read") : got;
}

/* --- levels --- */

static int
copy_to_scratch(struct level *level, struct stk_error *err)
{
	long got;

	if (scratch_open(&level->scratch, err) < 0)
		return -1;
	while ((got = read_level(level, level->block, BLOCK_BYTES, err)) > 0)
		if (scratch_write(level->scratch, level->block, (size_t)got, err) < 0)
			return -1;
	level->source.size = scratch_size(level->scratch);
	return (int)got;
}

static int
open_archive(struct level *level, struct stk_error *err)
{
	bool at_place = input_raw_size(level->input) >= 0 && input_read_at(level->input, NULL, 0, 0) == 0;

	level->block = mem_new(BLOCK_BYTES, 1);
	level->source = (struct unpack_source){ .read = give_next, .context = level };
	level->source.size = input_raw_size(level->input);
	if (!at_place && packing_needs_seek(level->packing) && copy_to_scratch(level, err) < 0)
		return -1;
	if (at_place || level->scratch != NULL)
		level->source.read_at = give_at;
	return unpack_open(&level->unpacker, level->packing, &level->source, err);
}

/* A new level over the last one, with the present name. */
static void
push_level(struct members *members, int64_t modified_ns)
{
	struct level *below = last_level(members), *level = below + 1;
	const struct input_origin origin = { below->unpacker != NULL ? read_member : read_level, below, modified_ns };
	struct input_limits limits = members->limits;

	limits.expanded_bytes = members->left_bytes > 0 ? members->left_bytes : 1;
	*level = (struct level){ .members = members, .modified_ns = modified_ns, .name_size = members->name.count };
	input_open_from(&level->input, &origin, &limits);
	members->depth++;
}

static void
pop_level(struct members *members)
{
	struct level *level = last_level(members);

	unpack_close(level->unpacker);
	scratch_close(level->scratch);
	free(level->block);
	input_close(level->input);
	*level = (struct level){ 0 };
	members->depth--;
}

/* Looks at first bytes until these say what the input is. */
static enum packing
look_at(struct input *input, bool *packed)
{
	size_t wanted = 4, size;
	bool more;

	for (;;) {
		const unsigned char *first = input_ahead(input, wanted, &size);
		enum packing packing = packing_of(first, size, &more);

		*packed = input_is_packed(first, size);
		if (!more || size < wanted || size == PACK_FIRST_BYTES)
			return packing;
		wanted = size + 1;
	}
}

/* What a new level is. 1: a file to give; 0: it is a level between; -1. */
static int
examine(struct members *members, struct stk_error *err)
{
	struct level *level = last_level(members);
	bool packed;

	level->examined = true;
	level->packing = look_at(level->input, &packed);
	set_level_name(members, level);
	if (!packed && !packing_is_archive(level->packing))
		return 1;
	if (members->depth > MEMBERS_DEPTH)
		return stk_fail(err, STK_EDATA,
				"more than %d archives and compressions within each other; it is not read",
				MEMBERS_DEPTH);
	if (!packed)
		return open_archive(level, err);
	push_level(members, level->modified_ns);
	return 0;
}

/* --- members of an archive --- */

static bool
is_hidden(const char *name)
{
	for (const char *at = name; *at != '\0'; at += strcspn(at, "/")) {
		at += strspn(at, "/");
		if (*at == '.' && strcspn(at, "/") != strspn(at, "."))
			return true;
	}
	return false;
}

static int
refuse_member(const struct unpacked *is, struct stk_error *err)
{
	if (is->kind == MEMBER_LINK)
		return stk_fail(err, STK_EDATA, "a link to '%s', which is not followed",
				is->link == NULL ? "" : is->link);
	if (is->kind == MEMBER_OTHER)
		return stk_fail(err, STK_EDATA, "not a regular file; it is not read");
	return is->encrypted ? stk_fail(err, STK_EDATA, "encrypted; it is not read") : 0;
}

static int
lose_rest(struct level *level, const char *why, struct stk_error *err)
{
	unpack_close(level->unpacker);
	level->unpacker = NULL;
	return stk_fail(err, STK_EDATA, "%s", why);
}

/* What follows a damaged member of a zip or 7z file is found by beginning anew. */
static int
reopen(struct level *level, struct stk_error *err)
{
	static const char lost[] = "the members after a damaged one cannot be reached, and are lost";
	struct stk_error why = { 0 };
	struct unpacked unused;

	if (level->reopened++ == REOPENED_MOST)
		return lose_rest(level, "many members are damaged; the rest is not read", err);
	unpack_close(level->unpacker);
	if (unpack_open(&level->unpacker, level->packing, &level->source, &why) < 0)
		return lose_rest(level, lost, err);
	for (uint64_t i = 0; i < level->index; i++)
		if (unpack_next(level->unpacker, &unused, &why) <= 0)
			return lose_rest(level, lost, err);
	return 0;
}

/* The next head of the archive, whatever it is: 1, 0, -1. */
static int
next_head(struct members *members, struct level *level, struct unpacked *is, struct stk_error *err)
{
	int got;

	if (++members->count > MEMBERS_MOST)
		return fail_over(members, "has", MEMBERS_MOST, "members", err);
	/* the rest of a member that was not read is unpacked all the same */
	if (level->packing == PACK_7Z && level->declared > level->given &&
	    charge(members, level->declared - level->given, err) < 0)
		return -1;
	level->declared = level->given = 0;
	if (unpack_is_over(level->unpacker)) {
		if (level->damaged || !packing_needs_seek(level->packing))
			return 0;
		if (reopen(level, err) < 0)
			return -1;
	}
	got = unpack_next(level->unpacker, is, err);
	level->index += got != 0;
	return got;
}

static bool
is_left_out(const struct unpacked *is)
{
	return is->kind == MEMBER_FOLDER || (is->name != NULL && is_hidden(is->name));
}

/* Begins the next file of the archive: 1 when it is on a level of its own now; 0 none is left; -1. */
static int
next_member(struct members *members, struct level *level, struct stk_error *err)
{
	struct unpacked is;
	char number[40];
	int got;

	do {
		stk_error_clear(err);
		got = next_head(members, level, &is, err);
	} while (!members->over && ((got < 0 && level->damaged) || (got > 0 && is_left_out(&is))));
	level->damaged = got < 0;
	set_level_name(members, level);
	if (got <= 0)
		return got;
	snprintf(number, sizeof number, "member %llu", (unsigned long long)level->index);
	set_member_name(members, level, is.name != NULL ? is.name : number);
	level->declared = is.size;
	if (refuse_member(&is, err) < 0)
		return -1;
	push_level(members, is.modified_ns);
	return 1;
}

/* --- the walk --- */

int
members_open(struct members **out, const char *path, const struct input_limits *limits, struct stk_error *err)
{
	struct members *members = mem_new(1, sizeof *members);
	struct level *level = members->levels;

	*out = members;
	members->path = path;
	members->limits = *limits;
	members->limits.unpack = &unpack_calls;
	if (members->limits.expanded_bytes <= 0)
		members->limits.expanded_bytes = INPUT_EXPANDED_MAX;
	members->left_bytes = members->limits.expanded_bytes;
	add_string(&members->name, path);
	level->members = members;
	level->name_size = members->name.count;
	if (input_open_one(&level->input, path, &members->limits, err) < 0) {
		members_close(members);
		*out = NULL;
		return -1;
	}
	level->modified_ns = input_modified_ns(level->input);
	members->depth = 1;
	return 0;
}

/* The level that was given is finished with. */
static int
take_back(struct members *members, struct member *out, struct stk_error *err)
{
	const struct level *level = last_level(members);
	int64_t expanded = is_charged(level) ? input_expanded_bytes(level->input) : 0;
	int result;

	members->given = false;
	set_level_name(members, level);
	out->name = present_name(members);
	if (expanded > members->left_bytes)
		expanded = members->left_bytes;	/* one byte more shows that the limit was passed */
	result = members->over ? 0 : charge(members, expanded, err);
	pop_level(members);
	return result;
}

/* One step of the walk: 1 a file is on the last level; 0 continue; -1. */
static int
walk(struct members *members, struct stk_error *err)
{
	struct level *level = last_level(members);
	int got;

	if (!level->examined) {
		got = examine(members, err);
		if (got < 0)
			level->damaged = true;
		return got;
	}
	got = level->unpacker != NULL && !members->over ? next_member(members, level, err) : 0;
	if (got == 0)
		pop_level(members);
	return got < 0 ? -1 : 0;
}

int
members_next(struct members *members, struct member *out, struct stk_error *err)
{
	int got = 0;

	*out = (struct member){ .modified_ns = INT64_MIN };
	if (members->given && take_back(members, out, err) < 0)
		return -1;
	while (got == 0 && members->depth > 0)
		got = walk(members, err);
	if (got == 0)
		return 0;
	members->given = got > 0;
	out->name = present_name(members);
	out->input = got > 0 ? last_level(members)->input : NULL;
	out->modified_ns = got > 0 ? last_level(members)->modified_ns : INT64_MIN;
	return got;
}

void
members_close(struct members *members)
{
	if (members == NULL)
		return;
	while (members->depth > 0)
		pop_level(members);
	array_release(&members->name);
	free(members);
}
