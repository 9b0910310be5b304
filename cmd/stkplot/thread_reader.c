/* SPDX-License-Identifier: MIT
 * thread_reader: as stkdiag reads, with a history beside the rules. */
#include "thread_reader.h"

#include "base/quantities.h"
#include "group/scheme_files.h"
#include "program/program.h"
#include "program/scheme_places.h"

#include <stdio.h>
#include <string.h>

static void
watch(void *context, const struct diag_dump *dump, const struct wait_graph *graph)
{
	thread_history_take(context, dump, graph);
}

/* All threads of the window are looked at: one that was not chosen may hold what those wait for that were. */
int
thread_reader_open(struct thread_reader *r, const struct plot_settings *settings, struct model *model,
		   struct stk_error *err)
{
	const struct selection_options *chosen = &settings->choice.selection;
	struct selection_options window = { .from_ns = chosen->from_ns,
					    .to_ns = chosen->to_ns,
					    .windows = chosen->windows,
					    .windows_count = chosen->windows_count };
	struct diagnosis_options options = {
		.limits = &r->limits, .model = model, .watch = watch, .watcher = &r->history
	};

	r->settings = settings;
	r->model = model;
	diag_limits_default(&r->limits);
	if ((settings->rules != NULL && diag_limits_read(&r->limits, settings->rules, err) < 0) ||
	    selection_open(&r->window, model, &window, err) < 0 ||
	    selection_open(&r->chosen, model, chosen, err) < 0 ||
	    scheme_file_read(&options.waits, "waits", scheme_places(), err) < 0)
		return -1;
	if (scheme_file_read(&options.idle, "idle", scheme_places(), err) < 0) {
		scheme_close(options.waits);
		return -1;
	}
	options.window = r->window;
	options.chosen = r->chosen;
	diagnosis_open(&r->diagnosis, &options);
	r->history.diagnosis = r->diagnosis;
	return 0;
}

void
thread_reader_turn(struct thread_reader *r, struct stk_reader *from)
{
	diagnosis_turn(r->diagnosis);
	selection_head(r->window, from, 0);
	selection_head(r->chosen, from, 0);
}

int
thread_reader_take(struct thread_reader *r, struct stk_reader *from, const struct stk_block *block,
		   struct stk_error *err)
{
	r->findings_read += block->kind == STK_FINDING ? block->rows : 0;
	return diagnosis_take(r->diagnosis, from, block, err);
}

static void
say_what_is_missing(const struct thread_reader *r)
{
	const struct dump_intake_totals *totals = dump_intake_totals(diagnosis_intake(r->diagnosis));
	const struct thread_history *h = &r->history;

	if (totals->dumps == 0 && r->findings_read > 0)
		program_warn("the input has %llu %s of stkdiag, and not the dumps that %s about: give stkplot what stkdiag read",
			     (unsigned long long)r->findings_read, plural(r->findings_read, "finding", "findings"),
			     plural(r->findings_read, "it is", "they are"));
	if (totals->outside > 0)
		program_say("%llu samples are of a profiler, not of thread dumps: states and locks do not have them",
			    (unsigned long long)totals->outside);
	if (h->untimed > 0)
		program_say("%llu %s without a time left out", (unsigned long long)h->untimed,
			    plural(h->untimed, "dump", "dumps"));
	if (h->backward > 0)
		program_warn("%llu %s left out: give the files in the order of time, or sort them with stkcat --sort",
			     (unsigned long long)h->backward,
			     plural(h->backward, "dump is earlier than the one before it and was",
				    "dumps are earlier than the ones before them and were"));
	if (h->left_out > 0)
		program_warn("%llu samples of threads beyond the first %d are left out",
			     (unsigned long long)h->left_out, HISTORY_ROWS_MOST);
	if (h->dumps > 0 && h->samples == 0)
		program_warn("none of the %llu threads is selected: nothing is drawn",
			     (unsigned long long)totals->threads);
}

void
thread_reader_end(struct thread_reader *r)
{
	const struct dump_intake *intake = diagnosis_intake(r->diagnosis);

	r->findings = diagnosis_end(r->diagnosis);
	for (uint32_t p = 1; p <= dump_intake_processes(intake); p++)
		source_clocks_add_zone(&r->clocks, diagnosis_text(r->diagnosis,
								  (uint32_t)dump_intake_process(intake, p)->row.zone));
	thread_history_settle(&r->history, r->findings);
	say_what_is_missing(r);
}

void
thread_reader_close(struct thread_reader *r)
{
	thread_history_release(&r->history);
	diagnosis_close(r->diagnosis);
	selection_close(r->window);
	selection_close(r->chosen);
}

const struct time_zone *
thread_reader_zone(const struct thread_reader *r)
{
	return sample_choice_typing_zone(&r->settings->choice);
}
