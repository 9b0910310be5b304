/* SPDX-License-Identifier: MIT
 * format_list: --list-formats: the formats of files. */
#ifndef STKCAP_FORMAT_LIST_H
#define STKCAP_FORMAT_LIST_H

/* Prints them (format: text, tsv or ndjson; NULL is text), and is main's return value. */
int format_list_show(const char *format);
/* --format names none of them: does not return. */
void format_list_refuse(const char *name) __attribute__((noreturn));

#endif
