/* SPDX-License-Identifier: MIT
 * carried_schemes: /proc/PID/maps and /proc/PID/fd name the files. Root opens what is mapped, whatever is now at its
 * path; others may not, and open the path below the root folder of the process. */
#include "capture/carried_schemes.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/text_table.h"
#include "capture/carried_text.h"
#include "capture/process_files.h"

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILES_MOST 100000u		/* remembered */

/* Everything that the thread works with; a thread that hangs keeps it. */
struct search {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool done;
	struct process process;
	struct text_table seen;		/* files, by device and number */
	struct arena texts;
	struct carried_scheme found[CARRIED_SCHEMES_MOST];
	size_t count;			/* of them */
	struct stk_text file;		/* that is looked into */
	struct carried_oddities odd;
};

/* Of the search only what it had found before it began is looked at. */
struct carried_schemes {
	struct search *search;
	size_t known;
	struct carried_oddities odd;
};

/* --- schemes --- */

static struct stk_text
without_blanks(struct stk_text text)
{
	while (text.size > 0 && strchr(" \t\r'\"", text.data[0]) != NULL)
		text = text_of(text.data + 1, text.size - 1);
	while (text.size > 0 && strchr(" \t\r'\"", text.data[text.size - 1]) != NULL)
		text.size--;
	return text;
}

/* The last part of a path, without what follows its last dot. */
static struct stk_text
name_of_file(struct stk_text path)
{
	const char *slash = memrchr(path.data, '/', path.size), *dot;

	if (slash != NULL)
		path = text_of(slash + 1, path.size - (size_t)(slash + 1 - path.data));
	dot = memrchr(path.data, '.', path.size);
	return dot == NULL || dot == path.data ? path : text_of(path.data, (size_t)(dot - path.data));
}

/* Without reading YAML, which stkgroup does where less is at stake. */
static struct stk_text
name_of_scheme(struct stk_text text, struct stk_text file)
{
	static const char key[] = "scheme:";

	while (text.size > 0) {
		struct stk_text line = text_take(&text, '\n');
		const char *comment = memmem(line.data, line.size, " #", 2);

		if (line.size < sizeof key - 1 || memcmp(line.data, key, sizeof key - 1) != 0)
			continue;
		if (comment != NULL)
			line.size = (size_t)(comment - line.data);
		line = without_blanks(text_of(line.data + sizeof key - 1, line.size - (sizeof key - 1)));
		if (line.size > 0)
			return line;
	}
	return name_of_file(file);
}

static struct stk_text
kept(struct search *s, struct stk_text text)
{
	return text_of(arena_copy(&s->texts, text.data, text.size), text.size);
}

static void
keep_scheme(void *context, struct stk_text text)
{
	struct search *s = context;
	struct stk_text name = name_of_scheme(text, s->file);

	for (size_t i = 0; i < s->count; i++)
		if (text_equal(s->found[i].name, name)) {
			s->odd.same_name += !text_equal(s->found[i].text, text);
			return;
		}
	if (s->count == CARRIED_SCHEMES_MOST) {
		s->odd.beyond++;
		return;
	}
	s->found[s->count++] = (struct carried_scheme){ kept(s, name), kept(s, text), kept(s, s->file) };
}

/* --- files --- */

static bool
is_new(struct search *s, const struct stat *is)
{
	char key[80];
	int size = snprintf(key, sizeof key, "%llx:%llx:%llx:%llx", (unsigned long long)is->st_dev,
			    (unsigned long long)is->st_ino, (unsigned long long)is->st_mtim.tv_sec,
			    (unsigned long long)is->st_mtim.tv_nsec);

	if (s->seen.texts.count >= FILES_MOST || text_table_find(&s->seen, text_of(key, (size_t)size)) != 0)
		return false;
	(void)text_table_number(&s->seen, text_of(key, (size_t)size));
	return true;
}

static void
look_into(struct search *s, int fd, const char *path)
{
	struct stat is;

	s->file = text_from(path);
	if (fd >= 0 && fstat(fd, &is) == 0 && is_new(s, &is))
		carried_text_each(fd, keep_scheme, s);
	if (fd >= 0)
		close(fd);
}

/* A line of maps: FROM-TO PERMISSIONS OFFSET DEVICE INODE PATH. */
static void
look_into_mapped(struct search *s, const char *line)
{
	const char *permissions = strchr(line, ' '), *path = strchr(line, '/');
	char name[96];
	int fd;

	if (permissions == NULL || permissions[3] != 'x' || path == NULL)
		return;
	(void)snprintf(name, sizeof name, "/proc/%ld/map_files/%.*s", (long)s->process.pid, (int)(permissions - line),
		       line);
	fd = file_open_regular(name);
	if (fd < 0)
		fd = process_open_file(&s->process, path);
	look_into(s, fd, path);
}

static void
look_at_maps(struct search *s)
{
	char path[64], line[PATH_MAX + 128];
	FILE *maps;

	(void)snprintf(path, sizeof path, "/proc/%ld/maps", (long)s->process.pid);
	maps = fopen(path, "re");
	while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		look_into_mapped(s, line);
	}
	if (maps != NULL)
		(void)fclose(maps);
}

static void
look_at_open_files(struct search *s)
{
	char folder[64], path[PATH_MAX], name[350];
	const struct dirent *entry;
	DIR *files;

	(void)snprintf(folder, sizeof folder, "/proc/%ld/fd", (long)s->process.pid);
	files = opendir(folder);
	while (files != NULL && (entry = readdir(files)) != NULL) {
		ssize_t size = readlinkat(dirfd(files), entry->d_name, path, sizeof path - 1);

		if (size < 4 || memcmp(path + size - 4, ".jar", 4) != 0)
			continue;
		path[size] = '\0';
		(void)snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
		look_into(s, file_open_regular(name), path);
	}
	if (files != NULL)
		(void)closedir(files);
}

static void *
search_run(void *context)
{
	struct search *s = context;

	look_at_maps(s);
	look_at_open_files(s);
	pthread_mutex_lock(&s->lock);
	s->done = true;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* --- searching --- */

void
carried_schemes_open(struct carried_schemes **out)
{
	struct carried_schemes *schemes = *out = mem_new(1, sizeof *schemes);
	pthread_condattr_t clock;

	schemes->search = mem_new(1, sizeof *schemes->search);
	pthread_mutex_init(&schemes->search->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&schemes->search->changed, &clock);
	pthread_condattr_destroy(&clock);
}

void
carried_schemes_close(struct carried_schemes *schemes)
{
	if (schemes == NULL)
		return;
	if (!schemes->odd.gave_up) {
		text_table_release(&schemes->search->seen);
		arena_release(&schemes->search->texts);
		pthread_mutex_destroy(&schemes->search->lock);
		pthread_cond_destroy(&schemes->search->changed);
		free(schemes->search);
	}
	free(schemes);
}

static bool
wait_until_done(struct search *s, int patience_ms)
{
	struct timespec until;
	bool done;
	int result = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += patience_ms / 1000;
	until.tv_nsec += patience_ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	pthread_mutex_lock(&s->lock);
	while (!s->done && result == 0)
		result = pthread_cond_timedwait(&s->changed, &s->lock, &until);
	done = s->done;
	pthread_mutex_unlock(&s->lock);
	return done;
}

void
carried_schemes_look(struct carried_schemes *schemes, const struct process *process, int patience_ms)
{
	struct search *s = schemes->search;
	pthread_t thread;

	if (schemes->odd.gave_up)
		return;
	s->process = *process;
	s->done = false;
	if (pthread_create(&thread, NULL, search_run, s) != 0)
		return;
	if (wait_until_done(s, patience_ms)) {
		pthread_join(thread, NULL);
		schemes->known = s->count;
		schemes->odd = s->odd;
	} else {
		schemes->odd.gave_up = true;
		pthread_detach(thread);
	}
}

const struct carried_scheme *
carried_scheme(const struct carried_schemes *schemes, size_t number)
{
	return number < schemes->known ? &schemes->search->found[number] : NULL;
}

struct carried_oddities
carried_schemes_oddities(const struct carried_schemes *schemes)
{
	return schemes->odd;
}
