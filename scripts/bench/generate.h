/* SPDX-License-Identifier: MIT
 * What the generators of bench inputs share: chance, curves, output, options.
 * The same seed gives the same bytes on every machine: no libm (its last bits differ), no hash of the run, no clock,
 * one random number a statement. Compile with -ffp-contract=off: a fused multiply-add rounds otherwise. */
#ifndef BENCH_GENERATE_H
#define BENCH_GENERATE_H

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t chance_state;

/* splitmix64 */
static inline uint64_t
mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static inline uint64_t
random64(void)
{
	return mix64(chance_state += UINT64_C(0x9e3779b97f4a7c15));
}

/* 0 .. n-1 */
static inline uint32_t
random_below(uint32_t n)
{
	return (uint32_t)(((random64() >> 32) * n) >> 32);
}

/* 0 <= u < 1 */
static inline double
random_unit(void)
{
	return (double)(random64() >> 11) * 0x1p-53;
}

/* Mean 1, by von Neumann's comparison of uniforms: exact, and without a logarithm. */
static inline double
random_exponential(void)
{
	for (double whole = 0;; whole++) {
		double first = random_unit(), low = first;

		for (;;) {
			double next = random_unit();

			if (next >= low)
				return whole + first;
			low = random_unit();
			if (low >= next)
				break;
		}
	}
}

/* Mean 0, variance 1: the sum of twelve uniforms, good to three sigma. */
static inline double
random_normal(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += random_unit();
	return sum;
}

/* e^x to some parts in a thousand for |x| < 3, falling to 0 below: enough for load curves and periods. */
static inline double
exp_about(double x)
{
	double y = x > -512 ? 1 + x / 1024 : 0;

	for (int i = 0; i < 10; i++)
		y *= y;
	return y;
}

/* A bump of height 1 at `middle`. */
static inline double
bump(double x, double middle, double width)
{
	double d = (x - middle) / width;

	return exp_about(-d * d);
}

/* One wave a unit of x, -1 to 1, made of parabolas; x >= 0. */
static inline double
wave(double x)
{
	double u = x - (double)(int64_t)x;

	return u < .5 ? 16 * u * (.5 - u) : -16 * (u - .5) * (1 - u);
}

static inline void
die(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	exit(3);
}

static inline void *
get_memory(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);

	if (!p)
		die("out of memory");
	return p;
}

static inline char *
copy_text(const char *text, size_t length)
{
	char *p = get_memory(length + 1);

	memcpy(p, text, length);
	return p;
}

/* The whole of a file, ended by a NUL. */
static inline char *
read_whole(const char *name, size_t *length)
{
	FILE  *f = fopen(name, "rb");
	char  *text = NULL;
	size_t size = 0, room = 0, got;

	if (!f)
		die("%s: %s", name, strerror(errno));
	do {
		if (room - size < 2 && !(text = realloc(text, room = room * 2 + 65536)))
			die("out of memory");
		got = fread(text + size, 1, room - size - 1, f);
		size += got;
	} while (got);
	if (ferror(f))
		die("%s: %s", name, strerror(errno));
	fclose(f);
	text[size] = 0;
	*length = size;
	return text;
}

/* NULL when name is NULL; `-` is stdout. */
static inline FILE *
open_output(const char *name)
{
	FILE *f = !name ? NULL : strcmp(name, "-") == 0 ? stdout : fopen(name, "wb");

	if (name && !f)
		die("%s: %s", name, strerror(errno));
	if (f)
		setvbuf(f, NULL, _IOFBF, 1 << 20);
	return f;
}

static inline void
close_output(FILE *f, const char *name)
{
	if (f && (fflush(f) || ferror(f) || fclose(f)))
		die("%s: %s", name, strerror(errno));
}

/* Takes `--name VALUE` off the arguments: the value, or `otherwise`. What is left at the end is a mistake: see
 * end_options(). */
static inline const char *
option(int *argc, char **argv, const char *name, const char *otherwise)
{
	for (int i = 1; i + 1 < *argc; i++)
		if (strcmp(argv[i], name) == 0) {
			otherwise = argv[i + 1];
			memmove(argv + i, argv + i + 2, (size_t)(*argc - i - 1) * sizeof *argv);
			*argc -= 2;
			break;
		}
	return otherwise;
}

static inline void
end_options(int argc, char **argv, const char *usage)
{
	if (argc == 1)
		return;
	fprintf(stderr, "unknown argument %s\nusage: %s\n", argv[1], usage);
	exit(2);
}

#endif
