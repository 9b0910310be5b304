/* SPDX-License-Identifier: MIT
 * fuzz/javacore: any bytes as a javacore. */
#include "format_fuzz.h"

static void
check_masks(struct stk_text stack)
{
	char *masked = malloc(stack.size > 0 ? stack.size : 1);
	uint64_t addresses[4];
	size_t count;

	must(javacore_format.mask(stack, masked, addresses, 4, &count) <= stack.size);
	free(masked);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct stk_text text = text_of((const char *)bytes, size);
	struct findings findings = { 0 };

	javacore_format.scan(&findings, text);
	for (size_t i = 0; i < findings.list.count; i++)
		if (findings.list.at[i].kind == FOUND_SAMPLE && findings.list.at[i].is.sample.stack.size > 0)
			check_masks(findings.list.at[i].is.sample.stack);
	findings_release(&findings);
	return format_fuzz(&javacore_format, bytes, size);
}
