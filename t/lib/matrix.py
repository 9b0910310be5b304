# SPDX-License-Identifier: MIT
"""Every way a tree comes to be, every report, every filter, against a scan: matrix.py SEED >results

The scan is of the recording's rows as `stkcat -f tsv` writes them, which are filtered and counted here, with nothing
of stktree. A line of the results is "good" or "bad", the way, the report, the filter and why. An answer is good when
it is equal; or when what is missing is within the bound that it states; or when it is said that it is not all: status 1,
or a message. More than a scan counts is never good, but where counts stand for an interval."""
import collections, random, re, subprocess, sys

chance = random.Random(int(sys.argv[1]))
NONE = "(no frames)"


def rows_of(path):
    text = subprocess.run(["stkcat", "-q", "-f", "tsv", "--event", "all", "--only", "sample", path], stdout=subprocess.PIPE, check=True).stdout.decode()
    lines = text.split("\n")
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:] if line]


def seconds(text):
    import datetime
    if "T" not in text:
        return float(text)
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


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


def read_folded(lines):
    return collections.Counter({line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in lines})


def read_flat(lines):
    out = collections.Counter()
    for line in lines[1:]:
        name, own, total = line.split("\t")[:3]
        out["self " + name] += int(own)
        out["total " + name] += int(total)
    return +out


def read_tree(lines):
    out, way = collections.Counter(), []
    for line in lines[1:]:
        level, name, own, total = line.split("\t")
        way = way[:int(level) - 1] + [name]
        out["self " + ";".join(way)] += int(own)
        out["total " + ";".join(way)] += int(total)
    return +out


def read_paths(lines):
    return collections.Counter({line.split("\t")[2]: int(line.split("\t")[0]) for line in lines[1:]})


def read_callers(lines):
    return collections.Counter({line.split("\t")[0] + " " + line.split("\t")[2]: int(line.split("\t")[1]) for line in lines[1:]})


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
            row["at"] = seconds(row["time"])
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

    def want(self, report, filter_name, window, samples):
        options, passes = FILTERS[filter_name]
        first = self.rows[0]["event"]
        by = "pool" if report == "pools" else "thread" if filter_name == "by" else "none"
        label = self.labels.get(report)
        stacks = []
        for row in self.rows:
            if window is not None and not window[0] <= row["at"] < window[1]:
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
            options += ["--window", "@%.9f..@%.9f" % window]
        command = ["stktree"] + options + [self.name + "." + way.replace("-samples", "")]
        if way.endswith("-samples"):
            command.insert(1, "--samples")
        did = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = did.stdout.decode().split("\n")[:-1]
        return did.returncode, REPORTS[report][2](lines) if lines else collections.Counter(), did.stderr.decode(), command


def key_of(row):
    return (row["time"], row["thread"], row["stack"], row["state"], row["event"], row["tid"], row["number"])


def tidy(name):
    return name.replace(";", ":")


WORDS = re.compile("cut|damaged|lost|coverage|only counts|thinned|counts|cannot|truncated|left out|no function|incomplete|estimate")


def judge(way, want, whole, status, got, said):
    if status == 2 and not got and "adds them, as in" in said and "the input ends in the middle" in said:
        return None         # the classes were after the cut
    if status not in (0, 1):
        return "status %d: %s" % (status, said.strip()[:200])
    if got == want:
        return None
    more = {k: (got[k], want[k]) for k in got if got[k] > want[k]}
    less = {k: (got[k], want[k]) for k in want if got[k] < want[k]}
    bounds = [int(n) for n in re.findall("no stack has more than ([0-9]+)", said)]
    example = "%d more, %d less, such as %s" % (len(more), len(less), next(iter((more or less).items())))
    if more and way not in ("thinned",):
        return "more than there is: " + example
    if way.startswith("approx"):
        left = re.findall("counts cover ([0-9]+) of ([0-9]+)", said)
        if not left:
            return "less, and no bound is said: " + example
        out = int(left[0][1]) - int(left[0][0])
        if max(w - g for g, w in less.values()) > out:
            return "less than the bound allows (%d): %s" % (out, example)
        return None
    if way in ("built", "appended", "merged", "followed"):
        return "not equal: " + example
    if status == 0 and not WORDS.search(said):
        return "not equal, and nothing is said: " + example
    return None


def main():
    cells = collections.Counter()
    for recording in (Recording("dumps", "java.util.concurrent.locks.LockSupport.park", sys.argv[2].split(",")),
                      Recording("ticks", "g1", sys.argv[2].split(","))):
        answers = {}
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
                    status, got, said, command = recording.ask(way, report, name, window)
                    why = judge(way, want, whole, status, got, said)
                    cells[why is None] += 1
                    print("good" if why is None else "bad", way, report, name, "" if why is None else why + ": " + " ".join(command))
    print("cells", sum(cells.values()), "bad", cells[False])


main()
