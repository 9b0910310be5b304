#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""round_trip.py PAGE STREAM...: holds the table "What is kept" of docs/formats.md against what comes back.

Each stream is written in each format and read again, by stkcap or, of SQLite, by SQL. A cell "yes" must be kept as it is, "no" must be lost, and other words have a check of
their own here; words without one are an error. Prints a line for each cell that is not true."""
import collections
import json
import re
import sqlite3
import subprocess
import sys

NS = 10 ** 9


def run(*command, data=None):
    done = subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode in (0, 1), (command, done.returncode, done.stderr)
    return done.stdout


def rows(stream, kinds, *options):
    out = run("stkcat", "-q", "-f", "ndjson", "--only", kinds, *options, stream).decode(errors="surrogateescape")
    return [json.loads(line) for line in out.splitlines()]


def nanoseconds(text):
    """2026-03-01T09:00:00.5Z, or seconds."""
    if text in (None, "-", ""):
        return None
    found = re.fullmatch(r"(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)(?:\.(\d+))?Z", str(text))
    if not found:
        whole, _, part = str(text).partition(".")
        return int(whole) * NS + int((part + "0" * 9)[:9])
    import calendar
    return calendar.timegm(tuple(map(int, found.groups()[:6]))) * NS + int(((found.group(7) or "") + "0" * 9)[:9])


class Sample:
    def __init__(self, **fields):
        self.__dict__.update(fields)


def samples_of(stream):
    """By ids, as names of frames hide files and lines."""
    strings, frames, stacks, sources, named, threads, made = {0: ""}, {}, {0: ()}, {}, {}, {}, []
    by_id = rows(stream, "string,frame,stack,source,thread,sample", "--ids")
    by_name = [row for row in rows(stream, "sample") if row["kind"] == "sample"]
    for row in by_id:
        kind = row["kind"]
        if kind == "string":
            strings[row["id"]] = row["text"]
        elif kind == "frame":
            frames[row["id"]] = (strings[row["function"]], strings[row["module"]], strings[row["file"]], row["line"], row["form"])
        elif kind == "stack":
            stacks[row["id"]] = stacks[row["parent"]] + (frames[row["frame"]],)
        elif kind == "source":
            sources[row["id"]] = row["pid"] or strings[row["process"]] or strings[row["name"]]
            named[row["id"]] = row["pid"] or strings[row["name"]]
        elif kind == "thread":
            threads[row["id"]] = row
        elif kind == "sample":
            name = by_name[len(made)]
            thread = threads.get(row["thread"])
            made.append(Sample(stack=stacks[row["stack"]], weight=row["weight"], event="" if name["event"] in (None, "samples") else name["event"], state=name["state"], time=nanoseconds(name["time"]), dump=row["dump"],
                               thread=name["thread"] or "", tid=name["tid"] or (thread["number"] if thread else 0), source=sources[thread["source"]] if thread else None,
                               named=named[thread["source"]] if thread else None, condition=name["condition"] or "", cpu=row["cpu"],
                               allocated=row["allocated"], locks=[(lock["relation"], lock["class"]) for lock in name["locks"]]))
    return made


def samples_of_sqlite(path):
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    frames = {r["id"]: (r["function"], r["module"] or "", r["file"] or "", r["line"] or 0, "") for r in db.execute("SELECT * FROM frame")}
    stacks, locks, made = {None: ()}, collections.defaultdict(list), []
    for r in db.execute("SELECT * FROM stack ORDER BY depth, id"):
        stacks[r["id"]] = stacks[r["parent"]] + (frames[r["frame_id"]],)
    for r in db.execute("SELECT * FROM lock ORDER BY rowid"):
        locks[r["sample_id"]].append((r["relation"], r["class"] or ""))
    for r in db.execute("SELECT * FROM v_sample ORDER BY id"):
        made.append(Sample(stack=stacks[r["stack_id"]], weight=r["weight"], event="" if r["event"] in ("dump", "samples") else r["event"], state=r["state"], time=r["t_ns"],
                           thread=r["thread"] or "", tid=r["tid"] or r["number"] or 0, source=r["pid"] or r["process"] or r["source"], condition=r["condition"] or "", cpu=r["cpu_ns"] or 0,
                           allocated=r["allocated"] or 0, locks=locks[r["id"]]))
    return made


def weights(samples, key):
    counted = collections.Counter()
    for s in samples:
        if s.weight:
            counted[key(s)] += s.weight
    return counted


def short(function):
    """Without arguments."""
    return re.sub(r"\(.*", "", function)


def functions(s):
    """A function that is not known is its module, and no stack is '?', in most forms."""
    names = tuple("[%s]" % frame[1].rsplit("/", 1)[-1] if frame[0] == "[unknown]" and frame[1] not in ("", "[unknown]") else short(frame[0]) for frame in s.stack)
    return names if names != ("?",) else ()


KEYS = {
    "stacks, weights": functions,
    "arguments in names of native functions": lambda s: tuple(frame[0] for frame in s.stack if frame[0] != "[unknown]" and frame[0][0] not in "[?"),
    "times": lambda s: (functions(s), s.time),
    "threads": lambda s: (functions(s), s.thread),
    "numbers of threads": lambda s: (functions(s), s.tid),
    "sources": lambda s: (functions(s), s.source),
    "several events": lambda s: (functions(s), s.event),
    "states": lambda s: (functions(s), s.state),
    "file of a frame": lambda s: tuple(zip(functions(s), (f[2] for f in s.stack))),
    "module of a frame": lambda s: tuple(zip(functions(s), (f[1] for f in s.stack))),
    "line of a frame": lambda s: tuple(zip(functions(s), (max(f[3], 0) for f in s.stack))),
    "locks, conditions, CPU time, allocation": lambda s: (functions(s), tuple(s.locks), s.condition, s.cpu, s.allocated),
}


def back(form, stream, *options):
    """What comes back."""
    if form == "sqlite":
        run("rm", "-f", "back.db")
        run("stkcat", "-q", "-f", form, "--event", "all", "-o", "back.db", stream)
        return samples_of_sqlite("back.db")
    if form != "dumps":
        options = ("--event", "all", *options) if "--event" not in options else options
    if form == "folded" and "--by" not in options:
        options += ("--by", "none")
    with open("back", "wb") as out:
        out.write(run("stkcat", "-q", "-f", form, *options, stream))
    # one frame a stack is a line like any other
    run("stkcap", "-q", *(("--format", "folded") if form == "folded" else ()), "-o", "back.stk", "back")
    return samples_of("back.stk")


def same(key, a, b):
    return weights(a, key) == weights(b, key)


def by(word):
    """folded --by WORD begins stacks with what is lost otherwise."""
    def check(form, field, stream, before, after):
        option = {"threads": "thread", "sources": "source", "states": "state"}[field]
        got = {s.stack[0][0] for s in back(form, stream, "--by", option)}
        want = {{"threads": s.thread, "sources": None, "states": s.state}[field] for s in before}
        return not same(KEYS[field], before, after) and (field == "sources" and len(got) == len({s.source for s in before}) or
                                                         len(got) == len(want - {""} | ({"-"} if "" in want else set())) or got >= {w for w in want if w and w.isalnum()})
    return check


def full_names(form, field, stream, before, after):
    named = back(form, stream, "--names", "full")
    at = {"file of a frame": 2, "line of a frame": 3, "module of a frame": 1}.get(field)
    if at is None:
        return not same(KEYS[field], before, after) and any("(std::vector" in f[0] for s in named for f in s.stack)
    wanted = {str(f[at]) for s in before for f in s.stack if f[at] and (at != 3 or f[3] > 0)}
    text = "\n".join(f[0] for s in named for f in s.stack)
    if at == 1:         # in place of a file that is not known
        wanted = {f[1] for s in before for f in s.stack if f[1] and not f[2]}
    return not same(KEYS[field], before, after) and all(w in text for w in wanted)


def cut_to(unit):
    """Where none was known one is made up."""
    def check(form, field, stream, before, after):
        def key(s):
            return functions(s), s.time if s.time is None else s.time // unit
        known, came = [s for s in before if s.time is not None], weights(after, key)
        return same(key, before, after) if len(known) == len(before) else not weights(known, key) - came
    return check


def named(form, field, stream, before, after):
    """Where no name was known one is made up."""
    names = {s.thread for s in before} - {""}
    return same(KEYS[field], [s for s in before if s.thread], [s for s in after if s.thread in names])


def of_dumps(form, field, stream, before, after):
    return same(KEYS[field], [s for s in before if s.dump], [s for s in after if s.dump])


def seconds_of_dumps(form, field, stream, before, after):
    return same(lambda s: (functions(s), s.time // NS * NS if s.dump and s.time is not None else s.time), before, after)


def not_inlined(form, field, stream, before, after):
    return same(lambda s: tuple((name, f[1] if f[4] != "inlined" else "") for name, f in zip(functions(s), s.stack)), before, after)


def lost(form, field, stream, before, after):
    return not same(KEYS[field], before, after)


def wall_only(form, field, stream, before, after):
    known = [s for s in before if s.time is not None and s.time > 10 ** 9 * NS]
    return same(KEYS[field], before, after) if known else all(s.time is None for s in after)


def one_event(form, field, stream, before, after):
    event = sorted({s.event for s in before})[-1]
    return same(functions, [s for s in before if s.event == event], back(form, stream, *(("--event", event) if event else ())))


def or_module(form, field, stream, before, after):
    def key(samples, known):
        return weights(samples, lambda s: tuple(zip(functions(s), (f[2] or (f[1] if known else "") for f in s.stack))))
    return key(before, True) == key(after, False)


SAYS = {
    "yes": lambda form, field, stream, before, after: same(KEYS[field], before, after),
    "yes; viewers count time instead of weights": lambda form, field, stream, before, after: same(KEYS[field], before, after),
    "yes, or its module": or_module,
    "yes, of dumps to the second, read with the same `--zone`": seconds_of_dumps,
    "of dumps": of_dumps,
    "yes, or a made-up name": named,
    "yes, but of inlined functions": not_inlined,
    "no": lost,
    "in place of an unknown file": lost,
    "no, only the order": lost,
    "no, only the first and the length": lost,
    "to the nanosecond, or made up": cut_to(1),
    "to the microsecond, or made up": cut_to(1000),
    "those of wall clocks": wall_only,
    "with `--by`": by("by"),
    "with `--names full`": full_names,
    "one": one_event,
    "a profile each": lambda form, field, stream, before, after: same(KEYS[field], before, after),
    "a thread each": lambda form, field, stream, before, after: same(KEYS[field], before, after),
    "before the names of profiles": lost,
    "as labels": lost,
    "categories of leaves": lost,
    "the process, not of dumps": lambda form, field, stream, before, after: same(lambda s: (functions(s), s.source), [s for s in before if isinstance(s.source, int) and not s.dump],
                                                                                  [s for s in after if isinstance(s.source, int)]),
    "yes, a process without a number by the source's name":
        lambda form, field, stream, before, after: weights(before, lambda s: (functions(s), s.named)) == weights(after, KEYS[field]),
}


def table_of(page):
    with open(page) as text:
        part = text.read().split("## What is kept", 1)[1]
    lines = [line for line in part.split("\n") if line.startswith("|")]
    names = [cell.strip() for cell in lines[0].strip("|").split("|")][1:]
    for line in lines[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] in KEYS:
            yield cells[0], dict(zip(names, cells[1:], strict=True))


def main():
    table, wrong, shown = list(table_of(sys.argv[1])), 0, collections.Counter()
    assert {field for field, _ in table} == set(KEYS), set(KEYS) - {field for field, _ in table}
    streams = {stream: samples_of(stream) for stream in sys.argv[2:]}
    for form in table[0][1]:
        came = {stream: back(form, stream) for stream in streams}
        for field, cells in table:
            say = SAYS[cells[form]]
            true = [say(form, field, stream, before, came[stream]) for stream, before in streams.items()]
            # what is lost of one stream may not be in another
            if not (any(true) if say in (lost, full_names) or cells[form] == "with `--by`" else all(true)):
                wrong += 1
                print("%s, %s: '%s' is not true: %s" % (field, form, cells[form], dict(zip(streams, true))))
            shown[cells[form]] += 1
    print("%d cells, %d are not true" % (sum(shown.values()), wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
