/* SPDX-License-Identifier: MIT
 * unwrap_html: text out of a page of HTML, a line at a time. */
#ifndef INGEST_UNWRAP_HTML_H
#define INGEST_UNWRAP_HTML_H

#include "base/text_buffer.h"

/* Whether a beginning has entities where a dump has quotes and brackets, or tags of a page around a dump. */
bool html_recognise(struct stk_text beginning);

/* Whether it has them once it was unwrapped: a page was put into a page. */
bool html_recognise_twice(struct stk_text beginning);

/* Adds the line without its tags, its entities as characters; <br> and the ends of blocks end a line. */
void html_unwrap_line(struct text_buffer *to, struct stk_text line);

#endif
