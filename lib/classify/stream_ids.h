/* SPDX-License-Identifier: MIT
 * stream_ids: what the ids of a stream's frames, stacks, sources and threads are to a classifier. Each is looked up
 * once in a stream; after that it costs one array access. */
#ifndef CLASSIFY_STREAM_IDS_H
#define CLASSIFY_STREAM_IDS_H

#include "base/id_table.h"
#include "classify/class_states.h"
#include "classify/classifier.h"
#include "classify/dump_sources.h"
#include "model/frame_identity.h"

struct model;

struct stream_thread {
	uint64_t hash;		/* 0: nothing distinguishes it from others */
	uint32_t source;	/* of dump_sources */
	uint32_t part;		/* by source and pool */
	uint32_t parts[STATES_COUNT];	/* by state as well, when parts are; 0: not asked yet */
	bool known;
};

struct class_in_part { uint32_t stack, part, class; };

struct stream_ids {
	/* set these, all borrowed, and zero the rest */
	struct classifier *classifier;
	struct model *model;
	struct dump_sources *sources_counted;
	struct identity_options identity;
	bool by_source, by_pool;	/* of which the parts are */

	/* 0: not asked yet */
	struct id_table frames, sources;	/* uint32_t */
	struct id_table stacks;			/* uint32_t: the classifier's stack; or a class, with STREAM_ID_CLASS */
	struct id_table threads;		/* struct stream_thread */
	struct hash_map pair_map;		/* (stack, part) to pairs */
	ARRAY(struct class_in_part) pairs;
	ARRAY(uint32_t) todo;
};

#define STREAM_ID_CLASS (UINT32_C(1) << 31)	/* stacks and classes have numbers below it */

void stream_ids_begin(struct stream_ids *ids);		/* once these are set */
void stream_ids_forget(struct stream_ids *ids);		/* the stream ends */
void stream_ids_release(struct stream_ids *ids);

uint32_t stream_ids_frame(struct stream_ids *ids, uint64_t frame);
uint32_t stream_ids_stack(struct stream_ids *ids, uint32_t stack);
uint32_t stream_ids_source(struct stream_ids *ids, uint64_t source);
/* Valid until the stream ends. */
const struct stream_thread *stream_ids_new_thread(struct stream_ids *ids, uint64_t thread);
/* The part of a thread's sample in a state. */
uint32_t stream_ids_part_in_state(struct stream_ids *ids, uint64_t thread, uint64_t state);
/* Where the class of a stack in a part is; 0 until somebody sets it. Valid until the next call. */
uint32_t *stream_ids_class_in_part(struct stream_ids *ids, uint32_t stack, uint32_t part);

size_t stream_ids_bytes(const struct stream_ids *ids);

static inline const struct stream_thread *
stream_ids_thread(struct stream_ids *ids, uint64_t thread)
{
	const struct stream_thread *known = id_table_peek(&ids->threads, thread);

	return known != NULL && known->known ? known : stream_ids_new_thread(ids, thread);
}

/* The class of a stack where there are no parts; 0: not known yet. */
static inline uint32_t
stream_ids_class(const struct stream_ids *ids, uint32_t stack)
{
	const uint32_t *known = id_table_peek(&ids->stacks, stack);

	return known != NULL && (*known & STREAM_ID_CLASS) != 0 ? *known & ~STREAM_ID_CLASS : 0;
}

static inline void
stream_ids_set_class(struct stream_ids *ids, uint32_t stack, uint32_t class)
{
	*(uint32_t *)id_table_at(&ids->stacks, stack) = class | STREAM_ID_CLASS;
}

#endif
