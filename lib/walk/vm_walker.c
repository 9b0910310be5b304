/* SPDX-License-Identifier: MIT
 * vm_walker: one frame after another, each by the kind of code that its pc is in. */
#include "walk/vm_walker.h"

#include "capture/attach.h"	/* monotonic_ns */
#include "walk/code_cache.h"
#include "walk/frame_end.h"
#include "walk/native_rules.h"
#include "walk/vm_methods.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#define FRAMES_MAX    4096u
#define SCOPES_MAX    256u		/* inlined at one place */
#define REFRESH_NS    INT64_C(500000000)	/* how often the heaps of code are looked at */
#define AGAIN_NS      INT64_C(1000000)	/* or at once, but not more often, when an address is in none */
#define ENTRY_REACH   4096u		/* how far a caller's sp may be from that of a method that is being entered */
#define FRAME_REACH   ((uint64_t)1 << 19)	/* the size of an interpreted frame */
#define POINTER_REACH 8192u		/* how far a frame pointer of a stub, or a handle's caller, may be */
#define WORD          8u

struct vm_walker {
	struct remote_memory memory;
	struct vm_tables *tables;
	struct vm_layout layout;
	struct code_cache *cache;
	struct vm_methods *methods;
	struct native_rules *rules;
	pthread_mutex_t lock;
	int64_t refreshed_ns;
	struct walk_share share;
	struct walk_totals totals;
};

/* What a step says: go on, or the walk's end. */
#define WALK_ON WALK_ENDS

struct walk {
	struct vm_walker *walker;
	struct stack_copy *stack;
	uint64_t *registers;		/* of the stack */
	struct text_buffer *to;
	size_t last_method;		/* where the text of the last method ends; 0: there is none */
	bool is_top;
	bool is_estimated;
};

/* --- the text --- */

static void
add_mark(struct walk *walk, const char *text)
{
	add_string(walk->to, "m\t");
	add_string(walk->to, text);
	add_char(walk->to, '\n');
}

static void
add_address(struct walk *walk, char kind, uint64_t address)
{
	char text[24];

	add_char(walk->to, kind);
	add_bytes(walk->to, text, (size_t)snprintf(text, sizeof text, "\t%" PRIx64, address));
}

static void
add_method(struct walk *walk, uint64_t pc, const struct vm_method *method, const char *module, int64_t bytecode)
{
	int64_t line = method != NULL && bytecode >= 0 && !method->is_native
			       ? vm_method_line(walk->walker->methods, method, bytecode)
			       : -1;
	char text[24];

	add_address(walk, 'j', pc);
	add_char(walk->to, '\t');
	add_string(walk->to, module);
	add_char(walk->to, '\t');
	add_string(walk->to, method != NULL ? method->name : "[unloaded method]");
	if (method != NULL && method->is_native) {
		add_string(walk->to, "\t\tnative");
	} else if (method != NULL && method->file != NULL && line > 0) {
		add_char(walk->to, '\t');
		add_string(walk->to, method->file);
		add_bytes(walk->to, text, (size_t)snprintf(text, sizeof text, "\t%" PRId64, line));
	}
	add_char(walk->to, '\n');
	walk->last_method = walk->to->count;
}

/* --- stepping --- */

static void
go_to(struct walk *walk, uint64_t pc, uint64_t sp)
{
	walk->registers[AT_RIP] = pc;
	walk->registers[AT_RSP] = sp;
	walk->is_top = false;
}

static uint64_t
word_at(struct walk *walk, uint64_t at)
{
	return stack_word(walk->stack, at);
}

static bool
is_code(const struct walk *walk, uint64_t pc)
{
	return code_cache_holds(walk->walker->cache, pc);
}

static bool
is_return(struct walk *walk, uint64_t pc)
{
	return code_cache_is_return(walk->walker->cache, pc);
}

static enum walk_end
ended(const struct walk *walk, enum walk_end why)
{
	return walk->stack->ran_out ? WALK_NOT_COPIED : why;
}

/* rbp may be anything in compiled code. */
static bool
is_pointer_near(const struct walk *walk, uint64_t reach)
{
	uint64_t sp = walk->registers[AT_RSP], pointer = walk->registers[AT_RBP];

	return pointer % WORD == 0 && pointer >= sp && pointer - sp < reach;
}

static enum walk_end
step_native(struct walk *walk)
{
	uint64_t pc = walk->registers[AT_RIP];

	add_address(walk, 'n', walk->is_top ? pc : pc - 1);
	add_char(walk->to, '\n');
	switch (native_rules_step(walk->walker->rules, walk->stack, walk->is_top)) {
	case NATIVE_STEPPED: walk->is_top = false; return WALK_ON;
	case NATIVE_ENTRY: return WALK_WHOLE;
	case NATIVE_UNREADABLE: return ended(walk, WALK_UNREADABLE);
	case NATIVE_NO_RULE: break;
	}
	if (!walk->is_top || is_code(walk, word_at(walk, walk->registers[AT_RSP])) ||
	    !native_rules_leave_leaf(walk->walker->rules, walk->stack))
		return ended(walk, WALK_NO_RULE);
	walk->walker->totals.repaired++;
	walk->is_top = false;
	return WALK_ON;
}

/* The frame in which the VM's C++ code calls Java: it keeps the caller's registers at fixed places. */
static enum walk_end
step_call_stub(struct walk *walk)
{
	static const struct {
		int reg;
		unsigned below;
	} saved[] = { { AT_RBX, 56 }, { AT_R12, 64 }, { AT_R13, 72 }, { AT_R14, 80 }, { AT_R15, 88 } };
	uint64_t frame = walk->registers[AT_RBP];

	for (size_t i = 0; i < sizeof saved / sizeof *saved; i++)
		walk->registers[saved[i].reg] = word_at(walk, frame - saved[i].below);
	go_to(walk, word_at(walk, frame + WORD), frame + 2 * (uint64_t)WORD);
	walk->registers[AT_RBP] = word_at(walk, frame);
	return walk->registers[AT_RIP] != 0 ? WALK_ON : ended(walk, WALK_BAD_STUB);
}

/* --- interpreted frames --- */

/* Below the frame pointer: the caller's sp, the method, and (in all but the innermost frame) the bytecode. */
struct interpreted {
	uint64_t bytecode, method, sp, rbp, pc;
};

#define BYTECODE_BELOW   64u
#define BYTECODE_BELOW_8 56u		/* in JDK 8 */
#define METHOD_BELOW     24u

static bool
read_interpreted(struct walk *walk, struct interpreted *frame)
{
	uint64_t sp = walk->registers[AT_RSP], at = walk->registers[AT_RBP];

	if (at % WORD != 0 || at + WORD < sp || at - sp >= FRAME_REACH)
		return false;
	if (!stack_read(walk->stack, at, &frame->rbp, WORD) || !stack_read(walk->stack, at + WORD, &frame->pc, WORD))
		return false;
	frame->method = word_at(walk, at - METHOD_BELOW);
	frame->sp = word_at(walk, at - WORD);
	frame->bytecode = word_at(walk, at - (walk->walker->layout.version == 8 ? BYTECODE_BELOW_8 : BYTECODE_BELOW));
	return true;
}

static bool
is_in(const struct vm_method *method, uint64_t bytecode)
{
	return bytecode >= method->code_at && bytecode - method->code_at < method->code_size;
}

static void
leave_interpreted(struct walk *walk, const struct interpreted *frame)
{
	go_to(walk, frame->pc, frame->sp);
	walk->registers[AT_RBP] = frame->rbp;
}

/* Interrupted while it enters a method, whose frame is not there yet or half built: the method is in rbx then, and the
 * caller's sp in r13. False: it is not so. */
static bool
step_entering(struct walk *walk, bool is_frame)
{
	const uint64_t *r = walk->registers;
	const struct vm_layout *layout = &walk->walker->layout;
	const struct vm_method *method = vm_methods_at(walk->walker->methods, r[AT_RBX]);
	uint64_t sp = r[AT_RSP], frame = r[AT_RBP], caller = word_at(walk, sp);
	uint64_t callers_sp = r[AT_R13] >= sp && r[AT_R13] - sp < ENTRY_REACH ? r[AT_R13] : sp + WORD;
	bool is_between = caller >= layout->interpreter_from && caller < layout->interpreter_to;

	if (method == NULL)
		return false;
	if (!is_frame && is_pointer_near(walk, 0x60) && is_code(walk, word_at(walk, frame + WORD))) {
		add_method(walk, r[AT_RIP], method, "[interpreted]", 0);
		go_to(walk, word_at(walk, frame + WORD), sp + WORD <= frame ? word_at(walk, frame - WORD) : r[AT_R13]);
		walk->registers[AT_RBP] = word_at(walk, frame);
		return true;
	}
	if (!is_return(walk, caller) && !(is_frame && is_between))
		return false;
	add_method(walk, r[AT_RIP], method, "[interpreted]", 0);
	go_to(walk, caller, callers_sp);
	return true;
}

static enum walk_end
step_unknown_interpreted(struct walk *walk, const struct interpreted *frame, bool readable)
{
	uint64_t sp = walk->registers[AT_RSP], caller = word_at(walk, sp), pointer = walk->registers[AT_RBP];

	if (walk->is_top && is_return(walk, caller)) {
		add_mark(walk, "[interpreter]");
		walk->walker->totals.repaired++;
		go_to(walk, caller, sp + WORD);
		return WALK_ON;
	}
	/* its class was unloaded meanwhile */
	if (!walk->is_top && readable && frame->sp > pointer && frame->sp - pointer < FRAME_REACH &&
	    is_code(walk, frame->pc)) {
		add_method(walk, walk->registers[AT_RIP], NULL, "[interpreted]", -1);
		leave_interpreted(walk, frame);
		return WALK_ON;
	}
	return ended(walk, WALK_BAD_INTERPRETED);
}

static enum walk_end
step_interpreted(struct walk *walk)
{
	struct interpreted frame = { 0 };
	bool readable = read_interpreted(walk, &frame);
	const struct vm_method *method = readable ? vm_methods_at(walk->walker->methods, frame.method) : NULL;
	uint64_t bytecode = walk->is_top ? walk->registers[AT_R13] : frame.bytecode;

	if (walk->is_top && !(method != NULL && (method->is_native || is_in(method, bytecode))) &&
	    step_entering(walk, method != NULL))
		return WALK_ON;
	if (method == NULL)
		return step_unknown_interpreted(walk, &frame, readable);
	add_method(walk, walk->registers[AT_RIP], method, "[interpreted]",
		   is_in(method, bytecode) ? (int64_t)(bytecode - method->code_at) : -1);
	if (frame.sp < walk->registers[AT_RBP])
		return ended(walk, WALK_BAD_INTERPRETED);
	leave_interpreted(walk, &frame);
	return WALK_ON;
}

/* --- compiled frames --- */

#define SEARCH_TOP   12u		/* words above an interrupted frame that are looked at */
#define SEARCH_OTHER 6u

/* Code pushes words around some calls of stubs, and states that are not recognised exist: the return address is a few
 * words from where it should be. */
static bool
search_return(struct walk *walk, uint64_t *end)
{
	unsigned count = walk->is_top ? SEARCH_TOP : SEARCH_OTHER, near_sp = walk->is_top ? 4 : 0;

	for (unsigned i = 0; i < count; i++) {
		uint64_t at = i < near_sp ? walk->registers[AT_RSP] + WORD * (uint64_t)i
					  : *end + WORD * (uint64_t)(i - near_sp);

		if (is_return(walk, word_at(walk, at))) {
			*end = at + WORD;
			return true;
		}
	}
	return false;
}

/* A frame of the VM's code that ends there; saved_at: where rbp was saved, or 0. */
static enum walk_end
leave_code(struct walk *walk, const struct code *code, uint64_t end, uint64_t saved_at)
{
	uint64_t caller = word_at(walk, end - WORD);
	bool is_stub = code->kind > CODE_WRAPPER;

	if (walk->stack->ran_out)
		return WALK_NOT_COPIED;
	if (!is_code(walk, caller) &&
	    !(is_stub && caller > 4096 &&
	      native_rules_know(walk->walker->rules, caller - 1))) {	/* libjvm.so calls stubs */
		if (!search_return(walk, &end))
			return ended(walk, is_stub ? WALK_BAD_STUB : WALK_BAD_COMPILED);
		walk->walker->totals.repaired++;
		saved_at = 0;
		caller = word_at(walk, end - WORD);
	}
	if (saved_at != 0)
		walk->registers[AT_RBP] = word_at(walk, saved_at);
	go_to(walk, caller, end);
	return WALK_ON;
}

/* Of the innermost frame, which may be incomplete. */
static struct frame_end
end_of_top(struct walk *walk, const struct code *code)
{
	struct frame_end end = { code->frame_size, code->frame_size - 2 * (int64_t)WORD };
	uint64_t pc = walk->registers[AT_RIP], start = code->entry;
	unsigned char around[FRAME_END_BYTES], entry[FRAME_ENTRY_BYTES];
	struct remote_memory *memory = &walk->walker->memory;

	if (remote_read(memory, pc - FRAME_END_BEFORE, around, sizeof around) && frame_end_in_return(around, &end))
		return end;
	if (code->loop_entry >= code->from && code->loop_entry < code->to && pc >= code->loop_entry &&
	    pc - code->loop_entry < FRAME_ENTRY_LONG)
		start = code->loop_entry;
	else if (pc < code->entry)	/* it checks the class of the object, before the entry */
		return (struct frame_end){ WORD, -1 };
	if (pc - start < FRAME_ENTRY_LONG && remote_read(memory, start, entry, sizeof entry))
		(void)frame_end_in_entry(entry, (unsigned)(pc - start), code->frame_size, pc < code->complete, &end);
	return end;
}

/* A frame that must be undone returns elsewhere; where it was going is kept in it. */
static uint64_t
true_pc(struct walk *walk, const struct code *code, uint64_t pc)
{
	uint64_t original;

	if (walk->is_top || pc == 0 || (pc != code->deopt && pc != code->deopt_handle))
		return pc;
	original = word_at(walk, walk->registers[AT_RSP] + (uint64_t)(int64_t)code->original_pc);
	return original >= code->from && original < code->to ? original : pc;
}

static void
add_scopes(struct walk *walk, const struct code *code, uint64_t pc)
{
	struct code_scope scopes[SCOPES_MAX];
	size_t count;
	enum code_scopes_known known =
		code_cache_scopes(walk->walker->cache, code, pc, walk->is_top, scopes, SCOPES_MAX, &count);

	if (known == SCOPES_ROOT)
		add_mark(walk, "[inlined?]");
	walk->is_estimated |= known == SCOPES_NEAR && count > 1;
	for (size_t i = 0; i < count; i++)
		add_method(walk, pc, vm_methods_at(walk->walker->methods, scopes[i].method),
			   known == SCOPES_NEAR && i + 1 < count ? "[compiled, estimated]" : "[compiled]",
			   scopes[i].bytecode);
}

static enum walk_end
step_compiled(struct walk *walk, const struct code *code)
{
	uint64_t sp = walk->registers[AT_RSP], pc = true_pc(walk, code, walk->registers[AT_RIP]);
	struct frame_end end;

	add_scopes(walk, code, pc);
	if (walk->is_top) {
		end = end_of_top(walk, code);
		return leave_code(walk, code, sp + (uint64_t)end.size,
				  end.saved_rbp >= 0 ? sp + (uint64_t)end.saved_rbp : 0);
	}
	if (is_pointer_near(walk, POINTER_REACH) && code_cache_calls_handle(walk->walker->cache, code, pc))
		sp = walk->registers[AT_RBP];
	return leave_code(walk, code, sp + (uint64_t)code->frame_size,
			  sp + (uint64_t)code->frame_size - 2 * (uint64_t)WORD);
}

/* --- stubs --- */

/* The older frames of a virtual thread lie in the heap, where they may move: they are not walked. The walk goes on with
 * the thread that carries it. */
static bool
step_frozen(struct walk *walk, const struct code *code)
{
	if (walk->is_top || strncmp(code->name, "StubRoutines (cont", 18) != 0 ||
	    walk->walker->layout.continuation_return == 0)
		return false;
	add_mark(walk, "[frames in the heap]");
	walk->registers[AT_RIP] = walk->walker->layout.continuation_return;
	return true;
}

static enum walk_end
step_frameless(struct walk *walk, const struct code *code)
{
	uint64_t sp = walk->registers[AT_RSP], frame = walk->registers[AT_RBP];
	bool is_near = is_pointer_near(walk, POINTER_REACH);

	if (walk->is_top && is_return(walk, word_at(walk, sp)))
		return leave_code(walk, code, sp + WORD, 0);
	if (is_near && is_code(walk, word_at(walk, frame + WORD)))
		return leave_code(walk, code, frame + 2 * (uint64_t)WORD, frame);
	/* the barrier at a method's entry has a word of its own below the return address */
	if (is_near && word_at(walk, frame + WORD) == UINT64_MAX &&
	    is_code(walk, word_at(walk, frame + 2 * (uint64_t)WORD)))
		return leave_code(walk, code, frame + 3 * (uint64_t)WORD, frame);
	return leave_code(walk, code, sp + WORD, 0);
}

static enum walk_end
step_stub(struct walk *walk, const struct code *code)
{
	uint64_t sp = walk->registers[AT_RSP];

	if (step_frozen(walk, code))
		return WALK_ON;
	add_address(walk, 's', walk->registers[AT_RIP]);
	add_string(walk->to, "\t[stub of the VM]\t");
	add_string(walk->to, code->name);
	add_char(walk->to, '\n');
	if (code->kind == CODE_TABLE_STUB)
		return leave_code(walk, code, sp + WORD, 0);
	if (code->kind == CODE_FRAMED_STUB && !(walk->is_top && walk->registers[AT_RIP] < code->complete))
		return leave_code(walk, code, sp + (uint64_t)code->frame_size,
				  sp + (uint64_t)code->frame_size - 2 * (uint64_t)WORD);
	return step_frameless(walk, code);
}

/* --- a walk --- */

static void
refresh_heaps(struct vm_walker *walker, int64_t after_ns)
{
	int64_t now = monotonic_ns();

	if (now - walker->refreshed_ns <= after_ns)
		return;
	walker->refreshed_ns = now;
	(void)code_cache_refresh(walker->cache);
}

/* What is neither in the VM's code nor in a library may be in a part of the heaps that is new. */
static bool
is_native(struct walk *walk, uint64_t pc)
{
	if (is_code(walk, pc))
		return false;
	if (native_rules_know(walk->walker->rules, walk->is_top ? pc : pc - 1))
		return true;
	refresh_heaps(walk->walker, AGAIN_NS);
	return !is_code(walk, pc);
}

static enum walk_end
step(struct walk *walk)
{
	uint64_t pc = walk->registers[AT_RIP];
	const struct code *code;

	if (is_native(walk, pc))
		return step_native(walk);
	if (pc == walk->walker->layout.call_stub_return)
		return step_call_stub(walk);
	code = code_cache_at(walk->walker->cache, pc);
	if (code == NULL)
		return ended(walk, WALK_NO_CODE);
	return code->kind == CODE_INTERPRETER ? step_interpreted(walk)
	       : code->kind <= CODE_WRAPPER   ? step_compiled(walk, code)
					      : step_stub(walk, code);
}

static void
count_bytes(struct vm_walker *walker)
{
	walk_share_set(&walker->share, code_cache_bytes(walker->cache) + vm_methods_bytes(walker->methods) +
					       native_rules_bytes(walker->rules));
}

static void
begin_stack(struct vm_walker *walker)
{
	if (walk_share_is_large(&walker->share)) {
		code_cache_forget(walker->cache);
		vm_methods_forget(walker->methods);
		native_rules_forget(walker->rules);
		count_bytes(walker);
	}
	code_cache_begin_stack(walker->cache);
	vm_methods_begin_stack(walker->methods);
}

static enum walk_end
walk_all(struct walk *walk)
{
	enum walk_end end = WALK_ON;

	for (unsigned frames = 0; frames < FRAMES_MAX && end == WALK_ON; frames++) {
		uint64_t before = walk->registers[AT_RSP];

		if (walk->registers[AT_RIP] == 0)
			return WALK_WHOLE;
		end = step(walk);
		if (end == WALK_ON && walk->registers[AT_RSP] < before)
			end = WALK_NOT_RISING;
		count_bytes(walk->walker);
		if (end == WALK_ON && walk_share_is_out(&walk->walker->share))
			end = WALK_NO_ROOM;
	}
	return end == WALK_ON ? WALK_TOO_DEEP : end;
}

static void
count_walk(struct vm_walker *walker, const struct walk *walk, enum walk_end end)
{
	struct walk_totals *totals = &walker->totals;

	totals->stacks++;
	totals->ends[end]++;
	totals->with_methods += walk->last_method > 0;
	totals->whole_with_methods += walk->last_method > 0 && end == WALK_WHOLE;
	totals->estimated += walk->is_estimated;
}

enum walk_end
vm_walker_walk(struct vm_walker *walker, struct stack_copy *stack, struct text_buffer *to)
{
	struct walk walk = { walker, stack, stack->registers, to, 0, true, false };
	enum walk_end end;

	pthread_mutex_lock(&walker->lock);
	refresh_heaps(walker, REFRESH_NS);
	begin_stack(walker);
	end = walk_all(&walk);
	count_walk(walker, &walk, end);
	pthread_mutex_unlock(&walker->lock);
	if (end == WALK_WHOLE && walk.last_method > 0)
		to->count = walk.last_method;	/* how the VM called the thread's first method is the same everywhere */
	walk_end_add(end, to);
	return end;
}

void
vm_walker_totals(struct vm_walker *walker, struct walk_totals *totals)
{
	pthread_mutex_lock(&walker->lock);
	*totals = walker->totals;
	totals->replaced = code_cache_replaced(walker->cache) + vm_methods_replaced(walker->methods);
	totals->reads = walker->memory.reads;
	pthread_mutex_unlock(&walker->lock);
}

int
vm_walker_version(const struct vm_walker *walker)
{
	return walker->layout.version;
}

int
vm_walker_open(struct vm_walker **out, const struct process *process, struct walk_pool *pool, struct stk_error *err)
{
	struct vm_walker *walker = *out = mem_new(1, sizeof *walker);

	walker->share.pool = pool;
	pthread_mutex_init(&walker->lock, NULL);
	walker->memory.pid = process->pid;
#ifdef __x86_64__
	if (vm_tables_open(&walker->tables, &walker->memory, err) == 0 &&
	    vm_layout_read(&walker->layout, walker->tables, &walker->memory, err) == 0 &&
	    native_rules_open(&walker->rules, process, err) == 0) {
		code_cache_open(&walker->cache, &walker->layout, &walker->memory);
		vm_methods_open(&walker->methods, &walker->layout, &walker->memory);
		if (code_cache_refresh(walker->cache))
			return 0;
		(void)stk_fail(err, STK_EDATA, "JDK %d: its heaps of code cannot be read", walker->layout.version);
	}
#else
	(void)stk_fail(err, STK_EDATA, "stacks are walked on x86-64 only");
#endif
	vm_walker_close(walker);
	*out = NULL;
	return -1;
}

void
vm_walker_close(struct vm_walker *walker)
{
	if (walker == NULL)
		return;
	walk_share_set(&walker->share, 0);
	vm_methods_close(walker->methods);
	code_cache_close(walker->cache);
	native_rules_close(walker->rules);
	vm_tables_close(walker->tables);
	pthread_mutex_destroy(&walker->lock);
	free(walker);
}
