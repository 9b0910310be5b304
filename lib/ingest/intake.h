/* SPDX-License-Identifier: MIT
 * intake: reads a whole input of text: recognises its format, cuts it into pieces that several threads scan at once,
 * and collects in order what they find. Bounded memory: a few pieces of 256 KiB, whatever the size of the input. */
#ifndef INGEST_INTAKE_H
#define INGEST_INTAKE_H

#include "ingest/collect.h"

struct input;
struct stk_workers;
struct intake;

/* collect and workers are borrowed; workers may be NULL. format: forced, or NULL to recognise each file's own. */
void intake_open(struct intake **out, struct collect *collect, struct stk_workers *workers,
		 const struct text_format *format, const struct scan_choice *choice);
void intake_close(struct intake *intake);

/* Reads one input. 0; 1 with *err when the rest of this input is lost (its format is not known, it is damaged or
 * truncated: STK_EDATA; it cannot be read: STK_ESYSTEM) and other inputs can follow; -1 with *err when they cannot.
 * progress is called with the bytes read. stop, when it returns true, ends the input early. */
int intake_file(struct intake *intake, struct input *input, const char *file, const char *source, int64_t fallback_ns,
		struct stk_error *err);

void intake_watch(struct intake *intake, void (*progress)(int64_t bytes, int64_t rows), bool (*stop)(void));

#endif
