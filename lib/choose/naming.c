/* SPDX-License-Identifier: MIT
 * naming: short names of frames in the form that flame graphs made common, but without losing names. */
#include "choose/naming.h"

#include "base/arena.h"
#include "base/id_table.h"
#include "model/frame_identity.h"

#include <string.h>

struct named { struct stk_text as[2]; };	/* as[1]: in a Java process; no data until it is asked for */

struct naming {
	const struct model *model;
	struct naming_options options;
	struct id_table names;		/* struct named, by frame */
	ARRAY(uint32_t) frames;		/* of one stack */
	struct text_buffer scratch, folded;
	struct arena arena;
};

void
naming_open(struct naming **out, const struct model *model, const struct naming_options *options)
{
	struct naming *naming = mem_new(1, sizeof *naming);

	naming->model = model;
	naming->options = *options;
	naming->names.size = sizeof(struct named);
	*out = naming;
}

void
naming_close(struct naming *naming)
{
	if (naming == NULL)
		return;
	id_table_clear(&naming->names);
	array_release(&naming->frames);
	array_release(&naming->scratch);
	array_release(&naming->folded);
	arena_release(&naming->arena);
	free(naming);
}

void
naming_forget(struct naming *naming)
{
	id_table_clear(&naming->names);
	arena_reset(&naming->arena);
}

static struct stk_text
part_of(struct stk_text text, size_t from, size_t to)
{
	return text_of(text.data + from, to - from);
}

/* The place of `wanted` at or after `from`, or text.size. */
static size_t
find(struct stk_text text, size_t from, const char *wanted)
{
	const char *at = from >= text.size ? NULL : memmem(text.data + from, text.size - from, wanted, strlen(wanted));

	return at == NULL ? text.size : (size_t)(at - text.data);
}

static void
add_plain(struct text_buffer *to, struct stk_text text)
{
	for (size_t i = 0; i < text.size; i++)	/* newlines would end a line of folded text */
		add_char(to, text.data[i] == ';'                            ? ':'
			     : text.data[i] == '\n' || text.data[i] == '\r' ? ' '
									    : text.data[i]);
}

/* Without generated parts, where that is asked for. Valid until the next call. */
static struct stk_text
folded(struct naming *naming, struct stk_text name, uint64_t form)
{
	struct text_buffer *to = &naming->folded;
	size_t size;

	if (!naming->options.fold)
		return name;
	to->count = 0;
	array_reserve(to, name.size + 1);
	size = generated_name_fold(name, (enum stk_form)form, to->at, name.size);
	return size <= name.size ? text_of(to->at, size) : name;
}

/* --- native names --- */

/* "net/http.(*Client).Do": the parentheses of a Go method are part of its name. */
static bool
is_go_method(struct stk_text name)
{
	return find(name, find(name, 0, ".("), ").") < name.size;
}

/* The bytes of "operator()", "operator<<" and the like at `at`, or 0. */
static size_t
operator_size(struct stk_text name, size_t at)
{
	static const char word[] = "operator";
	size_t end = at + sizeof word - 1;

	if (!text_starts(part_of(name, at, name.size), word))
		return 0;
	if (text_starts(part_of(name, end, name.size), "()"))
		return end + 2 - at;
	while (end < name.size && name.data[end] != '\0' && strchr("<>-=", name.data[end]) != NULL)
		end++;
	return end - at;
}

/* The bytes from the bracket at `at` to the one that closes it; 0 when none does. */
static size_t
bracketed_size(struct stk_text name, size_t at, char opens, char closes)
{
	int open = 0;

	for (size_t end = at; end < name.size; end++) {
		open += name.data[end] == opens ? 1 : name.data[end] == closes ? -1 : 0;
		if (open == 0)
			return end + 1 - at;
	}
	return 0;
}

static bool
ends_before(struct stk_text name, size_t at, const char *word)
{
	size_t size = strlen(word);

	return at >= size && memcmp(name.data + at - size, word, size) == 0;
}

/* The arguments of a function that a lambda is in: "sell(int)::{lambda()#2}". Or 0. */
static size_t
outer_arguments_size(struct stk_text name, size_t at)
{
	size_t size = bracketed_size(name, at, '(', ')');
	struct stk_text rest = part_of(name, at + size, name.size);

	return text_starts(rest, "::") || text_starts(rest, " const::") ? size : 0;
}

/* The bytes of a part in parentheses that is of the name: "(anonymous namespace)", and one after a blank or decltype,
 * such as that of "StubRoutines (1)", "decltype(auto) f(A)" and "void (*pick(int))(char)"; arguments follow their
 * function directly. Or 0. */
static size_t
parenthesis_size(struct stk_text name, size_t at)
{
	static const char anonymous[] = "(anonymous namespace)";
	size_t size;

	if (text_starts(part_of(name, at, name.size), anonymous))
		return sizeof anonymous - 1;
	if (at == 0 || (name.data[at - 1] != ' ' && !ends_before(name, at, "decltype")))
		return 0;
	size = bracketed_size(name, at, '(', ')');
	return size > 0 ? size : name.size - at;
}

/* Where the arguments begin: at the first parenthesis that is not of the name, as those of operator() and of
 * "main::{lambda(int)#1}" are, nor within the <...> of a template. A name that would be empty is unchanged. */
static size_t
arguments_at(struct stk_text name)
{
	size_t first = name.size;
	bool braces = true;	/* so far, each is closed */
	int deep = 0;

	for (size_t at = 0; at < name.size;) {
		size_t size = name.data[at] == 'o'	 ? operator_size(name, at)
			      : name.data[at] == '(' ? parenthesis_size(name, at)
			      : name.data[at] == '{' && braces ? bracketed_size(name, at, '{', '}')
							       : 0;

		braces &= name.data[at] != '{' || size > 0;
		if (name.data[at] == '(' && size == 0 && deep == 0)
			size = outer_arguments_size(name, at);
		if (name.data[at] == '(' && size == 0) {
			first = first < at ? first : at;
			if (deep == 0)
				return at == 0 ? name.size : at;
		}
		if (size == 0 && text_starts(part_of(name, at, name.size), "->"))
			size = 2;	/* of Rust: apply<fn(u64) -> u64> */
		deep += size > 0 ? 0 : name.data[at] == '<' ? 1 : name.data[at] == '>' ? -1 : 0;
		at += size > 0 ? size : 1;
	}
	return deep == 0 || first == 0 ? name.size : first;	/* "a<b(c)" is no template */
}

void
naming_add_tidied(struct text_buffer *to, struct stk_text function, bool java)
{
	size_t from = 0, end = is_go_method(function) ? function.size : arguments_at(function);

	if (java && end > 1 && function.data[0] == 'L' && memchr(function.data, '/', end) != NULL)
		from = 1;
	add_plain(to, part_of(function, from, end));
}

/* "[unknown]" in a known module is named by that: "[libc.so.6]". */
static void
add_module(struct text_buffer *to, struct stk_text module)
{
	const char *slash = module.size == 0 ? NULL : memrchr(module.data, '/', module.size);
	size_t from = slash == NULL ? 0 : (size_t)(slash - module.data) + 1;

	add_char(to, '[');
	if (module.size == 0 || text_is(module, "[unknown]"))
		add_string(to, "unknown");
	else
		add_plain(to, part_of(module, from, module.size));
	add_char(to, ']');
}

/* Where the next "->" of inlining is: not that of operator->, of a return type " -> ", or inside of arguments. */
static size_t
inlining_at(struct stk_text name, size_t from)
{
	int depth = 0;

	for (size_t i = from; i + 1 < name.size; i++) {
		char c = name.data[i];

		depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
		if (c != '-' || name.data[i + 1] != '>' || depth > 0 || i == from || name.data[i - 1] == ' ')
			continue;
		if (i - from >= 8 && memcmp(name.data + i - 8, "operator", 8) == 0)
			continue;
		return i;
	}
	return name.size;
}

/* The name without its folders. */
static struct stk_text
base_name(struct stk_text path)
{
	const char *slash = path.size > 0 ? memrchr(path.data, '/', path.size) : NULL;

	return slash == NULL ? path : part_of(path, (size_t)(slash + 1 - path.data), path.size);
}

/* "vmlinux", also "/usr/lib/debug/boot/vmlinux-6.1.0-18-amd64" */
static bool
is_kernel(struct stk_text module)
{
	struct stk_text base = base_name(module);
	bool named = text_starts(module, "[") || text_starts(base, "vmlinux-") ||
		     (module.size >= 7 && memcmp(module.data + module.size - 7, "vmlinux", 7) == 0);

	return named && find(module, 0, "unknown") == module.size;
}

/* "/tmp/perf-1234.map", which agents of just-in-time compilers write, and "jitted-1234-5.so" of perf inject --jit. */
static bool
is_jit(struct stk_text module)
{
	size_t at = find(module, 0, "/tmp/perf-"), digits = at + 10;
	struct stk_text base = base_name(module);

	if (text_starts(base, "jitted-") && find(base, 0, ".so") < base.size)
		return true;
	while (digits < module.size && module.data[digits] >= '0' && module.data[digits] <= '9')
		digits++;
	return at < module.size && digits > at + 10 && text_starts(part_of(module, digits, module.size), ".map");
}

static void
add_mark(struct text_buffer *to, size_t from, const char *mark)
{
	struct stk_text name = text_in(to, from);

	if (find(name, 0, mark) == name.size)
		add_string(to, mark);
}

static void
add_native_part(struct naming *naming, struct text_buffer *to, struct stk_text part, const struct stk_frame *frame,
		struct stk_text module, bool first, bool java)
{
	size_t from = to->count;

	if (text_is(part, "[unknown]"))
		add_module(to, module);
	else
		naming_add_tidied(to, part, java);
	if (!first || (naming->options.inlined && frame->form == STK_FORM_INLINED))
		add_mark(to, from, "_[i]");
	else if (naming->options.kernel && is_kernel(module))
		add_string(to, "_[k]");
	else if (naming->options.jit && is_jit(module))
		add_mark(to, from, "_[j]");
}

static void
add_native(struct naming *naming, struct text_buffer *to, const struct stk_frame *frame, bool java)
{
	struct stk_text name = folded(naming, model_string(naming->model, frame->function), frame->form),
			module = model_string(naming->model, frame->module);
	size_t from = 0, at;

	if (name.size == 0)		/* an address that no symbol is known for, and perf did not say so */
		name = text_from(" ");
	do {
		at = inlining_at(name, from);
		if (from > 0)
			add_char(to, ';');
		add_native_part(naming, to, part_of(name, from, at), frame, module, from == 0, java);
		from = at + 2;
	} while (at < name.size && from < name.size);
}

/* --- any name --- */

static void
add_full(struct naming *naming, struct text_buffer *to, uint64_t frame)
{
	struct text_buffer *scratch = &naming->scratch;
	size_t size = model_frame_text(naming->model, frame, NULL, 0);

	scratch->count = 0;
	array_reserve(scratch, size);
	model_frame_text(naming->model, frame, scratch->at, size);
	add_plain(to, folded(naming, text_of(scratch->at, size), STK_FORM_JAVA));
}

static void
add_name(struct naming *naming, struct text_buffer *to, uint64_t id, bool java)
{
	struct stk_frame frame = model_frame(naming->model, id);

	if (naming->options.full)
		add_full(naming, to, id);
	else if (frame.form == STK_FORM_NATIVE || frame.form == STK_FORM_INLINED)
		add_native(naming, to, &frame, java);
	else
		add_plain(to, folded(naming, model_string(naming->model, frame.function), frame.form));
}

struct stk_text
naming_frame(struct naming *naming, uint64_t frame, bool java)
{
	struct text_buffer name = { 0 };
	struct stk_text *known;

	if (frame == 0 || !model_knows(naming->model, STK_FRAME, frame))
		return text_from("?");
	known = &((struct named *)id_table_at(&naming->names, (uint32_t)frame))->as[java];
	if (known->data == NULL) {
		add_name(naming, &name, frame, java);
		*known = text_of(arena_copy(&naming->arena, name.at == NULL ? "" : name.at, name.count), name.count);
		array_release(&name);
	}
	return *known;
}

void
naming_add_stack(struct naming *naming, uint64_t stack, bool java, struct text_buffer *to)
{
	uint32_t depth = model_stack_frames(naming->model, stack, naming->frames.at, (uint32_t)naming->frames.room);

	if (depth > naming->frames.room) {
		array_reserve(&naming->frames, depth);
		depth = model_stack_frames(naming->model, stack, naming->frames.at, depth);
	}
	if (stack != 0 && depth == 0)		/* its definition was lost */
		add_char(to, '?');
	for (uint32_t i = 0; i < depth; i++) {
		if (i > 0)
			add_char(to, ';');
		add_text(to, naming_frame(naming, naming->frames.at[i], java));
	}
}

struct stk_text
naming_pool(struct stk_text thread)
{
	size_t size = thread.size;

	while (size > 0 && thread.data[size - 1] >= '0' && thread.data[size - 1] <= '9')
		size--;
	if (size == thread.size || size < 2 || thread.data[size - 1] != '-')
		return thread;
	return text_of(thread.data, size - 1);
}
