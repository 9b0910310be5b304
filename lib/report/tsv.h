/* SPDX-License-Identifier: MIT
 * tsv: rows of TSV in another dress. */
#ifndef REPORT_TSV_H
#define REPORT_TSV_H

#include "base/text_buffer.h"

/* Turns whole rows of TSV, from a place in a text to its end, into CSV. */
void csv_of_tsv(struct text_buffer *to, size_t from, struct text_buffer *scratch);

#endif
