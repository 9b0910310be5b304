#!/bin/sh
# SPDX-License-Identifier: MIT
# torture_texts.sh FOLDER: texts, archives and profiles of others that modes of torture_modes.h name, beside the streams of good_streams.sh, which are made first.
# Needs the programs in PATH.
set -eu
t=$(cd "${0%/*}/.." && pwd)
cd "$1"

cp "$t/data/orders.jstack.txt" dump.txt
cp "$t/data/shop.perf.txt" "$t/data/functions.ll" .
gzip -nc dump.txt >dump.txt.gz
zstd -qc dump.txt >dump.txt.zst
mkdir folder
cp dump.txt folder/a.txt
cp dump.txt.gz folder/b.txt.gz
tar -czf dumps.tar.gz folder
awk 'BEGIN { for (d = 0; d < 50; d++) { print "@" 1772355600 + 20 * d; print "r;a;x;park 3"; print "r;b;y" d % 7 " 1" } }' >dumps.folded
printf '%s\n' 'main;_ZN4Shop3buyEi;_RNvCs1234_7mycrate3foo 3' 'main;scala.Predef$.$plus$plus 2' >mangled.folded
{ cat dump.txt; printf '"no end" #7\n\tat \001\377 nothing\n'; } >odd.txt
stkcap -q -o other.stk shop.perf.txt
for form in pprof speedscope firefox chrome otlp; do
	case $form in pprof | otlp) name=profile.$form ;; *) name=profile.$form.json ;; esac
	stkcat -q -f $form -o "$name" other.stk
done
mv other.stk other
stkcat -q --mask all: --mask-key mask.key -o masked.stk dumps-orders.stk
mv masked.stk masked
awk 'BEGIN { srand(3); print "time,name,value"; for (i = 0; i < 200; i++) printf "%d,heap.used,%.3f\n", 1772323200 + i * 60, 100 + rand() }' >metrics.csv
awk 'BEGIN { srand(5); print "time,used"; for (i = 0; i < 300; i++) printf "%d,%.1f\n", 1404691200 + i * 3600, 1000 + 10 * i / 24 + rand() }' >grows.csv
