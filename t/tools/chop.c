/* SPDX-License-Identifier: MIT
 * chop: copies stdin to stdout in pieces of uneven size around SIZE with a pause after each: `chop SIZE`. So a reader
 * of a pipe gets little at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000, number = 0, got;
	char *piece = malloc(size * 2);

	if (piece == NULL || size == 0)
		return 99;
	while ((got = fread(piece, 1, size / 2 + number++ * 7919 % size + 1, stdin)) > 0) {
		for (size_t at = 0; at < got; ) {
			ssize_t written = write(STDOUT_FILENO, piece + at, got - at);

			if (written < 0)
				return 1;
			at += (size_t)written;
		}
		nanosleep(&(struct timespec){ 0, 200000 }, NULL);
	}
	free(piece);
	return 0;
}
