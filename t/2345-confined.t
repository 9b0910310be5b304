#!/bin/sh
# SPDX-License-Identifier: MIT
# Filters that only read and write files can do nothing else: what a library tries that was loaded into them fails, unless --no-sandbox; and all that they are for still works.
. "${0%/*}/lib/tap.sh"

have cc || skip_all 'no cc'
case ${BUILD:-} in *address*) skip_all 'sanitizers need processes and traces of their own' ;; esac
cc -D_GNU_SOURCE -shared -fPIC -o intruder.so "$t/lib/intruder.c" -lpthread 2>cc.log || skip_all 'cc cannot make a library'

mkdir elsewhere w
stkcap -q "$t/data/orders.jstack.txt" -o day.stk

# intrude COMMAND...: what the intruder got done in it, in tried
intrude() {
	echo there >elsewhere/there
	rm -f elsewhere/made elsewhere/therex tried
	INTRUDER=$scratch/tried ELSEWHERE=$scratch/elsewhere LD_PRELOAD=$scratch/intruder.so "$@" >out 2>err && got=0 || got=$?
}
intrude stkcat --check day.stk
grep -q '^make a file elsewhere: EACCES' tried || skip_all 'this kernel has no Landlock, or we may not use it'
grep -q '^start a program: EPERM' tried || skip_all 'system calls cannot be filtered here'

cat >confined <<'END'
make a file elsewhere: EACCES
write to a file elsewhere: EACCES
empty a file elsewhere: EACCES
remove a file elsewhere: EACCES
make a link elsewhere: EACCES
open a socket: EPERM
start a program: EPERM
become a program: EPERM
signal the process before: EPERM
begin a thread: done
read a file: done
END
# An older kernel does not hold back signals, or emptying files that are closed.
grep -q '^signal the process before: EPERM' tried || sed -i 's/^signal the process before.*/signal the process before: done/' confined
is_confined() {
	intrude "$@"
	test $got -le 1 -o $got -eq 4 || { echo "status $got: $*"; cat err; return 1; }
	same confined tried
	test "$(cat elsewhere/there)" = there
}

check 'every filter that reads and writes files is confined' '
	is_confined stkcat day.stk
	is_confined stkclass day.stk
	is_confined stktree day.stk
	is_confined stktree -o w/day.tree day.stk
	is_confined stkgroup -s jvm day.stk
	is_confined stktrend day.stk
	is_confined stkdiag day.stk
	is_confined stkplot flame -o w/flame.html day.stk
'
check 'with --no-sandbox nothing is held back; filters that never are refuse the option' '
	intrude stkcat --no-sandbox day.stk
	test "$(grep -c ": done" tried)" -eq 10		# all but a program that is not there
	grep "^become a program: ENOENT" tried
	status 2 stkcap --no-sandbox day.stk 2>err
	status 2 stkpath --no-sandbox cfg day.stk 2>err
'
check 'the folder of the output can be written, and nothing beside it' '
	mkdir o
	ELSEWHERE=$scratch/o INTRUDER=$scratch/tried-o LD_PRELOAD=$scratch/intruder.so stkcat -q day.stk -o o/day.stk
	grep "^make a file elsewhere: done" tried-o
	is_confined stkcat -q day.stk -o o/day.stk
'
check 'outputs: whole files, replaced files, links to files elsewhere, devices, pipes' '
	stkcat -q day.stk -f tsv >wanted
	mkdir real
	for out in w/a.tsv w/a.tsv real/b.tsv; do stkcat -q -f tsv day.stk -o $out; same wanted $out; done
	ln -s ../real/b.tsv w/link
	echo old >real/b.tsv
	stkcat -q -f tsv day.stk -o w/link
	same wanted w/link
	(cd w && stkcat -q -f tsv ../day.stk -o here.tsv) && same wanted w/here.tsv
	stkcat -q -f tsv day.stk -o /dev/stdout | cmp - wanted
	stkcat -q -f tsv day.stk -o /dev/stdout >got; same wanted got
	stkcat -q -f tsv day.stk -o /dev/null
	status 3 stkcat -q -f tsv day.stk -o /dev/full 2>err
	grep "No space left" err
	mkfifo pipe
	cat pipe >got & stkcat -q -f tsv day.stk -o pipe; wait
	same wanted got
	status 3 stkcat day.stk -o nowhere/x.stk 2>err
	grep "No such file" err
'
check 'states, keys, trees that grow, databases, files beside a page' '
	mkdir states
	ln -s states/real class.link
	stkclass -q --resume class.link day.stk >first
	stkclass -q --resume class.link day.stk >second
	stktrend -q --resume states/trend day.stk >first
	stkcat -q --mask "all:" --mask-key states/key day.stk -o w/masked.stk
	stktree -q -o w/t.tree day.stk
	stktree -q --append w/t.tree day.stk 2>err
	if sqlite3 --version >/dev/null 2>&1 && stkcat -q -f sqlite -o w/x.db day.stk 2>err; then
		test "$(sqlite3 w/x.db "select count(*) from sample")" -gt 0
	fi
	stkplot heat -q --beside -o w/heat.html day.stk 2>err || { cat err; false; }
'
check 'temporary files, in the folder of TMPDIR too' '
	mkdir tmp
	TMPDIR=$PWD/tmp stktree -q -o w/u.tree day.stk
	TMPDIR=$PWD/tmp stkcat -q --sort day.stk -o w/sorted.stk
	cmp w/t.tree w/u.tree
	test -z "$(ls -A tmp)"
'
check 'names from git are read by git: that run alone is not confined' '
	have git || exit 0
	git init -q r
	(cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x)
	status 0 stkgroup --generate git --repository r 2>err || grep -v "Permission\|not permitted" err
'
finish
