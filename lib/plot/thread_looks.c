/* SPDX-License-Identifier: MIT
 * thread_looks: one table. */
#include "plot/thread_looks.h"

#include "base/quantities.h"

/* By state, first when a thread has something to do, then when it waits for work. */
static const struct thread_look looks[LOOKS] = {
	{ '?', 0xFFFFFF, 231, 107, "unknown" },       { ',', 0xF4F4F4, 255, 107, "unknown (idle)" },
	{ 'N', 0xAFFDED, 159, 106, "new" },           { 'n', 0xF4F4F4, 255, 107, "new (idle)" },
	{ 'U', 0x99DDFF, 117, 106, "runnable" },      { 'u', 0xEAF6FC, 255, 107, "runnable (idle)" },
	{ 'B', 0xEE6677, 203, 101, "blocked" },       { 'b', 0xF9D3D7, 224, 107, "blocked (idle)" },
	{ 'W', 0xCCBB44, 143, 103, "waiting" },       { 'w', 0xF0EFE6, 255, 107, "waiting (idle)" },
	{ 'T', 0xEEDD88, 186, 103, "timed-waiting" }, { 't', 0xF3F1EA, 255, 107, "timed-waiting (idle)" },
	{ 'E', 0xAA7FC4, 140, 105, "terminated" },    { 'e', 0xF4F4F4, 255, 107, "terminated (idle)" },
	{ 'R', 0x44BB99, 79, 102, "running" },        { 'r', 0xDFF3ED, 194, 107, "running (idle)" },
	{ 'S', 0xBBBBBB, 250, 47, "sleeping" },       { 's', 0xF4F4F4, 255, 107, "sleeping (idle)" },
};

const struct thread_look *
thread_look(unsigned look)
{
	return &looks[look];
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
