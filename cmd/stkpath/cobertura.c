/* SPDX-License-Identifier: MIT
 * cobertura: a package is a folder, a class is a file, and a method is a function. */
#include "cobertura.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

struct shares { size_t lines, hit, branches, taken; };

/* --- XML --- */

static void
add_xml(struct text_buffer *to, struct stk_text text)
{
	struct text_buffer plain = { 0 };

	add_masked(&plain, text);		/* control characters are not allowed in XML */
	for (size_t i = 0; i < plain.count; i++)
		switch (plain.at[i]) {
		case '&':  add_string(to, "&amp;"); break;
		case '<':  add_string(to, "&lt;"); break;
		case '>':  add_string(to, "&gt;"); break;
		case '"':  add_string(to, "&quot;"); break;
		default:   add_char(to, plain.at[i]); break;
		}
	array_release(&plain);
}

static void
add_attribute(struct text_buffer *to, const char *name, struct stk_text value)
{
	add_format(to, " %s=\"", name);
	add_xml(to, value);
	add_char(to, '"');
}

/* Of nothing, all was taken. */
static double
share(size_t part, size_t all)
{
	return all > 0 ? (double)part / (double)all : 1;
}

static void
add_rates(struct text_buffer *to, const struct shares *s)
{
	add_format(to, " line-rate=\"%.4f\" branch-rate=\"%.4f\"", share(s->hit, s->lines),
		   share(s->taken, s->branches));
}

/* --- sums --- */

static void
add_shares(struct shares *to, const struct exported *functions, size_t count)
{
	line_list lines = { 0 };

	exported_lines(&lines, functions, count);
	for (size_t i = 0; i < lines.count; i++) {
		to->lines++;
		to->hit += lines.at[i].count > 0;
		to->branches += lines.at[i].branches;
		to->taken += lines.at[i].taken;
	}
	array_release(&lines);
}

/* Lines are of files: those of a file together, then the next. */
static struct shares
shares_of(const struct exported *functions, size_t count)
{
	struct shares shares = { 0 };

	for (size_t same; count > 0; functions += same, count -= same) {
		same = exported_of_one_file(functions, count);
		add_shares(&shares, functions, same);
	}
	return shares;
}

static bool
is_within(struct stk_text file, struct stk_text folder)
{
	return folder.size == 0 || (file.size > folder.size && file.data[folder.size] == '/' &&
				    memcmp(file.data, folder.data, folder.size) == 0);
}

/* The folder that has all files in it: tools find sources from there. */
static struct stk_text
root_of(const struct exported *functions, size_t count)
{
	struct stk_text root = { "", 0 };

	for (size_t i = 0; i < count; i++) {
		root = i == 0 ? covered_folder(functions[0].file) : root;
		while (!is_within(functions[i].file, root))
			root = covered_folder(root);
	}
	return root;
}

static struct stk_text
from_root(struct stk_text name, struct stk_text root)
{
	size_t skipped = root.size + (name.size > root.size && name.data[root.size] == '/');

	return text_of(name.data + skipped, name.size - skipped);
}

/* Files of a folder need not follow one another: those of its folders are between "a/b.c" and "a/z.c". */
static int
compare_by_folder(const void *a, const void *b)
{
	const struct exported *x = *(const struct exported *const *)a, *y = *(const struct exported *const *)b;
	int order = text_compare(covered_folder(x->file), covered_folder(y->file));

	return order != 0 ? order : (x > y) - (x < y);
}

/* --- output --- */

static void
add_line_elements(struct text_buffer *to, const struct exported *functions, size_t count, const char *indent)
{
	line_list lines = { 0 };

	exported_lines(&lines, functions, count);
	add_format(to, "%s<lines>\n", indent);
	for (size_t i = 0; i < lines.count; i++) {
		const struct line *line = &lines.at[i];

		add_format(to, "%s <line number=\"%u\" hits=\"%llu\"", indent, line->number,
			   (unsigned long long)line->count);
		if (line->branches > 0)
			add_format(to, " branch=\"true\" condition-coverage=\"%zu%% (%zu/%zu)\"",
				   100 * line->taken / line->branches, line->taken, line->branches);
		add_string(to, line->branches > 0 ? "/>\n" : " branch=\"false\"/>\n");
	}
	add_format(to, "%s</lines>\n", indent);
	array_release(&lines);
}

static void
add_method(struct text_buffer *to, const struct exported *function)
{
	const struct flow_graph *g = function->covered->graph;
	struct shares shares = shares_of(function, 1);

	add_string(to, "      <method");
	add_attribute(to, "name", function->function);
	add_string(to, " signature=\"\"");
	add_rates(to, &shares);
	add_format(to, " complexity=\"%zu\">\n", g->edges.count + 2 - g->blocks.count);
	add_line_elements(to, function, 1, "       ");
	add_string(to, "      </method>\n");
}

static void
add_class(struct text_buffer *to, const struct exported *functions, size_t count, struct stk_text root)
{
	struct shares shares = shares_of(functions, count);
	struct stk_text file = functions->file;

	add_string(to, "    <class");
	add_attribute(to, "name", from_root(file, covered_folder(file)));
	add_attribute(to, "filename", from_root(file, root));
	add_rates(to, &shares);
	add_string(to, " complexity=\"0\">\n     <methods>\n");
	for (size_t i = 0; i < count; i++)
		add_method(to, &functions[i]);
	add_string(to, "     </methods>\n");
	add_line_elements(to, functions, count, "     ");
	add_string(to, "    </class>\n");
}

static int
write_package(struct printer *printer, const struct exported *functions, size_t count, struct stk_text root,
	      struct stk_error *err)
{
	struct text_buffer *to = &printer->text;
	struct stk_text folder = from_root(covered_folder(functions->file), root);
	struct shares shares = shares_of(functions, count);

	add_string(to, "  <package");
	add_attribute(to, "name", folder.size > 0 ? folder : text_from("."));
	add_rates(to, &shares);
	add_string(to, " complexity=\"0\">\n   <classes>\n");
	for (size_t same; count > 0; functions += same, count -= same) {
		same = exported_of_one_file(functions, count);
		add_class(to, functions, same, root);
		if (printer_settle(printer, false, err) < 0)
			return -1;
	}
	add_string(to, "   </classes>\n  </package>\n");
	return 0;
}

static void
add_head(struct text_buffer *to, const struct exported *all, size_t count, struct stk_text root, int64_t time_ns)
{
	struct shares shares = shares_of(all, count);

	add_string(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		       "<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage");
	add_rates(to, &shares);
	add_format(to, " lines-covered=\"%zu\" lines-valid=\"%zu\" branches-covered=\"%zu\" branches-valid=\"%zu\"",
		   shares.hit, shares.lines, shares.taken, shares.branches);
	add_format(to, " complexity=\"0\" version=\"stkpath\" timestamp=\"%lld\">\n", (long long)(time_ns / 1000000));
	add_string(to, " <sources>\n  <source>");
	add_xml(to, root.size > 0 ? root : text_from(count > 0 && *all->file.data == '/' ? "/" : "."));
	add_string(to, "</source>\n </sources>\n <packages>\n");
}

/* A copy by folder; the counts remain those of the functions. */
static struct exported *
by_folder(const struct exported_functions *functions)
{
	size_t count = functions->list.count;
	const struct exported **order = mem_new(count + 1, sizeof *order);
	struct exported *sorted = mem_new(count + 1, sizeof *sorted);

	for (size_t i = 0; i < count; i++)
		order[i] = &functions->list.at[i];
	qsort(order, count, sizeof *order, compare_by_folder);
	for (size_t i = 0; i < count; i++)
		sorted[i] = *order[i];
	free(order);
	return sorted;
}

int
cobertura_write(struct printer *to, const struct exported_functions *functions, struct stk_error *err)
{
	struct exported *all = by_folder(functions);
	size_t count = functions->list.count, same;
	struct stk_text root = root_of(all, count);
	int result = 0;

	add_head(&to->text, all, count, root, functions->latest_ns);
	for (size_t from = 0; from < count && result == 0; from += same) {
		for (same = 1; from + same < count &&
			       text_equal(covered_folder(all[from + same].file), covered_folder(all[from].file)); )
			same++;
		result = write_package(to, &all[from], same, root, err);
	}
	add_string(&to->text, " </packages>\n</coverage>\n");
	free(all);
	return result == 0 ? printer_settle(to, true, err) : -1;
}
