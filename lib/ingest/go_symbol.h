/* SPDX-License-Identifier: MIT
 * go_symbol: the name of a Go function with its package's path as people write it: "gopkg.in/yaml.v2.Unmarshal". Symbols
 * have "gopkg.in/yaml%2ev2.Unmarshal": in the last part of a path the compiler escapes dots, and everywhere quotes, '%',
 * blanks and what is not ASCII. Names without an escaped dot there, which URLs have as well, stay as they are. */
#ifndef INGEST_GO_SYMBOL_H
#define INGEST_GO_SYMBOL_H

#include "stkpipe/rows.h"

#define GO_SYMBOL_MAX 1024	/* a longer one is left as it is */

/* The name in room (GO_SYMBOL_MAX bytes), or the symbol itself when nothing in it is escaped. */
struct stk_text go_symbol_name(struct stk_text symbol, char *room);

#endif
