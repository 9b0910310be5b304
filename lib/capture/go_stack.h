/* SPDX-License-Identifier: MIT
 * go_stack: the stack of a stopped thread in code of Go, by the table of frames that each program of it has. Without
 * debug information frame pointers are all that libdwfl knows there, and a function without a frame of its own hides
 * its caller from them. x86-64. */
#ifndef CAPTURE_GO_STACK_H
#define CAPTURE_GO_STACK_H

#include "capture/native_names.h"

/* The addresses of a thread that we have stopped, innermost first: of its calls, not of their returns. How many; 0:
 * other code is among them, or it cannot be read, or there are more than `most`. */
size_t go_stack_read(struct native_names *names, pid_t pid, pid_t tid, uint64_t *addresses, size_t most);

#endif
