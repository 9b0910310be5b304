/* SPDX-License-Identifier: MIT
 * fuzz/perf_memory: any bytes as a VM's performance memory: its entries, and the values that are asked of it. */
#include "capture/perf_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char *const names[] = { "sun.gc.cause", "sun.gc.collector.0.invocations", "sun.rt.safepointTime",
					     "java.property.java.vm.version", "" };
	struct stk_error err = { 0 };
	struct perf_memory *memory;
	size_t sum = 0;

	if (perf_memory_of(&memory, bytes, size, &err) < 0)
		return 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct stk_text text = perf_memory_text_of(memory, names[i]);

		for (size_t c = 0; c < text.size; c++)
			sum += (unsigned char)text.data[c];
		sum += (size_t)perf_memory_number_of(memory, names[i]);
	}
	for (int entry = -1; entry < 20; entry++) {
		int64_t value = 0;

		sum += perf_memory_text(memory, entry).size +
		       (perf_memory_number(memory, entry, &value) ? (size_t)value : 0);
	}
	perf_memory_close(memory);
	return sum == 1 ? 0 : 0;
}
