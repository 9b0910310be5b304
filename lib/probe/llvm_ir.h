/* SPDX-License-Identifier: MIT
 * llvm_ir: functions, blocks and the ways between them in LLVM's assembly language, as clang -S -emit-llvm writes it
 * (14 to 19; typed and opaque pointers). The place of each block in the text is kept. Instructions are not parsed,
 * except those that end a block. */
#ifndef PROBE_LLVM_IR_H
#define PROBE_LLVM_IR_H

#include "base/arena.h"
#include "base/array.h"
#include "base/hash_map.h"
#include "graph/flow_graph.h"

struct ir_block {
	struct stk_text name;		/* of its label, without quotes; empty: the first one, without a label */
	/* its lines in the text, counted from 0: [first, end); the terminator's are the last */
	uint32_t first_line, end_line;
	uint32_t terminator_line;
	uint32_t source_line;		/* the first one with a known place in the program; 0: none */
	ARRAY(uint32_t) successors;	/* numbers of blocks, in the order of the text, each once */
};

struct ir_function {
	struct stk_text name;		/* as the linker has it */
	struct stk_text file;		/* of the source, as add_source_file_name has it; empty */
	uint32_t first_line, end_line;
	uint32_t source_line, source_end;	/* its lines in the source; 0: not known */
	const char *refused;		/* why its paths cannot be followed; NULL: they can */
	ARRAY(struct ir_block) blocks;
	struct hash_map by_name;	/* blocks, from 1 */
};

struct ir_module {
	char *text;
	struct arena names;		/* of files, and of functions that are not written as they are */
	ARRAY(struct stk_text) lines;
	ARRAY(struct ir_function) functions;
	ARRAY(struct stk_text) twice;	/* numbers of attributes of calls that return twice */
	bool opaque;			/* pointers are all "ptr", as from clang 15 on; before "i8*" and the like */
};

/* The text is copied. -1 (STK_EUSAGE): "NAME:LINE: what is wrong". */
int  ir_module_read(struct ir_module **out, const char *name, const char *text, size_t size,
		    struct stk_error *err) STK_MUST_CHECK;
void ir_module_free(struct ir_module *module);

const struct ir_function *ir_module_find(const struct ir_module *module, struct stk_text name);	/* or NULL */
/* its number there, or NO_BLOCK */
uint32_t ir_block_named(const struct ir_function *function, struct stk_text name);

/* Whether a block calls something that is not LLVM's own, and so may not return. */
bool ir_block_calls(const struct ir_module *module, const struct ir_block *block);
/* Tells the graph, in which the block has that number, what it calls by name. */
void ir_block_note_calls(const struct ir_module *module, const struct ir_block *block, struct flow_graph *graph,
			 uint32_t number);
/* Its graph: blocks as "LABEL@LINE", a virtual exit after all that return or never do. Blocks that nothing leads to are
 * left out. numbers, when not NULL, has room for all blocks and gets the number of each in the graph, or NO_BLOCK. */
int  ir_function_graph(const struct ir_function *function, struct flow_graph **out, uint32_t *numbers,
		       struct stk_error *err) STK_MUST_CHECK;

#endif
