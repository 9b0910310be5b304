/* SPDX-License-Identifier: MIT
 * Large folded text made from a small one: minutes of a fleet, each a sorted folded file (--form minutes), or every
 * line another one, by host and thread (--form distinct). */
#include "generate.h"

static const char usage[] =
	"make_folded --from FILE.folded [--form minutes|distinct] [--megabytes 300] [--seed 11] [-o FILE]";

static char    **stack;
static uint64_t *upto;		/* counts of stack[0 .. i], summed: for drawing by weight */
static uint32_t  stacks;

static void
read_stacks(const char *name)
{
	size_t   length;
	char    *text = read_whole(name, &length), *end = text + length, *line, *stop;
	uint64_t sum = 0;
	uint32_t room = 1;

	for (const char *p = text; p < end; p++)
		room += *p == '\n';
	stack = get_memory(room * sizeof *stack);
	upto = get_memory(room * sizeof *upto);
	for (line = text; line < end; line = stop + 1) {
		char *space;

		if (!(stop = memchr(line, '\n', (size_t)(end - line))))
			stop = end;
		*stop = 0;
		if (!(space = strrchr(line, ' ')))
			continue;
		*space = 0;
		sum += strtoull(space + 1, NULL, 10);
		stack[stacks] = line;
		upto[stacks++] = sum;
	}
	if (!sum)
		die("%s: no folded line with a count", name);
}

static uint32_t
draw(void)
{
	uint64_t x = (uint64_t)(random_unit() * (double)upto[stacks - 1]);
	uint32_t low = 0, high = stacks - 1;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (upto[middle] > x)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static uint64_t
minute(FILE *out, uint32_t *count, uint64_t *lines)
{
	uint64_t bytes = 0;

	memset(count, 0, stacks * sizeof *count);
	for (uint32_t n = 3000 + random_below(6000); n; n--)
		count[draw()]++;
	for (uint32_t i = 0; i < stacks; i++)
		if (count[i]) {
			bytes += (uint64_t)fprintf(out, "%s %u\n", stack[i], count[i]);
			++*lines;
		}
	return bytes;
}

enum { HOSTS = 36, THREADS = 64 };

/* Half of the lines are drawn by weight, half evenly; a line seen before is drawn again. */
static uint64_t
distinct(FILE *out, unsigned char *seen, uint64_t *lines)
{
	uint32_t i = random_below(2) ? draw() : random_below(stacks), host = random_below(HOSTS),
		 thread = random_below(THREADS);
	size_t      bit = ((size_t)i * HOSTS + host) * THREADS + thread;
	const char *rest = strchr(stack[i], ';');
	double      u = random_unit();
	int         command = (int)(rest ? (size_t)(rest - stack[i]) : strlen(stack[i]));

	if (seen[bit / 8] & 1 << bit % 8)
		return 0;
	seen[bit / 8] |= (unsigned char)(1 << bit % 8);
	++*lines;
	/* the count: a long tail, 1/u, cut at a million */
	return (uint64_t)fprintf(out, "%s%02u.example;%.*s-%d/%u;%s %u\n", host < 24 ? "web" : "app", host, command,
				 stack[i], 4000, 4000 + thread, rest ? rest + 1 : "",
				 1 + (uint32_t)(u > 1e-6 ? 1 / u : 1e6));
}

int
main(int argc, char **argv)
{
	const char *from = option(&argc, argv, "--from", NULL), *form = option(&argc, argv, "--form", "minutes");
	double      megabytes = strtod(option(&argc, argv, "--megabytes", "300"), NULL);
	const char *name = option(&argc, argv, "-o", "-");
	uint64_t    bytes = 0, lines = 0;
	void       *memory;
	FILE       *out;

	chance_state = strtoull(option(&argc, argv, "--seed", "11"), NULL, 10);
	end_options(argc, argv, usage);
	if (!from || (strcmp(form, "minutes") && strcmp(form, "distinct"))) {
		fprintf(stderr, "usage: %s\n", usage);
		return 2;
	}
	read_stacks(from);
	out = open_output(name);
	if (strcmp(form, "minutes") == 0) {
		memory = get_memory(stacks * sizeof(uint32_t));
		while ((double)bytes < megabytes * 1e6)
			bytes += minute(out, memory, &lines);
	} else {
		/* beyond, drawing a new one takes too long */
		uint64_t most = (uint64_t)stacks * HOSTS * THREADS * 9 / 10;

		memory = get_memory((size_t)stacks * HOSTS * THREADS / 8 + 1);
		while ((double)bytes < megabytes * 1e6 && lines < most)
			bytes += distinct(out, memory, &lines);
	}
	close_output(out, name);
	fprintf(stderr, "make_folded: %s: %llu bytes, %llu lines, %u stacks\n", form, (unsigned long long)bytes,
		(unsigned long long)lines, stacks);
	free(memory);
	return 0;
}
