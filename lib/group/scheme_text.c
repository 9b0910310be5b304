/* SPDX-License-Identifier: MIT
 * scheme_text: a scheme as one text, in which the texts of the files that it includes follow as blocks of YAML. */
#include "group/scheme.h"

/* Each line of a text further in. */
static void
add_indented(struct text_buffer *to, struct stk_text text)
{
	while (text.size > 0) {
		struct stk_text line = text_take(&text, '\n');

		add_string(to, "    ");
		add_text(to, line);
		add_char(to, '\n');
	}
}

int
scheme_whole_text(const struct scheme *scheme, struct text_buffer *to, struct stk_error *err)
{
	struct stk_error why = { 0 };
	struct config *config;

	add_text(to, scheme->source);
	if (scheme->includes.count > 0)
		add_string(to, "\nincluded:\n");
	for (size_t i = 0; i < scheme->includes.count; i++) {
		const struct scheme_include *one = &scheme->includes.at[i];

		for (size_t before = 0; before < i; before++)
			if (text_equal(scheme->includes.at[before].name, one->name))
				return stk_fail(err, STK_EUSAGE,
						"--embed: two files that '%.*s' includes are called '%.*s'",
						(int)scheme->name.size, scheme->name.data, (int)one->name.size,
						one->name.data);
		add_string(to, "  ");
		add_yaml_text(to, one->name);
		add_string(to, ": |2\n");
		add_indented(to, one->source);
	}
	if (scheme->includes.count == 0)
		return 0;
	if (config_read(&config, to->at, to->count, &why) < 0) {
		stk_error_clear(&why);
		return stk_fail(err, STK_EUSAGE, "--embed: '%.*s' includes files, whose texts can only follow a text "
						 "that has each key on a line of its own",
				(int)scheme->name.size, scheme->name.data);
	}
	config_close(config);
	return 0;
}
