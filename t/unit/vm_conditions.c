/* SPDX-License-Identifier: MIT
 * vm_conditions: what the counters of a VM meet, and how the heap is read of each kind of collector. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "capture/perf_memory.h"
#include "capture/vm_conditions.h"

#include <string.h>

#define HEADER 32
#define ENTRY  20

static struct stk_error err;

struct image { unsigned char at[8000]; uint32_t size; };

/* A number, or a text when that is given. */
static void
add_value(struct image *image, const char *name, const char *text, uint64_t number)
{
	unsigned char *to = image->at + image->size;
	uint32_t vector = text != NULL ? 32 : 0, size = text != NULL ? 32 : 8;
	uint32_t at = ENTRY + (((uint32_t)strlen(name) + 8) & ~7u);

	memset(to, 0, at + size);
	store32(to, at + size);
	store32(to + 4, ENTRY);
	store32(to + 8, vector);
	to[12] = text != NULL ? 'B' : 'J';
	store32(to + 16, at);
	memcpy(to + ENTRY, name, strlen(name));
	if (text != NULL)
		memcpy(to + at, text, strlen(text));
	else
		store64(to + at, number);
	image->size += at + size;
	store32(image->at + 28, load32(image->at + 28) + 1);
}

static void
begin_image(struct image *image)
{
	static const unsigned char header[HEADER] = { 0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1 };

	memset(image, 0, sizeof *image);
	memcpy(image->at, header, sizeof header);
	store32(image->at + 24, HEADER);
	image->size = HEADER;
}

/* Two generations of at most 60 and `old_most`; in use: 10 of eden, 3 of the young, 45 of the old. */
static void
make_heap(struct image *image, const char *policy, uint64_t young_most, uint64_t old_most)
{
	begin_image(image);
	add_value(image, "sun.gc.policy.name", policy, 0);
	add_value(image, "sun.gc.generation.0.capacity", NULL, 30);
	add_value(image, "sun.gc.generation.0.maxCapacity", NULL, young_most);
	add_value(image, "sun.gc.generation.0.space.0.name", "eden", 0);
	add_value(image, "sun.gc.generation.0.space.0.used", NULL, 10);
	add_value(image, "sun.gc.generation.0.space.1.name", "s0", 0);
	add_value(image, "sun.gc.generation.0.space.1.used", NULL, 3);
	add_value(image, "sun.gc.generation.1.capacity", NULL, 50);
	add_value(image, "sun.gc.generation.1.maxCapacity", NULL, old_most);
	add_value(image, "sun.gc.generation.1.space.0.name", "old", 0);
	add_value(image, "sun.gc.generation.1.space.0.used", NULL, 45);
}

static uint32_t
look_at_image(struct vm_look *look, const struct conditions *conditions, const struct image *image, int64_t now_ns)
{
	struct perf_memory *memory;
	uint32_t met;

	if (perf_memory_of(&memory, image->at, image->size, &err) < 0)
		return UINT32_MAX;
	met = vm_look_at(look, conditions, memory, now_ns);
	perf_memory_close(memory);
	return met;
}

static void
test_heap(void)
{
	struct conditions conditions = { 0 };
	struct vm_look look = { 0 };
	struct image image;

	ok(conditions_add(&conditions, "heap>47%", &err) == 0 && conditions_add(&conditions, "heap>50%", &err) == 0 &&
	   conditions_add(&conditions, "heap>47", &err) == 0 && conditions_add(&conditions, "heap>48", &err) == 0,
	   "shares and sizes");
	make_heap(&image, "GarbageFirst", 100, 100);
	ok(look_at_image(&look, &conditions, &image, 1) == 5, "48 of 100: eden is left out, and both may take all of it");
	make_heap(&image, "Copy:MSC", 40, 60);
	ok(look_at_image(&look, &conditions, &image, 2) == 5, "48 of 40 and 60");
	make_heap(&image, "Copy:MSC", 30, 60);
	ok(look_at_image(&look, &conditions, &image, 3) == 7, "48 of 30 and 60");
	begin_image(&image);
	add_value(&image, "java.threads.live", NULL, 1);
	ok(look_at_image(&look, &conditions, &image, 4) == 0, "a VM without a heap meets nothing");
}

static void
make_times(struct image *image, uint64_t stopped, uint64_t sync, uint64_t threads)
{
	begin_image(image);
	add_value(image, "sun.rt.safepointTime", NULL, stopped);
	add_value(image, "sun.rt.safepointSyncTime", NULL, sync);
	add_value(image, "java.threads.live", NULL, threads);
}

static void
test_counters(void)
{
	struct conditions conditions = { 0 };
	struct vm_look look = { 0 };
	struct image image;

	ok(conditions_add(&conditions, "pause>200ms", &err) == 0 &&
	   conditions_add(&conditions, "counter=java.threads.live>10", &err) == 0 &&
	   conditions_add(&conditions, "counter=java.threads.live<10", &err) == 0 &&
	   conditions_add(&conditions, "counter=java.threads.live>5/s", &err) == 0 &&
	   conditions_add(&conditions, "counter=no.such>0", &err) == 0, "pauses and counters");
	make_times(&image, 900000000, 0, 11);
	ok(look_at_image(&look, &conditions, &image, 1000000000) == 2, "the first look: nothing has grown yet");
	ok(look.absent == 1u << 4, "what the VM does not have is known");
	make_times(&image, 1050000000, 50000000, 22);
	ok(look_at_image(&look, &conditions, &image, 3000000000) == 10, "200 ms are not more than 200 ms; 5.5 a second");
	make_times(&image, 1250000000, 50000001, 9);
	ok(look_at_image(&look, &conditions, &image, 4000000000) == 5, "200 ms and a nanosecond more; fewer threads");
	make_times(&image, 0, 0, 10);
	ok(look_at_image(&look, &conditions, &image, 5000000000) == 0, "counters that fall are no pause; 10 is not below 10");
	make_times(&image, INT64_MAX, INT64_MAX, 10);
	ok((look_at_image(&look, &conditions, &image, 6000000000) & 1) == 0, "times too large to be added are no pause");
}

static void
test_words(void)
{
	static const char *const wrong[] = { "heap>", "heap>0", "heap>0%", "heap>100%", "heap>x%", "heap>-1", "pause>",
					     "pause>0", "pause>5", "counter=", "counter=a", "counter=a>", "counter=>5",
					     "counter=a>x", "counter=a>5/m", "counter=a>/s", "heap<5" };
	static const char *const met[] = { "heap>1%", "file=/" };
	struct conditions conditions = { 0 };

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		stk_error_clear(&err);
		ok(conditions_add(&conditions, wrong[i], &err) < 0 && err.code == STK_EUSAGE, "'%s' is refused", wrong[i]);
	}
	stk_error_clear(&err);
	ok(!conditions_are_of_machine(&conditions) && conditions_met(&conditions, NULL, 0), "none: that holds");
	for (size_t i = 0; i < 2; i++)
		ok(conditions_add(&conditions, met[i], &err) == 0, "'%s'", met[i]);
	ok(conditions_are_of_machine(&conditions) && conditions_are_of_vm(&conditions), "both are of the whole capture");
	ok(!conditions_met(&conditions, NULL, 2) && conditions_met(&conditions, NULL, 1), "the bit is that of the place");
}

int
main(void)
{
	test_heap();
	test_counters();
	test_words();
	return tap_end();
}
