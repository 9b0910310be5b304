# SPDX-License-Identifier: MIT
# alone.sh: a /tmp, semaphores and processes of one's own, for tests of what local users may do there. After tap.sh:  . "$t/lib/alone.sh"
#
# can_be_alone       we are root, and may have namespaces
# alone <<-\END      within a check: the text runs in the scratch directory with an empty /tmp, and stops at its first failing line. In it are, beside status and stkcap:
#   hostile NAME LIBRARY <<\PY   starts t/lib/hostile.py as nobody (or the user $as) with this program, waits until it is ready, and sets NAME to its number
#   answer NAME MODE             starts t/lib/fake_vm.py, which answers with one.txt, in the same way
#   victim FILE...   makes /tmp/victim, a folder of root's with a file replyInfo and others; untouched says that nothing was made, removed or changed in it since
#   gone             no file is left in /tmp that a capture made

can_be_alone() {
	have unshare python3 && test "$(id -u)" = 0 && unshare -m -i -p --fork --mount-proc sh -c 'mount -t tmpfs none /tmp' 2>/dev/null
}

if can_be_alone; then
	cp "$BUILD/bin/stkcap" "$BUILD/bin/stkcat" "$t"/lib/*.py .
	chmod 755 .
	python=$(python3 -c 'import sys; print(sys.executable)')	# not a script that looks for its folder
	export python
fi

alone() {
	cat - >alone.own
	cat >alone.text <<-'END'
	set -eu
	started=
	trap 'kill $started 2>/dev/null || true' EXIT
	mount -t tmpfs -o mode=1777 none /tmp
	mkdir /tmp/lib
	cp *.py /tmp/lib
	stkcap() { ./stkcap "$@"; }
	stkcat() { ./stkcat "$@"; }
	status() {
		want=$1
		shift
		"$@" && got=0 || got=$?
		test "$got" -eq "$want" || { echo "status $got, expected $want: $*"; return 1; }
	}
	hostile() {
		cat - >"$1.py"
		rm -f "$1.pid"
		${before:-} "$python" /tmp/lib/hostile.py "$1.py" "${as:-65534}" "$2" >"$1.pid" &
		wait_for "$1"
	}
	answer() {
		rm -f "$1.pid"
		DUMP=one.txt "$python" /tmp/lib/fake_vm.py "$2" >"$1.pid" &
		wait_for "$1"
	}
	wait_for() {
		started="$started $!"
		while test ! -s "$1.pid"; do
			kill -0 $!
			sleep .02
		done
		read -r pid <"$1.pid"
		eval "$1=$pid"
	}
	victim() {
		mkdir /tmp/victim
		echo secret >/tmp/victim/replyInfo
		chmod 600 /tmp/victim/replyInfo
		for file; do echo x >"/tmp/victim/$file"; done
		seen >before
	}
	seen() { find /tmp/victim -printf '%p %u %m %s %C+ %T+\n' | sort; }
	untouched() { seen | diff before -; }
	gone() {
		find /tmp -name lib -prune -o \( -name replyInfo -o -name '.attach_pid*' -o -name '.stkagent*' \) ! -path '/tmp/victim/*' -print | tee left
		test ! -s left
	}
	END
	cat alone.own >>alone.text
	unshare -m -i -p --fork --mount-proc sh alone.text
}
