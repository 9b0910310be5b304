/* SPDX-License-Identifier: MIT
 * fake_vm: a library that says it is a HotSpot VM, and describes itself with lies: offsets outside of everything, lists
 * without end, pieces of code that begin in themselves, methods that are none. cc -shared -fPIC -DSEED=N -o libjvm.so
 * fake_vm.c; with -DPROGRAM it is the program that runs in the code that the library claims to have made. */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#ifdef PROGRAM

void burn(void);

int
main(void)
{
	burn();
	return 0;
}

#else

#ifndef SEED
#define SEED 1
#endif

struct structs_entry {
	const char *type, *field, *declared;
	int32_t is_static;
	uint64_t offset;
	void *address;
};
struct types_entry {
	const char *type, *super;
	int32_t unused[4];
	uint64_t size;
};
struct constants_entry {
	const char *name;
	int32_t value;
};

#define HEAP 0x4000u /* bytes of the heap of code */

static uint64_t memory[1 << 13];
#define E(type, field, declared, is_static) \
	{ \
		type, field, declared, is_static, 0, NULL \
	}
static struct structs_entry entries[] = { E("GrowableArrayBase", "_len", "int", 0),
					  E("GrowableArray<int>", "_data", "int*", 0),
					  E("CodeHeap", "_memory", "VirtualSpace", 0),
					  E("CodeHeap", "_segmap", "VirtualSpace", 0),
					  E("CodeHeap", "_log2_segment_size", "int", 0),
					  E("VirtualSpace", "_low", "char*", 0),
					  E("VirtualSpace", "_high", "char*", 0),
					  E("HeapBlock::Header", "_used", "bool", 0),
					  E("CodeBlob", "_name", "char*", 0),
					  E("CodeBlob", "_size", "int", 0),
					  E("CodeBlob", "_frame_size", "int", 0),
					  E("CodeBlob", "_frame_complete_offset", "int", 0),
					  E("CodeBlob", "_code_begin", "char*", 0),
					  E("CodeBlob", "_code_end", "char*", 0),
					  E("CodeBlob", "_data_offset", "int", 0),
					  E("nmethod", "_method", "Method*", 0),
					  E("nmethod", "_compile_id", "int", 0),
					  E("nmethod", "_orig_pc_offset", "int", 0),
					  E("nmethod", "_verified_entry_point", "char*", 0),
					  E("nmethod", "_scopes_pcs_offset", "int", 0),
					  E("nmethod", "_entry_bci", "int", 0),
					  E("nmethod", "_osr_entry_point", "char*", 0),
					  E("CompiledMethod", "_scopes_data_begin", "char*", 0),
					  E("CompiledMethod", "_deopt_handler_begin", "char*", 0),
					  E("nmethod", "_metadata_offset", "int", 0),
					  E("nmethod", "_dependencies_offset", "int", 0),
					  E("Method", "_constMethod", "ConstMethod*", 0),
					  E("Method", "_access_flags", "int", 0),
					  E("ConstMethod", "_constants", "ConstantPool*", 0),
					  E("ConstMethod", "_name_index", "u2", 0),
					  E("ConstMethod", "_code_size", "u2", 0),
					  E("ConstMethod", "_flags", "u2", 0),
					  E("ConstantPool", "_pool_holder", "Klass*", 0),
					  E("ConstantPool", "_source_file_name_index", "u2", 0),
					  E("Klass", "_name", "Symbol*", 0),
					  E("Symbol", "_length", "u2", 0),
					  E("Symbol", "_body", "char*", 0),
					  E("CodeCache", "_heaps", "GrowableArray<int>*", 1),
					  E("StubRoutines", "_call_stub_return_address", "char*", 1),
					  E("AbstractInterpreter", "_code", "StubQueue*", 1),
					  E("StubQueue", "_stub_buffer", "char*", 0),
					  E("StubQueue", "_buffer_limit", "int", 0),
					  E("JDK_Version", "_current", "int", 1),
					  { 0 } };
static struct types_entry types[] = { { "HeapBlock", NULL, { 0 }, 16 },
				      { "nmethod", NULL, { 0 }, 344 },
				      { "ConstMethod", NULL, { 0 }, 56 },
				      { "ConstantPool", NULL, { 0 }, 72 },
				      { 0 } };
static struct constants_entry constants[] = { { "ConstMethod::_has_linenumber_table", 1 }, { 0 } };

#define VARIABLE(name, value) uint64_t name = value
void *gHotSpotVMStructs = entries, *gHotSpotVMTypes = types, *gHotSpotVMIntConstants = constants;
VARIABLE(gHotSpotVMStructEntryArrayStride, sizeof(struct structs_entry));
VARIABLE(gHotSpotVMStructEntryTypeNameOffset, offsetof(struct structs_entry, type));
VARIABLE(gHotSpotVMStructEntryFieldNameOffset, offsetof(struct structs_entry, field));
VARIABLE(gHotSpotVMStructEntryTypeStringOffset, offsetof(struct structs_entry, declared));
VARIABLE(gHotSpotVMStructEntryIsStaticOffset, offsetof(struct structs_entry, is_static));
VARIABLE(gHotSpotVMStructEntryOffsetOffset, offsetof(struct structs_entry, offset));
VARIABLE(gHotSpotVMStructEntryAddressOffset, offsetof(struct structs_entry, address));
VARIABLE(gHotSpotVMTypeEntryArrayStride, sizeof(struct types_entry));
VARIABLE(gHotSpotVMTypeEntryTypeNameOffset, offsetof(struct types_entry, type));
VARIABLE(gHotSpotVMTypeEntrySizeOffset, offsetof(struct types_entry, size));
VARIABLE(gHotSpotVMIntConstantEntryArrayStride, sizeof(struct constants_entry));
VARIABLE(gHotSpotVMIntConstantEntryNameOffset, offsetof(struct constants_entry, name));
VARIABLE(gHotSpotVMIntConstantEntryValueOffset, offsetof(struct constants_entry, value));

static unsigned char *code; /* the heap, when it is there */

static uint64_t state = SEED * UINT64_C(0x9e3779b97f4a7c15) + 1;

static uint64_t
chance(uint64_t below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (state >> 33) % below;
}

static uint64_t
some_pointer(void)
{
	return (uint64_t)(uintptr_t)&memory[chance(sizeof memory / sizeof *memory)];
}

static uint64_t
some_word(void)
{
	static const char *const names[] = { "nmethod", "Interpreter", "RuntimeStub", "vtable chunks",
					     "native nmethod" };

	switch (chance(8)) {
	case 0: return chance(UINT64_MAX >> 33);
	case 1: return (uint64_t)(uintptr_t)names[chance(5)];
	case 2: return (uint64_t)(uintptr_t)code + chance(HEAP);
	case 3: return UINT64_MAX - chance(100);
	case 4: return chance(300) << 32 | chance(100);
	default: return some_pointer();
	}
}

#define PIECE 0x100u /* where the piece of code begins in the heap, of segments of 128 bytes */
#define CODE 0x1000u /* and its instructions: a jump to itself */
/* A heap with one piece, in which the program will run; all else in it is as chance has it. */
static void
make_heap(void)
{
	uint64_t *heap = &memory[64];
	unsigned char *map = (unsigned char *)&memory[4096];

	code = mmap(NULL, HEAP, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < HEAP / 8; i++)
		((uint64_t *)(void *)code)[i] = some_word();
	code[CODE] = 0xeb, code[CODE + 1] = 0xfe;
	memory[0] = (uint64_t)(uintptr_t)&memory[8]; /* the list */
	memory[8] = 1, memory[9] = (uint64_t)(uintptr_t)&memory[16]; /* its length and data */
	memory[16] = (uint64_t)(uintptr_t)heap;
	heap[0] = (uint64_t)(uintptr_t)code, heap[1] = heap[0] + HEAP; /* its memory */
	heap[2] = (uint64_t)(uintptr_t)map, heap[3] = heap[2] + 4096; /* its map */
	heap[4] = 7;
	for (unsigned i = 0; i < 4096; i++)
		map[i] = (unsigned char)(SEED % 3 == 0   ? 1
					 : SEED % 4 == 1 ? chance(256)
					 : i > 2         ? (i - 2 < 200 ? i - 2 : 200)
							 : 0);
}

static void
set_in_piece(unsigned offset, uint64_t word)
{
	__builtin_memcpy(code + PIECE + 16 + offset, &word, sizeof word);
}

/* The fields of a piece are where the tables say. The first byte of a block says that it is used. */
static void
describe_piece(void)
{
	static const char *const names[] = { "nmethod",     "native nmethod", "Interpreter",
					     "RuntimeStub", "vtable chunks",  "adapters" };

	code[PIECE] = 1;
	for (struct structs_entry *e = entries; e->type != NULL; e++)
		if (__builtin_strcmp(e->field, "_name") == 0 && __builtin_strcmp(e->type, "CodeBlob") == 0)
			set_in_piece((unsigned)e->offset, (uint64_t)(uintptr_t)names[chance(6)]);
		else if (__builtin_strcmp(e->field, "_size") == 0)
			set_in_piece((unsigned)e->offset, HEAP);
		else if (__builtin_strcmp(e->field, "_code_begin") == 0)
			set_in_piece((unsigned)e->offset, (uint64_t)(uintptr_t)code + CODE - chance(100));
		else if (__builtin_strcmp(e->field, "_code_end") == 0)
			set_in_piece((unsigned)e->offset, (uint64_t)(uintptr_t)code + HEAP);
		else if (__builtin_strcmp(e->field, "_frame_size") == 0)
			set_in_piece((unsigned)e->offset, chance(2) == 0 ? chance(20) : some_word());
		else if (__builtin_strncmp(e->field, "_scopes", 7) == 0 ||
			 __builtin_strncmp(e->field, "_depend", 7) == 0)
			set_in_piece((unsigned)e->offset, chance(2) == 0 ? chance(HEAP) : some_word());
}

static void
lie_about_fields(void)
{
	static const char *const heap_fields[] = { "_len", "_data", "_memory", "_segmap", "_log2_segment_size",
						   "_low", "_high", "_used" };
	static const uint64_t heap_offsets[] = { 0, 8, 0, 16, 32, 0, 8, 0 };
	unsigned in_piece = 0;

	for (struct structs_entry *e = entries; e->type != NULL; e++) {
		int is_piece = __builtin_strcmp(e->type, "CodeBlob") == 0 ||
			       __builtin_strcmp(e->type, "nmethod") == 0 ||
			       __builtin_strcmp(e->type, "CompiledMethod") == 0;

		e->offset = is_piece                                   ? 8 * (uint64_t)in_piece++
			    : __builtin_strcmp(e->type, "Symbol") == 0 ? 0
								       : chance(6) * 8;
		if (SEED % 5 == 4 && chance(20) == 0)
			e->offset = chance(2) == 0 ? 0x7fffffff : UINT64_MAX - chance(4000);
		e->address = (void *)(uintptr_t)some_pointer();
		for (unsigned f = 0; f < sizeof heap_fields / sizeof *heap_fields; f++)
			if (__builtin_strcmp(e->field, heap_fields[f]) == 0)
				e->offset = heap_offsets[f];
		if (__builtin_strcmp(e->field, "_heaps") == 0)
			e->address = &memory[0];
		if (__builtin_strcmp(e->field, "_current") == 0)
			e->address = &memory[1];
	}
}

void
burn(void)
{
	((void (*)(void))(uintptr_t)(code + CODE))();
}

__attribute__((constructor)) static void
lie(void)
{
	for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
		memory[i] = some_word();
	lie_about_fields();
	make_heap();
	describe_piece();
	memory[1] = 17;
	if (SEED % 7 == 6)
		gHotSpotVMStructEntryArrayStride = 0;
	if (SEED % 17 == 16)	/* the end of a part, and so the beginning of memory */
		gHotSpotVMStructEntryOffsetOffset = UINT64_MAX - 3;
	if (SEED % 11 == 10)
		types[1].size = 1 << 20;
	if (SEED % 13 == 12) /* a list without end */
		entries[sizeof entries / sizeof *entries - 1] = entries[0];
}

#endif
