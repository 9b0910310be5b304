/* SPDX-License-Identifier: MIT
 * process_user: by calls of the system itself, as those of the C library change all threads. The real user stays, so
 * that the process's user may not send us signals. */
#include "capture/process_user.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SAME (-1L)

static bool
has_own_users(const struct process *process)
{
	struct stat ours, theirs;
	char path[64];

	snprintf(path, sizeof path, "/proc/%ld/ns/user", (long)process->pid);
	return stat("/proc/self/ns/user", &ours) == 0 && stat(path, &theirs) == 0 &&
	       (ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev);
}

static bool
set_effective(uid_t user, gid_t group, bool user_first)
{
	if (user_first && syscall(SYS_setresuid, SAME, (long)user, SAME) != 0)
		return false;
	if (syscall(SYS_setresgid, SAME, (long)group, SAME) != 0)
		return false;
	return user_first || syscall(SYS_setresuid, SAME, (long)user, SAME) == 0;
}

/* The real user may always do that: only memory can be short, for a while. To go on as somebody else would be worse. */
static void
give_back(gid_t group)
{
	int kept = errno;

	while (!set_effective(0, group, true))
		continue;
	errno = kept;
}

int
process_user_take(struct process_user *user, const struct process *process)
{
	*user = (struct process_user){ .before = getegid() };
	if (geteuid() != 0 || process->uid == 0 || !has_own_users(process))
		return 0;
	/* the user last: another one may not change the group */
	if (set_effective(process->uid, process->gid, false)) {
		user->taken = true;
		return 0;
	}
	give_back(user->before);
	return -1;
}

void
process_user_leave(const struct process_user *user)
{
	if (user->taken)
		give_back(user->before);
}

bool
process_user_may_take(const struct process *process)
{
	struct process_user user;

	if (process_user_take(&user, process) < 0)
		return false;
	process_user_leave(&user);
	return true;
}
