#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# append_kills: kill -9 for `stktree --append` at random moments, every other time while it writes. Then the tree answers as before, or as afterwards, no lock is left, and the next append
# makes it what it would have been.
#
#   append_kills.py OLD_TREE INPUT NEW_TREE SEED RUNS
#
# NEW_TREE is OLD_TREE with INPUT added. Status 1 and a line for people on what differs; the last line of the output counts how trees were left.

import os
import random
import shutil
import subprocess
import sys
import time

old, stream, new, seed, runs = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
chance = random.Random(seed)
TREE = "killed.tree"
QUESTIONS = (["stktree", "-q", "-f", "folded"], ["stktree", "-q", "-f", "folded", "--by", "thread"], ["stktree", "-q", "-f", "tsv", "--report", "flat"])


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr.decode()


def answers(tree):
    """What it says, and the worst status and what was complained of."""
    got = [run(*question, tree) for question in QUESTIONS]
    return [out for _, out, _ in got], max(status for status, _, _ in got), "".join(said for _, _, said in got)


def samples(tree):
    """Without the number of its dump, which depends on what was defined before."""
    rows = run("stkcat", "-q", "-f", "tsv", "--only", "sample", tree)[1].splitlines()
    return sorted(b"\t".join(cell for i, cell in enumerate(row.split(b"\t")) if i != 6) for row in rows)


def fail(number, moment, why):
    print("run %d, killed after %.4f s: %s" % (number, moment, why))
    sys.exit(1)


def killed_after(seconds, growth):
    """At a moment, or when the file has grown: while it is written to. False when it had ended."""
    process = subprocess.Popen(["stktree", "-q", "--append", TREE, stream], stderr=subprocess.DEVNULL)
    begun, size = time.monotonic(), os.stat(TREE).st_size
    while process.poll() is None:
        if os.stat(TREE).st_size >= size + growth if growth else time.monotonic() - begun >= seconds:
            process.kill()
            process.wait()
            return True
    return False


before, after, wanted = answers(old)[0], answers(new)[0], samples(new)
shutil.copy(old, TREE)
begun = time.monotonic()
subprocess.run(["stktree", "-q", "--append", TREE, stream], check=True)
whole = time.monotonic() - begun
left = {"as it was": 0, "in the middle of an addition, answering as before": 0, "with all that was added": 0, "not killed in time": 0}
for number in range(runs):
    shutil.copy(old, TREE)
    moment, growth = chance.random() * whole, number % 2 * chance.randrange(1, os.stat(new).st_size - os.stat(old).st_size)
    killed = killed_after(moment, growth)
    got, status, said = answers(TREE)
    if got == after:
        left["with all that was added" if killed else "not killed in time"] += 1
    elif got == before and status == 0:
        left["as it was"] += 1
    elif got == before and said:
        left["in the middle of an addition, answering as before"] += 1
    else:
        fail(number, moment, "status %d, neither the old tree nor the new one: %s" % (status, said[:300]))
    status, _, said = run("stktree", "-q", "--append", TREE, stream)
    if status > 1 or (status == 1 and not said):
        fail(number, moment, "the next append: status %d, %s" % (status, said[:300]))
    if answers(TREE) != (after, 0, "") or samples(TREE) != wanted or run("stkcat", "--check", TREE)[0] != 0:
        fail(number, moment, "after the next append it is not what it should be")
print("%d kills: %s" % (runs, ", ".join("%d %s" % (count, how) for how, count in left.items())))
