/* SPDX-License-Identifier: MIT
 * torture_modes.h: how filters are run while their calls fail, beside filter_modes.h, whose words these are: what reads
 * texts, archives and folders, and what several threads do. Texts are those of torture_texts.sh. */
#ifndef T_LIB_TORTURE_MODES_H
#define T_LIB_TORTURE_MODES_H

static const struct { const char *filter, *arguments;
} torture_modes[] = {
	{ "stkcap", "-q -o out %dump.txt" },
	{ "stkcap", "-q --threads 4 -o out %dump.txt %dumps.folded" },
	{ "stkcap", "-q %dump.txt.gz" },
	{ "stkcap", "-q -o out %dump.txt.zst %dump.txt" },
	{ "stkcap", "-q -o out %dumps.tar.gz" },
	{ "stkcap", "-q -o out %folder" },
	{ "stkcap", "-q --demangle all -o out %mangled.folded" },
	{ "stkcap", "-q --rejects rejects -o out %odd.txt" },
	{ "stkcap", "-q -o out %shop.perf.txt" },
	{ "stkcap", "-q -o out %profile.pprof" },
	{ "stkcap", "-q -o out %profile.speedscope.json" },
	{ "stkcap", "-q -o out %profile.firefox.json" },
	{ "stkcap", "-q -o out %profile.chrome.json" },
	{ "stkcap", "-q -o out %profile.otlp" },
	{ "stkcap", "-q -o out --format metrics %metrics.csv" },
	{ "stkcap", "-q -o out %other %nowhere" },
	{ "stkcat", "-f pprof -o out @samples" },
	{ "stkcat", "-f otlp -o out @samples" },
	{ "stkcat", "-f openmetrics @trend" },
	{ "stkcat", "--kinds -f md" },
	{ "stkcat", "--threads 4 --sort -o out @any @any" },
	{ "stkcat", "--mask all: --mask-key %mask.key -o out @dumps" },
	{ "stkcat", "--unmask --mask-key %mask.key -o out %masked" },
	{ "stkcat", "-S --demangle all -o out @samples" },
	{ "stkcat", "-f stream -o out @dumps @samples" },
	{ "stkclass", "--resume @cstate -o out @dumps" },
	{ "stkclass", "--merge --resume new.state -o out @cstate @cstate" },
	{ "stktree", "--threads 4 -o out @any @any" },
	{ "stktree", "--append new.tree @dumps" },
	{ "stkgroup", "-s jvm -f tsv @dumps" },
	{ "stkgroup", "-s %scheme.yaml --threads 4 -o out @any" },
	{ "stktrend", "--csv %grows.csv --periods none --limit used=2000 -f tsv -o out" },
	{ "stktrend", "--resume @tstate -o out @trend" },
	{ "stkdiag", "-f stream -o out @dumps @any" },
	{ "stkdiag", "--list-rules -o out" },
	{ "stkplot", "flame -o out @samples" },
	{ "stkplot", "heat -o out @dumps" },
	{ "stkplot", "trend -o out @trend" },
	{ "stkplot", "report -o out @dumps @trend" },
	{ "stkpath", "cfg %functions.ll --function switches -o out" },
	{ "stkpath", "plan -q -m epp --cfg %odd.yaml -o out" },
	{ "stkpath", "run -q --plan %epp.plan -o out @paths" },
	{ "stkpath", "samples -o out @paths" },
};

#endif
