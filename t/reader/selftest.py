#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# selftest [DIR]: writes streams with stkwrite, reads them with stkread, and compares; right ones, damaged ones, ones from the future.
# With a directory it leaves each input there, TEST-NUMBER-NAME.stk, and beside it what stkcat -f ndjson must print, .ndjson, and its .status.

import contextlib
import io
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time

import stkread
import stkwrite

HERE = os.path.dirname(os.path.abspath(__file__))
TMP = tempfile.mkdtemp(prefix="stkself")
MASK = (1 << 64) - 1
RND = random.Random(int(os.environ.get("SEED", "1")))
LAYOUTS = [(low, r, high) for low in range(9) for r in (0, 1, 2, 4) for high in range(9)
           if 8 * low + r <= 64 and (high == 0 or 8 * low + r < 64)] + [(low, 8, 0) for low in range(9)] * 4
FAILED = []
SAVED = []
TEST = [""]
KEEP = sys.argv[1] if len(sys.argv) > 1 else None


# Notes a comparison that fails.
def check(name, got, wanted):
    if got != wanted:
        FAILED.append(name)
        print("not ok: %s\n  got    %.300r\n  wanted %.300r" % (name, got, wanted))


# Reads bytes with the reader; gives status, lines and messages.
def read_plain(data, left_out=()):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(err):
        status = stkread.Reader(data, out, None, left_out).run()
    return status, out.getvalue().split("\n")[:-1], err.getvalue().split("\n")[:-1]


# Leaves a file.
def leave(path, data):
    with open(path, "wb") as f:
        f.write(data)


# Reads bytes, and leaves them with what stkcat must make of them; not where FORMAT.md leaves it to the reader.
def read(name, data, free=False):
    status, lines, errors = read_plain(data)
    if KEEP and not free:
        path = "%s/%s-%03d-%s" % (KEEP, TEST[-1], len(SAVED), re.sub("[^0-9A-Za-z]+", "-", name))
        SAVED.append(path)
        less = read_plain(data, (33, 34)) if TEST[-1] == "flips" else (status, lines)   # stkcat may pass over a damaged INDEX
        rows = [x for x in less[1] if not x.startswith(('{"kind":"index"', '{"kind":"end"'))]
        leave(path + ".stk", data)
        leave(path + ".ndjson", "".join(x + "\n" for x in rows).encode("utf-8", "surrogateescape"))
        leave(path + ".status", b"%d\n" % less[0])
    return status, lines, errors


# The same through the command.
def read_command(data, *args):
    path = os.path.join(TMP, "in")
    with open(path, "wb") as f:
        f.write(data)
    done = subprocess.run([sys.executable, os.path.join(HERE, "stkread.py"), *args, path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode().split("\n")[:-1], done.stderr.decode().split("\n")[:-1]


# The lines of the rows that are no HEAD, INDEX or END.
def own(lines):
    return [line for line in lines if not line.startswith(('{"kind":"head"', '{"kind":"index"', '{"kind":"end"'))]


# A row as its line.
def line(kind, **values):
    return json.dumps({"kind": kind, **values}, separators=(",", ":"), ensure_ascii=False)


# Some number below 2^bits, of any length.
def number(bits):
    return RND.getrandbits(RND.randint(0, bits)) if bits else 0


# The numbers u of n rows, random; with a dictionary they are entries, and the column has their places.
def random_numbers(col, n, bits):
    if col["prediction"] not in ("PLAIN", "SAME") or RND.randrange(3):
        return [number(bits) for _ in range(n)]
    entries = RND.randint(1, min(9, 1 << bits))
    values = sorted(number(64) for _ in range(entries))
    counts = [RND.choice([0, 1, 5, 31]) for _ in values]
    places = [v for c in range(31, -1, -1) for v, d in zip(values, counts) if c == d]
    col["dictionary"] = {"values": values, "counts": counts}
    col["places"] = [RND.randrange(entries) for _ in range(n)]
    return [places[i] for i in col["places"]]


# Makes a column of a prediction and layout from random u, and the values that FORMAT.md says it has; a and b are the key columns 0 and 1.
def random_column(prediction, layout, a, b):
    n, (low, r, high) = len(a), layout
    scale, base = RND.choice([1, 1, 7, 1000, number(64) or 1]), stkwrite.signed(number(64))
    col = {"prediction": prediction, "planes": list(layout), "scale": scale, "base": base}
    order, codes, flags, keys = range(n), [2] * n, 0, [0] * n
    if prediction in ("BY", "BYSTEP", "SAME"):
        col["keys"] = RND.choice([[], [0], [1], [0, 1], [1, 0], [1, 1]])
        pair = [[a, b][key] for key in col["keys"]] + [[0] * n] * 2
        keys = [(x + y * 40503) % 65536 for x, y in zip(*pair[:2])]
    if prediction == "SAME":
        codes = col["codes"] = [RND.choice([0, 0, 1, 2]) for _ in range(n)]
        flags = col["flags"] = RND.randrange(4)
        if flags & 1:
            order = [i for k in sorted(set(keys)) for i in range(n) if keys[i] == k]
    col["us"] = random_numbers(col, codes.count(2), min(64, 8 * (low + high) + r % 8))
    us = iter(col["us"])
    values, last, before, prev, s = [0] * n, {}, {}, base, 0
    for i, code in zip(order, codes):
        k, v = keys[i], 0
        now = last.get(k, 0)
        if code == 2:
            u = next(us)
            d = (u // 2 if u % 2 == 0 else -(u + 1) // 2) * scale
            s += d
            if prediction == "BY":
                v = now + d
            elif prediction == "BYSTEP":
                v = now + s
            elif prediction == "BACK":
                v = base + i - u * scale
            elif prediction == "STEP" or flags & 2:
                v = prev = prev + d
            else:
                v = base + u * scale
        else:
            v = now if code == 0 else before.get(k, 0)
        v %= 1 << 64
        if v != now:
            before[k], last[k] = now, v
        values[i] = v
    return col, values


# Every prediction with every layout; all sorts of keys, flags and dictionaries.
def test_layouts():
    names = ["c%d" % i for i in range(64)]
    schema = ["kind 70 many row"] + ["column %s count" % name for name in names]
    jobs = [(p, lay) for p in stkwrite.PREDICTIONS for lay in LAYOUTS] + [("SAME", lay) for lay in LAYOUTS]
    blocks, wanted = [], []
    while jobs:
        n = RND.randint(1, 30)
        rows = [[RND.choice([1, 2, 3, 65537, 1 << 40, number(64)]) for _ in range(n)], [0] * n]
        columns = [{"number": 0, "words": rows[0]}]
        if RND.randrange(3):
            rows[1] = [RND.choice([0, 1, 2, number(64)]) for _ in range(n)]
            columns.append({"number": 1, "words": rows[1]})
        for i in range(2, min(64, len(jobs) + 2)):
            col, values = random_column(*jobs.pop(), *rows[:2])
            columns.append({"number": i, **col})
            rows.append(values)
        rows += [[0] * n] * (64 - len(rows))
        blocks.append({"kind": 70, "rows": n, "columns": columns})
        wanted += [line("many", **dict(zip(names, row))) for row in zip(*rows)]
    status, lines, errors = read("layouts", stkwrite.input_bytes({"schema": schema, "blocks": blocks}))
    check("layouts", (status, errors, own(lines)), (0, [], wanted))
    check("layouts: rows of the index", sum('"index"' in x[:15] for x in lines), len(blocks) + 1)


# The writer's own choice of u, over random values.
def test_predictions():
    modes = [("PLAIN", {}), ("PLAIN", {"dictionary": True}), ("STEP", {}), ("BACK", {}), ("BY", {}), ("BY", {"keys": [0]}), ("BYSTEP", {"keys": [1]}),
             ("BYSTEP", {"keys": [0, 1]})] + [("SAME", {"keys": keys, "flags": flags, **book}) for keys in ([], [0], [1, 0])
                                              for flags in range(4) for book in ({}, {"dictionary": True})]
    names = ["a", "b"] + ["p%d" % i for i in range(len(modes))]
    schema = ["kind 70 many row"] + ["column %s number" % name for name in names]
    blocks, wanted = [], []
    for _ in range(10):
        n, bits = RND.randint(1, 200), RND.choice([1, 8, 33, 63])
        scale = RND.choice([1, 10, 4096])
        rows = [[RND.randint(-3, 3) for _ in range(n)], [RND.randint(-1, 1) for _ in range(n)]]
        columns = [{"number": i, "words": rows[i], "prediction": RND.choice(["PLAIN", "STEP"])} for i in range(2)]
        for i, (prediction, more) in enumerate(modes, 2):
            low, high = -(1 << bits) // scale, ((1 << bits) - 1) // scale
            s = RND.choice([1, scale])
            values = [RND.randint(low, high) * scale for _ in range(n)]
            if bits == 63 or prediction in ("PLAIN", "BACK"):
                s = 1
            if prediction == "SAME":
                values = [RND.choice([x * scale for x in range(4)]) for _ in values]
                s = scale if more["flags"] & 2 else 1
            columns.append({"number": i, "words": values, "prediction": prediction, "scale": s, **more})
            rows.append(values)
        blocks.append({"kind": 70, "columns": columns})
        wanted += [line("many", **dict(zip(names, row))) for row in zip(*rows)]
    status, lines, errors = read("predictions", stkwrite.input_bytes({"schema": schema, "blocks": blocks}))
    check("predictions", (status, errors, own(lines)), (0, [], wanted))


# Every type and encoding, through a JSON description and the command.
def test_types():
    schema = ["# a remark", "kind 72 name definition and more", "column text text of a name",
              "kind 70 all row", "column a count", "column b number", "column c real", "column d time", "column e span",
              "column f id:name", "column g enum:zero|one|t-wo_2", "column h text", "future word", "column i text", "column j real"]
    texts = ["", "a\"\\/\b\f\n\r\t\x00\x1f\x7f", "äß→😀", "\udcff\udc80x\udce2\udc82"]
    reals = [1.0, -0.0, 0.1, 1e300, 5e-324, float("nan"), float("inf"), -1.5]
    n = len(reals)
    words = [stkwrite.real_word(v) for v in reals]
    hs = (texts * 2)[:n]
    columns = [{"number": 0, "words": [(1 << 64) - 1 - i for i in range(n)], "base": -100 & MASK},
               {"number": 1, "words": [-i for i in range(n)], "prediction": "STEP"}, {"number": 2, "words": words},
               {"number": 3, "words": [0, -(1 << 63), -1, 1, 2, 3, 4, 5], "prediction": "STEP"}, {"number": 4, "constant": -5},
               {"number": 5, "constant": 2}, {"number": 6, "words": list(range(n))}, {"number": 7, "texts": hs},
               {"number": 9, "constant_real": 2.5}, {"number": 10, "texts": ["x"] * n}, {"number": 63, "constant": 1}]
    blocks = [{"kind": 72, "first": 1, "columns": [{"number": 0, "texts": texts}]},
              {"kind": 72, "first": 4000000000, "rows": 2, "columns": [{"number": 0, "text": "c\udcffd"}]},
              {"kind": 70, "columns": columns, "pad": 9},
              {"kind": 71, "rows": 5, "columns": [{"number": 0, "texts": ["x"] * 5}]}]
    path, out = os.path.join(TMP, "spec"), os.path.join(TMP, "out")
    with open(path, "w") as f:
        json.dump({"schema": schema, "minor": 7, "lost": 3, "blocks": blocks}, f)
    subprocess.run([sys.executable, os.path.join(HERE, "stkwrite.py"), path, out], check=True)
    with open(out, "rb") as f:
        data = f.read()
    read("types", data)
    status, lines, errors = read_command(data)
    show = ['""', '"a\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\\u007f"', '"äß→😀"', '"\\udcff\\udc80x\\udce2\\udc82"']
    wanted = ['{"kind":"name","id":%d,"text":%s}' % (i + 1, t) for i, t in enumerate(show)]
    wanted += ['{"kind":"name","id":%d,"text":"c\\udcffd"}' % (4000000000 + i) for i in range(2)]
    for i in range(n):
        c = ["1.0", "-0.0", "0.1", "1e+300", "5e-324", "null", "null", "-1.5"][i]
        d = ["0", "null", "-1", "1", "2", "3", "4", "5"][i]
        g = ['"zero"', '"one"', '"t-wo_2"', "3", "4", "5", "6", "7"][i]
        wanted.append('{"kind":"all","a":%d,"b":%d,"c":%s,"d":%s,"e":-5,"f":2,"g":%s,"h":%s,"i":"","j":2.5}'
                      % ((1 << 64) - 1 - i, -i, c, d, g, (show * 2)[i]))
    wanted.append('{"kind":"#71","rows":5}')
    check("types", (status, errors, own(lines)), (0, [], wanted))
    head = '{"kind":"head","major":1,"minor":7,"schema":%s}' % json.dumps("".join(x + "\n" for x in schema))
    check("types: head", lines[0], head)
    check("types: end", lines[-1].startswith('{"kind":"end","blocks":6,"index":') and lines[-1].endswith(
        '"bytes":%d,"lost":3}' % len(data)), True)
    check("types: 64 bytes", data[-64:-60], struct.pack("<I", stkwrite.MAGIC))
    plain = subprocess.run(["zstd", "-dcq", out], stdout=subprocess.PIPE)
    check("types: is a zstd file", plain.returncode, 0)
    check("types: summary", read_command(data, "--summary")[1], ["head 1", "name 6", "all 8", "#71 5", "index 5", "end 1"])


# Texts that are nearly UTF-8, and reals of all sizes.
def test_values():
    odd = [b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xf0\x9f\x98", b"a\xf0\x9f\x98b", b"\xf5", b"\xe2\x82", b"\xc3(", b"\xff\xfe",
           "\u2028\u2029\ufeff\uffff\U0010ffff\x7f\x80\x9f".encode(), bytes(range(32)), b"/</script>&'"]
    odd += [bytes(RND.choice(b"a\x00\x80\xbf\xc2\xe0\xed\xf0\xf4\xff") for _ in range(RND.randint(1, 9))) for _ in range(500)]
    reals = [0.1, 1e16, 9999999999999998.0, 1e22, 1e21, 123456789012345680.0, 1e-4, 1e-5, 9.5e-7, -0.0, 1.7976931348623157e308, 1 / 3,
             1e5, 2.0 ** 63, 5e22]
    reals += [float("%de%d" % (number(60), RND.randint(-30, 30))) for _ in odd]
    words = [stkwrite.real_word(v) for v in reals[:len(odd) // 2]] + [number(64) for _ in odd]
    texts = [t.decode("utf-8", "surrogateescape") for t in odd]
    columns = [{"number": 0, "texts": texts}, {"number": 1, "words": words[:len(odd)]}]
    status, lines, errors = read("values", stkwrite.input_bytes({"schema": ["kind 70 v row", "column t text", "column r real"],
                                                                 "blocks": [{"kind": 70, "columns": columns}]}))
    got = [json.loads(x) for x in own(lines)]
    check("values: texts", [x["t"].encode("utf-8", "surrogateescape") for x in got], odd)
    check("values: reals", [x["r"] if x["r"] is None else stkwrite.real_word(x["r"]) for x in got],
          [None if (w >> 52) % 2048 == 2047 else w for w in words[:len(odd)]])
    check("values", (status, errors), (0, []))


SMALL = ["kind 70 r row", "column a count", "column b count", "column t text", "column u count"]


# A block of a few rows, with the columns changed.
def small(n, wrong=None, columns=None, **more):
    first = {"number": 0, "words": [n, n + 1]}
    return {"kind": 70, "columns": columns or [first, {"number": 2, "texts": ["x%d" % n, "y"]}], "wrong": wrong or {}, **more}


# The lines of such a block.
def small_lines(n):
    return [line("r", a=n + i, b=0, t=t, u=0) for i, t in enumerate(["x%d" % n, "y"])]


# Reads a bad block between two right ones: exactly those must come out, and one message with the place.
def one_bad(name, bad, what="", free=False):
    data = stkwrite.input_bytes({"schema": SMALL, "blocks": [small(10), bad, small(20)]})
    before = stkwrite.stream_bytes({"schema": SMALL, "blocks": [small(10)], "index": False, "end": False})
    after = len(before) + len(stkwrite.block_bytes(bad))
    status, lines, errors = read(name, data, free)
    check(name, (status, own(lines)), (1, small_lines(10) + small_lines(20)))
    wanted = ["%d: " % len(before), "; bytes %d to %d are lost" % (len(before), after)]
    check(name + ": message", [bool(errors) and errors[0].startswith(wanted[0]) and what in errors[0],
                               len(errors) == 1 and errors[0].endswith(wanted[1])], [True, True])


# A column b with something wrong.
def bad_column(**more):
    return small(1, columns=[{"number": 0, "words": [1, 2]}, {"number": 1, "words": [5, 6], **more}])


# Everything that is damage.
def test_damage():
    one_bad("crc", small(1, {"crc": 1}), "CRC")
    one_bad("letters", small(1, {"letters": "stk2"}))
    one_bad("magic", small(1, {"magic": 0x184D2A52}))
    one_bad("n", small(1, {"n": 11}))
    one_bad("garbage", {"hex": "00" * 100 + "532a4d18" * 3})
    one_bad("kind", {**small(1), "kind": 1024}, "kind")
    one_bad("no rows", small(1, {"rows": 0}), "rows")
    one_bad("too many rows", {"kind": 70, "rows": (1 << 18) + 1}, "rows")
    one_bad("first id of a row", small(1, first=1), "first id", free=True)
    one_bad("time flag", small(1, {"time_flag": 2}), "time flag")
    one_bad("65 columns", small(1, columns=[{"number": i, "constant": 0} for i in range(65)], rows=2), "columns")
    one_bad("columns missing", small(1, {"columns": 3}))
    one_bad("columns do not ascend", small(1, columns=[{"number": 1, "constant": 0}, {"number": 1, "constant": 0}]), "ascend")
    one_bad("long varint", small(1, {"description": "46" + "ff" * 9 + "02" + "000000"}), "varint")
    one_bad("longer varint", small(1, {"description": "46" + "ff" * 10 + "00" + "000000"}), "varint")
    one_bad("short description", small(1, {"description": "46010000"}), "short")
    one_bad("constant text too long", small(1, columns=[{"number": 2, "text": "abc", "wrong": {"text_size": 9}}]))
    one_bad("encoding", bad_column(wrong={"encoding": 4}), "encoding")
    one_bad("words in a text", small(1, columns=[{"number": 2, "words": [1, 2]}]), "encoding")
    one_bad("prediction", bad_column(wrong={"rest": "06000100010000ff"}), "prediction")
    one_bad("scale", bad_column(scale=0, us=[1, 2]), "scale")
    for planes in ([9, 0, 0], [0, 3, 1], [0, 5, 0], [0, 0, 9], [8, 1, 0], [8, 0, 1], [1, 8, 1], [9, 8, 0], [1, 16, 0]):
        one_bad("planes %s" % planes, bad_column(planes=planes, wrong={"planes": 1}), "planes")
    for prediction in ("BY", "BYSTEP", "SAME"):
        one_bad("key is its own", bad_column(prediction=prediction, keys=[1]), "key")
        one_bad("key is above", bad_column(prediction=prediction, keys=[0, 2]), "key")
        one_bad("three keys", bad_column(prediction=prediction, keys=[0, 0, 0]), "key")
    texts = {"number": 2, "texts": ["", ""]}
    one_bad("key is a text", small(1, columns=[texts, {"number": 3, "prediction": "BY", "keys": [0, 2], "us": [1, 2]}]), "text")
    for prediction in ("BY", "BYSTEP", "SAME"):
        for name, other in (("", []), ("constant ", [{"number": 2, "text": "x"}])):
            col = {"number": 3, "prediction": prediction, "keys": [2], "codes": [2, 2], "us": [1, 2]}
            if prediction != "SAME":
                del col["codes"]
            one_bad("key is a %stext not stored" % name, small(1, columns=other + [col]), "text")
    one_bad("empty frame", bad_column(wrong={"frame": ""}), "frame")
    one_bad("code 3", bad_column(prediction="SAME", codes=[3, 2], us=[1]), "code 3")
    one_bad("listed, but no code", bad_column(prediction="SAME", codes=[0, 2], us=[1, 2]), "listed")
    one_bad("code, but none listed", bad_column(prediction="SAME", codes=[2, 2], us=[1]), "listed")
    one_bad("listed beyond rows", bad_column(prediction="SAME", codes=[2, 2], us=[1, 2, 3]), "listed")
    for flags in (4, 8, 128, 255):
        one_bad("flags", bad_column(prediction="SAME", flags=flags), "flags")
    one_bad("grouped: code 3", bad_column(prediction="SAME", flags=1, keys=[0], codes=[3, 2], us=[1]), "code 3")
    one_bad("steps: listed beyond codes", bad_column(prediction="SAME", flags=3, codes=[0, 2], us=[1, 2]), "listed")
    for prediction in ("STEP", "BY", "BYSTEP", "BACK"):
        one_bad("dictionary of " + prediction, bad_column(prediction=prediction, dictionary=True), "dictionary")
    for prediction in ("PLAIN", "SAME"):
        def book(name, wrong=None, what="", prediction=prediction, **more):
            wide = {"dictionary": {"values": [5, 300], "counts": [1, 2]}, "us": [5, 300], "planes": [2, 0, 0], **more}
            if prediction == "SAME":
                wide["codes"] = [2, 2]
            one_bad("dictionary: " + name, bad_column(prediction=prediction, wrong=wrong or {}, **wide), what)
        book("place", places=[0, 2], what="place")
        book("large place", places=[0, 65535], what="place")
        book("count", dictionary={"values": [5, 300], "counts": [1, 32]}, what="count")
        book("entries more", {"entries": 3})
        book("entries less", {"entries": 1})
        book("entries beyond the bound", {"entries": (1 << 18) + 1}, "dictionary")
        book("size more", {"differences_more": 1})
        book("size less", {"differences_more": -1})
        book("size beyond the bound", {"differences_more": 1 << 26}, "bound")
        start = "0a" if prediction == "SAME" else ""
        book("varint runs over", {"content": start + "058281" + "0102" + "0000" + "0100"})
        book("varint left", {"content": start + "050502" + "0102" + "0000" + "0100"}, "dictionary")
        book("varint too long", {"content": start + "ff" * 10 + "7f05" + "0102" + "0001" + "0000", "differences_more": 9}, "varint")
    one_bad("listed wrong", bad_column(prediction="SAME", wrong={"listed": 1}), "content")
    one_bad("frame size huge", bad_column(wrong={"frame_size": 1 << 62}), "beyond")
    one_bad("content size", bad_column(wrong={"content": "010203"}), "content")
    one_bad("frame without checksum", bad_column(wrong={"no_checksum": 1}), "checksum")
    one_bad("frame without size", bad_column(wrong={"no_size": 1}), "content size")
    one_bad("checksum", bad_column(wrong={"flip": -1}), "checksum")
    one_bad("flipped content", bad_column(wrong={"flip": -6}))
    for name, wrong in (("more", {"content_more": 1}), ("bound", {"content_size": (1 << 26) + 1})):
        one_bad("texts: " + name, small(1, columns=[{"number": 2, "texts": ["a", "b"], "wrong": wrong}]), "content")
    for content in ("0101616263", "0201", "01", "ffffffffffffffffff0101"):
        one_bad("texts " + content, small(1, columns=[{"number": 2, "texts": ["a", "b"], "wrong": {"content": content,
                "content_size": len(content) // 2}}]))


# What follows damage in frame sizes, where the next block is lost or the reader has to search.
def test_resync():
    def three(name, bad, more=b"", after=()):
        stream = {"schema": SMALL, "blocks": [small(10), bad, small(20), small(30)]}
        status, lines, errors = read(name, stkwrite.input_bytes(stream))
        check(name, (status, own(lines)), (1, small_lines(10) + [x for n in after for x in small_lines(n)]))
        check(name + ": message", bool(errors) and errors[0].startswith("%d: " % len(stkwrite.stream_bytes(
            {**stream, "blocks": [small(10)], "index": False, "end": False}))), True)
    three("frame size too large", bad_column(wrong={"frame_more": 1}), after=[30])
    three("frame size too small", bad_column(wrong={"frame_more": -1}), after=[20, 30])
    three("bytes missing", small(1, {"cut": 60}), after=[30])
    inner = stkwrite.block_bytes(small(50))
    three("a block in the text of a damaged block's header", small(1, columns=[
        {"number": 1, "text": inner.decode("utf-8", "surrogateescape")}], rows=2), after=[20, 30])
    three("a block in the frame of a damaged block", small(1, columns=[{"number": 1, "us": [1, 2], "wrong": {"frame": inner.hex()}}]),
          after=[20, 30])
    three("a block in a header that cannot be read", small(1, {"time_flag": 2}, columns=[
        {"number": 2, "text": inner.decode("utf-8", "surrogateescape")}], rows=2), after=[50, 20, 30])
    three("a block behind a header with a wrong CRC", small(1, {"crc": 1}, columns=[
        {"number": 1, "us": [1, 2], "wrong": {"frame": inner.hex()}}]), after=[50, 20, 30])
    big = [{"number": i, "words": [1, 2], "wrong": {"frame_size": 1 << 25}} for i in range(5)]
    three("frames together beyond the bound", small(1, columns=big), after=[20, 30])


# Streams one after another, from the future, cut, without HEAD.
def test_streams():
    one = {"schema": SMALL, "blocks": [small(10)]}
    data = stkwrite.stream_bytes(one)
    for kind in ("span", "blob"):
        two = stkwrite.input_bytes({"streams": [one, {"schema": ["kind 70 q row", "column z number", "column t " + kind, "column a text"],
                                                      "blocks": [small(20)], "minor": 9}]})
        more = {"t": 0} if kind == "span" else {}
        wanted = small_lines(10) + [line("q", z=20 + i, **more, a=t) for i, t in enumerate(["x20", "y"])]
        status, lines, errors = read("two streams", two, free=kind == "blob")
        check("two streams", (status, own(lines), errors), (0, wanted, []))
    check("command: cut", read_command(data[:-1])[0], 1)
    check("no stream", read("no stream", b"", free=True), (0, [], []))
    status, lines, errors = read("no END", data[:-64])
    check("no END", (status, own(lines), errors[0].split(":")[0]), (1, small_lines(10), str(len(data) - 64)))
    for cut in (1, 15, 63):
        status, lines, errors = read("cut END", data[:-cut])
        check("cut END", (status, own(lines), len(errors)), (1, small_lines(10), 2))
    status, lines, errors = read("END missing before HEAD", data[:-64] + data)
    check("END missing before HEAD", (status, own(lines), len(errors)), (1, small_lines(10) * 2, 1))
    status, lines, errors = read("HEAD missing after END", data + stkwrite.stream_bytes({**one, "head": False}))
    check("HEAD missing after END", (status, own(lines), len(errors)), (1, small_lines(10) + ['{"kind":"#70","rows":2}'], 1))
    status, lines, errors = read("HEAD missing at the beginning", stkwrite.stream_bytes({**one, "head": False}) + data)
    check("HEAD missing at the beginning", (status, own(lines), len(errors)), (1, ['{"kind":"#70","rows":2}'] + small_lines(10), 1))
    status, lines, errors = read("major version", data + stkwrite.stream_bytes({**one, "major": 2}))
    check("major version", (status, own(lines), len(errors), "major version 2" in errors[0]), (3, small_lines(10), 1, True))
    status, lines, errors = read("bytes after END", data + b"\0" * 50)
    check("bytes after END", (status, own(lines), len(errors)), (1, small_lines(10), 1))
    for kind in (0, 33, 34):
        schema = SMALL + ["kind %d other row" % kind, "column x text"]
        status, lines, errors = read("kind %d in the schema" % kind, stkwrite.input_bytes({**one, "schema": schema}))
        check("kind %d in the schema" % kind, (status, own(lines), len(lines), errors), (0, small_lines(10), 6, []))
    status, lines, errors = read("kind twice", data + stkwrite.input_bytes({**one, "schema": SMALL + SMALL}))
    check("kind twice", (status, own(lines), "twice" in errors[0]), (1, small_lines(10) + ['{"kind":"#70","rows":2}'], True))


# Kinds, columns, words of the schema and minor versions of the future; what need not be read need not be right.
def test_future():
    schema = ["hello", "kind 70 r row and more", "column a count of apples", "column-width 5"] + SMALL[2:]
    schema += ["", "kinds 7", "kind 71 fine definition"]
    future = {"number": 9, "words": [1, 2], "prediction": "STEP"}
    a = {"number": 0, "words": [5, 6]}
    known = [{"number": 0, "words": [20, 21]}, {"number": 2, "texts": ["x20", "y"]}]
    blocks = [small(10), small(20, columns=known + [future, {**future, "number": 63}]),
              {"kind": 71, "first": 9, "rows": 3}, {"kind": 99, "columns": [a]}, {"kind": 98, "first": 7, "rows": 2}, {"kind": 1023, "rows": 1 << 18}]
    more = ['{"kind":"fine","id":%d}' % i for i in (9, 10, 11)] + ['{"kind":"#%d","rows":%d}' % x for x in ((99, 2), (98, 2), (1023, 1 << 18))]
    wanted = small_lines(10) + small_lines(20) + more
    for minor in (0, 1, 1 << 40):
        status, lines, errors = read("future minor %d" % minor, stkwrite.input_bytes({"schema": schema, "minor": minor, "blocks": blocks, "lost": 2}))
        check("future minor %d" % minor, (status, own(lines), errors), (0, wanted, []))
    for name, columns in (("flip", [{**future, "wrong": {"flip": -1}}]), ("content", [{**future, "wrong": {"content": "01"}}]),
                          ("no frame", [{**future, "wrong": {"frame": "00" * 20}}]),
                          ("code 3", [{"number": 9, "prediction": "SAME", "codes": [3, 3], "us": []}]),
                          ("key of text", [{"number": 9, "prediction": "BY", "keys": [2], "us": [5, 6]}])):
        both = [small(20, columns=known + columns), {"kind": 99, "columns": known + columns}]
        status, lines, errors = read("not read: " + name, stkwrite.input_bytes({"schema": SMALL, "blocks": both}))
        check("not read: " + name, (status, own(lines), errors), (0, small_lines(20) + ['{"kind":"#99","rows":2}'], []))
    for name, head in (("no minor", [{"number": 0, "constant": 1}]), ("words", [{"number": 0, "words": [1]}, {"number": 1, "words": [3]}]),
                       ("more", [{"number": 0, "constant": 1}])):
        columns = head + [{"number": 2, "text": "".join(x + "\n" for x in SMALL)}] + [{"number": 3, "text": "x"}] * (name == "more")
        status, lines, errors = read("HEAD: " + name, stkwrite.input_bytes({"head": {"columns": columns}, "blocks": [small(10)]}))
        check("HEAD: " + name, (status, own(lines), errors), (0, small_lines(10), []))
    for major in (0, 2, 77, 1 << 40):
        status, lines, errors = read("major %d" % major, stkwrite.input_bytes({"schema": SMALL, "major": major, "blocks": [small(10)]}))
        check("major %d" % major, (status, lines, "major version %d " % major in errors[0]), (3, [], True))


# Streams of which a part is missing, by END or by ids.
def test_missing():
    one = {"schema": SMALL, "blocks": [small(10), small(20)]}
    size = len(stkwrite.stream_bytes(one))
    for name, blocks, said in (("right", 4, size), ("blocks", 5, size), ("bytes", 4, size - 1), ("both", 0, 0)):
        columns = [{"number": 0, "constant": blocks}, {"number": 2, "constant": said}]
        status, lines, errors = read("END: " + name, stkwrite.stream_bytes({**one, "end": {"columns": columns}}))
        check("END: " + name, (status, own(lines), ["a part is missing" in e for e in errors]),
              (int(name != "right"), small_lines(10) + small_lines(20), [True] * (name != "right")))
    status, lines, errors = read("a block less", stkwrite.stream_bytes(one).replace(stkwrite.block_bytes(small(10)), b""))
    check("a block less", (status, own(lines), len(errors)), (1, small_lines(20), 1))
    schema = ["kind 1 string definition", "column text text", "column more count", "kind 70 other row"]
    words = {"schema": schema, "blocks": [{"kind": 1, "first": i, "columns": [{"number": 0, "texts": ["a", "b"]}]} for i in (1, 3)]}
    cut = stkwrite.stream_bytes({**words, "end": False, "index": False})
    more = stkwrite.stream_bytes({**words, "head": False})
    status, lines, errors = read("HEAD missing by ids", cut + more)
    wanted = [line("string", id=i, text=t, **more) for more in ({"more": 0}, {}) for i, t in zip(range(1, 5), "abab")]
    check("HEAD missing by ids", (status, own(lines), ["no HEAD" in e for e in errors]), (1, wanted, [True]))


# Random damage: no row comes out that did not go in, and nothing is silent.
def test_flips():
    # of different sizes: else a cut of the right length can join the first column of a block to the second of another
    texts = [["x", bytes(RND.randint(97, 122) for _ in range(3 * i)).decode()] for i in range(10)]
    blocks = [small(0, columns=[{"number": 0, "words": [i * 10, i * 10 + 1]}, {"number": 2, "texts": t}]) for i, t in enumerate(texts)]
    data = stkwrite.stream_bytes({"schema": SMALL, "blocks": blocks})
    right = read("flips", data)[1]
    for i in range(70):
        bad = bytearray(data)
        for _ in range(RND.randint(1, 4)):
            bad[RND.randrange(len(bad))] = RND.randrange(256)
        if i % 3 == 0:
            at = RND.randrange(len(bad))
            del bad[at:at + RND.randint(1, 300)]
        try:
            status, lines, errors = read("flips", bytes(bad))
        except Exception as e:
            status, lines, errors = 1, [repr(e)], []
        extra = [x for x in lines if x not in right and not x.startswith('{"kind":"#70"')]
        check("flips %d" % i, extra, [])
        check("flips %d: not silent" % i, status == 1 or lines == right, True)


TIMED = ["kind 11 metric row", "column time time", "column source id:source", "column name text", "column value real",
         "kind 70 r row", "column time time", "column by count"]
UNKNOWN, LEAST, MOST = -(1 << 63), -(1 << 62), (1 << 62) - 1


# A block with these times, and a column that is predicted by them.
def timed(times, said=None):
    by = {"number": 1, "words": [i * i for i in range(len(times))], "prediction": "BY", "keys": [0]}
    return {"kind": 70, "range": said, "columns": [{"number": 0, "words": times}, by]}


# The lines of such a block.
def timed_lines(times):
    return [line("r", time=x if LEAST <= x <= MOST else None, by=i * i) for i, x in enumerate(times)]


# What a reader believes of times and measures.
def test_times():
    few = [5, LEAST, MOST, 7]
    for name, said in (("known", [LEAST, MOST]), ("no range", None)):
        status, lines, errors = read("times, " + name, stkwrite.input_bytes({"schema": TIMED, "blocks": [timed(few, said)]}))
        check("times, " + name, (status, own(lines), errors), (0, timed_lines(few), []))
    for name, times, said in (("first", [LEAST - 1, 3, 3], [LEAST - 1, 3]), ("last", [MOST + 1, 4, 4], [4, MOST + 1]),
                              ("all there are", [UNKNOWN + 1, 0, -UNKNOWN - 1], [UNKNOWN + 1, -UNKNOWN - 1]),
                              ("no range", [MOST + 1, 4, UNKNOWN], None)):
        status, lines, errors = read("not believed, " + name, stkwrite.input_bytes({"schema": TIMED, "blocks": [timed(times, said)]}))
        check("not believed, " + name, (status, own(lines), len(errors)), (1, timed_lines(times), 1))
    for name, times, said in (("too early", [5, 6], [4, 6]), ("too late", [5, 6], [5, 7]), ("with an unknown time", [5, UNKNOWN], [5, 5]),
                              ("wraps", [5, -6], [5, (1 << 64) - 6]), ("no times", [0], [1, 1])):
        data = stkwrite.input_bytes({"schema": TIMED, "blocks": [timed(few), timed(times, said), timed(few)]})
        status, lines, errors = read("range " + name, data)
        check("range " + name, (status, own(lines), len(errors)), (1, 2 * timed_lines(few), 1))
    reals = [1e100, -1e100, 1.1e100, float("inf"), float("nan"), 0.5]
    columns = [{"number": 0, "constant": 5}, {"number": 2, "text": "m"}, {"number": 3, "reals": reals}]
    status, lines, errors = read("measures", stkwrite.input_bytes({"schema": TIMED, "blocks": [{"kind": 11, "columns": columns}]}))
    check("measures", ([json.loads(x)["value"] for x in own(lines)], status, len(errors)), (reals[:2] + [None] * 3 + [0.5], 1, 1))


# Runs everything.
def main():
    begun = time.time()
    for test in (test_layouts, test_predictions, test_types, test_values, test_damage, test_resync, test_streams, test_future,
                 test_missing, test_times, test_flips):
        TEST.append(test.__name__[5:])
        test()
    print("%s, %.1f s" % ("FAILED %d" % len(FAILED) if FAILED else "ok", time.time() - begun))
    subprocess.run(["rm", "-rf", TMP], check=True)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
