/* SPDX-License-Identifier: MIT
 * wide_clones: loops over whole columns for several kinds of processor. */
#ifndef STREAM_WIDE_CLONES_H
#define STREAM_WIDE_CLONES_H

/* Compiled twice, the second time for processors with wider registers; which one runs is decided when the program
 * starts, by the C library, as musl does not. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__)
#define WIDE_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define WIDE_CLONES
#endif

#endif
