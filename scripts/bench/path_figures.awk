# SPDX-License-Identifier: MIT
# path_figures.awk: the rows of the figures of scripts/path-experiment, for stkplot rows, and the rules that stkpath plan -m auto chooses by: functions, native,
# acyclic, cyclic. A property's threshold is the middle of its values: a function is below it, or from it on. On each side the best of psp0 to psp3 is the one with
# the least time on average, each time divided by that of the four together for the same paths. How well a property tells the methods apart is, as in the source, by
# how much the second best of psp1 to psp3 is slower than the best of these, in percent, on average of both sides.
BEGIN {
	FS = "\t"
	heavy = split(weights, weight, " ")
	method_count = split("psp0 psp1 psp2 psp3 spp prepp pap", methods, " ")	# the same colours in all figures
	properties = split("duration looped regions loops region blocks", property, " ")
	split("46.5 45.1 43.2 38.5 37.6 14.9", source, " ")
	split("time of a call|blocks in loops, share|regions|loops|blocks of the largest region|blocks", words, "|")
	for (n = 12; n <= 17; n++) file[n] = to "/figure-" n ".tsv"
	print "weight\tmethod\tfunction\ttime, % of that of spp" >file[12]
	print "weight\tmethod\tfunction\ttime, % of that of spp" >file[13]
	print "function\tmethod\tpaths of interest\ttime, % of that of pap" >file[14]
	print "all\tby\tproperty\tpsp1 to psp3: second best slower than the best, %" >file[15]
	print "property\tmethod\tside\ttime, % of the mean of the four" >file[16]
	print "step\tmethod\tpaths of interest\tprocessor time, ms" >file[17]
}
FNR == 1 { files++ }
files == 1 {
	if (FNR > 1) {
		names[++functions] = $1
		value[$1, "blocks"] = $2; value[$1, "loops"] = $4; value[$1, "looped"] = $2 > 0 ? $6 / $2 : 0; value[$1, "regions"] = $7; value[$1, "region"] = $9
	}
	next
}
files == 2 { native[$1, $5] = $6; next }
{
	t[$1, $2, $5, $4] += $6
	if (!(($1, $2) in seen)) { seen[$1, $2]; sizes[$1] = sizes[$1] " " $2 }
	if (files == 4 && !(($2) in step)) { step[$2]; stepped[++step_count] = $2 }
	if (files == 4) { planning[$4, $2] += $8; instrumenting[$4, $2] += $9; planned[$4, $2]++; looped[$1] }
}
function percent(a, b) { return b > 0 ? sprintf("%.1f", 100 * a / b) : "-" }
function property_of(f, p, w) { return p == "duration" ? native[f, w] / 1e6 : value[f, p] }
# the middle of the values, or the next higher one when nothing is below it; -1: all are equal
function middle(p,   i, w, n, list, k, hold) {
	for (i = 1; i <= functions; i++) for (w = 1; w <= heavy; w++) {
		hold = property_of(names[i], p, weight[w])
		for (k = ++n; k > 1 && list[k - 1] > hold; k--) list[k] = list[k - 1]
		list[k] = hold
	}
	for (k = int(n / 2) + 1; k <= n; k++) if (list[k] > list[1]) return list[k]
	return -1
}
# sums of relative times, side 0 and 1, in sum[side, method] and counts in count[side]
function gather(p, threshold,   i, w, k, n, size, m, all, side, f) {
	split("", sum); split("", count)
	for (i = 1; i <= functions; i++) {
		f = names[i]
		n = split(sizes[f], size, " ")
		for (w = 1; w <= heavy; w++) for (k = 1; k <= n; k++) {
			all = 0
			for (m = 0; m < 4; m++) all += t[f, size[k], weight[w], "psp" m] / 4
			if (all <= 0) continue
			side = property_of(f, p, weight[w]) >= threshold
			for (m = 0; m < 4; m++) sum[side, m] += t[f, size[k], weight[w], "psp" m] / all
			count[side]++
		}
	}
}
END {
	for (w = 1; w <= heavy; w++) for (i = 1; i <= functions; i++) for (m = 1; m <= method_count; m++) for (n = 0; n < 2; n++)
		if (!(names[i] in looped) && ((names[i], n ? 50 : 10, weight[w], methods[m]) in t))
			printf "blocks of weight %s\t%s\t%s\t%s\n", weight[w], methods[m], names[i], percent(t[names[i], n ? 50 : 10, weight[w], methods[m]], t[names[i], n ? 50 : 10, weight[w], "spp"]) >file[12 + n]
	for (i = 1; i <= functions; i++) for (w = 1; w <= heavy; w++) for (m = 1; m <= method_count; m++) for (k = 1; k <= step_count; k++)
		if ((names[i] in looped) && ((names[i], stepped[k], weight[w], methods[m]) in t))
			printf "%s, blocks of weight %s\t%s\t%s\t%s\n", names[i], weight[w], methods[m], stepped[k], percent(t[names[i], stepped[k], weight[w], methods[m]], t[names[i], stepped[k], weight[w], "pap"]) >file[14]
	for (k = 1; k <= step_count; k++) for (m = 0; m < 4; m++) if (planned["psp" m, stepped[k]] > 0) {
		printf "planning\tpsp%d\t%s\t%.2f\n", m, stepped[k], planning["psp" m, stepped[k]] / planned["psp" m, stepped[k]] >file[17]
		printf "instrumenting\tpsp%d\t%s\t%.2f\n", m, stepped[k], instrumenting["psp" m, stepped[k]] / planned["psp" m, stepped[k]] >file[17]
	}
	for (p = 1; p <= properties; p++) {
		printf "all\tthe source\t%s\t%s\n", words[p], source[p] >file[15]
		threshold = middle(property[p])
		if (threshold < 0) continue
		gather(property[p], threshold)
		if (count[0] == 0 || count[1] == 0) continue
		gap = 0
		for (side = 0; side < 2; side++) {
			first = 1
			for (m = 2; m < 4; m++) if (sum[side, m] < sum[side, first]) first = m
			second = first == 1 ? 2 : 1
			for (m = 2; m < 4; m++) if (m != first && sum[side, m] < sum[side, second]) second = m
			gap += 100 * (sum[side, second] / sum[side, first] - 1) / 2
			best[side] = sum[side, 0] <= sum[side, first] ? 0 : first
			for (m = 0; m < 4; m++)
				printf "%s\tpsp%d\t%s\t%s\n", words[p], m, (side ? "from " : "below ") sprintf("%.3g", threshold) (p == 1 ? " ms" : ""), percent(sum[side, m], count[side]) >file[16]
		}
		printf "all\tthis machine\t%s\t%.1f\n", words[p], gap >file[15]
		for (k = ++rules; k > 1 && gaps[k - 1] < gap; k--) { gaps[k] = gaps[k - 1]; rule[k] = rule[k - 1] }
		gaps[k] = gap
		rule[k] = sprintf("%s\t%.6g\tpsp%d\tpsp%d\t%.1f", property[p], threshold, best[0], best[1], gap)
	}
	print "property\tbelow\tmethod\tfrom it on\tgap, %" >(to "/choice.tsv")
	for (k = 1; k <= rules; k++) print rule[k] >(to "/choice.tsv")
}
