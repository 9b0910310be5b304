/* SPDX-License-Identifier: MIT
 * shape_text: a list of numbers, and a word before it. */
#include "timetree/shape_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const rules[] = {
	[TREE_BY_TIME] = "time", [TREE_BY_SAMPLES] = "samples", [TREE_BY_CALENDAR] = "calendar"
};

bool
splits_read(struct tree_shape *shape, const char *text)
{
	uint32_t read[TREE_BELOW_MOST + 1] = { 0 };
	unsigned count = 0;

	for (const char *at = text;; at++) {
		char *end;
		unsigned long n = *at < '0' || *at > '9' ? 0 : strtoul(at, &end, 10);

		if (n < 2 || n > TREE_SPLIT_MOST || count > TREE_BELOW_MOST)
			return false;
		read[count++] = (uint32_t)n;
		at = end;
		if (*at == '\0')
			break;
		if (*at != ',')
			return false;
	}
	shape->split = read[0];
	memcpy(shape->below, read + 1, sizeof shape->below);
	return true;
}

char *
rule_print(char to[RULE_TEXT_MAX], const struct tree_shape *shape)
{
	int at = snprintf(to, RULE_TEXT_MAX, "%s", rules[shape->rule]);

	if (shape->below[0] != 0)
		at += snprintf(to + at, RULE_TEXT_MAX - (size_t)at, " %u", shape->split);
	for (unsigned l = 0; l < TREE_BELOW_MOST && shape->below[l] != 0; l++)
		at += snprintf(to + at, RULE_TEXT_MAX - (size_t)at, ",%u", shape->below[l]);
	return to;
}

bool
rule_read(struct tree_shape *shape, const char *text)
{
	for (unsigned r = 0; r < sizeof rules / sizeof *rules; r++) {
		size_t size = strlen(rules[r]);

		if (strncmp(text, rules[r], size) != 0 || (text[size] != '\0' && text[size] != ' '))
			continue;
		shape->rule = (enum tree_rule)r;
		return text[size] == '\0' || splits_read(shape, text + size + 1);
	}
	return false;
}
