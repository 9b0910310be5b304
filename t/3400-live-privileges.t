#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --jvm as root, among users who put into /tmp what they like: nothing of others' is touched, nothing stays, and nobody is asked who is not a VM.
. "${0%/*}/lib/tap.sh"
. "$t/lib/alone.sh"

can_be_alone || skip_all 'needs root, namespaces and python3'

zcat "$t/../scripts/sample/order-service.jstack.txt.gz" | awk '/^Full thread dump/ && n++ { exit } { line[++lines] = $0 } END { for (i = 1; i < lines; i++) print line[i] }' >one.txt

# --- OpenJ9's folder ---

check 'the folder of a VM is a link to a folder of another: that is not followed' '
	alone <<-\END
	victim attachInfo attachNotificationSync
	hostile vm libj9vm29.so <<\PY
	own = vm_folder()
	rename(own, own + ".was")
	symlink("/tmp/victim", own)
	ready()
	PY
	status 1 stkcap -q --deadline 300ms --jvm $vm -o link.stk 2>err
	grep "its folder .*cannot be opened" err
	status 1 stkcap -q --deadline 300ms --jvm all -o all.stk
	untouched
	gone
	END
'
check '... also when it becomes one while it is asked, at whatever moment' '
	alone <<-\END
	victim attachInfo attachNotificationSync
	hostile vm libj9vm29.so <<\PY
	own = vm_folder()
	symlink("/tmp/victim", own + ".link")
	flip(own, own + ".link")
	PY
	stkcap -q --deadline 5ms --budget 0 --jvm $vm --every 10ms --count 200 -o race.stk 2>err || test $? = 1
	stkcat --check race.stk
	untouched
	kill $vm
	gone
	END
'
check 'the folder of all VMs is a link: that is not followed' '
	alone <<-\END
	victim
	hostile vm libj9vm29.so <<\PY
	symlink("/tmp/victim", attach)
	ready()
	PY
	mkdir /tmp/victim/$vm
	touch /tmp/victim/$vm/attachInfo /tmp/victim/_notifier
	chown -R 65534 /tmp/victim/$vm
	seen >before
	status 1 stkcap -q --deadline 300ms --jvm $vm -o top.stk
	untouched
	END
'
check 'the folder of a VM belongs to another user: nothing is written there' '
	alone <<-\END
	as=0
	hostile roots libj9vm29.so <<\PY
	ready()
	PY
	as=
	hostile thief - <<\PY
	own = vm_folder()
	ready()
	PY
	mv /tmp/.com_ibm_tools_attach/$thief /tmp/.com_ibm_tools_attach/$roots
	stat -c %z /tmp/.com_ibm_tools_attach/$roots >was
	status 1 stkcap -q --deadline 300ms --jvm $roots -o thief.stk 2>err
	grep "belongs to another user" err
	stat -c %z /tmp/.com_ibm_tools_attach/$roots | diff was -
	END
'
check 'a process with the folder of a VM, and without its library, is not a VM' '
	alone <<-\END
	hostile plain - <<\PY
	vm_folder()
	ready()
	PY
	stat -c %z /tmp/.com_ibm_tools_attach/$plain >was
	status 1 stkcap -q --deadline 300ms --jvm $plain -o plain.stk 2>err
	grep "it is not a Java VM" err
	status 1 stkcap -q --deadline 300ms --jvm all -o all.stk
	stkcap --list -f tsv >list
	test "$(grep "^$plain	" list | grep -vc "	Python 3")" = 0
	stat -c %z /tmp/.com_ibm_tools_attach/$plain | diff was -
	END
'
check 'locks that are links are not taken; those that are missing are not made, nor is a semaphore' '
	alone <<-\END
	victim
	hostile vm libj9vm29.so <<\PY
	own = vm_folder()
	unlink(own + "/attachNotificationSync")
	symlink("/tmp/victim/new", own + "/attachNotificationSync")
	unlink(attach + "/_attachlock")
	makedirs(attach + "/1")
	symlink("/tmp/victim", attach + "/2")
	ready()
	PY
	all() { ls -A /tmp/.com_ibm_tools_attach /tmp/.com_ibm_tools_attach/1 /tmp/.com_ibm_tools_attach/$vm; }
	all >was
	status 1 stkcap -q --deadline 300ms --jvm $vm -o locks.stk 2>err
	grep "did not connect in time" err
	all | diff was -
	untouched
	test $(wc -l </proc/sysvipc/sem) = 2
	ipcrm sem $(awk "NR > 1 { print \$2 }" /proc/sysvipc/sem)
	status 1 stkcap -q --deadline 300ms --jvm $vm -o locks2.stk 2>err
	grep semaphore err
	test $(wc -l </proc/sysvipc/sem) = 1
	gone
	END
'
check 'thousands of folders there: some locks are held, and no more' '
	alone <<-\END
	hostile vm libj9vm29.so <<\PY
	own = vm_folder()
	for n in range(10000, 13000):
	  makedirs(attach + "/1%d" % n)
	  touch(attach + "/1%d/attachNotificationSync" % n)
	ready()
	PY
	./stkcap -q --deadline 6s --jvm $vm -o many.stk & capture=$!
	held=0
	while kill -0 $capture 2>/dev/null && test $held -lt 200; do held=$(ls /proc/$capture/fd 2>/dev/null | wc -l); done
	sleep .1
	most=$(ls /proc/$capture/fd | wc -l)
	status 1 wait $capture
	test $held -ge 200
	test $most -lt 400
	gone
	END
'

# --- HotSpot: its socket, and the file that wakes it ---

check 'a process that listens where a VM does, and is none, is not asked' '
	alone <<-\END
	hostile plain - <<\PY
	server = listen("/tmp/.java_pid%d" % pid)
	ready()
	if accepts(server):
	  touch("/tmp/asked")
	PY
	status 1 stkcap -q --deadline 300ms --jvm $plain -o plain.stk 2>err
	grep "it is not a Java VM" err
	status 1 stkcap -q --deadline 300ms --jvm all -o all.stk
	test ! -e /tmp/asked
	END
'
check 'its socket is a link to one of root: nobody connects there' '
	alone <<-\END
	victim
	as=0
	hostile roots - <<\PY
	server = listen("/tmp/victim/socket")
	ready()
	if accepts(server):
	  touch("/tmp/victim/asked")
	PY
	as=
	seen >before
	hostile vm libjvm.so <<\PY
	symlink("/tmp/victim/socket", "/tmp/.java_pid%d" % pid)
	catch_quit()
	ready()
	PY
	status 1 stkcap -q --deadline 300ms --jvm $vm -o link.stk
	untouched
	test -L /tmp/.java_pid$vm
	gone
	END
'
check '... nor when a socket of its own becomes that link again and again' '
	alone <<-\END
	victim
	as=0
	hostile roots - <<\PY
	server = listen("/tmp/victim/socket")
	chmod("/tmp/victim/socket", 0o777)
	ready()
	if accepts(server):
	  touch("/tmp/victim/asked")
	PY
	as=
	seen >before
	hostile vm libjvm.so <<\PY
	name = "/tmp/.java_pid%d" % pid
	symlink("/tmp/victim/socket", name + ".link")
	server = listen(name)
	catch_quit()
	flip(name, name + ".link")
	PY
	status 1 stkcap -q --deadline 5ms --budget 0 --jvm $vm --every 10ms --count 100 -o race.stk 2>err
	untouched
	END
'
check 'its working directory is a folder of another: the file that wakes it is not put there, and does not stay' '
	alone <<-\END
	victim
	hostile vm libjvm.so <<\PY
	chdir("/tmp/victim")
	catch_quit()
	ready()
	PY
	status 1 stkcap -q --deadline 300ms --jvm $vm -o cwd.stk 2>err
	grep "did not begin to listen" err
	untouched
	gone
	END
'
check 'a link in the place of that file is not followed, and does not stop us' '
	alone <<-\END
	victim
	hostile vm libjvm.so <<\PY
	symlink("/tmp/victim/new", "/tmp/.attach_pid%d" % pid)
	catch_quit()
	ready()
	PY
	status 1 stkcap -q --deadline 300ms --jvm $vm -o trigger.stk 2>err
	grep "did not begin to listen" err
	untouched
	gone
	END
'
check 'a capture that is told to end in the middle of its requests takes along what it made' '
	alone <<-\END
	hostile one libjvm.so <<\PY
	catch_quit()
	ready()
	PY
	hostile two libj9vm29.so <<\PY
	vm_folder()
	ready()
	PY
	./stkcap -q --deadline 2s --jvm $one,$two --every 10s -o ended.stk & capture=$!
	are_there() { test -e /tmp/.attach_pid$one && test -e /tmp/.com_ibm_tools_attach/$two/replyInfo; }
	for _ in $(seq 200); do
		! are_there || break
		sleep .01
	done
	are_there
	kill $capture
	wait $capture || true
	gone
	END
'
check 'a VM that becomes another user while it is watched is asked still' '
	alone <<-\END
	as=0
	hostile daemon libjvm.so <<\PY
	server = listen("/tmp/.java_pid%d" % pid)
	ready()
	server.accept()[0].close()
	unlink("/tmp/.java_pid%d" % pid)
	os.setuid(65534)
	server = listen("/tmp/.java_pid%d" % pid)
	while True:
	  server.accept()[0].close()
	PY
	status 1 stkcap -q --deadline 5s --budget 0 --jvm $daemon --every 200ms --count 10 -o daemon.stk 2>err
	stkcat -f tsv --only counter daemon.stk | awk -F "\t" "\$4 == \"partial\" { n = \$5 } END { exit n < 5 }"
	END
'

# --- performance memory ---

check 'performance memory behind a link, or of another user, is not read' '
	alone <<-\END
	"$python" - >/tmp/memory <<\PY
	import struct, sys
	entry = struct.pack("<IIIBBBBI", 72, 20, 9, ord("B"), 0, 1, 0, 56) + b"java.property.java.vm.version\0".ljust(36, b"\0") + b"version1".ljust(16, b"\0")
	sys.stdout.buffer.write(b"\xca\xfe\xc0\xc0\1\2\0\1" + bytes(16) + struct.pack("<II", 32, 1) + entry)
	PY
	hostile vm libjvm.so <<\PY
	catch_quit()
	ready()
	PY
	version_is() { stkcap --list -f tsv | tee list | awk -F "\t" -v pid=$vm -v version="$1" "\$1 == pid && \$3 == version { n++ } END { exit n != 1 }"; }
	memory=/tmp/hsperfdata_nobody
	mkdir $memory /tmp/elsewhere
	cp /tmp/memory $memory/$vm
	version_is "?"				# it is of root
	chown 65534 $memory/$vm $memory
	version_is version1
	mv $memory/$vm /tmp/elsewhere
	chown 65534 /tmp/elsewhere
	rmdir $memory
	ln -s elsewhere $memory
	version_is "?"
	rm $memory
	mkdir $memory
	chown 65534 $memory
	ln -s ../elsewhere/$vm $memory/$vm
	version_is "?"
	END
'

# --- the output ---

check 'in a folder where anybody may put files, what another has put under the name of the output is not written to; what is ours is' '
	alone <<-\END
	victim
	hostile other - <<\PY
	symlink("/tmp/victim/new", "/tmp/link.stk")
	os.mkfifo("/tmp/pipe.stk", 0o666)
	touch("/tmp/file.stk")
	chmod("/tmp/file.stk", 0o666)
	ready()
	PY
	for name in link pipe file; do
	status 3 timeout -k 5 60 ./stkcap -q --exec "cat one.txt" -o /tmp/$name.stk 2>err
	grep "cannot write\|belongs to another user" err
	done
	for name in pipe file; do
	status 3 timeout -k 5 60 ./stkcap -q -o /tmp/$name.stk one.txt 2>err
	grep "belongs to another user\|cannot write" err
	done
	status 0 stkcap -q -o /tmp/link.stk one.txt
	test ! -L /tmp/link.stk		# it was replaced, not followed
	untouched
	test ! -s /tmp/file.stk
	ln -s /tmp/victim/mine.stk /tmp/mine.stk
	status 0 stkcap -q --exec "cat one.txt" -o /tmp/mine.stk
	status 0 stkcap -q --exec "cat one.txt" -o /tmp/new.stk
	status 0 stkcap -q --exec "cat one.txt" -o /tmp/new.stk
	stkcat --check /tmp/new.stk /tmp/victim/mine.stk
	END
'

# --- containers: what is below the root of a process ---

check 'its /tmp is a link: one of a user is not followed, one of root is, below the root of the process' '
	alone <<-\END
	victim
	mkdir -p /tmp/jail /tmp/house/var/tmp
	chmod 777 /tmp/jail /tmp/house/var/tmp
	ln -s /var/tmp /tmp/house/tmp
	as=0
	hostile own libjvm.so <<\PY
	os.chroot("/tmp/house")
	server = listen("/tmp/.java_pid%d" % pid)
	ready()
	while True:
	  server.accept()[0].close()
	PY
	status 1 stkcap -q --deadline 5s --jvm $own -o own.stk 2>err
	grep "closed the connection" err
	hostile jailed libjvm.so <<\PY
	catch_quit()
	os.symlink("/tmp/victim", "/tmp/jail/tmp")
	os.chroot("/tmp/jail")
	ready()
	PY
	chown -h 65534 /tmp/jail/tmp
	status 1 stkcap -q --deadline 300ms --jvm $jailed -o jailed.stk 2>err
	grep "its /tmp cannot be opened" err
	untouched
	END
'
if "$python" -c 'import ctypes, os; os.setuid(65534); exit(ctypes.CDLL(None).unshare(0x10020000) != 0)' 2>/dev/null; then
	check 'its /tmp, in a user and mount namespace of its own, is a folder of root: nothing is made there' '
		alone <<-\END
		victim
		hostile vm libjvm.so <<\PY
		catch_quit()
		alone_as_root()
		bind("/tmp/victim", "/tmp")
		ready()
		PY
		status 1 stkcap -q --deadline 300ms --jvm $vm -o bound.stk 2>err
		grep "cannot create .attach_pid" err
		untouched
		END
	'
	check '... is full of links to files of root: none is followed' '
		alone <<-\END
		victim attachInfo attachNotificationSync $$
		seen >before
		hostile vm libj9vm29.so <<\PY
		alone_as_root()
		mount("tmpfs", "/tmp")
		makedirs(attach)
		symlink("/tmp/victim", "%s/%d" % (attach, pid))
		for name in ("_attachlock", "_notifier"):
		  symlink("/tmp/victim/new", attach + "/" + name)
		symlink("/tmp/victim", "/tmp/hsperfdata_nobody")
		ready()
		PY
		status 1 stkcap -q --deadline 300ms --jvm $vm -o links.stk 2>err
		grep "cannot be opened" err
		stkcap --list >list
		untouched
		hostile hot libjvm.so <<\PY
		catch_quit()
		alone_as_root()
		mount("tmpfs", "/tmp")
		symlink("/tmp/victim/new", "/tmp/.attach_pid%d" % pid)
		symlink("/tmp/victim", "/tmp/.java_pid%d" % pid)
		symlink("/tmp/victim", "/tmp/.stkagent%d.so" % pid)
		ready()
		PY
		status 1 stkcap -q --deadline 300ms --jvm $hot -o hot.stk
		untouched
		END
	'
else
	skip 'a user may have no namespaces' 'its /tmp, in a user and mount namespace of its own, is a folder of root: nothing is made there'
	skip 'a user may have no namespaces' '... is full of links to files of root: none is followed'
fi
finish
