/* SPDX-License-Identifier: MIT
 * Groups: both worked examples of the method's source to the letter, and every rule of attribution by itself. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "group/attribution.h"
#include "group/event_order.h"
#include "group/event_time.h"
#include "group/scheme_files.h"

#include <sys/stat.h>

#define MS INT64_C(1000000)

static struct scheme *
scheme_of(const char *text)
{
	struct scheme *scheme;
	struct stk_error err = { 0 };

	if (scheme_read_text(&scheme, "test.yaml", text_from(text), NULL, NULL, &err) < 0) {
		printf("# %s\n", err.text);
		stk_error_clear(&err);
		return NULL;
	}
	return scheme;
}

/* The groups of a stack "a;b;c", with commas between; a frame may be "function@module". */
static const char *
groups_of(const char *yaml, const char *stack)
{
	static char result[256];
	struct scheme *scheme = scheme_of(yaml);
	struct attribution *a;
	struct claims claims = { 0 };
	uint32_t frames[64], count = 0;
	char copy[256], *next = copy;

	*result = '\0';
	if (scheme == NULL)
		return "(broken)";
	attribution_open(&a, scheme);
	(void)snprintf(copy, sizeof copy, "%s", stack);
	for (char *frame; (frame = strsep(&next, ";")) != NULL; ) {
		char *at = strchr(frame, '@');
		struct frame_parts parts = { text_of(frame, at == NULL ? strlen(frame) : (size_t)(at - frame)),
					     text_from(at == NULL ? "" : at + 1), text_of("", 0) };

		frames[count++] = attribution_frame(a, &parts);
	}
	attribution_claims(a, frames, count, &claims);
	for (size_t i = 0; i < claims.list.count; i++) {
		struct stk_text path = scheme->groups.at[claims.list.at[i].group - 1].path;

		if (claims.list.at[i].won)
			(void)snprintf(result + strlen(result), sizeof result - strlen(result), "%s%.*s",
				       *result == '\0' ? "" : ",", (int)path.size, path.data);
	}
	array_release(&claims.list);
	attribution_close(a);
	scheme_close(scheme);
	return *result == '\0' ? "-" : result;
}

static void
test_stacks(void)
{
	static const char abc[] =
		"groups: [{name: A, members: [A], children: [{name: B, members: [B], children: [{name: C, members: [C]}]}]}]";
	static const char lower[] =
		"groups: [{name: A, members: [A], children: [{name: B, members: [B], children: [{name: C, members: [C], priority: -1}]}]}]";

	is_text(groups_of(abc, "A"), "A", "example 2: A");
	is_text(groups_of(abc, "A;B"), "A/B", "A::B");
	is_text(groups_of(abc, "A;B;C"), "A/B/C", "A::B::C");
	is_text(groups_of(abc, "D;C"), "A/B/C", "D::C: the nearest frame with a group; A and B need not be there");
	is_text(groups_of(abc, "x;y"), "-", "none");
	is_text(groups_of(lower, "A;B;C"), "A/B", "with C of a lower priority the third sample goes to B");
	is_text(groups_of(lower, "D;C"), "A/B/C", "and D::C still to C");
	is_text(groups_of(abc, "B;A"), "A/B", "B::A goes to B: a descendant before its ancestor wherever they stand");
}

static void
test_rules(void)
{
	static const char two[] = "groups: [{name: X, members: [f]}, {name: Y, members: [g]}, {name: Z, members: [g]}]";
	static const char siblings[] = "siblings: [{name: X, members: [g]}, {name: Y, members: [g]}]";
	static const char cousins[] =
		"siblings: [{name: X, children: [{name: x, members: [g]}]}, {name: Y, children: [{name: y, members: [g]}]}]";
	static const char modules[] =
		"groups: [{name: L, members: [{module: '*libc.so*', method: malloc}]}, {name: M, members: [{module: '*'}]}]";
	static const char contexts[] =
		"groups: [{name: R, members: [{method: read, caller: f}]}, {name: S, members: [{method: read, under: g}]}, {name: T, members: [{method: t, callee: read}]}]";
	static const char sequence[] = "groups: [{name: A, members: [{stack: [A, B, C]}, {stack: [X, '...', C]}]}]";

	is_text(groups_of(two, "f;g"), "Y,Z", "several groups of one frame each get it");
	is_text(groups_of(two, "g;f"), "X", "the frame nearest the leaf decides");
	is_text(groups_of(siblings, "g"), "X", "siblings are exclusive: the first in the file");
	is_text(groups_of(cousins, "g"), "X/x", "and so is what stands below them");
	is_text(groups_of(modules, "malloc@/lib/libc.so.6"), "L,M", "module and method, and any module");
	is_text(groups_of(modules, "malloc"), "M", "any module, also none");
	is_text(groups_of(contexts, "f;read"), "R", "caller: the frame before");
	is_text(groups_of(contexts, "f;x;read"), "-", "and no other");
	is_text(groups_of(contexts, "g;x;read"), "S", "under: any frame before");
	is_text(groups_of(contexts, "t;read"), "T", "callee: the frame behind");
	is_text(groups_of(sequence, "A;B;C"), "A", "a sequence");
	is_text(groups_of(sequence, "X;Y;C"), "A", "with a gap");
	is_text(groups_of(sequence, "D;E;C"), "-", "and neither: D::E::C does not count");
	is_text(groups_of(sequence, "A;x;B;C"), "-", "without a gap frames follow one another");
	is_text(groups_of("groups: [{name: p, members: ['*'], priority: 5}, {name: q, members: [z]}]", "z"), "p",
		"an explicit priority outranks nearness");
}

static void
test_libraries(void)
{
	static const char shop[] =
		"libraries: ['java.**', {module: '*libc.so*', method: m*}]\n"
		"siblings: [{name: map, members: [java.util.*]}, {name: run, members: [{method: task, under: java.run}]}, {name: shop, members: [shop.*]}, {name: rest, members: ['*']}]";
	static const char all[] =
		"libraries: '*'\ngroups: [{name: gc, members: [{thread: GC*}]}, {name: held, members: [{state: blocked}]}, {name: f, members: [f]}]";

	is_text(groups_of(shop, "shop.add;java.util.put"), "shop", "a frame of a library is passed over");
	is_text(groups_of(shop, "shop.add;json.write;java.util.put"), "rest", "the nearest frame outside of libraries decides");
	is_text(groups_of(shop, "java.run;java.util.put"), "-", "a stack of libraries only is in no group");
	is_text(groups_of(shop, "java.run;x;task;java.util.put"), "run", "conditions see frames of libraries");
	is_text(groups_of(shop, "shop.add;malloc@/lib/libc.so.6"), "shop", "module and method of a library");
	is_text(groups_of(shop, "shop.add;read@/lib/libc.so.6"), "rest", "both must match");
	is_text(groups_of(shop, "shop.add;malloc@/lib/mine.so"), "rest", "also the module");
	is_text(groups_of(all, "f"), "-", "all is of libraries");
	is_text(groups_of(all, "GC 1@[thread]"), "gc", "but threads without a stack");
	is_text(groups_of(all, "f;blocked@[state]"), "held", "and states");
	is_text(groups_of("libraries: [{method: f, under: g}]\ngroups: [{name: f, members: [f]}]", "f"), "(broken)",
		"a library has no conditions");
}

/* One line an event: time in ms, what, name. */
struct line { int64_t ms; enum stk_happening what; const char *name; double value; };

static struct event_time *
play(struct scheme *scheme, const struct line *lines, size_t count)
{
	struct event_time *e;

	event_time_open(&e, scheme);
	for (size_t i = 0; i < count; i++) {
		struct stk_event event = { .time = lines[i].ms * MS,
					   .happening = lines[i].what,
					   .name = text_from(lines[i].name),
					   .value = lines[i].value };

		event_time_take(e, &(struct event_place){ .thread = 1 }, &event);
	}
	event_time_end(e);
	return e;
}

static void
test_pairs(void)
{
	static const char yaml[] =
		"groups: [{name: A, events: {start: a, stop: /a}}, {name: B, events: {start: b, stop: /b}}, {name: C, events: {start: c, stop: /c}}]";
	/* nine milliseconds: A 0, B 1, C 2; switched out 3, 4, 5; B 6, A 7; a C pair alone at 8 */
	static const struct line lines[] = {
		{ 0, STK_HAPPENING_START, "a", 0 },     { 1, STK_HAPPENING_START, "b", 0 },
		{ 2, STK_HAPPENING_START, "c", 0 },     { 3, STK_HAPPENING_STOP, "/c", 0 },
		{ 3, STK_HAPPENING_SWITCH_OUT, "", 0 }, { 6, STK_HAPPENING_SWITCH_IN, "", 0 },
		{ 7, STK_HAPPENING_STOP, "/b", 0 },     { 8, STK_HAPPENING_STOP, "/a", 0 },
		{ 8, STK_HAPPENING_START, "c", 0 },     { 9, STK_HAPPENING_STOP, "/c", 0 }
	};
	struct scheme *scheme = scheme_of(yaml);
	struct event_time *e = play(scheme, lines, sizeof lines / sizeof *lines);
	struct event_oddities odd = event_time_oddities(e);

	is_i64(event_time_of(e, 0, 0, 1)->ns, 2 * MS, "example 1: A before the switch and after it");
	is_i64(event_time_of(e, 0, 0, 2)->ns, 2 * MS, "B before and after");
	is_i64(event_time_of(e, 0, 0, 3)->ns, 2 * MS, "C before, and alone at the end");
	is_i64(event_time_of(e, 0, 0, 0)->ns, 0, "switched out belongs to nobody, not even to none");
	is_u64(event_time_of(e, 0, 0, 3)->pairs, 2, "two pairs of C");
	ok(odd.unstarted + odd.unstopped + odd.overlapping + odd.backward == 0, "nothing odd about it");
	event_time_close(e);
	scheme_close(scheme);
}

static void
test_payload(void)
{
	static const char yaml[] =
		"groups: [{name: render, events: {start: begin, stop: end}}, {name: alloc, events: {point: bytes}}]";
	static const struct line lines[] = { { 0, STK_HAPPENING_START, "begin", 0 },
					     { 1, STK_HAPPENING_POINT, "bytes", 100 },
					     { 2, STK_HAPPENING_STOP, "end", 0 },
					     { 3, STK_HAPPENING_POINT, "bytes", 7 },
					     { 4, STK_HAPPENING_POINT, "other", 1 } };
	struct scheme *scheme = scheme_of(yaml);
	struct event_time *e = play(scheme, lines, 5);
	const struct group_events *own;

	ok(event_time_of(e, 0, 0, 1)->payload > 99 && event_time_of(e, 0, 0, 1)->payload < 101,
	   "bytes inside an open pair are the pair's");
	own = event_time_of(e, 0, 0, 2);
	ok(own->payload > 6 && own->payload < 8 && own->points == 2,
	   "outside they are their own group's");
	is_u64(event_time_oddities(e).unknown, 1, "an event that no group speaks of");
	event_time_close(e);
	scheme_close(scheme);
}

static void
test_odd_events(void)
{
	static const char yaml[] =
		"groups: [{name: A, events: {start: a, stop: /a}}, {name: B, events: {start: b, stop: /b}}]";
	static const struct line lines[] = {
		{ 0, STK_HAPPENING_STOP, "/a", 0 },    { 1, STK_HAPPENING_START, "a", 0 },
		{ 2, STK_HAPPENING_START, "b", 0 },    { 3, STK_HAPPENING_STOP, "/a", 0 },
		{ 2, STK_HAPPENING_POINT, "late", 0 }, { 5, STK_HAPPENING_POINT, "x", 0 }
	};
	struct scheme *scheme = scheme_of(yaml);
	struct event_time *e = play(scheme, lines, 6);
	struct event_oddities odd = event_time_oddities(e);

	is_u64(odd.unstarted, 1, "a stop without a start");
	is_u64(odd.overlapping, 1, "a stop of the outer pair");
	is_u64(odd.unstopped, 1, "a start without a stop");
	is_u64(odd.backward, 1, "a step back of the clock");
	is_i64(event_time_of(e, 0, 0, 2)->ns, 3 * MS, "which takes no time back");
	event_time_close(e);
	scheme_close(scheme);
}

/* --- order --- */

struct given { int64_t times[16]; unsigned count; };

static void
note_given(void *context, const struct kept_event *event, struct stk_text values)
{
	struct given *given = context;

	(void)values;
	given->times[given->count++] = (int64_t)event->key;
}

/* Events of these times, whose keys are their places; the keys in the order in which they are given away. */
static const char *
order_of(unsigned most, const int64_t *times, unsigned count)
{
	static char text[64];
	struct given given = { .count = 0 };
	struct event_order order = { .give = note_given, .context = &given, .most = most };
	size_t size = 0;

	for (unsigned i = 0; i < count; i++)
		event_order_take(&order, &(struct kept_event){ .time = times[i], .key = i }, text_of("", 0));
	event_order_flush(&order);
	event_order_release(&order);
	for (unsigned i = 0; i < given.count; i++)
		size += (size_t)snprintf(text + size, sizeof text - size, "%d", (int)given.times[i]);
	text[size] = '\0';
	return text;
}

static void
test_order(void)
{
	static const int64_t none[1], mixed[] = { 5, 3, 3, 9, 1, 9 }, late[] = { 5, 6, 7, 8, 1, 2 },
		untimed[] = { 5, STK_TIME_UNKNOWN, 2, STK_TIME_UNKNOWN, 4 };
	struct given given = { .count = 0 };
	struct event_order order = { .give = note_given, .context = &given };

	is_text(order_of(0, none, 0), "", "no events");
	is_text(order_of(0, mixed, 1), "0", "one");
	is_text(order_of(0, mixed, 6), "412035", "events are sorted, those of one time stay in order");
	is_text(order_of(4, mixed, 6), "124035", "what was given away before is earlier than what comes late");
	is_text(order_of(4, late, 6), "014523", "half of those that are kept go when there is no room");
	is_text(order_of(0, untimed, 5), "23401", "one without a time follows the one before it");
	for (unsigned i = 0; i < 6; i++)
		event_order_take(&order, &(struct kept_event){ .time = mixed[i], .key = i }, text_of("", 0));
	event_order_until(&order, 5);
	ok(given.count == 3 && given.times[2] == 2, "until a time: what is before it");
	is_u64(order.moved, 3, "three came after later ones");
	event_order_release(&order);
}

static bool
includes(const char *what)
{
	static const char folder[] = "folder";
	static const char *const paths[] = { folder };
	struct scheme_folders folders = { paths, 1 };
	struct scheme *scheme;
	struct stk_error err = { 0 };
	char text[100];
	bool found;

	(void)snprintf(text, sizeof text, "include: '%s'\ngroups: [{name: a, members: [a]}]\n", what);
	found = scheme_read_text(&scheme, "stream/x.yaml", text_from(text), scheme_name_find, &folders, &err) == 0;
	if (found)
		scheme_close(scheme);
	stk_error_clear(&err);
	return found;
}

static void
write_scheme(const char *path)
{
	FILE *file = fopen(path, "w");

	if (file == NULL || fputs("groups: [{name: b, members: [b]}]\n", file) < 0 || fclose(file) != 0)
		abort();
}

static void
test_includes(void)
{
	char path[400];

	(void)snprintf(path, sizeof path, "%s/beside.yaml", scratch());
	if (mkdir("folder", 0700) < 0 || mkdir("stream", 0700) < 0)
		abort();
	write_scheme("beside.yaml");
	write_scheme("stream/beside.yaml");
	write_scheme("folder/named.yaml");
	ok(includes("named"), "a scheme of a stream includes one of the folders by its name");
	ok(!includes("beside") && !includes("beside.yaml") && !includes("./beside.yaml") && !includes(path) &&
	   !includes("../folder/named") && !includes("-"), "... and no file of its choice, nor standard input");
}

int
main(void)
{
	test_includes();
	test_stacks();
	test_rules();
	test_libraries();
	test_pairs();
	test_payload();
	test_odd_events();
	test_order();
	return tap_end();
}
