/* SPDX-License-Identifier: MIT
 * process_files: the files of another process, as it sees them, opened without following links of other users.
 *
 * Everything in a process's /tmp may have been put there by any local user, and everything below its root by whoever
 * runs the container. So a folder is opened once and held by a descriptor; what is in it is opened by name from there,
 * one step at a time, and checked through its own descriptor before it is used. Replacing a folder meanwhile has no
 * effect on us. All functions may be called by several threads. docs/threats.md lists who uses what. */
#ifndef CAPTURE_PROCESS_FILES_H
#define CAPTURE_PROCESS_FILES_H

#include "capture/process.h"

/* Opens the /tmp of a process, as an O_PATH descriptor. It may be a link only if root owns that link. -1: errno in
 * *err. */
int process_open_tmp(const struct process *process, struct stk_error *err) STK_MUST_CHECK;

/* Its working directory; only if it belongs to the process's user: a process can change to any folder that it may
 * enter. -1: errno. */
int process_open_own_cwd(const struct process *process);

/* Files in a held folder. Names contain no slash. Each returns -1 with errno: ELOOP, ENOTDIR: a link; EPERM: it belongs
 * to another user. */
int folder_open_in(int folder, const char *name);
/* A regular file with one name, of this user or ANYBODY: opened for reading, without blocking. */
#define ANYBODY ((uid_t)-1)
int file_open_in(int folder, const char *name, uid_t owner);
bool socket_is_in(int folder, const char *name);
/* A connection to the socket of this name, which must have been created by this process. EPERM: another process listens
 * there. */
int socket_connect_in(int folder, const char *name, const struct process *process);

/* A file of ours, at a path that another process chose: opened for reading if it is a regular file. Never opens a pipe
 * or a device, which could block us. */
int file_open_regular(const char *path);

/* A regular file of the process, at an absolute path as it sees it. -1: errno. */
int process_open_file(const struct process *process, const char *path);

/* Whether it belongs to this user. */
bool folder_belongs_to(int folder, uid_t user);
/* Whether this user could create a file there. Only there do we create or remove one on the user's behalf. */
bool folder_takes_files_of(int folder, uid_t user);
/* A new file there, for writing; as this user where users of ours cannot have any: see process_user.h. -1: errno. */
int folder_create_for(int folder, const char *name, mode_t mode, const struct process *process);
/* Whether only those who may do anything to the process can replace a file of ours in it: root, its own user, and the
 * owner of its root folder. */
bool folder_keeps_files_for(int folder, const struct process *process);

/* A path below a folder, no component of which is a link or "..": by openat2(2), or step by step where the kernel or a
 * filter of system calls has none. */
int open_without_links(int folder, const char *path, int flags);

#endif
