/* SPDX-License-Identifier: MIT
 * page_text: everything that comes from a recording passes through one of these. */
#include "plot/page_text.h"

#include "base/terminal_text.h"
#include "stkpipe/schema.h"

#define ESCAPE 61
#define ESCAPE_SHIFT 64
#define BYTE_SHIFT 42 /* so that 0, which is frequent, is not one of the escaped */
#define REPLACEMENT 0xFFFD

/* The next character, or REPLACEMENT for a byte that is not of one. */
static uint32_t
next_character(const char **at, const char *end)
{
	size_t size = utf8_size(*at, end);
	uint32_t number = size == 0 ? REPLACEMENT : utf8_number(*at, size);

	*at += size == 0 ? 1 : size;
	return (number & 0xFFFE) == 0xFFFE ? REPLACEMENT : number;
}

void
page_add_text(struct text_buffer *to, struct stk_text text)
{
	const char *at = text.data, *end = at + text.size;

	while (at < end) {
		uint32_t c = next_character(&at, end);

		if (c < 0x20 || (c >= 0x7F && c < 0xA0))
			c = REPLACEMENT;
		if (c < 0x7F && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'')
			add_char(to, (char)c);
		else
			add_format(to, "&#x%X;", (unsigned)c);
	}
}

void
page_add_json(struct text_buffer *to, struct stk_text text)
{
	const char *at = text.data, *end = at + text.size;

	add_char(to, '"');
	while (at < end) {
		uint32_t c = next_character(&at, end);

		if (c >= 0x10000)
			add_format(to, "\\u%04X\\u%04X", (unsigned)(0xD7C0 + (c >> 10)),
				   (unsigned)(0xDC00 + (c & 0x3FF)));
		else if (c < 0x20 || c > 0x7E || strchr("<>&'\"\\", (int)c) != NULL)
			add_format(to, "\\u%04X", (unsigned)c);
		else
			add_char(to, (char)c);
	}
	add_char(to, '"');
}

static void
add_shifted(struct text_buffer *to, struct stk_text bytes)
{
	array_reserve(to, 2 * bytes.size);
	for (size_t i = 0; i < bytes.size; i++) {
		unsigned char c = (unsigned char)(bytes.data[i] + BYTE_SHIFT);

		if (c == 0 || c == 13 || c == 60 || c == ESCAPE) {
			to->at[to->count++] = ESCAPE;
			c = (unsigned char)(c + ESCAPE_SHIFT);
		}
		to->at[to->count++] = (char)c;
	}
}

static void
add_base64(struct text_buffer *to, struct stk_text bytes)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes.size; i += 3) {
		uint32_t word = 0;

		for (size_t k = 0; k < 3; k++)
			word = word << 8 | (i + k < bytes.size ? (unsigned char)bytes.data[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			add_char(to, i + k > bytes.size ? '=' : letters[word >> (18 - 6 * k) & 63]);
	}
}

void
page_add_block(struct text_buffer *to, const char *id, struct stk_text bytes, bool plain)
{
	add_string(to, "<script type=application/x-stk id=");
	add_string(to, id);
	add_string(to, plain ? " data-plain>" : ">");
	if (plain)
		add_base64(to, bytes);
	else
		add_shifted(to, bytes);
	add_string(to, "</script>\n");
}

void
page_add_probe(struct text_buffer *to, bool plain)
{
	char all[256];

	for (unsigned i = 0; i < sizeof all; i++)
		all[i] = (char)i;
	page_add_block(to, "p", text_of(all, sizeof all), plain);
}

void
page_add_head(struct text_buffer *to, const struct page_source *source, const char *title)
{
	add_string(to, "<!doctype html>\n<html lang=en>\n<meta charset=windows-1252>\n"
		       "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src '");
	add_string(to, source->script_hash);
	add_string(to, "'; style-src '");
	add_string(to, source->style_hash);
	add_string(to, "'; img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'\">\n"
		       "<meta name=viewport content=\"width=device-width\">\n<title>");
	page_add_text(to, text_from(title));
	add_string(to, "</title>\n<style>");
	add_bytes(to, (const char *)source->style, source->style_size);
	add_string(to, "</style>\n");
	add_bytes(to, (const char *)source->body, source->body_size);
}

void
page_add_script(struct text_buffer *to, const struct page_source *source, bool plain)
{
	page_add_block(to, "z", text_of((const char *)source->packed, source->packed_size), plain);
	add_string(to, "<script>");
	add_bytes(to, (const char *)source->script, source->script_size);
	add_string(to, "</script>\n");
}

size_t
page_bytes_without_data(const struct page_source *source, bool plain)
{
	size_t packed = plain ? source->packed_size / 3 * 4 : source->packed_size + source->packed_size / 32;

	return source->script_size + packed + source->style_size + source->body_size;
}

void
page_begin_facts(struct text_buffer *to)
{
	add_string(to, "<script type=application/json id=d>{\"v\":1");
}

void
page_end_facts(struct text_buffer *to)
{
	add_string(to, "}</script>\n");
}

void
page_add_field(struct text_buffer *to, const char *name, const char *value)
{
	add_format(to, ",\"%s\":", name);
	page_add_json(to, text_from(value));
}

void
page_add_states(struct text_buffer *to)
{
	const char *const *states = stk_schema()->kind[STK_SAMPLE].column[STK_COLUMN(sample, state)].names;

	add_string(to, ",\"states\":[");
	for (unsigned i = 0; states[i] != NULL; i++) {
		if (i > 0)
			add_char(to, ',');
		page_add_json(to, text_from(states[i]));
	}
	add_string(to, "]");
}

void
page_add_palette(struct text_buffer *to, enum palette palette)
{
	if (palette == PALETTE_SAFE)
		return;
	add_string(to, ",\"palette\":\"");
	palette_describe(to, palette);
	add_char(to, '"');
}
