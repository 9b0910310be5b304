/* SPDX-License-Identifier: MIT
 * open_names: what each thread has begun and not ended, for events that end without a name: those end what began
 * last. */
#ifndef INGEST_OPEN_NAMES_H
#define INGEST_OPEN_NAMES_H

#include "base/array.h"
#include "base/id_table.h"
#include "base/text_table.h"

#define OPEN_NAMES_MOST 1024	/* of a thread; what is open beyond them has no name when it ends */

struct open_name { uint32_t name, below; };

struct open_names {		/* clear a zeroed struct before its use */
	struct id_table open;		/* by thread: the last that began, and how many are open */
	ARRAY(struct open_name) names;	/* the first is none */
	uint32_t free_name;
	struct text_table texts;
};

void open_names_clear(struct open_names *names);
void open_names_begin(struct open_names *names, uint32_t thread, struct stk_text name);
/* The name of what ends, that is `name` when it has one; empty when nothing is open. */
struct stk_text open_names_end(struct open_names *names, uint32_t thread, struct stk_text name);
void open_names_release(struct open_names *names);

#endif
