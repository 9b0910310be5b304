/* SPDX-License-Identifier: MIT
 * mask_key: the file is text: a head, the key, a line for each name, and a code over all of it, so that a part is never
 * taken for the whole.
 *
 *	stkpipe mask key 1
 *	key 64 hexadecimal digits
 *	TOKEN NAME		with tabs between, the name as in tables of programs; in their order
 *	end 64 hexadecimal digits */
#include "model/mask_key.h"

#include "base/folder_sync.h"
#include "base/lock_file.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "base/sha256.h"
#include "base/temp_file.h"
#include "base/text_buffer.h"
#include "base/text_table.h"
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_BYTES_MAX (1u << 30)
#define HEX_KEY        (2 * SHA256_BYTES)

static const char head[] = "stkpipe mask key 1\nkey ";

struct mask_key {
	unsigned char key[SHA256_BYTES];
	struct text_table names, tokens;	/* name n has token n */
	char id[17];
	uint32_t saved;				/* names that the file has */
	bool in_file;
	struct text_buffer scratch;
};

/* --- tokens --- */

/* For each use of the key its own codes. */
static void
code_of(struct mask_key *key, const char *use, struct stk_text text, unsigned char out[SHA256_BYTES])
{
	key->scratch.count = 0;
	add_string(&key->scratch, use);
	add_char(&key->scratch, ':');
	add_text(&key->scratch, text);
	hmac_sha256(key->key, text_in(&key->scratch, 0), out);
}

static void
name_key(struct mask_key *key)
{
	unsigned char code[SHA256_BYTES];

	code_of(key, "id", text_of("", 0), code);
	for (unsigned i = 0; i < 16; i++)
		key->id[i] = "0123456789abcdef"[code[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
	key->id[16] = '\0';
}

static void
make_token(struct mask_key *key, struct stk_text name, char token[MASK_TOKEN_SIZE])
{
	unsigned char code[SHA256_BYTES];
	uint64_t value = 0;

	code_of(key, "name", name, code);
	for (unsigned i = 0; i < 8; i++)
		value = value << 8 | code[i];
	token[0] = name.size > 0 && name.data[0] >= 'A' && name.data[0] <= 'Z' ? 'X' : 'x';
	for (unsigned i = 1; i < MASK_TOKEN_SIZE; i++, value /= 26)
		token[i] = (char)('a' + value % 26);
}

bool
mask_is_token(struct stk_text word)
{
	if (word.size != MASK_TOKEN_SIZE || (word.data[0] != 'x' && word.data[0] != 'X'))
		return false;
	for (unsigned i = 1; i < MASK_TOKEN_SIZE; i++)
		if (word.data[i] < 'a' || word.data[i] > 'z')
			return false;
	return true;
}

int
mask_key_token(struct mask_key *key, struct stk_text name, char token[MASK_TOKEN_SIZE], struct stk_error *err)
{
	uint32_t number = text_table_find(&key->names, name);

	if (number != 0) {
		memcpy(token, text_table_text(&key->tokens, number).data, MASK_TOKEN_SIZE);
		return 0;
	}
	make_token(key, name, token);
	if (text_table_find(&key->tokens, text_of(token, MASK_TOKEN_SIZE)) != 0)
		return stk_fail(err, STK_ESYSTEM, "two names have the token %.*s: use another key", MASK_TOKEN_SIZE, token);
	text_table_number(&key->names, name);
	text_table_number(&key->tokens, text_of(token, MASK_TOKEN_SIZE));
	return 0;
}

bool
mask_key_name(const struct mask_key *key, struct stk_text token, struct stk_text *name)
{
	uint32_t number = mask_is_token(token) ? text_table_find(&key->tokens, token) : 0;

	if (number != 0)
		*name = text_table_text(&key->names, number);
	return number != 0;
}

struct stk_text
mask_key_id(const struct mask_key *key)
{
	return text_from(key->id);
}

uint32_t
mask_key_names(const struct mask_key *key)
{
	return (uint32_t)key->names.texts.count;
}

struct stk_text
mask_key_name_of(const struct mask_key *key, uint32_t number)
{
	return text_table_text(&key->names, number);
}

/* --- the file --- */

int
mask_key_random(struct mask_key **out, struct stk_error *err)
{
	struct mask_key *key = *out = mem_new(1, sizeof *key);

	if (getrandom(key->key, sizeof key->key, 0) != (ssize_t)sizeof key->key) {
		mask_key_close(key);
		*out = NULL;
		return stk_fail_errno(err, "no random key");
	}
	name_key(key);
	return 0;
}

void
mask_key_close(struct mask_key *key)
{
	if (key == NULL)
		return;
	text_table_release(&key->names);
	text_table_release(&key->tokens);
	array_release(&key->scratch);
	explicit_bzero(key->key, sizeof key->key);
	free(key);
}

static bool
read_hex(struct stk_text text, unsigned char out[SHA256_BYTES])
{
	if (text.size != HEX_KEY)
		return false;
	for (unsigned i = 0; i < HEX_KEY; i++) {
		const char *digit = memchr("0123456789abcdef", text.data[i], 16), zero[] = "0123456789abcdef";

		if (digit == NULL)
			return false;
		for (unsigned n = 0; n < 16; n++)
			if (zero[n] == text.data[i])
				out[i / 2] = (unsigned char)(i % 2 == 0 ? n << 4 : out[i / 2] | n);
	}
	return true;
}

static void
add_hex_bytes(struct text_buffer *to, const unsigned char bytes[SHA256_BYTES])
{
	for (unsigned i = 0; i < SHA256_BYTES; i++)
		add_hex(to, bytes[i], 2);
}

static int
hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What add_escaped wrote. False: it did not write this. */
static bool
add_unescaped(struct text_buffer *to, struct stk_text text)
{
	for (size_t i = 0; i < text.size; i++) {
		char next = i + 1 < text.size ? text.data[i + 1] : '\0';

		if (text.data[i] != '\\') {
			add_char(to, text.data[i]);
		} else if (next == 'x') {
			int high = i + 3 < text.size ? hex_digit(text.data[i + 2]) : -1;
			int low = i + 3 < text.size ? hex_digit(text.data[i + 3]) : -1;

			if (high < 0 || low < 0)
				return false;
			add_char(to, (char)(high << 4 | low));
			i += 3;
		} else if (next == 't' || next == 'n' || next == 'r' || next == '\\') {
			add_char(to, next == 't' ? '\t' : next == 'n' ? '\n' : next == 'r' ? '\r' : '\\');
			i++;
		} else {
			return false;
		}
	}
	return true;
}

/* A line "TOKEN NAME": the token must be the name's. */
static bool
take_name(struct mask_key *key, struct stk_text line)
{
	struct stk_text token = text_take(&line, '\t');
	struct text_buffer name = { 0 };
	struct stk_error err = { 0 };
	char made[MASK_TOKEN_SIZE];
	bool well = token.size == MASK_TOKEN_SIZE && add_unescaped(&name, line) &&
		    mask_key_token(key, text_in(&name, 0), made, &err) == 0 &&
		    memcmp(made, token.data, MASK_TOKEN_SIZE) == 0;

	array_release(&name);
	return well;
}

static bool
take_file(struct mask_key *key, struct stk_text text)
{
	struct stk_text rest = text, line;
	unsigned char code[SHA256_BYTES], wanted[SHA256_BYTES];

	if (!text_starts(text, head) || text.size < sizeof head + HEX_KEY)
		return false;
	rest = text_of(text.data + sizeof head - 1, text.size - (sizeof head - 1));
	line = text_take(&rest, '\n');
	if (!read_hex(line, key->key))
		return false;
	name_key(key);
	while (rest.size > 0) {
		struct stk_text before = text_of(text.data, (size_t)(rest.data - text.data));

		line = text_take(&rest, '\n');
		if (text_starts(line, "end ")) {
			code_of(key, "file", before, code);
			return rest.size == 0 && read_hex(text_of(line.data + 4, line.size - 4), wanted) &&
			       memcmp(code, wanted, sizeof code) == 0;
		}
		if (!take_name(key, line))
			return false;
	}
	return false;
}

/* Only its owner may be able to read it. */
static int
check_owner(const char *path, bool *missing, struct stk_error *err)
{
	struct stat status;

	*missing = false;
	if (stat(path, &status) != 0) {
		*missing = errno == ENOENT;
		return stk_fail_errno(err, "%s", path);
	}
	if (!S_ISREG(status.st_mode))
		return stk_fail(err, STK_ESYSTEM, "%s: not a file", path);
	if (status.st_uid != geteuid())
		return stk_fail(err, STK_ESYSTEM, "%s: belongs to another user, who could unmask", path);
	if ((status.st_mode & 077) != 0)
		return stk_fail(err, STK_ESYSTEM, "%s: others may read it (mode %03o, expected 600): chmod 600 it", path,
				(unsigned)status.st_mode & 0777);
	return 0;
}

int
mask_key_read(struct mask_key **out, const char *path, bool *missing, struct stk_error *err)
{
	struct text_buffer text = { 0 };
	struct mask_key *key;
	int result;

	*out = NULL;
	if (check_owner(path, missing, err) < 0)
		return -1;
	key = mem_new(1, sizeof *key);
	result = whole_file_read(&text, path, FILE_BYTES_MAX, err);
	if (result == 0 && !take_file(key, text_in(&text, 0)))
		result = stk_fail(err, STK_ESYSTEM, "%s: damaged or truncated, or not a mask key", path);
	if (text.at != NULL)
		explicit_bzero(text.at, text.count);
	array_release(&text);
	if (result < 0) {
		mask_key_close(key);
		return -1;
	}
	key->in_file = true;
	key->saved = mask_key_names(key);
	*out = key;
	return 0;
}

static void
add_file(struct mask_key *key, struct text_buffer *to)
{
	unsigned char code[SHA256_BYTES];

	add_string(to, head);
	add_hex_bytes(to, key->key);
	add_char(to, '\n');
	for (uint32_t n = 1; n <= key->names.texts.count; n++) {
		add_text(to, text_table_text(&key->tokens, n));
		add_char(to, '\t');
		add_escaped(to, text_table_text(&key->names, n));
		add_char(to, '\n');
	}
	code_of(key, "file", text_in(to, 0), code);
	add_string(to, "end ");
	add_hex_bytes(to, code);
	add_char(to, '\n');
}

static bool
write_all(int fd, struct stk_text text)
{
	while (text.size > 0) {
		ssize_t n = write(fd, text.data, text.size);

		if (n < 0 && errno != EINTR)
			return false;
		text = n <= 0 ? text : text_of(text.data + n, text.size - (size_t)n);
	}
	return true;
}

static int
replace_file(const char *path, struct stk_text text, struct stk_error *err)
{
	char *name = NULL;
	int folder, fd;
	bool well;

	if (folder_open(&folder, path, err) < 0)
		return -1;
	fd = temp_file_create(&name, path);
	well = fd >= 0 && fchmod(fd, 0600) == 0 && write_all(fd, text) && fsync(fd) == 0 && rename(name, path) == 0;
	if (!well) {
		stk_fail_errno(err, "%s", path);
		if (fd >= 0)
			(void)unlink(name);
	}
	if (name != NULL)
		temp_file_forget(name);
	if (fd >= 0)
		(void)close(fd);
	free(name);
	if (well)
		return folder_sync(folder, path, err);
	folder_close(folder);
	return -1;
}

/* Takes over what is in the file by now: another run may have added names to it. */
static int
join_file(struct mask_key *key, const char *path, struct stk_error *err)
{
	struct mask_key *other = NULL;
	struct stk_error why = { 0 };
	bool missing = false;
	int result = 0;

	if (mask_key_read(&other, path, &missing, &why) < 0)
		return missing ? 0 : stk_fail(err, why.code, "%s", why.text);
	if (memcmp(other->key, key->key, sizeof key->key) != 0)
		result = stk_fail(err, STK_ESYSTEM, "%s: another run put another key there; nothing is written", path);
	for (uint32_t n = 1; result == 0 && n <= other->names.texts.count; n++) {
		char token[MASK_TOKEN_SIZE];

		result = mask_key_token(key, text_table_text(&other->names, n), token, err);
	}
	mask_key_close(other);
	return result;
}

#define TURN_TRIES 100

/* Another run has the file only while it writes it. */
static int
take_turn(struct lock_file **lock, const char *path, struct stk_error *err)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	struct stk_error why = { 0 };

	for (unsigned tries = 1;; tries++) {
		stk_error_clear(&why);
		if (lock_file_take(lock, path, &why) == 0)
			return 0;
		if (tries == TURN_TRIES)
			return stk_fail(err, why.code, "%s", why.text);
		(void)nanosleep(&pause, NULL);
	}
}

int
mask_key_save(struct mask_key *key, const char *path, struct stk_error *err)
{
	struct text_buffer text = { 0 };
	struct lock_file *lock = NULL;
	int result;

	if (key->in_file && key->saved == mask_key_names(key))
		return 0;
	if (take_turn(&lock, path, err) < 0)
		return -1;
	result = join_file(key, path, err);
	if (result == 0) {
		add_file(key, &text);
		result = replace_file(path, text_in(&text, 0), err);
		explicit_bzero(text.at, text.count);
	}
	lock_file_release(lock);
	array_release(&text);
	key->in_file |= result == 0;
	key->saved = result == 0 ? mask_key_names(key) : key->saved;
	return result;
}
