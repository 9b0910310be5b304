/* SPDX-License-Identifier: MIT
 * remarks: formats remarks for their listener. */
#include "group/remarks.h"

#include <stdarg.h>
#include <stdio.h>

void
remark(const struct remarks *to, enum remark_weight weight, struct stk_text file, unsigned long line,
       const char *format, ...)
{
	char text[1001];
	va_list args;

	if (to == NULL || to->hear == NULL)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	to->hear(to->context, weight, file, line, text);
}
