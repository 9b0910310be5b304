/* SPDX-License-Identifier: MIT
 * rejects: reports skipped lines. */
#include "rejects.h"

#include "base/memory.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLD_MAX 10		/* messages on stderr per input */

struct rejects {
	FILE *file;		/* NULL: not asked for */
	const char *path;
	const char *told_of;	/* the input that the messages were of */
	unsigned told;
};

int
rejects_open(struct rejects **out, const char *path, struct stk_error *err)
{
	*out = mem_new(1, sizeof **out);
	(*out)->path = path;
	if (path == NULL)
		return 0;
	(*out)->file = strcmp(path, "-") == 0 ? stderr : fopen(path, "w");
	return (*out)->file != NULL ? 0 : stk_fail_errno(err, "%s", path);
}

/* FILE:LINE: why: the line as it is */
static void
write_lines(FILE *to, const char *file, uint64_t line, const char *why, struct stk_text text)
{
	while (text.size > 0) {
		const char *newline = memchr(text.data, '\n', text.size);
		size_t size = newline == NULL ? text.size : (size_t)(newline - text.data);

		fprintf(to, "%s:%llu: %s: ", file, (unsigned long long)line++, why);
		fwrite(text.data, 1, size, to);
		putc('\n', to);
		size += newline != NULL;
		text.data += size;
		text.size -= size;
	}
}

static void
tell(struct rejects *rejects, const char *file, uint64_t line, const char *why)
{
	if (rejects->told_of != file)
		rejects->told = 0;
	rejects->told_of = file;
	rejects->told++;
	if (rejects->told <= TOLD_MAX && line == 0)	/* not text */
		program_warn("%s: %s", file, why);
	else if (rejects->told <= TOLD_MAX)
		program_warn("%s:%llu: %s", file, (unsigned long long)line, why);
	else if (rejects->told == TOLD_MAX + 1)
		program_warn("%s: more such lines; --rejects FILE writes them all", file);
}

void
rejects_take(void *context, const char *file, uint64_t line, const struct finding *finding)
{
	struct rejects *rejects = context;
	const char *why = finding->is.skipped.why;

	if (rejects->file != NULL)
		write_lines(rejects->file, file, line, why, finding->is.skipped.text);
	if (finding->is.skipped.reason != SKIP_NOISE)
		tell(rejects, file, line, why);
}

int
rejects_close(struct rejects *rejects, struct stk_error *err)
{
	int result = 0;

	if (rejects == NULL)
		return 0;
	if (rejects->file != NULL && rejects->file != stderr && (ferror(rejects->file) | fclose(rejects->file)) != 0)
		result = stk_fail_errno(err, "%s", rejects->path);
	free(rejects);
	return result;
}
