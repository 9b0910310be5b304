/* SPDX-License-Identifier: MIT
 * vm_layout: where a HotSpot VM keeps what its stacks are read by, of JDK 8 to 25. Offsets are VM_NONE_SUCH where a
 * release has no such field; a release of which something needed is missing is refused. */
#ifndef WALK_VM_LAYOUT_H
#define WALK_VM_LAYOUT_H

#include "walk/vm_tables.h"

#define VM_HEAD_MAX    512u		/* bytes of the largest head that is read whole */
#define VM_SYMBOL_HEAD 16u

struct vm_layout {
	int version;			/* 17 */
	unsigned packed_base;		/* of packed numbers: releases from 20 have no zero bytes in them */

	/* heaps of code */
	uint64_t heaps_at, heap_at;	/* of several, from 9 on; of one */
	int array_length, array_data;
	int heap_memory, heap_map, heap_shift, space_low, space_high;
	int block_size, block_used;

	/* a piece of code */
	int blob_name, blob_size, blob_frame_size, blob_complete;
	bool complete_is_short;
	bool code_is_offset;		/* where it begins is an offset from the piece, not an address */
	int blob_code, blob_code_end, blob_data, blob_mutable, blob_mutable_size, blob_relocation;

	/* a compiled method */
	int method_size;		/* of the piece's head */
	int compiled_method, compile_id, entry_bci, osr_entry, original_pc, verified_entry, deopt, deopt_handle;
	int scopes_pcs, scopes_data, metadata, dependencies, immutable, immutable_size;
	bool entry_is_offset, deopt_is_offset, scopes_is_offset;	/* or addresses */

	/* a method and its names */
	int const_method, access_flags, constants, name_index, code_size, const_flags;
	int const_method_size, pool_size, pool_holder, pool_source, class_name, class_source;
	int symbol_length, symbol_length_and_count, symbol_body;
	unsigned has_lines;		/* a flag of the constant part: a table of lines follows the bytecodes */

	/* places in code */
	uint64_t call_stub_return, continuation_return, interpreter_from, interpreter_to;
};

/* -1 (STK_EDATA): something is missing, and *err says what. */
int vm_layout_read(struct vm_layout *layout, const struct vm_tables *tables, struct remote_memory *memory,
		   struct stk_error *err) STK_MUST_CHECK;

#endif
