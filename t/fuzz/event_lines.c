/* SPDX-License-Identifier: MIT
 * Any bytes as lines of events, given to a scheme with pairs: reading and counting end without a crash, and no time or
 * value that is not believed comes through. */
#include "base/bytes.h"
#include "base/text_table.h"
#include "group/event_lines.h"
#include "group/event_time.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char yaml[] =
	"groups:\n  - { name: a, events: { start: start, stop: stop } }\n  - { name: b, events: { point: p1 } }\n";

static void
take_line(struct event_time *events, struct text_table *threads, const char *from, size_t size)
{
	struct event_line read;

	if (event_line_read(text_of(from, size), NULL, &read) > 0) {
		if (!stk_time_is_believed(read.event.time) || !stk_measure_is_believed(read.event.value) ||
		    read.event.happening > STK_HAPPENING_SWITCH_IN)
			abort();
		event_time_take(events, &(struct event_place){ .thread = text_table_number(threads, read.thread) },
				&read.event);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct time_window window = { INT64_C(-5000000000), INT64_C(7000000000) };
	const char *at = (const char *)data, *end = at + size;
	struct text_table threads = { 0 };
	struct event_time *events;
	struct scheme *scheme;
	struct stk_error err = { 0 };

	if (size > 4096)
		return 0;
	if (scheme_read_text(&scheme, "fuzz.yaml", text_from(yaml), NULL, NULL, &err) < 0)
		abort();
	event_time_open(&events, scheme);
	event_time_choose(events, &(struct event_choice){
		.windows = &window, .windows_count = size % 2, .step_ns = size % 3 == 0 ? INT64_C(1) << 55 : 0
	});
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t length = stop == NULL ? (size_t)(end - at) : (size_t)(stop + 1 - at);

		take_line(events, &threads, at, length);
		at += length;
	}
	event_time_end(events);
	for (uint32_t n = event_time_of(events, 0, 0, 1)->payloads; n != 0; ) {
		struct group_payload payload;

		event_time_payload(events, n, &payload);
		if (!(payload.least <= payload.median && payload.median <= payload.p99 && payload.p99 <= payload.most))
			abort();
		n = payload.next;
	}
	event_time_close(events);
	text_table_release(&threads);
	scheme_close(scheme);
	return 0;
}
