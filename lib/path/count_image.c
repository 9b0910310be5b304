/* SPDX-License-Identifier: MIT
 * count_image: each pointer of the image is looked up in it, and whatever is an index is compared with its bound,
 * before the runtime's own functions make rows of it. */
#include "path/count_image.h"

#include "base/arena.h"
#include "base/memory.h"
#include "path/runtime/counted_stream.h"
#include "path/runtime/counts_image.h"
#include "path/runtime/function_rows.h"
#include "path/runtime/own_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct image_reader {
	const unsigned char *bytes;
	size_t size;
	uint64_t base;
	bool lost;			/* what points elsewhere is what the program found no room for */
	struct arena copies;		/* of the counts of the function at hand */
};

/* Items that a pointer of the image points to, or NULL. */
static const void *
items_at(const struct image_reader *r, const void *pointer, uint64_t count, size_t size)
{
	uint64_t offset = (uintptr_t)pointer - r->base;

	if (offset >= r->size || offset % (size < 8 ? size : 8) != 0 || count > (r->size - offset) / size)
		return NULL;
	return r->bytes + offset;
}

/* As many texts, each with a NUL. */
static const char *
texts_at(const struct image_reader *r, const char *pointer, uint64_t count)
{
	const char *first = items_at(r, pointer, 1, 1), *end = (const char *)r->bytes + r->size, *at = first;

	for (uint64_t i = 0; i < count && at != NULL; i++) {
		const char *nul = memchr(at, '\0', (size_t)(end - at));

		at = nul == NULL || nul + 1 == end ? NULL : nul + 1;
	}
	return at == NULL ? NULL : first;
}

/* --- what probes know of a function --- */

static bool
all_below(const uint32_t *values, uint64_t count, uint64_t bound)
{
	for (uint64_t i = 0; i < count; i++)
		if (values[i] >= bound)
			return false;
	return true;
}

/* Where each of so many lists begins, and at last where the last one ends: not beyond the total. */
static bool
are_begins(const uint32_t *begins, uint64_t count, uint64_t total)
{
	for (uint64_t i = 0; i < count; i++)
		if (begins[i] > begins[i + 1])
			return false;
	return begins[count] <= total;
}

static bool
listed_are_good(const struct probed_function *f)
{
	uint64_t at = 0;

	for (uint64_t i = PROBED_MARKS; i < f->count_total; i++) {
		uint64_t length = at < f->data_count ? f->data[at] : UINT32_MAX;

		if (length >= f->data_count - at || !all_below(f->data + at + 1, length, f->block_count))
			return false;
		at += length + 1;
	}
	return true;
}

static bool
sums_are_good(const struct probed_function *f)
{
	uint64_t nodes = f->data_count > 1 ? f->data[0] : 0, edges;
	const uint32_t *first = f->data + 1, *edge = first + nodes + 1;

	if (nodes < f->block_count || f->data_count < nodes + 2)
		return false;
	edges = (f->data_count - nodes - 2) / 3;
	for (uint64_t e = 0; e < edges; e++)
		if (edge[3 * e] >= nodes)
			return false;
	return are_begins(first, nodes, edges);
}

static bool
digits_are_good(const struct probed_function *f)
{
	uint64_t ways = f->data_count - f->block_count - 1;

	return f->data_count > f->block_count && are_begins(f->data, f->block_count, ways) &&
	       all_below(f->data + f->block_count + 1, ways, f->block_count);
}

/* States come after the one before them. */
static bool
sub_paths_are_good(const struct probed_function *f)
{
	uint64_t states = f->data_count > 1 ? f->data[0] : 0, paths = f->data_count > 1 ? f->data[1] : 0,
		 places = f->count_total - PROBED_MARKS;
	const uint32_t *from = f->data + 2, *block = from + states, *next = block + 3 * states + paths + 2 * places;

	if (states == 0 || f->data_count != 2 + 4 * states + paths + 3 * places ||
	    !all_below(block, states, f->block_count) ||
	    !all_below(block + states, 2 * states + paths + places, states) ||
	    !all_below(next - places, places, f->block_count))
		return false;
	for (uint64_t s = 1; s < states; s++)
		if (from[s] >= s)
			return false;
	for (uint64_t i = 0; i < places; i++)
		if (next[i] >= places && next[i] != PROBED_NO_PLACE)
			return false;
	return true;
}

static bool
data_are_good(const struct probed_function *f)
{
	switch (f->kind) {
	case PROBED_LISTED:    return listed_are_good(f);
	case PROBED_SUMS:      return sums_are_good(f);
	case PROBED_DIGITS:    return digits_are_good(f);
	case PROBED_SUB_PATHS: return sub_paths_are_good(f);
	default:	       return false;
	}
}

/* --- what was counted --- */

static bool
copy_ids(struct image_reader *r, struct counted_ids *to, const struct counted_ids *from, uint64_t total)
{
	const struct counted_id *entries = __atomic_load_n(&from->entries, __ATOMIC_ACQUIRE);
	const uint64_t *written;
	uint64_t room;

	if (r->lost && from->in_image != NULL) {
		entries = from->in_image;
		total = from->in_image_count;
	}
	*to = (struct counted_ids){ .count = total, .written_room = total };
	if (total == 0)
		return true;
	room = from->written_room < total ? from->written_room : total;
	entries = items_at(r, entries, total, sizeof *entries);
	written = room > 0 ? items_at(r, from->written, room, sizeof *written) : NULL;
	if (entries == NULL || (room > 0 && written == NULL))
		return false;
	to->entries = arena_alloc(&r->copies, total * sizeof *entries);
	memcpy(to->entries, entries, total * sizeof *entries);
	to->written = arena_alloc(&r->copies, total * sizeof *written);
	memset(to->written, 0, total * sizeof *written);
	if (room > 0)
		memcpy(to->written, written, room * sizeof *written);
	return true;
}

/* Each piece continues one before it, and each id a piece that there is. */
static bool
ids_are_good(const struct own_counts *own)
{
	for (uint64_t i = 0; i < own->pieces.count; i++)
		if (own->pieces.entries[i].a > i)
			return false;
	for (uint64_t i = 0; i < own->ids.count; i++)
		if (own->ids.entries[i].b > own->pieces.count)
			return false;
	return true;
}

/* First how many ids there are, then how many pieces: a thread that still counts adds a piece before its ids. */
static struct own_counts *
copy_own(struct image_reader *r, const struct own_counts *from, uint64_t counts)
{
	struct own_counts *to = arena_alloc(&r->copies, sizeof *to + counts * sizeof *to->counts);
	uint64_t ids = counted_ids_total(&from->ids), pieces = counted_ids_total(&from->pieces);

	*to = (struct own_counts){ .next = NULL };
	if (counts > 0)
		memcpy(to->counts, from->counts, counts * sizeof *to->counts);
	return copy_ids(r, &to->ids, &from->ids, ids) && copy_ids(r, &to->pieces, &from->pieces, pieces) &&
			       ids_are_good(to)
		       ? to : NULL;
}

/* Of all threads. */
static bool
copy_counts(struct image_reader *r, struct probed_function *f, const struct own_counts *first)
{
	struct own_counts **end = &f->own;
	uint64_t left = r->size / sizeof *first;

	*end = NULL;
	while (first != NULL && left-- > 0) {
		const struct own_counts *from = items_at(r, first, 1, sizeof *from);

		if (from == NULL && r->lost)
			return true;
		if (from == NULL || items_at(r, first->counts, f->count_total, sizeof *from->counts) == NULL)
			return false;
		*end = copy_own(r, from, f->count_total);
		if (*end == NULL)
			return false;
		end = &(*end)->next;
		first = from->next;
	}
	return first == NULL;
}

static bool
copy_written(struct image_reader *r, struct probed_function *f)
{
	const uint64_t *from = items_at(r, f->written, f->count_total, sizeof *from);

	if (from == NULL)
		return false;
	f->written = arena_alloc(&r->copies, f->count_total * sizeof *from);
	memcpy(f->written, from, f->count_total * sizeof *from);
	return true;
}

/* --- functions --- */

/* The function of an image, with everything where it is here. */
static bool
read_function(struct image_reader *r, struct probed_function *f, const struct imaged_function *image)
{
	const struct own_counts *first = __atomic_load_n(&image->function.own, __ATOMIC_ACQUIRE);

	*f = image->function;
	f->next = NULL;
	f->names = NULL;
	f->name = texts_at(r, f->name, 1);
	f->file = texts_at(r, f->file, 1);
	f->method = texts_at(r, f->method, 1);
	f->blocks = texts_at(r, f->blocks, f->block_count);
	f->edges = items_at(r, f->edges, f->edge_count, 2 * sizeof *f->edges);
	f->data = items_at(r, f->data, f->data_count, sizeof *f->data);
	return f->name != NULL && f->file != NULL && f->method != NULL && f->blocks != NULL && f->edges != NULL &&
	       f->data != NULL && f->entry < f->block_count && f->exit < f->block_count &&
	       f->count_total >= PROBED_MARKS && all_below(f->edges, 2 * f->edge_count, f->block_count) &&
	       copy_written(r, f) && data_are_good(f) && copy_counts(r, f, first);
}

typedef void take_function(void *context, struct probed_function *function);

/* Gives each to a function, in the order in which the program registered them last. */
static void
each_function(struct image_reader *r, const struct counts_image *head, take_function *take, void *context,
	      struct image_outcome *out)
{
	const struct imaged_function *next = head->functions;

	*out = (struct image_outcome){ .lost = head->lost != 0 };
	for (uint64_t left = r->size / sizeof *next; next != NULL; left--) {
		const struct imaged_function *image = left > 0 ? items_at(r, next, 1, sizeof *image) : NULL;
		struct probed_function f;

		if (image == NULL || !read_function(r, &f, image)) {
			out->damaged++;
		} else {
			take(context, &f);
			out->functions++;
			if (f.names != NULL)
				(void)munmap((void *)f.names, f.block_count * sizeof *f.names);
		}
		arena_reset(&r->copies);
		next = image != NULL ? image->next : NULL;
	}
}

static void
note_change(void *some, struct probed_function *f)
{
	*(bool *)some |= function_rows_changed(f);
}

static void
put_function(void *rows, struct probed_function *f)
{
	function_rows_put(rows, f);
}

static void
put_left_out(struct image_reader *r, struct plain_stream *stream, const char *pointer)
{
	struct plain_block notes = { 0 };
	const char *text = texts_at(r, pointer, 1);

	for (; text != NULL && *text != '\0'; text = texts_at(r, pointer, 1)) {
		counted_stream_left_out(stream, &notes, text);
		pointer += strlen(text) + 1;
	}
	plain_flush(stream, &notes);
	plain_release(&notes);
}

/* --- the stream --- */

static int
begin_reading(struct image_reader *r, struct counts_image *head, const void *bytes, size_t size, struct stk_error *err)
{
	memset(head, 0, sizeof *head);
	memcpy(head, bytes, size < sizeof *head ? size : sizeof *head);
	if (memcmp(head->magic, COUNTS_IMAGE_MAGIC, sizeof head->magic) != 0)
		return stk_fail(err, STK_EDATA, "not counts of STKPATH_MAP, or of another version of stkpath");
	if (size < sizeof *head || head->used > size)
		return stk_fail(err, STK_EDATA, "truncated");
	head->program[sizeof head->program - 1] = head->host[sizeof head->host - 1] = '\0';
	*r = (struct image_reader){ .bytes = bytes, .size = size, .base = head->base, .lost = head->lost != 0 };
	return 0;
}

static int
write_stream(struct image_reader *r, const struct counts_image *head, int fd, uint64_t time, struct image_outcome *out,
	     struct stk_error *err)
{
	const struct counted_program program = { head->program, head->host, head->pid };
	struct function_rows rows = { .now = 0 };

	counted_stream_begin(&rows.stream, fd, &program);
	if (!head->is_child)
		put_left_out(r, &rows.stream, head->left_out);
	function_rows_begin(&rows, time);
	each_function(r, head, put_function, &rows, out);
	function_rows_end(&rows);
	plain_stream_end(&rows.stream);
	errno = rows.stream.error;
	return rows.stream.failed ? stk_fail_errno(err, "temporary file") : 0;
}

int
count_image_write(int fd, const void *bytes, size_t size, uint64_t time, struct image_outcome *out,
		  struct stk_error *err)
{
	struct image_reader r;
	struct counts_image head;
	bool some = false;
	int result = 0;

	*out = (struct image_outcome){ 0 };
	if (begin_reading(&r, &head, bytes, size, err) < 0)
		return -1;
	each_function(&r, &head, note_change, &some, out);
	if (some || (!head.is_child && out->functions > 0))
		result = write_stream(&r, &head, fd, time, out, err);
	arena_release(&r.copies);
	return result;
}
