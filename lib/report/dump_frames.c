/* SPDX-License-Identifier: MIT
 * dump_frames: frames of Java have their places in parentheses; those of others are written as .NET writes places, and
 * in samples as perf script does with -F +srcline. */
#include "report/dump_frames.h"

#define NO_FILE "??"		/* as addr2line has it, and stkcap knows it */

static bool
has(struct stk_text text, const char *word)
{
	return text.size > 0 && memmem(text.data, text.size, word, strlen(word)) != NULL;
}

void
add_line_text(struct text_buffer *to, struct stk_text text)
{
	for (size_t i = 0; i < text.size; i++)
		add_char(to, text.data[i] == '\n' ? ' ' : text.data[i]);
}

static void
add_module(struct text_buffer *to, struct stk_text module)
{
	if (module.size == 0)
		return;
	add_string(to, " (");
	add_line_text(to, module);
	add_char(to, ')');
}

/* All but the file and line of what is not of Java. */
static void
add_names(struct text_buffer *to, const struct model *model, uint32_t id)
{
	struct stk_frame frame = model_frame(model, id);
	size_t size = model_frame_text(model, id, NULL, 0);

	array_reserve(to, size);
	model_frame_text(model, id, to->at + to->count, size);
	to->count += size;
	if (frame.form == STK_FORM_PLAIN)
		add_module(to, model_string(model, frame.module));
}

static int64_t
known_line(const struct stk_frame *frame)
{
	return frame->line > 0 ? frame->line : 0;
}

/* "step (/opt/a.so) in /src/a.c:line 12". A name that ends as a frame of Java does is one with a place, too. */
void
add_dump_frame(struct text_buffer *to, const struct model *model, uint32_t id)
{
	struct stk_frame frame = model_frame(model, id);
	struct stk_text file = model_string(model, frame.file);
	bool unlike = frame.form == STK_FORM_PLAIN && frame.module == 0 &&
		      text_ends(model_string(model, frame.function), ")");

	add_names(to, model, id);
	if (has(file, "\n") || has(file, " in "))
		file = text_of("", 0);
	if (frame.form == STK_FORM_JAVA || (file.size == 0 && known_line(&frame) == 0 && !unlike))
		return;
	add_string(to, " in ");
	add_text(to, file.size > 0 ? file : text_from(NO_FILE));
	add_string(to, ":line ");
	add_signed(to, known_line(&frame));
}

/* Whether "  FILE:12" is a line of its own that is no frame. */
static bool
is_source_file(struct stk_text file)
{
	size_t digits = 0;

	while (digits < file.size && file.data[digits] != '\0' &&
	       strchr("0123456789abcdefABCDEF", file.data[digits]) != NULL)
		digits++;
	return file.size > 0 && !has(file, "\n") && *file.data != ' ' && *file.data != '\t' &&
	       !(digits > 0 && digits < file.size && (file.data[digits] == ' ' || file.data[digits] == '\t'));
}

void
add_recorded_frame(struct text_buffer *to, const struct model *model, uint32_t id)
{
	struct stk_frame frame = model_frame(model, id);
	struct stk_text file = model_string(model, frame.file);
	bool known = is_source_file(file);

	if (frame.form == STK_FORM_JAVA) {		/* a symbol like others */
		add_line_text(to, model_string(model, frame.function));
		add_module(to, model_string(model, frame.module));
	} else {
		add_names(to, model, id);
	}
	if (!known && known_line(&frame) == 0)
		return;
	add_string(to, "\n  ");
	add_text(to, known ? file : text_from(NO_FILE));
	add_char(to, ':');
	add_signed(to, known_line(&frame));
}
