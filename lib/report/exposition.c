/* SPDX-License-Identifier: MIT
 * exposition: pieces of the text that Prometheus reads. */
#include "report/exposition.h"

#include "report/viewer_samples.h"

void
exposition_label(struct text_buffer *to, const char *label, struct stk_text value)
{
	struct text_buffer valid = { 0 };

	add_valid_text(&valid, value);
	add_string(to, label);
	add_string(to, "=\"");
	for (size_t at = 0; at < valid.count; at++) {
		if (valid.at[at] == '"' || valid.at[at] == '\\' || valid.at[at] == '\n')
			add_char(to, '\\');
		add_char(to, valid.at[at] == '\n' ? 'n' : valid.at[at]);
	}
	add_char(to, '"');
	array_release(&valid);
}

static bool
is_label_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool
exposition_next(struct stk_text *labels, struct stk_text *label, struct stk_text *value)
{
	const char *at = labels->data, *end = at + labels->size, *from;

	while (at < end && is_label_byte(*at))
		at++;
	*label = text_of(labels->data, (size_t)(at - labels->data));
	if (label->size == 0 || (*label->data >= '0' && *label->data <= '9') || end - at < 3 ||
	    memcmp(at, "=\"", 2) != 0)
		return false;
	for (from = at += 2; at < end && *at != '"'; at++)
		if (*at == '\\')
			at++;
	if (at >= end)
		return false;
	*value = text_of(from, (size_t)(at - from));
	at++;
	while (at < end && (*at == ',' || *at == ' '))
		at++;
	*labels = text_of(at, (size_t)(end - at));
	return true;
}

/* Whether a label is there once, and is not one of Prometheus' own. */
static bool
is_usable(struct stk_text labels, struct stk_text label)
{
	struct stk_text other, value;
	unsigned same = 0;

	while (exposition_next(&labels, &other, &value))
		same += text_equal(other, label);
	return same == 1 && !text_starts(label, "__") && !text_is(label, "exported_source") &&
	       !text_is(label, "exported_name") && label.size < EXPOSITION_LABEL_MAX / 2;
}

struct stk_text
exposition_labels(struct stk_text name, struct stk_text *base)
{
	const char *open = name.size > 0 ? memchr(name.data, '{', name.size) : NULL;
	struct stk_text labels, rest, label, value;

	*base = name;
	if (open == NULL || open == name.data || !text_ends(name, "}"))
		return text_of("", 0);
	labels = rest = text_of(open + 1, (size_t)(name.data + name.size - open) - 2);
	while (rest.size > 0)
		if (!exposition_next(&rest, &label, &value) || !is_usable(labels, label))
			return text_of("", 0);
	if (labels.size > 0)
		*base = text_of(name.data, (size_t)(open - name.data));
	return labels;
}

void
exposition_add_value(struct text_buffer *to, struct stk_text value)
{
	for (size_t at = 0; at < value.size; at++) {
		bool escape = value.data[at] == '\\' && at + 1 < value.size;

		at += escape;
		add_char(to, escape && value.data[at] == 'n' ? '\n' : value.data[at]);
	}
}
