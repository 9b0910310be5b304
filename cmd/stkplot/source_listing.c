/* SPDX-License-Identifier: MIT
 * source_listing: a block's name ends with the line that it begins on, as in "loop@14". A name of a file comes from the
 * program that was compiled, so only what is in the folder that the user names is ever opened. */
#include "source_listing.h"

#include "base/bytes.h"
#include "base/quantities.h"
#include "base/terminal_text.h"
#include "base/whole_file.h"
#include "plot/page_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct page_source report_page_source; /* written by scripts/embed-page */

#define SOURCE_MOST ((size_t)64 << 20)
#define TAB 8
#define NEVER "never"

/* --- the source --- */

static bool
leads_out(const char *path)
{
	for (const char *at = path; at != NULL; at = strchr(at, '/')) {
		at += *at == '/';
		if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
			return true;
	}
	return false;
}

static int
find_source(struct source_listing *l, const char *directory, struct stk_error *err)
{
	char *file = strndup(l->file.data, l->file.size), *rest = file;
	struct text_buffer path = { 0 };

	while (rest != NULL && !leads_out(file)) {
		rest += strspn(rest, "/");
		path.count = 0;
		add_format(&path, "%s/%s%c", directory, rest, '\0');
		if (*rest != '\0' && access(path.at, R_OK) == 0) {
			l->path = path.at;
			free(file);
			return 0;
		}
		rest = strchr(rest, '/');
	}
	(void)stk_fail(err, STK_EUSAGE, "the source %.200s is not in %s: name its folder with --source", file,
		       directory);
	array_release(&path);
	free(file);
	return -1;
}

static void
cut_lines(struct source_listing *l)
{
	struct stk_text rest = text_in(&l->source, 0);

	*array_push(&l->lines) = text_of("", 0); /* lines count from 1 */
	while (rest.size > 0) {
		struct stk_text line = text_take(&rest, '\n');

		while (line.size > 0 && line.data[line.size - 1] == '\r')
			line.size--;
		*array_push(&l->lines) = line;
	}
	array_lengthen(&l->marks, l->lines.count);
}

/* --- blocks --- */

/* 0: the name has none. */
static uint64_t
line_of_block(struct stk_text block)
{
	size_t at = block.size;
	uint64_t line = 0, unit = 1;

	while (at > 0 && block.data[at - 1] >= '0' && block.data[at - 1] <= '9' && block.size - at < 9) {
		line += (uint64_t)(block.data[--at] - '0') * unit;
		unit *= 10;
	}
	return at > 0 && at < block.size && block.data[at - 1] == '@' ? line : 0;
}

static void
mark_block(struct source_listing *l, const struct flow_function *f, struct stk_text block, bool overlaps,
	   bool inexact)
{
	uint64_t line = line_of_block(block), count = tally_of(&f->block_counts, block);
	struct listed_line *mark;

	if (line == 0) {
		l->unplaced += !text_is(block, "(exit)");
		return;
	}
	if (line >= l->marks.count) {
		l->beyond++;
		return;
	}
	mark = &l->marks.at[line];
	mark->blocks++;
	mark->reached += count > 0;
	mark->most = count > mark->most ? count : mark->most;
	mark->overlaps |= overlaps;
	mark->inexact |= inexact;
	l->inexact |= inexact;
	l->blocks++;
	l->reached += count > 0;
}

int
source_listing_make(struct source_listing *l, struct flow_pictures *pictures, struct counting_methods *methods,
		    const struct tally *lost, struct stk_text file, uint32_t function, const char *directory,
		    struct stk_error *err)
{
	*l = (struct source_listing){ .file = file };
	if (find_source(l, directory, err) < 0 || whole_file_read(&l->source, l->path, SOURCE_MOST, err) < 0)
		return -1;
	cut_lines(l);
	for (uint32_t n = 1; n <= pictures->list.count; n++) {
		struct stk_text key = text_table_text(&pictures->functions, n), of = key, name = text_take(&of, '\t');
		const struct flow_function *f = &pictures->list.at[n - 1];

		if (!text_equal(of, file) || (function != 0 && function != n))
			continue;
		l->lost += tally_of(lost, key);
		for (size_t b = 0; b < f->blocks.texts.count; b++)
			mark_block(l, f, f->blocks.texts.at[b], counting_methods_overlap(methods, name, of),
				   counting_methods_are_inexact(methods, name, of));
	}
	return 0;
}

void
source_listing_release(struct source_listing *l)
{
	array_release(&l->source);
	array_release(&l->lines);
	array_release(&l->marks);
	free(l->path);
}

/* --- words --- */

void
source_listing_add_words(struct text_buffer *to, const struct source_listing *l)
{
	add_text(to, l->file);
	add_format(to, ": %u of %u blocks were reached.", l->reached, l->blocks);
	if (l->lost > 0)
		add_format(to, " Of %llu %s no path was counted: what was reached in no other is " NEVER " here.",
			   (unsigned long long)l->lost, plural(l->lost, "call", "calls"));
	if (l->inexact)
		add_string(to, " " INEXACT_MARK ": " INEXACT_COUNTS ".");
	if (l->unplaced > 0)
		add_format(to, " %u %s without a line: not here.", l->unplaced,
			   plural(l->unplaced, "block is", "blocks are"));
	if (l->beyond > 0)
		add_format(to, " %u %s beyond the end of %s, which is not what was compiled.", l->beyond,
			   plural(l->beyond, "block begins", "blocks begin"), l->path);
	add_string(
		to,
		" The number is that of the block that was reached most of those that begin on the line; * marks lines "
		"of which a block was never reached. Without a number, no block begins there, or its function was never "
		"called.");
}

/* "12", "12*", "+" where counts do not add up, "never"; "" where no block begins. */
static void
add_count(struct text_buffer *to, const struct listed_line *line)
{
	if (line->blocks == 0)
		return;
	if (line->reached == 0)
		add_string(to, NEVER);
	else if (line->overlaps)
		add_char(to, '+');
	else
		add_format(to, "%s%llu", line->inexact ? INEXACT_MARK : "", (unsigned long long)line->most);
	add_string(to, line->reached > 0 && line->reached < line->blocks ? "*" : "");
}

static void
add_source_line(struct text_buffer *to, struct stk_text line)
{
	struct text_buffer wide = { 0 };

	for (size_t i = 0, column = 0; i < line.size; i++) {
		if (line.data[i] != '\t') {
			add_char(&wide, line.data[i]);
			column += ((unsigned char)line.data[i] & 0xC0) != 0x80;
			continue;
		}
		do
			add_char(&wide, ' ');
		while (++column % TAB != 0);
	}
	add_masked(to, text_in(&wide, 0));
	array_release(&wide);
}

void
source_listing_add_text(struct text_buffer *to, const struct source_listing *l)
{
	struct text_buffer count = { 0 };

	for (size_t n = 1; n < l->lines.count; n++) {
		count.count = 0;
		add_count(&count, &l->marks.at[n]);
		add_format(to, "%11.*s %6zu  ", (int)count.count, count.count > 0 ? count.at : "", n);
		add_source_line(to, l->lines.at[n]);
		while (to->at[to->count - 1] == ' ')
			to->count--;
		add_char(to, '\n');
	}
	array_release(&count);
}

void
source_listing_add_page(struct text_buffer *to, const struct source_listing *l, const char *title,
			enum palette palette)
{
	struct text_buffer text = { 0 };

	page_add_head(to, &report_page_source, title);
	add_string(to, "<h1>");
	page_add_text(to, text_from(title));
	add_string(to, "</h1>\n<p>");
	source_listing_add_words(&text, l);
	page_add_text(to, text_in(&text, 0));
	add_format(
		to,
		"</p>\n<div class=\"scroll %s\" tabindex=0 role=group aria-label=\"Source\"><table>\n<thead><tr><th class=number>reached"
		"<th class=number>line<th>source</thead>\n",
		palette_name(palette));
	for (size_t n = 1; n < l->lines.count; n++) {
		const struct listed_line *mark = &l->marks.at[n];

		text.count = 0;
		add_count(&text, mark);
		add_format(to, "<tr><td class=\"number%s\">%.*s<td class=number>%zu<td class=when>",
			   mark->blocks == 0              ? ""
			   : mark->reached == 0           ? " critical"
			   : mark->reached < mark->blocks ? " warning"
							  : "",
			   (int)text.count, text.count > 0 ? text.at : "", n);
		text.count = 0;
		add_source_line(&text, l->lines.at[n]);
		page_add_text(to, text_in(&text, 0));
		add_char(to, '\n');
	}
	add_string(to, "</table></div>\n</main>\n");
	array_release(&text);
}
