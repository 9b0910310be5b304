/* SPDX-License-Identifier: MIT
 * heap_model: what holds a heap: heap = base + leak x time + M0 x all threads + sum of M x threads of a class + sum of
 * r x thread hours of a class, with a base and a leak for each time between restarts, and M0, M, r not below 0. Pure
 * computation. */
#ifndef TREND_HEAP_MODEL_H
#define TREND_HEAP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_HOLDERS_MOST 8
#define HEAP_SLOTS_LEAST 24
#define HEAP_RIVALS_MOST 3

/* Slots of even length, in order of time; some may be missing. odd and even: the mean threads of a class in every
 * second dump of a slot and in the others, a class after another: how they differ is what counting adds. */
struct heap_slots {
	size_t slots, classes;
	const double *hour; /* of the slot's start since 1970 */
	const double *heap; /* the least measure, which is what remains after collections, or the mean */
	const double *weight; /* how much of the slot is known, 0 to 1 */
	const uint32_t *epoch; /* restarts before it */
	const float *odd, *even;
	const double *all; /* threads of all classes, those that are not among them too */
	const double *all_noise; /* the square of half the difference of all between odd and even dumps */
};

struct heap_holder {
	size_t class; /* the number of classes: all threads */
	bool grows; /* per_thread is by thread hour */
	double per_thread, error; /* the standard error */
	double held, latest; /* on the mean, and in the last day */
	size_t rivals[HEAP_RIVALS_MOST], rivals_count; /* classes that would explain the same as well */
};

struct heap_fit {
	bool known; /* HEAP_SLOTS_LEAST slots */
	struct heap_holder holders[HEAP_HOLDERS_MOST]; /* the most bytes first */
	size_t count;
	double load, load_error, load_p; /* M0; and of as much by chance */
	double load_held;
	double leak, base; /* a day, and at the end, since the last restart */
	double mean; /* of the heap */
	double explained; /* of what base and leak leave: r squared */
	double least; /* a class that holds less a thread is not seen; NAN: not known */
	size_t blocks; /* independent times that the limits rest on */
};

/* rest: NULL, or by slot what base and leak make of the heap. */
struct heap_fit heap_model_fit(const struct heap_slots *slots, double *rest);
/* The threads of a class by slot, or their hours since the last restart: what per_thread is multiplied by. */
void heap_model_column(const struct heap_slots *slots, size_t class, bool grows, double *to);

#endif
