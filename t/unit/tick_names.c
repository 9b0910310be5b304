/* SPDX-License-Identifier: MIT
 * tick_names: what threads of Java VMs are, by the 15 bytes that the system keeps of their names. */
#include "../lib/tap.h"

#include "capture/tick_sampler.h"

struct named { const char *name; enum tick_state state; bool compiles; };

static const struct named threads[] = {
	{ "C1 CompilerThre", TICK_VM, true },
	{ "C2 CompilerThre", TICK_VM, true },
	{ "JIT Compilation", TICK_VM, true },	/* OpenJ9 */
	{ "JVMCI CompilerT", TICK_VM, true },	/* Graal in Java, */
	{ "JVMCI-native Co", TICK_VM, true },	/* and as a library */
	{ "libgraal worker", TICK_VM, true },
	{ "LibGraalHotSpot", TICK_VM, true },
	{ "VM Thread", TICK_VM, false },
	{ "VM Periodic Tas", TICK_VM, false },
	{ "GC Thread#0", TICK_GC, false },
	{ "G1 Conc#0", TICK_GC, false },
	{ "ZWorkerYoung#0", TICK_GC, false },
	{ "GC Slave", TICK_GC, false },
	{ "main", TICK_INSIDE, false },
	{ "JVMCI events", TICK_INSIDE, false },	/* a program may call its own so */
	{ "C2", TICK_INSIDE, false },
	{ "", TICK_INSIDE, false },
};

int
main(void)
{
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
		ok(tick_state_of_thread(threads[i].name) == threads[i].state &&
			   tick_thread_compiles(threads[i].name) == threads[i].compiles,
		   "\"%s\" is %s%s", threads[i].name, tick_state_names[threads[i].state],
		   threads[i].compiles ? ", and compiles" : "");
	return tap_end();
}
