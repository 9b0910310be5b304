/* SPDX-License-Identifier: MIT
 * call_tree_table: trees of calls as lines of fields, the depth of a function being the blanks before its name: what
 * "Deep Copy" of Apple's Instruments copies, and what Intel's VTune reports top-down as CSV.
 *
 *	Weight	Self Weight		Symbol Name
 *	96.08 Gc  100.0%	-	 	shop (40414)
 *	47.82 Gc   49.7%	404.75 Mc	 	 main
 *
 *	Function Stack,CPU Time:Total,CPU Time:Self,Module
 *	Total,100.0%,0s,
 *	 main,98.5%,0.100s,shop
 *
 * Figures are rounded, as they were shown. */
#include "base/array.h"
#include "base/delimited.h"
#include "ingest/profile_tables.h"
#include "ingest/section_search.h"
#include "ingest/text_lines.h"
#include "model/recorder.h"

#include <limits.h>

#define HEAD_WITHIN 4096u /* bytes of other text before the header */
#define COLUMNS_MOST 64u
#define WEIGHS_MOST 16u
#define WEIGHT_MOST 0x1p62

enum scale { SCALE_COUNT, SCALE_SECONDS, SCALE_MILLISECONDS }; /* of a number without a unit */

/* A column of what functions weigh: themselves, or (total) with what they call. */
struct weighs {
	unsigned column;
	bool total;
	enum scale scale;
	struct stk_text name;
	uint32_t event;
};

struct columns {
	char delimiter;
	unsigned name, full, module, file, address, count; /* UNUSED: there is none */
	struct weighs weighs[WEIGHS_MOST];
	unsigned weigh_count, other_weighs;
};
#define UNUSED UINT_MAX

struct open_call {
	size_t depth;
	uint32_t stack;
	double weight[WEIGHS_MOST], below[WEIGHS_MOST];
};

struct table {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	bool (*read_header)(struct columns *columns, const struct stk_text *fields, unsigned count);
	bool names_processes; /* the outermost calls may be processes and threads */
	struct columns columns;
	bool in_tree, any_rows;
	const char *foreign; /* the first line that is of no tree, since the last one began; NULL */
	bool other; /* such lines have something that is only read elsewhere */
	ARRAY(struct open_call) open;
	uint32_t source, thread;
	bool has_process;
	char *room; /* for what quotes change in a line */
	uint64_t heavier, deepest;
	bool failed;
};

/* --- values --- */

struct unit {
	const char *name;
	double times;
	const char *event;
};

static const struct unit units[] = {
	/* the event of which such values are; NULL: of the column's own */
	{ "ns", 1, "cpu/nanoseconds" },
	{ "us", 1e3, "cpu/nanoseconds" },
	{ "\xc2\xb5s", 1e3, "cpu/nanoseconds" },
	{ "\xce\xbcs", 1e3, "cpu/nanoseconds" },
	{ "ms", 1e6, "cpu/nanoseconds" },
	{ "s", 1e9, "cpu/nanoseconds" },
	{ "min", 6e10, "cpu/nanoseconds" },
	{ "h", 3.6e12, "cpu/nanoseconds" },
	{ "cycles", 1, "cycles" },
	{ "c", 1, "cycles" },
	{ "Kc", 1e3, "cycles" },
	{ "Mc", 1e6, "cycles" },
	{ "Gc", 1e9, "cycles" },
	{ "Tc", 1e12, "cycles" },
	{ "Bytes", 1, "bytes" },
	{ "B", 1, "bytes" },
	{ "KB", 0x1p10, "bytes" },
	{ "MB", 0x1p20, "bytes" },
	{ "GB", 0x1p30, "bytes" },
	{ "TB", 0x1p40, "bytes" },
	{ "KiB", 0x1p10, "bytes" },
	{ "MiB", 0x1p20, "bytes" },
	{ "GiB", 0x1p30, "bytes" },
	{ "TiB", 0x1p40, "bytes" },
};

static bool
is_digit(const char *at, const char *end)
{
	return at < end && *at >= '0' && *at <= '9';
}

/* Whether a comma is one of thousands: three digits follow it, and it is no decimal comma of another language. */
static bool
is_of_thousands(const char *comma, const char *end)
{
	return is_digit(comma + 1, end) && is_digit(comma + 2, end) && is_digit(comma + 3, end) &&
	       !is_digit(comma + 4, end);
}

/* "1,234.5" from *at on: the commas are taken out. */
static bool
take_number(const char **at, const char *end, double *value)
{
	char digits[40];
	size_t size = 0;

	for (; is_digit(*at, end) || (*at < end && (**at == '.' || **at == ',')); ++*at) {
		if (**at == ',' && (size == 0 || digits[0] == '0' || !is_of_thousands(*at, end)))
			return false;
		if (**at != ',')
			digits[size++] = **at;
		if (size == sizeof digits)
			return false;
	}
	return size > 0 && delimited_number(text_of(digits, size), value) && *value >= 0 && *value < WEIGHT_MOST;
}

/* "96.08 Gc  100.0%", "404.75 Mc", "4273.0ms   99.9%", "0.100s", "12", "-". False: it is no value. *event becomes that
 * of the unit. */
static bool
read_value(struct stk_text field, enum scale scale, double *value, const char **event)
{
	const char *at, *end, *from;
	struct stk_text name;

	field = trimmed(unindented(field));
	at = from = field.data;
	end = at + field.size;
	*value = 0;
	if (field.size == 0 || text_is(field, "-"))
		return true;
	if (!take_number(&at, end, value))
		return false;
	if (at < end && *at == ' ')
		at++;
	for (from = at; at < end && *at != ' ' && *at != '\t';)
		at++;
	name = between(from, at);
	if (name.size == 0 && at == end) {
		*value *= scale == SCALE_SECONDS ? 1e9 : scale == SCALE_MILLISECONDS ? 1e6 : 1;
		return *value < WEIGHT_MOST;
	}
	if (at < end && !text_ends(field, "%"))
		return false;
	for (size_t u = 0; u < sizeof units / sizeof *units; u++)
		if (text_is(name, units[u].name)) {
			*value *= units[u].times;
			*event = units[u].event;
			return *value < WEIGHT_MOST;
		}
	return false;
}

/* --- headers --- */

static void
add_weighs(struct columns *columns, struct weighs weighs)
{
	if (columns->weigh_count < WEIGHS_MOST)
		columns->weighs[columns->weigh_count++] = weighs;
	else
		columns->other_weighs++;
}

static bool
is_any_of(struct stk_text text, const char *const *words)
{
	for (; *words != NULL; words++)
		if (text_is(text, *words))
			return true;
	return false;
}

/* "Weight	Self Weight		Symbol Name". What functions weigh themselves is better known than what is left of totals. */
static bool
read_instruments_header(struct columns *columns, const struct stk_text *fields, unsigned count)
{
	static const char *const totals[] = { "Weight", "Running Time", "Bytes Used", NULL };
	static const char *const selves[] = { "Self Weight", "Self", "Self (ms)", "Self Bytes", NULL };
	static const char *const names[] = { "Symbol Name", "Symbol Names", NULL };
	unsigned total = UNUSED, self = UNUSED;

	for (unsigned f = 0; f < count; f++) {
		struct stk_text field = trimmed(unindented(fields[f]));

		if (is_any_of(field, names))
			columns->name = f;
		else if (text_is(field, "Source Path"))
			columns->file = f;
		else if (is_any_of(field, totals))
			total = f;
		else if (is_any_of(field, selves))
			self = f;
	}
	if (total == UNUSED || columns->name == UNUSED)
		return false;
	add_weighs(columns, self == UNUSED
				    ? (struct weighs){ .column = total, .total = true, .name = text_from("weight") }
				    : (struct weighs){ .column = self,
						       .name = text_from("weight"),
						       .scale = text_is(fields[self], "Self (ms)") ? SCALE_MILLISECONDS
												   : SCALE_COUNT });
	return true;
}

/* The measure of "CPU Time:Self", or nothing: "Hardware Event Count:CPU_CLK_UNHALTED.THREAD:Self" */
static struct stk_text
own_measure(struct stk_text field)
{
	if (!text_ends(field, "Self"))
		return text_of("", 0);
	field.size -= strlen("Self");
	field = trimmed(field);
	return text_ends(field, ":") ? trimmed(text_of(field.data, field.size - 1)) : text_of("", 0);
}

/* Whether values of a measure can be added up: those of "CPI Rate" cannot. */
static bool
adds_up(struct stk_text measure)
{
	static const char *const words[] = {
		"Time",        "Count",         "Size",  "Clockticks", "Instructions Retired",
		"Allocations", "Deallocations", "Loads", "Stores"
	};

	for (size_t w = 0; w < sizeof words / sizeof *words; w++)
		if (text_find(measure, words[w]) != NULL)
			return true;
	return false;
}

static bool
read_vtune_header(struct columns *columns, const struct stk_text *fields, unsigned count)
{
	if (count < 2 || !text_is(trimmed(fields[0]), "Function Stack"))
		return false;
	columns->name = 0;
	for (unsigned f = 1; f < count; f++) {
		struct stk_text field = trimmed(fields[f]), measure = own_measure(field);

		if (text_is(field, "Module"))
			columns->module = f;
		else if (text_is(field, "Function (Full)"))
			columns->full = f;
		else if (text_is(field, "Source File"))
			columns->file = f;
		else if (text_is(field, "Start Address"))
			columns->address = f;
		else if (measure.size > 0 && adds_up(measure))
			add_weighs(columns,
				   (struct weighs){ .column = f,
						    .name = measure,
						    .scale = text_find(measure, "Time") != NULL ? SCALE_SECONDS
												: SCALE_COUNT });
		else if (measure.size > 0)
			columns->other_weighs++;
	}
	return true;
}

/* --- rows --- */

/* The fields of a line. Blanks before a quote are of the name in it. */
static unsigned
split(struct table *t, struct stk_text line, char delimiter, struct stk_text *fields)
{
	struct stk_text text = unindented(line);
	size_t blanks = line.size - text.size, count;

	if (blanks == 0 || delimiter == '\t' || text.size == 0 || *text.data != '"')
		return (unsigned)delimited_split(line, delimiter, fields, COLUMNS_MOST, t->room);
	memset(t->room, ' ', blanks);
	count = delimited_split(text, delimiter, fields, COLUMNS_MOST, t->room + blanks);
	fields[0] = text_of(t->room, blanks + fields[0].size);
	return (unsigned)count;
}

static struct stk_text
field_of(const struct stk_text *fields, unsigned count, unsigned column)
{
	struct stk_text field = column < count ? trimmed(unindented(fields[column])) : text_of("", 0);

	return text_is(field, "[Unknown]") ? text_of("", 0) : field;
}

static void
record(struct table *t, unsigned w, double weight, uint32_t stack)
{
	struct stk_sample row = { .time = STK_TIME_UNKNOWN,
				  .processor = PROCESSOR_UNKNOWN,
				  .thread = t->thread,
				  .stack = stack,
				  .weight = (uint64_t)(weight + 0.5),
				  .event = t->columns.weighs[w].event };

	if (!t->failed && row.weight > 0)
		t->failed = recording_sample(t->collect, &row, t->err) < 0;
}

static void
end_calls(struct table *t, size_t depth)
{
	while (t->open.count > 0 && t->open.at[t->open.count - 1].depth >= depth) {
		const struct open_call *call = &t->open.at[--t->open.count];

		for (unsigned w = 0; w < t->columns.weigh_count; w++) {
			bool total = t->columns.weighs[w].total;
			double left = call->weight[w] - (total ? call->below[w] : 0);

			t->heavier += left < -0.01 * call->weight[w]; /* else it is rounding */
			if (left > 0)
				record(t, w, left, call->stack);
		}
	}
}

/* "shop (40414)" is a process, "Main Thread  0x8480c1" or "0x8480c1" one of its threads. */
static bool
take_process(struct table *t, struct stk_text name)
{
	const char *open = name.size > 2 && text_ends(name, ")") ? memrchr(name.data, '(', name.size) : NULL;
	const char *at = open != NULL ? open + 1 : NULL, *end = name.data + name.size - 1;
	struct stk_thread thread = { 0 };
	uint64_t pid;

	if (open == NULL || open == name.data || open[-1] != ' ' || !scan_decimal(&at, end, &pid) || at != end)
		return false;
	t->source = recording_source_of(t->collect, pid, trimmed(between(name.data, open)));
	t->has_process = true;
	thread.source = t->source;
	t->thread = recorder_thread(t->recorder, &thread);
	return true;
}

static bool
take_thread(struct table *t, struct stk_text name)
{
	const char *blank = name.size > 0 ? memrchr(name.data, ' ', name.size) : NULL, *end = name.data + name.size;
	const char *at = blank != NULL ? blank + 1 : name.data;
	struct stk_thread thread = { .source = t->source };

	if (!t->has_process || !text_starts(between(at, end), "0x") || !scan_hex(&at, end, &thread.tid) || at != end)
		return false;
	thread.name = recorder_string(t->recorder, trimmed(between(name.data, blank != NULL ? blank : name.data)));
	t->thread = recorder_thread(t->recorder, &thread);
	return true;
}

/* The stack of a row: that of its caller, and its function, where it is one. */
static uint32_t
stack_of(struct table *t, struct stk_text name, const struct stk_text *fields, unsigned count)
{
	const struct columns *columns = &t->columns;
	struct stk_text full = field_of(fields, count, columns->full);
	struct stk_text address = field_of(fields, count, columns->address);
	struct frame_parts parts = { .function = full.size > 0 ? full : name,
				     .form = STK_FORM_NATIVE,
				     .module = field_of(fields, count, columns->module),
				     .file = field_of(fields, count, columns->file) };
	const char *at = address.data;
	uint32_t caller = t->open.count > 0 ? t->open.at[t->open.count - 1].stack : 0;

	if (t->names_processes && t->open.count == 0 && take_process(t, name))
		return 0;
	if (t->names_processes && t->open.count == 1 && take_thread(t, name))
		return 0;
	if (!t->names_processes && t->open.count == 0 && !t->any_rows && text_is(name, "Total"))
		return 0;
	if (address.size > 0 && !scan_hex(&at, at + address.size, &parts.address))
		parts.address = 0;
	return recorder_stack(t->recorder, caller, recording_frame(t->collect, &parts));
}

/* What is wrong with a row, or NULL. */
static const char *
take_row(struct table *t, const struct stk_text *fields, unsigned count)
{
	struct stk_text name = t->columns.name < count ? trimmed(fields[t->columns.name]) : text_of("", 0);
	struct stk_text bare = unindented(name);
	struct open_call call = { .depth = name.size - bare.size };
	const char *wrong = NULL;

	if (bare.size == 0)
		return "a row without the name of a function";
	for (unsigned w = 0; w < t->columns.weigh_count; w++) {
		struct weighs *weighs = &t->columns.weighs[w];
		const char *event = NULL;

		if (weighs->column >= count ||
		    !read_value(fields[weighs->column], weighs->scale, &call.weight[w], &event)) {
			call.weight[w] = 0; /* it still is the caller of what follows */
			wrong = "a row whose weight cannot be read";
			continue;
		}
		if (weighs->event == 0 && event != NULL)
			weighs->event = recorder_string(t->recorder, text_from(event));
	}
	end_calls(t, call.depth);
	if (t->open.count == INGEST_DEPTH_MAX) {
		t->deepest++;
		return wrong;
	}
	call.stack = stack_of(t, bare, fields, count);
	t->any_rows = true;
	if (t->open.count > 0)
		for (unsigned w = 0; w < t->columns.weigh_count; w++)
			t->open.at[t->open.count - 1].below[w] += call.weight[w];
	*array_push(&t->open) = call;
	return wrong;
}

/* The event of a column whose values say no unit: "cpu/nanoseconds" of "CPU Time", "Allocation Size/bytes". */
static void
name_events(struct table *t)
{
	for (unsigned w = 0; w < t->columns.weigh_count; w++) {
		struct weighs *weighs = &t->columns.weighs[w];
		struct text_buffer name = { 0 };

		if (text_is(weighs->name, "weight") && weighs->scale == SCALE_COUNT)
			continue; /* the first value with a unit decides */
		if (text_is(weighs->name, "CPU Time") || text_is(weighs->name, "weight"))
			add_string(&name, "cpu");
		else
			add_text(&name, weighs->name);
		if (weighs->scale != SCALE_COUNT)
			add_string(&name, "/nanoseconds");
		else if (text_find(weighs->name, "Size") != NULL)
			add_string(&name, "/bytes");
		weighs->event = recorder_string(t->recorder, text_in(&name, 0));
		array_release(&name);
	}
}

static void
begin_tree(struct table *t, const struct columns *columns)
{
	struct stk_thread thread = { .source = recording_source(t->collect) };

	end_calls(t, 0);
	t->columns = *columns;
	t->in_tree = true;
	t->any_rows = t->has_process = false;
	t->source = thread.source;
	t->thread = recorder_thread(t->recorder, &thread);
	name_events(t);
	recording_unplaced(t->collect, columns->other_weighs,
			   "columns of figures that cannot be added up, or beyond 16");
	if (columns->weigh_count == 0)
		recording_broken(t->collect,
				 "a table without what functions take themselves: report it with CPU Time:Self");
}

static bool
is_header(struct table *t, struct stk_text line, struct columns *columns)
{
	struct stk_text fields[COLUMNS_MOST];
	unsigned count;

	*columns = (struct columns){ .delimiter = delimiter_of(line),
				     .name = UNUSED,
				     .full = UNUSED,
				     .module = UNUSED,
				     .file = UNUSED,
				     .address = UNUSED };
	count = split(t, line, columns->delimiter, fields);
	return count <= COLUMNS_MOST && t->read_header(columns, fields, count);
}

/* Lines up to `end` that are of no tree may have something that is only read elsewhere. */
static void
look_at_foreign(struct table *t, const char *end)
{
	t->other |= t->foreign != NULL && section_is_in(between(t->foreign, end));
	t->foreign = NULL;
}

/* An empty line ends a tree of VTune; between those of Instruments it is nothing. */
static void
take_line(struct table *t, uint64_t number, struct stk_text line)
{
	struct stk_text fields[COLUMNS_MOST];
	struct columns columns;
	const char *wrong;

	if (trimmed(line).size == 0) {
		end_calls(t, 0);
		t->in_tree &= t->names_processes;
	} else if (is_header(t, line, &columns)) {
		look_at_foreign(t, line.data);
		begin_tree(t, &columns);
	} else if (!t->in_tree) {
		t->foreign = t->foreign == NULL ? line.data : t->foreign;
		recording_rejected(t->collect, number, line, false, "no part of a tree of calls");
	} else if (t->columns.weigh_count > 0) {
		wrong = take_row(t, fields, split(t, line, t->columns.delimiter, fields));
		if (wrong != NULL)
			recording_rejected(t->collect, number, line, true, wrong);
	}
}

static int
read_table(struct table *t, const struct recording_bytes *from)
{
	struct text_buffer all = { 0 };
	uint64_t number = 1;
	const char *end;

	if (!profile_hold(&all, from))
		recording_broken(t->collect, "a table of more than 2 GB; what follows is left out");
	end = all.at + all.count;
	t->room = mem_new(all.count + 1, 1);
	for (const char *at = all.at, *next; at < end && !t->failed; at = next + (next < end), number++) {
		next = scan_line_end(at, end);
		take_line(t, number, between(at, next));
	}
	end_calls(t, 0);
	look_at_foreign(t, end);
	if (t->other)
		recording_broken(t->collect, SECTION_BELOW);
	if (t->heavier > 0)
		recording_broken(t->collect, "calls that weigh less than what they call");
	if (t->deepest > 0)
		recording_broken(t->collect, "calls deeper than 65,536 levels; left out");
	free(t->room);
	array_release(&t->open);
	array_release(&all);
	return t->failed ? -1 : recorder_error(t->recorder, t->err);
}

/* --- the formats --- */

static int
read_instruments(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct table t = { .collect = to,
			   .recorder = recording_definitions(to),
			   .err = err,
			   .read_header = read_instruments_header,
			   .names_processes = true };

	return read_table(&t, from);
}

static int
read_vtune(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct table t = {
		.collect = to, .recorder = recording_definitions(to), .err = err, .read_header = read_vtune_header
	};

	return read_table(&t, from);
}

/* Where a line begins that has these words first and all of the others in it; NULL: none near the beginning. */
static const char *
find_header(struct stk_text text, const char *const *first, const char *const *others)
{
	const char *end = text.data + (text.size < HEAD_WITHIN ? text.size : HEAD_WITHIN), *next;

	for (const char *at = text.data; at < end; at = next + (next < end)) {
		struct stk_text line = line_at(at, text.data + text.size);

		next = line.data + line.size < end ? line.data + line.size : end;
		line = text_of(line.data + (line.size > 0 && *line.data == '"'),
			       line.size - (line.size > 0 && *line.data == '"'));
		for (const char *const *word = first; *word != NULL; word++) {
			bool all = text_starts(line, *word);

			for (const char *const *other = others; *other != NULL && all; other++)
				all = text_find(line, *other) != NULL;
			if (all)
				return at;
		}
	}
	return NULL;
}

/* What is before the header must be nothing that another format reads. */
static int
sure_of(struct stk_text text, const char *header)
{
	if (header == NULL || header == text.data)
		return header == NULL ? 0 : 100;
	return text_format_recognised(between(text.data, header)) == NULL ? 95 : 0;
}

static int
recognise_instruments(struct stk_text text)
{
	static const char *const first[] = { "Weight\t", "Running Time\t", "Bytes Used\t", NULL };
	static const char *const others[] = { "\tSymbol Name", NULL };

	return sure_of(text, find_header(text, first, others));
}

static int
recognise_vtune(struct stk_text text)
{
	static const char *const first[] = { "Function Stack\"", "Function Stack,", "Function Stack;",
					     "Function Stack\t", NULL };
	static const char *const others[] = { ":", NULL };

	return sure_of(text, find_header(text, first, others));
}

const struct text_format instruments_text_format = {
	.name = "instruments-text",
	.about = "trees of calls copied from Apple's Instruments by Deep Copy: time, cycles, bytes",
	.shown_by = "\"Weight\", \"Running Time\" or \"Bytes Used\" above \"Symbol Name\"",
	.is_text = true,
	.clock = STK_CLOCK_MONOTONIC,
	.runtime = STK_RUNTIME_NATIVE,
	.recognise = recognise_instruments,
	.read = read_instruments
};

const struct text_format vtune_format = {
	.name = "vtune",
	.about = "Intel VTune's top-down reports as CSV, each column of what functions take themselves an event",
	.shown_by = "a header that begins with \"Function Stack\"",
	.is_text = true,
	.clock = STK_CLOCK_MONOTONIC,
	.runtime = STK_RUNTIME_NATIVE,
	.recognise = recognise_vtune,
	.read = read_vtune
};
