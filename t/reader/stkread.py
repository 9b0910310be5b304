#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# stkread: prints the rows of record streams as NDJSON; a second reader, written from lib/stream/FORMAT.md alone.

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from itertools import accumulate, chain

MAGIC = b"\x53\x2a\x4d\x18"
LETTERS = b"stk1"
MASK = (1 << 64) - 1
UNKNOWN_TIME = -(1 << 63)
TIME_LEAST, TIME_MOST, MEASURE_MOST = -(1 << 62), (1 << 62) - 1, 1e100
MEASURED = (10, 11, 18)     # kinds whose reals are measures: event, metric, intensity
HEADER_MIN, HEADER_MAX = 12, 65528
KIND_MAX, ROWS_MAX, COLUMNS_MAX, CONTENT_MAX, FRAMES_MAX, DICTIONARY_MAX = 1023, 1 << 18, 64, 1 << 26, 1 << 27, 1 << 18
CONSTANT, CONSTANT_TEXT, WORDS, TEXTS = range(4)
PLAIN, STEP, BY, BYSTEP, SAME, BACK = range(6)
GROUPED, STEPS = 1, 2
WHOLE = 8       # in place of the bits that are packed: numbers stand one after another
HEAD, INDEX, END = 0, 33, 34
BATCH_BYTES, BATCH_BLOCKS = 1 << 23, 512

FORMAT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib/stream/FORMAT.md")
USAGE = "usage: stkread.py [--summary] [--stkcat] FILE...|-"


# A block that must not be used, and why; the reader goes on at a place, or searches the next block from there.
class Damage(Exception):
    def __init__(self, what, go_on, search=False):
        super().__init__(what)
        self.go_on, self.search = go_on, search


# Something in a block that is not as the format says.
class Bad(Exception):
    pass


# A stream of a major version that is not known here.
class Refused(Exception):
    pass


# Raises Bad unless what is needed is so.
def need(true, what):
    if not true:
        raise Bad(what)


# The signed number that a word is.
def signed(word):
    return word - (1 << 64) if word >> 63 else word


# The word of a zigzag.
def unzigzag(z):
    return ((z >> 1) ^ -(z & 1)) & MASK


# Takes bytes, varints and texts off a run of bytes.
class Cursor:
    def __init__(self, data, at, end):
        self.data, self.at, self.end = data, at, end

    def byte(self):
        need(self.at < self.end, "description is too short")
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = 0
        for shift in range(0, 70, 7):
            b = self.byte()
            value |= (b & 127) << shift
            if b < 128:
                need(value <= MASK, "varint is above 64 bits")
                return value
        raise Bad("varint is longer than 10 bytes")

    def zvarint(self):
        return unzigzag(self.varint())

    def take(self, size):
        need(size <= self.end - self.at, "text is longer than the description")
        self.at += size
        return self.data[self.at - size:self.at]


# One described column of a block.
class Column:
    def __init__(self, number, encoding):
        self.number, self.encoding = number, encoding
        self.value = None       # of the constants
        self.content = 0        # size of the content
        self.size = 0           # size of the zstd frame
        self.check = b""         # its last four bytes
        self.data = b""         # the content itself
        self.bad = None         # what is wrong with the frame


# One block: where it is, and what its description says.
class Block:
    def __init__(self, at):
        self.at = self.body = self.end = at
        self.kind = self.rows = self.first = 0
        self.columns, self.range = [], None


# The bytes that n numbers take in planes, or one after another.
def planes_size(n, low, r, high):
    if r == WHOLE:
        return n * low
    return n * low + (n * r + 7) // 8 + n * high


# Reads the key columns.
def parse_keys(cur, col):
    count = cur.byte()
    need(count <= 2, "more than 2 key columns")
    col.keys = [cur.varint() for _ in range(count)]
    need(all(key < col.number for key in col.keys), "key column is not lower than its own")


# Reads what follows encoding 2.
def parse_words(cur, col, rows):
    col.prediction = cur.byte()
    need(col.prediction <= BACK, "prediction is not known")
    col.keys, col.flags, col.listed, codes = [], 0, rows, 0
    if col.prediction in (BY, BYSTEP, SAME):
        parse_keys(cur, col)
    if col.prediction == SAME:
        col.flags, col.listed, codes = cur.byte(), cur.varint(), (rows + 3) // 4
        need(col.flags <= GROUPED | STEPS, "flags are not known")
        need(col.listed <= rows, "more values listed than rows")
    col.scale = cur.varint()
    need(col.scale >= 1, "scale is 0")
    col.base = cur.zvarint()
    col.entries = cur.varint()
    need(col.entries == 0 or col.prediction in (PLAIN, SAME), "dictionary is not for this prediction")
    need(col.entries <= DICTIONARY_MAX, "dictionary is beyond the bound")
    col.differences = cur.varint() if col.entries else 0
    col.low, col.r, col.high = cur.byte(), cur.byte(), cur.byte()
    bits = 8 * col.low + col.r
    need(col.low <= 8 and col.r in (0, 1, 2, 4, WHOLE) and col.high <= 8, "planes break a bound")
    if col.r == WHOLE:
        need(col.high == 0, "planes break a bound")
    else:
        need(bits <= 64 and (col.high == 0 or bits < 64), "planes break a bound")
    col.content = codes + col.differences + col.entries + planes_size(col.listed, col.low, col.r, col.high)
    col.size, col.check = cur.varint(), cur.take(4)


# Reads the description of one column.
def parse_column(cur, previous, rows):
    number = cur.varint()
    need(number > previous, "column numbers do not ascend")
    col = Column(number, cur.byte())
    need(col.encoding <= TEXTS, "encoding is not known")
    if col.encoding == CONSTANT:
        col.value = cur.zvarint()
    elif col.encoding == CONSTANT_TEXT:
        col.value = cur.take(cur.varint())
    elif col.encoding == WORDS:
        parse_words(cur, col, rows)
    else:
        col.content, col.size, col.check = cur.varint(), cur.varint(), cur.take(4)
    need(col.content <= CONTENT_MAX, "content is beyond the bound")
    return col


# Reads the description of a block.
def parse_description(cur, block):
    block.kind, block.rows, block.first = cur.varint(), cur.varint(), cur.varint()
    need(block.kind <= KIND_MAX, "kind is beyond the bound")
    need(1 <= block.rows <= ROWS_MAX, "rows are beyond the bound")
    flag = cur.byte()
    need(flag <= 1, "time flag is neither 0 nor 1")
    if flag:
        earliest = signed(unzigzag(cur.varint()))
        block.range = earliest, earliest + cur.varint()
        need(block.range[1] < 1 << 63, "the latest time is beyond 64 bits")
    count = cur.varint()
    need(count <= COLUMNS_MAX, "columns are beyond the bound")
    previous = -1
    for _ in range(count):
        block.columns.append(parse_column(cur, previous, block.rows))
        previous = block.columns[-1].number
    need(sum(col.size for col in block.columns) <= FRAMES_MAX, "frames are beyond the bound")


# The size of the header at a place, or None where none with a right CRC stands.
def header_size(data, at):
    if data[at:at + 4] != MAGIC or data[at + 8:at + 12] != LETTERS or len(data) < at + 16:
        return None
    n, = struct.unpack_from("<I", data, at + 4)
    if not HEADER_MIN <= n <= HEADER_MAX or len(data) < at + 8 + n:
        return None
    crc, = struct.unpack_from("<I", data, at + 12)
    return n if zlib.crc32(data[at + 16:at + 8 + n]) == crc else None


# The content size and the length of the zstd frame at a place, from its own headers (RFC 8878).
def frame_sizes(data, at, end):
    need(end - at >= 6 and data[at:at + 4] == b"\x28\xb5\x2f\xfd", "no zstd frame")
    flags = data[at + 4]
    single = flags >> 5 & 1
    width = (single, 2, 4, 8)[flags >> 6]
    need(width, "frame does not state its content size")
    need(flags & 4, "frame has no checksum")
    at += 5 + (1 - single) + (0, 1, 2, 4)[flags & 3]
    content = int.from_bytes(data[at:at + width], "little") + (256 if width == 2 else 0)
    at += width
    last = 0
    while not last:
        need(at + 3 <= end, "frame is cut")
        head = int.from_bytes(data[at:at + 3], "little")
        last = head & 1
        at += 3 + (1 if head >> 1 & 3 == 1 else head >> 3)
    return content, at + 4


# Compares the frame of a column with what the description says of it.
def check_frame(data, col):
    need(col.size <= len(data) - col.at, "frame is beyond the end of the input")
    content, end = frame_sizes(data, col.at, col.at + col.size)
    need(end == col.at + col.size, "frame has not the size that is said")
    need(content == col.content, "content has not the size that is said")
    need(data[end - 4:end] == col.check, "frame is not the one that is meant")


# Finds the frames of a block, and marks those that are damaged; gives the place behind them.
def place_frames(data, block):
    at = block.body
    for col in stored([block]):
        col.at = at
        at += col.size
        try:
            check_frame(data, col)
        except Bad as e:
            col.bad = str(e)
    return at


# Reads header and frame sizes of the block at a place.
def parse_block(data, at):
    n = header_size(data, at)
    if n is None:
        raise Damage("no header with a right CRC", at + 1, search=True)
    block = Block(at)
    block.body = at + 8 + n
    try:
        parse_description(Cursor(data, at + 16, block.body), block)
    except Bad as e:
        raise Damage(str(e), at + 1, search=True) from None
    block.end = place_frames(data, block)
    return block


# The columns of blocks that have a frame.
def stored(blocks):
    return [col for block in blocks for col in block.columns if col.encoding >= WORDS]


# Gives columns their contents, by one zstd; False when it cannot.
def decompress(data, columns):
    frames = b"".join(data[col.at:col.at + col.size] for col in columns)
    done = subprocess.run(["zstd", "-dcq"], input=frames, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode or len(done.stdout) != sum(col.content for col in columns):
        return False
    at = 0
    for col in columns:
        col.data = done.stdout[at:at + col.content]
        at += col.content
    return True


# Decompresses columns, each for itself, and marks those that are damaged.
def decompress_apart(data, columns):
    with tempfile.TemporaryDirectory(prefix="stkread") as folder:
        for i, col in enumerate(columns):
            with open("%s/%d.zst" % (folder, i), "wb") as f:
                f.write(data[col.at:col.at + col.size])
        subprocess.run(["zstd", "-dq"] + ["%d.zst" % i for i in range(len(columns))], cwd=folder, stderr=subprocess.DEVNULL)
        for i, col in enumerate(columns):
            try:
                col.data = load("%s/%d" % (folder, i))
            except OSError:
                col.bad = "frame cannot be decompressed, or its checksum differs"


# Decompresses columns, and marks those that are damaged.
def decompress_all(data, columns):
    if columns and not decompress(data, columns):
        decompress_apart(data, columns)


# The blocks from a place on, a batch of them, and the Damage that ended it or None.
def look_ahead(data, at):
    blocks, size = [], 0
    while at < len(data) and size < BATCH_BYTES and len(blocks) < BATCH_BLOCKS:
        try:
            block = parse_block(data, at)
        except Damage as e:
            return blocks, (at, e)
        blocks.append(block)
        size += sum(col.content for col in block.columns)
        at = block.end
    return blocks, None


# The next place from here on where a header stands, or the end.
def search(data, at):
    while True:
        at = data.find(MAGIC, at)
        if at < 0:
            return len(data)
        if header_size(data, at) is not None:
            return at
        at += 1


# By r, the numbers that a byte holds.
UNPACKED = {r: [[b >> s & ((1 << r) - 1) for s in range(0, 8, r)] for b in range(256)] for r in (1, 2, 4)}


# Each number's r bits, of n numbers, packed lowest bit first.
def unpack_bits(data, n, r):
    if r == 0:
        return [0] * n
    return list(chain.from_iterable(map(UNPACKED[r].__getitem__, data)))[:n]


# The numbers whose bytes stand in count planes of n bytes; planes above 8 are not there.
def join_planes(data, n, count):
    out = bytearray(8 * n)
    for i in range(min(count, 8)):
        out[i::8] = data[i * n:(i + 1) * n]
    return struct.unpack("<%dQ" % n, out)


# The numbers that planes hold.
def unplane(data, n, low, r, high):
    if r == WHOLE:
        return [int.from_bytes(data[i:i + low], "little") for i in range(0, n * low, low)] if low else [0] * n
    packed_at = n * low
    high_at = packed_at + (n * r + 7) // 8
    lows = join_planes(data[:packed_at], n, low)
    if r == 0 and high == 0:
        return lows
    packed = unpack_bits(data[packed_at:high_at], n, r)
    highs = join_planes(data[high_at:], n, high)
    a, b = 8 * low, 8 * low + r
    return [(x | y << a | z << b) & MASK for x, y, z in zip(lows, packed, highs)]


# The entries of a dictionary, in the order of their places.
def dictionary(data, entries):
    cur = Cursor(data, 0, len(data) - entries)
    values = list(accumulate(cur.varint() for _ in range(entries)))
    need(cur.at == cur.end, "dictionary has not the size that is said")
    counts = data[cur.end:]
    need(max(counts) <= 31, "dictionary has a count above 31")
    return [values[i] & MASK for i in sorted(range(entries), key=lambda i: -counts[i])]


# The numbers u of a column, whose content after the codes this is.
def read_numbers(col, data, n):
    split = col.differences + col.entries
    us = unplane(data[split:], n, col.low, col.r, col.high)
    if not col.entries:
        return us
    need(all(u < col.entries for u in us), "place beyond the dictionary")
    places = dictionary(data[:split], col.entries)
    return [places[u] for u in us]


# The steps d that numbers u are.
def steps(us, scale):
    return [((u >> 1) ^ -(u & 1)) * scale for u in us]


# The sums of steps, from a base on.
def step_by_step(us, col):
    return [v & MASK for v in accumulate(steps(us, col.scale), initial=col.base)][1:]


# The values base + u * scale.
def plain(us, col):
    return [(col.base + u * col.scale) & MASK for u in us]


# The values of SAME.
def undo_same(col, rows, keys):
    split = (rows + 3) // 4
    codes = unpack_bits(col.data[:split], rows, 2)
    need(codes.count(3) == 0, "code 3")
    need(codes.count(2) == col.listed, "listed values are not as many as their codes")
    us = read_numbers(col, col.data[split:], col.listed)
    listed = iter(step_by_step(us, col) if col.flags & STEPS else plain(us, col))
    order = sorted(range(rows), key=keys.__getitem__) if col.flags & GROUPED else range(rows)
    last, before, out = {}, {}, [0] * rows
    for code, row in zip(codes, order):
        k = keys[row]
        now = last.get(k, 0)
        if code == 0:
            v = now
        elif code == 1:
            v = before.get(k, 0)
        else:
            v = next(listed)
        if v != now:
            before[k], last[k] = now, v
        out[row] = v
    return out


# The values of BY and BYSTEP.
def undo_by(ds, keys, summed):
    last, out, s = {}, [], 0
    for d, k in zip(ds, keys):
        s = s + d if summed else d
        v = (last.get(k, 0) + s) & MASK
        last[k] = v
        out.append(v)
    return out


# The keys of the rows, from the values of the key columns that are described.
def mix_keys(col, rows, done):
    columns = [done.get(key, [0] * rows) for key in col.keys] + [[0] * rows] * 2
    return [(a + 40503 * b) & 65535 for a, b in zip(*columns[:2])]


# The words of a column of encoding 2.
def undo_prediction(col, rows, done):
    keys = mix_keys(col, rows, done)
    if col.prediction == SAME:
        return undo_same(col, rows, keys)
    us = read_numbers(col, col.data, rows)
    if col.prediction == PLAIN:
        return plain(us, col)
    if col.prediction == BACK:
        return [(col.base + i - u * col.scale) & MASK for i, u in enumerate(us)]
    if col.prediction == STEP:
        return step_by_step(us, col)
    return undo_by(steps(us, col.scale), keys, col.prediction == BYSTEP)


# The texts of a column of encoding 3.
def split_texts(data, rows):
    cur = Cursor(data, 0, len(data))
    sizes = [cur.varint() for _ in range(rows)]
    need(sum(sizes) == len(data) - cur.at, "texts have not the size that is said")
    return [cur.take(size) for size in sizes]


# The words or texts of a column, one a row.
def column_values(col, rows, done):
    if col.encoding < WORDS:
        return [col.value] * rows
    if col.encoding == TEXTS:
        return split_texts(col.data, rows)
    return undo_prediction(col, rows, done)


# What JSON writes in digits: bytes that are not UTF-8 as \udcNN; controls, and characters that only say how to show others.
IN_DIGITS = re.compile("[\udc80-\udcff\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]")


# A text as a JSON string.
def json_text(raw):
    text = json.dumps(raw.decode("utf-8", "surrogateescape"), ensure_ascii=False)
    return IN_DIGITS.sub(lambda m: json.dumps(m.group())[1:-1], text)


# A real as JSON.
def json_real(word):
    value, = struct.unpack("<d", word.to_bytes(8, "little"))
    return "null" if value != value or value in (float("inf"), -float("inf")) else repr(value)


# A time as JSON.
def json_time(word):
    return "null" if signed(word) == UNKNOWN_TIME else str(signed(word))


# An enum as JSON.
def json_enum(names):
    quoted = [json_text(name) for name in names]
    return lambda word: quoted[word] if word < len(quoted) else str(word)


# What prints a value of a type; None for a type that is not known.
def printer(kind_type):
    if kind_type.startswith(b"enum:"):
        return json_enum(kind_type[5:].split(b"|"))
    if kind_type == b"count" or kind_type.startswith(b"id:"):
        return str
    if kind_type in (b"number", b"span"):
        return lambda word: str(signed(word))
    return {b"text": json_text, b"real": json_real, b"time": json_time}.get(kind_type)


# A kind of the schema: columns are (name, is text or not, printer).
class Kind:
    def __init__(self, name, definition):
        self.name, self.definition, self.columns, self.types = name, definition, [], []


# Adds one schema line; gives the kind that following columns belong to.
def schema_line(kinds, kind, words):
    if words[0] == b"kind":
        if len(words) < 4 or not words[1].isdigit() or words[3] not in (b"row", b"definition"):
            return None
        number = int(words[1])
        need(number not in kinds, "kind %d is declared twice" % number)
        kind = kinds[number] = Kind(words[2], words[3] == b"definition")
    elif words[0] == b"column" and kind and len(words) >= 3:
        kind.columns.append((words[1], words[2] == b"text", printer(words[2])))
        kind.types.append(words[2])
    return kind


# The kinds of a schema, by number.
def parse_schema(text):
    kinds, kind = {}, None
    for line in text.split(b"\n"):
        kind = schema_line(kinds, kind, line.split(b" "))
    return kinds


# The schema that the tables of section 6 are.
def format_schema():
    try:
        with open(FORMAT, "rb") as f:
            text = f.read().split(b"<!-- kinds -->")[-1].split(b"<!-- end of kinds -->")[0]
    except OSError:
        return b""
    text = re.sub(rb"(?m)^### ([0-9]+) ([^ ]+) \(([a-z]+)\)$", rb"kind \1 \2 \3", text)
    text = re.sub(rb"(?m)^\| [0-9]+ \| ([^ ]+) \| ([^ ]+) \|.*$", rb"column \1 \2", text)
    return text.replace(b"\\|", b"|")


# HEAD, INDEX and END, which no schema changes; and the kinds of streams whose HEAD was lost.
FIXED_KINDS = parse_schema(
    b"kind 0 head row\ncolumn major count\ncolumn minor count\ncolumn schema text\n"
    b"kind 33 index row\ncolumn kind count\ncolumn rows count\ncolumn offset count\ncolumn time time\n"
    b"column length span\ncolumn holds text\nkind 34 end row\ncolumn blocks count\ncolumn index count\ncolumn bytes count\n"
    b"column lost count\n")
OWN_KINDS = {**parse_schema(format_schema()), **FIXED_KINDS}


# The times of a block are those that its description says.
def check_range(block, kind, done):
    if block.range and b"time" in kind.types:
        times = [signed(v) for v in done.get(kind.types.index(b"time"), [0])]
        need(block.range == (min(times), max(times)), "the times are not those that are said")


# Whether the value of a column is one that a reader believes.
def believed(kind_number, kind_type, word):
    if kind_type == b"time":
        return signed(word) == UNKNOWN_TIME or TIME_LEAST <= signed(word) <= TIME_MOST
    if kind_type == b"real" and kind_number in MEASURED:
        return abs(struct.unpack("<d", word.to_bytes(8, "little"))[0]) <= MEASURE_MOST
    return True


# Puts unknown times, and no measures, in place of what is not believed; says how many there were.
def judge(block, kind, done):
    doubts = []
    for number in done:
        of = kind.types[number]
        bad = sum(not believed(block.kind, of, v) for v in done[number]) if of in (b"time", b"real") else 0
        if bad and block.kind != INDEX:
            none = UNKNOWN_TIME & MASK if of == b"time" else 0x7ff8 << 48
            done[number] = [v if believed(block.kind, of, v) else none for v in done[number]]
            doubts.append("%d values of column %d are not believed" % (bad, number))
    return doubts


# The values of all columns of a block that its kind declares, by number.
def block_values(block, kind):
    done = {}
    for col in block.columns:
        if col.number >= len(kind.columns):
            break
        _, is_text, known = kind.columns[col.number]
        need(not col.bad, col.bad)
        need(not known or is_text == (col.encoding in (CONSTANT_TEXT, TEXTS)), "encoding is not of the column's type")
        if col.encoding == WORDS:
            need(not any(kind.columns[key][1] for key in col.keys), "key column is a text")
        done[col.number] = column_values(col, block.rows, done)
    check_range(block, kind, done)
    return done


# One printed column: a string a row.
def printed_column(block, kind, number, done):
    name, is_text, show = kind.columns[number]
    key = "," + json_text(name) + ":"
    same = [col for col in block.columns if col.number == number and col.encoding < WORDS]
    if number not in done:
        return [key + show(b"" if is_text else 0)] * block.rows
    if same:
        return [key + show(done[number][0])] * block.rows
    return [key + show(v) for v in done[number]]


# The lines of a block of a known kind, and what is doubtful of it.
def block_lines(block, kind):
    need((block.first > 0) == kind.definition, "first id is not of the kind")
    done = block_values(block, kind)
    doubts = judge(block, kind, done)
    start = '{"kind":' + json_text(kind.name)
    parts = [[start] * block.rows]
    if kind.definition:
        parts.append([',"id":%d' % (block.first + i) for i in range(block.rows)])
    for number, (_, _, show) in enumerate(kind.columns):
        if show:
            parts.append(printed_column(block, kind, number, done))
    return ["".join(row) + "}" for row in zip(*parts)], doubts


# Reads one input and prints it; not its blocks of the kinds left out.
class Reader:
    def __init__(self, data, out, summary, left_out=()):
        self.data, self.out, self.summary, self.left_out = data, out, summary, left_out
        self.open = False           # a stream has begun and has not ended
        self.status = 0
        self.start(0, OWN_KINDS)

    # Says what is wrong, and where. Unless bytes were lost, the stream is whole.
    def report(self, at, what, lost=True):
        self.out.flush()
        print("%d: %s" % (at, what), file=sys.stderr, flush=True)
        self.status = 1
        self.whole = self.whole and not lost

    # Says what is damaged; gives the place to go on at.
    def skip(self, at, damage):
        to = search(self.data, damage.go_on) if damage.search else damage.go_on
        self.report(at, "%s; bytes %d to %d are lost" % (damage, at, to))
        return to

    # Begins a stream at a place.
    def start(self, at, kinds):
        self.at, self.kinds = at, kinds
        self.blocks = 0             # that were read
        self.defined = {}           # the highest id of each kind
        self.whole = True           # nothing was wrong

    # Begins a stream with its HEAD, unless that is damaged.
    def begin(self, block):
        head = block_values(block, FIXED_KINDS[HEAD])
        need(block.rows == 1, "HEAD has not one row")
        major = head.get(0, [0])[0]
        if major != 1:
            raise Refused("major version %d is not known" % major)
        kinds = {**parse_schema(head.get(2, [b""])[0]), **FIXED_KINDS}
        if self.open:
            self.report(block.at, "the stream before was cut: it has no END")
        self.start(block.at, kinds)

    # Begins a stream whose HEAD was lost.
    def begin_without(self, block):
        self.report(block.at, "no HEAD before this block")
        self.start(block.at, OWN_KINDS)
        self.whole = False

    # Ends a stream: compares what END says with what was read.
    def end(self, block):
        done = block_values(block, FIXED_KINDS[END])
        blocks, size = done.get(0, [0])[0], done.get(2, [0])[0]
        if self.whole and (blocks, size) != (self.blocks, block.end - self.at):
            self.report(block.at, "a part is missing: %d blocks of %d, %d bytes of %d" % (
                self.blocks, blocks, block.end - self.at, size))
        self.open = False

    # Prints a whole block, or raises Bad.
    def show(self, block):
        need(block.end <= len(self.data), "frame is beyond the end of the input")
        if block.kind == HEAD:
            self.begin(block)
        elif not self.open or block.first and block.first <= self.defined.get(block.kind, 0):
            self.begin_without(block)
        self.open = True
        kind = self.kinds.get(block.kind)
        name = json_text(kind.name) if kind else '"#%d"' % block.kind
        lines = ['{"kind":%s,"rows":%d}' % (name, block.rows)]
        if kind and block.kind not in self.left_out:
            lines, doubts = block_lines(block, kind)
            for doubt in doubts:
                self.report(block.at, doubt, False)
        if block.first:
            self.defined[block.kind] = block.first + block.rows - 1
        if self.summary is not None:
            self.summary[name] = self.summary.get(name, 0) + block.rows
        elif block.kind not in self.left_out:
            self.out.write("\n".join(lines) + "\n")
        if block.kind == END:
            self.end(block)
        self.blocks += 1

    # Prints a batch of blocks; gives the place to go on at.
    def batch(self, at):
        blocks, problem = look_ahead(self.data, at)
        decompress_all(self.data, [col for col in stored(blocks) if not col.bad])
        for block in blocks:
            try:
                self.show(block)
            except Bad as e:
                self.skip(block.at, Damage(str(e), min(block.end, len(self.data))))
            at = min(block.end, len(self.data))
        return self.skip(*problem) if problem else at

    # Prints all blocks.
    def run(self):
        at = 0
        try:
            while at < len(self.data):
                at = self.batch(at)
        except Refused as e:
            self.report(at, str(e))
            return 3
        if self.open:
            self.report(len(self.data), "the input was cut: its last stream has no END")
        return self.status


# All bytes of a file, or of the standard input.
def load(name):
    if name == "-":
        return sys.stdin.buffer.read()
    with open(name, "rb") as f:
        return f.read()


# The command.
def main(args):
    names = [a for a in args if a not in ("--summary", "--stkcat")]
    if not names or any(a.startswith("--") for a in names):
        print(USAGE, file=sys.stderr)
        return 2
    out = open(sys.stdout.fileno(), "w", encoding="utf-8", errors="surrogateescape", newline="\n", closefd=False)
    summary = {} if "--summary" in args else None
    left_out = (INDEX, END) if "--stkcat" in args else ()
    status = 0
    for name in names:
        try:
            one = Reader(load(name), out, summary, left_out).run()
            status = max(status, one)
        except OSError as e:
            if isinstance(e, BrokenPipeError):
                raise
            print("%s: %s" % (name, e.strerror), file=sys.stderr)
            status = 1
    for name, rows in (summary or {}).items():
        out.write("%s %d\n" % (json.loads(name), rows))
    out.flush()
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
