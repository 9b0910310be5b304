/* SPDX-License-Identifier: MIT
 * typed_windows: a file may have the name of a window: then it is the file. */
#include "program/typed_windows.h"

#include "base/time_math.h"
#include "base/time_text.h"

#include <string.h>
#include <unistd.h>

bool
looks_like_window(const char *text)
{
	return strstr(text, "..") != NULL && access(text, F_OK) != 0;
}

int
bound_parse(const char *text, const struct sample_choice *choice, int64_t last, int64_t *bound, struct stk_error *err)
{
	if (time_parse(text, last, sample_choice_typing_zone(choice), bound, err) < 0)
		return -1;
	*bound = time_clamp(*bound);
	return 0;
}

int
window_parse(const char *text, const struct sample_choice *choice, int64_t last, struct tree_interval *window,
	     struct stk_error *err)
{
	struct time_window parsed;

	if (time_window_parse(text, last, sample_choice_typing_zone(choice), &parsed, err) < 0)
		return -1;
	*window = (struct tree_interval){ parsed.from_ns, parsed.to_ns };
	return 0;
}
