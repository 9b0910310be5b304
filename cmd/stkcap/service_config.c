/* SPDX-License-Identifier: MIT
 * service_config: a file is turned into the words of a command line, so that its values are checked by the same rows
 * and with the same messages. */
#include "service_config.h"
#include "live_options.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/config_text.h"
#include "base/time_text.h"
#include "model/plain_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct service_config {
	struct config *config;
	struct arena arena;		/* of the words */
	struct time_zone *zone;
	const char *path;
	ARRAY(char *) words;
};

static struct {
	const char *output, *zone;
	int64_t level;
	uint64_t plain_names;		/* bits of plain_name.h */
} file_given;

/* What a command line has among the common options. */
static const struct option_row output_options[] = { OPT_TEXT(0, "output", &file_given.output, "FILE", ""),
						    OPT_NUMBER_IN(0, "level", &file_given.level, 1, 22, "N", ""),
						    OPT_TEXT(0, "zone", &file_given.zone, "ZONE", ""),
						    OPT_LIST(0, "demangle", &file_given.plain_names, "WHAT,...",
							     PLAIN_NAME_WORDS, ""),
						    OPT_TEXT(0, "source", &live_given.live.source, "NAME", ""),
						    OPT_END };

static const struct option_row one_set[] = { OPT_TABLE(live_set_options), OPT_END };
static const struct option_row all_of_sets[] = { OPT_TABLE(output_options), OPT_TABLE(live_capture_options),
						 OPT_TABLE(live_set_options), OPT_TABLE(live_rules), OPT_END };
static const struct option_row all_of_one[] = { OPT_TABLE(all_of_sets), OPT_TABLE(live_set_rules), OPT_END };

static int
fail_at(const struct service_config *c, unsigned line, unsigned column, const char *text, struct stk_error *err)
{
	return stk_fail(err, STK_EUSAGE, "%s:%u:%u: %s", c->path, line, column, text);
}

static bool
is_flag(const char *name)
{
	static const char *const flags[] = { "adaptive", "agent", "locks", "moments" };

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (strcmp(name, flags[i]) == 0)
			return true;
	return false;
}

static void
add_word(struct service_config *c, const char *before, struct stk_text text)
{
	char *word = arena_alloc(&c->arena, strlen(before) + text.size + 1);

	memcpy(word, before, strlen(before));
	memcpy(word + strlen(before), text.data, text.size);
	word[strlen(before) + text.size] = '\0';
	*array_push(&c->words) = word;
}

/* "yes" gives the option, "no" leaves it out; one that may have a value gets any other text. */
static int
add_flag(struct service_config *c, const struct config_node *node, struct stk_error *err)
{
	static const char *const yes[] = { "yes", "true", "on" }, *const no[] = { "no", "false", "off" };

	for (size_t i = 0; i < 3 && node->type == CONFIG_TEXT; i++) {
		if (strcmp(node->text.data, yes[i]) == 0) {
			add_word(c, "--", node->key);
			return 0;
		}
		if (strcmp(node->text.data, no[i]) == 0)
			return 0;
	}
	if (node->type != CONFIG_TEXT || !text_equal(node->key, text_from("adaptive")))
		return fail_at(c, node->line, node->column, "expected yes or no", err);
	add_word(c, "--adaptive=", node->text);
	return 0;
}

/* A value, or each of a list. */
static int
add_option(struct service_config *c, const struct config_node *node, struct stk_error *err)
{
	const struct config_node *item = node->type == CONFIG_LIST ? node->first : node;
	char name[32];

	snprintf(name, sizeof name, "%.*s", (int)node->key.size, node->key.data);
	if (is_flag(name))
		return add_flag(c, node, err);
	for (; item != NULL; item = item == node ? NULL : item->next) {
		if (item->type != CONFIG_TEXT)
			return fail_at(c, item->line, item->column, "expected a value", err);
		add_word(c, "--", node->key);
		add_word(c, "", item->text);
	}
	return 0;
}

/* The member of a map that a message is about, which begins with its name as an option, or has it. */
static const struct config_node *
member_blamed(const struct config_node *map, const char *message)
{
	for (const struct config_node *at = map->first; at != NULL; at = at->next) {
		const char *found = message;

		while ((found = strstr(found, "--")) != NULL) {
			found += 2;
			if (strcspn(found, " :,?") == at->key.size && memcmp(found, at->key.data, at->key.size) == 0)
				return at;
		}
	}
	return NULL;
}

/* Parses the members of a map, but for this one. */
static int
parse_map(struct service_config *c, const struct config_node *map, const struct config_node *but,
	  const struct option_row *rows, struct stk_error *err)
{
	struct option_uses uses = { 0 };
	struct stk_error why = { 0 };
	const struct config_node *blamed;

	c->words.count = 0;
	add_word(c, "stkcap", text_of("", 0));
	for (const struct config_node *at = map->first; at != NULL; at = at->next)
		if (at != but && add_option(c, at, err) < 0)
			return -1;
	*array_push(&c->words) = NULL;
	if (options_parse(rows, NULL, (int)c->words.count - 1, c->words.at, &uses, &why) >= 0)
		return 0;
	blamed = member_blamed(map, why.text);
	return blamed != NULL ? fail_at(c, blamed->key_line, blamed->key_column, why.text, err)
			      : fail_at(c, map->line, map->column, why.text, err);
}

static bool
has_processes(const struct live_set *set)
{
	return set->jvm != NULL || set->native != NULL || set->python != NULL || set->commands_count > 0;
}

/* Each set has what it does not say itself from the whole file. */
static int
read_sets(struct service_config *c, const struct config_node *list, struct live_set *sets, unsigned *count,
	  struct stk_error *err)
{
	const struct live_set common = live_given.set;

	if (list->type != CONFIG_LIST || list->count == 0 || list->count > LIVE_SETS_MAX)
		return fail_at(c, list->line, list->column, "sets: expected a list of 1 to 16 sets", err);
	if (has_processes(&common) || common.of != NULL)
		return fail_at(c, list->key_line, list->key_column, "jvm, native, python, exec and of belong into the sets",
			       err);
	*count = 0;
	for (const struct config_node *at = list->first; at != NULL; at = at->next) {
		live_given.set = common;
		if (at->type != CONFIG_MAP)
			return fail_at(c, at->line, at->column, "expected a set: jvm, native, python or exec, and every", err);
		if (parse_map(c, at, NULL, one_set, err) < 0)
			return -1;
		if (!has_processes(&live_given.set))
			return fail_at(c, at->line, at->column, "the set has neither jvm, native, python nor exec", err);
		if (live_given.set.jvm == NULL && (config_member(at, "agent") || config_member(at, "locks")))
			return fail_at(c, at->line, at->column, "agent and locks have no effect without jvm", err);
		sets[(*count)++] = live_given.set;
	}
	live_given.set = common;
	return 0;
}

static int
read_all(struct service_config *c, struct live_settings *settings, struct stk_error *err)
{
	const struct config_node *root = config_root(c->config), *list = config_member(root, "sets");
	struct stk_error why = { 0 };
	static struct live_set sets[LIVE_SETS_MAX];
	unsigned count = 1;

	if (root->type != CONFIG_MAP)
		return fail_at(c, 1, 1, "expected options, each as NAME: VALUE", err);
	if (parse_map(c, root, list, list != NULL ? all_of_sets : all_of_one, err) < 0)
		return -1;
	sets[0] = live_given.set;
	if (list != NULL && read_sets(c, list, sets, &count, err) < 0)
		return -1;
	if (!has_processes(&sets[0]))
		return fail_at(c, 1, 1, "expected jvm, native, python, exec or sets: the processes to capture", err);
	if (file_given.output == NULL)
		return fail_at(c, 1, 1, "expected output: the file to write to", err);
	if (plain_name_missing(file_given.plain_names) != NULL)
		return stk_fail(err, STK_EUSAGE, "%s: demangle: %s", c->path,
				plain_name_missing(file_given.plain_names));
	if (time_zone_open(&c->zone, file_given.zone, &why) < 0)
		return stk_fail(err, STK_EUSAGE, "%s: zone: %s", c->path, why.text);
	if (live_options_settle(settings, sets, count, file_given.output, &why) < 0)
		return stk_fail(err, STK_EUSAGE, "%s: %s", c->path, why.text);
	settings->files.zone = c->zone;
	settings->files.level = file_given.level;
	settings->plain_names = file_given.plain_names;
	return 0;
}

int
service_config_open(struct service_config **out, const char *path, struct live_settings *settings,
		    struct stk_error *err)
{
	struct service_config *c = *out = mem_new(1, sizeof *c);
	struct stk_error why = { 0 };

	c->path = path;
	live_options_reset();
	file_given.output = NULL;
	file_given.zone = "UTC";
	file_given.level = -1;
	file_given.plain_names = 0;
	if (config_read_file(&c->config, path, &why) < 0)
		(void)stk_fail(err, STK_EUSAGE, "%s", why.text);
	else if (read_all(c, settings, err) == 0)
		return 0;
	service_config_close(c);
	*out = NULL;
	return -1;
}

void
service_config_close(struct service_config *c)
{
	if (c == NULL)
		return;
	time_zone_close(c->zone);
	config_close(c->config);
	array_release(&c->words);
	arena_release(&c->arena);
	free(c);
}
