/* SPDX-License-Identifier: MIT
 * own_counts: threads, their memory, and when it is free for another. A thread that ends says so when its destructors
 * run, but others of its destructors may count after that: its memory is given away only when the kernel does not know
 * it any more. */
#include "own_counts.h"

#include "counts_image.h"
#include "runtime_memory.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)64 << 10)
#define CACHE_LINE  64u

struct counting_thread {
	struct counting_thread *next;
	pid_t tid;			/* 0: gone */
	bool ending;
	char *free;			/* the rest of its chunk */
	size_t left;
};

/* A library that is loaded again finds the memory of its functions, by size. */
struct spare { struct spare *next; size_t size; };

static struct {
	struct counting_thread *threads;
	struct own_counts *retired;
	struct spare *spares;
	pthread_key_t key;
} all;
static _Thread_local struct counting_thread *mine;

static void
note_end(void *thread)
{
	((struct counting_thread *)thread)->ending = true;
}

void
own_counts_begin(void)
{
	(void)pthread_key_create(&all.key, note_end);
}

void
own_counts_end(void)
{
	(void)pthread_key_delete(all.key);
}

/* --- threads --- */

static bool
is_gone(const struct counting_thread *t)
{
	return t->tid == 0 || (t->ending && syscall(SYS_tgkill, getpid(), t->tid, 0) < 0);
}

static struct counting_thread *
this_thread(void)
{
	struct counting_thread *t = all.threads;

	if (mine != NULL)
		return mine;
	while (t != NULL && !is_gone(t))
		t = t->next;
	if (t == NULL) {
		t = runtime_pages(sizeof *t);
		t->next = all.threads;
		all.threads = t;
	}
	t->tid = (pid_t)syscall(SYS_gettid);
	t->ending = false;
	mine = t;
	(void)pthread_setspecific(all.key, t);
	return t;
}

void
own_counts_forked(void)
{
	for (struct counting_thread *t = all.threads; t != NULL; t = t->next)
		t->tid = t == mine ? (pid_t)syscall(SYS_gettid) : 0;
}

/* --- memory --- */

static size_t
size_of(const struct probed_function *f)
{
	return (sizeof(struct own_counts) + f->count_total * sizeof(uint64_t) + CACHE_LINE - 1) / CACHE_LINE *
	       CACHE_LINE;
}

static void *
take_spare(size_t size)
{
	for (struct spare **at = &all.spares; *at != NULL; at = &(*at)->next)
		if ((*at)->size == size) {
			struct spare *found = *at;

			*at = found->next;
			memset(found, 0, sizeof *found);
			return found;
		}
	return NULL;
}

/* Small ones of a thread share pages. */
static void *
new_memory(struct counting_thread *t, size_t size)
{
	void *at = take_spare(size);

	if (at != NULL)
		return at;
	if (size > CHUNK_BYTES / 4)
		return counts_image_take(size);
	if (size > t->left) {
		t->free = counts_image_take(CHUNK_BYTES);
		t->left = CHUNK_BYTES;
	}
	at = t->free;
	t->free += size;
	t->left -= size;
	return at;
}

void
own_counts_retire(struct probed_function *f)
{
	struct own_counts **end = &f->own;

	while (*end != NULL)
		end = &(*end)->next;
	*end = all.retired;
	all.retired = f->own;
	f->own = NULL;
}

void
own_counts_reuse(void)
{
	struct own_counts *next;

	for (struct own_counts *own = all.retired; own != NULL; own = next) {
		struct spare *spare = (struct spare *)own;
		size_t size = own->size;

		next = own->next;
		counted_ids_release(&own->ids);
		counted_ids_release(&own->pieces);
		memset(own, 0, size);
		spare->size = size;
		spare->next = all.spares;
		all.spares = spare;
	}
	all.retired = NULL;
}

/* --- counts --- */

/* Those that found no room in an image come last: who reads it cannot follow them. */
static void
link_counts(struct probed_function *f, struct own_counts *own)
{
	struct own_counts **at = &f->own;

	while (*at != NULL && counts_image_has(f) && !counts_image_has(own))
		at = &(*at)->next;
	own->next = *at;
	__atomic_store_n(at, own, __ATOMIC_RELEASE);
}

static struct own_counts *
add_counts(struct counting_thread *t, struct probed_function *f)
{
	size_t size = size_of(f);
	struct own_counts *own = new_memory(t, size);

	own->size = size;
	own->thread = t;
	own->function = f;
	link_counts(f, own);
	return own;
}

struct own_counts *
own_counts_get(struct probed_function *f)
{
	struct counting_thread *t = this_thread();

	for (struct own_counts *own = f->own; own != NULL; own = own->next)
		if (own->thread == t)
			return own;
	return add_counts(t, f);
}

struct own_counts *
own_counts_nest(struct own_counts *own)
{
	if (own->nested == NULL)
		own->nested = add_counts(own->thread, own->function);
	return own->nested;
}

struct own_counts *
own_counts_of(uint64_t *counts)
{
	return (struct own_counts *)(void *)((char *)counts - offsetof(struct own_counts, counts));
}

bool
own_counts_mine(const struct own_counts *own)
{
	return own->thread == mine;
}

struct own_counts *
own_counts_first(const struct probed_function *f)
{
	return __atomic_load_n(&f->own, __ATOMIC_ACQUIRE);
}
