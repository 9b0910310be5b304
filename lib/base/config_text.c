/* SPDX-License-Identifier: MIT
 * config_text: libyaml's events to nodes. */
#include "base/config_text.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/hash_map.h"
#include "base/host.h"
#include "base/input.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <yaml.h>

#define DEPTH_MOST 64
#define NODES_MOST 1000000

struct level {
	struct config_node *node, *last;
	bool key_read;
	struct config_node pending;
	struct hash_map keys;
	ARRAY(struct stk_text) names;
};

struct config {
	struct arena arena;
	struct config_node *root;
	char *source;
	size_t source_size;
	unsigned nodes;
	struct level levels[DEPTH_MOST];
	unsigned depth;
};

static int
fail_at(struct stk_error *err, yaml_mark_t mark, const char *what)
{
	return stk_fail(err, STK_EDATA, "%zu:%zu: %s", mark.line + 1, mark.column + 1, what);
}

static int
fail_parser(struct stk_error *err, const yaml_parser_t *parser)
{
	yaml_mark_t mark = parser->problem_mark;
	const char *context = parser->context == NULL ? "" : parser->context;

	if (parser->error == YAML_MEMORY_ERROR)
		host_out_of_memory(1, (size_t)(parser->input.string.end - parser->input.string.start));
	if (parser->error == YAML_READER_ERROR)
		return stk_fail(err, STK_EDATA, "1:1: %s at byte %zu: expected UTF-8 text", parser->problem,
				parser->problem_offset);
	return stk_fail(err, STK_EDATA, "%zu:%zu: %s%s%s", mark.line + 1, mark.column + 1,
			parser->problem == NULL ? "not YAML" : parser->problem, *context == '\0' ? "" : " ", context);
}

/* --- nodes --- */

static bool
key_is_new(struct level *level, struct stk_text key)
{
	uint64_t hash = XXH3_64bits(key.data, key.size);
	uint32_t at = hash_map_start(&level->keys, hash), id;

	while ((id = hash_map_next(&level->keys, hash, &at)) != 0)
		if (text_equal(level->names.at[id - 1], key))
			return false;
	*array_push(&level->names) = key;
	hash_map_put(&level->keys, hash, (uint32_t)level->names.count);
	return true;
}

/* Puts a node where it belongs; in a map after its key. */
static void
place(struct config *config, struct config_node *node)
{
	struct level *level = config->depth == 0 ? NULL : &config->levels[config->depth - 1];

	if (level == NULL) {
		config->root = node;
		return;
	}
	if (level->node->type == CONFIG_MAP) {
		node->key = level->pending.key;
		node->key_line = level->pending.key_line;
		node->key_column = level->pending.key_column;
		level->key_read = false;
	}
	if (level->last == NULL)
		level->node->first = node;
	else
		level->last->next = node;
	level->last = node;
	level->node->count++;
}

static int
add_node(struct config *config, enum config_type type, struct stk_text text, yaml_mark_t mark, struct stk_error *err)
{
	struct level *level = config->depth == 0 ? NULL : &config->levels[config->depth - 1];
	struct config_node *node;

	if (++config->nodes > NODES_MOST)
		return fail_at(err, mark, "more than a million nodes");
	if (level != NULL && level->node->type == CONFIG_MAP && !level->key_read) {
		if (type != CONFIG_TEXT)
			return fail_at(err, mark, "a key is a text, not a list or a map");
		level->pending.key = text_of(arena_copy(&config->arena, text.data, text.size), text.size);
		level->pending.key_line = (unsigned)mark.line + 1;
		level->pending.key_column = (unsigned)mark.column + 1;
		level->key_read = true;
		if (!key_is_new(level, level->pending.key))
			return stk_fail(err, STK_EDATA, "%zu:%zu: the key '%.*s' is here twice", mark.line + 1,
					mark.column + 1, (int)(text.size < 60 ? text.size : 60), text.data);
		return 0;
	}
	node = arena_alloc(&config->arena, sizeof *node);
	*node = (struct config_node){ .type = type,
				      .line = (unsigned)mark.line + 1,
				      .column = (unsigned)mark.column + 1 };
	node->text = text_of(arena_copy(&config->arena, text.data, text.size), text.size);
	place(config, node);
	if (type == CONFIG_TEXT)
		return 0;
	if (config->depth == DEPTH_MOST)
		return fail_at(err, mark, "more than 64 levels");
	config->levels[config->depth++] = (struct level){ .node = node };
	return 0;
}

static void
leave_level(struct config *config)
{
	struct level *level = &config->levels[--config->depth];

	hash_map_release(&level->keys);
	array_release(&level->names);
}

static int
take_event(struct config *config, const yaml_event_t *event, struct stk_error *err)
{
	struct stk_text none = text_of("", 0);

	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return add_node(config, CONFIG_TEXT,
				text_of((const char *)event->data.scalar.value, event->data.scalar.length),
				event->start_mark, err);
	case YAML_SEQUENCE_START_EVENT: return add_node(config, CONFIG_LIST, none, event->start_mark, err);
	case YAML_MAPPING_START_EVENT:  return add_node(config, CONFIG_MAP, none, event->start_mark, err);
	case YAML_ALIAS_EVENT: return fail_at(err, event->start_mark, "aliases (*name) are not supported: write the value out");
	case YAML_SEQUENCE_END_EVENT: case YAML_MAPPING_END_EVENT: leave_level(config); return 0;
	case YAML_DOCUMENT_START_EVENT:
		return config->root == NULL ? 0 : fail_at(err, event->start_mark, "a second document: expected one");
	default:                        return 0;
	}
}

static int
parse(struct config *config, yaml_parser_t *parser, struct stk_error *err)
{
	for (;;) {
		yaml_event_t event;
		bool ended;
		int result;

		if (!yaml_parser_parse(parser, &event))
			return fail_parser(err, parser);
		result = take_event(config, &event, err);
		ended = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
		if (result < 0 || ended)
			return result;
	}
}

int
config_read(struct config **out, const char *text, size_t size, struct stk_error *err)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";	/* some editors begin UTF-8 with it */
	struct config *config = mem_new(1, sizeof *config);
	yaml_parser_t parser;
	int result;

	*out = NULL;
	if (size >= sizeof byte_order_mark - 1 && memcmp(text, byte_order_mark, sizeof byte_order_mark - 1) == 0) {
		text += sizeof byte_order_mark - 1;
		size -= sizeof byte_order_mark - 1;
	}
	config->source = mem_new(size + 1, 1);
	memcpy(config->source, text, size);
	config->source_size = size;
	if (size > CONFIG_BYTES_MOST) {
		result = stk_fail(err, STK_EDATA, "1:1: %zu bytes, expected at most %u", size, CONFIG_BYTES_MOST);
	} else if (!yaml_parser_initialize(&parser)) {
		host_out_of_memory(1, size);
	} else {
		yaml_parser_set_input_string(&parser, (const unsigned char *)config->source, size);
		yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
		result = parse(config, &parser, err);
		yaml_parser_delete(&parser);
	}
	while (config->depth > 0)
		leave_level(config);
	if (config->root == NULL) {
		config->root = arena_alloc(&config->arena, sizeof *config->root);
		*config->root =
			(struct config_node){ .type = CONFIG_MAP, .line = 1, .column = 1, .text = text_of("", 0) };
	}
	if (result < 0) {
		config_close(config);
		return -1;
	}
	*out = config;
	return 0;
}

int
config_read_file(struct config **out, const char *path, struct stk_error *err)
{
	struct input *input = NULL;
	struct { char *at; size_t count, room; } text = { 0 };
	struct stk_error why = { 0 };
	long got = 0;
	int result = input_open(&input, path, NULL, &why);

	*out = NULL;
	while (result == 0 && text.count <= CONFIG_BYTES_MOST) {
		array_reserve(&text, 65536);
		got = input_read(input, text.at + text.count, 65536, &why);
		if (got <= 0)
			break;
		text.count += (size_t)got;
	}
	input_close(input);
	if (result == 0 && got < 0)
		result = -1;
	if (result == 0)
		result = config_read(out, text.at, text.count, &why);
	array_release(&text);
	return result < 0 ? stk_fail(err, why.code, "%s:%s%s", path, why.code == STK_EDATA ? "" : " ", why.text) : 0;
}

void
config_close(struct config *config)
{
	if (config == NULL)
		return;
	arena_release(&config->arena);
	free(config->source);
	free(config);
}

const struct config_node *
config_root(const struct config *config)
{
	return config->root;
}

struct stk_text
config_source(const struct config *config)
{
	return text_of(config->source, config->source_size);
}

const struct config_node *
config_member(const struct config_node *map, const char *key)
{
	if (map == NULL || map->type != CONFIG_MAP)
		return NULL;
	for (const struct config_node *member = map->first; member != NULL; member = member->next)
		if (text_is(member->key, key))
			return member;
	return NULL;
}

int
config_fail(struct stk_error *err, const char *file, const struct config_node *node, const char *what,
	    struct stk_text text, const char *expected)
{
	if (text.size > 60)
		text.size = 60;
	return stk_fail(err, STK_EUSAGE, "%s:%u:%u: %s%s%.*s%s%s%s", file, node->line, node->column, what,
			text.size > 0 ? " '" : "", (int)text.size, text.data != NULL ? text.data : "",
			text.size > 0 ? "'" : "", *expected == '\0' ? "" : ": expected ", expected);
}
