/* SPDX-License-Identifier: MIT
 * segment_names: the names of segments. */
#include "segment_names.h"

#include "views.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/text_table.h"

#include <stdio.h>
#include <stdlib.h>

struct segment_names {
	struct classifier *classifier;
	bool letters;
	struct text_table stacks;		/* the frames that the file names */
	ARRAY(struct stk_text) given;		/* by number in stacks */
	struct arena texts;
	ARRAY(uint32_t) letter;			/* by leaf: its number among leaves, from 1; 0 not counted yet */
	ARRAY(uint32_t) named;			/* by segment: its number in stacks, plus 1; 0 not asked yet */
	struct text_buffer frames;
};

static int
read_line(struct segment_names *names, const char *path, unsigned number, const char *line, size_t size,
	  struct stk_error *err)
{
	size_t end = size, blank;
	uint32_t stack;

	while (end > 0 &&
	       (line[end - 1] == '\n' || line[end - 1] == '\r' || line[end - 1] == ' ' || line[end - 1] == '\t'))
		end--;
	if (end == 0 || *line == '#')
		return 0;
	for (blank = end; blank > 0 && line[blank - 1] != ' ' && line[blank - 1] != '\t'; )
		blank--;
	if (blank < 2)
		return stk_fail(err, STK_EUSAGE, "%s:%u: expected frame;frame NAME", path, number);
	stack = text_table_number(&names->stacks, text_of(line, blank - 1));
	array_lengthen(&names->given, stack + 1u);
	names->given.at[stack] = text_of(arena_copy(&names->texts, line + blank, end - blank), end - blank);
	return 0;
}

static int
read_file(struct segment_names *names, const char *path, struct stk_error *err)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t size;
	unsigned number = 0;
	int result = 0;

	if (file == NULL)
		return stk_fail_errno(err, "cannot open %s", path);
	while (result == 0 && (size = mem_line(&line, &room, file)) >= 0)
		result = read_line(names, path, ++number, line, (size_t)size, err);
	if (result == 0 && ferror(file))
		result = stk_fail_errno(err, "cannot read %s", path);
	free(line);
	(void)fclose(file);
	return result;
}

/* Leaves get their letters in the order of their places: the order in which their frames were seen. */
static void
give_letters(struct segment_names *names)
{
	const struct segments *segments = classifier_segments(names->classifier);
	uint32_t count = 0;

	array_lengthen(&names->letter, segments_count(segments) + 1u);
	for (uint32_t place = 0; place < segments_frames(segments); ) {
		uint32_t leaf = segments_leaf_of(segments, segments_frame_at(segments, place));

		names->letter.at[leaf] = ++count;
		place = segments_get(segments, leaf).to;
	}
}

int
segment_names_open(struct segment_names **out, const char *file, bool letters, struct classifier *classifier,
		   struct stk_error *err)
{
	struct segment_names *names = *out = mem_new(1, sizeof *names);

	names->classifier = classifier;
	names->letters = letters;
	if (letters)
		give_letters(names);
	return file == NULL ? 0 : read_file(names, file, err);
}

void
segment_names_close(struct segment_names *names)
{
	if (names == NULL)
		return;
	text_table_release(&names->stacks);
	array_release(&names->given);
	array_release(&names->letter);
	array_release(&names->named);
	array_release(&names->frames);
	arena_release(&names->texts);
	free(names);
}

/* The name that the file gives; empty for none. */
static struct stk_text
given_name(struct segment_names *names, uint32_t segment)
{
	if (names->given.count == 0)
		return text_of("", 0);
	array_lengthen(&names->named, segments_count(classifier_segments(names->classifier)) + 1u);
	if (names->named.at[segment] == 0) {
		names->frames.count = 0;
		add_frames(names->classifier, segment, ';', &names->frames);
		names->named.at[segment] = text_table_number(&names->stacks, text_in(&names->frames, 0)) + 1;
	}
	return names->named.at[segment] - 1 < names->given.count ? names->given.at[names->named.at[segment] - 1]
								 : text_of("", 0);
}

/* 1 A ... 26 Z, 27 AA: as spreadsheets count columns. */
static void
add_letters(struct text_buffer *to, uint32_t number)
{
	char letters[8];
	size_t count = 0;

	for (; number > 0; number = (number - 1) / 26)
		letters[count++] = (char)('A' + (number - 1) % 26);
	while (count > 0)
		add_char(to, letters[--count]);
}

/* The names of the leaves below, with commas; false when one has none. */
static bool
add_leaf_names(struct segment_names *names, uint32_t segment, struct text_buffer *to)
{
	const struct segments *segments = classifier_segments(names->classifier);
	struct segment is = segments_get(segments, segment);

	for (uint32_t place = is.from; place < is.to; ) {
		uint32_t leaf = segments_leaf_of(segments, segments_frame_at(segments, place));
		struct stk_text name = given_name(names, leaf);

		if (place > is.from)
			add_char(to, ',');
		if (name.size > 0)
			add_masked(to, name);
		else if (names->letters)
			add_letters(to, names->letter.at[leaf]);
		else
			return false;
		place = segments_get(segments, leaf).to;
	}
	return true;
}

void
add_segment_name(struct segment_names *names, uint32_t segment, struct text_buffer *to)
{
	struct stk_text name = given_name(names, segment);
	size_t from = to->count;

	if (name.size > 0) {
		add_masked(to, name);
		return;
	}
	if ((names->letters || names->given.count > 0) && add_leaf_names(names, segment, to))
		return;
	to->count = from;
	add_hash(to, segment_hash(classifier_segments(names->classifier), segment));
}

void
add_signature(struct segment_names *names, uint32_t class, struct signature_marks marks, struct text_buffer *to)
{
	const uint32_t *signature = classifier_signature(names->classifier, class);

	for (uint32_t i = 0; i < classifier_get(names->classifier, class)->nodes; i++) {
		if (i > 0)
			add_string(to, marks.between);
		add_string(to, marks.before);
		add_segment_name(names, signature[i], to);
		add_string(to, marks.after);
	}
}
