/* SPDX-License-Identifier: MIT
 * imaged_functions: functions with probes in an image of counts (counts_image), where they count in place of the
 * module's own struct. Those of the library's lock: no two threads call these at once. */
#ifndef PATH_RUNTIME_IMAGED_FUNCTIONS_H
#define PATH_RUNTIME_IMAGED_FUNCTIONS_H

#include "probed_function.h"

/* The struct that counts for a module's, which is as the compiler made it: a new one, or that of a library that was
 * loaded before. */
struct probed_function *imaged_function_load(struct probed_function *function);
/* The following take that struct. Unload: the module is gone; its counts stay. */
void imaged_function_unload(struct probed_function *function);
/* After a thread was added to those that count in it. */
void imaged_function_note(struct probed_function *function);

/* Around a fork, of a list of functions: the child has them, and what its thread counted, as they were before; name: of
 * its own image. Then the calls that are under way are theirs (adopted). */
void imaged_functions_before_fork(const struct probed_function *functions);
void imaged_functions_forked(struct probed_function *functions, const char *name);
void imaged_functions_adopt(void);

#endif
