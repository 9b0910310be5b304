/* SPDX-License-Identifier: MIT
 * probe_writer: words of 64 or 128 bits, and what they are called. */
#include "probe/probe_writer.h"

#include "base/bytes.h"

static bool
is_wide(const struct probe_writer *w)
{
	return w->probed->words != NULL && w->probed->words->keeping == KEEP_SHIFT128;
}

const char *
probe_word(const struct probe_writer *w)
{
	return is_wide(w) ? "i128" : "i64";
}

const char *
probe_word_pointer(const struct probe_writer *w)
{
	if (w->module->opaque)
		return "ptr";
	return is_wide(w) ? "i128*" : "i64*";
}

/* Decimal digits of a word. */
void
probe_put_word(struct ir_buffer *to, path_word value)
{
	char digits[40];
	size_t at = sizeof digits;

	do {
		digits[--at] = (char)('0' + (int)(value % 10));
		value /= 10;
	} while (value > 0);
	ir_put_text(to, text_of(digits + at, sizeof digits - at));
}
