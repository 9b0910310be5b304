/* SPDX-License-Identifier: MIT
 * code_cache: a heap is cut into segments of equal size; a byte for each of them says how far back its piece begins. */
#include "walk/code_cache.h"

#include "base/array.h"
#include "base/hash_map.h"
#include "walk/vm_methods.h"	/* vm_unpack */

#include <string.h>

#define HEAPS_MAX  8u
#define PIECES_MAX (1u << 17)		/* kept; beyond that all are read again */
#define PLACES_MAX (1u << 18)		/* that are mapped to their pieces */
#define NOTES_MAX  ((uint64_t)8 << 20)	/* bytes of what a compiler noted about a piece */
#define NOTES_ALL  ((size_t)256 << 20)	/* of all pieces */
#define WINDOW     512u			/* of the map of segments: most pieces begin within it */
#define HOPS_MAX   65536u
#define FREE       0xffu
#define SHIFT_MIN  4u
#define SHIFT_MAX  16u

/* What the compiler noted at a pc; 16 bytes in the VM, too. */
struct note {
	int32_t pc, scope, unused, flags;
};

#define CALLS_HANDLE 2

struct piece {
	struct code code;
	uint64_t stack;			/* in which it was compared */
	struct note *notes;		/* sorted by pc, which is from the beginning of the instructions */
	size_t note_count;
	unsigned char *scopes;
	size_t scope_bytes;
	uint64_t *metadata;		/* methods, among others */
	size_t metadata_count;
};

struct place {
	uint64_t pc, at;
};

struct code_cache {
	const struct vm_layout *layout;
	struct remote_memory *memory;
	struct {
		uint64_t from, to, map;
		unsigned shift;
	} heaps[HEAPS_MAX];
	unsigned heap_count;
	ARRAY(struct piece *) pieces;
	struct hash_map piece_index;
	ARRAY(struct place) places;
	struct hash_map place_index;
	size_t note_bytes;		/* of all pieces */
	uint64_t stack, replaced;
};

static uint64_t
hash_of(uint64_t address)
{
	return address * UINT64_C(0x9e3779b97f4a7c15);
}

void
code_cache_open(struct code_cache **out, const struct vm_layout *layout, struct remote_memory *memory)
{
	struct code_cache *cache = *out = mem_new(1, sizeof *cache);

	cache->layout = layout;
	cache->memory = memory;
}

static void
forget_notes(struct piece *piece)
{
	free(piece->notes);
	free(piece->scopes);
	free(piece->metadata);
	piece->notes = NULL;
	piece->scopes = NULL;
	piece->metadata = NULL;
	piece->note_count = piece->scope_bytes = piece->metadata_count = 0;
}

static void
forget_pieces(struct code_cache *cache)
{
	for (size_t i = 0; i < cache->pieces.count; i++) {
		forget_notes(cache->pieces.at[i]);
		free(cache->pieces.at[i]);
	}
	cache->pieces.count = 0;
	cache->note_bytes = 0;
	hash_map_clear(&cache->piece_index);
}

size_t
code_cache_bytes(const struct code_cache *cache)
{
	return cache->note_bytes + cache->pieces.count * sizeof **cache->pieces.at +
	       cache->pieces.room * sizeof *cache->pieces.at + hash_map_bytes(&cache->piece_index) +
	       cache->places.room * sizeof *cache->places.at + hash_map_bytes(&cache->place_index);
}

void
code_cache_forget(struct code_cache *cache)
{
	forget_pieces(cache);
	array_release(&cache->pieces);
	array_release(&cache->places);
	hash_map_release(&cache->piece_index);
	hash_map_release(&cache->place_index);
}

void
code_cache_close(struct code_cache *cache)
{
	if (cache == NULL)
		return;
	code_cache_forget(cache);
	free(cache);
}

void
code_cache_begin_stack(struct code_cache *cache)
{
	cache->stack++;
	if (cache->pieces.count >= PIECES_MAX || cache->note_bytes >= NOTES_ALL)
		forget_pieces(cache);
	if (cache->places.count >= PLACES_MAX) {
		cache->places.count = 0;
		hash_map_clear(&cache->place_index);
	}
}

uint64_t
code_cache_replaced(const struct code_cache *cache)
{
	return cache->replaced;
}

/* --- heaps --- */

static bool
read_heap(struct code_cache *cache, uint64_t heap)
{
	const struct vm_layout *is = cache->layout;
	uint64_t memory = heap + (unsigned)is->heap_memory, map = heap + (unsigned)is->heap_map;
	uint32_t shift;

	if (cache->heap_count == HEAPS_MAX || heap == 0 ||
	    !remote_read(cache->memory, heap + (unsigned)is->heap_shift, &shift, sizeof shift) || shift < SHIFT_MIN ||
	    shift > SHIFT_MAX)
		return false;
	cache->heaps[cache->heap_count].from = remote_word(cache->memory, memory + (unsigned)is->space_low);
	cache->heaps[cache->heap_count].to = remote_word(cache->memory, memory + (unsigned)is->space_high);
	cache->heaps[cache->heap_count].map = remote_word(cache->memory, map + (unsigned)is->space_low);
	cache->heaps[cache->heap_count++].shift = shift;
	return true;
}

bool
code_cache_refresh(struct code_cache *cache)
{
	const struct vm_layout *is = cache->layout;
	uint64_t list, data;
	uint32_t count = 0;

	cache->heap_count = 0;
	if (is->heaps_at == 0)
		return read_heap(cache, remote_word(cache->memory, is->heap_at));
	list = remote_word(cache->memory, is->heaps_at);
	if (list == 0 || is->array_length < 0 || is->array_data < 0 ||
	    !remote_read(cache->memory, list + (unsigned)is->array_length, &count, sizeof count))
		return false;
	data = remote_word(cache->memory, list + (unsigned)is->array_data);
	for (uint32_t i = 0; i < count && i < HEAPS_MAX; i++)
		if (!read_heap(cache, remote_word(cache->memory, data + 8 * (uint64_t)i)))
			return false;
	return cache->heap_count > 0;
}

/* The number of the heap, or heap_count. */
static unsigned
heap_of(const struct code_cache *cache, uint64_t pc)
{
	unsigned heap = 0;

	while (heap < cache->heap_count && (pc < cache->heaps[heap].from || pc >= cache->heaps[heap].to))
		heap++;
	return heap;
}

bool
code_cache_holds(const struct code_cache *cache, uint64_t pc)
{
	return heap_of(cache, pc) < cache->heap_count;
}

/* The first segment of the piece that a segment belongs to; false: it is free. Windows of the map are read from their
 * end, as a piece begins before the address that is looked for. */
static bool
first_segment(struct code_cache *cache, uint64_t map, uint64_t *segment)
{
	unsigned char window[WINDOW];
	uint64_t from = 1, size = 0;

	for (unsigned hops = 0; hops < HOPS_MAX; hops++) {
		unsigned char back;

		if (*segment < from || *segment >= from + size) {
			from = *segment >= WINDOW ? *segment - (WINDOW - 1) : 0;
			size = *segment - from + 1;
			if (!remote_read(cache->memory, map + from, window, (size_t)size))
				return false;
		}
		back = window[*segment - from];
		if (back == 0)
			return true;
		if (back == FREE || back > *segment)
			return false;
		*segment -= back;
	}
	return false;
}

/* The head of the piece at pc; 0: none. */
static uint64_t
find_head(struct code_cache *cache, uint64_t pc)
{
	unsigned heap = heap_of(cache, pc);
	unsigned char used;
	uint64_t segment, block;

	if (heap == cache->heap_count)
		return 0;
	segment = (pc - cache->heaps[heap].from) >> cache->heaps[heap].shift;
	if (!first_segment(cache, cache->heaps[heap].map, &segment))
		return 0;
	block = cache->heaps[heap].from + (segment << cache->heaps[heap].shift);
	if (!remote_read(cache->memory, block + (unsigned)cache->layout->block_used, &used, 1) || used == 0)
		return 0;
	return block + (unsigned)cache->layout->block_size;
}

/* --- a piece's head --- */

static uint64_t
word_in(const unsigned char *head, int at)
{
	uint64_t word = 0;

	if (at >= 0)
		memcpy(&word, head + at, sizeof word);
	return word;
}

static int32_t
int_in(const unsigned char *head, int at)
{
	int32_t value = 0;

	if (at >= 0)
		memcpy(&value, head + at, sizeof value);
	return value;
}

static int16_t
short_in(const unsigned char *head, int at)
{
	int16_t value = 0;

	if (at >= 0)
		memcpy(&value, head + at, sizeof value);
	return value;
}

static uint64_t
offset_in(const unsigned char *head, int at)
{
	int32_t offset = int_in(head, at);

	return offset > 0 ? (uint64_t)offset : 0;
}

static uint64_t
code_from(const struct vm_layout *is, const unsigned char *head, uint64_t at)
{
	return is->code_is_offset ? at + offset_in(head, is->blob_code) : word_in(head, is->blob_code);
}

static uint64_t
code_to(const struct vm_layout *is, const unsigned char *head, uint64_t at)
{
	return is->code_is_offset ? at + offset_in(head, is->blob_data) : word_in(head, is->blob_code_end);
}

/* Whether the head is still that of the code that is known. */
static bool
is_same(const struct vm_layout *is, const struct code *code, const unsigned char *head)
{
	return code->name_at == word_in(head, is->blob_name) && code->from == code_from(is, head, code->at) &&
	       (code->kind > CODE_WRAPPER || (code->compile_id == int_in(head, is->compile_id) &&
					      code->method == word_in(head, is->compiled_method)));
}

static enum code_kind
kind_of(const char *name, int frame_size)
{
	return strcmp(name, "nmethod") == 0          ? CODE_COMPILED
	       : strcmp(name, "native nmethod") == 0 ? CODE_WRAPPER
	       : strcmp(name, "Interpreter") == 0    ? CODE_INTERPRETER
	       : strncmp(name, "vtable", 6) == 0     ? CODE_TABLE_STUB
	       : frame_size > 0                      ? CODE_FRAMED_STUB
						     : CODE_STUB;
}

/* Memory that is used for something else by now has no name where one was. */
static bool
is_name(const char *name)
{
	const char *at = name;

	while (*at >= ' ' && *at <= '~')
		at++;
	return *at == '\0' && ((*name >= 'A' && *name <= 'Z') || (*name >= 'a' && *name <= 'z') || *name == '_');
}

/* --- what a compiler noted --- */

struct ranges {
	uint64_t notes, notes_end, scopes, scopes_end, metadata, metadata_end;
};

/* From 23 on, what does not change is outside of the piece, and from 25 on, what is patched, too. */
static struct ranges
ranges_in_parts(const struct vm_layout *is, const unsigned char *head, uint64_t at)
{
	uint64_t fixed = word_in(head, is->immutable), patched = word_in(head, is->blob_mutable);
	struct ranges ranges = { .notes = fixed + offset_in(head, is->scopes_pcs),
				 .notes_end = fixed + offset_in(head, is->scopes_data),
				 .scopes = fixed + offset_in(head, is->scopes_data),
				 .scopes_end = fixed + offset_in(head, is->immutable_size) };

	if (is->blob_mutable >= 0) {
		ranges.metadata = patched + offset_in(head, is->blob_relocation);
		ranges.metadata_end = patched + offset_in(head, is->blob_mutable_size);
	} else {
		ranges.metadata = at + offset_in(head, is->blob_data) + (uint16_t)short_in(head, is->metadata);
		ranges.metadata_end = at + offset_in(head, is->blob_size);
	}
	return ranges;
}

static struct ranges
ranges_in_piece(const struct vm_layout *is, const unsigned char *head, uint64_t at)
{
	uint64_t scopes = is->scopes_is_offset ? at + offset_in(head, is->scopes_data) : word_in(head, is->scopes_data);

	return (struct ranges){ .notes = at + offset_in(head, is->scopes_pcs),
				.notes_end = at + offset_in(head, is->dependencies),
				.scopes = scopes,
				.scopes_end = at + offset_in(head, is->scopes_pcs),
				.metadata = at + offset_in(head, is->metadata),
				.metadata_end = scopes };
}

/* The bytes of a range, as elements of a size; NULL and no elements when they cannot be read. */
static void *
read_range(struct code_cache *cache, uint64_t from, uint64_t to, size_t size, size_t *count)
{
	void *bytes;

	*count = 0;
	if (to <= from || to - from > NOTES_MAX || to - from < size)
		return NULL;
	bytes = mem_new((size_t)(to - from), 1);
	if (!remote_read(cache->memory, from, bytes, (size_t)(to - from))) {
		free(bytes);
		return NULL;
	}
	cache->note_bytes += (size_t)(to - from);
	*count = (size_t)(to - from) / size;
	return bytes;
}

static void
read_notes(struct code_cache *cache, struct piece *piece, const unsigned char *head)
{
	const struct vm_layout *is = cache->layout;
	struct ranges ranges = is->immutable >= 0 ? ranges_in_parts(is, head, piece->code.at)
						  : ranges_in_piece(is, head, piece->code.at);

	piece->notes = read_range(cache, ranges.notes, ranges.notes_end, sizeof *piece->notes, &piece->note_count);
	piece->scopes = read_range(cache, ranges.scopes, ranges.scopes_end, 1, &piece->scope_bytes);
	piece->metadata = read_range(cache, ranges.metadata, ranges.metadata_end, sizeof *piece->metadata,
				     &piece->metadata_count);
}

static void
read_compiled(struct code_cache *cache, struct piece *piece, const unsigned char *head)
{
	const struct vm_layout *is = cache->layout;
	struct code *code = &piece->code;

	code->method = word_in(head, is->compiled_method);
	code->compile_id = int_in(head, is->compile_id);
	code->original_pc = int_in(head, is->original_pc);
	code->entry = is->entry_is_offset ? code->from + (uint16_t)short_in(head, is->verified_entry)
					  : word_in(head, is->verified_entry);
	if (is->deopt >= 0)
		code->deopt = is->deopt_is_offset ? code->at + offset_in(head, is->deopt) : word_in(head, is->deopt);
	if (is->deopt_handle >= 0)
		code->deopt_handle = is->deopt_is_offset ? code->at + offset_in(head, is->deopt_handle)
							 : word_in(head, is->deopt_handle);
	/* without a bytecode that it begins at, the other entry is not set to anything of use */
	if (is->entry_bci >= 0 && is->osr_entry >= 0 && int_in(head, is->entry_bci) != -1)
		code->loop_entry = word_in(head, is->osr_entry);
	read_notes(cache, piece, head);
}

static void
read_piece(struct code_cache *cache, struct piece *piece, uint64_t at, const unsigned char *head)
{
	const struct vm_layout *is = cache->layout;
	struct code *code = &piece->code;
	int32_t complete = is->complete_is_short ? short_in(head, is->blob_complete) : int_in(head, is->blob_complete);
	int32_t words = int_in(head, is->blob_frame_size);

	forget_notes(piece);
	*code = (struct code){ .at = at, .name_at = word_in(head, is->blob_name) };
	code->from = code_from(is, head, at);
	code->to = code_to(is, head, at);
	code->complete = complete > 0 ? code->from + (uint64_t)complete : code->from;
	code->frame_size = words > 0 && words < (1 << 20) ? 8 * words : 0;
	if (!remote_text(cache->memory, code->name_at, code->name, sizeof code->name) || !is_name(code->name))
		code->name[0] = '\0';
	code->kind = kind_of(code->name, code->frame_size);
	if (code->kind <= CODE_WRAPPER)
		read_compiled(cache, piece, head);
}

/* --- pieces --- */

static struct piece *
find_piece(const struct code_cache *cache, uint64_t head)
{
	uint32_t at = hash_map_start(&cache->piece_index, hash_of(head)), id;

	while ((id = hash_map_next(&cache->piece_index, hash_of(head), &at)) != 0)
		if (cache->pieces.at[id - 1]->code.at == head)
			return cache->pieces.at[id - 1];
	return NULL;
}

static struct place *
find_place(const struct code_cache *cache, uint64_t pc)
{
	uint32_t at = hash_map_start(&cache->place_index, hash_of(pc)), id;

	while ((id = hash_map_next(&cache->place_index, hash_of(pc), &at)) != 0)
		if (cache->places.at[id - 1].pc == pc)
			return &cache->places.at[id - 1];
	return NULL;
}

static void
note_place(struct code_cache *cache, uint64_t pc, uint64_t head)
{
	struct place *place = find_place(cache, pc);

	if (place == NULL) {
		place = array_push(&cache->places);
		hash_map_put(&cache->place_index, hash_of(pc), (uint32_t)cache->places.count);
	}
	*place = (struct place){ pc, head };
}

/* The piece with this head, as it is now, if pc is in it. */
static struct piece *
piece_with(struct code_cache *cache, uint64_t at, uint64_t pc)
{
	struct piece *piece = at != 0 ? find_piece(cache, at) : NULL;
	unsigned char head[VM_HEAD_MAX];

	if (piece != NULL && piece->stack == cache->stack && pc >= piece->code.from && pc < piece->code.to)
		return piece;
	if (at == 0 || !remote_read(cache->memory, at, head, (size_t)cache->layout->method_size) || pc < at ||
	    pc >= at + offset_in(head, cache->layout->blob_size))
		return NULL;
	if (piece != NULL && !is_same(cache->layout, &piece->code, head)) {
		cache->replaced++;
		read_piece(cache, piece, at, head);
	} else if (piece == NULL) {
		piece = *array_push(&cache->pieces) = mem_new(1, sizeof *piece);
		hash_map_put(&cache->piece_index, hash_of(at), (uint32_t)cache->pieces.count);
		read_piece(cache, piece, at, head);
	}
	piece->stack = cache->stack;
	return piece;
}

const struct code *
code_cache_at(struct code_cache *cache, uint64_t pc)
{
	const struct place *place = find_place(cache, pc);
	uint64_t head = place != NULL ? place->at : 0;
	struct piece *piece = piece_with(cache, head, pc);

	if (piece == NULL) {
		head = find_head(cache, pc);
		piece = piece_with(cache, head, pc);
	}
	if (piece == NULL || piece->code.name[0] == '\0')
		return NULL;
	if (place == NULL || place->at != head)
		note_place(cache, pc, head);
	return &piece->code;
}

bool
code_cache_is_return(struct code_cache *cache, uint64_t pc)
{
	unsigned char before[7];

	if (!code_cache_holds(cache, pc) || !remote_read(cache->memory, pc - sizeof before, before, sizeof before))
		return false;
	if (before[2] == 0xe8)		/* call with an offset of 4 bytes */
		return true;
	for (unsigned at = 0; at <= 5; at++)	/* call through a register or memory: 2 to 7 bytes */
		if (before[at] == 0xff && (before[at + 1] & 0x38) == 0x10)
			return true;
	return false;
}

/* --- scopes --- */

/* The first note at or after a pc. */
static size_t
first_note(const struct piece *piece, int64_t pc)
{
	size_t low = 0, high = piece->note_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (piece->notes[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Follows the senders of a scope outwards: each is written before those that it called. */
static size_t
follow_scopes(const struct code_cache *cache, const struct piece *piece, int64_t from, struct code_scope *scopes,
	      size_t room)
{
	unsigned base = cache->layout->packed_base;
	size_t count = 0;

	while (from > 0 && (size_t)from < piece->scope_bytes && count < room) {
		size_t at = (size_t)from;
		uint32_t sender, method, bytecode;

		if (!vm_unpack(piece->scopes, piece->scope_bytes, &at, base, &sender) ||
		    !vm_unpack(piece->scopes, piece->scope_bytes, &at, base, &method) ||
		    !vm_unpack(piece->scopes, piece->scope_bytes, &at, base, &bytecode))
			break;
		scopes[count].method = method > 0 && method <= piece->metadata_count ? piece->metadata[method - 1] : 0;
		scopes[count++].bytecode = (int64_t)bytecode - 1;
		if (sender >= (uint32_t)from)
			break;
		from = sender;
	}
	return count;
}

/* Whether the compiler inlined something at the notes around a place, and so maybe at the place. */
static bool
may_be_inlined(const struct code_cache *cache, const struct piece *piece, size_t note)
{
	struct code_scope scopes[2];

	for (size_t at = note > 0 ? note - 1 : 0; at <= note && at < piece->note_count; at++)
		if (follow_scopes(cache, piece, piece->notes[at].scope, scopes, 2) > 1)
			return true;
	return false;
}

enum code_scopes_known
code_cache_scopes(struct code_cache *cache, const struct code *code, uint64_t pc, bool is_top,
		  struct code_scope *scopes, size_t room, size_t *count)
{
	const struct piece *piece = find_piece(cache, code->at);
	int64_t offset = (int64_t)(pc - code->from);
	/* a note is of the instruction before its pc: it is about the call that returns there */
	size_t note = first_note(piece, is_top ? offset + 1 : offset);
	bool exact = !is_top && note < piece->note_count && piece->notes[note].pc == offset;

	*count = 0;
	if (note < piece->note_count && (exact || is_top))
		*count = follow_scopes(cache, piece, piece->notes[note].scope, scopes, room);
	if (*count > 0)
		return exact ? SCOPES_EXACT : SCOPES_NEAR;
	scopes[0] = (struct code_scope){ code->method, -1 };
	*count = 1;
	return may_be_inlined(cache, piece, note) ? SCOPES_ROOT : SCOPES_EXACT;
}

bool
code_cache_calls_handle(struct code_cache *cache, const struct code *code, uint64_t pc)
{
	const struct piece *piece = find_piece(cache, code->at);
	int64_t offset = (int64_t)(pc - code->from);
	size_t note = first_note(piece, offset);

	return note < piece->note_count && piece->notes[note].pc == offset &&
	       (piece->notes[note].flags & CALLS_HANDLE) != 0;
}
