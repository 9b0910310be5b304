/* SPDX-License-Identifier: MIT
 * peak: runs a command and writes the most memory that it had resident, in kB, to a file: `peak FILE COMMAND
 * ARGUMENT...`. Its status is the command's, 128 and the number where a signal ended it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	struct rusage used;
	int status;
	pid_t child;
	FILE *to;

	if (argc < 3 || (child = fork()) < 0)
		return 99;
	if (child == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (wait4(child, &status, 0, &used) != child || (to = fopen(argv[1], "w")) == NULL)
		return 99;
	fprintf(to, "%ld\n", used.ru_maxrss);
	if (fclose(to) != 0)
		return 99;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
