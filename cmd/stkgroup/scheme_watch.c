/* SPDX-License-Identifier: MIT
 * scheme_watch: modification times of schemes and of what they include. */
#include "scheme_watch.h"
#include "program/scheme_places.h"

#include "program/program.h"

#include <sys/stat.h>

/* The latest modification of the files of a scheme. */
static int64_t
modified_ns(const struct scheme *scheme)
{
	int64_t latest = 0;

	for (size_t f = 0; f < scheme->files.count; f++) {
		struct stat is;
		int64_t ns;

		if (stat(scheme->files.at[f].data, &is) < 0)
			continue;
		ns = (int64_t)is.st_mtim.tv_sec * 1000000000 + is.st_mtim.tv_nsec;
		latest = ns > latest ? ns : latest;
	}
	return latest;
}

/* A scheme that is invalid while it is being edited leaves the old one in use. */
static bool
read_again(struct scheme_set *set, unsigned i, const char *name)
{
	struct scheme *scheme;
	struct stk_error err = { 0 };

	if (scheme_file_read(&scheme, name, scheme_places(), &err) < 0) {
		program_warn("%s; the old scheme remains in use", err.text);
		stk_error_clear(&err);
		return false;
	}
	scheme_set_replace(set, i, scheme);
	program_say("%s was edited: reading it again", name);
	return true;
}

bool
scheme_watch_look(struct scheme_watch *watch, struct scheme_set *set, const char *const *names)
{
	bool any = false;

	for (unsigned i = 0; i < set->count; i++) {
		int64_t modified = modified_ns(set->schemes[i]);

		if (modified == watch->modified_ns[i])
			continue;
		if (watch->modified_ns[i] != 0)
			any |= read_again(set, i, names[i]);
		watch->modified_ns[i] = modified;
	}
	return any;
}
