/* SPDX-License-Identifier: MIT
 * damage_image: a file of STKPATH_MAP, cut at each length and with flipped bits, is read as stkpath collect reads it,
 * and what is read is written to a stream. For sanitizers: memory ends where the file does.
 *
 * damage_image FILE EVERY: of lengths and of bits each EVERY-th. Prints how many were tried, and of how many a stream
 * was made. */
#include "base/memory.h"
#include "path/count_image.h"
#include "path/runtime/counts_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned char *
read_whole(const char *name, size_t *size)
{
	FILE *file = fopen(name, "rb");
	unsigned char *bytes = NULL;
	long end;

	if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) > 0) {
		*size = (size_t)end;
		rewind(file);
		bytes = mem_new(*size, 1);
		if (fread(bytes, 1, *size, file) != *size) {
			free(bytes);
			bytes = NULL;
		}
	}
	if (file != NULL)
		(void)fclose(file);
	return bytes;
}

/* Whether a stream was made of it. */
static unsigned
collect(int fd, const unsigned char *bytes, size_t size)
{
	struct image_outcome outcome;
	struct stk_error err = { 0 };

	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		exit(3);
	if (count_image_write(fd, bytes, size, 1, &outcome, &err) == 0)
		return lseek(fd, 0, SEEK_CUR) > 0;
	if (err.code != STK_EDATA) {
		fprintf(stderr, "damage_image: %s\n", err.text);
		exit(1);
	}
	return 0;
}

static unsigned
collect_cut(int fd, const unsigned char *bytes, size_t size)
{
	unsigned char *cut = mem_new(size > 0 ? size : 1, 1);
	unsigned made;

	if (size > 0)
		memcpy(cut, bytes, size);
	made = collect(fd, cut, size);
	free(cut);
	return made;
}

int
main(int argc, char **argv)
{
	size_t size = 0, every = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned char *bytes = argc == 3 ? read_whole(argv[1], &size) : NULL;
	struct counts_image head;
	int fd = memfd_create("damage_image", 0);
	unsigned tried = 0, made = 0;

	if (bytes == NULL || every == 0 || size < sizeof head || fd < 0) {
		fprintf(stderr, "damage_image FILE EVERY\n");
		return 2;
	}
	memcpy(&head, bytes, sizeof head);
	size = head.used < size ? head.used : size;
	if (collect_cut(fd, bytes, size) == 0) {
		fprintf(stderr, "damage_image: nothing in the whole file\n");
		return 1;
	}
	for (size_t length = 0; length < size; length += every, tried++)
		made += collect_cut(fd, bytes, length);
	for (size_t bit = 0; bit < 8 * size; bit += every, tried++) {
		bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
		made += collect(fd, bytes, size);
		bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	printf("%u tried, %u streams\n", tried, made);
	free(bytes);
	(void)close(fd);
	return 0;
}
