/* SPDX-License-Identifier: MIT
 * model: what a stream has defined so far: strings, frames, stacks, sources, threads, dumps. It is fed the definition
 * blocks of a reader and answers by id. An id whose definition was lost, or never came, gives an empty row and never
 * another's. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "stkpipe/stream.h"

struct model;

int  model_open(struct model **out);
void model_close(struct model *model);

/* Reads the reader's current block if it is a HEAD (which clears everything) or a definition of a kind below; others
 * are ignored. 1 read, 0 of another kind, -1 damaged: *err, and the block must be skipped. */
int model_take(struct model *model, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err);

/* From now on the groups of stacks that the stream has in its records are read as well. */
struct recorded_groups;
void model_keep_groups(struct model *model);
/* NULL: they are not. */
struct recorded_groups *model_groups(const struct model *model);

/* Stacks that are read when they are asked for, and not taken before: `load` is called for one that the model does not
 * have, of the first `stacks` ids; it takes the block that may define it. Whoever asks for a stack must not be in the
 * middle of a block of that reader. Blocks that define other ids are not to be taken. */
struct lent_rows { uint32_t first, rows; const uint64_t *parents, *frames; };	/* of a block, by id less the first */
struct model_lender {
	void *context;
	void (*load)(void *context, uint64_t stack);
	/* The block that may define a stack, without its being taken; false when it cannot be read. */
	bool (*rows)(void *context, uint64_t stack, struct lent_rows *rows);
	uint32_t stacks;
};
void model_borrow_stacks(struct model *model, const struct model_lender *lender);
/* For a lender: counts the lost ids of a block that it lends for the first time. */
void model_check_lent(struct model *model, const struct lent_rows *rows);
/* For those who need many: how many stacks are borrowed, 0 where the model has them; and the block with one, valid
 * until the lender reads again. */
uint32_t model_lent_stacks(const struct model *model);
bool     model_lent_rows(const struct model *model, uint64_t stack, struct lent_rows *rows);
/* Counts references to an id that is not defined. */
void model_count_lost(struct model *model, unsigned kind, uint64_t references);

/* An id of a stream is a number that anybody may have written: it is not an index, a size or a promise. These return
 * what the stream defined under it. Id 0 is known and means none. */
bool     model_knows(const struct model *model, unsigned kind, uint64_t id);
/* The id, or 0 when it is not defined, which is counted as lost: for ids that are used to find something else. */
uint64_t model_id(struct model *model, unsigned kind, uint64_t id);
/* The same for an id that `rows` rows have. */
uint64_t model_id_of_rows(struct model *model, unsigned kind, uint64_t id, uint64_t rows);
/* A column of ids of the reader's current block, as stk_reader_column returns it, but each as model_id returns it.
 * Valid until the next call for a column with that number. */
int model_column(struct model *model, struct stk_reader *reader, const struct stk_block *block, unsigned column,
		 const uint64_t **ids, struct stk_error *err) STK_MUST_CHECK;

/* Counts the lost ids of the current block, when it is one of rows; of samples those of dumps, threads and stacks,
 * which every reader of samples decodes. */
int model_check(struct model *model, struct stk_reader *reader, const struct stk_block *block,
		struct stk_error *err) STK_MUST_CHECK;

/* References to undefined ids, of all streams so far: those of definitions, and those that model_id and model_column
 * met. By the kind referred to. */
struct lost_ids { uint64_t references[STK_DUMP + 1]; };
const struct lost_ids *model_lost(const struct model *model);

uint32_t model_count(const struct model *model, enum stk_kind kind);	/* how many the current stream defined so far */
/* The next id above, and the next below, that is defined; 0 when there is none. For walking over all of them. */
uint32_t model_next(struct model *model, enum stk_kind kind, uint32_t after);
uint32_t model_before(struct model *model, enum stk_kind kind, uint32_t before);

struct stk_text
model_string(const struct model *model,
	     uint64_t id); /* "" for 0; "?" for what was lost. Valid until model_close or the next HEAD */
/* Rows by value; all zero for 0 and for what was lost. */
struct stk_frame   model_frame(const struct model *model, uint64_t id);
struct stk_stack   model_stack(const struct model *model, uint64_t id);
struct stk_source  model_source(const struct model *model, uint64_t id);
struct stk_thread  model_thread(const struct model *model, uint64_t id);
struct stk_locks   model_locks(const struct model *model, uint64_t id);
struct stk_objects model_objects(const struct model *model, uint64_t id);
struct stk_dump    model_dump(const struct model *model, uint64_t id);

/* What a thread and a source are called: "" for 0, "?" for what was lost. */
struct stk_text model_thread_name(const struct model *model, uint64_t thread);
struct stk_text model_source_name(const struct model *model, uint64_t source);

/* An id that is never given: for references from something that was lost. */
#define MODEL_LOST UINT64_MAX

/* The source of a sample: that of its thread, else of its dump; MODEL_LOST when these were lost, 0 when it has
 * neither. */
uint64_t model_sample_source(const struct model *model, uint64_t thread, uint64_t dump);

/* The frames of a stack, root first, into frames[0..room-1]. Returns how many there are (may be more than room: then
 * those nearest the root are missing). A parent that is not below its child (damage) ends the walk. */
uint32_t model_stack_frames(const struct model *model, uint64_t stack, uint32_t *frames, uint32_t room);

size_t model_bytes(const struct model *model);

/* The text of a frame as its source wrote it: java "a.B.c(mod@1/B.java:12)", native "read+0x1f (/lib/libc.so.6)", plain
 * "main". Written at `to`, at most room bytes, never NUL-terminated; returns the size it needs. */
size_t model_frame_text(const struct model *model, uint64_t frame, char *to, size_t room);

#endif
