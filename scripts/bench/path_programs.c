/* SPDX-License-Identifier: MIT
 * path_programs: functions whose paths are counted by scripts/bench/paths: of branchy code (a string matcher, a bit
 * decoder, a hash lookup, the partition of a sort) and of numeric kernels (a random generator, Monte Carlo, LU,
 * relaxation, a Fourier transform, a sparse product). path_programs NAME ROUNDS runs one and prints a sum. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE static __attribute__((noinline))	/* functions stay apart, and keep their names */

static uint32_t seed = 2463534242u;

static uint32_t
chance(void)
{
	seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
	return seed;
}

/* --- branchy code --- */

enum { TEXT = 1 << 16, HASHES = 1 << 12, LONGEST = 258, CHAIN = 64 };
static unsigned char text[TEXT + LONGEST];
static int32_t head[HASHES], previous[TEXT];

/* The longest earlier text that is as here: follows a chain of places with the same hash. */
NOINLINE int
match(int32_t at, int32_t candidate, int32_t *where)
{
	int best = 2, chain = CHAIN;

	while (candidate >= 0 && chain-- > 0) {
		const unsigned char *a = text + at, *b = text + candidate;
		int length;

		if (b[best] != a[best] || b[best - 1] != a[best - 1] || b[0] != a[0] || b[1] != a[1]) {
			candidate = previous[candidate];
			continue;
		}
		length = 2;
		while (length < LONGEST && a[length] == b[length])
			length++;
		if (length > best) {
			best = length;
			*where = candidate;
			if (best >= 64)
				break;
		}
		candidate = previous[candidate];
	}
	return best;
}

static double
run_match(int rounds)
{
	static const char *const words[] = { "path ", "of interest ", "loop ",   "exactly ", "branch ",
					     "the ",  "and ",         "block, ", "count\n" };
	double sum = 0;

	for (size_t i = 0; i < TEXT; ) {
		const char *word = words[chance() % 9];

		while (*word != '\0' && i < TEXT)
			text[i++] = (unsigned char)*word++;
	}
	for (int r = 0; r < rounds; r++) {
		memset(head, -1, sizeof head);
		for (int32_t i = 0; i < TEXT; i++) {
			uint32_t hash = (text[i] * 2654435761u ^ text[i + 1] * 40503u ^ text[i + 2] * 97u) % HASHES;
			int32_t where = -1;

			if (head[hash] >= 0 && i % 4 == 0)
				sum += match(i, head[hash], &where);
			previous[i] = head[hash];
			head[hash] = i;
		}
	}
	return sum;
}

/* Codes of 1 to 7 bits and what they stand for: a byte, a repetition, an end. */
NOINLINE size_t
decode(const unsigned char *in, size_t bits, unsigned char *out, size_t room)
{
	uint32_t hold = 0;
	unsigned held = 0;
	size_t at = 0, done = 0;

	while (at < bits || held >= 12) {
		unsigned code;

		while (held < 24 && at < bits) {
			hold |= (uint32_t)in[at / 8] << held;
			held += 8;
			at += 8;
		}
		if (held < 12)
			break;
		code = hold & 7;
		if (code < 4) {
			hold >>= 2, held -= 2;
			if (done < room)
				out[done++] = (unsigned char)code;
		} else if (code < 6) {
			unsigned byte = hold >> 3 & 31;

			hold >>= 8, held -= 8;
			if (done < room)
				out[done++] = (unsigned char)(byte + 4);
		} else {
			unsigned length = (hold >> 3 & 7) + 2, distance = (hold >> 6 & 31) + 1;

			hold >>= 11, held -= 11;
			if (distance > done)
				distance = done > 0 ? (unsigned)done : 1;
			if (length > room - done)
				length = (unsigned)(room - done);
			while (length-- > 0) {
				out[done] = done >= distance ? out[done - distance] : 0;
				done++;
			}
		}
		if (done >= room)
			break;
	}
	return done;
}

static double
run_decode(int rounds)
{
	static unsigned char in[TEXT], out[TEXT * 2];
	double sum = 0;

	for (size_t i = 0; i < TEXT; i++)
		in[i] = (unsigned char)chance();
	for (int r = 0; r < rounds; r++)
		for (size_t i = 0; i + 256 < TEXT; i += 256)
			sum += (double)decode(in + i, 2048, out, sizeof out);
	return sum;
}

struct entry { uint32_t hash; int32_t next; char key[12]; int value; };
static struct entry entries[4096];
static int32_t buckets[1024];

NOINLINE int
lookup(const char *key, uint32_t hash)
{
	int32_t at = buckets[hash % 1024];

	for (;;) {
		if (at < 0)
			return -1;
		if (entries[at].hash == hash && strcmp(entries[at].key, key) == 0)
			return entries[at].value;
		at = entries[at].next;
	}
}

static double
run_lookup(int rounds)
{
	double sum = 0;

	memset(buckets, -1, sizeof buckets);
	for (int i = 0; i < 4096; i++) {
		struct entry *e = &entries[i];

		snprintf(e->key, sizeof e->key, "k%d", i * 7);
		e->hash = (uint32_t)(i * 2654435761u) >> 7;
		e->value = i;
		e->next = buckets[e->hash % 1024];
		buckets[e->hash % 1024] = i;
	}
	for (int r = 0; r < rounds * 20000; r++) {
		const struct entry *e = &entries[chance() % 4096];

		sum += lookup(e->key, e->hash);
	}
	return sum;
}

NOINLINE int
partition(int *a, int low, int high)
{
	int pivot = a[(low + high) / 2];

	for (;;) {
		while (a[low] < pivot)
			low++;
		while (a[high] > pivot)
			high--;
		if (low >= high)
			return high;
		if (a[low] != a[high]) {
			int other = a[low];

			a[low] = a[high];
			a[high] = other;
		}
		low++;
		high--;
	}
}

static void
sort(int *a, int low, int high)
{
	while (low < high) {
		int middle = partition(a, low, high);

		sort(a, low, middle);
		low = middle + 1;
	}
}

static double
run_partition(int rounds)
{
	static int a[20000];
	double sum = 0;

	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < 20000; i++)
			a[i] = (int)(chance() % 100000);
		sort(a, 0, 19999);
		sum += a[10000];
	}
	return sum;
}

/* --- kernels --- */

static int lagged[17], lag_i = 4, lag_j = 16;

/* A subtractive generator of numbers between 0 and 1. */
NOINLINE double
next_double(void)
{
	int k = lagged[lag_i] - lagged[lag_j];

	if (k < 0)
		k += INT32_MAX;
	lagged[lag_j] = k;
	if (lag_i == 0)
		lag_i = 16;
	else
		lag_i--;
	if (lag_j == 0)
		lag_j = 16;
	else
		lag_j--;
	return k * (1.0 / INT32_MAX);
}

NOINLINE double
monte_carlo(int samples)
{
	int under = 0;

	for (int i = 0; i < samples; i++) {
		double x = next_double(), y = next_double();

		if (x * x + y * y <= 1.0)
			under++;
	}
	return 4.0 * under / samples;
}

static void
begin_lagged(void)
{
	for (int i = 0; i < 17; i++)
		lagged[i] = (int)(chance() >> 1);
}

static double
run_random(int rounds)
{
	double sum = 0;

	begin_lagged();
	for (int i = 0; i < rounds * 100000; i++)
		sum += next_double();
	return sum;
}

static double
run_monte_carlo(int rounds)
{
	double sum = 0;

	begin_lagged();
	for (int i = 0; i < rounds; i++)
		sum += monte_carlo(50000);
	return sum;
}

enum { N = 100 };
static double matrix[N][N], grid[N][N];
static int pivots[N];

NOINLINE int
lu(double a[N][N], int *pivot)
{
	for (int j = 0; j < N; j++) {
		int p = j;
		double t = fabs(a[j][j]);

		for (int i = j + 1; i < N; i++)
			if (fabs(a[i][j]) > t) {
				p = i;
				t = fabs(a[i][j]);
			}
		pivot[j] = p;
		if (a[p][j] == 0)
			return 1;
		if (p != j)
			for (int i = 0; i < N; i++) {
				double other = a[p][i];

				a[p][i] = a[j][i];
				a[j][i] = other;
			}
		for (int i = j + 1; i < N; i++)
			a[i][j] /= a[j][j];
		for (int i = j + 1; i < N; i++)
			for (int k = j + 1; k < N; k++)
				a[i][k] -= a[i][j] * a[j][k];
	}
	return 0;
}

static double
run_lu(int rounds)
{
	double sum = 0;

	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < N; i++)
			for (int k = 0; k < N; k++)
				matrix[i][k] = (double)(chance() % 1000) / 1000;
		sum += lu(matrix, pivots) + matrix[N / 2][N / 2];
	}
	return sum;
}

NOINLINE void
relax(double g[N][N], double omega, int rounds)
{
	for (int r = 0; r < rounds; r++)
		for (int i = 1; i < N - 1; i++)
			for (int k = 1; k < N - 1; k++)
				g[i][k] = omega * 0.25 * (g[i - 1][k] + g[i + 1][k] + g[i][k - 1] + g[i][k + 1]) +
					  (1 - omega) * g[i][k];
}

static double
run_relax(int rounds)
{
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			grid[i][k] = (double)(chance() % 1000) / 1000;
	for (int r = 0; r < rounds; r++)
		relax(grid, 1.25, 3);
	return grid[N / 2][N / 2];
}

enum { POINTS = 1024 };
static double wave[2 * POINTS];

NOINLINE void
bit_reverse(double *data, int n)
{
	int j = 0;

	for (int i = 0; i < n - 1; i++) {
		int k = n >> 1;

		if (i < j) {
			double re = data[2 * i], im = data[2 * i + 1];

			data[2 * i] = data[2 * j], data[2 * i + 1] = data[2 * j + 1];
			data[2 * j] = re, data[2 * j + 1] = im;
		}
		while (k <= j) {
			j -= k;
			k >>= 1;
		}
		j += k;
	}
}

static double
run_fft(int rounds)
{
	for (int i = 0; i < 2 * POINTS; i++)
		wave[i] = (double)(chance() % 1000) / 1000;
	for (int r = 0; r < rounds * 10; r++)
		bit_reverse(wave, POINTS);
	return wave[17];
}

enum { ROWS = 1000, PER_ROW = 5 };
static double values[ROWS * PER_ROW], x[ROWS], y[ROWS];
static int columns[ROWS * PER_ROW];

NOINLINE void
sparse_product(const double *value, const int *column, const double *from, double *to, int rounds)
{
	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < ROWS; i++) {
			double sum = 0;

			for (int k = i * PER_ROW; k < (i + 1) * PER_ROW; k++)
				sum += from[column[k]] * value[k];
			to[i] = sum;
		}
}

static double
run_sparse(int rounds)
{
	for (int i = 0; i < ROWS * PER_ROW; i++) {
		values[i] = (double)(chance() % 1000) / 1000;
		columns[i] = (int)(chance() % ROWS);
	}
	for (int i = 0; i < ROWS; i++)
		x[i] = i;
	for (int r = 0; r < rounds; r++)
		sparse_product(values, columns, x, y, 3);
	return y[ROWS / 2];
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		double (*run)(int rounds);
	} programs[] = { { "match", run_match },
			 { "decode", run_decode },
			 { "lookup", run_lookup },
			 { "partition", run_partition },
			 { "next_double", run_random },
			 { "monte_carlo", run_monte_carlo },
			 { "lu", run_lu },
			 { "relax", run_relax },
			 { "bit_reverse", run_fft },
			 { "sparse_product", run_sparse } };

	for (size_t i = 0; i < sizeof programs / sizeof *programs && argc == 3; i++)
		if (strcmp(argv[1], programs[i].name) == 0) {
			printf("%.6g\n", programs[i].run((int)strtol(argv[2], NULL, 10)));
			return 0;
		}
	fputs("usage: path_programs NAME ROUNDS\n", stderr);
	return 2;
}
