/* SPDX-License-Identifier: MIT
 * code_owners: which rule decides, for each form of a pattern that CODEOWNERS has; and what is below a folder. */
#include "../lib/tap.h"

#include "group/code_owners.h"

#include "base/bytes.h"

static const char rules[] = "# comments, empty lines and headings of sections are no rules\n\n[Section]\n"
			    "*       @all @others\n"
			    "*.js    @js\n"
			    "/build/ @build\n"
			    "docs/*  docs@example.org\n"
			    "apps/   @apps\n"
			    "/scripts @scripts\n"
			    "**/logs @logs\n"
			    "/apps/github # nobody\n";

static const struct { const char *path, *owner, *what; } cases[] = {
	{ "main.c", "@all", "any file; the first owner" },
	{ "deep/er/x.js", "@js", "a later rule decides" },
	{ "build/x.js", "@build", "a folder at the top" },
	{ "sub/build/x.c", "@all", "... is not one below" },
	{ "docs/a.md", "docs@example.org", "what is directly in a folder" },
	{ "docs/deep/a.md", "@all", "... not in folders of it" },
	{ "x/apps/y/z.c", "@apps", "a folder anywhere" },
	{ "scripts/deep/run", "@scripts", "a folder without its slash" },
	{ "x/logs/y", "@logs", "a folder anywhere, with asterisks" },
	{ "apps/github/x.c", "", "a rule without an owner" },
};

static void
write_rules(void)
{
	FILE *file = fopen("CODEOWNERS", "w");

	(void)fputs(rules, file);
	fclose(file);
}

static const char *
below(const char *path, const char *folder)
{
	const char *part = path_below(path, folder);

	return part != NULL ? part : "(elsewhere)";
}

int
main(void)
{
	struct code_owners *owners;
	struct stk_error err = { 0 };
	char owner[40];

	scratch();
	write_rules();
	if (code_owners_open(&owners, "CODEOWNERS", &err) < 0)
		return 99;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct stk_text found = code_owners_of(owners, cases[i].path);

		(void)snprintf(owner, sizeof owner, "%.*s", (int)found.size, found.data);
		is_text(owner, cases[i].owner, cases[i].what);
	}
	code_owners_close(owners);
	ok(code_owners_open(&owners, ".", &err) < 0 && owners == NULL, "a folder is no such file");
	is_text(below("/a/shop/x/y.c", "/a/shop"), "x/y.c", "a file below a folder");
	is_text(below("/a/shop/x/y.c", "/a/shop//"), "x/y.c", "... whose name ends with slashes");
	is_text(below("/a/shopping/y.c", "/a/shop"), "(elsewhere)", "one whose name only begins so is another");
	is_text(below("/x.c", "/"), "x.c", "all is below the root");
	return tap_end();
}
