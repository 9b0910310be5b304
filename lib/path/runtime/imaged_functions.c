/* SPDX-License-Identifier: MIT
 * imaged_functions: an image is shared with the children of forks until they have made their own, and threads of the
 * parent count on meanwhile. What a child needs as it was is therefore noted before, in memory that it does not share:
 * in the modules' structs, and in a table. */
#include "imaged_functions.h"

#include "counts_image.h"
#include "function_rows.h"
#include "own_counts.h"
#include "runtime_memory.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

/* What the forking thread has of a function. */
struct noted_counts {
	struct own_counts *own, *nested;
	struct counted_ids ids, pieces;
	bool changing;
	uint64_t active;
};

static struct {
	struct noted_counts *at;
	size_t count, room;
} noted;
static size_t unloaded;			/* images of libraries that are gone */

static struct imaged_function *
image_around(struct probed_function *f)
{
	return (struct imaged_function *)(void *)((char *)f - offsetof(struct imaged_function, function));
}

/* Unless it found no room there. */
static void
list_image(struct imaged_function *image)
{
	struct counts_image *head = counts_image_now();

	if (head == NULL || !counts_image_has(image->function.written))
		return;
	image->next = head->functions;
	__atomic_store_n(&head->functions, image, __ATOMIC_RELEASE);
}

/* --- modules --- */

static const void *
imaged(const void *from, size_t size)
{
	return memcpy(counts_image_take(size), from, size);
}

static const char *
imaged_text(const char *text)
{
	return imaged(text, strlen(text) + 1);
}

static bool
is_same(const struct probed_function *a, const struct probed_function *b)
{
	return a->kind == b->kind && a->count_total == b->count_total && a->block_count == b->block_count &&
	       a->edge_count == b->edge_count && a->data_count == b->data_count && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->file, b->file) == 0 && strcmp(a->method, b->method) == 0 &&
	       memcmp(a->edges, b->edges, a->edge_count * 2 * sizeof *a->edges) == 0 &&
	       memcmp(a->data, b->data, a->data_count * sizeof *a->data) == 0;
}

/* A library that is loaded again counts on where it did before. */
static struct imaged_function *
known_image(const struct counts_image *head, const struct probed_function *f)
{
	struct imaged_function *known = head == NULL || unloaded == 0 ? NULL : head->functions;

	while (known != NULL && (known->loaded != NULL || !is_same(&known->function, f)))
		known = known->next;
	return known;
}

static struct imaged_function *
new_image(const struct probed_function *f)
{
	struct imaged_function *new = counts_image_take(sizeof *new);
	struct probed_function *to = &new->function;
	const char *end = f->blocks;

	for (uint64_t b = 0; b < f->block_count; b++)
		end += strlen(end) + 1;
	*to = *f;
	to->name = imaged_text(f->name);
	to->file = imaged_text(f->file);
	to->method = imaged_text(f->method);
	to->blocks = imaged(f->blocks, (size_t)(end - f->blocks));
	to->edges = imaged(f->edges, f->edge_count * 2 * sizeof *f->edges);
	to->data = imaged(f->data, f->data_count * sizeof *f->data);
	to->written = counts_image_take(f->count_total * sizeof *to->written);
	list_image(new);
	return new;
}

struct probed_function *
imaged_function_load(struct probed_function *f)
{
	struct imaged_function *image = known_image(counts_image_now(), f);

	if (image == NULL)
		image = new_image(f);
	else
		unloaded--;
	image->loaded = f;
	f->own = image->function.own;
	f->next = &image->function;
	return f->next;
}

void
imaged_function_unload(struct probed_function *f)
{
	image_around(f)->loaded = NULL;
	unloaded++;
}

void
imaged_function_note(struct probed_function *f)
{
	if (image_around(f)->loaded != NULL)
		image_around(f)->loaded->own = f->own;
}

/* --- forks --- */

static void
note_counts(struct own_counts *own, uint64_t active)
{
	if (noted.count == noted.room) {
		size_t room = noted.room == 0 ? 64 : noted.room * 2;
		struct noted_counts *larger = runtime_pages(room * sizeof *larger);

		if (noted.room > 0) {
			memcpy(larger, noted.at, noted.room * sizeof *larger);
			(void)munmap(noted.at, noted.room * sizeof *larger);
		}
		noted.at = larger;
		noted.room = room;
	}
	noted.at[noted.count++] = (struct noted_counts){ .own = own, .nested = own->nested, .ids = own->ids,
							 .pieces = own->pieces, .changing = own->changing,
							 .active = active };
}

void
imaged_functions_before_fork(const struct probed_function *functions)
{
	noted.count = 0;
	for (const struct probed_function *f = functions; f != NULL; f = f->next)
		for (struct own_counts *own = own_counts_first(f); own != NULL; own = own->next)
			if (own_counts_mine(own) && f->kind != PROBED_STEPS)
				note_counts(own, function_rows_active(f, own));
}

/* Tables of other threads, and libraries that are gone, are nothing to the child. */
void
imaged_functions_forked(struct probed_function *functions, const char *name)
{
	counts_image_forked(name);
	if (counts_image_now() != NULL)
		counts_image_now()->functions = NULL;
	for (struct probed_function *f = functions; f != NULL; f = f->next) {
		if (f->kind == PROBED_STEPS)
			continue;
		f->own = image_around(f)->loaded->own;
		for (struct own_counts *own = own_counts_first(f); own != NULL; own = own->next)
			own->ids = own->pieces = (struct counted_ids){ 0 };
		list_image(image_around(f));
	}
	unloaded = 0;
	for (size_t i = 0; i < noted.count; i++) {
		struct own_counts *own = noted.at[i].own;

		own->nested = noted.at[i].nested;
		own->ids = noted.at[i].ids;
		own->pieces = noted.at[i].pieces;
		own->changing = noted.at[i].changing;
	}
}

void
imaged_functions_adopt(void)
{
	for (size_t i = 0; i < noted.count; i++)
		noted.at[i].own->function->adopted += noted.at[i].active;
}
