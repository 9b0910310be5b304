/* SPDX-License-Identifier: MIT
 * plain_name: the names of functions as their sources have them, in place of what compilers made of them. Different
 * code may get the same name: suffixes are left out, and hashes of Rust's symbols. */
#ifndef MODEL_PLAIN_NAME_H
#define MODEL_PLAIN_NAME_H

#include "base/text_buffer.h"

enum plain_names {		/* bits, in the order of PLAIN_NAME_WORDS */
	PLAIN_NATIVE = 1,	/* _ZN4acme4Cart5totalEv: acme::Cart::total(); symbols of Rust too */
	PLAIN_SCALA = 2,	/* Cart.$anonfun$$plus$eq$1: Cart.+={lambda#1} */
	PLAIN_KOTLIN = 4,	/* CartKt.total$lambda$0: total{lambda#0} */
	PLAIN_JAVA = 8,		/* Cart.lambda$total$0: Cart.total{lambda#0} */
	PLAIN_SUFFIXES = 16,	/* total.isra.0, total_[k], total+0x1a/0x30, total@@ACME_1.2: total */
	PLAIN_ALL = 32
};

#define PLAIN_NAME_WORDS "native (C++, Rust), scala, kotlin, java, suffixes, all"
#define PLAIN_SYMBOL_MAX 4096	/* bytes; a longer symbol of C++ or Rust is left as it is */
#define PLAIN_NAME_MAX   16384	/* likewise one whose name would be longer: they can grow without bounds */

/* The name, in `room`, or the function itself where it has none of these forms. */
struct stk_text plain_name(uint64_t which, struct stk_text function, struct text_buffer *room);

/* Why these cannot be had, when this program was built without libiberty; NULL: they can. */
const char *plain_name_missing(uint64_t which);

#endif
