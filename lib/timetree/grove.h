/* SPDX-License-Identifier: MIT
 * grove: the stacks that were counted with one prefix, and those above them, as arrays by number. A caller's number is
 * below its callees', so that a pass up the numbers meets callers first, and a pass down meets them last. */
#ifndef TIMETREE_GROVE_H
#define TIMETREE_GROVE_H

#include "timetree/recording_parts.h"

#define GROVE_NO_STACK UINT32_MAX	/* in place of a frame: the number is that of no stack, and nobody's caller */

struct grove {
	struct part *part;
	uint32_t prefix;
	ARRAY(uint32_t) callers;	/* by number; the root's is 0, which is no stack: its own caller */
	ARRAY(uint32_t) frames;		/* ids; 0 for the root, and for stacks that are not defined, which are one */
	ARRAY(uint64_t) counts;		/* each its own; the root's are samples without a stack */
};

struct groves { ARRAY(struct grove) all; };

/* Appends what a part counted, samples or weights. Returns the samples of stacks that are not defined. Memory: 16 bytes
 * for each stack of a grove; where there are several prefixes, while they are made 13 more. */
uint64_t groves_add(struct groves *to, struct part *part, bool samples);
void	 grove_release(struct grove *grove);
/* All of them. */
void groves_release(struct groves *groves);

#endif
