/* SPDX-License-Identifier: MIT
 * caller_names: a recompiled method moves, so maps become outdated; an address that a map does not know makes the next
 * refresh ask again. */
#include "capture/caller_names.h"

#include "base/array.h"
#include "capture/attach.h"
#include "capture/native_names.h"
#include "capture/perf_map.h"

#include <inttypes.h>
#include <stdio.h>

#define ASK_NS      INT64_C(5000000000)		/* least time between two requests to the VM */
#define ANSWER_NS   INT64_C(1000000000)		/* how long its answer may take */
#define FRAME_BYTES (2 * NATIVE_NAME_MAX + 128)

struct caller_names {
	pid_t pid;
	struct perf_map *map;
	struct native_names *natives;
	bool natives_known;
	bool some_unknown;		/* since the map was read */
	int64_t asked_ns;
	ARRAY(char) text;
};

int
caller_names_open(struct caller_names **out, const struct process *process, struct stk_error *err)
{
	struct perf_map *map;

	*out = NULL;
	if (perf_map_open(&map, process, err) < 0)
		return -1;
	*out = mem_new(1, sizeof **out);
	(*out)->pid = process->pid;
	(*out)->map = map;
	(*out)->some_unknown = true;
	(*out)->asked_ns = monotonic_ns() - ASK_NS;
	native_names_open(&(*out)->natives, process);
	return 0;
}

void
caller_names_close(struct caller_names *names)
{
	if (names == NULL)
		return;
	perf_map_close(names->map);
	native_names_close(names->natives);
	array_release(&names->text);
	free(names);
}

void
caller_names_refresh(struct caller_names *names)
{
	int64_t now = monotonic_ns();
	struct stk_error unused = { 0 };

	names->natives_known = native_names_refresh(names->natives, &unused) == 0;
	stk_error_clear(&unused);
	if (!names->some_unknown || now - names->asked_ns < ASK_NS)
		return;
	names->asked_ns = now;
	names->some_unknown = perf_map_refresh(names->map, now + ANSWER_NS, &unused) < 0;
}

/* One line; its length. */
static size_t
write_frame(struct caller_names *names, uint64_t address, char *to)
{
	const char *method = perf_map_name(names->map, address);
	const struct native_name *native;

	if (method != NULL)
		return (size_t)snprintf(to, FRAME_BYTES, "\t%16" PRIx64 " %.*s (/tmp/perf-%ld.map)\n", address,
					(int)NATIVE_NAME_MAX, method, (long)names->pid);
	native = names->natives_known ? native_names_of(names->natives, address) : &(struct native_name){ 0 };
	names->some_unknown |= native->file == NULL;
	return (size_t)snprintf(to, FRAME_BYTES, "\t%16" PRIx64 " %s+0x%" PRIx64 " (%s)\n", address,
				native->symbol != NULL ? native->symbol : "[unknown]", native->offset,
		native->file != NULL ? native->file : "[unknown]");
}

const char *
caller_names_text(struct caller_names *names, const uint64_t *callers, size_t count)
{
	names->text.count = 0;
	for (size_t i = 0; i < count; i++) {
		array_reserve(&names->text, FRAME_BYTES);
		names->text.count += write_frame(names, callers[i], names->text.at + names->text.count);
	}
	array_reserve(&names->text, 1);
	names->text.at[names->text.count] = '\0';
	return names->text.at;
}
