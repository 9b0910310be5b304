/* SPDX-License-Identifier: MIT
 * python_walker: runtime -> interpreters -> states of threads -> frames -> code objects -> names, files, lines. */
#include "walk/python_walker.h"

#include "walk/mapped_library.h"
#include "walk/python_methods.h"

#include <stdlib.h>
#include <string.h>

#define INTERPRETERS_MAX 1024u
#define THREAD_BYTES 1024u
#define FRAME_BYTES 128u
#define CODE_BYTES 256u
#define OWNED_BY_GENERATOR 1
#define OWNED_BY_C_STACK 3 /* a call from C: not a frame of Python */
#define LINES_IN_STACK ((size_t)64 << 20) /* bytes of tables of lines: what takes longer has no lines */
#define ENTRIES_IN_STACK ((size_t)1 << 20) /* of classes: what takes longer has the names of functions alone */
#define TRIES 20u /* threads come and go while they are read */
#define SEARCHES_APART 64u /* dumps between two looks for the threading module */

/* Where the C library of this machine keeps the number of a thread, from what pthread_self returns. It is compared with
 * the threads that there are. */
#if defined __x86_64__
#define TID_IN_PTHREAD 720u
#elif defined __aarch64__
#define TID_IN_PTHREAD 208u
#else
#define TID_IN_PTHREAD 0u
#endif

struct python_walker {
	struct remote_memory memory;
	struct python_heap heap;
	uint64_t runtime;
	struct python_threads before; /* scratch */
	struct text_buffer lines; /* scratch: a table of lines */
	size_t lines_left; /* bytes of tables that may be looked through for one stack */
	uint64_t active; /* threading._active, or 0 */
	uint64_t interpreter; /* the first, which has the threading module */
	unsigned searches;
	struct python_entries names; /* of threading._active */
	struct python_entries scratch;
	struct python_methods methods;
};

/* --- which Python --- */

/* "libpython3.11.so.1.0" and "python3.11": 11; 0: the path does not say it. */
static unsigned
minor_of_path(const char *path)
{
	const char *name = strrchr(path, '/');
	unsigned long minor;

	name = strstr(name == NULL ? path : name + 1, "python3.");
	minor = name == NULL ? 0 : strtoul(name + strlen("python3."), NULL, 10);
	return minor < 1000 ? (unsigned)minor : 0;
}

static bool
is_python(const char *path)
{
	const char *name = strrchr(path, '/');

	return name != NULL && strncmp(name + 1, "libpython3", 10) == 0;
}

static bool
is_program(const char *path)
{
	return *path == '/'; /* the first file that is mapped */
}

struct symbols {
	uint64_t runtime, version, text, bytes, dict, code, function, class_method, property;
};

static void
find_symbols(struct mapped_library *library, struct symbols *found)
{
	const struct {
		const char *name;
		uint64_t *to;
	} wanted[] = {
		{ "_PyRuntime", &found->runtime },  { "Py_Version", &found->version },
		{ "PyUnicode_Type", &found->text }, { "PyBytes_Type", &found->bytes },
		{ "PyDict_Type", &found->dict },    { "PyCode_Type", &found->code },
		{ "PyFunction_Type", &found->function }, { "PyClassMethod_Type", &found->class_method },
		{ "PyProperty_Type", &found->property },
	};
	char name[MAPPED_TEXT_MAX];
	uint64_t address;
	size_t at = 0;

	*found = (struct symbols){ 0 };
	while (mapped_symbol(library, &at, name, &address))
		for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
			if (strcmp(name, wanted[i].name) == 0)
				*wanted[i].to = address;
}

/* In its library if it has one, else in the program. */
static int
open_library(struct mapped_library **library, struct remote_memory *memory, struct stk_error *err)
{
	struct stk_error unused = { 0 };

	if (mapped_library_open(library, memory, is_python, "libpython3", &unused) == 0)
		return 0;
	return mapped_library_open(library, memory, is_program, "program", err);
}

static int
find_python(struct python_walker *w, struct stk_error *err)
{
	struct mapped_library *library;
	struct symbols found;
	uint64_t version = 0;
	unsigned minor;
	int result = -1;

	if (open_library(&library, &w->memory, err) < 0)
		return -1;
	find_symbols(library, &found);
	minor = minor_of_path(mapped_library_path(library));
	if (found.version != 0 && remote_read(&w->memory, found.version, &version, sizeof version))
		minor = version >> 24 == 3 ? (unsigned)(version >> 16 & 255) : 0;
	if (found.runtime == 0 || found.text == 0 || found.code == 0)
		(void)stk_fail(err, STK_EDATA, "it is not a Python 3 that can be read: it has no _PyRuntime");
	else if (minor == 0)
		(void)stk_fail(err, STK_EDATA, "which version its Python has is not said by the name of %s",
			       mapped_library_path(library));
	else
		result = python_layout_read(&w->heap.layout, minor, &w->memory, found.runtime, err);
	mapped_library_close(library);
	w->runtime = found.runtime;
	w->heap.text_type = found.text;
	w->heap.bytes_type = found.bytes;
	w->heap.dict_type = found.dict;
	w->heap.code_type = found.code;
	w->heap.function_type = found.function;
	w->heap.class_method_type = found.class_method;
	w->heap.property_type = found.property;
	return result;
}

/* --- parts of what was read --- */

static uint64_t
word_at(const unsigned char *bytes, size_t size, size_t at)
{
	uint64_t word = 0;

	if (at + sizeof word <= size)
		memcpy(&word, bytes + at, sizeof word);
	return word;
}

static int32_t
number_at(const unsigned char *bytes, size_t size, size_t at)
{
	int32_t number = 0;

	if (at + sizeof number <= size)
		memcpy(&number, bytes + at, sizeof number);
	return number;
}

/* --- threads --- */

static bool
read_state(struct python_walker *w, uint64_t at, uint64_t interpreter, unsigned char bytes[THREAD_BYTES])
{
	const struct python_layout *layout = &w->heap.layout;

	return at % 8 == 0 && layout->thread.size <= THREAD_BYTES &&
	       remote_read(&w->memory, at, bytes, layout->thread.size) &&
	       word_at(bytes, layout->thread.size, layout->thread.interpreter) == interpreter;
}

static pid_t
tid_of(struct python_walker *w, const unsigned char bytes[THREAD_BYTES], uint64_t ident)
{
	const struct python_layout *layout = &w->heap.layout;
	int32_t tid = 0;

	if (layout->thread.tid != PYTHON_NONE_SUCH)
		return (pid_t)word_at(bytes, layout->thread.size, layout->thread.tid);
	if (TID_IN_PTHREAD == 0 || ident == 0 || !remote_read(&w->memory, ident + TID_IN_PTHREAD, &tid, sizeof tid))
		return 0;
	return tid;
}

/* False: a state is not one of this interpreter. */
static bool
add_threads(struct python_walker *w, uint64_t interpreter, struct python_threads *to)
{
	const struct python_layout *layout = &w->heap.layout;
	uint64_t at = remote_word(&w->memory, interpreter + layout->interpreter.threads);
	unsigned char bytes[THREAD_BYTES];

	while (at != 0 && to->list.count < PYTHON_THREADS_MAX) {
		struct python_thread thread = { .state = at };

		if (!read_state(w, at, interpreter, bytes))
			return false;
		thread.ident = word_at(bytes, layout->thread.size, layout->thread.ident);
		thread.tid = tid_of(w, bytes, thread.ident);
		if (thread.ident != 0) /* else it has not begun */
			*array_push(&to->list) = thread;
		at = word_at(bytes, layout->thread.size, layout->thread.next);
	}
	return at == 0;
}

static bool
read_threads(struct python_walker *w, struct python_threads *to)
{
	const struct python_layout *layout = &w->heap.layout;
	uint64_t at = remote_word(&w->memory, w->runtime + layout->interpreters);

	to->list.count = 0;
	w->interpreter = 0;
	for (unsigned i = 0; at != 0 && i < INTERPRETERS_MAX; i++) {
		if (at % 8 != 0 || !add_threads(w, at, to))
			return false;
		w->interpreter = at; /* new ones are put before the others */
		at = remote_word(&w->memory, at + layout->interpreter.next);
	}
	return at == 0 && w->interpreter != 0;
}

bool
python_walker_threads(struct python_walker *w, struct python_threads *to)
{
	struct python_threads *before = &w->before;

	if (!read_threads(w, before) || !read_threads(w, to) || before->list.count != to->list.count)
		return false;
	for (size_t i = 0; i < to->list.count; i++) {
		const struct python_thread *one = &before->list.at[i], *two = &to->list.at[i];

		if (one->state != two->state || one->ident != two->ident || one->tid != two->tid)
			return false;
	}
	return true;
}

/* --- frames --- */

/* What is done at a frame. */
struct place {
	uint64_t frame, code, previous;
	int64_t instruction; /* bytes after the first one */
	bool shown;
	unsigned char bytes[CODE_BYTES]; /* of the code */
};

static bool
read_code(struct python_walker *w, struct place *place)
{
	const struct python_layout *layout = &w->heap.layout;

	return place->code != 0 && place->code % 8 == 0 && layout->code.size <= CODE_BYTES &&
	       remote_read(&w->memory, place->code, place->bytes, layout->code.size) &&
	       word_at(place->bytes, layout->code.size, layout->object.type) == w->heap.code_type;
}

/* A frame object says how many instructions (3.10) or bytes of them it has passed. */
static bool
read_frame_object(struct python_walker *w, const unsigned char *bytes, struct place *place)
{
	const struct python_layout *layout = &w->heap.layout;

	place->instruction = number_at(bytes, layout->frame.size, layout->frame.instruction);
	if (layout->lines == PYTHON_LINES_310)
		place->instruction *= 2;
	place->shown = true;
	return read_code(w, place);
}

/* A plain frame has the address of the instruction. One that was made but has not begun its function is not shown, as
 * Python itself does. */
static bool
read_plain_frame(struct python_walker *w, const unsigned char *bytes, struct place *place)
{
	const struct python_layout *layout = &w->heap.layout;
	unsigned owner = bytes[layout->frame.owner];
	uint64_t at = word_at(bytes, layout->frame.size, layout->frame.instruction);

	place->shown = false;
	if (owner == OWNED_BY_C_STACK && layout->minor >= 12)
		return true;
	if (owner > OWNED_BY_C_STACK || !read_code(w, place))
		return false;
	place->instruction = (int64_t)(at - place->code - layout->code.instructions);
	place->shown =
		owner == OWNED_BY_GENERATOR ||
		place->instruction >= 2 * (int64_t)number_at(place->bytes, layout->code.size, layout->code.traceable);
	return true;
}

static bool
read_frame(struct python_walker *w, uint64_t at, struct place *place)
{
	const struct python_layout *layout = &w->heap.layout;
	unsigned char bytes[FRAME_BYTES];

	if (at % 8 != 0 || layout->frame.size > sizeof bytes || !remote_read(&w->memory, at, bytes, layout->frame.size))
		return false;
	place->frame = at;
	place->previous = word_at(bytes, layout->frame.size, layout->frame.previous);
	place->code = word_at(bytes, layout->frame.size, layout->frame.code);
	return layout->frames == PYTHON_FRAME_OBJECTS ? read_frame_object(w, bytes, place)
						      : read_plain_frame(w, bytes, place);
}

/* A quote would end the name of the file. */
static void
add_file(struct python_walker *w, uint64_t file, struct text_buffer *to)
{
	size_t from = to->count;

	if (!python_text_add(&w->heap, file, to))
		add_string(to, "[unknown]");
	for (size_t i = from; i < to->count; i++)
		if (to->at[i] == '"')
			to->at[i] = '\'';
}

/* With its class, which only the frame knows before 3.11. */
static void
add_function(struct python_walker *w, const struct place *place, struct text_buffer *to)
{
	const struct python_layout *layout = &w->heap.layout;

	if (layout->frames == PYTHON_FRAME_OBJECTS &&
	    python_method_add(&w->heap, &w->methods, place->frame, place->code, to))
		return;
	if (!python_text_add(&w->heap, word_at(place->bytes, layout->code.size, layout->code.name), to))
		add_string(to, "[unknown]");
}

static void
add_place(struct python_walker *w, const struct place *place, struct text_buffer *to)
{
	const struct python_layout *layout = &w->heap.layout;
	size_t size = layout->code.size;
	int64_t line = 0, first = number_at(place->bytes, size, layout->code.line);

	add_string(to, "  File \"");
	add_file(w, word_at(place->bytes, size, layout->code.file), to);
	if (w->lines_left > 0 &&
	    python_bytes_read(&w->heap, word_at(place->bytes, size, layout->code.lines), &w->lines)) {
		line = python_line(layout->lines, text_in(&w->lines, 0), first, place->instruction);
		w->lines_left -= w->lines.count < w->lines_left ? w->lines.count : w->lines_left;
	}
	add_string(to, "\", line ");
	add_unsigned(to, (uint64_t)line);
	add_string(to, " in ");
	add_function(w, place, to);
	add_char(to, '\n');
}

/* Where the current frame of a thread is; 0: it has none. */
static bool
find_frame(struct python_walker *w, const struct python_thread *thread, uint64_t *frame)
{
	const struct python_layout *layout = &w->heap.layout;
	unsigned char bytes[THREAD_BYTES];

	if (!remote_read(&w->memory, thread->state, bytes, layout->thread.size) ||
	    word_at(bytes, layout->thread.size, layout->thread.ident) != thread->ident)
		return false;
	*frame = word_at(bytes, layout->thread.size, layout->thread.frame);
	if (layout->frames != PYTHON_FRAMES_BY_CFRAME || *frame == 0)
		return true;
	return *frame % 8 == 0 && remote_read(&w->memory, *frame + layout->current_frame, frame, sizeof *frame);
}

bool
python_walker_stack(struct python_walker *w, const struct python_thread *thread, struct text_buffer *to)
{
	size_t from = to->count;
	unsigned depth = 0;
	uint64_t at;

	w->lines_left = LINES_IN_STACK;
	w->methods.left = ENTRIES_IN_STACK;
	if (!find_frame(w, thread, &at))
		return false;
	for (; at != 0 && depth < PYTHON_DEPTH_MAX; depth++) {
		struct place place;

		if (!read_frame(w, at, &place)) {
			to->count = from;
			return false;
		}
		if (place.shown)
			add_place(w, &place, to);
		at = place.previous;
	}
	if (at != 0)
		add_string(to, "  ...\n");
	return true;
}

/* --- names --- */

/* sys.modules["threading"]._active, a dict of threads by ident, which lives as long as the module. */
static uint64_t
find_active(struct python_walker *w)
{
	uint64_t modules = remote_word(&w->memory, w->interpreter + w->heap.layout.interpreter.modules), module;

	if (!python_dict_read(&w->heap, modules, &w->scratch) ||
	    (module = python_entry_named(&w->heap, &w->scratch, "threading")) == 0)
		return 0;
	if (!python_dict_read(&w->heap, remote_word(&w->memory, module + w->heap.layout.object.type + 8), &w->scratch))
		return 0;
	return python_entry_named(&w->heap, &w->scratch, "_active");
}

void
python_walker_read_names(struct python_walker *w)
{
	if (w->interpreter != 0 && (w->active == 0 || !python_dict_read(&w->heap, w->active, &w->names)) &&
	    w->searches++ % SEARCHES_APART == 0) {
		w->active = find_active(w);
		if (w->active != 0 && !python_dict_read(&w->heap, w->active, &w->names))
			w->active = 0;
	}
	if (w->active == 0)
		w->names.list.count = 0;
}

bool
python_walker_name(struct python_walker *w, const struct python_thread *thread, struct text_buffer *to)
{
	for (size_t i = 0; i < w->names.list.count; i++)
		if (w->names.list.at[i].hash == thread->ident)
			return python_attributes_read(&w->heap, w->names.list.at[i].value, &w->scratch) &&
			       python_text_add(&w->heap, python_entry_named(&w->heap, &w->scratch, "_name"), to);
	return false;
}

/* --- the interface --- */

void
python_walker_of(struct python_walker **out, const struct remote_memory *memory, const struct python_heap *known,
		 uint64_t runtime)
{
	struct python_walker *w = *out = mem_new(1, sizeof *w);

	w->memory = *memory;
	w->heap = *known;
	w->heap.memory = &w->memory;
	w->runtime = runtime;
}

/* What is found where the layout says it is must be threads: else the layout is of something else. */
static bool
has_threads(struct python_walker *w)
{
	struct python_threads threads = { 0 };
	bool has = false;

	for (unsigned try = 0; try < TRIES && !has; try++)
		has = python_walker_threads(w, &threads) && threads.list.count > 0;
	array_release(&threads.list);
	return has;
}

int
python_walker_open(struct python_walker **out, pid_t pid, struct stk_error *err)
{
	struct remote_memory memory = { .pid = pid };
	struct python_heap nothing = { 0 };
	struct python_walker *w;

	python_walker_of(&w, &memory, &nothing, 0);
	*out = w;
	if (find_python(w, err) == 0) {
		if (has_threads(w))
			return 0;
		(void)stk_fail(err, STK_EDATA, "its memory is not laid out as that of Python 3.%u, or it has not begun",
			       w->heap.layout.minor);
	}
	python_walker_close(w);
	*out = NULL;
	return -1;
}

void
python_walker_close(struct python_walker *w)
{
	if (w == NULL)
		return;
	array_release(&w->before.list);
	array_release(&w->lines);
	python_entries_release(&w->names);
	python_entries_release(&w->scratch);
	python_entries_release(&w->methods.entries);
	free(w);
}

unsigned
python_walker_minor(const struct python_walker *w)
{
	return w->heap.layout.minor;
}
