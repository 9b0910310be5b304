/* SPDX-License-Identifier: MIT
 * scheme_places: folders of schemes. */
#include "program/scheme_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define PATH_ROOM 4096

/* The path that the program was started by, which is all there is where /proc is not mounted, as in a bare root. */
static void
started_as(char *to, size_t room)
{
	char *path = realpath((const char *)getauxval(AT_EXECFN), NULL);

	(void)snprintf(to, room, "%s", path == NULL ? "" : path);
	free(path);
}

/* The folder of the program, without a slash at its end; "" when it is not known. */
static void
program_folder(char *to, size_t room)
{
	ssize_t size = readlink("/proc/self/exe", to, room - 1);
	char *slash;

	to[size < 0 ? 0 : size] = '\0';
	if (size < 0)
		started_as(to, room);
	slash = strrchr(to, '/');
	if (slash != NULL)
		*slash = '\0';
}

const struct scheme_folders *
scheme_places(void)
{
	static char wished[PATH_ROOM], shared[PATH_ROOM], built[PATH_ROOM];
	static const char *const paths[] = { wished, shared, built };
	static const struct scheme_folders folders = { paths, sizeof paths / sizeof *paths };
	const char *asked = getenv("STKPIPE_SCHEMES");
	char program[PATH_ROOM - 64];

	(void)snprintf(wished, sizeof wished, "%s", asked == NULL ? "" : asked);
	program_folder(program, sizeof program);
	if (program[0] != '\0') {
		(void)snprintf(shared, sizeof shared, "%s/../share/stkpipe/schemes", program);
		(void)snprintf(built, sizeof built, "%s/../../schemes", program);
	}
	return &folders;
}
