/* SPDX-License-Identifier: MIT
 * terminal_text: which characters a terminal shows as they are. The others steer it (ESC, BEL, U+009B), or change how
 * what is around them looks (U+202E turns the line round): names in streams and of files may hold them, and printing a
 * name must not execute it. */
#ifndef BASE_TERMINAL_TEXT_H
#define BASE_TERMINAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the UTF-8 character at `at`, 1 to 4; 0 when it is not valid UTF-8 (cut, overlong, a surrogate, beyond
 * U+10FFFF). */
size_t utf8_size(const char *at, const char *end);
/* The number of a valid character of `size` bytes. */
uint32_t utf8_number(const char *at, size_t size);
/* Writes a character; one of half a surrogate pair, which UTF-8 has none for, is U+FFFD. Its bytes, 1 to 4. */
size_t utf8_write(char *to, uint32_t number);

/* Whether a character is shown as it is: no control character (U+0000 to U+001F, U+007F to U+009F), and none that only
 * says how to show others. */
bool is_printable(uint32_t character);
/* Bytes of the printable character at `at`; 0 when it is not printable, or not UTF-8. */
size_t printable_size(const char *at, const char *end);

/* Puts '?' in place of each character that is not printable, and of each byte that is not UTF-8, but leaves the control
 * characters in `kept`. The new size, which is not larger. */
size_t mask_text(char *text, size_t size, const char *kept);

#endif
