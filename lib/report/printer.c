/* SPDX-License-Identifier: MIT
 * printer: gathers text into writes of a good size. Colours are kept beside the text until it is masked, so that no
 * other byte that steers a terminal ever gets by. */
#include "report/printer.h"

#include "base/terminal_text.h"

#include <stdarg.h>
#include <stdio.h>

#define PRINTER_BYTES (1u << 16)
#define PAINT_END "\033[m"

static const char *const paint_codes[PAINT_COUNT] = {
	[PAINT_NONE] = "", [PAINT_HEAD] = "\033[1m",  [PAINT_FAINT] = "\033[2m",
	[PAINT_HOT] = "\033[31m", [PAINT_WARM] = "\033[33m", [PAINT_COLD] = "\033[32m",
};

void
printer_paint(struct printer *printer, size_t from, enum paint paint)
{
	if (printer->screen.colours && paint != PAINT_NONE && from < printer->text.count)
		*array_push(&printer->painted) = (struct painted){ from, printer->text.count, paint };
}

void
printer_title(struct printer *printer, const char *title)
{
	size_t from;

	if (printer->text.count > 0)
		add_char(&printer->text, '\n');
	from = printer->text.count;
	add_string(&printer->text, title);
	printer_paint(printer, from, PAINT_HEAD);
	add_char(&printer->text, '\n');
}

void
printer_prose(struct printer *printer, unsigned indent, struct stk_text text)
{
	struct text_buffer *to = &printer->text;
	size_t width = printer->screen.width > 0 ? printer->screen.width : SCREEN_WIDTH_USUAL, column = 0;

	while (text.size > 0) {
		struct stk_text word = text_take(&text, ' ');
		size_t size = text_characters(word);

		if (column > indent && column + 1 + size > width) {
			add_char(to, '\n');
			column = 0;
		}
		for (unsigned blanks = column == 0 ? indent : 1; blanks > 0; blanks--)
			add_char(to, ' ');
		add_masked(to, word);
		column += (column == 0 ? indent : 1) + size;
	}
	add_char(to, '\n');
}

void
printer_remark(struct printer *printer, const char *format, ...)
{
	size_t from = printer->text.count;
	char text[500];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	printer_prose(printer, 2, text_from(text));
	printer_paint(printer, from, PAINT_FAINT);
}

/* A piece of the text as it goes out: a file and a pipe get the bytes as they are. */
static void
add_piece(const struct printer *printer, struct text_buffer *to, size_t from, size_t end)
{
	size_t at = to->count;

	add_bytes(to, printer->text.at + from, end - from);
	if (output_is_terminal(printer->output))
		to->count = at + mask_text(to->at + at, to->count - at, "\t\n");
}

static int
write_painted(struct printer *printer, struct stk_error *err)
{
	struct text_buffer out = { 0 };
	size_t at = 0;
	int result;

	for (size_t i = 0; i < printer->painted.count; i++) {
		struct painted part = printer->painted.at[i];

		add_piece(printer, &out, at, part.from);
		add_string(&out, paint_codes[part.paint]);
		add_piece(printer, &out, part.from, part.to);
		add_string(&out, PAINT_END);
		at = part.to;
	}
	add_piece(printer, &out, at, printer->text.count);
	result = output_write(printer->output, out.at, out.count, err);
	array_release(&out);
	return result;
}

int
printer_settle(struct printer *printer, bool now, struct stk_error *err)
{
	size_t size = printer->text.count;
	int result;

	if (size == 0 || (size < PRINTER_BYTES && !now))
		return 0;
	if (printer->painted.count > 0) {
		result = write_painted(printer, err);
	} else {
		if (output_is_terminal(printer->output))
			size = mask_text(printer->text.at, size, "\t\n");
		result = output_write(printer->output, printer->text.at, size, err);
	}
	printer->text.count = printer->painted.count = 0;
	return result;
}

void
printer_release(struct printer *printer)
{
	array_release(&printer->text);
	array_release(&printer->painted);
}
