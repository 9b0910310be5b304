/* SPDX-License-Identifier: MIT
 * gcno: records of a tag and a length, in the byte order of the machine that compiled. What differs between compilers
 * is the header, the length's unit (words; bytes since gcc 12), and what a function's record says beside its name. */
#include "path/gcno.h"

#include "base/bytes.h"

#include <stdio.h>

enum { TAG_FUNCTION = 0x01000000, TAG_BLOCKS = 0x01410000, TAG_ARCS = 0x01430000, TAG_LINES = 0x01450000 };

#define MAGIC    0x67636e6fu		/* "gcno" */
#define ARC_FAKE 2u			/* a call that might not return: not a way of the program's own */

struct arc { uint32_t from, to; };

struct gcno_reader {
	const char *name;
	const unsigned char *bytes;
	size_t size, at;
	bool swapped, in_bytes, bad;
	uint32_t version;			/* of gcc; clang's is 4 */
	/* of the function at hand */
	struct gcno_function function;
	uint32_t blocks, *lines;
	ARRAY(struct arc) arcs;
	struct stk_error *err;
};

static uint32_t
take_u32(struct gcno_reader *r)
{
	uint32_t value;

	if (r->bad || r->size - r->at < sizeof value) {
		r->bad = true;
		return 0;
	}
	memcpy(&value, r->bytes + r->at, sizeof value);
	r->at += sizeof value;
	return r->swapped ? __builtin_bswap32(value) : value;
}

/* A length, then as many words, or bytes, with zeros at the end. */
static char *
take_string(struct gcno_reader *r)
{
	uint64_t length = take_u32(r), size = r->in_bytes ? length : length * 4;
	char *text;

	if (r->bad || size > r->size - r->at) {
		r->bad = true;
		size = 0;
	}
	text = mem_new((size_t)size + 1, 1);
	memcpy(text, r->bytes + r->at, (size_t)size);
	r->at += (size_t)size;
	return text;
}

static void
skip_string(struct gcno_reader *r)
{
	free(take_string(r));
}

static int
fail(struct gcno_reader *r, const char *what)
{
	return stk_fail(r->err, STK_EUSAGE, "%s: byte %zu: %s", r->name, r->at, what);
}

bool
gcno_is(const void *bytes, size_t size)
{
	return size >= 12 && (memcmp(bytes, "oncg", 4) == 0 || memcmp(bytes, "gcno", 4) == 0);
}

/* "B22*" is 12.2, "408*" is clang. */
static int
take_head(struct gcno_reader *r)
{
	uint32_t version, major;

	r->swapped = take_u32(r) != MAGIC;
	version = take_u32(r);
	major = version >> 24 >= 'A' ? ((version >> 24) - 'A') * 10 + (version >> 16 & 0xff) - '0'
				     : (version >> 24) - '0';
	if (major < 4 || major > 29)
		return fail(r, "an unknown version");
	r->version = major;
	r->in_bytes = major >= 12;
	(void)take_u32(r);				/* stamp */
	if (major >= 12)
		(void)take_u32(r);			/* checksum */
	if (major >= 9)
		skip_string(r);				/* folder */
	if (major >= 8)
		(void)take_u32(r);			/* blocks that are not executed are marked */
	return r->bad ? fail(r, "it is truncated") : 0;
}

/* --- functions --- */

static void
forget_function(struct gcno_reader *r)
{
	free(r->function.name);
	free(r->function.file);
	r->function = (struct gcno_function){ 0 };
	free(r->lines);
	r->lines = NULL;
	r->blocks = 0;
	r->arcs.count = 0;
}

static void
add_block_names(const struct gcno_reader *r, struct flow_graph *g)
{
	for (uint32_t b = 0; b < r->blocks; b++) {
		char name[40];

		if (b == 1)
			snprintf(name, sizeof name, "(exit)");
		else if (r->lines[b] > 0)
			snprintf(name, sizeof name, "b%u@%u", b, r->lines[b]);
		else
			snprintf(name, sizeof name, "b%u", b);
		(void)flow_graph_add_block(g, text_from(name));
	}
}

/* Blocks that are on no way from the entry to the exit are left out. */
static struct flow_graph *
whole_graph(const struct gcno_reader *r)
{
	struct flow_graph *all = flow_graph_new(text_from(r->function.name)),
			  *g = flow_graph_new(text_from(r->function.name));
	bool *from, *to;

	add_block_names(r, all);
	for (size_t i = 0; i < r->arcs.count; i++)
		flow_graph_add_edge(all, r->arcs.at[i].from, r->arcs.at[i].to);
	from = mem_new(r->blocks, sizeof *from);
	to = mem_new(r->blocks, sizeof *to);
	flow_graph_reach(all, 0, true, from);
	flow_graph_reach(all, 1, false, to);
	for (uint32_t b = 0; b < r->blocks; b++)
		if (from[b] && to[b])
			(void)flow_graph_add_block(g, text_from(all->blocks.at[b].name));
	for (size_t i = 0; i < r->arcs.count; i++) {
		uint32_t a = r->arcs.at[i].from, b = r->arcs.at[i].to;

		if (from[a] && to[a] && from[b] && to[b])
			flow_graph_add_edge(g, flow_graph_find(g, text_from(all->blocks.at[a].name)),
					    flow_graph_find(g, text_from(all->blocks.at[b].name)));
	}
	flow_graph_free(all);
	free(from);
	free(to);
	return g;
}

/* The collected function is added; one whose exit is not reached is left out. */
static void
end_function(struct gcno_reader *r, struct gcno *out)
{
	struct stk_error unused = { 0 };
	struct flow_graph *g;
	uint32_t entry, exit, fault;

	if (r->function.name == NULL || r->blocks < 2) {
		forget_function(r);
		return;
	}
	g = whole_graph(r);
	entry = flow_graph_find(g, text_from("b0"));
	exit = flow_graph_find(g, text_from("(exit)"));
	if (entry != NO_BLOCK && exit != NO_BLOCK && flow_graph_seal(g, entry, exit, &fault, &unused) == 0) {
		r->function.graph = g;
		*array_push(&out->functions) = r->function;
		r->function = (struct gcno_function){ 0 };
	} else {
		flow_graph_free(g);
	}
	forget_function(r);
}

static void
take_function(struct gcno_reader *r)
{
	(void)take_u32(r);				/* number */
	(void)take_u32(r);				/* checksums: of its lines, */
	(void)take_u32(r);				/* of its graph */
	r->function.name = take_string(r);
	if (r->version >= 8)
		(void)take_u32(r);			/* made by the compiler */
	r->function.file = take_string(r);
	r->function.line = take_u32(r);
}

static int
take_blocks(struct gcno_reader *r, uint32_t length)
{
	r->blocks = r->version >= 8 ? take_u32(r) : length / 4;		/* before, flags of each */
	if (r->bad || r->blocks > GRAPH_BLOCKS_MOST)
		return fail(r, "more than 100000 blocks");
	free(r->lines);
	r->lines = mem_new(r->blocks + 1, sizeof *r->lines);
	r->arcs.count = 0;
	return 0;
}

static int
take_arcs(struct gcno_reader *r, size_t end)
{
	uint32_t from = take_u32(r);

	while (r->at + 8 <= end && !r->bad) {
		uint32_t to = take_u32(r), flags = take_u32(r);

		if (from >= r->blocks || to >= r->blocks)
			return fail(r, "an edge of a block that does not exist");
		if ((flags & ARC_FAKE) == 0)
			*array_push(&r->arcs) = (struct arc){ from, to };
	}
	return 0;
}

/* A block's lines in the source; the first is kept. Zero begins a file's name; an empty one ends. */
static void
take_lines(struct gcno_reader *r, size_t end)
{
	uint32_t block = take_u32(r);

	while (r->at < end && !r->bad) {
		uint32_t line = take_u32(r);
		char *file;
		bool last;

		if (line != 0) {
			if (block < r->blocks && block > 1 && r->lines[block] == 0)
				r->lines[block] = line;
			continue;
		}
		file = take_string(r);
		last = *file == '\0';
		free(file);
		if (last)
			break;
	}
}

static int
take_record(struct gcno_reader *r, struct gcno *out)
{
	uint32_t tag = take_u32(r), length = take_u32(r);
	uint64_t size = r->in_bytes ? length : (uint64_t)length * 4;
	size_t end;
	int result = 0;

	if (tag == 0)
		return 0;
	if (r->bad || size > r->size - r->at)
		return fail(r, "it is truncated");
	end = r->at + (size_t)size;
	if (tag == TAG_FUNCTION) {
		end_function(r, out);
		take_function(r);
	} else if (tag == TAG_BLOCKS) {
		result = take_blocks(r, (uint32_t)size);
	} else if (tag == TAG_ARCS) {
		result = take_arcs(r, end);
	} else if (tag == TAG_LINES) {
		take_lines(r, end);
	}
	if (result == 0 && (r->bad || r->at > end))
		result = fail(r, "a record is too short for its content");
	r->at = end;
	return result;
}

int
gcno_read(struct gcno *out, const char *name, const void *bytes, size_t size, struct stk_error *err)
{
	struct gcno_reader r = { .name = name, .bytes = bytes, .size = size, .err = err };
	int result;

	*out = (struct gcno){ 0 };
	result = take_head(&r);
	while (result == 0 && r.size - r.at >= 8)
		result = take_record(&r, out);
	if (result == 0)
		end_function(&r, out);
	forget_function(&r);
	array_release(&r.arcs);
	if (result == 0 && out->functions.count == 0)
		result = fail(&r, "it has no functions");
	if (result < 0)
		gcno_release(out);
	return result;
}

void
gcno_release(struct gcno *gcno)
{
	for (size_t i = 0; i < gcno->functions.count; i++) {
		free(gcno->functions.at[i].name);
		free(gcno->functions.at[i].file);
		flow_graph_free(gcno->functions.at[i].graph);
	}
	array_release(&gcno->functions);
}
