/* SPDX-License-Identifier: MIT
 * Any bytes through the cleaner: in pieces or at once the same comes out, line for line. The first bytes say how large
 * the pieces are and what the prefix is. */
#include "base/bytes.h"
#include "ingest/clean.h"

#include <stdlib.h>

#define MUST(condition) ((condition) ? (void)0 : abort())

struct cleaned { char *data; size_t size; };

static void
append_taken(struct cleaned *to, struct cleaner *cleaner)
{
	struct stk_text text = cleaner_take(cleaner);

	to->data = realloc(to->data, to->size + text.size + 1);
	if (text.size > 0)
		memcpy(to->data + to->size, text.data, text.size);
	to->size += text.size;
}

static struct cleaned
clean(const char *from, size_t size, size_t step, struct stk_text prefix, bool expect)
{
	struct cleaned result = { NULL, 0 };
	struct cleaner *cleaner;

	cleaner_open(&cleaner);
	if (expect)
		cleaner_expect(cleaner, text_of(from, size));
	cleaner_set_prefix(cleaner, prefix);
	for (size_t at = 0; at < size; at += step) {
		size_t part = size - at < step ? size - at : step;
		char *copy = malloc(part);

		memcpy(copy, from + at, part);
		cleaner_add(cleaner, copy, part);
		free(copy);
		append_taken(&result, cleaner);
	}
	cleaner_end(cleaner);
	append_taken(&result, cleaner);
	cleaner_close(cleaner);
	return result;
}

static size_t
newlines(const char *at, size_t size)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += at[i] == '\n';
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stk_text text, prefix;
	struct cleaned whole, parts;
	bool expect = size > 0 && data[0] >= 128;
	size_t matched;

	if (size < 2 || size - 2 < data[1])
		return 0;
	prefix = text_of((const char *)data + 2, data[1]);
	text = text_of(prefix.data + prefix.size, size - 2 - prefix.size);
	whole = clean(text.data, text.size, text.size + 1, prefix, expect);
	parts = clean(text.data, text.size, data[0] % 16 + 1u, prefix, expect);
	MUST(whole.size == parts.size && memcmp(whole.data, parts.data, whole.size) == 0);
	if (!expect && !(text.size >= 2 && ((unsigned char)*text.data ^ (unsigned char)text.data[1]) == 1) &&
	    !(text.size >= 4 && memcmp(text.data, "\0\0\376\377", 4) == 0))	/* UTF-16, UTF-32 */
		MUST(whole.size <= text.size && newlines(whole.data, whole.size) == newlines(text.data, text.size));
	if (clean_prefix_matches(prefix, text, &matched))
		MUST(matched <= text.size);
	(void)clean_needed(text);
	free(whole.data);
	free(parts.data);
	return 0;
}
