/* SPDX-License-Identifier: MIT
 * same_command: words are quoted as a shell needs them. */
#include "same_command.h"

#define OF_WINDOWS 4	/* of the names below, the first are about windows */

void
same_command_word(struct text_buffer *to, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./,:=-+@";

	if (*word != '\0' && word[strspn(word, plain)] == '\0') {
		add_string(to, word);
		return;
	}
	add_char(to, '\'');
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			add_string(to, "'\\''");
		else
			add_char(to, *word);
	}
	add_char(to, '\'');
}

/* The value follows in the same word, or is the next one. */
static bool
takes_value(const char *name, size_t size, bool windows)
{
	static const char *const names[] = {
		"from", "to", "window", "zone", "thread", "process", "state", "event", "grep", "where"
	};

	for (unsigned i = windows ? 0 : OF_WINDOWS; i < sizeof names / sizeof *names; i++)
		if (size == strlen(names[i]) && memcmp(name, names[i], size) == 0)
			return true;
	return false;
}

void
same_command_begin(struct text_buffer *to, int argc, char **argv, bool windows)
{
	static const char *const flags[] = { "invert", "running", "samples" };
	size_t used = sizeof flags / sizeof *flags - (windows ? 0 : 1);

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *name = argv[i] + 2, *equals = strchr(argv[i], '=');
		size_t size = strncmp(argv[i], "--", 2) != 0 ? 0
			      : equals != NULL             ? (size_t)(equals - name)
							   : strlen(name);

		for (unsigned k = 0; k < used; k++)
			if (size == strlen(flags[k]) && memcmp(name, flags[k], size) == 0)
				add_format(to, " --%s", flags[k]);
		if (size == 0 || !takes_value(name, size, windows) || (equals == NULL && i + 1 == argc))
			continue;
		add_string(to, " --");
		add_bytes(to, name, size);
		add_char(to, ' ');
		same_command_word(to, equals != NULL ? equals + 1 : argv[++i]);
	}
}

void
same_command_option(struct text_buffer *to, const char *name, const char *value)
{
	if (value == NULL)
		return;
	add_format(to, " --%s ", name);
	same_command_word(to, value);
}

void
same_command_diff(struct text_buffer *to, char **operands, int count, const struct option_lists *others)
{
	same_command_operands(to, operands, count);
	add_string(to, " --diff");
	for (unsigned i = 0; i < others->count; i++) {
		add_char(to, ' ');
		same_command_word(to, others->at[i]);
	}
}

void
same_command_operands(struct text_buffer *to, char **operands, int count)
{
	for (int i = 0; i < count; i++) {
		add_char(to, ' ');
		same_command_word(to, operands[i]);
	}
}
