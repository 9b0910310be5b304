/* SPDX-License-Identifier: MIT
 * draw_rows: stkplot rows: rows of a table, such as results of measurements. The input is text, not a record stream. */
#include "stkplot.h"

#include "picture_title.h"

#include "base/output.h"
#include "base/whole_file.h"
#include "plot/row_chart_svg.h"
#include "program/program.h"

#define ROWS_BYTES_MOST (16u << 20)
#define ROWS_WIDTH	1200u
#define ROWS_WIDTH_LEAST 300

static int
draw(struct text_buffer *to, const struct plot_settings *settings, const char *path, struct stk_error *err)
{
	unsigned width = program_common.width > 0 ? (unsigned)program_common.width : ROWS_WIDTH;
	struct text_buffer text = { 0 };
	struct row_chart chart = { 0 };
	struct stk_error why = { 0 };
	int result = whole_file_read(&text, path, ROWS_BYTES_MOST, err);

	if (result == 0 && (result = row_chart_read(&chart, text_in(&text, 0), &why)) < 0)
		(void)!stk_fail(err, why.code, "%s: %s", input_name(path), why.text);
	if (result == 0)
		row_chart_svg_add(to, &chart, text_from(settings->title != NULL ? settings->title : input_name(path)),
				  width, (enum palette)settings->palette);
	row_chart_release(&chart);
	array_release(&text);
	return result;
}

int
draw_rows(const struct plot_settings *settings, char **operands, int count)
{
	struct output *output = NULL;
	struct stk_error err = { 0 }, late = { 0 };
	struct text_buffer picture = { 0 };
	int result;

	if (count > 1)
		program_usage("rows: expected one FILE");
	if (program_common.width > 0 && program_common.width < ROWS_WIDTH_LEAST)
		program_usage("--width: expected at least %d for a picture", ROWS_WIDTH_LEAST);
	program_need_input(count);
	result = draw(&picture, settings, count > 0 ? operands[0] : "-", &err);
	if (result == 0)
		result = output_open(&output, program_common.output, &err);
	if (result == 0)
		result = output_write(output, picture.at, picture.count, &err);
	if (output_close(output, result == 0, &late) < 0 && result == 0)
		err = late;
	program_say_error(&err);
	array_release(&picture);
	return program_end();
}
