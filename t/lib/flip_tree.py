#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# flip_tree: damages one byte of a tree after another, and asks it for reports under conditions; each answer must be that of the whole tree, or the report
# says what it could not read and ends with status 1, or 3 where there is nothing to report.
#
#   flip_tree.py TREE STEP SEED WINDOW PATTERN     each STEP-th byte; the last one counts what was asked

import random
import subprocess
import sys

CONDITIONS = ([], ["--thread", "web"], ["--state", "running"], ["--process", "web"], ["--where", 'stack =~ "g1|wait"'], ["--event", "all", "--samples"], ["--running"])
REPORTS = (["-f", "folded"], ["-f", "folded", "--by", "thread"], ["-f", "text", "--report", "flat"], ["-f", "tsv", "--report", "callers", "--function", "f1"],
           *(["-f", "tsv", "--report", report] for report in ("tree", "flat", "paths", "classes", "groups", "pools")))


# Status, output and messages of a report, in which the name of the tree is always the same.
def ask(path, question):
    done = subprocess.run(["stktree", *question, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stdout.replace(path.encode(), b"TREE"), done.stderr.replace(path.encode(), b"TREE").splitlines()


# Why an answer is wrong; none if it is not.
def fault(got, wanted):
    news = [line for line in got[2] if line not in wanted[2]]
    if got[1] == wanted[1] and (got[0] == wanted[0] or got[0] == 1 and news):
        return None
    if news and (got[0] == 1 or got[0] == 3 and not got[1]):
        return None
    return "status %d, expected %d; said %r" % (got[0], wanted[0], b"; ".join(got[2])[-300:])


# The command.
def main(tree, step, seed, window, pattern):
    rng, whole, answers = random.Random(int(seed)), open(tree, "rb").read(), {}
    asked = repaired = wrong = 0
    for at in range(rng.randrange(int(step)), len(whole), int(step)):
        bad = bytearray(whole)
        bad[at] ^= rng.randrange(1, 256)
        with open("flipped.tree", "wb") as f:
            f.write(bad)
        for condition in rng.sample((*CONDITIONS, ["--grep", pattern]), 3):
            question = (*rng.choice(REPORTS), *condition, *rng.choice(([], ["--window", window])))
            if question not in answers:
                answers[question] = ask(tree, question)
            got, asked = ask("flipped.tree", question), asked + 1
            repaired += got[:2] == (1, answers[question][1]) and answers[question][0] == 0
            why = fault(got, answers[question])
            if why:
                wrong += 1
                print("byte %d: %s: %s" % (at, " ".join(question), why))
    print("%d asked, %d wrong, %d answered in spite of the damage" % (asked, wrong, repaired))
    sys.exit(wrong > 0 or repaired == 0)


main(*sys.argv[1:])
