/* SPDX-License-Identifier: MIT
 * scan_hash_avx2: scan_hash for processors with AVX2; only scan_text.c, which checks the processor, calls it. */
#ifndef INGEST_SCAN_HASH_AVX2_H
#define INGEST_SCAN_HASH_AVX2_H

#include "ingest/scan_text.h"

/* The same hash. Only where __builtin_cpu_supports("avx2"). */
struct text_hash scan_hash_avx2(struct stk_text text);

#endif
