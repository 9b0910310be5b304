/* SPDX-License-Identifier: MIT
 * heat_samples: the samples of a block that a heat map counts. */
#ifndef PLOT_HEAT_SAMPLES_H
#define PLOT_HEAT_SAMPLES_H

#include "choose/selection.h"
#include "model/sample_columns.h"

struct heat_samples {
	const struct sample_columns *columns;
	const uint32_t *chosen; /* rows of the block; NULL: all */
	uint32_t count;
	bool alike; /* each counts as 1, whatever its weight */
};

#endif
