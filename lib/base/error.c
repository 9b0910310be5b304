/* SPDX-License-Identifier: MIT
 * error: fills in why a call failed; see stkpipe/error.h. */
#include "stkpipe/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Writes the message unless there is one already. Returns how much of text is used, or 0 when nothing was written. */
static size_t
fill(struct stk_error *err, enum stk_code code, const char *format, va_list args)
{
	int length;

	if (err == NULL || err->code != STK_EOK)
		return 0;
	err->code = code;
	length = vsnprintf(err->text, sizeof err->text, format, args);
	if (length < 0) {
		length = 0;
		err->text[0] = '\0';
	}
	return (size_t)length < sizeof err->text ? (size_t)length : sizeof err->text - 1;
}

int
stk_fail(struct stk_error *err, enum stk_code code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)fill(err, code, format, args);
	va_end(args);
	return -1;
}

int
stk_fail_errno(struct stk_error *err, const char *format, ...)
{
	int why = errno;		/* formatting may change it */
	size_t used;
	va_list args;

	va_start(args, format);
	used = fill(err, STK_ESYSTEM, format, args);
	va_end(args);
	if (used != 0)
		snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(why));
	errno = why;
	return -1;
}

void
stk_error_clear(struct stk_error *err)
{
	err->code = STK_EOK;
	err->text[0] = '\0';
}
