/* SPDX-License-Identifier: MIT
 * zone_files: what a zone file and the rule at its end may hold: on each bound it is read, one past it is refused; and
 * the second at which clocks change. */
#include "../lib/tap.h"

#include "base/time_zone.c"	/* the parsers take bytes and texts, and are static */

/* --- rules --- */

static void
test_rules(void)
{
	static const char *const good[] = {
		"CET-1", "<+0330>-3:30", "<-03>3", "EST5EDT,M3.2.0,M11.1.0", "AAA5:59:59", "AAA26", "AAA-26", "AAA+5",
		"AAA5BBB4:30,M3.2.0/-167,M11.1.0/167:59:59", "AAA5BBB26,0,365/24", "AAA5BBB,J1,J365",
		"AAA5BBB,M1.1.0,M12.5.6",
	};
	static const char *const bad[] = {
		"", "CE-1", "<>", "<+03-3:30", "AAA", "AAA-", "AAAx", "AAA26:00:01", "AAA-26:00:01", "AAA168", "AAA5:60", "AAA5:",
		"AAA5:00:60", "AAA5,", "AAA5 ", "AAA5BBB", "AAA5BB,M3.2.0,M11.1.0", "AAA5BBB,M3.2.0", "AAA5BBB,M3.2.0,",
		"AAA5BBB,M3.2.0,M11.1.0x", "AAA5BBB,M3.2.0,M11.1.0,", "AAA5BBB M3.2.0,M11.1.0", "AAA5BBB,M3.2.0 M11.1.0",
		"AAA5BBB,M0.2.0,M11.1.0", "AAA5BBB,M13.2.0,M11.1.0", "AAA5BBB,M3.0.0,M11.1.0", "AAA5BBB,M3.6.0,M11.1.0",
		"AAA5BBB,M3.2.7,M11.1.0", "AAA5BBB,M3.2,M11.1.0", "AAA5BBB,M3,M11.1.0", "AAA5BBB,J0,J365", "AAA5BBB,J1,J366",
		"AAA5BBB,0,366", "AAA5BBB,0,", "AAA5BBB,M3.2.0/168,M11.1.0", "AAA5BBB,M3.2.0/,M11.1.0",
		"AAA5BBB26:00:01,M3.2.0,M11.1.0", "AAA5BBB-26:00:01,M3.2.0,M11.1.0",
	};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct footer footer = { 0 };

		ok(footer_parse(&footer, good[i]), "'%s' is a rule", good[i]);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct footer footer = { 0 };

		ok(!footer_parse(&footer, bad[i]), "'%s' is not", bad[i]);
	}
}

static int64_t
seconds_of(int year, int month, int day, int hour)
{
	return time_days(year, month, day) * DAY + hour * 3600;
}

/* The clock changes at this second of UTC, and at no other of the year in its half. */
static void
is_change(const char *rule, int64_t at, int before, int after)
{
	struct footer footer = { 0 };

	ok(footer_parse(&footer, rule) && footer_offset(&footer, at - 1) == before &&
		   footer_offset(&footer, at) == after,
	   "%s: from %d to %d at %lld: %d, %d", rule, before, after, (long long)at, footer_offset(&footer, at - 1),
	   footer_offset(&footer, at));
}

static void
test_changes(void)
{
	static const char berlin[] = "CET-1CEST,M3.5.0,M10.5.0/3", sydney[] = "AEST-10AEDT,M10.1.0,M4.1.0/3";

	is_change(berlin, seconds_of(2026, 3, 29, 1), 3600, 7200);
	is_change(berlin, seconds_of(2026, 10, 25, 1), 7200, 3600);
	is_change(berlin, seconds_of(2027, 10, 31, 1), 7200, 3600);
	is_change(sydney, seconds_of(2026, 4, 5, 0) - 8 * 3600, 39600, 36000);
	is_change(sydney, seconds_of(2026, 10, 4, 0) - 8 * 3600, 36000, 39600);
	/* the last Sunday of a December */
	is_change("AAA0BBB,M6.1.0/0,M12.5.0/1", seconds_of(2026, 12, 27, 0), 3600, 0);
	/* the 60th day is 1 March in each year, or 29 February in a leap year when it is counted */
	is_change("AAA0BBB,J60/0,J300", seconds_of(2024, 3, 1, 0), 0, 3600);
	is_change("AAA0BBB,J60/0,J300", seconds_of(2026, 3, 1, 0), 0, 3600);
	is_change("AAA0BBB,J59/0,J300", seconds_of(2024, 2, 28, 0), 0, 3600);
	is_change("AAA0BBB,59/0,300", seconds_of(2024, 2, 29, 0), 0, 3600);
	is_change("AAA0BBB,59/0,300", seconds_of(2026, 3, 1, 0), 0, 3600);
}

/* --- files --- */

struct zone_file { unsigned char at[1 << 18]; size_t size; };

static void
put(struct zone_file *file, const void *bytes, size_t size)
{
	memcpy(file->at + file->size, bytes, size);
	file->size += size;
}

static void
put_number(struct zone_file *file, uint32_t number)
{
	number = __builtin_bswap32(number);
	put(file, &number, 4);
}

/* The header and, but for transitions and types, a body of zeros. */
struct counts { uint32_t utc_flags, standard_flags, leaps, transitions, types, names; };

static void
put_header(struct zone_file *file, char version, struct counts counts)
{
	put(file, "TZif", 4);
	put(file, &version, 1);
	put(file, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 15);
	put_number(file, counts.utc_flags);
	put_number(file, counts.standard_flags);
	put_number(file, counts.leaps);
	put_number(file, counts.transitions);
	put_number(file, counts.types);
	put_number(file, counts.names);
}

static void
put_zeros(struct zone_file *file, size_t size)
{
	memset(file->at + file->size, 0, size);
	file->size += size;
}

static void
put_type(struct zone_file *file, int offset)
{
	put_number(file, (uint32_t)offset);
	put(file, "\0", 2);
}

static bool
is_parsed(const struct zone_file *file, struct time_zone *zone)
{
	unsigned char *copy = mem_new(file->size + 1, 1);	/* what is read past the end is seen by sanitizers */
	struct cursor c = { copy, copy + file->size };
	bool good;

	memcpy(copy, file->at, file->size);
	memset(zone, 0, sizeof *zone);
	good = tzif_parse(zone, &c);
	free(copy);
	return good;
}

static bool
is_taken(const struct zone_file *file)
{
	struct time_zone zone;
	bool good = is_parsed(file, &zone);

	arena_release(&zone.arena);
	return good;
}

static bool
counts_are_taken(struct counts counts)
{
	static struct zone_file file;

	file.size = 0;
	put_header(&file, '\0', counts);
	put_zeros(&file, counts.types * 6 + counts.names + counts.standard_flags + counts.utc_flags);
	return is_taken(&file);
}

static void
test_counts(void)
{
	ok(counts_are_taken((struct counts){ .types = 1 }), "one type is a zone");
	ok(!counts_are_taken((struct counts){ .types = 0 }), "none is not");
	ok(counts_are_taken((struct counts){ .types = 256 }) && !counts_are_taken((struct counts){ .types = 257 }),
	   "types are at most 256");
	ok(counts_are_taken((struct counts){ .types = 1, .standard_flags = 256 }) &&
		   !counts_are_taken((struct counts){ .types = 1, .standard_flags = 257 }),
	   "flags of standard time are at most 256");
	ok(counts_are_taken((struct counts){ .types = 1, .utc_flags = 256 }) &&
		   !counts_are_taken((struct counts){ .types = 1, .utc_flags = 257 }),
	   "flags of UTC are at most 256");
	ok(counts_are_taken((struct counts){ .types = 1, .names = 1 << 16 }) &&
		   !counts_are_taken((struct counts){ .types = 1, .names = (1 << 16) + 1 }),
	   "names take 65,536 bytes at most");
	ok(!counts_are_taken((struct counts){ .types = 1, .leaps = 1 }), "leap seconds are refused");
}

/* A zone of two types with two transitions. */
static bool
transitions_are_taken(int first, int second, int32_t at1, int32_t at2, const char *index)
{
	static struct zone_file file;

	file.size = 0;
	put_header(&file, '\0', (struct counts){ .transitions = 2, .types = 2 });
	put_number(&file, (uint32_t)at1);
	put_number(&file, (uint32_t)at2);
	put(&file, index, 2);
	put_type(&file, first);
	put_type(&file, second);
	return is_taken(&file);
}

static void
test_transitions(void)
{
	ok(transitions_are_taken(0, 3600, -5, 1000, "\1\0"), "two transitions");
	ok(!transitions_are_taken(0, 3600, 1000, 1000, "\1\0") && !transitions_are_taken(0, 3600, 1000, 999, "\1\0"),
	   "they rise");
	ok(!transitions_are_taken(0, 3600, 1, 2, "\1\2") && !transitions_are_taken(0, 3600, 1, 2, "\2\1"),
	   "their types exist");
	ok(transitions_are_taken(OFFSET_MAX, -OFFSET_MAX, 1, 2, "\0\1"), "26 hours either way");
	ok(!transitions_are_taken(OFFSET_MAX + 1, 0, 1, 2, "\1\1") && !transitions_are_taken(-OFFSET_MAX - 1, 0, 1, 2, "\1\1"),
	   "no more at the beginning");
	ok(!transitions_are_taken(0, OFFSET_MAX + 1, 1, 2, "\0\1") && !transitions_are_taken(0, -OFFSET_MAX - 1, 1, 2, "\0\1"),
	   "nor later");
}

/* A file of version 2, whose first part is another zone than its second. */
static void
make_second(struct zone_file *file, const char *rest)
{
	static const unsigned char at[8] = { 0, 0, 0, 1 };	/* 2^32 */

	file->size = 0;
	put_header(file, '2', (struct counts){ .transitions = 1, .types = 1, .standard_flags = 1 });
	put_number(file, 7);
	put(file, "\0", 1);
	put_type(file, -3600);
	put(file, "\0", 1);
	put_header(file, '2', (struct counts){ .transitions = 1, .types = 2, .names = 4 });
	put(file, at, 8);
	put(file, "\1", 1);
	put_type(file, 1800);
	put_type(file, 3600);
	put(file, "AAA", 4);
	put(file, rest, strlen(rest));
}

static void
test_second_part(void)
{
	static struct zone_file file;
	const int64_t at = INT64_C(1) << 32;
	struct time_zone zone;
	char text[210];
	unsigned taken = 0;
	size_t whole;

	make_second(&file, "\nCET-1CEST,M3.5.0,M10.5.0/3\n");
	ok(is_parsed(&file, &zone) && zone.count == 1 && zone.at[0] == at, "of version 2 the second part counts");
	is_i64(time_zone_offset(&zone, at - 1), 1800, "until its first transition the first type holds");
	is_i64(time_zone_offset(&zone, at), 3600, "from it on the rule");
	is_i64(time_zone_offset(&zone, seconds_of(2150, 7, 1, 0)), 7200, "... in summer too");
	arena_release(&zone.arena);
	whole = file.size;
	for (file.size = 0; file.size < whole; file.size++)
		taken += is_taken(&file);
	is_u64(taken, 0, "none of its %zu prefixes is taken for a zone", whole);
	make_second(&file, "\n\n");
	ok(is_parsed(&file, &zone) && time_zone_offset(&zone, at - 1) == 1800 && time_zone_offset(&zone, at) == 3600 &&
		   time_zone_offset(&zone, INT64_MAX / 2) == 3600,
	   "the rule may be empty: the last transition holds on");
	arena_release(&zone.arena);
	make_second(&file, "xCET-1\n");
	ok(!is_taken(&file), "the rule begins a line");
	make_second(&file, "\nCET\n");
	ok(!is_taken(&file), "and is one");
	for (size_t size = FOOTER_MAX - 1; size <= FOOTER_MAX; size++) {
		memset(text, 'A', sizeof text);
		text[0] = '\n';
		memcpy(text + size - 1, "-1\n", 4);
		make_second(&file, text);
		ok(is_taken(&file) == (size < FOOTER_MAX), "a rule of %zu bytes", size);
	}
}

int
main(void)
{
	test_rules();
	test_changes();
	test_counts();
	test_transitions();
	test_second_part();
	return tap_end();
}
