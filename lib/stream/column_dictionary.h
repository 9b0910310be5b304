/* SPDX-License-Identifier: MIT
 * column_dictionary: numbers as places in a list of the distinct ones. */
#ifndef STREAM_COLUMN_DICTIONARY_H
#define STREAM_COLUMN_DICTIONARY_H

#include "stream/column.h"

/* Puts the dictionary's content into the scratch and the numbers' places into ranks. False when it cannot save
 * bytes. */
bool column_make_dictionary(struct column_scratch *scratch);

/* Places back to numbers. -1 when a place is out of range, or the dictionary is not valid. */
int column_undo_dictionary(const struct column_coding *coding, const unsigned char *content, uint64_t *numbers,
			   uint32_t count, struct column_scratch *scratch);

#endif
