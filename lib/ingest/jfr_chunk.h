/* SPDX-License-Identifier: MIT
 * jfr_chunk: a chunk of a Java Flight Recording in memory: its types by their names, its pools of constants, its
 * events. Every chunk is self-contained: type numbers and keys of one mean nothing in another. All that is read from
 * the bytes is bounded by them. */
#ifndef INGEST_JFR_CHUNK_H
#define INGEST_JFR_CHUNK_H

#include "base/arena.h"
#include "base/array.h"
#include "base/hash_map.h"
#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stdint.h>

#define JFR_HEADER_SIZE 68u

struct jfr_header {
	unsigned major, minor;
	int64_t size, checkpoint, metadata;	/* from the header's first byte; size 0: not written yet */
	int64_t start_ns, duration_ns, start_ticks, ticks_per_second;
	bool finished, compressed;		/* compressed: the integers */
};

/* False: these 68 bytes are not the header of a chunk. */
bool jfr_header_read(struct jfr_header *header, const unsigned char *bytes);

/* A place in the chunk, and its end; `bad` once a value went over it. */
struct jfr_cursor { const unsigned char *at, *end; bool bad; };

/* What fields are called that this program knows. The others are stepped over. */
#define JFR_NAMES(NAME) \
	NAME(startTime) NAME(duration) NAME(eventThread) NAME(sampledThread) NAME(stackTrace) NAME(state) \
	NAME(samples) NAME(failed) NAME(samplingPeriod) NAME(lostSamples) NAME(weight) NAME(allocationSize) \
	NAME(tlabSize) NAME(objectClass) NAME(size) NAME(monitorClass) NAME(parkedClass) NAME(address) \
	NAME(host) NAME(port) NAME(path) NAME(bytesRead) NAME(bytesWritten) NAME(result) NAME(gcId) NAME(when) \
	NAME(heapSpace) NAME(committedSize) NAME(heapUsed) NAME(name) NAME(cause) NAME(sumOfPauses) \
	NAME(jvmUser) NAME(jvmSystem) NAME(machineTotal) NAME(activeCount) NAME(jvmName) NAME(jvmVersion) \
	NAME(javaArguments) NAME(pid) NAME(osName) NAME(osThreadId) NAME(javaName) NAME(javaThreadId) \
	NAME(truncated) NAME(frames) NAME(method) NAME(lineNumber) NAME(type) NAME(string) NAME(description) \
	NAME(version) NAME(module) NAME(package) NAME(descriptor) NAME(tag) NAME(virtual) NAME(previousOwner)

enum jfr_name {
	JFR_OTHER,
#define NAME(name) JFR_##name,
	JFR_NAMES(NAME)
#undef NAME
	JFR_NAME_COUNT
};

enum jfr_shape { JFR_FIELDS, JFR_INTEGER, JFR_BYTE, JFR_FLOAT, JFR_DOUBLE, JFR_STRING };
enum jfr_unit { JFR_UNIT_NONE, JFR_TICKS, JFR_NANOSECONDS, JFR_MICROSECONDS, JFR_MILLISECONDS, JFR_SECONDS };

struct jfr_field {
	enum jfr_name name;
	uint32_t type;			/* index into types */
	bool pooled, many;		/* a key of the type's pool; an array */
	bool stamp;			/* its unit is one of times, not of spans */
	enum jfr_unit unit;
};

struct jfr_entry { uint64_t key; uint32_t at, id; };	/* id: for the user of the chunk, 0 at first */

struct jfr_type {
	uint64_t number;
	struct stk_text name;
	enum jfr_shape shape;
	bool is_event, has_stack;
	uint32_t first, count;		/* of fields */
	ARRAY(struct jfr_entry) pool;
	struct hash_map keys;		/* of the pool */
	int meaning;			/* for the user; 0 at first */
};

struct jfr_chunk {
	const unsigned char *bytes;	/* borrowed */
	size_t size;
	struct jfr_header header;
	ARRAY(struct jfr_type) types;
	ARRAY(struct jfr_field) fields;
	struct hash_map numbers;	/* of types */
	struct arena texts;
	bool damaged;			/* a part could not be read: the rest was */
	uint64_t work;			/* fields stepped over: bounded by the chunk's size */
};

/* The values of the known fields of an object; `has` has a bit of each that is there. */
struct jfr_values {
	uint64_t has;
	struct jfr_value {
		const struct jfr_field *field;
		uint64_t number;		/* or key */
		double real;
		const unsigned char *at;	/* of what is neither */
	} of[JFR_NAME_COUNT];
};

#define JFR_HAS(values, name) (((values)->has >> JFR_##name & 1) != 0)

/* Reads types and pools of a chunk with its header; the bytes may end early. NULL, or what is wrong with it: then
 * nothing of it can be read. */
const char *jfr_chunk_open(struct jfr_chunk *chunk, const unsigned char *bytes, size_t size);
void jfr_chunk_close(struct jfr_chunk *chunk);

/* The next event after *at, which is 0 at first: its type and its fields. False at the end. */
bool jfr_event_next(struct jfr_chunk *chunk, size_t *at, struct jfr_type **type, struct jfr_cursor *fields);

/* Reads the fields of an object of a type. False: it goes over its end. */
bool jfr_read(struct jfr_chunk *chunk, const struct jfr_type *type, struct jfr_cursor *from,
	      struct jfr_values *values);

/* The entry that a value refers to; NULL: none, or missing. */
struct jfr_entry *jfr_entry_of(struct jfr_chunk *chunk, const struct jfr_value *value);
struct jfr_cursor jfr_entry_cursor(const struct jfr_chunk *chunk, const struct jfr_entry *entry);
/* The fields of what a value refers to, or is. False: there is none. */
bool jfr_follow(struct jfr_chunk *chunk, const struct jfr_value *value, struct jfr_values *values);

/* The text that a value is or refers to, also by way of an object with one; empty: none. Valid until the chunk is
 * closed. */
struct stk_text jfr_text(struct jfr_chunk *chunk, const struct jfr_value *value);

uint64_t jfr_number(struct jfr_cursor *from);
/* A value's time or span in ns; STK_TIME_UNKNOWN for a time that cannot be. */
int64_t jfr_time_ns(const struct jfr_chunk *chunk, const struct jfr_value *value);
int64_t jfr_span_ns(const struct jfr_chunk *chunk, const struct jfr_value *value);

#endif
