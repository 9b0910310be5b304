/* SPDX-License-Identifier: MIT
 * when_text: what is counted at all is never blank. */
#include "report/when_text.h"

#include <math.h>
#include <strings.h>

#define STEPS 8

void
when_text_add(struct text_buffer *to, const float *counts, unsigned parts, bool blocks)
{
	static const char letters[] = " .:-=+*#@";
	float most = 0;

	for (unsigned i = 0; i < parts; i++)
		most = counts[i] > most ? counts[i] : most;
	for (unsigned i = 0; i < parts; i++) {
		long step = counts[i] > 0 ? lroundf(STEPS * counts[i] / most) : 0;

		if (counts[i] > 0 && step < 1)
			step = 1;
		if (step == 0 || !blocks)
			add_char(to, letters[step]);
		else
			add_format(to, "\xE2\x96%c", (char)(0x80 + step));	/* U+2581 to U+2588 */
	}
}

bool
locale_is_utf8(const char *name)
{
	for (; name != NULL && *name != '\0'; name++)
		if (strncasecmp(name, "utf-8", 5) == 0 || strncasecmp(name, "utf8", 4) == 0)
			return true;
	return false;
}
