/* SPDX-License-Identifier: MIT
 * stack_facts: a stack is known by the chain of its functions. Ids of a stream lead to facts through a table, which is
 * cleared when another stream begins; the facts stay. */
#include "diag/stack_facts.h"

#include "base/bytes.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/text_buffer.h"
#include "group/grouping.h"
#include "model/frame_identity.h"

#include <stdlib.h>
#include <xxhash.h>

#define FUNCTION_MAX 4096	/* bytes of a function's name that tell it from others */
#define TRY_DEPTH    6		/* frames from the leaf on, in which a lock is tried */
#define LOAD_DEPTH   8		/* in which a class is loaded */
#define FRAMES_MAX   8192	/* of a stack, from the leaf on: those below are not looked at */

struct stack_facts {
	struct text_table *texts;
	struct scheme *waits_scheme, *idle_scheme;
	struct grouping *waits, *idle;
	ARRAY(enum wait_kind) kinds;	/* of the groups of waits, by number */
	struct hash_map map;
	ARRAY(struct stack_fact) facts;	/* number n at [n - 1] */
	ARRAY(uint32_t) functions;
	ARRAY(uint32_t) places;		/* beside functions: the first from there on that is no library's; 0: none */
	ARRAY(uint32_t) frames;		/* of the stack at hand */
	struct text_buffer text;	/* the name at hand */
	struct id_table of_frame;	/* uint32_t texts, of the present stream */
	struct id_table of_stack;	/* uint32_t: a fact's number + 1 */
};

/* --- opening --- */

static enum wait_kind
kind_of_name(struct stk_text name)
{
	static const char *const names[] = {
		[WAIT_NONE] = "",
#define KIND(kind, text) [WAIT_##kind] = text,
		WAIT_KINDS(KIND)
#undef KIND
	};

	for (unsigned k = WAIT_NONE + 1; k < WAIT_KINDS_COUNT; k++)
		if (text_is(name, names[k]))
			return (enum wait_kind)k;
	return WAIT_NONE;
}

/* A group below one of the known names is of that kind too, so that users can divide them. */
static void
name_kinds(struct stack_facts *facts)
{
	*array_push(&facts->kinds) = WAIT_NONE;
	for (size_t g = 0; g < facts->waits_scheme->groups.count; g++) {
		const struct scheme_group *group = &facts->waits_scheme->groups.at[g];
		enum wait_kind kind = kind_of_name(group->name);

		if (kind == WAIT_NONE)
			kind = facts->kinds.at[group->parent];
		*array_push(&facts->kinds) = kind;
	}
}

void
stack_facts_open(struct stack_facts **out, struct text_table *texts, struct scheme *waits, struct scheme *idle)
{
	struct stack_facts *facts = *out = mem_new(1, sizeof *facts);

	facts->texts = texts;
	facts->waits_scheme = waits;
	facts->idle_scheme = idle;
	facts->of_frame.size = facts->of_stack.size = sizeof(uint32_t);
	if (waits != NULL) {
		grouping_open(&facts->waits, waits);
		name_kinds(facts);
	}
	if (idle != NULL)
		grouping_open(&facts->idle, idle);
}

void
stack_facts_close(struct stack_facts *facts)
{
	if (facts == NULL)
		return;
	grouping_close(facts->waits);
	grouping_close(facts->idle);
	scheme_close(facts->waits_scheme);
	scheme_close(facts->idle_scheme);
	array_release(&facts->kinds);
	hash_map_release(&facts->map);
	array_release(&facts->facts);
	array_release(&facts->functions);
	array_release(&facts->places);
	array_release(&facts->frames);
	array_release(&facts->text);
	id_table_clear(&facts->of_frame);
	id_table_clear(&facts->of_stack);
	free(facts);
}

void
stack_facts_turn(struct stack_facts *facts)
{
	id_table_clear(&facts->of_frame);
	id_table_clear(&facts->of_stack);
	if (facts->waits != NULL)
		grouping_turn(facts->waits);
	if (facts->idle != NULL)
		grouping_turn(facts->idle);
}

/* --- a stack --- */

/* The file's name when it is one of Python's own library that threads wait in; else empty. */
static struct stk_text
python_library(const struct model *model, uint64_t file)
{
	static const char *const files[] = { "threading.py", "queue.py",      "socket.py",       "ssl.py",
					     "selectors.py", "subprocess.py", "socketserver.py", "connection.py",
					     "thread.py",    "_base.py",      "pool.py",         "base_events.py",
					     "runners.py" };
	struct stk_text path = model_string(model, file), name = path;
	const char *slash = path.size == 0 ? NULL : memrchr(path.data, '/', path.size);

	if (slash != NULL)
		name = text_of(slash + 1, (size_t)(path.data + path.size - slash) - 1);
	for (size_t f = 0; f < sizeof files / sizeof *files; f++)
		if (text_is(name, files[f]))
			return name;
	return text_of("", 0);
}

/* "wait (threading.py)" */
static uint32_t
python_function(struct stack_facts *facts, struct stk_text function, struct stk_text file)
{
	facts->text.count = 0;
	add_text(&facts->text, function);
	add_string(&facts->text, " (");
	add_text(&facts->text, file);
	add_char(&facts->text, ')');
	return text_table_number(facts->texts, text_in(&facts->text, 0));
}

static uint32_t
function_of(struct stack_facts *facts, const struct model *model, uint64_t frame)
{
	static const struct identity_options folded;
	uint32_t *known = id_table_at(&facts->of_frame, frame);
	struct stk_frame row;
	struct stk_text file;
	char text[FUNCTION_MAX];
	size_t size;

	if (*known != 0)
		return *known;
	row = model_frame(model, frame);
	file = python_library(model, row.file);
	if (file.size > 0)
		return *known = python_function(facts, model_string(model, row.function), file);
	size = frame_identity(&(struct frame_names){ .function = model_string(model, row.function),
						     .module = model_string(model, row.module),
						     .form = row.form },
			      &folded, text, sizeof text);
	return *known = text_table_number(facts->texts, text_of(text, size < sizeof text ? size : sizeof text));
}

static void
list_functions(struct stack_facts *facts, const struct model *model, uint64_t stack)
{
	uint64_t parent;

	facts->frames.count = 0;
	for (uint64_t at = stack; at != 0 && facts->frames.count < FRAMES_MAX; at = parent < at ? parent : 0) {
		struct stk_stack row = model_stack(model, at);

		if (!model_knows(model, STK_STACK, at))
			break;
		*array_push(&facts->frames) = function_of(facts, model, row.frame);
		parent = row.parent;
	}
}

/* Functions that every program has: of Java's, Go's and C's libraries, by how their names begin. Those of Python's have
 * their file with them. */
static bool
is_of_library(struct stk_text function)
{
	static const char *const beginnings[] = {
		"java.", "javax.", "jdk.", "sun.", "com.sun.", "java/", "jdk/",
		"runtime.", "sync.", "internal/", "syscall.",
		"pthread_", "__pthread_", "___pthread_", "lll_", "__lll_", "futex_", "__futex_", "__GI_", "__gthread_",
		"syscall", "std::", "start_thread", "clone", "__new_sem_", "sem_"
	};

	for (size_t b = 0; b < sizeof beginnings / sizeof *beginnings; b++)
		if (text_starts(function, beginnings[b]))
			return true;
	return text_ends(function, ".py)");
}

/* Libraries that programs call, or are called by, and that are not their own code. */
static bool
is_well_known(struct stk_text function)
{
	static const char *const beginnings[] = {
		"org.apache.http.", "org.apache.hc.", "org.apache.commons.", "org.apache.tomcat.", "org.apache.catalina.",
		"org.apache.coyote.", "org.apache.log4j.", "org.apache.logging.", "org.apache.kafka.", "org.postgresql.",
		"org.mariadb.", "org.h2.", "org.hibernate.", "org.springframework.", "org.eclipse.jetty.", "org.jboss.",
		"org.slf4j.", "com.mysql.", "com.microsoft.sqlserver.", "com.zaxxer.hikari.", "com.mchange.",
		"com.alibaba.druid.", "com.google.common.", "com.mongodb.", "com.fasterxml.", "com.squareup.", "oracle.",
		"redis.clients.", "io.lettuce.", "io.netty.", "io.undertow.", "io.github.resilience4j.", "io.github.bucket4j.",
		"okhttp3.", "okio.", "reactor.", "ch.qos.logback.", "kotlin.", "kotlinx.", "scala.", "groovy.", "net.", "net/",
		"google.golang.org/", "golang.org/x/", "database/sql."
	};

	for (size_t b = 0; b < sizeof beginnings / sizeof *beginnings; b++)
		if (text_starts(function, beginnings[b]))
			return true;
	return false;
}

static uint32_t
own_function(const struct stack_facts *facts, const struct stack_fact *fact)
{
	for (size_t f = 0; f < facts->frames.count; f++) {
		struct stk_text function = text_table_text(facts->texts, facts->frames.at[f]);

		if (!is_of_library(function) && !is_well_known(function))
			return facts->frames.at[f];
	}
	return fact->place != 0 || facts->frames.count == 0 ? fact->place : facts->frames.at[0];
}

/* Keeps the frames at hand as the functions of a new fact, from the root back to the leaf: each knows the place that
 * the one below it has. */
static void
keep_functions(struct stack_facts *facts)
{
	size_t first = facts->functions.count;
	uint32_t place = 0;

	array_lengthen(&facts->functions, first + facts->frames.count);
	array_lengthen(&facts->places, first + facts->frames.count);
	for (size_t f = facts->frames.count; f-- > 0; ) {
		if (!is_of_library(text_table_text(facts->texts, facts->frames.at[f])))
			place = facts->frames.at[f];
		facts->functions.at[first + f] = facts->frames.at[f];
		facts->places.at[first + f] = place;
	}
}

/* A thread that tries a lock for a time parks meanwhile; one that only asks does not. */
static bool
only_tries(const struct stack_facts *facts)
{
	for (size_t f = 0; f < facts->frames.count && f < TRY_DEPTH; f++)
		if (text_ends(text_table_text(facts->texts, facts->frames.at[f]), ".park") ||
		    text_ends(text_table_text(facts->texts, facts->frames.at[f]), ".parkNanos"))
			return false;
	for (size_t f = 0; f < facts->frames.count && f < TRY_DEPTH; f++)
		if (text_ends(text_table_text(facts->texts, facts->frames.at[f]), ".tryLock"))
			return true;
	return false;
}

static void
find_waits(struct stack_facts *facts, const struct model *model, uint64_t stack, struct stack_fact *fact)
{
	const uint32_t *groups;

	if (facts->waits != NULL && grouping_of_stack(facts->waits, model, stack, &groups) > 0)
		fact->waits = facts->kinds.at[groups[0]];
	if (fact->waits == WAIT_LOCK && only_tries(facts))
		fact->waits = WAIT_TRY;
	/* a pool of connections waits as an idle consumer does, by a queue */
	fact->idle = (fact->waits < WAIT_CONNECTION || fact->waits > WAIT_FULL) && facts->idle != NULL &&
		grouping_of_stack(facts->idle, model, stack, &groups) > 0;
}

static bool
is_of_loading(struct stk_text function)
{
	return text_ends(function, ".loadClass") || text_starts(function, "java.lang.Class.forName");
}

static uint32_t
fact_new(struct stack_facts *facts, const struct model *model, uint64_t stack, uint64_t hash)
{
	struct stack_fact fact = { .first = (uint32_t)facts->functions.count,
				   .depth = (uint32_t)facts->frames.count };

	keep_functions(facts);
	fact.place = fact.depth == 0 ? 0 : facts->places.at[fact.first];
	fact.own = own_function(facts, &fact);
	find_waits(facts, model, stack, &fact);
	for (size_t f = 0; f < facts->frames.count; f++) {
		fact.initializes |= text_ends(text_table_text(facts->texts, facts->frames.at[f]), ".<clinit>");
		fact.loads |= f < LOAD_DEPTH && is_of_loading(text_table_text(facts->texts, facts->frames.at[f]));
	}
	*array_push(&facts->facts) = fact;
	hash_map_put(&facts->map, hash, (uint32_t)facts->facts.count);
	return (uint32_t)facts->facts.count;
}

static uint32_t
fact_of_frames(struct stack_facts *facts, const struct model *model, uint64_t stack)
{
	size_t size = facts->frames.count * sizeof *facts->frames.at;
	uint64_t hash = XXH3_64bits(facts->frames.at, size);
	uint32_t at = hash_map_start(&facts->map, hash), number;

	while ((number = hash_map_next(&facts->map, hash, &at)) != 0) {
		const struct stack_fact *fact = &facts->facts.at[number - 1];

		if (fact->depth == facts->frames.count &&
		    memcmp(facts->functions.at + fact->first, facts->frames.at, size) == 0)
			return number;
	}
	return fact_new(facts, model, stack, hash);
}

uint32_t
stack_facts_number(struct stack_facts *facts, const struct model *model, uint64_t stack)
{
	uint32_t *known = stack == 0 ? NULL : id_table_find(&facts->of_stack, stack);

	if (known != NULL && *known != 0)
		return *known - 1;
	if (stack == 0 || !model_knows(model, STK_STACK, stack))
		return 0;
	known = id_table_at(&facts->of_stack, stack);
	if (*known == 0) {
		list_functions(facts, model, stack);
		*known = facts->frames.count == 0 ? 1 : fact_of_frames(facts, model, stack) + 1;
	}
	return *known - 1;
}

const struct stack_fact *
stack_fact(const struct stack_facts *facts, uint32_t number)
{
	static const struct stack_fact none;

	return number == 0 ? &none : &facts->facts.at[number - 1];
}

uint32_t
stack_fact_function(const struct stack_facts *facts, uint32_t number, uint32_t above)
{
	const struct stack_fact *fact = stack_fact(facts, number);

	return above < fact->depth ? facts->functions.at[fact->first + above] : 0;
}

uint32_t
stack_fact_place(const struct stack_facts *facts, uint32_t number, uint32_t above)
{
	const struct stack_fact *fact = stack_fact(facts, number);
	uint32_t place = above < fact->depth ? facts->places.at[fact->first + above] : 0;

	return place != 0 ? place : stack_fact_function(facts, number, above);
}

struct stk_text
stack_facts_text(const struct stack_facts *facts, uint32_t text)
{
	return text_table_text(facts->texts, text);
}

bool
stack_facts_idle_thread(struct stack_facts *facts, const struct model *model, uint64_t thread)
{
	const uint32_t *groups;

	return facts->idle != NULL && grouping_of_thread(facts->idle, model, thread, &groups) > 0;
}

size_t
stack_facts_bytes(const struct stack_facts *facts)
{
	return facts->facts.room * sizeof *facts->facts.at + facts->functions.room * sizeof *facts->functions.at +
		facts->places.room * sizeof *facts->places.at +
		hash_map_bytes(&facts->map) + id_table_bytes(&facts->of_frame) + id_table_bytes(&facts->of_stack);
}
