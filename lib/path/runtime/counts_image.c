/* SPDX-License-Identifier: MIT
 * counts_image: an address range is reserved once, and the file is mapped into it piece by piece, so that its bytes
 * have their places in it. Memory is taken without a lock, also in a signal handler: who finds too little mapped maps
 * more, and two who do so map the same. */
#include "counts_image.h"

#include "runtime_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESERVED_MOST  ((size_t)1 << 34)
#define RESERVED_LEAST ((size_t)1 << 24)
#define STEP_BYTES     ((size_t)1 << 18)
#define NAMES_MOST     100000
#define ALIGNED        64u

static struct {
	struct counts_image *head;	/* NULL: memory is that of the process alone */
	char *base;			/* of the reserved range; NULL */
	size_t reserved, mapped;
	char name[4300];
	dev_t device;			/* the file: nobody may have replaced it */
	ino_t inode;
} image;

struct counts_image *
counts_image_now(void)
{
	return image.head;
}

static size_t
rounded_up(size_t size, size_t to)
{
	return (size + to - 1) / to * to;
}

/* --- the file --- */

static int
make_file(const char *name)
{
	struct stat made;
	int fd = -1;

	for (int n = 1; fd < 0 && n < NAMES_MOST; n++) {
		if (n == 1)
			(void)snprintf(image.name, sizeof image.name, "%s", name);
		else
			(void)snprintf(image.name, sizeof image.name, "%s.%d", name, n);
		fd = open(image.name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	if (fd >= 0 && fstat(fd, &made) == 0) {
		image.device = made.st_dev;
		image.inode = made.st_ino;
	}
	return fd;
}

/* A program may close descriptors that it did not open: none is kept. */
static int
open_again(void)
{
	int fd = open(image.name, O_RDWR | O_CLOEXEC);
	struct stat now;

	if (fd >= 0 && fstat(fd, &now) == 0 && now.st_dev == image.device && now.st_ino == image.inode)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

/* Room on the disk is taken at once: without, the program would get a SIGBUS where it counts. */
static bool
map_part(int fd, char *base, size_t from, size_t to)
{
	return fallocate(fd, 0, (off_t)from, (off_t)(to - from)) == 0 &&
	       mmap(base + from, to - from, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)from) !=
		       MAP_FAILED;
}

static void *
reserve(void)
{
	void *at = MAP_FAILED;

	for (size_t size = RESERVED_MOST; at == MAP_FAILED && size >= RESERVED_LEAST; size /= 2) {
		at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		image.reserved = size;
	}
	return at;
}

struct counts_image *
counts_image_open(const char *name)
{
	int fd = make_file(name), error;
	void *at;

	if (fd < 0)
		return NULL;
	at = reserve();
	if (at != MAP_FAILED && map_part(fd, at, 0, STEP_BYTES)) {
		image.head = at;
		image.base = at;
		image.mapped = STEP_BYTES;
		memcpy(image.head->magic, COUNTS_IMAGE_MAGIC, sizeof image.head->magic);
		image.head->base = (uintptr_t)at;
		image.head->used = rounded_up(sizeof *image.head, ALIGNED);
		(void)close(fd);
		return image.head;
	}
	error = errno;
	if (at != MAP_FAILED)
		(void)munmap(at, image.reserved);
	(void)unlink(image.name);
	(void)close(fd);
	errno = error;
	return NULL;
}

/* --- memory --- */

static bool
map_to(size_t end)
{
	size_t had = __atomic_load_n(&image.mapped, __ATOMIC_ACQUIRE), to = rounded_up(end, STEP_BYTES);
	int fd;
	bool done;

	if (end <= had)
		return true;
	fd = to <= image.reserved ? open_again() : -1;
	done = fd >= 0 && map_part(fd, image.base, had, to);
	if (fd >= 0)
		(void)close(fd);
	while (done && had < to && !__atomic_compare_exchange_n(&image.mapped, &had, to, false, __ATOMIC_RELEASE,
								__ATOMIC_ACQUIRE))
		;
	return done;
}

static void
note_lost(struct counts_image *head)
{
	if (__atomic_exchange_n(&head->lost, 1, __ATOMIC_RELAXED) == 0)
		runtime_lost(image.name, "STKPATH_MAP: no more room");
}

void *
counts_image_take(size_t size)
{
	struct counts_image *head = image.head;
	size_t room = rounded_up(size, ALIGNED), from;

	if (head == NULL || head->lost)
		return runtime_pages(size);
	from = __atomic_load_n(&head->used, __ATOMIC_RELAXED);
	do {
		if (!map_to(from + room)) {
			note_lost(head);
			return runtime_pages(size);
		}
	} while (!__atomic_compare_exchange_n(&head->used, &from, from + room, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return (char *)head + from;
}

bool
counts_image_has(const void *at)
{
	const char *byte = at;

	return image.base != NULL && byte >= image.base && byte < image.base + image.reserved;
}

void
counts_image_give_back(void *at, size_t size)
{
	if (!counts_image_has(at))
		(void)munmap(at, size);
}

/* --- forks --- */

static bool
copy_to(int fd, const char *from, size_t size)
{
	for (size_t done = 0; done < size; ) {
		ssize_t wrote = pwrite(fd, from + done, size - done, (off_t)done);

		if (wrote < 0 && errno != EINTR)
			return false;
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	return true;
}

/* The parent's file is no place for the child's counts. */
static void
leave_file(void)
{
	char *copy = runtime_pages(image.mapped);

	memcpy(copy, image.base, image.mapped);
	if (mremap(copy, image.mapped, image.mapped, MREMAP_MAYMOVE | MREMAP_FIXED, image.base) == MAP_FAILED)
		_exit(3);
	image.head = NULL;
}

void
counts_image_forked(const char *name)
{
	struct counts_image *head = image.head;
	uint64_t used;
	int fd;

	if (head == NULL)
		return;
	/* what other threads of the parent take from now on is not copied: there is room for others */
	used = __atomic_load_n(&head->used, __ATOMIC_RELAXED);
	used = used < image.mapped ? used : image.mapped;
	fd = make_file(name);
	if (fd < 0 || !copy_to(fd, image.base, used) || !map_part(fd, image.base, 0, image.mapped)) {
		char what[4400];

		(void)snprintf(what, sizeof what, "STKPATH_MAP: %s: %s: counts are written at the end only", image.name,
			       strerror(errno));
		runtime_complain(what);
		if (fd >= 0)
			(void)unlink(image.name);
		leave_file();
	} else {
		head->used = used;
		head->pid = (uint64_t)getpid();
		head->is_child = 1;
	}
	if (fd >= 0)
		(void)close(fd);
}
