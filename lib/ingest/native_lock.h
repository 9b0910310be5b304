/* SPDX-License-Identifier: MIT
 * native_lock: the lock that a thread of a C or C++ program waits for, as gdb shows it in the arguments of the function
 * that takes it: "#3  ___pthread_mutex_lock (mutex=0x556b47e620e0 <accounts>) at ...". Who holds it is not there. */
#ifndef INGEST_NATIVE_LOCK_H
#define INGEST_NATIVE_LOCK_H

#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct native_lock {
	struct stk_text gap;		/* "0x556b47e620e0" */
	struct stk_text name;		/* "accounts", or what sort of lock it is where it has no name */
	uint64_t address;
};

/* False: the thread does not wait for one, or its arguments are not shown. */
bool native_lock_find(struct stk_text stack, struct native_lock *out);

/* Copies the text without the address, see struct text_format. */
size_t native_lock_mask(struct stk_text stack, char *to, uint64_t *addresses, size_t room, size_t *count);

#endif
