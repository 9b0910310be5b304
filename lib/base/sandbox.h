/* SPDX-License-Identifier: MIT
 * sandbox: from some point on this process writes only in a few folders, connects to nothing and starts nothing,
 * whatever is in the files that it reads. The kernel holds it to that: Landlock the file system and, where it knows
 * how, the network and signals; a filter of system calls the rest. What was opened before stays open. Reading is not
 * restricted: folders of recordings are full of links, and files that rotate are opened by name again. */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

#include "stkpipe/error.h"

struct sandbox;

/* Nothing may be written yet. Paths are borrowed until it is entered. */
struct sandbox *sandbox_new(void);
/* This file may be made, replaced or written, and others in its folder, and in that of what it links to; it need not
 * exist. */
void sandbox_allow_file(struct sandbox *sandbox, const char *path);
/* Files in this folder may be made and written. */
void sandbox_allow_folder(struct sandbox *sandbox, const char *path);

/* Begins it, for this thread and those that it starts from here on, and frees the sandbox. 0, also where the kernel has
 * neither or whoever started us refuses them; -1: only a part could be set up, which must not be passed over. */
int sandbox_enter(struct sandbox *sandbox, struct stk_error *err) STK_MUST_CHECK;

#endif
