/* SPDX-License-Identifier: MIT
 * jvm_name: names of functions of Scala, Kotlin and Java as their sources have them, in place of those that compilers
 * made for the VM. */
#ifndef MODEL_JVM_NAME_H
#define MODEL_JVM_NAME_H

#include "model/plain_name.h"

/* Adds the name, which may be the one given. which: PLAIN_SCALA, PLAIN_KOTLIN, PLAIN_JAVA. */
void jvm_name_add(struct text_buffer *to, uint64_t which, struct stk_text name);

#endif
