/* SPDX-License-Identifier: MIT
 * profile_tables: what the samples of a profile refer to by number: texts, functions, modules and locations. All of
 * these are noted first, since they may come after the samples; a location is read when a sample first needs it. */
#ifndef INGEST_PROFILE_TABLES_H
#define INGEST_PROFILE_TABLES_H

#include "base/array.h"
#include "base/id_table.h"
#include "base/protobuf.h"
#include "ingest/whole_input.h"

struct profile_function { uint64_t name, system_name, file; };	/* texts */
struct profile_module { uint64_t file; };
struct profile_location { struct stk_text message; bool read; uint32_t first, frames; };	/* frames: leaf first */

struct location_fields { uint32_t module, address, line; };	/* the numbers of a location's fields */

struct profile_tables {
	struct collect *collect;
	struct location_fields fields;
	ARRAY(struct stk_text) texts;
	struct id_table functions, modules, locations;
	ARRAY(uint32_t) frames;
	ARRAY(uint64_t) way;		/* of the present stack: locations, leaf first */
	uint64_t lost;			/* references to what is not there */
};

void profile_tables_open(struct profile_tables *tables, struct collect *collect, struct location_fields fields);
void profile_tables_release(struct profile_tables *tables);

/* An empty text when there is none. */
struct stk_text profile_string(struct profile_tables *tables, uint64_t index);
/* The id of the stack whose locations are the tables' way. */
uint32_t profile_stack(struct profile_tables *tables);

/* What values are: "alloc_space/bytes" with 1, "cpu" in milliseconds with 1,000,000: streams have nanoseconds and
 * bytes. A name that says its unit already is the event. */
struct profile_type { uint32_t event; uint64_t times; };
struct profile_type profile_type(struct profile_tables *tables, struct stk_text name, struct stk_text unit);

/* Whether a message has the shape of a type: at most two numbers, of texts. */
bool is_profile_type(struct stk_text message);

/* A value of a type as a weight. What is beyond PROFILE_WEIGHT_MOST becomes that, and is counted. */
#define PROFILE_WEIGHT_MOST (UINT64_C(1) << 62)	/* sums of a few fit */
uint64_t profile_weight(const struct profile_type *type, uint64_t value, uint64_t *beyond);

/* Reads the whole input; false: it is longer than PROFILE_MOST, and the rest is left out. */
#define PROFILE_MOST ((size_t)1 << 31)
bool profile_hold(struct text_buffer *to, const struct recording_bytes *from);
/* Reports what follows the end of a profile that says where it ends, unless it is only padding. */
void profile_say_rest(struct collect *collect, struct stk_text rest);

#endif
