/* SPDX-License-Identifier: MIT
 * content_hash: what a row says, as one number. An id counts as what it refers to, so that rows which say the same have
 * the same number, whichever ids their streams gave, and where one stream defined a thing twice. */
#ifndef TIMETREE_CONTENT_HASH_H
#define TIMETREE_CONTENT_HASH_H

#include "model/model.h"

struct content_hashes;

/* Of the ids that a model knows, and of those that are defined later. The model is borrowed. */
void content_hashes_open(struct content_hashes **out, const struct model *model);
void content_hashes_close(struct content_hashes *hashes);

/* A definition that the model does not know; its own ids are known already. */
void content_hashes_define(struct content_hashes *hashes, unsigned kind, uint64_t id, const void *row);

/* Of a row of a kind that this program knows. A reference to what is not defined counts as none. A dump that it refers
 * to counts as its source, time and event, so that a sample is the same whether or not its dump was cut. Never 0. */
uint64_t content_hash_of_row(struct content_hashes *hashes, unsigned kind, const void *row);

/* Of what an id refers to; 0: nothing, or the empty text. */
uint64_t content_hash_of_id(struct content_hashes *hashes, unsigned kind, uint64_t id);

#endif
