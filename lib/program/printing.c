/* SPDX-License-Identifier: MIT
 * printing: one answer to how wide a line is and whether it has colours, for all filters. */
#include "program/printing.h"

#include "program/program.h"
#include "report/when_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --width is what is wanted; COLUMNS what somebody set on purpose, since shells do not export it; then the terminal. */
static size_t
choose_width(bool terminal)
{
	size_t width = (size_t)program_common.width;

	if (width == 0)
		width = screen_columns_said(getenv("COLUMNS"));
	if (width == 0 && terminal)
		width = screen_columns(STDOUT_FILENO);
	if (width == 0)
		width = SCREEN_WIDTH_USUAL;
	return width < SCREEN_WIDTH_LEAST ? SCREEN_WIDTH_LEAST : width;
}

static bool
choose_colours(bool terminal)
{
	const char *no = getenv("NO_COLOR"), *kind = getenv("TERM");

	if (program_common.color != COLOR_AUTO)
		return program_common.color == COLOR_ALWAYS;
	return terminal && (no == NULL || *no == '\0') && kind != NULL && strcmp(kind, "dumb") != 0;
}

/* What the reader's terminal most likely shows. */
bool
printing_shows_blocks(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);

		if (value != NULL && *value != '\0')
			return locale_is_utf8(value);
	}
	return false;
}

struct printer
printer_to(struct output *output)
{
	bool terminal = output_is_terminal(output);

	return (struct printer){
		.output = output, .screen = { .width = choose_width(terminal), .colours = choose_colours(terminal),
					      .blocks = printing_shows_blocks() }
	};
}
