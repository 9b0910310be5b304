/* SPDX-License-Identifier: MIT
 * source_file_name: one name for a source, from wherever and however the compiler was told it. */
#ifndef PROBE_SOURCE_FILE_NAME_H
#define PROBE_SOURCE_FILE_NAME_H

#include "base/text_buffer.h"

/* Adds the name of a file that was compiled in a folder: absolute when the folder is; without "." and "..", which are
 * taken as text: symbolic links are not followed. */
void add_source_file_name(struct text_buffer *to, struct stk_text folder, struct stk_text file);

#endif
