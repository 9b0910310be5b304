/* SPDX-License-Identifier: MIT
 * database: by libsqlite3. The file is ours alone and is thrown away when anything fails: so there is no journal, and
 * nothing waits for the disk but the output itself. */
#include "report/database.h"

#ifdef HAVE_SQLITE

#include "base/array.h"
#include "base/host.h"
#include "base/open_file.h"
#include "base/temp_file.h"
#include "base/text_buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES (1u << 20)

struct insert {
	struct database *database;
	sqlite3_stmt *statement;
	int columns, at;
};

struct database {
	sqlite3 *handle;
	char *file;			/* NULL: removed */
	struct stk_error failure;
	ARRAY(struct insert *) inserts;
};

static int
fail(struct database *d)
{
	if (d->failure.code == STK_EOK)
		(void)stk_fail(&d->failure, STK_ESYSTEM, "the database cannot be written: %s", sqlite3_errmsg(d->handle));
	return -1;
}

static int
run(struct database *d, const char *statements)
{
	return sqlite3_exec(d->handle, statements, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail(d);
}

static void
remove_file(struct database *d)
{
	if (d->file == NULL)
		return;
	unlink(d->file);
	temp_file_forget(d->file);
	free(d->file);
	d->file = NULL;
}

/* A place for the file: where the output will be, unless that is a pipe or a device. */
static int
make_file(struct database *d, const char *path, struct stk_error *err)
{
	struct text_buffer place = { 0 };
	struct stat is;
	int fd;

	if (path == NULL || strcmp(path, "-") == 0 || (stat(path, &is) == 0 && !S_ISREG(is.st_mode))) {
		add_string(&place, host_scratch_folder());
		add_string(&place, "/stkpipe.db");
	} else {
		add_string(&place, path);
	}
	add_char(&place, '\0');
	fd = temp_file_create(&d->file, place.at);
	if (fd < 0)
		(void)stk_fail_errno(err, "cannot create a file beside %s", place.at);
	else
		close(fd);
	array_release(&place);
	return fd < 0 ? -1 : 0;
}

int
database_open(struct database **out, const char *path, const char *schema, struct stk_error *err)
{
	static const char plain[] = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
				    "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-65536;";
	struct database *d = mem_new(1, sizeof *d);

	*out = NULL;
	if (make_file(d, path, err) < 0) {
		free(d);
		return -1;
	}
	if (sqlite3_open_v2(d->file, &d->handle, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		(void)fail(d);
	if (d->failure.code != STK_EOK || run(d, plain) < 0 || run(d, "BEGIN") < 0 || run(d, schema) < 0) {
		*err = d->failure;
		database_close(d);
		return -1;
	}
	*out = d;
	return 0;
}

static void
end_inserts(struct database *d)
{
	for (size_t i = 0; i < d->inserts.count; i++) {
		sqlite3_finalize(d->inserts.at[i]->statement);
		free(d->inserts.at[i]);
	}
	array_release(&d->inserts);
}

void
database_close(struct database *d)
{
	if (d == NULL)
		return;
	end_inserts(d);
	sqlite3_close(d->handle);
	remove_file(d);
	free(d);
}

struct insert *
database_insert(struct database *d, const char *table, unsigned columns)
{
	struct insert *insert = mem_new(1, sizeof *insert);
	struct text_buffer text = { 0 };

	*insert = (struct insert){ .database = d, .columns = (int)columns };
	*array_push(&d->inserts) = insert;
	add_format(&text, "INSERT INTO %s VALUES(?", table);
	for (unsigned c = 1; c < columns; c++)
		add_string(&text, ",?");
	add_string(&text, ")");
	if (sqlite3_prepare_v3(d->handle, text.at, (int)text.count, SQLITE_PREPARE_PERSISTENT, &insert->statement,
			       NULL) != SQLITE_OK)
		(void)fail(d);
	array_release(&text);
	return insert;
}

/* The present column has its value: after the last the row is inserted. */
static void
step(struct insert *insert, int bound)
{
	if (bound != SQLITE_OK)
		(void)fail(insert->database);
	if (insert->at < insert->columns)
		return;
	insert->at = 0;
	if (sqlite3_step(insert->statement) != SQLITE_DONE)
		(void)fail(insert->database);
	(void)sqlite3_reset(insert->statement);
}

void
put_number(struct insert *insert, int64_t value)
{
	step(insert, sqlite3_bind_int64(insert->statement, ++insert->at, value));
}

void
put_count(struct insert *insert, uint64_t value)
{
	put_number(insert, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void
put_real(struct insert *insert, double value)
{
	if (isnan(value))
		put_null(insert);
	else
		step(insert, sqlite3_bind_double(insert->statement, ++insert->at, value));
}

void
put_text(struct insert *insert, struct stk_text text)
{
	step(insert, sqlite3_bind_text64(insert->statement, ++insert->at, text.size > 0 ? text.data : "", text.size,
					 SQLITE_TRANSIENT, SQLITE_UTF8));
}

void
put_null(struct insert *insert)
{
	step(insert, sqlite3_bind_null(insert->statement, ++insert->at));
}

void
put_id(struct insert *insert, uint64_t id)
{
	if (id == 0)
		put_null(insert);
	else
		put_count(insert, id);
}

void
put_time(struct insert *insert, int64_t ns)
{
	if (ns == STK_TIME_UNKNOWN)
		put_null(insert);
	else
		put_number(insert, ns);
}

int
database_error(const struct database *d, struct stk_error *err)
{
	if (d->failure.code == STK_EOK)
		return 0;
	*err = d->failure;
	return -1;
}

static int
copy_file(const char *file, struct output *to, struct stk_error *err)
{
	char *room;
	ssize_t got;
	int fd = open_file(file, O_RDONLY, 0), result = 0;

	if (fd < 0)
		return stk_fail_errno(err, "cannot read %s", file);
	room = mem_new(COPY_BYTES, 1);
	while (result == 0 &&
	       ((got = read(fd, room, COPY_BYTES)) > 0 || (got < 0 && errno == EINTR && !host_stopping())))
		result = got < 0 ? 0 : output_write(to, room, (size_t)got, err);
	if (result == 0 && got < 0)
		result = stk_fail_errno(err, "cannot read %s", file);
	free(room);
	close(fd);
	return result;
}

int
database_finish(struct database *d, const char *last, struct output *to, struct stk_error *err)
{
	end_inserts(d);
	if (d->failure.code != STK_EOK || run(d, last) < 0 || run(d, "COMMIT") < 0)
		return database_error(d, err);
	if (sqlite3_close(d->handle) != SQLITE_OK)
		(void)fail(d);
	else
		d->handle = NULL;
	if (database_error(d, err) < 0 || copy_file(d->file, to, err) < 0)
		return -1;
	remove_file(d);
	return 0;
}

#else

int
database_open(struct database **out, const char *path, const char *schema, struct stk_error *err)
{
	(void)path, (void)schema;
	*out = NULL;
	return stk_fail(err, STK_EUSAGE, "-f sqlite: this stkcat was built without libsqlite3: install libsqlite3-dev and build it again");
}

void database_close(struct database *database) { (void)database; }

struct insert *
database_insert(struct database *database, const char *table, unsigned columns)
{
	(void)database, (void)table, (void)columns;
	return NULL;
}

void put_number(struct insert *insert, int64_t value) { (void)insert, (void)value; }
void put_count(struct insert *insert, uint64_t value) { (void)insert, (void)value; }
void put_real(struct insert *insert, double value) { (void)insert, (void)value; }
void put_text(struct insert *insert, struct stk_text text) { (void)insert, (void)text; }
void put_null(struct insert *insert) { (void)insert; }
void put_id(struct insert *insert, uint64_t id) { (void)insert, (void)id; }
void put_time(struct insert *insert, int64_t ns) { (void)insert, (void)ns; }

int
database_error(const struct database *database, struct stk_error *err)
{
	(void)database, (void)err;
	return 0;
}

int
database_finish(struct database *database, const char *last, struct output *to, struct stk_error *err)
{
	(void)database, (void)last, (void)to, (void)err;
	return 0;
}

#endif
