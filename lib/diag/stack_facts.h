/* SPDX-License-Identifier: MIT
 * stack_facts: what the rules need to know of a stack, found out once for each distinct stack: its functions without
 * what is generated anew each time, where in the program it stands, and what it waits for. */
#ifndef DIAG_STACK_FACTS_H
#define DIAG_STACK_FACTS_H

#include "base/text_table.h"
#include "group/scheme.h"
#include "model/model.h"

/* What a thread stands in, by the groups of the scheme `waits`, whose names these are. */
#define WAIT_KINDS(KIND) \
	KIND(CONNECTION, "connection") KIND(SEMAPHORE, "semaphore") KIND(RATE, "rate limit") KIND(FULL, "queue full") \
	KIND(MUTEX, "mutex") KIND(RESULT, "result") KIND(LOCK, "lock") KIND(IO, "io") KIND(SLEEP, "sleep") \
	KIND(NOTIFY, "notify") KIND(LOGGING, "logging") KIND(TRY, "try lock")

enum wait_kind {
	WAIT_NONE,
#define KIND(name, text) WAIT_##name,
	WAIT_KINDS(KIND)
#undef KIND
	WAIT_KINDS_COUNT
};

struct stack_fact {
	uint32_t first, depth;		/* its functions: numbers of texts, from the leaf on */
	uint32_t place;			/* the function nearest the leaf that is not of the runtime's own library; 0:
					 * none */
	uint32_t own;			/* the one nearest the leaf that is not of a well-known library either; else
					 * place, else the leaf */
	enum wait_kind waits;
	bool idle;			/* its thread has nothing to do */
	bool initializes;		/* in <clinit>: a class's initialization */
	bool loads;			/* loads a class */
};

struct stack_facts;

/* The schemes become its own; waits and idle may be NULL: then nothing is known of what stacks wait for. */
void stack_facts_open(struct stack_facts **out, struct text_table *texts, struct scheme *waits, struct scheme *idle);
void stack_facts_close(struct stack_facts *facts);
/* Ids of stacks start anew. */
void stack_facts_turn(struct stack_facts *facts);

/* The number of a stack of the present stream, equal for those of equal functions; 0 for one without frames. */
uint32_t stack_facts_number(struct stack_facts *facts, const struct model *model, uint64_t stack);
/* A zeroed fact for number 0. Valid until the next stack_facts_number. */
const struct stack_fact *stack_fact(const struct stack_facts *facts, uint32_t number);
/* The function below `above` others, counted from the leaf; 0 when there is none. */
uint32_t stack_fact_function(const struct stack_facts *facts, uint32_t number, uint32_t above);
/* The first function of the program itself from there on towards the root; else that function. */
uint32_t stack_fact_place(const struct stack_facts *facts, uint32_t number, uint32_t above);
/* A text by its number. */
struct stk_text stack_facts_text(const struct stack_facts *facts, uint32_t text);
/* Whether a thread without frames has nothing to do, by its name. */
bool stack_facts_idle_thread(struct stack_facts *facts, const struct model *model, uint64_t thread);
size_t stack_facts_bytes(const struct stack_facts *facts);

#endif
