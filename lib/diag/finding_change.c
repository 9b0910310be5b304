/* SPDX-License-Identifier: MIT
 * finding_change: findings that are the same are matched by a key, and what they lasted is compared in sum, since what
 * happened five times yesterday is not five findings that are gone when it happens once today. */
#include "diag/finding_change.h"

#include "base/time_math.h"
#include "model/frame_identity.h"

#define LONGER_BY     1.25	/* times as long; less is no change */
#define DUMPS_BETWEEN 2		/* and by so many dumps at least: a beginning or end is not known better */
#define GAP_DUMPS     3		/* times the distance of dumps: longer is a gap, and nobody knows what was in it */
#define KEY_MAX       1024

struct side {
	const struct diagnosis *diagnosis;
	struct diag_findings *findings;
};

const char *
finding_change_name(enum finding_change change)
{
	static const char *const names[] = { "", "new", "continued", "longer", "shorter", "same", "gone", "unknown" };

	return names[change];
}

/* --- processes --- */

static const struct diag_process *
process_of(const struct side *side, uint32_t process)
{
	return dump_intake_process(diagnosis_intake(side->diagnosis), process);
}

static struct stk_text
text_of_side(const struct side *side, uint64_t text)
{
	return diagnosis_text(side->diagnosis, (uint32_t)text);
}

/* Several sources are one process: it goes by what their names have in common, and by the name of the latest. */
static bool
same_process(const struct side *a, uint32_t process, const struct side *b, uint32_t other)
{
	const struct diag_process *x = process_of(a, process), *y = process_of(b, other);

	if (!text_equal(text_of_side(a, x->row.host), text_of_side(b, y->row.host)))
		return false;
	return text_equal(text_of_side(a, x->name), text_of_side(b, y->name)) ||
	       text_equal(text_of_side(a, x->row.name), text_of_side(b, y->row.name));
}

/* A process that has dumps in the window. */
static uint32_t
only_process(const struct side *side)
{
	uint32_t only = 0;

	for (uint32_t p = 1; p <= dump_intake_processes(diagnosis_intake(side->diagnosis)); p++) {
		if (process_of(side, p)->dumps == 0)
			continue;
		if (only != 0)
			return 0;
		only = p;
	}
	return only;
}

/* Whether `other` is to be compared with `process`. 0, which is all of them, only with itself. */
static bool
are_compared(const struct side *a, uint32_t process, const struct side *b, uint32_t other)
{
	uint32_t x, y;

	if (process == 0 || other == 0)
		return process == other;
	if (same_process(a, process, b, other))
		return true;
	x = only_process(a);
	y = only_process(b);
	return x == process && y == other &&
	       text_equal(text_of_side(a, process_of(a, x)->row.host), text_of_side(b, process_of(b, y)->row.host));
}

bool
findings_pair_processes(const struct diagnosis *now, const struct diagnosis *before, struct stk_text names[2])
{
	const struct side a = { now, NULL }, b = { before, NULL };
	uint32_t x = only_process(&a), y = only_process(&b);

	if (x == 0 || y == 0 || same_process(&a, x, &b, y) || !are_compared(&a, x, &b, y))
		return false;
	names[0] = text_of_side(&a, process_of(&a, x)->name);
	names[1] = text_of_side(&b, process_of(&b, y)->name);
	return true;
}

/* Whether the other side has anything of the process: without, what it does not show is not gone, nor new. */
static bool
is_known(const struct side *a, uint32_t process, const struct side *b)
{
	if (process == 0)
		return dump_intake_totals(diagnosis_intake(b->diagnosis))->dumps > 0 ||
		       diagnosis_measures(b->diagnosis) > 0;
	for (uint32_t p = 1; p <= dump_intake_processes(diagnosis_intake(b->diagnosis)); p++)
		if (process_of(b, p)->dumps > 0 && are_compared(a, process, b, p))
			return true;
	return false;
}

/* --- findings --- */

/* The rules that say of a lock what its holder does. */
static bool
is_of_holder(enum diag_rule rule)
{
	return rule == RULE_CONVOY || rule == RULE_BLOCKED || rule == RULE_HOLDER_IDLE;
}

static bool
same_subject(struct stk_text a, struct stk_text b)
{
	char x[KEY_MAX], y[KEY_MAX];
	size_t x_size = thread_pool(a, x, sizeof x), y_size = thread_pool(b, y, sizeof y);

	if (x_size > sizeof x || y_size > sizeof y)
		return text_equal(a, b);
	return text_equal(text_of(x, x_size), text_of(y, y_size));
}

static bool
are_same(const struct side *a, const struct finding *x, const struct side *b, const struct finding *y)
{
	return (x->rule == y->rule || (is_of_holder(x->rule) && is_of_holder(y->rule))) &&
	       same_subject(x->subject, y->subject) && are_compared(a, x->process, b, y->process);
}

static int64_t
length_of(const struct finding *finding)
{
	return finding->length_ns > 0 ? finding->length_ns : finding->times.to_ns - finding->times.from_ns;
}

struct sum {
	int64_t length_ns;
	uint64_t dumps;
	unsigned found;
	struct time_range times;
};

/* Of all findings of a side that are the same as this one. Of the rules of a lock the same time counts once: the
 * finding's own rule, where the side has it. */
static struct sum
sum_of(const struct side *a, const struct finding *x, const struct side *b)
{
	struct sum own = { .times = TIME_RANGE_NONE }, any = own;

	for (size_t f = 0; f < b->findings->list.count; f++) {
		const struct finding *y = &b->findings->list.at[f];
		struct sum *sum = y->rule == x->rule ? &own : &any;

		if (!are_same(a, x, b, y))
			continue;
		sum->length_ns += length_of(y);
		sum->dumps += y->dumps;
		sum->found++;
		time_range_join(&sum->times, &y->times);
	}
	return own.found > 0 ? own : any;
}

static int64_t
distance(const struct sum *sum)
{
	return sum->dumps == 0 ? 0 : sum->length_ns / (int64_t)sum->dumps;
}

static enum finding_change
change_of_length(const struct sum *now, const struct sum *before)
{
	int64_t step = DUMPS_BETWEEN * (distance(now) > distance(before) ? distance(now) : distance(before));
	double a = (double)now->length_ns, b = (double)before->length_ns;

	if (a > b * LONGER_BY && a >= b + (double)step)
		return CHANGE_LONGER;
	return b > a * LONGER_BY && b >= a + (double)step ? CHANGE_SHORTER : CHANGE_SAME;
}

/* Whether it is on in the last dump of its process on one side, and in the first on the other, and not much time is
 * between these. */
static bool
crosses(const struct side *early, const struct finding *x, const struct side *late, const struct finding *y)
{
	int64_t gap = time_difference(x->times.to_ns, y->times.from_ns);

	return x->process != 0 && y->process != 0 && x->dumps > 0 &&
	       gap / GAP_DUMPS <= length_of(x) / (int64_t)x->dumps &&
	       x->times.to_ns == process_of(early, x->process)->times.to_ns &&
	       y->times.from_ns == process_of(late, y->process)->times.from_ns;
}

static bool
is_continued(const struct side *a, const struct finding *x, const struct side *b)
{
	for (size_t f = 0; f < b->findings->list.count; f++) {
		const struct finding *y = &b->findings->list.at[f];

		if (are_same(a, x, b, y) && (y->times.to_ns < x->times.from_ns ? crosses(b, y, a, x)
										 : crosses(a, x, b, y)))
			return true;
	}
	return false;
}

static void
compare_finding(const struct side *a, struct finding *x, const struct side *b, bool touching)
{
	struct sum before = sum_of(a, x, b), now;

	if (x->rule == RULE_HEALTHY || x->rule == RULE_TORN)
		return;
	x->past.times = before.times;
	x->past.length_ns = before.length_ns;
	if (before.found == 0) {
		x->past.change = is_known(a, x->process, b) ? CHANGE_NEW : CHANGE_UNKNOWN;
		return;
	}
	now = sum_of(a, x, a);
	x->past.here_ns = now.length_ns;
	x->past.change = touching && is_continued(a, x, b) ? CHANGE_CONTINUED : change_of_length(&now, &before);
}

void
findings_compare(const struct diagnosis *now, struct diag_findings *findings, const struct diagnosis *before,
		 struct diag_findings *others, bool touching)
{
	const struct side a = { now, findings }, b = { before, others };

	for (size_t f = 0; f < findings->list.count; f++)
		compare_finding(&a, &findings->list.at[f], &b, touching);
	for (size_t f = 0; f < others->list.count; f++) {
		struct finding *y = &others->list.at[f];

		if (y->rule != RULE_HEALTHY && y->rule != RULE_TORN && sum_of(&b, y, &a).found == 0)
			y->past.change = is_known(&b, y->process, &a) ? CHANGE_GONE : CHANGE_UNKNOWN;
	}
}

size_t
findings_changed(const struct diag_findings *findings, enum finding_change change)
{
	size_t count = 0;

	for (size_t f = 0; f < findings->list.count; f++)
		count += findings->list.at[f].past.change == change;
	return count;
}
