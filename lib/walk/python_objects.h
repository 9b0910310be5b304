/* SPDX-License-Identifier: MIT
 * python_objects: reads objects of CPython in the memory of another process: texts, tables of lines, dicts and
 * attributes. Nothing is believed: sizes are bounded, types are compared, and what does not fit is not an object. */
#ifndef WALK_PYTHON_OBJECTS_H
#define WALK_PYTHON_OBJECTS_H

#include "base/text_buffer.h"
#include "walk/python_layout.h"

struct python_heap {
	struct remote_memory *memory;
	struct python_layout layout;
	uint64_t text_type, bytes_type, dict_type, code_type; /* where str, bytes, dict and code are */
	uint64_t function_type, class_method_type, property_type;
};

/* Adds a str in UTF-8; what cannot be printed is masked with '?', and more than 1000 characters are cut and end with
 * "...". False: it is not a str, and nothing is added. */
bool python_text_add(const struct python_heap *heap, uint64_t text, struct text_buffer *to);
bool python_text_is(const struct python_heap *heap, uint64_t text, const char *wanted);

/* Replaces *to with what a bytes object has. False: it is none, or larger than a table of lines can be. */
bool python_bytes_read(const struct python_heap *heap, uint64_t object, struct text_buffer *to);

/* The line of the instruction this many bytes after the first one, in a table of lines (lnotab, linetable); 0: it has
 * none. */
int64_t python_line(enum python_lines kind, struct stk_text table, int64_t first_line, int64_t instruction);

struct python_entry {
	uint64_t hash, key, value;
}; /* hash: of an int it is the int */

struct python_entries {
	ARRAY(struct python_entry) list;
	struct text_buffer scratch;
};

/* Replaces the entries with those of a dict. False: it is none, or changed while it was read. */
bool python_dict_read(const struct python_heap *heap, uint64_t dict, struct python_entries *to);
void python_entries_release(struct python_entries *entries);
/* The value of this name, or 0. */
uint64_t python_entry_named(const struct python_heap *heap, const struct python_entries *entries, const char *name);

/* Replaces the entries with the attributes of an object of a class. */
bool python_attributes_read(const struct python_heap *heap, uint64_t object, struct python_entries *to);

#endif
