/* SPDX-License-Identifier: MIT
 * java_symbol: the name of a Java method as thread dumps have it, "com.acme.Shop.sell", from the forms in which
 * profilers and other VMs write it:
 *	Lcom/acme/Shop;::sell			perf-map-agent, async-profiler
 *	Lcom/acme/Shop;.sell			perf-map-agent, dotted
 *	com/acme/Shop.sell(Ljava/lang/Object;I)V	with a descriptor
 *	boolean com.acme.Shop.sell(int)		the VM's own map: result type and parameters
 *	com.acme.Shop::sell			compilers and IDEs, also with a result type and parameters
 *	com/acme/Shop.sell			collapsed stacks of async-profiler
 *	com/acme/Shop.sell_[j], com.acme.Shop.sell_[i]	the same with marks of how it was compiled: _[j] _[i] _[0] _[1]
 *	Lcom/acme/Shop:::sell, com/acme/Shop:.sell	the first two, by stackcollapse-perf.pl */
#ifndef INGEST_JAVA_SYMBOL_H
#define INGEST_JAVA_SYMBOL_H

#include "stkpipe/rows.h"

#include <stdbool.h>

#define JAVA_SYMBOL_MAX 1024	/* a longer one is left as it is */

/* The usual name of it, in room (JAVA_SYMBOL_MAX bytes) or part of the symbol; the symbol itself when it has none of
 * these forms. */
struct stk_text java_symbol_name(struct stk_text symbol, char *room);

/* "com/acme/Shop.sell" as com.acme.Shop.sell, in room, or the name itself when it is longer than that. */
struct stk_text java_dotted_name(struct stk_text name, char *room);

/* Whether it has a form that java_symbol_name changes. */
bool is_java_symbol(struct stk_text symbol);

#endif
