#!/bin/sh
# SPDX-License-Identifier: MIT
# Where there are pairs of events and samples of a thread, each fills what the other leaves open; a moment counts once.
. "${0%/*}/lib/tap.sh"

cat >s.yaml <<'END'
scheme: s
groups:
- name: A
  events: {start: a, stop: /a}
- name: C
  members: [c*]
- name: D
  members: [d]
END
# samples TIME:FUNCTION...: one of a second each, of thread t
samples() { for one; do printf 't 1/11 %s: 1000000000 cpu-clock:\n\t1 %s (/bin/x)\n\n' "${one%:*}" "${one#*:}"; done; }
# figures OPTION...: group, count, time, of samples, of pairs
figures() {
	stkgroup -q -s s.yaml -f tsv "$@" | awk -F "\t" -v OFS=" " 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["group"], $at["count"], $at["time"], $at["sampled"], $at["paired"] }'
}

printf '0\tt\tstart\ta\n3\tt\tstop\t/a\n4\tt\tpoint\tx\n' >pairs.tsv
samples 0.5:x 1.5:x 2.5:x 3.5:x >whole.txt
samples 0.5:x 1.5:c 2.5:x 3.5:x >inner.txt
for s in whole inner; do stkcap -q --source app $s.txt pairs.tsv >$s.stk; stkcap -q --source app $s.txt >$s-only.stk; done

check 'a pair of 3 s and a sample in each of 4 s are 4 s; samples inside belong to the pair' '
	figures whole.stk >got; printf "A 4 3.0 3.0 3.0\n(none) 1 1.0 1.0 1.0\n" | same - got
	figures --events pairs.tsv whole-only.stk | same - got
	stkgroup -q -s s.yaml -f tsv whole.stk | cut -f 2,3,6 >other
	stkcap -q --source app pairs.tsv whole.txt | stkgroup -q -s s.yaml -f tsv | cut -f 2,3,6 | same other -
'
check 'a group that is nearer the leaf has its samples from the pair' '
	figures inner.stk >got; printf "A 3 2.0 2.0 3.0\nC 1 1.0 1.0 0.0\n(none) 1 1.0 1.0 1.0\n" | same - got
	figures --events pairs.tsv inner-only.stk | same - got
	figures --by thread inner.stk | same - got
	figures --by source inner.stk | same - got
	figures --step 10s inner.stk | same - got
'
check '... unless the pair has a higher priority, or is below that group' '
	sed "s/- name: A/- name: A\n  priority: 1/" s.yaml >high.yaml
	stkgroup -q -s high.yaml -f tsv inner.stk | cut -f 2,3,6 >got
	printf "group\tcount\ttime\nA\t4\t3.0\n(none)\t1\t1.0\n" | same - got
	printf "scheme: s\ngroups:\n- name: C\n  members: [c*]\n  children:\n  - {name: A, events: {start: a, stop: /a}}\n" >below.yaml
	stkgroup -q -s below.yaml -f tsv inner.stk | cut -f 2,3,6,7 >got
	printf "group\tcount\ttime\ttotal\nC\t0\t0.0\t4\nC/A\t4\t3.0\t4\n(none)\t1\t1.0\t1\n" | same - got
'
check 'steps have their parts of the pair and their samples' '
	figures --step 2s inner.stk >got
	printf "A 2 1.0 1.0 2.0\nC 1 1.0 1.0 0.0\nA 1 1.0 1.0 1.0\n(none) 1 1.0 1.0 1.0\n" | same - got
'
check 'a scheme without events: the time of none is what samples leave of it, and a moment counts once too' '
	printf "scheme: plain\ngroups:\n- name: C\n  members: [c*]\n" >plain.yaml
	printf "C 1 1.0 1.0 0.0\n(none) 3 3.0 3.0 4.0\n" >want
	stkcap -q --source app pairs.tsv inner.txt >other.stk
	for how in inner.stk other.stk "--events pairs.tsv inner-only.stk" "--step 10s inner.stk" "--step 10s other.stk"; do
		stkgroup -q -s plain.yaml -f tsv $how | awk -F "\t" -v OFS=" " "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next }
			{ print \$at[\"group\"], \$at[\"count\"], \$at[\"time\"], \$at[\"sampled\"], \$at[\"paired\"] }" >got
		same want got || { echo "$how"; false; }
	done
	# the first event comes after many samples: that is said
	awk "BEGIN { for (i = 0; i < 70000; i++) printf \"t 1/11 %.4f: 10000 cpu-clock:\\n\\t1 c (/bin/x)\\n\\n\", i / 20000 }" >many.txt
	stkcap -q --source app many.txt pairs.tsv | status 1 stkgroup -s plain.yaml -f tsv >got 2>said
	grep -q "70000 samples came before the first event" said
	stkcap -q --source app pairs.tsv many.txt | stkgroup -s plain.yaml -f tsv 2>said | cut -f 2,6 >got; test ! -s said
	printf "group\ttime\nC\t0.7\n(none)\t3.3\n" | same - got
	stkcap -q --source app many.txt >many.stk
	stkgroup -s plain.yaml -f tsv many.stk >got 2>said; test ! -s said
'
check 'samples that are longer than the pair they are in take no more than the pair has' '
	printf "0\tt\tstart\ta\n0.1\tt\tstop\t/a\n4\tt\tpoint\tx\n" >short.tsv
	samples 0.05:c 2.5:d >long.txt
	stkcap -q --source app short.tsv long.txt >short.stk
	figures short.stk >got; printf "A 1 0.0 0.0 0.1\nC 1 0.1 1.0 0.0\nD 1 1.0 1.0 0.0\n(none) 0 2.9 0.0 3.9\n" | same - got
'
check 'normalised: samples inside last as long as the pairs; mean: the mean of both' '
	samples 0.5:x 1.5:c 3.5:d >two.txt
	stkcap -q --source app pairs.tsv two.txt >two.stk
	figures two.stk >got; printf "A 2 2.0 1.0 3.0\nC 1 1.0 1.0 0.0\nD 1 1.0 1.0 0.0\n" | same - got
	figures --timing normalised two.stk | cut -d " " -f 1,3 >got; printf "A 1.5\nC 1.5\nD 1.0\n" | same - got
	figures --timing mean two.stk | cut -d " " -f 1,3 >got; printf "A 1.5\nC 1.0\nD 1.0\n" | same - got
	figures --timing paired two.stk | cut -d " " -f 1,3 >got; printf "A 3.0\nC 0.0\nD 0.0\n(none) 1.0\n" | same - got
	figures --timing sampled two.stk | cut -d " " -f 1,3 >got; printf "A 0.0\nC 1.0\nD 1.0\n(none) 1.0\n" | same - got
'
check 'people see both columns, where there are both' '
	stkgroup -q -s s.yaml -f text inner.stk | head -1 | tr -s " " >got
	echo " group total % own % count time sampled paired" | same - got
	stkgroup -q -s s.yaml -f text inner-only.stk | head -1 | grep -q "cpu time$"
	stkcap -q --format events pairs.tsv | stkgroup -q -s s.yaml -f text | head -1 | grep -q "count *time$"
'
check 'cross-check: the difference, and its limits by the number of samples' '
	stkgroup -q -s s.yaml --report cross-check -f tsv inner.stk | cut -f 2-6,9 >got
	printf "group\tpairs\tpaired\tinside\tdifference\tagrees\nA\t1\t3.0\t3.0\t0.0\t1\n(none)\t0\t1.0\t1.0\t0.0\t1\n" | same - got
	# 400 samples of 1 ms in a pair of 1 s
	awk "BEGIN { for (i = 0; i < 400; i++) printf \"t 1/11 %.4f: 1000000 cpu-clock:\\n\\t1 c (/bin/x)\\n\\n\", i * 0.0025 + 0.0001 }" >part.txt
	printf "0\tt\tstart\ta\n1\tt\tstop\t/a\n" >one.tsv
	stkcap -q --source app one.tsv part.txt | stkgroup -q -s s.yaml --report cross-check -f tsv | tail -1 | awk -F "\t" "{ printf \"%.3f %.3f %.4f %.4f %d\n\", \$5, \$6, \$7, \$8, \$9 }" >got
	# 400 + z^2/2 -+ z sqrt(400 + z^2/4), less 1000, in ms
	awk "BEGIN { z = 1.959964; w = z * sqrt(400 + z * z / 4); printf \"0.400 -0.600 %.4f %.4f 0\n\", (400 + z * z / 2 - w - 1000) / 1000, (400 + z * z / 2 + w - 1000) / 1000 }" | same - got
	stkgroup -q -s s.yaml --report cross-check -f text inner.stk | grep -q "^  s *A *1 *3s *3s *+0s .* agree$"
	stkcap -q --format events one.tsv | stkgroup -q -s s.yaml --report cross-check -f text | grep -q "^  s *A *1 *1s *0s *-1s .* differ$"
	status 2 stkgroup -s s.yaml --report cross-check --timing mean -f tsv inner.stk 2>said
	status 2 stkgroup -s s.yaml --report cross-check -f folded inner.stk 2>said
'
check 'samples of threads that may be others: the longer of both times, and that is said' '
	stkcap -q --source one whole.txt >a.stk; stkcap -q --source other --format events pairs.tsv >b.stk
	printf "scheme: s\ngroups:\n- {name: A, members: [x], events: {start: a, stop: /a}}\n" >both.yaml
	stkcat -q --merge a.stk b.stk >ab.stk
	stkgroup -s both.yaml -f tsv ab.stk 2>said | tail -n +2 | cut -f 2,6,12,13 >got
	printf "A\t4.0\t4.0\t3.0\n(none)\t1.0\t0.0\t1.0\n" | same - got
	grep -q "it is not known of 4 of 4 samples whether they are inside pairs" said
'
check 'few events among many samples come before those that are later, whichever text is first' '
	stkcap -q --source app pairs.tsv many.txt | stkcat -f ndjson --only sample,event | cut -d , -f 1 | uniq >kinds
	printf "{\"kind\":\"event\"\n{\"kind\":\"sample\"\n" | same - kinds
'
check 'clocks that differ: no sample of a thread is within the time of its events, and that is said' '
	awk -F "\t" -v OFS="\t" "{ \$1 += 1764000000; print }" pairs.tsv >wall.tsv
	stkcap -q --source app inner.txt wall.tsv >wall.stk
	for how in wall.stk "--events wall.tsv inner-only.stk"; do
		status 1 stkgroup -q -s s.yaml -f tsv $how 2>said >rows
		cut -f 2,6 rows >got
		printf "group\ttime\nA\t3.0\nC\t1.0\n(none)\t4.0\n" | same - got
		grep -q "none of 4 samples of threads with events is within the time of these events (do their clocks differ?)" said
	done
	status 0 stkgroup -q -s s.yaml -f tsv --to @0.6 inner.stk >got
	status 0 stkgroup -q -s s.yaml -f tsv inner-only.stk >got
'
check '--follow shows steps as they end, with samples in their pairs' '
	cat inner.stk | timeout 20 stkgroup -q -s s.yaml --follow --step 2s -f tsv >rows
	awk -F "\t" "NR > 1 && \$4 > 0 { print \$3, \$4, \$7 }" rows >got
	printf "A 2 1.0\nC 1 1.0\nA 1 1.0\n(none) 1 1.0\n" | same - got
'

have python3 || { skip 'no python3' 'random events and samples, millisecond by millisecond' ''; finish; exit; }
cat >tree.yaml <<'END'
scheme: tree
groups:
- name: A
  members: [fa]
  events: {start: a, stop: /a}
  children:
  - name: B
    members: [fb]
    events: {start: b, stop: /b}
- name: C
  members: [fc]
  events: {start: c, stop: /c}
- name: D
  members: [fd]
  events: {start: d, stop: /d}
  priority: -1
END
cat >count.py <<'END'
"""random pairs, switches and samples of 1 ms; or whose each millisecond of each thread is, in milliseconds by group"""
import random, sys
seed = int(sys.argv[2])
chance = random.Random(seed)
parent, priority = {"B": "A"}, {"D": -1}
events, samples = [], []
for thread in "tuv"[: 1 + seed % 3]:
    opened, out = [], False
    for ms in range((0, 1, 2, 3, 60, 500)[seed % 6]):
        what = chance.random()
        if what < 0.15 and not out:
            opened.append(chance.choice("abcd"))
            events.append((ms, thread, "start", opened[-1]))
        elif what < 0.3 and opened and not out:
            events.append((ms, thread, "stop", "/" + opened.pop(chance.randrange(len(opened)))))
        elif what < 0.4:
            out = not out
            events.append((ms, thread, "switch-out" if out else "switch-in", ""))
        if not out and chance.random() < 0.4:
            samples.append((ms, thread, [chance.choice(("fa", "fb", "fc", "fd", "x", "y")) for _ in range(chance.randrange(1, 4))]))
if sys.argv[1] == "make":
    with open("e.tsv", "w") as to:
        for at, thread, happening, name in sorted(events, key=lambda e: e[0]):
            print(f"{at / 1000:.3f}\t{thread}\t{happening}\t{name}", file=to)
    with open("s.txt", "w") as to:
        for at, thread, frames in samples:
            print(f"{thread} 1/{ord(thread)} {at / 1000 + 0.0005:.6f}: 1000000 cpu-clock:", file=to)
            for frame in reversed(frames):
                print(f"\t1 {frame} (/bin/x)", file=to)
            print(file=to)
    sys.exit()


def ancestors(group):
    while group in parent:
        group = parent[group]
        yield group


def winner(claims):
    """of groups from the root to the leaf"""
    if not claims:
        return "(none)"
    most = max(priority.get(g, 0) for g in claims)
    left = [g for g in claims if priority.get(g, 0) == most]
    above = {a for g in left for a in ancestors(g)}
    return [g for g in left if g not in above][-1]


has = {}
for thread in "tuv":
    mine = [e for e in events if e[1] == thread]
    taken = {at: frames for at, who, frames in samples if who == thread}
    opened, out, i = [], False, 0
    for ms in range(500):
        while i < len(mine) and mine[i][0] <= ms:
            _, _, happening, name = mine[i]
            if happening == "start":
                opened.append(name)
            elif happening == "stop":
                del opened[len(opened) - 1 - opened[::-1].index(name[1:])]
            else:
                out = happening == "switch-out"
            i += 1
        spanned = mine and mine[0][0] <= ms < mine[-1][0] and not out
        pair = winner([name.upper() for name in opened]) if spanned and opened else None
        if ms in taken:
            claims = [f[1].upper() for f in taken[ms] if f[0] == "f"]
            whose = winner(([pair] if pair else []) + claims)
        elif spanned:
            whose = pair or "(none)"
        else:
            continue
        has[whose] = has.get(whose, 0) + 1
for group, ms in has.items():
    print("A/B" if group == "B" else group, ms)
END
check 'random events and samples, millisecond by millisecond' '
	for seed in 1 2 3 4 5 10 11 16 17 23 29; do
		python3 count.py make $seed
		python3 count.py count $seed | LC_ALL=C sort >want
		set --; test ! -s e.tsv || set -- e.tsv; test ! -s s.txt || set -- "$@" s.txt
		test $# -gt 0 || continue
		stkcap -q --source app "$@" >both.stk
		stkgroup -q -s tree.yaml -f tsv both.stk >rows 2>said || test $? = 1
		awk -F "\t" "NR > 1 && \$6 > 0 { printf \"%s %.0f\n\", \$2, \$6 * 1000 }" rows | LC_ALL=C sort >got
		same want got || { echo "seed $seed"; false; }
		test $# = 2 || continue
		stkcap -q --source app s.txt | stkgroup -q -s tree.yaml --events e.tsv -f tsv - >rows 2>said || test $? = 1
		awk -F "\t" "NR > 1 && \$6 > 0 { printf \"%s %.0f\n\", \$2, \$6 * 1000 }" rows | LC_ALL=C sort >got
		same want got || { echo "seed $seed by file"; false; }
	done
'
finish
