/* SPDX-License-Identifier: MIT
 * function_lists: the functions of frames by the numbers of their names: nearly always one, several where functions
 * were inlined. */
#ifndef TIMETREE_FUNCTION_LISTS_H
#define TIMETREE_FUNCTION_LISTS_H

#include "timetree/recording_parts.h"

#define SEVERAL_FUNCTIONS (UINT32_C(1) << 31)	/* an index of lists, not a name */

struct function_lists {
	struct text_table *names;
	struct id_table several;	/* since the last turn, by frame: an index of lists, and 1 */
	ARRAY(uint32_t) lists;		/* how many names, then these */
};

struct name_list { const uint32_t *names; uint32_t count; };

/* Names are those of the table, which is borrowed. */
void function_lists_open(struct function_lists *lists, struct text_table *names);
void function_lists_release(struct function_lists *lists);
/* Frames of another part follow, or of other processes; what was returned stays valid. */
void function_lists_turn(struct function_lists *lists);

/* A name, or an index of lists: of the names in a text with ';' between, and of a frame. */
uint32_t function_lists_text(struct function_lists *lists, struct stk_text names);
uint32_t function_lists_frame(struct function_lists *lists, struct part *part, uint32_t frame, bool java);

/* What is valid as long as `functions` and until the next text or frame. */
static inline struct name_list
function_lists_names(const struct function_lists *lists, const uint32_t *functions)
{
	const uint32_t *list = lists->lists.at + (*functions & ~SEVERAL_FUNCTIONS);

	return *functions & SEVERAL_FUNCTIONS ? (struct name_list){ list + 1, *list }
					      : (struct name_list){ functions, 1 };
}

#endif
