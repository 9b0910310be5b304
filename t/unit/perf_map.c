/* SPDX-License-Identifier: MIT
 * perf_map: a VM's map of compiled code: names as thread dumps have them, regions to their last byte, lines that are
 * none. */
#include "../lib/tap.h"

#include "capture/perf_map.h"

#include <string.h>

static const char text[] =
	"0x00007f3b6cec7660 0x00000000000003d8 void Duty.spin(long)\n"
	"00007f3b6c940b80 17de0 Interpreter\n"
	"0x7f3b6cec71c0 0x270 java.lang.Object jdk.internal.misc.Unsafe.getReferenceVolatile(java.lang.Object, long)\n"
	"0x7f0000000000 0x10 StubRoutines (1)\n"
	"0x7f0000000010 0x10 SafepointBlob  \n"
	"0x7f0000000020 0x10 void java.lang.Object.<init>()\n"
	"no map\n\n"
	"0x1 0x0 nothing\n"
	"0xffffffffffffffff 0xffffffffffffffff around()\n"
	"0x10\n0x10 0x10\n"
	"0x7f0000000020 0x8 void Newer.one()";	/* the same memory, used again */

static bool
is(const struct perf_map *map, uint64_t address, const char *wanted)
{
	const char *name = perf_map_name(map, address);

	return wanted == NULL ? name == NULL : name != NULL && strcmp(name, wanted) == 0;
}

int
main(void)
{
	struct perf_map *map;

	perf_map_of(&map, text, sizeof text - 1);
	ok(is(map, 0x7f3b6cec7660, "Duty.spin") && is(map, 0x7f3b6cec7a37, "Duty.spin"),
	   "a method, at its first and at its last byte");
	ok(is(map, 0x7f3b6cec765f, NULL) && is(map, 0x7f3b6cec7a38, NULL), "before and behind it: nobody");
	ok(is(map, 0x7f3b6c940b81, "Interpreter"), "numbers without 0x");
	ok(is(map, 0x7f3b6cec71c0, "jdk.internal.misc.Unsafe.getReferenceVolatile"),
	   "without its type and its arguments");
	ok(is(map, 0x7f0000000001, "StubRoutines (1)") && is(map, 0x7f0000000011, "SafepointBlob"),
	   "what is no method keeps its name");
	ok(is(map, 0x7f0000000021, "Newer.one"), "of two the later one");
	ok(is(map, 0, NULL) && is(map, 1, NULL) && is(map, 0x10, NULL) && is(map, UINT64_MAX, NULL),
	   "lines that are none name nobody");
	perf_map_close(map);
	perf_map_of(&map,
		    "100 50 older\n"
		    "80 100 newer\n"	/* around it */
		    "a0 8 newest\n"	/* and within that */
		    "300 100 low\n320 10 one\n380 10 two\n"
		    "500 10 same\n500 20 long\n",
		    96);
	ok(is(map, 0x120, "newer") && is(map, 0x80, "newer") && is(map, 0x17f, "newer") && is(map, 0x180, NULL),
	   "a newer region around an older one");
	ok(is(map, 0x9f, "newer") && is(map, 0xa0, "newest") && is(map, 0xa7, "newest") && is(map, 0xa8, "newer"),
	   "a newer region within an older one");
	ok(is(map, 0x31f, "low") && is(map, 0x320, "one") && is(map, 0x32f, "one") && is(map, 0x330, "low") &&
		   is(map, 0x380, "two") && is(map, 0x390, "low") && is(map, 0x3ff, "low") && is(map, 0x400, NULL),
	   "an older region between newer ones within it");
	ok(is(map, 0x50f, "long") && is(map, 0x51f, "long") && is(map, 0x520, NULL), "two that begin together");
	perf_map_close(map);
	perf_map_of(&map, "", 0);
	ok(is(map, 1, NULL), "an empty map");
	perf_map_close(map);
	return tap_end();
}
