# SPDX-License-Identifier: MIT
"""Every way a tree comes to be, every report, every filter, against a scan: matrix.py SEED >results

The scan is of the recording's rows as `stkcat -f tsv` writes them, which are filtered and counted here, with nothing
of stktree. A line of the results is "good" or "bad", the way, the report, the filter and why. An answer is good when
it is equal; when every count is within the bounds that its row states, and what has no row within that of the row
"(left out)"; when it lacks exactly the samples of the interval that it says it cannot see; or, of a file that is
damaged, when it lacks some and says so: status 1, or a message. More than a scan counts is never good, but as an
estimate between bounds that is said to be one."""
import collections, random, re, subprocess, sys

chance = random.Random(int(sys.argv[1]))
NONE = "(no frames)"
LEFT_OUT = "(left out)"


class Answer:
    """Counts as a dictionary; between which bounds each is, where the table says it; and the row of what is left out."""
    def __init__(self):
        self.counts, self.low, self.high, self.left = collections.Counter(), {}, {}, {}
        self.comment, self.coverage = False, None

    def add(self, key, count, bounds=None):
        to = self.left if key.endswith(LEFT_OUT) else self.counts
        to[key] = to.get(key, 0) + int(count)
        if bounds is not None:
            self.low[key] = self.low.get(key, 0) + int(bounds[0])
            self.high[key] = self.high.get(key, 0) + int(bounds[1])


def rows_of(path):
    text = subprocess.run(["stkcat", "-q", "-f", "tsv", "--event", "all", "--only", "sample", path], stdout=subprocess.PIPE, check=True).stdout.decode()
    lines = text.split("\n")
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:] if line]


def nanoseconds(text):
    import datetime
    whole, _, part = text.strip("@Z").partition(".")
    if "T" in whole:
        whole = datetime.datetime.fromisoformat(whole + "+00:00").timestamp()
    return int(whole) * 10**9 + int((part + "000000000")[:9])


# --- filters: the options, and the same in Python ---

FILTERS = {
    "none": ([], lambda r: True),
    "thread": (["--thread", "^web"], lambda r: r["thread"].startswith("web")),
    "process": (["--process", "^10$|^-$"], lambda r: True),
    "state": (["--state", "waiting,unknown"], lambda r: r["state"] in ("waiting", "unknown")),
    "event": (["--event", "none"], lambda r: r["event"] == ""),
    "event-all": (["--event", "all"], lambda r: True),
    "grep": (["--grep", "f[0-3]|park"], lambda r: any(re.search("f[0-3]|park", f) for f in r["stack"].split(";"))),
    "invert": (["--grep", "f[0-3]|park", "--invert"], lambda r: not any(re.search("f[0-3]|park", f) for f in r["stack"].split(";"))),
    "where": (["--where", "thread~^web"], lambda r: r["thread"].startswith("web")),
    "running": (["--running"], None),
    "by": (["--by", "thread"], lambda r: True),
}


# --- reports: the options, and what they count, as a dictionary ---

def stack_of(row, by, label=None):
    frames = [label[row["stack"]]] if label is not None else [f for f in row["stack"].split(";") if f]
    return ([row["thread"]] if by == "thread" else [row["pool"]] if by == "pool" else []) + frames


def folded(stacks):
    out = collections.Counter()
    for frames, weight in stacks:
        out[";".join(frames) or "?"] += weight
    return out


def flat(stacks):
    out = collections.Counter()
    for frames, weight in stacks:
        out["self " + (frames[-1] if frames else NONE)] += weight
        for name in set(frames or [NONE]):
            out["total " + name] += weight
    return out


def tree(stacks):
    out = collections.Counter()
    for frames, weight in stacks:
        out["self " + ";".join(frames or [NONE])] += weight
        for depth in range(1, len(frames or [NONE]) + 1):
            out["total " + ";".join((frames or [NONE])[:depth])] += weight
    return out


def callers(function):
    def count(stacks):
        out = collections.Counter()
        for frames, weight in stacks:
            if function not in frames:
                continue
            first = frames.index(function)
            out["total " + function] += weight
            out["caller " + (frames[first - 1] if first else "(root)")] += weight
            if frames[-1] == function:
                out["self " + function] += weight
            for name in {frames[i + 1] for i in range(len(frames) - 1) if frames[i] == function and frames[i + 1] != function}:
                out["callee " + name] += weight
        return out
    return count


def rows_as(out, lines, columns):
    """Rows of a table; its first columns, and either no others or those of the bounds. The coverage is out.coverage."""
    names = lines[0].split("\t")
    for one, known in zip(names, columns):
        assert known is None or one == known, lines[0]
    rows, bounded = [line.split("\t") for line in lines[1:]], names[-1] == "coverage"
    for cells in rows:
        assert not bounded or out.coverage in (None, cells[-1]), lines[0]
        out.coverage = cells[-1] if bounded else None
    names = names[:len(names) - bounded]
    named = names[-1] == "stack" != columns[-1]         # classes, by their frames
    names = names[:len(names) - named]
    assert names[len(columns):] in ([["low", "high"], ["self_low", "self_high", "total_low", "total_high"]] if bounded else [[]]), lines[0]
    return [cells[:len(names)] for cells in rows]


def add_self_and_total(out, name, cells, at):
    bounds = cells[at + 2:]
    assert len(bounds) in (0, 4), cells
    out.add("self " + name, cells[at], bounds[0:2] or None)
    out.add("total " + name, cells[at + 1], bounds[2:4] or None)


def read_folded(lines):
    out = Answer()
    for line in lines:
        if line.startswith("# "):
            out.comment = True
        else:
            out.add(*line.rsplit(" ", 1))
    return out


def read_flat(lines):
    out = Answer()
    for cells in rows_as(out, lines, ("function", "self", "total")):
        add_self_and_total(out, cells[0], cells, 1)
    return out


def read_tree(lines):
    out, way = Answer(), []
    for cells in rows_as(out, lines, ("level", "function", "self", "total")):
        way = way[:int(cells[0]) - 1] + [cells[1]]
        add_self_and_total(out, ";".join(way), cells, 2)
    return out


def read_paths(lines):
    out = Answer()
    for cells in rows_as(out, lines, (None, "share", "stack")):
        out.add(cells[2], cells[0], cells[3:] or None)
    return out


def read_callers(lines):
    out = Answer()
    for cells in rows_as(out, lines, ("relation", None, "function")):
        out.add(cells[0] + " " + cells[2], cells[1], cells[3:] or None)
    return out


REPORTS = {
    "folded": (["-f", "folded"], folded, read_folded),
    "tree": (["-f", "tsv", "--report", "tree"], tree, read_tree),
    "flat": (["-f", "tsv", "--report", "flat"], flat, read_flat),
    "paths": (["-f", "tsv", "--report", "paths"], folded, read_paths),
    "callers": (["-f", "tsv", "--function", None], None, read_callers),
    "classes": (["-f", "tsv", "--report", "classes"], flat, read_flat),
    "groups": (["-f", "tsv", "--report", "groups"], tree, read_tree),
    "pools": (["-f", "folded", "--by", "pool"], folded, read_folded),
}


WITHOUT_BY = ("pools", "callers", "classes", "groups")


class Recording:
    def __init__(self, name, function, ways):
        self.name, self.function, self.ways = name, function, ways
        self.rows = rows_of(name + ".stk")
        self.running = collections.Counter(map(key_of, rows_of(name + ".running.stk")))
        self.labels = {"classes": self.read_labels("class"), "groups": self.read_labels("group")}
        for row in self.rows:
            row["at"] = nanoseconds(row["time"])
            row["runs"] = key_of(row) in self.running
        moments = sorted({row["at"] for row in self.rows})
        self.windows = [None]
        for _ in range(2):
            a, b = sorted(chance.sample(moments, 2))
            self.windows.append((a, b))

    def read_labels(self, kind):
        """The label of each stack by its text, from the stream's own rows."""
        def read(only):
            text = subprocess.run(["stkcat", "-q", "-f", "ndjson", "--ids", "--only", only, self.name + ".stk"], stdout=subprocess.PIPE).stdout.decode()
            import json
            return [json.loads(line) for line in text.split("\n") if line]
        strings = {r["id"]: r for r in read("string")}
        text = lambda n: strings[n]["text"] if n in strings else ""
        frames = {r["id"]: text(r["function"]) for r in read("frame")}
        stacks = {0: []}
        for r in read("stack"):
            stacks[r["id"]] = stacks[r["parent"]] + [frames[r["frame"]]]
        names, parents = {}, {}
        for r in read(kind):
            names[r["id"]], parents[r["id"]] = r["name"], r.get("parent", 0)
        out = collections.defaultdict(lambda: "(none)")
        for r in read(kind + "_of_stack"):
            label, at = [], r[kind]
            while at in names and (kind == "group" or not label):
                label.insert(0, names[at])
                at = parents[at]
            out[r["stack"]] = ";".join(label) or "(none)"
        by_text = collections.defaultdict(lambda: "(none)")
        for number, way in stacks.items():
            by_text[";".join(map(tidy, way))] = out[number]
        return by_text

    def want(self, report, filter_name, window, samples, unseen=(0, 0)):
        """What is to be counted, and the sum over all stacks; without the rows of an interval that cannot be seen."""
        options, passes = FILTERS[filter_name]
        first = self.rows[0]["event"]
        by = "pool" if report == "pools" else "thread" if filter_name == "by" else "none"
        label = self.labels.get(report)
        stacks = []
        for row in self.rows:
            if window is not None and not window[0] <= row["at"] < window[1]:
                continue
            if unseen[0] <= row["at"] < unseen[1]:
                continue
            if not (row["runs"] if passes is None else passes(row)):
                continue
            if not filter_name.startswith("event") and row["event"] != first:
                continue
            frames = stack_of(row, by, label)
            stacks.append((frames[:-1] + frames[-1].split(";") if label is not None else frames, 1 if samples else int(row["weight"])))
        count = callers(self.function) if report == "callers" else REPORTS[report][1]
        return +count(stacks), sum(w for _, w in stacks)

    def ask(self, way, report, filter_name, window):
        options = [self.function if o is None else o for o in REPORTS[report][0]] + FILTERS[filter_name][0]
        if report == "folded" and filter_name != "by":
            options += ["--by", "none"]
        if window is not None:
            options += ["--window", "@%d.%09d..@%d.%09d" % (divmod(window[0], 10**9) + divmod(window[1], 10**9))]
        command = ["stktree"] + options + [self.name + "." + way.replace("-samples", "")]
        if way.endswith("-samples"):
            command.insert(1, "--samples")
        did = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = did.stdout.decode().split("\n")[:-1]
        return did.returncode, REPORTS[report][2](lines) if lines else Answer(), did.stderr.decode(), command


def key_of(row):
    return (row["time"], row["thread"], row["stack"], row["state"], row["event"], row["tid"], row["number"])


def tidy(name):
    return name.replace(";", ":")


WORDS = re.compile("cut|damaged|lost|coverage|only counts|thinned|counts|cannot|truncated|left out|no function|incomplete|estimate")


COVERS = re.compile("counts cover ([0-9]+) of ([0-9]+) samples")


UNSEEN = re.compile("from ([^ ]*) to ([^ ]*), ([0-9]+) samples are thinned to counts, which do not know")


def between_bounds(got, want, most):
    """Whether every count is in its row's bounds, and what has no row in those of what is left out; at most `most`."""
    # callers have no row of what is left out: the bounds of the function as a whole have it
    whole = [got.high[k] - got.low[k] for k in got.high if k.startswith("total ")]
    beyond = max(list(got.left.values()) or whole or [0])
    for key, count in got.counts.items():
        if not (key in got.low and got.low[key] <= count <= got.high[key]):
            return "a count is not in its bounds: %s %d" % (key, count)
        if not got.low[key] <= want[key] <= got.high[key]:
            return "not in the bounds %d..%d: %s %d" % (got.low[key], got.high[key], key, want[key])
        if got.high[key] > most[key] + beyond or got.low[key] > most[key]:
            return "bounds beyond all there is: %s %d..%d of %d" % (key, got.low[key], got.high[key], most[key])
    for key in want:
        left = [got.high[k] for k in got.left if k.split(" ")[0] == key.split(" ")[0] or k == LEFT_OUT]
        room = max(left or (whole if key.split(" ")[0] in ("caller", "callee", "total") else []) or [0])
        if key not in got.counts and want[key] > room:
            return "no row, and more than is left out (%d): %s %d" % (room, key, want[key])
    return None


def judge_bounded(way, report, got, want, whole, most, said):
    """Of a tree that leaves stacks out, or that has counts in place of samples."""
    estimated = "estimated: the window cuts intervals" in said
    if not estimated and not got.left and "coverage" not in said:
        return "not equal, and nothing is said"
    if (got.left != {}) != ("coverage" in said) and report != "callers":
        return "a row (left out), or its message, without the other"
    if estimated and not way.startswith("thinned"):
        return "an estimate of a tree that has all samples"
    wrong = between_bounds(got, want, most)
    if wrong or estimated:
        return wrong
    if any(got.low[key] != count or count > want[key] for key, count in got.counts.items()):
        return "more than there is, and it is no estimate"
    own = [n for k, n in list(got.counts.items()) + list(got.left.items()) if not k.startswith("total ")]
    if report != "callers" and sum(own) != whole:
        return "counts and what is left out are %d, not %d" % (sum(own), whole)
    return None


def wrong_coverage(got, said):
    """Of rows that state a coverage: it is that of the message, and all without one."""
    counted, whole = map(int, COVERS.search(said).groups()) if COVERS.search(said) else (1, 1)
    if got.coverage in (None, "") or abs(float(got.coverage) - counted / whole) < 1.1e-6:
        return None
    return "rows with a coverage of %s: %s" % (got.coverage, said.strip()[:200])


def judge(way, report, got, want, whole, most, status, said, without):
    """most: what a scan of all times counts; without(interval): what it counts outside of an interval."""
    if status == 2 and not got.counts and "adds them, as in" in said and "the input ends in the middle" in said:
        return None         # the classes were after the cut
    if status not in (0, 1):
        return "status %d: %s" % (status, said.strip()[:200])
    unseen = UNSEEN.search(said)
    if unseen:
        if not way.startswith("thinned") or status != 1:
            return "status %d, and counts that do not know: %s" % (status, said.strip()[:200])
        want = without((nanoseconds(unseen[1]), nanoseconds(unseen[2])))
        return None if +got.counts == want and not got.left else "not what is outside of the interval that cannot be seen"
    if wrong_coverage(got, said):
        return wrong_coverage(got, said)
    if +got.counts == want and not got.left:
        wide = [k for k in got.low if not got.low[k] <= want[k] <= got.high[k]]
        return "not in its bounds: %s" % wide[0] if wide else None
    if way.startswith(("approx", "thinned")):
        return judge_bounded(way, report, got, want, whole, most, said)
    if got.left or got.low:
        return "bounds of a tree that keeps all"
    counts = got.counts
    more = {k: (counts[k], want[k]) for k in counts if counts[k] > want[k]}
    less = {k: (counts[k], want[k]) for k in want if counts[k] < want[k]}
    example = "%d more, %d less, such as %s" % (len(more), len(less), next(iter((more or less).items())))
    if more:
        return "more than there is: " + example
    if way in ("built", "appended", "merged", "followed"):
        return "not equal: " + example
    if status == 0 and not WORDS.search(said):
        return "not equal, and nothing is said: " + example
    return None


def judge_lines(way, recording, name, window, lines, why_of):
    """Folded lines have no bounds: they are those of a table of stacks that has, where both are not exact."""
    status, got, said, command = recording.ask(way, "paths", name, window)
    if +got.counts != +lines.counts or got.left != lines.left:
        return "lines are not those of the table of stacks"
    return why_of(status, got, said)


def main():
    cells = collections.Counter()
    for recording in (Recording("dumps", "java.util.concurrent.locks.LockSupport.park", sys.argv[2].split(",")),
                      Recording("ticks", "g1", sys.argv[2].split(","))):
        answers, wholes = {}, {}
        for report in REPORTS:
            for name in FILTERS:
                if name == "by" and report in WITHOUT_BY:
                    continue
                for n, way in enumerate(recording.ways):
                    window = recording.windows[(n + len(answers)) % len(recording.windows)]
                    key = (report, name, window, way.endswith("-samples"))
                    if key not in answers:
                        answers[key] = recording.want(*key)
                    want, whole = answers[key]
                    whole_time = (report, name, None, way.endswith("-samples"))
                    if whole_time not in wholes:
                        wholes[whole_time] = recording.want(*whole_time)[0]
                    most = wholes[whole_time]
                    def why_of(status, got, said, as_report=report):
                        return judge(way, as_report, got, want, whole, most, status, said,
                                     lambda unseen: recording.want(*key, unseen)[0])
                    status, got, said, command = recording.ask(way, report, name, window)
                    if report in ("folded", "pools") and bool(got.left or "estimated:" in said) != got.comment:
                        why = "a comment that it is not exact, where it is, or none where it is not"
                    elif report == "folded" and (got.left or "estimated" in said):
                        why = judge_lines(way, recording, name, window, got, why_of)
                    else:
                        why = why_of(status, got, said)
                    cells[why is None] += 1
                    print("good" if why is None else "bad", way, report, name, "" if why is None else why + ": " + " ".join(command))
    print("cells", sum(cells.values()), "bad", cells[False])


main()
