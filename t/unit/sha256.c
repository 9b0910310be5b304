/* SPDX-License-Identifier: MIT
 * sha256: the examples of FIPS 180-4 and RFC 4231 (test case 2, with a key padded to 32 bytes, which is the same), and
 * texts of all lengths around a block in pieces of all sizes. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

static bool
is_hex(const unsigned char code[SHA256_BYTES], const char *hex)
{
	char text[2 * SHA256_BYTES + 1];

	for (unsigned i = 0; i < SHA256_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", code[i]);
	return strcmp(text, hex) == 0;
}

static bool
hashes_to(const char *text, const char *hex)
{
	unsigned char code[SHA256_BYTES];
	struct sha256 sha;

	sha256_begin(&sha);
	sha256_add(&sha, text, strlen(text));
	sha256_end(&sha, code);
	return is_hex(code, hex);
}

static bool
pieces_are_alike(size_t size)
{
	unsigned char text[200], whole[SHA256_BYTES], code[SHA256_BYTES];
	struct sha256 sha;

	memset(text, (int)size, sizeof text);
	sha256_begin(&sha);
	sha256_add(&sha, text, size);
	sha256_end(&sha, whole);
	for (size_t piece = 1; piece <= size; piece++) {
		sha256_begin(&sha);
		for (size_t at = 0; at < size; at += piece)
			sha256_add(&sha, text + at, size - at < piece ? size - at : piece);
		sha256_end(&sha, code);
		if (memcmp(whole, code, sizeof code) != 0)
			return false;
	}
	return true;
}

int
main(void)
{
	unsigned char key[SHA256_BYTES] = "Jefe", code[SHA256_BYTES];
	char million[1000001];
	bool alike = true;

	ok(hashes_to("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"), "nothing");
	ok(hashes_to("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), "one block");
	ok(hashes_to("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"), "two blocks");
	memset(million, 'a', 1000000);
	million[1000000] = '\0';
	ok(hashes_to(million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"), "a million of a");
	for (size_t size = 0; size <= 200; size++)
		alike &= pieces_are_alike(size);
	ok(alike, "pieces of any size give what the whole gives");
	hmac_sha256(key, text_of("what do ya want for nothing?", 28), code);
	ok(is_hex(code, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"), "HMAC of RFC 4231, case 2");
	return tap_end();
}
