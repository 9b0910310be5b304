/* SPDX-License-Identifier: MIT
 * unwrap_html: entities and tags. A dump has words in <> itself (<init>, <0x...>, List<a>): a tag is only what is a
 * known one, with attributes or without. */
#include "ingest/unwrap_html.h"

#include "base/terminal_text.h"
#include "ingest/text_lines.h"

#include <strings.h>

#define ENTITY_MAX 10
#define TAG_MAX    4096
#define WITHIN     (64u << 10)

/* --- entities --- */

/* The character of "name;" or "#60;"; 0: none. */
static uint32_t
entity_character(struct stk_text name)
{
	static const struct { const char *name; uint32_t c; } known[] = {
		{ "lt", '<' }, { "gt", '>' }, { "amp", '&' }, { "quot", '"' }, { "apos", '\'' }, { "nbsp", ' ' },
		{ "Tab", '\t' }
	};
	uint64_t code = 0;
	bool hex = name.size > 1 && (name.data[1] | 0x20) == 'x';

	if (name.size < 2 || *name.data != '#') {
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (text_is(name, known[i].name))
				return known[i].c;
		return 0;
	}
	for (size_t i = hex ? 2 : 1; i < name.size; i++) {
		char c = name.data[i];
		int digit = c >= '0' && c <= '9' ? c - '0'
			    : hex && (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;

		if (digit < 0)
			return 0;
		code = code * (hex ? 16 : 10) + (unsigned)digit;
	}
	return code == 0xa0 ? ' ' : code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : (uint32_t)code;
}

/* At an '&': adds its character and returns the end of the entity; NULL when it is none. */
static const char *
take_entity(struct text_buffer *to, const char *at, const char *end)
{
	size_t room = (size_t)(end - at) < ENTITY_MAX ? (size_t)(end - at) : ENTITY_MAX;
	const char *stop = memchr(at, ';', room);
	uint32_t c = stop != NULL ? entity_character(between(at + 1, stop)) : 0;
	char bytes[4];

	if (c == 0)
		return NULL;
	add_bytes(to, bytes, utf8_write(bytes, c));
	return stop + 1;
}

/* --- tags --- */

enum tag { TAG_NONE, TAG_INLINE, TAG_BLOCK, TAG_BREAK };	/* a break ends a line, an empty one too */

static enum tag
tag_of(struct stk_text name)
{
	static const char *const blocks[] = { "p", "div", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "li",
					      "table", "body", "html", "head", "title", "ul", "ol", "hr", "textarea" };
	static const char *const inlines[] = { "span", "a", "b", "i", "u", "em", "code", "tt", "font", "td", "th",
					       "tbody", "thead", "strong", "meta", "link", "samp", "small", "nobr" };

	if (name.size == 2 && strncasecmp("br", name.data, 2) == 0)
		return TAG_BREAK;
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (strlen(blocks[i]) == name.size && strncasecmp(blocks[i], name.data, name.size) == 0)
			return TAG_BLOCK;
	for (size_t i = 0; i < sizeof inlines / sizeof *inlines; i++)
		if (strlen(inlines[i]) == name.size && strncasecmp(inlines[i], name.data, name.size) == 0)
			return TAG_INLINE;
	return TAG_NONE;
}

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* At a '<': the end of the tag, and which it is; NULL when it is none. */
static const char *
tag_end(const char *at, const char *end, enum tag *tag)
{
	const char *name = at + 1 + (at + 1 < end && at[1] == '/'), *stop = name, *close;

	while (stop < end && is_word(*stop))
		stop++;
	if (stop == end || (*stop != '>' && *stop != ' ' && *stop != '/'))
		return NULL;
	*tag = tag_of(between(name, stop));
	close = *tag == TAG_NONE ? NULL : memchr(stop, '>', (size_t)(end - stop < TAG_MAX ? end - stop : TAG_MAX));
	return close != NULL ? close + 1 : NULL;
}

void
html_unwrap_line(struct text_buffer *to, struct stk_text line)
{
	const char *at = line.data, *end = line.data + line.size;

	while (at < end) {
		enum tag tag = TAG_NONE;
		const char *next = *at == '&' ? take_entity(to, at, end) : *at == '<' ? tag_end(at, end, &tag) : NULL;

		if (next == NULL) {
			add_char(to, *at++);
			continue;
		}
		at = next;
		if (at < end &&
		    (tag == TAG_BREAK || (tag == TAG_BLOCK && to->count > 0 && to->at[to->count - 1] != '\n')))
			add_char(to, '\n');
	}
}

/* --- recognition --- */

/* Words that are in dumps, as a page has them. */
static bool
has_escaped_dump(struct stk_text text)
{
	static const char *const words[] = { "&lt;0x", "&lt;init&gt;", "&lt;clinit&gt;", "&quot; #", "&quot; Id=",
					     "&quot; prio=", "&quot; daemon", "&#34; #", "&#34; Id=", "&#34; prio=",
					     "&#34; daemon", "&lt;module&gt;" };

	return find_any(text, '&', words, sizeof words / sizeof *words);
}

#define ENTITIES_MIN 2

/* Entities, and none of the characters that they are for. */
static bool
is_escaped(struct stk_text text)
{
	static const char *const words[] = { "&lt;",   "&gt;",	 "&quot;", "&#34;",  "&#39;",  "&#60;",	 "&#62;",
					     "&#x22;", "&#x27;", "&#x3c;", "&#x3C;", "&#x3e;", "&#x3E;", "&#X3C;" };
	const char *end = text.data + text.size;
	unsigned count = 0;

	for (const char *at = text.data; count < ENTITIES_MIN && at < end; at++) {
		at = memchr(at, '&', (size_t)(end - at));
		if (at == NULL)
			return false;
		for (size_t w = 0; w < sizeof words / sizeof *words; w++)
			count += text_starts(between(at, end), words[w]);
	}
	return count >= ENTITIES_MIN && memchr(text.data, '<', text.size) == NULL &&
	       memchr(text.data, '"', text.size) == NULL;
}

bool
html_recognise(struct stk_text text)
{
	text.size = text.size < WITHIN ? text.size : WITHIN;
	while (text.size > 0 && (unsigned char)*text.data <= ' ')
		text = text_of(text.data + 1, text.size - 1);
	return has_escaped_dump(text) || is_escaped(text) || (text.size > 9 && (strncasecmp(text.data, "<!doctype", 9) == 0 ||
							    strncasecmp(text.data, "<html", 5) == 0 ||
							    strncasecmp(text.data, "<pre>", 5) == 0));
}

bool
html_recognise_twice(struct stk_text text)
{
	static const char *const words[] = { "&amp;lt;", "&amp;gt;", "&amp;quot;", "&amp;#34;", "&amp;#39;" };
	struct text_buffer once = { 0 };
	bool found;

	text.size = text.size < WITHIN ? text.size : WITHIN;
	if (!find_any(text, '&', words, sizeof words / sizeof *words))
		return false;
	html_unwrap_line(&once, text);
	found = has_escaped_dump(text_in(&once, 0)) || is_escaped(text_in(&once, 0));
	array_release(&once);
	return found;
}
