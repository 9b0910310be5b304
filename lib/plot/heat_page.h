/* SPDX-License-Identifier: MIT
 * heat_page: a heat map as one HTML page. */
#ifndef PLOT_HEAT_PAGE_H
#define PLOT_HEAT_PAGE_H

#include "plot/heat_parts.h"
#include "plot/palette.h"

/* Texts are borrowed. */
struct heat_page_options {
	const char *title;
	const char *zone; /* a name of the zone database, or "" */
	const char *unit; /* what is counted: "samples", the event's name */
	const char *command; /* that gives the same numbers; the page adds the window */
	bool samples; /* they are counted, not their weights */
	const char *scheme; /* of the rows' groups, as a word of a shell; NULL */
	bool monotonic; /* times count from an unknown start */
	enum palette palette;
	bool plain; /* blocks as base64 */
	int64_t from_ns, to_ns; /* what was selected; INT64_MIN, INT64_MAX */
	uint64_t untimed; /* samples without a time, which are not in the page */
	const char *beside; /* the name of the file with the fine blocks; NULL: they are in the page */
	uint64_t beside_bytes; /* of a recording: how many it has at least */
	struct stk_text places; /* and what heat_tree wrote of it */
};

/* The bytes of a page with these parts but without them. */
uint64_t heat_page_frame_bytes(bool plain, enum heat_place place);
void heat_page_add(struct text_buffer *to, const struct heat_parts *parts, const struct heat_page_options *options);

/* What precedes `bytes` of the parts in the file beside a page. */
#define HEAT_BESIDE_HEAD "stkplot heat 1\n"

#endif
