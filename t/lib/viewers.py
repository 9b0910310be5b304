#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""viewers.py FORMAT FILE: checks a file that stkcat wrote for a viewer by what the format's own description says, and prints its samples as folded
lines, sorted: another reading of the same file. FORMAT saved and tree are what speedscope and profiler-cli have read, of all FILEs together. viewers.py times FORMAT FILE: "TIME TRACK STACK" of each sample instead, where the format has times.
viewers.py valid FILE: strict JSON and valid UTF-8, nothing else."""
import json
import sys
from collections import Counter


def no_constant(name):
    raise ValueError(name + " is no JSON")


def load(path):
    text = open(path, "rb").read().decode("utf-8")        # strict
    value = json.loads(text, parse_constant=no_constant)
    json.dumps(value, ensure_ascii=False).encode("utf-8")      # a lone surrogate fails here
    return value


def need(truth, what):
    if not truth:
        raise SystemExit("not valid: " + what)


def speedscope(data):
    need(data["$schema"] == "https://www.speedscope.app/file-format-schema.json", "$schema")
    frames = data["shared"]["frames"]
    for frame in frames:
        need(isinstance(frame["name"], str) and set(frame) <= {"name", "file", "line", "col"}, "frame")
        need(isinstance(frame.get("file", ""), str), "file")
    need(len({json.dumps(frame, sort_keys=True) for frame in frames}) == len(frames), "a frame twice")
    for profile in data["profiles"]:
        need(profile["type"] == "sampled" and isinstance(profile["name"], str), "type")
        need(profile["unit"] in ("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"), "unit")
        need(len(profile["samples"]) == len(profile["weights"]), "lengths")
        need(profile["startValue"] + sum(profile["weights"]) == profile["endValue"], "endValue")
        for stack, weight in zip(profile["samples"], profile["weights"]):
            need(all(0 <= f < len(frames) for f in stack) and weight >= 0, "sample")
            yield None, profile["name"], [frames[f]["name"] for f in stack], weight


def saved(data):
    """What speedscope saves of what it has read."""
    frames = [frame["name"] for frame in data["shared"]["frames"]]
    for profile in data["profiles"]:
        need(profile["type"] == "evented", "type")
        open_frames, time = [], profile["startValue"]
        for event in profile["events"] + [{"type": "end", "at": profile["endValue"]}]:
            need(event["at"] >= time, "order")
            if event["at"] > time:
                yield None, profile["name"], list(open_frames), event["at"] - time
            time = event["at"]
            if event["type"] == "O":
                open_frames.append(frames[event["frame"]])
            elif event["type"] == "C":
                need(open_frames.pop() == frames[event["frame"]], "nesting")


def tree(data):
    """What profiler-cli prints of a thread: samples-top-down --json."""
    scale = 1000000 if data["weightType"] == "tracing-ms" else 1

    def below(node, path):
        if node["selfSamples"]:
            yield None, data["friendlyThreadName"], path, round(node["selfSamples"] * scale)
        need("childrenTruncated" not in node, "the tree is cut")
        for child in node["children"]:
            yield from below(child, path + [child["name"]])

    yield from below(data["regularCallTree"], [])


def firefox(data):
    meta, shared = data["meta"], data["shared"]
    need(meta["preprocessedProfileVersion"] == 66, "version")
    for key in "interval startTime processType product stackwalk version categories markerSchema".split():
        need(key in meta, "meta." + key)
    strings = shared["stringArray"]
    need(all(isinstance(s, str) for s in strings), "stringArray")
    columns = {
        "stackTable": "frame prefixOffset",
        "frameTable": "address inlineDepth category subcategory func nativeSymbol innerWindowID line column originalLocation",
        "funcTable": "name isJS relevantForJS resource source lineNumber columnNumber originalLocation",
        "resourceTable": "lib name host type",
        "nativeSymbols": "libIndex address name functionSize",
        "sources": "id filename startLine startColumn sourceMapURL content",
        "sourceLocationTable": "source line column",
    }
    for table, names in columns.items():
        need(set(shared[table]) == set(names.split()) | {"length"}, table)
        for name in names.split():
            need(len(shared[table][name]) == shared[table]["length"], table + "." + name)
    stack, frame, func = shared["stackTable"], shared["frameTable"], shared["funcTable"]
    for row in range(frame["length"]):
        need(frame["func"][row] < func["length"] and frame["category"][row] < len(meta["categories"]), "frame row")
    for row in range(func["length"]):
        need(func["source"][row] is None or func["source"][row] < shared["sources"]["length"], "source")
        need(func["resource"][row] < shared["resourceTable"]["length"], "resource")

    def names_of(row):
        names = []
        while row is not None:
            names.append(strings[func["name"][frame["func"][stack["frame"][row]]]])
            offset = stack["prefixOffset"][row]
            need(0 <= offset <= row, "prefixOffset")
            row = None if offset == 0 else row - offset
        return names[::-1]

    pairs = set()
    for thread in data["threads"]:
        samples = thread["samples"]
        need(isinstance(thread["pid"], str) and isinstance(thread["name"], str), "thread")
        need((thread["pid"], thread["tid"]) not in pairs, "a thread twice")
        pairs.add((thread["pid"], thread["tid"]))
        need(samples["weightType"] in ("samples", "tracing-ms", "bytes"), "weightType")
        weights = samples["weight"] or [1] * samples["length"]
        need(len(samples["stack"]) == len(samples["time"]) == len(weights) == samples["length"], "lengths")
        need(samples["time"] == sorted(samples["time"]), "times are not in order")
        need(all(len(thread["markers"][c]) == 0 for c in "data name startTime endTime phase category".split()), "markers")
        scale = 1000000 if samples["weightType"] == "tracing-ms" else 1
        for row, time, weight in zip(samples["stack"], samples["time"], weights):
            yield meta["startTime"] + time, thread["name"], names_of(row), round(weight * scale)


def chrome(data):
    profiles, names = {}, {}
    for event in data["traceEvents"]:
        need(isinstance(event["pid"], int) and isinstance(event["tid"], int) and event["pid"] < 2**31, "pid, tid")
        if event["ph"] == "M":
            need(event["name"] in ("process_name", "thread_name"), "metadata")
            names[event["pid"], event["tid"], event["name"]] = event["args"]["name"]
            continue
        need(event["ph"] == "P" and isinstance(event["ts"], int), "phase")
        key, args = (event["pid"], event["id"]), event["args"]["data"]
        if event["name"] == "Profile":
            need(key not in profiles, "a profile twice")
            profiles[key] = {"time": args["startTime"], "nodes": {}, "name": names[event["pid"], event["tid"], "thread_name"], "end": None}
            continue
        need(event["name"] == "ProfileChunk", "name")
        profile, chunk = profiles[key], args["cpuProfile"]
        need(profile["end"] is None, "a chunk after the last")
        for node in chunk["nodes"]:
            call = node["callFrame"]
            need(set(call) == {"functionName", "scriptId", "url", "lineNumber", "columnNumber"}, "callFrame")
            need(node["id"] not in profile["nodes"], "a node twice")
            if "parent" in node:
                profile["nodes"][node["id"]] = profile["nodes"][node["parent"]] + [call["functionName"]]
            else:
                need(call["functionName"] == "(root)" and not profile["nodes"], "a root")
                profile["nodes"][node["id"]] = []
        weights = args.get("weights", [1] * len(chunk["samples"]))
        need(len(chunk["samples"]) == len(args["timeDeltas"]) == len(weights), "lengths")
        for sample, delta, weight in zip(chunk["samples"], args["timeDeltas"], weights):
            profile["time"] += delta
            if weight > 0 or profile["nodes"][sample]:
                yield profile["time"], profile["name"], profile["nodes"][sample], weight
        if "endTime" in args:
            profile["end"] = args["endTime"]
            need(profile["end"] >= profile["time"], "endTime")
    need(all(profile["end"] is not None for profile in profiles.values()), "a profile without an end")


def main():
    forms = {"speedscope": speedscope, "saved": saved, "firefox": firefox, "tree": tree, "chrome": chrome}
    if sys.argv[1] == "valid":
        load(sys.argv[2])
        return
    if sys.argv[1] == "times":
        for time, track, stack, weight in forms[sys.argv[2]](load(sys.argv[3])):
            print(time, track, ";".join(stack), weight, sep="\t")
        return
    counts = Counter()
    for path in sys.argv[2:]:
        for time, track, stack, weight in forms[sys.argv[1]](load(path)):
            counts[";".join(stack) or "?"] += weight
    for line in sorted(line.encode() for line in ("%s %d" % item for item in counts.items())):
        sys.stdout.buffer.write(line + b"\n")


main()
