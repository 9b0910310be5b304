/* SPDX-License-Identifier: MIT
 * generation: the generator that --generate names. */
#include "generation.h"
#include "git_log.h"

#include "base/memory.h"
#include "group/owner_generator.h"
#include "group/scheme_generator.h"
#include "group/segment_generator.h"
#include "program/program.h"
#include "program/scheme_places.h"

#include <stdlib.h>
#include <string.h>

struct generation {			/* one of the generators is open */
	const struct settings *settings;
	struct scheme_generator *scheme;
	struct segment_generator *segments;
	struct owner_generator *owners;
	struct scheme_update *update;	/* of an existing scheme; or NULL */
	uint64_t taken;			/* blocks and samples */
	bool last;			/* the scheme is the last one: how good it is is reported */
};

static bool
is_asked(const struct generation *g, const char *what)
{
	return strcmp(g->settings->subject, what) == 0;
}

void
generation_open(struct generation **out, const struct settings *settings)
{
	struct generation *g = *out = mem_new(1, sizeof *g);

	g->settings = settings;
	if (is_asked(g, "owners") || is_asked(g, "git"))
		owner_generator_open(&g->owners);
	else if (is_asked(g, "segments"))
		segment_generator_open(&g->segments);
	else
		scheme_generator_open(&g->scheme, is_asked(g, "modules") ? GENERATE_MODULES : GENERATE_PACKAGES);
	if (settings->no_platform)
		scheme_generator_skip_platform(g->scheme);
}

void
generation_close(struct generation *g)
{
	if (g == NULL)
		return;
	scheme_generator_close(g->scheme);
	segment_generator_close(g->segments);
	owner_generator_close(g->owners);
	scheme_update_close(g->update);
	free(g);
}

int
generation_take(struct generation *g, const struct model *model, struct stk_reader *reader,
		const struct stk_block *block,
		struct stk_error *err)
{
	g->taken++;
	return g->segments == NULL ? 0 : segment_generator_take(g->segments, model, reader, block, err);
}

void
generation_add(struct generation *g, const struct model *model, uint64_t stack, uint64_t weight)
{
	g->taken++;
	if (g->scheme != NULL)
		scheme_generator_add(g->scheme, model, stack, weight);
	if (g->segments != NULL)
		segment_generator_count(g->segments, 1);
	if (g->owners != NULL)
		owner_generator_add(g->owners, model, stack);
}

static int
print_segments(struct generation *g, struct text_buffer *to, struct stk_error *err)
{
	unsigned printed;

	if (segment_generator_print(g->segments, g->settings->least > 0 ? g->settings->least : 1, g->update, to,
				    &printed, err) < 0)
		return -1;
	if (printed == 0 && g->last)
		program_warn("no segments in the input: expected the output of stkclass");
	return 0;
}

/* A path such as /home/me/shop/cart.go is not that of a file in a repository. */
static void
say_owned(const struct generation *g, size_t owned, const char *what)
{
	size_t absolute = owner_generator_absolute(g->owners);

	if (!g->last)
		return;
	program_say("%zu of %zu source files have %s", owned, owner_generator_files(g->owners), what);
	if (absolute > 0 && (g->settings->root == NULL || *g->settings->root != '/'))
		program_warn("%zu source files have absolute paths: which of them are of the repository is only known "
			     "with --root /DIR, the folder that it was built in", absolute);
}

static int
print_codeowners(struct generation *g, const char *root, struct text_buffer *to, struct stk_error *err)
{
	size_t owned;

	if (owner_generator_print_codeowners(g->owners, g->settings->owners, root, g->update, to, &owned, err) < 0)
		return -1;
	say_owned(g, owned, "an owner");
	return 0;
}

static int
print_history(struct generation *g, const char *root, struct text_buffer *to, struct stk_error *err)
{
	struct file_history *history;
	size_t owned;
	int result;

	file_history_open(&history);
	result = git_log_read(history, g->settings->repository == NULL ? "." : g->settings->repository, err);
	if (result == 0) {
		result = owner_generator_print_history(g->owners, history, root, g->update, to, &owned, err);
		say_owned(g, owned, "a history");
	}
	file_history_close(history);
	return result;
}

/* A scheme without groups is written as asked, but nothing reads it. */
static int
print_names(struct generation *g, struct text_buffer *to, struct stk_error *err)
{
	if (g->last && g->update == NULL && scheme_generator_names(g->scheme) == 0)
		program_warn("no %s in the samples%s: the scheme has no groups, and cannot be used", g->settings->subject,
			     g->settings->no_platform ? " outside of the Java platform" : "");
	return scheme_generator_print(g->scheme, g->update, to, err);
}

static int
print_new(struct generation *g, struct text_buffer *to, struct stk_error *err)
{
	const char *root = g->settings->root == NULL ? "" : g->settings->root;

	if (g->segments != NULL)
		return print_segments(g, to, err);
	if (g->scheme != NULL)
		return print_names(g, to, err);
	return is_asked(g, "owners") ? print_codeowners(g, root, to, err) : print_history(g, root, to, err);
}

uint64_t
generation_news(const struct generation *g)
{
	return g->segments != NULL ? g->taken		/* their shares change with every sample */
	       : g->owners != NULL ? owner_generator_files(g->owners)
				   : scheme_generator_names(g->scheme);
}

int
generation_print(struct generation *g, struct text_buffer *to, bool last, struct stk_error *err)
{
	g->last = last;
	scheme_update_close(g->update);
	g->update = NULL;
	if (g->settings->update != NULL &&
	    scheme_update_open(&g->update, g->settings->update, scheme_places(), err) < 0)
		return -1;
	if (print_new(g, to, err) < 0)
		return -1;
	if (g->update != NULL)
		scheme_update_print(g->update, to);
	return 0;
}
