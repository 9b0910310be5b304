#!/bin/sh
# SPDX-License-Identifier: MIT
# A plan that counts every path is believed only when its probes are those of its method: all of them, and no others.
. "${0%/*}/lib/tap.sh"

have stkpath || skip_all 'stkpath was not built: no gmp'
cat >good.yaml <<'END'
function: f
entry: A
exit: D
blocks:
  - {id: A, succ: [B, C]}
  - {id: B, succ: [D]}
  - {id: C, succ: [D]}
  - {id: D, succ: []}
END
stkpath plan -q -m epp --cfg good.yaml -o good.plan
printf '> 1\nA\nC\nD\n<\n' >events

# refused SCRIPT: the plan that a sed script makes
refused() {
	sed "$1" good.plan >bad.plan
	status 2 stkpath run -q --plan bad.plan events >out 2>err || { echo "of: $1"; return 1; }
	grep -q "these are not the probes of this method" err
	test ! -s out
}

check 'as it was made' '
	status 0 stkpath run -q --plan good.plan events
'
check 'without one of its probes, or without any' '
	refused "/^edge/d"
	refused "/^entry/d"
	refused "/^entry/d;/^edge/d"
'
check 'with another one' '
	refused "s/^edge	A>C/edge	A>B/"
	refused "s/^edge	A>C	add	1/edge	A>C	add	2/"
'
finish
