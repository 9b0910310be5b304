#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs of `make static` and `make static CC=musl-gcc` need nothing where they run, and say what the others say. They are built beforehand: it takes minutes.
. "${0%/*}/lib/tap.sh"

sample=$t/../scripts/sample/order-service.jstack.txt.gz
stkcap -q -o day.stk "$sample"

# answers FOLDER: of all programs in it, on the sample
answers() {
	"$1/stkcap" -q "$sample" | stkcat -q -f tsv --ids - &&
		"$1/stkcat" -q -f text day.stk && "$1/stkclass" -q -f tsv day.stk && "$1/stktree" -q -f folded day.stk &&
		STKPIPE_SCHEMES=$t/../schemes "$1/stkgroup" -q -s jvm -f tsv day.stk && { STKPIPE_SCHEMES=$t/../schemes "$1/stkdiag" -q -f tsv day.stk || test $? -eq 4; } &&
		"$1/stkplot" flame -q -f svg day.stk && "$1/stktrend" --version && "$1/stktree" -q --threads 4 -o tree day.stk day.stk && stkcat -q -f tsv --ids tree
}
answers "${BUILD:-$t/../build}/bin" >usual 2>err || { cat err >&2; exit 99; }

for kind in static musl; do
	folder=${BUILD:-$t/../build}-$kind/bin
	if test ! -x "$folder/stktrend"; then
		skip "no $folder" "$kind: the same answers as those with libraries" ''
		skip "no $folder" "$kind: in a root that has nothing else" ''
		continue
	fi
check "$kind: the same answers as those with libraries" '
	answers "$folder" | same usual -
'
	if test "$(id -u)" -ne 0; then
		skip 'not root' "$kind: in a root that has nothing else" ''
		continue
	fi
check "$kind: in a root that has nothing else" '
	rm -rf root && mkdir root
	cp "$folder"/stk* "$sample" root
	chroot root /stkcap -q -o /day.stk "/${sample##*/}"
	chroot root /stktree -q -f folded /day.stk >folded
	test -s folded
	stktree -q -f folded day.stk | same folded -
	for program in root/stk*; do chroot root "/${program#root/}" --version || return 1; done
'
done
finish
