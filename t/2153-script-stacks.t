#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks of scripts in JSON: py-spy dump --json, and the raw files of rbspy. Made by hand after what the sources of both write.
. "${0%/*}/lib/tap.sh"

python=$t/fuzz/seed/pyspy_json/dump ruby=$t/fuzz/seed/rbspy/v2
# rows FILE: time, thread, tid, state, condition, stack
rows() {
	stkcap -q -o rows.stk "$1" && stkcat -q -f tsv --only sample rows.stk | sed 1d | awk -F "\t" '{ print $1 "|" $3 "|" $17 "|" $4 "|" $10 "|" $6 }'
}

check 'py-spy: a dump with its threads, of which one has no name and no id of the system' '
	status 0 stkcap -o a.stk "$python" 2>err; grep "1 dumps, 2 samples, 2 distinct stacks, 0 lines skipped" err
	rows "$python" >got
	same - got <<-END
	-|MainThread|812|sleeping|idle|run (a);wait
	-||18446744073709551615|running|active+gil|PyEval
	END
	stkcat -q -f tsv --only frame a.stk | sed 1d | cut -f 2-5 >got
	printf "%s\t%s\t%s\t%s\n" wait "" threading.py 320 "run (a)" "" /srv/work.py 12 PyEval /usr/lib/libpython3.11.so ceval.c 0 | same - got
	stkcat -q -f tsv --only source a.stk | sed 1d | cut -f 4 | sort -u >got; same - got <<-END
	812
	END
	stkcat -q -f tsv --only dump a.stk | sed 1d | cut -f 7 >got; echo 2 | same - got
'
check 'py-spy: the same as its text says, and a time when it is given one' '
	cat >text <<-END
	Process 812: python3 work.py
	Python v3.11.2 (/usr/bin/python3.11)

	Thread 812 (idle): "MainThread"
	    wait (threading.py:320)
	    run (work.py:12)
	Thread 813 (active): "worker-1"
	    spin (work.py:5)
	END
	echo "[{\"pid\":812,\"thread_id\":1,\"os_thread_id\":812,\"thread_name\":\"MainThread\",\"active\":false,\"owns_gil\":false,\"frames\":[{\"name\":\"wait\",\"filename\":\"x\",\"short_filename\":\"threading.py\",\"line\":320},{\"name\":\"run\",\"filename\":\"work.py\",\"line\":12}]},{\"frames\":[{\"name\":\"spin\",\"filename\":\"work.py\",\"line\":5}],\"owns_gil\":false,\"active\":true,\"os_thread_id\":813,\"thread_name\":\"worker-1\",\"thread_id\":2}]" >json
	rows text >wanted; rows json | same wanted -
	touch -d 2026-01-02T03:04:05Z json; stkcap -q --time-from mtime json | stkcat -q -f tsv --only sample - | sed 1d | cut -f 1 | sort -u >got; same - got <<-END
	2026-01-02T03:04:05Z
	END
	cat json json >two; status 0 stkcap -o a.stk two 2>err; grep "2 dumps, 4 samples" err
'
check 'py-spy: threads without names, variables, which are no frames, processes below others, files with brackets' '
	cat >text <<-END
	Process 812: python3 work.py --x (a)
	Python v3.11.2 (/usr/bin/python3.11)

	Thread 812 (idle): "MainThread"
	    wait (threading.py:320)
	        Arguments:
	            self: <Event at 0x7f1>
	        Locals:
	            s: "a (b:3)"
	    run (work.py:12)
	Thread 0x7F2A10 (active)
	    spin (work.py:5)
	    PyEval (libpython3.11.so)
	Thread 814 (active+gil): "w (1): x"
	    <listcomp> (/srv/a (copy).py:5)

	--------------------------------------------------------------------------------
	Process 820: python3 child.py
	Python v3.11.2 (/usr/bin/python3.11)
	Parent Process 812: python3 work.py

	Thread 820 (idle): "MainThread"
	    f (child.py:1)
	END
	status 0 stkcap -o a.stk text 2>err; grep "2 dumps, 4 samples" err
	rows text >got
	same - got <<-END
	-|MainThread|812|sleeping|idle|run;wait
	-||8333840|running|active|PyEval;spin
	-|w (1): x|814|running|active+gil|<listcomp>
	-|MainThread|820|sleeping|idle|f
	END
	stkcat -q -f tsv --only frame a.stk | grep "<listcomp>		/srv/a (copy).py	5"
'
check 'py-spy: speedscope and collapsed stacks with files and lines, processes and threads' '
	echo "{\"\$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"profiles\":[{\"type\":\"sampled\",\"name\":\"Process 812 Thread 812 \\\"MainThread\\\"\",\"unit\":\"seconds\",\"startValue\":0.0,\"endValue\":0.02,\"samples\":[[1,0],[1]],\"weights\":[0.01,0.01]}],\"shared\":{\"frames\":[{\"name\":\"wait\",\"file\":\"/usr/lib/threading.py\",\"line\":320,\"col\":null},{\"name\":\"run\",\"file\":\"/srv/work.py\",\"line\":null,\"col\":null}]},\"activeProfileIndex\":null,\"exporter\":\"py-spy@0.4.0\",\"name\":\"py-spy profile\"}" >a
	rows a >got
	same - got <<-END
	0|Process 812 Thread 812 "MainThread"|0|unknown||run;wait
	0.010|Process 812 Thread 812 "MainThread"|0|unknown||run
	END
'
check 'rbspy: stacks at their times, on a processor or not; functions in C have no file' '
	status 0 stkcap -o a.stk "$ruby" 2>err; grep "0 dumps, 2 samples, 2 distinct stacks, 0 lines skipped" err
	rows "$ruby" >got
	same - got <<-END
	2026-01-01T00:00:00.010000005Z||140737353958208|sleeping||<main>;block in run;sleep [c function]
	2026-01-01T00:00:00.020Z||7|unknown||run
	END
	stkcat -q -f tsv --only frame a.stk | sed 1d | cut -f 2-5 >got
	printf "%s\t%s\t%s\t%s\n" "sleep [c function]" "" "" 0 "block in run" "" /srv/work.rb 12 "<main>" "" /srv/work.rb 30 run "" /srv/work.rb 5 | same - got
	gzip -c "$ruby" >a.gz; stkcap -q -o b.stk a.gz; rows "$ruby" | wc -l | grep -x 2
	printf "rbspy01\n%s\n" "$(sed -n 3p "$ruby")" >a; rows a | wc -l | grep -x 1
	printf "rbspy00\n%s\n" "[{\"name\":\"run\",\"relative_path\":\"a.rb\",\"absolute_path\":null,\"lineno\":5}]" >a; rows a >got; echo "-||0|unknown||run" | same - got
'
check 'rbspy: lines are counted from its head on, also where one cannot be read' '
	cp "$ruby" a; stkcap --rejects rejects -o a.stk a 2>err; grep "^stkcap: $(wc -l <a) lines: $(wc -l <a) taken, 0 blank, 0 rejected" err
	{ cat "$ruby"; printf "}\nmore\n"; } >a; n=$(wc -l <"$ruby")
	status 1 stkcap --rejects rejects -o a.stk a 2>err; grep "^stkcap: $((n + 2)) lines: $n taken, 0 blank, 2 rejected" err
	grep "^a:$((n + 1)): .*}\$" rejects; grep "^a:$((n + 2)): .*more" rejects
'
check 'rbspy: its summary cannot be read, and is said to be what it is' '
	printf "%% self  %% total  name\n 83.33   100.00  run - work.rb:5\n" >a; status 1 stkcap -o a.stk a 2>err; grep "a summary of rbspy, which has no stacks" err
'
check 'every beginning, and what is damaged' '
	for file in "$python" "$ruby"; do
		size=$(wc -c <"$file") n=1
		while [ $n -lt "$size" ]; do head -c $n "$file" >cut; code=0; stkcap -q -o c.stk cut 2>err || code=$?; test $code -le 1; n=$((n + 19)); done
		head -c $((size - 40)) "$file" >cut; status 1 stkcap -o c.stk cut 2>err; grep "not JSON at byte" err
	done
	echo "[{\"thread_id\":1,\"owns_gil\":false,\"frames\":3}]" >a; status 1 stkcap -o a.stk a 2>err; grep "a thread without a list of frames" err
	{ cat "$ruby"; echo "{\"pid\":3}"; } >a; status 1 stkcap -o a.stk a 2>err; grep "a sample without a stack" err
	{ printf "[{\"owns_gil\":false,\"frames\":["; for i in 1 2 3 4 5 6 7 8 9; do printf "{\"name\":\"f\"},%.0s" $(seq 7300); done; echo "{\"name\":\"f\"}]}]"; } >a
	status 1 stkcap -o a.stk a 2>err; grep "a stack of more than 65536 frames, whose outer ones are left out" err; grep "1 samples" err
	{ cat "$ruby"; echo "3"; } >a; status 1 stkcap -o a.stk a 2>err; grep "a line that is no stack" err
'
finish
