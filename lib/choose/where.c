/* SPDX-License-Identifier: MIT
 * where: a tree of conditions. What depends on an id is decided once for it. */
#include "choose/where_parts.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "choose/naming.h"
#include "model/recorded_groups.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#define DEPTH_MOST 100		/* of parentheses */

struct parser {
	const char *text, *at;
	int64_t now;
	const struct time_zone *zone;
	struct where *where;
	unsigned depth;
	struct stk_error *err;
	char word[256];			/* the present one; "" at the end */
	bool quoted;
	size_t place;			/* where it begins */
};

/* --- words --- */

static int
fail_at(const struct parser *p, const char *what)
{
	return stk_fail(p->err, STK_EUSAGE, "--where: at character %zu: %s%s%s%s", p->place + 1, what,
			*p->word == '\0' ? ", and it ends" : ", not '", p->word, *p->word == '\0' ? "" : "'");
}

static bool
is_sign(char c)
{
	return c == '(' || c == ')' || c == '=' || c == '~';
}

static int
next_word(struct parser *p)
{
	size_t size = 0;

	while (isspace((unsigned char)*p->at))
		p->at++;
	p->place = (size_t)(p->at - p->text);
	p->quoted = *p->at == '"' || *p->at == '\'';
	if (p->quoted) {
		char quote = *p->at++;

		while (*p->at != '\0' && *p->at != quote && size + 1 < sizeof p->word)
			p->word[size++] = *p->at++;
		p->word[size] = '\0';
		if (*p->at != quote)
			return stk_fail(p->err, STK_EUSAGE, "--where: at character %zu: a quote that does not end",
					p->place + 1);
		p->at++;
		return 0;
	}
	if (is_sign(*p->at) || (*p->at == '!' && p->at[1] == '=')) {
		p->word[size++] = *p->at++;
		if (p->word[0] == '!')
			p->word[size++] = *p->at++;
	} else {
		while (*p->at != '\0' && !isspace((unsigned char)*p->at) && *p->at != ')' &&
		       size + 1 < sizeof p->word &&
		       !(size > 0 && (*p->at == '=' || *p->at == '~' || (*p->at == '!' && p->at[1] == '='))))
			p->word[size++] = *p->at++;
	}
	p->word[size] = '\0';
	return 0;
}

static bool
is_word(const struct parser *p, const char *word)
{
	return !p->quoted && strcmp(p->word, word) == 0;
}

/* --- parsing --- */

static void
free_condition(struct condition *c)
{
	if (c == NULL)
		return;
	free_condition(c->left);
	free_condition(c->right);
	if (c->how == HOW_LIKE && c->text != NULL)
		expression_close(&c->expression);
	id_table_clear(&c->known);
	free(c->text);
	free(c);
}

static struct condition *
new_condition(enum what what, struct condition *left, struct condition *right)
{
	struct condition *c = mem_new(1, sizeof *c);

	*c = (struct condition){ .what = what, .left = left, .right = right, .known.size = 1 };
	return c;
}

static struct condition *parse_or(struct parser *p);

static int
parse_how(struct parser *p, struct condition *c)
{
	static const struct {
		const char *word;
		enum how how;
	} hows[] = {
		{ "=", HOW_IS }, { "!=", HOW_IS_NOT }, { "~", HOW_LIKE }, { "under", HOW_UNDER }, { "in", HOW_IN }
	};

	for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
		bool fits = hows[i].how == HOW_UNDER  ? c->what == WHERE_GROUP
			    : hows[i].how == HOW_IN   ? c->what == WHERE_TIME
			    : hows[i].how == HOW_LIKE ? c->what != WHERE_TIME && c->what != WHERE_GROUP
						      : c->what != WHERE_TIME;

		if (!is_word(p, hows[i].word) || !fits)
			continue;
		c->how = hows[i].how;
		return next_word(p);
	}
	return fail_at(p, c->what == WHERE_TIME    ? "expected in"
			  : c->what == WHERE_GROUP ? "expected =, != or under"
						   : "expected =, != or ~");
}

static int
parse_window(struct parser *p, struct condition *c)
{
	char *dots = strstr(p->word, "..");

	c->from_ns = INT64_MIN;
	c->to_ns = INT64_MAX;
	if (dots == NULL)
		return fail_at(p, "expected FROM..TO");
	*dots = '\0';
	if (*p->word != '\0' && time_parse(p->word, p->now, p->zone, &c->from_ns, p->err) < 0)
		return -1;
	return dots[2] == '\0' ? 0 : time_parse(dots + 2, p->now, p->zone, &c->to_ns, p->err);
}

static int
parse_value(struct parser *p, struct condition *c)
{
	struct stk_error why = { 0 };

	if (*p->word == '\0' && !p->quoted)
		return fail_at(p, "expected a value");
	if (c->what == WHERE_TIME)
		return parse_window(p, c);
	if (c->how == HOW_LIKE && expression_open(&c->expression, p->word, &why) < 0)
		return fail_at(p, why.text);
	c->text = mem_string(p->word);
	p->where->asks_groups |= c->what == WHERE_GROUP;
	return 0;
}

static struct condition *
parse_condition(struct parser *p)
{
	static const char *const names[] = { "process", "thread",   "pool",  "source", "state",
					     "event",   "function", "group", "time", "processor" };
	struct condition *c;

	for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
		if (!is_word(p, names[n]))
			continue;
		c = new_condition((enum what)(WHERE_PROCESS + n), NULL, NULL);
		if (next_word(p) == 0 && parse_how(p, c) == 0 && parse_value(p, c) == 0 && next_word(p) == 0)
			return c;
		free_condition(c);
		return NULL;
	}
	(void)fail_at(p, "expected process, thread, pool, source, state, event, function, group, time, processor, not or (");
	return NULL;
}

static struct condition *
parse_not(struct parser *p)
{
	struct condition *c;

	if (++p->depth > DEPTH_MOST)
		return (void)fail_at(p, "more than 100 conditions one inside another"), NULL;
	if (is_word(p, "not")) {
		c = next_word(p) < 0 ? NULL : parse_not(p);
		p->depth--;
		return c == NULL ? NULL : new_condition(WHERE_NOT, c, NULL);
	}
	if (!is_word(p, "(")) {
		p->depth--;
		return parse_condition(p);
	}
	c = next_word(p) < 0 ? NULL : parse_or(p);
	p->depth--;
	if (c == NULL)
		return NULL;
	if (!is_word(p, ")"))
		(void)fail_at(p, "expected and, or, or )");
	else if (next_word(p) == 0)
		return c;
	free_condition(c);
	return NULL;
}

/* Conditions with one word between. */
static struct condition *
parse_chain(struct parser *p, const char *word, enum what what, struct condition *(*part)(struct parser *))
{
	struct condition *c = part(p);

	while (c != NULL && is_word(p, word)) {
		struct condition *next = next_word(p) < 0 ? NULL : part(p);

		if (next == NULL) {
			free_condition(c);
			return NULL;
		}
		c = new_condition(what, c, next);
	}
	return c;
}

static struct condition *
parse_and(struct parser *p)
{
	return parse_chain(p, "and", WHERE_AND, parse_not);
}

static struct condition *
parse_or(struct parser *p)
{
	return parse_chain(p, "or", WHERE_OR, parse_and);
}

int
where_open(struct where **out, const char *text, int64_t now_ns, const struct time_zone *zone, struct stk_error *err)
{
	struct where *where = mem_new(1, sizeof *where);
	struct parser p = { .text = text, .at = text, .now = now_ns, .zone = zone, .where = where, .err = err };

	*out = where;
	if (next_word(&p) < 0)
		return -1;
	where->root = parse_or(&p);
	if (where->root == NULL)
		return -1;
	return *p.word == '\0' && !p.quoted ? 0 : fail_at(&p, "expected and, or, or the end");
}

void
where_close(struct where *where)
{
	if (where == NULL)
		return;
	free_condition(where->root);
	array_release(&where->line);
	free(where);
}

bool
where_asks_records(const struct where *where)
{
	return where->asks_groups && where->groups == NULL;
}

void
where_groups(struct where *where, where_group_function *function, void *context)
{
	where->groups = function;
	where->groups_context = context;
}

static void
name_groups(const struct condition *c, where_name_function *function, void *context)
{
	if (c == NULL)
		return;
	if (c->what == WHERE_GROUP)
		function(context, text_from(c->text), c->how == HOW_UNDER);
	name_groups(c->left, function, context);
	name_groups(c->right, function, context);
}

void
where_each_group(const struct where *where, where_name_function *function, void *context)
{
	name_groups(where->root, function, context);
}

static void
give_times(const struct condition *c, where_time_function *function, void *context)
{
	if (c == NULL)
		return;
	if (c->what == WHERE_TIME) {
		function(context, c->from_ns);
		function(context, c->to_ns);
	}
	give_times(c->left, function, context);
	give_times(c->right, function, context);
}

void
where_each_time(const struct where *where, where_time_function *function, void *context)
{
	give_times(where->root, function, context);
}

static void
forget(struct condition *c)
{
	if (c == NULL)
		return;
	id_table_clear(&c->known);
	forget(c->left);
	forget(c->right);
}

void
where_forget(struct where *where)
{
	forget(where->root);
}

void
where_turn_to(struct where *where, const struct model *model)
{
	if (where->known_of != model)
		where_forget(where);
	where->known_of = model;
}

/* --- holding --- */

static bool
text_fits(struct where *w, const struct condition *c, struct stk_text text)
{
	if (c->how == HOW_LIKE)
		return expression_fits(&c->expression, text);
	w->line.count = 0;
	array_reserve(&w->line, text.size + 1);
	for (size_t i = 0; i < text.size; i++)
		w->line.at[i] = text.data[i] == '\0' ? '\1' : text.data[i];
	w->line.at[text.size] = '\0';
	return (fnmatch(c->text, w->line.at, FNM_NOESCAPE) == 0) == (c->how == HOW_IS);
}

static bool
process_fits(struct where *w, const struct condition *c, const struct model *model, const struct stk_source *source)
{
	struct stk_text name = model_string(model, source->process);
	char pid[24];

	(void)snprintf(pid, sizeof pid, "%llu", (unsigned long long)source->pid);
	if (c->how == HOW_IS_NOT)
		return text_fits(w, c, name) && (source->pid == 0 || text_fits(w, c, text_from(pid)));
	return text_fits(w, c, name) || (source->pid != 0 && text_fits(w, c, text_from(pid)));
}

static bool
thread_fits(struct where *w, const struct condition *c, const struct model *model, const struct where_sample *s)
{
	struct stk_thread thread = model_thread(model, s->thread);
	struct stk_source source = model_source(model, s->thread != 0 ? thread.source
						       : s->dump != 0 ? model_dump(model, s->dump).source
								      : 0);
	struct stk_text name = model_string(model, thread.name);

	switch (c->what) {
	case WHERE_THREAD:  return text_fits(w, c, name);
	case WHERE_POOL:    return text_fits(w, c, naming_pool(name));
	case WHERE_SOURCE:  return text_fits(w, c, model_string(model, source.name));
	default:            return process_fits(w, c, model, &source);
	}
}

static bool
function_fits(struct where *w, struct condition *c, const struct model *model, uint64_t stack)
{
	enum how how = c->how;
	bool found = false;

	if (how == HOW_IS_NOT)		/* none of them is met */
		c->how = HOW_IS;
	for (uint64_t at = stack; at != 0 && !found; ) {
		struct stk_stack row = model_stack(model, at);

		found = text_fits(w, c, model_string(model, model_frame(model, row.frame).function));
		at = row.parent < at ? row.parent : 0;
	}
	c->how = how;
	return found != (how == HOW_IS_NOT);
}

/* Who knows no schemes asks what the stream has in its records. */
static bool
group_fits(struct where *w, const struct condition *c, const struct model *model, const struct where_sample *s)
{
	bool below = c->how == HOW_UNDER;
	struct stk_text name = text_from(c->text);
	struct grouped_row asked = { s->stack, s->state, s->thread };
	bool is = w->groups != NULL ? w->groups(w->groups_context, s, name, below)
				    : model_groups(model) != NULL &&
				      recorded_groups_has(model_groups(model), &asked, name, below);

	return is != (c->how == HOW_IS_NOT);
}

static bool
state_fits(struct where *w, const struct condition *c, uint64_t state)
{
	const char *const *names = stk_schema()->kind[STK_SAMPLE].column[STK_COLUMN(sample, state)].names;

	return text_fits(w, c, text_from(state <= STK_STATE_SLEEPING ? names[state] : "?"));
}

static bool
processor_fits(struct where *w, const struct condition *c, uint64_t processor)
{
	char number[24] = "?";

	if (processor > 0)
		(void)snprintf(number, sizeof number, "%llu", (unsigned long long)processor - 1);
	return text_fits(w, c, text_from(number));
}

static bool
decide(struct where *w, struct condition *c, const struct model *model, const struct where_sample *s)
{
	switch (c->what) {
	case WHERE_STATE:    return state_fits(w, c, s->state);
	case WHERE_EVENT:    return text_fits(w, c, s->is_event ? s->name : model_string(model, s->event));
	case WHERE_FUNCTION: return function_fits(w, c, model, s->stack);
	case WHERE_GROUP:    return group_fits(w, c, model, s);
	case WHERE_PROCESSOR: return processor_fits(w, c, s->processor);
	default:             return thread_fits(w, c, model, s);
	}
}

/* The id that decides a condition; false: the decision is not kept. */
static bool
id_of(const struct condition *c, const struct where_sample *s, uint64_t *id)
{
	if (s->is_event && (c->what == WHERE_EVENT || c->what == WHERE_GROUP))
		return false;
	*id = c->what == WHERE_STATE      ? s->state
	      : c->what == WHERE_EVENT    ? s->event
	      : c->what == WHERE_FUNCTION ? s->stack
	      : c->what == WHERE_PROCESSOR ? s->processor
	      : c->what != WHERE_GROUP    ? s->thread
	      : s->stack >= UINT32_MAX / 16 || s->state > 15 ? UINT64_MAX
	      : s->stack == 0                                ? 0
							     : s->stack * 16 + s->state;
	return *id < UINT32_MAX &&
	       (c->what == WHERE_STATE || c->what == WHERE_EVENT || c->what == WHERE_PROCESSOR || *id != 0);
}

bool
condition_holds(struct where *w, struct condition *c, const struct model *model, const struct where_sample *s)
{
	unsigned char *known;
	uint64_t id;

	switch (c->what) {
	case WHERE_AND:  return condition_holds(w, c->left, model, s) && condition_holds(w, c->right, model, s);
	case WHERE_OR:   return condition_holds(w, c->left, model, s) || condition_holds(w, c->right, model, s);
	case WHERE_NOT:  return !condition_holds(w, c->left, model, s);
	case WHERE_TIME:
		return s->time != STK_TIME_UNKNOWN && s->time >= c->from_ns &&
		       (s->time < c->to_ns || c->to_ns == INT64_MAX);
	default:         break;
	}
	if (!id_of(c, s, &id))
		return decide(w, c, model, s);
	known = id_table_at(&c->known, (uint32_t)id);
	if (*known == 0)
		*known = decide(w, c, model, s) ? 2 : 1;
	return *known == 2;
}

bool
where_holds(struct where *where, const struct model *model, const struct where_sample *sample)
{
	where_turn_to(where, model);
	return condition_holds(where, where->root, model, sample);
}
