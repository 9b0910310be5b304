/* SPDX-License-Identifier: MIT
 * Samples to groups: streams of 0, 1, 2 and 3 samples, equal times, the edges of parts, and samples that are of no
 * group, of two, or of none's work. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "group/sample_groups.h"

#define SECOND INT64_C(1000000000)

/* Two groups that both have `both`, and one by thread name. */
static const char yaml[] = "scheme: s\ngroups:\n"
	"  - { name: A, members: [a, both] }\n"
	"  - { name: B, members: [b, both], children: [{ name: C, members: [c] }] }\n"
	"  - { name: T, members: [{ module: '[thread]', method: 'gc*' }] }\n";

/* --- a stream in memory --- */

struct small {
	char *at;
	size_t count, room, read;
	struct stk_writer *writer;
	uint64_t strings, frames, stacks, threads;	/* given so far */
	uint64_t switch_event;
};

static struct stk_error err;

static int
write_bytes(void *context, const void *from, size_t size, struct stk_error *unused)
{
	struct small *s = context;

	(void)unused;
	array_reserve(s, size);
	memcpy(s->at + s->count, from, size);
	s->count += size;
	return 0;
}

static long
read_bytes(void *context, void *to, size_t size, struct stk_error *unused)
{
	struct small *s = context;
	size_t left = s->count - s->read;

	(void)unused;
	size = size < left ? size : left;
	memcpy(to, s->at + s->read, size);
	s->read += size;
	return (long)size;
}

static void
add(struct small *s, enum stk_kind kind, const void *row)
{
	if (stk_writer_add(s->writer, kind, row, &err) < 0)
		abort();
}

static uint64_t
string_of(struct small *s, const char *text)
{
	struct stk_string row = { .text = text_from(text) };

	add(s, STK_STRING, &row);
	return ++s->strings;
}

static uint64_t
stack_of(struct small *s, const char *function)
{
	struct stk_frame frame = { .function = string_of(s, function) };
	struct stk_stack stack = { .frame = ++s->frames };

	add(s, STK_FRAME, &frame);
	add(s, STK_STACK, &stack);
	return ++s->stacks;
}

static uint64_t
thread_of(struct small *s, const char *name)
{
	struct stk_thread row = { .name = string_of(s, name) };

	add(s, STK_THREAD, &row);
	return ++s->threads;
}

static void
sample(struct small *s, int64_t time, uint64_t stack, uint64_t weight)
{
	struct stk_sample row = { .time = time, .stack = stack, .weight = weight, .processor = -1 };

	add(s, STK_SAMPLE, &row);
}

static void
begin(struct small *s)
{
	struct stk_writer_options options = { .write = write_bytes, .context = s, .level = 1 };

	*s = (struct small){ 0 };
	if (stk_writer_open(&s->writer, &options, &err) < 0)
		abort();
}

/* --- grouping it --- */

/* What the listener heard, as text: samples, parts with what A had in them. */
static char heard[500];

static struct scheme_set set;

static void
hear(const char *format, ...)
{
	size_t size = strlen(heard);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(heard + size, sizeof heard - size, format, args);
	va_end(args);
}

static uint64_t
weight_of(const char *path)
{
	uint32_t group = *path == '\0' ? 0 : scheme_group_of_path(set.schemes[0], text_from(path));
	size_t count;
	const struct group_sum *sums = grouping_sums(set.groupings[0], &count);

	for (size_t i = 0; i < count; i++)
		if (sums[i].group == group)
			return sums[i].weight;
	return 0;
}

/* What the samples of a group stand for; of `untimed` samples it is not known. */
static int64_t
ns_of(const char *path, uint64_t untimed)
{
	uint32_t group = *path == '\0' ? 0 : scheme_group_of_path(set.schemes[0], text_from(path));
	size_t count;
	const struct group_sum *sums = grouping_sums(set.groupings[0], &count);

	for (size_t i = 0; i < count; i++)
		if (sums[i].group == group && !sums[i].shared)
			return sums[i].untimed == untimed ? sums[i].ns : -1;
	return -2;
}

static int
hear_sample(void *context, const struct grouped_sample *one, struct stk_error *unused)
{
	(void)context;
	(void)unused;
	hear("%llu ", (unsigned long long)one->weight);
	return 0;
}

static int
hear_begin(void *context, int64_t from_ns, struct stk_error *unused)
{
	(void)context;
	(void)unused;
	hear("[%lld ", (long long)(from_ns / SECOND));
	return 0;
}

static int
hear_end(void *context, int64_t from_ns, struct stk_error *unused)
{
	(void)context;
	(void)unused;
	hear("A=%llu %lld] ", (unsigned long long)weight_of("A"), (long long)(from_ns / SECOND));
	return 0;
}

static bool once;		/* parts come once */

/* Reads the stream; the figures are the caller's to look at, the set to release. */
static struct sampling
group(struct small *s, int64_t step_ns)
{
	struct selection_options all = { .from_ns = INT64_MIN, .to_ns = INT64_MAX };
	struct sample_groups_options options = {
		.set = &set, .step_ns = step_ns, .once = once, .summing = true,
			.listener = { NULL, hear_sample, hear_begin, hear_end, NULL }
	};
	struct stk_reader_options reading = { .read = read_bytes, .context = s };
	struct sample_groups *groups;
	struct stk_reader *reader;
	struct scheme *scheme;
	struct stk_block block;
	struct sampling sampling;

	if (stk_writer_close(s->writer, true, &err) < 0 || stk_reader_open(&reader, &reading, &err) < 0 ||
	    scheme_read_text(&scheme, "s.yaml", text_from(yaml), NULL, NULL, &err) < 0 ||
		model_open(&options.model) < 0 ||
	    selection_open(&options.selection, options.model, &all, &err) < 0)
		abort();
	*heard = '\0';
	scheme_set_add(&set, scheme);
	sample_groups_open(&groups, &options);
	while (stk_reader_next(reader, &block, &err) > 0)
		if (model_take(options.model, reader, &block, &err) < 0 ||
		    (block.kind == STK_SAMPLE && sample_groups_take(groups, reader, &block, &err) < 0))
			abort();
	if (sample_groups_end(groups, &err) < 0)
		abort();
	sample_groups_settle(groups);
	sampling = *sample_groups_sampling(groups);
	sample_groups_close(groups);
	selection_close(options.selection);
	model_close(options.model);
	stk_reader_close(reader);
	free(s->at);
	return sampling;
}

static void
test_counts(void)
{
	struct small s;
	struct sampling sampling;

	begin(&s);
	(void)stack_of(&s, "a");
	sampling = group(&s, 0);
	ok(sampling.samples == 0 && !time_range_is_known(&sampling.times), "0 samples: nothing, and no time");
	ok(ns_of("A", 0) == -2 && weight_of("A") == 0, "... and they are worth nothing");
	scheme_set_release(&set);

	begin(&s);
	sample(&s, 5 * SECOND, stack_of(&s, "a"), 7);
	sampling = group(&s, 0);
	ok(sampling.samples == 1, "1 sample");
	is_i64(ns_of("A", 1), 0, "... which has no distance to another");
	is_u64(weight_of("A"), 7, "... and its group has its weight");
	is_i64(sampling.times.from_ns, sampling.times.to_ns, "... and its time is the first and the last");
	scheme_set_release(&set);

	begin(&s);
	sample(&s, 5 * SECOND, stack_of(&s, "a"), 1);
	sample(&s, 7 * SECOND, stack_of(&s, "x"), 2);
	sampling = group(&s, 0);
	ok(sampling.samples == 2 && ns_of("A", 0) == 2 * SECOND && ns_of("", 0) == 2 * SECOND,
	   "2 samples 2 s apart are worth 2 s each");
	ok(weight_of("A") == 1 && weight_of("") == 2, "what no group takes is summed as group 0");
	is_text(heard, "1 2 ", "the listener has them in their order");
	scheme_set_release(&set);

	begin(&s);
	sample(&s, 5 * SECOND, stack_of(&s, "both"), 1);
	sample(&s, 6 * SECOND, stack_of(&s, "c"), 10);
	sample(&s, 9 * SECOND, stack_of(&s, "both"), 100);
	sampling = group(&s, 0);
	ok(sampling.samples == 3 && ns_of("A", 0) == 2 * SECOND && ns_of("B/C", 0) == SECOND,
	   "3 samples, 1 and 3 s apart, are worth the lower median each");
	ok(weight_of("A") == 101 && weight_of("B") == 101 && weight_of("B/C") == 10,
	   "a stack of two groups counts in both");
	scheme_set_release(&set);
}

static void
test_times(void)
{
	struct small s;
	struct sampling sampling;
	uint64_t a;

	begin(&s);
	a = stack_of(&s, "a");
	for (int i = 0; i < 3; i++)
		sample(&s, 5 * SECOND, a, 1);
	sampling = group(&s, 0);
	ok(sampling.samples == 3 && ns_of("A", 3) == 0, "3 samples of one time say nothing of the time between");
	is_u64(weight_of("A"), 3, "... and all count");
	scheme_set_release(&set);

	begin(&s);
	a = stack_of(&s, "a");
	sample(&s, 5 * SECOND, a, 1);
	sample(&s, STK_TIME_UNKNOWN, a, 2);
	sampling = group(&s, SECOND);
	ok(sampling.samples == 2 && sampling.times.to_ns == 5 * SECOND, "a sample without a time is no moment");
	is_text(heard, "[5 1 2 A=3 5] ", "... and belongs to the part that is under way");
	scheme_set_release(&set);

	begin(&s);
	a = stack_of(&s, "a");
	sample(&s, STK_TIME_UNKNOWN, a, 1);
	(void)group(&s, SECOND);
	is_text(heard, "1 ", "without any time there is no part");
	scheme_set_release(&set);
}

/* Samples of which the second is of an earlier part than the first. */
static void
begin_back(struct small *s)
{
	uint64_t a;

	begin(s);
	a = stack_of(s, "a");
	sample(s, 20 * SECOND, a, 1);
	sample(s, 19 * SECOND, a, 2);
	sample(s, 45 * SECOND, a, 4);
}

static void
test_parts(void)
{
	struct small s;
	uint64_t a;

	begin(&s);
	a = stack_of(&s, "a");
	sample(&s, 10 * SECOND, a, 1);
	sample(&s, 20 * SECOND - 1, a, 2);
	sample(&s, 20 * SECOND, a, 4);
	(void)group(&s, 10 * SECOND);
	is_text(heard, "[10 1 2 A=3 10] [20 4 A=4 20] ", "a part ends before the moment at which the next begins");
	is_u64(weight_of("A"), 0, "and its sums are cleared");
	scheme_set_release(&set);

	begin_back(&s);
	(void)group(&s, 10 * SECOND);
	is_text(heard, "[20 1 A=1 20] [10 2 A=2 10] [40 4 A=4 40] ",
		"an earlier part begins again, and one without samples not at all");
	scheme_set_release(&set);

	begin_back(&s);
	once = true;
	is_u64(group(&s, 10 * SECOND).late, 1, "where parts come once, a sample of an earlier one is late");
	once = false;
	is_text(heard, "[20 1 2 A=3 20] [40 4 A=4 40] ", "... and counts to the present one");
	scheme_set_release(&set);

	begin(&s);
	(void)group(&s, 10 * SECOND);
	is_text(heard, "", "no samples, no parts");
	scheme_set_release(&set);
}

static void
test_others(void)
{
	struct small s;
	struct stk_sample row = { .time = SECOND, .weight = 5, .processor = -1 };
	struct sampling sampling;

	begin(&s);
	row.event = string_of(&s, "sched:sched_switch");
	row.stack = stack_of(&s, "a");
	add(&s, STK_SAMPLE, &row);
	row.event = string_of(&s, "sched_switched");
	add(&s, STK_SAMPLE, &row);
	sampling = group(&s, 0);
	ok(sampling.samples == 2 && sampling.switches == 1, "a switch of threads is counted as such");
	is_u64(weight_of("A"), 5, "... and is no work; another event is");
	scheme_set_release(&set);

	begin(&s);
	row.event = row.stack = 0;
	row.thread = thread_of(&s, "gc worker");
	add(&s, STK_SAMPLE, &row);
	row.thread = thread_of(&s, "main");
	add(&s, STK_SAMPLE, &row);
	(void)group(&s, 0);
	ok(weight_of("T") == 5 && weight_of("") == 5, "a sample without a stack belongs where its thread's name does");
	scheme_set_release(&set);
}

int
main(void)
{
	test_counts();
	test_times();
	test_parts();
	test_others();
	return tap_end();
}
