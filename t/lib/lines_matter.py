#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lines_matter.py FILE...: what stkcap --rejects says of each line of text files.

Fails when a line is listed twice, or with another text than the file has there, or when the sum is wrong: lines taken,
blank and rejected are all lines. Prints FILE:LINE: TEXT for each line that was taken though the records are the same
without it: it was passed over silently, or is understood and has nothing to keep."""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

IDS = ("id", "dump", "source", "finding")


def letters(number):
    """Names that differ in no digit, so that each file is a source of its own."""
    text = ""
    while number:
        text, number = "ghjkmnpqrstvwxyz"[number % 16] + text, number // 16
    return "u" + text + "u"


def captured(folder, *more):
    rejects = os.path.join(folder, "rejects")
    stream = os.path.join(folder, "all.stk")
    run = subprocess.run(["stkcap", "--rejects", rejects, "-o", stream, *more], stderr=subprocess.PIPE, text=True)
    assert run.returncode in (0, 1), run.stderr
    skipped = collections.defaultdict(list)
    with open(rejects, errors="surrogateescape", newline="\n") as lines:
        for line in lines:
            file, number, _, text = re.fullmatch(r"(.*?):(\d+): (.*?): (.*)\n", line, re.S).groups()
            if int(number):
                skipped[file].append((int(number), text))
    return stream, skipped, run.stderr


def ndjson(stream, *options):
    run = subprocess.run(["stkcat", "-q", "-f", "ndjson", *options, stream], stdout=subprocess.PIPE, text=True)
    return map(json.loads, run.stdout.splitlines())


def rows_of(stream):
    """The rows of each source, without what depends on other sources."""
    rows = collections.defaultdict(list)
    threads = {}
    stacks = ndjson(stream, "--ids", "--only", "sample")       # the same stack has the same id everywhere
    for row in ndjson(stream, "--only", "source,dump,sample,metric,deadlock,thread"):
        source = row["name"] if row["kind"] == "source" else row.get("source")
        if row["kind"] == "source":
            row["name"] = ""
        if row["kind"] == "thread":
            threads[row["id"]] = row
        if row["kind"] == "sample":
            row["stack"] = next(stacks)["stack"]
        rows[source].append(json.dumps({key: row[key] for key in row if key not in IDS}, sort_keys=True))
    for row in ndjson(stream, "--ids", "--only", "event"):
        thread = threads[row["thread"]]
        row["thread"] = thread["name"]
        rows[thread["source"]].append(json.dumps(row, sort_keys=True))
    return rows


def sum_of(said):
    return list(map(int, re.search(r"(\d+) lines: (\d+) taken, (\d+) blank, (\d+) rejected", said).groups()))


def look_at(path):
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    with tempfile.TemporaryDirectory() as folder:
        base = os.path.join(folder, "in")
        os.mkdir(base)
        whole = os.path.join(base, letters(1))
        with open(whole, "wb") as out:
            out.writelines(lines)
        _, skipped, said = captured(folder, whole)
        total, taken, blank, rejected = sum_of(said)
        listed = dict(skipped[whole])
        assert total == len(lines), "%s: %d lines, not %d" % (path, total, len(lines))
        assert len(listed) == len(skipped[whole]) == rejected, "%s: lines rejected twice, or not listed" % path
        for number, text in listed.items():
            have = lines[number - 1].rstrip(b"\r\n").decode(errors="surrogateescape")
            assert have.rstrip() == text.rstrip(), "%s:%d: '%s', not '%s'" % (path, number, have, text)
        empty = [n for n, line in enumerate(lines, 1) if not line.strip() and n not in listed]
        assert blank >= len(empty) and taken == total - blank - rejected, "%s: %d blank lines" % (path, blank)
        for number, line in enumerate(lines, 1):
            if number not in listed and line.strip():
                with open(os.path.join(base, letters(number + 1)), "wb") as out:
                    out.writelines(lines[:number - 1] + lines[number:])
        stream, _, _ = captured(folder, base)
        rows = rows_of(stream)
        for number, line in enumerate(lines, 1):
            if number not in listed and line.strip() and \
                    rows[os.path.join(base, letters(number + 1))] == rows[whole]:
                print("%s:%d: %s" % (os.path.basename(path), number, line.rstrip(b"\n").decode(errors="replace")))


for name in sys.argv[1:]:
    look_at(name)
