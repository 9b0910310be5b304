#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --native of a process whose files are pipes, where it looks for names: it does not wait at them.
. "${0%/*}/lib/tap.sh"

have cc mkfifo || skip_all 'needs a C compiler'
cat >still.c <<'END'
#include <unistd.h>
int main(void) { for (;;) pause(); }
END
cc -O1 -s -Wl,--build-id=none -o still still.c || skip_all 'the compiler takes no --build-id=none'
./still & still=$!
trap 'kill $still' EXIT
stkcap -q --native $still -o can.stk 2>why || skip_all "$(cat why)"

# sleeps: it goes on as before; after it was stopped it runs for a moment
sleeps() {
	for i in $(seq 100); do
		test "$(sed -n "s/^State:.//p" /proc/$still/status)" != "S (sleeping)" || return 0
		sleep .05
	done
	sed -n "s/^State:.//p" /proc/$still/status
	return 1
}
check 'a debug file beside the program is a pipe' '
	mkfifo still.debug
	status 0 timeout -k 5 60 stkcap -q --native $still -o pipe.stk
	stkcat -f folded pipe.stk | grep "pause"
	sleeps
'
check 'the program itself is a pipe now' '
	mv still was
	mkfifo still
	status 0 timeout -k 5 60 stkcap -q --native $still -o self.stk
	sleeps
'
finish
