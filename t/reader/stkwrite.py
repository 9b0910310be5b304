#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# stkwrite: writes record streams from a JSON description, right ones and wrong ones; written from lib/stream/FORMAT.md alone.

import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib

MAGIC = 0x184D2A53
MASK = (1 << 64) - 1
CONSTANT, CONSTANT_TEXT, WORDS, TEXTS = range(4)
PREDICTIONS = ("PLAIN", "STEP", "BY", "BYSTEP", "SAME", "BACK")
PLAIN, STEP, BY, BYSTEP, SAME, BACK = range(6)
GROUPED, STEPS = 1, 2
HEAD, INDEX, END = 0, 33, 34
UNKNOWN_TIME = 1 << 63


# A number as a varint.
def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


# The signed number that a word is.
def signed(word):
    word &= MASK
    return word - (1 << 64) if word >> 63 else word


# The zigzag of a word, or of a signed number.
def zigzag(n):
    n = signed(n)
    return (n << 1 ^ n >> 63) & MASK


# A number as a zvarint.
def zvarint(n):
    return varint(zigzag(n))


# The bytes of a text; \udcNN in it is the byte NN.
def raw(text):
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


# The word that a real is.
def real_word(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


FRAMES = {}     # that were made already


# Makes many frames by one zstd.
def make_frames(contents):
    contents = [c for c in set(contents) if c not in FRAMES]
    if not contents:
        return
    with tempfile.TemporaryDirectory(prefix="stkwrite") as folder:
        names = [os.path.join(folder, str(i)) for i in range(len(contents))]
        for name, content in zip(names, contents):
            with open(name, "wb") as f:
                f.write(content)
        subprocess.run(["zstd", "-q", "--check"] + names, check=True)
        for name, content in zip(names, contents):
            with open(name + ".zst", "rb") as f:
                FRAMES[content] = f.read()


# Some bytes as a zstd frame that is not as it should be.
def odd_frame(content, checksum, size):
    args = ["zstd", "-q", "-c", "--check" if checksum else "--no-check"]
    args += ["--stream-size=%d" % len(content)] if size else ["--no-content-size"]
    return subprocess.run(args, input=content, stdout=subprocess.PIPE, check=True).stdout


# Numbers of r bits, packed lowest bit first.
def pack_bits(numbers, r):
    out = bytearray((len(numbers) * r + 7) // 8)
    for i, number in enumerate(numbers if r else []):
        out[i * r // 8] |= (number & (1 << r) - 1) << i * r % 8
    return bytes(out)


# Count byte planes of numbers, lowest first.
def byte_planes(numbers, count):
    return b"".join(bytes(n >> 8 * i & 255 for n in numbers) for i in range(count))


# Numbers in planes.
def planes(numbers, low, r, high):
    if r == 8:
        return b"".join((n & (1 << 8 * low) - 1).to_bytes(low, "little") for n in numbers)
    packed = pack_bits([n >> 8 * low for n in numbers], r)
    return byte_planes(numbers, low) + packed + byte_planes([n >> 8 * low + r for n in numbers], high)


# Planes in which all numbers fit.
def fitting_planes(numbers):
    return [(max(numbers, default=0).bit_length() + 7) // 8, 0, 0]


# A number divided by the scale, which must go in.
def divided(number, scale):
    if number % scale:
        raise ValueError("%d is no multiple of the scale %d" % (number, scale))
    return number // scale


# The numbers u of PLAIN.
def do_plain(words, scale, base):
    return [divided(v - base & MASK, scale) for v in words]


# The numbers u of STEP.
def do_step(words, scale, base):
    before = [base] + words[:-1]
    return [zigzag(divided(signed(v - p), scale)) for v, p in zip(words, before)]


# The numbers u of BY and BYSTEP.
def do_by(words, keys, scale, summed):
    last, s, out = {}, 0, []
    for v, k in zip(words, keys):
        d = v - last.get(k, 0)
        out.append(zigzag(divided(signed(d - s), scale)))
        s = d if summed else 0
        last[k] = v
    return out


# The codes and the listed numbers u of SAME.
def do_same(words, keys, col):
    last, before, codes, listed = {}, {}, [], []
    flags = col.get("flags", 0)
    order = sorted(range(len(words)), key=lambda i: keys[i]) if flags & GROUPED else range(len(words))
    for i in order:
        v, k = words[i], keys[i]
        now = last.get(k, 0)
        code = 0 if v == now else 1 if v == before.get(k, 0) else 2
        codes.append(code)
        if code == 2:
            listed.append(v)
        if v != now:
            before[k], last[k] = now, v
    return codes, (do_step if flags & STEPS else do_plain)(listed, col.get("scale", 1), col.get("base", 0) & MASK)


# The codes (of SAME) and numbers u of a column; "us" and "codes" in its description come before what is right.
def predicted(col, keys):
    words = [real_word(v) for v in col["reals"]] if "reals" in col else [v & MASK for v in col.get("words", [])]
    prediction, scale, base = number_of(col), col.get("scale", 1), col.get("base", 0)
    codes = us = None
    if "us" not in col:
        if prediction == SAME:
            codes, us = do_same(words, keys, col)
        elif prediction == BACK:
            us = [divided(base + i - v & MASK, scale) for i, v in enumerate(words)]
        elif prediction >= BY:
            us = do_by(words, keys, scale, prediction == BYSTEP)
        else:
            us = (do_step if prediction == STEP else do_plain)(words, scale, base & MASK)
    return col.get("codes", codes), col.get("us", us)


# The entries of a column's dictionary, ascending, and their counts.
def dictionary_of(col, us):
    if isinstance(col["dictionary"], dict):
        return col["dictionary"]["values"], col["dictionary"]["counts"]
    values = sorted(set(us))
    return values, [min(31, us.count(v).bit_length()) for v in values]


# How many entries there are, the bytes of their differences and counts, and the places of numbers.
def with_dictionary(col, us):
    wrong = col.get("wrong", {})
    values, counts = dictionary_of(col, us)
    order = sorted(range(len(values)), key=lambda i: -counts[i])
    places = {}
    for place, i in enumerate(order):
        places.setdefault(values[i] & MASK, place)
    differences = b"".join(varint(v - w) for v, w in zip(values, [0] + values))
    head = varint(wrong.get("entries", len(values))) + varint(len(differences) + wrong.get("differences_more", 0))
    return head, differences + bytes(counts), col["places"] if "places" in col else [places[u] for u in us]


# The number of a column's prediction.
def number_of(col):
    name = col.get("prediction", "PLAIN")
    return PREDICTIONS.index(name) if name in PREDICTIONS else int(name)


# The frame of a column, with what is to be wrong about it.
def column_frame(content, wrong):
    if "no_checksum" in wrong or "no_size" in wrong:
        out = odd_frame(content, "no_checksum" not in wrong, "no_size" not in wrong)
    else:
        out = FRAMES[content]
    if "frame" in wrong:
        out = bytes.fromhex(wrong["frame"])
    if "flip" in wrong:
        at = wrong["flip"] % len(out)
        out = out[:at] + bytes([out[at] ^ 1]) + out[at + 1:]
    return out


# What follows encoding 2 up to the frame's size, and the content.
def words_column(col, row_keys):
    wrong, prediction = col.get("wrong", {}), number_of(col)
    codes, us = predicted(col, row_keys)
    entries, book = b"\0", b""
    listed = len(us)
    if "dictionary" in col and us:
        entries, book, us = with_dictionary(col, us)
    low, r, high = col.get("planes") or fitting_planes(us)
    bits = 8 * (low + high) + r % 8
    if not wrong and any(u >> bits for u in us):
        raise ValueError("a number does not fit in the planes")
    content = (pack_bits(codes, 2) if codes is not None else b"") + book + planes(us, low, r, high)
    out = bytes([prediction])
    if prediction in (BY, BYSTEP, SAME):
        keys = col.get("keys", [])
        out += bytes([len(keys)]) + b"".join(varint(key) for key in keys)
    if prediction == SAME:
        out += bytes([col.get("flags", 0)]) + varint(wrong.get("listed", listed))
    return out + varint(col.get("scale", 1)) + zvarint(col.get("base", 0)) + entries + bytes([low, r, high]), content


# What follows encoding 3 up to the frame's size, and the content.
def texts_column(col):
    wrong, texts = col.get("wrong", {}), [raw(t) for t in col["texts"]]
    content = b"".join(varint(len(t)) for t in texts) + b"".join(texts)
    return varint(wrong.get("content_size", len(content) + wrong.get("content_more", 0))), content


# The encoding of a column, what follows it up to the frame's size, and the frame's content or None.
def column_parts(col, keys):
    if "constant" in col:
        return CONSTANT, zvarint(col["constant"]), None
    if "constant_real" in col:
        return CONSTANT, zvarint(real_word(col["constant_real"])), None
    if "text" in col:
        text = raw(col["text"])
        return CONSTANT_TEXT, varint(col.get("wrong", {}).get("text_size", len(text))) + text, None
    if "texts" in col:
        return (TEXTS, *texts_column(col))
    return (WORDS, *words_column(col, keys))


# The parts of a column, with the content that was asked for.
def wanted_parts(col, keys):
    encoding, rest, content = column_parts(col, keys)
    wrong = col.get("wrong", {})
    return encoding, rest, bytes.fromhex(wrong["content"]) if "content" in wrong else content


# A column in the description, and its frame.
def column(col, encoding, rest, content):
    wrong, data = col.get("wrong", {}), b""
    if content is not None:
        data = column_frame(content, wrong)
        rest += varint(wrong.get("frame_size", len(data) + wrong.get("frame_more", 0)))
        rest += bytes.fromhex(wrong["check"]) if "check" in wrong else data[-4:].rjust(4, b"\0")
    if "rest" in wrong:
        rest = bytes.fromhex(wrong["rest"])
    return varint(col["number"]) + bytes([wrong.get("encoding", encoding)]) + rest, data


# How many rows the columns of a block have.
def rows_of(block):
    for col in block.get("columns", []):
        for name in ("words", "reals", "texts", "codes", "us"):
            if name in col:
                return len(col[name])
    return 1


# The words of a column of a block.
def words_of(block, number, rows):
    for other in block["columns"]:
        if other["number"] == number:
            if "reals" in other:
                return [real_word(v) for v in other["reals"]]
            return other.get("words", [other.get("constant", 0)] * rows)
    return [0] * rows


# The keys of the rows of a column.
def mix_keys(block, col, rows):
    columns = [words_of(block, key, rows) for key in col.get("keys", [])] + [[0] * rows] * 2
    return [(a + 40503 * b) % 65536 for a, b in zip(*columns[:2])]


# A header around a description.
def header(description, wrong):
    crc = zlib.crc32(description) ^ (1 if "crc" in wrong else 0)
    n = wrong.get("n", len(description) + 8)
    letters = raw(wrong.get("letters", "stk1"))
    return struct.pack("<II", wrong.get("magic", MAGIC), n) + letters + struct.pack("<I", crc) + description


# The description of a block, without its padding.
def description(block, rows, columns):
    wrong, span = block.get("wrong", {}), block.get("range")
    out = varint(block["kind"]) + varint(rows) + varint(block.get("first", 0))
    out += bytes([wrong.get("time_flag", 1 if span else 0)])
    if span:
        out += zvarint(span[0]) + varint(span[1] - span[0] & MASK)
    out += varint(wrong.get("columns", len(columns))) + b"".join(columns)
    return bytes.fromhex(wrong["description"]) if "description" in wrong else out


# The bytes of a block.
def block_bytes(block):
    if "hex" in block:
        return bytes.fromhex(block["hex"])
    block = {"columns": [], **block}
    wrong, rows = block.get("wrong", {}), block.get("rows", rows_of(block))
    parts = [wanted_parts(col, mix_keys(block, col, rows)) for col in block["columns"]]
    make_frames(content for _, _, content in parts if content is not None)
    parts = [column(col, *part) for col, part in zip(block["columns"], parts)]
    text = description(block, wrong.get("rows", rows), [p[0] for p in parts])
    text += bytes(block.get("pad", 0)) + bytes.fromhex(wrong.get("padding", ""))
    text += bytes(max(0, block.get("pad_to", 0) - 16 - len(text)))
    out = header(text, wrong) + b"".join(p[1] for p in parts)
    return out[:wrong["cut"]] if "cut" in wrong else out


# A column of one value or many.
def plain_column(number, values):
    if len(set(values)) == 1:
        return {"number": number, "constant": values[0]}
    return {"number": number, "words": values}


# The HEAD of a stream.
def head_block(stream):
    schema = stream.get("schema", "")
    schema = "".join(line + "\n" for line in schema) if isinstance(schema, list) else schema
    columns = [{"number": 0, "constant": stream.get("major", 1)}, {"number": 1, "constant": stream.get("minor", 0)}]
    return {"kind": HEAD, "columns": columns + [{"number": 2, "texts": [schema]}], **stream.get("head", {})}


# The INDEX of a stream; blocks are (kind, rows, offset, earliest, length).
def index_block(stream, blocks):
    columns = [plain_column(i, [b[i] for b in blocks]) for i in range(5)]
    return {"kind": INDEX, "rows": len(blocks), "columns": columns, **stream.get("index", {})}


# The END of a stream, which has so many blocks and so many bytes before it.
def end_block(stream, blocks, index, size):
    values = (blocks, index, size + 64, stream.get("lost", 0))
    columns = [{"number": i, "constant": v} for i, v in enumerate(values)]
    return {"kind": END, "columns": columns, "pad_to": 64, **stream.get("end", {})}


# What the INDEX says of a block.
def index_row(block, at):
    span = block.get("range")
    wrong = block.get("wrong", {})
    rows = wrong.get("rows", block.get("rows", rows_of(block)))
    return block["kind"], rows, at, span[0] if span else UNKNOWN_TIME, span[1] - span[0] if span else 0


# The bytes of a stream.
def stream_bytes(stream):
    out, rows = bytearray(), []
    head = [] if stream.get("head") is False else [head_block(stream)]
    for block in head + stream.get("blocks", []):
        if "hex" not in block:
            rows.append(index_row(block, len(out)))
        out += block_bytes(block)
    index = len(out)
    if stream.get("index") is not False:
        out += block_bytes(index_block(stream, rows))
    if stream.get("end") is not False:
        count = len(rows) + (stream.get("index") is not False)
        out += block_bytes(end_block(stream, count, index, len(out)))
    return bytes(out)


# The bytes of an input: one stream, or a list of them under "streams".
def input_bytes(spec):
    out = b"".join(stream_bytes(s) for s in spec.get("streams", [spec]))
    wrong = spec.get("wrong", {})
    for at in wrong.get("flip", []):
        out = out[:at] + bytes([out[at] ^ 1]) + out[at + 1:]
    return out[:wrong["cut"]] if "cut" in wrong else out


# The command.
def main(args):
    if len(args) != 2:
        print("usage: stkwrite.py SPEC.json|- OUT|-", file=sys.stderr)
        return 2
    if args[0] == "-":
        spec = json.load(sys.stdin)
    else:
        with open(args[0], encoding="utf-8") as f:
            spec = json.load(f)
    data = input_bytes(spec)
    if args[1] == "-":
        sys.stdout.buffer.write(data)
    else:
        with open(args[1], "wb") as f:
            f.write(data)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
