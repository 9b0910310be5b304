/* SPDX-License-Identifier: MIT
 * Any bytes as a scheme, and its own lines as stacks: reading, matching and deciding end without a crash, whatever
 * patterns and names there are. */
#include "base/bytes.h"
#include "group/attribution.h"
#include "group/event_time.h"

#include <stdlib.h>

#define FRAMES_MOST 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scheme *scheme;
	struct stk_error err = { 0 };
	struct attribution *attribution;
	struct event_time *events;
	struct claims claims = { 0 };
	uint32_t frames[FRAMES_MOST], groups[FRAMES_MOST], count = 0;
	const char *at = (const char *)data, *end = at + size;

	if (size > 4096)
		return 0;
	if (scheme_read_text(&scheme, "fuzz.yaml", text_of(at, size), NULL, NULL, &err) < 0) {
		stk_error_clear(&err);
		return 0;
	}
	event_time_open(&events, scheme);
	attribution_open(&attribution, scheme);
	while (at < end && count < FRAMES_MOST) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct stk_text line = text_of(at, (size_t)((stop == NULL ? end : stop) - at));
		struct frame_parts parts = { line, line, text_of("", 0) };
		struct stk_event event = { .time = (int64_t)count, .name = line, .value = 1 };

		frames[count++] = attribution_frame(attribution, &parts);
		event_time_take(events, &(struct event_place){ .thread = count & 1 }, &event);
		at = stop == NULL ? end : stop + 1;
	}
	attribution_claims(attribution, frames, count, &claims);
	attribution_of_frames(attribution, frames, count, groups);
	event_time_end(events);
	array_release(&claims.list);
	attribution_close(attribution);
	event_time_close(events);
	scheme_close(scheme);
	return 0;
}
