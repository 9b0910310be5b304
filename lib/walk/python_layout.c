/* SPDX-License-Identifier: MIT
 * python_layout: the offsets are those that a compiler for 64 bits gives the structures of each version's headers. They
 * are the same in all releases of a version so far; the walker checks what it finds there before it believes it. */
#include "walk/python_layout.h"

#include <string.h>

#define OLD_TEXT \
	{ \
		.length = 16, .state = 32, .ascii = 48, .other = 72 \
	}
#define TEXT_312 \
	{ \
		.length = 16, .state = 32, .ascii = 40, .other = 56 \
	}
#define BYTES \
	{ \
		.size = 16, .bytes = 32 \
	}
#define DICT \
	{ \
		.keys = 32, .values = 40, .first_value = 0 \
	}
#define TYPE(at) \
	{ \
		.flags = 168, .basic_size = 32, .dict_offset = 288, .keys = (at), .dict = 264, .order = 344 \
	}
#define OLD_THREAD \
	{ \
		.size = 264, .next = 8, .interpreter = 16, .frame = 24, .ident = 176, .tid = PYTHON_NONE_SUCH \
	}
#define OLD_FRAME(lasti, variables) \
	{ \
		.size = 112, .previous = 24, .code = 32, .instruction = (lasti), .owner = PYTHON_NONE_SUCH, \
		.locals = (variables) \
	}
#define OLD_CODE \
	{ \
		.size = 176, .file = 104, .name = 112, .line = 40, .lines = 120, .instructions = PYTHON_NONE_SUCH, \
		.arguments = 16, .variables = 28, .cells = 88, .cell_arguments = 96 \
	}

static const struct python_layout layouts[] = {
	{ .minor = 8,
	  .frames = PYTHON_FRAME_OBJECTS,
	  .lines = PYTHON_LNOTAB,
	  .attributes = PYTHON_DICT_AT_OFFSET,
	  .interpreters = 32,
	  .interpreter = { .next = 0, .threads = 8, .modules = 56 },
	  .thread = OLD_THREAD,
	  .frame = OLD_FRAME(104, 360),
	  .code = OLD_CODE,
	  .function = { .code = 16, .qualified = 104 },
	  .text = OLD_TEXT,
	  .bytes = BYTES,
	  .object = { 8 },
	  .type = TYPE(872),
	  .dict = DICT },
	{ .minor = 9,
	  .frames = PYTHON_FRAME_OBJECTS,
	  .lines = PYTHON_LNOTAB,
	  .attributes = PYTHON_DICT_AT_OFFSET,
	  .interpreters = 32,
	  .interpreter = { .next = 0, .threads = 8, .modules = 856 },
	  .thread = OLD_THREAD,
	  .frame = OLD_FRAME(104, 360),
	  .code = OLD_CODE,
	  .function = { .code = 16, .qualified = 104 },
	  .text = OLD_TEXT,
	  .bytes = BYTES,
	  .object = { 8 },
	  .type = TYPE(864),
	  .dict = DICT },
	{ .minor = 10,
	  .frames = PYTHON_FRAME_OBJECTS,
	  .lines = PYTHON_LINES_310,
	  .attributes = PYTHON_DICT_AT_OFFSET,
	  .interpreters = 32,
	  .interpreter = { .next = 0, .threads = 8, .modules = 856 },
	  .thread = OLD_THREAD,
	  .frame = OLD_FRAME(96, 352),
	  .code = OLD_CODE,
	  .function = { .code = 48, .qualified = 40 },
	  .text = OLD_TEXT,
	  .bytes = BYTES,
	  .object = { 8 },
	  .type = TYPE(872),
	  .dict = DICT },
	{ .minor = 11,
	  .frames = PYTHON_FRAMES_BY_CFRAME,
	  .lines = PYTHON_LOCATIONS,
	  .attributes = PYTHON_VALUES_311,
	  .interpreters = 40,
	  .interpreter = { .next = 0, .threads = 16, .modules = 888 },
	  .thread = { .size = 360, .next = 8, .interpreter = 16, .frame = 56, .ident = 152, .tid = 160 },
	  .current_frame = 8,
	  .frame = { .size = 72, .previous = 48, .code = 32, .instruction = 56, .owner = 69 },
	  .code = { .size = 192,
		    .file = 112,
		    .name = 128,
		    .line = 72,
		    .lines = 136,
		    .instructions = 184,
		    .traceable = 168 },
	  .text = OLD_TEXT,
	  .bytes = BYTES,
	  .object = { 8 },
	  .type = TYPE(872),
	  .dict = DICT },
	{ .minor = 12,
	  .frames = PYTHON_FRAMES_BY_CFRAME,
	  .lines = PYTHON_LOCATIONS,
	  .attributes = PYTHON_VALUES_312,
	  .interpreters = 40,
	  .interpreter = { .next = 0, .threads = 72, .modules = 944 },
	  .thread = { .size = 288, .next = 8, .interpreter = 16, .frame = 56, .ident = 136, .tid = 144 },
	  .current_frame = 0,
	  .frame = { .size = 72, .previous = 8, .code = 0, .instruction = 56, .owner = 70 },
	  .code = { .size = 200,
		    .file = 112,
		    .name = 128,
		    .line = 68,
		    .lines = 136,
		    .instructions = 192,
		    .traceable = 176 },
	  .text = TEXT_312,
	  .bytes = BYTES,
	  .object = { 8 },
	  .type = TYPE(880),
	  .dict = DICT },
	{ .minor = 13,
	  .frames = PYTHON_FRAMES,
	  .lines = PYTHON_LOCATIONS,
	  .attributes = PYTHON_VALUES_INLINE,
	  .interpreters = 632,
	  .interpreter = { .next = 7264, .threads = 7344, .modules = 7656 },
	  .thread = { .size = 304, .next = 8, .interpreter = 16, .frame = 72, .ident = 152, .tid = 160 },
	  .frame = { .size = 72, .previous = 8, .code = 0, .instruction = 56, .owner = 70 },
	  .code = { .size = 208,
		    .file = 112,
		    .name = 128,
		    .line = 68,
		    .lines = 136,
		    .instructions = 200,
		    .traceable = 184 },
	  .text = TEXT_312,
	  .bytes = BYTES,
	  .object = { 8 },
	  .type = TYPE(880),
	  .dict = { .keys = 32, .values = 40, .first_value = 8 } },
};

/* --- what 3.13 says about itself --- */

/* Its words, in the order of its header; those that are not needed have no name here. */
enum own_word {
	OWN_COOKIE,
	OWN_VERSION,
	OWN_FREE_THREADED,
	OWN_INTERPRETERS = 5,
	OWN_NEXT_INTERPRETER = 8,
	OWN_THREADS,
	OWN_MODULES = 11,
	OWN_THREAD_SIZE = 19,
	OWN_NEXT_THREAD = 21,
	OWN_INTERPRETER,
	OWN_FRAME,
	OWN_IDENT,
	OWN_TID,
	OWN_PREVIOUS = 29,
	OWN_CODE,
	OWN_INSTRUCTION,
	OWN_OWNER = 33,
	OWN_CODE_SIZE,
	OWN_FILE,
	OWN_QUALIFIED = 37,
	OWN_LINES,
	OWN_LINE,
	OWN_INSTRUCTIONS = 43,
	OWN_TYPE = 45,
	OWN_WORDS
};

/* Each into the field that it is for. */
static const struct {
	enum own_word word;
	size_t at;
} own_places[] = {
	{ OWN_INTERPRETERS, offsetof(struct python_layout, interpreters) },
	{ OWN_NEXT_INTERPRETER, offsetof(struct python_layout, interpreter.next) },
	{ OWN_THREADS, offsetof(struct python_layout, interpreter.threads) },
	{ OWN_MODULES, offsetof(struct python_layout, interpreter.modules) },
	{ OWN_THREAD_SIZE, offsetof(struct python_layout, thread.size) },
	{ OWN_NEXT_THREAD, offsetof(struct python_layout, thread.next) },
	{ OWN_INTERPRETER, offsetof(struct python_layout, thread.interpreter) },
	{ OWN_FRAME, offsetof(struct python_layout, thread.frame) },
	{ OWN_IDENT, offsetof(struct python_layout, thread.ident) },
	{ OWN_TID, offsetof(struct python_layout, thread.tid) },
	{ OWN_PREVIOUS, offsetof(struct python_layout, frame.previous) },
	{ OWN_CODE, offsetof(struct python_layout, frame.code) },
	{ OWN_INSTRUCTION, offsetof(struct python_layout, frame.instruction) },
	{ OWN_OWNER, offsetof(struct python_layout, frame.owner) },
	{ OWN_CODE_SIZE, offsetof(struct python_layout, code.size) },
	{ OWN_FILE, offsetof(struct python_layout, code.file) },
	{ OWN_QUALIFIED, offsetof(struct python_layout, code.name) },
	{ OWN_LINES, offsetof(struct python_layout, code.lines) },
	{ OWN_LINE, offsetof(struct python_layout, code.line) },
	{ OWN_INSTRUCTIONS, offsetof(struct python_layout, code.instructions) },
	{ OWN_TYPE, offsetof(struct python_layout, object.type) },
};

static int
read_own(struct python_layout *layout, struct remote_memory *memory, uint64_t runtime, struct stk_error *err)
{
	uint64_t words[OWN_WORDS];

	if (!remote_read(memory, runtime, words, sizeof words) || memcmp(&words[OWN_COOKIE], "xdebugpy", 8) != 0)
		return stk_fail(err, STK_EDATA, "its Python 3.%u does not describe its data", layout->minor);
	if (words[OWN_FREE_THREADED] != 0)
		return stk_fail(err, STK_EDATA, "its Python 3.%u is free-threaded, whose data is laid out otherwise",
				layout->minor);
	for (size_t i = 0; i < sizeof own_places / sizeof *own_places; i++) {
		uint64_t offset = words[own_places[i].word];
		uint16_t place = (uint16_t)offset;

		if (offset >= PYTHON_NONE_SUCH)
			return stk_fail(err, STK_EDATA, "its Python 3.%u describes its data wrongly", layout->minor);
		memcpy((char *)layout + own_places[i].at, &place, sizeof place);
	}
	if (layout->frame.owner >= layout->frame.size)
		return stk_fail(err, STK_EDATA, "its Python 3.%u describes its data wrongly", layout->minor);
	return 0;
}

int
python_layout_read(struct python_layout *layout, unsigned minor, struct remote_memory *memory, uint64_t runtime,
		   struct stk_error *err)
{
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
		*layout = layouts[i];
		if (layout->minor == minor)
			return minor >= 13 ? read_own(layout, memory, runtime, err) : 0;
	}
	return stk_fail(err, STK_EDATA, "its Python is 3.%u: expected 3.8 to 3.13", minor);
}
