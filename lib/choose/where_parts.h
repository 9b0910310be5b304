/* SPDX-License-Identifier: MIT
 * where_parts: what a condition consists of. Only for where.c and where_blocks.c. */
#ifndef CHOOSE_WHERE_PARTS_H
#define CHOOSE_WHERE_PARTS_H

#include "choose/where.h"

#include "base/array.h"
#include "base/expression.h"
#include "base/id_table.h"

enum what {
	WHERE_AND,
	WHERE_OR,
	WHERE_NOT,
	WHERE_PROCESS,
	WHERE_THREAD,
	WHERE_POOL,
	WHERE_SOURCE,
	WHERE_STATE,
	WHERE_EVENT,
	WHERE_FUNCTION,
	WHERE_GROUP,
	WHERE_TIME,
	WHERE_PROCESSOR
};
enum how { HOW_IS, HOW_IS_NOT, HOW_LIKE, HOW_UNDER, HOW_IN };

struct condition {
	enum what what;
	enum how how;
	struct condition *left, *right;
	char *text;			/* the pattern */
	struct expression expression;	/* of HOW_LIKE */
	int64_t from_ns, to_ns;
	struct id_table known;		/* by thread, string or stack: 1 no, 2 yes */
};

struct where {
	struct condition *root;
	where_group_function *groups;
	void *groups_context;
	bool asks_groups;
	const struct model *known_of;	/* whose ids are in `known` of conditions */
	ARRAY(char) line;
};

/* Before the first question about ids of a model: what is known of another one's is forgotten. */
void where_turn_to(struct where *where, const struct model *model);
bool condition_holds(struct where *w, struct condition *c, const struct model *model, const struct where_sample *s);

#endif
