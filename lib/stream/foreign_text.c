/* SPDX-License-Identifier: MIT
 * foreign_text: the message for an input that should be a record stream and is text. */
#include "stream/foreign_text.h"

#include <stdbool.h>
#include <string.h>

static bool
begins_with(const unsigned char *from, size_t size, const char *with)
{
	return size >= strlen(with) && memcmp(from, with, strlen(with)) == 0;
}

static bool
has(const unsigned char *from, size_t size, const char *what)
{
	return memmem(from, size, what, strlen(what)) != NULL;
}

/* No control characters except those that end lines. */
static bool
is_text(const unsigned char *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((from[i] < ' ' && memchr("\t\n\r\f\033", from[i], 5) == NULL) || from[i] == 0x7f)
			return false;
	return size > 0;
}

/* The beginnings of stkcat's output formats; stkcap reads its dumps and folded stacks. */
static bool
is_of_stkcat(const unsigned char *from, size_t size)
{
	return begins_with(from, size, "{\"kind\":\"") || begins_with(from, size, "# kind ") ||
	       has(from, size, "\n\nSources\n  source ");
}

const char *
foreign_text(const unsigned char *from, size_t size)
{
	if (!is_text(from, size))
		return NULL;
	return is_of_stkcat(from, size) ? "this is text from stkcat, not records: use stkcat -f stream" :
					  "this is text, not records: read it with stkcap, as in stkcap FILE | stkcat";
}
