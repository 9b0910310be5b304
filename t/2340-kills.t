#!/bin/sh
# SPDX-License-Identifier: MIT
# SIGKILL in place of a call that files see, and at random moments: what was there before is there, bit for bit or as the new file whole; the next run goes on,
# and leaves nothing behind. By default the last call of each kind, and one random moment for each way of writing; STK_KILLS=300 is every call, and so many
# moments.
. "${0%/*}/lib/tap.sh"

have perl || skip_all 'no perl'
kills=${STK_KILLS:-1}
case ${BUILD:-} in *address*) library= ;; *) library=$scratch/fail_io.so ;; esac
{ have cc && cc -shared -fPIC -o fail_io.so "$t/lib/fail_io.c" -ldl 2>cc.log; } || library=

stacks() {	# FROM COUNT: dumps 20 s apart
	awk -v from="$1" -v count="$2" 'BEGIN { for (d = from; d < from + count; d++) { print "@" 1772355600 + 20 * d; print "r;a;x;park 3"; print "r;b;y" d % 50 " 1"; print "r;c" d ";z 1" } }'
}
metrics() {	# FROM COUNT: a measure a minute
	awk -v from="$1" -v count="$2" 'BEGIN { srand(from + 1); print "time,name,value"; for (i = from; i < from + count; i++)
		printf "%d,heap.used,%.3f\n", 1772323200 + i * 60, (i < 300 ? 100 : 300) + rand() }'
}
mkdir in old w
stacks 0 700 >in/day1.folded
stacks 700 700 >in/day2.folded
for day in day1 day2; do stkcap -q -o in/$day.stk --format folded-dumps --source host-a in/$day.folded; done
for day in day1 day2; do stktree -q -o in/$day.tree in/$day.stk; done
metrics 0 200 | stkcap -q -o in/one.stk --format metrics --source host-a -
metrics 200 900 | stkcap -q -o in/two.stk --format metrics --source host-a -
stkclass -q --resume in/day1.state in/day1.stk >/dev/null
stktrend -q --periods none --step 1m --resume in/trend.state -f tsv in/one.stk >/dev/null
printf 'scheme: s\ngroups:\n  - {name: A, members: [a]}\n  - {name: B, members: [b]}\n' >in/scheme.yaml
echo old >in/text
rm -f in/*.lock

# killed_within SECONDS COMMAND...: runs it, and kills it at a random moment within these; what it printed is of no interest
killed_within() {
	perl -MTime::HiRes=sleep,time -e 'my $most = shift; srand; my $pid = fork; if (!$pid) { open STDOUT, ">/dev/null"; open STDERR, ">/dev/null"; exec @ARGV or die }
		sleep(rand $most); kill 9, $pid; waitpid $pid, 0' "$@"
}
# seconds COMMAND: that a run of it takes
seconds() {
	perl -MTime::HiRes=time -e 'my $from = time; system "cd w && $ARGV[0] >/dev/null 2>&1"; printf "%.3f\n", time - $from' "$1"
}
# The first call of a kind that is tried, of so many.
first_of() {
	if test $kills -gt 1 -a "$1" -gt 0; then echo 1; else echo "$1"; fi
}
afresh() {
	rm -rf w
	cp -pR old w
}
temporary() { ls -A w | grep -c 'tmp$'; }

# intact TARGETS: each as before or as it is to be; what is listed last only when all before it are there
intact() {
	for name in $1; do
		cmp -s "old/$name" "w/$name" || cmp -s "want/$name" "w/$name" || { echo "$name is neither the old nor the new"; return 1; }
	done
	last=${1##* }
	cmp -s "old/$last" "w/$last" || for name in $1; do cmp -s "want/$name" "w/$name" || { echo "$last is new, and $name is not"; return 1; }; done
	test "$(temporary)" -le "$(echo $1 | wc -w)" || { echo "leftovers of more than one run"; ls -A w; return 1; }
}

# goes_on TARGETS COMMAND: an undisturbed run makes what was wanted, and leaves nothing else
goes_on() {
	(cd w && eval "$2") >/dev/null 2>err || { echo "status $? after a kill: $2"; cat err; return 1; }
	for name in $1; do cmp "want/$name" "w/$name" || return 1; done
	test "$(temporary)" -eq 0 || { ls -A w; return 1; }
}

# kills TARGETS COMMAND: at every call, then at random
kills() {
	afresh
	(cd w && eval "${library:+export COUNTED=$scratch/counts LD_PRELOAD=$library; }$2") >/dev/null
	rm -rf want
	mv w want
	afresh
	while test -n "$library" && read -r call count; do
		case $call in write | pwrite | fsync | rename | close | ftruncate | open) ;; *) continue ;; esac
		n=$(first_of $count)
		while test $n -gt 0 -a $n -le $count; do
			for way in kill half; do
				case $way:$call in half:write | half:pwrite | kill:*) ;; *) continue ;; esac
				(cd w && export FAIL=$call:$n FAILWITH=$way LD_PRELOAD=$library && eval "$2") >/dev/null 2>&1 && got=0 || got=$?
				test $got -eq 137 || { echo "status $got at $call $n: $2"; return 1; }
				moments=$((moments + 1))
				intact "$1" || { echo "at $call $n $way: $2"; return 1; }
				cmp -s "old/$last" "w/$last" || afresh		# all is done: a state has nothing more to take
			done
			n=$((n + 1))
		done
	done <counts
	goes_on "$1" "$2"
	afresh
	most=$(seconds "$2")
	afresh
	i=0
	while test $i -lt $kills; do
		killed_within $most sh -c "cd w && exec $2"
		intact "$1" || { echo "at a random moment: $2"; return 1; }
		cmp -s "old/$last" "w/$last" || afresh
		i=$((i + 1))
	done
	goes_on "$1" "$2"
	echo $moments >figures
}

# mode TITLE OLD TARGETS COMMAND: OLD is what stands there before: NAME=FILE of in/
mode() {
	rm -rf old
	mkdir old
	for pair in $2; do cp "in/${pair#*=}" "old/${pair%%=*}"; done
	check "$1" "kills '$3' '$4'"
	test ! -e figures || read -r moments <figures
}
moments=0
: >counts		# where there is no library

mode 'stkcap -o' o=text o 'stkcap -q -o o --format folded-dumps ../in/day1.folded'
mode 'stkcat -o' o=text o 'stkcat -q -f stream -o o ../in/day1.stk ../in/day2.stk'
mode 'stkcat -f tsv -o' o=text o 'stkcat -q -f tsv -o o ../in/day1.stk'
mode 'stkclass -o' o=text o 'stkclass -q -o o ../in/day1.stk'
mode 'stkclass --resume' s=day1.state s 'stkclass -q --resume s -f tsv ../in/day2.stk'
mode 'stkclass --resume -o' 'o=text s=day1.state' 'o s' 'stkclass -q --resume s -o o ../in/day2.stk'
mode 'stktree -o' o=text o 'stktree -q -o o ../in/day1.stk'
mode 'stktree --merge -o' o=text o 'stktree -q --merge -o o ../in/day1.tree ../in/day2.tree'
mode 'stktree --thin -o' o=text o 'stktree -q --thin 1h:10m -o o ../in/day1.tree'
mode 'stkgroup -o' o=text o 'stkgroup -q -s ../in/scheme.yaml -o o ../in/day1.stk'
mode 'stktrend --resume' s=trend.state s 'stktrend -q --periods none --step 1m --resume s -f tsv ../in/two.stk'
mode 'stktrend --resume -o' 'o=text s=trend.state' 'o s' 'stktrend -q --periods none --step 1m --resume s -o o ../in/two.stk'

# --- a tree that grows in place ---

rows() { stkcat -q -f tsv --only sample "$1" 2>/dev/null | cut -f 3- | sort; }

# grown: what was there before is there; the next run goes on, and the tree is as if the killed one had not been
grown() {
	if cmp -s old/o w/o || cmp -s want/o w/o; then
		return 0
	fi
	torn=$((torn + 1))
	rows w/o >have
	test -z "$(comm -23 had have | head -1)" || { echo "samples are gone"; return 1; }
	stktree -q -f tsv w/o >answer 2>err || test $? -eq 1 || { echo "no answer"; cat err; return 1; }
	(cd w && status 1 stktree -q --append o ../in/day2.stk) 2>err || { echo "the next --append fails"; cat err; return 1; }
	grep "an append to it was interrupted" err
	cmp want/o w/o || return 1
	test "$(temporary)" -eq 0
}
appends() {
	rows old/o >had
	afresh
	(cd w && COUNTED=$scratch/counts LD_PRELOAD=$library stktree -q --append o ../in/day2.stk)
	rm -rf want
	mv w want
	while test -n "$library" && read -r call count; do
		case $call in write | pwrite | fsync | rename | close | ftruncate | open) ;; *) continue ;; esac
		n=$(first_of $count)
		while test $n -gt 0 -a $n -le $count; do
			for way in kill half; do
				case $way:$call in half:pwrite | kill:*) ;; *) continue ;; esac
				afresh
				(cd w && FAIL=$call:$n FAILWITH=$way LD_PRELOAD=$library stktree -q --append o ../in/day2.stk) >/dev/null 2>&1 && got=0 || got=$?
				test $got -eq 137 || { echo "status $got at $call $n"; return 1; }
				moments=$((moments + 1))
				grown || { echo "at $call $n $way"; return 1; }
			done
			n=$((n + 1))
		done
	done <counts
	afresh
	most=$(seconds 'stktree -q --append o ../in/day2.stk')
	i=0
	while test $i -lt $kills; do
		afresh
		killed_within $most sh -c 'cd w && exec stktree -q --append o ../in/day2.stk'
		grown || { echo "at a random moment"; return 1; }
		i=$((i + 1))
	done
	echo $moments $torn >figures
}
torn=0
rm -rf old
mkdir old
cp in/day1.tree old/o
check 'stktree --append' appends
test ! -e figures || read -r moments torn <figures
echo "# killed at $moments calls, and $kills times at random in each of 13 ways; $torn trees were torn, and mended"
finish
