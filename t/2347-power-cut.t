#!/bin/sh
# SPDX-License-Identifier: MIT
# What a power cut could undo: whatever writes a file syncs it before it gets its name, and its folder before the program ends. What grows in place is synced at its end.
. "${0%/*}/lib/tap.sh"

have cc || skip_all 'no cc'
case ${BUILD:-} in *address*) skip_all 'the sanitizer does not share its place in the process' ;; esac
cc -shared -fPIC -o power_cut.so "$t/lib/power_cut.c" -ldl 2>cc.log || skip_all 'cc cannot make a library'

# safe COMMAND...: it places files, and nothing that a power cut could undo. A filter may write the log because it may write in TMPDIR.
safe() {
	rm -f cut
	TMPDIR=$scratch POWER_CUT=$scratch/cut LD_PRELOAD=$scratch/power_cut.so "$@" || test $? -eq 1 || return
	grep -q '^placed' cut || { echo "nothing was placed: $*"; return 1; }
	status 1 grep '^unsynced' cut
}
printf '@1772355600\nr;a 1\nr;b 2\n@1772355620\nr;a 3\n' >day.folded
stkcap -q -o day.stk --format folded-dumps --source host-a day.folded

check 'a program that renames before it syncs is found out' '
	cat >bad.c <<-END
	#include <stdio.h>
	#include <fcntl.h>
	#include <unistd.h>
	int main(void)
	{
		int fd = open("bad.new", O_WRONLY | O_CREAT, 0600);
		return fd < 0 || write(fd, "x", 1) != 1 || rename("bad.new", "bad") != 0;
	}
	END
	cc -o bad bad.c && mv bad bad.program
	status 1 safe ./bad.program >found
	grep "^unsynced file bad$" cut && grep "^unsynced folder$" cut
'
check 'outputs' '
	safe stkcap -q -o o.stk --format folded-dumps day.folded
	mkdir -p away
	for into in o "$scratch/away/o" away/o; do
		safe stkcat -q -f stream -o $into.stk day.stk
		safe stkcat -q -f tsv -o $into.tsv day.stk
		safe stktree -q -o $into.tree day.stk
		safe stkplot flame -o $into.html day.stk
		safe stkplot heat --beside -o $into.html day.stk
		safe stkclass -q -o $into.class day.stk
	done
'
check 'states' '
	safe stkclass -q --resume class.state -o o.class day.stk
	safe stkclass -q -f stream --resume class.state -o o.class day.stk
	safe stktrend -q --periods none --resume trend.state -f tsv -o o.tsv o.class
	safe stkcat -q --mask all: --mask-key new.key -o masked.stk day.stk
'
check 'a tree that grows is synced at its end, after the last byte' '
	stktree -q -o grown.tree day.stk
	sed "s/17723/17724/" day.folded | stkcap -q -o next.stk --format folded-dumps --source host-a -
	have strace || exit 0
	strace -o calls -e trace=pwrite64,ftruncate,fdatasync,fsync stktree -q --append grown.tree next.stk
	grep -E "^(pwrite64|ftruncate|fdatasync|fsync)" calls | tail -1 | grep -E "^f(data)?sync"
'
finish
