/* SPDX-License-Identifier: MIT
 * torture: runs filters while their calls fail, or kills them, and says where one of them lied:
 *
 *	torture [--most N] [--part I/N] [--quick yes] [--filter NAME] [--jobs N] [--kills N] SHIM GOOD
 *
 * SHIM is fail_io.so, GOOD a folder of good streams and texts, as good_streams.sh and torture_texts.sh make them; modes
 * are those of filter_modes.h and torture_modes.h. Of each mode a run without a fault says which calls there are, what
 * is written, and with which status it ends. Then each call fails in each way that it can, --most of each kind, spread
 * from the first to the last (0: all). With --part, every N-th of these faults, from the I-th on, so that N runs inject
 * them all. With --quick, of every second mode a third of the kinds, one call of each, in one way, all in turn. With
 * --kills, each mode that writes a file is killed N times at random moments instead.
 *
 * A lie is: a signal, or no end; a status that is neither the usual one nor 3; the usual status without the usual
 * answer; 3 without a message, or with another file in the place of an old one, unless the message says so; a file left
 * beside; a failure where the call only had to be repeated; a stream that is not the answer, and that stkcat --check
 * calls whole.
 *
 * Prints a table of faults and lies. Exit status: 0 there were no lies, 1 there were some, 2 wrong usage. */
#include "../lib/filter_modes.h"
#include "../lib/torture_modes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILES_MAX    16			/* in the folder of a run */
#define GOODS_MAX    200
#define WORDS_MAX    48
#define CPU_SECONDS  20			/* of a run, which takes hundredths */
#define WAIT_SECONDS 300		/* for one that computes nothing */
#define LIES_SHOWN   3			/* of a mode */
#define CANNOT       3			/* the status of a filter that could not finish */
#define MATCHED      4			/* and of one whose rule matched */
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- faults --- */

enum group { MEMORY, READING, WRITING, OPENING, PLACING, OTHER, GROUPS };

static const char *const group_names[GROUPS] = { "memory", "reading", "writing", "opening", "placing", "other" };

/* Calls, and the ways in which each may fail; a way with + fails at all that follow, too. */
static const struct call { const char *name; enum group group; const char *ways[6]; } calls[] = {
	{ "malloc", MEMORY, { "ENOMEM", "ENOMEM+" } },
	{ "room", MEMORY, { "ENOMEM" } },
	{ "mmap", MEMORY, { "ENOMEM" } },
	{ "read", READING, { "EIO", "EINTR", "short", "EIO+" } },
	{ "pread", READING, { "EIO", "EINTR", "short", "EIO+" } },
	{ "write", WRITING, { "ENOSPC", "EINTR", "short", "EIO", "EPIPE", "ENOSPC+" } },
	{ "pwrite", WRITING, { "ENOSPC", "EINTR", "short", "ENOSPC+" } },
	{ "open", OPENING, { "EMFILE", "EINTR", "EIO", "EMFILE+" } },
	{ "folder", OPENING, { "EMFILE" } },
	{ "fsync", PLACING, { "EIO", "EINTR", "ENOSPC" } },
	{ "rename", PLACING, { "EIO", "ENOSPC" } },
	{ "close", PLACING, { "EIO", "EINTR", "EDQUOT" } },
	{ "ftruncate", PLACING, { "EIO", "EINTR" } },
	{ "unlink", PLACING, { "EIO" } },
	{ "lock", OTHER, { "ENOLCK", "EINTR" } },
	{ "seek", OTHER, { "EIO" } },
	{ "stat", OTHER, { "EIO" } },
	{ "thread", OTHER, { "EAGAIN", "EAGAIN+" } },
};

struct fault { const struct call *call; unsigned number; const char *way; };

/* What the caller has to do once more, and nobody need know. */
static bool
fault_is_nothing(const struct fault *fault)
{
	return strcmp(fault->way, "EINTR") == 0 || strcmp(fault->way, "short") == 0;
}

/* --- figures, which all jobs add to --- */

struct figures { atomic_uint modes, possible, faults[GROUPS], same, refused, kills, lies; };

static const char *const filters[] = { "stkcap", "stkcat", "stkclass", "stktree", "stkgroup",
				       "stktrend", "stkdiag", "stkplot", "stkpath" };

static struct figures *figures;		/* of each filter */

static struct {
	unsigned most, part, parts, kills, jobs;
	bool quick;
	const char *filter, *shim, *good;
	char *folder;
} asked = {
	.part = 1, .parts = 1, .jobs = 1,
};

static _Noreturn void
give_up(const char *what, const char *name)
{
	fprintf(stderr, "torture: %s %s: %s\n", what, name, strerror(errno));
	exit(2);
}

/* --- files --- */

static char *
text(const char *form, ...)
{
	va_list args;
	char *to;

	va_start(args, form);
	if (vasprintf(&to, form, args) < 0)
		give_up("no memory for", form);
	va_end(args);
	return to;
}

struct bytes { char *at; size_t size; };

struct named { char name[64]; struct bytes bytes; };

/* What is in a folder: files by name. */
struct folder { struct named files[FILES_MAX]; unsigned count; };

static bool
bytes_read(const char *path, struct bytes *to)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat is;
	ssize_t got;

	*to = (struct bytes){ 0 };
	if (fd < 0 || fstat(fd, &is) < 0) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	to->at = malloc((size_t)is.st_size + 1);
	while (to->at != NULL && to->size < (size_t)is.st_size &&
	       (got = read(fd, to->at + to->size, (size_t)is.st_size - to->size)) > 0)
		to->size += (size_t)got;
	close(fd);
	return to->at != NULL;
}

static void
bytes_write(const char *path, const struct bytes *bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, bytes->at, bytes->size) != (ssize_t)bytes->size)
		give_up("cannot write", path);
	close(fd);
}

/* A stream begins with a skippable frame. */
static bool
begins_as_stream(const struct bytes *bytes)
{
	return bytes->size >= 4 && ((unsigned char)*bytes->at & 0xf0) == 0x50;
}

/* Two streams may say the same in other blocks, as when an index could not be added. */
static bool
same_rows(const struct bytes *a, const struct bytes *b)
{
	const struct bytes *both[] = { a, b };
	char *names[2], *command;
	int status;

	for (unsigned i = 0; i < COUNT(both); i++) {
		if (!begins_as_stream(both[i]))
			return false;
		names[i] = text("%s/rows.%u.%ld", asked.folder, i, (long)getpid());
	}
	for (unsigned i = 0; i < COUNT(both); i++)
		bytes_write(names[i], both[i]);
	command = text("for f in %s %s; do { stkcat -q --check - <$f; stkcat -q -f tsv --ids - <$f; } >$f.tsv 2>&1; done;"
		       "cmp -s %s.tsv %s.tsv", names[0], names[1], names[0], names[1]);
	status = system(command);
	free(command);
	for (unsigned i = 0; i < COUNT(both); i++) {
		char *rows = text("%s.tsv", names[i]);

		unlink(names[i]);
		unlink(rows);
		free(names[i]);
		free(rows);
	}
	return status == 0;
}

static bool
bytes_equal(const struct bytes *a, const struct bytes *b)
{
	return a->size == b->size && (a->size == 0 || memcmp(a->at, b->at, a->size) == 0);
}

static bool
ends_with(const char *name, const char *end)
{
	size_t size = strlen(name), of_end = strlen(end);

	return size >= of_end && strcmp(name + size - of_end, end) == 0;
}

static void
folder_release(struct folder *folder)
{
	for (unsigned i = 0; i < folder->count; i++)
		free(folder->files[i].bytes.at);
	folder->count = 0;
}

/* Locks stay where they are, and a list of skipped lines is as long as its run was, by design. */
static bool
is_for_good(const char *name)
{
	return ends_with(name, ".lock") || strcmp(name, "rejects") == 0;
}

static void
folder_read(const char *path, struct folder *to)
{
	DIR *at = opendir(path);
	struct dirent *entry;
	char whole[600];

	*to = (struct folder){ 0 };
	while (at != NULL && (entry = readdir(at)) != NULL && to->count < FILES_MAX) {
		struct named *file = &to->files[to->count];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || is_for_good(entry->d_name))
			continue;
		snprintf(file->name, sizeof file->name, "%.60s", entry->d_name);
		snprintf(whole, sizeof whole, "%s/%s", path, entry->d_name);
		to->count += bytes_read(whole, &file->bytes);
	}
	if (at != NULL)
		closedir(at);
}

static const struct named *
folder_find(const struct folder *folder, const char *name)
{
	for (unsigned i = 0; i < folder->count; i++)
		if (strcmp(folder->files[i].name, name) == 0)
			return &folder->files[i];
	return NULL;
}

/* The file is as in that folder, or as little there. */
static bool
is_as(const struct folder *folder, const struct folder *in, const char *name)
{
	const struct named *a = folder_find(folder, name), *b = folder_find(in, name);

	return a == NULL || b == NULL ? a == b : bytes_equal(&a->bytes, &b->bytes);
}

static bool
says_as(const struct folder *folder, const struct folder *in, const char *name)
{
	const struct named *a = folder_find(folder, name), *b = folder_find(in, name);

	return is_as(folder, in, name) || (a != NULL && b != NULL && same_rows(&a->bytes, &b->bytes));
}

/* --- a mode --- */

struct mode {
	const char *filter, *arguments;
	struct figures *figures;
	char *words[WORDS_MAX + 1], *work, *error, *answer, *counts, *failed;
	char *input;				/* for stdin; NULL: none */
	char streams[200];			/* which @NAME stands for which, for messages */
	struct folder before, after;
	struct bytes wanted;			/* on stdout */
	int usual;
	double seconds;
	bool in_place;				/* the file grows: what a kill leaves is mended by the next run */
	bool follows;				/* the file is placed again and again, as the input comes */
	unsigned told;
	unsigned turned_to;			/* faults, of this part or not */
};

static char *goods[GOODS_MAX];
static unsigned goods_count;

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
goods_list(void)
{
	DIR *at = opendir(asked.good);
	struct dirent *entry;

	if (at == NULL)
		give_up("cannot read", asked.good);
	while ((entry = readdir(at)) != NULL && goods_count < GOODS_MAX)
		if (ends_with(entry->d_name, ".stk"))
			goods[goods_count++] = text("%s", entry->d_name);
	closedir(at);
	if (goods_count == 0)
		give_up("no streams in", asked.good);
	qsort(goods, goods_count, sizeof *goods, by_name);
}

/* The TURN-th of those whose names begin so. */
static const char *
good_of(const char *name, unsigned turn)
{
	unsigned first = 0, count = 0;

	if (strcmp(name, "any") == 0)
		return goods[turn % goods_count];
	for (unsigned i = 0; i < goods_count; i++) {
		bool begins_so = strncmp(goods[i], name, strlen(name)) == 0;

		first = begins_so && count == 0 ? i : first;
		count += begins_so;
	}
	if (count == 0) {
		errno = ENOENT;
		give_up("no good stream", name);
	}
	return goods[first + turn % count];
}

/* Adds a word: @NAME is a copy of such a stream, which the filter may change, %NAME a good file as it is. */
static void
mode_add_word(struct mode *mode, unsigned *count, const char *word, unsigned choice)
{
	struct named *file = &mode->before.files[mode->before.count];
	const char *good;
	char *path;

	if (*count == WORDS_MAX)
		give_up("too many words", mode->arguments);
	if (*word == '%') {
		mode->words[(*count)++] = text("%s/%s", asked.good, word + 1);
		return;
	}
	if (*word != '@' && strcmp(word, "<") != 0) {
		mode->words[(*count)++] = text("%s", word);
		return;
	}
	/* of any each another; trees that are merged are of one shape */
	good = *word == '@' && strcmp(word, "@any") != 0 ? good_of(word + 1, choice)
							 : good_of("any", choice + mode->before.count);
	snprintf(mode->streams + strlen(mode->streams), sizeof mode->streams - strlen(mode->streams), " @%s", good);
	path = text("%s/%s", asked.good, good);
	snprintf(file->name, sizeof file->name, "%u.stk", ++mode->before.count);
	if (!bytes_read(path, &file->bytes))
		give_up("cannot read", path);
	free(path);
	if (*word == '@')
		mode->words[(*count)++] = text("%s", file->name);
	else
		mode->input = text("%s", file->name);
}

/* Words stand between blanks, or in quotes. Every second file that is written is there before, with something else. */
static void
mode_read(struct mode *mode, unsigned turn, unsigned choice)
{
	const char *at = mode->arguments;
	unsigned count = 0;
	bool writes = strstr(at, "-o out") != NULL;

	mode->words[count++] = text("%s", mode->filter);
	while (*at != '\0') {
		char word[200], until = *at == '\'' ? '\'' : ' ';
		size_t size = 0;

		at += until == '\'';
		while (*at != '\0' && *at != until && size < sizeof word - 1)
			word[size++] = *at++;
		word[size] = '\0';
		at += *at != '\0';
		if (size > 0)
			mode_add_word(mode, &count, word, choice);
	}
	if (writes && turn % 2 == 0) {
		struct named *old = &mode->before.files[mode->before.count++];

		snprintf(old->name, sizeof old->name, "out");
		old->bytes = (struct bytes){ text("old\n"), 4 };
	}
	mode->in_place = strstr(mode->arguments, "--append") != NULL || strstr(mode->arguments, "--follow") != NULL;
	mode->follows = strstr(mode->arguments, "--follow") != NULL;
	mkdir(asked.folder, 0700);
	mode->work = text("%s/%u", asked.folder, turn);
	mode->error = text("%s/%u.error", asked.folder, turn);
	mode->answer = text("%s/%u.answer", asked.folder, turn);
	mode->counts = text("%s/%u.counts", asked.folder, turn);
	mode->failed = text("%s/%u.failed", asked.folder, turn);
	if (mkdir(mode->work, 0700) < 0)
		give_up("cannot make", mode->work);
}

static void
folder_empty(const char *path)
{
	DIR *at = opendir(path);
	struct dirent *entry;

	while (at != NULL && (entry = readdir(at)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(at), entry->d_name, 0);
	if (at != NULL)
		closedir(at);
}

static void
mode_restore(const struct mode *mode)
{
	folder_empty(mode->work);
	for (unsigned i = 0; i < mode->before.count; i++) {
		char *path = text("%s/%s", mode->work, mode->before.files[i].name);

		bytes_write(path, &mode->before.files[i].bytes);
		free(path);
	}
}

static void
mode_release(struct mode *mode)
{
	folder_empty(mode->work);
	rmdir(mode->work);
	unlink(mode->error);
	unlink(mode->answer);
	unlink(mode->counts);
	unlink(mode->failed);
	folder_release(&mode->before);
	folder_release(&mode->after);
	free(mode->wanted.at);
	free(mode->work);
	free(mode->error);
	free(mode->answer);
	free(mode->counts);
	free(mode->failed);
	free(mode->input);
	for (unsigned i = 0; mode->words[i] != NULL; i++)
		free(mode->words[i]);
}

/* --- a run --- */

static void
redirect(const char *path, int flags, int fd)
{
	int from = open(path, flags, 0644);

	if (from < 0 || dup2(from, fd) < 0)
		_exit(126);
	close(from);
}

static void
limit(int resource, rlim_t most)
{
	struct rlimit limits = { most, most };

	(void)setrlimit((__typeof__(RLIMIT_CPU))resource, &limits);
}

static _Noreturn void
become(const struct mode *mode, const struct fault *fault, bool counted)
{
	char plan[60], way[20];

	if (chdir(mode->work) < 0)
		_exit(126);
	if (counted || fault != NULL)
		setenv("LD_PRELOAD", asked.shim, 1);
	if (counted)
		setenv("COUNTED", mode->counts, 1);
	if (fault != NULL) {
		bool sticks = ends_with(fault->way, "+");

		snprintf(plan, sizeof plan, "%s:%u%s", fault->call->name, fault->number, sticks ? "+" : "");
		snprintf(way, sizeof way, "%.*s", (int)(strlen(fault->way) - sticks), fault->way);
		setenv("FAIL", plan, 1);
		setenv("FAILWITH", way, 1);
		setenv("FAILED", mode->failed, 1);
	}
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CPU_SECONDS);
	alarm(WAIT_SECONDS);
	redirect(mode->input != NULL ? mode->input : "/dev/null", O_RDONLY, STDIN_FILENO);
	redirect(mode->answer, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
	redirect(mode->error, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
	execvp(mode->words[0], mode->words);
	_exit(127);
}

static pid_t
begin(const struct mode *mode, const struct fault *fault, bool counted)
{
	pid_t pid = fork();

	if (pid == 0)
		become(mode, fault, counted);
	if (pid < 0)
		give_up("cannot start", mode->filter);
	return pid;
}

/* Its status as a shell has it: 128 and the number of a signal. */
static int
end(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			give_up("cannot wait for", "a filter");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* --- what is a lie --- */

static bool
answer_is(const struct mode *mode, struct bytes *answer)
{
	if (!bytes_read(mode->answer, answer))
		give_up("cannot read", mode->answer);
	return bytes_equal(answer, &mode->wanted) || same_rows(answer, &mode->wanted);
}

/* A stream that another filter would take for the whole. */
static bool
looks_whole(const struct mode *mode, const struct bytes *answer)
{
	char *command;
	int status;

	if (!begins_as_stream(answer) || !begins_as_stream(&mode->wanted))
		return false;
	command = text("stkcat -q --check %s 2>/dev/null", mode->answer);
	status = system(command);
	free(command);
	return status == 0;
}

/* What is left beside the files that there are to be: NULL, or the name of the first. */
static const char *
left_over(const struct mode *mode, const struct folder *now)
{
	for (unsigned i = 0; i < now->count; i++)
		if (folder_find(&mode->before, now->files[i].name) == NULL &&
		    folder_find(&mode->after, now->files[i].name) == NULL)
			return now->files[i].name;
	return NULL;
}

/* A file that is neither what it was nor what it is to be: NULL, or its name. */
static const char *
half_made(const struct mode *mode, const struct folder *now)
{
	const struct folder *both[] = { &mode->before, &mode->after };

	for (unsigned f = 0; f < COUNT(both); f++)
		for (unsigned i = 0; i < both[f]->count; i++) {
			const char *name = both[f]->files[i].name;

			if (!is_as(now, &mode->before, name) && !says_as(now, &mode->after, name))
				return name;
		}
	return NULL;
}

/* All files that are to be are there, and say what they are to say. */
static bool
all_is_new(const struct mode *mode, const struct folder *now)
{
	for (unsigned i = 0; i < mode->after.count; i++)
		if (!says_as(now, &mode->after, mode->after.files[i].name))
			return false;
	return true;
}

/* A state, which was there before, is new only when the output beside it is. */
static bool
state_is_ahead(const struct mode *mode, const struct folder *now)
{
	bool output_is_new = is_as(now, &mode->after, "out");

	for (unsigned i = 0; i < mode->before.count; i++) {
		const char *name = mode->before.files[i].name;

		if (strcmp(name, "out") != 0 && !is_as(now, &mode->before, name) && !output_is_new)
			return true;
	}
	return false;
}

/* A state that this run left as it was, so that nobody can see whether it was written after the output. */
static bool
has_state_as_before(const struct mode *mode)
{
	return strstr(mode->arguments, "--resume @") != NULL && folder_find(&mode->after, "out") != NULL &&
	       is_as(&mode->before, &mode->after, "1.stk");
}

static bool
all_is_as(const struct folder *now, const struct folder *wanted)
{
	for (unsigned i = 0; i < wanted->count; i++)
		if (!is_as(now, wanted, wanted->files[i].name))
			return false;
	return true;
}

/* A new name cannot be taken back when its folder is not synced. */
static bool
tells_of_folder(const struct bytes *said)
{
	static const char told[] = "is written, but a power cut may undo it";

	return memmem(said->at, said->size, told, sizeof told - 1) != NULL;
}

/* The lie in what came of a fault: NULL when there is none. *same: it had no effect. */
static const char *
lie_of(const struct mode *mode, const struct fault *fault, int status, bool *same)
{
	static char room[200];
	struct folder now;
	struct bytes answer, said;
	const char *lie = NULL, *name;

	folder_read(mode->work, &now);
	bool answered = answer_is(mode, &answer);
	if (!bytes_read(mode->error, &said))
		give_up("cannot read", mode->error);
	*same = status == mode->usual;
	if (status > 128)
		lie = status == 128 + SIGXCPU || status == 128 + SIGALRM ? "does not end" : "a crash";
	else if ((name = left_over(mode, &now)) != NULL && strcmp(fault->call->name, "unlink") != 0)
		snprintf(room, sizeof room, "left beside: %s", name), lie = room;
	else if ((name = half_made(mode, &now)) != NULL)
		snprintf(room, sizeof room, "neither old nor new: %s", name), lie = room;
	else if (*same && !answered)
		lie = "the usual status, and another answer";
	else if (*same && !all_is_new(mode, &now))
		lie = "the usual status, and no new file";
	else if (*same)
		lie = NULL;
	else if (fault_is_nothing(fault))
		lie = "fails where it had to try again";
	else if (status != CANNOT)
		lie = "a status that says something else";
	else if (said.size == 0)
		lie = "no message";
	else if (state_is_ahead(mode, &now))
		lie = "the state is new, and the output is not";
	else if (all_is_as(&now, &mode->after) && !all_is_as(&mode->before, &mode->after) &&
		 !has_state_as_before(mode) && !mode->follows && !tells_of_folder(&said))
		lie = "a new file, and status 3";
	else if (!answered && looks_whole(mode, &answer))
		lie = "part of a stream that looks whole";
	if (!all_is_as(&now, &mode->before) || now.count != mode->before.count)
		mode_restore(mode);
	folder_release(&now);
	free(answer.at);
	free(said.at);
	return lie;
}

static void
tell(struct mode *mode, const char *lie, const char *how, int status)
{
	atomic_fetch_add(&mode->figures->lies, 1);
	if (mode->told++ < LIES_SHOWN)
		printf("lie: %s %s%s: %s: %s (status %d, usually %d)\n", mode->filter, mode->arguments, mode->streams, how,
		       lie, status, mode->usual);
	fflush(stdout);
}

/* --- campaigns --- */

/* The number of calls of a kind in the run without a fault. */
static unsigned
calls_of(const struct bytes *counts, const char *name)
{
	char begin_of[40];
	const char *line;

	snprintf(begin_of, sizeof begin_of, "%s ", name);
	for (line = counts->at; line != NULL; line = strchr(line, '\n') == NULL ? NULL : strchr(line, '\n') + 1)
		if (strncmp(line, begin_of, strlen(begin_of)) == 0)
			return (unsigned)strtoul(line + strlen(begin_of), NULL, 10);
	return 0;
}

static void
inject(struct mode *mode, const struct fault *fault)
{
	struct stat is;
	const char *lie;
	bool same;
	int status;

	unlink(mode->failed);
	status = end(begin(mode, fault, false));
	if (stat(mode->failed, &is) < 0 || is.st_size == 0) {
		if (status != mode->usual)
			tell(mode, "another status without a fault", fault->call->name, status);
		return;			/* another thread came first, and there is no such call */
	}
	atomic_fetch_add(&mode->figures->faults[fault->call->group], 1);
	lie = lie_of(mode, fault, status, &same);
	atomic_fetch_add(same ? &mode->figures->same : &mode->figures->refused, lie == NULL);
	if (lie != NULL) {
		char *how = text("%s:%u %s", fault->call->name, fault->number, fault->way);

		tell(mode, lie, how, status);
		free(how);
	}
}

/* Of COUNT calls those that are tried, from the first to the last: the I-th of them. */
static unsigned
spread(unsigned i, unsigned tried, unsigned count)
{
	return tried == 1 ? 1 : 1 + (unsigned)((uint64_t)i * (count - 1) / (tried - 1));
}

static unsigned
ways_of(const struct call *call)
{
	unsigned ways = 0;

	while (ways < COUNT(call->ways) && call->ways[ways] != NULL)
		ways++;
	return ways;
}

/* Each call of a kind that is tried, in each way. */
static void
fail_each(struct mode *mode, const struct call *call, unsigned count)
{
	unsigned tried = asked.most == 0 || count < asked.most ? count : asked.most;

	for (unsigned i = 0; i < tried; i++)
		for (unsigned w = 0; w < ways_of(call); w++)
			if (mode->turned_to++ % asked.parts == asked.part - 1)
				inject(mode, &(struct fault){ call, spread(i, tried, count), call->ways[w] });
}

static void
fail_one(struct mode *mode, const struct call *call, unsigned count, unsigned turn)
{
	if (count > 0)
		inject(mode, &(struct fault){ call, 1 + turn % count, call->ways[turn / 3 % ways_of(call)] });
}

static void
mode_fail(struct mode *mode, unsigned turn)
{
	struct bytes counts;

	if (!bytes_read(mode->counts, &counts))
		give_up("no counts of", mode->arguments);
	counts.at[counts.size] = '\0';
	for (unsigned c = 0; c < COUNT(calls); c++) {
		unsigned count = calls_of(&counts, calls[c].name);

		atomic_fetch_add(&mode->figures->possible, count * ways_of(&calls[c]));
		if (!asked.quick)
			fail_each(mode, &calls[c], count);
		else if ((turn / 2 + c) % 3 == 0)
			fail_one(mode, &calls[c], count, turn);
	}
	free(counts.at);
}

static double
now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Files beside outputs that a killed run may leave: one for each that it writes, and of the last run only. */
static unsigned
temporary(const struct folder *now)
{
	unsigned count = 0;

	for (unsigned i = 0; i < now->count; i++)
		count += ends_with(now->files[i].name, "tmp");
	return count;
}

/* A run to its end, after a kill: it makes what was wanted, and takes away what was left. */
static const char *
lie_after_kill(struct mode *mode)
{
	struct folder now;
	const char *lie = NULL;
	int status = end(begin(mode, NULL, false));

	folder_read(mode->work, &now);
	if (status != mode->usual && !(mode->in_place && status == 1))
		lie = "the next run fails";
	else if (temporary(&now) > 0)
		lie = "the next run leaves what was left";
	else if (!all_is_as(&now, &mode->after))
		lie = "the next run makes something else";
	folder_release(&now);
	mode_restore(mode);
	return lie;
}

static void
mode_kill(struct mode *mode, unsigned turn)
{
	unsigned seed = turn + 1;

	if (all_is_as(&mode->before, &mode->after))
		return;				/* nothing new is written */
	for (unsigned k = 0; k < asked.kills; k++) {
		double after = mode->seconds * 1.1 * rand_r(&seed) / RAND_MAX;
		struct timespec wait = { (time_t)after, (long)((after - (double)(time_t)after) * 1e9) };
		pid_t pid = begin(mode, NULL, false);
		struct folder now;
		const char *lie = NULL;
		int status;

		nanosleep(&wait, NULL);
		kill(pid, SIGKILL);
		status = end(pid);
		folder_read(mode->work, &now);
		atomic_fetch_add(&mode->figures->kills, status == 128 + SIGKILL);
		if (!mode->in_place && half_made(mode, &now) != NULL)
			lie = "neither old nor new";
		else if (!mode->in_place && state_is_ahead(mode, &now))
			lie = "the state is new, and the output is not";
		else if (temporary(&now) > 2)
			lie = "leftovers of more than one run";
		bool changed = !all_is_as(&now, &mode->before);
		folder_release(&now);
		/* a state that has taken all has nothing more to take */
		if (lie == NULL && !changed)
			lie = k % 4 == 3 ? lie_after_kill(mode) : NULL;
		else if (lie == NULL && mode->in_place)
			lie = lie_after_kill(mode);
		else
			mode_restore(mode);
		if (lie != NULL)
			tell(mode, lie, "killed", status);
	}
}

/* The run without a fault, twice: what differs would be taken for a lie. False when the filter has nothing to do with
 * such a stream. */
static bool
mode_usual(struct mode *mode)
{
	struct bytes again;
	struct folder now;
	double from;

	mode_restore(mode);
	from = now_seconds();
	mode->usual = end(begin(mode, NULL, asked.quick));
	mode->seconds = now_seconds() - from;
	folder_read(mode->work, &mode->after);
	if (!bytes_read(mode->answer, &mode->wanted))
		give_up("cannot read", mode->answer);
	mode_restore(mode);
	if (mode->usual == 2 || asked.quick)
		return mode->usual != 2;
	if (end(begin(mode, NULL, true)) != mode->usual || mode->usual == CANNOT || mode->usual > MATCHED)
		tell(mode, "another status", "without a fault", mode->usual);
	folder_read(mode->work, &now);
	if (!answer_is(mode, &again) || !all_is_as(&now, &mode->after))
		tell(mode, "two runs differ", "without a fault", mode->usual);
	folder_release(&now);
	free(again.at);
	mode_restore(mode);
	return true;
}

static void
mode_try(const char *filter, const char *arguments, unsigned turn)
{
	bool tried = false;

	for (unsigned choice = turn; !tried && choice < turn + goods_count; choice++) {
		struct mode mode = { .filter = filter, .arguments = arguments };

		for (unsigned f = 0; f < COUNT(filters); f++)
			if (strcmp(filter, filters[f]) == 0)
				mode.figures = &figures[f];
		mode_read(&mode, turn, choice);
		tried = mode_usual(&mode);
		atomic_fetch_add(&mode.figures->modes, tried);
		if (tried && asked.kills > 0)
			mode_kill(&mode, turn);
		else if (tried)
			mode_fail(&mode, turn);
		mode_release(&mode);
	}
	if (!tried)
		printf("torture: %s %s: nothing to try it with\n", filter, arguments);
}

static bool
writes_file(const char *arguments)
{
	return strstr(arguments, "-o ") != NULL || strstr(arguments, "--resume") != NULL ||
	       strstr(arguments, "--append") != NULL;
}

/* Tokens of a key of its own are others in each run. */
static bool
is_random(const char *arguments)
{
	return strstr(arguments, "--mask ") != NULL && strstr(arguments, "--mask-key") == NULL;
}

static bool
is_wanted(const char *filter, const char *arguments, unsigned turn)
{
	if (asked.filter != NULL && strcmp(asked.filter, filter) != 0)
		return false;
	if (strcmp(filter, "stkpath") == 0 && getenv("WITHOUT_STKPATH") != NULL)
		return false;
	return !is_random(arguments) && (asked.kills == 0 || writes_file(arguments)) && !(asked.quick && turn % 2 != 0);
}

static void
job(unsigned number)
{
	unsigned turn = 0;

	for (unsigned m = 0; m < COUNT(filter_modes) + COUNT(torture_modes); m++, turn++) {
		bool own = m >= COUNT(filter_modes);
		const char *filter = own ? torture_modes[m - COUNT(filter_modes)].filter : filter_modes[m].filter;
		const char *arguments =
			own ? torture_modes[m - COUNT(filter_modes)].arguments : filter_modes[m].arguments;

		if (turn / (asked.quick ? 2 : 1) % asked.jobs == number && is_wanted(filter, arguments, turn))
			mode_try(filter, arguments, turn);
	}
}

static unsigned
print_faults(void)
{
	unsigned lies = 0;

	printf("filter\tmodes");
	for (unsigned g = 0; g < GROUPS; g++)
		printf("\t%s", group_names[g]);
	printf("\tfaults\tsame answer\tstatus 3\tlies\tof all\n");
	for (unsigned f = 0; f < COUNT(filters); f++) {
		struct figures *of = &figures[f];
		unsigned faults = 0;

		if (of->modes == 0)
			continue;
		printf("%s\t%u", filters[f], of->modes);
		for (unsigned g = 0; g < GROUPS; g++) {
			printf("\t%u", of->faults[g]);
			faults += of->faults[g];
		}
		printf("\t%u\t%u\t%u\t%u\t%u\n", faults, of->same, of->refused, of->lies, of->possible);
		lies += of->lies;
	}
	return lies;
}

static unsigned
print_kills(void)
{
	unsigned lies = 0;

	printf("filter\tmodes\tkilled\tlies\n");
	for (unsigned f = 0; f < COUNT(filters); f++) {
		if (figures[f].modes > 0)
			printf("%s\t%u\t%u\t%u\n", filters[f], figures[f].modes, figures[f].kills, figures[f].lies);
		lies += figures[f].lies;
	}
	return lies;
}

static _Noreturn void
usage(void)
{
	fprintf(stderr, "usage: torture [--most N] [--part I/N] [--quick yes] [--filter NAME] [--jobs N] [--kills N] SHIM "
			"GOOD\n");
	exit(2);
}

static void
options(int argc, char **argv)
{
	int at = 1;

	for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
		const char *name = argv[at], *value = argv[at + 1];

		if (strcmp(name, "--most") == 0)
			asked.most = (unsigned)strtoul(value, NULL, 10);
		else if (strcmp(name, "--part") == 0 && sscanf(value, "%u/%u", &asked.part, &asked.parts) == 2 &&
			 asked.part >= 1 && asked.part <= asked.parts)
			continue;
		else if (strcmp(name, "--kills") == 0)
			asked.kills = (unsigned)strtoul(value, NULL, 10);
		else if (strcmp(name, "--jobs") == 0)
			asked.jobs = (unsigned)strtoul(value, NULL, 10);
		else if (strcmp(name, "--quick") == 0 && strcmp(value, "yes") == 0)
			asked.quick = true;
		else if (strcmp(name, "--filter") == 0)
			asked.filter = value;
		else
			usage();
	}
	if (argc - at != 2 || asked.jobs == 0)
		usage();
	asked.shim = realpath(argv[at], NULL);		/* runs are in other folders */
	asked.good = realpath(argv[at + 1], NULL);
	if (asked.shim == NULL || asked.good == NULL)
		give_up("cannot find", argv[asked.shim == NULL ? at : at + 1]);
}

int
main(int argc, char **argv)
{
	const char *temporary_folder = getenv("TMPDIR");
	unsigned lies;
	bool all_ended = true;
	int status;

	options(argc, argv);
	goods_list();
	temporary_folder = realpath(temporary_folder != NULL ? temporary_folder : "/tmp", NULL);	/* likewise */
	if (temporary_folder == NULL)
		give_up("cannot find", "the folder of TMPDIR");
	asked.folder = text("%s/stk.torture.XXXXXX", temporary_folder);
	if (mkdtemp(asked.folder) == NULL)
		give_up("cannot make", asked.folder);
	figures = mmap(NULL, COUNT(filters) * sizeof *figures, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		       0);
	if (figures == MAP_FAILED)
		give_up("no memory for", "figures");
	for (unsigned j = 0; j < asked.jobs; j++)
		if (fork() == 0) {
			job(j);
			exit(0);
		}
	while (wait(&status) > 0)
		all_ended = all_ended && status == 0;
	rmdir(asked.folder);
	lies = asked.kills > 0 ? print_kills() : print_faults();
	if (all_ended)
		return lies > 0;
	fprintf(stderr, "torture: some modes were not tried to the end\n");
	return 2;
}
