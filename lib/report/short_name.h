/* SPDX-License-Identifier: MIT
 * short_name: names of functions for people. */
#ifndef REPORT_SHORT_NAME_H
#define REPORT_SHORT_NAME_H

#include "base/text_buffer.h"

/* A function's name without its packages, its namespaces and what it returns: "Shop.hash" of
 * "com.example.shop.Shop.hash". */
struct stk_text short_name(struct stk_text name);
/* Whether a short name begins with a class: "Shop.hash" does, "tcp_recvmsg.isra.9" does not. */
bool is_class_name(struct stk_text name);
/* Functions of the Java platform: they say how something is done, not what. */
bool is_platform(struct stk_text name);

#endif
