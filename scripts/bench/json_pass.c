/* SPDX-License-Identifier: MIT
 * json_pass: what reading JSON costs alone: every value of FILE is taken, columns of numbers at once, and nothing is
 * done with it. stkcap reads profiles in JSON with the same reader; only lists of which it knows the text it passes
 * over faster. Prints the seconds of CPU of the fastest of RUNS passes (5), and the values:
 *
 *	json_pass FILE [RUNS] */
#include "base/json_reader.h"
#include "base/whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct source { const char *at, *end; };

static size_t
take(void *context, void *to, size_t size)
{
	struct source *source = context;
	size_t left = (size_t)(source->end - source->at);

	size = size < left ? size : left;
	memcpy(to, source->at, size);
	source->at += size;
	return size;
}

static double
cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#define AT_ONCE 1024u

/* The next numbers of an array, and how many these are. */
static uint64_t
pass_numbers(struct json_reader *json)
{
	int64_t numbers[AT_ONCE];
	size_t got, count = 0;

	do {
		got = json_next_integers(json, 0, numbers, AT_ONCE);
		count += got;
	} while (got == AT_ONCE);
	return count;
}

/* How many values there are; 0 when it is not JSON. */
static uint64_t
pass(const struct text_buffer *text)
{
	struct source source = { text->at, text->at + text->count };
	struct json_reader json;
	enum json_kind kind;
	uint64_t values = 0;

	json_open(&json, take, &source);
	json.several = true;
	while ((kind = json_next(&json)) > JSON_BAD) {
		values++;
		if (kind == JSON_ARRAY || kind == JSON_NUMBER)
			values += pass_numbers(&json);
	}
	json_close(&json);
	return kind == JSON_END ? values : 0;
}

int
main(int argc, char **argv)
{
	struct text_buffer text = { 0 };
	struct stk_error error = { 0 };
	int runs = argc > 2 ? atoi(argv[2]) : 5;
	double least = 1e9;
	uint64_t values = 0;

	if (argc < 2 || whole_file_read(&text, argv[1], (size_t)2 << 30, &error) < 0) {
		fprintf(stderr, "json_pass: %s\n", argc < 2 ? "missing FILE" : error.text);
		return 2;
	}
	for (int i = 0; i < runs; i++) {
		double begun = cpu_seconds(), took;

		values = pass(&text);
		took = cpu_seconds() - begun;
		least = took < least ? took : least;
	}
	if (values == 0)
		fprintf(stderr, "json_pass: %s: not JSON\n", argv[1]);
	else
		printf("%.6f\t%llu\n", least, (unsigned long long)values);
	array_release(&text);
	return values == 0;
}
