/* SPDX-License-Identifier: MIT
 * generated_file: a scheme is made again at most every second while input comes, and at once when none is there. */
#include "generated_file.h"

#include "base/input.h"
#include "base/output.h"
#include "program/program.h"

#include <time.h>

#define EVERY_MS 1000

static int64_t
now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int
write_file(const struct generated_file *file, struct stk_text text, struct stk_error *err)
{
	struct output *output;
	bool well;

	if (output_open(&output, file->path, err) < 0)
		return -1;
	well = output_write(output, text.data, text.size, err) == 0;
	return output_close(output, well, err) < 0 || !well ? -1 : 0;
}

/* Where the scheme cannot be made or written, the file stays as it was until it can. */
static void
write_again(struct generated_file *file)
{
	struct text_buffer text = { 0 };
	struct stk_error err = { 0 };

	file->due_ms = now_ms() + EVERY_MS;
	file->written = generation_news(file->generation);
	if (generation_print(file->generation, &text, false, &err) < 0 ||
	    (!text_equal(text_in(&text, 0), text_in(&file->text, 0)) &&
	     write_file(file, text_in(&text, 0), &err) < 0)) {
		program_report(file->path, &err);
		array_release(&text);
		return;
	}
	array_release(&file->text);
	file->text = text;
}

static void
look(void *context, const struct input *input)
{
	struct generated_file *file = context;

	if (generation_news(file->generation) == file->written)
		return;
	if (now_ms() >= file->due_ms || !input_ready(input, 0))
		write_again(file);
}

void
generated_file_follow(struct generated_file *file, struct filter *filter)
{
	filter->before_read = filter->while_waiting = look;
	filter->before_read_context = file;
}

void
generated_file_release(struct generated_file *file)
{
	array_release(&file->text);
}
