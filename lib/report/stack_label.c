/* SPDX-License-Identifier: MIT
 * stack_label: stacks as lines of a table. What a reader looks for is the leaf and who of the program called it. */
#include "report/summary.h"

#include "report/short_name.h"

#define CALLERS_MAX 100		/* of a stack; many, so that what is cut tells stacks apart that begin alike */

/* How short the names are. */
enum { WHOLE_LEAF, SHORT, INNER, BARE_LEAF };

/* The first caller that does not belong to the platform; the next one where there is none, or it is near. */
static uint32_t
first_own_caller(const struct summary *s, uint32_t leaf)
{
	uint32_t next = s->nodes.sums.at[leaf - 1].a, node = next;

	while (node != 0 && is_platform(text_table_text(&s->names, s->nodes.sums.at[node - 1].b)))
		node = s->nodes.sums.at[node - 1].a;
	return node == 0 || node == next || s->nodes.sums.at[next - 1].a == node ? next : node;
}

/* "PaymentGateway.charge" of "OrderService$PaymentGateway.charge". */
static struct stk_text
inner_name(struct stk_text name)
{
	const char *dot, *dollar;

	name = short_name(name);
	dot = name.size == 0 ? NULL : memrchr(name.data, '.', name.size);
	dollar = dot == NULL ? NULL : memrchr(name.data, '$', (size_t)(dot - name.data));
	if (dollar == NULL || dollar + 1 == dot)
		return name;
	return text_of(dollar + 1, name.size - (size_t)(dollar + 1 - name.data));
}

/* "read0" of "SocketDispatcher.read0". */
static struct stk_text
bare_name(struct stk_text name)
{
	size_t from;

	name = inner_name(name);
	from = is_class_name(name) && memchr(name.data, '.', name.size) != NULL
		       ? (size_t)((const char *)memrchr(name.data, '.', name.size) - name.data) + 1
		       : 0;
	return from == name.size ? name : text_of(name.data + from, name.size - from);
}

static struct stk_text
label_name(struct stk_text name, bool leaf, int shortness)
{
	return leaf && shortness == WHOLE_LEAF  ? name
	       : leaf && shortness == BARE_LEAF ? bare_name(name)
	       : shortness >= INNER             ? inner_name(name)
						: short_name(name);
}

static void
add_name(struct text_buffer *to, struct stk_text name)
{
	while (name.size > 1 && name.data[name.size - 1] == ' ')
		name.size--;
	add_text(to, name);
}

/* The leaf and so many callers. Whether there are more. */
static bool
add_label(struct text_buffer *to, const struct summary *s, uint32_t node, int shortness, unsigned callers)
{
	for (unsigned n = 0; node != 0 && n <= callers; n++) {
		const struct pair_sum *at = &s->nodes.sums.at[node - 1];
		uint32_t next = n == 0 ? first_own_caller(s, node) : at->a;

		add_string(to, n > 0 ? " < " : "");
		add_name(to, label_name(text_table_text(&s->names, at->b), n == 0, shortness));
		add_string(to, next != at->a ? " < .." : "");
		node = next;
	}
	return node != 0;
}

void
add_stack_label(struct text_buffer *to, const struct summary *s, uint32_t node, size_t room)
{
	size_t from = to->count;
	int shortness = WHOLE_LEAF;

	if (node == 0) {
		add_string(to, "(no stack)");
		return;
	}
	for (; shortness < BARE_LEAF; shortness++) {
		size_t dots = add_label(to, s, node, shortness, 1) ? sizeof " <..." - 1 : 0;
		size_t size = text_characters(text_in(to, from));

		to->count = from;
		if (size + dots <= room)
			break;
	}
	(void)add_label(to, s, node, shortness, CALLERS_MAX);
}
