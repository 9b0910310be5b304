/* SPDX-License-Identifier: MIT
 * class_paths: which segments the stacks of each class go through. Each thread is in one class, so that what is said of
 * a segment can be added up from the classes that go through it: forecasts of a call tree fit together. */
#ifndef TREND_CLASS_PATHS_H
#define TREND_CLASS_PATHS_H

#include "trend/series_set.h"

/* A class goes through a segment, after those before; both by number, and of the same part. Known ones are added
 * once. */
void class_paths_add(struct series_set *set, uint32_t class, uint32_t segment);
/* A class goes through these in this order, each before its halves; other segments that are known of it are last. */
void class_paths_begin(struct series_set *set, uint32_t class, const uint32_t *segments, size_t count);
/* Segments that were split, by number: classes that go through one also go through its halves; 0: it has none. */
struct segment_halves { uint32_t first, second; };
void class_paths_split(struct series_set *set, const struct segment_halves *halves, size_t count);
/* Of several that hold a series the least key is its parent, whatever the order in which they came. */
void class_paths_offer(struct series *series, uint64_t parent);
/* The parent of each series as it was at a moment, by number less 1; those of the present where paths do not tell. What
 * came after the moment does not matter, so that a run over all and one that ended soon after it say the same. */
void class_paths_parents_at(const struct series_set *set, int64_t time_ns, uint64_t *parents);
/* What all paths tell of the call tree: each segment is in the one before it, a class in the last but one. Nothing
 * where some classes or segments are not followed. */
void class_paths_set_parents(struct series_set *set);
/* After all of these, and before class_paths_of. */
void class_paths_index(struct series_set *set);
/* The numbers of the classes that go through a segment. NULL: they are not known, or not of all classes. */
const uint32_t *class_paths_of(const struct series_set *set, uint32_t segment, size_t *count);

#endif
