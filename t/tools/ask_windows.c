/* SPDX-License-Identifier: MIT
 * ask_windows: random windows of a recording against a list of its samples, all in one process: `ask_windows RECORDING
 * SAMPLES COUNT SEED`. A line of SAMPLES is a time in ns, a weight and a folded stack. Each stack's weight must be that
 * of a scan; where the answer says that samples are left out, it may be less by as much as the answer says; where it
 * says that it is estimated, it may be what its bounds say; and once damage was reported, it may be less, never more.
 * Samples are counted if each weight is 1. Prints the windows that are wrong, and how many were exact; exit status 1
 * when any is wrong. */
#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "timetree/recording.h"

#include <stdio.h>
#include <stdlib.h>

struct listed { int64_t time; uint64_t weight; uint32_t node; };

struct asking {
	struct recording *recording;
	struct call_tree tree;			/* columns: the answer, the scan, what is estimated of the answer, and
						 * how much that can be instead */
	ARRAY(struct listed) samples;
	uint64_t seed, wrong, exact, damages;
	bool by_samples;
};

static uint64_t
chance(struct asking *a)
{
	a->seed ^= a->seed << 13;
	a->seed ^= a->seed >> 7;
	a->seed ^= a->seed << 17;
	return a->seed;
}

static void
hear_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	struct asking *a = context;

	(void)offset, (void)bytes, (void)what;
	a->damages++;
}

static void
hear_loss(void *context, int64_t from_ns, int64_t to_ns, const char *why)
{
	struct asking *a = context;

	(void)from_ns, (void)to_ns, (void)why;
	a->damages++;
}

static bool
read_samples(struct asking *a, const char *path)
{
	static char line[65536];
	FILE *file = fopen(path, "r");

	while (file != NULL && fgets(line, sizeof line, file) != NULL) {
		char *at;
		struct listed *sample = array_push(&a->samples);

		sample->time = strtoll(line, &at, 10);
		sample->weight = strtoull(at, &at, 10);
		at += *at == ' ';
		sample->node = call_tree_path(&a->tree, 0, text_of(at, strcspn(at, "\n")));
	}
	return file != NULL && fclose(file) == 0 && a->samples.count > 0;
}

/* An end of a window: of a sample, beside one, or anywhere from a little before to a little after the recording. */
static int64_t
some_moment(struct asking *a)
{
	int64_t first = a->samples.at[0].time, last = a->samples.at[a->samples.count - 1].time;
	int64_t at = a->samples.at[chance(a) % a->samples.count].time;
	uint64_t way = chance(a) % 4;

	if (way < 2)
		return at + (int64_t)way;
	return way == 2 ? first - 1000 + (int64_t)(chance(a) % (uint64_t)(last - first + 2000))
			: at + (int64_t)(chance(a) % 2000000000) - 1000000000;
}

static bool
counts_samples(const struct asking *a)
{
	for (size_t i = 0; i < a->samples.count; i++)
		if (a->samples.at[i].weight != 1)
			return false;
	return true;
}

static void
scan(struct asking *a, struct tree_interval window)
{
	for (size_t i = 0; i < a->samples.count; i++) {
		const struct listed *sample = &a->samples.at[i];

		if (sample->time >= window.from && sample->time < window.to)
			call_tree_self(&a->tree, sample->node)[1] += sample->weight;
	}
}

/* Between which counts a stack's may be. */
static bool
is_right(const struct asking *a, const uint64_t *self, uint64_t left_out)
{
	uint64_t sure = self[0] - self[2], most = sure + self[3] + left_out;

	return self[1] >= sure && (self[1] <= most || a->damages > 0);
}

static void
compare(struct asking *a, struct tree_interval window, const struct answer *answer)
{
	const struct left_out *left = &answer->tree.left;
	uint64_t left_out = a->by_samples ? left->samples : left->weight, got = 0, want = 0;
	uint64_t bound = a->by_samples ? left->alike_bound : left->weight_bound;

	for (uint32_t node = 0; node < a->tree.nodes.count; node++) {
		const uint64_t *self = call_tree_self(&a->tree, node);

		got += self[0];
		want += self[1];
		if (is_right(a, self, bound))
			continue;
		printf("%lld..%lld: node %u: %llu, %llu estimated, expected %llu\n", (long long)window.from,
		       (long long)window.to, node, (unsigned long long)self[0], (unsigned long long)self[2],
		       (unsigned long long)self[1]);
		a->wrong++;
		return;
	}
	a->exact += got == want;
	if (got + left_out == want || a->damages > 0 || answer->estimated > 0)
		return;
	printf("%lld..%lld: %llu and %llu left out, expected %llu\n", (long long)window.from, (long long)window.to,
	       (unsigned long long)got, (unsigned long long)left_out, (unsigned long long)want);
	a->wrong++;
}

/* Bounds of estimates: left out of them is what is left out, which the answer has. */
static int
grow(struct asking *a, struct answer *answer, struct stk_error *err)
{
	struct answer_bounds known;

	if (recordings_grow(&a->recording, 1, (struct growth_limits){ 0 }, &a->tree, 0, answer, err) < 0)
		return -1;
	return answer->estimated == 0 ? 0 : recordings_grow_bounds(&a->recording, 1, &a->tree, 0, 2, &known, err);
}

int
main(int argc, char **argv)
{
	struct recording_options options = { .by = "none" };
	struct recording_listener listener = { .damage = hear_damage, .lost = hear_loss };
	struct asking a = { .seed = argc == 5 ? strtoull(argv[4], NULL, 10) * 2654435761u + 1 : 0 };
	struct stk_error err = { 0 };

	listener.context = &a;
	call_tree_open(&a.tree, 4);
	if (argc != 5 || !read_samples(&a, argv[2])) {
		fprintf(stderr, "ask_windows: expected RECORDING SAMPLES COUNT SEED\n");
		return 2;
	}
	options.samples = a.by_samples = counts_samples(&a);
	if (recording_open(&a.recording, argv[1], &options, &listener, &err) < 0) {
		fprintf(stderr, "ask_windows: %s\n", err.text);
		return 2;
	}
	for (long count = strtol(argv[3], NULL, 10); count > 0 && a.wrong < 10; count--) {
		int64_t one = some_moment(&a), other = some_moment(&a);
		struct tree_interval window = { one < other ? one : other, (one < other ? other : one) + 1 };
		struct answer answer = { 0 };

		call_tree_clear(&a.tree);
		scan(&a, window);
		if (recording_count(a.recording, window, &answer, &err) < 0 ||
		    grow(&a, &answer, &err) < 0) {
			fprintf(stderr, "ask_windows: %s\n", err.text);
			return 2;
		}
		compare(&a, window, &answer);
	}
	printf("%llu of %s windows exact\n", (unsigned long long)a.exact, argv[3]);
	recording_close(a.recording);
	call_tree_release(&a.tree);
	array_release(&a.samples);
	return a.wrong > 0;
}
