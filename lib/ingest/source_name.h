/* SPDX-License-Identifier: MIT
 * source_name: which files are of one source. Dumps of one process often lie in many files whose names differ in date,
 * time or a counter. */
#ifndef INGEST_SOURCE_NAME_H
#define INGEST_SOURCE_NAME_H

#include <stddef.h>

/* The name of a file's source: its path without .gz, .zst, .xz, .bz2 or .lz4, with `*` for what looks like a date, a
 * time or a counter at the end: runs of six digits and more, groups like 2026-11-19 and 10_15_00, and up to four digits
 * before the extension, after a joint (app-1.txt), or a joint and a word for dumps (vm0-t1.txt); app1.txt keeps its
 * digit. So do addresses (10.0.0.1), versions and numbers of hosts (web-1). Folders that are dates are `*`, too; an
 * older file of a log, jstack.log.1, is of it. At most room - 1 bytes, NUL-terminated. Returns `to`. */
char *source_name(const char *path, char *to, size_t room);

#endif
