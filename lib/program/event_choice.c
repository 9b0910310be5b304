/* SPDX-License-Identifier: MIT
 * event_choice: looks at the ends of files, where trees are, before their samples are read. */
#include "program/event_choice.h"

#include "base/bytes.h"
#include "base/input.h"
#include "base/quantities.h"
#include "program/filter.h"
#include "program/program.h"
#include "timetree/tree_reader.h"

#include <stdio.h>

static void
ignore_file(const char *path, const struct stk_error *why)
{
	(void)path;
	(void)why;
}

static bool
has_samples(struct stream_file *file, unsigned stream)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, stream, STK_SAMPLE, &count);

	for (size_t b = 0; b < count; b++)
		if (blocks[b].rows > 0)
			return true;
	return false;
}

/* Whether a stream decides which event is counted; *event is that of its tree, or "". */
static bool
decides(struct stream_file *file, unsigned stream, char event[TREE_TEXT_MAX], struct stk_error *why)
{
	struct tree_reader *tree = NULL;
	bool has_tree = tree_reader_open(&tree, file, stream, why) > 0;
	const struct tree_facts *facts = has_tree ? tree_reader_facts(tree) : NULL;
	bool counts = has_tree && facts->row.rows > 0;

	if (counts)
		(void)snprintf(event, TREE_TEXT_MAX, "%s", *facts->event == '\0' ? "all" : facts->event);
	tree_reader_close(tree);
	return counts || has_samples(file, stream);
}

static bool
file_decides(const char *path, char event[TREE_TEXT_MAX])
{
	struct stk_error why = { 0 };
	struct stream_file *file = NULL;
	bool decided = false;

	if (stream_file_open_without_ids(&file, path, stream_file_ignore_damage, NULL, &why) == 0)
		for (unsigned s = 0; s < stream_file_streams(file) && !decided; s++)
			decided = decides(file, s, event, &why);
	/* the later reader may have better luck, and would count another event */
	if (why.code == STK_ESYSTEM)
		program_report(path, &why);
	stream_file_close(file);
	return decided;
}

void
count_one_event(struct selection_options *selection, struct filter *filter)
{
	static char event[TREE_TEXT_MAX];		/* is borrowed by the selection */
	struct file_list *files;
	const char *path;

	selection->one_event = true;
	if (selection->event != NULL || filter->follow ||
	    file_list_open(&files, filter->operands, filter->operands_count, ignore_file) < 0)
		return;
	while ((path = file_list_next(files)) != NULL && input_is_file(path) && !file_decides(path, event))
		;
	filter->asks_tree_event = path != NULL && !input_is_file(path);
	file_list_close(files);
	if (strcmp(event, "all") == 0)
		selection->event = event;
	else if (*event != '\0')
		selection->first_event = event;
}

/* "": that of no sample, where none was met. */
static bool
counts_tree_event(const struct filter *filter, struct stk_text kept)
{
	return kept.size == 0 ? strcmp(filter->tree_event, EVENT_NONE) == 0 : text_is(kept, filter->tree_event);
}

void
say_other_events(const struct selection *selection, const struct filter *filter)
{
	struct stk_text kept;
	uint64_t others = selection_other_events(selection, &kept);

	if (others > 0 && kept.size == 0)
		program_say("counted samples without an event only, as those of dumps; %llu sample%s of events left out (see --event)",
			    (unsigned long long)others, plural(others, "", "s"));
	else if (others > 0)
		program_say("counted samples of event %.*s only; %llu sample%s of other events left out (see --event)",
			    (int)kept.size, kept.data, (unsigned long long)others, plural(others, "", "s"));
	if (filter->asks_tree_event && *filter->tree_event != '\0' && !counts_tree_event(filter, kept))
		program_warn("an input from a pipe has a time tree, which counts %s%s: the event of its first sample was counted (see --event)",
			     strcmp(filter->tree_event, "all") == 0 ? "" : "event ",
			     strcmp(filter->tree_event, "all") == 0 ? "all events" : filter->tree_event);
}
