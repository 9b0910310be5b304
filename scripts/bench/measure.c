/* SPDX-License-Identifier: MIT
 * Runs a command N times and prints one TSV row: label, input bytes, wall seconds, user and system seconds, peak KiB.
 * Medians; peak is the largest. Output goes to /dev/null unless -o says where; messages go to the file after -e. With
 * -s the command is one text for sh (pipes). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 101 };

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* In the child: never returns. */
static void
run(char **command, const char *out, const char *messages)
{
	int in = open("/dev/null", O_RDONLY), o = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666),
	    e = open(messages, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (in < 0 || o < 0 || e < 0 || dup2(in, 0) < 0 || dup2(o, 1) < 0 || dup2(e, 2) < 0)
		_exit(126);
	execvp(command[0], command);
	_exit(127);
}

int
main(int argc, char **argv)
{
	const char   *label = "-", *bytes = "0", *out = "/dev/null", *messages = "/dev/null";
	int           runs = 5, good = 0, letter, shell = 0;
	double        wall[MOST], user[MOST], system_[MOST];
	long          peak = 0;
	char          sh[] = "sh", c[] = "-c", *through_sh[4] = { sh, c, NULL, NULL }, **command;

	while ((letter = getopt(argc, argv, "+n:l:b:o:e:g:s")) != -1)
		switch (letter) {
		case 'n': runs = atoi(optarg); break;
		case 'l': label = optarg; break;
		case 'b': bytes = optarg; break;
		case 'o': out = optarg; break;
		case 'e': messages = optarg; break;
		case 'g': good = atoi(optarg); break;
		case 's': shell = 1; break;
		default:  return 2;
		}
	command = argv + optind;
	if (!*command || runs < 1 || runs > MOST) {
		fprintf(stderr,
			"usage: measure [-n RUNS] [-l LABEL] [-b BYTES] [-o OUT] [-e MESSAGES] [-g STATUS] [-s] COMMAND...\n");
		return 2;
	}
	if (shell) {
		through_sh[2] = *command;
		command = through_sh;
	}
	for (int i = 0; i < runs; i++) {
		struct rusage use;
		double        begin = now();
		int           status;
		pid_t         child = fork();

		if (child == 0)
			run(command, out, messages);
		if (child < 0 || wait4(child, &status, 0, &use) != child) {
			fprintf(stderr, "measure: %s\n", strerror(errno));
			return 3;
		}
		wall[i] = now() - begin;
		user[i] = seconds(use.ru_utime);
		system_[i] = seconds(use.ru_stime);
		peak = use.ru_maxrss > peak ? use.ru_maxrss : peak;
		if (!WIFEXITED(status) || (WEXITSTATUS(status) && WEXITSTATUS(status) != good)) {
			fprintf(stderr, "measure: %s: %s %d; its messages are in %s\n", label,
				WIFEXITED(status) ? "status" : "signal",
				WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), messages);
			return 1;
		}
	}
	printf("%s\t%s\t%.4f\t%.4f\t%.4f\t%ld\n", label, bytes, median(wall, runs), median(user, runs),
	       median(system_, runs), peak);
	return 0;
}
