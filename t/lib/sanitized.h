/* SPDX-License-Identifier: MIT
 * sanitized.h: SANITIZED is defined when the address sanitizer is compiled in, as gcc says it and as clang does. Memory
 * and time are its own then. */
#ifndef T_LIB_SANITIZED_H
#define T_LIB_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#endif
