/* SPDX-License-Identifier: MIT
 * beside_file: appears whole or not at all. */
#include "beside_file.h"

#include "base/open_file.h"
#include "base/output.h"
#include "plot/heat_page.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool
beside_is_recording(const char *operand)
{
	static const char magic[] = { 0x53, 0x2A, 0x4D, 0x18 };
	char head[12];
	struct stat facts;
	bool is = false;
	int file = open_file(operand, O_RDONLY | O_NONBLOCK, 0);

	if (file < 0)
		return false;
	if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && pread(file, head, sizeof head, 0) == sizeof head)
		is = memcmp(head, magic, sizeof magic) == 0 && memcmp(head + 8, "stk1", 4) == 0;
	(void)close(file);
	return is;
}

const char *
beside_name(const char *path)
{
	const char *cut = strrchr(path, '/');

	return cut == NULL ? path : cut + 1;
}

bool
beside_is_near(const char *page, const char *recording)
{
	size_t folder = (size_t)(beside_name(page) - page);
	const char *name = beside_name(recording);
	char *near = mem_new(folder + strlen(name) + 1, 1);
	struct stat a, b;
	bool is;

	memcpy(near, page, folder);
	memcpy(near + folder, name, strlen(name) + 1);
	is = stat(near, &a) == 0 && stat(recording, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
	free(near);
	return is;
}
