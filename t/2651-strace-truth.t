#!/bin/sh
# SPDX-License-Identifier: MIT
# What stkcap reads of strace is what strace saw: of outputs made from known events, and of a program that runs now, whose calls strace counts itself.
. "${0%/*}/lib/tap.sh"
command -v python3 >/dev/null || skip_all 'no python3'
truth() { python3 "$t/lib/strace_truth.py" "$@"; }

# The events of a stream as strace_truth.py writes them.
rows() {
	stkcat -q -f ndjson "$1" | python3 -c '
import datetime, json, re, sys
start = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
for line in sys.stdin:
    row = json.loads(line)
    if row["kind"] == "event":
        since = datetime.datetime.fromisoformat(row["time"].replace("Z", "+00:00")) - start
        about = re.search(r"error:\w+|bytes=\d+B", row["values"])
        print(since // datetime.timedelta(microseconds=1), row["thread"], row["happening"], row["name"], about.group() if about else "", sep="\t")'
}

check 'every call of random outputs, in several threads, interrupted, with arguments that look like ends: time, thread, name, error, bytes' '
	for seed in 1 2 3 4 5; do
		truth make $seed made.strace want
		status 0 stkcap -q --format strace -o made.stk made.strace
		rows made.stk | LC_ALL=C sort >got
		LC_ALL=C sort want | same got -
	done
'
if strace -f -C -ttt -T -o real.txt sh -c 'ls /; cat /proc/self/stat; (sleep 0.01; test -e /nowhere) & wait' >out 2>&1; then
	check 'a program that runs now: as many calls and errors of each name as strace counted' '
		sed -n "/^% time/,\$p" real.txt >summary
		sed "/^% time/,\$d" real.txt >real.strace
		truth calls summary | LC_ALL=C sort >want
		test "$(wc -l <want)" -gt 10
		status 0 stkcap -q --format strace -o real.stk real.strace
		rows real.stk | awk -F "\t" "\$3 == \"start\" { calls[\$4]++ } \$5 ~ /^error/ { errors[\$4]++ }
			END { for (name in calls) printf \"%s\\t%d\\t%d\\n\", name, calls[name], errors[name] }" | LC_ALL=C sort | same want -
	'
else
	skip "strace cannot follow a program here: $(tail -n 1 out)" 'a program that runs now: as many calls and errors of each name as strace counted' :
fi
finish
