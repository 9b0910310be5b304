/* SPDX-License-Identifier: MIT
 * python_walker: lines of instructions as each version codes them, and stacks from a memory made up as Python 3.12 lays
 * it out: whole, with texts that are none, with chains that end nowhere. */
#include "../lib/tap.h"

#include "walk/python_walker.h"

#include <string.h>

#define BASE UINT64_C(0x10000)
#define SIZE (UINT64_C(64) << 10)

enum { TEXT_TYPE = 0x1000, BYTES_TYPE = 0x2000, DICT_TYPE = 0x3000, CODE_TYPE = 0x4000 };

static unsigned char memory[SIZE];
static uint64_t used;

/* --- the memory --- */

static bool
read_memory(void *of, uint64_t from, void *to, size_t size)
{
	(void)of;
	if (from < BASE || from - BASE > SIZE || size > SIZE - (from - BASE))
		return false;
	memcpy(to, memory + (from - BASE), size);
	return true;
}

static uint64_t
make(size_t size)
{
	uint64_t at = BASE + used;

	used += (size + 15) / 16 * 16;
	return at;
}

static void
put(uint64_t at, uint64_t value, size_t size)
{
	memcpy(memory + (at - BASE), &value, size);
}

static uint64_t
make_object(size_t size, uint64_t type)
{
	uint64_t at = make(size);

	put(at + 8, type, 8);
	return at;
}

/* Characters of 1, 2 or 4 bytes. */
static uint64_t
make_text(const void *characters, size_t count, unsigned width, bool ascii)
{
	size_t head = ascii ? 40 : 56;
	uint64_t at = make_object(head + count * width + 4, TEXT_TYPE);

	put(at + 16, count, 8);
	put(at + 32, width << 2 | 1u << 5 | (ascii ? 1u << 6 : 0), 4);
	memcpy(memory + (at - BASE) + head, characters, count * width);
	return at;
}

static uint64_t
make_name(const char *name)
{
	return make_text(name, strlen(name), 1, true);
}

static uint64_t
make_code(uint64_t name, uint64_t file)
{
	static const char table[] = "\x80\x00\xd8\x08\x09"; /* line 7: one instruction; line 8: one */
	uint64_t lines = make_object(32 + sizeof table, BYTES_TYPE), at = make_object(240, CODE_TYPE);

	put(lines + 16, sizeof table - 1, 8);
	memcpy(memory + (lines - BASE) + 32, table, sizeof table);
	put(at + 68, 7, 4);
	put(at + 112, file, 8);
	put(at + 128, name, 8);
	put(at + 136, lines, 8);
	return at;
}

static uint64_t
make_frame(uint64_t code, uint64_t previous, unsigned instruction, unsigned owner)
{
	uint64_t at = make(80);

	put(at, code, 8);
	put(at + 8, previous, 8);
	put(at + 56, code + 192 + instruction, 8);
	put(at + 70, owner, 1);
	return at;
}

/* A thread state, put before another. */
static uint64_t
make_thread(uint64_t interpreter, uint64_t frame, uint64_t ident, unsigned tid, uint64_t next)
{
	uint64_t at = make(288), cframe = make(16);

	put(cframe, frame, 8);
	put(at + 8, next, 8);
	put(at + 16, interpreter, 8);
	put(at + 56, cframe, 8);
	put(at + 136, ident, 8);
	put(at + 144, tid, 8);
	return at;
}

struct program {
	uint64_t runtime, interpreter, thread, leaf, code;
};

/* main -> (a call from C) -> Shop.sell, in thread 71. */
static struct program
make_program(uint64_t name)
{
	struct program p = { 0 };
	uint64_t caller;

	memset(memory, 0, sizeof memory);
	used = 0;
	p.runtime = make(64);
	p.interpreter = make(1024);
	p.code = make_code(name != 0 ? name : make_name("Shop.sell"), make_name("/srv/shop.py"));
	caller = make_frame(make_code(make_name("main"), make_name("/srv/main.py")), 0, 0, 0);
	p.leaf = make_frame(p.code, make_frame(0x77, caller, 0, 3), 2, 0);
	p.thread = make_thread(p.interpreter, p.leaf, 0x7f01, 71, 0);
	put(p.runtime + 40, p.interpreter, 8);
	put(p.interpreter + 72, p.thread, 8);
	return p;
}

/* --- what is read of it --- */

static struct python_walker *
open_walker(const struct program *program)
{
	struct remote_memory from = { .other = read_memory };
	struct python_heap known = {
		.text_type = TEXT_TYPE, .bytes_type = BYTES_TYPE, .dict_type = DICT_TYPE, .code_type = CODE_TYPE
	};
	struct python_walker *walker;
	struct stk_error err = { 0 };

	if (python_layout_read(&known.layout, 12, &from, program->runtime, &err) < 0)
		return NULL;
	python_walker_of(&walker, &from, &known, program->runtime);
	return walker;
}

/* The stack of the first thread; "no threads", "not read". */
static const char *
stack_of(const struct program *program)
{
	static struct text_buffer text;
	struct python_walker *walker = open_walker(program);
	struct python_threads threads = { 0 };

	text.count = 0;
	if (!python_walker_threads(walker, &threads) || threads.list.count == 0)
		add_string(&text, "no threads");
	else if (!python_walker_stack(walker, &threads.list.at[0], &text))
		add_string(&text, text.count == 0 ? "not read" : "not read, but added");
	add_char(&text, '\0');
	array_release(&threads.list);
	python_walker_close(walker);
	return text.at;
}

#define MAIN "  File \"/srv/main.py\", line 7 in main\n"

static void
check_stacks(void)
{
	struct program p = make_program(0);

	is_text(stack_of(&p), "  File \"/srv/shop.py\", line 8 in Shop.sell\n" MAIN,
		"a stack, leaf first; calls from C are no frames");
	put(p.code + 176, 5, 4);
	is_text(stack_of(&p), MAIN, "a frame that has not begun its function is not there yet");
	put(p.leaf + 70, 1, 1);
	is_text(stack_of(&p), "  File \"/srv/shop.py\", line 8 in Shop.sell\n" MAIN, "... unless a generator owns it");
	p = make_program(0);
	put(p.code + 8, TEXT_TYPE, 8);
	is_text(stack_of(&p), "not read", "what is not a code object gives no stack");
	p = make_program(0);
	put(p.leaf + 8, 0x99999990, 8);
	is_text(stack_of(&p), "not read", "a chain that leaves the memory gives no stack, not half of one");
	p = make_program(0);
	put(p.leaf + 8, p.leaf, 8);
	ok(strlen(stack_of(&p)) == PYTHON_DEPTH_MAX * strlen("  File \"/srv/shop.py\", line 8 in Shop.sell\n") + 6 &&
		   strcmp(stack_of(&p) + strlen(stack_of(&p)) - 6, "  ...\n") == 0,
	   "a chain that goes round ends at the bound, and says that callers are left out");
	p = make_program(0);
	put(p.code + 112, p.code, 8);
	put(p.code + 128, BASE + 1, 8);
	put(p.code + 136, p.code, 8);
	is_text(stack_of(&p), "  File \"[unknown]\", line 0 in [unknown]\n" MAIN,
		"names and lines that are none are unknown");
}

static void
check_texts(void)
{
	static const uint16_t wide[] = { 0x436, 0xd800, '\n', 0x20ac };
	static const uint32_t widest[] = { 0x1f40d, 0x110000, '"' };
	static const unsigned char latin[] = { 'g', 'r', 0xf6, 0xdf, 'e' };
	char many[3000];
	struct program p = make_program(0);

	put(p.code + 128, make_text(wide, 4, 2, false), 8);
	put(p.code + 112, make_text(widest, 3, 4, false), 8);
	is_text(stack_of(&p), "  File \"\xf0\x9f\x90\x8d?'\", line 8 in \xd0\xb6??\xe2\x82\xac\n" MAIN,
		"texts of two and four bytes a character; what would break a line or a name is masked");
	put(p.code + 128, make_text(latin, 5, 1, false), 8);
	ok(strstr(stack_of(&p), "in gr\xc3\xb6\xc3\x9f"
				"e\n") != NULL,
	   "a text of one byte a character that is not ASCII");
	memset(many, 'x', sizeof many);
	put(p.code + 128, make_text(many, sizeof many, 1, true), 8);
	ok(strstr(stack_of(&p), "xxx...\n") != NULL && strlen(stack_of(&p)) < 1200, "a long name is cut, and says so");
}

static void
check_threads(void)
{
	struct program p = make_program(0);
	struct python_threads threads = { 0 };
	struct python_walker *walker = open_walker(&p);

	put(p.interpreter + 72, make_thread(p.interpreter, p.leaf, 0x7f02, 72, p.thread), 8);
	ok(python_walker_threads(walker, &threads) && threads.list.count == 2 && threads.list.at[0].tid == 72 &&
		   threads.list.at[1].ident == 0x7f01,
	   "threads of an interpreter");
	put(p.thread + 8, p.thread, 8);
	ok(!python_walker_threads(walker, &threads) && threads.list.count <= PYTHON_THREADS_MAX,
	   "a list that goes round is not believed");
	put(p.thread + 8, 0, 8);
	put(p.thread + 16, p.runtime, 8);
	ok(!python_walker_threads(walker, &threads), "a state of another interpreter is not one of its threads");
	array_release(&threads.list);
	python_walker_close(walker);
}

/* "threading": {"_active": {ident: an object whose dict says its name}}, as 3.12 has them. */
static uint64_t
make_dict(const uint64_t (*entries)[3], size_t count, bool hashes)
{
	uint64_t dict = make_object(48, DICT_TYPE), keys = make(40 + 8 + count * 24), at = keys + 32 + 8;

	put(dict + 32, keys, 8);
	put(keys + 9, 3, 1);
	put(keys + 10, hashes ? 0 : 1, 1);
	put(keys + 24, count, 8);
	for (size_t i = 0; i < count; i++)
		for (size_t part = hashes ? 0 : 1; part < 3; part++, at += 8)
			put(at, entries[i][part], 8);
	return dict;
}

static void
check_names(void)
{
	struct program p = make_program(0);
	uint64_t type = make(1024), keys = make(64), values = make(16), before = make(32),
		 object = make_object(16, type);
	uint64_t active, module, name = make_name("_name"), seller = make_name("seller");
	struct python_walker *walker = open_walker(&p);
	struct python_threads threads = { 0 };
	struct text_buffer text = { 0 };

	put(type + 168, 1u << 4, 8);
	put(type + 880, keys, 8);
	put(keys + 10, 2, 1);
	put(keys + 24, 1, 8);
	put(keys + 32 + 1, 0, 7);
	put(keys + 9, 3, 1);
	put(keys + 40, name, 8);
	put(values, seller, 8);
	put(object - 24, values - 1, 8);
	active = make_dict((const uint64_t[][3]){ { 0x7f00, BASE, BASE }, { 0x7f01, BASE, object } }, 2, true);
	module = make_object(32, 0x5000);
	put(module + 16, make_dict((const uint64_t[][3]){ { 0, make_name("_active"), active } }, 1, false), 8);
	put(p.interpreter + 944,
	    make_dict((const uint64_t[][3]){ { 0, make_name("sys"), BASE }, { 0, make_name("threading"), module } }, 2,
		      false),
	    8);
	(void)before;
	ok(python_walker_threads(walker, &threads), "the threads");
	python_walker_read_names(walker);
	ok(python_walker_name(walker, &threads.list.at[0], &text), "a thread has a name");
	add_char(&text, '\0');
	is_text(text.at, "seller", "that of the threading module");
	put(keys + 24, UINT64_C(1) << 60, 8);
	text.count = 0;
	ok(!python_walker_name(walker, &threads.list.at[0], &text) && text.count == 0,
	   "a dict with more entries than there can be is none");
	array_release(&text);
	array_release(&threads.list);
	python_walker_close(walker);
}

/* --- lines --- */

/* The same function of ten lines, as three versions coded it; the lines are those that Python itself gave. */
static void
check_lines(void)
{
	static const unsigned char lnotab[] = { 0x00, 0x01, 0x08, 0x03, 0x06, 0x01, 0x06, 0xff,
						0x06, 0x02, 0x02, 0x01, 0x02, 0x01, 0x02, 0xfe };
	static const unsigned char ranges[] = { 0x08, 0x01, 0x06, 0x03, 0x06, 0x01, 0x06, 0xff,
						0x02, 0x02, 0x02, 0x01, 0x02, 0x01, 0x04, 0xfe };
	static const unsigned char locations[] = { 0x80, 0x00, 0xd8, 0x08, 0x09, 0x88, 0x41, 0x89, 0x05, 0x80,
						   0x41, 0xf4, 0x08, 0x00, 0x13, 0x18, 0x98, 0x01, 0x93, 0x28,
						   0xf6, 0x03, 0x01, 0x09, 0x1c, 0xd8, 0x0d, 0x0e, 0xf2, 0x03,
						   0x00, 0x0a, 0x0b, 0xf0, 0x00, 0x01, 0x09, 0x1c, 0x80, 0x41,
						   0xf0, 0x00, 0x01, 0x09, 0x1c, 0xe4, 0x0b, 0x0c, 0xd8, 0x08,
						   0x09, 0xd8, 0x08, 0x09, 0xf3, 0x05, 0x02, 0x0c, 0x0b, 0xf0,
						   0x00, 0x02, 0x05, 0x0b, 0xf9, 0xf2, 0x05, 0x01, 0x09, 0x1c };
	static const struct {
		enum python_lines kind;
		struct stk_text table;
		struct {
			int64_t at, line;
		} of[10];
	} tables[] = {
		{ PYTHON_LNOTAB,
		  { (const char *)lnotab, sizeof lnotab },
		  { { -1, 1 },
		    { 0, 2 },
		    { 6, 2 },
		    { 8, 5 },
		    { 14, 6 },
		    { 20, 5 },
		    { 26, 7 },
		    { 28, 8 },
		    { 30, 9 },
		    { 36, 7 } } },
		{ PYTHON_LINES_310,
		  { (const char *)ranges, sizeof ranges },
		  { { -2, 1 },
		    { 0, 2 },
		    { 6, 2 },
		    { 8, 5 },
		    { 14, 6 },
		    { 20, 5 },
		    { 26, 7 },
		    { 28, 8 },
		    { 30, 9 },
		    { 36, 0 } } },
		{ PYTHON_LOCATIONS,
		  { (const char *)locations, sizeof locations },
		  { { -2, 1 },
		    { 0, 1 },
		    { 2, 2 },
		    { 12, 6 },
		    { 32, 5 },
		    { 46, 6 },
		    { 70, 8 },
		    { 74, 7 },
		    { 84, 0 },
		    { 88, 5 } } },
	};

	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (size_t i = 0; i < 10; i++)
			is_i64(python_line(tables[t].kind, tables[t].table, 1, tables[t].of[i].at),
			       tables[t].of[i].line, "table %zu, instruction %d", t, (int)tables[t].of[i].at);
}

int
main(void)
{
	check_lines();
	check_stacks();
	check_texts();
	check_threads();
	check_names();
	return tap_end();
}
