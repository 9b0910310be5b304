/* SPDX-License-Identifier: MIT
 * call_sequences: from YAML nodes to items. */
#include "path/call_sequences.h"

#include "base/bytes.h"
#include "base/config_text.h"
#include "base/text_buffer.h"
#include "path/repetition.h"

struct reading {
	const char *file;
	struct call_sequences *to;
	struct call_sequence *sequence;	/* being read */
	struct stk_error *err;
};

static int
fail_at(const struct reading *r, const struct config_node *node, const char *what, struct stk_text text,
	const char *expected)
{
	return config_fail(r->err, r->file, node, what, text, expected);
}

static struct stk_text
kept(struct reading *r, struct stk_text text)
{
	return text_table_text(&r->to->texts, text_table_number(&r->to->texts, text));
}

/* --- names --- */

/* FUNCTION, FUNCTION:< or FUNCTION:BLOCK. */
static bool
split_name(struct reading *r, struct stk_text word, struct sequence_name *name)
{
	size_t colon = word.size;

	while (colon > 0 && word.data[colon - 1] != ':')
		colon--;
	*name = (struct sequence_name){ .place = SEQUENCE_BEGINS };
	if (colon > 0) {
		struct stk_text block = text_of(word.data + colon, word.size - colon);

		word.size = colon - 1;
		name->place = text_is(block, "<") ? SEQUENCE_ENDS : SEQUENCE_BLOCK;
		if (block.size == 0)
			return false;
		if (name->place == SEQUENCE_BLOCK)
			name->block = kept(r, block);
	}
	if (word.size > 0)
		name->function = text_table_number(&r->to->functions, word);
	return word.size > 0;
}

/* The bit of a name. 0: *r->err says why there is none. */
static uint64_t
name_bit(struct reading *r, const struct config_node *node, struct stk_text word)
{
	struct call_sequence *s = r->sequence;
	struct sequence_name name;

	if (!split_name(r, word, &name)) {
		(void)fail_at(r, node, "not a name", word, "FUNCTION, FUNCTION:BLOCK, or FUNCTION:< for its end");
		return 0;
	}
	for (size_t i = 0; i < s->names.count; i++)
		if (s->names.at[i].function == name.function && s->names.at[i].place == name.place &&
		    text_equal(s->names.at[i].block, name.block))
			return UINT64_C(1) << i;
	if (s->names.count == SEQUENCE_NAMES_MOST) {
		(void)fail_at(r, node, "more than 64 different names in a sequence", text_of("", 0), "");
		return 0;
	}
	*array_push(&s->names) = name;
	return UINT64_C(1) << (s->names.count - 1);
}

static int
add_item(struct reading *r, const struct config_node *node, struct sequence_item item)
{
	if (r->sequence->items.count == SEQUENCE_ITEMS_MOST)
		return fail_at(r, node, "a sequence of more than 4096 items", text_of("", 0), "");
	*array_push(&r->sequence->items) = item;
	return 0;
}

/* Reads "without A,B", which may follow three dots: *from is then what comes after it. */
static int
take_without(struct reading *r, const struct config_node *node, const char **from, const char *end, uint64_t *without)
{
	static const char keyword[] = "without ";
	const char *at = *from;
	struct stk_text names;

	*without = 0;
	while (at < end && *at == ' ')
		at++;
	if ((size_t)(end - at) < sizeof keyword - 1 || memcmp(at, keyword, sizeof keyword - 1) != 0)
		return 0;
	for (at += sizeof keyword - 1; at < end && *at == ' '; at++)
		continue;
	for (*from = at; *from < end && **from != ' '; ++*from)
		continue;
	names = text_of(at, (size_t)(*from - at));
	do {
		uint64_t bit = name_bit(r, node, text_take(&names, ','));

		if (bit == 0)
			return -1;
		*without |= bit;
	} while (names.size > 0);
	return 0;
}

static int add_items(struct reading *r, const struct config_node *node, const char *from, const char *end,
		     unsigned depth);

/* Reads "(A B)*3": *from is then what comes after it. */
static int
add_repeated(struct reading *r, const struct config_node *node, const char **from, const char *end, unsigned depth)
{
	struct repetition of;

	if (!repetition_read(*from, end, SEQUENCE_ITEMS_MOST, &of) || of.times == 0 || depth >= REPETITIONS_NESTED_MOST)
		return fail_at(r, node, "not a repetition", text_of(*from, (size_t)(end - *from)), "(A B)*3");
	while (of.times-- > 0)
		if (add_items(r, node, of.from, of.to, depth + 1) < 0)
			return -1;
	*from = of.rest;
	return 0;
}

/* Names, three dots, and "(ITEMS)*N", with blanks between. */
static int
add_items(struct reading *r, const struct config_node *node, const char *from, const char *end, unsigned depth)
{
	while (from < end) {
		const char *stop = from;
		struct sequence_item item = { 0 };
		struct stk_text word;

		if (*from == ' ') {
			from++;
			continue;
		}
		if (*from == '(') {
			if (add_repeated(r, node, &from, end, depth) < 0)
				return -1;
			continue;
		}
		while (stop < end && *stop != ' ')
			stop++;
		word = text_of(from, (size_t)(stop - from));
		from = stop;
		if (text_is(word, "..."))
			if (take_without(r, node, &from, end, &item.without) < 0)
				return -1;
		if (!text_is(word, "...") && (item.name = name_bit(r, node, word)) == 0)
			return -1;
		if (add_item(r, node, item) < 0)
			return -1;
	}
	return 0;
}

/* --- sequences --- */

static int
check_sequence(struct reading *r, const struct config_node *node)
{
	struct call_sequence *s = r->sequence;
	const struct sequence_item *items = s->items.at;

	if (s->items.count == 0)
		return fail_at(r, node, "an empty sequence", text_of("", 0), "");
	if (items[0].name != 1 || s->names.at[0].place != SEQUENCE_BEGINS)
		return fail_at(r, node, "a sequence that does not begin with a function", text_of("", 0),
			       "[FUNCTION, ..., NAME]: it is looked for in each call of FUNCTION");
	for (size_t i = 1; i < s->items.count; i++)
		if (items[i].name == 0 && items[i - 1].name == 0)
			return fail_at(r, node, "two gaps side by side", text_of("", 0), "a name between them");
	s->root = s->names.at[0].function;
	s->to_end = items[s->items.count - 1].name == 0;
	return 0;
}

static int
read_items(struct reading *r, const struct config_node *node, struct text_buffer *title)
{
	const struct config_node *one = node->type == CONFIG_LIST ? node->first : node;

	if (node->type == CONFIG_MAP)
		return fail_at(r, node, "not a sequence", text_of("", 0), "a list of names");
	for (; one != NULL; one = node->type == CONFIG_LIST ? one->next : NULL) {
		if (one->type != CONFIG_TEXT)
			return fail_at(r, one, "not an item", text_of("", 0), "the name of a function, or three dots");
		if (add_items(r, one, one->text.data, one->text.data + one->text.size, 0) < 0)
			return -1;
		if (title->count > 0)
			add_char(title, ' ');
		add_text(title, one->text);
	}
	return check_sequence(r, node);
}

static int
read_sequence(struct reading *r, const struct config_node *node)
{
	const struct config_node *name = node->type == CONFIG_MAP ? config_member(node, "name") : NULL,
				 *path = node->type == CONFIG_MAP ? config_member(node, "path") : node;
	struct text_buffer title = { 0 };
	int result;

	if (r->to->list.count == SEQUENCES_MOST)
		return fail_at(r, node, "more than 1000 sequences", text_of("", 0), "");
	r->sequence = array_push(&r->to->list);
	*r->sequence = (struct call_sequence){ .line = node->line };
	if (path == NULL)
		return fail_at(r, node, "there is no 'path'", text_of("", 0),
			       "{name: TEXT, path: [FUNCTION, ..., NAME]}");
	result = read_items(r, path, &title);
	if (result == 0 && name != NULL && (name->type != CONFIG_TEXT || name->text.size == 0))
		result = fail_at(r, name, "not a name", text_of("", 0), "a text");
	r->sequence->title = kept(r, result == 0 && name != NULL ? name->text : text_of(title.at, title.count));
	array_release(&title);
	return result;
}

static int
sequences_of_config(struct call_sequences *out, const char *name, const struct config *config, struct stk_error *err)
{
	struct reading r = { .file = name, .to = out, .err = err };
	const struct config_node *root = config_root(config),
				 *list = root->type == CONFIG_MAP ? config_member(root, "sequences") : NULL;
	int result = 0;

	if (list == NULL || list->type != CONFIG_LIST || list->first == NULL)
		result = fail_at(&r, list != NULL ? list : root, "there is no list 'sequences'", text_of("", 0),
				 "sequences, each a list of names");
	for (const struct config_node *one = result == 0 ? list->first : NULL; one != NULL && result == 0;
	     one = one->next)
		result = read_sequence(&r, one);
	if (result < 0)
		call_sequences_release(out);
	return result;
}

int
call_sequences_read_file(struct call_sequences *out, const char *path, struct stk_error *err)
{
	struct config *config;
	int result;

	*out = (struct call_sequences){ 0 };
	if (config_read_file(&config, path, err) < 0)
		return -1;
	result = sequences_of_config(out, path, config, err);
	config_close(config);
	return result;
}

int
call_sequences_read(struct call_sequences *out, const char *name, const char *text, size_t size, struct stk_error *err)
{
	struct config *config;
	int result;

	*out = (struct call_sequences){ 0 };
	if (config_read(&config, text, size, err) < 0)
		return -1;
	result = sequences_of_config(out, name, config, err);
	config_close(config);
	return result;
}

void
call_sequences_release(struct call_sequences *s)
{
	for (size_t i = 0; i < s->list.count; i++) {
		array_release(&s->list.at[i].names);
		array_release(&s->list.at[i].items);
	}
	array_release(&s->list);
	text_table_release(&s->functions);
	text_table_release(&s->texts);
}

/* --- events --- */

bool
sequence_block_is(struct stk_text block, struct stk_text called)
{
	size_t at = 0;

	if (text_equal(block, called))
		return true;
	while (at < block.size && block.data[at] != '@')
		at++;
	return text_equal(text_of(block.data, at), called) ||
	       (at < block.size && text_equal(text_of(block.data + at, block.size - at), called));
}

bool
call_sequence_sees(const struct call_sequence *s, uint32_t function, enum sequence_place place, struct stk_text block,
		   uint64_t *names)
{
	bool sees = false;

	*names = 0;
	for (size_t i = 0; i < s->names.count; i++) {
		const struct sequence_name *name = &s->names.at[i];

		if (name->function != function || name->place != place)
			continue;
		sees = true;
		if (place != SEQUENCE_BLOCK || sequence_block_is(block, name->block))
			*names |= UINT64_C(1) << i;
	}
	return sees;
}
