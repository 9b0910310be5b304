/* SPDX-License-Identifier: MIT
 * stkpath: counts how often the paths of interest through a function were taken, exactly, loops included. */
#include "stkpath.h"

#include "program/program.h"

#include <string.h>

static struct path_settings settings = { .method = "auto" };

static const struct option_row options[] = {
	OPT_HEADING("stkpath cfg: graphs of the functions in FILE.ll, from clang -S -emit-llvm, or in gcc's FILE.gcno"),
	OPT_TEXT(0, "function", &settings.function, "NAME",
		 "cfg: its graph, in YAML; instrument: A,B,...; coverage: its untaken paths"),
	OPT_HEADING("stkpath plan: where to count, for a graph and its paths of interest"),
	OPT_TEXT('g', "cfg", &settings.cfg, "FILE",
		 "the function's graph, in YAML; suggest: only functions of this FILE.ll"),
	OPT_TEXT('p', "paths", &settings.paths, "FILE", "the paths of interest, in YAML"),
	OPT_TEXT('m', "method", &settings.method, "NAME",
		 "epp spp espp prepp pap psp0 psp1 psp2 psp3 trie ac, or auto"),
	OPT_FLAG(0, "poison", &settings.poison, "prepp: leaving the interesting edges costs more than all ids: exact"),
	OPT_FLAG(0, "prime", &settings.prime, "ac: all prime paths of the graph are of interest"),
	OPT_DURATION(0, "duration", &settings.time_ns, "TIME",
		     "auto: how long one run of the function takes, when it is known"),
	OPT_TEXT(0, "sample", &settings.sample, "FILE", "auto: what does least over these events, as run takes them"),
	OPT_FLAG(0, "any", &settings.any, "auto: psp0 when any of its conditions holds, not the first that is known"),
	OPT_HEADING(
		"stkpath instrument: FILE.ll with probes, as PLANs say, or for all paths; link it with libstkpath.a"),
	OPT_TEXT(0, "mode", &settings.mode, "MODE",
		 "calls of no interest go on in a copy (clone), here (sticky), or not (stop)"),
	OPT_FLAG(0, "steps", &settings.steps, "count nothing: write each block that goes by, for stkpath run"),
	OPT_FLAG(0, "atomic", &settings.atomic, "counts are right in programs of several threads"),
	OPT_HEADING("stkpath run: counts over events: lines '> THREAD', names of blocks, '<'"),
	OPT_TEXT(0, "plan", &settings.plan, "FILE", "what stkpath plan wrote"),
	OPT_TEXT(0, "repr", &settings.keeping, "WAY",
		 "how ids are kept: u64 shift64 shift128 table spill; as the plan says"),
	OPT_FLAG(0, "verify", &settings.verify, "walk the paths beside it, and say how many were counted wrongly"),
	OPT_FLAG(0, "untaken", &settings.untaken, "only the paths that were never taken, and what share was"),
	OPT_FLAG(0, "effort", &settings.stats, "counts of probes, blocks and activations instead of paths"),
	OPT_OLD("time", "duration"),
	OPT_OLD("stats", "effort"),
	OPT_END
};

int
main(int argc, char **argv)
{
	int first = program_begin("stkpath", "counts the paths through a function that are of interest",
				  "cfg | plan | run | instrument | coverage | samples | suggest [FILE]...", "text, tsv",
				  options, argc, argv);

	if (first == argc)
		program_usage("missing command: expected cfg, plan, run, instrument, coverage, samples or suggest");
	if (program_common.format != NULL && strcmp(program_common.format, "text") != 0 &&
	    strcmp(program_common.format, "tsv") != 0)
		program_usage("-f: expected text or tsv, not '%s'", program_common.format);
	if (strcmp(argv[first], "cfg") == 0)
		return print_cfg(&settings, argv + first + 1, argc - first - 1);
	if (strcmp(argv[first], "plan") == 0)
		return make_plan(&settings, argc - first - 1);
	if (strcmp(argv[first], "run") == 0)
		return run_plan(&settings, argv + first + 1, argc - first - 1);
	if (strcmp(argv[first], "instrument") == 0)
		return instrument_module(&settings, argv + first + 1, argc - first - 1);
	if (strcmp(argv[first], "coverage") == 0) {
		settings.untaken = true;
		if (settings.plan == NULL)
			return prime_coverage(&settings, argv + first + 1, argc - first - 1);
		return run_plan(&settings, argv + first + 1, argc - first - 1);
	}
	if (strcmp(argv[first], "samples") == 0)
		return path_samples(argv + first + 1, argc - first - 1);
	if (strcmp(argv[first], "suggest") == 0)
		return suggest_functions(&settings, argv + first + 1, argc - first - 1);
	program_usage("expected cfg, plan, run, instrument, coverage, samples or suggest, not '%s'", argv[first]);
}
