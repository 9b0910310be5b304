/* SPDX-License-Identifier: MIT
 * Schemes that are generated: of nothing, of one package, of packages below others, of modules; of owners; of other
 * tools' files and back. Each can be read as a scheme. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "group/owner_generator.h"
#include "group/scheme_generator.h"
#include "group/tag_files.h"

static struct stk_error err;
static unsigned remarked;

static void
count_remark(void *context, enum remark_weight weight, struct stk_text file, unsigned long line, const char *text)
{
	(void)context;
	(void)weight;
	(void)file;
	(void)line;
	(void)text;
	remarked++;
}

static const struct remarks remarks = { count_remark, NULL };

/* --- a model of a few frames, each a stack --- */

struct bytes { char *at; size_t count, room, read; };

static int
write_bytes(void *context, const void *from, size_t size, struct stk_error *unused)
{
	struct bytes *b = context;

	(void)unused;
	array_reserve(b, size);
	memcpy(b->at + b->count, from, size);
	b->count += size;
	return 0;
}

static long
read_bytes(void *context, void *to, size_t size, struct stk_error *unused)
{
	struct bytes *b = context;

	(void)unused;
	size = size < b->count - b->read ? size : b->count - b->read;
	memcpy(to, b->at + b->read, size);
	b->read += size;
	return (long)size;
}

struct line { const char *function, *module, *file; };

static void
add_row(struct stk_writer *writer, enum stk_kind kind, const void *row)
{
	if (stk_writer_add(writer, kind, row, &err) < 0)
		abort();
}

/* Stack n is frame n alone. */
static struct model *
model_of(const struct line *lines, size_t count)
{
	struct bytes bytes = { 0 };
	struct stk_writer_options writing = { .write = write_bytes, .context = &bytes, .level = 1 };
	struct stk_reader_options reading = { .read = read_bytes, .context = &bytes };
	struct stk_writer *writer;
	struct stk_reader *reader;
	struct stk_block block;
	struct model *model;

	if (stk_writer_open(&writer, &writing, &err) < 0)
		abort();
	for (size_t i = 0; i < count; i++) {
		struct stk_string texts[3] = { { text_from(lines[i].function) }, { text_from(lines[i].module) },
			{ text_from(lines[i].file) } };
		struct stk_frame frame = { .function = 3 * i + 1, .module = 3 * i + 2, .file = 3 * i + 3,
			.form = STK_FORM_JAVA };
		struct stk_stack stack = { .frame = i + 1 };

		for (int t = 0; t < 3; t++)
			add_row(writer, STK_STRING, &texts[t]);
		add_row(writer, STK_FRAME, &frame);
		add_row(writer, STK_STACK, &stack);
	}
	if (stk_writer_close(writer, true, &err) < 0 || stk_reader_open(&reader, &reading, &err) < 0 ||
	    model_open(&model) < 0)
		abort();
	while (stk_reader_next(reader, &block, &err) > 0)
		if (model_take(model, reader, &block, &err) < 0)
			abort();
	stk_reader_close(reader);
	free(bytes.at);
	return model;
}

/* The paths of the groups of a scheme, with blanks between, or why it is none. */
static const char *
paths_of(struct text_buffer *yaml)
{
	static char paths[500];
	struct scheme *scheme;

	*paths = '\0';
	if (scheme_read_text(&scheme, "made.yaml", text_in(yaml, 0), NULL, NULL, &err) < 0) {
		(void)snprintf(paths, sizeof paths, "(%s)", err.text);
		stk_error_clear(&err);
		return paths;
	}
	for (size_t g = 0; g < scheme->groups.count; g++) {
		struct stk_text path = scheme->groups.at[g].path;

		(void)snprintf(paths + strlen(paths), sizeof paths - strlen(paths), "%s%.*s", g > 0 ? " " : "",
			       (int)path.size, path.data);
	}
	scheme_close(scheme);
	return paths;
}

static const char *
generated(enum generated_groups of, const struct line *lines, size_t count, const char *update)
{
	struct model *model = model_of(lines, count);
	static const struct scheme_folders nowhere;
	struct scheme_generator *generator;
	struct text_buffer yaml = { 0 };
	struct scheme_update *known = NULL;
	const char *paths;

	scheme_generator_open(&generator, of);
	for (size_t i = 0; i < count; i++)
		scheme_generator_add(generator, model, i + 1, 1);
	if ((update != NULL && scheme_update_open(&known, update, &nowhere, &err) < 0) ||
	    scheme_generator_print(generator, known, &yaml, &err) < 0) {
		stk_error_clear(&err);
		paths = "(failed)";
	} else {
		if (known != NULL)
			scheme_update_print(known, &yaml);
		paths = paths_of(&yaml);
	}
	scheme_update_close(known);
	array_release(&yaml);
	scheme_generator_close(generator);
	model_close(model);
	return paths;
}

static void
write_file(const char *name, const char *text, char path[400])
{
	FILE *file;

	(void)snprintf(path, 400, "%s/%s", tap_directory, name);
	file = fopen(path, "w");
	(void)fwrite(text, 1, strlen(text), file);
	fclose(file);
}

static void
test_packages(void)
{
	static const struct line one[] = { { "com.acme.Page.show", "shop.jar", "Page.java" } };
	static const struct line three[] = {
		{ "com.acme.web.Page.show", "", "Page.java" }, { "com.acme.Main.main", "", "Main.java" },
			{ "com.acmes.Other.run", "", "Other.java" }
	};
	static const struct line none[] = { { "main", "", "" }, { "Page.show", "[vdso]", "" },
		{ "a/b.c.D.e", "", "" } };
	static const struct line modules[] = { { "f", "/lib/libc.so.6", "" }, { "g", "/usr/lib/libc.so.6", "" },
		{ "h", "[kernel]", "" } };
	char path[400];

	is_text(generated(GENERATE_PACKAGES, one, 1, NULL), "com.acme", "one frame: its package");
	is_text(generated(GENERATE_PACKAGES, three, 2, NULL), "com.acme com.acme/com.acme.web",
		"two: one below the other");
	is_text(generated(GENERATE_PACKAGES, three, 3, NULL), "com.acme com.acme/com.acme.web com.acmes",
		"a name that only begins alike stands beside it");
	is_text(generated(GENERATE_MODULES, modules, 3, NULL), "libc.so.6",
		"modules by their names without folders; what is in brackets is none");
	ok(strstr(generated(GENERATE_PACKAGES, none, 3, NULL), "com") == NULL,
	   "frames without a package make no group");
	write_file("old.yaml", "scheme: old\ngroups:\n  - name: com.acme\n    members: [x]\n", path);
	is_text(generated(GENERATE_PACKAGES, three, 3, path), "com.acme com.acme.web com.acmes",
		"a scheme that is there gets only what it has not");
	write_file("other.yaml", "groups:\n  - name: a\n    members: [x]\nscheme: old\n", path);
	is_text(generated(GENERATE_PACKAGES, three, 3, path), "a com.acme com.acme.web com.acmes",
		"new groups come to the old ones, whatever follows these");
	write_file("renamed.yaml", "groups:\n- name: ours\n  members: [com.acme.*]\n", path);
	is_text(generated(GENERATE_PACKAGES, three, 3, path), "ours com.acme.web com.acmes",
		"a pattern that a group of another name has is known");
	write_file("flow.yaml", "groups: [{ name: a, members: [x] }]\n", path);
	is_text(generated(GENERATE_PACKAGES, three, 3, path), "(failed)",
		"a list to which no lines can be added is refused");
}

static void
test_owners(void)
{
	static const struct line lines[] = {
		{ "com.acme.web.Page.show", "", "Page.java" }, { "com.acme.Main.main", "", "Main.java" },
			{ "java.lang.Thread.run", "", "Thread.java" }
	};
	struct model *model = model_of(lines, 3);
	struct owner_generator *generator;
	struct file_history *history;
	struct text_buffer yaml = { 0 };
	size_t owned = 99;
	char path[400];

	owner_generator_open(&generator);
	is_u64(owner_generator_files(generator), 0, "no stack, no file");
	for (uint64_t stack = 1; stack <= 3; stack++) {
		owner_generator_add(generator, model, stack);
		owner_generator_add(generator, model, stack);
	}
	is_u64(owner_generator_files(generator), 3, "each file is noted once");
	write_file("CODEOWNERS", "# who\n* @all\n/src/com/acme/web/ @web\nMain.java\n", path);
	ok(owner_generator_print_codeowners(generator, path, "src", NULL, &yaml, &owned, &err) == 0 && owned == 2,
	   "CODEOWNERS: a file without an owner is nobody's");
	is_text(paths_of(&yaml), "@all @web", "the last rule that matches decides");
	ok(owner_generator_print_codeowners(generator, "/nonexistent/x", "", NULL, &yaml, &owned, &err) < 0,
	   "a file that is not there is an error");
	stk_error_clear(&err);

	yaml.count = 0;
	file_history_open(&history);
	ok(owner_generator_print_history(generator, history, "", NULL, &yaml, &owned, &err) == 0, "an empty history");
	is_u64(owned, 0, "no history, no owner");
	static const char *const log[] = {
		"a file before any commit", "", "\1ann@one.org", "", "src/com/acme/Main.java",
			"src/com/acme/web/Page.java", "\1bob@two.org", "src/com/acme/Main.java",
		"\1bob@two.org", "other/Main.java", "src/com/acme/web/Page.java", "src/com/acme/web/Page.java",
			"\1nobody", "xcom/acme/Main.java"
	};
	for (size_t i = 0; i < sizeof log / sizeof *log; i++)
		file_history_line(history, text_from(log[i]));
	yaml.count = 0;
	ok(owner_generator_print_history(generator, history, "src", NULL, &yaml, &owned, &err) == 0, "a history");
	is_u64(owned, 2, "files with a history");
	is_text(paths_of(&yaml), "one.org two.org", "who changed a file most often; of equals the latest");
	ok(file_history_team(history, text_from("ava/Main.java")).size == 0, "a path matches at whole names only");
	file_history_close(history);
	array_release(&yaml);
	owner_generator_close(generator);
	model_close(model);
}

static const char *
imported(enum tag_form form, const char *text)
{
	struct text_buffer yaml = { 0 };
	const char *paths;

	remarked = 0;
	if (tag_text_import(form, "x", text_from(text), &yaml, &remarks, &err) < 0) {
		array_release(&yaml);
		stk_error_clear(&err);
		return "(failed)";
	}
	paths = paths_of(&yaml);
	array_release(&yaml);
	return paths;
}

static void
test_tags(void)
{
	is_text(imported(TAG_FORM_CATEGORIES, "a=x.*\nb.c=y.z,y.w"), "a b.c",
		"a line a category, with a newline at the end or not");
	is_u64(remarked, 0, "and nothing to say of them");
	is_text(imported(TAG_FORM_CATEGORIES, "# no\n! no\n\n  \r\na=x\r\nnone\n=y\n"), "a",
		"comments and empty lines are left out");
	is_u64(remarked, 2, "what is no category is remarked");
	(void)imported(TAG_FORM_CATEGORIES, "a=!x\nb=/+x\nc=/^x\n");
	is_u64(remarked, 3, "signs that are not read are remarked");
	ok(tag_form_of_path("a.stacktags") == TAG_FORM_STACKTAGS &&
	   tag_form_of_path("A.STACKTAGS") == TAG_FORM_STACKTAGS &&
		tag_form_of_path(".stacktags") == TAG_FORM_CATEGORIES &&
	   tag_form_of_path("a.ctz") == TAG_FORM_CATEGORIES && tag_form_of_path("") == TAG_FORM_CATEGORIES,
		"the end of a name is the form");
#ifdef HAVE_EXPAT
	is_text(imported(TAG_FORM_STACKTAGS,
			 "<Tag Name=\"\"><Tag Name=\"a/b\"><Entrypoint Method=\"f*\"/><Tag Name=\"c\"><Entrypoint "
			 "Module=\"m\"/></Tag></Tag></Tag>"),
		"a_b a_b/c", "tags are groups, those in them their children");
	is_u64(remarked, 1, "and that a name has changed is said");
	is_text(imported(TAG_FORM_STACKTAGS,
			 "<Tag Name=\"a\"><Tag Name=\"b\"/><Tag Name=\"b\"><Entrypoint Method=\"f\"/></Tag>"
			 "<Tag Name=\"b 2\"/></Tag>"),
		"a a/b a/b 2 a/b 2 2", "tags of one name have other names here");
	is_u64(remarked, 2, "and that is said");
	(void)imported(TAG_FORM_STACKTAGS,
		       "<Tag><Tag Name=\"a\"><Tag Name=\"b\"><Entrypoint Method=\"f\"/></Tag><Entrypoint "
		       "Method=\"g\"/></Tag><Odd/></Tag>");
	is_u64(remarked, 2, "an entry point after tags, and an unknown element, are remarked");
	is_text(imported(TAG_FORM_STACKTAGS, "<Tag><Tag></Tag><Entrypoint/></Tag>"), "(failed)",
		"an entry point outside a tag is wrong");
	is_text(imported(TAG_FORM_STACKTAGS, "<Tag Name=\"a\">"), "(failed)", "and so is a tag that does not end");
	is_text(imported(TAG_FORM_STACKTAGS, ""), "(failed)", "and an empty file");
#endif
}

static void
test_export(void)
{
	static const char yaml[] =
		"groups:\n"
		"  - { name: a, members: [ 'x.*', { caller: y, method: z } ], children: [ { name: b, members: [ "
		"'/re/', 'p.**' ] } ] }\n";
	struct text_buffer out = { 0 };
	struct scheme *scheme;

	if (scheme_read_text(&scheme, "s.yaml", text_from(yaml), NULL, NULL, &err) < 0) {
		ok(false, "%s", err.text);
		return;
	}
	remarked = 0;
	is_u64(tag_file_export(scheme, TAG_FORM_CATEGORIES, &out, &remarks), 2,
	       "members that a form cannot say are counted");
	is_u64(remarked, 2, "... and remarked");
	is_bytes(out.at, out.count, "a=x.*\na.b=p.*\n", 14, "the others are lines");
	is_u64(tag_file_export(scheme, TAG_FORM_STACKTAGS, &out, NULL), 2, "nobody need hear of them");
	scheme_close(scheme);
	array_release(&out);
}

int
main(void)
{
	scratch();
	test_packages();
	test_owners();
	test_tags();
	test_export();
	return tap_end();
}
