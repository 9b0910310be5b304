/* SPDX-License-Identifier: MIT
 * Any bytes as the log of every log system: in pieces or at once the same text comes out, and the same is lost. The
 * first byte says how large the pieces are. */
#include "base/bytes.h"
#include "ingest/unwrap.h"

#include <stdlib.h>

#define MUST(condition) ((condition) ? (void)0 : abort())

static void
unwrap(struct text_buffer *to, uint64_t *lost, enum wrapping wrapping, struct stk_text text, size_t step)
{
	struct unwrapper *unwrapper;

	unwrap_open(&unwrapper, wrapping);
	for (size_t at = 0; at < text.size; at += step) {
		size_t part = text.size - at < step ? text.size - at : step;
		char *copy = malloc(part);

		memcpy(copy, text.data + at, part);
		unwrap_add(unwrapper, text_of(copy, part));
		free(copy);
		add_text(to, unwrap_take(unwrapper));
	}
	unwrap_end(unwrapper);
	add_text(to, unwrap_take(unwrapper));
	*lost = unwrap_lost(unwrapper);
	unwrap_close(unwrapper);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stk_text text;

	if (size < 1)
		return 0;
	text = text_of((const char *)data + 1, size - 1);
	(void)unwrap_kind(text);
	(void)unwrap_find(text);
	for (enum wrapping w = WRAP_JSON_LINES; w <= WRAP_PODS; w++) {
		struct text_buffer whole = { 0 }, parts = { 0 };
		uint64_t lost, lost_in_parts;

		unwrap(&whole, &lost, w, text, text.size + 1);
		unwrap(&parts, &lost_in_parts, w, text, data[0] % 16 + 1u);
		MUST(whole.count == parts.count &&
		     memcmp(text_in(&whole, 0).data, text_in(&parts, 0).data, whole.count) == 0);
		MUST(lost == lost_in_parts);
		array_release(&whole);
		array_release(&parts);
	}
	return 0;
}
