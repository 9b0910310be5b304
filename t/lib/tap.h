/* SPDX-License-Identifier: MIT
 * tap.h: what a C unit test needs, in one header. main() makes its checks and returns tap_end(), which prints the plan.
 *
 *	ok(a < b, "a is smaller by %d", b - a);		the text is the fact; it may be formatted
 *	is_u64(got, wanted, "fact"); is_i64, is_text (NUL-terminated), is_bytes
 *	skip("why", "fact");  skip_all("why") before the first check
 *	scratch();					a new directory, removed by tap_end with all that is in it */
#ifndef T_LIB_TAP_H
#define T_LIB_TAP_H

#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sanitized.h"

static int tap_count, tap_failed;
static char tap_directory[300];

#define ok(condition, ...)          tap_ok((condition), #condition, __FILE__, __LINE__, __VA_ARGS__)
#define is_u64(got, wanted, ...)    tap_is_u64((got), (wanted), #got, __FILE__, __LINE__, __VA_ARGS__)
#define is_i64(got, wanted, ...)    tap_is_i64((got), (wanted), #got, __FILE__, __LINE__, __VA_ARGS__)
#define is_text(got, wanted, ...)   tap_is_text((got), (wanted), #got, __FILE__, __LINE__, __VA_ARGS__)
#define is_bytes(got, got_size, wanted, wanted_size, ...) \
	tap_is_bytes((got), (got_size), (wanted), (wanted_size), #got, __FILE__, __LINE__, __VA_ARGS__)

#define TAP_INLINE static inline __attribute__((unused))

/* FAILURES names a file, for scripts/check, to which what failed is added. */
TAP_INLINE void
tap_note_failure(const char *file, int line)
{
	const char *path = getenv("FAILURES");
	FILE *to = path != NULL && *path != '\0' ? fopen(path, "a") : NULL;

	if (to == NULL)
		return;
	fprintf(to, "%s:%d: not ok %d\n", file, line, tap_count);
	fclose(to);
}

TAP_INLINE __attribute__((format(printf, 4, 0))) bool
tap_result(bool good, const char *file, int line, const char *format, va_list args)
{
	printf("%sok %d - ", good ? "" : "not ", ++tap_count);
	vprintf(format, args);
	printf("\n");
	if (!good) {
		fflush(stdout);
		tap_failed++;
		fprintf(stderr, "# %s:%d\n", file, line);
		tap_note_failure(file, line);
	}
	return good;
}

#define TAP_RESULT(good) do { \
	va_list args_; \
	va_start(args_, format); \
	tap_result(good, file, line, format, args_); \
	va_end(args_); \
} while (0)

TAP_INLINE __attribute__((format(printf, 5, 6))) bool
tap_ok(bool good, const char *condition, const char *file, int line, const char *format, ...)
{
	TAP_RESULT(good);
	if (!good)
		fprintf(stderr, "# expected %s\n", condition);
	return good;
}

TAP_INLINE __attribute__((format(printf, 6, 7))) bool
tap_is_u64(uint64_t got, uint64_t wanted, const char *what, const char *file, int line, const char *format, ...)
{
	TAP_RESULT(got == wanted);
	if (got != wanted)
		fprintf(stderr, "# %s is %" PRIu64 ", expected %" PRIu64 "\n", what, got, wanted);
	return got == wanted;
}

TAP_INLINE __attribute__((format(printf, 6, 7))) bool
tap_is_i64(int64_t got, int64_t wanted, const char *what, const char *file, int line, const char *format, ...)
{
	TAP_RESULT(got == wanted);
	if (got != wanted)
		fprintf(stderr, "# %s is %" PRId64 ", expected %" PRId64 "\n", what, got, wanted);
	return got == wanted;
}

TAP_INLINE __attribute__((format(printf, 6, 7))) bool
tap_is_text(const char *got, const char *wanted, const char *what, const char *file, int line, const char *format, ...)
{
	bool good = got != NULL && strcmp(got, wanted) == 0;

	TAP_RESULT(good);
	if (!good)
		fprintf(stderr, "# %s is '%s', expected '%s'\n", what, got != NULL ? got : "(NULL)", wanted);
	return good;
}

TAP_INLINE __attribute__((format(printf, 8, 9))) bool
tap_is_bytes(const void *got, size_t got_size, const void *wanted, size_t wanted_size, const char *what,
	     const char *file, int line, const char *format, ...)
{
	size_t i = 0;

	while (i < got_size && i < wanted_size && ((const char *)got)[i] == ((const char *)wanted)[i])
		i++;
	TAP_RESULT(i == got_size && i == wanted_size);
	if (i != got_size || i != wanted_size)
		fprintf(stderr, "# %s: %zu bytes, expected %zu; equal up to byte %zu\n", what, got_size, wanted_size,
			i);
	return i == got_size && i == wanted_size;
}

TAP_INLINE void
skip(const char *why, const char *fact)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_count, fact, why);
}

TAP_INLINE __attribute__((noreturn)) void
skip_all(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	exit(0);
}

/* Goes into a new directory and returns its name. */
TAP_INLINE const char *
scratch(void)
{
	const char *under = getenv("TMPDIR");

	snprintf(tap_directory, sizeof tap_directory, "%s/stk.XXXXXX",
		 under != NULL && *under != '\0' ? under : "/tmp");
	if (mkdtemp(tap_directory) == NULL || chdir(tap_directory) < 0) {
		printf("Bail out! cannot make %s\n", tap_directory);
		exit(99);
	}
	return tap_directory;
}

TAP_INLINE int
tap_remove(const char *path, const struct stat *is, int type, struct FTW *where)
{
	(void)is, (void)type, (void)where;
	return remove(path);
}

TAP_INLINE int
tap_end(void)
{
	printf("1..%d\n", tap_count);
	if (tap_directory[0] != '\0' &&
	    (chdir("/") < 0 || nftw(tap_directory, tap_remove, 20, FTW_DEPTH | FTW_PHYS) < 0))
		fprintf(stderr, "# cannot remove %s\n", tap_directory);
	return fflush(stdout) != 0 || tap_failed != 0;
}

#endif
