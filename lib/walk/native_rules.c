/* SPDX-License-Identifier: MIT
 * native_rules: libdw takes tens of microseconds to find a rule, so rules are kept: most of a stack was seen before. */
#include "walk/native_rules.h"

#include "base/array.h"
#include "base/hash_map.h"
#include "capture/attach.h"	/* monotonic_ns */
#include "capture/native_names.h"

#ifdef HAVE_DWFL

#include <dwarf.h>
#include <elfutils/libdwfl.h>

#define RULES_MAX  (1u << 17)		/* kept; beyond that all are looked up again */
#define STEPS_MAX  6u			/* of a rule's arithmetic: libraries use at most 6 */
#define VALUES_MAX 16u
#define REFRESH_NS INT64_C(500000000)	/* least time between two looks at what is mapped */
#define DEBUG_MAX  (UINT64_C(128) << 20)	/* bytes of debug information */

enum place_kind {
	PLACE_SAME,			/* the caller's value is the present one */
	PLACE_UNDEFINED,
	PLACE_IN_MEMORY,		/* where the steps lead to */
	PLACE_VALUE			/* what the steps give */
};

struct place {
	unsigned char kind, count;
	uint32_t first;
};					/* steps */

struct rule {
	uint64_t pc;
	bool known;
	unsigned looked;		/* after this many looks at what is mapped */
	struct place frame, registers[REGISTERS];
};

struct native_rules {
	struct native_names *modules;
	int64_t refreshed_ns;
	unsigned looks;			/* at what is mapped */
	ARRAY(struct rule) rules;
	ARRAY(Dwarf_Op) steps;
	struct hash_map index;
};

int
native_rules_open(struct native_rules **out, const struct process *process, struct stk_error *err)
{
	struct native_rules *rules = *out = mem_new(1, sizeof *rules);

	native_names_open(&rules->modules, process);
	rules->refreshed_ns = monotonic_ns();
	if (native_names_refresh(rules->modules, err) == 0)
		return 0;
	native_rules_close(rules);
	*out = NULL;
	return -1;
}

void
native_rules_close(struct native_rules *rules)
{
	if (rules == NULL)
		return;
	native_names_close(rules->modules);
	native_rules_forget(rules);
	free(rules);
}

size_t
native_rules_bytes(const struct native_rules *rules)
{
	return rules->rules.room * sizeof *rules->rules.at + rules->steps.room * sizeof *rules->steps.at +
	       hash_map_bytes(&rules->index);
}

void
native_rules_forget(struct native_rules *rules)
{
	array_release(&rules->rules);
	array_release(&rules->steps);
	hash_map_release(&rules->index);
}

/* --- rules --- */

/* False: it has more steps than any library uses. */
static bool
take_steps(struct native_rules *rules, struct place *place, enum place_kind kind, const Dwarf_Op *steps, size_t count)
{
	if (count == 0 || count > STEPS_MAX)
		return false;
	*place = (struct place){ (unsigned char)kind, (unsigned char)count, (uint32_t)rules->steps.count };
	array_reserve(&rules->steps, count);
	memcpy(rules->steps.at + rules->steps.count, steps, count * sizeof *steps);
	rules->steps.count += count;
	return true;
}

static bool
take_register(struct native_rules *rules, struct rule *rule, Dwarf_Frame *frame, int number)
{
	struct place *place = &rule->registers[number];
	Dwarf_Op memory[3], *steps;
	size_t count;

	if (dwarf_frame_register(frame, number, memory, &steps, &count) != 0)
		return false;
	if (count == 0) {		/* libdw says both by what it points to */
		*place = (struct place){ .kind = steps == NULL ? PLACE_SAME : PLACE_UNDEFINED };
		return true;
	}
	if (steps[count - 1].atom == DW_OP_stack_value)
		return take_steps(rules, place, PLACE_VALUE, steps, count - 1);
	return take_steps(rules, place, PLACE_IN_MEMORY, steps, count);
}

static bool
take_rule(struct native_rules *rules, struct rule *rule, Dwarf_Frame *frame)
{
	Dwarf_Op *steps;
	size_t count;

	if (dwarf_frame_cfa(frame, &steps, &count) != 0 || !take_steps(rules, &rule->frame, PLACE_VALUE, steps, count))
		return false;
	for (int i = 0; i < REGISTERS; i++)
		if (!take_register(rules, rule, frame, i))
			return false;
	return true;
}

/* Libraries are loaded while a program runs. */
static Dwfl_Module *
module_at(struct native_rules *rules, uint64_t pc)
{
	Dwfl_Module *module = dwfl_addrmodule(native_names_dwfl(rules->modules), pc);
	struct stk_error unused = { 0 };
	int64_t now;

	if (module != NULL || (now = monotonic_ns()) - rules->refreshed_ns < REFRESH_NS)
		return module;
	rules->refreshed_ns = now;
	rules->looks++;
	if (native_names_refresh(rules->modules, &unused) < 0) {
		stk_error_clear(&unused);
		return NULL;
	}
	return dwfl_addrmodule(native_names_dwfl(rules->modules), pc);
}

/* How long a section is when it is no longer compressed: libdw expands those of debug information all at once. */
static uint64_t
expanded_size(Elf_Scn *section, const GElf_Shdr *head)
{
	GElf_Chdr compressed;

	if ((head->sh_flags & SHF_COMPRESSED) == 0)
		return head->sh_size;
	return gelf_getchdr(section, &compressed) != NULL ? compressed.ch_size : UINT64_MAX;
}

/* Whether a file has unwind rules in its debug information, which is not so large that it is an attack. */
static bool
has_debug_frames(Dwfl_Module *module)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	Elf_Scn *section = NULL;
	uint64_t left = DEBUG_MAX;
	size_t names;
	bool found = false;

	if (elf == NULL || elf_getshdrstrndx(elf, &names) < 0)
		return false;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr head;
		const char *name = gelf_getshdr(section, &head) != NULL ? elf_strptr(elf, names, head.sh_name) : NULL;
		uint64_t size;

		if (name == NULL || (strncmp(name, ".debug_", 7) != 0 && strncmp(name, ".zdebug_", 8) != 0))
			continue;
		size = expanded_size(section, &head);
		if (name[1] == 'z' || size > left)	/* the old way to compress does not say it here */
			return false;
		left -= size;
		found |= strcmp(name, ".debug_frame") == 0;
	}
	return found;
}

/* Those of Go are in its debug information alone. */
static Dwarf_CFI *
debug_frames(Dwfl_Module *module, Dwarf_Addr *bias)
{
	return has_debug_frames(module) ? dwfl_module_dwarf_cfi(module, bias) : NULL;
}

/* A program of Go without debug information has the sizes of its frames. */
static bool
take_go_frame(struct native_rules *rules, struct rule *rule, Dwfl_Module *module)
{
	struct go_frame frame;
	Dwarf_Op returns = { .atom = DW_OP_breg0 + AT_RSP }, above = returns;

	if (!native_names_go_frame(rules->modules, module, rule->pc, &frame))
		return false;
	memset(rule->registers, 0, sizeof rule->registers);
	returns.number = frame.size;
	above.number = returns.number + sizeof rule->pc;
	if (!take_steps(rules, &rule->frame, PLACE_VALUE, &above, 1) ||
	    !take_steps(rules, &rule->registers[AT_RIP], PLACE_IN_MEMORY, &returns, 1))
		return false;
	if (frame.is_entry)
		rule->registers[AT_RIP] = (struct place){ .kind = PLACE_UNDEFINED };
	return true;
}

typedef Dwarf_CFI *find_table(Dwfl_Module *module, Dwarf_Addr *bias);

static void
look_up(struct native_rules *rules, struct rule *rule)
{
	static find_table *const tables[] = { dwfl_module_eh_cfi, debug_frames };
	Dwfl_Module *module = module_at(rules, rule->pc);
	Dwarf_Frame *frame;

	rule->looked = rules->looks;
	for (size_t i = 0; i < sizeof tables / sizeof *tables && module != NULL && !rule->known; i++) {
		Dwarf_Addr bias;
		Dwarf_CFI *cfi = tables[i](module, &bias);

		if (cfi == NULL || dwarf_cfi_addrframe(cfi, rule->pc - bias, &frame) != 0)
			continue;
		rule->known = take_rule(rules, rule, frame);
		free(frame);
	}
	if (module != NULL && !rule->known)
		rule->known = take_go_frame(rules, rule, module);
}

/* Where nothing was known, a library may have been loaded since. */
static const struct rule *
known_rule(struct native_rules *rules, struct rule *rule)
{
	struct rule again = { .pc = rule->pc };

	if (rule->known || (rule->looked == rules->looks && monotonic_ns() - rules->refreshed_ns < REFRESH_NS))
		return rule;
	look_up(rules, &again);
	*rule = again;
	return rule;
}

/* Valid until the next call. */
static const struct rule *
rule_at(struct native_rules *rules, uint64_t pc)
{
	uint64_t hash = pc * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = hash_map_start(&rules->index, hash), id;
	struct rule rule = { .pc = pc };

	while ((id = hash_map_next(&rules->index, hash, &at)) != 0)
		if (rules->rules.at[id - 1].pc == pc)
			return known_rule(rules, &rules->rules.at[id - 1]);
	if (rules->rules.count >= RULES_MAX) {
		rules->rules.count = rules->steps.count = 0;
		hash_map_clear(&rules->index);
	}
	look_up(rules, &rule);
	*array_push(&rules->rules) = rule;
	hash_map_put(&rules->index, hash, (uint32_t)rules->rules.count);
	return &rules->rules.at[rules->rules.count - 1];
}

bool
native_rules_know(struct native_rules *rules, uint64_t pc)
{
	return rule_at(rules, pc)->known;
}

/* --- steps --- */

struct machine {
	uint64_t values[VALUES_MAX];
	unsigned depth;
};

static bool
push(struct machine *m, uint64_t value)
{
	if (m->depth == VALUES_MAX)
		return false;
	m->values[m->depth++] = value;
	return true;
}

static bool
combine(struct machine *m, unsigned atom)
{
	uint64_t *left, right;

	if (m->depth < 2)
		return false;
	left = &m->values[m->depth - 2];
	right = m->values[m->depth - 1];
	switch (atom) {
	case DW_OP_plus: *left += right; break;
	case DW_OP_minus: *left -= right; break;
	case DW_OP_and: *left &= right; break;
	case DW_OP_shl: *left = right < 64 ? *left << right : 0; break;
	case DW_OP_ge: *left = (int64_t)*left >= (int64_t)right; break;
	default: return false;
	}
	m->depth--;
	return true;
}

static bool
take_step(struct machine *m, const Dwarf_Op *step, struct stack_copy *stack, uint64_t frame)
{
	unsigned atom = step->atom;

	if (atom >= DW_OP_breg0 && atom < DW_OP_breg0 + REGISTERS)
		return push(m, stack->registers[atom - DW_OP_breg0] + step->number);
	if (atom == DW_OP_bregx)
		return step->number < REGISTERS && push(m, stack->registers[step->number] + step->number2);
	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(m, atom - DW_OP_lit0);
	if (atom >= DW_OP_const1u && atom <= DW_OP_consts)
		return push(m, step->number);
	if (atom == DW_OP_call_frame_cfa)
		return push(m, frame);
	if (atom == DW_OP_plus_uconst && m->depth > 0) {
		m->values[m->depth - 1] += step->number;
		return true;
	}
	if (atom == DW_OP_deref && m->depth > 0)
		return stack_read(stack, m->values[m->depth - 1], &m->values[m->depth - 1], sizeof m->values[0]);
	return combine(m, atom);
}

/* Where the steps of a place lead to, or what they give. */
static bool
follow(const struct native_rules *rules, const struct place *place, struct stack_copy *stack, uint64_t frame,
       uint64_t *value)
{
	struct machine m = { .depth = 0 };

	for (unsigned i = 0; i < place->count; i++)
		if (!take_step(&m, &rules->steps.at[place->first + i], stack, frame))
			return false;
	if (m.depth == 0)
		return false;
	*value = m.values[m.depth - 1];
	return true;
}

/* A register is in another one. */
static bool
is_in_register(const struct native_rules *rules, const struct place *place, const struct stack_copy *stack,
	       uint64_t *value)
{
	unsigned atom = rules->steps.at[place->first].atom;

	if (place->count != 1 || atom < DW_OP_reg0 || atom >= DW_OP_reg0 + REGISTERS)
		return false;
	*value = stack->registers[atom - DW_OP_reg0];
	return true;
}

static bool
restore(const struct native_rules *rules, const struct place *place, struct stack_copy *stack, uint64_t frame,
	int number, uint64_t *value)
{
	uint64_t at;

	*value = stack->registers[number];
	if (place->kind == PLACE_SAME || place->kind == PLACE_UNDEFINED || is_in_register(rules, place, stack, value))
		return true;
	if (!follow(rules, place, stack, frame, &at))
		return false;
	if (place->kind == PLACE_VALUE)
		*value = at;
	/* an epilogue restores registers before its rule says so: what is below the stack's top is there no more */
	else if (at >= stack->registers[AT_RSP] || number == AT_RIP)
		return stack_read(stack, at, value, sizeof *value);
	return true;
}

enum native_step
native_rules_step(struct native_rules *rules, struct stack_copy *stack, bool is_top)
{
	const struct rule *rule = rule_at(rules, stack->registers[AT_RIP] - !is_top);
	uint64_t callers[REGISTERS], frame;

	if (!rule->known)
		return NATIVE_NO_RULE;
	if (rule->registers[AT_RIP].kind == PLACE_UNDEFINED)
		return NATIVE_ENTRY;
	if (!follow(rules, &rule->frame, stack, 0, &frame))
		return NATIVE_UNREADABLE;
	for (int i = 0; i < REGISTERS; i++)
		if (!restore(rules, &rule->registers[i], stack, frame, i, &callers[i]))
			return NATIVE_UNREADABLE;
	if (rule->registers[AT_RSP].kind < PLACE_IN_MEMORY)
		callers[AT_RSP] = frame;
	memcpy(stack->registers, callers, sizeof callers);
	return callers[AT_RIP] == 0 ? NATIVE_ENTRY : NATIVE_STEPPED;
}

bool
native_rules_leave_leaf(struct native_rules *rules, struct stack_copy *stack)
{
	uint64_t caller = stack_word(stack, stack->registers[AT_RSP]);

	if (caller == 0 || !native_rules_know(rules, caller - 1))
		return false;
	stack->registers[AT_RIP] = caller;
	stack->registers[AT_RSP] += sizeof caller;
	return true;
}

#else

int
native_rules_open(struct native_rules **out, const struct process *process, struct stk_error *err)
{
	(void)process;
	*out = NULL;
	return stk_fail(err, STK_EDATA, "walking stacks needs libdw: install libdw-dev and build again");
}

void
native_rules_close(struct native_rules *rules)
{
	(void)rules;
}

size_t
native_rules_bytes(const struct native_rules *rules)
{
	(void)rules;
	return 0;
}

void
native_rules_forget(struct native_rules *rules)
{
	(void)rules;
}

enum native_step
native_rules_step(struct native_rules *rules, struct stack_copy *stack, bool is_top)
{
	(void)rules, (void)stack, (void)is_top;
	return NATIVE_NO_RULE;
}

bool
native_rules_leave_leaf(struct native_rules *rules, struct stack_copy *stack)
{
	(void)rules, (void)stack;
	return false;
}

bool
native_rules_know(struct native_rules *rules, uint64_t pc)
{
	(void)rules, (void)pc;
	return false;
}

#endif
