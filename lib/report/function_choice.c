/* SPDX-License-Identifier: MIT
 * function_choice: names of C++ have colons, and so may those of files: any colon may be the one after the file. */
#include "report/function_choice.h"

#include "base/bytes.h"
#include "model/native_name.h"

#include <string.h>

enum fit { OTHER, ENDS_SO, EXACT };

/* FILE may be the end of the file's path, from one of its parts on. */
static enum fit
fit_of_file(const char *wanted, size_t size, struct stk_text file)
{
	if (size == 0 || size > file.size || memcmp(file.data + file.size - size, wanted, size) != 0)
		return OTHER;
	if (size == file.size)
		return EXACT;
	return file.data[file.size - size - 1] == '/' ? ENDS_SO : OTHER;
}

static enum fit
fit_of(const char *wanted, struct stk_text function, struct stk_text file)
{
	if (native_name_is(function, text_from(wanted)))
		return ENDS_SO;			/* the end of all files */
	for (const char *colon = strchr(wanted, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
		enum fit fit = fit_of_file(wanted, (size_t)(colon - wanted), file);

		if (fit != OTHER && native_name_is(function, text_from(colon + 1)))
			return fit;
	}
	return OTHER;
}

/* Overloads of C++ are called the same, and so are static functions of several files. */
static int
fail_several(const char *wanted, struct stk_text first, struct stk_text last, struct stk_error *err)
{
	struct stk_text function = text_take(&first, '\t'), other = text_take(&last, '\t');

	if (!text_equal(function, other))
		return stk_fail(err, STK_EUSAGE, "%s: several functions are called so, such as %.*s and %.*s", wanted,
				(int)function.size, function.data, (int)other.size, other.data);
	return stk_fail(err, STK_EUSAGE, "%s: several files have one: choose with --function FILE:%.*s, from %.*s and %.*s",
			wanted, (int)function.size, function.data, (int)first.size, first.data, (int)last.size,
			last.data);
}

int
function_choose(uint32_t *number, const struct text_table *functions, const char *wanted, struct stk_error *err)
{
	struct stk_text first = { "", 0 }, last = { "", 0 };
	unsigned count = 0;

	*number = 0;
	for (uint32_t i = 0; i < functions->texts.count; i++) {
		struct stk_text file = functions->texts.at[i], function = text_take(&file, '\t');
		enum fit fit = fit_of(wanted, function, file);

		if (fit == OTHER)
			continue;
		if (count++ == 0)
			first = functions->texts.at[i];
		last = functions->texts.at[i];
		*number = i + 1;
		if (fit == EXACT)
			return 0;
	}
	if (count < 2)
		return 0;
	return fail_several(wanted, first, last, err);
}
