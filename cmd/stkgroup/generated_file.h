/* SPDX-License-Identifier: MIT
 * generated_file: the file of --generate --follow, written again whenever the scheme has become another one. */
#ifndef STKGROUP_GENERATED_FILE_H
#define STKGROUP_GENERATED_FILE_H

#include "generation.h"

#include "program/filter.h"

struct generated_file {			/* a zeroed struct with `generation` and `path` */
	struct generation *generation;
	const char *path;
	uint64_t written;		/* what generation_news was, at the last look */
	int64_t due_ms;			/* not looked at again before */
	struct text_buffer text;	/* in the file */
};

/* Before the filter waits for more input. */
void generated_file_follow(struct generated_file *file, struct filter *filter);
void generated_file_release(struct generated_file *file);

#endif
