/* SPDX-License-Identifier: MIT
 * fuzz_filter: runs a filter over streams that lie, as lies.h makes them, and says what it does that a filter must not
 * do:
 *
 *	FOLDER/FILTER [--cases N] [--seconds N] [--seed N] [--keep DIRECTORY] GOOD		cases by chance, of all
 * modes of filter_modes.h
 *	FOLDER/FILTER [--keep DIRECTORY [--always yes]] GOOD 'MODE' BASE:LIE:LIE...		one case again;
 * --always: it is kept in any case
 *	FOLDER/FILTER --modes GOOD [MODE...]		each mode, or those named, over good streams as they are
 *
 * GOOD is a directory of good streams, as good_streams.sh makes them. Of a finding the lies that it needs are sought,
 * and its input is kept. Exit status: 0 there was no finding, 1 there were some, 2 wrong usage.
 *
 * The filter is linked into this program, its main as filter_main: a case is a fork, not a start. So a case costs
 * little, with sanitizers too. */
#include "filter_modes.h"
#include "lies.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sanitized.h"
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define MEMORY_MAX      (UINT64_C(400000) << 10)	/* bytes a filter may take */
#define SANITIZED_MORE  (UINT64_C(800000) << 10)	/* and what a sanitizer takes for itself, between and behind
							 * them */
#define SECONDS_MAX     (SANITIZED ? 30 : 10)		/* of computing */
#define WAIT_MAX        300				/* seconds from begin to end, for who computes nothing */
#define SANITIZER_EXIT  99
#define FILES_MAX       4				/* streams of a case */
#define LIES_MAX        12
#define WORDS_MAX       40
#define FINDINGS_MAX    200
#define CALLS_MAX       24				/* of a report */

struct filter_case { const char *mode; uint64_t base; uint64_t lies[LIES_MAX]; unsigned count; };

struct good_file { char name[64]; struct lie_file file; };

struct finding { char what[300]; uint64_t seen; };

struct place { uint64_t sum; char name[200]; };	/* of a report with the same calls */

struct fuzzer {
	const char *good, *keep, *self;
	char folder[64];			/* where the filter runs */
	int said;				/* its stderr */
	uint64_t data_bytes;			/* that this program has before the filter runs */
	struct arena lasting, passing;
	ARRAY(struct good_file) goods;
	struct finding findings[FINDINGS_MAX];
	unsigned count;
	ARRAY(struct place) places;
	uint64_t runs, ended[4];			/* and how many of them ended with status 0 to 3 */
};

static struct fuzzer fuzzer;

int filter_main(int argc, char **argv);

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *
__asan_default_options(void)
{
	return "exitcode=99:detect_leaks=0:quarantine_size_mb=8:max_allocation_size_mb=380:allocator_may_return_null=0:malloc_context_size=12:symbolize=0";
}

const char *
__ubsan_default_options(void)
{
	return "exitcode=99:print_stacktrace=1:symbolize=0";
}

static _Noreturn void
give_up(const char *what, const char *name)
{
	fprintf(stderr, "fuzz_filter: %s: %s: %s\n", what, name, strerror(errno));
	exit(2);
}

/* --- good streams --- */

static struct some_bytes
file_bytes(const char *path)
{
	struct some_bytes bytes = { 0 };
	char room[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		give_up("cannot open", path);
	while ((got = read(fd, room, sizeof room)) > 0)
		bytes_add(&bytes, room, (size_t)got);
	close(fd);
	return bytes;
}

static int
good_compare(const void *a, const void *b)
{
	return strcmp(((const struct good_file *)a)->name, ((const struct good_file *)b)->name);
}

static void
goods_read(void)
{
	DIR *folder = opendir(fuzzer.good);
	struct dirent *entry;

	if (folder == NULL)
		give_up("cannot read", fuzzer.good);
	while ((entry = readdir(folder)) != NULL) {
		struct good_file *good;
		struct some_bytes bytes;
		char path[512];
		size_t size = strlen(entry->d_name);

		if (size < 4 || size >= sizeof good->name || strcmp(entry->d_name + size - 4, ".stk") != 0)
			continue;
		good = array_push(&fuzzer.goods);
		*good = (struct good_file){ .file.arena = &fuzzer.lasting };
		strcpy(good->name, entry->d_name);
		snprintf(path, sizeof path, "%s/%s", fuzzer.good, entry->d_name);
		bytes = file_bytes(path);
		lie_file_read(&good->file, bytes);
		free(bytes.at);
	}
	closedir(folder);
	if (fuzzer.goods.count == 0)
		give_up("no good streams", fuzzer.good);
	qsort(fuzzer.goods.at, fuzzer.goods.count, sizeof *fuzzer.goods.at, good_compare);
}

/* One whose name begins so; now and then another, or none: the rows are made from nothing. */
static const struct lie_file *
good_choose(const char *name, uint64_t *numbers)
{
	size_t at = lie_chance(numbers, fuzzer.goods.count);

	if (lie_one_in(numbers, 10))
		return NULL;
	if (strcmp(name, "any") == 0 || lie_one_in(numbers, 10))
		return &fuzzer.goods.at[at].file;
	for (size_t tries = 0; tries < fuzzer.goods.count; tries++, at = (at + 1) % fuzzer.goods.count)
		if (strncmp(fuzzer.goods.at[at].name, name, strlen(name)) == 0)
			return &fuzzer.goods.at[at].file;
	give_up("no good stream", name);
}

/* --- a case --- */

struct command { char *words[WORDS_MAX + 1], *file[FILES_MAX]; int count; unsigned files; bool pipe; };

static char *
arena_join(const char *a, const char *b, const char *c)
{
	char room[1024];

	snprintf(room, sizeof room, "%s%s%s", a, b, c);
	return arena_copy(&fuzzer.passing, room, strlen(room));
}

static void
command_take(struct command *command, const char *word)
{
	char place[20];

	if (command->count == WORDS_MAX)
		return;
	snprintf(place, sizeof place, "%u.stk", command->files + 1);
	if (*word == '@' && command->files < FILES_MAX) {
		command->file[command->files++] = arena_join(word + 1, "", "");
		word = place;
	} else if (*word == '%') {
		command->words[command->count++] = arena_join(fuzzer.good, "/", word + 1);
		return;
	} else if (strcmp(word, "<") == 0) {
		command->file[command->files++] = arena_join("any", "", "");
		command->pipe = true;
		return;
	}
	command->words[command->count++] = arena_join(word, "", "");
}

/* Words stand between blanks, or in quotes. Most cases go without threads and the large tables of a good compression,
 * whose pages cost more than the rest. */
static struct command
command_read(const char *mode, uint64_t base)
{
	static const char *const cheap[] = { "--level", "1", "--threads", "1" };
	struct command command = { .words = { (char *)(uintptr_t)FILTER }, .count = 1 };

	for (size_t w = 0; base % 8 > 0 && w < sizeof cheap / sizeof *cheap; w++)
		command_take(&command, cheap[w]);

	while (*mode != '\0') {
		char word[200], until = *mode == '\'' ? '\'' : ' ';
		size_t size = 0;

		mode += until == '\'';
		while (*mode != '\0' && *mode != until && size < sizeof word - 1)
			word[size++] = *mode++;
		word[size] = '\0';
		mode += *mode != '\0';
		if (size > 0)
			command_take(&command, word);
	}
	return command;
}

static void
write_file(const char *name, const struct some_bytes *bytes)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		give_up("cannot write", name);
	for (size_t at = 0; at < bytes->size; ) {
		ssize_t put = write(fd, bytes->at + at, bytes->size - at);

		if (put < 0)
			give_up("cannot write", name);
		at += (size_t)put;
	}
	close(fd);
}

/* The streams of a case, as 1.stk and so on in the present folder. */
static void
case_write(const struct filter_case *of, const struct command *command)
{
	for (unsigned f = 0; f < command->files; f++) {
		uint64_t numbers = of->base + f * UINT64_C(0x632be59bd9b4e019);
		struct lie_file file = { .arena = &fuzzer.passing };
		struct some_bytes bytes = { 0 };
		char name[20];

		lie_file_open(&file, good_choose(command->file[f], &numbers), &numbers);
		for (unsigned l = 0; l < of->count; l++)
			if (of->lies[l] % command->files == f)
				lie_tell(&file, of->lies[l]);
		lie_file_bytes(&file, &bytes);
		snprintf(name, sizeof name, "%u.stk", f + 1);
		write_file(name, &bytes);
		free(bytes.at);
		array_release(&file.blocks);
	}
}

static struct filter_case
case_choose(uint64_t *numbers)
{
	static unsigned own[sizeof filter_modes / sizeof *filter_modes], count;
	struct filter_case of = { .base = lie_chance(numbers, UINT32_MAX) };

	for (unsigned m = 0; of.base != 0 && fuzzer.runs == 0 && m < sizeof filter_modes / sizeof *filter_modes; m++)
		if (strcmp(filter_modes[m].filter, FILTER) == 0)
			own[count++] = m;
	of.mode = filter_modes[own[lie_chance(numbers, count)]].arguments;
	for (of.count = (unsigned)lie_chance(numbers, lie_one_in(numbers, 2) ? 4 : LIES_MAX), of.count += of.count == 0;
	     ;) {
		for (unsigned l = 0; l < of.count; l++)
			of.lies[l] = lie_chance(numbers, UINT32_MAX);
		return of;
	}
}

static bool
case_read(struct filter_case *of, const char *mode, const char *numbers)
{
	char *end;

	*of = (struct filter_case){ .mode = mode, .base = strtoull(numbers, &end, 10) };
	while (*end == ':' && of->count < LIES_MAX)
		of->lies[of->count++] = strtoull(end + 1, &end, 10);
	return *end == '\0';
}

static void
case_print(FILE *to, const struct filter_case *of)
{
	fprintf(to, "%s %s \"%s\" %" PRIu64, fuzzer.self, fuzzer.good, of->mode, of->base);
	for (unsigned l = 0; l < of->count; l++)
		fprintf(to, ":%" PRIu64, of->lies[l]);
	fprintf(to, "\n");
}

/* --- running it --- */

static void
limit(int resource, uint64_t most)
{
	struct rlimit limits = { most, most };

	if (setrlimit((__typeof__(RLIMIT_AS))resource, &limits) < 0)
		give_up("cannot limit", "setrlimit");
}

static uint64_t
own_data_bytes(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[200];
	uint64_t kilobytes = 0;

	while (status != NULL && fgets(line, sizeof line, status) != NULL)
		(void)sscanf(line, "VmData: %" SCNu64, &kilobytes);
	if (status != NULL)
		fclose(status);
	return kilobytes << 10;
}

/* A sanitizer takes terabytes of addresses, but of data not more than it uses. */
static _Noreturn void
run_in_child(struct command *command, int input)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(input >= 0 ? input : null, 0) < 0 || dup2(null, 1) < 0 || dup2(fuzzer.said, 2) < 0)
		_exit(2);
	if (input > 2)
		close(input);
	close(null);
	if (SANITIZED)
		limit(RLIMIT_DATA, fuzzer.data_bytes + MEMORY_MAX + SANITIZED_MORE);
	else
		limit(RLIMIT_AS, MEMORY_MAX);
	limit(RLIMIT_CPU, SECONDS_MAX);
	limit(RLIMIT_FSIZE, UINT64_C(1) << 30);
	limit(RLIMIT_CORE, 0);
	exit(filter_main(command->count, command->words));
}

/* A child of its own writes: the filter may end before it took everything. */
static int
pipe_with(const char *name, pid_t *writer)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		give_up("no pipe", name);
	*writer = fork();
	if (*writer == 0) {
		struct some_bytes bytes = file_bytes(name);

		signal(SIGPIPE, SIG_DFL);
		close(ends[0]);
		for (size_t at = 0; at < bytes.size; ) {
			ssize_t put = write(ends[1], bytes.at + at, bytes.size - at < 3000 ? bytes.size - at : 3000);

			if (put <= 0)
				break;
			at += (size_t)put;
		}
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

static int
wait_for(pid_t child)
{
	int fd = (int)syscall(SYS_pidfd_open, child, 0), status;
	struct pollfd ended = { .fd = fd, .events = POLLIN };

	if (fd >= 0 && poll(&ended, 1, WAIT_MAX * 1000) == 0)
		kill(child, SIGKILL);
	if (fd >= 0)
		close(fd);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	return status;
}

static int
run(struct command *command)
{
	pid_t writer = 0, child;
	int input = command->pipe ? pipe_with("1.stk", &writer) : -1, status;

	if (ftruncate(fuzzer.said, 0) < 0 || lseek(fuzzer.said, 0, SEEK_SET) < 0)
		give_up("cannot empty", "stderr");
	child = fork();
	if (child == 0)
		run_in_child(command, input);
	if (input >= 0)
		close(input);
	status = wait_for(child);
	if (writer > 0)
		(void)waitpid(writer, NULL, 0);
	return status;
}

/* --- judging --- */

static struct stk_text
said_text(void)
{
	static char room[65536];
	ssize_t got = pread(fuzzer.said, room, sizeof room - 1, 0);

	room[got < 0 ? 0 : got] = '\0';
	return text_of(room, strlen(room));
}

/* Calls of a report, innermost first: "(FILE+0xOFFSET)" of this program. How many. */
static unsigned
reported_calls(const char *said, uint64_t calls[CALLS_MAX])
{
	size_t self = strlen(fuzzer.self);
	unsigned count = 0;

	for (const char *at = said; count < CALLS_MAX && (at = strstr(at, fuzzer.self)) != NULL; at += self)
		if (strncmp(at + self, "+0x", 3) == 0)
			calls[count++] = strtoull(at + self + 1, NULL, 16);
	return count;
}

/* Names and places of calls, a line each and one after another. Sanitizers would say them too, and take a second for
 * each report. */
static void
calls_name(const uint64_t *calls, unsigned count, char *to, size_t size)
{
	char line[4096];
	size_t at = (size_t)snprintf(line, sizeof line, "addr2line -i -f -e '%s'", fuzzer.self), got = 0;
	FILE *pipe;

	for (unsigned c = 0; c < count && at + 30 < sizeof line; c++)
		at += (size_t)snprintf(line + at, sizeof line - at, " 0x%" PRIx64, calls[c]);
	pipe = count > 0 ? popen(line, "r") : NULL;
	if (pipe != NULL) {
		got = fread(to, 1, size - 1, pipe);
		(void)pclose(pipe);
	}
	to[got] = '\0';
}

static bool
is_giver(const char *place)
{
	static const char *const givers[] = { "base/memory.c", "base/array.h", "base/arena.c", "base/workers.c",
					      "t/lib/fuzz_filter.c" };
	bool giver = strstr(place, "/lib/") == NULL && strstr(place, "/cmd/") == NULL;

	for (size_t g = 0; g < sizeof givers / sizeof *givers; g++)
		giver |= strstr(place, givers[g]) != NULL;
	return giver;
}

/* The call that a report is about: the first of ours that does not give memory to others. */
static void
reported_place(const char *said, char *to, size_t size)
{
	static char names[1 << 16];
	uint64_t calls[CALLS_MAX], sum = 1;
	unsigned count = reported_calls(said, calls);
	char *rest = names, *name, *place;

	for (unsigned c = 0; c < count; c++)
		sum = (sum ^ calls[c]) * UINT64_C(0x100000001b3);
	for (size_t k = 0; k < fuzzer.places.count; k++) {
		if (fuzzer.places.at[k].sum == sum) {
			snprintf(to, size, "%s", fuzzer.places.at[k].name);
			return;
		}
	}
	snprintf(to, size, "somewhere");
	calls_name(calls, count, names, sizeof names);
	while ((name = strsep(&rest, "\n")) != NULL && (place = strsep(&rest, "\n")) != NULL) {
		if (is_giver(place))
			continue;
		place = strstr(place, "/lib/") != NULL ? strstr(place, "/lib/") : strstr(place, "/cmd/");
		snprintf(to, size, "%.60s %.100s", name, place + 1);
		break;
	}
	*array_push(&fuzzer.places) = (struct place){ .sum = sum };
	snprintf(fuzzer.places.at[fuzzer.places.count - 1].name, sizeof fuzzer.places.at->name, "%s", to);
}

/* Of a report: what and where, without addresses, so that the same is known again. */
static bool
report_of(const char *said, char *to, size_t size)
{
	const char *undefined = strstr(said, "runtime error: "), *address = strstr(said, "ERROR: AddressSanitizer: ");
	char place[200];

	if (undefined == NULL && address == NULL)
		return false;
	if (undefined != NULL) {
		const char *from = undefined, *end;

		while (from > said && from[-1] != '\n')
			from--;
		end = from + strcspn(from, ":");
		end += end[0] == ':' ? 1 + strspn(end + 1, "0123456789") : 0;
		snprintf(to, size, "%.*s: %.40s", (int)(end - from), from, undefined + strlen("runtime error: "));
	} else {
		address += strlen("ERROR: AddressSanitizer: ");
		reported_place(address, place, sizeof place);
		snprintf(to, size, "%.*s: %s", (int)strcspn(address, " :"), address, place);
	}
	to[strcspn(to, "\n")] = '\0';
	return true;
}

/* What the filter left beside its input and output. */
static bool
left_behind(char *to, size_t size)
{
	DIR *folder = opendir(".");
	struct dirent *entry;
	bool found = false;

	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		const char *name = entry->d_name;
		size_t length = strlen(name);
		bool input = length == 5 && strcmp(name + 1, ".stk") == 0,
		     lock = length > 5 && strcmp(name + length - 5, ".lock") == 0;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (!input && !lock && strcmp(name, "out") != 0 && strcmp(name, "out.heat") != 0) {
			found = true;
			snprintf(to, size, "leaves a file: %.5s...", name);
		}
		(void)unlink(name);
	}
	if (folder != NULL)
		closedir(folder);
	return found;
}

/* The last thing that was said: that is why it ended. */
static const char *
last_line(struct stk_text said)
{
	size_t at = said.size;

	while (at > 0 && said.data[at - 1] == '\n')
		at--;
	while (at > 0 && said.data[at - 1] != '\n')
		at--;
	return said.data + at;
}

static const char *
without_numbers(const char *from, char *to, size_t size)
{
	size_t at = 0;

	for (; *from != '\0' && *from != '\n' && at < size - 1; from++)
		if (*from < '0' || *from > '9')
			to[at++] = *from;
	to[at] = '\0';
	return to;
}

/* The wish cannot be met: status 2 is right. A state of other options, a function that the input does not have. */
static bool
is_unmet_wish(const char *why)
{
	static const char *const wishes[] = { "was made with other options",
					      "thinned to counts",
					      "there is no ",
					      "no function ",
					      "no graph and no path",
					      "no samples to draw",
					      "no sample has a time",
					      "all samples have weight",
					      "has no ",
					      "no stack of ",
					      "no series ",
					      "no such ",
					      "the stream carries no scheme",
					      "--rate-plan: no class",
					      "no prime paths",
					      "its paths overlap",
					      "several files have one",
					      " clock, ",
					      "--merge: -",
					      "too few measures",
					      "steps seen",
					      "--step: more than" };
	bool unmet = false;

	for (size_t w = 0; w < sizeof wishes / sizeof *wishes; w++)
		unmet |= strstr(why, wishes[w]) != NULL;
	return unmet;
}

/* True, and what, when it did what a filter must not do. */
static bool
judge(const struct command *command, int status, char *to, size_t size)
{
	struct stk_text said = said_text();
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	bool alert = strcmp(FILTER, "stkdiag") == 0;	/* it finds what is wrong without being asked to */
	char left[100], why[200];
	bool leaves = left_behind(left, sizeof left);

	for (int w = 1; w < command->count; w++)
		alert |= strcmp(command->words[w], "--alert") == 0 || strcmp(command->words[w], "--rules") == 0 ||
			 strcmp(command->words[w], "--lint") == 0;
	if (report_of(said.data, to, size))
		return true;
	if (WIFSIGNALED(status))
		snprintf(to, size,
			 WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? "takes too long (%s)"
										    : "is killed by a signal (%s)",
			 strsignal(WTERMSIG(status)));
	else if (strstr(said.data, "out of memory") != NULL || strstr(said.data, "Cannot allocate") != NULL)
		snprintf(to, size, "takes too much memory");
	else if (code != 0 && code != 1 && code != 3 && !(alert && code == 4) &&
		 !(code == 2 && is_unmet_wish(last_line(said))))
		snprintf(to, size, "status %d: %.100s", code, without_numbers(last_line(said), why, sizeof why));
	else if (code != 0 && said.size == 0 && !alert)
		snprintf(to, size, "status %d without a word", code);
	else if (leaves)
		snprintf(to, size, "%s", left);
	else
		return false;
	to[strcspn(to, "\n")] = '\0';
	return true;
}

static bool
try_case(const struct filter_case *of, char *to, size_t size)
{
	struct command command;
	bool bad;
	int status;

	arena_reset(&fuzzer.passing);
	command = command_read(of->mode, of->base);
	case_write(of, &command);
	status = run(&command);
	bad = judge(&command, status, to, size);
	fuzzer.runs++;
	if (WIFEXITED(status) && WEXITSTATUS(status) < 4)
		fuzzer.ended[WEXITSTATUS(status)]++;
	return bad;
}

/* Leaves out the lies that the finding does not need. */
static void
make_small(struct filter_case *of, const char *what)
{
	for (unsigned l = 0; l < of->count; ) {
		struct filter_case less = *of;
		char now[300];

		memmove(less.lies + l, less.lies + l + 1, (--less.count - l) * sizeof *less.lies);
		if (try_case(&less, now, sizeof now) && strcmp(now, what) == 0)
			*of = less;
		else
			l++;
	}
}

/* The streams, what was said, and the command, in a folder of their own. */
static void
keep_case(const struct filter_case *of, unsigned number)
{
	struct command command;
	char path[600];
	FILE *to;
	struct stk_text said;
	static char names[1 << 16];
	uint64_t calls[CALLS_MAX];
	char now[300];

	(void)try_case(of, now, sizeof now);
	said = said_text();
	snprintf(path, sizeof path, "%s/%s-%u", fuzzer.keep, FILTER, number);
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		give_up("cannot make", path);
	command = command_read(of->mode, of->base);
	if (chdir(path) < 0)
		give_up("cannot enter", path);
	case_write(of, &command);
	if ((to = fopen("finding", "w")) == NULL)
		give_up("cannot write", path);
	fprintf(to, "%s\n", now);
	case_print(to, of);
	for (int w = 0; w < command.count; w++)
		fprintf(to, strpbrk(command.words[w], " *") != NULL ? "'%s' " : "%s ", command.words[w]);
	calls_name(calls, reported_calls(said.data, calls), names, sizeof names);
	fprintf(to, "%s\n\n%.*s\n%s", command.pipe ? "<1.stk" : "", (int)said.size, said.data, names);
	if (fclose(to) != 0 || chdir(fuzzer.folder) < 0)
		give_up("cannot write", path);
}

static void
note_finding(struct filter_case *of, const char *what)
{
	struct finding *finding = NULL;

	for (unsigned f = 0; f < fuzzer.count && finding == NULL; f++)
		if (strcmp(fuzzer.findings[f].what, what) == 0)
			finding = &fuzzer.findings[f];
	if (finding != NULL || fuzzer.count == FINDINGS_MAX) {
		if (finding != NULL)
			finding->seen++;
		return;
	}
	finding = &fuzzer.findings[fuzzer.count++];
	snprintf(finding->what, sizeof finding->what, "%s", what);
	finding->seen = 1;
	make_small(of, what);
	printf("%s: %s\n  ", FILTER, what);
	case_print(stdout, of);
	if (fuzzer.keep != NULL)
		keep_case(of, fuzzer.count);
	fflush(stdout);
}

/* --- without lies --- */

/* A good stream for each of a command's: of those whose names begin so the one at `place`, counted around. */
static void
good_write(const struct command *command, size_t place)
{
	for (unsigned f = 0; f < command->files; f++) {
		const char *wanted = command->file[f], *chosen = NULL;
		size_t length, like = 0;
		struct some_bytes bytes;
		char path[512], name[20];

		if (strcmp(wanted, "any") == 0)
			wanted = place == 0 ? "dumps.stk" : "";		/* at first what each filter reads */
		length = strlen(wanted);
		for (size_t g = 0; g < fuzzer.goods.count; g++)
			like += strncmp(fuzzer.goods.at[g].name, wanted, length) == 0;
		if (like == 0)
			give_up("no good stream", wanted);
		for (size_t g = 0, nth = place % like; g < fuzzer.goods.count && chosen == NULL; g++)
			if (strncmp(fuzzer.goods.at[g].name, wanted, length) == 0 && nth-- == 0)
				chosen = fuzzer.goods.at[g].name;
		snprintf(path, sizeof path, "%s/%s", fuzzer.good, chosen);
		snprintf(name, sizeof name, "%u.stk", f + 1);
		bytes = file_bytes(path);
		write_file(name, &bytes);
		free(bytes.at);
	}
}

/* A mode that no good stream suits tests nothing: with some its command must end with status 0, 1 or 4. */
static bool
mode_works(const char *mode, char *why, size_t size)
{
	for (size_t place = 0; place < fuzzer.goods.count; place++) {
		struct command command;
		int status, code;

		arena_reset(&fuzzer.passing);
		command = command_read(mode, 1);
		good_write(&command, place);
		status = run(&command);
		fuzzer.runs++;
		code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		if (judge(&command, status, why, size))
			return false;
		if (code != 2 && code != 3)
			return true;
		snprintf(why, size, "status %d with each good stream: %.200s", code, last_line(said_text()));
		why[strcspn(why, "\n")] = '\0';
	}
	return false;
}

/* Those of filter_modes.h when none is named. How many do not work. */
static unsigned
try_modes(char **named, int count)
{
	ARRAY(const char *) modes = { 0 };
	unsigned bad = 0;
	char why[300];

	for (int n = 0; n < count; n++)
		*array_push(&modes) = named[n];
	for (size_t m = 0; count == 0 && m < sizeof filter_modes / sizeof *filter_modes; m++)
		if (strcmp(filter_modes[m].filter, FILTER) == 0)
			*array_push(&modes) = filter_modes[m].arguments;
	for (size_t m = 0; m < modes.count; m++) {
		if (mode_works(modes.at[m], why, sizeof why))
			continue;
		printf("%s %s: %s\n", FILTER, modes.at[m], why);
		bad++;
	}
	printf("%s: %zu modes, %u of them do not work; %" PRIu64 " runs\n", FILTER, modes.count, bad, fuzzer.runs);
	array_release(&modes);
	return bad;
}

/* --- beginning and end --- */

static void
folder_make(void)
{
	static const char *const places[] = { "/dev/shm", "/tmp" };	/* the first costs no disk */

	for (size_t p = 0; p < 2; p++) {
		snprintf(fuzzer.folder, sizeof fuzzer.folder, "%s/stkfuzz.XXXXXX", places[p]);
		if (mkdtemp(fuzzer.folder) != NULL)
			break;
		*fuzzer.folder = '\0';
	}
	if (*fuzzer.folder == '\0' || chdir(fuzzer.folder) < 0)
		give_up("no folder to work in", "/tmp");
	fuzzer.said = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC | O_APPEND, 0600);
	if (fuzzer.said < 0 || setenv("TMPDIR", fuzzer.folder, 1) < 0 || setenv("STKPIPE_SCHEMES", fuzzer.good, 1) < 0)
		give_up("no file in", fuzzer.folder);
}

static void
fuzz(uint64_t seed, uint64_t cases, time_t seconds)
{
	time_t until = time(NULL) + seconds;

	for (uint64_t c = 0; (cases == 0 || c < cases) && (seconds == 0 || time(NULL) < until); c++) {
		uint64_t numbers = seed + c * UINT64_C(0xd1342543de82ef95);
		struct filter_case of = case_choose(&numbers);
		char what[300];

		if (try_case(&of, what, sizeof what))
			note_finding(&of, what);
	}
}

static const char *
whole_path(const char *path)
{
	char *whole = realpath(path, NULL);

	if (whole == NULL)
		give_up("cannot find", path);
	return whole;
}

static void
begin(const char *self, const char *good)
{
	fuzzer.self = whole_path(self);
	fuzzer.good = whole_path(good);
	(void)mallopt(M_MMAP_THRESHOLD, 65536);		/* a filter then gets fresh pages for what is large, not ones
							 * that must be cleared and were copied */
	folder_make();
	goods_read();
	fuzzer.data_bytes = own_data_bytes();
}

static void
end(void)
{
	if (chdir("/") < 0 || rmdir(fuzzer.folder) < 0)
		give_up("cannot remove", fuzzer.folder);
}

int
main(int argc, char **argv)
{
	uint64_t seed = 1, cases = 0, seconds = 0;
	time_t began = time(NULL);
	struct filter_case one;
	char what[300];
	bool always = false;
	int first = 1;

	if (argc > 2 && strcmp(argv[1], "--modes") == 0) {
		begin(argv[0], argv[2]);
		fuzzer.count = try_modes(argv + 3, argc - 3);
		end();
		return fuzzer.count > 0;
	}
	for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0; first += 2) {
		if (strcmp(argv[first], "--cases") == 0)
			cases = strtoull(argv[first + 1], NULL, 10);
		else if (strcmp(argv[first], "--seconds") == 0)
			seconds = strtoull(argv[first + 1], NULL, 10);
		else if (strcmp(argv[first], "--seed") == 0)
			seed = strtoull(argv[first + 1], NULL, 10) << 32;
		else if (strcmp(argv[first], "--keep") == 0)
			fuzzer.keep = whole_path(argv[first + 1]);
		else if (strcmp(argv[first], "--always") == 0)
			always = true;
	}
	if ((argc - first != 1 && argc - first != 3) ||
	    (argc - first == 3 && !case_read(&one, argv[first + 1], argv[first + 2]))) {
		fprintf(stderr,
			"usage: %s [--cases N] [--seconds N] [--seed N] [--keep DIRECTORY] GOOD ['MODE' BASE:LIE:LIE...]\n"
			"       %s --modes GOOD [MODE...]\n",
			argv[0], argv[0]);
		return 2;
	}
	begin(argv[0], argv[first]);
	if (argc - first == 1) {
		fuzz(seed, cases, (time_t)seconds);
	} else if (try_case(&one, what, sizeof what)) {
		printf("%s: %s\n%s", FILTER, what, said_text().data);
		fuzzer.count = 1;
	} else {
		printf("%s: nothing\n%s", FILTER, said_text().data);
	}
	if (argc - first == 3 && fuzzer.keep != NULL && (always || fuzzer.count > 0))
		keep_case(&one, 0);
	printf("%s: %" PRIu64 " runs in %lld s, %u findings; status 0 to 3: %" PRIu64 " %" PRIu64 " %" PRIu64
	       " %" PRIu64 "\n",
	       FILTER, fuzzer.runs, (long long)(time(NULL) - began), fuzzer.count, fuzzer.ended[0], fuzzer.ended[1],
	       fuzzer.ended[2], fuzzer.ended[3]);
	for (unsigned f = 0; f < fuzzer.count && argc - first == 1; f++)
		printf("  %6" PRIu64 "  %s\n", fuzzer.findings[f].seen, fuzzer.findings[f].what);
	end();
	return fuzzer.count > 0;
}
