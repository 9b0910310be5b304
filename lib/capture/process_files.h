/* SPDX-License-Identifier: MIT
 * process_files: the files of another process, as it sees them, opened without following anybody's link.
 *
 * Everything in a process's /tmp may have been put there by any local user, and everything below its root by whoever
 * runs the container. So a folder is opened once and held by a descriptor; what is in it is opened by name from there,
 * one step at a time, and looked at through its own descriptor before it is used. Whoever replaces a folder meanwhile
 * changes nothing for us. All functions may be called by several threads. docs/threats.md lists who uses what. */
#ifndef CAPTURE_PROCESS_FILES_H
#define CAPTURE_PROCESS_FILES_H

#include "capture/process.h"

/* Opens the /tmp of a process, as an O_PATH descriptor. It may be a link only where that link belongs to root: an
 * administrator's. -1: errno in *err. */
int process_open_tmp(const struct process *process, struct stk_error *err) STK_MUST_CHECK;

/* Its working directory; only if that belongs to the process's user: a process can go to any folder that it may enter.
 * -1: errno. */
int process_open_own_cwd(const struct process *process);

/* What is in a folder that is held. Names have no slash in them. Each: -1 with errno set: ELOOP, ENOTDIR: a link,
 * EPERM: it belongs to somebody else. */
int folder_open_in(int folder, const char *name);
/* A regular file with one name, of this user or ANYBODY: to be read, without waiting for anybody. */
#define ANYBODY ((uid_t)-1)
int file_open_in(int folder, const char *name, uid_t owner);
bool socket_is_in(int folder, const char *name);
/* A connection to the socket of this name, which this very process must have made. EPERM: another process listens
 * there. */
int socket_connect_in(int folder, const char *name, const struct process *process);

/* A file of ours, at a path that another process chose: to be read if it is a regular one. Never opens a pipe or a
 * device, which could hold us up. */
int file_open_regular(const char *path);

/* Whether it belongs to this user. */
bool folder_belongs_to(int folder, uid_t user);
/* Whether this user could make a file there himself. Only there do we make or remove one for his sake. */
bool folder_takes_files_of(int folder, uid_t user);
/* Whether nobody may replace a file of ours in it but those who may do anything to the process: root, its own user, and
 * the owner of its root folder. */
bool folder_keeps_files_for(int folder, const struct process *process);

/* A path below a folder, no component of which is a link or "..": by openat2(2), or step by step where the kernel or a
 * filter of system calls has none. */
int open_without_links(int folder, const char *path, int flags);

#endif
