/* SPDX-License-Identifier: MIT
 * remarks: what a reader or writer of a text file reports of a line that it does not take as it is. It goes on all the
 * same. */
#ifndef GROUP_REMARKS_H
#define GROUP_REMARKS_H

#include "stkpipe/error.h"
#include "stkpipe/rows.h"

enum remark_weight {
	REMARK_FACT,		/* something became something else; nothing is wrong */
	REMARK_FAULT		/* something is left out */
};

/* Who hears of it. The texts are valid during the call. */
struct remarks {
	void (*hear)(void *context, enum remark_weight weight, struct stk_text file, unsigned long line,
		     const char *text);
	void *context;
};

/* Gives a remark of up to 1,000 bytes to who hears; longer ones are cut. to may be NULL, and so may its function:
 * nobody hears. */
void remark(const struct remarks *to, enum remark_weight weight, struct stk_text file, unsigned long line,
	    const char *format, ...)
	STK_PRINTF(5, 6);

#endif
