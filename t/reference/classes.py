#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Segments and classes of stacks, slow and obvious: what stkclass must agree with.

    classes.py SEED COUNT     makes COUNT random sets of dumps, runs stkclass on each, and says where the two differ (status 1)

Two things are computed here, each in the plainest way: the leaves by their definition, which knows no order; and trees, signatures and counters by
taking one stack after another, with lists that are searched from end to end."""
import random, subprocess, sys

START, END = object(), object()


def leaves_by_definition(stacks):
    """f and g are neighbours in a leaf when f is always followed by g, and g always preceded by f; the ends of a stack are neighbours too."""
    after, before = {}, {}
    for stack in stacks:
        chain = [START, *stack, END]
        for f, g in zip(chain, chain[1:]):
            after.setdefault(f, set()).add(g)
            before.setdefault(g, set()).add(f)

    def joined(f, g):
        return after.get(f) == {g} and before.get(g) == {f} and f is not START and g is not END

    frames = {f for stack in stacks for f in stack}
    leaves = set()
    for f in frames:
        (b,) = before[f] if len(before[f]) == 1 else (None,)
        if b is not None and joined(b, f):
            continue                                    # not the first of its leaf
        leaf = [f]
        while len(after[leaf[-1]]) == 1 and joined(leaf[-1], next(iter(after[leaf[-1]]))):
            leaf.append(next(iter(after[leaf[-1]])))
        leaves.add(tuple(leaf))
    return leaves


class Node:
    def __init__(self, frames, parent=None):
        self.frames, self.parent, self.halves = list(frames), parent, None
        self.now = self.total = 0

    def below(self):
        yield self
        for half in self.halves or ():
            yield from half.below()


class Learner:
    def __init__(self):
        self.nodes, self.classes = [], {}               # classes: stack -> (signature, counts)

    def leaf_of(self, frame):
        return next((n for n in self.nodes if n.halves is None and frame in n.frames), None)

    def end_leaf(self, frame):
        """A leaf ends behind this frame."""
        leaf = self.leaf_of(frame)
        at = leaf.frames.index(frame) + 1
        if at == len(leaf.frames):
            return
        leaf.halves = [Node(leaf.frames[:at], leaf), Node(leaf.frames[at:], leaf)]
        for half in leaf.halves:
            half.now, half.total = leaf.now, leaf.total
            self.nodes.append(half)

    def learn(self, stack):
        making, last = None, None
        for frame in stack:
            leaf = self.leaf_of(frame)
            if leaf is None:
                if making is None:
                    if last is not None:
                        self.end_leaf(last)
                    making = Node([])
                    self.nodes.append(making)
                making.frames.append(frame)
            else:
                making = None
                at = leaf.frames.index(frame)
                if at == 0 or leaf.frames[at - 1] != last:
                    if at > 0:
                        self.end_leaf(leaf.frames[at - 1])
                    if last is not None:
                        self.end_leaf(last)
            last = frame
        if last is not None:
            self.end_leaf(last)

    def parse(self, stack):
        signature, at = [], 0
        while at < len(stack):
            signature.append(self.leaf_of(stack[at]))
            at += len(signature[-1].frames)
            while len(signature) > 1 and signature[-1].parent is not None and signature[-1].parent.halves == signature[-2:]:
                signature[-2:] = [signature[-1].parent]
        return signature

    def dump(self, stacks):
        for node in self.nodes:
            node.now = 0
        for known in self.classes.values():
            known[1] = 0
        for stack in stacks:
            if stack not in self.classes:
                self.learn(stack)
                self.classes[stack] = [self.parse(stack), 0, 0]
            known = self.classes[stack]
            known[1] += 1
            known[2] += 1
            for node in {id(n): n for top in known[0] for n in top.below()}.values():
                node.now += 1
                node.total += 1


def table(command, *arguments, given=None):
    out = subprocess.run(["stkclass", "-q", "-f", "tsv", *command], input=given, stdout=subprocess.PIPE, check=True).stdout.decode()
    head, *rows = out.splitlines()
    return [dict(zip(head.split("\t"), row.split("\t"))) for row in rows]


def stream_of(dumps):
    lines = []
    for number, dump in enumerate(dumps):
        lines.append("@%d" % (1772355600 + 20 * number))
        lines += [";".join(stack) + " 1" for stack in dump]
    return subprocess.run(["stkcap", "-q", "--format", "folded-dumps", "-"], input="\n".join([*lines, ""]).encode(), stdout=subprocess.PIPE, check=True).stdout


def differences(dumps):
    """What stkclass says of these dumps that is not so."""
    learner = Learner()
    for dump in dumps:
        learner.dump(dump)
    stacks = [stack for dump in dumps for stack in dump]
    stream = stream_of(dumps)
    segments = table(["--segments"], given=stream)
    classes = table([], given=stream)
    number = {id(node): str(i + 1) for i, node in enumerate(learner.nodes)}

    wanted = [(";".join(n.frames), str(n.now), str(n.total), *(number[id(h)] for h in n.halves or ())) for n in learner.nodes]
    got = [(s["frames"], s["now"], s["total"], *([s["first"], s["second"]] if s["first"] != "0" else [])) for s in segments]
    if wanted != got:
        yield "segments are %s, expected %s" % (got, wanted)
    leaves = {tuple(s["frames"].split(";")) for s in segments if s["first"] == "0"}
    if leaves != leaves_by_definition(stacks):
        yield "leaves are %s, expected %s" % (sorted(leaves), sorted(leaves_by_definition(stacks)))
    for leaf in (s for s in segments if s["first"] == "0"):
        frames = leaf["frames"].split(";")
        holding = sum(set(frames) <= set(stack) for stack in stacks)
        if int(leaf["total"]) != holding:
            yield "leaf %s counts %s, and %d stacks hold it" % (leaf["frames"], leaf["total"], holding)

    by_name = {s["name"]: s["frames"].split(";") for s in segments}
    restored = sorted((sum((by_name[name] for name in c["signature"].split()), []), int(c["now"]), int(c["total"])) for c in classes)
    expected = sorted((list(stack), known[1], known[2]) for stack, known in learner.classes.items())
    if restored != expected:
        yield "classes are %s, expected %s" % (restored, expected)

    tree = table(["--tree"], given=stream)
    open_rows = []                                      # the way from the root to the row at hand
    for row in tree:
        del open_rows[int(row["depth"]) - 1:]
        if open_rows:
            open_rows[-1]["below"] += int(row["total"])
        open_rows.append(row)
        row["below"] = 0
    for row in tree:
        if int(row["total"]) != int(row["own"]) + row["below"]:
            yield "%s counts %s, its subclasses %d and itself %s" % (row["frames"], row["total"], row["below"], row["own"])


def random_dumps(rng):
    frames = rng.randrange(2, 14)
    few = rng.randrange(1, 4)
    stacks = [tuple("f%d" % (rng.randrange(frames) if rng.random() < .7 else rng.randrange(min(few, frames))) for _ in range(rng.randrange(1, 10)))
              for _ in range(rng.randrange(1, 12))]
    return [[rng.choice(stacks) for _ in range(rng.randrange(1, 6))] for _ in range(rng.randrange(1, 6))]


def main():
    rng, bad = random.Random(int(sys.argv[1])), 0
    for number in range(int(sys.argv[2])):
        dumps = random_dumps(rng)
        for difference in differences(dumps):
            print("set %d: %s\n  of %s" % (number, difference, dumps))
            bad += 1
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
