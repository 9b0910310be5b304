/* SPDX-License-Identifier: MIT
 * database: a new SQLite database on its way to an output: rows are inserted into prepared tables in one transaction,
 * then its pages are copied to the output. Only where libsqlite3 is, see database_open. */
#ifndef REPORT_DATABASE_H
#define REPORT_DATABASE_H

#include "base/output.h"
#include "stkpipe/rows.h"

#include <stdbool.h>

struct database;
struct insert;			/* into one table */

/* Opens an empty database with the tables that `schema` creates. path: where the output goes, beside which it is made;
 * NULL: in the folder for temporary files. -1 with *err: STK_EUSAGE where this program was built without libsqlite3. */
int  database_open(struct database **out, const char *path, const char *schema, struct stk_error *err) STK_MUST_CHECK;
/* Removes the file. NULL does nothing. */
void database_close(struct database *database);

/* An insert into a table of so many columns; it lives as long as the database. The columns of a row are put one after
 * another; the last inserts it. Failures are kept until database_error. */
struct insert *database_insert(struct database *database, const char *table, unsigned columns);
void put_number(struct insert *insert, int64_t value);
void put_count(struct insert *insert, uint64_t value);		/* above 2^63 - 1 it is that */
void put_real(struct insert *insert, double value);		/* NaN is NULL */
void put_text(struct insert *insert, struct stk_text text);	/* valid UTF-8; copied */
void put_null(struct insert *insert);
void put_id(struct insert *insert, uint64_t id);		/* 0 is NULL */
void put_time(struct insert *insert, int64_t ns);		/* unknown is NULL */

/* The first failure so far: -1 with *err; 0 when there was none. */
int  database_error(const struct database *database, struct stk_error *err) STK_MUST_CHECK;
/* Runs `last` (indices, views), and copies the finished database to the output. */
int  database_finish(struct database *database, const char *last, struct output *to,
		     struct stk_error *err) STK_MUST_CHECK;

#endif
