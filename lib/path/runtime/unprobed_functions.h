/* SPDX-License-Identifier: MIT
 * unprobed_functions: the functions of this program or library that could have no probes, as its modules say. */
#ifndef PATH_RUNTIME_UNPROBED_FUNCTIONS_H
#define PATH_RUNTIME_UNPROBED_FUNCTIONS_H

/* "function: reason (file)" of the next one, or of the first one after NULL; NULL: there are no more. The same function may
 * come from several modules. */
const char *next_unprobed(const char *last);

#endif
