/* SPDX-License-Identifier: MIT
 * svg_parts: words have a title with all of them where they are cut. */
#include "plot/svg_parts.h"

#include "base/terminal_text.h"
#include "plot/flame_svg.h"

#include <math.h>

void
svg_add_coordinate(struct text_buffer *to, double value)
{
	long long tenths = llround(value * 10);

	if (tenths < 0)
		add_char(to, '-');
	tenths = tenths < 0 ? -tenths : tenths;
	add_unsigned(to, (uint64_t)tenths / 10);
	if (tenths % 10 != 0)
		add_format(to, ".%d", (int)(tenths % 10));
}

void
svg_add_point(struct text_buffer *to, char command, double x, double y)
{
	add_char(to, command);
	svg_add_coordinate(to, x);
	add_char(to, ' ');
	svg_add_coordinate(to, y);
}

/* The text, cut where there is no room. */
void
svg_add_words(struct text_buffer *to, double x, double y, const char *class, const char *anchor, struct stk_text text,
	  double room)
{
	size_t most = room > 3 * SVG_LETTER ? (size_t)(room / SVG_LETTER) : 3, letters = 0;
	const char *at = text.data, *end = at + text.size, *cut = NULL;

	for (; at < end; letters++) {
		size_t size = utf8_size(at, end);

		if (letters + 1 == most)
			cut = at;
		at += size == 0 ? 1 : size;
	}
	add_string(to, "<text x=\"");
	svg_add_coordinate(to, x);
	add_string(to, "\" y=\"");
	svg_add_coordinate(to, y);
	add_format(to, "\"%s%s%s%s%s%s>", *class != '\0' ? " class=\"" : "", class, *class != '\0' ? "\"" : "",
		   *anchor != '\0' ? " text-anchor=\"" : "", anchor, *anchor != '\0' ? "\"" : "");
	if (letters > most && cut != NULL) {
		xml_add_text(to, text_of(text.data, (size_t)(cut - text.data)));
		add_string(to, "\xE2\x80\xA6<title>");
		xml_add_text(to, text);
		add_string(to, "</title>");
	} else {
		xml_add_text(to, text);
	}
	add_string(to, "</text>\n");
}
