/* SPDX-License-Identifier: MIT
 * carried_text: texts that a program carries for stkpipe: in the section .note.stkpipe of an ELF file, as notes of
 * "stkpipe" or as it is; or in META-INF/stkpipe.yaml of a jar. The file may be anybody's: what does not fit together
 * has none. */
#ifndef CAPTURE_CARRIED_TEXT_H
#define CAPTURE_CARRIED_TEXT_H

#include "base/text_buffer.h"

#define CARRIED_TEXT_MAX   (1u << 20)	/* bytes of a text; longer ones are left out */
#define CARRIED_TEXTS_MOST 32u		/* of one file */

typedef void carried_text_function(void *context, struct stk_text text);

/* Calls `found` for each text of an open file: UTF-8 without control characters but tab, newline and return. */
void carried_text_each(int fd, carried_text_function *found, void *context);

#endif
