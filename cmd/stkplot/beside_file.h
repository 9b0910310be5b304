/* SPDX-License-Identifier: MIT
 * beside_file: the counts of a heat map in a file beside its page, which is read in parts from a web server. */
#ifndef STKPLOT_BESIDE_FILE_H
#define STKPLOT_BESIDE_FILE_H

#include "plot/heat_parts.h"

/* x.heat for x.html or x.htm, else with .heat at its end; the caller frees it. */
char *beside_file_name(const char *page);
int   beside_file_write(const char *path, const struct heat_parts *parts, struct stk_error *err) STK_MUST_CHECK;


/* Whether a page can read this operand itself: a file of records that is not compressed. */
bool  beside_is_recording(const char *operand);
/* Whether the page finds it: under its own name, in the folder of the page. */
bool  beside_is_near(const char *page, const char *recording);
/* Without its folders. */
const char *beside_name(const char *path);

#endif
