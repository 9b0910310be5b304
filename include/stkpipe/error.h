/* SPDX-License-Identifier: MIT
 * error: why a call failed, carried by the call itself. The library never prints, exits, or keeps an error in a
 * global.
 *
 * A call that can fail returns -1 and takes a struct stk_error last, which the caller owns and clears before its
 * first use; any thread may have its own. */
#ifndef STKPIPE_ERROR_H
#define STKPIPE_ERROR_H

#if defined(__GNUC__)
#define STK_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define STK_MUST_CHECK __attribute__((warn_unused_result))
#else
#define STK_PRINTF(text, first)
#define STK_MUST_CHECK
#endif

/* Around what the public headers declare: C for C++ compilers, and the only symbols that the shared library shows. */
#ifdef __cplusplus
#define STK_LINKAGE_BEGIN extern "C" {
#define STK_LINKAGE_END   }
#else
#define STK_LINKAGE_BEGIN
#define STK_LINKAGE_END
#endif
#if defined(__GNUC__)
#define STK_DECLARATIONS_BEGIN STK_LINKAGE_BEGIN _Pragma("GCC visibility push(default)")
#define STK_DECLARATIONS_END   _Pragma("GCC visibility pop") STK_LINKAGE_END
#else
#define STK_DECLARATIONS_BEGIN STK_LINKAGE_BEGIN
#define STK_DECLARATIONS_END   STK_LINKAGE_END
#endif

STK_DECLARATIONS_BEGIN

enum stk_code {
	STK_EOK = 0,
	/* the input is not what it should be; what was good is kept. Of a block: skip it and continue */
	STK_EDATA,
	STK_ESYSTEM,		/* the system refused: a file, memory, a thread */
	STK_EUSAGE		/* the caller asked for something that cannot be */
};

struct stk_error {
	enum stk_code code;
	char text[400];		/* one line, without a full stop or a newline */
};

/* Fills *err with a code other than STK_EOK and a message formatted as by printf, truncated to the room there is. An
 * earlier failure in *err is kept, because the first one explains the others. err may be NULL: then nothing is kept.
 * Always returns -1, so that a check is one line:
 *	return stk_fail(err, STK_EDATA, "block of %u rows, expected at most %u", rows, most); */
int stk_fail(struct stk_error *err, enum stk_code code, const char *format, ...) STK_PRINTF(3, 4);

/* The same with STK_ESYSTEM; the message is followed by ": " and the text of errno, which is unchanged. Always -1. */
int stk_fail_errno(struct stk_error *err, const char *format, ...) STK_PRINTF(2, 3);

/* Makes *err ready for the next call: as `struct stk_error err = { 0 }` is. */
void stk_error_clear(struct stk_error *err);

STK_DECLARATIONS_END

#endif
