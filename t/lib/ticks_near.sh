# SPDX-License-Identifier: MIT
# Sourced after tap.sh. Comparison of ticks with the processor time of a process, on a machine that is as busy as it likes: then a process gets few ticks, and
# few differ by chance.

# cpu_ms PID: the processor time that it has used
cpu_ms() { "$BUILD/t/tools/cpu_time" "$1"; }
# stolen_ms: of all processors by the host of the machine. It is no process's time, but ticks in it are those of who then had the processor.
stolen_ms() { awk '$1 == "cpu" { print $9 * 10 }' /proc/stat; }

# begin_of_ticks PID; end_of_ticks PID: before and after a capture; used, stolen and wall are what there was between, in ms
begin_of_ticks() { stolen=$(stolen_ms) used=$(cpu_ms "$1") wall=$(($(date +%s%N) / 1000000)); }
end_of_ticks() { used=$(($(cpu_ms "$1") - used)) stolen=$(($(stolen_ms) - stolen)) wall=$(($(date +%s%N) / 1000000 - wall)); }

# ticks_are_near TICKS HERTZ CAPTURED: the ticks of the process are its processor time, to 10 % or what chance explains (4 standard deviations); CAPTURED ms of `wall`
# were captured: a capture takes a while to begin and to end
ticks_are_near() {
	awk -v n="$1" -v hertz="$2" -v captured="$3" -v used="$used" -v stolen="$stolen" -v wall="$wall" 'BEGIN {
		ms = n * 1000 / hertz
		part = n > 0 && 4 / sqrt(n) > .1 ? 4 / sqrt(n) : .1
		printf "%d ms by ticks, %d ms of processor time, %d ms stolen, captured %d of %d ms, to %.0f %%\n", ms, used, stolen, captured, wall, 100 * part
		exit !(n > 0 && ms < (used + stolen) * (1 + part) && ms > used * captured / wall * (1 - part)) }'
}
