/* SPDX-License-Identifier: MIT
 * file_hook: runs a program for each finished file, one after another, without a shell: its one argument is the file's
 * name. Nobody waits for it: what fails is tried again later. */
#ifndef CAPTURE_FILE_HOOK_H
#define CAPTURE_FILE_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file_hook;

enum file_hook_result {
	HOOK_DONE,
	HOOK_FAILED,	/* tried again; why says what happened */
	HOOK_GONE,	/* the file was removed before */
	HOOK_LEFT /* given up: the queue is full, or the end has come */
};

typedef void file_hook_hear(const char *path, enum file_hook_result result, const char *why);

/* Whether a program can be run, as it is now: 0, or a number of errno.h that says why not. folders: where one without a
 * slash is looked for, as PATH lists them; NULL: nobody knows. */
int file_hook_check(const char *program, const char *folders);
void file_hook_open(struct file_hook **out, file_hook_hear *hear);
/* From now on; copied. */
void file_hook_program(struct file_hook *hook, const char *program);
void file_hook_add(struct file_hook *hook, const char *path);
/* Looks after the program that runs, and starts the next one when it is time to. */
void file_hook_step(struct file_hook *hook);
/* Files that wait, with the one that is dealt with; and how often the program failed. */
size_t file_hook_waiting(const struct file_hook *hook);
uint64_t file_hook_failures(const struct file_hook *hook);
/* Each file that waits gets one more try, until the deadline (CLOCK_MONOTONIC); what is left then is heard of. hook may
 * be NULL. */
void file_hook_close(struct file_hook *hook, int64_t deadline_ns);

#endif
