#!/bin/sh
# SPDX-License-Identifier: MIT
# A tree with a damaged byte answers as the samples do, or says what is lost: wherever the byte is, and whatever the window.
# FLIP_STEP=1 damages each byte of the small trees; FLIP_SEED=2 others, and in other ways.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

# stacks of a.b.., one each millisecond, some of them often
awk 'BEGIN { for (i = 0; i < 2000; i++) {
	printf "t%d %d/%d [000] %.6f: 1 cycles:\n", i % 3, 10 + i % 3, 10 + i % 3, 1 + i / 333
	for (d = 6; d > 0; d--) printf "\t7f0%d f%d_%d (/bin/x)\n", d, d, (i * i) % (d * 2 + 3)
	print "" } }' | stkcap -q --format perf-script -o day.stk -
stktree -q --leaf 50 -o day.tree day.stk
cat >damage.py <<'X'
import random, subprocess, sys

random.seed(5)
tree = open("day.tree", "rb").read()

def answer(path, window):
    run = subprocess.run(["stktree", "-f", "folded", "--stats", path] + window, capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr

def window():
    a, b = sorted(random.sample(range(1000, 7000), 2))
    return ["--window", "@%.3f..@%.3f" % (a / 1000, b / 1000)]

def total(folded):
    return sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines())

wrong = repaired = lost = 0
for n in range(int(sys.argv[1])):
    w = random.choice([[], window(), window() + window()])
    at = random.randrange(len(tree)) if n % 2 else random.randrange(len(tree) * 6 // 10, len(tree))
    bad = bytearray(tree)
    bad[at] ^= 1 << random.randrange(8)
    open("bad.tree", "wb").write(bad)
    good = answer("day.stk", w)[1]
    status, out, err = answer("bad.tree", w)
    said = "are lost" in err or "does not define" in err
    if status not in (0, 1) or (out != good and not (status == 1 and said)):
        wrong += 1
        print("byte %d %s: status %d, %d of %d samples: %s" % (at, w, status, total(out), total(good), err))
    repaired += out == good and status == 1
    lost += out != good
print("# %d answered in spite of the damage, %d in part" % (repaired, lost))
sys.exit(wrong > 0 or repaired == 0)
X
check 'one flipped bit: the same answer, or what is lost is reported with status 1' '
	python3 damage.py "${DAMAGES-30}"
'
check 'nodes that cannot be read: the samples are counted, and a count of nodes is reported once' '
	python3 - <<-"X"
	import subprocess
	tree = open("day.tree", "rb").read()
	good = subprocess.run(["stktree", "-q", "-f", "folded", "day.stk"], capture_output=True).stdout
	found = 0
	for at in range(0, len(tree), 97):      # the block of nodes is somewhere
	    bad = bytearray(tree)
	    bad[at] ^= 0x41
	    open("bad.tree", "wb").write(bad)
	    run = subprocess.run(["stktree", "-f", "folded", "bad.tree"], capture_output=True)
	    if b"the samples were counted instead" in run.stderr:
	        found += 1
	        assert run.stdout == good and run.returncode == 1, at
	        assert run.stderr.count(b"the samples were counted instead") == 1, run.stderr
	        assert run.stderr.count(b"\n") <= 3, run.stderr
	    if found == 5:
	        break
	assert found > 0
	X
'
check 'of a thinned tree what only its nodes knew is reported as lost, with its times' '
	stktree -q --leaf 50 --thin 3s:raw,1d:1s -o thin.tree day.stk
	stktree -q -f folded thin.tree >good
	python3 - <<-"X"
	import re, subprocess
	tree = open("thin.tree", "rb").read()
	good = subprocess.run(["stktree", "-q", "-f", "folded", "thin.tree"], capture_output=True).stdout
	lost = 0
	for at in range(0, len(tree), 97):
	    bad = bytearray(tree)
	    bad[at] ^= 0x41
	    open("bad.tree", "wb").write(bad)
	    run = subprocess.run(["stktree", "-f", "folded", "--stats", "bad.tree"], capture_output=True, text=True)
	    if run.stdout.encode() == good:
	        continue
	    assert run.returncode == 1, (at, run.stderr)
	    assert "are lost" in run.stderr or "does not define" in run.stderr, (at, run.stderr)
	    if "damaged node" in run.stderr:
	        lost += 1
	        assert "coverage unknown" in run.stderr and re.search("samples from .* to .* are lost", run.stderr), run.stderr
	assert lost > 0
	X
'
# 200 samples of two events and two processes, with classes and groups
cat >scheme.yaml <<'END'
scheme: flips
siblings:
  - { name: few, members: ['f0', 'f1'] }
  - { name: others, members: ['f2', 'f3'] }
END
awk 'BEGIN { srand(3); for (i = 0; i < 200; i++) { w = int(rand() * rand() * 9); e = i % 100 > 0 && rand() < 0.2
	printf "%s 10/%d [000] %.6f: %d %s: \n\t1 f%d (app)\n\t2 g%d (app)\n\t3 main (app)\n\n", w % 2 ? "web" : "db", 10 + w % 2, 1000 + i / 50 + (i % 7) / 1000, e ? 3 : 7, e ? "instructions" : "cycles", w, w % 3 } }' |
	stkcap -q --format perf-script - | stkclass -q | stkgroup -q -s scheme.yaml >small.stk
stktree -q --leaf 40 --split 3 --by default --by thread -o small.tree small.stk
stktree -q --thin 2s:raw,100s:1s -o thin.small.tree small.tree
stktree -q --leaf 40 --split 3 --keep-percent 80 -o approx.small.tree small.stk
for tree in small thin.small approx.small; do
	check "one damaged byte of $tree.tree: each report answers as of the whole tree, under each condition, or says what it could not read" '
		python3 "$t/lib/flip_tree.py" $tree.tree "${FLIP_STEP:-97}" "${FLIP_SEED:-1}" @1000.9..@1002.4 "f1|g2"'
done
check 'the index tells what is in blocks: when it is damaged, blocks are not left out for it' '
	python3 - "$t/lib" <<-"X"
	import subprocess, sys
	sys.path.insert(0, sys.argv[1])
	import follow
	tree = open("small.tree", "rb").read()
	kind, rows, begin, end = [b for b in follow.blocks_of(tree) if b[0] == follow.INDEX][0]
	for question in (["--thread", "web"], ["--event", "instructions"], ["--thread", "db", "--from", "@1001"], ["--grep", "f1"]):
	    ask = lambda path: subprocess.run(["stktree", "-q", "-f", "folded", *question, path], capture_output=True)
	    good = ask("small.stk").stdout
	    assert good, question
	    for at in range(begin, end, 24):
	        open("flipped.tree", "wb").write(tree[:at] + bytes([tree[at] ^ 0x55]) + tree[at + 1:])
	        got = ask("flipped.tree")
	        assert got.stdout == good and got.returncode == 1 and got.stderr, (at, question, got)
	X
'
check 'samples that are damaged: the part of the window that they were in is named, and the coverage is not known; whole nodes are answered by counts' '
	python3 - "$t/lib" <<-"X"
	import sys
	sys.path.insert(0, sys.argv[1])
	import follow
	tree = open("small.tree", "rb").read()
	at = [b for b in follow.blocks_of(tree) if b[0] == follow.SAMPLE][0][3] - 40
	open("torn.tree", "wb").write(tree[:at] + bytes([tree[at] ^ 0x55]) + tree[at + 1:])
	X
	stktree -q -f folded small.tree >want 2>/dev/null
	stktree -f folded --stats torn.tree 2>said | same want - && grep "coverage 100%" said
	status 1 stktree -f folded --stats --window @1001..@1003 torn.tree 2>said >got && grep "coverage unknown" said
	sed -n "s/.*samples from @\([0-9.]*\) to @\([0-9.]*\) are lost/\1 \2/p" said >lost
	test -s lost && awk "\$1 < 1001 || \$2 > 1003 || \$1 > \$2 { exit 1 }" lost
	test "$(sort -u lost | wc -l)" -eq "$(wc -l <lost)"
	status 1 stktree -q -f tsv --step 1s --window @1001..@1003 torn.tree 2>said >got
'
finish
