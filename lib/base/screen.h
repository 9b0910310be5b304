/* SPDX-License-Identifier: MIT
 * screen: what a text for people is set for: how wide a line may be, and whether it may have colours. */
#ifndef BASE_SCREEN_H
#define BASE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#define SCREEN_WIDTH_USUAL 100	/* where nobody knows */
#define SCREEN_WIDTH_LEAST 40
#define SCREEN_WIDTH_MOST  10000

struct screen {
	size_t width;	/* in characters */
	bool colours;
	bool blocks;	/* shows the blocks of Unicode, not only ASCII */
};

/* The columns of the terminal that fd is: 0 when it is not one, or does not know. */
size_t screen_columns(int fd);
/* What COLUMNS says; 0 when it is NULL or not a number from 1 to SCREEN_WIDTH_MOST. */
size_t screen_columns_said(const char *text);

#endif
