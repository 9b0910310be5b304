#!/bin/sh
# SPDX-License-Identifier: MIT
# A live capture with --keep that is killed at any moment: what was in its files is there, and --keep removes the oldest whole files only.
# STK_KILLS=300 kills it so many times.
. "${0%/*}/lib/tap.sh"

have python3 || skip_all 'no python3'
cat >kills.py <<'END_OF_PYTHON'
import glob, os, random, signal, subprocess, sys, time

kills, keep, dump = int(sys.argv[1]), 6, sys.argv[2]
random.seed(kills)
command = ["stkcap", "--exec", "cat " + dump, "--every", "10ms", "--budget", "0", "--max-size", "9k", "--keep", str(keep), "-o", "c-%Y.stk"]
devnull = open(os.devnull, "w")


def order(path):
    return os.stat(path).st_mtime_ns


def events(path):
    """The times of a file's dumps that can be read, with the event and how many threads each has."""
    out = subprocess.run(["stkcat", "-q", "-f", "tsv", "--only", "dump", path], stdout=subprocess.PIPE, stderr=devnull, text=True)
    assert out.returncode in (0, 1), out.returncode
    rows = [line.split("\t") for line in out.stdout.splitlines()[1:]]
    return [(row[1], row[3], row[6]) for row in rows]


def look():
    files = {}
    for path in sorted(glob.glob("c-*.stk"), key=order):
        files[os.stat(path).st_ino] = (path, events(path), os.stat(path).st_size)
    return files


removed = dumps = most = 0
for number in range(kills):
    before = look()
    held = [open(path) for path, rows, size in before.values()]  # so that no new file gets the inode of one that goes
    open("mine-%d.stk" % (number % 3), "a").close()
    capture = subprocess.Popen(command, stdout=devnull, stderr=devnull)
    time.sleep(random.random() ** 2 * 0.6)
    capture.kill()
    assert capture.wait() == -signal.SIGKILL
    after = look()
    most = max(most, len(after))
    for age, (inode, (path, rows, size)) in enumerate(before.items()):
        if inode in after:
            if after[inode][1][:len(rows)] != rows:
                sys.exit("kill %d: %s had %d dumps, now %d, or others" % (number, path, len(rows), len(after[inode][1])))
        else:
            removed += 1
            # one that has room may be the one that was added to, which always stays
            left = [i for i in list(before)[:age] if i in after and after[i][2] == before[i][2] and before[i][2] >= 9 << 10]
            if left:
                sys.exit("kill %d: %s was removed, and an older one was not" % (number, path))
    if len([i for i in before if i not in after]) > 0 and len([i for i in after if after[i][2] > 0]) < keep - 1:  # of dumps there may be none: killed in its first write
        sys.exit("kill %d: more was removed than had to be: %d files are left" % (number, len(after)))
    for file in held:
        file.close()
    dumps += sum(len(after[i][1]) for i in after) - sum(len(before[i][1]) for i in before if i in after)
print("%d kills, %d dumps, %d files removed by --keep, at most %d at a time" % (kills, dumps, removed, most))
sys.exit(0 if dumps > 0 and most <= keep + 1 else 1)
END_OF_PYTHON
check 'killed at random moments: every dump that was there is there, and only the oldest files went' '
	python3 kills.py ${STK_KILLS:-12} "$t/data/orders.jstack.txt" >figures
	test -z "${STK_KILLS:-}" || cat figures >&4
	ls mine-*.stk
' 4>&2
check 'the next capture goes on, and all of it reads' '
	status 0 stkcap -q --exec "cat $t/data/orders.jstack.txt" --max-size 9k --keep 6 -o "c-%Y.stk"
	for file in c-*.stk; do stkcat -q -f tsv "$file" --only dump >/dev/null || test $? = 1; done
'
finish
