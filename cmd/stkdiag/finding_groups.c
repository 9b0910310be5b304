/* SPDX-License-Identifier: MIT
 * finding_groups: by rule, process and subject. */
#include "finding_groups.h"

#include "base/text_table.h"

/* What tells groups from each other, with the subjects as numbers. */
struct group_maker {
	struct finding_groups *groups;
	const struct diag_findings *findings;
	struct text_table subjects;
	struct hash_map by_subject;	/* numbers of groups, from 1 */
};

static bool
are_alike(const struct finding *a, const struct finding *b)
{
	return a->rule == b->rule && a->process == b->process && text_compare(a->subject, b->subject) == 0;
}

/* NULL: there is none yet, and it would have this hash. */
static struct finding_group *
group_of(struct group_maker *maker, const struct finding *finding, uint64_t *hash)
{
	uint32_t at, number;

	*hash = hash_pair(hash_pair(finding->rule, finding->process),
			  text_table_number(&maker->subjects, finding->subject));
	at = hash_map_start(&maker->by_subject, *hash);
	while ((number = hash_map_next(&maker->by_subject, *hash, &at)) != 0) {
		struct finding_group *group = &maker->groups->list.at[number - 1];

		if (are_alike(&maker->findings->list.at[group->first], finding))
			return group;
	}
	return NULL;
}

static void
add(struct group_maker *maker, size_t f)
{
	struct finding_groups *groups = maker->groups;
	uint64_t hash;
	struct finding_group *group = group_of(maker, &maker->findings->list.at[f], &hash);

	*array_push(&groups->next) = 0;
	if (group == NULL) {
		*array_push(&groups->list) = (struct finding_group){ .first = f, .last = f, .count = 1 };
		hash_map_put(&maker->by_subject, hash, (uint32_t)groups->list.count);
		return;
	}
	groups->next.at[group->last] = f;
	group->last = f;
	group->count++;
}

void
finding_groups_make(struct finding_groups *groups, const struct diag_findings *findings)
{
	struct group_maker maker = { .groups = groups, .findings = findings };

	for (size_t f = 0; f < findings->list.count; f++)
		add(&maker, f);
	hash_map_release(&maker.by_subject);
	text_table_release(&maker.subjects);
}

void
finding_groups_release(struct finding_groups *groups)
{
	array_release(&groups->list);
	array_release(&groups->next);
}
