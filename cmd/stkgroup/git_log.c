/* SPDX-License-Identifier: MIT
 * git_log: the whole history at once: for each commit its author, then the files that it changed. */
#include "git_log.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void
run_git(const char *folder, int ends[2])
{
	dup2(ends[1], STDOUT_FILENO);
	close(ends[0]);
	close(ends[1]);
	execlp("git", "git", "-C", folder, "log", "--use-mailmap", "--no-merges", "--name-only", "--format=%x01%aE",
	       (char *)NULL);
	_exit(127);
}

static int
read_lines(struct file_history *history, FILE *from, struct stk_error *err)
{
	char *line = NULL;
	size_t room = 0;

	while (mem_line(&line, &room, from) >= 0)
		file_history_line(history, text_of(line, strcspn(line, "\n")));
	free(line);
	return ferror(from) ? stk_fail_errno(err, "cannot read what git prints") : 0;
}

int
git_log_read(struct file_history *history, const char *folder, struct stk_error *err)
{
	int ends[2], status = 0, result;
	pid_t child;
	FILE *from;

	if (pipe(ends) < 0 || (child = fork()) < 0)
		return stk_fail_errno(err, "cannot run git");
	if (child == 0)
		run_git(folder, ends);
	close(ends[1]);
	from = fdopen(ends[0], "r");
	result = from == NULL ? stk_fail_errno(err, "cannot read what git prints") : read_lines(history, from, err);
	if (from != NULL)
		fclose(from);
	else
		close(ends[0]);
	if (result < 0) {
		(void)waitpid(child, &status, 0);
		return -1;
	}
	if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return stk_fail(err, STK_EUSAGE,
				"--repository: git log failed in %s (expected git, and a folder of a git repository)",
					folder);
	return 0;
}
