/* SPDX-License-Identifier: MIT
 * class_codes: dumps as codes of classes, and back. */
#include "classify/class_codes.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "classify/prefix_code.h"
#include "model/model.h"
#include "model/recorder.h"

#include <stdlib.h>

struct held { uint64_t dump; size_t from, count; };	/* a dump's symbols, and where they begin */

struct class_codes {
	enum code_order order;
	const struct classifier *classifier;
	struct stk_writer *writer;
	struct recorder *recorder;
	struct class_code_totals totals;
	ARRAY(uint32_t) stacks;			/* the stream's, by the classifier's stack; 0 not written yet */
	ARRAY(bool) told;			/* by symbol: its code of book 0 was written */
	ARRAY(struct held) dumps;		/* since the checkpoint */
	ARRAY(uint32_t) symbols;
	ARRAY(uint64_t) weights;
	uint64_t book;
};

void
class_codes_open(struct class_codes **out, enum code_order order, const struct classifier *classifier,
		 struct stk_writer *writer)
{
	struct class_codes *c = *out = mem_new(1, sizeof *c);

	c->order = order;
	c->classifier = classifier;
	c->writer = writer;
	(void)recorder_open(&c->recorder, writer);
}

void
class_codes_close(struct class_codes *c)
{
	if (c == NULL)
		return;
	recorder_close(c->recorder);
	array_release(&c->stacks);
	array_release(&c->told);
	array_release(&c->dumps);
	array_release(&c->symbols);
	array_release(&c->weights);
	free(c);
}

struct class_code_totals
class_codes_totals(const struct class_codes *c)
{
	return c->totals;
}

/* --- the dictionary --- */

/* A stack of the classifier as one of the stream: it and its callers are written when first needed. */
static uint32_t
say_stack(struct class_codes *c, uint32_t stack)
{
	struct number_list todo = { 0 };
	uint32_t parent, frame, below = 0;

	array_lengthen(&c->stacks, stack + 1u);
	for (uint32_t at = stack; at != 0 && (below = c->stacks.at[at]) == 0; at = parent) {
		*array_push(&todo) = at;
		classifier_stack_get(c->classifier, at, &parent, &frame);
	}
	while (todo.count > 0) {
		uint32_t at = todo.at[--todo.count];
		struct stk_frame row = { 0 };

		classifier_stack_get(c->classifier, at, &parent, &frame);
		row.function = recorder_string(c->recorder, classifier_frame_text(c->classifier, frame));
		below = c->stacks.at[at] = recorder_stack(c->recorder, below, recorder_frame(c->recorder, &row));
	}
	array_release(&todo);
	return below;
}

static int
say_code(struct class_codes *c, uint32_t symbol, unsigned bits, struct stk_error *err)
{
	struct stk_symbol row = { .symbol = symbol, .bits = bits, .book = c->book };

	row.stack = symbol == 0 ? 0 : say_stack(c, classifier_get(c->classifier, symbol)->stack);
	return stk_writer_add(c->writer, STK_SYMBOL, &row, err);
}

/* --- coding --- */

static void
put_number(struct bit_writer *to, uint64_t value)
{
	array_reserve(to, VARINT_MAX);
	to->count = (size_t)(put_varint(to->at + to->count, value) - to->at);
}

/* What each sample counts for; nothing when each is one thread. */
static void
put_weights(const struct class_codes *c, const struct held *held, struct bit_writer *to)
{
	bool plain = true;

	for (size_t i = 0; i < held->count; i++)
		plain = plain && c->weights.at[held->from + i] == 1;
	for (size_t i = 0; i < held->count && !plain; i++)
		put_number(to, c->weights.at[held->from + i]);
}

/* With a code, or by number without. */
static int
write_dump(struct class_codes *c, const struct held *held, const struct prefix_code *code, struct stk_error *err)
{
	struct bit_writer codes = { 0 }, weights = { 0 };
	struct stk_coded row = { .dump = held->dump, .book = c->book, .threads = held->count };
	int result;

	for (size_t i = 0; i < held->count; i++)
		if (code != NULL)
			prefix_put(code, &codes, c->symbols.at[held->from + i]);
		else
			put_number(&codes, c->symbols.at[held->from + i]);
	bits_end(&codes);
	put_weights(c, held, &weights);
	row.codes = text_of((const char *)codes.at, codes.count);
	row.weights = text_of((const char *)weights.at, weights.count);
	c->totals.bytes += codes.count + weights.count;
	result = stk_writer_add(c->writer, STK_CODED, &row, err);
	array_release(&codes);
	array_release(&weights);
	return result;
}

static int
write_by_frequency(struct class_codes *c, struct stk_error *err)
{
	uint32_t count = classifier_classes(c->classifier) + 1u;
	uint64_t *times = mem_new(count, sizeof *times);
	uint8_t *lengths = mem_new(count, 1);
	struct prefix_code *code;
	int result = 0;

	c->book++;
	for (size_t i = 0; i < c->symbols.count; i++)
		times[c->symbols.at[i]]++;
	prefix_lengths(times, count, lengths);
	(void)prefix_code_open(&code, lengths, count);
	for (uint32_t symbol = 0; symbol < count && result == 0; symbol++)
		if (lengths[symbol] > 0)
			result = say_code(c, symbol, lengths[symbol], err);
	if (result == 0)
		/* codes are written before what uses them */
		result = stk_writer_flush(c->writer, err);
	for (size_t i = 0; i < c->dumps.count && result == 0; i++)
		result = write_dump(c, &c->dumps.at[i], code, err);
	if (result == 0)
		result = stk_writer_flush(c->writer, err);
	prefix_code_close(code);
	free(times);
	free(lengths);
	return result;
}

static int
write_by_arrival(struct class_codes *c, struct stk_error *err)
{
	bool news = false;

	for (size_t i = 0; i < c->symbols.count; i++) {
		array_lengthen(&c->told, c->symbols.at[i] + 1u);
		if (c->told.at[c->symbols.at[i]])
			continue;
		c->told.at[c->symbols.at[i]] = news = true;
		if (say_code(c, c->symbols.at[i], 0, err) < 0)
			return -1;
	}
	if (news && stk_writer_flush(c->writer, err) < 0)
		return -1;
	for (size_t i = 0; i < c->dumps.count; i++)
		if (write_dump(c, &c->dumps.at[i], NULL, err) < 0)
			return -1;
	return 0;
}

/* Class by class, so that values that do not change from dump to dump are adjacent. */
static int
write_counts(struct class_codes *c, struct stk_error *err)
{
	uint32_t count = classifier_classes(c->classifier) + 1u;
	size_t dumps = c->dumps.count;
	uint64_t *counts = mem_new(count * dumps, sizeof *counts);
	struct bit_writer bytes = { 0 };
	int result = 0;

	for (size_t d = 0; d < dumps; d++)
		for (size_t i = c->dumps.at[d].from; i < c->dumps.at[d].from + c->dumps.at[d].count; i++)
			counts[c->symbols.at[i] * dumps + d] += c->weights.at[i];
	for (uint32_t symbol = 0; symbol < count && result == 0; symbol++) {
		struct stk_counted row = { .symbol = symbol, .first = c->dumps.at[0].dump, .dumps = dumps };
		bool any = false;

		bytes.count = 0;
		for (size_t d = 0; d < dumps; d++) {
			any |= counts[symbol * dumps + d] != 0;
			put_number(&bytes, counts[symbol * dumps + d]);
		}
		if (!any)
			continue;
		array_lengthen(&c->told, symbol + 1u);
		if (!c->told.at[symbol] && say_code(c, symbol, 0, err) < 0)
			result = -1;
		c->told.at[symbol] = true;
		row.counts = text_of((const char *)bytes.at, bytes.count);
		c->totals.bytes += bytes.count;
		if (result == 0)
			result = stk_writer_add(c->writer, STK_COUNTED, &row, err);
	}
	array_release(&bytes);
	free(counts);
	return result;
}

static int
write_held(struct class_codes *c, struct stk_error *err)
{
	int result = c->dumps.count == 0          ? 0
		     : c->order == CODE_FREQUENCY ? write_by_frequency(c, err)
		     : c->order == CODE_ARRIVAL   ? write_by_arrival(c, err)
						  : write_counts(c, err);

	c->dumps.count = c->symbols.count = c->weights.count = 0;
	return result < 0 ? -1 : recorder_error(c->recorder, err);
}

static int
take_dump(void *context, int64_t time_ns, struct stk_text source, const uint32_t *classes, const uint64_t *times,
	  size_t count, struct stk_error *err)
{
	struct class_codes *c = context;
	struct stk_source source_row = { .name = recorder_string(c->recorder, source),
					 .clock = time_ns == STK_TIME_UNKNOWN ? STK_CLOCK_UNKNOWN : STK_CLOCK_WALL };
	struct stk_dump row = { .time = time_ns,
				.source = recorder_source(c->recorder, &source_row),
				.threads = count };
	struct held *held = array_push(&c->dumps);

	*held = (struct held){ stk_writer_next_id(c->writer, STK_DUMP), c->symbols.count, count };
	c->totals.dumps++;
	c->totals.threads += count;
	for (size_t i = 0; i < count; i++) {
		*array_push(&c->symbols) = classes[i];
		*array_push(&c->weights) = times[i];
	}
	if (stk_writer_add(c->writer, STK_DUMP, &row, err) < 0)
		return -1;
	return c->order == CODE_ARRIVAL || c->dumps.count == CODES_CHECKPOINT ? write_held(c, err) : 0;
}

struct dump_listener
class_codes_listener(struct class_codes *codes)
{
	return (struct dump_listener){ take_dump, codes };
}

int
class_codes_end(struct class_codes *codes, struct stk_error *err)
{
	return write_held(codes, err);
}

/* --- restoring --- */

struct counted { uint64_t dump, symbol, count; };

struct class_restorer {
	struct model *model;
	struct stk_writer *writer;
	uint64_t samples, lost;
	/* of the present stream */
	uint64_t book;
	ARRAY(uint8_t) lengths;			/* by symbol, of the book */
	ARRAY(uint64_t) stacks;
	ARRAY(bool) coded;			/* by symbol: the stream has told its stack */
	struct prefix_code *code;		/* NULL: not made from the lengths yet */
	ARRAY(struct counted) counts;
};

void
class_restorer_open(struct class_restorer **out, struct model *model, struct stk_writer *writer)
{
	*out = mem_new(1, sizeof **out);
	(*out)->model = model;
	(*out)->writer = writer;
}

static void
forget_book(struct class_restorer *r)
{
	r->lengths.count = 0;
	prefix_code_close(r->code);
	r->code = NULL;
}

void
class_restorer_close(struct class_restorer *r)
{
	if (r == NULL)
		return;
	forget_book(r);
	array_release(&r->lengths);
	array_release(&r->stacks);
	array_release(&r->coded);
	array_release(&r->counts);
	free(r);
}

uint64_t
class_restorer_samples(const struct class_restorer *r)
{
	return r->samples;
}

uint64_t
class_restorer_lost(const struct class_restorer *r)
{
	return r->lost;
}

/* For an undefined symbol or dump only the sample is left. */
static int
write_sample(struct class_restorer *r, uint64_t dump, uint64_t symbol, uint64_t weight, struct stk_error *err)
{
	bool coded = symbol < r->coded.count && r->coded.at[symbol];
	struct stk_sample row = {
		.time = STK_TIME_UNKNOWN, .dump = model_id(r->model, STK_DUMP, dump), .weight = weight, .processor = -1
	};

	if (row.dump != 0)
		row.time = model_dump(r->model, dump).time;
	row.stack = coded ? model_id(r->model, STK_STACK, r->stacks.at[symbol]) : 0;
	r->lost += !coded || dump == 0;
	r->samples++;
	return stk_writer_add(r->writer, STK_SAMPLE, &row, err);
}

/* Symbols are numbers of classes, and each class has a stack: a symbol above the number of stacks is damage. Lengths
 * are listed by symbol, so it is also their bound. */
static int
take_code(struct class_restorer *r, const struct stk_symbol *row, struct stk_error *err)
{
	if (row->symbol > model_count(r->model, STK_STACK) || row->bits > PREFIX_BITS_MAX)
		return stk_fail(err, STK_EDATA, "the code of symbol %llu is not valid", (unsigned long long)row->symbol);
	if (row->book != r->book)
		forget_book(r);
	r->book = row->book;
	array_lengthen(&r->lengths, row->symbol + 1);
	array_lengthen(&r->stacks, row->symbol + 1);
	array_lengthen(&r->coded, row->symbol + 1);
	r->coded.at[row->symbol] = true;
	r->lengths.at[row->symbol] = (uint8_t)row->bits;
	r->stacks.at[row->symbol] = row->stack;
	return 0;
}

static int
take_coded(struct class_restorer *r, const struct stk_coded *row, struct stk_error *err)
{
	const unsigned char *codes = (const unsigned char *)row->codes.data;
	struct bit_reader bits = { codes, codes + row->codes.size, 0, 0 };
	struct cursor numbers = { codes, codes + row->codes.size, false };
	struct cursor weights = { (const unsigned char *)row->weights.data,
				  (const unsigned char *)row->weights.data + row->weights.size, false };
	bool weighted = row->weights.size > 0;

	if (row->book != r->book)
		return stk_fail(err, STK_EDATA, "a dump is coded with book %llu, which is not the one before it",
				(unsigned long long)row->book);
	if (row->book != 0 && r->code == NULL && !prefix_code_open(&r->code, r->lengths.at, (uint32_t)r->lengths.count))
		return stk_fail(err, STK_EDATA, "book %llu has ambiguous codes",
				(unsigned long long)row->book);
	for (uint64_t i = 0; i < row->threads; i++) {
		uint64_t weight = weighted ? take_varint(&weights) : 1, number = 0;
		uint32_t symbol = 0;

		if (row->book == 0)
			number = take_varint(&numbers);
		else if (!prefix_take(r->code, &bits, &symbol))
			return stk_fail(err, STK_EDATA, "a dump's codes end before its threads do");
		if (numbers.bad || weights.bad)
			return stk_fail(err, STK_EDATA, "a dump's codes end before its threads do");
		if (write_sample(r, row->dump, row->book == 0 ? number : symbol, weight, err) < 0)
			return -1;
	}
	return 0;
}

static int
take_counted(struct class_restorer *r, const struct stk_counted *row, struct stk_error *err)
{
	struct cursor counts = { (const unsigned char *)row->counts.data,
				 (const unsigned char *)row->counts.data + row->counts.size, false };

	for (uint64_t i = 0; i < row->dumps; i++) {
		uint64_t count = take_varint(&counts);

		if (counts.bad)
			return stk_fail(err, STK_EDATA, "the counts of symbol %llu end before its dumps do",
					(unsigned long long)row->symbol);
		if (count > 0)
			*array_push(&r->counts) = (struct counted){ row->first + i, row->symbol, count };
	}
	return 0;
}

static int
by_dump(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;

	return x->dump != y->dump ? (x->dump > y->dump) - (x->dump < y->dump)
				  : (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

int
class_restorer_turn(struct class_restorer *r, struct stk_error *err)
{
	if (r->counts.count > 0)
		qsort(r->counts.at, r->counts.count, sizeof *r->counts.at, by_dump);
	for (size_t i = 0; i < r->counts.count; i++)
		if (write_sample(r, r->counts.at[i].dump, r->counts.at[i].symbol, r->counts.at[i].count, err) < 0)
			return -1;
	r->counts.count = r->stacks.count = r->coded.count = 0;
	r->book = 0;
	forget_book(r);
	return 0;
}

int
class_restorer_take(struct class_restorer *r, struct stk_reader *reader, const struct stk_block *block,
		    struct stk_error *err)
{
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		union { struct stk_symbol code; struct stk_coded coded; struct stk_counted counted; } row;
		int result;

		stk_reader_row(reader, i, &row);
		result = block->kind == STK_SYMBOL  ? take_code(r, &row.code, err)
			 : block->kind == STK_CODED ? take_coded(r, &row.coded, err)
						    : take_counted(r, &row.counted, err);
		if (result < 0)
			return -1;
	}
	return 0;
}
