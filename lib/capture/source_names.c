/* SPDX-License-Identifier: MIT
 * source_names: the name of a process that still runs is kept for it, whether it is captured or not. */
#include "capture/source_names.h"

#include "base/bytes.h"
#include "base/text_table.h"	/* hash_pair */
#include "capture/process.h"
#include "model/model.h"
#include "stream/stream_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TITLE_MAX 200
#define NAMES_MOST 4096	/* higher numbers are part of a title */
#define NAMES_KEPT 1024		/* any user may start processes of as many names as they like */

struct named_process
source_names_process(const struct process *process)
{
	uint64_t hash = process->command_size;

	for (size_t i = 0; i < process->command_size; i++)
		hash = hash_pair(hash, (unsigned char)process->command[i]);
	return (struct named_process){ process->pid, process->start_ticks, hash };
}

static bool
process_runs(const struct named_process *process)
{
	return process_is_alive(&(struct process){ .pid = process->pid, .start_ticks = process->start_ticks });
}

static bool
runs(const struct source_names *names, const struct named_process *process)
{
	return process->pid != 0 && (names->runs == NULL ? process_runs : names->runs)(process);
}

static struct source_name *
find(const struct source_names *names, const char *name)
{
	for (size_t i = 0; i < names->list.count; i++)
		if (strcmp(names->list.at[i].name, name) == 0)
			return &names->list.at[i];
	return NULL;
}

/* The entry of a name, which may be new. */
static struct source_name *
entry(struct source_names *names, const char *name)
{
	struct source_name *found = find(names, name);

	if (found == NULL) {
		found = array_push(&names->list);
		*found = (struct source_name){ .given = false };
		snprintf(found->name, sizeof found->name, "%s", name);
	}
	return found;
}

/* --- giving --- */

/* How well a name suits a process. */
enum suits { SUITS_NEVER, SUITS_ANY, SUITS_COMMAND, SUITS_SAME };

static bool
is_same(const struct named_process *a, const struct named_process *b)
{
	return a->pid == b->pid && a->start_ticks == b->start_ticks;
}

static enum suits
suits(const struct source_names *names, const struct source_name *name, const struct named_process *process)
{
	if (name == NULL)
		return SUITS_ANY;
	if (name->given)
		return SUITS_NEVER;
	if (process != NULL && name->of.pid != 0 && is_same(&name->of, process))
		return SUITS_SAME;
	if (runs(names, &name->of))
		return SUITS_NEVER;
	return process != NULL && process->command != 0 && name->of.command == process->command ? SUITS_COMMAND
											       : SUITS_ANY;
}

static void
number_title(const char *title, unsigned number, char name[SOURCE_NAME_MAX])
{
	if (number == 1)
		snprintf(name, SOURCE_NAME_MAX, "%.*s", TITLE_MAX, title);
	else
		snprintf(name, SOURCE_NAME_MAX, "%.*s#%u", TITLE_MAX, title, number);
}

static bool
is_title_of(const char *name, const char *title)
{
	size_t size = strnlen(title, TITLE_MAX);

	return strncmp(name, title, size) == 0 && (name[size] == '\0' || name[size] == '#');
}

/* The highest number of a name with this title that there is. */
static unsigned
highest_number(const struct source_names *names, const char *title)
{
	size_t size = strnlen(title, TITLE_MAX);
	unsigned long highest = 0;

	for (size_t i = 0; i < names->list.count; i++) {
		const char *name = names->list.at[i].name;
		unsigned long number = !is_title_of(name, title) ? 0 : name[size] == '\0' ? 1
			: strtoul(name + size + 1, NULL, 10);

		highest = number > highest && number <= NAMES_MOST ? number : highest;
	}
	return (unsigned)highest;
}

/* The first of the numbers that suit best. One beyond those that there are is always free. */
static unsigned
choose_number(const struct source_names *names, const char *title, const struct named_process *process)
{
	enum suits best = SUITS_NEVER;
	unsigned chosen = 1, most = highest_number(names, title) + 1;

	for (unsigned n = 1; n <= most; n++) {
		char name[SOURCE_NAME_MAX];
		enum suits so;

		number_title(title, n, name);
		so = suits(names, find(names, name), process);
		if (so > best) {
			best = so;
			chosen = n;
		}
	}
	return chosen;
}

void
source_names_give(struct source_names *names, const char *title, const struct named_process *process,
		  char name[SOURCE_NAME_MAX])
{
	struct source_name *given;

	number_title(title, choose_number(names, title, process), name);
	given = entry(names, name);
	given->given = true;
	given->of = process == NULL ? (struct named_process){ 0 } : *process;
}

/* Of those that nobody has. */
static void
forget_oldest(struct source_names *names)
{
	size_t i = 0;

	while (i < names->list.count && (names->list.at[i].given || runs(names, &names->list.at[i].of)))
		i++;
	if (i == names->list.count)
		return;
	names->list.count--;
	memmove(&names->list.at[i], &names->list.at[i + 1], (names->list.count - i) * sizeof *names->list.at);
}

void
source_names_end(struct source_names *names, const char *name)
{
	struct source_name *ended = find(names, name);

	if (ended != NULL)
		ended->given = false;
	if (names->list.count > NAMES_KEPT)
		forget_oldest(names);
}

/* --- what an earlier capture gave --- */

/* The process still has this name if it is called so, and began before the file was last written: else its number is
 * another one's. */
static void
remember(struct source_names *names, const char *name, pid_t pid, int64_t written_ns)
{
	struct stk_error unused = { 0 };
	struct process process;
	struct source_name *of;

	if (pid <= 0 || process_read(&process, pid, &unused) < 0 || process.start_ns > written_ns ||
	    !is_title_of(name, process_title(&process)))
		return;
	of = entry(names, name);
	of->of = source_names_process(&process);
}

static void
remember_sources(struct source_names *names, const struct model *model, const char *host, int64_t written_ns)
{
	for (uint64_t id = 1; model_knows(model, STK_SOURCE, id); id++) {
		struct stk_source source = model_source(model, id);
		struct stk_text text = model_string(model, source.name);
		char name[SOURCE_NAME_MAX];

		if (text.size >= sizeof name || !text_is(model_string(model, source.host), host))
			continue;
		snprintf(name, sizeof name, "%.*s", (int)text.size, text.data);
		remember(names, name, source.pid <= INT32_MAX ? (pid_t)source.pid : 0, written_ns);
	}
}

/* Definitions of a kind into the model; of a damaged block, none. */
static void
define(struct model *model, struct stream_file *file, unsigned stream, unsigned kind)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, stream, kind, &count);

	for (size_t b = 0; b < count; b++) {
		struct stk_error unused = { 0 };
		struct stk_block block;

		if (stream_file_go(file, stream, &blocks[b], &block, &unused) < 0 ||
		    model_take(model, stream_file_reader(file), &block, &unused) < 0)
			stk_error_clear(&unused);
	}
}

static void
remember_stream(struct source_names *names, struct stream_file *file, unsigned stream, const char *host,
		int64_t written_ns)
{
	struct model *model;

	if (model_open(&model) < 0)
		return;
	define(model, file, stream, STK_STRING);
	define(model, file, stream, STK_SOURCE);
	remember_sources(names, model, host, written_ns);
	model_close(model);
}

void
source_names_read(struct source_names *names, const char *path)
{
	struct stk_error unused = { 0 };
	struct stream_file *file;
	struct stat is;
	char host[256] = "";

	if (stat(path, &is) < 0 || !S_ISREG(is.st_mode) || is.st_size == 0 ||
	    gethostname(host, sizeof host - 1) < 0)
		return;
	if (stream_file_open_without_ids(&file, path, stream_file_ignore_damage, NULL, &unused) < 0) {
		stk_error_clear(&unused);
		return;
	}
	for (unsigned s = 0; s < stream_file_streams(file); s++)
		remember_stream(names, file, s, host,
				is.st_mtim.tv_sec * INT64_C(1000000000) + is.st_mtim.tv_nsec);
	stream_file_close(file);
}
