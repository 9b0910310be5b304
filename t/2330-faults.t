#!/bin/sh
# SPDX-License-Identifier: MIT
# One system call goes wrong, in every filter and mode: what was there before is there bit for bit, or the new file whole; the status says which; nothing lies
# beside it. By default the first call of each kind, in one way; STK_FAULTS=all tries the 1st to the 9th, in four ways (minutes).
. "${0%/*}/lib/tap.sh"

have cc || skip_all 'no cc'
case ${BUILD:-} in *address*) skip_all 'the sanitizer does not share its place in the process' ;; esac
cc -shared -fPIC -o fail_io.so "$t/lib/fail_io.c" -ldl 2>cc.log || skip_all 'cc cannot make a library'

# --- inputs ---

stacks() {	# FROM COUNT: dumps 20 s apart
	awk -v from="$1" -v count="$2" 'BEGIN { for (d = from; d < from + count; d++) { print "@" 1772355600 + 20 * d; print "r;a;x;park 3"; print "r;b;y" d % 7 " 1" } }'
}
metrics() {	# FROM COUNT: a measure a minute, with a shift at the 300th
	awk -v from="$1" -v count="$2" 'BEGIN { srand(from + 1); print "time,name,value"; for (i = from; i < from + count; i++)
		printf "%d,heap.used,%.3f\n", 1772323200 + i * 60, (i < 300 ? 100 : 300) + rand() }'
}
mkdir in old
cp "$t/data/orders.jstack.txt" in/dump.txt
gzip -c in/dump.txt >in/dump.txt.gz
stkcap -q -o in/good.stk in/dump.txt
stacks 0 200 >in/day1.folded
stacks 200 200 >in/day2.folded
for day in day1 day2; do stkcap -q -o in/$day.stk --format folded-dumps --source host-a in/$day.folded; done
stkclass -q --codes counts -o in/codes in/day1.stk
stkclass -q --resume in/day1.state in/day1.stk >/dev/null
stkclass -q --resume in/day2.state in/day2.stk >/dev/null
stktree -q -o in/day1.tree in/day1.stk
stktree -q -o in/day2.tree in/day2.stk
metrics 0 200 | stkcap -q -o in/one.stk --format metrics --source host-a -
metrics 200 400 | stkcap -q -o in/two.stk --format metrics --source host-a -
stktrend -q --periods none --step 1m --resume in/trend.state -f tsv in/one.stk >/dev/null
awk 'BEGIN { srand(5); print "time,used"; for (i = 0; i < 300; i++) printf "%d,%.1f\n", 1404691200 + i * 3600, 1000 + 10 * i / 24 + rand() }' >in/grows.csv
printf 'scheme: s\ngroups:\n  - {name: A, members: [a]}\n  - {name: B, members: [b]}\n' >in/scheme.yaml
rm -f in/*.lock

# --- the campaign ---

if test "${STK_FAULTS:-}" = all; then
	most=9 ways='EIO ENOSPC EINTR short'
else
	most=1 ways=
fi
runs=0 turn=0
targets='' usual=0

# A cheap rotation, so that the quick campaign meets all ways too.
way_of() {
	case $((turn % 4)) in 0) echo EIO ;; 1) echo ENOSPC ;; 2) echo EINTR ;; 3) echo short ;; esac
}

# run COMMAND: in w, which is as it was before; its status in $got
run() {
	if test $fresh = no; then
		rm -rf w
		cp -pR old w
		fresh=yes
	fi
	(cd w && eval "$1") >out 2>err </dev/null && got=0 || got=$?
}

# is AS FILE: the file is as in that folder, or as little there
is() {
	if test -e "$1/$2"; then cmp -s "$1/$2" "w/$2"; else test ! -e "w/$2"; fi
}

# judge WAY: what came of a run that met the fault. What is listed last in $targets replaces only when all before it has
judge() {
	for path in w/* w/.[!.]*; do
		case " $targets * .[!.]* " in *" ${path#w/} "*) continue ;; esac
		case $path in *.lock) continue ;; esac
		echo "left: $path"; return 1
	done
	for name in $targets; do
		is old "$name" || is want "$name" || { echo "$name is neither the old nor the new"; return 1; }
	done
	if test $got -eq $usual; then
		for name in $targets; do is want "$name" || { echo "status $got, and $name is not the new"; return 1; }; done
		cmp -s out want.out || { echo "status $got, and another output"; return 1; }
		fresh=no
		return 0
	fi
	case $1 in EINTR | short) echo "status $got"; return 1 ;; esac
	test $got -eq 3 || { echo "status $got"; return 1; }
	test -s err || { echo "no word"; return 1; }
	for last in $targets; do :; done
	test -z "$targets" || is old "$last" || { echo "status 3, and $last is new"; return 1; }
	case $targets in *" "*) fresh=no ;; esac
}

# faults TARGETS COMMAND: every fault of the campaign over a command that makes TARGETS in its folder, which begins as old/
faults() {
	targets=$1 fresh=no
	run "COUNTED=$scratch/counts LD_PRELOAD=$scratch/fail_io.so; export COUNTED LD_PRELOAD; $2"
	usual=$got fresh=no
	test $usual -le 1 -o $usual -eq 4 || { echo "status $usual without a fault: $2"; cat err; return 1; }
	rm -rf want
	mv w want
	mv out want.out
	while read -r call count; do
		test $count -le $most || count=$most
		for way in ${ways:-$(way_of)}; do
			case $way:$call in short:read | short:pread | short:write | short:pwrite) ;; short:* | *:short) continue ;; esac
			n=1
			while test $n -le $count; do
				rm -f failed
				run "FAIL=$call:$n FAILWITH=$way FAILED=$scratch/failed LD_PRELOAD=$scratch/fail_io.so; export FAIL FAILWITH FAILED LD_PRELOAD; $2"
				test ! -s failed || runs=$((runs + 1))
				judge $way || { echo "at $call $n $way: $2"; cat err; return 1; }
				n=$((n + 1))
			done
		done
		turn=$((turn + 1))
	done <counts
	echo $runs $turn >figures
}

# mode TITLE OLD TARGETS COMMAND...: OLD is what stands there before: NAME=FILE of in/, or nothing
mode() {
	title=$1 before=$2 names=$3
	shift 3
	rm -rf old
	mkdir old
	for pair in $before; do cp "in/${pair#*=}" "old/${pair%%=*}"; done
	commands=
	for command; do commands="$commands
		faults '$names' '$command'"; done
	check "$title" "$commands"
	test ! -e figures || read -r runs turn <figures
}

mode 'stkcap -o' 'o=good.stk' o \
	'stkcap -q -o o ../in/day1.folded' 'stkcap -q -o o ../in/dump.txt.gz ../in/dump.txt' 'stkcap -q --threads 4 -o o ../in/day1.folded' 'stkcap -q -o o - <../in/dump.txt'
mode 'stkcap -o: a new file' '' o 'stkcap -q -o o ../in/dump.txt'
mode 'stkcap to a pipe' '' '' 'stkcap -q ../in/dump.txt' 'stkcap -q --threads 4 ../in/day1.folded'
for form in text tsv ndjson folded dumps stream; do
mode "stkcat -f $form" 'o=day2.stk' o "stkcat -q -f $form -o o ../in/good.stk"
done
mode 'stkcat --merge, --sort, --contents' 'o=day2.stk' o \
	'stkcat -q --merge -o o ../in/day1.stk ../in/day2.stk' 'stkcat -q --merge --sort -o o ../in/day2.stk ../in/day1.stk' 'stkcat -q --stats -o o ../in/day1.stk'
mode 'stkcat to a pipe, --check' '' '' 'stkcat -q -f tsv ../in/day1.stk' 'stkcat -q -f stream ../in/day1.stk' 'stkcat -q --check ../in/day1.stk'
mode 'stkclass -o' 'o=good.stk' o 'stkclass -q -o o ../in/day1.stk' 'stkclass -q -f tsv -o o ../in/day1.stk' 'stkclass -q --tree -o o ../in/day1.stk'
mode 'stkclass --codes, --restore' 'o=good.stk' o \
	'stkclass -q --codes frequency -o o ../in/day1.stk' 'stkclass -q --codes arrival -o o ../in/day1.stk' 'stkclass -q --codes counts -o o ../in/day1.stk' \
	'stkclass -q --restore -o o ../in/codes'
mode 'stkclass --resume' 's=day1.state' s 'stkclass -q --resume s ../in/day2.stk' 'stkclass -q --resume s -f tsv ../in/day2.stk'
mode 'stkclass --resume -o: the state last' 's=day1.state o=good.stk' 'o s' 'stkclass -q --resume s -o o ../in/day2.stk'
mode 'stkclass --merge --resume' 's=codes' s 'stkclass -q --merge --resume s ../in/day1.state ../in/day2.state'
mode 'stktree -o' 'o=day2.tree' o 'stktree -q -o o ../in/day1.stk' 'stktree -q -f text -o o ../in/day1.tree' 'stktree -q -o o ../in/day1.tree --diff ../in/day2.tree'
mode 'stktree --merge, --thin' 'o=good.stk' o 'stktree -q --merge -o o ../in/day1.tree ../in/day2.tree' 'stktree -q --thin 1d:1m -o o ../in/day1.tree'
mode 'stktree --append' 'o=day1.tree' o 'stktree -q --append o ../in/day2.stk'
mode 'stktree --append: a new tree' '' o 'stktree -q --append o ../in/day2.stk'
mode 'stkgroup -o' 'o=good.stk' o 'stkgroup -q -s ../in/scheme.yaml -o o ../in/day1.stk' 'stkgroup -q -s ../in/scheme.yaml -f tsv -o o ../in/day1.stk'
mode 'stktrend -o' 'o=good.stk' o 'stktrend -q --periods none --step 1m -o o ../in/two.stk' 'stktrend -q -f tsv -o o ../in/two.stk' \
	'stktrend -q --csv ../in/grows.csv --periods none --limit used=2000 -f tsv -o o'
mode 'stktrend --resume' 's=trend.state' s 'stktrend -q --periods none --step 1m --resume s -f tsv ../in/two.stk' 'stktrend -q --periods none --step 1m --resume s --alert any ../in/two.stk'
mode 'stktrend --resume -o: the state last' 's=trend.state o=good.stk' 'o s' 'stktrend -q --periods none --step 1m --resume s -o o ../in/two.stk'
if have stkpath; then
	stkpath cfg "$t/data/functions.ll" --function switches -o in/graph.yaml
	stkpath plan -q -m epp --cfg in/graph.yaml -o in/plan
	cp "$t/data/functions.ll" in
	printf '> 1\nentry\n%%2\n<\n' >in/events
mode 'stkpath cfg, plan, run' 'o=good.stk' o 'stkpath cfg ../in/functions.ll --function switches -o o' 'stkpath plan -q -m epp --cfg ../in/graph.yaml -o o' \
	'stkpath run -q --plan ../in/plan -o o ../in/events' 'stkpath suggest -q -o o ../in/day1.stk'
else
skip 'stkpath was not built: no gmp' 'stkpath cfg, plan, run' ''
fi
if test -x "${BUILD:-}/t/tools/make_stream"; then
	"$BUILD/t/tools/make_stream" 1 40 16 >in/all.stk
mode 'stkplot graph -o' 'o=good.stk' o 'stkplot graph -q -o o ../in/all.stk'
else
skip 'no make_stream: run by make check' 'stkplot graph -o' ''
fi
echo "# $runs runs met a fault"
finish
