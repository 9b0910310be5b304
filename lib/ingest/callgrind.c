/* SPDX-License-Identifier: MIT
 * callgrind: profiles of valgrind's callgrind, and of what writes its format (Xdebug, pprof -callgrind): costs of
 * functions, line by line, and of calls. There are no stacks: call_graph estimates them; the costs of functions stay
 * what they are. A file may have several parts, of threads or dumps.
 *
 *	events: Ir
 *	fn=(1) main		(1) is main from here on
 *	12 30			line, cost
 *	cfn=(2) sell
 *	calls=4 50
 *	13 700			line, cost of all these calls
 */
#include "base/text_table.h"
#include "ingest/call_graph.h"
#include "ingest/profile_tables.h"
#include "ingest/text_lines.h"
#include "model/recorder.h"

#define EVENTS_MOST  32u
#define HEAD_BYTES   4096u
#define HEAD_LINE    "# callgrind format"
#define BY_NAME      (UINT64_C(1) << 63)	/* of a function whose name has no number */

enum name_sort { NAME_FUNCTION, NAME_FILE, NAME_OBJECT, NAME_SORTS };

struct function { struct stk_text name, object, file; uint64_t part; uint32_t node; };	/* node: in that part */

struct callgrind {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	struct id_table names[NAME_SORTS];	/* texts by number */
	struct id_table functions;		/* by number */
	struct text_table by_name;		/* those without a number */
	/* of the present part */
	uint64_t part;
	struct call_graph graph;
	ARRAY(uint64_t) costs;			/* of each node, of each event */
	struct stk_text events[EVENTS_MOST];
	unsigned event_count, positions;
	uint64_t thread, pid, said;
	struct stk_text command;
	bool exact, has_total;			/* of callgrind itself, whose costs sum up to the total */
	/* what the present lines are of: numbers of nodes from 1; 0: of nothing */
	struct stk_text object, file, called_object, called_file;
	uint32_t caller, callee;
	uint64_t calls;
	bool call_follows;
	uint64_t unread, costless, nameless, negative, differing, beyond;
	bool failed;
};

/* --- names --- */

/* "(12) sell", "(12)" or "sell". *number: 0 without one. */
static struct stk_text
take_name(struct callgrind *c, enum name_sort sort, struct stk_text text, uint64_t *number)
{
	const char *at = text.data + 1, *end = text.data + text.size;
	struct stk_text *known;

	*number = 0;
	if (!text_starts(text, "(") || !scan_decimal(&at, end, number) || at == end || *at != ')') {
		*number = 0;
		return text;
	}
	text = trimmed(unindented(between(at + 1, end)));
	known = text.size > 0 ? id_table_at(&c->names[sort], *number) : id_table_find(&c->names[sort], *number);
	if (text.size > 0)
		*known = text;
	c->nameless += known == NULL;
	return known != NULL ? *known : text_of("", 0);
}

static struct stk_text
name_of(struct callgrind *c, enum name_sort sort, struct stk_text text)
{
	uint64_t unused;

	return take_name(c, sort, text, &unused);
}

/* Functions without a number are known by their names and those of their objects. */
static uint64_t
number_by_name(struct callgrind *c, struct stk_text name, struct stk_text object)
{
	struct text_buffer key = { 0 };
	uint64_t number;

	add_text(&key, object);
	add_char(&key, '\0');
	add_text(&key, name);
	number = text_table_number(&c->by_name, text_in(&key, 0));
	array_release(&key);
	return number | BY_NAME;
}

/* "sell'2" is the second sell in a stack, which calls itself. */
static struct stk_text
without_level(struct stk_text name)
{
	const char *quote = memrchr(name.data, '\'', name.size), *end = name.data + name.size, *at = quote;
	uint64_t level;

	if (quote == NULL || quote == name.data)
		return name;
	at++;
	return scan_decimal(&at, end, &level) && at == end
		       ? between(name.data, quote)
		       : name;
}

static uint32_t
frame_of(struct callgrind *c, const struct function *function)
{
	struct frame_parts parts = { .function = without_level(function->name), .module = function->object,
				     .file = function->file, .form = STK_FORM_NATIVE };
	const char *at, *end;

	at = parts.function.data;
	end = at + parts.function.size;
	if (text_starts(parts.function, "0x") && scan_hex(&at, end, &parts.address) && at == end)
		parts.function.size = 0;
	if (parts.function.size == 0 || text_is(parts.function, "???"))
		parts.function = text_from("[unknown]");
	if (text_is(parts.module, "???"))
		parts.module.size = 0;
	if (text_is(parts.file, "???"))
		parts.file.size = 0;
	return recording_frame(c->collect, &parts);
}

/* The node of a function in the present part, from 1. */
static uint32_t
node_of(struct callgrind *c, struct stk_text text, struct stk_text object, struct stk_text file)
{
	uint64_t number;
	struct stk_text name = take_name(c, NAME_FUNCTION, text, &number);
	struct function *function = id_table_at(&c->functions, number != 0 ? number : number_by_name(c, name, object));

	if (function->name.data == NULL)
		*function = (struct function){ .name = name, .object = object, .file = file };
	if (function->part != c->part) {
		function->part = c->part;
		function->node = call_graph_node(&c->graph, frame_of(c, function));
		for (unsigned e = 0; e < c->event_count; e++)
			*array_push(&c->costs) = 0;
	}
	return function->node + 1;
}

/* --- costs --- */

static struct stk_text
take_word(struct stk_text *rest)
{
	struct stk_text word;

	*rest = unindented(*rest);
	for (word = text_of(rest->data, 0); word.size < rest->size && (unsigned char)word.data[word.size] > ' ';)
		word.size++;
	*rest = between(word.data + word.size, rest->data + rest->size);
	return word;
}

/* "17", "0x4a", "+3", "-3" from the one before, or "*", the same. */
static bool
is_position(struct stk_text word)
{
	const char *at = word.data, *end = at + word.size;
	uint64_t unused;

	if (text_is(word, "*"))
		return true;
	at += word.size > 0 && (*at == '+' || *at == '-');
	if (end - at > 2 && at[0] == '0' && at[1] == 'x') {
		at += 2;
		return scan_hex(&at, end, &unused) && at == end;
	}
	return scan_decimal(&at, end, &unused) && at == end;
}

/* The costs after the positions; those that are missing are 0. */
static bool
read_costs(struct callgrind *c, struct stk_text line, uint64_t costs[EVENTS_MOST])
{
	struct stk_text word;

	for (unsigned p = 0; p < c->positions; p++)
		if (!is_position(take_word(&line)))
			return false;
	for (unsigned e = 0; (word = take_word(&line)).size > 0; e++) {
		const char *at = word.data, *end = at + word.size;
		uint64_t cost = 0;

		if (*at == '-') {
			c->negative++;
			at = end;
		} else if (!scan_decimal(&at, end, &cost)) {
			return false;
		}
		if (e >= c->event_count || at != end)
			return false;
		costs[e] = cost;
	}
	return true;
}

static void
take_costs(struct callgrind *c, struct stk_text line)
{
	uint64_t costs[EVENTS_MOST] = { 0 }, *own;
	bool of_call = c->call_follows;

	c->call_follows = false;
	if (c->event_count == 0 || c->caller == 0 || !read_costs(c, line, costs)) {
		c->unread++;
		return;
	}
	if (of_call) {
		if (c->callee != 0)
			call_graph_add(&c->graph, c->caller - 1, c->callee - 1, costs[0], c->calls);
		c->callee = 0;
		return;
	}
	own = &c->costs.at[(size_t)(c->caller - 1) * c->event_count];
	for (unsigned e = 0; e < c->event_count; e++)
		if (__builtin_add_overflow(own[e], costs[e], &own[e]) || own[e] > PROFILE_WEIGHT_MOST) {
			own[e] = PROFILE_WEIGHT_MOST;
			c->beyond++;
		}
}

/* --- samples --- */

/* A cost of a function to its chains, so that the sum is exact. */
static int
take_function(struct callgrind *c, uint32_t node, uint64_t cost, struct stk_sample *row)
{
	size_t count;
	const struct call_chain *chains = call_graph_chains(&c->graph, node, &count);
	uint64_t before = 0;
	double share = 0;

	for (size_t i = 0; i < count && before < cost; i++) {
		uint64_t now = cost;

		share += chains[i].share;
		if (i + 1 < count && share < 1)
			now = (uint64_t)((long double)cost * (long double)share + 0.5L);
		now = now < before ? before : now > cost ? cost : now;
		row->weight = now - before;
		row->stack = chains[i].stack;
		before = now;
		if (row->weight > 0 && recording_sample(c->collect, row, c->err) < 0)
			return -1;
	}
	return 0;
}

static void
check_total(struct callgrind *c)
{
	uint64_t sum = 0;

	for (uint32_t n = 0; n < c->graph.nodes.count; n++)
		sum += c->costs.at[(size_t)n * c->event_count];
	c->differing += c->exact && c->has_total && sum != c->said;
}

static int
take_part(struct callgrind *c)
{
	struct frame_parts other = { .function = text_from("[other callers]") };
	struct stk_thread thread = { .number = c->thread };
	struct stk_sample row = { .time = STK_TIME_UNKNOWN, .processor = PROCESSOR_UNKNOWN };

	if (c->event_count == 0) {	/* functions, but nothing says what they cost */
		c->costless++;
		return 0;
	}
	check_total(c);
	recording_process(c->collect, c->pid, recorder_string(c->recorder, c->command), 0, 0);
	thread.source = recording_source(c->collect);
	row.thread = recorder_thread(c->recorder, &thread);
	call_graph_settle(&c->graph, c->recorder, recording_frame(c->collect, &other));
	for (unsigned e = 0; e < c->event_count; e++) {
		row.event = recorder_string(c->recorder, c->events[e]);
		for (uint32_t n = 0; n < c->graph.nodes.count; n++)
			if (take_function(c, n, c->costs.at[(size_t)n * c->event_count + e], &row) < 0)
				return -1;
	}
	return 0;
}

/* What was read so far is a part: nothing in the next one adds to it. */
static void
end_part(struct callgrind *c)
{
	if (c->graph.nodes.count == 0)
		return;
	c->failed |= !c->failed && take_part(c) < 0;
	call_graph_clear(&c->graph);
	c->costs.count = 0;
	c->part++;
	c->caller = c->callee = 0;
	c->call_follows = c->has_total = false;
	c->thread = 0;
}

/* --- lines --- */

static bool
take_field(struct stk_text line, const char *name, struct stk_text *value)
{
	if (!text_starts(line, name))
		return false;
	*value = unindented(text_of(line.data + strlen(name), line.size - strlen(name)));
	return true;
}

static void
take_events(struct callgrind *c, struct stk_text names)
{
	struct stk_text word;

	for (c->event_count = 0; (word = take_word(&names)).size > 0;)
		if (c->event_count < EVENTS_MOST)
			c->events[c->event_count++] = word;
		else
			c->unread++;
}

static uint64_t
number_in(struct stk_text text)
{
	const char *at = text.data;
	uint64_t number = 0;

	(void)scan_decimal(&at, text.data + text.size, &number);
	return number;
}

/* "name: value" */
static bool
take_head(struct callgrind *c, struct stk_text line)
{
	static const char *const others[] = { "version:", "part:", "desc:", "event:", "event " };
	struct stk_text value;

	if (take_field(line, "summary:", &value) || take_field(line, "totals:", &value)) {
		c->said = number_in(value);
		c->has_total = true;
		return true;
	}
	if (*line.data >= '0' && *line.data <= '9')
		return false;
	for (size_t o = 0; o < sizeof others / sizeof *others; o++)
		if (take_field(line, others[o], &value)) {
			end_part(c);
			return true;
		}
	if (!take_field(line, "creator:", &value) && !take_field(line, "pid:", &value) &&
	    !take_field(line, "cmd:", &value) && !take_field(line, "thread:", &value) &&
	    !take_field(line, "positions:", &value) && !take_field(line, "events:", &value))
		return false;
	end_part(c);
	if (text_starts(line, "creator:"))
		c->exact = text_starts(value, "callgrind-");
	else if (text_starts(line, "pid:"))
		c->pid = number_in(value);
	else if (text_starts(line, "cmd:"))
		c->command = value;
	else if (text_starts(line, "thread:"))
		c->thread = number_in(value);
	else if (text_starts(line, "events:"))
		take_events(c, value);
	else
		for (c->positions = 0; take_word(&value).size > 0;)
			c->positions++;
	return true;
}

/* "name=value" */
static bool
take_setting(struct callgrind *c, struct stk_text line)
{
	static const char *const others[] = { "jump=", "jcnd=", "jfi=", "jfn=", "job=", "jfl=", "rcalls=" };
	struct stk_text value;

	if (take_field(line, "fn=", &value)) {
		c->caller = node_of(c, value, c->object, c->file);
	} else if (take_field(line, "fl=", &value) || take_field(line, "fi=", &value) ||
		   take_field(line, "fe=", &value)) {
		c->file = name_of(c, NAME_FILE, value);
	} else if (take_field(line, "ob=", &value)) {
		c->object = name_of(c, NAME_OBJECT, value);
	} else if (take_field(line, "cfi=", &value) || take_field(line, "cfl=", &value)) {
		c->called_file = name_of(c, NAME_FILE, value);
	} else if (take_field(line, "cob=", &value)) {
		c->called_object = name_of(c, NAME_OBJECT, value);
	} else if (take_field(line, "cfn=", &value)) {
		c->callee = node_of(c, value, c->called_object.data != NULL ? c->called_object : c->object,
				    c->called_file.data != NULL ? c->called_file : c->file);
		c->called_object = c->called_file = (struct stk_text){ 0 };
	} else if (take_field(line, "calls=", &value)) {
		c->calls = number_in(value);
		c->call_follows = true;
	} else {
		for (size_t o = 0; o < sizeof others / sizeof *others; o++)
			if (text_starts(line, others[o]))
				return true;
		return false;
	}
	return true;
}

static void
read_lines(struct callgrind *c, struct stk_text text)
{
	const char *at = text.data, *end = at + text.size;

	for (uint32_t next = 1; at < end && !c->failed;) {
		uint32_t number = next;
		struct stk_text line = unindented(take_next_line(&at, end, &next));
		uint64_t unread = c->unread;
		char first = line.size > 0 ? *line.data : '#';

		if (first == '#')
			continue;
		if ((first >= '0' && first <= '9') || first == '+' || first == '-' || first == '*')
			take_costs(c, line);
		else if (!take_setting(c, line) && !take_head(c, line))
			c->unread++;
		if (c->unread > unread)
			recording_rejected(c->collect, number, line, true, "a line of a profile that cannot be read");
	}
	c->costless += c->call_follows;
	end_part(c);
}

/* --- the profile --- */

static void
say_what_is_lost(struct callgrind *c)
{
	if (c->costless > 0)
		recording_broken(c->collect, "functions or calls whose costs are missing");
	if (c->nameless > 0)
		recording_broken(c->collect, "numbers of names that the profile does not have");
	if (c->negative > 0)
		recording_broken(c->collect, "negative costs; left out");
	if (c->beyond > 0)
		recording_broken(c->collect, "costs beyond 2^62; they are that");
	if (c->differing > 0)
		recording_broken(c->collect, "costs that do not sum up to the total that the profile says: it is cut off");
	recording_unplaced(c->collect, c->graph.left_out,
			   "calls back to a function that is active already: left out of the chains of callers");
}

static int
read_profile(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct callgrind c = { .collect = to, .recorder = recording_definitions(to), .err = err, .positions = 1,
			       .part = 1 };
	struct text_buffer all = { 0 };

	c.functions.size = sizeof(struct function);
	for (unsigned n = 0; n < NAME_SORTS; n++)
		c.names[n].size = sizeof(struct stk_text);
	c.object = c.file = text_of("", 0);
	if (!profile_hold(&all, from))
		recording_broken(to, "a profile of more than 2 GB; what follows is left out");
	read_lines(&c, text_in(&all, 0));
	say_what_is_lost(&c);
	for (unsigned n = 0; n < NAME_SORTS; n++)
		id_table_clear(&c.names[n]);
	id_table_clear(&c.functions);
	text_table_release(&c.by_name);
	call_graph_release(&c.graph);
	array_release(&c.costs);
	array_release(&all);
	return c.failed ? -1 : recorder_error(c.recorder, err);
}

/* --- recognising --- */

static int
recognise(struct stk_text text)
{
	if (text_starts(text, HEAD_LINE))
		return 100;
	text.size = text.size < HEAD_BYTES ? text.size : HEAD_BYTES;
	if (!text_starts(text, "version:") && !text_starts(text, "creator:") && !text_starts(text, "events:") &&
	    !text_starts(text, "positions:"))
		return 0;
	return (text_starts(text, "events:") || text_find(text, "\nevents:") != NULL) &&
			       (text_find(text, "\nfn=") != NULL || text_find(text, "\nfl=") != NULL ||
				text_find(text, "\nob=") != NULL)
		       ? 95
		       : 0;
}

const struct text_format callgrind_format = {
	.name = "callgrind",
	.about = "profiles of valgrind's callgrind, and of Xdebug: stacks are estimated from calls",
	.shown_by = "a line \"" HEAD_LINE "\", or \"events:\" above \"fn=\"",
	.clock = STK_CLOCK_UNKNOWN,
	.is_text = true,
	.runtime = STK_RUNTIME_NATIVE,
	.recognise = recognise,
	.read = read_profile
};
