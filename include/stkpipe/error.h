/* SPDX-License-Identifier: MIT
 * error: why a call failed, carried by the call itself. The library never prints, exits, or keeps an error in a global. */
#ifndef STKPIPE_ERROR_H
#define STKPIPE_ERROR_H

#if defined(__GNUC__)
#define STK_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define STK_MUST_CHECK __attribute__((warn_unused_result))
#else
#define STK_PRINTF(text, first)
#define STK_MUST_CHECK
#endif

enum stk_code {
	STK_EOK = 0,
	STK_EDATA,		/* the input is not what it should be; what was good is kept */
	STK_ESYSTEM,		/* the system refused: a file, memory, a thread */
	STK_EUSAGE		/* the caller asked for something that cannot be */
};

struct stk_error {
	enum stk_code code;
	char text[400];		/* one line, without a full stop or a newline */
};

/* Fills *err, unless an earlier failure is there already: the first one explains the others. Always -1, so that a check is one line. */
int stk_fail(struct stk_error *err, enum stk_code code, const char *format, ...) STK_PRINTF(3, 4);

/* The same, followed by ": " and what errno says. */
int stk_fail_errno(struct stk_error *err, const char *format, ...) STK_PRINTF(2, 3);

/* Makes *err ready for the next call. */
void stk_error_clear(struct stk_error *err);

#endif
