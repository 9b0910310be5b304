/* SPDX-License-Identifier: MIT
 * carried_text: reads the tables of sections and of members themselves, a few bytes at a time: libelf would map the
 * file, which its owner can cut meanwhile. Only 64-bit little-endian ELF files, and jars without ZIP64. */
#include "capture/carried_text.h"

#include "base/terminal_text.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define SECTION_NAME  ".note.stkpipe"
#define NOTE_NAME     "stkpipe"
#define NOTE_SCHEME   1u
#define MEMBER_NAME   "META-INF/stkpipe.yaml"

#define ELF_HEADER    64u
#define ELF_SECTION   64u
#define SECTIONS_MOST 65535u
#define NAMES_MOST    (1u << 20)	/* bytes of the names of sections */

#define ZIP_END       22u		/* and a comment of up to 65,535 bytes */
#define ZIP_ENTRY     46u
#define ZIP_LOCAL     30u
#define LISTING_MOST  (64u << 20)	/* bytes of a jar's list of members */

struct carrier {
	int fd;
	uint64_t size;			/* of the file */
	carried_text_function *found;
	void *context;
	struct text_buffer bytes, text;
};

static uint32_t
load16(const void *from)
{
	const unsigned char *p = from;

	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

/* Bytes of the file in place of what a buffer had; false when it has not so many there. */
static bool
read_part(const struct carrier *c, struct text_buffer *to, uint64_t from, uint64_t size)
{
	to->count = 0;
	if (from > c->size || size > c->size - from)
		return false;
	array_reserve(to, size);
	while (to->count < size) {
		ssize_t got = pread(c->fd, to->at + to->count, size - to->count, (off_t)(from + to->count));

		if (got <= 0)
			return false;
		to->count += (size_t)got;
	}
	return true;
}

static bool
is_plain(struct stk_text text)
{
	const char *at = text.data, *end = text.data + text.size;

	for (size_t size; at < end; at += size) {
		size = utf8_size(at, end);
		if (size == 0 || ((unsigned char)*at < ' ' && strchr("\t\n\r", *at) == NULL) || *at == '\0')
			return false;
	}
	return true;
}

static void
give(const struct carrier *c, struct stk_text text)
{
	while (text.size > 0 && text.data[text.size - 1] == '\0')
		text.size--;		/* the padding of a section, or the end of a C string */
	if (text.size > 0 && text.size <= CARRIED_TEXT_MAX && is_plain(text))
		c->found(c->context, text);
}

/* --- ELF --- */

struct section { uint64_t name, from, size; };

static struct section
section_at(const char *table, uint64_t number)
{
	const char *at = table + number * ELF_SECTION;

	return (struct section){ load32(at), load64(at + 24), load64(at + 32) };
}

static uint64_t
padded(uint64_t size)
{
	return (size + 3) & ~UINT64_C(3);
}

/* Linkers put the notes of all objects behind each other. False: these are no notes of ours. */
static bool
give_notes(const struct carrier *c, struct stk_text notes)
{
	unsigned n;

	for (n = 0; n < CARRIED_TEXTS_MOST && notes.size >= 12 + sizeof NOTE_NAME; n++) {
		uint64_t name = load32(notes.data), size = load32(notes.data + 4);
		uint64_t from = 12 + padded(name), whole = from + padded(size);

		if (name != sizeof NOTE_NAME || memcmp(notes.data + 12, NOTE_NAME, sizeof NOTE_NAME) != 0)
			return n > 0;
		if (from > notes.size || size > notes.size - from)
			return true;
		if (load32(notes.data + 8) == NOTE_SCHEME)
			give(c, text_of(notes.data + from, size));
		if (whole >= notes.size)
			return true;
		notes = text_of(notes.data + whole, notes.size - whole);
	}
	return n > 0;
}

/* The place of the section in the table of sections, whose names are those of section `names`. */
static bool
find_section(struct carrier *c, const char *table, uint64_t count, uint64_t names, struct section *out)
{
	struct section strings = section_at(table, names);

	if (strings.size > NAMES_MOST || !read_part(c, &c->text, strings.from, strings.size))
		return false;
	for (uint64_t i = 1; i < count; i++) {
		*out = section_at(table, i);
		if (out->name < c->text.count && c->text.count - out->name >= sizeof SECTION_NAME &&
		    memcmp(c->text.at + out->name, SECTION_NAME, sizeof SECTION_NAME) == 0)
			return true;
	}
	return false;
}

static void
give_of_elf(struct carrier *c)
{
	struct section section;
	uint64_t table, count, names;

	if (!read_part(c, &c->bytes, 0, ELF_HEADER) || c->bytes.at[4] != 2 || c->bytes.at[5] != 1)
		return;
	table = load64(c->bytes.at + 40);
	count = load16(c->bytes.at + 60);
	names = load16(c->bytes.at + 62);
	if (load16(c->bytes.at + 58) != ELF_SECTION || count > SECTIONS_MOST || names >= count ||
	    !read_part(c, &c->bytes, table, count * ELF_SECTION) ||
	    !find_section(c, c->bytes.at, count, names, &section) ||
	    section.size > CARRIED_TEXTS_MOST * (uint64_t)CARRIED_TEXT_MAX ||
	    !read_part(c, &c->bytes, section.from, section.size))
		return;
	if (!give_notes(c, text_in(&c->bytes, 0)))
		give(c, text_in(&c->bytes, 0));
}

/* --- jars --- */

/* The end of the file, from which the list of members is found; bytes may precede the archive. */
static bool
find_listing(struct carrier *c, uint64_t *from, uint64_t *size, uint64_t *before)
{
	uint64_t last = c->size < ZIP_END + 65535 ? c->size : ZIP_END + 65535, listed;

	if (!read_part(c, &c->bytes, c->size - last, last) || last < ZIP_END)
		return false;
	for (uint64_t at = last - ZIP_END + 1; at-- > 0;) {
		const char *end = c->bytes.at + at;

		if (memcmp(end, "PK\5\6", 4) != 0)
			continue;
		*size = load32(end + 12);
		listed = load32(end + 16);
		at += c->size - last;
		if (*size > at || *size > LISTING_MOST || listed > at - *size)
			return false;
		*from = at - *size;
		*before = *from - listed;
		return true;
	}
	return false;
}

/* Expands bytes of deflate to a size that is known; false when they are others. */
static bool
expand(struct stk_text packed, struct text_buffer *to, size_t size)
{
	z_stream zlib = { .next_in = (Bytef *)(uintptr_t)packed.data, .avail_in = (uInt)packed.size };
	int result;

	to->count = 0;
	array_reserve(to, size);
	if (inflateInit2(&zlib, -MAX_WBITS) != Z_OK)
		return false;
	zlib.next_out = (Bytef *)to->at;
	zlib.avail_out = (uInt)size;
	result = inflate(&zlib, Z_FINISH);
	to->count = size - zlib.avail_out;
	inflateEnd(&zlib);
	return result == Z_STREAM_END && to->count == size;
}

/* entry: of the list, whose fields count, whatever the member says itself. */
static void
give_member(struct carrier *c, const char *entry, uint64_t before)
{
	uint32_t method = load16(entry + 10), check = load32(entry + 16), packed = load32(entry + 20);
	uint32_t size = load32(entry + 24);
	uint64_t from = before + load32(entry + 42);
	struct text_buffer *text = &c->text;

	if (size > CARRIED_TEXT_MAX || packed > CARRIED_TEXT_MAX || !read_part(c, &c->text, from, ZIP_LOCAL) ||
	    memcmp(c->text.at, "PK\3\4", 4) != 0)
		return;
	from += ZIP_LOCAL + load16(c->text.at + 26) + load16(c->text.at + 28);
	if (!read_part(c, &c->bytes, from, packed))	/* in place of the list */
		return;
	if (method == 0)
		text = &c->bytes;
	else if (method != Z_DEFLATED || !expand(text_in(&c->bytes, 0), text, size))
		return;
	if (text->count == size && crc32(0, (const Bytef *)text->at, size) == check)
		give(c, text_in(text, 0));
}

static void
give_of_jar(struct carrier *c)
{
	uint64_t from, size, before;

	if (!find_listing(c, &from, &size, &before) || !read_part(c, &c->bytes, from, size))
		return;
	for (size_t at = 0; c->bytes.count - at >= ZIP_ENTRY;) {
		const char *entry = c->bytes.at + at;
		size_t name = load16(entry + 28), whole = ZIP_ENTRY + name + load16(entry + 30) + load16(entry + 32);

		if (memcmp(entry, "PK\1\2", 4) != 0 || whole > c->bytes.count - at)
			return;
		if (name == sizeof MEMBER_NAME - 1 && memcmp(entry + ZIP_ENTRY, MEMBER_NAME, name) == 0) {
			give_member(c, entry, before);
			return;
		}
		at += whole;
	}
}

void
carried_text_each(int fd, carried_text_function *found, void *context)
{
	struct carrier c = { .fd = fd, .found = found, .context = context };
	struct stat is;

	if (fstat(fd, &is) < 0 || is.st_size < 4)
		return;
	c.size = (uint64_t)is.st_size;
	if (read_part(&c, &c.bytes, 0, 4) && memcmp(c.bytes.at, "\177ELF", 4) == 0)
		give_of_elf(&c);
	else
		give_of_jar(&c);
	array_release(&c.bytes);
	array_release(&c.text);
}
