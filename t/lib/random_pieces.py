# SPDX-License-Identifier: MIT
"""One run against runs over random pieces of a random recording, whose call tree grows while levels change:
random_pieces.py FIRST [LAST]. For each seed the findings, the states and every view must be equal. Prints what differs;
status 1 if anything does. Works in the present directory."""
import os, random, subprocess, sys

BEGIN = 1772323200
VIEWS = ("", "--factors", "--forecast=6h", "--explain=*", "--alert=any", "--anomalies --all")


def run(command, given=None, may=(0, 1)):
    did = subprocess.run(command, shell=True, input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if did.returncode not in may:
        sys.exit("status %d: %s: %s" % (did.returncode, command, did.stderr.decode()[-500:]))
    return did.stdout.decode()


class Recording:
    """Folded stacks by dump. Stacks are added by leaving one of before anywhere, and levels change at any time."""

    def __init__(self, seed):
        chance = self.chance = random.Random(seed)
        self.step = chance.choice((1200, 1800, 3600))
        self.days = chance.choice((16, 18))
        self.count = self.days * 86400 // self.step
        self.stacks, self.levels, self.names = [["main", "run"]], [chance.uniform(1, 6)], 0
        self.hosts = chance.choice((1, 1, 2))
        self.dumps = []
        for _ in range(chance.randrange(4, 9)):
            self.add_stack()
        late = range(14 * 86400 // self.step, self.count)
        grows = sorted(chance.sample(late, chance.randrange(2, 9)))
        moves = sorted(chance.sample(late, chance.randrange(1, 5)))
        for i in range(self.count):
            if i in grows:
                self.add_stack()
            if i in moves:
                self.move()
            self.dumps.append([self.dump() for _ in range(self.hosts)])

    def name(self):
        self.names += 1
        return "f%d" % self.names

    def add_stack(self):
        of = self.chance.choice(self.stacks)
        at = self.chance.randrange(1, len(of) + 1)
        self.stacks.append(of[:at] + [self.name() for _ in range(self.chance.randrange(1, 5))])
        self.levels.append(self.chance.choice((.3, 2, 5, 12)))

    def move(self):
        """One place of the tree, and all that is called from there."""
        of = self.chance.choice(self.stacks)
        at, times = self.chance.randrange(1, len(of) + 1), self.chance.choice((.1, 2.5, 5))
        for i, stack in enumerate(self.stacks):
            if stack[:at] == of[:at]:
                self.levels[i] *= times

    def dump(self):
        lines = []
        for stack, level in zip(self.stacks, self.levels):
            threads = max(0, round(self.chance.gauss(level, level ** .5 / 3)))
            if threads:
                lines.append("%s %d\n" % (";".join(stack), threads))
        return "".join(lines)

    def text(self, first, end, host):
        return "".join("@%d\n%s" % (BEGIN + i * self.step, self.dumps[i][host]) for i in range(first, end))


def capture(recording, first, end, to):
    for host in range(recording.hosts):
        run("stkcap -q -f folded-dumps --source host-%d -o %s.%d -" % (host, to, host),
            recording.text(first, end, host).encode())
    run("stkcat -q --merge --sort -f stream %s >%s" % (" ".join("%s.%d" % (to, h) for h in range(recording.hosts)), to))


def take(name, by, options):
    return run("stkclass -q %s --resume %s.classes -f stream piece.stk | stktrend -q -f tsv --anomalies --all %s --resume"
               " %s.trends" % (by, name, options, name)).splitlines()[1:]


def differences(seed):
    for name in os.listdir("."):
        if name.split(".")[0] in ("whole", "pieces", "piece"):
            os.unlink(name)
    recording = Recording(seed)
    chance = random.Random(-seed)
    by = "" if recording.hosts == 1 or chance.random() < .3 else "--by source"
    options = "--periods %s --step %s" % (chance.choice(("none", "day", "day")), chance.choice(("15m", "1h", "4h")))
    capture(recording, 0, recording.count, "piece.stk")
    whole = sorted(take("whole", by, options))
    cuts = chance.sample(range(1, recording.count * 7 // 8), 2)
    cuts += chance.sample(range(recording.count * 7 // 8, recording.count), chance.randrange(2, 6))
    cuts = [0] + sorted(cuts) + [recording.count]
    pieces = []
    for first, end in zip(cuts, cuts[1:]):
        capture(recording, first, end, "piece.stk")
        pieces += take("pieces", by, options)
    pieces.sort()
    if pieces != whole:
        yield "findings: only in one run %r; only in pieces %r" % (
            [w for w in whole if w not in pieces][:3], [p for p in pieces if p not in whole][:3])
    for state in ("classes", "trends"):
        if open("whole." + state, "rb").read() != open("pieces." + state, "rb").read():
            yield "states: " + state
    for view in VIEWS:
        shown = [run("stktrend -q -f tsv %s --resume %s.trends %s </dev/null" % (options, name, view), may=(0, 1, 2, 4))
                 for name in ("whole", "pieces")]
        if shown[0] != shown[1]:
            yield "view " + view
    FOUND.append(len(whole))


FOUND = []
first = int(sys.argv[1])
bad = 0
for seed in range(first, 1 + int(sys.argv[2] if len(sys.argv) > 2 else first)):
    for text in differences(seed):
        print("seed %d: %s" % (seed, text))
        bad += 1
print("%d findings" % sum(FOUND), file=sys.stderr)
sys.exit(bad > 0)
