# SPDX-License-Identifier: MIT
# strace_truth: what strace saw, known without reading its lines as stkcap does.
#	strace_truth.py make SEED TEXT ROWS	writes a random output of strace -f -ttt -T, and the events that it is made of
#	strace_truth.py calls SUMMARY		the calls and errors of each name, of the table of strace -C
# Rows: microseconds, thread, happening, name, error or bytes, with tabs between.
import random
import re
import sys

BYTES = ["read", "write", "recvfrom", "sendto", "pread64"]
OTHERS = ["openat", "close", "futex", "mmap", "ioctl", "wait4"]
ERRORS = ["EAGAIN (Resource temporarily unavailable)", "ENOENT (No such file or directory)", "EINTR (Interrupted system call)"]
# what a careless reader takes for the end of a call
ARGUMENTS = ['3', '"a\\"b) = 5 <0.000001>"', '{st_mode=S_IFREG|0644, st_size=10}', '[{iov_base="x, (", iov_len=2}]',
             '"<unfinished ...>"', 'NULL', '0x7ffd12 /* 3 vars */', '"\\n= -1 E"']


def result(rng, name):
    if rng.random() < 0.25:
        error = rng.choice(ERRORS)
        return "-1 " + error, "error:" + error.split()[0]
    if name in BYTES:
        count = rng.randrange(0, 100000)
        return str(count), "bytes=%dB" % count
    if name == "mmap":
        return "0x7f%06x" % rng.randrange(1 << 24), ""
    return str(rng.randrange(0, 9)), ""


def make(seed):
    rng = random.Random(seed)
    now, lines, rows = 1700000000000000, [], []
    waiting = {}            # by thread: the name of its interrupted call and when it began
    for _ in range(400):
        now += rng.randrange(1, 5000)
        thread = rng.choice([41, 42, 1234567])
        head = "%-5d %d.%06d " % (thread, now // 1000000, now % 1000000)
        if thread in waiting:
            name, since = waiting.pop(thread)
            text, about = result(rng, name)
            lines.append("%s<... %s resumed>%s) = %s <%.6f>" % (head, name, rng.choice(["", ", 8", ' "q"']), text, (now - since) / 1e6))
            rows.append((now, thread, "stop", name, about))
            continue
        name = rng.choice(BYTES + OTHERS)
        given = ", ".join(rng.choice(ARGUMENTS) for _ in range(rng.randrange(0, 4)))
        rows.append((now, thread, "start", name, ""))
        if rng.random() < 0.2:
            waiting[thread] = name, now
            lines.append("%s%s(%s <unfinished ...>" % (head, name, given + "," if given else ""))
            continue
        text, about = result(rng, name)
        took = rng.randrange(0, 900)
        lines.append("%s%s(%s)%s= %s <%.6f>" % (head, name, given, " " * rng.randrange(1, 12), text, took / 1e6))
        rows.append((now + took, thread, "stop", name, about))
    return lines, sorted(rows)


def summary(path):
    for line in open(path):
        found = re.match(r" *[\d.]+ +[\d.]+ +\d+ +(\d+) +(\d*) *(\w+)$", line)
        if found and found.group(3) != "total":
            print(found.group(3), found.group(1), found.group(2) or 0, sep="\t")


if sys.argv[1] == "make":
    made_lines, made_rows = make(int(sys.argv[2]))
    open(sys.argv[3], "w").writelines(line + "\n" for line in made_lines)
    open(sys.argv[4], "w").writelines("\t".join(map(str, row)) + "\n" for row in made_rows)
else:
    summary(sys.argv[2])
