/* SPDX-License-Identifier: MIT
 * instruments: tables of samples of Apple's Instruments, as `xctrace export --xpath` writes them in XML: time-profile,
 * time-sample, cpu-profile. A value that was written before is a reference to it, at any depth:
 *
 *	<row><sample-time id="1" fmt="00:00.057.246">57246708</sample-time>
 *	<thread id="2" fmt="main  0x8480c1 (shop, pid: 49374)"><tid id="3">8683713</tid><process ref="4"/></thread>
 *	<weight id="9">1000000</weight>
 *	<backtrace id="10"><frame id="11" name="read" addr="0x18d3df0f1"><binary id="12" name="dyld"/></frame>
 *	<frame ref="13"/></backtrace></row>
 *
 * Times count from the start of the recording. */
#include "base/arena.h"
#include "base/array.h"
#include "base/id_table.h"
#include "base/xml_place.h"
#include "ingest/text_lines.h"
#include "ingest/whole_input.h"
#include "model/recorder.h"

#include <stdio.h>

#ifdef HAVE_EXPAT

#define DEPTH_MOST  64u
#define PIECE       65536u
#define WEIGHT_MOST (UINT64_C(1) << 62)

enum tag {
	TAG_OTHER, TAG_ROW, TAG_TIME, TAG_WEIGHT, TAG_CYCLES, TAG_THREAD, TAG_TID, TAG_PROCESS, TAG_PID, TAG_CORE,
	TAG_STATE, TAG_BACKTRACE, TAG_FRAME, TAG_BINARY, TAG_SOURCE, TAG_PATH, TAGS
};

static const char *const tag_names[TAGS] = {
	[TAG_ROW] = "row", [TAG_TIME] = "sample-time", [TAG_WEIGHT] = "weight", [TAG_CYCLES] = "cycle-weight",
	[TAG_THREAD] = "thread", [TAG_TID] = "tid", [TAG_PROCESS] = "process", [TAG_PID] = "pid",
	[TAG_CORE] = "core", [TAG_STATE] = "thread-state", [TAG_BACKTRACE] = "backtrace", [TAG_FRAME] = "frame",
	[TAG_BINARY] = "binary", [TAG_SOURCE] = "source", [TAG_PATH] = "path"
};

/* An element: what it has of its own, and of those within it. Texts are kept. */
struct element {
	enum tag tag;
	bool known;			/* its end was met */
	bool timed, weighed, stacked;	/* of a row */
	/* a name or path; the process of a thread or row, the module of a frame; the state of a row, the file of a
	 * frame */
	struct stk_text name, owner, detail;
	/* number: what is between its tags; of a frame its address; of a row its time */
	uint64_t number, pid, tid;
	uint64_t weight;
	int64_t line;
	int32_t core;
	uint32_t id;			/* of a frame or stack */
	struct stk_text event;
};

struct open_element { struct element is; uint64_t id; bool refers, holds_text; };

struct profile {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	XML_Parser parser;
	struct arena arena;
	struct id_table elements;	/* by their ids */
	struct open_element open[DEPTH_MOST];
	unsigned depth;			/* may be more than DEPTH_MOST */
	struct text_buffer text;
	ARRAY(uint32_t) frames;		/* of the present backtrace, leaf first */
	uint64_t rows, other_rows, lost, beyond, deep;
	bool failed, doctype;
};

static struct stk_text
kept(struct profile *p, const char *text, size_t size)
{
	return text_of(arena_copy(&p->arena, text, size), size);
}

static const char *
attribute(const char **attributes, const char *name)
{
	for (; attributes[0] != NULL; attributes += 2)
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	return NULL;
}

/* A whole number, or 0 */
static uint64_t
number_of(struct stk_text text)
{
	const char *at = text.data, *end = text.data + text.size;
	uint64_t number;

	return text.size > 0 && scan_decimal(&at, end, &number) && at == end ? number : 0;
}

/* The text before one of the words, or all. */
static struct stk_text
before(struct stk_text text, const char *words)
{
	const char *at = text_find(text, words);

	return at != NULL ? between(text.data, at) : text;
}

/* --- what an element has of its own --- */

static enum tag
tag_named(const char *name)
{
	for (unsigned t = TAG_OTHER + 1; t < TAGS; t++)
		if (strcmp(name, tag_names[t]) == 0)
			return (enum tag)t;
	return strcmp(name, "tagged-backtrace") == 0 ? TAG_BACKTRACE : TAG_OTHER;
}

static void
read_attributes(struct profile *p, struct element *element, const char **attributes)
{
	const char *name = attribute(attributes, "name"), *format = attribute(attributes, "fmt"), *value;
	struct stk_text text = text_from(format != NULL ? format : "");
	uint64_t address;

	switch (element->tag) {
	case TAG_THREAD:	/* "main  0x8480c1 (shop, pid: 49374)" */
		text = before(text, "  0x");
		break;
	case TAG_PROCESS:	/* "shop (49374)" */
		value = text.size > 0 ? memrchr(text.data, '(', text.size) : NULL;
		text = value != NULL ? trimmed(between(text.data, value)) : text;
		break;
	case TAG_FRAME:
		text = text_from(name != NULL ? name : "");
		value = attribute(attributes, "addr");
		if (value != NULL && scan_hex(&value, value + strlen(value), &address))
			element->number = address;
		break;
	case TAG_BINARY:
		text = text_from(name != NULL ? name : "");
		break;
	case TAG_SOURCE:
		value = attribute(attributes, "line");
		element->line = value != NULL ? (int64_t)(number_of(text_from(value)) & INT32_MAX) : 0;
		text = text_of("", 0);
		break;
	case TAG_STATE:
		break;
	default:
		text = text_of("", 0);
		break;
	}
	element->name = kept(p, text.data, text.size);
}

/* --- what it has of those within it --- */

static void
add_frame(struct profile *p, struct element *frame)
{
	struct frame_parts parts = { .function = frame->name, .module = frame->owner, .file = frame->detail,
				     .line = frame->line, .form = STK_FORM_NATIVE, .address = frame->number };

	if (parts.function.size == 0 || text_starts(parts.function, "0x"))
		parts.function = text_from("[unknown]");
	frame->id = recording_frame(p->collect, &parts);
}

static void
add_stack(struct profile *p, struct element *backtrace)
{
	for (size_t f = p->frames.count; f > 0; f--)
		backtrace->id = recorder_stack(p->recorder, backtrace->id, p->frames.at[f - 1]);
	p->frames.count = 0;
}

static void
row_takes(struct element *row, const struct element *value)
{
	switch (value->tag) {
	case TAG_TIME:
		row->number = value->number;
		row->timed = true;
		break;
	case TAG_WEIGHT:
	case TAG_CYCLES:
		row->weight = value->number;
		row->event = text_from(value->tag == TAG_WEIGHT ? "cpu/nanoseconds" : "cycles");
		row->weighed = true;
		break;
	case TAG_THREAD:
		row->name = value->name;
		row->tid = value->tid;
		row->pid = value->pid != 0 ? value->pid : row->pid;
		row->owner = value->owner.size > 0 ? value->owner : row->owner;
		break;
	case TAG_PROCESS:
		row->pid = value->pid;
		row->owner = value->name;
		break;
	case TAG_CORE:
		row->core = (int32_t)(value->number & 0xffff);
		break;
	case TAG_STATE:
		row->detail = value->name;
		break;
	case TAG_BACKTRACE:
		row->id = value->id;
		row->stacked = true;
		break;
	default:
		break;
	}
}

static void
takes(struct profile *p, struct element *of, const struct element *value)
{
	if (of->tag == TAG_ROW) {
		row_takes(of, value);
	} else if (of->tag == TAG_THREAD && value->tag == TAG_TID) {
		of->tid = value->number;
	} else if (of->tag == TAG_THREAD && value->tag == TAG_PROCESS) {
		of->pid = value->pid;
		of->owner = value->name;
	} else if (of->tag == TAG_PROCESS && value->tag == TAG_PID) {
		of->pid = value->number;
	} else if (of->tag == TAG_BACKTRACE && value->tag == TAG_FRAME) {
		p->deep += p->frames.count == INGEST_DEPTH_MAX;
		if (p->frames.count < INGEST_DEPTH_MAX)
			*array_push(&p->frames) = value->id;
	} else if (of->tag == TAG_BACKTRACE && value->tag == TAG_BACKTRACE) {
		of->id = value->id;
	} else if (of->tag == TAG_FRAME && value->tag == TAG_BINARY) {
		of->owner = value->name;
	} else if (of->tag == TAG_FRAME && value->tag == TAG_SOURCE) {
		of->detail = value->name;
		of->line = value->line;
	} else if (of->tag == TAG_SOURCE && value->tag == TAG_PATH) {
		of->name = value->name;
	}
}

/* --- rows --- */

static enum stk_state
state_of(struct stk_text text)
{
	return text_is(text, "Running") ? STK_STATE_RUNNING
	       : text_is(text, "Blocked") || text_is(text, "Waiting") ? STK_STATE_SLEEPING : STK_STATE_UNKNOWN;
}

static void
add_row(struct profile *p, const struct element *row)
{
	struct stk_thread thread = { .tid = row->tid };
	struct stk_sample sample = { .time = STK_TIME_UNKNOWN, .weight = row->weighed ? row->weight : 1,
				     .stack = row->id, .processor = row->core, .state = state_of(row->detail) };

	if (!row->weighed && !row->stacked) {
		p->other_rows++;
		return;
	}
	p->rows++;
	if (row->timed && row->number <= STK_TIME_MOST)
		sample.time = (int64_t)row->number;
	if (sample.weight > WEIGHT_MOST) {
		sample.weight = WEIGHT_MOST;
		p->beyond++;
	}
	thread.source = recording_source_of(p->collect, row->pid, row->owner);
	thread.name = recorder_string(p->recorder, row->name);
	sample.thread = recorder_thread(p->recorder, &thread);
	sample.event = recorder_string(p->recorder, row->weighed ? row->event : text_from("samples"));
	sample.condition = recorder_string(p->recorder, row->detail);
	if (!p->failed)
		p->failed = recording_sample(p->collect, &sample, p->err) < 0;
	if (p->failed)
		(void)XML_StopParser(p->parser, XML_FALSE);
}

/* --- tags --- */

static void
on_start(void *context, const char *name, const char **attributes)
{
	struct profile *p = context;
	const char *id = attribute(attributes, "id"), *ref = attribute(attributes, "ref");
	struct open_element *open;

	if (p->depth++ >= DEPTH_MOST)
		return;
	open = &p->open[p->depth - 1];
	*open = (struct open_element){ .is = { .tag = tag_named(name), .core = PROCESSOR_UNKNOWN } };
	open->is.name = open->is.owner = open->is.detail = text_of("", 0);
	p->text.count = 0;
	if (ref != NULL) {
		const struct element *known = id_table_find(&p->elements, number_of(text_from(ref)));

		open->refers = true;
		if (known != NULL && known->known && known->tag == open->is.tag)
			open->is = *known;
		else
			p->lost += open->is.tag != TAG_OTHER;
		return;
	}
	if (id != NULL)
		open->id = number_of(text_from(id));
	open->holds_text = open->is.tag == TAG_TIME || open->is.tag == TAG_WEIGHT || open->is.tag == TAG_CYCLES ||
			   open->is.tag == TAG_TID || open->is.tag == TAG_PID || open->is.tag == TAG_CORE ||
			   open->is.tag == TAG_PATH;
	if (open->is.tag == TAG_BACKTRACE)
		p->frames.count = 0;
	read_attributes(p, &open->is, attributes);
}

static void
on_text(void *context, const char *text, int size)
{
	struct profile *p = context;

	if (p->depth > 0 && p->depth <= DEPTH_MOST && p->open[p->depth - 1].holds_text && size > 0)
		add_bytes(&p->text, text, (size_t)size);
}

static void
on_end(void *context, const char *name)
{
	struct profile *p = context;
	struct open_element *open;

	(void)name;
	if (p->depth-- > DEPTH_MOST)
		return;
	open = &p->open[p->depth];
	if (!open->refers) {
		if (open->is.tag == TAG_PATH)
			open->is.name = kept(p, p->text.at, p->text.count);
		else if (open->holds_text)
			open->is.number = number_of(trimmed(unindented(text_in(&p->text, 0))));
		if (open->is.tag == TAG_FRAME)
			add_frame(p, &open->is);
		if (open->is.tag == TAG_BACKTRACE && open->is.id == 0)
			add_stack(p, &open->is);
		open->is.known = true;
		if (open->id != 0 && open->is.tag != TAG_OTHER)
			*(struct element *)id_table_at(&p->elements, open->id) = open->is;
	}
	p->text.count = 0;
	if (open->is.tag == TAG_ROW)
		add_row(p, &open->is);
	else if (p->depth > 0)
		takes(p, &p->open[p->depth - 1].is, &open->is);
}

/* No export has one, and entities could be made of it. */
static void
on_doctype(void *context, const char *name, const char *system, const char *public, int internal)
{
	struct profile *p = context;

	(void)name, (void)system, (void)public, (void)internal;
	p->doctype = true;
	(void)XML_StopParser(p->parser, XML_FALSE);
}

/* --- the table --- */

static void
say_what_is_lost(struct profile *p, bool bad)
{
	char why[160];

	if (p->doctype)
		recording_broken(p->collect, "XML with a document type, which no export has; not read");
	else if (bad && !p->failed) {
		snprintf(why, sizeof why, "not XML at line %lu: %s; what precedes it was read",
			 (unsigned long)xml_line(p->parser),
			 XML_ErrorString(XML_GetErrorCode(p->parser)));
		recording_broken(p->collect, why);
	}
	if (p->lost > 0)
		recording_broken(p->collect, "references to values that the export does not have");
	if (p->beyond > 0)
		recording_broken(p->collect, "weights beyond 2^62; they are that");
	if (p->deep > 0)
		recording_broken(p->collect, "stacks of more than 65536 frames, whose outer ones are left out");
	if (p->rows == 0 && !bad)
		recording_broken(p->collect, "no table with stacks: export one with --xpath, of schema time-profile");
	recording_unplaced(p->collect, p->other_rows, "rows that are no samples");
}

/* XML that is not well-formed, in a piece that begins at that byte. */
static void
reject_rest(struct profile *p, const struct recording_bytes *from, struct stk_text piece, size_t begins)
{
	int64_t at = xml_byte(p->parser);
	size_t taken = at > (int64_t)begins ? (size_t)at - begins : 0;

	taken = taken < piece.size ? taken : piece.size;
	recording_rejected_rest(p->collect, from, text_of(piece.data + taken, piece.size - taken),
				xml_line(p->parser));
}

static void
parse(struct profile *p, const struct recording_bytes *from)
{
	char *piece = mem_new(PIECE, 1);
	enum XML_Status status;
	size_t size, read = 0;

	do {
		size = from->read(from->context, piece, PIECE);
		read += size;
		status = XML_Parse(p->parser, piece, (int)size, size == 0);
	} while (status == XML_STATUS_OK && size > 0);
	if (status != XML_STATUS_OK && !p->failed)
		reject_rest(p, from, text_of(piece, size), read - size);
	say_what_is_lost(p, status != XML_STATUS_OK);
	free(piece);
}

static int
read_table(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct profile p = { .collect = to, .recorder = recording_definitions(to), .err = err,
			     .elements = { .size = sizeof(struct element) } };

	if ((p.parser = XML_ParserCreate(NULL)) == NULL)
		return stk_fail(err, STK_ESYSTEM, "out of memory");
	XML_SetUserData(p.parser, &p);
	XML_SetElementHandler(p.parser, on_start, on_end);
	XML_SetCharacterDataHandler(p.parser, on_text);
	XML_SetStartDoctypeDeclHandler(p.parser, on_doctype);
	recording_clock(to, STK_CLOCK_MONOTONIC);
	parse(&p, from);
	XML_ParserFree(p.parser);
	id_table_clear(&p.elements);
	arena_release(&p.arena);
	array_release(&p.text);
	array_release(&p.frames);
	return p.failed ? -1 : recorder_error(p.recorder, err);
}
#else
static int
read_table(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	(void)from, (void)err;
	recording_broken(to, "an export of Instruments: this stkcap was built without libexpat, which reads XML");
	return 0;
}
#endif

static int
recognise(struct stk_text text)
{
	while (text.size > 0 && ((unsigned char)*text.data <= ' ' || strchr("\xef\xbb\xbf", *text.data) != NULL))
		text = text_of(text.data + 1, text.size - 1);
	if (!text_starts(text, "<"))
		return 0;
	text.size = text.size < 4096 ? text.size : 4096;
	return text_find(text, "<trace-query-result") != NULL ? 100 : 0;
}

const struct text_format instruments_format = {
	.name = "instruments",
	.about = "samples of Apple's Instruments in XML: xctrace export --xpath of a time-profile",
	.shown_by = "XML with <trace-query-result>",
	.is_text = true,
	.clock = STK_CLOCK_MONOTONIC,
	.runtime = STK_RUNTIME_NATIVE,
	.recognise = recognise,
	.read = read_table
};
