/* SPDX-License-Identifier: MIT
 * definitions: what a stream defines, for programs that have only the public headers. */
#include "stkpipe/definitions.h"

#include "base/memory.h"
#include "model/model.h"

#include <stdlib.h>

struct stk_definitions { struct model *model; };

struct stk_definitions *
stk_definitions_open(void)
{
	struct stk_definitions *definitions = mem_new(1, sizeof *definitions);

	(void)model_open(&definitions->model);
	return definitions;
}

void
stk_definitions_close(struct stk_definitions *definitions)
{
	if (definitions == NULL)
		return;
	model_close(definitions->model);
	free(definitions);
}

int
stk_definitions_take(struct stk_definitions *definitions, struct stk_reader *reader, const struct stk_block *block,
		     struct stk_error *err)
{
	return model_take(definitions->model, reader, block, err);
}

bool
stk_definitions_know(const struct stk_definitions *definitions, enum stk_kind kind, uint64_t id)
{
	return model_knows(definitions->model, kind, id);
}

struct stk_text
stk_definitions_string(const struct stk_definitions *definitions, uint64_t id)
{
	return model_string(definitions->model, id);
}

struct stk_frame
stk_definitions_frame(const struct stk_definitions *definitions, uint64_t id)
{
	return model_frame(definitions->model, id);
}

struct stk_stack
stk_definitions_stack(const struct stk_definitions *definitions, uint64_t id)
{
	return model_stack(definitions->model, id);
}

struct stk_source
stk_definitions_source(const struct stk_definitions *definitions, uint64_t id)
{
	return model_source(definitions->model, id);
}

struct stk_thread
stk_definitions_thread(const struct stk_definitions *definitions, uint64_t id)
{
	return model_thread(definitions->model, id);
}

struct stk_dump
stk_definitions_dump(const struct stk_definitions *definitions, uint64_t id)
{
	return model_dump(definitions->model, id);
}

uint32_t
stk_definitions_frames(const struct stk_definitions *definitions, uint64_t stack, uint32_t *frames, uint32_t room)
{
	return model_stack_frames(definitions->model, stack, frames, room);
}

size_t
stk_definitions_frame_text(const struct stk_definitions *definitions, uint64_t frame, char *to, size_t room)
{
	return model_frame_text(definitions->model, frame, to, room);
}
