#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --jvm among users who want its memory: what all replies take together is bounded, and how many are asked at once; what is left out is told and counted.
. "${0%/*}/lib/tap.sh"
. "$t/lib/alone.sh"

can_be_alone || skip_all 'needs root, namespaces and python3'
cp "$BUILD/t/tools/peak" . 2>/dev/null || skip_all 'no peak was built'
zcat "$t/../scripts/sample/order-service.jstack.txt.gz" | awk '/^Full thread dump/ && n++ { exit } { line[++lines] = $0 } END { for (i = 1; i < lines; i++) print line[i] }' >one.txt

check 'three whose replies do not end, and one with a dump: memory stays small, its dump is whole, theirs are cut, told and counted' '
	alone <<-\END
	answer huge1 huge
	answer huge2 huge
	answer huge3 huge
	answer right right
	status 1 ./peak kilobytes ./stkcap -q --deadline 20s --budget 0 --jvm $huge1,$huge2,$huge3,$right --every 20s --count 1 -o huge.stk 2>err
	cat err kilobytes
	case $BUILD in *address*) ;; *) test $(cat kilobytes) -lt 300000 ;; esac
	test $(grep -c "all replies together are longer\|longer than 64 MB" err) = 3
	stkcat --check huge.stk
	./stkcat -f tsv --only counter huge.stk | awk -F "\t" "{ last[\$2 \" \" \$4] = \$5 } END { for (k in last) { split(k, part, \" \"); n[part[2]] += last[k] } exit n[\"partial\"] != 3 || n[\"seen\"] != 1 }"
	test $(./stkcat -f dumps huge.stk | grep -c "^	at [^a]") = $(grep -c "^	at [^a]" one.txt)		# theirs are of a.B
	END
'
check 'more VMs of one user than are asked at once: told, status 1, counted as missing; those of others are asked' '
	alone <<-\END
	hostile hoard libjvm.so <<\PY
	libc.prctl(15, b"hoard")
	ends = os.pipe()
	for n in range(140):
	  if os.fork() == 0:
	    pid = os.getpid()
	    server = listen("/tmp/.java_pid%d" % pid)
	    libc.prctl(1, 9)
	    os.write(ends[1], b".")
	    while True:
	      server.accept()[0].close()
	got = 0
	while got < 140:
	  got += len(os.read(ends[0], 200))
	ready()
	PY
	answer right right
	status 1 stkcap --deadline 20s --budget 0 --jvm "hoard,$right" --every 20s --count 1 -o hoard.stk 2>err
	grep "12 processes are not captured: at most 256 at once, 128 of one user" err
	./stkcat -f tsv --only counter hoard.stk 2>/dev/null | awk -F "\t" "{ last[\$2 \" \" \$4] = \$5 } END { for (k in last) { split(k, part, \" \"); n[part[2]] += last[k] } exit n[\"seen\"] != 1 || n[\"expected\"] < 129 }"
	END
'
finish
