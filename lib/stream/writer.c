/* SPDX-License-Identifier: MIT
 * writer: rows to blocks. Rows of a kind gather in a builder, column by column; a full builder becomes a block,
 * compressed by a worker or at once, and written in the order in which blocks were begun. So the bytes never depend on
 * the number of threads. */
#include "stkpipe/stream.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/workers.h"
#include "stream/block.h"
#include "stream/block_ids.h"
#include "stream/compressors.h"
#include "stream/layout_trials.h"
#include "stream/wide_clones.h"
#include "stream/writer.h"

#include <assert.h>
#include <stdlib.h>
#include <zstd.h>

#define BLOCK_ROWS_DEFAULT  49152	/* larger blocks save one percent and take more memory */
#define SAMPLES_MANY        32768	/* few events among so many are written before them, not after all samples */
#define TEXT_BYTES_FULL     (4u << 20)		/* texts of a builder after which it is full */
#define TEXT_BYTES_MAX      (16u << 20)	/* of one text */
#define TEXT_CONSTANT_MAX   256			/* a longer text that all rows have is stored, not described */
#define LEVEL_THOROUGH      3		/* from this level on a block may take time */

struct texts {
	ARRAY(char) bytes;
	ARRAY(uint32_t) sizes;
};

/* Rows of one kind on their way into a block. */
struct rows {
	const struct stk_kind_schema *kind;
	uint32_t count, room;
	uint32_t first_id;
	bool has_texts;				/* else the row struct is an array of words */
	uint64_t *words[STK_COLUMN_MAX];	/* NULL where all are the same so far, and for text columns */
	uint64_t same[STK_COLUMN_MAX];		/* what they are; of 0 rows 0 */
	uint64_t *spare_words[STK_COLUMN_MAX];	/* of an earlier block, for when one is another */
	struct texts texts[STK_COLUMN_MAX];
	struct rows *next_free;
};

/* A block that is being compressed by a worker, or is done and waits for its turn. */
struct job {
	struct task task;		/* must be first: workers return it as this */
	struct rows *rows;
	struct block_header header;
	unsigned char *header_bytes;
	size_t header_size, header_least;
	ARRAY(unsigned char) stored;	/* the frames, one after another */
	struct compressors compressors;
	struct column_scratch scratch;
	unsigned char *texts;		/* the content of a text column */
	size_t texts_room;
	id_text holds;			/* for the index */
	uint32_t number;		/* among the blocks of its kind that take time */
	const struct column_shape *shapes;	/* by column; NULL: all that are worth it are tried */
	int level;
	bool failed;
};

/* The ids that a block has, as its row of the index says them. */
struct held {
	size_t at;			/* in stk_writer.holds */
	bool waits;			/* they are given later */
};

struct stk_writer {
	struct stk_writer_options options;
	struct rows *building[STK_KIND_COUNT];
	struct rows *spare[STK_KIND_COUNT];
	uint32_t room[STK_KIND_COUNT];		/* rows that the last block had room for */
	uint32_t next_id[STK_KIND_COUNT];
	uint32_t limit[STK_KIND_COUNT];		/* of rows in a block; 0: that of the options */
	uint64_t rows[STK_KIND_MAX];		/* written or handed to a job */
	struct layout_trials trials[STK_KIND_COUNT];
	struct job *jobs;			/* a ring */
	unsigned jobs_max, jobs_first, jobs_count;
	bool open;				/* a head was written, its end was not */
	bool hold;
	uint64_t bytes, blocks, lost;		/* of the present stream */
	struct stk_error broken;		/* why a block is missing: such a stream is never whole */
	ARRAY(struct stk_index) index;
	ARRAY(struct held) held;		/* by row of the index */
	ARRAY(char) holds;			/* the texts of the index */
};

/* --- rows --- */

static bool
has_texts(const struct stk_kind_schema *kind)
{
	return kind->row_size != kind->columns * sizeof(uint64_t);
}

static struct rows *
rows_take(struct stk_writer *writer, unsigned kind)
{
	struct rows *rows = writer->spare[kind];

	if (rows != NULL) {
		writer->spare[kind] = rows->next_free;
	} else {
		rows = mem_new(1, sizeof *rows);
		rows->room = writer->room[kind];
	}
	rows->kind = &stk_schema()->kind[kind];
	rows->has_texts = has_texts(rows->kind);
	rows->count = 0;
	rows->first_id = rows->kind->definition ? writer->next_id[kind] : 0;
	for (unsigned c = 0; c < rows->kind->columns; c++) {
		if (rows->words[c] != NULL)
			rows->spare_words[c] = rows->words[c];
		rows->words[c] = NULL;
		rows->same[c] = 0;
		rows->texts[c].bytes.count = rows->texts[c].sizes.count = 0;
	}
	return rows;
}

static void
rows_give_back(struct stk_writer *writer, struct rows *rows)
{
	rows->next_free = writer->spare[rows->kind->number];
	writer->spare[rows->kind->number] = rows;
}

static void
rows_free(struct rows *rows)
{
	while (rows != NULL) {
		struct rows *next = rows->next_free;

		for (unsigned c = 0; c < STK_COLUMN_MAX; c++) {
			free(rows->words[c]);
			free(rows->spare_words[c]);
			array_release(&rows->texts[c].bytes);
			array_release(&rows->texts[c].sizes);
		}
		free(rows);
		rows = next;
	}
}

/* Grows by half up to a block's size, and by little beyond it, when a block is held for a dump to end. */
static void
rows_grow(struct rows *rows, uint32_t block_rows)
{
	uint32_t room = rows->room + rows->room / 2 + 256;

	if (room > block_rows)
		room = rows->room < block_rows ? block_rows : rows->room + 4096;

	for (unsigned c = 0; c < rows->kind->columns; c++) {
		free(rows->spare_words[c]);
		rows->spare_words[c] = NULL;
		if (rows->words[c] != NULL)
			rows->words[c] = mem_resize(rows->words[c], room, sizeof *rows->words[c]);
	}
	rows->room = room;
}

/* A column's first word that is another than those before it. */
static void
rows_begin_column(struct rows *rows, unsigned c)
{
	uint64_t *words = rows->spare_words[c] != NULL ? rows->spare_words[c]
						       : mem_resize(NULL, rows->room, sizeof *words);

	rows->words[c] = words;
	rows->spare_words[c] = NULL;
	for (uint32_t i = 0; i < rows->count; i++)
		words[i] = rows->same[c];
}

static void
rows_set_word(struct rows *rows, unsigned c, uint32_t at, const void *from)
{
	uint64_t word;

	memcpy(&word, from, sizeof word);
	if (rows->words[c] == NULL && word != rows->same[c] && rows->count > 1)
		rows_begin_column(rows, c);
	if (rows->words[c] != NULL)
		rows->words[c][at] = word;
	else
		rows->same[c] = word;
}

static void
rows_set(struct rows *rows, uint32_t at, const void *row)
{
	const struct stk_kind_schema *kind = rows->kind;

	if (!rows->has_texts) {
		for (unsigned c = 0; c < kind->columns; c++)
			rows_set_word(rows, c, at, (const char *)row + c * sizeof(uint64_t));
		return;
	}
	for (unsigned c = 0; c < kind->columns; c++)
		if (kind->column[c].type != STK_TYPE_TEXT)
			rows_set_word(rows, c, at, (const char *)row + kind->column[c].offset);
}

/* Adds the texts of a row; the bytes that all texts have by now. */
static size_t
rows_add_texts(struct rows *rows, const void *row)
{
	size_t bytes = 0;

	for (unsigned c = 0; c < rows->kind->columns; c++) {
		struct texts *column = &rows->texts[c];
		struct stk_text text;

		if (rows->kind->column[c].type != STK_TYPE_TEXT)
			continue;
		memcpy(&text, (const char *)row + rows->kind->column[c].offset, sizeof text);
		array_reserve(&column->bytes, text.size);
		if (text.size > 0)
			memcpy(column->bytes.at + column->bytes.count, text.data, text.size);
		column->bytes.count += text.size;
		*array_push(&column->sizes) = (uint32_t)text.size;
		bytes += column->bytes.count;
	}
	return bytes;
}

/* Adds a row; the bytes that all texts have by now. */
static size_t
rows_add(struct rows *rows, const void *row, uint32_t block_rows)
{
	if (rows->count == rows->room)
		rows_grow(rows, block_rows);
	rows_set(rows, rows->count++, row);
	return rows->has_texts ? rows_add_texts(rows, row) : 0;
}

static bool
are_same(const uint64_t *words, uint32_t count)
{
	return memcmp(words, words + 1, (count - 1) * sizeof *words) == 0;	/* each is the one before it */
}

/* Adds words of one column, at least one; NULL: all are 0. */
static void
rows_add_words(struct rows *rows, unsigned c, const uint64_t *words, uint32_t count)
{
	uint64_t first = words == NULL ? 0 : words[0];

	if (rows->words[c] == NULL && (rows->count == 0 || rows->same[c] == first) &&
	    (words == NULL || are_same(words, count))) {
		rows->same[c] = first;
		return;
	}
	if (rows->words[c] == NULL)
		rows_begin_column(rows, c);
	if (words == NULL)
		memset(rows->words[c] + rows->count, 0, count * sizeof *words);
	else
		memcpy(rows->words[c] + rows->count, words, count * sizeof *words);
}

/* Adds so many rows, column by column. */
static void
rows_add_columns(struct rows *rows, const uint64_t *const columns[], uint32_t from, uint32_t count, uint32_t block_rows)
{
	while (rows->room - rows->count < count)
		rows_grow(rows, block_rows);
	for (unsigned c = 0; c < rows->kind->columns; c++)
		rows_add_words(rows, c, columns[c] == NULL ? NULL : columns[c] + from, count);
	rows->count += count;
}

/* The words of a column that has some: one where all are the same. */
static const uint64_t *
rows_words(const struct rows *rows, unsigned c, uint32_t *count)
{
	*count = rows->words[c] == NULL ? 1 : rows->count;
	return rows->words[c] == NULL ? &rows->same[c] : rows->words[c];
}

/* --- a block --- */

/* One zstd frame of the content. Its zstd blocks end where the parts do, so that each plane is coded by its own
 * statistics. */
static void
store_frame(struct job *job, struct block_column *column, const unsigned char *content, const size_t *parts,
	    unsigned count)
{
	size_t room = ZSTD_compressBound(column->content_bytes) + 64 + count * 16;
	ZSTD_CCtx *zstd = compressor_for(&job->compressors, column->content_bytes, job->level);
	ZSTD_outBuffer out = { NULL, room, 0 };

	if (zstd == NULL) {
		job->failed = true;
		return;
	}
	array_reserve(&job->stored, room);
	out.dst = job->stored.at + job->stored.count;
	for (unsigned p = 0; p < count || p == 0; p++) {
		ZSTD_inBuffer in = { content, p < count ? parts[p] : 0, 0 };
		ZSTD_EndDirective how = p + 1 < count ? ZSTD_e_flush : ZSTD_e_end;
		size_t left;

		do {
			left = ZSTD_compressStream2(zstd, &out, &in, how);
		} while (left != 0 && !ZSTD_isError(left) && out.pos < out.size);
		if (left != 0)
			job->failed = true;
		content += in.size;
	}
	column->stored_bytes = out.pos;
	column->stored_check = load32(job->stored.at + job->stored.count + out.pos - 4);
	job->stored.count += out.pos;
}

static void
wish_key(struct column_coding *coding, const struct rows *rows, unsigned key, column_keys keys)
{
	if (rows->words[key] == NULL || are_same(rows->words[key], rows->count))	/* it distinguishes no rows */
		return;
	keys[coding->keys] = rows->words[key];
	coding->key[coding->keys++] = key;
}

/* The coding that the schema asks for. */
static void
wish(struct column_coding *coding, const struct rows *rows, unsigned number, column_keys keys)
{
	const struct stk_column_schema *schema = &rows->kind->column[number];

	*coding =
		(struct column_coding){ .prediction = schema->prediction == STK_PAIR ? STK_SAME : schema->prediction };
	coding->base = rows->first_id;
	if ((column_is_keyed(schema->prediction) || schema->prediction == STK_PAIR) && schema->key != number)
		wish_key(coding, rows, schema->key, keys);
	if (schema->prediction == STK_PAIR)
		wish_key(coding, rows, schema->key + 1, keys);
}

/* Stores the column by each of the layouts and keeps the smallest. */
static void
store_smallest(struct job *job, struct block_column *column, const struct column_layout *layouts, unsigned count)
{
	struct block_column best = { 0 };
	size_t begin = job->stored.count;

	for (unsigned l = 0; l < count; l++) {
		size_t parts[COLUMN_PARTS_MAX], at = job->stored.count;

		column_pack(&column->coding, &layouts[l], job->rows->count, &job->scratch);
		column->content_bytes = column_size(&column->coding, job->rows->count);
		store_frame(job, column, job->scratch.bytes, parts,
			    column_parts(&column->coding, job->rows->count, parts));
		if (l > 0 && column->stored_bytes >= best.stored_bytes) {
			job->stored.count = at;
			continue;
		}
		memmove(job->stored.at + begin, job->stored.at + at, (size_t)column->stored_bytes);
		job->stored.count = begin + (size_t)column->stored_bytes;
		best = *column;
	}
	*column = best;
}

static void
make_word_column(struct job *job, struct block_column *column)
{
	const uint64_t *values = job->rows->words[column->number];
	struct column_layout layouts[COLUMN_LAYOUTS_MAX];
	uint32_t rows = job->rows->count;
	column_keys keys = { NULL, NULL };
	unsigned count;

	if (values == NULL || are_same(values, rows)) {		/* amended ones may be */
		column->encoding = ENCODING_WORD;
		column->word = values == NULL ? job->rows->same[column->number] : values[0];
		return;
	}
	column->encoding = ENCODING_WORDS;
	wish(&column->coding, job->rows, column->number, keys);
	count = column_encode(&column->coding, values, keys, rows, job->level >= LEVEL_THOROUGH,
			      job->shapes == NULL ? NULL : &job->shapes[column->number], &job->scratch, layouts);
	store_smallest(job, column, layouts, count);
}

static bool
texts_are_one(const struct texts *texts)
{
	uint32_t size = texts->sizes.at[0];

	if (size > TEXT_CONSTANT_MAX)
		return false;
	for (size_t i = 1; i < texts->sizes.count; i++)
		if (texts->sizes.at[i] != size ||
		    (size > 0 && memcmp(texts->bytes.at, texts->bytes.at + i * size, size) != 0))
			return false;
	return true;
}

static void
make_text_column(struct job *job, struct block_column *column)
{
	const struct texts *texts = &job->rows->texts[column->number];
	size_t room = texts->sizes.count * VARINT_MAX + texts->bytes.count, parts[2];
	unsigned char *at;

	if (texts_are_one(texts)) {
		column->encoding = ENCODING_TEXT;
		column->text = text_of(texts->bytes.at, texts->sizes.at[0]);
		return;
	}
	if (room > job->texts_room) {
		free(job->texts);
		job->texts = mem_new(room, 1);
		job->texts_room = room;
	}
	at = job->texts;
	for (size_t i = 0; i < texts->sizes.count; i++)
		at = put_varint(at, texts->sizes.at[i]);
	parts[0] = (size_t)(at - job->texts);
	parts[1] = texts->bytes.count;
	if (parts[1] > 0)
		memcpy(at, texts->bytes.at, texts->bytes.count);
	column->encoding = ENCODING_TEXTS;
	column->content_bytes = parts[0] + parts[1];
	store_frame(job, column, job->texts, parts, 2);
}

static bool
column_is_empty(const struct block_column *column)
{
	return (column->encoding == ENCODING_WORD && column->word == 0) ||
	       (column->encoding == ENCODING_TEXT && column->text.size == 0);
}

WIDE_CLONES static void
find_range(const int64_t *times, uint32_t count, int64_t *from, int64_t *to)
{
	int64_t least = times[0], most = times[0];

	for (uint32_t i = 1; i < count; i++) {
		least = times[i] < least ? times[i] : least;
		most = times[i] > most ? times[i] : most;
	}
	*from = least;
	*to = most;
}

static void
make_time_range(struct job *job)
{
	struct block_header *header = &job->header;
	const int64_t *times;
	uint32_t count;

	header->has_time = job->rows->kind->time >= 0;
	header->from_ns = header->to_ns = 0;
	if (!header->has_time)
		return;
	times = (const int64_t *)rows_words(job->rows, (unsigned)job->rows->kind->time, &count);
	find_range(times, count, &header->from_ns, &header->to_ns);
	if (header->from_ns == STK_TIME_UNKNOWN)
		header->has_time = false;
}

static void
list_ids(struct job *job)
{
	const struct rows *rows = job->rows;
	unsigned columns[STK_COLUMN_MAX];
	unsigned count = job->level < LEVEL_THOROUGH ? 0 : block_ids_columns(rows->kind, columns);

	job->holds.count = 0;
	for (unsigned i = 0; i < count; i++) {
		uint32_t number;
		const uint64_t *words = rows_words(rows, columns[i], &number);

		block_ids_add(&job->holds, block_ids_room(rows->kind, columns[i], job->stored.count), columns[i], words,
			      number);
	}
}

static void
make_block(struct task *task)
{
	struct job *job = (struct job *)task;
	const struct stk_kind_schema *kind = job->rows->kind;
	struct block_header *header = &job->header;

	header->kind = kind->number;
	header->rows = job->rows->count;
	header->first_id = job->rows->first_id;
	header->columns = 0;
	job->stored.count = 0;
	make_time_range(job);
	for (unsigned c = 0; c < kind->columns; c++) {
		struct block_column *column = &header->column[header->columns];

		memset(column, 0, sizeof *column);
		column->number = c;
		if (kind->column[c].type == STK_TYPE_TEXT)
			make_text_column(job, column);
		else
			make_word_column(job, column);
		header->columns += !column_is_empty(column);
	}
	job->header_size = block_header_write(header, job->header_bytes, job->header_least);
	if (job->header_size == 0)
		job->failed = true;
	list_ids(job);
}

/* --- output --- */

static int
write_bytes(struct stk_writer *writer, const void *from, size_t size, struct stk_error *err)
{
	writer->bytes += size;
	return size == 0 ? 0 : writer->options.write(writer->options.context, from, size, err);
}

/* Copies the text of row `number` of the index. It is pointed to when the index is written. */
static void
hold_ids(struct stk_writer *writer, size_t number, struct stk_text text)
{
	writer->index.at[number].holds = text_of(NULL, text.size);
	writer->held.at[number].at = writer->holds.count;
	array_reserve(&writer->holds, text.size);
	if (text.size > 0)
		memcpy(writer->holds.at + writer->holds.count, text.data, text.size);
	writer->holds.count += text.size;
}

/* Adds to the index. */
static void
note_block(struct stk_writer *writer, const struct stk_index *row)
{
	*array_push(&writer->index) = *row;
	*array_push(&writer->held) = (struct held){ 0 };
	hold_ids(writer, writer->index.count - 1, row->holds);
}

/* Notes a block that is about to be written. */
static void
count_block(struct stk_writer *writer, const struct block_header *header, struct stk_text holds)
{
	writer->blocks++;
	if (header->kind == STK_INDEX || header->kind == STK_END)
		return;
	note_block(writer, &(struct stk_index){
		.kind = header->kind,
		.rows = header->rows,
		.offset = writer->bytes,
		.time = header->has_time ? header->from_ns : STK_TIME_UNKNOWN,
		.length = header->has_time ? (int64_t)((uint64_t)header->to_ns - (uint64_t)header->from_ns) : 0,
		.holds = holds
	});
}

/* Who writes may overlook a failure, or meet it again only at the end. */
static int
remember_failure(struct stk_writer *writer, const struct stk_error *err)
{
	if (writer->broken.code == STK_EOK)
		writer->broken = *err;
	return -1;
}

/* Writes the oldest job's block, waiting for it if need be. */
static int
write_job(struct stk_writer *writer, struct stk_error *err)
{
	struct job *job = &writer->jobs[writer->jobs_first];

	if (writer->options.workers != NULL)
		workers_wait(writer->options.workers, &job->task);
	writer->jobs_first = (writer->jobs_first + 1) % writer->jobs_max;
	writer->jobs_count--;
	rows_give_back(writer, job->rows);
	if (job->level >= LEVEL_THOROUGH)	/* of a failed one too: others may wait for it */
		layout_trials_note(&writer->trials[job->header.kind], job->number, &job->header);
	if (job->failed) {
		(void)stk_fail(err, STK_ESYSTEM, "a block could not be compressed");
		return remember_failure(writer, err);
	}
	count_block(writer, &job->header, text_of((const char *)job->holds.at, job->holds.count));
	if (write_bytes(writer, job->header_bytes, job->header_size, err) < 0 ||
	    write_bytes(writer, job->stored.at, job->stored.count, err) < 0)
		return remember_failure(writer, err);
	return 0;
}

static int
write_jobs(struct stk_writer *writer, struct stk_error *err)
{
	while (writer->jobs_count > 0)
		if (write_job(writer, err) < 0)
			return -1;
	return 0;
}

static void
job_begin(struct job *job, int level)
{
	job->failed = false;
	job->level = level;
	if (job->header_bytes == NULL)
		job->header_bytes = mem_new(STK_BLOCK_HEADER_MAX, 1);
}

/* Which layouts the job's block tries. -1 with *err. */
static int
choose_trial(struct stk_writer *writer, struct job *job, unsigned kind, uint32_t rows, struct stk_error *err)
{
	struct layout_trials *trials = &writer->trials[kind];

	job->shapes = NULL;
	if (job->level < LEVEL_THOROUGH)
		return 0;
	job->number = layout_trials_begin(trials);
	while (!layout_trials_are_done(trials, job->number, rows))
		if (write_job(writer, err) < 0)
			return -1;
	job->shapes = layout_trials_won(trials, job->number, rows);
	return 0;
}

/* Hands a kind's rows to a job. */
static int
begin_block(struct stk_writer *writer, unsigned kind, size_t header_least, struct stk_error *err)
{
	struct rows *rows = writer->building[kind];
	struct job *job;

	if (rows == NULL || rows->count == 0)
		return 0;
	if (writer->jobs_count == writer->jobs_max && write_job(writer, err) < 0)
		return -1;
	job = &writer->jobs[(writer->jobs_first + writer->jobs_count) % writer->jobs_max];
	job_begin(job, writer->options.level);
	if (choose_trial(writer, job, kind, rows->count, err) < 0)
		return -1;
	job->rows = rows;
	job->header_least = header_least;
	job->task.run = make_block;
	writer->building[kind] = NULL;
	writer->room[kind] = rows->room;
	writer->rows[kind] += rows->count;
	writer->jobs_count++;
	if (writer->options.workers == NULL) {
		make_block(&job->task);
		return write_job(writer, err);
	}
	workers_submit(writer->options.workers, &job->task);
	while (writer->jobs_count > 0 && workers_done(writer->options.workers, &writer->jobs[writer->jobs_first].task))
		if (write_job(writer, err) < 0)
			return -1;
	return 0;
}

/* Definitions refer only to definitions of kinds before them, and to earlier ones of their own. */
static int
begin_definitions(struct stk_writer *writer, unsigned last, struct stk_error *err)
{
	for (unsigned kind = 0; kind <= last; kind++)
		if (stk_schema()->kind[kind].definition && begin_block(writer, kind, 0, err) < 0)
			return -1;
	return 0;
}

/* Rows that describe others come before them, and before those of their own sort with a higher number. */
static int
begin_naming(struct stk_writer *writer, unsigned below, struct stk_error *err)
{
	for (unsigned kind = 0; kind < below; kind++)
		if (stk_schema()->kind[kind].naming && begin_block(writer, kind, 0, err) < 0)
			return -1;
	return 0;
}

static int
begin_kind(struct stk_writer *writer, unsigned kind, struct stk_error *err)
{
	const struct stk_kind_schema *kinds = stk_schema()->kind;

	if (kinds[kind].definition)
		return begin_definitions(writer, kind, err);
	if (begin_definitions(writer, STK_KIND_COUNT - 1, err) < 0 ||
	    begin_naming(writer, kinds[kind].naming ? kind : STK_KIND_COUNT, err) < 0)
		return -1;
	if (kind == STK_SAMPLE && writer->building[kind] != NULL && writer->building[kind]->count >= SAMPLES_MANY &&
	    begin_block(writer, STK_EVENT, 0, err) < 0)
		return -1;
	return begin_block(writer, kind, 0, err);
}

static int
begin_all(struct stk_writer *writer, struct stk_error *err)
{
	if (begin_definitions(writer, STK_KIND_COUNT - 1, err) < 0 || begin_naming(writer, STK_KIND_COUNT, err) < 0)
		return -1;
	for (unsigned kind = 0; kind < STK_KIND_COUNT; kind++)
		if (begin_block(writer, kind, 0, err) < 0)
			return -1;
	return 0;
}

/* --- streams --- */

static uint32_t
full_rows(const struct stk_writer *writer, enum stk_kind kind)
{
	uint32_t limit = writer->limit[kind], usual = writer->options.block_rows;

	return limit != 0 && limit < usual ? limit : usual;
}

static int
add_row(struct stk_writer *writer, enum stk_kind kind, const void *row, struct stk_error *err)
{
	struct rows *rows = writer->building[kind];
	size_t texts;
	uint32_t full = full_rows(writer, kind) << writer->hold;

	if (rows == NULL)
		rows = writer->building[kind] = rows_take(writer, kind);
	texts = rows_add(rows, row, writer->options.block_rows);
	if (rows->kind->definition)
		writer->next_id[kind]++;
	if (rows->count >= full || texts >= TEXT_BYTES_FULL)
		return begin_kind(writer, kind, err);
	return 0;
}

/* Writes the index and the end of the present stream. */
static int
end_stream(struct stk_writer *writer, struct stk_error *err)
{
	struct stk_end end = { .lost = writer->lost };
	size_t entries;

	if (begin_all(writer, err) < 0 || write_jobs(writer, err) < 0)
		return -1;
	entries = writer->index.count;
	end.index = writer->bytes;
	for (size_t i = 0; i < entries; i++) {
		struct stk_index *row = &writer->index.at[i];

		/* holds.at may be NULL */
		row->holds.data = row->holds.size == 0 ? NULL : writer->holds.at + writer->held.at[i].at;
		if (add_row(writer, STK_INDEX, row, err) < 0)
			return -1;
	}
	if (begin_all(writer, err) < 0 || write_jobs(writer, err) < 0)
		return -1;
	end.blocks = writer->blocks;
	end.bytes = writer->bytes + BLOCK_END_BYTES;
	writer->building[STK_END] = rows_take(writer, STK_END);
	rows_add(writer->building[STK_END], &end, 1);
	if (begin_block(writer, STK_END, BLOCK_END_BYTES, err) < 0 || write_jobs(writer, err) < 0)
		return -1;
	writer->open = false;
	writer->lost = 0;
	return 0;
}

static int
begin_stream(struct stk_writer *writer, struct stk_error *err)
{
	if (writer->open && end_stream(writer, err) < 0)
		return -1;
	writer->open = true;
	writer->bytes = writer->blocks = 0;
	writer->index.count = writer->held.count = writer->holds.count = 0;
	for (unsigned kind = 0; kind < STK_KIND_COUNT; kind++)
		writer->next_id[kind] = 1;
	/* the bytes of a stream do not depend on those before it */
	memset(writer->trials, 0, sizeof writer->trials);
	return 0;
}

static int
write_head(struct stk_writer *writer, struct stk_text schema, struct stk_error *err)
{
	struct stk_head head = { STK_FORMAT_MAJOR, STK_FORMAT_MINOR, schema };

	if (begin_stream(writer, err) < 0 || add_row(writer, STK_HEAD, &head, err) < 0)
		return -1;
	return begin_block(writer, STK_HEAD, 0, err);
}

int
stk_writer_head(struct stk_writer *writer, const struct stk_schema *schema, struct stk_error *err)
{
	size_t size = 0;
	char *text = stk_schema_text(schema == NULL ? stk_schema() : schema, &size);
	int result = write_head(writer, text_of(text, size), err);

	free(text);
	return result;
}

/* --- the public calls --- */

int
stk_writer_open(struct stk_writer **out, const struct stk_writer_options *options, struct stk_error *err)
{
	struct stk_writer *writer;

	*out = NULL;
	if (options->block_rows > STK_BLOCK_ROWS_MAX / 2)
		return stk_fail(err, STK_EUSAGE, "a block of %u rows, expected at most %u", options->block_rows,
				STK_BLOCK_ROWS_MAX / 2);
	writer = mem_new(1, sizeof *writer);
	writer->options = *options;
	if (writer->options.block_rows == 0)
		writer->options.block_rows = BLOCK_ROWS_DEFAULT;
	writer->jobs_max = options->workers == NULL ? 1 : (unsigned)workers_threads(options->workers);
	writer->jobs = mem_new(writer->jobs_max, sizeof *writer->jobs);
	for (unsigned kind = 0; kind < STK_KIND_COUNT; kind++)
		writer->next_id[kind] = 1;
	*out = writer;
	return 0;
}

static int
check_texts(const struct stk_kind_schema *kind, const void *row, struct stk_error *err)
{
	for (unsigned c = 0; c < kind->columns; c++) {
		struct stk_text text;

		if (kind->column[c].type != STK_TYPE_TEXT)
			continue;
		memcpy(&text, (const char *)row + kind->column[c].offset, sizeof text);
		if (text.size > TEXT_BYTES_MAX)
			return stk_fail(err, STK_EUSAGE, "a text of %zu bytes, expected at most %u", text.size,
					TEXT_BYTES_MAX);
	}
	return 0;
}

static int
check_ids(const struct stk_writer *writer, enum stk_kind kind, uint32_t count, struct stk_error *err)
{
	const struct stk_kind_schema *schema = &stk_schema()->kind[kind];

	if (schema->definition && writer->next_id[kind] > UINT32_MAX - count)
		return stk_fail(err, STK_ESYSTEM, "more than %u definitions of kind '%s': split the input", UINT32_MAX,
				schema->name);
	return 0;
}

int
stk_writer_add(struct stk_writer *writer, enum stk_kind kind, const void *row, struct stk_error *err)
{
	const struct stk_kind_schema *schema = &stk_schema()->kind[kind];

	if (!writer->open && stk_writer_head(writer, NULL, err) < 0)
		return -1;
	if (has_texts(schema) && check_texts(schema, row, err) < 0)
		return -1;
	if (check_ids(writer, kind, 1, err) < 0)
		return -1;
	return add_row(writer, kind, row, err);
}

int
writer_add_columns(struct stk_writer *writer, enum stk_kind kind, const uint64_t *const columns[], uint32_t from,
		   uint32_t to, struct stk_error *err)
{
	uint32_t full = full_rows(writer, kind);

	assert(writer->open && !writer->hold && !has_texts(&stk_schema()->kind[kind]));
	if (check_ids(writer, kind, to - from, err) < 0)
		return -1;
	while (from < to) {
		struct rows *rows = writer->building[kind];
		uint32_t count;

		if (rows == NULL)
			rows = writer->building[kind] = rows_take(writer, kind);
		count = to - from < full - rows->count ? to - from : full - rows->count;
		rows_add_columns(rows, columns, from, count, writer->options.block_rows);
		if (rows->kind->definition)
			writer->next_id[kind] += count;
		from += count;
		if (rows->count == full && begin_kind(writer, kind, err) < 0)
			return -1;
	}
	return 0;
}

uint32_t
stk_writer_next_id(const struct stk_writer *writer, enum stk_kind kind)
{
	return writer->next_id[kind];
}

void
stk_writer_hold(struct stk_writer *writer, bool hold)
{
	writer->hold = hold;
}

bool
stk_writer_amend(struct stk_writer *writer, enum stk_kind kind, uint32_t id, const void *row)
{
	struct rows *rows = writer->building[kind];

	if (rows == NULL || id < rows->first_id || id - rows->first_id >= rows->count)
		return false;
	rows_set(rows, id - rows->first_id, row);
	return true;
}

/* A head is passed on unchanged, unless this program's kinds must be declared as well. */
static int
pass_head(struct stk_writer *writer, const struct passed_block *block, struct stk_error *err)
{
	size_t text_size = 0;
	char *text = stk_schema_text_with_own(block->schema, &text_size);
	int result;

	if (text == NULL && block->bytes != NULL) {
		if (begin_stream(writer, err) < 0)
			return -1;
		count_block(writer, block->header, block->holds);
		return write_bytes(writer, block->bytes, block->size, err);
	}
	if (text == NULL)
		return stk_writer_head(writer, block->schema, err);
	result = write_head(writer, text_of(text, text_size), err);
	free(text);
	return result;
}

int
writer_pass_block(struct stk_writer *writer, const struct passed_block *block, struct stk_error *err)
{
	const struct block_header *header = block->header;

	if (header->kind == STK_HEAD)
		return pass_head(writer, block, err);
	if (!writer->open && stk_writer_head(writer, block->schema, err) < 0)
		return -1;
	if (stk_writer_flush(writer, err) < 0)
		return -1;
	if (header->first_id != 0 && header->kind < STK_KIND_COUNT)
		writer->next_id[header->kind] = header->first_id + header->rows;
	writer->rows[header->kind] += header->rows;
	count_block(writer, header, block->holds);
	if (block->ids_later)
		writer->held.at[writer->held.count - 1].waits = true;
	return write_bytes(writer, block->bytes, block->size, err);
}

/* The row of the index for the block at an offset; their number: there is none. */
static size_t
row_of_block(const struct stk_writer *writer, uint64_t offset)
{
	size_t low = 0, high = writer->index.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (writer->index.at[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < writer->index.count && writer->index.at[low].offset == offset ? low : writer->index.count;
}

bool
writer_waits_for_ids(const struct stk_writer *writer, uint64_t offset)
{
	size_t number = row_of_block(writer, offset);

	return number < writer->index.count && writer->held.at[number].waits;
}

void
writer_note_ids(struct stk_writer *writer, uint64_t offset, struct stk_text holds)
{
	size_t number = row_of_block(writer, offset);

	assert(number < writer->index.count && writer->held.at[number].waits);
	hold_ids(writer, number, holds);
	writer->held.at[number].waits = false;
}

bool
writer_lists_ids(const struct stk_writer *writer)
{
	return writer->options.level >= LEVEL_THOROUGH;
}

int
stk_writer_flush(struct stk_writer *writer, struct stk_error *err)
{
	if (begin_all(writer, err) < 0)
		return -1;
	return write_jobs(writer, err);
}

void
stk_writer_set_level(struct stk_writer *writer, int level)
{
	writer->options.level = level;
}

void
writer_limit_rows(struct stk_writer *writer, enum stk_kind kind, uint32_t rows)
{
	writer->limit[kind] = rows;
}

int
stk_writer_cut(struct stk_writer *writer, enum stk_kind kind, struct stk_error *err)
{
	return begin_kind(writer, kind, err);
}

void
stk_writer_resume(struct stk_writer *writer, const struct stk_index *blocks, size_t count, uint64_t bytes,
		  const uint32_t next_id[STK_KIND_COUNT])
{
	writer->open = true;
	writer->bytes = bytes;
	writer->blocks = count;
	writer->index.count = writer->held.count = writer->holds.count = 0;
	for (size_t i = 0; i < count; i++)
		note_block(writer, &blocks[i]);
	memcpy(writer->next_id, next_id, sizeof writer->next_id);
}

void
stk_writer_skip_ids(struct stk_writer *writer, enum stk_kind kind, uint32_t next_id)
{
	assert(writer->building[kind] == NULL || writer->building[kind]->count == 0);
	if (writer->building[kind] != NULL)
		rows_give_back(writer, writer->building[kind]);
	writer->building[kind] = NULL;
	if (next_id > writer->next_id[kind])
		writer->next_id[kind] = next_id;
}

void
stk_writer_lost(struct stk_writer *writer, uint64_t incidents)
{
	writer->lost += incidents;
}

static void
writer_free(struct stk_writer *writer)
{
	/* after a failure: no worker may still use what is freed */
	for (unsigned j = 0; j < writer->jobs_count; j++) {
		struct job *job = &writer->jobs[(writer->jobs_first + j) % writer->jobs_max];

		if (writer->options.workers != NULL)
			workers_wait(writer->options.workers, &job->task);
		rows_give_back(writer, job->rows);
	}
	for (unsigned j = 0; j < writer->jobs_max; j++) {
		struct job *job = &writer->jobs[j];

		compressors_release(&job->compressors);
		column_scratch_release(&job->scratch);
		array_release(&job->stored);
		array_release(&job->holds);
		free(job->header_bytes);
		free(job->texts);
	}
	for (unsigned kind = 0; kind < STK_KIND_COUNT; kind++) {
		if (writer->building[kind] != NULL)
			rows_give_back(writer, writer->building[kind]);
		rows_free(writer->spare[kind]);
	}
	array_release(&writer->index);
	array_release(&writer->held);
	array_release(&writer->holds);
	free(writer->jobs);
	free(writer);
}

int
stk_writer_close(struct stk_writer *writer, bool whole, struct stk_error *err)
{
	int result = 0;

	if (writer == NULL)
		return 0;
	if (whole && writer->broken.code != STK_EOK) {
		*err = writer->broken;
		writer_free(writer);
		return -1;
	}
	if (whole && !writer->open)
		/* nothing was written: an empty stream is a stream */
		result = stk_writer_head(writer, NULL, err);
	if (result == 0)
		result = whole ? end_stream(writer, err) : stk_writer_flush(writer, err);
	writer_free(writer);
	return result;
}

uint64_t
stk_writer_rows(const struct stk_writer *writer, unsigned kind)
{
	return writer->rows[kind];
}
