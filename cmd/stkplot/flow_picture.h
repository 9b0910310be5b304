/* SPDX-License-Identifier: MIT
 * flow_picture: the graphs of functions and how often their edges were taken, gathered from cfg and path_count rows, as
 * text in graphviz's language. */
#ifndef STKPLOT_FLOW_PICTURE_H
#define STKPLOT_FLOW_PICTURE_H

#include "base/tally.h"
#include "base/text_buffer.h"
#include "plot/palette.h"
#include "stkpipe/error.h"

struct flow_function {
	struct text_table blocks;
	struct tally block_counts;	/* by name */
	struct tally edges;		/* "from	to" */
	struct tally paths;
	uint64_t count;			/* of all paths */
};

struct flow_pictures {
	struct text_table functions;	/* "function	file" */
	ARRAY(struct flow_function) list;
	struct text_buffer scratch;
};

void flow_pictures_edge(struct flow_pictures *pictures, const struct stk_cfg *row);
void flow_pictures_count(struct flow_pictures *pictures, const struct stk_path_count *row);
void flow_pictures_release(struct flow_pictures *pictures);

/* The number, from 1, of the function with the highest counts. 0: none. */
uint32_t flow_pictures_most(const struct flow_pictures *pictures);

/* paths: how many of the most frequent ones are listed; the first is drawn in colour. lost: calls whose paths were not
 * counted. inexact: the counts are. -1 with *err: the stream does not have the whole graph. */
int flow_picture_write(struct text_buffer *to, const struct flow_pictures *pictures, uint32_t function, size_t paths,
		       uint64_t lost, bool inexact, enum palette palette, struct stk_error *err) STK_MUST_CHECK;

#endif
