/* SPDX-License-Identifier: MIT
 * Schemes in the files of programs: notes and plain sections of ELF files, members of jars; and of each file that is
 * damaged nothing, or what is whole. */
#include "../lib/tap.h"

#include "capture/carried_schemes.h"
#include "capture/carried_text.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <zlib.h>

#define SCHEME "scheme: \"shop\"   # ours\ngroups:\n- {name: a, members: [b]}\n"
#define OTHER  "groups:\n- {name: other, members: [x]}\n"

static struct text_buffer found;	/* texts, each with a newline after it */
static unsigned count;

static void
find(void *context, struct stk_text text)
{
	(void)context;
	count++;
	add_text(&found, text);
}

/* How many texts a file of these bytes carries. */
static unsigned
carried(const struct text_buffer *file, size_t size)
{
	int fd = open("carrier", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	count = 0;
	found.count = 0;
	if (fd >= 0 && write(fd, file->at, size) == (ssize_t)size)
		carried_text_each(fd, find, NULL);
	if (fd >= 0)
		close(fd);
	return count;
}

static bool
carries(const struct text_buffer *file, const char *wanted)
{
	unsigned texts = carried(file, file->count);

	return texts > 0 && text_is(text_in(&found, 0), wanted);
}

static void
add_number(struct text_buffer *to, uint64_t value, unsigned bytes)
{
	for (; bytes-- > 0; value >>= 8)
		add_char(to, (char)(value & 0xff));
}

/* --- ELF --- */

static void
add_note(struct text_buffer *to, const char *owner, uint32_t type, const char *text)
{
	size_t size = strlen(text);

	add_number(to, strlen(owner) + 1, 4);
	add_number(to, size, 4);
	add_number(to, type, 4);
	add_bytes(to, owner, strlen(owner) + 1);
	add_number(to, 0, (4 - (unsigned)(strlen(owner) + 1) % 4) % 4);
	add_string(to, text);
	add_number(to, 0, (4 - (unsigned)size % 4) % 4);
}

static void
add_section(struct text_buffer *to, uint32_t name, uint64_t from, uint64_t size)
{
	add_number(to, name, 4);
	add_number(to, 7, 4);
	add_number(to, 0, 8);
	add_number(to, 0, 8);
	add_number(to, from, 8);
	add_number(to, size, 8);
	add_number(to, 0, 24);
}

/* A file with one section of this name and content beside the names of sections. */
static struct text_buffer
elf_with(const char *name, struct stk_text content)
{
	struct text_buffer file = { 0 };
	uint64_t names = 64 + content.size, table = names + strlen(name) + 2;

	add_bytes(&file, "\177ELF\2\1\1", 7);
	add_number(&file, 0, 33);
	add_number(&file, table, 8);
	add_number(&file, 0, 10);
	add_number(&file, 64, 2);
	add_number(&file, 3, 2);
	add_number(&file, 2, 2);
	add_text(&file, content);
	add_char(&file, '\0');
	add_bytes(&file, name, strlen(name) + 1);
	add_section(&file, 0, 0, 0);
	add_section(&file, 1, 64, content.size);
	add_section(&file, 0, names, strlen(name) + 2);
	return file;
}

/* Whatever byte is another one, no text is found that was not there. */
static bool
bears_damage(const struct text_buffer *file, const char *text)
{
	bool well = true;

	for (size_t size = 0; size < file->count; size++)
		well &= carried(file, size) == 0 || text_is(text_in(&found, 0), text);
	for (size_t i = 0; i < file->count; i++) {
		file->at[i] ^= 0x81;
		(void)carried(file, file->count);
		well &= found.count <= file->count;
		file->at[i] ^= 0x81;
	}
	return well;
}

static void
check_elf(void)
{
	struct text_buffer notes = { 0 }, file;

	add_note(&notes, "stkpipe", 1, SCHEME);
	file = elf_with(".note.stkpipe", text_in(&notes, 0));
	ok(carries(&file, SCHEME), "a note of an ELF file");
	ok(bears_damage(&file, SCHEME), "... of which bytes are missing, or others");
	array_release(&file);
	file = elf_with(".note.other", text_in(&notes, 0));
	ok(carried(&file, file.count) == 0, "... not in a section of another name");
	array_release(&file);
	add_note(&notes, "stkpipe", 2, "something else");
	add_note(&notes, "stkpipe", 1, OTHER);
	file = elf_with(".note.stkpipe", text_in(&notes, 0));
	ok(carries(&file, SCHEME OTHER) && count == 2, "two of them, and one of a type that is not known");
	array_release(&file);
	file = elf_with(".note.stkpipe", text_from(SCHEME));
	ok(carries(&file, SCHEME), "a section that is the text itself");
	array_release(&file);
	file = elf_with(".note.stkpipe", text_from("a\033[31m"));
	ok(carried(&file, file.count) == 0, "not one with control characters");
	array_release(&file);
	array_release(&notes);
}

/* --- jars --- */

struct member { const char *name, *text; bool packed; uint32_t from; size_t size; };

static size_t
add_content(struct text_buffer *to, const struct member *m)
{
	unsigned char packed[1000];
	z_stream zlib = { .next_in = (Bytef *)(uintptr_t)m->text, .avail_in = (uInt)strlen(m->text),
			  .next_out = packed, .avail_out = sizeof packed };
	size_t size;

	if (!m->packed) {
		add_string(to, m->text);
		return strlen(m->text);
	}
	if (deflateInit2(&zlib, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	(void)deflate(&zlib, Z_FINISH);
	size = sizeof packed - zlib.avail_out;
	deflateEnd(&zlib);
	add_bytes(to, (const char *)packed, size);
	return size;
}

static void
add_head(struct text_buffer *to, const struct member *m)
{
	size_t size = strlen(m->text);

	add_number(to, m->packed ? 8 : 0, 2);
	add_number(to, 0, 4);
	add_number(to, crc32(0, (const Bytef *)m->text, (uInt)size), 4);
	add_number(to, m->size, 4);
	add_number(to, size, 4);
	add_number(to, strlen(m->name), 2);
}

static struct text_buffer
jar_with(const char *before, struct member *members, size_t number)
{
	struct text_buffer file = { 0 }, content = { 0 };
	size_t listing, base = strlen(before);

	add_string(&file, before);
	for (struct member *m = members; m < members + number; m++) {
		content.count = 0;
		m->size = add_content(&content, m);
		m->from = (uint32_t)(file.count - base);
		add_bytes(&file, "PK\3\4\24\0\0\0", 8);
		add_head(&file, m);
		add_number(&file, 0, 2);
		add_string(&file, m->name);
		add_text(&file, text_in(&content, 0));
	}
	listing = file.count;
	for (struct member *m = members; m < members + number; m++) {
		add_bytes(&file, "PK\1\2\24\0\24\0\0\0", 10);
		add_head(&file, m);
		add_number(&file, 0, 12);
		add_number(&file, m->from, 4);
		add_string(&file, m->name);
	}
	add_bytes(&file, "PK\5\6\0\0\0\0", 8);
	add_number(&file, number, 2);
	add_number(&file, number, 2);
	add_number(&file, file.count - 12 - listing, 4);
	add_number(&file, listing - base, 4);
	add_number(&file, 0, 2);
	array_release(&content);
	return file;
}

static void
check_jars(void)
{
	struct member members[] = { { .name = "Shop.class", .text = "code" },
				    { .name = "META-INF/stkpipe.yaml", .text = SCHEME, .packed = true } };
	struct text_buffer file = jar_with("", members, 2);

	ok(carries(&file, SCHEME), "a packed member of a jar");
	ok(bears_damage(&file, SCHEME), "... of which bytes are missing, or others");
	array_release(&file);
	members[1].packed = false;
	file = jar_with("#!/usr/bin/java -jar\n", members, 2);
	ok(carries(&file, SCHEME), "a stored one, of a jar that begins with a script");
	*(char *)memmem(file.at, file.count, "groups", 6) = 'G';
	ok(carried(&file, file.count) == 0, "not one whose sum differs");
	array_release(&file);
	file = jar_with("", members, 1);
	ok(carried(&file, file.count) == 0, "a jar without a scheme");
	array_release(&file);
}

/* --- processes --- */

static int
open_jar(const char *path, const char *text)
{
	struct member member = { .name = "META-INF/stkpipe.yaml", .text = text };
	struct text_buffer file = jar_with("", &member, 1);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0 && write(fd, file.at, file.count) != (ssize_t)file.count)
		fd = -1;
	array_release(&file);
	return fd;
}

static void
check_process(void)
{
	struct carried_schemes *schemes;
	struct process process;
	struct stk_error err = { 0 };

	if (process_read(&process, getpid(), &err) < 0 || open_jar("shop.jar", SCHEME) < 0 ||
	    open_jar("plain.jar", OTHER) < 0 || open_jar("again.jar", SCHEME "# a later one\n") < 0) {
		ok(false, "a process is read, and jars are written");
		return;
	}
	carried_schemes_open(&schemes);
	ok(carried_scheme(schemes, 0) == NULL, "no scheme before anything was looked for");
	carried_schemes_look(schemes, &process, 20000);
	carried_schemes_look(schemes, &process, 20000);
	ok(carried_scheme(schemes, 1) != NULL && carried_scheme(schemes, 2) == NULL, "each scheme is found once");
	ok(text_is(carried_scheme(schemes, 0)->name, "shop") && text_is(carried_scheme(schemes, 1)->name, "plain"),
	   "they are called as they say, or as their files");
	ok(text_is(carried_scheme(schemes, 1)->text, OTHER), "... and have their texts");
	is_u64(carried_schemes_oddities(schemes).same_name, 1, "another one of the same name is counted");
	carried_schemes_close(schemes);
}

/* A program of which the file is gone has its name in maps with " (deleted)" behind it: its user may put a link there.
 * Without capabilities what is mapped cannot be opened itself. */
static bool
map_file_whose_name_is_a_link(const char *target)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0 } };
	int fd = open("program", O_RDWR | O_CREAT | O_CLOEXEC, 0700);

	return fd >= 0 && ftruncate(fd, 4096) == 0 &&
	       mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED && close(fd) == 0 &&
	       unlink("program") == 0 && symlink(target, "program (deleted)") == 0 &&
	       syscall(SYS_capset, &head, none) == 0;
}

static void
check_link(void)
{
	struct carried_schemes *schemes;
	struct process process;
	struct stk_error err = { 0 };
	int fd = open_jar("private.zip", SCHEME);

	if (fd < 0 || close(fd) < 0 || !map_file_whose_name_is_a_link("private.zip") ||
	    process_read(&process, getpid(), &err) < 0) {
		ok(false, "a file is mapped whose name is a link");
		return;
	}
	carried_schemes_open(&schemes);
	carried_schemes_look(schemes, &process, 20000);
	ok(carried_scheme(schemes, 0) == NULL, "a link in the place of a mapped file is not followed");
	is_u64(carried_schemes_oddities(schemes).gave_up, 0, "... and the search came to its end");
	carried_schemes_close(schemes);
}

int
main(void)
{
	scratch();
	check_elf();
	check_jars();
	check_link();
	check_process();
	array_release(&found);
	return tap_end();
}
