/* SPDX-License-Identifier: MIT
 * Trees made of streams, and asked: 0, 1, 2, 3 samples; windows and ages exactly at their edges; samples sorted in
 * chunks and runs. */
#include "../lib/tap.h"

#include "base/scratch.h"
#include "timetree/recording.h"
#include "timetree/retention.h"
#include "timetree/sample_sort.h"
#include "timetree/tree_maker.h"

#define SECOND INT64_C(1000000000)

static char stream[1 << 20];
static size_t size;

static int
keep_bytes(void *context, const void *from, size_t more, struct stk_error *err)
{
	(void)context;
	if (size + more > sizeof stream)
		return stk_fail(err, STK_ESYSTEM, "too much");
	memcpy(stream + size, from, more);
	size += more;
	return 0;
}

/* A stream with two stacks, and samples of them in turn. */
static void
write_stream(const int64_t *times, size_t count)
{
	struct stk_writer_options to = { .write = keep_bytes, .level = 1 };
	struct stk_string event = { .text = { "cycles", 6 } },
			  name[2] = { { .text = { "even", 4 } }, { .text = { "odd", 3 } } };
	struct stk_error err = { 0 };
	struct stk_writer *writer;
	int failed;

	size = 0;
	failed = stk_writer_open(&writer, &to, &err);
	failed |= stk_writer_head(writer, NULL, &err);
	failed |= stk_writer_add(writer, STK_STRING, &event, &err);
	for (unsigned i = 0; i < 2 && count > 0; i++) {
		struct stk_frame frame = { .function = i + 2 };
		struct stk_stack stack = { .frame = i + 1 };

		failed |= stk_writer_add(writer, STK_STRING, &name[i], &err) |
			  stk_writer_add(writer, STK_FRAME, &frame, &err) |
			  stk_writer_add(writer, STK_STACK, &stack, &err);
	}
	for (size_t i = 0; i < count; i++) {
		struct stk_sample sample = {
			.time = times[i], .event = 1, .stack = i % 2 + 1, .weight = 10 + i, .processor = -1
		};

		failed |= stk_writer_add(writer, STK_SAMPLE, &sample, &err);
	}
	failed |= stk_writer_close(writer, true, &err);
	if (failed)
		ok(false, "a stream of %zu samples is written: %s", count, err.text);
}

struct reading { size_t at; };

static long
give_bytes(void *context, void *to, size_t room, struct stk_error *err)
{
	struct reading *r = context;
	size_t got = size - r->at < room ? size - r->at : room;

	(void)err;
	memcpy(to, stream + r->at, got);
	r->at += got;
	return (long)got;
}

/* All of the stream goes into a maker. */
static int
take_all(struct tree_maker *maker, struct stk_error *err)
{
	struct reading reading = { 0 };
	struct stk_reader_options from = { .read = give_bytes, .context = &reading };
	struct stk_reader *reader;
	struct stk_block block;
	int got = stk_reader_open(&reader, &from, err);

	while (got >= 0 && (got = stk_reader_next(reader, &block, err)) > 0)
		if (tree_maker_take(maker, reader, &block, err) < 0)
			got = -1;
	stk_reader_close(reader);
	return got < 0 ? -1 : tree_maker_end_stream(maker, err);
}

static void
save(const struct scratch *made, const char *path)
{
	FILE *to = fopen(path, "w");
	struct stk_error err = { 0 };
	char part[4096];
	int64_t at = 0;
	long got;

	while (to != NULL && (got = scratch_read_at(made, part, sizeof part, at, &err)) > 0)
		at += (long)fwrite(part, 1, (size_t)got, to);
	if (to == NULL || fclose(to) != 0)
		ok(false, "%s is written", path);
}

/* A tree of samples at these times, in a file; its figures. */
static struct maker_totals
make_tree(const int64_t *times, size_t count, const struct retention *retention, const char *path)
{
	struct maker_options options = {
		.shape = { .leaf = 2, .keep = 100, .split = 2 }, .rule = "time", .zone = "", .keys = { { "none" }, 1 }, .level = 1
	};
	struct maker_totals totals = { 0 };
	struct tree_maker *maker;
	struct stk_error err = { 0 };

	if (retention != NULL)
		options.retention = *retention;
	write_stream(times, count);
	if (tree_maker_open(&maker, &options, NULL, &err) == 0 && take_all(maker, &err) == 0 &&
		tree_maker_finish(maker, &err) == 0) {
		totals = *tree_maker_totals(maker);
		save(tree_maker_result(maker), path);
	}
	is_text(err.text, "", "a tree of %zu samples is made", count);
	tree_maker_close(maker);
	return totals;
}

static void
hear_lost(void *context, int64_t from_ns, int64_t to_ns, const char *why)
{
	(void)from_ns, (void)to_ns, (void)why;
	++*(unsigned *)context;
}

static void
hear_damage(void *context, int64_t offset, uint64_t lost, const char *what)
{
	(void)offset, (void)lost, (void)what;
	++*(unsigned *)context;
}

/* What a window of the file has. */
static struct answer
ask(const char *path, struct tree_interval window, struct call_tree *tree)
{
	unsigned heard = 0;
	struct recording_options options = { .by = "none", .samples = true };
	struct recording_listener listener = { .damage = hear_damage, .lost = hear_lost, .context = &heard };
	struct recording *recording;
	struct answer answer = { 0 };
	struct stk_error err = { 0 };

	ok(recording_open(&recording, path, &options, &listener, &err) == 0 &&
		   recording_count(recording, window, &answer, &err) == 0 &&
		   recordings_grow(&recording, 1, (struct growth_limits){ 0 }, tree, 0, &answer, &err) == 0,
	   "the recording answers: %s", err.text);
	is_u64(heard, 0, "... and nothing is lost or damaged");
	recording_close(recording);
	return answer;
}

static uint64_t
samples_in(const char *path, int64_t from, int64_t to)
{
	struct call_tree tree;
	struct answer answer;

	call_tree_open(&tree, 1);
	answer = ask(path, (struct tree_interval){ from, to }, &tree);
	is_u64(*call_tree_total(&tree, 0), answer.samples, "... and the call tree has what was counted");
	call_tree_release(&tree);
	return answer.samples;
}

static void
test_small(void)
{
	static const int64_t times[] = { 1000, 1001, 1003 };
	static const size_t nodes[] = { 0, 1, 3, 0 };

	for (size_t count = 0; count <= 3; count++) {
		struct maker_totals t = make_tree(times, count, NULL, "small.tree");

		is_u64(t.samples, count, "%zu samples: all are in the tree", count);
		if (count < 3)
			is_u64(t.nodes, nodes[count], "%zu samples, 2 make a leaf full: its nodes", count);
		is_i64(t.times.from_ns, count == 0 ? STK_TIME_UNKNOWN : 1000, "%zu samples: it begins with the first",
			count);
		is_i64(t.times.to_ns, count == 0 ? STK_TIME_UNKNOWN : times[count - 1],
			"%zu samples: it ends with the last", count);
		for (int64_t from = 999; from < 1005; from++)
			for (int64_t to = from + 1; to < 1006; to++) {
				uint64_t want = 0;

				for (size_t i = 0; i < count; i++)
					want += times[i] >= from && times[i] < to;
				is_u64(samples_in("small.tree", from, to), want,
					"%zu samples: those from %d, but before %d", count, (int)from, (int)to);
			}
		is_u64(samples_in("small.tree", INT64_MIN, INT64_MAX), count, "%zu samples: all", count);
	}
}

/* Out of order, and without times. */
static void
test_order(void)
{
	static const int64_t shuffled[] = { 1003, 1000, STK_TIME_UNKNOWN, 1001 };
	struct maker_totals t = make_tree(shuffled, 4, NULL, "shuffled.tree");

	is_u64(t.samples, 4, "samples out of order are all in the tree");
	is_u64(t.untimed, 1, "and the one without a time");
	is_u64(samples_in("shuffled.tree", 1000, 1003), 2, "a window is exact");
	is_u64(samples_in("shuffled.tree", 1000, INT64_MAX), 3, "a window without an end has no sample without a time");
	is_u64(samples_in("shuffled.tree", INT64_MIN, INT64_MAX), 4, "no window has");
}

static void
test_stacks(void)
{
	static const int64_t times[] = { 1000, 1001, 1002 };
	struct call_tree tree;
	uint32_t even, odd;

	(void)make_tree(times, 3, NULL, "stacks.tree");
	call_tree_open(&tree, 1);
	(void)ask("stacks.tree", (struct tree_interval){ INT64_MIN, INT64_MAX }, &tree);
	is_u64(tree.nodes.count, 3, "the call tree has a root, and a node for each of two functions");
	even = call_tree_child(&tree, 0, text_from("even"));
	odd = call_tree_child(&tree, 0, text_from("odd"));
	is_u64(*call_tree_self(&tree, even), 2, "two samples of one");
	is_u64(*call_tree_total(&tree, odd), 1, "one of the other");
	is_u64(*call_tree_self(&tree, 0), 0, "and none of no stack");
	call_tree_release(&tree);
}

/* --- retention --- */

static void
test_retention_edges(void)
{
	struct retention r = { .step = { { 10 * SECOND, 0 }, { 60 * SECOND, SECOND } }, .steps = 2 };
	struct retention none = { .steps = 0 };
	int64_t last = 1000 * SECOND;

	is_i64(retention_at(&r, last, last), RETENTION_RAW, "the latest is kept as it is");
	is_i64(retention_at(&r, last - 10 * SECOND + 1, last), RETENTION_RAW,
		"as is what is younger than the first step");
	is_i64(retention_at(&r, last - 10 * SECOND, last), SECOND, "what is exactly as old belongs to the next");
	is_i64(retention_at(&r, last - 60 * SECOND + 1, last), SECOND, "up to its age");
	is_i64(retention_at(&r, last - 60 * SECOND, last), RETENTION_NONE, "and what is as old as the last step goes");
	is_i64(retention_at(&r, STK_TIME_UNKNOWN, last), RETENTION_RAW, "a time that is not known has no age");
	is_i64(retention_at(&none, 0, last), RETENTION_RAW, "without steps all is kept");
	is_i64(retention_bucket(1999, 1000).from, 1000, "a bucket begins at a whole number of its lengths");
	is_i64(retention_bucket(2000, 1000).from, 2000, "and holds its beginning");
	is_i64(retention_bucket(-1, 1000).from, -1000, "before 1970 as well");
}

/* The first and the fourth are exactly as old as a step. */
static void
test_thinning(void)
{
	static const int64_t times[] = { 0, 21 * SECOND, 50 * SECOND, 90 * SECOND, 100 * SECOND };
	struct retention r = { .step = { { 10 * SECOND, 0 }, { 100 * SECOND, 20 * SECOND } }, .steps = 2 };
	struct maker_totals t = make_tree(times, 5, &r, "thin.tree");

	is_u64(t.dropped, 1, "the one that is as old as the last step is gone");
	is_u64(t.thinned, 3, "one that is as old as the first step is thinned");
	is_u64(t.samples, 4, "the others are in the tree");
	is_u64(samples_in("thin.tree", 20 * SECOND, 40 * SECOND), 1, "counts are where their interval is");
	is_u64(samples_in("thin.tree", 20 * SECOND, 30 * SECOND - 1), 0, "one is taken to be in its middle");
	is_u64(samples_in("thin.tree", 20 * SECOND, 30 * SECOND), 1, "to the nanosecond");
	is_u64(samples_in("thin.tree", 30 * SECOND, 40 * SECOND), 0, "and in no other part of it");
	is_u64(samples_in("thin.tree", 80 * SECOND, 90 * SECOND + 1), 1, "the interval ends where what is young begins");
	is_u64(samples_in("thin.tree", 90 * SECOND + 1, 100 * SECOND), 0, "which is exact from there on");
	is_u64(samples_in("thin.tree", 40 * SECOND, 60 * SECOND), 1, "each interval has its own");
	is_u64(samples_in("thin.tree", 100 * SECOND, 100 * SECOND + 1), 1, "what is young is exact");
}

/* --- sorting --- */

struct sorted { uint64_t rows; int64_t last; uint64_t last_weight; bool ordered; };

static void
note_row(struct sorted *s, const struct stk_sample *row)
{
	if (s->rows > 0 && (row->time < s->last || (row->time == s->last && row->weight < s->last_weight)))
		s->ordered = false;
	s->last = row->time;
	s->last_weight = row->weight;
	s->rows++;
}

static struct sorted
sort(uint64_t count, uint64_t times)
{
	struct stk_writer_options to = { .write = keep_bytes, .level = 1 };
	struct reading reading = { 0 };
	struct stk_reader_options from = { .read = give_bytes, .context = &reading };
	struct sorted s = { .ordered = true };
	struct stk_error err = { 0 };
	struct sample_sort *sort;
	struct stk_writer *writer;
	struct stk_reader *reader;
	struct stk_block block;
	struct stk_sample sample = { .processor = -1 };
	int failed;

	size = 0;
	sample_sort_open(&sort);
	failed = stk_writer_open(&writer, &to, &err);
	for (uint64_t i = 0; i < count; i++) {
		sample.time = (int64_t)(i * 7919 % times);
		sample.weight = i + 1;
		failed |= sample_sort_add(sort, &sample, &err);
	}
	failed |= sample_sort_write(sort, writer, &err);
	failed |= stk_writer_close(writer, true, &err);
	sample_sort_close(sort);
	failed |= stk_reader_open(&reader, &from, &err);
	while (failed == 0 && stk_reader_next(reader, &block, &err) > 0) {
		if (block.kind != STK_SAMPLE)
			continue;
		failed |= stk_reader_rows(reader, &err);
		for (uint32_t i = 0; i < block.rows && failed == 0; i++) {
			stk_reader_row(reader, i, &sample);
			note_row(&s, &sample);
		}
	}
	stk_reader_close(reader);
	is_text(err.text, "", "%d samples are sorted", (int)count);
	return s;
}

static void
test_sorting(void)
{
	static const uint64_t counts[] = { 0, 1, 2, 3, 1000, 131072,
		131073 }; /* a chunk, and one more: that is a run on the disk */

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct sorted s = sort(counts[i], 13);

		is_u64(s.rows, counts[i], "none of %d is lost", (int)counts[i]);
		ok(s.ordered, "they are in the order of time, equal times as they came");
	}
}

int
main(void)
{
	if (chdir(scratch()) != 0)
		skip_all("no folder");
	test_small();
	test_order();
	test_stacks();
	test_retention_edges();
	test_thinning();
	test_sorting();
	return tap_end();
}
