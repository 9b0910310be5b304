/* SPDX-License-Identifier: MIT
 * beside_file: appears whole or not at all. */
#include "beside_file.h"

#include "base/output.h"
#include "plot/heat_page.h"

#include <stdlib.h>
#include <string.h>

char *
beside_file_name(const char *page)
{
	static const char *const endings[] = { ".html", ".htm" };
	size_t size = strlen(page);
	char *name = mem_new(size + sizeof ".heat", 1);

	for (unsigned i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t ending = strlen(endings[i]);

		if (size > ending && strcmp(page + size - ending, endings[i]) == 0) {
			size -= ending;
			break;
		}
	}
	memcpy(name, page, size);
	memcpy(name + size, ".heat", sizeof ".heat");
	return name;
}

int
beside_file_write(const char *path, const struct heat_parts *parts, struct stk_error *err)
{
	struct output *output = NULL;
	bool well = output_open(&output, path, err) == 0 &&
		    output_write(output, HEAT_BESIDE_HEAD, strlen(HEAT_BESIDE_HEAD), err) == 0 &&
		    output_write(output, parts->bytes.at, parts->bytes.count, err) == 0;

	return output_close(output, well, err) < 0 || !well ? -1 : 0;
}
