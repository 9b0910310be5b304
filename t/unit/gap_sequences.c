/* SPDX-License-Identifier: MIT
 * Conditions on frames anywhere in a stack: sequences with gaps, under and over, against a reference that tries every
 * place; and deep recursion. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "group/attribution.h"

#define LETTERS     3
#define ATOMS_MOST  5
#define FRAMES_MOST 9
#define ROUNDS      20000
#define DEEP        20000

/* A member: a sequence, or one frame with a condition. */
struct wanted { char atoms[ATOMS_MOST + 1]; bool gap[ATOMS_MOST]; unsigned count; char under, over; };

static uint32_t seed = 1;

static unsigned
below(unsigned limit)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % limit;
}

/* --- the reference: every place is tried --- */

/* Whether the first `left` atoms fit before frame `at`, the last of them right there unless a gap follows it. */
static bool
fits_before(const struct wanted *w, const char *stack, unsigned at, unsigned left)
{
	if (left == 0)
		return true;
	for (unsigned place = at; place-- > 0; ) {
		if (stack[place] == w->atoms[left - 1] && fits_before(w, stack, place, left - 1))
			return true;
		if (!w->gap[left - 1])
			return false;
	}
	return false;
}

static bool
holds_at(const struct wanted *w, const char *stack, unsigned count, unsigned at)
{
	const char *under = w->under == 0 ? stack : memchr(stack, w->under, at);
	const char *over = w->over == 0 ? stack : memchr(stack + at + 1, w->over, count - at - 1);

	return stack[at] == w->atoms[w->count - 1] && fits_before(w, stack, at, w->count - 1) && under != NULL &&
	       over != NULL;
}

/* --- the real one --- */

static void
print_scheme(char *to, size_t size, const struct wanted *w)
{
	size_t used = (size_t)snprintf(to, size, "groups: [{name: G, members: [{stack: [");

	for (unsigned i = 0; i < w->count; i++)
		used += (size_t)snprintf(to + used, size - used, "%s%c",
					 i == 0          ? ""
					 : w->gap[i - 1] ? ", '...', "
							 : ", ",
					 w->atoms[i]);
	used += (size_t)snprintf(to + used, size - used, "]");
	if (w->under != 0)
		used += (size_t)snprintf(to + used, size - used, ", under: %c", w->under);
	if (w->over != 0)
		used += (size_t)snprintf(to + used, size - used, ", over: %c", w->over);
	(void)snprintf(to + used, size - used, "}]}]");
}

static struct scheme *
open_scheme(const struct wanted *w)
{
	struct stk_error err = { 0 };
	struct scheme *scheme;
	char text[400];

	print_scheme(text, sizeof text, w);
	if (scheme_read_text(&scheme, "gaps.yaml", text_from(text), NULL, NULL, &err) == 0)
		return scheme;
	printf("Bail out! %s\n", err.text);
	exit(99);
}

static void
number_frames(struct attribution *a, const char *stack, unsigned count, uint32_t *frames)
{
	for (unsigned i = 0; i < count; i++) {
		struct frame_parts parts = { text_of(stack + i, 1), text_of("", 0), text_of("", 0) };

		frames[i] = attribution_frame(a, &parts);
	}
}

/* --- random cases --- */

static struct wanted
random_wanted(void)
{
	struct wanted w = { .count = 1 + below(ATOMS_MOST) };

	for (unsigned i = 0; i < w.count; i++) {
		w.atoms[i] = (char)('a' + below(LETTERS));
		w.gap[i] = below(2) != 0;
	}
	w.under = (char)(below(4) == 0 ? 'a' + below(LETTERS) : 0);
	w.over = (char)(below(4) == 0 ? 'a' + below(LETTERS) : 0);
	return w;
}

/* How many frames of random stacks differ from the reference; both ways of asking. */
static unsigned
differences(const struct wanted *w, struct attribution *a, uint64_t *held)
{
	char stack[FRAMES_MOST + 1] = "";
	uint32_t frames[FRAMES_MOST], groups[FRAMES_MOST];
	unsigned count = 1 + below(FRAMES_MOST), wrong = 0;
	struct claims claims = { 0 };
	size_t claim = 0;

	for (unsigned i = 0; i < count; i++)
		stack[i] = (char)('a' + below(LETTERS));
	number_frames(a, stack, count, frames);
	attribution_claims(a, frames, count, &claims);
	attribution_of_frames(a, frames, count, groups);
	for (unsigned at = 0; at < count; at++) {
		bool holds = holds_at(w, stack, count, at),
		     claimed = claim < claims.list.count && claims.list.at[claim].depth == at;

		claim += claimed;
		*held += holds;
		wrong += holds != claimed || holds != (groups[at] != 0);
	}
	array_release(&claims.list);
	return wrong;
}

static void
test_random(void)
{
	uint64_t held = 0;
	unsigned wrong = 0;

	for (unsigned round = 0; round < ROUNDS && wrong == 0; round++) {
		struct wanted w = random_wanted();
		struct scheme *scheme = open_scheme(&w);
		struct attribution *a;

		attribution_open(&a, scheme);
		for (unsigned stacks = 0; stacks < 5; stacks++)
			wrong += differences(&w, a, &held);
		attribution_close(a);
		scheme_close(scheme);
	}
	is_u64(wrong, 0, "%d random members say of each frame of 5 random stacks what trying every place says", ROUNDS);
	ok(held > ROUNDS / 4, "and many of them hold (%u)", (unsigned)held);
}

/* --- recursion --- */

/* A deep stack in which no frame fits the first atom: whoever tries all places does not come back. */
static void
test_deep(const struct wanted *w, char first, bool wanted)
{
	static char stack[DEEP];
	static uint32_t frames[DEEP];
	struct scheme *scheme = open_scheme(w);
	struct claims claims = { 0 };
	struct attribution *a;

	memset(stack, 'a', sizeof stack);
	stack[0] = first;
	stack[DEEP - 1] = 'b';
	attribution_open(&a, scheme);
	number_frames(a, stack, DEEP, frames);
	attribution_claims(a, frames, DEEP, &claims);
	ok((claims.list.count > 0) == wanted, "%d frames of recursion, '%c' at the root: %s", DEEP, first,
	   wanted ? "it fits" : "it does not fit");
	array_release(&claims.list);
	attribution_close(a);
	scheme_close(scheme);
}

int
main(void)
{
	static const struct wanted gaps = { .atoms = "caab", .gap = { true, true, true }, .count = 4 };
	static const struct wanted everywhere = {
		.atoms = "caaaa", .gap = { true, true, true, true }, .count = 5, .under = 'c', .over = 'b'
	};

	alarm(300);
	test_random();
	test_deep(&gaps, 'c', true);
	test_deep(&gaps, 'a', false);
	test_deep(&everywhere, 'c', true);
	test_deep(&everywhere, 'a', false);
	return tap_end();
}
