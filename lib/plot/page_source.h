/* SPDX-License-Identifier: MIT
 * page_source: what scripts/embed-page makes of lib/plot/page/NAME.list: the parts of a page that have no data in them,
 * ASCII but for `packed`, which the script unpacks and runs, and the hashes by which the page's policy names style and
 * scripts. There is one NAME_page_source of each. */
#ifndef PLOT_PAGE_SOURCE_H
#define PLOT_PAGE_SOURCE_H

#include <stddef.h>

struct page_source {
	const unsigned char *script, *packed, *style, *body;
	size_t script_size, packed_size, style_size, body_size;
	const char *script_hash, *style_hash;
};

#endif
