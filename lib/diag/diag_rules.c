/* SPDX-License-Identifier: MIT
 * diag_rules: the tables, and thresholds from a file. */
#include "diag/diag_rules.h"

#include "base/bytes.h"
#include "base/config_text.h"
#include "base/quantities.h"

static const struct diag_rule_facts rules[] = {
#define RULE(NAME, name, about) { name, about },
	DIAG_RULES(RULE)
#undef RULE
};

static const struct diag_threshold_facts thresholds[] = {
#define THRESHOLD(NAME, rule, name, value, least, most, about) { RULE_##rule, name, about, value, least, most },
	DIAG_THRESHOLDS(THRESHOLD)
#undef THRESHOLD
};

const struct diag_rule_facts *
diag_rule_facts(enum diag_rule rule)
{
	return &rules[rule];
}

const struct diag_threshold_facts *
diag_threshold_facts(enum diag_threshold threshold)
{
	return &thresholds[threshold];
}

enum diag_rule
diag_rule_find(struct stk_text name)
{
	unsigned rule = 0;

	while (rule < DIAG_RULES_COUNT && !text_is(name, rules[rule].name))
		rule++;
	return (enum diag_rule)rule;
}

void
diag_limits_default(struct diag_limits *limits)
{
	*limits = (struct diag_limits){ 0 };
	for (unsigned t = 0; t < DIAG_THRESHOLDS_COUNT; t++)
		limits->at[t] = thresholds[t].value;
}

/* --- a file --- */

static int
read_threshold(struct diag_limits *limits, enum diag_rule rule, const char *path, const struct config_node *node,
	       struct stk_error *err)
{
	double value;

	for (unsigned t = 0; t < DIAG_THRESHOLDS_COUNT; t++) {
		if (thresholds[t].rule != rule || !text_is(node->key, thresholds[t].name))
			continue;
		if (node->type != CONFIG_TEXT || !real_parse(node->text.data, false, &value) ||
		    value < thresholds[t].least || value > thresholds[t].most)
			return stk_fail(err, STK_EUSAGE, "%s:%u:%u: %s of %s: expected a number from %g to %g", path,
					node->line, node->column, thresholds[t].name, rules[rule].name,
					thresholds[t].least, thresholds[t].most);
		limits->at[t] = value;
		return 0;
	}
	return stk_fail(err, STK_EUSAGE, "%s:%u:%u: the rule %s has no threshold '%.*s'", path, node->key_line,
			node->key_column, rules[rule].name, (int)node->key.size, node->key.data);
}

static int
read_rule(struct diag_limits *limits, const char *path, const struct config_node *node, struct stk_error *err)
{
	enum diag_rule rule = diag_rule_find(node->key);

	if (rule == DIAG_RULES_COUNT)
		return stk_fail(err, STK_EUSAGE, "%s:%u:%u: there is no rule '%.*s' (--list-rules prints all)",
				path, node->key_line, node->key_column, (int)node->key.size, node->key.data);
	if (node->type == CONFIG_TEXT && text_is(node->text, "off")) {
		limits->off[rule] = true;
		return 0;
	}
	if (node->type != CONFIG_MAP)
		return stk_fail(err, STK_EUSAGE, "%s:%u:%u: expected thresholds of %s, or off", path, node->line,
				node->column, rules[rule].name);
	for (const struct config_node *member = node->first; member != NULL; member = member->next)
		if (read_threshold(limits, rule, path, member, err) < 0)
			return -1;
	return 0;
}

int
diag_limits_read(struct diag_limits *limits, const char *path, struct stk_error *err)
{
	struct config *config;
	const struct config_node *root;
	int result = 0;

	if (config_read_file(&config, path, err) < 0)
		return -1;
	root = config_root(config);
	if (root->type != CONFIG_MAP)
		result = stk_fail(err, STK_EUSAGE, "%s:%u:%u: expected rules with their thresholds", path, root->line,
				  root->column);
	for (const struct config_node *node = root->first; result == 0 && node != NULL; node = node->next)
		result = read_rule(limits, path, node, err);
	config_close(config);
	return result;
}
