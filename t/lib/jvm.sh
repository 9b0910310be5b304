# SPDX-License-Identifier: MIT
# jvm.sh: Java programs for tests. After tap.sh:  . "$t/lib/jvm.sh"
#
# java_homes       a list of the JDKs of this machine, one of each version; empty when there is none
# load NAME ARG... starts t/java/Load.java (or $program) with $java and $java_flags, waits until it runs, and sets NAME to its pid
# unload NAME...   ends it
# $classes         where they are
# by_turns         waits until no other test measures what runs on the processors, and lets none begin until this one ends

java_homes=$(for home in ${JAVA_HOME:-} $(ls -d /usr/lib/jvm/*/ 2>/dev/null); do
	test ! -x "$home/bin/javac" || "$home/bin/java" -version 2>&1 | sed -n "s|.*version \"\([0-9]*\).*|\1 ${home%/}|p"
done | sort -n -u -k 1,1 | cut -d ' ' -f 2)
classes=$PWD/classes

for home in $java_homes; do		# for the oldest: then all can run it
	java=$home/bin/java
	"$home/bin/javac" -d "$classes" "$t"/java/*.java || java_homes=
	break
done

load() {
	load_name=$1
	shift
	: >"$load_name.out"
	${run_as:-} "$java" -Xmx128m ${java_flags:-} -cp "$classes" ${program:-Load} "$@" >"$load_name.out" 2>&1 9>&- &
	eval "$load_name=$!"
	while ! grep -q "^ready" "$load_name.out"; do
		kill -0 $! || return 1
		sleep .05
	done
}

unload() {
	for load_name; do
		eval "kill -9 \$$load_name 2>/dev/null; wait \$$load_name 2>/dev/null || true"
	done
}

by_turns() {
	if have flock; then
		exec 9>"$BUILD/by_turns"
		flock 9
	fi
}
