/* SPDX-License-Identifier: MIT
 * Names that are made of a time, parts of them, which names a pattern can have made; and which old files stay: the
 * exact edge of --keep. */
#include "../lib/tap.h"

#include "base/time_text.h"
#include "capture/file_pattern.h"
#include "capture/old_files.h"

/* 2025-11-19 10:15:07 UTC, a Wednesday */
#define MOMENT (INT64_C(1763547307) * 1000000000)

static const char *
name_of(const char *pattern, const char *zone_name)
{
	static char name[PATH_MAX];
	struct time_zone *zone = NULL;
	struct stk_error err = { 0 };

	if (zone_name != NULL && time_zone_open(&zone, zone_name, &err) < 0)
		return "(no zone)";
	file_pattern_name(pattern, zone, MOMENT, name);
	time_zone_close(zone);
	return name;
}

static const char *
part_of(const char *name, unsigned part)
{
	static char to[PATH_MAX];

	file_pattern_part(name, part, to);
	return to;
}

static void
test_names(void)
{
	is_text(name_of("a.stk", NULL), "a.stk", "a pattern without conversions is the name");
	is_text(name_of("", NULL), "", "the empty one too");
	is_text(name_of("a-%F-%H.stk", "UTC"), "a-2025-11-19-10.stk", "date and hour");
	is_text(name_of("a-%F-%H.stk", "+14:00"), "a-2025-11-20-00.stk", "in a zone it may be another day");
	is_text(name_of("%s", "+14:00"), "1763547307", "seconds since 1970 are the same in every zone");
	is_text(name_of("100%%", "UTC"), "100%", "%%%% is a sign");
}

static void
test_part_names(void)
{
	is_text(part_of("a.stk", 1), "a.stk", "the first part has no number");
	is_text(part_of("a.stk", 2), "a.2.stk", "the second has, before the ending");
	is_text(part_of("a", 2), "a.2", "or at the end");
	is_text(part_of("d.x/a", 3), "d.x/a.3", "a dot of a folder is no ending");
}

static void
test_made(void)
{
	static const struct { const char *pattern, *name; bool made; } rows[] = {
		{ "x-%H%M%S.stk", "x-000000.stk", true }, { "x-%H%M%S.stk", "x-235959.stk", true },
			{ "x-%H%M%S.stk", "x-240000.stk", false },
		{ "x-%H%M%S.stk", "x-236000.stk", false }, { "x-%H%M%S.stk", "x-130501.2.stk", true },
			{ "x-%H%M%S.stk", "x-130501.1.stk", false },
		{ "x-%H%M%S.stk", "x-130501.02.stk", false }, { "x-%H%M%S.stk", "x-130501.99999.stk", true },
		{ "x-%H%M%S.stk", "x-130501.100000.stk", false }, { "%F", "2024-02-29", true },
			{ "%F", "2023-02-29", false },
		{ "%F", "2025-12-31", true }, { "%F", "2025-12-32", false }, { "%F", "2025-13-01", false },
			{ "%F", "", false },
		{ "a.stk", "a.stk", true }, { "a.stk", "b.stk", false }, { "%G-W%V", "2020-W53", true },
			{ "%G-W%V", "2025-W53", false }
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		ok(file_pattern_made(rows[i].pattern, NULL, rows[i].name) == rows[i].made, "'%s' %s of %s",
		   rows[i].name,
		   rows[i].made ? "is" : "is not", rows[i].pattern);
}

/* --- old files --- */

/* Files of 100 bytes, written a second apart, the latest first; which stay, as letters. */
static const char *
kept(size_t count, int64_t keep, int64_t most_bytes, int64_t present_bytes)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	static char left[8];
	const struct old_files_plan plan = { .pattern = "%F", .keep = keep, .most_bytes = most_bytes };
	struct old_file files[4];
	size_t size = 0;

	for (size_t i = 0; i < count; i++)	/* given the oldest first */
		files[i] = (struct old_file){ .path = names[count - 1 - i], .bytes = 100,
			.changed = { .tv_sec = (time_t)(10 + i) } };
	old_files_choose(files, count, &plan, present_bytes);
	for (size_t i = 0; i < count; i++)
		if (!files[i].removed)
			left[size++] = files[i].path[0];
	left[size] = '\0';
	return left;
}

static void
test_old_files(void)
{
	struct old_file same[2] = { { .path = "a", .changed = { 5, 7 } }, { .path = "b", .changed = { 5, 7 } } };
	struct old_file close[2] = { { .path = "a", .changed = { 5, 7 } }, { .path = "b", .changed = { 5, 8 } } };
	const struct old_files_plan two = { .pattern = "%F", .keep = 2 };

	is_text(kept(0, 1, 0, 50), "", "no old file: nothing to choose");
	is_text(kept(1, 1, 0, 50), "", "--keep 1 keeps the present one alone");
	is_text(kept(1, 2, 0, 50), "a", "--keep 2 keeps one more");
	is_text(kept(3, 3, 0, 50), "ab", "--keep 3 the two latest of three");
	is_text(kept(2, 3, 0, 50), "ab", "... and both of two");
	is_text(kept(4, 0, 0, 50), "abcd", "without a limit all stay");
	is_text(kept(3, 0, 250, 50), "ab", "exactly as many bytes as are allowed stay");
	is_text(kept(3, 0, 249, 50), "a", "one byte more does not");
	is_text(kept(3, 0, 150, 50), "a", "the present file counts");
	is_text(kept(1, 0, 50, 51), "", "and stays even when it alone is too large");
	is_text(kept(4, 3, 250, 50), "ab", "of two limits the tighter one: files");
	is_text(kept(4, 4, 150, 50), "a", "of two limits the tighter one: bytes");
	old_files_choose(same, 2, &two, 0);
	ok(same[0].path[0] == 'b' && !same[0].removed && same[1].removed,
	   "of two that were written at the same moment the last one by name stays");
	old_files_choose(close, 2, &two, 0);
	ok(close[0].path[0] == 'b' && !close[0].removed && close[1].removed, "a nanosecond makes one the later");
}

int
main(void)
{
	test_names();
	test_part_names();
	test_made();
	test_old_files();
	return tap_end();
}
