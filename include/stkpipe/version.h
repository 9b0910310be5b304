/* SPDX-License-Identifier: MIT
 * version: of these headers, for the compiler, and of the library that a program runs with. */
#ifndef STKPIPE_VERSION_H
#define STKPIPE_VERSION_H

#include "stkpipe/error.h"

#define STK_VERSION_MAJOR 0
#define STK_VERSION_MINOR 1
#define STK_VERSION_PATCH 0
#define STK_VERSION "0.1.0"

/* For `#if STK_VERSION_NUMBER >= 100`: major * 10000 + minor * 100 + patch. */
#define STK_VERSION_NUMBER (STK_VERSION_MAJOR * 10000 + STK_VERSION_MINOR * 100 + STK_VERSION_PATCH)

/* The number in libstkpipe.so.0: it goes up when a program that was compiled before would not run with this
 * library. */
#define STK_ABI 0

STK_DECLARATIONS_BEGIN

/* The version of the library, with the commit it was built from where that is known: "0.1.0", "v0.1.0-12-gabcdef0". It
 * does not begin with STK_VERSION when the program was compiled with headers of another version. A constant, never
 * NULL, not to be freed; any thread may call this. */
const char *stk_version(void);

STK_DECLARATIONS_END

#endif
