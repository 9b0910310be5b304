/* SPDX-License-Identifier: MIT
 * temp_file: a file written beside the one that it will replace, and never left behind: it is removed when the program
 * ends. When the program ends too suddenly for that (SIGKILL, a crash, a power cut) it leaves a name that the next run
 * with the same output recognises and removes.
 *
 * The name is ".NAME.PID.START.N.tmp": START is when the process began, in clock ticks since boot, so that a process
 * number used again is not taken for the process that has ended. The file is locked (flock) while it is written: so one
 * that belongs to a process which cannot be seen from here, in another container or on another machine that shares the
 * folder, is left alone as well. */
#ifndef BASE_TEMP_FILE_H
#define BASE_TEMP_FILE_H

/* Removes what dead processes left of this output, and creates a new file beside path. Returns its descriptor, for
 * writing and reading back; -1 with errno. *name is to be freed. The umask decides on the mode, as for any new file. */
int temp_file_create(char **name, const char *path);

/* The file has been renamed or removed: it is no longer ours. Before *name is freed. */
void temp_file_forget(const char *name);

/* Removes all of ours, because the program ends. Async-signal-safe. */
void temp_files_remove(void);

#endif
