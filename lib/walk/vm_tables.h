/* SPDX-License-Identifier: MIT
 * vm_tables: the tables in which a HotSpot VM describes its own data to debuggers (gHotSpotVMStructs and others): where
 * each field of its types is, how large the types are, and constants. They are found by the symbols of libjvm.so as it
 * is in the memory of the process, so no file is opened, and a VM in a container or one whose file was replaced is read
 * like any other. */
#ifndef WALK_VM_TABLES_H
#define WALK_VM_TABLES_H

#include "stkpipe/error.h"
#include "walk/remote_memory.h"

struct vm_tables;

/* -1: the process has no libjvm.so, may not be read, or has no tables (STK_EDATA; *err says which). */
int vm_tables_open(struct vm_tables **out, struct remote_memory *memory, struct stk_error *err) STK_MUST_CHECK;
void vm_tables_close(struct vm_tables *tables);

#define VM_NONE_SUCH (-1)
/* The offset of a field in its type, or VM_NONE_SUCH. */
int vm_field(const struct vm_tables *tables, const char *type, const char *field);
/* Whether the declared type of a field is this one. */
bool vm_field_is(const struct vm_tables *tables, const char *type, const char *field, const char *declared);
/* The address of a static field in the process, or 0. */
uint64_t vm_static(const struct vm_tables *tables, const char *type, const char *field);
/* The size of a type, or VM_NONE_SUCH. */
int vm_size(const struct vm_tables *tables, const char *type);
/* A constant, or `otherwise`. */
int64_t vm_constant(const struct vm_tables *tables, const char *name, int64_t otherwise);

#endif
