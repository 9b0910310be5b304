/* SPDX-License-Identifier: MIT
 * function_choice: names of linkers have no colon, so that the last one ends the file. */
#include "report/function_choice.h"

#include "base/bytes.h"

#include <string.h>

enum fit { OTHER, ENDS_SO, EXACT };

/* FILE may be the end of the file's path, from one of its parts on. */
static enum fit
fit_of(const char *wanted, struct stk_text function, struct stk_text file)
{
	const char *colon = strrchr(wanted, ':');
	size_t size = colon != NULL ? (size_t)(colon - wanted) : 0;

	if (text_is(function, wanted))
		return ENDS_SO;			/* the end of all files */
	if (size == 0 || size > file.size || !text_is(function, colon + 1) ||
	    memcmp(file.data + file.size - size, wanted, size) != 0)
		return OTHER;
	if (size == file.size)
		return EXACT;
	return file.data[file.size - size - 1] == '/' ? ENDS_SO : OTHER;
}

int
function_choose(uint32_t *number, const struct text_table *functions, const char *wanted, struct stk_error *err)
{
	struct stk_text name = { "", 0 }, first = { "", 0 }, last = { "", 0 };
	unsigned count = 0;

	*number = 0;
	for (uint32_t i = 0; i < functions->texts.count; i++) {
		struct stk_text file = functions->texts.at[i], function = text_take(&file, '\t');
		enum fit fit = fit_of(wanted, function, file);

		if (fit == OTHER)
			continue;
		if (count++ == 0)
			first = file;
		name = function;
		last = file;
		*number = i + 1;
		if (fit == EXACT)
			return 0;
	}
	if (count < 2)
		return 0;
	return stk_fail(err, STK_EUSAGE, "%s: several files have one: choose with --function FILE:%.*s, from %.*s and %.*s",
			wanted, (int)name.size, name.data, (int)first.size, first.data, (int)last.size, last.data);
}
