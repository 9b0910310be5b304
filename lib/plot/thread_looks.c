/* SPDX-License-Identifier: MIT
 * thread_looks: one table of letters, and one of fills. */
#include "plot/thread_looks.h"

#include "base/quantities.h"

/* By state, first when a thread has something to do, then when it waits for work. */
static const struct thread_look looks[LOOKS] = {
	{ '?', "unknown" }, { ',', "unknown (idle)" }, { 'N', "new" },
	{ 'n', "new (idle)" }, { 'U', "runnable" }, { 'u', "runnable (idle)" },
	{ 'B', "blocked" }, { 'b', "blocked (idle)" }, { 'W', "waiting" },
	{ 'w', "waiting (idle)" }, { 'T', "timed-waiting" }, { 't', "timed-waiting (idle)" },
	{ 'E', "terminated" }, { 'e', "terminated (idle)" }, { 'R', "running" },
	{ 'r', "running (idle)" }, { 'S', "sleeping" }, { 's', "sleeping (idle)" },
};

static const struct palette_fill fills[PALETTES][LOOKS] = {
	{ { 0xFFFFFF, 231, 107 }, { 0xF4F4F4, 255, 107 }, { 0xAFFDED, 159, 106 }, { 0xF4F4F4, 255, 107 },
	  { 0x99DDFF, 117, 106 }, { 0xEAF6FC, 255, 107 }, { 0xEE6677, 203, 101 }, { 0xF9D3D7, 224, 107 },
	  { 0xCCBB44, 143, 103 }, { 0xF0EFE6, 255, 107 }, { 0xEEDD88, 186, 103 }, { 0xF3F1EA, 255, 107 },
	  { 0xAA7FC4, 140, 105 }, { 0xF4F4F4, 255, 107 }, { 0x44BB99, 79, 102 }, { 0xDFF3ED, 194, 107 },
	  { 0xBBBBBB, 250, 47 }, { 0xF4F4F4, 255, 107 } },
	{ { 0xFFFFFF, 231, 107 }, { 0xFAF5F0, 255, 107 }, { 0xFFF3D6, 230, 107 }, { 0xFAF5F0, 255, 107 },
	  { 0xFFC58A, 222, 43 }, { 0xFBEEDD, 230, 107 }, { 0xF2593A, 203, 101 }, { 0xFBDCD2, 224, 107 },
	  { 0xE8B04A, 179, 43 }, { 0xF7F0E0, 255, 107 }, { 0xFFD24D, 221, 103 }, { 0xFBF3DC, 230, 107 },
	  { 0xB98A6B, 137, 47 }, { 0xFAF5F0, 255, 107 }, { 0xFFE97A, 222, 103 }, { 0xFDF8DC, 230, 107 },
	  { 0xD9C7B8, 187, 47 }, { 0xFAF5F0, 255, 107 } },
	{ { 0xFFFFFF, 231, 107 }, { 0xF8F8F8, 231, 107 }, { 0xF0F0F0, 255, 107 }, { 0xF8F8F8, 231, 107 },
	  { 0xB4B4B4, 249, 47 }, { 0xF4F4F4, 255, 107 }, { 0x7C7C7C, 244, 47 }, { 0xE4E4E4, 254, 107 },
	  { 0xCACACA, 251, 47 }, { 0xF8F8F8, 231, 107 }, { 0xDADADA, 253, 107 }, { 0xF8F8F8, 231, 107 },
	  { 0x8E8E8E, 245, 47 }, { 0xF8F8F8, 231, 107 }, { 0xA2A2A2, 247, 47 }, { 0xEEEEEE, 255, 107 },
	  { 0xE6E6E6, 254, 107 }, { 0xF8F8F8, 231, 107 } }
};

const struct thread_look *
thread_look(unsigned look)
{
	return &looks[look];
}

const struct palette_fill *
thread_look_fill(enum palette palette, unsigned look)
{
	return &fills[palette][look];
}

void
add_looks(struct text_buffer *to, const uint64_t samples[LOOKS])
{
	uint64_t all = 0;
	bool said[LOOKS] = { false };

	for (unsigned look = 0; look < LOOKS; look++)
		all += samples[look];
	add_format(to, "%llu %s", (unsigned long long)all, plural(all, "sample", "samples"));
	for (unsigned n = 0; n < LOOKS; n++) {
		unsigned most = LOOKS;

		for (unsigned look = 0; look < LOOKS; look++)
			if (!said[look] && samples[look] > 0 && (most == LOOKS || samples[look] > samples[most]))
				most = look;
		if (most == LOOKS)
			return;
		said[most] = true;
		add_format(to, "%s%llu %s", n == 0 ? ": " : ", ", (unsigned long long)samples[most], looks[most].name);
	}
}

unsigned
urgent_look(unsigned place)
{
	static const enum stk_state order[] = { STK_STATE_BLOCKED, STK_STATE_RUNNING,  STK_STATE_RUNNABLE,
						STK_STATE_NEW,     STK_STATE_SLEEPING, STK_STATE_TIMED_WAITING,
						STK_STATE_WAITING, STK_STATE_UNKNOWN,  STK_STATE_TERMINATED };

	return look_of(order[place % (LOOKS / 2)], place >= LOOKS / 2);
}
