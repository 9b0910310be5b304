/* SPDX-License-Identifier: MIT
 * masked_records: streams written again with names replaced by tokens, or tokens by names. Every text of every row goes
 * through the mask. What is computed from names, such as classes, groups and trends, is left out: it has hashes of
 * them, and can be computed again from the masked stream. */
#include "base/arena.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "report/recorded_kinds.h"

#include <stdio.h>
#include <stdlib.h>

/* A string in a role: the id of what it became, and whether that is another text. */
struct masked_string { uint32_t id; bool masked; };

struct masked_records {
	struct report report;
	struct id_table strings[MASK_ROLES];	/* struct masked_string, by id of the present stream */
	struct id_table ids[STK_DUMP + 1];	/* by kind: from an id of the present stream to ours */
	struct text_table written;		/* strings of ours: text n has id n */
	struct arena texts;			/* of the present row */
	struct text_buffer scratch;
	uint64_t row[STK_COLUMN_MAX * 2];	/* room for the largest row struct */
	uint64_t lost;				/* rows that refer to what is not defined */
	uint64_t names;				/* texts that were changed */
	bool left_out[STK_KIND_COUNT], unknown, other_key;
};

static const char mask_note[] = "mask";

static enum mask_role
role_of(unsigned kind, unsigned column)
{
	switch (kind) {
	case STK_FRAME:
		return column == STK_COLUMN(frame, function) ? MASK_NAME : MASK_PATH;
	case STK_SOURCE:
		return column == STK_COLUMN(source, name)      ? MASK_SOURCE
		       : column == STK_COLUMN(source, host)    ? MASK_HOST
		       : column == STK_COLUMN(source, process) ? MASK_PROCESS
							       : MASK_TEXT;
	case STK_THREAD:   return MASK_THREAD;
	case STK_LOCKS:    return MASK_NAME;
	case STK_DEADLOCK: return column == STK_COLUMN(deadlock, class) ? MASK_NAME : MASK_THREAD;
	case STK_SAMPLE:   return column == STK_COLUMN(sample, note) ? MASK_REMARK : MASK_TEXT;
	case STK_EVENT: case STK_METRIC: case STK_COUNTER:
		return MASK_METRIC;
	case STK_NOTE:     return column == STK_COLUMN(note, text) ? MASK_REMARK : MASK_TEXT;
	case STK_CFG:      return column == STK_COLUMN(cfg, function) ? MASK_NAME
				  : column == STK_COLUMN(cfg, file)   ? MASK_PATH : MASK_TEXT;
	case STK_PATH_CALL:
		return column == STK_COLUMN(path_call, function) ? MASK_NAME
		       : column == STK_COLUMN(path_call, file)   ? MASK_PATH : MASK_TEXT;
	case STK_PATH_COUNT:
		return column == STK_COLUMN(path_count, function) ? MASK_NAME
		       : column == STK_COLUMN(path_count, file)   ? MASK_PATH : MASK_TEXT;
	case STK_PATH_STEP:
		return column == STK_COLUMN(path_step, function) ? MASK_NAME : MASK_TEXT;
	default:
		return MASK_TEXT;
	}
}

/* --- texts --- */

static int
change_text(struct masked_records *m, enum mask_role role, struct stk_text text, struct text_buffer *to,
	    struct stk_error *err)
{
	int changed;

	if (text.size == 0)
		return 0;
	changed = m->report.mask != NULL ? name_mask_text(m->report.mask, role, text, to, err)
					 : name_unmask_text(m->report.mask_key, text, to);
	m->names += changed > 0;
	return changed;
}

static int
string_id(struct masked_records *m, enum mask_role role, uint64_t id, struct masked_string *out, struct stk_error *err)
{
	struct masked_string *known;
	struct stk_string row;
	uint32_t before = (uint32_t)m->written.texts.count;
	int changed;

	*out = (struct masked_string){ 0 };
	if (id == 0 || !model_knows(m->report.model, STK_STRING, id))
		return 0;
	known = id_table_at(&m->strings[role], id);
	if (known->id == 0) {
		m->scratch.count = 0;
		changed = change_text(m, role, model_string(m->report.model, id), &m->scratch, err);
		if (changed < 0)
			return -1;
		known->id = text_table_number(&m->written, text_in(&m->scratch, 0));
		known->masked = changed > 0;
		row.text = text_table_text(&m->written, known->id);
		if (known->id > before && stk_writer_add(m->report.writer, STK_STRING, &row, err) < 0)
			return -1;
	}
	*out = *known;
	return 0;
}

/* --- rows --- */

static void
set_word(const struct stk_kind_schema *kind, unsigned column, void *row, uint64_t value)
{
	memcpy((char *)row + kind->column[column].offset, &value, sizeof value);
}

static uint64_t
word_of(const struct stk_kind_schema *kind, unsigned column, const void *row)
{
	uint64_t value;

	memcpy(&value, (const char *)row + kind->column[column].offset, sizeof value);
	return value;
}

/* What is beside a function that was masked is masked too: its file has the name of its class. */
static enum mask_role
role_beside(enum mask_role role, bool function_masked, bool function_of_platform)
{
	return role != MASK_PATH ? role
	       : function_masked ? MASK_BESIDE
				 : function_of_platform ? MASK_TEXT : role;
}

struct row_state { bool masked, platform, lost; };	/* of the function that it has; an id of it is not defined */

static int
change_string(struct masked_records *m, const struct stk_kind_schema *kind, unsigned c, void *row,
	      struct row_state *state, struct stk_error *err)
{
	enum mask_role role = role_of(kind->number, c);
	uint64_t id = word_of(kind, c, row);
	struct masked_string string;

	if (string_id(m, role_beside(role, state->masked, state->platform), id, &string, err) < 0)
		return -1;
	if (role == MASK_NAME) {
		state->masked = string.masked;
		state->platform = is_platform_name(model_string(m->report.model, id));
	}
	state->lost |= id != 0 && string.id == 0;
	set_word(kind, c, row, string.id);
	return 0;
}

static int
change_row_text(struct masked_records *m, const struct stk_kind_schema *kind, unsigned c, void *row,
		struct row_state *state, struct stk_error *err)
{
	struct stk_text *text = (struct stk_text *)(void *)((char *)row + kind->column[c].offset);
	enum mask_role role = role_of(kind->number, c);
	int changed;

	m->scratch.count = 0;
	changed = change_text(m, role_beside(role, state->masked, state->platform), *text, &m->scratch, err);
	if (changed < 0)
		return -1;
	if (role == MASK_NAME) {
		state->masked = changed > 0;
		state->platform = is_platform_name(*text);
	}
	*text = text_of(arena_copy(&m->texts, m->scratch.at, m->scratch.count), m->scratch.count);
	return 0;
}

static void
change_id(struct masked_records *m, const struct stk_kind_schema *kind, unsigned c, void *row, struct row_state *state)
{
	unsigned refers = kind->column[c].refers;
	uint64_t id = word_of(kind, c, row);
	const uint32_t *known = refers > STK_DUMP ? NULL : id_table_find(&m->ids[refers], id);

	state->lost |= id != 0 && known == NULL;
	set_word(kind, c, row, known == NULL || id == 0 ? 0 : *known);
}

static int
change_row(struct masked_records *m, const struct stk_kind_schema *kind, void *row, struct stk_error *err)
{
	struct row_state state = { 0 };
	int result = 0;

	arena_reset(&m->texts);
	for (unsigned c = 0; c < kind->columns && result == 0; c++) {
		if (kind->column[c].type == STK_TYPE_TEXT)
			result = change_row_text(m, kind, c, row, &state, err);
		else if (kind->column[c].type == STK_TYPE_ID && kind->column[c].refers == STK_STRING)
			result = change_string(m, kind, c, row, &state, err);
		else if (kind->column[c].type == STK_TYPE_ID)
			change_id(m, kind, c, row, &state);
	}
	m->lost += state.lost;
	return result;
}

/* --- the stream's own remark --- */

static struct stk_text
remark_of_key(struct masked_records *m, const struct mask_key *key)
{
	m->scratch.count = 0;
	add_string(&m->scratch, "names are replaced by tokens of key ");
	add_text(&m->scratch, mask_key_id(key));
	return text_in(&m->scratch, 0);
}

/* Whether a remark is the one of a mask. That of this key is written anew, or has become untrue. */
static bool
is_own_remark(struct masked_records *m, const struct stk_note *note)
{
	const struct mask_key *key = m->report.mask_key;

	if (!text_is(note->about, mask_note))
		return false;
	if (text_equal(note->text, remark_of_key(m, key)))
		return true;
	m->other_key = true;
	return false;
}

static int
begin_stream(struct masked_records *m, struct stk_error *err)
{
	struct stk_note note = { .about = text_from(mask_note) };

	for (unsigned r = 0; r < MASK_ROLES; r++)
		id_table_clear(&m->strings[r]);
	for (unsigned k = 0; k <= STK_DUMP; k++)
		id_table_clear(&m->ids[k]);
	text_table_clear(&m->written);
	if (stk_writer_head(m->report.writer, NULL, err) < 0)
		return -1;
	if (m->report.mask == NULL)
		return 0;
	note.text = remark_of_key(m, m->report.mask_key);
	return stk_writer_add(m->report.writer, STK_NOTE, &note, err);
}

/* --- blocks --- */

static bool
is_whole_kind(const struct stk_kind_schema *kind)
{
	for (unsigned c = 0; c < kind->columns; c++)
		if (kind->column[c].offset == (size_t)-1)
			return false;
	return true;
}

static int
take_masked_rows(struct masked_records *m, struct stk_reader *reader, const struct stk_block *block,
		 struct stk_error *err)
{
	const struct stk_kind_schema *kind = &stk_schema()->kind[block->kind];
	const struct stk_note *note = (const void *)m->row;
	const uint32_t *rows;
	uint32_t count;

	m->unknown |= !is_whole_kind(block->schema);
	if (selection_rows(m->report.selection, reader, block, &rows, &count, err) < 0 ||
	    stk_reader_rows(reader, err) < 0)
		return -1;
	if (kind->definition) {		/* others may refer to any of them */
		rows = NULL;
		count = block->rows;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = selected_row(rows, i);
		uint32_t next = stk_writer_next_id(m->report.writer, (enum stk_kind)block->kind);

		stk_reader_row(reader, at, m->row);
		if (block->kind == STK_NOTE && is_own_remark(m, note))
			continue;
		if (block->kind == STK_NOTE && text_is(note->about, mask_note)) {
			if (stk_writer_add(m->report.writer, STK_NOTE, m->row, err) < 0)
				return -1;
			continue;
		}
		if (change_row(m, kind, m->row, err) < 0 ||
		    stk_writer_add(m->report.writer, (enum stk_kind)block->kind, m->row, err) < 0)
			return -1;
		if (kind->definition)
			*(uint32_t *)id_table_at(&m->ids[block->kind], (uint64_t)block->first_id + at) = next;
	}
	return 0;
}

static int
masked_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct masked_records *m = context;

	if (block->kind == STK_HEAD)
		return begin_stream(m, err);
	if (block->kind == STK_STRING || block->kind == STK_INDEX || block->kind == STK_END)
		return 0;
	if (block->schema == NULL || block->kind >= STK_KIND_COUNT) {
		m->unknown = true;
		return 0;
	}
	if (!block->schema->definition && !selection_kind(m->report.selection, block->schema, block->kind))
		return 0;
	if (!kind_is_recorded(block->kind)) {
		m->left_out[block->kind] = true;
		return 0;
	}
	return take_masked_rows(m, reader, block, err);
}

/* --- the form --- */

static void *
masked_open(const struct report *report, struct stk_error *err)
{
	struct masked_records *m = mem_new(1, sizeof *m);

	(void)err;
	m->report = *report;
	for (unsigned r = 0; r < MASK_ROLES; r++)
		m->strings[r].size = sizeof(struct masked_string);
	for (unsigned k = 0; k <= STK_DUMP; k++)
		m->ids[k].size = sizeof(uint32_t);
	return m;
}

static void
tell_leaks(struct masked_records *m)
{
	struct stk_text word, leak;
	struct text_buffer text = { 0 };
	size_t leaks = m->report.mask == NULL ? 0 : name_mask_leaks(m->report.mask, &word, &leak);

	if (leaks == 0)
		return;
	add_format(&text, "%zu texts that are not masked have words that are masked in names, such as '", leaks);
	add_bytes(&text, leak.data, leak.size < 60 ? leak.size : 60);
	add_string(&text, "': see --mask thread:, host:, process:, source:, path:, metric:");
	add_char(&text, '\0');
	m->report.remark(text.at);
	array_release(&text);
}

static int
masked_finish(void *context, struct stk_error *err)
{
	struct masked_records *m = context;
	struct stk_text word;
	char text[160];

	if (m->report.mask != NULL && name_mask_clash(m->report.mask, &word))
		return stk_fail(err, STK_ESYSTEM, "'%.*s', which is not masked, is the token of a name: use another key",
				(int)word.size, word.data);
	tell_left_out(&m->report, m->left_out);
	tell_leaks(m);
	if (m->report.mask == NULL && m->names == 0)
		m->report.missing(m->other_key ? "the names are masked with another key: nothing is unmasked"
					       : "no name of this key is in the input: nothing is unmasked");
	if (m->lost > 0) {
		snprintf(text, sizeof text,
			 "%llu rows refer to what their stream does not define; they are kept and refer to nothing",
			 (unsigned long long)m->lost);
		m->report.missing(text);
		stk_writer_lost(m->report.writer, m->lost);
	}
	return 0;
}

static void
masked_close(void *context)
{
	struct masked_records *m = context;

	for (unsigned r = 0; r < MASK_ROLES; r++)
		id_table_clear(&m->strings[r]);
	for (unsigned k = 0; k <= STK_DUMP; k++)
		id_table_clear(&m->ids[k]);
	text_table_release(&m->written);
	arena_release(&m->texts);
	array_release(&m->scratch);
	free(m);
}

const struct report_form masked_form = { .name = "stream",
					 .records = true,
					 .open = masked_open,
					 .take = masked_take,
					 .finish = masked_finish,
					 .close = masked_close };
