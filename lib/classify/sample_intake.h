/* SPDX-License-Identifier: MIT
 * sample_intake: the samples of streams become counts of a classifier, dump by dump. Each distinct stack is classified
 * once per stream; after that a sample costs one array access.
 *
 * Samples that are part of no dump are taken a slice of time at once, as if each slice were a dump. A dump counts for
 * as many stacks as its samples' weights say (1 a thread; the count of a folded line); a sampler's sample is one,
 * whatever its period. */
#ifndef CLASSIFY_SAMPLE_INTAKE_H
#define CLASSIFY_SAMPLE_INTAKE_H

#include "choose/selection.h"
#include "classify/class_records.h"
#include "classify/class_states.h"
#include "classify/classifier.h"
#include "classify/dump_sources.h"
#include "classify/frame_variants.h"
#include "classify/seen_dumps.h"
#include "classify/segment_ratios.h"
#include "classify/thread_stays.h"
#include "model/frame_identity.h"

/* Called for each dump and slice that was counted: the class of each sample, 0 for those without a stack, and what each
 * counts for. */
struct dump_listener {
	int (*take)(void *context, int64_t time_ns, struct stk_text source, const uint32_t *classes,
		    const uint64_t *times, size_t count, struct stk_error *err);
	void *context;
};

struct sample_options {
	struct identity_options identity;
	bool by_source, by_pool, by_state;
	int64_t slice_ns;
	bool follow;			/* measure segments with each dump, and their ratios: for records and states */
	bool variants;			/* the forms of frames too; with details */
	const struct dump_listener *listener;	/* or NULL */
	bool details;			/* state mix and stays too: for tables and states; takes a little longer */
};

struct sample_intake_totals {
	uint64_t samples, dumps, slices;
	uint64_t stackless;		/* samples without a stack, or with one that is lost: they are of no class */
	uint64_t known_dumps;		/* counted before: left out */
	uint64_t old_dumps;		/* older than all that are remembered: left out */
	uint64_t parted_dumps;		/* came in two pieces; both counted */
	uint64_t backward_dumps;	/* earlier than the previous dump of their source */
	uint64_t late_samples;		/* earlier than their slice; counted in it */
	uint64_t shifts;
};

struct sample_intake;

/* The classifier and the model are borrowed; so is the writer, NULL when nothing is to be written. */
void sample_intake_open(struct sample_intake **out, const struct sample_options *options, struct classifier *classifier,
			struct model *model, struct stk_writer *writer);
void sample_intake_close(struct sample_intake *intake);

/* A stream ends, and with it its last dump. Call this before the model is cleared and before the writer begins another
 * stream. */
int sample_intake_turn(struct sample_intake *intake, struct stk_error *err) STK_MUST_CHECK;

/* Reads the chosen samples of the reader's current block. A dump or slice of the chosen time and process counts also
 * when none of its samples is chosen. -1: STK_EDATA when the block is damaged and nothing of it was used, else it
 * cannot go on. */
int sample_intake_take(struct sample_intake *intake, struct selection *selection, struct stk_reader *reader,
		       const struct stk_block *block, struct stk_error *err) STK_MUST_CHECK;

const struct sample_intake_totals *sample_intake_totals(const struct sample_intake *intake);

/* What is kept besides the classifier, for tables and states. */
struct seen_dumps *sample_intake_seen(struct sample_intake *intake);
struct thread_stays *sample_intake_stays(struct sample_intake *intake);
struct segment_ratios *sample_intake_ratios(struct sample_intake *intake);
struct frame_variants *sample_intake_variants(struct sample_intake *intake);	/* of the streams that ended */
struct class_states *sample_intake_states(struct sample_intake *intake);
/* A clock of the classifier has the number of the source whose dumps it counts, when parts are by source. */
struct dump_sources *sample_intake_sources(struct sample_intake *intake);

/* The classifier's clocks follow from the sources. */
void sample_intake_restore_clocks(struct sample_intake *intake);

size_t sample_intake_bytes(const struct sample_intake *intake);

#endif
