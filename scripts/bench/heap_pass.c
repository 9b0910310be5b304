/* SPDX-License-Identifier: MIT
 * heap_pass: how well the model of a heap finds the classes that hold it, in the hours of generated programs: a table
 * in Markdown, a row a case. Beside scripts/heap-accuracy, which asks stktrend for a few programs made of dumps, it
 * takes seconds for many.
 *
 *	heap_pass [RUNS [SEED]]		(40 from 1001)
 *
 * 66 classes with days and weeks of their own; restarts each week, which are known; a leak, 30 MiB of noise that lasts
 * for hours, and outliers. Odd and even dumps count a class with Poisson noise. */
#include "generate.h"

#include "base/array.h"
#include "trend/heap_model.h"

#include <math.h>

#define CLASSES    66
#define DAY_HOURS  24
#define WEEK_HOURS 168
#define NOISE_MIB  30
#define NOISE_KEPT 0.7		/* of an hour's noise in the next */
#define OWN_KEPT   0.8		/* of how far a class is from its usual, likewise */

/* MiB a thread of two classes and of all threads; MiB a thread and hour of the first of them; a day, of the leak. */
struct program_case { const char *name; int dumps, days; double leak, first, second, load, grows, own; };

static const struct program_case cases[] = {
	{ "8 weeks, 30 dumps an hour", 30, 56, 40, 45, 25, 0, 0, 0.25 },
	{ "8 weeks, 12 dumps an hour", 12, 56, 40, 45, 25, 0, 0, 0.25 },
	{ "2 weeks", 12, 14, 40, 45, 25, 0, 0, 0.25 },
	{ "a week", 12, 7, 40, 45, 25, 0, 0, 0.25 },
	{ "3 days, one holder of 150 MiB", 12, 3, 40, 150, 0, 0, 0, 0.25 },
	{ "a day", 12, 1, 40, 45, 25, 0, 0, 0.25 },
	{ "4 weeks, follows the load", 12, 28, 40, 0, 0, 3, 0, 0.25 },
	{ "4 weeks, the load and one holder", 12, 28, 40, 45, 0, 2, 0, 0.25 },
	{ "4 weeks, no holder", 12, 28, 40, 0, 0, 0, 0, 0.25 },
	{ "8 weeks, grows with one class", 12, 56, 0, 0, 0, 0, 2, 0.4 },
	{ "8 weeks, classes go their own way by 10 %, not 25", 12, 56, 40, 45, 25, 0, 0, 0.1 }
};

struct class_shape { double level, peak, swing, way; };

struct program {
	struct heap_slots slots;
	ARRAY(double) hour, heap, weight, all, noise;
	ARRAY(uint32_t) epoch;
	ARRAY(float) odd, even;		/* by class and hour */
	double day_level, grown, heap_noise;
};

struct score { int wanted, found, wrong, load, held; ARRAY(double) errors; };

static int
poisson(double mean)
{
	double least = exp(-mean), product = random_unit();
	int count = 0;

	if (mean > 30)
		return (int)fmax(0, round(mean + sqrt(mean) * random_normal()));
	for (; product > least; count++)
		product *= random_unit();
	return count;
}

static void
choose_classes(const struct program_case *of, struct class_shape classes[CLASSES])
{
	for (int c = 0; c < CLASSES; c++) {
		classes[c].level = fmin(4, exp(-1 + 1.2 * random_normal()));
		classes[c].peak = 14 + 3 * random_normal();
		classes[c].swing = 0.3 + 0.6 * random_unit();
		classes[c].way = of->own * random_normal();
	}
	classes[1].level = 2;
	classes[2].level = 1;
}

/* The threads of a class in an hour. */
static double
threads_of(struct class_shape *class, const struct program_case *of, int hour, double day_level)
{
	double wave = 1 + class->swing * cos(2 * M_PI * (hour % DAY_HOURS - class->peak) / DAY_HOURS);

	class->way = OWN_KEPT * class->way + 0.6 * of->own * random_normal();
	return class->level * day_level * wave * exp(class->way - of->own * of->own / 2);
}

/* Counts a class in the dumps of an hour. */
static void
count_class(struct program *p, const struct program_case *of, size_t at, double threads)
{
	double sums[2] = { 0, 0 };

	for (int dump = 0; dump < of->dumps; dump++)
		sums[dump % 2] += poisson(threads);
	p->odd.at[at] = (float)(sums[1] / (of->dumps / 2));
	p->even.at[at] = (float)(sums[0] / (of->dumps / 2));
}

static double
heap_of(struct program *p, const struct program_case *of, int hour, const double threads[CLASSES], double all)
{
	double mib = 500 + of->leak * (hour % WEEK_HOURS) / DAY_HOURS;

	p->heap_noise = NOISE_KEPT * p->heap_noise + NOISE_MIB * sqrt(1 - NOISE_KEPT * NOISE_KEPT) * random_normal();
	mib += of->first * threads[1] + of->second * threads[2] + of->load * all + p->heap_noise;
	mib += of->grows * (p->grown + threads[1] / 2);
	p->grown += threads[1];
	if (random_unit() < 0.03)
		mib += -200 + 400 * random_unit();
	return fmax(0, mib);
}

static void
make_hour(struct program *p, const struct program_case *of, struct class_shape classes[CLASSES], int hour)
{
	double threads[CLASSES], all = 0, odd = 0, even = 0;
	size_t hours = p->slots.slots;

	if (hour % DAY_HOURS == 0)
		p->day_level = exp(0.1 * random_normal()) * (hour / DAY_HOURS % 7 >= 5 ? 0.4 : 1);
	if (hour % WEEK_HOURS == 0)
		p->grown = 0;
	for (size_t c = 0; c < CLASSES; c++) {
		threads[c] = threads_of(&classes[c], of, hour, p->day_level);
		count_class(p, of, c * hours + (size_t)hour, threads[c]);
		all += threads[c];
		odd += p->odd.at[c * hours + (size_t)hour];
		even += p->even.at[c * hours + (size_t)hour];
	}
	p->all.at[hour] = (odd + even) / 2;
	p->noise.at[hour] = (odd - even) * (odd - even) / 4;
	p->heap.at[hour] = heap_of(p, of, hour, threads, all);
	p->hour.at[hour] = hour;
	p->weight.at[hour] = 1;
	p->epoch.at[hour] = (uint32_t)(hour / WEEK_HOURS);
}

static void
make_program(struct program *p, const struct program_case *of)
{
	struct class_shape classes[CLASSES];
	size_t hours = (size_t)of->days * DAY_HOURS;

	*p = (struct program){ .slots = { .slots = hours, .classes = CLASSES } };
	array_lengthen(&p->hour, hours);
	array_lengthen(&p->heap, hours);
	array_lengthen(&p->weight, hours);
	array_lengthen(&p->all, hours);
	array_lengthen(&p->noise, hours);
	array_lengthen(&p->epoch, hours);
	array_lengthen(&p->odd, CLASSES * hours);
	array_lengthen(&p->even, CLASSES * hours);
	choose_classes(of, classes);
	for (int hour = 0; hour < (int)hours; hour++)
		make_hour(p, of, classes, hour);
	p->slots.hour = p->hour.at;
	p->slots.heap = p->heap.at;
	p->slots.weight = p->weight.at;
	p->slots.epoch = p->epoch.at;
	p->slots.odd = p->odd.at;
	p->slots.even = p->even.at;
	p->slots.all = p->all.at;
	p->slots.all_noise = p->noise.at;
}

static void
release_program(struct program *p)
{
	array_release(&p->hour);
	array_release(&p->heap);
	array_release(&p->weight);
	array_release(&p->all);
	array_release(&p->noise);
	array_release(&p->epoch);
	array_release(&p->odd);
	array_release(&p->even);
}

/* What a thread of the holder really has; 0: it holds nothing. */
static double
truth_of(const struct program_case *of, const struct heap_holder *holder)
{
	if (holder->class == 1)
		return holder->grows ? of->grows : of->first;
	return holder->class == 2 && !holder->grows ? of->second : 0;
}

static void
score_fit(struct score *score, const struct program_case *of, const struct heap_fit *fit)
{
	score->wanted += (of->first > 0) + (of->second > 0) + (of->grows > 0);
	score->load += fit->load > 0 && fit->load_p < 0.01;
	for (size_t i = 0; i < fit->count; i++) {
		const struct heap_holder *holder = &fit->holders[i];
		double truth = truth_of(of, holder);

		if (holder->class == CLASSES)		/* all threads, which `load` counts */
			continue;
		score->found += truth > 0;
		score->wrong += truth == 0;
		if (truth > 0) {
			*array_push(&score->errors) = fabs(holder->per_thread / truth - 1);
			score->held += fabs(holder->per_thread - truth) <= 1.96 * holder->error;
		}
	}
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
print_score(const struct score *score, const struct program_case *of, int runs)
{
	size_t count = score->errors.count;

	printf("| %s | %d of %d | %d | %d of %d |", of->name, score->found, score->wanted, score->wrong, score->load,
	       of->load > 0 ? runs : 0);
	if (count == 0) {
		printf(" | |\n");
		return;
	}
	qsort(score->errors.at, count, sizeof *score->errors.at, compare_doubles);
	printf(" %.0f %%, %.0f %% | %.2f |\n", 100 * score->errors.at[count / 2],
	       100 * score->errors.at[(count - 1) * 9 / 10], (double)score->held / (double)count);
}

int
main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 40, seed = argc > 2 ? atoi(argv[2]) : 1001;

	if (runs < 1) {
		fprintf(stderr, "usage: heap_pass [RUNS [SEED]]\n");
		return 2;
	}
	printf("| hours of %d generated programs from seed %d | found | false | all threads | error of bytes a thread: "
	       "median, 90 %% within | 95 %% limits hold |\n|---|---|---|---|---|---|\n", runs, seed);
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct score score = { 0 };

		for (int run = 0; run < runs; run++) {
			struct program program;
			struct heap_fit fit;

			chance_state = (uint64_t)(seed + run);
			make_program(&program, &cases[c]);
			fit = heap_model_fit(&program.slots, NULL);
			score_fit(&score, &cases[c], &fit);
			release_program(&program);
		}
		print_score(&score, &cases[c], runs);
		array_release(&score.errors);
		fflush(stdout);
	}
	return 0;
}
