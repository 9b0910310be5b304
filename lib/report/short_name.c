/* SPDX-License-Identifier: MIT
 * short_name: what a reader recognises a function by. */
#include "report/short_name.h"

/* How many brackets a name's byte closes, read from its end: that of "->" none. */
static int
closes_at(struct stk_text name, size_t i)
{
	switch (name.data[i]) {
	case ')':	    return 1;
	case '>':	    return i == 0 || name.data[i - 1] != '-';
	case '<': case '(': return -1;
	default:	    return 0;
	}
}

/* Where the last part of a name but one begins, parts being divided by `divider` outside of <> and (). */
static size_t
last_parts(struct stk_text name, const char *divider)
{
	size_t size = strlen(divider), parts = 0;
	int depth = 0;

	for (size_t i = name.size; i-- > 0;) {
		depth += closes_at(name, i);
		if (depth <= 0 && i + size <= name.size && memcmp(name.data + i, divider, size) == 0 && ++parts == 2)
			return i + size;
	}
	return 0;
}

/* "Shop.hash" begins with a class, "tcp_recvmsg.isra.9" does not. */
bool
is_class_name(struct stk_text name)
{
	return name.size > 0 &&
	       ((name.data[0] >= 'A' && name.data[0] <= 'Z') || memchr(name.data, '$', name.size) != NULL);
}

static struct stk_text
text_after(struct stk_text text, size_t from)
{
	return text_of(text.data + from, text.size - from);
}

/* "void Shop.hash" and "java.math.BigDecimal Shop.price": compilers write what a method returns before its name. */
static struct stk_text
without_type(struct stk_text name)
{
	int depth = 0;

	for (size_t i = name.size; i-- > 0;) {
		depth += closes_at(name, i);
		if (name.data[i] == ' ' && depth <= 0 && i + 1 < name.size)
			return memchr(name.data + i, '.', name.size - i) == NULL
				       ? name
				       : text_of(name.data + i + 1, name.size - i - 1);
	}
	return name;
}

/* Packages with slashes come first in what agents of just-in-time compilers write:
 * "org/mozilla/javascript/Context:.call". The address of a hidden class is no package: "Shop$$Lambda/0x7f1c.run". */
static const char *
find_package(struct stk_text name)
{
	const char *slash = memchr(name.data, '/', name.size), *dot = memchr(name.data, '.', name.size);

	return slash == NULL || (dot != NULL && dot < slash) ||
			       text_starts(text_of(slash + 1, (size_t)(name.data + name.size - slash) - 1), "0x")
		       ? NULL
		       : slash;
}

struct stk_text
short_name(struct stk_text name)
{
	size_t from = 0;

	if (name.size == 0 || name.data[0] == '[')
		return name;
	name = without_type(name);
	if (find_package(name) != NULL)
		from = (size_t)((const char *)memrchr(name.data, '/', name.size) - name.data) + 1;
	else if (memmem(name.data, name.size, "::", 2) != NULL)
		from = last_parts(name, "::");
	else if (is_class_name(text_after(name, last_parts(name, "."))))
		from = last_parts(name, ".");
	return from == name.size ? name : text_after(name, from);
}

bool
is_platform(struct stk_text name)
{
	static const char *const packages[] = { "java", "javax", "jdk", "sun", "com.sun", "com/sun" };

	name = without_type(name);
	for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
		size_t size = strlen(packages[i]);

		if (text_starts(name, packages[i]) && name.size > size &&
		    (name.data[size] == '.' || name.data[size] == '/'))
			return true;
	}
	return false;
}
