#!/bin/sh
# SPDX-License-Identifier: MIT
# The experiment with the methods of the literature, of one function without loops and one with: all methods are measured, a run that was cut short continues, and
# the tables, the pictures and the rules for auto are made of the rows.
. "${0%/*}/lib/tap.sh"

have clang stkpath || skip_all 'no clang, or stkpath was not built'
STKBIN=$(dirname "$(command -v stkpath)") CALLS=50 SETS=1 RUNS=1 WEIGHTS=0 STEPS='10 100' ACYCLIC=take_option CYCLIC=relax RESULTS=$scratch/results LIMIT=0
unset STKPATH_CHOICE
XDG_CONFIG_HOME=$scratch/settings
export STKBIN CALLS SETS RUNS WEIGHTS STEPS ACYCLIC CYCLIC RESULTS LIMIT XDG_CONFIG_HOME
experiment=$t/../scripts/path-experiment

check 'every method has a row for each number of paths, and those that are exact count alike' '
	"$experiment" >out
	cut -f 1,2,4 results/acyclic results/cyclic >got
	{
		for size in 10 50; do for m in spp prepp psp0 psp1 psp2 psp3; do echo "take_option	$size	$m"; done; done
		for size in 10 100; do for m in pap psp0 psp1 psp2 psp3; do echo "relax	$size	$m"; done; done
	} | same - got
	test $(grep -E "	(psp.|pap)	" results/acyclic results/cyclic | cut -f 1,2,7 | sort -u | grep -c "") = 4
	test $(awk -F "	" "{ n += \$7 } END { print n }" results/acyclic) -gt 0
	test $(awk -F "	" "!(\$6 > 0 && \$8 > 0 && \$9 > 0)" results/acyclic results/cyclic | grep -c "") = 0
	grep -q "^relax  *0  *100 " out
	grep -q "^Table 1" out && grep -q "^Table 2" out
	grep -qE "^take_option +26 +38 +0 +74 " out
'
check 'the figures of the source are drawn of the rows' '
	for n in 12 13 14 15 16 17; do
		python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])" results/figure-$n.svg
		grep -q ">Figure $n: " results/figure-$n.svg
	done
	test $(grep -c "	take_option	" results/figure-12.tsv) = 6
	grep -q "<title>psp2, take_option: " results/figure-12.svg
	grep -q ">paths of interest<" results/figure-14.svg
'
check 'the rules for auto: those of some functions alone are kept with the results; stkpath takes them' '
	test ! -e settings
	test $(sed 1d results/choice.tsv | cut -f 1 | sort -u | grep -c "") -ge 4
	sed 1d results/choice.tsv | cut -f 5 | sort -rnc
	CHOICE=$scratch/settings/stkpipe/path-choice.tsv "$experiment" | grep -q "now chooses by the rules measured here"
	printf "%s\n" "function: f" "entry: A" "exit: B" "blocks:" "  - {id: A, succ: [B]}" "  - {id: B}" >f.yaml
	printf "paths: [[A, B]]\n" >f.paths
	stkpath plan -g f.yaml -p f.paths 2>err >f.plan
	grep -q ", by $scratch/settings/stkpipe/path-choice.tsv" err
'
check 'a run after that measures nothing; one whose time is over says what is missing, and the next continues' '
	cp results/cyclic before
	"$experiment" >again
	same out again
	same before results/cyclic
	head -3 before >results/cyclic
	LIMIT=1 status 3 sh -c "sed \"s/begin=.(date +%s)/begin=0/\" \"\$1\" >late && sed -i \"s|^root=.*|root=\$2|\" late && sh late" - "$experiment" "$t/.." >out 2>err
	grep -q "7 programs are not measured yet" err
	test ! -s out
	"$experiment" >out
	test $(grep -c "" results/cyclic) = 10
'
check 'measurements with other settings are not mixed' '
	CALLS=51 status 2 "$experiment" 2>err
	grep -q "has measurements with other settings: 50 calls" err
'
finish
