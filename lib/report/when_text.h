/* SPDX-License-Identifier: MIT
 * when_text: counts over time as a few characters: blank for none, and the higher or darker the more, by the
 * largest. */
#ifndef REPORT_WHEN_TEXT_H
#define REPORT_WHEN_TEXT_H

#include "base/text_buffer.h"

/* One character a count; blocks: eighths of a block in UTF-8, otherwise ASCII. */
void when_text_add(struct text_buffer *to, const float *counts, unsigned parts, bool blocks);

/* Whether a locale, as LC_ALL, LC_CTYPE or LANG names it, writes UTF-8; NULL: it does not. */
bool locale_is_utf8(const char *name);

#endif
