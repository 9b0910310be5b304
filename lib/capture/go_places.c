/* SPDX-License-Identifier: MIT
 * go_places: each instruction has the line of what was inlined innermost there, and the number of that call in the tree
 * of the function's inlined calls; each of those has an instruction which is of its caller. */
#include "capture/go_places.h"

/* Behind a function's address. */
#define AT_FILES   16u
#define AT_LINES   20u
#define AT_COLUMNS 24u			/* how many columns of steps follow the fixed numbers */
#define AT_UNIT    28u

#define INLINED_STEPS 2u		/* the column that has the number of an inlined call */
#define INLINED_TREE  3u		/* which of a function's data the calls are */
#define NONE       UINT32_MAX

#define CHUNK      65536u
#define MODULE_WORDS 48u		/* of the program's description that are looked at */
#define WORD_LEAST 20u			/* the first and last address of functions, */
#define WORD_TEXT  22u			/* where the code begins and ends */
#define WORD_DATA  38u			/* where functions' data are */
#define WORD_DATA_20 40u		/* likewise, since 1.20 */

static bool
is_since_20(const struct go_functions *go)
{
	return go->fixed == 40;
}

/* --- the program's description --- */

static bool
is_module(const struct go_functions *go, const uint64_t words[MODULE_WORDS])
{
	const uint64_t *least = &words[WORD_LEAST], *text = &words[WORD_TEXT];

	return least[0] < least[1] && text[0] <= least[0] && least[1] <= text[1] &&
	       (go->text == 0 || go->text == text[0]);
}

/* Its first word is where the table of functions is. */
static bool
take_module(struct go_functions *go, struct go_memory *memory, uint64_t at)
{
	uint64_t words[MODULE_WORDS];

	if (!memory->read(memory->context, at, words, sizeof words) || !is_module(go, words))
		return false;
	go->text = words[WORD_TEXT];
	memory->data = words[is_since_20(go) ? WORD_DATA_20 : WORD_DATA];
	return true;
}

bool
go_places_seek(struct go_functions *go, struct go_memory *memory, uint64_t from, uint64_t size)
{
	uint64_t words[CHUNK / sizeof(uint64_t)];

	if (go->field != 4 || go->word != 8)
		return false;	/* before 1.18 it is not needed */
	for (uint64_t at = 0; at < size; at += CHUNK) {
		size_t count = (size_t)(size - at < CHUNK ? size - at : CHUNK) / sizeof *words;

		if (!memory->read(memory->context, from + at, words, count * sizeof *words))
			return false;
		for (size_t i = 0; i < count; i++)
			if (words[i] == memory->table && take_module(go, memory, from + at + i * sizeof *words))
				return true;
	}
	return false;
}

/* --- numbers of a function --- */

/* What it is at an address, by a column of steps; -1: nothing. False: the table is damaged. */
static bool
column_at(const struct go_functions *go, const struct go_details *details, uint64_t number, uint64_t offset,
	  int64_t *value)
{
	uint64_t count, steps;

	*value = -1;
	if (!go_functions_number(go, details->at + AT_COLUMNS, 4, &count))
		return false;
	if (number >= count)
		return true;
	return go_functions_number(go, details->at + go->fixed + 4 * number, 4, &steps) &&
	       (steps == 0 || go_functions_step(go, steps, offset, value));
}

/* Where the tree of inlined calls is in memory. */
static bool
find_tree(const struct go_functions *go, const struct go_memory *memory, const struct go_details *details,
	  uint64_t *tree)
{
	uint64_t columns, at;

	if (details->at + go->fixed > go->table.size ||
	    (unsigned char)go->table.data[details->at + go->fixed - 1] <= INLINED_TREE ||
	    !go_functions_number(go, details->at + AT_COLUMNS, 4, &columns))
		return false;
	at = details->at + go->fixed + 4 * columns;
	if (go->field == 4) {
		if (memory->data == 0 || !go_functions_number(go, at + 4 * INLINED_TREE, 4, &at) || at == NONE)
			return false;
		*tree = memory->data + at;
		return true;
	}
	at = (at + go->word - 1) / go->word * go->word + INLINED_TREE * go->word;
	return go->word == 8 && memory->read(memory->context, memory->table + at, tree, sizeof *tree) && *tree != 0;
}

struct inlined_call { struct stk_text function; uint64_t offset; };	/* of an instruction of the caller */

static bool
read_call(const struct go_functions *go, const struct go_memory *memory, uint64_t tree, int64_t number,
	  struct inlined_call *call)
{
	unsigned size = is_since_20(go) ? 16 : 20, at_name = is_since_20(go) ? 4 : 12;
	unsigned char bytes[20];

	if (!memory->read(memory->context, tree + (uint64_t)number * size, bytes, size))
		return false;
	call->offset = load32(bytes + at_name + 4);
	return go_functions_name(go, load32(bytes + at_name), &call->function);
}

/* --- places --- */

static bool
read_file(const struct go_functions *go, const struct go_details *details, uint64_t offset, struct stk_text *file)
{
	uint64_t steps, unit, at;
	int64_t number;

	return go->units < go->table.size && go->files < go->table.size &&
	       go_functions_number(go, details->at + AT_FILES, 4, &steps) &&
	       go_functions_step(go, steps, offset, &number) && number >= 0 &&
	       go_functions_number(go, details->at + AT_UNIT, 4, &unit) && unit != NONE &&
	       go_functions_number(go, go->units + 4 * (unit + (uint64_t)number), 4, &at) && at != NONE &&
	       go_functions_text(go, go->files + at, file);
}

static bool
read_line(const struct go_functions *go, const struct go_details *details, uint64_t offset, struct go_place *place)
{
	uint64_t steps;
	int64_t line;

	if (!go_functions_number(go, details->at + AT_LINES, 4, &steps) ||
	    !go_functions_step(go, steps, offset, &line) || line <= 0 || line > INT32_MAX)
		return false;
	place->line = (uint32_t)line;
	return read_file(go, details, offset, &place->file);
}

/* All but the last name, which is the function's own. How many places; 0: not known. */
static size_t
read_places(const struct go_functions *go, const struct go_memory *memory, const struct go_details *details,
	    uint64_t offset, struct go_place places[GO_PLACES_MAX])
{
	struct inlined_call call;
	uint64_t tree = 0;
	int64_t number;

	for (size_t count = 0; count < GO_PLACES_MAX; count++) {
		if (!read_line(go, details, offset, &places[count]) ||
		    !column_at(go, details, INLINED_STEPS, offset, &number))
			return 0;
		if (number < 0)
			return count + 1;
		if ((tree == 0 && !find_tree(go, memory, details, &tree)) ||
		    !read_call(go, memory, tree, number, &call))
			return 0;
		places[count].function = call.function;
		offset = call.offset;
	}
	return 0;	/* calls in a ring: the table is damaged */
}

size_t
go_places_find(const struct go_functions *go, const struct go_memory *memory, uint64_t address,
	       struct go_place places[GO_PLACES_MAX])
{
	struct go_details details;
	uint64_t at;
	size_t count = 0;
	struct stk_text name;

	if (!go_functions_details(go, address, &details) || !go_functions_number(go, details.at, 4, &at) ||
	    !go_functions_name(go, at, &name))
		return 0;
	if (go->fixed != 0)
		count = read_places(go, memory, &details, address - details.from, places);
	if (count == 0) {
		places[0] = (struct go_place){ 0 };
		count = 1;
	}
	places[count - 1].function = name;
	return count;
}
