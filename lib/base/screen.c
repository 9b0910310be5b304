/* SPDX-License-Identifier: MIT
 * screen: asks the terminal. */
#include "base/screen.h"

#include "base/quantities.h"

#include <sys/ioctl.h>

size_t
screen_columns(int fd)
{
	struct winsize size = { 0 };

	return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

size_t
screen_columns_said(const char *text)
{
	struct stk_error unused = { 0 };
	int64_t columns = 0;

	if (text == NULL || number_parse(text, &columns, &unused) < 0 || columns > SCREEN_WIDTH_MOST)
		return 0;
	return (size_t)columns;
}
