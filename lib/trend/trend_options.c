/* SPDX-License-Identifier: MIT
 * trend_options: the options of the trend engines. */
#include "trend/trend_options.h"

#include <stdarg.h>
#include <stdio.h>

void
trend_left_out(const struct trend_listener *listener, const char *format, ...)
{
	char text[1000];
	va_list args;

	if (listener->left_out == NULL)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	listener->left_out(listener->context, text);
}
