/* SPDX-License-Identifier: MIT
 * recorder: gives the same id to the same thing, and writes its definition when it is new. Used between the findings of
 * an ingest and a stream writer. */
#ifndef MODEL_RECORDER_H
#define MODEL_RECORDER_H

#include "stkpipe/stream.h"

struct recorder;
struct model;

/* The writer is borrowed. */
int  recorder_open(struct recorder **out, struct stk_writer *writer);
void recorder_close(struct recorder *recorder);

/* Adopts everything that a stream has defined, with its ids, before anything is recorded; nothing of it is written. */
void recorder_adopt(struct recorder *recorder, struct model *model);
/* Definitions go to another writer from now on. */
void recorder_turn(struct recorder *recorder, struct stk_writer *writer);

/* Ids, from 1; 0 for the empty string, and once writing has failed, which recorder_error returns. */
uint32_t recorder_string(struct recorder *recorder, struct stk_text text);
uint32_t recorder_frame(struct recorder *recorder, const struct stk_frame *frame);
uint32_t recorder_stack(struct recorder *recorder, uint32_t parent, uint32_t frame);
uint32_t recorder_locks(struct recorder *recorder, const struct stk_locks *locks);
uint32_t recorder_objects(struct recorder *recorder, uint32_t parent, uint64_t address);
uint32_t recorder_thread(struct recorder *recorder, const struct stk_thread *thread);
uint32_t recorder_source(struct recorder *recorder, const struct stk_source *source);

/* The string of an id, "" where it has none; valid until the recorder is closed. */
struct stk_text recorder_string_text(const struct recorder *recorder, uint32_t id);
/* Whether the string or thread of an id is this one: cheaper than asking for its id, for callers with a guess. */
bool recorder_string_is(const struct recorder *recorder, uint32_t id, struct stk_text text);
/* thread->name does not matter */
bool recorder_thread_is(const struct recorder *recorder, uint32_t id, const struct stk_thread *thread,
			struct stk_text name);

size_t recorder_bytes(const struct recorder *recorder);

/* 0, or -1 with the first failure of the writer. */
int recorder_error(const struct recorder *recorder, struct stk_error *err);

#endif
