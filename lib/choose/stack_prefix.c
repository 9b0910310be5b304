/* SPDX-License-Identifier: MIT
 * stack_prefix: texts of prefixes, one for each thread and state, and their numbers: 2 * text + java. */
#include "choose/stack_prefix.h"

#include "base/hash_map.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "choose/naming.h"

#include <stdlib.h>
#include <string.h>

#define KEYS_MAX   16
#define STATES_MAX 16		/* further ones, of newer versions, are one */
#define KNOWN_MOST 4096		/* prefixes by processor that are known without making them anew */

enum key {
	KEY_SOURCE,
	KEY_HOST,
	KEY_PROCESS,
	KEY_THREAD,
	KEY_POOL,
	KEY_STATE,
	KEY_PID,
	KEY_TID,
	KEY_COMMAND,
	KEY_COMMAND_PID,
	KEY_COMMAND_TID,
	KEY_NONE,
	KEY_PROCESSOR,
	KEY_DEFAULT,		/* pool in dumps, command elsewhere */
	KEY_COUNT
};

static const char *const key_names[KEY_COUNT] = {
	"source", "host", "process", "thread", "pool", "state", "pid", "tid", "command", "command-pid", "command-tid",
	"none", "processor", "default"
};

/* prefix: 0: none yet */
struct known_prefix { uint64_t thread, state; int64_t processor; uint32_t prefix; bool in_dump; };

struct stack_prefixes {
	const struct model *model;
	enum key keys[KEYS_MAX];
	unsigned key_count;			/* 0: the usual first element */
	bool by_state, by_processor, fold;
	struct known_prefix *known;		/* by_processor: KNOWN_MOST, those met last */
	struct id_table of_thread;		/* one for each state, those of samples in dumps after the others; 0:
						 * not yet known */
	struct text_table texts;
	struct text_buffer scratch;
};

static unsigned
key_of(const char *at, size_t size)
{
	unsigned k = 0;

	while (k < KEY_COUNT && !text_is(text_of(at, size), key_names[k]))
		k++;
	return k;
}

bool
stack_prefixes_known(const char *keys)
{
	unsigned count = 0;
	bool known = true;

	for (const char *at = keys; *at != '\0'; count++) {
		size_t size = strcspn(at, ",");

		known = known && key_of(at, size) < KEY_COUNT && key_of(at, size) != KEY_PROCESSOR;
		at += size + (at[size] == ',');
	}
	return known && count <= KEYS_MAX;
}

static int
read_keys(struct stack_prefixes *p, const char *list, bool processors, struct stk_error *err)
{
	for (const char *at = list; at != NULL && *at != '\0'; ) {
		size_t size = strcspn(at, ",");
		unsigned k = key_of(at, size);

		if (k == KEY_COUNT)
			return stk_fail(
				err, STK_EUSAGE,
				"--by: '%.*s' is not one of source, host, process, thread, pool, state, pid, tid, "
				"command, command-pid, command-tid, none, default%s",
				(int)size, at, processors ? ", processor" : "");
		if (k == KEY_PROCESSOR && !processors)
			return stk_fail(err, STK_EUSAGE, "--by processor works only in stkgroup");
		if (p->key_count == KEYS_MAX)
			return stk_fail(err, STK_EUSAGE, "--by: more than %d keys", KEYS_MAX);
		p->by_state |= k == KEY_STATE;
		p->by_processor |= k == KEY_PROCESSOR;
		p->keys[p->key_count++] = (enum key)k;
		at += size + (at[size] == ',');
	}
	return 0;
}

static int
open_prefixes(struct stack_prefixes **out, const struct model *model, const char *keys, bool processors,
	      struct stk_error *err)
{
	struct stack_prefixes *prefixes = mem_new(1, sizeof *prefixes);

	*out = prefixes;
	prefixes->model = model;
	prefixes->of_thread.size = 2 * STATES_MAX * sizeof(uint32_t);
	prefixes->known = processors ? mem_new(KNOWN_MOST, sizeof *prefixes->known) : NULL;
	return read_keys(prefixes, keys, processors, err);
}

int
stack_prefixes_open(struct stack_prefixes **out, const struct model *model, const char *keys, struct stk_error *err)
{
	return open_prefixes(out, model, keys, false, err);
}

int
stack_prefixes_open_processors(struct stack_prefixes **out, const struct model *model, const char *keys,
			       struct stk_error *err)
{
	return open_prefixes(out, model, keys, true, err);
}

void
stack_prefixes_fold(struct stack_prefixes *prefixes)
{
	prefixes->fold = prefixes->key_count == 0 || (prefixes->key_count == 1 && (prefixes->keys[0] == KEY_POOL ||
									  prefixes->keys[0] == KEY_DEFAULT));
}

void
stack_prefixes_forget(struct stack_prefixes *prefixes)
{
	stack_prefixes_turn(prefixes);
	text_table_clear(&prefixes->texts);
}

void
stack_prefixes_turn(struct stack_prefixes *prefixes)
{
	id_table_clear(&prefixes->of_thread);
	if (prefixes->known != NULL)
		memset(prefixes->known, 0, KNOWN_MOST * sizeof *prefixes->known);
}

void
stack_prefixes_close(struct stack_prefixes *prefixes)
{
	if (prefixes == NULL)
		return;
	id_table_clear(&prefixes->of_thread);
	text_table_release(&prefixes->texts);
	array_release(&prefixes->scratch);
	free(prefixes->known);
	free(prefixes);
}

/* --- the elements before the frames --- */

/* A ';' would begin another element, a newline another line. perf's commands are written with '_' for blanks. */
static void
add_element(struct text_buffer *to, struct stk_text text, bool command)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];

		add_char(to, c == ';' ? ':' : c == '\n' || c == '\r' ? ' ' : c == ' ' && command ? '_' : c);
	}
}

static void
add_number_or_unknown(struct text_buffer *to, uint64_t number)
{
	if (number == 0)
		add_char(to, '?');
	else
		add_unsigned(to, number);
}

/* 0 is a thread id of recordings: the idle task's. */
static void
add_tid(struct text_buffer *to, const struct stk_thread *thread, bool in_dump)
{
	if (in_dump)
		add_number_or_unknown(to, thread->tid);
	else
		add_unsigned(to, thread->tid);
}

static void
add_process(struct text_buffer *to, const struct model *model, const struct stk_source *source)
{
	struct stk_text name = model_string(model, source->process);

	if (name.size > 0)
		add_element(to, name, false);
	else
		add_number_or_unknown(to, source->pid);
}

/* What a sample has besides its thread. */
struct circumstances { uint64_t dump, state; int64_t processor; };

static void
add_known_name(struct text_buffer *to, struct stk_text name)
{
	if (name.size > 0)
		add_element(to, name, false);
	else
		add_char(to, '?');
}

static void
add_processor(struct text_buffer *to, int64_t processor)
{
	if (processor < 0)
		add_char(to, '?');
	else
		add_unsigned(to, (uint64_t)processor);
}

static void
add_key(struct stack_prefixes *p, enum key key, const struct stk_thread *thread, const struct stk_source *source,
	const struct circumstances *in)
{
	const char *const *states = stk_schema()->kind[STK_SAMPLE].column[STK_COLUMN(sample, state)].names;
	const struct model *model = p->model;
	struct text_buffer *to = &p->scratch;
	struct stk_text name = model_string(model, thread->name);
	bool in_dump = in->dump != 0;

	switch (key) {
	case KEY_SOURCE:  add_element(to, model_string(model, source->name), false); break;
	case KEY_HOST:    add_known_name(to, model_string(model, source->host)); break;
	case KEY_PROCESS: add_process(to, model, source); break;
	case KEY_THREAD:  add_element(to, name, false); break;
	case KEY_POOL:    add_element(to, naming_pool(name), false); break;
	case KEY_STATE:   add_string(to, in->state <= STK_STATE_SLEEPING ? states[in->state] : "?"); break;
	case KEY_PROCESSOR: add_processor(to, in->processor); break;
	case KEY_PID:     add_number_or_unknown(to, source->pid); break;
	case KEY_TID:     add_tid(to, thread, in_dump); break;
	case KEY_COMMAND: case KEY_COMMAND_PID: case KEY_COMMAND_TID:
		add_element(to, name, true);
		if (key != KEY_COMMAND) {
			add_char(to, '-');
			add_number_or_unknown(to, source->pid);
		}
		if (key == KEY_COMMAND_TID) {
			add_char(to, '/');
			add_tid(to, thread, in_dump);
		}
		break;
	default:
		break;
	}
}

static bool
is_of_source(enum key key)
{
	return key == KEY_SOURCE || key == KEY_HOST || key == KEY_PROCESS || key == KEY_PID;
}

static bool
is_of_sample(enum key key)
{
	return key == KEY_STATE || key == KEY_NONE || key == KEY_PROCESSOR;
}

static void
add_keys(struct stack_prefixes *p, uint64_t thread_id, const struct circumstances *in)
{
	const struct model *model = p->model;
	struct stk_thread thread = model_thread(model, thread_id);
	uint64_t source_id = model_sample_source(model, thread_id, in->dump);
	struct stk_source source = model_source(model, source_id);
	bool known = model_knows(model, STK_THREAD, thread_id),
	     source_known = model_knows(model, STK_SOURCE, source_id);
	enum key usual = in->dump != 0 ? KEY_POOL : KEY_COMMAND;

	p->scratch.count = 0;
	for (unsigned k = 0; k < p->key_count || k == 0; k++) {
		enum key key = p->key_count == 0 || p->keys[k] == KEY_DEFAULT ? usual : p->keys[k];

		if (k > 0)
			add_char(&p->scratch, ';');
		if (is_of_source(key) ? source_known : known || is_of_sample(key))
			add_key(p, key, &thread, &source, in);
		else
			add_char(&p->scratch, '?');
	}
}

/* With '*' for the numbers between dashes, and after the last. */
static void
fold_pool(struct stk_text text, struct text_buffer *folded)
{
	for (size_t i = 0, digits; i < text.size; i += digits == 0 ? 1 : digits) {
		for (digits = 0; i > 0 && text.data[i - 1] == '-' && i + digits < text.size &&
				 text.data[i + digits] >= '0' && text.data[i + digits] <= '9';)
			digits++;
		if (digits > 0 && i + digits < text.size && text.data[i + digits] != '-')
			digits = 0;
		add_char(folded, digits > 0 ? '*' : text.data[i]);
	}
}

bool
stack_prefix_folds(const struct stack_prefixes *p, struct stk_text text)
{
	struct text_buffer folded = { 0 };
	bool other;

	fold_pool(text, &folded);
	other = !text_equal(text_in(&folded, 0), text);
	array_release(&folded);
	return p->fold && other;
}

static uint32_t
number_of(struct stack_prefixes *p, struct stk_text text)
{
	struct text_buffer folded = { 0 };
	uint32_t number;

	if (!p->fold)
		return text_table_number(&p->texts, text);
	fold_pool(text, &folded);
	number = text_table_number(&p->texts, text_in(&folded, 0));
	array_release(&folded);
	return number;
}

static uint32_t
make_prefix(struct stack_prefixes *p, uint64_t thread, const struct circumstances *in)
{
	struct stk_text name = model_string(p->model, model_thread(p->model, thread).name);

	add_keys(p, thread, in);
	return 2 * number_of(p, text_in(&p->scratch, 0)) + (in->dump == 0 && text_starts(name, "java"));
}

/* Rare cases are not kept: a sample of a dump without a thread, which takes the dump's source, and one whose thread's
 * definition was lost. */
static bool
is_rare(const struct stack_prefixes *p, uint64_t thread, uint64_t dump)
{
	return !model_knows(p->model, STK_THREAD, thread) || (thread == 0 && dump != 0);
}

uint32_t
stack_prefix(struct stack_prefixes *p, uint64_t thread, uint64_t dump, uint64_t state)
{
	const struct circumstances in = { dump, state, -1 };
	uint32_t *prefix;

	if (is_rare(p, thread, dump))
		return make_prefix(p, thread, &in);
	prefix = id_table_at(&p->of_thread, (uint32_t)thread);
	prefix += (dump != 0 ? STATES_MAX : 0) + (!p->by_state ? 0 : state < STATES_MAX ? state : STATES_MAX - 1);
	if (*prefix == 0)
		*prefix = make_prefix(p, thread, &in);
	return *prefix;
}

uint32_t
stack_prefix_on(struct stack_prefixes *p, uint64_t thread, uint64_t dump, uint64_t state, int64_t processor)
{
	const struct circumstances in = { dump, state, processor };
	struct known_prefix *known;

	if (!p->by_processor)
		return stack_prefix(p, thread, dump, state);
	if (is_rare(p, thread, dump))
		return make_prefix(p, thread, &in);
	known = &p->known[hash_pair(hash_pair(thread, state), (uint64_t)processor) % KNOWN_MOST];
	if (known->prefix == 0 || known->thread != thread || known->state != state ||
	    known->processor != processor || known->in_dump != (dump != 0))
		*known = (struct known_prefix){ thread, state, processor, make_prefix(p, thread, &in), dump != 0 };
	return known->prefix;
}

bool
stack_prefix_is_of_thread(const struct stack_prefixes *prefixes)
{
	return !prefixes->by_state && !prefixes->by_processor;
}

uint32_t
stack_prefix_of_text(struct stack_prefixes *prefixes, struct stk_text text, bool java)
{
	return 2 * number_of(prefixes, text) + java;
}

struct stk_text
stack_prefix_text(const struct stack_prefixes *prefixes, uint32_t prefix)
{
	return text_table_text(&prefixes->texts, prefix / 2);
}
