/* SPDX-License-Identifier: MIT
 * lock_lines: walks the two chains, whose ends are nearest the leaf, as the text is. A parent that is not below its
 * child is damage, and ends a walk. */
#include "model/lock_lines.h"

void
lock_lines_load(struct lock_lines *lines, const struct model *model, uint64_t locks, uint64_t objects)
{
	uint64_t parent;

	lines->count = lines->addresses.count = 0;
	lines->lost_lines = lines->lost_addresses = false;
	for (uint64_t at = locks; at != 0; at = parent < at ? parent : 0) {
		struct stk_locks line = model_locks(model, at);

		if (!model_knows(model, STK_LOCKS, at)) {
			lines->lost_lines = true;
			break;
		}
		*array_push(lines) = (struct lock_line){ line.depth, line.relation, line.class, 0, false };
		parent = line.parent;
	}
	for (uint64_t at = objects; at != 0; at = parent < at ? parent : 0) {
		struct stk_objects object = model_objects(model, at);

		if (!model_knows(model, STK_OBJECTS, at)) {
			lines->lost_addresses = true;
			break;
		}
		*array_push(&lines->addresses) = object.address;
		parent = object.parent;
	}
	for (size_t i = 0; i < lines->count && i < lines->addresses.count; i++) {
		lines->at[i].address = lines->addresses.at[i];
		lines->at[i].has_address = true;
	}
}

void
lock_lines_release(struct lock_lines *lines)
{
	array_release(lines);
	array_release(&lines->addresses);
}
