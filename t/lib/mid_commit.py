#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A commit of which a part is in the file: mid_commit.py BEFORE AFTER TREE SEED. TREE is written as stktree --follow
writes it, from BEFORE to AFTER, and stops at random places; a filter that comes then has to answer as of one of both,
with status 0, and without a word on damage. The locks are those of file_end and of the follower."""
import fcntl, os, random, struct, subprocess, sys, time

OFD_SETLK = 37
ASKS = (["stktree", "-f", "folded"], ["stktree", "-f", "tsv", "--report", "flat", "--from", "@1700000001.2"], ["stktree", "-f", "folded", "--thread", "worker-[12]"],
        ["stkcat", "-f", "folded"], ["stkcat", "-f", "tsv", "--only", "sample", "--from", "@1700000001.2"], ["stkclass", "-f", "tsv"])


def lock_end(fd, kind):
    fcntl.fcntl(fd, OFD_SETLK, struct.pack("hhqqi4x", kind, os.SEEK_SET, 2**63 - 2, 1, 0))


def answer_of(done):
    out, said = done.communicate()
    said = [line for line in said.decode().split("\n") if line and "still being written" not in line and " dumps; " not in line and "CPU" not in line]
    return done.returncode, out, said


def start(command, path):
    return subprocess.Popen([*command, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


before, after = (open(name, "rb").read() for name in sys.argv[1:3])
rng = random.Random(int(sys.argv[4]))
same = next(i for i in range(len(before)) if before[i] != after[i])
asked = 0
for command in ASKS:
    wanted = [answer_of(start(command, name)) for name in sys.argv[1:3]]
    for _ in range(4):
        cut = rng.randrange(same + 1, len(after))
        with open(sys.argv[3], "wb") as file:
            file.write(after[:cut] + before[cut:])
        with open(sys.argv[3], "r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            lock_end(file.fileno(), fcntl.F_WRLCK)
            reader = start(command, sys.argv[3])
            time.sleep(rng.random() * 0.05)         # whenever the reader comes, it finds a part of a commit, or all of it
            os.pwrite(file.fileno(), after[cut:], cut)
            lock_end(file.fileno(), fcntl.F_UNLCK)
            got = answer_of(reader)
        if got not in wanted:
            sys.exit("%s: at byte %d: status %d, %d bytes; %s" % (" ".join(command), cut, got[0], len(got[1]), got[2][:3]))
        asked += 1
print("%d answers" % asked)
