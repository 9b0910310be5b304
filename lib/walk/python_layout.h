/* SPDX-License-Identifier: MIT
 * python_layout: where CPython keeps what a walk needs, by version: 3.8 to 3.13, as builds of 64 bits lay it out that
 * have the global lock. 3.13 describes itself, and what it says is used. */
#ifndef WALK_PYTHON_LAYOUT_H
#define WALK_PYTHON_LAYOUT_H

#include "stkpipe/error.h"
#include "walk/remote_memory.h"

#define PYTHON_NONE_SUCH UINT16_MAX

/* Of a frame: 3.8 to 3.10 have objects, later versions plain data, of which 3.11 and 3.12 refer to the current one
 * through another (cframe). */
enum python_frames { PYTHON_FRAME_OBJECTS, PYTHON_FRAMES_BY_CFRAME, PYTHON_FRAMES };
/* How lines are coded. */
enum python_lines { PYTHON_LNOTAB, PYTHON_LINES_310, PYTHON_LOCATIONS };
/* Where an object has its attributes. */
enum python_attributes { PYTHON_DICT_AT_OFFSET, PYTHON_VALUES_311, PYTHON_VALUES_312, PYTHON_VALUES_INLINE };

struct python_layout { /* offsets in bytes */
	unsigned minor; /* 11 of 3.11 */
	enum python_frames frames;
	enum python_lines lines;
	enum python_attributes attributes;
	uint16_t interpreters; /* in the runtime: the first of them */
	struct {
		uint16_t next, threads, modules;
	} interpreter;
	struct {
		uint16_t size, next, interpreter, frame, ident, tid;
	} thread; /* frame: or cframe */
	uint16_t current_frame; /* in a cframe */
	struct {
		uint16_t size, previous, code, instruction, owner, locals;
	} frame; /* locals: of a frame object */
	/* instructions: their first byte; traceable: number of instructions before the first that is the function's
	 * own; both from 3.11 on. The last four are of earlier versions: numbers of arguments and of variables, those
	 * variables that inner functions use, and which of these are arguments */
	struct {
		uint16_t size, file, name, line, lines, instructions, traceable;
		uint16_t arguments, variables, cells, cell_arguments;
	} code;
	struct {
		uint16_t length, state, ascii, other;
	} text; /* ascii, other: where the characters begin */
	struct {
		uint16_t size, bytes;
	} bytes;
	struct {
		uint16_t type;
	} object;
	struct {
		uint16_t flags, basic_size, dict_offset, keys, dict, order;
	} type; /* order: of the classes that it inherits from, itself the first */
	struct {
		uint16_t code, qualified;
	} function; /* before 3.11 */
	struct {
		uint16_t keys, values, first_value;
	} dict; /* first_value: in an array of values */
};

/* The layout of 3.minor whose runtime is at this address. -1 (STK_EDATA): another version, or one that was built in a
 * way that is not known. */
int python_layout_read(struct python_layout *layout, unsigned minor, struct remote_memory *memory, uint64_t runtime,
		       struct stk_error *err) STK_MUST_CHECK;

#endif
