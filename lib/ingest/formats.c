/* SPDX-License-Identifier: MIT
 * formats: the table of text formats. A new one is a file of its own and a line here. */
#include "ingest/ingest.h"

#define CERTAIN 100	/* none can be more sure */
#define PROBABLE 50	/* enough to look for the other format within it */

const struct text_format *const text_formats[] = {
	&thread_dump_format,
	&javacore_format,
	&perf_script_format,
	&process_dump_format,
	&coroutines_format,
	&bpftrace_format,
	&dtrace_format,
	&go_profile_format,
	&go_heap_format,
	&gc_log_format,
	&gc_log_uptime_format,
	&verbose_gc_format,
	&jstat_format,
	&metric_table_format,
	&openmetrics_text_format,
	&event_table_format,
	&event_json_format,
	&ftrace_format,
	&strace_format,
	&babeltrace_format,
	&austin_format,
	&folded_dumps_format,
	&folded_arrows_format,
	&folded_format,
	&jfr_format,
	&pprof_format,
	&gperftools_format,
	&callgrind_format,
	&otlp_format,
	&simpleperf_format,
	&perfetto_format,
	&nettrace_format,
	&sjk_format,
	&macos_sample_format,
	&instruments_format,
	&instruments_text_format,
	&vtune_format,
	&threads_json_format,
	&threads_text_format,
	&pyspy_json_format,
	&rbspy_format,
	&speedscope_format,
	&firefox_format,
	&chrome_format,
	&cpuprofile_format,
	NULL
};

const struct text_format *
text_format_named(const char *name)
{
	for (size_t f = 0; text_formats[f] != NULL; f++)
		if (strcmp(text_formats[f]->name, name) == 0)
			return text_formats[f];
	return NULL;
}

void
text_format_names(struct text_buffer *to)
{
	for (size_t f = 0; text_formats[f] != NULL; f++) {
		if (f > 0)
			add_string(to, text_formats[f + 1] == NULL ? " or " : ", ");
		add_string(to, text_formats[f]->name);
	}
}

static bool
may_hold_others(const struct text_format *format)
{
	return format->is_dump || format->keeps_between;
}

/* Of a dump and what may be between its lines, the dump: the rest is found in it. */
static bool
is_better(const struct text_format *format, int sure, const struct text_format *best, int surest)
{
	if (best != NULL && best->is_between && may_hold_others(format) && sure >= PROBABLE)
		return true;
	if (best != NULL && may_hold_others(best) && format->is_between && surest >= PROBABLE)
		return false;
	return sure > surest;
}

const struct text_format *
text_format_recognised(struct stk_text beginning)
{
	const struct text_format *best = NULL;
	int surest = 0;

	for (size_t f = 0; text_formats[f] != NULL && surest < CERTAIN; f++) {
		int sure = text_formats[f]->recognise(beginning);

		if (is_better(text_formats[f], sure, best, surest)) {
			surest = sure;
			best = text_formats[f];
		}
	}
	return best;
}
