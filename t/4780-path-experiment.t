#!/bin/sh
# SPDX-License-Identifier: MIT
# The experiment with the methods of the literature, of one function without loops and one with: all methods are measured, and a run that was cut short continues.
. "${0%/*}/lib/tap.sh"

have clang stkpath || skip_all 'no clang, or stkpath was not built'
STKBIN=$(dirname "$(command -v stkpath)") CALLS=50 SETS=1 RUNS=1 WEIGHTS=0 ACYCLIC=take_option CYCLIC=relax RESULTS=$scratch/results
export STKBIN CALLS SETS RUNS WEIGHTS ACYCLIC CYCLIC RESULTS
experiment=$t/../scripts/path-experiment
mkdir no-valgrind
printf '#!/bin/sh\nexec cat /dev/null\n' >no-valgrind/valgrind
chmod +x no-valgrind/valgrind
PATH=$scratch/no-valgrind:$PATH

check 'every method has a row for each number of paths, and those that are exact count alike' '
	"$experiment" >out
	cut -f 1,2,4 results/acyclic results/cyclic >got
	{
		for size in 10 50; do for m in spp prepp psp0 psp1 psp2 psp3; do echo "take_option	$size	$m"; done; done
		for size in 10 100; do for m in pap pap-epp psp0 psp1 psp2 psp3; do echo "relax	$size	$m"; done; done
	} | same - got
	test $(grep -E "	(psp.|pap|pap-epp)	" results/acyclic results/cyclic | cut -f 1,2,8 | sort -u | grep -c "") = 4
	test $(awk -F "	" "{ n += \$8 } END { print n }" results/acyclic) -gt 0
	grep -q "^relax  *0  *100 " out
'
check 'a run after that measures nothing; one whose time is over says what is missing, and the next continues' '
	cp results/cyclic before
	"$experiment" >again
	same out again
	same before results/cyclic
	head -3 before >results/cyclic
	LIMIT=1 status 3 sh -c "sed \"s/begin=.(date +%s)/begin=0/\" \"\$1\" >late && sed -i \"s|^root=.*|root=\$2|\" late && sh late" - "$experiment" "$t/.." >out 2>err
	grep -q "9 programs are not measured yet" err
	test ! -s out
	"$experiment" >out
	test $(grep -c "" results/cyclic) = 12
'
check 'measurements with other settings are not mixed' '
	CALLS=51 status 2 "$experiment" 2>err
	grep -q "has measurements with other settings: 50 calls" err
	RESULTS= LIMIT=5 status 2 "$experiment" 2>err
	grep -q "LIMIT needs RESULTS" err
'
finish
