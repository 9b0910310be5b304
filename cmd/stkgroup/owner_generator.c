/* SPDX-License-Identifier: MIT
 * owner_generator: files of frames, each given to an owner; groups of files by owner. */
#include "owner_generator.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "program/program.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A file, as a path; and what a scheme says of its frames. */
struct source_file { struct stk_text path, file, package; };

struct owner_generator {
	struct text_table known;		/* paths */
	struct text_table texts;
	ARRAY(struct source_file) files;
};

void
owner_generator_open(struct owner_generator **out)
{
	*out = mem_new(1, sizeof **out);
}

void
owner_generator_close(struct owner_generator *g)
{
	if (g == NULL)
		return;
	text_table_release(&g->known);
	text_table_release(&g->texts);
	array_release(&g->files);
	free(g);
}

static struct stk_text
keep(struct owner_generator *g, struct stk_text text)
{
	return text_table_text(&g->texts, text_table_number(&g->texts, text));
}

/* The package of a Java function: all before class and method. */
static struct stk_text
package_of(struct stk_text function)
{
	const char *dot = function.size == 0 ? NULL : memrchr(function.data, '.', function.size);
	const char *class = dot == NULL || dot == function.data ? NULL : memrchr(function.data, '.', (size_t)(dot - function.data));

	return class == NULL ? text_of("", 0) : text_of(function.data, (size_t)(class - function.data));
}

void
owner_generator_add(struct owner_generator *g, const struct model *model, uint64_t stack)
{
	struct text_buffer path = { 0 };

	for (uint64_t at = stack; at != 0; ) {
		struct stk_stack row = model_stack(model, at);
		struct stk_frame frame = model_frame(model, row.frame);
		struct stk_text file = model_string(model, frame.file), package = text_of("", 0);
		uint32_t before = (uint32_t)g->known.texts.count;

		at = row.parent < at ? row.parent : 0;
		if (file.size == 0)
			continue;
		path.count = 0;
		if (frame.form == STK_FORM_JAVA) {
			package = package_of(model_string(model, frame.function));
			for (size_t i = 0; i < package.size; i++)
				add_char(&path, package.data[i] == '.' ? '/' : package.data[i]);
			if (package.size > 0)
				add_char(&path, '/');
		}
		add_text(&path, file);
		if (text_table_number(&g->known, text_in(&path, 0)) > before)
			*array_push(&g->files) = (struct source_file){ keep(g, text_in(&path, 0)), keep(g, file), keep(g, package) };
	}
	array_release(&path);
}

/* --- printing --- */

static void
add_quoted(struct text_buffer *to, struct stk_text text)
{
	add_char(to, '\'');
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] == '\'')
			add_char(to, '\'');
		if (text.data[i] == '{' || text.data[i] == '\\')
			add_char(to, '\\');
		add_char(to, text.data[i]);
	}
	add_char(to, '\'');
}

struct owned { struct stk_text owner; const struct source_file *file; };

static int
compare_texts(struct stk_text x, struct stk_text y)
{
	int order = memcmp(x.data, y.data, x.size < y.size ? x.size : y.size);

	return order != 0 ? order : (x.size > y.size) - (x.size < y.size);
}

static int
compare_owned(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;
	int order = compare_texts(x->owner, y->owner);

	return order != 0 ? order : compare_texts(x->file->path, y->file->path);
}

/* A group an owner; a member a file. */
static void
print_owned(struct owned *owned, size_t count, const char *what, struct text_buffer *to)
{
	if (count > 0)
		qsort(owned, count, sizeof *owned, compare_owned);
	add_format(to, "scheme: owners\ndescription: whose code it is, %s\nsiblings:\n", what);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || !text_equal(owned[i].owner, owned[i - 1].owner)) {
			struct text_buffer name = { 0 };

			for (size_t c = 0; c < owned[i].owner.size; c++)
				add_char(&name, owned[i].owner.data[c] == '/' || (c == 0 && owned[i].owner.data[c] == '(') ? '-' : owned[i].owner.data[c]);
			add_string(to, "  - name: "), add_quoted(to, text_in(&name, 0)), add_string(to, "\n    members:\n");
			array_release(&name);
		}
		add_string(to, "      - { file: "), add_quoted(to, owned[i].file->file);
		if (owned[i].file->package.size > 0) {
			struct text_buffer pattern = { 0 };

			add_text(&pattern, owned[i].file->package), add_string(&pattern, ".*");
			add_string(to, ", method: "), add_quoted(to, text_in(&pattern, 0));
			array_release(&pattern);
		}
		add_string(to, " }\n");
	}
}

/* The file's path in the repository: below the root when it is one of a package. */
static char *
path_of(const struct source_file *file, const char *root)
{
	size_t size = strlen(root) + file->path.size + 2;
	char *path = mem_new(size, 1);

	(void)snprintf(path, size, "%s%s%.*s", file->package.size > 0 ? root : "", file->package.size > 0 && *root != '\0' && root[strlen(root) - 1] != '/' ? "/" : "", (int)file->path.size, file->path.data);
	return path;
}

/* --- CODEOWNERS --- */

struct rule { char *pattern; struct stk_text owner; };

/* As gitignore has it: a slash before the end anchors to the top, one at the end means all below; a path that is absolute may have any beginning. */
static bool
rule_matches(const char *pattern, const char *path)
{
	char anchored[1024];
	size_t size = strlen(pattern);
	bool folder = size > 0 && pattern[size - 1] == '/';
	bool top = *pattern == '/' || (strchr(pattern, '/') != NULL && strchr(pattern, '/') != pattern + size - 1);

	while (*path == '/' && !top)
		path++;
	if (snprintf(anchored, sizeof anchored, "%s%s%s", top ? "" : "*/", *pattern == '/' ? pattern + 1 : pattern, folder ? "*" : "") >= (int)sizeof anchored)
		return false;
	if (fnmatch(anchored, path, top && strstr(pattern, "**") == NULL && !folder ? FNM_PATHNAME : 0) == 0 || (!top && fnmatch(anchored + 2, path, 0) == 0))
		return true;
	if (*path == '/' && fnmatch(anchored, path + 1, 0) == 0)
		return true;
	if (folder || snprintf(anchored, sizeof anchored, "%s%s/*", top ? "" : "*/", *pattern == '/' ? pattern + 1 : pattern) >= (int)sizeof anchored)
		return false;
	return fnmatch(anchored, path, 0) == 0 || (!top && fnmatch(anchored + 2, path, 0) == 0);		/* a folder without its slash */
}

int
owner_generator_print_codeowners(struct owner_generator *g, const char *path, const char *root, struct text_buffer *to, struct stk_error *err)
{
	FILE *file = fopen(path, "r");
	ARRAY(struct rule) rules = { 0 };
	ARRAY(struct owned) owned = { 0 };
	char *line = NULL;
	size_t room = 0;
	int result = 0;

	if (file == NULL)
		return stk_fail_errno(err, "cannot open %s", path);
	while (getline(&line, &room, file) >= 0) {
		char *rest = line, *pattern = strsep(&rest, " \t\n"), *owner = NULL;

		while (rest != NULL && (owner = strsep(&rest, " \t\n")) != NULL && *owner == '\0')
			;
		if (*pattern == '\0' || *pattern == '#' || *pattern == '[')
			continue;
		*array_push(&rules) = (struct rule){ strdup(pattern), owner == NULL || *owner == '\0' ? text_of("", 0) : keep(g, text_from(owner)) };
	}
	if (ferror(file))
		result = stk_fail_errno(err, "cannot read %s", path);
	for (size_t f = 0; result == 0 && f < g->files.count; f++) {
		char *full = path_of(&g->files.at[f], root);

		for (size_t r = rules.count; r-- > 0; ) {		/* the last that matches */
			if (!rule_matches(rules.at[r].pattern, full))
				continue;
			if (rules.at[r].owner.size > 0 && rules.at[r].owner.data[0] != '#')
				*array_push(&owned) = (struct owned){ rules.at[r].owner, &g->files.at[f] };
			break;
		}
		free(full);
	}
	if (result == 0) {
		print_owned(owned.at, owned.count, "as CODEOWNERS says", to);
		program_say("%zu of %zu source files have an owner", owned.count, g->files.count);
	}
	for (size_t r = 0; r < rules.count; r++)
		free(rules.at[r].pattern);
	array_release(&rules);
	array_release(&owned);
	free(line);
	fclose(file);
	return result;
}

/* --- git --- */

struct change { uint32_t path, team, count, last; };	/* last: the younger the smaller */

struct history { struct text_table paths, teams; struct hash_map map; ARRAY(struct change) changes; };

static void
note_change(struct history *h, struct stk_text path, uint32_t team, uint32_t when)
{
	uint32_t number = text_table_number(&h->paths, path), at, known;
	uint64_t hash = hash_pair(number, team);

	at = hash_map_start(&h->map, hash);
	while ((known = hash_map_next(&h->map, hash, &at)) != 0)
		if (h->changes.at[known - 1].path == number && h->changes.at[known - 1].team == team) {
			h->changes.at[known - 1].count++;
			return;
		}
	*array_push(&h->changes) = (struct change){ number, team, 1, when };
	hash_map_put(&h->map, hash, (uint32_t)h->changes.count);
}

/* The whole history at once: for each commit its author, then the files it changed. */
static int
read_history(struct history *h, const char *repository, struct stk_error *err)
{
	int ends[2], status = 0;
	pid_t child;
	FILE *from;
	char *line = NULL;
	size_t room = 0;
	uint32_t team = 0, when = 0;

	if (pipe(ends) < 0 || (child = fork()) < 0)
		return stk_fail_errno(err, "cannot run git");
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]), close(ends[1]);
		execlp("git", "git", "-C", repository, "log", "--use-mailmap", "--no-merges", "--name-only", "--format=%x01%aE", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	from = fdopen(ends[0], "r");
	while (from != NULL && getline(&line, &room, from) >= 0) {
		size_t size = strcspn(line, "\n");
		const char *sign = memchr(line, '@', size);

		if (line[0] == '\1') {
			team = text_table_number(&h->teams, sign == NULL ? text_of(line + 1, size - 1) : text_of(sign + 1, (size_t)(line + size - sign - 1)));
			when++;
		} else if (size > 0 && team != 0) {
			note_change(h, text_of(line, size), team, when);
		}
	}
	free(line);
	if (from != NULL)
		fclose(from);
	if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return stk_fail(err, STK_EUSAGE, "--repository: git log in %s failed: expected a folder of a git repository, and git", repository);
	return 0;
}

/* Who changed the file that a path ends with. */
static uint32_t
team_of(const struct history *h, const char *path)
{
	const struct change *best = NULL;
	size_t size = strlen(path);

	for (size_t i = 0; i < h->changes.count; i++) {
		const struct change *c = &h->changes.at[i];
		struct stk_text known = text_table_text(&h->paths, c->path);

		if (known.size < size || memcmp(known.data + known.size - size, path, size) != 0 || (known.size > size && known.data[known.size - size - 1] != '/'))
			continue;
		if (best == NULL || c->count > best->count || (c->count == best->count && c->last < best->last))
			best = c;
	}
	return best == NULL ? 0 : best->team;
}

int
owner_generator_print_git(struct owner_generator *g, const char *repository, const char *root, struct text_buffer *to, struct stk_error *err)
{
	struct history h = { 0 };
	ARRAY(struct owned) owned = { 0 };
	int result = read_history(&h, repository, err);

	for (size_t f = 0; f < g->files.count && result == 0; f++) {
		char *path = path_of(&g->files.at[f], root);
		uint32_t team = team_of(&h, path);

		if (team != 0)
			*array_push(&owned) = (struct owned){ text_table_text(&h.teams, team), &g->files.at[f] };
		free(path);
	}
	if (result == 0) {
		print_owned(owned.at, owned.count, "as the history shows", to);
		program_say("%zu of %zu source files have a history", owned.count, g->files.count);
	}
	text_table_release(&h.paths);
	text_table_release(&h.teams);
	hash_map_release(&h.map);
	array_release(&h.changes);
	array_release(&owned);
	return result;
}
