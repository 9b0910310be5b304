/* SPDX-License-Identifier: MIT
 * class_codes: dumps as codes of classes, in records that hold them exactly: the class of each thread, or how many
 * threads are in each.
 *
 * Two levels make them small. Texts are written once, in the stream's definitions; a thread is then the code of its
 * class, which is short for classes that are frequent (Huffman codes, computed again at each checkpoint) or that came
 * early (numbers in the order of arrival, for live streams). */
#ifndef CLASSIFY_CLASS_CODES_H
#define CLASSIFY_CLASS_CODES_H

#include "classify/sample_intake.h"

enum code_order {
	CODE_FREQUENCY,		/* a code a thread; the dumps up to a checkpoint are held back until it is known what is
				 * frequent */
	CODE_ARRIVAL,		/* a code a thread; each dump is written when it ends */
	CODE_COUNTS		/* the number of threads of each class */
};

#define CODES_CHECKPOINT 4096		/* dumps */

struct class_codes;

/* All are borrowed. What it writes is a stream of its own. */
void class_codes_open(struct class_codes **out, enum code_order order, const struct classifier *classifier,
		      struct stk_writer *writer);
void class_codes_close(struct class_codes *codes);

/* For sample_options: receives each dump. */
struct dump_listener class_codes_listener(struct class_codes *codes);
/* The end of the dumps: writes what is held back. */
int class_codes_end(struct class_codes *codes, struct stk_error *err) STK_MUST_CHECK;

/* bytes of codes and weights, before they are compressed with the rest */
struct class_code_totals { uint64_t dumps, threads, bytes; };
struct class_code_totals class_codes_totals(const struct class_codes *codes);

/* --- back: blocks of codes in, samples out. Definitions go to the writer by stk_writer_pass, before. --- */

struct class_restorer;

void class_restorer_open(struct class_restorer **out, struct model *model, struct stk_writer *writer);
void class_restorer_close(struct class_restorer *restorer);
/* A stream ends: counts become samples. */
int class_restorer_turn(struct class_restorer *restorer, struct stk_error *err) STK_MUST_CHECK;
int class_restorer_take(struct class_restorer *restorer, struct stk_reader *reader, const struct stk_block *block,
			struct stk_error *err) STK_MUST_CHECK;
/* samples of a code or a dump that the stream does not define: kept without a stack or a time */
uint64_t class_restorer_lost(const struct class_restorer *restorer);
uint64_t class_restorer_samples(const struct class_restorer *restorer);

#endif
