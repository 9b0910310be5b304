/* SPDX-License-Identifier: MIT
 * members: what one operand has to read: the file itself, or the members of an archive, and of archives and compressed
 * files within it. */
#ifndef INGEST_MEMBERS_H
#define INGEST_MEMBERS_H

#include "base/input.h"

#define MEMBERS_DEPTH 8	/* archives and compressions within each other */
#define MEMBERS_MOST 1000000	/* of one operand, folders and links too */
#define MEMBERS_RATIO 10000	/* so many times the bytes of the file may come out of an archive, */
#define MEMBERS_RATIO_FROM (INT64_C(256) << 20)	/* once it is more than this */

struct members;

struct member {
	struct input *input;	/* read it, or not; it is closed by the next call */
	const char *name;	/* path of the operand, and of the member after a slash; of an archive in standard
				 * input, of the member alone */
	int64_t modified_ns;	/* INT64_MIN: not known */
};

/* 0, or -1 with the codes of input_open_one. path is borrowed. limits apply to each compressed file, and its bytes also
 * to all members of an operand together. */
int members_open(struct members **out, const char *path, const struct input_limits *limits,
		 struct stk_error *err) STK_MUST_CHECK;

/* The next file: 1; 0 when there are no more; -1 with *err when what out->name says is lost: call it again. Hidden
 * members and folders are left out, as of folders. Texts are valid until the next call. */
int members_next(struct members *members, struct member *out, struct stk_error *err) STK_MUST_CHECK;

void members_close(struct members *members);	/* NULL does nothing */

#endif
