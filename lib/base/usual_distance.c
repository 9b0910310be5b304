/* SPDX-License-Identifier: MIT
 * usual_distance: a histogram of 64 bins an octave; each bin knows the mean of what it has. */
#include "base/usual_distance.h"

#include "base/memory.h"

#include <stdlib.h>

#define BINS 64u

struct distance_octave { uint64_t count[BINS], above[BINS]; };	/* above: sum of what exceeds the bin's lower edge */

static unsigned
octave_of(uint64_t distance)
{
	return 63u - (unsigned)__builtin_clzll(distance);
}

/* The lower edge of a bin; bins of small octaves are whole numbers, and some stay empty. */
static uint64_t
edge_of(unsigned octave, unsigned bin)
{
	uint64_t first = UINT64_C(1) << octave;

	return octave < 6 ? first + (bin * first) / BINS : first + bin * (first / BINS);
}

static unsigned
bin_of(unsigned octave, uint64_t distance)
{
	uint64_t first = UINT64_C(1) << octave;

	return (unsigned)(octave < 6 ? (distance - first) * BINS / first : (distance - first) / (first / BINS));
}

void
usual_distance_add(struct usual_distance *usual, int64_t distance)
{
	unsigned octave, bin;

	if (distance <= 0)
		return;
	octave = octave_of((uint64_t)distance);
	bin = bin_of(octave, (uint64_t)distance);
	if (usual->octaves[octave] == NULL)
		usual->octaves[octave] = mem_new(1, sizeof *usual->octaves[octave]);
	usual->octaves[octave]->count[bin]++;
	usual->octaves[octave]->above[bin] += (uint64_t)distance - edge_of(octave, bin);
	usual->count++;
}

int64_t
usual_distance_of(const struct usual_distance *usual)
{
	uint64_t before = 0, wanted = usual->count / 2 + usual->count % 2;

	for (unsigned octave = 0; octave < 63 && wanted > 0; octave++) {
		const struct distance_octave *at = usual->octaves[octave];

		for (unsigned bin = 0; at != NULL && bin < BINS; bin++) {
			before += at->count[bin];
			if (before >= wanted)
				return (int64_t)(edge_of(octave, bin) + at->above[bin] / at->count[bin]);
		}
	}
	return 0;
}

void
usual_distance_release(struct usual_distance *usual)
{
	for (unsigned octave = 0; octave < 63; octave++)
		free(usual->octaves[octave]);
	*usual = (struct usual_distance){ .count = 0 };
}
