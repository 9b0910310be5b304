/* SPDX-License-Identifier: MIT
 * ndjson: one JSON object a record, generic over the schema that the stream carries. Ids are joined to what they stand
 * for, or, for programs that join them themselves, left as they are. */
#include "model/lock_lines.h"
#include "report/joined.h"

#include <math.h>

struct ndjson {
	struct report report;
	struct stack_texts stacks;
	struct lock_lines locks;
};

static size_t
names_count(const char *const *names)
{
	size_t count = 0;

	while (names[count] != NULL)
		count++;
	return count;
}

static void
add_json_real(struct text_buffer *to, uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	if (isfinite(value))
		add_real(to, value);
	else
		add_string(to, "null");
}

static void
add_json_word(struct text_buffer *to, const struct stk_column_schema *column, uint64_t value)
{
	switch (column->type) {
	case STK_TYPE_NUMBER: case STK_TYPE_SPAN:
		add_signed(to, (int64_t)value);
		break;
	case STK_TYPE_TIME:
		if ((int64_t)value == STK_TIME_UNKNOWN)
			add_string(to, "null");
		else
			add_signed(to, (int64_t)value);
		break;
	case STK_TYPE_REAL:
		add_json_real(to, value);
		break;
	case STK_TYPE_ENUM:
		if (value < names_count(column->names)) {
			add_json_text(to, text_from(column->names[value]));
			break;
		}
		/* fall through */
	default:
		add_unsigned(to, value);
	}
}

/* --- what ids stand for --- */

/* Of a folded stack: ["main","f"]. */
static void
add_frames(struct text_buffer *to, struct stk_text folded)
{
	const char *before = "";

	add_char(to, '[');
	while (folded.size > 0) {
		add_string(to, before);
		add_json_text(to, text_take(&folded, ';'));
		before = ",";
	}
	add_char(to, ']');
}

/* Nothing is null; "?" what was lost. */
static void
add_name(struct text_buffer *to, uint64_t id, struct stk_text name)
{
	if (id == 0)
		add_string(to, "null");
	else
		add_json_text(to, name);
}

static void
add_address(struct text_buffer *to, uint64_t address)
{
	add_string(to, "\"0x");
	add_hex(to, address, 1);
	add_char(to, '"');
}

static void
add_lock(struct ndjson *form, struct text_buffer *to, const struct lock_line *line)
{
	const struct stk_column_schema *relation = &stk_schema()->kind[STK_LOCKS].column[STK_COLUMN(locks, relation)];

	add_string(to, "{\"relation\":");
	add_json_word(to, relation, line->relation);
	add_string(to, ",\"class\":");
	add_name(to, line->class, model_string(form->report.model, line->class));
	add_string(to, ",\"address\":");
	if (line->address != 0)
		add_address(to, line->address);
	else
		add_string(to, !line->has_address && form->locks.lost_addresses ? "\"?\"" : "null");
	add_string(to, ",\"depth\":");
	add_unsigned(to, line->depth);
	add_char(to, '}');
}

static void
add_locks(struct ndjson *form, struct text_buffer *to, uint64_t locks, uint64_t objects)
{
	lock_lines_load(&form->locks, form->report.model, locks, objects);
	add_char(to, '[');
	for (size_t i = 0; i < form->locks.count; i++) {
		add_string(to, i > 0 ? "," : "");
		add_lock(form, to, &form->locks.at[i]);
	}
	if (form->locks.lost_lines) {
		add_string(to, form->locks.count > 0 ? "," : "");
		add_string(to, "{\"relation\":\"?\",\"class\":\"?\",\"address\":\"?\",\"depth\":null}");
	}
	add_char(to, ']');
}

static void
add_objects(struct ndjson *form, struct text_buffer *to, uint64_t objects)
{
	lock_lines_load(&form->locks, form->report.model, 0, objects);
	add_char(to, '[');
	for (size_t i = 0; i < form->locks.addresses.count; i++) {
		add_string(to, i > 0 ? "," : "");
		add_address(to, form->locks.addresses.at[i]);
	}
	if (form->locks.lost_addresses)
		add_string(to, form->locks.addresses.count > 0 ? ",\"?\"" : "\"?\"");
	add_char(to, ']');
}

static void
add_id(struct ndjson *form, struct text_buffer *to, unsigned kind, uint64_t id, bool java)
{
	const struct model *model = form->report.model;

	switch (kind) {
	case STK_STRING:  add_name(to, id, model_string(model, id)); break;
	case STK_FRAME:   add_name(to, id, id == 0 ? text_of("", 0) : naming_frame(form->report.naming, id, false)); break;
	case STK_STACK:   stack_texts_add(&form->stacks, &form->report, id, java, to); break;
	case STK_SOURCE:  add_name(to, id, model_source_name(model, id)); break;
	case STK_THREAD:  add_name(to, id, model_thread_name(model, id)); break;
	case STK_LOCKS:   add_locks(form, to, id, 0); break;
	case STK_OBJECTS: add_objects(form, to, id); break;
	default:          id == 0 ? add_string(to, "null") : add_unsigned(to, id);
	}
}

/* --- rows --- */

struct row {
	const struct block_columns *columns;
	uint32_t at;
	uint64_t thread, source;	/* of a sample; and whose clock the times are of */
	bool java;		/* how frames are named */
};

static uint64_t
value_of(const struct row *row, const char *name)
{
	int column = schema_column(row->columns->schema, name);

	return column < 0 || row->columns->words[column] == NULL ? 0 : row->columns->words[column][row->at];
}

static void
add_key(struct text_buffer *to, const char *name)
{
	add_char(to, ',');
	add_json_text(to, text_from(name));
	add_char(to, ':');
}

static void
add_joined(struct ndjson *form, struct text_buffer *to, const struct row *row, unsigned c)
{
	const struct stk_kind_schema *kind = row->columns->schema;
	const struct stk_column_schema *column = &kind->column[c];
	uint64_t value = row->columns->words[c][row->at];
	char time[TIME_TEXT_MAX];

	if (column->type == STK_TYPE_TIME && (int64_t)value != STK_TIME_UNKNOWN)
		add_json_text(to, text_from(moments_print(form->report.moments, time, row->source, (int64_t)value)));
	else if (column->type == STK_TYPE_ID && column->refers == STK_LOCKS && kind->number == STK_SAMPLE)
		add_locks(form, to, value, value_of(row, "objects"));
	else if (column->type == STK_TYPE_ID)
		add_id(form, to, column->refers, value, row->java);
	else
		add_json_word(to, column, value);
}

static void
add_number_of_thread(struct ndjson *form, struct text_buffer *to, uint64_t thread, uint64_t number)
{
	if (thread == 0)
		add_string(to, "null");
	else if (!model_knows(form->report.model, STK_THREAD, thread))
		add_string(to, "\"?\"");
	else
		add_unsigned(to, number);
}

/* What a sample's thread says of it. */
static void
add_thread(struct ndjson *form, struct text_buffer *to, const struct row *row)
{
	const struct model *model = form->report.model;
	uint64_t id = row->thread;
	struct stk_thread thread = model_thread(model, id);

	add_key(to, "source");
	add_name(to, row->source, model_source_name(model, row->source));
	add_key(to, "tid");
	add_number_of_thread(form, to, id, thread.tid);
	add_key(to, "number");
	add_number_of_thread(form, to, id, thread.number);
	add_key(to, "pool");
	add_name(to, id, naming_pool(model_thread_name(model, id)));
}

/* When a dump was taken and of which source, for a row that refers to it. */
static void
add_moment(struct ndjson *form, struct text_buffer *to, uint64_t id)
{
	struct stk_dump dump = model_dump(form->report.model, id);
	char time[TIME_TEXT_MAX];

	add_key(to, "time");
	if (id == 0 || dump.time == STK_TIME_UNKNOWN)
		add_string(to, "null");
	else
		add_json_text(to, text_from(moments_print(form->report.moments, time, dump.source, dump.time)));
	add_key(to, "source");
	add_name(to, dump.source, model_source_name(form->report.model, dump.source));
}

/* The addresses of a sample are with its locks. */
static bool
is_left_out(const struct stk_kind_schema *kind, unsigned c)
{
	return kind->number == STK_SAMPLE && kind->column[c].type == STK_TYPE_ID &&
	       kind->column[c].refers == STK_OBJECTS && schema_column_of(kind, STK_LOCKS) >= 0;
}

static void
add_row(struct ndjson *form, const struct block_columns *columns, const struct stk_block *block, uint32_t at)
{
	const struct stk_kind_schema *kind = columns->schema;
	struct text_buffer *to = &form->report.printer->text;
	struct row row = { .columns = columns, .at = at };
	bool ids = form->report.ids;

	if (!ids && (kind->time >= 0 || kind->number == STK_SAMPLE))
		row.source = joined_source(&form->report, columns, at);
	if (!ids && kind->number == STK_SAMPLE) {
		row.thread = value_of(&row, "thread");
		row.java = joined_java(&form->report, row.thread);
	}
	add_string(to, "{\"kind\":");
	add_json_text(to, text_from(kind->name));
	if (kind->definition) {
		add_string(to, ",\"id\":");
		add_unsigned(to, (uint64_t)block->first_id + at);
	}
	for (unsigned c = 0; c < columns->columns; c++) {
		if (!ids && is_left_out(kind, c))
			continue;
		add_key(to, kind->column[c].name);
		if (columns->texts[c] != NULL)
			add_json_text(to, columns->texts[c][at]);
		else if (ids)
			add_json_word(to, &kind->column[c], columns->words[c][at]);
		else if (joined_address(kind, c))
			add_address(to, columns->words[c][at]);
		else
			add_joined(form, to, &row, c);
	}
	if (!ids && kind->number == STK_SAMPLE)
		add_thread(form, to, &row);
	if (!ids && kind->number == STK_DEADLOCK)
		add_moment(form, to, joined_dump(&form->report, columns, at));
	add_string(to, "}\n");
}

/* --- the form --- */

static void *
ndjson_open(const struct report *report, struct stk_error *err)
{
	struct ndjson *form = mem_new(1, sizeof *form);

	(void)err;
	form->report = *report;
	stack_texts_open(&form->stacks, add_frames);
	return form;
}

static int
ndjson_turn(void *context, struct stk_error *err)
{
	struct ndjson *form = context;

	(void)err;
	stack_texts_forget(&form->stacks);
	return 0;
}

static int
ndjson_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct ndjson *form = context;
	struct printer *printer = form->report.printer;
	struct block_columns columns;
	const uint32_t *rows;
	uint32_t count;

	if (!selection_kind(form->report.selection, block->schema, block->kind))
		return 0;
	if (block_columns_load(&columns, reader, block, err) < 0 ||
	    selection_rows(form->report.selection, reader, block, &rows, &count, err) < 0)
		return -1;
	if (columns.schema == NULL) {
		add_format(&printer->text, "{\"kind\":\"#%u\",\"rows\":%u}\n", block->kind, block->rows);
		return printer_settle(printer, false, err);
	}
	for (uint32_t i = 0; i < count; i++) {
		add_row(form, &columns, block, selected_row(rows, i));
		if (printer_settle(printer, false, err) < 0)
			return -1;
	}
	return 0;
}

static void
ndjson_close(void *context)
{
	struct ndjson *form = context;

	stack_texts_release(&form->stacks);
	lock_lines_release(&form->locks);
	free(form);
}

const struct report_form ndjson_form = {
	.name = "ndjson", .open = ndjson_open, .turn = ndjson_turn, .take = ndjson_take, .close = ndjson_close
};
