/* SPDX-License-Identifier: MIT
 * state_file: a state is read whole or not at all, by the program and with the options that it was made with, and is
 * replaced only by one that is whole and whose run delivered all. */
#include "../lib/tap.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/host.h"
#include "stream/state_file.h"

#include <sys/stat.h>

static const struct state_kind kind = { .program = "stktest", .about = "state of a test", .identity = "step=1" };

/* An engine that stores numbers. */
struct numbers { uint64_t at[10]; unsigned count; bool fails; };

static int
add_numbers(void *context, struct stk_writer *writer, struct stk_error *err)
{
	const struct numbers *n = context;

	for (unsigned i = 0; i < n->count; i++) {
		struct stk_ticks row = { .id = i, .dumps = n->at[i], .from = STK_TIME_UNKNOWN, .to = STK_TIME_UNKNOWN };

		if (stk_writer_add(writer, STK_TICKS, &row, err) < 0)
			return -1;
	}
	return n->fails ? stk_fail(err, STK_EDATA, "no room for it") : 0;
}

static int
take_numbers(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct numbers *n = context;
	struct stk_ticks row;

	if (block->kind != STK_TICKS)
		return 0;
	if (n->fails)
		return stk_fail(err, STK_EDATA, "does not hold together");
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows && n->count < 10; i++) {
		stk_reader_row(reader, i, &row);
		n->at[n->count++] = row.dumps;
	}
	return 0;
}

struct read { int got; enum stk_code code; char text[1000]; struct numbers numbers; };

static struct read
read_state(const char *path, const struct state_kind *of, bool fails)
{
	struct read read = { .numbers.fails = fails };
	struct stk_error err = { 0 };

	read.got = state_file_read(path, of, take_numbers, &read.numbers, &err);
	read.code = err.code;
	(void)snprintf(read.text, sizeof read.text, "%s", err.text);
	stk_error_clear(&err);
	return read;
}

/* Writes a state of one number: what write and close gave, each 0 or -1. */
static void
replace(const char *path, uint64_t number, bool delivered, bool fails, int *written, int *closed)
{
	struct numbers numbers = { .at = { number }, .count = 1, .fails = fails };
	struct state_file *file;
	struct stk_error err = { 0 };

	if (state_file_open(&file, path, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(99);
	}
	*written = state_file_write(file, &kind, add_numbers, &numbers, &err);
	stk_error_clear(&err);
	*closed = state_file_close(file, delivered, &err);
	stk_error_clear(&err);
}

static uint64_t
number_in(const char *path)
{
	struct read read = read_state(path, &kind, false);

	return read.got == 1 && read.numbers.count == 1 ? read.numbers.at[0] : 0;
}

static void
put(const char *path, const char *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
		printf("Bail out! cannot write %s\n", path);
		exit(99);
	}
}

static size_t
get(const char *path, char *to, size_t room)
{
	FILE *file = fopen(path, "r");
	size_t size = file == NULL ? 0 : fread(to, 1, room, file);

	if (file != NULL)
		fclose(file);
	return size;
}

/* --- */

static void
test_reading(void)
{
	static const struct state_kind other_options = { .program = "stktest",
							 .about = "state of a test",
							 .identity = "step=2" };
	static const struct state_kind other_program = { .program = "stkother",
							 .about = "state of another",
							 .identity = "step=1" };
	struct read read;
	int written, closed;

	read = read_state("missing", &kind, false);
	ok(read.got == 0 && read.code == STK_EOK, "a state that is not there yet is no failure");
	replace("state", 7, true, false, &written, &closed);
	ok(written == 0 && closed == 0, "a state is written where there was none");
	is_u64(number_in("state"), 7, "... and read");
	read = read_state("state", &other_options, false);
	ok(read.got == -1 && read.code == STK_EUSAGE, "other options are a mistake of the usage");
	is_text(read.text, "state: was made with other options (step=1), not with step=2",
		"... and the message names the file and both");
	read = read_state("state", &other_options, true);
	is_text(read.text, "state: was made with other options (step=1), not with step=2",
		"... also when rows do not fit for that reason");
	is_u64(read.numbers.count, 0, "... and none of them is taken");
	read = read_state("state", &other_program, false);
	ok(read.got == -1 && read.code == STK_ESYSTEM, "a state of another program is refused");
	is_text(read.text, "state: not a stkother state file", "... and named");
	read = read_state("state", &kind, true);
	ok(read.got == -1 && read.code == STK_ESYSTEM,
	   "what the engine refuses is a failure, not data that can be left out");
	is_text(read.text, "state: does not hold together", "... in its words, after the file's name");
	read = read_state(".", &kind, false);
	ok(read.got == -1 && read.code == STK_ESYSTEM && strncmp(read.text, ".: ", 3) == 0,
	   "a directory is refused by name: %s", read.text);
}

static void
test_damage(void)
{
	static const char said[] =
		"cut: damaged or truncated, left unchanged: restore it from a copy, or move it away and begin anew";
	char whole[4096], twice[8192];
	size_t size = get("state", whole, sizeof whole), refused = 0, alike = 0;
	struct read read;

	for (size_t length = 0; length < size; length++) {
		put("cut", whole, length);
		read = read_state("cut", &kind, false);
		refused += read.got == -1 && read.code == STK_ESYSTEM && strncmp(read.text, "cut: ", 5) == 0;
		alike += strcmp(read.text, said) == 0;
	}
	is_u64(refused, size, "cut after each of its %zu bytes it is refused by name", size);
	is_u64(alike, size, "... as damaged or truncated, an empty file, too");
	put("cut", whole, size);
	ok(read_state("cut", &kind, false).got == 1, "all of them are a state");
	memcpy(twice, whole, size);
	memcpy(twice + size, whole, size);
	put("cut", twice, 2 * size);
	ok(read_state("cut", &kind, false).got == -1, "two states in one file are refused");
	for (size_t at = refused = 0; at < size; at++) {
		memcpy(twice, whole, size);
		twice[at] ^= 0x55;
		put("cut", twice, size);
		read = read_state("cut", &kind, false);
		refused += read.got == -1 || (read.numbers.count == 1 && read.numbers.at[0] == 7);
	}
	is_u64(refused, size, "a byte that is another is seen, or changes nothing");
	put("cut", "hello\n", 6);
	read = read_state("cut", &kind, false);
	is_text(read.text, "cut: not a stktest state file", "a text is not a state file, neither whole nor damaged");
}

static void
test_replacing(void)
{
	struct state_file *file;
	struct stk_error err = { 0 };
	int written, closed;

	replace("state", 8, false, false, &written, &closed);
	ok(written == 0 && closed == 0 && number_in("state") == 7, "a run that did not deliver leaves the old state");
	replace("state", 8, true, true, &written, &closed);
	ok(written == -1 && closed == 0 && number_in("state") == 7,
	   "a state that could not be written whole leaves the old one");
	ok(state_file_open(&file, "state", &err) == 0 && state_file_close(file, true, &err) == 0 &&
		   number_in("state") == 7,
	   "a run that wrote none leaves the old one");
	replace("state", 9, true, false, &written, &closed);
	ok(written == 0 && closed == 0 && number_in("state") == 9, "one that delivered replaces it");
	ok(state_file_close(NULL, true, &err) == 0, "closing no state does nothing");
	ok(state_file_open(&file, "no/such/folder", &err) < 0 && file == NULL &&
		   strncmp(err.text, "no/such/folder: ", 16) == 0,
	   "where no lock can be taken none is opened: %s", err.text);
	stk_error_clear(&err);
}

static void
test_lock(void)
{
	struct state_file *first, *second;
	struct stk_error err = { 0 };

	ok(state_file_open(&first, "state", &err) == 0, "a run locks its state");
	ok(state_file_open(&second, "state", &err) < 0 && second == NULL && err.code == STK_ESYSTEM,
	   "a second one does not get it");
	is_text(err.text, "state: another run holds it (state.lock); nothing was changed", "... and says why");
	stk_error_clear(&err);
	is_u64(number_in("state"), 9, "... but may be read, as --merge does");
	ok(state_file_close(first, true, &err) == 0 && state_file_open(&second, "state", &err) == 0,
	   "closed, the next run gets it");
	ok(state_file_close(second, false, &err) == 0, "... and gives it back");
}

static bool
yes(void)
{
	return true;
}

static void
test_host(void)
{
	static const struct host failing = { .failed = yes }, stopping = { .stopping = yes }, none = { 0 };
	struct numbers numbers = { .at = { 10 }, .count = 1 };
	struct state_file *file;
	struct stk_error err = { 0 };
	int written, closed;

	host_set(&failing);
	ok(state_file_open(&file, "state", &err) == 0 &&
		   state_file_write(file, &kind, add_numbers, &numbers, &err) == 0,
	   "a run that failed may write a state");
	ok(state_file_close(file, true, &err) == -1, "... but it does not replace the old one");
	ok(strstr(err.text, "state is left unchanged") != NULL, "... which is said: %s", err.text);
	stk_error_clear(&err);
	host_set(&stopping);
	replace("state", 10, true, false, &written, &closed);
	host_set(&none);
	ok(closed == 0, "asked to stop, closing is no failure");
	is_u64(number_in("state"), 9, "... and the old state is left by both");
}

int
main(void)
{
	(void)scratch();
	test_reading();
	test_damage();
	test_replacing();
	test_lock();
	test_host();
	return tap_end();
}
