/* SPDX-License-Identifier: MIT
 * chosen_rules: STKPATH_CHOICE names the file, or says by an empty name that there is none; otherwise it is one of the
 * user's settings, where scripts/path-experiment leaves it. */
#include "chosen_rules.h"

#include "base/whole_file.h"

#include <stdlib.h>
#include <unistd.h>

#define RULES_BYTES_MOST 65536u

/* Adds the path of the file of rules, with a NUL. Returns false if there is no such file. */
static bool
place_of_rules(struct text_buffer *to)
{
	const char *named = getenv("STKPATH_CHOICE"), *settings = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (named != NULL) {
		add_string(to, named);
	} else if (settings != NULL && *settings == '/') {
		add_string(to, settings);
		add_string(to, "/stkpipe/path-choice.tsv");
	} else if (home != NULL && *home == '/') {
		add_string(to, home);
		add_string(to, "/.config/stkpipe/path-choice.tsv");
	}
	add_char(to, '\0');
	return named != NULL ? *named != '\0' : to->count > 1 && access(to->at, F_OK) == 0;
}

int
chosen_rules(struct method_rules *to, struct text_buffer *where, struct stk_error *err)
{
	struct text_buffer text = { 0 };
	struct stk_error why = { 0 };
	int result;

	if (!place_of_rules(where)) {
		where->count = 0;
		add_char(where, '\0');
		*to = published_rules;
		return 0;
	}
	result = whole_file_read(&text, where->at, RULES_BYTES_MOST, err);
	if (result == 0 && (result = method_rules_read(to, text_in(&text, 0), &why)) < 0)
		(void)!stk_fail(err, why.code, "%s: %s", where->at, why.text);
	array_release(&text);
	return result;
}
