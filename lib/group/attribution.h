/* SPDX-License-Identifier: MIT
 * attribution: which group of a scheme a stack belongs to. Each distinct frame is matched once, each distinct stack
 * decided once.
 *
 * Among the groups that any frame belongs to, those of the highest priority win; among these, not the ancestors of
 * another; among the rest, those of the frame nearest the leaf. There may be several, except siblings: then the first
 * in the file wins. Frames of libraries are passed over: none of their groups counts. */
#ifndef GROUP_ATTRIBUTION_H
#define GROUP_ATTRIBUTION_H

#include "group/scheme.h"

struct attribution;

/* The scheme is borrowed. */
void attribution_open(struct attribution **out, const struct scheme *scheme);
void attribution_close(struct attribution *attribution);

struct frame_parts { struct stk_text method, module, file; };

/* The number of a frame, from 1 on; equal for frames of equal parts. */
uint32_t attribution_frame(struct attribution *attribution, const struct frame_parts *parts);
/* The member of OF_LIBRARIES by which a frame is of a library and belongs to no group: true and *member. False: it is
 * of none. Threads without a stack and states are never of one. */
bool attribution_is_library(const struct attribution *attribution, uint32_t frame, uint32_t *member);
/* The number of a frame that matches no pattern and belongs to a group. */
uint32_t attribution_frame_of_group(struct attribution *attribution, uint32_t group);

/* A group that a stack could belong to, by the member that says so. */
struct claim { uint32_t group, member, depth; bool won; };	/* depth: of the frame, 0 nearest the root; member: not
								 * of attribution_frame_of_group */
struct claims { ARRAY(struct claim) list; };

/* All claims on a stack, root first; those that won are marked. frames are numbers of attribution_frame. */
void attribution_claims(struct attribution *attribution, const uint32_t *frames, uint32_t count, struct claims *to);

/* The group that a single frame belongs to by itself (conditions on its neighbours hold or do not): of each frame of a
 * stack, 0 none. */
void attribution_of_frames(struct attribution *attribution, const uint32_t *frames, uint32_t count, uint32_t *groups);

#endif
