/* SPDX-License-Identifier: MIT
 * native_names: whose code an address of a process is, by libdwfl: symbol, offset and file. Names once looked up are
 * kept while the process has the same code mapped. */
#ifndef CAPTURE_NATIVE_NAMES_H
#define CAPTURE_NATIVE_NAMES_H

#include "capture/process.h"

#define NATIVE_NAME_MAX 300u		/* bytes of a symbol or file that are kept */

struct native_names;

struct native_name { char *symbol, *file; uint64_t offset; };	/* NULL: nobody knows */

void native_names_open(struct native_names **out, const struct process *process);
void native_names_close(struct native_names *names);

/* Before names are asked for: looks at what the process has mapped now. -1: it may not be looked at, has ended, or this
 * was built without libdw. */
int  native_names_refresh(struct native_names *names, struct stk_error *err) STK_MUST_CHECK;
/* Good until the next refresh. */
const struct native_name *native_names_of(struct native_names *names, uint64_t address);
/* All of it is made anew at the next refresh: libdwfl bears no more calls after some of its failures. */
void native_names_forget(struct native_names *names);

/* libdwfl's handle, after a refresh. */
struct Dwfl *native_names_dwfl(struct native_names *names);

#endif
