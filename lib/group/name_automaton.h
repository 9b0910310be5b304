/* SPDX-License-Identifier: MIT
 * name_automaton: which of many patterns a name matches, at once: the patterns are one automaton, whose states are
 * computed as names need them. A name costs a step for each of its characters where its states are known; a new state
 * costs a step for each place in the patterns at which the name may be: at most all characters of all patterns.
 *
 *	malloc            the name itself
 *	*  at an end      any run                     java.util.*   *Exception   *
 *	*  within         a run without . / or :      com.acme.*.run
 *	**                any run                     com.acme.**.run
 *	{a,b}             either                      acme.{dll,ni.dll}
 *	/REGEX/           POSIX extended, anywhere in the name unless anchored
 *	\                 takes the next character as it is */
#ifndef GROUP_NAME_AUTOMATON_H
#define GROUP_NAME_AUTOMATON_H

#include "base/array.h"
#include "stkpipe/error.h"
#include "stkpipe/rows.h"

struct name_automaton;

/* Numbers of patterns, ascending, each once. */
struct pattern_set { ARRAY(uint32_t) list; };

void name_automaton_open(struct name_automaton **out);
void name_automaton_close(struct name_automaton *automaton);

/* Returns the pattern's number, from 0 on in the order of adding; an equal text has the same. -1 with *err: a bad
 * expression. */
int64_t name_automaton_add(struct name_automaton *automaton, struct stk_text pattern, struct stk_error *err);
uint32_t name_automaton_patterns(const struct name_automaton *automaton);
struct stk_text name_automaton_pattern(const struct name_automaton *automaton, uint32_t number);

/* The patterns that match the whole name. */
void name_automaton_match(struct name_automaton *automaton, struct stk_text name, struct pattern_set *to);

#endif
