# SPDX-License-Identifier: MIT
# live_capture.sh: for tests that do something to the file of a capture while it runs. After tap.sh.

dump=$t/data/orders.jstack.txt		# three dumps of twelve threads

# begin OPTION...: a capture in the background, which ends when finish_capture lets it; $said is its standard error. Each answer leaves a line in the file runs.
begin() {
	: >runs
	said=said
	sleep 100 & ends_with=$!
	stkcap --exec "echo >>$PWD/runs; cat $dump" --of $ends_with --every 20ms --budget 0 "$@" 2>said & capture=$!
}
# finish_capture STATUS: it ends by itself, with that status
finish_capture() {
	kill $ends_with
	status "$1" wait $capture
}
# until_true TEXT: waits until it is, 30 seconds at most
until_true() {
	for attempt in $(seq 1500); do
		! eval "$1" || return 0
		sleep .02
	done
	echo "never true: $1"
	return 1
}
# dumps FILE..., samples FILE...: how many are in these files
dumps() { for file; do stkcat -q -f tsv --only dump "$file" 2>/dev/null || true; done | awk '!/^id/ { n++ } END { print n + 0 }'; }
samples() { for file; do stkcat -q -f tsv --only sample "$file" 2>/dev/null || true; done | awk '!/^time/ { n++ } END { print n + 0 }'; }
# is_busy: whether the stopped capture is not waiting for something: between looking at its file and writing to it nobody can stop it from writing. Only
# where the kernel tells what it waits in (x86-64: poll, select, nanosleep, wait4, restarted ones, pselect, ppoll, waitid, clock_nanosleep, epoll).
is_busy() {
	test "$(uname -m)" = x86_64 || return 1
	read -r call rest 2>/dev/null <"/proc/$capture/syscall" || return 1
	case $call in 7 | 23 | 35 | 61 | 219 | 230 | 232 | 247 | 270 | 271 | 281) return 1 ;; esac
}
# meanwhile COMMAND...: runs it while the capture stands still, so that it sees all of it at once or nothing
meanwhile() {
	for attempt in $(seq 200); do
		kill -STOP $capture
		! is_busy || { kill -CONT $capture; sleep .003; continue; }
		break
	done
	"$@"
	kill -CONT $capture
}
# more FILE: waits until the file has a dump more than when it was called
more() {
	more_than=$(dumps "$1")
	until_true 'test $(dumps "'"$1"'") -gt $more_than'
}
# last_line FIELD: of what the capture said at last: kept and lost dumps and samples
last_line() {
	tail -1 said | awk -v field="$1" '{ gsub(/[^0-9]+/, " "); split($0, n, " "); at["kept_dumps"] = n[1]; at["kept_samples"] = n[2]; at["lost_dumps"] = n[3] + 0; at["lost_samples"] = n[4] + 0; print at[field] }'
}
# adds_up FILE...: the last line counts what is in these files, and with what was lost it is all that was asked for
adds_up() {
	tail -1 said
	echo "in the files: $(dumps "$@") dumps, $(samples "$@") samples; answers: $(wc -l <runs)"
	test "$(last_line kept_dumps) $(last_line kept_samples)" = "$(dumps "$@") $(samples "$@")"
	test $(($(last_line kept_dumps) + $(last_line lost_dumps))) -eq $((3 * $(wc -l <runs)))
	test $(($(last_line kept_samples) + $(last_line lost_samples))) -eq $((36 * $(wc -l <runs)))
}
