/* SPDX-License-Identifier: MIT
 * class_names: what classes are called for people, whose names are hashes. */
#ifndef STKTREE_CLASS_NAMES_H
#define STKTREE_CLASS_NAMES_H

#include "base/text_buffer.h"
#include "timetree/recording.h"

/* Replaces names of classes by their frames, leaf first; with short, by those frames that tell them apart. Other names
 * stay. The texts are in *room, which must be empty and live as long as they are used, or in the recordings. */
void class_names(struct recording *const *recordings, size_t recordings_count, struct stk_text *names, size_t count,
		 bool shortened, struct text_buffer *room);

#endif
