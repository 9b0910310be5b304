/* SPDX-License-Identifier: MIT
 * code_cache: the code that a VM has made: which piece of it an address is in, how large the piece's frames are, and
 * which methods were inlined where. Pieces are freed and their memory is used again: what is known of one is compared
 * with the VM once in each stack. */
#ifndef WALK_CODE_CACHE_H
#define WALK_CODE_CACHE_H

#include "walk/vm_layout.h"

struct code_cache;

enum code_kind {
	CODE_COMPILED,
	CODE_WRAPPER,			/* of a native method */
	CODE_INTERPRETER,
	CODE_TABLE_STUB,		/* chooses a method of a class or interface */
	CODE_FRAMED_STUB,
	CODE_STUB			/* without a frame of known size */
};

struct code {
	enum code_kind kind;
	uint64_t at;			/* of the piece's head */
	uint64_t from, to;		/* of its instructions */
	uint64_t complete;		/* its frame is complete from here on */
	uint64_t entry, loop_entry;	/* of calls; of a running loop, or 0 */
	uint64_t deopt, deopt_handle;	/* where frames return to that must be undone; 0: unknown */
	uint64_t method;		/* of the whole piece */
	uint64_t name_at;
	int frame_size;			/* in bytes */
	int original_pc;		/* where a frame that must be undone keeps its pc: offset from sp */
	int compile_id;
	char name[64];
};

/* Both are borrowed. */
void code_cache_open(struct code_cache **out, const struct vm_layout *layout, struct remote_memory *memory);
void code_cache_close(struct code_cache *cache);

/* The heaps grow: call it now and then. False: they cannot be read. */
bool code_cache_refresh(struct code_cache *cache);
/* Another stack begins: pieces of earlier ones must not be used any more. */
void code_cache_begin_stack(struct code_cache *cache);

/* What is kept; between two stacks it may be forgotten, and is read again. */
size_t code_cache_bytes(const struct code_cache *cache);
void code_cache_forget(struct code_cache *cache);

/* Whether an address is in the VM's code at all. */
bool code_cache_holds(const struct code_cache *cache, uint64_t pc);
/* NULL: no piece is there (any more). */
const struct code *code_cache_at(struct code_cache *cache, uint64_t pc);
/* Whether an address follows a call instruction in the VM's code. */
bool code_cache_is_return(struct code_cache *cache, uint64_t pc);

/* A method at a place of compiled code, and the bytecode it is at. */
struct code_scope {
	uint64_t method;
	int64_t bytecode;
};

/* How much of it is known. SCOPES_NEAR: the compiler noted nothing for this pc, so they are those of the next place
 * that it did note. SCOPES_ROOT: only the method of the piece; others may be inlined in it. */
enum code_scopes_known { SCOPES_EXACT, SCOPES_NEAR, SCOPES_ROOT };

/* The methods at pc, innermost first, at most `room` of them. Of an interrupted frame (is_top) they are an estimate
 * unless exact; where a frame called something, they are exact or only the root. */
enum code_scopes_known code_cache_scopes(struct code_cache *cache, const struct code *code, uint64_t pc, bool is_top,
					 struct code_scope *scopes, size_t room, size_t *count);
/* Whether the call before pc is one of a method handle, whose caller keeps its stack pointer in rbp. */
bool code_cache_calls_handle(struct code_cache *cache, const struct code *code, uint64_t pc);

/* How often other code was found where some was known. */
uint64_t code_cache_replaced(const struct code_cache *cache);

#endif
