/* SPDX-License-Identifier: MIT
 * vm_layout: the names that fields have had from JDK 8 to 25. Fields moved between types; the first name that a release
 * knows is used. */
#include "walk/vm_layout.h"

#include <stddef.h>
#include <string.h>

enum need { NEEDED, OPTIONAL };

/* What is read whole into memory of ours: a field that is outside of it would be read from something else. Any process
 * can map a library of that name, and describe in it what it likes. */
enum part { ELSEWHERE, IN_CODE, IN_CONST, IN_SYMBOL };

struct field_name {
	size_t to;
	enum need need;
	enum part part;
	const char *type, *field, *other_type, *other_field;
};

#define TO(member) offsetof(struct vm_layout, member)

static const struct field_name field_names[] = {
	{ TO(array_length), OPTIONAL, ELSEWHERE, "GrowableArrayBase", "_len", "GenericGrowableArray", "_len" },
	{ TO(array_data), OPTIONAL, ELSEWHERE, "GrowableArray<int>", "_data", NULL, NULL },
	{ TO(heap_memory), NEEDED, ELSEWHERE, "CodeHeap", "_memory", NULL, NULL },
	{ TO(heap_map), NEEDED, ELSEWHERE, "CodeHeap", "_segmap", NULL, NULL },
	{ TO(heap_shift), NEEDED, ELSEWHERE, "CodeHeap", "_log2_segment_size", NULL, NULL },
	{ TO(space_low), NEEDED, ELSEWHERE, "VirtualSpace", "_low", NULL, NULL },
	{ TO(space_high), NEEDED, ELSEWHERE, "VirtualSpace", "_high", NULL, NULL },
	{ TO(block_used), NEEDED, ELSEWHERE, "HeapBlock::Header", "_used", NULL, NULL },
	{ TO(blob_name), NEEDED, IN_CODE, "CodeBlob", "_name", NULL, NULL },
	{ TO(blob_size), NEEDED, IN_CODE, "CodeBlob", "_size", NULL, NULL },
	{ TO(blob_frame_size), NEEDED, IN_CODE, "CodeBlob", "_frame_size", NULL, NULL },
	{ TO(blob_complete), NEEDED, IN_CODE, "CodeBlob", "_frame_complete_offset", NULL, NULL },
	{ TO(blob_code), NEEDED, IN_CODE, "CodeBlob", "_code_offset", "CodeBlob", "_code_begin" },
	{ TO(blob_code_end), OPTIONAL, IN_CODE, "CodeBlob", "_code_end", NULL, NULL },
	{ TO(blob_data), OPTIONAL, IN_CODE, "CodeBlob", "_data_offset", NULL, NULL },
	{ TO(blob_mutable), OPTIONAL, IN_CODE, "CodeBlob", "_mutable_data", NULL, NULL },
	{ TO(blob_mutable_size), OPTIONAL, IN_CODE, "CodeBlob", "_mutable_data_size", NULL, NULL },
	{ TO(blob_relocation), OPTIONAL, IN_CODE, "CodeBlob", "_relocation_size", NULL, NULL },
	{ TO(compiled_method), NEEDED, IN_CODE, "nmethod", "_method", "CompiledMethod", "_method" },
	{ TO(compile_id), NEEDED, IN_CODE, "nmethod", "_compile_id", NULL, NULL },
	{ TO(entry_bci), OPTIONAL, IN_CODE, "nmethod", "_entry_bci", NULL, NULL },
	{ TO(osr_entry), OPTIONAL, IN_CODE, "nmethod", "_osr_entry_point", NULL, NULL },
	{ TO(original_pc), NEEDED, IN_CODE, "nmethod", "_orig_pc_offset", NULL, NULL },
	{ TO(verified_entry), NEEDED, IN_CODE, "nmethod", "_verified_entry_offset", "nmethod",
	  "_verified_entry_point" },
	{ TO(deopt), OPTIONAL, IN_CODE, "nmethod", "_deopt_handler_offset", "CompiledMethod", "_deopt_handler_begin" },
	{ TO(deopt_handle), OPTIONAL, IN_CODE, "nmethod", "_deopt_mh_handler_offset", "CompiledMethod",
	  "_deopt_mh_handler_begin" },
	{ TO(scopes_pcs), NEEDED, IN_CODE, "nmethod", "_scopes_pcs_offset", NULL, NULL },
	{ TO(scopes_data), NEEDED, IN_CODE, "nmethod", "_scopes_data_offset", "CompiledMethod", "_scopes_data_begin" },
	{ TO(metadata), OPTIONAL, IN_CODE, "nmethod", "_metadata_offset", NULL, NULL },
	{ TO(dependencies), OPTIONAL, IN_CODE, "nmethod", "_dependencies_offset", NULL, NULL },
	{ TO(immutable), OPTIONAL, IN_CODE, "nmethod", "_immutable_data", NULL, NULL },
	{ TO(immutable_size), OPTIONAL, IN_CODE, "nmethod", "_immutable_data_size", NULL, NULL },
	{ TO(const_method), NEEDED, ELSEWHERE, "Method", "_constMethod", NULL, NULL },
	{ TO(access_flags), NEEDED, ELSEWHERE, "Method", "_access_flags", NULL, NULL },
	{ TO(constants), NEEDED, IN_CONST, "ConstMethod", "_constants", NULL, NULL },
	{ TO(name_index), NEEDED, IN_CONST, "ConstMethod", "_name_index", NULL, NULL },
	{ TO(code_size), NEEDED, IN_CONST, "ConstMethod", "_code_size", NULL, NULL },
	{ TO(const_flags), OPTIONAL, IN_CONST, "ConstMethod", "_flags", "ConstMethod", "_flags._flags" },
	{ TO(pool_holder), NEEDED, ELSEWHERE, "ConstantPool", "_pool_holder", NULL, NULL },
	{ TO(pool_source), OPTIONAL, ELSEWHERE, "ConstantPool", "_source_file_name_index", NULL, NULL },
	{ TO(class_source), OPTIONAL, ELSEWHERE, "InstanceKlass", "_source_file_name_index", NULL, NULL },
	{ TO(class_name), NEEDED, ELSEWHERE, "Klass", "_name", NULL, NULL },
	{ TO(symbol_length), OPTIONAL, IN_SYMBOL, "Symbol", "_length", NULL, NULL },
	{ TO(symbol_length_and_count), OPTIONAL, IN_SYMBOL, "Symbol", "_length_and_refcount", NULL, NULL },
	{ TO(symbol_body), NEEDED, ELSEWHERE, "Symbol", "_body", NULL, NULL },
};

/* How large what a field must be in is. */
static int
size_of_part(const struct vm_layout *layout, enum part part)
{
	return part == IN_CODE    ? layout->method_size
	       : part == IN_CONST ? layout->const_method_size
				  : (int)VM_SYMBOL_HEAD;
}

static int
read_fields(struct vm_layout *layout, const struct vm_tables *tables, struct stk_error *err)
{
	for (size_t i = 0; i < sizeof field_names / sizeof *field_names; i++) {
		const struct field_name *name = &field_names[i];
		int at = vm_field(tables, name->type, name->field);

		if (at == VM_NONE_SUCH && name->other_type != NULL)
			at = vm_field(tables, name->other_type, name->other_field);
		if (at == VM_NONE_SUCH && name->need == NEEDED)
			return stk_fail(err, STK_EDATA, "JDK %d: its tables have no %s::%s", layout->version,
					name->type, name->field);
		if (name->part != ELSEWHERE && at > size_of_part(layout, name->part) - 8)
			return stk_fail(err, STK_EDATA, "its tables say that %s::%s is outside of it", name->type,
					name->field);
		memcpy((char *)layout + name->to, &at, sizeof at);
	}
	return 0;
}

static int
read_sizes(struct vm_layout *layout, const struct vm_tables *tables, struct stk_error *err)
{
	const struct {
		int *to;
		const char *type;
	} sizes[] = { { &layout->block_size, "HeapBlock" },
		      { &layout->method_size, "nmethod" },
		      { &layout->const_method_size, "ConstMethod" },
		      { &layout->pool_size, "ConstantPool" } };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		*sizes[i].to = vm_size(tables, sizes[i].type);
		if (*sizes[i].to < 16 - 8 * (i == 0) || *sizes[i].to > (int)VM_HEAD_MAX)
			return stk_fail(err, STK_EDATA, "JDK %d: its tables have no likely size of %s", layout->version,
					sizes[i].type);
	}
	return 0;
}

/* JDK_Version::_current has the version in its lowest byte; from some release on there is a field of its own. */
static int
read_version(const struct vm_tables *tables, struct remote_memory *memory)
{
	uint64_t at = vm_static(tables, "JDK_Version", "_current");
	uint32_t word = 0;

	if (at != 0 && remote_read(memory, at, &word, sizeof word) && (word & 0xff) != 0)
		return (int)(word & 0xff);
	at = vm_static(tables, "Abstract_VM_Version", "_vm_major_version");
	return at != 0 && remote_read(memory, at, &word, sizeof word) ? (int)word : 0;
}

static uint64_t
word_at_static(const struct vm_tables *tables, struct remote_memory *memory, const char *type, const char *field)
{
	uint64_t at = vm_static(tables, type, field);

	return at != 0 ? remote_word(memory, at) : 0;
}

static void
read_places(struct vm_layout *layout, const struct vm_tables *tables, struct remote_memory *memory)
{
	uint64_t queue = word_at_static(tables, memory, "AbstractInterpreter", "_code");
	int buffer = vm_field(tables, "StubQueue", "_stub_buffer"),
	    limit = vm_field(tables, "StubQueue", "_buffer_limit");
	uint32_t size = 0;

	layout->call_stub_return = word_at_static(tables, memory, "StubRoutines", "_call_stub_return_address");
	layout->continuation_return = word_at_static(tables, memory, "ContinuationEntry", "_return_pc");
	layout->heaps_at = vm_static(tables, "CodeCache", "_heaps");
	layout->heap_at = vm_static(tables, "CodeCache", "_heap");
	if (queue != 0 && buffer >= 0 && limit >= 0 &&
	    remote_read(memory, queue + (unsigned)limit, &size, sizeof size)) {
		layout->interpreter_from = remote_word(memory, queue + (unsigned)buffer);
		layout->interpreter_to = layout->interpreter_from + size;
	}
}

int
vm_layout_read(struct vm_layout *layout, const struct vm_tables *tables, struct remote_memory *memory,
	       struct stk_error *err)
{
	*layout = (struct vm_layout){ .version = read_version(tables, memory) };
	if (layout->version < 8)
		return stk_fail(err, STK_EDATA, "its tables do not say which JDK it is of");
	if (read_sizes(layout, tables, err) < 0 || read_fields(layout, tables, err) < 0)
		return -1;
	layout->packed_base = layout->version >= 20;
	layout->code_is_offset = vm_field(tables, "CodeBlob", "_code_offset") != VM_NONE_SUCH;
	layout->entry_is_offset = vm_field(tables, "nmethod", "_verified_entry_offset") != VM_NONE_SUCH;
	layout->deopt_is_offset = vm_field(tables, "nmethod", "_deopt_handler_offset") != VM_NONE_SUCH;
	layout->scopes_is_offset = vm_field(tables, "nmethod", "_scopes_data_offset") != VM_NONE_SUCH;
	if (layout->deopt == VM_NONE_SUCH) {	/* 8 */
		layout->deopt_is_offset = true;
		layout->deopt = vm_field(tables, "nmethod", "_deoptimize_offset");
		layout->deopt_handle = vm_field(tables, "nmethod", "_deoptimize_mh_offset");
		if (layout->deopt > layout->method_size - 8 || layout->deopt_handle > layout->method_size - 8)
			layout->deopt = layout->deopt_handle = VM_NONE_SUCH;
	}
	layout->complete_is_short = !vm_field_is(tables, "CodeBlob", "_frame_complete_offset", "int");
	layout->has_lines = (unsigned)vm_constant(tables, "ConstMethodFlags::_misc_has_linenumber_table",
						  vm_constant(tables, "ConstMethod::_has_linenumber_table", 1));
	read_places(layout, tables, memory);
	if (layout->heaps_at == 0 && layout->heap_at == 0)
		return stk_fail(err, STK_EDATA, "JDK %d: its tables do not say where its code is", layout->version);
	if (layout->call_stub_return == 0)
		return stk_fail(err, STK_EDATA, "JDK %d: its tables do not say how its code is called",
				layout->version);
	if (layout->symbol_length == VM_NONE_SUCH && layout->symbol_length_and_count == VM_NONE_SUCH)
		return stk_fail(err, STK_EDATA, "JDK %d: its tables do not say how long names are", layout->version);
	return 0;
}
