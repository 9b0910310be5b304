/* SPDX-License-Identifier: MIT
 * plot_forms: the same choice for all pictures. */
#include "plot_forms.h"

#include "base/output.h"
#include "base/quantities.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

static bool
ends_with(const char *text, const char *end)
{
	size_t size = text == NULL ? 0 : strlen(text);

	return size >= strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

enum plot_form
plot_form(const struct filter *filter, bool still)
{
	const char *format = program_common.format;

	if (format != NULL)
		return strcmp(format, "html") == 0 ? FORM_HTML : strcmp(format, "svg") == 0 ? FORM_SVG : FORM_TERM;
	if (ends_with(program_common.output, ".svg") && still)
		return FORM_SVG;
	return output_is_terminal(filter->output) && still ? FORM_TERM : FORM_HTML;
}

void
plot_check_palette(void)
{
	if (program_given("palette") && program_common.color == COLOR_NEVER)
		program_usage("--palette has no effect without colours");
}

void
plot_check_form(const struct plot_settings *settings, enum plot_form form, const struct filter *filter,
		int least_pixels)
{
	static const char *const of_page[] = { "max-size", "text" };

	for (unsigned i = 0; i < sizeof of_page / sizeof *of_page; i++)
		if (form != FORM_HTML && program_given(of_page[i]))
			program_usage("--%s has an effect only on -f html", of_page[i]);
	if (form == FORM_SVG && program_common.width > 0 && program_common.width < least_pixels)
		program_usage("--width: a picture is at least %d pixels wide", least_pixels);
	if (form == FORM_TERM)
		plot_check_palette();
	if (form == FORM_TERM && settings->title != NULL)
		program_usage("--title has no effect on -f term");
	if (form == FORM_HTML && program_common.width > 0)
		program_usage("--width has no effect on -f html: the page is as wide as its window");
	if (form == FORM_HTML && output_is_terminal(filter->output))
		program_usage("a page is not for a terminal: use -o FILE.html, or -f term");
}

enum flame_colours
plot_colours(bool any)
{
	const char *colours = getenv("COLORTERM"), *terminal = getenv("TERM");

	if (!any)
		return FLAME_PLAIN;
	if (colours != NULL && (strcmp(colours, "truecolor") == 0 || strcmp(colours, "24bit") == 0))
		return FLAME_TRUE;
	return terminal != NULL && strstr(terminal, "256color") != NULL ? FLAME_256 : FLAME_16;
}

void
plot_remark_undrawn(struct printer *printer, const struct flame_undrawn *undrawn, uint64_t whole, const char *unit)
{
	if (undrawn->levels > 0)
		printer_remark(printer, "%lu level%s no room for any name and %s not drawn: try a greater --width",
			       (unsigned long)undrawn->levels, plural(undrawn->levels, " has", "s have"),
			       plural(undrawn->levels, "is", "are"));
	if (undrawn->paths > 0)
		printer_remark(printer, "%llu call path%s narrower than a letter and not drawn (%.1f%% of %llu %s)",
			       (unsigned long long)undrawn->paths, plural(undrawn->paths, " is", "s are"),
			       100 * (double)undrawn->counts / (double)whole, (unsigned long long)whole, unit);
}
