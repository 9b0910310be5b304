/* SPDX-License-Identifier: MIT
 * foreign_text: the message for an input that should be a record stream and is text. */
#ifndef STREAM_FOREIGN_TEXT_H
#define STREAM_FOREIGN_TEXT_H

#include <stddef.h>

/* Examines the first bytes of an input. Returns a message that says what to do with it, or NULL when they are not
 * text. */
const char *foreign_text(const unsigned char *from, size_t size);

#endif
