/* SPDX-License-Identifier: MIT
 * sha256: as FIPS 180-4 and RFC 2104 describe it. */
#include "base/sha256.h"

#include <string.h>

static const uint32_t round_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

static uint32_t
rotated(uint32_t x, unsigned bits)
{
	return x >> bits | x << (32 - bits);
}

static void
add_block(uint32_t state[8], const unsigned char *bytes)
{
	uint32_t w[64], v[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)bytes[i * 4] << 24 | (uint32_t)bytes[i * 4 + 1] << 16 |
		       (uint32_t)bytes[i * 4 + 2] << 8 | bytes[i * 4 + 3];
	for (unsigned i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(v, state, sizeof v);
	for (unsigned i = 0; i < 64; i++) {
		uint32_t high = v[7] + (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) +
				((v[4] & v[5]) ^ (~v[4] & v[6])) + round_constants[i] + w[i];
		uint32_t low = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) +
			       ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += high;
		v[0] = high + low;
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += v[i];
}

void
sha256_begin(struct sha256 *sha)
{
	*sha = (struct sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
					   0x1f83d9ab, 0x5be0cd19 } };
}

void
sha256_add(struct sha256 *sha, const void *from, size_t size)
{
	const unsigned char *bytes = from;

	while (size > 0) {
		size_t used = sha->bytes % 64, part = 64 - used < size ? 64 - used : size;

		memcpy(sha->block + used, bytes, part);
		sha->bytes += part;
		bytes += part;
		size -= part;
		if (sha->bytes % 64 == 0)
			add_block(sha->state, sha->block);
	}
}

void
sha256_end(struct sha256 *sha, unsigned char out[SHA256_BYTES])
{
	static const unsigned char padding[64] = { 0x80 };
	uint64_t bits = sha->bytes * 8;
	unsigned char size[8];

	for (unsigned i = 0; i < 8; i++)
		size[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha256_add(sha, padding, 1 + (119 - sha->bytes % 64) % 64);
	sha256_add(sha, size, sizeof size);
	for (unsigned i = 0; i < SHA256_BYTES; i++)
		out[i] = (unsigned char)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

void
hmac_sha256(const unsigned char key[SHA256_BYTES], struct stk_text text, unsigned char out[SHA256_BYTES])
{
	unsigned char inner[64], outer[64];
	struct sha256 sha;

	for (unsigned i = 0; i < 64; i++) {
		unsigned char byte = i < SHA256_BYTES ? key[i] : 0;

		inner[i] = byte ^ 0x36;
		outer[i] = byte ^ 0x5c;
	}
	sha256_begin(&sha);
	sha256_add(&sha, inner, sizeof inner);
	if (text.size > 0)
		sha256_add(&sha, text.data, text.size);
	sha256_end(&sha, out);
	sha256_begin(&sha);
	sha256_add(&sha, outer, sizeof outer);
	sha256_add(&sha, out, SHA256_BYTES);
	sha256_end(&sha, out);
}
