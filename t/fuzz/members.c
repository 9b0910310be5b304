/* SPDX-License-Identifier: MIT
 * fuzz/members: any bytes as a file or an archive: of five members four are read. The seeds are two lines of folded
 * stacks, as tar, zip, 7z and cpio pack them. */
#include "base/input.h"
#include "base/unpack.h"
#include "ingest/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUST(condition) ((condition) ? (void)0 : abort())
#define MOST (1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads everything, and counts what is given out. */
static void
read_members(struct members *members)
{
	static char buffer[5000];
	struct stk_error why = { 0 };
	struct member member;
	int64_t all = 0;
	int got, calls = 0;

	while ((got = members_next(members, &member, &why)) != 0) {
		struct stk_error end = { 0 };
		long size;

		MUST(member.name != NULL);
		MUST(got > 0 || (why.code != STK_EOK && why.text[0] != '\0'));
		MUST(++calls < 3 * MOST);
		stk_error_clear(&why);
		while (got > 0 && calls % 5 != 0 && (size = input_read(member.input, buffer, sizeof buffer, &end)) > 0)
			MUST((all += size) <= 8 * (int64_t)MOST);
	}
	MUST(members_next(members, &member, &why) == 0);
}

/* libarchive 3.6 allocates whatever length of a name the head of a cpio member says, up to 4 GiB. It does not
 * touch what the file does not fill, but libFuzzer takes it for a finding. */
static bool
has_long_name(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size, *at = data;

	for (; (at = memmem(at, (size_t)(end - at), "07070", 5)) != NULL; at++)
		if (end - at > 98 && memcmp(at + 94, "0000", 4) != 0)
			return true;
	return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct input_limits limits = { .expanded_bytes = MOST };
	struct members *members;
	struct stk_error why = { 0 };
	FILE *file;
	char path[40];
	bool more;

	if (size == 0 || has_long_name(data, size))
		return 0;
	file = tmpfile();
	(void)packing_of(data, size < PACK_FIRST_BYTES ? size : PACK_FIRST_BYTES, &more);
	MUST(file != NULL && fwrite(data, 1, size, file) == size && fflush(file) == 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
	if (members_open(&members, path, &limits, &why) == 0)
		read_members(members);
	members_close(members);
	fclose(file);
	return 0;
}
