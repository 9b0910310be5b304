/* SPDX-License-Identifier: MIT
 * process_files: no link is followed, whichever way the kernel opens, and what is opened is what was asked for. */
#include "../lib/tap.h"

#include "capture/process_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static int
open_and_close(int folder, const char *path, int flags)
{
	int fd = open_without_links(folder, path, flags);

	if (fd >= 0)
		close(fd);
	return fd;
}

static void
make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
}

static void
try_paths(int folder, const char *way)
{
	ok(open_and_close(folder, "a/b", O_PATH | O_DIRECTORY) >= 0, "%s: a folder in a folder", way);
	ok(open_and_close(folder, "a/b/file", O_RDONLY) >= 0, "%s: a file in it", way);
	ok(open_and_close(folder, "a/none", O_PATH | O_DIRECTORY) < 0 && errno == ENOENT, "%s: what is not there", way);
	ok(open_and_close(folder, "to-a", O_PATH | O_DIRECTORY) < 0, "%s: a link", way);
	ok(open_and_close(folder, "to-a/b", O_PATH | O_DIRECTORY) < 0, "%s: a link on the way", way);
	ok(open_and_close(folder, "to-root/etc", O_PATH | O_DIRECTORY) < 0, "%s: a link to the root", way);
	ok(open_and_close(folder, "to-self/etc", O_PATH | O_DIRECTORY) < 0, "%s: a link of the kernel's own", way);
	ok(open_and_close(folder, "a/../../", O_PATH | O_DIRECTORY) < 0, "%s: the way up", way);
	ok(open_and_close(folder, "..", O_PATH | O_DIRECTORY) < 0, "%s: nothing but the way up", way);
	ok(open_and_close(folder, "", O_PATH | O_DIRECTORY) < 0, "%s: no name", way);
}

static void
try_files(int folder)
{
	uid_t us = geteuid();

	ok(file_open_in(folder, "plain", us) >= 0, "a file of its owner");
	ok(file_open_in(folder, "plain", ANYBODY) >= 0, "... or of anybody");
	ok(file_open_in(folder, "plain", us + 1) < 0 && errno == EPERM, "... but not of somebody else");
	ok(file_open_in(folder, "to-plain", us) < 0, "not a link to it");
	ok(file_open_in(folder, "twice", us) < 0 && errno == EPERM, "not one that has a second name");
	ok(file_open_in(folder, "pipe", us) < 0 && errno == EPERM, "not a pipe: nobody waits for its other end");
	ok(file_open_in(folder, "a", us) < 0 && errno == EPERM, "not a folder");
	ok(!socket_is_in(folder, "plain"), "a file is not a socket");
}

/* As a filter does that does not know it. */
static bool
forbid_openat2(void)
{
#ifdef SYS_openat2
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof rules / sizeof *rules, rules };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 && syscall(SYS_openat2, -1, "", NULL, 0) < 0 &&
	       errno == EPERM;
#else
	return false;
#endif
}

int
main(void)
{
	struct stk_error err = { 0 };
	struct process process;
	int folder, tmp;

	(void)scratch();
	folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	(void)mkdir("a", 0700);
	(void)mkdir("a/b", 0700);
	make("a/b/file");
	make("plain");
	make("once");
	ok(link("once", "twice") == 0 && symlink("a", "to-a") == 0 && symlink("/", "to-root") == 0 &&
		   symlink("/proc/self/root", "to-self") == 0 && symlink("plain", "to-plain") == 0 &&
		   mkfifo("pipe", 0600) == 0,
	   "the setting");
	try_paths(folder, "as the kernel likes");
	try_files(folder);
	ok(process_read(&process, getpid(), &err) == 0 && (tmp = process_open_tmp(&process, &err)) >= 0,
	   "our own /tmp");
	process.start_ticks++;
	ok(process_open_tmp(&process, &err) < 0, "... but not of a process before us with our number");
	if (forbid_openat2())
		try_paths(folder, "step by step");
	else
		skip("no seccomp, or no openat2", "step by step");
	return tap_end();
}
