/* SPDX-License-Identifier: MIT
 * region_list: all regions, by their entries in the order of the blocks, shortest first; and which of them a plan of
 * psp1 uses. */
#include "region_list.h"

#include "path/regions.h"

void
region_list_head(struct printer *to, bool for_people)
{
	add_string(&to->text, for_people ? "    blocks      paths  used  function: entry > exit\n"
					 : "function\tentry\texit\tblocks\tpaths\tused\n");
}

static bool
is_used(const struct regions *used, const struct region *r)
{
	for (size_t i = 0; i < used->list.count; i++)
		if (used->list.at[i].entry == r->entry && used->list.at[i].exit == r->exit)
			return true;
	return false;
}

static void
add_for_people(struct text_buffer *to, struct stk_text function, const char *entry, const char *exit,
	       const struct region *r, bool used)
{
	add_format(to, "%10u %10llu  %-4s  ", r->size, (unsigned long long)r->paths, used ? "yes" : "no");
	add_masked(to, function);
	add_string(to, ": ");
	add_masked(to, text_from(entry));
	add_string(to, " > ");
	add_masked(to, text_from(exit));
	add_char(to, '\n');
}

static void
add_for_programs(struct text_buffer *to, struct stk_text function, const char *entry, const char *exit,
		 const struct region *r, bool used)
{
	add_escaped(to, function);
	add_char(to, '\t');
	add_escaped(to, text_from(entry));
	add_char(to, '\t');
	add_escaped(to, text_from(exit));
	add_format(to, "\t%u\t%llu\t%s\n", r->size, (unsigned long long)r->paths, used ? "yes" : "no");
}

void
region_list_add(struct printer *to, bool for_people, struct stk_text function, const struct flow_graph *g)
{
	struct regions all = { 0 }, used = { 0 };

	regions_find(&all, g);
	regions_find(&used, g);		/* choosing drops the others */
	regions_choose(&used, g);
	for (size_t i = 0; i < all.list.count; i++) {
		const struct region *r = &all.list.at[i];

		(for_people ? add_for_people : add_for_programs)(&to->text, function, g->blocks.at[r->entry].name,
								 g->blocks.at[r->exit].name, r, is_used(&used, r));
	}
	regions_release(&all);
	regions_release(&used);
}
