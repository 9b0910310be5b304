/* SPDX-License-Identifier: MIT
 * sha256: SHA-256 (FIPS 180-4) and the authentication code HMAC-SHA-256 (RFC 2104) of texts in memory. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "stkpipe/rows.h"

#include <stdint.h>

#define SHA256_BYTES 32

struct sha256 {
	uint32_t state[8];
	uint64_t bytes;
	unsigned char block[64];
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t size);
void sha256_end(struct sha256 *sha, unsigned char out[SHA256_BYTES]);

/* The code of a text under a key of SHA256_BYTES. */
void hmac_sha256(const unsigned char key[SHA256_BYTES], struct stk_text text, unsigned char out[SHA256_BYTES]);

#endif
