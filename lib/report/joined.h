/* SPDX-License-Identifier: MIT
 * joined: what forms need that write names in place of ids, row by row: each stack's text once, and where a row is
 * from. */
#ifndef REPORT_JOINED_H
#define REPORT_JOINED_H

#include "base/arena.h"
#include "base/id_table.h"
#include "report/report.h"
#include "stream/block_columns.h"

struct stack_texts {
	/* Writes a folded stack, root first, ';' between its frames, the way that the form has it. */
	void (*add)(struct text_buffer *to, struct stk_text folded);
	struct id_table known;		/* by stack of the present stream */
	struct arena arena;
	struct text_buffer scratch;
};

void stack_texts_open(struct stack_texts *texts, void (*add)(struct text_buffer *to, struct stk_text folded));
/* java: the frames are named as those of a Java process. "?" for what was lost. */
void stack_texts_add(struct stack_texts *texts, const struct report *report, uint64_t stack, bool java,
		     struct text_buffer *to);
/* Stack ids start anew. */
void stack_texts_forget(struct stack_texts *texts);
void stack_texts_release(struct stack_texts *texts);

/* Whether a thread is of a Java process, as far as its name says. */
bool joined_java(const struct report *report, uint64_t thread);
/* Whether a column has addresses of objects: they are written as in thread dumps, where ids are replaced too. */
bool joined_address(const struct stk_kind_schema *kind, unsigned column);
/* The dump whose moment a row has that has neither a time nor a source itself, as those of deadlocks; 0: none. */
uint64_t joined_dump(const struct report *report, const struct block_columns *columns, uint32_t row);
/* Where the times of a row are from, as far as its ids say. */
uint64_t joined_source(const struct report *report, const struct block_columns *columns, uint32_t row);

#endif
