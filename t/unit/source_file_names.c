/* SPDX-License-Identifier: MIT
 * source_file_names: names of sources, by hand, and that a name which was made is made of itself. */
#include "../lib/tap.h"

#include "probe/source_file_name.h"

static void
try_name(const char *folder, const char *file, const char *want, const char *fact)
{
	struct text_buffer name = { 0 };

	add_source_file_name(&name, text_from(folder), text_from(file));
	is_bytes(name.at, name.count, want, strlen(want), "%s: %s in %s", fact, file, folder);
	array_release(&name);
}

int
main(void)
{
	static const struct { const char *folder, *file, *name, *fact; } names[] = {
		{ "/home/me", "util.c", "/home/me/util.c", "a name in a folder" },
		{ "/home/me/", "./a//util.c", "/home/me/a/util.c", "without dots and slashes that mean nothing" },
		{ "/home/me", "b/c/../h.h", "/home/me/b/h.h", "one up" },
		{ "/home/me", "../../../h.h", "/h.h", "further up than there is" },
		{ "/home/me", "/usr/include/../x.h", "/usr/x.h", "an absolute name" },
		{ ".", "a/util.c", "a/util.c", "a folder that the compiler was told not to name" },
		{ "", "../a/./util.c", "../a/util.c", "above no folder" },
		{ "src/..", "../../b/../util.c", "../../util.c", "above the folder above" },
		{ "/home/me", "<stdin>", "<stdin>", "not a file" },
		{ "/home/me", "-", "-", "what a pipe brought" },
		{ "/home/me", "", "", "no name" },
			};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		try_name(names[i].folder, names[i].file, names[i].name, names[i].fact);
		try_name("", names[i].name, names[i].name, "a name is made of itself");
	}
	return tap_end();
}
