/* SPDX-License-Identifier: MIT
 * go_stack: only a stack that is known down to the first function of its thread is taken. */
#include "capture/go_stack.h"

#ifdef HAVE_DWFL

#include <elfutils/libdwfl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#ifdef __x86_64__

static bool
read_registers(pid_t tid, uint64_t *pc, uint64_t *sp)
{
	struct user_regs_struct registers;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &registers) != 0)
		return false;
	*pc = registers.rip;
	*sp = registers.rsp;
	return true;
}

#else

static bool
read_registers(pid_t tid, uint64_t *pc, uint64_t *sp)
{
	(void)tid, (void)pc, (void)sp;
	return false;
}

#endif

static bool
read_word(pid_t pid, uint64_t address, uint64_t *word)
{
	struct iovec to = { word, sizeof *word };
	struct iovec from = { (void *)(uintptr_t)address, sizeof *word };

	return process_vm_readv(pid, &to, 1, &from, 1, 0) == (ssize_t)sizeof *word;
}

size_t
go_stack_read(struct native_names *names, pid_t pid, pid_t tid, uint64_t *addresses, size_t most)
{
	uint64_t pc, sp;

	if (!read_registers(tid, &pc, &sp))
		return 0;
	for (size_t count = 0; count < most;) {
		uint64_t address = pc - (count > 0);
		Dwfl_Module *module = dwfl_addrmodule(native_names_dwfl(names), address);
		struct go_frame frame;

		if (module == NULL || !native_names_go_frame(names, module, address, &frame))
			return 0;
		addresses[count++] = address;
		if (frame.is_entry)
			return count;
		if (!read_word(pid, sp + frame.size, &pc))
			return 0;
		sp += frame.size + sizeof pc;
	}
	return 0;
}

#else

size_t
go_stack_read(struct native_names *names, pid_t pid, pid_t tid, uint64_t *addresses, size_t most)
{
	(void)names, (void)pid, (void)tid, (void)addresses, (void)most;
	return 0;
}

#endif
