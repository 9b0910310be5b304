#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# pprof.py: profiles of google/pprof, written and read without any library.
#   make NAME        a profile on stdout, of those below
#   print            what a profile on stdin holds, gzip or not: TYPE/UNIT WEIGHT THREAD STACK, a line each, stacks root first with function:file:line@module
import gzip, struct, sys

def varint(n):
    n &= 2 ** 64 - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])

def number(field, value): return varint(field << 3) + varint(value)
def element(field, data): return varint(field << 3 | 2) + varint(len(data)) + data

class Profile:
    def __init__(self, strings_last=True, packed=True):
        self.strings, self.parts, self.packed, self.strings_last = [""], [], packed, strings_last
    def text(self, s):
        if s not in self.strings:
            self.strings.append(s)
        return self.strings.index(s)
    def add(self, field, *fields): self.parts.append(element(field, b"".join(fields)))
    def type(self, name, unit): self.add(1, number(1, self.text(name)), number(2, self.text(unit)))
    def numbers(self, field, values):
        return element(field, b"".join(map(varint, values))) if self.packed else b"".join(number(field, v) for v in values)
    def sample(self, locations, values, *labels): self.add(2, self.numbers(1, locations), self.numbers(2, values), *labels)
    def label(self, key, text=None, value=0, unit=""):
        return element(3, number(1, self.text(key)) + (number(2, self.text(text)) if text else number(3, value) + (number(4, self.text(unit)) if unit else b"")))
    def mapping(self, id, file): self.add(3, number(1, id), number(5, self.text(file)))
    def location(self, id, mapping, address, *lines):
        self.add(4, number(1, id), *([number(2, mapping)] if mapping else []), number(3, address), *(element(4, number(1, f) + number(2, l)) for f, l in lines))
    def function(self, id, name, file): self.add(5, number(1, id), number(2, self.text(name)), number(3, self.text(name)), number(4, self.text(file)))
    def bytes(self, *last):
        table = [element(6, s.encode()) for s in self.strings]
        parts = self.parts + table if self.strings_last else table + self.parts
        return b"".join(parts) + b"".join(last)

def heap(**how):                    # four types, as Go's heap; ids that are not dense; an inlined function; a location without a function
    p = Profile(**how)
    for name in ("alloc_objects", "inuse_objects"):
        p.type(name, "count"); p.type(name.replace("objects", "space"), "bytes")
    p.sample([7, 2 ** 40], [3, 3072, 0, 0])
    p.sample([2 ** 40], [10, 640, 2, 128], p.label("bytes", value=64, unit="bytes"))
    p.sample([9, 2 ** 40], [1, 16, 1, 16], p.label("thread", "worker"), p.label("thread_id", value=12))
    p.mapping(1, "/opt/shop")
    p.mapping(2, "/usr/lib/libc.so.6")
    p.location(7, 1, 0x401000, (1, 11), (2, 22))
    p.location(2 ** 40, 1, 0x402000, (3, 33))
    p.location(9, 2, 0x7f0010)
    p.function(1, "main.inner", "/src/inner.go")
    p.function(2, "main.outer", "/src/outer.go")
    p.function(3, "main.main", "/src/main.go")
    return p.bytes(number(9, 1767225600 * 10 ** 9), number(14, p.text("inuse_space")))

def cpu(**how):
    p = Profile(**how)
    p.type("samples", "count"); p.type("cpu", "milliseconds")
    p.sample([1], [2, 20]); p.sample([2, 1], [1, 10])
    p.location(1, 0, 0, (1, 1)); p.location(2, 0, 0, (2, 2))
    p.function(1, "main", ""); p.function(2, "work", "")
    return p.bytes(number(9, 1767225600 * 10 ** 9), number(10, 10 ** 9))

def lost(**how):                    # refers to what is not there; a negative value; a value too many
    p = Profile(**how)
    p.type("samples", "count")
    p.sample([1, 5], [1]); p.sample([1], [-4]); p.sample([1], [2, 3])
    p.location(1, 0, 0, (1, 1))
    p.function(1, "main", "")
    return p.bytes()

made = {"heap": heap, "cpu": cpu, "lost": lost,
        "heap-other": lambda: heap(strings_last=False, packed=False),
        "least": lambda: bytes.fromhex("0a0408011002" "12060a0101120103" "220808012204080110" "07" "2a0408011003" "3200" "320773616d706c6573" "3205636f756e74" "320166"),
        "empty": lambda: Profile().bytes(),
        "types": lambda: (lambda p: (p.type("samples", "count"), p.bytes())[1])(Profile())}

def fields(data):
    at = 0
    def take():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]; at += 1
            value |= (byte & 127) << shift; shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = take()
        if key & 7 == 0:
            yield key >> 3, take()
        else:
            assert key & 7 == 2, key
            size = take()
            assert at + size <= len(data)
            yield key >> 3, data[at:at + size]
            at += size

def packed(values):
    out = []
    for v in values:
        if isinstance(v, int):
            out.append(v)
        else:
            at = 0
            while at < len(v):
                n = shift = 0
                while True:
                    b = v[at]; at += 1; n |= (b & 127) << shift; shift += 7
                    if b < 128: break
                out.append(n)
    return out

def show(data):
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    top = list(fields(data))
    strings = [v.decode() for f, v in top if f == 6]
    assert strings[0] == "" and len(set(strings)) == len(strings)
    one = lambda data: dict(fields(data))
    types = [one(v) for f, v in top if f == 1]
    functions = {one(v)[1]: one(v) for f, v in top if f == 5}
    mappings = {one(v)[1]: one(v) for f, v in top if f == 3}
    locations = {}
    for f, v in top:
        if f == 4:
            assert one(v)[1] not in locations
            module = strings[mappings[one(v)[2]][5]] if 2 in one(v) else ""
            locations[one(v)[1]] = [(functions[one(l).get(1)], one(l).get(2, 0), module) for n, l in fields(v) if n == 4]
    for f, v in top:
        if f != 2:
            continue
        values = packed(x for n, x in fields(v) if n == 2)
        assert len(values) == len(types)
        labels = {strings[one(l)[1]]: strings[one(l)[2]] if 2 in one(l) else one(l).get(3, 0) for n, l in fields(v) if n == 3}
        stack = [line for l in packed(x for n, x in fields(v) if n == 1) for line in locations[l]]
        text = ";".join("%s:%s:%d@%s" % (strings[fn[2]], strings[fn.get(4, 0)], line, module) for fn, line, module in reversed(stack))
        for t, value in zip(types, values):
            if value:
                print("%s/%s" % (strings[t[1]], strings[t[2]]), value, "%s#%s" % (labels.get("thread", ""), labels.get("thread_id", 0)), text, sep="\t")

if __name__ == "__main__":
    if sys.argv[1] == "make":
        sys.stdout.buffer.write(made[sys.argv[2]]())
    else:
        show(sys.stdin.buffer.read())
