/* SPDX-License-Identifier: MIT
 * prefix_code: canonical Huffman codes. The lengths determine everything: codes are given in the order of lengths, then
 * of symbols. */
#ifndef CLASSIFY_PREFIX_CODE_H
#define CLASSIFY_PREFIX_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PREFIX_BITS_MAX 32

/* The best lengths, at most PREFIX_BITS_MAX, for symbols 0 to count - 1 with these frequencies; 0 for those that never
 * occur. A single symbol gets 1 bit. */
void prefix_lengths(const uint64_t *times, uint32_t count, uint8_t *lengths);

struct prefix_code;

/* False: no code has these lengths. */
bool prefix_code_open(struct prefix_code **out, const uint8_t *lengths, uint32_t count);
void prefix_code_close(struct prefix_code *code);

/* Bits from the highest of each byte on. */
/* an ARRAY(unsigned char), and what is not a whole byte yet */
struct bit_writer { unsigned char *at; size_t count, room; uint64_t held; unsigned bits; };
void prefix_put(const struct prefix_code *code, struct bit_writer *to, uint32_t symbol);
void bits_end(struct bit_writer *to);		/* fills the last byte with zeros */

struct bit_reader { const unsigned char *at, *end; uint64_t held; unsigned bits; };
/* false: there is no code */
bool prefix_take(const struct prefix_code *code, struct bit_reader *from, uint32_t *symbol);

#endif
