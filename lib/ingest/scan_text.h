/* SPDX-License-Identifier: MIT
 * scan_text: finding line ends and line beginnings at memory speed, and the hash of a stack's text. */
#ifndef INGEST_SCAN_TEXT_H
#define INGEST_SCAN_TEXT_H

#include "ingest/ingest.h"

/* The first place in [from, end) where a newline is followed by `second`: a pointer to that newline, or end when there
 * is none.
 * *lines is raised by the newlines before that place, the one pointed at not included (all newlines when there is
 * none). */
const char *scan_newline_then(const char *from, const char *end, char second, uint32_t *lines);

/* The same for a newline that is followed by anything but `second`, so that indented lines are skipped. */
const char *scan_newline_then_not(const char *from, const char *end, char second, uint32_t *lines);

/* Newlines in [from, end). */
uint32_t scan_count_lines(const char *from, const char *end);

/* The newline that ends the line at `from`, or end. */
const char *scan_line_end(const char *from, const char *end);

struct text_hash scan_hash(struct stk_text text);

/* Unsigned decimal and hexadecimal numbers at *at, which moves past them. False, and *at unchanged, when there is none
 * or it does not fit. */
bool scan_decimal(const char **at, const char *end, uint64_t *value);
bool scan_hex(const char **at, const char *end, uint64_t *value);	/* with or without 0x */

/* "12.34" in units of 10^-digits, cut after that many digits: scan_fixed(.., 2, ..) gives 1234. */
bool scan_fixed(const char **at, const char *end, unsigned digits, uint64_t *value);

/* Where the string is in a text for the first time, or NULL: memmem, but fast in texts of some lines. */
const char *scan_find(struct stk_text text, const char *string, size_t size);

#endif
