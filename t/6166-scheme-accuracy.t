#!/bin/sh
# SPDX-License-Identifier: MIT
# The groups that schemes give to stacks labelled by hand: the table in schemes/README.md is what scripts/scheme-accuracy prints.
. "${0%/*}/lib/tap.sh"

bin=$(dirname "$(command -v stkgroup)")

check 'the table in schemes/README.md is that of the script' '
	STKBIN=$bin "$t/../scripts/scheme-accuracy" >table
	test "$(wc -l <table)" -gt 4
	sed -n "/^| scheme | stacks labelled/,/^$/p" "$t/../schemes/README.md" | grep "^|" | same table -
'
check 'each row has at least 95 %, held-out ones as well' '
	tail -n +3 table | awk -F "|" "{ if (\$6 + 0 < 95) { print; exit 1 } }"
'
check 'a label that is wrong is counted, and the stack printed' '
	printf "kernel/fs\tdo_syscall_64;ksys_read;vfs_read\nkernel/fs\tdo_syscall_64;ksys_read;vfs_read;schedule\nkernel/mm\tasm_exc_page_fault\n" >labels.tsv
	STKBIN=$bin "$t/../scripts/scheme-accuracy" linux-kernel "$PWD/labels.tsv" >got
	grep -q "^| linux-kernel | labels.tsv | 3 | 2 | 66.7 %" got
	test "$(grep -c "goes to kernel/sched, the example says kernel/fs" got)" -eq 1
'
check 'a scheme that cannot be read is named at the end, the others have their rows, and the status is 3' '
	mkdir -p tree/scripts tree/t/data/labelled
	cp "$t/../scripts/scheme-accuracy" tree/scripts/
	cp -R "$t/../schemes" tree/
	for scheme in go linux-kernel node; do
		printf "kernel/fs\tdo_syscall_64;ksys_read;vfs_read\n" >tree/t/data/labelled/$scheme.tsv
	done
	echo "siblings: [" >>tree/schemes/linux-kernel.yaml
	status 3 env STKBIN="$bin" tree/scripts/scheme-accuracy >short 2>said
	test "$(grep -c "^| go \|^| node " short)" -eq 2
	test "$(tail -n 1 said)" = "scheme-accuracy: the table is not whole: it lacks linux-kernel linux-kernel.tsv"
	status 3 env STKBIN="$bin" tree/scripts/scheme-accuracy go nothing.tsv >short 2>said
	test "$(tail -n 1 said)" = "scheme-accuracy: the table is not whole: it lacks go nothing.tsv"
'
finish
