/* SPDX-License-Identifier: MIT
 * vm_methods: the methods of a VM by their addresses, named as in its thread dumps. A class can be unloaded and its
 * memory used again, so what was read is compared with the VM once in each stack. */
#ifndef WALK_VM_METHODS_H
#define WALK_VM_METHODS_H

#include "walk/vm_layout.h"

#include <stdint.h>

struct vm_methods;

struct vm_method {
	uint64_t at, code_at;		/* its address, and that of its bytecodes */
	uint32_t code_size;
	bool is_native;
	char *name, *file;		/* "com.acme.Shop.sell"; NULL: unknown */
};

/* Both are borrowed. */
void vm_methods_open(struct vm_methods **out, const struct vm_layout *layout, struct remote_memory *memory);
void vm_methods_close(struct vm_methods *methods);

/* Another stack begins: methods of earlier ones must not be used any more. */
void vm_methods_begin_stack(struct vm_methods *methods);
/* What is kept; between two stacks it may be forgotten, and is read again. */
size_t vm_methods_bytes(const struct vm_methods *methods);
void vm_methods_forget(struct vm_methods *methods);
/* NULL: there is no method at this address (any more). */
const struct vm_method *vm_methods_at(struct vm_methods *methods, uint64_t address);
/* The line of the source that a bytecode was made of; -1: unknown. */
int64_t vm_method_line(struct vm_methods *methods, const struct vm_method *method, int64_t bytecode);

/* How often other methods were found at addresses that were known. */
uint64_t vm_methods_replaced(const struct vm_methods *methods);

/* A number as the VM packs it, from `*at` on, which is moved behind it; false at the end of the bytes. */
bool vm_unpack(const unsigned char *bytes, size_t size, size_t *at, unsigned base, uint32_t *number);

#endif
