/* SPDX-License-Identifier: MIT
 * replay_seeds TARGET FILE...: the fuzz target of this name, without a fuzzer: over each file, its beginnings, and
 * copies with changed bytes, which are the same in each run. A target that finds something aborts; then `last` of the
 * current folder is the input. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGINNINGS 40	/* of each file, at equal distances */
#define CHANGED    60	/* copies of each file */

typedef int target_function(const uint8_t *data, size_t size);

#define TARGET(name) target_function fuzz_##name;
#include "fuzz_targets.h"
#undef TARGET

static const struct { const char *name; target_function *run; } targets[] = {
#define TARGET(name) { #name, fuzz_##name },
#include "fuzz_targets.h"
#undef TARGET
};

struct bytes { uint8_t *at; size_t size; };

static uint32_t
chance(uint32_t *state, size_t below)
{
	*state = *state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(*state >> 8) * below >> 24);
}

static void
keep(struct bytes input)
{
	FILE *last = fopen("last", "wb");

	if (last == NULL || fwrite(input.at, 1, input.size, last) < input.size || fclose(last) != 0) {
		perror("replay_seeds: last");
		exit(3);
	}
}

/* In memory of exactly its size. */
static void
run(target_function *target, struct bytes input)
{
	uint8_t *copy = malloc(input.size > 0 ? input.size : 1);

	keep(input);
	if (input.size > 0)
		memcpy(copy, input.at, input.size);
	(void)target(copy, input.size);
	free(copy);
}

/* A few bytes become others, go, or come from elsewhere in the file. */
static void
change(struct bytes input, uint32_t *state)
{
	for (uint32_t n = 1 + chance(state, 4); n > 0 && input.size > 8; n--) {
		size_t at = chance(state, input.size - 8), from = chance(state, input.size - 8);

		switch (chance(state, 3)) {
		case 0:  input.at[at] = (uint8_t)chance(state, 256); break;
		case 1:  memmove(input.at + at, input.at + at + 1, input.size - at - 1); break;
		default: memmove(input.at + at, input.at + from, 1 + chance(state, 8));
		}
	}
}

static void
replay(target_function *target, struct bytes file)
{
	struct bytes other = { malloc(file.size + 1), file.size };
	uint32_t state = (uint32_t)file.size;

	run(target, file);
	for (size_t n = 0; n < BEGINNINGS; n++)
		run(target, (struct bytes){ file.at, file.size * n / BEGINNINGS });
	for (int n = 0; n < CHANGED; n++) {
		memcpy(other.at, file.at, file.size);
		change(other, &state);
		run(target, other);
	}
	free(other.at);
}

static struct bytes
read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct bytes read = { NULL, 0 };
	long size;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0) {
		perror(path);
		exit(3);
	}
	rewind(file);
	read.at = malloc((size_t)size + 1);
	read.size = fread(read.at, 1, (size_t)size, file);
	fclose(file);
	return read;
}

int
main(int argc, char **argv)
{
	for (size_t t = 0; argc > 2 && t < sizeof targets / sizeof *targets; t++) {
		if (strcmp(targets[t].name, argv[1]) != 0)
			continue;
		for (int a = 2; a < argc; a++) {
			struct bytes file = read_file(argv[a]);

			replay(targets[t].run, file);
			free(file.at);
		}
		return 0;
	}
	fprintf(stderr, "usage: replay_seeds TARGET FILE...\n");
	return 2;
}
