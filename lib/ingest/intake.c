/* SPDX-License-Identifier: MIT
 * intake: reads a whole input of text, in pieces that several threads scan at once.
 *
 * Of a plain file, several threads also read: the calling one looks only at where pieces end.
 *
 * The pieces are in a ring. The calling thread reads text into the newest and collects the findings of the oldest;
 * between these, workers scan. A piece ends where its format says that whole sections end; what is left over begins the
 * next one. So what is found never depends on the threads. */
#include "ingest/intake.h"

#include "base/input.h"
#include "base/memory.h"
#include "base/workers.h"
#include "ingest/clean.h"
#include "ingest/log_prefix.h"
#include "ingest/whole_input.h"
#include "ingest/scan_text.h"
#include "ingest/sections.h"
#include "ingest/text_lines.h"
#include "ingest/unread.h"
#include "stream/block.h"

#include <errno.h>
#include <stdlib.h>

#define PIECE_BYTES     (256u << 10)	/* so that what is read is still in the processor's cache when it is scanned */
#define WINDOW_BYTES    (32u << 10)	/* of a piece, enough to find where it ends */
#define QUIET_MS        200		/* without a byte: the writer waits */
#define ENOUGH_BYTES    64u		/* of a beginning that is recognised before it is complete */
#define MIXED_AHEAD     4u		/* pieces of a file with several formats */
#define BEGINNING_BYTES (64u << 10)	/* that recognise sees */

static const char unknown_words[] = "not a known format (--format NAME reads it as one)";

struct piece {
	struct task task;		/* must be first: workers return it as this */
	const struct text_format *format;
	char *text;
	size_t size, room;
	struct findings findings;
	const struct input *input;	/* not NULL: the text is still to be read, from read_at on */
	int64_t read_at;
	bool cut_short;			/* there was less to read */
	bool alone;			/* the format was asked for: no other is looked for */
	bool begins;			/* its first line is known to begin a section of the format */
	int error;			/* of reading; 0 */
	size_t held;			/* last bytes that are noise unless a section begins there that the next piece
					 * goes on with */
	const char *held_why;
};

/* Of an input that is read as a whole. */
struct whole_lines {
	bool counts;			/* they are asked for, and it is text */
	uint64_t count, blank;		/* ended ones */
	bool open, filled;		/* bytes of one that has not ended; not all of them are blank */
};

struct intake {
	struct collect *collect;
	struct stk_workers *workers;
	const struct text_format *forced;
	struct scan_choice choice;
	void (*progress)(int64_t bytes, int64_t rows);
	bool (*stop)(void);
	struct piece *pieces;		/* a ring */
	unsigned pieces_max, first, count;

	/* of the present file */
	struct input *input;
	const struct text_format *format;
	ARRAY(char) carry;		/* text that is read and in no piece */
	struct cleaner *cleaner;	/* NULL: the text is clean as it comes */
	bool at_end;
	bool mixed;			/* the format has changed in this file */
	bool begins;			/* the next piece is the first of the present format */
	bool unwrapped;			/* what is wrapped is taken out of its wrapping */
	bool found;			/* a section of a known format */
	bool interrupted;		/* asked to stop: whole sections of what was read are still used */
	bool skipping;			/* in a line that is too long: up to its end */
	struct whole_lines whole_lines;
	struct stk_error damage;	/* why the input ended early, if it did: what was read before is kept */
	uint64_t line;			/* of the first piece in the ring, or of what is held before it */
	ARRAY(char) held;		/* the end of the piece that was collected last: noise, as far as it shows */
	const char *held_why;
};

/* --- text --- */

static void
carry_add(struct intake *intake, const char *from, size_t size)
{
	array_reserve(&intake->carry, size);
	if (size > 0)
		memcpy(intake->carry.at + intake->carry.count, from, size);
	intake->carry.count += size;
}

/* The output of the cleaner is added to the text to cut. */
static void
carry_add_cleaned(struct intake *intake)
{
	struct stk_text clean = cleaner_take(intake->cleaner);

	carry_add(intake, clean.data, clean.size);
}

/* Asked to stop: what was read so far is all, except a section that is not whole. */
static bool
is_stopped(struct intake *intake)
{
	if (intake->stop != NULL && intake->stop() && !intake->at_end)
		intake->at_end = intake->interrupted = true;
	return intake->interrupted;
}

/* Reads once, up to `size` bytes. 0: the end, or what else stops it. */
static size_t
read_into(struct intake *intake, char *to, size_t size)
{
	long got;

	if (intake->at_end)
		return 0;
	/* a signal that came while the pipe was polled no longer interrupts a read */
	got = is_stopped(intake) ? 0 : input_read(intake->input, to, size, &intake->damage);
	if (got > 0 && intake->progress != NULL)
		intake->progress(got, 0);
	if (got < 0 && is_stopped(intake))
		stk_error_clear(&intake->damage);	/* the read was only interrupted */
	intake->at_end = got <= 0;
	return got > 0 ? (size_t)got : 0;
}

/* Reads once, up to `size` bytes, to the end of the carry. */
static void
read_more(struct intake *intake, size_t size)
{
	char *to;
	size_t got;

	array_reserve(&intake->carry, size);
	to = intake->carry.at + intake->carry.count;
	got = read_into(intake, to, size);
	if (intake->cleaner == NULL) {
		intake->carry.count += got;
		return;
	}
	if (got > 0) {
		/* it copies: its output may go where this came from */
		cleaner_add(intake->cleaner, to, got);
	} else {
		cleaner_end(intake->cleaner);
	}
	carry_add_cleaned(intake);
}

/* Moves the first `size` bytes of the carry into the piece. */
static void
piece_fill(struct intake *intake, struct piece *piece, size_t size)
{
	size_t left = intake->carry.count - size;
	char *text = piece->text;
	size_t room = piece->room;

	/* the buffers are swapped, and the shorter text is copied */
	piece->input = NULL;
	piece->text = intake->carry.at;
	piece->room = intake->carry.room;
	piece->size = size;
	intake->carry.at = text;
	intake->carry.room = room;
	intake->carry.count = 0;
	carry_add(intake, piece->text + size, left);
}

/* --- scanning --- */

static void
scan_piece(struct task *task)
{
	struct piece *piece = (struct piece *)task;

	if (piece->input != NULL) {
		long got = input_read_at(piece->input, piece->text, piece->size, piece->read_at);

		piece->error = got < 0 ? errno : 0;
		piece->cut_short = got < (long)piece->size;
		piece->size = got < 0 ? 0 : (size_t)got;
	}
	piece->findings.list.count = 0;
	piece->findings.lines = piece->findings.blank = 0;
	piece->held = 0;
	if (piece->alone) {
		piece->format->scan(&piece->findings, text_of(piece->text, piece->size));
	} else {
		struct stk_text text = text_of(piece->text, piece->size);

		sections_scan(piece->format, &piece->findings, text, piece->begins);
		piece->held = sections_hold(&piece->findings, text, &piece->held_why).size;
	}
	if (piece->findings.choice.count_blank)
		piece->findings.blank =
			findings_blank_lines(&piece->findings, text_of(piece->text, piece->size - piece->held));
}

static void
scan_begin(struct intake *intake, struct piece *piece)
{
	if (piece->format != intake->format) {		/* what a scanner remembers is its own */
		free(piece->findings.memory);
		piece->findings.memory = NULL;
	}
	piece->format = intake->format;
	piece->findings.choice = intake->choice;
	piece->findings.unwrapped = intake->unwrapped;
	piece->alone = intake->forced != NULL;
	piece->begins = intake->begins;
	intake->begins = false;
	piece->task.run = scan_piece;
	intake->count++;
	if (intake->workers != NULL)
		workers_submit(intake->workers, &piece->task);
	else
		scan_piece(&piece->task);
}

static struct piece *
oldest_take(struct intake *intake)
{
	struct piece *piece = &intake->pieces[intake->first];

	if (intake->workers != NULL)
		workers_wait(intake->workers, &piece->task);
	intake->first = (intake->first + 1) % intake->pieces_max;
	intake->count--;
	return piece;
}

/* All text from this place on, also that of pieces scanned ahead, is to be cut and scanned again, with what is held
 * before it: it goes back into the carry. */
static void
take_back(struct intake *intake, const struct piece *piece, const char *from)
{
	ARRAY(char) rest = { 0 };
	size_t size = (size_t)(piece->text + piece->size - from);

	array_reserve(&rest, intake->held.count + size + 1);
	if (intake->held.count > 0)
		memcpy(rest.at, intake->held.at, intake->held.count);
	memcpy(rest.at + intake->held.count, from, size);
	rest.count = intake->held.count + size;
	intake->held.count = 0;
	while (intake->count > 0) {
		const struct piece *next = oldest_take(intake);

		array_reserve(&rest, next->size + 1);
		memcpy(rest.at + rest.count, next->text, next->size);
		rest.count += next->size;
	}
	array_reserve(&rest, intake->carry.count + 1);
	if (intake->carry.count > 0)
		memcpy(rest.at + rest.count, intake->carry.at, intake->carry.count);
	rest.count += intake->carry.count;
	intake->carry.count = 0;
	carry_add(intake, rest.at, rest.count);
	array_release(&rest);
}

/* The carry has lines with a prefix, and so has all that follows. */
static void
clean_from(struct intake *intake, struct stk_text prefix)
{
	bool is_new = intake->cleaner == NULL;

	if (is_new)
		cleaner_open(&intake->cleaner);
	cleaner_set_prefix(intake->cleaner, prefix);
	if (is_new)
		cleaner_add(intake->cleaner, intake->carry.at, intake->carry.count);
	else
		cleaner_add_again(intake->cleaner, text_of(intake->carry.at, intake->carry.count));
	if (intake->at_end)
		cleaner_end(intake->cleaner);
	intake->carry.count = 0;
	carry_add_cleaned(intake);
}

/* From here on lines have a prefix to remove. */
static void
begin_cleaning(struct intake *intake, const struct piece *piece, struct stk_text prefix)
{
	char shape[CLEAN_PREFIX_MAX];
	size_t size = prefix.size < sizeof shape ? prefix.size : 0;

	memcpy(shape, prefix.data, size);	/* the piece's text may be overwritten */
	take_back(intake, piece, prefix.data);
	clean_from(intake, text_of(shape, size));
}

/* From here on lines are wrapped. */
static void
begin_unwrapping(struct intake *intake, const struct piece *piece, const char *from)
{
	take_back(intake, piece, from);
	intake->unwrapped = true;
	if (intake->cleaner == NULL) {
		cleaner_open(&intake->cleaner);
		cleaner_unwrap(intake->cleaner, WRAP_JSON_LINES);
		cleaner_add(intake->cleaner, intake->carry.at, intake->carry.count);
	} else {
		cleaner_unwrap_again(intake->cleaner, WRAP_JSON_LINES, text_of(intake->carry.at, intake->carry.count));
	}
	if (intake->at_end)
		cleaner_end(intake->cleaner);
	intake->carry.count = 0;
	carry_add_cleaned(intake);
}

/* From here on the text is of another format. */
static void
begin_format(struct intake *intake, const struct piece *piece, const struct finding *at)
{
	take_back(intake, piece, at->is.section.from);
	intake->format = at->is.section.format;
	intake->mixed = intake->begins = true;
}

static bool
has_section(const struct findings *findings)
{
	for (size_t i = 0; i < findings->list.count; i++)
		if (findings->list.at[i].kind != FOUND_SKIPPED)
			return true;
	return false;
}

/* How many pieces are scanned ahead. Where formats change most would be scanned twice. */
static unsigned
pieces_ahead(const struct intake *intake)
{
	return intake->mixed && intake->pieces_max > MIXED_AHEAD ? MIXED_AHEAD : intake->pieces_max;
}

/* Collects the first bytes of what is held as the noise that they are. */
static int
collect_held(struct intake *intake, size_t size, struct stk_error *err)
{
	struct stk_text text = text_of(intake->held.at, size), noise = trimmed(text);
	struct findings findings = { .choice = intake->choice };
	const struct finding *stop;
	int result;

	if (size == 0)
		return 0;
	findings.lines = scan_count_lines(text.data, text.data + text.size);
	if (noise.size > 0)
		found_skipped(&findings, 0, noise, scan_count_lines(noise.data, noise.data + noise.size) + 1,
			      SKIP_NOISE, intake->held_why);
	if (findings.choice.count_blank)
		findings.blank = findings_blank_lines(&findings, text);
	result = collect_findings(intake->collect, &findings, intake->line, &stop, err);
	intake->line += findings.lines;
	intake->held.count -= size;
	memmove(intake->held.at, intake->held.at + size, intake->held.count);
	findings_release(&findings);
	return result;
}

/* Decides on what is held, now that this piece shows what follows. 1: with the piece it is to be scanned again; 0;
 * -1. */
static int
join_held(struct intake *intake, const struct piece *piece, struct stk_error *err)
{
	struct stk_text held = text_of(intake->held.at, intake->held.count);
	const char *from = held.size > 0 ? sections_find_across(held, text_of(piece->text, piece->size)) : NULL;

	if (collect_held(intake, from != NULL ? (size_t)(from - held.data) : held.size, err) < 0)
		return -1;
	if (from != NULL)
		take_back(intake, piece, piece->text);
	return from != NULL;
}

static void
hold_end(struct intake *intake, const struct piece *piece)
{
	array_reserve(&intake->held, piece->held);
	if (piece->held > 0)
		memcpy(intake->held.at, piece->text + piece->size - piece->held, piece->held);
	intake->held.count = piece->held;
	intake->held_why = piece->held_why;
}

/* Collects the findings of the oldest piece. */
static int
collect_oldest(struct intake *intake, struct stk_error *err)
{
	struct piece *piece = oldest_take(intake);
	const struct finding *stop;
	int joined;

	if (piece->input != NULL && piece->cut_short) {
		errno = piece->error;
		(void)(piece->error != 0 ? stk_fail_errno(&intake->damage, "cannot read")
					 : stk_fail(&intake->damage, STK_EDATA, "became shorter while it was being read"));
		intake->at_end = true;
	}
	if ((joined = join_held(intake, piece, err)) != 0)
		return joined < 0 ? -1 : 0;
	if (collect_findings(intake->collect, &piece->findings, intake->line, &stop, err) < 0)
		return -1;
	hold_end(intake, piece);
	if (stop == NULL && piece->size > 0 && piece->text[piece->size - 1] != '\n')
		collect_lines(intake->collect, 1, 0);
	intake->found |= has_section(&piece->findings);
	intake->line += stop != NULL ? stop->line : piece->findings.lines;
	if (stop != NULL && stop->kind == FOUND_FORMAT)
		begin_format(intake, piece, stop);
	else if (stop != NULL && stop->kind == FOUND_WRAPPED)
		begin_unwrapping(intake, piece, stop->is.section.from);
	else if (stop != NULL)
		begin_cleaning(intake, piece, stop->is.prefix.prefix);
	return 0;
}

static int
collect_all(struct intake *intake, struct stk_error *err)
{
	while (intake->count > 0)
		if (collect_oldest(intake, err) < 0)
			return -1;
	return 0;
}

/* --- cutting --- */

/* Reports that text at the beginning of the carry was too long. */
static int
tell_too_long(struct intake *intake, size_t shown, uint32_t lines, const char *why, struct stk_error *err)
{
	struct findings findings = { .lines = lines };
	const struct finding *stop;
	int result;

	if (collect_held(intake, intake->held.count, err) < 0)
		return -1;
	found_skipped(&findings, 0, text_of(intake->carry.at, shown < 200 ? shown : 200), lines > 0 ? lines : 1,
		      SKIP_TOO_LONG, why);
	result = collect_findings(intake->collect, &findings, intake->line, &stop, err);
	intake->line += lines;
	findings_release(&findings);
	return result;
}

static void
carry_drop(struct intake *intake, size_t size)
{
	intake->carry.count -= size;
	memmove(intake->carry.at, intake->carry.at + size, intake->carry.count);
}

/* In a line that is too long: drops what is read of it. True when its end was found. */
static bool
drop_long_line(struct intake *intake)
{
	const char *newline = intake->carry.count == 0 ? NULL : memchr(intake->carry.at, '\n', intake->carry.count);

	if (newline == NULL) {
		intake->carry.count = 0;
		return false;
	}
	carry_drop(intake, (size_t)(newline - intake->carry.at) + 1);
	intake->line++;
	collect_lines(intake->collect, 1, 0);
	return true;
}

/* No whole section in this much text: it is cut at a line's end, or, when it is one line, that line is left out.
 * Returns the size of a piece, 0 for none, -1. */
static long
cut_by_force(struct intake *intake, struct stk_error *err)
{
	const char *newline = memrchr(intake->carry.at, '\n', intake->carry.count);

	if (newline != NULL)
		return newline - intake->carry.at + 1;
	if (intake->count > 0)		/* they may be taken back */
		return collect_all(intake, err);
	if (tell_too_long(intake, intake->carry.count, 0, "a line of more than 4 MiB; left out", err) < 0)
		return -1;
	intake->skipping = true;
	return 0;
}

/* How much of the carry is whole sections: 0 when more text is needed first, -1. */
static long
cut(struct intake *intake, struct stk_error *err)
{
	size_t size;

	if (intake->interrupted && intake->carry.count > 0)
		intake->carry.count = intake->format->cut(text_of(intake->carry.at, intake->carry.count));
	if (intake->at_end)
		return (long)intake->carry.count;
	if (intake->carry.count < PIECE_BYTES)
		return 0;
	size = intake->format->cut(text_of(intake->carry.at, intake->carry.count));
	if (size > 0)
		return (long)size;
	return intake->carry.count < INGEST_SECTION_MAX ? 0 : cut_by_force(intake, err);
}

/* Makes the next piece of the file, from `at` on, and finds where it ends by its last bytes alone. Returns its size, 0
 * when these do not decide. */
static size_t
scan_ahead(struct intake *intake, int64_t at)
{
	struct piece *piece = &intake->pieces[(intake->first + intake->count) % intake->pieces_max];
	size_t before = PIECE_BYTES - WINDOW_BYTES, size;

	if (intake->format->cut_tail == NULL)
		return 0;
	if (piece->room < PIECE_BYTES) {
		free(piece->text);
		piece->text = mem_new(PIECE_BYTES, 1);
		piece->room = PIECE_BYTES;
	}
	if (input_read_at(intake->input, piece->text, WINDOW_BYTES, at + (int64_t)before) != WINDOW_BYTES)
		return 0;
	size = intake->format->cut_tail(text_of(piece->text, WINDOW_BYTES));
	if (size == 0)
		return 0;
	size += before;
	piece->input = intake->input;
	piece->read_at = at;
	piece->size = size;
	scan_begin(intake, piece);
	return size;
}

/* A plain file, except its end: pieces are read by the threads that scan them. What cannot be done so is left to
 * take_pieces. */
static int
take_ahead(struct intake *intake, struct stk_error *err)
{
	int64_t size = input_raw_size(intake->input), at = 0;
	size_t taken;

	if (intake->workers == NULL || intake->at_end || input_read_at(intake->input, NULL, 0, 0) < 0)
		return 0;
	while (at + 2 * (int64_t)PIECE_BYTES < size && !is_stopped(intake) && !intake->at_end &&
	       intake->cleaner == NULL && !intake->mixed && (at == 0 || intake->carry.count == 0) &&
	       (taken = scan_ahead(intake, at)) > 0) {
		intake->carry.count = 0;
		at += (int64_t)taken;
		if (intake->progress != NULL)
			intake->progress((int64_t)taken, 0);
		if (intake->count == intake->pieces_max && collect_oldest(intake, err) < 0)
			return -1;
	}
	if (at > 0 && input_seek(intake->input, at) < 0)
		return stk_fail_errno(err, "cannot move within the file");
	return 0;
}

/* No more input for a while: the writer of the pipe is waiting, and readers may wait for what has arrived. */
static bool
is_quiet(const struct intake *intake)
{
	return intake->carry.count > 0 && input_raw_size(intake->input) < 0 && !input_ready(intake->input, QUIET_MS);
}

/* Collects the whole sections of what has arrived, and flushes them to readers. 1: some, 0: none. */
static int
take_while_quiet(struct intake *intake, struct stk_error *err)
{
	size_t size = intake->format->cut(text_of(intake->carry.at, intake->carry.count));

	if (size > 0) {
		piece_fill(intake, &intake->pieces[(intake->first + intake->count) % intake->pieces_max], size);
		scan_begin(intake, &intake->pieces[(intake->first + intake->count) % intake->pieces_max]);
	}
	if (intake->count == 0)
		return 0;
	collect_quiet(intake->collect);
	return collect_all(intake, err) < 0 || collect_flush(intake->collect, err) < 0 ? -1 : 1;
}

/* Reads and scans until the input ends. */
static int
take_pieces(struct intake *intake, struct stk_error *err)
{
	while (!intake->at_end || intake->carry.count > 0 || intake->count > 0) {
		long size;

		(void)is_stopped(intake);
		if (intake->skipping && drop_long_line(intake))
			intake->skipping = false;
		size = intake->skipping ? 0 : cut(intake, err);
		if (size < 0)
			return -1;
		if (size > 0) {
			piece_fill(intake, &intake->pieces[(intake->first + intake->count) % intake->pieces_max],
				   (size_t)size);
			scan_begin(intake, &intake->pieces[(intake->first + intake->count) % intake->pieces_max]);
		} else if (!intake->at_end) {
			size_t wanted =
				intake->carry.count < PIECE_BYTES ? PIECE_BYTES - intake->carry.count : PIECE_BYTES;
			int taken = !intake->skipping && is_quiet(intake) ? take_while_quiet(intake, err) : 0;

			if (taken < 0)
				return -1;
			if (taken > 0)
				continue;
			read_more(intake, wanted);
			continue;
		}
		if (intake->count > 0 && (intake->count >= pieces_ahead(intake) || intake->at_end) &&
		    collect_oldest(intake, err) < 0)
			return -1;
	}
	return collect_held(intake, intake->held.count, err);
}

/* --- files --- */

/* The output of stkcap would otherwise be read as compressed text. */
static bool
is_record_stream(const struct input *input)
{
	size_t size;
	const unsigned char *first = input_first_bytes(input, &size);
	const char *unused;

	return size == INPUT_FIRST_BYTES && block_header_find(first, size, &unused) >= 0;
}

/* The first lines of a live pipe must do when its writer keeps waiting. */
static bool
is_known_by_now(const struct intake *intake)
{
	struct stk_text text = text_of(intake->carry.at, intake->carry.count);

	return text.size >= ENOUGH_BYTES && text.data[text.size - 1] == '\n' && !clean_needed(text) &&
	       (intake->forced != NULL || text_format_recognised(text) != NULL);
}

/* A format that is not text, by its first bytes; or NULL. */
static const struct text_format *
recording_recognised(struct stk_text beginning)
{
	for (size_t f = 0; text_formats[f] != NULL; f++)
		if (text_formats[f]->read != NULL && text_formats[f]->recognise(beginning) > 0)
			return text_formats[f];
	return NULL;
}

/* What a server says before its answer, as curl -i keeps it: its size, or 0. */
static size_t
http_head_size(struct stk_text text)
{
	static const char *const ends[] = { "\r\n\r\n", "\n\n" };

	for (size_t e = 0; text_starts(text, "HTTP/") && e < sizeof ends / sizeof *ends; e++) {
		const char *at = memmem(text.data, text.size, ends[e], strlen(ends[e]));

		if (at != NULL)
			return (size_t)(at - text.data) + strlen(ends[e]);
	}
	return 0;
}

/* The same, also below the head of an HTTP answer, which is removed then. */
static const struct text_format *
take_recording(struct intake *intake)
{
	struct stk_text beginning = text_of(intake->carry.at, intake->carry.count);
	const struct text_format *format = recording_recognised(beginning);
	size_t head = format == NULL ? http_head_size(beginning) : 0;

	if (head == 0)
		return format;
	format = recording_recognised(text_of(beginning.data + head, beginning.size - head));
	if (format != NULL) {
		memmove(intake->carry.at, intake->carry.at + head, intake->carry.count - head);
		intake->carry.count -= head;
	}
	return format;
}

/* A read error, if any, was reported before, and explains the rest. */
static bool
make_nothing(struct intake *intake, const char *why)
{
	(void)stk_fail(&intake->damage, STK_EDATA, "%s", why);
	return false;
}

/* The cleaner, if the text needs one, and its output so far in place of what was read. */
static void
clean_beginning(struct intake *intake)
{
	struct stk_text beginning = text_of(intake->carry.at, intake->carry.count);
	enum wrapping wrapping = unwrap_kind(beginning);

	if (wrapping == WRAP_NONE && !clean_needed(beginning))
		return;
	intake->unwrapped = wrapping != WRAP_NONE;
	cleaner_open(&intake->cleaner);
	if (wrapping != WRAP_NONE)
		cleaner_unwrap(intake->cleaner, wrapping);
	else
		cleaner_expect(intake->cleaner, beginning);
	cleaner_add(intake->cleaner, beginning.data, beginning.size);
	intake->carry.count = 0;
	carry_add_cleaned(intake);
	beginning = text_of(intake->carry.at, intake->carry.count);
	if (wrapping == WRAP_NONE && (wrapping = unwrap_kind(beginning)) != WRAP_NONE) {
		cleaner_unwrap_again(intake->cleaner, wrapping, beginning);
		intake->unwrapped = true;
		intake->carry.count = 0;
		carry_add_cleaned(intake);
	}
	if (intake->at_end) {
		cleaner_end(intake->cleaner);
		carry_add_cleaned(intake);
	}
	/* a record may be long, and of a log that has the newest first nothing comes out before its end */
	while (!intake->at_end && intake->carry.count < BEGINNING_BYTES &&
	       !(is_quiet(intake) && is_known_by_now(intake)))
		read_more(intake, PIECE_BYTES);
}

/* Of a profile that a log has written line by line. */
static void
remove_prefix(struct intake *intake, struct stk_text beginning)
{
	struct stk_text prefix = log_prefix_learn(beginning);

	if (prefix.size > 0)
		clean_from(intake, prefix);
}

/* Records of a log whose text could not be taken out; a text below one of another encoding. */
static void
note_lost(struct intake *intake)
{
	uint64_t lost = intake->cleaner != NULL ? cleaner_lost(intake->cleaner) : 0;

	if (lost > 0)
		(void)stk_fail(&intake->damage, STK_EDATA,
			       "the text of %llu records of the log is lost: damaged, too long, or left out by what wrote them",
			       (unsigned long long)lost);
	else if (intake->cleaner != NULL && cleaner_met_other(intake->cleaner))
		(void)stk_fail(&intake->damage, STK_EDATA,
			       "something below is not in the encoding of the file's beginning; it is not read");
}

/* Reads the beginning and recognises its format. False: damage says why it cannot be read. */
static bool
recognise(struct intake *intake)
{
	struct stk_text beginning;
	const char *kind;

	while (!intake->at_end && intake->carry.count < BEGINNING_BYTES &&
	       !(is_quiet(intake) && is_known_by_now(intake)))
		read_more(intake, BEGINNING_BYTES - intake->carry.count);
	if (is_record_stream(intake->input))
		return make_nothing(intake, "already a record stream: read it with stkcat");
	beginning = text_of(intake->carry.at, intake->carry.count);
	if (beginning.size == 0)
		return intake->interrupted || make_nothing(intake, "empty");
	intake->format = intake->forced != NULL ? intake->forced : take_recording(intake);
	if (intake->format != NULL && intake->format->read != NULL)
		return true;
	clean_beginning(intake);
	beginning = text_of(intake->carry.at, intake->carry.count);
	remove_prefix(intake, beginning);
	beginning = text_of(intake->carry.at, intake->carry.count);
	kind = intake->forced == NULL ? unread_kind(beginning) : NULL;
	intake->format = intake->forced != NULL ? intake->forced : text_format_recognised(beginning);
	if (kind != NULL)
		return make_nothing(intake, kind);
	if (intake->format == NULL && intake->interrupted)
		intake->carry.count = 0;
	else if (intake->format == NULL && memchr(beginning.data, '\0', beginning.size) != NULL)
		return make_nothing(intake, unknown_words);
	else if (intake->format == NULL)
		intake->format = &plain_text_format;	/* what is further on? */
	return true;
}

static void
forget_file(struct intake *intake)
{
	while (intake->count > 0)
		(void)oldest_take(intake);
	cleaner_close(intake->cleaner);
	intake->cleaner = NULL;
	intake->carry.count = intake->held.count = 0;
	intake->at_end = intake->interrupted = intake->skipping = false;
	intake->mixed = intake->begins = intake->found = intake->unwrapped = false;
	stk_error_clear(&intake->damage);
}

/* What was read to recognise it, then the rest. */
static size_t
read_on(struct intake *intake, char *to, size_t size)
{
	if (intake->carry.count == 0 && intake->cleaner == NULL)
		return read_into(intake, to, size);
	while (intake->carry.count == 0 && !intake->at_end)
		read_more(intake, PIECE_BYTES);
	size = size < intake->carry.count ? size : intake->carry.count;
	if (size == 0)
		return 0;
	memcpy(to, intake->carry.at, size);
	carry_drop(intake, size);
	return size;
}

/* Bytes of lines, of which the last may go on. */
static void
whole_lines_add(struct whole_lines *lines, const char *at, const char *end)
{
	while (at < end) {
		const char *stop = scan_line_end(at, end);

		lines->open = true;
		lines->filled |= trimmed(between(at, stop)).size > 0;
		if (stop == end)
			return;
		lines->count++;
		lines->blank += !lines->filled;
		lines->open = lines->filled = false;
		at = stop + 1;
	}
}

/* For formats that are read as a whole. */
static size_t
read_whole(void *context, void *to, size_t size)
{
	struct intake *intake = context;
	size_t got = read_on(intake, to, size);

	if (intake->whole_lines.counts)
		whole_lines_add(&intake->whole_lines, to, (const char *)to + got);
	return got;
}

#define TEXT_LOOKED_AT 256u

/* Text has no control characters but blanks: protocol buffers can begin with a line's end and a brace. */
static bool
is_text(struct stk_text beginning)
{
	for (size_t i = 0; i < beginning.size && i < TEXT_LOOKED_AT; i++)
		if ((unsigned char)beginning.data[i] < ' ' && (beginning.data[i] < '\t' || beginning.data[i] > '\r'))
			return false;
	return true;
}

/* JSON, or a format that says so. */
static bool
is_whole_text(const struct intake *intake)
{
	struct stk_text text = text_of(intake->carry.at, intake->carry.count);

	if (text_starts(text, "\xef\xbb\xbf"))
		text = text_of(text.data + 3, text.size - 3);
	while (text.size > 0 && (unsigned char)*text.data <= ' ')
		text = text_of(text.data + 1, text.size - 1);
	return intake->format->is_text ||
	       (text.size > 0 && (*text.data == '{' || *text.data == '[') && is_text(text));
}

static int
take_whole(struct intake *intake, struct stk_error *err)
{
	struct recording_bytes bytes = { read_whole, intake };
	struct whole_lines *lines = &intake->whole_lines;
	int result;

	intake->found = true;
	*lines = (struct whole_lines){ .counts = intake->choice.count_blank && is_whole_text(intake) };
	result = intake->format->read(intake->collect, &bytes, err);
	if (result == 0 && lines->counts)
		recording_rejected_rest(intake->collect, &bytes, text_of("", 0), lines->count + 1);
	collect_lines(intake->collect, lines->count + lines->open, lines->blank + (lines->open && !lines->filled));
	return result;
}

int
intake_file(struct intake *intake, struct input *input, const char *file, const char *source, int64_t fallback_ns,
	    struct stk_error *err)
{
	int result = 0;

	forget_file(intake);
	intake->input = input;
	intake->line = 1;
	if (recognise(intake) && intake->carry.count > 0) {
		collect_begin_file(intake->collect, file, source, intake->format, fallback_ns);
		result = intake->format->read != NULL ? take_whole(intake, err) : take_ahead(intake, err);
		if (result == 0 && intake->format->read == NULL)
			result = take_pieces(intake, err);
		if (result == 0)
			result = collect_end_file(intake->collect, err);
		if (result == 0 && !intake->found && intake->format == &plain_text_format && !intake->interrupted)
			(void)make_nothing(intake, unknown_words);
		note_lost(intake);
	}
	if (result == 0 && intake->damage.code != STK_EOK) {
		(void)stk_fail(err, intake->damage.code, "%s", intake->damage.text);
		result = 1;
	}
	forget_file(intake);
	return result;
}

void
intake_open(struct intake **out, struct collect *collect, struct stk_workers *workers, const struct text_format *format,
	    const struct scan_choice *choice)
{
	struct intake *intake = *out = mem_new(1, sizeof *intake);

	intake->collect = collect;
	intake->workers = workers;
	intake->forced = format;
	intake->choice = *choice;
	intake->pieces_max = workers == NULL ? 1 : (unsigned)workers_threads(workers) * 2;
	intake->pieces = mem_new(intake->pieces_max, sizeof *intake->pieces);
}

void
intake_close(struct intake *intake)
{
	if (intake == NULL)
		return;
	forget_file(intake);
	for (unsigned p = 0; p < intake->pieces_max; p++) {
		free(intake->pieces[p].text);
		findings_release(&intake->pieces[p].findings);
	}
	array_release(&intake->carry);
	array_release(&intake->held);
	free(intake->pieces);
	free(intake);
}

void
intake_watch(struct intake *intake, void (*progress)(int64_t bytes, int64_t rows), bool (*stop)(void))
{
	intake->progress = progress;
	intake->stop = stop;
}
