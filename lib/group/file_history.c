/* SPDX-License-Identifier: MIT
 * file_history: the changes of a file by a team are one entry, found by path and team. */
#include "group/file_history.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/hash_map.h"
#include "base/memory.h"
#include "base/text_table.h"

#include <stdlib.h>
#include <string.h>

struct change { uint32_t path, team, count, last; };	/* last: the younger the smaller */

struct file_history {
	struct text_table paths, teams;
	struct hash_map map;
	ARRAY(struct change) changes;
	uint32_t team, commits;		/* of the present commit; read so far */
};

void
file_history_open(struct file_history **out)
{
	*out = mem_new(1, sizeof **out);
}

void
file_history_close(struct file_history *h)
{
	if (h == NULL)
		return;
	text_table_release(&h->paths);
	text_table_release(&h->teams);
	hash_map_release(&h->map);
	array_release(&h->changes);
	free(h);
}

static void
note_change(struct file_history *h, struct stk_text path)
{
	uint32_t number = text_table_number(&h->paths, path), at, known;
	uint64_t hash = hash_pair(number, h->team);

	at = hash_map_start(&h->map, hash);
	while ((known = hash_map_next(&h->map, hash, &at)) != 0) {
		struct change *change = &h->changes.at[known - 1];

		if (change->path == number && change->team == h->team) {
			change->count++;
			return;
		}
	}
	*array_push(&h->changes) = (struct change){ number, h->team, 1, h->commits };
	hash_map_put(&h->map, hash, (uint32_t)h->changes.count);
}

void
file_history_line(struct file_history *h, struct stk_text line)
{
	const char *sign;

	if (line.size == 0)
		return;
	if (line.data[0] != '\1') {
		if (h->team != 0)
			note_change(h, line);
		return;
	}
	line = text_of(line.data + 1, line.size - 1);
	sign = memchr(line.data, '@', line.size);
	if (sign != NULL)
		line = text_of(sign + 1, (size_t)(line.data + line.size - sign - 1));
	h->team = text_table_number(&h->teams, line);
	h->commits++;
}

static bool
is_end_of_path(struct stk_text end, struct stk_text path)
{
	size_t before = path.size - end.size;

	if (path.size < end.size || memcmp(path.data + before, end.data, end.size) != 0)
		return false;
	return before == 0 || path.data[before - 1] == '/';
}

struct stk_text
file_history_team(const struct file_history *h, struct stk_text path)
{
	const struct change *best = NULL;

	for (size_t i = 0; i < h->changes.count; i++) {
		const struct change *c = &h->changes.at[i];

		if (!is_end_of_path(path, text_table_text(&h->paths, c->path)))
			continue;
		if (best == NULL || c->count > best->count || (c->count == best->count && c->last < best->last))
			best = c;
	}
	return best == NULL ? text_of("", 0) : text_table_text(&h->teams, best->team);
}
