/* SPDX-License-Identifier: MIT
 * sample_event: one column of one block is decoded. */
#include "timetree/sample_event.h"

#include "choose/selection.h"
#include "model/sample_columns.h"

#include <stdio.h>

int
sample_event_first(struct stream_file *file, unsigned stream, const struct model *model, char event[TREE_TEXT_MAX],
		   struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, stream, STK_SAMPLE, &count);

	*event = '\0';
	for (size_t b = 0; b < count && *event == '\0'; b++) {
		struct sample_columns c;
		struct stk_block block;
		struct stk_text name;
		int got = stream_file_go(file, stream, &blocks[b], &block, err);

		if (got > 0 && block.rows > 0 &&
		    sample_columns_load(&c, SAMPLE_EVENT, NULL, stream_file_reader(file), &block, err) == 0) {
			name = model_string(model, sample_value(&c.event, 0));
			(void)snprintf(event, TREE_TEXT_MAX, "%.*s", (int)name.size, name.data);
			if (name.size == 0)
				(void)snprintf(event, TREE_TEXT_MAX, "%s", EVENT_NONE);
		} else if (got < 0 || (err->code != 0 && err->code != STK_EDATA)) {
			return -1;
		}
		stk_error_clear(err);		/* damage was reported */
	}
	return 0;
}
