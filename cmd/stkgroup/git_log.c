/* SPDX-License-Identifier: MIT
 * git_log: the whole history at once: for each commit its author, then the files that it changed. */
#include "git_log.h"

#include "base/bytes.h"

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

static void
read_lines(struct file_history *history, FILE *from)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, from) >= 0)
		file_history_line(history, text_of(line, strcspn(line, "\n")));
	free(line);
}

int
git_log_read(struct file_history *history, const char *folder, struct stk_error *err)
{
	int ends[2], status = 0;
	pid_t child;
	FILE *from;

	if (pipe(ends) < 0 || (child = fork()) < 0)
		return stk_fail_errno(err, "cannot run git");
	if (child == 0)
		run_git(folder, ends);
	close(ends[1]);
	from = fdopen(ends[0], "r");
	if (from != NULL) {
		read_lines(history, from);
		fclose(from);
	}
	if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return stk_fail(err, STK_EUSAGE,
				"--repository: git log failed in %s (expected git, and a folder of a git repository)",
					folder);
	return 0;
}
