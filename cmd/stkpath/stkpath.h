/* SPDX-License-Identifier: MIT
 * stkpath: the options, and the commands. One file per command. */
#ifndef STKPATH_STKPATH_H
#define STKPATH_STKPATH_H

#include "program/options.h"

#include <stdbool.h>
#include <stdint.h>

struct path_settings {
	const char *function, *cfg, *paths, *method, *plan, *keeping, *mode, *sample, *base, *by, *owners, *root;
	bool poison, prime, any, verify, untaken, stats, steps, atomic, regions;
	int64_t time_ns;		/* 0: not known */
	int64_t hot, random, seed;	/* 0: not given */
	struct option_texts through, around, sources;
	const char *changed;
	double fail_under;		/* percent; negative: not given */
};

int print_cfg(const struct path_settings *settings, char **operands, int count);
int make_plan(const struct path_settings *settings, int operands);
int make_paths(const struct path_settings *settings, char **operands, int count);
int instrument_module(const struct path_settings *settings, char **operands, int count);
int path_samples(char **operands, int count);
int suggest_functions(const struct path_settings *settings, char **operands, int count);
int prime_coverage(const struct path_settings *settings, char **operands, int count);
/* Status 4 if fewer than --fail-under were taken, or none were counted. */
void coverage_judge(const struct path_settings *settings, uint64_t taken, uint64_t all);
int count_sequences(const struct path_settings *settings, char **operands, int count);
int collect_counts(char **operands, int count);
int run_plan(const struct path_settings *settings, char **operands, int count);

#endif
