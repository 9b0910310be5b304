#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs in containers of runc and crun, with their own processes, mounts and network, and users of their own too: Java, Python and native ones are found and read from outside.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"
by_turns

test "$(id -u)" = 0 || skip_all 'only root starts containers here'
have runc || have crun || skip_all 'no runc, no crun'
have cc || skip_all 'no compiler'
test -n "$java_homes" || skip_all 'no JDK'
java_home=${java_homes%%
*}
python=$(python3 -c 'import sys; print(sys.executable, sys.implementation.name, (3, 8) <= sys.version_info < (3, 14))' 2>/dev/null)
case $python in
*' cpython True') python=${python%% *} ;;
*) skip_all 'no CPython 3.8 to 3.13' ;;
esac

mkdir -p root/app root/tmp root/proc root/sys root/dev root/usr root/etc
chmod 755 . root root/app
chmod 1777 root/tmp
for folder in bin lib lib64 sbin; do ln -s "usr/$folder" "root/$folder"; done
cat >Contained.java <<'END'
public class Contained {
	static volatile double x;
	static void burn() { for (int i = 0; i < 100000; i++) x += Math.sqrt(i); }
	public static void main(String[] a) throws Exception {
		Thread worker = new Thread(() -> { for (;;) burn(); }, "a worker with a long name");
		worker.start();
		worker.join();
	}
}
END
"$java_home/bin/javac" -d root/app Contained.java || skip_all 'javac does not work'
cat >contained.c <<'END'
#include <unistd.h>
static volatile int ended;
__attribute__((noinline, noclone)) static void hold(void) { while (!ended) pause(); ended = 2; }
int main(void) { hold(); return ended; }
END
cc -O1 -o root/app/contained-program contained.c
cat >root/app/contained.py <<'END'
import time
def rests():
    while True: time.sleep(1)
rests()
END
cat >root/app/begin <<END
"$java_home/bin/java" -cp /app Contained &
"$python" /app/contained.py &
/app/contained-program &
wait
END
cat >configure.py <<'END'
import json, os, sys
config = json.load(open('config.json'))
users, read_only = sys.argv[1], [p for p in sys.argv[2:] if os.path.exists(p)]
config['process'].update(terminal=False, args=['/bin/sh', '/app/begin'], user={'uid': 1000, 'gid': 1000},
                         capabilities={k: [] for k in config['process']['capabilities']})
config['mounts'] = [m for m in config['mounts'] if m['type'] != 'cgroup']
config['linux'].pop('resources', None)
config['mounts'] += [{'destination': p, 'type': 'bind', 'source': p, 'options': ['rbind', 'ro']} for p in read_only]
config['mounts'].append({'destination': '/tmp', 'type': 'tmpfs', 'source': 'tmpfs'})
config['linux']['namespaces'] = [{'type': t} for t in ('pid', 'ipc', 'uts', 'mount', 'network')]
if users == 'own':		# as those of containers that were not started by root
    config['linux']['namespaces'].append({'type': 'user'})
    for kind in 'uidMappings', 'gidMappings':
        config['linux'][kind] = [{'containerID': 0, 'hostID': 200000, 'size': 65536}]
config['root'] = {'path': 'root', 'readonly': False}
json.dump(config, open('config.json', 'w'))
END
container=stk-test-$$
trap 'for runtime in runc crun; do $runtime delete -f $container 2>/dev/null; done; rm -rf "$scratch" "$scratch.log"; exit 99' HUP INT TERM

# waits for all three
found() {
	test "$(stkcap --list -f tsv | awk -F '\t' '$4 == "Contained" || $4 == "contained.py"' | wc -l)" = 2 && pgrep -f '^/app/contained-program' >/dev/null
}

# of crun without groups, of which it refuses the older ones at its start
runtime_does() { test $runtime = runc || set -- --cgroup-manager=disabled "$@"; $runtime "$@"; }
start() {
	case $runtime in
	runc) runc run -d $container ;;
	*) unshare -m sh -c 'mount -t cgroup2 none /sys/fs/cgroup; exec crun --cgroup-manager=disabled run -d "$1"' sh $container ;;
	esac
}

# look_into RUNTIME USERS   users: shared with the machine, or the container's own
look_into() {
	runtime=$1 title="$1, $2 users"
	if ! have $runtime; then
		skip "no $runtime" "$title"
		return
	fi
	rm -f config.json *.stk
	case $2 in own) chown 200000:200000 root ;; *) chown 0:0 root ;; esac	# its root
	$runtime spec >/dev/null
	python3 configure.py $2 /usr "$java_home" /etc/java-17-openjdk "${python%/bin/*}"
	if ! start >run.out 2>&1 </dev/null; then
		skip "$runtime does not run here: $(tail -n 1 run.out)" "$title"
		return
	fi
	for n in $(seq 100); do ! found || break; sleep .2; done
	sleep 1				# a VM answers when it has begun
	check "$title: --list has them, and what can be captured" '
		stkcap --list -f tsv >list
		awk -F "\t" "\$4 == \"Contained\" && \$5 ~ /dumps/ { n++ } \$4 == \"contained.py\" && \$5 == \"Python stacks\" { n++ } END { exit n != 2 }" list
	'
	check "$title: each by its way, at one moment" '
		status 0 stkcap -q --jvm Contained --python contained.py --native contained-program --deadline 30s -o all.stk
		stkcat -q -f folded all.stk >folded
		grep "^main;Contained.main;.*Thread.join" folded
		grep "^MainThread;<module>;rests 1" folded
		grep "^contained-progr;.*;main;hold;" folded
	'
	check "$title: at ticks they have their stacks, and the names that their VM gives its threads" '
		stkcap -q --jvm Contained --native contained-program --ticks 99 --count 1 -o can.stk 2>why || { cat why; exit 0; }
		status 0 stkcap -q --jvm Contained --every 1s --ticks 99 --count 2 --deadline 30s -o ticks.stk
		stkcat -q -f folded --event cpu-clock ticks.stk | grep "^a.worker.with.a.long.name;.*Contained.burn"
		stkcat -f tsv --only thread ticks.stk | awk -F "\t" "\$3 ~ /^a work/ { n++ } END { exit n != 1 }"
	'
	check "$title: the agent is loaded from its /tmp" '
		status 0 stkcap -q --jvm Contained --agent --deadline 30s -o agent.stk
		stkcat -q -f folded agent.stk | grep "^main;Contained.main;.*Thread.join"
	'
	runtime_does delete -f $container
}
look_into runc shared
look_into runc own
look_into crun shared
look_into crun own
finish
