#!/bin/sh
# SPDX-License-Identifier: MIT
# What stkcap.service leaves of root is enough for dumps of another user's VM, and each of it is needed.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"

test -n "$java_homes" || skip_all 'no JDK'
test "$(id -u)" = 0 && have setpriv || skip_all 'needs root and setpriv'
java=${java_homes%%
*}/bin/java
chmod 755 . && chmod -R a+rX "$classes"
program=Load
capture=$(command -v stkcap)
rights=$(sed -n 's/^CapabilityBoundingSet=//p' "$t/../scripts/recipes/stkcap.service" | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')

# confined RIGHTS COMMAND...: as root that has no others
confined() {
	set_of=$1
	shift
	setpriv --bounding-set "-all,$set_of" --inh-caps=-all "$@"
}
# begin: a VM of another user that nobody has asked yet, in a folder of its own
begin() {
	run_as='setpriv --reuid 65534 --regid 65534 --clear-groups'
	load other
}

check 'the rights of the unit are six, as the manual page says' '
	test "$rights" = "+sys_ptrace,+dac_override,+kill,+perfmon,+setuid,+setgid"
	sed -n "s/^Root can be confined to //p" "$t/../cmd/stkcap/stkcap.1" | grep -o "CAP_[A-Z_]*" | sort >page
	echo "$rights" | tr "a-z," "A-Z\\n" | sed "s/+/CAP_/" | sort >unit
	diff page unit
'
check 'with them a VM of another user gives a dump' '
	begin
	status 0 confined "$rights" $capture -q --jvm $other -o all.stk
	test $(stkcat -f tsv --only sample all.stk | wc -l) -ge 5
	unload other
'
check 'and without any of the three that dumps need it does not, which is reported' '
	for less in sys_ptrace dac_override kill; do
		begin
		status 1 confined "$(echo "$rights" | sed "s/+$less//; s/,,/,/; s/^,//; s/,\$//")" $capture -q --jvm $other --deadline 5s -o less.stk 2>err
		test -s err
		unload other
	done
'
# begin_contained: the same in a namespace of users of its own, whose root it is
begin_contained() {
	run_as='setpriv --reuid 65534 --regid 65534 --clear-groups unshare --user --map-root-user'
	load other
}
if setpriv --reuid 65534 --regid 65534 --clear-groups unshare --user --map-root-user true 2>why; then
check 'with them a VM that has users of its own gives a dump' '
	begin_contained
	status 0 confined "$rights" $capture -q --jvm $other -o contained.stk
	test $(stkcat -f tsv --only sample contained.stk | wc -l) -ge 5
	unload other
'
check '... and without either of the two that this needs it does not, and the reason is given; nor does --list say otherwise' '
	for less in setuid setgid; do
		begin_contained
		fewer=$(echo "$rights" | sed "s/,+$less//")
		status 1 confined "$fewer" $capture -q --jvm $other --deadline 5s -o less.stk 2>err
		grep "users of its own: asking it takes CAP_SETUID and CAP_SETGID" err
		confined "$fewer" $capture --list -f tsv >list
		awk -F "\t" -v pid=$other "\$1 == pid" list | grep "no dumps: it is in a container with users of its own"
		unload other
	done
'
else
	skip "$(tail -n 1 why)" 'VMs that have users of their own'
fi
finish
