/* SPDX-License-Identifier: MIT
 * tsv: a header line and rows, for each kind of the stream's schema. Ids are joined to what they stand for; samples
 * have a form of their own, which scripts rely on. CSV is the same table of one kind. */
#include "model/lock_lines.h"
#include "report/joined.h"
#include "report/tsv.h"

#define NO_KIND UINT32_MAX

struct tsv {
	struct report report;
	unsigned kinds;			/* that --only names; 1: one header, no comments */
	struct stk_text only;
	unsigned last;			/* the kind of the row before */
	unsigned width;			/* columns of the header, where there is only one */
	struct stack_texts stacks;
	struct lock_lines locks;
	bool csv;
	struct text_buffer scratch;	/* of rows that become CSV */
};

static const char sample_header[] =
	"time\tsource\tthread\tstate\tweight\tstack\tdump\tevent\tprocessor\tcondition\tcpu\telapsed\tallocated\tclasses\tlocks\tnote\ttid\tnumber\tpool\n";

/* --- values --- */

static void
add_name(struct tsv *tsv, uint64_t id)
{
	add_escaped(&tsv->report.printer->text, model_string(tsv->report.model, id));
}

static void
add_enum(struct text_buffer *to, const struct stk_column_schema *column, uint64_t value)
{
	for (uint64_t n = 0; column->names[n] != NULL; n++) {
		if (n == value) {
			add_string(to, column->names[n]);
			return;
		}
	}
	add_unsigned(to, value);
}

/* "waiting-to-lock java.lang.Object 0xff20b110 @1, locked ..." */
static void
add_locks(struct tsv *tsv, uint64_t locks, uint64_t objects)
{
	const struct stk_column_schema *relation = &stk_schema()->kind[STK_LOCKS].column[STK_COLUMN(locks, relation)];
	struct text_buffer *to = &tsv->report.printer->text;

	lock_lines_load(&tsv->locks, tsv->report.model, locks, objects);
	for (size_t i = 0; i < tsv->locks.count; i++) {
		const struct lock_line *line = &tsv->locks.at[i];

		add_string(to, i > 0 ? ", " : "");
		add_enum(to, relation, line->relation);
		if (line->class != 0) {
			add_char(to, ' ');
			add_name(tsv, line->class);
		}
		if (line->address != 0) {
			add_string(to, " 0x");
			add_hex(to, line->address, 1);
		} else if (!line->has_address && tsv->locks.lost_addresses) {
			add_string(to, " ?");
		}
		add_string(to, " @");
		add_unsigned(to, line->depth);
	}
	if (tsv->locks.lost_lines)
		add_string(to, tsv->locks.count > 0 ? ", ?" : "?");
}

static void
add_objects(struct tsv *tsv, uint64_t objects)
{
	struct text_buffer *to = &tsv->report.printer->text;

	lock_lines_load(&tsv->locks, tsv->report.model, 0, objects);
	for (size_t i = 0; i < tsv->locks.addresses.count; i++) {
		add_string(to, i > 0 ? " 0x" : "0x");
		add_hex(to, tsv->locks.addresses.at[i], 1);
	}
	if (tsv->locks.lost_addresses)
		add_string(to, tsv->locks.addresses.count > 0 ? " ?" : "?");
}

/* What an id stands for; the number where that is all there is. */
static void
add_id(struct tsv *tsv, unsigned kind, uint64_t id)
{
	const struct model *model = tsv->report.model;
	struct text_buffer *to = &tsv->report.printer->text;

	if (tsv->report.ids) {
		id == MODEL_LOST ? add_char(to, '?') : add_unsigned(to, id);
		return;
	}
	switch (kind) {
	case STK_STRING:  add_name(tsv, id); break;
	case STK_FRAME:   if (id != 0) add_escaped(to, naming_frame(tsv->report.naming, id, false)); break;
	case STK_STACK:   stack_texts_add(&tsv->stacks, &tsv->report, id, false, to); break;
	case STK_SOURCE:  add_escaped(to, model_source_name(model, id)); break;
	case STK_THREAD:  add_escaped(to, model_thread_name(model, id)); break;
	case STK_LOCKS:   add_locks(tsv, id, 0); break;
	case STK_OBJECTS: add_objects(tsv, id); break;
	default:          add_unsigned(to, id);
	}
}

static void
add_value(struct tsv *tsv, const struct stk_column_schema *column, uint64_t value, uint64_t source)
{
	struct text_buffer *to = &tsv->report.printer->text;
	char time[TIME_TEXT_MAX];
	double real;

	switch (column->type) {
	case STK_TYPE_NUMBER: case STK_TYPE_SPAN: add_signed(to, (int64_t)value); break;
	case STK_TYPE_TIME: add_string(to, moments_print(tsv->report.moments, time, source, (int64_t)value)); break;
	case STK_TYPE_REAL: memcpy(&real, &value, sizeof real); add_real(to, real); break;
	case STK_TYPE_ENUM: add_enum(to, column, value); break;
	case STK_TYPE_ID:   add_id(tsv, column->refers, value); break;
	default:            add_unsigned(to, value);
	}
}

/* --- samples --- */

/* A number that a thread has; unknown when its definition was lost. */
static void
add_number_of_thread(struct tsv *tsv, uint64_t thread, uint64_t number)
{
	if (model_knows(tsv->report.model, STK_THREAD, thread))
		add_unsigned(&tsv->report.printer->text, number);
	else
		add_char(&tsv->report.printer->text, '?');
}

static void
add_sample(struct tsv *tsv, const struct stk_sample *sample)
{
	const struct model *model = tsv->report.model;
	const struct stk_column_schema *columns = stk_schema()->kind[STK_SAMPLE].column;
	struct text_buffer *to = &tsv->report.printer->text;
	struct stk_thread thread = model_thread(model, sample->thread);
	uint64_t source = model_sample_source(model, sample->thread, sample->dump);
	char time[TIME_TEXT_MAX];

	add_string(to, moments_print(tsv->report.moments, time, source, sample->time));
	add_char(to, '\t');
	add_id(tsv, STK_SOURCE, source);
	add_char(to, '\t');
	add_id(tsv, STK_THREAD, sample->thread);
	add_char(to, '\t');
	add_enum(to, &columns[STK_COLUMN(sample, state)], sample->state);
	add_char(to, '\t');
	add_unsigned(to, sample->weight);
	add_char(to, '\t');
	if (tsv->report.ids)
		add_unsigned(to, sample->stack);
	else
		stack_texts_add(&tsv->stacks, &tsv->report, sample->stack, joined_java(&tsv->report, sample->thread),
				to);
	add_char(to, '\t');
	add_unsigned(to, sample->dump);
	add_char(to, '\t');
	add_id(tsv, STK_STRING, sample->event);
	add_char(to, '\t');
	add_signed(to, sample->processor);
	add_char(to, '\t');
	add_id(tsv, STK_STRING, sample->condition);
	add_char(to, '\t');
	add_signed(to, sample->cpu);
	add_char(to, '\t');
	add_signed(to, sample->elapsed);
	add_char(to, '\t');
	add_unsigned(to, sample->allocated);
	add_char(to, '\t');
	add_unsigned(to, sample->classes);
	add_char(to, '\t');
	if (tsv->report.ids)
		add_unsigned(to, sample->locks);
	else
		add_locks(tsv, sample->locks, sample->objects);
	add_char(to, '\t');
	add_id(tsv, STK_STRING, sample->note);
	add_char(to, '\t');
	add_number_of_thread(tsv, sample->thread, thread.tid);
	add_char(to, '\t');
	add_number_of_thread(tsv, sample->thread, thread.number);
	add_char(to, '\t');
	add_escaped(to, naming_pool(model_thread_name(model, sample->thread)));
	add_char(to, '\n');
}

/* The rows since `from` are whole. */
static int
settle_rows(struct tsv *tsv, size_t from, struct stk_error *err)
{
	if (tsv->csv)
		csv_of_tsv(&tsv->report.printer->text, from, &tsv->scratch);
	return printer_settle(tsv->report.printer, false, err);
}

static int
take_samples(struct tsv *tsv, struct stk_reader *reader, const uint32_t *rows, uint32_t count, struct stk_error *err)
{
	for (uint32_t i = 0; i < count; i++) {
		size_t from = tsv->report.printer->text.count;
		struct stk_sample sample;

		stk_reader_row(reader, selected_row(rows, i), &sample);
		add_sample(tsv, &sample);
		if (settle_rows(tsv, from, err) < 0)
			return -1;
	}
	return 0;
}

/* --- any kind --- */

/* "0xff20b110"; 0 is no object. */
static void
add_object(struct text_buffer *to, uint64_t address)
{
	add_string(to, address == 0 ? "0" : "0x");
	if (address != 0)
		add_hex(to, address, 1);
}

/* The time and the source of a dump, after the columns of a row that refers to it. */
static void
add_moment(struct tsv *tsv, uint64_t id)
{
	struct stk_dump dump = model_dump(tsv->report.model, id);
	struct text_buffer *to = &tsv->report.printer->text;
	char time[TIME_TEXT_MAX];

	add_char(to, '\t');
	if (id != 0)
		add_string(to, moments_print(tsv->report.moments, time, dump.source, dump.time));
	add_char(to, '\t');
	if (id != 0)
		add_id(tsv, STK_SOURCE, dump.source);
}

static void
add_row(struct tsv *tsv, const struct block_columns *columns, const struct stk_block *block, uint32_t row)
{
	struct text_buffer *to = &tsv->report.printer->text;
	const struct stk_kind_schema *kind = columns->schema;
	uint64_t source = kind->time < 0 ? 0 : joined_source(&tsv->report, columns, row);

	if (kind->definition)
		add_unsigned(to, (uint64_t)block->first_id + row);
	for (unsigned c = 0; c < tsv->width; c++) {
		if (c > 0 || kind->definition)
			add_char(to, '\t');
		if (c >= columns->columns)	/* a later stream of the same input, with an older schema */
			continue;
		if (columns->texts[c] != NULL)
			add_escaped(to, columns->texts[c][row]);
		else if (!tsv->report.ids && joined_address(kind, c))
			add_object(to, columns->words[c][row]);
		else
			add_value(tsv, &kind->column[c], columns->words[c][row], source);
	}
	if (kind->number == STK_DEADLOCK && !tsv->report.ids)
		add_moment(tsv, joined_dump(&tsv->report, columns, row));
	add_char(to, '\n');
}

static void
add_header(struct tsv *tsv, const struct stk_kind_schema *kind)
{
	struct text_buffer *to = &tsv->report.printer->text;
	size_t from = to->count;

	if (tsv->kinds != 1) {
		add_string(to, "# kind ");
		add_escaped(to, text_from(kind->name));
		add_char(to, '\n');
	}
	tsv->last = kind->number;
	tsv->width = kind->columns;
	if (kind->number == STK_SAMPLE) {
		add_string(to, sample_header);
	} else {
		if (kind->definition)
			add_string(to, "id");
		for (unsigned c = 0; c < kind->columns; c++) {
			add_string(to, c > 0 || kind->definition ? "\t" : "");
			add_escaped(to, text_from(kind->column[c].name));
		}
		if (kind->number == STK_DEADLOCK && !tsv->report.ids)
			add_string(to, "\ttime\tsource");
		add_char(to, '\n');
	}
	if (tsv->csv)
		csv_of_tsv(to, from, &tsv->scratch);
}

static void *
tsv_open(const struct report *report, struct stk_error *err)
{
	struct tsv *tsv = mem_new(1, sizeof *tsv);

	(void)err;
	tsv->report = *report;
	stack_texts_open(&tsv->stacks, add_escaped);
	tsv->last = NO_KIND;
	tsv->kinds = selection_kinds(report->selection, &tsv->only);
	return tsv;
}

static void *
csv_open(const struct report *report, struct stk_error *err)
{
	struct tsv *tsv = tsv_open(report, err);

	tsv->csv = true;
	return tsv;
}

static int
tsv_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct tsv *tsv = context;
	struct block_columns columns;
	const uint32_t *rows;
	uint32_t count;

	if (!selection_kind(tsv->report.selection, block->schema, block->kind))
		return 0;
	if (block_columns_load(&columns, reader, block, err) < 0 ||
	    selection_rows(tsv->report.selection, reader, block, &rows, &count, err) < 0 ||
	    (block->kind == STK_SAMPLE && stk_reader_rows(reader, err) < 0))
		return -1;
	if (columns.schema == NULL && tsv->csv)
		return 0;
	if (columns.schema == NULL) {
		add_format(&tsv->report.printer->text, "# kind #%u: %u rows that the stream does not declare\n",
			   block->kind, block->rows);
		return printer_settle(tsv->report.printer, false, err);
	}
	if (tsv->last != block->kind && count > 0)
		add_header(tsv, columns.schema);
	if (block->kind == STK_SAMPLE)
		return take_samples(tsv, reader, rows, count, err);
	for (uint32_t i = 0; i < count; i++) {
		size_t from = tsv->report.printer->text.count;

		add_row(tsv, &columns, block, selected_row(rows, i));
		if (settle_rows(tsv, from, err) < 0)
			return -1;
	}
	return 0;
}

static int
tsv_turn(void *context, struct stk_error *err)
{
	struct tsv *tsv = context;

	(void)err;
	stack_texts_forget(&tsv->stacks);
	return 0;
}

/* A table of one kind has its header even when it has no rows. */
static int
tsv_finish(void *context, struct stk_error *err)
{
	struct tsv *tsv = context;
	const struct stk_kind_schema *kind =
		tsv->kinds == 1 && tsv->last == NO_KIND ? stk_schema_find(stk_schema(), tsv->only) : NULL;

	(void)err;
	if (kind != NULL)
		add_header(tsv, kind);
	return 0;
}

static void
tsv_close(void *context)
{
	struct tsv *tsv = context;

	stack_texts_release(&tsv->stacks);
	lock_lines_release(&tsv->locks);
	array_release(&tsv->scratch);
	free(tsv);
}

const struct report_form tsv_form = {
	.name = "tsv", .open = tsv_open, .turn = tsv_turn, .take = tsv_take, .finish = tsv_finish, .close = tsv_close
};

const struct report_form csv_form = {
	.name = "csv", .open = csv_open, .turn = tsv_turn, .take = tsv_take, .finish = tsv_finish, .close = tsv_close
};
