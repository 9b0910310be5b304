/* SPDX-License-Identifier: MIT
 * path_shapes: functions of the shapes that programs have: checks one after another, steps that depend on earlier ones,
 * options, a chain of comparisons, flags that are told one by one, cases within cases; and small kernels with loops.
 * path_shapes NAME CALLS [WEIGHT [BATCHES]] calls one with numbers by chance; where a path of no interest stops a call
 * (stkpath instrument --mode stop), the next call is made. With BATCHES so many batches of CALLS are made, and the
 * processor time of a call of the fastest one is printed, in nanoseconds. scripts/path-experiment counts their paths,
 * and lets each block of them call work(). ONLY names the one function that is compiled. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE static __attribute__((noinline))	/* functions stay apart, and keep their names */

static uint32_t seed = 2463534242u;

static uint32_t
chance(void)
{
	seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
	return seed;
}

static long weight;

/* What a block of a function does besides. */
static __attribute__((noinline, used)) void
work(void)
{
	for (long i = 0; i < weight; i++)
		__asm__ volatile("");
}

static size_t
put(char *to, const char *text)
{
	return (size_t)(stpcpy(to, text) - to);
}

NOINLINE int
check_values(int a, int b, int c)
{
	int wrong = 0;

	if (a - b == c)
		wrong += 1;
	if (a * 2 < a)
		wrong += 2;
	if (b % 7 == 3)
		wrong += 4;
	if (c % 5 == 1)
		wrong += 8;
	if ((a ^ b) & 4)
		wrong += 16;
	if ((b ^ c) & 8)
		wrong += 32;
	if (a > b)
		wrong += 64;
	return wrong;
}

NOINLINE int
run_steps(int a, int b, int c)
{
	int state = 0;

	if (a % 3 == 0) {
		state = 1;
		if (b % 2 == 0)
			state = 2;
	}
	if (state == 0)
		return -1;
	if (c % 4 == 0)
		state += 4;
	else if (c % 4 == 1)
		state += 8;
	if (b % 11 > 5)
		state *= 3;
	if (state > 20 && a % 2)
		state -= 20;
	return state;
}

NOINLINE int
take_option(int a, int b, int c)
{
	int set = 0;

	switch (a % 12) {
	case 0: set = 1; break;
	case 1: set = b % 3 == 0 ? b : 2; break;
	case 2: set = c % 2 ? 4 : 8; break;
	case 3:
		if (b > c)
			return -1;
		set = 3;
		break;
	case 4:
		set = 5;
		/* fall through */
	case 5: set += 6; break;
	default:
		if (b % 5 == 0)
			return 0;
	}
	if (set > 7 || c % 3 == 0)
		set |= 16;
	if (a > b)
		set |= 32;
	else if (a > c)
		set |= 64;
	return set;
}

NOINLINE int
test_ifs(int a, int b, int c)
{
	int n = 0;

	if (a % 2) {
		if (b % 2) {
			if (c % 2)
				n = 1;
			else
				n = 2;
		} else if (c % 3) {
			n = 3;
		}
	} else if (b % 3) {
		if (c % 5)
			n = 4;
		else
			n = 5;
	} else {
		n = 6;
	}
	if (n % 2 == 0 && a > c)
		n += 10;
	if (n > 3) {
		if (a > b)
			n = -n;
		else if (b > c)
			n++;
	}
	return n;
}

NOINLINE int
check_remainders(int a, int b, int c)
{
	int good = 0;

	if (a % 2 == 0 || a % 3 == 0)
		good |= 1;
	if (b % 5 == 0 || (b % 7 == 0 && c % 2))
		good |= 2;
	if (c % 11 == 0)
		good |= 4;
	else if (c % 13 == 0)
		good |= 8;
	if ((a + b) % 17 < 4)
		good |= 16;
	return good;
}

NOINLINE int
tell_actions(int a, int b, int c)
{
	static char text[64];
	size_t size = 0;
	int mask = a & 15, comma = 0;

	(void)b, (void)c;
	if (mask & 1) {
		comma = 1;
		size += put(text + size, "connect");
	}
	if (mask & 2) {
		if (comma)
			size += put(text + size, ",");
		else
			comma = 1;
		size += put(text + size, "listen");
	}
	if (mask & 4) {
		if (comma)
			size += put(text + size, ",");
		else
			comma = 1;
		size += put(text + size, "accept");
	}
	if (mask & 8) {
		if (comma)
			size += put(text + size, ",");
		else
			comma = 1;
		size += put(text + size, "resolve");
	}
	return (int)size + comma;
}

NOINLINE int
guess_type(int a, int b, int c)
{
	int c1 = a & 15, c2 = b & 7, c3 = c & 3;

	if (c1 == 0 && c2 == 1)
		return 1;
	if (c1 == 2 && c2 == 3 && c3 == 0)
		return 2;
	if (c1 == 3) {
		if (c2 == 4 || (c2 == 5 && c3 == 1))
			return 3;
		if (c2 == 6)
			return 4;
	}
	if (c1 == 5 && c2 == 5 && c3 == 3)
		return 5;
	if (c1 == 6 || c1 == 7) {
		if (c2 == 0)
			return 6;
		if (c3 == 2)
			return 7;
	}
	if (c1 == 9 && c3 == 1)
		return 8;
	if (c1 > 12 && c2 > 5)
		return 9;
	return 0;
}

NOINLINE int
tell_modifiers(int a, int b, int c)
{
	int n = 0, mask = (a ^ b << 3 ^ c << 5) & 255;

	if (mask & 1)
		n += 6;
	if (mask & 2)
		n += 5;
	if (mask & 4)
		n += 5;
	if (mask & 8)
		n += 4;
	if (mask & 16)
		n += 9;
	if (mask & 32)
		n += 8;
	if (mask & 64)
		n += 8;
	if (mask & 128)
		n += 8;
	return n;
}

NOINLINE int
align(int a, int b, int c)
{
	int y = 0, kind = a % 6;

	if (b % 4 == 0)
		return -1;
	if (kind == 0) {
		if (c % 2)
			y = b - c;
		else
			y = b + c;
	} else if (kind == 1 || kind == 2) {
		if (b > c) {
			y = b;
			if (kind == 2 && c % 3)
				y -= c;
		}
	} else if (kind == 3) {
		switch (c % 4) {
		case 0: y = 1; break;
		case 1: y = b; break;
		case 2: y = c; break;
		default: y = b % 2 ? 2 : 3;
		}
	} else if (c % 5 == 0) {
		y = kind;
	}
	if (y < 0)
		y = 0;
	if (y > 1000 && a % 2)
		y = 1000;
	return y;
}

/* --- with loops: kernels small enough to be cut short --- */

NOINLINE int
factor(int a, int b, int c)
{
	int m[3][3] = { { a & 7, b & 7, c & 7 },
			{ a >> 3 & 7, b >> 3 & 7, c >> 3 & 7 },
			{ a >> 6 & 7, b >> 6 & 7, c >> 6 & 7 } },
	    swaps = 0;

	for (int j = 0; j < 3; j++) {
		int p = j;

		for (int i = j + 1; i < 3; i++)
			if (abs(m[i][j]) > abs(m[p][j]))
				p = i;
		if (m[p][j] == 0)
			return -1;
		if (p != j) {
			for (int i = 0; i < 3; i++) {
				int other = m[p][i];

				m[p][i] = m[j][i];
				m[j][i] = other;
			}
			swaps++;
		}
		for (int i = j + 1; i < 3; i++)
			for (int k = j + 1; k < 3; k++)
				m[i][k] -= m[i][j] * m[j][k] / m[j][j];
	}
	return swaps;
}

NOINLINE int
throw_darts(int a, int b, int c)
{
	int under = 0;

	for (int i = 0; i < 12; i++) {
		int x = a >> i & 15, y = b >> i & 15;

		if (x * x + y * y <= 225 - (c & 1))
			under++;
	}
	return under;
}

NOINLINE int
relax(int a, int b, int c)
{
	int g[6] = { a & 255, b & 255, c & 255, a >> 8 & 255, b >> 8 & 255, c >> 8 & 255 }, rounds = 0, change;

	do {
		change = 0;
		for (int i = 1; i < 5; i++) {
			int next = (g[i - 1] + g[i + 1]) / 2;

			if (next != g[i])
				change++;
			g[i] = next;
		}
	} while (change > 0 && ++rounds < 20);
	return rounds;
}

NOINLINE int
reverse_bits(int a, int b, int c)
{
	int j = 0, moved = 0;

	for (int i = 0; i < 8 + (b & 7); i++) {
		int k = 8;

		if (i < j)
			moved += a & 1;
		while (k <= j && k > 0) {
			j -= k;
			k >>= 1;
		}
		j += k;
	}
	return moved + (c & 1);
}

NOINLINE int
multiply_sparse(int a, int b, int c)
{
	int sum = 0;

	for (int r = 0; r < 4; r++) {
		int count = a >> (2 * r) & 3;

		for (int k = 0; k < count; k++)
			sum += (b >> k & 7) * (c >> r & 7);
	}
	return sum;
}

NOINLINE int
generate(int a, int b, int c)
{
	int i = a & 15, j = b & 15, k = c & 255, n = 0;

	while (n < 5) {
		k -= 37;
		if (k < 0)
			k += 251;
		if (i == 0)
			i = 16;
		else
			i--;
		if (j == 0)
			j = 16;
		else
			j--;
		if (k % 3 == 0)
			n++;
		n++;
	}
	return k + i + j;
}

static void *next_call[5];

/* The compiler's own jump, of three instructions: what a stop saves is compared, not what a library's longjmp costs. */
static void
stop(void)
{
	__builtin_longjmp(next_call, 1);
}

/* Of the probes' runtime, when the program has them. */
void stkpath_on_stop(void (*what)(void)) __attribute__((weak));

static const struct { const char *name; int (*call)(int a, int b, int c);
} functions[] = {
#define NAMED(name)    #name
#define FUNCTION(name) { NAMED(name), name }
#ifdef ONLY
	FUNCTION(ONLY),
#else
	FUNCTION(check_values), FUNCTION(run_steps),        FUNCTION(take_option),
	FUNCTION(test_ifs),     FUNCTION(check_remainders), FUNCTION(tell_actions),
	FUNCTION(guess_type),   FUNCTION(tell_modifiers),   FUNCTION(align),
	FUNCTION(factor),       FUNCTION(throw_darts),      FUNCTION(relax),
	FUNCTION(reverse_bits), FUNCTION(multiply_sparse),  FUNCTION(generate),
#endif
};

static volatile long calls, sum;
static long batches, each;
static double begin, least;
static int (*volatile call)(int a, int b, int c);

static double
processor_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* False: that was the last one. */
static bool
begin_batch(void)
{
	double now = processor_ns();

	if (begin > 0 && (least == 0 || now - begin < least))
		least = now - begin;
	if (batches-- <= 0)
		return false;
	calls = each;
	begin = processor_ns();
	return true;
}

int
main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions && argc >= 3; i++)
		if (strcmp(argv[1], functions[i].name) == 0)
			call = functions[i].call;
	if (call == NULL) {
		fputs("usage: path_shapes NAME CALLS [WEIGHT [BATCHES]]\n", stderr);
		return 2;
	}
	each = strtol(argv[2], NULL, 10);
	weight = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	batches = argc > 4 ? strtol(argv[4], NULL, 10) : 1;
	if (stkpath_on_stop != NULL)
		stkpath_on_stop(stop);
	(void)__builtin_setjmp(next_call);
	while (calls > 0 || begin_batch()) {
		int a = (int)(chance() >> 8), b = (int)(chance() >> 8), c = (int)(chance() >> 8);

		calls = calls - 1;
		sum = sum + call(a, b, c);
	}
	if (argc > 4)
		printf("%.2f\n", least / (double)each);
	return 0;
}
