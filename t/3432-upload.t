#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --upload: a program for each finished file, without a shell; --keep by age.
. "${0%/*}/lib/tap.sh"

dump=$t/data/orders.jstack.txt
cat >upload <<-'END'
	#!/bin/sh
	test $# = 1 && test -s "$1" && stkcat --check "$1" >/dev/null && printf '%s\n' "$1" >>uploaded
END
chmod +x upload

check 'each file is given to the program when it is whole, in order, the last one at the end' '
	status 0 stkcap --exec "cat $dump" --every 20ms --count 60 --budget 0 --max-size 6000 --upload ./upload -o "part-%Y.stk" 2>err
	test "$(wc -l <uploaded)" -ge 3
	ls -tr part-*.stk | sort >files
	sort uploaded | cmp - files
	test "$(grep -c ": uploaded" err)" = "$(wc -l <files)"
'
check 'names are given as they are: no shell reads them' '
	rm -f uploaded
	name="a b;\$(touch oops)\`touch oops\`*.stk"
	status 0 stkcap -q --exec "cat $dump" --upload ./upload -o "$name" 2>err
	test "$(cat uploaded)" = "$name"
	test ! -e oops
'
check 'what fails is reported with its status, tried again, and makes the exit status 1' '
	printf "#!/bin/sh\nread line && exit 9\necho \$1 >>tried\necho to stdout\nexit 7\n" >fails; chmod +x fails
	status 1 stkcap --exec "cat $dump" --upload ./fails -o f.stk 2>err >out
	grep "f.stk: not uploaded yet: ./fails: it ended with status 7" err
	grep "f.stk: not uploaded: the capture ends" err
	test ! -s out
	grep -x "to stdout" err
	status 1 stkcap --exec "cat $dump" --upload ./missing -o f.stk 2>err
	grep "f.stk: not uploaded yet: ./missing: No such file" err
	head -n 1 err | grep "upload ./missing: No such file or directory; files wait until it can be run"
	status 1 stkcap --exec "cat $dump" --upload stk-no-such-program -o f.stk 2>err
	head -n 1 err | grep "upload stk-no-such-program: No such file or directory"
	status 1 stkcap --exec "cat $dump" --upload "$PWD" -o f.stk 2>err
	head -n 1 err | grep "upload $PWD: Permission denied"
	stkcap --exec "cat $dump" --upload true -o f.stk 2>err
	status 1 grep "upload true" err
	printf "#!/bin/sh\nkill -9 \$\$\n" >dies; chmod +x dies
	status 1 stkcap --exec "cat $dump" --upload ./dies -o f.stk 2>err
	grep "it was ended by signal 9" err
	stkcat --check f.stk
'
check 'what a killed capture had not uploaded the next one uploads, once' '
	rm -f uploaded
	stkcap -q --exec "cat $dump" --every 20ms --budget 0 --max-size 6000 --upload ./dies -o "kill-%Y.stk" 2>err & capture=$!
	while test "$(ls kill-*.stk 2>/dev/null | wc -l)" -lt 4; do sleep .02; done
	kill -9 $capture
	wait $capture || true
	ls kill-*.stk | sort >files
	for file in $(cat files); do test -e .$file.upload; done
	>.kill-2001.stk.upload		# of a file that --keep removed
	>.killer.stk.upload		# of none of ours
	>killer.stk
	status 0 stkcap --exec "cat $dump" --max-size 6000 --upload ./upload -o "kill-%Y.stk" 2>err
	ls kill-*.stk | sort >files
	sort uploaded | same files -
	grep "^stkcap: kill-.*: left by an earlier capture, to be uploaded" err
	rm uploaded
	test "$(ls .kill*.upload)" = .killer.stk.upload
	status 0 stkcap -q --exec "cat $dump" --max-size 6000 --upload ./upload -o "kill-%Y.stk"
	status 1 grep "kill-[0-9]*[.23]*.stk" uploaded
'
check 'a slow program delays no dump' '
	printf "#!/bin/sh\ntest -e first || { touch first; exec sleep 2; }\n" >slow; chmod +x slow
	status 0 stkcap -q --exec "echo x >>asked; cat $dump" --every 50ms --count 20 --budget 0 --max-size 6000 --upload ./slow -o "slow-%Y.stk" 2>err
	test -e first
	stkcat -f tsv --only counter slow-*.stk | awk -F "\t" "\$4 == \"expected\" && \$5 > n { n = \$5 } END { exit n != 20 }"
'
check 'a file that was removed before is reported' '
	printf "#!/bin/sh\nsleep .3; rm -f gone-*.stk\n" >removes; chmod +x removes
	status 1 stkcap -q --exec "cat $dump" --every 20ms --count 30 --budget 0 --max-size 6000 --upload ./removes -o "gone-%Y.stk" 2>err
	grep "not uploaded: No such file" err
'
check '--keep by age removes what was written before, and nothing else' '
	stkcap -q "$dump" -o base.stk
	for day in 01 02 03; do cp base.stk old-2020-01-$day.stk; done
	cp base.stk old-notes.stk
	touch -d "5 days ago" old-*.stk
	touch -d "1 day ago" old-2020-01-03.stk
	status 0 stkcap --exec "cat $dump" --keep 2d -o "old-%F.stk" 2>err
	test ! -e old-2020-01-01.stk
	test ! -e old-2020-01-02.stk
	test -e old-2020-01-03.stk
	test -e old-notes.stk
	test "$(grep -c "removed (--keep)" err)" = 2
	status 2 stkcap --exec "cat $dump" --keep often -o "old-%F.stk" 2>err
	grep "expected a number of files, a size such as 10G or an age such as 7d" err
'
check 'options without effect are refused' '
	status 2 stkcap --exec "cat $dump" --upload ./upload >x.stk 2>err
	status 2 stkcap "$dump" --upload ./upload -o x.stk 2>err
'
finish
