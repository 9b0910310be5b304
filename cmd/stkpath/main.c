/* SPDX-License-Identifier: MIT
 * stkpath: counts how often the paths of interest through a function were taken, exactly, loops included. */
#include "stkpath.h"

#include "base/memory.h"
#include "program/program.h"

#include <gmp.h>
#include <string.h>

static struct path_settings settings = { .method = "auto", .fail_under = -1 };

static const struct option_row options[] = {
	OPT_HEADING("stkpath cfg: print the graphs of FILE.ll, from clang -S -emit-llvm, or of gcc's FILE.gcno"),
	OPT_TEXT(0, "function", &settings.function, "NAME",
		 "cfg: its graph, in YAML; instrument: A,B,...; coverage: its untaken paths"),
	OPT_FLAG(0, "regions", &settings.regions, "cfg: the regions that psp1 can use: one way in, one way out, no loop"),
	OPT_HEADING("stkpath paths: write paths of interest: those that FILE... took, or all through a place"),
	OPT_NUMBER_IN(0, "hot", &settings.hot, 1, 1000000, "N", "the N that were taken most"),
	OPT_NUMBER_IN(0, "random", &settings.random, 1, 1000000, "N", "N different ones of random walks"),
	OPT_NUMBER_IN(0, "seed", &settings.seed, 0, 9e15, "N", "of --random"),
	OPT_TEXTS(0, "through", &settings.through, "BLOCK", "that come to a block, or a line: @14; may be repeated"),
	OPT_TEXTS(0, "around", &settings.around, "FUNCTION", "that call a function; may be repeated"),
	OPT_HEADING("stkpath plan: decide where to count, for a graph and its paths of interest"),
	OPT_TEXT('g', "cfg", &settings.cfg, "FILE",
		 "the function's graph, in YAML; suggest: only functions of this FILE.ll"),
	OPT_TEXT('p', "paths", &settings.paths, "FILE", "the paths of interest, in YAML; sequences, instrument --steps: through calls"),
	OPT_TEXT('m', "method", &settings.method, "NAME",
		 "epp spp espp prepp pap pap-epp psp0 psp1 psp2 psp3 trie ac, or auto"),
	OPT_FLAG(0, "poison", &settings.poison, "prepp: make it exact, by weights larger than all ids"),
	OPT_FLAG(0, "prime", &settings.prime, "ac: count all prime paths of the graph"),
	OPT_DURATION(0, "duration", &settings.time_ns, "TIME",
		     "auto: how long one run of the function takes, if known"),
	OPT_TEXT(0, "sample", &settings.sample, "FILE", "auto: choose the method with the fewest operations over these events"),
	OPT_FLAG(0, "any", &settings.any, "auto: choose psp0 when any of its conditions holds, not only the first known one"),
	OPT_HEADING(
		"stkpath instrument: add probes to FILE.ll, by PLANs or for all paths; link it with libstkpath.a"),
	OPT_TEXT(0, "mode", &settings.mode, "MODE",
		 "calls that leave the paths continue in a copy (clone), in place (sticky), or not (stop)"),
	OPT_TEXTS(0, "source", &settings.sources, "PATH", "only functions of this file or folder; may be repeated"),
	OPT_TEXT(0, "changed", &settings.changed, "FILE", "only functions with lines that FILE, from git diff, changed"),
	OPT_FLAG(0, "steps", &settings.steps, "count nothing; write each block of each call, for stkpath run"),
	OPT_FLAG(0, "atomic", &settings.atomic, "add each count in memory at once, for signals that ask in a loop"),
	OPT_HEADING("stkpath run: count over events: lines '> THREAD', names of blocks, '<'"),
	OPT_TEXT(0, "plan", &settings.plan, "FILE", "the plan, from stkpath plan"),
	OPT_TEXT(0, "repr", &settings.keeping, "WAY",
		 "how to keep ids: u64 shift64 shift128 table spill (default: by the plan)"),
	OPT_FLAG(0, "verify", &settings.verify, "also follow the paths, and report how many were counted wrongly"),
	OPT_FLAG(0, "untaken", &settings.untaken, "print only the paths that were never taken; paths: prime ones"),
	OPT_PERCENT(0, "fail-under", &settings.fail_under, 0, 100, "PERCENT",
		    "coverage: status 4 when a smaller share of the prime paths was taken"),
	OPT_FLAG(0, "effort", &settings.stats, "print counts of probes, blocks and activations instead of paths"),
	OPT_TEXT(0, "base", &settings.base, "FILE", "coverage: also what was taken and not in FILE, the counts of another run"),
	OPT_TEXT(0, "by", &settings.by, "file|folder|owner", "coverage: a row for each of these, not for each function"),
	OPT_TEXT(0, "owners", &settings.owners, "FILE", "--by owner: the CODEOWNERS file"),
	OPT_TEXT(0, "root", &settings.root, "DIR", "--by owner: where the repository was built, if not where it is"),
	OPT_NEEDS("seed", "random"),
	OPT_OLD("time", "duration"),
	OPT_OLD("stats", "effort"),
	OPT_END
};

/* Coverage without a plan, of all functions, has three formats more. */
static void
check_format(const char *command)
{
	const char *format = program_common.format;
	bool exports = strcmp(command, "coverage") == 0 && settings.plan == NULL;

	if (format == NULL || strcmp(format, "text") == 0 || strcmp(format, "tsv") == 0)
		return;
	if (!exports)
		program_usage("-f %s works only with coverage without --plan", format);
	if (settings.function != NULL || settings.fail_under >= 0 || settings.base != NULL || settings.by != NULL)
		program_usage("-f %s is of all functions, and of lines: --function, --fail-under, --base and --by have no effect",
			      format);
}

static void
check_owners(bool by_owner)
{
	if (by_owner && settings.owners == NULL)
		program_usage("--by owner: expected --owners FILE, the CODEOWNERS file of the repository");
	if (!by_owner && (settings.owners != NULL || settings.root != NULL))
		program_usage("--owners and --root work only with --by owner");
}

/* What only tables of all functions have. */
static void
check_coverage(const char *command)
{
	bool covers = strcmp(command, "coverage") == 0 && settings.plan == NULL;

	if (settings.base != NULL && !covers)
		program_usage("--base works only with coverage without --plan");
	if (settings.by != NULL && (!covers || settings.function != NULL))
		program_usage("--by works only with coverage without --plan and --function");
	if (settings.by != NULL && strcmp(settings.by, "file") != 0 && strcmp(settings.by, "folder") != 0 &&
	    strcmp(settings.by, "owner") != 0)
		program_usage("--by: expected file, folder or owner, not '%s'", settings.by);
	check_owners(settings.by != NULL && strcmp(settings.by, "owner") == 0);
}

static void *
new_number(size_t size)
{
	return mem_resize(NULL, 1, size);
}

static void *
longer_number(void *old, size_t old_size, size_t size)
{
	(void)old_size;
	return mem_resize(old, 1, size);
}

/* Without memory for a number GMP would abort: it is to end as everything else does then. */
static void
hand_memory_to_numbers(void)
{
	mp_set_memory_functions(new_number, longer_number, NULL);
}

int
main(int argc, char **argv)
{
	int first = program_begin("stkpath", "count the paths of interest through a function",
				  "cfg|paths|plan|run|instrument|sequences|coverage|samples|collect|suggest", "text, tsv, lcov, cobertura, json",
				  options, argc, argv);

	if (first == argc)
		program_usage("missing command: expected cfg, paths, plan, run, instrument, sequences, coverage, samples, collect or suggest");
	hand_memory_to_numbers();
	check_format(argv[first]);
	if (settings.fail_under >= 0 && strcmp(argv[first], "coverage") != 0)
		program_usage("--fail-under works only with coverage");
	check_coverage(argv[first]);
	if ((settings.sources.count > 0 || settings.changed != NULL) && strcmp(argv[first], "instrument") != 0)
		program_usage("--source and --changed work only with instrument");
	if (settings.regions && strcmp(argv[first], "cfg") != 0)
		program_usage("--regions works only with cfg");
	if (strcmp(argv[first], "cfg") == 0)
		return print_cfg(&settings, argv + first + 1, argc - first - 1);
	if (strcmp(argv[first], "paths") == 0)
		return make_paths(&settings, argv + first + 1, argc - first - 1);
	if (strcmp(argv[first], "plan") == 0)
		return make_plan(&settings, argc - first - 1);
	if (strcmp(argv[first], "run") == 0)
		return run_plan(&settings, argv + first + 1, argc - first - 1);
	if (strcmp(argv[first], "instrument") == 0)
		return instrument_module(&settings, argv + first + 1, argc - first - 1);
	if (strcmp(argv[first], "sequences") == 0)
		return count_sequences(&settings, argv + first + 1, argc - first - 1);
	if (strcmp(argv[first], "coverage") == 0) {
		settings.untaken = true;
		if (settings.plan == NULL)
			return prime_coverage(&settings, argv + first + 1, argc - first - 1);
		return run_plan(&settings, argv + first + 1, argc - first - 1);
	}
	if (strcmp(argv[first], "samples") == 0)
		return path_samples(argv + first + 1, argc - first - 1);
	if (strcmp(argv[first], "collect") == 0)
		return collect_counts(argv + first + 1, argc - first - 1);
	if (strcmp(argv[first], "suggest") == 0)
		return suggest_functions(&settings, argv + first + 1, argc - first - 1);
	program_usage("expected cfg, paths, plan, run, instrument, sequences, coverage, samples, collect or suggest, not '%s'", argv[first]);
}
