/* SPDX-License-Identifier: MIT
 * version: the one object that is compiled again when the commit changes. */
#include "stkpipe/version.h"

#ifndef BUILT_OF
#define BUILT_OF STK_VERSION
#endif

const char *
stk_version(void)
{
	return BUILT_OF;
}
