/* SPDX-License-Identifier: MIT
 * remarks: what a reader or writer of a text file reports of a line that it changes or skips. It continues in any
 * case. */
#ifndef GROUP_REMARKS_H
#define GROUP_REMARKS_H

#include "stkpipe/error.h"
#include "stkpipe/rows.h"

enum remark_weight {
	REMARK_FACT,		/* something was changed; nothing is wrong */
	REMARK_FAULT		/* something was left out */
};

/* The listener. The texts are valid during the call. */
struct remarks {
	void (*hear)(void *context, enum remark_weight weight, struct stk_text file, unsigned long line,
		     const char *text);
	void *context;
};

/* Passes a remark of up to 1,000 bytes to the listener; longer ones are truncated. to and its function may be NULL:
 * then nobody is notified. */
void remark(const struct remarks *to, enum remark_weight weight, struct stk_text file, unsigned long line,
	    const char *format, ...)
	STK_PRINTF(5, 6);

#endif
