/* SPDX-License-Identifier: MIT
 * page_text: the pieces of an HTML page with data in it. A page is ASCII, but for its blocks: raw bytes in script
 * elements, of which four are escaped, in a page that is declared windows-1252 (so every byte but 0 and 13 arrives). */
#ifndef PLOT_PAGE_TEXT_H
#define PLOT_PAGE_TEXT_H

#include "base/text_buffer.h"
#include "plot/page_source.h"
#include "plot/palette.h"

/* Text between tags or in a quoted attribute: what is not plain ASCII, or has a meaning there, as a reference; what
 * is no character as U+FFFD. */
void page_add_text(struct text_buffer *to, struct stk_text text);

/* A string of JSON in a script element: ASCII, without < > & '. Bytes that are not UTF-8 are U+FFFD. */
void page_add_json(struct text_buffer *to, struct stk_text text);

/* <script type=application/x-stk id=ID>; plain: as base64, for channels that change bytes above 127. */
void page_add_block(struct text_buffer *to, const char *id, struct stk_text bytes, bool plain);

/* The page up to the end of its controls, where data and script follow. The policy lets run only what the hashes
 * name. */
void page_add_head(struct text_buffer *to, const struct page_source *source, const char *title);
/* After the probe. plain: as page_add_block. */
void page_add_script(struct text_buffer *to, const struct page_source *source, bool plain);

/* The bytes of a page without data, about. */
size_t page_bytes_without_data(const struct page_source *source, bool plain);

/* The facts of a page are one object of JSON, which scripts read as `facts`: begins with "v", a field with no comma
 * before it; each that follows begins with one. */
void page_begin_facts(struct text_buffer *to);
void page_end_facts(struct text_buffer *to);
/* Of an object of JSON that has a field already: another one. And the names of the states of samples. */
void page_add_field(struct text_buffer *to, const char *name, const char *value);
void page_add_states(struct text_buffer *to);
/* Unless it is the one that scripts have. */
void page_add_palette(struct text_buffer *to, enum palette palette);

/* A block of all byte values: whoever reads it knows whether the page arrived as it was written. */
void page_add_probe(struct text_buffer *to, bool plain);

#endif
