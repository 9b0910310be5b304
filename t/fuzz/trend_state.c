/* SPDX-License-Identifier: MIT
 * A state of trends whose rows say what cannot be: reading it ends, and a set that took all of it follows more dumps,
 * is judged, ranked and forecast, and is written again. A state without lies is the same bytes after it was read and
 * written. Four bytes are a lie; see t/lib/lies.h. */
#include "../lib/lies.h"

#include "base/time_math.h"
#include "trend/outlook.h"
#include "trend/ranking.h"
#include "trend/rate_plan.h"
#include "trend/series_news.h"
#include "trend/trend_state.h"

#define MUST(condition) ((condition) ? (void)0 : abort())

#define MINUTE     INT64_C(60000000000)
#define STEPS      80		/* of the good state: two cycles of the seasons, and a few steps more */
#define LIES_MOST  16
#define ROWS_MOST  65536	/* more rows in a block cost memory and time, and show nothing new */
#define BEGIN_NS   LIE_TIME

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct trend_options options = { .periods = "day",
					.slot_ns = 60 * MINUTE,
					.step_ns = 60 * MINUTE,
					.smooth = SPAR_NONE,
					.clip = 6,
					.confidence = 0.95,
					.relative_error = 0.1,
					.follow_all = true,
					.keep_errors = true,
					.kinds = { true, true, true, true, true } };

static struct series_set *
open_set(void)
{
	struct series_set *set;
	struct stk_error err = { 0 };

	options.constants = trend_constants_usual;
	options.watch = watch_rules_usual;
	MUST(series_set_open(&set, &options, &err) == 0);
	return set;
}

/* Dumps and measures of so many steps. */
static void
follow(struct series_set *set, int64_t from_ns, unsigned steps)
{
	uint32_t a = series_set_find(set, STK_SERIES_CLASS, text_from("a"), text_of("", 0));
	uint32_t group = series_set_find(set, STK_SERIES_GROUP, text_from("g/h"), text_of("", 0));
	uint32_t part = series_set_find(set, STK_SERIES_SEGMENT, text_from("s"), text_from("source=web-1"));
	uint32_t heap = series_set_find(set, STK_SERIES_METRIC, text_from("heap"), text_of("", 0));

	series_set_edit(set, group)->clock = set->group_clock;
	series_set_edit(set, part)->clock = series_set_clock(set, text_from("web-1"));
	for (unsigned i = 0; i < steps; i++) {
		int64_t time_ns = time_clamp(time_sum(from_ns, (int64_t)i * options.step_ns));
		double wave = 5 + 3 * sin(2 * M_PI * i / 24) + (i > 60 ? 20 : 0);

		if (series_set_come_to(set, LANE_CLASSES, time_ns)) {
			series_set_tick(set, 0);
			series_set_tick(set, series_set_clock(set, text_from("web-1")));
			series_set_add(set, a, wave);
			series_set_add(set, part, 1);
		}
		if (series_set_come_to(set, LANE_GROUPS, time_ns)) {
			series_set_tick(set, set->group_clock);
			series_set_add(set, group, wave / 2);
		}
		series_set_measure(set, heap, time_ns, 100 * wave);
	}
}

static struct some_bytes
write_state(struct series_set *set)
{
	struct some_bytes bytes = { 0 };
	struct stk_writer_options to = { .write = bytes_write, .context = &bytes, .level = 1 };
	struct stk_writer *writer;
	struct stk_error err = { 0 };

	MUST(stk_writer_open(&writer, &to, &err) == 0);
	MUST(trend_state_write(set, writer, &err) == 0);
	MUST(stk_writer_close(writer, true, &err) == 0);
	return bytes;
}

/* True when each block was taken. */
static bool
read_state(struct series_set *set, struct some_bytes *bytes)
{
	struct stk_reader_options from = { .read = bytes_read, .context = bytes };
	struct stk_reader *reader;
	struct trend_state *state;
	struct stk_block block;
	struct stk_error err = { 0 };
	int got;

	bytes->read = 0;
	bytes->step = bytes->size;
	MUST(stk_reader_open(&reader, &from, &err) == 0);
	trend_state_open(&state, set);
	while ((got = stk_reader_next(reader, &block, &err)) > 0)
		if (block.rows <= ROWS_MOST && trend_state_take(state, reader, &block, &err) < 0) {
			MUST(err.code != STK_EOK && err.text[0] != '\0');
			break;
		}
	trend_state_close(state);
	stk_reader_close(reader);
	stk_error_clear(&err);
	return got == 0;
}

/* All that is asked of a set. */
static void
ask(struct series_set *set)
{
	struct forecast_value value = { .time_ns = BEGIN_NS + 200 * options.step_ns };
	struct ranking ranking;
	struct rate_plan plan;

	series_news_judge(set);
	for (uint32_t n = 1; n <= series_set_count(set); n++) {
		struct stk_error why = { 0 };

		if (!series_is_shown(series_set_at(set, n)))
			continue;
		MUST(outlook_forecast(set, n, NULL, true, &value, 1, &why) == 0 || why.text[0] != '\0');
		(void)outlook_of_limit(set, n, NULL, 1e6);
		(void)ranking_make(&ranking, set, n);
		ranking_release(&ranking);
	}
	(void)rate_plan_make(&plan, set);
	rate_plan_release(&plan);
}

static const struct some_bytes *
good_state(void)
{
	static struct some_bytes good;

	if (good.size == 0) {
		struct series_set *set = open_set();

		follow(set, BEGIN_NS, STEPS);
		good = write_state(set);
		series_set_close(set);
	}
	return &good;
}

static void
check_same(const struct some_bytes *good)
{
	struct some_bytes copy = *good, again;
	struct series_set *set = open_set();

	MUST(read_state(set, &copy));
	again = write_state(set);
	MUST(again.size == good->size && memcmp(again.at, good->at, good->size) == 0);
	free(again.at);
	series_set_close(set);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct some_bytes *good = good_state();
	struct arena arena = { 0 };
	struct lie_file base = { .arena = &arena }, file = { .arena = &arena };
	struct some_bytes bytes = { 0 }, again;
	struct series_set *set;
	uint64_t numbers = 1;

	if (size < 4) {
		check_same(good);
		return 0;
	}
	lie_file_read(&base, *good);
	lie_file_open(&file, &base, &numbers);
	for (unsigned lies = 0; size >= 4 && lies < LIES_MOST; lies++, data += 4, size -= 4)
		lie_tell(&file, (uint64_t)load32(data) * UINT64_C(0x9e3779b97f4a7c15) + load32(data));
	lie_file_bytes(&file, &bytes);
	set = open_set();
	if (read_state(set, &bytes)) {
		follow(set, BEGIN_NS + STEPS * options.step_ns, 5);
		series_set_finish(set);
		ask(set);
		again = write_state(set);
		free(again.at);
	}
	series_set_close(set);
	free(bytes.at);
	array_release(&base.blocks);
	array_release(&file.blocks);
	arena_release(&arena);
	return 0;
}
