/* SPDX-License-Identifier: MIT
 * java_symbol: symbols of Java methods as the names of thread dumps. */
#include "ingest/java_symbol.h"

#include "ingest/text_lines.h"

static bool
is_name_char(char c)
{
	return (unsigned char)(c - '0') < 10 || (unsigned char)((c | 0x20) - 'a') < 26 || (unsigned char)c >= 0x80 ||
	       (c != '\0' && strchr("_$.<>+-", c) != NULL);
}

static bool
is_dotted(struct stk_text name)
{
	for (size_t i = 0; i < name.size; i++)
		if (!is_name_char(name.data[i]))
			return false;
	return name.size > 2 && memchr(name.data, '.', name.size) != NULL && name.data[0] != '.' &&
	       name.data[name.size - 1] != '.';
}

static bool
is_method(struct stk_text name)
{
	for (size_t i = 0; i < name.size; i++)
		if (!is_name_char(name.data[i]) || name.data[i] == '.')
			return false;
	return name.size > 0;
}

static bool
is_number(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static bool
is_lower(char c)
{
	return (unsigned char)(c - 'a') < 26;
}

static bool
is_upper(char c)
{
	return (unsigned char)(c - 'A') < 26;
}

/* "int", "java.util.List[]", at the beginning of the text: its size, or 0. */
static size_t
type_size(struct stk_text text)
{
	size_t size = 0;

	while (size < text.size && is_name_char(text.data[size]))
		size++;
	while (size > 0 && size + 2 <= text.size && text.data[size] == '[' && text.data[size + 1] == ']')
		size += 2;
	return size;
}

/* "int, java.lang.String" */
static bool
are_types(struct stk_text list)
{
	const char *end = list.data + list.size;

	while (list.size > 0) {
		size_t size = type_size(list);

		if (size == 0)
			return false;
		list = between(list.data + size, end);
		if (list.size > 0 && *list.data != ',')
			return false;
		list = list.size > 0 ? unindented(between(list.data + 1, end)) : list;
	}
	return true;
}

/* The end of a type of a descriptor, "[Ljava/lang/String;" or "I", or NULL. */
static const char *
descriptor_type_end(const char *at, const char *end)
{
	while (at < end && *at == '[')
		at++;
	if (at == end)
		return NULL;
	if (*at != 'L')
		return *at != '\0' && strchr("BCDFIJSZV", *at) != NULL ? at + 1 : NULL;
	at = memchr(at, ';', (size_t)(end - at));
	return at != NULL ? at + 1 : NULL;
}

/* "(Ljava/lang/String;I)V" from `open` to the end. */
static bool
is_descriptor(const char *open, const char *end)
{
	const char *at = open + 1;

	while (at < end && *at != ')')
		if ((at = descriptor_type_end(at, end)) == NULL)
			return false;
	return at < end && descriptor_type_end(at + 1, end) == end;
}

/* What a symbol is made of; class may have '/'. */
struct symbol { struct stk_text class, method; };

/* "Lcom/acme/Shop;::sell" or "Lcom/acme/Shop;.sell", with or without a descriptor. */
static bool
read_type_symbol(struct symbol *is, struct stk_text text)
{
	const char *end = text.data + text.size, *semicolon = memchr(text.data, ';', text.size), *open;
	size_t joint;

	if (*text.data != 'L' || semicolon == NULL || semicolon - text.data < 2)
		return false;
	joint = text_starts(between(semicolon + 1, end), "::") ? 2 : text_starts(between(semicolon + 1, end), ".");
	if (joint == 0 || semicolon + 1 + joint >= end ||
	    memchr(text.data, ' ', (size_t)(semicolon - text.data)) != NULL)
		return false;
	is->class = between(text.data + 1, semicolon);
	is->method = between(semicolon + 1 + joint, end);
	open = memchr(is->method.data, '(', is->method.size);
	if (open != NULL && open > is->method.data)
		is->method.size = (size_t)(open - is->method.data);
	return true;
}

/* "com/acme/Shop.sell(I)V" and "com.acme.Shop.sell(I)V" */
static bool
read_descriptor_symbol(struct symbol *is, struct stk_text text)
{
	const char *open = memchr(text.data, '(', text.size), *end = text.data + text.size, *dot;

	if (open == NULL || open == text.data || !is_descriptor(open, end) ||
	    memchr(text.data, ' ', (size_t)(open - text.data)) != NULL ||
	    (dot = memrchr(text.data, '.', (size_t)(open - text.data))) == NULL || dot == text.data ||
	    dot + 1 == open)
		return false;
	is->class = between(text.data, dot);
	is->method = between(dot + 1, open);
	return true;
}

/* "boolean com.acme.Shop.sell(int)" */
static bool
read_declared_symbol(struct symbol *is, struct stk_text text)
{
	const char *open = memchr(text.data, '(', text.size), *end = text.data + text.size, *blank, *dot;
	struct stk_text name;

	if (open == NULL || end[-1] != ')' || !are_types(between(open + 1, end - 1)))
		return false;
	blank = memchr(text.data, ' ', (size_t)(open - text.data));
	name = between(blank != NULL ? blank + 1 : text.data, open);
	if (!is_dotted(name) || (blank != NULL && type_size(text) != (size_t)(blank - text.data)))
		return false;
	dot = memrchr(name.data, '.', name.size);
	is->class = between(name.data, dot);
	is->method = between(dot + 1, open);
	return true;
}

/* The extension of a source file or a library, which is no method. */
static bool
is_extension(struct stk_text text)
{
	static const char *const extensions[] = { "a", "c", "cc", "cjs", "class", "cpp", "cs", "cxx", "dll", "dylib", "exe",
		"fs", "go", "groovy", "h", "hpp", "jar", "java", "js", "jsx", "kt", "m", "mjs", "mm", "php", "pl", "pm",
		"py", "rb", "rs", "scala", "so", "swift", "ts", "tsx", "vb", "vue" };

	for (unsigned i = 0; i < sizeof extensions / sizeof *extensions; i++)
		if (text_is(text, extensions[i]))
			return true;
	return false;
}

/* A '/' of a hidden class's name, "Shop$$Lambda/0x00007f", is its own. */
static bool
is_package_slash(const char *slash, const char *end)
{
	return end - slash < 3 || memcmp(slash + 1, "0x", 2) != 0;
}

/* "com/acme/Shop": packages in small letters, and a class that begins with a capital, unlike a file, or a type of Go. */
static bool
is_slashed_class(struct stk_text name)
{
	const char *end = name.data + name.size, *at = name.data, *slash;

	while ((slash = memchr(at, '/', (size_t)(end - at))) != NULL && is_package_slash(slash, end)) {
		for (const char *p = at; p < slash; p++)
			if (!is_lower(*p) && !is_number(*p) && *p != '_')
				return false;
		if (slash == at)
			return false;
		at = slash + 1;
	}
	if (at == name.data || at == end || !is_upper(*at))
		return false;
	for (; at < end; at++)
		if (*at == '<' || *at == '>' || (*at != '/' && !is_name_char(*at)))
			return false;
	return true;
}

/* "com/acme/Shop.sell", and with ":::" or ":." for what was ";::" or ";." in front of the method. marked: no file is
 * meant. */
static bool
read_collapsed_symbol(struct symbol *is, struct stk_text text, bool marked)
{
	const char *end = text.data + text.size, *open = memchr(text.data, '(', text.size), *joint;
	const char *last = open != NULL ? open : end;
	bool colon;

	joint = memrchr(text.data, '.', (size_t)(last - text.data));
	colon = joint != NULL && joint > text.data && joint[-1] == ':';
	if (joint == NULL && (joint = memmem(text.data, text.size, ":::", 3)) != NULL) {
		colon = true;
		joint += 2;
	}
	if (joint == NULL || joint + 1 >= last || joint == text.data)
		return false;
	is->method = between(joint + 1, last);
	is->class = between(text.data, joint - (!colon ? 0 : *joint == '.' ? 1 : 2));
	if (colon && is->class.size > 1 && *is->class.data == 'L')
		is->class = between(is->class.data + 1, is->class.data + is->class.size);
	return is_slashed_class(is->class) && (colon || (open == NULL && (marked || !is_extension(is->method)))) &&
		is_method(is->method);
}

/* How async-profiler and FlameGraph's collapsers mark the end of a Java method's name: compiled, inlined, interpreted,
 * compiled by C1. */
static bool
is_marked(struct stk_text text)
{
	static const char *const marks[] = { "_[j]", "_[i]", "_[0]", "_[1]" };

	for (size_t m = 0; m < sizeof marks / sizeof *marks; m++)
		if (text_ends(text, marks[m]))
			return text.size > strlen(marks[m]);
	return false;
}

/* "com.acme.Shop.sell", which only a mark makes a symbol. */
static bool
read_dotted_name(struct symbol *is, struct stk_text text)
{
	const char *dot = is_dotted(text) ? memrchr(text.data, '.', text.size) : NULL, *class;

	if (dot == NULL)
		return false;
	class = memrchr(text.data, '.', (size_t)(dot - text.data));
	class = class != NULL ? class + 1 : text.data;
	is->class = between(text.data, dot);
	is->method = between(dot + 1, text.data + text.size);
	return class < dot && is_upper(*class);
}

/* "com.acme.Shop": packages in small letters, and a class that begins with a capital. Namespaces of C++ have no dots. */
static bool
is_packaged_class(struct stk_text name)
{
	const char *end = name.data + name.size, *class = memrchr(name.data, '.', name.size);

	if (class == NULL || class + 1 == end || !is_upper(class[1]))
		return false;
	for (const char *p = name.data; p < class; p++)
		if (!is_lower(*p) && (p == name.data || p[-1] == '.' || (!is_number(*p) && *p != '_' && *p != '.')))
			return false;
	return class > name.data && class[-1] != '.' &&
	       is_method(between(class + 1, end)) && memchr(name.data, '<', name.size) == NULL;
}

/* "com.acme.Shop::sell", as compilers and IDEs write it, with or without a result type and parameters. */
static bool
read_member_symbol(struct symbol *is, struct stk_text text)
{
	const char *open = memchr(text.data, '(', text.size), *end = text.data + text.size;
	const char *last = open != NULL ? open : end, *blank, *joint;

	if (open != NULL && (end[-1] != ')' || !are_types(between(open + 1, end - 1))))
		return false;
	blank = memchr(text.data, ' ', (size_t)(last - text.data));
	if (blank != NULL && (open == NULL || type_size(text) != (size_t)(blank - text.data)))
		return false;
	is->class = between(blank != NULL ? blank + 1 : text.data, last);
	joint = memmem(is->class.data, is->class.size, "::", 2);
	if (joint == NULL)
		return false;
	is->method = between(joint + 2, last);
	is->class = between(is->class.data, joint);
	return is_method(is->method) && is_packaged_class(is->class);
}

static bool
read_symbol(struct symbol *is, struct stk_text text)
{
	bool marked = is_marked(text);

	if (marked)
		text.size -= strlen("_[j]");
	return text.size > 3 && text.size <= JAVA_SYMBOL_MAX &&
	       (read_type_symbol(is, text) || read_descriptor_symbol(is, text) || read_declared_symbol(is, text) ||
		read_collapsed_symbol(is, text, marked) || read_member_symbol(is, text) ||
		(marked && read_dotted_name(is, text)));
}

bool
is_java_symbol(struct stk_text symbol)
{
	const char *arrow = symbol.size > 0 ? memmem(symbol.data, symbol.size, "->L", 3) : NULL;
	struct symbol unused;

	return symbol.size <= JAVA_SYMBOL_MAX &&
	       read_symbol(&unused, arrow != NULL ? between(symbol.data, arrow) : symbol);
}

static size_t
add_dotted(struct stk_text name, char *room, size_t size)
{
	const char *end = name.data + name.size;

	for (const char *at = name.data; at < end; at++)
		room[size++] = *at == '/' && is_package_slash(at, end) ? '.' : *at;
	return size;
}

struct stk_text
java_dotted_name(struct stk_text name, char *room)
{
	return name.size > JAVA_SYMBOL_MAX ? name : text_of(room, add_dotted(name, room, 0));
}

/* One symbol, or the text itself, at the end of what is in room. */
static size_t
add_name(struct stk_text symbol, char *room, size_t size)
{
	struct symbol is;

	if (!read_symbol(&is, symbol)) {
		memcpy(room + size, symbol.data, symbol.size);
		return size + symbol.size;
	}
	size = add_dotted(is.class, room, size);
	room[size++] = '.';
	memcpy(room + size, is.method.data, is.method.size);
	return size + is.method.size;
}

/* No name is longer than its symbol, so the room is enough. */
struct stk_text
java_symbol_name(struct stk_text symbol, char *room)
{
	const char *end = symbol.data + symbol.size;
	size_t size = 0;

	if (!is_java_symbol(symbol))
		return symbol;
	for (const char *at = symbol.data, *arrow; at < end; at = arrow) {
		arrow = memmem(at, (size_t)(end - at), "->L", 3);	/* what was inlined, of perf-map-agent */
		arrow = arrow != NULL ? arrow : end;
		size = add_name(between(at, arrow), room, size);
		if (arrow < end) {
			memcpy(room + size, "->", 2);
			size += 2;
			arrow += 2;
		}
	}
	return text_of(room, size);
}
