#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls of every filter fail, in turn: what was there before is there bit for bit, or the new file whole; the status says which; nothing lies beside it, and no
# part of a stream looks whole. Here a sample of the faults; `make torture` tries them all.
. "${0%/*}/lib/tap.sh"

have cc || skip_all 'no cc'
have zstd || skip_all 'no zstd'
case $BUILD in *address*) skip_all 'the sanitizer does not share its place in the process' ;; esac
cc -shared -fPIC -o fail_io.so "$t/lib/fail_io.c" -ldl 2>cc.log || skip_all 'cc cannot make a library'
mkdir good
sh "$t/lib/good_streams.sh" "$scratch/good" 2>log && sh "$t/lib/torture_texts.sh" "$scratch/good" 2>>log || { sed 's/^/# /' log >&2; exit 99; }
have stkpath || export WITHOUT_STKPATH=1
torture=$BUILD/t/tools/torture
test ! -w /dev/shm || export TMPDIR=/dev/shm
long=$scratch/$(printf '%0120d' 0)
mkdir "$long"

# found_out FILTER LIE [STATUS]: what torture, in a folder with a long name, finds out of stkdiag when that is such a script
found_out() {
	printf "#!/bin/sh\n%s\n" "$1" >false/stkdiag
	chmod +x false/stkdiag
	TMPDIR=$long PATH=$scratch/false:$PATH status "${3-1}" "$torture" --most 1 --filter stkdiag fail_io.so "$scratch/good" >found 2>&1
	grep "^\(lie\|torture\): .*$2" found || { cat found; return 1; }
}
mkdir false
check 'a filter that keeps its status, dies, says nothing, or leaves a file is found out' '
	found_out "cat 1.stk; exit 0" "the usual status, and another answer"
	found_out "cat 1.stk || kill -11 \$\$" "a crash (status 139"
	found_out "cat 1.stk 2>/dev/null || exit 3" "no message (status 3"
	found_out "cat 1.stk && exit 0; echo no >half.tmp; echo no >&2; exit 3" "left beside: half.tmp (status 3"
'
check 'modes that were not tried are not taken for modes without lies' '
	found_out "cat 1.stk; exec rm -f \"\$COUNTED\"" "not tried to the end" 2
'
faults_of() { "$torture" --most 1 --filter stkdiag "$@" fail_io.so "$scratch/good" | awk -F "\t" '$1 == "stkdiag" { print $9 }'; }
check 'faults in two turns are those of one' '
	first=$(faults_of --part 1/2) second=$(faults_of --part 2/2)
	test "$first" -gt 20 -a "$second" -gt 20 -a $((first + second)) -eq "$(faults_of)"
	status 2 "$torture" --part 3/2 fail_io.so "$scratch/good"
'
check 'no filter lies when a call fails' '
	"$torture" --quick yes --jobs 2 fail_io.so "$scratch/good" >found || { grep -v "^stk" found; false; }
	status 1 grep "^torture: " found
	test "$(grep -c "^stk" found)" -ge 8
	awk -F "\t" "/^stk/ && \$9 < 6 { print; few = 1 } END { exit few }" found
'
# without_memory COMMAND: each of its first 80 allocations fails
without_memory() {
	ended=0
	for call in $(seq 80); do
		got=0
		FAIL=malloc:$call FAILWITH=ENOMEM LD_PRELOAD=$scratch/fail_io.so "$@" >answer 2>err || got=$?
		test $got -le 1 || { test $got -eq 3 && test -s err && ended=$((ended + 1)); } || { echo "allocation $call: status $got"; cat err; return 1; }
	done
	test $ended -gt 60
}
check 'without memory for the name of a scheme: status 3, not that there is no such scheme' '
	without_memory stkdiag "$scratch/good/paths.stk"
'
# every_call KIND COMMAND...: COMMAND, of which each call of this kind fails in turn, has its usual status and answer, or status 3 and a message. Where
# the C library loads another it may end the program itself.
every_call() {
	kind=$1
	shift
	got=0
	COUNTED=$scratch/counts LD_PRELOAD=$scratch/fail_io.so "$@" >usual 2>err || got=$?
	usual=$got ended=0
	most=$(awk -v kind="$kind" '$1 == kind { print $2 }' counts)
	for call in $(seq "$most"); do
		got=0
		FAIL=$kind:$call LD_PRELOAD=$scratch/fail_io.so "$@" >answer 2>err || got=$?
		case $got in
		3) test -s err && ended=$((ended + 1)) || { echo "$kind $call: status 3 without a message"; return 1; } ;;
		"$usual") cmp usual answer || { echo "$kind $call: status $usual, and another answer"; cat err; return 1; } ;;
		127) grep -q "^\(out of memory\|.*: error while loading\|.*: symbol lookup error\)" err || { echo "$kind $call: status 127"; cat err; return 1; } ;;
		*) echo "$kind $call: status $got"; cat err; return 1 ;;
		esac
	done
	test $ended -ge 1
}
check 'without memory to compress it a part of a page is not left out' '
	printf "a;b;c 1\na;d 2\n" | stkcap -q -o small.stk -
	every_call malloc stkplot flame small.stk
'
check 'without memory to load what reads archives, or within it: status 3; a library that ends the program does not choose its status' '
	every_call malloc stkcap -q "$scratch/good/dumps.tar.gz"
'
check 'without memory to decompress: status 3, not a damaged file' '
	printf "a;b;c 1\na;d 2\n" >small.folded && zstd -q small.folded && gzip -k small.folded
	for file in small.folded.zst small.folded.gz; do every_call malloc stkcap -q --threads 1 "$file" || return 1; done
'
check 'an output that cannot be examined: status 3, not wrong usage' '
	every_call stat stkplot heat -o page.html --beside small.stk
'
check 'without memory for a time zone: status 3, not that there is none' '
	every_call malloc stkcat -f dumps --zone Europe/Berlin small.stk
'
check 'a window without samples: what could not be written is not left out' '
	every_call malloc stktree -q --window 2026-02-28..2026-03-01 small.stk
'
check 'a tree whose first samples cannot be read does not count others' '
	every_call pread stktree -q --leaf 4 -o /dev/stdout "$scratch/good/samples-paths.stk" "$scratch/good/dumps-python.stk"
'
check 'an index that cannot be read for a moment: no damage, but status 3' '
	every_call seek stkcat --check "$scratch/good/samples.stk"
'
check 'the weight of several events is of all events, whether blocks are left out or not' '
	stkcat -q -f text --event all --where "thread = *" "$scratch/good/all.stk" >direct || test $? -eq 1
	cat "$scratch/good/all.stk" | stkcat -q -f text --event all --where "thread = *" - >piped || test $? -eq 1
	same direct piped
	grep "in weight, of all events" direct
'
check 'a tree that cannot be examined is not said to be replaced, and nothing is added' '
	stktree -q -o tree small.stk
	for call in $(seq 12); do
		cp tree grown
		got=0
		FAIL=stat:$call LD_PRELOAD=$scratch/fail_io.so stktree -q --append grown "$scratch/good/samples.stk" 2>err || got=$?
		case $got in 0) ;; 3) cmp tree grown && status 1 grep replaced err ;; *) cat err; return 1 ;; esac
	done
	status 1 cmp tree grown
'
if have stkpath; then
	check 'stkpath without memory for the numbers or the checksum of a plan: status 3, not a crash' '
		without_memory stkpath run --plan "$scratch/good/prime.plan" "$scratch/good/paths-prime.stk"
	'
fi
check 'no time tree lies when it is killed' '
	"$torture" --kills 1 --jobs 2 --filter stktree fail_io.so "$scratch/good" >killed || { grep -v "^stk" killed; false; }
	awk -F "\t" "/^stk/ && \$2 < 8 { print; few = 1 } END { exit few }" killed
'
sed 's/^/# /' found killed
finish
