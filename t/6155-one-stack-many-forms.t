#!/bin/sh
# SPDX-License-Identifier: MIT
# The labelled stacks, which are of recordings of programs, as perf script, as folded text in full and as a thread dump: a scheme has the same groups for them.
. "${0%/*}/lib/tap.sh"

# Every ninth stack as a sample of perf script; frames without a module have that of code made at run time.
perf_of() {
	awk -F '\t' '
		NR % 9 == 1 {
			n = split($2, f, ";")
			printf "app %d 1.000000: 10000000 cpu-clock: \n", 1000 + NR
			for (i = n; i > 0; i--) {
				module = "/tmp/perf-7.map"
				name = f[i]
				if (match(name, / \([^ ]*\)$/)) {
					module = substr(name, RSTART + 2, RLENGTH - 3)
					name = substr(name, 1, RSTART - 1)
				}
				printf "\t%x %s+0x1 (%s)\n", 4096 + i, name, module
			}
			print ""
		}' "$t/data/labelled/$1.tsv"
}
groups_of() {
	stkgroup -s "$1" -f tsv | awk -F '\t' 'NR > 1 { print $2, $3 }' | sort
}
for scheme in jvm go cpython node rust libc-native containers dotnet; do
	check "$scheme: perf script, folded text with modules and thread dumps of the same stacks have the same groups" '
		perf_of $scheme | stkcap -q -f perf-script -o perf.stk
		groups_of $scheme <perf.stk >of.perf
		test "$(awk "{ n += \$NF } END { print (n > 15) }" of.perf)" -eq 1
		stkcat -f folded --names full perf.stk | stkcap -q -f folded | groups_of $scheme | same of.perf -
		stkcat -f dumps perf.stk >perf.dumps
		stkcap -q perf.dumps | groups_of $scheme | same of.perf -
	'
done
check 'folded text: a library, the kernel and inlined are modules, places in sources and arguments are parts of names' '
	printf "%s 1\n" "main (/bin/app);malloc (libc.so.6);x (libpay.so);small (inlined);schedule ([kernel.kallsyms])" "step (/srv/shop.py:12);f (int);g (File.java);h();i ()" >in.folded
	stkcap -q -f folded in.folded | stkcat --only frame -f tsv | awk -F "\t" "NR > 1 { print \$2 \"|\" \$3 \"|\" \$6 }" | LC_ALL=C sort >got
	same - got <<-X
		f (int)||plain
		g (File.java)||plain
		h()||plain
		i ()||plain
		main|/bin/app|native
		malloc|libc.so.6|native
		schedule|[kernel.kallsyms]|native
		small||inlined
		step (/srv/shop.py:12)||plain
		x|libpay.so|native
	X
'
finish
