/* SPDX-License-Identifier: MIT
 * progress: one line on stderr that shows how far we are. */
#include "program/progress.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DRAW_EVERY_NS   INT64_C(250000000)	/* on a terminal */
#define REPORT_EVERY_NS INT64_C(5000000000)	/* into a log: lines stay there */

/* progress_add may come from any worker: the sums are atomic, and only one thread draws at a time. */
static _Atomic int64_t bytes_done, rows_done, drawn_at_ns;
static int64_t bytes_total, begun_at_ns;
static atomic_flag drawing = ATOMIC_FLAG_INIT;
static atomic_bool shown;		/* a line is on the terminal */
static atomic_bool active;
static bool on_terminal;
static const char *name = "";
static enum progress_when when;

static int64_t
clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Three digits and a unit: "1.23 G". */
static const char *
quantity(char to[32], double value)
{
	static const char units[] = " kMGTPE";
	size_t unit = 0;

	for (; value >= 999.5 && unit + 2 < sizeof units; unit++)
		value /= 1000;
	snprintf(to, 32, "%.*f %.*s",
		 unit == 0 || value >= 99.95 ? 0
		 : value >= 9.995            ? 1
					     : 2,
		 value, unit != 0, units + unit);
	return to;
}

static void
append(char *line, size_t size, const char *before, const char *text, const char *after)
{
	size_t used = strlen(line);

	snprintf(line + used, size - used, "%s%s%s", before, text, after);
}

static void
append_time_left(char *line, size_t size, int64_t bytes, double seconds)
{
	char text[32];
	long left;

	if (bytes_total <= 0 || bytes <= 0 || bytes > bytes_total || seconds < 1)
		return;
	left = (long)((double)(bytes_total - bytes) / (double)bytes * seconds + 0.5);
	snprintf(text, sizeof text, "%ld:%02ld", left / 60, left % 60);
	append(line, size, ", ", text, " left");
}

static void
compose(char *line, size_t size, int64_t now_ns)
{
	int64_t bytes = atomic_load(&bytes_done), rows = atomic_load(&rows_done);
	double seconds = (double)(now_ns - begun_at_ns) / 1e9;
	char text[32];

	append(line, size, name, ": ", "");
	append(line, size, quantity(text, (double)bytes), "B", "");
	if (bytes_total > 0)
		append(line, size, " of ", quantity(text, (double)bytes_total), "B");
	if (rows > 0)
		append(line, size, ", ", quantity(text, (double)rows), rows < 1000 ? "rows" : " rows");
	if (seconds > 0)
		append(line, size, ", ", quantity(text, (double)bytes / seconds), "B/s");
	append_time_left(line, size, bytes, seconds);
}

static void
put(const char *line)
{
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		active = false;
}

static void
draw(int64_t now_ns)
{
	char line[300] = "";

	if (on_terminal)
		append(line, sizeof line, "\r", "", "");
	compose(line, sizeof line - 8, now_ns);
	append(line, sizeof line, on_terminal ? "\033[K" : "\n", "", "");
	atomic_store(&shown, on_terminal);
	put(line);
}

void
progress_set(const char *with_name, enum progress_when with_when)
{
	name = with_name;
	when = with_when;
}

void
progress_begin(int64_t total_bytes)
{
	on_terminal = isatty(STDERR_FILENO);
	active = when == PROGRESS_ALWAYS || (when == PROGRESS_ON_TERMINAL && on_terminal);
	bytes_total = total_bytes;
	bytes_done = rows_done = 0;
	begun_at_ns = active ? clock_ns() : 0;
	drawn_at_ns = begun_at_ns;
}

void
progress_add(int64_t bytes, int64_t rows)
{
	int64_t now_ns;

	if (!active)
		return;
	atomic_fetch_add_explicit(&bytes_done, bytes, memory_order_relaxed);
	atomic_fetch_add_explicit(&rows_done, rows, memory_order_relaxed);
	now_ns = clock_ns();
	if (now_ns - atomic_load(&drawn_at_ns) < (on_terminal ? DRAW_EVERY_NS : REPORT_EVERY_NS) ||
	    atomic_flag_test_and_set(&drawing))
		return;
	atomic_store(&drawn_at_ns, now_ns);
	draw(now_ns);
	atomic_flag_clear(&drawing);
}

void
progress_hide(void)
{
	if (atomic_exchange(&shown, false))
		put("\r\033[K");
}

/* Into a log goes a last line with the totals; a terminal is left as it was. */
void
progress_end(void)
{
	if (active && !on_terminal)
		draw(clock_ns());
	progress_hide();
	active = false;
}
