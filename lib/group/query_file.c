/* SPDX-License-Identifier: MIT
 * query_file: the conditions of a query are put together as one text of the language of --where, which then decides. */
#include "group/query_file.h"

#include "base/config_text.h"
#include "base/memory.h"
#include "base/quantities.h"
#include "base/text_buffer.h"
#include "group/scheme_set.h"

#include <stdlib.h>
#include <string.h>

struct query_reading {
	struct query_file *file;
	int64_t now_ns;
	const struct time_zone *zone;
	struct stk_error *err;
	struct text_buffer where;	/* of the present query */
};

static int
fail_line(const struct query_reading *r, unsigned line, unsigned column, const char *what)
{
	return stk_fail(r->err, STK_EUSAGE, "%s:%u:%u: %s", r->file->path, line, column, what);
}

/* What another parser said of a text. */
static int
fail_with(const struct query_reading *r, const struct config_node *node, struct stk_error *why)
{
	(void)fail_line(r, node->line, node->column, why->text);
	stk_error_clear(why);
	return -1;
}

static int
need_text(const struct query_reading *r, const struct config_node *node)
{
	if (node->type == CONFIG_TEXT && node->text.size > 0 && memchr(node->text.data, '\0', node->text.size) == NULL)
		return 0;
	return fail_line(r, node->line, node->column, "expected a text");
}

/* FIELD = "VALUE", in the quotes that the value does not have. */
static int
add_comparison(struct query_reading *r, const char *field, const struct config_node *node)
{
	bool quotes = node->type == CONFIG_TEXT && memchr(node->text.data, '"', node->text.size) != NULL;

	if (need_text(r, node) < 0)
		return -1;
	if (quotes && memchr(node->text.data, '\'', node->text.size) != NULL)
		return fail_line(r, node->line, node->column, "a value with both kinds of quotes");
	add_string(&r->where, field);
	add_char(&r->where, quotes ? '\'' : '"');
	add_text(&r->where, node->text);
	add_char(&r->where, quotes ? '\'' : '"');
	return 0;
}

static void
begin_condition(struct query_reading *r)
{
	add_string(&r->where, r->where.count > 0 ? " and (" : "(");
}

/* One value, or a list of which any may hold. */
static int
add_values(struct query_reading *r, const char *field, const struct config_node *node)
{
	begin_condition(r);
	if (node->type == CONFIG_MAP || (node->type == CONFIG_LIST && node->count == 0))
		return fail_line(r, node->line, node->column, "expected a text, or a list of them");
	if (node->type == CONFIG_TEXT && add_comparison(r, field, node) < 0)
		return -1;
	for (const struct config_node *one = node->first; node->type == CONFIG_LIST && one != NULL; one = one->next) {
		add_string(&r->where, one == node->first ? "" : " or ");
		if (add_comparison(r, field, one) < 0)
			return -1;
	}
	add_char(&r->where, ')');
	return 0;
}

/* It is read by itself first: a mistake in it is then reported by its own characters, and it cannot end the brackets
 * around it. */
static int
add_where(struct query_reading *r, const struct config_node *node)
{
	struct stk_error why = { 0 };
	struct where *alone;
	int result;

	if (need_text(r, node) < 0)
		return -1;
	result = where_open(&alone, node->text.data, r->now_ns, r->zone, &why);
	where_close(alone);
	if (result < 0)
		return fail_with(r, node, &why);
	begin_condition(r);
	add_text(&r->where, node->text);
	add_char(&r->where, ')');
	return 0;
}

static int
read_step(struct query_reading *r, struct group_query *query, const struct config_node *node)
{
	struct stk_error why = { 0 };

	if (duration_parse(node->text.data, &query->step_ns, &why) < 0)
		return fail_with(r, node, &why);
	return query->step_ns > 0 ? 0 : fail_line(r, node->line, node->column, "expected a time greater than 0");
}

static int
read_having(struct query_reading *r, struct group_query *query, const struct config_node *node)
{
	struct stk_error why = { 0 };

	return row_condition_open(&query->having, node->text.data, &why) < 0 ? fail_with(r, node, &why) : 0;
}

static int
read_key(struct query_reading *r, struct group_query *query, const struct config_node *node)
{
	static const struct { const char *key, *field; } fields[] = {
		{ "process", "process = " }, { "thread", "thread = " }, { "processor", "processor = " }, { "time", "time in " }
	};

	for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
		if (text_is(node->key, fields[f].key))
			return add_values(r, fields[f].field, node);
	if (text_is(node->key, "where"))
		return add_where(r, node);
	if (!text_is(node->key, "query") && !text_is(node->key, "group") && !text_is(node->key, "by") &&
	    !text_is(node->key, "step") && !text_is(node->key, "having"))
		return fail_line(r, node->key_line, node->key_column,
				 "unknown key: expected query, group, process, thread, processor, time, where, by, step or having");
	if (need_text(r, node) < 0)
		return -1;
	if (text_is(node->key, "step"))
		return read_step(r, query, node);
	if (text_is(node->key, "having"))
		return read_having(r, query, node);
	*(text_is(node->key, "query") ? &query->name : text_is(node->key, "group") ? &query->group : &query->by) =
		node->text.data;
	return 0;
}

static int
read_query(struct query_reading *r, const struct config_node *node)
{
	struct group_query *query = &r->file->queries[r->file->count++];
	struct stk_error why = { 0 };

	query->line = node->line;
	r->where.count = 0;
	if (node->type != CONFIG_MAP || config_member(node, "query") == NULL)
		return fail_line(r, node->line, node->column, "expected a map with query: NAME");
	for (const struct config_node *one = node->first; one != NULL; one = one->next)
		if (read_key(r, query, one) < 0)
			return -1;
	for (unsigned q = 0; q + 1 < r->file->count; q++)
		if (strcmp(r->file->queries[q].name, query->name) == 0)
			return fail_line(r, node->line, node->column, "a query of this name is above");
	if (r->where.count == 0)
		return 0;
	add_char(&r->where, '\0');
	return where_open(&query->where, r->where.at, r->now_ns, r->zone, &why) < 0 ? fail_with(r, node, &why) : 0;
}

static int
read_all(struct query_reading *r, const struct config_node *root)
{
	const struct config_node *list = root->type == CONFIG_MAP ? config_member(root, "queries") : NULL;

	if (list == NULL || root->count != 1)
		return fail_line(r, root->line, root->column, "expected queries: and nothing beside it");
	if (list->type != CONFIG_LIST || list->count == 0 || list->count > QUERIES_MOST)
		return fail_line(r, list->line, list->column, "expected a list of 1 to 64 queries");
	r->file->queries = mem_new(list->count, sizeof *r->file->queries);
	for (const struct config_node *one = list->first; one != NULL; one = one->next)
		if (read_query(r, one) < 0)
			return -1;
	return 0;
}

int
query_file_read(struct query_file *out, const char *path, int64_t now_ns, const struct time_zone *zone,
		struct stk_error *err)
{
	struct query_reading r = { .file = out, .now_ns = now_ns, .zone = zone, .err = err };
	int result;

	*out = (struct query_file){ .path = path };
	if (config_read_file(&out->config, path, err) < 0)
		return -1;
	result = read_all(&r, config_root(out->config));
	array_release(&r.where);
	return result;
}

void
query_file_release(struct query_file *file)
{
	for (unsigned q = 0; q < file->count; q++) {
		where_close(file->queries[q].where);
		row_condition_close(file->queries[q].having);
	}
	free(file->queries);
	config_close(file->config);
	*file = (struct query_file){ 0 };
}

bool
group_query_takes(const struct group_query *query, const struct scheme *scheme, uint32_t group,
		  const struct group_figures *f, double whole)
{
	const double values[ROW_FIGURES] = {
		[ROW_COUNT] = (double)f->count, [ROW_WEIGHT] = (double)f->weight,
		[ROW_SHARE] = whole > 0 ? f->part / whole : 0, [ROW_TIME] = f->seconds,
		[ROW_TOTAL] = (double)f->total_count, [ROW_TOTAL_SHARE] = whole > 0 ? f->total_part / whole : 0,
		[ROW_PAYLOAD] = f->payload, [ROW_SAMPLED] = f->sampled, [ROW_PAIRED] = f->paired
	};

	if (query->group != NULL &&
	    (group == 0 ? strcmp(query->group, "(none)") != 0
			: !scheme_group_is(scheme, group, text_from(query->group), true)))
		return false;
	return query->having == NULL || row_condition_holds(query->having, values);
}
