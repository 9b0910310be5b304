/* SPDX-License-Identifier: MIT
 * sandbox: Landlock for files, a filter of system calls for the rest. */
#include "base/sandbox.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Headers may be older than the kernel: what its versions added, beyond the first. */
#define ACCESS_REFER       (UINT64_C(1) << 13)		/* of the second */
#define ACCESS_TRUNCATE    (UINT64_C(1) << 14)		/* of the third */
#define NETWORK_TCP        (UINT64_C(1) << 0 | UINT64_C(1) << 1)	/* of the fourth: bind, connect */
#define SCOPE_OTHERS       (UINT64_C(1) << 0 | UINT64_C(1) << 1)	/* of the sixth: abstract sockets, signals */

struct rules { uint64_t files, network, scope; };	/* struct landlock_ruleset_attr of the newest */

#define CHANGES_OF_FOLDERS \
	(LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | \
	 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)
#define OUTPUT_IN_FOLDER \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE | ACCESS_TRUNCATE)

struct sandbox { ARRAY(const char *) files; ARRAY(const char *) folders; };

struct sandbox *
sandbox_new(void)
{
	return mem_new(1, sizeof(struct sandbox));
}

void
sandbox_allow_file(struct sandbox *sandbox, const char *path)
{
	*array_push(&sandbox->files) = path;
}

void
sandbox_allow_folder(struct sandbox *sandbox, const char *path)
{
	*array_push(&sandbox->folders) = path;
}

static void
sandbox_free(struct sandbox *sandbox)
{
	array_release(&sandbox->files);
	array_release(&sandbox->folders);
	free(sandbox);
}

/* --- files --- */

static int
landlock_version(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static struct rules
rules_of(int version)
{
	struct rules rules = {
		.files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | CHANGES_OF_FOLDERS
	};

	if (version >= 2)
		rules.files |= ACCESS_REFER;
	if (version >= 3)
		rules.files |= ACCESS_TRUNCATE;
	if (version >= 4)
		rules.network = NETWORK_TCP;
	if (version >= 6)
		rules.scope = SCOPE_OTHERS;
	return rules;
}

/* A path that is not there, or to which there are no rules, such as a pipe of our own, needs none: opening it later
 * fails by itself, or is not held back. */
static void
allow_path(int ruleset, const char *path, uint64_t access, bool is_folder)
{
	int fd = open_file(path, O_PATH | (is_folder ? O_DIRECTORY : 0), 0);
	struct landlock_path_beneath_attr rule = { .allowed_access = access, .parent_fd = fd };

	if (fd < 0)
		return;
	(void)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(fd);
}

static void
allow_folder_of(int ruleset, const char *path, uint64_t access)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];

	if (slash == NULL)
		snprintf(folder, sizeof folder, ".");
	else
		snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path);
	allow_path(ruleset, folder, access, true);
}

/* The folder in which the file will be replaced; a device, whose folder is none of ours, only itself. */
static void
allow_file(int ruleset, const char *path, uint64_t access)
{
	char *real = realpath(path, NULL);
	struct stat is;

	if (real != NULL && stat(real, &is) == 0 && !S_ISREG(is.st_mode)) {
		allow_path(ruleset, real, access & (LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE), false);
	} else {
		allow_folder_of(ruleset, path, access);
		if (real != NULL)
			allow_folder_of(ruleset, real, access);
	}
	free(real);
}

static int
hold_files(const struct sandbox *sandbox, int version, struct stk_error *err)
{
	const struct rules rules = rules_of(version);
	const size_t size = version >= 6 ? sizeof rules : version >= 4 ? offsetof(struct rules, scope)
								      : offsetof(struct rules, network);
	int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0), result = 0;

	if (ruleset < 0)
		return stk_fail_errno(err, "cannot set rules for files");
	for (size_t i = 0; i < sandbox->files.count; i++)
		allow_file(ruleset, sandbox->files.at[i], OUTPUT_IN_FOLDER & rules.files);
	for (size_t i = 0; i < sandbox->folders.count; i++)
		allow_path(ruleset, sandbox->folders.at[i], OUTPUT_IN_FOLDER & rules.files, true);
	if (syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		result = stk_fail_errno(err, "cannot begin the rules for files");
	close(ruleset);
	return result;
}

/* --- system calls --- */

#if defined __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__ && defined __AARCH64EL__
#define MACHINE AUDIT_ARCH_AARCH64
#endif

/* The check for leaks at the end of a program with sanitizers traces it from another process. */
#if defined __SANITIZE_ADDRESS__
#undef MACHINE
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#undef MACHINE
#endif
#endif

#ifdef MACHINE

#define LOAD(field)         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(what)        BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE(error)       ANSWER(SECCOMP_RET_ERRNO | ((error) & SECCOMP_RET_DATA))
#define IS(value, over)     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, over)	/* else passes over so many */
#define CALL_FAILS(number, error) IS(SYS_##number, 1), REFUSE(error)

/* Another machine's numbers of calls, and those of x32 on x86, mean other calls. Threads are the only clones: of
 * clone3, whose flags are in memory, the C library knows that it may be missing. */
static const struct sock_filter calls[] = {
	LOAD(arch),
	IS(MACHINE, 1),
	BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
	ANSWER(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
	REFUSE(ENOSYS),
	CALL_FAILS(execve, EPERM),
	CALL_FAILS(execveat, EPERM),
#ifdef SYS_fork
	CALL_FAILS(fork, EPERM),
	CALL_FAILS(vfork, EPERM),
#endif
	CALL_FAILS(clone3, ENOSYS),
	CALL_FAILS(socket, EPERM),
	CALL_FAILS(socketpair, EPERM),
	CALL_FAILS(connect, EPERM),
	CALL_FAILS(sendto, EPERM),
	CALL_FAILS(sendmsg, EPERM),
	CALL_FAILS(sendmmsg, EPERM),
	CALL_FAILS(ptrace, EPERM),
	CALL_FAILS(process_vm_readv, EPERM),
	CALL_FAILS(process_vm_writev, EPERM),
	CALL_FAILS(pidfd_getfd, EPERM),
	CALL_FAILS(perf_event_open, EPERM),
	CALL_FAILS(bpf, EPERM),
	CALL_FAILS(io_uring_setup, EPERM),
	CALL_FAILS(userfaultfd, EPERM),
	CALL_FAILS(keyctl, EPERM),
	CALL_FAILS(unshare, EPERM),
	CALL_FAILS(setns, EPERM),
	CALL_FAILS(mount, EPERM),
	IS(SYS_clone, 4),
	LOAD(args[0]),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
	REFUSE(EPERM),
	ANSWER(SECCOMP_RET_ALLOW),
	ANSWER(SECCOMP_RET_ALLOW)
};

static void
hold_calls(void)
{
	struct sock_fprog program = {
		.len = sizeof calls / sizeof *calls,
		.filter = (struct sock_filter *)(uintptr_t)calls
	};

	(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

#else

static void
hold_calls(void)
{
}

#endif

/* Both ask that programs which we start get no more rights than we have. */
int
sandbox_enter(struct sandbox *sandbox, struct stk_error *err)
{
	int version = landlock_version(), result = 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
		if (version >= 1)
			result = hold_files(sandbox, version, err);
		if (result == 0)
			hold_calls();
	}
	sandbox_free(sandbox);
	return result;
}
