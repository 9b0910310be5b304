/* SPDX-License-Identifier: MIT
 * list_ids: what an index is to say of a block that was read. */
#ifndef STREAM_LIST_IDS_H
#define STREAM_LIST_IDS_H

#include "stkpipe/stream.h"
#include "stream/block.h"
#include "stream/block_ids.h"

/* Adds the ids that the reader's current block has; all of it is in memory, see reader_raw. Columns that cannot be
 * decoded are left out. */
void list_ids(id_text *to, struct stk_reader *reader, const struct block_header *header);

#endif
