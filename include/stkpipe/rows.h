/* SPDX-License-Identifier: MIT
 * rows: the row structs and enumerations of every record kind, as schema_table.h declares them. Every column is 8
 * bytes, a text 16. */
#ifndef STKPIPE_ROWS_H
#define STKPIPE_ROWS_H

#include "stkpipe/error.h"
#include "stkpipe/schema_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

STK_DECLARATIONS_BEGIN

/* Bytes with a length; not NUL-terminated. */
struct stk_text { const char *data; size_t size; };

#define STK_TIME_UNKNOWN INT64_MIN

/* Valid times: 1823-11-12 to 2116-02-20. So the difference of two of them, and a time plus such a difference, fit in an
 * int64_t. Readers return others as unknown. */
#define STK_TIME_LEAST (-(INT64_C(1) << 62))
#define STK_TIME_MOST  ((INT64_C(1) << 62) - 1)

static inline bool
stk_time_is_believed(int64_t ns)
{
	return ns >= STK_TIME_LEAST && ns <= STK_TIME_MOST;
}

/* Valid measures (metrics, payloads of events, intensities): their squares and sums are finite. Readers return others
 * as NaN. */
#define STK_MEASURE_MOST 1e100

static inline bool
stk_measure_is_believed(double value)
{
	return value >= -STK_MEASURE_MOST && value <= STK_MEASURE_MOST;
}

enum stk_kind {
#define KIND(NAME, name, number, role, about) STK_##NAME = number,
	STK_KINDS(KIND)
#undef KIND
	STK_KIND_COUNT
};

/* The values of the enumerations, by position in the table's list of names. */
enum stk_clock    { STK_CLOCK_UNKNOWN, STK_CLOCK_WALL, STK_CLOCK_MONOTONIC };
enum stk_runtime  { STK_RUNTIME_UNKNOWN, STK_RUNTIME_JVM, STK_RUNTIME_NATIVE, STK_RUNTIME_SCRIPT };
enum stk_form     { STK_FORM_PLAIN, STK_FORM_JAVA, STK_FORM_NATIVE, STK_FORM_INLINED };
enum stk_state    { STK_STATE_UNKNOWN, STK_STATE_NEW, STK_STATE_RUNNABLE, STK_STATE_BLOCKED,
		    STK_STATE_WAITING, STK_STATE_TIMED_WAITING,
		    STK_STATE_TERMINATED, STK_STATE_RUNNING, STK_STATE_SLEEPING };
enum stk_role     { STK_ROLE_JAVA, STK_ROLE_DAEMON, STK_ROLE_VM, STK_ROLE_CARRIER, STK_ROLE_VIRTUAL, STK_ROLE_OTHER };
enum stk_relation { STK_RELATION_LOCKED, STK_RELATION_WAITING_TO_LOCK, STK_RELATION_WAITING_TO_RELOCK,
		    STK_RELATION_WAITING_ON, STK_RELATION_PARKING,
		    STK_RELATION_ELIMINATED, STK_RELATION_OWNS };
enum stk_happening { STK_HAPPENING_POINT, STK_HAPPENING_START, STK_HAPPENING_STOP,
		    STK_HAPPENING_SWITCH_OUT, STK_HAPPENING_SWITCH_IN };
enum stk_node     { STK_NODE_LEAF, STK_NODE_INNER, STK_NODE_THINNED };
enum stk_series { STK_SERIES_CLASS, STK_SERIES_SEGMENT, STK_SERIES_GROUP, STK_SERIES_METRIC, STK_SERIES_COUNTER };
enum stk_severity { STK_SEVERITY_INFO, STK_SEVERITY_WARNING, STK_SEVERITY_CRITICAL };
enum stk_involvement { STK_INVOLVEMENT_WAITER, STK_INVOLVEMENT_HOLDER };

enum stk_line { STK_LINE_UNKNOWN = 0, STK_LINE_NATIVE = -1, STK_LINE_NO_SOURCE = -2, STK_LINE_REDEFINED = -3 };

/* C types of the column types: ids and enumerations are unsigned words. */
#define STK_C_TEXT     struct stk_text
#define STK_C_COUNT    uint64_t
#define STK_C_NUMBER   int64_t
#define STK_C_REAL     double
#define STK_C_TIME     int64_t
#define STK_C_SPAN     int64_t
#define STK_C_CLOCK    uint64_t
#define STK_C_RUNTIME  uint64_t
#define STK_C_FORM     uint64_t
#define STK_C_STATE    uint64_t
#define STK_C_ROLE     uint64_t
#define STK_C_RELATION uint64_t
#define STK_C_HAPPENING uint64_t
#define STK_C_NODE     uint64_t
#define STK_C_SERIES   uint64_t
#define STK_C_SEVERITY uint64_t
#define STK_C_INVOLVEMENT uint64_t
#define STK_C_STRING   uint64_t
#define STK_C_FRAME    uint64_t
#define STK_C_STACK    uint64_t
#define STK_C_SOURCE   uint64_t
#define STK_C_THREAD   uint64_t
#define STK_C_LOCKS    uint64_t
#define STK_C_OBJECTS  uint64_t
#define STK_C_DUMP     uint64_t

/* struct stk_string { struct stk_text text; }; struct stk_frame { uint64_t function; ... }; and so on, one per kind.
 * Their sizes are part of the ABI: see schema_table.h. */
#define COLUMN(name, type, prediction, key, about) STK_C_##type name;
#define KIND(NAME, name, number, role, about) struct stk_##name { STK_COLUMNS_##NAME(COLUMN) };
STK_KINDS(KIND)
#undef KIND
#undef COLUMN

/* The number of a column: STK_COLUMN(sample, stack). A constant expression; numbers never change. */
#define STK_COLUMN(kind, column) ((unsigned)offsetof(struct stk_columns_of_##kind, column))
#define COLUMN(name, type, prediction, key, about) char name;
#define KIND(NAME, name, number, role, about) struct stk_columns_of_##name { STK_COLUMNS_##NAME(COLUMN) };
STK_KINDS(KIND)
#undef KIND
#undef COLUMN

STK_DECLARATIONS_END

#endif
