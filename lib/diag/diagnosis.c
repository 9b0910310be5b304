/* SPDX-License-Identifier: MIT
 * diagnosis: each dump goes to all rules; incidents that end are judged by the rule that noted them. */
#include "diag/diagnosis.h"

#include "diag/diag_view.h"
#include "diag/gc_rules.h"

#include "base/quantities.h"

#define NS_PER_S 1e9

struct diagnosis {
	struct text_table texts;
	struct stack_facts *facts;
	struct dump_intake *intake;
	struct wait_graph graph;
	struct dump_pools pools;
	struct incidents *incidents;
	struct thread_rules *threads;
	struct place_rules *places;
	struct gc_rules *collections;
	struct model *model;
	struct selection *chosen;
	void (*watch)(void *context, const struct diag_dump *dump, const struct wait_graph *graph);
	void *watcher;
	uint64_t measures;		/* metrics that were looked at */
	struct diag_view view;
	struct diag_findings findings;
};

static void
look(void *context, const struct diag_dump *dump)
{
	struct diagnosis *d = context;

	wait_graph_build(&d->graph, dump, d->facts);
	dump_pools_build(&d->pools, dump);
	d->view.dump = dump;
	d->view.torn = d->graph.contradictions > 0 || dump->cut ||
		(double)dump->took_ns > d->view.limits->at[LIMIT_LATE_SECONDS] * NS_PER_S;
	thread_rules_remember(d->threads, &d->view);
	lock_rules_look(&d->view);
	pool_rules_look(&d->view);
	place_rules_look(d->places, &d->view);
	thread_rules_look(d->threads, &d->view);
	incidents_end_dump(d->incidents, dump);
	if (d->watch != NULL)
		d->watch(d->watcher, dump, &d->graph);
}

static bool
judge(void *context, struct incident *incident)
{
	struct diagnosis *d = context;

	switch (incident->rule) {
	case RULE_DEADLOCK:
	case RULE_CONVOY:
	case RULE_HOLDER_IDLE:
	case RULE_CLASS_INIT:
	case RULE_LOGGING:   return lock_rules_judge(incident, &d->view, &d->findings);
	case RULE_STUCK:
	case RULE_SPIN:
	case RULE_TORN:
	case RULE_LATE:
	case RULE_FINALIZER: return thread_rules_judge(d->threads, incident, &d->view, &d->findings);
	case RULE_FUTEX:
	case RULE_LIVELOCK:
	case RULE_LOST:
	case RULE_PINNED:
	case RULE_GIL:
	case RULE_GOROUTINES:
	case RULE_HERD:      return place_rules_judge(incident, &d->view, &d->findings);
	default:             return pool_rules_judge(incident, &d->view, &d->findings);
	}
}

void
diagnosis_open(struct diagnosis **out, const struct diagnosis_options *options)
{
	struct diagnosis *d = *out = mem_new(1, sizeof *d);

	stack_facts_open(&d->facts, &d->texts, options->waits, options->idle);
	incidents_open(&d->incidents, &(struct incident_listener){ judge, d });
	thread_rules_open(&d->threads);
	place_rules_open(&d->places);
	gc_rules_open(&d->collections);
	d->model = options->model;
	d->chosen = options->chosen;
	d->watch = options->watch;
	d->watcher = options->watcher;
	d->view = (struct diag_view){ .graph = &d->graph, .pools = &d->pools, .facts = d->facts,
				      .limits = options->limits, .incidents = d->incidents, .texts = &d->texts };
	dump_intake_open(&d->intake, &(struct dump_intake_options){ .model = options->model,
								    .texts = &d->texts,
								    .facts = d->facts,
								    .window = options->window,
								    .chosen = options->chosen,
								    .listener = { look, d } });
}

void
diagnosis_close(struct diagnosis *d)
{
	if (d == NULL)
		return;
	dump_intake_close(d->intake);
	incidents_close(d->incidents);
	thread_rules_close(d->threads);
	place_rules_close(d->places);
	gc_rules_close(d->collections);
	stack_facts_close(d->facts);
	wait_graph_release(&d->graph);
	dump_pools_release(&d->pools);
	diag_findings_release(&d->findings);
	array_release(&d->view.text);
	array_release(&d->view.habits);
	text_table_release(&d->texts);
	free(d);
}

void
diagnosis_turn(struct diagnosis *d)
{
	dump_intake_turn(d->intake);
}

static int
take_metrics(struct diagnosis *d, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	const uint32_t *rows;
	uint32_t count;
	struct stk_metric row;

	if (selection_rows(d->chosen, reader, block, &rows, &count, err) < 0 || stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		stk_reader_row(reader, selected_row(rows, i), &row);
		gc_rules_take(d->collections, d->view.limits,
			      dump_intake_process_of(d->intake, model_id(d->model, STK_SOURCE, row.source)), row.time,
			      row.name, row.value);
	}
	d->measures += count;
	return 0;
}

int
diagnosis_take(struct diagnosis *d, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	if (block->kind == STK_METRIC)
		return take_metrics(d, reader, block, err);
	return dump_intake_take(d->intake, reader, block, err);
}

/* --- the end --- */

/* A rule that was switched off says nothing. */
static void
drop_unwanted(struct diag_findings *findings, const struct diag_limits *limits)
{
	size_t kept = 0;

	for (size_t f = 0; f < findings->list.count; f++) {
		if (limits->off[findings->list.at[f].rule])
			array_release(&findings->list.at[f].evidence);
		else
			findings->list.at[kept++] = findings->list.at[f];
	}
	findings->list.count = kept;
}

static bool
is_healthy(const struct diag_findings *findings)
{
	for (size_t f = 0; f < findings->list.count; f++)
		if (findings->list.at[f].severity > STK_SEVERITY_INFO)
			return false;
	return true;
}

/* What was looked at is said, so that nobody takes silence for health. */
static void
add_health(struct diagnosis *d)
{
	const struct dump_intake_totals *totals = dump_intake_totals(d->intake);
	struct text_buffer *to = &d->findings.text;
	struct finding *finding;
	uint64_t most = 0;
	unsigned processes = 0;

	/* a log of collections is a source without dumps */
	for (uint32_t p = 1; p <= dump_intake_processes(d->intake); p++) {
		uint64_t dumps = dump_intake_process(d->intake, p)->dumps;

		processes += dumps > 0;
		most = dumps > most ? dumps : most;
	}
	to->count = 0;
	add_format(to, "nothing wrong in %llu %s with %llu samples of %u %s", (unsigned long long)totals->dumps,
		   plural(totals->dumps, "dump", "dumps"), (unsigned long long)totals->chosen,
		   processes, plural(processes, "process", "processes"));
	if (d->measures > 0)
		add_format(to, ", and %llu %s", (unsigned long long)d->measures,
			   plural(d->measures, "metric", "metrics"));
	if (most < 3)
		add_string(to, "; most rules need three dumps or more of a process");
	if (most < 3 && processes > 1)
		add_string(to, " (stkcap --source NAME joins files of one)");
	finding = diag_findings_add(&d->findings, RULE_HEALTHY, STK_SEVERITY_INFO, text_from("all"), text_in(to, 0));
	finding->times = totals->times;
	finding->samples = totals->chosen;
	finding->dumps = totals->dumps;
}

struct diag_findings *
diagnosis_end(struct diagnosis *d)
{
	dump_intake_end(d->intake);
	incidents_end(d->incidents);
	thread_rules_end(d->threads, &d->view, &d->findings);
	gc_rules_end(d->collections, d->view.limits, &d->findings);
	drop_unwanted(&d->findings, d->view.limits);
	if (is_healthy(&d->findings) && (dump_intake_totals(d->intake)->chosen > 0 || d->measures > 0) &&
	    !d->view.limits->off[RULE_HEALTHY])
		add_health(d);
	diag_findings_sort(&d->findings);
	return &d->findings;
}

uint64_t
diagnosis_measures(const struct diagnosis *d)
{
	return d->measures;
}

uint64_t
diagnosis_forgotten(const struct diagnosis *d)
{
	return incidents_forgotten(d->incidents);
}

const struct dump_intake *
diagnosis_intake(const struct diagnosis *d)
{
	return d->intake;
}

const struct stack_facts *
diagnosis_stacks(const struct diagnosis *d)
{
	return d->facts;
}

struct stk_text
diagnosis_text(const struct diagnosis *d, uint32_t text)
{
	return text_table_text(&d->texts, text);
}
