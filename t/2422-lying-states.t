#!/bin/sh
# SPDX-License-Identifier: MIT
# A state that no version knows, from damage or from a version to come, is the unknown one in pictures, findings, groups and profiles of viewers.
. "${0%/*}/lib/tap.sh"
alter=${BUILD:-}/t/tools/alter
test -x "$alter" || skip_all "no $alter: run by make check"

stkcap -q "$t/../scripts/sample/order-service.jstack.txt.gz" -o good.stk
"$alter" sample state all 0 <good.stk >unknown.stk

# answers FILE: what filters and pictures say of it
answers() {
	for form in speedscope firefox chrome; do stkcat -q -f $form "$1"; done
	for form in pprof otlp; do stkcat -q -f $form "$1" | cksum; done
	stkdiag -q -f tsv "$1" || echo "status $?"
	stkgroup -q -s jvm -f tsv "$1"
	stkclass -q -f tsv "$1"
	for picture in states locks report heat flame; do stkplot $picture -q --title t -f html "$1" || echo "status $?"; done
	stkplot states -q -f term "$1"
}
cp unknown.stk x.stk
answers x.stk >wanted 2>wanted.err || test $? -le 4
for state in 9 15 16 250 4294967288 9223372036854775808; do
	check "state $state" '
		"$alter" sample state all "$state" <good.stk >x.stk
		answers x.stk >got 2>err || test $? -le 4
		same wanted.err err
		same wanted got
	'
done
finish
