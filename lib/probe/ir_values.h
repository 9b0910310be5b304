/* SPDX-License-Identifier: MIT
 * ir_values: what a function of LLVM's assembly language computes, and which of it one block needs from another. Needed
 * to copy blocks: a copy that can be reached from the original or from other copies finds such values in memory. */
#ifndef PROBE_IR_VALUES_H
#define PROBE_IR_VALUES_H

#include "probe/llvm_ir.h"

struct ir_value {
	struct stk_text name;
	uint32_t block;			/* where it is made */
	uint32_t line;			/* the instruction's first */
	bool head;			/* it is the result of a phi or a landing pad */
	/* another block needs it, or, of blocks whose head is separate, the rest of the block */
	bool crosses;
	struct stk_text type;		/* of those that cross; owned */
};

struct ir_values { ARRAY(struct ir_value) list; struct hash_map by_name; };

/* alone: of each block, whether its head (phis, landing pad) is a block of its own. Values of the first block are left
 * out: it is never copied. -1 (STK_EUSAGE): the type of one that crosses cannot be found. */
int  ir_values_find(struct ir_values *values, const struct ir_module *module, const struct ir_function *function,
		    const bool *alone, struct stk_error *err) STK_MUST_CHECK;
void ir_values_release(struct ir_values *values);

const struct ir_value *ir_values_get(const struct ir_values *values, struct stk_text name);	/* or NULL */

/* after the label, when it has one */
uint32_t ir_first_instruction(const struct ir_module *module, const struct ir_block *block);
/* The line after the instruction that begins with this one. */
uint32_t ir_instruction_end(const struct ir_module *module, const struct ir_block *block, uint32_t line);
/* The line after the block's phis and landing pad. */
uint32_t ir_head_end(const struct ir_module *module, const struct ir_block *block);
bool ir_is_landing_pad(const struct ir_module *module, const struct ir_block *block);
/* The next "%x" of the text, outside quotes: its name; *at is moved past it. false: there is none. */
bool ir_next_name(struct stk_text text, size_t *at, size_t *from, struct stk_text *name);

/* "%x = phi i32 [ VALUE, %BLOCK ], ...": the text before the ways, with the type at its end, each of them, and the text
 * after them. The memory of the ways is reused. False: not a phi. */
struct ir_phi_way { struct stk_text value, block; };
struct ir_phi { struct stk_text before, type, behind; ARRAY(struct ir_phi_way) ways; };
bool ir_phi(struct stk_text line, struct ir_phi *phi);

#endif
