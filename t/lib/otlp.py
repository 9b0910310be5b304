#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# otlp.py: profiles of OpenTelemetry, written and read without any library, by tables of the fields' names and numbers.
#   make NAME            profiles on stdout, of those below, in the fields of 1.10; 7,3: with names of 7 and 3 bytes
#   as VERSION           the same profiles from stdin as 1.9 (also what 1.8 has of them), json, lines (one each line), sized (each after its size)
#   print                what profiles on stdin hold: TIME EVENT/UNIT WEIGHT SERVICE THREAD#ID STATE NOTE STACK, a line each
import json, struct, sys
from pprof import element, fields, number, packed, varint

def fixed(field, value): return varint(field << 3 | 1) + struct.pack("<Q", value)
def text(field, value): return element(field, value.encode())
def numbers(field, values): return element(field, b"".join(map(varint, values))) if values else b""
def times(field, values): return element(field, struct.pack("<%dQ" % len(values), *values)) if values else b""
def value_of(value):
    if isinstance(value, str): return text(1, value)
    if isinstance(value, bool): return number(2, value)
    if isinstance(value, float): return varint(4 << 3 | 1) + struct.pack("<d", value)
    return element(5, b"") if isinstance(value, list) else number(3, value)

class Profiles:
    def __init__(self):
        self.strings, self.attributes = [""], [b""]
        self.tables = {n: [b""] for n in (1, 2, 3, 4, 7)}
        self.resources = []
    def text(self, s):
        if s not in self.strings:
            self.strings.append(s)
        return self.strings.index(s)
    def add(self, table, *parts):
        part = b"".join(parts)
        if part not in self.tables[table]:
            self.tables[table].append(part)
        return self.tables[table].index(part)
    def attribute(self, key, value, unit=""):
        made = number(1, self.text(key)) + element(2, value_of(value)) + (number(3, self.text(unit)) if unit else b"")
        if made not in self.attributes:
            self.attributes.append(made)
        return self.attributes.index(made)
    def location(self, *lines, module=""):        # (function, file, line), what was inlined first
        mapping = self.add(1, number(4, self.text(module))) if module else 0
        made = [element(3, number(1, self.add(3, number(1, self.text(f)), number(3, self.text(file)))) + number(2, line)) for f, file, line in lines]
        return self.add(2, number(1, mapping) if mapping else b"", number(2, 0x401000), *made)
    def stack(self, *locations): return self.add(7, numbers(1, locations))
    def link(self, trace, span): return self.add(4, element(1, bytes.fromhex(trace)), element(2, bytes.fromhex(span)))
    def sample(self, stack, values=(), at=(), attributes=(), link=0):
        return number(1, stack) + numbers(2, attributes) + (number(3, link) if link else b"") + numbers(4, values) + times(5, at)
    def profile(self, type, unit, time, *samples):
        return element(1, number(1, self.text(type)) + number(2, self.text(unit))) + b"".join(element(2, s) for s in samples) + fixed(3, time) + number(4, 10 ** 9) + element(7, b"0123456789abcdef")
    def resource(self, attributes, *profiles, tool="tool"):
        made = b"".join(element(1, text(1, k) + element(2, value_of(v))) for k, v in attributes.items())
        self.resources.append(element(1, element(1, made) + element(2, element(1, text(1, tool)) + b"".join(element(2, p) for p in profiles))))
    def bytes(self):
        tables = b"".join(element(n, row) for n in (1, 2, 3, 4) for row in self.tables[n])
        tables += b"".join(text(5, s) for s in self.strings) + b"".join(element(6, a) for a in self.attributes) + b"".join(element(7, s) for s in self.tables[7])
        return b"".join(self.resources) + element(2, tables)

T = 1767225600 * 10 ** 9

def shop():
    p = Profiles()
    main, work = p.location(("main", "/src/main.c", 7), module="/opt/shop"), p.location(("leaf", "/src/a.c", 1), ("work", "/src/a.c", 20))
    libc = p.location(module="/usr/lib/libc.so.6")
    deep, flat, end = p.stack(work, main), p.stack(main), p.stack(libc, main)
    web = [p.attribute("thread.name", "web-1"), p.attribute("thread.id", 12)]
    cpu = p.profile("cpu", "milliseconds", T,
                    p.sample(deep, [10, 30], [T + 5, T + 7], web + [p.attribute("thread.state", "running"), p.attribute("cpu.logical_number", 3)]),
                    p.sample(flat, [20, 1], [T + 6, T + 8], link=p.link("00112233445566778899aabbccddeeff", "0123456789abcdef")),
                    p.sample(end, [5], (), [p.attribute("size", 64, "bytes"), p.attribute("share", 0.5), p.attribute("on", True), p.attribute("who", ["a"])]))
    p.resource({"service.name": "shop", "process.pid": 42, "host.name": "h1"}, cpu, p.profile("samples", "count", T, p.sample(flat, (), [T + 1, T + 2], web)))
    p.resource({"process.executable.name": "batch"}, p.profile("alloc_space", "bytes", T, p.sample(0, [4096])))
    return p.bytes()

def least():
    p = Profiles()
    p.resource({"service.name": "s"}, p.profile("samples", "count", T, p.sample(p.stack(p.location(("f", "", 7))), [1], [T], [p.attribute("thread.name", "main")])))
    return p.bytes()

def unsure():                 # one time, one attribute, nothing else: in 1.9 these would be one value and one time
    p = Profiles()
    p.resource({}, p.profile("samples", "count", T, p.sample(p.stack(p.location(("f", "", 7))), (), [T], [p.attribute("thread.name", "main")])))
    return p.bytes()

def lost():
    p = Profiles()
    f = p.stack(p.location(("f", "", 7)))
    p.resource({}, p.profile("samples", "count", T, p.sample(99, [1], [T]), p.sample(f, [-4], [T]), p.sample(f, [2, 3], [T]), p.sample(f, [1], [T], [77, 78])))
    return p.bytes()

def old():                    # of 1.7: samples name the first location and how many follow, then values
    sample = number(1, 1) + number(2, 1) + numbers(3, [1]) + number(6, T)
    return element(1, element(2, element(2, element(1, number(1, 1) + number(2, 2)) + element(2, sample)))) + element(2, b"".join(text(5, s) for s in ("", "samples", "count")))

def named(service, tool):     # names of these lengths, which the sizes of the parts depend on
    p = Profiles()
    p.resource({"service.name": "s" * service}, p.profile("samples", "count", T, p.sample(p.stack(p.location(("f", "", 7))), [1], [T])), tool="t" * tool)
    return p.bytes()

made = {"shop": shop, "least": least, "unsure": unsure, "lost": lost, "old": old, "empty": lambda: Profiles().bytes()}

# NUMBER: (NAME, KIND): a list is of messages; t text, n number, p packed numbers, f and F the same of eight bytes, d fraction, x bytes
V = {1: ("stringValue", "t"), 2: ("boolValue", "b"), 3: ("intValue", "n"), 4: ("doubleValue", "d"), 5: ("arrayValue", {1: ("values", [])})}
KV = {1: ("key", "t"), 2: ("value", V)}
SAMPLE = {1: ("stackIndex", "n"), 2: ("attributeIndices", "p"), 3: ("linkIndex", "n"), 4: ("values", "p"), 5: ("timestampsUnixNano", "F")}
PROFILE = {1: ("sampleType", {1: ("typeStrindex", "n"), 2: ("unitStrindex", "n")}), 2: ("samples", [SAMPLE]), 3: ("timeUnixNano", "f"), 4: ("durationNano", "n"), 7: ("profileId", "x")}
DATA = {1: ("resourceProfiles", [{1: ("resource", {1: ("attributes", [KV])}), 2: ("scopeProfiles", [{1: ("scope", {1: ("name", "t")}), 2: ("profiles", [PROFILE])}])}]),
        2: ("dictionary", {1: ("mappingTable", [{4: ("filenameStrindex", "n")}]),
                           2: ("locationTable", [{1: ("mappingIndex", "n"), 2: ("address", "n"), 3: ("lines", [{1: ("functionIndex", "n"), 2: ("line", "n")}])}]),
                           3: ("functionTable", [{1: ("nameStrindex", "n"), 3: ("filenameStrindex", "n")}]),
                           4: ("linkTable", [{1: ("traceId", "x"), 2: ("spanId", "x")}]), 5: ("stringTable", "T"),
                           6: ("attributeTable", [{1: ("keyStrindex", "n"), 2: ("value", V), 3: ("unitStrindex", "n")}]),
                           7: ("stackTable", [{1: ("locationIndices", "p")}])})}

def read(data, table):
    out, at = {}, 0
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
            value = take()
        elif key & 7 == 1:
            value = struct.unpack_from("<Q", data, at)[0]; at += 8
        else:
            size = take(); value = data[at:at + size]; at += size
            assert len(value) == size
        name, kind = table[key >> 3]
        signed = lambda v: v - 2 ** 64 if v >> 63 else v
        if kind == "t": out[name] = value.decode()
        elif kind == "T": out.setdefault(name, []).append(value.decode())
        elif kind == "n": out[name] = str(signed(value)) if value > 2 ** 31 else value
        elif kind == "b": out[name] = bool(value)
        elif kind == "f": out[name] = str(value)
        elif kind == "d": out[name] = struct.unpack("<d", struct.pack("<Q", value))[0]
        elif kind == "x": out[name] = value.hex()
        elif kind == "p": out[name] = [signed(v) for v in packed([value])]
        elif kind == "F": out[name] = [str(v) for v in struct.unpack("<%dQ" % (len(value) // 8), value)]
        elif isinstance(kind, list): out.setdefault(name, []).append(read(value, kind[0]) if kind else {})
        else: out[name] = read(value, kind)
    return out

def renumbered(data, way=(1, 2, 2, 2)):        # the samples of 1.10 as those of 1.8 and 1.9
    out = b""
    if not way:
        for f, v in ((f, v) for f, v in read_raw(data)):
            out += raw({2: 3, 3: 4, 4: 2}.get(f, f), v)
        return out
    for f, v in read_raw(data):
        out += raw(f, ("b", renumbered(v[1], way[1:])) if f == way[0] and v[0] == "b" else v)
    return out

def read_raw(data):
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
        if key & 7 == 0: yield key >> 3, ("n", take())
        elif key & 7 == 1: yield key >> 3, ("f", data[at:at + 8]); at += 8
        else:
            size = take()
            yield key >> 3, ("b", data[at:at + size]); at += size

def raw(field, value):
    return varint(field << 3) + varint(value[1]) if value[0] == "n" else varint(field << 3 | 1) + value[1] if value[0] == "f" else element(field, value[1])

def show(data):
    top = read(data, DATA)
    d = top["dictionary"]
    strings = d["stringTable"]
    assert strings[0] == "" and len(set(strings)) == len(strings)
    for table in ("mappingTable", "locationTable", "functionTable", "linkTable", "attributeTable", "stackTable"):
        assert d[table][0] == {}, table
    single = lambda value: next(iter(value.values()))
    def frames(location):
        module = strings[d["mappingTable"][location["mappingIndex"]]["filenameStrindex"]] if location.get("mappingIndex") else ""
        for line in location.get("lines", []):
            f = d["functionTable"][line["functionIndex"]]
            yield "%s:%s:%d@%s" % (strings[f["nameStrindex"]], strings[f.get("filenameStrindex", 0)], line.get("line", 0), module)
    for resource in top.get("resourceProfiles", []):
        about = {a["key"]: single(a["value"]) for a in resource["resource"].get("attributes", [])}
        for profile in (p for s in resource["scopeProfiles"] for p in s["profiles"]):
            begin = int(profile.get("timeUnixNano", 0)); end = begin + int(profile.get("durationNano", 0))
            seen = set()
            for s in profile["samples"]:
                names = [d["attributeTable"][i] for i in s.get("attributeIndices", [])]
                assert all(i > 0 for i in s.get("attributeIndices", []))
                has = {strings[a["keyStrindex"]]: single(a["value"]) for a in names}
                assert len(has) == len(names)
                values, at = s.get("values"), s.get("timestampsUnixNano")
                assert (s.get("stackIndex", 0), tuple(sorted(s.get("attributeIndices", []))), at is None) not in seen
                seen.add((s.get("stackIndex", 0), tuple(sorted(s.get("attributeIndices", []))), at is None))
                assert values is not None or at is not None
                assert values is None or len(values) == (len(at) if at is not None else 1)
                stack = [f for l in d["stackTable"][s.get("stackIndex", 0)].get("locationIndices", []) for f in frames(d["locationTable"][l])]
                for i in range(len(at or values)):
                    assert at is None or begin <= int(at[i]) < end
                    print(at[i] if at else "-", "%s/%s" % tuple(strings[profile["sampleType"][k]] for k in ("typeStrindex", "unitStrindex")), values[i] if values else 1,
                          about.get("service.name", ""), "%s#%s" % (has.get("thread.name", ""), has.get("thread.id", 0)), has.get("thread.state", ""), ";".join(reversed(stack)), sep="\t")

if __name__ == "__main__":
    out = sys.stdout.buffer
    if sys.argv[1] == "make":
        out.write(made[sys.argv[2]]() if sys.argv[2] in made else named(*map(int, sys.argv[2].split(","))))
    elif sys.argv[1] == "print":
        show(sys.stdin.buffer.read())
    else:
        data, form = sys.stdin.buffer.read(), sys.argv[2]
        if form == "1.9": out.write(renumbered(data))
        elif form == "json": out.write(json.dumps(read(data, DATA), indent=1).encode())
        elif form == "lines": out.write((json.dumps(read(data, DATA)).encode() + b"\n") * 2)
        elif form == "sized": out.write((struct.pack(">I", len(data)) + data) * 2)
