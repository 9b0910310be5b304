/* SPDX-License-Identifier: MIT
 * filter: the loop that all filters share: the blocks of all inputs in turn, and an output. Damage is reported as
 * `NAME: FILE:OFFSET: what` and makes status 1.
 *
 *	filter_open(&filter, argv + first, argc - first, &err)
 *	while ((got = filter_next(&filter, &block, &err)) > 0)
 *		...	stk_reader_column(filter.reader, ...) or stk_writer_pass(filter.writer, filter.reader, &err)
 *	filter_close(&filter, got == 0)
 */
#ifndef PROGRAM_FILTER_H
#define PROGRAM_FILTER_H

#include "base/time_range.h"
#include "base/time_text.h"
#include "stkpipe/stream.h"

#include <stdbool.h>

#define FILTER_EVENT_MAX 256

struct input;
struct output;
struct file_list;
struct stk_workers;

struct filter {
	struct stk_reader *reader;	/* of the input that the present block is from */
	struct output *output;		/* -o or stdout, open from the start */
	struct stk_writer *writer;	/* NULL until filter_records */
	const char *name;		/* of the present input, for messages */
	/* set these before filter_next; they hold for every input, see stk_reader_want and stk_reader_window */
	const bool *wanted;
	unsigned wanted_kinds;
	bool window;
	int64_t from_ns, to_ns;
	bool tell_lost;			/* report an input that is whole, but whose writer had read damaged input */
	uint64_t bytes_in, bytes_out;	/* of inputs so far, before decompression; of records so far */
	struct time_range times;	/* of the inputs so far, as far as headers of blocks show, what was left out by
					 * the window too */
	uint64_t lost;			/* incidents in the inputs so far, and those that their writers recorded */
	/* Called before more is read, which may wait long; may be NULL. What it does must not use the reader. */
	void (*before_read)(void *context, const struct input *input);
	/* The same, again and again while a file that is followed does not grow; may be NULL. */
	void (*while_waiting)(void *context, const struct input *input);
	void *before_read_context;
	bool follow;			/* the end of a file is not the end of its stream: wait for more */
	/* what follows is filter's own */
	char **operands;
	int operands_count;
	struct file_list *files;
	struct input *input;
	struct stk_workers *workers;
	bool tell_thinned;		/* in this interval */
	int64_t thinned_from_ns, thinned_to_ns;
	const struct time_zone *zone;		/* in which their times are printed */
	bool asks_clocks;		/* messages have times: so these are known: */
	bool monotonic, wall;		/* clocks of the sources so far */
	uint64_t thinned;		/* samples in nodes of the present input, */
	int64_t first_thinned_ns, last_thinned_ns;	/* which are here */
	bool asks_tree_event;			/* which event the tree of the first stream counts is not known before
						 * its samples are read */
	unsigned streams;			/* that began */
	char tree_event[FILTER_EVENT_MAX];	/* of the tree of the first stream; "": none was met */
	int64_t at, limit;		/* of an input whose end is replaced now and then; INT64_MAX */
	uint64_t writer_lost;		/* what the present input's writers had lost, as far as it is passed on */
};

/* Opens the output that the common options name. Operands: files, directories, "-", none for stdin; a terminal on stdin
 * is a usage error. */
int filter_open(struct filter *filter, char **operands, int count, struct stk_error *err);

/* The output is records: opens filter->writer. Refuses a terminal (usage error). Compression is fast to a pipe and
 * strong to a file, unless --level is given. */
int filter_records(struct filter *filter, struct stk_error *err);

/* Samples in this interval of which a time tree has only counts are reported, with their times in this zone (borrowed;
 * NULL: UTC): the filter does not see them. They are known by blocks of nodes, which must be wanted. */
void filter_tell_thinned(struct filter *filter, int64_t from_ns, int64_t to_ns, const struct time_zone *zone);

/* The next block of any input: 1, 0 at the end of the last (or when asked to stop), -1 when it cannot continue. An
 * input that cannot be opened is reported and left out. */
int filter_next(struct filter *filter, struct stk_block *block, struct stk_error *err);

/* Gives every block of every input to a function. STK_EDATA from it: the block is damaged, which is reported, and
 * the next one is given; anything else ends it: -1. */
typedef int filter_take_function(void *context, const struct stk_block *block, struct stk_error *err);
int filter_each(struct filter *filter, filter_take_function *take, void *context, struct stk_error *err);

/* A time of the inputs so far, for messages: in seconds where their clocks count from an unknown start. Both are for
 * filters that tell of thinned samples, or that have windows. */
char *filter_print_time(const struct filter *filter, char to[TIME_TEXT_MAX], int64_t ns, const struct time_zone *zone);

/* In which zone a table of the inputs so far has its times: without a date where their clocks have none. */
const struct time_zone *filter_zone(const struct filter *filter, const struct time_zone *zone);

/* Clocks that a run met are in its state, as sources without a name, so that the next run prints times alike when it
 * has no input of its own. Take: true where the block of a state was of these. */
int  filter_write_clocks(const struct filter *filter, struct stk_writer *writer, struct stk_error *err) STK_MUST_CHECK;
bool filter_take_clocks(struct filter *filter, struct stk_reader *reader, const struct stk_block *block);

/* The present block turned out damaged (stk_reader_column failed): reports it; filter_next continues. */
void filter_damaged(struct filter *filter, const struct stk_error *err);

/* Closes everything. well: the output is kept and complete. Failures are reported. */
void filter_close(struct filter *filter, bool well);

#endif
