#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# follow_replay: streams of many sorts, one after another in one pipe, cut anywhere, go to `stktree --follow` in random pieces; now and then it is killed,
# and started again with all of its input. At random moments each report on its tree is compared with that on a tree of what it was given by then.
#
#   follow_replay.py SEED RUNS STREAM...
#
# Status 1 and a line for people on what differs; the last line of the output counts what was done. The numbers of a run follow from SEED alone.

import os
import random
import subprocess
import sys
import time

import follow
from follow import Differs

DEFINITIONS = set(range(1, 8))

thinned = []


# Windows: some are where many streams are, some around where a stream begins or ends.
def windows(rng):
    out = [[], ["--window", "@1700000000.5..@1700000003", "--window", "@1700000002..@1700000100.25"]]
    for begin, end in ((1699999999, 1700000110), (1000, 1012), (1772355600, 1772359600)):
        a, b = sorted(begin + rng.random() * (end - begin) for _ in range(2))
        if any("thin" in name for name in sys.argv):
            # a window that cuts a thinned interval gets an estimate, which depends on the nodes that a tree happens
            # to have: t/5161 holds estimates to their bounds, here answers must be equal
            a, b = int(a) * 1.0, int(b) + 0.999
        out.append(["--from", "@%.3f" % a, "--to", "@%.3f" % (b + 0.001)])
    return out


# What a report says. Of stacks of which none has a class there is no report on classes: that is an answer too.
def report_of(command):
    try:
        return sorted(follow.output_of(command, (0, 1)).splitlines())
    except Differs as why:
        if "classes" in command and "status 2: stktree: no stack of %s has a class: " % command[-1] in str(why):
            return [b"no stack has a class"]
        raise


# Every report on some windows, as (the command, what it says). Rows of equal weight are in any order.
def reports(tree, rng_state):
    rng = random.Random(rng_state)
    out = []
    for window in windows(rng):
        for form in (["-f", "folded"], ["-f", "folded", "--by", "source,thread"], ["-f", "folded", "--event", "all", "--samples"],
                     ["-f", "tsv", "--report", "flat"], ["-f", "tsv", "--report", "tree", "--by", "none"], ["-f", "tsv", "--report", "paths"],
                     ["-f", "tsv", "--report", "pools"], ["-f", "folded", "--thread", "worker-[12]"], ["-f", "folded", "--grep", "f3|g1"]):
            if rng.random() < 0.5:
                continue
            command = ["stktree", "-q", *form, *window, tree]
            out.append((" ".join(command[2:-1]), report_of(command)))
    command = ["stkcat", "-q", "-f", "tsv", "--only", "sample", tree]
    rows = follow.output_of(command, (0, 1)).splitlines()
    out.append(("the samples", sorted(b"\t".join(c for i, c in enumerate(row.split(b"\t")) if i != 6) for row in rows)))
    command = ["stkcat", "-q", "-f", "ndjson", "--only", "metric,event,counter,dump,deadlock,note", tree]
    out.append(("the other rows", sorted(strip_ids(row) for row in follow.output_of(command, (0, 1)).splitlines())))
    return out


# A row without the number of its dump, which depends on what was defined before.
def strip_ids(row):
    return b",".join(part for part in row.split(b",") if not part.startswith((b'"id":', b'"dump":')))


# How many rows there are of kinds that are not definitions, but for those of trees.
def rows_that_count(blocks):
    return {kind: rows for kind, rows in follow.rows_of(blocks).items() if kind not in DEFINITIONS}


# Waits until the tree has the rows that another one has.
def wait_for_rows(process, tree, wanted):
    begun, have, before = time.monotonic(), None, None
    while time.monotonic() - begun < follow.PATIENCE_S:
        data = follow.content(tree)
        blocks = follow.blocks_of(data) if data != before else []
        before = data
        if blocks and blocks[-1][0] == follow.END and blocks[-1][3] == len(data):
            have = rows_that_count(blocks)
            if have == wanted and follow.content(tree) == data:
                return data
        if process.poll() is not None:
            break
        time.sleep(0.005)
    raise Differs("no commit has %s; the tree has %s" % (wanted, have))


# Compares a tree with one of the same input.
def compare(tree, data, rng, what):
    with open("given.stk", "wb") as f:
        f.write(data)
    follow.output_of(["stktree", "-q", "-o", "built.tree", "given.stk"], (0, 1))
    state = rng.random()
    for (of, got), (_, wanted) in zip(reports(tree, state), reports("built.tree", state)):
        if got != wanted:
            less, more = sorted(set(wanted) - set(got)), sorted(set(got) - set(wanted))
            raise Differs("%s: %s: %d lines, expected %d; missing %r, in vain %r" % (what, of, len(got), len(wanted), less[:2], more[:2]))


# Whether a tree of these bytes is refused: counts of thinned samples cannot be those of another event.
def is_refused(data):
    with open("given.stk", "wb") as f:
        f.write(data)
    done = subprocess.run(["stktree", "-q", "-o", "built.tree", "given.stk"], stderr=subprocess.PIPE)
    return done.returncode == 2 and b"thinned to counts of event" in done.stderr


# Whether a tree of these bytes is what follows: nodes of an input's tree count when its stream is over.
def may_look(blocks):
    return not blocks or blocks[-1][0] not in follow.TREE_KINDS + (follow.INDEX, follow.END)


# Streams one after another; one in three is cut, or comes again. A thinned tree comes once: of counts that a tree has
# nobody knows how often they came.
def input_of(rng, streams):
    chosen = [rng.choice(streams) for _ in range(rng.randint(1, 5))]
    if rng.random() < 0.3:
        chosen.append(chosen[0])
    chosen = [s for i, s in enumerate(chosen) if s not in thinned or s not in chosen[:i]]
    data = b""
    for stream in chosen:
        data += stream[:rng.randrange(len(stream))] if rng.random() < 0.15 else stream
    return data


# What a tree cannot be built of, it cannot grow by either.
def must_refuse(data):
    process = follow.start("t.tree", [])
    try:
        follow.feed(process, data)
        process.stdin.close()
    except (Differs, BrokenPipeError):
        pass
    if process.wait() != 2:
        raise Differs("what cannot be built is followed with status %d" % process.returncode)


# One run; how often it was looked at, and how often killed.
def run(rng, streams):
    data = input_of(rng, streams)
    blocks = follow.blocks_of(data)         # up to the first cut: there it is looked at
    looks = kills = at = 0
    end = blocks[-1][3] if blocks else 0
    follow.remove("t.tree")
    if is_refused(data):
        must_refuse(data)
        return 1, 0
    options = ["--leaf", str(rng.choice((1, 20, 300)))] + (["--split-by", "samples"] if rng.random() < 0.3 else [])
    process = follow.start("t.tree", options)
    for cut in sorted({rng.randrange(1, len(data)) for _ in range(rng.randint(1, 8))} | {len(data)}):
        follow.feed(process, data[at:cut])
        at = cut
        whole = [b for b in blocks if b[3] <= cut]
        chance = rng.random()
        if chance < 0.4 and whole and may_look(whole) and cut < end:
            given = data[:whole[-1][3]]
            with open("given.stk", "wb") as f:
                f.write(given)
            follow.output_of(["stktree", "-q", "-o", "built.tree", "given.stk"], (0, 1))
            seen = wait_for_rows(process, "t.tree", rows_that_count(follow.blocks_of(follow.content("built.tree"))))
            with open("seen.tree", "wb") as f:
                f.write(seen)
            compare("seen.tree", given, rng, "at byte %d" % cut)
            looks += 1
        elif chance < 0.55:
            time.sleep(rng.random() * 0.01)
            process.kill()
            process.stdin.close()
            process.wait()
            process, kills = follow.start("t.tree", options), kills + 1
            follow.feed(process, data[:cut])
        else:
            time.sleep(rng.choice((0, 0, 0.002, 0.01)))
            if os.path.exists("t.tree"):
                follow.output_of(["stktree", "-q", "-f", "folded", "t.tree"], (0, 1))
    process.stdin.close()
    if process.wait() not in (0, 1):
        raise Differs("stktree ended with status %d" % process.returncode)
    compare("t.tree", data, rng, "at the end, after %d kills" % kills)
    return looks + 1, kills


# The command.
def main(args):
    seed, runs, streams = int(args[0]), int(args[1]), [follow.content(name) for name in args[2:]]
    thinned.extend(stream for name, stream in zip(args[2:], streams) if "thin" in name)
    looks = kills = 0
    for number in range(seed, seed + runs):
        try:
            more = run(random.Random(number), streams)
        except Differs as why:
            print("follow_replay: run %d: %s (%s)" % (number, why, os.getcwd()))
            sys.exit(1)
        looks, kills = looks + more[0], kills + more[1]
    print("%d runs, %d looks, %d kills" % (runs, looks, kills))


main(sys.argv[1:])
