/* SPDX-License-Identifier: MIT
 * tag_files: schemes of other tools to YAML and back: .stacktags of Windows Performance Analyzer, categorisation files of SJK. What they cannot say, or we cannot,
 * is told. */
#ifndef STKGROUP_TAG_FILES_H
#define STKGROUP_TAG_FILES_H

#include "base/text_buffer.h"
#include "group/scheme.h"

/* By the file's end: .stacktags (XML), anything else name=pattern. Writes a scheme in YAML. -1 with *err. */
int tag_file_import(const char *path, struct text_buffer *to, struct stk_error *err) STK_MUST_CHECK;

/* form: "stacktags" or "ctz". How many members could not be said; each is told. */
unsigned tag_file_export(const struct scheme *scheme, const char *form, struct text_buffer *to);

#endif
