/* SPDX-License-Identifier: MIT
 * moments: finds the clock and the zone of a source once, and prints times by them. */
#include "choose/moments.h"

#include "base/array.h"

#include <stdio.h>

#define MOMENTS_SOURCES (1u << 16)	/* whose clock is kept; those beyond are looked up each time, and get UTC */
#define ZONE_NAME_MAX   100

struct source_clock {
	bool known, counts;		/* counts seconds from an unknown start */
	struct time_zone *zone;		/* its own; NULL: UTC */
};

struct moments {
	const struct model *model;
	const struct time_zone *zone;
	bool own;
	ARRAY(struct source_clock) clocks;	/* by source */
	uint32_t looked_at;			/* sources, for those of a wall clock: */
	bool wall;
};

void
moments_open(struct moments **out, const struct model *model, const struct time_zone *zone, bool own)
{
	struct moments *moments = mem_new(1, sizeof *moments);

	*moments = (struct moments){ .model = model, .zone = zone, .own = own };
	*out = moments;
}

void
moments_forget(struct moments *moments)
{
	for (size_t s = 0; s < moments->clocks.count; s++)
		time_zone_close(moments->clocks.at[s].zone);
	moments->clocks.count = 0;
	moments->looked_at = 0;
	moments->wall = false;
}

void
moments_close(struct moments *moments)
{
	if (moments == NULL)
		return;
	moments_forget(moments);
	array_release(&moments->clocks);
	free(moments);
}

/* A zone that this machine does not have is UTC, which the Z in the text shows. */
static struct time_zone *
own_zone(const struct moments *moments, const struct stk_source *source)
{
	struct stk_text name = model_string(moments->model, source->zone);
	struct stk_error err = { 0 };
	struct time_zone *zone = NULL;
	char text[ZONE_NAME_MAX];

	if (!moments->own || moments->zone != NULL || name.size == 0 || name.size >= sizeof text)
		return NULL;
	snprintf(text, sizeof text, "%.*s", (int)name.size, name.data);
	return time_zone_open(&zone, text, &err) < 0 ? NULL : zone;
}

static struct source_clock
clock_of(struct moments *moments, uint64_t id)
{
	struct stk_source source = model_source(moments->model, id);
	struct source_clock clock = {
		true, id != 0 && model_knows(moments->model, STK_SOURCE, id) && source.clock != STK_CLOCK_WALL, NULL
	};

	if (id >= MOMENTS_SOURCES)
		return clock;
	while (moments->clocks.count <= id)
		*array_push(&moments->clocks) = (struct source_clock){ 0 };
	if (!moments->clocks.at[id].known) {
		clock.zone = own_zone(moments, &source);
		moments->clocks.at[id] = clock;
	}
	return moments->clocks.at[id];
}

const struct time_zone *
moments_zone(struct moments *moments, uint64_t source)
{
	return moments->zone != NULL ? moments->zone : clock_of(moments, source).zone;
}

/* Whether rows without a source have no date either: no source of the stream has. */
static bool
all_count(struct moments *moments)
{
	uint32_t sources = model_count(moments->model, STK_SOURCE);

	for (; moments->looked_at < sources && !moments->wall; moments->looked_at++)
		moments->wall = !clock_of(moments, moments->looked_at + 1).counts;
	return sources > 0 && !moments->wall;
}

char *
moments_print(struct moments *moments, char to[TIME_TEXT_MAX], uint64_t source, int64_t ns)
{
	if (ns != STK_TIME_UNKNOWN && (source == 0 ? all_count(moments) : clock_of(moments, source).counts))
		return seconds_print(to, ns);
	return time_print(to, ns, moments_zone(moments, source));
}

char *
moment_print(char to[TIME_TEXT_MAX], int64_t ns, const struct time_zone *zone, bool seconds)
{
	char number[TIME_TEXT_MAX];

	if ((!seconds && zone != time_zone_undated()) || ns == STK_TIME_UNKNOWN)
		return time_print(to, ns, zone);
	(void)snprintf(to, TIME_TEXT_MAX, "@%s", seconds_print(number, ns));
	return to;
}

char *
moment_print_after(char to[TIME_TEXT_MAX], int64_t ns, const struct time_zone *zone, bool seconds, const char *before)
{
	return seconds || zone == time_zone_undated() ? moment_print(to, ns, zone, seconds)
						      : time_print_after(to, ns, zone, before);
}
