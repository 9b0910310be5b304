# SPDX-License-Identifier: MIT
"""Comparisons of several random files and windows per side, against rows that stkcat prints, counted here:
random_sides.py SEED TIMES FILE... Prints what differs; status 1 if anything does."""
import collections, random, subprocess, sys

chance = random.Random(int(sys.argv[1]))
FILES = sys.argv[3:]


def lines_of(*command):
    did = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if did.returncode not in (0, 1):
        sys.exit("status %d: %s: %s" % (did.returncode, " ".join(command), did.stderr))
    return did.stdout.splitlines()


def rows_of(path):
    """When, in milliseconds, and which functions, of each sample."""
    lines = lines_of("stkcat", "-q", "-f", "tsv", "--only", "sample", path)
    names = lines[0].split("\t")
    rows = [dict(zip(names, line.split("\t"))) for line in lines[1:]]
    return [(round(float(row["time"].lstrip("@")) * 1000), tuple(row["stack"].split(";"))) for row in rows]


ROWS = {path: rows_of(path) for path in FILES}
LAST = 1 + max(at for rows in ROWS.values() for at, _ in rows)


def random_window():
    a, b = sorted(chance.sample(range(LAST), 2))
    return chance.choice([(a, b), (a, b), (a, LAST), (0, b)])


def typed(window):
    a, b = window
    return ("@%.3f" % (a / 1000) if a > 0 else "") + ".." + ("@%.3f" % (b / 1000) if b < LAST else "")


def random_side():
    """Words of the command, and what they mean."""
    files = chance.sample(FILES, chance.randint(1, 3))
    windows = [random_window() for _ in range(chance.randint(0, 3))]
    words, left = list(files), [typed(w) for w in windows]
    while left:                                         # in one word with commas, or in several
        n = chance.randint(1, len(left))
        words.append(",".join(left[:n]))
        left = left[n:]
    return words, files, windows or [(0, LAST)]


def count(files, windows):
    """Samples by stack, by function, and by function with what it calls; those in two windows once."""
    stacks, own, total, whole = collections.Counter(), collections.Counter(), collections.Counter(), 0
    for path in files:
        for at, stack in ROWS[path]:
            if any(a <= at < b for a, b in windows):
                whole += 1
                stacks[";".join(stack)] += 1
                own[stack[-1]] += 1
                total.update(set(stack))
    return stacks, own, total, whole


def share(part, whole):
    return part / whole if whole else 0


def wrong_rows(lines, sides, report):
    """Rows that do not say what was counted; a report names only what is on a side that it compares."""
    a, b = sides
    wrong, seen = [], set()
    for line in lines:
        cells = line.split("\t")
        if report == "paths":
            want = [share(s[0][cells[0]], s[3]) for s in sides]
        else:
            want = [share(s[n][cells[0]], s[3]) for n in (1, 2) for s in sides]
        seen.add(cells[0])
        want.append(want[1] - want[0] if a[3] and b[3] else 0)      # of nothing there is no share
        if any(abs(float(cell) - one) > 1e-9 for cell, one in zip(cells[1:], want)):
            wrong.append(line)
    missing = set(+(a[0] + b[0]) if report == "paths" else +(a[2] + b[2])) - seen
    return wrong + sorted(missing)


def compare(number):
    report = chance.choice(["paths", "flat"])
    first, others = random_side(), [random_side() for _ in range(chance.randint(1, 2))]
    window = chance.choice([None, None, random_window()])    # of those that have none: the first has no other way
    first = (first[1], first[1], [window or (0, LAST)])
    command = ["stktree", "-q", "-f", "tsv", "--exact", "--by", "none", "--report", report]
    for option, moment in zip(("--from", "--to"), typed(window or (0, LAST)).split("..")):
        command += [option, moment] if moment else []
    command += first[0]
    for words, files, windows in others:
        command += ["--diff"] + words
    want_first = count(*first[1:])
    lines = lines_of(*command)[1:]
    for words, files, windows in others:
        of = count(files, windows if len(words) > len(files) else first[2])
        rows = [line for line in lines if len(others) == 1 or line.split("\t")[0] == " ".join(words)]
        rows = rows if len(others) == 1 else [line.split("\t", 1)[1] for line in rows]
        wrong = wrong_rows(rows, (want_first, of), report)
        if wrong:
            print(number, " ".join(command), "|", "; ".join(wrong[:3]))
            return False
    return True


sys.exit(not all([compare(number) for number in range(int(sys.argv[2]))]))
