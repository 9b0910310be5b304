# SPDX-License-Identifier: MIT
# path_tables.awk: the tables of scripts/path-experiment: functions, native, acyclic, cyclic.
BEGIN {
	FS = "\t"
	source["psp0"] = "-79.83 -80.10 -16.76 -12.60 +341.05"; source["psp1"] = "+1.67 +0.30 +0.19 +5.21 +5.31"
	source["psp2"] = "-16.30 -17.42 -4.63 +0.14 +21.75"; source["psp3"] = "-17.58 -18.68 -2.12 +2.78 +26.90"
	files = 0
}
FNR == 1 { files++ }
files == 1 { if (FNR > 1) listed[++functions] = $0; next }
files == 2 { native[$1, $5] = $6; next }
{
	t[$1, $2, $3, $4, $5] = $6
	credited[$1, $2, $3, $4] = $7
	planning[$4, $2] += $8; instrumenting[$4, $2] += $9; planned[$4, $2]++
}
files == 3 { acyclic[$1, $2, $3] }
files == 4 { cyclic[$1]; size_of[$2]; if (!($1 in seen)) { seen[$1]; loops[++looped] = $1 } if ($2 > largest) largest = $2; if (least == 0 || $2 < least) least = $2 }

# the method compared with another, mean of all functions and sets
function against(method, other, size, weight,   k, p, n, sum) {
	for (k in acyclic) {
		split(k, p, SUBSEP)
		if (p[2] == size && t[k, other, weight] > 0) { sum += t[k, method, weight] / t[k, other, weight] - 1; n++ }
	}
	return n > 0 ? sprintf("%+.1f", 100 * sum / n) : "-"
}
function grown(method, weight,   k, p, n, sum) {
	for (k in acyclic) {
		split(k, p, SUBSEP)
		if (p[2] == 10 && t[k, method, weight] > 0) { sum += t[p[1], 50, p[3], method, weight] / t[k, method, weight] - 1; n++ }
	}
	return n > 0 ? sprintf("%+.1f", 100 * sum / n) : "-"
}
# of two methods of which one may count others' paths as its own
function wrong(method, size,   k, p, n, sum) {
	for (k in acyclic) {
		split(k, p, SUBSEP)
		if (p[2] != size) continue
		n++
		if (credited[k, method] > 0) sum += (credited[k, method] - credited[k, "psp0"]) / credited[k, method]
	}
	return n > 0 ? 100 * sum / n : 0
}
function of_pap(method, function_, size, weight,   k, p, sum, base) {
	for (k in t) {
		split(k, p, SUBSEP)
		if (p[1] == function_ && p[2] == size && p[5] == weight && p[4] == method) { sum += t[k]; base += t[p[1], p[2], p[3], "pap", weight] }
	}
	return base > 0 ? sprintf("%+.1f", 100 * (sum / base - 1)) : "-"
}
END {
	heavy = split(weights, weight, " ")
	print "Table 1: the functions\n"
	printf "%-18s %7s %6s %6s %10s %15s %8s %15s %6s", "", "blocks", "edges", "loops", "paths", "blocks in loops", "regions", "largest region", "lines"
	for (w = 1; w <= heavy; w++) printf " %14s", "ns, weight " weight[w]
	printf "\n"
	for (i = 1; i <= functions; i++) {
		split(listed[i], f, "\t")
		printf "%-18s %7d %6d %6d %10s %15d %8d %15d %6d", f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[9], f[8]
		for (w = 1; w <= heavy; w++) printf " %14.1f", native[f[1], weight[w]]
		printf "\n"
	}
	print "\nTable 2: the methods\n"
	printf "%-8s %-13s %-18s %-13s %s\n", "", "loops", "counts", "exact", "ends a call of no interest"
	printf "%-8s %-13s %-18s %-13s %s\n", "spp", "no", "paths of interest", "no", "no"
	printf "%-8s %-13s %-18s %-13s %s\n", "prepp", "no", "paths of interest", "no (--poison)", "no"
	printf "%-8s %-13s %-18s %-13s %s\n", "espp", "no", "paths of interest", "yes", "no"
	printf "%-8s %-13s %-18s %-13s %s\n", "epp", "cut", "all paths", "yes", "no"
	printf "%-8s %-13s %-18s %-13s %s\n", "pap", "yes", "all paths", "yes", "no"
	printf "%-8s %-13s %-18s %-13s %s\n", "psp0", "yes", "paths of interest", "yes", "at once"
	printf "%-8s %-13s %-18s %-13s %s\n", "psp1", "yes", "paths of interest", "yes", "at the end of a region"
	printf "%-8s %-13s %-18s %-13s %s\n", "psp2", "yes", "paths of interest", "yes", "on edges that no path of interest has"
	printf "%-8s %-13s %-18s %-13s %s\n", "psp3", "yes", "paths of interest", "yes", "both of these"
	for (w = 1; w <= heavy; w++) {
		printf "\nFunctions without loops, blocks of weight %s: %% of time (the source) against\n", weight[w]
		printf "%-6s %18s %18s %18s %18s %20s\n", "", "spp, 10", "prepp, 10", "spp, 50", "prepp, 50", "itself, 10 to 50"
		for (i = 0; i < 4; i++) {
			m = "psp" i; split(source[m], s, " ")
			printf "%-6s", m
			for (k = 1; k <= 4; k++) printf " %8s (%7s)", against(m, k % 2 ? "spp" : "prepp", k < 3 ? 10 : 50, weight[w]), s[k]
			printf " %9s (%8s)\n", grown(m, weight[w]), s[5]
		}
	}
	print "\nInaccuracy: of what was counted as interesting, the share that was not (psp0 is exact)"
	printf "%-6s %10s %10s     the source\n", "", "10", "50"
	printf "%-6s %8.2f %% %8.2f %%     11.20 %%, 14.44 %%\n%-6s %8.2f %% %8.2f %%     44.07 %%, 25.20 %%\n", "spp", wrong("spp", 10), wrong("spp", 50), "prepp", wrong("prepp", 10), wrong("prepp", 50)
	print "\nFunctions with loops: % of time against pap (the source: in each case some psp is cheaper than pap, and none always)"
	printf "%-18s %6s %6s %8s %8s %8s %8s\n", "", "weight", "paths", "psp0", "psp1", "psp2", "psp3"
	for (i = 1; i <= looped; i++) for (w = 1; w <= heavy; w++) for (k = 0; k < (largest > least ? 2 : 1); k++) {
		size = k == 0 ? least : largest
		printf "%-18s %6s %6d", loops[i], weight[w], size
		for (m = 0; m < 4; m++) printf " %8s", of_pap("psp" m, loops[i], size, weight[w])
		printf "\n"
	}
	print "\nPlanning, instrumenting: ms of processor time, mean of the functions (the source, planning: 28.7, 27.9, 38.1 and 53.4 ms for psp0 to psp3)"
	for (i = 0; i < 4; i++) for (k = 0; k < (largest > least ? 2 : 1); k++) {
		size = k == 0 ? least : largest
		if (planned["psp" i, size] > 0)
			printf "psp%d, %3d paths %8.1f %8.1f\n", i, size, planning["psp" i, size] / planned["psp" i, size], instrumenting["psp" i, size] / planned["psp" i, size]
	}
}
