/* SPDX-License-Identifier: MIT
 * Labels of stacks: the leaf and the callers that matter, as few as tell them apart; different stacks are never called
 * the same. */
#include "report/leaf_labels.h"
#include "report/short_name.h"

#include "../lib/tap.h"

#include <stdlib.h>

static bool
are_called(const char *const *stacks, const char *const *wanted, size_t count, unsigned frames)
{
	struct stk_text labels[8];
	struct text_buffer room = { 0 };
	bool well = true;

	for (size_t i = 0; i < count; i++)
		labels[i] = text_from(stacks[i]);
	leaf_labels(labels, count, frames, &room);
	for (size_t i = 0; i < count; i++)
		if (!text_is(labels[i], wanted[i])) {
			printf("# %.*s, not %s\n", (int)labels[i].size, labels[i].data, wanted[i]);
			well = false;
		}
	array_release(&room);
	return well;
}

#define CALLED(frames, ...) \
	are_called(stacks, (const char *const[]){ __VA_ARGS__ }, sizeof stacks / sizeof *stacks, frames)

static void
check_one(void)
{
	static const char *const stacks[] = { "com.acme.A.read < com.acme.B.serve < com.acme.C.run < main", "main", "" };
	struct text_buffer room = { 0 };

	leaf_labels(NULL, 0, 2, &room);
	ok(room.count == 0, "no stack is no work");
	array_release(&room);
	ok(CALLED(2, "A.read < B.serve", "main", ""), "the leaf and its caller, without packages");
	ok(CALLED(9, "A.read < B.serve < C.run < main", "main", ""), "... and as many as there are");
	ok(CALLED(1, "A.read", "main", ""), "... or the leaf alone");
}

static void
check_platform(void)
{
	static const char *const stacks[] = {
		"jdk.internal.misc.Unsafe.park < java.util.A.park < java.util.B.await < java.util.C.take < com.acme.Shop.take",
		"java.lang.Thread.sleep < com.acme.Shop.wait < com.acme.Shop.run",
		"java.net.A.read < java.net.B.read < com.acme.Shop.read",
		"java.lang.A.f < java.lang.B.f < java.lang.C.f",
	};

	ok(CALLED(2, "Unsafe.park < .. < Shop.take", "Thread.sleep < Shop.wait", "A.read < B.read", "A.f < B.f"),
	   "callers of the platform give way to one that is not, unless it is near or there is none");
}

static void
check_alike(void)
{
	static const char *const stacks[] = { "a.L.park < a.M.await < a.N.x < a.P.one", "a.L.park < a.M.await < a.N.x < a.P.two",
					      "a.L.park < a.M.await < a.O.y", "a.L.park < a.M.await",
					      "a.L.park < a.M.await < a.N.x < a.P.one" };

	ok(CALLED(2, "L.park < M.await < N.x < P.one", "L.park < M.await < N.x < P.two", "L.park < M.await < O.y",
		  "L.park < M.await", "L.park < M.await < N.x < P.one"),
	   "stacks with the same beginning get the frames in which they differ; equal ones stay equal");
}

static void
check_packages(void)
{
	static const char *const stacks[] = { "com.acme.old.A.f < com.acme.Main.run", "com.acme.new.A.f < com.acme.Main.run" };

	ok(CALLED(2, "com.acme.old.A.f < com.acme.Main.run", "com.acme.new.A.f < com.acme.Main.run"),
	   "names that differ in their packages are whole");
}

static void
check_names(void)
{
	static const char *const names[][2] = {
		{ "com.example.shop.Shop.hash", "Shop.hash" },
		{ "tcp_recvmsg.isra.9", "tcp_recvmsg.isra.9" },
		{ "std::vector<a::b>::push", "vector<a::b>::push" },
		{ "org/mozilla/Context:.call", "Context:.call" },
		{ "Shop$$Lambda$4/0x00007f0984002228.run", "Shop$$Lambda$4/0x00007f0984002228.run" },
		{ "com.acme.Shop$$Lambda/0x7f1c.run", "Shop$$Lambda/0x7f1c.run" },
		{ "[libc.so.6]", "[libc.so.6]" },
	};
	bool well = true;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!text_is(short_name(text_from(names[i][0])), names[i][1])) {
			printf("# %s\n", names[i][0]);
			well = false;
		}
	ok(well, "a short name has its class or function, and what tells hidden classes apart");
}

/* Stacks over few names are alike in all ways there are. */
static void
check_any(void)
{
	static const char *const names[] = { "a.A.f", "b.A.f", "java.x.A.f", "A.f", "[unknown]", "a::b::f", ".." };
	enum { COUNT = 400 };
	struct text_buffer text = { 0 }, room = { 0 };
	struct stk_text before[COUNT], after[COUNT];
	size_t from[COUNT + 1];
	bool well = true;

	srand(5);
	for (size_t i = 0; i < COUNT; i++) {
		int frames = rand() % 90;

		from[i] = text.count;
		for (int k = 0; k <= frames; k++) {
			add_string(&text, k > 0 ? LEAF_BETWEEN : "");
			add_string(&text, names[k < frames - 3 && rand() % 4 != 0 ? 0 : rand() % 7]);
		}
	}
	from[COUNT] = text.count;
	for (size_t i = 0; i < COUNT; i++)
		before[i] = after[i] = text_of(text.at + from[i], from[i + 1] - from[i]);
	leaf_labels(after, COUNT, 2, &room);
	for (size_t i = 0; i < COUNT; i++)
		for (size_t k = 0; k < i; k++)
			well &= text_equal(before[i], before[k]) == text_equal(after[i], after[k]);
	ok(well, "whatever the stacks are, different ones are called differently, and equal ones the same");
	array_release(&text);
	array_release(&room);
}

static void
check_arrows(void)
{
	static const char *const stacks[] = { "app::run::apply<fn(u64) -> a::b::u64> < app::main::start < main" };

	ok(CALLED(2, "run::apply<fn(u64) -> a::b::u64> < main::start"), "the arrow of a type closes no bracket");
}

int
main(void)
{
	check_one();
	check_platform();
	check_arrows();
	check_alike();
	check_packages();
	check_names();
	check_any();
	return tap_end();
}
