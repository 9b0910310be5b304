/* SPDX-License-Identifier: MIT
 * native_names: the symbol, offset and file of an address of a process, by libdwfl; of code in no file, by the map that
 * the program writes of what it compiles (perf_map.h), if it does. Code of Go has source files, lines and inlined
 * functions, too. Names are kept while the process has the same code mapped. */
#ifndef CAPTURE_NATIVE_NAMES_H
#define CAPTURE_NATIVE_NAMES_H

#include "capture/go_functions.h"
#include "capture/process.h"

#define NATIVE_NAME_MAX 300u		/* bytes of a symbol or file that are kept */
#define NATIVE_NAME_COMPILED "[perf map]"	/* the file of a function that is in the program's map */

struct Dwfl_Module;
struct native_names;

/* A function that was inlined at an address, or the one which has that. */
struct native_place { char *symbol, *source; uint32_t line; };

struct native_name {
	char *symbol, *file;		/* NULL: unknown */
	uint64_t offset;
	struct native_place *inlined;	/* innermost first */
	size_t inlined_count;
	char *source;			/* of the function itself; NULL: unknown */
	uint32_t line;
};

void native_names_open(struct native_names **out, const struct process *process);
void native_names_close(struct native_names *names);

/* Call this before asking for names: reads what the process has mapped now. -1: it may not be looked at, has ended, or
 * this was built without libdw. */
int  native_names_refresh(struct native_names *names, struct stk_error *err) STK_MUST_CHECK;
/* Valid until the next call. */
const struct native_name *native_names_of(struct native_names *names, uint64_t address);
/* Everything is opened again at the next refresh: after some of its failures libdwfl must not be called again. */
void native_names_forget(struct native_names *names);

/* libdwfl's handle, after a refresh. */
struct Dwfl *native_names_dwfl(struct native_names *names);
/* The frame of a function of Go, which one of libdwfl's modules has; false: it is not known. */
bool native_names_go_frame(struct native_names *names, struct Dwfl_Module *module, uint64_t address,
			   struct go_frame *frame);
/* Why a function of libdwfl failed that returns a number of errno.h, or -1 for an error of its own. */
const char *native_names_reason(int result);

#endif
